/* Environments: small tables of functions over a world of their own.
 *
 * To train on your own simulator, fill a wac_environment_type and pass it to wac_run_create. The
 * library maps observations and actions between your units and the agent's [-1, 1], counts steps
 * against the path limit, and resets when an episode is over; a world never resets itself. Built as
 * a shared object that exports its table, it is an environment of the program, too.
 */
#ifndef WAC_ENV_H
#define WAC_ENV_H

#include "wac/config.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WAC_ENVIRONMENT_DIMENSIONS 512 /* most observation or action entries */

/* What a world tells of itself when it is created, in its own units. */
typedef struct wac_environment_spec {
    int observation_size;
    int action_size;
    int state_size; /* doubles that save and load move */
    int states;     /* of a world with few of them: observation 0 … states - 1; 0: not so … */
    int choices;    /* … and its actions: 0 … choices - 1 (others are rounded) */
    bool has_goal;  /* steps can report success */
    bool has_place; /* the first two observations say where it is: a run counts its visits */
    double seconds; /* that a step lasts, for pictures that move; 0: a twentieth */
    double observation_low[WAC_ENVIRONMENT_DIMENSIONS];
    double observation_high[WAC_ENVIRONMENT_DIMENSIONS];
    double action_low[WAC_ENVIRONMENT_DIMENSIONS];
    double action_high[WAC_ENVIRONMENT_DIMENSIONS];
} wac_environment_spec;

typedef struct wac_step {
    double reward;
    bool terminated; /* the world ended the episode */
    bool truncated;  /* it was cut: by the path limit, or by the world for a reason of its own */
    bool success;    /* the goal was reached */
    bool begins;     /* no step, but the start of an episode, whose first observation this is */
} wac_step;

/* A part of a picture: a stroke from one point to another, round at its ends and `radius` to either
 * side; a disc where the two are one. */
typedef struct wac_stroke {
    double x[2], y[2], radius; /* in any unit; y upwards */
    int colour;                /* 0: dark; 1: blue, before it; 2: orange, behind it */
} wac_stroke;

#define WAC_ENVIRONMENT_STROKES 64 /* most of a picture */

/* One kind of world. `world` is whatever create made; each is used by one thread at a time. All
 * randomness comes from the generator that is passed in. */
typedef struct wac_environment_type {
    const char *name;
    const char *summary; /* one line */
    wac_status (*create)(void **world, wac_environment_spec *spec, const wac_config *config,
                         wac_error *error);
    void (*destroy)(void *world);
    /* observation: [observation_size] */
    wac_status (*reset)(void *world, wac_rng *rng, double *observation, wac_error *error);
    /* action: [action_size], already within the bounds of the spec; *step arrives zeroed */
    wac_status (*step)(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error);
    /* state: [state_size], everything that the next step depends on; both may be null in a world
     * whose state_size is 0 */
    void (*save)(const void *world, double *state);
    wac_status (*load)(void *world, const double *state, wac_error *error);
    /* strokes: [WAC_ENVIRONMENT_STROKES], what it looks like now; returns how many. May be null:
     * there is no picture of it */
    int (*draw)(const void *world, wac_stroke *strokes);
    /* For worlds of a run that can only be stepped together (setting `worlds`): each is told its
     * action before the first of them steps. May be null */
    void (*send)(void *world, const double *action);
} wac_environment_type;

/* The worlds that come with the library; index from 0, null past the end. */
WAC_API const wac_environment_type *wac_environment_type_at(size_t index);

/* By name, also "point-4-sparse", "mujoco:FILE.xml", "./FILE.so" and "gym:NAME" (config.h); an
 * unknown one is an error that suggests the nearest. A plug-in is loaded, and stays so. */
WAC_API wac_status wac_environment_type_find(const wac_environment_type **type, const char *name,
                                             wac_error *error);

/* --- plug-ins --------------------------------------------------------------------------------- */

/* Rises whenever a structure changes that a world and the library share; wac_config apart, whose
 * fields the plug-in names. */
#define WAC_ENVIRONMENT_VERSION 3

#define WAC_LAYOUT_REAL(name, ...) " real " #name
#define WAC_LAYOUT_COUNT(name, ...) " count " #name
#define WAC_LAYOUT_FLAG(name, ...) " flag " #name
#define WAC_LAYOUT_CHOICE(name, ...) " choice " #name
#define WAC_CONFIG_LAYOUT                                                                          \
    WAC_SETTINGS(WAC_LAYOUT_REAL, WAC_LAYOUT_COUNT, WAC_LAYOUT_FLAG, WAC_LAYOUT_CHOICE)

/* What a plug-in exports under the name wac_environment_plugin_table. */
typedef struct wac_environment_plugin {
    int64_t version;    /* WAC_ENVIRONMENT_VERSION */
    const char *config; /* WAC_CONFIG_LAYOUT */
    const wac_environment_type *type;
} wac_environment_plugin;

#ifdef __cplusplus
}
#define WAC_EXTERN extern "C" WAC_API
#else
#define WAC_EXTERN extern WAC_API
#endif

/* The last line of a plug-in: WAC_ENVIRONMENT_EXPORT(&type); docs/own-environments.md. */
#define WAC_ENVIRONMENT_EXPORT(type)                                                               \
    WAC_EXTERN const wac_environment_plugin wac_environment_plugin_table;                          \
    const wac_environment_plugin wac_environment_plugin_table = {WAC_ENVIRONMENT_VERSION,          \
                                                                 WAC_CONFIG_LAYOUT, type}

#endif
