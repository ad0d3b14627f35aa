/* The engine: memory on the GPU, copies, the order of kernels, and graphs of whole updates. */
#include "rl/cuda/ceilings.cuh"
#include "rl/cuda/request.cuh"
#include "rl/cuda/view.cuh"

#include <stdlib.h>
#include <string.h>

enum {
    GRAPH_UPDATES = 10, /* in one graph: few launches, and never long until the next stop */
    MOST_GPUS = 64,
    MOST_NARROW = 256, /* width of networks where little memory is shared */
    MOST_LANES = 2,
    LANE_SEATS = 16,   /* at least */
    MOST_KERNELS = 16, /* that are told apart by a profile */
};

typedef struct lane {
    cudaStream_t stream, side;
    cudaEvent_t forked, joined, over;
} lane;

struct wac_engine {
    wac_engine_shape shape;
    requests gpu;
    engine_view view;
    const pass_launches *passes;
    cudaStream_t stream, side; /* side: of what can be done meanwhile */
    cudaEvent_t forked, joined;
    /* seats of a graph go along several lanes at once: while one waits for memory, another computes
     */
    int lanes;
    lane lane[MOST_LANES];
    cudaGraphExec_t one, many; /* graphs of 1 and of GRAPH_UPDATES updates; null: not made yet */
    void *memory;
    void *lent[WAC_ENGINE_BLOCKS]; /* memory of the host; null: was not asked for */
    unsigned with_std;             /* which policies aim at mean and std, asked for so far */

    /* while a profile is taken: events before and after every kernel */
    bool profiling;
    int marks;
    const char *mark_names[MOST_KERNELS];
    cudaEvent_t mark_events[MOST_KERNELS + 1];
};

/* --- GPUs ------------------------------------------------------------------------------------- */

static int count_gpus(char *why, size_t size)
{
    int count = 0, driver = 0;
    cudaError_t result = cudaGetDeviceCount(&count);
    if (result == cudaErrorInsufficientDriver || result == cudaErrorSystemDriverMismatch) {
        int runtime = CUDART_VERSION;
        cudaDriverGetVersion(&driver);
        return driver
                   ? explain(why, size,
                             "its driver is for CUDA %d.%d at most, and this program was built "
                             "with CUDA %d.%d; update the driver",
                             driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10)
                   : explain(why, size, "there is no driver of NVIDIA's; install one");
    }
    if (result == cudaErrorNoDevice || (result == cudaSuccess && count == 0))
        return explain(why, size, "the driver finds no GPU; see what nvidia-smi says");
    if (result != cudaSuccess)
        return explain(why, size, "%s; see what nvidia-smi says", cudaGetErrorString(result));
    return count;
}

/* CUDA's numbers of the GPUs of the first one's model, and how many there are: on another, a run
 * would become another to the byte. */
static int list_alike(int devices[MOST_GPUS])
{
    cudaDeviceProp first, other;
    int count = 0, alike = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess ||
        cudaGetDeviceProperties(&first, 0) != cudaSuccess)
        return 0;
    for (int i = 0; i < count && alike < MOST_GPUS; i++)
        if (cudaGetDeviceProperties(&other, i) == cudaSuccess &&
            strcmp(other.name, first.name) == 0)
            devices[alike++] = i;
    return alike;
}

static int count_alike(char *why, size_t size)
{
    int devices[MOST_GPUS], count = count_gpus(why, size);
    return count < 0 ? count : list_alike(devices);
}

/* From here on this thread uses that GPU. */
static int describe(wac_engine_gpu *description, int gpu, char *why, size_t size)
{
    cudaDeviceProp properties;
    int devices[MOST_GPUS] = {0}, count = list_alike(devices);
    memset(description, 0, sizeof *description);
    if (gpu < 0 || (gpu > 0 && gpu >= count))
        return explain(why, size, "there is no GPU %d", gpu);
    description->device = devices[gpu];
    cudaError_t result = cudaGetDeviceProperties(&properties, description->device);
    if (result == cudaSuccess)
        result = cudaSetDevice(description->device);
    /* who waits for a GPU leaves the processor to those who explore */
    if (result == cudaSuccess)
        result = cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
    if (result == cudaSuccess)
        result = cudaMemGetInfo(&description->free, &description->memory);
    if (result != cudaSuccess)
        return explain(why, size, "%s; see what nvidia-smi says", cudaGetErrorString(result));
    snprintf(description->name, sizeof description->name, "%.127s", properties.name);
    description->major = properties.major;
    description->minor = properties.minor;
    description->processors = properties.multiProcessorCount;
    return 0;
}

static int ceilings(wac_engine_ceilings *ceilings, int gpu, char *why, size_t size)
{
    wac_engine_gpu description;
    if (describe(&description, gpu, why, size) != 0)
        return -1;
    cudaError_t result = measure_ceilings(ceilings, description.processors);
    return result == cudaSuccess
               ? 0
               : explain(why, size, "%s: %s", description.name, cudaGetErrorString(result));
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Hand out pieces of a block, or only count them (base null). */
typedef struct dealer {
    char *base;
    size_t used;
} dealer;

template <typename type> static void deal(dealer *from, type **piece, size_t count)
{
    *piece = from->base ? (type *)(from->base + from->used) : NULL;
    from->used += (count * sizeof(type) + 255) / 256 * 256;
}

static void deal_stack(dealer *from, stack_view *stack, const wac_engine_shape *shape,
                       const wac_engine_layout *at, int members, bool learns)
{
    size_t networks = (size_t)shape->seats * members, size = networks * at->stride;
    stack->members = members;
    stack->at = *at;
    deal(from, &stack->params, size);
    stack->first = stack->second = NULL;
    if (learns) {
        deal(from, &stack->first, size);
        deal(from, &stack->second, size);
    }
    stack->half = NULL;
    if (shape->precision == WAC_ENGINE_MIXED)
        deal(from, &stack->half, networks * shape->width * shape->width);
}

static void deal_trace(dealer *from, trace_view *trace, const wac_engine_shape *shape, int members,
                       int tiles, int tile, int inputs, int outputs, bool both)
{
    size_t element = shape->precision == WAC_ENGINE_MIXED ? sizeof(half_t) : sizeof(float);
    size_t networks = (size_t)shape->seats * members;
    void **arrays[] = {&trace->h0, &trace->d1, &trace->h1};
    trace->tiles = tiles;
    trace->rows = tiles * tile;
    trace->inputs = inputs;
    trace->outputs = outputs;
    for (int i = 0; i < (both ? 3 : 2); i++) {
        char *array;
        deal(from, &array, networks * trace->rows * shape->width * element);
        *arrays[i] = array;
    }
    deal(from, &trace->edges, networks * tiles * (inputs + 1 + outputs) * shape->width);
}

static size_t lay_out(engine_view *e, const wac_engine_shape *shape, bool wide, void *memory)
{
    dealer from = {(char *)memory, 0};
    size_t seats = shape->seats, o = shape->observations, a = shape->actions, rows = shape->rows;
    size_t policies = shape->policies, critics = shape->means + shape->stds;
    size_t record = 2 * o + a + 2, synthetic = shape->synthetic;
    memset(e, 0, sizeof *e);
    e->seats_in_all = e->seat_count = shape->seats;
    e->policies = shape->policies;
    e->means = shape->means;
    e->stds = shape->stds;
    e->observations = shape->observations;
    e->actions = shape->actions;
    e->rows = shape->rows;
    e->synthetic = shape->synthetic;
    e->width = shape->width;
    e->capacity = shape->capacity;
    size_t element = shape->precision == WAC_ENGINE_MIXED ? sizeof(half_t) : sizeof(float);
    e->tile = rows_of_tile(shape->width, element, wide);
    e->batch_tiles = (shape->rows + e->tile - 1) / e->tile;
    e->synthetic_tiles = (shape->synthetic + e->tile - 1) / e->tile;
    deal(&from, &e->seats, seats);
    deal_stack(&from, &e->policy, shape, &shape->policy, shape->policies, true);
    deal_stack(&from, &e->critic, shape, &shape->critic, shape->means + shape->stds, true);
    deal_stack(&from, &e->target, shape, &shape->critic, shape->means + shape->stds, false);
    deal_stack(&from, &e->anchor, shape, &shape->critic, shape->stds, false);
    deal_trace(&from, &e->policy_trace, shape, shape->policies, e->batch_tiles, e->tile,
               shape->observations, 2 * shape->actions, true);
    deal_trace(&from, &e->critic_trace, shape, shape->means + shape->stds,
               e->batch_tiles + e->synthetic_tiles, e->tile, shape->observations + shape->actions,
               1, false);
    deal(&from, &e->replay, seats * shape->capacity * record);
    deal(&from, &e->offset, seats * o);
    deal(&from, &e->scale, seats * o);
    deal(&from, &e->coverage, seats * WAC_COVERAGE_BINS);
    deal(&from, &e->batch_observations, seats * rows * o);
    deal(&from, &e->batch_actions, seats * rows * a);
    deal(&from, &e->rewards, seats * rows);
    deal(&from, &e->next_observations, seats * rows * o);
    deal(&from, &e->terminals, seats * rows);
    deal(&from, &e->noise, seats * policies * rows * a);
    deal(&from, &e->next_noise, seats * rows * a);
    deal(&from, &e->pairs, seats * synthetic * (o + a));
    deal(&from, &e->heads, seats * policies * rows * 2 * a);
    deal(&from, &e->action, seats * policies * rows * a);
    size_t words = shape->width > 128 ? shape->width / 128 : 1; /* of a thread and a layer */
    deal(&from, &e->above, seats * policies * e->batch_tiles * 2 * words * 4 * e->tile);
    deal(&from, &e->log_prob, seats * policies * rows);
    deal(&from, &e->next_heads, seats * rows * 2 * a);
    deal(&from, &e->next_action, seats * rows * a);
    deal(&from, &e->next_log_prob, seats * rows);
    deal(&from, &e->target_out, seats * critics * rows);
    deal(&from, &e->anchor_out, seats * shape->stds * synthetic);
    deal(&from, &e->critic_out, seats * critics * (rows + synthetic));
    deal(&from, &e->mean_target, seats * rows);
    deal(&from, &e->std_target, seats * rows);
    deal(&from, &e->aim_out, seats * policies * critics * rows);
    deal(&from, &e->aim_slope, seats * policies * critics * rows * a);
    deal(&from, &e->bound, seats * policies * rows);
    deal(&from, &e->dout, seats * critics * e->critic_trace.rows);
    deal(&from, &e->dheads, seats * policies * rows * 2 * a);
    return from.used;
}

static size_t bytes_of(const wac_engine_shape *shape, bool wide)
{
    engine_view view;
    return lay_out(&view, shape, wide, NULL);
}

static void destroy(wac_engine *engine)
{
    if (!engine)
        return;
    cudaSetDevice(engine->gpu.device);
    if (engine->one)
        cudaGraphExecDestroy(engine->one);
    if (engine->many)
        cudaGraphExecDestroy(engine->many);
    for (int i = 0; i < engine->lanes; i++) {
        const lane *lane = &engine->lane[i];
        cudaStream_t streams[] = {lane->stream, lane->side};
        cudaEvent_t events[] = {lane->forked, lane->joined, lane->over};
        for (int k = 0; k < 2; k++)
            if (streams[k])
                cudaStreamDestroy(streams[k]);
        for (int k = 0; k < 3; k++)
            if (events[k])
                cudaEventDestroy(events[k]);
    }
    cudaFree(engine->memory);
    for (int i = 0; i < WAC_ENGINE_BLOCKS; i++)
        cudaFreeHost(engine->lent[i]);
    free(engine);
}

static cudaError_t make_lane(lane *lane)
{
    cudaError_t result = cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking);
    if (result == cudaSuccess)
        result = cudaStreamCreateWithFlags(&lane->side, cudaStreamNonBlocking);
    cudaEvent_t *events[] = {&lane->forked, &lane->joined, &lane->over};
    for (int i = 0; i < 3 && result == cudaSuccess; i++)
        result = cudaEventCreateWithFlags(events[i], cudaEventDisableTiming);
    return result;
}

/* What is asked for goes along a lane; the first is that of all outside of graphs. */
static void use_lane(wac_engine *engine, int number)
{
    const lane *lane = &engine->lane[number];
    engine->stream = lane->stream;
    engine->side = lane->side;
    engine->forked = lane->forked;
    engine->joined = lane->joined;
}

/* Whether blocks of threads take all of a Hopper's shared memory: where it is there, and nothing
 * else is asked for, as tests do. */
static bool is_wide(const wac_engine_gpu *gpu)
{
    int bytes = 0;
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, gpu->device);
    return gpu->major >= 9 && bytes >= shared_of_block(true) && !getenv("WAC_CUDA_NARROW");
}

static int create(wac_engine **out, const wac_engine_shape *shape, char *why, size_t size)
{
    static const pass_launches *const passes[] = {launches_single, launches_tf32, launches_mixed};
    wac_engine_gpu gpu;
    if (describe(&gpu, shape->gpu, why, size) != 0)
        return -1;
    if (gpu.major < 8)
        return explain(why, size, "%s has compute capability %d.%d, and 8.0 or more is needed",
                       gpu.name, gpu.major, gpu.minor);
    bool wide = is_wide(&gpu);
    if (!wide && shape->width > MOST_NARROW)
        return explain(why, size,
                       "networks of width %d need %d KiB of shared memory for a block of threads, "
                       "which %s has not; %d is the widest there, or WAC_CUDA_GENERAL=1 takes "
                       "other kernels",
                       shape->width, shared_of_block(true) / 1024, gpu.name, MOST_NARROW);
    wac_engine *engine = (wac_engine *)calloc(1, sizeof *engine);
    if (!engine)
        return explain(why, size, "out of memory");
    engine->shape = *shape;
    engine->gpu.device = gpu.device;
    engine->passes = &passes[shape->precision][wide];
    engine->lanes = shape->seats < 2 * LANE_SEATS ? 1 : MOST_LANES;
    size_t needed = bytes_of(shape, wide);
    cudaError_t result = cudaMalloc(&engine->memory, needed);
    if (result == cudaSuccess)
        result = cudaMemset(engine->memory, 0, needed);
    for (int i = 0; i < engine->lanes && result == cudaSuccess; i++)
        result = make_lane(&engine->lane[i]);
    use_lane(engine, 0);
    if (result == cudaSuccess) {
        lay_out(&engine->view, shape, wide, engine->memory);
        engine->view.processors = gpu.processors;
        engine->passes->prepare(shape->width);
        result = cudaGetLastError();
    }
    if (result == cudaSuccess) {
        *out = engine;
        return 0;
    }
    cudaGetLastError(); /* it is told */
    destroy(engine);
    if (result == cudaErrorMemoryAllocation)
        return explain(why, size, "%d runs need %.1f GB, and %.1f GB of %s are free", shape->seats,
                       (double)needed / 1e9, (double)gpu.free / 1e9, gpu.name);
    return explain(why, size, "%s: %s", gpu.name, cudaGetErrorString(result));
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Where a block begins, how many numbers of how many bytes a seat has of it. */
static char *block_at(const wac_engine *engine, wac_engine_block block, size_t *count,
                      size_t *bytes)
{
    const engine_view *e = &engine->view;
    const wac_engine_shape *s = &engine->shape;
    size_t critics = s->means + s->stds, o = s->observations, a = s->actions, rows = s->rows;
    const struct {
        void *base;
        size_t count;
    } blocks[WAC_ENGINE_BLOCKS] = {
        {e->policy.params, s->policies * s->policy.stride},
        {e->critic.params, critics * s->critic.stride},
        {e->target.params, critics * s->critic.stride},
        {e->anchor.params, s->stds * s->critic.stride},
        {e->policy.first, s->policies * s->policy.stride},
        {e->policy.second, s->policies * s->policy.stride},
        {e->critic.first, critics * s->critic.stride},
        {e->critic.second, critics * s->critic.stride},
        {e->replay, s->capacity * (2 * o + a + 2)},
        {e->offset, o},
        {e->scale, o},
        {e->batch_observations, rows * o},
        {e->batch_actions, rows * a},
        {e->rewards, rows},
        {e->next_observations, rows * o},
        {e->terminals, rows},
        {e->noise, s->policies * rows * a},
        {e->next_noise, rows * a},
        {e->pairs, s->synthetic * (o + a)},
        {e->coverage, WAC_COVERAGE_BINS},
    };
    *count = blocks[block].count;
    *bytes = block == WAC_ENGINE_COVERAGE ? sizeof(int64_t) : sizeof(float);
    return (char *)blocks[block].base;
}

static void copy(wac_engine *engine, int seat, wac_engine_block block, size_t first, size_t count,
                 void *to, const void *from)
{
    size_t all, bytes;
    char *base = block_at(engine, block, &all, &bytes);
    if (count == 0 || !is_ready(&engine->gpu))
        return;
    if (first + count > all) {
        check(&engine->gpu, cudaErrorInvalidValue, "a copy beyond a block");
        return;
    }
    char *place = base + (seat * all + first) * bytes;
    check(&engine->gpu,
          cudaMemcpyAsync(to ? to : place, from ? from : place, count * bytes, cudaMemcpyDefault,
                          engine->stream),
          "a copy");
    /* whose memory it is may change it as soon as this returns */
    if (to)
        check(&engine->gpu, cudaStreamSynchronize(engine->stream), "a copy");
}

static void write_block(wac_engine *engine, int seat, wac_engine_block block, size_t first,
                        size_t count, const void *numbers)
{
    copy(engine, seat, block, first, count, NULL, numbers);
}

static void read_block(wac_engine *engine, int seat, wac_engine_block block, size_t first,
                       size_t count, void *numbers)
{
    copy(engine, seat, block, first, count, numbers, NULL);
}

static void *lend(wac_engine *engine, wac_engine_block block)
{
    size_t count, bytes;
    block_at(engine, block, &count, &bytes);
    void **lent = &engine->lent[block];
    if (!is_ready(&engine->gpu) ||
        cudaMallocHost(lent, engine->shape.seats * count * bytes) != cudaSuccess) {
        cudaGetLastError(); /* it is told */
        *lent = NULL;
    }
    return *lent;
}

static void fetch(wac_engine *engine, wac_engine_block block)
{
    size_t count, bytes;
    const char *base = block_at(engine, block, &count, &bytes);
    if (is_ready(&engine->gpu))
        check(&engine->gpu,
              cudaMemcpyAsync(engine->lent[block], base, engine->shape.seats * count * bytes,
                              cudaMemcpyDefault, engine->stream),
              "a copy");
}

static void write_seats(wac_engine *engine, const wac_engine_seat *seats)
{
    if (is_ready(&engine->gpu))
        check(&engine->gpu,
              cudaMemcpyAsync(engine->view.seats, seats, engine->shape.seats * sizeof *seats,
                              cudaMemcpyDefault, engine->stream),
              "a copy");
}

static void read_seats(wac_engine *engine, wac_engine_seat *seats)
{
    if (is_ready(&engine->gpu))
        check(&engine->gpu,
              cudaMemcpyAsync(seats, engine->view.seats, engine->shape.seats * sizeof *seats,
                              cudaMemcpyDefault, engine->stream),
              "a copy");
    if (engine->gpu.failure == cudaSuccess)
        check(&engine->gpu, cudaStreamSynchronize(engine->stream), "a copy");
}

static void settle(wac_engine *engine)
{
    const engine_view *e = &engine->view;
    const stack_view *stacks[] = {&e->policy, &e->critic, &e->target, &e->anchor};
    if (!is_ready(&engine->gpu))
        return;
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++)
        launch_halve(*e, *stacks[i], engine->stream);
    check(&engine->gpu, cudaGetLastError(), "the halves of weights");
}

/* --- steps ------------------------------------------------------------------------------------ */

/* A kernel was asked for. */
static void note(wac_engine *engine, const char *name)
{
    check(&engine->gpu, cudaGetLastError(), name);
    if (!engine->profiling || engine->marks >= MOST_KERNELS)
        return;
    engine->mark_names[engine->marks++] = name;
    check(&engine->gpu, cudaEventRecord(engine->mark_events[engine->marks], engine->stream), name);
}

static void draw(wac_engine *engine)
{
    launch_draw(engine->view, engine->stream);
    note(engine, "draw");
}

static void sample(wac_engine *engine)
{
    engine->with_std = 0;
    engine->passes->sample(engine->view, engine->stream);
    launch_actions(engine->view, false, engine->stream);
    note(engine, "sample");
}

static void tune(wac_engine *engine)
{
    launch_tune(engine->view, engine->stream);
    note(engine, "tune");
}

static void back_up(wac_engine *engine, int next, int entropy)
{
    engine->passes->sample_next(engine->view, next, engine->stream);
    launch_actions(engine->view, true, engine->stream);
    note(engine, "sample next");
    engine->passes->ask(engine->view, engine->stream);
    launch_targets(engine->view, entropy, engine->stream);
    note(engine, "ask targets");
}

/* Adam on networks whose gradients are there: edges beside hidden weights. */
static void move_networks(wac_engine *engine, bool critics, const char *name)
{
    check(&engine->gpu, cudaEventRecord(engine->forked, engine->stream), name);
    check(&engine->gpu, cudaStreamWaitEvent(engine->side, engine->forked, 0), name);
    launch_edges(engine->view, critics, engine->side);
    check(&engine->gpu, cudaEventRecord(engine->joined, engine->side), name);
    engine->passes->move_hidden(engine->view, critics, engine->stream);
    check(&engine->gpu, cudaStreamWaitEvent(engine->stream, engine->joined, 0), name);
    note(engine, name);
}

static void teach(wac_engine *engine)
{
    engine->passes->teach(engine->view, engine->stream);
    note(engine, "teach critics");
    move_networks(engine, true, "move critics");
}

static void aim(wac_engine *engine, int policy, int with_std)
{
    engine->with_std |= (unsigned)(with_std != 0) << policy;
}

static void climb(wac_engine *engine)
{
    engine->passes->aim(engine->view, engine->with_std, engine->stream);
    launch_wishes(engine->view, engine->with_std, engine->stream);
    note(engine, "aim policies");
    engine->passes->climb(engine->view, engine->stream);
    note(engine, "climb policies");
    move_networks(engine, false, "move policies");
    launch_tell(engine->view, engine->stream);
    note(engine, "tell");
}

static void anchor(wac_engine *engine)
{
    launch_anchor(engine->view, engine->stream);
    note(engine, "anchor");
}

/* --- many updates ----------------------------------------------------------------------------- */

static void capture(wac_engine *engine, cudaGraphExec_t *graph, int times,
                    void (*update)(void *user), void *user)
{
    cudaGraph_t drawn = NULL;
    cudaStream_t main = engine->stream;
    const engine_view all = engine->view;
    check(&engine->gpu, cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal), "a graph");
    /* the others begin with the first, and end before it does */
    check(&engine->gpu, cudaEventRecord(engine->lane[0].over, main), "a graph");
    for (int i = engine->lanes - 1; i >= 0; i--) {
        use_lane(engine, i);
        if (i > 0)
            check(&engine->gpu, cudaStreamWaitEvent(engine->stream, engine->lane[0].over, 0),
                  "a graph");
        engine->view.first_seat = i * all.seat_count / engine->lanes;
        engine->view.seat_count =
            (i + 1) * all.seat_count / engine->lanes - engine->view.first_seat;
        for (int k = 0; k < times; k++)
            update(user);
        if (i > 0)
            check(&engine->gpu, cudaEventRecord(engine->lane[i].over, engine->stream), "a graph");
    }
    for (int i = 1; i < engine->lanes; i++)
        check(&engine->gpu, cudaStreamWaitEvent(main, engine->lane[i].over, 0), "a graph");
    engine->view = all;
    check(&engine->gpu, cudaStreamEndCapture(main, &drawn), "a graph");
    if (engine->gpu.failure == cudaSuccess)
        check(&engine->gpu, cudaGraphInstantiate(graph, drawn, 0), "a graph");
    if (drawn)
        cudaGraphDestroy(drawn);
}

static void repeat(wac_engine *engine, int64_t times, void (*update)(void *user), void *user)
{
    if (!is_ready(&engine->gpu))
        return;
    if (!engine->one && times > 0)
        capture(engine, &engine->one, 1, update, user);
    if (engine->gpu.failure == cudaSuccess && !engine->many && times >= GRAPH_UPDATES)
        capture(engine, &engine->many, GRAPH_UPDATES, update, user);
    while (times > 0 && engine->gpu.failure == cudaSuccess) {
        bool many = times >= GRAPH_UPDATES;
        check(&engine->gpu, cudaGraphLaunch(many ? engine->many : engine->one, engine->stream),
              "an update");
        times -= many ? GRAPH_UPDATES : 1;
    }
}

static int wait(wac_engine *engine, char *why, size_t size)
{
    return wait_for(&engine->gpu, engine->stream, why, size);
}

static int profile(wac_engine *engine, int64_t times, void (*update)(void *user), void *user,
                   const char **names, double *seconds, int most)
{
    int kernels = 0;
    for (int i = 0; i <= MOST_KERNELS; i++)
        check(&engine->gpu, cudaEventCreate(&engine->mark_events[i]), "an event");
    for (int64_t t = 0; t < times && engine->gpu.failure == cudaSuccess; t++) {
        engine->marks = 0;
        engine->profiling = true;
        check(&engine->gpu, cudaEventRecord(engine->mark_events[0], engine->stream), "an event");
        update(user);
        engine->profiling = false;
        check(&engine->gpu, cudaStreamSynchronize(engine->stream), "a profile");
        for (kernels = 0; kernels < engine->marks && kernels < most; kernels++) {
            float milliseconds = 0;
            cudaEventElapsedTime(&milliseconds, engine->mark_events[kernels],
                                 engine->mark_events[kernels + 1]);
            names[kernels] = engine->mark_names[kernels];
            seconds[kernels] = (t ? seconds[kernels] : 0) + 1e-3 * milliseconds;
        }
    }
    for (int i = 0; i <= MOST_KERNELS; i++)
        cudaEventDestroy(engine->mark_events[i]);
    return kernels;
}

/* --- the table -------------------------------------------------------------------------------- */

extern "C" __attribute__((visibility("default"))) const wac_engine_table wac_engine_table_v3;
const wac_engine_table wac_engine_table_v3 = {
    count_alike, describe, ceilings, create, destroy, write_block, read_block, write_seats,
    read_seats,  settle,   lend,     fetch,  draw,    sample,      tune,       back_up,
    teach,       aim,      climb,    anchor, repeat,  wait,        profile,
};
