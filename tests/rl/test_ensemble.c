/* Ensembles: who learns from a transition, who leads for an episode. */
#include "nn/fill.h"
#include "rl/host/host.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { O = 2, A = 2, MEMBERS = 5, ROWS = 64 };

static wac_agent *make(int64_t seed, double share, int64_t capacity)
{
    wac_config config;
    wac_error error = {0};
    wac_agent *agent;
    assert_int_equal(wac_config_init(&config, "recorded", "sunrise", &error), WAC_STATUS_OK);
    config.seed = seed;
    config.width = 8;
    config.batch_size = ROWS;
    config.members = MEMBERS;
    config.member_share = share;
    config.replay_capacity = capacity;
    config.exploration = WAC_EXPLORATION_SAMPLING;
    assert_int_equal(wac_agent_create(&agent, &config, O, A, 1, -1, &error), WAC_STATUS_OK);
    return agent;
}

/* The reward of a transition is its number. */
static void remember(wac_agent *agent, int count)
{
    const float nothing[O] = {0};
    for (int i = 0; i < count; i++)
        wac_agent_remember(agent, nothing, nothing, (double)wac_agent_remembered(agent), nothing,
                           false);
}

/* Masks of the transitions, by number, from as many draws as it takes to see most of them; each is
 * always the same, and somebody's. Returns how many were seen. */
static int draw_masks(wac_agent *agent, int draws, char masks[][MEMBERS + 1])
{
    const wac_desk *desk = wac_host_desk(agent, 0);
    int seen = 0;
    for (int draw = 0; draw < draws; draw++) {
        agent->steps->draw(agent);
        for (int i = 0; i < ROWS; i++) {
            char mask[MEMBERS + 1] = "";
            for (int m = 0; m < MEMBERS; m++) {
                real flag = desk->masks[m * ROWS + i];
                assert_true(flag == 0 || flag == 1);
                mask[m] = flag == 1 ? 'x' : '.';
            }
            assert_non_null(strchr(mask, 'x'));
            char *kept = masks[(int)desk->batch.rewards[i]];
            seen += !*kept;
            if (!*kept)
                memcpy(kept, mask, sizeof mask);
            assert_string_equal(kept, mask);
        }
    }
    return seen;
}

static int count_in(char masks[][MEMBERS + 1], int from, int to, int member)
{
    int count = 0;
    for (int i = from; i < to; i++)
        count += masks[i][member] == 'x';
    return count;
}

enum { MANY = 4000 };

static void members_share_the_transitions(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.2, 0.5, 1};
    static char masks[4][MANY][MEMBERS + 1], others[MANY][MEMBERS + 1];
    for (int s = 0; s < 4; s++) {
        wac_agent *agent = make(1, shares[s], MANY);
        remember(agent, MANY);
        int seen = draw_masks(agent, 300, masks[s]);
        assert_true(seen > 0.98 * MANY);
        /* nobody's is given to one of them */
        double share = shares[s] + pow(1 - shares[s], MEMBERS) / MEMBERS;
        for (int m = 0; m < MEMBERS; m++) {
            double found = (double)count_in(masks[s], 0, MANY, m) / seen;
            assert_true(fabs(found - share) <= 4 * sqrt(share * (1 - share) / MANY));
        }
        wac_agent_destroy(agent);
    }

    /* another seed, other masks */
    wac_agent *agent = make(2, 0.5, MANY);
    remember(agent, MANY);
    draw_masks(agent, 300, others);
    int same = 0;
    for (int i = 0; i < MANY; i++)
        same += strcmp(masks[2][i], others[i]) == 0;
    assert_true(same < MANY / 10);
    wac_agent_destroy(agent);

    /* a small memory, in which others take the places of the first: the masks go with the
     * transitions, not with the places */
    agent = make(1, 0.5, 100);
    memset(others, 0, sizeof others);
    for (int turn = 0; turn < 4; turn++) {
        remember(agent, 70);
        draw_masks(agent, 20, others);
    }
    int compared = 0;
    for (int i = 0; i < 280; i++)
        if (*others[i] && *masks[2][i]) {
            assert_string_equal(others[i], masks[2][i]);
            compared++;
        }
    assert_true(compared > 200);
    wac_agent_destroy(agent);
}

/* The member whose sample an action is. */
static int actor_of(wac_agent *agent, const float *observation, const wac_rng *rng,
                    const float *action)
{
    int found = -1;
    for (int m = 0; m < MEMBERS; m++) {
        wac_rng copy = *rng;
        real heads[2 * A], noise[A];
        wac_fill_normal(&copy, A, noise);
        agent->steps->act(agent, 0, m, observation, heads);
        bool same = true;
        for (int j = 0; j < A; j++)
            same &= action[j] == (float)tanh(heads[j] + exp(heads[A + j]) * noise[j]);
        if (same) {
            assert_int_equal(found, -1);
            found = m;
        }
    }
    return found;
}

static void one_member_leads_an_episode(void **state)
{
    (void)state;
    enum { EPISODES = 1000, STEPS = 3 };
    wac_agent *agent = make(3, 0.5, 10);
    wac_desk *desk = wac_host_desk(agent, 0);
    wac_rng weights = wac_rng_make(4, WAC_STREAM_INIT), rng = wac_rng_make(5, WAC_STREAM_EXPLORE);
    for (int m = 0; m < MEMBERS; m++)
        wac_stack_randomise(&desk->policies, m, false, 0.5, &weights);
    int led[MEMBERS] = {0}, followed = 0, former = -1;
    for (int episode = 0; episode < EPISODES; episode++) {
        int leader = -1;
        for (int step = 0; step < STEPS; step++) {
            float observation[O] = {(float)episode / EPISODES, (float)step / STEPS}, action[A];
            wac_rng before = rng;
            wac_agent_explore(agent, &rng, observation, action);
            int actor = actor_of(agent, observation, &before, action);
            assert_true(actor >= 0 && (step == 0 || actor == leader));
            leader = actor;
        }
        led[leader]++;
        followed += leader == former;
        former = leader;
        const float nothing[O] = {0};
        if (episode % 2) /* an end of the world tells it, or whoever runs the world */
            wac_agent_remember(agent, nothing, nothing, 0, nothing, true);
        else
            wac_seat_begin(agent, 0);
    }
    for (int m = 0; m < MEMBERS; m++) /* 200 expected, standard deviation 13 */
        assert_true(led[m] > 140 && led[m] < 260);
    assert_true(followed > 140 && followed < 260);
    wac_agent_destroy(agent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_share_the_transitions),
        cmocka_unit_test(one_member_leads_an_episode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
