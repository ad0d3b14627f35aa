/* The table of tasks by methods. */
#include "report/matrix.h"

#include "base/number.h"
#include "base/status.h"
#include "report/markup.h"
#include "report/names.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix {
    const wac_selection *selection;
    const char **labels; /* [columns] */
    size_t columns;
    size_t *tasks; /* [rows] */
    size_t rows;
    double *means, *spreads; /* [rows][columns]; NaN: none */
} matrix;

static size_t column_of(const matrix *matrix, const char *label)
{
    size_t column = 0;
    while (column < matrix->columns && strcmp(matrix->labels[column], label) != 0)
        column++;
    return column;
}

/* Tasks and labels with normalised returns, as they come. */
static void find_ends(matrix *matrix)
{
    const wac_runset *set = matrix->selection->set;
    for (size_t i = 0; i < set->group_count; i++) {
        const wac_group *group = &set->groups[i];
        if (!wac_selection_has(matrix->selection, i) || group->finished == 0 ||
            !wac_measure_is_share(set, group->task, WAC_MEASURE_NORMALISED))
            continue;
        if (matrix->rows == 0 || matrix->tasks[matrix->rows - 1] != group->task)
            matrix->tasks[matrix->rows++] = group->task;
        if (column_of(matrix, group->label) == matrix->columns)
            matrix->labels[matrix->columns++] = group->label;
    }
}

static void fill(matrix *matrix, double *values)
{
    const wac_runset *set = matrix->selection->set;
    for (size_t i = 0; i < matrix->rows * matrix->columns; i++)
        matrix->means[i] = matrix->spreads[i] = NAN;
    for (size_t i = 0; i < set->group_count; i++) {
        const wac_group *group = &set->groups[i];
        size_t row = 0, column = column_of(matrix, group->label);
        while (row < matrix->rows && matrix->tasks[row] != group->task)
            row++;
        if (row == matrix->rows || column == matrix->columns ||
            !wac_selection_has(matrix->selection, i))
            continue;
        size_t count =
            wac_records_measure(values, NULL, group->runs, group->count, WAC_MEASURE_NORMALISED);
        matrix->means[row * matrix->columns + column] = wac_mean(values, count);
        matrix->spreads[row * matrix->columns + column] =
            count > 1 ? wac_spread(values, count) : NAN;
    }
}

/* "0.42", "−0.03" */
static void write_number(FILE *to, double value)
{
    char text[32];
    wac_number_print(text, sizeof text, "%.2f", fabs(value));
    fprintf(to, "%s%s", value < -0.005 ? "−" : "", text);
}

static void write_cells(FILE *to, const double *means, const double *spreads, size_t count)
{
    double best = -INFINITY, worst = INFINITY;
    for (size_t i = 0; i < count; i++) {
        best = fmax(best, means[i]);
        worst = fmin(worst, means[i]);
    }
    for (size_t i = 0; i < count; i++) {
        bool bold = means[i] == best && best - worst >= 0.01; /* a difference that is seen */
        fputs(bold ? "<td class=\"n\"><strong>" : "<td class=\"n\">", to);
        if (isnan(means[i]))
            fputs("–", to);
        else
            write_number(to, means[i]);
        if (spreads && !isnan(spreads[i])) {
            fputs(" ± ", to);
            write_number(to, spreads[i]);
        }
        fputs(bold ? "</strong></td>" : "</td>", to);
    }
    fputs("</tr>\n", to);
}

/* The mean over the rows in which all columns have a number; returns how many those are. */
static size_t sum_up(double *means, const matrix *matrix)
{
    size_t shared = 0;
    for (size_t k = 0; k < matrix->columns; k++)
        means[k] = 0;
    for (size_t row = 0; row < matrix->rows; row++) {
        const double *own = matrix->means + row * matrix->columns;
        bool whole = true;
        for (size_t k = 0; k < matrix->columns; k++)
            whole = whole && !isnan(own[k]);
        for (size_t k = 0; k < matrix->columns && whole; k++)
            means[k] += own[k];
        shared += whole;
    }
    for (size_t k = 0; k < matrix->columns; k++)
        means[k] /= (double)shared;
    return shared;
}

static void write_table(FILE *to, const matrix *matrix, double *values)
{
    char name[WAC_PRETTY];
    fputs("<h2 id=\"normalised\">Normalised return</h2>\n<p class=\"note\">Return of the last 10 "
          "epochs, from 0, that of random actions, to 1, the best that is known of a task; mean ± "
          "2 s/√n over seeds. In bold: the highest mean, which says nothing of "
          "chance.</p>\n<div class=\"wide\"><table class=\"stats\"><tr><th>task</th>",
          to);
    for (size_t k = 0; k < matrix->columns; k++)
        wac_html_tag(to, "<th class=\"n\">", wac_pretty_label(name, matrix->labels[k]), "</th>");
    fputs("</tr>\n", to);
    for (size_t row = 0; row < matrix->rows; row++) {
        wac_html_tag(to, "<tr><td>", wac_pretty_task(name, matrix->selection, matrix->tasks[row]),
                     "</td>");
        size_t first = row * matrix->columns;
        write_cells(to, matrix->means + first, matrix->spreads + first, matrix->columns);
    }
    size_t shared = sum_up(values, matrix);
    if (shared > 1) {
        fprintf(to, "<tr><td>mean of %zu tasks</td>", shared);
        write_cells(to, values, NULL, matrix->columns);
    }
    fputs("</table></div>\n", to);
}

wac_status wac_matrix_write(FILE *to, const wac_selection *selection, wac_error *error)
{
    const wac_runset *set = selection->set;
    size_t groups = set->group_count + 1;
    matrix matrix = {.selection = selection};
    wac_status status = WAC_STATUS_OK;
    matrix.labels = calloc(groups, sizeof *matrix.labels);
    matrix.tasks = calloc(groups, sizeof *matrix.tasks);
    double *values = calloc(set->count + groups, sizeof *values);
    if (matrix.labels && matrix.tasks && values)
        find_ends(&matrix);
    size_t cells = matrix.rows * matrix.columns + 1;
    matrix.means = calloc(cells, sizeof *matrix.means);
    matrix.spreads = calloc(cells, sizeof *matrix.spreads);
    if (!matrix.labels || !matrix.tasks || !values || !matrix.means || !matrix.spreads) {
        status = wac_fail_memory(error, "the table of normalised returns");
    } else if (matrix.rows > 1 && matrix.columns > 1) {
        fill(&matrix, values);
        write_table(to, &matrix, values);
    }
    free(matrix.labels);
    free(matrix.tasks);
    free(matrix.means);
    free(matrix.spreads);
    free(values);
    return status;
}
