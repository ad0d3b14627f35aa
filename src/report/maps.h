/* Figures of single runs: where they went, by `wac render`. */
#ifndef WAC_REPORT_MAPS_H
#define WAC_REPORT_MAPS_H

#include "report/figure.h"

wac_figure_draw_fn wac_maps_draw;

#endif
