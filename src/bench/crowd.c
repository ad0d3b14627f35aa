/* A team whose members update an agent each, from the beginning of a round until its time is up. */
#include "bench/crowd.h"

#include "base/clock.h"
#include "base/status.h"
#include "base/threads.h"

#include <stdlib.h>

typedef struct person {
    wac_agent *agent;
    double seconds, rate; /* of a round */
    wac_error error;
} person;

static void update(void *work, int number)
{
    person *person = &((struct person *)work)[number];
    wac_losses losses;
    double start = wac_clock_seconds(), now;
    int64_t updates = 0;
    do {
        if (person->error.status == WAC_STATUS_OK)
            (void)wac_agent_update(person->agent, &losses, &person->error);
        updates++;
        now = wac_clock_seconds();
    } while (now - start < person->seconds);
    person->rate = (double)updates / (now - start);
}

static wac_status measure(wac_bench_rounds *rate, wac_team *team, person *people, int count,
                          wac_error *error)
{
    double rounds[WAC_BENCH_ROUNDS] = {0};
    /* the first round warms up */
    for (int round = -1; round < WAC_BENCH_ROUNDS; round++) {
        wac_team_run(team, update, people, count);
        for (int i = 0; i < count; i++) {
            if (people[i].error.status != WAC_STATUS_OK)
                return wac_fail(error, people[i].error.status, "%s", people[i].error.message);
            if (round >= 0)
                rounds[round] += people[i].rate;
        }
    }
    *rate = wac_bench_summarise(rounds);
    return WAC_STATUS_OK;
}

wac_status wac_bench_crowd(wac_bench_rounds *rate, const wac_bench_case *bench, int runs,
                           double round_seconds, wac_error *error)
{
    wac_team *team = NULL;
    wac_bench_case alone = *bench;
    person *people = calloc((size_t)runs, sizeof *people);
    if (!people)
        return wac_fail_memory(error, "the runs");
    alone.threads = 1;
    /* first, since agents pin whoever makes them */
    wac_status status = wac_team_create(&team, runs, 0, error);
    for (int i = 0; i < runs && status == WAC_STATUS_OK; i++) {
        people[i].seconds = round_seconds;
        status = wac_bench_agent(&people[i].agent, &alone, error);
    }
    if (status == WAC_STATUS_OK)
        status = measure(rate, team, people, runs, error);
    for (int i = 0; i < runs; i++)
        wac_agent_destroy(people[i].agent);
    wac_team_destroy(team);
    free(people);
    return status;
}
