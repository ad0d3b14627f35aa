/* Recorded updates: those that others made, where they are at hand, and some of our own, in which
 * every number must matter and every part must be there. And what the program says of them. */
#include "base/files.h"
#include "nn/cpu/product.h"
#include "rl/host/host.h"
#include "verify/update.h"

#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define RECORDED WAC_SOURCE_DIR "/tests/recorded"

static const char *const algorithms[] = {"oe-wac",  "me-wac",     "sac",     "oac", "redq",
                                         "sunrise", "maxinfosac", "sac-rnd", "top", "bro"};
enum { ALGORITHMS = 10, CRITICS = 3, MEMBERS = 2 }; /* critics: REDQ's; members: SUNRISE's */

static char root[128], path[256];

static int make_root(void **state)
{
    (void)state;
    /* hundreds of files that no disk needs to see */
    const char *base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    snprintf(root, sizeof root, "%s/wac-verify-XXXXXX", base);
    if (!mkdtemp(root))
        return -1;
    snprintf(path, sizeof path, "%s/recording", root);
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    return wac_directory_remove(root, NULL) != WAC_STATUS_OK;
}

/* --- a recording of our own ------------------------------------------------------------------- */

enum { O = 3, A = 2, B = 20, STEPS = 3, EXPLORED = 40, TENSORS = 320, SETTINGS = 36 };
enum { REDQS = 4, FIRST_OF_REDQ = 14 }; /* among the settings */

typedef struct recording {
    size_t count;
    wac_tensor tensors[TENSORS];
    char names[TENSORS][128];
    wac_metadata metadata[SETTINGS];
} recording;

static void add(recording *recording, const float *data, int rows, int columns, const char *format,
                ...) __attribute__((format(printf, 5, 6)));

/* columns 0: a vector */
static void add(recording *recording, const float *data, int rows, int columns, const char *format,
                ...)
{
    size_t index = recording->count++, size = (size_t)(rows * (columns ? columns : 1));
    assert_true(index < TENSORS);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(recording->names[index], sizeof *recording->names, format, arguments);
    va_end(arguments);
    float *copy = calloc(size + 1, sizeof *copy);
    memcpy(copy, data, size * sizeof *copy);
    recording->tensors[index] = (wac_tensor){.name = recording->names[index],
                                             .dtype = WAC_DTYPE_F32,
                                             .rank = columns ? 2 : 1,
                                             .shape = {rows, columns},
                                             .data = copy};
}

static void forget(recording *recording)
{
    for (size_t i = 0; i < recording->count; i++)
        free((void *)recording->tensors[i].data);
    *recording = (struct recording){0};
}

static void write_recording(const recording *recording)
{
    assert_int_equal(wac_tensor_file_write(path, recording->tensors, recording->count,
                                           recording->metadata, SETTINGS, NULL),
                     WAC_STATUS_OK);
}

typedef struct keeper {
    recording *recording;
    const char *folder;
} keeper;

static wac_status keep(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    (void)error;
    keeper *keeper = user;
    add(keeper->recording, tensor->data, (int)tensor->shape[0],
        tensor->rank == 2 ? (int)tensor->shape[1] : 0, "%s%s", keeper->folder, tensor->name);
    return WAC_STATUS_OK;
}

static void fill(wac_rng *rng, float *values, int count, bool normal)
{
    for (int i = 0; i < count; i++)
        values[i] = (float)(normal ? wac_rng_normal(rng) : 2 * wac_rng_uniform(rng) - 1);
}

/* Fresh networks say almost the same of everything; these have opinions. */
static wac_status shake(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    (void)error;
    float *numbers = tensor->data;
    int64_t count = tensor->shape[0] * (tensor->rank == 2 ? tensor->shape[1] : 1);
    for (int64_t i = 0; i < count; i++)
        numbers[i] += 0.2f * (float)wac_rng_normal(user);
    return WAC_STATUS_OK;
}

static void record_step(recording *recording, wac_agent *agent, wac_rng *rng, int step)
{
    wac_desk *desk = wac_host_desk(agent, 0);
    const wac_batch *batch = &desk->batch;
    const wac_seat *seat = agent->seat;
    bool has_std = agent->row->stds > 0;
    int pairs = seat->synthetic, all = agent->members * B;
    float observations[B * O], actions[B * A]; /* of the synthetic pairs; M <= B */
    const struct {
        const char *name;
        float *data;
        int rows, columns;
        bool normal;
    } inputs[] = {
        {"observations", batch->observations, B, O, false},
        {"actions", batch->actions, B, A, false},
        {"rewards", batch->rewards, B, 1, false},
        {"next_observations", batch->next_observations, B, O, false},
        {"terminals", batch->terminals, B, 1, false},
        {"noise_policy", desk->noise, all, A, true},
        {"noise_next", desk->next_noise, all, A, true},
        {"noise_target_policy", desk->noise + B * A, B, A, true}, /* from here WAC's */
        {"synthetic_observations", observations, pairs, O, false},
        {"synthetic_actions", actions, pairs, A, false},
    };
    for (size_t i = 0; i < (has_std ? 10 : 7); i++) {
        if (agent->row->deterministic && inputs[i].data == desk->noise)
            continue;
        fill(rng, inputs[i].data, inputs[i].rows * inputs[i].columns, inputs[i].normal);
        if (inputs[i].data == batch->terminals)
            for (int row = 0; row < B; row++)
                batch->terminals[row] = row % 8 == 0;
        add(recording, inputs[i].data, inputs[i].rows, inputs[i].columns, "in/step%d/%s", step,
            inputs[i].name);
    }
    for (int i = 0; i < pairs; i++) {
        float *pair = desk->pairs + (B + i) * (O + A);
        memcpy(pair, observations + i * O, O * sizeof *pair);
        memcpy(pair + O, actions + i * A, A * sizeof *pair);
    }

    if (agent->row->members) {
        fill(rng, desk->weight_noise, all * A, true);
        add(recording, desk->weight_noise, all, A, "in/step%d/noise_weight", step);
        for (int i = 0; i < all; i++)
            desk->masks[i] = i % 3 != step;
        add(recording, desk->masks, MEMBERS, B, "in/step%d/masks", step);
    }

    float *slow = desk->models.shadow_noise;
    if (slow && desk->shadow.members) {
        fill(rng, slow, B * A, true);
        add(recording, slow, B, A, "in/step%d/noise_slow_policy", step);
    }
    if (agent->row->optimist) {
        fill(rng, desk->optimist.noise, B * A, true);
        add(recording, desk->optimist.noise, B, A, "in/step%d/noise_optimist", step);
    }
    float drawn[CRITICS];
    for (int i = 0; i < agent->row->subset; i++)
        drawn[i] = (float)(desk->subset[i] = (step + 2 * i) % CRITICS);
    if (agent->row->subset)
        add(recording, drawn, agent->row->subset, 0, "in/step%d/subset", step);

    agent->row->learn(agent);
    for (int i = 0; i < agent->row->means; i++)
        add(recording, &(float){(float)seat->loss[i]}, 1, 0, "expect/step%d/loss_%s%d", step,
            agent->row->critics, i + 1);
    for (int i = 0; i < agent->row->models; i++)
        add(recording, &(float){(float)seat->model_loss[i]}, 1, 0, "expect/step%d/loss_model%d",
            step, i + 1);
    if (agent->row->bonus)
        add(recording, &(float){(float)seat->bonus_weight}, 1, 0, "expect/step%d/bonus_weight",
            step);
    if (agent->row->optimist) {
        add(recording, &(float){(float)seat->optimism}, 1, 0, "expect/step%d/optimism", step);
        add(recording, &(float){(float)seat->divergence_weight}, 1, 0,
            "expect/step%d/divergence_weight", step);
    }
    const struct {
        const char *name;
        double value;
    } outputs[] = {
        {"alpha", (double)seat->alpha[0]},     {"target_alpha", (double)seat->alpha[1]},
        {"loss_std1", seat->loss[2]},          {"loss_std2", seat->loss[3]},
        {"reg_std1", seat->regularisation[2]}, {"reg_std2", seat->regularisation[3]},
    };
    for (int i = 0; i < agent->row->members; i++)
        add(recording, &(float){(float)seat->alpha[i]}, 1, 0, "expect/step%d/alpha%d", step, i + 1);
    bool no_alpha = agent->row->members > 0 || agent->row->deterministic;
    for (size_t i = no_alpha; i < (has_std ? 6 : 1); i++)
        add(recording, &(float){(float)outputs[i].value}, 1, 0, "expect/step%d/%s", step,
            outputs[i].name);
}

static void record_exploration(recording *recording, wac_agent *agent, wac_rng *rng)
{
    float observations[EXPLORED * O], noise[EXPLORED * MEMBERS * A], actions[EXPLORED * A];
    float beta = 4, delta = 0.5f, optimism = 0; /* 1 would choose others */
    fill(rng, observations, EXPLORED * O, false);
    fill(rng, noise, EXPLORED * agent->members * A, true);
    add(recording, observations, EXPLORED, O, "in/explore/observations");
    add(recording, noise, EXPLORED * agent->members, A, "in/explore/noise");
    if (agent->row->members) {
        float means[EXPLORED * A];
        for (int i = 0; i < EXPLORED; i++) {
            wac_sunrise_act(agent, 0, observations + i * O, noise + i * MEMBERS * A,
                            (double)optimism, actions + i * A);
            wac_agent_act(agent, WAC_POLICY_TARGET, observations + i * O, means + i * A);
        }
        add(recording, &optimism, 1, 0, "in/explore/optimism");
        add(recording, means, EXPLORED, A, "expect/evaluate/actions");
        add(recording, actions, EXPLORED, A, "expect/explore/actions");
        return;
    }
    if (agent->row->deterministic || agent->row->optimist) {
        float means[EXPLORED * A];
        int actor = agent->row->optimist ? WAC_ACT_OPTIMIST : 0;
        for (int i = 0; i < EXPLORED; i++) {
            wac_seat_vary(agent, 0, actor, observations + i * O, noise + i * A, actions + i * A);
            wac_agent_act(agent, WAC_POLICY_TARGET, observations + i * O, means + i * A);
        }
        add(recording, means, EXPLORED, A, "expect/evaluate/actions");
        add(recording, actions, EXPLORED, A, "expect/explore/actions");
        return;
    }
    for (int i = 0; i < EXPLORED; i++)
        wac_oac_act(agent, 0, observations + i * O, noise + i * A, (double)delta, (double)beta,
                    actions + i * A);
    add(recording, &beta, 1, 0, "in/explore/beta_ub");
    add(recording, &delta, 1, 0, "in/explore/delta");
    add(recording, actions, EXPLORED, A, "expect/explore/actions");
}

static void record_bandit(recording *recording, wac_rng *rng)
{
    enum { EPISODES = 9 };
    float arms[EPISODES], returns[EPISODES], weights[2 * EPISODES];
    wac_bandit bandit = {0};
    for (int i = 0; i < EPISODES; i++) {
        arms[i] = (float)(i * i % 3 == 1);
        returns[i] = (float)wac_rng_normal(rng);
        wac_bandit_feed(&bandit, arms[i] > 0, 0.3, (double)returns[i]);
        for (int k = 0; k < 2; k++)
            weights[2 * i + k] = (float)bandit.weight[k];
    }
    add(recording, arms, EPISODES, 0, "in/bandit/arms");
    add(recording, returns, EPISODES, 0, "in/bandit/returns");
    add(recording, weights, EPISODES, 2, "expect/bandit/weights");
}

static const char *width = "24";

/* A few updates of the reference backend at sizes that nobody else uses. */
static void record(recording *recording, const char *algorithm, int pairs)
{
    wac_config config;
    wac_agent *agent;
    const char *entropy = strcmp(algorithm, "redq") == 0 ? "1" : "-1";
    assert_int_equal(wac_config_init(&config, "recorded", algorithm, NULL), WAC_STATUS_OK);
    config.backend = WAC_BACKEND_REFERENCE;
    config.width = atoi(width);
    config.batch_size = B;
    config.replay_capacity = 1;
    config.rho = (double)pairs / B;
    config.learning_rate = config.std_learning_rate = 0.001;
    config.critics = CRITICS;
    config.policy_delay = 1;
    config.members = MEMBERS;
    config.backup_temperature = 2;
    config.models = 3;
    config.model_learning_rate = 0.002;
    config.entropy_target = atoi(entropy);
    config.quantiles = 4;
    config.optimism_low = config.optimism_high = -0.5;
    config.explore_noise = 0.3;
    config.target_noise = 0.4;
    config.policy_width = 12;
    config.pessimism = 0.3;
    config.divergence_rate = 0.1;
    config.log_std = WAC_LOG_STD_CLAMPED;
    assert_int_equal(wac_agent_create(&agent, &config, O, A, 1, -1, NULL), WAC_STATUS_OK);
    wac_desk *desk = wac_host_desk(agent, 0);
    bool has_std = agent->row->stds > 0;
    assert_int_equal(agent->seat->synthetic, has_std ? pairs : 0);

    const wac_metadata metadata[SETTINGS] = {{"algorithm", algorithm},
                                             {"observation_size", "3"},
                                             {"action_size", "2"},
                                             {"steps", "3"},
                                             {"hidden_size", width},
                                             {"batch_size", "20"},
                                             {"discount", "0.99"},
                                             {"target_rate", "0.005"},
                                             {"learning_rate", "0.001"},
                                             {"std_learning_rate", "0.001"},
                                             {"quantile", "0.95"},
                                             {"lambda", "0.6"},
                                             {"reward_min", "-0.5"},
                                             {"reward_max", "0.5"},
                                             {"critics", "3"},
                                             {"subset", "2"},
                                             {"policy_delay", "1"},
                                             {"entropy_target", entropy},
                                             {"models", "3"},
                                             {"model_learning_rate", "0.002"},
                                             {"members", "2"},
                                             {"backup_temperature", "2"},
                                             {"quantiles", "4"},
                                             {"optimism_low", "-0.5"},
                                             {"optimism_high", "-0.5"},
                                             {"bandit_rate", "0.3"},
                                             {"explore_noise", "0.3"},
                                             {"target_noise", "0.4"},
                                             {"target_noise_clip", "0.5"},
                                             {"policy_width", "12"},
                                             {"pessimism", "0.3"},
                                             {"divergence_weight", "0.25"},
                                             {"divergence_target", "0.05"},
                                             {"divergence_rate", "0.1"},
                                             {"optimist_std", "0.75"},
                                             {"log_std", "clamped"}};
    *recording = (struct recording){0};
    memcpy(recording->metadata, metadata, sizeof metadata);
    desk->entropy.log_alpha[0] = -0.25f;
    if (agent->row->members)
        desk->entropy.log_alpha[1] = 0.25f;
    if (!agent->row->deterministic)
        add(recording, desk->entropy.log_alpha, agent->members, 0, "in/init/log_alpha");
    if (has_std) {
        desk->entropy.log_alpha[1] = 0.5f;
        add(recording, desk->entropy.log_alpha + 1, 1, 0, "in/init/log_target_alpha");
    }
    if (agent->row->bonus) {
        desk->models.weight.log_alpha[0] = -0.75f;
        add(recording, desk->models.weight.log_alpha, 1, 0, "in/init/log_bonus_weight");
    }
    wac_rng rng = {.seed = 7};
    keeper before = {recording, "in/init/"}, after = {recording, "expect/final/"};
    assert_int_equal(agent->steps->visit(agent, 0, WAC_STATE_NETWORKS, shake, &rng, NULL),
                     WAC_STATUS_OK);
    agent->steps->settle(agent, 0, WAC_STATE_NETWORKS);
    assert_int_equal(agent->steps->visit(agent, 0, WAC_STATE_NETWORKS, keep, &before, NULL),
                     WAC_STATUS_OK);
    for (int step = 0; step < STEPS; step++)
        record_step(recording, agent, &rng, step);
    assert_int_equal(agent->steps->visit(agent, 0, WAC_STATE_NETWORKS, keep, &after, NULL),
                     WAC_STATUS_OK);
    if (agent->row->explore || agent->row->deterministic || agent->row->optimist)
        record_exploration(recording, agent, &rng);
    if (agent->row->judge)
        record_bandit(recording, &rng);
    wac_agent_destroy(agent);
}

/* --- updates ---------------------------------------------------------------------------------- */

/* On both backends, at 1 and 2 threads; `own`: the algorithm of a recording from above, or null. */
static void assert_passes(const char *file, const char *own)
{
    for (int i = 0; i < 4; i++) {
        wac_backend_kind backend = i < 2 ? WAC_BACKEND_CPU : WAC_BACKEND_REFERENCE;
        wac_update_report report;
        wac_error error = {0};
        wac_status status = wac_verify_update(
            &report, file, &(wac_verify_options){.backend = backend, .threads = 1 + i % 2}, &error);
        assert_string_equal(error.message, "");
        assert_int_equal(status, WAC_STATUS_OK);
        assert_true(report.passed);
        if (!own)
            continue;
        assert_string_equal(report.algorithm, own);
        assert_int_equal(report.steps, STEPS);
        bool explores = strcmp(own, "oac") == 0 || strcmp(own, "sunrise") == 0 ||
                        strcmp(own, "top") == 0 || strcmp(own, "bro") == 0;
        assert_int_equal(report.actions.name[0] != 0, explores);
        /* the backend that recorded finds itself to the bit */
        if (backend == WAC_BACKEND_REFERENCE)
            assert_true(report.weights.error == 0 && report.targets.error == 0);
    }
}

static void own_updates_pass(void **state)
{
    (void)state;
    static recording made;
    for (size_t i = 0; i < 2 * ALGORITHMS + 2; i++) {
        const char *algorithm = algorithms[i % ALGORITHMS];
        record(&made, algorithm, i < ALGORITHMS ? 7 : i < 2 * ALGORITHMS ? B : 0);
        write_recording(&made);
        assert_passes(path, algorithm);
        forget(&made);
    }
}

/* One number in the middle of a tensor, or all of a batch, in which one alone has little weight. */
static void change(const wac_tensor *tensor, bool back)
{
    static float former[2048];
    size_t size = (size_t)wac_tensor_elements(tensor);
    bool batch = strncmp(tensor->name, "in/step", 7) == 0;
    bool expected = strncmp(tensor->name, "expect", 6) == 0;
    bool flags = strstr(tensor->name, "/terminals") || strstr(tensor->name, "/masks") ||
                 strstr(tensor->name, "/arms");
    bool critics = strstr(tensor->name, "/subset");
    float *numbers = (float *)tensor->data;
    assert_true(size <= sizeof former / sizeof *former);
    if (back) {
        memcpy(numbers, former, size * sizeof *numbers);
        return;
    }
    memcpy(former, numbers, size * sizeof *numbers);
    for (size_t i = batch ? 0 : size / 2; i < (batch ? size : size / 2 + 1); i++)
        numbers[i] = flags      ? 1 - numbers[i]
                     : critics  ? fmodf(numbers[i] + 1, CRITICS)
                     : expected ? 1.02f * numbers[i] + 0.02f
                                : numbers[i] + 1;
}

static void every_number_of_an_update_matters(void **state)
{
    (void)state;
    static recording made;
    for (size_t i = 0; i < ALGORITHMS; i++) {
        record(&made, algorithms[i], 7);
        for (size_t k = 0; k < made.count; k++) {
            const char *name = made.names[k];
            wac_update_report report;
            change(&made.tensors[k], false);
            write_recording(&made);
            assert_int_equal(
                wac_verify_update(&report, path, &(wac_verify_options){.threads = 1}, NULL),
                WAC_STATUS_OK);
            change(&made.tensors[k], true);
            if (report.passed)
                fail_msg("%s: %s was changed and nobody noticed", algorithms[i], name);
            if (strncmp(name, "expect", 6) == 0) {
                /* the very tensor is named */
                const wac_worst *all[] = {&report.scalars, &report.weights, &report.targets,
                                          &report.actions};
                bool named = false;
                for (int w = 0; w < 4; w++)
                    named |= all[w]->miss > 1 && strstr(name, all[w]->name);
                if (!named)
                    fail_msg("%s: %s is not named", algorithms[i], name);
            }
        }
        forget(&made);
    }
}

/* What numbers of 16 bits make is not what was recorded, but within tolerances of its own; wrong
 * rewards are beyond these, too. */
static void mixed_updates_pass(void **state)
{
    (void)state;
    static recording made;
    const wac_verify_options mixed = {.precision = WAC_PRECISION_MIXED, .threads = 1};
    const wac_tolerances *narrow = wac_verify_tolerances(WAC_PRECISION_SINGLE);
    if (wac_mixed_missing()) {
        print_message("no %s here: skipped\n", wac_mixed_missing());
        skip();
    }
    width = "32"; /* those that fill no panel stay in single precision */
    for (size_t i = 0; i < 4; i++) {
        wac_update_report report;
        record(&made, algorithms[i], 7);
        write_recording(&made);
        assert_int_equal(wac_verify_update(&report, path, &mixed, NULL), WAC_STATUS_OK);
        assert_true(report.passed);
        assert_true(report.weights.error > narrow->weights);
        for (size_t k = 0; k < made.count; k++) {
            if (!strstr(made.names[k], "/rewards"))
                continue;
            change(&made.tensors[k], false);
            write_recording(&made);
            change(&made.tensors[k], true);
            assert_int_equal(wac_verify_update(&report, path, &mixed, NULL), WAC_STATUS_OK);
            if (report.passed)
                fail_msg("%s: %s was changed and nobody noticed", algorithms[i], made.names[k]);
        }
        forget(&made);
    }
    width = "24";
}

static void not_a_number_is_a_miss(void **state)
{
    (void)state;
    static recording made;
    record(&made, "oe-wac", 7);
    for (size_t k = 0; k < made.count; k++) {
        if (strncmp(made.names[k], "expect", 6) != 0)
            continue;
        float *number = (float *)made.tensors[k].data, former = *number;
        wac_update_report report;
        *number = NAN;
        write_recording(&made);
        assert_int_equal(
            wac_verify_update(&report, path, &(wac_verify_options){.threads = 1}, NULL),
            WAC_STATUS_OK);
        assert_false(report.passed);
        *number = former;
    }
    forget(&made);
}

static void assert_refused(const char *fragment)
{
    wac_update_report report;
    wac_error error = {0};
    assert_int_equal(wac_verify_update(&report, path, &(wac_verify_options){.threads = 1}, &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "recording"));
    if (!strstr(error.message, fragment))
        fail_msg("\"%s\" does not mention \"%s\"", error.message, fragment);
}

static void every_part_of_an_update_is_needed(void **state)
{
    (void)state;
    static recording made;
    /* these have all there is */
    static const char *const rich[] = {"oe-wac",     "oac",     "redq", "sunrise",
                                       "maxinfosac", "sac-rnd", "top",  "bro"};
    for (size_t i = 0; i < sizeof rich / sizeof *rich; i++) {
        record(&made, rich[i], 7);
        for (size_t k = 0; k < made.count; k++) {
            if (strcmp(made.names[k], "in/explore/observations") == 0 ||
                strcmp(made.names[k], "in/bandit/returns") == 0)
                continue; /* without it nothing was explored, or chosen */
            wac_tensor missing = made.tensors[k];
            made.tensors[k] = made.tensors[--made.count];
            write_recording(&made);
            assert_refused(missing.name);
            made.tensors[made.count++] = made.tensors[k];
            made.tensors[k] = missing;
            /* nor may it be of another size */
            made.tensors[k].shape[0]--;
            write_recording(&made);
            assert_refused(strstr(missing.name, "synthetic") ? "synthetic" : missing.name);
            made.tensors[k] = missing;
        }
        forget(&made);
    }
}

static void bad_metadata_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *key, *value, *fragment;
    } rows[] = {
        {"algorithm", "ppo", "ppo"},           {"observation_size", "x", "observation_size"},
        {"action_size", "0", "action_size"},   {"steps", "1.5", "steps"},
        {"steps", "4", "in/step3/"},           {"hidden_size", "1e9", "width"},
        {"batch_size", "-1", "batch_size"},    {"batch_size", "19", "in/step0/observations"},
        {"discount", "2", "discount"},         {"lambda", "nan", "lambda"},
        {"reward_max", "-0.5", "reward_max"},  {"quantile", "", "quantile"},
        {"observation_size", "4", "in/init/"}, {"algorithm", "sac", "in/init/policy"},
    };
    static recording made;
    record(&made, "oe-wac", 7);
    for (size_t i = 0; i < FIRST_OF_REDQ; i++) {
        wac_metadata former = made.metadata[i];
        made.metadata[i].key = "comment";
        write_recording(&made);
        assert_refused(former.key);
        made.metadata[i] = former;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            if (strcmp(rows[k].key, former.key) != 0)
                continue;
            made.metadata[i].value = rows[k].value;
            write_recording(&made);
            assert_refused(rows[k].fragment);
            made.metadata[i] = former;
        }
    }

    /* cut short anywhere, it is refused too */
    char *bytes;
    size_t size;
    write_recording(&made);
    assert_int_equal(wac_file_read(&bytes, &size, path, 1 << 24, NULL), WAC_STATUS_OK);
    for (size_t length = 0; length < size; length += length < 16 ? 1 : size / 24) {
        assert_int_equal(wac_file_write(path, bytes, length, NULL), WAC_STATUS_OK);
        assert_refused("");
    }
    free(bytes);
    forget(&made);
}

/* What only REDQ has; without an entropy target it is that of all others. */
static void bad_subsets_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t setting;
        const char *value, *fragment;
    } rows[] = {{FIRST_OF_REDQ, "33", "critics must be"},
                {FIRST_OF_REDQ, "4", "in/init/q4/"},
                {FIRST_OF_REDQ + 1, "4", "subset (4) must not be larger than critics (3)"},
                {FIRST_OF_REDQ + 1, "3", "in/step0/subset"},
                {FIRST_OF_REDQ + 2, "0", "policy_delay must be"},
                {FIRST_OF_REDQ + 3, "x", "entropy_target must be"}};
    static const float drawn[][2] = {{1, 1}, {0, 3}, {-1, 0}, {0.5f, 1}, {NAN, 0}};
    static recording made;
    record(&made, "redq", 7);
    for (size_t i = 0; i < REDQS - 1; i++) {
        wac_metadata *setting = &made.metadata[FIRST_OF_REDQ + i], former = *setting;
        setting->key = "comment";
        write_recording(&made);
        assert_refused(former.key);
        *setting = former;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_metadata former = made.metadata[rows[i].setting];
        made.metadata[rows[i].setting].value = rows[i].value;
        write_recording(&made);
        assert_refused(rows[i].fragment);
        made.metadata[rows[i].setting] = former;
    }
    for (size_t k = 0; k < made.count; k++)
        for (size_t i = 0; strstr(made.names[k], "/subset") && i < 5; i++) {
            float former[2];
            memcpy(former, made.tensors[k].data, sizeof former);
            memcpy((float *)made.tensors[k].data, drawn[i], sizeof former);
            write_recording(&made);
            assert_refused("must be different numbers of critics, from 0 to 2");
            memcpy((float *)made.tensors[k].data, former, sizeof former);
        }
    made.metadata[FIRST_OF_REDQ + 3].key = "comment";
    write_recording(&made);
    wac_update_report report;
    assert_int_equal(wac_verify_update(&report, path, &(wac_verify_options){.threads = 1}, NULL),
                     WAC_STATUS_OK);
    assert_false(report.passed); /* it was another */
    forget(&made);
}

static void recorded_updates_pass(void **state)
{
    (void)state;
    glob_t files;
    assert_int_equal(glob(RECORDED "/*.safetensors", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++)
        assert_passes(files.gl_pathv[i], NULL);
    globfree(&files);
}

/* --- the program ------------------------------------------------------------------------------ */

static void assert_program(int status, const char *fragment, const char *arguments)
{
    char command[1024], output[4096];
    snprintf(command, sizeof command, "cd %s && %s verify %s 2>&1", root, WAC_PROGRAM, arguments);
    FILE *program = popen(command, "r");
    assert_non_null(program);
    output[fread(output, 1, sizeof output - 1, program)] = 0;
    int exit = pclose(program);
    if (!WIFEXITED(exit) || WEXITSTATUS(exit) != status || !strstr(output, fragment))
        fail_msg("wac verify %s: \"%s\" and status %d", arguments, output, WEXITSTATUS(exit));
}

static void program_says_what_it_found(void **state)
{
    (void)state;
    static recording made;
    static const char chances[] = "a,p_minus,p_zero,p_plus\n0.5,0.1,0.75,0.15\n0,0.2,0.9,0\n";
    snprintf(path, sizeof path, "%s/chances.csv", root);
    assert_int_equal(wac_file_write(path, chances, sizeof chances - 1, NULL), WAC_STATUS_OK);
    snprintf(path, sizeof path, "%s/bad", root);
    record(&made, "oac", 0);
    *(float *)made.tensors[made.count - 1].data += 0.01f;
    write_recording(&made);
    snprintf(path, sizeof path, "%s/recording", root);
    *(float *)made.tensors[made.count - 1].data -= 0.01f;
    write_recording(&made);
    forget(&made);

    assert_program(0, "  ok\n", "update recording --backend reference --threads 2");
    assert_program(1, "MISS explore/actions\n", "update recording bad");
    assert_program(0, "  1e-03    2e-02    1e-05    1e-04", "update recording");
    assert_program(0, "  1e-02    1e-01    1e-04    1e-02", "update recording --precision tf32");
    assert_program(1, "are for backend cpu",
                   "update recording --precision mixed --backend reference");
    /* a file that is not there stops nobody */
    assert_program(1, "1 of 3 files within tolerance", "update absent bad recording");
    assert_program(1, "cannot read absent", "update absent");
    assert_program(1, "chances.csv", "update chances.csv");
    assert_program(1, "MISS p_minus on line 3", "env riverswim chances.csv");
    assert_program(1, "that could be steps (i,x,a,v,u,x_next,reward,obs_next)",
                   "env lqg chances.csv");
    assert_program(2, "update or env", "");
    assert_program(2, "did you mean \"update\"", "updates recording");
    assert_program(2, "which files", "update");
    assert_program(2, "which environment", "env");
    assert_program(2, "which files", "env lqg");
    assert_program(2, "did you mean \"lqg\"", "env lgq chances.csv");
    assert_program(2, "cpu or reference", "update recording --backend gpu");
    assert_program(2, "--threads", "update recording --threads 0");
    assert_program(2, "--backend is for updates", "env lqg chances.csv --backend cpu");
    assert_program(2, "--device is for updates", "env lqg chances.csv --device cpu");
    assert_program(2, "--precision is for updates", "env lqg chances.csv --precision tf32");
    assert_program(2, "single, mixed or tf32", "update recording --precision half");
    assert_program(2, "unknown flag", "update recording --thread 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_updates_pass),
        cmocka_unit_test(every_number_of_an_update_matters),
        cmocka_unit_test(mixed_updates_pass),
        cmocka_unit_test(not_a_number_is_a_miss),
        cmocka_unit_test(every_part_of_an_update_is_needed),
        cmocka_unit_test(bad_metadata_is_refused),
        cmocka_unit_test(bad_subsets_are_refused),
        cmocka_unit_test(recorded_updates_pass),
        cmocka_unit_test(program_says_what_it_found),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
