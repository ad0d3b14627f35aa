/* The algorithms. */
#include "rl/algorithms.h"

#include "nn/adam.h"
#include "rl/bonus.h"
#include "rl/table/table.h"

#include <assert.h>

static const wac_algorithm_row rows[] = {
    [WAC_ALGORITHM_OE_WAC] =
        {.policies = 2, .means = 2, .stds = 2, .critics = "mean", .learn = wac_oe_wac_learn},
    [WAC_ALGORITHM_ME_WAC] =
        {.policies = 2, .means = 2, .stds = 2, .critics = "mean", .learn = wac_me_wac_learn},
    [WAC_ALGORITHM_SAC] = {.policies = 1, .means = 2, .critics = "q", .learn = wac_sac_learn},
    [WAC_ALGORITHM_OAC] = {.policies = 1,
                           .means = 2,
                           .critics = "q",
                           .learn = wac_sac_learn,
                           .explore = wac_oac_explore},
    [WAC_ALGORITHM_REDQ] = {.policies = 1, .critics = "q", .learn = wac_redq_learn},
    [WAC_ALGORITHM_SUNRISE] = {.policies = 1,
                               .means = 2,
                               .critics = "q",
                               .learn = wac_sunrise_learn,
                               .explore = wac_sunrise_explore},
    [WAC_ALGORITHM_MAXINFOSAC] = {.policies = 1,
                                  .means = 2,
                                  .critics = "q",
                                  .shadow = true,
                                  .bonus = &wac_bonus_information,
                                  .learn = wac_maxinfosac_learn},
    [WAC_ALGORITHM_SAC_RND] = {.policies = 1,
                               .means = 2,
                               .critics = "q",
                               .models = 1,
                               .bonus = &wac_bonus_novelty,
                               .learn = wac_sac_rnd_learn},
    [WAC_ALGORITHM_TOP] = {.policies = 1,
                           .deterministic = true,
                           .shadow = true,
                           .means = 2,
                           .lag = true,
                           .critics = "q",
                           .learn = wac_top_learn,
                           .judge = wac_top_judge},
    [WAC_ALGORITHM_BRO] = {.policies = 1,
                           .means = 2,
                           .population = true,
                           .optimist = true,
                           .momentum = 0.5,
                           .critics = "q",
                           .learn = wac_bro_learn},
    [WAC_ALGORITHM_SIMBA] = {.policies = 1, .means = 2, .critics = "q", .learn = wac_sac_learn},
    [WAC_ALGORITHM_WQL] = {.policies = 1, .means = 1, .stds = 1, .table = &wac_rule_wql},
    [WAC_ALGORITHM_Q_LEARNING] = {.policies = 1, .means = 1, .table = &wac_rule_q_learning},
    [WAC_ALGORITHM_DELAYED_Q] = {.policies = 1, .means = 1, .table = &wac_rule_delayed_q},
    [WAC_ALGORITHM_BOOTSTRAPPED_Q] = {.policies = 1,
                                      .means = 1,
                                      .stds = 1,
                                      .table = &wac_rule_bootstrapped_q},
};
static_assert(sizeof rows / sizeof *rows == WAC_ALGORITHM_TOTAL, "an algorithm has no row");

wac_algorithm_row wac_algorithm_row_of(const wac_config *config)
{
    assert((unsigned)config->algorithm < WAC_ALGORITHM_TOTAL);
    wac_algorithm_row row = rows[config->algorithm];
    if (WAC_FOR_REDQ >> config->algorithm & 1u) {
        row.means = (int)config->critics;
        row.subset = (int)config->subset;
    }
    if ((WAC_FOR_REDQ | WAC_FOR_TOP) >> config->algorithm & 1u)
        row.delay = (int)config->policy_delay;
    if (WAC_FOR_QUANTILES >> config->algorithm & 1u)
        row.quantiles = (int)config->quantiles;
    if (WAC_FOR_SUNRISE >> config->algorithm & 1u) {
        row.members = (int)config->members;
        row.means *= row.members;
    }
    if (WAC_FOR_MAXINFOSAC >> config->algorithm & 1u)
        row.models = (int)config->models;
    if (WAC_FOR_WAC >> config->algorithm & 1u) {
        bool particles = config->posterior == WAC_POSTERIOR_PARTICLES;
        row.shared = particles || config->trunk == WAC_TRUNK_SHARED;
        row.particles = particles ? (int)config->particles : 0;
        row.critics = row.shared ? "posterior" : row.critics;
    }
    return row;
}

int wac_row_outputs(const wac_algorithm_row *row)
{
    if (!row->shared)
        return row->quantiles ? row->quantiles : 1;
    return row->particles ? row->particles : 2;
}

int wac_row_heads(const wac_algorithm_row *row, int actions)
{
    return row->deterministic ? actions : 2 * actions;
}

double wac_row_momentum(const wac_algorithm_row *row)
{
    return row->momentum > 0 ? row->momentum : WAC_ADAM_BETA1;
}

int wac_row_critics(const wac_algorithm_row *row)
{
    return row->means + (row->shared ? 0 : row->stds);
}
