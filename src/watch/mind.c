/* Asking a checkpoint. It is opened again when there is a new one, without its replay. */
#include "watch/mind.h"

#include "base/rng.h"
#include "base/status.h"
#include "config/environments.h"
#include "rl/steps.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void wac_mind_free(wac_mind *mind)
{
    wac_run_destroy(mind->run);
    mind->run = NULL;
}

wac_status wac_mind_turn(wac_mind *mind, const wac_watched *watched, wac_error *error)
{
    const char *environment = watched->config.environment;
    if (mind->run && mind->saved == watched->saved && strcmp(mind->path, watched->path) == 0)
        return WAC_STATUS_OK;
    wac_mind_free(mind);
    if (wac_environment_is_plugin(environment) || wac_environment_is_guest(environment))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "the world of this run is a program of its own, which a page does not run");
    WAC_TRY(wac_run_peek(&mind->run, watched->path, error));
    snprintf(mind->path, sizeof mind->path, "%s", watched->path);
    mind->saved = watched->saved;
    return WAC_STATUS_OK;
}

/* The middle of what an observation can be. */
static double middle_of(const wac_world *world, int i)
{
    double low = world->spec.observation_low[i], high = world->spec.observation_high[i];
    return isfinite(low) && isfinite(high) ? (low + high) / 2 : 0;
}

void wac_mind_ask(wac_thought *thought, wac_mind *mind, double x, double y)
{
    wac_run *run = mind->run;
    const wac_map_shape shape = wac_map_shape_of(run);
    double observation[WAC_ENVIRONMENT_DIMENSIONS];
    for (int i = 0; i < run->world->spec.observation_size; i++)
        observation[i] = middle_of(run->world, i);
    observation[0] = x;
    if (shape.is_place)
        observation[1] = y;
    for (int role = 0; role < WAC_POLICY_TOTAL; role++)
        wac_run_act(run, (wac_policy_role)role, observation, thought->actions[role]);
    wac_run_value(run, observation,
                  shape.is_place ? thought->actions[WAC_POLICY_BEHAVIOUR] : (double[]){y},
                  &thought->mean, &thought->std);
    thought->upper = thought->mean + shape.kappa * thought->std;
}

wac_status wac_mind_play(wac_episode *episode, wac_mind *mind, wac_policy_role role, int64_t seed,
                         int i, int j, wac_eye_fn *eye, void *user, wac_error *error)
{
    wac_run *run = mind->run;
    wac_world *world = run->evaluation_world;
    float observation[WAC_ENVIRONMENT_DIMENSIONS], action[WAC_ENVIRONMENT_DIMENSIONS];
    bool has_pairs = wac_world_grid(world).cells[0] && !world->spec.has_place;
    wac_rng worlds = wac_rng_make((uint64_t)seed, WAC_STREAM_REPLAYED);
    wac_rng actions = wac_rng_make((uint64_t)seed, WAC_STREAM_EXPLORE);
    wac_step step = {0};
    *episode = (wac_episode){0};
    WAC_TRY(wac_world_reset(world, &worlds, observation, error));
    while (episode->points < WAC_EPISODE_POINTS) {
        float *point = episode->at[episode->points++];
        point[0] = (float)world->raw_observation[i];
        point[1] = has_pairs ? 0 : (float)world->raw_observation[j];
        if (eye)
            eye(user, world);
        if (step.terminated || step.truncated)
            break;
        if (role == WAC_POLICY_BEHAVIOUR)
            wac_seat_explore(run->agent, run->seat, &actions, observation, action);
        else
            wac_seat_act(run->agent, run->seat, role, observation, action);
        if (has_pairs)
            point[1] = (float)wac_world_action((double)action[0], world->spec.action_low[0],
                                               world->spec.action_high[0]);
        step = (wac_step){0};
        WAC_TRY(wac_world_step(world, &worlds, action, observation, &step, error));
        episode->sum += step.reward;
        episode->success |= step.success;
    }
    /* a pair that was never chosen: the state in which it ended */
    if (has_pairs && episode->points > 1 && (step.terminated || step.truncated))
        episode->points--;
    return WAC_STATUS_OK;
}

/* What an episode of the target policy sees: bounds of two observations, and all of them half-way.
 */
static wac_status look_around(wac_plane *plane, float *seen, wac_mind *mind, int i, int j,
                              wac_error *error)
{
    static wac_episode episode; /* under the lock of whoever asks */
    wac_run *run = mind->run;
    for (int axis = 0; axis < 2; axis++) {
        plane->low[axis] = INFINITY;
        plane->high[axis] = -INFINITY;
    }
    for (int role = WAC_POLICY_BEHAVIOUR; role <= WAC_POLICY_TARGET; role++) {
        WAC_TRY(wac_mind_play(&episode, mind, (wac_policy_role)role, 0, i, j, NULL, NULL, error));
        for (int k = 0; k < episode.points; k++)
            for (int axis = 0; axis < 2; axis++) {
                plane->low[axis] = fmin(plane->low[axis], (double)episode.at[k][axis]);
                plane->high[axis] = fmax(plane->high[axis], (double)episode.at[k][axis]);
            }
    }
    for (int axis = 0; axis < 2; axis++) {
        double room = fmax(0.25 * (plane->high[axis] - plane->low[axis]), 1e-3);
        plane->low[axis] -= room;
        plane->high[axis] += room;
    }
    /* half-way once more */
    wac_world *world = run->evaluation_world;
    float action[WAC_ENVIRONMENT_DIMENSIONS];
    wac_rng worlds = wac_rng_make(0, WAC_STREAM_REPLAYED);
    wac_step step = {0};
    WAC_TRY(wac_world_reset(world, &worlds, seen, error));
    for (int k = 0; k < episode.points / 2 && !step.terminated && !step.truncated; k++) {
        wac_seat_act(run->agent, run->seat, WAC_POLICY_TARGET, seen, action);
        step = (wac_step){0};
        WAC_TRY(wac_world_step(world, &worlds, action, seen, &step, error));
    }
    return WAC_STATUS_OK;
}

wac_status wac_mind_survey(wac_plane *plane, wac_mind *mind, int i, int j, wac_error *error)
{
    enum { SIDE = WAC_PLANE_SIDE, WIDEST = WAC_ENVIRONMENT_DIMENSIONS };
    wac_run *run = mind->run;
    const wac_environment_spec *spec = &run->world->spec;
    float seen[WIDEST], action[WIDEST];
    if (i >= spec->observation_size || j >= spec->observation_size)
        return wac_fail(error, WAC_STATUS_INPUT, "this world has %d observations",
                        spec->observation_size);
    WAC_TRY(look_around(plane, seen, mind, i, j, error));
    bool has_std = wac_agent_has_std(run->agent);
    for (int cell = 0; cell < SIDE * SIDE; cell++) {
        const int entries[2] = {i, j}, at[2] = {cell / SIDE, cell % SIDE};
        for (int axis = 0; axis < 2; axis++) {
            int entry = entries[axis];
            double value = wac_cell_middle(at[axis], SIDE, plane->low[axis], plane->high[axis]);
            seen[entry] =
                (float)(run->world->raw ? value
                                        : wac_world_normalise(value, spec->observation_low[entry],
                                                              spec->observation_high[entry]));
        }
        wac_seat_act(run->agent, run->seat, WAC_POLICY_BEHAVIOUR, seen, action);
        plane->std[cell] = NAN;
        run->agent->steps->value(run->agent, run->seat, 1, seen, action, &plane->mean[cell],
                                 has_std ? &plane->std[cell] : NULL);
    }
    return WAC_STATUS_OK;
}
