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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
