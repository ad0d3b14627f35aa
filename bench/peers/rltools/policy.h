/* RLtools' export in the clothes of ours, so that the same programs measure both: own.h is the
 * header that wac wrote, whose scaling and recorded rows are used, and nothing else. */
#ifndef POLICY_H
#define POLICY_H

#define OWN_IMPLEMENTATION
#include "own.h"

#define POLICY_ACTIONS OWN_ACTIONS
#define policy_recorded_observations own_recorded_observations

void rltools_act(const float *seen, float *action);

static void policy_act(const float *observation, float *action)
{
    float seen[OWN_OBSERVATIONS];
    for (int i = 0; i < OWN_OBSERVATIONS; i++)
        seen[i] = own_see(observation[i], own_offset[i], own_factor[i]);
    rltools_act(seen, action);
    for (int i = 0; i < OWN_ACTIONS; i++)
        action[i] = own_middle[i] + own_half[i] * action[i];
}

static int policy_self_test(void)
{
    enum { ROWS = sizeof own_recorded_actions / sizeof *own_recorded_actions };
    int wrong = 0;
    for (int r = 0; r < ROWS; r++) {
        float action[OWN_ACTIONS];
        policy_act(own_recorded_observations[r], action);
        for (int i = 0; i < OWN_ACTIONS; i++) {
            float off = action[i] - own_recorded_actions[r][i];
            wrong += !(off < 1e-5f && off > -1e-5f);
        }
    }
    return wrong;
}

#endif
