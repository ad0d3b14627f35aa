/* The file of maps: a line of JSON, padded to a fixed length, that says what is in it, then a
 * record of fixed length for every row of progress.csv from `first` on; all numbers little-endian.
 */
#include "run/maps.h"

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"
#include "rl/steps.h"
#include "run/events.h"
#include "run/folder.h"
#include "run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char format[] = "wac-maps-1";
enum { HEADER = 512, LOSSES = sizeof((wac_map *)0)->losses / sizeof(float) };

struct wac_maps {
    int file;       /* -1: nothing is kept, but others use the present map */
    int64_t first;  /* row of the first map */
    int64_t count;  /* maps in the file */
    int64_t steps;  /* of the episode whose way is taken down; -1: that is over */
    int64_t stride; /* steps from one point to the next */
    wac_map_shape shape;
    wac_map map; /* of the row to come */
    unsigned char *record;
};

/* --- one map --------------------------------------------------------------------------------- */

wac_map_shape wac_map_shape_of(const wac_run *run)
{
    wac_map_shape shape = {
        .grid = wac_world_grid(run->world), .is_place = run->world->spec.has_place, .kappa = NAN};
    for (int i = 0; i < 2; i++)
        shape.values[i] = shape.is_place ? (shape.grid.cells[i] + 1) / 2 : shape.grid.cells[i];
    for (int i = 0; i < 2; i++)
        shape.action[i] = shape.is_place || shape.grid.cells[0] == 0
                              ? 2 * i - 1
                              : (i ? run->world->spec.action_high : run->world->spec.action_low)[0];
    if (wac_agent_has_std(run->agent))
        shape.kappa = (double)run->agent->seat[run->seat].kappa;
    return shape;
}

static int count_values(const wac_map_shape *shape)
{
    return shape->values[0] * shape->values[1];
}

static int count_cells(const wac_map_shape *shape)
{
    return shape->grid.cells[0] * shape->grid.cells[1];
}

/* What the agent sees where entry `i` is this share of its way from bound to bound. */
static float observation_at(const wac_world *world, int i, double share)
{
    double low = world->spec.observation_low[i], high = world->spec.observation_high[i];
    if (!world->raw)
        return (float)(2 * share - 1);
    return isfinite(low) && isfinite(high) ? (float)(low + share * (high - low)) : 0;
}

static int8_t quantise(float action)
{
    return (int8_t)lrintf(127 * fminf(fmaxf(action, -1), 1));
}

/* What both policies do in a cell; that of the behaviour policy is left in `action`. */
static void fill_actions(wac_map *map, int cell, const wac_run *run, const float *observation,
                         float *action)
{
    int size = run->world->spec.action_size;
    for (int role = WAC_POLICY_TARGET; role >= WAC_POLICY_BEHAVIOUR; role--) {
        wac_seat_act(run->agent, run->seat, (wac_policy_role)role, observation, action);
        for (int i = 0; i < WAC_MAP_ACTIONS; i++)
            map->actions[role][cell][i] = i < size ? quantise(action[i]) : 0;
    }
}

static void fill_values(wac_map *map, const wac_map_shape *shape, const wac_run *run)
{
    enum { ROWS = 32, WIDEST = WAC_ENVIRONMENT_DIMENSIONS };
    float observations[ROWS * WIDEST], actions[ROWS * WIDEST], seen[WIDEST], action[WIDEST];
    const wac_environment_spec *spec = &run->world->spec;
    size_t o = (size_t)spec->observation_size, a = (size_t)spec->action_size;
    int cells = count_values(shape);
    bool has_std = wac_agent_has_std(run->agent);
    for (int first = 0; first < cells; first += ROWS) {
        int rows = cells - first < ROWS ? cells - first : ROWS;
        for (int row = 0; row < rows; row++) {
            int cell = first + row;
            int at[2] = {cell / shape->values[1], cell % shape->values[1]};
            for (size_t i = 0; i < o; i++)
                seen[i] = observation_at(
                    run->world, (int)i,
                    i < (shape->is_place ? 2 : 1) ? (at[i] + 0.5) / shape->values[i] : 0.5);
            if (shape->is_place || at[1] == 0)
                fill_actions(map, cell, run, seen, action);
            for (int role = 0; !shape->is_place && role < WAC_POLICY_TOTAL; role++)
                memcpy(map->actions[role][cell], map->actions[role][cell - at[1]], WAC_MAP_ACTIONS);
            if (!shape->is_place)
                action[0] = (float)wac_cell_middle(at[1], shape->values[1], -1, 1);
            memcpy(observations + (size_t)row * o, seen, o * sizeof *seen);
            memcpy(actions + (size_t)row * a, action, a * sizeof *action);
            map->std[cell] = NAN;
        }
        run->agent->steps->value(run->agent, run->seat, rows, observations, actions,
                                 map->mean + first, has_std ? map->std + first : NULL);
    }
}

static void fill_losses(wac_map *map, const wac_run *run)
{
    for (int i = 0; i < WAC_RUN_LOSSES; i++)
        map->losses[i] = (float)run->losses[i];
    for (int role = 0; role < WAC_POLICY_TOTAL; role++)
        map->losses[WAC_RUN_LOSSES + role] =
            (float)wac_seat_alpha(run->agent, run->seat, (wac_policy_role)role);
}

void wac_map_fill(wac_map *map, const wac_run *run)
{
    const wac_map_shape shape = wac_map_shape_of(run);
    map->way_points = 0;
    fill_losses(map, run);
    for (int i = 0; i < count_cells(&shape); i++) {
        int64_t visits = run->visits[WAC_POLICY_BEHAVIOUR].counts[i];
        map->visits[i] = visits > UINT32_MAX ? UINT32_MAX : (uint32_t)visits;
    }
    fill_values(map, &shape, run);
}

/* --- a map in the file ----------------------------------------------------------------------- */

size_t wac_map_size(const wac_map_shape *shape)
{
    size_t cells = (size_t)count_cells(shape), values = (size_t)count_values(shape);
    size_t way = cells ? 2 * WAC_MAP_WAY : 0;
    return 4 * (LOSSES + 1 + way + 2 * values + cells) +
           (size_t)WAC_POLICY_TOTAL * WAC_MAP_ACTIONS * values;
}

/* The parts of a record, in their order; `move` takes each from map to record, or back. */
typedef void move_fn(unsigned char **record, void *part, size_t size);

static void move_out(unsigned char **record, void *part, size_t size)
{
    memcpy(*record, part, size);
    *record += size;
}

static void move_in(unsigned char **record, void *part, size_t size)
{
    memcpy(part, *record, size);
    *record += size;
}

static void move_map(move_fn *move, unsigned char *record, wac_map *map, const wac_map_shape *shape)
{
    size_t cells = (size_t)count_cells(shape), values = (size_t)count_values(shape);
    float points = (float)map->way_points;
    move(&record, map->losses, sizeof map->losses);
    move(&record, &points, sizeof points);
    map->way_points = points >= 0 && points <= WAC_MAP_WAY ? (int)points : 0;
    move(&record, map->way, cells ? sizeof map->way : 0);
    move(&record, map->mean, values * sizeof *map->mean);
    move(&record, map->std, values * sizeof *map->std);
    move(&record, map->visits, cells * sizeof *map->visits);
    for (int role = 0; role < WAC_POLICY_TOTAL; role++)
        move(&record, map->actions[role], values * sizeof *map->actions[role]);
}

void wac_map_pack(unsigned char *record, const wac_map *map, const wac_map_shape *shape)
{
    move_map(move_out, record, (wac_map *)map, shape); /* which does not change it */
}

static wac_status write_header(const char *path, int64_t first, const wac_map_shape *shape,
                               wac_error *error)
{
    const wac_grid *grid = &shape->grid;
    char text[HEADER + 1];
    wac_json_begin();
    json_t *header =
        json_pack("{s:s, s:I, s:I, s:s, s:[ii], s:[ii], s:[ff], s:[ff], s:[ff], s:i}", "format",
                  format, "first", (json_int_t)first, "record", (json_int_t)wac_map_size(shape),
                  "over", shape->is_place ? "place" : "state and action", "cells", grid->cells[0],
                  grid->cells[1], "values", shape->values[0], shape->values[1], "low", grid->low[0],
                  grid->low[1], "high", grid->high[0], grid->high[1], "action", shape->action[0],
                  shape->action[1], "way", grid->cells[0] ? WAC_MAP_WAY : 0);
    if (header)
        json_object_set_new(header, "kappa", wac_json_number(shape->kappa));
    size_t size;
    char *json = wac_json_text(header, JSON_PRESERVE_ORDER, &size);
    json_decref(header);
    if (!json)
        return wac_fail_memory(error, "the maps");
    snprintf(text, sizeof text, "%-*s\n", HEADER - 1, json);
    free(json);
    return wac_file_write(path, text, HEADER, error);
}

/* Numbers of a pair within these bounds; false where they are not. */
static bool read_cells(int cells[2], const json_t *header, const char *key, int most)
{
    const json_t *pair = json_object_get(header, key);
    for (size_t i = 0; i < 2; i++) {
        json_int_t value = json_integer_value(json_array_get(pair, i));
        if (value < 0 || value > most)
            return false;
        cells[i] = (int)value;
    }
    return (int64_t)cells[0] * cells[1] <= most;
}

/* Numbers of JSON are finite. */
static void read_bounds(double bounds[2], const json_t *header, const char *key)
{
    for (size_t i = 0; i < 2; i++)
        bounds[i] = json_number_value(json_array_get(json_object_get(header, key), i));
}

static bool read_shape(wac_map_shape *shape, int64_t *first, const json_t *header)
{
    const char *name = json_string_value(json_object_get(header, "format"));
    const char *over = json_string_value(json_object_get(header, "over"));
    const json_t *kappa = json_object_get(header, "kappa");
    *shape = (wac_map_shape){.is_place = over && strcmp(over, "place") == 0,
                             .kappa = json_is_number(kappa) ? json_number_value(kappa) : NAN};
    *first = json_integer_value(json_object_get(header, "first"));
    read_bounds(shape->grid.low, header, "low");
    read_bounds(shape->grid.high, header, "high");
    read_bounds(shape->action, header, "action");
    return name && strcmp(name, format) == 0 && *first >= 0 && *first < INT32_MAX &&
           read_cells(shape->grid.cells, header, "cells", WAC_CELLS_MOST) &&
           read_cells(shape->values, header, "values", WAC_MAP_VALUES_MOST) &&
           (count_cells(shape) > 0) == (count_values(shape) > 0) &&
           json_integer_value(json_object_get(header, "record")) == (json_int_t)wac_map_size(shape);
}

static wac_status fail_other(const char *path, wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s does not begin as the maps of a run do; put it back, or remove it: the run "
                    "goes on without",
                    path);
}

/* Opens it with these flags, reads its header and counts its maps. */
static wac_status open_file(wac_atlas *atlas, const char *path, int flags, wac_error *error)
{
    char text[HEADER + 1] = {0};
    struct stat about;
    atlas->file = wac_open(path, flags | O_NOFOLLOW | O_NONBLOCK);
    if (atlas->file < 0 || fstat(atlas->file, &about) != 0) {
        int code = errno;
        wac_atlas_close(atlas);
        return code == ENOENT || code == ELOOP
                   ? wac_fail(error, WAC_STATUS_INPUT, "there is no file %s", path)
                   : wac_fail(error, WAC_STATUS_IO, "cannot open %s: %s", path, strerror(code));
    }
    if (!S_ISREG(about.st_mode) || pread(atlas->file, text, HEADER, 0) != HEADER) {
        wac_atlas_close(atlas);
        return fail_other(path, error);
    }
    json_t *header = wac_json_load(text, HEADER, 0, NULL);
    bool starved = !header && errno == ENOMEM;
    bool good = read_shape(&atlas->shape, &atlas->first, header);
    json_decref(header);
    if (!good) {
        wac_atlas_close(atlas);
        return starved ? wac_fail_memory(error, "the maps") : fail_other(path, error);
    }
    atlas->count = (about.st_size - HEADER) / (int64_t)wac_map_size(&atlas->shape);
    return WAC_STATUS_OK;
}

wac_status wac_atlas_open(wac_atlas *atlas, const char *directory, wac_error *error)
{
    char path[PATH_MAX];
    *atlas = (wac_atlas){.file = -1};
    WAC_TRY(wac_folder_path(path, directory, WAC_FOLDER_MAPS, error));
    return open_file(atlas, path, O_RDONLY, error);
}

wac_status wac_atlas_read(wac_map *map, const wac_atlas *atlas, int64_t index, wac_error *error)
{
    size_t size = wac_map_size(&atlas->shape);
    unsigned char *record = malloc(size);
    if (!record)
        return wac_fail_memory(error, "a map");
    bool whole = pread(atlas->file, record, size, HEADER + index * (int64_t)size) == (ssize_t)size;
    if (whole)
        move_map(move_in, record, map, &atlas->shape);
    free(record);
    return whole ? WAC_STATUS_OK : wac_fail(error, WAC_STATUS_IO, "there is no such map");
}

void wac_atlas_close(wac_atlas *atlas)
{
    if (atlas->file >= 0)
        close(atlas->file);
    atlas->file = -1;
}

static wac_status fail_short(const char *directory, int64_t count, int64_t wanted, wac_error *error)
{
    return wac_fail(error, WAC_STATUS_INPUT,
                    "%s/maps.bin has %lld maps where the checkpoint counts %lld; put it back, or "
                    "remove it: the run goes on without",
                    directory, (long long)count, (long long)wanted);
}

wac_status wac_maps_check(const char *directory, int64_t rows, wac_error *error)
{
    char path[PATH_MAX];
    wac_atlas atlas;
    WAC_TRY(wac_folder_path(path, directory, WAC_FOLDER_MAPS, error));
    /* who only looks, and cannot, does not know whether they are there */
    int file = wac_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0 && errno != ELOOP)
        return errno == ENOENT
                   ? WAC_STATUS_OK
                   : wac_fail(error, WAC_STATUS_IO, "cannot open %s: %s", path, strerror(errno));
    if (file >= 0)
        close(file);
    WAC_TRY(wac_atlas_open(&atlas, directory, error));
    wac_atlas_close(&atlas);
    return atlas.count < rows - atlas.first
               ? fail_short(directory, atlas.count, rows - atlas.first, error)
               : WAC_STATUS_OK;
}

/* --- while it trains ------------------------------------------------------------------------- */

/* Whether the maps that are there are of a run like this one. */
static bool is_same_shape(const wac_map_shape *a, const wac_map_shape *b)
{
    return a->is_place == b->is_place && memcmp(&a->grid, &b->grid, sizeof a->grid) == 0 &&
           memcmp(a->values, b->values, sizeof a->values) == 0;
}

static wac_status allocate(wac_maps **out, const wac_run *run, wac_error *error)
{
    wac_maps *maps = calloc(1, sizeof *maps);
    const wac_map_shape shape = wac_map_shape_of(run);
    unsigned char *record = malloc(wac_map_size(&shape));
    if (!maps || !record) {
        free(maps);
        free(record);
        return wac_fail_memory(error, "the maps");
    }
    maps->file = -1;
    maps->shape = shape;
    maps->record = record;
    maps->stride = (run->config.path_limit + WAC_MAP_WAY - 1) / WAC_MAP_WAY;
    *out = maps;
    return WAC_STATUS_OK;
}

wac_status wac_maps_open(wac_run *run, wac_error *error)
{
    char path[PATH_MAX];
    wac_atlas atlas;
    WAC_TRY(wac_folder_path(path, run->directory, WAC_FOLDER_MAPS, error));
    struct stat about;
    bool there = wac_path_exists(path), wanted = there || run->options.maps;
    if (!wanted && !wac_events_are_kept(run))
        return WAC_STATUS_OK;
    WAC_TRY(allocate(&run->maps, run, error));
    if (!wanted)
        return WAC_STATUS_OK;
    if (there && stat(path, &about) == 0 && about.st_size == 0)
        there = false; /* asked for, and not begun */
    if (there)
        WAC_TRY(open_file(&atlas, path, O_RDWR | O_APPEND, error));
    if (there && atlas.first > run->position.rows) {
        /* an older checkpoint was put back: they begin anew */
        wac_atlas_close(&atlas);
        there = false;
    }
    if (!there) {
        WAC_TRY(write_header(path, run->position.rows, &run->maps->shape, error));
        WAC_TRY(open_file(&atlas, path, O_RDWR | O_APPEND, error));
    }
    run->maps->file = atlas.file;
    run->maps->first = atlas.first;
    run->maps->count = atlas.count;
    return is_same_shape(&atlas.shape, &run->maps->shape) ? WAC_STATUS_OK : fail_other(path, error);
}

bool wac_maps_have(const wac_run *run, int64_t row)
{
    return !run->maps || run->maps->file < 0 || row - run->maps->first < run->maps->count;
}

wac_status wac_maps_cut(wac_run *run, wac_error *error)
{
    wac_maps *maps = run->maps;
    if (!maps || maps->file < 0)
        return WAC_STATUS_OK;
    int64_t wanted = run->position.rows - maps->first;
    if (maps->count < wanted)
        return fail_short(run->directory, maps->count, wanted, error);
    maps->count = wanted;
    off_t size = HEADER + (off_t)(wanted * (int64_t)wac_map_size(&maps->shape));
    return ftruncate(maps->file, size) == 0
               ? WAC_STATUS_OK
               : wac_fail(error, WAC_STATUS_IO, "cannot cut %s/maps.bin: %s", run->directory,
                          strerror(errno));
}

void wac_maps_note(wac_run *run)
{
    if (!run->maps)
        return;
    wac_map_fill(&run->maps->map, run);
    run->maps->steps = 0;
}

void wac_maps_add_point(wac_run *run, const float *action)
{
    wac_maps *maps = run->maps;
    const wac_world *world = run->evaluation_world;
    if (!maps || maps->steps < 0 || count_cells(&maps->shape) == 0)
        return;
    if (maps->steps > 0 && world->steps == 0) {
        maps->steps = -1; /* the second episode */
        return;
    }
    wac_map *map = &maps->map;
    if (maps->steps++ % maps->stride != 0 || map->way_points == WAC_MAP_WAY)
        return;
    float *point = map->way[map->way_points++];
    point[0] = (float)world->raw_observation[0];
    point[1] = maps->shape.is_place
                   ? (float)world->raw_observation[1]
                   : (float)wac_world_action((double)action[0], world->spec.action_low[0],
                                             world->spec.action_high[0]);
}

wac_status wac_maps_append(wac_run *run, wac_error *error)
{
    wac_maps *maps = run->maps;
    if (!maps || maps->file < 0)
        return WAC_STATUS_OK;
    memset(maps->map.way[maps->map.way_points], 0,
           (size_t)(WAC_MAP_WAY - maps->map.way_points) * sizeof *maps->map.way);
    wac_map_pack(maps->record, &maps->map, &maps->shape);
    int code = wac_file_append(maps->file, maps->record, wac_map_size(&maps->shape));
    if (code)
        return wac_fail(error, WAC_STATUS_IO, "cannot write %s/maps.bin: %s; %s", run->directory,
                        strerror(code), wac_file_advice(code));
    maps->count++;
    return WAC_STATUS_OK;
}

wac_status wac_maps_sync(const wac_run *run, wac_error *error)
{
    if (run->maps && run->maps->file >= 0 && wac_file_sync(run->maps->file) != 0)
        return wac_fail(error, WAC_STATUS_IO, "cannot write %s/maps.bin: %s", run->directory,
                        strerror(errno));
    return WAC_STATUS_OK;
}

const wac_map *wac_maps_present(const wac_run *run, wac_map_shape *shape)
{
    if (!run->maps || count_cells(&run->maps->shape) == 0)
        return NULL;
    *shape = run->maps->shape;
    return &run->maps->map;
}

void wac_maps_close(wac_run *run)
{
    if (!run->maps)
        return;
    if (run->maps->file >= 0)
        close(run->maps->file);
    free(run->maps->record);
    free(run->maps);
    run->maps = NULL;
}
