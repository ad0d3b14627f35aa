/* What the kinds of pictures share: who is drawn, and letting a policy act. */
#ifndef WAC_DRAW_SCENE_H
#define WAC_DRAW_SCENE_H

#include "config/environments.h"
#include "draw/page.h"
#include "env/mujoco/engine.h"
#include "run/evaluate.h"
#include "run/run.h"

/* A run, an environment without one, or a model without a recipe. */
typedef struct wac_subject {
    wac_run *run;      /* null: an environment or a model */
    wac_world *world;  /* the run's for evaluation, or one of our own; null: a model */
    wac_mujoco *model; /* our own */
    char name[160];    /* "OE-WAC", more where that is not enough to tell; or "point-3" */
} wac_subject;

/* All that a picture is made from. */
typedef struct wac_scene {
    wac_subject subjects[WAC_RENDER_MOST];
    int count, runs;   /* runs: those that are one */
    bool is_one_world; /* all subjects are of the same environment */
    const wac_render_options *options;
    wac_rendering *drawn;
} wac_scene;

/* What it is simulated by; null: not by MuJoCo. */
wac_mujoco *wac_subject_mujoco(const wac_subject *subject);

/* What its environment is called: "hopper", or the name of a model's file. Returns `name`. */
const char *wac_subject_environment(char name[WAC_ENVIRONMENT_NAME], const wac_subject *subject);

/* One episode, or the first steps of it (0: all). Behaviour acts as in exploration, target by its
 * mean. `watch` sees the world before every step and after the last. */
typedef void wac_watch_fn(void *user, wac_world *world);
wac_status wac_subject_play(wac_evaluation *evaluation, const wac_subject *subject,
                            wac_policy_role role, wac_rng *worlds, wac_rng *actions,
                            int64_t most_steps, wac_watch_fn *watch, void *user,
                            const volatile int *stop, wac_error *error);

/* "OE-WAC after 14 epochs", with its environment where that is not clear; in print only the name.
 * Quoted. */
enum { WAC_SUBJECT_TITLE = 640 };
void wac_subject_title(char title[WAC_SUBJECT_TITLE], const wac_scene *scene,
                       const wac_subject *subject);

/* What its environment is, from (x, y): without the names of engines, which are not for pictures.
 */
void wac_subject_summary(wac_page *page, double x, double y, const wac_subject *subject);

/* Titles of several subjects: their points, and how many rows the longest takes in so many pixels.
 */
int wac_scene_title_points(const wac_scene *scene);
int wac_scene_title_rows(const wac_scene *scene, double room);

#endif
