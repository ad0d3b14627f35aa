/* The state of Adam. */
#include "nn/adam.h"

void wac_adam_init(wac_adam *adam, wac_arena *arena, const wac_stack *stack)
{
    *adam = (wac_adam){
        .first = WAC_TAKE(arena, real, wac_stack_size(stack)),
        .second = WAC_TAKE(arena, real, wac_stack_size(stack)),
        .rates = WAC_TAKE(arena, double, (size_t)stack->members),
    };
}

wac_adam wac_adam_slice(const wac_adam *adam, const wac_stack *stack, int first)
{
    size_t at = (size_t)first * stack->stride;
    return (wac_adam){
        .steps = adam->steps,
        .first = adam->first + at,
        .second = adam->second + at,
        .rates = adam->rates + first,
    };
}
