/* mujoco:FILE.xml: any model, with a recipe beside it (recipe.h) that makes a task of it; and those
 * that come with the program. */
#ifndef WAC_ENV_MUJOCO_CUSTOM_H
#define WAC_ENV_MUJOCO_CUSTOM_H

#include "config/environments.h"
#include "env/mujoco/quantity.h"
#include "wac/env.h"

#include <limits.h>

typedef struct wac_custom {
    wac_mujoco mujoco; /* first: wac_mujoco_save */
    wac_recipe recipe;
    wac_quantity quantities[WAC_RECIPE_LISTS][WAC_RECIPE_ENTRIES]; /* as in the recipe */
    int key;            /* the keyframe where episodes start; -1: the model's own start */
    bool looks_further; /* some quantity follows from the state and is no part of it */
    double fingerprint; /* of model file and recipe: a whole number */
    char path[PATH_MAX];
} wac_custom;

/* Whether a name is of a model file that is there without a recipe beside it. */
bool wac_custom_has_no_recipe(const char *environment);

extern const wac_environment_type wac_environment_custom;

/* WAC_TASK_NAMES, in that order. */
enum { WAC_TASKS = 8 };
extern const wac_environment_type wac_environments_task[WAC_TASKS];

#endif
