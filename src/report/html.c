/* The page: one HTML file with everything in it, figures as data. It loads nothing, runs no script,
 * follows the reader's light or dark, and prints. */
#include "report/html.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/stream.h"
#include "report/markup.h"
#include "report/matrix.h"
#include "report/names.h"
#include "report/svg.h"
#include "run/packed.h"
#include "stats/compare.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *number(char text[32], double value)
{
    if (isnan(value))
        return strcpy(text, "–");
    if (fabs(value) < 1e-12) /* what is left over from rounding */
        value = 0;
    wac_number_print(text, 32, fabs(value) >= 1000 ? "%.0f" : "%.3g", value);
    if (*text == '-') { /* a minus that is as wide as a plus */
        char rest[32];
        strcpy(rest, text + 1);
        snprintf(text, 32, "−%.24s", rest);
    }
    return text;
}
#define NUMBER(value) number((char[32]){0}, (value))

/* --- the parts of the page -------------------------------------------------------------------- */

static void write_summary(FILE *to, const wac_report_page *page)
{
    const wac_runset *set = page->selection->set;
    size_t runs = 0, finished = 0, groups = 0, foreign = 0;
    for (size_t i = 0; i < set->group_count; i++)
        if (wac_selection_has(page->selection, i)) {
            runs += set->groups[i].count;
            finished += set->groups[i].finished;
            foreign += wac_record_is_foreign(set->groups[i].runs[0]) ? set->groups[i].count : 0;
            groups++;
        }
    fprintf(to, "<p>%zu run%s, %zu of them finished, in %zu group%s of equal settings.</p>\n", runs,
            runs == 1 ? "" : "s", finished, groups, groups == 1 ? "" : "s");
    if (finished < runs)
        fputs("<p class=\"note\">Unfinished runs are in the curves, but count in no number.</p>\n",
              to);
    if (foreign)
        fprintf(to,
                "<p class=\"note\">%zu of the runs %s of other programs. Only returns are known of "
                "them; at each evaluation of ours stands their last one by then.</p>\n",
                foreign, foreign == 1 ? "is" : "are");
}

static void write_warnings(FILE *to, const wac_report_page *page)
{
    const wac_runset *set = page->selection->set;
    const wac_report *report = page->report;
    if (set->problem_count) {
        fprintf(to, "<div class=\"warn\"><p>%zu run%s could not be read and %s left out:</p><ul>",
                set->problem_count, set->problem_count == 1 ? "" : "s",
                set->problem_count == 1 ? "is" : "are");
        for (size_t i = 0; i < set->problem_count; i++)
            wac_html_tag(to, "<li>", set->problems[i].message, "</li>");
        fputs("</ul></div>\n", to);
    }
    if (report->missing_count) {
        fprintf(to,
                "<div class=\"warn\"><details%s><summary>%zu run%s of the experiment %s missing or "
                "not finished</summary><ul>",
                report->missing_count <= 5 ? " open" : "", report->missing_count,
                report->missing_count == 1 ? "" : "s", report->missing_count == 1 ? "is" : "are");
        for (size_t i = 0; i < report->missing_count; i++)
            wac_html_tag(to, "<li>", report->missing[i], "</li>");
        fputs("</ul></details></div>\n", to);
    }
    if (report->left_out)
        fprintf(to,
                "<p class=\"note\">%zu run%s in this folder %s no part of the experiment at this "
                "scale and %s left out.</p>\n",
                report->left_out, report->left_out == 1 ? "" : "s",
                report->left_out == 1 ? "is" : "are", report->left_out == 1 ? "is" : "are");
}

static void write_claims(FILE *to, const wac_report_page *page)
{
    const wac_report *report = page->report;
    const wac_report_options *options = page->options;
    if (!options->experiment || report->count == 0)
        return;
    fputs("<h2 id=\"claims\">Claims</h2>\n", to);
    char scale[WAC_SCALE_TITLE];
    wac_scale_title(scale, options->experiment, options->scale);
    const char *whole = wac_experiment_measure_of(options->experiment, options->scale);
    if (whole)
        fprintf(to,
                "<p class=\"note\">Judged at scale “%s”: fewer runs and epochs than %s, so a "
                "verdict here is about those.</p>\n",
                scale, whole);
    wac_html_table(to, "claims",
                   *options->experiment->paper ? "#№|The paper says|Verdict|Numbers"
                                               : "#№|Claim|Verdict|Numbers");
    for (size_t i = 0; i < report->count; i++) {
        const wac_claim *claim = &options->experiment->claims[i];
        const wac_judgement *judgement = &report->judgements[i];
        fprintf(to, "<tr><td class=\"n\">%d</td>", claim->number);
        wac_html_tag(to, "<td>", claim->says, "</td><td>");
        wac_html_verdict(to, judgement->verdict, judgement->leaning);
        if (whole || options->experiment->seeds)
            fprintf(to, "<br><span class=\"soft\">at scale %s</span>", scale);
        fputs("</td><td><ul>", to);
        for (size_t k = 0; k < judgement->count; k++)
            wac_html_finding(to, &judgement->findings[k], "");
        fputs("</ul></td></tr>\n", to);
    }
    wac_html_table_end(to);
    wac_html_rules(to);
}

/* --- figures ---------------------------------------------------------------------------------- */

static void write_base64(FILE *to, const char *bytes, size_t size)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = 0;
        for (size_t k = 0; k < 3; k++)
            word = word << 8 | (i + k < size ? (unsigned char)bytes[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            fputc(i + k <= size ? letters[word >> (18 - 6 * k) & 63] : '=', to);
    }
}

/* The drawing as data, in its usual layout ("") or in another ("-narrow"). */
static wac_status write_picture(FILE *to, const wac_report_page *page, const wac_drawing *drawing,
                                const char *layout, wac_error *error)
{
    char path[PATH_MAX], name[96], *bytes;
    size_t size;
    snprintf(name, sizeof name, "%s%s%s", drawing->name, layout, drawing->is_png ? ".png" : ".svg");
    WAC_TRY(wac_path_join(path, sizeof path, page->figures, name, error));
    WAC_TRY(wac_file_read(&bytes, &size, path, 64 << 20, error));
    if (drawing->is_png) {
        fputs("data:image/png;base64,", to);
        write_base64(to, bytes, size);
    } else {
        fputs("data:image/svg+xml,", to);
        wac_svg_write(to, bytes, size);
    }
    free(bytes);
    return WAC_STATUS_OK;
}

static wac_status write_figures(FILE *to, const wac_report_page *page, wac_error *error)
{
    fputs("<h2 id=\"figures\">Figures</h2>\n", to);
    for (size_t i = 0; i < page->drawing_count; i++) {
        const wac_drawing *drawing = &page->drawings[i];
        if (!drawing->drawn) {
            wac_html_tag(to, "<p class=\"warn\">The figure “", drawing->title,
                         drawing->empty ? "” is not drawn: " : "” could not be drawn: ");
            wac_html_tag(to, "", drawing->problem, "</p>\n");
            continue;
        }
        fputs("<figure><div class=\"wide\"><picture>", to);
        if (drawing->narrow) {
            fputs("<source media=\"(max-width:40rem)\" srcset=\"", to);
            WAC_TRY(write_picture(to, page, drawing, "-narrow", error));
            fputs("\">", to);
        }
        fprintf(to, "<img style=\"--width:%dpx\"%s src=\"", drawing->width,
                drawing->narrow ? " class=\"two\"" : "");
        WAC_TRY(write_picture(to, page, drawing, "", error));
        wac_html_tag(to, "\" alt=\"", drawing->title, ": ");
        wac_html_tag(to, "", drawing->caption, "\"></picture></div>");
        wac_html_tag(to, "<figcaption><strong>", drawing->title, ".</strong> ");
        wac_html_escape(to, drawing->caption);
        fprintf(to,
                " <span class=\"soft\">Files: figures/%s.svg, .png, .pdf%s</span></figcaption>"
                "</figure>\n",
                drawing->name, drawing->has_table ? ", .csv" : "");
    }
    return WAC_STATUS_OK;
}

/* --- statistics ------------------------------------------------------------------------------- */

/* Mean and spread of a measure of the finished runs of a group. Small screens, where the heads of
 * the columns do not show, have its name with it. */
static void write_mean(FILE *to, const wac_group *group, wac_measure measure, double *values)
{
    size_t count = wac_records_measure(values, NULL, group->runs, group->count, measure);
    fprintf(to, "<td class=\"n\" data-is=\"%s\">%s", wac_measure_name(measure),
            NUMBER(wac_mean(values, count)));
    if (count > 1)
        fprintf(to, " ± %s", NUMBER(wac_spread(values, count)));
    fputs("</td>", to);
}

static void write_row(FILE *to, const wac_report_page *page, const wac_group_summary *summary,
                      double *values)
{
    const wac_group *group = summary->group;
    char name[WAC_PRETTY], label[WAC_PRETTY];
    size_t solved = 0;
    for (size_t i = 0; i < group->count; i++)
        solved += group->runs[i]->finished && wac_record_is_solved(group->runs[i]);
    wac_html_tag(to, "<tr><td>", wac_pretty_task(name, page->selection, group->task), "</td>");
    wac_html_tag(to, "<td>", wac_pretty_label(label, group->label), "</td>");
    fprintf(to, "<td class=\"n\" data-is=\"seeds\">%zu%s</td>", group->finished,
            group->finished < WAC_SEEDS_ENOUGH ? "*" : "");
    write_mean(to, group, WAC_MEASURE_SCORE, values);
    fprintf(to, "<td class=\"n\" data-is=\"IQM of the score\">%s", NUMBER(summary->iqm.value));
    if (summary->count > 1)
        fprintf(to, " (%s to %s)", NUMBER(summary->iqm.low), NUMBER(summary->iqm.high));
    fputs("</td>", to);
    write_mean(to, group, WAC_MEASURE_RETURN, values);
    write_mean(to, group, WAC_MEASURE_COVERAGE, values);
    if (!isnan(wac_record_measure(group->runs[0], WAC_MEASURE_SOLVED))) /* it has a goal */
        fprintf(to, "<td class=\"n\" data-is=\"solved\">%zu of %zu</td></tr>\n", solved,
                group->finished);
    else
        fputs("<td class=\"n\" data-is=\"solved\">–</td></tr>\n", to);
}

static void write_pairs(FILE *to, const wac_comparison *comparison)
{
    if (comparison->pair_count == 0 || comparison->pair_count > 45)
        return;
    fputs("<p class=\"note\">How probable it is that a run of the first does better (score), "
          "averaged over the tasks that both have.</p>\n",
          to);
    wac_html_table(to, "stats", "first|second|#probability|#95 % interval|#tasks|#seeds");
    for (size_t i = 0; i < comparison->pair_count; i++) {
        const wac_pair_summary *pair = &comparison->pairs[i];
        char label[WAC_PRETTY];
        wac_html_tag(to, "<tr><td>",
                     wac_pretty_label(label, comparison->methods[pair->better].label), "</td>");
        wac_html_tag(to, "<td>", wac_pretty_label(label, comparison->methods[pair->worse].label),
                     "</td>");
        fprintf(to,
                "<td class=\"n\">%s</td><td class=\"n\">%s to %s</td><td class=\"n\">%zu</td>"
                "<td class=\"n\">%zu%s</td></tr>\n",
                NUMBER(pair->improvement.value), NUMBER(pair->improvement.low),
                NUMBER(pair->improvement.high), pair->tasks, pair->improvement.fewest,
                pair->improvement.fewest < WAC_SEEDS_ENOUGH ? "*" : "");
    }
    wac_html_table_end(to);
}

static wac_status write_statistics(FILE *to, const wac_report_page *page, wac_error *error)
{
    const wac_runset *set = page->selection->set;
    wac_comparison comparison;
    wac_error why = {0};
    fputs("<h2 id=\"statistics\">Statistics</h2>\n", to);
    wac_status status =
        wac_compare(&comparison, set, WAC_MEASURE_SCORE, wac_bootstrap_default(), &why);
    if (status == WAC_STATUS_INPUT) {
        wac_html_tag(to, "<p class=\"note\">None: ", why.message, ".</p>\n");
        return WAC_STATUS_OK;
    }
    if (status != WAC_STATUS_OK)
        return wac_fail(error, status, "%s", why.message);
    double *values = malloc((set->count + 1) * sizeof *values);
    if (!values) {
        wac_comparison_free(&comparison);
        return wac_fail_memory(error, "the statistics");
    }
    fputs("<p class=\"note\">Mean ± 2 s/√n over seeds; IQM: interquartile mean "
          "with a bootstrap 95 % interval. Score: success over the last 50 epochs (Point), return "
          "of the last 10 epochs as a share of 161.6 (RiverSwim), return of the last 10 epochs "
          "(others).</p>\n",
          to);
    wac_html_table(to, "stats stack groups",
                   "task|runs|#seeds|#score|#IQM of the score|#return|#coverage|#solved");
    bool few = false;
    for (size_t i = 0; i < set->group_count; i++)
        if (wac_selection_has(page->selection, i)) {
            write_row(to, page, &comparison.groups[i], values);
            few |= set->groups[i].finished < WAC_SEEDS_ENOUGH;
        }
    wac_html_table_end(to);
    write_pairs(to, &comparison);
    if (few)
        fprintf(to,
                "<p class=\"warn\">* fewer than %d seeds: too few to decide anything, whatever the "
                "numbers</p>\n",
                WAC_SEEDS_ENOUGH);
    free(values);
    wac_comparison_free(&comparison);
    return WAC_STATUS_OK;
}

/* --- settings --------------------------------------------------------------------------------- */

enum { MOST_VALUES = 12 };

/* Numbers by size, words by their letters. */
static int by_size(const void *a, const void *b)
{
    double x, y;
    return wac_number_parse(&x, a) && wac_number_parse(&y, b) ? (x > y) - (x < y) : strcmp(a, b);
}

/* The different values of a setting in the selected runs, in order; returns how many, at most
 * MOST_VALUES. */
static size_t values_of(const wac_report_page *page, const wac_setting *setting,
                        char values[MOST_VALUES][64])
{
    const wac_runset *set = page->selection->set;
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++) {
        char text[64];
        size_t k = 0;
        const wac_config *config = &set->runs[i].config;
        if (!wac_selection_has(page->selection, set->runs[i].group) ||
            !wac_config_reads(config, setting))
            continue;
        wac_config_format(config, setting, text, sizeof text);
        while (k < count && strcmp(values[k], text) != 0)
            k++;
        if (k == count && count < MOST_VALUES)
            strcpy(values[count++], text);
    }
    qsort(values, count, sizeof *values, by_size);
    return count;
}

static void write_settings(FILE *to, const wac_report_page *page)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    char values[MOST_VALUES][64];
    fputs("<h2 id=\"settings\">Settings</h2>\n", to);
    for (int varied = 1; varied >= 0; varied--) {
        fprintf(to, "<details%s><summary>%s</summary>", varied ? " open" : "",
                varied ? "What varies between runs" : "What all runs that read it have in common");
        wac_html_table(to, "settings", varied ? "setting|values|meaning" : "setting|value|meaning");
        for (size_t i = 0; i < count; i++) {
            size_t found = values_of(page, &settings[i], values);
            if (found == 0 || (found > 1) != varied)
                continue;
            wac_html_tag(to, "<tr><td>", settings[i].name, "</td><td>");
            for (size_t k = 0; k < found; k++)
                wac_html_tag(to, k ? ", " : "", values[k], "");
            wac_html_tag(to, found == MOST_VALUES ? ", …</td><td>" : "</td><td>", settings[i].help,
                         "</td></tr>\n");
        }
        wac_html_table_end(to);
        fputs("</details>\n", to);
    }
}

/* --- how it was made -------------------------------------------------------------------------- */

enum { MOST_MACHINES = 12, MACHINE = 400 };

static void note(char list[MOST_MACHINES][MACHINE], size_t *count, const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(list[i], text) == 0)
            return;
    if (*count < MOST_MACHINES)
        strcpy(list[(*count)++], text);
}

/* The command that trains a run again; one in an archive gives its settings first. */
static void write_again(FILE *to, const wac_record *run)
{
    char archive[PATH_MAX];
    const char *inside = run->path;
    fputs("# one of the runs again, to the same numbers\n", to);
    if (wac_packed_find(archive, &inside, run->path)) {
        wac_html_tag(to, "tar -xf ", archive, " ");
        wac_html_tag(to, "", inside, "/config.yaml\n");
    }
    wac_html_tag(to, "wac train --config ", inside, "/config.yaml --out again\n");
}

static void write_made(FILE *to, const wac_report_page *page)
{
    const wac_runset *set = page->selection->set;
    char programs[MOST_MACHINES][MACHINE], machines[MOST_MACHINES][MACHINE], now[64] = "";
    size_t program_count = 0, machine_count = 0;
    double seconds = 0;
    const wac_record *first = NULL;
    for (size_t i = 0; i < set->count; i++) {
        char text[MACHINE];
        if (!wac_selection_has(page->selection, set->runs[i].group))
            continue;
        if (wac_record_is_foreign(&set->runs[i]))
            continue;
        first = first ? first : &set->runs[i];
        const wac_manifest *manifest = &set->runs[i].manifest;
        seconds += manifest->seconds;
        snprintf(text, sizeof text, "wac %s, commit %s", manifest->version,
                 *manifest->commit ? manifest->commit : "unknown");
        if (*manifest->version)
            note(programs, &program_count, text);
        snprintf(text, sizeof text, "%s, %lld processors, %s %s", manifest->processor,
                 (long long)manifest->processors, manifest->system, manifest->release);
        if (*manifest->processor)
            note(machines, &machine_count, text);
    }
    fputs("<h2 id=\"made\">How it was made</h2>\n<pre>", to);
    if (page->options->command)
        wac_html_tag(to, "", page->options->command, "\n");
    if (first)
        write_again(to, first);
    fputs("</pre>\n<ul>", to);
    for (size_t i = 0; i < program_count; i++)
        wac_html_tag(to, "<li>Runs trained by ", programs[i], "</li>");
    for (size_t i = 0; i < machine_count; i++)
        wac_html_tag(to, "<li>on ", machines[i], "</li>");
    double unit = seconds < 120 ? 1 : seconds < 7200 ? 60 : 3600;
    const char *units = seconds < 120 ? "seconds" : seconds < 7200 ? "minutes" : "hours";
    if (seconds > 0)
        fprintf(to, "<li>%s %s of training in all</li>", NUMBER(seconds / unit), units);
    time_t clock = time(NULL);
    struct tm broken;
    strftime(now, sizeof now, "%Y-%m-%d %H:%M UTC", gmtime_r(&clock, &broken));
    fprintf(to, "<li>Report by wac %s, commit %s, %s</li></ul>\n", wac_version(), wac_commit(),
            now);
    if (*page->report->table)
        wac_html_tag(to, "<p>All runs as one table: ", page->report->table, "</p>\n");
    fprintf(to, "<details><summary>Folders of the runs</summary><ul>");
    for (size_t i = 0; i < set->count; i++)
        if (wac_selection_has(page->selection, set->runs[i].group))
            wac_html_tag(to, "<li>", set->runs[i].path, "</li>");
    fputs("</ul></details>\n", to);
}

/* --- all of it -------------------------------------------------------------------------------- */

static wac_status write_page(FILE *to, const wac_report_page *page, wac_error *error)
{
    const wac_experiment *experiment = page->options->experiment;
    const char *name = page->options->name ? page->options->name : "";
    char title[320];
    snprintf(title, sizeof title, "%s%.300s",
             experiment ? ""
             : *name    ? "Runs in "
                        : "Runs",
             experiment ? experiment->title : name);
    wac_html_begin(to, title);
    if (experiment && *experiment->paper)
        wac_html_tag(to, "<p class=\"soft\">Wasserstein Actor-Critic (Likmeta and others, 2023), ",
                     experiment->paper, "</p>\n");
    if (experiment && *experiment->shows)
        wac_html_tag(to, "<p>", experiment->shows, "</p>\n");
    write_summary(to, page);
    write_warnings(to, page);
    write_claims(to, page);
    WAC_TRY(write_figures(to, page, error));
    WAC_TRY(wac_matrix_write(to, page->selection, error));
    WAC_TRY(write_statistics(to, page, error));
    write_settings(to, page);
    write_made(to, page);
    wac_html_end(to);
    return WAC_STATUS_OK;
}

wac_status wac_report_html(const wac_report_page *page, wac_error *error)
{
    wac_stream file;
    if (!wac_stream_open(&file))
        return wac_fail_memory(error, "the page");
    wac_status status = write_page(file.to, page, error);
    return wac_stream_save(&file, page->report->page, status, error);
}
