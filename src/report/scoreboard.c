/* Finding what has been run, and putting its findings together. */
#include "report/scoreboard.h"

#include "base/files.h"
#include "base/status.h"
#include "report/note.h"
#include "report/report.h"
#include "run/packed.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- folders ---------------------------------------------------------------------------------- */

/* Runs that may belong to an experiment. */
typedef struct source {
    wac_note note;         /* without a name: any experiment may have runs there */
    char folder[PATH_MAX]; /* of the note */
    wac_runset set;
} source;

typedef struct sources {
    source *list;
    size_t count;
} sources;

static bool is_packed(char *const *runs)
{
    char archive[PATH_MAX];
    const char *inside;
    while (*runs && !wac_packed_find(archive, &inside, *runs))
        runs++;
    return *runs;
}

/* Folders without any run that can be read are passed over, but no archives. Takes over the note.
 */
static wac_status add_source(sources *sources, wac_note *note, const char *at, wac_error *error)
{
    source *more = realloc(sources->list, (sources->count + 1) * sizeof *more);
    if (!more) {
        wac_note_free(note);
        return wac_fail_memory(error, "the scoreboard");
    }
    sources->list = more;
    source *added = &more[sources->count];
    size_t count = 0;
    wac_error why = {0};
    while (note->runs[count])
        count++;
    added->note = *note;
    snprintf(added->folder, sizeof added->folder, "%s", at);
    wac_status status =
        wac_runset_load(&added->set, (const char *const *)note->runs, count, true, &why);
    if (status == WAC_STATUS_OK) {
        sources->count++;
        return status;
    }
    bool tells = status != WAC_STATUS_INPUT || is_packed(note->runs);
    wac_note_free(note);
    return tells ? wac_fail(error, status, "%s", why.message) : WAC_STATUS_OK;
}

/* Any runs. */
static wac_status add_runs(sources *sources, const char *folder, wac_error *error)
{
    wac_note note = {.scale = -1, .runs = calloc(2, sizeof *note.runs)};
    if (note.runs)
        note.runs[0] = strdup(folder);
    if (note.runs && note.runs[0])
        return add_source(sources, &note, folder, error);
    wac_note_free(&note);
    return wac_fail_memory(error, "the scoreboard");
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
    char archive[PATH_MAX];
    const char *inside;
    if (wac_packed_find(archive, &inside, folder))
        return add_runs(sources, folder, error);
    WAC_TRY(wac_note_read(&note, folder, error));
    if (note.runs)
        return add_source(sources, &note, folder, error);
    int found = scandir(folder, &entries, is_visible, alphasort);
    if (found < 0)
        return wac_fail(error, WAC_STATUS_INPUT, "cannot read the folder %s: %s", folder,
                        strerror(errno));
    bool noted = false;
    wac_status status = WAC_STATUS_OK;
    for (int i = 0; i < found; i++) {
        char path[PATH_MAX];
        note.runs = NULL;
        if (status == WAC_STATUS_OK &&
            wac_path_join(path, sizeof path, folder, entries[i]->d_name, NULL) == WAC_STATUS_OK)
            status = wac_note_read(&note, path, error);
        if (note.runs) {
            noted = true;
            status = add_source(sources, &note, path, error);
        }
        free(entries[i]);
    }
    free(entries);
    return noted || status != WAC_STATUS_OK ? status : add_runs(sources, folder, error);
}

static void free_sources(sources *sources)
{
    for (size_t i = 0; i < sources->count; i++) {
        wac_runset_free(&sources->list[i].set);
        wac_note_free(&sources->list[i].note);
    }
    free(sources->list);
}

/* --- experiments ------------------------------------------------------------------------------ */

static void name_folder(wac_scored *scored, const wac_note *note)
{
    snprintf(scored->folder, sizeof scored->folder, "%.*s%s", PATH_MAX - 16, note->runs[0],
             note->runs[1] ? " and others" : "");
}

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
    const source *best = NULL;
    wac_experiment *chosen = NULL;
    size_t most = 0;
    for (size_t i = 0; i < sources->count; i++) {
        const source *source = &sources->list[i];
        wac_note note = source->note;
        wac_experiment *own = NULL; /* as it was run there */
        wac_error unread = {0};
        if (*note.experiment &&
            (strcmp(note.experiment, scored->experiment->name) != 0 ||
             wac_experiment_read(&own, scored->experiment->path, &unread) != WAC_STATUS_OK))
            continue;
        const wac_experiment *experiment = own ? own : scored->experiment;
        size_t matches = 0;
        wac_scale scale = 0;
        if (!own || wac_note_apply(own, &note, &unread) == WAC_STATUS_OK) {
            scale = note.scale >= 0 ? (wac_scale)note.scale
                                    : wac_report_scale(&source->set, experiment);
            matches = wac_report_matches(&source->set, experiment, scale);
        }
        if (matches == 0 || (best && scale < scored->scale) ||
            (best && scale == scored->scale && matches <= most)) {
            wac_experiment_free(own);
            continue;
        }
        wac_experiment_free(chosen);
        best = source;
        chosen = own;
        most = matches;
        scored->scale = scale;
    }
    if (!best)
        return WAC_STATUS_OK;
    if (chosen) {
        wac_experiment_free(scored->experiment);
        scored->experiment = chosen;
    }
    name_folder(scored, &best->note);
    return judge(scored, &best->set, error);
}

static bool is_scored(const wac_scoreboard *board, const char *name)
{
    for (size_t i = 0; i < board->experiment_count; i++)
        if (strcmp(board->experiments[i].experiment->name, name) == 0)
            return true;
    return false;
}

/* What `wac reproduce` ran there and what is none of the paper's, by the file that lies beside it.
 * One that cannot be read is passed over. */
static wac_status judge_others(wac_scoreboard *board, const sources *sources, wac_error *error)
{
    board->others = calloc(sources->count + 1, sizeof *board->others);
    if (!board->others)
        return wac_fail_memory(error, "the scoreboard");
    for (size_t i = 0; i < sources->count; i++) {
        const source *source = &sources->list[i];
        wac_note note = source->note;
        char path[PATH_MAX];
        wac_error unread = {0};
        wac_scored *scored = &board->others[board->other_count];
        if (!*note.experiment || is_scored(board, note.experiment) ||
            wac_path_join(path, sizeof path, source->folder, "experiment.yaml", &unread) !=
                WAC_STATUS_OK ||
            wac_experiment_read(&scored->experiment, path, &unread) != WAC_STATUS_OK)
            continue;
        if (wac_note_apply(scored->experiment, &note, &unread) != WAC_STATUS_OK) {
            wac_experiment_free(scored->experiment);
            scored->experiment = NULL;
            continue;
        }
        board->other_count++;
        name_folder(scored, &note);
        scored->scale = note.scale >= 0 ? (wac_scale)note.scale
                                        : wac_report_scale(&source->set, scored->experiment);
        WAC_TRY(judge(scored, &source->set, error));
    }
    return WAC_STATUS_OK;
}

/* What there is instead of the paper's claims. */
static wac_status fail_empty(const wac_scoreboard *board, const sources *sources,
                             const char *folders, wac_error *error)
{
    char words[WAC_SCORE_SOURCES], there[WAC_SCORE_SOURCES + 32];
    size_t runs = 0;
    for (size_t i = 0; i < sources->count; i++)
        runs += sources->list[i].set.count;
    if (board->other_count)
        snprintf(there, sizeof there, "%s%s", wac_scored_words(words, &board->others[0]),
                 board->other_count > 1 ? ", and so on" : "");
    else if (runs)
        snprintf(there, sizeof there, "%zu run%s of other settings", runs, runs == 1 ? "" : "s");
    else
        strcpy(there, "no run at all");
    return wac_fail(error, WAC_STATUS_INPUT,
                    "no run in %.300s belongs to an experiment with claims of the paper (there is: "
                    "%s); \"wac reproduce\" lists them",
                    folders, there);
}

/* Those that come with the program and claim something. */
static wac_status judge_all(wac_scoreboard *board, const sources *sources, const char *folders,
                            wac_error *error)
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
    if (status == WAC_STATUS_OK)
        status = judge_others(board, sources, error);
    if (status == WAC_STATUS_OK && run == 0)
        status = fail_empty(board, sources, folders, error);
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
    char searched[PATH_MAX] = "";
    *board = (wac_scoreboard){0};
    for (size_t i = 0; i < count && status == WAC_STATUS_OK; i++) {
        size_t used = strlen(searched);
        snprintf(searched + used, sizeof searched - used, "%s%s", used ? ", " : "", folders[i]);
        status = search(&sources, folders[i], error);
    }
    if (status == WAC_STATUS_OK)
        status = judge_all(board, &sources, searched, error);
    if (status == WAC_STATUS_OK)
        status = score_claims(board, error);
    free_sources(&sources);
    if (status != WAC_STATUS_OK)
        wac_scoreboard_free(board);
    return status;
}

static void free_scored(wac_scored *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        wac_scored *scored = &list[i];
        wac_judgements_free(scored->judgements, (size_t)scored->experiment->claim_count);
        for (size_t k = 0; k < scored->missing_count; k++)
            free(scored->missing[k]);
        free(scored->missing);
        wac_experiment_free(scored->experiment);
    }
    free(list);
}

void wac_scoreboard_free(wac_scoreboard *board)
{
    free_scored(board->experiments, board->experiment_count);
    free_scored(board->others, board->other_count);
    for (size_t i = 0; i < board->count; i++) {
        wac_judgement_free(&board->scores[i].judgement);
        free(board->scores[i].judged_by);
    }
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

const char *wac_scored_words(char text[WAC_SCORE_SOURCES], const wac_scored *scored)
{
    int claims = scored->experiment->claim_count;
    char scale[WAC_SCALE_TITLE];
    int used = snprintf(text, WAC_SCORE_SOURCES, "%s (%s) ", scored->experiment->name,
                        wac_scale_title(scale, scored->experiment, scored->scale));
    const char *own = claims == 0 ? "claims nothing" : "has a claim of its own";
    used += claims > 1 ? sprintf(text + used, "has %d claims of its own", claims)
                       : sprintf(text + used, "%s", own);
    for (int i = 0; i < claims; i++)
        used += sprintf(text + used, "%s%s", i ? ", " : ": ",
                        wac_verdict_name(scored->judgements[i].verdict));
    return text;
}
