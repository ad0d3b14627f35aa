/* Lists of words in one string: "first|second". */
#ifndef WAC_BASE_WORDS_H
#define WAC_BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it is the same name, dash and underscore alike. */
bool wac_word_is(const char *name, const char *spelled);

/* The place of a word in the list, from 0, or -1. */
int wac_word_index(const char *words, const char *word);

/* Word number `index`, or null past the end; not terminated. */
const char *wac_word_at(const char *words, int index, size_t *size);

/* "first, second or third" */
void wac_words_join(char *text, size_t size, const char *words);

/* Whether it has control characters, which a terminal obeys, but these; those that UTF-8 writes in
 * two bytes (U+0080 to U+009F) are some, too. */
bool wac_has_control(const char *text, const char *but);

/* A question mark in place of every byte of them: for text from outside that is shown. */
void wac_hide_control(char *text);

#endif
