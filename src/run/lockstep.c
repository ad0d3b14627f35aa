/* The training loop: a round is an epoch of every run that is left, or its next part. */
#include "run/lockstep.h"

#include "base/clock.h"
#include "base/status.h"
#include "run/run.h"
#include "run/train.h"

enum { MOST_UPDATES = 1000 }; /* of a device, between two looks at the runs' `stop` */

/* Keep the first failure. */
static void note(wac_run *run, wac_status status, const wac_error *error)
{
    if (status == WAC_STATUS_OK || run->status != WAC_STATUS_OK)
        return;
    run->status = status;
    run->error = *error;
}

static bool learns(const wac_run *run)
{
    return run && !run->done && run->status == WAC_STATUS_OK;
}

/* A part of the round is over. */
static void lap(const wac_lockstep *all, wac_lockstep_part part)
{
    wac_lockstep_watch *watch = all->watch;
    if (!watch)
        return;
    double now = wac_clock_seconds();
    watch->spent[part] += now - watch->since;
    watch->since = now;
}

/* --- what each does by itself ------------------------------------------------------------------*/

static void explore(void *work, int number)
{
    const wac_lockstep *all = work;
    wac_run *run = all->runs[number];
    wac_error error;
    if (run)
        note(run, wac_train_explore(run, all->apart, &error), &error);
}

/* Those that have failed or stopped since, too: their rows are as good. */
static void evaluate(void *work, int number)
{
    wac_run *run = ((const wac_lockstep *)work)->runs[number];
    wac_error error;
    if (run)
        note(run, wac_train_evaluate(run, &error), &error);
}

static void end_round(void *work, int number)
{
    wac_run *run = ((const wac_lockstep *)work)->runs[number];
    wac_error error;
    if (learns(run))
        note(run, wac_train_end_round(run, &error), &error);
    if (run && !learns(run))
        run->status = wac_train_end(run, run->status, &run->error);
}

/* Where it takes nobody long, the caller does it alone: to wake a thread takes longer. */
static void each(const wac_lockstep *all, wac_piece_fn *phase, bool (*takes_long)(const wac_run *))
{
    bool any = false;
    for (int i = 0; i < all->count && !any; i++)
        any = all->runs[i] && takes_long(all->runs[i]);
    wac_pool_run(any ? all->pool : NULL, phase, (void *)all, all->count);
}

static bool is_evaluated(const wac_run *run)
{
    return run->row_due;
}

static bool ends_epoch(const wac_run *run)
{
    return !learns(run) || run->position.explored >= run->config.explore_steps;
}

/* --- what they do together ---------------------------------------------------------------------*/

/* The agent of those that learn; null where none does. Nobody is active. */
static wac_agent *clear_seats(const wac_lockstep *all)
{
    wac_agent *agent = NULL;
    for (int i = 0; i < all->count && !agent; i++)
        if (learns(all->runs[i]))
            agent = all->runs[i]->agent;
    for (int i = 0; agent && i < agent->seats; i++)
        agent->seat[i].active = false;
    return agent;
}

/* The uncertainty of those whose updates begin. */
static void anchor(const wac_lockstep *all)
{
    wac_agent *agent = clear_seats(all);
    bool begins = false;
    for (int i = 0; agent && i < all->count; i++)
        if (learns(all->runs[i]) && all->runs[i]->position.updated == 0)
            begins = agent->seat[all->runs[i]->seat].active = true;
    if (begins)
        wac_agent_anchor(agent);
}

/* Who has updates left becomes active; as many as all of them have are next. Null: none are. */
static wac_agent *choose(const wac_lockstep *all, int64_t *updates)
{
    wac_agent *agent = clear_seats(all), *chosen = NULL;
    *updates = all->apart ? MOST_UPDATES : 1;
    for (int i = 0; agent && i < all->count; i++) {
        wac_run *run = all->runs[i];
        wac_error error;
        int64_t left;
        if (!learns(run))
            continue;
        note(run, wac_train_updates_left(&left, run, &error), &error);
        if (!learns(run) || left == 0)
            continue;
        chosen = agent;
        agent->seat[run->seat].active = true;
        *updates = left < *updates ? left : *updates;
    }
    return chosen;
}

static void learn(const wac_lockstep *all)
{
    wac_agent *agent;
    int64_t updates;
    bool evaluated = false;
    anchor(all);
    while ((agent = choose(all, &updates))) {
        wac_error error, own;
        wac_agent_start(agent, updates);
        lap(all, WAC_LOCKSTEP_SEND);
        if (!evaluated)
            each(all, evaluate, is_evaluated);
        evaluated = true;
        lap(all, WAC_LOCKSTEP_EVALUATE);
        wac_status status = wac_agent_wait(agent, &error);
        lap(all, WAC_LOCKSTEP_WAIT);
        if (status == WAC_STATUS_OK)
            status = wac_agent_finish(agent, &error);
        for (int i = 0; i < all->count; i++) {
            wac_run *run = all->runs[i];
            if (!learns(run))
                continue;
            if (status != WAC_STATUS_OK)
                note(run, status, &error);
            else if (agent->seat[run->seat].updated > 0)
                note(run, wac_train_note_updates(run, &own), &own);
        }
        lap(all, WAC_LOCKSTEP_FETCH);
    }
    if (!evaluated)
        each(all, evaluate, is_evaluated);
    /* between rounds a seat is there for anybody */
    for (int i = 0; i < all->count; i++)
        if (all->runs[i] && all->runs[i]->status != WAC_STATUS_NUMERIC)
            all->runs[i]->agent->seat[all->runs[i]->seat].active = true;
}

/* Those that are done go; whether any are left. */
static bool dismiss(const wac_lockstep *all)
{
    bool left = false;
    for (int i = 0; i < all->count; i++) {
        wac_run *run = all->runs[i];
        left = left || learns(run);
        if (!run || learns(run))
            continue;
        all->runs[i] = NULL;
        wac_error error = run->error;
        all->ended(all->user, i, run, run->status, &error);
    }
    return left;
}

void wac_lockstep_train(const wac_lockstep *all)
{
    for (int i = 0; i < all->count; i++)
        if (all->runs[i])
            wac_train_begin(all->runs[i]);
    if (all->watch)
        all->watch->since = wac_clock_seconds();
    do {
        each(all, explore, learns);
        lap(all, WAC_LOCKSTEP_EXPLORE);
        learn(all);
        each(all, end_round, ends_epoch);
        lap(all, WAC_LOCKSTEP_END);
        if (all->watch)
            all->watch->round(all->watch->user, all);
    } while (dismiss(all));
}

/* --- one run -----------------------------------------------------------------------------------*/

static void keep_end(void *user, int number, wac_run *run, wac_status status,
                     const wac_error *error)
{
    (void)number, (void)run;
    if (status != WAC_STATUS_OK && user)
        *(wac_error *)user = *error;
}

wac_status wac_run_train(wac_run *run, wac_error *error)
{
    wac_run *runs[] = {run};
    wac_lockstep_train(&(wac_lockstep){.runs = runs,
                                       .count = 1,
                                       .apart = run->options.device != WAC_DEVICE_CPU,
                                       .ended = keep_end,
                                       .user = error});
    return run->status;
}
