/* A trained run in the hands of a program: what wac/run.h offers, in the world's own units. */
#include "support/small_runs.h"

#include "run/run.h"

static wac_run *trained(const char *environment, const char *algorithm)
{
    wac_run *run;
    wac_config config = tiny(environment, algorithm, 2);
    assert_ok(train_new(at("run"), &config, NULL));
    assert_ok(wac_run_open(&run, at("run"), NULL, NULL, &error));
    return run;
}

/* Observations and actions are mapped by the world's bounds, whichever way. */
static void a_policy_acts_in_the_worlds_units(void **state)
{
    (void)state;
    wac_run *run = trained("lqg", "oe-wac");
    const wac_environment_spec *spec = wac_run_spec(run);
    assert_int_equal(spec->observation_size, 1);
    double high = spec->observation_high[0], reach = spec->action_high[0];
    assert_true(high == 4 && reach == 4);
    for (double x = -1.5 * high; x <= 1.5 * high; x += high / 4) {
        double action, mean, std, clipped = fmax(-high, fmin(high, x));
        float seen, chosen, inside = (float)(clipped / high), values[2];
        wac_run_to_agent(run, &x, &seen);
        assert_true(seen == inside);
        for (int role = 0; role < WAC_POLICY_TOTAL; role++) {
            wac_agent_act(wac_run_agent(run), (wac_policy_role)role, &inside, &chosen);
            wac_run_act(run, (wac_policy_role)role, &x, &action);
            assert_true(fabs(action - (double)chosen * reach) < 1e-12);
            wac_run_to_world(run, &chosen, &mean);
            assert_true(mean == action);
        }
        wac_run_value(run, &x, &action, &mean, &std);
        chosen = (float)(action / reach);
        wac_agent_value(wac_run_agent(run), 1, &inside, &chosen, &values[0], &values[1]);
        assert_true(mean == (double)values[0] && std == (double)values[1] && std > 0);
    }
    wac_run_destroy(run);
}

/* Values of many pairs at once, more than a batch has, are those of each by itself. Sums run in
 * another order then. */
static void many_pairs_are_valued_as_one_is(void **state)
{
    (void)state;
    enum { ROWS = 101 };
    wac_run *run = trained("lqg", "oe-wac");
    float observations[ROWS], actions[ROWS], means[ROWS], stds[ROWS], others[ROWS];
    for (int i = 0; i < ROWS; i++) {
        observations[i] = (float)i / 50 - 1;
        actions[i] = sinf((float)i);
    }
    wac_agent_value(wac_run_agent(run), ROWS, observations, actions, means, stds);
    wac_agent_value(wac_run_agent(run), ROWS, observations, actions, others, NULL);
    for (int i = 0; i < ROWS; i++) {
        float mean, std;
        wac_agent_value(wac_run_agent(run), 1, &observations[i], &actions[i], &mean, &std);
        assert_true(fabsf(means[i] - mean) < 1e-5f * fmaxf(1, fabsf(mean)));
        assert_true(fabsf(stds[i] - std) < 1e-5f * std);
        assert_true(others[i] == means[i]);
    }
    assert_true(means[0] != means[1] && stds[0] != stds[ROWS - 1]);
    wac_run_destroy(run);
}

/* Who only peeks leaves the replay alone, and is told the same. */
static void a_peek_tells_the_same(void **state)
{
    (void)state;
    wac_run *run = trained("lqg", "oe-wac"), *peeked;
    save_text(at("run/checkpoint/replay.safetensors"), "of no interest");
    assert_int_equal(wac_run_open(&peeked, at("run"), NULL, NULL, &error), WAC_STATUS_INPUT);
    assert_ok(wac_run_peek(&peeked, at("run"), &error));
    double place = 1, push = 0.5, values[2][2];
    wac_run_value(run, &place, &push, &values[0][0], &values[0][1]);
    wac_run_value(peeked, &place, &push, &values[1][0], &values[1][1]);
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    wac_run_destroy(peeked);
    wac_run_destroy(run);
    assert_int_equal(wac_run_peek(&peeked, at("nothing"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "there is no run", "nothing");
    assert_false(wac_run_is_in_use(at("run")) || wac_run_is_in_use(at("nothing")));
    /* one that has lost its checkpoint, and one that never had any */
    remove_folder(at("run/checkpoint"));
    assert_int_equal(wac_run_peek(&peeked, at("run"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "has been trained", "checkpoint is gone");
    assert_int_equal(unlink(at("run/progress.csv")), 0);
    assert_int_equal(wac_run_peek(&peeked, at("run"), &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "has no checkpoint yet", "wac train --resume");
}

static void without_stds_there_is_none(void **state)
{
    (void)state;
    wac_run *run = trained("riverswim", "sac");
    double x = 12, action, mean, std = 0;
    assert_false(wac_agent_has_std(wac_run_agent(run)));
    wac_run_act(run, WAC_POLICY_TARGET, &x, &action);
    wac_run_value(run, &x, &action, &mean, &std);
    assert_true(isfinite(mean) && isnan(std));
    wac_run_value(run, &x, &action, &mean, NULL);
    wac_run_destroy(run);
}

/* Under running normalisation the agent gets observations as they are. */
static void running_normalisation_leaves_observations(void **state)
{
    (void)state;
    wac_run *run;
    wac_config config = tiny("lqg", "sac", 1);
    config.normalisation = WAC_NORMALISATION_RUNNING;
    assert_ok(train_new(at("run"), &config, NULL));
    assert_ok(wac_run_open(&run, at("run"), NULL, NULL, &error));
    double x = 3.5;
    float seen;
    wac_run_to_agent(run, &x, &seen);
    assert_true(seen == 3.5f);
    wac_run_destroy(run);
}

static void episodes_follow_from_the_seed(void **state)
{
    (void)state;
    wac_run *run = trained("lqg", "oe-wac");
    wac_evaluation first, again, other, sampled;
    assert_ok(wac_run_evaluate(&first, run, WAC_POLICY_TARGET, false, 3, 5, &error));
    assert_ok(wac_run_evaluate(&other, run, WAC_POLICY_TARGET, false, 3, 6, &error));
    assert_ok(wac_run_evaluate(&sampled, run, WAC_POLICY_TARGET, true, 3, 5, &error));
    assert_ok(wac_run_evaluate(&again, run, WAC_POLICY_TARGET, false, 3, 5, &error));
    /* least, most and mean say what the third of three is, and so the deviation */
    double least = sampled.smallest_return, most = sampled.largest_return,
           mean = sampled.mean_return;
    double third = 3 * mean - least - most;
    assert_true(least < most && third >= least && third <= most);
    double squares = pow(least - mean, 2) + pow(most - mean, 2) + pow(third - mean, 2);
    assert_true(fabs(sampled.std_return - sqrt(squares / 2)) < 1e-9 * (most - least));
    assert_int_equal(first.episodes, 3);
    assert_int_equal(first.steps, 3 * wac_run_config(run)->path_limit);
    assert_true(first.mean_return == again.mean_return);
    assert_true(first.mean_return != other.mean_return);
    assert_true(first.mean_return != sampled.mean_return);
    wac_run_destroy(run);

    static volatile int stop = 1;
    wac_run_options options = wac_run_options_default();
    options.stop = &stop;
    assert_ok(wac_run_open(&run, at("run"), NULL, &options, &error));
    assert_int_equal(wac_run_evaluate(&first, run, WAC_POLICY_TARGET, false, 3, 5, &error),
                     WAC_STATUS_INTERRUPTED);
    wac_run_destroy(run);
}

/* An agent that was saved alone goes on alone. */
static void agents_save_and_load_themselves(void **state)
{
    (void)state;
    wac_run *run = trained("riverswim", "me-wac");
    wac_agent *agent = wac_run_agent(run), *other;
    assert_ok(wac_directory_make(at("agent"), &error));
    assert_ok(wac_agent_save(agent, at("agent"), &error));
    assert_ok(wac_agent_create(&other, wac_run_config(run), 1, 1, 1, -1, &error));
    assert_ok(wac_agent_load(other, at("agent"), &error));
    assert_int_equal(wac_agent_remembered(other), wac_agent_remembered(agent));
    assert_true(wac_agent_alpha(other, WAC_POLICY_TARGET) ==
                wac_agent_alpha(agent, WAC_POLICY_TARGET));
    for (int i = 0; i < 3; i++)
        (void)learn_alike(agent, other);
    wac_agent_destroy(other);
    wac_run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_policy_acts_in_the_worlds_units),
        TEST(many_pairs_are_valued_as_one_is),
        TEST(a_peek_tells_the_same),
        TEST(without_stds_there_is_none),
        TEST(running_normalisation_leaves_observations),
        TEST(episodes_follow_from_the_seed),
        TEST(agents_save_and_load_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
