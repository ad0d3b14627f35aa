/* A GPU for machines without one: a plugin with the table of wac_cuda.so (rl/cuda/engine.h) that
 * keeps what it is given, learns nothing, and takes its time. WAC_FAKE_GPUS is how many there are
 * (2; "broken": who asks is ended); the file WAC_FAKE_LOG gets a line "GPU SEATS" for each engine.
 */
#include "rl/cuda/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NETWORKS = WAC_ENGINE_CRITIC_SECOND + 1 }; /* the blocks that are kept */

struct wac_engine {
    wac_engine_shape shape;
    wac_engine_seat *seats;
    float *blocks[NETWORKS]; /* of all seats */
    int64_t due;             /* updates that nobody has waited for */
};

static int count(char *why, size_t size)
{
    const char *gpus = getenv("WAC_FAKE_GPUS");
    int all = gpus ? atoi(gpus) : 2;
    if (gpus && strcmp(gpus, "broken") == 0)
        _exit(3);
    if (all > 0)
        return all;
    snprintf(why, size, "it is not even a fake one");
    return -1;
}

static int describe(wac_engine_gpu *description, int gpu, char *why, size_t size)
{
    (void)why, (void)size;
    *description = (wac_engine_gpu){.name = "Fake GPU",
                                    .memory = (size_t)1 << 34,
                                    .free = (size_t)1 << 33,
                                    .major = 9,
                                    .processors = 8,
                                    .device = gpu};
    return 0;
}

static int ceilings(wac_engine_ceilings *ceilings, int gpu, char *why, size_t size)
{
    (void)gpu, (void)why, (void)size;
    *ceilings = (wac_engine_ceilings){4e12, {1e14, 3e14, 6e14}};
    return 0;
}

static size_t numbers_of(const wac_engine_shape *shape, int block)
{
    size_t policies = (size_t)shape->policies * shape->policy.stride;
    size_t critics = (size_t)(shape->means + shape->stds) * shape->critic.stride;
    size_t anchors = (size_t)shape->stds * shape->critic.stride;
    return block == WAC_ENGINE_POLICY_BLOCK || block == WAC_ENGINE_POLICY_FIRST ||
                   block == WAC_ENGINE_POLICY_SECOND
               ? policies
           : block == WAC_ENGINE_ANCHOR_BLOCK ? anchors
                                              : critics;
}

static void destroy(wac_engine *engine)
{
    for (int i = 0; engine && i < NETWORKS; i++)
        free(engine->blocks[i]);
    if (engine)
        free(engine->seats);
    free(engine);
}

static int create(wac_engine **out, const wac_engine_shape *shape, char *why, size_t size)
{
    const char *path = getenv("WAC_FAKE_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%d %d\n", shape->gpu, shape->seats);
        fclose(file);
    }
    wac_engine *engine = calloc(1, sizeof *engine);
    if (shape->gpu >= count(why, size) || !engine) {
        snprintf(why, size, "there is no GPU %d", shape->gpu);
        free(engine);
        return -1;
    }
    engine->shape = *shape;
    engine->seats = calloc((size_t)shape->seats, sizeof *engine->seats);
    for (int i = 0; i < NETWORKS; i++)
        engine->blocks[i] = calloc((size_t)shape->seats, numbers_of(shape, i) * sizeof(float));
    *out = engine;
    return 0;
}

static float *place(const wac_engine *engine, int seat, wac_engine_block block, size_t first)
{
    return engine->blocks[block] + (size_t)seat * numbers_of(&engine->shape, (int)block) + first;
}

static void write_block(wac_engine *engine, int seat, wac_engine_block block, size_t first,
                        size_t numbers, const void *from)
{
    if (block <= WAC_ENGINE_CRITIC_SECOND)
        memmove(place(engine, seat, block, first), from, numbers * sizeof(float));
}

static void read_block(wac_engine *engine, int seat, wac_engine_block block, size_t first,
                       size_t numbers, void *to)
{
    if (block <= WAC_ENGINE_CRITIC_SECOND)
        memmove(to, place(engine, seat, block, first), numbers * sizeof(float));
    else
        memset(to, 0, numbers * (block == WAC_ENGINE_COVERAGE ? sizeof(int64_t) : sizeof(float)));
}

static void write_seats(wac_engine *engine, const wac_engine_seat *seats)
{
    memcpy(engine->seats, seats, (size_t)engine->shape.seats * sizeof *seats);
}

static void read_seats(wac_engine *engine, wac_engine_seat *seats)
{
    memcpy(seats, engine->seats, (size_t)engine->shape.seats * sizeof *seats);
}

static void *lend(wac_engine *engine, wac_engine_block block)
{
    return engine->blocks[block];
}

static void fetch(wac_engine *engine, wac_engine_block block)
{
    (void)engine, (void)block; /* what was lent is the block itself */
}

static void step(wac_engine *engine)
{
    (void)engine;
}

static void back_up(wac_engine *engine, int next, int entropy)
{
    (void)engine, (void)next, (void)entropy;
}

static void repeat(wac_engine *engine, int64_t times, void (*update)(void *user), void *user)
{
    (void)update, (void)user;
    for (int i = 0; i < engine->shape.seats; i++) {
        wac_engine_seat *seat = &engine->seats[i];
        if (!seat->active)
            continue;
        seat->updated += times;
        seat->policy_steps += times;
        seat->critic_steps += times;
    }
    __atomic_fetch_add(&engine->due, times, __ATOMIC_RELAXED);
}

static int await(wac_engine *engine, char *why, size_t size)
{
    (void)why, (void)size;
    /* runs that save themselves wait, too, in threads of their own */
    int64_t due = __atomic_exchange_n(&engine->due, 0, __ATOMIC_RELAXED);
    int64_t nanoseconds = 1000 * due * (10 + engine->shape.seats);
    nanosleep(&(struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000}, NULL);
    return 0;
}

static int profile(wac_engine *engine, int64_t times, void (*update)(void *user), void *user,
                   const char **names, double *seconds, int most)
{
    static const char *const kernels[] = {"draw", "teach critics", "move critics"};
    (void)engine, (void)update, (void)user;
    for (int i = 0; i < 3 && i < most; i++) {
        names[i] = kernels[i];
        seconds[i] = 1e-6 * (double)times * (i + 1);
    }
    return 3;
}

extern const wac_engine_table wac_engine_table_v3;
__attribute__((visibility("default"))) const wac_engine_table wac_engine_table_v3 = {
    .count = count,
    .describe = describe,
    .ceilings = ceilings,
    .create = create,
    .destroy = destroy,
    .write = write_block,
    .read = read_block,
    .write_seats = write_seats,
    .read_seats = read_seats,
    .settle = step,
    .lend = lend,
    .fetch = fetch,
    .draw = step,
    .sample = step,
    .tune = step,
    .back_up = back_up,
    .teach = step,
    .aim = back_up,
    .climb = step,
    .anchor = step,
    .repeat = repeat,
    .wait = await,
    .profile = profile,
};
