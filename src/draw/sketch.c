/* Models as polygons. Every geom but planes is convex, so one function, the farthest point in a
 * direction, gives outlines and tells who is before whom. */
#include "draw/sketch.h"

#include "base/status.h"

#include <math.h>
#include <stdlib.h>

enum { SIDES = WAC_SKETCH_CORNERS, GREY = 0xb4b4bc, GROUND = 0xececec };

/* Farther than this nobody looks for the end of a floor, in lengths of the model's unit. */
static const double far = 100;

/* Dark, blue, orange and more that every eye tells apart. */
static const int palette[] = {0x404048, 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0x56b4e9};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

wac_camera wac_camera_make(int normal)
{
    double azimuth = normal == 0 ? 0 : normal < 0 ? -M_PI / 3 : -M_PI / 2;
    double elevation = normal == 2 ? M_PI / 2 : normal < 0 ? 0.42 : 0;
    double c = cos(azimuth), s = sin(azimuth), level = cos(elevation), above = sin(elevation);
    return (wac_camera){{-s, c, 0}, {-above * c, -above * s, level}, {level * c, level * s, above}};
}

void wac_camera_project(const wac_camera *camera, const double point[3], double place[2])
{
    place[0] = dot(camera->right, point);
    place[1] = dot(camera->up, point);
}

/* --- polygons --------------------------------------------------------------------------------- */

/* Room for a polygon: [corners]. Null: no memory. */
static double (*add_polygon(wac_sketch *sketch, int corners, int colour))[2]
{
    size_t points = (size_t)sketch->corners + (size_t)corners;
    wac_polygon *polygons =
        realloc(sketch->polygons, ((size_t)sketch->count + 1) * sizeof *polygons);
    sketch->polygons = polygons ? polygons : sketch->polygons;
    double(*all)[2] = realloc(sketch->points, points * sizeof *all);
    sketch->points = all ? all : sketch->points;
    if (!polygons || !all)
        return NULL;
    polygons[sketch->count++] = (wac_polygon){sketch->corners, corners, colour, false};
    sketch->corners += corners;
    return all + sketch->corners - corners;
}

static void include(wac_sketch *sketch, const double low[2], const double high[2])
{
    for (int k = 0; k < 2; k++) {
        sketch->low[k] = fmin(sketch->low[k], low[k]);
        sketch->high[k] = fmax(sketch->high[k], high[k]);
    }
}

static void begin(wac_sketch *sketch)
{
    *sketch = (wac_sketch){.low = {INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY}};
}

void wac_sketch_free(wac_sketch *sketch)
{
    free(sketch->polygons);
    free(sketch->points);
    *sketch = (wac_sketch){0};
}

/* --- solids ----------------------------------------------------------------------------------- */

/* From the axes of a geom to the world. */
static void place_point(const wac_geom *geom, const double local[3], double point[3])
{
    for (int i = 0; i < 3; i++)
        point[i] = geom->centre[i] + dot(&geom->axes[3 * i], local);
}

/* The vertex of a mesh that is farthest, along its axes; of fine ones some are enough. */
static void find_vertex(const wac_geom *geom, const double along[3], double at[3])
{
    double most = -INFINITY;
    int step = 1 + geom->vertex_count / 2000;
    for (int i = 0; i < geom->vertex_count; i += step) {
        const float *vertex = geom->vertices + 3 * i;
        double reach = along[0] * vertex[0] + along[1] * vertex[1] + along[2] * vertex[2];
        for (int k = 0; k < 3 && reach > most; k++)
            at[k] = vertex[k] - geom->middle[k];
        most = fmax(most, reach);
    }
}

/* The point of a geom that is farthest in a direction. */
static void find_farthest(const wac_geom *geom, const double direction[3], double point[3])
{
    double along[3], at[3] = {0}, length = 0, scaled = 0, across;
    const double *size = geom->size;
    for (int k = 0; k < 3; k++) {
        along[k] = geom->axes[k] * direction[0] + geom->axes[3 + k] * direction[1] +
                   geom->axes[6 + k] * direction[2];
        length += along[k] * along[k];
        scaled += size[k] * along[k] * size[k] * along[k];
    }
    length = sqrt(length);
    scaled = fmax(sqrt(scaled), 1e-300);
    across = fmax(hypot(along[0], along[1]), 1e-300);
    for (int k = 0; k < 3 && !geom->vertices; k++)
        switch (geom->kind) {
        case WAC_GEOM_SPHERE:
            at[k] = size[0] * along[k] / length;
            break;
        case WAC_GEOM_CAPSULE:
            at[k] = size[0] * along[k] / length + (k == 2 ? copysign(size[1], along[2]) : 0);
            break;
        case WAC_GEOM_CYLINDER:
            at[k] = k == 2 ? copysign(size[1], along[2]) : size[0] * along[k] / across;
            break;
        case WAC_GEOM_ELLIPSOID:
            at[k] = size[k] * size[k] * along[k] / scaled;
            break;
        default:
            at[k] = copysign(size[k], along[k]);
        }
    if (geom->vertices)
        find_vertex(geom, along, at);
    place_point(geom, at, point);
}

/* A surface of this normal in the light, which comes from above the left shoulder. */
static int shade(int colour, const wac_camera *camera, const double normal[3])
{
    double light = -0.4 * dot(camera->right, normal) + 0.6 * dot(camera->up, normal) +
                   0.7 * dot(camera->towards, normal);
    double factor = 0.72 + 0.4 * fmax(0, light);
    int shaded = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int value = colour >> shift & 255;
        double lit = factor < 1 ? factor * value : value + (factor - 1) * (255 - value);
        shaded |= (int)lit << shift;
    }
    return shaded;
}

int wac_sketch_colour(const wac_geom *geom)
{
    enum { COLOURS = sizeof palette / sizeof *palette };
    if (geom->colour >= 0)
        return geom->colour;
    return geom->is_fixed ? GREY : palette[(geom->limb + 2 * geom->tree) % COLOURS];
}

static bool add_outline(wac_sketch *sketch, const wac_geom *geom, const wac_camera *camera)
{
    double(*points)[2] = add_polygon(sketch, SIDES, wac_sketch_colour(geom));
    for (int i = 0; points && i < SIDES; i++) {
        double direction[3], point[3], c = cos(2 * M_PI * i / SIDES), s = sin(2 * M_PI * i / SIDES);
        for (int k = 0; k < 3; k++)
            direction[k] = c * camera->right[k] + s * camera->up[k];
        find_farthest(geom, direction, point);
        wac_camera_project(camera, point, points[i]);
    }
    return points;
}

/* The side of a box or the lid of a cylinder that lies across an axis and faces the eye, if any. */
static bool add_face(wac_sketch *sketch, const wac_geom *geom, int axis, const wac_camera *camera)
{
    double normal[3] = {geom->axes[axis], geom->axes[3 + axis], geom->axes[6 + axis]};
    double facing = dot(normal, camera->towards);
    bool is_box = geom->kind == WAC_GEOM_BOX;
    int corners = is_box ? 4 : SIDES, other = (axis + 1) % 3, third = (axis + 2) % 3;
    if (fabs(facing) < 1e-3)
        return true;
    for (int i = 0; i < 3; i++)
        normal[i] = copysign(1, facing) * normal[i];
    double(*points)[2] =
        add_polygon(sketch, corners, shade(wac_sketch_colour(geom), camera, normal));
    for (int i = 0; points && i < corners; i++) {
        double local[3], point[3], angle = 2 * M_PI * (i + 0.5) / corners;
        local[axis] = copysign(geom->size[is_box ? axis : 1], facing);
        local[other] =
            is_box ? copysign(geom->size[other], cos(angle)) : geom->size[0] * cos(angle);
        local[third] =
            is_box ? copysign(geom->size[third], sin(angle)) : geom->size[0] * sin(angle);
        place_point(geom, local, point);
        wac_camera_project(camera, point, points[i]);
    }
    return points;
}

/* A broad slab, which other things stand on. */
static bool is_floor(const wac_geom *geom)
{
    return geom->is_fixed && geom->kind == WAC_GEOM_BOX && geom->axes[8] > 0.99 &&
           geom->size[2] < 0.1 * fmin(geom->size[0], geom->size[1]);
}

static bool add_solid(wac_sketch *sketch, const wac_geom *geom, const wac_camera *camera)
{
    bool added = true, is_box = geom->kind == WAC_GEOM_BOX && !geom->vertices;
    if (!is_box)
        added = add_outline(sketch, geom, camera);
    for (int axis = is_box ? 0 : geom->kind == WAC_GEOM_CYLINDER ? 2 : 3; added && axis < 3; axis++)
        added = add_face(sketch, geom, axis, camera);
    return added;
}

/* A plane is seen from above; from the side a level one is the ground, and others are not seen. */
static bool add_plane(wac_sketch *sketch, const wac_geom *geom, const wac_camera *camera)
{
    double normal[3] = {geom->axes[2], geom->axes[5], geom->axes[8]};
    wac_geom sheet = *geom;
    sheet.kind = WAC_GEOM_BOX;
    sheet.size[2] = 0;
    for (int k = 0; k < 2; k++)
        sheet.size[k] = geom->size[k] > 0 ? fmin(geom->size[k], far) : far;
    if (normal[2] > 0.999 && !sketch->has_ground) {
        sketch->has_ground = true;
        sketch->ground = geom->centre[2];
        for (int k = 0; k < 2; k++) {
            sketch->floor_low[k] = geom->centre[k] - sheet.size[k];
            sketch->floor_high[k] = geom->centre[k] + sheet.size[k];
        }
    }
    if (dot(normal, camera->towards) < 1e-3)
        return true;
    bool added = add_face(sketch, &sheet, 2, camera);
    if (added) {
        wac_polygon *polygon = &sketch->polygons[sketch->count - 1];
        polygon->colour = geom->colour < 0 ? GROUND : geom->colour;
        polygon->is_ground = true;
    }
    return added;
}

/* --- who is before whom ----------------------------------------------------------------------- */

/* 1: beyond a side of the box that faces the eye, so before it; -1: behind it; 0: neither. */
static int compare_with_box(const wac_geom *box, const wac_geom *geom, const wac_camera *camera)
{
    for (int side = 0; side < 6; side++) {
        int axis = side / 2;
        double sign = side % 2 ? 1 : -1, inwards[3], nearest[3];
        for (int i = 0; i < 3; i++)
            inwards[i] = -sign * box->axes[3 * i + axis];
        find_farthest(geom, inwards, nearest);
        double reach = 0, facing = -dot(inwards, camera->towards);
        for (int i = 0; i < 3; i++)
            reach -= inwards[i] * (nearest[i] - box->centre[i]);
        /* what stands on it may have sunk in a little */
        if (reach > 0.95 * box->size[axis] && fabs(facing) > 1e-3)
            return facing > 0 ? 1 : -1;
    }
    return 0;
}

/* A geom to be drawn. */
typedef struct solid {
    wac_geom geom;
    double low[2], high[2]; /* in the picture */
    int waits;              /* for so many behind it; -1: it has been drawn */
} solid;

static void measure(solid *solid, const wac_camera *camera)
{
    for (int k = 0; k < 2; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double direction[3], point[3], place[2];
            for (int i = 0; i < 3; i++)
                direction[i] = sign * (k ? camera->up[i] : camera->right[i]);
            find_farthest(&solid->geom, direction, point);
            wac_camera_project(camera, point, place);
            *(sign < 0 ? &solid->low[k] : &solid->high[k]) = place[k];
        }
}

/* The picture holds all but floors that are much wider than the rest. */
static void include_all(wac_sketch *sketch, const solid *solids, int count)
{
    for (int i = 0; i < count; i++)
        if (!is_floor(&solids[i].geom))
            include(sketch, solids[i].low, solids[i].high);
    double most = 3 * (sketch->high[0] - sketch->low[0]);
    for (int i = 0; i < count; i++)
        if (is_floor(&solids[i].geom) && !(solids[i].high[0] - solids[i].low[0] > most && most > 0))
            include(sketch, solids[i].low, solids[i].high);
}

static bool is_behind(const solid *one, const solid *other, const wac_camera *camera)
{
    const wac_geom *a = &one->geom, *b = &other->geom;
    for (int k = 0; k < 2; k++)
        if (one->high[k] < other->low[k] || other->high[k] < one->low[k])
            return false;
    int order = a->kind == WAC_GEOM_BOX ? compare_with_box(a, b, camera) : 0;
    if (!order && b->kind == WAC_GEOM_BOX)
        order = -compare_with_box(b, a, camera);
    if (order)
        return order > 0;
    double between = dot(camera->towards, b->centre) - dot(camera->towards, a->centre);
    if (fabs(between) > 1e-6)
        return between > 0;
    /* in one plane: the first branch is before the trunk, the others behind it */
    static const int ranks[] = {1, 2, 0};
    int rank = ranks[a->limb < 2 ? a->limb : 2], rank_b = ranks[b->limb < 2 ? b->limb : 2];
    return rank != rank_b ? rank < rank_b : one < other;
}

/* Adds all, each after those behind it; where they go round in a circle, one with few behind it.
 * behind: [count * count] */
static bool add_in_order(wac_sketch *sketch, solid *solids, int count, bool *behind,
                         const wac_camera *camera)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            solids[i].waits += behind[(size_t)i * (size_t)count + (size_t)k] =
                i != k && is_behind(&solids[k], &solids[i], camera);
    for (int round = 0; round < count; round++) {
        int next = -1;
        for (int i = 0; i < count; i++)
            if (solids[i].waits >= 0 && (next < 0 || solids[i].waits < solids[next].waits))
                next = i;
        solids[next].waits = -1;
        for (int i = 0; i < count; i++)
            solids[i].waits -=
                solids[i].waits > 0 && behind[(size_t)i * (size_t)count + (size_t)next];
        if (!add_solid(sketch, &solids[next].geom, camera))
            return false;
    }
    return true;
}

wac_status wac_sketch_model(wac_sketch *sketch, wac_mujoco *mujoco, const wac_camera *camera,
                            wac_error *error)
{
    wac_geom geom;
    int total = 0, count = 0;
    begin(sketch);
    while (wac_mujoco_geom(mujoco, total, &geom))
        total++;
    solid *solids = calloc((size_t)total + 1, sizeof *solids);
    bool *behind = calloc((size_t)total + 1, (size_t)total + 1);
    bool drawn = solids && behind;
    for (int i = 0; drawn && wac_mujoco_geom(mujoco, i, &geom); i++) {
        if (geom.is_hidden || geom.kind == WAC_GEOM_OTHER)
            continue;
        if (geom.kind == WAC_GEOM_PLANE)
            drawn = add_plane(sketch, &geom, camera);
        else {
            solids[count].geom = geom;
            measure(&solids[count++], camera);
        }
        sketch->is_enclosed |=
            geom.is_fixed && geom.is_solid && geom.kind != WAC_GEOM_PLANE && !is_floor(&geom);
    }
    if (drawn)
        include_all(sketch, solids, count);
    drawn = drawn && add_in_order(sketch, solids, count, behind, camera);
    free(solids);
    free(behind);
    wac_mujoco_place(mujoco, wac_mujoco_describe_motion(mujoco).trunk, sketch->place);
    return drawn ? WAC_STATUS_OK : wac_fail_memory(error, "the picture");
}

/* --- worlds that draw themselves -------------------------------------------------------------- */

/* Round at its ends. */
static bool add_stroke(wac_sketch *sketch, const wac_stroke *stroke, int colour)
{
    double angle = atan2(stroke->y[1] - stroke->y[0], stroke->x[1] - stroke->x[0]);
    double(*points)[2] = add_polygon(sketch, SIDES, colour);
    for (int i = 0; points && i < SIDES; i++) {
        int end = i >= SIDES / 2;
        double turn = angle + M_PI / 2 + (i - end) * M_PI / (SIDES / 2 - 1);
        points[i][0] = stroke->x[end] + stroke->radius * cos(turn);
        points[i][1] = stroke->y[end] + stroke->radius * sin(turn);
    }
    for (int i = 0; points && i < SIDES; i++)
        include(sketch, points[i], points[i]);
    return points;
}

static bool makes_sense(const wac_stroke *stroke)
{
    return isfinite(stroke->x[0] + stroke->x[1] + stroke->y[0] + stroke->y[1]) &&
           stroke->radius > 0 && isfinite(stroke->radius);
}

wac_status wac_sketch_world(wac_sketch *sketch, const wac_world *world, wac_error *error)
{
    static const int order[] = {2, 0, 1};
    wac_stroke all[WAC_ENVIRONMENT_STROKES] = {{.radius = 0}};
    begin(sketch);
    wac_world_enter(world->type->name, "draw");
    int count = world->type->draw(world->self, all);
    wac_world_leave();
    for (int layer = 0; layer < 3; layer++)
        for (int i = 0; i < count && i < WAC_ENVIRONMENT_STROKES; i++) {
            int colour = all[i].colour < 0 || all[i].colour > 2 ? 2 : all[i].colour;
            if (colour == order[layer] && makes_sense(&all[i]) &&
                !add_stroke(sketch, &all[i], palette[colour]))
                return wac_fail_memory(error, "the picture");
        }
    return WAC_STATUS_OK;
}
