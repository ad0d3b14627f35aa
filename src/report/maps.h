/* Figures of where runs went. */
#ifndef WAC_REPORT_MAPS_H
#define WAC_REPORT_MAPS_H

#include "report/figure.h"

/* The run of a group that maps show: one with a checkpoint, finished if there is one. Or null. */
const wac_record *wac_maps_run(const wac_group *group);

/* That run of each group, of at most six groups. */
wac_status wac_maps_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error);

#endif
