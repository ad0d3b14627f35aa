/* The picture of the demo: two learning curves, two of the share of cells visited, and three maps
 * over position and action that show why they differ.
 *
 * Everything that depends on the runs is written as data files and as variables at the head of the
 * script; the rest of the script is the constant text below. */
#include "draw/demo.h"

#include "base/status.h"
#include "draw/map.h"
#include "draw/style.h"
#include "env/riverswim.h"
#include "env/world.h"
#include "run/folder.h"
#include "run/run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WIDTH = 1600, HEIGHT = 1040 };

static wac_outcome summarise(const wac_history *history)
{
    wac_outcome outcome = {-1, -1, NAN, NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < history->rows; i++) {
        double reached = history->columns[WAC_COLUMN_EVAL_RETURN][i];
        double success = history->columns[WAC_COLUMN_EVAL_SUCCESS][i];
        outcome.last_epoch = (int64_t)i;
        outcome.last_return = reached;
        outcome.last_success = success;
        outcome.best_success = fmax(outcome.best_success, success);
        outcome.visited = history->columns[WAC_COLUMN_COVERAGE_VISITED][i];
        outcome.best_return = fmax(outcome.best_return, reached); /* which passes over NaN */
        bool solved = isnan(success) ? reached >= WAC_RIVERSWIM_SOLVED : success >= WAC_GOAL_SOLVED;
        if (outcome.solved_epoch < 0 && solved)
            outcome.solved_epoch = (int64_t)i;
    }
    return outcome;
}

wac_status wac_outcome_read(wac_outcome *outcome, const char *directory, wac_error *error)
{
    wac_history history;
    WAC_TRY(wac_history_read(&history, directory, error));
    *outcome = summarise(&history);
    wac_history_free(&history);
    return WAC_STATUS_OK;
}

/* One algorithm's part of the picture. */
typedef struct side {
    wac_run *run;
    wac_history history;
    wac_outcome outcome;
} side;

static wac_status open_side(side *side, const char *directory, bool wac, wac_error *error)
{
    WAC_TRY(wac_history_read(&side->history, directory, error));
    side->outcome = summarise(&side->history);
    WAC_TRY(wac_run_open(&side->run, directory, NULL, NULL, error));
    const wac_config *config = wac_run_config(side->run);
    const char *algorithm = wac_algorithm_name((wac_algorithm)config->algorithm);
    bool right = wac ? wac_agent_has_std(side->run->agent) : config->algorithm == WAC_ALGORITHM_SAC;
    if (strcmp(config->environment, "riverswim") != 0 || !right)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "this picture is of %s on riverswim, but %s is a run of %s on %s",
                        wac ? "OE-WAC" : "SAC", directory, algorithm, config->environment);
    return WAC_STATUS_OK;
}

static void close_side(side *side)
{
    wac_history_free(&side->history);
    wac_run_destroy(side->run);
}

static void write_curves(wac_plot *plot, const wac_history *history)
{
    for (size_t i = 0; i < history->rows; i++)
        wac_plot_print(plot, "%zu %.9g %.9g\n", i, history->columns[WAC_COLUMN_EVAL_RETURN][i],
                       history->columns[WAC_COLUMN_COVERAGE_VISITED][i]);
}

static const char script[] =
    "task = 'The task: swim up a river against its current. At the near end lies a ' \\\n"
    "     . 'crumb (0.0005 a step), at the far end a prize (1 a step), in between nothing.'\n"
    "why1 = 'OE-WAC learns what each action is worth, and how unsure it is of that: σ. ' \\\n"
    "     . 'It tries whatever could be worth the most. Trying lowers σ, and so it moves'\n"
    "why2 = 'on to what it knows least: that leads up the river. SAC tries what seems ' \\\n"
    "     . 'best so far, with some noise around it, and the current washes noise back.'\n"
    "ink = '#1a1a1a'; grey = '#5a5a5a'; never = '" WAC_NEVER_VISITED "'\n"
    "set border 3 lc rgb grey\n"
    "set tics out nomirror scale 0.5 tc rgb grey\n"
    "set xlabel tc rgb grey; set format '%h'\n"
    "set ylabel tc rgb grey\n"
    "set multiplot\n"
    "# rectangles stay sharp in an SVG, where an image would be smoothed\n"
    "pixels = GPVAL_TERM eq 'svg' ? 'pixels' : ''\n"
    "\n"
    "# the headline, the task, and the reason between the two rows of panels\n"
    "set label 1 '{/:Bold '.headline.'}' at screen 0.03,0.963 font ',21' tc rgb ink\n"
    "set label 2 task at screen 0.03,0.922 font ',13' tc rgb grey\n"
    "set label 3 '{/:Bold Why?}' at screen 0.03,0.478 font ',13' tc rgb ink\n"
    "set label 4 why1 at screen 0.071,0.478 font ',13' tc rgb ink\n"
    "set label 8 why2 at screen 0.071,0.449 font ',13' tc rgb ink\n"
    "\n"
    "# learning curves; one is thicker, so that both show where they agree\n"
    "set lmargin at screen 0.065; set rmargin at screen 0.485\n"
    "set bmargin at screen 0.575; set tmargin at screen 0.815\n"
    "set label 5 '{/:Bold Return}' at screen 0.03,0.872 font ',15' tc rgb ink\n"
    "set label 6 sprintf('what the learned policy earns in an episode of %d steps', steps) \\\n"
    "    at screen 0.03,0.844 font ',12' tc rgb grey\n"
    "set xrange [0:epochs > 0 ? epochs : 1]\n"
    "if (epochs <= 10) { set xtics 1 }\n"
    "set ytics 50\n"
    "set yrange [0:1.12 * top]\n"
    "set xlabel sprintf('epoch (%d steps of exploration, then %d updates)', \\\n"
    "                   explore_steps, updates)\n"
    "set grid y lc rgb '#e6e6e6' lt 1\n"
    "set key at screen 0.487,0.886 top right horizontal samplen 2 tc rgb ink font ',13'\n"
    "if (always_up > 0) {\n"
    "    set arrow 1 from graph 0, first always_up to graph 1, first always_up \\\n"
    "        nohead dt 2 lc rgb ink\n"
    "    set label 7 sprintf('always swim up: %g on average', always_up) \\\n"
    "        at graph 0.01, first always_up offset 0,0.6 font ',12' tc rgb ink\n"
    "}\n"
    "plot keyentry with lines lw 3 lc rgb blue title 'OE-WAC', \\\n"
    "     keyentry with lines lw 4.5 lc rgb orange title 'SAC', \\\n"
    "     'sac-curves' using 1:2 with lines lw 4.5 lc rgb orange notitle, \\\n"
    "     'wac-curves' using 1:2 with lines lw 3 lc rgb blue notitle\n"
    "unset arrow\n"
    "unset label\n"
    "\n"
    "# coverage_visited\n"
    "set lmargin at screen 0.565; set rmargin at screen 0.985\n"
    "set label 5 '{/:Bold Visited}' at screen 0.53,0.872 font ',15' tc rgb ink\n"
    "set label 6 'share of the cells below with more than 0.1 % of all steps; falls where it "
    "settles' \\\n"
    "    at screen 0.53,0.844 font ',12' tc rgb grey\n"
    "set key at screen 0.987,0.886\n"
    "set yrange [0:*]\n"
    "set ytics 10\n"
    "set format y '%.0f %%'\n"
    "plot keyentry with lines lw 3 lc rgb blue title 'OE-WAC', \\\n"
    "     keyentry with lines lw 4.5 lc rgb orange title 'SAC', \\\n"
    "     'sac-curves' using 1:(100 * $3) with lines lw 4.5 lc rgb orange notitle, \\\n"
    "     'wac-curves' using 1:(100 * $3) with lines lw 3 lc rgb blue notitle\n"
    "unset label\n"
    "unset key\n"
    "unset grid\n"
    "\n"
    "# maps over position and action: visits of both on one scale, then the uncertainty\n"
    "set format y '%h'\n"
    "set bmargin at screen 0.085; set tmargin at screen 0.335\n"
    "set xrange [0:length]\n"
    "set yrange [-1:1]\n"
    "set xlabel 'position in the river' offset 0,0.5\n"
    "set ylabel 'action' offset 2\n"
    "set xtics 5 format '%g'\n"
    "set xtics add (\"0\\ncrumb\" 0, sprintf(\"%g\\nprize\", length) length)\n"
    "set ytics ('down  −1' -1, '0' 0, 'up  1' 1)\n"
    "set cbtics scale 0.3\n"
    "set label 4 font ',15' tc rgb ink\n"
    "set label 5 font ',12' tc rgb grey\n"
    "set label 6 right font ',12' tc rgb grey\n"
    "set object 1 rectangle from graph 0,0 to graph 1,1 behind \\\n"
    "    fc rgb never fs solid noborder\n"
    "set logscale cb\n"
    "set cbrange [1:most]\n"
    "set palette " WAC_PALETTE_VISITS "\n"
    "\n"
    "set lmargin at screen 0.085; set rmargin at screen 0.285\n"
    "set colorbox user origin screen 0.29,0.085 size screen 0.008,0.25\n"
    "set label 4 '{/:Bold Where SAC went}' at screen 0.03,0.393\n"
    "set label 5 'dark = never tried' at screen 0.03,0.365\n"
    "set label 6 'visits' at screen 0.32,0.365\n"
    "plot 'sac-visits' using 1:2:($3 > 0 ? $3 : NaN) with image @pixels\n"
    "\n"
    "set lmargin at screen 0.42; set rmargin at screen 0.62\n"
    "set colorbox user origin screen 0.625,0.085 size screen 0.008,0.25\n"
    "set label 4 '{/:Bold Where OE-WAC went}' at screen 0.365,0.393\n"
    "set label 5 'dark = never tried' at screen 0.365,0.365\n"
    "set label 6 'visits' at screen 0.655,0.365\n"
    "plot 'wac-visits' using 1:2:($3 > 0 ? $3 : NaN) with image @pixels\n"
    "\n"
    "unset logscale cb\n"
    "set cbrange [sigma_low:sigma_high]\n"
    "set cbtics ceil((sigma_high - sigma_low) / 8)\n"
    "set palette " WAC_PALETTE_SIGMA "\n"
    "set lmargin at screen 0.755; set rmargin at screen 0.955\n"
    "set colorbox user origin screen 0.96,0.085 size screen 0.008,0.25\n"
    "set label 4 '{/:Bold What OE-WAC is unsure of}' at screen 0.70,0.393\n"
    "set label 5 'dark = found early, and known; bright = never tried' at screen 0.70,0.365\n"
    "set label 6 'σ' at screen 0.983,0.365\n"
    "set label 9 sprintf('it began at about %.3g everywhere', sigma_first) right \\\n"
    "    at screen 0.983,0.012 font ',12' tc rgb grey\n"
    "plot 'wac-sigma' using 1:2:3 with image\n"
    "unset multiplot\n";

static const char *headline_of(const wac_outcome *wac, const wac_outcome *sac)
{
    bool wac_solved = wac->solved_epoch >= 0, sac_solved = sac->solved_epoch >= 0;
    if (wac_solved && !sac_solved && sac->best_return >= 1)
        return "OE-WAC goes where it is unsure and learns to reach the prize; SAC hardly does";
    if (wac_solved && !sac_solved)
        return "OE-WAC goes where it is unsure and finds the prize; SAC never gets there";
    if (wac_solved && sac_solved)
        return "This time both find the prize: OE-WAC by going where it is unsure, SAC by chance";
    if (sac_solved)
        return "This time SAC finds the prize by chance, and OE-WAC has not learned to reach it "
               "yet";
    return "Neither has learned to reach the prize yet";
}

static void write_script(wac_plot *plot, const side *wac, const side *sac, int64_t most_visits,
                         const double sigma_range[2])
{
    const wac_config *config = wac_run_config(wac->run);
    const wac_outcome *a = &wac->outcome, *b = &sac->outcome;
    bool preset = config->river_length == 25 && config->path_limit == 300;
    wac_plot_file(plot, WAC_PLOT_SCRIPT);
    double top = fmax(preset ? WAC_RIVERSWIM_ALWAYS_UP : 1, fmax(a->best_return, b->best_return));
    wac_plot_print(plot,
                   "headline = '%s'\nlength = %.9g\nsteps = %" PRId64 "\nexplore_steps = %" PRId64
                   "\nupdates = %" PRId64 "\nepochs = %" PRId64 "\nalways_up = %g\nmost = %" PRId64
                   "\ntop = %.9g\n",
                   headline_of(a, b), config->river_length, config->path_limit,
                   config->explore_steps, config->updates,
                   a->last_epoch > b->last_epoch ? a->last_epoch : b->last_epoch,
                   preset ? WAC_RIVERSWIM_ALWAYS_UP : 0, most_visits, top);
    wac_plot_print(plot, "sigma_first = %.9g\n",
                   (double)wac->run->agent->seat[wac->run->seat].sigma_max);
    wac_plot_print(plot, "sigma_low = %.9g\nsigma_high = %.9g\nblue = '%s'\norange = '%s'\n%s",
                   sigma_range[0], sigma_range[1], wac_style_of(WAC_ALGORITHM_OE_WAC)->colour,
                   wac_style_of(WAC_ALGORITHM_SAC)->colour, script);
}

static wac_status draw(const side *wac, const side *sac, const char *path, wac_error *error)
{
    static const char *const endings[] = {"png", "svg"};
    wac_rendering files = {.files = 2};
    for (int i = 0; i < files.files; i++)
        if (snprintf(files.paths[i], PATH_MAX, "%s.%s", path, endings[i]) >= PATH_MAX)
            return wac_fail(error, WAC_STATUS_INPUT, "the path %.64s… is too long", path);
    wac_page page = {.width = WIDTH, .height = HEIGHT};
    wac_plot *plot = &page.plot;
    WAC_TRY(wac_plot_begin(plot, error));
    wac_plot_file(plot, "wac-curves");
    write_curves(plot, &wac->history);
    wac_plot_file(plot, "sac-curves");
    write_curves(plot, &sac->history);
    wac_plot_file(plot, "wac-visits");
    int64_t wac_most = wac_map_visits(plot, wac->run, WAC_POLICY_BEHAVIOUR);
    wac_plot_file(plot, "sac-visits");
    int64_t sac_most = wac_map_visits(plot, sac->run, WAC_POLICY_BEHAVIOUR);
    double sigma_range[2] = {0, 1};
    wac_plot_file(plot, "wac-sigma");
    wac_status status = wac_map_sigma(plot, wac->run, sigma_range, error);
    if (status == WAC_STATUS_OK) {
        write_script(plot, wac, sac, wac_most > sac_most ? wac_most : sac_most, sigma_range);
        status = wac_page_draw(&page, &files, error);
    }
    wac_plot_end(plot);
    return status;
}

wac_status wac_figure_demo(const char *wac_directory, const char *sac_directory, const char *path,
                           wac_error *error)
{
    side wac = {0}, sac = {0};
    wac_status status = open_side(&wac, wac_directory, true, error);
    if (status == WAC_STATUS_OK)
        status = open_side(&sac, sac_directory, false, error);
    if (status == WAC_STATUS_OK)
        status = draw(&wac, &sac, path, error);
    close_side(&wac);
    close_side(&sac);
    return status;
}
