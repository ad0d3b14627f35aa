/* Beliefs: posteriors that a critic puts out whole. */
#include "rl/host/belief.h"

void wac_belief_aim(const wac_belief *p, real kappa, real place)
{
    if (!p->particles) {
        p->climb[0] = kappa;
        return;
    }
    int last = p->particles - 1, below = (int)place;
    real beyond = place - (real)below; /* on the way to the next */
    for (int j = 0; j < last; j++) {
        /* a gap counts in all particles above it, and so in their mean */
        real above = (real)(last - j) / (real)p->particles;
        p->climb[j] = (j < below ? 1 : j == below ? beyond : 0) - above;
    }
}

void wac_belief_spread(const wac_belief *p, const real *out, real *steps, real *spread)
{
    int last = p->outputs - 1;
    real lowest = 0;
    for (int j = 0; j < last; j++) {
        real step = exp(out[1 + j]);
        if (steps)
            steps[j] = step;
        spread[p->particles ? 1 + j : 0] = step;
        lowest -= step * (real)(last - j);
    }
    if (!p->particles)
        return;
    spread[0] = lowest / (real)p->particles;
    for (int j = 0; j < last; j++)
        spread[1 + j] += spread[j];
}

void wac_belief_spread_back(const wac_belief *p, const real *dspread, real *dlog)
{
    int last = p->outputs - 1;
    if (!p->particles) {
        dlog[0] *= dspread[0];
        return;
    }
    /* a gap moves the particles above it; what it does to the mean of all weighs the sum, zero */
    real above = 0;
    for (int j = last - 1; j >= 0; j--) {
        above += dspread[1 + j];
        dlog[j] *= above;
    }
}

real wac_belief_std(const wac_belief *p, const real *spread)
{
    real squares = 0;
    for (int n = 0; n < p->spread; n++)
        squares += spread[n] * spread[n];
    return sqrt(squares / (real)p->spread);
}

static const real *out_of(const wac_belief *p, const wac_critic_rows *critics, int k, int row)
{
    return critics->out + (size_t)(k * critics->capacity + row) * (size_t)p->outputs;
}

int wac_belief_smallest(const wac_belief *p, const wac_critic_rows *critics, int row)
{
    int best = 0;
    real smallest = 0;
    for (int k = 0; k < critics->means; k++) {
        const real *out = out_of(p, critics, k, row);
        real bound = out[0];
        for (int j = 1; critics->stds && j < p->outputs; j++)
            bound += p->climb[j - 1] * exp(out[j]);
        if (k == 0 || bound < smallest) {
            smallest = bound;
            best = k;
        }
    }
    return best;
}

/* A spread times a factor, its deviation not above sigma_max. */
static void scale(const wac_belief *p, real factor, real sigma_max, real *spread)
{
    real std = factor * wac_belief_std(p, spread);
    if (std > sigma_max)
        factor *= sigma_max / std;
    for (int n = 0; n < p->spread; n++)
        spread[n] *= factor;
}

void wac_belief_target(const wac_belief *p, const wac_backup *b)
{
    const wac_critic_rows *next = &b->next;
    for (int i = 0; i < next->rows; i++) {
        const real *out = out_of(p, next, wac_belief_smallest(p, next, i), i);
        real *spread = b->std_target + (size_t)i * (size_t)p->spread;
        real going_on = b->discount * (1 - b->terminal[i]);
        b->mean_target[i] = b->reward[i] + going_on * (out[0] - b->alpha * b->log_prob[i]);
        wac_belief_spread(p, out, NULL, spread);
        scale(p, going_on, b->sigma_max, spread);
    }
}

/* (1 / N) sum_n (spread_n - target_n)^2, and weight times its gradient in place of the spread */
static double spread_error(const wac_belief *p, real *spread, const real *target, real weight)
{
    double squares = 0;
    for (int n = 0; n < p->spread; n++) {
        real error = spread[n] - target[n];
        squares += (double)error * (double)error;
        spread[n] = weight * 2 * error / (real)p->spread;
    }
    return squares / p->spread;
}

void wac_belief_error(const wac_belief *p, int rows, int synthetic, const real *out,
                      const real *mean_target, const real *spread_target, const real *anchor,
                      real lambda, real sigma_max, real *scratch, real *dout,
                      wac_belief_sight *seen)
{
    real *spread = scratch, *held = scratch + p->spread;
    size_t outputs = (size_t)p->outputs;
    *seen = (wac_belief_sight){0};
    for (int i = 0; i < rows; i++, out += outputs, dout += outputs) {
        real error = out[0] - mean_target[i];
        seen->loss += (double)error * (double)error / rows;
        seen->mean += (double)out[0] / rows;
        dout[0] = 2 * error / (real)rows;
        wac_belief_spread(p, out, dout + 1, spread);
        seen->std += (double)wac_belief_std(p, spread) / rows;
        seen->spread_loss +=
            spread_error(p, spread, spread_target + (size_t)(i * p->spread), 1 / (real)rows) / rows;
        wac_belief_spread_back(p, spread, dout + 1);
    }
    for (int i = 0; i < synthetic; i++, out += outputs, dout += outputs, anchor += outputs) {
        dout[0] = 0;
        wac_belief_spread(p, anchor, NULL, held);
        scale(p, 1, sigma_max, held);
        wac_belief_spread(p, out, dout + 1, spread);
        seen->std_synthetic += (double)wac_belief_std(p, spread) / synthetic;
        seen->regularisation += spread_error(p, spread, held, lambda / (real)synthetic) / synthetic;
        wac_belief_spread_back(p, spread, dout + 1);
    }
    if (synthetic == 0)
        seen->std_synthetic = NAN;
}

void wac_belief_bound(const wac_belief *p, const wac_critic_rows *critics, const real *weight,
                      real *bound, real *dout)
{
    int outputs = p->outputs;
    for (int i = 0; i < critics->rows; i++) {
        int chosen = wac_belief_smallest(p, critics, i);
        for (int k = 0; k < critics->means; k++) {
            const real *out = out_of(p, critics, k, i);
            real *d = dout + (size_t)(k * critics->capacity + i) * (size_t)outputs;
            bool climbed = k == chosen && critics->stds;
            d[0] = k == chosen ? -weight[i] : 0;
            if (k == chosen)
                bound[i] = out[0];
            for (int j = 1; j < outputs; j++) {
                real part = climbed ? p->climb[j - 1] * exp(out[j]) : 0;
                d[j] = -weight[i] * part;
                if (climbed)
                    bound[i] += part;
            }
        }
    }
}
