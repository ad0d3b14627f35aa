/* What an update draws from replay and streams, bit for bit what base/rng.c and rl/host/host.c do;
 * and what a seat counts. */
#include "rl/cuda/general.cuh"

DEVICE float unit_of(uint32_t word)
{
    return (float)(word >> 8) * 0x1p-24f;
}

DEVICE int64_t index_of(uint32_t word, int64_t limit)
{
    return (int64_t)((uint64_t)word * (uint64_t)limit >> 32);
}

/* --- from the replay -------------------------------------------------------------------------- */

/* a piece: four rows of the batch */
EACH(draw_index)
{
    UNUSED;
    uint32_t words[4];
    int64_t filled = own->remembered < own->capacity ? own->remembered : own->capacity;
    draw_words(own->seed, STREAM_BATCH, own->batch_counter + (uint64_t)i, words);
    for (int k = 0; k < 4 && 4 * i + k < v->rows; k++)
        v->index[(size_t)seat * (size_t)v->rows + (size_t)(4 * i + k)] = index_of(words[k], filled);
}

DEVICE float normalised(const wac_general_view *v, const wac_general_seat *own, int seat, int i,
                        float value)
{
    if (!own->normalises)
        return value;
    return clamped((value - of(v->offset, seat)[i]) * of(v->scale, seat)[i], -1, 1);
}

/* a piece: a number of a row's record */
EACH(gather)
{
    UNUSED;
    int o = v->observations, a = v->actions, record = 2 * o + a + 2;
    int row = i / record, k = i % record;
    int64_t slot = v->index[(size_t)seat * (size_t)v->rows + (size_t)row];
    float value = of(v->replay, seat)[(size_t)slot * (size_t)record + (size_t)k];
    if (k < o)
        of(v->batch_observations, seat)[row * o + k] = normalised(v, own, seat, k, value);
    else if (k < o + a)
        of(v->batch_actions, seat)[row * a + k - o] = value;
    else if (k == o + a)
        of(v->rewards, seat)[row] = value;
    else if (k < 2 * o + a + 1)
        of(v->next_observations, seat)[row * o + k - o - a - 1] =
            normalised(v, own, seat, k - o - a - 1, value);
    else
        of(v->terminals, seat)[row] = value;
}

DEVICE int coverage_bin(float value)
{
    double bin = ((double)value + 1) / 2 * WAC_COVERAGE_SIDE;
    return !(bin > 0) ? 0 : bin < WAC_COVERAGE_SIDE ? (int)bin : WAC_COVERAGE_SIDE - 1;
}

/* a piece: a row, counted where its pair lies; whole numbers, in whatever order */
EACH(count_pairs)
{
    UNUSED;
    if (!own->counts)
        return;
    int bin =
        coverage_bin(of(v->batch_observations, seat)[i * v->observations]) * WAC_COVERAGE_SIDE +
        coverage_bin(of(v->batch_actions, seat)[i * v->actions]);
    int64_t *count = v->coverage + (size_t)seat * WAC_COVERAGE_BINS + bin;
#ifdef __CUDACC__
    atomicAdd((unsigned long long *)count, 1ull);
#else
    ++*count;
#endif
}

/* a piece: a row, and which members learn from it, by the number of its transition */
EACH(draw_masks)
{
    UNUSED;
    enum { WORDS = 4, BLOCKS = WAC_GENERAL_POLICIES / WORDS + 1 };
    uint32_t words[BLOCKS * WORDS];
    int64_t slot = v->index[(size_t)seat * (size_t)v->rows + (size_t)i];
    int64_t last = own->remembered - 1;
    uint64_t number = (uint64_t)(slot + (last - slot) / own->capacity * own->capacity);
    float *masks = of(v->masks, seat) + i;
    bool any = false;
    for (int b = 0; b <= v->members / WORDS; b++)
        draw_words(own->seed, STREAM_MASK, number * BLOCKS + (uint64_t)b, words + b * WORDS);
    for (int m = 0; m < v->members; m++) {
        bool learns = (double)unit_of(words[m]) < own->member_share;
        masks[m * v->rows] = learns;
        any = any || learns;
    }
    if (!any)
        masks[(int)((double)unit_of(words[v->members]) * v->members) * v->rows] = 1;
}

/* --- from streams ----------------------------------------------------------------------------- */

/* a piece: four of `columns` normals of x, `first` blocks behind the seat's counter */
EACH(fill_normal)
{
    UNUSED;
    uint32_t words[4];
    float *out = of(t->x, seat) + 4 * i;
    draw_words(own->seed, STREAM_NOISE, own->noise_counter + (uint64_t)(t->first + i), words);
    for (int k = 0; k < 4 && 4 * i + k < t->columns; k += 2) {
        double radius = sqrt(-2.0 * log((words[k] + 1.0) * 0x1p-32));
        double angle = 6.283185307179586 * (words[k + 1] * 0x1p-32);
        out[k] = (float)(radius * cos(angle));
        if (4 * i + k + 1 < t->columns)
            out[k + 1] = (float)(radius * sin(angle));
    }
}

/* a piece: four numbers of the synthetic pairs, of which the seat has its own count */
EACH(fill_pairs)
{
    UNUSED;
    uint32_t words[4];
    int inputs = v->observations + v->actions;
    float *out = of(v->drawn_pairs, seat) + v->rows * inputs;
    draw_words(own->seed, STREAM_SYNTHETIC, own->synthetic_counter + (uint64_t)i, words);
    for (int k = 4 * i; k < 4 * i + 4 && k < own->synthetic * inputs; k++)
        out[k] = -1 + 2 * unit_of(words[k % 4]);
}

/* one piece: the critics that this update's backup chooses from */
EACH(draw_subset)
{
    UNUSED;
    int all[WAC_GENERAL_CRITICS];
    for (int k = 0; k < v->means; k++)
        all[k] = k;
    for (int k = 0; k < v->subset; k++) {
        uint32_t words[4];
        draw_words(own->seed, STREAM_SUBSET, own->subset_counter + (uint64_t)k, words);
        int pick = (int)index_of(words[0], v->means - k);
        own->subset[k] = all[k + pick];
        all[k + pick] = all[k];
    }
}

/* --- what is counted -------------------------------------------------------------------------- */

/* one piece: all has been drawn, `first` blocks of noise. And weights follow from the numbers that
 * learn here, too, since a processor that has loaded a run may have made them otherwise in the last
 * bit. */
EACH(advance)
{
    UNUSED;
    float slope;
    for (int m = 0; !v->deterministic && m < v->policies; m++)
        own->alpha[m] = expf(own->entropy[m].number);
    if (v->models)
        own->bonus_weight = expf(own->bonus.number);
    for (int k = 0; v->optimist_x.at && k < 2; k++)
        own->weights[k] = bent_weight(own->optimism[k].number, &slope);
    int inputs = v->observations + v->actions;
    own->batch_counter += (uint64_t)((v->rows + 3) / 4);
    own->noise_counter += (uint64_t)t->first;
    own->synthetic_counter += (uint64_t)((own->synthetic * inputs + 3) / 4);
    own->subset_counter += (uint64_t)v->subset;
    own->begun++;
}

/* one piece: whether policies move in this update */
EACH(plan)
{
    UNUSED;
    own->moves = own->delay == 0 || (own->critic_steps + 1) % own->delay == 0;
}

DEVICE wac_general_factors factors_of(double beta1, int64_t steps, double rate, double decay)
{
    wac_general_factors factors;
    factors.step = (float)(rate / (1 - pow(beta1, (double)steps)));
    factors.correction = (float)(1 / sqrt(1 - pow(0.999, (double)steps)));
    factors.decay = (float)(rate * decay);
    factors.fresh = (float)(1 - beta1);
    return factors;
}

/* one piece: a step of the learner `flags` is next, and what it takes from the number of steps */
EACH(prepare)
{
    UNUSED;
    wac_general_factors *all = own->factors;
    double decay = own->weight_decay, rate = own->learning_rate;
    if (t->flags == WAC_GENERAL_POLICY) {
        int64_t steps = ++own->policy_steps;
        all[WAC_GENERAL_POLICY] = factors_of(0.9, steps, rate, decay);
    } else if (t->flags == WAC_GENERAL_CRITIC) {
        int64_t steps = ++own->critic_steps;
        all[WAC_GENERAL_CRITIC] = factors_of(0.9, steps, rate, decay);
        all[WAC_GENERAL_STD] = factors_of(0.9, steps, own->std_learning_rate, decay);
    } else if (t->flags == WAC_GENERAL_MODEL) {
        int64_t steps = ++own->model_steps;
        all[WAC_GENERAL_MODEL] = factors_of(0.9, steps, own->model_learning_rate, 0);
        all[WAC_GENERAL_BONUS] = factors_of(0.9, steps, rate, 0);
    } else if (t->flags == WAC_GENERAL_ENTROPY) {
        own->entropy_steps += own->tunes;
        if (own->tunes)
            all[WAC_GENERAL_ENTROPY] = factors_of(own->momentum, own->entropy_steps, rate, 0);
    } else if (t->flags == WAC_GENERAL_DIVERGENCE) {
        all[WAC_GENERAL_DIVERGENCE] =
            factors_of(own->momentum, own->policy_steps, own->divergence_rate, 0);
    }
}

DEVICE bool all_finite(const double *values, int count)
{
    bool finite = true;
    for (int i = 0; i < count; i++)
        finite = finite && isfinite(values[i]);
    return finite;
}

/* one piece: an update is done; who left the finite numbers stops (wac_seat_check) */
EACH(tell)
{
    UNUSED;
    int objectives = v->policies, critics = v->means + v->stds;
    bool finite = all_finite(own->loss, critics) &&
                  all_finite(own->regularisation + v->means, v->stds) &&
                  all_finite(own->objective, objectives) && all_finite(own->model_loss, v->models);
    if (v->optimist_x.at)
        finite = finite && isfinite(own->objective[objectives]);
    for (int m = 0; m < v->policies; m++)
        finite = finite && isfinite(own->alpha[m]);
    if (v->models)
        finite = finite && isfinite(own->bonus_weight);
    own->updated++;
    own->active = finite;
}
