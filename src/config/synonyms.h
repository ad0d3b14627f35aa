/* What other libraries call the settings and flags, so that a stranger is told the right name. */
#ifndef WAC_CONFIG_SYNONYMS_H
#define WAC_CONFIG_SYNONYMS_H

#include "base/suggest.h"

/* wac_suggest for names of settings and flags: where `word` is what other libraries call one of the
 * list, 'did you mean "learning_rate"?', with a sentence behind it where more must be known. */
const char *wac_setting_suggest(char text[WAC_SUGGESTION], const char *word, wac_name_fn *name_at,
                                const void *names, const char *otherwise);

/* Into storage of the enclosing block. */
#define WAC_SETTING_SUGGEST(word, name_at, names, otherwise)                                       \
    wac_setting_suggest((char[WAC_SUGGESTION]){0}, (word), (name_at), (names), (otherwise))

#endif
