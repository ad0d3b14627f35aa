/* How long a sweep will take: a moment of each kind of run is measured, the rest is arithmetic.
 * Checkpoints and starts are left out; they are small beside the updates. */
#include "sweep/estimate.h"

#include "base/clock.h"
#include "base/status.h"
#include "config/config.h"
#include "env/world.h"
#include "rl/agent.h"
#include "run/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a run spends its time on, and the seconds that one of each takes. */
typedef enum work { EXPLORE, EVALUATE, UPDATE, WORKS } work;

typedef struct costs {
    double of[WORKS];
} costs;

typedef struct trial {
    wac_agent *agent;
    wac_world *world;
    wac_rng rng;
    float observation[WAC_ENVIRONMENT_DIMENSIONS], next[WAC_ENVIRONMENT_DIMENSIONS];
    float action[WAC_ENVIRONMENT_DIMENSIONS];
} trial;

static wac_status step(trial *trial, bool explores, wac_error *error)
{
    wac_step step;
    if (explores)
        wac_agent_explore(trial->agent, NULL, trial->observation, trial->action);
    else
        wac_agent_act(trial->agent, WAC_POLICY_TARGET, trial->observation, trial->action);
    WAC_TRY(wac_world_step(trial->world, &trial->rng, trial->action, trial->next, &step, error));
    if (explores)
        wac_agent_remember(trial->agent, trial->observation, trial->action, step.reward,
                           trial->next, step.terminated);
    memcpy(trial->observation, trial->next, sizeof trial->next);
    if (step.terminated || step.truncated)
        return wac_world_reset(trial->world, &trial->rng, trial->observation, error);
    return WAC_STATUS_OK;
}

static wac_status do_once(trial *trial, work work, wac_error *error)
{
    wac_losses losses;
    return work == UPDATE ? wac_agent_update(trial->agent, &losses, error)
                          : step(trial, work == EXPLORE, error);
}

/* Seconds of one, from as many as fit into `budget` seconds. */
static wac_status measure(double *seconds, trial *trial, work work, double budget, wac_error *error)
{
    WAC_TRY(do_once(trial, work, error)); /* the first one warms up */
    double start = wac_clock_seconds(), elapsed;
    int count = 0;
    do {
        WAC_TRY(do_once(trial, work, error));
        count++;
        elapsed = wac_clock_seconds() - start;
    } while (elapsed < budget);
    *seconds = elapsed / count;
    return WAC_STATUS_OK;
}

static wac_status measure_all(costs *costs, trial *trial, const wac_config *config,
                              wac_error *error)
{
    const wac_environment_type *type;
    trial->rng = (wac_rng){.seed = (uint64_t)config->seed};
    WAC_TRY(wac_environment_type_find(&type, config->environment, error));
    WAC_TRY(wac_world_create(&trial->world, type, config, error));
    const wac_environment_spec *spec = &trial->world->spec;
    WAC_TRY(wac_agent_create_seats(&trial->agent,
                                   &(wac_agent_plan){.configs = config,
                                                     .seats = 1,
                                                     .observations = spec->observation_size,
                                                     .actions = spec->action_size,
                                                     .states = spec->states,
                                                     .choices = spec->choices,
                                                     .threads = 1,
                                                     .first_cpu = -1},
                                   error));
    WAC_TRY(wac_world_reset(trial->world, &trial->rng, trial->observation, error));
    for (work work = 0; work < WORKS; work++) {
        if (work == UPDATE)
            wac_agent_anchor(trial->agent);
        WAC_TRY(measure(&costs->of[work], trial, work, work == UPDATE ? 0.2 : 0.05, error));
    }
    return WAC_STATUS_OK;
}

static wac_status measure_kind(costs *costs, const wac_config *config, wac_error *error)
{
    trial trial = {0};
    wac_status status = measure_all(costs, &trial, config, error);
    wac_agent_destroy(trial.agent);
    wac_world_destroy(trial.world);
    return status;
}

/* Settings that change how long an update or a step takes. */
static bool takes_time(const wac_setting *setting)
{
#define IS(name) (setting->offset == offsetof(wac_config, name))
    return IS(algorithm) || IS(width) || IS(batch_size) || IS(rho) || IS(backend) ||
           IS(precision) || IS(normalisation) || IS(critics) || IS(subset) || IS(policy_delay) ||
           IS(members) || IS(backup_temperature) || IS(exploration) || IS(models) ||
           IS(quantiles) || IS(posterior) || IS(particles) || IS(trunk) || IS(network) ||
           IS(layers) || IS(blocks) || IS(policy_width) || IS(policy_blocks);
#undef IS
}

bool wac_sweep_is_same_kind(const wac_config *a, const wac_config *b)
{
    return wac_config_compare(a, b, takes_time) == 0;
}

static double rest_of(const wac_config *config, const wac_sweep_item *item, const costs *costs)
{
    double epoch = (double)wac_updates_after(config, config->explore_steps) * costs->of[UPDATE] +
                   (double)config->explore_steps * costs->of[EXPLORE] +
                   (double)config->evaluation_steps * costs->of[EVALUATE];
    double rest = fmax(0, (double)(item->epochs - item->progress.epoch)) * epoch;
    if (item->state == WAC_SWEEP_STATE_NEW)
        rest += (double)config->initial_steps * costs->of[EXPLORE];
    return rest;
}

wac_status wac_sweep_estimate(double *seconds, const wac_sweep *sweep, const wac_sweep_item *items,
                              int workers, wac_error *error)
{
    costs *all = calloc(sweep->count, sizeof *all);
    double *ends = calloc((size_t)workers, sizeof *ends);
    wac_status status = all && ends ? WAC_STATUS_OK : wac_fail_memory(error, "the estimate");
    *seconds = 0;
    for (size_t i = 0; i < sweep->count && status == WAC_STATUS_OK; i++) {
        if (items[i].state == WAC_SWEEP_STATE_DONE || items[i].state == WAC_SWEEP_STATE_FAILED)
            continue;
        size_t like = 0;
        while (like < i &&
               (all[like].of[UPDATE] == 0 ||
                !wac_sweep_is_same_kind(&sweep->runs[like].config, &sweep->runs[i].config)))
            like++;
        if (like < i)
            all[i] = all[like];
        else
            status = measure_kind(&all[i], &sweep->runs[i].config, error);
        /* as the sweep will do it: to the one who is free first */
        int first = 0;
        for (int j = 1; j < workers; j++)
            first = ends[j] < ends[first] ? j : first;
        ends[first] += rest_of(&sweep->runs[i].config, &items[i], &all[i]);
        *seconds = fmax(*seconds, ends[first]);
    }
    free(all);
    free(ends);
    return status;
}
