/* Sentences, colours, widths, and numbers as words. */
#include "terminal/terminal.h"

#include "cli.h"

#include "base/words.h"
#include "draw/plot.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *program = "wac";

const char *cli_program(void)
{
    return program;
}

void cli_note_program(const char *name)
{
    if (name && *name && strlen(name) < PATH_MAX)
        program = name;
}

void cli_print_sentence(FILE *stream, const char *said)
{
    char sentence[4 * PATH_MAX];
    const char *begin = sentence;
    snprintf(sentence, sizeof sentence, "%s", said);
    wac_hide_control(sentence); /* of plug-ins, who do as they please */
    for (const char *found = sentence; (found = strstr(found, "wac ")); found += 4) {
        bool quoted = found > sentence && found[-1] == '"';
        bool told = found > sentence + 1 && strncmp(found - 2, ": ", 2) == 0;
        if (!quoted && !told)
            continue;
        fprintf(stream, "%.*s%s", (int)(found - begin), begin, program);
        begin = found + 3;
    }
    fprintf(stream, "%s\n", begin);
}

int cli_fail(const wac_error *error)
{
    fputs("wac: ", stderr);
    cli_print_sentence(stderr, error->message);
    return CLI_FAILED;
}

int cli_refuse(const char *format, ...)
{
    char sentence[4 * PATH_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    fputs("wac: ", stderr);
    cli_print_sentence(stderr, sentence);
    return CLI_USAGE;
}

int cli_blame(const wac_error *error)
{
    int failed = cli_fail(error);
    return error->status == WAC_STATUS_INPUT ? CLI_USAGE : failed;
}

int cli_need_gnuplot(void)
{
    wac_error error = {0};
    if (wac_plot_find(&error) == WAC_STATUS_OK)
        return CLI_OK;
    fprintf(stderr, "wac: %s; then call this again (nothing has been trained)\n", error.message);
    return CLI_FAILED;
}

cli_style cli_style_of(FILE *stream)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool colours = isatty(fileno(stream)) && !(refused && *refused) && terminal &&
                   strcmp(terminal, "dumb") != 0;
    if (!colours)
        return (cli_style){"", "", "", "", "", ""};
    return (cli_style){"\033[1m", "\033[2m", "\033[31m", "\033[32m", "\033[34m", "\033[0m"};
}

int cli_columns(FILE *stream, int *rows)
{
    struct winsize window;
    bool known = ioctl(fileno(stream), TIOCGWINSZ, &window) == 0;
    *rows = known && window.ws_row > 0 ? window.ws_row : 24;
    return known && window.ws_col > 0 ? window.ws_col : 80;
}

int cli_width(FILE *stream)
{
    enum { NARROWEST = 40, WIDEST = 100 };
    int rows, columns = isatty(fileno(stream)) ? cli_columns(stream, &rows) : WIDEST + 1;
    return columns > WIDEST ? WIDEST : columns > NARROWEST ? columns - 1 : NARROWEST;
}

const char *cli_count(char text[48], int64_t count, const char *thing)
{
    snprintf(text, 48, "%lld %s%s", (long long)count, thing, count == 1 ? "" : "s");
    return text;
}

void cli_print_wrapped(const char *text, int indent, int width)
{
    int column = indent;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > indent && column + 1 + length > width) {
            printf("\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            putchar(' ');
            column++;
        }
        printf("%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}
