/* The fast CPU backend: matrix products by product.h, everything around them in loops that
 * vectorise.
 *
 * Where the members of a stack can be dealt out evenly, every thread takes its own through the
 * whole pass: nobody waits in the middle, and what need not be kept stays in the thread's cache.
 * Else each member is cut, by rows for what passes through it and by hidden units for the gradients
 * of its parameters. Every number is one sum in one fixed order however the work is cut, so any
 * number of threads computes the same bits.
 */
#include "nn/adam.h"
#include "nn/cpu/mixed.h"
#include "nn/cpu/product.h"
#include "nn/reference/reference.h"

#include <string.h>

enum {
    LANES = 16,
    TOGETHER = 4,       /* dot products at a time */
    CHUNK = 56,         /* rows that go through all layers at a time: a few tiles */
    FEW_ROWS = 4,       /* up to here dot products beat tiles */
    ALONE_ROWS = 32,    /* fewer are not worth waking the team for */
    SELECTED = 256,     /* rows out of which those that count are selected */
    UNITS = 256,        /* hidden units whose gradients are computed at once */
    STRIP = 64,         /* hidden units whose weights are transposed at once */
    BLOCK = 16384,      /* parameters that a thread moves at once */
    NARROW = 8,         /* up to so many columns are taken as rows of … */
    NARROW_DEPTH = 1024 /* … up to this length */
};

/* One source, a version for each vector unit, chosen when the program starts. Products and sums are
 * never contracted (-ffp-contract=off), so all versions give the same bits. Sanitizers cannot run
 * the code that chooses. */
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&      \
    !defined(WAC_SANITIZED)
#define VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define VECTORISED
#endif

static int pieces_of(int count, int size)
{
    return (count + size - 1) / size;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* wherever it lies in memory */
typedef float lanes
    __attribute__((vector_size(LANES * sizeof(float)), aligned(sizeof(float)), may_alias));

/* y [rows][outputs] = x W^T + b (or 0) by dot products, some at a time, so that none waits for its
 * own sums: best for narrow heads, and for few rows */
VECTORISED static void dots(const wac_layer *layer, int rows, const float *x, float *y)
{
    int inputs = layer->inputs, outputs = layer->outputs;
    for (int first = 0; first < rows * outputs; first += TOGETHER) {
        const float *row[TOGETHER], *weight[TOGETHER];
        lanes sums[TOGETHER] = {0};
        int last = rows * outputs - 1;
        for (int d = 0; d < TOGETHER; d++) {
            int at = smaller(first + d, last);
            row[d] = x + (size_t)(at / outputs) * (size_t)inputs;
            weight[d] = layer->weight + (size_t)(at % outputs) * (size_t)inputs;
        }
        int k = 0;
        for (; k + LANES <= inputs; k += LANES)
            for (int d = 0; d < TOGETHER; d++)
                sums[d] += *(const lanes *)(row[d] + k) * *(const lanes *)(weight[d] + k);
        for (int d = 0; d < TOGETHER && first + d <= last; d++) {
            float sum = layer->bias ? layer->bias[(first + d) % outputs] : 0;
            for (int i = k; i < inputs; i++)
                sum += row[d][i] * weight[d][i];
            for (int l = 0; l < LANES; l++)
                sum += sums[d][l];
            y[first + d] = sum;
        }
    }
}

/* dh [rows][width] = dout W, masked by h: for rows 0, 1, … of dout and h, or those of the list */
VECTORISED static void head_dinput(const wac_layer *head, int rows, const int *list,
                                   const float *dout, const float *h, float *dh)
{
    int width = head->inputs, outputs = head->outputs;
    for (int i = 0; i < rows; i++) {
        int from = list ? list[i] : i;
        float *row = dh + (size_t)i * (size_t)width;
        const float *active = h + (size_t)from * (size_t)width, *weight = head->weight;
        const float *d = dout + (size_t)from * (size_t)outputs;
        if (outputs == 1) {
            for (int j = 0; j < width; j++) {
                float value = d[0] * weight[j]; /* in any case, or it does not vectorise */
                row[j] = active[j] > 0 ? value : 0;
            }
            continue;
        }
        for (int j = 0; j < width; j++)
            row[j] = d[0] * weight[j];
        for (int o = 1; o < outputs; o++)
            for (int j = 0; j < width; j++)
                row[j] += d[o] * weight[o * width + j];
        for (int j = 0; j < width; j++)
            row[j] = active[j] > 0 ? row[j] : 0;
    }
}

/* dh [rows][width] becomes zero where the listed rows of h are */
VECTORISED static void mask_rows(int rows, const int *list, int width, const float *h, float *dh)
{
    for (int i = 0; i < rows; i++) {
        float *row = dh + (size_t)i * (size_t)width;
        const float *active = h + (size_t)list[i] * (size_t)width;
        for (int j = 0; j < width; j++)
            row[j] = active[j] > 0 ? row[j] : 0;
    }
}

/* columns first … end-1 of the head's weight gradient */
VECTORISED static void head_dweight(const wac_layer *dhead, int rows, int first, int end,
                                    const float *dout, const float *h)
{
    int width = dhead->inputs;
    for (int o = 0; o < dhead->outputs; o++) {
        float *dweight = dhead->weight + (size_t)o * (size_t)width;
        for (int j = first; j < end; j++)
            dweight[j] = 0;
        for (int i = 0; i < rows; i++) {
            const float *row = h + (size_t)i * (size_t)width;
            float d = dout[i * dhead->outputs + o];
            for (int j = first; j < end; j++)
                dweight[j] += d * row[j];
        }
    }
}

/* columns first … end-1 of sums over rows of dy [rows][width] */
VECTORISED static void sum_rows(int rows, int width, int first, int end, const float *dy,
                                float *sums)
{
    for (int j = first; j < end; j++)
        sums[j] = 0;
    for (int i = 0; i < rows; i++) {
        const float *row = dy + (size_t)i * (size_t)width;
        for (int j = first; j < end; j++)
            sums[j] += row[j];
    }
}

/* Read a matrix in the order of memory: prefetchers then bring what a product, which jumps from row
 * to row, would wait for. */
static void touch(int count, const float *numbers)
{
    for (int i = 0; i < count; i += LANES)
        (void)*(const volatile float *)(numbers + i);
}

/* y [rows][outputs] = relu(x W^T + b); turned: W^T, or null to take dot products */
static void hidden_forward(const wac_layer *layer, const float *turned, int rows, const float *x,
                           float *y, const wac_span *ahead)
{
    if (!turned) {
        dots(layer, rows, x, y);
        for (int i = 0; i < rows * layer->outputs; i++)
            y[i] = y[i] < 0 ? 0 : y[i];
        return;
    }
    wac_product_run(&(wac_product){.rows = rows,
                                   .columns = layer->outputs,
                                   .depth = layer->inputs,
                                   .a = x,
                                   .a_row = layer->inputs,
                                   .a_depth = 1,
                                   .b = turned,
                                   .b_row = layer->outputs,
                                   .c = y,
                                   .c_row = layer->outputs,
                                   .finish = WAC_FINISH_BIAS_RELU,
                                   .bias = layer->bias,
                                   .ahead = ahead});
}

/* dx [rows][inputs - first] = dy W, zero where `active` (laid out like dx; null: everywhere) is */
static void hidden_dinput(const wac_layer *layer, int rows, int first, const float *dy,
                          const float *active, float *dx, const wac_span *ahead)
{
    int kept = layer->inputs - first;
    if (kept <= NARROW && layer->outputs <= NARROW_DEPTH && !active) {
        /* a few columns, turned into rows: dot products */
        float turned[NARROW * NARROW_DEPTH];
        wac_layer narrow = {.inputs = layer->outputs, .outputs = kept, .weight = turned};
        for (int o = 0; o < layer->outputs; o++)
            for (int k = 0; k < kept; k++)
                turned[k * layer->outputs + o] = layer->weight[o * layer->inputs + first + k];
        dots(&narrow, rows, dy, dx);
        return;
    }
    wac_product_run(&(wac_product){.rows = rows,
                                   .columns = kept,
                                   .depth = layer->outputs,
                                   .a = dy,
                                   .a_row = layer->outputs,
                                   .a_depth = 1,
                                   .b = layer->weight + first,
                                   .b_row = layer->inputs,
                                   .c = dx,
                                   .c_row = kept,
                                   .finish = active ? WAC_FINISH_MASK : WAC_FINISH_STORE,
                                   .active = active,
                                   .ahead = ahead});
}

/* rows first … end-1 of the weight gradient dy^T x, and of the bias gradient */
static void hidden_dparams(const wac_layer *dlayer, int rows, int first, int end, const float *x,
                           const float *dy)
{
    int units = end - first, inputs = dlayer->inputs;
    float *dweight = dlayer->weight + (size_t)first * (size_t)inputs;
    if (inputs < UNITS / 4) {
        /* few columns: make the transpose, whose rows are long, and turn it */
        float turned[UNITS / 4 * UNITS];
        wac_product_run(&(wac_product){.rows = inputs,
                                       .columns = units,
                                       .depth = rows,
                                       .a = x,
                                       .a_row = 1,
                                       .a_depth = inputs,
                                       .b = dy + first,
                                       .b_row = dlayer->outputs,
                                       .c = turned,
                                       .c_row = units});
        for (int u = 0; u < units; u++)
            for (int k = 0; k < inputs; k++)
                dweight[u * inputs + k] = turned[k * units + u];
    } else {
        wac_product_run(&(wac_product){.rows = units,
                                       .columns = inputs,
                                       .depth = rows,
                                       .a = dy + first,
                                       .a_row = 1,
                                       .a_depth = dlayer->outputs,
                                       .b = x,
                                       .b_row = inputs,
                                       .c = dweight,
                                       .c_row = inputs});
    }
    sum_rows(rows, dlayer->outputs, first, end, dy, dlayer->bias);
}

/* In mixed precision h0 and the gradient of h1 are 16 bits wide, a row in the first half of the
 * place for one of floats; and what is kept beside W1 are its panels, for the way there and, behind
 * them, for the way back. Widths that fill no panel stay in single precision. */
static bool is_mixed(const wac_stack *stack)
{
    return stack->mixed && stack->shape.width % WAC_PANEL == 0;
}

static wac_bf16 *panels_of(const wac_stack *stack, int member, bool back)
{
    return (wac_bf16 *)wac_stack_turned(stack, member, 1) +
           (back ? stack->shape.width * stack->shape.width : 0);
}

/* a strip of hidden units, whose weights are rows here and columns there */
static void settle_piece(void *work, int piece)
{
    const wac_stack *stack = work;
    int strips = pieces_of(stack->shape.width, STRIP), first = piece % strips * STRIP;
    int units = smaller(STRIP, stack->shape.width - first), member = piece / strips;
    for (int i = 0; i < WAC_LAYERS - 1; i++) {
        wac_layer layer = wac_stack_layer(stack, stack->params, member, i);
        if (i == 1 && is_mixed(stack))
            wac_mixed_settle(layer.outputs, layer.inputs, first, units, layer.weight,
                             panels_of(stack, member, false), panels_of(stack, member, true));
        else
            wac_turn(units, layer.inputs, layer.weight + (size_t)(first * layer.inputs),
                     wac_stack_turned(stack, member, i) + first, layer.outputs);
    }
}

static void settle(wac_team *team, const wac_stack *stack)
{
    wac_team_run(team, settle_piece, (void *)stack,
                 stack->members * pieces_of(stack->shape.width, STRIP));
}

/* One forward or backward pass, as its pieces see it. */
typedef struct job {
    const wac_stack *stack;
    wac_input input;
    const wac_pass *pass, *scratch;
    const float *dout;
    const wac_gradient *gradient;
    bool mixed;
    bool kept;   /* the hidden activations are needed afterwards */
    int members; /* in a piece; 0: members are cut … */
    int cuts;    /* … into so many pieces */
} job;

/* What a piece covers: some members, and of each a range of rows or units. */
typedef struct share {
    int member, member_end, first, end;
    int slice; /* the part of shared memory that is the piece's own */
} share;

static int greatest_divisor(int a, int b)
{
    return b == 0 ? a : greatest_divisor(b, a % b);
}

static int threads_for(const job *job, const wac_team *team)
{
    return job->input.rows < ALONE_ROWS ? 1 : wac_team_threads(team);
}

/* Cut a pass for the team; returns the number of pieces. */
static int cut(job *job, const wac_team *team)
{
    int members = job->stack->members, threads = threads_for(job, team);
    if (members % threads == 0) {
        job->members = members / threads;
        return threads;
    }
    job->cuts = threads / greatest_divisor(members, threads);
    return members * job->cuts;
}

/* The piece's part of `count` rows or units. */
static share share_of(const job *job, int piece, int count)
{
    if (job->members)
        return (share){piece * job->members, (piece + 1) * job->members, 0, count, piece};
    int member = piece / job->cuts, cut = piece % job->cuts;
    int size = pieces_of(pieces_of(count, job->cuts), LANES) * LANES;
    return (share){member, member + 1, smaller(cut * size, count), smaller((cut + 1) * size, count),
                   member};
}

static wac_pass pass_at(const wac_pass *pass, const wac_stack *stack, int member, int row)
{
    return wac_pass_from(pass, stack, member * pass->capacity + row);
}

static const float *input_at(const job *job, int member, int row)
{
    return job->input.x + (size_t)member * job->input.stride +
           (size_t)row * (size_t)job->stack->shape.inputs;
}

/* What is read after member m has passed: the next one's weights, or those that the way back begins
 * with. */
static wac_span next_weights(const job *job, const share *share, int m)
{
    const wac_stack *stack = job->stack;
    size_t count = (size_t)stack->shape.width * (size_t)stack->shape.width;
    if (m + 1 < share->member_end)
        return (wac_span){wac_stack_turned(stack, m + 1, 1), job->mixed ? count / 2 : count};
    if (job->kept && job->mixed)
        return (wac_span){(const float *)panels_of(stack, share->member, true), count / 2};
    if (job->kept)
        return (wac_span){wac_stack_layer(stack, stack->params, share->member, 1).weight, count};
    return (wac_span){0};
}

/* The part of a span that falls to some of all rows. */
static wac_span part_of(wac_span span, int first, int rows, int all)
{
    size_t row = span.count / (size_t)all;
    return (wac_span){span.start + row * (size_t)first, row * (size_t)rows};
}

static void forward_piece(void *work, int piece)
{
    const job *job = work;
    const wac_stack *stack = job->stack;
    int width = stack->shape.width;
    share share = share_of(job, piece, job->input.rows);
    for (int m = share.member; m < share.member_end; m++) {
        wac_layer layer0 = wac_stack_layer(stack, stack->params, m, 0);
        wac_layer layer1 = wac_stack_layer(stack, stack->params, m, 1);
        wac_layer layer2 = wac_stack_layer(stack, stack->params, m, 2);
        const float *turned0 = NULL, *turned1 = NULL;
        wac_span next = {0};
        bool mixed = job->mixed && (job->kept || job->input.rows > FEW_ROWS);
        if (mixed || job->input.rows > FEW_ROWS) {
            turned0 = wac_stack_turned(stack, m, 0);
            turned1 = wac_stack_turned(stack, m, 1);
            next = next_weights(job, &share, m);
            if (m == share.member)
                touch(width * width / (mixed ? 2 : 1), turned1);
        }
        /* some rows through all layers, then the next: they are still in the nearest cache */
        for (int row = share.first; row < share.end; row += CHUNK) {
            int rows = smaller(CHUNK, share.end - row), left = share.end - row - rows;
            wac_pass pass = pass_at(job->pass, stack, job->kept ? m : share.slice, row);
            wac_span ahead[] = {
                part_of(next, row - share.first, rows, share.end - share.first),
                {pass.h0 + rows * width, job->kept ? (size_t)(smaller(left, rows) * width) : 0}};
            if (mixed) {
                wac_bf16 *h0 = (wac_bf16 *)pass.h0;
                wac_mixed_first(rows, width, layer0.inputs, input_at(job, m, row), turned0,
                                layer0.bias, h0, 2 * width);
                wac_mixed_run(&(wac_mixed_product){.rows = rows,
                                                   .columns = width,
                                                   .depth = width,
                                                   .a = h0,
                                                   .a_row = 2 * width,
                                                   .b = panels_of(stack, m, false),
                                                   .c = pass.h1,
                                                   .c_row = width,
                                                   .finish = WAC_FINISH_BIAS_RELU,
                                                   .bias = layer1.bias,
                                                   .ahead = ahead});
            } else {
                hidden_forward(&layer0, turned0, rows, input_at(job, m, row), pass.h0, NULL);
                hidden_forward(&layer1, turned1, rows, pass.h0, pass.h1, ahead);
            }
            dots(&layer2, rows, pass.h1, pass_at(job->pass, stack, m, row).out);
        }
    }
}

static void forward(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass)
{
    job job = {
        .stack = stack, .input = input, .pass = pass, .mixed = is_mixed(stack), .kept = true};
    wac_team_run(team, forward_piece, &job, cut(&job, team));
}

static void infer(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass)
{
    job job = {.stack = stack, .input = input, .pass = pass, .mixed = is_mixed(stack)};
    wac_team_run(team, forward_piece, &job, cut(&job, team));
}

/* dh1, then dh0 of some rows (or those of the list) of a member, both in dense rows */
static void hidden_back(const job *job, int member, int rows, const int *list, const float *dout,
                        const wac_pass *pass, const wac_pass *down)
{
    const wac_stack *stack = job->stack;
    int width = stack->shape.width;
    wac_layer layer1 = wac_stack_layer(stack, stack->params, member, 1);
    wac_layer layer2 = wac_stack_layer(stack, stack->params, member, 2);
    if (job->mixed) {
        wac_bf16 *dh1 = (wac_bf16 *)down->h1, *panels = panels_of(stack, member, true);
        wac_mixed_head(rows, width, layer2.outputs, list, dout, layer2.weight, pass->h1, dh1,
                       2 * width);
        touch(width * width / 2, (const float *)panels);
        wac_mixed_run(&(wac_mixed_product){.rows = rows,
                                           .columns = width,
                                           .depth = width,
                                           .a = dh1,
                                           .a_row = 2 * width,
                                           .b = panels,
                                           .c = down->h0,
                                           .c_row = width,
                                           .finish = WAC_FINISH_MASK,
                                           .active = (const wac_bf16 *)pass->h0,
                                           .active_row = 2 * width,
                                           .list = list});
        return;
    }
    head_dinput(&layer2, rows, list, dout, pass->h1, down->h1);
    touch(width * width, layer1.weight);
    hidden_dinput(&layer1, rows, 0, down->h1, list ? NULL : pass->h0, down->h0, NULL);
    if (list)
        mask_rows(rows, list, width, pass->h0, down->h0);
}

/* the hidden gradients of a member's rows, and those of its inputs if they are wanted */
static void backward_rows(const job *job, int member, int first, int end, const wac_pass *down)
{
    const wac_stack *stack = job->stack;
    const wac_gradient *gradient = job->gradient;
    wac_pass pass = pass_at(job->pass, stack, member, first);
    size_t row = (size_t)(member * job->pass->capacity + first);
    wac_layer layer0 = wac_stack_layer(stack, stack->params, member, 0);
    hidden_back(job, member, end - first, NULL, job->dout + row * (size_t)stack->shape.outputs,
                &pass, down);
    if (gradient->inputs)
        hidden_dinput(
            &layer0, end - first, gradient->input_first, down->h0, NULL,
            gradient->inputs + row * (size_t)(stack->shape.inputs - gradient->input_first), NULL);
}

/* Gradients of a member's inputs alone: what goes back is only the rows whose output counts. Of
 * twin critics a row reads the smaller, so that half of all rows are left out. */
static void backward_selected(const job *job, int member, int first, int end, const wac_pass *down)
{
    const wac_stack *stack = job->stack;
    const wac_gradient *gradient = job->gradient;
    int outputs = stack->shape.outputs, kept = stack->shape.inputs - gradient->input_first;
    wac_pass pass = pass_at(job->pass, stack, member, first);
    size_t row = (size_t)(member * job->pass->capacity + first);
    const float *dout = job->dout + row * (size_t)outputs;
    float *dinputs = gradient->inputs + row * (size_t)kept;
    int list[SELECTED], count = 0;
    for (int i = 0; i < end - first; i++) {
        bool counts = false;
        for (int o = 0; o < outputs; o++)
            counts |= dout[i * outputs + o] != 0;
        if (counts)
            list[count++] = i;
    }
    wac_layer layer0 = wac_stack_layer(stack, stack->params, member, 0);
    hidden_back(job, member, count, list, dout, &pass, down);
    hidden_dinput(&layer0, count, gradient->input_first, down->h0, NULL, dinputs, NULL);

    /* to their places, from the last on */
    size_t bytes = (size_t)kept * sizeof *dinputs;
    for (int i = end - first - 1; i >= 0; i--) {
        if (count > 0 && list[count - 1] == i)
            memmove(dinputs + (size_t)i * (size_t)kept, dinputs + (size_t)--count * (size_t)kept,
                    bytes);
        else
            memset(dinputs + (size_t)i * (size_t)kept, 0, bytes);
    }
}

/* the gradients of a slice of a member's hidden units: their rows of dW0 and dW1, their columns of
 * dW2 */
static void dparams_units(const job *job, int member, int first, int end, const wac_pass *down)
{
    const wac_stack *stack = job->stack;
    int rows = job->input.rows;
    wac_pass pass = wac_pass_slice(job->pass, stack, member);
    const float *dout =
        job->dout + (size_t)member * (size_t)(job->pass->capacity * stack->shape.outputs);
    wac_layer dlayer0 = wac_stack_layer(stack, job->gradient->params, member, 0);
    wac_layer dlayer1 = wac_stack_layer(stack, job->gradient->params, member, 1);
    wac_layer dlayer2 = wac_stack_layer(stack, job->gradient->params, member, 2);
    for (int from = first; from < end; from += UNITS) {
        int to = smaller(from + UNITS, end);
        if (job->mixed)
            wac_mixed_dparams(rows, dlayer1.inputs, from, to, (const wac_bf16 *)down->h1,
                              (const wac_bf16 *)pass.h0, 2 * stack->shape.width, dlayer1.weight,
                              dlayer1.bias);
        else
            hidden_dparams(&dlayer1, rows, from, to, pass.h0, down->h1);
        hidden_dparams(&dlayer0, rows, from, to, input_at(job, member, 0), down->h0);
    }
    head_dweight(&dlayer2, rows, first, end, dout, pass.h1);
    if (first == 0)
        sum_rows(rows, dlayer2.outputs, 0, dlayer2.outputs, dout, dlayer2.bias);
}

/* a range of rows, through all members: which of them a row goes back through is its own affair,
 * but through how many is not */
static void selected_piece(void *work, int piece)
{
    const job *job = work;
    int size = pieces_of(pieces_of(job->input.rows, job->cuts), LANES) * LANES;
    int end = smaller((piece + 1) * size, job->input.rows);
    for (int m = 0; m < job->stack->members; m++)
        for (int first = piece * size; first < end; first += SELECTED) {
            wac_pass down = pass_at(job->scratch, job->stack, 0, first);
            backward_selected(job, m, first, smaller(first + SELECTED, end), &down);
        }
}

static void backward_piece(void *work, int piece)
{
    const job *job = work;
    share share = share_of(job, piece, job->input.rows);
    wac_pass down = pass_at(job->scratch, job->stack, share.slice, share.first);
    for (int m = share.member; m < share.member_end; m++) {
        backward_rows(job, m, share.first, share.end, &down);
        if (job->members)
            dparams_units(job, m, 0, job->stack->shape.width, &down);
    }
}

static void dparams_piece(void *work, int piece)
{
    const job *job = work;
    share share = share_of(job, piece, job->stack->shape.width);
    wac_pass down = wac_pass_slice(job->scratch, job->stack, share.slice);
    dparams_units(job, share.member, share.first, share.end, &down);
}

static void backward(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass,
                     const float *dout, const wac_gradient *gradient, const wac_pass *scratch)
{
    job job = {.stack = stack,
               .input = input,
               .pass = pass,
               .scratch = scratch,
               .dout = dout,
               .gradient = gradient,
               .mixed = is_mixed(stack)};
    if (!gradient->params) {
        job.cuts = threads_for(&job, team);
        wac_team_run(team, selected_piece, &job, job.cuts);
        return;
    }
    int pieces = cut(&job, team);
    wac_team_run(team, backward_piece, &job, pieces);
    if (!job.members)
        wac_team_run(team, dparams_piece, &job, pieces);
}

/* Element-wise work over a member's parameters, cut into blocks. */
typedef struct sweep {
    const wac_stack *stack, *source;
    const float *gradient;
    const wac_adam *adam;
    float rate;
    int pieces; /* per member */
} sweep;

static size_t block_end(const sweep *sweep, size_t first)
{
    return first + BLOCK < sweep->stack->stride ? first + BLOCK : sweep->stack->stride;
}

VECTORISED static void adam_block(wac_adam_factors factors, size_t count, const float *gradient,
                                  float *first, float *second, float *params)
{
    for (size_t i = 0; i < count; i++)
        wac_adam_move(factors, gradient[i], &first[i], &second[i], &params[i]);
}

static void adam_piece(void *work, int piece)
{
    const sweep *sweep = work;
    int member = piece / sweep->pieces;
    size_t first = (size_t)(piece % sweep->pieces) * BLOCK, end = block_end(sweep, first);
    size_t at = (size_t)member * sweep->stack->stride + first;
    const wac_adam *adam = sweep->adam;
    adam_block(wac_adam_prepare(adam->steps, adam->rates[member]), end - first,
               sweep->gradient + at, adam->first + at, adam->second + at,
               sweep->stack->params + at);
}

static void adam(wac_team *team, const wac_stack *stack, const float *gradient,
                 const wac_adam *adam)
{
    sweep sweep = {.stack = stack,
                   .gradient = gradient,
                   .adam = adam,
                   .pieces = pieces_of((int)stack->stride, BLOCK)};
    wac_team_run(team, adam_piece, &sweep, stack->members * sweep.pieces);
    settle(team, stack);
}

VECTORISED static void polyak_block(float rate, size_t count, const float *source, float *target)
{
    for (size_t i = 0; i < count; i++)
        target[i] += rate * (source[i] - target[i]);
}

static void polyak_piece(void *work, int piece)
{
    const sweep *sweep = work;
    size_t first = (size_t)(piece % sweep->pieces) * BLOCK, end = block_end(sweep, first);
    size_t at = (size_t)(piece / sweep->pieces) * sweep->stack->stride + first;
    polyak_block(sweep->rate, end - first, sweep->source->params + at, sweep->stack->params + at);
}

static void polyak(wac_team *team, const wac_stack *target, const wac_stack *source, double rate)
{
    sweep sweep = {.stack = target,
                   .source = source,
                   .rate = (float)rate,
                   .pieces = pieces_of((int)target->stride, BLOCK)};
    wac_team_run(team, polyak_piece, &sweep, target->members * sweep.pieces);
    settle(team, target);
}

const wac_ops wac_ops_cpu = {
    .name = "cpu",
    .settle = settle,
    .forward = forward,
    .infer = infer,
    .backward = backward,
    .adam = adam,
    .polyak = polyak,
    WAC_REFERENCE_BATCH,
};
