/* A recipe's quantity within a model: its names found, its values read. */
#ifndef WAC_ENV_MUJOCO_QUANTITY_H
#define WAC_ENV_MUJOCO_QUANTITY_H

#include "env/mujoco/engine.h"
#include "env/mujoco/recipe.h"

typedef struct wac_quantity {
    wac_what what;
    const double *values; /* of the engine: [count], or the site's */
    const double *other;  /* distance: the second site, or the recipe's point */
    int site;             /* site_velocity */
    unsigned axes;
    int count; /* values that reading gives, at most WAC_ENVIRONMENT_DIMENSIONS */
} wac_quantity;

/* Finds what an entry names; a name that the model does not have is refused, with the nearest one
 * and the line of the recipe `file`. The entry must outlive the quantity. */
wac_status wac_quantity_find(wac_quantity *quantity, const wac_recipe_entry *entry,
                             const wac_mujoco *mujoco, const char *file, wac_error *error);

/* The same for the recipe's keyframe; -1 if it names none. */
wac_status wac_quantity_keyframe(int *key, const wac_recipe *recipe, const wac_mujoco *mujoco,
                                 const char *file, wac_error *error);

/* values: [count] */
void wac_quantity_read(const wac_quantity *quantity, const wac_mujoco *mujoco, double *values);

#endif
