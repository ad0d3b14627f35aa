/* Recordings of environments, replayed.
 *
 * Each kind of recording is a row of a table: whose it is, its name, its columns, and the function
 * that compares a file of it; the worlds of MuJoCo have a table of their own. A file belongs to the
 * kind that has exactly its columns, in any order: a column that nobody compares is not passed over
 * in silence.
 */
#include "verify/env.h"

#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "env/lqg.h"
#include "env/mountaincar.h"
#include "env/riverswim.h"
#include "verify/recording.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

double wac_recording_at(const wac_recording *recording, size_t row, int column)
{
    return wac_csv_at(&recording->csv, row, recording->places[column]);
}

void wac_recording_judge(wac_recording *recording, size_t row, int column, double ours)
{
    wac_env_report *report = recording->report;
    double error = fabs(ours - wac_recording_at(recording, row, column));
    if (isnan(error))
        error = INFINITY;
    if (!*report->column || error > report->error) {
        const char *name = recording->csv.names[recording->places[column]];
        report->error = error;
        report->row = row;
        snprintf(report->column, sizeof report->column, "%s", name);
    }
}

static double observe(const wac_recording *recording, double value)
{
    const wac_environment_spec *spec = &recording->world->spec;
    return wac_world_normalise(value, spec->observation_low[0], spec->observation_high[0]);
}

static double act(const wac_recording *recording, double action)
{
    const wac_environment_spec *spec = &recording->world->spec;
    return wac_world_action(action, spec->action_low[0], spec->action_high[0]);
}

static wac_status compare_lqg_steps(wac_recording *recording, wac_error *error)
{
    enum { I, X, A, V, U, X_NEXT, REWARD, OBS_NEXT };
    (void)error;
    wac_lqg lqg = wac_lqg_make(&recording->config);
    for (size_t row = 0; row < recording->csv.rows; row++) {
        lqg.state = wac_recording_at(recording, row, X);
        double u = act(recording, wac_recording_at(recording, row, A));
        wac_recording_judge(recording, row, U, u);
        wac_recording_judge(recording, row, REWARD,
                            wac_lqg_move(&lqg, u, wac_recording_at(recording, row, V)));
        wac_recording_judge(recording, row, X_NEXT, lqg.state);
        wac_recording_judge(recording, row, OBS_NEXT, observe(recording, lqg.state));
    }
    return WAC_STATUS_OK;
}

static wac_status compare_riverswim_steps(wac_recording *recording, wac_error *error)
{
    enum { I, S, A, D, S_NEXT, REWARD, REWARD_PAPER, OBS_NEXT };
    wac_riverswim river = wac_riverswim_make(&recording->config);
    for (size_t row = 0; row < recording->csv.rows; row++) {
        double a = act(recording, wac_recording_at(recording, row, A)),
               d = wac_recording_at(recording, row, D);
        if (d != -1 && d != 0 && d != 1)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s:%zu: the direction d must be -1, 0 or 1, not %g", recording->path,
                            wac_csv_line(row), d);
        /* the same step under both rules of reward */
        static const struct {
            wac_reward_rule rule;
            int column;
        } rules[] = {{WAC_REWARD_RULE_PROGRAM, REWARD},
                     {WAC_REWARD_RULE_DESCRIPTION, REWARD_PAPER}};
        for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
            river.rule = rules[i].rule;
            river.state = wac_recording_at(recording, row, S);
            wac_recording_judge(recording, row, rules[i].column,
                                wac_riverswim_move(&river, a, (int)d));
        }
        wac_recording_judge(recording, row, S_NEXT, river.state);
        wac_recording_judge(recording, row, OBS_NEXT, observe(recording, river.state));
    }
    return WAC_STATUS_OK;
}

static wac_status compare_riverswim_chances(wac_recording *recording, wac_error *error)
{
    enum { A, P_MINUS, P_ZERO, P_PLUS };
    (void)error;
    for (size_t row = 0; row < recording->csv.rows; row++) {
        double chances[3];
        wac_riverswim_chances(act(recording, wac_recording_at(recording, row, A)), chances);
        for (int i = 0; i < 3; i++)
            wac_recording_judge(recording, row, P_MINUS + i, chances[i]);
    }
    return WAC_STATUS_OK;
}

static wac_status compare_mountaincar_steps(wac_recording *recording, wac_error *error)
{
    enum { I, X, V, A, X_NEXT, V_NEXT, REWARD, TERMINATED };
    (void)error;
    for (size_t row = 0; row < recording->csv.rows; row++) {
        wac_mountaincar car = {wac_recording_at(recording, row, X),
                               wac_recording_at(recording, row, V)};
        double push = act(recording, wac_recording_at(recording, row, A));
        wac_recording_judge(recording, row, REWARD, wac_mountaincar_move(&car, push));
        wac_recording_judge(recording, row, X_NEXT, car.position);
        wac_recording_judge(recording, row, V_NEXT, car.velocity);
        wac_recording_judge(recording, row, TERMINATED, wac_mountaincar_is_there(&car));
    }
    return WAC_STATUS_OK;
}

static const wac_recording_kind kinds[] = {
    {"lqg", "steps", 1e-12, "i,x,a,v,u,x_next,reward,obs_next", compare_lqg_steps},
    {"riverswim", "steps", 1e-12, "i,s,a,d,s_next,reward,reward_paper,obs_next",
     compare_riverswim_steps},
    {"riverswim", "probabilities", 1e-12, "a,p_minus,p_zero,p_plus", compare_riverswim_chances},
    {"mountaincar", "steps", 1e-12, "i,x,v,a,x_next,v_next,reward,terminated",
     compare_mountaincar_steps},
};

enum { OWN_KINDS = sizeof kinds / sizeof *kinds };

/* Kind number `index` of an environment, from 0; null past the last. */
static const wac_recording_kind *kind_at(const char *environment, int index)
{
    for (int i = 0; i < OWN_KINDS + WAC_MUJOCO_KINDS; i++) {
        const wac_recording_kind *kind =
            i < OWN_KINDS ? &kinds[i] : &wac_recording_kinds_mujoco[i - OWN_KINDS];
        if (wac_word_index(kind->environments, environment) >= 0 && index-- == 0)
            return kind;
    }
    return NULL;
}

/* How a file's columns compare with those of a kind. */
typedef struct match {
    size_t present, missing;
    char names[72]; /* of the first two that are missing: "one and other" */
} match;

/* Fills `places`. */
static match match_columns(wac_recording *recording, const wac_recording_kind *kind)
{
    match match = {0};
    size_t length;
    for (const char *name = kind->columns; *name; name += length + (name[length] == ',')) {
        char column[32];
        length = strcspn(name, ",");
        snprintf(column, sizeof column, "%.*s", (int)length, name);
        size_t count = match.present + match.missing;
        assert(count < WAC_RECORDING_COLUMNS);
        if ((recording->places[count] = wac_csv_column(&recording->csv, column)) >= 0) {
            match.present++;
            continue;
        }
        size_t used = strlen(match.names);
        if (match.missing++ < 2)
            snprintf(match.names + used, sizeof match.names - used, "%s%s", used ? " and " : "",
                     column);
    }
    return match;
}

/* The kind that lacks one or two columns at most, fewer than are there; null: none. */
static const wac_recording_kind *nearest_kind(match *nearest, wac_recording *recording,
                                              const char *environment)
{
    const wac_recording_kind *kind, *found = NULL;
    for (int i = 0; (kind = kind_at(environment, i)); i++) {
        match match = match_columns(recording, kind);
        if (match.missing == 0 || match.missing > 2 || match.missing >= match.present ||
            (found && match.missing >= nearest->missing))
            continue;
        *nearest = match;
        found = kind;
    }
    return found;
}

static wac_status refuse_columns(wac_recording *recording, const char *environment,
                                 wac_error *error)
{
    const wac_csv *csv = &recording->csv;
    match match;
    const wac_recording_kind *kind = nearest_kind(&match, recording, environment);
    if (kind)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s has no column %s; a recording of %s of %s has the columns %s",
                        recording->path, match.names, kind->name, environment, kind->columns);
    char known[768] = "", columns[WAC_CLIP_SIZE + 1] = "";
    if (!kind_at(environment, 0))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s: there are no recordings of %s to compare with", recording->path,
                        environment);
    for (int i = 0; (kind = kind_at(environment, i)); i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s (%s)", used ? " or " : "", kind->name,
                 kind->columns);
    }
    for (size_t i = 0; i < csv->columns; i++) {
        size_t used = strlen(columns);
        snprintf(columns + used, sizeof columns - used, "%s%s", used ? "," : "", csv->names[i]);
    }
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s: its columns (%s) are those of no recording of %s; that could be %s",
                    recording->path, WAC_CLIP(columns), environment, known);
}

/* Rows to compare, and a number in every cell of them. */
static wac_status check_cells(const wac_recording *recording, wac_error *error)
{
    const wac_csv *csv = &recording->csv;
    if (csv->rows == 0)
        return wac_fail(error, WAC_STATUS_INPUT, "%s has a header but no rows", recording->path);
    for (size_t row = 0; row < csv->rows; row++)
        for (size_t i = 0; i < csv->columns; i++)
            if (isnan(wac_csv_at(csv, row, (int)i)))
                return wac_fail(error, WAC_STATUS_INPUT, "%s:%zu: column %s is empty",
                                recording->path, wac_csv_line(row), csv->names[i]);
    return WAC_STATUS_OK;
}

static wac_status verify(wac_recording *recording, const wac_environment_type *type,
                         wac_error *error)
{
    const wac_recording_kind *kind;
    for (int i = 0; (kind = kind_at(type->name, i)); i++) {
        /* its columns, and no others */
        match match = match_columns(recording, kind);
        if (match.missing == 0 && match.present == recording->csv.columns)
            break;
    }
    if (!kind)
        return refuse_columns(recording, type->name, error);
    WAC_TRY(check_cells(recording, error));
    WAC_TRY(wac_config_init(&recording->config, type->name, NULL, error));
    WAC_TRY(wac_world_create(&recording->world, type, &recording->config, error));
    wac_env_report *report = recording->report;
    report->kind = kind->name;
    report->rows = recording->csv.rows;
    report->tolerance = kind->tolerance;
    WAC_TRY(kind->compare(recording, error));
    report->passed = report->error <= report->tolerance;
    return WAC_STATUS_OK;
}

wac_status wac_verify_env(wac_env_report *report, const wac_environment_type *type,
                          const char *path, wac_error *error)
{
    *report = (wac_env_report){0};
    wac_recording recording = {.path = path, .report = report};
    WAC_TRY(wac_csv_read(&recording.csv, path, error));
    wac_status status = verify(&recording, type, error);
    wac_world_destroy(recording.world);
    wac_csv_free(&recording.csv);
    return status;
}
