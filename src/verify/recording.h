/* A recording under comparison, and the kinds of recordings there are. */
#ifndef WAC_VERIFY_RECORDING_H
#define WAC_VERIFY_RECORDING_H

#include "base/csv.h"
#include "env/world.h"
#include "verify/env.h"

enum { WAC_RECORDING_COLUMNS = 64 }; /* most of any kind */

/* The functions of a kind count columns in the order of its `columns`. */
typedef struct wac_recording {
    const char *path;
    wac_csv csv;
    int places[WAC_RECORDING_COLUMNS]; /* column of the kind -> column of the file */
    wac_config config;
    wac_world *world;
    wac_env_report *report; /* `rows` is that of the file; less, if less is compared */
} wac_recording;

typedef struct wac_recording_kind {
    const char *environments; /* "first|second" */
    const char *name;
    double tolerance;
    const char *columns; /* "first,second" */
    wac_status (*compare)(wac_recording *recording, wac_error *error);
} wac_recording_kind;

double wac_recording_at(const wac_recording *recording, size_t row, int column);

/* Note how far `ours` is from the recorded value. */
void wac_recording_judge(wac_recording *recording, size_t row, int column, double ours);

/* Of the worlds of MuJoCo: mujoco.c. */
enum { WAC_MUJOCO_KINDS = 6 };
extern const wac_recording_kind wac_recording_kinds_mujoco[WAC_MUJOCO_KINDS];

#endif
