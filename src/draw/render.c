/* Who is to be drawn, as what, and into which files. */
#include "draw/render.h"

#include "base/files.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/environments.h"
#include "draw/map.h"
#include "draw/maze.h"
#include "draw/motion.h"
#include "draw/movie.h"
#include "draw/style.h"
#include "env/mujoco/custom.h"
#include "run/folder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { MAZE, MAP, BODY, MOVIE, KINDS } kind;

wac_render_options wac_render_options_default(void)
{
    return (wac_render_options){.behaviour = true, .target = true, .episodes = 5, .seconds = 10};
}

/* Neither run nor environment: a path or a folder was meant to be a run, anything else a name. */
static wac_status fail_unknown(wac_subject *subject, const char *word, const wac_error *cause,
                               wac_error *error)
{
    if (!strstr(cause->message, WAC_CUSTOM_PREFIX) && (strchr(word, '/') || wac_path_exists(word)))
        return wac_run_open(&subject->run, word, NULL, NULL, error);
    const char *advice = strchr(cause->message, ';');
    return wac_fail(error, WAC_STATUS_INPUT, "there is no run or environment \"%s\"%s",
                    WAC_CLIP(word), advice ? advice : "");
}

/* A model for which there is no recipe can be looked at. */
static wac_status open_model(wac_subject *subject, const char *path, wac_error *error)
{
    wac_mujoco *model = calloc(1, sizeof *model);
    if (!model)
        return wac_fail_memory(error, "the model");
    wac_status status = wac_mujoco_open_file(model, path, error);
    if (status != WAC_STATUS_OK)
        free(model);
    else
        subject->model = model;
    return status;
}

static wac_status open_world(wac_subject *subject, const char *word, wac_error *error)
{
    const wac_environment_type *type;
    wac_config config;
    wac_error cause = {0};
    if (wac_environment_type_find(&type, word, &cause) != WAC_STATUS_OK)
        return wac_environment_is_plugin(word) ? wac_fail(error, cause.status, "%s", cause.message)
                                               : fail_unknown(subject, word, &cause, error);
    WAC_TRY(wac_config_init(&config, word, NULL, error));
    snprintf(subject->name, sizeof subject->name, "%s", word);
    if (wac_custom_has_no_recipe(word))
        return open_model(subject, word + strlen(WAC_CUSTOM_PREFIX), error);
    return wac_world_create(&subject->world, type, &config, error);
}

static wac_status open_subject(wac_subject *subject, const char *word, wac_error *error)
{
    if (!wac_folder_is_run(word))
        return open_world(subject, word, error);
    WAC_TRY(wac_run_open(&subject->run, word, NULL, NULL, error));
    subject->world = subject->run->evaluation_world;
    wac_style_title(subject->name,
                    wac_algorithm_name((wac_algorithm)subject->run->config.algorithm));
    return WAC_STATUS_OK;
}

static wac_status find_kind(kind *kind, const wac_subject *subject, wac_error *error)
{
    const wac_world *world = subject->world;
    assert(world || subject->model);
    if (world && wac_word_index(WAC_FOR_POINT, world->type->name) >= 0)
        *kind = MAZE;
    else if (wac_subject_mujoco(subject) || world->type->draw)
        *kind = BODY;
    else if (world->spec.observation_size == 1 && world->spec.action_size == 1)
        *kind = MAP;
    else
        return wac_fail(error, WAC_STATUS_INPUT,
                        "there is no picture of %s; all that MuJoCo simulates, tasks with one "
                        "state and one action, and plug-ins that draw themselves can be drawn",
                        world->type->name);
    return WAC_STATUS_OK;
}

/* Whether two runs have the same name so far. */
static bool is_alike(const wac_scene *scene, int i, int j)
{
    const wac_run *a = scene->subjects[i].run, *b = scene->subjects[j].run;
    return a && b && a->config.algorithm == b->config.algorithm && a->world->type == b->world->type;
}

/* How far two paths are the same, in whole folders: from their starts, or from their ends. */
static size_t shared_folders(const char *a, const char *b, bool ends)
{
    size_t m = strlen(a), n = strlen(b), shared = 0;
    for (size_t i = 0; i < m && i < n; i++) {
        char letter = ends ? a[m - 1 - i] : a[i];
        if (letter != (ends ? b[n - 1 - i] : b[i]))
            break;
        if (letter == '/')
            shared = i + 1;
    }
    return shared;
}

/* The part of a run's folder that those who are like it do not have. */
static void add_folder(wac_scene *scene, int i)
{
    wac_subject *subject = &scene->subjects[i];
    const char *path = subject->run->directory;
    size_t length = strlen(path), used = strlen(subject->name);
    size_t start = length, end = length;
    for (int j = 0; j < scene->count; j++) {
        if (j == i || !is_alike(scene, i, j))
            continue;
        size_t before = shared_folders(path, scene->subjects[j].run->directory, false);
        size_t after = shared_folders(path, scene->subjects[j].run->directory, true);
        start = before < start ? before : start;
        end = after < end ? after : end;
    }
    end = length - end;
    if (start >= end) { /* the same folder twice */
        start = 0;
        end = length;
    }
    snprintf(subject->name + used, sizeof subject->name - used, " (%.*s)",
             (int)(end - start < 80 ? end - start : 80), path + start);
}

/* Tell runs of the same algorithm apart: by seed, or else by folder. */
static void tell_apart(wac_scene *scene)
{
    bool same[WAC_RENDER_MOST] = {0}, same_seed[WAC_RENDER_MOST] = {0};
    for (int i = 0; i < scene->count; i++)
        for (int j = 0; j < scene->count; j++) {
            if (i == j || !is_alike(scene, i, j))
                continue;
            same[i] = true;
            same_seed[i] |=
                scene->subjects[i].run->config.seed == scene->subjects[j].run->config.seed;
        }
    for (int i = 0; i < scene->count; i++) {
        wac_subject *subject = &scene->subjects[i];
        size_t used = strlen(subject->name), room = sizeof subject->name - used;
        if (same_seed[i])
            add_folder(scene, i);
        else if (same[i])
            snprintf(subject->name + used, room, ", seed %lld",
                     (long long)subject->run->config.seed);
    }
}

static bool has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), size = strlen(ending);
    return length > size && strcmp(path + length - size, ending) == 0;
}

/* The folder that a picture goes to must be there before time is spent on it. */
static wac_status check_folder(const char *path, wac_error *error)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return WAC_STATUS_OK;
    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    if (wac_path_exists(folder))
        return WAC_STATUS_OK;
    return wac_fail(error, WAC_STATUS_IO, "cannot draw %s: there is no folder %s", path, folder);
}

static wac_status default_stem(char stem[PATH_MAX], const wac_scene *scene, kind kind,
                               wac_error *error)
{
    static const char *const names[KINDS] = {"maze", "map", "motion", "movie"};
    const wac_subject *first = &scene->subjects[0];
    if (scene->count > 1 || !first->run) {
        if (scene->count > 1)
            snprintf(stem, PATH_MAX, "comparison");
        else
            wac_environment_label(stem, PATH_MAX, first->name);
        return WAC_STATUS_OK;
    }
    char folder[PATH_MAX];
    WAC_TRY(wac_folder_path(folder, first->run->directory, WAC_FOLDER_FIGURES, error));
    if (!wac_path_exists(folder))
        WAC_TRY(wac_directory_make(folder, error));
    return wac_path_join(stem, PATH_MAX, folder, names[kind], error);
}

static wac_status choose_files(wac_scene *scene, kind kind, bool moves, wac_error *error)
{
    /* of pictures, of animations, and of what there is none of */
    static const char *const all[] = {".png", ".svg",  ".pdf",  ".gif",
                                      ".jpg", ".jpeg", ".webp", ".mp4"};
    const char *const *endings = moves ? all + 3 : all;
    int known = moves ? 1 : 3, most = moves ? 1 : scene->options->pdf ? 3 : 2;
    char stem[PATH_MAX];
    const char *out = scene->options->out;
    wac_rendering *drawn = scene->drawn;
    *drawn = (wac_rendering){0};
    if (out && (!*out || has_ending(out, "/")))
        return wac_fail(error, WAC_STATUS_INPUT, "the picture needs the name of a file, not \"%s\"",
                        WAC_CLIP(out));
    for (size_t i = 0; out && i < sizeof all / sizeof *all; i++) {
        bool ours = &all[i] >= endings && &all[i] < endings + known;
        if (!ours && has_ending(out, all[i]))
            return wac_fail(error, WAC_STATUS_INPUT, "this picture %s; call it %s",
                            moves ? "moves" : "does not move",
                            moves ? "FILE.gif" : "FILE.png, FILE.svg or FILE.pdf");
    }
    if (!out)
        WAC_TRY(default_stem(stem, scene, kind, error));
    else if (strlen(out) + 8 >= sizeof stem)
        return wac_fail(error, WAC_STATUS_INPUT, "the path %.64s… is too long", out);
    else
        snprintf(stem, sizeof stem, "%s", out);
    WAC_TRY(check_folder(stem, error));
    for (int i = 0; i < known; i++)
        if (has_ending(stem, endings[i])) {
            drawn->files = 1;
            snprintf(drawn->paths[0], PATH_MAX, "%s", stem);
            return WAC_STATUS_OK;
        }
    for (; drawn->files < most; drawn->files++)
        snprintf(drawn->paths[drawn->files], PATH_MAX, "%.*s%s", PATH_MAX - 8, stem,
                 endings[drawn->files]);
    return WAC_STATUS_OK;
}

static wac_status draw_movie(wac_scene *scene, wac_error *error)
{
    if (scene->count > 1 || !scene->subjects[0].run)
        return wac_fail(error, WAC_STATUS_INPUT, "a movie is of one run; give its folder");
    WAC_TRY(choose_files(scene, MOVIE, true, error));
    return wac_render_movie(scene, error);
}

static wac_status draw(wac_scene *scene, wac_error *error)
{
    kind kind = KINDS, other = KINDS;
    char first[WAC_ENVIRONMENT_NAME], name[WAC_ENVIRONMENT_NAME];
    if (scene->options->movie)
        return draw_movie(scene, error);
    wac_subject_environment(first, &scene->subjects[0]);
    WAC_TRY(find_kind(&kind, &scene->subjects[0], error));
    scene->is_one_world = true;
    for (int i = 0; i < scene->count; i++) {
        const wac_subject *subject = &scene->subjects[i];
        wac_subject_environment(name, subject);
        WAC_TRY(find_kind(&other, subject, error));
        if (other != kind)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s and %s do not go into one picture; draw them one by one", first,
                            name);
        scene->is_one_world &= strcmp(first, name) == 0;
        if (kind == MAP && !subject->run)
            return wac_fail(error, WAC_STATUS_INPUT,
                            "%s by itself has nothing to draw; give the folder of a run",
                            subject->name);
    }
    if (kind == BODY && scene->count > 1)
        return wac_fail(error, WAC_STATUS_INPUT, "%s moves: draw its runs one by one", first);
    bool moves = kind == BODY && scene->runs > 0;
    if (moves && !scene->options->behaviour && !scene->options->target)
        return wac_fail(error, WAC_STATUS_INPUT, "an animation needs a policy that acts");
    WAC_TRY(choose_files(scene, kind, moves, error));
    if (scene->options->names)
        for (int i = 0; i < scene->count; i++)
            snprintf(scene->subjects[i].name, sizeof scene->subjects[i].name, "%s",
                     scene->options->names[i]);
    else
        tell_apart(scene);
    if (kind == MAZE)
        return wac_render_mazes(scene, error);
    if (kind == MAP)
        return wac_render_maps(scene, error);
    return moves ? wac_render_motion(scene, error) : wac_render_body(scene, error);
}

wac_status wac_render(wac_rendering *drawn, char *const *subjects, int count,
                      const wac_render_options *options, wac_error *error)
{
    if (count < 1 || count > WAC_RENDER_MOST)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "a picture takes from 1 to %d runs or environments, and here are %s; name "
                        "some of them",
                        WAC_RENDER_MOST, count < 1 ? "none" : "more");
    wac_scene *scene = calloc(1, sizeof *scene);
    if (!scene)
        return wac_fail_memory(error, "the picture");
    wac_status status = WAC_STATUS_OK;
    scene->options = options;
    scene->drawn = drawn;
    while (status == WAC_STATUS_OK && scene->count < count) {
        wac_subject *subject = &scene->subjects[scene->count];
        status = open_subject(subject, subjects[scene->count], error);
        scene->count++;
        scene->runs += subject->run != NULL;
    }
    if (status == WAC_STATUS_OK)
        status = draw(scene, error);
    for (int i = 0; i < scene->count; i++) {
        wac_subject *subject = &scene->subjects[i];
        if (subject->run)
            wac_run_destroy(subject->run);
        else
            wac_world_destroy(subject->world);
        if (subject->model)
            wac_mujoco_destroy(subject->model);
    }
    free(scene);
    return status;
}
