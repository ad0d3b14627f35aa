/* _wac.Run: a run of the library. The interpreter is free while it trains. */
#include "extension.h"

#include "base/rng.h"
#include "rl/agent.h"
#include "run/checkpoint.h"
#include "run/run.h"

#include <string.h>
#include <unistd.h>

typedef struct run_object {
    PyObject_HEAD wac_run *run;
    guest_session session;
    volatile int stop;
    bool is_open, busy; /* its files are only read; it trains */
    pid_t process;
    wac_rng rng;        /* of actions that are sampled */
    PyObject *progress; /* called while it trains; may be null */
} run_object;

/* In a process that was forked off, the threads and the lock of the run are not there. */
static bool check_process(const run_object *object)
{
    if (object->process == getpid())
        return true;
    PyErr_SetString(PyExc_RuntimeError,
                    "this agent belongs to the process that made it; after a fork, open it in the "
                    "new process: wac.load(FOLDER)");
    return false;
}

static wac_run *run_of(PyObject *self)
{
    run_object *object = (run_object *)self;
    if (!check_process(object))
        return NULL;
    if (object->busy) {
        PyErr_SetString(PyExc_RuntimeError, "the agent is learning; wait until it has");
        return NULL;
    }
    if (!object->run)
        PyErr_SetString(PyExc_ValueError, "this run was closed");
    return object->run;
}

static void close_run(run_object *object)
{
    if (object->process == getpid())
        wac_run_destroy(object->run);
    object->run = NULL;
}

static void run_dealloc(PyObject *self)
{
    run_object *object = (run_object *)self;
    PyTypeObject *type = Py_TYPE(self);
    close_run(object);
    guest_clear(&object->session);
    Py_CLEAR(object->session.make);
    Py_CLEAR(object->progress);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

/* --- while it trains ------------------------------------------------------------------------- */

static PyObject *describe(const wac_progress *now)
{
    return Py_BuildValue(
        "{sLsLsLsLsdsdsLsdsdsdsdsdsdsdsLsdsdsLsLsN}", "epoch", (long long)now->epoch, "epochs",
        (long long)now->epochs, "env_steps", (long long)now->env_steps, "updates",
        (long long)now->updates, "eval_return", now->eval_return, "eval_success", now->eval_success,
        "eval_episodes", (long long)now->eval_episodes, "coverage_sampled", now->coverage_sampled,
        "coverage_visited", now->coverage_visited, "alpha", now->alpha, "q_mean", now->q_mean,
        "sigma_visited", now->sigma_visited, "sigma_uniform", now->sigma_uniform, "seconds",
        now->seconds, "explore_episodes", (long long)now->explore_episodes, "explore_return",
        now->explore_return, "explore_success", now->explore_success, "epoch_updates",
        (long long)now->epoch_updates, "epoch_updates_due", (long long)now->epoch_updates_due,
        "is_row", PyBool_FromLong(now->is_row));
}

/* Hands on how far it is, and lets Python's handlers of signals run. */
static void show_progress(void *user, const wac_progress *now)
{
    run_object *object = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    bool good = PyErr_CheckSignals() == 0;
    PyObject *about = good && object->progress ? describe(now) : NULL;
    PyObject *answer = about ? PyObject_CallFunction(object->progress, "O", about) : NULL;
    if (answer == Py_False)
        object->stop = 1;
    Py_XDECREF(about);
    Py_XDECREF(answer);
    if (PyErr_Occurred()) {
        guest_keep(&object->session);
        object->stop = 1;
    }
    PyGILState_Release(gil);
}

static PyObject *run_train(PyObject *self, PyObject *progress)
{
    run_object *object = (run_object *)self;
    wac_run *run = run_of(self);
    wac_error error = {0};
    wac_status status;
    if (!run)
        return NULL;
    if (object->is_open) {
        PyErr_SetString(PyExc_ValueError, "this run was opened to be looked at");
        return NULL;
    }
    guest_clear(&object->session);
    Py_XDECREF(object->progress);
    object->progress = progress == Py_None ? NULL : Py_NewRef(progress);
    object->stop = 0;
    object->busy = true;
    Py_BEGIN_ALLOW_THREADS status = wac_run_train(run, &error);
    Py_END_ALLOW_THREADS object->busy = false;
    Py_CLEAR(object->progress);
    if (guest_raise(&object->session))
        return NULL;
    if (status == WAC_STATUS_OK || status == WAC_STATUS_INTERRUPTED)
        return PyBool_FromLong(status == WAC_STATUS_OK);
    return extension_fail(&error);
}

static PyObject *run_stop(PyObject *self, PyObject *unused)
{
    (void)unused;
    ((run_object *)self)->stop = 1;
    Py_RETURN_NONE;
}

/* --- a trained one ---------------------------------------------------------------------------- */

static PyObject *run_act(PyObject *self, PyObject *arguments)
{
    run_object *object = (run_object *)self;
    wac_run *run = run_of(self);
    PyObject *observations, *actions;
    int explores, sampled;
    if (!run ||
        !PyArg_ParseTuple(arguments, "OOpp:act", &observations, &actions, &explores, &sampled))
        return NULL;
    const wac_environment_spec *spec = wac_run_spec(run);
    wac_policy_role role = explores ? WAC_POLICY_BEHAVIOUR : WAC_POLICY_TARGET;
    Py_buffer seen, done;
    if (!extension_view(&seen, observations, -1, false, "observations"))
        return NULL;
    Py_ssize_t rows = seen.len / (Py_ssize_t)sizeof(double) / spec->observation_size;
    if (!extension_view(&done, actions, rows * spec->action_size, true, "actions")) {
        PyBuffer_Release(&seen);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < rows; i++) {
        const double *observation = (const double *)seen.buf + i * spec->observation_size;
        double *action = (double *)done.buf + i * spec->action_size;
        float mapped[WAC_ENVIRONMENT_DIMENSIONS], chosen[WAC_ENVIRONMENT_DIMENSIONS];
        if (!sampled) {
            wac_run_act(run, role, observation, action);
            continue;
        }
        wac_run_to_agent(run, observation, mapped);
        wac_seat_sample(run->agent, run->seat, role, &object->rng, mapped, chosen);
        wac_run_to_world(run, chosen, action);
    }
    PyBuffer_Release(&seen);
    PyBuffer_Release(&done);
    Py_RETURN_NONE;
}

static PyObject *run_value(PyObject *self, PyObject *arguments)
{
    wac_run *run = run_of(self);
    PyObject *arrays[4];
    Py_buffer views[4] = {{0}};
    static const char *const names[4] = {"mean", "std", "observations", "actions"};
    if (!run ||
        !PyArg_ParseTuple(arguments, "OOOO:value", &arrays[2], &arrays[3], &arrays[0], &arrays[1]))
        return NULL;
    const wac_environment_spec *spec = wac_run_spec(run);
    bool good = extension_view(&views[0], arrays[0], -1, true, names[0]);
    Py_ssize_t rows = views[0].len / (Py_ssize_t)sizeof(double);
    const Py_ssize_t sizes[4] = {rows, rows, rows * spec->observation_size,
                                 rows * spec->action_size};
    for (int i = 1; i < 4 && good; i++)
        good = extension_view(&views[i], arrays[i], sizes[i], i == 1, names[i]);
    for (Py_ssize_t i = 0; good && i < rows; i++)
        wac_run_value(run, (const double *)views[2].buf + i * spec->observation_size,
                      (const double *)views[3].buf + i * spec->action_size,
                      (double *)views[0].buf + i, (double *)views[1].buf + i);
    for (int i = 0; i < 4; i++)
        PyBuffer_Release(&views[i]);
    return good ? Py_NewRef(Py_None) : NULL;
}

static PyObject *run_evaluate(PyObject *self, PyObject *arguments)
{
    run_object *object = (run_object *)self;
    wac_run *run = run_of(self);
    long long episodes, seed;
    int explores, sampled;
    wac_evaluation found;
    wac_error error = {0};
    wac_status status;
    if (!run ||
        !PyArg_ParseTuple(arguments, "LLpp:evaluate", &episodes, &seed, &explores, &sampled))
        return NULL;
    guest_clear(&object->session);
    object->stop = 0;
    object->busy = true;
    Py_BEGIN_ALLOW_THREADS status =
        wac_run_evaluate(&found, run, explores ? WAC_POLICY_BEHAVIOUR : WAC_POLICY_TARGET, sampled,
                         episodes, seed, &error);
    Py_END_ALLOW_THREADS object->busy = false;
    if (guest_raise(&object->session))
        return NULL;
    if (status == WAC_STATUS_INTERRUPTED) {
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        return NULL;
    }
    if (status != WAC_STATUS_OK)
        return extension_fail(&error);
    return Py_BuildValue("{sLsLsdsdsdsdsd}", "episodes", (long long)found.episodes, "steps",
                         (long long)found.steps, "mean_return", found.mean_return, "std_return",
                         found.std_return, "smallest_return", found.smallest_return,
                         "largest_return", found.largest_return, "success", found.success);
}

/* --- about it --------------------------------------------------------------------------------- */

static PyObject *run_save(PyObject *self, PyObject *unused)
{
    wac_run *run = run_of(self);
    wac_error error = {0};
    (void)unused;
    if (!run)
        return NULL;
    if (!((run_object *)self)->is_open && wac_checkpoint_save(run, true, &error) != WAC_STATUS_OK)
        return extension_fail(&error);
    Py_RETURN_NONE;
}

static PyObject *run_close(PyObject *self, PyObject *unused)
{
    run_object *object = (run_object *)self;
    (void)unused;
    if (object->busy && !run_of(self))
        return NULL;
    close_run(object);
    Py_RETURN_NONE;
}

static PyObject *run_about(PyObject *self, PyObject *unused)
{
    wac_run *run = ((run_object *)self)->run;
    (void)unused;
    if (!check_process((run_object *)self))
        return NULL;
    if (!run) {
        PyErr_SetString(PyExc_ValueError, "this run was closed");
        return NULL;
    }
    const wac_environment_spec *spec = wac_run_spec(run);
    return Py_BuildValue(
        "{sssssLsLsLsisisNsN}", "directory", run->directory, "environment", run->config.environment,
        "epoch", (long long)run->position.epoch, "env_steps", (long long)run->position.env_steps,
        "updates", (long long)run->position.updates, "observation_size", spec->observation_size,
        "action_size", spec->action_size, "has_std", PyBool_FromLong(wac_agent_has_std(run->agent)),
        "settings", extension_settings(&run->config));
}

static PyMethodDef methods[] = {
    {"train", run_train, METH_O,
     "train(progress) -> bool: to the last epoch; False: it was stopped, and is saved."},
    {"stop", run_stop, METH_NOARGS, "stop(): have it stop and save itself; from any thread."},
    {"act", run_act, METH_VARARGS,
     "act(observations, actions, explores, sampled): fills the array of actions."},
    {"value", run_value, METH_VARARGS,
     "value(observations, actions, mean, std): fills the last two."},
    {"evaluate", run_evaluate, METH_VARARGS,
     "evaluate(episodes, seed, explores, sampled) -> dict."},
    {"save", run_save, METH_NOARGS, "save(): a checkpoint of this moment."},
    {"close", run_close, METH_NOARGS, "close(): let go of the folder and of the worlds."},
    {"about", run_about, METH_NOARGS, "about() -> dict: folder, position, sizes, settings."},
    {0},
};

/* environment, algorithm and settings are for create alone, epochs for resume. */
static int run_init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static const char *const names[] = {"directory",   "make",      "mode",        "threads",
                                        "cuda",        "maps",      "tensorboard", "epochs",
                                        "environment", "algorithm", "settings",    NULL};
    run_object *object = (run_object *)self;
    const char *directory, *mode, *environment = NULL, *algorithm = NULL;
    PyObject *make, *settings = Py_None;
    int threads = 1, cuda = 0, maps = 0, tensorboard = 0;
    long long epochs = 0;
    wac_config config;
    wac_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "sOs|ipppLzzO:Run", (char **)names,
                                     &directory, &make, &mode, &threads, &cuda, &maps, &tensorboard,
                                     &epochs, &environment, &algorithm, &settings))
        return -1;
    bool creates = strcmp(mode, "create") == 0;
    object->is_open = strcmp(mode, "open") == 0;
    object->process = getpid();
    object->rng = wac_rng_make(0, WAC_STREAM_REPLAYED);
    if (creates && !extension_config(&config, environment, algorithm, settings))
        return -1;
    if (make != Py_None)
        object->session.make = Py_NewRef(make);
    wac_run_options options = wac_run_options_default();
    options.device = cuda ? WAC_DEVICE_CUDA : WAC_DEVICE_CPU;
    options.threads = threads;
    options.maps = maps;
    options.tensorboard = tensorboard;
    options.progress = show_progress;
    options.user = object;
    options.stop = &object->stop;
    const wac_environment_type *type = object->session.make ? &guest_type : NULL;
    guest_enter(type ? &object->session : NULL);
    wac_status status =
        creates           ? wac_run_create(&object->run, &config, type, directory, &options, &error)
        : object->is_open ? wac_run_open(&object->run, directory, type, &options, &error)
                          : wac_run_resume(&object->run, directory, type, &options, epochs, &error);
    guest_enter(NULL);
    if (status == WAC_STATUS_OK)
        return 0;
    if (!guest_raise(&object->session))
        extension_fail(&error);
    return -1;
}

static PyType_Slot slots[] = {
    {Py_tp_doc, "Run(directory, make, mode, ...): mode is create, resume or open."},
    {Py_tp_init, run_init},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, run_dealloc},
    {Py_tp_methods, methods},
    {0},
};

static PyType_Spec spec = {"wac._wac.Run", sizeof(run_object), 0, Py_TPFLAGS_DEFAULT, slots};

bool extension_add_run(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    bool good = type && PyModule_AddObjectRef(module, "Run", type) == 0;
    Py_XDECREF(type);
    return good;
}
