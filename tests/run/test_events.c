/* Events for TensorBoard: whole records with every row in order, whatever happened to the run or to
 * the file; and training does not notice. TensorBoard's own reader: check-tensorboard. */
#include "support/stopping.h"

#include "base/csv.h"
#include "base/png.h"
#include "base/protobuf.h"
#include "run/events.h"
#include "run/maps.h"
#include "run/run.h"

#include <lzma.h>

#define EVENTS "events.out.tfevents.wac"

static wac_run_options shown(long stop_at)
{
    wac_run_options options = stop_after(stop_at, 1);
    options.tensorboard = true;
    return options;
}

/* CRC-32C by its definition: the remainder of polynomials. */
static uint32_t castagnoli(const unsigned char *bytes, size_t size)
{
    uint32_t sum = 0xffffffff;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        uint32_t in = (uint32_t)(bytes[bit / 8] >> (bit % 8)) & 1, low = (sum ^ in) & 1;
        sum >>= 1;
        if (low)
            sum ^= 0x82f63b78;
    }
    return ~sum;
}

static uint32_t number_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void assert_sum(const unsigned char *bytes, size_t size)
{
    uint32_t sum = castagnoli(bytes, size);
    assert_int_equal(number_at(bytes + size), (uint32_t)((sum >> 15 | sum << 17) + 0xa282ead8));
}

/* A number of a summary; NaN where it has none of this tag. */
static double scalar(wac_field summary, const char *tag)
{
    while (wac_field_next(&summary)) {
        wac_field value = {.at = summary.bytes, .end = summary.bytes + summary.size};
        bool found = false;
        float number = NAN;
        while (wac_field_next(&value)) {
            found |= value.field == 1 && value.size == strlen(tag) &&
                     memcmp(value.bytes, tag, value.size) == 0;
            if (value.field == 2) {
                memcpy(&number, value.bytes, 4);
                assert_true(isfinite(number)); /* what is no number is left out */
            }
        }
        assert_ptr_equal(value.at, value.end);
        if (found)
            return (double)number;
    }
    return NAN;
}

static bool has_tag(wac_field summary, const char *tag)
{
    while (wac_field_next(&summary))
        if (memmem(summary.bytes, summary.size, tag, strlen(tag)))
            return true;
    return false;
}

/* Every row of progress.csv has its event, in order, with its numbers, and nothing else is there.
 */
static void assert_events(const char *run, bool wac, bool sigma)
{
    size_t size, at_byte = 0;
    wac_csv csv;
    char *text = contents(at("%s/" EVENTS, run), &size);
    const unsigned char *bytes = (const unsigned char *)text;
    assert_ok(wac_csv_read(&csv, at("%s/progress.csv", run), &error));
    double before = 0;
    for (int64_t row = -1; row < (int64_t)csv.rows; row++) {
        assert_true(size - at_byte > 16);
        uint32_t length = number_at(bytes + at_byte);
        assert_int_equal(number_at(bytes + at_byte + 4), 0);
        assert_sum(bytes + at_byte, 8);
        assert_true(length <= size - at_byte - 16);
        assert_sum(bytes + at_byte + 12, length);
        wac_field event = {.at = bytes + at_byte + 12, .end = bytes + at_byte + 12 + length};
        wac_field summary = {0};
        int64_t step = 0;
        double time = 0;
        while (wac_field_next(&event)) {
            if (event.field == 1)
                memcpy(&time, event.bytes, 8);
            if (event.field == 2)
                step = (int64_t)event.number;
            if (event.field == 3)
                assert_memory_equal(event.bytes, "brain.Event:2", 13);
            if (event.field == 5)
                summary = (wac_field){.at = event.bytes, .end = event.bytes + event.size};
        }
        assert_ptr_equal(event.at, event.end);
        at_byte += 16 + length;
        if (row < 0)
            continue;
        assert_int_equal(step, row);
        assert_true(time >= before - 1e-3);
        before = time;
        for (size_t column = 1; column < csv.columns; column++) {
            double expected = wac_csv_at(&csv, (size_t)row, column);
            double found = scalar(summary, csv.names[column]);
            assert_int_equal(isnan(expected), isnan(found));
            if (!isnan(expected))
                assert_true(fabs(found - expected) <= 1e-6 * fmax(1, fabs(expected)) + 5e-4);
        }
        assert_int_equal(isfinite(scalar(summary, "loss_std")) != 0, wac && row > 0);
        assert_int_equal(has_tag(summary, "alpha_target"), wac);
        assert_true(has_tag(summary, "map/visits"));
        assert_int_equal(has_tag(summary, "map/sigma"), sigma);
    }
    assert_int_equal(at_byte, size);
    wac_csv_free(&csv);
    free(text);
}

static void rows_are_events(void **state)
{
    (void)state;
    assert_int_equal(castagnoli((const unsigned char *)"123456789", 9), 0xe3069283);
    for (int i = 0; i < ALGORITHMS; i++) {
        wac_config config = tiny(i % 2 ? "lqg" : "riverswim", algorithms[i], 3);
        wac_run_options options = shown(-1), plain = stop_after(-1, 1);
        assert_ok(train_new(at("with"), &config, &options));
        assert_ok(train_new(at("without"), &config, &plain));
        assert_events("with", i < 2, i < 2 || i == 5); /* WAC, and SUNRISE's critics differ */
        assert_int_equal(unlink(at("with/" EVENTS)), 0);
        assert_same_runs(at("with"), at("without"));
        remove_folder(at("with"));
        remove_folder(at("without"));
    }
}

static void stopping_anywhere_loses_no_event(void **state)
{
    (void)state;
    wac_config config = tiny("riverswim", "oe-wac", 3);
    wac_run_options options = shown(-1);
    assert_ok(train_new(at("whole"), &config, &options));
    long reports = watch.reports;
    for (long stop_at = 0; stop_at < reports; stop_at += 17) {
        options = shown(stop_at);
        assert_int_equal(train_new(at("parts"), &config, &options), WAC_STATUS_INTERRUPTED);
        assert_ok(train_on(at("parts"), "riverswim", NULL, 0));
        assert_events("parts", true, true);
        remove_folder(at("parts"));
    }
}

/* The file cut anywhere, damaged, of somebody else, lost: all scalars come back from the table. */
static void what_is_lost_is_made_up(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 3);
    wac_run_options options = shown(-1);
    assert_ok(train_new(at("run"), &config, &options));
    size_t size;
    char *bytes = contents(at("run/" EVENTS), &size);
    int64_t epochs = 3;
    for (size_t cut = 0; cut <= size; cut += size / 12) {
        assert_ok(wac_file_write(at("run/" EVENTS), bytes, cut, &error));
        assert_ok(train_on(at("run"), "lqg", NULL, ++epochs));
    }
    for (size_t place = 3; place < size; place += size / 7) {
        bytes[place] ^= 4;
        assert_ok(wac_file_write(at("run/" EVENTS), bytes, size, &error));
        bytes[place] ^= 4;
        assert_ok(train_on(at("run"), "lqg", NULL, ++epochs));
    }
    save_text(at("run/" EVENTS), "what somebody has written over it");
    assert_ok(train_on(at("run"), "lqg", NULL, ++epochs));
    free(bytes);
    /* losses are not in the table, all that is is there */
    wac_csv csv;
    assert_ok(wac_csv_read(&csv, at("run/progress.csv"), &error));
    assert_int_equal(csv.rows, epochs + 1);
    wac_csv_free(&csv);
    bytes = contents(at("run/" EVENTS), &size);
    size_t records = 0;
    for (size_t at_byte = 0; at_byte < size; records++)
        at_byte += 16 + number_at((unsigned char *)bytes + at_byte);
    assert_int_equal(records, epochs + 2);
    free(bytes);
    /* without, the run goes on without */
    assert_int_equal(unlink(at("run/" EVENTS)), 0);
    assert_ok(train_on(at("run"), "lqg", NULL, ++epochs));
    assert_false(wac_path_exists(at("run/" EVENTS)));
}

/* Events that are made up lie as far apart as their rows were; the last of them is of now. */
static void what_is_made_up_has_its_time(void **state)
{
    (void)state;
    wac_config config = tiny("lqg", "sac", 4);
    wac_run_options options = shown(-1);
    assert_ok(train_new(at("run"), &config, &options));
    save_text(at("run/" EVENTS), "");
    struct timespec now;
    assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
    assert_ok(train_on(at("run"), "lqg", NULL, 5));
    wac_csv csv;
    assert_ok(wac_csv_read(&csv, at("run/progress.csv"), &error));
    size_t size, at_byte = 0;
    char *text = contents(at("run/" EVENTS), &size);
    double times[7] = {0}, spent[4];
    for (int event = 0; event < 7; event++) {
        const unsigned char *first = (unsigned char *)text + at_byte + 12;
        memcpy(&times[event], first + 1, sizeof *times); /* the first field */
        at_byte += 16 + number_at(first - 12);
    }
    assert_int_equal(at_byte, size);
    for (size_t row = 0; row < 4; row++)
        spent[row] = wac_csv_at(&csv, row, 12);
    for (int row = 0; row < 3; row++) { /* the checkpoint's; the first event is the version */
        assert_true(spent[row + 1] > spent[row] + 1);
        assert_true(fabs(times[row + 2] - times[row + 1] - (spent[row + 1] - spent[row])) < 0.01);
    }
    assert_true(fabs(times[4] - (double)now.tv_sec) < 100);
    wac_csv_free(&csv);
    free(text);
}

/* Events of epochs that the checkpoint does not know, as a kill leaves them, are cut. */
static void what_is_beyond_the_table_is_cut(void **state)
{
    (void)state;
    wac_config config = tiny("riverswim", "oe-wac", 3);
    wac_run_options options = shown(-1);
    assert_ok(train_new(at("longer"), &config, &options));
    config.epochs = 1;
    options = shown(-1);
    assert_ok(train_new(at("run"), &config, &options));
    size_t size;
    char *bytes = contents(at("longer/" EVENTS), &size);
    assert_ok(wac_file_write(at("run/" EVENTS), bytes, size, &error));
    free(bytes);
    assert_ok(train_on(at("run"), "riverswim", NULL, 2));
    assert_events("run", true, true);
}

/* A record with its checksums around an event, which it uses up. */
static size_t seal(unsigned char *to, wac_message *event)
{
    uint64_t length = event->size;
    memcpy(to, &length, 8);
    memcpy(to + 12, event->bytes, event->size);
    for (int i = 0; i < 2; i++) {
        uint32_t sum = castagnoli(i ? to + 12 : to, i ? event->size : 8);
        sum = (uint32_t)((sum >> 15 | sum << 17) + 0xa282ead8);
        memcpy(i ? to + 12 + event->size : to + 8, &sum, 4);
    }
    wac_message_free(event);
    return 16 + (size_t)length;
}

/* Whole records that no run writes: they go, with all behind them, and the rows are told anew. */
static void events_of_others_go(void **state)
{
    (void)state;
    enum { TIME = 1, STEP = 2, VERSION = 3, SUMMARY = 5 };
    wac_config config = tiny("lqg", "sac", 2);
    wac_run_options options = shown(-1);
    assert_ok(train_new(at("run"), &config, &options));
    int64_t epochs = 2;
    for (int kind = 0; kind < 10; kind++) {
        unsigned char bytes[256];
        wac_message first = {0}, second = {0};
        size_t size;
        wac_message_add_double(&first, TIME, 1);
        if (kind == 0)
            wac_message_add_text(&first, VERSION, "brain.Event:3");
        else if (kind == 1)
            wac_message_add_text(&first, VERSION, "brain.Event:20");
        else if (kind == 2)
            wac_message_add_number(&first, VERSION, 2);
        else if (kind > 3) /* a 3 has none */
            wac_message_add_text(&first, VERSION, "brain.Event:2");
        size = seal(bytes, &first);
        if (kind == 4)
            wac_message_add_number(&second, STEP, 1); /* one is left out */
        else if (kind == 5)
            wac_message_add_number(&second, STEP, UINT64_MAX);
        else if (kind == 6)
            wac_message_add_text(&second, VERSION, "brain.Event:2"); /* again */
        else if (kind == 7)
            wac_message_add_bytes(&second, 15, "\xff", 1); /* and no step: the first row */
        else if (kind == 8)
            wac_message_add_text(&second, STEP, "none");
        else { /* the first row's, with a number beside it */
            wac_message_add_number(&second, STEP, 0);
            wac_message_add_number(&second, 14, 1);
            wac_message_add_bytes(&second, 15, "\xff", 1);
        }
        if (kind == 8)
            second.size--; /* a field that is cut off in a record that is whole */
        size += seal(bytes + size, &second);
        assert_ok(wac_file_write(at("run/" EVENTS), bytes, size, &error));
        assert_ok(train_on(at("run"), "lqg", NULL, ++epochs));
        size_t records = 0, at_byte = 0;
        char *text = contents(at("run/" EVENTS), &size);
        for (; at_byte < size; records++) {
            assert_sum((unsigned char *)text + at_byte, 8);
            at_byte += 16 + number_at((unsigned char *)text + at_byte);
        }
        assert_int_equal(records, epochs + 2);
        /* only what might have been a run's own has stayed */
        assert_int_equal(memmem(text, size, "\x7a\x01\xff", 3) != NULL, kind == 7 || kind == 9);
        assert_null(memmem(text, size, "none", 4));
        assert_non_null(memmem(text, size, "brain.Event:2", 13));
        /* with its length, 14: a sum behind a text may begin like a 0 */
        assert_null(memmem(text, size, "\016brain.Event:20", 15));
        free(text);
    }
    /* a link is not followed */
    assert_int_equal(rename(at("run/" EVENTS), at("elsewhere")), 0);
    assert_int_equal(symlink("../elsewhere", at("run/" EVENTS)), 0);
    assert_int_equal(train_on(at("run"), "lqg", NULL, ++epochs), WAC_STATUS_IO);
    assert_message(WAC_STATUS_IO, "cannot write", EVENTS);
}

static uint32_t big(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void pictures_are_png(void **state)
{
    (void)state;
    for (int width = 1; width < 60; width += 19)
        for (int height = 1; height < 50; height += 13) {
            unsigned char pixels[60 * 50];
            for (int i = 0; i < width * height; i++)
                pixels[i] = (unsigned char)(7 * i);
            size_t size, at_byte = 8;
            unsigned char *png = wac_png_grey(&size, pixels, width, height);
            assert_non_null(png);
            assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
            static const char *const names[] = {"IHDR", "IDAT", "IEND"};
            for (int i = 0; i < 3; i++) {
                uint32_t length = big(png + at_byte);
                assert_memory_equal(png + at_byte + 4, names[i], 4);
                assert_int_equal(big(png + at_byte + 8 + length),
                                 lzma_crc32(png + at_byte + 4, length + 4, 0));
                if (i == 1) /* rows as they are, each behind a zero */
                    for (int row = 0; row < height; row++) {
                        size_t start = at_byte + 8 + 7 + (size_t)row * (size_t)(width + 1);
                        assert_int_equal(png[start], 0);
                        assert_memory_equal(png + start + 1, pixels + row * width, (size_t)width);
                    }
                at_byte += 12 + length;
            }
            assert_int_equal(at_byte, size);
            free(png);
        }
}

/* What the last value of this tag in a file of events has in this field. */
static wac_field last_of(const unsigned char *bytes, size_t size, const char *tag, int field)
{
    wac_field found = {0};
    for (size_t at_byte = 0; at_byte < size; at_byte += 16 + number_at(bytes + at_byte)) {
        const unsigned char *first = bytes + at_byte + 12;
        wac_field event = {.at = first, .end = first + number_at(bytes + at_byte)};
        while (wac_field_next(&event)) {
            wac_field summary = {.at = event.bytes, .end = event.bytes + event.size};
            while (event.field == 5 && wac_field_next(&summary)) {
                wac_field value = {.at = summary.bytes, .end = summary.bytes + summary.size};
                bool named = memmem(summary.bytes, summary.size, tag, strlen(tag));
                while (wac_field_next(&value))
                    if (named && value.field == field)
                        found = (wac_field){.at = value.bytes, .end = value.bytes + value.size};
            }
        }
    }
    return found;
}

/* Black is the least of the map, white the most, what is between is in proportion; the second
 * number of a pair goes upwards. */
static void pictures_show_the_map(void **state)
{
    (void)state;
    enum { SIDE = 20 };
    wac_config config = tiny("riverswim", "oe-wac", 2);
    wac_run_options options = shown(-1);
    options.maps = true;
    assert_ok(train_new(at("run"), &config, &options));
    static wac_map map;
    wac_atlas atlas;
    assert_ok(wac_atlas_open(&atlas, at("run"), &error));
    assert_ok(wac_atlas_read(&map, &atlas, 2, &error));
    wac_atlas_close(&atlas);
    size_t size;
    char *bytes = contents(at("run/" EVENTS), &size);
    static const char *const tags[] = {"map/visits", "map/sigma"};
    for (int k = 0; k < 2; k++) {
        float values[SIDE * SIDE], low = INFINITY, high = -INFINITY;
        for (int i = 0; i < SIDE * SIDE; i++) {
            values[i] = k ? map.std[i] : log1pf((float)map.visits[i]);
            low = fminf(low, values[i]);
            high = fmaxf(high, values[i]);
        }
        wac_field picture = last_of((unsigned char *)bytes, size, tags[k], 4);
        const unsigned char *pixels = NULL;
        uint64_t numbers[5] = {0};
        while (wac_field_next(&picture)) {
            numbers[picture.field] = picture.number;
            if (picture.field == 4)
                pixels = picture.bytes + 8 + 25 + 8 + 7; /* sign, head, name of the rows, theirs */
        }
        assert_int_equal(numbers[1], SIDE);
        assert_int_equal(numbers[2], SIDE);
        assert_int_equal(numbers[3], 1);
        assert_non_null(pixels);
        for (int i = 0; i < SIDE * SIDE; i++) {
            int pixel = pixels[(SIDE - 1 - i % SIDE) * (SIDE + 1) + 1 + i / SIDE];
            assert_true(fabsf((float)pixel - 255 * (values[i] - low) / (high - low)) < 0.51f);
        }
    }
    /* and how many cells are how uncertain: thirty bars of one width from the least to the most */
    double numbers[6] = {0}, limits[30], heights[30], low = INFINITY, high = -INFINITY, sums[3];
    wac_field bars = last_of((unsigned char *)bytes, size, "sigma", 5);
    while (wac_field_next(&bars)) {
        if (bars.field < 6)
            memcpy(&numbers[bars.field], bars.bytes, sizeof *numbers);
        else
            memcpy(bars.field == 6 ? limits : heights, bars.bytes, sizeof limits);
        assert_int_equal(bars.size, bars.field < 6 ? sizeof *numbers : sizeof limits);
    }
    memset(sums, 0, sizeof sums);
    for (int i = 0; i < SIDE * SIDE; i++) {
        double value = (double)map.std[i];
        low = fmin(low, value);
        high = fmax(high, value);
        sums[0] += value;
        sums[1] += value * value;
    }
    assert_true(numbers[1] == low && numbers[2] == high && numbers[3] == SIDE * SIDE);
    assert_true(fabs(numbers[4] - sums[0]) < 1e-9 * sums[0]);
    assert_true(fabs(numbers[5] - sums[1]) < 1e-9 * sums[1]);
    for (int bar = 0; bar < 30; bar++) {
        assert_true(fabs(limits[bar] - (low + (bar + 1) * (high - low) / 30)) < 1e-9 * high);
        for (int i = 0; i < SIDE * SIDE; i++) {
            double value = (double)map.std[i];
            heights[bar] -=
                (bar == 0 || value >= limits[bar - 1]) && (bar == 29 || value < limits[bar]);
        }
        sums[2] += fabs(heights[bar]);
    }
    assert_true(sums[2] <= 2); /* but for one at an edge */
    free(bytes);
}

/* The least and the most of a map count wherever they are: in the first cell, and in the last of
 * one that is not square. */
static void every_cell_is_in_the_picture(void **state)
{
    (void)state;
    for (int place = 0; place < 2; place++) {
        wac_run *run;
        wac_map_shape shape;
        walk_order.place = place;
        walk_order.observations = walk_order.actions = 1 + place;
        wac_config config = tiny("walk", "oe-wac", 1);
        wac_run_options options = shown(-1);
        options.maps = true;
        assert_ok(wac_run_create(&run, &config, &walk, at("run"), &options, &error));
        assert_ok(wac_run_train(run, &error));
        wac_map *map = (wac_map *)wac_maps_present(run, &shape);
        assert_int_equal(shape.grid.cells[0] != shape.grid.cells[1], place);
        for (int turn = 0; turn < 4; turn++)
            for (int k = 0; k < 2; k++) {
                const int *cells = k ? shape.values : shape.grid.cells;
                int all = cells[0] * cells[1], one = turn % 2 ? all - 1 : 0, white = turn / 2;
                for (int i = 0; i < all; i++) {
                    map->visits[i] = (i == one) == white ? 70 : 10;
                    map->std[i] = (float)map->visits[i];
                }
                assert_ok(wac_events_append(run, &error));
                size_t size;
                char *bytes = contents(at("run/" EVENTS), &size);
                wac_field picture =
                    last_of((unsigned char *)bytes, size, k ? "map/sigma" : "map/visits", 4);
                const unsigned char *pixels = NULL;
                while (wac_field_next(&picture))
                    if (picture.field == 4)
                        pixels = picture.bytes + 8 + 25 + 8 + 7;
                assert_non_null(pixels);
                for (int i = 0; i < all; i++) {
                    int row = cells[1] - 1 - i % cells[1];
                    int pixel = pixels[row * (cells[0] + 1) + 1 + i / cells[1]];
                    assert_int_equal(pixel, (i == one) == white ? 255 : 0);
                }
                free(bytes);
            }
        wac_run_destroy(run);
        remove_folder(at("run"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(rows_are_events),
        TEST(stopping_anywhere_loses_no_event),
        TEST(what_is_lost_is_made_up),
        TEST(events_of_others_go),
        TEST(pictures_are_png),
        TEST(what_is_beyond_the_table_is_cut),
        TEST(pictures_show_the_map),
        TEST(what_is_made_up_has_its_time),
        TEST(every_cell_is_in_the_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
