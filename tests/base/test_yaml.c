/* YAML files that are no honest ones. */
#include "support/folder.h"

#include "base/yaml.h"

#include <time.h>

typedef wac_status open_fn(wac_yaml *in, const char *text, size_t size, const char *name,
                           wac_error *error);

/* As many times the same piece. */
static char *repeat(const char *piece, size_t times)
{
    size_t size = strlen(piece);
    char *text = malloc(size * times + 1);
    assert_non_null(text);
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * size, piece, size);
    text[size * times] = 0;
    return text;
}

static double processor_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Depth is refused at once: left alone, the parser would be at it for half a minute. */
static void deep_files_are_refused_at_once(void **state)
{
    (void)state;
    static const char *const pieces[] = {"[", "{a: ", "- ", "? ", "[{"};
    open_fn *const opens[] = {wac_yaml_open, wac_yaml_open_plain};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        for (int k = 0; k < 2; k++) {
            wac_yaml in;
            char *text = repeat(pieces[i], 200000 / strlen(pieces[i]));
            double start = processor_seconds();
            assert_int_equal(opens[k](&in, text, strlen(text), "file", &error), WAC_STATUS_INPUT);
            assert_message(WAC_STATUS_INPUT, "file:1:", "nested more than 64 deep");
            assert_true(processor_seconds() - start < 2);
            free(text);
        }
}

static void files_of_some_depth_are_read(void **state)
{
    (void)state;
    wac_yaml in;
    char *open = repeat("[", 64), *close = repeat("]", 64), text[200];
    snprintf(text, sizeof text, "%s%s", open, close);
    assert_ok(wac_yaml_open(&in, text, strlen(text), "file", &error));
    wac_yaml_close(&in);
    /* one after the other they may be as many as they like */
    free(open);
    open = repeat("- [a, {b: c}]\n", 10000);
    assert_ok(wac_yaml_open_plain(&in, open, strlen(open), "file", &error));
    assert_int_equal(wac_yaml_length(wac_yaml_node(&in, 1)), 10000);
    wac_yaml_close(&in);
    free(open);
    free(close);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_files_are_refused_at_once),
        cmocka_unit_test(files_of_some_depth_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
