/* Pictures of worlds and of what agents do in them.
 *
 *   mazes (point-N)        walls, start and goal; of a run the visits and ways of its policies
 *   one state, one action  of a run its visits and, for WAC, its uncertainty (riverswim, lqg)
 *   all else in MuJoCo     the body as it stands; of a run an animation of an episode
 *   movies                 visits and uncertainty of a run over all of training
 *
 * Runs are read from their last checkpoint and not changed; another process may be training them.
 */
#ifndef WAC_DRAW_RENDER_H
#define WAC_DRAW_RENDER_H

#include "wac/base.h"

#include <limits.h>

enum { WAC_RENDER_MOST = 12 }; /* runs and environments in one picture */

typedef struct wac_render_options {
    /* FILE.png, FILE.svg, FILE.pdf or FILE.gif; else a name to which the endings are added (that
     * of PDF only with `pdf`). Null: figures/ in the folder of a single run, named after an
     * environment in the working folder, or ./comparison */
    const char *out;
    bool pdf;
    double inches; /* width in print, with text of 8 points; 0: as much as the picture takes */
    /* what to call the subjects, [count]; null: by what they are */
    const char *const *names;
    bool movie;             /* of the maps that a run has kept, over all of training */
    bool behaviour, target; /* whose episodes to draw */
    int64_t episodes, seed; /* of each policy, in mazes */
    double seconds;         /* longest animation, in seconds of the simulation */
    /* how far it is, from 0 to 1, where it takes long; may be null */
    void (*progress)(void *user, double share);
    void *user;
    const volatile int *stop; /* may be null */
} wac_render_options;

wac_render_options wac_render_options_default(void);

/* The files that were drawn. */
typedef struct wac_rendering {
    int files;
    char paths[3][PATH_MAX];
    int width; /* in pixels of the page */
} wac_rendering;

/* Draw runs (their folders) and environments (their names) side by side, in one picture. A folder
 * that is a run wins over an environment of that name. Pictures that are there are replaced, whole
 * or not at all. Needs the gnuplot program. */
wac_status wac_render(wac_rendering *drawn, char *const *subjects, int count,
                      const wac_render_options *options, wac_error *error);

#endif
