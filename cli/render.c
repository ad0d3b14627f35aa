/* wac render: pictures of worlds and of what agents do in them. */
#include "cli.h"
#include "terminal/progress.h"
#include "terminal/terminal.h"

#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "draw/render.h"
#include "run/packed.h"
#include "stats/runset.h"

#include <sys/stat.h>

static const char help[] =
    "wac render: draw a world, and what agents do in it\n"
    "\n"
    "Usage\n"
    "  wac render RUN|ENV... [--out FILE] [--policy both|target|behaviour|none]\n"
    "             [--episodes N] [--seconds N] [--seed N]\n"
    "  wac render RUN --movie [--out FILE.gif]\n"
    "\n"
    "RUN is the folder of a run, as its last checkpoint left it; ENV the name of an\n"
    "environment. Several are drawn side by side, each with a title. Needs gnuplot.\n"
    "Nothing in a run changes, but for the picture in its folder. A RUN may be\n"
    "packed, as in results/lqg/runs.tar.xz/lqg/seed-1; a whole archive or a folder\n"
    "of runs stands for those of its runs that have networks.\n"
    "\n"
    "  point-1 ... point-4   PNG and SVG: walls, start and goal; of a run where it\n"
    "                        has been while learning, WAC's target policy in its\n"
    "                        evaluations, too, and the ways of its policies\n"
    "  riverswim, lqg        PNG and SVG of a run: its visits over state and action\n"
    "                        and, for WAC, what it is unsure of\n"
    "  halfcheetah, hopper,  PNG and SVG of the body, from the side; of a run an\n"
    "  walker2d              animation (GIF) of an episode\n"
    "  mujoco:FILE.xml       the same of any model; a picture takes no recipe\n"
    "\n"
    "Flags\n"
    "  --out FILE          FILE.png, FILE.svg, FILE.pdf or FILE.gif, or a name for\n"
    "                      PNG and SVG; without it, RUN/figures/maze.png\n"
    "                      (map.png, motion.gif), ENV.png or, for several,\n"
    "                      comparison.png (for a packed run packed.png); a picture\n"
    "                      that is there is replaced\n"
    "  --policy NAME       whose ways to draw: the behaviour policy's, as it\n"
    "                      explores, the target policy's, by its mean actions, both\n"
    "                      (mazes; an animation shows the target policy) or none:\n"
    "                      only the visits\n"
    "  --episodes N        ways of each policy in a maze (5)\n"
    "  --seconds N         longest animation, in seconds of the simulation (10)\n"
    "  --movie             visits and uncertainty over all of training as a GIF\n"
    "                      (RUN/figures/movie.gif), with the target policy's way;\n"
    "                      of a run that was trained with --maps\n"
    "  --seed N            another set of episodes (0)\n"
    "\n"
    "Examples\n"
    "  wac render point-3\n"
    "  wac render runs/point-2-oe-wac-1\n"
    "  wac render runs/point-2-oe-wac-1 runs/point-2-sac-1 --policy none --out both\n"
    "  wac render runs/halfcheetah-sac-1 --seconds 5\n"
    "  wac render mujoco:arm.xml\n";

/* A bar on a terminal, nothing elsewhere. */
static void show_progress(void *user, double share)
{
    enum { CELLS = 30 };
    static const char full[] = "##############################",
                      empty[] = "..............................";
    cli_progress *display = user;
    if (!display->live)
        return;
    int done = (int)(share * CELLS);
    cli_style style = cli_style_of(display->stream);
    fprintf(display->stream, "\r\033[Kdrawing %s%.*s%s%.*s%s %3d%%", style.blue, done, full,
            style.dim, CELLS - done, empty, style.plain, (int)(100 * share));
    fflush(display->stream);
    display->shown = 1;
}

static const char *policy = "both", *out;
static bool movie;
static int64_t episodes, seconds, seed;
static const cli_option options[] = {
    {"out", .text = &out},
    {"policy", .text = &policy},
    {"episodes", .count = &episodes, .smallest = 1, .largest = 1000},
    {"seconds", .count = &seconds, .smallest = 1, .largest = 60},
    {"movie", .on = &movie},
    {"seed", .count = &seed, .smallest = 0, .largest = INT64_MAX},
    {0},
};

/* What is to be drawn: words as they came, or the runs that they stand for. */
typedef struct subjects {
    char *words[WAC_RENDER_MOST + 1]; /* one too many, to be refused */
    int count;
    wac_runset set[WAC_RENDER_MOST + 1]; /* of folders and archives */
    int sets;
    bool packed;
} subjects;

static void add_word(subjects *subjects, char *word)
{
    if (subjects->count <= WAC_RENDER_MOST)
        subjects->words[subjects->count++] = word;
}

/* A run, an environment; or a folder of runs, or an archive. */
static wac_status add_subject(subjects *subjects, char *word, wac_error *error)
{
    char path[PATH_MAX];
    const char *inside;
    const wac_environment_type *type;
    struct stat about;
    bool packed = wac_packed_find(path, &inside, word);
    bool is_folder = stat(word, &about) == 0 && S_ISDIR(about.st_mode) &&
                     wac_environment_type_find(&type, word, NULL) != WAC_STATUS_OK;
    if (!packed && (wac_folder_is_run(word) || !is_folder)) {
        add_word(subjects, word);
        return WAC_STATUS_OK;
    }
    if (subjects->sets > WAC_RENDER_MOST)
        return WAC_STATUS_OK; /* refused below */
    const char *const folders[] = {word};
    wac_runset *set = &subjects->set[subjects->sets];
    WAC_TRY(wac_runset_load(set, folders, 1, false, error));
    subjects->sets++;
    subjects->packed |= set->unpacked_count > 0;
    int before = subjects->count;
    for (size_t i = 0; i < set->count; i++)
        if (set->runs[i].folder && wac_folder_find_checkpoint(path, set->runs[i].folder))
            add_word(subjects, set->runs[i].folder);
    return subjects->count > before
               ? WAC_STATUS_OK
               : wac_fail(error, WAC_STATUS_INPUT, "no run in %s has networks to draw with", word);
}

static int run(char **words)
{
    int choice = wac_word_index("both|target|behaviour|none", policy);
    if (choice < 0)
        return cli_refuse("--policy must be both, target, behaviour or none, not \"%s\"",
                          WAC_CLIP(policy));
    cli_progress display = cli_progress_make(stderr);
    wac_render_options how = wac_render_options_default();
    how.out = out;
    how.seed = seed;
    how.movie = movie;
    how.episodes = episodes ? episodes : how.episodes;
    how.seconds = seconds ? (double)seconds : how.seconds;
    how.target = choice == 0 || choice == 1;
    how.behaviour = choice == 0 || choice == 2;
    how.progress = show_progress;
    how.user = &display;
    how.stop = cli_stop_on_signals("stopped at once");

    wac_rendering drawn;
    wac_error error = {0};
    subjects subjects = {.count = 0};
    wac_status result = WAC_STATUS_OK;
    for (char **word = words; *word && result == WAC_STATUS_OK; word++)
        result = add_subject(&subjects, *word, &error);
    if (!out && subjects.packed && subjects.count == 1)
        how.out = "packed";
    if (result == WAC_STATUS_OK)
        result = wac_render(&drawn, subjects.words, subjects.count, &how, &error);
    if (display.shown)
        fputs("\r\033[K", stderr);
    for (int i = 0; i < subjects.sets; i++)
        wac_runset_free(&subjects.set[i]);
    if (result != WAC_STATUS_OK)
        return cli_fail(&error);
    for (int i = 0; i < drawn.files; i++)
        printf("%s\n", drawn.paths[i]);
    return CLI_OK;
}

const cli_command cli_render = {
    "render",
    "draw a world and what agents do in it",
    help,
    run,
    options,
    CLI_ANY_WORDS,
    "which run or environment? As in: %s render point-3, or the folder of a run"};
