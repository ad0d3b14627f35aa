/* What can be won in a world: the two ends of a scale on which returns of different tasks compare
 * (docs/suite.md and docs/tables.md say where each number comes from). */
#ifndef WAC_ENV_RETURNS_H
#define WAC_ENV_RETURNS_H

typedef struct wac_returns {
    const char *environment; /* as wac_environment_name has it; its world is as the preset has it */
    double random;           /* mean return of an episode of uniform random actions */
    double best;             /* the highest that is known, or a bound on it */
} wac_returns;

/* The row of an environment; null: it has none. */
const wac_returns *wac_returns_find(const char *environment);

#endif
