/* Results as JSON, and back from files. */
#include "bench/results.h"

#include "base/files.h"
#include "base/status.h"
#include "base/words.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const wac_bench_parts[WAC_LOCKSTEP_PARTS] = {
    [WAC_LOCKSTEP_EXPLORE] = "explore",   [WAC_LOCKSTEP_SEND] = "send",
    [WAC_LOCKSTEP_EVALUATE] = "evaluate", [WAC_LOCKSTEP_WAIT] = "wait",
    [WAC_LOCKSTEP_FETCH] = "fetch",       [WAC_LOCKSTEP_END] = "end",
};

const char *const wac_bench_phases[WAC_PHASES] = {
    [WAC_PHASE_EXPLORE] = "explore",
    [WAC_PHASE_UPDATE] = "update",
    [WAC_PHASE_CHECKPOINT] = "checkpoint",
    [WAC_PHASE_EVALUATE] = "evaluate",
    [WAC_PHASE_LOG] = "log",
};

/* --- what was measured ------------------------------------------------------------------------ */

static json_t *precision_of(wac_precision precision)
{
    size_t size;
    const char *word = wac_word_at(WAC_PRECISIONS, (int)precision, &size);
    return json_stringn(word, size);
}

static json_t *rounds_of(const wac_bench_rounds *rounds)
{
    return json_pack("{s:f, s:f, s:f}", "median", rounds->median, "low", rounds->low, "high",
                     rounds->high);
}

/* The version of NVIDIA's driver, as its module tells; empty where it does not. */
static void find_driver(char driver[64])
{
    char line[512], *place;
    FILE *file = fopen("/proc/driver/nvidia/version", "re");
    *driver = 0;
    if (!file)
        return;
    if (fgets(line, sizeof line, file))
        for (char *word = strtok_r(line, " ", &place); word; word = strtok_r(NULL, " ", &place))
            if (!*driver && strspn(word, "0123456789.") == strlen(word))
                snprintf(driver, 64, "%.63s", word);
    fclose(file);
}

json_t *wac_bench_results(const wac_engine_gpu *gpu, int gpus, const wac_gpu_limits *limits,
                          const wac_bench_gpu *sizes)
{
    char driver[64];
    json_t *products = json_object();
    find_driver(driver);
    for (int i = 0; i < WAC_ENGINE_PRECISIONS; i++) {
        size_t size;
        const char *word = wac_word_at(WAC_PRECISIONS, i, &size);
        json_object_setn_new(products, word, size, json_real(limits->products[i]));
    }
    return json_pack("{s:{s:s, s:s, s:i, s:i, s:I}, s:{s:i, s:i, s:i, s:i}, s:{s:f, s:o}, s:[], "
                     "s:[], s:[]}",
                     "gpu", "name", gpu->name, "driver", driver, "gpus", gpus, "processors",
                     gpu->processors, "memory", (json_int_t)gpu->memory, "size", "observations",
                     sizes->observations, "actions", sizes->actions, "width", sizes->width, "batch",
                     sizes->batch, "ceilings", "memory", limits->memory, "products", products,
                     "rates", "cpu", "epochs");
}

static json_t *kernels_of(const wac_bench_gpu_result *result)
{
    json_t *list = json_array();
    for (int i = 0; i < result->kernels; i++)
        json_array_append_new(list, json_pack("{s:s, s:f}", "name", result->names[i], "us",
                                              1e6 * result->seconds[i]));
    return list;
}

json_t *wac_bench_rate_row(const wac_bench_gpu *bench, const wac_bench_gpu_result *result,
                           const wac_gpu_limits *limits, const wac_bench_peer *peer)
{
    double products = result->flops / limits->products[bench->precision];
    double memory = result->bytes / limits->memory, rate = result->rate.median;
    json_t *row = json_pack(
        "{s:s, s:o, s:i, s:o, s:f, s:f, s:f, s:f, s:f, s:o}", "algorithm",
        wac_algorithm_name(bench->algorithm), "precision", precision_of(bench->precision), "runs",
        bench->runs, "run_updates_per_second", rounds_of(&result->rate), "flops", result->flops,
        "bytes", result->bytes, "share_of_products", rate * products, "share_of_memory",
        rate * memory, "floor_us", 1e6 * fmax(products, memory), "kernels", kernels_of(result));
    if (peer)
        json_object_set_new(row, "peer",
                            json_pack("{s:s, s:s, s:o, s:o}", "torch", peer->torch, "way",
                                      peer->way, "run_updates_per_second",
                                      rounds_of(&result->peer_rate), "ratio",
                                      rounds_of(&result->ratio)));
    return row;
}

json_t *wac_bench_cpu_row(wac_algorithm algorithm, wac_precision precision, int runs,
                          const wac_bench_rounds *rate)
{
    return json_pack("{s:s, s:o, s:i, s:o}", "algorithm", wac_algorithm_name(algorithm),
                     "precision", precision_of(precision), "runs", runs, "run_updates_per_second",
                     rounds_of(rate));
}

json_t *wac_bench_epochs_row(wac_precision precision, const wac_bench_epochs_result *result)
{
    json_t *groups = json_array(), *phases = json_object();
    for (int i = 0; i < result->count; i++) {
        const wac_bench_group *group = &result->groups[i];
        json_t *parts = json_object();
        for (int k = 0; k < WAC_LOCKSTEP_PARTS; k++)
            json_object_set_new(parts, wac_bench_parts[k], json_real(group->parts[k]));
        json_array_append_new(groups,
                              json_pack("{s:s, s:i, s:f, s:o}", "algorithm",
                                        wac_algorithm_name(group->algorithm), "runs", group->runs,
                                        "seconds", group->seconds, "parts", parts));
    }
    for (int i = 0; i < WAC_PHASES; i++)
        if (i != WAC_PHASE_UPDATE)
            json_object_set_new(phases, wac_bench_phases[i], json_real(result->phases[i]));
    return json_pack("{s:o, s:i, s:i, s:f, s:f, s:f, s:f, s:o, s:o}", "precision",
                     precision_of(precision), "runs", result->runs, "processors",
                     result->processors, "run_updates_per_second", result->rate, "bare",
                     result->bare, "share", result->rate / result->bare, "busy", result->busy,
                     "groups", groups, "phases", phases);
}

/* --- from files ------------------------------------------------------------------------------- */

static const char *const lists[] = {"rates", "cpu", "epochs"};
enum { LISTS = sizeof lists / sizeof *lists };

static bool has_rates(const json_t *list)
{
    const json_t *row;
    size_t i;
    json_array_foreach(list, i, row)
    {
        const json_t *rate = json_object_get(row, "run_updates_per_second");
        if (!json_is_string(json_object_get(row, "precision")) ||
            !json_is_integer(json_object_get(row, "runs")) ||
            !json_is_number(json_is_object(rate) ? json_object_get(rate, "median") : rate))
            return false;
    }
    return json_is_array(list);
}

static wac_status read_one(json_t **results, const char *path, wac_error *error)
{
    char *text;
    size_t size;
    json_error_t wrong;
    WAC_TRY(wac_file_read(&text, &size, path, (size_t)1 << 26, error));
    *results = json_loadb(text, size, JSON_REJECT_DUPLICATES, &wrong);
    free(text);
    if (!*results)
        return wac_fail(error, WAC_STATUS_INPUT, "%s:%d: %s", path, wrong.line, wrong.text);
    bool good = json_is_object(json_object_get(*results, "gpu")) &&
                json_is_object(json_object_get(*results, "ceilings"));
    for (int i = 0; i < LISTS; i++)
        good = good && has_rates(json_object_get(*results, lists[i]));
    if (good)
        return WAC_STATUS_OK;
    json_decref(*results);
    *results = NULL;
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s does not hold what \"wac bench gpu --json\" prints; name a file that does",
                    path);
}

wac_status wac_bench_results_read(json_t **results, const char *paths, wac_error *error)
{
    json_t *all = NULL;
    wac_status status = WAC_STATUS_OK;
    for (const char *at = paths; status == WAC_STATUS_OK && *at;) {
        char path[PATH_MAX];
        json_t *one = NULL;
        int length = (int)strcspn(at, ",");
        snprintf(path, sizeof path, "%.*s", length, at);
        at += length + (at[length] == ',');
        status = read_one(&one, path, error);
        for (int i = 0; all && one && i < LISTS; i++)
            json_array_extend(json_object_get(all, lists[i]), json_object_get(one, lists[i]));
        if (all)
            json_decref(one);
        else
            all = one;
    }
    if (status != WAC_STATUS_OK)
        json_decref(all);
    else if (!all)
        status = wac_fail(error, WAC_STATUS_INPUT, "no file is named");
    else
        *results = all;
    return status;
}
