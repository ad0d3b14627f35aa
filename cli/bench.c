/* wac bench: how fast this machine trains, and how much of the machine that uses. */
#include "bench_gpu.h"
#include "cli.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/suggest.h"
#include "base/threads.h"
#include "base/words.h"
#include "bench/figure.h"
#include "bench/kernels.h"
#include "bench/limit.h"
#include "bench/train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "wac bench: how fast this machine trains\n"
    "\n"
    "Usage\n"
    "  wac bench update [--quick] [--json] [--algorithm NAME] [--width N]\n"
    "                   [--batch N] [--threads N] [--env-size point|halfcheetah]\n"
    "                   [--precision single|mixed] [--network plain|simba|bronet]\n"
    "                   [--figure FILE]\n"
    "  wac bench gpu [--runs N,...] [--algorithm NAME,...] [--precision NAME,...]\n"
    "                [--env-size point|halfcheetah] [--width N] [--batch N]\n"
    "                [--peer WAY] [--cpu] [--epochs N [--seeds N]] [--json]\n"
    "                [--figure FILE]\n"
    "  wac bench gpu --from FILE,... [--json] [--figure FILE]\n"
    "  wac bench kernels\n"
    "  wac bench train [--epochs N]\n"
    "\n"
    "update: updates per second, and the share of the limit that they reach. The\n"
    "limit is measured on the same threads, in turns with the updates: fused\n"
    "multiply-adds on registers and nothing else, best of 9. An update is counted by\n"
    "the sizes of its layers, however it is computed. Medians of 9 rounds; the\n"
    "spread is that of the middle half of them, as a share of the median. Varies\n"
    "one thing at a time: threads, width and batch around width 256, batch 256 and\n"
    "all processors. A flag fixes what it names. Stop other work first. The round\n"
    "trip is that of a number between the first two threads: the shorter, the\n"
    "nearer are their processors, and the faster are two threads.\n"
    "\n"
    "gpu: updates of many runs in lockstep on a GPU (docs/lockstep.md), counted over\n"
    "all runs. Medians of 9 rounds and the spread of their middle half; the time of\n"
    "one update of one run, and the least that it can take; the shares of what the\n"
    "GPU does at best, which is measured first: products from registers, and copies\n"
    "of large arrays (what is counted: docs/speed.md). Then where the time of an\n"
    "update goes, kernel by kernel. With --epochs whole epochs of training beside\n"
    "bare updates of the same runs, and where the rest goes.\n"
    "\n"
    "kernels: every version of the matrix product at the sizes that updates have,\n"
    "one thread, operands in cache, best of 9.\n"
    "\n"
    "train: the whole loop of training on point-1 in a temporary folder, with SAC\n"
    "and OE-WAC, beside the bare updates of the same agent, and where the rest of\n"
    "the time goes.\n"
    "\n"
    "Flags of update\n"
    "  --quick             Point size, width 256, batch 256, one thread and all\n"
    "                      processors only\n"
    "  --json              an array of objects instead of a table\n"
    "  --figure FILE       draw them too: cost and share against width, batch and\n"
    "                      threads, for the first size (.png or .svg)\n"
    "  --algorithm NAME    only this one of those that \"wac train\" knows\n"
    "  --width N           units in each hidden layer\n"
    "  --batch N           transitions drawn for an update\n"
    "  --threads N         threads that share the work\n"
    "  --env-size NAME     point: 4 observations, 2 actions; halfcheetah: 17 and 6\n"
    "  --precision NAME    single or mixed; the limit is that of single\n"
    "  --network NAME      plain, simba or bronet; of these the width of critics\n"
    "\n"
    "Flags of gpu: --width, --batch and --env-size (point) as above; lists have\n"
    "commas between their entries\n"
    "  --runs LIST         numbers of runs, up to 4096 (1,4,16,64,128)\n"
    "  --algorithm LIST    only these\n"
    "  --precision LIST    only these: single, tf32, mixed\n"
    "  --peer WAY          PyTorch in turns with SAC, OE-WAC and ME-WAC:\n"
    "                      bench/peers/torch_lockstep.py. WAY: fastest\n"
    "                      tries all of the rest, and takes minutes to compile;\n"
    "                      max-autotune, max-autotune-combined, default, combined,\n"
    "                      eager: from this on\n"
    "  --cpu               processors beside it: one run on one of them, and a run\n"
    "                      on each\n"
    "  --epochs N          whole epochs, N or more of every group after a first one:\n"
    "                      each algorithm in four mazes, with their presets\n"
    "  --seeds N           runs of each algorithm in each maze, up to 16 (5)\n"
    "  --json              one object with everything, the tables on stderr\n"
    "  --figure FILE       draw the updates against the runs (.png or .svg)\n"
    "  --from FILE,...     measure nothing: what --json printed, of several files\n"
    "                      together\n"
    "\n"
    "Flag of train\n"
    "  --epochs N          epochs of each run (3)\n"
    "\n"
    "Examples\n"
    "  wac bench update --quick\n"
    "  wac bench update --algorithm oe-wac --env-size point --threads 1\n"
    "  wac bench gpu --algorithm oe-wac --precision mixed --runs 64 --peer fastest\n"
    "  wac bench gpu --from gpu.json --figure gpu.png\n"
    "  taskset -c 2-5 wac bench update --quick --json > here.json\n";

static bench_flags flags;

static const cli_option options[] = {
    {"json", .on = &flags.json},
    {"figure", .text = &flags.figure},
    {"quick", .on = &flags.quick},
    {"algorithm", .text = &flags.algorithm},
    {"env-size", .text = &flags.size},
    {"precision", .text = &flags.precision},
    {"network", .text = &flags.network},
    {"width", .count = &flags.width, .smallest = 1, .largest = 8192},
    {"batch", .count = &flags.batch, .smallest = 1, .largest = 65536},
    {"threads", .count = &flags.threads, .smallest = 1, .largest = 1024},
    {"epochs", .count = &flags.epochs, .smallest = 1, .largest = 1000},
    {"runs", .text = &flags.runs},
    {"seeds", .count = &flags.seeds, .smallest = 1, .largest = 16},
    {"peer", .text = &flags.peer},
    {"cpu", .on = &flags.cpu},
    {"from", .text = &flags.from},
    {0},
};

/* Numbers from a busy machine are no use: say so where others had this share of the time. */
static void warn(double lost)
{
    if (lost > 0.05)
        fprintf(stderr,
                "wac: other programs had up to %.0f %% of the processors' time, so these speeds "
                "are too low; stop them and measure again\n",
                100 * lost);
}

/* --- update ----------------------------------------------------------------------------------- */

enum { MOST_CASES = 512 };
static const double ROUND_SECONDS = 0.2;

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

static wac_bench_case middle_of(const wac_bench_size *size, wac_algorithm algorithm)
{
    return (wac_bench_case){
        .size = size,
        .algorithm = algorithm,
        .width = flags.width ? (int)flags.width : BENCH_WIDTH,
        .batch = flags.batch ? (int)flags.batch : BENCH_BATCH,
        .threads = flags.threads ? (int)flags.threads : wac_processors(),
        .precision = flags.precision && strcmp(flags.precision, "mixed") == 0
                         ? WAC_PRECISION_MIXED
                         : WAC_PRECISION_SINGLE,
        .network = flags.network ? (wac_network)wac_word_index(WAC_NETWORKS, flags.network)
                                 : WAC_NETWORK_PLAIN,
    };
}

/* Threads, then widths, then batches around the middle; what a flag names stays. */
static void add_axes(plan *plan, const wac_bench_size *size, wac_algorithm algorithm)
{
    static const int widths[] = {64, 128, 256, 512, 1024};
    static const int batches[] = {64, 128, 256, 512, 1024, 2048, 4096};
    int processors = wac_processors();
    const wac_bench_case middle = middle_of(size, algorithm);
    wac_bench_case bench = middle;
    for (int threads = 1; !flags.threads && threads < processors; threads *= 2) {
        bench.threads = threads;
        if (!flags.quick || threads == 1)
            add(plan, bench);
    }
    add(plan, middle);
    if (flags.quick)
        return;
    bench = middle;
    for (size_t i = 0; !flags.width && i < sizeof widths / sizeof *widths; i++) {
        bench.width = widths[i];
        if (bench.width != middle.width)
            add(plan, bench);
    }
    bench = middle;
    for (size_t i = 0; !flags.batch && i < sizeof batches / sizeof *batches; i++) {
        bench.batch = batches[i];
        if (bench.batch != middle.batch)
            add(plan, bench);
    }
}

static void make_plan(plan *plan)
{
    plan->count = 0;
    for (int s = 0; s < (flags.quick && !flags.size ? 1 : WAC_BENCH_SIZES); s++)
        for (wac_algorithm a = 0; a < WAC_ALGORITHM_TABLES; a++)
            if ((!flags.size || strcmp(flags.size, wac_bench_sizes[s].name) == 0) &&
                (!flags.algorithm || strcmp(flags.algorithm, wac_algorithm_name(a)) == 0))
                add_axes(plan, &wac_bench_sizes[s], a);
}

static int check_word(const char *flag, const char *word, const char *words)
{
    char choice[128];
    wac_words_join(choice, sizeof choice, words);
    return !word || wac_word_index(words, word) >= 0
               ? CLI_OK
               : cli_refuse("--%s must be %s, not \"%s\"", flag, choice, WAC_CLIP(word));
}

/* Flags that several subjects have. */
static int check_common(void)
{
    const char *dot = flags.figure ? strrchr(flags.figure, '.') : NULL;
    if (flags.figure && !(dot && (!strcmp(dot, ".png") || !strcmp(dot, ".svg"))))
        return cli_refuse("--figure must end in .png or .svg, not \"%s\"", WAC_CLIP(flags.figure));
    return check_word("env-size", flags.size, "point|halfcheetah");
}

static int check(void)
{
    int processors = wac_processors();
    int status = check_word("algorithm", flags.algorithm, &WAC_NETWORK_WORDS[1]);
    if (!status)
        status = check_word("precision", flags.precision, WAC_PRECISIONS);
    if (!status)
        status = check_word("network", flags.network, WAC_NETWORKS);
    if (!status && flags.threads > processors)
        status =
            cli_refuse("--threads %lld would time waiting: this process may use %d processor%s",
                       (long long)flags.threads, processors, processors == 1 ? "" : "s");
    return status;
}

static void print_head(const cli_style *style)
{
    if (flags.precision && strcmp(flags.precision, "mixed") == 0)
        puts("precision: mixed; the limit is that of single");
    if (flags.network && strcmp(flags.network, "plain") != 0)
        printf("network: %s; the width is that of the critics, policies have their default\n",
               flags.network);
    printf("share: of the limit (GFLOP/s), %s fused multiply-adds on the same\n"
           "threads (thr); trip: of a word between two threads and back, in ns\n",
           wac_bench_unit());
    printf("%s%-10s %-11s %5s %5s %3s %9s %6s %6s %5s %5s %5s%s\n", style->dim, "algorithm", "size",
           "width", "batch", "thr", "updates/s", "share", "spread", "MFLOP", "limit", "trip",
           style->plain);
    fflush(stdout);
}

static void print_row(const wac_bench_case *bench, const wac_bench_result *result)
{
    printf("%-10s %-11s %5d %5d %3d %9.1f %5.1f%% %5.1f%% %5.0f %5.0f",
           wac_algorithm_name(bench->algorithm), bench->size->name, bench->width, bench->batch,
           bench->threads, result->updates_per_second, 100 * result->share_of_limit,
           100 * result->spread, result->operations / 1e6, result->limit / 1e9);
    if (bench->threads > 1)
        printf(" %5.0f", 1e9 * result->round_trip);
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
    char *text =
        whole ? wac_json_text(list, JSON_INDENT(2) | JSON_REAL_PRECISION(15), &size) : NULL;
    json_decref(list);
    if (!text)
        return cli_fail(&(wac_error){.message = "out of memory for the results"});
    puts(text);
    free(text);
    return CLI_OK;
}

static int measure(plan *plan)
{
    cli_style style = cli_style_of(stdout);
    wac_error error = {0};
    double lost = 0;
    if (!flags.json)
        print_head(&style);
    for (int i = 0; i < plan->count; i++) {
        if (wac_bench_update(&plan->results[i], &plan->cases[i], ROUND_SECONDS, &error) !=
            WAC_STATUS_OK)
            return cli_fail(&error);
        if (!flags.json)
            print_row(&plan->cases[i], &plan->results[i]);
        lost = fmax(lost, plan->results[i].lost);
    }
    warn(lost);
    int status = flags.json ? print_json(plan) : CLI_OK;
    if (status || !flags.figure)
        return status;
    /* one size a picture: the first that was timed */
    wac_bench_case middle = middle_of(plan->cases[0].size, plan->cases[0].algorithm);
    return wac_bench_figure(plan->cases, plan->results, plan->count, &middle, flags.figure, &error)
               ? cli_fail(&error)
               : CLI_OK;
}

static int bench_update(void)
{
    int status = check();
    if (status)
        return status;
    plan *plan = malloc(sizeof *plan);
    if (!plan)
        return cli_fail(&(wac_error){.message = "out of memory for the list of cases"});
    make_plan(plan);
    status = measure(plan);
    free(plan);
    return status;
}

/* --- kernels ---------------------------------------------------------------------------------- */

static void print_kernel(void *user, const wac_bench_kernel *kernel)
{
    (void)user;
    printf("%-24s  %4d x %4d x %4d  %-8s  %7.1f  %5.1f%%\n", kernel->shape, kernel->rows,
           kernel->columns, kernel->depth, kernel->version, kernel->operations_per_second / 1e9,
           100 * kernel->share_of_limit);
    fflush(stdout);
}

static int bench_kernels(void)
{
    cli_style style = cli_style_of(stdout);
    wac_error error = {0};
    printf("share: of the limit, %s fused multiply-adds on the same processor\n", wac_bench_unit());
    printf("%s%-24s  %-18s  %-8s  %7s  %6s%s\n", style.dim, "product", "rows, columns, sum",
           "version", "GFLOP/s", "share", style.plain);
    double start = wac_clock_seconds(), had = wac_clock_processor_seconds();
    if (wac_bench_kernels(0.003, print_kernel, NULL, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    /* one thread, which works all the time */
    warn(1 - (wac_clock_processor_seconds() - had) / (wac_clock_seconds() - start));
    return CLI_OK;
}

/* --- train ------------------------------------------------------------------------------------ */

static void print_loop(const char *algorithm, int threads, const wac_bench_loop *loop)
{
    double whole = loop->update + loop->explore + loop->evaluate + loop->log + loop->checkpoint;
    const double parts[] = {loop->explore, loop->evaluate, loop->checkpoint, loop->log,
                            loop->update - loop->bare};
    printf("%-10s  %7d  %11.2f  %5.1f%%  %5.1f%%", algorithm, threads, whole, 100 * loop->share,
           100 * loop->spread);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        printf("  %9.1f%%", 100 * parts[i] / whole);
    putchar('\n');
    fflush(stdout);
}

static int bench_train(void)
{
    static const char *const algorithms[] = {"sac", "oe-wac"};
    cli_style style = cli_style_of(stdout);
    const volatile int *stop = cli_stop_on_signals("stopped at once");
    int processors = wac_processors();
    printf("point-1; share: bare updates of the whole loop's time; the rest goes to\n");
    printf("%s%-10s  %7s  %11s  %6s  %6s  %10s  %10s  %10s  %10s  %10s%s\n", style.dim, "algorithm",
           "threads", "s per epoch", "share", "spread", "explore", "evaluate", "checkpoint", "log",
           "other", style.plain);
    fflush(stdout);
    for (int a = 0; a < 2; a++) {
        for (int i = 0; i < (processors > 1 ? 2 : 1); i++) {
            wac_bench_loop loop;
            wac_error error = {0};
            wac_config config;
            int threads = i ? processors : 1;
            if (wac_config_init(&config, "point-1", algorithms[a], &error) != WAC_STATUS_OK)
                return cli_fail(&error);
            config.epochs = flags.epochs ? flags.epochs : 3;
            if (wac_bench_train(&loop, &config, threads, stop, &error) != WAC_STATUS_OK)
                return cli_fail(&error);
            print_loop(algorithms[a], threads, &loop);
        }
    }
    return CLI_OK;
}

/* --- the command ------------------------------------------------------------------------------ */

/* Which flags a subject takes; null after the last. */
typedef struct subject {
    const char *name;
    const char *flags[16];
} subject;

static const subject subjects[] = {
    {"update",
     {"json", "quick", "figure", "algorithm", "env-size", "precision", "network", "width", "batch",
      "threads"}},
    {"gpu",
     {"json", "figure", "algorithm", "env-size", "precision", "width", "batch", "runs", "peer",
      "cpu", "epochs", "seeds", "from"}},
    {"kernels", {NULL}},
    {"train", {"epochs"}},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

static const char *subject_name(const void *names, size_t index)
{
    (void)names;
    return index < SUBJECTS ? subjects[index].name : NULL;
}

static const subject *find_subject(const char *name)
{
    for (int i = 0; i < SUBJECTS; i++)
        if (strcmp(subjects[i].name, name) == 0)
            return &subjects[i];
    cli_refuse("cannot bench \"%s\"; %s", WAC_CLIP(name),
               WAC_SUGGEST(name, subject_name, NULL, "say update, gpu, kernels or train"));
    return NULL;
}

/* Refuse a flag that was given but is another subject's. */
static int check_flags(const subject *subject)
{
    for (const cli_option *option = options; option->name; option++) {
        bool given = option->on     ? *option->on
                     : option->text ? *option->text != NULL
                                    : *option->count != 0;
        for (int i = 0; given && subject->flags[i]; i++)
            given = strcmp(subject->flags[i], option->name) != 0;
        if (given)
            return cli_refuse("\"%s bench %s\" has no --%s; leave it out", cli_program(),
                              subject->name, option->name);
    }
    return CLI_OK;
}

static int run(char **words)
{
    const subject *subject = find_subject(words[0]);
    int status = subject ? check_flags(subject) : CLI_USAGE;
    if (!status)
        status = check_common();
    if (status)
        return status;
    if (strcmp(subject->name, "gpu") == 0)
        return bench_gpu(&flags);
    if (strcmp(subject->name, "kernels") == 0)
        return bench_kernels();
    return strcmp(subject->name, "train") == 0 ? bench_train() : bench_update();
}

const cli_command cli_bench = {
    "bench",
    "how fast this machine trains",
    help,
    run,
    options,
    1,
    "bench what? Say update, gpu, kernels or train; see \"%s help bench\""};
