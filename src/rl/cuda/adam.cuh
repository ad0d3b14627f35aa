/* Adam along a gradient that has just been computed, and the targets behind (nn/adam.h). */
#ifndef WAC_RL_CUDA_ADAM_CUH
#define WAC_RL_CUDA_ADAM_CUH

#include "rl/cuda/view.cuh"

/* Gradients on their way are sums over rows times these, and not means, so that they stay within
 * what numbers of 16 bits can tell apart: errors of critics from some thousandths to a million. */
constexpr float CRITIC_SCALE = 1 / 16.f, POLICY_SCALE = 16;

typedef struct mover {
    float scale; /* from such sums to means */
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
    mover mover = {1 / (POLICY_SCALE * e.rows),
                   own.policy_step,
                   own.policy_correction,
                   0,
                   stack.params + at,
                   stack.first + at,
                   stack.second + at,
                   NULL,
                   stack.half ? stack.half + hidden : NULL,
                   NULL};
    if (critics) {
        mover.scale = 1 / (CRITIC_SCALE * e.rows);
        mover.step = member < e.means ? own.mean_step : own.std_step;
        mover.correction = own.critic_correction;
        mover.rate = own.target_rate;
        mover.target = e.target.params + at;
        mover.target_half = e.target.half ? e.target.half + hidden : NULL;
    }
    return mover;
}

/* a root and a quotient within two units of the last place, as fast as there are any */
__device__ inline float quick_root(float x)
{
    float root;
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
}

/* wac_adam_move, and the target behind it; returns the new value, target is the new target */
__device__ inline float move(const mover &m, float gradient, float &first, float &second,
                             float value, float &target)
{
    gradient *= m.scale;
    first += 0.1f * (gradient - first);
    second = 0.999f * second + 0.001f * gradient * gradient;
    value -= __fdividef(m.step * first, quick_root(second) * m.correction + 1e-8f);
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

__device__ inline void put_four(half_t *to, float4 four)
{
    *(uint2 *)to = make_uint2(halves(four.x, four.y), halves(four.z, four.w));
}

/* Tiles of a network's trace that count: std critics see synthetic pairs, too. */
__device__ inline int tiles_taught(const engine_view &e, bool critics, int seat, int member)
{
    int synthetic = critics && member >= e.means ? early(&e.seats[seat].synthetic) : 0;
    return e.batch_tiles + (synthetic + e.tile - 1) / e.tile;
}

#endif
