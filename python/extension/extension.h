/* The extension _wac: what its files share. It is the library, linked in whole, and the program.
 *
 * Only the limited API of Python 3.11 is used, so that one build serves every later Python; arrays
 * come and go by the buffer protocol, so that NumPy is not needed to build it.
 */
#ifndef WAC_PYTHON_EXTENSION_H
#define WAC_PYTHON_EXTENSION_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "wac/wac.h"

/* A Python exception for what the library says; returns null. */
PyObject *extension_fail(const wac_error *error);

/* A view of a float64 array of so many numbers (-1: any number) in one piece; false with an
 * exception set. PyBuffer_Release it. */
bool extension_view(Py_buffer *view, PyObject *array, Py_ssize_t count, bool writable,
                    const char *what);

/* The settings of an environment and an algorithm (may be null), with those of a dict of texts (or
 * None) over them; false with an exception set. */
bool extension_config(wac_config *config, const char *environment, const char *algorithm,
                      PyObject *settings);

/* All settings that the config reads, as a dict of texts. */
PyObject *extension_settings(const wac_config *config);

bool extension_add_run(PyObject *module);
bool extension_add_world(PyObject *module);

/* --- environments in Python (guest.c) -------------------------------------------------------- */

/* Who makes the worlds of a run, and the first exception that came out of them. */
typedef struct guest_session {
    PyObject *make;                 /* a callable: the adapter of the next world */
    PyObject *type, *value, *trace; /* of the exception; null: none */
} guest_session;

/* The table of worlds that a session makes while it is the present one of this thread. */
extern const wac_environment_type guest_type;
void guest_enter(guest_session *session); /* null: leave */

/* Keep the exception that is set, if it is the first; the other one is dropped. */
void guest_keep(guest_session *session);

/* Set the exception that was kept; false where there is none. */
bool guest_raise(guest_session *session);
void guest_clear(guest_session *session);

/* The two functions of Python that make adapters of "gym:NAME" and know its settings. */
void guest_set_bridge(PyObject *make, PyObject *preset);

#endif
