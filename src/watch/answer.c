/* Making answers. Numbers that JSON does not have become null. */
#include "watch/answer.h"

#include "base/json.h"
#include "base/status.h"
#include "base/words.h"
#include "config/config.h"
#include "config/environments.h"
#include "draw/maze.h"
#include "draw/style.h"
#include "env/mujoco/point.h"
#include "run/run.h"
#include "watch/body.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_POINTS = 200, MOST_WALLS = 64 };

static const char json_content[] = "application/json";

/* Numbers are for drawing: seven digits. */
static json_t *number(double value)
{
    return wac_json_number((double)(float)value);
}

/* Names of folders may be anything; JSON is UTF-8. */
static json_t *text_of(const char *text)
{
    json_t *string = json_string(text);
    char plain[1024];
    if (string)
        return string;
    snprintf(plain, sizeof plain, "%s", text);
    for (char *letter = plain; *letter; letter++)
        *letter = (signed char)*letter < 0 ? '?' : *letter;
    return json_string(plain);
}

static json_t *pair(double x, double y)
{
    return json_pack("[o, o]", number(x), number(y));
}

/* Uses up the value. */
static void tell(wac_http_answer *answer, json_t *value)
{
    size_t size;
    char *text = wac_json_text(value, JSON_COMPACT | JSON_REAL_PRECISION(7), &size);
    json_decref(value);
    *answer = (wac_http_answer){
        .status = text ? 200 : 503, .type = json_content, .body = text, .size = text ? size : 0};
}

/* The answer's from now on. */
static void tell_bytes(wac_http_answer *answer, void *bytes, size_t size)
{
    *answer = (wac_http_answer){
        .status = 200, .type = "application/octet-stream", .body = bytes, .size = size};
}

void wac_watch_refuse(wac_http_answer *answer, int status, const char *sentence)
{
    wac_json_begin();
    tell(answer, json_pack("{s:o}", "error", text_of(sentence)));
    if (answer->body)
        answer->status = status;
}

/* --- the list --------------------------------------------------------------------------------- */

static json_t *describe(const wac_watched *run, size_t id)
{
    char world[WAC_STYLE_TITLE], name[WAC_ENVIRONMENT_NAME];
    size_t length;
    const char *state = wac_word_at(WAC_WATCHED_STATES, (int)run->state, &length);
    bool known = *run->config.environment;
    json_t *last = json_array();
    for (int column = 0; run->rows > 0 && column < WAC_COLUMN_TOTAL; column++)
        json_array_append_new(
            last, number((double)run->table[(run->rows - 1) * WAC_COLUMN_TOTAL + column]));
    double best = NAN;
    for (int64_t row = 0; row < run->rows; row++)
        best = fmax(best, (double)run->table[row * WAC_COLUMN_TOTAL + WAC_COLUMN_EVAL_RETURN]);
    return json_pack(
        "{s:I, s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:s#, s:o, s:o, s:o, s:o, s:I}", "id",
        (json_int_t)id, "name", text_of(run->name), "world",
        known ? wac_style_environment(world, sizeof world, wac_environment_name(name, &run->config))
              : "",
        "algorithm", known ? wac_algorithm_name((wac_algorithm)run->config.algorithm) : "", "group",
        run->group, "seed", (json_int_t)run->config.seed, "rows", (json_int_t)run->rows, "epochs",
        (json_int_t)run->config.epochs, "state", state, (int)length, "reason", text_of(run->reason),
        "seconds", number(run->seconds), "best", number(best), "last", last, "saved",
        (json_int_t)run->saved);
}

static void tell_runs(wac_http_answer *answer, const wac_watch_view *view, int64_t since)
{
    const wac_shelf *shelf = &view->shelf;
    json_t *runs = json_array(), *columns = json_array();
    for (size_t i = 0; i < shelf->count; i++)
        if (shelf->runs[i].version > since)
            json_array_append_new(runs, describe(&shelf->runs[i], i));
    for (int i = 0; i < WAC_COLUMN_TOTAL; i++)
        json_array_append_new(columns, json_string(wac_columns[i].name));
    tell(answer, json_pack("{s:I, s:I, s:I, s:b, s:o, s:o}", "version", (json_int_t)shelf->version,
                           "count", (json_int_t)shelf->count, "listed", (json_int_t)shelf->listed,
                           "stops", view->allow_stop, "columns", columns, "runs", runs));
}

/* Long ones are thinned out: every so many epochs, and the last. */
static void tell_curves(wac_http_answer *answer, const wac_shelf *shelf, wac_column column,
                        int64_t since)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < shelf->count; i++) {
        const wac_watched *run = &shelf->runs[i];
        if (run->version <= since || run->rows == 0)
            continue;
        int64_t step = (run->rows + CURVE_POINTS - 1) / CURVE_POINTS;
        json_t *values = json_array();
        for (int64_t row = 0; row < run->rows; row += step)
            json_array_append_new(
                values, number((double)run->table[row * WAC_COLUMN_TOTAL + (int64_t)column]));
        json_array_append_new(runs, json_pack("{s:I, s:I, s:o}", "id", (json_int_t)i, "step",
                                              (json_int_t)step, "y", values));
    }
    tell(answer, json_pack("{s:I, s:o}", "version", (json_int_t)shelf->version, "runs", runs));
}

/* --- one run ---------------------------------------------------------------------------------- */

/* The losses of the rows from this one on, as far as there are maps. */
static json_t *tell_losses(const wac_watched *run, int64_t *first)
{
    static wac_map map; /* under the lock of whoever asks */
    wac_atlas atlas;
    json_t *all = json_array();
    if (wac_atlas_open(&atlas, run->path, NULL) != WAC_STATUS_OK)
        return all;
    *first = *first > atlas.first ? *first : atlas.first;
    for (int64_t i = *first - atlas.first;
         i < atlas.count && wac_atlas_read(&map, &atlas, i, NULL) == WAC_STATUS_OK; i++) {
        json_t *losses = json_array();
        for (size_t k = 0; k < sizeof map.losses / sizeof *map.losses; k++)
            json_array_append_new(losses, number((double)map.losses[k]));
        json_array_append_new(all, losses);
    }
    wac_atlas_close(&atlas);
    return all;
}

static void tell_progress(wac_http_answer *answer, const wac_watched *run, int64_t from)
{
    from = from < 0 ? 0 : from;
    json_t *rows = json_array();
    for (int64_t row = from; row < run->rows; row++) {
        json_t *cells = json_array();
        for (int column = 0; column < WAC_COLUMN_TOTAL; column++)
            json_array_append_new(cells,
                                  number((double)run->table[row * WAC_COLUMN_TOTAL + column]));
        json_array_append_new(rows, cells);
    }
    int64_t first = from;
    json_t *losses = tell_losses(run, &first);
    tell(answer, json_pack("{s:I, s:o, s:I, s:o}", "from", (json_int_t)from, "rows", rows,
                           "losses_from", (json_int_t)first, "losses", losses));
}

static json_t *tell_shape(const wac_map_shape *shape)
{
    const wac_grid *grid = &shape->grid;
    return json_pack("{s:s, s:[ii], s:[ii], s:o, s:o, s:o, s:o, s:i}", "over",
                     shape->is_place ? "place" : "state and action", "cells", grid->cells[0],
                     grid->cells[1], "values", shape->values[0], shape->values[1], "low",
                     pair(grid->low[0], grid->low[1]), "high", pair(grid->high[0], grid->high[1]),
                     "action", pair(shape->action[0], shape->action[1]), "kappa",
                     wac_json_number(shape->kappa), "way", grid->cells[0] ? WAC_MAP_WAY : 0);
}

/* Walls as corners, start and goal, where it is one of our mazes. */
static void add_maze(json_t *world, const wac_run *run)
{
    static const int around[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    wac_geom walls[MOST_WALLS];
    double ball = 0;
    if (wac_word_index(WAC_FOR_POINT, run->world->type->name) < 0)
        return;
    json_t *all = json_array();
    int count = wac_maze_walls(walls, MOST_WALLS, &ball, run->evaluation_world);
    for (int i = 0; i < count; i++) {
        json_t *wall = json_array();
        for (int k = 0; k < 4; k++)
            json_array_append_new(wall,
                                  pair(wac_maze_corner(&walls[i], 0, around[k][0], around[k][1]),
                                       wac_maze_corner(&walls[i], 1, around[k][0], around[k][1])));
        json_array_append_new(all, wall);
    }
    const wac_point_places *task = &wac_point_task;
    json_object_set_new(world, "walls", all);
    json_object_set_new(world, "ball", number(ball));
    json_object_set_new(world, "start", pair(task->start[0], task->start[1]));
    json_object_set_new(world, "goal",
                        json_pack("[o, o, o]", number(task->goal[0]), number(task->goal[1]),
                                  number(task->goal_radius)));
}

/* What a map of a run lies over: as its checkpoint tells and, of maps that were kept, the file. */
static void tell_world(wac_http_answer *answer, wac_watch_view *view, const wac_watched *run)
{
    wac_error error = {0};
    wac_atlas atlas;
    json_t *world = json_object(), *shape = NULL;
    if (wac_atlas_open(&atlas, run->path, NULL) == WAC_STATUS_OK) {
        shape = tell_shape(&atlas.shape);
        json_object_set_new(world, "first", json_integer(atlas.first));
        json_object_set_new(world, "maps", json_integer(atlas.count));
        wac_atlas_close(&atlas);
    }
    if (wac_mind_turn(&view->mind, run, &error) == WAC_STATUS_OK) {
        const wac_run *mind = view->mind.run;
        const wac_map_shape own = wac_map_shape_of(mind);
        json_object_set_new(world, "epoch", json_integer(mind->position.epoch));
        json_object_set_new(world, "observations",
                            json_integer(mind->world->spec.observation_size));
        json_object_set_new(world, "actions", json_integer(mind->world->spec.action_size));
        json_object_set_new(world, "body", json_boolean(wac_mujoco_of(mind->evaluation_world)));
        json_object_set_new(world, "policies", json_integer(mind->agent->row->policies));
        if (!shape)
            shape = tell_shape(&own);
        add_maze(world, mind);
    } else {
        json_object_set_new(world, "error", text_of(error.message));
    }
    json_object_set_new(world, "shape", shape ? shape : json_null());
    tell(answer, world);
}

static void tell_map(wac_http_answer *answer, wac_watch_view *view, const wac_watched *run,
                     int64_t epoch)
{
    static wac_map map; /* under the lock of whoever asks */
    wac_map_shape shape;
    wac_error error = {0};
    wac_status status;
    wac_atlas atlas;
    if (epoch < 0) {
        status = wac_mind_turn(&view->mind, run, &error);
        if (status == WAC_STATUS_OK) {
            shape = wac_map_shape_of(view->mind.run);
            memset(&map, 0, sizeof map);
            wac_map_fill(&map, view->mind.run);
        }
    } else {
        status = wac_atlas_open(&atlas, run->path, &error);
        if (status == WAC_STATUS_OK) {
            shape = atlas.shape;
            bool has = epoch >= atlas.first && epoch - atlas.first < atlas.count;
            status = has ? wac_atlas_read(&map, &atlas, epoch - atlas.first, &error)
                         : wac_fail(&error, WAC_STATUS_INPUT, "there is no map of that epoch");
            wac_atlas_close(&atlas);
        }
    }
    unsigned char *record = status == WAC_STATUS_OK ? malloc(wac_map_size(&shape)) : NULL;
    if (status == WAC_STATUS_OK && !record)
        status = wac_fail_memory(&error, "a map");
    if (status != WAC_STATUS_OK) {
        wac_watch_refuse(answer, 404, error.message);
        return;
    }
    wac_map_pack(record, &map, &shape);
    tell_bytes(answer, record, wac_map_size(&shape));
}

static json_t *tell_action(const double *action, int size)
{
    enum { SHOWN = 8 };
    json_t *all = json_array();
    for (int i = 0; i < size && i < SHOWN; i++)
        json_array_append_new(all, number(action[i]));
    return all;
}

static void tell_value(wac_http_answer *answer, wac_mind *mind, double x, double y)
{
    static wac_thought thought; /* under the lock of whoever asks */
    int size = mind->run->world->spec.action_size;
    if (wac_map_shape_of(mind->run).grid.cells[0] == 0) {
        wac_watch_refuse(answer, 404, "this world has no map");
        return;
    }
    wac_mind_ask(&thought, mind, x, y);
    tell(answer, json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "epoch",
                           (json_int_t)mind->run->position.epoch, "mean", number(thought.mean),
                           "std", number(thought.std), "upper", number(thought.upper), "behaviour",
                           tell_action(thought.actions[WAC_POLICY_BEHAVIOUR], size), "target",
                           tell_action(thought.actions[WAC_POLICY_TARGET], size)));
}

static json_t *tell_episode(const wac_episode *episode)
{
    json_t *points = json_array();
    for (int i = 0; i < episode->points; i++)
        json_array_append_new(points, pair((double)episode->at[i][0], (double)episode->at[i][1]));
    return json_pack("{s:o, s:o, s:b}", "points", points, "return", number(episode->sum), "success",
                     episode->success);
}

static void tell_play(wac_http_answer *answer, wac_mind *mind, const wac_watch_request *request)
{
    static wac_episode episodes[WAC_POLICY_TOTAL]; /* under the lock of whoever asks */
    wac_error error = {0};
    int most = mind->run->world->spec.observation_size - 1;
    int64_t seed = request->seed < 0 ? 0 : request->seed;
    int i = request->i < 0 ? 0 : (int)fmin((double)request->i, most);
    int j = request->j < 0 ? (most > 0) : (int)fmin((double)request->j, most);
    for (int role = 0; role < WAC_POLICY_TOTAL; role++)
        if (wac_mind_play(&episodes[role], mind, (wac_policy_role)role, seed, i, j, NULL, NULL,
                          &error) != WAC_STATUS_OK) {
            wac_watch_refuse(answer, 404, error.message);
            return;
        }
    tell(answer, json_pack("{s:I, s:o, s:o}", "epoch", (json_int_t)mind->run->position.epoch,
                           "behaviour", tell_episode(&episodes[WAC_POLICY_BEHAVIOUR]), "target",
                           tell_episode(&episodes[WAC_POLICY_TARGET])));
}

static void tell_body(wac_http_answer *answer, const wac_mind *mind)
{
    wac_mujoco *mujoco = wac_mujoco_of(mind->run->evaluation_world);
    if (mujoco)
        tell(answer, wac_body_tell(mujoco));
    else
        wac_watch_refuse(answer, 404, "this world has no body");
}

static void tell_motion(wac_http_answer *answer, wac_mind *mind, int64_t seed)
{
    float *values;
    size_t count;
    wac_error error = {0};
    if (wac_body_play(&values, &count, mind, seed < 0 ? 0 : seed, &error) != WAC_STATUS_OK) {
        wac_watch_refuse(answer, 404, error.message);
        return;
    }
    tell_bytes(answer, values, count * sizeof *values);
}

static void tell_plane(wac_http_answer *answer, wac_mind *mind, int64_t i, int64_t j)
{
    static wac_plane plane; /* under the lock of whoever asks */
    wac_error error = {0};
    if (wac_mind_survey(&plane, mind, (int)fmin((double)i, WAC_ENVIRONMENT_DIMENSIONS),
                        (int)fmin((double)j, WAC_ENVIRONMENT_DIMENSIONS),
                        &error) != WAC_STATUS_OK) {
        wac_watch_refuse(answer, 404, error.message);
        return;
    }
    json_t *mean = json_array(), *std = json_array();
    for (int cell = 0; cell < WAC_PLANE_SIDE * WAC_PLANE_SIDE; cell++) {
        json_array_append_new(mean, number((double)plane.mean[cell]));
        json_array_append_new(std, number((double)plane.std[cell]));
    }
    tell(answer,
         json_pack("{s:I, s:i, s:o, s:o, s:o, s:o}", "epoch", (json_int_t)mind->run->position.epoch,
                   "side", WAC_PLANE_SIDE, "low", pair(plane.low[0], plane.low[1]), "high",
                   pair(plane.high[0], plane.high[1]), "mean", mean, "std", std));
}

/* Its process is told to save it and end, as by Ctrl-C; one that trains several is left alone. */
static void stop_run(wac_http_answer *answer, const wac_watch_view *view, const wac_watched *run)
{
    int shares = 0;
    for (size_t i = 0; i < view->shelf.count; i++)
        shares += run->process > 0 && view->shelf.runs[i].process == run->process;
    if (!view->allow_stop)
        wac_watch_refuse(answer, 403, "start the page with --allow-stop to stop runs from it");
    else if (run->process <= 0)
        wac_watch_refuse(answer, 409, "no process of this machine trains it");
    else if (shares > 1)
        wac_watch_refuse(answer, 409, "its process trains several runs, and would end all of them");
    else if (kill(run->process, SIGTERM) != 0)
        wac_watch_refuse(answer, 409, strerror(errno));
    else
        tell(answer, json_pack("{s:o}", "stopped", text_of(run->name)));
}

void wac_watch_tell(wac_http_answer *answer, wac_watch_view *view, const wac_watch_request *request)
{
    const wac_shelf *shelf = &view->shelf;
    wac_error error = {0};
    wac_json_begin();
    if (request->route == WAC_WATCH_RUNS) {
        tell_runs(answer, view, request->since);
        return;
    }
    if (request->route == WAC_WATCH_CURVES) {
        tell_curves(answer, shelf, request->column, request->since);
        return;
    }
    if (request->run < 0 || (uint64_t)request->run >= shelf->count ||
        shelf->runs[request->run].state == WAC_WATCHED_GONE) {
        wac_watch_refuse(answer, 404, "there is no such run, or it is gone");
        return;
    }
    const wac_watched *run = &shelf->runs[request->run];
    bool asks = request->route >= WAC_WATCH_VALUE && request->route <= WAC_WATCH_PLANE;
    if (asks && wac_mind_turn(&view->mind, run, &error) != WAC_STATUS_OK) {
        wac_watch_refuse(answer, 404, error.message);
        return;
    }
    switch (request->route) {
    case WAC_WATCH_PROGRESS:
        tell_progress(answer, run, request->from);
        break;
    case WAC_WATCH_WORLD:
        tell_world(answer, view, run);
        break;
    case WAC_WATCH_MAP:
        tell_map(answer, view, run, request->epoch);
        break;
    case WAC_WATCH_VALUE:
        tell_value(answer, &view->mind, request->x, request->y);
        break;
    case WAC_WATCH_PLAY:
        tell_play(answer, &view->mind, request);
        break;
    case WAC_WATCH_BODY:
        tell_body(answer, &view->mind);
        break;
    case WAC_WATCH_MOTION:
        tell_motion(answer, &view->mind, request->seed);
        break;
    case WAC_WATCH_PLANE:
        tell_plane(answer, &view->mind, request->i, request->j);
        break;
    case WAC_WATCH_STOP:
        stop_run(answer, view, run);
        break;
    default:
        wac_watch_refuse(answer, 404, "there is nothing here");
    }
}
