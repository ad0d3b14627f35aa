/* Recipes: what makes an environment of a model. A small YAML file of five lists; each entry of
 * each list is one quantity of the simulation and what to do with it (docs/own-models.md).
 *
 * Reading a recipe needs no model: that its names exist is found out by quantity.h.
 */
#ifndef WAC_ENV_MUJOCO_RECIPE_H
#define WAC_ENV_MUJOCO_RECIPE_H

#include "wac/base.h"

typedef enum wac_recipe_list {
    WAC_RECIPE_OBSERVATION,
    WAC_RECIPE_REWARD,
    WAC_RECIPE_TERMINATE,
    WAC_RECIPE_SUCCESS,
    WAC_RECIPE_RESET,
    WAC_RECIPE_LISTS,
} wac_recipe_list;

/* The first five in the order of wac_mujoco_kind. */
typedef enum wac_what {
    WAC_WHAT_QPOS,
    WAC_WHAT_QVEL,
    WAC_WHAT_CONTROL,
    WAC_WHAT_SENSOR,
    WAC_WHAT_SITE,
    WAC_WHAT_SITE_VELOCITY,
    WAC_WHAT_DISTANCE,
    WAC_WHAT_BONUS,
    WAC_WHATS,
} wac_what;

/* Numbers that an entry may carry; which ones depends on its list. */
typedef enum wac_recipe_number {
    WAC_RECIPE_LOW, /* observation: bounds */
    WAC_RECIPE_HIGH,
    WAC_RECIPE_WEIGHT, /* reward */
    WAC_RECIPE_ABOVE,  /* terminate and success; infinite: not asked for */
    WAC_RECIPE_BELOW,
    WAC_RECIPE_UNIFORM, /* reset: half the width, or the deviation, of the noise */
    WAC_RECIPE_NORMAL,
    WAC_RECIPE_NUMBERS,
} wac_recipe_number;

/* How a reward makes one number of a quantity's values. */
typedef enum wac_recipe_measure {
    WAC_RECIPE_MEASURE_SUM,
    WAC_RECIPE_MEASURE_SQUARES,
    WAC_RECIPE_MEASURE_ABSOLUTE,
} wac_recipe_measure;

/* When a bonus is paid. */
typedef enum wac_bonus {
    WAC_BONUS_STEP,
    WAC_BONUS_ALIVE, /* unless `terminate` ends the episode */
    WAC_BONUS_SUCCESS,
} wac_bonus;

enum {
    WAC_RECIPE_ENTRIES = 64,    /* most of one list */
    WAC_RECIPE_NAME = 128,      /* longest name and its end */
    WAC_RECIPE_SKIP_MOST = 1000 /* largest frame_skip */
};

typedef struct wac_recipe_entry {
    wac_what what;
    size_t line;                 /* where it says so */
    char name[WAC_RECIPE_NAME];  /* of the part; empty: see `first` */
    char other[WAC_RECIPE_NAME]; /* distance: the second site; empty: `point` */
    double point[3];
    int first, last;    /* qpos, qvel, control without a name: these; last -1: all to the end */
    unsigned axes;      /* site, site_velocity, distance: bits 1, 2, 4 for x, y, z */
    int measure, bonus; /* wac_recipe_measure, wac_bonus */
    double numbers[WAC_RECIPE_NUMBERS];
} wac_recipe_entry;

typedef struct wac_recipe {
    int counts[WAC_RECIPE_LISTS];
    wac_recipe_entry lists[WAC_RECIPE_LISTS][WAC_RECIPE_ENTRIES];
    int frame_skip;                 /* steps of the engine to one of ours */
    char keyframe[WAC_RECIPE_NAME]; /* where episodes start; empty: the model's own start */
    size_t keyframe_line;
    int goes_on;   /* 1: after a success */
    int has_place; /* 1: the first two values observed say where it is */
} wac_recipe;

/* A recipe from the text of a file that `name` stands for in messages. */
wac_status wac_recipe_parse(wac_recipe *recipe, const char *text, size_t size, const char *name,
                            wac_error *error);

#endif
