/* Runs in lockstep: each becomes what it is alone, whoever else has a seat, however many threads
 * share them out, whether evaluations come before or beside the updates, and however often all of
 * it is stopped or killed. And checkpoints with and without a replay. */
#include "support/small_runs.h"

#include "base/clock.h"
#include "run/checkpoint.h"
#include "run/folder.h"
#include "run/lockstep.h"
#include "run/run.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { MOST = 5 };

typedef struct group {
    int count, threads;
    bool apart;
    const volatile int *stop;
    wac_lockstep_watch *watch;
    wac_config configs[MOST];
    const char *folders[MOST];
    wac_status statuses[MOST];
    wac_error errors[MOST];
} group;

static void note_end(void *user, int number, wac_run *run, wac_status status,
                     const wac_error *failure)
{
    group *group = user;
    group->statuses[number] = status;
    group->errors[number] = *failure;
    wac_run_destroy(run);
}

/* Start what is not there, go on with what is. */
static void train_group(group *group)
{
    wac_run *runs[MOST];
    wac_config configs[MOST];
    wac_agent *agent;
    wac_pool *pool = NULL;
    wac_run_options options = wac_run_options_default();
    options.stop = group->stop;
    for (int i = 0; i < group->count; i++) {
        bool there = wac_path_exists(group->folders[i]);
        const wac_config *config = &group->configs[i];
        assert_ok(wac_run_prepare(&runs[i], there ? NULL : config, type_of(config->environment),
                                  group->folders[i], &options, 0, &error));
        configs[i] = runs[i]->config;
    }
    wac_agent_plan plan = {.configs = configs,
                           .seats = group->count,
                           .observations = 1,
                           .actions = 1,
                           .threads = group->threads,
                           .first_cpu = -1};
    assert_ok(wac_agent_create_seats(&agent, &plan, &error));
    for (int i = 0; i < group->count; i++)
        assert_ok(wac_run_sit(runs[i], agent, i, &error));
    if (group->threads > 1)
        assert_ok(wac_pool_create(&pool, group->threads - 1, &error));
    wac_lockstep_train(&(wac_lockstep){.runs = runs,
                                       .count = group->count,
                                       .pool = pool,
                                       .apart = group->apart,
                                       .ended = note_end,
                                       .user = group,
                                       .watch = group->watch});
    wac_pool_destroy(pool);
    wac_agent_destroy(agent);
}

/* Four runs that differ in all that they may. */
static group make_group(const char *algorithm, int64_t epochs)
{
    static const char *const folders[] = {"a", "b", "c", "d"};
    static const char *const environments[] = {"lqg", "riverswim", "lqg", "walk"};
    group group = {.count = 4, .threads = 1};
    for (int i = 0; i < group.count; i++) {
        wac_config *config = &group.configs[i];
        *config = tiny(environments[i], algorithm, epochs + i % 2);
        config->seed = 1 + i;
        config->updates = 7 + 4 * ((i + 1) % 3); /* neither the first nor the last has most */
        config->explore_steps = 40 - 7 * i;
        config->learning_rate = 1e-3 / (1 + i);
        config->checkpoint_interval = 1 + i / 2;
        config->update_interval = (int[]){0, 1, 5, 30}[i];
        if (config->algorithm == WAC_ALGORITHM_TOP && i == 0)
            config->optimism_high = config->optimism_low; /* nothing is judged */
        config->normalisation = i == 2 ? WAC_NORMALISATION_RUNNING : WAC_NORMALISATION_BOUNDS;
        config->rho = 0.25 * i;
        config->stop_success = i == 3 ? 1 : 0;
        group.folders[i] = strdup(at("%s", folders[i]));
    }
    return group;
}

static void end_group(group *group)
{
    for (int i = 0; i < group->count; i++)
        free((char *)group->folders[i]);
}

/* The same alone, in folders alone-0, … */
static void train_alone(const group *group)
{
    for (int i = 0; i < group->count; i++)
        assert_ok(train_new(at("alone-%d", i), &group->configs[i], NULL));
}

/* Compared, and gone. */
static void assert_as_alone(group *group)
{
    for (int i = 0; i < group->count; i++) {
        assert_int_equal(group->statuses[i], WAC_STATUS_OK);
        assert_same_runs(at("alone-%d", i), group->folders[i]);
        assert_true(manifest_of(group->folders[i]).finished);
        remove_folder(group->folders[i]);
    }
}

static void together_as_alone(void **state)
{
    (void)state;
    for (int a = 0; a < ALGORITHMS; a++) {
        group group = make_group(algorithms[a], 3);
        train_alone(&group);
        for (group.threads = 1; group.threads <= 3; group.threads++)
            for (int apart = 0; apart < 2; apart++) {
                group.apart = apart;
                train_group(&group);
                assert_as_alone(&group);
            }
        for (int i = 0; i < group.count; i++)
            remove_folder(at("alone-%d", i));
        end_group(&group);
    }
}

/* A device apart may train one run, too. */
static void alone_beside_its_updates(void **state)
{
    (void)state;
    group group = make_group("oe-wac", 3);
    train_alone(&group);
    group.apart = true;
    for (int i = 0; i < group.count; i++) {
        struct group one = {.count = 1, .threads = 1, .apart = true};
        one.configs[0] = group.configs[i];
        one.folders[0] = group.folders[i];
        train_group(&one);
        group.statuses[i] = one.statuses[0];
    }
    assert_as_alone(&group);
    end_group(&group);
}

/* --- stopping --------------------------------------------------------------------------------- */

static volatile int stop;

static void raise_stop(int number)
{
    (void)number;
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
}

/* Below zero: not at all. */
static void stop_after(double seconds)
{
    struct itimerval timer = {0};
    if (seconds >= 0)
        timer.it_value =
            (struct timeval){(time_t)seconds, 1 + (suseconds_t)(999998 * fmod(seconds, 1))};
    signal(SIGALRM, raise_stop);
    stop = 0;
    assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
}

static bool all_done(const group *group)
{
    bool done = true;
    for (int i = 0; i < group->count; i++)
        done = done && group->statuses[i] == WAC_STATUS_OK;
    return done;
}

/* Stopped at random moments, until it is done: then each for itself, or all together. */
static void stopped_and_resumed(void **state)
{
    (void)state;
    enum { STOPS = 40 };
    wac_rng rng = {.seed = 5};
    double longest = 0.02;
    int stops = 0;
    group group = make_group("oe-wac", 6);
    train_alone(&group);
    group.stop = &stop;
    for (int round = 0; stops < STOPS; round++) {
        group.apart = round % 2;
        group.threads = 1 + round % 3;
        double patience = longest;
        for (bool done = false; !done; patience *= 1.2) {
            stop_after(patience * wac_rng_uniform(&rng));
            train_group(&group);
            stop_after(-1);
            done = all_done(&group);
            for (int i = 0; i < group.count; i++)
                if (group.statuses[i] != WAC_STATUS_OK)
                    assert_int_equal(group.statuses[i], WAC_STATUS_INTERRUPTED);
            stops += !done;
            if (!done && round % 4 == 3) {
                /* one goes on by itself and is done when the others join it */
                assert_ok(train_on(group.folders[0], group.configs[0].environment, NULL, 0));
            }
        }
        assert_as_alone(&group);
        longest = stops > round ? longest : longest / 2;
    }
    end_group(&group);
}

/* At chosen steps of a world: between and within explorations and evaluations. */
static void stopped_at_every_phase(void **state)
{
    (void)state;
    group group = make_group("sac", 2);
    group.configs[3].stop_success = 0;
    train_alone(&group);
    group.stop = &stop;
    walk_order.stop = &stop;
    for (long step = 1; step < 300; step += 13) {
        group.apart = step % 2;
        stop = 0;
        walk_order.step = 0;
        walk_order.fault_step = step;
        train_group(&group);
        assert_false(all_done(&group));
        stop = 0;
        walk_order.fault_step = 0;
        train_group(&group);
        assert_as_alone(&group);
    }
    end_group(&group);
}

static void killed_at_random_moments(void **state)
{
    (void)state;
    enum { KILLS = 20 };
    wac_rng rng = {.seed = 6};
    double longest = 0.03;
    group group = make_group("oac", 5);
    train_alone(&group);
    for (int kills = 0; kills < KILLS;) {
        for (int i = 0; i < 4; i++) {
            group.apart = i % 2;
            pid_t child = fork();
            if (child == 0) {
                train_group(&group);
                _exit(0);
            }
            usleep((useconds_t)(1e6 * longest * wac_rng_uniform(&rng)));
            kill(child, SIGKILL);
            int status;
            assert_int_equal(waitpid(child, &status, 0), child);
            kills += WIFSIGNALED(status);
            longest = WIFSIGNALED(status) ? longest : longest / 2 + 0.001;
        }
        group.threads = 1 + kills % 3;
        train_group(&group);
        assert_as_alone(&group);
    }
    end_group(&group);
}

/* --- failing ---------------------------------------------------------------------------------- */

/* What the last run of the group does alone, it does in company, and nobody else cares. */
static void assert_fails_alone(group *group, struct walk_order order, wac_status status)
{
    int last = group->count - 1;
    for (int apart = 0; apart < 2; apart++) {
        group->apart = apart;
        walk_order = order;
        assert_int_equal(train_new(at("failed"), &group->configs[last], NULL), status);
        wac_error alone = error;
        walk_order = order;
        train_group(group);
        assert_int_equal(group->statuses[last], status);
        assert_string_equal(group->errors[last].message, alone.message);
        assert_true(same_file(at("failed/progress.csv"), at("d/progress.csv"), true));
        assert_true(manifest_of(at("d")).diverged == (status == WAC_STATUS_NUMERIC));
        remove_folder(at("failed"));
        remove_folder(at("d"));
        group->count--;
        assert_as_alone(group);
        group->count++;
    }
}

static void a_run_that_fails_leaves_the_others(void **state)
{
    (void)state;
    struct walk_order good = walk_order, order = good;
    group group = make_group("oe-wac", 4);
    group.configs[3].stop_success = 0;
    train_alone(&group);

    /* rewards that no loss can hold */
    order.reward = 1e38;
    assert_fails_alone(&group, order, WAC_STATUS_NUMERIC);

    order = good;
    order.fails = WAC_STATUS_IO;
    order.message = "it rains";
    order.fault_step = 35; /* in the first exploration, … */
    group.configs[3].initial_steps = 40;
    assert_fails_alone(&group, order, WAC_STATUS_IO);
    order.fault_step = 45; /* … or in that of the first epoch */
    group.configs[3].evaluation_steps = 0;
    assert_fails_alone(&group, order, WAC_STATUS_IO);
    walk_order = good;
    end_group(&group);
}

/* --- checkpoints without a replay --------------------------------------------------------------
 */

static bool has_replay(const char *directory)
{
    char folder[PATH_MAX];
    assert_true(wac_folder_find_checkpoint(folder, directory));
    return wac_folder_has(folder, WAC_FOLDER_REPLAY);
}

static void replays_are_kept_as_asked(void **state)
{
    (void)state;
    static const char *const names[] = {"all", "last", "none"};
    wac_config config = tiny("walk", "oe-wac", 3);
    assert_ok(train_new(at("whole"), &config, NULL));
    for (int choice = WAC_REPLAY_CHECKPOINT_LAST; choice <= WAC_REPLAY_CHECKPOINT_NONE; choice++) {
        bool none = choice == WAC_REPLAY_CHECKPOINT_NONE;
        const char *folder = strdup(at("%s", names[choice]));
        config.replay_checkpoint = choice;
        assert_ok(train_new(folder, &config, NULL));
        assert_true(has_replay(folder) == !none);
        assert_ok(wac_folder_check_finished(folder, &config, &error));
        for (int i = 0; i < 3; i++) {
            static const char *const files[] = {"progress.csv", "checkpoint/run.safetensors",
                                                "checkpoint/agent.safetensors"};
            char other[PATH_MAX];
            assert_ok(wac_path_join(other, sizeof other, folder, files[i], &error));
            assert_true(i == 1 ? same_arrays(at("whole/%s", files[i]), other)
                               : same_file(at("whole/%s", files[i]), other, i == 0));
        }
        /* it can be looked at, and asked for nothing more; asked for more, it may not go on */
        wac_run *run;
        assert_ok(wac_run_open(&run, folder, &walk, NULL, &error));
        assert_true(run->lacks_replay == none);
        wac_run_destroy(run);
        assert_ok(train_on(folder, "walk", NULL, 0));
        assert_true(wac_checkpoint_goes_on(folder, 3) && wac_checkpoint_goes_on(folder, 4) != none);
        assert_int_equal(train_on(folder, "walk", NULL, 4), none ? WAC_STATUS_INPUT : 0);
        if (none)
            assert_message(WAC_STATUS_INPUT, folder, "holds no replay");
        free((char *)folder);
    }
}

/* Saved when it is stopped, not when it is cut off. */
static void a_run_without_replay_begins_anew(void **state)
{
    (void)state;
    struct walk_order good = walk_order;
    wac_run_options options = wac_run_options_default();
    wac_config config = tiny("walk", "sac", 3);
    options.stop = &stop;
    config.replay_checkpoint = WAC_REPLAY_CHECKPOINT_LAST;
    assert_ok(train_new(at("whole"), &config, NULL));
    walk_order.fault_step = 200;
    walk_order.stop = &stop;
    assert_int_equal(train_new(at("stopped"), &config, &options), WAC_STATUS_INTERRUPTED);
    walk_order = good;
    stop = 0;
    assert_true(has_replay(at("stopped")) && wac_checkpoint_goes_on(at("stopped"), 3));
    assert_ok(train_on(at("stopped"), "walk", NULL, 0));
    assert_same_runs(at("whole"), at("stopped"));

    walk_order.fault_step = 200;
    walk_order.fails = WAC_STATUS_IO;
    assert_int_equal(train_new(at("cut"), &config, NULL), WAC_STATUS_IO);
    walk_order = good;
    assert_true(!has_replay(at("cut")) && !wac_checkpoint_goes_on(at("cut"), 3));
    assert_int_equal(train_on(at("cut"), "walk", NULL, 0), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("cut"), "train it again: wac train --config");

    /* one that is robbed of its replay is damaged, and nothing else */
    config.replay_checkpoint = WAC_REPLAY_CHECKPOINT_ALL;
    assert_ok(train_new(at("robbed"), &config, NULL));
    assert_int_equal(unlink(at("robbed/checkpoint/replay.safetensors")), 0);
    wac_run *run;
    assert_int_equal(wac_run_open(&run, at("robbed"), &walk, NULL, &error), WAC_STATUS_INPUT);
    assert_message(WAC_STATUS_INPUT, at("robbed/checkpoint/replay.safetensors"), "has lost a file");
    assert_true(wac_checkpoint_goes_on(at("robbed"), 3));
}

/* Whose updates are done rests while others go on, the first one, too. */
static void who_has_learnt_rests(void **state)
{
    (void)state;
    group group = {.count = 2, .threads = 1};
    for (int i = 0; i < 2; i++) {
        group.configs[i] = tiny("lqg", "sac", 2);
        group.configs[i].updates = 3 + 6 * i;
        group.folders[i] = strdup(at("%d", i));
    }
    train_alone(&group);
    train_group(&group);
    assert_as_alone(&group);
    end_group(&group);
}

/* A run that is gone leaves a seat that nobody takes. */
static void a_seat_becomes_free(void **state)
{
    (void)state;
    wac_config configs[2];
    wac_run *runs[2];
    wac_agent *agent;
    for (int i = 0; i < 2; i++) {
        configs[i] = tiny("lqg", "sac", 1);
        assert_ok(wac_run_prepare(&runs[i], &configs[i], NULL, at("%d", i), NULL, 0, &error));
    }
    wac_agent_plan plan = {.configs = configs,
                           .seats = 2,
                           .observations = 1,
                           .actions = 1,
                           .threads = 1,
                           .first_cpu = -1};
    assert_ok(wac_agent_create_seats(&agent, &plan, &error));
    for (int i = 0; i < 2; i++)
        assert_ok(wac_run_sit(runs[i], agent, i, &error));
    for (int i = 0; i < 2; i++) {
        assert_true(agent->seat[i].active && agent->seat[i].drawn);
        wac_run_destroy(runs[i]);
        assert_true(!agent->seat[i].active && !agent->seat[i].drawn);
    }
    wac_agent_destroy(agent);
}

/* A place that nobody takes is passed over. */
static void places_may_be_empty(void **state)
{
    (void)state;
    group group = make_group("sac", 1);
    wac_run *runs[2] = {NULL};
    assert_ok(wac_run_create(&runs[1], &group.configs[0], NULL, at("run"), NULL, &error));
    group.statuses[0] = group.statuses[1] = WAC_STATUS_IO;
    wac_lockstep_train(
        &(wac_lockstep){.runs = runs, .count = 2, .ended = note_end, .user = &group});
    assert_int_equal(group.statuses[0], WAC_STATUS_IO); /* nobody ended */
    assert_int_equal(group.statuses[1], WAC_STATUS_OK);
    assert_ok(train_new(at("alone"), &group.configs[0], NULL));
    assert_same_runs(at("alone"), at("run"));
    end_group(&group);
}

static void count_round(void *user, const wac_lockstep *all)
{
    (void)all;
    ++*(int *)user;
}

/* What the parts are said to have taken is time of the call, and no more than that. */
static void parts_add_up_to_the_whole(void **state)
{
    (void)state;
    int rounds = 0;
    wac_lockstep_watch watch = {.round = count_round, .user = &rounds};
    group group = make_group("sac", 2);
    group.watch = &watch;
    double start = wac_clock_seconds(), sum = 0;
    train_group(&group);
    double whole = wac_clock_seconds() - start;
    for (int part = 0; part < WAC_LOCKSTEP_PARTS; part++) {
        assert_true(watch.spent[part] >= 0);
        sum += watch.spent[part];
    }
    assert_true(rounds >= 3); /* epochs 0 to 2 at least */
    static const wac_lockstep_part always[] = {WAC_LOCKSTEP_EXPLORE, WAC_LOCKSTEP_EVALUATE,
                                               WAC_LOCKSTEP_WAIT, WAC_LOCKSTEP_END};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        assert_true(watch.spent[always[i]] > 0);
    assert_true(sum > 0 && sum <= whole);
    end_group(&group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(together_as_alone),         TEST(alone_beside_its_updates),
        TEST(stopped_and_resumed),       TEST(stopped_at_every_phase),
        TEST(killed_at_random_moments),  TEST(a_run_that_fails_leaves_the_others),
        TEST(replays_are_kept_as_asked), TEST(a_run_without_replay_begins_anew),
        TEST(parts_add_up_to_the_whole), TEST(places_may_be_empty),
        TEST(who_has_learnt_rests),      TEST(a_seat_becomes_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
