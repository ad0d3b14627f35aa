/* The nearest names by the distance of Damerau and Levenshtein: the number of letters to insert,
 * drop, replace or swap with a neighbour. */
#include "base/suggest.h"

#include "base/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 63 };

static char fold(char letter)
{
    if (letter == '_')
        return '-';
    return letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Both words at most LONGEST letters. */
static size_t distance(const char *a, const char *b)
{
    size_t width = strlen(b);
    size_t rows[3][LONGEST + 1]; /* row i % 3: from the first i letters of a to those of b */
    for (size_t j = 0; j <= width; j++)
        rows[0][j] = j;
    size_t i = 0;
    for (; a[i]; i++) {
        const size_t *before = rows[(i + 2) % 3], *above = rows[i % 3];
        size_t *row = rows[(i + 1) % 3];
        row[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            size_t replace = above[j] + (fold(a[i]) != fold(b[j]));
            row[j + 1] = smaller(replace, 1 + smaller(above[j + 1], row[j]));
            if (i > 0 && j > 0 && fold(a[i]) == fold(b[j - 1]) && fold(a[i - 1]) == fold(b[j]))
                row[j + 1] = smaller(row[j + 1], before[j - 1] + 1);
        }
    }
    return rows[i % 3][width];
}

typedef enum part { NO_PART, SOME_PART, WHOLE_PART } part;

/* Whether the word is in the name, and between dashes or ends. */
static part part_of(const char *name, const char *word)
{
    part found = NO_PART;
    for (const char *at = name; *at; at++) {
        size_t length = 0;
        while (word[length] && fold(at[length]) == fold(word[length]))
            length++;
        bool starts = at == name || fold(at[-1]) == '-';
        bool ends = !at[length] || fold(at[length]) == '-';
        if (!word[length] && found != WHOLE_PART)
            found = starts && ends ? WHOLE_PART : SOME_PART;
    }
    return found;
}

/* How far a name is, in halves of a slip; SIZE_MAX: too far. One slip may be, and one more for
 * every five letters. A whole part of a name is nearer than any slip, any other comes after all. */
static size_t cost_of(const char *word, const char *name)
{
    size_t length = strlen(word), other = strlen(name), most = 2 * (1 + length / 5);
    if (other == 0 || other > LONGEST)
        return SIZE_MAX;
    /* no fewer slips than letters that one has more than the other */
    size_t cost = 2 * (length < other ? other - length : length - other);
    if (cost <= most)
        cost = 2 * distance(word, name);
    part part = length < 3 ? NO_PART : part_of(name, word);
    return cost > 0 && part == WHOLE_PART ? 1 : cost <= most ? cost : part ? most + 1 : SIZE_MAX;
}

/* Whether one name is as the other, but for a digit that is one more: point-2 after point-1. */
static bool follows(const char *name, const char *before)
{
    while (*name && *name == *before) {
        name++;
        before++;
    }
    return *before >= '0' && *before <= '8' && *name == *before + 1 &&
           strcmp(name + 1, before + 1) == 0;
}

/* The name in whose place the series of it ends, among those that cost as much; *last is that
 * name. */
static size_t end_of_series(size_t from, const char **last, const char *word, wac_name_fn *name_at,
                            const void *names)
{
    const char *next;
    size_t cost = cost_of(word, *last);
    while ((next = name_at(names, from + 1)) && follows(next, *last) &&
           cost_of(word, next) == cost) {
        *last = next;
        from++;
    }
    return from;
}

const char *wac_suggest(char text[WAC_SUGGESTION], const char *word, wac_name_fn *name_at,
                        const void *names, const char *otherwise)
{
    enum { MOST = 4 };
    size_t least = SIZE_MAX, count = 0, used = 0;
    char near[MOST][2 * LONGEST + 9];
    const char *name;
    if (strlen(word) > LONGEST)
        return otherwise;
    for (size_t i = 0; (name = name_at(names, i)); i++)
        least = smaller(least, cost_of(word, name));
    for (size_t i = 0; least < SIZE_MAX && count < MOST && (name = name_at(names, i)); i++) {
        const char *last = name;
        if (cost_of(word, name) != least)
            continue;
        i = end_of_series(i, &last, word, name_at, names);
        snprintf(near[count++], sizeof *near, last == name ? "\"%s\"" : "\"%s\" to \"%s\"",
                 WAC_CLIP(name), WAC_CLIP(last));
    }
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, WAC_SUGGESTION - used, "%s%s",
                                 i == 0           ? "did you mean "
                                 : i + 1 == count ? " or "
                                                  : ", ",
                                 near[i]);
    return count ? strcat(text, "?") : otherwise;
}

const char *wac_name_in_array(const void *names, size_t index)
{
    return ((const char *const *)names)[index];
}

const char *wac_clip(char clipped[WAC_CLIP_SIZE], const char *text)
{
    static const char dots[] = "...";
    size_t room = WAC_CLIP_SIZE - sizeof dots, length = 0;
    for (; text[length] && length < room; length++)
        clipped[length] = text[length];
    if (text[length]) {
        /* never end within a UTF-8 character */
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
        strcpy(clipped + length, dots);
    } else {
        clipped[length] = 0;
    }
    wac_hide_control(clipped);
    return clipped;
}

const char *wac_shell(char word[WAC_SHELL_SIZE], const char *path)
{
    bool plain = *path;
    for (const char *letter = path; *letter; letter++)
        plain = plain && ((unsigned char)*letter >= 0x80 || isalnum((unsigned char)*letter) ||
                          strchr("_./+:@%,=-", *letter));
    if (plain && strlen(path) < WAC_SHELL_SIZE)
        return strcpy(word, path);
    size_t used = 0;
    word[used++] = '\'';
    for (; *path && used + 6 < WAC_SHELL_SIZE; path++)
        if (*path == '\'')
            used += (size_t)sprintf(word + used, "'\\''");
        else
            word[used++] = *path;
    strcpy(word + used, "'");
    return word;
}
