/* The steps that go through networks, as kernels. A block of threads has one network of one seat,
 * and some or all tiles of the rows that pass through it; nothing it does depends on other seats,
 * nor on how tiles are shared out. The arithmetic beside the networks is that of rl/host/batch.c.
 */
#ifndef WAC_RL_CUDA_KERNELS_CUH
#define WAC_RL_CUDA_KERNELS_CUH

#include "rl/cuda/hidden.cuh"
#include "rl/cuda/passes.cuh"

#define PASS_BOUNDS __launch_bounds__(pass<PRECISION, NB, BLOCKS, WIDE>::ALL_THREADS, 1)

__device__ inline rows_view rows_at(int first, int rows, const float *a, int a_size, const float *b,
                                    int b_size, int count)
{
    int left = count - first;
    return {a, b, a_size, b_size, first, left < rows ? left : rows};
}

/* Ask for what a network needs first. */
template <typename pass_t>
__device__ inline void begin(pass_t &p, const float *params, const typename pass_t::element *hidden,
                             const wac_engine_layout &at, int inputs, int outputs)
{
    p.ask_edges(params, at, inputs, outputs);
    p.template prefetch<false>(hidden);
}

/* Ask for hidden weights once more, where they have passed by. */
template <bool ACROSS, typename pass_t>
__device__ inline void again(pass_t &p, const typename pass_t::element *hidden)
{
    if constexpr (!pass_t::RESIDENT)
        p.template prefetch<ACROSS>(hidden);
}

/* From the rows of a tile, rows_of(tile), to the last hidden layer: done(sums, block) for each part
 * of it, rectified. Inputs at hand, edges and the first pieces of hidden weights have been asked
 * for; inputs of the tile that follows are. keep: where the first layer is kept, or null. */
template <typename pass_t, typename rows_fn, typename done_fn>
__device__ inline void go_forth(pass_t &p, rows_fn rows_of, int tile, const float *weight,
                                const typename pass_t::element *hidden, int inputs,
                                typename pass_t::element *keep, unsigned *above0, unsigned *above1,
                                done_fn done)
{
    typename pass_t::sums c;
    p.first_layer(rows_of, tile, weight, inputs, above0);
    if (keep)
        p.keep(p.activations(), keep);
    constexpr int BLOCKS = pass_t::WIDTH / (pass_t::NT * 8 * WARPS_N);
    for (int block = 0; block < BLOCKS; block++) {
        p.template multiply_hidden<false>(c, hidden, block);
        p.rectify(c, above1, block);
        done(c, block);
    }
}

/* The value of a critic for each row of a tile, in p.row_values(). KEEP: the last hidden layer is
 * among the results then. Ends with all threads together. */
template <bool KEEP, typename pass_t, typename rows_fn>
__device__ inline void
ask_critic(pass_t &p, rows_fn rows_of, int tile, const float *params,
           const typename pass_t::element *hidden, const wac_engine_layout &at, int inputs,
           typename pass_t::element *keep, unsigned *above0, unsigned *above1)
{
    const float *weight = p.edge(pass_t::LAST);
    float bias = params[at.bias[2]], *values = p.row_values();
    go_forth(
        p, rows_of, tile, params + at.weight[0], hidden, inputs, keep, above0, above1,
        [&](typename pass_t::sums c, int block) {
            if (KEEP)
                p.put_block(p.results(), c, block);
            p.dot_rows(
                c, block, 1, [&](float2 *w, int, int column) { p.take_pairs(w, weight, column); },
                [&](int row, int, float sum) { values[row] = (block ? values[row] : bias) + sum; });
        });
}

/* From the gradient of the last hidden layer, in the activations, to that of the first: done(sums,
 * block), not masked yet. The first pieces of the weights have been asked for. */
template <typename pass_t, typename done_fn>
__device__ inline void go_back(pass_t &p, const typename pass_t::element *hidden, done_fn done)
{
    typename pass_t::sums c;
    constexpr int BLOCKS = pass_t::WIDTH / (pass_t::NT * 8 * WARPS_N);
    for (int block = 0; block < BLOCKS; block++) {
        p.template multiply_hidden<true>(c, hidden, block);
        done(c, block);
    }
}

/* Back from a critic's gradient, value(row), to the last hidden layer, into the activations. Ends
 * with all threads together. */
template <typename pass_t, typename value_fn>
__device__ inline void enter_critic(pass_t &p, const unsigned *above1, value_fn value)
{
    typename pass_t::sums c;
    const float *weight = p.edge(pass_t::LAST);
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
                    float dout = value(p.lane_row + m * 16 + half * 8);
                    c[m][n][2 * half] = dout * w.x;
                    c[m][n][2 * half + 1] = dout * w.y;
                }
        }
        p.mask(c, above1, block);
        p.put_block(p.activations(), c, block);
    }
    p.meet();
}

/* --- steps 1 and 3: actions ------------------------------------------------------------------- */

/* where a thread keeps the bits of a policy's tile: two sets of words, each THREADS apart */
template <typename pass_t>
__device__ inline unsigned *bits_of(const pass_t &p, const engine_view &e, int seat, int policy,
                                    int tile)
{
    size_t at = ((size_t)seat * e.policies + policy) * e.batch_tiles + tile;
    return e.above + at * 2 * pass_t::WORDS * pass_t::THREADS + p.thread;
}

template <int PRECISION, int NB, int BLOCKS, bool WIDE>
__global__ PASS_BOUNDS void sample_kernel(const __grid_constant__ engine_view e, int next)
{
    if (is_left_out(WIDE))
        return;
    typedef pass<PRECISION, NB, BLOCKS, WIDE> pass_t;
    typedef typename pass_t::element element;
    int seat = seat_at(e), policy = next < 0 ? blockIdx.z : next, actions = e.actions;
    pass_t p(shared_memory);
    const float *params = params_of(e.policy, seat, policy);
    const element *hidden = hidden_of(e.policy, seat, policy, pass_t::WIDTH, (element *)0);
    int active = early(&e.seats[seat].active);
    const trace_view &trace = e.policy_trace;
    const float *states = (next < 0 ? e.batch_observations : e.next_observations) +
                          (size_t)seat * e.rows * e.observations;
    auto rows_of = [&](int tile) {
        return rows_at(tile * pass_t::ROWS, pass_t::ROWS, states, e.observations, NULL, 0, e.rows);
    };
    p.begin_inputs(rows_of, p.first_tile());
    begin(p, params, hidden, e.policy.at, e.observations, 2 * e.actions);
    if (!active)
        return;
    p.await_edges();
    for (int tile = p.first_tile(), first_tile = tile; tile < e.batch_tiles; tile += p.step()) {
        unsigned above0[pass_t::WORDS], above1[pass_t::WORDS];
        if (tile != first_tile)
            again<false>(p, hidden);
        rows_view x = rows_of(tile);
        p.take_rows(x.count);
        element *h0 = NULL, *h1 = NULL;
        if (next < 0) {
            size_t at = (size_t)x.first * pass_t::WIDTH;
            h0 = trace_of<element>(trace, trace.h0, e.policies, seat, policy, pass_t::WIDTH) + at;
            h1 = trace_of<element>(trace, trace.h1, e.policies, seat, policy, pass_t::WIDTH) + at;
        }
        size_t first =
            (next < 0 ? (size_t)seat * e.policies + policy : (size_t)seat) * e.rows + x.first;
        float *heads = (next < 0 ? e.heads : e.next_heads) + first * 2 * actions;
        const float *weight = params + e.policy.at.weight[2], *bias = params + e.policy.at.bias[2];
        go_forth(p, rows_of, tile, params + e.policy.at.weight[0], hidden, e.observations, h0,
                 above0, above1, [&](typename pass_t::sums c, int block) {
                     if (h1)
                         p.put_block(p.results(), c, block);
                     p.dot_rows(
                         c, block, 2 * actions,
                         [&](float2 *w, int o, int column) {
                             if (o < pass_t::OUTPUTS)
                                 p.take_pairs(w, p.edge(pass_t::LAST + o), column);
                             else
                                 p.take_pairs(w, weight + (size_t)o * pass_t::WIDTH, column);
                         },
                         [&](int row, int o, float sum) {
                             float *head = heads + (size_t)row * 2 * actions + o;
                             if (row < x.count)
                                 *head = (block ? *head : bias[o]) + sum;
                         });
                 });
        if (h1) {
            p.keep(p.results(), h1);
            unsigned *bits = bits_of(p, e, seat, policy, tile);
#pragma unroll
            for (int w = 0; w < pass_t::WORDS; w++) {
                bits[w * pass_t::THREADS] = above0[w];
                bits[(pass_t::WORDS + w) * pass_t::THREADS] = above1[w];
            }
        }
        p.meet();
    }
    p.await_weights();
}

/* --- step 4: what target critics say of next pairs, and anchors of synthetic ones ------------- */

template <int PRECISION, int NB, int BLOCKS, bool WIDE>
__global__ PASS_BOUNDS void ask_kernel(const __grid_constant__ engine_view e)
{
    if (is_left_out(WIDE))
        return;
    typedef pass<PRECISION, NB, BLOCKS, WIDE> pass_t;
    typedef typename pass_t::element element;
    int seat = seat_at(e), member = blockIdx.z, critics = critics_of(e);
    const wac_engine_seat &own = e.seats[seat];
    bool anchored = member >= critics;
    if (anchored)
        member -= critics;
    int inputs = e.observations + e.actions;
    const stack_view &stack = anchored ? e.anchor : e.target;
    const float *params = params_of(stack, seat, member);
    const element *hidden = hidden_of(stack, seat, member, pass_t::WIDTH, (element *)0);
    pass_t p(shared_memory);
    int active = early(&own.active), count = anchored ? early(&own.synthetic) : e.rows;
    size_t batch = (size_t)seat * e.rows;
    auto rows_of = [&](int tile) {
        int first = tile * pass_t::ROWS;
        return anchored
                   ? rows_at(first, pass_t::ROWS, e.pairs + (size_t)seat * e.synthetic * inputs,
                             inputs, NULL, 0, count)
                   : rows_at(first, pass_t::ROWS, e.next_observations + batch * e.observations,
                             e.observations, e.next_action + batch * e.actions, e.actions, count);
    };
    p.begin_inputs(rows_of, p.first_tile());
    begin(p, params, hidden, stack.at, inputs, 1);
    if (!active)
        return;
    p.await_edges();
    float *out = anchored ? e.anchor_out + ((size_t)seat * e.stds + member) * e.synthetic
                          : e.target_out + ((size_t)seat * critics + member) * e.rows;
    for (int tile = p.first_tile(), first_tile = tile; tile * pass_t::ROWS < count;
         tile += p.step()) {
        unsigned above0[pass_t::WORDS], above1[pass_t::WORDS];
        if (tile != first_tile)
            again<false>(p, hidden);
        rows_view x = rows_of(tile);
        p.take_rows(x.count);
        ask_critic<false>(p, rows_of, tile, params, hidden, stack.at, inputs, (element *)NULL,
                          above0, above1);
        if (p.thread < x.count) {
            /* an anchor's std, within the prior: what is asked for at a synthetic pair */
            float value = p.row_values()[p.thread];
            out[x.first + p.thread] = anchored ? fminf(expf(value), own.sigma_max) : value;
        }
    }
    p.await_weights();
}

/* --- steps 5 and 6: critics, forth and back --------------------------------------------------- */

template <int PRECISION, int NB, int BLOCKS, bool WIDE>
__global__ PASS_BOUNDS void teach_kernel(const __grid_constant__ engine_view e)
{
    if (is_left_out(WIDE))
        return;
    typedef pass<PRECISION, NB, BLOCKS, WIDE> pass_t;
    typedef typename pass_t::element element;
    /* std critics have more to do, and so come first */
    int seat = seat_at(e), critics = critics_of(e), member = critics - 1 - (int)blockIdx.z;
    const wac_engine_seat &own = e.seats[seat];
    pass_t p(shared_memory);
    int inputs = e.observations + e.actions, row = p.thread;
    size_t batch = (size_t)seat * e.rows;
    const float *params = params_of(e.critic, seat, member);
    const element *hidden = hidden_of(e.critic, seat, member, pass_t::WIDTH, (element *)0);
    int active = early(&own.active), pairs = early(&own.synthetic);
    bool std = member >= e.means;
    int tiles = e.batch_tiles;
    if (std)
        tiles += (pairs + pass_t::ROWS - 1) / pass_t::ROWS;
    /* synthetic rows come after the batch's last whole tile */
    auto rows_of = [&](int tile) {
        int past = tile - e.batch_tiles;
        if (past >= 0)
            return rows_at(past * pass_t::ROWS, pass_t::ROWS,
                           e.pairs + (size_t)seat * e.synthetic * inputs, inputs, NULL, 0, pairs);
        return rows_at(tile * pass_t::ROWS, pass_t::ROWS,
                       e.batch_observations + batch * e.observations, e.observations,
                       e.batch_actions + batch * e.actions, e.actions, e.rows);
    };
    p.begin_inputs(rows_of, p.first_tile());
    begin(p, params, hidden, e.critic.at, inputs, 1);
    if (!active)
        return;
    p.await_edges();
    const trace_view &trace = e.critic_trace;
    for (int tile = p.first_tile(), first_tile = tile; tile < tiles; tile += p.step()) {
        unsigned above0[pass_t::WORDS], above1[pass_t::WORDS];
        if (tile != first_tile)
            again<false>(p, hidden);
        bool synthetic = tile >= e.batch_tiles;
        rows_view x = rows_of(tile);
        p.take_rows(x.count);
        size_t at = (size_t)tile * pass_t::ROWS * pass_t::WIDTH;
        element *h0 = trace_of<element>(trace, trace.h0, critics, seat, member, pass_t::WIDTH) + at;
        element *d1 = trace_of<element>(trace, trace.d1, critics, seat, member, pass_t::WIDTH) + at;
        float *edges = edges_of(trace, critics, seat, member, tile, pass_t::WIDTH);
        float target = 0;
        if (row < x.count)
            target = synthetic
                         ? e.anchor_out[((size_t)seat * e.stds + member - e.means) * e.synthetic +
                                        x.first + row]
                         : (std ? e.std_target : e.mean_target)[batch + x.first + row];
        ask_critic<true>(p, rows_of, tile, params, hidden, e.critic.at, inputs, h0, above0, above1);
        again<true>(p, hidden);
        if (row < pass_t::ROWS) {
            float out = p.row_values()[row], dout = 0;
            if (row < x.count) {
                float value = std ? expf(out) : out;
                dout = 2 * (value - target) * (std ? value : 1);
                dout *= CRITIC_SCALE * (synthetic ? own.lambda * e.rows / pairs : 1);
                e.critic_out[((size_t)seat * critics + member) * (e.rows + e.synthetic) +
                             (synthetic ? e.rows : 0) + x.first + row] = out;
            }
            p.row_values()[row] = dout;
            e.dout[((size_t)seat * critics + member) * trace.rows + tile * pass_t::ROWS + row] =
                dout;
        }
        p.meet();
        const float *dout = p.row_values();
        p.gather(
            1, [&](int r, int) { return dout[r]; }, edges + (inputs + 1) * pass_t::WIDTH);
        enter_critic(p, above1, [&](int r) { return dout[r]; });
        p.keep(p.activations(), d1);
        go_back(p, hidden, [&](typename pass_t::sums c, int block) {
            p.mask(c, above0, block);
            p.put_block(p.results(), c, block);
        });
        p.meet();
        p.gather(
            inputs + 1,
            [&](int r, int k) {
                return k < inputs    ? p.input_entry(rows_of(anew(tile)), inputs, r, k)
                       : r < x.count ? 1.f
                                     : 0.f;
            },
            edges);
    }
    p.await_weights();
}

/* --- steps 7 and 8: what policies climb, and back through them -------------------------------- */

/* Tiles that a critic sees for policies: those of policies whose bound it has a part in. `order`-th
 * of them is of which policy. */
__device__ inline int policies_seen(const engine_view &e, unsigned with_stds, int member)
{
    return member < e.means ? e.policies : __popc(with_stds);
}

__device__ inline int policy_seen(const engine_view &e, unsigned with_stds, int member, int order)
{
    return member < e.means || order == 0 && with_stds & 1 ? order : order + !(with_stds & 1);
}

__device__ inline rows_view pairs_of(const engine_view &e, int seat, int policy, int tile, int rows)
{
    size_t batch = (size_t)seat * e.rows, sampled = ((size_t)seat * e.policies + policy) * e.rows;
    return rows_at(tile * rows, rows, e.batch_observations + batch * e.observations, e.observations,
                   e.action + sampled * e.actions, e.actions, e.rows);
}

/* What critics say of policies' actions, and how it changes with these: a policy's bound is of one
 * mean and one std critic, row by row, and which they are is known only then (wishes_kernel). */
template <int PRECISION, int NB, int BLOCKS, bool WIDE>
__global__ PASS_BOUNDS void aim_kernel(const __grid_constant__ engine_view e, unsigned with_stds)
{
    if (is_left_out(WIDE))
        return;
    typedef pass<PRECISION, NB, BLOCKS, WIDE> pass_t;
    typedef typename pass_t::element element;
    int member = blockIdx.z, seat = seat_at(e), inputs = e.observations + e.actions;
    pass_t p(shared_memory);
    const float *params = params_of(e.critic, seat, member);
    const element *hidden = hidden_of(e.critic, seat, member, pass_t::WIDTH, (element *)0);
    int active = early(&e.seats[seat].active);
    int jobs = policies_seen(e, with_stds, member) * e.batch_tiles;
    auto policy_of = [&](int job) {
        return policy_seen(e, with_stds, member, job / e.batch_tiles);
    };
    auto rows_of = [&](int job) {
        return pairs_of(e, seat, policy_of(job), job < jobs ? job % e.batch_tiles : e.batch_tiles,
                        pass_t::ROWS);
    };
    p.begin_inputs(rows_of, p.first_tile());
    begin(p, params, hidden, e.critic.at, inputs, 1);
    if (!active)
        return;
    p.await_edges();
    const float *first = params + e.critic.at.weight[0];
    for (int job = p.first_tile(), first_job = job; job < jobs; job += p.step()) {
        unsigned above0[pass_t::WORDS], above1[pass_t::WORDS];
        int policy = policy_of(job);
        rows_view x = rows_of(job);
        p.take_rows(x.count);
        if (job != first_job)
            again<false>(p, hidden);
        ask_critic<false>(p, rows_of, job, params, hidden, e.critic.at, inputs, (element *)NULL,
                          above0, above1);
        again<true>(p, hidden);
        size_t at =
            (((size_t)seat * e.policies + policy) * critics_of(e) + member) * e.rows + x.first;
        if (p.thread < x.count)
            e.aim_out[at + p.thread] = p.row_values()[p.thread];
        enter_critic(p, above1, [](int) { return 1.f; });
        float *slopes = e.aim_slope + at * e.actions;
        go_back(p, hidden, [&](typename pass_t::sums c, int block) {
            p.mask(c, above0, block);
            p.dot_rows(
                c, block, e.actions,
                [&](float2 *w, int o, int column) {
                    int k = e.observations + o;
                    if (k < pass_t::AT_HAND)
                        p.take_pairs_down(w, p.first_weights() + pass_t::input_at(column, k),
                                          pass_t::INPUTS);
                    else
                        p.take_pairs_down(w, first + (size_t)column * anew(inputs) + k,
                                          anew(inputs));
                },
                [&](int row, int o, float sum) {
                    float *to = slopes + (size_t)row * e.actions + o;
                    if (row < x.count)
                        *to = (block ? *to : 0) + sum;
                });
        });
    }
    p.await_weights();
}

/* The gradient of a policy's last hidden layer, from dheads [ROWS][2A]; into the activations. Ends
 * with all threads together. */
template <typename pass_t>
__device__ inline void enter_policy(pass_t &p, const float *weight, const float *dheads,
                                    int outputs, int count, const unsigned *above1)
{
    constexpr int BLOCKS = pass_t::WIDTH / (pass_t::NT * 8 * WARPS_N);
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
                float2 w =
                    *(const float2 *)((o < pass_t::OUTPUTS ? p.edge(pass_t::LAST + o)
                                                           : weight + (size_t)o * pass_t::WIDTH) +
                                      column);
#pragma unroll
                for (int m = 0; m < pass_t::MT; m++)
#pragma unroll
                    for (int half = 0; half < 2; half++) {
                        c[m][n][2 * half] += heads[m][half] * w.x;
                        c[m][n][2 * half + 1] += heads[m][half] * w.y;
                    }
            }
        }
        p.mask(c, above1, block);
        p.put_block(p.activations(), c, block);
    }
    p.meet();
}

template <int PRECISION, int NB, int BLOCKS, bool WIDE>
__global__ PASS_BOUNDS void climb_kernel(const __grid_constant__ engine_view e)
{
    if (is_left_out(WIDE))
        return;
    typedef pass<PRECISION, NB, BLOCKS, WIDE> pass_t;
    typedef typename pass_t::element element;
    pass_t p(shared_memory);
    int policy = blockIdx.z, seat = seat_at(e), outputs = 2 * e.actions;
    const float *params = params_of(e.policy, seat, policy);
    const element *hidden = hidden_of(e.policy, seat, policy, pass_t::WIDTH, (element *)0);
    int active = early(&e.seats[seat].active);
    const trace_view &trace = e.policy_trace;
    auto rows_of = [&](int tile) { return pairs_of(e, seat, policy, tile, pass_t::ROWS); };
    /* the last hidden layer of a tile, to where results are, and its inputs */
    auto ask_tile = [&](int tile) {
        const element *h1 =
            trace_of<element>(trace, trace.h1, e.policies, seat, policy, pass_t::WIDTH);
        if (tile < e.batch_tiles)
            p.ask_results(h1 + (size_t)tile * pass_t::ROWS * pass_t::WIDTH);
        p.ask_inputs(rows_of(tile));
        copies_asked();
    };
    ask_tile(p.first_tile());
    p.ask_edges(params, e.policy.at, e.observations, outputs);
    p.template prefetch<!pass_t::RESIDENT>(hidden);
    if (!active)
        return;
    p.await_edges();
    for (int tile = p.first_tile(), first_tile = tile; tile < e.batch_tiles; tile += p.step()) {
        rows_view x = rows_of(tile);
        p.take_rows(x.count);
        size_t at = (size_t)x.first * pass_t::WIDTH;
        element *d1 =
            trace_of<element>(trace, trace.d1, e.policies, seat, policy, pass_t::WIDTH) + at;
        float *edges = edges_of(trace, e.policies, seat, policy, tile, pass_t::WIDTH);
        float *dheads =
            e.dheads + (((size_t)seat * e.policies + policy) * e.rows + x.first) * outputs;
        unsigned above0[pass_t::WORDS], above1[pass_t::WORDS];
        const unsigned *bits = bits_of(p, e, seat, policy, tile);
#pragma unroll
        for (int w = 0; w < pass_t::WORDS; w++) {
            above0[w] = bits[w * pass_t::THREADS];
            above1[w] = bits[(pass_t::WORDS + w) * pass_t::THREADS];
        }
        if (tile != first_tile) {
            ask_tile(tile);
            copies_wait<0>();
            again<true>(p, hidden);
        }
        p.turn_over();
        p.meet();
        p.gather(
            outputs,
            [&](int r, int o) { return r < x.count ? dheads[(size_t)r * outputs + o] : 0.f; },
            edges + (e.observations + 1) * pass_t::WIDTH);
        enter_policy(p, params + e.policy.at.weight[2], dheads, outputs, x.count, above1);
        p.keep(p.activations(), d1);
        go_back(p, hidden, [&](typename pass_t::sums c, int block) {
            p.mask(c, above0, block);
            p.put_block(p.results(), c, block);
        });
        p.meet();
        p.gather(
            e.observations + 1,
            [&](int r, int k) {
                return k < e.observations ? p.input_entry(x, e.observations, r, k)
                       : r < x.count      ? 1.f
                                          : 0.f;
            },
            edges);
    }
    p.await_weights();
}

/* --- launches --------------------------------------------------------------------------------- */

/* Into how many parts the tiles of networks are cut, so that all of a GPU has something to do. */
inline int parts_of(const engine_view &e, int networks, int tiles)
{
    int parts = (e.processors + networks - 1) / networks;
    return parts < tiles ? parts : tiles;
}

template <int PRECISION, int NB, int BLOCKS, bool WIDE> struct launcher {
    typedef pass<PRECISION, NB, BLOCKS, WIDE> pass_t;
    static constexpr int SIDE = NB < 128 ? NB : 128;
    typedef square<PRECISION, SIDE, WIDE> square_t;

    static void prepare()
    {
        const struct {
            const void *kernel;
            int bytes;
        } kernels[] = {
            {(const void *)sample_kernel<PRECISION, NB, BLOCKS, WIDE>, pass_t::BYTES},
            {(const void *)ask_kernel<PRECISION, NB, BLOCKS, WIDE>, pass_t::BYTES},
            {(const void *)teach_kernel<PRECISION, NB, BLOCKS, WIDE>, pass_t::BYTES},
            {(const void *)aim_kernel<PRECISION, NB, BLOCKS, WIDE>, pass_t::BYTES},
            {(const void *)climb_kernel<PRECISION, NB, BLOCKS, WIDE>, pass_t::BYTES},
            {(const void *)move_hidden_kernel<PRECISION, SIDE, WIDE>, square_t::BYTES},
        };
        for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
            cudaFuncSetAttribute(kernels[i].kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 kernels[i].bytes);
    }

    static dim3 grid_of(const engine_view &e, int members, int tiles)
    {
        tiles = (tiles + pass_t::GROUPS - 1) / pass_t::GROUPS;
        return dim3(parts_of(e, members * e.seats_in_all, tiles), e.seat_count, members);
    }

    static void sample(const engine_view &e, int next, cudaStream_t stream)
    {
        dim3 grid = grid_of(e, next < 0 ? e.policies : 1, e.batch_tiles);
        sample_kernel<PRECISION, NB, BLOCKS, WIDE>
            <<<grid, pass_t::ALL_THREADS, pass_t::BYTES, stream>>>(e, next);
    }

    static void ask(const engine_view &e, cudaStream_t stream)
    {
        dim3 grid = grid_of(e, e.means + 2 * e.stds, e.batch_tiles);
        ask_kernel<PRECISION, NB, BLOCKS, WIDE>
            <<<grid, pass_t::ALL_THREADS, pass_t::BYTES, stream>>>(e);
    }

    static void teach(const engine_view &e, cudaStream_t stream)
    {
        dim3 grid = grid_of(e, e.means + e.stds, e.batch_tiles);
        teach_kernel<PRECISION, NB, BLOCKS, WIDE>
            <<<grid, pass_t::ALL_THREADS, pass_t::BYTES, stream>>>(e);
    }

    /* mean critics, and std critics where a policy wants them */
    static void aim(const engine_view &e, unsigned with_std, cudaStream_t stream)
    {
        dim3 grid = grid_of(e, e.means + (with_std ? e.stds : 0), e.batch_tiles);
        aim_kernel<PRECISION, NB, BLOCKS, WIDE>
            <<<grid, pass_t::ALL_THREADS, pass_t::BYTES, stream>>>(e, with_std);
    }

    static void climb(const engine_view &e, cudaStream_t stream)
    {
        climb_kernel<PRECISION, NB, BLOCKS, WIDE>
            <<<grid_of(e, e.policies, e.batch_tiles), pass_t::ALL_THREADS, pass_t::BYTES, stream>>>(
                e);
    }

    static void move_hidden(const engine_view &e, bool critics, cudaStream_t stream)
    {
        int sides = e.width / SIDE;
        dim3 grid(sides * sides, e.seat_count, critics ? e.means + e.stds : e.policies);
        move_hidden_kernel<PRECISION, SIDE, WIDE>
            <<<grid, square_t::THREADS, square_t::BYTES, stream>>>(e, critics);
    }
};

/* The launcher for a width; the largest is always wide. */
#define FOR_WIDTH(width, call)                                                                     \
    do {                                                                                           \
        if ((width) == 64)                                                                         \
            launcher<PRECISION, 64, 1, WIDE>::call;                                                \
        else if ((width) == 128)                                                                   \
            launcher<PRECISION, 128, 1, WIDE>::call;                                               \
        else if ((width) == 256)                                                                   \
            launcher<PRECISION, 256, 1, WIDE>::call;                                               \
        else                                                                                       \
            launcher<PRECISION, 256, 2, true>::call;                                               \
    } while (0)

template <int PRECISION, bool WIDE> struct launches {
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

    static void teach(const engine_view &e, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, teach(e, stream));
    }

    static void aim(const engine_view &e, unsigned with_std, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, aim(e, with_std, stream));
    }

    static void climb(const engine_view &e, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, climb(e, stream));
    }

    static void move_hidden(const engine_view &e, bool critics, cudaStream_t stream)
    {
        FOR_WIDTH(e.width, move_hidden(e, critics, stream));
    }
};

#define LAUNCHES(PRECISION, WIDE)                                                                  \
    {                                                                                              \
        launches<PRECISION, WIDE>::prepare, launches<PRECISION, WIDE>::sample,                     \
            launches<PRECISION, WIDE>::sample_next, launches<PRECISION, WIDE>::ask,                \
            launches<PRECISION, WIDE>::teach, launches<PRECISION, WIDE>::aim,                      \
            launches<PRECISION, WIDE>::climb, launches<PRECISION, WIDE>::move_hidden               \
    }

#endif
