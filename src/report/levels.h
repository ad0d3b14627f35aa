/* Figures of a measure over a setting. */
#ifndef WAC_REPORT_LEVELS_H
#define WAC_REPORT_LEVELS_H

#include "report/figure.h"

wac_figure_draw_fn wac_levels_draw;

#endif
