#include "base/words.h"

#include <stdio.h>
#include <string.h>

static char dashless(char letter)
{
    return letter == '-' ? '_' : letter;
}

bool wac_word_is(const char *name, const char *spelled)
{
    while (*name && dashless(*name) == dashless(*spelled))
        name++, spelled++;
    return *name == *spelled;
}

int wac_word_index(const char *words, const char *word)
{
    const char *at;
    size_t size, length = strlen(word);
    for (int index = 0; (at = wac_word_at(words, index, &size)); index++)
        if (size == length && strncmp(at, word, size) == 0)
            return index;
    return -1;
}

const char *wac_word_at(const char *words, int index, size_t *size)
{
    for (; *size = strcspn(words, "|"), index > 0; index--) {
        if (!words[*size])
            return NULL;
        words += *size + 1;
    }
    return index == 0 ? words : NULL;
}

void wac_words_join(char *text, size_t size, const char *words)
{
    size_t used = 0, length;
    const char *word;
    *text = 0;
    for (int i = 0; (word = wac_word_at(words, i, &length)) && used < size; i++) {
        const char *between = i == 0 ? "" : word[length] ? ", " : " or ";
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", between, (int)length, word);
    }
}

/* Bytes of the control character that the text, which is not empty, begins with; 0: it is none. */
static size_t control_size(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] == 0xc2 && bytes[1] >= 0x80 && bytes[1] < 0xa0)
        return 2;
    return bytes[0] < ' ' || bytes[0] == 0x7f;
}

bool wac_has_control(const char *text, const char *but)
{
    while (*text && (!control_size(text) || strchr(but, *text)))
        text++;
    return *text;
}

void wac_hide_control(char *text)
{
    for (; *text; text++)
        memset(text, '?', control_size(text));
}
