/* Sheets: what is on them, and how they look. */
#include "report/sheet.h"

#include "base/files.h"
#include "base/status.h"
#include "base/stream.h"
#include "report/lines.h"
#include "report/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* pixels, but for the first */
enum {
    COLUMNS = 4,
    TOP = 30,
    TITLE = 26,
    LEGEND = 30,
    PANEL_TITLE = 34,
    LEFT = 112,
    NARROW_LEFT = 96,
    RIGHT = 28,
    BELOW = 64,
    GAP = 76,
};

const wac_style *wac_sheet_style(const wac_sheet *sheet, size_t index)
{
    return wac_style_at(sheet->lines[index].look);
}

/* --- numbers ---------------------------------------------------------------------------------- */

void wac_sheet_reach(wac_sheet_panel *panel, double low, double high)
{
    panel->low = fmin(panel->low, low);
    panel->high = fmax(panel->high, high);
}

void wac_sheet_note(wac_sheet *sheet, wac_sheet_panel *panel, size_t line, size_t count)
{
    sheet->runs = sheet->runs == 0 || count < sheet->runs ? count : sheet->runs;
    sheet->most = count > sheet->most ? count : sheet->most;
    panel->there[line] = panel->any = true;
}

void wac_sheet_number(wac_sheet *sheet, const char *task, const char *line, const char *measure,
                      double x, const double value[3], size_t count)
{
    wac_table_text(sheet->table, task);
    fputc(',', sheet->table);
    wac_table_text(sheet->table, line);
    fprintf(sheet->table, ",%s,", measure);
    if (sheet->has_x) {
        wac_table_number(sheet->table, x);
        fputc(',', sheet->table);
    }
    for (int k = 0; k < 3; k++) { /* one run has no interval, nor have different settings */
        wac_table_number(sheet->table, k == 0 || (count > 1 && !sheet->pooled) ? value[k] : NAN);
        fputc(',', sheet->table);
    }
    fprintf(sheet->table, "%zu\n", count);
}

void wac_sheet_point(wac_sheet *sheet, const wac_sheet_panel *panel, size_t line, double x,
                     const double value[3], size_t count)
{
    const wac_figure *figure = sheet->figure;
    const char *key = sheet->by_label || sheet->mixed ? "" : figure->lines;
    bool by_setting = *key && strcmp(key, "algorithm") != 0;
    char name[384];
    size_t i = 0;
    while (sheet->groups[i].group->task != sheet->tasks[panel->task])
        i++;
    snprintf(name, sizeof name, "%s%s%s", by_setting ? key : "", by_setting ? " " : "",
             sheet->lines[line].key);
    wac_sheet_number(sheet, sheet->groups[i].group->task_name, name,
                     wac_figure_takes_it(figure, WAC_FIGURE_TAKES_ROWS)
                         ? wac_columns[figure->columns[panel->row]].name
                     : wac_figure_takes_it(figure, WAC_FIGURE_TAKES_GOALS)
                         ? wac_measure_name(WAC_MEASURE_SOLVED)
                         : wac_measure_name(figure->measure),
                     x, value, count);
}

/* --- the page --------------------------------------------------------------------------------- */

/* The legend from the left of the panels and `top` on, broken into rows; returns its height. Where
 * it is not to be drawn it is only measured. */
static double print_legend(wac_sheet *sheet, double top, double room, bool draw)
{
    double left = sheet->grid.left, x = left, y = top + 8;
    if (sheet->bare)
        return 0;
    for (size_t i = 0; i < sheet->line_count; i++) {
        const wac_style *style = wac_sheet_style(sheet, i);
        const char *label = sheet->lines[i].label;
        double width = 68 + wac_page_text(label, WAC_INK_TEXT, 12);
        if (x > left && x + width > left + room) {
            x = left;
            y += LEGEND;
        }
        if (draw) {
            wac_page *page = &sheet->page;
            wac_plot_print(&page->plot,
                           "set arrow from screen %.6f,%.6f rto screen %.6f,0 nohead lw 2.5 dt %s "
                           "lc rgb '%s'\n",
                           x / page->width, 1 - y / page->height, 36.0 / page->width, style->dash,
                           style->colour);
            if (wac_figure_takes_it(sheet->figure, WAC_FIGURE_TAKES_X))
                wac_plot_print(
                    &page->plot,
                    "set label %d '' at screen %.6f,%.6f point pt %d ps 1.1 * zoom lc rgb "
                    "'%s'\n",
                    ++page->labels, (x + 18) / page->width, 1 - y / page->height, style->mark,
                    style->colour);
        }
        y += (wac_page_rows(label, WAC_INK_TEXT, 12, room - 44) - 1) * WAC_PAGE_ROW;
        if (draw)
            wac_page_label_rows(&sheet->page, x + 44, y, WAC_INK_TEXT, 12, room - 44, label);
        x += width;
    }
    return y + LEGEND - 8 - top;
}

/* Title and legend, for panels that take so many pixels below them. Returns where these start. In
 * print the title is the caption's. */
static double begin_page(wac_sheet *sheet, double width, double panels)
{
    char title[400];
    bool titled = sheet->room <= 0;
    double room = fmax(width - sheet->grid.left - RIGHT, 1);
    double top = titled ? TOP + TITLE : 12, legend = print_legend(sheet, 0, room, false);
    wac_page_script(&sheet->page, (int)(width + 0.5), (int)(top + legend + panels));
    wac_plot_print(&sheet->page.plot, "set border 3\nset grid y lc rgb '#dddddd' lt 1 lw 0.7\n"
                                      "set xtics autofreq; set ytics autofreq\nset multiplot\n");
    wac_page_quote(title, sizeof title, sheet->figure->title);
    double left = sheet->grid.left;
    if (wac_page_text(title, WAC_INK_TITLE, 16) > width - left)
        left = fmin(left, LEFT);
    int points = wac_page_points(title, WAC_INK_TITLE, 16, 10, width - left);
    if (titled)
        wac_page_label(&sheet->page, left, TOP - 4, WAC_INK_TITLE, points, "%s", title);
    print_legend(sheet, top - 6, room, true);
    return top + legend;
}

static double band_height(const wac_sheet_grid *grid)
{
    return PANEL_TITLE + grid->height + BELOW;
}

static int rows_of(const wac_sheet *sheet)
{
    bool has_rows = wac_figure_takes_it(sheet->figure, WAC_FIGURE_TAKES_ROWS);
    return has_rows ? sheet->figure->column_count : 1;
}

static int panels_across(const wac_sheet *sheet, const wac_sheet_kind *kind)
{
    return (int)(kind->panels ? kind->panels : sheet->task_count);
}

static double margins(const wac_sheet_grid *grid, int columns)
{
    return grid->left + grid->right + (columns - 1) * grid->gap;
}

/* Columns and sizes of the panels. */
static void arrange(wac_sheet *sheet, const wac_sheet_kind *kind)
{
    wac_sheet_grid *grid = &sheet->grid;
    int count = panels_across(sheet, kind), columns = count < COLUMNS ? count : COLUMNS;
    *grid = (wac_sheet_grid){.left = sheet->room > 0 ? NARROW_LEFT : LEFT,
                             .right = RIGHT,
                             .gap = GAP,
                             .alone = 640,
                             .beside = columns == 2 ? 440 : 320,
                             .least = 180};
    if (kind->arrange)
        kind->arrange(sheet);
    if (sheet->room > 0) {
        while (columns > 1 && (sheet->room - margins(grid, columns)) / columns < grid->least)
            columns--;
        columns = (count + (count + columns - 1) / columns - 1) / ((count + columns - 1) / columns);
    }
    grid->columns = columns;
    grid->bands = (count + columns - 1) / columns;
    grid->width = sheet->room > 0 ? fmax((sheet->room - margins(grid, columns)) / columns, 60)
                  : columns == 1  ? grid->alone
                                  : grid->beside;
    if (grid->height == 0)
        grid->height = fmin(0.72 * grid->width, sheet->room > 0 ? 340 : INFINITY);
}

/* Begin the script, and arrange the panels. */
static void begin_script(wac_sheet *sheet, const wac_sheet_kind *kind)
{
    wac_sheet_grid *grid = &sheet->grid;
    arrange(sheet, kind);
    double width = margins(grid, grid->columns) + grid->columns * grid->width;
    grid->top = begin_page(sheet, width, rows_of(sheet) * grid->bands * band_height(grid));
}

static void print_panel(wac_sheet *sheet, wac_sheet_panel *panel, const wac_sheet_kind *kind)
{
    const wac_sheet_grid *grid = &sheet->grid;
    int column = (int)panel->task % grid->columns;
    int band = panel->row * grid->bands + (int)panel->task / grid->columns;
    double left = grid->left + column * (grid->width + grid->gap);
    double top = grid->top + band * band_height(grid) + PANEL_TITLE;
    char name[WAC_PRETTY], quoted[2 * WAC_PRETTY];
    if (kind->title)
        kind->title(sheet, panel->task, name);
    else
        wac_pretty_task(name, sheet->selection, sheet->tasks[panel->task]);
    wac_page_quote(quoted, sizeof quoted, name);
    int points = wac_page_points(quoted, WAC_INK_TITLE, 13, 9,
                                 grid->width + fmin(grid->gap / 2, grid->right));
    wac_page_label(&sheet->page, left, top - 16, WAC_INK_TITLE, points, "%s", quoted);
    wac_page_axes(&sheet->page, left, top, grid->width, grid->height);
    panel->leftmost = column == 0;
    kind->print(sheet, panel);
    wac_page_forget_labels(&sheet->page);
    wac_plot_print(&sheet->page.plot, "unset arrow\n");
}

/* An empty panel still has to be a plot. */
void wac_sheet_nothing(wac_sheet *sheet)
{
    wac_plot_print(&sheet->page.plot,
                   "set xrange [0:1]; set yrange [0:1]\n"
                   "set label 999 'no data' at graph 0.5,0.5 center font ',12' tc rgb grey\n"
                   "plot -1 notitle\n");
}

/* In print they take less than half of the width. */
void wac_sheet_arrange_rows(wac_sheet *sheet, size_t rows, int sides)
{
    enum { ROW = 26 };
    wac_sheet_grid *grid = &sheet->grid;
    int lines = 1;
    sheet->bare = true;
    sheet->rows = rows;
    sheet->names = sheet->room > 0 ? sheet->room * (sides > 1 ? 0.27 : 0.38) : INFINITY;
    for (size_t i = 0; i < sheet->line_count; i++) {
        const char *label = sheet->lines[i].label;
        int taken = wac_page_rows(label, WAC_INK_TEXT, 12, sheet->names);
        double width = fmin(wac_page_text(label, WAC_INK_TEXT, 12), sheet->names);
        grid->left = fmax(grid->left, width + 28);
        lines = taken > lines ? taken : lines;
    }
    grid->alone = 520;
    grid->beside = 260;
    grid->least = 150;
    grid->height = (ROW + (lines - 1) * WAC_PAGE_ROW) * (double)rows + 12;
    grid->gap = 44;
}

void wac_sheet_print_name(wac_sheet *sheet, size_t line)
{
    const char *rest = sheet->lines[line].label;
    while (*rest) {
        size_t size = wac_page_fit(rest, WAC_INK_TEXT, 12, sheet->names);
        wac_plot_print(&sheet->page.plot, "%s'%.*s'",
                       rest == sheet->lines[line].label ? "" : ".\"\\n\".", (int)size, rest);
        rest += size;
    }
}

/* A step between tics of a narrow panel, which needs two of them. */
static double step_of(const wac_sheet *sheet, const double range[2])
{
    double parts = fmax(sheet->grid.width / 68, 2);
    double step = wac_page_step(range[0], range[1], parts);
    bool two = floor(range[1] / step) > ceil(range[0] / step);
    return two ? step : wac_page_step(range[0], range[1], 2 * parts);
}

void wac_sheet_print_rows(wac_sheet *sheet, const wac_sheet_panel *panel, const char *words,
                          const double range[2])
{
    wac_plot *plot = &sheet->page.plot;
    wac_plot_print(plot,
                   "unset grid; set grid x lc rgb '#dddddd' lt 1 lw 0.7\n"
                   "set xlabel '%s' tc rgb grey\nset ytics scale 0 (",
                   words);
    for (size_t i = 0; i < sheet->line_count; i++) {
        wac_plot_print(plot, i ? ", " : "");
        if (panel->leftmost)
            wac_sheet_print_name(sheet, i);
        wac_plot_print(plot, "%s %zu", panel->leftmost ? "" : "''", i);
    }
    double last = (double)sheet->rows - 0.4;
    wac_plot_print(plot,
                   ")\nunset y2tics; set xtics %.9g; set xrange [%.9g:%.9g]\n"
                   "set yrange [%.1f:-0.6]; set y2range [%.1f:-0.6]\n",
                   step_of(sheet, range), range[0], range[1], last, last);
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void write_caption(const wac_sheet *sheet, const wac_sheet_kind *kind, wac_drawing *drawing)
{
    char runs[64], text[480];
    if (sheet->runs == sheet->most)
        snprintf(runs, sizeof runs, "%zu run%s", sheet->runs, sheet->runs == 1 ? "" : "s");
    else
        snprintf(runs, sizeof runs, "%zu to %zu runs", sheet->runs, sheet->most);
    kind->explain(sheet, runs, text, sizeof text);
    size_t used =
        (size_t)snprintf(drawing->caption, sizeof drawing->caption, "%s%s", text,
                         sheet->uneven ? " A line ends where the shortest of its runs does." : "");
    wac_caption_groups(drawing->caption + used, sizeof drawing->caption - used, sheet->algorithm,
                       sheet->line_count, sheet->line_total);
}

static wac_status write_numbers(wac_drawing *drawing, const char *folder, const char *text,
                                size_t size, wac_error *error)
{
    char path[PATH_MAX], name[96];
    snprintf(name, sizeof name, "%s.csv", drawing->name);
    WAC_TRY(wac_path_join(path, sizeof path, folder, name, error));
    WAC_TRY(wac_file_write(path, text, size, error));
    drawing->has_table = true;
    return WAC_STATUS_OK;
}

/* The script, for the room that there is; then what it draws, as files with these endings. */
static wac_status draw_files(wac_sheet *sheet, wac_sheet_panel *panels, const wac_sheet_kind *kind,
                             const wac_drawing *drawing, const char *folder,
                             const char *const *endings, wac_error *error)
{
    size_t count = (size_t)rows_of(sheet) * (size_t)panels_across(sheet, kind);
    wac_rendering files = {0};
    begin_script(sheet, kind);
    for (size_t p = 0; p < count; p++)
        print_panel(sheet, &panels[p], kind);
    wac_plot_print(&sheet->page.plot, "unset multiplot\n");
    for (; endings[files.files]; files.files++) {
        char name[96];
        snprintf(name, sizeof name, "%s%s", drawing->name, endings[files.files]);
        WAC_TRY(wac_path_join(files.paths[files.files], PATH_MAX, folder, name, error));
    }
    return wac_page_draw(&sheet->page, &files, error);
}

static wac_status draw_all(wac_sheet *sheet, wac_sheet_panel *panels, const wac_sheet_kind *kind,
                           wac_drawing *drawing, const char *folder, wac_error *error)
{
    static const char *const wide[] = {".svg", ".png", ".pdf", NULL};
    static const char *const narrow[] = {"-narrow.svg", NULL};
    WAC_TRY(draw_files(sheet, panels, kind, drawing, folder, wide, error));
    drawing->width = sheet->page.width;
    write_caption(sheet, kind, drawing);
    if (drawing->width <= WAC_FIGURE_SMALL)
        return WAC_STATUS_OK;
    drawing->narrow = true;
    sheet->room = WAC_FIGURE_NARROW * WAC_PLOT_PIXELS_PER_INCH;
    return draw_files(sheet, panels, kind, drawing, folder, narrow, error);
}

/* The data of all lines. Nothing to show is an error (input). */
static wac_status fill(wac_sheet *sheet, wac_sheet_panel *panels, const wac_sheet_kind *kind,
                       wac_error *error)
{
    size_t across = (size_t)panels_across(sheet, kind), count = (size_t)rows_of(sheet) * across;
    sheet->share[0] = INFINITY;
    sheet->share[1] = -INFINITY;
    for (size_t p = 0; p < count; p++) {
        panels[p].row = (int)(p / across);
        panels[p].task = p % across;
        panels[p].low = INFINITY;
        panels[p].high = -INFINITY;
        for (size_t i = 0; i < sheet->line_count; i++)
            WAC_TRY(kind->write(sheet, &panels[p], i, error));
    }
    return sheet->runs ? WAC_STATUS_OK
                       : wac_fail(error, WAC_STATUS_INPUT, "no finished run has these numbers");
}

/* Whether there is something to draw. */
static wac_status check(const wac_sheet *sheet, wac_error *error)
{
    char name[WAC_PRETTY];
    if (sheet->line_total == 0 && *sheet->lost)
        return wac_fail(error, WAC_STATUS_INPUT, "no %s are known of %s", sheet->figure->x,
                        sheet->lost);
    if (sheet->line_total == 0)
        return wac_fail(error, WAC_STATUS_INPUT, "there is no such run");
    if (wac_figure_takes_it(sheet->figure, WAC_FIGURE_TAKES_X) && sheet->level_count < 2)
        return wac_fail(error, WAC_STATUS_INPUT, "all of these runs have %s %g",
                        wac_pretty_setting(name, sheet->figure->x), sheet->levels[0]);
    return WAC_STATUS_OK;
}

wac_status wac_sheet_draw(wac_drawing *drawing, const wac_figure_order *order,
                          const wac_sheet_kind *kind, wac_error *error)
{
    wac_sheet sheet = {.figure = order->figure,
                       .selection = order->selection,
                       .has_x = kind->has_x,
                       .room = order->look.inches * WAC_PLOT_PIXELS_PER_INCH};
    size_t count = order->selection->set->count;
    wac_sheet_panel *panels = calloc(2 * WAC_SHEET_MOST_PANELS, sizeof *panels);
    sheet.found = malloc((count + 1) * sizeof *sheet.found);
    sheet.values = malloc((count + 1) * sizeof *sheet.values);
    wac_stream numbers;
    sheet.table = wac_stream_open(&numbers) ? numbers.to : NULL;
    wac_status status = panels && sheet.found && sheet.values && sheet.table
                            ? wac_lines_find(&sheet, kind->most_lines, error)
                            : wac_fail_memory(error, "the runs of a figure");
    if (status == WAC_STATUS_OK)
        status = check(&sheet, error);
    drawing->empty = status == WAC_STATUS_INPUT;
    if (status == WAC_STATUS_OK && (status = wac_plot_begin(&sheet.page.plot, error)) == 0) {
        sheet.page.plot.stop = order->stop;
        sheet.page.plot.inches = order->look.inches;
        fprintf(sheet.table, "task,line,measure,%s%s,low,high,n\n", kind->has_x ? "x," : "",
                sheet.figure->curve == WAC_FIGURE_CURVE_IQM ? "iqm" : kind->value);
        status = fill(&sheet, panels, kind, error);
        drawing->empty = status == WAC_STATUS_INPUT;
        if (status == WAC_STATUS_OK)
            status = draw_all(&sheet, panels, kind, drawing, order->folder, error);
        wac_plot_end(&sheet.page.plot);
    }
    if (sheet.table && !wac_stream_close(&numbers) && status == WAC_STATUS_OK)
        status = wac_fail_memory(error, "the runs of a figure");
    if (status == WAC_STATUS_OK)
        status = write_numbers(drawing, order->folder, numbers.text, numbers.size, error);
    free(numbers.text);
    free(panels);
    free(sheet.found);
    free(sheet.values);
    free(sheet.groups);
    free(sheet.lines);
    return status;
}
