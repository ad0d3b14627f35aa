/* Putting text and axes on a page. */
#include "draw/page.h"

#include "base/status.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

void wac_page_script(wac_page *page, int width, int height)
{
    page->width = width;
    page->height = height;
    page->labels = 0;
    wac_plot_file(&page->plot, WAC_PLOT_SCRIPT);
    wac_plot_print(&page->plot,
                   "ink = '#1a1a1a'; grey = '#5a5a5a'\n"
                   "set border 0 lc rgb grey\n"
                   "set tics out nomirror scale 0.5 * zoom tc rgb grey\n"
                   "unset key; set pointintervalbox 0\n"
                   "set minussign; set format '%%h'\n" /* the usual '%% h' is off the middle */
                   "# rectangles stay sharp in an SVG, where an image would be smoothed\n"
                   "pixels = GPVAL_TERM eq 'svg' ? 'pixels' : ''\n");
}

wac_status wac_page_draw(wac_page *page, wac_rendering *drawn, wac_error *error)
{
    drawn->width = page->width;
    for (int i = 0; i < drawn->files; i++)
        WAC_TRY(wac_plot_draw(&page->plot, page->width, page->height, drawn->paths[i], error));
    return WAC_STATUS_OK;
}

/* Pixels become gnuplot's shares of the page, whose origin is below. */
void wac_page_axes(wac_page *page, double left, double top, double width, double height)
{
    wac_plot_print(&page->plot,
                   "set lmargin at screen %.6f; set rmargin at screen %.6f\n"
                   "set bmargin at screen %.6f; set tmargin at screen %.6f\n",
                   left / page->width, (left + width) / page->width,
                   1 - (top + height) / page->height, 1 - top / page->height);
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
                   ink == WAC_INK_TITLE ? "}" : "", x / page->width, 1 - y / page->height, points,
                   ink == WAC_INK_GREY ? "grey" : "ink");
}

/* --- the size of text ------------------------------------------------------------------------- */

/* The width of a letter in ems, about; 0: it is none by itself. */
static double em_of(const char *letter)
{
    static const struct {
        const char *letters;
        double em;
    } classes[] = {
        {"\\", 0},
        {"ijlI'|", 0.3},
        {" ,.:;/", 0.34},
        {"()[]{}-ftr", 0.4},
        {"mwM%+=<>", 0.9},
        {"W@", 1},
        {"ABCDEFGHJKLNOPQRSTUVXYZ", 0.72},
    };
    if (((unsigned char)*letter & 0xc0) == 0x80)
        return 0;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strchr(classes[i].letters, *letter))
            return classes[i].em;
    return (unsigned char)*letter == 0xe2 ? 0.9 : 0.62; /* − … */
}

static double width_of(const char *text, size_t size, wac_ink ink, int points)
{
    double ems = 0;
    for (size_t i = 0; i < size; i++)
        ems += em_of(text + i);
    return ems * points * 4 / 3 * (ink == WAC_INK_TITLE ? 1.12 : 1);
}

double wac_page_text(const char *text, wac_ink ink, int points)
{
    return width_of(text, strlen(text), ink, points);
}

size_t wac_page_fit(const char *text, wac_ink ink, int points, double room)
{
    size_t fits[4] = {0}; /* to a letter, a joint, a blank before no number, a comma */
    for (size_t i = 0; text[i]; i++) {
        if (fits[0] && width_of(text, i + 1, ink, points) > room)
            return fits[3] ? fits[3] : fits[2] ? fits[2] : fits[1] ? fits[1] : fits[0];
        /* not within a letter, nor within what stands for one */
        bool ends =
            ((unsigned char)text[i + 1] & 0xc0) != 0x80 && text[i + 1] != '\'' && text[i] != '\\';
        bool blank = text[i] == ' ' && !strchr("0123456789.", text[i + 1]);
        bool comma = text[i] == ' ' && i && text[i - 1] == ',';
        fits[0] = ends ? i + 1 : fits[0];
        fits[1] = ends && strchr("_/", text[i]) ? i + 1 : fits[1];
        fits[2] = blank ? i + 1 : fits[2];
        fits[3] = comma ? i + 1 : fits[3];
    }
    return strlen(text);
}

int wac_page_rows(const char *text, wac_ink ink, int points, double room)
{
    int rows = 0;
    for (; *text; rows++)
        text += wac_page_fit(text, ink, points, room);
    return rows;
}

void wac_page_label_rows(wac_page *page, double x, double y, wac_ink ink, int points, double room,
                         const char *text)
{
    y -= (wac_page_rows(text, ink, points, room) - 1) * WAC_PAGE_ROW;
    for (; *text; y += WAC_PAGE_ROW) {
        size_t size = wac_page_fit(text, ink, points, room);
        wac_page_label(page, x, y, ink, points, "%.*s", (int)size, text);
        text += size;
    }
}

int wac_page_points(const char *text, wac_ink ink, int points, int least, double room)
{
    while (points > least && wac_page_text(text, ink, points) > room)
        points--;
    return points;
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
                   horizontal ? "horizontal" : "vertical", left / page->width,
                   1 - (top + height) / page->height, width / page->width, height / page->height);
}

double wac_page_step(double low, double high, double parts)
{
    static const double steps[] = {1, 2, 2.5, 5, 10};
    double rough = (high - low) / parts;
    if (!(rough > 0))
        return 1;
    double power = pow(10, floor(log10(rough)));
    int i = 0;
    while (i < 4 && steps[i] * power < rough * 0.999)
        i++;
    return steps[i] * power;
}

void wac_page_colour_tics(wac_page *page, double low, double high, bool logarithmic)
{
    int decades = logarithmic ? (int)log10(high / low) : 0;
    double step = !logarithmic ? wac_page_step(low, high, 3.99)
                  : decades    ? pow(10, decades / 4 + 1)
                               : 2;
    wac_plot_print(&page->plot, "set cbtics %.9g\n", step);
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
