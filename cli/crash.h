/* Last words, where a world of somebody's own crashes. */
#ifndef WAC_CLI_CRASH_H
#define WAC_CLI_CRASH_H

/* From now on a crash in the middle of a world's function says whose and which, on stderr, before
 * the process ends as it would have. Where somebody else (a sanitizer) looks after crashes, they
 * are left to them. */
void cli_explain_crashes(void);

#endif
