/* Executing a sweep: whoever is free gets the next run, at once.
 *
 * On one machine the workers are processes of this one, with a run each, or one with all of them
 * where they are trained in lockstep. Under MPI each rank has one worker; rank 0 has the list,
 * hands runs out and takes in what the ranks say, and trains itself besides. All messages are
 * numbers of runs one way and wac_sweep_message the other way, so a sweep knows nothing of how a
 * run is trained.
 */
#include "sweep/execute.h"

#include "base/clock.h"
#include "base/status.h"
#include "base/stop.h"
#include "base/threads.h"
#include "sweep/mpi.h"
#include "sweep/worker.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    VIEW_MS = 200, /* between looks of the one who watches */
    RANKS_MS = 1,  /* between looks for messages of other ranks: MPI wakes nobody */
    MOST_WORKERS = 1024,
    GROUPS = 4, /* in lockstep, at the same time on a GPU: one learns while others explore */
    SEATS = 64, /* of a group */
};

/* Between ranks. */
typedef enum order_kind { ORDER_RUN, ORDER_STOP, ORDER_END } order_kind;

typedef struct order {
    order_kind kind;
    wac_sweep_errand errand;
} order;

typedef struct answer {
    uint64_t fingerprint; /* of the rank's list, if it has just come; else 0 */
    wac_sweep_message message;
} answer;

/* Somebody who trains: a process here, or another rank. */
typedef struct slot {
    wac_sweep_worker worker; /* here */
    int rank;                /* 0: here */
    bool present;            /* a rank that has reported */
    bool busy;
    size_t begun; /* runs, of those it was given last */
} slot;

/* Who trains a run, and since when. */
typedef struct charge {
    const slot *slot;
    double start;
} charge;

typedef struct execution {
    const wac_sweep *sweep;
    const char *directory;
    const wac_sweep_options *options;
    wac_sweep_ranks ranks;
    int lock;
    wac_sweep_item *items;
    charge *charges;           /* [sweep->count] */
    wac_sweep_errand *errands; /* [sweep->count], scratch */
    slot *slots;
    struct pollfd *polls;
    int slot_count, busy;
    size_t next; /* first run that may still have to be handed out */
    bool stopping;
    double start, shown;
    wac_sweep_view view;
    wac_sweep_outcome *outcome;
    wac_error *error;
} execution;

static void show(execution *all, size_t changed)
{
    double time = wac_clock_seconds();
    if (!all->options->progress || (changed == SIZE_MAX && time - all->shown < 1e-3 * VIEW_MS))
        return;
    all->shown = time;
    all->view.seconds = time - all->start;
    all->options->progress(all->options->user, &all->view, changed);
}

/* --- handing out -------------------------------------------------------------------------------*/

static bool is_waiting(const execution *all, size_t run)
{
    wac_sweep_state state = all->items[run].state;
    return wac_sweep_share_has(all->options->share, run) &&
           (state == WAC_SWEEP_STATE_NEW || state == WAC_SWEEP_STATE_BEGUN);
}

/* The next run for anybody; false where none is left. Those on higher rungs go first. */
static bool next_run(execution *all, size_t *run)
{
    const wac_ladder *ladder = all->options->ladder;
    *run = SIZE_MAX;
    for (size_t i = 0; ladder && i < all->sweep->count; i++)
        if (is_waiting(all, i) &&
            (*run == SIZE_MAX || wac_ladder_rung(ladder, i) > wac_ladder_rung(ladder, *run)))
            *run = i;
    if (ladder)
        return *run != SIZE_MAX;
    while (all->next < all->sweep->count && !is_waiting(all, all->next))
        all->next++;
    *run = all->next;
    return all->next < all->sweep->count;
}

static wac_status fail_ranks(wac_error *error)
{
    return wac_fail(error, WAC_STATUS_IO,
                    "the ranks cannot reach each other by MPI any more; start the sweep again, it "
                    "goes on from there");
}

static bool is_lockstep(const wac_sweep_options *options)
{
    return options->lockstep || options->device != WAC_DEVICE_CPU;
}

/* A run is in the hands of a slot. */
static void begin_run(execution *all, slot *slot, size_t run)
{
    if (all->items[run].state == WAC_SWEEP_STATE_RUNNING)
        return;
    slot->begun++;
    all->charges[run] = (charge){slot, wac_clock_seconds()};
    all->items[run].state = WAC_SWEEP_STATE_RUNNING;
    all->view.running++;
    show(all, run);
    all->items[run].again = false;
}

/* What is the same for every process that trains single runs. */
static wac_sweep_task single_task(const execution *all, const wac_sweep_errand *errand)
{
    return (wac_sweep_task){.sweep = all->sweep,
                            .maps = all->options->maps,
                            .directory = all->directory,
                            .errands = errand,
                            .count = 1,
                            .groups = 1,
                            .seats = 1,
                            .threads = 1,
                            .first_cpu = all->ranks.table ? all->ranks.processor : -1};
}

static wac_status start_worker(execution *all, slot *slot, const wac_sweep_task *task)
{
    int failure = wac_sweep_worker_start(&slot->worker, task, all->lock);
    if (failure && all->busy == 0)
        return wac_fail(all->error, WAC_STATUS_MEMORY,
                        "cannot start a process: %s; try again with fewer --workers",
                        strerror(failure));
    slot->busy = failure == 0;
    slot->begun = 0;
    all->busy += slot->busy;
    return WAC_STATUS_OK;
}

/* Give a free slot a run. Where no process can be made now, it waits for the end of another. */
static wac_status hand_out(execution *all, int number, size_t run)
{
    slot *slot = &all->slots[number];
    wac_sweep_errand errand = {run, all->items[run].epochs};
    if (slot->rank > 0) {
        order order = {.kind = ORDER_RUN, .errand = errand};
        if (all->ranks.table->send(slot->rank, &order, sizeof order) != 0)
            return fail_ranks(all->error);
        slot->busy = true;
        all->busy++;
    } else {
        wac_sweep_task task = single_task(all, &errand);
        if (!all->ranks.table && all->slot_count <= wac_processors())
            task.first_cpu = number;
        WAC_TRY(start_worker(all, slot, &task));
    }
    if (slot->busy)
        begin_run(all, slot, run);
    return WAC_STATUS_OK;
}

/* Give the process that trains in lockstep, on all GPUs, everything that waits. */
static wac_status hand_out_waiting(execution *all, slot *slot)
{
    wac_sweep_task task = {.sweep = all->sweep,
                           .directory = all->directory,
                           .errands = all->errands,
                           .device = all->options->device,
                           .maps = all->options->maps,
                           .groups = all->options->workers > 0 ? all->options->workers : GROUPS,
                           .seats = all->options->seats > 0 ? all->options->seats : SEATS,
                           .threads = wac_processors(),
                           .apart = true};
    for (size_t i = 0; i < all->sweep->count; i++)
        if (is_waiting(all, i))
            all->errands[task.count++] = (wac_sweep_errand){i, all->items[i].epochs};
    return task.count > 0 ? start_worker(all, slot, &task) : WAC_STATUS_OK;
}

static wac_status hand_out_all(execution *all)
{
    size_t run;
    for (int i = 0; i < all->slot_count && !all->stopping; i++) {
        slot *slot = &all->slots[i];
        if (!slot->present || slot->busy || !next_run(all, &run))
            continue;
        WAC_TRY(is_lockstep(all->options) ? hand_out_waiting(all, slot) : hand_out(all, i, run));
    }
    return WAC_STATUS_OK;
}

/* --- taking in ---------------------------------------------------------------------------------*/

/* A run that its process calls done, unless nobody can tell how it did. */
static void note_done(execution *all, size_t run)
{
    wac_sweep_item *item = &all->items[run];
    wac_error cause = {0};
    bool known = !all->options->ladder ||
                 wac_ladder_read(all->options->ladder, run, &cause) == WAC_STATUS_OK;
    item->state = known ? WAC_SWEEP_STATE_DONE : WAC_SWEEP_STATE_FAILED;
    snprintf(item->reason, sizeof item->reason, "%.500s", cause.message);
    all->view.done += known;
    all->view.failed += !known;
}

static void end_run(execution *all, const slot *slot, const wac_sweep_message *message)
{
    size_t run = message->run;
    wac_sweep_item *item = &all->items[run];
    all->view.running--;
    item->seconds = wac_clock_seconds() - all->charges[run].start;
    all->charges[run].slot = NULL;
    all->outcome->busy += message->seconds;
    bool wanted = all->stopping || slot->rank > 0 || wac_asked_to_stop(all->options->stop);
    if (message->status == WAC_STATUS_INTERRUPTED && wanted) {
        /* a rank that was told to stop, by whoever, is the end of the sweep */
        item->state = WAC_SWEEP_STATE_BEGUN;
        all->stopping = true;
    } else if (message->status == WAC_STATUS_OK) {
        note_done(all, run);
    } else {
        item->state = WAC_SWEEP_STATE_FAILED;
        if (message->status == WAC_STATUS_INTERRUPTED)
            strcpy(item->reason, "its process was told to stop, by a signal of somebody else");
        else
            memcpy(item->reason, message->reason, sizeof item->reason);
        all->view.failed++;
        all->outcome->diverged += message->status == WAC_STATUS_NUMERIC;
    }
    show(all, run);
    if (all->options->ladder && item->state != WAC_SWEEP_STATE_BEGUN)
        all->view.done -= wac_ladder_note(all->options->ladder, all->items, run);
}

static void free_slot(execution *all, slot *slot)
{
    slot->busy = false;
    all->busy--;
}

/* A process is gone, and with it the runs that it had begun and not ended. */
static wac_status end_slot(execution *all, slot *slot, wac_sweep_message *message)
{
    free_slot(all, slot);
    for (size_t i = 0; i < all->sweep->count; i++)
        if (all->charges[i].slot == slot) {
            message->run = i;
            end_run(all, slot, message);
        }
    /* the next one would do no better */
    if (slot->begun == 0 && !all->stopping && !wac_asked_to_stop(all->options->stop))
        return wac_fail(all->error, WAC_STATUS_IO,
                        "the process that trains the runs did not begin: %s; try again",
                        message->reason);
    return WAC_STATUS_OK;
}

static void take_in(execution *all, slot *slot, const wac_sweep_message *message)
{
    if (message->run >= all->sweep->count)
        return;
    if (message->word == WAC_SWEEP_WORD_BEGIN)
        begin_run(all, slot, message->run);
    if (all->charges[message->run].slot != slot)
        return;
    if (message->progress.epochs > 0)
        all->items[message->run].progress = message->progress;
    if (message->word == WAC_SWEEP_WORD_END)
        end_run(all, slot, message);
}

/* What the processes here say; waits for it a while. */
static wac_status listen_here(execution *all, int milliseconds)
{
    wac_sweep_message message;
    int count = 0;
    for (int i = 0; i < all->slot_count; i++)
        if (all->slots[i].busy && all->slots[i].rank == 0)
            all->polls[count++] = (struct pollfd){all->slots[i].worker.pipe, POLLIN, 0};
    if (poll(all->polls, (nfds_t)count, milliseconds) <= 0)
        return WAC_STATUS_OK;
    for (int i = 0; i < all->slot_count; i++) {
        slot *slot = &all->slots[i];
        while (slot->busy && slot->rank == 0 && wac_sweep_worker_read(&slot->worker, &message)) {
            if (message.word == WAC_SWEEP_WORD_GONE)
                WAC_TRY(end_slot(all, slot, &message));
            else
                take_in(all, slot, &message);
        }
    }
    return WAC_STATUS_OK;
}

/* What the other ranks say. */
static wac_status listen_there(execution *all, uint64_t fingerprint)
{
    for (;;) {
        answer answer;
        int from;
        if (all->ranks.table->receive(&from, &answer, sizeof answer) != 0)
            return fail_ranks(all->error);
        if (from < 0)
            return WAC_STATUS_OK;
        slot *slot = &all->slots[from];
        if (answer.fingerprint && answer.fingerprint != fingerprint)
            return wac_fail(all->error, WAC_STATUS_INPUT,
                            "rank %d has another list of runs than rank 0; give all hosts the same "
                            "file and the same program",
                            from);
        if (answer.fingerprint)
            slot->present = true;
        else
            take_in(all, slot, &answer.message);
        if (slot->busy && answer.message.word == WAC_SWEEP_WORD_END)
            free_slot(all, slot);
    }
}

static void stop_all(execution *all)
{
    order order = {.kind = ORDER_STOP};
    for (int i = 0; i < all->slot_count; i++) {
        slot *slot = &all->slots[i];
        if (slot->busy && slot->rank == 0)
            wac_sweep_worker_stop(&slot->worker);
        else if (slot->busy)
            (void)all->ranks.table->send(slot->rank, &order, sizeof order);
    }
}

static wac_status execute(execution *all)
{
    uint64_t fingerprint = all->ranks.table ? wac_sweep_fingerprint(all->sweep) : 0;
    bool told = false;
    size_t run;
    while (all->busy > 0 || (!all->stopping && next_run(all, &run))) {
        all->stopping = all->stopping || wac_asked_to_stop(all->options->stop);
        WAC_TRY(hand_out_all(all));
        if (all->stopping && !told)
            stop_all(all);
        told = all->stopping;
        show(all, SIZE_MAX);
        if (all->ranks.table)
            WAC_TRY(listen_there(all, fingerprint));
        WAC_TRY(listen_here(all, all->ranks.table ? RANKS_MS : VIEW_MS));
    }
    return WAC_STATUS_OK;
}

/* --- the other ranks ---------------------------------------------------------------------------*/

static wac_status answer_with(const execution *all, const wac_sweep_message *message)
{
    answer answer = {.message = *message};
    return all->ranks.table->send(0, &answer, sizeof answer) ? fail_ranks(all->error)
                                                             : WAC_STATUS_OK;
}

static wac_status obey(execution *all, const order *order, wac_sweep_worker *worker, bool *over)
{
    if (order->kind == ORDER_END)
        *over = true;
    else if (order->kind == ORDER_STOP)
        wac_sweep_worker_stop(worker);
    else if (order->errand.run < all->sweep->count) {
        wac_sweep_task task = single_task(all, &order->errand);
        int failure = wac_sweep_worker_start(worker, &task, -1);
        if (failure) {
            wac_sweep_message message = {
                .word = WAC_SWEEP_WORD_END, .run = order->errand.run, .status = WAC_STATUS_IO};
            snprintf(message.reason, sizeof message.reason, "rank %d cannot start a process: %s",
                     all->ranks.rank, strerror(failure));
            return answer_with(all, &message);
        }
    }
    return WAC_STATUS_OK;
}

/* Pass on what the worker says of its run. The end comes when its process is gone: rank 0 may send
 * the next run at once. */
static wac_status pass_on(execution *all, wac_sweep_worker *worker, wac_sweep_message *end)
{
    wac_sweep_message message;
    while (worker->process && wac_sweep_worker_read(worker, &message)) {
        if (message.word == WAC_SWEEP_WORD_BEGIN || message.word == WAC_SWEEP_WORD_END)
            *end = message;
        if (message.word == WAC_SWEEP_WORD_PROGRESS)
            WAC_TRY(answer_with(all, &message));
        if (message.word != WAC_SWEEP_WORD_GONE)
            continue;
        if (end->word != WAC_SWEEP_WORD_END) {
            message.run = end->run;
            *end = message;
            end->word = WAC_SWEEP_WORD_END;
        }
        WAC_TRY(answer_with(all, end));
    }
    return WAC_STATUS_OK;
}

/* Train what rank 0 says, until it says that it is over. */
static wac_status serve(execution *all)
{
    const wac_mpi_table *mpi = all->ranks.table;
    wac_sweep_worker worker = {0};
    answer hello = {.fingerprint = wac_sweep_fingerprint(all->sweep)};
    wac_sweep_message end = {0};
    bool over = false, stopped = false;
    if (mpi->send(0, &hello, sizeof hello) != 0)
        return fail_ranks(all->error);
    while (!over) {
        order order;
        int from;
        if (mpi->receive(&from, &order, sizeof order) != 0)
            return fail_ranks(all->error);
        if (from == 0 && order.kind == ORDER_RUN)
            end = (wac_sweep_message){.run = order.errand.run};
        if (from == 0)
            WAC_TRY(obey(all, &order, &worker, &over));
        /* the signal may have come to this rank alone */
        if (!stopped && wac_asked_to_stop(all->options->stop))
            wac_sweep_worker_stop(&worker);
        stopped = wac_asked_to_stop(all->options->stop);
        struct pollfd poll_worker = {worker.process ? worker.pipe : -1, POLLIN, 0};
        if (poll(&poll_worker, 1, RANKS_MS) <= 0)
            continue;
        WAC_TRY(pass_on(all, &worker, &end));
    }
    return WAC_STATUS_OK;
}

static void dismiss(const execution *all)
{
    order order = {.kind = ORDER_END};
    for (int i = 1; i < all->ranks.size; i++)
        (void)all->ranks.table->send(i, &order, sizeof order);
}

/* --- the whole ---------------------------------------------------------------------------------*/

/* As many slots as there are workers, or ranks. */
static wac_status make_slots(execution *all)
{
    int wanted = all->options->workers > 0 ? all->options->workers : wac_processors();
    if (all->ranks.table)
        wanted = all->ranks.size;
    else if (is_lockstep(all->options))
        wanted = 1;
    else if ((size_t)wanted > all->sweep->count)
        wanted = (int)all->sweep->count;
    all->slot_count = wanted < MOST_WORKERS || all->ranks.table ? wanted : MOST_WORKERS;
    all->slots = calloc((size_t)all->slot_count, sizeof *all->slots);
    all->polls = calloc((size_t)all->slot_count, sizeof *all->polls);
    all->charges = calloc(all->sweep->count, sizeof *all->charges);
    all->errands = calloc(all->sweep->count, sizeof *all->errands);
    if (!all->slots || !all->polls || !all->charges || !all->errands)
        return wac_fail_memory(all->error, "the workers of the sweep");
    for (int i = 0; i < all->slot_count; i++) {
        all->slots[i].rank = all->ranks.table ? i : 0;
        all->slots[i].present = all->slots[i].rank == 0;
    }
    all->view = (wac_sweep_view){.sweep = all->sweep, .items = all->items};
    for (size_t i = 0; i < all->sweep->count; i++)
        all->view.done += all->items[i].state == WAC_SWEEP_STATE_DONE;
    return WAC_STATUS_OK;
}

/* What has lost files is told once, and left alone. */
static void tell_damage(execution *all)
{
    for (size_t i = 0; i < all->sweep->count; i++)
        if (all->items[i].damaged) {
            all->view.failed++;
            all->outcome->damaged++;
            show(all, i);
        }
}

wac_status wac_sweep_check_device(const wac_sweep *sweep, const char *directory, wac_device device,
                                  wac_error *error)
{
    wac_sweep_item *items;
    bool left = false;
    if (device == WAC_DEVICE_CPU)
        return WAC_STATUS_OK;
    WAC_TRY(wac_sweep_inspect(&items, sweep, directory, error));
    for (size_t i = 0; i < sweep->count; i++)
        left = left || items[i].state == WAC_SWEEP_STATE_NEW ||
               items[i].state == WAC_SWEEP_STATE_BEGUN;
    free(items);
    return left ? wac_sweep_worker_probe(device, error) : WAC_STATUS_OK;
}

/* Rank 0, or the only one. */
static wac_status lead(execution *all)
{
    WAC_TRY(wac_sweep_check_device(all->sweep, all->directory, all->options->device, all->error));
    WAC_TRY(wac_sweep_take(&all->lock, &all->items, all->sweep, all->directory, all->options->share,
                           all->error));
    if (all->options->ladder)
        wac_ladder_begin(all->options->ladder, all->items);
    wac_status status = make_slots(all);
    if (status == WAC_STATUS_OK) {
        tell_damage(all);
        status = execute(all);
    }
    /* a failure on the way: nothing may go on behind our back */
    for (int i = 0; status != WAC_STATUS_OK && i < all->slot_count && all->slots; i++)
        if (all->slots[i].worker.process > 0)
            wac_sweep_worker_stop(&all->slots[i].worker);
    close(all->lock);
    wac_sweep_outcome *outcome = all->outcome;
    outcome->done = all->view.done;
    outcome->failed = all->view.failed;
    for (size_t i = 0; i < all->sweep->count; i++)
        outcome->left += is_waiting(all, i);
    outcome->workers = is_lockstep(all->options) ? 0 : all->slot_count;
    outcome->seconds = wac_clock_seconds() - all->start;
    if (status == WAC_STATUS_OK && all->stopping && outcome->left > 0)
        return wac_fail(all->error, WAC_STATUS_INTERRUPTED, "interrupted");
    return status;
}

wac_status wac_sweep_execute(const wac_sweep *sweep, const char *directory,
                             const wac_sweep_options *options, wac_sweep_outcome *outcome,
                             wac_error *error)
{
    execution all = {.sweep = sweep,
                     .directory = directory,
                     .options = options,
                     .lock = -1,
                     .start = wac_clock_seconds(),
                     .outcome = outcome,
                     .error = error};
    *outcome = (wac_sweep_outcome){0};
    WAC_TRY(wac_sweep_check(sweep, error));
    if (options->share.count < 1)
        WAC_TRY(wac_sweep_ranks_join(&all.ranks, error));
    outcome->rank = all.ranks.rank;
    wac_status status;
    if (all.ranks.table && is_lockstep(options))
        status =
            wac_fail(error, WAC_STATUS_INPUT,
                     "a sweep on a device is the work of one process; start it without mpirun");
    else
        status = all.ranks.rank == 0 ? lead(&all) : serve(&all);
    if (all.ranks.table && all.ranks.rank == 0 && !is_lockstep(options))
        dismiss(&all);
    if (all.ranks.table)
        all.ranks.table->end();
    free(all.items);
    free(all.charges);
    free(all.errands);
    free(all.slots);
    free(all.polls);
    return status;
}
