/* The steps that go through networks, as kernels. A block of threads has one tile of rows of one
 * network (or of one policy and all critics) of one seat; nothing it does depends on other seats.
 * The arithmetic beside the networks is that of rl/host/batch.c. */
#ifndef WAC_RL_CUDA_KERNELS_CUH
#define WAC_RL_CUDA_KERNELS_CUH

#include "rl/cuda/passes.cuh"

extern __shared__ __align__(16) char shared_memory[];

/* Two blocks of threads on a processor hide each other's waiting. */
#define PASS_BOUNDS __launch_bounds__(THREADS, BLOCKS > 1 ? 1 : 2)

__device__ inline rows_view rows_at(int tile, const float *a, int a_size,
                                    const float *b, int b_size, int count)
{
    int left = count - tile * TILE;
    return {a, b, a_size, b_size, tile * TILE, left < TILE ? left : TILE};
}

/* From rows to the last hidden layer: done(sums, block) for each part of it, rectified. */
template <typename pass_t, typename done_fn>
__device__ inline void go_forth(const pass_t &p, const rows_view &x, const float *params,
                                const typename pass_t::element *hidden, const wac_engine_layout &at,
                                int inputs, typename pass_t::element *keep,
                                typename pass_t::bits above0, typename pass_t::bits above1,
                                done_fn done)
{
    typename pass_t::sums c;
    p.template prefetch<false>(hidden);
    p.first_layer(x, params, at, inputs, above0);
    if (keep)
        p.keep_activations(keep);
    constexpr int BLOCKS = pass_t::WIDTH / (pass_t::NT * 8 * WARPS_N);
    for (int block = 0; block < BLOCKS; block++) {
        p.template multiply_hidden<false>(c, hidden, block);
        p.add_bias(c, params + at.bias[1], block);
        p.rectify(c, above1, block);
        done(c, block);
    }
}

/* The value of a critic for each row of a tile, in p.row_values(). Ends with all threads together. */
template <typename pass_t>
__device__ inline void ask_critic(const pass_t &p, const rows_view &x, const float *params,
                                  const typename pass_t::element *hidden,
                                  const wac_engine_layout &at, int inputs,
                                  typename pass_t::element *keep_h0,
                                  typename pass_t::element *keep_h1, typename pass_t::bits above0,
                                  typename pass_t::bits above1)
{
    const float *weight = params + at.weight[2];
    float bias = params[at.bias[2]], *values = p.row_values();
    go_forth(p, x, params, hidden, at, inputs, keep_h0, above0, above1,
             [&](typename pass_t::sums c, int block) {
                 if (keep_h1)
                     p.each(c, block, [&](int row, int column, float a, float b) {
                         pass_t::put(keep_h1 + (size_t)row * pass_t::WIDTH + column, a, b);
                     });
                 p.dot_rows(
                     c, block, 1, [&](int, int column) { return weight[column]; },
                     [&](int row, int, float sum) {
                         values[row] = (block ? values[row] : bias) + sum;
                     });
             });
    __syncthreads();
}

/* From the gradient of the last hidden layer, in the activations, to that of the first: done(sums,
 * block), not masked yet. The first pieces of the weights have been asked for. */
template <typename pass_t, typename done_fn>
__device__ inline void go_back(const pass_t &p, const typename pass_t::element *hidden,
                               done_fn done)
{
    typename pass_t::sums c;
    constexpr int BLOCKS = pass_t::WIDTH / (pass_t::NT * 8 * WARPS_N);
    for (int block = 0; block < BLOCKS; block++) {
        p.template multiply_hidden<true>(c, hidden, block);
        done(c, block);
    }
}

/* Back from a critic's gradient by row, in p.row_values(), to the last hidden layer, into the
 * activations. Ends with all threads together. */
template <typename pass_t>
__device__ inline void enter_critic(const pass_t &p, const float *weight,
                                    const unsigned *above1)
{
    typename pass_t::sums c;
    typename pass_t::element *to = p.activations();
    const float *values = p.row_values();
    constexpr int BLOCKS = pass_t::WIDTH / (pass_t::NT * 8 * WARPS_N);
    for (int block = 0; block < BLOCKS; block++) {
#pragma unroll
        for (int n = 0; n < pass_t::NT; n++) {
            int column = block * (pass_t::WIDTH / BLOCKS) + p.lane_column + n * 8;
            float2 w = *(const float2 *)(weight + column);
#pragma unroll
            for (int m = 0; m < pass_t::MT; m++)
#pragma unroll
                for (int half = 0; half < 2; half++) {
                    float value = values[p.lane_row + m * 16 + half * 8];
                    c[m][n][2 * half] = value * w.x;
                    c[m][n][2 * half + 1] = value * w.y;
                }
        }
        p.mask(c, above1, block);
        p.each(c, block, [&](int row, int column, float a, float b) {
            pass_t::put(to + row * pass_t::ROW + column, a, b);
        });
    }
    __syncthreads();
}

/* --- steps 1 and 3: actions ------------------------------------------------------------------- */

template <int PRECISION, int NB, int BLOCKS>
__global__ PASS_BOUNDS void sample_kernel(const __grid_constant__ engine_view e, int next)
{
    typedef pass<PRECISION, NB, BLOCKS> pass_t;
    typedef typename pass_t::element element;
    int tile = blockIdx.x, seat = blockIdx.z;
    int policy = next < 0 ? blockIdx.y : next, actions = e.actions;
    if (!e.seats[seat].active)
        return;
    pass_t p(shared_memory);
    typename pass_t::bits above0, above1;
    const float *params = params_of(e.policy, seat, policy);
    const element *hidden = hidden_of(e.policy, seat, policy, pass_t::WIDTH, (element *)0);
    size_t batch = (size_t)seat * e.rows;
    rows_view x = rows_at(
        tile, (next < 0 ? e.batch_observations : e.next_observations) + batch * e.observations,
        e.observations, NULL, 0, e.rows);
    element *h0 = NULL, *h1 = NULL;
    if (next < 0) {
        size_t at = (size_t)tile * TILE * pass_t::WIDTH;
        h0 = trace_of<element>(e.policy_trace, e.policy_trace.h0, e.policies, seat, policy,
                               pass_t::WIDTH) + at;
        h1 = trace_of<element>(e.policy_trace, e.policy_trace.h1, e.policies, seat, policy,
                               pass_t::WIDTH) + at;
    }
    size_t first = (next < 0 ? (size_t)seat * e.policies + policy : (size_t)seat) * e.rows + x.first;
    float *heads = (next < 0 ? e.heads : e.next_heads) + first * 2 * actions;
    float *action = (next < 0 ? e.action : e.next_action) + first * actions;
    float *log_prob = (next < 0 ? e.log_prob : e.next_log_prob) + first;
    const float *noise = (next < 0 ? e.noise : e.next_noise) + first * actions;
    const float *weight = params + e.policy.at.weight[2], *bias = params + e.policy.at.bias[2];
    go_forth(p, x, params, hidden, e.policy.at, e.observations, h0, above0, above1,
             [&](typename pass_t::sums c, int block) {
                 if (h1)
                     p.each(c, block, [&](int row, int column, float a, float b) {
                         pass_t::put(h1 + (size_t)row * pass_t::WIDTH + column, a, b);
                     });
                 p.dot_rows(
                     c, block, 2 * actions,
                     [&](int o, int column) { return weight[(size_t)o * pass_t::WIDTH + column]; },
                     [&](int row, int o, float sum) {
                         float *head = heads + (size_t)row * 2 * actions + o;
                         if (row < x.count)
                             *head = (block ? *head : bias[o]) + sum;
                     });
             });
    int row = threadIdx.x;
    if (row >= x.count)
        return;
    float total = 0;
    for (int j = 0; j < actions; j++) {
        const float *mean = heads + (size_t)row * 2 * actions + j;
        float e0 = noise[row * actions + j];
        float spread = fminf(fmaxf(mean[actions], -20.f), 2.f);
        float a = tanhf(mean[0] + expf(spread) * e0);
        action[row * actions + j] = a;
        total += -0.5f * e0 * e0 - spread - 0.918938533f - logf(1 - a * a + 1e-6f);
    }
    log_prob[row] = total;
}

/* --- step 4: what target critics say of next pairs, and anchors of synthetic ones --------------- */

template <int PRECISION, int NB, int BLOCKS>
__global__ PASS_BOUNDS void ask_kernel(const __grid_constant__ engine_view e)
{
    typedef pass<PRECISION, NB, BLOCKS> pass_t;
    typedef typename pass_t::element element;
    int seat = blockIdx.y, job = blockIdx.x, critics = critics_of(e);
    const wac_engine_seat &own = e.seats[seat];
    if (!own.active)
        return;
    bool anchored = job >= critics * e.batch_tiles;
    int tile, member, inputs = e.observations + e.actions;
    size_t batch = (size_t)seat * e.rows;
    rows_view x;
    float *out;
    if (anchored) {
        job -= critics * e.batch_tiles;
        tile = job % e.synthetic_tiles;
        member = job / e.synthetic_tiles;
        x = rows_at(tile, e.pairs + (size_t)seat * e.synthetic * inputs,
                                           inputs, NULL, 0, own.synthetic);
        out = e.anchor_out + ((size_t)seat * e.stds + member) * e.synthetic;
    } else {
        tile = job % e.batch_tiles;
        member = job / e.batch_tiles;
        x = rows_at(tile, e.next_observations + batch * e.observations,
                                           e.observations, e.next_action + batch * e.actions,
                                           e.actions, e.rows);
        out = e.target_out + ((size_t)seat * critics + member) * e.rows;
    }
    if (x.count <= 0)
        return;
    const stack_view &stack = anchored ? e.anchor : e.target;
    pass_t p(shared_memory);
    typename pass_t::bits above0, above1;
    ask_critic(p, x, params_of(stack, seat, member),
               hidden_of(stack, seat, member, pass_t::WIDTH, (element *)0), stack.at, inputs,
               (element *)NULL, (element *)NULL, above0, above1);
    if ((int)threadIdx.x < x.count)
        out[x.first + threadIdx.x] = p.row_values()[threadIdx.x];
}

/* --- steps 5 and 6: critics, forth and back ------------------------------------------------------ */

/* The gradient by the output of a row of the batch; writes down what others want to know. */
__device__ inline float batch_error(const engine_view &e, int seat, int member, int row, float out,
                                    int entropy)
{
    const wac_engine_seat &own = e.seats[seat];
    int critics = critics_of(e);
    size_t at = (size_t)seat * e.rows + row;
    const float *next = e.target_out + (size_t)seat * critics * e.rows + row;
    int k = smallest_bound(e, next, e.rows, e.stds > 0, own.kappa);
    float going_on = own.discount * (1 - e.terminals[at]);
    if (member < e.means) {
        float target = e.rewards[at] + going_on * (next[(size_t)k * e.rows] -
                                                   own.alpha[entropy] * e.next_log_prob[at]);
        if (member == 0)
            e.mean_target[at] = target;
        return 2 * (out - target) / e.rows;
    }
    float std = expf(out), target = going_on * expf(next[(size_t)std_beside(e, k) * e.rows]);
    target = fminf(fmaxf(target, 0.f), own.sigma_max);
    if (member == e.means)
        e.std_target[at] = target;
    return 2 * (std - target) * std / e.rows;
}

__device__ inline float synthetic_error(const engine_view &e, int seat, int member, int row,
                                        float out)
{
    const wac_engine_seat &own = e.seats[seat];
    float anchor = e.anchor_out[((size_t)seat * e.stds + member - e.means) * e.synthetic + row];
    float std = expf(out), target = fminf(fmaxf(expf(anchor), 0.f), own.sigma_max);
    return 2 * own.lambda * (std - target) * std / own.synthetic;
}

template <int PRECISION, int NB, int BLOCKS>
__global__ PASS_BOUNDS void teach_kernel(const __grid_constant__ engine_view e, int entropy)
{
    typedef pass<PRECISION, NB, BLOCKS> pass_t;
    typedef typename pass_t::element element;
    int seat = blockIdx.y, job = blockIdx.x, critics = critics_of(e);
    const wac_engine_seat &own = e.seats[seat];
    if (!own.active)
        return;
    bool synthetic = job >= critics * e.batch_tiles;
    int tile, member, inputs = e.observations + e.actions;
    size_t batch = (size_t)seat * e.rows;
    rows_view x;
    if (synthetic) {
        job -= critics * e.batch_tiles;
        tile = job % e.synthetic_tiles;
        member = e.means + job / e.synthetic_tiles;
        x = rows_at(tile, e.pairs + (size_t)seat * e.synthetic * inputs,
                                           inputs, NULL, 0, own.synthetic);
    } else {
        tile = job % e.batch_tiles;
        member = job / e.batch_tiles;
        x = rows_at(tile, e.batch_observations + batch * e.observations,
                                           e.observations, e.batch_actions + batch * e.actions,
                                           e.actions, e.rows);
    }
    if (x.count <= 0)
        return;
    pass_t p(shared_memory);
    typename pass_t::bits above0, above1;
    const float *params = params_of(e.critic, seat, member);
    const element *hidden = hidden_of(e.critic, seat, member, pass_t::WIDTH, (element *)0);
    /* the tile's place in the trace: synthetic rows come after the batch's last whole tile */
    const trace_view &trace = e.critic_trace;
    int place = (synthetic ? e.batch_tiles + tile : tile) * TILE;
    size_t at = (size_t)place * pass_t::WIDTH;
#define TRACE(name) (trace_of<element>(trace, trace.name, critics, seat, member, pass_t::WIDTH) + at)
    ask_critic(p, x, params, hidden, e.critic.at, inputs, TRACE(h0), TRACE(h1), above0, above1);
    p.template prefetch<true>(hidden);
    if (threadIdx.x < TILE) {
        int row = threadIdx.x, absolute = x.first + row;
        float out = p.row_values()[row], dout = 0;
        if (row < x.count) {
            dout = synthetic ? synthetic_error(e, seat, member, absolute, out)
                             : batch_error(e, seat, member, absolute, out, entropy);
            e.critic_out[((size_t)seat * critics + member) * (e.rows + e.synthetic) +
                         (synthetic ? e.rows : 0) + absolute] = out;
        }
        p.row_values()[row] = dout;
        e.dout[((size_t)seat * critics + member) * trace.rows + place + row] = dout;
    }
    __syncthreads();
    enter_critic(p, params + e.critic.at.weight[2], above1);
    p.keep_activations(TRACE(d1));
    element *d0 = TRACE(d0);
    go_back(p, hidden, [&](typename pass_t::sums c, int block) {
        p.mask(c, above0, block);
        p.each(c, block, [&](int row, int column, float a, float b) {
            pass_t::put(d0 + (size_t)row * pass_t::WIDTH + column, a, b);
        });
    });
#undef TRACE
}

/* --- steps 7 and 8: what a policy would climb, and back through it ------------------------------- */

/* The gradient of -bound / rows by the output of a critic at a row of the batch. */
__device__ inline float bound_slope(const engine_view &e, const wac_engine_seat &own,
                                    const float *out, bool with_std, int member)
{
    int chosen = smallest_bound(e, out, e.rows, with_std, own.kappa);
    float weight = 1.f / e.rows;
    if (member < e.means)
        return member == chosen ? -weight : 0;
    return member == std_beside(e, chosen)
               ? -weight * own.kappa * expf(out[(size_t)member * e.rows])
               : 0;
}

/* dheads [2A] of a row, whose first A are the gradient by the action (wac_policy_gradient) */
__device__ inline void policy_gradient(const engine_view &e, const float *heads, const float *noise,
                                       const float *action, float dlog_prob, float *dheads)
{
    int actions = e.actions;
    for (int j = 0; j < actions; j++) {
        float a = action[j], slope = 1 - a * a, log_std = heads[actions + j];
        float da = dheads[j] + dlog_prob * 2 * a / (slope + 1e-6f);
        float du = da * slope;
        bool inside = log_std >= -20 && log_std <= 2;
        dheads[j] = du;
        dheads[actions + j] = inside ? du * expf(log_std) * noise[j] - dlog_prob : 0;
    }
}

__device__ inline float2 pair_at(const float *at)
{
    return *(const float2 *)at;
}

__device__ inline float2 pair_at(const half_t *at)
{
    return __bfloat1622float2(*(const __nv_bfloat162 *)at);
}

/* Back through the policy itself: from dheads [TILE][2A], of which `count` rows count. */
template <typename pass_t>
__device__ inline void go_back_policy(const pass_t &p, const engine_view &e, int seat, int policy,
                                      int tile, int count, const float *dheads)
{
    typedef typename pass_t::element element;
    constexpr int BLOCKS = pass_t::WIDTH / (pass_t::NT * 8 * WARPS_N);
    const trace_view &trace = e.policy_trace;
    size_t at = (size_t)tile * TILE * pass_t::WIDTH;
#define TRACE(name)                                                                                \
    (trace_of<element>(trace, trace.name, e.policies, seat, policy, pass_t::WIDTH) + at)
    const float *params = params_of(e.policy, seat, policy), *weight = params + e.policy.at.weight[2];
    const element *hidden = hidden_of(e.policy, seat, policy, pass_t::WIDTH, (element *)0);
    element *d0 = TRACE(d0), *h0 = TRACE(h0), *h1 = TRACE(h1), *to = p.activations();
    p.template prefetch<true>(hidden);
    int outputs = 2 * e.actions;
    for (int block = 0; block < BLOCKS; block++) {
        typename pass_t::sums c;
        p.clear(c);
        for (int o = 0; o < outputs; o++) {
            float heads[pass_t::MT][2];
#pragma unroll
            for (int m = 0; m < pass_t::MT; m++)
#pragma unroll
                for (int half = 0; half < 2; half++) {
                    int row = p.lane_row + m * 16 + half * 8;
                    heads[m][half] = row < count ? dheads[(size_t)row * outputs + o] : 0;
                }
#pragma unroll
            for (int n = 0; n < pass_t::NT; n++) {
                int column = block * (pass_t::WIDTH / BLOCKS) + p.lane_column + n * 8;
                float2 w = *(const float2 *)(weight + (size_t)o * pass_t::WIDTH + column);
#pragma unroll
                for (int m = 0; m < pass_t::MT; m++)
#pragma unroll
                    for (int half = 0; half < 2; half++) {
                        c[m][n][2 * half] += heads[m][half] * w.x;
                        c[m][n][2 * half + 1] += heads[m][half] * w.y;
                    }
            }
        }
        p.each(c, block, [&](int row, int column, float a, float b) {
            float2 h = pair_at(h1 + (size_t)row * pass_t::WIDTH + column);
            pass_t::put(to + row * pass_t::ROW + column, h.x > 0 ? a : 0, h.y > 0 ? b : 0);
        });
    }
    __syncthreads();
    p.keep_activations(TRACE(d1));
    go_back(p, hidden, [&](typename pass_t::sums c, int block) {
        p.each(c, block, [&](int row, int column, float a, float b) {
            float2 h = pair_at(h0 + (size_t)row * pass_t::WIDTH + column);
            pass_t::put(d0 + (size_t)row * pass_t::WIDTH + column, h.x > 0 ? a : 0,
                        h.y > 0 ? b : 0);
        });
    });
#undef TRACE
}

template <int PRECISION, int NB, int BLOCKS>
__global__ PASS_BOUNDS void aim_kernel(const __grid_constant__ engine_view e, unsigned with_stds)
{
    typedef pass<PRECISION, NB, BLOCKS> pass_t;
    typedef typename pass_t::element element;
    int tile = blockIdx.x, policy = blockIdx.y, seat = blockIdx.z, all = critics_of(e);
    const wac_engine_seat &own = e.seats[seat];
    if (!own.active)
        return;
    bool with_std = with_stds >> policy & 1;
    int critics = with_std ? all : e.means, inputs = e.observations + e.actions;
    size_t batch = (size_t)seat * e.rows, sampled = ((size_t)seat * e.policies + policy) * e.rows;
    rows_view x = rows_at(
        tile, e.batch_observations + batch * e.observations, e.observations,
        e.action + sampled * e.actions, e.actions, e.rows);
    pass_t p(shared_memory);
    unsigned above[WAC_ENGINE_CRITICS][2][pass_t::WORDS];
    float *out = e.aim_out + ((size_t)seat * e.policies + policy) * all * e.rows + x.first;
    for (int m = 0; m < critics; m++) {
        typename pass_t::bits above0, above1;
        ask_critic(p, x, params_of(e.critic, seat, m),
                   hidden_of(e.critic, seat, m, pass_t::WIDTH, (element *)0), e.critic.at, inputs,
                   (element *)NULL, (element *)NULL, above0, above1);
#pragma unroll
        for (int w = 0; w < pass_t::WORDS; w++) {
            above[m][0][w] = above0[w];
            above[m][1][w] = above1[w];
        }
        if ((int)threadIdx.x < x.count)
            out[(size_t)m * e.rows + threadIdx.x] = p.row_values()[threadIdx.x];
    }
    int row = threadIdx.x;
    if (row < x.count) {
        int chosen = smallest_bound(e, out + row, e.rows, with_std, own.kappa);
        float bound = out[(size_t)chosen * e.rows + row];
        if (with_std)
            bound += own.kappa * expf(out[(size_t)std_beside(e, chosen) * e.rows + row]);
        e.bound[sampled + x.first + row] = bound;
    }

    float *dheads =
        e.dheads + (((size_t)seat * e.policies + policy) * e.policy_trace.rows + x.first) * 2 *
                       e.actions;
    for (int m = 0; m < critics; m++) {
        typename pass_t::bits above0, above1;
#pragma unroll
        for (int w = 0; w < pass_t::WORDS; w++) {
            above0[w] = above[m][0][w];
            above1[w] = above[m][1][w];
        }
        const float *params = params_of(e.critic, seat, m);
        const element *hidden = hidden_of(e.critic, seat, m, pass_t::WIDTH, (element *)0);
        p.template prefetch<true>(hidden);
        if (row < TILE)
            p.row_values()[row] =
                row < x.count ? bound_slope(e, own, out + row, with_std, m) : 0;
        __syncthreads();
        enter_critic(p, params + e.critic.at.weight[2], above1);
        const float *first = params + e.critic.at.weight[0] + e.observations;
        go_back(p, hidden, [&](typename pass_t::sums c, int block) {
            p.mask(c, above0, block);
            p.dot_rows(
                c, block, e.actions,
                [&](int o, int column) { return first[(size_t)column * inputs + o]; },
                [&](int r, int o, float sum) {
                    float *to = dheads + (size_t)r * 2 * e.actions + o;
                    *to = (m || block ? *to : 0) + sum;
                });
        });
    }
    if (row < x.count) {
        size_t at = sampled + x.first + row;
        policy_gradient(e, e.heads + at * 2 * e.actions, e.noise + at * e.actions,
                        e.action + at * e.actions, own.alpha[policy] / e.rows,
                        dheads + (size_t)row * 2 * e.actions);
    } else if (row < TILE) {
        for (int j = 0; j < 2 * e.actions; j++)
            dheads[(size_t)row * 2 * e.actions + j] = 0;
    }
    __syncthreads();
    go_back_policy(p, e, seat, policy, tile, x.count, dheads);
}

/* --- gradients of parameters, and Adam along them ------------------------------------------------ */

typedef struct mover {
    float step, correction;
    float rate; /* at which the target follows; there is none without */
    float *params, *first, *second, *target;
    half_t *half, *target_half; /* of the hidden weights, or null */
} mover;

/* A network's mover; critics are followed by targets. */
__device__ inline mover mover_of(const engine_view &e, const stack_view &stack, bool critics,
                                 int seat, int member)
{
    const wac_engine_seat &own = e.seats[seat];
    size_t network = (size_t)seat * stack.members + member, at = network * stack.at.stride;
    size_t hidden = network * e.width * e.width;
    mover mover = {own.policy_step, own.policy_correction, 0, stack.params + at, stack.first + at,
                   stack.second + at, NULL, stack.half ? stack.half + hidden : NULL, NULL};
    if (critics) {
        mover.step = member < e.means ? own.mean_step : own.std_step;
        mover.correction = own.critic_correction;
        mover.rate = own.target_rate;
        mover.target = e.target.params + at;
        mover.target_half = e.target.half ? e.target.half + hidden : NULL;
    }
    return mover;
}

/* wac_adam_move, and the target behind it; returns the new value, target is the new target */
__device__ inline float move(const mover &m, float gradient, float &first, float &second,
                             float value, float &target)
{
    first += 0.1f * (gradient - first);
    second = 0.999f * second + 0.001f * gradient * gradient;
    value -= m.step * first / (sqrtf(second) * m.correction + 1e-8f);
    target += m.rate * (value - target);
    return value;
}

__device__ inline void move_one(const mover &m, size_t at, float gradient)
{
    float target = m.target ? m.target[at] : 0;
    m.params[at] = move(m, gradient, m.first[at], m.second[at], m.params[at], target);
    if (m.target)
        m.target[at] = target;
}

/* two neighbours of the hidden weights; `place` among them */
__device__ inline void move_two(const mover &m, size_t weights_at, size_t place, float a, float b)
{
    size_t at = weights_at + place;
    float2 value = *(float2 *)(m.params + at), first = *(float2 *)(m.first + at);
    float2 second = *(float2 *)(m.second + at);
    float2 target = m.target ? *(float2 *)(m.target + at) : make_float2(0, 0);
    value.x = move(m, a, first.x, second.x, value.x, target.x);
    value.y = move(m, b, first.y, second.y, value.y, target.y);
    *(float2 *)(m.params + at) = value;
    *(float2 *)(m.first + at) = first;
    *(float2 *)(m.second + at) = second;
    if (m.half)
        *(__nv_bfloat162 *)(m.half + place) = __floats2bfloat162_rn(value.x, value.y);
    if (!m.target)
        return;
    *(float2 *)(m.target + at) = target;
    if (m.target_half)
        *(__nv_bfloat162 *)(m.target_half + place) = __floats2bfloat162_rn(target.x, target.y);
}

/* rows of a network's trace that count, whole tiles: std critics see synthetic pairs, too */
__device__ inline int rows_taught(const engine_view &e, bool critics, int seat, int member)
{
    int tiles = e.batch_tiles;
    if (critics && member >= e.means)
        tiles += (e.seats[seat].synthetic + TILE - 1) / TILE;
    return tiles * TILE;
}

/* The hidden layer: gradient d1^T h0, a square of SIDE x SIDE of it. */
template <int PRECISION, int SIDE> struct square {
    typedef typename kind<PRECISION>::element element;
    static constexpr int MT = SIDE / WARPS_M / 16, NT = SIDE / WARPS_N / 8;
    static constexpr int DEPTH = 32, STAGES = 3;
    static constexpr int ROW = SIDE + 8;
    static constexpr int STAGE = 2 * DEPTH * ROW; /* of d1, and of h0 */
    static constexpr int BYTES = STAGES * STAGE * (int)sizeof(element);
};

template <int PRECISION, int SIDE>
__global__ __launch_bounds__(THREADS, 2) void move_hidden_kernel(
    const __grid_constant__ engine_view e, bool critics)
{
    typedef square<PRECISION, SIDE> square_t;
    typedef typename square_t::element element;
    constexpr int MT = square_t::MT, NT = square_t::NT, ROW = square_t::ROW;
    constexpr int DEPTH = square_t::DEPTH, STAGES = square_t::STAGES;
    constexpr int VECTOR = 16 / sizeof(element), PER_ROW = SIDE / VECTOR;
    int width = e.width, sides = width / SIDE;
    int m0 = blockIdx.x / sides * SIDE, n0 = blockIdx.x % sides * SIDE;
    int member = blockIdx.y, seat = blockIdx.z;
    if (!e.seats[seat].active)
        return;
    const stack_view &stack = critics ? e.critic : e.policy;
    const trace_view &trace = critics ? e.critic_trace : e.policy_trace;
    const element *d1 = trace_of<element>(trace, trace.d1, stack.members, seat, member, width) + m0;
    const element *h0 = trace_of<element>(trace, trace.h0, stack.members, seat, member, width) + n0;
    element *stages = (element *)shared_memory;
    int pieces = rows_taught(e, critics, seat, member) / DEPTH;
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    int warp_m = warp % WARPS_M * MT * 16, warp_n = warp / WARPS_M * NT * 8;

    auto ask = [&](int piece) {
        element *to = stages + piece % STAGES * square_t::STAGE;
        for (int i = threadIdx.x; i < DEPTH * PER_ROW; i += THREADS) {
            int row = i / PER_ROW, column = i % PER_ROW * VECTOR;
            size_t from = (size_t)(piece * DEPTH + row) * width + column;
            copy_16(to + row * ROW + column, d1 + from);
            copy_16(to + (DEPTH + row) * ROW + column, h0 + from);
        }
    };
    for (int i = 0; i < STAGES - 1; i++) {
        if (i < pieces)
            ask(i);
        copies_asked();
    }
    float c[MT][NT][4];
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
        for (int n = 0; n < NT; n++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                c[m][n][i] = 0;
    float bias = 0;
    for (int piece = 0; piece < pieces; piece++) {
        copies_wait<STAGES - 2>();
        __syncthreads();
        if (piece + STAGES - 1 < pieces)
            ask(piece + STAGES - 1);
        copies_asked();
        const element *a = stages + piece % STAGES * square_t::STAGE, *b = a + DEPTH * ROW;
        add_products<PRECISION == WAC_ENGINE_SINGLE, MT, NT, true, true>(c, a + warp_m, ROW,
                                                                         b + warp_n, ROW, DEPTH);
        if (n0 == 0 && threadIdx.x < SIDE)
            for (int row = 0; row < DEPTH; row++)
                bias += (float)a[row * ROW + threadIdx.x];
    }
    mover mover = mover_of(e, stack, critics, seat, member);
#pragma unroll
    for (int m = 0; m < MT; m++)
#pragma unroll
        for (int half = 0; half < 2; half++)
#pragma unroll
            for (int n = 0; n < NT; n++) {
                int row = m0 + warp_m + m * 16 + half * 8 + lane / 4;
                int column = n0 + warp_n + n * 8 + lane % 4 * 2;
                move_two(mover, stack.at.weight[1], (size_t)row * width + column,
                         c[m][n][2 * half], c[m][n][2 * half + 1]);
            }
    if (n0 == 0 && threadIdx.x < SIDE)
        move_one(mover, stack.at.bias[1] + m0 + threadIdx.x, bias);
}

/* The first layer, gradient d0^T x, and the last, (dout^T h1)^T: a strip of 64 x 16 of it, by four
 * warps. A column beyond the inputs is that of ones, and so the first layer's bias. */
enum { STRIP_M = 64, STRIP_N = 16, STRIP_DEPTH = 32, STRIP_THREADS = 128 };

__device__ inline float edge_entry(const engine_view &e, bool critics, int layer, int seat,
                                   int member, int row, int k)
{
    const trace_view &trace = critics ? e.critic_trace : e.policy_trace;
    int members = critics ? critics_of(e) : e.policies;
    if (layer == 2) {
        int outputs = critics ? 1 : 2 * e.actions;
        const float *dout = critics ? e.dout : e.dheads;
        return k < outputs ? dout[(((size_t)seat * members + member) * trace.rows + row) * outputs +
                                  k]
                           : 0;
    }
    int inputs = e.observations + (critics ? e.actions : 0);
    if (k >= inputs)
        return k == inputs;
    int batch_rows = e.batch_tiles * TILE;
    if (row >= batch_rows) {
        row -= batch_rows;
        return row < e.seats[seat].synthetic
                   ? e.pairs[((size_t)seat * e.synthetic + row) * inputs + k]
                   : 0;
    }
    size_t at = (size_t)seat * e.rows + row;
    if (row >= e.rows)
        return 0;
    return k < e.observations ? e.batch_observations[at * e.observations + k]
                              : e.batch_actions[at * e.actions + k - e.observations];
}

template <int PRECISION>
__global__ __launch_bounds__(STRIP_THREADS) void move_edges_kernel(
    const __grid_constant__ engine_view e, bool critics)
{
    typedef typename kind<PRECISION>::element element;
    constexpr int A_ROW = STRIP_M + 8, B_ROW = STRIP_N + 8;
    __shared__ float a[STRIP_DEPTH * A_ROW], b[STRIP_DEPTH * B_ROW];
    int member = blockIdx.y, seat = blockIdx.z, width = e.width;
    if (!e.seats[seat].active)
        return;
    const stack_view &stack = critics ? e.critic : e.policy;
    const trace_view &trace = critics ? e.critic_trace : e.policy_trace;
    int inputs = e.observations + (critics ? e.actions : 0), outputs = critics ? 1 : 2 * e.actions;
    int strips = width / STRIP_M, first_strips = strips * ((inputs + STRIP_N) / STRIP_N);
    int job = blockIdx.x, layer = job < first_strips ? 0 : 2;
    if (layer)
        job -= first_strips;
    int m0 = job % strips * STRIP_M, n0 = job / strips * STRIP_N;
    const element *from = trace_of<element>(trace, layer ? trace.h1 : trace.d0, stack.members, seat,
                                            member, width) + m0;
    int rows = rows_taught(e, critics, seat, member);
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float c[1][2][4] = {}, bias = 0;
    for (int row = 0; row < rows; row += STRIP_DEPTH) {
        for (int i = threadIdx.x; i < STRIP_DEPTH * STRIP_M / 2; i += STRIP_THREADS) {
            int r = i / (STRIP_M / 2), column = i % (STRIP_M / 2) * 2;
            float2 two = pair_at(from + (size_t)(row + r) * width + column);
            *(float2 *)(a + r * A_ROW + column) = two;
        }
        for (int i = threadIdx.x; i < STRIP_DEPTH * STRIP_N; i += STRIP_THREADS)
            b[i / STRIP_N * B_ROW + i % STRIP_N] = edge_entry(
                e, critics, layer, seat, member, row + i / STRIP_N, n0 + i % STRIP_N);
        __syncthreads();
        add_products<PRECISION == WAC_ENGINE_SINGLE, 1, 2, true, true>(
            c, (const float *)a + warp * 16, A_ROW, (const float *)b, B_ROW, STRIP_DEPTH);
        if (layer && m0 == 0 && threadIdx.x < STRIP_N)
            for (int r = 0; r < STRIP_DEPTH; r++)
                bias += b[r * B_ROW + threadIdx.x];
        __syncthreads();
    }
    mover mover = mover_of(e, stack, critics, seat, member);
#pragma unroll
    for (int n = 0; n < 2; n++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int m = m0 + warp * 16 + lane / 4 + i / 2 * 8;
            int k = n0 + n * 8 + lane % 4 * 2 + i % 2;
            if (layer == 0 && k < inputs)
                move_one(mover, stack.at.weight[0] + (size_t)m * inputs + k, c[0][n][i]);
            else if (layer == 0 && k == inputs)
                move_one(mover, stack.at.bias[0] + m, c[0][n][i]);
            else if (layer == 2 && k < outputs)
                move_one(mover, stack.at.weight[2] + (size_t)k * width + m, c[0][n][i]);
        }
    if (layer && m0 == 0 && (int)threadIdx.x < STRIP_N && n0 + (int)threadIdx.x < outputs)
        move_one(mover, stack.at.bias[2] + n0 + threadIdx.x, bias);
}

/* --- launches ------------------------------------------------------------------------------------ */

template <int PRECISION, int NB, int BLOCKS> struct launcher {
    typedef pass<PRECISION, NB, BLOCKS> pass_t;
    static constexpr int SIDE = NB < 128 ? NB : 128;

    static void prepare()
    {
        const struct {
            const void *kernel;
            int bytes;
        } kernels[] = {
            {(const void *)sample_kernel<PRECISION, NB, BLOCKS>, pass_t::BYTES},
            {(const void *)ask_kernel<PRECISION, NB, BLOCKS>, pass_t::BYTES},
            {(const void *)teach_kernel<PRECISION, NB, BLOCKS>, pass_t::BYTES},
            {(const void *)aim_kernel<PRECISION, NB, BLOCKS>, pass_t::BYTES},
            {(const void *)move_hidden_kernel<PRECISION, SIDE>, square<PRECISION, SIDE>::BYTES},
        };
        for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
            cudaFuncSetAttribute(kernels[i].kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 kernels[i].bytes);
    }

    static void sample(const engine_view &e, int next, cudaStream_t stream)
    {
        dim3 grid(e.batch_tiles, next < 0 ? e.policies : 1, e.seat_count);
        sample_kernel<PRECISION, NB, BLOCKS><<<grid, THREADS, pass_t::BYTES, stream>>>(e, next);
    }

    static int critic_tiles(const engine_view &e)
    {
        return (e.means + e.stds) * e.batch_tiles + e.stds * e.synthetic_tiles;
    }

    static void ask(const engine_view &e, cudaStream_t stream)
    {
        dim3 grid(critic_tiles(e), e.seat_count);
        ask_kernel<PRECISION, NB, BLOCKS><<<grid, THREADS, pass_t::BYTES, stream>>>(e);
    }

    static void teach(const engine_view &e, int entropy, cudaStream_t stream)
    {
        dim3 grid(critic_tiles(e), e.seat_count);
        teach_kernel<PRECISION, NB, BLOCKS><<<grid, THREADS, pass_t::BYTES, stream>>>(e, entropy);
    }

    static void aim(const engine_view &e, unsigned with_std, cudaStream_t stream)
    {
        dim3 grid(e.batch_tiles, e.policies, e.seat_count);
        aim_kernel<PRECISION, NB, BLOCKS><<<grid, THREADS, pass_t::BYTES, stream>>>(e, with_std);
    }

    static void move_hidden(const engine_view &e, bool critics, cudaStream_t stream)
    {
        int sides = e.width / SIDE;
        dim3 grid(sides * sides, critics ? e.means + e.stds : e.policies, e.seat_count);
        move_hidden_kernel<PRECISION, SIDE>
            <<<grid, THREADS, square<PRECISION, SIDE>::BYTES, stream>>>(e, critics);
    }
};

/* The launcher for a width. */
#define FOR_WIDTH(width, call)                                                                     \
    do {                                                                                           \
        if ((width) == 64)                                                                         \
            launcher<PRECISION, 64, 1>::call;                                                      \
        else if ((width) == 128)                                                                   \
            launcher<PRECISION, 128, 1>::call;                                                     \
        else if ((width) == 256)                                                                   \
            launcher<PRECISION, 256, 1>::call;                                                     \
        else                                                                                       \
            launcher<PRECISION, 256, 2>::call;                                                     \
    } while (0)

template <int PRECISION> struct launches {
    static void prepare(int width)
    {
        FOR_WIDTH(width, prepare());
    }

    static void sample(const engine_view &e, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, sample(e, -1, stream));
    }

    static void sample_next(const engine_view &e, int policy, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, sample(e, policy, stream));
    }

    static void ask(const engine_view &e, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, ask(e, stream));
    }

    static void teach(const engine_view &e, int entropy, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, teach(e, entropy, stream));
    }

    static void aim(const engine_view &e, unsigned with_std, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, aim(e, with_std, stream));
    }

    static void move_edges(const engine_view &e, bool critics, cudaStream_t stream)
    {
        int inputs = e.observations + (critics ? e.actions : 0);
        int outputs = critics ? 1 : 2 * e.actions;
        int strips = (inputs + STRIP_N) / STRIP_N + (outputs + STRIP_N - 1) / STRIP_N;
        dim3 grid(e.width / STRIP_M * strips, critics ? e.means + e.stds : e.policies,
                  e.seat_count);
        move_edges_kernel<PRECISION><<<grid, STRIP_THREADS, 0, stream>>>(e, critics);
    }

    static void move_critics(const engine_view &e, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, move_hidden(e, true, stream));
        move_edges(e, true, stream);
    }

    static void move_policies(const engine_view &e, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, move_hidden(e, false, stream));
        move_edges(e, false, stream);
    }
};

#define LAUNCHES(PRECISION)                                                                        \
    {                                                                                              \
        launches<PRECISION>::prepare, launches<PRECISION>::sample,                                 \
            launches<PRECISION>::sample_next, launches<PRECISION>::ask,                            \
            launches<PRECISION>::teach, launches<PRECISION>::aim,                                  \
            launches<PRECISION>::move_critics, launches<PRECISION>::move_policies                  \
    }

#endif
