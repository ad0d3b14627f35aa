/* What is seen of a model or of a world that draws itself: polygons, those behind first. */
#ifndef WAC_DRAW_SKETCH_H
#define WAC_DRAW_SKETCH_H

#include "env/mujoco/engine.h"
#include "env/world.h"

/* Directions as the eye has them; all that is seen is far away. */
typedef struct wac_camera {
    double right[3], up[3], towards[3]; /* towards the eye */
} wac_camera;

/* Across the plane that is normal to axis 0, 1 or 2 (x from its front, y from the side, z from
 * above); -1: from the side and above. */
wac_camera wac_camera_make(int normal);

/* Of a point of the world: to the right, upwards. */
void wac_camera_project(const wac_camera *camera, const double point[3], double place[2]);

enum { WAC_SKETCH_CORNERS = 48 }; /* most of a polygon */

typedef struct wac_polygon {
    int first, corners; /* of the sketch's points */
    int colour;         /* 0xrrggbb */
    bool is_ground;     /* it lies beneath all else */
} wac_polygon;

typedef struct wac_sketch {
    wac_polygon *polygons;
    double (*points)[2];
    int count, corners;                 /* of both arrays */
    double low[2], high[2];             /* what a picture should hold; low above high: nothing */
    double place[3];                    /* of the trunk */
    bool has_ground;                    /* a level floor … */
    double ground;                      /* … of this height … */
    double floor_low[2], floor_high[2]; /* … from here to there along x and y */
    bool is_enclosed;                   /* something stands around */
} wac_sketch;

/* 0xrrggbb: its own, or one that tells limbs apart. */
int wac_sketch_colour(const wac_geom *geom);

/* The model as it is now. On failure, too, there is something to free. */
wac_status wac_sketch_model(wac_sketch *sketch, wac_mujoco *mujoco, const wac_camera *camera,
                            wac_error *error);

/* What a world draws of itself; strokes that make no sense are left out. */
wac_status wac_sketch_world(wac_sketch *sketch, const wac_world *world, wac_error *error);

void wac_sketch_free(wac_sketch *sketch);

#endif
