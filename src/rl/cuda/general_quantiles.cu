/* Critics that put out quantiles (rl/host/quantiles.c), or whole posteriors (rl/host/belief.c). */
#include "rl/cuda/general.cuh"

/* --- quantiles -------------------------------------------------------------------------------- */

/* Mean and deviation of what critics say of a quantile; `critic` is as far as to the next one's
 * word; the sum of squares was divided by `by`. */
DEVICE void spread_of(const wac_general_view *v, const float *at, size_t critic, float *mean,
                      float *std, float *by)
{
    float sum = 0, squares = 0;
    int others = v->means > 1 ? v->means - 1 : 1;
    for (int k = 0; k < v->means; k++)
        sum += at[(size_t)k * critic];
    *mean = sum / (float)v->means;
    for (int k = 0; k < v->means; k++) {
        float away = at[(size_t)k * critic] - *mean;
        squares += away * away;
    }
    *by = (float)(v->population ? v->means : others);
    *std = sqrtf(squares / *by + (v->population ? 0 : 1e-4f));
}

/* a piece: a quantile of a row's target, of critics' word x */
EACH(quantile_target)
{
    UNUSED;
    int row = i / v->quantiles;
    float mean, std, by;
    size_t critic = (size_t)t->capacity * (size_t)v->quantiles;
    spread_of(v, of(t->x, seat) + i, critic, &mean, &std, &by);
    float going_on = own->discount * (1 - of(v->terminals, seat)[row]);
    float entropy = v->deterministic ? 0 : own->alpha[t->first] * of(v->next_log_prob, seat)[row];
    of(t->y, seat)[i] = of(v->rewards, seat)[row] + going_on * (mean + own->kappa * std - entropy);
}

/* a piece: a quantile that a critic put out for a row, and what all targets ask of it */
EACH(quantile_pull)
{
    UNUSED;
    int n = v->quantiles, row = i / n % v->rows, critic = i / n / v->rows, q = i % n;
    size_t at = ((size_t)critic * (size_t)t->capacity + (size_t)row) * (size_t)n + (size_t)q;
    float out = of(t->x, seat)[at], tau = ((float)q + 0.5f) / (float)n, pull = 0, loss = 0;
    const float *target = of(v->mean_target, seat) + (size_t)row * (size_t)n;
    for (int j = 0; j < n; j++) {
        float u = target[j] - out, size = u < 0 ? -u : u;
        float within = size < 1 ? size : 1; /* Huber's slope */
        float share = u < 0 ? 1 - tau : tau;
        pull += share * (u < 0 ? within : -within);
        loss += share * within * (size - 0.5f * within);
    }
    of(v->dout, seat)[at] = of(v->weight, seat)[row] * pull / (float)n;
    of(v->errors, seat)[at] = loss;
}

/* a piece: critic i, what it was wrong by and what it says */
WARPS(quantile_error)
{
    UNUSED;
    int n = v->quantiles;
    size_t first = (size_t)i * (size_t)t->capacity * (size_t)n;
    const float *out = of(t->x, seat) + first, *errors = of(v->errors, seat) + first;
    const float *weight = of(v->weight, seat);
    double loss = 0, average = 0;
    for (int at = lane; at < v->rows * n; at += LANES) {
        loss += (double)weight[at / n] * (double)errors[at] / n;
        average += (double)out[at];
    }
    loss = sum_of_lanes(loss);
    average = sum_of_lanes(average);
    if (lane == 0) {
        own->loss[i] = loss;
        own->average[i] = average / n / v->rows;
    }
}

/* a piece: a row; by how the policy trusts, or by the optimist's weight if `flags` */
WARPS(quantile_bound)
{
    UNUSED;
    int n = v->quantiles;
    size_t critic = (size_t)t->capacity * (size_t)n, row = (size_t)i * (size_t)n;
    float weight = of(t->z, seat)[i], even = 1 / (float)v->means;
    float kappa = t->flags ? own->weights[0] : own->kappa;
    double bound = 0;
    for (int q = lane; q < n; q += LANES) {
        const float *out = of(t->x, seat) + row + q;
        float *dout = of(v->dout, seat) + row + q, mean, std, by;
        spread_of(v, out, critic, &mean, &std, &by);
        bound += (double)((mean + kappa * std) / (float)n);
        for (int k = 0; k < v->means; k++) {
            float away = out[(size_t)k * critic] - mean;
            float slope = even + (std > 0 ? kappa * away / (by * std) : 0);
            dout[(size_t)k * critic] = -weight * slope / (float)n;
        }
    }
    bound = sum_of_lanes(bound);
    if (lane == 0)
        of(v->bound, seat)[i] = (float)bound;
}

/* --- whole posteriors ------------------------------------------------------------------------- */

/* How much of gap j, or of a Gaussian's std, the bound counts (wac_belief_aim). */
DEVICE float climb_of(const wac_general_view *v, const wac_general_seat *own, int j)
{
    if (!v->particles)
        return own->kappa;
    int last = v->particles - 1, below = (int)own->place;
    float beyond = own->place - (float)below;
    float above = (float)(last - j) / (float)v->particles;
    return (j < below ? 1 : j == below ? beyond : 0) - above;
}

/* wac_belief_spread */
DEVICE void spread_from(const wac_general_view *v, const float *out, float *spread)
{
    int last = v->outputs - 1;
    float lowest = 0;
    for (int j = 0; j < last; j++) {
        float step = expf(out[1 + j]);
        spread[v->particles ? 1 + j : 0] = step;
        lowest -= step * (float)(last - j);
    }
    if (!v->particles)
        return;
    spread[0] = lowest / (float)v->particles;
    for (int j = 0; j < last; j++)
        spread[1 + j] += spread[j];
}

DEVICE float std_from(const wac_general_view *v, const float *spread)
{
    float squares = 0;
    for (int n = 0; n < v->spread; n++)
        squares += spread[n] * spread[n];
    return sqrtf(squares / (float)v->spread);
}

/* a spread times a factor, its deviation not above sigma_max */
DEVICE void scale_spread(const wac_general_view *v, float factor, float sigma_max, float *spread)
{
    float std = factor * std_from(v, spread);
    if (std > sigma_max)
        factor *= sigma_max / std;
    for (int n = 0; n < v->spread; n++)
        spread[n] *= factor;
}

/* wac_belief_smallest; `critic` is as far as to the next one's word on the row */
DEVICE int smallest_belief(const wac_general_view *v, const wac_general_seat *own, const float *out,
                           size_t critic, bool with_spread)
{
    int best = 0;
    float smallest = 0;
    for (int k = 0; k < v->means; k++) {
        const float *said = out + (size_t)k * critic;
        float bound = said[0];
        for (int j = 1; with_spread && j < v->outputs; j++)
            bound += climb_of(v, own, j - 1) * expf(said[j]);
        if (k == 0 || bound < smallest) {
            smallest = bound;
            best = k;
        }
    }
    return best;
}

/* a piece: a row's targets, of the mean in y and of the spread, from critics' word x */
EACH(belief_target)
{
    UNUSED;
    size_t critic = (size_t)t->capacity * (size_t)v->outputs;
    const float *out = of(t->x, seat) + (size_t)i * (size_t)v->outputs;
    out += (size_t)smallest_belief(v, own, out, critic, true) * critic;
    float *spread = of(v->std_target, seat) + (size_t)i * (size_t)v->spread;
    float going_on = own->discount * (1 - of(v->terminals, seat)[i]);
    float entropy = own->alpha[t->first] * of(v->next_log_prob, seat)[i];
    of(t->y, seat)[i] = of(v->rewards, seat)[i] + going_on * (out[0] - entropy);
    spread_from(v, out, spread);
    scale_spread(v, going_on, own->sigma_max, spread);
}

/* a piece: what a critic said, x, of one of `rows` rows; synthetic ones are held to the anchors'
 * word y. Leaves its std and its squared error to be told. See wac_belief_error. */
EACH(belief_error)
{
    UNUSED;
    int critic = i / t->rows, row = i % t->rows, last = v->outputs - 1, unseen = row - v->rows;
    size_t outputs = (size_t)v->outputs;
    size_t at = ((size_t)critic * (size_t)t->capacity + (size_t)row) * outputs;
    const float *out = of(t->x, seat) + at;
    float *dout = of(v->dout, seat) + at, spread[WAC_GENERAL_PARTICLES];
    float held[WAC_GENERAL_PARTICLES], weight = 1 / (float)v->rows, above = 0, squares = 0;
    const float *target = of(v->std_target, seat) + (size_t)row * (size_t)v->spread;
    if (unseen >= own->synthetic)
        return;
    dout[0] = 0;
    if (unseen < 0) {
        dout[0] = 2 * (out[0] - of(v->mean_target, seat)[row]) / (float)v->rows;
    } else {
        size_t pair = (size_t)critic * (size_t)v->synthetic + (size_t)unseen;
        spread_from(v, of(t->y, seat) + pair * outputs, held);
        scale_spread(v, 1, own->sigma_max, held);
        target = held;
        weight = own->lambda / (float)own->synthetic;
    }
    spread_from(v, out, spread);
    of(v->errors, seat)[at] = std_from(v, spread);
    for (int n = 0; n < v->spread; n++) {
        float error = spread[n] - target[n];
        squares += error * error;
        spread[n] = weight * 2 * error / (float)v->spread;
    }
    of(v->errors, seat)[at + 1] = squares / (float)v->spread;
    for (int j = last - 1; j >= 0; j--) {
        above += spread[v->particles ? 1 + j : 0];
        dout[1 + j] = expf(out[1 + j]) * above;
    }
}

/* a piece: critic i, what it was wrong by and what it says */
WARPS(belief_tell)
{
    UNUSED;
    int std = v->means + i, synthetic = own->synthetic;
    size_t outputs = (size_t)v->outputs, first = (size_t)i * (size_t)t->capacity * outputs;
    const float *out = of(t->x, seat) + first, *seen = of(v->errors, seat) + first;
    const float *target = of(v->mean_target, seat);
    double loss = 0, mean = 0, spread = 0, spread_loss = 0, unseen = 0, held = 0;
    for (int row = lane; row < v->rows; row += LANES) {
        float error = out[(size_t)row * outputs] - target[row];
        loss += (double)error * (double)error / v->rows;
        mean += (double)out[(size_t)row * outputs] / v->rows;
        spread += (double)seen[(size_t)row * outputs] / v->rows;
        spread_loss += (double)seen[(size_t)row * outputs + 1] / v->rows;
    }
    for (int row = v->rows + lane; row < v->rows + synthetic; row += LANES) {
        unseen += (double)seen[(size_t)row * outputs] / synthetic;
        held += (double)seen[(size_t)row * outputs + 1] / synthetic;
    }
    loss = sum_of_lanes(loss);
    mean = sum_of_lanes(mean);
    spread = sum_of_lanes(spread);
    spread_loss = sum_of_lanes(spread_loss);
    unseen = sum_of_lanes(unseen);
    held = sum_of_lanes(held);
    if (lane > 0)
        return;
    own->loss[i] = loss;
    own->average[i] = mean;
    own->loss[std] = spread_loss;
    own->regularisation[std] = held;
    own->average[std] = spread;
    own->average_synthetic[std] = synthetic ? unseen : (double)NAN;
}

/* a piece: a row's smallest bound, with spread by `flags`, and its slope, by the row's share z */
EACH(belief_bound)
{
    UNUSED;
    size_t critic = (size_t)t->capacity * (size_t)v->outputs, row = (size_t)i * (size_t)v->outputs;
    const float *out = of(t->x, seat) + row;
    float weight = of(t->z, seat)[i], bound = 0;
    int chosen = smallest_belief(v, own, out, critic, t->flags);
    for (int k = 0; k < v->means; k++) {
        const float *said = out + (size_t)k * critic;
        float *dout = of(v->dout, seat) + row + (size_t)k * critic;
        dout[0] = k == chosen ? -weight : 0;
        bound += k == chosen ? said[0] : 0;
        for (int j = 1; j < v->outputs; j++) {
            bool climbed = k == chosen && t->flags;
            float part = climbed ? climb_of(v, own, j - 1) * expf(said[j]) : 0;
            dout[j] = -weight * part;
            bound += part;
        }
    }
    of(v->bound, seat)[i] = bound;
}
