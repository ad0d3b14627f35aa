/* The check of worlds: one is right, the library's are, and each mistake that can be made in it is
 * found, alone, and named. */
#include "support/small_runs.h"

#include "env/check.h"
#include "wac/env.h"

/* --- a world with a mistake to order ------------------------------------------------------------
 */

/* A point in a box is pushed about, and loses a little of its speed with every push. */
typedef struct box {
    double place, speed, pushes;
    double *heap; /* what destroy must free */
} box;

static struct {
    bool unseeded, copied, clock, forgetful, shared;
    bool unsaved, saves_more, saves_less, moves_on_save, swaps, refuses_load, needs_reset;
    bool writes_more, writes_less, nan, infinite;
    bool fails, fails_silently, truncates, time_limit, hidden_goal, wide, seldom_wide, dear;
    bool once; /* can be made only so often */
    bool short_lived;
} order;

static double shared;
static int alive, made;
static uint32_t chance; /* the state of a generator that nobody seeds */

static double own_chance(void)
{
    return (double)((chance = chance * 1664525 + 1013904223) >> 8) / (1 << 24);
}

static wac_status box_create(void **world, wac_environment_spec *spec, const wac_config *config,
                             wac_error *failure)
{
    (void)config;
    if (order.once && made >= 2)
        return wac_fail(failure, WAC_STATUS_IO, "the port is in use");
    if (order.clock)
        chance = 7; /* srand(time(NULL)), twice in a second */
    spec->observation_size = 2;
    spec->action_size = 1;
    spec->state_size = order.unsaved ? 2 : 3;
    for (int i = 0; i < 2; i++) {
        spec->observation_low[i] = -10;
        spec->observation_high[i] = 10;
    }
    if (order.wide)
        spec->observation_low[1] = -0.1, spec->observation_high[1] = 0.1;
    if (order.seldom_wide)
        spec->observation_low[0] = -2.05;
    spec->action_low[0] = -2;
    spec->action_high[0] = 1;
    spec->has_goal = !order.hidden_goal;
    box *self = calloc(1, sizeof *self);
    self->heap = calloc(1, sizeof *self->heap);
    alive++, made++;
    *world = self;
    return WAC_STATUS_OK;
}

static void box_destroy(void *world)
{
    free(((box *)world)->heap);
    free(world);
    alive--;
}

static void look(const box *self, double *observation)
{
    observation[0] = self->place;
    if (!order.writes_less)
        observation[1] = self->speed;
    if (order.writes_more)
        observation[2] = self->pushes;
}

static wac_status box_reset(void *world, wac_rng *rng, double *observation, wac_error *failure)
{
    (void)failure;
    box *self = world;
    wac_rng copy = *rng;
    self->place = order.unseeded || order.clock ? own_chance()
                  : order.copied                ? wac_rng_uniform(&copy)
                                                : wac_rng_uniform(rng);
    self->speed = 0;
    if (!order.forgetful)
        self->pushes = 0;
    if (order.needs_reset)
        *self->heap = 1;
    if (order.shared)
        shared = 0;
    look(self, observation);
    return WAC_STATUS_OK;
}

static wac_status box_step(void *world, wac_rng *rng, const double *action, double *observation,
                           wac_step *step, wac_error *failure)
{
    box *self = world;
    assert_true(action[0] >= -2 && action[0] <= 1);
    self->pushes++;
    shared += 0.01;
    self->speed = 0.9 * self->speed + 0.1 * action[0] / (1 + 0.01 * self->pushes) +
                  0.01 * wac_rng_normal(rng);
    if (order.shared)
        self->speed += shared;
    if (order.needs_reset && *self->heap != 1)
        self->speed = 0;
    self->place = fmax(-4, fmin(4, self->place + 0.1 * self->speed));
    step->reward = order.dear ? -3.14159 * (1 + self->place / 8) : -0.1 * fabs(self->place);
    step->terminated = order.time_limit    ? self->pushes >= 20
                       : order.short_lived ? true
                                           : self->place <= -2;
    step->truncated = order.truncates && self->pushes >= 20;
    step->success = self->place > 1;
    look(self, observation);
    if (order.nan && self->pushes == 5)
        observation[1] = NAN;
    if (order.infinite && self->pushes == 5)
        step->reward = -1e300;
    if (order.fails && self->pushes == 5)
        return wac_fail(failure, WAC_STATUS_IO, "the wheel came off");
    return order.fails_silently && self->pushes == 5 ? WAC_STATUS_IO : WAC_STATUS_OK;
}

static void box_save(const void *world, double *state)
{
    const box *self = world;
    state[0] = self->place;
    state[1] = self->speed;
    if (!order.unsaved && !order.saves_less)
        state[2] = self->pushes;
    if (order.saves_more)
        state[3] = 1;
    if (order.moves_on_save)
        ((box *)(uintptr_t)world)->speed += 1e-12;
}

static wac_status box_load(void *world, const double *state, wac_error *failure)
{
    box *self = world;
    if (order.refuses_load)
        return wac_fail(failure, WAC_STATUS_INPUT, "no such place");
    self->place = state[order.swaps];
    self->speed = state[!order.swaps];
    if (!order.unsaved)
        self->pushes = state[2];
    return WAC_STATUS_OK;
}

static const wac_environment_type box_type = {
    .name = "box",
    .create = box_create,
    .destroy = box_destroy,
    .reset = box_reset,
    .step = box_step,
    .save = box_save,
    .load = box_load,
};

/* --- how it is checked --------------------------------------------------------------------------
 */

static wac_check report;

static void check(const wac_environment_type *type, const wac_config *config)
{
    assert_ok(wac_check_world(&report, type, config, 2000, &error));
    for (int i = 0; i < WAC_CHECK_TOTAL; i++) {
        const char *text = report.findings[i].text;
        assert_true(*text && !strchr(text, '\n') && strlen(text) < 800);
    }
}

static void check_box(void)
{
    wac_config config = tiny("box", "oe-wac", 1);
    config.path_limit = 100;
    chance = 1;
    made = 0;
    check(&box_type, &config);
    assert_int_equal(alive, 0);
    memset(&order, 0, sizeof order);
}

static void print_report(void)
{
    for (int i = 0; i < WAC_CHECK_TOTAL; i++)
        print_message("%d %s: %s\n", report.findings[i].verdict, report.findings[i].subject,
                      report.findings[i].text);
}

/* Nothing but this was found, and it is said with these words. */
static void assert_only(wac_check_subject subject, wac_verdict verdict, const char *one,
                        const char *other)
{
    const wac_finding *finding = &report.findings[subject];
    int others = wac_check_count(&report, WAC_VERDICT_MISTAKE) +
                 wac_check_count(&report, WAC_VERDICT_NOTE) - 1;
    if (finding->verdict != verdict || others || !strstr(finding->text, one) ||
        !strstr(finding->text, other)) {
        print_report();
        fail_msg("expected %d of %s: %s … %s", verdict, finding->subject, one, other);
    }
}

static void assert_mistake(wac_check_subject subject, const char *one, const char *other)
{
    check_box();
    assert_only(subject, WAC_VERDICT_MISTAKE, one, other);
}

static void assert_note(wac_check_subject subject, const char *one, const char *other)
{
    check_box();
    assert_only(subject, WAC_VERDICT_NOTE, one, other);
    assert_int_equal(wac_check_count(&report, WAC_VERDICT_OPEN), 0);
}

/* --- tests ---------------------------------------------------------------------------------- */

static void a_good_world_is_fine(void **state)
{
    (void)state;
    static const char *const subjects[] = {"steps", "sizes", "numbers", "bounds", "seed",
                                           "reset", "apart", "state",   "ends",   "rewards"};
    check_box();
    if (wac_check_count(&report, WAC_VERDICT_FINE) != WAC_CHECK_TOTAL) {
        print_report();
        fail();
    }
    for (int i = 0; i < WAC_CHECK_TOTAL; i++)
        assert_string_equal(report.findings[i].subject, subjects[i]);
    assert_true(report.steps >= 2000 && report.steps < 2100);
    assert_non_null(strstr(report.findings[WAC_CHECK_ENDS].text, "episodes ended by themselves"));
    /* where it can be said, it is said of the prior */
    assert_non_null(
        strstr(report.findings[WAC_CHECK_REWARDS].text, "within the prior, -0.5 to 0.5"));
    wac_config config = tiny("box", "sac", 1);
    check(&box_type, &config);
    assert_null(strstr(report.findings[WAC_CHECK_REWARDS].text, "prior"));
    order.short_lived = true;
    check_box();
    assert_int_equal(wac_check_count(&report, WAC_VERDICT_FINE), WAC_CHECK_TOTAL - 1);
    assert_non_null(strstr(report.findings[WAC_CHECK_ENDS].text, "terminated at its first step"));
    assert_non_null(strstr(report.findings[WAC_CHECK_STATE].text, "long enough"));
}

/* All that come with the library; what the paper's settings leave open are notes. */
static void the_librarys_worlds_are_fine(void **state)
{
    (void)state;
    const wac_environment_type *type;
    for (size_t i = 0; (type = wac_environment_type_at(i)); i++) {
        bool is_model = strncmp(type->name, "mujoco:", 7) == 0;
        const char *name =
            is_model ? "mujoco:" WAC_SOURCE_DIR "/models/examples/reacher.xml" : type->name;
        wac_config config;
        if (!WAC_MUJOCO && i > 1)
            break;
        assert_ok(wac_config_init(&config, name, NULL, &error));
        check(type, &config);
        if (wac_check_count(&report, WAC_VERDICT_MISTAKE) ||
            wac_check_count(&report, WAC_VERDICT_OPEN)) {
            print_report();
            fail_msg("%s", name);
        }
    }
}

static void chance_must_come_from_the_generator(void **state)
{
    (void)state;
    order.unseeded = true;
    assert_mistake(WAC_CHECK_SEED, "two worlds two stories: observation 0 after step 0 was",
                   "wac_rng_uniform");
    assert_int_equal(report.findings[WAC_CHECK_STATE].verdict, WAC_VERDICT_OPEN);
    order.clock = true;
    assert_mistake(WAC_CHECK_SEED, "two worlds two stories", "nor from the time");
    order.copied = true;
    assert_mistake(WAC_CHECK_SEED, "leaves its counter where it was", "not from a copy");
}

static void worlds_must_begin_anew_and_apart(void **state)
{
    (void)state;
    order.forgetful = true;
    assert_mistake(WAC_CHECK_RESET, "had been played in before: observation 0 after step 1",
                   "set everything in reset");
    order.shared = true;
    assert_mistake(WAC_CHECK_APART, "changes this one: observation", "static variables");
    order.once = true;
    assert_mistake(WAC_CHECK_STEPS, "now can not: the port is in use", "let destroy give back");
}

static void states_must_be_exact(void **state)
{
    (void)state;
    order.unsaved = true;
    assert_mistake(WAC_CHECK_STATE, "goes on otherwise from a state that was saved after step 1 ",
                   "save everything that the next step depends on");
    order.moves_on_save = true;
    assert_mistake(WAC_CHECK_STATE, "save changes the world that it saves", "must only read");
    order.swaps = true;
    assert_mistake(WAC_CHECK_STATE, "state[0] was saved as ", "in the same order");
    order.refuses_load = true;
    assert_mistake(WAC_CHECK_STATE, "load refuses what save wrote after step 1: ", "no such place");
    order.needs_reset = true;
    assert_mistake(WAC_CHECK_STATE, "goes on otherwise", "resumed");
    order.saves_more = true;
    assert_mistake(WAC_CHECK_SIZES, "save writes to state[3], and 3 entries", "state_size");
    order.saves_less = true;
    assert_mistake(WAC_CHECK_SIZES, "save does not write state[2]", "state_size");
}

static void arrays_and_numbers_must_be_right(void **state)
{
    (void)state;
    order.writes_more = true;
    assert_mistake(WAC_CHECK_SIZES, "reset writes to observation[2], and 2 entries",
                   "observation_size");
    order.writes_less = true;
    assert_mistake(WAC_CHECK_SIZES, "reset does not write observation[1]", "observation_size");
    order.nan = true;
    assert_mistake(WAC_CHECK_NUMBERS, "observation 1 is nan after step 5", "division by zero");
    order.infinite = true;
    assert_mistake(WAC_CHECK_NUMBERS, "the reward of step 5 of an episode is -1e+300", "finite");
    order.fails = true;
    assert_mistake(WAC_CHECK_STEPS, "step fails at step 5 of an episode: the wheel came off",
                   "terminated");
    order.fails_silently = true;
    assert_mistake(WAC_CHECK_STEPS, "it does not say why", "terminated");
    assert_int_equal(wac_check_count(&report, WAC_VERDICT_OPEN), WAC_CHECK_TOTAL - 1);
}

static void ends_must_be_what_they_are(void **state)
{
    (void)state;
    order.truncates = true;
    check_box();
    assert_non_null(strstr(report.findings[WAC_CHECK_ENDS].text, "truncated by the world itself"));
    assert_int_equal(report.findings[WAC_CHECK_ENDS].verdict, WAC_VERDICT_FINE);
    order.hidden_goal = true;
    assert_mistake(WAC_CHECK_ENDS, "reports a success", "has_goal");
    order.time_limit = true;
    assert_note(WAC_CHECK_ENDS, "is terminated at its step 20, whatever is done",
                "the setting path_limit (20)");
}

static void bounds_and_the_prior_must_hold_what_is_seen(void **state)
{
    (void)state;
    order.wide = true;
    assert_mistake(WAC_CHECK_BOUNDS, "observation 1 was from -",
                   "1 of 2 observations leave theirs");
    order.seldom_wide = true;
    assert_note(WAC_CHECK_BOUNDS, "and its bounds are -2.05 and 10 (out of them at ", "widen");
    order.dear = true;
    assert_note(WAC_CHECK_REWARDS, "and WAC's prior is -0.5 to 0.5", "--reward-max 0.5 span");
    /* what is suggested is enough */
    const char *text = strstr(report.findings[WAC_CHECK_REWARDS].text, "--reward-min ");
    wac_config config = tiny("box", "oe-wac", 1);
    config.path_limit = 100;
    config.reward_min = atof(text + strlen("--reward-min "));
    order.dear = true;
    check(&box_type, &config);
    assert_int_equal(wac_check_count(&report, WAC_VERDICT_FINE), WAC_CHECK_TOTAL);
    /* and where nothing was said before */
    config.reward_min = config.reward_max = 0;
    check(&box_type, &config);
    assert_non_null(
        strstr(report.findings[WAC_CHECK_REWARDS].text, "WAC must be told what they can be"));
    config.reward_min = -9;
    config.reward_max = 9;
    /* bounds are nobody's business with running normalisation */
    memset(&order, 0, sizeof order);
    order.wide = true;
    config.normalisation = WAC_NORMALISATION_RUNNING;
    check(&box_type, &config);
    assert_int_equal(wac_check_count(&report, WAC_VERDICT_FINE), WAC_CHECK_TOTAL);
    /* nor with none */
    assert_int_equal(wac_config_init(&config, "box", "sac", &error), WAC_STATUS_OK);
    config.normalisation = WAC_NORMALISATION_NONE;
    check(&box_type, &config);
    assert_string_equal(report.findings[WAC_CHECK_BOUNDS].text,
                        "those of observations do not matter with normalisation none");
    memset(&order, 0, sizeof order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_good_world_is_fine),
        TEST(the_librarys_worlds_are_fine),
        TEST(chance_must_come_from_the_generator),
        TEST(worlds_must_begin_anew_and_apart),
        TEST(states_must_be_exact),
        TEST(arrays_and_numbers_must_be_right),
        TEST(ends_must_be_what_they_are),
        TEST(bounds_and_the_prior_must_hold_what_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
