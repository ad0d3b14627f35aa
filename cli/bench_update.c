/* wac bench update: which cases are timed, and how they are told. */
#include "base/json.h"
#include "base/suggest.h"
#include "base/threads.h"
#include "bench.h"
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 256, BATCH = 256, MOST_CASES = 512 };
static const double ROUND_SECONDS = 0.2;

static const wac_algorithm algorithms[] = {WAC_ALGORITHM_SAC, WAC_ALGORITHM_OAC,
                                           WAC_ALGORITHM_OE_WAC, WAC_ALGORITHM_ME_WAC};
static const char *const precision_names[] = {"single", "mixed", NULL};
static const char *const algorithm_names[] = {"sac", "oac", "oe-wac", "me-wac", NULL};
static const char *const size_names[] = {"point", "halfcheetah", NULL};
enum { ALGORITHMS = 4, SIZES = 2 };

typedef struct plan {
    int count;
    wac_bench_case cases[MOST_CASES];
    wac_bench_result results[MOST_CASES];
} plan;

static void add(plan *plan, wac_bench_case bench)
{
    if (plan->count < MOST_CASES)
        plan->cases[plan->count++] = bench;
}

static wac_bench_case middle_of(const cli_bench_flags *flags, const wac_bench_size *size,
                                wac_algorithm algorithm)
{
    return (wac_bench_case){
        .size = size,
        .algorithm = algorithm,
        .width = flags->width ? (int)flags->width : WIDTH,
        .batch = flags->batch ? (int)flags->batch : BATCH,
        .threads = flags->threads ? (int)flags->threads : wac_processors(),
        .precision = flags->precision && strcmp(flags->precision, "mixed") == 0
                         ? WAC_PRECISION_MIXED
                         : WAC_PRECISION_SINGLE,
    };
}

/* Threads, then widths, then batches around the middle; what a flag names stays. */
static void add_axes(plan *plan, const cli_bench_flags *flags, const wac_bench_size *size,
                     wac_algorithm algorithm)
{
    static const int widths[] = {64, 128, 256, 512, 1024};
    static const int batches[] = {64, 128, 256, 512, 1024, 2048, 4096};
    int processors = wac_processors();
    const wac_bench_case middle = middle_of(flags, size, algorithm);
    wac_bench_case bench = middle;
    for (int threads = 1; !flags->threads && threads < processors; threads *= 2) {
        bench.threads = threads;
        if (!flags->quick || threads == 1)
            add(plan, bench);
    }
    add(plan, middle);
    if (flags->quick)
        return;
    bench = middle;
    for (size_t i = 0; !flags->width && i < sizeof widths / sizeof *widths; i++) {
        bench.width = widths[i];
        if (bench.width != middle.width)
            add(plan, bench);
    }
    bench = middle;
    for (size_t i = 0; !flags->batch && i < sizeof batches / sizeof *batches; i++) {
        bench.batch = batches[i];
        if (bench.batch != middle.batch)
            add(plan, bench);
    }
}

static void make_plan(plan *plan, const cli_bench_flags *flags)
{
    plan->count = 0;
    for (int s = 0; s < (flags->quick && !flags->size ? 1 : SIZES); s++)
        for (int a = 0; a < ALGORITHMS; a++)
            if ((!flags->size || strcmp(flags->size, size_names[s]) == 0) &&
                (!flags->algorithm || strcmp(flags->algorithm, algorithm_names[a]) == 0))
                add_axes(plan, flags, &wac_bench_sizes[s], algorithms[a]);
}

static int check_word(const char *flag, const char *word, const char *const *words, const char *all)
{
    for (int i = 0; word && words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            word = NULL;
    return word ? cli_refuse("--%s must be %s, not \"%s\"", flag, all, WAC_CLIP(word)) : CLI_OK;
}

static int check(const cli_bench_flags *flags)
{
    int processors = wac_processors();
    int status =
        check_word("algorithm", flags->algorithm, algorithm_names, "sac, oac, oe-wac or me-wac");
    if (!status)
        status = check_word("env-size", flags->size, size_names, "point or halfcheetah");
    if (!status)
        status = check_word("precision", flags->precision, precision_names, "single or mixed");
    const char *dot = flags->figure ? strrchr(flags->figure, '.') : NULL;
    if (!status && flags->figure && !(dot && (!strcmp(dot, ".png") || !strcmp(dot, ".svg"))))
        status =
            cli_refuse("--figure must end in .png or .svg, not \"%s\"", WAC_CLIP(flags->figure));
    if (!status && flags->threads > processors)
        status =
            cli_refuse("--threads %lld would time waiting: this process may use %d processor%s",
                       (long long)flags->threads, processors, processors == 1 ? "" : "s");
    return status;
}

static void print_head(const cli_style *style, const cli_bench_flags *flags)
{
    if (flags->precision && strcmp(flags->precision, "mixed") == 0)
        puts("precision: mixed; the limit is that of single");
    printf("share: of the limit, %s fused multiply-adds on the same threads\n", wac_bench_unit());
    printf("%s%-9s  %-11s  %5s  %5s  %7s  %9s  %6s  %6s  %6s  %13s  %10s%s\n", style->dim,
           "algorithm", "size", "width", "batch", "threads", "updates/s", "share", "spread",
           "MFLOP", "limit GFLOP/s", "round trip", style->plain);
    fflush(stdout);
}

static void print_row(const wac_bench_case *bench, const wac_bench_result *result)
{
    printf("%-9s  %-11s  %5d  %5d  %7d  %9.1f  %5.1f%%  %5.1f%%  %6.0f  %13.1f",
           wac_algorithm_name(bench->algorithm), bench->size->name, bench->width, bench->batch,
           bench->threads, result->updates_per_second, 100 * result->share_of_limit,
           100 * result->spread, result->operations / 1e6, result->limit / 1e9);
    if (bench->threads > 1)
        printf("  %7.0f ns", 1e9 * result->round_trip);
    putchar('\n');
    fflush(stdout);
}

static int print_json(const plan *plan)
{
    json_t *list = json_array();
    for (int i = 0; i < plan->count; i++) {
        const wac_bench_case *bench = &plan->cases[i];
        const wac_bench_result *result = &plan->results[i];
        json_array_append_new(
            list, json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:f, s:f, s:f}", "algorithm",
                            wac_algorithm_name(bench->algorithm), "observation_size",
                            bench->size->observations, "action_size", bench->size->actions, "width",
                            bench->width, "batch", bench->batch, "threads", bench->threads,
                            "updates_per_second", result->updates_per_second, "share_of_limit",
                            result->share_of_limit, "spread", result->spread));
    }
    size_t size;
    bool whole = list && json_array_size(list) == (size_t)plan->count;
    char *text = whole ? wac_json_text(list, JSON_INDENT(2) | JSON_REAL_PRECISION(6), &size) : NULL;
    json_decref(list);
    if (!text)
        return cli_fail(&(wac_error){.message = "out of memory for the results"});
    puts(text);
    free(text);
    return CLI_OK;
}

static void warn(const plan *plan)
{
    double lost = 0;
    for (int i = 0; i < plan->count; i++)
        lost = plan->results[i].lost > lost ? plan->results[i].lost : lost;
    cli_bench_warn(lost);
}

/* One size a picture: the first that was timed. */
static int draw(const plan *plan, const cli_bench_flags *flags)
{
    wac_error error = {0};
    const wac_bench_case middle = middle_of(flags, plan->cases[0].size, plan->cases[0].algorithm);
    if (wac_bench_figure(plan->cases, plan->results, plan->count, &middle, flags->figure, &error) !=
        WAC_STATUS_OK)
        return cli_fail(&error);
    return CLI_OK;
}

static int measure(plan *plan, const cli_bench_flags *flags)
{
    cli_style style = cli_style_of(stdout);
    if (!flags->json)
        print_head(&style, flags);
    for (int i = 0; i < plan->count; i++) {
        wac_error error = {0};
        if (wac_bench_update(&plan->results[i], &plan->cases[i], ROUND_SECONDS, &error) !=
            WAC_STATUS_OK)
            return cli_fail(&error);
        if (!flags->json)
            print_row(&plan->cases[i], &plan->results[i]);
    }
    warn(plan);
    int status = flags->json ? print_json(plan) : CLI_OK;
    return flags->figure && !status ? draw(plan, flags) : status;
}

int cli_bench_update(const cli_bench_flags *flags)
{
    int status = check(flags);
    if (status)
        return status;
    plan *plan = malloc(sizeof *plan);
    if (!plan)
        return cli_fail(&(wac_error){.message = "out of memory for the list of cases"});
    make_plan(plan, flags);
    status = measure(plan, flags);
    free(plan);
    return status;
}
