/* From reset to main: vectors, FPU, data and bss. */
#include <stddef.h>
#include <stdint.h>

extern uint32_t data_start[], data_end[], data_load[], bss_start[], bss_end[], stack_top[];

int main(void);
void reset(void);
void *memset(void *to, int value, size_t size);

void *memset(void *to, int value, size_t size) /* compilers call it unasked */
{
    volatile unsigned char *byte = to;
    while (size--)
        *byte++ = (unsigned char)value;
    return to;
}

static void stop(void)
{
    for (;;)
        ;
}

void reset(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xFu << 20; /* CPACR: the FPU is there to be used */
    for (uint32_t *to = data_start, *from = data_load; to != data_end;)
        *to++ = *from++;
    for (uint32_t *word = bss_start; word != bss_end; word++)
        *word = 0;
    main();
    stop();
}

__attribute__((section(".vectors"), used)) static const struct {
    void *stack;
    void (*handlers[15])(void);
} vectors = {stack_top, {reset, stop, stop, stop, stop, stop}};
