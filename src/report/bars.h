/* Figures of a measure of every group, as bars. */
#ifndef WAC_REPORT_BARS_H
#define WAC_REPORT_BARS_H

#include "report/figure.h"

wac_figure_draw_fn wac_bars_draw;

#endif
