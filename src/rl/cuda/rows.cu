/* What an update does beside networks: drawing from replay and streams, entropy weights, what the
 * update saw; and copies of weights. */
#include "rl/cuda/adam.cuh"
#include "rl/cuda/random.cuh"

/* four normals (Box and Muller), computed in double */
__device__ inline void random_normals(const unsigned words[4], float normals[4])
{
    for (int i = 0; i < 4; i += 2) {
        double radius = sqrt(-2.0 * log((words[i] + 1.0) * 0x1p-32)), s, c;
        sincos(6.283185307179586 * (words[i + 1] * 0x1p-32), &s, &c);
        normals[i] = (float)(radius * c);
        normals[i + 1] = (float)(radius * s);
    }
}

/* --- draw ------------------------------------------------------------------------------------- */

enum { DRAW_THREADS = 512 };

__device__ inline int coverage_bin(float value)
{
    double bin = fmax(0., ((double)value + 1) / 2 * WAC_COVERAGE_SIDE);
    return bin < WAC_COVERAGE_SIDE ? (int)bin : WAC_COVERAGE_SIDE - 1;
}

__device__ inline float normalised(const engine_view &e, int seat, int i, float value)
{
    size_t at = (size_t)seat * e.observations + i;
    return fminf(fmaxf((value - e.offset[at]) * e.scale[at], -1.f), 1.f);
}

__device__ void draw_batch(const engine_view &e, wac_engine_seat &own, int seat, int64_t *index)
{
    int o = e.observations, a = e.actions, record = 2 * o + a + 2;
    int64_t filled = own.remembered < own.capacity ? own.remembered : own.capacity;
    for (int i = threadIdx.x; i < (e.rows + 3) / 4; i += DRAW_THREADS) {
        unsigned words[4];
        draw_words(own.seed, STREAM_BATCH, own.batch_counter + i, words);
        for (int k = 0; k < 4 && 4 * i + k < e.rows; k++)
            index[4 * i + k] = (int64_t)((uint64_t)words[k] * (uint64_t)filled >> 32);
    }
    __syncthreads();
    const float *records = e.replay + (size_t)seat * e.capacity * record;
    size_t batch = (size_t)seat * e.rows;
    for (int i = threadIdx.x; i < e.rows * record; i += DRAW_THREADS) {
        int row = i / record, k = i % record;
        float value = records[(size_t)index[row] * record + k];
        size_t at = batch + row;
        if (k < o)
            e.batch_observations[at * o + k] =
                own.normalises ? normalised(e, seat, k, value) : value;
        else if (k < o + a)
            e.batch_actions[at * a + k - o] = value;
        else if (k == o + a)
            e.rewards[at] = value;
        else if (k < 2 * o + a + 1)
            e.next_observations[at * o + k - o - a - 1] =
                own.normalises ? normalised(e, seat, k - o - a - 1, value) : value;
        else
            e.terminals[at] = value;
    }
    for (int i = threadIdx.x; own.counts && i < e.rows; i += DRAW_THREADS) {
        const float *pair = records + (size_t)index[i] * record;
        int bin = coverage_bin(pair[0]) * WAC_COVERAGE_SIDE + coverage_bin(pair[o]);
        atomicAdd(e.coverage + (size_t)seat * WAC_COVERAGE_BINS + bin, 1ull);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        own.batch_counter += (e.rows + 3) / 4;
}

__device__ void fill_normal(const wac_engine_seat &own, uint64_t counter, int count, float *out)
{
#pragma unroll 1
    for (int i = threadIdx.x; i < (count + 3) / 4; i += DRAW_THREADS) {
        unsigned words[4];
        float normals[4];
        draw_words(own.seed, STREAM_NOISE, counter + i, words);
        random_normals(words, normals);
        for (int k = 0; k < 4 && 4 * i + k < count; k++)
            out[4 * i + k] = normals[k];
    }
}

__device__ void draw_noise(const engine_view &e, wac_engine_seat &own, int seat)
{
    int one = e.rows * e.actions, all = e.policies * one;
    fill_normal(own, own.noise_counter, all, e.noise + (size_t)seat * all);
    fill_normal(own, own.noise_counter + (all + 3) / 4, one, e.next_noise + (size_t)seat * one);
    __syncthreads();
    if (threadIdx.x == 0)
        own.noise_counter += (all + 3) / 4 + (one + 3) / 4;
}

__device__ void draw_pairs(const engine_view &e, wac_engine_seat &own, int seat)
{
    int inputs = e.observations + e.actions, count = own.synthetic * inputs;
    float *out = e.pairs + (size_t)seat * e.synthetic * inputs;
    for (int i = threadIdx.x; i < (count + 3) / 4; i += DRAW_THREADS) {
        unsigned words[4];
        draw_words(own.seed, STREAM_SYNTHETIC, own.synthetic_counter + i, words);
        for (int k = 0; k < 4 && 4 * i + k < count; k++)
            out[4 * i + k] = -1 + 2 * ((words[k] >> 8) * 0x1p-24f);
    }
    __syncthreads();
    if (threadIdx.x == 0)
        own.synthetic_counter += (count + 3) / 4;
}

__global__ __launch_bounds__(DRAW_THREADS) void draw_kernel(const __grid_constant__ engine_view e)
{
    extern __shared__ int64_t drawn[];
    int seat = seat_at(e);
    wac_engine_seat &own = e.seats[seat];
    if (!own.active)
        return;
    if (blockIdx.x == 0)
        draw_batch(e, own, seat, drawn);
    else if (blockIdx.x == 1)
        draw_noise(e, own, seat);
    else
        draw_pairs(e, own, seat);
}

void launch_draw(const engine_view &e, cudaStream_t stream)
{
    dim3 grid(e.stds > 0 ? 3 : 2, e.seat_count);
    draw_kernel<<<grid, DRAW_THREADS, e.rows * sizeof(int64_t), stream>>>(e);
}

/* --- sums over rows, in one order ------------------------------------------------------------- */

enum { SUM_THREADS = 128 };

/* the sum of value(i) for i below count, for all threads of a warp */
template <typename value_fn> __device__ double sum_in_warp(int count, value_fn value)
{
    double sum = 0;
    for (int i = threadIdx.x % 32; i < count; i += 32)
        sum += value(i);
#pragma unroll
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(~0u, sum, step);
    return sum;
}

/* --- what is done row by row ------------------------------------------------------------------ */

enum { ROW_THREADS = 128 };

/* a row of the batch for each thread; -1: none */
__device__ inline int row_at(const engine_view &e)
{
    int row = blockIdx.x * ROW_THREADS + threadIdx.x;
    return row < e.rows && e.seats[seat_at(e)].active ? row : -1;
}

static dim3 grid_of_rows(const engine_view &e, int members)
{
    return dim3((e.rows + ROW_THREADS - 1) / ROW_THREADS, e.seat_count, members);
}

/* steps 1 and 3: actions from heads, and their log-probabilities (wac_policy_sample) */
__global__ void actions_kernel(const __grid_constant__ engine_view e, bool next)
{
    int row = row_at(e), actions = e.actions;
    if (row < 0)
        return;
    size_t seat = seat_at(e), at = (next ? seat : seat * e.policies + blockIdx.z) * e.rows + row;
    const float *heads = (next ? e.next_heads : e.heads) + at * 2 * actions;
    const float *noise = (next ? e.next_noise : e.noise) + at * actions;
    float *action = (next ? e.next_action : e.action) + at * actions, total = 0;
    for (int j = 0; j < actions; j++) {
        float spread = fminf(fmaxf(heads[actions + j], -20.f), 2.f);
        float a = tanhf(heads[j] + expf(spread) * noise[j]);
        action[j] = a;
        total += -0.5f * noise[j] * noise[j] - spread - 0.918938533f - logf(1 - a * a + 1e-6f);
    }
    (next ? e.next_log_prob : e.log_prob)[at] = total;
}

void launch_actions(const engine_view &e, bool next, cudaStream_t stream)
{
    actions_kernel<<<grid_of_rows(e, next ? 1 : e.policies), ROW_THREADS, 0, stream>>>(e, next);
}

/* step 4: what critics should say (wac_td_target) */
__global__ void targets_kernel(const __grid_constant__ engine_view e, int entropy)
{
    int row = row_at(e), seat = seat_at(e);
    if (row < 0)
        return;
    const wac_engine_seat &own = e.seats[seat];
    size_t at = (size_t)seat * e.rows + row;
    const float *next = e.target_out + (size_t)seat * critics_of(e) * e.rows + row;
    int k = smallest_bound(e, next, e.rows, e.stds > 0, own.kappa);
    float going_on = own.discount * (1 - e.terminals[at]);
    e.mean_target[at] = e.rewards[at] + going_on * (next[(size_t)k * e.rows] -
                                                    own.alpha[entropy] * e.next_log_prob[at]);
    if (e.stds > 0) {
        float std = going_on * expf(next[(size_t)std_beside(e, k) * e.rows]);
        e.std_target[at] = fminf(fmaxf(std, 0.f), own.sigma_max);
    }
}

void launch_targets(const engine_view &e, int entropy, cudaStream_t stream)
{
    targets_kernel<<<grid_of_rows(e, 1), ROW_THREADS, 0, stream>>>(e, entropy);
}

/* steps 7 and 8: the bound that a policy climbs (wac_upper_bound), and what the gradient of
 * alpha log pi - bound, over all rows, asks of its heads (wac_policy_gradient) */
__global__ void wishes_kernel(const __grid_constant__ engine_view e, unsigned with_stds)
{
    int row = row_at(e), policy = blockIdx.z, actions = e.actions;
    if (row < 0)
        return;
    size_t seat = seat_at(e), member = seat * e.policies + policy, at = member * e.rows + row;
    size_t first = member * critics_of(e) * e.rows + row; /* of what critics say of the row */
    const wac_engine_seat &own = e.seats[seat];
    bool with_std = with_stds >> policy & 1;
    const float *out = e.aim_out + first;
    int mean = smallest_bound(e, out, e.rows, with_std, own.kappa), std = 0;
    float spread = 0;
    if (with_std) {
        std = std_beside(e, mean);
        spread = own.kappa * expf(out[(size_t)std * e.rows]);
    }
    e.bound[at] = out[(size_t)mean * e.rows] + spread;
    const float *heads = e.heads + at * 2 * actions, *noise = e.noise + at * actions;
    const float *slope = e.aim_slope + first * actions;
    float *dheads = e.dheads + at * 2 * actions;
    float dlog_prob = own.alpha[policy] * POLICY_SCALE;
    for (int j = 0; j < actions; j++) {
        float climbs = slope[(size_t)mean * e.rows * actions + j];
        if (with_std)
            climbs += spread * slope[(size_t)std * e.rows * actions + j];
        float a = e.action[at * actions + j], inner = 1 - a * a, log_std = heads[actions + j];
        float du = (dlog_prob * 2 * a / (inner + 1e-6f) - POLICY_SCALE * climbs) * inner;
        bool inside = log_std >= -20 && log_std <= 2;
        dheads[j] = du;
        dheads[actions + j] = inside ? du * expf(log_std) * noise[j] - dlog_prob : 0;
    }
}

void launch_wishes(const engine_view &e, unsigned with_std, cudaStream_t stream)
{
    wishes_kernel<<<grid_of_rows(e, e.policies), ROW_THREADS, 0, stream>>>(e, with_std);
}

/* --- step 2: entropy weights; and the factors of Adam for all that follows -------------------- */

__device__ inline double step_factor(int64_t steps, double rate)
{
    return rate / (1 - pow(0.9, (double)steps));
}

__device__ inline double correction_factor(int64_t steps)
{
    return 1 / sqrt(1 - pow(0.999, (double)steps));
}

/* A warp for each policy, and a thread of another for each factor. */
__global__ __launch_bounds__(SUM_THREADS) void tune_kernel(const __grid_constant__ engine_view e)
{
    int seat = seat_at(e), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    wac_engine_seat &own = e.seats[seat];
    if (!own.active)
        return;
    if (warp < e.policies && own.tunes) {
        const float *log_prob = e.log_prob + ((size_t)seat * e.policies + warp) * e.rows;
        double sum = sum_in_warp(e.rows, [&](int i) { return (double)log_prob[i]; });
        if (lane == 0) {
            int64_t steps = own.entropy_steps + 1;
            float step = (float)step_factor(steps, own.learning_rate);
            float correction = (float)correction_factor(steps);
            float gradient = -((float)(sum / e.rows) + own.entropy_target);
            float &first = own.alpha_first[warp], &second = own.alpha_second[warp];
            first += 0.1f * (gradient - first);
            second = 0.999f * second + 0.001f * gradient * gradient;
            own.log_alpha[warp] -= step * first / (sqrtf(second) * correction + 1e-8f);
            own.alpha[warp] = expf(own.log_alpha[warp]);
        }
    } else if (warp == WAC_ENGINE_POLICIES) {
        int64_t policy = own.policy_steps + 1, critic = own.critic_steps + 1;
        switch (lane) {
        case 0:
            own.policy_step = (float)step_factor(policy, own.learning_rate);
            break;
        case 1:
            own.policy_correction = (float)correction_factor(policy);
            break;
        case 2:
            own.mean_step = (float)step_factor(critic, own.learning_rate);
            break;
        case 3:
            own.std_step = (float)step_factor(critic, own.std_learning_rate);
            break;
        case 4:
            own.critic_correction = (float)correction_factor(critic);
            break;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        own.entropy_steps += own.tunes;
        own.policy_steps++;
        own.critic_steps++;
    }
}

void launch_tune(const engine_view &e, cudaStream_t stream)
{
    tune_kernel<<<dim3(1, e.seat_count), SUM_THREADS, 0, stream>>>(e);
}

/* --- what the update saw ---------------------------------------------------------------------- */

enum { TELL_THREADS = 256 };

/* whether what a critic saw is finite; a warp's work */
__device__ bool tell_critic(const engine_view &e, wac_engine_seat &own, int seat, int m)
{
    bool std = m >= e.means;
    int critics = critics_of(e);
    const float *out = e.critic_out + ((size_t)seat * critics + m) * (e.rows + e.synthetic);
    const float *target = (std ? e.std_target : e.mean_target) + (size_t)seat * e.rows;
    auto value = [&](int i) { return std ? expf(out[i]) : out[i]; };
    double loss = sum_in_warp(e.rows, [&](int i) {
        float error = value(i) - target[i];
        return (double)error * error;
    });
    double average = sum_in_warp(e.rows, [&](int i) { return (double)value(i); });
    double regularisation = 0, synthetic = 0;
    if (std) {
        const float *anchor = e.anchor_out + ((size_t)seat * e.stds + m - e.means) * e.synthetic;
        regularisation = sum_in_warp(own.synthetic, [&](int i) {
            float error = value(e.rows + i) - anchor[i];
            return (double)error * error;
        });
        synthetic = sum_in_warp(own.synthetic, [&](int i) { return (double)value(e.rows + i); });
    }
    if (threadIdx.x % 32 == 0) {
        own.loss[m] = loss / e.rows;
        own.average[m] = average / e.rows;
        own.regularisation[m] = own.synthetic ? regularisation / own.synthetic : 0;
        own.average_synthetic[m] = synthetic / own.synthetic;
    }
    return isfinite(loss) && isfinite(regularisation);
}

__device__ bool tell_policy(const engine_view &e, wac_engine_seat &own, int seat, int m)
{
    size_t first = ((size_t)seat * e.policies + m) * e.rows;
    double log_prob = sum_in_warp(e.rows, [&](int i) { return (double)e.log_prob[first + i]; });
    double bound = sum_in_warp(e.rows, [&](int i) { return (double)e.bound[first + i]; });
    double objective = ((double)own.alpha[m] * log_prob - bound) / e.rows;
    if (threadIdx.x % 32 == 0)
        own.objective[m] = objective;
    return isfinite(objective) && isfinite(own.alpha[m]);
}

/* Warps take critics and policies in turns. */
__global__ __launch_bounds__(TELL_THREADS) void tell_kernel(const __grid_constant__ engine_view e)
{
    int seat = seat_at(e), critics = critics_of(e), warp = threadIdx.x / 32;
    wac_engine_seat &own = e.seats[seat];
    if (!own.active)
        return;
    bool finite = true;
    for (int item = warp; item < critics + e.policies; item += TELL_THREADS / 32)
        finite = (item < critics ? tell_critic(e, own, seat, item)
                                 : tell_policy(e, own, seat, item - critics)) &&
                 finite;
    finite = __syncthreads_and(finite);
    if (threadIdx.x == 0) {
        own.updated++;
        own.active = finite;
    }
}

void launch_tell(const engine_view &e, cudaStream_t stream)
{
    tell_kernel<<<dim3(1, e.seat_count), TELL_THREADS, 0, stream>>>(e);
}

/* --- gradients beside hidden weights, and Adam along them ------------------------------------- */

/* Column k of a network's edges (see trace_view), or its last bias, where k is one more. */
__global__ __launch_bounds__(SUM_THREADS) void edges_kernel(const __grid_constant__ engine_view e,
                                                            bool critics)
{
    int k = blockIdx.x, member = blockIdx.z, seat = seat_at(e), width = e.width;
    if (!e.seats[seat].active)
        return;
    const stack_view &stack = critics ? e.critic : e.policy;
    const trace_view &trace = critics ? e.critic_trace : e.policy_trace;
    const wac_engine_layout &at = stack.at;
    int tiles = tiles_taught(e, critics, seat, member), inputs = trace.inputs;
    mover mover = mover_of(e, stack, critics, seat, member);
    if (k == inputs + 1 + trace.outputs) {
        int rows = tiles * e.tile;
        if (!critics)
            rows = e.rows;
        const float *dout =
            (critics ? e.dout : e.dheads) + ((size_t)seat * stack.members + member) *
                                                (critics ? trace.rows : e.rows) * trace.outputs;
        for (int o = threadIdx.x / 32; o < trace.outputs; o += SUM_THREADS / 32) {
            double sum = sum_in_warp(
                rows, [&](int i) { return (double)dout[(size_t)i * trace.outputs + o]; });
            if (threadIdx.x % 32 == 0)
                move_one(mover, at.bias[2] + o, (float)sum);
        }
        return;
    }
    const float *parts = edges_of(trace, stack.members, seat, member, 0, width) + (size_t)k * width;
    size_t step = (size_t)(inputs + 1 + trace.outputs) * width;
    for (int j = threadIdx.x; j < width; j += SUM_THREADS) {
        float sum = 0;
        for (int tile = 0; tile < tiles; tile++)
            sum += parts[tile * step + j];
        size_t place = k < inputs    ? at.weight[0] + (size_t)j * inputs + k
                       : k == inputs ? at.bias[0] + j
                                     : at.weight[2] + (size_t)(k - inputs - 1) * width + j;
        move_one(mover, place, sum);
    }
}

void launch_edges(const engine_view &e, bool critics, cudaStream_t stream)
{
    const trace_view &trace = critics ? e.critic_trace : e.policy_trace;
    dim3 grid(trace.inputs + trace.outputs + 2, e.seat_count,
              critics ? e.means + e.stds : e.policies);
    edges_kernel<<<grid, SUM_THREADS, 0, stream>>>(e, critics);
}

/* --- copies of weights ------------------------------------------------------------------------ */

/* std critics to anchors: the networks as they are, one after the other */
__global__ void anchor_kernel(const __grid_constant__ engine_view e)
{
    int std = blockIdx.z, seat = seat_at(e);
    if (!e.seats[seat].active)
        return;
    size_t from = (size_t)seat * (e.means + e.stds) + e.means + std;
    size_t to = (size_t)seat * e.stds + std, stride = e.critic.at.stride;
    size_t hidden = (size_t)e.width * e.width;
    size_t first = blockIdx.x * blockDim.x + threadIdx.x, step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = first; i < stride; i += step)
        e.anchor.params[to * stride + i] = e.critic.params[from * stride + i];
    for (size_t i = first; e.anchor.half && i < hidden; i += step)
        e.anchor.half[to * hidden + i] = e.critic.half[from * hidden + i];
}

void launch_anchor(const engine_view &e, cudaStream_t stream)
{
    if (e.stds > 0)
        anchor_kernel<<<dim3(16, e.seat_count, e.stds), 256, 0, stream>>>(e);
}

/* the hidden weights of a stack in 16 bits */
__global__ void halve_kernel(const __grid_constant__ stack_view stack, int width)
{
    size_t hidden = (size_t)width * width, network = blockIdx.y;
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < hidden; i += step)
        cut(stack.half + network * hidden + i,
            stack.params[network * stack.at.stride + stack.at.weight[1] + i]);
}

void launch_halve(const engine_view &e, const stack_view &stack, cudaStream_t stream)
{
    if (stack.half && stack.members > 0)
        halve_kernel<<<dim3(16, stack.members * e.seat_count), 256, 0, stream>>>(stack, e.width);
}
