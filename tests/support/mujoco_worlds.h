/* What the tests of the MuJoCo worlds share. */
#ifndef WAC_TESTS_SUPPORT_MUJOCO_WORLDS_H
#define WAC_TESTS_SUPPORT_MUJOCO_WORLDS_H

#include "base/files.h"
#include "base/rng.h"
#include "env/mujoco/engine.h"
#include "env/world.h"
#include "verify/env.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define RECORDINGS WAC_SOURCE_DIR "/../shared/env"

enum { MOST = 64 }; /* observations, actions, states */

static inline wac_world *make_world(const char *name)
{
    const wac_environment_type *type;
    wac_config config;
    wac_world *world;
    wac_error error = {0};
    assert_int_equal(wac_environment_type_find(&type, name, NULL), WAC_STATUS_OK);
    assert_int_equal(wac_config_init(&config, name, NULL, NULL), WAC_STATUS_OK);
    if (wac_world_create(&world, type, &config, &error))
        fail_msg("%s", error.message);
    assert_true(world->spec.state_size <= MOST);
    return world;
}

/* Without an episode's first step: put the world into this state. */
static inline void start_at(wac_world *world, const double *qpos, const double *qvel)
{
    world->steps = 0;
    assert_int_equal(wac_mujoco_start(world->self, qpos, qvel, NULL), WAC_STATUS_OK);
}

static inline wac_step step(wac_world *world, const float *action)
{
    float observation[MOST];
    wac_step step;
    wac_error error = {0};
    if (wac_world_step(world, NULL, action, observation, &step, &error))
        fail_msg("%s", error.message);
    return step;
}

/* An action for step t, never the same for long. */
static inline const float *wobble(const wac_world *world, int t)
{
    static float action[MOST];
    for (int i = 0; i < world->spec.action_size; i++)
        action[i] = (float)((t / 3 * 7 + i * 5) % 17 - 8) / 8;
    return action;
}

/* From here on, a world that is loaded with the state of this one does the same to the byte. `name`
 * is the environment's. */
static inline void assert_named_goes_on_alike(wac_world *world, const char *name, int steps)
{
    wac_world *other = make_world(name);
    double state[MOST], other_state[MOST];
    size_t size = (size_t)world->spec.state_size * sizeof *state;
    wac_rng rng = wac_rng_make(9, WAC_STREAM_WORLD);
    float observation[MOST];
    /* it has been elsewhere before */
    assert_int_equal(wac_world_reset(other, &rng, observation, NULL), WAC_STATUS_OK);
    for (int t = 0; t < 20; t++)
        step(other, wobble(world, t));
    world->type->save(world->self, state);
    assert_int_equal(wac_world_load(other, state, world->steps, NULL), WAC_STATUS_OK);
    other->type->save(other->self, other_state);
    assert_memory_equal(state, other_state, size);
    for (int t = 0; t < steps; t++) {
        wac_step one = step(world, wobble(world, t)), two = step(other, wobble(world, t));
        assert_memory_equal(&one.reward, &two.reward, sizeof one.reward);
        assert_int_equal(one.terminated, two.terminated);
        assert_memory_equal(world->raw_observation, other->raw_observation,
                            sizeof world->raw_observation);
        world->type->save(world->self, state);
        other->type->save(other->self, other_state);
        assert_memory_equal(state, other_state, size);
    }
    wac_world_destroy(other);
}

static inline void assert_goes_on_alike(wac_world *world, int steps)
{
    assert_named_goes_on_alike(world, world->type->name, steps);
}

/* Huge numbers and NaN stop a world until it is reset; the engine leaves no log behind. */
static inline void assert_divergence_stops(const char *name)
{
    wac_world *world = make_world(name);
    wac_rng rng = wac_rng_make(5, WAC_STREAM_WORLD);
    const wac_mujoco *mujoco = world->self;
    float observation[MOST], action[MOST] = {0};
    double state[MOST], raw[MOST] = {0}, bad[] = {1e11, NAN, -INFINITY};
    wac_step result;
    wac_error error = {0};
    assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
    step(world, action);
    for (int i = 0; i < 3; i++) {
        /* time, positions, velocities */
        world->type->save(world->self, state);
        assert_int_equal(wac_world_load(world, state, 6, NULL), WAC_STATUS_OK);
        state[1 + mujoco->positions] = mujoco->qvel[0] = bad[i];
        if (!isfinite(bad[i]))
            assert_int_equal(wac_world_load(world, state, 6, NULL), WAC_STATUS_INPUT);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(wac_world_step(world, &rng, action, observation, &result, &error),
                             WAC_STATUS_NUMERIC);
            assert_non_null(strstr(error.message, name));
            assert_non_null(strstr(error.message, again ? "step 8" : "step 7"));
            assert_non_null(strstr(error.message, "MuJoCo warns: "));
            assert_non_null(strstr(error.message, "QVEL"));
        }
        assert_int_equal(wac_world_reset(world, &rng, observation, NULL), WAC_STATUS_OK);
        step(world, action);
    }

    /* an action that is no number: not from the agent's side, nor from below */
    action[1] = NAN;
    assert_int_equal(wac_world_step(world, &rng, action, observation, &result, &error),
                     WAC_STATUS_NUMERIC);
    assert_non_null(strstr(error.message, "action 1 is not a number at step 2"));
    raw[1] = NAN;
    assert_int_equal(
        world->type->step(world->self, &rng, raw, world->raw_observation, &result, &error),
        WAC_STATUS_NUMERIC);
    assert_non_null(strstr(error.message, "CTRL"));
    assert_false(wac_path_exists("MUJOCO_LOG.TXT"));
    wac_world_destroy(world);
}

/* Every recording of this environment, whose files begin with `stem`. */
static inline void assert_recordings_pass(const char *name, const char *stem, int expected)
{
    static const char *const folders[] = {RECORDINGS "/traj", RECORDINGS "/steps"};
    const wac_environment_type *type;
    assert_int_equal(wac_environment_type_find(&type, name, NULL), WAC_STATUS_OK);
    if (!wac_path_exists(RECORDINGS)) {
        print_message("no recordings in " RECORDINGS ": skipped\n");
        skip();
    }
    int count = 0;
    for (int i = 0; i < 2; i++) {
        DIR *folder = opendir(folders[i]);
        assert_non_null(folder);
        for (struct dirent *entry; (entry = readdir(folder));) {
            size_t length = strlen(entry->d_name);
            char path[PATH_MAX];
            wac_env_report report;
            wac_error error = {0};
            if (strncmp(entry->d_name, stem, strlen(stem)) != 0 ||
                strcmp(entry->d_name + length - 4, ".csv") != 0)
                continue;
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            if (wac_verify_env(&report, type, path, &error))
                fail_msg("%s", error.message);
            if (!report.passed)
                fail_msg("%s: %s is off by %g", path, report.column, report.error);
            assert_string_equal(report.kind, i ? "steps" : "run");
            count++;
        }
        closedir(folder);
    }
    assert_int_equal(count, expected);
}

/* --- recordings of our own -----------------------------------------------------------------------
 */

/* A table in the making. Columns from `first_result` on are results. */
typedef struct table {
    const char *environment, *header, *start; /* the JSON file; null: none */
    int columns, rows, first_result;
    double cells[4][MOST];
} table;

static inline wac_status verify_table(wac_env_report *report, const table *table, wac_error *error)
{
    const wac_environment_type *type;
    char folder[] = "/tmp/test_mujoco.XXXXXX", csv[64], json[64], text[8192];
    assert_non_null(mkdtemp(folder));
    snprintf(csv, sizeof csv, "%s/table.csv", folder);
    snprintf(json, sizeof json, "%s/table.json", folder);
    size_t used = (size_t)snprintf(text, sizeof text, "%s\n", table->header);
    for (int row = 0; row < table->rows; row++)
        for (int i = 0; i < table->columns; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%.17g%c",
                                     table->cells[row][i], i + 1 < table->columns ? ',' : '\n');
    assert_true(used < sizeof text);
    assert_int_equal(wac_file_write(csv, text, used, NULL), WAC_STATUS_OK);
    if (table->start)
        assert_int_equal(wac_file_write(json, table->start, strlen(table->start), NULL), 0);
    assert_int_equal(wac_environment_type_find(&type, table->environment, NULL), WAC_STATUS_OK);
    wac_status status = wac_verify_env(report, type, csv, error);
    assert_int_equal(wac_directory_remove(folder, NULL), WAC_STATUS_OK);
    return status;
}

/* The table passes, and no longer when any of its results is off by more than 1e-9. */
static inline void assert_every_result_matters(const table *right)
{
    wac_env_report report;
    wac_error error = {0};
    if (verify_table(&report, right, &error))
        fail_msg("%s", error.message);
    assert_true(report.passed && report.error < 1e-12 && report.tolerance == 1e-9);
    assert_int_equal(report.rows, right->rows);
    for (int row = 0; row < right->rows; row++)
        for (int column = right->first_result; column < right->columns; column++) {
            table wrong = *right;
            wrong.cells[row][column] += 3e-9;
            assert_int_equal(verify_table(&report, &wrong, &error), WAC_STATUS_OK);
            assert_false(report.passed);
            assert_int_equal(report.row, row);
            const char *name = right->header;
            for (int i = 0; i < column; i++)
                name = strchr(name, ',') + 1;
            assert_memory_equal(report.column, name, strcspn(name, ","));
        }
}

/* A start that can not be used is refused with these words. */
static inline void assert_start_is_refused(const table *run, const char *start, const char *words)
{
    wac_env_report report;
    wac_error error = {0};
    table wrong = *run;
    wrong.start = start;
    assert_int_not_equal(verify_table(&report, &wrong, &error), WAC_STATUS_OK);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

#endif
