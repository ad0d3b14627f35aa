/* Lists of runs that a program fills itself: what they must fulfil, how two differ, and how long
 * they take. */
#include "support/stopping.h"

#include "config/config.h"
#include "sweep/estimate.h"
#include "sweep/list.h"

#include <stdint.h>

static wac_sweep_run runs[3];
static wac_sweep list;

/* Three runs that are good. */
static void fill(void)
{
    static const char *const folders[] = {"lqg/sac/seed-1", "lqg/sac/seed-2", "lqg/oac"};
    for (int i = 0; i < 3; i++) {
        runs[i].config = tiny("lqg", i < 2 ? "sac" : "oac", 1);
        runs[i].config.seed = i + 1;
        strcpy(runs[i].folder, folders[i]);
    }
    list = (wac_sweep){.runs = runs, .count = 3};
}

static void refused(const char *words, const char *others)
{
    assert_int_equal(wac_sweep_check(&list, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, words, others);
}

static void folders_lead_nowhere_else(void **state)
{
    (void)state;
    static const char *const bad[] = {"",     "a/",   "/a",  ".a",   "a/.b",
                                      "../a", "a//b", "a b", "a\nb", "-a"},
                             *const good[] = {"a", "a/b", "a.b_c+d-e", "9/seed-1"};
    char longest[WAC_SWEEP_FOLDER + 1];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        fill();
        strcpy(runs[1].folder, good[i]);
        assert_ok(wac_sweep_check(&list, &error));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fill();
        strcpy(runs[1].folder, bad[i]);
        refused("is no folder for a run", bad[i][0] == 'a' && bad[i][1] == '\n' ? "" : bad[i]);
    }
    /* one without an end */
    memset(longest, 'a', sizeof longest);
    memcpy(runs[1].folder, longest, WAC_SWEEP_FOLDER);
    refused("is no folder for a run", "aaa");
}

static void runs_do_not_share(void **state)
{
    (void)state;
    fill();
    list.count = 0;
    refused("at least one run", "");
    fill();
    strcpy(runs[2].folder, "lqg/sac/seed-2");
    refused("two runs would use the folder lqg/sac/seed-2", "another name");
    strcpy(runs[2].folder, "lqg/sac/seed-2/inside");
    refused("two runs would use the folder lqg/sac/seed-2", "another name");
    /* one that only begins alike is elsewhere */
    strcpy(runs[2].folder, "lqg/sac/seed-2b");
    assert_ok(wac_sweep_check(&list, &error));
    fill();
    runs[1] = runs[0];
    refused("the run lqg/sac/seed-1 is there twice", "repeated");
    strcpy(runs[1].folder, "elsewhere");
    refused("have the same settings", "elsewhere");
    fill();
    runs[1].config.width = -1;
    refused("width", "");
}

static void seeds_are_counted_on(void **state)
{
    (void)state;
    wac_sweep more;
    fill();
    assert_int_equal(wac_sweep_reseed(&more, &list, 0, &error), WAC_STATUS_INPUT);
    assert_int_equal(wac_sweep_reseed(&more, &list, WAC_SWEEP_RUNS, &error), WAC_STATUS_INPUT);
    assert_int_equal(wac_sweep_reseed(&more, &list, INT64_MAX, &error), WAC_STATUS_INPUT);
    /* settings are told apart by all before the seed, which may be nothing */
    static const char *const folders[][3] = {{"lqg/sac/seed-1", "lqg/sac/seed-2", "lqg/oac/seed-3"},
                                             {"seed-1", "seed-2", "oac/seed-3"}};
    static const char *const made[][4] = {
        {"lqg/sac/seed-1", "lqg/sac/seed-2", "lqg/oac/seed-3", "lqg/oac/seed-4"},
        {"seed-1", "seed-2", "oac/seed-3", "oac/seed-4"}};
    for (int i = 0; i < 2; i++) {
        fill();
        for (int k = 0; k < 3; k++)
            strcpy(runs[k].folder, folders[i][k]);
        assert_ok(wac_sweep_reseed(&more, &list, 2, &error));
        assert_int_equal(more.count, 4);
        for (int k = 0; k < 4; k++) {
            assert_string_equal(more.runs[k].folder, made[i][k]);
            assert_int_equal(more.runs[k].config.seed, k + 1);
        }
        wac_sweep_free(&more);
    }
}

/* What is given to all runs is checked together with what they have. */
static void settings_are_given(void **state)
{
    (void)state;
    static wac_given given;
    size_t count, at_setting = 0;
    const wac_setting *settings = wac_settings(&count);
    while (strcmp(settings[at_setting].name, "width") != 0)
        at_setting++;
    char text[WAC_GIVEN_FLAGS];
    strcpy(given.values[at_setting], "32.0");
    fill();
    list.count = 0;
    assert_ok(wac_sweep_give(&list, &given, "file", &error));
    assert_string_equal(wac_given_flags(text, &given), " --width 32.0");
    fill();
    assert_ok(wac_sweep_give(&list, &given, "file", &error));
    assert_true(runs[0].config.width == 32 && runs[2].config.width == 32);
    assert_string_equal(wac_given_flags(text, &given), " --width 32");
    runs[1].config.batch_size = -1; /* which nobody has given */
    assert_int_equal(wac_sweep_give(&list, &given, "file", &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "batch_size", "");
}

static void lines_tell_what_differs(void **state)
{
    (void)state;
    char one[WAC_SWEEP_LINE], other[WAC_SWEEP_LINE], text[128];
    fill();
    wac_sweep_line(one, &runs[0].config);
    runs[0].config.epochs = 9; /* which may be raised */
    wac_sweep_line(other, &runs[0].config);
    wac_sweep_line_difference(text, sizeof text, one, other);
    assert_string_equal(text, "");
    runs[0].config.width = 20;
    wac_sweep_line(other, &runs[0].config);
    wac_sweep_line_difference(text, sizeof text, one, other);
    assert_string_equal(text, "width is 16 and not 20");
    wac_sweep_line_difference(text, sizeof text, "{a: 1, b: 2}", "{a: 1, c: 2}");
    assert_string_equal(text, "one of the two does not say its b");
    wac_sweep_line_difference(text, sizeof text, "{a: 1, b: 2}", "{a: 1}");
    assert_string_equal(text, "one of the two does not say its b");
    wac_sweep_line_difference(text, sizeof text, "{a: 1}", "{a: 1, b: 2}");
    assert_string_equal(text, "one of the two does not say its b");
    /* what somebody has cut off */
    wac_sweep_line_difference(text, sizeof text, "{a: 1}", "{a:");
    assert_string_equal(text, "a is 1 and not ");
    wac_sweep_line_difference(text, sizeof text, "{a", "{a: 1}");
    assert_string_equal(text, "a is  and not 1");
}

/* Another seed takes as long; another network does not. */
static void kinds_take_equally_long(void **state)
{
    (void)state;
    fill();
    assert_true(wac_sweep_is_same_kind(&runs[0].config, &runs[1].config));
    assert_false(wac_sweep_is_same_kind(&runs[0].config, &runs[2].config));
    int64_t *const sizes[] = {&runs[1].config.blocks, &runs[1].config.policy_width,
                              &runs[1].config.policy_blocks};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ++*sizes[i];
        assert_false(wac_sweep_is_same_kind(&runs[0].config, &runs[1].config));
        --*sizes[i];
    }
    runs[1].config.network = WAC_NETWORK_SIMBA;
    assert_false(wac_sweep_is_same_kind(&runs[0].config, &runs[1].config));
}

/* By a clock that moves on by a second with every look: an estimate is a sum over what is left. */
static void an_estimate_counts_what_is_left(void **state)
{
    (void)state;
    double all, half, none;
    fill();
    wac_sweep_item items[3] = {{.epochs = 1}, {.epochs = 1}, {.epochs = 1}};
    for (int i = 0; i < 3; i++)
        items[i].epochs = runs[i].config.epochs = 100;
    assert_ok(wac_sweep_estimate(&all, &list, items, 1, &error));
    assert_true(all > 0);
    items[0].progress.epoch = 100;
    items[0].state = WAC_SWEEP_STATE_DONE;
    assert_ok(wac_sweep_estimate(&half, &list, items, 1, &error));
    assert_true(half > 0 && half < all);
    items[1].state = items[2].state = WAC_SWEEP_STATE_DONE;
    assert_ok(wac_sweep_estimate(&none, &list, items, 1, &error));
    assert_true(none == 0);
    /* a world that is not there cannot be measured */
    items[0].state = WAC_SWEEP_STATE_NEW;
    strcpy(runs[0].config.environment, "./nowhere.so");
    assert_int_equal(wac_sweep_estimate(&none, &list, items, 1, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "nowhere.so", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(folders_lead_nowhere_else),
        TEST(runs_do_not_share),
        TEST(seeds_are_counted_on),
        TEST(settings_are_given),
        TEST(lines_tell_what_differs),
        TEST(kinds_take_equally_long),
        TEST(an_estimate_counts_what_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
