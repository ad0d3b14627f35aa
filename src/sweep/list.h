/* Sweeps: many runs in one directory, several at a time.
 *
 * A sweep is a list of runs, each with a folder of its own below the sweep's directory. It comes
 * from a YAML file (file.h, docs/sweeps.md) or from a program that fills the list itself.
 */
#ifndef WAC_SWEEP_LIST_H
#define WAC_SWEEP_LIST_H

#include "wac/config.h"

enum { WAC_SWEEP_FROM = 1024, WAC_SWEEP_FOLDER = 256, WAC_SWEEP_RUNS = 10000 /* most of them */ };

typedef struct wac_sweep_run {
    wac_config config;
    char folder[WAC_SWEEP_FOLDER]; /* "point-1/oe-wac/lambda-0.5/seed-3" */
} wac_sweep_run;

typedef struct wac_sweep {
    wac_sweep_run *runs; /* [count]; from malloc */
    size_t count;
    bool says[WAC_SETTINGS_TOTAL]; /* settings that its file has itself, for whomever */
    char from[WAC_SWEEP_FROM];     /* the run whose agent all begin with; empty: none */
    bool best;                     /* as its best evaluation found it */
} wac_sweep;

void wac_sweep_free(wac_sweep *sweep);

/* What a list must fulfil, for programs that fill one themselves: at least one run, every config
 * good, folders relative and below the directory, no two runs with the same folder or settings. */
wac_status wac_sweep_check(const wac_sweep *sweep, wac_error *error);

/* The same settings with so many seeds each, counted on from the first of each. More runs than a
 * list can hold are an error (input); on failure there is nothing to free. */
wac_status wac_sweep_reseed(wac_sweep *made, const wac_sweep *sweep, int64_t seeds,
                            wac_error *error);

/* Settings for all runs of a list, beyond those of its file: as text, in the order of wac_settings;
 * empty: not given. */
enum { WAC_GIVEN_VALUE = 64 };
typedef struct wac_given {
    char values[WAC_SETTINGS_TOTAL][WAC_GIVEN_VALUE];
} wac_given;

/* Set them. What the file of the list (`name`) has itself is refused, and what one of the runs does
 * not read. The values then are as wac_config_format writes them. */
wac_status wac_sweep_give(wac_sweep *sweep, wac_given *given, const char *name, wac_error *error);

/* " --precision mixed --checkpoint-interval 1000": the flags that give them. */
enum { WAC_GIVEN_FLAGS = 2048 };
const char *wac_given_flags(char text[WAC_GIVEN_FLAGS], const wac_given *given);

/* A config in one line of YAML, "{environment: lqg, algorithm: sac, …}": equal configs, equal
 * lines. */
enum { WAC_SWEEP_LINE = 4096 };
void wac_sweep_line(char line[WAC_SWEEP_LINE], const wac_config *config);

/* The name of the first setting in which two such lines differ, with both values, as in "width is
 * 30 and not 20"; empty where there is none. Epochs do not count: they may be raised. */
void wac_sweep_line_difference(char *text, size_t size, const char *line, const char *other);

/* A number that tells two lists apart. */
uint64_t wac_sweep_fingerprint(const wac_sweep *sweep);

#endif
