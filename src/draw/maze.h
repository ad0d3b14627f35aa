/* Pictures of mazes: walls, start and goal, visits and ways. */
#ifndef WAC_DRAW_MAZE_H
#define WAC_DRAW_MAZE_H

#include "draw/scene.h"
#include "env/mujoco/engine.h"

/* The walls of a maze: solid boxes that stand still; up to `most`. Returns how many; `ball` is the
 * radius of what moves. */
int wac_maze_walls(wac_geom *walls, int most, double *ball, const wac_world *world);

/* A corner of such a box seen from above; sides are -1 or 1. */
double wac_maze_corner(const wac_geom *box, int axis, int side_x, int side_y);

wac_status wac_render_mazes(wac_scene *scene, wac_error *error);

#endif
