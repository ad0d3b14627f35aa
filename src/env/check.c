/* The tour of a world and its repetitions. */
#include "env/check.h"

#include "base/number.h"
#include "base/rng.h"
#include "base/status.h"
#include "config/config.h"
#include "env/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUARDS = 8,         /* entries behind those that may be written */
    TAPES = 4,          /* episodes that are played again, … */
    LONGEST_TAPE = 200, /* … so many steps of each */
    SAME_LENGTHS = 4,   /* so many episodes that end after as many steps are no accident */
    FEATURES = 4,       /* of a step, behind its observation */
};

static const double roundoff = 1e-9; /* of a range, by which its bounds may be missed */

#define SELDOM 0.1 /* a smaller share of observations out of their bounds may be meant */

/* What is in a buffer that nobody has written to: a NaN that no computation makes. */
static const uint64_t untouched = 0x7ff80badf00dcafe;

typedef struct checker {
    wac_check *check;
    const wac_environment_type *type;
    const wac_config *config;
    wac_world *worlds[3]; /* one for the tour, two for its repetitions */
    int row;              /* doubles that tell a moment: observation, reward, the three flags */
    double *guarded;      /* [the largest array + GUARDS]: what a world writes to */
    double *tape;         /* [LONGEST_TAPE + 1][row]: an episode as it was first */
    int length;           /* steps on it */
    bool saved;           /* a state was saved in the middle of one */
    double action[WAC_ENVIRONMENT_DIMENSIONS];

    /* what the tour saw */
    double lowest[WAC_ENVIRONMENT_DIMENSIONS], highest[WAC_ENVIRONMENT_DIMENSIONS];
    int64_t outside[WAC_ENVIRONMENT_DIMENSIONS]; /* moments with this entry out of its bounds */
    double least_reward, most_reward;
    int64_t ended, cut, cut_itself;   /* episodes: terminated, or not; of these by the world */
    int64_t first_length;             /* steps of the first that was terminated */
    bool lengths_differ, ended_badly; /* some episode, without success */
} checker;

/* --- findings --------------------------------------------------------------------------------- */

static wac_finding *find(checker *c, wac_check_subject subject)
{
    return &c->check->findings[subject];
}

/* The first thing that is said of a subject stays. */
static void say(checker *c, wac_check_subject subject, wac_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void say(checker *c, wac_check_subject subject, wac_verdict verdict, const char *format, ...)
{
    wac_finding *finding = find(c, subject);
    va_list arguments;
    if (finding->verdict != WAC_VERDICT_OPEN)
        return;
    finding->verdict = verdict;
    va_start(arguments, format);
    vsnprintf(finding->text, sizeof finding->text, format, arguments);
    va_end(arguments);
}

static bool is_mistaken(checker *c, wac_check_subject subject)
{
    return find(c, subject)->verdict == WAC_VERDICT_MISTAKE;
}

/* --- one call of the world's --------------------------------------------------------------------
 */

static void lay_guards(double *array, int size)
{
    for (int i = 0; i < size + GUARDS; i++)
        memcpy(&array[i], &untouched, sizeof untouched);
}

static bool is_untouched(const double *entry)
{
    return memcmp(entry, &untouched, sizeof untouched) == 0;
}

/* Whether a function wrote all of its array, and nothing behind it. */
static bool check_size(checker *c, const double *array, int size, const char *function,
                       const char *what)
{
    for (int i = size; i < size + GUARDS; i++)
        if (!is_untouched(&array[i])) {
            say(c, WAC_CHECK_SIZES, WAC_VERDICT_MISTAKE,
                "%s writes to %s[%d], and %d entries were declared: it destroys what lies behind; "
                "declare a larger %s_size or write less",
                function, what, i, size, what);
            return false;
        }
    for (int i = 0; i < size; i++)
        if (is_untouched(&array[i])) {
            say(c, WAC_CHECK_SIZES, WAC_VERDICT_MISTAKE,
                "%s does not write %s[%d], and %d entries were declared: what was in the buffer "
                "before would pass for it; write it, or declare a smaller %s_size",
                function, what, i, size, what);
            return false;
        }
    return true;
}

static bool check_numbers(checker *c, const wac_step *step, int64_t at)
{
    for (int i = 0; i < c->check->spec.observation_size; i++)
        if (!isfinite((float)c->guarded[i])) {
            say(c, WAC_CHECK_NUMBERS, WAC_VERDICT_MISTAKE,
                "observation %d is %g after step %lld of an episode, where training would stop; "
                "look for a division by zero, the root of a negative number, or a simulation that "
                "diverges",
                i, c->guarded[i], (long long)at);
            return false;
        }
    if (step && !isfinite((float)step->reward)) {
        say(c, WAC_CHECK_NUMBERS, WAC_VERDICT_MISTAKE,
            "the reward of step %lld of an episode is %g, where training would stop; a forbidden "
            "place has a finite price",
            (long long)at, step->reward);
        return false;
    }
    return true;
}

/* The moment as a row; false if nothing can follow it. */
static bool note(checker *c, double *row, wac_status status, const wac_error *cause,
                 const char *function, const wac_step *step, int64_t at)
{
    int size = c->check->spec.observation_size;
    if (status != WAC_STATUS_OK) {
        say(c, WAC_CHECK_STEPS, WAC_VERDICT_MISTAKE,
            "%s fails at step %lld of an episode: %.400s; an action within the bounds must never "
            "fail: end the episode instead (terminated)",
            function, (long long)at, *cause->message ? cause->message : "it does not say why");
        return false;
    }
    if (!check_size(c, c->guarded, size, function, "observation") || !check_numbers(c, step, at))
        return false;
    memcpy(row, c->guarded, (size_t)size * sizeof *row);
    row[size] = step ? step->reward : 0;
    row[size + 1] = step && step->terminated;
    row[size + 2] = step && step->truncated;
    row[size + 3] = step && step->success;
    return true;
}

static bool reset(checker *c, wac_world *world, wac_rng *rng, double *row)
{
    wac_error cause = {0};
    lay_guards(c->guarded, c->check->spec.observation_size);
    wac_world_enter(c->type->name, "reset");
    wac_status status = c->type->reset(world->self, rng, c->guarded, &cause);
    wac_world_leave();
    return note(c, row, status, &cause, "reset", NULL, 0);
}

static bool step(checker *c, wac_world *world, wac_rng *rng, double *row, int64_t at)
{
    wac_error cause = {0};
    wac_step result = {0};
    lay_guards(c->guarded, c->check->spec.observation_size);
    wac_world_enter(c->type->name, "step");
    wac_status status = c->type->step(world->self, rng, c->action, c->guarded, &result, &cause);
    wac_world_leave();
    return note(c, row, status, &cause, "step", &result, at);
}

static bool is_over(const checker *c, const double *row)
{
    const double *features = row + c->check->spec.observation_size;
    return features[1] != 0 || features[2] != 0;
}

/* --- episodes --------------------------------------------------------------------------------- */

/* The generator of an episode's chances. */
static wac_rng chances(const checker *c, int64_t episode)
{
    return wac_rng_make((uint64_t)(c->config->seed + episode), WAC_STREAM_WORLD);
}

/* What is done at a step of an episode, a function of the two and nothing else: anything; one end
 * of everything; the other; anything, for ten steps. */
static void act(checker *c, int64_t episode, int64_t at)
{
    const wac_environment_spec *spec = &c->check->spec;
    int64_t manner = episode % 4, drawn = manner == 3 ? at / 10 : at;
    wac_rng rng = wac_rng_make((uint64_t)(c->config->seed + episode), WAC_STREAM_EXPLORE);
    rng.counter = (uint64_t)drawn * WAC_ENVIRONMENT_DIMENSIONS;
    for (int i = 0; i < spec->action_size; i++) {
        double far = manner == 1 ? -1 : manner == 2 ? 1 : 2 * wac_rng_uniform(&rng) - 1;
        c->action[i] = wac_world_action(far, spec->action_low[i], spec->action_high[i]);
    }
}

/* --- the tour --------------------------------------------------------------------------------- */

static void see(checker *c, const double *row, bool is_step)
{
    const wac_environment_spec *spec = &c->check->spec;
    for (int i = 0; i < spec->observation_size; i++) {
        double slack = roundoff * (spec->observation_high[i] - spec->observation_low[i]);
        c->lowest[i] = fmin(c->lowest[i], row[i]);
        c->highest[i] = fmax(c->highest[i], row[i]);
        c->outside[i] +=
            row[i] < spec->observation_low[i] - slack || row[i] > spec->observation_high[i] + slack;
    }
    if (!is_step)
        return;
    const double *features = row + spec->observation_size;
    c->least_reward = fmin(c->least_reward, features[0]);
    c->most_reward = fmax(c->most_reward, features[0]);
    if (features[3] != 0 && !spec->has_goal)
        say(c, WAC_CHECK_ENDS, WAC_VERDICT_MISTAKE,
            "step reports a success, and the spec says that there is no goal, so nobody counts it; "
            "set has_goal in create");
}

static void conclude(checker *c, const double *row, int64_t length)
{
    const double *features = row + c->check->spec.observation_size;
    c->check->episodes++;
    if (features[1] == 0) {
        c->cut++;
        c->cut_itself += features[2] != 0;
        return;
    }
    if (c->ended++ == 0)
        c->first_length = length;
    c->lengths_differ |= length != c->first_length;
    c->ended_badly |= features[3] == 0;
}

/* False where the world does not get through. */
static bool tour(checker *c, int64_t steps)
{
    double *row = c->tape;
    for (int64_t episode = 0; episode == 0 || c->check->steps < steps; episode++) {
        wac_rng rng = chances(c, episode);
        int64_t at = 0;
        double sum = 0;
        if (!reset(c, c->worlds[0], &rng, row))
            return false;
        see(c, row, false);
        do {
            act(c, episode, at++);
            if (!step(c, c->worlds[0], &rng, row, at))
                return false;
            see(c, row, true);
            sum += row[c->check->spec.observation_size];
            c->check->steps++;
        } while (!is_over(c, row) && at < c->config->path_limit);
        conclude(c, row, at);
        if (episode % 4 == 0)
            c->check->random_return +=
                (sum - c->check->random_return) / (double)++c->check->random_episodes;
    }
    return true;
}

static void judge_bounds(checker *c)
{
    const wac_environment_spec *spec = &c->check->spec;
    int worst = 0, count = 0;
    for (int i = 0; i < spec->observation_size; i++) {
        count += c->outside[i] > 0;
        worst = c->outside[i] > c->outside[worst] ? i : worst;
    }
    if (c->config->normalisation != WAC_NORMALISATION_BOUNDS)
        say(c, WAC_CHECK_BOUNDS, WAC_VERDICT_FINE,
            "those of observations do not matter with normalisation %s",
            c->config->normalisation == WAC_NORMALISATION_RUNNING ? "running" : "none");
    else if (count == 0)
        say(c, WAC_CHECK_BOUNDS, WAC_VERDICT_FINE, "every observation is within its own");
    else {
        double share = (double)c->outside[worst] / (double)(c->check->steps + c->check->episodes);
        say(c, WAC_CHECK_BOUNDS, share < SELDOM ? WAC_VERDICT_NOTE : WAC_VERDICT_MISTAKE,
            "observation %d was from %g to %g, and its bounds are %g and %g (out of them at %.2g "
            "%% "
            "of the moments; %d of %d observations leave theirs): beyond them the agent is shown "
            "the bound and cannot tell places apart; widen the bounds, or train with "
            "--normalisation running",
            worst, c->lowest[worst], c->highest[worst], spec->observation_low[worst],
            spec->observation_high[worst], 100 * share, count, spec->observation_size);
    }
}

static void judge_ends(checker *c)
{
    const wac_check *check = c->check;
    if (c->ended >= SAME_LENGTHS && !c->lengths_differ && c->cut == 0 && c->first_length == 1)
        say(c, WAC_CHECK_ENDS, WAC_VERDICT_NOTE,
            "every episode, %lld of %lld, is terminated at its first step, whatever is done; look "
            "at when the world says that it ends",
            (long long)c->ended, (long long)check->episodes);
    else if (c->ended >= SAME_LENGTHS && !c->lengths_differ && c->cut == 0 && c->first_length > 1 &&
             c->ended_badly)
        say(c, WAC_CHECK_ENDS, WAC_VERDICT_NOTE,
            "every episode, %lld of %lld, is terminated at its step %lld, whatever is done, as by "
            "a "
            "limit of time: the agent learns that nothing is worth anything then; if it is one, "
            "leave it to the setting path_limit (%lld), which truncates, and never terminate for "
            "it",
            (long long)c->ended, (long long)check->episodes, (long long)c->first_length,
            (long long)c->first_length);
    else if (c->cut_itself > 0)
        say(c, WAC_CHECK_ENDS, WAC_VERDICT_FINE,
            "%lld of %lld episodes were terminated, %lld truncated by the world itself; path_limit "
            "truncates them after %lld steps",
            (long long)c->ended, (long long)check->episodes, (long long)c->cut_itself,
            (long long)c->config->path_limit);
    else if (c->ended == 0)
        say(c, WAC_CHECK_ENDS, WAC_VERDICT_FINE,
            "no episode ended by itself; path_limit truncates them after %lld steps",
            (long long)c->config->path_limit);
    else
        say(c, WAC_CHECK_ENDS, WAC_VERDICT_FINE,
            "%lld of %lld episodes ended by themselves; path_limit truncates them after %lld steps",
            (long long)c->ended, (long long)check->episodes, (long long)c->config->path_limit);
}

static void judge_rewards(checker *c)
{
    double least = c->least_reward, most = c->most_reward;
    const wac_setting *prior;
    (void)wac_setting_find(&prior, "reward_min", NULL);
    if (!wac_config_reads(c->config, prior))
        say(c, WAC_CHECK_REWARDS, WAC_VERDICT_FINE, "from %g to %g were seen", least, most);
    else if (c->config->reward_min == c->config->reward_max)
        say(c, WAC_CHECK_REWARDS, WAC_VERDICT_NOTE,
            "from %g to %g were seen, and WAC must be told what they can be: --reward-min %g "
            "--reward-max %g span what was seen",
            least, most, wac_number_away(least), wac_number_away(most));
    else if (least >= c->config->reward_min && most <= c->config->reward_max)
        say(c, WAC_CHECK_REWARDS, WAC_VERDICT_FINE,
            "from %g to %g were seen, within the prior, %g to %g", least, most,
            c->config->reward_min, c->config->reward_max);
    else
        say(c, WAC_CHECK_REWARDS, WAC_VERDICT_NOTE,
            "from %g to %g were seen, and WAC's prior is %g to %g: it begins less uncertain than "
            "it should be, and may explore too little; --reward-min %g --reward-max %g span what "
            "was seen (or scale the rewards)",
            least, most, c->config->reward_min, c->config->reward_max,
            fmin(c->config->reward_min, wac_number_away(least)),
            fmax(c->config->reward_max, wac_number_away(most)));
}

/* --- once more -------------------------------------------------------------------------------- */

/* A world that nothing has happened to. */
static bool renew(checker *c, int world)
{
    wac_error cause = {0};
    wac_world_destroy(c->worlds[world]);
    c->worlds[world] = NULL;
    if (wac_world_create(&c->worlds[world], c->type, c->config, &cause) == WAC_STATUS_OK)
        return true;
    say(c, WAC_CHECK_STEPS, WAC_VERDICT_MISTAKE,
        "it could be made before and now can not: %.400s; let destroy give back all that create "
        "takes",
        cause.message);
    return false;
}

/* Where and how two rows differ, in words. */
static void describe(const checker *c, char *text, size_t size, const double *first,
                     const double *again, int64_t at)
{
    static const char *const features[FEATURES] = {"the reward", "terminated", "truncated",
                                                   "success"};
    int observations = c->check->spec.observation_size, i = 0;
    while (i < c->row && memcmp(&first[i], &again[i], sizeof *first) == 0)
        i++;
    if (i < observations)
        snprintf(text, size, "observation %d after step %lld was %.10g and then %.10g", i,
                 (long long)at, first[i], again[i]);
    else
        snprintf(text, size, "%s of step %lld was %.10g and then %.10g", features[i - observations],
                 (long long)at, first[i], again[i]);
}

/* Plays an episode onto the tape. */
static bool record(checker *c, wac_world *world, int64_t episode)
{
    wac_rng rng = chances(c, episode);
    double *row = c->tape;
    if (!reset(c, world, &rng, row))
        return false;
    int64_t longest = c->config->path_limit < LONGEST_TAPE ? c->config->path_limit : LONGEST_TAPE;
    for (c->length = 0; c->length < longest && !is_over(c, row);) {
        act(c, episode, c->length++);
        row += c->row;
        if (!step(c, world, &rng, row, c->length))
            return false;
    }
    return true;
}

/* Plays it again, from a step of it on; how it differs, or "". `beside`, if any, lives an episode
 * of its own meanwhile. False where the world does not get through. */
static bool repeat(checker *c, char *text, size_t size, wac_world *world, wac_rng rng,
                   int64_t episode, int from, wac_world *beside)
{
    double row[WAC_ENVIRONMENT_DIMENSIONS + FEATURES], other[WAC_ENVIRONMENT_DIMENSIONS + FEATURES];
    wac_rng beside_rng = chances(c, episode + TAPES);
    bool beside_over = false;
    *text = 0;
    if (from == 0 && !reset(c, world, &rng, row))
        return false;
    if (beside && !reset(c, beside, &beside_rng, other))
        return false;
    for (int at = from; at <= c->length; at++) {
        if (at > from) {
            act(c, episode, at - 1);
            if (!step(c, world, &rng, row, at))
                return false;
        }
        const double *first = c->tape + (ptrdiff_t)at * c->row;
        if ((at > from || from == 0) && memcmp(row, first, (size_t)c->row * sizeof *row) != 0) {
            describe(c, text, size, first, row, at);
            return true;
        }
        if (beside && !beside_over) {
            act(c, episode + 2, at);
            if (!step(c, beside, &beside_rng, other, at))
                return false;
            beside_over = is_over(c, other);
        }
    }
    return true;
}

/* Of two worlds that nothing has happened to yet: the one, then the other. */
static bool check_seed(checker *c, int64_t episode)
{
    char how[256];
    if (!repeat(c, how, sizeof how, c->worlds[2], chances(c, episode), episode, 0, NULL))
        return false;
    if (*how)
        say(c, WAC_CHECK_SEED, WAC_VERDICT_MISTAKE,
            "the same generator and actions gave two worlds two stories: %s; draw all chance from "
            "the generator that is passed in (wac_rng_uniform, wac_rng_normal), neither from rand "
            "nor from the time, and keep nothing outside the world that create makes",
            how);
    return true;
}

/* Whether the generator moves on, so that the next episode is another. */
static bool check_draws(checker *c)
{
    double first[WAC_ENVIRONMENT_DIMENSIONS + FEATURES],
        other[WAC_ENVIRONMENT_DIMENSIONS + FEATURES];
    wac_rng one = chances(c, 0), two = chances(c, 1);
    uint64_t before = one.counter;
    if (!reset(c, c->worlds[1], &one, first) || !reset(c, c->worlds[1], &two, other))
        return false;
    if (one.counter == before && memcmp(first, other, (size_t)c->row * sizeof *first) != 0)
        say(c, WAC_CHECK_SEED, WAC_VERDICT_MISTAKE,
            "reset draws from the generator and leaves its counter where it was, so every episode "
            "of a run would begin alike; draw from the generator itself, not from a copy");
    return true;
}

static bool check_reset(checker *c, int64_t episode)
{
    char how[256];
    if (!repeat(c, how, sizeof how, c->worlds[1], chances(c, episode), episode, 0, NULL))
        return false;
    if (*how)
        say(c, WAC_CHECK_RESET, WAC_VERDICT_MISTAKE,
            "the same generator and actions gave another story in a world that had been played in "
            "before: %s; set everything in reset, counters and what is remembered for the next "
            "step too",
            how);
    return true;
}

static bool check_apart(checker *c, int64_t episode)
{
    char how[256];
    if (!repeat(c, how, sizeof how, c->worlds[1], chances(c, episode), episode, 0, c->worlds[2]))
        return false;
    if (*how)
        say(c, WAC_CHECK_APART, WAC_VERDICT_MISTAKE,
            "another world that is played in at the same time changes this one: %s; a run has two, "
            "and several runs share a process: keep everything in the world that create makes, and "
            "nothing in static variables",
            how);
    return true;
}

static void save(checker *c, const wac_world *world)
{
    lay_guards(c->guarded, c->check->spec.state_size);
    wac_world_save(world, c->guarded);
}

/* Save in the middle of an episode, go on from there in another world, and here. `state` has room
 * for the state. */
static bool check_state_at(checker *c, int64_t episode, int middle, double *state)
{
    int size = c->check->spec.state_size;
    char how[256];
    wac_error cause = {0};
    wac_rng rng = chances(c, episode);
    double row[WAC_ENVIRONMENT_DIMENSIONS + FEATURES];
    if (!reset(c, c->worlds[1], &rng, row))
        return false;
    for (int at = 1; at <= middle; at++) {
        act(c, episode, at - 1);
        if (!step(c, c->worlds[1], &rng, row, at))
            return false;
    }
    save(c, c->worlds[1]);
    if (!check_size(c, c->guarded, size, "save", "state"))
        return false;
    memcpy(state, c->guarded, (size_t)size * sizeof *state);
    c->saved = true;
    if (!repeat(c, how, sizeof how, c->worlds[1], rng, episode, middle, NULL))
        return false;
    if (*how)
        say(c, WAC_CHECK_STATE, WAC_VERDICT_MISTAKE,
            "save changes the world that it saves: %s; it must only read", how);
    if (!renew(c, 2)) /* as a run does that goes on: without a reset before */
        return false;
    if (wac_world_load(c->worlds[2], state, middle, &cause) != WAC_STATUS_OK) {
        say(c, WAC_CHECK_STATE, WAC_VERDICT_MISTAKE,
            "load refuses what save wrote after step %d: %.400s; a run could not go on", middle,
            cause.message);
        return true;
    }
    save(c, c->worlds[2]);
    for (int i = 0; i < size; i++)
        if (memcmp(&state[i], &c->guarded[i], sizeof *state) != 0)
            say(c, WAC_CHECK_STATE, WAC_VERDICT_MISTAKE,
                "state[%d] was saved as %.10g, loaded, and saved as %.10g; let load set all that "
                "save reads, in the same order",
                i, state[i], c->guarded[i]);
    if (!repeat(c, how, sizeof how, c->worlds[2], rng, episode, middle, NULL))
        return false;
    if (*how)
        say(c, WAC_CHECK_STATE, WAC_VERDICT_MISTAKE,
            "a world goes on otherwise from a state that was saved after step %d than it did: %s; "
            "a "
            "run that is resumed would not be the same: save everything that the next step depends "
            "on%s",
            middle, how,
            c->type->save ? "" : " (state_size is 0, and there is neither save nor load)");
    return true;
}

static bool check_state(checker *c, int64_t episode, double *state)
{
    int cuts[] = {1, c->length / 2, c->length - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
        if (cuts[i] >= 1 && cuts[i] < c->length && !check_state_at(c, episode, cuts[i], state))
            return false;
    return true;
}

/* False where the world does not get through. */
static bool play_again(checker *c, double *state)
{
    for (int64_t episode = 0; episode < TAPES; episode++) {
        /* both are made first: what their making sets outside of them is set, then */
        if (!renew(c, 1) || !renew(c, 2) || !record(c, c->worlds[1], episode) ||
            !check_seed(c, episode))
            return false;
        /* what chance decides tells nothing about the rest */
        if (is_mistaken(c, WAC_CHECK_SEED))
            return true;
        if (!check_reset(c, episode))
            return false;
        if (is_mistaken(c, WAC_CHECK_RESET))
            return true;
        if (!check_apart(c, episode))
            return false;
        if (is_mistaken(c, WAC_CHECK_APART))
            return true;
        if (!check_state(c, episode, state))
            return false;
    }
    return check_draws(c);
}

/* --- all of it -------------------------------------------------------------------------------- */

/* What nothing was said of, and was looked at: is fine. */
static void praise(checker *c)
{
    const wac_environment_spec *spec = &c->check->spec;
    if (is_mistaken(c, WAC_CHECK_STEPS) || is_mistaken(c, WAC_CHECK_SIZES) ||
        is_mistaken(c, WAC_CHECK_NUMBERS))
        return;
    say(c, WAC_CHECK_STEPS, WAC_VERDICT_FINE, "%lld steps in %lld episodes went well",
        (long long)c->check->steps, (long long)c->check->episodes);
    say(c, WAC_CHECK_SIZES, WAC_VERDICT_FINE,
        "observations %d, actions %d, state %d: all is written, and nothing else",
        spec->observation_size, spec->action_size, spec->state_size);
    say(c, WAC_CHECK_NUMBERS, WAC_VERDICT_FINE, "all observations and rewards are finite");
    say(c, WAC_CHECK_SEED, WAC_VERDICT_FINE,
        "the same generator and actions give the same episode in every world");
    if (is_mistaken(c, WAC_CHECK_SEED))
        return;
    say(c, WAC_CHECK_RESET, WAC_VERDICT_FINE, "an episode leaves nothing over for the next");
    if (is_mistaken(c, WAC_CHECK_RESET))
        return;
    say(c, WAC_CHECK_APART, WAC_VERDICT_FINE, "worlds side by side do not disturb each other");
    if (is_mistaken(c, WAC_CHECK_APART))
        return;
    if (c->saved)
        say(c, WAC_CHECK_STATE, WAC_VERDICT_FINE,
            "a world goes on from a saved state as if nothing had happened");
    else
        say(c, WAC_CHECK_STATE, WAC_VERDICT_FINE,
            "no episode is long enough to be saved in the middle");
}

static wac_status prepare(checker *c, double **state, wac_error *error)
{
    wac_check *check = c->check;
    static const char *const words[] = {
#define WORD(value, word) word,
        WAC_CHECKS(WORD)
#undef WORD
    };
    for (int i = 0; i < WAC_CHECK_TOTAL; i++)
        check->findings[i] =
            (wac_finding){.subject = words[i],
                          .verdict = WAC_VERDICT_OPEN,
                          .text = "not looked at to the end, because of the mistake"};
    WAC_TRY(wac_world_create(&c->worlds[0], c->type, c->config, error));
    check->spec = c->worlds[0]->spec;
    c->row = check->spec.observation_size + FEATURES;
    size_t largest = (size_t)(check->spec.state_size > check->spec.observation_size
                                  ? check->spec.state_size
                                  : check->spec.observation_size);
    c->guarded = calloc(largest + GUARDS, sizeof(double));
    c->tape = calloc((size_t)(LONGEST_TAPE + 1) * (size_t)c->row, sizeof(double));
    *state = calloc(largest + 1, sizeof(double));
    if (!c->guarded || !c->tape || !*state)
        return wac_fail_memory(error, "the check");
    for (int i = 0; i < check->spec.observation_size; i++) {
        c->lowest[i] = INFINITY;
        c->highest[i] = -INFINITY;
    }
    c->least_reward = INFINITY;
    c->most_reward = -INFINITY;
    return WAC_STATUS_OK;
}

wac_status wac_check_world(wac_check *check, const wac_environment_type *type,
                           const wac_config *config, int64_t steps, wac_error *error)
{
    double *state = NULL;
    *check = (wac_check){.steps = 0};
    checker *c = calloc(1, sizeof *c);
    if (!c)
        return wac_fail_memory(error, "the check");
    c->check = check;
    c->type = type;
    c->config = config;
    wac_status status = prepare(c, &state, error);
    if (status == WAC_STATUS_OK) {
        if (tour(c, steps)) {
            judge_bounds(c);
            judge_ends(c);
            judge_rewards(c);
            (void)play_again(c, state);
        }
        praise(c);
    }
    for (size_t i = 0; i < sizeof c->worlds / sizeof *c->worlds; i++)
        wac_world_destroy(c->worlds[i]);
    free(c->guarded);
    free(c->tape);
    free(state);
    free(c);
    return status;
}

int wac_check_count(const wac_check *check, wac_verdict verdict)
{
    int count = 0;
    for (int i = 0; i < WAC_CHECK_TOTAL; i++)
        count += check->findings[i].verdict == verdict;
    return count;
}
