/* Packing a set of runs into one archive (run/packed.h). */
#ifndef WAC_REPORT_PACK_H
#define WAC_REPORT_PACK_H

#include "report/experiment.h"
#include "stats/runset.h"

typedef struct wac_pack_options {
    const char *out;                  /* the archive; replaced whole or not at all */
    const char *const *roots;         /* [root_count]: what the set was loaded from; names in the */
    size_t root_count;                /* archive begin below these */
    const wac_experiment *experiment; /* whose maps can still be drawn; null: of none */
    bool maps;                        /* those of one run of each group can */
} wac_pack_options;

/* All runs of the set, those that were packed before as they are, networks of one of each group
 * included; those of other programs are an error (input), and so are two of one name.
 * The same runs give the same bytes, wherever they were. *networks: of how many runs they are kept.
 */
wac_status wac_pack(const wac_runset *set, const wac_pack_options *options, size_t *networks,
                    wac_error *error);

#endif
