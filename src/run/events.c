/* TensorBoard's file of events: records of a length, its checksum, that many bytes, and theirs; the
 * bytes are a message of protocol buffers (tensorflow's event.proto and summary.proto). */
#include "run/events.h"

#include "base/files.h"
#include "base/png.h"
#include "base/protobuf.h"
#include "base/status.h"
#include "run/folder.h"
#include "run/maps.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* fields of an Event, a Summary, its Values, an Image and a Histogram */
enum { EVENT_TIME = 1, EVENT_STEP, EVENT_VERSION, EVENT_SUMMARY = 5 };
enum { SUMMARY_VALUE = 1 };
enum { VALUE_TAG = 1, VALUE_NUMBER, VALUE_IMAGE = 4, VALUE_HISTOGRAM };
enum { IMAGE_HEIGHT = 1, IMAGE_WIDTH, IMAGE_COLOURS, IMAGE_BYTES };
enum { BARS_MIN = 1, BARS_MAX, BARS_COUNT, BARS_SUM, BARS_SQUARES, BARS_LIMITS, BARS_HEIGHTS };

enum { LARGEST_FILE = 1 << 30, HEAD = 12, TAIL = 4 };
static const char version[] = "brain.Event:2";

/* --- records ---------------------------------------------------------------------------------- */

/* CRC-32C, turned and shifted as these files have it. */
static uint32_t checksum(const unsigned char *bytes, size_t size)
{
    uint32_t sum = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? 0x82f63b78u : 0);
    }
    sum = ~sum;
    return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

static bool is_sealed(const unsigned char *bytes, size_t size)
{
    uint32_t noted;
    memcpy(&noted, bytes + size, sizeof noted);
    return noted == checksum(bytes, size);
}

/* The record at the beginning of these bytes: its length with all around it; 0: it is cut, or
 * damaged. */
static size_t record_at(const unsigned char *bytes, size_t size)
{
    uint64_t length;
    if (size < HEAD + TAIL)
        return 0;
    memcpy(&length, bytes, sizeof length);
    if (length > size - HEAD - TAIL || !is_sealed(bytes, sizeof length) ||
        !is_sealed(bytes + HEAD, (size_t)length))
        return 0;
    return HEAD + (size_t)length + TAIL;
}

/* The step of an event; -1: it is that of the version; -2: of something else. */
static int64_t step_of(const unsigned char *record, size_t size)
{
    wac_field field = {.at = record + HEAD, .end = record + size - TAIL};
    int64_t step = 0;
    while (wac_field_next(&field)) {
        if (field.field == EVENT_VERSION)
            return field.bytes && field.size == sizeof version - 1 &&
                           memcmp(field.bytes, version, field.size) == 0
                       ? -1
                       : -2;
        if (field.field == EVENT_STEP && !field.bytes)
            step = (int64_t)field.number;
    }
    return field.at == field.end && step >= 0 ? step : -2;
}

/* Uses the event up. */
static wac_status append_event(const wac_run *run, wac_message *event, wac_error *error)
{
    size_t size = event->size;
    unsigned char *record = event->failed ? NULL : malloc(HEAD + size + TAIL);
    if (!record) {
        wac_message_free(event);
        return wac_fail_memory(error, "an event");
    }
    uint64_t length = size;
    memcpy(record, &length, sizeof length);
    uint32_t sum = checksum(record, sizeof length);
    memcpy(record + sizeof length, &sum, sizeof sum);
    memcpy(record + HEAD, event->bytes, size);
    sum = checksum(event->bytes, size);
    memcpy(record + HEAD + size, &sum, sizeof sum);
    int code = wac_file_append(run->events_file, record, HEAD + size + TAIL);
    free(record);
    wac_message_free(event);
    return code ? wac_fail(error, WAC_STATUS_IO, "cannot write the events in %s: %s; %s",
                           run->directory, strerror(code), wac_file_advice(code))
                : WAC_STATUS_OK;
}

/* --- values ----------------------------------------------------------------------------------- */

static void add_number(wac_message *summary, const char *tag, double number)
{
    wac_message value = {0};
    if (!isfinite(number))
        return;
    wac_message_add_text(&value, VALUE_TAG, tag);
    wac_message_add_float(&value, VALUE_NUMBER, (float)number);
    wac_message_add_message(summary, SUMMARY_VALUE, &value);
}

static void add_losses(wac_message *summary, const wac_run *run)
{
    static const char *const tags[WAC_RUN_LOSSES] = {"loss_mean", "loss_std", "loss_regularisation",
                                                     "objective_behaviour", "objective_target"};
    for (int i = 0; i < WAC_RUN_LOSSES; i++)
        add_number(summary, tags[i], run->losses[i]);
    if (run->agent->row->policies > 1)
        add_number(summary, "alpha_target",
                   wac_seat_alpha(run->agent, run->seat, WAC_POLICY_TARGET));
}

/* How the uncertainty is spread over the cells of a map. */
static void add_histogram(wac_message *summary, const char *tag, const float *numbers, int count)
{
    enum { BARS = 30 };
    double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
    double limits[BARS], heights[BARS] = {0};
    for (int i = 0; i < count; i++) {
        double number = (double)numbers[i];
        low = fmin(low, number);
        high = fmax(high, number);
        sum += number;
        squares += number * number;
    }
    if (!isfinite(squares))
        return;
    double step = fmax(high - low, 1e-12 + 1e-6 * fabs(high)) / BARS;
    for (int i = 0; i < BARS; i++)
        limits[i] = low + (i + 1) * step;
    for (int i = 0; i < count; i++) {
        int bar = (int)(((double)numbers[i] - low) / step);
        heights[bar < BARS ? bar : BARS - 1]++;
    }
    wac_message bars = {0}, value = {0};
    wac_message_add_double(&bars, BARS_MIN, low);
    wac_message_add_double(&bars, BARS_MAX, high);
    wac_message_add_double(&bars, BARS_COUNT, count);
    wac_message_add_double(&bars, BARS_SUM, sum);
    wac_message_add_double(&bars, BARS_SQUARES, squares);
    wac_message_add_bytes(&bars, BARS_LIMITS, limits, sizeof limits);
    wac_message_add_bytes(&bars, BARS_HEIGHTS, heights, sizeof heights);
    wac_message_add_text(&value, VALUE_TAG, tag);
    wac_message_add_message(&value, VALUE_HISTOGRAM, &bars);
    wac_message_add_message(summary, SUMMARY_VALUE, &value);
}

/* values: [cells[0]][cells[1]], the second upwards; bright is much. */
static void add_picture(wac_message *summary, const char *tag, const float *values,
                        const int cells[2])
{
    unsigned char pixels[WAC_CELLS_MOST];
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < cells[0] * cells[1]; i++) {
        low = fminf(low, values[i]);
        high = fmaxf(high, values[i]);
    }
    for (int i = 0; i < cells[0]; i++)
        for (int j = 0; j < cells[1]; j++) {
            float share = high > low ? (values[i * cells[1] + j] - low) / (high - low) : 1;
            pixels[(cells[1] - 1 - j) * cells[0] + i] = (unsigned char)lrintf(255 * share);
        }
    size_t size;
    unsigned char *png = wac_png_grey(&size, pixels, cells[0], cells[1]);
    if (!png) {
        summary->failed = true;
        return;
    }
    wac_message picture = {0}, value = {0};
    wac_message_add_number(&picture, IMAGE_HEIGHT, (uint64_t)cells[1]);
    wac_message_add_number(&picture, IMAGE_WIDTH, (uint64_t)cells[0]);
    wac_message_add_number(&picture, IMAGE_COLOURS, 1);
    wac_message_add_bytes(&picture, IMAGE_BYTES, png, size);
    wac_message_add_text(&value, VALUE_TAG, tag);
    wac_message_add_message(&value, VALUE_IMAGE, &picture);
    wac_message_add_message(summary, SUMMARY_VALUE, &value);
    free(png);
}

static void add_map(wac_message *summary, const wac_run *run)
{
    wac_map_shape shape;
    const wac_map *map = wac_maps_present(run, &shape);
    float visits[WAC_CELLS_MOST];
    if (!map)
        return;
    for (int i = 0; i < shape.grid.cells[0] * shape.grid.cells[1]; i++)
        visits[i] = log1pf((float)map->visits[i]);
    add_picture(summary, "map/visits", visits, shape.grid.cells);
    if (isnan(shape.kappa))
        return;
    add_picture(summary, "map/sigma", map->std, shape.values);
    add_histogram(summary, "sigma", map->std, shape.values[0] * shape.values[1]);
}

/* --- events ----------------------------------------------------------------------------------- */

static double time_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Uses the summary up. */
static wac_status append_summary(const wac_run *run, int64_t step, double time,
                                 wac_message *summary, wac_error *error)
{
    wac_message event = {0};
    wac_message_add_double(&event, EVENT_TIME, time);
    wac_message_add_number(&event, EVENT_STEP, (uint64_t)step);
    wac_message_add_message(&event, EVENT_SUMMARY, summary);
    return append_event(run, &event, error);
}

wac_status wac_events_append(wac_run *run, wac_error *error)
{
    const wac_progress *now = &run->progress;
    wac_message summary = {0};
    if (run->events_file < 0)
        return WAC_STATUS_OK;
#define ADD(id, name, value, ...)                                                                  \
    if (WAC_COLUMN_##id != WAC_COLUMN_EPOCH)                                                       \
        add_number(&summary, #name, (double)(value));
    WAC_COLUMNS(ADD)
#undef ADD
    add_losses(&summary, run);
    add_map(&summary, run);
    return append_summary(run, now->epoch, time_now(), &summary, error);
}

/* Rows of the table that the file lacks; as if they had come when they did. */
static wac_status add_rows(const wac_run *run, int64_t first, wac_error *error)
{
    wac_history history;
    if (first >= run->position.rows)
        return WAC_STATUS_OK;
    WAC_TRY(wac_history_read(&history, run->directory, error));
    const double *seconds = history.columns[WAC_COLUMN_SECONDS];
    wac_status status = WAC_STATUS_OK;
    double end = time_now();
    for (size_t row = (size_t)first; row < history.rows && status == WAC_STATUS_OK; row++) {
        wac_message summary = {0};
        for (int column = WAC_COLUMN_EPOCH + 1; column < WAC_COLUMN_TOTAL; column++)
            add_number(&summary, wac_columns[column].name, history.columns[column][row]);
        double ago = seconds[history.rows - 1] - seconds[row];
        status =
            append_summary(run, (int64_t)row, end - (isfinite(ago) ? ago : 0), &summary, error);
    }
    wac_history_free(&history);
    return status;
}

/* How much of the file can stay, and the step that comes next; 0 bytes: none of it. */
static wac_status measure(const wac_run *run, const char *path, off_t *kept, int64_t *next,
                          wac_error *error)
{
    char *text;
    size_t size, at = 0, record;
    *kept = *next = 0;
    WAC_TRY(wac_file_read(&text, &size, path, LARGEST_FILE, error));
    const unsigned char *bytes = (const unsigned char *)text;
    while ((record = record_at(bytes + at, size - at))) {
        int64_t step = step_of(bytes + at, record);
        if (at == 0 ? step != -1 : step != *next || step >= run->position.rows)
            break;
        *next = at == 0 ? 0 : *next + 1;
        at += record;
    }
    free(text);
    *kept = (off_t)at;
    return WAC_STATUS_OK;
}

bool wac_events_are_kept(const wac_run *run)
{
    return run->options.tensorboard || wac_folder_has(run->directory, WAC_FOLDER_EVENTS);
}

wac_status wac_events_open(wac_run *run, wac_error *error)
{
    char path[PATH_MAX];
    off_t kept;
    int64_t next;
    if (!wac_events_are_kept(run))
        return WAC_STATUS_OK;
    WAC_TRY(wac_folder_path(path, run->directory, WAC_FOLDER_EVENTS, error));
    if (!wac_path_exists(path)) {
        if (!run->options.tensorboard) /* nobody could tell before: nobody asks for it */
            return WAC_STATUS_OK;
        WAC_TRY(wac_file_write(path, "", 0, error));
    }
    WAC_TRY(measure(run, path, &kept, &next, error));
    run->events_file = wac_open(path, O_WRONLY | O_APPEND | O_NOFOLLOW);
    if (run->events_file < 0 || ftruncate(run->events_file, kept) != 0)
        return wac_fail(error, WAC_STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    if (kept == 0) {
        wac_message first = {0};
        wac_message_add_double(&first, EVENT_TIME, time_now());
        wac_message_add_text(&first, EVENT_VERSION, version);
        WAC_TRY(append_event(run, &first, error));
    }
    return add_rows(run, next, error);
}

wac_status wac_events_sync(const wac_run *run, wac_error *error)
{
    return run->events_file >= 0 && wac_file_sync(run->events_file) != 0
               ? wac_fail(error, WAC_STATUS_IO, "cannot write the events in %s: %s", run->directory,
                          strerror(errno))
               : WAC_STATUS_OK;
}

void wac_events_close(wac_run *run)
{
    if (run->events_file >= 0)
        close(run->events_file);
    run->events_file = -1;
}
