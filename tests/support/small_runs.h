/* What the tests of runs share: small settings, a world of the tests' own with faults to order, and
 * the comparison of two runs file by file. */
#ifndef WAC_TESTS_SUPPORT_SMALL_RUNS_H
#define WAC_TESTS_SUPPORT_SMALL_RUNS_H

#include "support/folder.h"

#include "base/status.h"
#include "base/tensors.h"
#include "run/folder.h"
#include "wac/wac.h"

#include <math.h>
#include <sys/stat.h>

/* --- a world of our own --------------------------------------------------------------------- */

/* A walk along a line from 0 towards a goal at 1; its settings and faults are the test's. Steps are
 * counted over all worlds together. */
static struct walk_order {
    int observations, actions; /* 0: one each */
    double stride;
    double reward;         /* for each unit walked */
    long step, fault_step; /* the fault strikes at this step and all after it; 0: never */
    wac_status fails;      /* return this … */
    const char *message;   /* … with this message (null: without) */
    double observation;    /* or show this (0: nothing of the kind) … */
    double bad_reward;     /* … or pay this (0: the same) */
    volatile int *stop;    /* or raise this flag */
    bool goalless, no_reset, no_load;
    bool place; /* the first two observations are one */
} walk_order;

static inline wac_status walk_create(void **world, wac_environment_spec *spec,
                                     const wac_config *config, wac_error *failure)
{
    (void)config;
    if (!(*world = calloc(1, sizeof(double))))
        return wac_fail_memory(failure, "the walk");
    *spec = (wac_environment_spec){
        .observation_size = walk_order.observations ? walk_order.observations : 1,
        .action_size = walk_order.actions ? walk_order.actions : 1,
        .state_size = 1,
        .has_goal = !walk_order.goalless,
        .has_place = walk_order.place,
    };
    for (int i = 0; i < WAC_ENVIRONMENT_DIMENSIONS; i++) {
        spec->observation_low[i] = spec->action_low[i] = -1;
        spec->observation_high[i] = spec->action_high[i] = 1;
    }
    return WAC_STATUS_OK;
}

static inline void walk_look(const double *x, double *observation)
{
    int size = walk_order.observations ? walk_order.observations : 1;
    for (int i = 0; i < size; i++)
        observation[i] = *x / (i + 1);
}

static inline wac_status walk_reset(void *world, wac_rng *rng, double *observation,
                                    wac_error *failure)
{
    if (walk_order.no_reset)
        return wac_fail(failure, WAC_STATUS_IO, "the start is blocked");
    *(double *)world = 0.01 * wac_rng_uniform(rng);
    walk_look(world, observation);
    return WAC_STATUS_OK;
}

static inline wac_status walk_step(void *world, wac_rng *rng, const double *action,
                                   double *observation, wac_step *step, wac_error *failure)
{
    double *x = world, before = *x;
    *x = fmax(-1, fmin(1, *x + walk_order.stride * action[0] + 0.01 * wac_rng_normal(rng)));
    step->reward = walk_order.reward * (*x - before);
    step->terminated = step->success = *x >= 1;
    walk_look(x, observation);
    if (walk_order.fault_step && ++walk_order.step >= walk_order.fault_step) {
        if (walk_order.stop)
            *walk_order.stop = 1;
        if (walk_order.observation != 0)
            observation[0] = walk_order.observation;
        if (walk_order.bad_reward != 0)
            step->reward = walk_order.bad_reward;
        if (walk_order.fails && walk_order.message)
            return wac_fail(failure, walk_order.fails, "%s", walk_order.message);
        return walk_order.fails;
    }
    return WAC_STATUS_OK;
}

static inline void walk_save(const void *world, double *state)
{
    *state = *(const double *)world;
}

static inline wac_status walk_load(void *world, const double *state, wac_error *failure)
{
    (void)failure;
    if (walk_order.no_load)
        return WAC_STATUS_INPUT; /* and not a word */
    *(double *)world = *state;
    return WAC_STATUS_OK;
}

static const wac_environment_type walk = {
    .name = "walk",
    .summary = "walk to the goal",
    .create = walk_create,
    .destroy = free,
    .reset = walk_reset,
    .step = walk_step,
    .save = walk_save,
    .load = walk_load,
};

/* --- small runs ----------------------------------------------------------------------------- */

static const char *const algorithms[] = {"oe-wac",  "me-wac",     "sac",     "oac", "redq",
                                         "sunrise", "maxinfosac", "sac-rnd", "top", "bro"};
enum { ALGORITHMS = 10 };

static inline wac_config tiny(const char *environment, const char *algorithm, int64_t epochs)
{
    wac_config config;
    assert_ok(wac_config_init(&config, environment, algorithm, &error));
    config.epochs = epochs;
    config.width = config.batch_size = 16;
    config.initial_steps = 30;
    config.explore_steps = 40;
    config.updates = 15;
    config.evaluation_steps = 60;
    config.path_limit = 25;
    config.replay_capacity = 1000;
    config.policy_delay = 4; /* REDQ's, which ends epochs in the middle of it */
    config.models = 3;
    config.members = 3;
    config.quantiles = 5;
    config.random_steps = 50; /* into the first epoch */
    config.policy_width = 12;
    /* some begin anew */
    config.reset_interval = config.algorithm == WAC_ALGORITHM_BRO ? 11 : 0;
    config.reset_first = config.algorithm == WAC_ALGORITHM_REDQ ? 20 : 0;
    if (config.algorithm == WAC_ALGORITHM_SUNRISE && strcmp(environment, "lqg") == 0)
        config.exploration = WAC_EXPLORATION_SAMPLING;           /* elsewhere by the bound */
    config.keep_best = config.algorithm == WAC_ALGORITHM_ME_WAC; /* some do, some do not */
    return config;
}

static inline const wac_environment_type *type_of(const char *environment)
{
    return strcmp(environment, "walk") == 0 ? &walk : NULL; /* null: the library's own */
}

/* A new run, to its end. */
static inline wac_status train_new(const char *directory, const wac_config *config,
                                   const wac_run_options *options)
{
    wac_run *run;
    memset(&error, 0, sizeof error);
    wac_status status =
        wac_run_create(&run, config, type_of(config->environment), directory, options, &error);
    if (status == WAC_STATUS_OK) {
        status = wac_run_train(run, &error);
        wac_run_destroy(run);
    }
    return status;
}

/* Go on with a run, to its end. */
static inline wac_status train_on(const char *directory, const char *environment,
                                  const wac_run_options *options, int64_t epochs)
{
    wac_run *run;
    memset(&error, 0, sizeof error);
    wac_status status =
        wac_run_resume(&run, directory, type_of(environment), options, epochs, &error);
    if (status == WAC_STATUS_OK) {
        status = wac_run_train(run, &error);
        wac_run_destroy(run);
    }
    return status;
}

static inline wac_run_options with_threads(int threads)
{
    wac_run_options options = wac_run_options_default();
    options.threads = threads;
    return options;
}

static inline wac_manifest manifest_of(const char *directory)
{
    wac_manifest manifest;
    assert_ok(wac_manifest_read(&manifest, directory, &error));
    return manifest;
}

/* What the same update of two agents that are the same tells. */
static inline wac_losses learn_alike(wac_agent *agent, wac_agent *other)
{
    wac_losses losses[2];
    assert_ok(wac_agent_update(agent, &losses[0], &error));
    assert_ok(wac_agent_update(other, &losses[1], &error));
    assert_memory_equal(&losses[0], &losses[1], sizeof losses[0]);
    return losses[0];
}

/* --- comparing runs ------------------------------------------------------------------------- */

/* Cut the column `seconds` out of the text of a progress.csv. */
static inline void forget_seconds(char *text)
{
    enum { SECONDS = 12 };
    int column = 0;
    char *to = text;
    for (const char *from = text; *from; from++) {
        column = *from == '\n' ? 0 : column + (*from == ',');
        if (column != SECONDS)
            *to++ = *from;
    }
    *to = 0;
}

static inline bool same_file(const char *a, const char *b, bool progress)
{
    size_t sizes[2];
    char *bytes[2] = {contents(a, &sizes[0]), contents(b, &sizes[1])};
    if (progress) {
        for (int i = 0; i < 2; i++) {
            forget_seconds(bytes[i]);
            sizes[i] = strlen(bytes[i]);
        }
    }
    bool same = sizes[0] == sizes[1] && memcmp(bytes[0], bytes[1], sizes[0]) == 0;
    free(bytes[0]);
    free(bytes[1]);
    return same;
}

/* Two files of arrays with the same numbers, whatever they note besides. */
static inline bool same_arrays(const char *a, const char *b)
{
    wac_tensor_file *files[2];
    assert_ok(wac_tensor_file_open(&files[0], a, &error));
    assert_ok(wac_tensor_file_open(&files[1], b, &error));
    bool same = files[0]->data_size == files[1]->data_size &&
                memcmp(files[0]->data, files[1]->data, files[0]->data_size) == 0;
    wac_tensor_file_close(files[0]);
    wac_tensor_file_close(files[1]);
    return same;
}

/* The first file in which two runs differ, or null. What a run has no use for counts too. */
static inline const char *difference(const char *a, const char *b)
{
    static const char *const files[] = {"config.yaml",
                                        "progress.csv",
                                        "checkpoint/run.safetensors",
                                        "checkpoint/agent.safetensors",
                                        "checkpoint/replay.safetensors",
                                        "checkpoint/best.safetensors",
                                        "maps.bin"};
    int kept = 4;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char paths[2][PATH_MAX];
        assert_ok(wac_path_join(paths[0], PATH_MAX, a, files[i], &error));
        assert_ok(wac_path_join(paths[1], PATH_MAX, b, files[i], &error));
        bool there[2] = {wac_path_exists(paths[0]), wac_path_exists(paths[1])};
        if (i >= 4 && !there[0] && !there[1])
            continue; /* checkpoints without a replay, or a best agent; runs without maps */
        kept += i == 6;
        if (!there[0] || !there[1] || !same_file(paths[0], paths[1], i == 1))
            return files[i];
    }
    if (entries(a) != kept || entries(b) != kept)
        return "the list of files";
    return NULL;
}

static inline void assert_same_runs(const char *a, const char *b)
{
    const char *file = difference(a, b);
    if (file)
        fail_msg("%s and %s differ in %s", a, b, file);
}

/* --- the folder of a test ------------------------------------------------------------------- */

static inline int setup(void **state)
{
    (void)state;
    walk_order = (struct walk_order){.stride = 0.2, .reward = 1};
    const char *base = getenv("TMPDIR");
    return make_root(base ? base : quick_disk(), "run");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, remove_root)

#endif
