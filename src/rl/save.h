/* Agents on disk: two files in a folder. They hold everything that
 * the next update depends on and nothing else (no clock, no thread count, no path), so that equal
 * agents have equal bytes. */
#ifndef WAC_RL_SAVE_H
#define WAC_RL_SAVE_H

#include "rl/agent.h"

#define WAC_SAVE_AGENT "agent.safetensors"
#define WAC_SAVE_REPLAY "replay.safetensors"

typedef enum wac_save_part {
    WAC_SAVE_PART_AGENT,
    WAC_SAVE_PART_REPLAY,
    WAC_SAVE_PARTS
} wac_save_part;

/* Checksums of the two files tell whether others beside them are of the same moment. */
typedef struct wac_save_sums {
    wac_checksum of[WAC_SAVE_PARTS]; /* empty: there is no such file, or it has none */
} wac_save_sums;

/* With what it remembers, or without: then it can act, but not learn on. Different seats may be
 * saved in different threads at the same time. `sums` may be null. */
wac_status wac_seat_save(wac_agent *agent, int seat, const char *directory, bool replay,
                         wac_save_sums *sums, wac_error *error);
wac_status wac_seat_load(wac_agent *agent, int seat, const char *directory, bool replay,
                         wac_save_sums *sums, wac_error *error);

/* The largest count that can be saved, and the last that a double tells from the next. */
#define WAC_SAVE_MOST (INT64_C(1) << 53)

/* A file of arrays that says what agent it is of. */
typedef struct wac_save_list {
    wac_agent_tensor *tensors; /* [count]; free() it */
    size_t count, room;
} wac_save_list;

/* An agent's visitor: add the array to the list `user`. */
wac_status wac_save_add(void *user, const wac_agent_tensor *tensor, wac_error *error);

/* `notes` are more metadata, at most WAC_SAVE_NOTES. `sum` may be null. */
enum { WAC_SAVE_NOTES = 5 };
wac_status wac_save_write(const wac_save_list *list, const wac_agent *agent, int seat,
                          const wac_metadata *notes, size_t note_count, const char *path,
                          wac_checksum *sum, wac_error *error);

/* The reverse: open a file, which must be of such an agent and as it was written; then visit with
 * wac_save_read. */
wac_status wac_save_open(wac_tensor_file **file, const wac_agent *agent, int seat, const char *path,
                         wac_error *error);
wac_status wac_save_read(void *file, const wac_agent_tensor *tensor, wac_error *error);

#endif
