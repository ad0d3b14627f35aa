/* A picture as a page that is measured in pixels from its upper left corner: text, axes, colours.
 */
#ifndef WAC_DRAW_PAGE_H
#define WAC_DRAW_PAGE_H

#include "draw/plot.h"
#include "draw/render.h"

/* Begin the script, and draw it into every file that was asked for. */
typedef struct wac_page {
    wac_plot plot;
    int width, height; /* pixels */
    int labels;
} wac_page;

void wac_page_script(wac_page *page, int width, int height);
wac_status wac_page_draw(wac_page *page, wac_rendering *drawn, wac_error *error);

/* The axes of the next plot, in a rectangle of these pixels. */
void wac_page_axes(wac_page *page, double left, double top, double width, double height);

/* A line of text from (x, y), its middle height, to the right, in points (3/4 of a pixel). Text may
 * hold gnuplot's markup; what comes from elsewhere goes through wac_page_quote. */
typedef enum wac_ink { WAC_INK_TITLE, WAC_INK_TEXT, WAC_INK_GREY } wac_ink;
void wac_page_label(wac_page *page, double x, double y, wac_ink ink, int points, const char *format,
                    ...) __attribute__((format(printf, 6, 7)));

/* About how many pixels a text takes (in DejaVu Sans), and how many of its bytes go into a row of
 * so many: as many of its parts between commas as fit; where the first does not, as many words, or
 * letters. Both take text that was quoted, too. */
double wac_page_text(const char *text, wac_ink ink, int points);
size_t wac_page_fit(const char *text, wac_ink ink, int points, double room);

/* The rows that a text takes in so many pixels; the rows, the last of them at y. */
enum { WAC_PAGE_ROW = 20 };
int wac_page_rows(const char *text, wac_ink ink, int points, double room);
void wac_page_label_rows(wac_page *page, double x, double y, wac_ink ink, int points, double room,
                         const char *text);

/* Of so many points the most, from `least` on, in which a text fits. */
int wac_page_points(const char *text, wac_ink ink, int points, int least, double room);

/* Labels so far belong to the plot that was just made; the next one starts without. */
void wac_page_forget_labels(wac_page *page);

/* A bar of colours in a rectangle of these pixels. */
void wac_page_colours(wac_page *page, bool horizontal, double left, double top, double width,
                      double height);

/* A step that cuts a range into at most so many. */
double wac_page_step(double low, double high, double parts);

/* At most four numbers beside the bar of colours of this range; a logarithmic one starts at a power
 * of 10. */
void wac_page_colour_tics(wac_page *page, double low, double high, bool logarithmic);

/* `text` without meaning as markup or end of a string. */
void wac_page_quote(char *quoted, size_t size, const char *text);

/* 15000 as "15 000" */
const char *wac_page_count(char text[32], int64_t count);

#endif
