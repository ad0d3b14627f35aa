/* Tables of numbers: what is read, and what is refused in which words. */
#include "base/csv.h"

#include "base/files.h"

#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static wac_status parse(wac_csv *csv, const char *text, size_t size, wac_error *error)
{
    char *bytes = malloc(size + 1);
    assert_non_null(bytes);
    memcpy(bytes, text, size);
    return wac_csv_parse(csv, bytes, size, "table.csv", error);
}

static wac_csv read_text(const char *text)
{
    wac_csv csv;
    wac_error error = {0};
    wac_status status = parse(&csv, text, strlen(text), &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, WAC_STATUS_OK);
    return csv;
}

static void tables_are_read(void **state)
{
    (void)state;
    /* the same with either end of line, and without the last one */
    static const char *const texts[] = {
        "epoch,alpha,q_mean\n0,,1.5\n1,-2e-3,+.25\n",
        "epoch,alpha,q_mean\r\n0,,1.5\r\n1,-2e-3,+.25\r\n",
        "epoch,alpha,q_mean\n0,,1.5\n1,-2e-3,+.25",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        wac_csv csv = read_text(texts[i]);
        assert_int_equal(csv.rows, 2);
        assert_int_equal(csv.columns, 3);
        assert_string_equal(csv.names[2], "q_mean");
        assert_int_equal(wac_csv_column(&csv, "alpha"), 1);
        assert_int_equal(wac_csv_column(&csv, "alph"), -1);
        assert_true(isnan(wac_csv_at(&csv, 0, 1)));
        assert_true(wac_csv_at(&csv, 0, 2) == 1.5);
        assert_true(wac_csv_at(&csv, 1, 1) == -2e-3 && wac_csv_at(&csv, 1, 2) == 0.25);
        wac_csv_free(&csv);
    }
    wac_csv csv = read_text("only");
    assert_int_equal(csv.rows, 0);
    wac_csv_free(&csv);
    csv = read_text("one\n1\n\n2\n"); /* an empty line is an empty cell */
    assert_int_equal(csv.rows, 3);
    assert_true(isnan(wac_csv_at(&csv, 1, 0)));
    wac_csv_free(&csv);
}

static void numbers_come_back_to_the_bit(void **state)
{
    (void)state;
    static const double numbers[] = {0.1, 1.0 / 3, 5e-324, -1.7976931348623157e308, 1e22};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[64];
        snprintf(text, sizeof text, "x\n%.17g\n", numbers[i]);
        wac_csv csv = read_text(text);
        assert_true(wac_csv_at(&csv, 0, 0) == numbers[i]);
        wac_csv_free(&csv);
    }
    /* whatever the decimal comma of the program around us */
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        return;
    wac_csv csv = read_text("x\n0.5\n");
    setlocale(LC_NUMERIC, "C");
    assert_true(wac_csv_at(&csv, 0, 0) == 0.5);
    wac_csv_free(&csv);
}

static void bad_tables_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *fragment;
    } rows[] = {
        {"", "table.csv is empty"},
        {"\n1\n", "table.csv:1: column 1 needs a name"},
        {"a,\n1,2\n", "table.csv:1: column 2 needs a name"},
        {"a,\"b\"\n1,2\n", "column 2 needs a name without quotes"},
        {"a\tb\n1\n", "column 1 needs a name"},
        {"a,b,a\n1,2,3\n", "table.csv:1: two columns are named \"a\""},
        {"a,b\n1,2\n3\n", "table.csv:3: this row has 1 cells, the header has 2"},
        {"a,b\n1,2,\n", "table.csv:2: this row has 3 cells"},
        {"a,b\n1,2\n\n", "table.csv:3: this row has 1 cells"},
        {"a,b\n1,two\n", "table.csv:2: column b: \"two\" is not a number"},
        {"a\n1\n2\n1.2.3\n", "table.csv:4: column a: \"1.2.3\""},
        {"a\n 1\n", "\" 1\" is not a number"},
        {"a\n1 \n", "\"1 \" is not a number"},
        {"a\n0x10\n", "\"0x10\" is not a number"},
        {"a\nnan\n", "\"nan\" is not a number"},
        {"a\n-inf\n", "\"-inf\" is not a number"},
        {"a\n1e999\n", "\"1e999\" is not a number"},
        {"a\n-\n", "\"-\" is not a number"},
        {"a\n1e\n", "\"1e\" is not a number"},
        {"a\n1\r\r\n", "\"1?\" is not a number"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_csv csv;
        wac_error error = {0};
        assert_int_equal(parse(&csv, rows[i].text, strlen(rows[i].text), &error), WAC_STATUS_INPUT);
        if (!strstr(error.message, rows[i].fragment))
            fail_msg("\"%s\" does not say \"%s\"", error.message, rows[i].fragment);
        assert_null(csv.text);
    }
    wac_csv csv;
    wac_error error = {0};
    assert_int_equal(parse(&csv, "a\n1\0002\n", 6, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "not text"));

    /* more columns than anything has */
    char header[3 * 5000];
    for (size_t i = 0; i < sizeof header; i++)
        header[i] = i % 3 == 2 ? ',' : 'a';
    assert_int_equal(parse(&csv, header, sizeof header - 1, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "5000 columns"));
}

static void files_are_read(void **state)
{
    (void)state;
    char path[] = "/tmp/test_csv.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    wac_csv csv;
    wac_error error = {0};
    assert_int_equal(wac_file_write(path, "a\n7\n", 4, NULL), WAC_STATUS_OK);
    assert_int_equal(wac_csv_read(&csv, path, &error), WAC_STATUS_OK);
    assert_true(wac_csv_at(&csv, 0, 0) == 7);
    wac_csv_free(&csv);

    /* one that is too large is not even read */
    assert_int_equal(truncate(path, (256 << 20) + 1), 0);
    assert_int_equal(wac_csv_read(&csv, path, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, path));
    unlink(path);
    assert_int_equal(wac_csv_read(&csv, path, &error), WAC_STATUS_IO);
    assert_non_null(strstr(error.message, path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_read),
        cmocka_unit_test(numbers_come_back_to_the_bit),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
