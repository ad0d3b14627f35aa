/* The columns of progress.csv (docs/metrics.md), in their order. Whoever writes and reads the file,
 * goes by a column or draws one goes by this table: a new column is a row here.
 *
 * Row: X(VALUE, name, value, format, short name, what people call it, least, most, need), as
 * described below; `value` is an expression of the `run` and of where it stands `now`
 * (wac_progress). */
#ifndef WAC_RUN_COLUMNS_H
#define WAC_RUN_COLUMNS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#define WAC_COLUMNS(X)                                                                             \
    X(EPOCH, epoch, now->epoch, "%.0f", NULL, NULL, 0, 0, NOTHING)                                 \
    X(ENV_STEPS, env_steps, now->env_steps, "%.0f", NULL, NULL, 0, 0, NOTHING)                     \
    X(UPDATES, updates, now->updates, "%.0f", NULL, NULL, 0, 0, NOTHING)                           \
    X(EVAL_RETURN, eval_return, now->eval_return, "%.9g", "return", "return", -INFINITY, INFINITY, \
      EVALUATION)                                                                                  \
    X(EVAL_SUCCESS, eval_success, now->eval_success, "%.9g", "success", "success", 0, 1, GOAL)     \
    X(EVAL_EPISODES, eval_episodes, now->eval_episodes, "%.0f", "episodes", "episodes completed",  \
      0, INFINITY, EVALUATION)                                                                     \
    X(COVERAGE_SAMPLED, coverage_sampled, now->coverage_sampled, "%.9g", "coverage", "coverage",   \
      0, 1, COVERAGE)                                                                              \
    X(COVERAGE_VISITED, coverage_visited, now->coverage_visited, "%.9g", "coverage_visited",       \
      "coverage by steps", 0, 1, COVERAGE)                                                         \
    X(ALPHA, alpha, now->alpha, "%.9g", NULL, NULL, 0, 0, NOTHING)                                 \
    X(Q_MEAN, q_mean, now->q_mean, "%.9g", NULL, NULL, 0, 0, NOTHING)                              \
    X(SIGMA_VISITED, sigma_visited, now->sigma_visited, "%.9g", NULL, NULL, 0, 0, NOTHING)         \
    X(SIGMA_UNIFORM, sigma_uniform, now->sigma_uniform, "%.9g", NULL, NULL, 0, 0, NOTHING)         \
    X(SECONDS, seconds, now->seconds, "%.3f", NULL, NULL, 0, 0, NOTHING)                           \
    X(EXPLORE_EPISODES, explore_episodes, now->explore_episodes, "%.0f", NULL, NULL, 0, 0,         \
      NOTHING)                                                                                     \
    X(EXPLORE_RETURN, explore_return, now->explore_return, "%.9g", "online",                       \
      "return while exploring", -INFINITY, INFINITY, NOTHING)                                      \
    X(EXPLORE_SUCCESS, explore_success, now->explore_success, "%.9g", NULL, NULL, 0, 0, NOTHING)

#define WAC_COLUMN_VALUE(value, ...) WAC_COLUMN_##value,
typedef enum wac_column { WAC_COLUMNS(WAC_COLUMN_VALUE) WAC_COLUMN_TOTAL } wac_column;

/* "epoch,env_steps,…\n" */
#define WAC_COLUMN_TITLE(id, name, ...) "," #name
#define WAC_COLUMN_HEADER (&(WAC_COLUMNS(WAC_COLUMN_TITLE) "\n")[1])

/* Without what a column has no values. */
typedef enum wac_column_need {
    WAC_COLUMN_NEED_NOTHING,
    WAC_COLUMN_NEED_EVALUATION,
    WAC_COLUMN_NEED_GOAL,     /* evaluations of a world with a goal */
    WAC_COLUMN_NEED_COVERAGE, /* see wac_world_has_coverage */
} wac_column_need;

typedef struct wac_column_row {
    const char *name;   /* in the file */
    const char *format; /* of its numbers there */
    /* for searches and figures, as "wac stats" has it; null where they cannot ask for the column,
     * and then the next is null as well */
    const char *short_name;
    const char *words;  /* what people call it */
    double least, most; /* what is possible of those that can be asked for */
    wac_column_need need;
} wac_column_row;

extern const wac_column_row wac_columns[WAC_COLUMN_TOTAL];

/* Whether a column tells how training went and nobody judges by it: no count, and none that can be
 * asked for. */
bool wac_column_is_aside(wac_column column);

/* A column that can be asked for, by either name, dash and underscore alike; false where there is
 * none of that name. */
bool wac_column_find(wac_column *column, const char *name);

/* "eval_return, eval_success, … or coverage_visited": those that can be asked for. */
void wac_columns_join(char *text, size_t size, bool short_names);

#endif
