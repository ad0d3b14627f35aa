/* What the agent of a run thinks and does at present: its last checkpoint, opened to be asked. */
#ifndef WAC_WATCH_MIND_H
#define WAC_WATCH_MIND_H

#include "run/maps.h"
#include "watch/shelf.h"

/* The run that was asked last; starts as {0}. */
typedef struct wac_mind {
    wac_run *run; /* null: none */
    char path[PATH_MAX];
    int64_t saved; /* wac_watched.saved of it */
} wac_mind;

void wac_mind_free(wac_mind *mind);

/* Have it be that of this run, as its last checkpoint left it. Refuses worlds that are other
 * people's programs: whoever looks at a folder does not want to run what is in it. */
wac_status wac_mind_turn(wac_mind *mind, const wac_watched *watched, wac_error *error);

/* What is known of a state. */
typedef struct wac_thought {
    double mean, std, upper; /* of the pair; std and upper NaN without */
    double actions[WAC_POLICY_TOTAL][WAC_ENVIRONMENT_DIMENSIONS];
} wac_thought;

/* At a point of the map: a place, at rest, for what the behaviour policy does there; or a state and
 * an action. */
void wac_mind_ask(wac_thought *thought, wac_mind *mind, double x, double y);

/* An episode, or the beginning of it. */
enum { WAC_EPISODE_POINTS = 1001 }; /* 1000 steps */
typedef struct wac_episode {
    int points;
    float at[WAC_EPISODE_POINTS][2]; /* x and y, state and action, or observations i and j */
    double sum;                      /* of rewards */
    bool success;
} wac_episode;

/* Behaviour acts as it explores, target by its mean; both from the same start. `eye` sees the world
 * at each point; null: nobody looks. */
typedef void wac_eye_fn(void *user, wac_world *world);
wac_status wac_mind_play(wac_episode *episode, wac_mind *mind, wac_policy_role role, int64_t seed,
                         int i, int j, wac_eye_fn *eye, void *user, wac_error *error);

/* The values over two observations, in a square of cells between these bounds; all others are as in
 * the middle of an episode of the target policy. Both [i][j]. */
enum { WAC_PLANE_SIDE = 32 };
typedef struct wac_plane {
    double low[2], high[2];
    float mean[WAC_PLANE_SIDE * WAC_PLANE_SIDE], std[WAC_PLANE_SIDE * WAC_PLANE_SIDE];
} wac_plane;

wac_status wac_mind_survey(wac_plane *plane, wac_mind *mind, int i, int j, wac_error *error);

#endif
