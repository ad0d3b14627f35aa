/* Letting policies act, and what to call them. */
#include "draw/scene.h"

#include "base/rng.h"
#include "base/status.h"
#include "draw/style.h"

#include <stdio.h>
#include <string.h>

wac_mujoco *wac_subject_mujoco(const wac_subject *subject)
{
    return subject->world ? wac_mujoco_of(subject->world) : subject->model;
}

const char *wac_subject_environment(char name[WAC_ENVIRONMENT_NAME], const wac_subject *subject)
{
    wac_environment_label(name, WAC_ENVIRONMENT_NAME,
                          subject->run ? subject->run->config.environment : subject->name);
    return name;
}

/* A policy that is being watched. */
typedef struct actor {
    const wac_subject *subject;
    wac_policy_role role;
    wac_rng *actions;
    wac_watch_fn *watch;
    void *user;
} actor;

static void act(void *user, const float *observation, float *action)
{
    actor *actor = user;
    wac_agent *agent = actor->subject->run->agent;
    actor->watch(actor->user, actor->subject->world);
    if (actor->role == WAC_POLICY_BEHAVIOUR)
        wac_agent_explore(agent, actor->actions, observation, action);
    else
        wac_agent_act(agent, actor->role, observation, action);
}

wac_status wac_subject_play(wac_evaluation *evaluation, const wac_subject *subject,
                            wac_policy_role role, wac_rng *worlds, wac_rng *actions,
                            int64_t most_steps, wac_watch_fn *watch, void *user,
                            const volatile int *stop, wac_error *error)
{
    actor actor = {subject, role, actions, watch, user};
    WAC_TRY(
        wac_evaluate(evaluation, subject->world, worlds, most_steps, 1, act, &actor, stop, error));
    watch(user, subject->world);
    return WAC_STATUS_OK;
}

void wac_subject_title(char title[WAC_SUBJECT_TITLE], const wac_scene *scene,
                       const wac_subject *subject)
{
    char name[2 * sizeof subject->name], count[32];
    char environment[WAC_ENVIRONMENT_NAME], written[WAC_ENVIRONMENT_NAME], world[256];
    wac_page_quote(name, sizeof name, subject->name);
    if (!subject->run || scene->options->inches > 0) {
        snprintf(title, WAC_SUBJECT_TITLE, "%s", name);
        return;
    }
    bool shows_world = scene->count == 1 || !scene->is_one_world;
    int64_t epochs = subject->run->position.epoch;
    wac_subject_environment(environment, subject);
    wac_page_quote(world, sizeof world,
                   wac_style_environment(written, sizeof written, environment));
    snprintf(title, WAC_SUBJECT_TITLE, "%s%s%s after %s epoch%s", name, shows_world ? " on " : "",
             shows_world ? world : "", wac_page_count(count, epochs), epochs == 1 ? "" : "s");
}

void wac_subject_summary(wac_page *page, double x, double y, const wac_subject *subject)
{
    if (!subject->world || wac_environment_is_model(subject->world->type->name)) {
        const wac_mujoco *mujoco = wac_subject_mujoco(subject);
        wac_page_label(page, x, y, WAC_INK_GREY, 12, "%d positions, %d velocities, %d actuators",
                       mujoco->positions, mujoco->velocities, mujoco->controls);
        return;
    }
    const char *summary = subject->world->type->summary, *bracket = strstr(summary, " (");
    size_t length = bracket ? (size_t)(bracket - summary) : strlen(summary);
    wac_page_label(page, x, y, WAC_INK_GREY, 12, "%.*s", (int)length, summary);
}

int wac_scene_title_points(const wac_scene *scene)
{
    return scene->options->inches > 0 ? 13 : 15;
}

int wac_scene_title_rows(const wac_scene *scene, double room)
{
    int most = 1;
    for (int i = 0; i < scene->count; i++) {
        char title[WAC_SUBJECT_TITLE];
        wac_subject_title(title, scene, &scene->subjects[i]);
        int rows = wac_page_rows(title, WAC_INK_TITLE, wac_scene_title_points(scene), room);
        most = rows > most ? rows : most;
    }
    return most;
}
