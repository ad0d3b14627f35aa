/* Finding names in a model, and reading what they stand for. */
#include "env/mujoco/quantity.h"

#include "base/status.h"
#include "base/suggest.h"
#include "wac/env.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static_assert((int)WAC_WHAT_QPOS == (int)WAC_MUJOCO_QPOS &&
                  (int)WAC_WHAT_SITE == (int)WAC_MUJOCO_SITE,
              "quantities begin with the kinds of parts");

/* what a part of each kind is called */
static const char *const nouns[] = {"joint", "joint", "actuator", "sensor", "site", "keyframe"};

/* All parts of a kind, for suggestions. */
typedef struct parts {
    const wac_mujoco *mujoco;
    wac_mujoco_kind kind;
} parts;

static const char *name_of_part(const void *names, size_t index)
{
    const parts *all = names;
    if ((int)index >= wac_mujoco_count(all->mujoco, all->kind))
        return NULL;
    return wac_mujoco_name(all->mujoco, all->kind, (int)index);
}

/* The names that there are, as many as fit. */
static void join_names(char *text, size_t size, const parts *all)
{
    size_t used = 0;
    const char *name;
    for (size_t i = 0; (name = name_of_part(all, i)) && used + WAC_CLIP_SIZE + 8 < size; i++)
        if (*name)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     WAC_CLIP(name));
    if (used && name)
        snprintf(text + used, size - used, ", ...");
}

static wac_status find_part(int *index, const char *name, const wac_mujoco *mujoco,
                            wac_mujoco_kind kind, const char *file, size_t line, wac_error *error)
{
    int count = wac_mujoco_count(mujoco, kind);
    for (*index = 0; *index < count; ++*index)
        if (strcmp(wac_mujoco_name(mujoco, kind, *index), name) == 0)
            return WAC_STATUS_OK;
    parts all = {mujoco, kind};
    const char *near = WAC_SUGGEST(name, name_of_part, &all, NULL);
    if (near)
        return wac_fail(error, WAC_STATUS_INPUT, "%s:%zu: the model has no %s \"%s\"; %s", file,
                        line, nouns[kind], WAC_CLIP(name), near);
    char names[320] = "";
    join_names(names, sizeof names, &all);
    if (!*names)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s:%zu: the model has no %s \"%s\", nor any other that is named", file,
                        line, nouns[kind], WAC_CLIP(name));
    return wac_fail(error, WAC_STATUS_INPUT, "%s:%zu: the model has no %s \"%s\"; it has %s", file,
                    line, nouns[kind], WAC_CLIP(name), names);
}

/* Entries of qpos, qvel or ctrl by their places. */
static wac_status find_range(wac_quantity *quantity, const wac_recipe_entry *entry,
                             const wac_mujoco *mujoco, const char *file, wac_error *error)
{
    static const char *const keys[] = {"qpos", "qvel", "control"};
    int total;
    const double *values = wac_mujoco_values(mujoco, (wac_mujoco_kind)entry->what, -1, &total);
    int last = entry->last < 0 ? total - 1 : entry->last;
    if (last >= total)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s:%zu: there is no %s %d in this model; it has those from 0 to %d", file,
                        entry->line, keys[entry->what], last, total - 1);
    quantity->values = values + entry->first;
    quantity->count = last - entry->first + 1;
    return WAC_STATUS_OK;
}

static wac_status find(wac_quantity *quantity, const wac_recipe_entry *entry,
                       const wac_mujoco *mujoco, const char *file, wac_error *error)
{
    int index, unused;
    *quantity = (wac_quantity){.what = entry->what, .axes = entry->axes};
    if (entry->what == WAC_WHAT_BONUS)
        return WAC_STATUS_OK;
    if (!*entry->name)
        return find_range(quantity, entry, mujoco, file, error);
    wac_mujoco_kind kind =
        entry->what < WAC_WHAT_SITE ? (wac_mujoco_kind)entry->what : WAC_MUJOCO_SITE;
    WAC_TRY(find_part(&index, entry->name, mujoco, kind, file, entry->line, error));
    quantity->values = wac_mujoco_values(mujoco, kind, index, &quantity->count);
    quantity->site = index;
    if (kind == WAC_MUJOCO_SITE)
        quantity->count = entry->what == WAC_WHAT_DISTANCE ? 1 : __builtin_popcount(entry->axes);
    quantity->other = entry->point;
    if (*entry->other) {
        WAC_TRY(find_part(&index, entry->other, mujoco, kind, file, entry->line, error));
        quantity->other = wac_mujoco_values(mujoco, kind, index, &unused);
    }
    return WAC_STATUS_OK;
}

wac_status wac_quantity_find(wac_quantity *quantity, const wac_recipe_entry *entry,
                             const wac_mujoco *mujoco, const char *file, wac_error *error)
{
    WAC_TRY(find(quantity, entry, mujoco, file, error));
    if (quantity->count > WAC_ENVIRONMENT_DIMENSIONS)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s:%zu: these are %d values, and %d the most there may be; choose some",
                        file, entry->line, quantity->count, WAC_ENVIRONMENT_DIMENSIONS);
    return WAC_STATUS_OK;
}

wac_status wac_quantity_keyframe(int *key, const wac_recipe *recipe, const wac_mujoco *mujoco,
                                 const char *file, wac_error *error)
{
    *key = -1;
    if (!*recipe->keyframe)
        return WAC_STATUS_OK;
    return find_part(key, recipe->keyframe, mujoco, WAC_MUJOCO_KEYFRAME, file,
                     recipe->keyframe_line, error);
}

/* Of a vector the chosen axes. */
static void choose(const double vector[3], unsigned axes, double *values)
{
    for (int i = 0; i < 3; i++)
        if (axes >> i & 1)
            *values++ = vector[i];
}

void wac_quantity_read(const wac_quantity *quantity, const wac_mujoco *mujoco, double *values)
{
    double velocity[3], sum = 0;
    switch (quantity->what) {
    case WAC_WHAT_SITE:
        choose(quantity->values, quantity->axes, values);
        return;
    case WAC_WHAT_SITE_VELOCITY:
        wac_mujoco_site_velocity(mujoco, quantity->site, velocity);
        choose(velocity, quantity->axes, values);
        return;
    case WAC_WHAT_DISTANCE:
        for (int i = 0; i < 3; i++) {
            double difference = quantity->values[i] - quantity->other[i];
            sum += quantity->axes >> i & 1 ? difference * difference : 0;
        }
        *values = sqrt(sum);
        return;
    default:
        memcpy(values, quantity->values, (size_t)quantity->count * sizeof *values);
    }
}
