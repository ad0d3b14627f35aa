/* The ranking of a search for settings. */
#include "sweep/tune.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "config/config.h"
#include "run/coverage.h"
#include "run/folder.h"
#include "sweep/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The length of a folder's name up to its last slash: what the seeds of a choice share. */
static size_t prefix_of(const char *folder)
{
    const char *slash = strrchr(folder, '/');
    return slash ? (size_t)(slash - folder) : strlen(folder);
}

static bool is_same_choice(const wac_sweep_run *a, const wac_sweep_run *b)
{
    size_t length = prefix_of(a->folder);
    return length == prefix_of(b->folder) && strncmp(a->folder, b->folder, length) == 0;
}

/* The environment as the folder names it, which tells apart what the config does not: up to the
 * second slash. */
static size_t pair_of(const char *folder)
{
    size_t first = strcspn(folder, "/");
    return first + (folder[first] ? 1 + strcspn(folder + first + 1, "/") : 0);
}

static bool is_same_pair(const wac_sweep_run *a, const wac_sweep_run *b)
{
    size_t length = pair_of(a->folder);
    return length == pair_of(b->folder) && strncmp(a->folder, b->folder, length) == 0;
}

bool wac_tune_is_rival(const wac_sweep *sweep, const wac_tuned *a, const wac_tuned *b)
{
    return is_same_pair(&sweep->runs[a->first], &sweep->runs[b->first]);
}

bool wac_tune_varies(const wac_sweep *sweep, const wac_setting *setting)
{
    if (strcmp(setting->name, "seed") == 0)
        return false;
    for (size_t i = 1; i < sweep->count; i++) {
        const wac_sweep_run *run = &sweep->runs[i], *before = &sweep->runs[i - 1];
        if (is_same_pair(run, before) && wac_config_reads(&run->config, setting) &&
            wac_setting_compare(setting, &run->config, &before->config) != 0)
            return true;
    }
    return false;
}

/* Why runs of this config have no values in the column, or null. */
static const char *why_empty(const wac_config *config, wac_column_need need)
{
    const wac_environment_type *type;
    wac_world *world;
    bool evaluated = need == WAC_COLUMN_NEED_EVALUATION || need == WAC_COLUMN_NEED_GOAL;
    const char *why = NULL;
    if (evaluated && config->evaluation_steps == 0)
        return "its runs are never evaluated (evaluation_steps is 0)";
    /* what cannot be made says so itself, when it is trained */
    if (wac_environment_type_find(&type, config->environment, NULL) != WAC_STATUS_OK ||
        wac_world_create(&world, type, config, NULL) != WAC_STATUS_OK)
        return NULL;
    if (need == WAC_COLUMN_NEED_GOAL && !world->spec.has_goal)
        why = "it has no goal to reach";
    else if (need == WAC_COLUMN_NEED_COVERAGE && !wac_world_has_coverage(world))
        why = "coverage is only of environments with one observation and one action";
    wac_world_destroy(world);
    return why;
}

wac_status wac_tune_check(const wac_sweep *sweep, const wac_search *search, wac_error *error)
{
    const wac_column_row *column = &wac_columns[search->measure];
    for (size_t i = 0; i < sweep->count; i++) {
        const wac_config *config = &sweep->runs[i].config;
        const wac_config *before = i > 0 ? &sweep->runs[i - 1].config : NULL;
        if (before && strcmp(config->environment, before->environment) == 0 &&
            config->evaluation_steps == before->evaluation_steps)
            continue;
        const char *why = why_empty(config, column->need);
        if (why)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s has no %s: %s; choose another measure, as eval_return",
                            config->environment, column->name, why);
    }
    return WAC_STATUS_OK;
}

static wac_status score_choice(wac_tuned *choice, const wac_sweep *sweep,
                               const wac_sweep_item *items, const wac_search *search,
                               const char *directory, wac_error *error)
{
    double sum = 0;
    choice->smallest = INFINITY;
    choice->largest = -INFINITY;
    for (size_t i = choice->first; i < choice->first + choice->runs; i++) {
        char folder[PATH_MAX];
        wac_history history;
        if (items[i].state != WAC_SWEEP_STATE_DONE)
            continue;
        WAC_TRY(wac_path_join(folder, sizeof folder, directory, sweep->runs[i].folder, error));
        WAC_TRY(wac_history_read(&history, folder, error));
        double score = wac_history_mean(&history, search->measure, (size_t)search->last);
        wac_history_free(&history);
        if (isnan(score))
            continue;
        choice->finished++;
        sum += score;
        choice->smallest = fmin(choice->smallest, score);
        choice->largest = fmax(choice->largest, score);
    }
    choice->mean = choice->finished ? sum / (double)choice->finished : NAN;
    if (!choice->finished)
        choice->smallest = choice->largest = NAN;
    return WAC_STATUS_OK;
}

static bool is_whole(const wac_tuned *choice)
{
    return choice->finished == choice->runs;
}

/* Whether a goes before b, of rivals: finished ones first, then by mean; else as they were. */
static bool goes_before(const wac_tuned *a, const wac_tuned *b)
{
    if (is_whole(a) != is_whole(b))
        return is_whole(a);
    if (isnan(a->mean) || isnan(b->mean))
        return !isnan(a->mean) && isnan(b->mean);
    return a->mean > b->mean;
}

/* Insertion: lists are short, and equals must keep their order. */
static void sort(wac_tuned *list, size_t count, const wac_sweep *sweep)
{
    for (size_t i = 1; i < count; i++) {
        wac_tuned choice = list[i];
        size_t place = i;
        while (place > 0 && wac_tune_is_rival(sweep, &list[place - 1], &choice) &&
               goes_before(&choice, &list[place - 1])) {
            list[place] = list[place - 1];
            place--;
        }
        list[place] = choice;
    }
}

wac_status wac_tune_rank(wac_tuned **list, size_t *count, const wac_sweep *sweep,
                         const wac_search *search, const char *directory, wac_error *error)
{
    wac_sweep_item *items;
    *count = 0;
    WAC_TRY(wac_sweep_inspect(&items, sweep, directory, error));
    *list = calloc(sweep->count, sizeof **list);
    wac_status status = *list ? WAC_STATUS_OK : wac_fail_memory(error, "the ranking");
    for (size_t i = 0; i < sweep->count && status == WAC_STATUS_OK; i++) {
        if (i == 0 || !is_same_choice(&sweep->runs[i - 1], &sweep->runs[i]))
            (*list)[(*count)++].first = i;
        (*list)[*count - 1].runs++;
    }
    for (size_t i = 0; i < *count && status == WAC_STATUS_OK; i++)
        status = score_choice(&(*list)[i], sweep, items, search, directory, error);
    free(items);
    if (status == WAC_STATUS_OK) {
        sort(*list, *count, sweep);
        return WAC_STATUS_OK;
    }
    free(*list);
    *list = NULL;
    return status;
}

static void write_number(FILE *stream, double value)
{
    char text[64] = "";
    if (!isnan(value))
        wac_number_print(text, sizeof text, "%.9g", value);
    fprintf(stream, ",%s", text);
}

static void write_rows(FILE *stream, const wac_tuned *list, size_t count, const wac_sweep *sweep)
{
    size_t total;
    const wac_setting *settings = wac_settings(&total);
    bool varies[WAC_SETTINGS_TOTAL];
    fputs("folder,environment,algorithm", stream);
    for (size_t i = 0; i < total; i++)
        if ((varies[i] = wac_tune_varies(sweep, &settings[i])))
            fprintf(stream, ",%s", settings[i].name);
    fputs(",seeds,finished,mean,min,max\n", stream);
    for (size_t i = 0; i < count; i++) {
        const wac_sweep_run *run = &sweep->runs[list[i].first];
        fprintf(stream, "%.*s,%.*s,%s", (int)prefix_of(run->folder), run->folder,
                (int)strcspn(run->folder, "/"), run->folder,
                wac_algorithm_name((wac_algorithm)run->config.algorithm));
        for (size_t j = 0; j < total; j++) {
            char value[64] = "";
            if (varies[j] && wac_config_reads(&run->config, &settings[j]))
                wac_config_format(&run->config, &settings[j], value, sizeof value);
            if (varies[j])
                fprintf(stream, ",%s", value);
        }
        fprintf(stream, ",%zu,%zu", list[i].runs, list[i].finished);
        write_number(stream, list[i].mean);
        write_number(stream, list[i].smallest);
        write_number(stream, list[i].largest);
        fputc('\n', stream);
    }
}

wac_status wac_tune_write(const wac_tuned *list, size_t count, const wac_sweep *sweep,
                          const char *directory, wac_error *error)
{
    char path[PATH_MAX], *text = NULL;
    size_t size = 0;
    WAC_TRY(wac_path_join(path, sizeof path, directory, "tune.csv", error));
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return wac_fail_memory(error, "tune.csv");
    write_rows(stream, list, count, sweep);
    bool bad = ferror(stream);
    bad = fclose(stream) != 0 || bad;
    wac_status status =
        bad ? wac_fail_memory(error, "tune.csv") : wac_file_write(path, text, size, error);
    free(text);
    return status;
}
