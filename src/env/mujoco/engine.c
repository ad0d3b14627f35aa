/* The engine itself: no other file talks to it. Any from 2.2 on will do, the one that this was
 * built with. A program is linked with it; a library that must do without it, too, looks for it
 * when the first model is opened (WAC_MUJOCO_LATE). */
#include "env/mujoco/engine.h"

#include "base/share.h"
#include "base/status.h"
#include "env/world.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All that is used of it. */
#define NAMES(X)                                                                                   \
    X(mj_deleteData)                                                                               \
    X(mj_deleteModel)                                                                              \
    X(mj_forward)                                                                                  \
    X(mj_id2name)                                                                                  \
    X(mj_kinematics)                                                                               \
    X(mj_loadXML)                                                                                  \
    X(mj_makeData)                                                                                 \
    X(mj_objectVelocity)                                                                           \
    X(mj_resetDataKeyframe)                                                                        \
    X(mj_step)                                                                                     \
    X(mj_version)                                                                                  \
    X(mj_versionString)                                                                            \
    X(mju_copy)                                                                                    \
    X(mju_user_error)                                                                              \
    X(mju_user_warning)                                                                            \
    X(mju_warningText)

#define POINTER(name) __typeof__(name) *name;
typedef struct engine {
    NAMES(POINTER)
} engine;

#ifdef WAC_MUJOCO_LATE
static engine the;

/* Where the variable WAC_MUJOCO says, or under the name that it has in this version. */
static void *open_engine(void)
{
    const char *named = getenv("WAC_MUJOCO");
    return dlopen(named && *named ? named : "libmujoco.so." WAC_MUJOCO_LATE, RTLD_NOW | RTLD_LOCAL);
}

static void look_for_engine(void)
{
    engine found = {0};
    void *library = open_engine();
    bool whole = library;
#define FIND(name) whole = whole && (*(void **)&found.name = dlsym(library, #name));
    NAMES(FIND)
    if (whole)
        the = found;
}

static wac_status find_engine(wac_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, look_for_engine);
    return the.mj_version ? WAC_STATUS_OK
                          : wac_fail(error, WAC_STATUS_INPUT,
                                     "this environment needs MuJoCo " WAC_MUJOCO_LATE
                                     ", which is not there: pip install mujoco==" WAC_MUJOCO_LATE);
}
#else
#define ADDRESS(name) .name = &name,
static const engine the = {NAMES(ADDRESS)};

static wac_status find_engine(wac_error *error)
{
    (void)error;
    return WAC_STATUS_OK;
}
#endif

/* Without a handler the engine prints, and writes a file into the working folder. What it warns of
 * is read from the data instead. */
static void ignore_warning(const char *message)
{
    (void)message;
}

/* Without a handler of errors it prints, waits for a key and ends the process. A handler must not
 * return, so it jumps back to the call of ours that this thread is in: the way of the engine's own
 * Python bindings. The frames in between are plain C and hold nothing. */
static _Thread_local jmp_buf *way_out; /* null: in none */
static _Thread_local char last_words[256];

static void leave_call(const char *message)
{
    if (!way_out) {
        fprintf(stderr, "MuJoCo: %s\n", message); /* another's call: there is no way to go on */
        abort();
    }
    snprintf(last_words, sizeof last_words, "%s", message);
    _longjmp(*way_out, 1);
}

/* The handlers are the process's, so another's are left alone. */
static void set_handlers(void)
{
    if (!*the.mju_user_warning)
        *the.mju_user_warning = ignore_warning;
    if (!*the.mju_user_error)
        *the.mju_user_error = leave_call;
}

static wac_status check_warnings(const mjData *data, wac_error *error)
{
    for (int i = 0; i < mjNWARNING; i++)
        if (data->warning[i].number)
            return wac_fail(error, WAC_STATUS_NUMERIC, "MuJoCo warns: %s",
                            the.mju_warningText(i, data->warning[i].lastinfo));
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

/* One call of the engine, which may leave by its fatal error; its data is good for nothing but a
 * reset then. Not for the loader: that is C++, and holds a lock. */
static wac_status guard(wac_mujoco *mujoco, void (*call)(wac_mujoco *, int), int argument,
                        wac_error *error)
{
    jmp_buf back;
    errno = 0;
    if (_setjmp(back)) {
        way_out = NULL;
        mujoco->failed = true;
        if (errno == ENOMEM)
            return wac_fail_memory(error, "MuJoCo");
        return wac_fail(error, WAC_STATUS_NUMERIC, "MuJoCo gives up: %s", last_words);
    }
    way_out = &back;
    call(mujoco, argument);
    way_out = NULL;
    return WAC_STATUS_OK;
}

static void make_data(wac_mujoco *mujoco, int unused)
{
    (void)unused;
    mujoco->data = the.mj_makeData(mujoco->model);
}

wac_status wac_mujoco_check(wac_error *error)
{
    WAC_TRY(find_engine(error));
    if (the.mj_version() == mjVERSION_HEADER)
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "this program was built for another MuJoCo than the installed %s; build it "
                    "again",
                    the.mj_versionString());
}

static wac_status load_model(wac_mujoco *mujoco, const char *path, wac_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    char reason[800] = "";
    WAC_TRY(wac_mujoco_check(error));
    pthread_once(&once, set_handlers);
    /* an exception for want of memory goes through us: a program in C++ may catch it */
    errno = 0;
    mujoco->model = the.mj_loadXML(path, NULL, reason, sizeof reason);
    bool starved = errno == ENOMEM;
    flatten(reason);
    if (!mujoco->model)
        return starved ? wac_fail_memory(error, path)
                       : wac_fail(error, WAC_STATUS_INPUT, "%s: %s", path, reason);
    WAC_TRY(guard(mujoco, make_data, 0, error));
    return mujoco->data ? WAC_STATUS_OK : wac_fail_memory(error, path);
}

wac_status wac_mujoco_open_file(wac_mujoco *mujoco, const char *path, wac_error *error)
{
    *mujoco = (wac_mujoco){0};
    wac_status status = load_model(mujoco, path, error);
    if (status) {
        wac_mujoco_close(mujoco);
        return status;
    }
    const mjModel *model = mujoco->model;
    mujoco->positions = model->nq;
    mujoco->velocities = model->nv;
    mujoco->controls = model->nu;
    mujoco->timestep = model->opt.timestep;
    mujoco->start = model->qpos0;
    mujoco->qpos = mujoco->data->qpos;
    mujoco->qvel = mujoco->data->qvel;
    return WAC_STATUS_OK;
}

wac_status wac_mujoco_open(wac_mujoco *mujoco, const char *name, int positions, int velocities,
                           int controls, wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(wac_share_find(path, sizeof path, "models", "WAC_MODELS", "model file", name, error));
    WAC_TRY(wac_mujoco_open_file(mujoco, path, error));
    if (mujoco->positions == positions && mujoco->velocities == velocities &&
        mujoco->controls == controls)
        return WAC_STATUS_OK;
    wac_fail(error, WAC_STATUS_INPUT,
             "%s has %d positions, %d velocities and %d actuators; this environment needs %d, %d "
             "and %d",
             path, mujoco->positions, mujoco->velocities, mujoco->controls, positions, velocities,
             controls);
    wac_mujoco_close(mujoco);
    return WAC_STATUS_INPUT;
}

void wac_mujoco_close(wac_mujoco *mujoco)
{
    if (mujoco->data)
        the.mj_deleteData(mujoco->data);
    if (mujoco->model)
        the.mj_deleteModel(mujoco->model);
    *mujoco = (wac_mujoco){0};
}

void wac_mujoco_reset(wac_mujoco *mujoco, int key)
{
    the.mj_resetDataKeyframe(mujoco->model, mujoco->data, key);
    mujoco->failed = false;
}

wac_status wac_mujoco_start(wac_mujoco *mujoco, const double *qpos, const double *qvel,
                            wac_error *error)
{
    wac_mujoco_reset(mujoco, -1);
    memcpy(mujoco->qpos, qpos, (size_t)mujoco->positions * sizeof *qpos);
    memcpy(mujoco->qvel, qvel, (size_t)mujoco->velocities * sizeof *qvel);
    return wac_mujoco_forward(mujoco, error);
}

/* Calls, then what there is to say about them. */
static wac_status advance(wac_mujoco *mujoco, void (*call)(wac_mujoco *, int), int argument,
                          wac_error *error)
{
    if (mujoco->failed)
        return wac_fail(error, WAC_STATUS_NUMERIC,
                        "MuJoCo gave up at an earlier step; the simulation needs a new start");
    WAC_TRY(guard(mujoco, call, argument, error));
    return check_warnings(mujoco->data, error);
}

static void step(wac_mujoco *mujoco, int steps)
{
    for (int i = 0; i < steps && check_warnings(mujoco->data, NULL) == WAC_STATUS_OK; i++)
        the.mj_step(mujoco->model, mujoco->data);
}

static void forward(wac_mujoco *mujoco, int unused)
{
    (void)unused;
    the.mj_forward(mujoco->model, mujoco->data);
}

wac_status wac_mujoco_step(wac_mujoco *mujoco, const double *control, int steps, wac_error *error)
{
    memcpy(mujoco->data->ctrl, control, (size_t)mujoco->controls * sizeof *control);
    return advance(mujoco, step, steps, error);
}

wac_status wac_mujoco_forward(wac_mujoco *mujoco, wac_error *error)
{
    return advance(mujoco, forward, 0, error);
}

/* The arrays that a step reads before it writes them. */
enum { PARTS = 8 };
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
    parts[6] = (part){data->mocap_pos, 3 * model->nmocap}; /* a keyframe may have moved them */
    parts[7] = (part){data->mocap_quat, 4 * model->nmocap};
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

void wac_mujoco_save(const void *world, double *state)
{
    part parts[PARTS];
    list_parts(world, parts);
    for (int i = 0; i < PARTS; state += parts[i++].count)
        the.mju_copy(state, parts[i].array, parts[i].count);
}

wac_status wac_mujoco_load(void *world, const double *state, wac_error *error)
{
    part parts[PARTS];
    WAC_TRY(wac_state_check(state, wac_mujoco_state_size(world), error));
    wac_mujoco_reset(world, -1);
    list_parts(world, parts);
    for (int i = 0; i < PARTS; state += parts[i++].count)
        the.mju_copy(parts[i].array, state, parts[i].count);
    return WAC_STATUS_OK;
}

void wac_mujoco_destroy(void *world)
{
    wac_mujoco_close(world);
    free(world);
}

/* Whether the two can ever touch, by the engine's rule of types and affinities. */
static bool may_touch(const mjModel *model, int a, int b)
{
    return (model->geom_contype[a] & model->geom_conaffinity[b]) ||
           (model->geom_contype[b] & model->geom_conaffinity[a]);
}

/* Which branch of its tree a body is on: children of a root are numbered from 1. */
static int limb_of(const mjModel *model, int body)
{
    int root = model->body_rootid[body], limb = 0;
    if (body == root)
        return 0;
    while (model->body_parentid[body] != root)
        body = model->body_parentid[body];
    for (int i = root + 1; i <= body; i++)
        limb += model->body_parentid[i] == root;
    return limb;
}

static int tree_of(const mjModel *model, int body)
{
    int tree = -1;
    for (int i = 1; i <= model->body_rootid[body]; i++)
        tree += model->body_parentid[i] == 0;
    return tree;
}

static wac_geom_kind kind_of(int type)
{
    switch (type) {
    case mjGEOM_BOX:
    case mjGEOM_MESH:
    case mjGEOM_HFIELD:
        return WAC_GEOM_BOX;
    case mjGEOM_CAPSULE:
        return WAC_GEOM_CAPSULE;
    case mjGEOM_CYLINDER:
        return WAC_GEOM_CYLINDER;
    case mjGEOM_SPHERE:
        return WAC_GEOM_SPHERE;
    case mjGEOM_ELLIPSOID:
        return WAC_GEOM_ELLIPSOID;
    case mjGEOM_PLANE:
        return WAC_GEOM_PLANE;
    }
    return WAC_GEOM_OTHER;
}

/* Its own colour or that of its material; the engine's grey is nobody's choice. */
static void read_colour(const mjModel *model, const float *own, int material, int group,
                        wac_geom *geom)
{
    const float *rgba = material >= 0 ? model->mat_rgba + 4 * material : own;
    bool is_grey = material < 0 && own[0] == 0.5f && own[1] == 0.5f && own[2] == 0.5f;
    geom->is_hidden = rgba[3] <= 0 || group >= 3;
    geom->colour = is_grey ? -1 : 0;
    for (int i = 0; i < 3 && !is_grey; i++)
        geom->colour = 256 * geom->colour + (int)(255 * fminf(fmaxf(rgba[i], 0), 1) + 0.5f);
}

/* The box that holds a mesh or a field of heights, in the axes of the geom. */
static void read_box(const mjModel *model, int index, wac_geom *geom)
{
    double low[3] = {0}, high[3] = {0};
    int data = model->geom_dataid[index];
    if (model->geom_type[index] == mjGEOM_HFIELD) {
        const double *size = model->hfield_size + 4 * data;
        memcpy(high, size, sizeof high);
        low[0] = -size[0], low[1] = -size[1], low[2] = -size[3];
    } else {
        geom->vertices = model->mesh_vert + 3 * model->mesh_vertadr[data];
        geom->vertex_count = model->mesh_vertnum[data];
        geom->faces = model->mesh_face + 3 * model->mesh_faceadr[data];
        geom->face_count = model->mesh_facenum[data];
        for (int i = 0; i < 3 * geom->vertex_count; i++) {
            double value = geom->vertices[i];
            low[i % 3] = i < 3 ? value : fmin(low[i % 3], value);
            high[i % 3] = i < 3 ? value : fmax(high[i % 3], value);
        }
    }
    for (int i = 0; i < 3; i++) {
        geom->size[i] = (high[i] - low[i]) / 2;
        geom->middle[i] = (low[i] + high[i]) / 2;
        for (int k = 0; k < 3; k++)
            geom->centre[k] += geom->axes[3 * k + i] * geom->middle[i];
    }
}

static wac_geom describe(const mjModel *model, int type, int body)
{
    return (wac_geom){
        .kind = kind_of(type),
        .is_fixed = model->body_weldid[body] == 0,
        .tree = tree_of(model, body),
        .limb = limb_of(model, body),
    };
}

static void read_site(const mjModel *model, const mjData *data, int index, wac_geom *geom)
{
    *geom = describe(model, model->site_type[index], model->site_bodyid[index]);
    read_colour(model, model->site_rgba + 4 * index, model->site_matid[index],
                model->site_group[index], geom);
    the.mju_copy(geom->size, model->site_size + 3 * index, 3);
    the.mju_copy(geom->centre, data->site_xpos + 3 * index, 3);
    the.mju_copy(geom->axes, data->site_xmat + 9 * index, 9);
}

bool wac_mujoco_geom(wac_mujoco *mujoco, int index, wac_geom *geom)
{
    const mjModel *model = mujoco->model;
    const mjData *data = mujoco->data;
    if (index == 0)
        the.mj_kinematics(model, mujoco->data); /* a step leaves places as they were before it */
    if (index >= model->ngeom + model->nsite)
        return false;
    if (index >= model->ngeom) {
        read_site(model, data, index - model->ngeom, geom);
        return true;
    }
    int type = model->geom_type[index], body = model->geom_bodyid[index];
    *geom = describe(model, type, body);
    for (int i = 0; i < model->ngeom; i++)
        geom->is_solid |= model->geom_bodyid[i] != body && may_touch(model, index, i);
    read_colour(model, model->geom_rgba + 4 * index, model->geom_matid[index],
                model->geom_group[index], geom);
    the.mju_copy(geom->size, model->geom_size + 3 * index, 3);
    the.mju_copy(geom->centre, data->geom_xpos + 3 * index, 3);
    the.mju_copy(geom->axes, data->geom_xmat + 9 * index, 9);
    if (type == mjGEOM_MESH || type == mjGEOM_HFIELD)
        read_box(model, index, geom);
    return true;
}

wac_mujoco *wac_mujoco_of(const wac_world *world)
{
    return world->type->destroy == wac_mujoco_destroy ? world->self : NULL;
}

/* Whether all joints keep to planes across this axis. */
static bool is_normal(const wac_mujoco *mujoco, int axis)
{
    const mjModel *model = mujoco->model;
    for (int i = 0; i < model->njnt; i++) {
        double along = fabs(mujoco->data->xaxis[3 * i + axis]);
        int type = model->jnt_type[i];
        if (!(type == mjJNT_HINGE && along > 0.999) && !(type == mjJNT_SLIDE && along < 0.001))
            return false;
    }
    return model->njnt > 0;
}

wac_mujoco_motion wac_mujoco_describe_motion(wac_mujoco *mujoco)
{
    const mjModel *model = mujoco->model;
    the.mj_kinematics(model, mujoco->data);
    wac_mujoco_motion motion = {.normal = is_normal(mujoco, 1)   ? 1
                                          : is_normal(mujoco, 2) ? 2
                                          : is_normal(mujoco, 0) ? 0
                                                                 : -1};
    while (motion.trunk < model->nbody && model->body_weldid[motion.trunk] == 0)
        motion.trunk++;
    if (motion.trunk == model->nbody)
        return (wac_mujoco_motion){.normal = motion.normal};
    int first = model->body_jntadr[motion.trunk];
    for (int i = first; i < first + model->body_jntnum[motion.trunk]; i++)
        motion.travels |= model->jnt_type[i] == mjJNT_FREE ||
                          (model->jnt_type[i] == mjJNT_SLIDE && !model->jnt_limited[i]);
    return motion;
}

void wac_mujoco_place(const wac_mujoco *mujoco, int body, double place[3])
{
    the.mju_copy(place, mujoco->data->xpos + 3 * body, 3);
}

/* --- parts that a recipe can name ------------------------------------------------------------- */

/* All parts of a kind: what the engine calls them, and their values. */
typedef struct list {
    int type, parts, total;
    const double *values; /* [total] */
    const int *first;     /* [parts], of each part's values; null: all have equally many */
} list;

static list list_of(const wac_mujoco *mujoco, wac_mujoco_kind kind)
{
    const mjModel *m = mujoco->model;
    const mjData *d = mujoco->data;
    const list lists[] = {
        [WAC_MUJOCO_QPOS] = {mjOBJ_JOINT, m->njnt, m->nq, d->qpos, m->jnt_qposadr},
        [WAC_MUJOCO_QVEL] = {mjOBJ_JOINT, m->njnt, m->nv, d->qvel, m->jnt_dofadr},
        [WAC_MUJOCO_CONTROL] = {mjOBJ_ACTUATOR, m->nu, m->nu, d->ctrl, NULL},
        [WAC_MUJOCO_SENSOR] = {mjOBJ_SENSOR, m->nsensor, m->nsensordata, d->sensordata,
                               m->sensor_adr},
        [WAC_MUJOCO_SITE] = {mjOBJ_SITE, m->nsite, 3 * m->nsite, d->site_xpos, NULL},
        [WAC_MUJOCO_KEYFRAME] = {mjOBJ_KEY, m->nkey, 0, NULL, NULL},
    };
    return lists[kind];
}

int wac_mujoco_count(const wac_mujoco *mujoco, wac_mujoco_kind kind)
{
    return list_of(mujoco, kind).parts;
}

const char *wac_mujoco_name(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index)
{
    const char *name = the.mj_id2name(mujoco->model, list_of(mujoco, kind).type, index);
    return name ? name : "";
}

const double *wac_mujoco_values(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index,
                                int *count)
{
    list all = list_of(mujoco, kind);
    int each = all.parts ? all.total / all.parts : 0;
    *count = all.total;
    if (index < 0)
        return all.values;
    *count = each;
    if (!all.first)
        return all.values + each * index;
    *count = (index + 1 < all.parts ? all.first[index + 1] : all.total) - all.first[index];
    return all.values + all.first[index];
}

void wac_mujoco_site_velocity(const wac_mujoco *mujoco, int site, double velocity[3])
{
    double both[6]; /* angular, linear */
    the.mj_objectVelocity(mujoco->model, mujoco->data, mjOBJ_SITE, site, both, 0);
    the.mju_copy(velocity, both + 3, 3);
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
#if mjVERSION_HEADER < 314 /* later ones have no such noise */
    return mujoco->model->opt.enableflags & mjENBL_SENSORNOISE;
#else
    (void)mujoco;
    return false;
#endif
}
