/* Runs an exported policy on a Cortex-M: checks its recorded rows, counts what an action takes, and
 * says how much flash and RAM all of it needs. It speaks by semihosting, which debuggers understand
 * as qemu does. Time is that of SysTick: on a chip it counts cycles of the processor (PER_TICK 1);
 * qemu knows no cycles, but can let every instruction take the same time. */
#define POLICY_IMPLEMENTATION
#include "policy.h"

#include <stddef.h>
#include <stdint.h>

extern uint32_t data_start[], bss_end[], stack_top[], flash_end[];

/* --- the debugger's ear ----------------------------------------------------------------------- */

static int call(int operation, const void *argument)
{
    register int r0 __asm__("r0") = operation;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

static void say(const char *text)
{
    call(4, text); /* SYS_WRITE0 */
}

static void say_number(const char *before, uint32_t number, const char *after)
{
    char digits[11], *at = digits + 10;
    *at = 0;
    do
        *--at = (char)('0' + number % 10);
    while (number /= 10);
    say(before);
    say(at);
    say(after);
}

static void leave(int status)
{
    const uint32_t why[2] = {0x20026, (uint32_t)status}; /* of its own accord */
    call(0x20, why);                                     /* SYS_EXIT_EXTENDED */
}

/* --- time and memory ------------------------------------------------------------------------- */

static volatile uint32_t *const systick =
    (volatile uint32_t *)0xE000E010; /* control, reload, now */

static void start_clock(void)
{
    systick[1] = systick[2] = 0xFFFFFF;
    systick[0] = 5; /* on, by the processor's clock */
}

/* Ticks since another moment; it counts down, in 24 bits. */
static uint32_t ticks_since(uint32_t moment)
{
    return (moment - systick[2]) & 0xFFFFFF;
}

enum { PAINT = 0x5A17C0DE };

/* Paint the stack that is free, to see later how far it was used. */
static void paint_stack(void)
{
    uint32_t *here;
    __asm__ volatile("mov %0, sp" : "=r"(here));
    for (volatile uint32_t *word = bss_end; word < here; word++)
        *word = PAINT;
}

static uint32_t stack_used(void)
{
    const volatile uint32_t *word = bss_end;
    while (*word == PAINT)
        word++;
    return (uint32_t)((uintptr_t)stack_top - (uintptr_t)word);
}

int main(void)
{
    enum { ROWS = sizeof policy_recorded_observations / sizeof *policy_recorded_observations };
    uint32_t largest = 0, sum = 0;
    paint_stack();
    start_clock();
    for (int i = 0; i < ROWS; i++) {
        float action[POLICY_ACTIONS];
        uint32_t moment = systick[2];
        policy_act(policy_recorded_observations[i], action);
        uint32_t ticks = ticks_since(moment);
        sum += ticks;
        largest = ticks > largest ? ticks : largest;
    }
    int wrong = policy_self_test();
    say_number("recorded rows  ", ROWS, wrong ? "" : ", all as recorded\n");
    if (wrong)
        say_number(", of which ", (uint32_t)wrong, " come out otherwise\n");
    const char *unit = PER_TICK > 1 ? " instructions" : " cycles";
    say_number("an action      ", sum / ROWS * PER_TICK, unit);
    say_number(" on average, ", largest * PER_TICK, " at most\n");
    say_number("flash          ", (uint32_t)(uintptr_t)flash_end, " bytes\n");
    say_number("RAM            ", (uint32_t)((uintptr_t)bss_end - (uintptr_t)data_start), " bytes");
    say_number(" and ", stack_used(), " of stack\n");
    leave(wrong != 0);
    return 0;
}
