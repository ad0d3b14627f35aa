/* Exported policies are the library's, in every form and of every world. With the argument
 * `write FOLDER` it writes for each world a policy in ONNX and what the library does with it, for
 * check-onnx. */
#include "support/small_runs.h"

#include "base/protobuf.h"
#include "base/rng.h"
#include "export/export.h"
#include "export/graph.h"
#include "export/onnx.h"
#include "rl/host/host.h"
#include "run/run.h"

static wac_network network; /* of runs that are opened */

/* A run with networks that do something: those of first weights hardly move. */
static wac_run *opened(const char *environment, const char *algorithm, int64_t width, int running)
{
    wac_run *run;
    wac_config config = tiny(environment, algorithm, 1);
    config.width = width;
    config.normalisation = running;
    config.network = (int)network;
    config.members = 1; /* more are refused: see below */
    assert_ok(train_new(at("run"), &config, NULL));
    assert_ok(wac_run_open(&run, at("run"), type_of(environment), NULL, &error));
    const wac_desk *desk = wac_host_desk(run->agent, 0);
    wac_rng rng = wac_rng_make(7, WAC_STREAM_INIT);
    for (int i = 0; i < desk->policies.members; i++)
        wac_stack_randomise(&desk->policies, i, false, 0.5, &rng);
    for (int i = 0; i < desk->critics.members; i++)
        wac_stack_randomise(&desk->critics, i, false, 0.1, &rng);
    return run;
}

/* The worlds of the library, a model for that which takes one; null past the end. */
static const char *world_at(size_t index)
{
    const wac_environment_type *type = wac_environment_type_at(index);
    bool simple = index < 2; /* needs no MuJoCo */
    return !type || !(simple || WAC_MUJOCO)         ? NULL
           : strncmp(type->name, "mujoco:", 7) == 0 ? "mujoco:" WAC_SOURCE_DIR
                                                      "/models/examples/reacher.xml"
                                                    : type->name;
}

static wac_export_report export_as(wac_run *run, wac_export_form form, bool int8, const char *path)
{
    wac_export_report report;
    const wac_export_options options = {.form = form,
                                        .path = path,
                                        .critics = !run->agent->row->quantiles, /* see below */
                                        .int8 = int8,
                                        .evaluate = true,
                                        .episodes = 3};
    assert_ok(wac_export(&report, run, &options, &error));
    assert_true(wac_path_exists(path));
    return report;
}

static double largest_half(const wac_run *run)
{
    double half = 0;
    for (int i = 0; i < run->world->spec.action_size; i++)
        half = fmax(half, (run->world->spec.action_high[i] - run->world->spec.action_low[i]) / 2);
    return half;
}

/* In the world's own units it is 1e-5, too. */
static void check_report(const wac_run *run, const wac_export_report *report)
{
    assert_true(report->difference.largest * largest_half(run) < 1e-5);
    assert_true(report->random == 10000 && report->visited > 0);
    assert_true(report->evaluated && report->exported.episodes == 3);
    double off = fabs(report->exported.mean_return - report->library.mean_return);
    assert_true(off <= 1e-3 * (1 + fabs(report->library.mean_return)));
}

static void every_world_in_every_form(void **state)
{
    (void)state;
    for (size_t i = 0; world_at(i); i++) {
        wac_run *run = opened(world_at(i), algorithms[i % ALGORITHMS], 32, (int)(i / 2 % 2));
        bool quantiles = run->agent->row->quantiles > 0;
        wac_export_report report = export_as(run, WAC_EXPORT_FORM_C, false, at("policy.h"));
        check_report(run, &report);
        assert_true(report.compiled);
        assert_true(quantiles ? isnan(report.value_difference) : report.value_difference < 1e-5);
        report = export_as(run, WAC_EXPORT_FORM_ONNX, false, at("policy.onnx"));
        check_report(run, &report);
        assert_true(quantiles ? isnan(report.value_difference) : report.value_difference < 1e-5);
        report = export_as(run, WAC_EXPORT_FORM_SAFETENSORS, false, at("policy.safetensors"));
        check_report(run, &report);
        assert_true(quantiles ? isnan(report.value_difference) : report.value_difference < 1e-5);
        wac_run_destroy(run);
        remove_folder(at("run"));
        assert_int_equal(unlink(at("policy.h")) | unlink(at("policy.onnx")) |
                             unlink(at("policy.safetensors")),
                         0);
    }
}

/* Rounded weights cost what is said, and a quarter of the bytes. */
static void eight_bits(void **state)
{
    (void)state;
    wac_run *run = opened("lqg", "oe-wac", 64, WAC_NORMALISATION_BOUNDS);
    wac_export_report whole = export_as(run, WAC_EXPORT_FORM_C, false, at("whole.h"));
    wac_export_report report = export_as(run, WAC_EXPORT_FORM_C, true, at("rounded.h"));
    assert_true(report.compiled && report.evaluated);
    assert_true(report.difference.largest < 1e-5);
    assert_true(report.loss_random.largest > 1e-4 && report.loss_random.largest < 0.1);
    assert_true(report.loss_visited.largest < 0.1);
    assert_true(report.cost.bytes < whole.cost.bytes / 3);
    assert_true(report.value_difference < 1e-5);
    assert_int_equal(report.cost.multiplications, 1 * 64 + 64 * 64 + 64 + 2 + 64 + 64 + 1);
    wac_run_destroy(run);
}

/* The same run gives the same bytes, and tells nothing of this machine. */
static void exports_are_reproducible(void **state)
{
    (void)state;
    wac_run *run = opened("riverswim", "me-wac", 16, WAC_NORMALISATION_RUNNING);
    const char *const names[] = {"a/policy.h",    "b/policy.h",           "a/policy.onnx",
                                 "b/policy.onnx", "a/policy.safetensors", "b/policy.safetensors"};
    assert_ok(wac_directory_make(at("a"), &error));
    assert_ok(wac_directory_make(at("b"), &error));
    for (int i = 0; i < 6; i++)
        export_as(run, (wac_export_form)(i / 2), false, at("%s", names[i]));
    for (int i = 0; i < 6; i += 2)
        assert_true(same_file(at("%s", names[i]), at("%s", names[i + 1]), false));
    char *text = contents(at("a/policy.h"), NULL);
    assert_null(strstr(text, root));
    assert_null(strstr(text, "wac_export"));
    free(text);
    wac_run_destroy(run);
}

/* RiverSwim's states are 0 to 25, and an agent may see them so, in the library and elsewhere. */
static void observations_as_they_are(void **state)
{
    (void)state;
    wac_run *run = opened("riverswim", "sac", 16, WAC_NORMALISATION_NONE);
    double near = 1, far = 20, action, other;
    float observation = 20, seen;
    wac_run_act(run, WAC_POLICY_TARGET, &near, &other);
    wac_run_act(run, WAC_POLICY_TARGET, &far, &action);
    wac_seat_act(run->agent, run->seat, WAC_POLICY_TARGET, &observation, &seen);
    assert_true(fabs(action - (double)seen) < 1e-6 && fabs(action - other) > 1e-3);
    for (int form = 0; form <= WAC_EXPORT_FORM_SAFETENSORS; form++) {
        wac_export_report report =
            export_as(run, (wac_export_form)form, false, at("as-they-are-%d", form));
        check_report(run, &report);
    }
    wac_run_destroy(run);
}

static void nothing_is_overwritten(void **state)
{
    (void)state;
    wac_export_report report;
    wac_run *run = opened("lqg", "sac", 16, WAC_NORMALISATION_BOUNDS);
    wac_export_options options = {.form = WAC_EXPORT_FORM_ONNX, .path = at("mine"), .episodes = 1};
    save_text(at("mine"), "of value");
    assert_int_equal(wac_export(&report, run, &options, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, "mine exists already", "--out");
    char *text = contents(at("mine"), NULL);
    assert_string_equal(text, "of value");
    free(text);
    options.path = at("nowhere/mine");
    assert_int_equal(wac_export(&report, run, &options, &error), WAC_STATUS_IO);
    wac_run_destroy(run);
}

/* Large weights make everybody round more; that is no reason to refuse them. */
static void large_weights(void **state)
{
    (void)state;
    double largest = 0;
    walk_order.observations = 8;
    for (int scale = 2; scale <= 32; scale *= 4) {
        wac_run *run = opened("walk", "sac", 64, WAC_NORMALISATION_BOUNDS);
        const wac_desk *desk = wac_host_desk(run->agent, 0);
        for (size_t i = 0; i < wac_stack_size(&desk->policies); i++)
            desk->policies.params[i] *= (float)scale;
        wac_export_report report = export_as(run, WAC_EXPORT_FORM_C, false, at("%d.h", scale));
        assert_true(report.compiled && report.tolerance < 1e-2);
        largest = fmax(largest, report.tolerance);
        wac_run_destroy(run);
        remove_folder(at("run"));
    }
    assert_true(largest > 1e-5);
}

/* Networks that are not the library's any more are not exported. */
static void networks_without_numbers_are_refused(void **state)
{
    (void)state;
    wac_export_report report;
    wac_run *run = opened("lqg", "sac", 16, WAC_NORMALISATION_BOUNDS);
    wac_host_desk(run->agent, 0)->policies.params[3] = NAN;
    for (int form = 0; form < 3; form++) {
        wac_export_options options = {
            .form = (wac_export_form)form, .path = at("policy"), .episodes = 1};
        assert_int_equal(wac_export(&report, run, &options, &error), WAC_STATUS_NUMERIC);
        assert_false(wac_path_exists(at("policy")));
    }
    wac_run_destroy(run);
}

/* An ensemble acts by the average of its policies, which no form holds. */
static void ensembles_are_refused(void **state)
{
    (void)state;
    wac_run *run;
    wac_portable *portable;
    wac_config config = tiny("lqg", "sunrise", 1);
    assert_ok(train_new(at("run"), &config, NULL));
    assert_ok(wac_run_open(&run, at("run"), NULL, NULL, &error));
    assert_int_equal(wac_portable_make(&portable, run, false, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "is an ensemble of 3 policies, and only one can be"));
    wac_run_destroy(run);
}

/* Of critics that put out quantiles only the policy goes elsewhere. */
static void quantiles_are_refused(void **state)
{
    (void)state;
    wac_run *run;
    wac_portable *portable;
    wac_config config = tiny("lqg", "top", 1);
    assert_ok(train_new(at("run"), &config, NULL));
    assert_ok(wac_run_open(&run, at("run"), NULL, NULL, &error));
    assert_int_equal(wac_portable_make(&portable, run, true, &error), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "put out quantiles, and only means and stds are"));
    assert_ok(wac_portable_make(&portable, run, false, &error));
    wac_portable_destroy(portable);
    wac_run_destroy(run);
}

/* Cut off anywhere, a file is refused, or it still holds all that matters. */
static void cut_graphs_are_refused(void **state)
{
    (void)state;
    wac_run *run = opened("lqg", "oe-wac", 3, WAC_NORMALISATION_BOUNDS);
    wac_portable *portable;
    wac_graph *graph;
    size_t size;
    assert_ok(wac_portable_make(&portable, run, true, &error));
    assert_ok(wac_onnx_write(portable, at("policy.onnx"), &error));
    char *bytes = contents(at("policy.onnx"), &size);
    for (size_t i = 0; i < size - 200; i += 7) { /* at the end there are the opset and notes */
        assert_ok(wac_file_write(at("cut.onnx"), bytes, i, &error));
        assert_int_equal(wac_graph_read(&graph, &portable->policy, at("cut.onnx"), &error),
                         WAC_STATUS_INPUT);
    }
    for (size_t i = 0; i < size; i += 3) {
        char was = bytes[i];
        bytes[i] = (char)(was ^ (1 << i % 8));
        assert_ok(wac_file_write(at("bent.onnx"), bytes, size, &error));
        if (wac_graph_read(&graph, &portable->policy, at("bent.onnx"), &error) == WAC_STATUS_OK)
            wac_graph_destroy(graph);
        bytes[i] = was;
    }
    free(bytes);
    wac_portable_destroy(portable);
    wac_run_destroy(run);
}

/* What names of files become. */
static void names_are_identifiers(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"a/b/river.h", "river"},
                                           {"half-cheetah 2.h", "half_cheetah_2"},
                                           {"4wd.h", "policy_4wd"},
                                           {"runs/.h", "policy_"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[WAC_HEADER_NAME];
        wac_header_name(name, names[i][0]);
        assert_string_equal(name, names[i][1]);
    }
}

/* --- for check-onnx --------------------------------------------------------------------------- */

static void write_row(FILE *file, const double *values, int size)
{
    for (int i = 0; i < size; i++) {
        float value = (float)values[i];
        assert_int_equal(fwrite(&value, sizeof value, 1, file), 1);
    }
}

/* N.onnx; N.in: 10000 observations; N.out: of each action, value and std. */
static void write_world(const char *folder, size_t index)
{
    enum { ROWS = 10000, MOST = 64 };
    network = (wac_network)(index % 3);
    /* all but the last two, whose critics stay here */
    wac_run *run = opened(world_at(index), algorithms[index % (ALGORITHMS - 2)],
                          network == WAC_NETWORK_PLAIN ? 256 : 64, WAC_NORMALISATION_BOUNDS);
    const wac_environment_spec *spec = wac_run_spec(run);
    char path[PATH_MAX];
    wac_rng rng = wac_rng_make(11, WAC_STREAM_WORLD);
    snprintf(path, sizeof path, "%s/%zu.onnx", folder, index);
    wac_portable *portable;
    assert_ok(wac_portable_make(&portable, run, true, &error));
    assert_ok(wac_onnx_write(portable, path, &error));
    wac_portable_destroy(portable);
    snprintf(path, sizeof path, "%s/%zu.in", folder, index);
    FILE *in = fopen(path, "w");
    snprintf(path, sizeof path, "%s/%zu.out", folder, index);
    FILE *out = fopen(path, "w");
    assert_true(in && out);
    for (int i = 0; i < ROWS; i++) {
        double observation[MOST], action[MOST], values[2];
        for (int j = 0; j < spec->observation_size; j++) {
            double low = spec->observation_low[j], high = spec->observation_high[j];
            observation[j] = (double)(float)(low + (high - low) * wac_rng_uniform(&rng));
        }
        wac_run_act(run, WAC_POLICY_TARGET, observation, action);
        wac_run_value(run, observation, action, &values[0], &values[1]);
        write_row(in, observation, spec->observation_size);
        write_row(out, action, spec->action_size);
        write_row(out, values, isnan(values[1]) ? 1 : 2);
    }
    assert_int_equal(fclose(in) | fclose(out), 0);
    wac_run_destroy(run);
    remove_folder(at("run"));
}

static const char *folder;

static void write_worlds(void **state)
{
    (void)state;
    for (size_t i = 0; world_at(i); i++)
        write_world(folder, i);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(every_world_in_every_form),
        TEST(eight_bits),
        TEST(exports_are_reproducible),
        TEST(observations_as_they_are),
        TEST(nothing_is_overwritten),
        TEST(large_weights),
        TEST(networks_without_numbers_are_refused),
        TEST(ensembles_are_refused),
        TEST(quantiles_are_refused),
        TEST(cut_graphs_are_refused),
        TEST(names_are_identifiers),
    };
    const struct CMUnitTest writes[] = {TEST(write_worlds)};
    if (argc == 3 && strcmp(argv[1], "write") == 0) {
        folder = argv[2];
        return cmocka_run_group_tests(writes, NULL, NULL);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
