/* Searches for settings: what is drawn, who wins, and how far everybody is trained. */
#include "support/small_sweeps.h"

#include "config/config.h"
#include "run/folder.h"
#include "stats/measures.h"
#include "sweep/tune.h"

#define TUNED "environments: [lqg]\nalgorithms: [sac]\nseeds: 2\nlast: 2\n"

static void settings_are_drawn(void **state)
{
    (void)state;
    static const char text[] = TUNED "samples: 24\nsettings:\n  width: [8, 16]\n  updates: {from: "
                                     "10, to: 20}\n  learning_rate: {from: 1e-5, to: 1e-3, "
                                     "scale: log}\n";
    static const char more[] = TUNED "samples: 25\nsettings:\n  width: [8, 16]\n  updates: {from: "
                                     "10, to: 20}\n  learning_rate: {from: 1e-5, to: 1e-3, "
                                     "scale: log}\n";
    wac_sweep sweep, grown;
    wac_search search;
    int below = 0;
    assert_ok(wac_sweep_parse(&sweep, &search, text, strlen(text), "file", &error));
    assert_ok(wac_sweep_parse(&grown, &search, more, strlen(more), "file", &error));
    assert_int_equal(search.last, 2);
    assert_int_equal(sweep.count, 48);
    assert_int_equal(grown.count, 50);
    for (size_t i = 0; i < sweep.count; i++) {
        const wac_config *config = &sweep.runs[i].config;
        assert_true(config->width == 8 || config->width == 16);
        assert_true(config->updates >= 10 && config->updates <= 20);
        assert_true(config->learning_rate >= 1e-5 && config->learning_rate <= 1e-3);
        below += config->learning_rate < 1e-4;
        assert_string_equal(sweep.runs[i].folder, grown.runs[i].folder);
    }
    assert_true(below > 10 && below < 38);
    wac_sweep_free(&sweep);
    wac_sweep_free(&grown);
    /* numbers are short, unless that leads out of the range, on either side */
    static const char *const narrow[] = {"{from: 0.512341, to: 0.512342}",
                                         "{from: 0.512346, to: 0.512347}"};
    for (int i = 0; i < 2; i++) {
        char within[256];
        snprintf(within, sizeof within, TUNED "samples: 3\nsettings: {discount: %s}\n", narrow[i]);
        assert_ok(wac_sweep_parse(&sweep, &search, within, strlen(within), "file", &error));
        for (size_t k = 0; k < sweep.count; k++)
            assert_true(sweep.runs[k].config.discount >= (i ? 0.512346 : 0.512341) &&
                        sweep.runs[k].config.discount <= (i ? 0.512347 : 0.512342));
        wac_sweep_free(&sweep);
    }

    static const struct {
        const char *text, *place, *words;
    } cases[] = {
        {TUNED "settings:\n  width: {from: 1, to: 3}\n", "file:6:", "samples"},
        {TUNED "samples: 3\nsettings:\n  width: {from: 3, to: 3}\n", "file:7:", "a to above it"},
        {TUNED "samples: 3\nsettings:\n  width: {from: 3}\n", "file:7:", "a to above it"},
        {TUNED "samples: 3\nsettings:\n  rho: {from: 0, to: 1}\n", "file:7:", "not read by sac"},
        {TUNED "samples: 3\nsettings:\n  target_rate: {from: 0, to: 1, scale: log}\n",
         "file:7:", "above 0"},
        {TUNED "samples: 3\nsettings:\n  width: {from: 3, to: 9, skale: log}\n",
         "file:7:", "unknown key"},
        {TUNED "samples: 3\nsettings:\n  width: {from: 3, to: 9, scale: lag}\n",
         "file:7:", "linear or log"},
        {TUNED "samples: 3\nsettings:\n  backend: {from: 3, to: 9}\n", "file:7:", "no number"},
        {TUNED "samples: 3\nsettings:\n  width: [8, 16]\n", "file", "hardly more than 2"},
        {TUNED "samples: 0\n", "file:5:", "from 1"},
        {TUNED "measure: loss\n", "file:5:", "eval_return"},
        {TUNED "measure: loss\n", "file:5:", "solved-hardest"},
        {TUNED "measure: solved-hardest\n", "file:4:", "leave it out"},
        {TUNED "halving: 1\n", "file:5:", "from 2"},
        {TUNED "samples: 3\nsettings:\n  width: {from: 9000, to: 9001}\n", "file:7:", "8192"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(&error, 0, sizeof error);
        if (!wac_sweep_parse(&sweep, &search, cases[i].text, strlen(cases[i].text), "file", &error))
            fail_msg("taken: %s", cases[i].text);
        assert_message(WAC_STATUS_INPUT, cases[i].place, cases[i].words);
    }
}

/* Tables made up by hand, ranked. */
static void the_best_settings_win(void **state)
{
    (void)state;
    save_text(at("tune.yaml"),
              TUNED "settings: {epochs: 2, " SMALL_RUNS ", discount: [0.5, 0.9]}\n");
    const outcome *result = wac("tune %s --out %s", at("tune.yaml"), at("tune"));
    assert_done(result);
    assert_non_null(strstr(result->out, "sac on lqg, best of 2 choices"));
    assert_non_null(strstr(result->out, "eval_return over the last 2 epochs: mean"));
    assert_non_null(strstr(result->out, "/seed-1/config.yaml --seed 3\n"));
    static const double rows[2][2][3] = {{{99, 1, 3}, {99, 5, 7}}, {{0, 6, 8}, {0, 4, 6}}};
    for (int i = 0; i < 2; i++)
        for (int seed = 0; seed < 2; seed++) {
            char text[1024];
#define REST ",,,,,,,,,0,0,,\n"
            snprintf(text, sizeof text, "%s0,0,0,%g" REST "1,0,0,%g" REST "2,0,0,%g" REST,
                     WAC_COLUMN_HEADER, rows[i][seed][0], rows[i][seed][1], rows[i][seed][2]);
            const char *run = at("tune/lqg/sac/discount-0.%d/seed-%d", i ? 9 : 5, seed + 1);
            wac_config config;
            assert_ok(wac_folder_read_config(&config, run, &error));
            char path[PATH_MAX];
            assert_ok(wac_path_join(path, sizeof path, run, "progress.csv", &error));
            save_text(path, text);
            assert_ok(wac_manifest_note(run, &config, 0, true, NULL, &error));
        }
    result = wac("tune %s --out %s", at("tune.yaml"), at("tune"));
    assert_done(result);
    const char *first = strstr(result->out, "6  (5 .. 7)  discount 0.9");
    const char *second = strstr(result->out, "4  (2 .. 6)  discount 0.5");
    assert_true(first && second && first < second);
    /* a measure that lqg does not have is refused before anything is trained */
    save_text(at("none.yaml"), TUNED "measure: success\nsettings: {discount: [0.5, 0.9]}\n");
    assert_says(wac("tune %s --out %s", at("none.yaml"), at("none")), 2,
                "lqg has no eval_success: it has no goal to reach; choose another measure");
    assert_false(wac_path_exists(at("none")));
    assert_says(wac("tune %s --out %s --discount 0.7", at("tune.yaml"), at("tune")), 2,
                "tune.yaml itself says the discount of its runs");
    assert_says(wac("tune %s --out %s --target-rate 0.1", at("tune.yaml"), at("tune")), 2,
                "target_rate is 0.005 and not 0.1");
    static const char *const names[] = {"return", "coverage-visited", "coverage", "eval-episodes"};
    static const wac_column columns[] = {WAC_COLUMN_EVAL_RETURN, WAC_COLUMN_COVERAGE_VISITED,
                                         WAC_COLUMN_COVERAGE_SAMPLED, WAC_COLUMN_EVAL_EPISODES};
    for (int i = 0; i < 4; i++) {
        char text[256];
        wac_sweep sweep;
        wac_search search;
        snprintf(text, sizeof text, TUNED "measure: %s\n", names[i]);
        assert_ok(wac_sweep_parse(&sweep, &search, text, strlen(text), "file", &error));
        assert_int_equal(search.measure, columns[i]);
        wac_sweep_free(&sweep);
    }
    char *table = contents(at("tune/tune.csv"), NULL);
    assert_string_equal(table,
                        "folder,environment,algorithm,discount,seeds,finished,epochs,mean,min,max\n"
                        "lqg/sac/discount-0.9,lqg,sac,0.9,2,2,2,6,5,7\n"
                        "lqg/sac/discount-0.5,lqg,sac,0.5,2,2,2,4,2,6\n");
    free(table);
}

/* --- by normalised returns
 * ----------------------------------------------------------------------*/

/* Tables train in no time. The choice with the best mean over both worlds goes first, each world
 * weighing the same whatever it pays; and what is best is told as a sweep takes it. */
static void normalised_returns_are_compared_over_all(void **state)
{
    (void)state;
    save_text(at("t.yaml"), "environments: [loop, six-arms]\nalgorithms: [q-learning, wql]\n"
                            "seeds: 2\nmeasure: normalised\nlast: 3\n"
                            "settings: {epochs: 4, checkpoint_interval: 100}\n"
                            "q-learning: {epsilon: [0.05, 0.2, 1]}\n");
    const outcome *result = wac("tune %s --out %s", at("t.yaml"), at("t"));
    assert_done(result);
    assert_non_null(strstr(result->out, "return as a share of what can be won over the last 3 "
                                        "epochs: mean (min .. max) of 4 runs"));
    assert_non_null(strstr(result->out, "\nq-learning, best of 3 choices\n"));
    assert_non_null(strstr(result->out, "\nwql, best of 1 choice\n"));
    const char *block = strstr(result->out, "for a sweep: q-learning: {epsilon: ");
    assert_non_null(block);
    assert_non_null(strstr(result->out, "for a sweep: wql: {}"));
    /* the same from the rows of the runs */
    char *table = contents(at("t/tune.csv"), NULL), *row = strchr(table, '\n') + 1;
    assert_memory_equal(table, "folder,environment,algorithm,epsilon,runs,finished,epochs,mean",
                        strlen("folder,environment,algorithm,epsilon,runs,finished,epochs,mean"));
    double before = INFINITY;
    for (int i = 0; i < 3; i++, row = strchr(row, '\n') + 1) {
        char epsilon[16];
        double told, sum = 0;
        assert_int_equal(
            sscanf(row, "loop/q-learning/%*[^,],all,q-learning,%15[^,],4,4,4,%lf", epsilon, &told),
            2);
        static const char *const worlds[] = {"loop", "six-arms"};
        for (int k = 0; k < 4; k++) {
            wac_config config;
            wac_history history;
            const char *folder =
                at("t/%s/q-learning/epsilon-%s/seed-%d", worlds[k / 2], epsilon, 1 + k % 2);
            assert_ok(wac_folder_read_config(&config, folder, &error));
            assert_ok(wac_history_read(&history, folder, &error));
            sum += wac_normalised_return(&config,
                                         wac_history_mean(&history, WAC_COLUMN_EVAL_RETURN, 3));
            wac_history_free(&history);
        }
        assert_true(fabs(told - sum / 4) < 1e-8);
        assert_true(told <= before);
        if (i == 0)
            assert_memory_equal(block + strlen("for a sweep: q-learning: {epsilon: "), epsilon,
                                strlen(epsilon));
        before = told;
    }
    free(table);
    save_text(at("u.yaml"), "environments: [loop, lqg]\nalgorithms: [sac]\nmeasure: normalised\n");
    assert_says(wac("tune %s", at("u.yaml")), 2,
                "lqg has no normalised: what can be won there is not known");
    save_text(at("u.yaml"), "environments: [point-1-sparse]\nalgorithms: [sac]\n"
                            "settings: {path_limit: 100}\nmeasure: normalised\n");
    assert_says(wac("tune %s", at("u.yaml")), 2, "known only with the preset's settings");
    /* also where it is a later choice that has another world */
    save_text(at("u.yaml"), "environments: [loop]\nalgorithms: [q-learning]\n"
                            "settings: {path_limit: [100, 50]}\nmeasure: normalised\n");
    assert_says(wac("tune %s", at("u.yaml")), 2, "loop has no normalised");
}

/* --- by the hardest environments --------------------------------------------------------------*/

/* Where runs are made by hand; at() does not keep its words for long. */
static const char *made(void)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", at("made"));
    return path;
}

/* A finished run in a folder, by hand: from epoch `solved` on (-1: never) it reaches the goal. */
static void make_run(const wac_sweep_run *run, int solved, double episodes)
{
    char folder[PATH_MAX], path[PATH_MAX], text[4096], *end = stpcpy(text, WAC_COLUMN_HEADER);
    assert_ok(wac_path_join(folder, sizeof folder, made(), run->folder, &error));
    assert_ok(wac_folder_make(folder, &run->config, NULL, false, false, &error));
    for (int i = 0; i <= run->config.epochs; i++)
        end +=
            sprintf(end, "%d,0,0,0,%d,%g,,,,,,,0,0,,\n", i, solved >= 0 && i >= solved, episodes);
    assert_ok(wac_folder_path(path, folder, WAC_FOLDER_PROGRESS, &error));
    save_text(path, text);
    assert_ok(wac_manifest_note(folder, &run->config, 1, true, NULL, &error));
}

static void search_for(wac_sweep *sweep, wac_search *search, const char *text)
{
    assert_ok(wac_sweep_parse(sweep, search, text, strlen(text), "file", &error));
}

#define SEARCH "environments: [lqg]\nalgorithms: [sac]\n"

static void the_hardest_environments_decide(void **state)
{
    (void)state;
    wac_sweep sweep;
    wac_search search;
    wac_ladder *ladder;
    wac_tuned tuned[3];
    search_for(&sweep, &search,
               "environments: [point-1, point-2, point-3, point-4]\nalgorithms: [sac]\nseeds: 2\n"
               "measure: solved_hardest\nsettings: {epochs: 3, width: [8, 16, 32]}\n");
    assert_int_equal(search.rule, WAC_SEARCH_RULE_HARDEST);
    assert_int_equal(sweep.count, 24);
    /* [environment][width][seed]: nobody solves point-4, all but one point-1, and of the two
     * between width 8 solves 2 runs, the others 3 */
    static const int solved[4][3][2] = {{{0, 0}, {0, 0}, {0, -1}},
                                        {{3, 1}, {2, -1}, {1, -1}},
                                        {{-1, -1}, {3, 2}, {0, 0}},
                                        {{-1, -1}, {-1, -1}, {-1, -1}}};
    for (int i = 0; i < 24; i++) {
        int place = i / 6, width = i / 2 % 3;
        /* many episodes elsewhere are nothing */
        double episodes = place == 0 || place == 3 ? 1000 - 100 * width : 10 + width;
        make_run(&sweep.runs[i], solved[place][width][i % 2], episodes);
    }
    wac_sweep_item *items = calloc(sweep.count, sizeof *items);
    assert_ok(wac_ladder_create(&ladder, &sweep, &search, made(), &error));
    const wac_choices *choices = wac_ladder_choices(ladder);
    assert_true(choices->count == 3 && choices->field_count == 1);
    wac_ladder_begin(ladder, items);
    for (size_t i = 0; i < sweep.count; i++)
        assert_int_equal(items[i].state, WAC_SWEEP_STATE_DONE);
    wac_ladder_rank(tuned, ladder, 0);
    /* 4 of 6 runs solved in both point-2 and point-3: the one named first goes first */
    assert_int_equal(tuned[0].hardest.count, 2);
    assert_int_equal(tuned[0].hardest.list[0].environment, 1);
    assert_int_equal(tuned[0].hardest.list[1].environment, 2);
    assert_true(tuned[0].hardest.list[0].solved == 4 && tuned[0].hardest.list[0].runs == 6);
    /* the tie of 3 goes to more episodes */
    assert_true(tuned[0].choice == 2 && tuned[1].choice == 1 && tuned[2].choice == 0);
    assert_true(tuned[0].solved == 3 && tuned[0].planned == 4 && tuned[2].solved == 2);
    assert_true(tuned[0].episodes == 12 && tuned[0].finished == 8 && tuned[0].epochs == 3);
    assert_ok(wac_tune_write(ladder, made(), &error));
    char *table = contents(at("made/tune.csv"), NULL);
    assert_string_equal(table,
                        "folder,hardest,algorithm,width,runs,finished,epochs,solved,episodes,"
                        "solved_point-1,solved_point-2,solved_point-3,solved_point-4\n"
                        "point-1/sac/width-32,point-2 point-3,sac,32,8,8,3,3,12,1,1,2,0\n"
                        "point-1/sac/width-16,point-2 point-3,sac,16,8,8,3,3,11,2,1,2,0\n"
                        "point-1/sac/width-8,point-2 point-3,sac,8,8,8,3,2,10,2,2,0,0\n");
    free(table);
    wac_ladder_destroy(ladder);
    /* a run that fails has solved nothing, and had no episodes */
    memset(items, 0, sweep.count * sizeof *items);
    items[10].state = WAC_SWEEP_STATE_FAILED;
    assert_ok(wac_ladder_create(&ladder, &sweep, &search, made(), &error));
    wac_ladder_begin(ladder, items);
    wac_ladder_rank(tuned, ladder, 0);
    assert_true(tuned[0].choice == 1 && tuned[0].solved == 3);
    assert_true(tuned[2].choice == 2 && tuned[2].solved == 2 && tuned[2].finished == 7);
    assert_true(tuned[2].episodes == 9);
    wac_ladder_destroy(ladder);
    free(items);
    wac_sweep_free(&sweep);
}

/* Whoever has no value comes last, finished or not; equals keep their order. */
static void what_has_no_value_comes_last(void **state)
{
    (void)state;
    wac_sweep sweep;
    wac_search search;
    wac_choices choices;
    search_for(&sweep, &search, SEARCH "measure: return\nsettings: {width: [8, 16, 32, 64]}\n");
    static const double values[][4] = {{NAN, 1, NAN, 2}, {NAN, NAN, NAN, 1}, {2, NAN, 1, 3}};
    static const size_t orders[][4] = {{3, 1, 0, 2}, {3, 0, 1, 2}, {3, 0, 2, 1}};
    assert_ok(wac_choices_create(&choices, &sweep, &search, &error));
    assert_int_equal(choices.count, 4);
    for (int i = 0; i < 3; i++)
        for (int lost = 0; lost < 2; lost++) {
            wac_tuned tuned[4];
            wac_mark marks[4];
            for (size_t k = 0; k < 4; k++) {
                bool none = lost && isnan(values[i][k]);
                marks[k] = (wac_mark){.state = none ? WAC_MARK_LOST : WAC_MARK_THERE,
                                      .value = none ? 0 : values[i][k]};
                tuned[k] = (wac_tuned){.choice = k};
            }
            wac_choices_rank(tuned, 4, &choices, marks);
            for (int k = 0; k < 4; k++) {
                assert_int_equal(tuned[k].choice, orders[i][k]);
                double value = values[i][tuned[k].choice];
                assert_true(isnan(value) ? isnan(tuned[k].mean) && isnan(tuned[k].largest)
                                         : tuned[k].mean == value && tuned[k].smallest == value);
                assert_int_equal(tuned[k].finished, !isnan(value));
            }
        }
    wac_choices_free(&choices);
    wac_sweep_free(&sweep);
}

/* A run that stops at success would have gone on like that. */
static void early_success_goes_on(void **state)
{
    (void)state;
    wac_config config;
    assert_ok(wac_config_init(&config, "point-1", "sac", &error));
    config.stop_success = 1;
    double success[] = {0, 0, 1}, episodes[] = {10, 10, 40};
    wac_history history = {.rows = 3};
    for (int i = 0; i < WAC_COLUMN_TOTAL; i++)
        history.columns[i] = success;
    history.columns[WAC_COLUMN_EVAL_EPISODES] = episodes;
    wac_search search = {.rule = WAC_SEARCH_RULE_HARDEST};
    wac_mark mark = wac_mark_make(&search, &config, &history, 4);
    assert_true(mark.state == WAC_MARK_THERE && mark.solved && mark.episodes == 28);
    mark = wac_mark_make(&search, &config, &history, 1);
    assert_true(mark.state == WAC_MARK_THERE && !mark.solved && mark.episodes == 10);
    config.stop_success = 0;
    mark = wac_mark_make(&search, &config, &history, 4);
    assert_true(mark.state == WAC_MARK_OPEN);
}

static void searches_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *place, *words;
    } cases[] = {
        {SEARCH "samples: some\n", "file:3:", "number"},
        {SEARCH "samples: 0\n", "file:3:", "whole number from 1 to 10000"},
        {SEARCH "samples: 10001\n", "file:3:", "whole number from 1 to 10000"},
        {SEARCH "seed: 1.5\n", "file:3:", "whole number from 0"},
        {SEARCH "halving: 1\n", "file:3:", "whole number from 2 to 100"},
        {SEARCH "last: [1]\n", "file:3:", "last"},
        {SEARCH "last: 1\nlast: 2\n", "file:4:", "line 3"},
        {SEARCH "measure: [return]\n", "file:3:", "measure"},
        {SEARCH "measure: luck\n", "file:3:", "must be solved"},
        {SEARCH "samples: 2\nsettings: {width: {from: 8, to: 8}}\n", "file:4:", "a to above it"},
        {SEARCH "samples: 2\nsettings: {width: {from: 8}}\n", "file:4:", "a to above it"},
        {SEARCH "samples: 2\nsettings: {width: {to: 8}}\n", "file:4:", "a to above it"},
        {SEARCH "samples: 2\nsettings: {width: {from: 8, to: 9, from: 7}}\n", "file:4:", "from"},
        {SEARCH "samples: 2\nsettings: {width: {from: x, to: 9}}\n", "file:4:", "number"},
        {SEARCH "samples: 2\nsettings: {width: {from: 8, to: 9, step: 1}}\n",
         "file:4:", "unknown key"},
        {SEARCH "samples: 2\nsettings: {width: {from: 8, to: 9, scale: root}}\n",
         "file:4:", "scale"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wac_sweep sweep;
        wac_search search;
        memset(&error, 0, sizeof error);
        if (!wac_sweep_parse(&sweep, &search, cases[i].text, strlen(cases[i].text), "file", &error))
            fail_msg("taken: %s", cases[i].text);
        assert_message(WAC_STATUS_INPUT, cases[i].place, cases[i].words);
    }
}

static void rules_are_settled(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        wac_search_rule rule; /* usual: refused */
        const char *words;
    } cases[] = {
        {"environments: [point-1, point-2]\n", WAC_SEARCH_RULE_HARDEST, NULL},
        {"environments: [point-1]\nlast: 3\n", WAC_SEARCH_RULE_COLUMN, NULL},
        {"environments: [point-1]\nmeasure: success\n", WAC_SEARCH_RULE_COLUMN, NULL},
        {"environments: [point-1, lqg]\n", WAC_SEARCH_RULE_COLUMN, NULL},
        {"environments: [riverswim]\n", WAC_SEARCH_RULE_COLUMN, NULL},
        {"environments: [riverswim]\nmeasure: solved-hardest\n", WAC_SEARCH_RULE_HARDEST, NULL},
        {"environments: [lqg]\nmeasure: coverage\n", WAC_SEARCH_RULE_COLUMN, NULL},
        {"environments: [lqg, mountaincar]\nmeasure: coverage\n", WAC_SEARCH_RULE_USUAL,
         "mountaincar has no coverage_sampled: coverage is only of environments with one"},
        {"environments: [lqg]\nmeasure: return\nsettings: {evaluation_steps: [10, 0]}\n",
         WAC_SEARCH_RULE_USUAL, "lqg has no eval_return: its runs are never evaluated"},
        {"environments: [point-1, lqg]\nmeasure: solved-hardest\n", WAC_SEARCH_RULE_USUAL,
         "lqg has no solved-hardest: it has no goal to reach"},
        {"environments: [riverswim]\nmeasure: solved-hardest\nsettings: {evaluation_steps: 0}\n",
         WAC_SEARCH_RULE_USUAL, "never evaluated"},
        {"environments: [riverswim, point-1]\nmeasure: solved-hardest\n"
         "riverswim: {width: [8, 16]}\n",
         WAC_SEARCH_RULE_USUAL, "not tried on the same environments"},
        {"environments: [lqg]\nhalving: 3\nsettings: {epochs: [3, 5]}\n", WAC_SEARCH_RULE_USUAL,
         "other epochs than its rivals"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wac_sweep sweep;
        wac_search search;
        wac_ladder *ladder = NULL;
        char text[512];
        if (!WAC_MUJOCO && strstr(cases[i].text, "point"))
            continue;
        snprintf(text, sizeof text, "algorithms: [sac, oac]\n%s", cases[i].text);
        search_for(&sweep, &search, text);
        wac_status status = wac_tune_check(&sweep, &search, &error);
        if (status == WAC_STATUS_OK)
            status = wac_ladder_create(&ladder, &sweep, &search, "nowhere", &error);
        if (cases[i].words)
            assert_message(WAC_STATUS_INPUT, "", cases[i].words);
        else
            assert_int_equal(search.rule, cases[i].rule);
        assert_int_equal(status, cases[i].words ? WAC_STATUS_INPUT : WAC_STATUS_OK);
        wac_ladder_destroy(ladder);
        wac_sweep_free(&sweep);
    }
}

static void river_settings_are_compared(void **state)
{
    (void)state;
    save_text(at("river.yaml"), "environments: [riverswim]\nalgorithms: [sac, oac]\nseeds: 2\n"
                                "measure: solved-hardest\n"
                                "settings: {epochs: 1, discount: [0.5, 0.9], " SMALL_RUNS "}\n");
    const outcome *result = wac("tune %s --out %s", at("river.yaml"), at("river"));
    assert_done(result);
    assert_non_null(strstr(result->out, "sac, best of 2 choices; nobody solved anything"));
    assert_non_null(strstr(result->out, "oac, best of 2 choices; nobody solved anything"));
    assert_non_null(strstr(result->out, "  0 of 2 solved  2 episodes  discount 0.5\n"));
    assert_non_null(strstr(result->out, "  all came out alike, so none is better; in the order"));
}

/* --- halving ----------------------------------------------------------------------------------*/

enum { CHOICES = 20, SHORT = 2, MIDDLE = 4, LONG = 12 }; /* rungs of a ninth, a third and all */
#define HALVED                                                                                     \
    "environments: [lqg]\nalgorithms: [sac]\nseeds: 2\nlast: 1\nhalving: 3\nsamples: 20\n"         \
    "settings: {epochs: 12, discount: {from: 0.1, to: 0.9}}\n"

/* What a run earns after an epoch: any numbers, now and then the same. */
static double earned(size_t run, int epoch)
{
    wac_rng rng = {.seed = 5, .counter = 1000 * (uint64_t)(run / 2) + (uint64_t)epoch};
    return floor(20 * wac_rng_uniform(&rng)) + (double)(run % 2);
}

/* "Train" a run up to what its item asks for. */
static void train_fake(const wac_sweep *sweep, wac_sweep_item *item, size_t run)
{
    char folder[PATH_MAX], path[PATH_MAX], text[4096], *end = stpcpy(text, WAC_COLUMN_HEADER);
    wac_config config = sweep->runs[run].config;
    config.epochs = item->epochs;
    assert_ok(wac_path_join(folder, sizeof folder, made(), sweep->runs[run].folder, &error));
    if (wac_path_exists(folder)) {
        assert_ok(wac_folder_write_config(folder, &config, &error));
    } else {
        assert_ok(wac_folder_make(folder, &config, NULL, false, false, &error));
        assert_ok(wac_folder_path(path, folder, WAC_FOLDER_CHECKPOINT, &error));
        assert_ok(wac_directory_make(path, &error));
        for (int file = WAC_FOLDER_AGENT; file <= WAC_FOLDER_RUN; file++) {
            char inside[PATH_MAX];
            assert_ok(wac_folder_path(inside, path, (wac_folder_file)file, &error));
            save_text(inside, "");
        }
    }
    for (int i = 0; i <= config.epochs; i++)
        end += sprintf(end, "%d,0,0,%g,,1,,,,,,,0,0,,\n", i, earned(run, i));
    assert_ok(wac_folder_path(path, folder, WAC_FOLDER_PROGRESS, &error));
    save_text(path, text);
    assert_ok(wac_manifest_note(folder, &config, 1, true, NULL, &error));
    item->state = WAC_SWEEP_STATE_DONE;
}

/* Train all, in an order that is drawn, begun anew every `calls` runs. */
static void climb(int64_t reached[CHOICES], const wac_sweep *sweep, const wac_search *search,
                  uint64_t seed, int calls, size_t failing)
{
    wac_ladder *ladder = NULL;
    wac_sweep_item *items = NULL;
    wac_rng rng = {.seed = seed};
    int lock;
    assert_ok(wac_sweep_take(&lock, &items, sweep, made(), (wac_sweep_share){0}, &error));
    close(lock);
    for (int count = 0;; count++) {
        size_t waiting[2 * CHOICES], left = 0;
        if (count % calls == 0) {
            wac_ladder_destroy(ladder);
            free(items);
            assert_ok(wac_ladder_create(&ladder, sweep, search, made(), &error));
            assert_ok(wac_sweep_inspect(&items, sweep, made(), &error));
            wac_ladder_begin(ladder, items);
        }
        for (size_t i = 0; i < sweep->count; i++)
            if (items[i].state == WAC_SWEEP_STATE_NEW || items[i].state == WAC_SWEEP_STATE_BEGUN)
                waiting[left++] = i;
        if (left == 0)
            break;
        size_t run = waiting[seed ? (size_t)((double)left * wac_rng_uniform(&rng)) : 0];
        if (run == failing) {
            items[run].state = WAC_SWEEP_STATE_FAILED;
        } else {
            train_fake(sweep, &items[run], run);
            assert_ok(wac_ladder_read(ladder, run, &error));
        }
        wac_ladder_note(ladder, items, run);
    }
    wac_tuned tuned[CHOICES];
    wac_ladder_rank(tuned, ladder, 0);
    for (int i = 0; i < CHOICES; i++) {
        reached[tuned[i].choice] = tuned[i].epochs;
        assert_true(i == 0 || tuned[i].epochs <= tuned[i - 1].epochs);
    }
    wac_ladder_destroy(ladder);
    free(items);
    remove_folder(made());
}

static double mean_earned(size_t choice, int epoch)
{
    return (earned(2 * choice, epoch) + earned(2 * choice + 1, epoch)) / 2;
}

/* Whether a choice belongs to the best third of the first `count` arrivals. */
static bool is_among_best(const size_t *arrivals, size_t count, size_t place, int epoch)
{
    size_t ahead = 0;
    for (size_t i = 0; i < count; i++) {
        double his = mean_earned(arrivals[i], epoch), own = mean_earned(arrivals[place], epoch);
        ahead += his > own || (his == own && i < place);
    }
    return ahead < count / 3;
}

/* Who goes where, by the rule as it is written. */
static void climb_by_the_book(int64_t reached[CHOICES])
{
    static const int epochs[] = {SHORT, MIDDLE, LONG};
    size_t arrivals[CHOICES], next[CHOICES], count = CHOICES, more = 0;
    for (size_t i = 0; i < CHOICES; i++)
        arrivals[i] = i;
    for (int rung = 0; rung < 3; rung++, count = more, more = 0) {
        bool gone[CHOICES] = {0};
        for (size_t i = 0; i < count; i++)
            reached[arrivals[i]] = epochs[rung];
        for (size_t first = 1; first <= count; first++)
            /* at most two become the best third at once: the one who came, and one more */
            for (int twice = 0; twice < 2; twice++) {
                size_t best = SIZE_MAX;
                for (size_t i = 0; i < first; i++)
                    if (!gone[i] && is_among_best(arrivals, first, i, epochs[rung]) &&
                        (best == SIZE_MAX || mean_earned(arrivals[i], epochs[rung]) >
                                                 mean_earned(arrivals[best], epochs[rung])))
                        best = i;
                if (best != SIZE_MAX) {
                    gone[best] = true;
                    next[more++] = arrivals[best];
                }
            }
        memcpy(arrivals, next, sizeof next);
    }
}

/* Whoever comes first, and however often it is stopped: the same choices go on. */
static void the_clock_decides_nothing(void **state)
{
    (void)state;
    wac_sweep sweep;
    wac_search search;
    int64_t expected[CHOICES], reached[CHOICES];
    search_for(&sweep, &search, HALVED);
    assert_int_equal(sweep.count, 2 * CHOICES);
    climb_by_the_book(expected);
    int middle = 0, whole = 0;
    for (int i = 0; i < CHOICES; i++) {
        middle += expected[i] >= MIDDLE;
        whole += expected[i] == LONG;
    }
    assert_true(middle >= 6 && middle < 12 && whole >= 2 && whole < 5);
    static const int calls[] = {1000, 7, 1, 1000, 3, 1000, 20, 1000};
    for (int i = 0; i < 8; i++) {
        climb(reached, &sweep, &search, (uint64_t)i, calls[i], SIZE_MAX);
        assert_memory_equal(reached, expected, sizeof expected);
    }
    /* one that fails holds nobody up, and does not go on */
    size_t best = 0;
    while (expected[best] < LONG)
        best++;
    climb(reached, &sweep, &search, 0, 1000, 2 * best + 1);
    assert_int_equal(reached[best], SHORT);
    whole = 0;
    for (int i = 0; i < CHOICES; i++)
        whole += reached[i] == LONG;
    assert_true(whole >= 1);
    wac_sweep_free(&sweep);
}

static void rungs_follow_from_the_rivals(void **state)
{
    (void)state;
    static const struct {
        int choices, epochs, halving, rungs, first; /* epochs of the first */
    } cases[] = {{1, 9, 3, 1, 9},    {2, 9, 3, 1, 9},   {3, 9, 3, 2, 3},   {8, 9, 3, 2, 3},
                 {9, 9, 3, 3, 1},    {9, 10, 3, 3, 2},  {9, 8, 3, 2, 3},   {30, 2, 3, 1, 2},
                 {26, 99, 3, 3, 11}, {27, 99, 3, 4, 4}, {8, 80, 2, 4, 10}, {9, 9, 0, 1, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512], halving[32] = "";
        wac_sweep sweep;
        wac_search search;
        wac_ladder *ladder;
        if (cases[i].halving)
            snprintf(halving, sizeof halving, "halving: %d\n", cases[i].halving);
        snprintf(text, sizeof text,
                 "environments: [lqg, riverswim]\nalgorithms: [sac]\nsamples: %d\n%s"
                 "settings: {epochs: %d, discount: {from: 0.1, to: 0.9}}\n",
                 cases[i].choices, halving, cases[i].epochs);
        search_for(&sweep, &search, text);
        assert_ok(wac_ladder_create(&ladder, &sweep, &search, "nowhere", &error));
        for (size_t field = 0; field < 2; field++)
            assert_int_equal(wac_ladder_rungs(ladder, field), cases[i].rungs);
        assert_int_equal(wac_ladder_epochs(ladder, 0, 0), cases[i].first);
        assert_int_equal(wac_ladder_epochs(ladder, 0, cases[i].rungs - 1), cases[i].epochs);
        wac_ladder_destroy(ladder);
        wac_sweep_free(&sweep);
    }
}

/* Small runs by the program: any number of workers, and more choices later. */
static void the_program_halves(void **state)
{
    (void)state;
    wac_sweep sweep;
    wac_search search;
    char path[PATH_MAX];
    search_for(&sweep, &search, SMALL_TUNE("9"));
    save_text(at("tune.yaml"), SMALL_TUNE("9"));
    const outcome *result = wac("tune %s --out %s --dry-run", at("tune.yaml"), at("one"));
    assert_done(result);
    assert_non_null(strstr(result->out, "18 runs in"));
    assert_false(wac_path_exists(at("one")));
    result = wac("tune %s --out %s --workers 1", at("tune.yaml"), at("one"));
    assert_done(result);
    assert_non_null(strstr(result->out, "sac on lqg, best of 9 choices\n  rungs: 9 to epoch 1, "));
    assert_non_null(strstr(result->out, "  (to epoch 3)\n"));
    assert_non_null(strstr(result->err, "18/18  "));
    assert_done(wac("tune %s --out %s --workers 5", at("tune.yaml"), at("five")));
    assert_same_sweeps(at("one"), at("five"), &sweep);
    assert_true(same_file(at("one/tune.csv"), at("five/tune.csv"), false));
    result = wac("tune %s --out %s", at("tune.yaml"), at("one"));
    assert_done(result);
    assert_non_null(strstr(result->err, "nothing left to do"));
    /* nor is anything expected of it, but by those that came no further than the first rung */
    result = wac("tune %s --out %s --dry-run", at("tune.yaml"), at("one"));
    assert_done(result);
    assert_non_null(strstr(result->out, " 18 done"));
    size_t last = sweep.count; /* a run of the first rung, which decides nothing any more */
    for (bool ended = false; !ended;) {
        assert_true(last-- > 0);
        char *rows = contents(at("one/%s/progress.csv", sweep.runs[last].folder), NULL);
        ended = !strstr(rows, "\n2,");
        free(rows);
    }
    assert_ok(wac_path_join(path, sizeof path, at("one"), sweep.runs[last].folder, &error));
    assert_int_equal(unlink(at("%s/progress.csv", path + strlen(root) + 1)), 0);
    result = wac("tune %s --out %s --dry-run", at("tune.yaml"), at("one"));
    assert_done(result);
    assert_non_null(strstr(result->out, " 17 done, 1 damaged"));
    remove_folder(path);
    assert_done(wac("tune %s --out %s", at("tune.yaml"), at("one")));
    assert_same_sweeps(at("one"), at("five"), &sweep);
    /* more samples: those before keep what they have */
    wac_sweep_free(&sweep);
    search_for(&sweep, &search, SMALL_TUNE("12"));
    save_text(at("more.yaml"), SMALL_TUNE("12"));
    assert_done(wac("tune %s --out %s", at("more.yaml"), at("five")));
    assert_done(wac("tune %s --out %s", at("more.yaml"), at("more")));
    assert_same_sweeps(at("more"), at("five"), &sweep);
    wac_sweep_free(&sweep);
    /* and without halving all go to the end */
    char *text = strdup(SMALL_TUNE("9"));
    memcpy(strstr(text, "halving"), "seed: 1 # ", 7);
    char *line = strstr(text, "seed: 1");
    memset(line + 7, '#', (size_t)(strchr(line, '\n') - line - 7));
    line[7] = ' ';
    save_text(at("all.yaml"), text);
    search_for(&sweep, &search, text);
    assert_int_equal(search.halving, 0);
    free(text);
    assert_done(wac("tune %s --out %s", at("all.yaml"), at("one")));
    assert_done(wac("tune %s --out %s", at("all.yaml"), at("all")));
    assert_same_sweeps(at("one"), at("all"), &sweep);
    result = wac("tune %s --out %s", at("tune.yaml"), at("one"));
    assert_done(result);
    assert_non_null(strstr(result->err, "nothing left to do"));
    wac_sweep_free(&sweep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(settings_are_drawn),
        TEST(the_best_settings_win),
        TEST(normalised_returns_are_compared_over_all),
        TEST(the_hardest_environments_decide),
        TEST(early_success_goes_on),
        TEST(what_has_no_value_comes_last),
        TEST(searches_are_refused),
        TEST(rules_are_settled),
        TEST(river_settings_are_compared),
        TEST(the_clock_decides_nothing),
        TEST(rungs_follow_from_the_rivals),
        TEST(the_program_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
