/* Sorting the runs of a search into choices, and ranking these. What belongs together is told by
 * the folders: ENVIRONMENT/ALGORITHM/SETTINGS/seed-N. */
#include "sweep/choices.h"

#include "base/status.h"
#include "stats/measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- who belongs together ----------------------------------------------------------------------*/

/* Part of a folder's name. */
typedef struct part {
    const char *text;
    size_t length;
} part;

static bool is_same(part a, part b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static part environment_of(const wac_sweep_run *run)
{
    return (part){run->folder, strcspn(run->folder, "/")};
}

/* What the runs of a choice share: all before the seed, the environment only where it counts. */
static part settings_of(const wac_choices *choices, const wac_sweep_run *run)
{
    const char *slash = strrchr(run->folder, '/');
    size_t length = slash ? (size_t)(slash - run->folder) : strlen(run->folder);
    size_t skipped = wac_search_is_over_all(choices->search) ? environment_of(run).length : 0;
    return (part){run->folder + skipped, length > skipped ? length - skipped : 0};
}

static bool is_rival(const wac_choices *choices, const wac_sweep_run *a, const wac_sweep_run *b)
{
    return a->config.algorithm == b->config.algorithm &&
           (wac_search_is_over_all(choices->search) ||
            is_same(environment_of(a), environment_of(b)));
}

const char *wac_choices_environment(const wac_choices *choices, size_t environment, int *length)
{
    size_t run = 0;
    while (choices->environments[run] != environment)
        run++;
    part name = environment_of(&choices->sweep->runs[run]);
    *length = (int)name.length;
    return name.text;
}

/* The choice of a run, a new one if need be. The search begins at the one before, *from; within an
 * environment there is nothing to look for behind it. */
static size_t find_choice(wac_choices *choices, size_t run, size_t *from)
{
    const wac_sweep_run *runs = choices->sweep->runs;
    part settings = settings_of(choices, &runs[run]);
    bool again = wac_search_is_over_all(choices->search) && choices->environments[run] > 0;
    for (size_t i = 0; i < (again || choices->count == 0 ? choices->count : 1); i++) {
        size_t at = (*from + i) % choices->count;
        if (is_same(settings, settings_of(choices, &runs[choices->list[at].first]))) {
            *from = at;
            return at;
        }
    }
    *from = choices->count;
    choices->list[choices->count].first = run; /* for now a number of the list */
    return choices->count++;
}

static void find_choices(wac_choices *choices)
{
    const wac_sweep *sweep = choices->sweep;
    size_t from = 0;
    for (size_t i = 0; i < sweep->count; i++) {
        bool same =
            i > 0 && is_same(environment_of(&sweep->runs[i - 1]), environment_of(&sweep->runs[i]));
        choices->environment_count += !same;
        choices->environments[i] = choices->environment_count - 1;
        choices->owners[i] = find_choice(choices, i, &from);
        choices->list[choices->owners[i]].count++;
    }
}

/* The fields, and the runs of each choice together; list[].first becomes their place. */
static void sort_runs(wac_choices *choices)
{
    const wac_sweep_run *runs = choices->sweep->runs, *before = NULL;
    size_t place = 0, *filled = choices->solved;
    for (size_t i = 0; i < choices->count; i++) {
        wac_choice *choice = &choices->list[i];
        const wac_sweep_run *run = &runs[choice->first];
        if (!before || !is_rival(choices, run, before))
            choices->fields[choices->field_count++].first = i;
        before = run;
        choice->field = choices->field_count - 1;
        choices->fields[choice->field].count++;
        choice->first = place;
        place += choice->count;
    }
    for (size_t i = 0; i < choices->sweep->count; i++) {
        size_t owner = choices->owners[i];
        choices->runs[choices->list[owner].first + filled[owner]++] = i;
    }
}

static wac_status check_choices(const wac_choices *choices, wac_error *error)
{
    const wac_search *search = choices->search;
    for (size_t i = 0; i < choices->count; i++) {
        const wac_choice *choice = &choices->list[i];
        const wac_choice *first = &choices->list[choices->fields[choice->field].first];
        const size_t *runs = &choices->runs[choice->first], *others = &choices->runs[first->first];
        bool alike = choice->count == choices->list[0].count;
        for (size_t k = 0; k < choice->count && alike; k++)
            alike = choices->environments[runs[k]] == choices->environments[choices->runs[k]];
        const wac_sweep_run *run = &choices->sweep->runs[runs[0]];
        if (wac_search_is_over_all(search) && !alike)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s is not tried on the same environments as its rivals, and by the "
                            "measure %s all of them count; give every environment the same lists, "
                            "or name another measure",
                            run->folder,
                            search->rule == WAC_SEARCH_RULE_HARDEST ? WAC_SEARCH_HARDEST
                                                                    : WAC_SEARCH_NORMALISED);
        for (size_t k = 0; k < choice->count && search->halving; k++)
            if (choices->sweep->runs[runs[k]].config.epochs !=
                choices->sweep->runs[others[k]].config.epochs)
                return wac_fail(error, WAC_STATUS_INPUT,
                                "%s has other epochs than its rivals, and halving chooses after "
                                "equal ones; leave \"halving\" out, or the list of epochs",
                                run->folder);
    }
    return WAC_STATUS_OK;
}

wac_status wac_choices_create(wac_choices *choices, const wac_sweep *sweep,
                              const wac_search *search, wac_error *error)
{
    size_t count = sweep->count;
    *choices = (wac_choices){.sweep = sweep, .search = search};
    choices->list = calloc(count, sizeof *choices->list);
    choices->fields = calloc(count, sizeof *choices->fields);
    choices->runs = calloc(count, sizeof *choices->runs);
    choices->owners = calloc(count, sizeof *choices->owners);
    choices->environments = calloc(count, sizeof *choices->environments);
    choices->solved = calloc(count, sizeof *choices->solved);
    wac_status status = WAC_STATUS_OK;
    if (!choices->list || !choices->fields || !choices->runs || !choices->owners ||
        !choices->environments || !choices->solved)
        status = wac_fail_memory(error, "the choices");
    if (status == WAC_STATUS_OK) {
        find_choices(choices);
        sort_runs(choices);
        status = check_choices(choices, error);
    }
    if (status != WAC_STATUS_OK)
        wac_choices_free(choices);
    return status;
}

void wac_choices_free(wac_choices *choices)
{
    free(choices->list);
    free(choices->fields);
    free(choices->runs);
    free(choices->owners);
    free(choices->environments);
    free(choices->solved);
    *choices = (wac_choices){0};
}

/* --- how they did ------------------------------------------------------------------------------*/

wac_mark wac_mark_make(const wac_search *search, const wac_config *config,
                       const wac_history *history, int64_t epochs)
{
    wac_record run = {.config = *config, .history = *history};
    size_t rows = (size_t)epochs + 1;
    run.config.epochs = epochs;
    run.history.rows = history->rows < rows ? history->rows : rows;
    wac_mark mark = {.state = WAC_MARK_OPEN};
    if (!wac_history_is_complete(&run.history, &run.config))
        return mark;
    mark.state = WAC_MARK_THERE;
    if (search->rule != WAC_SEARCH_RULE_HARDEST) {
        mark.value = wac_history_mean(&run.history, search->measure, (size_t)search->last);
        if (search->rule == WAC_SEARCH_RULE_NORMALISED)
            mark.value = wac_normalised_return(config, mark.value);
        return mark;
    }
    size_t known = run.history.rows;
    double last = run.history.columns[WAC_COLUMN_EVAL_EPISODES][known - 1];
    mark.solved = wac_record_is_solved(&run);
    mark.episodes = wac_history_mean(&run.history, WAC_COLUMN_EVAL_EPISODES, known);
    if (known < rows)
        mark.episodes += (last - mark.episodes) * (double)(rows - known) / (double)rows;
    return mark;
}

bool wac_tuned_is_whole(const wac_tuned *tuned, const wac_choices *choices)
{
    return tuned->finished == choices->list[tuned->choice].count;
}

static void average(wac_tuned *tuned, const wac_choices *choices, const wac_mark *marks)
{
    const wac_choice *choice = &choices->list[tuned->choice];
    double sum = 0;
    tuned->finished = 0;
    tuned->smallest = INFINITY;
    tuned->largest = -INFINITY;
    for (size_t i = 0; i < choice->count; i++) {
        const wac_mark *mark = &marks[choices->runs[choice->first + i]];
        if (mark->state != WAC_MARK_THERE || isnan(mark->value))
            continue;
        tuned->finished++;
        sum += mark->value;
        tuned->smallest = fmin(tuned->smallest, mark->value);
        tuned->largest = fmax(tuned->largest, mark->value);
    }
    tuned->mean = tuned->finished ? sum / (double)tuned->finished : NAN;
    if (!tuned->finished)
        tuned->smallest = tuned->largest = NAN;
}

static void find_hardest(wac_hardest *hardest, const wac_tuned *tuned, size_t count,
                         const wac_choices *choices, const wac_mark *marks)
{
    *hardest = (wac_hardest){0};
    memset(choices->solved, 0, choices->environment_count * sizeof *choices->solved);
    for (size_t i = 0; i < count; i++) {
        const wac_choice *choice = &choices->list[tuned[i].choice];
        for (size_t k = choice->first; k < choice->first + choice->count; k++) {
            size_t run = choices->runs[k];
            choices->solved[choices->environments[run]] += marks[run].solved;
        }
    }
    for (int place = 0; place < 2; place++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < choices->environment_count; i++) {
            bool taken = place > 0 && hardest->list[0].environment == i;
            if (choices->solved[i] > 0 && !taken &&
                (best == SIZE_MAX || choices->solved[i] < choices->solved[best]))
                best = i;
        }
        if (best == SIZE_MAX)
            return;
        /* all choices have as many runs on every environment */
        hardest->list[hardest->count].runs =
            count * choices->list[tuned[0].choice].count / choices->environment_count;
        hardest->list[hardest->count].environment = best;
        hardest->list[hardest->count++].solved = choices->solved[best];
    }
}

static bool is_hard(const wac_hardest *hardest, size_t environment)
{
    bool any = hardest->count == 0; /* nobody solved anything: all count alike */
    for (int i = 0; i < hardest->count; i++)
        any = any || hardest->list[i].environment == environment;
    return any;
}

static void count_solved(wac_tuned *tuned, const wac_hardest *hardest, const wac_choices *choices,
                         const wac_mark *marks)
{
    const wac_choice *choice = &choices->list[tuned->choice];
    tuned->hardest = *hardest;
    tuned->finished = tuned->planned = tuned->solved = 0;
    tuned->episodes = 0;
    for (size_t i = choice->first; i < choice->first + choice->count; i++) {
        const wac_mark *mark = &marks[choices->runs[i]];
        size_t environment = choices->environments[choices->runs[i]];
        tuned->finished += mark->state == WAC_MARK_THERE;
        if (!is_hard(hardest, environment))
            continue;
        tuned->planned++;
        tuned->solved += mark->solved;
        tuned->episodes += mark->episodes;
    }
    tuned->episodes /= (double)tuned->planned;
}

/* Whether a goes before b: by solved runs, then episodes; or finished ones first, then by mean. */
static bool goes_before(const wac_tuned *a, const wac_tuned *b, const wac_choices *choices)
{
    if (choices->search->rule == WAC_SEARCH_RULE_HARDEST)
        return a->solved != b->solved ? a->solved > b->solved : a->episodes > b->episodes;
    bool whole = wac_tuned_is_whole(a, choices), other = wac_tuned_is_whole(b, choices);
    if (whole != other)
        return whole;
    if (isnan(a->mean) || isnan(b->mean))
        return !isnan(a->mean) && isnan(b->mean);
    return a->mean > b->mean;
}

void wac_choices_rank(wac_tuned *tuned, size_t count, const wac_choices *choices,
                      const wac_mark *marks)
{
    bool by_hardest = choices->search->rule == WAC_SEARCH_RULE_HARDEST;
    wac_hardest hardest = {0};
    if (by_hardest)
        find_hardest(&hardest, tuned, count, choices, marks);
    for (size_t i = 0; i < count; i++)
        if (by_hardest)
            count_solved(&tuned[i], &hardest, choices, marks);
        else
            average(&tuned[i], choices, marks);
    /* insertion: equals must keep their order, and what comes is mostly sorted */
    for (size_t i = 1; i < count; i++) {
        wac_tuned moved = tuned[i];
        size_t place = i;
        for (; place > 0 && goes_before(&moved, &tuned[place - 1], choices); place--)
            tuned[place] = tuned[place - 1];
        tuned[place] = moved;
    }
}
