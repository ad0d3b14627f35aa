/* Recorded updates, replayed. */
#include "verify/update.h"

#include "base/arena.h"
#include "base/number.h"
#include "base/status.h"
#include "config/config.h"
#include "rl/steps.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Everything a check needs to reach. */
typedef struct replay {
    const wac_tensor_file *file;
    wac_agent *agent;
    wac_update_report *report;
    const wac_tolerances *tolerances;
    int step;
    wac_arena arena; /* of what is read */
} replay;

const wac_tolerances *wac_verify_tolerances(wac_precision precision)
{
    static const wac_tolerances tolerances[] = {
        [WAC_PRECISION_SINGLE] = {1e-3, 0.02, 1e-5, 1e-4},
        [WAC_PRECISION_MIXED] = {3e-2, 0.3, 5e-4, 0.5},
        [WAC_PRECISION_TF32] = {1e-2, 0.1, 1e-4, 1e-2},
    };
    return &tolerances[precision];
}

static void judge(wac_worst *worst, double error, double tolerance, const char *name)
{
    double miss = error / tolerance;
    if (isnan(miss))
        miss = INFINITY;
    if (!worst->name[0] || miss > worst->miss) {
        worst->error = error;
        worst->miss = miss;
        snprintf(worst->name, sizeof worst->name, "%s", name);
    }
}

/* A safetensors file of another kind, given by mistake. */
static wac_status refuse_file(const wac_tensor_file *file, const char *missing, wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s is not a recorded update: its metadata has no %s; docs/verify.md describes "
                    "what to record",
                    file->path, missing);
}

/* What a run saves of itself looks much the same, and says what it is. */
static wac_status refuse_checkpoint(const wac_tensor_file *file, wac_error *error)
{
    static const char prefix[] = "wac-checkpoint";
    const char *format = wac_tensor_file_metadata(file, "format");
    if (!format || strncmp(format, prefix, strlen(prefix)) != 0)
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s is a checkpoint of a run, not a recorded update; docs/verify.md describes "
                    "what to record",
                    file->path);
}

static wac_status metadata_size(const wac_tensor_file *file, const char *key, int largest,
                                int *value, wac_error *error)
{
    const char *text = wac_tensor_file_metadata(file, key);
    double number;
    if (!text)
        return refuse_file(file, key, error);
    if (!wac_number_parse(&number, text) || !isfinite(number))
        return wac_fail(error, WAC_STATUS_INPUT, "%s: metadata %s is not a number", file->path,
                        key);
    if (number < 1 || number > largest || number != floor(number))
        return wac_fail(error, WAC_STATUS_INPUT, "%s: metadata %s must be from 1 to %d", file->path,
                        key, largest);
    *value = (int)number;
    return WAC_STATUS_OK;
}

/* Settings that are usual where a recording does not tell them. */
static bool may_be_missing(const wac_setting *setting)
{
    static const size_t offsets[] = {
        offsetof(wac_config, entropy_target), offsetof(wac_config, network),
        offsetof(wac_config, layers),         offsetof(wac_config, blocks),
        offsetof(wac_config, policy_width),   offsetof(wac_config, policy_blocks),
        offsetof(wac_config, weight_decay),   offsetof(wac_config, log_std),
        offsetof(wac_config, optimism)};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        if (setting->offset == offsets[i])
            return true;
    return false;
}

/* The recording's settings as a config, with those of the caller. */
static wac_status read_settings(wac_config *config, const wac_tensor_file *file,
                                const wac_verify_options *options, wac_error *error)
{
    static const char *const settings[][2] = {
        {"discount", "discount"},
        {"target_rate", "target_rate"},
        {"learning_rate", "learning_rate"},
        {"hidden_size", "width"},
        {"batch_size", "batch_size"},
        {"std_learning_rate", "std_learning_rate"},
        {"quantile", "quantile"},
        {"lambda", "lambda"},
        {"reward_min", "reward_min"},
        {"reward_max", "reward_max"},
        {"critics", "critics"},
        {"subset", "subset"},
        {"policy_delay", "policy_delay"},
        {"entropy_target", "entropy_target"},
        {"members", "members"},
        {"backup_temperature", "backup_temperature"},
        {"models", "models"},
        {"model_learning_rate", "model_learning_rate"},
        {"network", "network"},
        {"layers", "layers"},
        {"blocks", "blocks"},
        {"policy_width", "policy_width"},
        {"policy_blocks", "policy_blocks"},
        {"weight_decay", "weight_decay"},
        {"quantiles", "quantiles"},
        {"optimism_low", "optimism_low"},
        {"optimism_high", "optimism_high"},
        {"bandit_rate", "bandit_rate"},
        {"explore_noise", "explore_noise"},
        {"target_noise", "target_noise"},
        {"target_noise_clip", "target_noise_clip"},
        {"log_std", "log_std"},
        {"optimism", "optimism"},
        {"pessimism", "pessimism"},
        {"divergence_weight", "divergence_weight"},
        {"divergence_target", "divergence_target"},
        {"divergence_rate", "divergence_rate"},
        {"optimist_std", "optimist_std"},
    };
    const char *algorithm = wac_tensor_file_metadata(file, "algorithm");
    if (!algorithm)
        return refuse_file(file, "algorithm", error);
    wac_error cause;
    if (wac_config_init(config, "recorded", algorithm, &cause) != WAC_STATUS_OK)
        return wac_fail(error, cause.status, "%s: %s", file->path, cause.message);
    if (config->algorithm >= WAC_ALGORITHM_TABLES)
        return wac_fail(error, WAC_STATUS_INPUT, "%s: %s is a table, which has no updates apart",
                        file->path, algorithm);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const char *value = wac_tensor_file_metadata(file, settings[i][0]);
        const wac_setting *setting;
        WAC_TRY(wac_setting_find(&setting, settings[i][1], error));
        bool usual = !value && may_be_missing(setting);
        if (usual || !wac_config_reads(config, setting))
            continue;
        if (!value)
            return wac_fail(error, WAC_STATUS_INPUT, "%s: its metadata has no %s", file->path,
                            settings[i][0]);
        if (wac_config_set(config, settings[i][1], value, &cause) != WAC_STATUS_OK)
            return wac_fail(error, cause.status, "%s: %s", file->path, cause.message);
    }
    if (wac_algorithm_row_of(config).stds > 0) {
        /* as many synthetic pairs as were recorded, however rho was rounded */
        const wac_tensor *pairs = wac_tensor_file_find(file, "in/step0/synthetic_actions");
        if (!pairs || pairs->rank != 2)
            return wac_fail(error, WAC_STATUS_INPUT, "%s: in/step0/synthetic_actions is missing",
                            file->path);
        config->rho = (double)pairs->shape[0] / (double)config->batch_size;
    }
    config->replay_capacity = 1;
    config->backend = options->backend;
    config->precision = options->precision;
    if (wac_config_check(config, &cause) != WAC_STATUS_OK)
        return wac_fail(error, cause.status, "%s: %s", file->path, cause.message);
    return WAC_STATUS_OK;
}

static wac_status copy_floats(const wac_tensor_file *file, int64_t elements, float *data,
                              const char *folder, const char *name, wac_error *error)
{
    char full[192];
    snprintf(full, sizeof full, "%s%s", folder, name);
    return wac_tensor_file_copy(file, full, WAC_DTYPE_F32, elements, data, error);
}

/* The same into memory of the replay; null on failure. */
static float *read_floats(replay *replay, int64_t elements, const char *folder, const char *name,
                          wac_error *error)
{
    float *data = WAC_TAKE(&replay->arena, float, (size_t)elements);
    if (!data)
        wac_fail_memory(error, name);
    else if (copy_floats(replay->file, elements, data, folder, name, error) != WAC_STATUS_OK)
        return NULL;
    return data;
}

static wac_status set_weights(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    const replay *replay = user;
    return copy_floats(replay->file, wac_agent_tensor_elements(tensor), tensor->data, "in/init/",
                       tensor->name, error);
}

/* of all that learning keeps only the entropy weights and that of the bonus are recorded */
static wac_status set_alphas(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    static const char *const names[] = {"log_alpha", "log_target_alpha"};
    const replay *replay = user;
    if (replay->agent->row->members && strcmp(tensor->name, "log_alpha") == 0)
        return copy_floats(replay->file, tensor->shape[0], tensor->data, "in/init/", names[0],
                           error);
    for (int i = 0; i < tensor->shape[0] && strcmp(tensor->name, "log_alpha") == 0; i++)
        WAC_TRY(
            copy_floats(replay->file, 1, (float *)tensor->data + i, "in/init/", names[i], error));
    if (strcmp(tensor->name, "log_bonus_weight") == 0)
        return copy_floats(replay->file, 1, tensor->data, "in/init/", tensor->name, error);
    return WAC_STATUS_OK;
}

/* synthetic pairs, whose halves were recorded apart */
static wac_status set_pairs(replay *replay, const char *folder, const wac_agent_tensor *tensor,
                            wac_error *error)
{
    int64_t pairs = tensor->shape[0], o = replay->agent->observations, a = replay->agent->actions;
    const float *observations, *actions;
    if (!(observations = read_floats(replay, pairs * o, folder, "synthetic_observations", error)) ||
        !(actions = read_floats(replay, pairs * a, folder, "synthetic_actions", error)))
        return error->status;
    for (int64_t i = 0; i < pairs; i++) {
        float *pair = (float *)tensor->data + i * (o + a);
        memcpy(pair, observations + i * o, (size_t)o * sizeof *pair);
        memcpy(pair + o, actions + i * a, (size_t)a * sizeof *pair);
    }
    return WAC_STATUS_OK;
}

/* the critics that the targets are chosen from, numbered from 0 */
static wac_status set_subset(replay *replay, const char *folder, const wac_agent_tensor *tensor,
                             wac_error *error)
{
    int64_t *subset = tensor->data, count = tensor->shape[0];
    const float *numbers = read_floats(replay, count, folder, tensor->name, error);
    bool good = true;
    for (int64_t i = 0; numbers && i < count; i++) {
        good = good && numbers[i] >= 0 && numbers[i] < (float)replay->agent->row->means &&
               numbers[i] == floorf(numbers[i]);
        subset[i] = good ? (int64_t)numbers[i] : 0;
        for (int64_t k = 0; k < i; k++)
            good = good && subset[k] != subset[i];
    }
    if (!good)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s: %s%s must be different numbers of critics, from 0 to %d",
                        replay->file->path, folder, tensor->name, replay->agent->row->means - 1);
    return numbers ? WAC_STATUS_OK : error->status;
}

/* batch, noise, synthetic pairs and subset of one update */
static wac_status set_drawn(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    replay *replay = user;
    char folder[32];
    snprintf(folder, sizeof folder, "in/step%d/", replay->step);
    if (strcmp(tensor->name, "synthetic") == 0)
        return set_pairs(replay, folder, tensor, error);
    if (strcmp(tensor->name, "subset") == 0)
        return set_subset(replay, folder, tensor, error);
    return copy_floats(replay->file, wac_agent_tensor_elements(tensor), tensor->data, folder,
                       tensor->name, error);
}

/* within 1e-6 counts as equal, whatever the relative error */
static void judge_scalar(const replay *replay, double value, double expected, const char *name)
{
    double difference = fabs(value - expected);
    judge(&replay->report->scalars, difference <= 1e-6 ? 0 : difference / fabs(expected),
          replay->tolerances->scalars, name);
}

static wac_status check_scalar(const replay *replay, const char *name, double value,
                               wac_error *error)
{
    char folder[32], full[128];
    float expected;
    snprintf(folder, sizeof folder, "expect/step%d/", replay->step);
    WAC_TRY(copy_floats(replay->file, 1, &expected, folder, name, error));
    snprintf(full, sizeof full, "step%d/%s", replay->step, name);
    judge_scalar(replay, value, (double)expected, full);
    return WAC_STATUS_OK;
}

/* NAME1, NAME2, … against the numbers of as many critics */
static wac_status check_family(const replay *replay, const char *name, const double *values,
                               int count, wac_error *error)
{
    for (int i = 0; i < count; i++) {
        char full[64];
        snprintf(full, sizeof full, "%s%d", name, i + 1);
        WAC_TRY(check_scalar(replay, full, values[i], error));
    }
    return WAC_STATUS_OK;
}

static wac_status check_losses(const replay *replay, wac_error *error)
{
    const wac_algorithm_row *row = replay->agent->row;
    const wac_seat *seat = replay->agent->seat;
    char name[32];
    snprintf(name, sizeof name, "loss_%s", row->critics);
    WAC_TRY(check_family(replay, name, seat->loss, row->means, error));
    if (row->members) {
        double alphas[WAC_POLICIES_MOST];
        for (int i = 0; i < row->members; i++)
            alphas[i] = (double)seat->alpha[i];
        return check_family(replay, "alpha", alphas, row->members, error);
    }
    if (!row->deterministic)
        WAC_TRY(check_scalar(replay, "alpha", (double)seat->alpha[0], error));
    if (row->policies > 1)
        WAC_TRY(check_scalar(replay, "target_alpha", (double)seat->alpha[1], error));
    WAC_TRY(check_family(replay, "loss_std", seat->loss + row->means, row->stds, error));
    WAC_TRY(check_family(replay, "reg_std", seat->regularisation + row->means, row->stds, error));
    WAC_TRY(check_family(replay, "loss_model", seat->model_loss, row->models, error));
    if (row->optimist) {
        WAC_TRY(check_scalar(replay, "optimism", (double)seat->optimism, error));
        WAC_TRY(check_scalar(replay, "divergence_weight", (double)seat->divergence_weight, error));
    }
    return row->bonus ? check_scalar(replay, "bonus_weight", (double)seat->bonus_weight, error)
                      : WAC_STATUS_OK;
}

/* networks that only follow, or stay: targets of critics, frozen copies, a shadow, random ones */
static bool follows(const char *name)
{
    return strncmp(name, "old_", 4) == 0 || strncmp(name, "slow_", 5) == 0 ||
           strncmp(name, "random/", 7) == 0 ||
           (strncmp(name, "target_", 7) == 0 && strncmp(name, "target_policy", 13) != 0);
}

static wac_status check_weights(void *user, const wac_agent_tensor *tensor, wac_error *error)
{
    replay *replay = user;
    int64_t count = wac_agent_tensor_elements(tensor);
    const float *now = tensor->data, *before, *expected;
    if (!(before = read_floats(replay, count, "in/init/", tensor->name, error)) ||
        !(expected = read_floats(replay, count, "expect/final/", tensor->name, error)))
        return error->status;
    double squares = 0, wanted = 0, largest = 0;
    for (int64_t i = 0; i < count; i++) {
        double difference = (double)now[i] - (double)expected[i];
        double change = (double)expected[i] - (double)before[i];
        squares += difference * difference;
        wanted += change * change;
        largest = isnan(difference) ? INFINITY : fmax(largest, fabs(difference));
    }
    if (follows(tensor->name))
        judge(&replay->report->targets, largest, replay->tolerances->targets, tensor->name);
    else
        judge(&replay->report->weights, squares == 0 ? 0 : sqrt(squares / wanted),
              replay->tolerances->weights, tensor->name);
    return WAC_STATUS_OK;
}

static void judge_action(const replay *replay, const float *action, const float *expected,
                         const char *name)
{
    for (int k = 0; k < replay->agent->actions; k++)
        judge(&replay->report->actions, fabs((double)action[k] - (double)expected[k]),
              replay->tolerances->actions, name);
}

/* Exploration of OAC, SUNRISE, an optimist or a deterministic policy with the final weights, if it
 * was recorded; of the last three what is evaluated, too */
static wac_status check_exploration(replay *replay, wac_error *error)
{
    wac_agent *agent = replay->agent;
    const wac_tensor *recorded = wac_tensor_file_find(replay->file, "in/explore/observations");
    bool oac = agent->row->explore == wac_oac_explore, ensemble = agent->row->members > 0;
    bool optimist = agent->row->optimist, both = ensemble || optimist || agent->row->deterministic;
    if (!recorded || (!oac && !both))
        return WAC_STATUS_OK;
    int64_t rows = recorded->shape[0], o = agent->observations, a = agent->actions;
    int64_t draws = agent->members * a; /* of a row */
    if (recorded->rank != 2 || recorded->shape[1] != o)
        return wac_fail(error, WAC_STATUS_INPUT, "%s: in/explore/observations must have %d columns",
                        replay->file->path, agent->observations);
    const float *beta = NULL, *delta = NULL, *optimism = NULL, *observations, *noise, *expected;
    const float *evaluated = NULL;
    if ((oac && !(beta = read_floats(replay, 1, "in/explore/", "beta_ub", error))) ||
        (oac && !(delta = read_floats(replay, 1, "in/explore/", "delta", error))) ||
        (ensemble && !(optimism = read_floats(replay, 1, "in/explore/", "optimism", error))) ||
        !(observations = read_floats(replay, rows * o, "in/explore/", "observations", error)) ||
        !(noise = read_floats(replay, rows * draws, "in/explore/", "noise", error)) ||
        !(expected = read_floats(replay, rows * a, "expect/explore/", "actions", error)) ||
        (both &&
         !(evaluated = read_floats(replay, rows * a, "expect/evaluate/", "actions", error))))
        return error->status;
    float *action = WAC_TAKE(&replay->arena, float, (size_t)a);
    if (!action)
        return wac_fail_memory(error, "an action");
    for (int64_t i = 0; i < rows; i++) {
        const float *seen = observations + i * o;
        if (oac)
            wac_oac_act(agent, 0, seen, noise + i * draws, (double)*delta, (double)*beta, action);
        else if (ensemble)
            wac_sunrise_act(agent, 0, seen, noise + i * draws, (double)*optimism, action);
        else
            wac_seat_vary(agent, 0, optimist ? WAC_ACT_OPTIMIST : 0, seen, noise + i * draws,
                          action);
        judge_action(replay, action, expected + i * a, "explore/actions");
        if (!both)
            continue;
        wac_agent_act(agent, WAC_POLICY_TARGET, seen, action);
        judge_action(replay, action, evaluated + i * a, "evaluate/actions");
    }
    return WAC_STATUS_OK;
}

/* What a bandit's weights become episode by episode, if it was recorded. */
static wac_status check_bandit(replay *replay, wac_error *error)
{
    const wac_tensor *recorded = wac_tensor_file_find(replay->file, "in/bandit/returns");
    if (!recorded || !replay->agent->row->judge)
        return WAC_STATUS_OK;
    int64_t episodes = recorded->shape[0];
    const float *arms, *returns, *expected;
    if (!(arms = read_floats(replay, episodes, "in/bandit/", "arms", error)) ||
        !(returns = read_floats(replay, episodes, "in/bandit/", "returns", error)) ||
        !(expected = read_floats(replay, 2 * episodes, "expect/bandit/", "weights", error)))
        return error->status;
    wac_bandit bandit = {0};
    for (int64_t i = 0; i < episodes; i++) {
        wac_bandit_feed(&bandit, arms[i] > 0, replay->agent->seat->config.bandit_rate,
                        (double)returns[i]);
        for (int k = 0; k < 2; k++)
            judge_scalar(replay, bandit.weight[k], (double)expected[2 * i + k], "bandit/weights");
    }
    return WAC_STATUS_OK;
}

/* Change a part of the agent's state. */
static wac_status set(wac_agent *agent, wac_state state, wac_agent_visitor *change, replay *replay,
                      wac_error *error)
{
    WAC_TRY(agent->steps->visit(agent, 0, state, change, replay, error));
    agent->steps->settle(agent, 0, state);
    return WAC_STATUS_OK;
}

static wac_status play(replay *replay, wac_error *error)
{
    wac_agent *agent = replay->agent;
    WAC_TRY(set(agent, WAC_STATE_NETWORKS, set_weights, replay, error));
    WAC_TRY(set(agent, WAC_STATE_LEARNING, set_alphas, replay, error));
    for (replay->step = 0; replay->step < replay->report->steps; replay->step++) {
        WAC_TRY(set(agent, WAC_STATE_DRAWN, set_drawn, replay, error));
        agent->row->learn(agent);
        WAC_TRY(check_losses(replay, error));
    }
    WAC_TRY(agent->steps->visit(agent, 0, WAC_STATE_NETWORKS, check_weights, replay, error));
    WAC_TRY(check_exploration(replay, error));
    return check_bandit(replay, error);
}

static wac_status verify(wac_update_report *report, const wac_tensor_file *file,
                         const wac_verify_options *options, wac_error *error)
{
    wac_config config;
    int observations, actions;
    WAC_TRY(refuse_checkpoint(file, error));
    WAC_TRY(read_settings(&config, file, options, error));
    WAC_TRY(metadata_size(file, "observation_size", 4096, &observations, error));
    WAC_TRY(metadata_size(file, "action_size", 4096, &actions, error));
    WAC_TRY(metadata_size(file, "steps", 1000000, &report->steps, error));
    snprintf(report->algorithm, sizeof report->algorithm, "%s",
             wac_algorithm_name((wac_algorithm)config.algorithm));
    replay replay = {
        .file = file, .report = report, .tolerances = wac_verify_tolerances(options->precision)};
    WAC_TRY(wac_agent_create_seats(&replay.agent,
                                   &(wac_agent_plan){.device = options->device,
                                                     .configs = &config,
                                                     .seats = 1,
                                                     .observations = observations,
                                                     .actions = actions,
                                                     .threads = options->threads,
                                                     .first_cpu = -1},
                                   error));
    wac_status status = play(&replay, error);
    wac_arena_release(&replay.arena);
    wac_agent_destroy(replay.agent);
    const wac_worst *all[] = {&report->scalars, &report->weights, &report->targets,
                              &report->actions};
    report->passed = true;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        report->passed &= all[i]->miss <= 1;
    return status;
}

wac_status wac_verify_update(wac_update_report *report, const char *path,
                             const wac_verify_options *options, wac_error *error)
{
    wac_tensor_file *file;
    *report = (wac_update_report){0};
    WAC_TRY(wac_tensor_file_open(&file, path, error));
    wac_status status = verify(report, file, options, error);
    wac_tensor_file_close(file);
    return status;
}
