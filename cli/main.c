/* The program: finds the subcommand and hands over. */
#include "cli.h"
#include "terminal/terminal.h"

#include "base/status.h"
#include "base/suggest.h"
#include "sweep/mpi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const cli_command *const commands[] = {
    &cli_train, &cli_evaluate, &cli_check,  &cli_render,    &cli_sweep,
    &cli_tune,  &cli_stats,    &cli_report, &cli_reproduce, &cli_pack,
    &cli_envs,  &cli_config,   &cli_verify, &cli_bench,     &cli_demo,
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static const char *command_name(const void *names, size_t index)
{
    (void)names;
    return index < COMMANDS ? commands[index]->name : index == COMMANDS ? "help" : NULL;
}

static void print_overview(FILE *stream)
{
    cli_style style = cli_style_of(stream);
    fprintf(stream,
            "%swac%s trains agents that explore where they are uncertain: Wasserstein\n"
            "Actor-Critic (OE-WAC, ME-WAC), with SAC and OAC to compare.\n\n"
            "%sUsage%s\n  wac COMMAND [ARGUMENTS]\n\n%sCommands%s\n",
            style.bold, style.plain, style.bold, style.plain, style.bold, style.plain);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(stream,
            "\n%sFirst steps%s\n"
            "  wac demo                               see directed exploration at work\n"
            "  wac train riverswim --out runs/first   train an agent of your own\n"
            "  wac evaluate runs/first                see how well it does\n"
            "  wac config riverswim                   see what can be set\n\n"
            "%sExit status%s\n"
            "  0 done   1 failed or stopped   2 asked wrongly\n\n"
            "\"wac help COMMAND\" explains a command; \"wac --version\" tells the version.\n",
            style.bold, style.plain, style.bold, style.plain);
}

static const cli_command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    const char *near = WAC_SUGGEST(name, command_name, NULL, NULL);
    if (near)
        cli_refuse("unknown command \"%s\"; %s", WAC_CLIP(name), near);
    else
        cli_refuse("unknown command \"%s\"; see \"%s --help\"", WAC_CLIP(name), cli_program());
    return NULL;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int print_help(const char *name)
{
    if (!name || is_help(name) || strcmp(name, "help") == 0) {
        print_overview(stdout);
        return CLI_OK;
    }
    const cli_command *command = find_command(name);
    if (!command)
        return CLI_USAGE;
    fputs(command->help, stdout);
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv)
{
    bool shares = command == &cli_sweep || command == &cli_tune;
    /* of several ranks that share the work only the first speaks */
    if (shares && wac_sweep_rank() > 0 && !freopen("/dev/null", "w", stderr))
        fclose(stderr);
    int status = cli_parse(command->options, command->most_words, argc, argv);
    if (!status && command->missing && !argv[1])
        status = cli_refuse(command->missing, cli_program());
    return status ? status : command->run(argv + 1);
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0)
        return print_help(argv[2]);
    if (strcmp(argv[1], "--version") == 0) {
        printf("wac %s (%s)\n", wac_version(), wac_commit());
        return CLI_OK;
    }
    const cli_command *command = find_command(argv[1]);
    if (!command)
        return CLI_USAGE;
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return print_help(argv[1]);
    return run(command, argc - 1, argv + 1);
}

/* Where a standard descriptor is closed, nothing else may get its number. */
static void hold_standard_descriptors(void)
{
    int file;
    do
        file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO);
    if (file > STDERR_FILENO)
        close(file);
}

/* MuJoCo's loader is C++, and throws where memory runs out; nobody here can catch that. */
static void end_with_sentence(void)
{
    static const char sentence[] =
        "wac: MuJoCo has no memory left to load a model; free some and try again\n";
    (void)!write(STDERR_FILENO, sentence, sizeof sentence - 1);
    _exit(CLI_FAILED);
}

static void expect_exceptions(void)
{
    typedef void handler(void);
    handler *(*set_terminate)(handler *);
    *(void **)&set_terminate = dlsym(RTLD_DEFAULT, "_ZSt13set_terminatePFvvE");
    if (set_terminate)
        set_terminate(end_with_sentence);
}

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    expect_exceptions();
    cli_note_program(argv[0]);
    int status = dispatch(argc, argv);
    /* a full disk must not pass for success */
    if (fflush(stdout) || ferror(stdout)) {
        perror("wac: cannot write the output");
        return CLI_FAILED;
    }
    return status;
}
