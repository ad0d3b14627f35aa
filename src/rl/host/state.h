/* A desk's state as named arrays. */
#ifndef WAC_RL_HOST_STATE_H
#define WAC_RL_HOST_STATE_H

#include "rl/host/host.h"

wac_status wac_desk_visit(wac_agent *agent, int seat, wac_state state, wac_agent_visitor *visit,
                          void *user, wac_error *error);

#endif
