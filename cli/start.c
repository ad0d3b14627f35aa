/* Starting the program. Where it comes upon an environment of Gymnasium it starts anew, as the same
 * program within Python: `python3 -m wac` with the same arguments. */
#include "cli.h"

#include "base/status.h"
#include "base/suggest.h"
#include "env/guest.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char **arguments;

/* In a build folder, and in an installation that has it, the package lies beside the program. */
static void show_package(void)
{
    char path[PATH_MAX], all[2 * PATH_MAX];
    const char *others = getenv("PYTHONPATH");
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    char *slash = length > 0 ? memrchr(path, '/', (size_t)length) : NULL;
    if (!slash)
        return;
    strcpy(slash, "/python");
    if (access(path, R_OK) == 0) {
        snprintf(all, sizeof all, "%s%s%s", path, others ? ":" : "", others ? others : "");
        setenv("PYTHONPATH", all, 1);
    }
}

static wac_status become_python(const wac_environment_type **type, const char *name,
                                wac_error *error)
{
    static const char start[] =
        "import sys\n"
        "try:\n"
        "    from wac.__main__ import main\n"
        "except ImportError as error:\n"
        "    sys.exit(f'wac: environments of Gymnasium need the packages wac and gymnasium in '\n"
        "             f'{sys.executable}: {error}')\n"
        "main()\n";
    const char *python = getenv("WAC_PYTHON");
    int count = 0;
    (void)type;
    if (strncmp(name, "gym:", 4) != 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "\"%s\" is an environment that only the Python program has that made the "
                        "run: wac.load(FOLDER, env)",
                        WAC_CLIP(name));
    while (arguments[count])
        count++;
    char **words = calloc((size_t)count + 3, sizeof *words);
    if (!words)
        return wac_fail_memory(error, "the arguments of Python");
    words[0] = (char *)(python && *python ? python : "python3");
    words[1] = (char *)"-c";
    words[2] = (char *)start;
    memcpy(words + 3, arguments + 1, (size_t)count * sizeof *words);
    show_package();
    fflush(stdout);
    execvp(words[0], words);
    wac_status status =
        wac_fail(error, WAC_STATUS_INPUT,
                 "\"%s\" is an environment of Python, and %s cannot be started: %s; set the "
                 "variable WAC_PYTHON to a Python with the packages wac and gymnasium",
                 WAC_CLIP(name), words[0], strerror(errno));
    free(words);
    return status;
}

int main(int argc, char **argv)
{
    /* reading them changes them */
    arguments = calloc((size_t)argc + 1, sizeof *arguments);
    if (arguments)
        memcpy(arguments, argv, (size_t)argc * sizeof *arguments);
    wac_guest_set(arguments ? become_python : NULL);
    return cli_main(argc, argv);
}
