/* The reference backend's networks: forward, backward, Adam and Polyak in plain loops. The oracle
 * of every faster version, and the only code of the gradient checks in double precision. */
#include "nn/backend.h"

/* y [rows][outputs] = x W^T + b, then ReLU if asked */
static void layer_forward(const wac_layer *layer, int rows, const real *x, real *y, bool relu)
{
    for (int i = 0; i < rows; i++) {
        for (int o = 0; o < layer->outputs; o++) {
            real sum = 0;
            for (int k = 0; k < layer->inputs; k++)
                sum += x[i * layer->inputs + k] * layer->weight[o * layer->inputs + k];
            sum += layer->bias[o];
            y[i * layer->outputs + o] = relu && sum < 0 ? 0 : sum;
        }
    }
}

/* gradient of the layer's parameters from dy [rows][outputs] and its input x */
static void layer_dparams(const wac_layer *dlayer, int rows, const real *x, const real *dy)
{
    for (int o = 0; o < dlayer->outputs; o++) {
        real bias = 0;
        for (int i = 0; i < rows; i++)
            bias += dy[i * dlayer->outputs + o];
        dlayer->bias[o] = bias;
        for (int k = 0; k < dlayer->inputs; k++) {
            real sum = 0;
            for (int i = 0; i < rows; i++)
                sum += dy[i * dlayer->outputs + o] * x[i * dlayer->inputs + k];
            dlayer->weight[o * dlayer->inputs + k] = sum;
        }
    }
}

/* dx [rows][inputs - first] = dy W, and zero where the layer's input, a ReLU's output, was zero
 * (active null: the input was no ReLU's); dx may take the place of `active` */
static void layer_dinput(const wac_layer *layer, int rows, int first, const real *dy,
                         const real *active, real *dx)
{
    int kept = layer->inputs - first;
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < kept; k++) {
            real sum = 0;
            for (int o = 0; o < layer->outputs; o++)
                sum += dy[i * layer->outputs + o] * layer->weight[o * layer->inputs + first + k];
            dx[i * kept + k] = !active || active[i * layer->inputs + k] > 0 ? sum : 0;
        }
    }
}

static void forward(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass)
{
    (void)team;
    int head = stack->shape.hidden;
    for (int m = 0; m < stack->members; m++) {
        wac_pass own = wac_pass_at(pass, stack, m, 0);
        const real *x = input.x + (size_t)m * input.stride;
        for (int i = 0; i <= head; i++) {
            wac_layer layer = wac_stack_layer(stack, stack->params, m, i);
            layer_forward(&layer, input.rows, i ? own.h[i - 1] : x, i < head ? own.h[i] : own.out,
                          i < head);
        }
    }
}

/* the gradient of a layer's activations takes their place once the layer above is done with them */
static void backward(wac_team *team, const wac_stack *stack, wac_input input, const wac_pass *pass,
                     const real *dout, const wac_gradient *gradient)
{
    (void)team;
    int rows = input.rows, kept = stack->shape.inputs - gradient->input_first;
    for (int m = 0; m < stack->members; m++) {
        wac_pass own = wac_pass_at(pass, stack, m, 0);
        const real *dy = dout + (size_t)m * (size_t)(pass->capacity * stack->shape.outputs);
        for (int i = stack->shape.hidden; i >= 0; i--) {
            wac_layer layer = wac_stack_layer(stack, stack->params, m, i);
            if (gradient->params) {
                wac_layer dlayer = wac_stack_layer(stack, gradient->params, m, i);
                layer_dparams(&dlayer, rows, i ? own.h[i - 1] : input.x + (size_t)m * input.stride,
                              dy);
            }
            if (i > 0) {
                layer_dinput(&layer, rows, 0, dy, own.h[i - 1], own.h[i - 1]);
                dy = own.h[i - 1];
            } else if (gradient->inputs) {
                layer_dinput(&layer, rows, gradient->input_first, dy, NULL,
                             gradient->inputs + (size_t)m * (size_t)(pass->capacity * kept));
            }
        }
    }
}

static void adam(wac_team *team, const wac_stack *stack, const real *gradient, wac_moments moments,
                 wac_adam_factors factors)
{
    (void)team;
    for (size_t i = 0; i < wac_stack_size(stack); i++)
        wac_adam_move(factors, gradient[i], &moments.first[i], &moments.second[i],
                      &stack->params[i]);
}

static void polyak(wac_team *team, const wac_stack *target, const wac_stack *source, double rate)
{
    (void)team;
    for (size_t i = 0; i < wac_stack_size(target); i++)
        target->params[i] += (real)rate * (source->params[i] - target->params[i]);
}

const wac_ops wac_ops_reference = {
    .forward = forward,
    .infer = forward,
    .backward = backward,
    .adam = adam,
    .polyak = polyak,
};
