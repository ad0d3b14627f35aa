/* A small interpreter of ONNX files, by which one that was written is read again and played: no
 * more than a policy needs, one row at a time. */
#ifndef WAC_EXPORT_GRAPH_H
#define WAC_EXPORT_GRAPH_H

#include "export/portable.h"

typedef struct wac_graph wac_graph;

/* `like` tells how large inputs and outputs must be. */
wac_status wac_graph_read(wac_graph **graph, const wac_export_policy *like, const char *path,
                          wac_error *error);
void wac_graph_destroy(wac_graph *graph);

wac_player wac_graph_player(wac_graph *graph);

#endif
