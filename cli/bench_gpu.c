/* wac bench gpu: cases one after the other, each a row of a table as soon as it is there; then, if
 * asked for, processors, whole epochs, JSON and a picture. Tables are printed from the JSON, so
 * that files of it print the same. */
#include "bench_gpu.h"

#include "options.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

#include "base/status.h"
#include "base/stop.h"
#include "base/suggest.h"
#include "base/threads.h"
#include "base/words.h"
#include "bench/crowd.h"
#include "bench/gpu_figure.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };
static const double ROUND_SECONDS = 0.2;

typedef struct request {
    const bench_flags *flags;
    wac_bench_gpu sizes; /* of all cases */
    int algorithms[MOST], precisions[MOST], runs[MOST];
    int algorithm_count, precision_count, run_count;
    const char *peer; /* its way; null: none */
    const volatile int *stop;
    FILE *out; /* of the tables */
} request;

/* --- what is asked for ------------------------------------------------------------------------ */

/* The words of a list with commas, or whole numbers where `words` is null; returns an exit status.
 */
static int read_list(int *list, int *count, const char *flag, const char *text, const char *words)
{
    char copy[256], choice[128], *place, *end;
    snprintf(copy, sizeof copy, "%s", text);
    *count = 0;
    for (char *word = strtok_r(copy, ",", &place); word; word = strtok_r(NULL, ",", &place)) {
        long number = words ? wac_word_index(words, word) : strtol(word, &end, 10);
        if (words && number < 0) {
            wac_words_join(choice, sizeof choice, words);
            return cli_refuse("--%s must be %s, not \"%s\"", flag, choice, WAC_CLIP(word));
        }
        if (!words && (*end || number < 1 || number > 4096))
            return cli_refuse("--%s must be whole numbers from 1 to 4096 with commas between, not "
                              "\"%s\"",
                              flag, WAC_CLIP(word));
        for (int i = 0; i < *count; i++)
            if (list[i] == number)
                return cli_refuse("--%s has \"%s\" twice", flag, WAC_CLIP(word));
        if (*count == MOST)
            return cli_refuse("--%s has more than %d entries", flag, MOST);
        list[(*count)++] = (int)number;
    }
    return *count ? CLI_OK : cli_refuse("--%s is empty; leave it out", flag);
}

static int check_from(const bench_flags *flags)
{
    const struct {
        const char *name;
        bool given;
    } measured[] = {{"algorithm", flags->algorithm}, {"precision", flags->precision},
                    {"runs", flags->runs},           {"env-size", flags->size},
                    {"width", flags->width > 0},     {"batch", flags->batch > 0},
                    {"peer", flags->peer},           {"cpu", flags->cpu},
                    {"epochs", flags->epochs > 0},   {"seeds", flags->seeds > 0}};
    for (size_t i = 0; flags->from && i < sizeof measured / sizeof *measured; i++)
        if (measured[i].given)
            return cli_refuse("with --from nothing is measured; leave --%s out", measured[i].name);
    return CLI_OK;
}

static int read_flags(request *asked)
{
    const bench_flags *flags = asked->flags;
    int status = check_from(flags);
    if (!status)
        status = read_list(asked->algorithms, &asked->algorithm_count, "algorithm",
                           flags->algorithm ? flags->algorithm : "oe-wac,me-wac,sac,oac",
                           &WAC_NETWORK_WORDS[1]);
    if (!status)
        status =
            read_list(asked->precisions, &asked->precision_count, "precision",
                      flags->precision ? flags->precision : "single,tf32,mixed", WAC_PRECISIONS);
    if (!status)
        status = read_list(asked->runs, &asked->run_count, "runs",
                           flags->runs ? flags->runs : "1,4,16,64,128", NULL);
    char ways[128];
    wac_words_join(ways, sizeof ways, WAC_BENCH_PEER_WAYS);
    if (!status && flags->peer && wac_word_index(WAC_BENCH_PEER_WAYS, flags->peer) < 0)
        status = cli_refuse("--peer must be %s, not \"%s\"", ways, WAC_CLIP(flags->peer));
    if (!status && flags->seeds && !flags->epochs)
        status = cli_refuse("--seeds are those of --epochs; give both");
    const wac_bench_size *size =
        &wac_bench_sizes[flags->size && strcmp(flags->size, wac_bench_sizes[1].name) == 0];
    asked->sizes = (wac_bench_gpu){.width = flags->width ? (int)flags->width : BENCH_WIDTH,
                                   .batch = flags->batch ? (int)flags->batch : BENCH_BATCH,
                                   .observations = size->observations,
                                   .actions = size->actions};
    return status;
}

/* --- tables ----------------------------------------------------------------------------------- */

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value ? value : "";
}

static void print_head(FILE *out, const json_t *results)
{
    cli_style style = cli_style_of(out);
    const json_t *gpu = json_object_get(results, "gpu"), *size = json_object_get(results, "size");
    const json_t *ceilings = json_object_get(results, "ceilings");
    const json_t *products = json_object_get(ceilings, "products");
    fprintf(out, "%s, driver %s; %.0f observations, %.0f actions, width %.0f, batch %.0f\n",
            text(gpu, "name"), *text(gpu, "driver") ? text(gpu, "driver") : "unknown",
            number(size, "observations"), number(size, "actions"), number(size, "width"),
            number(size, "batch"));
    fprintf(out,
            "ceilings: memory %.2f TB/s; products of single %.0f, of tf32 %.0f, of mixed %.0f "
            "TFLOP/s\n",
            1e-12 * number(ceilings, "memory"), 1e-12 * number(products, "single"),
            1e-12 * number(products, "tf32"), 1e-12 * number(products, "mixed"));
    fprintf(out, "%s%-9s  %-9s  %5s  %13s  %6s  %8s  %8s  %8s  %7s  %8s  %5s%s\n", style.dim,
            "algorithm", "precision", "runs", "run-updates/s", "spread", "us each", "floor us",
            "products", "memory", "PyTorch", "ratio", style.plain);
    fflush(out);
}

static void print_rate(FILE *out, const json_t *row)
{
    const json_t *rate = json_object_get(row, "run_updates_per_second");
    const json_t *peer = json_object_get(row, "peer");
    double median = number(rate, "median");
    fprintf(out, "%-9s  %-9s  %5.0f  %13.0f  %5.1f%%  %8.2f  %8.2f  %7.1f%%  %6.1f%%",
            text(row, "algorithm"), text(row, "precision"), number(row, "runs"), median,
            100 * (number(rate, "high") - number(rate, "low")) / median, 1e6 / median,
            number(row, "floor_us"), 100 * number(row, "share_of_products"),
            100 * number(row, "share_of_memory"));
    if (peer)
        fprintf(out, "  %8.0f  %5.2f",
                number(json_object_get(peer, "run_updates_per_second"), "median"),
                number(json_object_get(peer, "ratio"), "median"));
    fputc('\n', out);
    fflush(out);
}

/* Kernel by kernel, one update of all runs of a case. */
static void print_kernels(FILE *out, const json_t *row)
{
    const json_t *kernels = json_object_get(row, "kernels"), *kernel;
    double sum = 0;
    size_t i;
    json_array_foreach(kernels, i, kernel) sum += number(kernel, "us");
    json_array_foreach(kernels, i, kernel)
        fprintf(out, "    %-14s %9.1f us  %5.1f %%\n", text(kernel, "name"), number(kernel, "us"),
                100 * number(kernel, "us") / sum);
    if (sum > 0)
        fprintf(out, "    %-14s %9.1f us\n", "together", sum);
    fflush(out);
}

static void print_cpu(FILE *out, const json_t *row)
{
    fprintf(out, "%-9s  %-9s  %5.0f  %13.0f  on processors, one run to each\n",
            text(row, "algorithm"), text(row, "precision"), number(row, "runs"),
            number(json_object_get(row, "run_updates_per_second"), "median"));
    fflush(out);
}

static void print_epochs(FILE *out, const json_t *row)
{
    cli_style style = cli_style_of(out);
    const json_t *groups = json_object_get(row, "groups"), *group;
    const json_t *phases = json_object_get(row, "phases");
    size_t i;
    fprintf(out,
            "\nepochs of %.0f runs, %s, %.0f processors: %.0f run-updates/s, %.1f%% of the %.0f of "
            "bare updates\n",
            number(row, "runs"), text(row, "precision"), number(row, "processors"),
            number(row, "run_updates_per_second"), 100 * number(row, "share"), number(row, "bare"));
    fprintf(out, "%s%-9s  %5s  %8s", style.dim, "group", "runs", "s/epoch");
    for (int k = 0; k < WAC_LOCKSTEP_PARTS; k++)
        fprintf(out, "  %8s", wac_bench_parts[k]);
    fprintf(out, "%s\n", style.plain);
    json_array_foreach(groups, i, group)
    {
        const json_t *parts = json_object_get(group, "parts");
        double seconds = number(group, "seconds");
        fprintf(out, "%-9s  %5.0f  %8.3f", text(group, "algorithm"), number(group, "runs"),
                seconds);
        for (int k = 0; k < WAC_LOCKSTEP_PARTS; k++)
            fprintf(out, "  %7.1f%%", 100 * number(parts, wac_bench_parts[k]) / seconds);
        fputc('\n', out);
    }
    fprintf(out, "processors were busy %.1f%% of the time; ms of a run in an epoch:",
            100 * number(row, "busy"));
    for (int k = 0, any = 0; k < WAC_PHASES; k++)
        if (k != WAC_PHASE_UPDATE)
            fprintf(out, "%s %s %.2f", any++ ? "," : "", wac_bench_phases[k],
                    1e3 * number(phases, wac_bench_phases[k]));
    fputc('\n', out);
    fflush(out);
}

static bool is_same_case(const json_t *row, const json_t *other)
{
    return other && strcmp(text(row, "algorithm"), text(other, "algorithm")) == 0 &&
           strcmp(text(row, "precision"), text(other, "precision")) == 0;
}

static void print_all(FILE *out, const json_t *results)
{
    const json_t *rates = json_object_get(results, "rates"), *row;
    size_t i;
    print_head(out, results);
    json_array_foreach(rates, i, row)
    {
        print_rate(out, row);
        if (!is_same_case(row, json_array_get(rates, i + 1)))
            print_kernels(out, row);
    }
    json_array_foreach(json_object_get(results, "cpu"), i, row) print_cpu(out, row);
    json_array_foreach(json_object_get(results, "epochs"), i, row) print_epochs(out, row);
}

/* --- measuring -------------------------------------------------------------------------------- */

static wac_status keep(json_t *results, const char *list, json_t *row, wac_error *error)
{
    return json_array_append_new(json_object_get(results, list), row) == 0
               ? WAC_STATUS_OK
               : wac_fail_memory(error, "the results");
}

static wac_status check_stop(const request *asked, wac_error *error)
{
    return wac_asked_to_stop(asked->stop) ? wac_fail(error, WAC_STATUS_INTERRUPTED, "interrupted")
                                          : WAC_STATUS_OK;
}

static wac_status measure_case(json_t **row, const request *asked, const wac_gpu_limits *limits,
                               const wac_bench_gpu *bench, wac_error *error)
{
    wac_bench_gpu_result result;
    wac_bench_peer peer = {0};
    wac_error why;
    bool compared = asked->peer && wac_bench_peer_has(bench->algorithm);
    if (compared && wac_bench_peer_start(&peer, bench, asked->peer, ROUND_SECONDS, &why) != 0) {
        fprintf(stderr, "wac: %s\n", why.message);
        compared = false;
    }
    wac_status status =
        wac_bench_gpu_run(&result, bench, compared ? &peer : NULL, ROUND_SECONDS, error);
    if (status == WAC_STATUS_OK)
        *row = wac_bench_rate_row(bench, &result, limits, compared ? &peer : NULL);
    wac_bench_peer_end(&peer);
    return status;
}

static wac_status measure_rates(json_t *results, const request *asked, const wac_gpu_limits *limits,
                                wac_error *error)
{
    for (int a = 0; a < asked->algorithm_count; a++)
        for (int p = 0; p < asked->precision_count; p++) {
            json_t *row = NULL;
            for (int r = 0; r < asked->run_count; r++) {
                wac_bench_gpu bench = asked->sizes;
                bench.algorithm = (wac_algorithm)asked->algorithms[a];
                bench.precision = (wac_precision)asked->precisions[p];
                bench.runs = asked->runs[r];
                WAC_TRY(check_stop(asked, error));
                WAC_TRY(measure_case(&row, asked, limits, &bench, error));
                WAC_TRY(keep(results, "rates", row, error));
                print_rate(asked->out, row);
            }
            print_kernels(asked->out, row);
        }
    return WAC_STATUS_OK;
}

/* Processors in single precision, and in mixed where that is asked for and they have it. */
static wac_status measure_cpu(json_t *results, const request *asked, wac_error *error)
{
    const wac_bench_size *size =
        &wac_bench_sizes[asked->sizes.observations == wac_bench_sizes[1].observations];
    int processors = wac_processors();
    bool mixed = false;
    for (int i = 0; i < asked->precision_count; i++)
        mixed = mixed || asked->precisions[i] == WAC_PRECISION_MIXED;
    for (int a = 0; a < asked->algorithm_count; a++)
        for (int p = 0; p < (mixed ? 2 : 1); p++)
            for (int all = 0; all < (processors > 1 ? 2 : 1); all++) {
                wac_precision precision = p ? WAC_PRECISION_MIXED : WAC_PRECISION_SINGLE;
                wac_bench_case bench = {.size = size,
                                        .algorithm = (wac_algorithm)asked->algorithms[a],
                                        .width = asked->sizes.width,
                                        .batch = asked->sizes.batch,
                                        .precision = precision};
                wac_bench_rounds rate;
                int runs = all ? processors : 1;
                WAC_TRY(check_stop(asked, error));
                wac_status status = wac_bench_crowd(&rate, &bench, runs, ROUND_SECONDS, error);
                if (status == WAC_STATUS_INPUT && p)
                    continue;
                WAC_TRY(status);
                json_t *row = wac_bench_cpu_row(bench.algorithm, precision, runs, &rate);
                WAC_TRY(keep(results, "cpu", row, error));
                print_cpu(asked->out, row);
            }
    return WAC_STATUS_OK;
}

static wac_status measure_epochs(json_t *results, const request *asked, wac_error *error)
{
    wac_algorithm algorithms[MOST];
    for (int i = 0; i < asked->algorithm_count; i++)
        algorithms[i] = (wac_algorithm)asked->algorithms[i];
    for (int p = 0; p < asked->precision_count; p++) {
        wac_precision precision = (wac_precision)asked->precisions[p];
        wac_bench_epochs bench = {.algorithms = algorithms,
                                  .count = asked->algorithm_count,
                                  .precision = precision,
                                  .seeds = asked->flags->seeds ? (int)asked->flags->seeds : 5,
                                  .epochs = (int)asked->flags->epochs};
        wac_bench_epochs_result result;
        WAC_TRY(wac_bench_epochs_run(&result, &bench, asked->stop, error));
        json_t *row = wac_bench_epochs_row(precision, &result);
        WAC_TRY(keep(results, "epochs", row, error));
        print_epochs(asked->out, row);
    }
    return WAC_STATUS_OK;
}

static wac_status measure(json_t **results, const request *asked, wac_error *error)
{
    wac_engine_gpu gpu;
    wac_gpu_limits limits;
    int gpus;
    WAC_TRY(wac_gpu_count(&gpus, error));
    WAC_TRY(wac_gpu_describe(&gpu, 0, error));
    WAC_TRY(wac_gpu_ceilings(&limits, 0, error));
    *results = wac_bench_results(&gpu, gpus, &limits, &asked->sizes);
    if (!*results)
        return wac_fail_memory(error, "the results");
    print_head(asked->out, *results);
    WAC_TRY(measure_rates(*results, asked, &limits, error));
    if (asked->flags->cpu)
        WAC_TRY(measure_cpu(*results, asked, error));
    return asked->flags->epochs ? measure_epochs(*results, asked, error) : WAC_STATUS_OK;
}

static wac_status print_json(const json_t *results, wac_error *error)
{
    size_t size;
    char *whole = wac_json_text(results, JSON_INDENT(2) | JSON_REAL_PRECISION(15), &size);
    if (!whole)
        return wac_fail_memory(error, "the results");
    puts(whole);
    free(whole);
    return WAC_STATUS_OK;
}

static int measure_all(json_t **results, request *asked)
{
    wac_error error;
    if (asked->peer && wac_bench_peer_find(&error) != WAC_STATUS_OK) {
        fprintf(stderr, "wac: %s\n", error.message);
        asked->peer = NULL;
    }
    asked->stop = cli_stop_on_signals("stopped at once");
    return measure(results, asked, &error) == WAC_STATUS_OK ? CLI_OK : cli_fail(&error);
}

static int read_files(json_t **results, const request *asked)
{
    wac_error error;
    if (wac_bench_results_read(results, asked->flags->from, &error) != WAC_STATUS_OK)
        return cli_blame(&error);
    print_all(asked->out, *results);
    return CLI_OK;
}

int bench_gpu(const bench_flags *flags)
{
    request asked = {.flags = flags, .peer = flags->peer, .out = flags->json ? stderr : stdout};
    wac_error error;
    json_t *results = NULL;
    int status = read_flags(&asked);
    if (!status && flags->figure)
        status = cli_need_gnuplot();
    if (status)
        return status;
    status = flags->from ? read_files(&results, &asked) : measure_all(&results, &asked);
    /* also what was measured before a failure */
    if (results && flags->json && print_json(results, &error) != WAC_STATUS_OK)
        status = cli_fail(&error);
    if (!status && flags->figure &&
        wac_bench_gpu_figure(results, flags->figure, &error) != WAC_STATUS_OK)
        status = cli_fail(&error);
    json_decref(results);
    return status;
}
