/* Several worlds feed one agent; worlds that step together, or begin by themselves; the prior on
 * rewards, asked for and measured. */
#include "support/small_runs.h"

#include "base/files.h"
#include "config/config.h"
#include "run/run.h"

enum { OBSERVATION, ACTION, REWARD, NEXT, TERMINAL, RECORD };

/* The transitions of the run at("run"), [count][RECORD]. */
static const float *records_of(wac_tensor_file **file, int count)
{
    assert_ok(wac_tensor_file_open(file, at("run/checkpoint/replay.safetensors"), &error));
    const wac_tensor *records = wac_tensor_file_find(*file, "replay/records");
    assert_non_null(records);
    assert_int_equal(records->shape[0], count);
    assert_int_equal(records->shape[1], RECORD);
    return records->data;
}

/* 30 steps, then 40, of three walks in turn: whole rounds, and of the last only what is wanted. */
static void walks_take_turns(void **state)
{
    (void)state;
    enum { WORLDS = 3, STEPS = 70, FIRST = 30 };
    wac_config config = tiny("walk", "sac", 1);
    config.worlds = WORLDS;
    walk_order.stride = 3;
    assert_ok(train_new(at("run"), &config, NULL));
    wac_tensor_file *file;
    const float *all = records_of(&file, STEPS);
    int length[WORLDS] = {0}, ends = 0;
    for (int i = 0; i < STEPS; i++) {
        int walk = i < FIRST ? i % WORLDS : (i - FIRST) % WORLDS;
        const float *record = all + (ptrdiff_t)i * RECORD;
        bool last = i + WORLDS >= (i < FIRST ? FIRST : STEPS);
        bool over = record[TERMINAL] == 1 || ++length[walk] == 25 || last;
        ends += record[TERMINAL] == 1;
        if (over)
            length[walk] = 0;
        else
            assert_true(record[NEXT] == record[WORLDS * RECORD + OBSERVATION]);
        /* each has chances of its own */
        if (i < WORLDS - 1 || (i >= FIRST && i < FIRST + WORLDS - 1))
            assert_true(record[OBSERVATION] != record[RECORD + OBSERVATION]);
    }
    assert_true(ends > 0);
    wac_tensor_file_close(file);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    wac_config config = tiny("walk", "oe-wac", 2);
    config.worlds = 5;
    config.update_interval = 7;
    assert_ok(train_new(at("one"), &config, NULL));
    for (int threads = 2; threads < 5; threads++) {
        wac_run_options options = with_threads(threads);
        assert_ok(train_new(at("more"), &config, &options));
        assert_same_runs(at("one"), at("more"));
        remove_folder(at("more"));
    }
}

/* --- worlds that step together ---------------------------------------------------------------- */

/* Each shows how many steps all of them have done; none may step before all were sent an action.
 * After a truncated one the next step is none. */
static struct {
    int worlds, sent, stepped, begun;
} band;

typedef struct player {
    double action;
    int steps;
    bool begins;
} player;

static wac_status band_create(void **world, wac_environment_spec *spec, const wac_config *config,
                              wac_error *failure)
{
    (void)config;
    *world = calloc(1, sizeof(player));
    band.worlds++;
    *spec = (wac_environment_spec){.observation_size = 1, .action_size = 1};
    spec->observation_low[0] = spec->action_low[0] = -1;
    spec->observation_high[0] = 10;
    spec->action_high[0] = 1;
    return *world ? WAC_STATUS_OK : wac_fail_memory(failure, "the player");
}

static wac_status band_reset(void *world, wac_rng *rng, double *observation, wac_error *failure)
{
    player *self = world;
    (void)rng, (void)failure;
    self->begins = self->steps == 4; /* not yet: with the next step */
    *observation = self->begins ? 4 : 0;
    self->steps = 0;
    return WAC_STATUS_OK;
}

static void band_send(void *world, const double *action)
{
    ((player *)world)->action = *action;
    band.sent++;
}

static wac_status band_step(void *world, wac_rng *rng, const double *action, double *observation,
                            wac_step *step, wac_error *failure)
{
    player *self = world;
    (void)rng, (void)failure;
    if (band.stepped++ % 3 == 0)
        assert_int_equal(band.sent, band.stepped + 2);
    assert_true(self->action == *action);
    step->begins = self->begins;
    band.begun += self->begins;
    self->steps += !self->begins;
    self->begins = false;
    *observation = self->steps;
    step->reward = self->steps;
    step->truncated = self->steps == 4;
    return WAC_STATUS_OK;
}

static void worlds_may_step_together_and_begin_by_themselves(void **state)
{
    (void)state;
    static const wac_environment_type type = {.name = "band",
                                              .create = band_create,
                                              .destroy = free,
                                              .reset = band_reset,
                                              .step = band_step,
                                              .send = band_send};
    wac_config config = tiny("band", "sac", 1);
    config.worlds = 3;
    config.evaluation_steps = 0;
    wac_run *run;
    assert_ok(wac_run_create(&run, &config, &type, at("run"), NULL, &error));
    assert_ok(wac_run_train(run, &error));
    wac_run_destroy(run);
    assert_int_equal(band.worlds, 4);
    assert_true(band.begun > 0);
    wac_tensor_file *file;
    const float *all = records_of(&file, 70);
    for (int i = 0; i < 70; i++) {
        /* from 0 to 1, 1 to 2, 2 to 3, 3 to 4; never from 4 back, and no truncated one is terminal
         */
        const float *record = all + (ptrdiff_t)i * RECORD;
        double before = (double)(record[OBSERVATION] + 1) / 2 * 11 - 1;
        double after = (double)(record[NEXT] + 1) / 2 * 11 - 1;
        assert_true(fabs(after - before - 1) < 1e-5 && after < 4.5);
        assert_true(fabs(after - (double)record[REWARD]) < 1e-5 && record[TERMINAL] == 0);
    }
    wac_tensor_file_close(file);
}

/* --- the prior -------------------------------------------------------------------------------- */

static void the_prior_of_guests_is_asked_for(void **state)
{
    (void)state;
    wac_run *run = NULL;
    wac_config config;
    assert_ok(wac_config_init(&config, "gym:Walk-v0", "me-wac", &error));
    assert_true(config.reward_min == 0 && config.reward_max == 0);
    assert_ok(wac_config_check(&config, &error));
    walk_order.stride = 0.6;
    walk_order.reward = -10;
    assert_int_equal(wac_run_create(&run, &config, &walk, at("run"), NULL, &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "1000 random steps brought -"));
    assert_non_null(strstr(error.message, "reward_prior to measured"));
    walk_order.reward = 0;
    assert_int_equal(wac_run_create(&run, &config, &walk, at("run"), NULL, &error),
                     WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "brought nothing but 0"));
    assert_false(wac_path_exists(at("run")));
    /* SAC does without, and an order that makes no sense is refused as ever */
    assert_ok(wac_config_init(&config, "gym:Walk-v0", "sac", &error));
    assert_ok(wac_run_create(&run, &config, &walk, at("run"), NULL, &error));
    wac_run_destroy(run);
    assert_ok(wac_config_init(&config, "gym:Walk-v0", "oe-wac", &error));
    config.reward_max = -1;
    assert_int_equal(wac_config_check(&config, &error), WAC_STATUS_INPUT);
}

static void the_prior_can_be_measured(void **state)
{
    (void)state;
    wac_config config = tiny("walk", "oe-wac", 2), there;
    config.reward_prior = WAC_REWARD_PRIOR_MEASURED;
    walk_order.reward = 3;
    assert_ok(train_new(at("run"), &config, NULL));
    assert_ok(wac_folder_read_config(&there, at("run"), &error));
    double least = INFINITY, most = -INFINITY;
    wac_tensor_file *file;
    const float *all = records_of(&file, 110);
    for (int i = 0; i < 30; i++) {
        least = fmin(least, (double)all[i * RECORD + REWARD]);
        most = fmax(most, (double)all[i * RECORD + REWARD]);
    }
    wac_tensor_file_close(file);
    assert_true(there.reward_min == least && there.reward_max == most && least < most);
    assert_int_equal(there.reward_prior, WAC_REWARD_PRIOR_MEASURED);
    /* and all is as if it had been known */
    config.reward_prior = WAC_REWARD_PRIOR_GIVEN;
    config.reward_min = least;
    config.reward_max = most;
    assert_ok(train_new(at("known"), &config, NULL));
    char *texts[2];
    size_t sizes[2];
    for (int i = 0; i < 2; i++)
        assert_ok(wac_file_read(&texts[i], &sizes[i],
                                at("%s/checkpoint/agent.safetensors", i ? "known" : "run"), 1 << 30,
                                &error));
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(texts[0], texts[1], sizes[0]);
    free(texts[0]);
    free(texts[1]);
    /* where there is nothing to measure, it says so */
    config.reward_prior = WAC_REWARD_PRIOR_MEASURED;
    walk_order.reward = 0;
    assert_int_equal(train_new(at("flat"), &config, NULL), WAC_STATUS_INPUT);
    assert_non_null(strstr(error.message, "all 30 initial steps brought a reward of 0"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(walks_take_turns),
        TEST(threads_change_nothing),
        TEST(worlds_may_step_together_and_begin_by_themselves),
        TEST(the_prior_of_guests_is_asked_for),
        TEST(the_prior_can_be_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
