/* The algorithms. */
#include "rl/algorithms.h"

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
};
static_assert(sizeof rows / sizeof *rows == WAC_ALGORITHM_TOTAL, "an algorithm has no row");

const wac_algorithm_row *wac_algorithm_row_of(int algorithm)
{
    assert((unsigned)algorithm < WAC_ALGORITHM_TOTAL);
    return &rows[algorithm];
}
