/* wac completion: what a shell needs to complete commands, flags and their values; made from the
 * same rows as the commands themselves. */
#include "cli.h"
#include "terminal/terminal.h"

#include "base/suggest.h"
#include "base/words.h"
#include "config/config.h"

#include <string.h>

static const char help[] =
    "wac completion: a script for your shell\n"
    "\n"
    "Usage\n"
    "  wac completion bash|zsh|fish\n"
    "\n"
    "Prints a script that completes commands, flags, settings and environments. An\n"
    "installation has them in place already.\n"
    "\n"
    "Examples\n"
    "  eval \"$(wac completion bash)\"      for this shell; or in ~/.bashrc\n"
    "  wac completion zsh > ~/.zfunc/_wac\n"
    "  wac completion fish > ~/.config/fish/completions/wac.fish\n";

/* The commands whose words are environments, or may be. */
static const char takes_environments[] = "train|config|render|check";

/* A flag of a command: what it is called and, where it has only some values, these ("a|b"). */
typedef struct flag {
    char name[64];
    const char *values;
    bool bare; /* takes nothing */
} flag;

/* Flag number `index` of a command, its settings among them; false past the end. */
static bool flag_at(flag *flag, const cli_command *command, size_t index)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    for (const cli_option *option = command->options; option && option->name; option++) {
        size_t span = option->settings ? count : 1;
        if (index >= span) {
            index -= span;
            continue;
        }
        const wac_setting *setting = option->settings ? &settings[index] : NULL;
        *flag = (struct flag){.values = setting ? setting->words : NULL, .bare = option->on};
        snprintf(flag->name, sizeof flag->name, "%s", setting ? setting->name : option->name);
        for (char *letter = flag->name; *letter; letter++)
            *letter = *letter == '_' ? '-' : *letter;
        return true;
    }
    return false;
}

static void print_environments(void)
{
    const wac_environment_type *type;
    for (size_t i = 0; (type = wac_environment_type_at(i)); i++)
        if (!strchr(type->name, ':'))
            printf(" %s", type->name);
}

/* "a|b" as "a b" */
static void print_values(const char *values)
{
    for (; *values; values++)
        putchar(*values == '|' ? ' ' : *values);
}

static bool has_environments(const cli_command *command)
{
    return wac_word_index(takes_environments, command->name) >= 0;
}

/* What bash and zsh share: flags, values and words by command, as cases of a shell. */
static void print_cases(void)
{
    flag flag;
    printf("    case $command in\n");
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("    %s)\n        flags=\"", (*command)->name);
        for (size_t i = 0; flag_at(&flag, *command, i); i++)
            printf("--%s ", flag.name);
        printf("--help\"");
        if (has_environments(*command)) {
            printf("\n        names=\"");
            print_environments();
            putchar('"');
        }
        printf(" ;;\n");
    }
    printf("    esac\n    case $before in\n");
    for (size_t i = 0; flag_at(&flag, &cli_train, i); i++)
        if (flag.values) {
            printf("    --%s) values=\"", flag.name);
            print_values(flag.values);
            printf("\" ;;\n");
        }
    printf("    esac\n");
}

static void print_commands(void)
{
    for (const cli_command *const *command = cli_commands; *command; command++)
        printf(" %s", (*command)->name);
}

/* All of them with their summaries, between quotes of a shell. */
static void print_summaries(const char *before, const char *between)
{
    for (const cli_command *const *command = cli_commands; *command; command++) {
        printf("%s%s%s", before, (*command)->name, between);
        for (const char *letter = (*command)->summary; *letter; letter++)
            *letter == '\'' ? fputs("'\\''", stdout) : putchar(*letter);
        printf("'\n");
    }
}

static void print_bash(void)
{
    printf("# completes the arguments of wac, in bash\n_wac() {\n"
           "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local command=${COMP_WORDS[1]} flags= names= values=\n"
           "    if [ \"$COMP_CWORD\" = 1 ] || [ \"$command $COMP_CWORD\" = 'help 2' ]; then\n"
           "        COMPREPLY=($(compgen -W \"help");
    print_commands();
    printf("\" -- \"$current\"))\n        return\n    fi\n");
    print_cases();
    printf("    if [ \"$values\" ]; then\n"
           "        COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
           "    elif [ \"${current#-}\" != \"$current\" ]; then\n"
           "        COMPREPLY=($(compgen -W \"$flags\" -- \"$current\"))\n"
           "    else\n"
           "        COMPREPLY=($(compgen -W \"$names\" -- \"$current\") "
           "$(compgen -f -- \"$current\"))\n"
           "    fi\n}\ncomplete -o filenames -F _wac wac\n");
}

static void print_zsh(void)
{
    printf("#compdef wac\n_wac() {\n    local -a commands\n    commands=(\n"
           "        'help:explain a command'\n");
    print_summaries("        '", ":");
    printf("    )\n"
           "    local command=$words[2] before=$words[CURRENT-1] flags names values\n"
           "    if (( CURRENT == 2 )) || [[ $command = help ]]; then\n"
           "        _describe command commands\n        return\n    fi\n");
    print_cases();
    printf("    if [[ -n $values ]]; then\n        compadd -- ${=values}\n"
           "    elif [[ $words[CURRENT] = -* ]]; then\n        compadd -- ${=flags}\n"
           "    else\n        compadd -- ${=names}\n        _files\n    fi\n}\n"
           "if [[ $funcstack[1] = _wac ]]; then _wac \"$@\"; else compdef _wac wac; fi\n");
}

static void print_fish(void)
{
    flag flag;
    printf("# completes the arguments of wac, in fish\n");
    print_summaries("complete -c wac -n __fish_use_subcommand -f -a ", " -d '");
    for (const cli_command *const *command = cli_commands; *command; command++) {
        for (size_t i = 0; flag_at(&flag, *command, i); i++) {
            printf("complete -c wac -n '__fish_seen_subcommand_from %s' -l %s%s", (*command)->name,
                   flag.name, flag.bare ? "" : " -r");
            if (flag.values) {
                printf(" -f -a '");
                print_values(flag.values);
                putchar('\'');
            }
            putchar('\n');
        }
        if (has_environments(*command)) {
            printf("complete -c wac -n '__fish_seen_subcommand_from %s' -a '", (*command)->name);
            print_environments();
            printf("'\n");
        }
    }
}

static int run(char **words)
{
    static void (*const prints[])(void) = {print_bash, print_zsh, print_fish};
    int shell = wac_word_index("bash|zsh|fish", words[0]);
    if (shell < 0)
        return cli_refuse("the shell must be bash, zsh or fish, not \"%s\"", WAC_CLIP(words[0]));
    prints[shell]();
    return CLI_OK;
}

const cli_command cli_completion = {"completion",
                                    "print a script for your shell: bash, zsh, fish",
                                    help,
                                    run,
                                    (const cli_option[]){{0}},
                                    1,
                                    "for which shell? As in: %s completion bash"};
