/* Recordings of environments: those that others made, and small ones of our own, in which every
 * column must matter. */
#include "base/files.h"
#include "verify/env.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TABLES WAC_SOURCE_DIR "/tests/recorded"

enum { COLUMNS = 8, ROWS = 4 };

/* Tables worked out by hand. */
typedef struct table {
    const char *environment, *kind, *header;
    int columns, rows;
    int first_result, passive; /* columns before are inputs; this one is nobody's (-1: none) */
    double cells[ROWS][COLUMNS];
} table;

static const table tables[] = {
    {"lqg",
     "steps",
     "i,x,a,v,u,x_next,reward,obs_next",
     8,
     4,
     4,
     0,
     {{0, 1, 0.5, 0.25, 2, 3.25, -0.15625, 0.8125},
      {1, 4, 1.5, 0.5, 4, 4, -1, 1},
      {2, -5, -0.25, 0.5, -1, -4, -0.8125, -1},
      {3, 2, -0.5, 0, -2, 0, -0.25, 0}}},
    {"riverswim",
     "steps",
     "i,s,a,d,s_next,reward,reward_paper,obs_next",
     8,
     4,
     4,
     0,
     {{0, 24.5, 0.5, 1, 25, 1, 1, 1},
      {1, 0.5, 0.75, -1, 0, 0, 0.0005, -1},
      {2, 24.5, 0, 1, 24.5, 1, 0, 0.96},
      {3, 10, -2, 1, 11, 0, 0, -0.12}}},
    {"riverswim",
     "probabilities",
     "a,p_minus,p_zero,p_plus",
     4,
     3,
     1,
     -1,
     {{0.5, 0.1, 0.75, 0.15}, {-0.5, 0.55, 0.45, 0}, {3, 0.1, 0.6, 0.3}}},
    {"mountaincar",
     "steps",
     "i,x,v,a,x_next,v_next,reward,terminated",
     8,
     2,
     4,
     0,
     /* against the wall, and over the flag at full speed */
     {{0, -1.25, -0.0625, -1, (double)-1.2f, 0, -0.1, 0},
      {1, 0.4375, 0.0703125, 2, (double)(0.4375f + 0.07f), (double)0.07f, 99.9, 1}}},
};

enum { TABLES_COUNT = sizeof tables / sizeof *tables };

static char path[] = "/tmp/test_verify_env.XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 || close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static wac_status verify(wac_env_report *report, const char *environment, const char *file,
                         wac_error *error)
{
    const wac_environment_type *type;
    assert_int_equal(wac_environment_type_find(&type, environment, NULL), WAC_STATUS_OK);
    return wac_verify_env(report, type, file, error);
}

static wac_env_report verify_table(const table *table)
{
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "%s\n", table->header);
    for (int row = 0; row < table->rows; row++)
        for (int i = 0; i < table->columns; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%.17g%s",
                                     table->cells[row][i], i + 1 < table->columns ? "," : "\r\n");
    assert_int_equal(wac_file_write(path, text, used, NULL), WAC_STATUS_OK);
    wac_env_report report;
    wac_error error = {0};
    wac_status status = verify(&report, table->environment, path, &error);
    assert_string_equal(error.message, "");
    assert_int_equal(status, WAC_STATUS_OK);
    return report;
}

static void right_tables_pass(void **state)
{
    (void)state;
    for (int i = 0; i < TABLES_COUNT; i++) {
        wac_env_report report = verify_table(&tables[i]);
        assert_true(report.passed);
        assert_string_equal(report.kind, tables[i].kind);
        assert_int_equal(report.rows, tables[i].rows);
        assert_true(report.error < 1e-15 && report.tolerance == 1e-12);
    }
}

static void every_result_matters(void **state)
{
    (void)state;
    for (int i = 0; i < TABLES_COUNT; i++) {
        for (int row = 0; row < tables[i].rows; row++) {
            const char *name = tables[i].header;
            for (int column = 0; column < tables[i].columns; column++) {
                table changed = tables[i];
                size_t length = strcspn(name, ",");
                if (column >= tables[i].first_result) {
                    changed.cells[row][column] += 3e-12;
                    wac_env_report report = verify_table(&changed);
                    assert_false(report.passed);
                    assert_true(fabs(report.error - 3e-12) < 1e-13);
                    assert_int_equal(strlen(report.column), length);
                    assert_memory_equal(report.column, name, length);
                    assert_int_equal(report.row, row);
                    changed.cells[row][column] -= 2.9e-12; /* not worth a word */
                    assert_true(verify_table(&changed).passed);
                }
                name += length + 1;
            }
        }
    }
}

static void every_input_matters(void **state)
{
    (void)state;
    for (int i = 0; i < TABLES_COUNT; i++) {
        for (int column = 0; column < tables[i].first_result; column++) {
            table changed = tables[i];
            for (int row = 0; row < tables[i].rows; row++)
                changed.cells[row][column] =
                    changed.cells[row][column] == 1 ? 0 : changed.cells[row][column] / 2 + 0.5;
            if (strcmp(tables[i].header, tables[1].header) == 0 && column == 3)
                for (int row = 0; row < tables[i].rows; row++)
                    changed.cells[row][column] = -tables[i].cells[row][column];
            assert_int_equal(verify_table(&changed).passed, column == tables[i].passive);
        }
    }
}

static void columns_come_in_any_order(void **state)
{
    (void)state;
    table changed = {"riverswim", "probabilities",         "p_plus,a,p_minus,p_zero", 4, 1, 1,
                     -1,          {{0.15, 0.5, 0.1, 0.75}}};
    assert_true(verify_table(&changed).passed);
}

static void bad_recordings_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *text, *fragment;
    } rows[] = {
        {"lqg", "", "is empty"},
        {"lqg", "i,x,a,v,u,x_next,reward,obs_next\n", "no rows"},
        {"lqg", "i,x,a,v,u,x_next,reward\n0,0,0,0,0,0,0\n",
         "has no column obs_next; a recording of steps of lqg has the columns "
         "i,x,a,v,u,x_next,reward,obs_next"},
        {"riverswim", "s,a,d,s_next,reward,reward_paper,o\n0,0,0,0,0,0,0\n",
         "has no column i and obs_next; a recording of steps of riverswim has the columns i,s,"},
        {"lqg", "i,x,a,v,u\n0,0,0,0,0\n",
         "(i,x,a,v,u) are those of no recording of lqg; that could be steps "
         "(i,x,a,v,u,x_next,reward,obs_next)"},
        {"lqg", "i,x,a,v,u,x_next,reward,obs_next,more\n0,0,0,0,0,0,0,0,0\n", "no recording"},
        {"lqg", "a,p_minus,p_zero,p_plus\n0,0.1,0.9,0\n", "no recording of lqg"},
        {"riverswim", "i,x,a,v,u,x_next,reward,obs_next\n0,0,0,0,0,0,0,0\n",
         "steps (i,s,a,d,s_next,reward,reward_paper,obs_next) or probabilities "
         "(a,p_minus,p_zero,p_plus)"},
        {"riverswim", "a,p_minus,p_zero,p_plus\n0,0.1,0.9,0\n0,0.1,,0\n", ":3: column p_zero"},
        {"riverswim", "a,p_minus,p_zero,p_plus\n0,0.1,0.9,none\n", ":2: column p_plus: \"none\""},
        {"riverswim", "a,p_minus,p_zero,p_plus\n0,0.1,0.9\n", ":2: this row has 3 cells"},
        {"riverswim",
         "i,s,a,d,s_next,reward,reward_paper,obs_next\n0,0,0,0,0,0.0005,0.0005,-1\n"
         "1,5,1,0.5,5.5,0,0,-0.56\n",
         ":3: the direction d must be -1, 0 or 1, not 0.5"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_env_report report;
        wac_error error = {0};
        assert_int_equal(wac_file_write(path, rows[i].text, strlen(rows[i].text), NULL), 0);
        assert_int_equal(verify(&report, rows[i].environment, path, &error), WAC_STATUS_INPUT);
        assert_non_null(strstr(error.message, path));
        if (!strstr(error.message, rows[i].fragment))
            fail_msg("\"%s\" does not say \"%s\"", error.message, rows[i].fragment);
        assert_false(report.passed);
    }
    wac_env_report report;
    wac_error error = {0};
    assert_int_equal(verify(&report, "lqg", "/nowhere/steps.csv", &error), WAC_STATUS_IO);
    assert_non_null(strstr(error.message, "/nowhere/steps.csv"));
}

static void recorded_tables_pass(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *path, *kind;
    } rows[] = {
        {"lqg", TABLES "/lqg.csv", "steps"},
        {"riverswim", TABLES "/riverswim.csv", "steps"},
        {"riverswim", TABLES "/riverswim_prob.csv", "probabilities"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_env_report report;
        wac_error error = {0};
        (void)verify(&report, rows[i].environment, rows[i].path, &error);
        assert_string_equal(error.message, "");
        assert_true(report.passed);
        assert_string_equal(report.kind, rows[i].kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_tables_pass),          cmocka_unit_test(every_result_matters),
        cmocka_unit_test(every_input_matters),        cmocka_unit_test(columns_come_in_any_order),
        cmocka_unit_test(bad_recordings_are_refused), cmocka_unit_test(recorded_tables_pass),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
