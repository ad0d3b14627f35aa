/* Recordings of the MuJoCo worlds: runs, which begin as the JSON file beside the table says, and
 * single steps, each from a start of its own. */
#include "base/files.h"
#include "base/json.h"
#include "base/status.h"
#include "base/suggest.h"
#include "env/mujoco/locomotion.h"
#include "env/mujoco/point.h"
#include "verify/recording.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

enum { JSON_LIMIT = 1 << 20, MOST_JOINTS = 16 };

/* How a run begins, and how far it can be followed. */
typedef struct start {
    double qpos[MOST_JOINTS], qvel[MOST_JOINTS];
    size_t stable; /* steps, before rounding alone may matter */
} start;

/* Every world here begins with its simulation. */
static wac_mujoco *simulation(const wac_recording *recording)
{
    return recording->world->self;
}

static wac_status read_numbers(double *numbers, int count, const json_t *json, const char *key,
                               const char *path, wac_error *error)
{
    const json_t *array = json_object_get(json, key);
    bool good = json_is_array(array) && json_array_size(array) == (size_t)count;
    for (int i = 0; good && i < count; i++) {
        const json_t *number = json_array_get(array, (size_t)i);
        good = json_is_number(number);
        numbers[i] = json_number_value(number);
    }
    return good ? WAC_STATUS_OK
                : wac_fail(error, WAC_STATUS_INPUT, "%s: \"%s\" must be an array of %d numbers",
                           path, key, count);
}

static wac_status parse_start(start *start, const wac_recording *recording, const json_t *json,
                              const char *path, wac_error *error)
{
    const wac_mujoco *mujoco = simulation(recording);
    WAC_TRY(read_numbers(start->qpos, mujoco->positions, json, "qpos", path, error));
    WAC_TRY(read_numbers(start->qvel, mujoco->velocities, json, "qvel", path, error));
    const json_t *stable = json_object_get(json, "stable_steps");
    start->stable = SIZE_MAX - 1;
    if (!stable)
        return WAC_STATUS_OK;
    if (!json_is_integer(stable) || json_integer_value(stable) < 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s: \"stable_steps\" must be a whole number, not negative", path);
    start->stable = (size_t)json_integer_value(stable);
    return WAC_STATUS_OK;
}

static wac_status read_start(start *start, const wac_recording *recording, wac_error *error)
{
    char path[PATH_MAX], *text;
    size_t length = strlen(recording->path), size;
    if (length < 4 || length + 2 > sizeof path || strcmp(recording->path + length - 4, ".csv") != 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s: the name of a run must end in .csv; its start is read from the .json "
                        "of the same name",
                        recording->path);
    strcpy(path, recording->path);
    strcpy(path + length - 3, "json");
    WAC_TRY(wac_file_read(&text, &size, path, JSON_LIMIT, error));
    json_error_t reason;
    json_t *json = wac_json_load(text, size, 0, &reason);
    wac_status status = json              ? parse_start(start, recording, json, path, error)
                        : errno == ENOMEM ? wac_fail_memory(error, path)
                                          : wac_fail(error, WAC_STATUS_INPUT, "%s:%d: %s", path,
                                                     reason.line, reason.text);
    json_decref(json);
    free(text);
    return status;
}

/* Pass on what went wrong with a row. */
static wac_status locate(const wac_recording *recording, size_t row, const wac_error *cause,
                         wac_error *error)
{
    return wac_fail(error, cause->status, "%s:%zu: %s", recording->path, wac_csv_line(row),
                    cause->message);
}

/* One step of the environment itself with the action of this row, found from column `first` on. */
static wac_status step_row(wac_recording *recording, size_t row, int first, wac_step *step,
                           wac_error *error)
{
    wac_world *world = recording->world;
    const wac_environment_spec *spec = &world->spec;
    wac_error cause = {0};
    *step = (wac_step){0};
    for (int i = 0; i < spec->action_size; i++)
        world->raw_action[i] = wac_world_action(wac_recording_at(recording, row, first + i),
                                                spec->action_low[i], spec->action_high[i]);
    if (world->type->step(world->self, NULL, world->raw_action, world->raw_observation, step,
                          &cause))
        return locate(recording, row, &cause, error);
    return WAC_STATUS_OK;
}

/* Compares the world, as it is now, with a row of a run. `step` is null for the start. */
typedef void judge_fn(wac_recording *recording, size_t row, const wac_step *step);

static wac_status compare_run(wac_recording *recording, judge_fn *judge, wac_error *error)
{
    enum { T, A };
    start start;
    wac_error cause = {0};
    WAC_TRY(read_start(&start, recording, error));
    if (start.stable + 1 < recording->report->rows)
        recording->report->rows = start.stable + 1;
    if (wac_mujoco_start(simulation(recording), start.qpos, start.qvel, &cause))
        return locate(recording, 0, &cause, error);
    for (size_t row = 0; row < recording->report->rows; row++) {
        wac_step step;
        if (wac_recording_at(recording, row, T) != (double)row)
            return wac_fail(error, WAC_STATUS_INPUT, "%s:%zu: t must count the rows, from 0",
                            recording->path, wac_csv_line(row));
        if (row > 0)
            WAC_TRY(step_row(recording, row, A, &step, error));
        judge(recording, row, row ? &step : NULL);
    }
    return WAC_STATUS_OK;
}

/* Every row begins anew, with `joints` positions and as many velocities behind its number; then
 * come the actions. */
static wac_status compare_steps(wac_recording *recording, int joints, judge_fn *judge,
                                wac_error *error)
{
    for (size_t row = 0; row < recording->csv.rows; row++) {
        double qpos[MOST_JOINTS] = {0}, qvel[MOST_JOINTS] = {0};
        for (int i = 0; i < joints; i++) {
            qpos[i] = wac_recording_at(recording, row, 1 + i);
            qvel[i] = wac_recording_at(recording, row, 1 + joints + i);
        }
        wac_step step;
        wac_error cause = {0};
        if (wac_mujoco_start(simulation(recording), qpos, qvel, &cause))
            return locate(recording, row, &cause, error);
        WAC_TRY(step_row(recording, row, 1 + 2 * joints, &step, error));
        judge(recording, row, &step);
    }
    return WAC_STATUS_OK;
}

/* --- Point ------------------------------------------------------------------------------------ */

/* x, y, vx, vy and the same as the agent sees them, reward_dense, reward_sparse, terminated: the
 * columns from `first` on, at the end of both kinds. */
static void judge_point(wac_recording *recording, size_t row, int first, const wac_step *step)
{
    const wac_point *point = recording->world->self;
    const wac_environment_spec *spec = &recording->world->spec;
    for (int i = 0; i < WAC_POINT_OBSERVATIONS; i++) {
        double value = i < 2 ? point->mujoco.qpos[i] : point->mujoco.qvel[i - 2];
        double seen =
            wac_world_normalise(value, spec->observation_low[i], spec->observation_high[i]);
        wac_recording_judge(recording, row, first + i, value);
        wac_recording_judge(recording, row, first + WAC_POINT_OBSERVATIONS + i, seen);
    }
    first += 2 * WAC_POINT_OBSERVATIONS;
    wac_recording_judge(recording, row, first, step ? step->reward : 0);
    wac_recording_judge(recording, row, first + 1,
                        step ? wac_point_reward(point, WAC_REWARD_SPARSE) : 0);
    wac_recording_judge(recording, row, first + 2, step ? step->terminated : 0);
}

static void judge_point_run(wac_recording *recording, size_t row, const wac_step *step)
{
    enum { T, A, X = A + 2 };
    judge_point(recording, row, X, step);
}

static void judge_point_step(wac_recording *recording, size_t row, const wac_step *step)
{
    enum { I, X, Y, VX, VY, A, X_NEXT = A + 2 };
    judge_point(recording, row, X_NEXT, step);
}

static wac_status compare_point_run(wac_recording *recording, wac_error *error)
{
    return compare_run(recording, judge_point_run, error);
}

static wac_status compare_point_steps(wac_recording *recording, wac_error *error)
{
    return compare_steps(recording, 2, judge_point_step, error);
}

/* --- locomotion ------------------------------------------------------------------------------- */

static void judge_locomotion_run(wac_recording *recording, size_t row, const wac_step *step)
{
    const wac_environment_spec *spec = &recording->world->spec;
    double *observation = recording->world->raw_observation;
    int column = 1 + spec->action_size;
    wac_recording_judge(recording, row, column++, simulation(recording)->qpos[0]);
    if (!step)
        wac_locomotion_observe(recording->world->self, observation);
    for (int i = 0; i < spec->observation_size; i++)
        wac_recording_judge(recording, row, column++, observation[i]);
    wac_recording_judge(recording, row, column++, step ? step->reward : 0);
    wac_recording_judge(recording, row, column, step ? step->terminated : 0);
}

static void judge_locomotion_step(wac_recording *recording, size_t row, const wac_step *step)
{
    const wac_mujoco *mujoco = simulation(recording);
    int joints = mujoco->positions, q_next = 1 + 2 * joints + mujoco->controls;
    for (int i = 0; i < joints; i++) {
        wac_recording_judge(recording, row, q_next + i, mujoco->qpos[i]);
        wac_recording_judge(recording, row, q_next + joints + i, mujoco->qvel[i]);
    }
    wac_recording_judge(recording, row, q_next + 2 * joints, step->reward);
    wac_recording_judge(recording, row, q_next + 2 * joints + 1, step->terminated);
}

static wac_status compare_locomotion_run(wac_recording *recording, wac_error *error)
{
    return compare_run(recording, judge_locomotion_run, error);
}

static wac_status compare_locomotion_steps(wac_recording *recording, wac_error *error)
{
    return compare_steps(recording, simulation(recording)->positions, judge_locomotion_step, error);
}

/* --- the table -------------------------------------------------------------------------------- */

#define LIST_3(n, end) n "0" end "," n "1" end "," n "2" end ","
#define LIST_6(n, end) LIST_3(n, end) n "3" end "," n "4" end "," n "5" end ","
#define LIST_9(n, end) LIST_6(n, end) n "6" end "," n "7" end "," n "8" end ","
#define LIST_11(n, end) LIST_9(n, end) n "9" end "," n "10" end ","
#define LIST_17(n, end)                                                                            \
    LIST_11(n, end)                                                                                \
    n "11" end "," n "12" end "," n "13" end "," n "14" end "," n "15" end "," n "16" end ","
#define POINT_RESULTS "obs0,obs1,obs2,obs3,reward_dense,reward_sparse,terminated"
#define RUN(actions, observations) "t," actions("a", "") "x," observations("obs", "") RESULTS
#define STEPS(joints, actions)                                                                     \
    "i," joints("q", "") joints("v", "") actions("a", "") joints("q", "_next")                     \
        joints("v", "_next") RESULTS
#define RESULTS "reward,terminated"
#define TWO_LEGGED "halfcheetah|walker2d"

const wac_recording_kind wac_recording_kinds_mujoco[WAC_MUJOCO_KINDS] = {
    {WAC_FOR_POINT, "run", 1e-9, "t,a0,a1,x,y,vx,vy," POINT_RESULTS, compare_point_run},
    {WAC_FOR_POINT, "steps", 1e-9, "i,x,y,vx,vy,a0,a1,x_next,y_next,vx_next,vy_next," POINT_RESULTS,
     compare_point_steps},
    {"hopper", "run", 1e-9, RUN(LIST_3, LIST_11), compare_locomotion_run},
    {"hopper", "steps", 1e-9, STEPS(LIST_6, LIST_3), compare_locomotion_steps},
    {TWO_LEGGED, "run", 1e-9, RUN(LIST_6, LIST_17), compare_locomotion_run},
    {TWO_LEGGED, "steps", 1e-9, STEPS(LIST_9, LIST_6), compare_locomotion_steps},
};
