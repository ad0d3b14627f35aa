/* A control loop: read the sensor, ask the policy, move the actuator, a thousand times a second.
 * The plant is that of the environment lqg, a point on a line that is pushed to the origin; put
 * your own sensor and actuator in the place of the two functions. */
#define _POSIX_C_SOURCE 200809L

#define POLICY_IMPLEMENTATION
#include "policy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* this plant has one observation and one action: export a policy of lqg */
typedef char policy_fits[POLICY_OBSERVATIONS == 1 && POLICY_ACTIONS == 1 ? 1 : -1];

/* --- the plant: x' = x + u + noise ------------------------------------------------------------ */

static double x = 3;

static double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += rand() / (RAND_MAX + 1.0);
    return sum;
}

static void read_sensor(float *observation)
{
    observation[0] = (float)x;
}

static void move_actuator(const float *action)
{
    x = fmax(-4, fmin(4, x + (double)action[0] + 0.5 * normal()));
}

/* --- the loop --------------------------------------------------------------------------------- */

static double seconds_since(const struct timespec *moment)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - moment->tv_sec) + 1e-9 * (double)(now.tv_nsec - moment->tv_nsec);
}

int main(void)
{
    enum { STEPS = 300, PERIOD = 1000000 }; /* nanoseconds */
    struct timespec next;
    double longest = 0, squares = 0;
    if (policy_self_test() != 0) {
        fprintf(stderr, "the policy does not do what was recorded; nothing is moved\n");
        return 1;
    }
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (int step = 0; step < STEPS; step++) {
        float observation[POLICY_OBSERVATIONS], action[POLICY_ACTIONS];
        struct timespec start;
        read_sensor(observation);
        clock_gettime(CLOCK_MONOTONIC, &start);
        policy_act(observation, action);
        longest = fmax(longest, seconds_since(&start));
        move_actuator(action);
        squares += x * x;
        next.tv_nsec += PERIOD;
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    printf("%d steps, root mean square distance %.2f, longest decision %.0f microseconds\n", STEPS,
           sqrt(squares / STEPS), 1e6 * longest);
    return 0;
}
