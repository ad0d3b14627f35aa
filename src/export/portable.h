/* A policy taken out of its run, as plain numbers: what an export writes, and plays by. It reads
 * raw observations and returns actions in the world's own units. */
#ifndef WAC_EXPORT_PORTABLE_H
#define WAC_EXPORT_PORTABLE_H

#include "base/arena.h"
#include "export/inference.h"
#include "rl/host/state.h"
#include "wac/run.h"

typedef struct wac_portable {
    wac_export_policy policy;
    char names[1 + WAC_CRITICS_MOST][32]; /* of the networks: the actor's, then the critics' */
    char environment[320];
    const char *algorithm;
    int64_t epoch; /* of the run it is from */
    float *work;   /* [observations + actions + wac_portable_work] */
    wac_arena arena;
} wac_portable;

/* The target policy of a run, and its critics if they are asked for. */
wac_status wac_portable_make(wac_portable **portable, wac_run *run, bool critics, wac_error *error);
void wac_portable_destroy(wac_portable *portable);

/* Round all weights to whole numbers of 8 bits, with one scale an output. */
wac_status wac_portable_quantise(wac_portable *portable, wac_error *error);

/* The networks: 0 is the actor, then the critics; the sizes of a layer, and how many there are. */
int wac_portable_networks(const wac_portable *portable);
const wac_export_network *wac_portable_network(const wac_portable *portable, int network);
int wac_portable_inputs(const wac_portable *portable, int network, int layer);
int wac_portable_outputs(const wac_portable *portable, int network, int layer);
int wac_portable_layers(const wac_portable *portable, int network);
bool wac_portable_is_norm(const wac_portable *portable, int network, int layer);

/* Numbers that the largest of them works with. */
int wac_portable_work(const wac_portable *portable);

/* "hidden0", "hidden1", and "mean" of the actor or "out" of a critic: as in checkpoints. */
void wac_portable_layer(const wac_portable *portable, int network, int layer,
                        char name[WAC_LAYER_NAME]);

/* As safetensors, weights as [outputs][inputs]. */
wac_status wac_portable_write(const wac_portable *portable, const char *path, wac_error *error);

/* Make a policy of the same shape what such a file holds. */
wac_status wac_portable_read(wac_portable *portable, const char *path, wac_error *error);

/* What the policy does without the rounding of single precision.
 * work: [observations + wac_portable_work] */
void wac_portable_act_exactly(const wac_portable *portable, const float *observation,
                              double *action, double *work);

/* --- who plays ------------------------------------------------------------------------------- */

/* A policy that was exported, in whatever form. */
typedef struct wac_player {
    void (*act)(void *self, const float *observation, float *action);
    /* of the action that `act` just returned for the observation; null: it was not exported */
    void (*value)(void *self, const float *observation, const float *action, float *mean,
                  float *std);
    void *self;
} wac_player;

wac_player wac_portable_player(wac_portable *portable);

#endif
