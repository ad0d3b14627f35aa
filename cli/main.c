/* The program, whoever starts it: finds the subcommand and hands over. */
#include "cli.h"
#include "crash.h"
#include "manual.h"
#include "terminal/terminal.h"

#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/environments.h"
#include "env/world.h"
#include "sweep/mpi.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const cli_command *const cli_commands[] = {
    &cli_train,  &cli_evaluate,  &cli_export, &cli_render,     &cli_sweep,  &cli_tune,  &cli_stats,
    &cli_report, &cli_reproduce, &cli_pack,   &cli_envs,       &cli_config, &cli_check, &cli_watch,
    &cli_verify, &cli_bench,     &cli_demo,   &cli_completion, NULL,
};
enum { COMMANDS = sizeof cli_commands / sizeof *cli_commands - 1 };

static const char *command_name(const void *names, size_t index)
{
    (void)names;
    return index < COMMANDS ? cli_commands[index]->name : index == COMMANDS ? "help" : NULL;
}

static void print_overview(FILE *stream)
{
    cli_style style = cli_style_of(stream);
    fprintf(stream,
            "%swac%s trains agents that explore where they are uncertain: Wasserstein\n"
            "Actor-Critic (OE-WAC, ME-WAC), with SAC, OAC, REDQ, SUNRISE, MaxInfoSAC, SAC\n"
            "with random network distillation, TOP, BRO and SimBa to compare.\n\n"
            "%sUsage%s\n  wac COMMAND [ARGUMENTS]\n\n%sCommands%s\n",
            style.bold, style.plain, style.bold, style.plain, style.bold, style.plain);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(stream, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    fprintf(stream,
            "\n%sFirst steps%s\n"
            "  wac demo                              see directed exploration at work\n"
            "  wac train riverswim --epochs 30       train an agent of your own (2 minutes)\n"
            "  wac evaluate runs/riverswim-oe-wac-1  see how well it does\n"
            "  wac config riverswim                  see what can be set\n\n"
            "%sExit status%s\n"
            "  0 done   1 failed or stopped   2 asked wrongly\n\n"
            "\"wac help COMMAND\" explains a command (with --man before it as a page of the\n"
            "manual); \"wac --version\" tells the version.\n",
            style.bold, style.plain, style.bold, style.plain);
}

static const cli_command *find_command(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(cli_commands[i]->name, name) == 0)
            return cli_commands[i];
    const char *near = WAC_SUGGEST(name, command_name, NULL, NULL);
    if (near)
        cli_refuse("unknown command \"%s\"; %s", WAC_CLIP(name), near);
    else
        cli_refuse("unknown command \"%s\"; see \"%s help\"", WAC_CLIP(name), cli_program());
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
    for (int i = 1; i < argc; i++)
        if (wac_has_control(argv[i], ""))
            return cli_refuse(
                "\"%s\" has control characters in it, which nothing here is called by", argv[i]);
    if (argc < 2) {
        print_overview(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 && argv[2] && strcmp(argv[2], "--man") == 0) {
        const cli_command *command = argv[3] ? find_command(argv[3]) : NULL;
        if (argv[3] && !command)
            return CLI_USAGE;
        cli_print_manual(command);
        return CLI_OK;
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

/* MuJoCo's loader is C++, and throws where memory runs out; nobody here can catch that. What a
 * plug-in throws is a crash like others. */
static void end_with_sentence(void)
{
    const char *world = wac_world_now().type;
    if (world && wac_environment_is_plugin(world))
        abort();
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

/* Whether the reader of the output has had enough, as head -1 has. */
static bool has_no_reader(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO};
    return poll(&output, 1, 0) == 1 && output.revents & POLLERR;
}

int cli_main(int argc, char **argv)
{
    hold_standard_descriptors();
    expect_exceptions();
    signal(SIGPIPE, SIG_IGN); /* training does not end when nobody reads about it any more */
    cli_note_program(argv[0]);
    cli_explain_crashes();
    int status = dispatch(argc, argv);
    /* a full disk must not pass for success */
    if ((fflush(stdout) || ferror(stdout)) && !has_no_reader()) {
        perror("wac: cannot write the output");
        return CLI_FAILED;
    }
    return status;
}
