/* Exporting: take, round, record, write, compare, play. */
#include "export/export.h"

#include "base/files.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/stream.h"
#include "export/compiled.h"
#include "export/graph.h"
#include "export/onnx.h"
#include "run/evaluate.h"
#include "run/run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM = 10000, VISITED_MOST = 10000 };

/* Observations, and what the policy does there. */
typedef struct rows {
    int observation_size, action_size;
    int64_t count, room;
    float *observations, *actions;
} rows;

typedef struct export
{
    wac_run *run;
    const wac_export_options *options;
    wac_export_report *report;
    wac_portable *portable;
    rows random, visited; /* actions are the library's … */
    rows *all[2];
    char name[WAC_HEADER_NAME];
    wac_record record;
}
export;

static float *observation_at(const rows *rows, int64_t row)
{
    return rows->observations + row * rows->observation_size;
}

static float *action_at(const rows *rows, int64_t row)
{
    return rows->actions + row * rows->action_size;
}

static wac_status rows_init(rows *rows, const wac_export_policy *policy, int64_t room,
                            wac_error *error)
{
    rows->observation_size = policy->observations;
    rows->action_size = policy->actions;
    rows->room = room;
    rows->observations = calloc((size_t)(room * policy->observations), sizeof(float));
    rows->actions = calloc((size_t)(room * policy->actions), sizeof(float));
    return rows->observations && rows->actions ? WAC_STATUS_OK
                                               : wac_fail_memory(error, "observations");
}

static void rows_free(rows *rows)
{
    free(rows->observations);
    free(rows->actions);
}

/* What the library does at an observation. */
static void act_by_library(wac_run *run, const float *observation, float *action)
{
    double raw[WAC_ENVIRONMENT_DIMENSIONS], done[WAC_ENVIRONMENT_DIMENSIONS];
    for (int i = 0; i < run->world->spec.observation_size; i++)
        raw[i] = (double)observation[i];
    wac_run_act(run, WAC_POLICY_TARGET, raw, done);
    for (int i = 0; i < run->world->spec.action_size; i++)
        action[i] = (float)done[i];
}

/* From everywhere that networks see, and a little beyond. */
static void draw_random(export *export)
{
    const wac_export_policy *policy = &export->portable->policy;
    wac_rng rng = wac_rng_make(0, WAC_STREAM_REPLAYED);
    rows *rows = &export->random;
    for (; rows->count < rows->room; rows->count++) {
        float *observation = observation_at(rows, rows->count);
        for (int i = 0; i < rows->observation_size; i++)
            observation[i] =
                (float)((double)policy->offset[i] +
                        1.2 * (2 * wac_rng_uniform(&rng) - 1) / (double)policy->factor[i]);
        act_by_library(export->run, observation, action_at(rows, rows->count));
    }
}

/* --- playing --------------------------------------------------------------------------------- */

typedef struct actor {
    const wac_player *player; /* null: the library */
    export *export;
} actor;

static void act(void *user, const float *observation, float *action)
{
    const actor *actor = user;
    export *export = actor->export;
    wac_run *run = export->run;
    const wac_world *world = run->evaluation_world;
    const wac_environment_spec *spec = &world->spec;
    float raw[WAC_ENVIRONMENT_DIMENSIONS], done[WAC_ENVIRONMENT_DIMENSIONS];
    for (int i = 0; i < spec->observation_size; i++)
        raw[i] = (float)world->raw_observation[i];
    if (actor->player) {
        actor->player->act(actor->player->self, raw, done);
        for (int i = 0; i < spec->action_size; i++)
            action[i] = (float)wac_world_normalise((double)done[i], spec->action_low[i],
                                                   spec->action_high[i]);
        return;
    }
    wac_agent_act(run->agent, WAC_POLICY_TARGET, observation, action);
    rows *rows = &export->visited;
    if (rows->count == rows->room)
        return;
    memcpy(observation_at(rows, rows->count), raw, (size_t)rows->observation_size * sizeof *raw);
    act_by_library(run, raw, action_at(rows, rows->count++));
}

static wac_status play(wac_evaluation *evaluation, export *export, const wac_player *player,
                       wac_error *error)
{
    wac_rng rng = wac_rng_make(0, WAC_STREAM_REPLAYED);
    actor actor = {player, export};
    return wac_evaluate(evaluation, export->run->evaluation_world, &rng, 0,
                        export->options->episodes, act, &actor, export->run->options.stop, error);
}

/* --- comparing ------------------------------------------------------------------------------- */

static void add_distance(wac_export_distance *distance, const export *export, const float *a,
                         const float *b)
{
    for (int i = 0; i < export->portable->policy.actions; i++) {
        double off = fabs((double)a[i] - (double)b[i]) / (double)export->portable->policy.half[i];
        distance->largest = off <= distance->largest ? distance->largest : off; /* NaN is large */
        distance->square += off * off;
        distance->entries++;
    }
}

static wac_export_distance distance_of(const export *export, const rows *rows,
                                       const wac_player *player)
{
    wac_export_distance distance = {0};
    float action[WAC_ENVIRONMENT_DIMENSIONS];
    for (int64_t i = 0; i < rows->count; i++) {
        player->act(player->self, observation_at(rows, i), action);
        add_distance(&distance, export, action, action_at(rows, i));
    }
    return distance;
}

/* What the library believes of a pair: mean + kappa std of the critic to trust. */
static double bound_by_library(wac_run *run, double kappa, const float *observation,
                               const float *action)
{
    double raw[WAC_ENVIRONMENT_DIMENSIONS], done[WAC_ENVIRONMENT_DIMENSIONS], mean, std;
    for (int i = 0; i < run->world->spec.observation_size; i++)
        raw[i] = (double)observation[i];
    for (int i = 0; i < run->world->spec.action_size; i++)
        done[i] = (double)action[i];
    wac_run_value(run, raw, done, &mean, &std);
    return mean + (isnan(std) ? 0 : kappa * std);
}

static double bound_by_player(const wac_player *player, double kappa, const float *observation,
                              const float *action)
{
    float mean, std;
    player->value(player->self, observation, action, &mean, &std);
    return (double)mean + kappa * (double)std;
}

/* How far the bound of exported critics is off. (Which of two near ones is the smaller may differ;
 * what it is does not.) */
static void compare_value(export *export, const wac_player *player, const float *observation,
                          const float *action)
{
    double kappa = (double)export->portable->policy.kappa;
    const wac_player own = wac_portable_player(export->portable);
    double bound = export->options->int8
                       ? bound_by_player(&own, kappa, observation, action)
                       : bound_by_library(export->run, kappa, observation, action);
    double off = fabs(bound_by_player(player, kappa, observation, action) - bound);
    off /= 1 + fabs(bound);
    if (!(off <= export->report->value_difference))
        export->report->value_difference = off;
}

/* How far the two may be apart, by how much the library itself rounds. */
static wac_status find_tolerance(export *export, wac_error *error)
{
    const wac_export_policy *policy = &export->portable->policy;
    size_t work_size = (size_t)policy->observations + (size_t)wac_portable_work(export->portable);
    size_t size = work_size + (size_t)policy->actions;
    double largest = 0, *work = calloc(size, sizeof *work);
    if (!work)
        return wac_fail_memory(error, "the exported policy");
    double *exact = work + work_size;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < export->all[k]->count; i++) {
            const float *action = action_at(export->all[k], i);
            wac_portable_act_exactly(export->portable, observation_at(export->all[k], i), exact,
                                     work);
            for (int j = 0; j < policy->actions; j++)
                largest =
                    fmax(largest, fabs((double)action[j] - exact[j]) / (double)policy->half[j]);
        }
    free(work);
    export->report->tolerance = fmax(WAC_EXPORT_TOLERANCE, WAC_EXPORT_ROUNDINGS * largest);
    return WAC_STATUS_OK;
}

/* What was written against the arithmetic of the library: its own, or with whole weights. */
static wac_status compare(export *export, const wac_player *player, wac_error *error)
{
    wac_export_report *report = export->report;
    const wac_player own = wac_portable_player(export->portable);
    float action[WAC_ENVIRONMENT_DIMENSIONS], rounded[WAC_ENVIRONMENT_DIMENSIONS];
    report->value_difference = player->value ? 0 : NAN;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < export->all[k]->count; i++) {
            const float *observation = observation_at(export->all[k], i);
            const float *expected = action_at(export->all[k], i);
            if (export->options->int8) {
                own.act(own.self, observation, rounded);
                expected = rounded;
            }
            player->act(player->self, observation, action);
            add_distance(&report->difference, export, action, expected);
            if (player->value)
                compare_value(export, player, observation, action);
        }
    if (!(report->difference.largest <= report->tolerance))
        return wac_fail(error, WAC_STATUS_NUMERIC,
                        "what was to be exported is %.2g of half an action's range away from the "
                        "library, and may be %g; nothing was written",
                        report->difference.largest, report->tolerance);
    if (report->value_difference > WAC_EXPORT_VALUE_TOLERANCE)
        return wac_fail(error, WAC_STATUS_NUMERIC,
                        "the critics that were to be exported are %.2g of their values away from "
                        "the library; nothing was written",
                        report->value_difference);
    return WAC_STATUS_OK;
}

/* Compare and, if asked, play. */
static wac_status judge(export *export, wac_player player, wac_error *error)
{
    WAC_TRY(compare(export, &player, error));
    export->report->evaluated = export->options->evaluate || export->options->int8;
    return export->report->evaluated ? play(&export->report->exported, export, &player, error)
                                     : WAC_STATUS_OK;
}

/* --- forms ----------------------------------------------------------------------------------- */

/* Rows for the self-test, spread over those visited. */
static void record(export *export)
{
    const rows *rows = &export->visited;
    wac_record *record = &export->record;
    const wac_player own = wac_portable_player(export->portable);
    record->rows = rows->count < WAC_RECORD_ROWS ? (int)rows->count : WAC_RECORD_ROWS;
    record->tolerance = (float)export->report->tolerance;
    for (int i = 0; i < record->rows; i++) {
        int64_t row = i * rows->count / record->rows;
        memcpy(record->observations[i], observation_at(rows, row),
               (size_t)rows->observation_size * sizeof(float));
        memcpy(record->actions[i], action_at(rows, row), (size_t)rows->action_size * sizeof(float));
        if (export->options->int8)
            own.act(own.self, record->observations[i], record->actions[i]);
    }
}

static double rms(wac_export_distance distance)
{
    return sqrt(distance.square / (double)distance.entries);
}

static void print_about(FILE *to, const export *export)
{
    const wac_export_report *report = export->report;
    static const char *const hidden[] = {
        [1] = "one hidden layer", "two hidden layers", "three hidden layers", "four hidden layers"};
    const wac_portable *portable = export->portable;
    fprintf(to,
            "/* The policy of %s on %s after %" PRId64 " epochs, exported by wac %s.\n"
            " *\n"
            " * %d observations, %d actions, %s of %d, %s weights:\n"
            " * %" PRId64 " bytes of constants, %" PRId64 " of stack, %" PRId64
            " multiplications an action at most.\n"
            " * Largest difference to the library over %" PRId64 " random and %" PRId64
            " visited observations:\n"
            " * %.2g of half an action's range%s.\n",
            portable->algorithm, portable->environment, portable->epoch, wac_version(),
            portable->policy.observations, portable->policy.actions,
            portable->policy.actor.blocks ? "residual blocks in a stream"
                                          : hidden[portable->policy.actor.hidden],
            portable->policy.actor.width, export->options->int8 ? "int8" : "float",
            report->cost.bytes, report->cost.stack, report->cost.multiplications, report->random,
            report->visited, report->difference.largest,
            export->options->int8 ? ", with the same weights" : "");
    if (export->options->int8)
        fprintf(
            to,
            " * Rounding the weights moves actions by up to %.2g of half their range there (root\n"
            " * mean square %.2g), by up to %.2g (%.2g) where the policy goes.\n",
            report->loss_random.largest, rms(report->loss_random), report->loss_visited.largest,
            rms(report->loss_visited));
    if (report->evaluated)
        fprintf(to, " * Mean return of %" PRId64 " episodes: %.6g here, %.6g in the library.\n",
                report->exported.episodes, report->exported.mean_return,
                report->library.mean_return);
}

static wac_status print_header(wac_stream *text, const export *export, wac_error *error)
{
    wac_stream about = {0};
    bool whole = wac_stream_open(&about);
    if (whole) {
        print_about(about.to, export);
        whole = wac_stream_close(&about);
    }
    if (whole && (whole = wac_stream_open(text))) {
        wac_header_print(text->to, export->portable, &export->record, export->name, about.text);
        whole = wac_stream_close(text);
    }
    free(about.text);
    return whole ? WAC_STATUS_OK : wac_fail_memory(error, "the header");
}

static wac_status run_self_test(const wac_compiled *compiled, wac_error *error)
{
    int wrong = compiled->self_test();
    return wrong ? wac_fail(error, WAC_STATUS_NUMERIC,
                            "the compiled header fails its self-test (%d rows); nothing was "
                            "written",
                            wrong)
                 : WAC_STATUS_OK;
}

/* Judged in compiled form, where that can be; then printed again, with what came out. */
static wac_status export_header(export *export, wac_error *error)
{
    wac_stream text = {0};
    wac_compiled compiled;
    wac_header_name(export->name, export->options->path);
    record(export);
    wac_status status = print_header(&text, export, error);
    if (status == WAC_STATUS_OK)
        status = wac_compiled_make(&compiled, &export->report->compiled, text.text, text.size,
                                   export->name, error);
    free(text.text);
    WAC_TRY(status);
    if (export->report->compiled) {
        status = run_self_test(&compiled, error);
        if (status == WAC_STATUS_OK)
            status = judge(export, wac_compiled_player(&compiled), error);
        wac_compiled_destroy(&compiled);
    } else {
        status = judge(export, wac_portable_player(export->portable), error);
    }
    WAC_TRY(status);
    text = (wac_stream){0};
    status = print_header(&text, export, error);
    if (status == WAC_STATUS_OK)
        status = wac_file_write(export->options->path, text.text, text.size, error);
    free(text.text);
    return status;
}

static wac_status judge_onnx(export *export, const char *path, wac_error *error)
{
    wac_graph *graph;
    WAC_TRY(wac_graph_read(&graph, &export->portable->policy, path, error));
    wac_status status = judge(export, wac_graph_player(graph), error);
    wac_graph_destroy(graph);
    return status;
}

static wac_status judge_safetensors(export *export, const char *path, wac_error *error)
{
    wac_portable *twin;
    WAC_TRY(wac_portable_make(&twin, export->run, export->options->critics, error));
    wac_status status = wac_portable_read(twin, path, error);
    if (status == WAC_STATUS_OK)
        status = judge(export, wac_portable_player(twin), error);
    wac_portable_destroy(twin);
    return status;
}

/* Written where it will not last, read again and judged; then where it is to stay. */
static wac_status export_file(export *export, wac_error *error)
{
    bool onnx = export->options->form == WAC_EXPORT_FORM_ONNX;
    wac_status (*write)(const wac_portable *, const char *, wac_error *) =
        onnx ? wac_onnx_write : wac_portable_write;
    wac_temporary folder;
    char path[PATH_MAX];
    WAC_TRY(wac_temporary_make(&folder, "wac-export", error));
    wac_status status = wac_path_join(path, sizeof path, folder.path, "policy", error);
    if (status == WAC_STATUS_OK)
        status = write(export->portable, path, error);
    if (status == WAC_STATUS_OK)
        status = (onnx ? judge_onnx : judge_safetensors)(export, path, error);
    wac_temporary_remove(&folder);
    WAC_TRY(status);
    return write(export->portable, export->options->path, error);
}

/* --- all of it ------------------------------------------------------------------------------- */

static wac_status prepare(export *export, wac_error *error)
{
    const wac_export_options *options = export->options;
    wac_export_report *report = export->report;
    WAC_TRY(wac_portable_make(&export->portable, export->run, options->critics, error));
    WAC_TRY(rows_init(&export->random, &export->portable->policy, RANDOM, error));
    WAC_TRY(rows_init(&export->visited, &export->portable->policy, VISITED_MOST, error));
    draw_random(export);
    WAC_TRY(play(&report->library, export, NULL, error));
    report->random = export->random.count;
    report->visited = export->visited.count;
    WAC_TRY(find_tolerance(export, error));
    if (options->int8) {
        WAC_TRY(wac_portable_quantise(export->portable, error));
        const wac_player own = wac_portable_player(export->portable);
        report->loss_random = distance_of(export, &export->random, &own);
        report->loss_visited = distance_of(export, &export->visited, &own);
    }
    report->cost = wac_header_cost_of(export->portable);
    return WAC_STATUS_OK;
}

wac_status wac_export(wac_export_report *report, wac_run *run, const wac_export_options *options,
                      wac_error *error)
{
    struct stat about;
    *report = (wac_export_report){0};
    if (wac_path_exists(options->path))
        return wac_fail(error, WAC_STATUS_INPUT, "%s exists already; choose another --out",
                        options->path);
    export *export = calloc(1, sizeof *export);
    if (!export)
        return wac_fail_memory(error, "the export");
    export->run = run;
    export->options = options;
    export->report = report;
    export->all[0] = &export->random;
    export->all[1] = &export->visited;
    wac_status status = prepare(export, error);
    if (status == WAC_STATUS_OK)
        status = options->form == WAC_EXPORT_FORM_C ? export_header(export, error)
                                                    : export_file(export, error);
    if (status == WAC_STATUS_OK && stat(options->path, &about) != 0)
        status = wac_fail(error, WAC_STATUS_IO, "cannot look at %s: %s; the disk may be failing",
                          options->path, strerror(errno));
    if (status == WAC_STATUS_OK)
        report->file_bytes = about.st_size;
    else
        unlink(options->path); /* there was none before */
    rows_free(&export->random);
    rows_free(&export->visited);
    wac_portable_destroy(export->portable);
    free(export);
    return status;
}
