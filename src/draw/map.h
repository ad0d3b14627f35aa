/* Pictures of tasks with one state and one action: visits and uncertainty.
 *
 * The maps are written as data for gnuplot into the file that was begun, a line for each cell:
 * state, action (both in the units of the world), value. */
#ifndef WAC_DRAW_MAP_H
#define WAC_DRAW_MAP_H

#include "draw/scene.h"

wac_status wac_render_maps(wac_scene *scene, wac_error *error);

/* gnuplot's `set palette …` for the two, and the colour of what was never visited */
#define WAC_PALETTE_VISITS                                                                         \
    "defined (0 '#472d7b', 1 '#3b528b', 2 '#2c728e', 3 '#21918c', 4 '#28ae80', 5 '#5ec962', "      \
    "6 '#addc30', 7 '#fde725')"
#define WAC_PALETTE_SIGMA                                                                          \
    "defined (0 '#000004', 1 '#1b0c41', 2 '#4a0c6b', 3 '#781c6d', 4 '#a52c60', 5 '#cf4446', "      \
    "6 '#ed6925', 7 '#fb9b06', 8 '#fcffa4')"
#define WAC_NEVER_VISITED "#101014"

/* The colour of one of them at a share of its range, in so many levels: for pictures that can have
 * few. */
void wac_palette_colour(int rgb[3], const char *palette, double share, int levels);

/* Visits (run/visits.h), in mazes to places: x, y, visits. Returns the most of a cell, or 1. */
int64_t wac_map_visits(wac_plot *plot, const wac_run *run, wac_policy_role role);

/* The uncertainty of a run of WAC; range: that of the colours, from what is known best to what is
 * least. */
wac_status wac_map_sigma(wac_plot *plot, wac_run *run, double range[2], wac_error *error);

#endif
