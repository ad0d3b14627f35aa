/* Figures of where runs went. */
#ifndef WAC_REPORT_MAPS_H
#define WAC_REPORT_MAPS_H

#include "report/figure.h"

/* One run of each group, of at most six groups. */
wac_status wac_maps_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error);

#endif
