/* The reference backend's row-wise operations: policies, targets, errors, replay, random fills. */
#include "nn/adam.h"
#include "nn/reference/reference.h"

#include <string.h>

static real clamp(real value, real low, real high)
{
    return value < low ? low : value > high ? high : value;
}

void wac_reference_policy_sample(const wac_sample *s)
{
    const real half_log_two_pi = (real)0.91893853320467274;
    for (int m = 0; m < s->members; m++) {
        for (int i = 0; i < s->rows; i++) {
            const real *mean = s->heads + (size_t)(m * s->capacity + i) * 2 * (size_t)s->actions;
            const real *log_std = mean + s->actions;
            size_t row = (size_t)(m * s->rows + i) * (size_t)s->actions;
            real log_prob = 0;
            for (int j = 0; j < s->actions; j++) {
                real noise = s->noise[row + (size_t)j];
                real spread = clamp(log_std[j], WAC_LOG_STD_MIN, WAC_LOG_STD_MAX);
                real action = tanh(mean[j] + exp(spread) * noise);
                s->action[row + (size_t)j] = action;
                log_prob += (real)-0.5 * noise * noise - spread - half_log_two_pi -
                            log(1 - action * action + (real)1e-6);
            }
            s->log_prob[m * s->rows + i] = log_prob;
        }
    }
}

void wac_reference_policy_gradient(const wac_sample *s, const real *daction, const real *dlog_prob,
                                   real *dheads)
{
    for (int m = 0; m < s->members; m++) {
        for (int i = 0; i < s->rows; i++) {
            size_t head = (size_t)(m * s->capacity + i) * 2 * (size_t)s->actions;
            const real *log_std = s->heads + head + s->actions;
            size_t row = (size_t)(m * s->rows + i) * (size_t)s->actions;
            for (int j = 0; j < s->actions; j++) {
                real action = s->action[row + (size_t)j];
                real slope = 1 - action * action; /* of tanh */
                /* through the action itself and through the correction in its log-probability */
                real da =
                    daction[row + (size_t)j] + dlog_prob[m] * 2 * action / (slope + (real)1e-6);
                real du = da * slope;
                bool inside = log_std[j] >= WAC_LOG_STD_MIN && log_std[j] <= WAC_LOG_STD_MAX;
                dheads[head + (size_t)j] = du;
                dheads[head + (size_t)(s->actions + j)] =
                    inside ? du * exp(log_std[j]) * s->noise[row + (size_t)j] - dlog_prob[m] : 0;
            }
        }
    }
}

/* Which of the two critics has the smaller upper bound at row i. */
static int smaller_bound(const wac_critic_rows *critics, int i)
{
    real bounds[2];
    for (int k = 0; k < 2; k++) {
        bounds[k] = critics->out[k * critics->capacity + i];
        if (critics->std)
            bounds[k] += critics->kappa * exp(critics->out[(2 + k) * critics->capacity + i]);
    }
    return bounds[1] < bounds[0];
}

void wac_reference_td_target(const wac_backup *b)
{
    const wac_critic_rows *next = &b->next;
    for (int i = 0; i < next->rows; i++) {
        int k = smaller_bound(next, i);
        real mean = next->out[k * next->capacity + i];
        real going_on = b->discount * (1 - b->terminal[i]);
        b->mean_target[i] = b->reward[i] + going_on * (mean - b->alpha * b->log_prob[i]);
        if (b->std_target) {
            real std = exp(next->out[(2 + k) * next->capacity + i]);
            b->std_target[i] = clamp(going_on * std, 0, b->sigma_max);
        }
    }
}

void wac_reference_mean_error(int rows, const real *out, const real *target, real *dout,
                              double *loss, double *average)
{
    *loss = *average = 0;
    for (int i = 0; i < rows; i++) {
        real error = out[i] - target[i];
        *loss += (double)error * (double)error / rows;
        *average += (double)out[i];
        dout[i] = 2 * error / (real)rows;
    }
    *average /= rows;
}

void wac_reference_std_error(int rows, int synthetic, const real *out, const real *target,
                             const real *anchor, real lambda, real sigma_max, real *dout,
                             double *loss, double *regularisation, double averages[2])
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

void wac_reference_upper_bound(const wac_critic_rows *critics, real weight, real *bound, real *dout)
{
    int capacity = critics->capacity;
    for (int i = 0; i < critics->rows; i++) {
        int chosen = smaller_bound(critics, i);
        for (int k = 0; k < 2; k++) {
            real own = k == chosen ? -weight : 0;
            real slope = 0; /* of the bound in the log-std */
            if (critics->std)
                slope = critics->kappa * exp(critics->out[(2 + k) * capacity + i]);
            if (k == chosen)
                bound[i] = critics->out[k * capacity + i] + slope;
            dout[k * capacity + i] = own;
            if (critics->std)
                dout[(2 + k) * capacity + i] = own * slope;
        }
    }
}

void wac_reference_entropy_step(const wac_sample *s, real entropy_target, wac_entropy *entropy)
{
    entropy->steps++;
    wac_adam_factors factors = wac_adam_prepare(entropy->steps, entropy->rate);
    for (int m = 0; m < s->members; m++) {
        double sum = 0;
        for (int i = 0; i < s->rows; i++)
            sum += (double)s->log_prob[m * s->rows + i];
        real gradient = -((real)(sum / s->rows) + entropy_target);
        wac_adam_move(factors, gradient, &entropy->first[m], &entropy->second[m],
                      &entropy->log_alpha[m]);
    }
}

void wac_reference_join(int rows, int observations, int actions, const real *observation,
                        const real *action, real *x)
{
    for (int i = 0; i < rows; i++) {
        real *row = x + (size_t)i * (size_t)(observations + actions);
        memcpy(row, observation + (size_t)(i * observations), (size_t)observations * sizeof *x);
        memcpy(row + observations, action + (size_t)(i * actions), (size_t)actions * sizeof *x);
    }
}

void wac_reference_gather(const real *records, int observations, int actions, const int64_t *index,
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

void wac_reference_fill_uniform(wac_rng *rng, size_t count, real low, real high, real *out)
{
    uint32_t words[4];
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            wac_rng_block(rng, rng->counter++, words);
        out[i] = low + (high - low) * (real)wac_rng_unit(words[i % 4]);
    }
}

void wac_reference_fill_normal(wac_rng *rng, size_t count, real *out)
{
    uint32_t words[4];
    double normals[2];
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            wac_rng_block(rng, rng->counter++, words);
        if (i % 2 == 0)
            wac_rng_normal_pair(words + i % 4, normals);
        out[i] = (real)normals[i % 2];
    }
}

void wac_reference_fill_index(wac_rng *rng, size_t count, int64_t limit, int64_t *out)
{
    uint32_t words[4];
    for (size_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            wac_rng_block(rng, rng->counter++, words);
        out[i] = (int64_t)(((uint64_t)words[i % 4] * (uint64_t)limit) >> 32);
    }
}
