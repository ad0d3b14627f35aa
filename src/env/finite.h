/* Worlds with few states and actions, both numbered from 0, for agents that are tables: classics of
 * exploration. */
#ifndef WAC_ENV_FINITE_H
#define WAC_ENV_FINITE_H

#include "wac/env.h"

enum { WAC_FINITE_TOTAL = 6 };

extern const wac_environment_type wac_environments_finite[WAC_FINITE_TOTAL];

#endif
