/* What tests of claims share: runs in root, a rule about them, and its verdict. */
#ifndef WAC_TESTS_SUPPORT_JUDGING_H
#define WAC_TESTS_SUPPORT_JUDGING_H

#include "report/experiment_file.h"
#include "report/judge.h"
#include "support/fake_runs.h"

static wac_runset set;
static wac_experiment *experiment;
static wac_judgement judgement;

/* Runs that were planned beside those that are there. */
static wac_config planned[16];
static size_t planned_count;

static inline void plan_also(const char *environment, const char *algorithm, int64_t seed,
                             int64_t epochs, const char *key, const char *value)
{
    wac_config *config = &planned[planned_count++];
    assert_ok(wac_config_init(config, environment, algorithm, &error));
    config->seed = seed;
    config->epochs = epochs;
    if (key)
        assert_ok(wac_config_set(config, key, value, &error));
}

/* The verdict on a claim of these lines (in flow style, after `says`) about the runs in root. */
static inline wac_verdict judge(const char *rule)
{
    char text[2048];
    const char *folder = root;
    snprintf(text, sizeof text,
             "title: T\nscales: {quick: {environments: lqg, algorithms: sac}}\n"
             "claims:\n  - {says: S, %s}\n",
             rule);
    assert_ok(wac_experiment_parse(&experiment, strdup(text), strlen(text), "t", "file", &error));
    assert_ok(wac_runset_load(&set, &folder, 1, false, &error));
    size_t count = set.count + planned_count;
    wac_sweep sweep = {.runs = calloc(count, sizeof *sweep.runs), .count = count};
    for (size_t i = 0; i < count; i++) {
        sweep.runs[i].config = i < set.count ? set.runs[i].config : planned[i - set.count];
        snprintf(sweep.runs[i].folder, sizeof sweep.runs[i].folder, "run-%zu", i);
    }
    wac_plan plan;
    wac_judgement_free(&judgement);
    assert_ok(wac_plan_make(&plan, &sweep, &set, &error));
    assert_ok(wac_claim_judge(&judgement, &experiment->claims[0], &plan, &error));
    wac_plan_free(&plan);
    wac_sweep_free(&sweep);
    wac_runset_free(&set);
    wac_experiment_free(experiment);
    assert_true(judgement.count > 0);
    return judgement.verdict;
}

static inline void assert_verdict(const char *rule, wac_verdict verdict, wac_verdict leaning,
                                  const char *words)
{
    wac_verdict found = judge(rule);
    if (found != verdict || judgement.leaning != leaning ||
        !strstr(judgement.findings[0].text, words))
        fail_msg("%s: %s (leaning %s): %s; expected %s, \"%s\"", rule, wac_verdict_name(found),
                 wac_verdict_name(judgement.leaning), judgement.findings[0].text,
                 wac_verdict_name(verdict), words);
}

static inline int forget(void **state)
{
    wac_judgement_free(&judgement);
    planned_count = 0;
    return remove_root(state);
}
#define CLAIM_TEST(name) cmocka_unit_test_setup_teardown(name, setup, forget)

static inline void clear(void)
{
    remove_folder(root);
    assert_ok(wac_directory_make(root, &error));
}

/* Coverage at each of some values of a setting: level + noise that differs from seed to seed. */
static inline void make_levels(const char *algorithm, const char *key, const char *const *values,
                               const double *levels, int count, int seeds, double noise)
{
    for (int i = 0; i < count; i++)
        for (int seed = 1; seed <= seeds; seed++) {
            fake fake = {"lqg", algorithm, seed, 3, 0, key, values[i], NULL, NULL, -1, 0.0, 10, -2};
            fake.coverage = levels[i] + noise * ((seed * 7 + i * 3) % 5 - 2);
            make_fake(at("%s-%s-%d", key, values[i], seed), &fake);
        }
}

static const char *const lambdas[] = {"0", "0.25", "0.5", "0.75", "1"};

#endif
