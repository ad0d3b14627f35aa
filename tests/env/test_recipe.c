/* Recipes as text: what they say, and what is refused in which words. No model is needed. */
#include "env/mujoco/recipe.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static wac_recipe recipe;
static wac_error error;

static wac_status parse(const char *text)
{
    memset(&error, 0, sizeof error);
    return wac_recipe_parse(&recipe, text, strlen(text), "r.yaml", &error);
}

static const wac_recipe_entry *entry(wac_recipe_list list, int index)
{
    assert_true(index < recipe.counts[list]);
    return &recipe.lists[list][index];
}

static void everything_is_read(void **state)
{
    (void)state;
    static const char text[] = "# a recipe\n"
                               "frame_skip: 4\n"
                               "keyframe: at home\n"
                               "observation:\n"
                               "  - qpos: all\n"
                               "  - {qpos: 2, low: -1, high: 3.5}\n"
                               "  - {qvel: 10-12}\n"
                               "  - {control: left motor}\n"
                               "  - {sensor: touch, high: 100}\n"
                               "  - {site: 'tip', axes: zx}\n"
                               "  - {site_velocity: tip}\n"
                               "  - distance: [tip, goal]\n"
                               "    axes: xy\n"
                               "  - distance: [tip, [1, -2.5, 3e-1]]\n"
                               "reward:\n"
                               "  - {bonus: alive}\n"
                               "  - {bonus: step, weight: -1}\n"
                               "  - {bonus: success, weight: 10}\n"
                               "  - {control: all, measure: squares, weight: -0.1}\n"
                               "  - {qvel: x, measure: absolute}\n"
                               "terminate:\n"
                               "  - {qpos: 1, below: 0.7}\n"
                               "  - {sensor: touch, above: 1, below: 2}\n"
                               "success:\n"
                               "  - {distance: [a, b], below: 0.1}\n"
                               "after_success: continue\n"
                               "place: observed\n"
                               "reset:\n"
                               "  - {qpos: all, uniform: 0.1}\n"
                               "  - {qvel: 0-3, normal: 0.2}\n";
    assert_int_equal(parse(text), WAC_STATUS_OK);
    static const int counts[] = {9, 5, 2, 1, 2};
    assert_memory_equal(recipe.counts, counts, sizeof counts);
    assert_int_equal(recipe.frame_skip, 4);
    assert_string_equal(recipe.keyframe, "at home");
    assert_int_equal(recipe.keyframe_line, 3);
    assert_true(recipe.goes_on);
    assert_true(recipe.has_place);

    const wac_recipe_entry *e = entry(WAC_RECIPE_OBSERVATION, 0);
    assert_true(e->what == WAC_WHAT_QPOS && e->first == 0 && e->last == -1 && !*e->name);
    assert_true(e->numbers[WAC_RECIPE_LOW] == -10 && e->numbers[WAC_RECIPE_HIGH] == 10);
    assert_int_equal(e->line, 5);
    e = entry(WAC_RECIPE_OBSERVATION, 1);
    assert_true(e->first == 2 && e->last == 2);
    assert_true(e->numbers[WAC_RECIPE_LOW] == -1 && e->numbers[WAC_RECIPE_HIGH] == 3.5);
    e = entry(WAC_RECIPE_OBSERVATION, 2);
    assert_true(e->what == WAC_WHAT_QVEL && e->first == 10 && e->last == 12);
    e = entry(WAC_RECIPE_OBSERVATION, 3);
    assert_true(e->what == WAC_WHAT_CONTROL);
    assert_string_equal(e->name, "left motor");
    e = entry(WAC_RECIPE_OBSERVATION, 4);
    assert_true(e->what == WAC_WHAT_SENSOR && e->numbers[WAC_RECIPE_HIGH] == 100);
    e = entry(WAC_RECIPE_OBSERVATION, 5);
    assert_true(e->what == WAC_WHAT_SITE && e->axes == 5);
    e = entry(WAC_RECIPE_OBSERVATION, 6);
    assert_true(e->what == WAC_WHAT_SITE_VELOCITY && e->axes == 7);
    e = entry(WAC_RECIPE_OBSERVATION, 7);
    assert_true(e->what == WAC_WHAT_DISTANCE && e->axes == 3);
    assert_string_equal(e->name, "tip");
    assert_string_equal(e->other, "goal");
    e = entry(WAC_RECIPE_OBSERVATION, 8);
    assert_true(!*e->other && e->point[0] == 1 && e->point[1] == -2.5 && e->point[2] == 0.3);

    e = entry(WAC_RECIPE_REWARD, 0);
    assert_true(e->bonus == WAC_BONUS_ALIVE && e->numbers[WAC_RECIPE_WEIGHT] == 1);
    assert_true(entry(WAC_RECIPE_REWARD, 1)->bonus == WAC_BONUS_STEP);
    assert_true(entry(WAC_RECIPE_REWARD, 2)->bonus == WAC_BONUS_SUCCESS);
    e = entry(WAC_RECIPE_REWARD, 3);
    assert_true(e->measure == WAC_RECIPE_MEASURE_SQUARES && e->numbers[WAC_RECIPE_WEIGHT] == -0.1);
    assert_true(entry(WAC_RECIPE_REWARD, 4)->measure == WAC_RECIPE_MEASURE_ABSOLUTE);
    e = entry(WAC_RECIPE_TERMINATE, 0);
    assert_true(e->numbers[WAC_RECIPE_ABOVE] == -INFINITY && e->numbers[WAC_RECIPE_BELOW] == 0.7);
    e = entry(WAC_RECIPE_RESET, 1);
    assert_true(e->numbers[WAC_RECIPE_UNIFORM] == 0 && e->numbers[WAC_RECIPE_NORMAL] == 0.2);

    /* the shortest one */
    assert_int_equal(parse("observation: [{qpos: all}]\nreward: [{bonus: alive}]"), WAC_STATUS_OK);
    assert_true(recipe.frame_skip == 1 && !recipe.goes_on && !*recipe.keyframe);
}

#define OBSERVE "observation: [{qpos: all}]\n"
#define REWARD "reward: [{bonus: step}]\n"
#define LONG "a234567890123456789012345678901234567890123456789012345678901234"

static void faults_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *message;
    } rows[] = {
        /* the whole */
        {"", 1, "this is no recipe; it starts with \"observation:\" or another of its keys"},
        {"- a\n", 1, "this is no recipe; it starts with \"observation:\" or another of its keys"},
        {REWARD, 1,
         "a recipe needs entries of observation; the shortest is \"observation: [{qpos: all}, "
         "{qvel: all}]\""},
        {REWARD "observation: []\n", 2,
         "a recipe needs entries of observation; the shortest is \"observation: [{qpos: all}, "
         "{qvel: all}]\""},
        {OBSERVE, 1,
         "a recipe needs entries of reward; the shortest is \"reward: [{bonus: alive}]\""},
        {OBSERVE "rewards: []\n", 2, "unknown key \"rewards\"; did you mean \"reward\"?"},
        {"colour: 1\n", 1,
         "unknown key \"colour\"; a recipe has observation, reward, terminate, success, "
         "after_success, reset, keyframe, frame_skip and place"},
        {OBSERVE OBSERVE, 2, "\"observation\" was already there on line 1"},
        {OBSERVE "---\n" REWARD, 2, "a second document starts here; keep one to a file"},
        {"observation: [", 2, "this is not YAML (did not find expected node content)"},
        {OBSERVE "reward: \xff", 2, "this is not YAML (invalid leading UTF-8 octet)"},
        {"observation: all\n", 1, "\"observation\" is a list of entries, as in \"- qpos: all\""},
        {"observation:\n  qpos: all\n", 2,
         "\"observation\" is a list of entries, as in \"- qpos: all\""},
        {"observation:\n", 1, "\"observation\" is a list of entries, as in \"- qpos: all\""},
        {"[a]: 1\n", 1, "\"a key\" has one value here, not a list or a mapping"},
        {"frame_skip: 0\n", 1, "\"frame_skip\" must be a whole number from 1 to 1000"},
        {"frame_skip: 2.5\n", 1, "\"frame_skip\" must be a whole number from 1 to 1000"},
        {"frame_skip: many\n", 1, "\"frame_skip\" must be a number, not \"many\""},
        {"frame_skip: !!int 2\n", 1, "tags (!name) are not understood here; leave them out"},
        {"keyframe:\n", 1, "the value of \"keyframe\" is missing"},
        {"keyframe: \"a\\0b\"\n", 1,
         "the value of \"keyframe\" is no text (it has control characters)"},
        {"keyframe: " LONG LONG "\n", 1, "the value of \"keyframe\" is too long"},
        {"after_success: stop\n", 1, "\"after_success\" must be end or continue, not \"stop\""},
        {"place: here\n", 1, "\"place\" must be none or observed, not \"here\""},
        {OBSERVE REWARD "after_success: end\n", 3, "there is no \"success\" to go on after"},
        {OBSERVE "reward:\n- bonus: success\n", 3, "there is no \"success\" to pay a bonus for"},

        /* an entry */
        {"observation:\n- all\n", 2,
         "an entry of observation is a quantity, as in \"- qpos: all\""},
        {"observation:\n- {}\n", 2,
         "this entry of observation names no quantity; it knows qpos, qvel, control, sensor, site, "
         "site_velocity, distance, low, high, axes"},
        {"reset:\n- {uniform: 1}\n", 2,
         "this entry of reset names no quantity; it knows qpos, qvel, uniform, normal"},
        {"observation:\n- qops: all\n", 2,
         "unknown key \"qops\" in an entry of observation; did you mean \"qpos\"?"},
        {"observation:\n- {qpos: all, weight: 1}\n", 2,
         "unknown key \"weight\" in an entry of observation; it knows qpos, qvel, control, sensor, "
         "site, site_velocity, distance, low, high, axes"},
        {"observation: [{bonus: step}]\n", 1,
         "unknown key \"bonus\" in an entry of observation; it knows qpos, qvel, control, sensor, "
         "site, site_velocity, distance, low, high, axes"},
        {"reset:\n- {sensor: a, normal: 1}\n", 2,
         "unknown key \"sensor\" in an entry of reset; it knows qpos, qvel, uniform, normal"},
        {"observation:\n- qpos: all\n  qvel: all\n", 3,
         "an entry has one quantity, and this one both \"qpos\" and \"qvel\"; start another with a "
         "dash"},
        {"observation:\n- qpos: all\n  low: 1\n  low: 2\n", 4,
         "\"low\" was already there on line 3"},
        {"observation: [{qpos: -1}]\n", 1, NULL}, /* the name of a joint, for all we know */
        {"observation: [{qpos: 1-}]\n", 1,
         "\"qpos\" is \"all\", an entry such as 2 (from 0), a range such as 2-4, or a name; not "
         "\"1-\""},
        {"observation: [{qvel: 4-2}]\n", 1,
         "\"qvel\" is \"all\", an entry such as 2 (from 0), a range such as 2-4, or a name; not "
         "\"4-2\""},
        {"observation: [{qvel: 123456}]\n", 1,
         "\"qvel\" is \"all\", an entry such as 2 (from 0), a range such as 2-4, or a name; not "
         "\"123456\""},
        {"observation: [{control: 1--2}]\n", 1,
         "\"control\" is \"all\", an entry such as 2 (from 0), a range such as 2-4, or a name; not "
         "\"1--2\""},
        {"observation: [{qpos: [0, 1]}]\n", 1,
         "\"qpos\" has one value here, not a list or a mapping"},
        {"observation: [{sensor: {a: b}}]\n", 1,
         "\"sensor\" has one value here, not a list or a mapping"},
        {"observation: [{distance: tip}]\n", 1,
         "\"distance\" is between two: [site, site] or [site, [x, y, z]]"},
        {"observation: [{distance: [a, b, c]}]\n", 1,
         "\"distance\" is between two: [site, site] or [site, [x, y, z]]"},
        {"observation: [{distance: [[0, 0, 0], a]}]\n", 1,
         "\"distance\" has one value here, not a list or a mapping"},
        {"observation: [{distance: [a, [0, 0]]}]\n", 1, "a point has three coordinates: [x, y, z]"},
        {"observation: [{distance: [a, [0, 0, up]]}]\n", 1,
         "\"distance\" must be a number, not \"up\""},
        {"observation: [{site: a, axes: xw}]\n", 1,
         "\"axes\" is some of the letters xyz, each once, such as xy; not \"xw\""},
        {"observation: [{site: a, axes: xx}]\n", 1,
         "\"axes\" is some of the letters xyz, each once, such as xy; not \"xx\""},
        {"observation:\n- qpos: all\n  axes: x\n", 3,
         "\"axes\" is for site, site_velocity and distance; qpos has none"},
        {"observation: [{qpos: all, low: 1, high: 1}]\n", 1,
         "low must be below high, and both finite"},
        {"observation: [{qpos: all, low: 20}]\n", 1, "low must be below high, and both finite"},
        {"observation: [{qpos: all, low: -1e308, high: 1e308}]\n", 1,
         "low must be below high, and both finite"},
        {"observation: [{qpos: all, low: nan}]\n", 1, "\"low\" must be a number, not \"nan\""},
        {"observation: [{qpos: all, low: -1e999}]\n", 1,
         "\"low\" must be a number, not \"-1e999\""},
        {"reward: [{bonus: gold}]\n", 1, "\"bonus\" must be step, alive or success, not \"gold\""},
        {"reward: [{qpos: all, measure: cubes}]\n", 1,
         "\"measure\" must be sum, squares or absolute, not \"cubes\""},
        {"reward: [{bonus: step, measure: sum}]\n", 1, "a bonus is 1; \"measure\" has no use here"},
        {"terminate: [{qpos: 1}]\n", 1, "an entry of terminate needs \"above\", \"below\" or both"},
        {"success: [{qpos: 1, above: 2, below: 1}]\n", 1,
         "no number is above the one and below the other; where either will do, write two entries"},
        {"reset: [{qpos: all}]\n", 1, "an entry of reset needs either \"uniform\" or \"normal\""},
        {"reset: [{qpos: all, uniform: 1, normal: 1}]\n", 1,
         "an entry of reset needs either \"uniform\" or \"normal\""},
        {"reset: [{qpos: all, uniform: -1}]\n", 1, "noise is not negative"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char expected[512];
        if (!rows[i].message) {
            parse(rows[i].text);
            assert_non_null(strstr(error.message, "a recipe needs entries of reward"));
            continue;
        }
        assert_int_equal(parse(rows[i].text), WAC_STATUS_INPUT);
        snprintf(expected, sizeof expected, "r.yaml:%d: %s", rows[i].line, rows[i].message);
        assert_string_equal(error.message, expected);
    }
}

static void lists_have_an_end(void **state)
{
    (void)state;
    char text[4096] = REWARD "observation:\n";
    for (int i = 0; i < WAC_RECIPE_ENTRIES; i++)
        strcat(text, "- {qpos: all}\n");
    assert_int_equal(parse(text), WAC_STATUS_OK);
    assert_int_equal(recipe.counts[WAC_RECIPE_OBSERVATION], WAC_RECIPE_ENTRIES);
    strcat(text, "- {qpos: all}\n");
    assert_int_equal(parse(text), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "r.yaml:67: observation has more than 64 entries");
}

/* Aliases are no more than another way to write the same: also where they bite their tail. */
static void aliases_do_no_harm(void **state)
{
    (void)state;
    assert_int_equal(parse("observation: [&a {qpos: all}, *a]\n" REWARD), WAC_STATUS_OK);
    assert_int_equal(recipe.counts[WAC_RECIPE_OBSERVATION], 2);
    assert_int_equal(parse("observation: &a [*a]\n" REWARD), WAC_STATUS_INPUT);
    assert_int_equal(parse("observation: [{distance: &a [b, *a]}]\n" REWARD), WAC_STATUS_INPUT);
    assert_int_equal(parse("observation: [*a]\n" REWARD), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "r.yaml:1: this is not YAML (found undefined alias)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_read),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(lists_have_an_end),
        cmocka_unit_test(aliases_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
