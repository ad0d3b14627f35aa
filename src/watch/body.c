/* Bodies in numbers. */
#include "watch/body.h"

#include "base/json.h"
#include "base/status.h"
#include "draw/sketch.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* Meshes beyond so many triangles in all are shown as boxes. */
enum { MOST_FACES = 200000 };

/* All of an answer: longer ones leave steps out. */
enum { MOST_VALUES = 1 << 21, HEADER = 4, TRUNK = 3, EACH = 9 };

static bool is_seen(const wac_geom *geom)
{
    return !geom->is_hidden && geom->kind != WAC_GEOM_OTHER;
}

/* --- what it is made of ----------------------------------------------------------------------- */

static json_t *tell_numbers(const double *values, int count)
{
    json_t *all = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(all, wac_json_number(values[i]));
    return all;
}

/* Around the middle of its box, which is its centre. */
static void add_mesh(json_t *part, const wac_geom *geom)
{
    json_t *vertices = json_array(), *faces = json_array();
    for (int i = 0; i < 3 * geom->vertex_count; i++)
        json_array_append_new(
            vertices, wac_json_number((double)(float)(geom->vertices[i] - geom->middle[i % 3])));
    for (int i = 0; i < 3 * geom->face_count; i++)
        json_array_append_new(faces, json_integer(geom->faces[i]));
    json_object_set_new(part, "vertices", vertices);
    json_object_set_new(part, "faces", faces);
}

json_t *wac_body_tell(wac_mujoco *mujoco)
{
    static const char *const kinds[] = {[WAC_GEOM_BOX] = "box",
                                        [WAC_GEOM_CAPSULE] = "capsule",
                                        [WAC_GEOM_CYLINDER] = "cylinder",
                                        [WAC_GEOM_SPHERE] = "sphere",
                                        [WAC_GEOM_ELLIPSOID] = "ellipsoid",
                                        [WAC_GEOM_PLANE] = "plane"};
    const wac_mujoco_motion motion = wac_mujoco_describe_motion(mujoco);
    json_t *parts = json_array();
    wac_geom geom;
    int faces = 0;
    for (int i = 0; wac_mujoco_geom(mujoco, i, &geom); i++) {
        if (!is_seen(&geom))
            continue;
        json_t *part = json_pack("{s:s, s:b, s:i, s:o, s:o, s:o}", "kind", kinds[geom.kind],
                                 "fixed", geom.is_fixed, "colour", wac_sketch_colour(&geom), "size",
                                 tell_numbers(geom.size, 3), "centre", tell_numbers(geom.centre, 3),
                                 "axes", tell_numbers(geom.axes, 9));
        if (geom.vertices && geom.face_count <= MOST_FACES - faces) {
            faces += geom.face_count;
            add_mesh(part, &geom);
        }
        json_array_append_new(parts, part);
    }
    return json_pack("{s:b, s:i, s:o}", "travels", motion.travels, "normal", motion.normal, "parts",
                     parts);
}

/* --- how it moves ----------------------------------------------------------------------------- */

typedef struct film {
    float *values; /* room for two whole episodes */
    size_t count;
    int trunk, parts, stride;
    int steps, pictures; /* of the present episode */
} film;

static void take_picture(void *user, wac_world *world)
{
    film *film = user;
    wac_mujoco *mujoco = wac_mujoco_of(world);
    wac_geom geom;
    double place[3];
    if (film->steps++ % film->stride)
        return;
    film->pictures++;
    float *trunk = film->values + film->count;
    film->count += TRUNK;
    for (int i = 0; wac_mujoco_geom(mujoco, i, &geom); i++) {
        if (!is_seen(&geom) || geom.is_fixed)
            continue;
        float *part = film->values + film->count;
        film->count += EACH;
        for (int k = 0; k < 3; k++) {
            part[k] = (float)geom.centre[k];
            part[3 + k] = (float)geom.axes[3 * k];
            part[6 + k] = (float)geom.axes[3 * k + 1];
        }
    }
    wac_mujoco_place(mujoco, film->trunk, place);
    for (int k = 0; k < 3; k++)
        trunk[k] = (float)place[k];
}

wac_status wac_body_play(float **values, size_t *count, wac_mind *mind, int64_t seed,
                         wac_error *error)
{
    static wac_episode episode; /* under the lock of whoever asks */
    wac_mujoco *mujoco = wac_mujoco_of(mind->run->evaluation_world);
    wac_geom geom;
    if (!mujoco)
        return wac_fail(error, WAC_STATUS_INPUT, "this world has no body");
    film film = {.trunk = wac_mujoco_describe_motion(mujoco).trunk, .count = HEADER};
    for (int i = 0; wac_mujoco_geom(mujoco, i, &geom); i++)
        film.parts += is_seen(&geom) && !geom.is_fixed;
    size_t each = TRUNK + EACH * (size_t)film.parts, most = 2 * WAC_EPISODE_POINTS * each;
    film.stride = 1 + (int)(most / MOST_VALUES);
    film.values = malloc((HEADER + most) * sizeof *film.values);
    if (!film.values)
        return wac_fail_memory(error, "what the body does");
    film.values[0] = (float)film.parts;
    film.values[1] = (float)film.stride;
    for (int role = WAC_POLICY_BEHAVIOUR; role <= WAC_POLICY_TARGET; role++) {
        film.steps = film.pictures = 0;
        wac_status status = wac_mind_play(&episode, mind, (wac_policy_role)role, seed, 0, 0,
                                          take_picture, &film, error);
        if (status != WAC_STATUS_OK) {
            free(film.values);
            return status;
        }
        film.values[2 + role] = (float)film.pictures;
    }
    *values = film.values;
    *count = film.count;
    return WAC_STATUS_OK;
}
