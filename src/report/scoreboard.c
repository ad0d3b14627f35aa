/* Finding what has been run, and putting its findings together. */
#include "report/scoreboard.h"

#include "base/files.h"
#include "base/status.h"
#include "report/note.h"
#include "report/report.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- folders ---------------------------------------------------------------------------------- */

/* Runs that may belong to an experiment. */
typedef struct source {
    wac_note note; /* without a name: any experiment may have runs there */
    wac_runset set;
} source;

typedef struct sources {
    source *list;
    size_t count;
} sources;

/* Folders without any run that can be read are passed over. */
static wac_status add_source(sources *sources, const wac_note *note, wac_error *error)
{
    source *more = realloc(sources->list, (sources->count + 1) * sizeof *more);
    if (!more)
        return wac_fail_memory(error, "the scoreboard");
    sources->list = more;
    source *added = &more[sources->count];
    const char *folder = note->runs;
    wac_error why = {0};
    added->note = *note;
    wac_status status = wac_runset_load(&added->set, &folder, 1, true, &why);
    if (status == WAC_STATUS_OK)
        sources->count++;
    return status == WAC_STATUS_MEMORY ? wac_fail(error, status, "%s", why.message) : WAC_STATUS_OK;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* A folder of `wac reproduce`, one of such folders, or runs. */
static wac_status search(sources *sources, const char *folder, wac_error *error)
{
    wac_note note;
    struct dirent **entries;
    if (wac_note_read(&note, folder))
        return add_source(sources, &note, error);
    int found = scandir(folder, &entries, is_visible, alphasort);
    if (found < 0)
        return wac_fail(error, WAC_STATUS_INPUT, "cannot read the folder %s: %s", folder,
                        strerror(errno));
    bool noted = false;
    wac_status status = WAC_STATUS_OK;
    for (int i = 0; i < found; i++) {
        char path[PATH_MAX];
        if (status == WAC_STATUS_OK &&
            wac_path_join(path, sizeof path, folder, entries[i]->d_name, NULL) == WAC_STATUS_OK &&
            wac_note_read(&note, path)) {
            noted = true;
            status = add_source(sources, &note, error);
        }
        free(entries[i]);
    }
    free(entries);
    if (noted || status != WAC_STATUS_OK)
        return status;
    note = (wac_note){.scale = -1};
    if (snprintf(note.runs, sizeof note.runs, "%s", folder) >= PATH_MAX)
        return wac_fail(error, WAC_STATUS_INPUT, "the path %.60s... is too long", folder);
    return add_source(sources, &note, error);
}

static void free_sources(sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        wac_runset_free(&sources->list[i].set);
    free(sources->list);
}

/* --- experiments ------------------------------------------------------------------------------ */

static wac_status judge(wac_scored *scored, const wac_runset *set, wac_error *error)
{
    wac_plan plan;
    WAC_TRY(wac_plan_make(&plan, &scored->experiment->scales[scored->scale], set, error));
    for (size_t i = 0; i < plan.count; i++)
        scored->finished += plan.runs[i].fate == WAC_FATE_FINISHED;
    scored->planned = plan.count;
    wac_status status = wac_plan_missing(&scored->missing, &scored->missing_count, &plan, error);
    if (status == WAC_STATUS_OK)
        status = wac_claims_judge(&scored->judgements, scored->experiment, &plan, error);
    wac_plan_free(&plan);
    return status;
}

/* The source with the most runs of the largest scale. */
static wac_status judge_best(wac_scored *scored, const sources *sources, wac_error *error)
{
    const wac_experiment *experiment = scored->experiment;
    const source *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < sources->count; i++) {
        const source *source = &sources->list[i];
        const wac_note *note = &source->note;
        if (*note->experiment && strcmp(note->experiment, experiment->name) != 0)
            continue;
        wac_scale scale =
            note->scale >= 0 ? (wac_scale)note->scale : wac_report_scale(&source->set, experiment);
        size_t matches = wac_report_matches(&source->set, experiment, scale);
        if (matches == 0 || (best && scale < scored->scale) ||
            (best && scale == scored->scale && matches <= most))
            continue;
        best = source;
        most = matches;
        scored->scale = scale;
    }
    if (!best)
        return WAC_STATUS_OK;
    strcpy(scored->folder, best->note.runs);
    if (best->note.seeds)
        WAC_TRY(wac_experiment_reseed(scored->experiment, best->note.seeds, error));
    return judge(scored, &best->set, error);
}

/* Those that come with the program and claim something. */
static wac_status judge_all(wac_scoreboard *board, const sources *sources, wac_error *error)
{
    char **names;
    size_t count, run = 0;
    WAC_TRY(wac_experiment_list(&names, &count, error));
    board->experiments = calloc(count + 1, sizeof *board->experiments);
    wac_status status =
        board->experiments ? WAC_STATUS_OK : wac_fail_memory(error, "the scoreboard");
    for (size_t i = 0; i < count; i++) {
        wac_experiment *experiment = NULL;
        if (status == WAC_STATUS_OK)
            status = wac_experiment_read(&experiment, names[i], error);
        free(names[i]);
        if (status != WAC_STATUS_OK || experiment->claim_count == 0 || !*experiment->paper) {
            wac_experiment_free(experiment);
            continue;
        }
        wac_scored *scored = &board->experiments[board->experiment_count++];
        scored->experiment = experiment;
        status = judge_best(scored, sources, error);
        run += scored->judgements != NULL;
    }
    free(names);
    if (status == WAC_STATUS_OK && run == 0)
        status = wac_fail(error, WAC_STATUS_INPUT,
                          "no run there belongs to an experiment with claims; \"wac reproduce\" "
                          "lists them");
    return status;
}

/* --- claims ----------------------------------------------------------------------------------- */

static wac_status add_finding(wac_score *score, const wac_scored *scored,
                              const wac_finding *finding, wac_error *error)
{
    wac_judgement *judgement = &score->judgement;
    size_t count = judgement->count + 1;
    wac_finding *findings = realloc(judgement->findings, count * sizeof *findings);
    if (findings)
        judgement->findings = findings;
    const wac_scored **judged_by = realloc(score->judged_by, count * sizeof *judged_by);
    if (judged_by)
        score->judged_by = judged_by;
    if (!findings || !judged_by)
        return wac_fail_memory(error, "the scoreboard");
    findings[count - 1] = *finding;
    judged_by[count - 1] = scored;
    judgement->count = count;
    return WAC_STATUS_OK;
}

/* An experiment that has not been run is a finding too. */
static wac_status add_experiment(wac_score *score, const wac_scored *scored, int claim,
                                 wac_error *error)
{
    if (!scored->judgements) {
        wac_finding open = {.verdict = WAC_VERDICT_NOT_RUN,
                            .leaning = WAC_VERDICT_NOT_RUN,
                            .rule = scored->experiment->claims[claim].parts[0].rule,
                            .estimate = NAN,
                            .low = NAN,
                            .high = NAN,
                            .p_for = 1,
                            .p_against = 1,
                            .level = WAC_LEVEL};
        snprintf(open.text, sizeof open.text, "wac reproduce %s runs it", scored->experiment->name);
        return add_finding(score, scored, &open, error);
    }
    const wac_judgement *own = &scored->judgements[claim];
    for (size_t i = 0; i < own->count; i++)
        WAC_TRY(add_finding(score, scored, &own->findings[i], error));
    return WAC_STATUS_OK;
}

static wac_score *find_score(wac_scoreboard *board, const wac_claim *claim)
{
    for (size_t i = 0; i < board->count; i++)
        if (board->scores[i].number == claim->number)
            return &board->scores[i];
    wac_score *score = &board->scores[board->count++];
    *score = (wac_score){.number = claim->number, .says = claim->says};
    return score;
}

static int by_number(const void *a, const void *b)
{
    return ((const wac_score *)a)->number - ((const wac_score *)b)->number;
}

static wac_status score_claims(wac_scoreboard *board, wac_error *error)
{
    board->scores =
        calloc(board->experiment_count * WAC_EXPERIMENT_CLAIMS + 1, sizeof *board->scores);
    if (!board->scores)
        return wac_fail_memory(error, "the scoreboard");
    for (size_t i = 0; i < board->experiment_count; i++) {
        const wac_experiment *experiment = board->experiments[i].experiment;
        for (int k = 0; k < experiment->claim_count; k++)
            WAC_TRY(add_experiment(find_score(board, &experiment->claims[k]),
                                   &board->experiments[i], k, error));
    }
    qsort(board->scores, board->count, sizeof *board->scores, by_number);
    for (size_t i = 0; i < board->count; i++)
        WAC_TRY(wac_judgement_conclude(&board->scores[i].judgement, error));
    return WAC_STATUS_OK;
}

/* --- all of it -------------------------------------------------------------------------------- */

wac_status wac_scoreboard_make(wac_scoreboard *board, const char *const *folders, size_t count,
                               wac_error *error)
{
    sources sources = {0};
    wac_status status = WAC_STATUS_OK;
    *board = (wac_scoreboard){0};
    for (size_t i = 0; i < count && status == WAC_STATUS_OK; i++)
        status = search(&sources, folders[i], error);
    if (status == WAC_STATUS_OK)
        status = judge_all(board, &sources, error);
    if (status == WAC_STATUS_OK)
        status = score_claims(board, error);
    free_sources(&sources);
    if (status != WAC_STATUS_OK)
        wac_scoreboard_free(board);
    return status;
}

void wac_scoreboard_free(wac_scoreboard *board)
{
    for (size_t i = 0; i < board->experiment_count; i++) {
        wac_scored *scored = &board->experiments[i];
        wac_judgements_free(scored->judgements, (size_t)scored->experiment->claim_count);
        for (size_t k = 0; k < scored->missing_count; k++)
            free(scored->missing[k]);
        free(scored->missing);
        wac_experiment_free(scored->experiment);
    }
    for (size_t i = 0; i < board->count; i++) {
        wac_judgement_free(&board->scores[i].judgement);
        free(board->scores[i].judged_by);
    }
    free(board->experiments);
    free(board->scores);
    *board = (wac_scoreboard){0};
}

size_t wac_scoreboard_count(const wac_scoreboard *board, wac_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < board->count; i++)
        count += board->scores[i].judgement.verdict == verdict;
    return count;
}

const char *wac_score_sources(char text[WAC_SCORE_SOURCES], const wac_score *score)
{
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < score->judgement.count && used < WAC_SCORE_SOURCES; i++) {
        const wac_scored *scored = score->judged_by[i];
        char scale[WAC_SCALE_TITLE] = "not run";
        if (i && scored == score->judged_by[i - 1])
            continue;
        if (scored->judgements)
            wac_scale_title(scale, scored->experiment, scored->scale);
        used += (size_t)snprintf(text + used, WAC_SCORE_SOURCES - used, "%s%s (%s)",
                                 used ? ", " : "", scored->experiment->name, scale);
    }
    return text;
}
