/* Names and places within the engine's model and data. */
#include "env/mujoco/elements.h"

#include <assert.h>
#include <mujoco/mujoco.h>

static const int types[] = {
    [WAC_MUJOCO_QPOS] = mjOBJ_JOINT,       [WAC_MUJOCO_QVEL] = mjOBJ_JOINT,
    [WAC_MUJOCO_CONTROL] = mjOBJ_ACTUATOR, [WAC_MUJOCO_SENSOR] = mjOBJ_SENSOR,
    [WAC_MUJOCO_SITE] = mjOBJ_SITE,        [WAC_MUJOCO_KEYFRAME] = mjOBJ_KEY,
};

int wac_mujoco_count(const wac_mujoco *mujoco, wac_mujoco_kind kind)
{
    const mjModel *model = mujoco->model;
    switch (kind) {
    case WAC_MUJOCO_QPOS:
    case WAC_MUJOCO_QVEL:
        return model->njnt;
    case WAC_MUJOCO_CONTROL:
        return model->nu;
    case WAC_MUJOCO_SENSOR:
        return model->nsensor;
    case WAC_MUJOCO_SITE:
        return model->nsite;
    case WAC_MUJOCO_KEYFRAME:
        break;
    }
    return model->nkey;
}

const char *wac_mujoco_name(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index)
{
    const char *name = mj_id2name(mujoco->model, types[kind], index);
    return name ? name : "";
}

/* The values from `first` to the next part's, or to the end of all of them. */
static const double *cut(const double *values, const int *first, int index, int parts, int total,
                         int *count)
{
    if (index < 0) {
        *count = total;
        return values;
    }
    *count = (index + 1 < parts ? first[index + 1] : total) - first[index];
    return values + first[index];
}

const double *wac_mujoco_values(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index,
                                int *count)
{
    const mjModel *model = mujoco->model;
    const mjData *data = mujoco->data;
    switch (kind) {
    case WAC_MUJOCO_QPOS:
        return cut(data->qpos, model->jnt_qposadr, index, model->njnt, model->nq, count);
    case WAC_MUJOCO_QVEL:
        return cut(data->qvel, model->jnt_dofadr, index, model->njnt, model->nv, count);
    case WAC_MUJOCO_CONTROL:
        *count = index < 0 ? model->nu : 1;
        return data->ctrl + (index < 0 ? 0 : index);
    case WAC_MUJOCO_SENSOR:
        return cut(data->sensordata, model->sensor_adr, index, model->nsensor, model->nsensordata,
                   count);
    case WAC_MUJOCO_SITE:
        *count = 3 * (index < 0 ? model->nsite : 1);
        return data->site_xpos + 3 * (index < 0 ? 0 : index);
    case WAC_MUJOCO_KEYFRAME:
        break;
    }
    assert(!"a keyframe has no values");
    return NULL;
}

void wac_mujoco_site_velocity(const wac_mujoco *mujoco, int site, double velocity[3])
{
    double both[6]; /* angular, linear */
    mj_objectVelocity(mujoco->model, mujoco->data, mjOBJ_SITE, site, both, 0);
    mju_copy3(velocity, both + 3);
}

bool wac_mujoco_control_range(const wac_mujoco *mujoco, int control, double *low, double *high)
{
    const mjModel *model = mujoco->model;
    *low = model->actuator_ctrlrange[2 * control];
    *high = model->actuator_ctrlrange[2 * control + 1];
    return model->actuator_ctrllimited[control];
}

bool wac_mujoco_is_noisy(const wac_mujoco *mujoco)
{
    return mujoco->model->opt.enableflags & mjENBL_SENSORNOISE;
}
