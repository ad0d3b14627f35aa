/* A world in use: the agent's view of an environment.
 *
 * Observations are mapped linearly from the declared bounds to [-1, 1] and clipped (under another
 * normalisation they pass as they are, and if it is running the agent scales them), actions the
 * other way; steps are counted against the path limit. Reaching it truncates the episode, which is
 * not the end of the world: the two stay apart all the way into replay.
 */
#ifndef WAC_ENV_WORLD_H
#define WAC_ENV_WORLD_H

#include "wac/env.h"

/* The share of episodes that reach their goal from which on a world is called solved. */
#define WAC_GOAL_SOLVED 0.9

typedef struct wac_world {
    const wac_environment_type *type;
    void *self;
    wac_environment_spec spec;
    bool raw; /* observations pass as they are */
    int64_t path_limit;
    int64_t steps; /* of this episode */
    double raw_observation[WAC_ENVIRONMENT_DIMENSIONS];
    double raw_action[WAC_ENVIRONMENT_DIMENSIONS];
} wac_world;

wac_status wac_world_create(wac_world **world, const wac_environment_type *type,
                            const wac_config *config, wac_error *error);
void wac_world_destroy(wac_world *world);

/* observation: [observation_size], action: [action_size], both in [-1, 1] (raw ones apart) */
wac_status wac_world_reset(wac_world *world, wac_rng *rng, float *observation, wac_error *error);

/* The action of the step to come, to worlds that step together: before any of them does. */
void wac_world_send(wac_world *world, const float *action);
wac_status wac_world_step(wac_world *world, wac_rng *rng, const float *action, float *observation,
                          wac_step *step, wac_error *error);

/* state: [state_size]. Load puts the world where save found it, so many steps into an episode. */
void wac_world_save(const wac_world *world, double *state);
wac_status wac_world_load(wac_world *world, const double *state, int64_t steps, wac_error *error);

/* What of whose world this thread is in the middle of: should it crash there, the program can say
 * so. Null: nothing. */
typedef struct wac_world_moment {
    const char *type, *function;
} wac_world_moment;

wac_world_moment wac_world_now(void);
void wac_world_enter(const char *type, const char *function);
void wac_world_leave(void);

/* A type's `save` and `load` where the whole state is one double, the first member of `self`. */
void wac_single_save(const void *self, double *state);
wac_status wac_single_load(void *self, const double *state, wac_error *error);

/* Refuses a state that is not finite. */
wac_status wac_state_check(const double *state, int size, wac_error *error);

/* The two mappings by themselves, for one entry with its bounds: a value of the world to [-1, 1],
 * and an action of the agent (clipped to [-1, 1]) to the world's units. NaN stays NaN. */
double wac_world_normalise(double value, double low, double high);
double wac_world_action(double action, double low, double high);

#endif
