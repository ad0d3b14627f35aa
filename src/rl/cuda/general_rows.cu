/* What an update does with rows of a batch, beside the networks (rl/host/batch.c): actions,
 * targets, errors, bounds, weights. */
#include "rl/cuda/general.cuh"

/* --- actions ---------------------------------------------------------------------------------- */

/* a piece: a row's action z [A] from heads x by noise y, and its log-probability w; of a
 * deterministic policy with noise of `flags` */
EACH(sample)
{
    UNUSED;
    int actions = v->actions;
    const float *heads = of(t->x, seat) + (size_t)i * (size_t)v->heads;
    const float *noise = of(t->y, seat) + (size_t)i * (size_t)actions;
    float *action = of(t->z, seat) + (size_t)i * (size_t)actions, total = 0;
    for (int j = 0; j < actions && v->deterministic; j++) {
        float off =
            clamped(own->target_noise * noise[j], -own->target_noise_clip, own->target_noise_clip);
        action[j] = clamped(tanhf(heads[j]) + (t->flags ? off : 0), -1, 1);
    }
    for (int j = 0; j < actions && !v->deterministic; j++) {
        float slope, spread = log_std_of(own->bent, heads[actions + j], &slope);
        float a = tanhf(heads[j] + expf(spread) * noise[j]);
        action[j] = a;
        total +=
            -0.5f * noise[j] * noise[j] - spread - 0.91893853320467274f - logf(1 - a * a + 1e-6f);
    }
    of(t->w, seat)[i] = total;
}

/* a piece: a row of policy `first`, whose heads are x; see wac_policy_gradient */
EACH(policy_gradient)
{
    UNUSED;
    int actions = v->actions;
    size_t row = (size_t)(t->first * v->rows + i);
    const float *heads = of(t->x, seat) + row * (size_t)v->heads;
    const float *noise = of(v->noise, seat) + row * (size_t)actions;
    const float *action = of(v->action, seat) + row * (size_t)actions;
    const float *daction = of(v->daction, seat) + row * (size_t)actions;
    float *dheads = of(v->dheads, seat) + row * (size_t)v->heads;
    float dlog_prob = own->alpha[t->first] * of(v->share, seat)[row];
    for (int j = 0; j < actions; j++) {
        float a = action[j], slope = 1 - a * a, bend;
        if (v->deterministic) {
            dheads[j] = daction[j] * slope;
            continue;
        }
        float du = (daction[j] + dlog_prob * 2 * a / (slope + 1e-6f)) * slope;
        float spread = log_std_of(own->bent, heads[actions + j], &bend);
        dheads[j] = du;
        dheads[actions + j] = bend > 0 ? bend * (du * expf(spread) * noise[j] - dlog_prob) : 0;
    }
}

/* a piece: an entry of z, pairs of observations x and actions y, rows of `stride` */
EACH(join)
{
    UNUSED;
    int o = v->observations, inputs = o + v->actions, row = i / inputs, k = i % inputs;
    of(t->z, seat)[i] = k < o ? of(t->x, seat)[row * o + k]
                              : of(t->y, seat)[(size_t)row * (size_t)t->stride + (size_t)(k - o)];
}

/* a piece: an entry of z [rows][A], what `columns` networks would have it do, together */
EACH(sum_actions)
{
    UNUSED;
    float sum = 0;
    size_t network = (size_t)t->capacity * (size_t)v->actions;
    for (int m = 0; m < t->columns; m++)
        sum += of(v->dactions, seat)[(size_t)m * network + (size_t)i];
    of(t->z, seat)[i] = sum;
}

/* --- what critics say ------------------------------------------------------------------------- */

/* The std that goes with mean critic k of a row, or 0. */
DEVICE float std_beside(const wac_general_view *v, const float *out, size_t critic, int means,
                        int k)
{
    return v->stds ? expf(out[(size_t)(means + k % v->stds) * critic]) : 0;
}

/* See wac_smallest_bound: out is the first critic's word on a row, `critic` as far as to the next
 * one's. */
DEVICE int smallest_of(const wac_general_view *v, const float *out, size_t critic, int means,
                       bool with_std, float kappa)
{
    int best = 0;
    float smallest = 0;
    for (int k = 0; k < means; k++) {
        float bound = out[(size_t)k * critic];
        if (with_std)
            bound += kappa * std_beside(v, out, critic, means, k);
        if (k == 0 || bound < smallest) {
            smallest = bound;
            best = k;
        }
    }
    return best;
}

/* a piece: a row's targets from `columns` critics' word x: the mean's in y, the std's; with the
 * entropy weight `first`, and with a bonus where `flags` say so; see wac_td_target */
EACH(td_target)
{
    UNUSED;
    const float *out = of(t->x, seat) + i;
    size_t critic = (size_t)t->capacity;
    int k = smallest_of(v, out, critic, t->columns, v->stds > 0, own->kappa);
    float mean = out[(size_t)k * critic];
    if (t->flags)
        mean += of(v->next_bonus, seat)[i];
    float going_on = own->discount * (1 - of(v->terminals, seat)[i]);
    float entropy = own->alpha[t->first] * of(v->next_log_prob, seat)[i];
    of(t->y, seat)[i] = of(v->rewards, seat)[i] + going_on * (mean - entropy);
    if (v->stds)
        of(v->std_target, seat)[i] =
            clamped(going_on * std_beside(v, out, critic, t->columns, k), 0, own->sigma_max);
}

/* a piece: critic i, of which each member has `columns`; its error, its slope, what it says */
WARPS(mean_error)
{
    UNUSED;
    const float *out = of(t->x, seat) + (size_t)i * (size_t)t->capacity;
    size_t first = (size_t)(i / t->columns) * (size_t)v->rows;
    const float *target = of(v->mean_target, seat) + first, *weight = of(v->weight, seat) + first;
    float *dout = of(v->dout, seat) + (size_t)i * (size_t)t->capacity;
    double loss = 0, average = 0;
    for (int row = lane; row < v->rows; row += LANES) {
        float error = out[row] - target[row];
        loss += (double)error * (double)error * (double)weight[row];
        average += (double)out[row];
        dout[row] = 2 * error * weight[row];
    }
    loss = sum_of_lanes(loss);
    average = sum_of_lanes(average);
    if (lane == 0) {
        own->loss[i] = loss;
        own->average[i] = average / v->rows;
    }
}

/* a piece: std critic i, whose anchor said y [synthetic] of the synthetic pairs; see wac_std_error
 */
WARPS(std_error)
{
    UNUSED;
    int m = v->means + i, synthetic = own->synthetic;
    const float *out = of(t->x, seat) + (size_t)m * (size_t)t->capacity;
    const float *target = of(v->std_target, seat);
    const float *anchor = of(t->y, seat) + (size_t)i * (size_t)v->synthetic;
    float *dout = of(v->dout, seat) + (size_t)m * (size_t)t->capacity;
    double loss = 0, regularisation = 0, average = 0, unseen = 0;
    for (int row = lane; row < v->rows; row += LANES) {
        float std = expf(out[row]), error = std - target[row];
        loss += (double)error * (double)error / v->rows;
        average += (double)std;
        dout[row] = 2 * error * std / (float)v->rows;
    }
    for (int row = lane; row < synthetic; row += LANES) {
        float std = expf(out[v->rows + row]);
        float error = std - clamped(expf(anchor[row]), 0, own->sigma_max);
        regularisation += (double)error * (double)error / synthetic;
        unseen += (double)std;
        dout[v->rows + row] = 2 * own->lambda * error * std / (float)synthetic;
    }
    loss = sum_of_lanes(loss);
    average = sum_of_lanes(average);
    regularisation = sum_of_lanes(regularisation);
    unseen = sum_of_lanes(unseen);
    if (lane == 0) {
        own->loss[m] = loss;
        own->regularisation[m] = regularisation;
        own->average[m] = average / v->rows;
        own->average_synthetic[m] = unseen / synthetic; /* not a number without */
    }
}

/* a piece: a row's smallest bound of `columns` critics, with stds by `flags`, and its slope, by the
 * row's share z; see wac_upper_bound */
EACH(smallest_bound)
{
    UNUSED;
    const float *out = of(t->x, seat) + i;
    float *dout = of(v->dout, seat) + i, weight = of(t->z, seat)[i], slope = 0;
    size_t critic = (size_t)t->capacity;
    int means = t->columns, chosen = smallest_of(v, out, critic, means, t->flags, own->kappa);
    for (int k = 0; k < means; k++)
        dout[(size_t)k * critic] = k == chosen ? -weight : 0;
    for (int k = 0; t->flags && k < v->stds; k++) {
        bool beside = k == chosen % v->stds;
        if (beside)
            slope = own->kappa * std_beside(v, out, critic, means, k);
        dout[(size_t)(means + k) * critic] = beside ? -weight * slope : 0;
    }
    of(v->bound, seat)[i] = out[(size_t)chosen * critic] + slope;
}

/* the same of the average of `columns` critics; see wac_average_mean */
EACH(average_bound)
{
    UNUSED;
    const float *out = of(t->x, seat) + i;
    float *dout = of(v->dout, seat) + i, weight = of(t->z, seat)[i], average = 0;
    for (int k = 0; k < t->columns; k++) {
        average += out[(size_t)k * (size_t)t->capacity] / (float)t->columns;
        dout[(size_t)k * (size_t)t->capacity] = -weight / (float)t->columns;
    }
    of(v->bound, seat)[i] = average;
}

/* --- policies as a whole ---------------------------------------------------------------------- */

/* one piece: policy `first` */
WARPS(objective)
{
    UNUSED;
    const float *share = of(v->share, seat) + t->first * v->rows;
    const float *log_prob = of(v->log_prob, seat) + t->first * v->rows;
    const float *bound = of(v->bound, seat);
    double entropy = 0, climbed = 0;
    for (int row = lane; row < v->rows; row += LANES) {
        entropy += (double)share[row] * (double)log_prob[row];
        climbed += (double)share[row] * (double)bound[row];
    }
    entropy = sum_of_lanes(entropy);
    climbed = sum_of_lanes(climbed);
    if (lane == 0)
        own->objective[t->first] = (double)own->alpha[t->first] * entropy - climbed;
}

/* a piece: policy i; see wac_entropy_step */
WARPS(tune_entropy)
{
    UNUSED;
    const float *share = of(v->share, seat) + i * v->rows;
    const float *log_prob = of(v->log_prob, seat) + i * v->rows;
    double sum = 0, all = 0;
    for (int row = lane; row < v->rows; row += LANES) {
        sum += (double)share[row] * (double)log_prob[row];
        all += (double)share[row];
    }
    sum = sum_of_lanes(sum);
    all = sum_of_lanes(all);
    if (lane == 0 && own->tunes) {
        weight_move(own->factors[WAC_GENERAL_ENTROPY],
                    -((float)sum + (float)all * own->entropy_target), &own->entropy[i]);
        own->alpha[i] = expf(own->entropy[i].number);
    }
}

/* --- how much rows count ---------------------------------------------------------------------- */

/* a piece: a row, by how far all targets' word x on it is spread; see wac_weigh_spread */
EACH(weigh_rows)
{
    UNUSED;
    float sum = 0, squares = 0;
    const float *out = of(t->x, seat) + i;
    for (int k = 0; k < v->means; k++)
        sum += out[(size_t)k * (size_t)t->capacity];
    float mean = sum / (float)v->means;
    for (int k = 0; k < v->means; k++) {
        float away = out[(size_t)k * (size_t)t->capacity] - mean;
        squares += away * away;
    }
    float std = sqrtf(squares / (float)v->means);
    of(v->factor, seat)[i] =
        own->temperature > 0 ? 1 / (1 + expf(own->temperature * std)) + 0.5f : 1;
}

/* a piece: member i, by who learns from a row */
WARPS(weigh_member)
{
    UNUSED;
    const float *mask = of(v->masks, seat) + i * v->rows, *factor = of(v->factor, seat);
    float *share = of(v->share, seat) + i * v->rows, *weight = of(v->weight, seat) + i * v->rows;
    double learning = 0;
    for (int row = lane; row < v->rows; row += LANES)
        learning += (double)mask[row];
    /* one more than there are, so that there is always one */
    float all = 1 + (float)sum_of_lanes(learning);
    for (int row = lane; row < v->rows; row += LANES) {
        share[row] = mask[row] / all;
        weight[row] = share[row] * factor[row];
    }
}
