/* Whose numbers a figure shows: groups, what makes a line of them, names and looks. */
#include "report/lines.h"

#include "base/number.h"
#include "base/status.h"
#include "config/config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What of a run a kind shows, as a number; NaN: it has nothing to show. */
static double shown_number(const wac_figure *figure, const wac_record *run)
{
    if (wac_figure_takes_it(figure, WAC_FIGURE_TAKES_ROWS))
        return wac_history_mean(&run->history, (wac_column)figure->columns[0], SIZE_MAX);
    if (!run->finished)
        return NAN;
    bool goals = wac_figure_takes_it(figure, WAC_FIGURE_TAKES_GOALS);
    return wac_record_measure(run, goals ? WAC_MEASURE_SOLVED : figure->measure);
}

/* Whether a group that has values has no places across at all: of other programs' runs the seconds
 * are not known. */
static bool is_placeless(const wac_sheet *sheet, const wac_group *group)
{
    const wac_column *across = wac_figure_takes_it(sheet->figure, WAC_FIGURE_TAKES_ROWS)
                                   ? wac_figure_across_column(sheet->figure)
                                   : NULL;
    for (size_t i = 0; i < group->count && across; i++)
        if (!isnan(wac_history_mean(&group->runs[i]->history, *across, SIZE_MAX)))
            return false;
    return across;
}

/* Notes who is left out for that, once. */
static void note_lost(wac_sheet *sheet, const wac_group *group)
{
    char name[WAC_PRETTY];
    size_t used = strlen(sheet->lost);
    wac_pretty_label(name, group->label);
    if (!strstr(sheet->lost, name) && used + strlen(name) + 2 < sizeof sheet->lost)
        stpcpy(stpcpy(sheet->lost + used, used ? ", " : ""), name);
}

/* Whether the group has a number to show. Bars have a place for each. */
static bool has_numbers(const wac_sheet *sheet, const wac_sheet_group *member)
{
    const wac_figure *figure = sheet->figure;
    if (figure->kind == WAC_FIGURE_KIND_BARS)
        return true;
    if (wac_figure_takes_it(figure, WAC_FIGURE_TAKES_X) && isnan(member->level))
        return false;
    if (wac_figure_takes_it(figure, WAC_FIGURE_TAKES_SHARES) &&
        isnan(wac_measure_unit(sheet->selection->set, member->group->task, figure->measure)))
        return false;
    for (size_t i = 0; i < member->group->count; i++)
        if (!isnan(shown_number(figure, member->group->runs[i])))
            return true;
    return false;
}

/* What tells the line of each group from others. */
static void set_keys(wac_sheet *sheet)
{
    const char *lines = sheet->by_label ? "" : sheet->figure->lines;
    for (size_t i = 0; i < sheet->group_count; i++) {
        const wac_group *group = sheet->groups[i].group;
        const wac_config *config = &group->runs[0]->config;
        const char *algorithm = group->runs[0]->algorithm;
        char *key = sheet->groups[i].key, value[128];
        size_t size = sizeof sheet->groups[i].key;
        if (!*lines) {
            snprintf(key, size, "%.319s", group->label);
        } else if (sheet->mixed) { /* as in a label */
            wac_config_text(config, lines, value, sizeof value);
            snprintf(key, size, "%s%s%s%s%s", algorithm, *value ? " " : "", *value ? lines : "",
                     *value ? " " : "", value);
        } else if (strcmp(lines, "algorithm") == 0) {
            snprintf(key, size, "%s", algorithm);
        } else {
            wac_config_text(config, lines, key, size);
        }
    }
}

/* The groups that the figure is about. free() them. */
static wac_status find_groups(wac_sheet *sheet, wac_error *error)
{
    const wac_runset *set = sheet->selection->set;
    int algorithm = -1;
    sheet->groups = calloc(set->group_count + 1, sizeof *sheet->groups);
    if (!sheet->groups)
        return wac_fail_memory(error, "the lines of a figure");
    for (size_t i = 0; i < set->group_count; i++) {
        wac_sheet_group *member = &sheet->groups[sheet->group_count];
        const wac_config *config = &set->groups[i].runs[0]->config;
        if (!wac_figure_means(sheet->figure, sheet->selection, i))
            continue;
        member->group = &set->groups[i];
        if (!wac_figure_takes_it(sheet->figure, WAC_FIGURE_TAKES_X) ||
            !wac_config_number(&member->level, config, sheet->figure->x))
            member->level = NAN;
        member->shown = has_numbers(sheet, member);
        if (member->shown && is_placeless(sheet, member->group)) {
            member->shown = false;
            note_lost(sheet, member->group);
        }
        sheet->group_count++;
        if (!member->shown)
            continue;
        sheet->mixed |= algorithm >= 0 && config->algorithm != algorithm;
        algorithm = config->algorithm;
    }
    sheet->mixed &= wac_figure_takes_it(sheet->figure, WAC_FIGURE_TAKES_X) &&
                    strcmp(sheet->figure->lines, "algorithm") != 0;
    set_keys(sheet);
    return WAC_STATUS_OK;
}

/* Whether two groups are in one line of a panel. */
static bool share_line(const wac_sheet_group *a, const wac_sheet_group *b)
{
    return a->shown && b->shown && a->group->task == b->group->task && strcmp(a->key, b->key) == 0;
}

bool wac_lines_have_two(const wac_figure *figure, const wac_selection *selection)
{
    wac_sheet sheet = {.figure = figure, .selection = selection};
    bool found = false;
    if (find_groups(&sheet, NULL) != WAC_STATUS_OK)
        return false;
    for (size_t i = 0; i < sheet.group_count; i++)
        for (size_t k = 0; k < i; k++)
            found |= share_line(&sheet.groups[i], &sheet.groups[k]) &&
                     sheet.groups[i].level != sheet.groups[k].level;
    free(sheet.groups);
    return found;
}

static int by_key(const void *a, const void *b)
{
    const wac_sheet_line *x = a, *y = b;
    double p, q;
    if (x->algorithm >= 0 && y->algorithm >= 0)
        return x->algorithm - y->algorithm;
    if (wac_number_parse(&p, x->key) && wac_number_parse(&q, y->key))
        return (p > q) - (p < q);
    return strcmp(x->key, y->key);
}

static void name_line(const wac_sheet *sheet, wac_sheet_line *line)
{
    char text[WAC_PRETTY], setting[WAC_PRETTY];
    const char *key = sheet->by_label || sheet->mixed ? "" : sheet->figure->lines;
    if (*key && strcmp(key, "algorithm") != 0)
        snprintf(text, sizeof text, "%.100s %.200s", wac_pretty_setting(setting, key), line->key);
    else
        wac_pretty_label(text, wac_label_beyond(line->key, sheet->algorithm));
    wac_page_quote(line->label, sizeof line->label, text);
}

/* Which settings differ between groups of the same line (or point of it) and task, in words. */
static void find_pooled(wac_sheet *sheet)
{
    size_t total, used = 0;
    const wac_setting *settings = wac_settings(&total), *setting;
    bool over[WAC_SETTINGS_TOTAL] = {0};
    bool has_points = wac_figure_takes_it(sheet->figure, WAC_FIGURE_TAKES_X);
    for (size_t i = 0; i < sheet->group_count; i++)
        for (size_t k = i + 1; k < sheet->group_count; k++) {
            const wac_sheet_group *one = &sheet->groups[i], *other = &sheet->groups[k];
            if (!share_line(one, other) || (has_points && one->level != other->level))
                continue;
            sheet->pooled = true;
            for (size_t s = 0; s < total; s++) {
                char a[320], b[320];
                if (!sheet->selection->set->differs[s] || over[s])
                    continue;
                wac_config_text(&one->group->runs[0]->config, settings[s].name, a, sizeof a);
                wac_config_text(&other->group->runs[0]->config, settings[s].name, b, sizeof b);
                over[s] = strcmp(a, b) != 0;
            }
        }
    for (size_t s = 0; (setting = wac_setting_named(s)); s++) {
        char name[WAC_PRETTY];
        if (over[setting - settings] && used < sizeof sheet->over - 48)
            used += (size_t)snprintf(sheet->over + used, sizeof sheet->over - used, "%s%.40s",
                                     used ? ", " : "", wac_pretty_setting(name, setting->name));
    }
}

/* How many different labels the groups have. */
static size_t count_labels(const wac_sheet *sheet)
{
    size_t count = 0;
    for (size_t i = 0; i < sheet->group_count; i++) {
        bool fresh = sheet->groups[i].shown;
        for (size_t k = 0; k < i && fresh; k++)
            fresh = !sheet->groups[k].shown ||
                    strcmp(sheet->groups[i].group->label, sheet->groups[k].group->label) != 0;
        count += fresh;
    }
    return count;
}

/* Over a setting: its values in ascending order. */
static void find_levels(wac_sheet *sheet)
{
    double *levels = sheet->levels;
    for (size_t i = 0; i < sheet->group_count; i++) {
        double level = sheet->groups[i].level;
        size_t place = 0;
        while (place < sheet->level_count && levels[place] < level)
            place++;
        if (isnan(level) || (place < sheet->level_count && levels[place] == level) ||
            sheet->level_count == WAC_SHEET_MOST_LEVELS)
            continue;
        memmove(levels + place + 1, levels + place,
                (sheet->level_count++ - place) * sizeof *levels);
        levels[place] = level;
    }
}

/* The algorithm of all groups, where they differ in something else; and of choices that were ended
 * at different epochs the fewest. */
static void find_common(wac_sheet *sheet)
{
    bool same = true;
    sheet->algorithm = NULL;
    sheet->until = -1;
    for (size_t i = 0; i < sheet->group_count; i++) {
        const wac_record *run = sheet->groups[i].group->runs[0];
        if (!sheet->groups[i].shown)
            continue;
        same &= !sheet->algorithm || strcmp(sheet->algorithm, run->algorithm) == 0;
        sheet->algorithm = run->algorithm;
        if (sheet->until < 0 || run->config.epochs < sheet->until)
            sheet->until = run->config.epochs;
    }
    if (!same || count_labels(sheet) < 2)
        sheet->algorithm = NULL;
    if (!sheet->selection->set->rungs)
        sheet->until = -1;
}

/* Tasks and lines, as they come. */
static void find_lines(wac_sheet *sheet)
{
    find_common(sheet);
    for (size_t i = 0; i < sheet->group_count; i++) {
        const wac_group *group = sheet->groups[i].group;
        if (!sheet->groups[i].shown)
            continue;
        if ((sheet->task_count == 0 || sheet->tasks[sheet->task_count - 1] != group->task) &&
            sheet->task_count < WAC_SHEET_MOST_PANELS)
            sheet->tasks[sheet->task_count++] = group->task;
        wac_sheet_line *line = &sheet->lines[sheet->line_total];
        strcpy(line->key, sheet->groups[i].key);
        size_t k = 0;
        while (strcmp(sheet->lines[k].key, line->key) != 0)
            k++;
        if (k < sheet->line_total)
            continue;
        const wac_record *run = group->runs[0];
        bool has_look = !wac_record_is_foreign(run) && strcmp(run->algorithm, line->key) == 0;
        line->algorithm = has_look ? run->config.algorithm : -1;
        name_line(sheet, line);
        sheet->line_total++;
    }
}

/* --- looks: a label has the same one in all figures of a selection ------------------------------
 */

/* The first look that is not taken; WAC_STYLES: there is none. */
static size_t free_look(const bool taken[WAC_STYLES])
{
    size_t look = 0;
    while (look < WAC_STYLES && taken[look])
        look++;
    return look;
}

static size_t look_of_algorithm(const wac_record *run)
{
    return wac_record_is_foreign(run)
               ? WAC_STYLES - 1
               : (size_t)(wac_style_of((wac_algorithm)run->config.algorithm) - wac_style_at(0));
}

/* The looks of all groups of the selection, whatever the figure is about: an algorithm of ours has
 * its own with the first label, further labels and others' algorithms have what is left. Where
 * there are more labels than looks all have those of their algorithms. */
static void look_at_labels(size_t *looks, const wac_selection *selection)
{
    const wac_runset *set = selection->set;
    bool taken[WAC_STYLES] = {0};
    size_t labels = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < set->group_count; i++) {
            const wac_record *run = set->groups[i].runs[0];
            if (!wac_selection_has(selection, i) || (pass == 1 && looks[i] < WAC_STYLES))
                continue;
            size_t own = look_of_algorithm(run), same = 0;
            while (same < i && (!wac_selection_has(selection, same) ||
                                strcmp(set->groups[same].label, set->groups[i].label) != 0))
                same++;
            labels += pass == 0 && same == i;
            looks[i] = same < i                                   ? looks[same]
                       : pass == 1                                ? free_look(taken)
                       : wac_record_is_foreign(run) || taken[own] ? WAC_STYLES
                                                                  : own;
            if (looks[i] < WAC_STYLES)
                taken[looks[i]] = true;
        }
    for (size_t i = 0; i < set->group_count && labels > WAC_STYLES; i++)
        looks[i] = look_of_algorithm(set->groups[i].runs[0]);
}

/* A line looks as the first of its groups does; two lines of a figure look different while there
 * are looks left. */
static wac_status find_looks(wac_sheet *sheet, wac_error *error)
{
    const wac_runset *set = sheet->selection->set;
    bool taken[WAC_STYLES] = {0};
    size_t *looks = calloc(set->group_count + 1, sizeof *looks);
    if (!looks)
        return wac_fail_memory(error, "the looks of a figure");
    look_at_labels(looks, sheet->selection);
    for (size_t i = 0; i < sheet->line_count; i++) {
        size_t k = 0;
        while (!sheet->groups[k].shown || strcmp(sheet->groups[k].key, sheet->lines[i].key) != 0)
            k++;
        size_t look = looks[sheet->groups[k].group - set->groups];
        if (taken[look] && sheet->line_count <= WAC_STYLES)
            look = free_look(taken);
        taken[look] = true;
        sheet->lines[i].look = look;
    }
    free(looks);
    return WAC_STATUS_OK;
}

/* A line has the best place of its groups (wac_groups_rank). */
static wac_status find_places(wac_sheet *sheet, wac_error *error)
{
    size_t *places;
    WAC_TRY(wac_groups_rank(&places, sheet->selection->set, error));
    for (size_t i = 0; i < sheet->line_total; i++) {
        sheet->lines[i].place = SIZE_MAX;
        for (size_t k = 0; k < sheet->group_count; k++) {
            size_t place = places[sheet->groups[k].group - sheet->selection->set->groups];
            if (strcmp(sheet->groups[k].key, sheet->lines[i].key) == 0 &&
                place < sheet->lines[i].place)
                sheet->lines[i].place = place;
        }
    }
    free(places);
    return WAC_STATUS_OK;
}

/* Of more lines than can be shown those with the best places, in the order that they had. */
static wac_status choose_lines(wac_sheet *sheet, size_t most, wac_error *error)
{
    WAC_TRY(find_places(sheet, error));
    for (size_t i = 0; i < sheet->line_total; i++) {
        size_t place = sheet->lines[i].place, before = 0;
        for (size_t k = 0; k < sheet->line_total; k++)
            before += sheet->lines[k].place < place || (sheet->lines[k].place == place && k < i);
        sheet->lines[i].chosen = before < most;
    }
    for (size_t i = 0; i < sheet->line_total; i++)
        if (sheet->lines[i].chosen)
            sheet->lines[sheet->line_count++] = sheet->lines[i];
    return WAC_STATUS_OK;
}

wac_status wac_lines_find(wac_sheet *sheet, size_t most, wac_error *error)
{
    WAC_TRY(find_groups(sheet, error));
    sheet->lines = calloc(sheet->group_count + 1, sizeof *sheet->lines);
    if (!sheet->lines)
        return wac_fail_memory(error, "the lines of a figure");
    find_levels(sheet);
    if (wac_figure_takes_it(sheet->figure, WAC_FIGURE_TAKES_LINES))
        find_pooled(sheet);
    if (sheet->pooled && wac_figure_takes_it(sheet->figure, WAC_FIGURE_TAKES_ROWS) &&
        count_labels(sheet) <= most) {
        sheet->by_label = true;
        sheet->pooled = false;
        set_keys(sheet);
    }
    find_lines(sheet);
    if (*sheet->figure->lines && !sheet->by_label &&
        !sheet->mixed) /* labels are in order already */
        qsort(sheet->lines, sheet->line_total, sizeof *sheet->lines, by_key);
    if (sheet->line_total > most)
        WAC_TRY(choose_lines(sheet, most, error));
    else
        sheet->line_count = sheet->line_total;
    return find_looks(sheet, error);
}

size_t wac_lines_runs(wac_sheet *sheet, size_t task, size_t index, const double *x)
{
    size_t count = 0;
    for (size_t i = 0; i < sheet->group_count; i++) {
        const wac_sheet_group *member = &sheet->groups[i];
        if (member->group->task != sheet->tasks[task] || (x && member->level != *x) ||
            strcmp(member->key, sheet->lines[index].key) != 0)
            continue;
        for (size_t k = 0; k < member->group->count; k++)
            sheet->found[count++] = member->group->runs[k];
    }
    return count;
}
