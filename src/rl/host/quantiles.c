/* Quantiles: beliefs of several critics, and regression. */
#include "rl/host/quantiles.h"

#include "nn/cpu/layers.h"

#include <assert.h>
#include <string.h>

enum { LANES = 16, MOST_LANES = (WAC_QUANTILES_MOST + LANES - 1) / LANES };

#define LEAST_VARIANCE ((real)1e-4) /* so that a deviation has a slope */

/* From a row of one critic to that of the next. */
static size_t stride_of(int quantiles, const wac_critic_rows *critics)
{
    return (size_t)critics->capacity * (size_t)quantiles;
}

/* By what a sum of squares is divided. */
static real by_of(const wac_critic_rows *critics)
{
    int others = critics->means > 1 ? critics->means - 1 : 1;
    return (real)(critics->population ? critics->means : others);
}

/* Mean and deviation of what critics say of a quantile; `at` is the first one's word. */
static void spread(const wac_critic_rows *critics, size_t stride, const real *at, real *mean,
                   real *std)
{
    real sum = 0, squares = 0;
    for (int k = 0; k < critics->means; k++)
        sum += at[(size_t)k * stride];
    *mean = sum / (real)critics->means;
    for (int k = 0; k < critics->means; k++) {
        real away = at[(size_t)k * stride] - *mean;
        squares += away * away;
    }
    *std = critics->population ? sqrt(squares / by_of(critics))
                               : sqrt(squares / by_of(critics) + LEAST_VARIANCE);
}

void wac_quantile_target(int n, const wac_backup *b)
{
    const wac_critic_rows *next = &b->next;
    size_t stride = stride_of(n, next);
    for (int i = 0; i < next->rows; i++) {
        const real *row = next->out + (size_t)(i * n);
        real *target = b->mean_target + (size_t)(i * n);
        real going_on = b->discount * (1 - b->terminal[i]);
        real entropy = b->alpha * b->log_prob[i];
        for (int q = 0; q < n; q++) {
            real mean, std;
            spread(next, stride, row + q, &mean, &std);
            target[q] = b->reward[i] + going_on * (mean + next->kappa * std - entropy);
        }
    }
}

/* Some quantiles side by side, and masks for them. */
typedef real lanes __attribute__((vector_size(LANES * sizeof(real))));
typedef __typeof__((lanes){0} < (lanes){0}) masks;

#define CHOOSE(where, yes, no) ((lanes)(((where) & (masks)(yes)) | (~(where) & (masks)(no))))

/* Pull and loss of some quantiles of a row by all its targets. */
WAC_VECTORISED static void regress(int n, const lanes *out, const lanes *tau, const real *target,
                                   lanes *pull, lanes *loss)
{
    lanes own = *out, above = *tau, below = 1 - *tau, pulled = {0}, lost = {0};
    for (int j = 0; j < n; j++) {
        lanes u = target[j] - own, size = CHOOSE(u < 0, -u, u);
        lanes within = CHOOSE(size < 1, size, 1 - (lanes){0}); /* Huber's slope */
        lanes share = CHOOSE(u < 0, below, above);
        pulled += share * CHOOSE(u < 0, within, -within);
        lost += share * within * (size - (real)0.5 * within);
    }
    *pull = pulled;
    *loss = lost;
}

void wac_quantile_error(int n, int rows, const real *out, const real *target, const real *weight,
                        real *dout, double *loss, double *average)
{
    lanes tau[MOST_LANES] = {{0}}, own[MOST_LANES] = {{0}}, pull[MOST_LANES], errors[MOST_LANES];
    assert(n <= WAC_QUANTILES_MOST);
    for (int i = 0; i < n; i++)
        tau[i / LANES][i % LANES] = ((real)i + (real)0.5) / (real)n;
    *loss = *average = 0;
    for (int r = 0; r < rows; r++, out += n, target += n, dout += n) {
        double sum = 0, mean = 0;
        memcpy(own, out, (size_t)n * sizeof *out);
        for (int k = 0; k * LANES < n; k++)
            regress(n, own + k, tau + k, target, pull + k, errors + k);
        for (int i = 0; i < n; i++) {
            sum += (double)errors[i / LANES][i % LANES];
            mean += (double)out[i];
            dout[i] = weight[r] * pull[i / LANES][i % LANES] / (real)n;
        }
        *loss += (double)weight[r] * sum / n;
        *average += mean / n / rows;
    }
}

void wac_quantile_bound(int n, const wac_critic_rows *critics, const real *weight, real *bound,
                        real *dout)
{
    size_t stride = stride_of(n, critics);
    real even = 1 / (real)critics->means, by = by_of(critics);
    for (int i = 0; i < critics->rows; i++) {
        size_t row = (size_t)i * (size_t)n;
        bound[i] = 0;
        for (size_t at = row; at < row + (size_t)n; at++) {
            real mean, std;
            spread(critics, stride, critics->out + at, &mean, &std);
            bound[i] += (mean + critics->kappa * std) / (real)n;
            for (size_t k = 0; k < (size_t)critics->means; k++) {
                real away = critics->out[at + k * stride] - mean;
                real slope = even + (std > 0 ? critics->kappa * away / (by * std) : 0);
                dout[at + k * stride] = -weight[i] * slope / (real)n;
            }
        }
    }
}

real wac_quantile_mean(int n, const wac_critic_rows *critics, int row)
{
    real sum = 0;
    for (int q = 0; q < n; q++) {
        real mean, std;
        spread(critics, stride_of(n, critics), critics->out + (size_t)(row * n + q), &mean, &std);
        sum += mean;
    }
    return sum / (real)n;
}
