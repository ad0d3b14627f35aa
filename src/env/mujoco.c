/* The only file that talks to the engine. */
#include "env/mujoco.h"

#include "base/status.h"
#include "env/models.h"

#include <limits.h>
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <string.h>

/* Without a handler the engine prints, and writes a file into the working folder. What it warns of
 * is read from the data instead. The handler is the process's, so another's is left alone. */
static void ignore_warning(const char *message)
{
    (void)message;
}

static void set_handler(void)
{
    if (!mju_user_warning)
        mju_user_warning = ignore_warning;
}

static wac_status check_warnings(const mjData *data, wac_error *error)
{
    for (int i = 0; i < mjNWARNING; i++)
        if (data->warning[i].number)
            return wac_fail(error, WAC_STATUS_NUMERIC, "MuJoCo warns: %s",
                            mju_warningText(i, data->warning[i].lastinfo));
    return WAC_STATUS_OK;
}

/* The loader's text in one line. */
static void flatten(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = 0;
    for (; *text; text++)
        if (*text == '\n')
            *text = ' ';
}

static wac_status load_model(wac_mujoco *mujoco, const char *path, wac_error *error)
{
    char reason[800] = "";
    if (mj_version() != mjVERSION_HEADER)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "this program was built for another MuJoCo than the installed %s; build it "
                        "again",
                        mj_versionString());
    mujoco->model = mj_loadXML(path, NULL, reason, sizeof reason);
    flatten(reason);
    if (!mujoco->model)
        return wac_fail(error, WAC_STATUS_INPUT, "%s: %s", path, reason);
    mujoco->data = mj_makeData(mujoco->model);
    return mujoco->data ? WAC_STATUS_OK : wac_fail_memory(error, path);
}

wac_status wac_mujoco_open(wac_mujoco *mujoco, const char *name, int positions, int velocities,
                           int controls, wac_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_handler);
    *mujoco = (wac_mujoco){.positions = positions, .velocities = velocities, .controls = controls};
    char path[PATH_MAX];
    WAC_TRY(wac_model_find(path, sizeof path, name, error));
    wac_status status = load_model(mujoco, path, error);
    const mjModel *model = mujoco->model;
    if (!status && (model->nq != positions || model->nv != velocities || model->nu != controls))
        status = wac_fail(error, WAC_STATUS_INPUT,
                          "%s has %d positions, %d velocities and %d actuators; this environment "
                          "needs %d, %d and %d",
                          path, model->nq, model->nv, model->nu, positions, velocities, controls);
    if (status) {
        wac_mujoco_close(mujoco);
        return status;
    }
    mujoco->timestep = model->opt.timestep;
    mujoco->start = model->qpos0;
    mujoco->qpos = mujoco->data->qpos;
    mujoco->qvel = mujoco->data->qvel;
    return WAC_STATUS_OK;
}

void wac_mujoco_close(wac_mujoco *mujoco)
{
    mj_deleteData(mujoco->data);
    mj_deleteModel(mujoco->model);
    *mujoco = (wac_mujoco){0};
}

wac_status wac_mujoco_start(wac_mujoco *mujoco, const double *qpos, const double *qvel,
                            wac_error *error)
{
    mj_resetData(mujoco->model, mujoco->data);
    memcpy(mujoco->qpos, qpos, (size_t)mujoco->positions * sizeof *qpos);
    memcpy(mujoco->qvel, qvel, (size_t)mujoco->velocities * sizeof *qvel);
    return wac_mujoco_forward(mujoco, error);
}

wac_status wac_mujoco_step(wac_mujoco *mujoco, const double *control, int steps, wac_error *error)
{
    memcpy(mujoco->data->ctrl, control, (size_t)mujoco->controls * sizeof *control);
    for (int i = 0; i < steps; i++) {
        mj_step(mujoco->model, mujoco->data);
        WAC_TRY(check_warnings(mujoco->data, error));
    }
    return WAC_STATUS_OK;
}

wac_status wac_mujoco_forward(wac_mujoco *mujoco, wac_error *error)
{
    mj_forward(mujoco->model, mujoco->data);
    return check_warnings(mujoco->data, error);
}

/* The arrays that a step reads before it writes them. */
enum { PARTS = 6 };
typedef struct part {
    double *array;
    int count;
} part;

static void list_parts(const wac_mujoco *mujoco, part parts[PARTS])
{
    const mjModel *model = mujoco->model;
    mjData *data = mujoco->data;
    parts[0] = (part){&data->time, 1};
    parts[1] = (part){data->qpos, model->nq};
    parts[2] = (part){data->qvel, model->nv};
    parts[3] = (part){data->act, model->na};
    parts[4] = (part){data->qacc_warmstart, model->nv}; /* where the solver begins */
    parts[5] = (part){data->ctrl, model->nu};
}

int wac_mujoco_state_size(const wac_mujoco *mujoco)
{
    part parts[PARTS];
    int size = 0;
    list_parts(mujoco, parts);
    for (int i = 0; i < PARTS; i++)
        size += parts[i].count;
    return size;
}

void wac_mujoco_save(const wac_mujoco *mujoco, double *state)
{
    part parts[PARTS];
    list_parts(mujoco, parts);
    for (int i = 0; i < PARTS; state += parts[i++].count)
        mju_copy(state, parts[i].array, parts[i].count);
}

void wac_mujoco_load(wac_mujoco *mujoco, const double *state)
{
    part parts[PARTS];
    mj_resetData(mujoco->model, mujoco->data);
    list_parts(mujoco, parts);
    for (int i = 0; i < PARTS; state += parts[i++].count)
        mju_copy(parts[i].array, state, parts[i].count);
}
