/* The matrix products of an update by every version of the kernel that this processor runs, one
 * thread, operands in cache, in turns with the limit. */
#include "bench/kernels.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/rng.h"
#include "base/status.h"
#include "bench/limit.h"
#include "bench/update.h"
#include "nn/cpu/product.h"

#include <string.h>

enum { ROWS = 256, MOST_WIDTH = 512, INPUTS = 6 };

typedef struct version {
    const char *name;
    void (*run)(const wac_product *product);
} version;

static int list_versions(version versions[3])
{
    int count = 0;
#if defined(__x86_64__)
    bool fma = __builtin_cpu_supports("fma");
    if (fma && __builtin_cpu_supports("avx512f"))
        versions[count++] = (version){"avx512", wac_product_avx512};
    if (fma && __builtin_cpu_supports("avx2"))
        versions[count++] = (version){"avx2", wac_product_avx2};
#elif defined(__aarch64__)
    versions[count++] = (version){"neon", wac_product_neon};
#endif
    versions[count++] = (version){"library", wac_product_library};
    return count;
}

/* What the products read and write: activations, gradients, weights. */
typedef struct operands {
    float *x, *y, *dy; /* [ROWS][width] */
    float *weight;     /* [width][width] */
    float *dweight;
    float *bias;
} operands;

typedef struct shape {
    const char *name;
    wac_product product;
} shape;

enum { SHAPES = 5 };

/* As the cpu backend asks for them. */
static void list_shapes(shape shapes[SHAPES], const operands *on, int width)
{
    const wac_product back = {.rows = ROWS,
                              .columns = width,
                              .depth = width,
                              .a = on->dy,
                              .a_row = width,
                              .a_depth = 1,
                              .b = on->weight,
                              .b_row = width,
                              .b_column = 1,
                              .c = on->y,
                              .c_row = width,
                              .finish = WAC_FINISH_MASK,
                              .active = on->x};
    wac_product forward = back;
    forward.a = on->x;
    forward.b_row = 1;
    forward.b_column = width;
    forward.finish = WAC_FINISH_BIAS_RELU;
    forward.bias = on->bias;
    wac_product weights = {.rows = width,
                           .columns = width,
                           .depth = ROWS,
                           .a = on->dy,
                           .a_row = 1,
                           .a_depth = width,
                           .b = on->x,
                           .b_row = width,
                           .b_column = 1,
                           .c = on->dweight,
                           .c_row = width};
    wac_product first = forward, first_weights = weights;
    first.depth = first.a_row = first.b_column = INPUTS;
    first_weights.rows = first_weights.a_depth = INPUTS;
    first_weights.a = on->x;
    first_weights.b = on->dy;
    const shape all[SHAPES] = {{"forward, bias, ReLU", forward},
                               {"gradient of inputs, mask", back},
                               {"gradient of weights", weights},
                               {"first layer forward", first},
                               {"first layer, weights", first_weights}};
    memcpy(shapes, all, sizeof all);
}

static double time_products(const version *version, const wac_product *product, int64_t count)
{
    double start = wac_clock_seconds();
    for (int64_t i = 0; i < count; i++)
        version->run(product);
    return wac_clock_seconds() - start;
}

static wac_bench_kernel measure(wac_team *team, const version *version, const shape *shape,
                                double round_seconds)
{
    const wac_product *product = &shape->product;
    double limits[WAC_BENCH_ROUNDS], rates[WAC_BENCH_ROUNDS];
    double operations = 2.0 * product->rows * product->columns * product->depth;
    int64_t count = 1;
    while (time_products(version, product, count) < round_seconds)
        count *= 2;
    for (int round = 0; round < WAC_BENCH_ROUNDS; round++) {
        limits[round] = wac_bench_limit(team);
        rates[round] = operations * (double)count / time_products(version, product, count);
    }
    double limit = wac_bench_summarise(limits).best, best = wac_bench_summarise(rates).best;
    return (wac_bench_kernel){.version = version->name,
                              .shape = shape->name,
                              .rows = product->rows,
                              .columns = product->columns,
                              .depth = product->depth,
                              .operations_per_second = best,
                              .share_of_limit = best / limit};
}

static float *take_numbers(wac_arena *arena, wac_rng *rng, size_t count)
{
    float *numbers = WAC_TAKE(arena, float, count);
    for (size_t i = 0; numbers && i < count; i++)
        numbers[i] = (float)(2 * wac_rng_uniform(rng) - 1);
    return numbers;
}

wac_status wac_bench_kernels(double round_seconds, wac_bench_kernel_fn *tell, void *user,
                             wac_error *error)
{
    static const int widths[] = {256, 64, 128, 512};
    enum { ACTIVATIONS = ROWS * MOST_WIDTH, WEIGHTS = MOST_WIDTH * MOST_WIDTH };
    wac_arena arena = {0};
    wac_rng rng = wac_rng_make(1, WAC_STREAM_INIT);
    operands on = {
        .x = take_numbers(&arena, &rng, ACTIVATIONS),
        .y = take_numbers(&arena, &rng, ACTIVATIONS),
        .dy = take_numbers(&arena, &rng, ACTIVATIONS),
        .weight = take_numbers(&arena, &rng, WEIGHTS),
        .dweight = take_numbers(&arena, &rng, WEIGHTS),
        .bias = take_numbers(&arena, &rng, MOST_WIDTH),
    };
    wac_team *team;
    wac_status status =
        arena.failed ? wac_fail_memory(error, "the matrices") : wac_team_create(&team, 1, 0, error);
    if (status != WAC_STATUS_OK) {
        wac_arena_release(&arena);
        return status;
    }
    version versions[3];
    int count = list_versions(versions);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        shape shapes[SHAPES];
        list_shapes(shapes, &on, widths[w]);
        for (int s = 0; s < SHAPES; s++)
            for (int v = 0; v < count; v++) {
                wac_bench_kernel row = measure(team, &versions[v], &shapes[s], round_seconds);
                tell(user, &row);
            }
    }
    wac_team_destroy(team);
    wac_arena_release(&arena);
    return WAC_STATUS_OK;
}
