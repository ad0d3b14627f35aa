/* What to say about a name that nobody knows: the nearest ones that somebody does. */
#ifndef WAC_BASE_SUGGEST_H
#define WAC_BASE_SUGGEST_H

#include <stddef.h>

/* Name number `index` of a list, from 0; null past its end. `names` is whatever the caller passed.
 */
typedef const char *wac_name_fn(const void *names, size_t index);

/* 'did you mean "sac"?', by the names of the list that `word` was probably meant to be; of equally
 * near ones the first four, where '"point-1" to "point-4"' is one. `otherwise`, which may be null,
 * where none is near. Upper and lower case, and dash and underscore, count as equal. */
enum { WAC_SUGGESTION = 576 };
const char *wac_suggest(char text[WAC_SUGGESTION], const char *word, wac_name_fn *name_at,
                        const void *names, const char *otherwise);

/* A wac_name_fn for a null-terminated array of strings. */
wac_name_fn wac_name_in_array;

/* `text` made fit for a message: shortened, control characters replaced. Returns `clipped`. */
enum { WAC_CLIP_SIZE = 72 };
const char *wac_clip(char clipped[WAC_CLIP_SIZE], const char *text);

/* A path as one word of a shell, for commands that a message tells: itself, or in quotes. Returns
 * `word`. */
enum { WAC_SHELL_SIZE = 4096 };
const char *wac_shell(char word[WAC_SHELL_SIZE], const char *path);

/* All into storage of the enclosing block. */
#define WAC_SUGGEST(word, name_at, names, otherwise)                                               \
    wac_suggest((char[WAC_SUGGESTION]){0}, (word), (name_at), (names), (otherwise))
#define WAC_CLIP(text) wac_clip((char[WAC_CLIP_SIZE]){0}, (text))
#define WAC_SHELL(path) wac_shell((char[WAC_SHELL_SIZE]){0}, (path))

#endif
