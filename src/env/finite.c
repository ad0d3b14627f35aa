/* Six finite worlds. Each is a function that moves a state by an action; the rest they share. The
 * number of a state is its observation, the number of an action (rounded) its only action. */
#include "env/finite.h"

#include "base/rng.h"
#include "base/status.h"
#include "env/world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

typedef struct few {
    double state; /* the first, for wac_single_save */
    const struct kind *kind;
    int states, size; /* size: of the deep sea */
    uint64_t seed;
} few;

typedef struct kind {
    int states, actions; /* states 0: they depend on the settings */
    bool has_goal;
    int (*begin)(const few *world, wac_rng *rng);
    int (*move)(const few *world, int state, int action, wac_rng *rng, wac_step *step);
} kind;

static int begin_at_zero(const few *world, wac_rng *rng)
{
    (void)world, (void)rng;
    return 0;
}

/* --- chain ------------------------------------------------------------------------------------ */

/* Strens (2000): four steps forward to a reward of 10, or back to the start for 2; with probability
 * 0.2 the other action is taken. */
static int move_chain(const few *world, int state, int action, wac_rng *rng, wac_step *step)
{
    (void)world;
    bool back = action == 1;
    if (wac_rng_uniform(rng) < 0.2)
        back = !back;
    step->reward = back ? 2 : state == 4 ? 10 : 0;
    return back ? 0 : state < 4 ? state + 1 : 4;
}

/* --- loop ------------------------------------------------------------------------------------- */

/* Dearden, Friedman and Russell (1998): two loops of five states meet in state 0. The one through 1
 * to 4 is closed by any action, for 1; that through 5 to 8 only by action 1, again and again,
 * for 2.
 */
static int move_loop(const few *world, int state, int action, wac_rng *rng, wac_step *step)
{
    (void)world, (void)rng;
    if (state == 0)
        return action == 1 ? 5 : 1;
    if (state >= 5 && action == 0)
        return 0;
    if (state != 4 && state != 8)
        return state + 1;
    step->reward = state == 4 ? 1 : 2;
    return 0;
}

/* --- river ------------------------------------------------------------------------------------ */

/* Strehl and Littman (2008), rewards divided by the largest. */
static int begin_river(const few *world, wac_rng *rng)
{
    (void)world;
    return wac_rng_uniform(rng) < 0.5 ? 0 : 1;
}

static int move_river(const few *world, int state, int action, wac_rng *rng, wac_step *step)
{
    int last = world->states - 1;
    if (action == 0) {
        step->reward = state == 0 ? 0.0005 : 0;
        return state > 0 ? state - 1 : 0;
    }
    double draw = wac_rng_uniform(rng);
    if (state == 0)
        return draw < 0.3 ? 1 : 0;
    if (state == last) {
        step->reward = draw < 0.3 ? 1 : 0;
        return draw < 0.3 ? last : last - 1;
    }
    return draw < 0.3 ? state + 1 : draw < 0.9 ? state : state - 1;
}

/* --- six arms --------------------------------------------------------------------------------- */

/* Strehl and Littman (2008), rewards divided by the largest: an arm is reached the more seldom the
 * more it pays, and pays as long as its own action is repeated. */
static int move_arms(const few *world, int state, int action, wac_rng *rng, wac_step *step)
{
    static const double reach[] = {1, 0.15, 0.1, 0.05, 0.03, 0.01};
    static const double pay[] = {50, 133, 300, 800, 1660, 6000};
    (void)world;
    if (state == 0)
        return wac_rng_uniform(rng) < reach[action] ? action + 1 : 0;
    if (state != action + 1)
        return 0;
    step->reward = pay[action] / 6000;
    return state;
}

/* --- taxi ------------------------------------------------------------------------------------- */

enum { SIDE = 5, PLACES = 4, ABOARD = PLACES };

static const int place_row[PLACES] = {0, 0, 4, 4}, place_column[PLACES] = {0, 4, 0, 3};

/* Whether a wall is to the right of a cell, Dietterich (2000). */
static bool has_wall(int row, int column)
{
    return (row <= 1 && column == 1) || (row >= 3 && (column == 0 || column == 2));
}

static int begin_taxi(const few *world, wac_rng *rng)
{
    (void)world;
    int cell = (int)(wac_rng_uniform(rng) * SIDE * SIDE);
    int from = (int)(wac_rng_uniform(rng) * PLACES);
    int to = (from + 1 + (int)(wac_rng_uniform(rng) * (PLACES - 1))) % PLACES;
    return (cell * (PLACES + 1) + from) * PLACES + to;
}

/* Down, up, right, left, take in, let out. Every step costs 1, a wrong stop 10; the right one pays
 * 20. */
static int move_taxi(const few *world, int state, int action, wac_rng *rng, wac_step *step)
{
    (void)world, (void)rng;
    int to = state % PLACES, guest = state / PLACES % (PLACES + 1);
    int cell = state / PLACES / (PLACES + 1), row = cell / SIDE, column = cell % SIDE;
    bool waits = guest < ABOARD && place_row[guest] == row && place_column[guest] == column;
    step->reward = -1;
    if (action == 0 && row < SIDE - 1)
        row++;
    else if (action == 1 && row > 0)
        row--;
    else if (action == 2 && column < SIDE - 1 && !has_wall(row, column))
        column++;
    else if (action == 3 && column > 0 && !has_wall(row, column - 1))
        column--;
    else if (action == 4 && waits)
        guest = ABOARD;
    else if (action == 5 && guest == ABOARD && row == place_row[to] && column == place_column[to]) {
        step->reward = 20;
        step->terminated = step->success = true;
    } else if (action >= 4)
        step->reward = -10;
    return ((row * SIDE + column) * (PLACES + 1) + guest) * PLACES + to;
}

/* --- deep sea --------------------------------------------------------------------------------- */

/* Osband and others (2019): a diver sinks a row with each step, and to the right or to the left;
 * which action is which differs from cell to cell. To the right costs 0.01 in all, and only in the
 * last corner waits the treasure, 1. A state is a cell; a last one lies beyond. */
static int move_sea(const few *world, int state, int action, wac_rng *rng, wac_step *step)
{
    (void)rng;
    int size = world->size, row = state / size, column = state % size;
    wac_rng cell = wac_rng_make(world->seed, WAC_STREAM_WORLD);
    cell.counter = (uint64_t)state;
    bool right = (wac_rng_uniform(&cell) < 0.5) == (action == 1);
    if (state == size * size) { /* nothing leaves it */
        step->terminated = true;
        return state;
    }
    if (right)
        step->reward = -0.01 / size;
    column += right ? 1 : -1;
    if (column < 0)
        column = 0;
    if (row < size - 1)
        return (row + 1) * size + (column < size ? column : size - 1);
    step->terminated = true;
    step->success = column == size;
    step->reward += step->success;
    return size * size;
}

/* --- what they share -------------------------------------------------------------------------- */

static const kind kinds[WAC_FINITE_TOTAL] = {
    {5, 2, false, begin_at_zero, move_chain},
    {9, 2, false, begin_at_zero, move_loop},
    {6, 2, false, begin_river, move_river},
    {7, 6, false, begin_at_zero, move_arms},
    {SIDE * SIDE * (PLACES + 1) * PLACES, 6, true, begin_taxi, move_taxi},
    {0, 2, true, begin_at_zero, move_sea},
};

static wac_status create(void **world, wac_environment_spec *spec, const wac_config *config,
                         const kind *kind, wac_error *error)
{
    few *self = malloc(sizeof *self);
    if (!self)
        return wac_fail_memory(error, "the environment");
    int size = (int)config->sea_size;
    *self = (few){.kind = kind,
                  .states = kind->states ? kind->states : size * size + 1,
                  .size = size,
                  .seed = (uint64_t)config->seed};
    *world = self;
    *spec = (wac_environment_spec){
        .observation_size = 1,
        .action_size = 1,
        .state_size = 1,
        .states = self->states,
        .choices = kind->actions,
        .has_goal = kind->has_goal,
        .observation_high = {self->states - 1},
        .action_high = {kind->actions - 1},
    };
    return WAC_STATUS_OK;
}

static wac_status reset(void *world, wac_rng *rng, double *observation, wac_error *error)
{
    (void)error;
    few *self = world;
    self->state = *observation = self->kind->begin(self, rng);
    return WAC_STATUS_OK;
}

static wac_status step(void *world, wac_rng *rng, const double *action, double *observation,
                       wac_step *step, wac_error *error)
{
    (void)error;
    few *self = world;
    int next = self->kind->move(self, (int)self->state, (int)lround(*action), rng, step);
    assert(next >= 0 && next < self->states);
    self->state = *observation = next;
    return WAC_STATUS_OK;
}

static wac_status load(void *world, const double *state, wac_error *error)
{
    const few *self = world;
    if (!(*state >= 0 && *state < self->states && *state == floor(*state)))
        return wac_fail(error, WAC_STATUS_INPUT, "there is no state %g", *state);
    return wac_single_load(world, state, error);
}

#define CREATE(number)                                                                             \
    static wac_status create_##number(void **world, wac_environment_spec *spec,                    \
                                      const wac_config *config, wac_error *error)                  \
    {                                                                                              \
        return create(world, spec, config, &kinds[number], error);                                 \
    }
CREATE(0)
CREATE(1)
CREATE(2)
CREATE(3)
CREATE(4)
CREATE(5)

#define TYPE(number, what, text)                                                                   \
    {                                                                                              \
        .name = what, .summary = text, .create = create_##number, .destroy = free, .reset = reset, \
        .step = step, .save = wac_single_save, .load = load                                        \
    }

const wac_environment_type wac_environments_finite[WAC_FINITE_TOTAL] = {
    TYPE(0, "chain", "5 states: four steps forward to a prize, or back for a crumb (a table)"),
    TYPE(1, "loop", "9 states: two loops, the better one needs the same action (a table)"),
    TYPE(2, "riverswim-6", "6 states: riverswim as it was first, in steps (a table)"),
    TYPE(3, "six-arms", "7 states: the more an arm pays, the harder it is to reach (a table)"),
    TYPE(4, "taxi", "500 states: fetch a guest, bring it to its place (a table)"),
    TYPE(5, "deep-sea", "a treasure in the last corner, of 2^N ways one finds it (a table)"),
};
