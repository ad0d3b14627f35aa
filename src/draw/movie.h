/* A movie of all of training: where a run had been and what it was unsure of, epoch by epoch, from
 * the maps that it has kept (run/maps.h). */
#ifndef WAC_DRAW_MOVIE_H
#define WAC_DRAW_MOVIE_H

#include "draw/scene.h"

/* Of the only subject of the scene, a run. */
wac_status wac_render_movie(wac_scene *scene, wac_error *error);

#endif
