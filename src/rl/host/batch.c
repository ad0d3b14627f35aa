/* Row-wise operations: policies, targets, errors, replay. */
#include "rl/host/batch.h"

#include <string.h>

static real clamp(real value, real low, real high)
{
    return value < low ? low : value > high ? high : value;
}

static bool is_deterministic(const wac_sample *s)
{
    return s->per_row == s->actions;
}

static void sample_means(const wac_sample *s)
{
    for (size_t i = 0; i < (size_t)s->rows * (size_t)s->actions; i++) {
        real noise = clamp(s->noise_std * s->noise[i], -s->noise_most, s->noise_most);
        s->action[i] = clamp(tanh(s->heads[i]) + noise, -1, 1);
    }
    for (int i = 0; i < s->rows; i++)
        s->log_prob[i] = 0;
}

real wac_log_std_of(bool bent, real head, real *slope)
{
    if (!bent) {
        if (slope)
            *slope = head >= WAC_LOG_STD_MIN && head <= WAC_LOG_STD_MAX;
        return clamp(head, WAC_LOG_STD_MIN, WAC_LOG_STD_MAX);
    }
    real half = (WAC_LOG_STD_BENT_MAX - WAC_LOG_STD_BENT_MIN) / 2, t = tanh(head);
    if (slope)
        *slope = half * (1 - t * t);
    return WAC_LOG_STD_BENT_MIN + half * (1 + t);
}

void wac_policy_sample(const wac_sample *s)
{
    if (is_deterministic(s)) {
        sample_means(s);
        return;
    }
    const real half_log_two_pi = (real)0.91893853320467274;
    for (int i = 0; i < s->rows; i++) {
        size_t row = (size_t)i * (size_t)s->actions;
        const real *mean = s->heads + 2 * row, *log_std = mean + s->actions;
        real log_prob = 0;
        for (int j = 0; j < s->actions; j++) {
            real noise = s->noise[row + (size_t)j];
            real spread = wac_log_std_of(s->bent, log_std[j], NULL);
            real action = tanh(mean[j] + exp(spread) * noise);
            s->action[row + (size_t)j] = action;
            log_prob += (real)-0.5 * noise * noise - spread - half_log_two_pi -
                        log(1 - action * action + (real)1e-6);
        }
        s->log_prob[i] = log_prob;
    }
}

/* What learns has no noise, so that the action tells the slope of tanh. */
static void means_gradient(const wac_sample *s, const real *daction, real *dheads)
{
    for (size_t i = 0; i < (size_t)s->rows * (size_t)s->actions; i++)
        dheads[i] = daction[i] * (1 - s->action[i] * s->action[i]);
}

void wac_policy_gradient(const wac_sample *s, const real *daction, real alpha, const real *weight,
                         real *dheads)
{
    if (is_deterministic(s)) {
        means_gradient(s, daction, dheads);
        return;
    }
    for (int i = 0; i < s->rows; i++) {
        real dlog_prob = alpha * weight[i];
        size_t row = (size_t)i * (size_t)s->actions, head = 2 * row;
        const real *log_std = s->heads + head + s->actions;
        for (int j = 0; j < s->actions; j++) {
            real action = s->action[row + (size_t)j];
            real slope = 1 - action * action; /* of tanh */
            /* through the action itself and through the correction in its log-probability */
            real da = daction[row + (size_t)j] + dlog_prob * 2 * action / (slope + (real)1e-6);
            real du = da * slope;
            real bend, spread = wac_log_std_of(s->bent, log_std[j], &bend);
            dheads[head + (size_t)j] = du;
            dheads[head + (size_t)(s->actions + j)] =
                bend > 0 ? bend * (du * exp(spread) * s->noise[row + (size_t)j] - dlog_prob) : 0;
        }
    }
}

/* The std that goes with mean critic k, from its logarithm. */
static real std_of(const wac_critic_rows *critics, int k, int row)
{
    int member = critics->first_std + k % critics->stds;
    return exp(critics->out[member * critics->capacity + row]);
}

int wac_smallest_bound(const wac_critic_rows *critics, int row)
{
    int best = 0;
    real smallest = 0;
    for (int i = 0; i < critics->means; i++) {
        int k = critics->subset ? (int)critics->subset[i] : i;
        real bound = critics->out[k * critics->capacity + row];
        if (critics->stds)
            bound += critics->kappa * std_of(critics, k, row);
        if (i == 0 || bound < smallest) {
            smallest = bound;
            best = k;
        }
    }
    return best;
}

void wac_td_target(const wac_backup *b)
{
    const wac_critic_rows *next = &b->next;
    for (int i = 0; i < next->rows; i++) {
        int k = wac_smallest_bound(next, i);
        real mean = next->out[k * next->capacity + i];
        if (b->bonus)
            mean += b->bonus[i];
        real going_on = b->discount * (1 - b->terminal[i]);
        b->mean_target[i] = b->reward[i] + going_on * (mean - b->alpha * b->log_prob[i]);
        if (next->stds)
            b->std_target[i] = clamp(going_on * std_of(next, k, i), 0, b->sigma_max);
    }
}

void wac_mean_error(int rows, const real *out, const real *target, const real *weight, real *dout,
                    double *loss, double *average)
{
    *loss = *average = 0;
    for (int i = 0; i < rows; i++) {
        real error = out[i] - target[i];
        *loss += (double)error * (double)error * (double)weight[i];
        *average += (double)out[i];
        dout[i] = 2 * error * weight[i];
    }
    *average /= rows;
}

void wac_std_error(int rows, int synthetic, const real *out, const real *target, const real *anchor,
                   real lambda, real sigma_max, real *dout, double *loss, double *regularisation,
                   double averages[2])
{
    *loss = *regularisation = averages[0] = averages[1] = 0;
    for (int i = 0; i < rows; i++) {
        real std = exp(out[i]);
        real error = std - target[i];
        *loss += (double)error * (double)error / rows;
        averages[0] += (double)std;
        dout[i] = 2 * error * std / (real)rows;
    }
    for (int i = 0; i < synthetic; i++) {
        real std = exp(out[rows + i]);
        real error = std - clamp(exp(anchor[i]), 0, sigma_max);
        *regularisation += (double)error * (double)error / synthetic;
        averages[1] += (double)std;
        dout[rows + i] = 2 * lambda * error * std / (real)synthetic;
    }
    averages[0] /= rows;
    averages[1] /= synthetic; /* not a number without synthetic rows */
}

void wac_upper_bound(const wac_critic_rows *critics, const real *weight, real *bound, real *dout)
{
    int capacity = critics->capacity;
    for (int i = 0; i < critics->rows; i++) {
        int chosen = wac_smallest_bound(critics, i);
        for (int k = 0; k < critics->means; k++)
            dout[k * capacity + i] = k == chosen ? -weight[i] : 0;
        real slope = 0; /* of the bound in the log-std */
        for (int k = 0; k < critics->stds; k++) {
            bool own = k == chosen % critics->stds;
            if (own)
                slope = critics->kappa * std_of(critics, k, i);
            dout[(critics->first_std + k) * capacity + i] = own ? -weight[i] * slope : 0;
        }
        bound[i] = critics->out[chosen * capacity + i] + slope;
    }
}

void wac_average_mean(const wac_critic_rows *critics, const real *weight, real *average, real *dout)
{
    for (int i = 0; i < critics->rows; i++) {
        average[i] = 0;
        for (int k = 0; k < critics->means; k++) {
            average[i] += critics->out[k * critics->capacity + i] / (real)critics->means;
            dout[k * critics->capacity + i] = -weight[i] / (real)critics->means;
        }
    }
}

void wac_mean_spread(const wac_critic_rows *critics, int row, real *mean, real *std)
{
    real sum = 0, squares = 0;
    for (int k = 0; k < critics->means; k++)
        sum += critics->out[k * critics->capacity + row];
    *mean = sum / (real)critics->means;
    for (int k = 0; k < critics->means; k++) {
        real difference = critics->out[k * critics->capacity + row] - *mean;
        squares += difference * difference;
    }
    *std = sqrt(squares / (real)critics->means);
}

void wac_weigh_spread(const wac_critic_rows *critics, real temperature, real *weight)
{
    for (int i = 0; i < critics->rows; i++) {
        real mean, std;
        wac_mean_spread(critics, i, &mean, &std);
        weight[i] = 1 / (1 + exp(temperature * std)) + (real)0.5;
    }
}

void wac_entropy_step(int members, int rows, const real *log_prob, const real *weight,
                      real entropy_target, wac_adam_factors factors, wac_entropy *entropy)
{
    for (int m = 0; m < members; m++) {
        double sum = 0, all = 0;
        for (int i = m * rows; i < (m + 1) * rows; i++) {
            sum += (double)weight[i] * (double)log_prob[i];
            all += (double)weight[i];
        }
        real gradient = -((real)sum + (real)all * entropy_target);
        wac_adam_move(factors, gradient, &entropy->first[m], &entropy->second[m],
                      &entropy->log_alpha[m]);
    }
}

void wac_join(int rows, int observations, int actions, const real *observation, const real *action,
              real *x)
{
    for (int i = 0; i < rows; i++) {
        real *row = x + (size_t)i * (size_t)(observations + actions);
        memcpy(row, observation + (size_t)(i * observations), (size_t)observations * sizeof *x);
        memcpy(row + observations, action + (size_t)(i * actions), (size_t)actions * sizeof *x);
    }
}

void wac_gather(const real *records, int observations, int actions, const int64_t *index,
                const wac_batch *batch)
{
    size_t o = (size_t)observations, a = (size_t)actions, size = 2 * o + a + 2;
    enum { AHEAD = 16 }; /* they lie anywhere in memory: ask for them in time */
    for (size_t i = 0; i < (size_t)batch->rows; i++) {
        const real *record = records + (size_t)index[i] * size;
        if (i + AHEAD < (size_t)batch->rows) {
            const real *later = records + (size_t)index[i + AHEAD] * size;
            __builtin_prefetch(later);
            __builtin_prefetch(later + size - 1);
        }
        memcpy(batch->observations + i * o, record, o * sizeof *record);
        memcpy(batch->actions + i * a, record + o, a * sizeof *record);
        batch->rewards[i] = record[o + a];
        memcpy(batch->next_observations + i * o, record + o + a + 1, o * sizeof *record);
        batch->terminals[i] = record[o + a + 1 + o];
    }
}
