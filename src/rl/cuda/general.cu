/* The general part's engine: memory on the GPU, copies, requests, and graphs of whole updates. */
#include "rl/cuda/general.cuh"
#include "rl/cuda/general_product.cuh"
#include "rl/cuda/request.cuh"

#include <stdlib.h>
#include <string.h>

enum {
    GRAPHS = 2, /* see wac_general_table.repeat */
    MOST_LENT = 8,
    MOST_MARKS = 2048, /* kernels of an update, told apart by a profile */
};

struct wac_general {
    requests gpu;
    wac_engine_precision precision;
    cudaStream_t stream;
    cudaGraphExec_t graphs[GRAPHS]; /* null: not made yet */
    char *memory;
    void *lent[MOST_LENT]; /* memory of the host */

    /* while a profile is taken: events before and after every kernel */
    bool profiling;
    int marks;
    const char **mark_names;
    cudaEvent_t *mark_events;
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

extern "C" const wac_engine_table wac_engine_table_v3;

/* --- memory ----------------------------------------------------------------------------------- */

static void destroy(wac_general *engine)
{
    if (!engine)
        return;
    cudaSetDevice(engine->gpu.device);
    for (int i = 0; i < GRAPHS; i++)
        if (engine->graphs[i])
            cudaGraphExecDestroy(engine->graphs[i]);
    if (engine->stream)
        cudaStreamDestroy(engine->stream);
    cudaFree(engine->memory);
    for (int i = 0; i < MOST_LENT; i++)
        cudaFreeHost(engine->lent[i]);
    free(engine);
}

static int create(wac_general **out, int number, size_t bytes, wac_engine_precision precision,
                  int runs, char *why, size_t size)
{
    wac_engine_gpu gpu;
    if (wac_engine_table_v3.describe(&gpu, number, why, size) != 0)
        return -1;
    if (gpu.major < 8)
        return explain(why, size, "%s has compute capability %d.%d, and 8.0 or more is needed",
                       gpu.name, gpu.major, gpu.minor);
    wac_general *engine = (wac_general *)calloc(1, sizeof *engine);
    if (!engine)
        return explain(why, size, "out of memory");
    engine->gpu.device = gpu.device;
    engine->precision = precision;
    cudaError_t result = cudaMalloc((void **)&engine->memory, bytes);
    if (result == cudaSuccess)
        result = cudaMemset(engine->memory, 0, bytes);
    if (result == cudaSuccess)
        result = cudaStreamCreateWithFlags(&engine->stream, cudaStreamNonBlocking);
    if (result == cudaSuccess)
        result = cudaDeviceSynchronize(); /* what is zero is zero for the stream, too */
    if (result == cudaSuccess) {
        *out = engine;
        return 0;
    }
    cudaGetLastError(); /* it is told */
    destroy(engine);
    if (result == cudaErrorMemoryAllocation)
        return explain(why, size, "%d runs need %.1f GB, and %.1f GB of %s are free", runs,
                       (double)bytes / 1e9, (double)gpu.free / 1e9, gpu.name);
    return explain(why, size, "%s: %s", gpu.name, cudaGetErrorString(result));
}

static char *memory_of(wac_general *engine)
{
    return engine->memory;
}

static void copy_bytes(wac_general *engine, void *to, const void *from, size_t bytes)
{
    if (bytes > 0 && is_ready(&engine->gpu))
        check(&engine->gpu, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, engine->stream),
              "a copy");
}

static void write_bytes(wac_general *engine, void *there, const void *here, size_t bytes)
{
    copy_bytes(engine, there, here, bytes);
}

static void fetch(wac_general *engine, void *lent, const void *there, size_t bytes)
{
    copy_bytes(engine, lent, there, bytes);
}

/* whose memory it is may look there as soon as this returns */
static void read_bytes(wac_general *engine, void *here, const void *there, size_t bytes)
{
    copy_bytes(engine, here, there, bytes);
    if (bytes > 0 && engine->gpu.failure == cudaSuccess)
        check(&engine->gpu, cudaStreamSynchronize(engine->stream), "a copy");
}

static void *lend(wac_general *engine, size_t bytes)
{
    for (int i = 0; i < MOST_LENT && is_ready(&engine->gpu); i++) {
        if (engine->lent[i])
            continue;
        if (cudaMallocHost(&engine->lent[i], bytes) == cudaSuccess)
            return engine->lent[i];
        cudaGetLastError(); /* it is told */
        engine->lent[i] = NULL;
        break;
    }
    return NULL;
}

/* --- requests --------------------------------------------------------------------------------- */

/* A kernel was asked for. */
static void note(wac_general *engine, const char *name)
{
    check(&engine->gpu, cudaGetLastError(), name);
    if (!engine->profiling || engine->marks >= MOST_MARKS)
        return;
    engine->mark_names[engine->marks++] = name;
    check(&engine->gpu, cudaEventRecord(engine->mark_events[engine->marks], engine->stream), name);
}

static void run(wac_general *engine, wac_general_kernel kernel, const wac_general_view *view,
                const wac_general_task *task)
{
    if (!is_ready(&engine->gpu))
        return;
    launches[kernel](view, task, engine->stream);
    note(engine, names_of[kernel]);
}

static void multiply(wac_general *engine, const wac_general_view *view, const wac_product *product)
{
    if (!is_ready(&engine->gpu))
        return;
    launch_product(product->exact ? WAC_ENGINE_SINGLE : engine->precision, *view, *product,
                   engine->stream);
    note(engine, product->b_along    ? "products, forward"
                 : product->a_across ? "products, weights"
                                     : "products, backward");
}

/* --- many updates ----------------------------------------------------------------------------- */

static void capture(wac_general *engine, cudaGraphExec_t *graph, void (*update)(void *user),
                    void *user)
{
    cudaGraph_t drawn = NULL;
    check(&engine->gpu, cudaStreamBeginCapture(engine->stream, cudaStreamCaptureModeThreadLocal),
          "a graph");
    update(user);
    check(&engine->gpu, cudaStreamEndCapture(engine->stream, &drawn), "a graph");
    if (engine->gpu.failure == cudaSuccess)
        check(&engine->gpu, cudaGraphInstantiate(graph, drawn, 0), "a graph");
    if (drawn)
        cudaGraphDestroy(drawn);
}

static void repeat(wac_general *engine, int number, int64_t times, void (*update)(void *user),
                   void *user)
{
    if (!is_ready(&engine->gpu))
        return;
    if (!engine->graphs[number] && times > 0)
        capture(engine, &engine->graphs[number], update, user);
    for (int64_t t = 0; t < times && engine->gpu.failure == cudaSuccess; t++)
        check(&engine->gpu, cudaGraphLaunch(engine->graphs[number], engine->stream), "an update");
}

static int wait(wac_general *engine, char *why, size_t size)
{
    return wait_for(&engine->gpu, engine->stream, why, size);
}

/* --- profiles --------------------------------------------------------------------------------- */

/* What the marks of an update say, by name, comes to what is there. */
static int add_marks(const wac_general *engine, int kernels, const char **names, double *seconds,
                     int most)
{
    for (int i = 0; i < engine->marks; i++) {
        float milliseconds = 0;
        int k = 0;
        cudaEventElapsedTime(&milliseconds, engine->mark_events[i], engine->mark_events[i + 1]);
        while (k < kernels && strcmp(names[k], engine->mark_names[i]) != 0)
            k++;
        if (k == most)
            k--; /* the last one stands for all that are left */
        if (k == kernels) {
            names[kernels] = engine->mark_names[i];
            seconds[kernels++] = 0;
        }
        seconds[k] += 1e-3 * milliseconds;
    }
    return kernels;
}

static int profile(wac_general *engine, int64_t times, void (*update)(void *user), void *user,
                   const char **names, double *seconds, int most)
{
    int kernels = 0;
    engine->mark_names = (const char **)calloc(MOST_MARKS, sizeof *engine->mark_names);
    engine->mark_events = (cudaEvent_t *)calloc(MOST_MARKS + 1, sizeof *engine->mark_events);
    bool ready = engine->mark_names && engine->mark_events && is_ready(&engine->gpu);
    for (int i = 0; ready && i <= MOST_MARKS; i++)
        check(&engine->gpu, cudaEventCreate(&engine->mark_events[i]), "an event");
    for (int64_t t = 0; ready && t < times && engine->gpu.failure == cudaSuccess; t++) {
        engine->marks = 0;
        engine->profiling = true;
        check(&engine->gpu, cudaEventRecord(engine->mark_events[0], engine->stream), "an event");
        update(user);
        engine->profiling = false;
        check(&engine->gpu, cudaStreamSynchronize(engine->stream), "a profile");
        kernels = add_marks(engine, kernels, names, seconds, most);
    }
    for (int i = 0; ready && i <= MOST_MARKS; i++)
        cudaEventDestroy(engine->mark_events[i]);
    free(engine->mark_names);
    free(engine->mark_events);
    return kernels;
}

/* --- the table -------------------------------------------------------------------------------- */

extern "C" __attribute__((visibility("default"))) const wac_general_table wac_general_table_v1;
const wac_general_table wac_general_table_v1 = {
    create, destroy, memory_of, write_bytes, read_bytes, lend,
    fetch,  run,     multiply,  repeat,      wait,       profile,
};
