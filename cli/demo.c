/* wac demo: OE-WAC and SAC side by side, in a river or in a maze, then a picture and a verdict.
 *
 * The two runs are ordinary run folders, trained by a thread each. A thread only notes what its run
 * tells; the main thread draws. Whatever happens, calling the demo again goes on from there. */
#include "cli.h"
#include "demo_sight.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

#include "base/files.h"
#include "base/suggest.h"
#include "base/words.h"
#include "draw/demo.h"
#include "draw/render.h"
#include "nn/cpu/product.h"
#include "run/folder.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static const char help[] =
    "wac demo: see directed exploration at work\n"
    "\n"
    "Usage\n"
    "  wac demo [river|maze] [--out DIR] [--epochs N] [--seed N]\n"
    "\n"
    "Trains OE-WAC and SAC side by side and shows, on a terminal, where they go.\n"
    "Ends with a verdict and a picture, DIR/demo.png and DIR/demo.svg. Ctrl-C leaves\n"
    "everything whole; the same command goes on. Needs gnuplot.\n"
    "\n"
    "  river   RiverSwim: a crumb lies near, the prize far up the river. 30 epochs,\n"
    "          about 2 minutes on two free cores. The picture: learning curves, how\n"
    "          much and what both have visited, where OE-WAC is unsure.\n"
    "  maze    Point 2, a room with two walls across: 40 epochs, about 9 minutes on\n"
    "          two free cores. The picture: where both have been, and the ways that\n"
    "          they have learned. Needs MuJoCo.\n"
    "\n"
    "Flags\n"
    "  --out DIR           folder of the demo (wac-demo, wac-demo-maze)\n"
    "  --epochs N          rounds of evaluation, exploration and training; more than\n"
    "                      before goes on with a demo that is there\n"
    "  --seed N            seed of every random number (1)\n"
    "\n"
    "Examples\n"
    "  wac demo\n"
    "  wac demo maze\n"
    "  wac demo --out /tmp/demo --seed 2\n";

enum { OE_WAC, SAC, SIDES, SEED = 1, WIDTH = 79 };

/* What is told of a world. */
typedef struct tale {
    const char *environment, *folder;
    int64_t epochs;
    const char *task, *scale;          /* before, and of the numbers in the verdict */
    const char *solved, *lost, *found; /* the heading; how SAC fails: at all, or in the end */
    const char *usual;                 /* epochs that OE-WAC needs */
} tale;

static const tale stories[] = {
    {.environment = "riverswim",
     .folder = "wac-demo",
     .epochs = 30,
     .task = "The task: swim up a river of length 25 against its current. The near end feeds\n"
             "you a crumb (0.0005 a step), the far end a prize (1 a step); in between there\n"
             "is nothing, and the current carries you back. Only who keeps swimming up finds\n"
             "the prize: always doing so earns 161.6 on average in an episode of 300 steps,\n"
             "staying with the crumb 0.15.\n\n",
     .scale = "A return is the average of some 10 episodes, and luck moves it; always swimming up "
              "earns 161.6 on average.",
     .solved = "first >= 100",
     .lost = "its policy never got past the crumb",
     .found = "it found the prize but did not learn to reach it",
     .usual = "15 to 30"},
    {.environment = "point-2",
     .folder = "wac-demo-maze",
     .epochs = 40,
     .task = "The task: drive a ball to the far end of a room. Two long walls stand across it,\n"
             "one open below, the other above, and every step costs the distance to the goal,\n"
             "straight through the walls. Going for less ends at the first wall: who finds the\n"
             "way has gone where it costs more.\n\n",
     .scale = "A success is the share of some 10 episodes that reach the goal within 300 steps.",
     .solved = "first >= 90 %",
     .lost = "its policy never reached the goal",
     .found = "it came to the goal but did not learn the way",
     .usual = "20 to 40"},
};

/* What was asked for; 0 epochs, seed -1: nothing. */
static const tale *story = stories;
static const char *out;
static int64_t epochs, seed = -1;
static const cli_option options[] = {
    {"out", .text = &out},
    {"epochs", .count = &epochs, .smallest = 1, .largest = 1000000},
    {"seed", .count = &seed, .smallest = 0, .largest = 1000000000000000000},
    {0},
};

/* One of the two runs. */
typedef struct side {
    const char *name, *title;
    char directory[PATH_MAX];
    wac_config config; /* as asked for, or of the run that is there */
    bool exists, finished;
    wac_run_options how;
    pthread_t thread;
    bool started;
    wac_run *run; /* the thread's */
    /* under the mutex while the thread runs */
    cli_meter meter;
    cli_sight sight;
    wac_status status;
    wac_error error;
} side;

static side sides[SIDES] = {
    [OE_WAC] = {.name = "oe-wac", .title = "OE-WAC", .meter.name = "oe-wac"},
    [SAC] = {.name = "sac", .title = "SAC", .meter.name = "sac"},
};
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static cli_progress display;

static bool is_maze(void)
{
    return story == &stories[1];
}

/* The config of the run that is there already; it must be one of a demo. */
static int inspect_run(side *side)
{
    wac_error error = {0};
    wac_config *config = &side->config;
    wac_outcome outcome;
    side->exists = wac_folder_is_run(side->directory);
    if (!side->exists)
        return CLI_OK;
    if (wac_folder_read_config(config, side->directory, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    /* a table cut off in a row is no end: going on mends it, or says what is wrong */
    if (wac_outcome_read(&outcome, side->directory, NULL) != WAC_STATUS_OK)
        outcome.last_epoch = -1;
    const char *algorithm = wac_algorithm_name((wac_algorithm)config->algorithm);
    if (strcmp(config->environment, story->environment) != 0 || strcmp(algorithm, side->name) != 0)
        return cli_refuse("%s is a run of %s on %s, not one of this demo; choose another --out",
                          side->directory, algorithm, config->environment);
    if (seed >= 0 && seed != config->seed)
        return cli_refuse("%s holds a demo with seed %lld; choose another --out for seed %lld", out,
                          (long long)config->seed, (long long)seed);
    if (epochs > 0 && epochs < outcome.last_epoch)
        return cli_refuse("%s holds a demo of %lld epochs; choose another --out for %lld", out,
                          (long long)outcome.last_epoch, (long long)epochs);
    if (epochs > 0)
        config->epochs = epochs;
    side->finished = outcome.last_epoch >= config->epochs;
    return CLI_OK;
}

/* What is in the folder: nothing yet, a demo to go on with, or a finished one. */
static int inspect(void)
{
    wac_error error = {0};
    bool there = wac_path_exists(out);
    for (int i = 0; i < SIDES; i++) {
        side *side = &sides[i];
        if (wac_path_join(side->directory, sizeof side->directory, out, side->name, &error) !=
            WAC_STATUS_OK)
            return cli_fail(&error);
        int status = there ? inspect_run(side) : CLI_OK;
        if (status)
            return status;
    }
    if (there && !sides[OE_WAC].exists && !sides[SAC].exists && !wac_directory_is_unused(out, NULL))
        return cli_refuse("%s exists and holds no demo; choose another folder with --out", out);
    /* where one was cut off before it began, it follows the other */
    for (int i = 0; i < SIDES; i++) {
        side *side = &sides[i], *other = &sides[SIDES - 1 - i];
        if (side->exists)
            continue;
        if (wac_config_init(&side->config, story->environment, side->name, &error) != WAC_STATUS_OK)
            return cli_fail(&error);
        side->config.epochs = other->exists ? other->config.epochs
                              : epochs > 0  ? epochs
                                            : story->epochs;
        side->config.precision =
            is_maze() && !wac_mixed_missing() ? WAC_PRECISION_MIXED : WAC_PRECISION_SINGLE;
        side->config.seed = other->exists ? other->config.seed : seed >= 0 ? seed : SEED;
    }
    return CLI_OK;
}

static void note_progress(void *user, const wac_progress *progress)
{
    side *side = user;
    pthread_mutex_lock(&mutex);
    cli_meter_update(&side->meter, progress);
    if (progress->is_row && display.live)
        cli_sight_take(&side->sight, side->run);
    if (progress->is_row && !display.live)
        cli_meter_print(&side->meter, display.stream);
    pthread_mutex_unlock(&mutex);
}

/* The thread of a run. The run is created here, since it pins the thread that creates it. */
static void *train(void *argument)
{
    side *side = argument;
    wac_run **run = &side->run;
    wac_error error = {0};
    wac_status status =
        side->exists
            ? wac_run_resume(run, side->directory, NULL, &side->how, side->config.epochs, &error)
            : wac_run_create(run, &side->config, NULL, side->directory, &side->how, &error);
    if (status == WAC_STATUS_OK) {
        status = wac_run_train(*run, &error);
        wac_run_destroy(*run);
    }
    pthread_mutex_lock(&mutex);
    side->status = status;
    side->error = error;
    side->meter.over = true;
    pthread_mutex_unlock(&mutex);
    /* one without the other is no demo */
    if (status != WAC_STATUS_OK)
        cli_stop();
    return NULL;
}

/* Draw about five times a second until all are over. */
static void watch(void)
{
    for (bool over = false; !over;) {
        cli_meter meters[SIDES];
        cli_picture picture;
        int count = 0;
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        pthread_mutex_lock(&mutex);
        over = true;
        for (int i = 0; i < SIDES; i++)
            if (sides[i].started) {
                meters[count++] = sides[i].meter;
                over = over && sides[i].meter.over;
            }
        cli_sight_draw(&picture, &sides[OE_WAC].sight, &sides[SAC].sight);
        pthread_mutex_unlock(&mutex);
        if (display.live && count > 0)
            cli_progress_draw(&display, meters, count, &picture);
    }
    cli_progress_end(&display);
}

/* The command that goes on with this demo, up to epoch `end`. */
static const char *describe_command(char *text, size_t size, int64_t end)
{
    int64_t own_seed = sides[OE_WAC].config.seed;
    int used = snprintf(text, size, "%s demo%s", cli_program(), is_maze() ? " maze" : "");
    if (strcmp(out, story->folder) != 0)
        used += snprintf(text + used, size - (size_t)used, " --out %s", WAC_SHELL(out));
    if (end != story->epochs)
        used += snprintf(text + used, size - (size_t)used, " --epochs %lld", (long long)end);
    if (own_seed != SEED)
        snprintf(text + used, size - (size_t)used, " --seed %lld", (long long)own_seed);
    return text;
}

/* Train what is not finished, a thread and a processor for each. */
static int train_all(void)
{
    const volatile int *stop = cli_stop_on_signals(CLI_STOPPED_AT_ONCE);
    display = cli_progress_make(stderr);
    for (int i = 0; i < SIDES; i++) {
        side *side = &sides[i];
        side->how = wac_run_options_default();
        side->how.first_cpu = i;
        side->how.progress = note_progress;
        side->how.user = side;
        side->how.stop = stop;
        if (side->finished)
            continue;
        side->started = pthread_create(&side->thread, NULL, train, side) == 0;
        if (!side->started) {
            side->status = WAC_STATUS_MEMORY;
            snprintf(side->error.message, sizeof side->error.message,
                     "cannot start a thread for %s", side->title);
            cli_stop();
        }
    }
    watch();
    bool whole = true, failed = false;
    for (int i = 0; i < SIDES; i++) {
        side *side = &sides[i];
        if (side->started)
            pthread_join(side->thread, NULL);
        whole = whole && side->status == WAC_STATUS_OK;
        if (side->status == WAC_STATUS_OK || side->status == WAC_STATUS_INTERRUPTED)
            continue;
        cli_fail(&side->error);
        failed = true;
    }
    if (whole)
        return CLI_OK;
    char command[2 * PATH_MAX + 128];
    fprintf(stderr, "wac: %s; go on with: %s\n",
            failed ? "what was saved is whole" : "stopped and saved",
            describe_command(command, sizeof command, sides[OE_WAC].config.epochs));
    return CLI_FAILED;
}

static void print_outcome(const char *title, const wac_outcome *outcome)
{
    char solved[32] = "never";
    if (outcome->solved_epoch >= 0)
        snprintf(solved, sizeof solved, "epoch %lld", (long long)outcome->solved_epoch);
    if (is_maze())
        printf("  %-8s%10.0f %%%11.0f %%%16s\n", title, 100 * outcome->best_success,
               100 * outcome->last_success, solved);
    else
        printf("  %-8s%12.4g%13.4g%15s%11.0f %%\n", title, outcome->best_return,
               outcome->last_return, solved, 100 * outcome->visited);
}

/* Whether it has ever been where it should. */
static bool has_found(const wac_outcome *outcome)
{
    return is_maze() ? outcome->best_success > 0 : outcome->best_return >= 1;
}

/* Who solved it, in a sentence that holds whatever happened. */
static void describe_winner(char *text, size_t size, const wac_outcome *wac, const wac_outcome *sac)
{
    char epochs[48], command[2 * PATH_MAX + 128];
    long long wac_epoch = wac->solved_epoch, sac_epoch = sac->solved_epoch;
    cli_count(epochs, wac->last_epoch, "epoch");
    if (wac_epoch >= 0 && sac_epoch >= 0)
        snprintf(text, size,
                 "Both solved it, OE-WAC by epoch %lld and SAC by epoch %lld. SAC seldom does.",
                 wac_epoch, sac_epoch);
    else if (wac_epoch >= 0)
        snprintf(text, size, "OE-WAC solved it by epoch %lld; SAC did not in %s: %s.", wac_epoch,
                 epochs, has_found(sac) ? story->found : story->lost);
    else if (sac_epoch >= 0)
        snprintf(text, size,
                 "SAC solved it by epoch %lld and OE-WAC did not in %s. That is unusual: another "
                 "--seed is worth a look.",
                 sac_epoch, epochs);
    else
        snprintf(text, size,
                 "Neither solved it in %s%s. OE-WAC mostly needs %s; this goes on from here: %s",
                 epochs, has_found(wac) ? ", though OE-WAC has been there now and then" : "",
                 story->usual,
                 describe_command(command, sizeof command, wac->last_epoch + story->epochs));
}

static void print_verdict(const wac_outcome *wac, const wac_outcome *sac)
{
    cli_style style = cli_style_of(stdout);
    char text[2 * PATH_MAX + 512], epochs[48];
    printf("\n%sVerdict%s after %s, seed %lld\n\n", style.bold, style.plain,
           cli_count(epochs, wac->last_epoch, "epoch"), (long long)sides[OE_WAC].config.seed);
    if (is_maze())
        printf("  %-8s%12s%13s%16s\n", "", "best success", "last success", story->solved);
    else
        printf("  %-8s%12s%13s%15s%13s\n", "", "best return", "last return", story->solved,
               "visited");
    print_outcome(sides[OE_WAC].title, wac);
    print_outcome(sides[SAC].title, sac);
    putchar('\n');
    cli_print_wrapped(story->scale, 0, WIDTH);
    describe_winner(text, sizeof text, wac, sac);
    cli_print_wrapped(text, 0, WIDTH);
    int used = snprintf(text, sizeof text,
                        "OE-WAC explores where it is unsure what an action is worth, SAC by noise "
                        "alone");
    snprintf(
        text + used, sizeof text - (size_t)used,
        is_maze()
            ? "."
            : "; %s OE-WAC visited %.0f %% of all places and actions (cells with more than 0.1 %% "
              "of its steps), SAC %.0f %%.",
        wac->visited > 1.5 * sac->visited ? "so" : "yet this time", 100 * wac->visited,
        100 * sac->visited);
    cli_print_wrapped(text, 0, WIDTH);
    cli_print_wrapped("One seed is one story; --seed 2 with another --out tells the next.", 0,
                      WIDTH);
    putchar('\n');
}

static wac_status draw(const char *path, wac_error *error)
{
    char *const folders[] = {sides[OE_WAC].directory, sides[SAC].directory};
    static const char *const names[] = {"OE-WAC", "SAC"};
    wac_render_options how = wac_render_options_default();
    wac_rendering drawn;
    how.out = path;
    how.names = names;
    return is_maze() ? wac_render(&drawn, folders, SIDES, &how, error)
                     : wac_figure_demo(folders[OE_WAC], folders[SAC], path, error);
}

/* The verdict needs only the tables; then the picture. */
static int conclude(void)
{
    char path[PATH_MAX], command[2 * PATH_MAX + 128];
    wac_error error = {0};
    wac_outcome outcomes[SIDES];
    for (int i = 0; i < SIDES; i++)
        if (wac_outcome_read(&outcomes[i], sides[i].directory, &error) != WAC_STATUS_OK)
            return cli_fail(&error);
    print_verdict(&outcomes[OE_WAC], &outcomes[SAC]);
    fflush(stdout);
    if (wac_path_join(path, sizeof path, out, "demo", &error) != WAC_STATUS_OK ||
        draw(path, &error) != WAC_STATUS_OK) {
        cli_fail(&error);
        fprintf(stderr, "wac: both runs are whole; draw the picture with: %s\n",
                describe_command(command, sizeof command, outcomes[OE_WAC].last_epoch));
        return CLI_FAILED;
    }
    printf("The picture: %s.png (and .svg)\n", path);
    return CLI_OK;
}

static int run(char **words)
{
    wac_error error = {0};
    int which = words[0] ? wac_word_index("river|maze", words[0]) : 0;
    if (which < 0 || (words[0] && words[1]))
        return cli_refuse("a demo is one of river and maze; what is \"%s\"?",
                          WAC_CLIP(words[which < 0 ? 0 : 1]));
    story = &stories[which];
    out = out ? out : story->folder;
    int status = inspect();
    if (status)
        return status;

    bool finished = sides[OE_WAC].finished && sides[SAC].finished;
    if (!finished && cli_need_gnuplot())
        return CLI_FAILED;
    fputs(story->task, stderr);
    if (finished) {
        fprintf(stderr,
                "%s holds a finished demo: there is nothing to train.\n"
                "To begin anew, remove the folder or choose another with --out; a larger\n"
                "--epochs goes on.\n",
                out);
        return conclude();
    }
    if (!wac_path_exists(out) && wac_directory_make(out, &error) != WAC_STATUS_OK)
        return cli_fail(&error);
    bool resumes = sides[OE_WAC].exists || sides[SAC].exists;
    fprintf(stderr,
            "%s OE-WAC, which explores where it is unsure, and SAC, which\n"
            "does not, in %s\n\n",
            resumes ? "going on with" : "training", out);
    status = train_all();
    return status ? status : conclude();
}

const cli_command cli_demo = {
    "demo", "see directed exploration at work", help, run, options, CLI_ANY_WORDS, NULL};
