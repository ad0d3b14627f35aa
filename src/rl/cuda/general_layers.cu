/* What networks do beside products, and how weights move. Numbers of a member lie `capacity` rows
 * behind those of the one before; parameters `stride` numbers. */
#include "rl/cuda/general.cuh"

/* --- numbers one by one ----------------------------------------------------------------------- */

EACH(fill)
{
    UNUSED;
    of(t->x, seat)[i] = t->value;
}

EACH(copy)
{
    UNUSED;
    of(t->y, seat)[i] = of(t->x, seat)[i];
}

/* z = x + y */
EACH(add)
{
    UNUSED;
    of(t->z, seat)[i] = of(t->x, seat)[i] + of(t->y, seat)[i];
}

/* z = x where y, what a ReLU made, is above zero */
EACH(mask)
{
    UNUSED;
    of(t->z, seat)[i] = of(t->y, seat)[i] > 0 ? of(t->x, seat)[i] : 0;
}

/* Rows of a sum: those that are told, and the seat's synthetic pairs where `flags` say so. */
DEVICE int rows_of(const wac_general_task *t, const wac_general_seat *own)
{
    return t->rows + (t->flags ? own->synthetic : 0);
}

/* --- normalisation ---------------------------------------------------------------------------- */

/* Where a row of one of `rows` in a member begins, in numbers of one a row. */
DEVICE size_t row_at(const wac_general_task *t, int i)
{
    return (size_t)(i / t->rows) * (size_t)t->capacity + (size_t)(i % t->rows);
}

/* a piece: a row of x, brought to mean 0 and variance 1 in y, scaled and shifted in w; z: what it
 * was divided by, one of `flags` a row; v: weights, biases `first` behind them */
WARPS(norm)
{
    UNUSED;
    size_t row = row_at(t, i), width = (size_t)t->columns;
    const float *x = of(t->x, seat) + row * width;
    int member = t->chosen ? own->subset[i / t->rows] : i / t->rows;
    const float *weight = of(t->v, seat) + (size_t)member * (size_t)t->stride;
    float *normal = of(t->y, seat) + row * width, *y = of(t->w, seat) + row * width;
    double sum = 0, squares = 0;
    for (size_t j = (size_t)lane; j < width; j += LANES)
        sum += (double)x[j];
    float mean = (float)(sum_of_lanes(sum) / (double)width);
    for (size_t j = (size_t)lane; j < width; j += LANES)
        squares += (double)((x[j] - mean) * (x[j] - mean));
    float inverse = 1 / sqrtf((float)(sum_of_lanes(squares) / (double)width) + 1e-6f);
    for (size_t j = (size_t)lane; j < width; j += LANES) {
        float whole;
        normal[j] = (x[j] - mean) * inverse;
        whole = normal[j] * weight[j] + weight[t->first + (int)j];
        y[j] = t->relu && whole < 0 ? 0 : whole;
    }
    if (lane == 0)
        of(t->z, seat)[row * (size_t)t->flags] = inverse;
}

/* a piece: a number of w, what a normalisation made of y */
EACH(norm_again)
{
    UNUSED;
    int column = i % t->columns, row = i / t->columns;
    const float *weight = of(t->v, seat) + (size_t)(row / t->rows) * (size_t)t->stride;
    size_t at = row_at(t, row) * (size_t)t->columns + (size_t)column;
    of(t->w, seat)[at] = of(t->y, seat)[at] * weight[column] + weight[t->first + column];
}

/* a piece: a row on the way back from x, through what was normalised as y, to w; which it is added
 * to unless that is fresh */
WARPS(norm_back)
{
    UNUSED;
    size_t row = row_at(t, i), width = (size_t)t->columns;
    const float *dy = of(t->x, seat) + row * width, *normal = of(t->y, seat) + row * width;
    const float *weight = of(t->v, seat) + (size_t)(i / t->rows) * (size_t)t->stride;
    float *dx = of(t->w, seat) + row * width, inverse = of(t->z, seat)[row * (size_t)t->flags];
    double sum = 0, product = 0;
    for (size_t j = (size_t)lane; j < width; j += LANES) {
        sum += (double)(dy[j] * weight[j]);
        product += (double)(dy[j] * weight[j] * normal[j]);
    }
    float mean = (float)(sum_of_lanes(sum) / (double)width);
    float along = (float)(sum_of_lanes(product) / (double)width);
    for (size_t j = (size_t)lane; j < width; j += LANES) {
        float slope = inverse * (dy[j] * weight[j] - mean - normal[j] * along);
        dx[j] = t->fresh ? slope : dx[j] + slope;
    }
}

/* a piece: the gradient of a scale in z, of a shift `first` behind it, from x by y */
EACH(norm_sums)
{
    UNUSED;
    int member = i / t->columns, column = i % t->columns, rows = rows_of(t, own);
    size_t width = (size_t)t->columns, begin = (size_t)member * (size_t)t->capacity * width;
    const float *dy = of(t->x, seat) + begin + column, *normal = of(t->y, seat) + begin + column;
    float *out = of(t->z, seat) + (size_t)member * (size_t)t->stride + column;
    float scale = 0, shift = 0;
    UNROLL
    for (int row = 0; row < rows; row++) {
        scale += dy[(size_t)row * width] * normal[(size_t)row * width];
        shift += dy[(size_t)row * width];
    }
    out[0] = scale;
    out[t->first] = shift;
}

/* --- how weights move ------------------------------------------------------------------------- */

/* a piece: a weight x with moments y and z, along w; of members before `first` by the learner
 * `flags`, of others as those of stds; v: the target behind it, or nothing */
EACH(adam)
{
    UNUSED;
    int learner = i / t->stride < t->first ? t->flags : WAC_GENERAL_STD;
    wac_general_factors factors = own->factors[learner];
    float value = of(t->x, seat)[i];
    if (factors.decay > 0)
        value -= factors.decay * value;
    adam_move(factors, of(t->w, seat)[i], of(t->y, seat) + i, of(t->z, seat) + i, &value);
    of(t->x, seat)[i] = value;
    if (!t->v.at || (own->lag && own->critic_steps % own->delay != 0))
        return;
    float *target = of(t->v, seat) + i;
    *target += own->target_rate * (value - *target);
}

/* a piece: a weight y that follows x */
EACH(polyak)
{
    UNUSED;
    float *target = of(t->y, seat) + i;
    *target += own->target_rate * (of(t->x, seat)[i] - *target);
}
