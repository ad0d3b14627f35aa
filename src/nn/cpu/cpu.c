/* The fast CPU backend: matrix products by product.h, everything around them in loops that
 * vectorise.
 *
 * A pass is cut into pieces of one member and some rows; the gradients of parameters into pieces of
 * one member and UNITS hidden units, each summed over all rows by one thread. The cut depends on
 * the sizes alone, so any number of threads computes the same bits.
 */
#include "nn/adam.h"
#include "nn/cpu/product.h"
#include "nn/reference/reference.h"

enum { UNITS = 128, BLOCK = 16384, LANES = 16, FEW_ROWS = 4, NARROW = 8, NARROW_DEPTH = 1024 };

/* Rows of a piece: a lone member must be shared out too. */
static int piece_rows(const wac_stack *stack)
{
    return stack->members > 1 ? 256 : 128;
}

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

/* y [rows][outputs] = x W^T + b (or 0) by dot products: best for narrow heads, and for few rows */
VECTORISED static void dots(const wac_layer *layer, int rows, const float *x, float *y)
{
    int inputs = layer->inputs;
    for (int i = 0; i < rows; i++) {
        const float *row = x + (size_t)i * (size_t)inputs;
        for (int o = 0; o < layer->outputs; o++) {
            const float *weight = layer->weight + (size_t)o * (size_t)inputs;
            float lanes[LANES] = {0};
            int k = 0;
            for (; k + LANES <= inputs; k += LANES)
                for (int l = 0; l < LANES; l++)
                    lanes[l] += row[k + l] * weight[k + l];
            float sum = layer->bias ? layer->bias[o] : 0;
            for (; k < inputs; k++)
                sum += row[k] * weight[k];
            for (int l = 0; l < LANES; l++)
                sum += lanes[l];
            y[(size_t)i * (size_t)layer->outputs + (size_t)o] = sum;
        }
    }
}

/* dh [rows][width] = dout [rows][outputs] W, masked by h */
VECTORISED static void head_dinput(const wac_layer *head, int rows, const float *dout,
                                   const float *h, float *dh)
{
    int width = head->inputs;
    for (int i = 0; i < rows; i++) {
        float *row = dh + (size_t)i * (size_t)width;
        const float *active = h + (size_t)i * (size_t)width;
        for (int o = 0; o < head->outputs; o++) {
            const float *weight = head->weight + (size_t)o * (size_t)width;
            float d = dout[i * head->outputs + o];
            for (int j = 0; j < width; j++)
                row[j] = (o ? row[j] : 0) + d * weight[j];
        }
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

/* y [rows][outputs] = relu(x W^T + b) */
static void hidden_forward(const wac_layer *layer, int rows, const float *x, float *y)
{
    if (rows <= FEW_ROWS) {
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
                                   .b = layer->weight,
                                   .b_depth = 1,
                                   .b_column = layer->inputs,
                                   .c = y,
                                   .c_row = layer->outputs,
                                   .finish = WAC_FINISH_BIAS_RELU,
                                   .bias = layer->bias});
}

/* dx [rows][inputs - first] = dy W, zero where `active` (laid out like dx; null: everywhere) is */
static void hidden_dinput(const wac_layer *layer, int rows, int first, const float *dy,
                          const float *active, float *dx)
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
                                   .b_depth = layer->inputs,
                                   .b_column = 1,
                                   .c = dx,
                                   .c_row = kept,
                                   .finish = active ? WAC_FINISH_MASK : WAC_FINISH_STORE,
                                   .active = active});
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
                                       .b_depth = dlayer->outputs,
                                       .b_column = 1,
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
                                       .b_depth = inputs,
                                       .b_column = 1,
                                       .c = dweight,
                                       .c_row = inputs});
    }
    sum_rows(rows, dlayer->outputs, first, end, dy, dlayer->bias);
}

/* One forward or backward pass, as its pieces see it. */
typedef struct job {
    const wac_stack *stack;
    wac_input input;
    const wac_pass *pass, *scratch;
    const float *dout;
    const wac_gradient *gradient;
    int pieces, rows; /* per member, per piece */
} job;

/* The rows of a member that a piece covers, and where they lie. */
typedef struct place {
    int member, rows;
    const float *x;
    wac_pass pass;
    size_t first; /* row within the member */
} place;

static wac_pass pass_at(const wac_pass *pass, const wac_stack *stack, int member, size_t row)
{
    wac_pass at = wac_pass_slice(pass, stack, member);
    at.h0 += row * (size_t)stack->shape.width;
    at.h1 += row * (size_t)stack->shape.width;
    at.out += row * (size_t)stack->shape.outputs;
    return at;
}

static place place_of(const job *job, int piece)
{
    int member = piece / job->pieces, first = piece % job->pieces * job->rows;
    return (place){
        .member = member,
        .rows = smaller(job->rows, job->input.rows - first),
        .x = job->input.x + (size_t)member * job->input.stride +
             (size_t)first * (size_t)job->stack->shape.inputs,
        .pass = pass_at(job->pass, job->stack, member, (size_t)first),
        .first = (size_t)first,
    };
}

static void forward_piece(void *work, int piece)
{
    const job *job = work;
    const wac_stack *stack = job->stack;
    place at = place_of(job, piece);
    wac_layer layer0 = wac_stack_layer(stack, stack->params, at.member, 0);
    wac_layer layer1 = wac_stack_layer(stack, stack->params, at.member, 1);
    wac_layer layer2 = wac_stack_layer(stack, stack->params, at.member, 2);
    hidden_forward(&layer0, at.rows, at.x, at.pass.h0);
    hidden_forward(&layer1, at.rows, at.pass.h0, at.pass.h1);
    dots(&layer2, at.rows, at.pass.h1, at.pass.out);
}

static void forward(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass)
{
    job job = {.stack = stack, .input = input, .pass = pass, .rows = piece_rows(stack)};
    job.pieces = pieces_of(input.rows, job.rows);
    wac_team_run(team, forward_piece, &job, stack->members * job.pieces);
}

/* rows of the hidden gradients, down to the inputs if they are wanted */
static void backward_piece(void *work, int piece)
{
    const job *job = work;
    const wac_stack *stack = job->stack;
    const wac_gradient *gradient = job->gradient;
    place at = place_of(job, piece);
    wac_pass down = pass_at(job->scratch, stack, at.member, at.first);
    size_t row = (size_t)at.member * (size_t)job->pass->capacity + at.first;
    wac_layer layer1 = wac_stack_layer(stack, stack->params, at.member, 1);
    wac_layer layer2 = wac_stack_layer(stack, stack->params, at.member, 2);
    head_dinput(&layer2, at.rows, job->dout + row * (size_t)stack->shape.outputs, at.pass.h1,
                down.h1);
    hidden_dinput(&layer1, at.rows, 0, down.h1, at.pass.h0, down.h0);
    if (gradient->inputs) {
        wac_layer layer0 = wac_stack_layer(stack, stack->params, at.member, 0);
        hidden_dinput(&layer0, at.rows, gradient->input_first, down.h0, NULL,
                      gradient->inputs +
                          row * (size_t)(stack->shape.inputs - gradient->input_first));
    }
}

/* a slice of the hidden units: their rows of dW0 and dW1, their columns of dW2 */
static void dparams_piece(void *work, int piece)
{
    const job *job = work;
    const wac_stack *stack = job->stack;
    int member = piece / job->pieces, first = piece % job->pieces * UNITS;
    int end = smaller(first + UNITS, stack->shape.width), rows = job->input.rows;
    wac_pass pass = wac_pass_slice(job->pass, stack, member);
    wac_pass down = wac_pass_slice(job->scratch, stack, member);
    const float *dout =
        job->dout + (size_t)member * (size_t)(job->pass->capacity * stack->shape.outputs);
    wac_layer dlayer0 = wac_stack_layer(stack, job->gradient->params, member, 0);
    wac_layer dlayer1 = wac_stack_layer(stack, job->gradient->params, member, 1);
    wac_layer dlayer2 = wac_stack_layer(stack, job->gradient->params, member, 2);
    hidden_dparams(&dlayer0, rows, first, end, job->input.x + (size_t)member * job->input.stride,
                   down.h0);
    hidden_dparams(&dlayer1, rows, first, end, pass.h0, down.h1);
    head_dweight(&dlayer2, rows, first, end, dout, pass.h1);
    if (first == 0)
        sum_rows(rows, dlayer2.outputs, 0, dlayer2.outputs, dout, dlayer2.bias);
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
               .rows = piece_rows(stack)};
    job.pieces = pieces_of(input.rows, job.rows);
    wac_team_run(team, backward_piece, &job, stack->members * job.pieces);
    if (gradient->params) {
        job.pieces = pieces_of(stack->shape.width, UNITS);
        wac_team_run(team, dparams_piece, &job, stack->members * job.pieces);
    }
}

/* Element-wise work over a member's parameters, cut into blocks. */
typedef struct sweep {
    const wac_stack *stack, *source;
    const float *gradient;
    wac_adam *adam;
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
    wac_adam *adam = sweep->adam;
    adam_block(wac_adam_prepare(adam->steps, adam->rates[member]), end - first,
               sweep->gradient + at, adam->first + at, adam->second + at,
               sweep->stack->params + at);
}

static void adam(wac_team *team, const wac_stack *stack, const float *gradient, wac_adam *adam)
{
    adam->steps++;
    sweep sweep = {.stack = stack,
                   .gradient = gradient,
                   .adam = adam,
                   .pieces = pieces_of((int)stack->stride, BLOCK)};
    wac_team_run(team, adam_piece, &sweep, stack->members * sweep.pieces);
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
}

const wac_ops wac_ops_cpu = {
    .name = "cpu",
    .forward = forward,
    .backward = backward,
    .policy_sample = wac_reference_policy_sample,
    .policy_gradient = wac_reference_policy_gradient,
    .td_target = wac_reference_td_target,
    .mean_error = wac_reference_mean_error,
    .std_error = wac_reference_std_error,
    .upper_bound = wac_reference_upper_bound,
    .adam = adam,
    .polyak = polyak,
    .entropy_step = wac_reference_entropy_step,
    .join = wac_reference_join,
    .gather = wac_reference_gather,
    .fill_uniform = wac_reference_fill_uniform,
    .fill_normal = wac_reference_fill_normal,
    .fill_index = wac_reference_fill_index,
};
