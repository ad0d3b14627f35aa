/* wac bench kernels, wac bench train: the tables. */
#include "base/clock.h"
#include "base/threads.h"
#include "bench.h"
#include "bench/bench.h"
#include "terminal/progress.h"

static void print_kernel(void *user, const wac_bench_kernel *kernel)
{
    (void)user;
    printf("%-24s  %4d x %4d x %4d  %-8s  %7.1f  %5.1f%%\n", kernel->shape, kernel->rows,
           kernel->columns, kernel->depth, kernel->version, kernel->operations_per_second / 1e9,
           100 * kernel->share_of_limit);
    fflush(stdout);
}

void cli_bench_warn(double lost)
{
    if (lost > 0.05)
        fprintf(stderr,
                "wac: other programs had up to %.0f %% of the processors' time, so these speeds "
                "are too low; stop them and measure again\n",
                100 * lost);
}

int cli_bench_kernels(void)
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
    cli_bench_warn(1 - (wac_clock_processor_seconds() - had) / (wac_clock_seconds() - start));
    return CLI_OK;
}

static void print_loop(const char *algorithm, int threads, const wac_bench_loop *loop)
{
    double whole = loop->update + loop->explore + loop->evaluate + loop->log + loop->checkpoint;
    const double parts[] = {loop->explore, loop->evaluate, loop->checkpoint, loop->log,
                            loop->update - loop->bare};
    printf("%-9s  %7d  %11.2f  %5.1f%%  %5.1f%%", algorithm, threads, whole, 100 * loop->share,
           100 * loop->spread);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        printf("  %9.1f%%", 100 * parts[i] / whole);
    putchar('\n');
    fflush(stdout);
}

int cli_bench_train(const cli_bench_flags *flags)
{
    static const char *const algorithms[] = {"sac", "oe-wac"};
    cli_style style = cli_style_of(stdout);
    const volatile int *stop = cli_stop_on_signals("stopped at once");
    int processors = wac_processors();
    printf("point-1; share: bare updates of the whole loop's time; the rest goes to\n");
    printf("%s%-9s  %7s  %11s  %6s  %6s  %10s  %10s  %10s  %10s  %10s%s\n", style.dim, "algorithm",
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
            config.epochs = flags->epochs ? flags->epochs : 3;
            if (wac_bench_train(&loop, &config, threads, stop, &error) != WAC_STATUS_OK)
                return cli_fail(&error);
            print_loop(algorithms[a], threads, &loop);
        }
    }
    return CLI_OK;
}
