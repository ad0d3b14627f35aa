/* Choosing runs for maps, and drawing them by `wac render`. */
#include "report/maps.h"

#include "base/files.h"
#include "base/status.h"
#include "base/words.h"
#include "draw/render.h"
#include "report/names.h"
#include "rl/algorithms.h"
#include "run/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MAPS = 6 };

const wac_record *wac_maps_run(const wac_group *group)
{
    const wac_record *chosen = NULL;
    char path[PATH_MAX];
    for (size_t i = 0; i < group->count; i++) {
        const wac_record *run = group->runs[i];
        bool better = !chosen || (run->finished && !chosen->finished);
        if (better && run->folder && wac_folder_find_checkpoint(path, run->folder))
            chosen = run;
    }
    return chosen;
}

/* Who is drawn. */
typedef struct mapped {
    const wac_group *groups[MOST_MAPS];
    const wac_record *runs[MOST_MAPS];
    int count;
    size_t total;
    const char *algorithm; /* that all have, and names leave out; or null */
} mapped;

static bool is_mapped(const wac_figure_order *order, size_t group)
{
    return wac_figure_means(order->figure, order->selection, group) &&
           wac_maps_run(&order->selection->set->groups[group]);
}

/* Of more groups than there is room for those with the best places. */
static wac_status choose_maps(mapped *maps, const wac_figure_order *order, wac_error *error)
{
    const wac_runset *set = order->selection->set;
    size_t *places;
    *maps = (mapped){0};
    WAC_TRY(wac_groups_rank(&places, set, error));
    for (size_t i = 0; i < set->group_count; i++) {
        size_t before = 0;
        if (!is_mapped(order, i))
            continue;
        for (size_t k = 0; k < set->group_count; k++)
            before +=
                is_mapped(order, k) && (places[k] < places[i] || (places[k] == places[i] && k < i));
        maps->total++;
        if (before >= MOST_MAPS)
            continue;
        maps->groups[maps->count] = &set->groups[i];
        maps->runs[maps->count++] = wac_maps_run(&set->groups[i]);
    }
    free(places);
    bool same = maps->count > 1;
    for (int i = 0; i < maps->count; i++)
        same &= strcmp(maps->runs[i]->algorithm, maps->runs[0]->algorithm) == 0;
    maps->algorithm = same ? maps->runs[0]->algorithm : NULL;
    return WAC_STATUS_OK;
}

/* Whose maps they are, and of mazes what is counted there. */
static void explain_maps(wac_drawing *drawing, const mapped *maps)
{
    bool same = true, two = false;
    size_t size = sizeof drawing->caption;
    for (int i = 0; i < maps->count; i++) {
        const wac_config *config = &maps->runs[i]->config;
        same &= config->seed == maps->runs[0]->config.seed;
        two |= wac_algorithm_row_of(config).policies > 1;
    }
    size_t used =
        (size_t)snprintf(drawing->caption, size, "From the last checkpoint of one run each (seed%s",
                         same ? "" : "s");
    for (int i = 0; i < (same ? 1 : maps->count); i++)
        used += (size_t)snprintf(drawing->caption + used, size - used, "%s%lld", i ? ", " : " ",
                                 (long long)maps->runs[i]->config.seed);
    used += (size_t)snprintf(drawing->caption + used, size - used, ").");
    if (wac_word_index(WAC_FOR_POINT, maps->runs[0]->config.environment) >= 0)
        used += (size_t)snprintf(
            drawing->caption + used, size - used,
            " Blue: visits while learning%s. Lines: episodes of what was learned.",
            two ? "; of a target policy, those of its evaluations over all of training" : "");
    wac_caption_groups(drawing->caption + used, size - used, maps->algorithm, (size_t)maps->count,
                       maps->total);
}

wac_status wac_maps_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error)
{
    char *paths[MOST_MAPS], out[PATH_MAX], names[MOST_MAPS][WAC_PRETTY];
    const char *pointers[MOST_MAPS];
    mapped maps;
    WAC_TRY(choose_maps(&maps, order, error));
    int count = maps.count;
    for (int i = 0; i < count; i++) {
        paths[i] = maps.runs[i]->folder;
        pointers[i] =
            wac_pretty_label(names[i], wac_label_beyond(maps.groups[i]->label, maps.algorithm));
    }
    wac_render_options options = wac_render_options_default();
    wac_rendering drawn;
    options.out = out;
    options.pdf = true;
    options.inches = order->look.inches;
    options.names = pointers;
    options.stop = order->stop;
    WAC_TRY(wac_path_join(out, sizeof out, order->folder, drawing->name, error));
    drawing->empty = count == 0;
    if (count == 0)
        return wac_fail(error, WAC_STATUS_INPUT,
                        "there is no run in a maze, or of a task with one state and one action, "
                        "that has a checkpoint");
    explain_maps(drawing, &maps);
    WAC_TRY(wac_render(&drawn, paths, count, &options, error));
    drawing->width = drawn.width;
    drawing->is_png = true;
    if (drawn.width <= WAC_FIGURE_SMALL)
        return WAC_STATUS_OK;
    char file[96];
    snprintf(file, sizeof file, "%s-narrow.png", drawing->name);
    WAC_TRY(wac_path_join(out, sizeof out, order->folder, file, error));
    options.inches = WAC_FIGURE_NARROW;
    drawing->narrow = true;
    return wac_render(&drawn, paths, count, &options, error);
}
