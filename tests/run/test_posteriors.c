/* Runs of WAC whose critics put out whole posteriors, particles or mean and std: all that can be
 * done with a run can be done with these. */
#include "export/export.h"
#include "nn/cpu/product.h"
#include "run/maps.h"
#include "run/run.h"
#include "support/stopping.h"

enum { KINDS = 3 };

/* 0: Gaussians as two heads of one network; 1, 2: few particles, and more. */
static wac_config kind_of(int kind, const char *environment, const char *algorithm, int64_t epochs)
{
    wac_config config = tiny(environment, algorithm, epochs);
    config.std_learning_rate = config.learning_rate;
    if (kind == 0) {
        config.trunk = WAC_TRUNK_SHARED;
    } else {
        config.posterior = WAC_POSTERIOR_PARTICLES;
        config.particles = kind == 1 ? 2 : 21;
    }
    return config;
}

static wac_run *open_run(const char *directory)
{
    wac_run *run;
    assert_ok(wac_run_open(&run, directory, NULL, NULL, &error));
    return run;
}

static void stopping_anywhere_changes_nothing(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        wac_config config = kind_of(kind, "lqg", kind == 1 ? "me-wac" : "oe-wac", 3);
        config.update_interval = 7 * kind;
        config.mean_prior = kind == 2;
        if (kind == 2 && !wac_mixed_missing()) {
            config.precision = WAC_PRECISION_MIXED;
            config.width = 32;
        }
        config.reward_prior = kind == 2 ? WAC_REWARD_PRIOR_MEASURED : WAC_REWARD_PRIOR_GIVEN;
        wac_run_options options = stop_after(-1, 1);
        assert_ok(train_new(at("whole"), &config, &options));
        for (long stop_at = 0, reports = watch.reports; stop_at < reports; stop_at += 17) {
            options = stop_after(stop_at, 2);
            assert_int_equal(train_new(at("parts"), &config, &options), WAC_STATUS_INTERRUPTED);
            assert_ok(train_on(at("parts"), "lqg", NULL, 0));
            assert_same_runs(at("whole"), at("parts"));
            remove_folder(at("parts"));
        }
        remove_folder(at("whole"));
    }
}

/* Mean and std of pairs, episodes, maps, and an agent that loads what another saved. */
static void runs_are_of_use(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        wac_config config = kind_of(kind, "riverswim", "oe-wac", 2);
        wac_run_options options = wac_run_options_default();
        options.maps = true;
        assert_ok(train_new(at("run"), &config, &options));
        wac_run *run = open_run(at("run"));
        const wac_seat *seat = &run->agent->seat[0];
        assert_true(wac_agent_has_std(run->agent));
        static wac_map told, own;
        wac_atlas atlas;
        assert_ok(wac_atlas_open(&atlas, at("run"), &error));
        assert_true((float)atlas.shape.kappa == seat->kappa);
        assert_ok(wac_atlas_read(&told, &atlas, 2, &error));
        wac_atlas_close(&atlas);
        wac_map_fill(&own, run);
        assert_memory_equal(told.mean, own.mean, 400 * sizeof *own.mean);
        assert_memory_equal(told.std, own.std, 400 * sizeof *own.std);
        for (int cell = 0; cell < 400; cell += 37) {
            double place = 25 * (cell / 20 + 0.5) / 20, push = -1 + (cell % 20 + 0.5) / 10;
            double mean, std;
            wac_run_value(run, &place, &push, &mean, &std);
            assert_true(fabs(mean - (double)told.mean[cell]) < 1e-5 * (1 + fabs(mean)));
            assert_true(fabs(std - (double)told.std[cell]) < 1e-5 * (1 + fabs(std)));
            /* not far from the prior yet, of which few particles know less */
            assert_true(std > 0.8 * (double)seat->sigma_max && std < 1.1 * (double)seat->sigma_max);
            wac_run_value(run, &place, &push, &std, NULL);
            assert_true(std == mean);
        }
        wac_evaluation evaluation;
        assert_ok(wac_run_evaluate(&evaluation, run, WAC_POLICY_TARGET, false, 2, 1, &error));
        assert_true(evaluation.episodes == 2 && isfinite(evaluation.mean_return));

        wac_agent *agent = wac_run_agent(run), *other;
        assert_ok(wac_directory_make(at("agent"), &error));
        assert_ok(wac_agent_save(agent, at("agent"), &error));
        assert_ok(wac_agent_create(&other, &config, 1, 1, 2, -1, &error));
        assert_ok(wac_agent_load(other, at("agent"), &error));
        for (int i = 0; i < 3; i++) {
            wac_losses losses = learn_alike(agent, other);
            assert_true(losses.std > 0 && losses.sigma_uniform > 0);
        }
        wac_agent_destroy(other);
        wac_run_destroy(run);
        remove_folder(at("run"));
        remove_folder(at("agent"));
    }
}

/* What is not the same kind of critic is neither loaded nor begun with, and the way out is named.
 */
static void kinds_are_told_apart(void **state)
{
    (void)state;
    static const char *const ways[] = {"its trunk is another; add --trunk shared",
                                       "its posterior is another; add --posterior particles",
                                       "its posterior is another; add --posterior particles"};
    for (int kind = 0; kind < KINDS; kind++) {
        wac_run *run;
        wac_agent *agent;
        wac_config source = kind_of(kind, "lqg", "oe-wac", 1), config = tiny("lqg", "oe-wac", 1);
        wac_run_options options = wac_run_options_default();
        assert_ok(train_new(at("source"), &source, NULL));
        options.from = at("source");
        assert_int_equal(wac_run_create(&run, &config, NULL, at("new"), &options, &error),
                         WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "cannot be begun with", ways[kind]);
        assert_ok(wac_agent_create(&agent, &config, 1, 1, 1, -1, &error));
        assert_int_equal(wac_agent_load(agent, at("source/checkpoint"), &error), WAC_STATUS_INPUT);
        assert_message(WAC_STATUS_INPUT, "agent.safetensors has no tensor", "mean1");
        wac_agent_destroy(agent);
        if (kind == 2) {
            config = kind_of(1, "lqg", "oe-wac", 1);
            assert_int_equal(wac_run_create(&run, &config, NULL, at("new"), &options, &error),
                             WAC_STATUS_INPUT);
            assert_message(WAC_STATUS_INPUT, "its number of particles is 21, not 2",
                           "add --particles 21");
        }
        config = source;
        config.seed = 9;
        assert_ok(train_new(at("new"), &config, &options));
        remove_folder(at("new"));
        remove_folder(at("source"));
    }
}

/* Two heads go elsewhere as two networks; particles stay. */
static void exports(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        static const wac_export_form forms[] = {WAC_EXPORT_FORM_C, WAC_EXPORT_FORM_ONNX,
                                                WAC_EXPORT_FORM_SAFETENSORS};
        wac_config config = kind_of(kind, "lqg", "me-wac", 2);
        assert_ok(train_new(at("run"), &config, NULL));
        wac_run *run = open_run(at("run"));
        for (int critics = 0; critics < 2; critics++)
            for (int i = 0; i < 3; i++) {
                wac_export_report report;
                const wac_export_options options = {
                    .form = forms[i], .path = at("policy.h"), .critics = critics, .episodes = 2};
                wac_status status = wac_export(&report, run, &options, &error);
                if (kind > 0 && critics) {
                    assert_int_equal(status, WAC_STATUS_INPUT);
                    assert_message(WAC_STATUS_INPUT, "only critics with posterior gaussian",
                                   "leave --with-value out");
                    continue;
                }
                assert_ok(status);
                assert_true(!critics || report.value_difference < 1e-5);
                assert_int_equal(unlink(at("policy.h")), 0);
            }
        wac_run_destroy(run);
        remove_folder(at("run"));
    }
}

static int make_posteriors_root(void **state)
{
    (void)state;
    return make_root(quick_disk(), "posteriors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stopping_anywhere_changes_nothing, make_posteriors_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(runs_are_of_use, make_posteriors_root, remove_root),
        cmocka_unit_test_setup_teardown(kinds_are_told_apart, make_posteriors_root, remove_root),
        cmocka_unit_test_setup_teardown(exports, make_posteriors_root, remove_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
