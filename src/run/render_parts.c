/* Letting policies act, and putting text and axes on a page. */
#include "run/render_parts.h"

#include "base/rng.h"
#include "base/status.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* A policy that is being watched. */
typedef struct actor {
    const wac_subject *subject;
    wac_policy_role role;
    wac_watch_fn *watch;
    void *user;
} actor;

static void act(void *user, const float *observation, float *action)
{
    actor *actor = user;
    wac_agent *agent = actor->subject->run->agent;
    actor->watch(actor->user, actor->subject->world);
    if (actor->role == WAC_POLICY_BEHAVIOUR)
        wac_agent_explore(agent, observation, action);
    else
        wac_agent_act(agent, actor->role, observation, action);
}

wac_status wac_subject_play(wac_evaluation *evaluation, const wac_subject *subject,
                            wac_policy_role role, wac_rng *worlds, int64_t most_steps,
                            wac_watch_fn *watch, void *user, const volatile int *stop,
                            wac_error *error)
{
    actor actor = {subject, role, watch, user};
    WAC_TRY(
        wac_evaluate(evaluation, subject->world, worlds, most_steps, 1, act, &actor, stop, error));
    watch(user, subject->world);
    return WAC_STATUS_OK;
}

void wac_page_script(wac_page *page, int width, int height)
{
    page->width = width;
    page->height = height;
    page->labels = 0;
    wac_plot_file(&page->plot, WAC_PLOT_SCRIPT);
    wac_plot_print(&page->plot,
                   "ink = '#1a1a1a'; grey = '#5a5a5a'\n"
                   "set border 0 lc rgb grey\n"
                   "set tics out nomirror scale 0.5 tc rgb grey\n"
                   "unset key\n"
                   "set minussign\n"
                   "# rectangles stay sharp in an SVG, where an image would be smoothed\n"
                   "pixels = GPVAL_TERM eq 'svg' ? 'pixels' : ''\n");
}

/* By its ending. */
static wac_picture kind_of(const char *path)
{
    const char *ending = strrchr(path, '.');
    if (ending && strcmp(ending, ".svg") == 0)
        return WAC_PICTURE_SVG;
    return ending && strcmp(ending, ".pdf") == 0 ? WAC_PICTURE_PDF : WAC_PICTURE_PNG;
}

wac_status wac_page_draw(wac_page *page, const wac_rendering *drawn, wac_error *error)
{
    for (int i = 0; i < drawn->files; i++)
        WAC_TRY(wac_plot_draw(&page->plot, kind_of(drawn->paths[i]), page->width, page->height,
                              drawn->paths[i], error));
    return WAC_STATUS_OK;
}

/* pixels to gnuplot's shares of the page, whose origin is below */
static double across(const wac_page *page, double x)
{
    return x / page->width;
}

static double up(const wac_page *page, double y)
{
    return 1 - y / page->height;
}

void wac_page_axes(wac_page *page, double left, double top, double width, double height)
{
    wac_plot_print(&page->plot,
                   "set lmargin at screen %.6f; set rmargin at screen %.6f\n"
                   "set bmargin at screen %.6f; set tmargin at screen %.6f\n",
                   across(page, left), across(page, left + width), up(page, top + height),
                   up(page, top));
}

void wac_page_label(wac_page *page, double x, double y, wac_ink ink, int points, const char *format,
                    ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    wac_plot_print(&page->plot, "set label %d '%s%s%s' at screen %.6f,%.6f font ',%d' tc rgb %s\n",
                   ++page->labels, ink == WAC_INK_TITLE ? "{/:Bold " : "", text,
                   ink == WAC_INK_TITLE ? "}" : "", across(page, x), up(page, y), points,
                   ink == WAC_INK_GREY ? "grey" : "ink");
}

void wac_page_forget_labels(wac_page *page)
{
    wac_plot_print(&page->plot, "unset label\n");
    page->labels = 0;
}

void wac_page_colours(wac_page *page, bool horizontal, double left, double top, double width,
                      double height)
{
    wac_plot_print(&page->plot,
                   "set colorbox %s user origin screen %.6f,%.6f size screen %.6f,%.6f noborder\n",
                   horizontal ? "horizontal" : "vertical", across(page, left),
                   up(page, top + height), across(page, width), height / page->height);
}

void wac_page_quote(char *quoted, size_t size, const char *text)
{
    size_t used = 0;
    for (; *text && used + 3 < size; text++) {
        if (*text == '\'')
            quoted[used++] = '\'';
        else if (strchr("\\{}_^@&~", *text))
            quoted[used++] = '\\';
        quoted[used++] = (unsigned char)*text < ' ' ? '?' : *text;
    }
    quoted[used] = 0;
}

const char *wac_page_count(char text[32], int64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRId64, count), used = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && count >= 10000)
            text[used++] = ' ';
        text[used++] = digits[i];
    }
    text[used] = 0;
    return text;
}

void wac_subject_title(char *title, size_t size, const wac_scene *scene, const wac_subject *subject)
{
    char name[2 * sizeof subject->name], count[32];
    wac_page_quote(name, sizeof name, subject->name);
    if (!subject->run) {
        snprintf(title, size, "%s", name);
        return;
    }
    bool shows_world = scene->count == 1 || !scene->is_one_world;
    int64_t epochs = subject->run->position.epoch;
    snprintf(title, size, "%s%s%s after %s epoch%s", name, shows_world ? " on " : "",
             shows_world ? subject->world->type->name : "", wac_page_count(count, epochs),
             epochs == 1 ? "" : "s");
}

/* About how many letters are drawn: those of UTF-8, without the marks of wac_page_quote. */
static int letters_of(const char *text)
{
    int letters = 0;
    for (; *text; text++)
        letters += ((unsigned char)*text & 0xc0) != 0x80 && *text != '\\';
    return letters;
}

int wac_subject_title_within(char *title, size_t size, const wac_scene *scene,
                             const wac_subject *subject, double width)
{
    enum { LARGE = 15, SMALL = 12 };
    const double letter = 0.76; /* pixels of a letter, for each point */
    wac_subject shorter = *subject;
    size_t end = strlen(shorter.name);
    wac_subject_title(title, size, scene, subject);
    int points = LARGE;
    while (points > SMALL && letters_of(title) * points * letter > width)
        points--;
    while (end > 4 && letters_of(title) * points * letter > width) {
        do
            end--;
        while (end > 0 && ((unsigned char)subject->name[end] & 0xc0) == 0x80);
        snprintf(shorter.name, sizeof shorter.name, "%.*s…", (int)end, subject->name);
        wac_subject_title(title, size, scene, &shorter);
    }
    return points;
}
