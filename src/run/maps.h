/* Maps: what a run saw and believed at each of its evaluations, kept beside progress.csv as
 * maps.bin for pages and pictures that go back through training (docs/format.md). Optional, and of
 * no account to training: a run ends in the same bytes with and without them.
 *
 * A map lies over the grid of visits (visits.h). Values are those of the critics, on a grid of
 * their own, which in mazes is half as fine: at a place, resting, for what the behaviour policy
 * does there; or at a state and an action. */
#ifndef WAC_RUN_MAPS_H
#define WAC_RUN_MAPS_H

#include "run/visits.h"
#include "wac/run.h"

enum {
    WAC_MAP_VALUES_MOST = WAC_CELLS_MOST, /* cells of values */
    WAC_MAP_WAY = 128,                    /* most points of a way */
    WAC_MAP_ACTIONS = 2,                  /* entries of an action that are kept */
};

/* What all maps of a run have in common. */
typedef struct wac_map_shape {
    wac_grid grid;    /* of visits, and the bounds; without cells there is none, and no map */
    int values[2];    /* cells of values along the same sides */
    bool is_place;    /* x and y; else state and action */
    double action[2]; /* what actions of -1 and 1 are over the second side; at a place themselves */
    double kappa;     /* the upper bound is mean + kappa std; NaN where there is no std */
} wac_map_shape;

typedef struct wac_map {
    float losses[7]; /* of the last update, in the order of wac_losses up to alpha; NaN: none */
    int way_points;
    float way[WAC_MAP_WAY][2]; /* of the target policy in its first evaluation episode */
    float mean[WAC_MAP_VALUES_MOST], std[WAC_MAP_VALUES_MOST]; /* [values[0]][values[1]] */
    uint32_t visits[WAC_CELLS_MOST];                           /* while exploring, so far */
    /* mean actions in [-1, 1] times 127, by role */
    int8_t actions[WAC_POLICY_TOTAL][WAC_MAP_VALUES_MOST][WAC_MAP_ACTIONS];
} wac_map;

wac_map_shape wac_map_shape_of(const wac_run *run);

/* The map of a run as it stands, without a way. */
void wac_map_fill(wac_map *map, const wac_run *run);

/* A map as a record of the file (docs/format.md): how many bytes, and these. */
size_t wac_map_size(const wac_map_shape *shape);
void wac_map_pack(unsigned char *record, const wac_map *map, const wac_map_shape *shape);

/* --- while it trains ------------------------------------------------------------------------- */

typedef struct wac_maps wac_maps;

/* Where maps are asked for, or there are some already: open the file, or begin one with the row to
 * come. */
wac_status wac_maps_open(wac_run *run, wac_error *error);

/* Whether the file, if there is one, has the map of this row. */
bool wac_maps_have(const wac_run *run, int64_t row);

/* Cut it to the rows of the position; fails (input) where it has fewer. */
wac_status wac_maps_cut(wac_run *run, wac_error *error);

/* The map of the row to come, but for the way; then the next point of that; then into the file.
 * Nothing to do where none are kept. */
void wac_maps_note(wac_run *run);
void wac_maps_add_point(wac_run *run, const float *action);
wac_status wac_maps_append(wac_run *run, wac_error *error);

/* The map of the last row; null: there is none. */
const wac_map *wac_maps_present(const wac_run *run, wac_map_shape *shape);

wac_status wac_maps_sync(const wac_run *run, wac_error *error);
void wac_maps_close(wac_run *run);

/* --- to be looked at ------------------------------------------------------------------------- */

/* The maps in the folder of a run, which another process may be adding to. */
typedef struct wac_atlas {
    int file;
    wac_map_shape shape;
    int64_t first; /* epoch of the first map */
    int64_t count; /* whole ones, when it was opened */
} wac_atlas;

/* Fails (input) where there are none, or the file is not what a run writes. */
wac_status wac_atlas_open(wac_atlas *atlas, const char *directory, wac_error *error);
wac_status wac_atlas_read(wac_map *map, const wac_atlas *atlas, int64_t index, wac_error *error);
void wac_atlas_close(wac_atlas *atlas);

/* Refuses maps, if there are any, that a run with a checkpoint of so many rows cannot go on with.
 */
wac_status wac_maps_check(const char *directory, int64_t rows, wac_error *error);

#endif
