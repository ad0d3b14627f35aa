/* Names as people write them. */
#include "report/names.h"

#include "base/words.h"
#include "config/environments.h"
#include "draw/style.h"

#include <stdio.h>
#include <string.h>

/* Without underscores, and as people write it; in labels some are shorter. */
static const char *write_setting(char text[WAC_PRETTY], const char *name, bool in_label)
{
    static const struct {
        const char *name, *pretty;
        bool in_label;
    } words[] = {
        {"lambda", "λ", false},
        {"rho", "ρ", false},
        {"quantile", "δ", false},
        {"oac_delta", "OAC δ", false},
        {"oac_beta", "OAC β", false},
        {"learning_rate", "lr", true},
        {"std_learning_rate", "σ lr", true},
    };
    const char *pretty = name;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i].name, name) == 0 && (in_label || !words[i].in_label))
            pretty = words[i].pretty;
    snprintf(text, WAC_PRETTY, "%s", pretty);
    for (char *letter = text; *letter; letter++)
        *letter = *letter == '_' ? ' ' : *letter;
    return text;
}

const char *wac_pretty_setting(char text[WAC_PRETTY], const char *name)
{
    return write_setting(text, name, false);
}

const char *wac_pretty_environment(char text[WAC_PRETTY], const char *name)
{
    return wac_style_environment(text, WAC_PRETTY, name);
}

/* Word by word. */
const char *wac_pretty_label(char text[WAC_PRETTY], const char *label)
{
    size_t used = 0;
    *text = 0;
    while (*label && used + 1 < WAC_PRETTY) {
        char name[96], title[WAC_STYLE_TITLE], setting[WAC_PRETTY];
        int length = (int)strcspn(label, " ");
        snprintf(name, sizeof name, "%.*s", length, label);
        bool is_algorithm = wac_word_index(&WAC_ALGORITHM_WORDS[1], name) >= 0;
        used += (size_t)snprintf(text + used, WAC_PRETTY - used, "%s%s", used ? " " : "",
                                 is_algorithm ? wac_style_title(title, name)
                                              : write_setting(setting, name, true));
        label += length;
        label += strspn(label, " ");
    }
    return text;
}

const char *wac_label_beyond(const char *label, const char *algorithm)
{
    size_t length = algorithm ? strlen(algorithm) : 0;
    return length && label[length] ? label + length + 1 : label;
}

void wac_caption_groups(char *text, size_t size, const char *algorithm, size_t shown, size_t total)
{
    char title[WAC_STYLE_TITLE];
    *text = 0;
    if (algorithm)
        snprintf(text, size, " All runs are of %s.", wac_style_title(title, algorithm));
    size_t used = strlen(text);
    if (shown < total)
        snprintf(text + used, size - used,
                 " Shown are %zu of %zu: %sthose that went furthest, then those with the best "
                 "scores.",
                 shown, total, algorithm ? "" : "of each algorithm ");
}

const char *wac_pretty_task(char text[WAC_PRETTY], const wac_selection *selection, size_t task)
{
    const wac_runset *set = selection->set;
    const wac_group *found = NULL;
    char name[WAC_ENVIRONMENT_NAME], other[WAC_ENVIRONMENT_NAME];
    bool shared = false;
    for (size_t i = 0; i < set->group_count && !found; i++)
        if (set->groups[i].task == task)
            found = &set->groups[i];
    *text = 0;
    if (!found)
        return text;
    wac_environment_name(name, &found->runs[0]->config);
    for (size_t i = 0; i < set->group_count; i++) {
        wac_environment_name(other, &set->groups[i].runs[0]->config);
        shared |= wac_selection_has(selection, i) && set->groups[i].task != task &&
                  strcmp(name, other) == 0;
    }
    if (shared)
        snprintf(text, WAC_PRETTY, "%.300s", found->task_name);
    else
        wac_pretty_environment(text, name);
    return text;
}
