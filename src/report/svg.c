/* Drawings made small. Most of one is points, finer and closer than anyone sees; the rest is
 * attributes that say what holds anyway, groups of nothing, blanks, and quotes, of which one kind
 * needs one letter in an address and the other three. */
#include "report/svg.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A letter of an address, as it is or as %41. */
static void write_letter(FILE *to, unsigned char letter)
{
    bool plain = letter > ' ' && letter < 0x7f && !strchr("\"#%&:<>\\^`{|}", letter);
    fprintf(to, plain ? "%c" : "%%%02X", letter);
}

/* --- lines ------------------------------------------------------------------------------------ */

enum { MOST_SKIPPED = 64 };

/* in tenths of a pixel */
typedef struct point {
    int64_t x, y;
} point;

typedef struct line {
    FILE *to;
    bool is_path; /* or a polygon, whose points are all told from the same corner */
    int written;  /* points since its beginning */
    point told, skipped[MOST_SKIPPED]; /* the last of these is where the line is */
    int count;
} line;

static void write_number(FILE *to, int64_t tenths, bool apart)
{
    int64_t size = llabs(tenths);
    fprintf(to, "%s%s", apart && tenths >= 0 ? "," : "", tenths < 0 ? "-" : "");
    if (size >= 10 || size == 0)
        fprintf(to, "%lld", (long long)(size / 10));
    if (size % 10)
        fprintf(to, ".%lld", (long long)(size % 10));
}

static void write_point(line *line, point at)
{
    bool relative = line->is_path && line->written > 0, second = relative && line->written == 1;
    if (second)
        write_letter(line->to, 'l');
    write_number(line->to, at.x - (relative ? line->told.x : 0), line->written > 0 && !second);
    write_number(line->to, at.y - (relative ? line->told.y : 0), true);
    line->told = at;
    line->written++;
}

/* Whether a point lies between two others, a twentieth of a pixel beside it at most. */
static bool is_between(point at, point from, point to)
{
    int64_t x = to.x - from.x, y = to.y - from.y, length = x * x + y * y;
    int64_t along = (at.x - from.x) * x + (at.y - from.y) * y;
    int64_t beside = (at.x - from.x) * y - (at.y - from.y) * x;
    return along >= 0 && along <= length && 4 * beside * beside <= length;
}

static void end_line(line *line)
{
    if (line->count > 0)
        write_point(line, line->skipped[line->count - 1]);
    line->count = 0;
}

static void add_point(line *line, point at)
{
    bool straight = line->count < MOST_SKIPPED;
    for (int i = 0; i < line->count && straight; i++)
        straight = is_between(line->skipped[i], line->told, at);
    if (!straight)
        end_line(line);
    line->skipped[line->count++] = at;
}

/* The points of a line up to the quote, if they are nothing but points: "1.00,2.00 3,4" of a
 * polygon, "M1.00,2.00 L3,4" of a path. Where they end; 0: they are something else. */
static size_t measure_points(const char *bytes, size_t size, size_t at)
{
    while (at < size && (isdigit((unsigned char)bytes[at]) || isspace((unsigned char)bytes[at]) ||
                         (bytes[at] && strchr("ML-.,", bytes[at]))))
        at++;
    return at < size && bytes[at] == '\'' ? at : 0;
}

/* A number, rounded to tenths, and where it ends; whatever the language of numbers is here. False:
 * it is none, or too large for a drawing. */
static bool read_tenths(int64_t *tenths, const char *bytes, size_t end, size_t *at)
{
    int64_t hundredths = 0;
    int digits = 0, decimals = -1;
    bool negative = *at < end && bytes[*at] == '-';
    *at += negative;
    for (; *at < end && (isdigit((unsigned char)bytes[*at]) || bytes[*at] == '.'); ++*at) {
        if (bytes[*at] == '.') {
            decimals++;
            continue;
        }
        digits++;
        decimals += decimals >= 0;
        if (decimals <= 2 && hundredths < INT32_MAX)
            hundredths = 10 * hundredths + (bytes[*at] - '0');
    }
    for (; decimals < 2; decimals += 1 + (decimals < 0))
        hundredths *= 10;
    *tenths = (hundredths + 5) / 10 * (negative ? -1 : 1);
    return digits > 0 && hundredths < INT32_MAX;
}

static void write_points(FILE *to, const char *bytes, size_t end, size_t at, bool is_path)
{
    line line = {.to = to, .is_path = is_path};
    while (at < end) {
        point here;
        if (bytes[at] == 'M') {
            end_line(&line);
            line.written = 0;
            write_letter(to, 'M');
        }
        at += bytes[at] == 'M' || bytes[at] == 'L';
        if (!read_tenths(&here.x, bytes, end, &at) || at == end || bytes[at++] != ',' ||
            !read_tenths(&here.y, bytes, end, &at))
            break; /* blanks at the end */
        if (line.written)
            add_point(&line, here);
        else
            write_point(&line, here);
        while (at < end && isspace((unsigned char)bytes[at]))
            at++;
    }
    end_line(&line);
}

/* --- the rest --------------------------------------------------------------------------------- */

static bool begins_with(const char *bytes, size_t size, size_t at, const char *text)
{
    size_t length = strlen(text);
    return size - at >= length && memcmp(bytes + at, text, length) == 0;
}

/* The first place of a text from `at` on, or the size. */
static size_t find(const char *bytes, size_t size, size_t at, const char *text)
{
    const char *found = memmem(bytes + at, size - at, text, strlen(text));
    return found ? (size_t)(found - bytes) : size;
}

/* Symbols are there to be pointed at ("#gpPt5"). */
static bool are_symbols_used(const char *bytes, size_t size, size_t beyond)
{
    return find(bytes, size, beyond, "#gp") < size || find(bytes, size, beyond, "url(") < size;
}

/* Where what changes nothing ends: an attribute, a name that nobody sees, symbols that are not
 * used, a group with nothing in it. */
static size_t skip_needless(const char *bytes, size_t size, size_t at)
{
    static const char *const attributes[] = {" stroke-linecap=\"butt\" stroke-linejoin=\"miter\"",
                                             " color=\"black\"", " stroke-width=\"1.00\"",
                                             " class=\"gridline\""};
    static const char *const elements[] = {"<title>", "</title>", "<defs>", "</defs>"};
    static const char font[] = " font-family=\"sans-serif\" >"; /* of a tspan: its group's, too */
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (begins_with(bytes, size, at, attributes[i]))
            return at + strlen(attributes[i]);
    if (begins_with(bytes, size, at, font))
        return at + strlen(font) - 1;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i += 2) {
        size_t end = begins_with(bytes, size, at, elements[i])
                         ? find(bytes, size, at, elements[i + 1])
                         : size;
        if (end < size && (i == 0 || !are_symbols_used(bytes, size, end)))
            return end + strlen(elements[i + 1]);
    }
    if (!begins_with(bytes, size, at, "<g "))
        return at;
    size_t end = find(bytes, size, at, ">") + 1;
    while (end < size && isspace((unsigned char)bytes[end]))
        end++;
    return end < size && begins_with(bytes, size, end, "</g>") ? end + strlen("</g>") : at;
}

void wac_svg_write(FILE *to, const char *bytes, size_t size)
{
    bool in_tag = false;
    char last = '>';
    for (size_t i = 0; i < size;) {
        size_t beyond = skip_needless(bytes, size, i);
        if (beyond > i) {
            i = beyond;
            continue;
        }
        char letter = bytes[i], next = i + 1 < size ? bytes[i + 1] : '<';
        bool blank = isspace((unsigned char)letter);
        bool needless = isspace((unsigned char)next) || (letter != ' ' && next == '<') ||
                        (in_tag && (strchr("=/>", next) || strchr("=(,", last)));
        i++;
        if (blank && needless)
            continue;
        in_tag = letter == '<' || (in_tag && letter != '>');
        write_letter(to, (unsigned char)(in_tag && letter == '"' ? '\'' : letter));
        last = letter;
        bool path = begins_with(bytes, size, i, "d='");
        bool polygon = begins_with(bytes, size, i, "points = '");
        size_t first = i + strlen(path ? "d='" : "points = '");
        size_t end = blank && (path || polygon) ? measure_points(bytes, size, first) : 0;
        if (end == 0)
            continue;
        fputs(path ? "d='" : "points='", to);
        write_points(to, bytes, end, first, path);
        i = end;
    }
}
