#include "base/words.h"

#include <stdio.h>
#include <string.h>

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
