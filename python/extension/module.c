/* The module _wac: settings, tables of runs, the program. */
#include "extension.h"

#include "cli.h"
#include "config/config.h"
#include "config/environments.h"
#include "run/folder.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

PyObject *extension_fail(const wac_error *error)
{
    PyObject *kind = error->status == WAC_STATUS_MEMORY    ? PyExc_MemoryError
                     : error->status == WAC_STATUS_IO      ? PyExc_OSError
                     : error->status == WAC_STATUS_NUMERIC ? PyExc_FloatingPointError
                                                           : PyExc_ValueError;
    PyErr_SetString(kind, error->message);
    return NULL;
}

bool extension_view(Py_buffer *view, PyObject *array, Py_ssize_t count, bool writable,
                    const char *what)
{
    *view = (Py_buffer){0};
    if (PyObject_GetBuffer(array, view,
                           PyBUF_FORMAT | PyBUF_C_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)))
        return false;
    Py_ssize_t there = view->len / (Py_ssize_t)sizeof(double);
    if (view->format && strcmp(view->format, "d") == 0 && (count < 0 || there == count))
        return true;
    PyErr_Format(PyExc_ValueError, "%s must be an array of %zd numbers of type float64", what,
                 count < 0 ? there : count);
    PyBuffer_Release(view);
    return false;
}

bool extension_config(wac_config *config, const char *environment, const char *algorithm,
                      PyObject *settings)
{
    wac_error error = {0};
    if (wac_config_init(config, environment, algorithm, &error) != WAC_STATUS_OK) {
        extension_fail(&error);
        return false;
    }
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (settings != Py_None && PyDict_Next(settings, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        const char *text = name ? PyUnicode_AsUTF8AndSize(value, NULL) : NULL;
        if (!text)
            return false;
        if (wac_config_set(config, name, text, &error) != WAC_STATUS_OK) {
            extension_fail(&error);
            return false;
        }
    }
    if (wac_config_check(config, &error) == WAC_STATUS_OK)
        return true;
    extension_fail(&error);
    return false;
}

PyObject *extension_settings(const wac_config *config)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    PyObject *all = PyDict_New();
    for (size_t i = 0; all && i < count; i++) {
        char text[64];
        if (!wac_config_reads(config, &settings[i]))
            continue;
        wac_config_format(config, &settings[i], text, sizeof text);
        PyObject *value = PyUnicode_FromString(text);
        if (!value || PyDict_SetItemString(all, settings[i].name, value) != 0)
            Py_CLEAR(all);
        Py_XDECREF(value);
    }
    return all;
}

static PyObject *module_settings(PyObject *module, PyObject *arguments)
{
    const char *environment, *algorithm = NULL;
    PyObject *settings = Py_None;
    wac_config config;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s|zO:settings", &environment, &algorithm, &settings) ||
        !extension_config(&config, environment, algorithm, settings))
        return NULL;
    return extension_settings(&config);
}

/* (name, summary) of every world of the library. */
static PyObject *module_environments(PyObject *module, PyObject *unused)
{
    const wac_environment_type *type;
    PyObject *all = PyList_New(0);
    (void)module, (void)unused;
    for (size_t i = 0; all && (type = wac_environment_type_at(i)); i++) {
        PyObject *one = Py_BuildValue("ss", type->name, type->summary);
        if (!one || PyList_Append(all, one) != 0)
            Py_CLEAR(all);
        Py_XDECREF(one);
    }
    return all;
}

/* Whether the library itself has an environment of this name. */
static PyObject *module_has(PyObject *module, PyObject *name)
{
    const wac_environment_type *type;
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    (void)module;
    return text ? PyBool_FromLong(wac_environment_type_find(&type, text, NULL) == WAC_STATUS_OK)
                : NULL;
}

/* The columns of a run's progress.csv: name to float64 as bytes. */
static PyObject *module_history(PyObject *module, PyObject *name)
{
    const char *directory = PyUnicode_AsUTF8AndSize(name, NULL);
    wac_history history;
    wac_error error = {0};
    (void)module;
    if (!directory)
        return NULL;
    if (wac_history_read(&history, directory, &error) != WAC_STATUS_OK)
        return extension_fail(&error);
    PyObject *all = PyDict_New();
    for (int i = 0; all && i < WAC_COLUMN_TOTAL; i++) {
        PyObject *bytes = PyBytes_FromStringAndSize((const char *)history.columns[i],
                                                    (Py_ssize_t)(history.rows * sizeof(double)));
        if (!bytes || PyDict_SetItemString(all, wac_columns[i].name, bytes) != 0)
            Py_CLEAR(all);
        Py_XDECREF(bytes);
    }
    wac_history_free(&history);
    return all;
}

/* The settings of a run, as its config.yaml has them. */
static PyObject *module_config(PyObject *module, PyObject *name)
{
    const char *directory = PyUnicode_AsUTF8AndSize(name, NULL);
    wac_config config;
    wac_error error = {0};
    (void)module;
    if (!directory)
        return NULL;
    if (wac_folder_read_config(&config, directory, &error) != WAC_STATUS_OK)
        return extension_fail(&error);
    return Py_BuildValue("sN", config.environment, extension_settings(&config));
}

static PyObject *module_set_bridge(PyObject *module, PyObject *arguments)
{
    PyObject *make, *preset;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO:set_bridge", &make, &preset))
        return NULL;
    guest_set_bridge(make, preset);
    Py_RETURN_NONE;
}

/* The program, with these words; its exit status. */
static PyObject *module_main(PyObject *module, PyObject *words)
{
    (void)module;
    if (!PyList_Check(words)) {
        PyErr_SetString(PyExc_TypeError, "main takes a list of words");
        return NULL;
    }
    int count = (int)PyList_Size(words), status = 1;
    char **argv = calloc((size_t)count + 1, sizeof *argv);
    bool good = argv;
    for (int i = 0; good && i < count; i++) {
        const char *text = PyUnicode_AsUTF8AndSize(PyList_GetItem(words, i), NULL);
        good = text && (argv[i] = strdup(text));
    }
    if (good) {
        signal(SIGINT, SIG_DFL); /* the program has its own way */
        Py_BEGIN_ALLOW_THREADS status = cli_main(count, argv);
        Py_END_ALLOW_THREADS
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    /* what it has read may point to them: they stay */
    return good ? PyLong_FromLong(status) : NULL;
}

static PyMethodDef functions[] = {
    {"settings", module_settings, METH_VARARGS,
     "settings(environment, algorithm=None, settings=None) -> dict of texts"},
    {"environments", module_environments, METH_NOARGS, "environments() -> list of (name, summary)"},
    {"has", module_has, METH_O, "has(name) -> bool: an environment of the library"},
    {"history", module_history, METH_O, "history(directory) -> dict of float64 as bytes"},
    {"config", module_config, METH_O, "config(directory) -> environment, dict of texts"},
    {"set_bridge", module_set_bridge, METH_VARARGS, "set_bridge(make, preset)"},
    {"main", module_main, METH_O, "main(words) -> exit status of the program"},
    {0},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                        "_wac",
                                        "The library under the package wac.",
                                        -1,
                                        functions,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__wac(void); /* its header has none */

PyMODINIT_FUNC PyInit__wac(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (module && extension_add_run(module) && extension_add_world(module) &&
        PyModule_AddStringConstant(module, "version", wac_version()) == 0 &&
        PyModule_AddStringConstant(module, "finite", WAC_FOR_FINITE) == 0 &&
        PyModule_AddStringConstant(module, "sparse", WAC_SPARSE_NAMES) == 0 &&
        PyModule_AddStringConstant(module, "tasks", WAC_TASK_NAMES) == 0)
        return module;
    Py_XDECREF(module);
    return NULL;
}
