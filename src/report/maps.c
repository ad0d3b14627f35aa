/* Figures of single runs: where they went, by `wac render`. */
#include "report/maps.h"

#include "base/files.h"
#include "base/status.h"
#include "draw/render.h"
#include "report/names.h"

#include <stdio.h>
#include <string.h>

enum { MOST_MAPS = 6 };

/* A finished run of the group if there is one. */
static const wac_record *choose_run(const wac_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->runs[i]->finished)
            return group->runs[i];
    return group->runs[0];
}

/* "OE-WAC λ 0.5", also where labels leave the algorithm out. */
static void name_run(char name[WAC_PRETTY], const wac_record *run, const char *label)
{
    const char *algorithm = wac_algorithm_name((wac_algorithm)run->config.algorithm);
    char whole[WAC_PRETTY];
    bool has_it = strncmp(label, algorithm, strlen(algorithm)) == 0;
    snprintf(whole, sizeof whole, "%s%s%.280s", has_it ? "" : algorithm, has_it ? "" : " ", label);
    wac_pretty_label(name, whole);
}

static void write_caption(wac_drawing *drawing, int count, size_t left_out, const int64_t *seeds)
{
    bool same = true;
    for (int i = 1; i < count; i++)
        same &= seeds[i] == seeds[0];
    int used = snprintf(drawing->caption, sizeof drawing->caption,
                        "From the last checkpoint of one run each (seed%s", same ? "" : "s");
    for (int i = 0; i < (same ? 1 : count); i++)
        used += snprintf(drawing->caption + used, sizeof drawing->caption - (size_t)used, "%s%lld",
                         i ? ", " : " ", (long long)seeds[i]);
    used += snprintf(drawing->caption + used, sizeof drawing->caption - (size_t)used, ").");
    if (left_out)
        snprintf(drawing->caption + used, sizeof drawing->caption - (size_t)used,
                 " %zu more are not shown.", left_out);
}

wac_status wac_maps_draw(wac_drawing *drawing, const wac_figure_order *order, wac_error *error)
{
    const wac_runset *set = order->selection->set;
    char *paths[MOST_MAPS], out[PATH_MAX], names[MOST_MAPS][WAC_PRETTY];
    const char *pointers[MOST_MAPS];
    int64_t seeds[MOST_MAPS];
    size_t left_out = 0;
    int count = 0;
    for (size_t i = 0; i < set->group_count; i++) {
        if (!wac_figure_means(order->figure, order->selection, i))
            continue;
        if (count == MOST_MAPS) {
            left_out++;
            continue;
        }
        const wac_record *run = choose_run(&set->groups[i]);
        paths[count] = run->path;
        name_run(names[count], run, set->groups[i].label);
        pointers[count] = names[count];
        seeds[count++] = run->config.seed;
    }
    wac_render_options options = wac_render_options_default();
    wac_rendering drawn;
    options.out = out;
    options.pdf = true;
    options.names = pointers;
    options.stop = order->stop;
    WAC_TRY(wac_path_join(out, sizeof out, order->folder, drawing->name, error));
    drawing->width = 1200;
    write_caption(drawing, count, left_out, seeds);
    return count ? wac_render(&drawn, paths, count, &options, error)
                 : wac_fail(error, WAC_STATUS_INPUT, "there is no such run");
}
