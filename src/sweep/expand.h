/* Settings with several values, and the runs that they make. */
#ifndef WAC_SWEEP_EXPAND_H
#define WAC_SWEEP_EXPAND_H

#include "base/yaml.h"
#include "sweep/file.h"

/* One setting and what it shall be: a value, a list of values, or a range to draw from. */
typedef struct wac_axis {
    const wac_setting *setting;
    size_t line;
    const yaml_node_t *node;
    bool listed; /* a list or a range: part of the folder's name */
    bool ranged, logarithmic;
    double from, to;
} wac_axis;

/* The settings of one environment and algorithm, in the order of the file. */
typedef struct wac_axes {
    const char *environment; /* as the file names it */
    wac_axis list[WAC_SETTINGS_TOTAL];
    int count;
    const void *owners[WAC_SETTINGS_TOTAL]; /* the blocks that they stand in */
} wac_axes;

/* A list of runs while it grows. */
typedef struct wac_expansion {
    wac_yaml yaml;            /* where the values are */
    const yaml_node_t *seeds; /* a list, or how many; null: one */
    wac_search *search;       /* null: a sweep */
    wac_sweep *sweep;
    size_t room; /* of sweep->runs */
} wac_expansion;

/* Pass on what is wrong with a line of the file. */
wac_status wac_expansion_refuse(const wac_expansion *in, size_t line, const wac_error *why);

/* Add all combinations of the values to the list, from axis number `first` on, later axes going
 * fastest and seeds fastest of all. `base` has the preset and the values of the axes before. */
wac_status wac_axes_combine(wac_expansion *in, const wac_sweep_run *base, const wac_axes *axes,
                            int first);

/* Add as many different draws as the search asks for. */
wac_status wac_axes_draw(wac_expansion *in, const wac_sweep_run *base, const wac_axes *axes);

#endif
