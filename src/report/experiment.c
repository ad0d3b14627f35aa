/* Experiments: finding the files, and whether all is there. */
#include "report/experiment.h"

#include "base/files.h"
#include "base/share.h"
#include "base/status.h"
#include "base/suggest.h"
#include "config/environments.h"
#include "report/experiment_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char variable[] = "WAC_EXPERIMENTS";

const char *const wac_scale_names[WAC_SCALE_TOTAL + 1] = {
    [WAC_SCALE_QUICK] = "quick",
    [WAC_SCALE_HALF] = "half",
    [WAC_SCALE_PAPER] = "paper",
    [WAC_SCALE_STRONG] = "strong",
};

int wac_scale_find(const char *name)
{
    for (int i = 0; i < WAC_SCALE_TOTAL; i++)
        if (strcmp(wac_scale_names[i], name) == 0)
            return i;
    return strcmp(name, "full") == 0 ? WAC_SCALE_PAPER : -1;
}

const char *wac_scale_title(char text[WAC_SCALE_TITLE], const wac_experiment *experiment,
                            wac_scale scale)
{
    snprintf(text, WAC_SCALE_TITLE, "%s", wac_scale_names[scale]);
    if (experiment->seeds)
        snprintf(text, WAC_SCALE_TITLE, "%s with %lld seed%s", wac_scale_names[scale],
                 (long long)experiment->seeds, experiment->seeds == 1 ? "" : "s");
    return text;
}

const char *wac_rule_name(wac_rule rule)
{
#define NAME(id, word) word,
    static const char *const names[] = {WAC_RULES(NAME)};
#undef NAME
    return names[rule];
}

/* --- files ------------------------------------------------------------------------------------ */

static bool is_yaml(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && name[0] != '.' && strcmp(name + length - 5, ".yaml") == 0;
}

static void free_names(char **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static int is_experiment(const struct dirent *entry)
{
    return is_yaml(entry->d_name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

wac_status wac_experiment_list(char ***names, size_t *count, wac_error *error)
{
    char path[PATH_MAX];
    struct dirent **entries;
    *names = NULL;
    *count = 0;
    WAC_TRY(wac_share_find(path, sizeof path, "experiments", variable, "folder of experiments", "",
                           error));
    int found = scandir(path, &entries, is_experiment, NULL);
    if (found < 0)
        return wac_fail(error, WAC_STATUS_IO, "cannot read the folder %s: %s", path,
                        strerror(errno));
    char **made = calloc((size_t)found + 1, sizeof *made);
    bool whole = made != NULL;
    for (int i = 0; i < found; i++) {
        const char *name = entries[i]->d_name;
        whole = whole && (made[i] = strndup(name, strlen(name) - strlen(".yaml")));
        free(entries[i]);
    }
    free(entries);
    if (!whole) {
        free_names(made, made ? (size_t)found : 0);
        return wac_fail_memory(error, "the list of experiments");
    }
    qsort(made, (size_t)found, sizeof *made, by_name);
    *names = made;
    *count = (size_t)found;
    return WAC_STATUS_OK;
}

static wac_status fail_unknown(const char *name, wac_error *error)
{
    char **names;
    size_t count;
    WAC_TRY(wac_experiment_list(&names, &count, error));
    wac_status status =
        wac_fail(error, WAC_STATUS_INPUT, "there is no experiment \"%s\"; %s", WAC_CLIP(name),
                 WAC_SUGGEST(name, wac_name_in_array, names, "\"wac reproduce\" lists them"));
    free_names(names, count);
    return status;
}

wac_status wac_experiment_read(wac_experiment **experiment, const char *name, wac_error *error)
{
    char path[PATH_MAX], file[256], *text;
    size_t size;
    *experiment = NULL;
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    if (slash || is_yaml(name)) {
        snprintf(path, sizeof path, "%s", name);
    } else {
        if (!*name || strlen(name) > sizeof file - 8)
            return fail_unknown(name, error);
        snprintf(file, sizeof file, "%s.yaml", name);
        wac_error missing;
        if (wac_share_find(path, sizeof path, "experiments", variable, "experiment", file,
                           &missing) != WAC_STATUS_OK)
            return fail_unknown(name, error);
    }
    WAC_TRY(wac_file_read(&text, &size, path, 1 << 20, error));
    snprintf(file, sizeof file, "%.*s", (int)(strlen(base) - (is_yaml(base) ? 5 : 0)), base);
    WAC_TRY(wac_experiment_parse(experiment, text, size, file, path, error));
    strcpy((*experiment)->path, path);
    return WAC_STATUS_OK;
}

/* Whether some run of some scale is meant: by `where`, on a side (null: any), and in one of its
 * environments (null: any). */
static bool has_run(const wac_experiment *experiment, const wac_where *where,
                    const wac_condition *side, const char *environment)
{
    wac_where of_side = {.count = side != NULL};
    if (side)
        of_side.conditions[0] = *side;
    for (int scale = 0; scale < WAC_SCALE_TOTAL; scale++)
        for (size_t i = 0; i < experiment->scales[scale].count; i++) {
            const wac_config *config = &experiment->scales[scale].runs[i].config;
            char name[WAC_ENVIRONMENT_NAME];
            if (wac_where_holds(&of_side, config) &&
                (!environment || strcmp(environment, wac_environment_name(name, config)) == 0) &&
                wac_where_holds(where, config))
                return true;
        }
    return false;
}

static wac_status check_part(const wac_experiment *experiment, const wac_claim *claim,
                             const wac_claim_part *part, wac_error *error)
{
    const wac_condition *environments = wac_where_find(&part->where, "environment");
    for (int e = 0; e < (environments ? environments->count : 1); e++) {
        const char *place = environments ? environments->values[e] : NULL;
        if (!has_run(experiment, &part->where, NULL, place))
            return wac_fail(error, WAC_STATUS_INPUT,
                            "claim %d (%.80s): no run of any scale is as its \"where\" says%s%s",
                            claim->number, claim->says, place ? ", in " : "", place ? place : "");
        for (int i = 0; i < part->who_count + part->than_count; i++) {
            const wac_condition *side =
                i < part->who_count ? &part->who[i] : &part->than[i - part->who_count];
            if (!has_run(experiment, &part->where, side, place))
                return wac_fail(error, WAC_STATUS_INPUT,
                                "claim %d (%.80s): no scale has a run of %s%s%s that it is about",
                                claim->number, claim->says, side->values[0], place ? " in " : "",
                                place ? place : "");
        }
    }
    return WAC_STATUS_OK;
}

wac_status wac_experiment_check(const wac_experiment *experiment, wac_error *error)
{
    for (int i = 0; i < experiment->claim_count; i++)
        for (int k = 0; k < experiment->claims[i].count; k++)
            WAC_TRY(check_part(experiment, &experiment->claims[i], &experiment->claims[i].parts[k],
                               error));
    return WAC_STATUS_OK;
}

const char *wac_experiment_measure_of(const wac_experiment *experiment, wac_scale scale)
{
    if (scale >= WAC_SCALE_PAPER)
        return NULL;
    if (*experiment->paper)
        return "the paper's";
    if (experiment->scales[WAC_SCALE_PAPER].count)
        return "scale paper";
    return scale < WAC_SCALE_HALF && experiment->scales[WAC_SCALE_HALF].count ? "scale half" : NULL;
}

wac_status wac_experiment_reseed(wac_experiment *experiment, int64_t seeds, wac_error *error)
{
    for (int i = 0; i < WAC_SCALE_TOTAL; i++) {
        wac_sweep made = {0};
        if (experiment->scales[i].count == 0)
            continue;
        WAC_TRY(wac_sweep_reseed(&made, &experiment->scales[i], seeds, error));
        wac_sweep_free(&experiment->scales[i]);
        experiment->scales[i] = made;
    }
    experiment->seeds = seeds;
    return WAC_STATUS_OK;
}

wac_status wac_experiment_give(wac_experiment *experiment, int scale, wac_given *given,
                               wac_error *error)
{
    for (int i = 0; i < WAC_SCALE_TOTAL; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s at scale %s", experiment->name, wac_scale_names[i]);
        if (experiment->scales[i].count && (scale < 0 || scale == i))
            WAC_TRY(wac_sweep_give(&experiment->scales[i], given, name, error));
    }
    return WAC_STATUS_OK;
}

void wac_experiment_free(wac_experiment *experiment)
{
    if (!experiment)
        return;
    for (int i = 0; i < WAC_SCALE_TOTAL; i++)
        wac_sweep_free(&experiment->scales[i]);
    free(experiment->text);
    free(experiment);
}
