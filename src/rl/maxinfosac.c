/* One update of MaxInfoSAC (Sukhija, Coros, Krause, Abbeel and Sferrazza, 2025): SAC that climbs
 * information beside value and entropy. How much a pair would tell models of the world, the
 * information gain log(1 + s^2 / e^2) of an output, is made from their disagreement s and a fixed
 * noise e. In the order of its authors' program the entropy weight and that of the information move
 * last: the update still reads those from before. */
#include "rl/bonus.h"
#include "rl/steps.h"

#include <tgmath.h>

#define NOISE ((real)WAC_INFORMATION_NOISE)

static void inform(const wac_model_rows *r, real *bonus, real *dout)
{
    size_t model = (size_t)r->capacity * (size_t)r->outputs; /* from one to the next */
    for (int i = 0; i < r->rows; i++) {
        bonus[i] = 0;
        for (int j = 0; j < r->outputs; j++) {
            size_t at = (size_t)i * (size_t)r->outputs + (size_t)j;
            real mean = 0, variance = 0;
            for (int m = 0; m < r->models; m++)
                mean += r->out[(size_t)m * model + at] / (real)r->models;
            for (int m = 0; m < r->models; m++) {
                real away = r->out[(size_t)m * model + at] - mean;
                variance += away * away / (real)(r->models - 1);
            }
            bonus[i] += r->share[j] * log1p(variance / NOISE);
            real slope = r->share[j] * 2 / (real)(r->models - 1) / (NOISE + variance);
            for (int m = 0; dout && m < r->models; m++)
                dout[(size_t)m * model + at] = slope * (r->out[(size_t)m * model + at] - mean);
        }
    }
}

const wac_bonus_rule wac_bonus_information = {.spread = 1, .bonus = inform};

void wac_maxinfosac_learn(wac_agent *agent)
{
    const wac_steps *steps = agent->steps;
    steps->sample(agent);
    steps->appraise(agent);
    steps->back_up(agent, 0, 0);
    steps->teach(agent);
    steps->aim(agent, 0, WAC_AIM_MEAN);
    steps->tune(agent);
    steps->climb(agent);
    steps->study(agent);
}
