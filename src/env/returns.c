/* The table of what can be won. */
#include "env/returns.h"

#include <stddef.h>
#include <string.h>

static const wac_returns table[] = {
    {"riverswim", 0.14, 161.6},
    {"mountaincar", -32.8, 94.5},
    {"cartpole-sparse", 0, 850},
    {"cartpole-sparse-cost", -32.8, 850},
    {"acrobot-sparse", 0, 663},
    {"ball-in-cup", 0, 986},
    {"reacher-hard", 13.6, 984},
    {"pointmaze-u", 0, 119},
    {"pointmaze-medium", 0, 199},
    {"pointmaze-large", 0, 331},
    {"halfcheetah-sparse", 0, 12139},
    {"hopper-sparse", 0, 3542},
    {"walker2d-sparse", 0, 5007},
    {"point-1-sparse", -300, -63},
    {"point-2-sparse", -300, -121},
    {"point-3-sparse", -300, -92},
    {"point-4-sparse", -300, -129},
    /* those of tables follow from their chances, by going back from the last step */
    {"chain", 130, 356.712448},
    {"loop", 13.954641, 40},
    {"riverswim-6", 0.028110287, 5.6736995},
    {"six-arms", 0.10838873, 36.603234},
    {"taxi", -394.21984, 7.93},
    {"deep-sea", -0.0040234375, 0.99},
};

const wac_returns *wac_returns_find(const char *environment)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i].environment, environment) == 0)
            return &table[i];
    return NULL;
}
