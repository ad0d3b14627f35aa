/* Pictures of bodies: an animation of an episode, or the body as it stands. */
#ifndef WAC_DRAW_MOTION_H
#define WAC_DRAW_MOTION_H

#include "draw/scene.h"

wac_status wac_render_motion(wac_scene *scene, wac_error *error);
wac_status wac_render_body(wac_scene *scene, wac_error *error);

#endif
