/* The limit of the processor: independent chains of fused multiply-adds that never leave the
 * registers, enough of them to hide their latency, on the widest vector unit there is. */
#include "bench/limit.h"

#include "base/clock.h"

#include <stdatomic.h>

#if defined(WAC_SANITIZED) || defined(WAC_EMULATED)
enum { STEPS = 4000 }; /* tells nothing of speed anyway */
#else
enum { STEPS = 400000 };
#endif

/* x = x * factor + addend in `chains` registers, `steps` times; returns what the optimiser must not
 * leave out */
#define CHAINS(name, attribute, vector, chains, spread, fma)                                       \
    attribute static float name(int steps, float factor, float addend)                             \
    {                                                                                              \
        vector x[chains], a = spread(factor), b = spread(addend);                                  \
        for (int c = 0; c < chains; c++)                                                           \
            x[c] = spread((float)c);                                                               \
        for (int step = 0; step < steps; step++)                                                   \
            for (int c = 0; c < chains; c++)                                                       \
                x[c] = fma(x[c], a, b);                                                            \
        for (int c = 1; c < chains; c++)                                                           \
            x[0] = fma(x[0], a, x[c]);                                                             \
        return x[0][0];                                                                            \
    }

typedef struct unit {
    const char *name;
    float (*run)(int steps, float factor, float addend);
    int lanes, chains;
} unit;

#if defined(__x86_64__)
#include <immintrin.h>

enum { CHAINS_X86 = 12 }; /* twice two units, latency 4 or 5, and 16 registers */

CHAINS(run_avx512, __attribute__((target("avx512f"))), __m512, CHAINS_X86, _mm512_set1_ps,
       _mm512_fmadd_ps)
CHAINS(run_avx2, __attribute__((target("avx2,fma"))), __m256, CHAINS_X86, _mm256_set1_ps,
       _mm256_fmadd_ps)
#elif defined(__aarch64__)
#include <arm_neon.h>

enum { CHAINS_NEON = 16 }; /* four units, latency 4 */

static inline float32x4_t neon_fma(float32x4_t x, float32x4_t a, float32x4_t b)
{
    return vfmaq_f32(b, x, a);
}

CHAINS(run_neon, , float32x4_t, CHAINS_NEON, vdupq_n_f32, neon_fma)
#endif

typedef float four __attribute__((vector_size(16)));
enum { CHAINS_PORTABLE = 12 };

static inline four portable_spread(float x)
{
    return (four){x, x, x, x};
}

static inline four portable_fma(four x, four a, four b)
{
    return x * a + b;
}

CHAINS(run_portable, , four, CHAINS_PORTABLE, portable_spread, portable_fma)

static unit best_unit(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f"))
        return (unit){"AVX-512", run_avx512, 16, CHAINS_X86};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return (unit){"AVX2", run_avx2, 8, CHAINS_X86};
#elif defined(__aarch64__)
    return (unit){"NEON", run_neon, 4, CHAINS_NEON};
#endif
    return (unit){"4-wide vectors", run_portable, 4, CHAINS_PORTABLE};
}

const char *wac_bench_unit(void)
{
    return best_unit().name;
}

static void run_piece(void *work, int piece)
{
    (void)piece;
    const unit *unit = work;
    volatile float factor = 0.999F, addend = 0.001F;
    volatile float result = unit->run(STEPS, factor, addend);
    (void)result;
}

double wac_bench_limit(wac_team *team)
{
    unit unit = best_unit();
    int threads = wac_team_threads(team);
    double start = wac_clock_seconds();
    wac_team_run(team, run_piece, &unit, threads);
    double seconds = wac_clock_seconds() - start;
    return 2.0 * STEPS * unit.lanes * unit.chains * threads / seconds;
}

/* A number that goes from one processor to another and back. */
typedef struct ball {
    _Alignas(64) atomic_int there;
    _Alignas(64) atomic_int back;
    double seconds;
} ball;

static void play_piece(void *work, int piece)
{
    enum { TRIPS = 500 };
    ball *ball = work;
    double start = wac_clock_seconds();
    for (int i = 1; i <= TRIPS; i++) {
        if (piece == 0)
            atomic_store(&ball->there, i);
        while (atomic_load(piece == 0 ? &ball->back : &ball->there) != i)
            continue;
        if (piece == 1)
            atomic_store(&ball->back, i);
    }
    if (piece == 0)
        ball->seconds = (wac_clock_seconds() - start) / TRIPS;
}

double wac_bench_round_trip(wac_team *team)
{
    ball ball = {0};
    if (wac_team_threads(team) > 1)
        wac_team_run(team, play_piece, &ball, 2);
    return ball.seconds;
}
