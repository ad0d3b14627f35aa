/* The ranking of a search for settings. */
#include "sweep/tune.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/stream.h"
#include "config/config.h"
#include "config/environments.h"
#include "env/returns.h"
#include "run/folder.h"
#include "run/visits.h"
#include "stats/measures.h"
#include "sweep/folder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wac_search_measure(const wac_search *search)
{
    return search->rule == WAC_SEARCH_RULE_HARDEST      ? WAC_SEARCH_HARDEST
           : search->rule == WAC_SEARCH_RULE_NORMALISED ? WAC_SEARCH_NORMALISED
                                                        : wac_columns[search->measure].name;
}

/* The settings of a choice: those of its first run. */
static const wac_config *config_of(const wac_choices *choices, size_t choice)
{
    return &choices->sweep->runs[choices->runs[choices->list[choice].first]].config;
}

bool wac_field_varies(const wac_choices *choices, size_t field, const wac_setting *setting)
{
    size_t first = choices->fields[field].first, end = first + choices->fields[field].count;
    if (strcmp(setting->name, "seed") == 0)
        return false;
    for (size_t i = first + 1; i < end; i++)
        if (wac_config_reads(config_of(choices, i), setting) &&
            wac_setting_compare(setting, config_of(choices, i), config_of(choices, i - 1)) != 0)
            return true;
    return false;
}

bool wac_tune_varies(const wac_choices *choices, const wac_setting *setting)
{
    bool varies = false;
    for (size_t i = 0; i < choices->field_count && !varies; i++)
        varies = wac_field_varies(choices, i, setting);
    return varies;
}

/* Why runs of this config have no values in the column, or null. */
static wac_status find_why_empty(const char **why, const wac_config *config, wac_column_need need,
                                 wac_error *error)
{
    const wac_environment_type *type;
    wac_world *world;
    bool evaluated = need == WAC_COLUMN_NEED_EVALUATION || need == WAC_COLUMN_NEED_GOAL;
    *why = NULL;
    if (evaluated && config->evaluation_steps == 0) {
        *why = "its runs are never evaluated (evaluation_steps is 0)";
        return WAC_STATUS_OK;
    }
    WAC_TRY(wac_environment_type_find(&type, config->environment, error));
    WAC_TRY(wac_world_create(&world, type, config, error));
    if (need == WAC_COLUMN_NEED_GOAL && !world->spec.has_goal)
        *why = "it has no goal to reach";
    else if (need == WAC_COLUMN_NEED_COVERAGE && !wac_world_has_coverage(world))
        *why = "coverage is only of environments with one observation and one action";
    wac_world_destroy(world);
    return WAC_STATUS_OK;
}

/* Why returns of this config are no shares of what can be won, or null. */
static const char *find_why_no_share(const wac_config *config)
{
    char name[WAC_ENVIRONMENT_NAME];
    if (!isnan(wac_normalised_return(config, 0)))
        return NULL;
    return wac_returns_find(wac_environment_name(name, config))
               ? "what can be won there is known only with the preset's settings of the world "
                 "(wac config tells them)"
               : "what can be won there is not known (docs/suite.md)";
}

/* The first config whose runs cannot be measured by the rule, and why; null where all can. */
static wac_status find_empty(const wac_config **empty, const char **why, const wac_sweep *sweep,
                             const wac_search *search, wac_error *error)
{
    *empty = NULL;
    for (size_t i = 0; i < sweep->count; i++) {
        const wac_config *config = &sweep->runs[i].config;
        const wac_config *before = i > 0 ? &sweep->runs[i - 1].config : NULL;
        if (before && wac_task_compare(config, before) == 0 &&
            config->evaluation_steps == before->evaluation_steps)
            continue;
        wac_column_need need = wac_columns[search->measure].need;
        /* whether RiverSwim is solved its return tells (stats/measures.h) */
        if (search->rule == WAC_SEARCH_RULE_HARDEST)
            need = strcmp(config->environment, "riverswim") == 0 ? WAC_COLUMN_NEED_EVALUATION
                                                                 : WAC_COLUMN_NEED_GOAL;
        else if (search->rule == WAC_SEARCH_RULE_USUAL)
            need = WAC_COLUMN_NEED_GOAL;
        WAC_TRY(find_why_empty(why, config, need, error));
        if (!*why && search->rule == WAC_SEARCH_RULE_NORMALISED)
            *why = find_why_no_share(config);
        if (*why) {
            *empty = config;
            break;
        }
    }
    return WAC_STATUS_OK;
}

wac_status wac_tune_check(const wac_sweep *sweep, wac_search *search, wac_error *error)
{
    const char *why;
    const wac_config *empty;
    if (search->rule == WAC_SEARCH_RULE_USUAL) {
        WAC_TRY(find_empty(&empty, &why, sweep, search, error));
        search->rule = empty ? WAC_SEARCH_RULE_COLUMN : WAC_SEARCH_RULE_HARDEST;
    }
    WAC_TRY(find_empty(&empty, &why, sweep, search, error));
    if (!empty)
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s has no %s: %s; choose another measure, as eval_return", empty->environment,
                    wac_search_measure(search), why);
}

/* --- the table ---------------------------------------------------------------------------------*/

static void write_number(FILE *stream, double value)
{
    char text[64] = "";
    if (!isnan(value))
        wac_number_print(text, sizeof text, "%.9g", value);
    fprintf(stream, ",%s", text);
}

/* Runs of a choice that solved an environment. */
static size_t count_solved(const wac_choices *choices, const wac_mark *marks, size_t choice,
                           size_t environment)
{
    size_t solved = 0;
    for (size_t i = 0; i < choices->list[choice].count; i++) {
        size_t run = choices->runs[choices->list[choice].first + i];
        solved += choices->environments[run] == environment && marks[run].solved;
    }
    return solved;
}

static void write_head(FILE *stream, const wac_choices *choices, const bool *varies)
{
    size_t total;
    const wac_setting *settings = wac_settings(&total);
    bool hardest = choices->search->rule == WAC_SEARCH_RULE_HARDEST;
    fprintf(stream, "folder,%s,algorithm", hardest ? "hardest" : "environment");
    for (size_t i = 0; i < total; i++)
        if (varies[i])
            fprintf(stream, ",%s", settings[i].name);
    bool over_all = wac_search_is_over_all(choices->search);
    fprintf(stream, ",%s,finished,epochs,%s", over_all ? "runs" : "seeds",
            hardest ? "solved,episodes" : "mean,min,max");
    for (size_t i = 0; hardest && i < choices->environment_count; i++) {
        int length;
        const char *name = wac_choices_environment(choices, i, &length);
        fprintf(stream, ",solved_%.*s", length, name);
    }
    fputc('\n', stream);
}

/* The environments that are compared, between spaces. */
static void write_hardest(FILE *stream, const wac_choices *choices, const wac_hardest *hardest)
{
    for (int i = 0; i < hardest->count; i++) {
        int length;
        const char *name = wac_choices_environment(choices, hardest->list[i].environment, &length);
        fprintf(stream, "%s%.*s", i ? " " : "", length, name);
    }
}

static void write_row(FILE *stream, const wac_ladder *ladder, const wac_tuned *tuned,
                      const bool *varies)
{
    const wac_choices *choices = wac_ladder_choices(ladder);
    const wac_choice *choice = &choices->list[tuned->choice];
    const wac_sweep_run *run = &choices->sweep->runs[choices->runs[choice->first]];
    const char *slash = strrchr(run->folder, '/');
    size_t total;
    const wac_setting *settings = wac_settings(&total);
    fprintf(stream, "%.*s,", slash ? (int)(slash - run->folder) : 0, run->folder);
    if (choices->search->rule == WAC_SEARCH_RULE_HARDEST)
        write_hardest(stream, choices, &tuned->hardest);
    else if (wac_search_is_over_all(choices->search))
        fputs("all", stream);
    else
        fprintf(stream, "%.*s", (int)strcspn(run->folder, "/"), run->folder);
    fprintf(stream, ",%s", wac_algorithm_name((wac_algorithm)run->config.algorithm));
    for (size_t i = 0; i < total; i++) {
        char value[64] = "";
        if (varies[i] && wac_config_reads(&run->config, &settings[i]))
            wac_config_format(&run->config, &settings[i], value, sizeof value);
        if (varies[i])
            fprintf(stream, ",%s", value);
    }
    fprintf(stream, ",%zu,%zu,%lld", choice->count, tuned->finished, (long long)tuned->epochs);
    if (choices->search->rule == WAC_SEARCH_RULE_HARDEST) {
        size_t number = (size_t)(run - choices->sweep->runs);
        const wac_mark *marks = wac_ladder_marks(ladder, wac_ladder_rung(ladder, number));
        fprintf(stream, ",%zu", tuned->solved);
        write_number(stream, tuned->episodes);
        for (size_t i = 0; i < choices->environment_count; i++)
            fprintf(stream, ",%zu", count_solved(choices, marks, tuned->choice, i));
    } else {
        write_number(stream, tuned->mean);
        write_number(stream, tuned->smallest);
        write_number(stream, tuned->largest);
    }
    fputc('\n', stream);
}

static wac_status write_rows(FILE *stream, const wac_ladder *ladder, wac_error *error)
{
    const wac_choices *choices = wac_ladder_choices(ladder);
    bool varies[WAC_SETTINGS_TOTAL];
    size_t total;
    const wac_setting *settings = wac_settings(&total);
    wac_tuned *tuned = malloc(choices->count * sizeof *tuned);
    if (!tuned)
        return wac_fail_memory(error, WAC_SWEEP_TABLE);
    for (size_t i = 0; i < total; i++)
        varies[i] = wac_tune_varies(choices, &settings[i]);
    write_head(stream, choices, varies);
    for (size_t i = 0; i < choices->field_count; i++) {
        wac_ladder_rank(tuned, ladder, i);
        for (size_t k = 0; k < choices->fields[i].count; k++)
            write_row(stream, ladder, &tuned[k], varies);
    }
    free(tuned);
    return WAC_STATUS_OK;
}

wac_status wac_tune_write(const wac_ladder *ladder, const char *directory, wac_error *error)
{
    char path[PATH_MAX];
    wac_stream stream;
    WAC_TRY(wac_path_join(path, sizeof path, directory, WAC_SWEEP_TABLE, error));
    if (!wac_stream_open(&stream))
        return wac_fail_memory(error, WAC_SWEEP_TABLE);
    return wac_stream_save(&stream, path, write_rows(stream.to, ladder, error), error);
}
