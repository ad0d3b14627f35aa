/* The fast CPU backend, in single and in mixed precision: passes through a stack, cut for a team;
 * their parts are in layers.h and mixed.h.
 *
 * Where the members of a stack can be dealt out evenly, every thread takes its own through the
 * whole pass: nobody waits in the middle, and what need not be kept stays in the thread's cache.
 * Else each member is cut, by rows for what passes through it and by hidden units for the gradients
 * of its parameters. Every number is one sum in one fixed order however the work is cut, so any
 * number of threads computes the same bits.
 */
#include "nn/backend.h"
#include "nn/cpu/layers.h"
#include "nn/cpu/mixed.h"
#include "nn/cpu/residual.h"

#include <assert.h>
#include <string.h>

enum {
    GRAIN = 32,      /* rows or units of a piece are so many times some */
    FEW_ROWS = 4,    /* up to here dot products beat tiles */
    ALONE_ROWS = 32, /* fewer are not worth waking the team for */
    SELECTED = 256,  /* rows out of which those that count are selected */
    BLOCK = 16384    /* parameters that a thread moves at once */
};

static int pieces_of(int count, int size)
{
    return (count + size - 1) / size;
}

/* One forward or backward pass, as its pieces see it. */
typedef struct job {
    const wac_stack *stack;
    wac_input input;
    const wac_pass *pass;
    const float *dout;
    const wac_gradient *gradient;
    bool mixed;
    bool kept;   /* the hidden activations are needed afterwards */
    int members; /* in a piece; 0: members are cut … */
    int cuts;    /* … into so many pieces */
    int stage;   /* of the way back: of a residual network; of a plain one the hidden layer */
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
static int pieces_for(job *job, const wac_team *team)
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
    int member = piece / job->cuts, part = piece % job->cuts;
    int size = pieces_of(pieces_of(count, job->cuts), GRAIN) * GRAIN;
    return (share){member, member + 1, wac_smaller(part * size, count),
                   wac_smaller((part + 1) * size, count), member};
}

static const float *input_at(const job *job, int member, int row)
{
    return job->input.x + (size_t)member * job->input.stride +
           (size_t)row * (size_t)job->stack->shape.inputs;
}

/* The weights of a member's layer, for a product to bring them near before they are needed. */
static wac_span weights_of(const wac_stack *stack, int member, int i)
{
    wac_layer layer = wac_stack_layer(stack, stack->params, member, i);
    return (wac_span){layer.weight, (size_t)layer.inputs * (size_t)layer.outputs};
}

static const wac_span nothing = {0};

/* A member's two hidden layers in mixed precision: h[0] in 16 bits. */
static void mixed_forward(const wac_stack *stack, int member, const wac_pass *pass, int rows,
                          bool few, const float *x)
{
    int width = stack->shape.width;
    wac_bf16 *h0 = (wac_bf16 *)pass->h[0];
    wac_layer layer0 = wac_stack_layer(stack, stack->params, member, 0);
    wac_layer layer1 = wac_stack_layer(stack, stack->params, member, 1);
    wac_hidden_forward(&layer0, few, rows, x, pass->h[1], weights_of(stack, member, 1));
    wac_mixed_cut(rows, width, pass->h[1], width, h0, 2 * width);
    wac_mixed_run(&(wac_mixed_product){.rows = rows,
                                       .columns = width,
                                       .depth = width,
                                       .a = h0,
                                       .a_row = 2 * width,
                                       .b = layer1.weight,
                                       .b_row = 1,
                                       .b_column = width,
                                       .c = pass->h[1],
                                       .c_row = width,
                                       .finish = WAC_FINISH_BIAS_RELU,
                                       .bias = layer1.bias});
}

static void forward_piece(void *work, int piece)
{
    const job *job = work;
    const wac_stack *stack = job->stack;
    int head = stack->shape.hidden;
    bool few = job->input.rows <= FEW_ROWS;
    share share = share_of(job, piece, job->input.rows);
    int first = share.first, rows = share.end - first;
    for (int m = share.member; m < share.member_end; m++) {
        wac_pass pass = wac_pass_at(job->pass, stack, job->kept ? m : share.slice, first);
        const float *x = input_at(job, m, first);
        if (stack->shape.blocks) {
            wac_residual_forward(stack, m, &pass, rows, few, job->kept, x,
                                 wac_pass_at(job->pass, stack, m, first).out);
            continue;
        }
        if (job->mixed && (job->kept || !few))
            mixed_forward(stack, m, &pass, rows, few, x);
        else
            for (int i = 0; i < head; i++) {
                wac_layer layer = wac_stack_layer(stack, stack->params, m, i);
                wac_span again = job->kept && m + 1 == share.member_end
                                     ? weights_of(stack, share.member, head - 1)
                                     : nothing;
                wac_hidden_forward(&layer, few, rows, i ? pass.h[i - 1] : x, pass.h[i],
                                   i + 1 < head ? weights_of(stack, m, i + 1) : again);
            }
        wac_layer last = wac_stack_layer(stack, stack->params, m, head);
        wac_head_forward(&last, few, rows, pass.h[head - 1],
                         wac_pass_at(job->pass, stack, m, first).out);
    }
}

/* Hidden layers in mixed precision, if asked for: then h[0] and the gradient of h[1] are 16 bits
 * wide, a row in half of the place for one of floats. Widths that fill no panel, networks with
 * more or fewer than two hidden layers, and residual ones stay in single precision. */
static job job_of(const wac_stack *stack, wac_input input, const wac_pass *pass)
{
    bool two = !stack->shape.blocks && stack->shape.hidden == 2;
    assert(stack->shape.activation == WAC_ACTIVATION_RELU);
    return (job){.stack = stack,
                 .input = input,
                 .pass = pass,
                 .mixed =
                     pass->ops == &wac_ops_mixed && two && stack->shape.width % WAC_PANEL == 0};
}

static void forward(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass)
{
    job job = job_of(stack, input, pass);
    job.kept = true;
    wac_team_run(team, forward_piece, &job, pieces_for(&job, team));
}

static void infer(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass)
{
    job job = job_of(stack, input, pass);
    wac_team_run(team, forward_piece, &job, pieces_for(&job, team));
}

/* Masks of products longer than this can not stand where the product goes: then gradients have a
 * place of their own. */
static int spare_width(const wac_shape *shape)
{
    if (shape->blocks)
        return wac_residual_spare(shape);
    return shape->hidden > 1 && shape->width > WAC_PRODUCT_DEPTH ? shape->width : 0;
}

/* The way back uses the activations up: the gradient of h[i] takes the place of h[i], or of what is
 * no longer needed. In mixed precision that of h[1] is cut into the empty halves of h[0]'s rows,
 * and the gradient of h[0] comes after it. */
static wac_bf16 *cut_dh1(const wac_stack *stack, const wac_pass *pass)
{
    return (wac_bf16 *)pass->h[0] + stack->shape.width;
}

static float *gradient_of(const job *job, const wac_pass *pass, int i)
{
    int last = job->stack->shape.hidden - 1;
    if (!job->mixed && !pass->spare_width)
        return pass->h[i];
    return job->mixed || (last - i) % 2 == 0 ? pass->h[last] : pass->spare;
}

static const float *dout_at(const job *job, int member, int row)
{
    return job->dout +
           (size_t)(member * job->pass->capacity + row) * (size_t)job->stack->shape.outputs;
}

/* From the gradient of what the first layer made to that of the inputs, if they are wanted. */
static void inputs_back(const job *job, int member, int first, int rows, const float *dy)
{
    const wac_gradient *gradient = job->gradient;
    int kept = job->stack->shape.inputs - gradient->input_first;
    size_t row = (size_t)member * (size_t)job->pass->capacity + (size_t)first;
    wac_layer layer0 = wac_stack_layer(job->stack, job->stack->params, member, 0);
    if (gradient->inputs)
        wac_hidden_dinput(&layer0, rows, gradient->input_first, dy, NULL,
                          gradient->inputs + row * (size_t)kept, nothing);
}

/* From the gradient of h[i] to that of h[i - 1] of a member's rows, and from that of h[0] to that
 * of the inputs, if they are wanted. */
static void rows_back(const job *job, int member, int i, int first, int rows, wac_span ahead)
{
    const wac_stack *stack = job->stack;
    int width = stack->shape.width;
    wac_pass pass = wac_pass_at(job->pass, stack, member, first);
    wac_layer layer = wac_stack_layer(stack, stack->params, member, i);
    if (job->mixed)
        wac_mixed_run(&(wac_mixed_product){.rows = rows,
                                           .columns = width,
                                           .depth = width,
                                           .a = cut_dh1(stack, &pass),
                                           .a_row = 2 * width,
                                           .b = layer.weight,
                                           .b_row = width,
                                           .b_column = 1,
                                           .c = pass.h[1],
                                           .c_row = width,
                                           .finish = WAC_FINISH_MASK,
                                           .active = (const wac_bf16 *)pass.h[0],
                                           .active_row = 2 * width});
    else if (i > 0)
        wac_hidden_dinput(&layer, rows, 0, gradient_of(job, &pass, i), pass.h[i - 1],
                          gradient_of(job, &pass, i - 1), ahead);
    if (i <= 1)
        inputs_back(job, member, first, rows, gradient_of(job, &pass, 0));
}

/* Whether rows go on from h[i]: those of h[0] have gone to the inputs with those of h[1]. */
static bool goes_on(const wac_shape *shape, int i)
{
    return i > 0 || shape->hidden == 1;
}

/* Rows of a residual network through the stage of the job; through the last one to the inputs. */
static void stage_rows(const job *job, int member, int first, int rows, const int *list)
{
    const wac_stack *stack = job->stack;
    wac_pass pass = wac_pass_at(job->pass, stack, member, first);
    wac_residual_rows(stack, member, &pass, job->stage, rows, list, dout_at(job, member, first));
    if (job->stage == wac_residual_stages(&stack->shape) - 1)
        inputs_back(job, member, first, rows, pass.h[WAC_KEPT_STREAM]);
}

static void stage_units(const job *job, int member, int first, int end)
{
    wac_pass pass = wac_pass_at(job->pass, job->stack, member, 0);
    wac_residual_units(job->stack, member, &pass, job->stage, job->input.rows, first, end,
                       input_at(job, member, 0), dout_at(job, member, 0), job->gradient->params);
}

/* What selected_back does, of a plain network. */
static void selected_hidden(const job *job, int member, int first, int count, const int *list)
{
    const wac_stack *stack = job->stack;
    int width = stack->shape.width, head = stack->shape.hidden;
    wac_pass pass = wac_pass_at(job->pass, stack, member, first);
    size_t row_bytes = (size_t)width * (job->mixed ? sizeof(wac_bf16) : sizeof(float));
    for (int i = 0; i < head - 1; i++)
        for (int k = 0; k < count; k++)
            memmove(pass.h[i] + k * width, pass.h[i] + list[k] * width, row_bytes);
    wac_layer last = wac_stack_layer(stack, stack->params, member, head);
    wac_head_back(&last, count, list, 0, width, dout_at(job, member, first), pass.h[head - 1], NULL,
                  NULL);
    if (job->mixed)
        wac_mixed_cut(count, width, pass.h[1], width, cut_dh1(stack, &pass), 2 * width);
    for (int i = head - 1; i >= 0 && goes_on(&stack->shape, i); i--)
        rows_back(job, member, i, first, count,
                  i > 1                         ? weights_of(stack, member, i - 1)
                  : member + 1 < stack->members ? weights_of(stack, member + 1, head - 1)
                                                : nothing);
}

static void selected_stages(const job *job, int member, int first, int count, const int *list)
{
    struct job own = *job;
    wac_pass pass = wac_pass_at(job->pass, job->stack, member, first);
    wac_residual_select(&job->stack->shape, &pass, count, list);
    for (own.stage = 0; own.stage < wac_residual_stages(&job->stack->shape); own.stage++)
        stage_rows(&own, member, first, count, list);
}

/* Gradients of a member's inputs alone: what goes back is only the rows whose output counts, moved
 * together. Of twin critics a row reads the smaller, so that half of all rows are left out. */
static void selected_back(const job *job, int member, int first, int end)
{
    const wac_stack *stack = job->stack;
    const wac_gradient *gradient = job->gradient;
    int outputs = stack->shape.outputs;
    const float *dout = dout_at(job, member, first);
    int list[SELECTED], count = 0;
    for (int i = 0; i < end - first; i++) {
        bool counts = false;
        for (int o = 0; o < outputs; o++)
            counts |= dout[i * outputs + o] != 0;
        if (counts)
            list[count++] = i;
    }
    (stack->shape.blocks ? selected_stages : selected_hidden)(job, member, first, count, list);

    /* back to their places, from the last on */
    int kept = stack->shape.inputs - gradient->input_first;
    size_t bytes = (size_t)kept * sizeof(float);
    float *dinputs =
        gradient->inputs + (size_t)(member * job->pass->capacity + first) * (size_t)kept;
    for (int i = end - first - 1; i >= 0; i--) {
        if (count > 0 && list[count - 1] == i)
            memmove(dinputs + (size_t)i * (size_t)kept, dinputs + (size_t)--count * (size_t)kept,
                    bytes);
        else
            memset(dinputs + (size_t)i * (size_t)kept, 0, bytes);
    }
}

/* A member's way back at h[i], for a slice of its hidden units: their rows of the gradient of the
 * weights below; and at the last one, before that, their columns of those of the head, and their
 * gradient. */
static void units_back(const job *job, int member, int i, int first, int end)
{
    const wac_stack *stack = job->stack;
    int rows = job->input.rows, width = stack->shape.width, head = stack->shape.hidden;
    wac_pass pass = wac_pass_at(job->pass, stack, member, 0);
    wac_layer dlayer = wac_stack_layer(stack, job->gradient->params, member, i);
    const float *x = i ? pass.h[i - 1] : input_at(job, member, 0);
    const float *dy = gradient_of(job, &pass, i);
    if (i == head - 1) {
        const float *dout = dout_at(job, member, 0);
        wac_layer last = wac_stack_layer(stack, stack->params, member, head);
        wac_layer dlast = wac_stack_layer(stack, job->gradient->params, member, head);
        wac_head_back(&last, rows, NULL, first, end, dout, pass.h[i], dlast.weight, dlayer.bias);
        if (first == 0)
            wac_sum_rows(rows, dlast.outputs, 0, dlast.outputs, dout, dlast.bias);
    } else {
        wac_sum_rows(rows, width, first, end, dy, dlayer.bias);
    }
    if (job->mixed && i > 0) {
        wac_bf16 *dh1 = cut_dh1(stack, &pass);
        wac_mixed_cut(rows, end - first, pass.h[1] + first, width, dh1 + first, 2 * width);
        wac_mixed_dweight(rows, width, first, end, dh1, (const wac_bf16 *)pass.h[0], 2 * width,
                          dlayer.weight);
    } else {
        wac_hidden_dweight(&dlayer, rows, first, end, x, dy,
                           i ? weights_of(stack, member, i) : nothing);
    }
}

/* a range of rows, through all members: which of them a row goes back through is its own affair,
 * but through how many is not */
static void selected_piece(void *work, int piece)
{
    const job *job = work;
    int size = pieces_of(pieces_of(job->input.rows, job->cuts), GRAIN) * GRAIN;
    int end = wac_smaller((piece + 1) * size, job->input.rows);
    for (int m = 0; m < job->stack->members; m++)
        for (int first = piece * size; first < end; first += SELECTED)
            selected_back(job, m, first, wac_smaller(first + SELECTED, end));
}

static void members_piece(void *work, int piece)
{
    const job *job = work;
    int rows = job->input.rows, width = job->stack->shape.width;
    for (int m = piece * job->members; m < (piece + 1) * job->members; m++) {
        struct job own = *job;
        for (; job->stack->shape.blocks && own.stage < wac_residual_stages(&job->stack->shape);
             own.stage++) {
            stage_rows(&own, m, 0, rows, NULL);
            stage_units(&own, m, 0, width);
        }
        if (job->stack->shape.blocks)
            continue;
        for (int i = job->stack->shape.hidden - 1; i >= 0; i--) {
            units_back(job, m, i, 0, width);
            if (goes_on(&job->stack->shape, i))
                rows_back(job, m, i, 0, rows, nothing);
        }
    }
}

static void units_piece(void *work, int piece)
{
    const job *job = work;
    share share = share_of(job, piece, job->stack->shape.width);
    units_back(job, share.member, job->stage, share.first, share.end);
}

static void rows_piece(void *work, int piece)
{
    const job *job = work;
    share share = share_of(job, piece, job->input.rows);
    rows_back(job, share.member, job->stage, share.first, share.end - share.first, nothing);
}

static void stage_rows_piece(void *work, int piece)
{
    const job *job = work;
    share share = share_of(job, piece, job->input.rows);
    stage_rows(job, share.member, share.first, share.end - share.first, NULL);
}

static void stage_units_piece(void *work, int piece)
{
    const job *job = work;
    share share = share_of(job, piece, job->stack->shape.width);
    stage_units(job, share.member, share.first, share.end);
}

static void backward(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass,
                     const float *dout, const wac_gradient *gradient)
{
    job job = job_of(stack, input, pass);
    job.dout = dout;
    job.gradient = gradient;
    if (!gradient->params) {
        job.cuts = threads_for(&job, team);
        wac_team_run(team, selected_piece, &job, job.cuts);
        return;
    }
    int pieces = pieces_for(&job, team);
    if (job.members) {
        wac_team_run(team, members_piece, &job, pieces);
        return;
    }
    if (stack->shape.blocks) {
        for (; job.stage < wac_residual_stages(&stack->shape); job.stage++) {
            wac_team_run(team, stage_rows_piece, &job, pieces);
            wac_team_run(team, stage_units_piece, &job, pieces);
        }
        return;
    }
    for (job.stage = stack->shape.hidden - 1; job.stage >= 0; job.stage--) {
        wac_team_run(team, units_piece, &job, pieces);
        if (goes_on(&stack->shape, job.stage))
            wac_team_run(team, rows_piece, &job, pieces);
    }
}

/* Element-wise work over the parameters of a stack, cut into blocks: Adam, or towards a source. */
typedef struct sweep {
    const wac_stack *stack, *source;
    const float *gradient;
    wac_moments moments;
    wac_adam_factors factors;
    float rate;
} sweep;

WAC_VECTORISED static void adam_block(wac_adam_factors factors, size_t count, const float *gradient,
                                      float *first, float *second, float *params)
{
    wac_adam_shrink(factors, count, params);
    for (size_t i = 0; i < count; i++)
        wac_adam_move(factors, gradient[i], &first[i], &second[i], &params[i]);
}

WAC_VECTORISED static void polyak_block(float rate, size_t count, const float *source,
                                        float *target)
{
    for (size_t i = 0; i < count; i++)
        target[i] += rate * (source[i] - target[i]);
}

static void sweep_piece(void *work, int piece)
{
    const sweep *sweep = work;
    int stride = (int)sweep->stack->stride, pieces = pieces_of(stride, BLOCK);
    int first = piece % pieces * BLOCK;
    size_t at = (size_t)(piece / pieces) * sweep->stack->stride + (size_t)first;
    size_t count = (size_t)wac_smaller(BLOCK, stride - first);
    float *params = sweep->stack->params + at;
    if (sweep->source)
        polyak_block(sweep->rate, count, sweep->source->params + at, params);
    else
        adam_block(sweep->factors, count, sweep->gradient + at, sweep->moments.first + at,
                   sweep->moments.second + at, params);
}

static void run_sweep(wac_team *team, sweep sweep)
{
    int pieces = pieces_of((int)sweep.stack->stride, BLOCK);
    wac_team_run(team, sweep_piece, &sweep, sweep.stack->members * pieces);
}

static void adam(wac_team *team, const wac_stack *stack, const float *gradient, wac_moments moments,
                 wac_adam_factors factors)
{
    run_sweep(
        team,
        (sweep){.stack = stack, .gradient = gradient, .moments = moments, .factors = factors});
}

static void polyak(wac_team *team, const wac_stack *target, const wac_stack *source, double rate)
{
    run_sweep(team, (sweep){.stack = target, .source = source, .rate = (float)rate});
}

const wac_ops wac_ops_cpu = {
    .spare_width = spare_width,
    .forward = forward,
    .infer = infer,
    .backward = backward,
    .adam = adam,
    .polyak = polyak,
};

const wac_ops wac_ops_mixed = {
    .spare_width = spare_width,
    .forward = forward,
    .infer = infer,
    .backward = backward,
    .adam = adam,
    .polyak = polyak,
};
