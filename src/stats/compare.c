/* Summing up a set of runs. */
#include "stats/compare.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static wac_status sum_up_group(wac_group_summary *summary, const wac_group *group,
                               wac_measure measure, wac_bootstrap bootstrap, wac_error *error)
{
    summary->group = group;
    summary->values = malloc(group->count * sizeof *summary->values);
    summary->runs = malloc(group->count * sizeof *summary->runs);
    if (!summary->values || !summary->runs)
        return wac_fail_memory(error, "the comparison");
    summary->count =
        wac_records_measure(summary->values, summary->runs, group->runs, group->count, measure);
    summary->mean = wac_mean(summary->values, summary->count);
    summary->spread = wac_spread(summary->values, summary->count);
    wac_values sample = {summary->values, summary->count};
    return wac_interval_of(&summary->iqm, WAC_ESTIMATE_IQM, &sample, NULL, 1, bootstrap, error);
}

static wac_status sum_up_groups(wac_comparison *comparison, wac_error *error)
{
    const wac_runset *set = comparison->set;
    size_t counted = 0, finished = 0;
    for (size_t i = 0; i < set->group_count; i++) {
        WAC_TRY(sum_up_group(&comparison->groups[i], &set->groups[i], comparison->measure,
                             comparison->bootstrap, error));
        counted += comparison->groups[i].count;
        finished += set->groups[i].finished;
    }
    if (counted > 0)
        return WAC_STATUS_OK;
    if (finished == 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        set->runs[0].diverged
                            ? "%s diverged%s; train again with other settings (a smaller "
                              "learning_rate, say)"
                            : "%s is not finished%s; \"wac train --resume\" goes on with a run",
                        set->runs[0].path,
                        set->count > 1 ? ", and none of the others is finished" : "");
    return wac_fail(error, WAC_STATUS_INPUT,
                    "the measure \"%s\" has no meaning for %s (%s)%s; choose another one",
                    wac_measure_name(comparison->measure), set->runs[0].path,
                    set->groups[set->runs[0].group].task_name,
                    set->count > 1 ? ", nor for any of the others" : "");
}

/* The runs of a method on a task; none of either gives an empty sample. */
static wac_values sample_of(const wac_comparison *comparison, size_t method, size_t task)
{
    for (size_t i = 0; i < comparison->set->group_count; i++) {
        const wac_group_summary *summary = &comparison->groups[i];
        if (summary->group->task == task &&
            strcmp(summary->group->label, comparison->methods[method].label) == 0)
            return (wac_values){summary->values, summary->count};
    }
    return (wac_values){NULL, 0};
}

/* The scores of a method on the shared tasks as shares, one task after the other in `values`. */
static void collect_shares(const wac_comparison *comparison, size_t method, wac_values *samples,
                           double *values)
{
    for (size_t task = 0; task < comparison->set->task_count; task++) {
        if (!comparison->shared[task])
            continue;
        double unit = wac_measure_unit(comparison->set, task, comparison->measure);
        wac_values sample = sample_of(comparison, method, task);
        for (size_t i = 0; i < sample.count; i++)
            values[i] = sample.values[i] / unit;
        *samples++ = (wac_values){values, sample.count};
        values += sample.count;
    }
}

static bool has_scale(const wac_comparison *comparison, size_t task)
{
    return !isnan(wac_measure_unit(comparison->set, task, comparison->measure));
}

static bool has_scaled_runs(const wac_comparison *comparison, size_t method)
{
    for (size_t task = 0; task < comparison->set->task_count; task++)
        if (has_scale(comparison, task) && sample_of(comparison, method, task).count > 0)
            return true;
    return false;
}

/* Tasks with a scale that all methods have runs on, but for those that have none on any such. */
static void find_shared(wac_comparison *comparison)
{
    for (size_t task = 0; task < comparison->set->task_count; task++) {
        bool shared = has_scale(comparison, task);
        for (size_t i = 0; i < comparison->method_count && shared; i++)
            shared = sample_of(comparison, i, task).count > 0 || !has_scaled_runs(comparison, i);
        comparison->shared[task] = shared;
        comparison->shared_count += shared;
    }
}

static wac_status sum_up_methods(wac_comparison *comparison, wac_values *samples, double *values,
                                 wac_error *error)
{
    double thresholds[WAC_PROFILE_POINTS];
    for (int i = 0; i < WAC_PROFILE_POINTS; i++)
        thresholds[i] = wac_profile_threshold(i);
    for (size_t i = 0; i < comparison->method_count; i++) {
        wac_method_summary *method = &comparison->methods[i];
        size_t tasks = comparison->shared_count;
        collect_shares(comparison, i, samples, values);
        WAC_TRY(wac_interval_of(&method->iqm, WAC_ESTIMATE_IQM, samples, NULL, tasks,
                                comparison->bootstrap, error));
        WAC_TRY(wac_interval_of(&method->gap, WAC_ESTIMATE_GAP, samples, NULL, tasks,
                                comparison->bootstrap, error));
        WAC_TRY(wac_profile(method->profile, thresholds, WAC_PROFILE_POINTS, samples, tasks,
                            comparison->bootstrap, error));
    }
    return WAC_STATUS_OK;
}

static wac_status sum_up_pair(wac_comparison *comparison, size_t a, size_t b, wac_values *samples,
                              wac_error *error)
{
    size_t tasks = 0, room = comparison->set->task_count;
    wac_values *others = samples + room;
    for (size_t task = 0; task < room; task++) {
        wac_values one = sample_of(comparison, a, task), other = sample_of(comparison, b, task);
        if (one.count == 0 || other.count == 0)
            continue;
        samples[tasks] = one;
        others[tasks++] = other;
    }
    if (tasks == 0)
        return WAC_STATUS_OK;
    wac_interval found;
    bool cost = wac_measure_is_cost(comparison->measure);
    WAC_TRY(wac_interval_of(&found, WAC_ESTIMATE_IMPROVEMENT, cost ? others : samples,
                            cost ? samples : others, tasks, comparison->bootstrap, error));
    wac_pair_summary *pair = &comparison->pairs[comparison->pair_count++];
    *pair = (wac_pair_summary){a, b, tasks, found};
    if (found.value < 0.5) {
        wac_interval turned = {1 - found.value, 1 - found.high, 1 - found.low, found.fewest};
        *pair = (wac_pair_summary){b, a, tasks, turned};
    }
    return WAC_STATUS_OK;
}

static wac_status sum_up(wac_comparison *comparison, wac_values *samples, double *values,
                         wac_error *error)
{
    WAC_TRY(sum_up_groups(comparison, error));
    for (size_t i = 0; i < comparison->set->group_count; i++) {
        const char *label = comparison->groups[i].group->label;
        size_t k = 0;
        while (k < comparison->method_count && strcmp(comparison->methods[k].label, label) != 0)
            k++;
        if (comparison->groups[i].count > 0 && k == comparison->method_count)
            comparison->methods[comparison->method_count++].label = label;
    }
    find_shared(comparison);
    WAC_TRY(sum_up_methods(comparison, samples, values, error));
    size_t methods = comparison->method_count;
    if (methods > WAC_METHODS_PAIRED)
        return WAC_STATUS_OK;
    comparison->pairs = calloc(methods * methods, sizeof *comparison->pairs);
    if (!comparison->pairs)
        return wac_fail_memory(error, "the comparison");
    for (size_t a = 0; a < methods; a++)
        for (size_t b = a + 1; b < methods; b++)
            WAC_TRY(sum_up_pair(comparison, a, b, samples, error));
    return WAC_STATUS_OK;
}

wac_status wac_compare(wac_comparison *comparison, const wac_runset *set, wac_measure measure,
                       wac_bootstrap bootstrap, wac_error *error)
{
    *comparison = (wac_comparison){.set = set, .measure = measure, .bootstrap = bootstrap};
    comparison->groups = calloc(set->group_count, sizeof *comparison->groups);
    comparison->methods = calloc(set->group_count, sizeof *comparison->methods);
    comparison->shared = calloc(set->task_count, sizeof *comparison->shared);
    wac_values *samples = calloc(2 * set->task_count, sizeof *samples);
    double *values = malloc(set->count * sizeof *values);
    wac_status status = WAC_STATUS_OK;
    if (!comparison->groups || !comparison->methods || !comparison->shared || !samples || !values)
        status = wac_fail_memory(error, "the comparison");
    if (status == WAC_STATUS_OK)
        status = sum_up(comparison, samples, values, error);
    free(samples);
    free(values);
    if (status != WAC_STATUS_OK)
        wac_comparison_free(comparison);
    return status;
}

void wac_comparison_free(wac_comparison *comparison)
{
    for (size_t i = 0; comparison->groups && i < comparison->set->group_count; i++) {
        free(comparison->groups[i].values);
        free(comparison->groups[i].runs);
    }
    free(comparison->groups);
    free(comparison->methods);
    free(comparison->shared);
    free(comparison->pairs);
    *comparison = (wac_comparison){0};
}
