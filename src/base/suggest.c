/* The nearest name by the distance of Damerau and Levenshtein: the number of letters to insert,
 * drop, replace or swap with a neighbour. */
#include "base/suggest.h"

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

static size_t shared_start(const char *a, const char *b)
{
    size_t length = 0;
    while (a[length] && fold(a[length]) == fold(b[length]))
        length++;
    return length;
}

const char *wac_suggest(const char *word, wac_name_fn *name_at, const void *names)
{
    size_t length = strlen(word);
    if (length > LONGEST)
        return NULL;
    /* one slip, and one more for every five letters; the start of a name is as good as that */
    size_t farthest = 1 + length / 5, least = farthest + 1;
    const char *best = NULL, *name;
    for (size_t i = 0; (name = name_at(names, i)); i++) {
        if (strlen(name) > LONGEST)
            continue;
        size_t cost = distance(word, name);
        if (length >= 3 && shared_start(word, name) == length)
            cost = smaller(cost, farthest);
        if (cost < least) {
            least = cost;
            best = name;
        }
    }
    return best;
}

const char *wac_name_in_array(const void *names, size_t index)
{
    return ((const char *const *)names)[index];
}

const char *wac_clip(char clipped[WAC_CLIP_SIZE], const char *text)
{
    static const char dots[] = "...";
    size_t room = WAC_CLIP_SIZE - sizeof dots, length = 0;
    for (; text[length] && length < room; length++) {
        unsigned char letter = (unsigned char)text[length];
        clipped[length] = letter < 0x20 || letter == 0x7f ? '?' : text[length];
    }
    if (text[length]) {
        /* never end within a UTF-8 character */
        while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
        strcpy(clipped + length, dots);
    } else {
        clipped[length] = 0;
    }
    return clipped;
}
