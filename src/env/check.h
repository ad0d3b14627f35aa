/* Looking for the usual mistakes in a world, whoever made it.
 *
 * Episodes of chosen actions are played with the world's own functions, then played again, in other
 * worlds, after other episodes, beside other worlds and from saved states: the same generator and
 * actions must give the same bytes. Notes are for what may be meant; mistakes cannot be.
 */
#ifndef WAC_ENV_CHECK_H
#define WAC_ENV_CHECK_H

#include "wac/env.h"

typedef enum wac_verdict {
    WAC_VERDICT_FINE,
    WAC_VERDICT_NOTE,
    WAC_VERDICT_MISTAKE,
    WAC_VERDICT_OPEN, /* could not be looked at, because of another mistake */
} wac_verdict;

/* What is looked at, in this order. */
#define WAC_CHECKS(X)                                                                              \
    X(STEPS, "steps")     /* no function fails */                                                  \
    X(SIZES, "sizes")     /* all that was declared is written, and nothing else */                 \
    X(NUMBERS, "numbers") /* are finite */                                                         \
    X(BOUNDS, "bounds")   /* of observations are kept */                                           \
    X(SEED, "seed")       /* all chance comes from the generator */                                \
    X(RESET, "reset")     /* leaves nothing over */                                                \
    X(APART, "apart")     /* worlds do not disturb each other */                                   \
    X(STATE, "state")     /* save and load are exact */                                            \
    X(ENDS, "ends")       /* terminated, truncated, success */                                     \
    X(REWARDS, "rewards") /* are within the prior */

#define WAC_CHECK_VALUE(value, word) WAC_CHECK_##value,
typedef enum wac_check_subject { WAC_CHECKS(WAC_CHECK_VALUE) WAC_CHECK_TOTAL } wac_check_subject;

typedef struct wac_finding {
    const char *subject; /* "sizes" */
    wac_verdict verdict;
    char text[1024]; /* what was found, and the way out; one sentence */
} wac_finding;

typedef struct wac_check {
    wac_environment_spec spec;
    int64_t steps, episodes; /* of the first tour */
    int64_t random_episodes; /* those among them in which every action was drawn anew … */
    double random_return;    /* … and what they brought on average */
    wac_finding findings[WAC_CHECK_TOTAL];
} wac_check;

/* At least one episode, and no new one after so many steps. Fails where the world cannot be made,
 * or for want of memory; what is wrong with a world that can be made stands in the findings. */
wac_status wac_check_world(wac_check *check, const wac_environment_type *type,
                           const wac_config *config, int64_t steps, wac_error *error);

int wac_check_count(const wac_check *check, wac_verdict verdict);

#endif
