/* Recordings of environments, replayed.
 *
 * Each kind of recording is a row of `kinds`: whose it is, its name, its columns, and the function
 * that compares a file of it. A file belongs to the kind that has exactly its columns, in any
 * order: a column that nobody compares is not passed over in silence.
 */
#include "run/verify_env.h"

#include "base/csv.h"
#include "base/status.h"
#include "base/suggest.h"
#include "env/lqg.h"
#include "env/riverswim.h"
#include "env/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 16 }; /* most of any kind */

typedef struct kind kind;

/* A file under comparison. A kind's functions count columns in the order of its table row. */
typedef struct recording {
    const char *path;
    wac_csv csv;
    const kind *kind;
    int places[COLUMNS]; /* column of the kind -> column of the file */
    wac_config config;
    wac_world *world; /* for the bounds */
    wac_env_report *report;
} recording;

struct kind {
    const wac_environment_type *type;
    const char *name;
    double tolerance;
    wac_status (*compare)(recording *recording, wac_error *error);
    const char *columns[COLUMNS + 1]; /* ends with null */
};

static double at(const recording *recording, size_t row, int column)
{
    return wac_csv_at(&recording->csv, row, recording->places[column]);
}

static void judge(recording *recording, size_t row, int column, double ours)
{
    wac_env_report *report = recording->report;
    double error = fabs(ours - at(recording, row, column));
    if (isnan(error))
        error = INFINITY;
    if (!report->column || error > report->error) {
        report->error = error;
        report->column = recording->kind->columns[column];
        report->row = row;
    }
}

static double observe(const recording *recording, double value)
{
    const wac_environment_spec *spec = &recording->world->spec;
    return wac_world_normalise(value, spec->observation_low[0], spec->observation_high[0]);
}

static double act(const recording *recording, double action)
{
    const wac_environment_spec *spec = &recording->world->spec;
    return wac_world_action(action, spec->action_low[0], spec->action_high[0]);
}

static wac_status compare_lqg_steps(recording *recording, wac_error *error)
{
    enum { I, X, A, V, U, X_NEXT, REWARD, OBS_NEXT };
    (void)error;
    wac_lqg lqg = wac_lqg_make(&recording->config);
    for (size_t row = 0; row < recording->csv.rows; row++) {
        lqg.state = at(recording, row, X);
        double u = act(recording, at(recording, row, A));
        judge(recording, row, U, u);
        judge(recording, row, REWARD, wac_lqg_move(&lqg, u, at(recording, row, V)));
        judge(recording, row, X_NEXT, lqg.state);
        judge(recording, row, OBS_NEXT, observe(recording, lqg.state));
    }
    return WAC_STATUS_OK;
}

static wac_status compare_riverswim_steps(recording *recording, wac_error *error)
{
    enum { I, S, A, D, S_NEXT, REWARD, REWARD_PAPER, OBS_NEXT };
    wac_riverswim river = wac_riverswim_make(&recording->config);
    for (size_t row = 0; row < recording->csv.rows; row++) {
        double a = act(recording, at(recording, row, A)), d = at(recording, row, D);
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
            river.state = at(recording, row, S);
            judge(recording, row, rules[i].column, wac_riverswim_move(&river, a, (int)d));
        }
        judge(recording, row, S_NEXT, river.state);
        judge(recording, row, OBS_NEXT, observe(recording, river.state));
    }
    return WAC_STATUS_OK;
}

static wac_status compare_riverswim_chances(recording *recording, wac_error *error)
{
    enum { A, P_MINUS, P_ZERO, P_PLUS };
    (void)error;
    for (size_t row = 0; row < recording->csv.rows; row++) {
        double chances[3];
        wac_riverswim_chances(act(recording, at(recording, row, A)), chances);
        for (int i = 0; i < 3; i++)
            judge(recording, row, P_MINUS + i, chances[i]);
    }
    return WAC_STATUS_OK;
}

static const kind kinds[] = {
    {&wac_environment_lqg,
     "steps",
     1e-12,
     compare_lqg_steps,
     {"i", "x", "a", "v", "u", "x_next", "reward", "obs_next"}},
    {&wac_environment_riverswim,
     "steps",
     1e-12,
     compare_riverswim_steps,
     {"i", "s", "a", "d", "s_next", "reward", "reward_paper", "obs_next"}},
    {&wac_environment_riverswim,
     "probabilities",
     1e-12,
     compare_riverswim_chances,
     {"a", "p_minus", "p_zero", "p_plus"}},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Whether the file has this kind's columns and no others; fills `places`. */
static bool fits(recording *recording, const kind *kind)
{
    size_t count = 0;
    for (; kind->columns[count]; count++)
        if ((recording->places[count] = wac_csv_column(&recording->csv, kind->columns[count])) < 0)
            return false;
    return count == recording->csv.columns;
}

/* Names joined by commas, as in a header; what does not fit is cut off. */
static void join(char *text, size_t size, const char *const *names, size_t count)
{
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", names[i]);
}

static wac_status refuse_columns(const recording *recording, const wac_environment_type *type,
                                 wac_error *error)
{
    char known[640] = "", columns[WAC_CLIP_SIZE + 1];
    for (int k = 0; k < KINDS; k++) {
        size_t count = 0, used = strlen(known);
        if (kinds[k].type != type)
            continue;
        while (kinds[k].columns[count])
            count++;
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s (", used ? " or " : "",
                                 kinds[k].name);
        if (used >= sizeof known)
            break;
        join(known + used, sizeof known - used, kinds[k].columns, count);
        strncat(known, ")", sizeof known - strlen(known) - 1);
    }
    join(columns, sizeof columns, recording->csv.names, recording->csv.columns);
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s: its columns (%s) are those of no recording of %s; that could be %s",
                    recording->path, WAC_CLIP(columns), type->name, known);
}

/* Rows to compare, and a number in every cell of them. */
static wac_status check_cells(const recording *recording, wac_error *error)
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

static wac_status verify(recording *recording, const wac_environment_type *type, wac_error *error)
{
    for (int k = 0; k < KINDS && !recording->kind; k++)
        if (kinds[k].type == type && fits(recording, &kinds[k]))
            recording->kind = &kinds[k];
    if (!recording->kind)
        return refuse_columns(recording, type, error);
    WAC_TRY(check_cells(recording, error));
    WAC_TRY(wac_config_init(&recording->config, type->name, NULL, error));
    WAC_TRY(wac_world_create(&recording->world, type, &recording->config, error));
    wac_env_report *report = recording->report;
    report->kind = recording->kind->name;
    report->rows = recording->csv.rows;
    report->tolerance = recording->kind->tolerance;
    WAC_TRY(recording->kind->compare(recording, error));
    report->passed = report->error <= report->tolerance;
    return WAC_STATUS_OK;
}

wac_status wac_verify_env(wac_env_report *report, const wac_environment_type *type,
                          const char *path, wac_error *error)
{
    *report = (wac_env_report){0};
    recording recording = {.path = path, .report = report};
    WAC_TRY(wac_csv_read(&recording.csv, path, error));
    wac_status status = verify(&recording, type, error);
    wac_world_destroy(recording.world);
    wac_csv_free(&recording.csv);
    return status;
}
