/* What a run of the demo has seen so far, and how that looks in characters. */
#ifndef WAC_CLI_DEMO_SIGHT_H
#define WAC_CLI_DEMO_SIGHT_H

#include "terminal/progress.h"

enum { CLI_SIGHT_ACROSS = 34, CLI_SIGHT_UP = 13 };

typedef struct cli_sight {
    int across, up; /* 0: nothing has been seen yet */
    double visits[CLI_SIGHT_UP][CLI_SIGHT_ACROSS];
    double sigma[CLI_SIGHT_ACROSS]; /* of swimming up, along a river; NaN where there is none */
} cli_sight;

/* From the thread that trains the run, between two steps of it. */
void cli_sight_take(cli_sight *sight, wac_run *run);

/* Two sides by side: of a river a line each, of a maze a map each. */
void cli_sight_draw(cli_picture *picture, const cli_sight *oe_wac, const cli_sight *sac);

#endif
