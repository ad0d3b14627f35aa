/* The fast part of the learning tests: one seed each, and no longer than it takes. */
#include "support/learning_curves.h"

static void test_learns(void **state)
{
    (void)state;
#ifdef WAC_SANITIZED
    print_message("skipped: learning takes too long under a sanitizer\n");
    skip();
#endif
    /* the controller's return hardly depends on the epoch: its noise does */
    double near = 1.08 * lqg_reference(1, 0);
    learning runs[] = {
        {"riverswim", "oe-wac", 1, 30, .stop_at = 100, .wanted = 100, .width = 64,
         .batch_size = 64},
        {"lqg", "sac", 1, 12, .stop_at = near, .wanted = near},
        {"riverswim", "sac", 1, 20, .stop_at = NAN, .wanted = 100, .width = 64, .batch_size = 64},
        {"lqg", "sunrise", 1, 12, .stop_at = near, .wanted = near, .width = 32, .batch_size = 64},
        {"lqg", "sac-rnd", 1, 12, .stop_at = near, .wanted = near, .width = 64, .batch_size = 64},
        {"lqg", "maxinfosac", 1, 12, .stop_at = near, .wanted = near, .width = 64, .batch_size = 64,
         .bonus_weight = 0.1},
        {"lqg", "sac", 1, 12, .stop_at = near, .wanted = near, .width = 32, .batch_size = 64,
         .network = WAC_NETWORK_SIMBA},
        {"lqg", "sac", 1, 12, .stop_at = near, .wanted = near, .width = 32, .batch_size = 64,
         .network = WAC_NETWORK_BRONET},
        {"lqg", "top", 1, 6, .stop_at = near, .wanted = near, .width = 64, .batch_size = 64},
        {"lqg", "bro", 1, 12, .stop_at = near, .wanted = near, .width = 32, .batch_size = 64,
         .network = WAC_NETWORK_BRONET},
    };
    enum { RUNS = sizeof runs / sizeof *runs };
    learning_run_all(runs, RUNS);
    assert_true(runs[0].best >= 100);
    assert_true(runs[1].best >= 1.1 * lqg_reference(1, runs[1].first_above));
    assert_true(runs[2].best < 1);
    for (int i = 3; i < RUNS; i++)
        assert_true(runs[i].best >= 1.1 * lqg_reference(1, runs[i].first_above));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_learns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
