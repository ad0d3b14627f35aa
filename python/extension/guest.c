/* Environments in Python as worlds: a table of functions that call an adapter (wac/_bridge.py).
 *
 * An adapter has three arrays of float64, observation, action and result (reward, terminated,
 * truncated, begins), and two methods without a result of their own, reset(seed) and step(). What
 * it is to do stands in the action, what came of it in the other two. The interpreter is held only
 * within these calls.
 *
 * Nobody can look into an environment. So its state is how it came to be: the seed of the episode
 * and the actions since, which are played again where a run goes on. Where that cannot be, as for
 * environments that step together, a run goes on with new episodes.
 */
#include "extension.h"

#include "base/status.h"
#include "config/environments.h"
#include "config/presets.h"
#include "env/guest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RESULTS = 4,
    REPLAYED_MOST = 1 << 20, /* numbers of a state */
    HEAD = 3,                /* of a state, before the actions: begun, seed, steps */
};

typedef struct guest {
    guest_session *session;
    PyObject *adapter, *reset, *step;
    Py_buffer observation, action, result;
    int observations, actions;
    int64_t most; /* steps that a state has room for; 0: there is no state */
    bool begun;
    int64_t seed, steps;
    double *taken; /* [most][actions] */
} guest;

static _Thread_local guest_session *present;
static PyObject *bridge_make, *bridge_preset;

void guest_enter(guest_session *session)
{
    present = session;
}

/* --- exceptions ------------------------------------------------------------------------------ */

void guest_keep(guest_session *session)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (session->type) {
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
        return;
    }
    session->type = type;
    session->value = value;
    session->trace = trace;
}

bool guest_raise(guest_session *session)
{
    if (!session->type)
        return false;
    PyErr_Restore(session->type, session->value, session->trace);
    session->type = session->value = session->trace = NULL;
    return true;
}

void guest_clear(guest_session *session)
{
    Py_CLEAR(session->type);
    Py_CLEAR(session->value);
    Py_CLEAR(session->trace);
}

/* The exception that is set, as the library's error: "ValueError: what it says". Where no session
 * will raise it again, Python prints where it came from. */
static wac_status take_exception(guest_session *session, wac_error *error)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace)
        PyException_SetTraceback(value, trace);
    PyObject *name = PyType_GetName((PyTypeObject *)type), *text = PyObject_Str(value);
    const char *called = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
    const char *says = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    wac_fail(error, WAC_STATUS_INPUT, "%s%s%s", called ? called : "an exception",
             says && *says ? ": " : "", says ? says : "");
    for (char *letter = error->message; *letter; letter++)
        *letter = *letter == '\n' ? ' ' : *letter;
    Py_XDECREF(name);
    Py_XDECREF(text);
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    if (session)
        guest_keep(session);
    else
        PyErr_Print();
    return WAC_STATUS_INPUT;
}

/* --- creation -------------------------------------------------------------------------------- */

static bool view_attribute(Py_buffer *view, PyObject *adapter, const char *name, Py_ssize_t count,
                           bool writable)
{
    PyObject *array = PyObject_GetAttrString(adapter, name);
    bool good = array && extension_view(view, array, count, writable, name);
    Py_XDECREF(array);
    return good;
}

/* Bounds that the environment does not have. */
static const double far = 1e9;

static bool copy_bounds(double *low, double *high, PyObject *adapter, const char *which, int count)
{
    Py_buffer lows = {0}, highs = {0};
    char name[64];
    snprintf(name, sizeof name, "%s_low", which);
    bool good = view_attribute(&lows, adapter, name, count, false);
    snprintf(name, sizeof name, "%s_high", which);
    good = good && view_attribute(&highs, adapter, name, count, false);
    for (int i = 0; good && i < count; i++) {
        low[i] = fmax(((const double *)lows.buf)[i], -far);
        high[i] = fmin(((const double *)highs.buf)[i], far);
    }
    PyBuffer_Release(&lows);
    PyBuffer_Release(&highs);
    return good;
}

static PyObject *make_adapter(const guest *guest, const wac_config *config)
{
    if (guest->session)
        return PyObject_CallNoArgs(guest->session->make);
    return PyObject_CallFunction(bridge_make, "s", config->environment);
}

static bool open_adapter(guest *guest, wac_environment_spec *spec, const wac_config *config)
{
    PyObject *adapter = guest->adapter = make_adapter(guest, config);
    if (!adapter || !(guest->reset = PyObject_GetAttrString(adapter, "reset")) ||
        !(guest->step = PyObject_GetAttrString(adapter, "step")) ||
        !view_attribute(&guest->observation, adapter, "observation", -1, true) ||
        !view_attribute(&guest->action, adapter, "action", -1, true) ||
        !view_attribute(&guest->result, adapter, "result", RESULTS, true))
        return false;
    Py_ssize_t observations = guest->observation.len / (Py_ssize_t)sizeof(double),
               actions = guest->action.len / (Py_ssize_t)sizeof(double);
    if (observations > WAC_ENVIRONMENT_DIMENSIONS || actions > WAC_ENVIRONMENT_DIMENSIONS) {
        PyErr_Format(PyExc_ValueError,
                     "it has %zd observations and %zd actions; wac takes up to %d of each",
                     observations, actions, WAC_ENVIRONMENT_DIMENSIONS);
        return false;
    }
    spec->observation_size = guest->observations = (int)observations;
    spec->action_size = guest->actions = (int)actions;
    PyObject *replays = PyObject_GetAttrString(adapter, "replays");
    int replayed = replays ? PyObject_IsTrue(replays) : -1;
    Py_XDECREF(replays);
    if (replayed < 0)
        return false;
    if (replayed && config->path_limit * actions < REPLAYED_MOST) {
        guest->most = config->path_limit;
        spec->state_size = HEAD + (int)(guest->most * actions);
    }
    return copy_bounds(spec->observation_low, spec->observation_high, adapter, "observation",
                       guest->observations) &&
           copy_bounds(spec->action_low, spec->action_high, adapter, "action", guest->actions);
}

static wac_status check_bounds(const wac_environment_spec *spec, const wac_config *config,
                               wac_error *error)
{
    for (int i = 0; i < spec->observation_size; i++)
        if (config->normalisation == WAC_NORMALISATION_BOUNDS &&
            spec->observation_high[i] - spec->observation_low[i] >= far)
            return wac_fail(
                error, WAC_STATUS_INPUT,
                "observation %d has no bounds: set normalisation to running or none, or wrap "
                "the environment in gymnasium.wrappers.TransformObservation",
                i);
    return WAC_STATUS_OK;
}

static void guest_destroy(void *world)
{
    guest *guest = world;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *done = guest->adapter ? PyObject_CallMethod(guest->adapter, "close", NULL) : NULL;
    if (!done)
        PyErr_Clear(); /* there is nobody who could be told */
    Py_XDECREF(done);
    PyBuffer_Release(&guest->observation);
    PyBuffer_Release(&guest->action);
    PyBuffer_Release(&guest->result);
    Py_XDECREF(guest->reset);
    Py_XDECREF(guest->step);
    Py_XDECREF(guest->adapter);
    PyGILState_Release(gil);
    free(guest->taken);
    free(guest);
}

static wac_status guest_create(void **world, wac_environment_spec *spec, const wac_config *config,
                               wac_error *error)
{
    guest *guest = calloc(1, sizeof *guest);
    if (!guest)
        return wac_fail_memory(error, "the environment");
    *world = guest;
    guest->session = present;
    PyGILState_STATE gil = PyGILState_Ensure();
    wac_status status =
        open_adapter(guest, spec, config) ? WAC_STATUS_OK : take_exception(guest->session, error);
    PyGILState_Release(gil);
    WAC_TRY(status);
    guest->taken = calloc((size_t)(guest->most * guest->actions) + 1, sizeof *guest->taken);
    if (!guest->taken)
        return wac_fail_memory(error, "the environment");
    return check_bounds(spec, config, error);
}

/* --- episodes -------------------------------------------------------------------------------- */

/* Both fill the adapter's arrays. */
static wac_status call_reset(guest *guest, wac_error *error)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *done = PyObject_CallFunction(guest->reset, "L", (long long)guest->seed);
    wac_status status = done ? WAC_STATUS_OK : take_exception(guest->session, error);
    Py_XDECREF(done);
    PyGILState_Release(gil);
    guest->begun = done;
    guest->steps = 0;
    return status;
}

static wac_status call_step(guest *guest, const double *action, wac_error *error)
{
    PyGILState_STATE gil = PyGILState_Ensure();
    memcpy(guest->action.buf, action, (size_t)guest->actions * sizeof *action);
    PyObject *done = PyObject_CallNoArgs(guest->step);
    wac_status status = done ? WAC_STATUS_OK : take_exception(guest->session, error);
    Py_XDECREF(done);
    PyGILState_Release(gil);
    if (status == WAC_STATUS_OK && guest->steps < guest->most)
        memcpy(guest->taken + guest->steps++ * guest->actions, action,
               (size_t)guest->actions * sizeof *action);
    return status;
}

static void observe(const guest *guest, double *observation)
{
    memcpy(observation, guest->observation.buf, (size_t)guest->observations * sizeof *observation);
}

static void draw_seed(guest *guest, wac_rng *rng)
{
    int64_t high = (int64_t)(wac_rng_uniform(rng) * 0x1p24);
    guest->seed = high << 7 | (int64_t)(wac_rng_uniform(rng) * 0x1p7);
}

static wac_status guest_reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    guest *guest = world;
    draw_seed(guest, rng);
    WAC_TRY(call_reset(guest, error));
    observe(guest, observation);
    return WAC_STATUS_OK;
}

static void guest_send(void *world, const double *action)
{
    guest *guest = world;
    memcpy(guest->action.buf, action, (size_t)guest->actions * sizeof *action);
}

static wac_status guest_step(void *world, wac_rng *rng, const double *action, double *observation,
                             wac_step *step, wac_error *error)
{
    guest *guest = world;
    if (!guest->begun) { /* a run goes on with a new episode */
        step->begins = true;
        return guest_reset(world, rng, observation, error);
    }
    WAC_TRY(call_step(guest, action, error));
    const double *result = guest->result.buf;
    *step = (wac_step){.reward = result[0],
                       .terminated = result[1] != 0,
                       .truncated = result[2] != 0,
                       .begins = result[3] != 0};
    observe(guest, observation);
    return WAC_STATUS_OK;
}

/* --- state ----------------------------------------------------------------------------------- */

static void guest_save(const void *world, double *state)
{
    const guest *guest = world;
    size_t taken = (size_t)(guest->steps * guest->actions),
           room = (size_t)(guest->most * guest->actions);
    if (room == 0)
        return;
    state[0] = guest->begun;
    state[1] = (double)guest->seed;
    state[2] = (double)guest->steps;
    memset(state + HEAD, 0, room * sizeof *state);
    memcpy(state + HEAD, guest->taken, taken * sizeof *state);
}

static wac_status guest_load(void *world, const double *state, wac_error *error)
{
    guest *guest = world;
    guest->begun = false;
    if (guest->most == 0 || state[0] == 0)
        return WAC_STATUS_OK;
    if (!(state[1] >= 0 && state[1] < 0x1p31 && state[2] >= 0 && state[2] <= (double)guest->most))
        return wac_fail(error, WAC_STATUS_INPUT,
                        "it holds a seed or a number of steps that cannot be; use another copy of "
                        "the checkpoint");
    guest->seed = (int64_t)state[1];
    int64_t steps = (int64_t)state[2];
    WAC_TRY(call_reset(guest, error));
    for (int64_t i = 0; i < steps; i++)
        WAC_TRY(call_step(guest, state + HEAD + i * guest->actions, error));
    return WAC_STATUS_OK;
}

#define GUEST_TYPE(called, about)                                                                  \
    {                                                                                              \
        .name = called, .summary = about, .create = guest_create, .destroy = guest_destroy,        \
        .reset = guest_reset, .step = guest_step, .save = guest_save, .load = guest_load,          \
        .send = guest_send,                                                                        \
    }

const wac_environment_type guest_type = GUEST_TYPE("in Python", "an environment in Python");

/* --- by name --------------------------------------------------------------------------------- */

/* A table for each name: it is what messages call the environment. Never freed, as callers keep
 * it. */
typedef struct named {
    wac_environment_type type;
    struct named *next;
    char name[];
} named;

static wac_status find(const wac_environment_type **type, const char *name, wac_error *error)
{
    static named *all; /* the interpreter's lock guards it */
    if (strncmp(name, "gym:", 4) != 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "\"%.200s\" is an environment that only the program has that made the "
                        "run: wac.load(FOLDER, env)",
                        name);
    PyGILState_STATE gil = PyGILState_Ensure();
    named *found = all;
    while (found && strcmp(found->name, name) != 0)
        found = found->next;
    if (!found && (found = calloc(1, sizeof *found + strlen(name) + 1))) {
        strcpy(found->name, name);
        found->type = (wac_environment_type)GUEST_TYPE(found->name, "an environment of Gymnasium");
        found->next = all;
        all = found;
    }
    PyGILState_Release(gil);
    if (!found)
        return wac_fail_memory(error, "the environment");
    *type = &found->type;
    return WAC_STATUS_OK;
}

/* What Gymnasium says of an environment: {"path_limit": "200", …}. If it cannot be made, whoever
 * makes it will say why. */
static void preset(wac_config *config)
{
    if (strncmp(config->environment, "gym:", 4) != 0)
        return;
    PyGILState_STATE gil = PyGILState_Ensure();
    PyObject *known = PyObject_CallFunction(bridge_preset, "s", config->environment);
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (known && PyDict_Next(known, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        const char *text = PyUnicode_AsUTF8AndSize(value, NULL);
        if (name && text)
            (void)wac_config_set(config, name, text, NULL);
    }
    Py_XDECREF(known);
    PyErr_Clear();
    PyGILState_Release(gil);
}

void guest_set_bridge(PyObject *make, PyObject *presets)
{
    Py_INCREF(make);
    Py_INCREF(presets);
    Py_XDECREF(bridge_make);
    Py_XDECREF(bridge_preset);
    bridge_make = make;
    bridge_preset = presets;
    wac_guest_set(find);
    wac_guest_preset = preset;
}
