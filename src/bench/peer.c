/* Talking to PyTorch: a line makes it time a round, and it answers with a line of JSON. What it
 * complains about goes to a file, whose last line says why it has ended. */
#include "bench/peer.h"

#include "base/json.h"
#include "base/share.h"
#include "base/status.h"
#include "base/words.h"
#include "bench/update.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool wac_bench_peer_has(wac_algorithm algorithm)
{
    return algorithm < WAC_ALGORITHM_OAC;
}

static wac_status find_program(char path[PATH_MAX], wac_error *error)
{
    return wac_share_find(path, PATH_MAX, "peers", "WAC_PEERS", "program", "torch_lockstep.py",
                          error);
}

wac_status wac_bench_peer_find(wac_error *error)
{
    char path[PATH_MAX];
    WAC_TRY(find_program(path, error));
    if (system("python3 -c 'import torch' >/dev/null 2>&1") != 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "python3 has no PyTorch to compare with; install it (torch)");
    return WAC_STATUS_OK;
}

/* --- its process ------------------------------------------------------------------------------ */

/* Its input, output and complaints are descriptors of ours; 0 or errno. */
static int spawn(pid_t *process, char *const *words, const int descriptors[3])
{
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure)
        return failure;
    for (int i = 0; i < 3 && !failure; i++)
        failure = posix_spawn_file_actions_adddup2(&actions, descriptors[i], i);
    if (!failure)
        failure = posix_spawnp(process, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static int start(wac_bench_peer *peer, char *const *words)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    peer->talk = fdopen(ends[0], "r");
    peer->complaints = tmpfile();
    int failure = errno;
    if (peer->talk && peer->complaints)
        failure =
            spawn(&peer->process, words, (const int[]){ends[1], ends[1], fileno(peer->complaints)});
    if (!peer->talk)
        close(ends[0]);
    close(ends[1]);
    return failure;
}

void wac_bench_peer_end(wac_bench_peer *peer)
{
    if (peer->talk)
        fclose(peer->talk);
    if (peer->complaints)
        fclose(peer->complaints);
    if (peer->process > 0)
        kill(peer->process, SIGTERM);
    while (peer->process > 0 && waitpid(peer->process, NULL, 0) < 0 && errno == EINTR)
        ;
    *peer = (wac_bench_peer){0};
}

/* --- what it says ----------------------------------------------------------------------------- */

/* By its last complaint. */
static wac_status fail_peer(wac_bench_peer *peer, wac_error *error)
{
    char line[256], last[256] = "it does not say why";
    rewind(peer->complaints);
    while (fgets(line, sizeof line, peer->complaints))
        if (line[strspn(line, " \t\n")])
            snprintf(last, sizeof last, "%.*s", (int)strcspn(line, "\n"), line);
    return wac_fail(error, WAC_STATUS_IO, "PyTorch's updates have failed: %s", last);
}

/* The next line: an object to be released. Anything else on the way is passed over. */
static wac_status hear(json_t **said, wac_bench_peer *peer, wac_error *error)
{
    char line[1024];
    while (fgets(line, sizeof line, peer->talk)) {
        *said = json_loads(line, 0, NULL);
        if (json_is_object(*said))
            return WAC_STATUS_OK;
        json_decref(*said);
    }
    return fail_peer(peer, error);
}

static void keep_text(char *text, size_t size, const json_t *said, const char *key)
{
    const char *word = json_string_value(json_object_get(said, key));
    snprintf(text, size, "%s", word ? word : "");
}

wac_status wac_bench_peer_start(wac_bench_peer *peer, const wac_bench_gpu *bench, const char *way,
                                double seconds, wac_error *error)
{
    char path[PATH_MAX], texts[9][48], how[48];
    size_t size, count = 0;
    const char *precision = wac_word_at(WAC_PRECISIONS, (int)bench->precision, &size);
    *peer = (wac_bench_peer){0};
    WAC_TRY(find_program(path, error));
#define SAY(...) snprintf(texts[count++], sizeof *texts, __VA_ARGS__)
    SAY("--algorithm=%s", wac_algorithm_name(bench->algorithm));
    SAY("--precision=%.*s", (int)size, precision);
    SAY("--runs=%d", bench->runs);
    SAY("--width=%d", bench->width);
    SAY("--batch=%d", bench->batch);
    SAY("--observations=%d", bench->observations);
    SAY("--actions=%d", bench->actions);
    SAY("--windows=%d", WAC_BENCH_ROUNDS);
    SAY("--window=%g", seconds);
#undef SAY
    snprintf(how, sizeof how, strcmp(way, "fastest") == 0 ? "--%s" : "--mode=%s", way);
    char *words[16] = {"python3", path, "--turns", "--transitions=5000", how};
    for (size_t i = 0; i < count; i++)
        words[5 + i] = texts[i];
    int failure = start(peer, words);
    json_t *said;
    wac_status status =
        failure ? wac_fail(error, WAC_STATUS_IO, "cannot start python3: %s", strerror(failure))
                : hear(&said, peer, error);
    if (status != WAC_STATUS_OK) {
        wac_bench_peer_end(peer);
        return status;
    }
    keep_text(peer->torch, sizeof peer->torch, said, "torch");
    keep_text(peer->way, sizeof peer->way, said, "ready");
    json_decref(said);
    return WAC_STATUS_OK;
}

wac_status wac_bench_peer_round(double *rate, wac_bench_peer *peer, wac_error *error)
{
    json_t *said;
    /* where it is gone, listening tells */
    (void)!send(fileno(peer->talk), "\n", 1, MSG_NOSIGNAL);
    WAC_TRY(hear(&said, peer, error));
    *rate = json_number_value(json_object_get(said, "run_updates_per_second"));
    json_decref(said);
    return *rate > 0 ? WAC_STATUS_OK : fail_peer(peer, error);
}
