/* Pictures of tasks with one state and one action: visits and uncertainty. */
#ifndef WAC_DRAW_MAP_H
#define WAC_DRAW_MAP_H

#include "draw/scene.h"

wac_status wac_render_maps(wac_scene *scene, wac_error *error);

#endif
