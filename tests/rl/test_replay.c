/* The replay buffer: what is added comes back by gather, before and after the ring wraps. */
#include "rl/host/host.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { O = 3, A = 2 };

/* Numbers that say which transition and which entry they belong to. */
static float observation_of(int64_t id, int i)
{
    return (float)(id * 16 + i);
}

static float action_of(int64_t id, int i)
{
    return (float)(id * 16 + 4 + i);
}

static double reward_of(int64_t id)
{
    return (double)id + 0.25;
}

/* ends of the world and time limits, here and there; at both the next observation is of its own */
static bool terminates(int64_t id)
{
    return id % 5 == 2;
}

static bool times_out(int64_t id)
{
    return id % 7 == 3;
}

static float next_of(int64_t id, int i)
{
    if (terminates(id) || times_out(id))
        return (float)(-id * 16 - 8 - i); /* the last of its episode: no record starts there */
    return observation_of(id + 1, i);
}

static void add(wac_replay *replay, int64_t id)
{
    float observation[O], action[A], next[O];
    for (int i = 0; i < O; i++) {
        observation[i] = observation_of(id, i);
        next[i] = next_of(id, i);
    }
    for (int i = 0; i < A; i++)
        action[i] = action_of(id, i);
    wac_replay_add(replay, observation, action, reward_of(id), next, terminates(id));
}

static void assert_row(const wac_batch *batch, int row, int64_t id)
{
    for (int i = 0; i < O; i++) {
        assert_true(batch->observations[row * O + i] == observation_of(id, i));
        assert_true(batch->next_observations[row * O + i] == next_of(id, i));
    }
    for (int i = 0; i < A; i++)
        assert_true(batch->actions[row * A + i] == action_of(id, i));
    assert_true(batch->rewards[row] == (real)reward_of(id));
    assert_true(batch->terminals[row] == (terminates(id) ? 1 : 0));
}

static void ring_holds_the_latest(void **state)
{
    (void)state;
    static const int64_t capacities[] = {1, 2, 5, 64};
    for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++) {
        int64_t capacity = capacities[c];
        wac_arena arena = {0};
        wac_replay replay;
        wac_replay_init(&replay, &arena, O, A, capacity);
        assert_false(arena.failed);
        assert_int_equal(wac_replay_record(&replay), O + A + 1 + O + 1);
        assert_int_equal(wac_replay_filled(&replay), 0);
        real observations[64 * O], actions[64 * A], rewards[64], nexts[64 * O], terminals[64];
        int64_t index[64];
        wac_batch batch = {
            .observations = observations,
            .actions = actions,
            .rewards = rewards,
            .next_observations = nexts,
            .terminals = terminals,
        };
        for (int64_t id = 0; id < 3 * capacity + 1; id++) {
            add(&replay, id);
            int64_t filled = wac_replay_filled(&replay);
            assert_int_equal(filled, id + 1 < capacity ? id + 1 : capacity);
            assert_int_equal(replay.count, id + 1);
            /* all that is held, backwards */
            batch.rows = (int)filled;
            for (int i = 0; i < batch.rows; i++)
                index[i] = filled - 1 - i;
            wac_gather(replay.records, O, A, index, &batch);
            for (int i = 0; i < batch.rows; i++) {
                /* slot s holds the latest transition whose number leaves s on division */
                int64_t slot = index[i], latest = id - (id - slot) % capacity;
                if (slot > id)
                    fail_msg("a slot that was never filled");
                assert_row(&batch, i, latest);
            }
        }
        wac_arena_release(&arena);
    }
}

static void same_index_twice(void **state)
{
    (void)state;
    wac_arena arena = {0};
    wac_replay replay;
    wac_replay_init(&replay, &arena, O, A, 4);
    for (int64_t id = 0; id < 6; id++)
        add(&replay, id); /* slots hold 4, 5, 2, 3 */
    real observations[5 * O], actions[5 * A], rewards[5], nexts[5 * O], terminals[5];
    wac_batch batch = {5, observations, actions, rewards, nexts, terminals};
    const int64_t index[] = {2, 2, 0, 3, 1};
    const int64_t ids[] = {2, 2, 4, 3, 5};
    wac_gather(replay.records, O, A, index, &batch);
    for (int i = 0; i < 5; i++)
        assert_row(&batch, i, ids[i]);
    /* a time limit is no end */
    assert_true(times_out(3) && terminals[3] == 0 && nexts[3 * O] == next_of(3, 0));
    assert_true(nexts[3 * O] != observation_of(4, 0));
    wac_arena_release(&arena);
}

/* the agent's way: remember, then draw; only what is held is drawn, and all of it */
static void agents_draw_what_they_hold(void **state)
{
    (void)state;
    enum { CAPACITY = 8, ROWS = 256 };
    wac_config config;
    wac_error error = {0};
    assert_int_equal(wac_config_init(&config, "mine", "sac", &error), WAC_STATUS_OK);
    config.replay_capacity = CAPACITY;
    config.batch_size = ROWS;
    config.width = 4;
    wac_agent *agent;
    assert_int_equal(wac_agent_create(&agent, &config, O, A, 1, -1, &error), WAC_STATUS_OK);
    for (int64_t id = 0; id < 3 * CAPACITY; id++) {
        float observation[O], action[A], next[O];
        for (int i = 0; i < O; i++) {
            observation[i] = observation_of(id, i);
            next[i] = next_of(id, i);
        }
        for (int i = 0; i < A; i++)
            action[i] = action_of(id, i);
        wac_agent_remember(agent, observation, action, reward_of(id), next, terminates(id));
        agent->steps->draw(agent);
        int64_t oldest = id < CAPACITY ? 0 : id - CAPACITY + 1;
        int seen[3 * CAPACITY] = {0};
        for (int i = 0; i < ROWS; i++) {
            int64_t drawn = (int64_t)(wac_host_desk(agent, 0)->batch.observations[i * O] / 16);
            assert_true(drawn >= oldest && drawn <= id);
            assert_row(&wac_host_desk(agent, 0)->batch, i, drawn);
            seen[drawn]++;
        }
        for (int64_t held = oldest; held <= id; held++)
            assert_true(seen[held] > 0);
    }
    wac_agent_destroy(agent);
}

/* What is new goes elsewhere in parts that lie side by side; what is gone does not. */
static void parts_are_side_by_side(void **state)
{
    (void)state;
    wac_replay replay = {.capacity = 10, .count = 7};
    int64_t from = 0, slot;
    assert_int_equal(wac_replay_part(&replay, &from, &slot), 7);
    assert_int_equal(slot, 0);
    assert_int_equal(wac_replay_part(&replay, &from, &slot), 0);
    replay.count = 13; /* around the end of the ring */
    assert_int_equal(wac_replay_part(&replay, &from, &slot), 3);
    assert_int_equal(slot, 7);
    assert_int_equal(wac_replay_part(&replay, &from, &slot), 3);
    assert_int_equal(slot, 0);
    assert_int_equal(from, 13);
    replay.count = 45; /* more than it holds: 35 to 44 */
    assert_int_equal(wac_replay_part(&replay, &from, &slot), 5);
    assert_int_equal(slot, 5);
    assert_int_equal(wac_replay_part(&replay, &from, &slot), 5);
    assert_int_equal(slot, 0);
    assert_int_equal(wac_replay_part(&replay, &from, &slot), 0);
}

static void join_puts_pairs_together(void **state)
{
    (void)state;
    const real observations[] = {1, 2, 3, 4, 5, 6}, actions[] = {7, 8, 9, 10};
    const real expected[] = {1, 2, 3, 7, 8, 4, 5, 6, 9, 10};
    real x[10];
    wac_join(2, O, A, observations, actions, x);
    assert_memory_equal(x, expected, sizeof x);
}

/* A cell is covered by more than a thousandth of all that was seen, not by just that. */
static void shares_count_what_is_seen_often(void **state)
{
    (void)state;
    int64_t counts[4] = {997, 1, 2, 0};
    assert_true(wac_coverage_share(counts, 4) == 0.5);
    counts[0]--;
    assert_true(wac_coverage_share(counts, 4) == 0.75);
    assert_true(isnan(wac_coverage_share(counts + 3, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_holds_the_latest),
        cmocka_unit_test(same_index_twice),
        cmocka_unit_test(agents_draw_what_they_hold),
        cmocka_unit_test(parts_are_side_by_side),
        cmocka_unit_test(join_puts_pairs_together),
        cmocka_unit_test(shares_count_what_is_seen_often),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
