/* The choices of a search: what its runs try, whom each is compared with, and who is ahead.
 *
 * By a column of progress.csv a choice is settings on one environment, with a run for each seed,
 * and its rivals are those of the same environment and algorithm. By the rule of the hardest
 * environments, and by normalised returns, a choice has its runs on all environments, and its
 * rivals are those of the algorithm.
 */
#ifndef WAC_SWEEP_CHOICES_H
#define WAC_SWEEP_CHOICES_H

#include "run/folder.h"
#include "sweep/file.h"

typedef struct wac_choice {
    size_t first, count; /* its runs, in wac_choices.runs */
    size_t field;        /* its rivals */
} wac_choice;

/* Choices that are compared. */
typedef struct wac_field {
    size_t first, count; /* in wac_choices.list */
} wac_field;

typedef struct wac_choices {
    const wac_sweep *sweep;
    const wac_search *search;
    wac_choice *list; /* [count], in the order of the sweep's list, those of a field together */
    size_t count;
    wac_field *fields; /* [field_count] */
    size_t field_count;
    size_t *runs;   /* [sweep->count] numbers of the sweep's list, those of a choice together */
    size_t *owners; /* [sweep->count] the choice of each run of the list */
    size_t *environments; /* [sweep->count] its environment: 0, 1, …, as the list has them */
    size_t environment_count;
    size_t *solved; /* [environment_count], for who ranks */
} wac_choices;

/* Refuses a search by the hardest environments whose choices are not the same on all of them, and
 * one with halving whose rivals differ in their epochs. On failure there is nothing to free. Keeps
 * `sweep` and `search`. */
wac_status wac_choices_create(wac_choices *choices, const wac_sweep *sweep,
                              const wac_search *search, wac_error *error);
void wac_choices_free(wac_choices *choices);

/* The name of an environment, as the folders have it; it ends after *length. */
const char *wac_choices_environment(const wac_choices *choices, size_t environment, int *length);

/* How a run did in its first epochs. */
typedef struct wac_mark {
    enum { WAC_MARK_OPEN, WAC_MARK_THERE, WAC_MARK_LOST } state; /* lost: it failed on the way */
    double value;                                                /* its mean, but by the hardest */
    bool solved;                                                 /* by the hardest environments */
    double episodes; /* the same: mean over all epochs, the last one going on after stop_success */
} wac_mark;

/* The mark after `epochs` epochs; open where the history does not reach there. */
wac_mark wac_mark_make(const wac_search *search, const wac_config *config,
                       const wac_history *history, int64_t epochs);

/* The two environments that fewest runs have solved, of those that any has; fewer where there are
 * no two. */
typedef struct wac_hardest {
    int count;
    struct {
        size_t environment, solved, runs;
    } list[2];
} wac_hardest;

/* One choice, and how it did. */
typedef struct wac_tuned {
    size_t choice;
    int64_t epochs;  /* that it was trained for, at most */
    size_t finished; /* runs that have a mark */
    /* but by the hardest: over those, NaN if none */
    double mean, smallest, largest;
    /* by the hardest environments: its runs there, those that solved them, and their mean of
     * episodes, where a run that failed has none */
    wac_hardest hardest;
    size_t planned, solved;
    double episodes;
} wac_tuned;

/* Fill in and sort tuned[count], whose `choice` are of one field, by marks[sweep->count]: the best
 * first, equal ones as they stood. */
void wac_choices_rank(wac_tuned *tuned, size_t count, const wac_choices *choices,
                      const wac_mark *marks);

/* True where all runs of the choice have a mark. */
bool wac_tuned_is_whole(const wac_tuned *tuned, const wac_choices *choices);

#endif
