/* What the program says, and how it looks. */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_fail(const wac_error *error)
{
    fprintf(stderr, "wac: %s\n", error->message);
    return CLI_FAILED;
}

int cli_refuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("wac: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return CLI_USAGE;
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
