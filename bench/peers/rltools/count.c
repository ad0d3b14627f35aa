/* An action for each of the recorded rows, for callgrind to count. */
#define POLICY_IMPLEMENTATION
#include "policy.h"

__attribute__((noinline)) static void measured(const float *observation, float *action)
{
    policy_act(observation, action);
}

int main(void)
{
    enum { ROWS = sizeof policy_recorded_observations / sizeof *policy_recorded_observations };
    volatile float sum = 0;
    for (int r = 0; r < ROWS; r++) {
        float action[POLICY_ACTIONS];
        measured(policy_recorded_observations[r], action);
        sum += action[0];
    }
    return policy_self_test() != 0;
}
