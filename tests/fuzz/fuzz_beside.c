/* Any bytes as one of the files that lie beside others, by the first of them: maps or events of a
 * run that goes on, the note of a reproduced experiment, what a bench has found. Refused with a
 * sentence, and nothing is changed; or the run goes on and is whole, the note can be written again,
 * the bench's numbers are drawn as far as that takes no other program. */
#include "bench/gpu_figure.h"
#include "config/config.h"
#include "fuzz/fuzz.h"
#include "report/note.h"
#include "run/check.h"
#include "run/folder.h"

#include <sys/stat.h>

enum { MAPS, EVENTS, NOTE, BENCH, KINDS };

/* A run that stopped in the middle, with maps and events. */
enum { FILES = 7 };
static const char *const names[FILES] = {"config.yaml",
                                         "manifest.json",
                                         "progress.csv",
                                         "checkpoint/run.safetensors",
                                         "checkpoint/agent.safetensors",
                                         "checkpoint/replay.safetensors",
                                         "maps.bin"};
static struct content {
    char *bytes;
    size_t size;
} sound[FILES];
static char run_path[96];
static volatile int stopped;

static const char *path_of(const char *name)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", run_path, name);
    return path;
}

static void stop_in_the_middle(void *user, const wac_progress *progress)
{
    (void)user;
    stopped = progress->is_row && progress->epoch == 1;
}

static void make_sound(void)
{
    wac_config config;
    wac_run *run;
    wac_run_options options = wac_run_options_default();
    require(wac_config_init(&config, "lqg", "oe-wac", NULL) == WAC_STATUS_OK);
    config.epochs = 3;
    config.width = config.batch_size = 4;
    config.initial_steps = config.explore_steps = config.path_limit = 8;
    config.updates = 2;
    config.evaluation_steps = 16;
    config.replay_capacity = 20;
    options.progress = stop_in_the_middle;
    options.stop = &stopped;
    options.maps = true;
    require(wac_run_create(&run, &config, NULL, run_path, &options, NULL) == WAC_STATUS_OK);
    require(wac_run_train(run, NULL) == WAC_STATUS_INTERRUPTED);
    wac_run_destroy(run);
    for (int i = 0; i < FILES; i++)
        require(wac_file_read(&sound[i].bytes, &sound[i].size, path_of(names[i]), SIZE_MAX / 2,
                              NULL) == WAC_STATUS_OK);
}

/* The run with that file stops and saves itself at the first step. */
static void go_on(const char *name, const uint8_t *data, size_t size)
{
    wac_run *run;
    wac_checkup checkup;
    wac_error error = {0};
    wac_run_options options = wac_run_options_default();
    require(wac_directory_remove(run_path, NULL) == WAC_STATUS_OK);
    require(mkdir(run_path, 0700) == 0 && mkdir(path_of("checkpoint"), 0700) == 0);
    for (int i = 0; i < FILES; i++)
        if (strcmp(names[i], "maps.bin") != 0)
            put_file(path_of(names[i]), sound[i].bytes, sound[i].size);
    put_file(path_of(name), data, size);
    wac_status whole = wac_run_check(&checkup, run_path, &error);
    expect_sentence(whole, &error);
    error = (wac_error){0};
    stopped = 1;
    options.stop = &stopped;
    wac_status status = wac_run_resume(&run, run_path, NULL, &options, 0, &error);
    expect_sentence(status, &error);
    if (status != WAC_STATUS_OK) {
        char *bytes;
        size_t kept;
        require(wac_file_read(&bytes, &kept, path_of(name), SIZE_MAX / 2, NULL) == WAC_STATUS_OK);
        require(whole != WAC_STATUS_OK && kept == size && memcmp(bytes, data, size) == 0);
        free(bytes);
        return;
    }
    require(wac_run_train(run, NULL) == WAC_STATUS_INTERRUPTED);
    wac_run_destroy(run);
    require(wac_run_check(&checkup, run_path, NULL) == WAC_STATUS_OK);
}

static void read_note(const uint8_t *data, size_t size)
{
    char path[128];
    wac_note note, again;
    wac_error error = {0};
    snprintf(path, sizeof path, "%s/%s", fuzz_root, wac_note_name);
    put_file(path, data, size);
    expect_sentence(wac_note_read(&note, fuzz_root, &error), &error);
    if (!note.runs)
        return;
    require(!wac_has_control(note.experiment, "") && note.seeds >= 0 && note.runs[0]);
    require(wac_note_write(&note, fuzz_root, NULL) == WAC_STATUS_OK);
    require(wac_note_read(&again, fuzz_root, NULL) == WAC_STATUS_OK && again.runs);
    require(strcmp(again.experiment, note.experiment) == 0 && again.scale == note.scale &&
            again.seeds == note.seeds && memcmp(&again.given, &note.given, sizeof note.given) == 0);
    wac_note_free(&again);
    wac_note_free(&note);
}

static void read_bench(const uint8_t *data, size_t size)
{
    char path[128];
    json_t *results;
    wac_error error = {0};
    snprintf(path, sizeof path, "%s/gpu.json", fuzz_root);
    put_file(path, data, size);
    wac_status status = wac_bench_results_read(&results, path, &error);
    expect_sentence(status, &error);
    if (status != WAC_STATUS_OK)
        return;
    snprintf(path, sizeof path, "%s/gpu.png", fuzz_root);
    expect_sentence(wac_bench_gpu_figure(results, path, &error), &error);
    json_decref(results);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (fuzz_make_root()) {
        snprintf(run_path, sizeof run_path, "%s/run", fuzz_root);
        make_sound();
        setenv("PATH", "/nowhere", 1); /* no gnuplot */
    }
    int kind = size > 0 ? data[0] % KINDS : MAPS;
    data += size > 0, size -= size > 0;
    if (kind == MAPS)
        go_on("maps.bin", data, size);
    else if (kind == EVENTS)
        go_on("events.out.tfevents.wac", data, size);
    else if (kind == NOTE)
        read_note(data, size);
    else
        read_bench(data, size);
    return 0;
}
