/* The phases of training. They can stop anywhere and go on as if they had not: all that they depend
 * on is in the run's position, and no random number depends on when it was drawn. */
#include "run/train.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/status.h"
#include "base/stop.h"
#include "rl/steps.h"
#include "run/checkpoint.h"
#include "run/evaluate.h"
#include "run/events.h"
#include "run/folder.h"
#include "run/log.h"
#include "run/prior.h"
#include "run/run.h"

#include <math.h>
#include <string.h>

double wac_run_seconds(const wac_run *run)
{
    return run->seconds_before + (wac_clock_seconds() - run->start);
}

static wac_status check_stop(const wac_run *run, wac_error *error)
{
    return wac_asked_to_stop(run->options.stop)
               ? wac_fail(error, WAC_STATUS_INTERRUPTED, "interrupted")
               : WAC_STATUS_OK;
}

/* A phase is over, and the next one begins. */
static void end_phase(wac_run *run, wac_phase phase)
{
    double now = wac_clock_seconds();
    run->spent[phase] += now - run->phase_start;
    run->phase_start = now;
}

static wac_status save_checkpoint(wac_run *run, wac_error *error)
{
    WAC_TRY(wac_checkpoint_save(run, wac_run_is_learnt(run), error));
    end_phase(run, WAC_PHASE_CHECKPOINT);
    return WAC_STATUS_OK;
}

/* Tell how far it is: always about a row, else a few times a second. */
static void report(wac_run *run, bool is_row)
{
    if (!run->options.progress)
        return;
    double now = wac_clock_seconds();
    if (!is_row && now - run->reported < 0.1)
        return;
    run->reported = now;
    wac_progress progress = run->progress;
    progress.epoch = run->position.epoch;
    progress.env_steps = run->position.env_steps;
    progress.updates = run->position.updates;
    progress.epoch_updates = run->position.updated;
    progress.seconds = run->seconds_before + (now - run->start);
    progress.is_row = is_row;
    run->options.progress(run->options.user, &progress);
}

/* What is known of the run now; what has no meaning is NaN. */
static wac_progress progress_of(const wac_run *run)
{
    const wac_position *at = &run->position;
    bool coverage = wac_world_has_coverage(run->world), goal = run->world->spec.has_goal;
    double episodes = (double)at->explore_episodes;
    return (wac_progress){
        .epoch = at->epoch,
        .epochs = run->config.epochs,
        .env_steps = at->env_steps,
        .updates = at->updates,
        .eval_return = run->sums.eval_return,
        .eval_success = run->sums.eval_success,
        .eval_episodes = run->progress.eval_episodes,
        .coverage_sampled =
            coverage ? wac_coverage_share(run->sampled.counts, WAC_COVERAGE_BINS) : NAN,
        .coverage_visited = coverage ? wac_coverage_share(run->visits[WAC_POLICY_BEHAVIOUR].counts,
                                                          WAC_COVERAGE_BINS)
                                     : NAN,
        .alpha = wac_seat_alpha(run->agent, run->seat, WAC_POLICY_BEHAVIOUR),
        .q_mean = run->sums.q_mean,
        .sigma_visited = run->sums.sigma_visited,
        .sigma_uniform = run->sums.sigma_uniform,
        .seconds = wac_run_seconds(run),
        .explore_episodes = at->explore_episodes,
        .explore_return = episodes > 0 ? run->sums.explore_returns / episodes : NAN,
        .explore_success = goal && episodes > 0 ? (double)at->explore_successes / episodes : NAN,
        .epoch_updates_due = wac_updates_after(&run->config, run->config.explore_steps),
    };
}

/* The target policy, and where it has been; apart from the run's own counts, since an evaluation
 * that is interrupted will be done again. */
typedef struct evaluated {
    wac_run *run;
    wac_visits visits;
} evaluated;

static void act_greedily(void *user, const float *observation, float *action)
{
    evaluated *evaluated = user;
    wac_run *run = evaluated->run;
    wac_seat_act(run->agent, run->seat, WAC_POLICY_TARGET, observation, action);
    wac_maps_add_point(run, action);
    wac_visits_add(&evaluated->visits, run->evaluation_world, observation, action);
}

wac_rng wac_run_evaluation_rng(int64_t seed, int64_t epoch)
{
    wac_rng rng = wac_rng_make((uint64_t)seed, WAC_STREAM_EVALUATION);
    rng.counter = (uint64_t)epoch << 32;
    return rng;
}

/* The evaluation before an epoch, and its row, for which `progress` holds the rest. */
static wac_status evaluate(wac_run *run, const volatile int *stop, wac_error *error)
{
    wac_position *at = &run->position;
    wac_rng rng = wac_run_evaluation_rng(run->config.seed, at->epoch);
    wac_evaluation evaluation = {.mean_return = NAN, .success = NAN};
    evaluated evaluated = {run, run->visits[WAC_POLICY_TARGET]};
    if (run->config.evaluation_steps > 0)
        WAC_TRY(wac_evaluate(&evaluation, run->evaluation_world, &rng, run->config.evaluation_steps,
                             0, act_greedily, &evaluated, stop, error));
    run->visits[WAC_POLICY_TARGET] = evaluated.visits;
    run->progress.eval_return = run->sums.eval_return = evaluation.mean_return;
    run->progress.eval_success = run->sums.eval_success = evaluation.success;
    run->progress.eval_episodes = evaluation.episodes;
    run->progress.seconds = wac_run_seconds(run);
    end_phase(run, WAC_PHASE_EVALUATE);
    WAC_TRY(wac_maps_append(run, error));
    /* the last row is no part of a checkpoint: where it stands, its map must */
    if (at->epoch >= run->config.epochs)
        WAC_TRY(wac_maps_sync(run, error));
    WAC_TRY(wac_runlog_append(run, error));
    WAC_TRY(wac_events_append(run, error));
    end_phase(run, WAC_PHASE_LOG);
    WAC_TRY(wac_best_note(run, &run->bettered, evaluation.mean_return, error));
    at->evaluated = 1;
    report(run, true);
    return WAC_STATUS_OK;
}

wac_status wac_train_evaluate(wac_run *run, wac_error *error)
{
    if (!run->row_due)
        return WAC_STATUS_OK;
    run->row_due = false;
    run->phase_start = wac_clock_seconds();
    return evaluate(run, NULL, error);
}

static wac_status begin_episode(wac_run *run, wac_walk *walk, wac_error *error)
{
    wac_seat_begin(run->agent, run->seat);
    walk->steps = 0;
    walk->sum = 0;
    return wac_world_reset(walk->world, &walk->rng, walk->observation, error);
}

/* An action of the agent's for each walk. Before the first epoch, where not any one, that of the
 * policy itself: OAC's critics have nothing to say yet. */
static void choose_actions(wac_run *run)
{
    bool any = wac_seat_tries_any(run->agent, run->seat);
    for (int64_t i = 0; i < run->config.worlds; i++) {
        wac_walk *walk = &run->walks[i];
        if (run->position.started || any)
            wac_seat_explore(run->agent, run->seat, NULL, walk->observation, walk->action);
        else
            wac_seat_sample(run->agent, run->seat, WAC_POLICY_BEHAVIOUR, NULL, walk->observation,
                            walk->action);
        wac_world_send(walk->world, walk->action);
    }
}

static void step_walk(void *walks, int number)
{
    wac_walk *walk = &((wac_walk *)walks)[number];
    walk->status = wac_world_step(walk->world, &walk->rng, walk->action, walk->next, &walk->step,
                                  &walk->error);
}

/* What became of a walk's step. */
static wac_status take_in(wac_run *run, wac_walk *walk, wac_error *error)
{
    wac_position *at = &run->position;
    const wac_step *step = &walk->step;
    if (walk->status != WAC_STATUS_OK) {
        *error = walk->error;
        return walk->status;
    }
    if (!step->begins) {
        run->agent->steps->remember(run->agent, run->seat, walk->observation, walk->action,
                                    step->reward, walk->next, step->terminated);
        wac_visits_add(&run->visits[WAC_POLICY_BEHAVIOUR], walk->world, walk->observation,
                       walk->action);
        walk->sum += step->reward;
        walk->steps++;
        at->explored++;
        at->env_steps++;
    }
    for (int i = 0; i < walk->world->spec.observation_size; i++)
        walk->observation[i] = walk->next[i];
    if (!step->terminated && !step->truncated)
        return WAC_STATUS_OK;
    at->explore_episodes++;
    at->explore_successes += step->success;
    run->sums.explore_returns += walk->sum;
    wac_seat_end(run->agent, run->seat);
    return begin_episode(run, walk, error);
}

int64_t wac_updates_after(const wac_config *config, int64_t steps)
{
    if (config->algorithm >= WAC_ALGORITHM_TABLES)
        return steps; /* it learns as it goes */
    if (steps >= config->explore_steps)
        return config->updates;
    return config->update_interval ? config->updates * steps / config->explore_steps : 0;
}

/* How many updates of the epoch are due by now: those of whole intervals. */
static int64_t updates_due(const wac_run *run)
{
    int64_t explored = run->position.explored, interval = run->config.update_interval;
    bool over = explored >= run->config.explore_steps;
    return wac_updates_after(&run->config,
                             over || !interval ? explored : explored - explored % interval);
}

/* Up to which step of the epoch to explore before updates are due. */
static int64_t steps_due(const wac_run *run)
{
    const wac_position *at = &run->position;
    int64_t all = run->config.explore_steps, interval = run->config.update_interval;
    if (interval == 0 || at->explored >= all)
        return all;
    bool owes = at->updated < updates_due(run);
    int64_t due = at->explored + (owes ? 0 : interval - at->explored % interval);
    return due < all ? due : all;
}

/* Explore at least `steps` of the `all` steps from a fresh start; the last episodes are simply cut.
 * Of the last round only the walks that are still wanted count. */
static wac_status explore(wac_run *run, int64_t steps, int64_t all, wac_error *error)
{
    wac_position *at = &run->position;
    int64_t worlds = run->config.worlds;
    if (at->explored == 0) {
        at->explore_episodes = at->explore_successes = 0;
        run->sums.explore_returns = 0;
    }
    while (at->explored < steps) {
        WAC_TRY(check_stop(run, error));
        /* no stop between this and the first step: a resume would start the episode again */
        for (int64_t i = 0; at->explored == 0 && i < worlds; i++)
            WAC_TRY(begin_episode(run, &run->walks[i], error));
        choose_actions(run);
        wac_team_run(run->team, step_walk, run->walks, (int)worlds);
        for (int64_t i = 0; i < worlds && at->explored < all; i++)
            WAC_TRY(take_in(run, &run->walks[i], error));
        report(run, false);
    }
    return WAC_STATUS_OK;
}

bool wac_run_is_complete(const wac_run *run)
{
    const wac_position *at = &run->position;
    return at->started && at->evaluated && at->epoch >= run->config.epochs;
}

bool wac_run_is_learnt(const wac_run *run)
{
    const wac_position *at = &run->position;
    bool solved = run->config.stop_success > 0 && at->evaluated &&
                  run->sums.eval_success >= run->config.stop_success;
    return at->started && (at->epoch >= run->config.epochs || solved);
}

void wac_train_begin(wac_run *run)
{
    run->start = run->reported = run->phase_start = wac_clock_seconds();
    run->progress.eval_episodes = 0;
    run->progress = progress_of(run);
    run->done = false;
    run->status = WAC_STATUS_OK;
}

/* Exploration must not change what the evaluation sees, as it does to running statistics, nor hang
 * on it; and who keeps the agent that was evaluated must do so before it learns. */
static bool may_evaluate_late(const wac_run *run)
{
    return run->config.stop_success == 0 && !run->config.keep_best &&
           run->config.normalisation != WAC_NORMALISATION_RUNNING;
}

wac_status wac_train_explore(wac_run *run, bool late, wac_error *error)
{
    wac_position *at = &run->position;
    run->phase_start = wac_clock_seconds();
    if (wac_run_is_complete(run)) {
        wac_manifest manifest;
        run->done = true;
        WAC_TRY(wac_manifest_read(&manifest, run->directory, error));
        return manifest.finished ? WAC_STATUS_OK : wac_runlog_note_time(run, true, error);
    }
    if (!at->started) {
        int64_t initial = run->config.initial_steps;
        WAC_TRY(explore(run, initial, initial, error));
        end_phase(run, WAC_PHASE_EXPLORE);
        WAC_TRY(wac_prior_measure(run, error));
        at->started = 1;
        at->explored = 0;
        WAC_TRY(save_checkpoint(run, error));
    }
    bool over = at->epoch >= run->config.epochs;
    if (!at->evaluated) {
        run->progress = progress_of(run);
        wac_maps_note(run);
        run->row_due = late && !over && may_evaluate_late(run);
        if (!run->row_due)
            WAC_TRY(evaluate(run, run->options.stop, error));
    }
    if (wac_run_is_learnt(run)) {
        if (!over || run->bettered)
            WAC_TRY(save_checkpoint(run, error));
        WAC_TRY(wac_maps_sync(run, error));
        WAC_TRY(wac_runlog_sync(run, error));
        WAC_TRY(wac_events_sync(run, error));
        run->done = true;
        return wac_runlog_note_time(run, true, error);
    }
    WAC_TRY(explore(run, steps_due(run), run->config.explore_steps, error));
    end_phase(run, WAC_PHASE_EXPLORE);
    return WAC_STATUS_OK;
}

wac_status wac_train_updates_left(int64_t *updates, const wac_run *run, wac_error *error)
{
    *updates = updates_due(run) - run->position.updated;
    return *updates > 0 ? check_stop(run, error) : WAC_STATUS_OK;
}

wac_status wac_train_note_updates(wac_run *run, wac_error *error)
{
    wac_position *at = &run->position;
    wac_losses losses;
    wac_error cause;
    wac_status status = wac_seat_check(run->agent, run->seat, &cause);
    int64_t done = run->agent->seat[run->seat].updated - (status != WAC_STATUS_OK);
    at->updated += done;
    at->updates += done;
    if (status != WAC_STATUS_OK)
        return wac_fail(error, status, "update %lld of epoch %lld: %s", (long long)at->updated + 1,
                        (long long)at->epoch, cause.message);
    wac_seat_losses(run->agent, run->seat, &losses);
    const double told[WAC_RUN_LOSSES] = {losses.mean, losses.std, losses.regularisation,
                                         losses.policy[WAC_POLICY_BEHAVIOUR],
                                         losses.policy[WAC_POLICY_TARGET]};
    memcpy(run->losses, told, sizeof told);
    run->sums.q_mean = losses.q_mean;
    run->sums.sigma_visited = losses.sigma_visited;
    run->sums.sigma_uniform = losses.sigma_uniform;
    report(run, false);
    return WAC_STATUS_OK;
}

wac_status wac_train_end_round(wac_run *run, wac_error *error)
{
    wac_position *at = &run->position;
    end_phase(run, WAC_PHASE_UPDATE);
    if (at->explored < run->config.explore_steps)
        return WAC_STATUS_OK;
    at->epoch++;
    at->explored = at->updated = at->evaluated = 0;
    return at->epoch % run->config.checkpoint_interval == 0 || at->epoch == run->config.epochs
               ? save_checkpoint(run, error)
               : WAC_STATUS_OK;
}

wac_status wac_train_end(wac_run *run, wac_status status, wac_error *error)
{
    if (status == WAC_STATUS_INTERRUPTED) {
        wac_error failure;
        if (wac_checkpoint_save(run, true, &failure) != WAC_STATUS_OK)
            status = wac_fail(error, failure.status, "interrupted, and %s", failure.message);
    }
    if (status == WAC_STATUS_NUMERIC)
        wac_runlog_note_divergence(run, error->message);
    run->seconds_before = wac_run_seconds(run);
    run->start = wac_clock_seconds();
    return status;
}
