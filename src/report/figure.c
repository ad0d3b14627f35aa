/* Kinds of figures, and what all of them do. */
#include "report/figure.h"

#include "base/status.h"
#include "report/maps.h"
#include "report/panels.h"

#include <stdio.h>

static const struct {
    const char *name;
    unsigned takes;
    wac_figure_draw_fn *draw;
} kinds[] = {
#define ROW(id, name, takes, draw) {name, takes, draw},
    WAC_FIGURE_KINDS(ROW)
#undef ROW
};

const char *wac_figure_kind_name(wac_figure_kind kind)
{
    return kinds[kind].name;
}

const char *wac_figure_kind_words(void)
{
#define WORD(id, name, ...) "|" name
    static const char words[] = WAC_FIGURE_KINDS(WORD);
#undef WORD
    return words + 1;
}

bool wac_figure_takes_it(const wac_figure *figure, wac_figure_takes what)
{
    return kinds[figure->kind].takes & what;
}

bool wac_figure_means(const wac_figure *figure, const wac_selection *selection, size_t group)
{
    return wac_selection_has(selection, group) &&
           wac_where_holds(&figure->where, &selection->set->groups[group].runs[0]->config);
}

wac_status wac_figure_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error)
{
    wac_error why = {0};
    snprintf(drawing->title, sizeof drawing->title, "%s", order->figure->title);
    wac_status status = kinds[order->figure->kind].draw(drawing, order, &why);
    drawing->drawn = status == WAC_STATUS_OK;
    snprintf(drawing->problem, sizeof drawing->problem, "%.500s", why.message);
    if (status == WAC_STATUS_MEMORY || status == WAC_STATUS_INTERRUPTED)
        return wac_fail(error, status, "%s", why.message);
    return WAC_STATUS_OK;
}
