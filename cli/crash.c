/* A crash can not be helped, only explained: plug-ins are other people's code in our process. Only
 * functions that are safe in a signal handler are used. */
#include "crash.h"

#include "env/world.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static char *append(char *to, const char *end, const char *text)
{
    while (*text && to < end)
        *to++ = *text++;
    return to;
}

static void explain(int signal)
{
    wac_world_moment now = wac_world_now();
    char text[640], *at = text;
    const char *end = text + sizeof text, *name = sigdescr_np(signal);
    if (now.type) {
        const char *const words[] = {"wac: environment ",
                                     now.type,
                                     " crashed in ",
                                     now.function,
                                     ": ",
                                     name ? name : "by a signal",
                                     "; that is for its author to mend, and gdb --args shows where "
                                     "it was (a run keeps its last checkpoint)\n"};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            at = append(at, end, words[i]);
        (void)!write(STDERR_FILENO, text, (size_t)(at - text));
    }
    raise(signal); /* for good: the handler was for once */
}

void cli_explain_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[64 * 1024]; /* the own one may be what has run out */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before,
            ours = {.sa_handler = explain, .sa_flags = (int)SA_RESETHAND | SA_ONSTACK | SA_NODEFER};
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
    }
}
