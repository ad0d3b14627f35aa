/* What the algorithms must learn, at full size: run by `make test-learning`, not by `make test`. */
#include "support/learning_curves.h"

/* OE-WAC finds the far end of the river; SAC never does. */
static void test_riverswim(void **state)
{
    (void)state;
    learning runs[10];
    for (int i = 0; i < 10; i++)
        runs[i] = (learning){.environment = "riverswim",
                             .algorithm = i < 5 ? "oe-wac" : "sac",
                             .seed = i % 5 + 1,
                             .epochs = 40,
                             .stop_at = NAN,
                             .wanted = 100};
    learning_run_all(runs, 10);
    int solved = 0;
    for (int i = 0; i < 5; i++)
        solved += runs[i].best >= 100;
    printf("OE-WAC reaches 100 in %d of 5 seeds\n", solved);
    assert_true(solved >= 4);
    for (int i = 5; i < 10; i++)
        assert_true(runs[i].best < 1);
}

/* So it does with particles, and with one network for mean and std. */
static void test_posteriors(void **state)
{
    (void)state;
    learning runs[6];
    int solved[2] = {0};
    for (int i = 0; i < 6; i++)
        runs[i] = (learning){.environment = "riverswim",
                             .algorithm = "oe-wac",
                             .seed = i % 3 + 1,
                             .epochs = 30,
                             .posterior = i < 3 ? WAC_POSTERIOR_PARTICLES : WAC_POSTERIOR_GAUSSIAN,
                             .trunk = i < 3 ? WAC_TRUNK_APART : WAC_TRUNK_SHARED,
                             .stop_at = 100,
                             .wanted = 100};
    learning_run_all(runs, 6);
    for (int i = 0; i < 6; i++)
        solved[i / 3] += runs[i].best >= 100;
    printf("100 is reached in %d of 3 seeds with particles, %d of 3 with a shared trunk\n",
           solved[0], solved[1]);
    assert_true(solved[0] >= 2 && solved[1] >= 2);
}

/* All three come within 10 % of the best linear controller, from the same starts. */
static void test_lqg(void **state)
{
    (void)state;
    const char *const algorithms[] = {"sac", "oac", "me-wac"};
    learning runs[3];
    for (int i = 0; i < 3; i++)
        runs[i] = (learning){.environment = "lqg",
                             .algorithm = algorithms[i],
                             .seed = 1,
                             .epochs = 20,
                             .stop_at = NAN,
                             .wanted = INFINITY};
    learning_run_all(runs, 3);
    double reference = lqg_reference(1, 20);
    for (int i = 0; i < 3; i++) {
        printf("%-7s at epoch 20: %.4f, u = -0.618 x: %.4f\n", algorithms[i], runs[i].returns[20],
               reference);
        assert_true(runs[i].returns[20] >= 1.1 * reference); /* returns are negative */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lqg),
        cmocka_unit_test(test_riverswim),
        cmocka_unit_test(test_posteriors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
