/* What a step of the mazes costs through our interface, beside the bare engine on the same model,
 * and what exploration costs beside the updates of an epoch. All in one run: rounds alternate,
 * medians and their spread are printed. */
#include "base/clock.h"
#include "base/number.h"
#include "env/world.h"
#include "wac/wac.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 9, STEPS = 10000, HOLD = 20 };

typedef struct summary {
    double median, low, high; /* quartiles */
} summary;

static summary summarise(double values[ROUNDS])
{
    wac_sort(values, ROUNDS);
    return (summary){values[ROUNDS / 2], values[ROUNDS / 4], values[ROUNDS - 1 - ROUNDS / 4]};
}

static void check(wac_status status, const wac_error *error)
{
    if (status != WAC_STATUS_OK) {
        fprintf(stderr, "%s\n", error->message);
        exit(1);
    }
}

/* actions held for a while, the same for both */
static void choose(wac_rng *rng, int step, float action[2])
{
    if (step % HOLD == 0)
        for (int i = 0; i < 2; i++)
            action[i] = (float)(2 * wac_rng_uniform(rng) - 1);
}

static double time_ours(wac_world *world)
{
    wac_rng actions = {.seed = 1}, rng = {.seed = 2};
    wac_error error;
    float observation[4], action[2] = {0, 0};
    check(wac_world_reset(world, &rng, observation, &error), &error);
    double start = wac_clock_seconds();
    for (int step = 0; step < STEPS; step++) {
        wac_step result;
        choose(&actions, step, action);
        check(wac_world_step(world, &rng, action, observation, &result, &error), &error);
        if (result.terminated || result.truncated)
            check(wac_world_reset(world, &rng, observation, &error), &error);
    }
    return (wac_clock_seconds() - start) / STEPS;
}

static void clip(mjtNum *value, double low, double high)
{
    *value = *value < low ? low : *value > high ? high : *value;
}

/* the engine alone, kept within the same bounds so that it meets the same walls */
static double time_bare(const mjModel *model, mjData *data)
{
    wac_rng actions = {.seed = 1};
    float action[2] = {0, 0};
    mj_resetData(model, data);
    double start = wac_clock_seconds();
    for (int step = 0; step < STEPS; step++) {
        choose(&actions, step, action);
        data->ctrl[0] = (double)action[0];
        data->ctrl[1] = (double)action[1];
        mj_step(model, data);
        clip(&data->qpos[0], 0, 25);
        clip(&data->qpos[1], -9.7, 9.7);
        clip(&data->qvel[0], -50, 50);
        clip(&data->qvel[1], -50, 50);
        data->qpos[2] = data->qvel[2] = 0;
        mj_forward(model, data);
        if (step % 300 == 299)
            mj_resetData(model, data);
    }
    return (wac_clock_seconds() - start) / STEPS;
}

static void bench_map(int map)
{
    char name[16], path[256], reason[256];
    wac_config config;
    wac_error error;
    wac_world *world;
    const wac_environment_type *type;
    snprintf(name, sizeof name, "point-%d", map);
    snprintf(path, sizeof path, WAC_SOURCE_DIR "/models/point%d.xml", map);
    check(wac_config_init(&config, name, NULL, &error), &error);
    check(wac_environment_type_find(&type, name, &error), &error);
    check(wac_world_create(&world, type, &config, &error), &error);
    mjModel *model = mj_loadXML(path, NULL, reason, sizeof reason);
    mjData *data = model ? mj_makeData(model) : NULL;
    if (!data) {
        fprintf(stderr, "%s: %s\n", path, reason);
        exit(1);
    }
    double ours[ROUNDS], ratios[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        ours[round] = time_ours(world);
        ratios[round] = ours[round] / time_bare(model, data);
    }
    summary time = summarise(ours), ratio = summarise(ratios);
    printf("%s  %7.0f steps/s   %.2f times the bare engine's time (%.2f to %.2f)\n", name,
           1 / time.median, ratio.median, ratio.low, ratio.high);
    mj_deleteData(data);
    mj_deleteModel(model);
    wac_world_destroy(world);
}

/* an epoch is as many steps of exploration as updates */
static void bench_exploration(const char *algorithm)
{
    enum { EXPLORED = 1000, UPDATED = 60 };
    wac_config config;
    wac_error error;
    wac_world *world;
    wac_agent *agent;
    wac_losses losses;
    const wac_environment_type *type;
    check(wac_config_init(&config, "point-1", algorithm, &error), &error);
    check(wac_environment_type_find(&type, "point-1", &error), &error);
    check(wac_world_create(&world, type, &config, &error), &error);
    check(wac_agent_create(&agent, &config, 4, 2, 1, -1, &error), &error);
    wac_rng rng = {.seed = 1};
    float observation[4], next[4], action[2];
    check(wac_world_reset(world, &rng, observation, &error), &error);
    double shares[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double start = wac_clock_seconds();
        for (int i = 0; i < EXPLORED; i++) {
            wac_step step;
            wac_agent_explore(agent, NULL, observation, action);
            check(wac_world_step(world, &rng, action, next, &step, &error), &error);
            wac_agent_remember(agent, observation, action, step.reward, next, step.terminated);
            for (int k = 0; k < 4; k++)
                observation[k] = next[k];
            if (step.terminated || step.truncated)
                check(wac_world_reset(world, &rng, observation, &error), &error);
        }
        double middle = wac_clock_seconds();
        for (int i = 0; i < UPDATED; i++)
            check(wac_agent_update(agent, &losses, &error), &error);
        double explore = (middle - start) / EXPLORED,
               update = (wac_clock_seconds() - middle) / UPDATED;
        shares[round] = explore / (explore + update);
    }
    summary share = summarise(shares);
    printf("%-7s exploration with the policy: %.2f %% of an epoch (%.2f to %.2f)\n", algorithm,
           100 * share.median, 100 * share.low, 100 * share.high);
    wac_agent_destroy(agent);
    wac_world_destroy(world);
}

int main(void)
{
    for (int map = 1; map <= 4; map++)
        bench_map(map);
    const char *const algorithms[] = {"oe-wac", "sac", "oac"};
    for (int i = 0; i < 3; i++)
        bench_exploration(algorithms[i]);
    return 0;
}
