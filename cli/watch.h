/* The page of `wac watch` beside a run that trains. */
#ifndef WAC_CLI_WATCH_H
#define WAC_CLI_WATCH_H

/* Show the run that is, or will be, in a folder, until this process ends; tells where on stderr.
 * Before any thread is started. An exit status. */
int cli_watch_beside(const char *folder);

#endif
