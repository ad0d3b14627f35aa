/* Directed exploration for continuous control: include this. */
#ifndef WAC_H
#define WAC_H

#include "wac/agent.h"
#include "wac/base.h"
#include "wac/config.h"
#include "wac/env.h"
#include "wac/run.h"

#endif
