/* What a process of a sweep does: it trains runs, in groups of equal shape, and says through a pipe
 * how each goes. */
#ifndef WAC_SWEEP_CHILD_H
#define WAC_SWEEP_CHILD_H

#include "run/lockstep.h"
#include "sweep/list.h"

typedef enum wac_sweep_word {
    WAC_SWEEP_WORD_BEGIN,
    WAC_SWEEP_WORD_PROGRESS,
    WAC_SWEEP_WORD_END, /* status, and what is wrong if it is not OK */
    WAC_SWEEP_WORD_GONE /* not of a run: the process has ended; see wac_sweep_worker_read */
} wac_sweep_word;

typedef struct wac_sweep_message {
    wac_sweep_word word;
    size_t run; /* in the sweep's list */
    wac_status status;
    wac_progress progress;
    double seconds; /* end: spent in training, its share where runs are trained together */
    char reason[512];
} wac_sweep_message;

/* A run to train, up to an epoch. */
typedef struct wac_sweep_errand {
    size_t run;
    int64_t epochs;
} wac_sweep_errand;

/* Those that a process gets. */
typedef struct wac_sweep_task {
    const wac_sweep *sweep;
    const char *directory;
    const wac_sweep_errand *errands; /* [count] */
    size_t count;
    wac_device device;
    bool maps;     /* see wac_run_options */
    int gpus;      /* that groups are spread over, where the device is a GPU; 0: all there are */
    int groups;    /* at the same time on each of them, each in a thread of its own */
    int seats;     /* most of a group */
    int threads;   /* that the groups share for exploring and evaluating */
    int first_cpu; /* of a single run, see wac_agent_create */
    bool apart;    /* see wac_lockstep */
    const wac_lockstep_watch *watch; /* each group has one like it; null: none */
} wac_sweep_task;

/* Train all of them, and say so; until *stop is not zero. */
void wac_sweep_child_train(const wac_sweep_task *task, int pipe, const volatile int *stop);

#endif
