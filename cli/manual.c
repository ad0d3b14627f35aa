/* Pages of the manual: headings become sections, what is indented stays as it is laid out. */
#include "manual.h"

#include "base/status.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A line, with what man would take for its own. */
static void print_line(const char *line, size_t size)
{
    if (size && (*line == '.' || *line == '\''))
        fputs("\\&", stdout);
    for (size_t i = 0; i < size; i++)
        if (line[i] == '-' || line[i] == '\\')
            printf("\\%c", line[i] == '\\' ? 'e' : '-');
        else
            putchar(line[i]);
    putchar('\n');
}

static void print_heading(const char *line, size_t size)
{
    if (size == 5 && memcmp(line, "Usage", size) == 0) {
        line = "Synopsis";
        size = strlen(line);
    }
    fputs(".SH ", stdout);
    for (size_t i = 0; i < size; i++)
        putchar(toupper((unsigned char)line[i]));
    putchar('\n');
}

/* Text between headings and what is indented below them. */
static void print_text(const char *text)
{
    bool laid_out = false, described = false;
    for (size_t size; *text; text += size + (text[size] == '\n')) {
        size = strcspn(text, "\n");
        const char *next = text + size + (text[size] == '\n');
        bool indented = size > 1 && text[0] == ' ';
        bool heading =
            size && size < 24 && !indented && next[0] == ' ' && !strchr(".:,", text[size - 1]);
        if (laid_out && !indented && size) {
            puts(".fi");
            laid_out = false;
        }
        if (heading) {
            print_heading(text, size);
            continue;
        }
        if (!size) {
            if (!laid_out)
                puts(".PP");
            else if (next[0] == ' ')
                putchar('\n');
            continue;
        }
        if (indented && !laid_out) {
            puts(".nf");
            laid_out = true;
        }
        if (!indented && !described) {
            puts(".SH DESCRIPTION");
            described = true;
        }
        print_line(text, size);
    }
    if (laid_out)
        puts(".fi");
}

void cli_print_manual(const cli_command *command)
{
    char title[64] = "wac", page[64];
    if (command)
        snprintf(title, sizeof title, "wac-%s", command->name);
    for (size_t i = 0; i < sizeof page; i++)
        page[i] = (char)toupper((unsigned char)title[i]);
    printf(".TH %s 1 \"\" \"wac %s\" \"User Commands\"\n.SH NAME\n", page, wac_version());
    if (command) {
        printf("wac\\-%s \\- %s\n", command->name, command->summary);
        const char *rest = strstr(command->help, "\n\n");
        print_text(rest ? rest + 2 : command->help);
        printf(".SH SEE ALSO\n.BR wac (1)\n");
        return;
    }
    printf(
        "wac \\- agents that explore where they are uncertain\n"
        ".SH SYNOPSIS\n.B wac\n.I COMMAND\n.RI [ ARGUMENTS ]\n"
        ".SH DESCRIPTION\nTrains agents by Wasserstein Actor\\-Critic (OE\\-WAC, ME\\-WAC), SAC, "
        "OAC, REDQ, SUNRISE, MaxInfoSAC, SAC with random network distillation, TOP, BRO and SimBa, "
        "and "
        "tells, draws, compares and exports what they have learned.\n"
        ".SH COMMANDS\n");
    for (const cli_command *const *each = cli_commands; *each; each++)
        printf(".TP\n.BR wac\\-%s (1)\n%s\n", (*each)->name, (*each)->summary);
    printf(".SH EXIT STATUS\n0 done, 1 failed or stopped, 2 asked wrongly.\n");
}
