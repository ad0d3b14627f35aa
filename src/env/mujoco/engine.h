/* A MuJoCo simulation: a model that nobody changes, and its own data.
 *
 * The engine's warnings (a number that is not finite or huge, a full buffer) are errors here: it
 * would go on from a silent reset, which no agent should learn from. So are its own fatal errors
 * (its stack is full), at which it would end the process. Once either has occurred every further
 * step fails, until the simulation is started or loaded anew.
 *
 * This header needs none of MuJoCo's. In a build without it, open fails and says so.
 */
#ifndef WAC_ENV_MUJOCO_ENGINE_H
#define WAC_ENV_MUJOCO_ENGINE_H

#include "wac/base.h"

typedef struct wac_mujoco {
    struct mjModel_ *model;
    struct mjData_ *data;
    int positions, velocities, controls; /* nq, nv, nu */
    double timestep;                     /* seconds */
    const double *start;                 /* [positions], the model's own start */
    double *qpos, *qvel;                 /* [positions], [velocities], of the data */
    bool failed;                         /* the engine gave up, and needs a new start */
} wac_mujoco;

/* Whether there is an engine, the one that this was built for. */
wac_status wac_mujoco_check(wac_error *error);

/* Load the model file of this name, one of those that come with the program (base/share.h). What
 * the loader has to say about a broken one is in the error. The model must have these numbers of
 * positions, velocities and controls. On failure there is nothing to close. */
wac_status wac_mujoco_open(wac_mujoco *mujoco, const char *name, int positions, int velocities,
                           int controls, wac_error *error);

/* Load any model, from this path. */
wac_status wac_mujoco_open_file(wac_mujoco *mujoco, const char *path, wac_error *error);
void wac_mujoco_close(wac_mujoco *mujoco);

/* Everything as after loading, or as in this keyframe if `key` is not negative; what follows from
 * it is brought up to date by wac_mujoco_forward. */
void wac_mujoco_reset(wac_mujoco *mujoco, int key);

/* Everything as after loading, but for these positions and velocities. */
wac_status wac_mujoco_start(wac_mujoco *mujoco, const double *qpos, const double *qvel,
                            wac_error *error);

/* So many steps of the engine under the same controls: [controls]. */
wac_status wac_mujoco_step(wac_mujoco *mujoco, const double *control, int steps, wac_error *error);

/* Bring everything that follows from qpos and qvel up to date, after writing to them. */
wac_status wac_mujoco_forward(wac_mujoco *mujoco, wac_error *error);

/* All that the next step depends on, as `wac_mujoco_state_size` doubles; and a type's `save`,
 * `load` and `destroy` where the first member of the world is its simulation. */
int wac_mujoco_state_size(const wac_mujoco *mujoco);
void wac_mujoco_save(const void *world, double *state);
wac_status wac_mujoco_load(void *world, const double *state, wac_error *error);
void wac_mujoco_destroy(void *world);

/* What the model is made of, for those who draw it. */
typedef enum wac_geom_kind {
    WAC_GEOM_BOX,       /* size: half its length along its x, y and z; also what holds a mesh */
    WAC_GEOM_CAPSULE,   /* size: radius, half the length of the straight part along its z */
    WAC_GEOM_CYLINDER,  /* the same */
    WAC_GEOM_SPHERE,    /* size: radius */
    WAC_GEOM_ELLIPSOID, /* size: radii along its x, y and z */
    WAC_GEOM_PLANE,     /* seen from its z; size: half its length along its x and y, 0: no end */
    WAC_GEOM_OTHER,
} wac_geom_kind;

typedef struct wac_geom {
    wac_geom_kind kind;
    bool is_fixed;  /* to the world */
    bool is_solid;  /* something else may bump into it */
    bool is_hidden; /* wholly transparent, or of a group that viewers do not show at first */
    int tree, limb; /* which tree of bodies; 0: its trunk, else which branch of it */
    int colour;     /* 0xrrggbb; negative: the model gives none */
    double size[3];
    double centre[3];
    double axes[9]; /* its x, y and z axes, as the columns of this matrix */
    /* of a mesh, along these axes: [3 * vertex_count], and the middle of the box among them */
    const float *vertices;
    int vertex_count;
    double middle[3];
    const int *faces; /* [3 * face_count] their corners among the vertices */
    int face_count;
} wac_geom;

/* Geom number `index` where it is now, then the sites, which are marks of the same shapes; false
 * past the last. */
bool wac_mujoco_geom(wac_mujoco *mujoco, int index, wac_geom *geom);

/* The simulation of a world in MuJoCo; null for others. */
struct wac_world;
wac_mujoco *wac_mujoco_of(const struct wac_world *world);

/* How the joints let it move, as it stands now. */
typedef struct wac_mujoco_motion {
    int normal; /* of the plane that all motion is in: 0, 1 or 2 for x, y or z; -1: there is none */
    int trunk;  /* the first body that moves; 0: none does */
    bool travels; /* no joint keeps that from going far */
} wac_mujoco_motion;
wac_mujoco_motion wac_mujoco_describe_motion(wac_mujoco *mujoco);

/* Where a body was when its geoms were asked for. */
void wac_mujoco_place(const wac_mujoco *mujoco, int body, double place[3]);

/* --- the parts of a model that a recipe can name, and where their values are ------------------ */

typedef enum wac_mujoco_kind {
    WAC_MUJOCO_QPOS, /* a joint's share of it: 1 value, 4 of a ball, 7 of a free body */
    WAC_MUJOCO_QVEL, /* a joint's: 1, 3 or 6 */
    WAC_MUJOCO_CONTROL,
    WAC_MUJOCO_SENSOR,
    WAC_MUJOCO_SITE, /* its position in the world: 3 */
    WAC_MUJOCO_KEYFRAME,
} wac_mujoco_kind;

int wac_mujoco_count(const wac_mujoco *mujoco, wac_mujoco_kind kind);

/* "" where it has none. */
const char *wac_mujoco_name(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index);

/* The present values of one part, or of all if the index is negative; of sensors and sites those of
 * the last step's or forward's begin. The pointer is good as long as the simulation. */
const double *wac_mujoco_values(const wac_mujoco *mujoco, wac_mujoco_kind kind, int index,
                                int *count);

/* Of a site, along the axes of the world. */
void wac_mujoco_site_velocity(const wac_mujoco *mujoco, int site, double velocity[3]);

/* False for an actuator without limits. */
bool wac_mujoco_control_range(const wac_mujoco *mujoco, int control, double *low, double *high);

/* Whether sensors add random numbers of the engine's own, which nobody could reproduce. */
bool wac_mujoco_is_noisy(const wac_mujoco *mujoco);

#endif
