/* Small parts by themselves: lists of words, numbers for people, messages of protocol buffers,
 * pictures, names that were probably meant. */
#include "base/arena.h"
#include "base/number.h"
#include "base/plugin.h"
#include "base/png.h"
#include "base/protobuf.h"
#include "base/share.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"

#include <limits.h>
#include <lzma.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void words_of_a_list(void **state)
{
    (void)state;
    size_t size;
    char text[64];
    assert_int_equal(wac_word_index("one|two|three", "two"), 1);
    assert_int_equal(wac_word_index("one|two|three", "tw"), -1);
    assert_null(wac_word_at("one|two", 2, &size));
    assert_null(wac_word_at("one|two", -1, &size));
    assert_memory_equal(wac_word_at("one|two", 1, &size), "two", 3);
    assert_int_equal(size, 3);
    wac_words_join(text, sizeof text, "one|two|three");
    assert_string_equal(text, "one, two or three");
    /* what does not fit is cut off, and nothing is written behind it */
    memset(text, 'x', sizeof text);
    wac_words_join(text, 6, "one|two|three");
    assert_string_equal(text, "one, ");
    assert_int_equal(text[6], 'x');
}

static void control_characters(void **state)
{
    (void)state;
    static const char *const bad[] = {"a\x1b[31m", "\x01", "a\x7f", "a\xc2\x9b", "\xc2\x80"},
                             *const good[] = {"", "a b", "\xc2\xa0", "\xc2", "\xc3\xa9", "~"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[16];
        assert_true(wac_has_control(bad[i], ""));
        strcpy(text, bad[i]);
        wac_hide_control(text);
        assert_false(wac_has_control(text, ""));
        assert_non_null(strchr(text, '?'));
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_false(wac_has_control(good[i], ""));
    assert_false(wac_has_control("a\nb", "\n"));
    assert_true(wac_has_control("a\nb\t", "\n"));
}

static void numbers_for_people(void **state)
{
    (void)state;
    static const double rounded[][2] = {{0, 0},       {1, 1},          {0.99, 0.99}, {123, 130},
                                        {-123, -130}, {0.0712, 0.072}, {-5, -5},     {1e6, 1e6}};
    for (size_t i = 0; i < sizeof rounded / sizeof *rounded; i++)
        assert_true(fabs(wac_number_away(rounded[i][0]) - rounded[i][1]) <= 1e-9);
    double numbers[] = {3, -1, 2};
    wac_sort(numbers, 3);
    assert_true(numbers[0] == -1 && numbers[1] == 2 && numbers[2] == 3);
    wac_sort(NULL, 0); /* of nothing nothing is sorted */
}

/* What nobody has room for is refused, whatever was taken before, and what was stays. */
static void arenas_know_their_end(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{SIZE_MAX, 2}, {SIZE_MAX / 2 + 1, 1}, {1 << 20, SIZE_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        wac_arena arena = {0};
        if (i > 0)
            assert_non_null(wac_arena_take(&arena, 10, 4));
        assert_null(wac_arena_take(&arena, sizes[i][0], sizes[i][1]));
        assert_true(arena.failed);
        char *more = wac_arena_take(&arena, 100000, 1);
        assert_non_null(more);
        memset(more, 1, 100000);
        wac_arena_release(&arena);
        assert_false(arena.failed);
    }
}

static void keep_words(void *user, const char *words)
{
    snprintf(user, 64, "%s", words);
}

/* Nobody has to listen. */
static void logs_may_be_missing(void **state)
{
    (void)state;
    char heard[64] = "";
    wac_log_write(NULL, "one");
    wac_log_write(&(wac_log){.user = heard}, "two");
    assert_string_equal(heard, "");
    wac_log_write(&(wac_log){.write = keep_words, .user = heard}, "three\x1b %d", 3);
    assert_string_equal(heard, "three? 3");
}

/* --- protocol buffers -------------------------------------------------------------------------*/

static void messages_come_back(void **state)
{
    (void)state;
    wac_message message = {0}, part = {0};
    wac_message_add_text(&part, 1, "inside");
    wac_message_add_number(&message, 1, 300);
    wac_message_add_float(&message, 2, 1.5F);
    wac_message_add_double(&message, 3, -2.25);
    wac_message_add_bytes(&message, 4, "", 0);
    wac_message_add_message(&message, 5, &part);
    wac_message_add_number(&message, 600, UINT64_MAX);
    assert_false(message.failed);
    wac_field field = {.at = message.bytes, .end = message.bytes + message.size};
    float single;
    double number;
    assert_true(wac_field_next(&field) && field.field == 1 && !field.bytes && field.number == 300);
    assert_true(wac_field_next(&field) && field.field == 2 && field.size == sizeof single);
    memcpy(&single, field.bytes, sizeof single);
    assert_true(single == 1.5F);
    assert_true(wac_field_next(&field) && field.field == 3 && field.size == sizeof number);
    memcpy(&number, field.bytes, sizeof number);
    assert_true(number == -2.25);
    assert_true(wac_field_next(&field) && field.field == 4 && field.bytes && field.size == 0);
    assert_true(wac_field_next(&field) && field.field == 5);
    wac_field inner = {.at = field.bytes, .end = field.bytes + field.size};
    assert_true(wac_field_next(&inner) && inner.field == 1 && inner.size == 6);
    assert_memory_equal(inner.bytes, "inside", 6);
    assert_true(wac_field_next(&field) && field.field == 600 && field.number == UINT64_MAX);
    assert_false(wac_field_next(&field));
    assert_ptr_equal(field.at, field.end);

    /* cut anywhere, all fields before the cut are read, and nothing beyond it */
    for (size_t size = 0; size < message.size; size++) {
        unsigned char *cut = malloc(size + 1); /* whose end the sanitizers watch */
        memcpy(cut, message.bytes, size);
        wac_field some = {.at = cut, .end = cut + size};
        int count = 0;
        while (wac_field_next(&some))
            count++;
        assert_true(count < 6 && some.at <= some.end);
        free(cut);
    }
    wac_message_free(&message);
}

static void what_is_no_field(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } cases[] = {
        {"\x0b", 1},                                                  /* a group, of old */
        {"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 13}, /* a number without end */
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 11},         /* a key without end */
        {"\x0a\x05"
         "abc",
         5},                                     /* more bytes than there are */
        {"\x0d\x01\x02", 3},                     /* four of them, the same */
        {"\x09\x01\x02\x03\x04\x05\x06\x07", 8}, /* eight of them */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned char *bytes = (const unsigned char *)cases[i].bytes;
        wac_field field = {.at = bytes, .end = bytes + cases[i].size};
        assert_false(wac_field_next(&field));
        assert_ptr_equal(field.at, bytes);
        assert_null(field.bytes);
    }
}

/* --- pictures ---------------------------------------------------------------------------------*/

static uint32_t read32(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Every chunk has its checksum, the head its sizes, and the rows are there as they were given. */
static void a_picture_is_png(void **state)
{
    (void)state;
    enum { WIDTH = 5, HEIGHT = 3 };
    unsigned char pixels[HEIGHT][WIDTH];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i / WIDTH][i % WIDTH] = (unsigned char)(17 * i);
    size_t size;
    unsigned char *bytes = wac_png_grey(&size, pixels[0], WIDTH, HEIGHT);
    assert_non_null(bytes);
    assert_memory_equal(bytes, "\x89PNG\r\n\x1a\n", 8);
    int chunks = 0;
    for (size_t at = 8; at < size; chunks++) {
        uint32_t length = read32(bytes + at);
        const unsigned char *name = bytes + at + 4;
        assert_true(at + 12 + length <= size);
        assert_int_equal(lzma_crc32(name, length + 4, 0), read32(name + 4 + length));
        if (chunks == 0) {
            assert_memory_equal(name, "IHDR", 4);
            assert_true(read32(name + 4) == WIDTH && read32(name + 8) == HEIGHT);
        }
        if (memcmp(name, "IDAT", 4) == 0) {
            /* zlib's two bytes, then one stored block: its flag and length twice, then the rows,
             * each after a 0 for "no filter" */
            const unsigned char *data = name + 4 + 2 + 5;
            for (int i = 0; i < HEIGHT; i++, data += 1 + WIDTH) {
                assert_int_equal(data[0], 0);
                assert_memory_equal(data + 1, pixels[i], WIDTH);
            }
        }
        at += 12 + length;
    }
    assert_int_equal(chunks, 3);
    free(bytes);
}

/* --- words for people -------------------------------------------------------------------------*/

static void names_that_were_meant(void **state)
{
    (void)state;
    static const char *const names[] = {"sac", "oe-wac", "point-1", "point-2", "point-3", NULL};
    assert_non_null(strstr(
        wac_suggest((char[WAC_SUGGESTION]){0}, "sca", wac_name_in_array, names, NULL), "\"sac\""));
    assert_non_null(
        strstr(wac_suggest((char[WAC_SUGGESTION]){0}, "OE_WAC", wac_name_in_array, names, NULL),
               "oe-wac"));
    /* a whole part of a name is nearer than any slip, wherever in it and however often */
    static const char *const parts[] = {"wac-oe-wac", "wax", "owacs", "", NULL};
    assert_string_equal(
        wac_suggest((char[WAC_SUGGESTION]){0}, "wac", wac_name_in_array, parts, NULL),
        "did you mean \"wac-oe-wac\"?");
    /* names that count on are one series; those that only look like it are not */
    static const char *const series[] = {"pint-8", "pint-9", "pint-10", NULL}, *const others[] = {
                                                                                   "pint-1",
                                                                                   "pint-3",
                                                                                   "pint-4x",
                                                                                   "pint-5y", NULL};
    assert_string_equal(
        wac_suggest((char[WAC_SUGGESTION]){0}, "pint-7", wac_name_in_array, series, NULL),
        "did you mean \"pint-8\" to \"pint-9\"?");
    assert_string_equal(
        wac_suggest((char[WAC_SUGGESTION]){0}, "pint-7", wac_name_in_array, others, NULL),
        "did you mean \"pint-1\" or \"pint-3\"?");
    assert_string_equal(wac_suggest((char[WAC_SUGGESTION]){0}, "entirely-else", wac_name_in_array,
                                    names, "nothing like it"),
                        "nothing like it");
    /* nothing is near to nothing, nor to what is longer than any name */
    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_string_equal(
        wac_suggest((char[WAC_SUGGESTION]){0}, longest, wac_name_in_array, names, "no"), "no");
    assert_string_equal(wac_suggest((char[WAC_SUGGESTION]){0}, "", wac_name_in_array, names, "no"),
                        "no");
}

static void texts_are_clipped_and_quoted(void **state)
{
    (void)state;
    char clipped[WAC_CLIP_SIZE], word[WAC_SHELL_SIZE], path[2 * WAC_SHELL_SIZE];
    assert_string_equal(wac_clip(clipped, "short"), "short");
    assert_string_equal(wac_clip(clipped, "a\x1b"), "a?");
    /* of bytes that begin no letter nothing is left */
    memset(path, '\x80', 200);
    path[200] = 0;
    assert_string_equal(wac_clip(clipped, path), "...");
    /* not within a letter of several bytes */
    for (int before = 0; before < 4; before++) {
        memset(path, 'a', 200);
        for (int i = before; i + 2 < 200; i += 2)
            memcpy(path + i, "\xc3\xa9", 2);
        path[200] = 0;
        const char *text = wac_clip(clipped, path);
        assert_true(strlen(text) < WAC_CLIP_SIZE);
        int bytes = 0;
        for (const char *c = text; *c; c++)
            bytes += (*c & 0xc0) == 0x80 ? 1 : (*c & 0xe0) == 0xc0 ? -1 : 0;
        assert_int_equal(bytes, 0);
    }
    assert_string_equal(wac_shell(word, "runs/one-1_b.yaml"), "runs/one-1_b.yaml");
    assert_string_equal(wac_shell(word, "runs/\xc3\xa9"), "runs/\xc3\xa9");
    assert_string_equal(wac_shell(word, "two words"), "'two words'");
    assert_string_equal(wac_shell(word, "it's"), "'it'\\''s'");
    /* one that is too long is cut off, and still one word */
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = 0;
    path[5] = ' ';
    assert_true(strlen(wac_shell(word, path)) < WAC_SHELL_SIZE);
    assert_true(word[0] == '\'' && word[strlen(word) - 1] == '\'');
    path[5] = 'a';
    assert_true(strlen(wac_shell(word, path)) < WAC_SHELL_SIZE);
}

/* --- files that come with the program ---------------------------------------------------------*/

/* In the folder that a variable names and only there; without it beside the program; and whoever
 * looks in vain is told where. */
static void shared_files_are_found(void **state)
{
    (void)state;
    char path[PATH_MAX], small[8];
    wac_error error = {0};
    for (int empty = 0; empty < 2; empty++) {
        assert_int_equal(wac_share_find(path, sizeof path, "experiments", "WAC_NOWHERE",
                                        "experiment", "riverswim.yaml", &error),
                         WAC_STATUS_OK);
        assert_int_equal(access(path, R_OK), 0);
        assert_int_equal(setenv("WAC_NOWHERE", "", 1), 0); /* says nothing */
    }
    assert_int_equal(wac_share_find(path, sizeof path, "experiments", "WAC_NOWHERE", "experiment",
                                    "none.yaml", &error),
                     WAC_STATUS_INPUT);
    assert_non_null(
        strstr(error.message, "cannot find the experiment none.yaml; set the variable"));
    assert_int_equal(wac_share_find(path, sizeof path, "nothing", "WAC_NOWHERE",
                                    "folder of nothing", "", &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "cannot find the folder of nothing; set"));
    assert_int_equal(wac_share_find(small, sizeof small, "experiments", "WAC_NOWHERE", "experiment",
                                    "riverswim.yaml", &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "too long"));
    assert_int_equal(setenv("WAC_NOWHERE", "/nowhere", 1), 0);
    assert_int_equal(wac_share_find(path, sizeof path, "experiments", "WAC_NOWHERE", "experiment",
                                    "riverswim.yaml", &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "the variable WAC_NOWHERE says to look there"));
    assert_int_equal(wac_share_find(small, sizeof small, "experiments", "WAC_NOWHERE", "experiment",
                                    "riverswim.yaml", &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "too long"));
}

/* --- plugins ----------------------------------------------------------------------------------*/

static void plugins_say_why_not(void **state)
{
    (void)state;
    char why[256];
    setenv("WAC_SOME_PLUGIN", WAC_FAKE_GPU, 1);
    assert_non_null(
        wac_plugin_table("wac_some", "wac_engine_table_v3", "WAC_SOME_PLUGIN", why, sizeof why));
    assert_null(wac_plugin_table("wac_some", "no_such", "WAC_SOME_PLUGIN", why, sizeof why));
    assert_string_equal(why, "the wac_some.so that is there is of another version");
    setenv("WAC_SOME_PLUGIN", WAC_SOURCE_DIR "/README.md", 1);
    assert_null(wac_plugin_table("wac_some", "no_such", "WAC_SOME_PLUGIN", why, sizeof why));
    assert_non_null(strstr(why, "README.md: "));
    unsetenv("WAC_SOME_PLUGIN");
    assert_null(wac_plugin_table("wac_some", "no_such", "WAC_SOME_PLUGIN", why, sizeof why));
    assert_non_null(strstr(why, "there is no wac_some.so beside the program"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_a_list),       cmocka_unit_test(control_characters),
        cmocka_unit_test(numbers_for_people),    cmocka_unit_test(arenas_know_their_end),
        cmocka_unit_test(logs_may_be_missing),   cmocka_unit_test(plugins_say_why_not),
        cmocka_unit_test(messages_come_back),    cmocka_unit_test(what_is_no_field),
        cmocka_unit_test(a_picture_is_png),      cmocka_unit_test(shared_files_are_found),
        cmocka_unit_test(names_that_were_meant), cmocka_unit_test(texts_are_clipped_and_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
