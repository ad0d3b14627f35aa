/* How many operations an update takes: multiplications and additions of its matrix products.
 *
 * A layer from `in` to `out` entries takes 2 * rows * in * out forward, as many for the gradient of
 * its weights and as many for the gradient of its inputs. Everything is counted as if it were
 * computed for all rows and all critics, though an implementation may leave out the critic whose
 * bound is not the smaller one. The first layer has no gradient of its inputs, but for the actions
 * where a policy climbs a critic. Activations, normalisations, losses, Adam and the like are left
 * out: they grow with rows * width, or with the weights, not with their product.
 *
 * And how many bytes it moves on a GPU, where the networks of many runs do not stay on the chip:
 * each step reads the weights that it goes through once, hidden ones in 16 bits where products are
 * mixed; Adam reads and writes weights and moments, and targets behind them, and writes the copies
 * in 16 bits; what the gradient of hidden weights is made of (two layers of each row, three of a
 * policy's) is written once and read once. Batches, heads and sums are small beside that. Models
 * and an optimist are not counted there, nor the streams of residual networks.
 */
#include "bench/cost.h"

#include "rl/agent.h"
#include "rl/bonus.h"

#include <math.h>

/* also what the gradient of the weights takes */
static double forward(double rows, wac_shape n)
{
    return 2 * rows * (double)wac_shape_products(&n);
}

/* from the outputs back to what the first layer made */
static double back(double rows, wac_shape n)
{
    return forward(rows, n) - 2 * rows * n.width * n.inputs;
}

/* from there to some of the inputs */
static double back_to_inputs(double rows, wac_shape n, double inputs)
{
    return 2 * rows * n.width * inputs;
}

/* Models, of pairs or of next observations, and what they learn or follow. */
static double count_models(const wac_algorithm_row *row, double batch, int width, wac_shape shadow,
                           int o, int a)
{
    bool pairs = row->bonus->features == 0;
    wac_shape model = {pairs ? o + a : o, width, pairs ? o + 1 : row->bonus->features, .hidden = 2};
    /* each learns */
    double one = 2 * forward(batch, model) + back(batch, model);
    if (!pairs) /* and is asked for a bonus; so is, both times, the random network */
        return row->models * (one + forward(batch, model)) + 2 * forward(batch, model);
    /* and is asked at s, for the policy and its shadow, and at s'; the policy climbs it */
    one += 3 * forward(batch, model) + back(batch, model) + back_to_inputs(batch, model, a);
    return row->models * one + forward(batch, shadow);
}

double wac_bench_operations(const wac_config *config, int observations, int actions)
{
    const wac_algorithm_row row = wac_algorithm_row_of(config);
    if (row.table) /* about as long as so many take */
        return 1e5;
    double batch = (double)config->batch_size;
    double synthetic = row.stds ? round(config->rho * batch) : 0;
    double means = row.means, asked = row.subset ? row.subset : means;
    double stds = row.shared ? 0 : row.stds, seen = row.shared ? batch + synthetic : batch;
    double members = row.members ? row.members : 1;
    double policies = members * row.policies / (row.delay ? row.delay : 1); /* that move */
    bool weighs = row.members && config->backup_temperature > 0; /* by targets of its own */
    wac_shape policy = wac_policy_shape(config, &row, observations, actions);
    wac_shape critic = wac_critic_shape(config, &row, observations, actions);

    /* actions of all policies at s, and of one of each member at s' */
    double sum = (policies + members * (1 + weighs)) * forward(batch, policy);
    /* targets of critics at s' */
    sum += (asked * (1 + weighs) + stds) * forward(batch, critic);
    /* critics learn: the means from the batch, what knows of a std from synthetic pairs too */
    sum += means * (2 * forward(seen, critic) + back(seen, critic));
    sum += stds * (2 * forward(batch + synthetic, critic) + back(batch + synthetic, critic));
    /* the stds of the epoch's start, on the synthetic pairs */
    sum += row.stds * forward(synthetic, critic);
    /* policies climb: all of them their means, WAC's behaviour policy the stds too */
    sum += (policies * means / members + stds) *
           (forward(batch, critic) + back(batch, critic) + back_to_inputs(batch, critic, actions));
    if (row.bonus)
        sum += count_models(&row, batch, (int)config->width, policy, observations, actions);
    if (row.optimist) {
        /* one more climbs, behind the policy, and learns */
        wac_shape optimist = policy;
        optimist.inputs += actions;
        optimist.outputs = actions;
        sum += forward(batch, policy) + 2 * forward(batch, optimist) + back(batch, optimist);
        sum += means * (forward(batch, critic) + back(batch, critic) +
                        back_to_inputs(batch, critic, actions));
    }
    /* and learn */
    return sum + policies * (forward(batch, policy) + back(batch, policy));
}

/* weights and biases, and what normalisations scale and shift by */
static double size_of(wac_shape n)
{
    double sum = 0;
    for (int i = 0; i <= wac_shape_head(&n); i++) {
        wac_layer layer = wac_shape_layer(&n, i);
        sum += ((double)layer.inputs + 1) * layer.outputs;
    }
    return sum;
}

double wac_bench_bytes(const wac_config *config, int observations, int actions)
{
    const wac_algorithm_row row = wac_algorithm_row_of(config);
    bool mixed = config->precision == WAC_PRECISION_MIXED;
    double batch = (double)config->batch_size;
    double synthetic = row.stds ? round(config->rho * batch) : 0;
    double members = row.members ? row.members : 1, policies = members * row.policies;
    double stds = row.stds, critics = row.means + row.stds;
    bool weighs = row.members && config->backup_temperature > 0;
    double width = (double)config->width, hidden = width * width;
    wac_shape policy = wac_policy_shape(config, &row, observations, actions);
    wac_shape critic = wac_critic_shape(config, &row, observations, actions);
    double saved = mixed ? 2 * hidden : 0, number = mixed ? 2 : 4;
    double read_policy = 4 * size_of(policy) - saved, read_critic = 4 * size_of(critic) - saved;

    /* passes: actions at s and s', then policies learn; targets and anchors, critics that learn and
     * those that policies climb */
    double sum = (2 * policies + members * (1 + weighs)) * read_policy;
    sum += ((3 + weighs) * critics + stds) * read_critic;
    /* Adam */
    sum += 24 * (policies * size_of(policy) + critics * size_of(critic));
    sum += 8 * critics * size_of(critic);
    sum += mixed ? 2 * hidden * (policies + 2 * critics) : 0;
    /* layers of rows, written and read */
    double rows = policies * 3 * batch + 2 * (critics * batch + stds * synthetic);
    return sum + 2 * number * width * rows;
}
