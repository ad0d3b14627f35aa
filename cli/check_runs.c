/* wac check of runs: their state, in words. */
#include "check_runs.h"

#include "cli.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/status.h"
#include "base/suggest.h"
#include "run/check.h"
#include "run/folder.h"
#include "run/packed.h"
#include "sweep/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct tally {
    size_t runs, finished, packed, unfinished, diverged, damaged;
} tally;

/* "epoch 3 of 30" */
static const char *place_of(char text[64], const wac_checkup *run)
{
    snprintf(text, 64, "epoch %lld of %lld", (long long)run->epoch, (long long)run->epochs);
    return text;
}

static void print_whole(const wac_checkup *run, const char *path)
{
    char place[64], epochs[48];
    printf("whole    %s: ", path);
    if (run->trains)
        printf("being trained, %s", place_of(place, run));
    else if (run->state == WAC_RUN_STATE_FINISHED)
        printf("finished, %s", cli_count(epochs, run->epochs, "epoch"));
    else if (run->state == WAC_RUN_STATE_PACKED)
        printf("packed, %s; it can be read and drawn, but not go on",
               cli_count(epochs, run->epochs, "epoch"));
    else if (run->state == WAC_RUN_STATE_KEPT)
        printf("%s, without a replay; it can be used, but not go on", place_of(place, run));
    else
        printf("%s%s go on with: %s train --resume %s",
               run->state == WAC_RUN_STATE_NEW ? "nothing saved yet" : place_of(place, run),
               run->diverged ? ", diverged, and would again; start anew with other settings, or, "
                               "where the environment was mended,"
                             : ";",
               cli_program(), WAC_SHELL(path));
    if (run->cut)
        printf(" (which also tidies up after a write that was cut off)");
    putchar('\n');
}

/* Fails where the run cannot be read, and so not be told from a damaged one. */
static wac_status check_run(tally *tally, const char *path, wac_error *error)
{
    wac_checkup run;
    wac_status status = wac_run_check(&run, path, error);
    if (status != WAC_STATUS_OK && status != WAC_STATUS_INPUT)
        return status;
    size_t *kind = status != WAC_STATUS_OK               ? &tally->damaged
                   : run.state == WAC_RUN_STATE_FINISHED ? &tally->finished
                   : run.state == WAC_RUN_STATE_PACKED   ? &tally->packed
                   : run.diverged                        ? &tally->diverged
                                                         : &tally->unfinished;
    tally->runs++;
    ++*kind;
    if (status == WAC_STATUS_OK) {
        print_whole(&run, path);
    } else {
        fputs("damaged  ", stdout);
        cli_print_sentence(stdout, error->message);
    }
    return WAC_STATUS_OK;
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && entry->d_type != DT_REG;
}

/* The runs at or below a folder. */
static wac_status check_below(tally *tally, const char *path, wac_error *error)
{
    struct dirent **entries;
    bool is_run, was_run; /* and has lost its config.yaml */
    WAC_TRY(wac_folder_look(&is_run, path, WAC_FOLDER_CONFIG, error));
    WAC_TRY(wac_folder_look(&was_run, path, WAC_FOLDER_PROGRESS, error));
    if (is_run || was_run)
        return check_run(tally, path, error);
    int count = scandir(path, &entries, is_visible, alphasort);
    if (count < 0)
        return wac_fail(error, errno == ENOMEM ? WAC_STATUS_MEMORY : WAC_STATUS_IO,
                        "cannot search %s: %s; check that the path is right", path,
                        strerror(errno));
    wac_status status = WAC_STATUS_OK;
    char *next = malloc(PATH_MAX); /* folders may be deep, the stack is not */
    if (!next)
        status = wac_fail_memory(error, path);
    for (int i = 0; i < count; i++) {
        if (status == WAC_STATUS_OK)
            status = wac_path_join(next, PATH_MAX, path, entries[i]->d_name, error);
        if (status == WAC_STATUS_OK && (entries[i]->d_type == DT_DIR || wac_path_is_folder(next)))
            status = check_below(tally, next, error);
        free(entries[i]);
    }
    free(next);
    free(entries);
    return status;
}

/* "4 runs: 2 finished, 1 diverged, 0 damaged" */
static void print_tally(const tally *tally)
{
    char runs[48];
    printf("%s: %zu finished, ", cli_count(runs, (int64_t)tally->runs, "run"), tally->finished);
    if (tally->packed > 0)
        printf("%zu packed, ", tally->packed);
    if (tally->unfinished > 0)
        printf("%zu unfinished, ", tally->unfinished);
    if (tally->diverged > 0)
        printf("%zu diverged, ", tally->diverged);
    printf("%zu damaged\n", tally->damaged);
}

int cli_check_runs(const char *word)
{
    char path[PATH_MAX];
    tally tally = {0};
    wac_error error = {0};
    size_t listed, begun, length = strlen(word);
    while (length > 1 && word[length - 1] == '/')
        length--;
    if (length == 0 || length >= sizeof path)
        return cli_refuse("the name of a folder is %s", length ? "too long" : "empty");
    snprintf(path, sizeof path, "%.*s", (int)length, word);
    if (!wac_path_exists(path))
        return cli_refuse("there is no folder %s; check that the path is right", path);
    if (wac_packed_has(path) && wac_packed_check_run(path, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    if (wac_sweep_count(&listed, &begun, path, &error) != WAC_STATUS_OK ||
        check_below(&tally, path, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    if (tally.runs == 0 && listed == 0)
        return cli_refuse("no run in %s; a run is a folder with a config.yaml and a progress.csv",
                          path);
    if (tally.runs != 1 || listed > 0)
        print_tally(&tally);
    if (tally.damaged > 0)
        puts("what is damaged: copy it again from where it is whole, or delete the folder and "
             "train it again");
    if (listed > begun)
        printf("not begun: %zu of the %zu runs that the sweep lists\n", listed - begun, listed);
    return tally.damaged ? CLI_FAILED : CLI_OK;
}
