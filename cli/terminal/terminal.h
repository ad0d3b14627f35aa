/* What the program says, and how it looks. */
#ifndef WAC_CLI_TERMINAL_TERMINAL_H
#define WAC_CLI_TERMINAL_TERMINAL_H

#include "wac/wac.h"

#include <stdio.h>

/* Something went wrong on the way: print the library's sentence; returns CLI_FAILED. */
int cli_fail(const wac_error *error);

/* The program as it was called ("build/wac"): for commands that a message shows, so that they can
 * be pasted. main.c notes it. */
const char *cli_program(void);
void cli_note_program(const char *name);

/* A line with a sentence that calls the program "wac": where it shows a command ("wac …", or after
 * a colon), with the name that the program was called by. */
void cli_print_sentence(FILE *stream, const char *sentence);

/* The user asked for something that makes no sense: print why; returns CLI_USAGE. */
int cli_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whichever of the two it is: wrong input is what the user asked for. */
int cli_blame(const wac_error *error);

/* Before hours of training whose end is a picture: whether gnuplot can be found. Says what is
 * wrong; returns an exit status. */
int cli_need_gnuplot(void);

/* Escape sequences for a stream; empty strings unless it is a terminal that shows colours and
 * NO_COLOR is not set. */
typedef struct cli_style {
    const char *bold, *dim, *red, *green, *blue, *plain;
} cli_style;

cli_style cli_style_of(FILE *stream);

/* The size of a terminal; 80 x 24 where it does not tell. */
int cli_columns(FILE *stream, int *rows);

/* How wide lines on a stream may be: one column less than the terminal has, from 40 to 100; 100
 * where it is none. */
int cli_width(FILE *stream);

/* "1 epoch", "30 epochs" */
const char *cli_count(char text[48], int64_t count, const char *thing);

/* `text` to stdout from column `indent` on, broken into lines that end before column `width`. The
 * cursor is at `indent` already; ends with a newline. */
void cli_print_wrapped(const char *text, int indent, int width);

#endif
