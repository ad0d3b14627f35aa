/* Models and what they pay (rl/host/models.c, rl/maxinfosac.c, rl/sac_rnd.c), and an optimist
 * (rl/host/optimist.c). */
#include "rl/cuda/general.cuh"

/* --- what models read ------------------------------------------------------------------------- */

/* a piece: a row, which models read and, of pairs, learn from */
EACH(model_read)
{
    UNUSED;
    int o = v->observations, a = v->actions;
    const float *now = of(v->batch_observations, seat) + i * o;
    const float *next = of(v->next_observations, seat) + i * o;
    float *x = of(v->model_x, seat) + i * v->model_inputs;
    if (!v->pairs) {
        for (int j = 0; j < o; j++)
            x[j] = next[j];
        return;
    }
    float *target = of(v->model_target, seat) + i * (o + 1);
    for (int j = 0; j < o; j++) {
        x[j] = now[j];
        target[j] = next[j] - now[j];
    }
    for (int j = 0; j < a; j++)
        x[o + j] = of(v->batch_actions, seat)[i * a + j];
    target[o] = of(v->rewards, seat)[i];
}

DEVICE double *sums_of(const wac_general_sums *sums, int seat)
{
    return sums->sums + (size_t)seat * (size_t)(1 + 2 * sums->size);
}

/* a piece: an entry of the sums `first`, to which `rows` of x [rows][size] come; the count moves
 * afterwards. See wac_normaliser_add_rows. */
WARPS(sums_add)
{
    UNUSED;
    const wac_general_sums *all = &v->model_sums[t->first];
    double *sums = sums_of(all, seat), before = sums[0], whole = before + t->rows;
    double mean = 0, squares = 0;
    const float *x = of(t->x, seat) + i;
    for (int row = lane; row < t->rows; row += LANES)
        mean += (double)x[row * all->size];
    mean = sum_of_lanes(mean) / t->rows;
    for (int row = lane; row < t->rows; row += LANES) {
        double away = (double)x[row * all->size] - mean;
        squares += away * away;
    }
    squares = sum_of_lanes(squares);
    if (lane > 0)
        return;
    double between = mean - sums[1 + i];
    sums[1 + i] += between * t->rows / whole;
    sums[1 + all->size + i] += squares + between * between * before * t->rows / whole;
    double deviation = whole > 1 ? sqrt(sums[1 + all->size + i] / whole) : 1;
    of(all->offset, seat)[i] = (float)sums[1 + i];
    of(all->scale, seat)[i] = (float)(1 / (deviation > all->least ? deviation : all->least));
}

EACH(sums_count)
{
    UNUSED;
    sums_of(&v->model_sums[t->first], seat)[0] += t->rows;
}

/* a piece: a number of x, rows of the sums `first` */
EACH(normalise)
{
    UNUSED;
    const wac_general_sums *all = &v->model_sums[t->first];
    int entry = i % all->size;
    float *x = of(t->x, seat) + i;
    float normal = (*x - of(all->offset, seat)[entry]) * of(all->scale, seat)[entry];
    *x = all->limit > 0 ? clamped(normal, -all->limit, all->limit) : normal;
}

/* --- bonuses ---------------------------------------------------------------------------------- */

/* a piece: a row's bonus, by what the model said, x, of what the random network says, y */
EACH(novelty)
{
    UNUSED;
    size_t outputs = (size_t)v->model_outputs, first = (size_t)i * outputs;
    const float *out = of(t->x, seat) + first, *target = of(t->y, seat) + first;
    const float *share = of(v->model_share, seat);
    float bonus = 0;
    for (size_t j = 0; j < outputs; j++) {
        float error = out[j] - target[j];
        bonus += share[j] * error * error;
    }
    of(t->z, seat)[i] = bonus;
}

/* a piece: a row's bonus z, by how far models are from each other, x; and the slope w, unless
 * that is null */
EACH(information)
{
    UNUSED;
    int models = v->models;
    size_t outputs = (size_t)v->model_outputs, model = (size_t)t->capacity * outputs;
    const float *share = of(v->model_share, seat);
    float bonus = 0;
    for (size_t j = 0; j < outputs; j++) {
        size_t at = (size_t)i * outputs + j;
        const float *out = of(t->x, seat) + at;
        float mean = 0, variance = 0;
        for (int m = 0; m < models; m++)
            mean += out[(size_t)m * model] / (float)models;
        for (int m = 0; m < models; m++) {
            float away = out[(size_t)m * model] - mean;
            variance += away * away / (float)(models - 1);
        }
        bonus += share[j] * log1pf(variance / v->model_noise);
        float slope = share[j] * 2 / (float)(models - 1) / (v->model_noise + variance);
        for (int m = 0; t->w.at && m < models; m++)
            of(t->w, seat)[at + (size_t)m * model] = slope * (out[(size_t)m * model] - mean);
    }
    of(t->z, seat)[i] = bonus;
}

/* a piece: a row's reward, to which its bonus comes */
EACH(pay)
{
    UNUSED;
    float weight = own->bonus_weight * of(v->model_sums[2].scale, seat)[0];
    of(v->rewards, seat)[i] += weight * of(v->model_bonus, seat)[i];
}

/* a piece: the slope of a row's bonus in an entry of its action, from what models wish */
EACH(model_slopes)
{
    UNUSED;
    float sum = 0;
    size_t model = (size_t)t->capacity * (size_t)v->actions;
    for (int k = 0; k < v->models; k++)
        sum += of(v->model_wishes, seat)[(size_t)k * model + (size_t)i];
    of(v->model_slope, seat)[i] =
        sum * of(v->model_sums[0].scale, seat)[v->observations + i % v->actions] *
        of(v->model_sums[2].scale, seat)[0];
}

EACH(weigh_bonus)
{
    UNUSED;
    of(v->next_bonus, seat)[i] *= own->bonus_weight;
}

/* a piece: a row, whose bonus policy `first` climbs, too */
EACH(climb_bonus)
{
    UNUSED;
    size_t row = (size_t)(t->first * v->rows + i), a = (size_t)v->actions;
    float share = of(v->share, seat)[row];
    of(v->bound, seat)[i] += own->bonus_weight * of(v->model_bonus, seat)[i];
    for (size_t j = 0; j < a; j++)
        of(v->daction, seat)[row * a + j] -=
            own->bonus_weight * share * of(v->model_slope, seat)[(size_t)i * a + j];
}

/* a piece: model i, its error to y, and the slope of that */
WARPS(model_error)
{
    UNUSED;
    int outputs = v->model_outputs;
    size_t first = (size_t)i * (size_t)t->capacity * (size_t)outputs;
    const float *out = of(t->x, seat) + first, *target = of(t->y, seat);
    const float *share = of(v->model_share, seat);
    float *dout = of(v->model_dout, seat) + first;
    double loss = 0;
    for (int at = lane; at < v->rows * outputs; at += LANES) {
        float error = out[at] - target[at];
        loss += (double)(share[at % outputs] * error * error) / v->rows;
        dout[at] = 2 * share[at % outputs] * error / (float)v->rows;
    }
    loss = sum_of_lanes(loss);
    if (lane == 0)
        own->model_loss[i] = loss;
}

/* one piece: the bonus's weight rises where the policy gains less than its shadow */
WARPS(tune_bonus)
{
    UNUSED;
    const float *bonus = of(v->model_bonus, seat), *share = of(v->share, seat);
    double sum = 0;
    for (int row = lane; row < v->rows; row += LANES)
        sum += (double)share[row] * (double)(bonus[v->rows + row] - bonus[row]);
    sum = sum_of_lanes(sum);
    if (lane == 0 && own->tunes_bonus) {
        weight_move(own->factors[WAC_GENERAL_BONUS], -(float)sum, &own->bonus);
        own->bonus_weight = expf(own->bonus.number);
    }
}

/* --- an optimist ------------------------------------------------------------------------------ */

/* a piece: an entry of its action, from the policy's heads x by its shift y */
EACH(optimist_act)
{
    UNUSED;
    int a = v->actions;
    const float *mean = of(t->x, seat) + (size_t)(2 * (i / a) * a + i % a);
    float slope, std = own->optimist_std * expf(log_std_of(own->bent, mean[a], &slope));
    of(v->optimist_action, seat)[i] =
        tanhf(*mean + of(t->y, seat)[i] + std * of(v->optimist_noise, seat)[i]);
}

/* a piece: a row; what critics ask of its action becomes what is asked of the shift y, at the price
 * of the distance from the policy, whose heads are x */
EACH(optimist_pull)
{
    UNUSED;
    int a = v->actions;
    const float *log_std = of(t->x, seat) + (size_t)((2 * i + 1) * a);
    const float *shift = of(t->y, seat) + (size_t)(i * a);
    const float *action = of(v->optimist_action, seat) + (size_t)(i * a);
    float *dshift = of(v->optimist_dshift, seat) + (size_t)(i * a), away = 0;
    float price = own->weights[1] * of(v->share, seat)[i];
    for (int j = 0; j < a; j++) {
        float slope, pull = shift[j] * expf(-2 * log_std_of(own->bent, log_std[j], &slope));
        away += 0.5f * shift[j] * pull;
        dshift[j] = dshift[j] * (1 - action[j] * action[j]) + price * pull;
    }
    of(v->optimist_divergence, seat)[i] = away;
}

/* one piece: what it was worth, and a step of its weights */
WARPS(optimist_tune)
{
    UNUSED;
    const float *share = of(v->share, seat), *bound = of(v->bound, seat);
    const float *away = of(v->optimist_divergence, seat);
    double distance = 0, climbed = 0;
    for (int row = lane; row < v->rows; row += LANES) {
        distance += (double)share[row] * (double)away[row];
        climbed += (double)share[row] * (double)bound[row];
    }
    distance = sum_of_lanes(distance);
    climbed = sum_of_lanes(climbed);
    if (lane > 0)
        return;
    own->divergence = distance;
    own->objective[v->policies] = (double)own->weights[1] * distance - climbed;
    float beyond = (float)(distance / v->actions - (double)own->divergence_target), slope;
    for (int k = 0; k < 2; k++) {
        bent_weight(own->optimism[k].number, &slope);
        weight_move(own->factors[WAC_GENERAL_DIVERGENCE], k ? -beyond * slope : beyond * slope,
                    &own->optimism[k]);
        own->weights[k] = bent_weight(own->optimism[k].number, &slope);
    }
}
