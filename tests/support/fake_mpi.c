/* MPI for machines without it, between processes of this one: a plugin with the table of
 * wac_mpi.so (sweep/mpi.h). Each rank, as OMPI_COMM_WORLD_RANK says it, has a socket in the folder
 * WAC_FAKE_MPI. What shall go wrong is said by WAC_FAKE_MPI_FAILS: "start", "send 3" or "receive 3"
 * (the third one), "crowd" (more ranks than processors) or "files" (none can be opened any more).
 */
#include "sweep/mpi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST = 4096 };

typedef struct letter {
    int from;
    char bytes[LARGEST];
} letter;

static int own, rank_here = -1, sent, received;

static struct sockaddr_un address_of(int rank)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/%d", getenv("WAC_FAKE_MPI"), rank);
    return address;
}

/* Whether call number `number` of these shall fail. */
static int fails(const char *what, int number)
{
    const char *wanted = getenv("WAC_FAKE_MPI_FAILS");
    size_t length = strlen(what);
    if (!wanted || strncmp(wanted, what, length) != 0)
        return 0;
    return number == 0 || atoi(wanted + length) == number;
}

static int start(int *rank, int *size, int *place, int *companions)
{
    sent = received = 0;
    rank_here = *rank = atoi(getenv("OMPI_COMM_WORLD_RANK"));
    *size = atoi(getenv("OMPI_COMM_WORLD_SIZE"));
    *place = *rank;
    *companions = fails("crowd", 0) ? 1 << 20 : 1;
    struct sockaddr_un address = address_of(*rank);
    own = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (own < 0 || bind(own, (struct sockaddr *)&address, sizeof address) != 0 || fails("start", 0))
        return 1;
    if (fails("files", 0))
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t)own + 1, (rlim_t)own + 1});
    return 0;
}

static int send_bytes(int to, const void *bytes, size_t size)
{
    static letter letter;
    struct sockaddr_un address = address_of(to);
    letter.from = rank_here;
    memcpy(letter.bytes, bytes, size);
    if (fails("send", ++sent))
        return 1;
    /* a rank may not have begun yet */
    for (int i = 0; i < 2000; i++) {
        if (sendto(own, &letter, sizeof letter.from + size, 0, (struct sockaddr *)&address,
                   sizeof address) >= 0)
            return 0;
        if (errno != ENOENT && errno != EINTR)
            return 1;
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return 1;
}

static int receive_bytes(int *from, void *bytes, size_t size)
{
    static letter letter;
    *from = -1;
    if (fails("receive", ++received))
        return 1;
    ssize_t got = recv(own, &letter, sizeof letter, MSG_DONTWAIT);
    if (got < 0)
        return errno != EAGAIN && errno != EINTR;
    if (got != (ssize_t)(sizeof letter.from + size))
        return 1;
    *from = letter.from;
    memcpy(bytes, letter.bytes, size);
    return 0;
}

/* The socket's name stays, so that who writes to it is told at once. */
static void end(void)
{
    close(own);
}

extern const wac_mpi_table wac_mpi_table_v1;
__attribute__((visibility("default"))) const wac_mpi_table wac_mpi_table_v1 = {
    .start = start,
    .send = send_bytes,
    .receive = receive_bytes,
    .end = end,
};
