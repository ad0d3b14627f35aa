/* The gradients of each whole loss, in double, against finite differences: an update with all rates
 * at zero moves nothing and leaves its gradients to be looked at. */
#include "support/drawn_agent.h"

enum { SAMPLES = 24 };

/* The gradients that Adam was given, laid out like all parameters. */
static struct {
    const wac_desk *desk;
    real *policies, *critics, *models, *optimist;
} gradients;

static void keep_gradient(wac_team *team, const wac_stack *stack, const real *gradient,
                          wac_moments moments, wac_adam_factors factors)
{
    const wac_stack *stacks[] = {&gradients.desk->policies, &gradients.desk->critics,
                                 &gradients.desk->models.stack, &gradients.desk->optimist.stack};
    real *all[] = {gradients.policies, gradients.critics, gradients.models, gradients.optimist};
    for (int i = 0; i < 4; i++)
        if (stack->params >= stacks[i]->params &&
            stack->params < stacks[i]->params + wac_stack_size(stacks[i]))
            memcpy(all[i] + (stack->params - stacks[i]->params), gradient,
                   wac_stack_size(stack) * sizeof *gradient);
    wac_ops_reference.adam(team, stack, gradient, moments, factors);
}

static void learn_keeping_gradients(wac_agent *agent)
{
    wac_host *host = agent->device;
    gradients.desk = desk_of(agent);
    gradients.policies = calloc(wac_stack_size(&gradients.desk->policies), sizeof(real));
    gradients.critics = calloc(wac_stack_size(&gradients.desk->critics), sizeof(real));
    gradients.models = calloc(wac_stack_size(&gradients.desk->models.stack) + 1, sizeof(real));
    gradients.optimist = calloc(wac_stack_size(&gradients.desk->optimist.stack) + 1, sizeof(real));
    wac_ops ops = wac_ops_reference;
    ops.adam = keep_gradient;
    host->ops = &ops;
    learn(agent);
    host->ops = &wac_ops_reference;
}

static void forget_gradients(void)
{
    free(gradients.policies);
    free(gradients.critics);
    free(gradients.models);
    free(gradients.optimist);
}

/* Which loss a network descends. */
typedef struct learner {
    wac_agent *agent;
    enum { POLICY, CRITIC, MODEL, OPTIMIST } kind;
    int member;
} learner;

static const char *const kinds[] = {"policy", "critic", "model", "optimist"};

static double loss_of(const learner *l)
{
    const wac_seat *seat = l->agent->seat;
    int m = l->member;
    learn(l->agent);
    if (l->kind == OPTIMIST)
        return seat->objective[l->agent->policies];
    if (l->kind != CRITIC)
        return l->kind == POLICY ? seat->objective[m] : seat->model_loss[m];
    int means = l->agent->row->means;
    if (l->agent->row->shared) /* of mean and spread together */
        return seat->loss[m] + seat->loss[means + m] +
               seat->config.lambda * seat->regularisation[means + m];
    bool std = m >= means;
    return seat->loss[m] + (std ? seat->config.lambda * seat->regularisation[m] : 0);
}

static void assert_slope(double analytic, double measured, double scale, const char *what,
                         const learner *l)
{
    if (!(fabs(analytic - measured) <= 1e-6 * fmax(fabs(analytic), fabs(measured)) + 1e-8 * scale))
        fail_msg("%s of %s %d: gradient %.12g, difference %.12g", what, kinds[l->kind], l->member,
                 analytic, measured);
}

static double slope_along(const learner *l, real *at, const real *direction, size_t count,
                          double step)
{
    double sides[2];
    real *before = malloc(count * sizeof *before);
    memcpy(before, at, count * sizeof *before);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < count; i++)
            at[i] = before[i] + (side ? step : -step) * direction[i];
        sides[side] = loss_of(l);
    }
    memcpy(at, before, count * sizeof *before);
    free(before);
    return (sides[1] - sides[0]) / (2 * step);
}

/* A few numbers of every weight and bias, then all of the network at once. */
static void check_network(const learner *l, const wac_stack *stack, const real *gradients)
{
    size_t stride = stack->stride;
    real *gradient = malloc(stride * sizeof *gradient), *all = calloc(stride, sizeof *all);
    memcpy(gradient, gradients + (size_t)l->member * stride, stride * sizeof *gradient);
    wac_rng rng = wac_rng_make(99, WAC_STREAM_NOISE);
    const wac_stack own = wac_stack_slice(stack, l->member, 1);
    double largest = 0;
    for (size_t i = 0; i < stride; i++)
        largest = fmax(largest, fabs(gradient[i]));
    assert_true(largest > 1e-4);

    int moving = 0;
    for (int i = 0; i <= wac_shape_head(&stack->shape); i++) {
        wac_layer layer = wac_stack_layer(&own, own.params, 0, i);
        bool unbiased = l->kind == OPTIMIST && i == wac_shape_head(&stack->shape);
        for (int bias = 0; bias < 2 - unbiased; bias++) {
            real *values = bias ? layer.bias : layer.weight;
            int64_t count = bias ? layer.outputs : layer.outputs * layer.inputs;
            int64_t index[SAMPLES], samples = stack->shape.blocks ? SAMPLES / 4 : SAMPLES;
            wac_fill_index(&rng, (size_t)samples, count, index);
            for (int s = 0; s < samples; s++) {
                int64_t n = count <= samples ? s : index[s]; /* all of the small ones */
                if (n >= count)
                    break;
                char what[64];
                snprintf(what, sizeof what, "layer %d %s %lld", i, bias ? "bias" : "weight",
                         (long long)n);
                double analytic = gradient[&values[n] - own.params];
                double measured = slope_along(l, &values[n], &(real){1}, 1, 1e-5);
                assert_slope(analytic, measured, 1, what, l);
                moving += analytic != 0;
            }
            wac_fill_normal(&rng, (size_t)count, &all[values - own.params]);
        }
    }
    assert_true(moving > SAMPLES);

    for (int turn = 0; turn < 3; turn++) {
        double analytic = 0;
        for (size_t i = 0; i < stride; i++)
            analytic += gradient[i] * all[i];
        assert_slope(analytic, slope_along(l, own.params, all, stride, 1e-6), 10, "all", l);
        for (size_t i = 0; i < stride; i++) /* another direction, padding still at rest */
            all[i] = all[i] == 0 ? 0 : sin(1e4 * all[i] + turn);
    }
    free(all);
    free(gradient);
}

static void check_agent(wac_algorithm algorithm, const wac_algorithm_row *row, bool clamped)
{
    wac_agent *agent = make_agent(algorithm, row, clamped);
    const wac_desk *desk = desk_of(agent);
    size_t policies = wac_stack_size(&desk->policies), critics = wac_stack_size(&desk->critics);
    real *before = malloc((policies + 2 * critics) * sizeof *before);
    memcpy(before, desk->policies.params, policies * sizeof *before);
    memcpy(before + policies, desk->critics.params, critics * sizeof *before);
    memcpy(before + policies + critics, desk->targets.params, critics * sizeof *before);
    learn_keeping_gradients(agent);
    /* with all rates at zero nothing has moved */
    assert_memory_equal(before, desk->policies.params, policies * sizeof *before);
    assert_memory_equal(before + policies, desk->critics.params, critics * sizeof *before);
    assert_memory_equal(before + policies + critics, desk->targets.params,
                        critics * sizeof *before);
    for (int m = 0; m < desk->policies.members; m++)
        assert_true(fabs(desk->seat->alpha[m] - (agent->row->deterministic ? 0 : alpha_of(m))) <
                    1e-12);

    for (int m = 0; m < desk->policies.members; m++)
        check_network(&(learner){agent, POLICY, m}, &desk->policies, gradients.policies);
    for (int m = 0; m < desk->critics.members; m++)
        check_network(&(learner){agent, CRITIC, m}, &desk->critics, gradients.critics);
    for (int m = 0; m < desk->models.stack.members; m++)
        check_network(&(learner){agent, MODEL, m}, &desk->models.stack, gradients.models);
    for (int m = 0; m < desk->optimist.stack.members; m++)
        check_network(&(learner){agent, OPTIMIST, m}, &desk->optimist.stack, gradients.optimist);
    forget_gradients();
    free(before);
    wac_agent_destroy(agent);
}

static void sac_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_SAC, NULL, false);
    check_agent(WAC_ALGORITHM_SAC, NULL, true);
}

static void sunrise_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_SUNRISE, NULL, false);
    check_agent(WAC_ALGORITHM_SUNRISE, NULL, true);
}

static void oe_wac_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_OE_WAC, NULL, false);
    check_agent(WAC_ALGORITHM_OE_WAC, NULL, true);
}

static void me_wac_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_ME_WAC, NULL, false);
    check_agent(WAC_ALGORITHM_ME_WAC, NULL, true);
}

static void losses_with_models(void **state)
{
    (void)state;
    for (int clamped = 0; clamped < 2; clamped++) {
        check_agent(WAC_ALGORITHM_MAXINFOSAC, NULL, clamped);
        check_agent(WAC_ALGORITHM_SAC_RND, NULL, clamped);
    }
}

static void top_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_TOP, NULL, false);
}

/* A log-std that is bent has a slope everywhere, at either end, too. */
static void bro_losses(void **state)
{
    (void)state;
    check_agent(WAC_ALGORITHM_BRO, NULL, false);
    log_std = WAC_LOG_STD_BENT;
    check_agent(WAC_ALGORITHM_BRO, NULL, false);
    check_agent(WAC_ALGORITHM_SAC, NULL, false);
    check_agent(WAC_ALGORITHM_SAC, NULL, true);
    log_std = WAC_LOG_STD_CLAMPED;
}

/* One that is cut has a slope of 1 up to both limits, which are included, and none beyond. */
static void log_stds_are_cut(void **state)
{
    (void)state;
    const double limits[] = {WAC_LOG_STD_MIN, WAC_LOG_STD_MAX}, steps[] = {-0.5, 0, 0.5};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++) {
            real slope, head = (real)(limits[i] + steps[k]);
            bool beyond = i ? steps[k] > 0 : steps[k] < 0;
            assert_true(wac_log_std_of(false, head, &slope) == (beyond ? (real)limits[i] : head));
            assert_true(slope == !beyond);
            assert_true(wac_log_std_of(false, head, NULL) == (beyond ? (real)limits[i] : head));
        }
}

/* Critics that put out the mean alone. */
static void losses_without_quantiles(void **state)
{
    (void)state;
    static const wac_algorithm all[] = {WAC_ALGORITHM_TOP, WAC_ALGORITHM_BRO};
    for (int i = 0; i < 2; i++) {
        wac_config config = make_config(all[i]);
        config.quantiles = 1;
        wac_algorithm_row row = wac_algorithm_row_of(&config);
        check_agent(all[i], &row, false);
    }
}

static void losses_of_residual_networks(void **state)
{
    (void)state;
    static const wac_algorithm algorithms[] = {WAC_ALGORITHM_SAC, WAC_ALGORITHM_OE_WAC,
                                               WAC_ALGORITHM_SUNRISE, WAC_ALGORITHM_MAXINFOSAC,
                                               WAC_ALGORITHM_BRO};
    for (int i = 0; i < 5; i++)
        check_agent(algorithms[i], NULL, i % 2);
    check_agent(WAC_ALGORITHM_OE_WAC, &many_rows[MANY_ROWS - 1], false); /* particles */
}

static int make_simba(void **state)
{
    (void)state;
    network = WAC_NETWORK_SIMBA;
    return 0;
}

static int make_bronet(void **state)
{
    (void)state;
    network = WAC_NETWORK_BRONET;
    return 0;
}

static int make_plain(void **state)
{
    (void)state;
    network = WAC_NETWORK_PLAIN;
    return 0;
}

static void losses_of_many_critics(void **state)
{
    (void)state;
    for (int i = 0; i < MANY_ROWS; i++)
        check_agent(kin(&many_rows[i]), &many_rows[i], i % 2);
}

/* The clamped agents do meet every clamp, and their losses are what the clamps make them. */
static void clamps_are_at_work(void **state)
{
    (void)state;
    wac_agent *agent = make_agent(WAC_ALGORITHM_OE_WAC, NULL, true);
    wac_desk *desk = desk_of(agent);
    const wac_seat *seat = agent->seat;
    int means = agent->row->means, stds = agent->row->stds, synthetic = seat->synthetic;
    learn_keeping_gradients(agent);
    real top = seat->sigma_max;
    for (int i = 0; i < ROWS; i++)
        assert_true(desk->std_target[i] == (desk->batch.terminals[i] == 1 ? 0 : top));
    for (int k = 0; k < stds; k++)
        for (int i = 0; i < synthetic; i++)
            assert_true(desk->anchor_pass.out[k * synthetic + i] > log(top));

    wac_stack std_critics = wac_stack_slice(&desk->critics, means, stds);
    wac_input all = {.x = desk->pairs, .rows = ROWS + synthetic};
    desk->host->ops->forward(NULL, &std_critics, all, &desk->critic_pass);
    for (int k = 0; k < stds; k++) {
        double seen = 0, unseen = 0;
        const real *out = desk->critic_pass.out + k * (ROWS + synthetic);
        for (int i = 0; i < ROWS; i++)
            seen += pow(exp(out[i]) - desk->std_target[i], 2) / ROWS;
        for (int i = 0; i < synthetic; i++)
            unseen += pow(exp(out[ROWS + i]) - top, 2) / synthetic;
        assert_true(fabs(seat->loss[means + k] - seen) < 1e-10);
        assert_true(fabs(seat->regularisation[means + k] - unseen) < 1e-10);
    }

    /* beyond the clamp of the log-std no gradient at all: not of its weights, not of its bias */
    for (int m = 0; m < 2; m++) {
        wac_layer head = wac_stack_layer(&desk->policies, gradients.policies, m, 2);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < A; j++) {
                real log_std = desk->policy_pass.out[(m * ROWS + i) * 2 * A + A + j];
                assert_true(j == m % A ? log_std > 2 : log_std < -20);
            }
        for (int j = 0; j < A; j++) {
            assert_true(head.bias[j] != 0 && head.bias[A + j] == 0);
            for (int k = 0; k < head.inputs; k++)
                assert_true(head.weight[(A + j) * head.inputs + k] == 0);
        }
    }
    forget_gradients();
    wac_agent_destroy(agent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sac_losses),
        cmocka_unit_test(sunrise_losses),
        cmocka_unit_test(oe_wac_losses),
        cmocka_unit_test(me_wac_losses),
        cmocka_unit_test(losses_with_models),
        cmocka_unit_test_setup_teardown(losses_of_residual_networks, make_simba, make_plain),
        cmocka_unit_test_setup_teardown(losses_of_residual_networks, make_bronet, make_plain),
        cmocka_unit_test(top_losses),
        cmocka_unit_test(bro_losses),
        cmocka_unit_test(losses_without_quantiles),
        cmocka_unit_test(losses_of_many_critics),
        cmocka_unit_test(clamps_are_at_work),
        cmocka_unit_test(log_stds_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
