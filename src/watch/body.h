/* The body of a world in MuJoCo, for a page to draw: what it is made of, and where its parts are
 * during episodes. */
#ifndef WAC_WATCH_BODY_H
#define WAC_WATCH_BODY_H

#include "env/mujoco/engine.h"
#include "watch/mind.h"

#include <jansson.h>

/* {"travels": bool, "normal": axis or -1, "parts": [{"kind", "fixed", "colour", "size", "centre",
 * "axes", of a mesh "vertices" and "faces"}]}: all that is to be seen, as it is now. */
json_t *wac_body_tell(wac_mujoco *mujoco);

/* Episodes of both policies, from the same seed as wac_mind_play's: how many parts move, every how
 * many steps they are told, how often of the behaviour and of the target policy; then each time the
 * place of the trunk, and of each such part its centre and its x and y axes. free() it. */
wac_status wac_body_play(float **values, size_t *count, wac_mind *mind, int64_t seed,
                         wac_error *error);

#endif
