/* A desk's state as named arrays. */
#ifndef WAC_RL_HOST_STATE_H
#define WAC_RL_HOST_STATE_H

#include "rl/host/host.h"

wac_status wac_desk_visit(wac_agent *agent, int seat, wac_state state, wac_agent_visitor *visit,
                          void *user, wac_error *error);

/* What a layer before the head is called: hidden0, hidden1; or embedding, block0/norm, block0/up,
 * block0/down, …, norm. */
enum { WAC_LAYER_NAME = 32 };
void wac_layer_name(const wac_shape *shape, int layer, char label[WAC_LAYER_NAME]);

#endif
