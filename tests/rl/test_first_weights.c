/* First weights: as wide as the setting says, in every network. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rl/bonus.h"
#include "rl/host/host.h"

#include <math.h>

enum { OBSERVATIONS = 3, ACTIONS = 1, WIDTH = 64 };

static wac_error error;

/* The largest weight of a hidden layer of all members. */
static double widest(const wac_stack *stack, int layer)
{
    double most = 0;
    for (int m = 0; m < stack->members; m++) {
        wac_layer own = wac_stack_layer(stack, stack->params, m, layer);
        for (int i = 0; i < own.inputs * own.outputs; i++)
            most = fmax(most, fabs((double)own.weight[i]));
    }
    return most;
}

static void reaches(const wac_stack *stack, int layer, int n)
{
    double bound = 1 / sqrt(n), most = widest(stack, layer);
    assert_true(most <= bound * (1 + 1e-6) && most > 0.9 * bound);
}

static void hidden_layers_begin_as_asked_for(void **state)
{
    (void)state;
    for (int first = WAC_FIRST_WEIGHTS_OUTPUTS; first <= WAC_FIRST_WEIGHTS_INPUTS; first++) {
        bool by_inputs = first == WAC_FIRST_WEIGHTS_INPUTS;
        wac_config config;
        wac_agent *agent;
        assert_int_equal(wac_config_init(&config, "any", "oe-wac", &error), 0);
        assert_int_equal(config.first_weights, WAC_FIRST_WEIGHTS_OUTPUTS);
        config.width = WIDTH;
        config.batch_size = 8;
        config.replay_capacity = 8;
        config.first_weights = first;
        assert_int_equal(wac_agent_create(&agent, &config, OBSERVATIONS, ACTIONS, 1, -1, &error),
                         0);
        const wac_desk *desk = wac_host_desk(agent, 0);
        reaches(&desk->policies, 0, by_inputs ? OBSERVATIONS : WIDTH);
        reaches(&desk->critics, 0, by_inputs ? OBSERVATIONS + ACTIONS : WIDTH);
        reaches(&desk->policies, 1, WIDTH);
        reaches(&desk->critics, 1, WIDTH);
        wac_agent_destroy(agent);
    }
}

/* By both sides of a layer: all layers alike, and no biases. */
static void layers_begin_alike(void **state)
{
    (void)state;
    wac_config config;
    wac_agent *agent;
    assert_int_equal(wac_config_init(&config, "any", "redq", &error), 0);
    config.first_weights = WAC_FIRST_WEIGHTS_BOTH;
    config.width = WIDTH;
    config.batch_size = config.replay_capacity = 8;
    assert_int_equal(wac_agent_create(&agent, &config, OBSERVATIONS, ACTIONS, 1, -1, &error), 0);
    const wac_stack *critics = &wac_host_desk(agent, 0)->critics;
    for (int layer = 0; layer <= wac_shape_head(&critics->shape); layer++) {
        wac_layer own = wac_stack_layer(critics, critics->params, 3, layer);
        double bound = sqrt(6.0 / (own.inputs + own.outputs)), most = widest(critics, layer);
        assert_true(most <= bound * (1 + 1e-6) && most > 0.9 * bound);
        for (int i = 0; i < own.outputs; i++)
            assert_true(own.bias[i] == 0);
    }
    wac_agent_destroy(agent);
}

/* Blocks: normal weights with the variance that ReLU asks for, normalisations that do nothing. */
static void blocks_begin_as_they_should(void **state)
{
    (void)state;
    for (int kind = WAC_NETWORK_SIMBA; kind <= WAC_NETWORK_BRONET; kind++) {
        wac_config config;
        wac_agent *agent;
        assert_int_equal(wac_config_init(&config, "any", "sac", &error), 0);
        config.network = kind;
        config.width = WIDTH;
        config.batch_size = config.replay_capacity = 8;
        assert_int_equal(wac_agent_create(&agent, &config, OBSERVATIONS, ACTIONS, 1, -1, &error),
                         0);
        const wac_stack *critics = &wac_host_desk(agent, 0)->critics;
        for (int layer = 0; layer < wac_shape_head(&critics->shape); layer++) {
            wac_layer own = wac_stack_layer(critics, critics->params, 1, layer);
            int count = own.inputs * own.outputs;
            double squares = 0, expected = layer ? 2.0 / own.inputs : 1.0 / WIDTH;
            for (int i = 0; i < count; i++)
                squares += (double)own.weight[i] * (double)own.weight[i];
            for (int i = 0; i < own.outputs; i++)
                assert_true(own.bias[i] == 0);
            if (wac_shape_is_norm(&critics->shape, layer))
                for (int i = 0; i < count; i++)
                    assert_true(own.weight[i] == 1);
            else
                assert_true(fabs(squares / count / expected - 1) < 5 * sqrt(2.0 / count));
        }
        wac_agent_destroy(agent);
    }
}

/* Models that pay a bonus: every weight is drawn, within what the inputs of its layer say. */
static void models_begin_at_random(void **state)
{
    (void)state;
    static const char *const names[] = {"maxinfosac", "sac-rnd"};
    for (int n = 0; n < 2; n++) {
        wac_config config;
        wac_agent *agent;
        assert_int_equal(wac_config_init(&config, "any", names[n], &error), 0);
        config.width = WIDTH;
        config.batch_size = 8;
        config.replay_capacity = 8;
        assert_int_equal(wac_agent_create(&agent, &config, OBSERVATIONS, ACTIONS, 1, -1, &error),
                         0);
        const wac_models *models = &wac_host_desk(agent, 0)->models;
        const wac_stack *stacks[] = {&models->stack, &models->random};
        assert_true(models->stack.members > 0);
        for (int s = 0; s < 2; s++)
            for (int m = 0; m < stacks[s]->members; m++)
                for (int i = 0; i <= stacks[s]->shape.hidden; i++) {
                    wac_layer own = wac_stack_layer(stacks[s], stacks[s]->params, m, i);
                    double bound = agent->row->bonus->spread / sqrt(own.inputs), most = 0;
                    int zeros = 0;
                    for (int k = 0; k < own.inputs * own.outputs; k++) {
                        most = fmax(most, fabs((double)own.weight[k]));
                        zeros += own.weight[k] == 0;
                    }
                    for (int k = 0; k < own.outputs; k++)
                        zeros += own.bias[k] == 0;
                    assert_true(most <= bound * (1 + 1e-6) && most > 0.8 * bound);
                    assert_int_equal(zeros, 0);
                }
        wac_agent_destroy(agent);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hidden_layers_begin_as_asked_for), cmocka_unit_test(layers_begin_alike),
        cmocka_unit_test(blocks_begin_as_they_should), cmocka_unit_test(models_begin_at_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
