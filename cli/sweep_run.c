/* What the commands that run sweeps share. */
#include "sweep_run.h"
#include "cli.h"
#include "terminal/progress.h"
#include "terminal/sweep_view.h"
#include "terminal/terminal.h"

#include "base/suggest.h"
#include "base/threads.h"
#include "sweep/estimate.h"
#include "sweep/mpi.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void cli_sweep_directory(char directory[PATH_MAX], const char *out, const char *parent,
                         const char *file)
{
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    const char *end = strrchr(name, '.');
    int length = (int)(end && end > name ? (size_t)(end - name) : strlen(name));
    if (out)
        snprintf(directory, PATH_MAX, "%s", out);
    else
        snprintf(directory, PATH_MAX, "%s/%.*s", parent, length, name);
}

int cli_read_given(wac_given *given, const char *const *values)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    *given = (wac_given){0};
    for (size_t i = 0; i < count; i++) {
        if (values[i] && (!*values[i] || strlen(values[i]) >= WAC_GIVEN_VALUE))
            return cli_refuse("\"%s\" is no value of %s", WAC_CLIP(values[i]), settings[i].name);
        if (values[i])
            strcpy(given->values[i], values[i]);
    }
    return CLI_OK;
}

int cli_read_share(wac_sweep_share *share, const char *text)
{
    char *end = NULL, *last = NULL;
    long index = strtol(text, &end, 10);
    long count = *end == '/' ? strtol(end + 1, &last, 10) : 0;
    if (!last || *last || index < 1 || count < index || count > WAC_SWEEP_RUNS)
        return cli_refuse("--only must be as in 3/12, the third of twelve shares, not \"%s\"",
                          text);
    share->index = (int)index - 1;
    share->count = (int)count;
    return CLI_OK;
}

int cli_sweep_dry_run(const wac_sweep *sweep, const char *directory,
                      const wac_sweep_options *options)
{
    static const char *const words[] = {"start", "go on", "", "done", "failed"};
    wac_error error = {0};
    wac_sweep_item *items;
    size_t counts[5] = {0}, count = 0;
    double seconds = 0;
    char duration[48], text[48];
    if (wac_sweep_rank() > 0)
        return CLI_OK;
    int workers = options->workers > 0 ? options->workers : wac_processors();
    if (wac_sweep_inspect(&items, sweep, directory, &error) != WAC_STATUS_OK)
        return cli_blame(&error);
    if (options->ladder)
        wac_ladder_begin(options->ladder, items);
    for (size_t i = 0; i < sweep->count; i++) {
        if (!wac_sweep_share_has(options->share, i)) {
            items[i].state = WAC_SWEEP_STATE_DONE; /* by others */
            continue;
        }
        count++;
        counts[items[i].state]++;
        printf("%-6s %s", words[items[i].state], sweep->runs[i].folder);
        if (items[i].state == WAC_SWEEP_STATE_BEGUN && items[i].again)
            printf("  (from the beginning: its checkpoint holds no replay)");
        else if (items[i].state == WAC_SWEEP_STATE_BEGUN)
            printf("  (epoch %lld of %lld)", (long long)items[i].progress.epoch,
                   (long long)items[i].progress.epochs);
        if (items[i].state == WAC_SWEEP_STATE_FAILED)
            fputs(": ", stdout);
        cli_print_sentence(stdout, items[i].state == WAC_SWEEP_STATE_FAILED ? items[i].reason : "");
    }
    fflush(stdout);
    if (options->ladder)
        wac_ladder_expect(options->ladder, items);
    bool estimates = options->device == WAC_DEVICE_CPU;
    wac_status status =
        estimates ? wac_sweep_estimate(&seconds, sweep, items, workers, &error) : WAC_STATUS_OK;
    free(items);
    if (status != WAC_STATUS_OK)
        return cli_blame(&error);
    printf("\n%s in %s: %zu to start, %zu to go on with, %zu done",
           cli_count(text, (int64_t)count, "run"), directory, counts[WAC_SWEEP_STATE_NEW],
           counts[WAC_SWEEP_STATE_BEGUN], counts[WAC_SWEEP_STATE_DONE]);
    if (counts[WAC_SWEEP_STATE_FAILED])
        printf(", %zu damaged", counts[WAC_SWEEP_STATE_FAILED]);
    putchar('\n');
    if (estimates && counts[WAC_SWEEP_STATE_NEW] + counts[WAC_SWEEP_STATE_BEGUN] > 0) {
        cli_format_duration(duration, seconds);
        char sentence[256];
        snprintf(sentence, sizeof sentence,
                 "about %s with %s on this machine, if its cores are free (an estimate from a "
                 "moment of each)",
                 duration, cli_count(text, workers, "worker"));
        cli_print_wrapped(sentence, 0, cli_width(stdout));
    }
    return CLI_OK;
}

/* How it ended, and the command that goes on. */
static int conclude(const char *command, size_t runs, wac_status status,
                    const wac_sweep_outcome *outcome, const wac_error *error)
{
    char text[48], seconds[24];
    if (status == WAC_STATUS_INTERRUPTED) {
        fprintf(stderr, "wac: stopped and saved, %zu of %zu done; go on with: %s\n", outcome->done,
                runs, command);
        return CLI_FAILED;
    }
    if (status != WAC_STATUS_OK)
        return cli_blame(error);
    if (outcome->failed) {
        fprintf(stderr, "wac: %s of %zu failed", cli_count(text, (int64_t)outcome->failed, "run"),
                runs);
        if (outcome->damaged)
            fprintf(stderr, ", %zu of them damaged: mend those first", outcome->damaged);
        if (outcome->diverged)
            fprintf(stderr,
                    ", %zu diverged and would do so again: change the settings (a smaller "
                    "learning_rate, say) and delete the folder, or choose another --out",
                    outcome->diverged);
        bool again = outcome->failed > outcome->damaged + outcome->diverged;
        fprintf(stderr, "; %s: %s\n", again ? "try again with" : "then", command);
        return CLI_FAILED;
    }
    cli_format_seconds(seconds, outcome->seconds);
    cli_count(text, (int64_t)outcome->done, "run");
    if (outcome->busy > 0 && outcome->workers == 0)
        fprintf(stderr, "%s done in %s\n", text, seconds);
    else if (outcome->busy > 0)
        fprintf(stderr, "%s done in %s; the workers trained for %.0f %% of it\n", text, seconds,
                100 * outcome->busy / (outcome->seconds * outcome->workers));
    else
        fprintf(stderr, "nothing left to do: %s done\n", text);
    return CLI_OK;
}

int cli_sweep_run(const wac_sweep *sweep, const char *directory, wac_sweep_options *options,
                  const char *command, bool *speaks)
{
    char again[4 * PATH_MAX];
    cli_sweep_view view = cli_sweep_view_make(stderr);
    wac_sweep_outcome outcome;
    wac_error error = {0};
    options->stop = cli_stop_on_signals("stopped at once; what is running still saves itself");
    options->progress = cli_sweep_view_show;
    options->user = &view;
    wac_status status = wac_sweep_execute(sweep, directory, options, &outcome, &error);
    cli_sweep_view_end(&view);
    *speaks = outcome.rank == 0 && status == WAC_STATUS_OK;
    snprintf(again, sizeof again, "%s%s", command,
             options->device == WAC_DEVICE_CUDA ? " --device cuda" : "");
    return outcome.rank == 0 ? conclude(again, sweep->count, status, &outcome, &error) : CLI_OK;
}
