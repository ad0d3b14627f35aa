/* Making a report: a line on a terminal while figures are drawn, then the verdicts as a table. */
#include "terminal/report_view.h"

#include "cli.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

#include <string.h>

static void show_progress(void *user, int done, int figures)
{
    cli_progress *display = user;
    if (!display->live)
        return;
    fprintf(display->stream, "\r\033[Kdrawing figure %d of %d", done + 1, figures);
    fflush(display->stream);
    display->shown = 1;
}

enum { INDENT = 15 }; /* of claims: number and verdict stand before */

void cli_print_claim(int number, const char *says, const wac_judgement *judgement)
{
    cli_style style = cli_style_of(stdout);
    const char *colour = judgement->verdict == WAC_VERDICT_HOLDS     ? style.green
                         : judgement->verdict == WAC_VERDICT_FAILS   ? style.red
                         : judgement->verdict == WAC_VERDICT_NOT_RUN ? style.dim
                                                                     : style.blue;
    printf("%s%2d  %s%-9s%s  ", style.bold, number, colour, wac_verdict_name(judgement->verdict),
           style.plain);
    cli_print_wrapped(says, INDENT, cli_width(stdout));
    if (judgement->verdict == WAC_VERDICT_UNDECIDED && judgement->leaning != WAC_VERDICT_UNDECIDED)
        printf("%*spoints towards %s\n", INDENT, "", wac_verdict_name(judgement->leaning));
}

static void print_claims(const wac_report *report, const wac_experiment *experiment,
                         wac_scale scale)
{
    cli_style style = cli_style_of(stdout);
    int width = cli_width(stdout);
    if (report->count == 0)
        return;
    for (size_t i = 0; i < report->count; i++) {
        const wac_claim *claim = &experiment->claims[i];
        const wac_judgement *judgement = &report->judgements[i];
        cli_print_claim(claim->number, claim->says, judgement);
        for (size_t k = 0; k < judgement->count; k++) {
            const wac_finding *finding = &judgement->findings[k];
            char outlook[WAC_OUTLOOK], text[sizeof finding->text + WAC_OUTLOOK + 2];
            wac_finding_outlook(outlook, finding);
            snprintf(text, sizeof text, "%s%s%s", finding->text, *outlook ? "; " : "", outlook);
            printf("    %s%-9s%s  ", style.dim, wac_verdict_name(finding->verdict), style.plain);
            cli_print_wrapped(text, INDENT, width);
        }
    }
    const char *whole = wac_experiment_measure_of(experiment, scale);
    if (whole)
        printf("\nThese verdicts are from scale %s: fewer runs and epochs than %s.\n",
               wac_scale_title((char[WAC_SCALE_TITLE]){0}, experiment, scale), whole);
    putchar('\n');
}

static void print_notes(const wac_report *report, const wac_runset *set)
{
    enum { SHOWN = 5 };
    for (size_t i = 0; i < set->problem_count; i++) {
        fputs("wac: left out: ", stderr);
        cli_print_sentence(stderr, set->problems[i].message);
    }
    for (size_t i = 0; i < report->missing_count && i < SHOWN; i++)
        fprintf(stderr, "wac: missing: %s\n", report->missing[i]);
    if (report->missing_count > SHOWN)
        fprintf(stderr, "wac: … and %zu more runs are missing; the page names them\n",
                report->missing_count - SHOWN);
    if (report->left_out)
        fprintf(stderr, "wac: %zu of the runs are no part of the experiment at this scale\n",
                report->left_out);
    if (report->figures_failed)
        fprintf(stderr, "wac: %zu of %zu figures could not be drawn: %s\n", report->figures_failed,
                report->figures + report->figures_failed, report->problem);
}

/* Say which runs are judged, at which scale; -1 where none belongs to the experiment. */
static int settle_scale(const cli_report_plan *plan, const wac_runset *set)
{
    bool given = plan->scale >= 0;
    int scale = given ? plan->scale : (int)wac_report_scale(set, plan->experiment);
    if (wac_report_matches(set, plan->experiment, (wac_scale)scale) == 0) {
        char near[WAC_REPORT_NEAREST];
        wac_report_nearest(near, set, plan->experiment, plan->scale);
        fprintf(stderr, "wac: none of these %zu run%s belongs to %s%s%s%s%s; %s says which would\n",
                set->count, set->count == 1 ? "" : "s", plan->experiment->name,
                given ? " at scale " : "", given ? wac_scale_names[scale] : "",
                *near ? ": the nearest has " : "", near, plan->experiment->path);
        return -1;
    }
    if (!given)
        fprintf(stderr, "wac: judged at scale %s, which most of these runs belong to\n",
                wac_scale_names[scale]);
    return scale;
}

static int report(const cli_report_plan *plan, const wac_runset *set)
{
    cli_progress display = cli_progress_make(stderr);
    wac_error error = {0};
    wac_report report;
    int scale = plan->experiment ? settle_scale(plan, set) : 0;
    if (scale < 0)
        return CLI_FAILED;
    size_t further = plan->experiment && plan->begin && plan->experiment->seeds
                         ? wac_plan_further(&plan->experiment->scales[scale], set)
                         : 0;
    if (further)
        return cli_refuse("%zu of the runs in %s are of further seeds than --seeds %lld (given, or "
                          "in its reproduce.json), and all that are there count; ask for as many "
                          "as there are, or give a folder without them",
                          further, plan->runs[0], (long long)plan->experiment->seeds);
    int begun = plan->begin ? plan->begin() : CLI_OK;
    if (begun)
        return begun;
    char name[PATH_MAX + 16];
    snprintf(name, sizeof name, "%s%s", plan->runs[0], plan->runs[1] ? " and others" : "");
    wac_report_options options = {
        .out = plan->out,
        .experiment = plan->experiment,
        .scale = (wac_scale)scale,
        .look = plan->look,
        .name = name,
        .command = plan->command,
        .csv = plan->csv,
        .progress = show_progress,
        .user = &display,
        .stop = cli_stop_on_signals("stopped at once"),
    };
    wac_status status = wac_report_write(&report, set, &options, &error);
    if (display.shown)
        fputs("\r\033[K", stderr);
    if (status != WAC_STATUS_OK)
        return cli_fail(&error);
    print_notes(&report, set);
    if (plan->experiment)
        print_claims(&report, plan->experiment, options.scale);
    printf("%s\n", report.page);
    int drawn = report.figures_failed ? CLI_FAILED : CLI_OK;
    wac_report_free(&report);
    return drawn;
}

int cli_report_make(const cli_report_plan *plan)
{
    wac_error error = {0};
    wac_runset set;
    size_t count = 0;
    while (plan->runs[count])
        count++;
    if (wac_runset_load(&set, plan->runs, count, true, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    int status = report(plan, &set);
    wac_runset_free(&set);
    return status;
}
