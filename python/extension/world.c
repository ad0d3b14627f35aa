/* _wac.World: a world of the library as it is, for Gymnasium. */
#include "extension.h"

#include "base/number.h"
#include "base/rng.h"
#include "env/mujoco/engine.h"
#include "env/world.h"

#include <string.h>

typedef struct world_object {
    PyObject_HEAD wac_world *world;
    wac_config config;
    wac_rng rng;
} world_object;

static int world_init(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static const char *const names[] = {"name", "settings", NULL};
    world_object *object = (world_object *)self;
    const char *name;
    PyObject *settings = Py_None;
    const wac_environment_type *type;
    wac_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s|O:World", (char **)names, &name,
                                     &settings) ||
        !extension_config(&object->config, name, NULL, settings))
        return -1;
    wac_world_destroy(object->world);
    object->world = NULL;
    object->rng = wac_rng_make(0, WAC_STREAM_WORLD);
    if (wac_environment_type_find(&type, object->config.environment, &error) != WAC_STATUS_OK ||
        wac_world_create(&object->world, type, &object->config, &error) != WAC_STATUS_OK) {
        extension_fail(&error);
        return -1;
    }
    return 0;
}

static void world_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    wac_world_destroy(((world_object *)self)->world);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static wac_world *world_of(PyObject *self)
{
    wac_world *world = ((world_object *)self)->world;
    if (!world)
        PyErr_SetString(PyExc_ValueError, "this world was closed");
    return world;
}

static PyObject *world_seed(PyObject *self, PyObject *argument)
{
    unsigned long long seed = PyLong_AsUnsignedLongLong(argument);
    if (PyErr_Occurred())
        return NULL;
    ((world_object *)self)->rng = wac_rng_make(seed, WAC_STREAM_WORLD);
    Py_RETURN_NONE;
}

static PyObject *world_reset(PyObject *self, PyObject *array)
{
    wac_world *world = world_of(self);
    wac_error error = {0};
    Py_buffer view;
    if (!world || !extension_view(&view, array, world->spec.observation_size, true, "observation"))
        return NULL;
    wac_status status =
        world->type->reset(world->self, &((world_object *)self)->rng, view.buf, &error);
    PyBuffer_Release(&view);
    if (status != WAC_STATUS_OK)
        return extension_fail(&error);
    Py_RETURN_NONE;
}

static PyObject *world_step(PyObject *self, PyObject *arguments)
{
    wac_world *world = world_of(self);
    PyObject *action, *observation;
    Py_buffer done, seen;
    wac_step step = {0};
    wac_error error = {0};
    if (!world || !PyArg_ParseTuple(arguments, "OO:step", &action, &observation) ||
        !extension_view(&done, action, world->spec.action_size, false, "action"))
        return NULL;
    if (!extension_view(&seen, observation, world->spec.observation_size, true, "observation")) {
        PyBuffer_Release(&done);
        return NULL;
    }
    for (int i = 0; i < world->spec.action_size; i++)
        world->raw_action[i] = wac_clamp(((const double *)done.buf)[i], world->spec.action_low[i],
                                         world->spec.action_high[i]);
    wac_status status = world->type->step(world->self, &((world_object *)self)->rng,
                                          world->raw_action, seen.buf, &step, &error);
    PyBuffer_Release(&done);
    PyBuffer_Release(&seen);
    if (status != WAC_STATUS_OK)
        return extension_fail(&error);
    return Py_BuildValue("dNNN", step.reward, PyBool_FromLong(step.terminated),
                         PyBool_FromLong(step.truncated), PyBool_FromLong(step.success));
}

static PyObject *bytes_of(const double *numbers, int count)
{
    return PyBytes_FromStringAndSize((const char *)numbers,
                                     (Py_ssize_t)count * (Py_ssize_t)sizeof *numbers);
}

static PyObject *world_bounds(PyObject *self, PyObject *unused)
{
    wac_world *world = world_of(self);
    (void)unused;
    if (!world)
        return NULL;
    const wac_environment_spec *spec = &world->spec;
    return Py_BuildValue("NNNN", bytes_of(spec->observation_low, spec->observation_size),
                         bytes_of(spec->observation_high, spec->observation_size),
                         bytes_of(spec->action_low, spec->action_size),
                         bytes_of(spec->action_high, spec->action_size));
}

static PyObject *world_settings(PyObject *self, PyObject *unused)
{
    (void)unused;
    return extension_settings(&((world_object *)self)->config);
}

static PyObject *world_shapes(PyObject *self, PyObject *unused)
{
    wac_world *world = world_of(self);
    wac_mujoco *mujoco = world ? wac_mujoco_of(world) : NULL;
    wac_geom geom;
    (void)unused;
    PyObject *all = world ? PyList_New(0) : NULL;
    for (int i = 0; all && mujoco && wac_mujoco_geom(mujoco, i, &geom); i++) {
        PyObject *one =
            Py_BuildValue("iNNi(ddd)(ddd)(ddddddddd)", (int)geom.kind,
                          PyBool_FromLong(geom.is_fixed), PyBool_FromLong(geom.is_solid), geom.limb,
                          geom.size[0], geom.size[1], geom.size[2], geom.centre[0], geom.centre[1],
                          geom.centre[2], geom.axes[0], geom.axes[1], geom.axes[2], geom.axes[3],
                          geom.axes[4], geom.axes[5], geom.axes[6], geom.axes[7], geom.axes[8]);
        if (!one || PyList_Append(all, one) != 0)
            Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

static PyMethodDef methods[] = {
    {"seed", world_seed, METH_O, "seed(n): every random number from here on."},
    {"reset", world_reset, METH_O, "reset(observation): begin an episode; fills the array."},
    {"step", world_step, METH_VARARGS,
     "step(action, observation) -> reward, terminated, truncated, success; fills the array."},
    {"bounds", world_bounds, METH_NOARGS,
     "bounds() -> observation low, high, action low, high: float64 as bytes."},
    {"settings", world_settings, METH_NOARGS, "settings() -> dict of texts."},
    {"shapes", world_shapes, METH_NOARGS,
     "shapes() -> list of (kind, fixed, solid, limb, size, centre, axes): what it looks like now."},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "World(name, settings=None): a world of the library, in its own units."},
    {Py_tp_init, world_init},
    {Py_tp_new, PyType_GenericNew},
    {Py_tp_dealloc, world_dealloc},
    {Py_tp_methods, methods},
    {0},
};

static PyType_Spec spec = {"wac._wac.World", sizeof(world_object), 0, Py_TPFLAGS_DEFAULT, slots};

bool extension_add_world(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&spec);
    bool good = type && PyModule_AddObjectRef(module, "World", type) == 0 &&
                PyModule_AddIntConstant(module, "BOX", WAC_GEOM_BOX) == 0 &&
                PyModule_AddIntConstant(module, "CAPSULE", WAC_GEOM_CAPSULE) == 0 &&
                PyModule_AddIntConstant(module, "SPHERE", WAC_GEOM_SPHERE) == 0;
    Py_XDECREF(type);
    return good;
}
