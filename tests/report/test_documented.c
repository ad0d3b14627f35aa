/* The tables of the documentation list what the program has, all of it, in its order: columns,
 * measures, kinds of figures, rules. */
#include "env/returns.h"
#include "env/riverswim.h"
#include "report/experiment.h"
#include "report/figure.h"
#include "stats/measures.h"
#include "support/program.h"

#include "support/documented.h" /* needs cmocka */

/* Every word in backticks of the first cells is the next name. */
static void check_names(const char *page, const char *head, const char *const *names, size_t count)
{
    size_t found = 0;
    for (documented table = documented_open(page, head); documented_next(&table);) {
        char *rest = table.cells[0];
        for (const char *word; (word = documented_word(&rest)); found++)
            if (found >= count || strcmp(word, names[found]) != 0)
                fail_msg("docs/%s has %s where the program has %s", page, word,
                         found < count ? names[found] : "nothing more");
    }
    if (found < count)
        fail_msg("docs/%s does not have %s", page, names[found]);
}

static void columns(void **state)
{
    (void)state;
    const char *names[WAC_COLUMN_TOTAL];
    for (int i = 0; i < WAC_COLUMN_TOTAL; i++)
        names[i] = wac_columns[i].name;
    check_names("metrics.md", "| column |", names, WAC_COLUMN_TOTAL);
}

static void kinds_and_rules(void **state)
{
    (void)state;
    static const char *const kinds[] = {
#define NAME(id, name, ...) name,
        WAC_FIGURE_KINDS(NAME)
#undef NAME
    };
    check_names("experiments.md", "| figure `kind` |", kinds, WAC_FIGURE_KIND_TOTAL);
    const char *rules[WAC_RULE_TOTAL];
    for (int i = 0; i < WAC_RULE_TOTAL; i++)
        rules[i] = wac_rule_name((wac_rule)i);
    check_names("experiments.md", "| rule | needs |", rules, WAC_RULE_TOTAL);
}

/* What a row of the measures says of itself. */
static const struct {
    const char *name, *how;
    wac_column column;
    int epochs;
    bool is_cost;
    const char *words;
} measures[] = {
#define ROW(id, name, how, column, epochs, is_cost, words)                                         \
    {name, #how, WAC_COLUMN_##column, epochs, is_cost, words},
    WAC_MEASURES(ROW)
#undef ROW
};

static void the_measures(void **state)
{
    (void)state;
    const char *names[WAC_MEASURE_TOTAL], *help = wac("help stats")->out;
    char expected[128], number[32];
    for (int i = 0; i < WAC_MEASURE_TOTAL; i++) {
        names[i] = measures[i].name;
        snprintf(expected, sizeof expected, " %s", names[i]);
        if (!strstr(help, expected))
            fail_msg("\"wac help stats\" does not have %s", names[i]);
    }
    check_names("statistics.md", "| `--measure` |", names, WAC_MEASURE_TOTAL);

    documented table = documented_open("statistics.md", "| `--measure` |");
    for (int i = 0; documented_next(&table); i++) {
        const char *says = table.cells[1], *column = wac_columns[measures[i].column].name;
        bool all = measures[i].epochs == INT_MAX;
        *expected = 0;
        if (strcmp(measures[i].how, "mean") == 0) {
            snprintf(number, sizeof number, "the last %d", measures[i].epochs);
            snprintf(expected, sizeof expected, "mean of `%s` over %s rows", column,
                     all ? "all" : number);
            /* people are told the same */
            if (!strstr(measures[i].words, all ? "mean of all epochs" : number + 4))
                fail_msg("%s is called \"%s\"", names[i], measures[i].words);
        } else if (strcmp(measures[i].how, "highest") == 0) {
            snprintf(expected, sizeof expected, "highest `%s`", column);
        }
        if (strncmp(says, expected, strlen(expected)) != 0)
            fail_msg("docs/statistics.md says of %s: %s", names[i], says);
        if (i == WAC_MEASURE_SCORE)
            snprintf(expected, sizeof expected, "divided by %g,", WAC_RIVERSWIM_ALWAYS_UP);
        if (i == WAC_MEASURE_SOLVED)
            snprintf(expected, sizeof expected, "RiverSwim: `eval_return` of %g;",
                     (double)WAC_RIVERSWIM_SOLVED);
        if (!strstr(says, expected) || !strstr(says, i == WAC_MEASURE_SOLVED ? "never:" : ""))
            fail_msg("docs/statistics.md says of %s: %s", names[i], says);
    }
}

/* What can be won in each task of the suite, and what random actions bring, as the program has it:
 * of the best "94.5 ± 1.3" or "below 850" the number. */
static void returns(void **state)
{
    (void)state;
    int found = 0;
    for (documented table = documented_open("suite.md", "| task | observations");
         documented_next(&table); found++) {
        char *rest = table.cells[0], best[64], random[64];
        const wac_returns *known = wac_returns_find(documented_word(&rest));
        assert_non_null(known);
        snprintf(best, sizeof best, "%s%g", known->best < 0 ? "\xe2\x88\x92" : "",
                 fabs(known->best));
        snprintf(random, sizeof random, "%s%g", known->random < 0 ? "\xe2\x88\x92" : "",
                 fabs(known->random));
        if (!strstr(table.cells[5], best) || !strstr(table.cells[6], random))
            fail_msg("docs/suite.md: %s: %s, not %s; %s, not %s", known->environment,
                     table.cells[5], best, table.cells[6], random);
    }
    assert_int_equal(found, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns),
        cmocka_unit_test(kinds_and_rules),
        cmocka_unit_test(returns),
        TEST(the_measures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
