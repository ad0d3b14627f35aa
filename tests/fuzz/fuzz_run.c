/* The folder of a run as a whole. The bytes are edits of a sound one: bits, bytes and words
 * changed, pieces cut out and put in, numbers of arrays set to what cannot be, files lost and
 * swapped with another run's, folders of writes that were cut off. In half of the cases all
 * checksums are made right again. Such a run is refused with a sentence, and nothing in it changes;
 * or it can be looked at and evaluated, goes on and is whole after that. What is said to be whole
 * goes on, and damage behind a checksum is always found. */
#include "base/rng.h"
#include "config/config.h"
#include "fuzz/fuzz.h"
#include "run/check.h"
#include "run/folder.h"
#include "support/sealing.h"

#include <dirent.h>
#include <sys/stat.h>

enum { CONFIG, MANIFEST, PROGRESS, RUN, AGENT, REPLAY, BEST, FILES, KINDS = 3, MOST_EDITS = 8 };
static const char *const names[FILES] = {"config.yaml",
                                         "manifest.json",
                                         "progress.csv",
                                         "checkpoint/run.safetensors",
                                         "checkpoint/agent.safetensors",
                                         "checkpoint/replay.safetensors",
                                         "checkpoint/best.safetensors"};

typedef struct content {
    char *bytes; /* null: there is no such file */
    size_t size;
} content;

static content sound[KINDS][FILES];
static char run_path[96], checkpoint_path[112];

/* --- sound runs ------------------------------------------------------------------------------- */

static volatile int stopped;

static void stop_in_the_middle(void *user, const wac_progress *progress)
{
    (void)user;
    stopped = progress->is_row && progress->epoch == 1;
}

/* One that stopped in the middle, one that is finished and kept its best agent, one with more
 * worlds than one and running normalisation. */
static void make_config(wac_config *config, int kind)
{
    require(wac_config_init(config, kind == 1 ? "riverswim" : "lqg",
                            kind == 0   ? "oe-wac"
                            : kind == 1 ? "me-wac"
                                        : "sac",
                            NULL) == WAC_STATUS_OK);
    config->epochs = 3;
    config->width = config->batch_size = 4;
    config->initial_steps = config->explore_steps = config->path_limit = 8;
    config->updates = 2;
    config->evaluation_steps = 16;
    config->replay_capacity = 20;
    config->keep_best = kind == 1;
    config->worlds = kind == 2 ? 2 : 1;
    config->normalisation = kind == 2 ? WAC_NORMALISATION_RUNNING : WAC_NORMALISATION_BOUNDS;
}

static const char *path_of(int file)
{
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", run_path, names[file]);
    return path;
}

static void make_sound(int kind)
{
    wac_config config;
    wac_run *run;
    wac_run_options options = wac_run_options_default();
    make_config(&config, kind);
    stopped = 0;
    if (kind != 1) {
        options.progress = stop_in_the_middle;
        options.stop = &stopped;
    }
    require(wac_run_create(&run, &config, NULL, run_path, &options, NULL) == WAC_STATUS_OK);
    require(wac_run_train(run, NULL) == (kind == 1 ? WAC_STATUS_OK : WAC_STATUS_INTERRUPTED));
    wac_run_destroy(run);
    for (int i = 0; i < FILES; i++)
        if (wac_file_read(&sound[kind][i].bytes, &sound[kind][i].size, path_of(i), SIZE_MAX / 2,
                          NULL) != WAC_STATUS_OK)
            sound[kind][i] = (content){0};
    require(wac_directory_remove(run_path, NULL) == WAC_STATUS_OK);
}

/* --- edits ------------------------------------------------------------------------------------ */

static content files[FILES];

static size_t take_place(size_t size)
{
    size_t place = fuzz_byte();
    place = place << 8 | fuzz_byte();
    place = place << 8 | fuzz_byte();
    return size ? place % size : 0;
}

/* So many bytes go at a place, and others come. */
static void splice(content *file, size_t place, size_t gone, const void *bytes, size_t size)
{
    gone = gone < file->size - place ? gone : file->size - place;
    char *new = malloc(file->size - gone + size + 1);
    require(new);
    memcpy(new, file->bytes, place);
    memcpy(new + place, bytes, size);
    memcpy(new + place + size, file->bytes + place + gone, file->size - place - gone);
    free(file->bytes);
    *file = (content){new, file->size - gone + size};
}

static bool is_word(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '-' || letter == '_';
}

/* The word at a place, or the next one, becomes another; in a file of arrays one of its header. */
static void edit_word(content *file, bool arrays)
{
    static const char *const words[] = {
        "0",      "-1",         "1",    "2",       "1e39",     "nan", "inf",
        "sac",    "true",       "null", "running", "measured", "[",   "",
        "F64",    "I64",        "lqg",  "last",    "none",     "8",   "9223372036854775807",
        "1e-320", "4294967296", "x"};
    uint64_t header = file->size;
    if (arrays && file->size >= 8)
        memcpy(&header, file->bytes, 8);
    size_t end = header < file->size ? 8 + (size_t)header : file->size;
    size_t place = arrays && file->size >= 8 ? 8 + take_place(end - 8) : take_place(end),
           length = 0;
    const char *word = words[fuzz_byte() % (sizeof words / sizeof *words)];
    while (place > 0 && place < file->size && is_word(file->bytes[place - 1]))
        place--;
    while (place < file->size && !is_word(file->bytes[place]))
        place++;
    while (place + length < file->size && is_word(file->bytes[place + length]))
        length++;
    splice(file, place, length, word, strlen(word));
    header += strlen(word) - length;
    if (arrays && file->size >= 8)
        memcpy(file->bytes, &header, 8);
}

/* A number of an array. */
static void edit_number(content *file)
{
    static const int64_t counts[] = {0, 1, 2, -1, 8, INT64_MAX, INT64_MIN, INT64_C(1) << 53, 1000};
    wac_tensor_file *arrays;
    char *copy = malloc(file->size + 1);
    require(copy);
    memcpy(copy, file->bytes, file->size);
    if (wac_tensor_file_parse(&arrays, copy, file->size, "file", NULL) != WAC_STATUS_OK)
        return;
    if (arrays->count > 0) {
        const wac_tensor *tensor = &arrays->tensors[fuzz_byte() % arrays->count];
        size_t width = wac_dtype_size(tensor->dtype);
        size_t element = take_place((size_t)wac_tensor_elements(tensor));
        int64_t count = counts[fuzz_byte() % (sizeof counts / sizeof *counts)];
        double real = fuzz_number(0);
        float single = (float)real;
        const void *number = tensor->dtype == WAC_DTYPE_F32   ? (const void *)&single
                             : tensor->dtype == WAC_DTYPE_F64 ? (const void *)&real
                                                              : (const void *)&count;
        if (wac_tensor_elements(tensor) > 0)
            memcpy(file->bytes + ((const char *)tensor->data - arrays->bytes) + element * width,
                   number, width);
    }
    wac_tensor_file_close(arrays);
}

static void copy_content(content *to, const content *from)
{
    free(to->bytes);
    *to = (content){0};
    if (!from->bytes)
        return;
    *to = (content){malloc(from->size + 1), from->size};
    require(to->bytes);
    memcpy(to->bytes, from->bytes, from->size);
}

static void edit(void)
{
    uint8_t what = fuzz_byte() % 8, which = fuzz_byte() % FILES;
    content *file = &files[which];
    size_t place = what < 5 ? take_place(file->size) : 0;
    if (!file->bytes)
        return;
    if (what == 0 && file->size > 0)
        file->bytes[place] ^= (char)(1 << fuzz_byte() % 8);
    if (what == 1 && file->size > 0)
        file->bytes[place] = (char)fuzz_byte();
    if (what == 2)
        file->size = place;
    if (what == 3)
        splice(file, place, fuzz_byte(), "", 0);
    if (what == 4) {
        size_t most = fuzz_byte() % 8, count = most < fuzz_input.size ? most : fuzz_input.size;
        splice(file, place, 0, count ? fuzz_input.data : (const uint8_t *)"", count);
        fuzz_input.data += count;
        fuzz_input.size -= count;
    }
    if (what == 5)
        edit_word(file, which >= RUN);
    if (what == 6 && which >= RUN)
        edit_number(file);
    if (what == 7) {
        uint8_t other = fuzz_byte() % (KINDS + 1); /* the last: lost */
        copy_content(file, other < KINDS ? &sound[other][which] : &(content){0});
    }
}

/* All checksums, as far as there are arrays. */
static void mend(void)
{
    static const char *const parts[FILES] = {
        [AGENT] = "agent", [REPLAY] = "replay", [BEST] = "best"};
    wac_checksum sum;
    content *run = &files[RUN];
    if (run->bytes)
        (void)seal(&sum, run->bytes, run->size);
    for (int i = AGENT; i < FILES; i++)
        if (files[i].bytes && seal(&sum, files[i].bytes, files[i].size) && run->bytes)
            (void)bind_part(run->bytes, run->size, parts[i], &sum);
}

/* --- what must hold --------------------------------------------------------------------------- */

/* As whoever was cut off may have left it. */
static void put_folder(uint8_t leftovers)
{
    char other[160];
    fuzz_remove_root();
    require(mkdir(fuzz_root, 0700) == 0 && mkdir(run_path, 0700) == 0 &&
            mkdir(checkpoint_path, 0700) == 0);
    for (int i = 0; i < FILES; i++)
        if (files[i].bytes)
            put_file(path_of(i), files[i].bytes, files[i].size);
    snprintf(other, sizeof other, "%s/checkpoint.%s", run_path, leftovers & 1 ? "old" : "new");
    if ((leftovers & 3) == 1)
        require(rename(checkpoint_path, other) == 0);
    if ((leftovers & 3) >= 2)
        require(mkdir(other, 0700) == 0);
    snprintf(other, sizeof other, "%s/config.yaml.1-0.tmp", run_path);
    if (leftovers & 4)
        put_file(other, other, 5);
}

/* Whether the files are those that were put there, and no others. */
static bool is_untouched(uint8_t leftovers)
{
    if ((leftovers & 3) == 1)
        return true; /* elsewhere */
    for (int i = 0; i < FILES; i++) {
        char *bytes;
        size_t size;
        bool there = wac_path_exists(path_of(i));
        if (there != (files[i].bytes != NULL))
            return false;
        if (!there)
            continue;
        require(wac_file_read(&bytes, &size, path_of(i), SIZE_MAX / 2, NULL) == WAC_STATUS_OK);
        bool same = size == files[i].size && memcmp(bytes, files[i].bytes, size) == 0;
        free(bytes);
        if (!same)
            return false;
    }
    return true;
}

/* Settings of other sizes are a matter of memory and time, not of this. */
static bool is_small(const wac_config *sound_config)
{
    wac_config config;
    if (wac_folder_read_config(&config, run_path, NULL) != WAC_STATUS_OK)
        return true;
    return strcmp(config.environment, sound_config->environment) == 0 && config.width <= 16 &&
           config.batch_size <= 64 && config.path_limit <= 1000 &&
           config.evaluation_steps <= 1000 && config.initial_steps <= 1000 &&
           config.explore_steps <= 1000 && config.replay_capacity <= 10000 && config.worlds <= 8 &&
           config.rho <= 4;
}

static void look(void)
{
    wac_run *run;
    wac_evaluation evaluation;
    wac_error error = {0};
    if (expect_sentence(wac_run_open(&run, run_path, NULL, NULL, &error), &error))
        return;
    double seen[WAC_ENVIRONMENT_DIMENSIONS] = {0}, action[WAC_ENVIRONMENT_DIMENSIONS], mean, std;
    const wac_environment_spec *spec = wac_run_spec(run);
    wac_run_act(run, WAC_POLICY_TARGET, seen, action);
    for (int i = 0; i < spec->action_size; i++)
        require(isnan(action[i]) ||
                (action[i] >= spec->action_low[i] && action[i] <= spec->action_high[i]));
    wac_run_value(run, seen, action, &mean, &std);
    expect_sentence(wac_run_evaluate(&evaluation, run, WAC_POLICY_TARGET, true, 1, 1, &error),
                    &error);
    wac_run_destroy(run);
}

/* Stops and saves itself at the first step. */
static wac_status go_on(wac_error *error)
{
    wac_run *run;
    wac_run_options options = wac_run_options_default();
    stopped = 1;
    options.stop = &stopped;
    wac_status status = wac_run_resume(&run, run_path, NULL, &options, 0, error);
    if (status != WAC_STATUS_OK)
        return status;
    status = wac_run_train(run, error);
    wac_run_destroy(run);
    require(status == WAC_STATUS_OK || status == WAC_STATUS_INTERRUPTED ||
            status == WAC_STATUS_NUMERIC);
    return WAC_STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wac_config config;
    wac_checkup checkup;
    wac_error error = {0};
    if (fuzz_make_root()) {
        snprintf(run_path, sizeof run_path, "%s/run", fuzz_root);
        snprintf(checkpoint_path, sizeof checkpoint_path, "%s/checkpoint", run_path);
        for (int i = 0; i < KINDS; i++)
            make_sound(i);
    }
    fuzz_input = (struct fuzz_input){data, size};
    uint8_t how = fuzz_byte(), leftovers = how >> 5;
    int kind = how % KINDS;
    bool mends = how >> 4 & 1, damaged = false, elsewhere = leftovers != 0;
    for (int i = 0; i < FILES; i++)
        copy_content(&files[i], &sound[kind][i]);
    for (int i = 0; i < MOST_EDITS && fuzz_input.size > 0; i++)
        edit();
    for (int i = 0; i < FILES; i++) {
        const content *one = &files[i], *other = &sound[kind][i];
        bool same = !one->bytes == !other->bytes && one->size == other->size &&
                    (!one->bytes || memcmp(one->bytes, other->bytes, one->size) == 0);
        damaged |= !same && i >= RUN && other->bytes;
        elsewhere |= !same && i < RUN;
    }
    if (mends)
        mend();
    put_folder(leftovers);
    make_config(&config, kind);
    if (!is_small(&config))
        return 0;

    wac_status whole = expect_sentence(wac_run_check(&checkup, run_path, &error), &error);
    require(whole != WAC_STATUS_OK || mends || elsewhere || !damaged);
    require(whole == WAC_STATUS_OK || mends || elsewhere || damaged);
    look();
    require(is_untouched(leftovers));
    error = (wac_error){0};
    wac_status goes_on = go_on(&error);
    if (goes_on != WAC_STATUS_OK) {
        require(error.message[0] && !wac_has_control(error.message, "") && is_untouched(leftovers));
        require(whole != WAC_STATUS_OK || checkup.state == WAC_RUN_STATE_KEPT ||
                checkup.state == WAC_RUN_STATE_PACKED);
    } else {
        require(wac_run_check(&checkup, run_path, NULL) == WAC_STATUS_OK);
    }
    return 0;
}
