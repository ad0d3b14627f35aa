/* wac envs: the worlds that come with the library. */
#include "cli.h"
#include "terminal/terminal.h"

#include <string.h>

static const char help[] =
    "wac envs: list the environments\n"
    "\n"
    "Usage\n"
    "  wac envs\n"
    "\n"
    "Each line is a name for \"wac train NAME\" and what there is to learn.\n"
    "Environments of your own are MuJoCo models with a recipe beside them\n"
    "(docs/own-models.md), or plug-ins in C, \"wac train ./FILE.so\"\n"
    "(docs/own-environments.md); those of Gymnasium, in Python, are \"gym:NAME\"\n"
    "(docs/gymnasium.md). point-1-sparse to point-4-sparse are the mazes without\n"
    "hints from the reward; halfcheetah-sparse, hopper-sparse and walker2d-sparse\n"
    "pay only beyond a distance. docs/suite.md has what can be won in each of the\n"
    "sparse ones.\n"
    "\n"
    "Examples\n"
    "  wac envs\n"
    "  wac config riverswim    the settings that suit it\n"
    "  wac train riverswim     train on it\n";

static int run(char **words)
{
    (void)words;
    const wac_environment_type *type;
    int longest = 0;
    for (size_t i = 0; (type = wac_environment_type_at(i)); i++)
        longest = (int)strlen(type->name) > longest ? (int)strlen(type->name) : longest;
    cli_style style = cli_style_of(stdout);
    for (size_t i = 0; (type = wac_environment_type_at(i)); i++) {
        printf("%s%-*s%s  ", style.bold, longest, type->name, style.plain);
        cli_print_wrapped(type->summary, longest + 2, cli_width(stdout));
    }
    printf("\nAlso point-1-sparse to point-4-sparse: -1 a step, wherever it is;\n"
           "halfcheetah-sparse, hopper-sparse and walker2d-sparse: paid only beyond a\n"
           "distance; a plug-in of your own: ./FILE.so; and any environment of Gymnasium:\n"
           "gym:Pendulum-v1.\n");
    return CLI_OK;
}

const cli_command cli_envs = {
    "envs", "list the environments", help, run, (const cli_option[]){{0}}, 0, NULL};
