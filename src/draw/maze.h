/* Pictures of mazes: walls, start and goal, visits and ways. */
#ifndef WAC_DRAW_MAZE_H
#define WAC_DRAW_MAZE_H

#include "draw/scene.h"

wac_status wac_render_mazes(wac_scene *scene, wac_error *error);

#endif
