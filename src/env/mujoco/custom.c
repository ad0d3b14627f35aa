/* A task made of a model and its recipe: observe, act for some frames, add up the reward's terms.
 */
#include "env/mujoco/custom.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/share.h"
#include "base/status.h"
#include "base/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_RECIPE = 64 * 1024, LARGEST_MODEL = 64 * 1024 * 1024 };

/* --- model and recipe ------------------------------------------------------------------------- */

/* The model's path from the environment's name. */
static wac_status find_model(char model[PATH_MAX], const char *environment, wac_error *error)
{
    size_t prefix = strlen(WAC_CUSTOM_PREFIX), length = strlen(environment);
    if (wac_word_index(WAC_TASK_NAMES, environment) >= 0) {
        char name[sizeof((wac_config *)NULL)->environment + 4];
        snprintf(name, sizeof name, "%s.xml", environment);
        return wac_share_find(model, PATH_MAX, "models", "WAC_MODELS", "model file", name, error);
    }
    if (!wac_environment_is_model(environment) || length <= prefix + 4 ||
        strcmp(environment + length - 4, ".xml") != 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "environment %s names no model file; write " WAC_CUSTOM_PREFIX "FILE.xml",
                        environment);
    snprintf(model, PATH_MAX, "%s", environment + prefix);
    return WAC_STATUS_OK;
}

/* The recipe's path, beside the model. */
static void find_recipe(char recipe[PATH_MAX], const char *model)
{
    snprintf(recipe, PATH_MAX, "%.*s.yaml", (int)strlen(model) - 4, model);
}

bool wac_custom_has_no_recipe(const char *environment)
{
    char model[PATH_MAX], recipe[PATH_MAX];
    if (!wac_environment_is_model(environment) ||
        find_model(model, environment, NULL) != WAC_STATUS_OK || !wac_path_exists(model))
        return false;
    find_recipe(recipe, model);
    return !wac_path_exists(recipe);
}

static wac_status refuse_missing(const char *what, const char *path, const char *advice,
                                 wac_error *error)
{
    char folder[PATH_MAX];
    if (*path == '/' || !getcwd(folder, sizeof folder))
        return wac_fail(error, WAC_STATUS_INPUT, "there is no %s %s%s", what, path, advice);
    return wac_fail(error, WAC_STATUS_INPUT, "there is no %s %s in %.400s%s", what, path, folder,
                    advice);
}

static wac_status open_model(wac_custom *self, uint64_t *hash, wac_error *error)
{
    const wac_mujoco *mujoco = &self->mujoco;
    char *text;
    size_t size;
    WAC_TRY(wac_mujoco_check(error));
    if (!wac_path_exists(self->path))
        return refuse_missing("model file", self->path,
                              "; a relative path counts from where the program is started", error);
    WAC_TRY(wac_file_read(&text, &size, self->path, LARGEST_MODEL, error));
    *hash = wac_hash(*hash, text, size);
    free(text);
    WAC_TRY(wac_mujoco_open_file(&self->mujoco, self->path, error));
    if (mujoco->controls == 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s has no actuators, so there is nothing to learn; add some to its "
                        "<actuator> section",
                        self->path);
    if (wac_mujoco_is_noisy(mujoco))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s has the flag sensornoise, whose random numbers no seed governs; remove "
                        "it",
                        self->path);
    return WAC_STATUS_OK;
}

static wac_status open_recipe(wac_custom *self, const char *file, uint64_t *hash, wac_error *error)
{
    char *text;
    size_t size;
    if (!wac_path_exists(file))
        return refuse_missing("recipe", file,
                              "; it says what to observe and reward: docs/own-models.md", error);
    WAC_TRY(wac_file_read(&text, &size, file, LARGEST_RECIPE, error));
    *hash = wac_hash(*hash, text, size);
    wac_status status = wac_recipe_parse(&self->recipe, text, size, file, error);
    free(text);
    WAC_TRY(status);
    WAC_TRY(wac_quantity_keyframe(&self->key, &self->recipe, &self->mujoco, file, error));
    for (int list = 0; list < WAC_RECIPE_LISTS; list++)
        for (int i = 0; i < self->recipe.counts[list]; i++) {
            wac_quantity *quantity = &self->quantities[list][i];
            WAC_TRY(wac_quantity_find(quantity, &self->recipe.lists[list][i], &self->mujoco, file,
                                      error));
            self->looks_further |=
                quantity->what >= WAC_WHAT_SENSOR && quantity->what != WAC_WHAT_BONUS;
        }
    return WAC_STATUS_OK;
}

/* --- the spec --------------------------------------------------------------------------------- */

static wac_status declare_actions(const wac_custom *self, wac_environment_spec *spec,
                                  wac_error *error)
{
    spec->action_size = self->mujoco.controls;
    if (spec->action_size > WAC_ENVIRONMENT_DIMENSIONS)
        return wac_fail(error, WAC_STATUS_INPUT, "%s has %d actuators, and %d are the most",
                        self->path, spec->action_size, WAC_ENVIRONMENT_DIMENSIONS);
    for (int i = 0; i < spec->action_size; i++) {
        double *low = &spec->action_low[i], *high = &spec->action_high[i];
        const char *name = wac_mujoco_name(&self->mujoco, WAC_MUJOCO_CONTROL, i);
        if (!wac_mujoco_control_range(&self->mujoco, i, low, high))
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s: actuator %d (%.64s) has no limits, and an agent needs to know how "
                            "far it may go; give it ctrllimited=\"true\" ctrlrange=\"-1 1\" or the "
                            "like",
                            self->path, i, *name ? name : "without a name");
    }
    return WAC_STATUS_OK;
}

static wac_status declare_observations(const wac_custom *self, wac_environment_spec *spec,
                                       wac_error *error)
{
    const wac_recipe *recipe = &self->recipe;
    for (int i = 0; i < recipe->counts[WAC_RECIPE_OBSERVATION]; i++) {
        const wac_recipe_entry *entry = &recipe->lists[WAC_RECIPE_OBSERVATION][i];
        int count = self->quantities[WAC_RECIPE_OBSERVATION][i].count;
        if (spec->observation_size + count > WAC_ENVIRONMENT_DIMENSIONS)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s: its recipe observes more than %d values; choose fewer", self->path,
                            WAC_ENVIRONMENT_DIMENSIONS);
        for (int k = 0; k < count; k++) {
            spec->observation_low[spec->observation_size] = entry->numbers[WAC_RECIPE_LOW];
            spec->observation_high[spec->observation_size++] = entry->numbers[WAC_RECIPE_HIGH];
        }
    }
    return WAC_STATUS_OK;
}

static wac_status prepare(wac_custom *self, wac_environment_spec *spec, const wac_config *config,
                          wac_error *error)
{
    char recipe[PATH_MAX];
    uint64_t hash = WAC_HASH_START;
    WAC_TRY(find_model(self->path, config->environment, error));
    find_recipe(recipe, self->path);
    WAC_TRY(open_model(self, &hash, error));
    WAC_TRY(open_recipe(self, recipe, &hash, error));
    self->fingerprint = (double)(hash >> 12);
    *spec = (wac_environment_spec){
        .state_size = wac_mujoco_state_size(&self->mujoco) + 1,
        .has_goal = self->recipe.counts[WAC_RECIPE_SUCCESS] > 0,
        .has_place = self->recipe.has_place,
        .seconds = self->recipe.frame_skip * self->mujoco.timestep,
    };
    WAC_TRY(declare_actions(self, spec, error));
    return declare_observations(self, spec, error);
}

static wac_status create(void **world, wac_environment_spec *spec, const wac_config *config,
                         wac_error *error)
{
    wac_custom *self = calloc(1, sizeof *self);
    if (!self)
        return wac_fail_memory(error, "the model's environment");
    wac_status status = prepare(self, spec, config, error);
    if (status)
        wac_mujoco_destroy(self);
    else
        *world = self;
    return status;
}

/* --- episodes --------------------------------------------------------------------------------- */

static void observe(const wac_custom *self, double *observation)
{
    for (int i = 0; i < self->recipe.counts[WAC_RECIPE_OBSERVATION]; i++) {
        const wac_quantity *quantity = &self->quantities[WAC_RECIPE_OBSERVATION][i];
        wac_quantity_read(quantity, &self->mujoco, observation);
        observation += quantity->count;
    }
}

/* How many values of an entry of `terminate` or `success` are above and below what it says. */
static int count_within(const wac_custom *self, wac_recipe_list list, int entry)
{
    double values[WAC_ENVIRONMENT_DIMENSIONS];
    const double *numbers = self->recipe.lists[list][entry].numbers;
    const wac_quantity *quantity = &self->quantities[list][entry];
    int count = 0;
    wac_quantity_read(quantity, &self->mujoco, values);
    for (int i = 0; i < quantity->count; i++)
        count += values[i] > numbers[WAC_RECIPE_ABOVE] && values[i] < numbers[WAC_RECIPE_BELOW];
    return count;
}

/* Any value of any entry is enough. */
static bool is_over(const wac_custom *self)
{
    for (int i = 0; i < self->recipe.counts[WAC_RECIPE_TERMINATE]; i++)
        if (count_within(self, WAC_RECIPE_TERMINATE, i) > 0)
            return true;
    return false;
}

/* It takes all values of all entries. */
static bool is_success(const wac_custom *self)
{
    int entries = self->recipe.counts[WAC_RECIPE_SUCCESS];
    for (int i = 0; i < entries; i++)
        if (count_within(self, WAC_RECIPE_SUCCESS, i) <
            self->quantities[WAC_RECIPE_SUCCESS][i].count)
            return false;
    return entries > 0;
}

static double measure(const wac_custom *self, int entry)
{
    double values[WAC_ENVIRONMENT_DIMENSIONS], sum = 0;
    int how = self->recipe.lists[WAC_RECIPE_REWARD][entry].measure;
    const wac_quantity *quantity = &self->quantities[WAC_RECIPE_REWARD][entry];
    wac_quantity_read(quantity, &self->mujoco, values);
    for (int i = 0; i < quantity->count; i++)
        sum += how == WAC_RECIPE_MEASURE_SQUARES    ? values[i] * values[i]
               : how == WAC_RECIPE_MEASURE_ABSOLUTE ? fabs(values[i])
                                                    : values[i];
    return sum;
}

static double reward(const wac_custom *self, bool is_alive, bool is_success)
{
    double sum = 0;
    for (int i = 0; i < self->recipe.counts[WAC_RECIPE_REWARD]; i++) {
        const wac_recipe_entry *entry = &self->recipe.lists[WAC_RECIPE_REWARD][i];
        double value = 1;
        if (entry->what != WAC_WHAT_BONUS)
            value = measure(self, i);
        else if (entry->bonus != WAC_BONUS_STEP)
            value = entry->bonus == WAC_BONUS_ALIVE ? is_alive : is_success;
        sum += entry->numbers[WAC_RECIPE_WEIGHT] * value;
    }
    return sum;
}

/* Says which model it was. */
static wac_status fail_engine(const wac_custom *self, wac_status status, const wac_error *cause,
                              wac_error *error)
{
    return wac_fail(error, status, "%s: %s", self->path, cause->message);
}

static wac_status reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    wac_custom *self = world;
    wac_mujoco *mujoco = &self->mujoco;
    wac_mujoco_reset(mujoco, self->key);
    for (int i = 0; i < self->recipe.counts[WAC_RECIPE_RESET]; i++) {
        const double *numbers = self->recipe.lists[WAC_RECIPE_RESET][i].numbers;
        const wac_quantity *quantity = &self->quantities[WAC_RECIPE_RESET][i];
        double *values = quantity->what == WAC_WHAT_QPOS
                             ? mujoco->qpos + (quantity->values - mujoco->qpos)
                             : mujoco->qvel + (quantity->values - mujoco->qvel);
        for (int k = 0; k < quantity->count; k++)
            values[k] += numbers[WAC_RECIPE_NORMAL] > 0
                             ? numbers[WAC_RECIPE_NORMAL] * wac_rng_normal(rng)
                             : numbers[WAC_RECIPE_UNIFORM] * (2 * wac_rng_uniform(rng) - 1);
    }
    wac_error cause;
    wac_status status = wac_mujoco_forward(mujoco, &cause);
    if (status)
        return fail_engine(self, status, &cause, error);
    observe(self, observation);
    return WAC_STATUS_OK;
}

static wac_status step(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    (void)rng;
    wac_custom *self = world;
    wac_error cause;
    wac_status status = wac_mujoco_step(&self->mujoco, action, self->recipe.frame_skip, &cause);
    /* a step leaves sites and sensors as they were before it */
    if (!status && self->looks_further)
        status = wac_mujoco_forward(&self->mujoco, &cause);
    if (status)
        return fail_engine(self, status, &cause, error);
    bool over = is_over(self);
    step->success = is_success(self);
    step->terminated = over || (step->success && !self->recipe.goes_on);
    step->reward = reward(self, !over, step->success);
    observe(self, observation);
    return WAC_STATUS_OK;
}

/* The engine's state, then the fingerprint: going on with another model or recipe would be another
 * run. */
static void save(const void *world, double *state)
{
    const wac_custom *self = world;
    wac_mujoco_save(self, state);
    state[wac_mujoco_state_size(&self->mujoco)] = self->fingerprint;
}

static wac_status load(void *world, const double *state, wac_error *error)
{
    wac_custom *self = world;
    if (state[wac_mujoco_state_size(&self->mujoco)] != self->fingerprint)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s or its recipe has changed since this was saved; put the old one back, "
                        "or start a new run",
                        self->path);
    return wac_mujoco_load(self, state, error);
}

const wac_environment_type wac_environment_custom = {
    .name = WAC_CUSTOM_PREFIX "FILE.xml",
    .summary = "a model of your own, with a recipe FILE.yaml beside it (MuJoCo)",
    .create = create,
    .destroy = wac_mujoco_destroy,
    .reset = reset,
    .step = step,
    .save = save,
    .load = load,
};

#define TASK(id, text)                                                                             \
    {                                                                                              \
        .name = id, .summary = text, .create = create, .destroy = wac_mujoco_destroy,              \
        .reset = reset, .step = step, .save = save, .load = load                                   \
    }
const wac_environment_type wac_environments_task[WAC_TASKS] = {
    TASK("cartpole-sparse", "swing a pole up and hold it there; paid only near the top (MuJoCo)"),
    TASK("cartpole-sparse-cost", "the same, and every push costs (MuJoCo)"),
    TASK("acrobot-sparse", "swing two links up by the joint between them (MuJoCo)"),
    TASK("ball-in-cup", "catch a ball on a string with the cup it hangs from (MuJoCo)"),
    TASK("reacher-hard", "hold the tip of an arm at a small target (MuJoCo)"),
    TASK("pointmaze-u", "roll a ball to the other end of a U; paid only there (MuJoCo)"),
    TASK("pointmaze-medium",
         "roll a ball through a winding corridor; paid only at its end (MuJoCo)"),
    TASK("pointmaze-large", "roll a ball through a long maze; paid only at its end (MuJoCo)"),
};
