/* What is done with a batch, in double, against finite differences or a formula written down a
 * second time. Networks are in tests/nn/test_gradients_networks.c, whole losses in
 * test_gradients_losses.c. */
#include "support/slopes.h"

#include "rl/bonus.h"
#include "rl/host/batch.h"

/* --- policies -------------------------------------------------------------------------------- */

enum { MEMBERS = 2, ROWS = 6, ACTIONS = 3, HEADS = 2 * ACTIONS };

typedef struct policies {
    wac_sample sample;
    real heads[MEMBERS * ROWS * HEADS];
    real noise[MEMBERS * ROWS * ACTIONS], action[MEMBERS * ROWS * ACTIONS];
    real log_prob[MEMBERS * ROWS];
    real daction[MEMBERS * ROWS * ACTIONS], dlog_prob[MEMBERS], weight[MEMBERS * ROWS];
} policies;

/* rows count differently, one of them not at all */
static real row_weight(int i)
{
    return 0.3 * ((i + 1) % 5);
}

static real *log_std_of(policies *p, int m, int i, int j)
{
    return &p->heads[(m * ROWS + i) * HEADS + ACTIONS + j];
}

static void policies_make(policies *p)
{
    *p = (policies){.dlog_prob = {0.3, 0.07}};
    p->sample = (wac_sample){.rows = MEMBERS * ROWS,
                             .actions = ACTIONS,
                             .per_row = HEADS,
                             .heads = p->heads,
                             .noise = p->noise,
                             .action = p->action,
                             .log_prob = p->log_prob};
    fill(11, MEMBERS * ROWS * HEADS, -1.5, 0.8, p->heads);
    fill(12, MEMBERS * ROWS * ACTIONS, -1, 1, p->daction);
    fill_noise(13, MEMBERS * ROWS * ACTIONS, p->noise);
    for (int i = 0; i < MEMBERS * ROWS; i++)
        p->weight[i] = row_weight(i);
    /* just inside and beyond both ends of the clamp */
    static const real nasty[] = {-19.99, -20.01, -25, -1000, 1.99, 2.01, 2.5, 30};
    for (int i = 0; i < 8; i++)
        *log_std_of(p, i % 2, i / 2, i % 3) = nasty[i];
}

static double policies_objective(void *context)
{
    policies *p = context;
    wac_policy_sample(&p->sample);
    double sum = 0;
    for (int i = 0; i < MEMBERS * ROWS * ACTIONS; i++)
        sum += p->daction[i] * p->action[i];
    for (int i = 0; i < MEMBERS * ROWS; i++)
        sum += p->dlog_prob[i / ROWS] * p->weight[i] * p->log_prob[i];
    return sum;
}

static void policies_sample_and_go_back(void **state)
{
    (void)state;
    policies p;
    policies_make(&p);
    real dheads[MEMBERS * ROWS * HEADS] = {0};
    policies_objective(&p);
    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0; i < ROWS; i++) {
            double log_prob = 0;
            for (int j = 0; j < ACTIONS; j++) {
                int at = (m * ROWS + i) * ACTIONS + j;
                double mean = p.heads[(m * ROWS + i) * HEADS + j];
                double std = exp(fmin(fmax(*log_std_of(&p, m, i, j), -20), 2));
                double u = mean + std * p.noise[at], a = tanh(u), z = (u - mean) / std;
                assert_close(p.action[at], a, 1e-14, 0);
                log_prob += -z * z / 2 - log(std * sqrt(2 * acos(-1.0))) - log(1 - a * a + 1e-6);
            }
            assert_close(p.log_prob[m * ROWS + i], log_prob, 1e-6, 1e-6);
        }
    for (int m = 0; m < MEMBERS; m++) {
        int row = m * ROWS, at = row * ACTIONS;
        wac_sample own = p.sample;
        own.rows = ROWS;
        own.heads += row * HEADS;
        own.noise += at;
        own.action += at;
        own.log_prob += row;
        wac_policy_gradient(&own, p.daction + at, p.dlog_prob[m], p.weight + row,
                            dheads + row * HEADS);
    }
    /* 1 - a * a loses digits where the action is all but 1, hence the noise */
    assert_gradient(policies_objective, &p, p.heads, dheads, MEMBERS * ROWS * HEADS, 2e-7);
    /* beyond the clamp exactly none, within it some; and the mean goes on learning */
    for (int m = 0; m < MEMBERS; m++)
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < ACTIONS; j++) {
                real log_std = *log_std_of(&p, m, i, j);
                const real *d = &dheads[(m * ROWS + i) * HEADS + j];
                assert_true((d[ACTIONS] == 0) == (log_std < -20 || log_std > 2));
                if (log_std < 2)
                    assert_true(d[0] != 0);
            }
}

/* --- critics --------------------------------------------------------------------------------- */

typedef struct errors {
    int rows, synthetic;
    real out[2 * 12], target[12], weight[12], anchor[2 * 7], dout[2 * 12];
    double losses[2], regularisation[2], average, averages[2];
} errors;

enum { OUT_CAPACITY = 12, ANCHOR_CAPACITY = 7 };
static const real lambda = 0.6, sigma_max = 1.7;

static double mean_objective(void *context)
{
    errors *e = context;
    double averages[2];
    for (int k = 0; k < 2; k++)
        wac_mean_error(e->rows, e->out + k * OUT_CAPACITY, e->target, e->weight,
                       e->dout + k * OUT_CAPACITY, &e->losses[k], &averages[k]);
    e->average = (averages[0] + averages[1]) / 2;
    return e->losses[0] + e->losses[1];
}

static void mean_errors_go_back(void **state)
{
    (void)state;
    errors e = {.rows = 9};
    fill(21, 24, -3, 3, e.out);
    fill(22, 12, -3, 3, e.target);
    for (int i = 0; i < 12; i++)
        e.weight[i] = row_weight(i) / 9;
    mean_objective(&e);
    real dout[24];
    memcpy(dout, e.dout, sizeof dout);
    assert_gradient(mean_objective, &e, e.out, dout, 24, 1e-9); /* 0 in the unused rows */
    mean_objective(&e);
    double average = 0;
    for (int k = 0; k < 2; k++) {
        double loss = 0;
        for (int i = 0; i < 9; i++) {
            loss += row_weight(i) * pow(e.out[k * 12 + i] - e.target[i], 2) / 9;
            average += e.out[k * 12 + i] / 18;
        }
        assert_close(e.losses[k], loss, 1e-12, 0);
    }
    assert_close(e.average, average, 1e-12, 0);
}

static double std_objective(void *context)
{
    errors *e = context;
    double averages[2][2];
    for (int k = 0; k < 2; k++)
        wac_std_error(e->rows, e->synthetic, e->out + k * OUT_CAPACITY, e->target,
                      e->anchor + k * ANCHOR_CAPACITY, lambda, sigma_max,
                      e->dout + k * OUT_CAPACITY, &e->losses[k], &e->regularisation[k],
                      averages[k]);
    for (int i = 0; i < 2; i++)
        e->averages[i] = (averages[0][i] + averages[1][i]) / 2;
    return e->losses[0] + e->losses[1] + lambda * (e->regularisation[0] + e->regularisation[1]);
}

static void std_errors_go_back(void **state)
{
    (void)state;
    for (int synthetic = 0; synthetic <= 6; synthetic += 3) {
        errors e = {.rows = 5, .synthetic = synthetic};
        fill(31, 24, -2, 1, e.out);
        fill(32, 12, 0, sigma_max, e.target);
        fill(33, 14, -1, 2, e.anchor); /* on both sides of ln sigma_max = 0.53 */
        e.target[1] = sigma_max;       /* clamped */
        e.target[2] = 0;               /* at an end of the world */
        e.anchor[0] = 5;
        e.anchor[ANCHOR_CAPACITY] = -1;
        std_objective(&e);
        real dout[24];
        memcpy(dout, e.dout, sizeof dout);
        assert_gradient(std_objective, &e, e.out, dout, 24, 1e-9);
        std_objective(&e);
        double averages[2] = {0, 0};
        for (int k = 0; k < 2; k++) {
            double loss = 0, regularisation = 0;
            for (int i = 0; i < 5; i++) {
                loss += pow(exp(e.out[k * 12 + i]) - e.target[i], 2) / 5;
                averages[0] += exp(e.out[k * 12 + i]) / 10;
            }
            for (int i = 0; i < synthetic; i++) {
                double anchor = fmin(exp(e.anchor[k * 7 + i]), sigma_max);
                double std = exp(e.out[k * 12 + 5 + i]);
                regularisation += (std - anchor) * (std - anchor) / synthetic;
                averages[1] += std / (2 * synthetic);
            }
            assert_close(e.losses[k], loss, 1e-12, 0);
            assert_close(e.regularisation[k], regularisation, 1e-12, 0);
        }
        assert_close(e.averages[0], averages[0], 1e-12, 0);
        if (synthetic)
            assert_close(e.averages[1], averages[1], 1e-12, 0);
        else
            assert_true(isnan(e.averages[1]));
    }
}

enum { BOUNDS = 7 * 12 };

typedef struct bounds {
    wac_critic_rows critics;
    void (*aim)(const wac_critic_rows *critics, const real *weight, real *bound, real *dout);
    real out[BOUNDS], dout[BOUNDS], weight[12];
} bounds;

static double bound_objective(void *context)
{
    bounds *b = context;
    real bound[12];
    double sum = 0;
    for (int i = 0; i < b->critics.rows; i++)
        b->weight[i] = row_weight(i) / b->critics.rows;
    b->aim(&b->critics, b->weight, bound, b->dout);
    for (int i = 0; i < b->critics.rows; i++)
        sum += b->weight[i] * bound[i];
    return -sum;
}

static void upper_bounds_go_back(void **state)
{
    (void)state;
    static const struct {
        int means, stds;
        real kappa;
    } variants[] = {{2, 0, 9}, /* kappa is not to be read without std */
                    {2, 2, 1.6448536269514722},
                    {2, 2, 0},
                    {2, 2, -0.5},
                    {1, 1, 1.5},
                    {5, 0, 9},
                    {3, 3, 0.7},
                    {4, 2, 1.3},
                    {6, 1, 2}};
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
        int means = variants[v].means, stds = variants[v].stds;
        bounds b = {.critics = {.rows = 10,
                                .capacity = 12,
                                .means = means,
                                .stds = stds,
                                .first_std = means,
                                .kappa = variants[v].kappa},
                    .aim = wac_upper_bound};
        b.critics.out = b.out;
        fill(44, BOUNDS, -1, 1, b.out);
        double objective = bound_objective(&b), sum = 0;
        real dout[BOUNDS];
        memcpy(dout, b.dout, sizeof dout);
        assert_gradient(bound_objective, &b, b.out, dout, (size_t)(means + stds) * 12, 1e-9);
        int chosen[8] = {0};
        for (int i = 0; i < 10; i++) {
            double values[8], smallest = INFINITY;
            int best = 0;
            for (int k = 0; k < means; k++) {
                values[k] = b.out[k * 12 + i];
                if (stds)
                    values[k] += b.critics.kappa * exp(b.out[(means + k % stds) * 12 + i]);
                if (values[k] < smallest)
                    smallest = values[best = k];
            }
            for (int k = 0; k < means; k++) {
                assert_true(k == best || values[k] > smallest + 1e-3); /* no ties */
                assert_true(k == best || dout[k * 12 + i] == 0);
            }
            for (int k = 0; k < stds; k++)
                assert_true(k == best % stds || dout[(means + k) * 12 + i] == 0);
            sum += row_weight(i) * smallest;
            chosen[best]++;
        }
        assert_close(-objective, sum / 10, 1e-12, 0);
        for (int k = 0; means == 2 && k < 2; k++)
            assert_true(chosen[k] > 1);
    }
}

static void averages_go_back(void **state)
{
    (void)state;
    for (int means = 1; means <= 7; means++) {
        bounds b = {.critics = {.rows = 10, .capacity = 12, .means = means, .first_std = means},
                    .aim = wac_average_mean};
        b.critics.out = b.out;
        fill(45, BOUNDS, -1, 1, b.out);
        double objective = bound_objective(&b), sum = 0;
        real dout[BOUNDS];
        memcpy(dout, b.dout, sizeof dout);
        assert_gradient(bound_objective, &b, b.out, dout, (size_t)means * 12, 1e-9);
        for (int k = 0; k < means; k++)
            for (int i = 0; i < 10; i++)
                sum += row_weight(i) * b.out[k * 12 + i] / (10 * means);
        assert_close(-objective, sum, 1e-12, 0);
    }
}

/* an ensemble's rows: mean and std of all its critics, and what the std makes a row count */
static void spreads_weigh(void **state)
{
    (void)state;
    enum { N = 6, ROWS_HELD = 12, USED = 10 };
    real out[N * ROWS_HELD], weight[USED];
    wac_critic_rows critics = {.rows = USED, .capacity = ROWS_HELD, .means = N, .out = out};
    fill(46, N * ROWS_HELD, -1, 1, out);
    for (int k = 0; k < N; k++)
        out[k * ROWS_HELD] = 0.75; /* they agree */
    static const real temperatures[] = {0, 3, 20, 1e6};
    for (int t = 0; t < 4; t++) {
        wac_weigh_spread(&critics, temperatures[t], weight);
        for (int i = 0; i < USED; i++) {
            double sum = 0, squares = 0;
            real mean, std;
            for (int k = 0; k < N; k++) {
                double value = out[k * ROWS_HELD + i];
                sum += value;
                squares += value * value;
            }
            wac_mean_spread(&critics, i, &mean, &std);
            assert_close(mean, sum / N, 1e-12, 0);
            assert_close(std, sqrt(fmax(squares / N - sum * sum / (N * N), 0)), 1e-7, 1e-7);
            double sigmoid = exp(-temperatures[t] * std) / (1 + exp(-temperatures[t] * std));
            assert_close(weight[i], sigmoid + 0.5, 1e-12, 0);
            assert_true(i == 0 || t == 0 ? weight[i] == 1 : weight[i] >= 0.5 && weight[i] < 0.9);
        }
    }
}

/* --- bonuses ---------------------------------------------------------------------------------- */

enum { MODELS_MOST = 5, MODEL_ROWS = 4, MODEL_CAPACITY = 6, OUTPUTS = 3 };

typedef struct bonuses {
    wac_model_rows said;
    const wac_bonus_rule *rule;
    real out[MODELS_MOST * MODEL_CAPACITY * OUTPUTS], dout[MODELS_MOST * MODEL_CAPACITY * OUTPUTS];
    real target[MODEL_ROWS * OUTPUTS], bonus[MODEL_ROWS];
} bonuses;

static double bonus_sum(void *context)
{
    bonuses *b = context;
    double sum = 0;
    b->rule->bonus(&b->said, b->bonus, b->dout);
    for (int i = 0; i < MODEL_ROWS; i++)
        sum += b->bonus[i];
    return sum;
}

static void bonuses_go_back(void **state)
{
    (void)state;
    static const real share[OUTPUTS] = {0.25, 0.25, 0.5};
    for (int models = 1; models <= MODELS_MOST; models++) {
        bonuses b = {.said = {.rows = MODEL_ROWS,
                              .capacity = MODEL_CAPACITY,
                              .models = models,
                              .outputs = OUTPUTS,
                              .share = share},
                     .rule = models == 1 ? &wac_bonus_novelty : &wac_bonus_information};
        b.said.out = b.out;
        b.said.target = b.target;
        fill(51, sizeof b.out / sizeof *b.out, -1, 1, b.out);
        fill(52, MODEL_ROWS * OUTPUTS, -1, 1, b.target);
        bonus_sum(&b);
        real dout[MODELS_MOST * MODEL_CAPACITY * OUTPUTS], with[MODEL_ROWS];
        memcpy(dout, b.dout, sizeof dout);
        memcpy(with, b.bonus, sizeof with);
        assert_gradient(bonus_sum, &b, b.out, dout, (size_t)models * MODEL_CAPACITY * OUTPUTS,
                        1e-7);
        b.rule->bonus(&b.said, b.bonus, NULL); /* the same where no slope is asked for */
        assert_memory_equal(b.bonus, with, sizeof with);
    }

    /* by hand: outputs 1, 2 and 6 have a variance of 7, so do 0, 1 and 5; equal ones tell nothing
     */
    const real three[] = {1, 4, 0, 2, 4, 1, 6, 4, 5}, one[] = {3, 0, 1}, random[] = {1, 0, -1};
    real bonus;
    wac_model_rows said = {1, 1, 3, OUTPUTS, three, NULL, share};
    wac_bonus_information.bonus(&said, &bonus, NULL);
    assert_close(bonus, 0.75 * log(1 + 7e6), 1e-12, 0);
    said = (wac_model_rows){1, 1, 1, OUTPUTS, one, random, share};
    wac_bonus_novelty.bonus(&said, &bonus, NULL);
    assert_close(bonus, 0.25 * 4 + 0.5 * 4, 1e-12, 0);
}

static void targets_are_backed_up(void **state)
{
    (void)state;
    enum { N = 4, C = 5 };
    /* row: smaller mean and bound agree; disagree; sigma clamped; the world ends */
    const real out[4 * C] = {1,   1,   2, 3,   0, /* mean 1 */
                             2,   2,   3, 1,   0, /* mean 2 */
                             0,   1,   2, 0.3, 0, /* ln std 1 */
                             0.5, -2., 2, 0.2, 0 /* ln std 2 */};
    const real reward[N] = {0.5, -1, 2, 3}, terminal[N] = {0, 0, 0, 1};
    const real log_prob[N] = {-1, 0.5, 2, 4};
    real mean_target[N], std_target[N];
    wac_backup backup = {
        .next = {.rows = N,
                 .capacity = C,
                 .means = 2,
                 .stds = 2,
                 .first_std = 2,
                 .out = (real *)out,
                 .kappa = 1.5},
        .reward = reward,
        .terminal = terminal,
        .log_prob = log_prob,
        .alpha = 0.2,
        .discount = 0.9,
        .sigma_max = 3,
        .mean_target = mean_target,
        .std_target = std_target,
    };
    wac_td_target(&backup);
    static const int chosen[N] = {0, 1, 0, 1};
    for (int i = 0; i < N; i++) {
        double on = terminal[i] == 1 ? 0 : 0.9;
        double mean = out[chosen[i] * C + i], std = exp(out[(2 + chosen[i]) * C + i]);
        assert_close(mean_target[i], reward[i] + on * (mean - 0.2 * log_prob[i]), 1e-14, 0);
        assert_close(std_target[i], fmin(on * std, 3), 1e-14, 0);
    }
    assert_true(std_target[2] == 3 && std_target[3] == 0 && mean_target[3] == 3);

    /* without stds the smaller mean is taken, and nothing behind it is read */
    backup.next.stds = 0;
    backup.std_target = NULL;
    backup.next.kappa = 1000;
    wac_td_target(&backup);
    assert_close(mean_target[1], -1 + 0.9 * (1 - 0.2 * 0.5), 1e-14, 0);
    assert_close(mean_target[2], 2 + 0.9 * (2 - 0.2 * 2), 1e-14, 0);

    /* of a subset the smallest, whatever the others say */
    static const int64_t subsets[][2] = {{3, 1}, {2, 0}};
    backup.next.means = 2;
    for (int s = 0; s < 2; s++) {
        backup.next.subset = subsets[s];
        wac_td_target(&backup);
        for (int i = 0; i < N; i++) {
            double least = fmin(out[subsets[s][0] * C + i], out[subsets[s][1] * C + i]);
            double on = terminal[i] == 1 ? 0 : 0.9;
            assert_close(mean_target[i], reward[i] + on * (least - 0.2 * log_prob[i]), 1e-14, 0);
        }
    }
}

/* --- steps ----------------------------------------------------------------------------------- */

/* -log alpha * sum(weight (log pi + H)), whose slope in log alpha the entropy weight descends */
typedef struct temper {
    policies *policies;
    int member;
    real log_alpha;
} temper;

static double temper_objective(void *context)
{
    temper *t = context;
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        sum += t->policies->weight[t->member * ROWS + i] *
               (t->policies->log_prob[t->member * ROWS + i] - ACTIONS);
    return -t->log_alpha * sum;
}

static void entropy_steps(void **state)
{
    (void)state;
    policies p;
    policies_make(&p);
    policies_objective(&p);
    real log_alpha[MEMBERS] = {0.3, -1}, first[MEMBERS] = {0}, second[MEMBERS] = {0};
    wac_entropy entropy = {log_alpha, first, second};
    real before[MEMBERS] = {0.3, -1};
    double history[MEMBERS][4];
    for (int t = 0; t < 4; t++) {
        for (int m = 0; m < MEMBERS; m++) {
            temper temper = {&p, m, log_alpha[m]};
            history[m][t] = slope_at(temper_objective, &temper, &temper.log_alpha);
        }
        wac_entropy_step(MEMBERS, ROWS, p.log_prob, p.weight, -ACTIONS,
                         wac_adam_prepare(t + 1, 1e-3), &entropy);
        for (int m = 0; m < MEMBERS; m++) {
            if (t == 0) /* the gradient itself */
                assert_close(first[m] / 0.1, history[m][0], 1e-8, 0);
            assert_close(log_alpha[m], adam_expected(history[m], t + 1, 1e-3, 0, before[m]), 1e-8,
                         0);
        }
        fill_noise((uint64_t)(70 + t), MEMBERS * ROWS * ACTIONS, p.noise);
        policies_objective(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_sample_and_go_back),
        cmocka_unit_test(mean_errors_go_back),
        cmocka_unit_test(std_errors_go_back),
        cmocka_unit_test(upper_bounds_go_back),
        cmocka_unit_test(averages_go_back),
        cmocka_unit_test(spreads_weigh),
        cmocka_unit_test(bonuses_go_back),
        cmocka_unit_test(targets_are_backed_up),
        cmocka_unit_test(entropy_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
