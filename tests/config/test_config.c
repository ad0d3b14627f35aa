/* Settings: what is refused and in which words, the presets, and the way to YAML and back. */
#include "base/suggest.h"
#include "config/config.h"
#include "config/presets.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/documented.h"

static const char *const algorithms[] = {"oe-wac",     "me-wac",  "sac", "oac", "redq", "sunrise",
                                         "maxinfosac", "sac-rnd", "top", "bro", "simba"};
static const char *const environments[] = {
    "lqg",         "riverswim",           "point-3", "hopper", "mine", "mujoco:../some/model.xml",
    "mountaincar", "cartpole-sparse-cost"};
enum { ENVIRONMENTS = sizeof environments / sizeof *environments };

static wac_config make(const char *environment, const char *algorithm)
{
    wac_config config;
    wac_error error = {0};
    assert_int_equal(wac_config_init(&config, environment, algorithm, &error), WAC_STATUS_OK);
    return config;
}

static void assert_same(const wac_config *a, const wac_config *b)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    static const size_t sizes[] = {sizeof(double), sizeof(int64_t), sizeof(bool), sizeof(int)};
    assert_string_equal(a->environment, b->environment);
    for (size_t i = 0; i < count; i++)
        if (wac_config_reads(a, &settings[i]))
            assert_memory_equal((const char *)a + settings[i].offset,
                                (const char *)b + settings[i].offset, sizes[settings[i].kind]);
}

static void table_is_sound(void **state)
{
    (void)state;
    size_t count;
    const wac_setting *settings = wac_settings(&count), *found;
    assert_int_equal(count, WAC_SETTINGS_TOTAL);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(wac_setting_find(&found, settings[i].name, NULL), WAC_STATUS_OK);
        assert_ptr_equal(found, &settings[i]); /* no name twice */
        assert_true(settings[i].algorithms != 0 && *settings[i].help);
    }
}

static void defaults_and_presets_are_in_range(void **state)
{
    (void)state;
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    for (size_t e = 0; e < ENVIRONMENTS; e++) {
        for (size_t a = 0; a < 9; a++) {
            wac_config config = make(environments[e], algorithms[a]), again = config;
            wac_error error = {0};
            assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
            for (size_t i = 0; i < count; i++) {
                char text[64];
                wac_config_format(&config, &settings[i], text, sizeof text);
                if (wac_config_reads(&config, &settings[i]))
                    assert_int_equal(wac_config_set(&again, settings[i].name, text, &error), 0);
            }
            assert_same(&config, &again);
        }
    }
    /* a row of the presets that names no setting would never be noticed */
    const wac_setting *setting;
    const wac_preset *presets = wac_presets(&count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(wac_setting_find(&setting, presets[i].key, NULL), WAC_STATUS_OK);
}

static void presets_are_the_papers(void **state)
{
    (void)state;
    static const struct {
        const char *environment;
        wac_algorithm algorithm;
        int64_t path_limit, width, epochs;
        double rate, reward, quantile, lambda, rho, oac_delta, oac_beta;
    } rows[] = {
        {"lqg", WAC_ALGORITHM_OE_WAC, 10, 128, 200, 3e-4, 0.5, 0.95, 0.5, 0.5, 20, 4},
        {"riverswim", WAC_ALGORITHM_OE_WAC, 300, 128, 200, 3e-4, 0.2, 0.95, 0.25, 0.6, 18, 6.5},
        {"point-1", WAC_ALGORITHM_OE_WAC, 300, 256, 300, 1e-3, 0.5, 0.95, 0.6, 0.6, 18, 6.5},
        {"point-4", WAC_ALGORITHM_OE_WAC, 300, 256, 300, 1e-3, 0.5, 0.95, 0.6, 0.6, 18, 6.5},
        {"point-2-sparse", WAC_ALGORITHM_OE_WAC, 300, 256, 400, 1e-3, 0.5, 0.95, 0.6, 0.6, 18, 6.5},
        {"halfcheetah", WAC_ALGORITHM_ME_WAC, 1000, 256, 1000, 3e-4, 0.5, 0.9, 0.6, 1, 23.53, 4.66},
        {"walker2d", WAC_ALGORITHM_ME_WAC, 1000, 256, 1000, 3e-4, 0.5, 0.9, 0.6, 1, 23.53, 4.66},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        wac_config config = make(rows[i].environment, NULL);
        assert_int_equal(config.algorithm, rows[i].algorithm);
        assert_int_equal(config.path_limit, rows[i].path_limit);
        assert_int_equal(config.width, rows[i].width);
        assert_int_equal(config.batch_size, 256);
        assert_int_equal(config.epochs, rows[i].epochs);
        assert_int_equal(config.replay_capacity, 1000000);
        assert_int_equal(config.initial_steps, 1000);
        assert_int_equal(config.explore_steps, 1000);
        assert_int_equal(config.updates, 1000);
        assert_int_equal(config.evaluation_steps, 3000);
        assert_true(config.learning_rate == rows[i].rate);
        assert_true(config.std_learning_rate == rows[i].rate);
        assert_true(config.discount == 0.99 && config.target_rate == 0.005);
        assert_true(config.reward_min == -rows[i].reward && config.reward_max == rows[i].reward);
        assert_true(config.quantile == rows[i].quantile);
        assert_true(config.lambda == rows[i].lambda && config.rho == rows[i].rho);
        assert_true(config.noise_std == 0.5);
        assert_int_equal(config.reward_rule, WAC_REWARD_RULE_DESCRIPTION);
        assert_int_equal(config.reward == WAC_REWARD_SPARSE, rows[i].epochs == 400);
        assert_false(config.mean_prior);
        assert_true(config.entropy_tuning && config.entropy_weight == 1);

        config = make(rows[i].environment, "oac");
        assert_true(config.oac_delta == rows[i].oac_delta && config.oac_beta == rows[i].oac_beta);
        assert_int_equal(config.path_limit, rows[i].path_limit);
    }

    /* REDQ's are those of its authors' program, where that has the world; others keep theirs */
    static const struct {
        const char *environment;
        int64_t epochs;
        double entropy; /* of a whole action */
        int actions;
    } redq[] = {{"halfcheetah", 400, -3, 6}, {"walker2d", 300, -3, 6}, {"hopper", 125, -1, 3}};
    for (size_t i = 0; i < 3; i++) {
        wac_config config = make(redq[i].environment, "redq");
        assert_int_equal(config.epochs, redq[i].epochs);
        assert_true(config.entropy_target * redq[i].actions == redq[i].entropy);
        assert_true(config.critics == 10 && config.subset == 2 && config.policy_delay == 20);
        assert_true(config.updates == 20 * config.explore_steps && config.update_interval == 1);
        assert_true(config.initial_steps == 5000 && config.random_steps == 5000);
        config = make(redq[i].environment, "sac");
        assert_true(config.updates == 1000 && config.entropy_target == -1);
    }
    assert_true(make("lqg", "redq").updates == 1000);
    /* TOP's are everywhere, but for the steps that its authors' worlds begin with */
    assert_true(make("lqg", "top").update_interval == 1 && make("lqg", "top").policy_delay == 2);
    assert_true(make("mine", "top").first_weights == WAC_FIRST_WEIGHTS_INPUTS);
    assert_true(make("lqg", "top").random_steps == 1000 && make("lqg", "sac").random_steps == 0);
    assert_true(make("hopper", "top").random_steps == 25000);
    assert_true(make("lqg", "redq").policy_delay == 20 && make("lqg", "sac").update_interval == 0);

    /* SUNRISE's, too */
    wac_config sunrise = make("hopper", "sunrise");
    assert_true(sunrise.members == 5 && sunrise.member_share == 0.5);
    assert_true(sunrise.backup_temperature == 20 && sunrise.optimism == 1);
    assert_true(sunrise.exploration == WAC_EXPLORATION_OPTIMISTIC && sunrise.epochs == 210);
    assert_true(sunrise.updates == 1000 && make("lqg", "sunrise").epochs == 200);

    /* so are MaxInfoSAC's */
    wac_config config = make("cartpole-sparse", "maxinfosac");
    assert_true(config.models == 5 && config.model_learning_rate == 3e-4);
    assert_true(config.bonus_weight == 1 && config.bonus_tuning);
    assert_true(config.initial_steps == 500 && config.update_interval == 1 && config.epochs == 500);
    assert_true(config.width == 256 && config.batch_size == 256 && config.learning_rate == 3e-4);
    assert_true(make("reacher-hard", "maxinfosac").epochs == 1000);
    assert_true(make("cartpole-sparse", "sac").update_interval == 0);
}

static void bad_values_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *environment, *algorithm, *name, *value, *message;
    } cases[] = {
        {"lqg", "oe-wac", "lamda", "1", "unknown setting \"lamda\"; did you mean \"lambda\"?"},
        {"lqg", "oe-wac", "zzz", "1", "unknown setting \"zzz\"; \"wac config\" lists them all"},
        {"lqg", "sac", "lambda", "1",
         "setting \"lambda\" is not read by sac (only by oe-wac, me-wac); leave it out or choose "
         "another algorithm"},
        {"riverswim", "sac", "noise-std", "1",
         "setting \"noise_std\" is not read by riverswim (only by lqg); leave it out or choose "
         "another environment"},
        {"lqg", "oe-wac", "rho", "-1", "rho must be from 0 to 16, not \"-1\""},
        {"lqg", "oe-wac", "rho", "1e999", "rho must be from 0 to 16, not \"1e999\""},
        {"lqg", "oe-wac", "rho", "nan", "rho must be a number, not \"nan\""},
        {"lqg", "oe-wac", "rho", "inf", "rho must be a number, not \"inf\""},
        {"lqg", "oe-wac", "rho", "0x1", "rho must be a number, not \"0x1\""},
        {"lqg", "oe-wac", "rho", "1,5", "rho must be a number, not \"1,5\""},
        {"lqg", "oe-wac", "rho", " 1", "rho must be a number, not \" 1\""},
        {"lqg", "oe-wac", "rho", "1e", "rho must be a number, not \"1e\""},
        {"lqg", "oe-wac", "rho", "", "rho must be a number, not \"\""},
        {"lqg", "oe-wac", "rho", "a\n\033b", "rho must be a number, not \"a??b\""},
        {"lqg", "oe-wac", "width", "abc", "width must be a whole number, not \"abc\""},
        {"lqg", "oe-wac", "width", "1.5", "width must be a whole number, not \"1.5\""},
        {"lqg", "oe-wac", "width", "1e-400", "width must be a whole number, not \"1e-400\""},
        {"lqg", "oe-wac", "width", "0", "width must be from 1 to 8192, not \"0\""},
        {"lqg", "oe-wac", "seed", "10000000000000000000",
         "seed must be from 0 to 1000000000000000000, not \"10000000000000000000\""},
        {"lqg", "oe-wac", "mean_prior", "perhaps",
         "mean_prior must be false or true, not \"perhaps\""},
        {"lqg", "oe-wac", "backend", "gpu", "backend must be cpu or reference, not \"gpu\""},
        {"lqg", "oe-wac", "algorithm", "sac",
         "algorithm is oe-wac here and can not become \"sac\"; start from the preset of that "
         "algorithm"},
        {"lqg", "oe-wac", "environment", "riverswim",
         "environment is lqg here and can not become \"riverswim\"; start from the preset of that "
         "environment"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wac_config config = make(cases[i].environment, cases[i].algorithm), before = config;
        wac_error error = {0};
        assert_int_equal(wac_config_set(&config, cases[i].name, cases[i].value, &error),
                         WAC_STATUS_INPUT);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(error.status, WAC_STATUS_INPUT);
        assert_memory_equal(&config, &before, sizeof config);
        assert_int_equal(wac_config_set(&config, cases[i].name, cases[i].value, NULL),
                         WAC_STATUS_INPUT);
    }
}

static void good_values_are_taken(void **state)
{
    (void)state;
    wac_config config = make("lqg", "oe-wac");
    wac_error error = {0};
    static const char *const texts[][2] = {
        {"path-limit", "1e3"},  {"updates", "2.5e2"},     {"seed", "999999999999999999"},
        {"rho", "-0"},          {"lambda", "+1.25E-1"},   {"scale_cost", "off"},
        {"mean-prior", "yes"},  {"backend", "reference"}, {"algorithm", "oe-wac"},
        {"environment", "lqg"}, {"noise_std", "0.15"},    {"reward_min", "-0.25"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(wac_config_set(&config, texts[i][0], texts[i][1], &error), WAC_STATUS_OK);
    assert_int_equal(config.path_limit, 1000);
    assert_int_equal(config.updates, 250);
    assert_true(config.seed == 999999999999999999);
    assert_true(config.rho == 0 && !signbit(config.rho) && config.lambda == 0.125);
    assert_true(!config.scale_cost && config.mean_prior);
    assert_int_equal(config.backend, WAC_BACKEND_REFERENCE);
    assert_true(config.noise_std == 0.15 && config.reward_min == -0.25);
}

static void bad_beginnings_are_refused(void **state)
{
    (void)state;
    wac_config config;
    wac_error error = {0};
    assert_int_equal(wac_config_init(&config, "lqg", "oe_wac", &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "unknown algorithm \"oe_wac\"; did you mean \"oe-wac\"?");
    assert_int_equal(wac_config_init(&config, "lqg", "dqn", &error), WAC_STATUS_INPUT);
    assert_string_equal(
        error.message,
        "unknown algorithm \"dqn\"; choose oe-wac, me-wac, sac, oac, redq, sunrise, maxinfosac, "
        "sac-rnd, top, bro, simba, wql, q-learning, delayed-q or bootstrapped-q");
    char longest[sizeof config.environment + 1] = "";
    memset(longest, 'a', sizeof longest - 1);
    const char *const bad[] = {
        "", "a b", "9lives", "a\nb", "a:", "é", "mujoco:a ", "mujoco:\"a.xml", longest};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(wac_config_init(&config, bad[i], NULL, &error), WAC_STATUS_INPUT);
        assert_non_null(strstr(error.message, "is no good name"));
    }
    longest[sizeof longest - 2] = 0;
    assert_int_equal(wac_config_init(&config, longest, NULL, &error), WAC_STATUS_OK);
}

static void whole_is_checked(void **state)
{
    (void)state;
    wac_error error = {0};
    wac_config config = make("lqg", "oe-wac");
    config.reward_min = 0.5;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "reward_min (0.5) must be below reward_max (0.5)");
    config.algorithm = WAC_ALGORITHM_SAC; /* which has no prior */
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    config.batch_size = 0;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "batch_size must be from 1 to 65536, not \"0\"");

    config = make("lqg", "oe-wac");
    config.discount = NAN;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "discount must be from 0 to 0.999999, not \"nan\"");
    config = make("lqg", "oe-wac");
    config.backend = 2;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "backend must be cpu or reference, not \"?\"");
    config.algorithm = -1;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    config = make("lqg", "sac");
    config.precision = WAC_PRECISION_MIXED;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    config.backend = WAC_BACKEND_REFERENCE;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "precision mixed and tf32 are for backend cpu; set precision to "
                        "single, or backend to cpu");
    config = make("lqg", "oe-wac");
    memset(config.environment, 'a', sizeof config.environment);
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);

    config = make("lqg", "redq");
    config.critics = 3;
    config.subset = 4;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "subset (4) must not be larger than critics (3), from which it is drawn");
    config.subset = 3;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);

    /* a member leads in one world at a time; bounds are known in all of them */
    config = make("lqg", "sunrise");
    config.worlds = 4;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    config.exploration = WAC_EXPLORATION_SAMPLING;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "exploration sampling has one member lead for an episode, and worlds (4) "
                        "are several at a time; set worlds to 1, or exploration to optimistic or "
                        "mean");
    config.worlds = 1;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);

    /* a bandit judges what is learned in an episode, one at a time; without a choice all goes */
    config = make("lqg", "top");
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    config.optimism_low = 0.5;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message, "optimism_low (0.5) must not be above optimism_high (0)");
    config.optimism_low = -1;
    config.worlds = 4;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "a bandit chooses the optimism of one episode, and worlds (4) are several "
                        "at a time; set worlds to 1, or optimism_low and optimism_high to the "
                        "same");
    config.worlds = 1;
    config.update_interval = 0;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "a bandit judges what is learned during an episode, and with "
                        "update_interval 0 nothing is; set it to 1, or optimism_low and "
                        "optimism_high to the same");
    config.worlds = 4;
    config.optimism_low = config.optimism_high;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);

    /* what is learned on a log scale cannot begin at its end; of an ensemble it is not learned */
    config = make("lqg", "bro");
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    config.optimism = 0;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "optimism (0) is where bro begins to learn it, and must be from 0.0001 to "
                        "1000; for one that stays there set divergence_rate to 0");
    config.optimism = 1001;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    config = make("lqg", "sunrise");
    config.optimism = 0;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    /* its authors' settings, everywhere and in their worlds */
    config = make("lqg", "bro");
    assert_true(config.network == WAC_NETWORK_BRONET && config.log_std == WAC_LOG_STD_BENT &&
                config.quantiles == 100 && config.width == 128 && config.reset_interval == 0);
    config = make("hopper", "bro");
    assert_true(config.width == 512 && config.policy_width == 256 && config.batch_size == 128 &&
                config.updates == 10000 && config.reset_first == 125000 &&
                config.reset_second == 475000 && config.reset_interval == 2500000);

    /* one network has one rate, and particles have one network */
    config = make("riverswim", "me-wac");
    config.trunk = WAC_TRUNK_SHARED;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    config.learning_rate = 1e-3;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "std_learning_rate (0.0003) must be learning_rate (0.001) with trunk "
                        "shared, where one network learns mean and spread; set both to the same, "
                        "or trunk to apart");
    config.std_learning_rate = 1e-3;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    config.posterior = WAC_POSTERIOR_PARTICLES;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "trunk shared is for posterior gaussian, and particles come from one "
                        "network as it is; set trunk to apart, or posterior to gaussian");
    config.trunk = WAC_TRUNK_APART;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
    config.normalisation = WAC_NORMALISATION_NONE;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(
        error.message,
        "me-wac draws synthetic pairs from where normalised observations can be, and "
        "with normalisation none that is nowhere; set it to bounds or running");
    config.normalisation = WAC_NORMALISATION_BOUNDS;
    config.std_learning_rate = 2e-3;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
    assert_string_equal(error.message,
                        "std_learning_rate (0.002) must be learning_rate (0.001) with posterior "
                        "particles, where one network learns mean and spread; set both to the "
                        "same, or posterior to gaussian");
    config.posterior = WAC_POSTERIOR_GAUSSIAN;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);

    /* synthetic samples that round to none are no mistake */
    config = make("lqg", "oe-wac");
    config.rho = 1e-6;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_OK);
}

static void yaml_comes_back(void **state)
{
    (void)state;
    static const double awkward[] = {0.1 + 0.2, 1.0 / 3, 1e-7, 5e-324, 123456.78901234567, 0x1p-40};
    for (size_t e = 0; e < ENVIRONMENTS; e++) {
        for (size_t a = 0; a < 9; a++) {
            for (size_t i = 0; i < sizeof awkward / sizeof *awkward; i++) {
                wac_config config = make(environments[e], algorithms[a]), again;
                wac_error error = {0};
                config.lambda = config.noise_std = config.oac_delta = awkward[i];
                config.seed = 999999999999999999;
                config.entropy_tuning = false;
                config.reward_rule = WAC_REWARD_RULE_PROGRAM;
                char *text, *text_again;
                assert_int_equal(wac_config_yaml(&text, &config, &error), WAC_STATUS_OK);
                assert_int_equal(
                    wac_config_parse(&again, text, strlen(text), "text", NULL, NULL, &error),
                    WAC_STATUS_OK);
                assert_same(&config, &again);
                assert_int_equal(wac_config_yaml(&text_again, &again, &error), WAC_STATUS_OK);
                assert_string_equal(text, text_again);
                free(text);
                free(text_again);
            }
        }
    }
}

#define LONG "1111111111222222222233333333334444444444555555555566666666667777"

static void bad_yaml_is_refused(void **state)
{
    (void)state;
    static const char mapping[] = "this is no list of settings; write lines of \"key: value\"";
    static const char single[] =
        "a setting has one value, and neither lists nor settings inside it";
    static const char marks[] =
        "anchors (&name) and tags (!name) are not understood here; leave them out";
    static const struct {
        const char *text;
        int line;
        const char *message;
    } cases[] = {
        {"", 1, "the file is empty; write lines of \"key: value\""},
        {"# nothing\n", 2, "the file is empty; write lines of \"key: value\""},
        {"---\n", 2, mapping},
        {"just words", 1, mapping},
        {"- seed\n- 1\n", 1, mapping},
        {"environment: lqg\nlamda: 1", 2, "unknown setting \"lamda\"; did you mean \"lambda\"?"},
        {"environment: lqg\nseed: [1]", 2, single},
        {"environment: lqg\nseed:\n  width: 1", 3, single},
        {"environment: lqg\n[a]: 1", 2, "a key must be the name of a setting"},
        {"environment: lqg\nseed: &a 1", 2, marks},
        {"environment: lqg\nseed: !!int 1", 2, marks},
        {"&a {environment: lqg}", 1, marks},
        {"environment: lqg\nseed: *a", 2,
         "aliases (*name) are not understood here; write the value itself"},
        {"environment: lqg\nseed: 1\nseed: 1", 3, "\"seed\" was already set on line 2"},
        {"path_limit: 1\npath-limit: 1", 2, "\"path-limit\" was already set on line 1"},
        {"environment: lqg\n---\nenvironment: lqg", 2,
         "a second document starts here; keep one to a file"},
        {"environment: lqg\nseed: \"1\\0\"", 2, "a zero byte has no place in a setting"},
        {"environment: lqg\nseed: " LONG LONG LONG LONG, 2, "this value is too long"},
        {"environment: lqg\n\nrho: -1", 3, "rho must be from 0 to 16, not \"-1\""},
        {"environment: lqg\nseed:", 2, "seed must be a whole number, not \"\""},
        {"algorithm: sca\nenvironment: lqg", 1, "unknown algorithm \"sca\"; did you mean \"sac\"?"},
        {"algorithm: sac\nrho: 1\nenvironment: lqg", 2,
         "setting \"rho\" is not read by sac (only by oe-wac, me-wac); leave it out or choose "
         "another algorithm"},
        {"environment: lqg\nseed: 1\nwidth", 4, "this is not YAML (could not find expected ':')"},
        {"environment: lqg\nseed: \"1", 2, "this is not YAML (found unexpected end of stream)"},
        {"environment: lqg\nseed: \xff", 2, "this is not YAML (invalid leading UTF-8 octet)"},
        {"\x7f"
         "ELF\x02\x01\x01",
         1, "this is not YAML (control characters are not allowed)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wac_config config;
        wac_error error = {0};
        assert_int_equal(wac_config_parse(&config, cases[i].text, strlen(cases[i].text), "f.yaml",
                                          NULL, NULL, &error),
                         WAC_STATUS_INPUT);
        char expected[512];
        snprintf(expected, sizeof expected, "f.yaml:%d: %s", cases[i].line, cases[i].message);
        assert_string_equal(error.message, expected);
    }
    wac_config config;
    wac_error error = {0};
    assert_int_equal(wac_config_parse(&config, "seed: 1", 7, "f.yaml", NULL, NULL, &error),
                     WAC_STATUS_INPUT);
    assert_string_equal(
        error.message,
        "f.yaml names no environment; add a line such as \"environment: riverswim\"");
}

/* A file that goes away with the test; its name is good until the next call. */
static const char *write_file(const char *text, size_t size)
{
    static char path[64];
    strcpy(path, "/tmp/test_config.XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, size), (ssize_t)size);
    close(file);
    return path;
}

static void files_are_read(void **state)
{
    (void)state;
    static const char text[] = "environment: lqg\nalgorithm: me-wac\nlambda: 0.125\n";
    wac_error error = {0};
    wac_config config;
    const char *path = write_file(text, strlen(text));

    assert_int_equal(wac_config_read(&config, path, NULL, NULL, &error), WAC_STATUS_OK);
    assert_string_equal(config.environment, "lqg");
    assert_int_equal(config.algorithm, WAC_ALGORITHM_ME_WAC);
    assert_true(config.lambda == 0.125 && config.rho == 0.5); /* file over preset */

    /* the caller wins over the file */
    assert_int_equal(wac_config_read(&config, path, "riverswim", "oe-wac", &error), WAC_STATUS_OK);
    assert_string_equal(config.environment, "riverswim");
    assert_int_equal(config.algorithm, WAC_ALGORITHM_OE_WAC);
    assert_true(config.lambda == 0.125 && config.rho == 0.6);

    /* over a config that exists, the file must mean the same environment and algorithm */
    config = make("lqg", "me-wac");
    config.width = 64;
    assert_int_equal(wac_config_load(&config, path, &error), WAC_STATUS_OK);
    assert_true(config.lambda == 0.125 && config.width == 64);
    config = make("lqg", "oe-wac");
    wac_config before = config;
    assert_int_equal(wac_config_load(&config, path, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, ":2: algorithm is oe-wac here"));
    assert_memory_equal(&config, &before, sizeof config);
    unlink(path);

    assert_int_equal(wac_config_load(&config, path, &error), WAC_STATUS_IO);
    assert_non_null(strstr(error.message, path));
    char *large = calloc(1, 70000);
    memset(large, '#', 70000);
    path = write_file(large, 70000);
    assert_int_not_equal(wac_config_load(&config, path, &error), WAC_STATUS_OK);
    assert_non_null(strstr(error.message, path));
    unlink(path);
    free(large);
}

/* Cut the file of a run anywhere: it is refused, or nothing is lost. */
static void cut_run_files_are_refused(void **state)
{
    (void)state;
    wac_error error = {0};
    wac_config config = make("riverswim", "oe-wac"), again;
    config.lambda = 0.125;
    config.posterior = WAC_POSTERIOR_PARTICLES;
    config.particles = 21;
    char *text;
    assert_int_equal(wac_config_yaml(&text, &config, &error), WAC_STATUS_OK);
    const char *path = write_file(text, strlen(text));
    int taken = 0;
    for (size_t size = strlen(text); size > 0; size--) {
        assert_int_equal(truncate(path, (off_t)size), 0);
        if (wac_config_read_run(&again, path, &error)) {
            assert_non_null(strstr(error.message, path));
        } else {
            assert_same(&config, &again);
            taken++;
        }
    }
    assert_true(taken > 0 && taken < 100); /* the comment of the last line */
    unlink(path);

    /* a setting that older runs do not have */
    char *line = strstr(text, "update_interval: ");
    memset(line, '#', strcspn(line, "\n"));
    path = write_file(text, strlen(text));
    assert_int_equal(wac_config_read_run(&again, path, &error), WAC_STATUS_OK);
    assert_same(&config, &again);
    unlink(path);

    line = strstr(text, "lambda: ");
    memset(line, '#', strcspn(line, "\n"));
    path = write_file(text, strlen(text));
    assert_int_equal(wac_config_read_run(&again, path, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message,
                           " does not say \"lambda\": it was cut short, or written by another "
                           "version; if the run had its preset, add the line \"lambda: 0.25\""));
    unlink(path);
    free(text);

    /* posteriors are new for WAC, but not for tables */
    for (int table = 0; table < 2; table++) {
        config = make(table ? "riverswim-6" : "riverswim", table ? "wql" : "me-wac");
        assert_int_equal(wac_config_yaml(&text, &config, &error), WAC_STATUS_OK);
        line = strstr(text, "posterior: ");
        memset(line, '#', strcspn(line, "\n"));
        path = write_file(text, strlen(text));
        assert_int_equal(wac_config_read_run(&again, path, &error),
                         table ? WAC_STATUS_INPUT : WAC_STATUS_OK);
        if (!table)
            assert_same(&config, &again);
        unlink(path);
        free(text);
    }
}

static void suggestions_are_near(void **state)
{
    (void)state;
    static const char *const names[] = {
        "train",   "evaluate", "riverswim", "path_limit",  "batch_size",    "oac_delta", "",
        "point-1", "point-2",  "point-3",   "point-4",     "learning_rate", "cat",       "cut",
        "cot",     "cit",      "rates",     "target_rate", "cxt",           NULL};
    static const char *const cases[][2] = {
        {"trian", "\"train\""},
        {"riverswm", "\"riverswim\""},
        {"Path-Limit", "\"path_limit\""},
        {"pathlimit", "\"path_limit\""},
        {"batch", "\"batch_size\""},
        {"eval", "\"evaluate\""},
        {"oac-dleta", "\"oac_delta\""},
        /* a part of a name: a whole one before any slip, another after that */
        {"size", "\"batch_size\""},
        {"lim", "\"path_limit\""},
        {"Swim", "\"riverswim\""},
        {"point", "\"point-1\" to \"point-4\""},
        {"rate", "\"learning_rate\" or \"target_rate\""},
        /* equally near ones: a series is one, and four are enough */
        {"point-5", "\"point-1\" to \"point-4\""},
        {"point-3x", "\"point-3\""},
        {"cet", "\"cat\", \"cut\", \"cot\" or \"cit\""},
        {"x", NULL},
        {"", NULL},
        {"something_else", NULL},
        {"ba", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *near = WAC_SUGGEST(cases[i][0], wac_name_in_array, names, "else");
        char expected[WAC_SUGGESTION] = "else";
        if (cases[i][1])
            snprintf(expected, sizeof expected, "did you mean %s?", cases[i][1]);
        assert_string_equal(near, expected);
    }
    char word[1000] = "";
    memset(word, 'a', sizeof word - 1);
    assert_null(WAC_SUGGEST(word, wac_name_in_array, names, NULL));
    /* long names are still whole ones */
    static const char *const long_names[] = {
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2",
        "baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
        "baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2",
        "caaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1",
        "caaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2",
        NULL};
    const char *near = WAC_SUGGEST(long_names[0] + 1, wac_name_in_array, long_names, "else");
    assert_true(strlen(near) > 4 && near[strlen(near) - 1] == '?');
    const char *clipped = WAC_CLIP(word);
    assert_int_equal(strlen(clipped), WAC_CLIP_SIZE - 1);
    assert_string_equal(clipped + WAC_CLIP_SIZE - 4, "...");
    /* a character of two bytes is kept or dropped, never cut */
    for (size_t i = 0; i + 2 < sizeof word; i += 2)
        memcpy(word + i, "\xc3\xa9", 2);
    assert_int_equal(strlen(WAC_CLIP(word)) % 2, 1);
}

/* --- the tables of docs/settings.md ---------------------------------------------------------- */

/* A cell without spaces and backticks. */
static void plain(char *to, size_t size, const char *cell)
{
    size_t used = 0;
    for (; *cell && used + 1 < size; cell++) {
        bool minus = strncmp(cell, "−", 3) == 0;
        if (!strchr(" `", *cell))
            to[used++] = minus ? '-' : *cell;
        cell += minus ? 2 : 0;
    }
    to[used] = 0;
}

/* Each value that a cell names is the one that the preset has. */
static void check_cell(const char *environment, const char *keys, const char *values)
{
    char names[128], numbers[128], *name_rest, *number_rest;
    plain(names, sizeof names, keys);
    plain(numbers, sizeof numbers, values);
    char *name = strtok_r(names, ",", &name_rest), *number = strtok_r(numbers, ",", &number_rest);
    for (; name && number;
         name = strtok_r(NULL, ",", &name_rest), number = strtok_r(NULL, ",", &number_rest)) {
        wac_config preset, told;
        bool oac = strncmp(name, "oac", 3) == 0;
        assert_int_equal(wac_config_init(&preset, environment, oac ? "oac" : NULL, NULL), 0);
        told = preset;
        if (wac_config_set(&told, name, number, NULL) != WAC_STATUS_OK ||
            wac_config_compare(&preset, &told, NULL) != 0)
            fail_msg("docs/settings.md says %s %s for %s", name, number, environment);
    }
    assert_true(!name && !number);
}

static void the_documented_presets_are_those(void **state)
{
    (void)state;
    static const char *const columns[] = {"lqg", "riverswim", "point-3", "hopper"};
    int rows = 0;
    for (documented table = documented_open("settings.md", "| | lqg |"); documented_next(&table);
         rows++)
        for (int i = 0; i < 4; i++)
            if (*table.cells[1 + i])
                check_cell(columns[i], table.cells[0], table.cells[1 + i]);
    assert_int_equal(rows, 12);
}

/* Every setting once, with its default. */
static void the_documented_settings_are_those(void **state)
{
    (void)state;
    bool seen[WAC_SETTINGS_TOTAL] = {false};
    size_t found = 0, count;
    const wac_setting *settings = wac_settings(&count), *setting;
    wac_config defaults = make("mine", NULL);
    for (documented table = documented_open("settings.md", "| setting |");
         documented_next(&table);) {
        char names[128], values[128], is[64], *name_rest, *value_rest;
        plain(names, sizeof names, table.cells[0]);
        plain(values, sizeof values, table.cells[1]);
        char *name = strtok_r(names, ",", &name_rest), *told = strtok_r(values, ",", &value_rest);
        for (; name && told; name = strtok_r(NULL, ",", &name_rest),
                             told = strtok_r(NULL, ",", &value_rest), found++) {
            if (wac_setting_find(&setting, name, NULL) != WAC_STATUS_OK || seen[setting - settings])
                fail_msg("docs/settings.md has %s, or has it twice", name);
            seen[setting - settings] = true;
            wac_config_format(&defaults, setting, is, sizeof is);
            char *end;
            if (strcmp(told, is) != 0 && (strtod(told, &end) != strtod(is, NULL) || *end))
                fail_msg("docs/settings.md says %s %s, the program %s", name, told, is);
        }
        assert_true(!name && !told);
    }
    assert_int_equal(found, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_documented_settings_are_those),
        cmocka_unit_test(the_documented_presets_are_those),
        cmocka_unit_test(table_is_sound),
        cmocka_unit_test(defaults_and_presets_are_in_range),
        cmocka_unit_test(presets_are_the_papers),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(good_values_are_taken),
        cmocka_unit_test(bad_beginnings_are_refused),
        cmocka_unit_test(whole_is_checked),
        cmocka_unit_test(yaml_comes_back),
        cmocka_unit_test(bad_yaml_is_refused),
        cmocka_unit_test(files_are_read),
        cmocka_unit_test(cut_run_files_are_refused),
        cmocka_unit_test(suggestions_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
