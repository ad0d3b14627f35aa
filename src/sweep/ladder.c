/* The rungs of a search: who is sent where. See ladder.h for the rule. */
#include "sweep/ladder.h"

#include "base/files.h"
#include "base/status.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_RUNGS = 14 }; /* as many as WAC_SWEEP_RUNS can be halved, and one */

/* Of all fields; the choices of one stand from its first on. */
typedef struct rung {
    wac_mark *marks;   /* [sweep->count] */
    size_t *arrivals;  /* [choices.count] who was sent here, in that order */
    size_t *arrived;   /* [field_count] how many */
    wac_tuned *judged; /* [choices.count] those at the head of the arrivals, the best first */
    size_t *decided;   /* [field_count] how many */
} rung;

struct wac_ladder {
    wac_choices choices;
    const char *directory;
    rung rungs[MOST_RUNGS];
    int rung_count;     /* most of any field */
    int *heights;       /* [field_count] how many rungs */
    int *reached;       /* [choices.count] the rung that each was sent to */
    wac_tuned *scratch; /* [choices.count] */
};

/* --- the rungs ---------------------------------------------------------------------------------*/

static const wac_field *field_at(const wac_ladder *ladder, size_t field)
{
    return &ladder->choices.fields[field];
}

/* As many as the rivals have powers of the factor, if there are epochs enough. */
static int height_of(const wac_choices *choices, const wac_field *field)
{
    size_t factor = (size_t)choices->search->halving, power = factor;
    int64_t fewest = INT64_MAX;
    int height = 1;
    for (size_t i = field->first; i < field->first + field->count; i++)
        for (size_t k = 0; k < choices->list[i].count; k++) {
            size_t run = choices->runs[choices->list[i].first + k];
            int64_t epochs = choices->sweep->runs[run].config.epochs;
            fewest = epochs < fewest ? epochs : fewest;
        }
    for (; factor && power <= field->count && (int64_t)power <= fewest; power *= factor)
        height++;
    return height;
}

wac_status wac_ladder_create(wac_ladder **out, const wac_sweep *sweep, const wac_search *search,
                             const char *directory, wac_error *error)
{
    wac_ladder *ladder = calloc(1, sizeof *ladder);
    if (!ladder)
        return wac_fail_memory(error, "the rungs");
    wac_choices *choices = &ladder->choices;
    ladder->directory = directory;
    wac_status status = wac_choices_create(choices, sweep, search, error);
    if (status == WAC_STATUS_OK) {
        ladder->heights = calloc(choices->field_count, sizeof *ladder->heights);
        ladder->reached = calloc(choices->count, sizeof *ladder->reached);
        ladder->scratch = calloc(choices->count, sizeof *ladder->scratch);
        if (!ladder->heights || !ladder->reached || !ladder->scratch)
            status = wac_fail_memory(error, "the rungs");
    }
    for (size_t i = 0; i < choices->field_count && status == WAC_STATUS_OK; i++) {
        ladder->heights[i] = height_of(choices, field_at(ladder, i));
        if (ladder->heights[i] > ladder->rung_count)
            ladder->rung_count = ladder->heights[i];
    }
    for (int i = 0; i < ladder->rung_count && status == WAC_STATUS_OK; i++) {
        rung *rung = &ladder->rungs[i];
        rung->marks = calloc(sweep->count, sizeof *rung->marks);
        rung->arrivals = calloc(choices->count, sizeof *rung->arrivals);
        rung->arrived = calloc(choices->field_count, sizeof *rung->arrived);
        rung->judged = calloc(choices->count, sizeof *rung->judged);
        rung->decided = calloc(choices->field_count, sizeof *rung->decided);
        if (!rung->marks || !rung->arrivals || !rung->arrived || !rung->judged || !rung->decided)
            status = wac_fail_memory(error, "the rungs");
    }
    if (status == WAC_STATUS_OK)
        *out = ladder;
    else
        wac_ladder_destroy(ladder);
    return status;
}

void wac_ladder_destroy(wac_ladder *ladder)
{
    if (!ladder)
        return;
    for (int i = 0; i < ladder->rung_count; i++) {
        rung *rung = &ladder->rungs[i];
        free(rung->marks);
        free(rung->arrivals);
        free(rung->arrived);
        free(rung->judged);
        free(rung->decided);
    }
    free(ladder->heights);
    free(ladder->reached);
    free(ladder->scratch);
    wac_choices_free(&ladder->choices);
    free(ladder);
}

const wac_choices *wac_ladder_choices(const wac_ladder *ladder)
{
    return &ladder->choices;
}

int wac_ladder_rungs(const wac_ladder *ladder, size_t field)
{
    return ladder->heights[field];
}

int wac_ladder_rung(const wac_ladder *ladder, size_t run)
{
    return ladder->reached[ladder->choices.owners[run]];
}

int64_t wac_ladder_epochs(const wac_ladder *ladder, size_t run, int rung)
{
    const wac_choices *choices = &ladder->choices;
    int64_t part = 1;
    for (int i = rung + 1; i < ladder->heights[choices->list[choices->owners[run]].field]; i++)
        part *= choices->search->halving;
    return (choices->sweep->runs[run].config.epochs + part - 1) / part;
}

size_t wac_ladder_arrived(const wac_ladder *ladder, size_t field, int rung)
{
    return ladder->rungs[rung].arrived[field];
}

const wac_mark *wac_ladder_marks(const wac_ladder *ladder, int rung)
{
    return ladder->rungs[rung].marks;
}

/* --- how far the runs are ----------------------------------------------------------------------*/

/* The whole rows of a run; a line that is just being written, or was cut off, is none. */
static wac_status read_rows(wac_history *history, const char *folder, wac_error *error)
{
    char *text;
    size_t size;
    WAC_TRY(wac_progress_text(&text, &size, folder, error));
    const char *end = memrchr(text, '\n', size);
    size = end ? (size_t)(end - text) + 1 : 0;
    return wac_history_parse(history, text, size, folder, error);
}

/* Mark a run on the rungs within so many epochs that it has got to. */
static wac_status mark_run(wac_ladder *ladder, size_t run, const char *folder, int64_t most,
                           wac_error *error)
{
    const wac_choices *choices = &ladder->choices;
    wac_history history;
    WAC_TRY(read_rows(&history, folder, error));
    int height = ladder->heights[choices->list[choices->owners[run]].field];
    for (int i = 0; i < height && wac_ladder_epochs(ladder, run, i) <= most; i++)
        ladder->rungs[i].marks[run] =
            wac_mark_make(choices->search, &choices->sweep->runs[run].config, &history,
                          wac_ladder_epochs(ladder, run, i));
    wac_history_free(&history);
    return WAC_STATUS_OK;
}

/* Mark a run as the disk has it. What it was sent to last counts once it says that it is finished:
 * only then is all of it there. */
static void find_run(wac_ladder *ladder, size_t run)
{
    char folder[PATH_MAX];
    wac_config config;
    wac_manifest manifest;
    if (wac_path_join(folder, sizeof folder, ladder->directory,
                      ladder->choices.sweep->runs[run].folder, NULL) == WAC_STATUS_OK &&
        wac_folder_is_run(folder) &&
        wac_folder_read_config(&config, folder, NULL) == WAC_STATUS_OK &&
        wac_manifest_read(&manifest, folder, NULL) == WAC_STATUS_OK)
        (void)mark_run(ladder, run, folder, config.epochs - !manifest.finished, NULL);
}

wac_status wac_ladder_read(wac_ladder *ladder, size_t run, wac_error *error)
{
    enum { TRIES = 100 };
    char folder[PATH_MAX];
    int rung = wac_ladder_rung(ladder, run);
    int64_t epochs = wac_ladder_epochs(ladder, run, rung);
    wac_status status = WAC_STATUS_OK;
    const wac_mark *mark = &ladder->rungs[rung].marks[run];
    WAC_TRY(wac_path_join(folder, sizeof folder, ladder->directory,
                          ladder->choices.sweep->runs[run].folder, error));
    for (int i = 0; i < TRIES && mark->state == WAC_MARK_OPEN; i++) {
        if (i > 0)
            nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        status = mark_run(ladder, run, folder, epochs, error);
    }
    if (mark->state != WAC_MARK_OPEN)
        return WAC_STATUS_OK;
    return status != WAC_STATUS_OK
               ? status
               : wac_fail(error, WAC_STATUS_INPUT, "%s/progress.csv does not reach epoch %lld",
                          folder, (long long)epochs);
}

/* Whether all runs of a choice have come to their end on a rung. */
static bool is_over(const wac_ladder *ladder, size_t choice, const rung *rung)
{
    const wac_choice *all = &ladder->choices.list[choice];
    for (size_t i = all->first; i < all->first + all->count; i++)
        if (rung->marks[ladder->choices.runs[i]].state == WAC_MARK_OPEN)
            return false;
    return true;
}

/* --- who goes on -------------------------------------------------------------------------------*/

/* Send a choice to a rung. How many of its runs that makes wait. */
static size_t send_to(wac_ladder *ladder, wac_sweep_item *items, size_t choice, int place)
{
    const wac_choice *all = &ladder->choices.list[choice];
    const wac_field *field = field_at(ladder, all->field);
    rung *rung = &ladder->rungs[place];
    size_t waiting = 0;
    ladder->reached[choice] = place;
    rung->arrivals[field->first + rung->arrived[all->field]++] = choice;
    for (size_t i = all->first; i < all->first + all->count; i++) {
        size_t run = ladder->choices.runs[i];
        wac_sweep_item *item = &items[run];
        item->epochs = item->progress.epochs = wac_ladder_epochs(ladder, run, place);
        if (rung->marks[run].state == WAC_MARK_OPEN && item->state == WAC_SWEEP_STATE_DONE) {
            item->state = WAC_SWEEP_STATE_BEGUN;
            waiting++;
        }
    }
    return waiting;
}

/* Decide about whoever has arrived with all before him. */
static size_t decide(wac_ladder *ladder, wac_sweep_item *items, size_t number, int place)
{
    const wac_field *field = field_at(ladder, number);
    rung *rung = &ladder->rungs[place];
    const size_t *arrivals = &rung->arrivals[field->first];
    wac_tuned *judged = &rung->judged[field->first];
    size_t *decided = &rung->decided[number], waiting = 0;
    while (*decided < rung->arrived[number] && is_over(ladder, arrivals[*decided], rung)) {
        judged[*decided] = (wac_tuned){.choice = arrivals[*decided]};
        wac_choices_rank(judged, ++*decided, &ladder->choices, rung->marks);
        for (size_t i = 0; i < *decided / (size_t)ladder->choices.search->halving; i++)
            if (ladder->reached[judged[i].choice] == place &&
                wac_tuned_is_whole(&judged[i], &ladder->choices))
                waiting += send_to(ladder, items, judged[i].choice, place + 1);
    }
    return waiting;
}

static size_t decide_all(wac_ladder *ladder, wac_sweep_item *items, size_t field)
{
    size_t waiting = 0;
    for (int i = 0; i + 1 < ladder->heights[field]; i++)
        waiting += decide(ladder, items, field, i);
    return waiting;
}

void wac_ladder_begin(wac_ladder *ladder, wac_sweep_item *items)
{
    const wac_choices *choices = &ladder->choices;
    for (size_t i = 0; i < choices->sweep->count; i++) {
        find_run(ladder, i);
        if (items[i].state == WAC_SWEEP_STATE_FAILED)
            for (int k = 0; k < ladder->rung_count; k++)
                ladder->rungs[k].marks[i] = (wac_mark){.state = WAC_MARK_LOST};
        else if (ladder->rungs[0].marks[i].state == WAC_MARK_THERE)
            items[i].state = WAC_SWEEP_STATE_DONE;
    }
    for (size_t i = 0; i < choices->count; i++)
        (void)send_to(ladder, items, i, 0);
    for (size_t i = 0; i < choices->field_count; i++)
        (void)decide_all(ladder, items, i);
}

size_t wac_ladder_note(wac_ladder *ladder, wac_sweep_item *items, size_t run)
{
    wac_mark *mark = &ladder->rungs[wac_ladder_rung(ladder, run)].marks[run];
    if (mark->state == WAC_MARK_OPEN)
        mark->state = WAC_MARK_LOST;
    return decide_all(ladder, items, ladder->choices.list[ladder->choices.owners[run]].field);
}

/* --- what is known of it -----------------------------------------------------------------------*/

void wac_ladder_expect(const wac_ladder *ladder, wac_sweep_item *items)
{
    const wac_choices *choices = &ladder->choices;
    for (size_t i = 0; i < choices->sweep->count; i++) {
        double share = 1, more = 0;
        int height = ladder->heights[choices->list[choices->owners[i]].field];
        if (wac_ladder_rung(ladder, i) > 0 || items[i].state == WAC_SWEEP_STATE_FAILED)
            continue;
        for (int k = 1; k < height; k++) {
            share /= (double)choices->search->halving;
            more += share *
                    (double)(wac_ladder_epochs(ladder, i, k) - wac_ladder_epochs(ladder, i, k - 1));
        }
        items[i].epochs += (int64_t)(more + 0.5);
        if (items[i].state == WAC_SWEEP_STATE_DONE && height > 1)
            items[i].state = WAC_SWEEP_STATE_BEGUN;
    }
}

void wac_ladder_rank(wac_tuned *tuned, const wac_ladder *ladder, size_t number)
{
    const wac_field *field = field_at(ladder, number);
    size_t count = 0;
    for (int i = ladder->heights[number] - 1; i >= 0; i--) {
        const rung *rung = &ladder->rungs[i];
        wac_tuned *judged = ladder->scratch;
        /* all that came here are compared; then those that stayed are kept */
        for (size_t k = 0; k < rung->arrived[number]; k++)
            judged[k] = (wac_tuned){.choice = rung->arrivals[field->first + k]};
        wac_choices_rank(judged, rung->arrived[number], &ladder->choices, rung->marks);
        for (size_t k = 0; k < rung->arrived[number]; k++) {
            size_t run = ladder->choices.runs[ladder->choices.list[judged[k].choice].first];
            if (ladder->reached[judged[k].choice] != i)
                continue;
            tuned[count] = judged[k];
            tuned[count++].epochs = wac_ladder_epochs(ladder, run, i);
        }
    }
}
