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

/* The value of "key". */
static wac_yaml_pair pair_of(wac_yaml *in, const char *text)
{
    wac_yaml_pair pair;
    assert_ok(wac_yaml_open(in, text, strlen(text), "file", &error));
    const yaml_node_t *root_node = yaml_document_get_root_node(&in->document);
    assert_ok(wac_yaml_key(in, &pair, root_node->data.mapping.pairs.start));
    return pair;
}

static void values_of_another_kind_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        bool word; /* is asked for, or a number */
    } cases[] = {
        {"key: [1]\n", "one value here", false},
        {"key: 1e999\n", "must be a number, not \"1e999\"", false},
        {"key: one\n", "must be a number, not \"one\"", false},
        {"key: [one]\n", "one value here", true},
        {"key: three\n", "must be one or two, not \"three\"", true},
        {"key: \"a\\0b\"\n", "control characters", true},
        {"key: \"a\\eb\"\n", "control characters", true},
        {"key: \"\"\n", "missing", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wac_yaml in;
        double number;
        int word;
        wac_yaml_pair pair = pair_of(&in, cases[i].text);
        wac_status status = cases[i].word ? wac_yaml_word(&in, &word, &pair, "one|two")
                                          : wac_yaml_number(&in, &number, pair.value, "key");
        assert_int_equal(status, WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "file:1:", cases[i].words);
        wac_yaml_close(&in);
    }
    wac_yaml in;
    int word;
    wac_yaml_pair pair = pair_of(&in, "key: two\n");
    assert_ok(wac_yaml_word(&in, &word, &pair, "one|two"));
    assert_int_equal(word, 1);
    wac_yaml_close(&in);
}

/* Bytes that are no text are told by their line. */
static void bytes_that_are_no_text(void **state)
{
    (void)state;
    wac_yaml in;
    static const char text[] = "a: 1\nb: \xff\n";
    assert_int_equal(wac_yaml_open(&in, text, sizeof text - 1, "file", &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "file:2:", "this is not YAML");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deep_files_are_refused_at_once),
        cmocka_unit_test(files_of_some_depth_are_read),
        cmocka_unit_test(values_of_another_kind_are_refused),
        cmocka_unit_test(bytes_that_are_no_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
