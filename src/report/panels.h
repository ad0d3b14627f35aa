/* Figures that are sheets of panels: curves over epochs, a measure over a setting, bars. */
#ifndef WAC_REPORT_PANELS_H
#define WAC_REPORT_PANELS_H

#include "report/figure.h"

wac_figure_draw_fn wac_curves_draw, wac_levels_draw, wac_bars_draw;

#endif
