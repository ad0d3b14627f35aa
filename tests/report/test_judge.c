/* Claims: every decision rule but those on trends, on runs that are made to hold, to fail and to
 * leave it open. */
#include "support/judging.h"

/* --- two sides -------------------------------------------------------------------------------- */

/* Runs on Point 1, solved from an epoch on that differs a little from seed to seed. */
static void make_solvers(const char *algorithm, int seeds, int solved, int step, double episodes)
{
    for (int seed = 1; seed <= seeds; seed++) {
        fake fake = {"point-1",
                     algorithm,
                     seed,
                     60,
                     0,
                     NULL,
                     NULL,
                     NULL,
                     NULL,
                     -100.0 + seed,
                     NAN,
                     episodes + seed,
                     solved < 0 ? -1 : solved + step * seed};
        make_fake(at("%s-%d", algorithm, seed), &fake);
    }
}

/* Runs on Point 1 with these numbers of episodes, seed by seed; solved at epoch 5, or never. */
static void make_episodes(const char *algorithm, const double *episodes, int seeds, bool solves)
{
    for (int i = 0; i < seeds; i++) {
        fake fake = {"point-1", algorithm, i + 1, 20,  0,           NULL,           NULL,
                     NULL,      NULL,      -90,   NAN, episodes[i], solves ? 5 : -1};
        make_fake(at("%s-%d", algorithm, i + 1), &fake);
    }
}

static const char ahead[] = "rule: ahead-of, who: me-wac, than: sac, measure: area-of-episodes";
static const char behind[] = "rule: ahead-of, who: sac, than: me-wac, measure: area-of-episodes";
static const char level[] = "rule: level, who: me-wac, than: sac, measure: area-of-episodes";
static const char calmer[] = "rule: less-spread, who: me-wac, than: sac, measure: area-of-episodes";

static void test_ahead(void **state)
{
    (void)state;
    make_solvers("me-wac", 4, 10, 1, 40);
    make_solvers("sac", 4, 30, 5, 20);
    assert_verdict(ahead, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "is ahead with probability 1; p 0.0143");
    assert_non_null(strstr(judgement.findings[0].text,
                           "Point 1, episodes completed, mean of all epochs: 42.5 for ME-WAC, "
                           "22.5 for SAC; ME-WAC is ahead with probability 1"));
    /* the exact test: one of the 70 ways to deal eight runs */
    assert_true(fabs(judgement.findings[0].p_for - 1 / 70.) < 1e-12);
    assert_verdict(behind, WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "is ahead with probability 0");
    const char *faster = "rule: faster, who: me-wac, than: sac";
    assert_verdict(faster, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "epoch of first success: 12.5 for ME-WAC, 42.5 for SAC");
    assert_true(judgement.findings[0].estimate == 1);
    assert_verdict("rule: faster, who: sac, than: me-wac", WAC_VERDICT_FAILS, WAC_VERDICT_FAILS,
                   "SAC is first with probability 0");
    /* never is a word where nothing else is meant */
    make_solvers("oe-wac", 4, -1, 0, 10);
    assert_verdict("rule: faster, who: me-wac, than: oe-wac", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "epoch of first success: 12.5 for ME-WAC, never for OE-WAC; ");
    fake lucky = {"point-1", "oe-wac", 4, 60, 0, NULL, NULL, NULL, NULL, -90, NAN, 20, 57};
    remove_folder(at("oe-wac-4"));
    make_fake(at("oe-wac-4"), &lucky);
    assert_verdict("rule: faster, who: me-wac, than: oe-wac", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "12.5 for ME-WAC, 60 for OE-WAC (never counts as 61); ");
    assert_verdict("rule: ahead-of, who: me-wac, than: oac", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_UNDECIDED, "no run of OAC is planned");
    /* both pairs must hold */
    assert_verdict("rule: ahead-of, who: me-wac, than: [sac, oac], measure: episodes",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "is ahead with probability 1");
    assert_int_equal(judgement.count, 2);
}

/* Eight seeds on three tasks; in each task another two of OE-WAC fail. */
static void make_three_tasks(int64_t longer)
{
    static const char *const tasks[] = {"ball-in-cup", "pointmaze-u", "reacher-hard"};
    static const double best[] = {986, 119, 984};
    for (int task = 0; task < 3; task++)
        for (int seed = 1; seed <= 8; seed++) {
            double share = (seed - 1) / 2 == task ? 0.2 : 0.6 + 0.02 * seed;
            fake fake = {tasks[task], "oe-wac", seed, 4 + task, 0,   NULL, NULL,
                         NULL,        NULL,     0,    NAN,      100, -2};
            fake.reached = best[task] * share;
            make_fake(at("%s-oe-%d", tasks[task], seed), &fake);
            fake.algorithm = "sac";
            fake.epochs += longer;
            fake.reached = best[task] * (0.3 + 0.02 * seed);
            make_fake(at("%s-sac-%d", tasks[task], seed), &fake);
        }
}

/* Ahead in no single task for sure, but in all together. */
static void test_ahead_over_all(void **state)
{
    (void)state;
    static const char rule[] = "rule: ahead-over-all, measure: normalised, who: oe-wac, than: sac";
    make_three_tasks(0);
    assert_verdict("rule: ahead-of, measure: normalised, who: oe-wac, than: sac",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_HOLDS, "Ball in cup");
    assert_int_equal(judgement.count, 3);
    assert_verdict(rule, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "All tasks, normalised return, last 10 epochs: 0.");
    assert_int_equal(judgement.count, 1);
    assert_non_null(strstr(judgement.findings[0].text, "compared within each of 3 tasks; 8 seeds"));
    assert_true(judgement.findings[0].estimate == 0.75 && judgement.findings[0].low < 0.75);
    assert_verdict("rule: ahead-over-all, measure: normalised, who: sac, than: oe-wac",
                   WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "All tasks");
    assert_verdict("rule: ahead-over-all, measure: normalised, who: oe-wac, than: sac, where: "
                   "{environment: [ball-in-cup, pointmaze-u]}",
                   WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "These tasks, normalised return");
    assert_non_null(strstr(judgement.findings[0].text, "each of 2 tasks"));
    assert_verdict("rule: ahead-over-all, measure: normalised, who: oe-wac, than: sac, where: "
                   "{environment: [ball-in-cup, pointmaze-u, mountaincar]}",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED,
                   "no run of OE-WAC is planned in MountainCar");
    assert_verdict("rule: ahead-over-all, measure: normalised, who: oe-wac, than: [sac, oac], "
                   "where: {environment: [ball-in-cup, mountaincar]}",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED,
                   "no run of OE-WAC is planned in MountainCar");
    assert_int_equal(judgement.count, 1); /* told once, not for each */
    assert_verdict("rule: ahead-over-all, who: oe-wac, than: oac", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_UNDECIDED, "no run of OAC is planned");
    /* a run that was planned; several settings in a task */
    plan_also("ball-in-cup", "sac", 9, 4, NULL, NULL);
    assert_verdict(rule, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "SAC has other seeds");
    planned_count = 0;
    plan_also("ball-in-cup", "sac", 1, 4, "width", "64");
    assert_verdict(rule, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "or several settings");
    /* longer runs count as far as the others go, task by task */
    planned_count = 0;
    clear();
    make_three_tasks(2);
    assert_verdict(rule, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "3 tasks; of longer runs as many epochs as the others have; 8 seeds");
}

/* Never is the last epoch + 1 of the task it happened in, and not of the shortest one. */
static void test_never_over_all(void **state)
{
    (void)state;
    static const char rule[] = "rule: ahead-over-all, measure: solved, who: oe-wac, than: sac";
    for (int seed = 1; seed <= 5; seed++)
        for (int task = 0; task < 2; task++) {
            fake fake = {task ? "pointmaze-u" : "point-1",
                         "oe-wac",
                         seed,
                         task ? 40 : 10,
                         0,
                         NULL,
                         NULL,
                         NULL,
                         NULL,
                         -90,
                         NAN,
                         10,
                         task ? 12 : 3};
            make_fake(at("%d-oe-%d", task, seed), &fake);
            fake.algorithm = "sac";
            fake.solved = task ? 15 + seed : -1;
            make_fake(at("%d-sac-%d", task, seed), &fake);
        }
    assert_verdict(rule, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "7.5 for OE-WAC, 14.5 for SAC (never counts as a task's last epoch + 1); ");
    assert_null(strstr(judgement.findings[0].text, "longer runs"));
}

/* Lack of evidence is no evidence of the contrary. */
static void test_hardly_ahead(void **state)
{
    (void)state;
    char outlook[WAC_OUTLOOK];
    make_episodes("me-wac", (double[]){12.5, 13.5, 16, 17, 18}, 5, true);
    make_episodes("sac", (double[]){11, 12, 13, 14, 15}, 5, true);
    assert_verdict(ahead, WAC_VERDICT_UNDECIDED, WAC_VERDICT_HOLDS,
                   "is ahead with probability 0.8, 95 % interval 0.44 to 1");
    size_t needed = judgement.findings[0].seeds_needed;
    assert_true(needed > 5 && needed <= 30);
    assert_non_null(
        strstr(wac_finding_outlook(outlook, judgement.findings), "seeds would probably decide it"));
    assert_verdict(behind, WAC_VERDICT_UNDECIDED, WAC_VERDICT_FAILS,
                   "is ahead with probability 0.2");
    clear();
    make_solvers("me-wac", 5, 10, 2, 30);
    make_solvers("sac", 5, 10, 2, 30);
    assert_verdict(ahead, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED,
                   "is ahead with probability 0.5");
    assert_string_equal(wac_finding_outlook(outlook, judgement.findings),
                        "more than 100 seeds would be needed");
}

/* Level is shown by what is near, not by what is noisy. */
static void test_level(void **state)
{
    (void)state;
    make_episodes("me-wac", (double[]){30, 30.5, 31, 31.5, 32}, 5, true);
    make_episodes("sac", (double[]){30.2, 30.6, 31, 31.4, 31.8}, 5, true);
    assert_verdict(level, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "difference 0");
    clear();
    make_episodes("me-wac", (double[]){10, 20, 31, 42, 52}, 5, true);
    make_episodes("sac", (double[]){11, 20, 31, 41, 52}, 5, true);
    assert_verdict(level, WAC_VERDICT_UNDECIDED, WAC_VERDICT_HOLDS,
                   "to be within 10 % of the larger mean");
    clear();
    make_solvers("me-wac", 5, 10, 2, 30);
    make_solvers("sac", 5, 10, 2, 50);
    assert_verdict(level, WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "difference −20");
}

static void test_less_spread(void **state)
{
    (void)state;
    double near[12], far[12];
    for (int i = 0; i < 12; i++) {
        near[i] = 30 + 0.1 * i;
        far[i] = 20 + 2.0 * i;
    }
    make_episodes("me-wac", near, 12, true);
    make_episodes("sac", far, 12, true);
    assert_verdict(calmer, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "mean distance from the median 0.3 for ME-WAC, 6 for SAC");
    assert_verdict("rule: less-spread, who: sac, than: me-wac, measure: area-of-episodes",
                   WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "6 for SAC");
    /* a few seeds are too few for spreads */
    clear();
    make_episodes("me-wac", near, 9, true);
    make_episodes("sac", far, 9, true);
    assert_verdict(calmer, WAC_VERDICT_UNDECIDED, WAC_VERDICT_HOLDS, "9 seeds");
    assert_int_equal(judgement.findings[0].seeds_needed, 10);
    /* who never gets anywhere has no spread, and is no model of calm */
    clear();
    make_episodes("me-wac", far, 12, true);
    make_episodes("sac", (double[12]){10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10}, 12, false);
    assert_verdict(calmer, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED,
                   "SAC always comes out the same");
    clear();
    make_episodes("me-wac", far, 12, true);
    make_episodes("sac", near, 12, false);
    assert_verdict(calmer, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "SAC never succeeds");
}

/* Who never succeeds is last; where nobody does, nobody is faster. */
static void test_faster(void **state)
{
    (void)state;
    const char *faster = "rule: faster, who: me-wac, than: sac";
    make_solvers("me-wac", 5, 10, 2, 30);
    make_solvers("sac", 5, -1, 0, 30);
    assert_verdict(faster, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "16 for ME-WAC, never for SAC");
    clear();
    make_solvers("me-wac", 5, -1, 0, 30);
    make_solvers("sac", 5, -1, 0, 30);
    assert_verdict(faster, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED,
                   "neither ME-WAC nor SAC ever succeeds in 60 epochs");
    assert_string_equal(judgement.findings[0].who, "ME-WAC");
    assert_int_equal(judgement.findings[0].planned, 10);
}

/* Missing runs leave it open, unless the others decide it whatever they bring; one that diverged is
 * the worst. */
static void test_missing_runs(void **state)
{
    (void)state;
    make_solvers("me-wac", 9, 10, 1, 40);
    make_solvers("sac", 9, 30, 1, 20);
    plan_also("point-1", "me-wac", 10, 60, NULL, NULL);
    assert_verdict(ahead, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "1 of 19 runs missing");
    plan_also("point-1", "me-wac", 11, 60, NULL, NULL);
    plan_also("point-1", "sac", 10, 60, NULL, NULL);
    plan_also("point-1", "sac", 11, 60, NULL, NULL);
    plan_also("point-1", "sac", 12, 60, NULL, NULL);
    plan_also("point-1", "sac", 13, 60, NULL, NULL);
    assert_verdict(ahead, WAC_VERDICT_UNDECIDED, WAC_VERDICT_HOLDS, "6 of 24 runs missing");
    char outlook[WAC_OUTLOOK];
    assert_string_equal(wac_finding_outlook(outlook, judgement.findings),
                        "waits for run-18, run-19 and 4 more");
    assert_verdict(level, WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "missing or diverged");
    /* by cost too: a missing run could be first */
    assert_verdict("rule: ahead-of, who: me-wac, than: sac, measure: solved", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_HOLDS, "6 of 24");
    planned_count = 0;
    clear();
    make_solvers("me-wac", 4, 10, 1, 40);
    make_solvers("sac", 4, 30, 5, 20);
    remove_folder(at("me-wac-4"));
    fake lost = {"point-1", "me-wac", 4, 60, 7, NULL, NULL, NULL, NULL, -90, NAN, 99, -1};
    make_fake(at("me-wac-4"), &lost);
    save_text(at("me-wac-4/manifest.json"), "{\"diverged\": \"a loss\"}\n");
    assert_verdict(ahead, WAC_VERDICT_UNDECIDED, WAC_VERDICT_HOLDS,
                   "is ahead with probability 0.75");
}

/* Three settings of four seeds are four seeds: what one seed does, it does in all of them. */
static void test_settings_are_no_seeds(void **state)
{
    (void)state;
    for (int rho = 0; rho < 2; rho++)
        for (int i = 0; i < 3; i++)
            for (int seed = 1; seed <= 4; seed++) {
                fake fake = {"lqg",    "oe-wac",       seed, 3, 0,  "rho", rho ? "1" : "0.25",
                             "lambda", lambdas[i + 1], -1,   0, 10, -2};
                fake.coverage = 0.3 + 0.1 * rho + 0.1 * i + 0.01 * seed;
                make_fake(at("%d-%d-%d", rho, i, seed), &fake);
            }
    assert_verdict("rule: ahead-of, who: {rho: 1}, than: {rho: 0.25}, measure: coverage",
                   WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "within each of 3 settings; 4 seeds");
    assert_int_equal(judgement.count, 1);
    assert_true(fabs(judgement.findings[0].p_for - 1 / 70.) < 1e-12);
    assert_non_null(strstr(judgement.findings[0].text, "0.525 for ρ 1, 0.425 for ρ 0.25"));
    assert_verdict("rule: less-spread, who: {rho: 1}, than: {rho: 0.25}, measure: coverage",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "4 seeds");
    /* settings that cannot be matched are held against each other one by one, and named */
    for (int seed = 1; seed <= 4; seed++) {
        fake fake = {"lqg", "sac", seed, 3, 0, NULL, NULL, NULL, NULL, -1, 0.1, 10, -2};
        make_fake(at("sac-%d", seed), &fake);
    }
    assert_verdict("rule: ahead-of, who: oe-wac, than: sac, measure: coverage, where: {}",
                   WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "for OE-WAC (λ 0.25, ρ 0.25)");
    assert_int_equal(judgement.count, 6);
}

/* With a factor: more than so many times the other. */
static void test_factor(void **state)
{
    (void)state;
    make_episodes("me-wac", (double[]){50, 51, 52, 53, 54}, 5, true);
    make_episodes("sac", (double[]){10, 11, 12, 13, 14}, 5, true);
    assert_verdict("rule: ahead-of, who: me-wac, than: sac, measure: episodes, factor: 3",
                   WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "52 for ME-WAC, 36 for 3 times SAC");
    assert_verdict("rule: ahead-of, who: me-wac, than: sac, measure: episodes, factor: 6",
                   WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "72 for 6 times SAC");
}

/* Success over 50 epochs, in one order or in another: the sum of the same numbers. */
static void test_equal_is_equal(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++)
        for (int seed = 1; seed <= 5; seed++) {
            fake fake = {"point-1", side ? "sac" : "me-wac",
                         seed,      49,
                         0,         NULL,
                         NULL,      NULL,
                         NULL,      -90,
                         NAN,       20,
                         -1};
            make_fake(at("%d-%d", side, seed), &fake);
            FILE *to = fopen(at("%d-%d/progress.csv", side, seed), "w");
            fputs(FAKE_HEADER, to);
            for (int i = 0; i < 50; i++)
                fprintf(to, "%d,%d,%d,-90,%.9g,20,,,0.2,1,,,1.5,3,1,\n", i, 1000 * (i + 1),
                        1000 * i, ((side ? 49 - i : i) + seed) / 55.0);
            fclose(to);
        }
    assert_verdict("rule: ahead-of, who: me-wac, than: sac, measure: success",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "is ahead with probability 0.5");
    assert_true(judgement.findings[0].p_for == judgement.findings[0].p_against);
}

/* Longer runs are cut to the shorter ones; one that stop_success ended goes on as it ended. */
static void test_lengths(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 5; seed++) {
        fake fake = {"point-1", "me-wac", seed, 60, 0, NULL, NULL, NULL, NULL, -90, NAN, 30, 40};
        make_fake(at("long-%d", seed), &fake);
        fake.algorithm = "sac";
        fake.epochs = 30;
        fake.solved = 20 + seed;
        make_fake(at("short-%d", seed), &fake);
    }
    /* solved at 40, which is not within 30 epochs */
    assert_verdict("rule: faster, who: sac, than: me-wac", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "23 for SAC, never for ME-WAC");
    assert_non_null(
        strstr(judgement.findings[0].text, "; of longer runs the first 30 epochs; 5 seeds"));
    assert_int_equal(judgement.findings[0].epochs, 30);
    clear();
    for (int seed = 1; seed <= 5; seed++) {
        fake fake = {"point-1", "me-wac", seed, 60,        13, "stop_success", "0.8", NULL,
                     NULL,      -90,      NAN,  30 + seed, 12};
        make_fake(at("ended-%d", seed), &fake);
    }
    make_solvers("sac", 5, 30, 1, 20);
    assert_verdict("rule: all, who: me-wac", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "5 of 5 runs");
    assert_verdict("rule: faster, who: me-wac, than: sac", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "12 for ME-WAC, 33 for SAC");
    assert_verdict(ahead, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "33 for ME-WAC, 23 for SAC");
    /* success within 61 epochs: 12 without, 49 with it */
    assert_verdict("rule: ahead-of, who: me-wac, than: sac, measure: success", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "0.98 for ME-WAC");
}

/* --- counts ----------------------------------------------------------------------------------- */

static void test_counts(void **state)
{
    (void)state;
    make_solvers("oe-wac", 4, 10, 1, 40);
    make_solvers("sac", 4, -1, 0, 10);
    make_solvers("oac", 3, -1, 0, 10);
    fake lucky = {"point-1", "oac", 4, 60, 0, NULL, NULL, NULL, NULL, -90, NAN, 20, 30};
    make_fake(at("oac-4"), &lucky);
    static const struct {
        const char *rule, *who;
        wac_verdict verdict;
    } cases[] = {
        {"never", "sac", WAC_VERDICT_HOLDS},      {"never", "oac", WAC_VERDICT_FAILS},
        {"never", "oe-wac", WAC_VERDICT_FAILS},   {"some", "sac", WAC_VERDICT_FAILS},
        {"some", "oac", WAC_VERDICT_HOLDS},       {"some", "oe-wac", WAC_VERDICT_FAILS},
        {"any", "sac", WAC_VERDICT_FAILS},        {"any", "oac", WAC_VERDICT_HOLDS},
        {"any", "oe-wac", WAC_VERDICT_HOLDS},     {"all", "sac", WAC_VERDICT_FAILS},
        {"all", "oac", WAC_VERDICT_FAILS},        {"all", "oe-wac", WAC_VERDICT_HOLDS},
        {"all", "me-wac", WAC_VERDICT_UNDECIDED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rule[64];
        snprintf(rule, sizeof rule, "rule: %s, who: %s", cases[i].rule, cases[i].who);
        assert_verdict(rule, cases[i].verdict, cases[i].verdict,
                       cases[i].verdict == WAC_VERDICT_UNDECIDED ? "no run of ME-WAC is planned"
                                                                 : "of 4 runs (exact 95 %");
    }
    judge("rule: all, who: oe-wac");
    assert_non_null(strstr(judgement.findings[0].text,
                           "; in all of these, but up to 60 % of runs may not; 4 seeds"));
    judge("rule: never, who: sac");
    assert_non_null(strstr(judgement.findings[0].text,
                           "; in none of these, but up to 60 % of runs may; 4 seeds"));
    assert_true(judgement.findings[0].low == 0 && fabs(judgement.findings[0].high - 0.602) < 0.001);
}

/* Planned runs count: one that solved it is a counterexample before it is finished, one that has
 * not solved it yet may still do so, one that diverged will not. */
static void test_counts_of_planned(void **state)
{
    (void)state;
    make_solvers("sac", 4, -1, 0, 10);
    fake more = {"point-1", "sac", 5, 60, 20, NULL, NULL, NULL, NULL, -90, NAN, 20, 15};
    make_fake(at("sac-5"), &more);
    assert_verdict("rule: never, who: sac", WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "1 of 5 runs");
    clear();
    make_solvers("sac", 4, 10, 1, 10);
    more.solved = -1;
    make_fake(at("sac-5"), &more);
    assert_verdict("rule: all, who: sac", WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED,
                   "1 of 5 runs missing");
    remove_folder(at("sac-5"));
    assert_verdict("rule: all, who: sac", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "4 of 4");
    plan_also("point-1", "sac", 5, 60, NULL, NULL);
    assert_verdict("rule: all, who: sac", WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED,
                   "1 of 5 runs missing");
    assert_string_equal(judgement.findings[0].absent, "run-4");
    assert_verdict("rule: any, who: sac", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "4 of 4");
    planned_count = 0;
    make_fake(at("sac-5"), &more);
    save_text(at("sac-5/manifest.json"), "{\"diverged\": \"a loss\"}\n");
    assert_verdict("rule: all, who: sac", WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "4 of 5 runs");
    /* a task without a goal is neither solved nor unsolved */
    clear();
    for (int seed = 1; seed <= 4; seed++) {
        fake fake = {"hopper", "sac", seed, 3, 0, NULL, NULL, NULL, NULL, 900, NAN, 10, -2};
        make_fake(at("%d", seed), &fake);
    }
    assert_verdict("rule: never, who: sac", WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED,
                   "Hopper: nothing says when");
}

/* A claim of several parts fails if one fails, else is undecided if one is. */
static void test_compound(void **state)
{
    (void)state;
    make_solvers("oe-wac", 4, 10, 1, 40);
    make_solvers("sac", 4, -1, 0, 10);
    assert_verdict("parts: [{rule: all, who: oe-wac}, {rule: never, who: sac}]", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "4 of 4");
    assert_verdict("parts: [{rule: all, who: oe-wac}, {rule: never, who: oac}]",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "4 of 4");
    assert_verdict("parts: [{rule: all, who: oac}, {rule: all, who: [oe-wac, sac]}]",
                   WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "no run of OAC is planned");
    assert_int_equal(judgement.count, 3);
    /* evidence of the contrary is corrected over all parts, evidence for each is not */
    clear();
    make_episodes("me-wac", (double[]){20, 21, 22, 23}, 4, true);
    make_episodes("sac", (double[]){30, 31, 32, 33}, 4, true);
    assert_verdict(ahead, WAC_VERDICT_FAILS, WAC_VERDICT_FAILS, "is ahead with probability 0");
    char twice[512];
    snprintf(twice, sizeof twice, "parts: [{%s}, {rule: all, who: sac}]", ahead);
    assert_verdict(twice, WAC_VERDICT_UNDECIDED, WAC_VERDICT_FAILS, "is ahead with probability 0");
    assert_true(fabs(judgement.findings[0].p_corrected - 2 / 70.) < 1e-12);
    snprintf(twice, sizeof twice, "parts: [{%s}, {rule: all, who: sac}]", behind);
    assert_verdict(twice, WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "is ahead with probability 1");
}

/* RiverSwim and LQG are solved by return: half of all there is, and near the best there is. */
static void test_solved_by_return(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 4; seed++) {
        fake fake = {"riverswim", "oe-wac", seed, 12, 0, NULL, NULL, NULL, NULL, 120, .3, 10, -2};
        make_fake(at("w%d", seed), &fake);
        fake.algorithm = "sac";
        fake.reached = 0.15;
        make_fake(at("s%d", seed), &fake);
    }
    assert_verdict("parts: [{rule: all, who: oe-wac}, {rule: never, who: sac}]", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "4 of 4 runs");
    clear();
    for (int seed = 1; seed <= 4; seed++) {
        fake fake = {"lqg", "oe-wac", seed, 12, 0, NULL, NULL, NULL, NULL, -0.1, .3, 10, -2};
        make_fake(at("w%d", seed), &fake);
        fake.algorithm = "sac";
        fake.reached = -50;
        make_fake(at("s%d", seed), &fake);
    }
    assert_verdict("parts: [{rule: all, who: oe-wac}, {rule: never, who: sac}]", WAC_VERDICT_HOLDS,
                   WAC_VERDICT_HOLDS, "4 of 4 runs");
}

/* --- correlation, of real runs ------------------------------------------------------------------
 */

static void test_correlation(void **state)
{
    (void)state;
    for (int seed = 1; seed <= 4; seed++) {
        wac_config config = tiny("lqg", "oe-wac", 2);
        config.seed = seed;
        assert_ok(train_new(at("%d", seed), &config, NULL));
    }
    /* barely trained: no mirror yet */
    assert_verdict("rule: correlation, above: -0.9", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "LQG: rank correlation");
    assert_verdict("rule: correlation, below: -0.9", WAC_VERDICT_FAILS, WAC_VERDICT_FAILS,
                   "asked for below −0.9");
    assert_verdict("rule: correlation, below: 1.5", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "4 seeds");
    assert_true(judgement.findings[0].low < judgement.findings[0].estimate);
    /* nobody is ahead of itself times one, everybody of itself times a hundredth */
    assert_verdict("rule: ahead-of, who: oe-wac, than: {lambda: 0.5}, measure: unseen-std, factor: "
                   "0.01",
                   WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS, "for 0.01 times λ 0.5");
    assert_verdict("rule: ahead-of, who: oe-wac, than: {lambda: 0.5}, measure: mirror",
                   WAC_VERDICT_UNDECIDED, WAC_VERDICT_UNDECIDED, "is ahead with probability 0.5");
    /* another setting is a finding of its own, not four more seeds */
    for (int seed = 1; seed <= 4; seed++) {
        wac_config config = tiny("lqg", "oe-wac", 2);
        config.seed = seed;
        config.lambda = 0;
        assert_ok(train_new(at("other-%d", seed), &config, NULL));
    }
    assert_verdict("rule: correlation, below: 1.5", WAC_VERDICT_HOLDS, WAC_VERDICT_HOLDS,
                   "LQG (λ 0): rank");
    assert_int_equal(judgement.count, 2);
    assert_int_equal(judgement.findings[1].seeds, 4);
    remove_folder(at("4"));
    assert_verdict("rule: correlation, below: 1.5, where: {lambda: 0.5}", WAC_VERDICT_UNDECIDED,
                   WAC_VERDICT_HOLDS, "3 seeds");
}

/* --- other programs' runs -----------------------------------------------------------------------
 */

/* A table's run is none of those that were planned, whatever it is called. */
static void test_foreign(void **state)
{
    (void)state;
    fake ours = {"lqg", "oe-wac", 1, 3, 0, NULL, NULL, NULL, NULL, -1, 0.3, 10, -2};
    make_fake(at("runs/ours"), &ours);
    save_text(at("other.csv"), "run,algorithm,environment,seed,step,value\n"
                               "a,sac,lqg,1,1000,-1\na,sac,lqg,1,4000,-1\n"
                               "b,oe-wac,lqg,2,1000,-1\nb,oe-wac,lqg,2,4000,-1\n");
    const char *paths[] = {at("runs"), at("other.csv")};
    assert_ok(wac_runset_load(&set, paths, 2, false, &error));
    assert_int_equal(set.count, 3);
    plan_also("lqg", "oe-wac", 1, 3, NULL, NULL);
    plan_also("lqg", "oe-wac", 2, 3, NULL, NULL);
    plan_also("lqg", "sac", 1, 3, NULL, NULL);
    wac_sweep sweep = {.runs = calloc(planned_count, sizeof *sweep.runs), .count = planned_count};
    for (size_t i = 0; i < planned_count; i++) {
        sweep.runs[i].config = planned[i];
        const wac_record *found = wac_plan_find(&set, &planned[i]);
        assert_ptr_equal(found, i == 0 ? &set.runs[0] : NULL);
    }
    for (size_t i = 0; i < set.count; i++) {
        assert_int_equal(wac_record_is_foreign(&set.runs[i]), i > 0);
        assert_true(set.runs[i].finished);
        assert_int_equal(wac_plan_means(&sweep, &set.runs[i].config), i == 0);
    }
    wac_plan plan;
    assert_ok(wac_plan_make(&plan, &sweep, &set, &error));
    assert_int_equal(plan.count, planned_count); /* nor further seeds of theirs */
    for (size_t i = 0; i < plan.count; i++)
        assert_int_equal(plan.runs[i].fate,
                         plan.runs[i].record ? WAC_FATE_FINISHED : WAC_FATE_MISSING);
    wac_plan_free(&plan);
    wac_sweep_free(&sweep);
    wac_runset_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLAIM_TEST(test_ahead),
        CLAIM_TEST(test_ahead_over_all),
        CLAIM_TEST(test_never_over_all),
        CLAIM_TEST(test_hardly_ahead),
        CLAIM_TEST(test_level),
        CLAIM_TEST(test_less_spread),
        CLAIM_TEST(test_faster),
        CLAIM_TEST(test_missing_runs),
        CLAIM_TEST(test_settings_are_no_seeds),
        CLAIM_TEST(test_factor),
        CLAIM_TEST(test_equal_is_equal),
        CLAIM_TEST(test_lengths),
        CLAIM_TEST(test_counts),
        CLAIM_TEST(test_counts_of_planned),
        CLAIM_TEST(test_compound),
        CLAIM_TEST(test_solved_by_return),
        CLAIM_TEST(test_correlation),
        CLAIM_TEST(test_foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
