/* Matching what was planned with what there is. */
#include "report/plan.h"

#include "base/number.h"
#include "base/status.h"
#include "config/config.h"
#include "config/environments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int compare_runs(const void *a, const void *b)
{
    const wac_config *x = ((const wac_planned_run *)a)->config;
    const wac_config *y = ((const wac_planned_run *)b)->config;
    int order = wac_task_compare(x, y);
    if (!order)
        order = wac_config_compare(x, y, wac_group_counts);
    return order ? order : (x->seed > y->seed) - (x->seed < y->seed);
}

/* Whether two runs differ in seed alone; one of another program has an algorithm of its own, and
 * is nobody's sibling here. */
static bool is_sibling(const wac_config *a, const wac_config *b)
{
    return wac_config_compare(a, b, wac_group_counts) == 0;
}

static wac_fate fate_of(const wac_record *record)
{
    return !record            ? WAC_FATE_MISSING
           : record->finished ? WAC_FATE_FINISHED
           : record->diverged ? WAC_FATE_DIVERGED
                              : WAC_FATE_UNFINISHED;
}

const wac_record *wac_plan_find(const wac_runset *set, const wac_config *config)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->runs[i].config.seed == config->seed && is_sibling(&set->runs[i].config, config))
            return &set->runs[i];
    return NULL;
}

bool wac_plan_means(const wac_sweep *sweep, const wac_config *config)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (is_sibling(&sweep->runs[i].config, config))
            return true;
    return false;
}

static bool has_seed(const wac_sweep *sweep, const wac_config *config)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep->runs[i].config.seed == config->seed &&
            is_sibling(&sweep->runs[i].config, config))
            return true;
    return false;
}

size_t wac_plan_further(const wac_sweep *sweep, const wac_runset *set)
{
    size_t count = 0;
    for (size_t i = 0; i < set->count; i++)
        count +=
            wac_plan_means(sweep, &set->runs[i].config) && !has_seed(sweep, &set->runs[i].config);
    return count;
}

static void add(wac_plan *plan, const wac_config *config, const char *folder,
                const wac_record *record)
{
    plan->runs[plan->count++] = (wac_planned_run){config, folder, record, fate_of(record)};
}

wac_status wac_plan_make(wac_plan *plan, const wac_sweep *sweep, const wac_runset *set,
                         wac_error *error)
{
    size_t most = sweep->count + set->count;
    *plan = (wac_plan){
        .runs = malloc((most + 1) * sizeof *plan->runs),
        .groups = calloc(most + 1, sizeof *plan->groups),
    };
    if (!plan->runs || !plan->groups) {
        wac_plan_free(plan);
        return wac_fail_memory(error, "the planned runs");
    }
    for (size_t i = 0; i < sweep->count; i++)
        add(plan, &sweep->runs[i].config, sweep->runs[i].folder,
            wac_plan_find(set, &sweep->runs[i].config));
    for (size_t i = 0; i < set->count; i++) {
        const wac_config *config = &set->runs[i].config;
        if (wac_plan_means(sweep, config) && !has_seed(sweep, config))
            add(plan, config, set->runs[i].path, &set->runs[i]);
    }
    qsort(plan->runs, plan->count, sizeof *plan->runs, compare_runs);
    for (size_t i = 0; i < plan->count; i++) {
        const wac_config *config = plan->runs[i].config;
        const wac_config *former = i ? plan->runs[i - 1].config : NULL;
        if (!former || !is_sibling(former, config)) {
            plan->task_count += !former || wac_task_compare(former, config) != 0;
            wac_planned_group *group = &plan->groups[plan->group_count++];
            *group = (wac_planned_group){.runs = &plan->runs[i], .task = plan->task_count - 1};
            wac_environment_name(group->environment, config);
        }
        plan->groups[plan->group_count - 1].count++;
    }
    return WAC_STATUS_OK;
}

void wac_plan_free(wac_plan *plan)
{
    free(plan->runs);
    free(plan->groups);
    *plan = (wac_plan){0};
}

wac_status wac_plan_missing(char ***missing, size_t *count, const wac_plan *plan, wac_error *error)
{
    *count = 0;
    *missing = calloc(plan->count + 1, sizeof **missing);
    for (size_t i = 0; *missing && i < plan->count; i++) {
        const wac_planned_run *run = &plan->runs[i];
        const wac_record *record = run->record;
        if (run->fate == WAC_FATE_FINISHED)
            continue;
        char **to = &(*missing)[*count];
        int length = record ? asprintf(to, "%s (%zu of %lld epochs%s)", run->folder,
                                       record->history.rows ? record->history.rows - 1 : 0,
                                       (long long)record->config.epochs,
                                       run->fate == WAC_FATE_DIVERGED ? ", diverged" : "")
                            : asprintf(to, "%s", run->folder);
        if (length < 0)
            return wac_fail_memory(error, "the list of missing runs");
        ++*count;
    }
    return *missing ? WAC_STATUS_OK : wac_fail_memory(error, "the list of missing runs");
}

/* To 9 digits. */
static double rounded(double value)
{
    char text[32];
    double back = value;
    wac_number_print(text, sizeof text, "%.9g", value);
    return isfinite(value) && wac_number_parse(&back, text) ? back : value;
}

bool wac_planned_is_solved(const wac_planned_run *run, int64_t epochs)
{
    if (!run->record || run->record->history.rows == 0)
        return false;
    double row = wac_record_measure_until(run->record, WAC_MEASURE_SOLVED, epochs);
    return row < (double)run->record->history.rows && row <= (double)epochs;
}

double wac_planned_value(const wac_planned_run *run, wac_measure measure, int64_t epochs)
{
    bool has_all = run->fate == WAC_FATE_FINISHED ||
                   (run->record && run->record->history.rows > (size_t)epochs) ||
                   (measure == WAC_MEASURE_SOLVED && wac_planned_is_solved(run, epochs));
    if (has_all)
        return rounded(wac_record_measure_until(run->record, measure, epochs));
    return run->fate != WAC_FATE_DIVERGED ? NAN
           : wac_measure_is_cost(measure) ? INFINITY
                                          : -INFINITY;
}
