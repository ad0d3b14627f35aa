/* One update of SAC with random network distillation (Burda, Edwards, Storkey and Klimov, 2018):
 * a model learns what a random network makes of the observations that were seen, and is wrong where
 * few were. Its squared error at the next observation is paid with the reward, at what it is now,
 * not at what it was when the transition was made. The observation alone counts, as in the paper:
 * where an action leads is what is new or not, whatever way was taken. */
#include "rl/bonus.h"
#include "rl/steps.h"

static void surprise(const wac_model_rows *r, real *bonus, real *dout)
{
    for (int i = 0; i < r->rows; i++) {
        bonus[i] = 0;
        for (int j = 0; j < r->outputs; j++) {
            size_t at = (size_t)i * (size_t)r->outputs + (size_t)j;
            real error = r->out[at] - r->target[at];
            bonus[i] += r->share[j] * error * error;
            if (dout)
                dout[at] = 2 * r->share[j] * error;
        }
    }
}

/* inputs cut as in the paper; weights large enough that no layer makes its inputs alike */
const wac_bonus_rule wac_bonus_novelty = {
    .features = 32, .spread = 2.449489742783178, .limit = 5, .bonus = surprise};

void wac_sac_rnd_learn(wac_agent *agent)
{
    const wac_steps *steps = agent->steps;
    steps->appraise(agent);
    wac_sac_learn(agent);
    steps->study(agent);
}
