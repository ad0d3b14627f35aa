/* Figures of columns of progress.csv over epochs. */
#ifndef WAC_REPORT_CURVES_H
#define WAC_REPORT_CURVES_H

#include "report/figure.h"

wac_figure_draw_fn wac_curves_draw;

#endif
