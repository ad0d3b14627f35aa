/* Playing episodes. */
#include "run/evaluate.h"

#include "base/status.h"
#include "base/stop.h"

#include <math.h>

wac_status wac_evaluate(wac_evaluation *evaluation, wac_world *world, wac_rng *rng,
                        int64_t most_steps, int64_t most_episodes, wac_act_fn *act, void *user,
                        const volatile int *stop, wac_error *error)
{
    float observation[WAC_ENVIRONMENT_DIMENSIONS], action[WAC_ENVIRONMENT_DIMENSIONS];
    wac_evaluation result = {.smallest_return = INFINITY, .largest_return = -INFINITY};
    int64_t steps = 0, successes = 0;
    double mean = 0, squares = 0; /* Welford's running sums */
    while ((!most_steps || steps < most_steps) &&
           (!most_episodes || result.episodes < most_episodes)) {
        wac_step step = {0};
        double sum = 0;
        bool success = false;
        WAC_TRY(wac_world_reset(world, rng, observation, error));
        while (!step.terminated && !step.truncated && (!most_steps || steps < most_steps)) {
            if (wac_asked_to_stop(stop))
                return wac_fail(error, WAC_STATUS_INTERRUPTED, "interrupted during evaluation");
            act(user, observation, action);
            WAC_TRY(wac_world_step(world, rng, action, observation, &step, error));
            sum += step.reward;
            success |= step.success;
            steps++;
        }
        if (!step.terminated && !step.truncated)
            break;
        result.episodes++;
        result.steps = steps;
        successes += success;
        double difference = sum - mean;
        mean += difference / (double)result.episodes;
        squares += difference * (sum - mean);
        result.smallest_return = fmin(result.smallest_return, sum);
        result.largest_return = fmax(result.largest_return, sum);
    }
    double count = (double)result.episodes;
    bool any = result.episodes > 0;
    if (!any)
        result.smallest_return = result.largest_return = NAN;
    result.mean_return = any ? mean : NAN;
    result.std_return = count > 1 ? sqrt(squares / (count - 1)) : NAN;
    result.success = any && world->spec.has_goal ? (double)successes / count : NAN;
    *evaluation = result;
    return WAC_STATUS_OK;
}
