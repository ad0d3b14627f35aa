/* JSON where memory runs out: at every request, once and from then on, a text is read whole or not
 * at all, and whoever asks is told which. */
#include "base/json.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct {
    long at; /* the request that is refused, counted from 1; 0: none */
    bool on; /* and all after it */
    long count;
} refusal;

static void *take(size_t size)
{
    long call = ++refusal.count;
    bool refused = refusal.at && (call == refusal.at || (refusal.on && call > refusal.at));
    return refused ? NULL : malloc(size);
}

/* A list of texts, with something escaped at every place in them: room for a text grows now before
 * it, now within, now behind. */
static char *make_text(size_t *size)
{
    char *text;
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    fputs("[1", out);
    for (int length = 0; length < 70; length++)
        fprintf(out, ", {\"%.*s\\n\\u00e9\": \"%.*s\\\\\\\"\"}", length,
                "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
                length,
                "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ");
    fputs("]", out);
    fclose(out);
    return text;
}

static void whole_or_not_at_all(void **state)
{
    (void)state;
    size_t size;
    char *text = make_text(&size);
    json_t *whole = wac_json_load(text, size, 0, NULL);
    assert_non_null(whole);
    long requests = refusal.count;
    for (int on = 0; on < 2; on++)
        for (long at = 1; at <= requests; at++) {
            refusal.at = at, refusal.on = on, refusal.count = 0;
            errno = 0;
            json_t *json = wac_json_load(text, size, 0, NULL);
            refusal.at = 0;
            assert_true(json ? json_equal(json, whole) : errno == ENOMEM);
            json_decref(json);
            /* and what comes after it is not held against it */
            json = wac_json_load("[]", 2, 0, NULL);
            assert_true(json_is_array(json));
            json_decref(json);
        }
    json_decref(whole);
    free(text);
}

/* Values that were made where memory was lacking are not written; those made after them are. */
static void written_whole_or_not_at_all(void **state)
{
    (void)state;
    size_t size;
    for (long at = 1; at <= 8; at++) {
        wac_json_begin();
        refusal.at = at, refusal.on = false, refusal.count = 0;
        json_t *json = json_pack("{s:s, s:[i, i]}", "name", "a", "numbers", 1, 2);
        refusal.at = 0;
        char *text = wac_json_text(json, JSON_COMPACT, &size);
        assert_null(text);
        json_decref(json);
        json = json_pack("{s:i}", "a", 1);
        text = wac_json_text(json, JSON_COMPACT, &size);
        assert_non_null(text);
        assert_string_equal(text, "{\"a\":1}");
        assert_int_equal(size, strlen(text));
        free(text);
        json_decref(json);
    }
}

static void nothing_has_no_text(void **state)
{
    (void)state;
    size_t size = 1;
    wac_json_begin();
    assert_null(wac_json_text(NULL, JSON_COMPACT, &size));
    assert_int_equal(size, 0);
}

int main(void)
{
    json_set_alloc_funcs(take, free);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_or_not_at_all),
        cmocka_unit_test(written_whole_or_not_at_all),
        cmocka_unit_test(nothing_has_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
