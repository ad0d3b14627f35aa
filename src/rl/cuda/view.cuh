/* What kernels see of an engine: where everything lies. Arrays are seat after seat. */
#ifndef WAC_RL_CUDA_VIEW_CUH
#define WAC_RL_CUDA_VIEW_CUH

#include "rl/cuda/product.cuh"

/* Shared memory that a block of threads may have, in bytes: of a Hopper, or of every GPU from
 * compute capability 8.0 on. */
__host__ __device__ constexpr int shared_of_block(bool wide)
{
    return wide ? 232448 : 101376;
}

/* Kernels that would not find their shared memory are left out of the code for a GPU. */
__device__ inline constexpr bool is_left_out(bool wide)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
    return wide;
#else
    (void)wide;
    return false;
#endif
}

/* Rows of a batch that a block of threads takes through a network at a time: as many as there is
 * room for. */
__host__ __device__ constexpr int rows_of_tile(int width, size_t element, bool wide)
{
    return element == 2 ? 64 : wide && width <= 256 ? 128 : 32;
}

/* A block of networks: [seats][members][stride], and of each the hidden weights once more, in 16
 * bits, where products are of such numbers: [seats][members][width * width]. */
typedef struct stack_view {
    int members;
    wac_engine_layout at;
    float *params, *first, *second; /* moments null where nothing is learned */
    half_t *half;
} stack_view;

/* What passes through hidden layers, and back: [seats][members][rows][width] of elements. And what
 * each tile adds to the gradients beside hidden weights: [seats][members][tiles][columns][width],
 * columns being inputs, 1 (for the bias) and outputs. */
typedef struct trace_view {
    int tiles, rows; /* of a member; rows: of whole tiles */
    int inputs, outputs;
    void *h0, *h1, *d1; /* h1 of policies only */
    float *edges;
} trace_view;

typedef struct engine_view {
    wac_engine_seat *seats;
    int seats_in_all, first_seat, seat_count; /* the latter two: of a launch */
    int policies, means, stds;
    int observations, actions, rows, synthetic, width;
    int tile;                         /* rows of one */
    int batch_tiles, synthetic_tiles; /* of the batch, and of the most synthetic pairs */
    int processors;                   /* of the GPU */
    int64_t capacity;

    stack_view policy, critic, target, anchor;
    trace_view policy_trace, critic_trace;

    float *replay; /* [capacity][record] */
    float *offset, *scale;
    unsigned long long *coverage; /* [bins] */

    /* what an update draws; pairs: the synthetic ones */
    float *batch_observations, *batch_actions, *rewards, *next_observations, *terminals;
    float *noise, *next_noise, *pairs;

    /* what it works out */
    float *heads, *action, *log_prob; /* [policies][rows] of 2A, A, 1 */
    unsigned *above;                  /* [policies][batch_tiles], bits of their hidden layers */
    float *next_heads, *next_action, *next_log_prob;
    float *target_out;               /* [critics][rows] */
    float *anchor_out;               /* [stds][synthetic]; stds as they are to be */
    float *critic_out;               /* [critics][rows + synthetic] */
    float *mean_target, *std_target; /* [rows] */
    float *aim_out;                  /* [policies][critics][rows] */
    float *aim_slope;                /* [policies][critics][rows][A]: of that, by action */
    float *bound;                    /* [policies][rows] */
    float *dout;                     /* [critics][critic_trace.rows] */
    float *dheads;                   /* [policies][rows][2A] */
} engine_view;

/* the seat of a block of threads: launches have them along y */
__device__ inline int seat_at(const engine_view &e)
{
    return e.first_seat + blockIdx.y;
}

__device__ inline int critics_of(const engine_view &e)
{
    return e.means + e.stds;
}

__device__ inline const float *params_of(const stack_view &stack, int seat, int member)
{
    return stack.params + ((size_t)seat * stack.members + member) * stack.at.stride;
}

/* the hidden weights of a network, as products read them */
__device__ inline const float *hidden_of(const stack_view &stack, int seat, int member, int width,
                                         const float *)
{
    (void)width;
    return params_of(stack, seat, member) + stack.at.weight[1];
}

__device__ inline const half_t *hidden_of(const stack_view &stack, int seat, int member, int width,
                                          const half_t *)
{
    return stack.half + ((size_t)seat * stack.members + member) * width * width;
}

/* where a member's rows begin in one of the arrays of a trace */
template <typename element>
__device__ inline element *trace_of(const trace_view &trace, void *array, int members, int seat,
                                    int member, int width)
{
    return (element *)array + ((size_t)seat * members + member) * trace.rows * width;
}

/* where the sums of a tile begin among the edges */
__device__ inline float *edges_of(const trace_view &trace, int members, int seat, int member,
                                  int tile, int width)
{
    size_t at = ((size_t)seat * members + member) * trace.tiles + tile;
    return trace.edges + at * (trace.inputs + 1 + trace.outputs) * width;
}

/* the std critic that goes with a mean critic */
__device__ inline int std_beside(const engine_view &e, int mean)
{
    return e.means + mean % e.stds;
}

/* The mean critic with the smallest upper bound of a row (wac_smallest_bound): out [critics], each
 * `stride` apart. */
__device__ inline int smallest_bound(const engine_view &e, const float *out, int stride, bool stds,
                                     float kappa)
{
    int best = 0;
    float smallest = 0;
    for (int k = 0; k < e.means; k++) {
        float bound = out[(size_t)k * stride];
        if (stds)
            bound += kappa * expf(out[(size_t)std_beside(e, k) * stride]);
        if (k == 0 || bound < smallest) {
            smallest = bound;
            best = k;
        }
    }
    return best;
}

/* --- launches, one file each ------------------------------------------------------------------ */

void launch_actions(const engine_view &e, bool next, cudaStream_t stream);
void launch_targets(const engine_view &e, int entropy, cudaStream_t stream);
void launch_wishes(const engine_view &e, unsigned with_std, cudaStream_t stream);
void launch_draw(const engine_view &e, cudaStream_t stream);
void launch_tune(const engine_view &e, cudaStream_t stream);
void launch_tell(const engine_view &e, cudaStream_t stream);
void launch_anchor(const engine_view &e, cudaStream_t stream);
void launch_edges(const engine_view &e, bool critics, cudaStream_t stream);
void launch_halve(const engine_view &e, const stack_view &stack, cudaStream_t stream);

/* the passes, for each precision */
typedef struct pass_launches {
    void (*prepare)(int width);
    void (*sample)(const engine_view &e, cudaStream_t stream);
    void (*sample_next)(const engine_view &e, int policy, cudaStream_t stream);
    void (*ask)(const engine_view &e, cudaStream_t stream);
    void (*teach)(const engine_view &e, cudaStream_t stream);
    void (*aim)(const engine_view &e, unsigned with_std, cudaStream_t stream);
    void (*climb)(const engine_view &e, cudaStream_t stream);
    void (*move_hidden)(const engine_view &e, bool critics, cudaStream_t stream);
} pass_launches;

extern const pass_launches launches_single[2], launches_tf32[2], launches_mixed[2]; /* [wide] */

#endif
