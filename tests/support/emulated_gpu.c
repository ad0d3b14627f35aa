/* A GPU for machines without one: the general part of the plugin (rl/cuda/general.h), whose kernels
 * are the same sources, a thread after the other. Products are plain loops, of factors cut as the
 * precision has it; graphs are lists of what was asked for. The fused kernels are not here.
 */
#include "rl/cuda/general_draw.cu"
#include "rl/cuda/general_layers.cu"
#include "rl/cuda/general_models.cu"
#include "rl/cuda/general_quantiles.cu"
#include "rl/cuda/general_rows.cu"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GRAPHS = 2, MOST_LENT = 8 };

/* Something that was asked for. */
typedef struct request {
    int kernel; /* WAC_GENERAL_KERNEL_COUNT: the product */
    wac_general_view view;
    wac_general_task task;
    wac_product product;
} request;

typedef struct graph {
    request *list;
    size_t count;
} graph;

struct wac_general {
    wac_engine_precision precision;
    char *memory;
    void *lent[MOST_LENT];
    graph graphs[GRAPHS];
    graph *open; /* what is asked for is put there */
};

static wac_general_launch *const launches[] = {
#define X(name) launch_general_##name,
    WAC_GENERAL_KERNELS(X)
#undef X
};
static const char *const names_of[] = {
#define X(name) #name,
    WAC_GENERAL_KERNELS(X)
#undef X
};

/* --- products --------------------------------------------------------------------------------- */

/* A number as tensor cores read it. */
static float cut(wac_engine_precision precision, float number)
{
    uint32_t bits;
    if (precision == WAC_ENGINE_SINGLE || !isfinite(number))
        return number;
    if (precision == WAC_ENGINE_MIXED && fabsf(number) > 65504)
        return number < 0 ? -65504.f : 65504.f;
    if (precision == WAC_ENGINE_MIXED && fabsf(number) < 0x1p-14f)
        return rintf(number * 0x1p24f) * 0x1p-24f;
    memcpy(&bits, &number, sizeof bits);
    bits = (bits + 0x1000u) & 0xffffe000u;
    memcpy(&number, &bits, sizeof bits);
    return number;
}

/* [rows][columns] of a factor, cut, with `columns` along the depth if that is so */
static void pack(wac_engine_precision precision, const float *from, int row, bool turned, int rows,
                 int columns, float scale, float *to)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            size_t at =
                turned ? (size_t)j * (size_t)row + (size_t)i : (size_t)i * (size_t)row + (size_t)j;
            to[(size_t)i * (size_t)columns + (size_t)j] = cut(precision, scale * from[at]);
        }
}

static float *member_of(wac_matrix matrix, int seat, int member)
{
    return matrix.at + (size_t)seat * matrix.seat + (size_t)member * matrix.member;
}

/* One member's. */
static void multiply_one(const wac_general *gpu, const wac_general_seat *own, const wac_product *p,
                         int seat, int member)
{
    int chosen = p->chosen ? own->subset[member] : member;
    size_t m = (size_t)p->m, n = (size_t)p->n;
    size_t k = (size_t)(p->k + (p->more_depth ? own->synthetic : 0));
    float scale = p->scale > 0 ? p->scale : 1;
    wac_engine_precision precision = p->exact ? WAC_ENGINE_SINGLE : gpu->precision;
    float *a = malloc((m * k + k * n + n + 1) * sizeof *a), *b = a + m * k, *sums = b + k * n;
    float *c = member_of(p->c, seat, member);
    for (size_t i = 0; p->sums.at && i < m; i++) {
        float sum = 0;
        for (size_t d = 0; d < k; d++)
            sum += member_of(p->a, seat, member)[d * (size_t)p->a.row + i];
        member_of(p->sums, seat, member)[i] = sum;
    }
    pack(precision, member_of(p->a, seat, member), p->a.row, p->a_across, p->m, (int)k, scale, a);
    pack(precision, member_of(p->b, seat, chosen), p->b.row, p->b_along, (int)k, p->n, 1, b);
    for (size_t i = 0; i < m; i++) {
        memset(sums, 0, n * sizeof *sums);
        for (size_t d = 0; d < k; d++)
            for (size_t j = 0; j < n; j++)
                sums[j] += a[i * k + d] * b[d * n + j];
        for (size_t j = 0; j < n; j++) {
            float *to = c + i * (size_t)p->c.row + j, value = sums[j] / scale;
            if (p->bias.at)
                value += member_of(p->bias, seat, chosen)[j];
            if (p->relu && value < 0)
                value = 0;
            if (p->active.at &&
                !(member_of(p->active, seat, member)[i * (size_t)p->active.row + j] > 0))
                value = 0;
            *to = p->more ? *to + value : value;
        }
    }
    free(a);
}

static void multiply_all(const wac_general *gpu, const wac_general_view *view,
                         const wac_product *product)
{
    for (int seat = 0; seat < view->seat_count; seat++)
        for (int m = 0; m < product->members; m++)
            if (takes_part(view->seats + seat, product->movers))
                multiply_one(gpu, view->seats + seat, product, seat, m);
}

/* --- requests --------------------------------------------------------------------------------- */

static void serve(const wac_general *gpu, const request *r)
{
    if (r->kernel == WAC_GENERAL_KERNEL_COUNT)
        multiply_all(gpu, &r->view, &r->product);
    else
        launches[r->kernel](&r->view, &r->task, NULL);
}

static void ask(wac_general *gpu, const request *r)
{
    graph *open = gpu->open;
    if (!open) {
        serve(gpu, r);
        return;
    }
    open->list = realloc(open->list, (open->count + 1) * sizeof *open->list);
    open->list[open->count++] = *r;
}

static void run(wac_general *gpu, wac_general_kernel kernel, const wac_general_view *view,
                const wac_general_task *task)
{
    ask(gpu, &(request){.kernel = (int)kernel, .view = *view, .task = *task});
}

static void multiply(wac_general *gpu, const wac_general_view *view, const wac_product *product)
{
    ask(gpu, &(request){.kernel = WAC_GENERAL_KERNEL_COUNT, .view = *view, .product = *product});
}

static void record(wac_general *gpu, graph *into, void (*update)(void *user), void *user)
{
    gpu->open = into;
    update(user);
    gpu->open = NULL;
}

static void repeat(wac_general *gpu, int number, int64_t times, void (*update)(void *user),
                   void *user)
{
    graph *own = &gpu->graphs[number];
    if (!own->count)
        record(gpu, own, update, user);
    for (int64_t t = 0; t < times; t++)
        for (size_t i = 0; i < own->count; i++)
            serve(gpu, &own->list[i]);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* By kernel, in the order in which they are first asked for. */
static int profile(wac_general *gpu, int64_t times, void (*update)(void *user), void *user,
                   const char **names, double *seconds, int most)
{
    graph all = {0};
    int kernels = 0;
    record(gpu, &all, update, user);
    for (int64_t t = 0; t < times; t++)
        for (size_t i = 0; i < all.count; i++) {
            int own = all.list[i].kernel, k = 0;
            const char *name = own == WAC_GENERAL_KERNEL_COUNT ? "multiply" : names_of[own];
            double start = seconds_now();
            serve(gpu, &all.list[i]);
            while (k < kernels && strcmp(names[k], name) != 0)
                k++;
            if (k == most)
                continue;
            if (k == kernels) {
                names[kernels] = name;
                seconds[kernels++] = 0;
            }
            seconds[k] += seconds_now() - start;
        }
    free(all.list);
    return kernels;
}

/* --- memory ----------------------------------------------------------------------------------- */

static void destroy(wac_general *gpu)
{
    for (int i = 0; gpu && i < GRAPHS; i++)
        free(gpu->graphs[i].list);
    for (int i = 0; gpu && i < MOST_LENT; i++)
        free(gpu->lent[i]);
    if (gpu)
        free(gpu->memory);
    free(gpu);
}

static int create(wac_general **out, int gpu, size_t bytes, wac_engine_precision precision,
                  int runs, char *why, size_t size)
{
    (void)gpu;
    wac_general *made = calloc(1, sizeof *made);
    if (made)
        *made = (wac_general){.precision = precision, .memory = calloc(1, bytes)};
    if (made && made->memory) {
        *out = made;
        return 0;
    }
    destroy(made);
    snprintf(why, size, "%d runs need %.1f GB", runs, (double)bytes / 1e9);
    return -1;
}

static char *memory_of(wac_general *gpu)
{
    return gpu->memory;
}

static void move_bytes(wac_general *gpu, void *to, const void *from, size_t bytes)
{
    (void)gpu;
    memcpy(to, from, bytes);
}

static void *lend(wac_general *gpu, size_t bytes)
{
    for (int i = 0; i < MOST_LENT; i++)
        if (!gpu->lent[i])
            return gpu->lent[i] = malloc(bytes);
    return NULL;
}

static int wait(wac_general *gpu, char *why, size_t size)
{
    (void)gpu, (void)why, (void)size;
    return 0;
}

/* --- tables ----------------------------------------------------------------------------------- */

static int count(char *why, size_t size)
{
    (void)why, (void)size;
    return 1;
}

static int describe(wac_engine_gpu *description, int gpu, char *why, size_t size)
{
    (void)why, (void)size;
    *description = (wac_engine_gpu){.name = "Emulated GPU",
                                    .memory = (size_t)1 << 34,
                                    .free = (size_t)1 << 33,
                                    .major = 9,
                                    .processors = 1,
                                    .device = gpu};
    return 0;
}

static int ceilings(wac_engine_ceilings *ceilings, int gpu, char *why, size_t size)
{
    (void)gpu, (void)why, (void)size;
    *ceilings = (wac_engine_ceilings){1e10, {1e10, 1e10, 1e10}};
    return 0;
}

static int refuse(wac_engine **engine, const wac_engine_shape *shape, char *why, size_t size)
{
    (void)engine, (void)shape;
    snprintf(why, size, "fused kernels are not emulated");
    return -1;
}

__attribute__((visibility("default"))) const wac_engine_table wac_engine_table_v3 = {
    .count = count, .describe = describe, .ceilings = ceilings, .create = refuse};

__attribute__((visibility("default"))) const wac_general_table wac_general_table_v1 = {
    .create = create,
    .destroy = destroy,
    .memory = memory_of,
    .write = move_bytes,
    .read = move_bytes,
    .lend = lend,
    .fetch = move_bytes,
    .run = run,
    .multiply = multiply,
    .repeat = repeat,
    .wait = wait,
    .profile = profile,
};
