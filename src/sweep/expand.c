/* From the settings of an environment and algorithm to runs: every combination, or some draws. */
#include "sweep/expand.h"

#include "base/hash.h"
#include "base/number.h"
#include "base/status.h"
#include "base/suggest.h"
#include "config/environments.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DRAW_STREAM = 100, /* of random numbers; those of runs are below */
    DIGITS = 3,        /* of a number that is drawn */
};

wac_status wac_expansion_refuse(const wac_expansion *in, size_t line, const wac_error *why)
{
    return wac_fail(in->yaml.error, why->status, "%s:%zu: %s", in->yaml.name, line, why->message);
}

/* The text, with what a path can not have replaced. */
static void append_plain(char *folder, size_t size, const char *text)
{
    size_t used = strlen(folder);
    for (; *text && used + 1 < size; text++)
        folder[used++] = isalnum((unsigned char)*text) || strchr(".-+", *text) ? *text : '-';
    folder[used] = 0;
}

/* ENVIRONMENT/ALGORITHM/LISTED-SETTINGS/seed-N */
static wac_status name_folder(const wac_expansion *in, wac_sweep_run *run, const wac_axes *axes)
{
    char label[320], value[64];
    char folder[2 * WAC_SWEEP_FOLDER] = "";
    enum { SIZE = sizeof folder };
    bool first = true;
    wac_environment_label(label, sizeof label, axes->environment);
    /* hidden folders are no good place */
    const char *start =
        label + strcspn(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "0123456789");
    append_plain(folder, SIZE, *start ? start : "model");
    strcat(folder, "/");
    append_plain(folder, SIZE, wac_algorithm_name((wac_algorithm)run->config.algorithm));
    for (int i = 0; i < axes->count; i++) {
        if (!axes->list[i].listed)
            continue;
        size_t used = strlen(folder);
        snprintf(folder + used, SIZE - used, "%s", first ? "/" : "_");
        first = false;
        wac_config_format(&run->config, axes->list[i].setting, value, sizeof value);
        append_plain(folder, SIZE, axes->list[i].setting->name);
        append_plain(folder, SIZE, "-");
        append_plain(folder, SIZE, value);
    }
    size_t used = strlen(folder);
    snprintf(folder + used, SIZE - used, "/seed-%lld", (long long)run->config.seed);
    if (strlen(folder) >= WAC_SWEEP_FOLDER)
        return wac_fail(in->yaml.error, WAC_STATUS_INPUT,
                        "%s lists more settings than a folder's name can hold (%.60s...); make "
                        "two sweeps of it",
                        in->yaml.name, folder);
    strcpy(run->folder, folder);
    return WAC_STATUS_OK;
}

static wac_status add_run(wac_expansion *in, const wac_sweep_run *run)
{
    wac_sweep *sweep = in->sweep;
    if (sweep->count == WAC_SWEEP_RUNS)
        return wac_fail(in->yaml.error, WAC_STATUS_INPUT,
                        "%s makes more than %d runs; shorten some of its lists", in->yaml.name,
                        WAC_SWEEP_RUNS);
    if (sweep->count == in->room) {
        size_t room = in->room ? 2 * in->room : 64;
        wac_sweep_run *runs = realloc(sweep->runs, room * sizeof *runs);
        if (!runs)
            return wac_fail_memory(in->yaml.error, "the list of runs");
        sweep->runs = runs;
        in->room = room;
    }
    sweep->runs[sweep->count++] = *run;
    return WAC_STATUS_OK;
}

/* One run for each seed. */
static wac_status add_seeds(wac_expansion *in, wac_sweep_run *run, const wac_axes *axes)
{
    const yaml_node_t *node = in->seeds;
    const char *text;
    size_t line = 0;
    double count = 1;
    bool counted = !node || node->type != YAML_SEQUENCE_NODE;
    if (node && counted) {
        WAC_TRY(wac_yaml_number(&in->yaml, &count, node, "seeds"));
        if (count != floor(count) || count < 1 || count > WAC_SWEEP_RUNS)
            return wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                                   "\"seeds\" must be a list, or how many: a whole number from 1 "
                                   "to %d",
                                   WAC_SWEEP_RUNS);
    }
    int seeds = counted ? (int)count : wac_yaml_length(node);
    for (int i = 0; i < seeds; i++) {
        wac_error why;
        run->config.seed = i + 1;
        if (!counted) {
            WAC_TRY(wac_yaml_value(&in->yaml, &text, &line, node, i, "seeds"));
            if (wac_config_set(&run->config, "seed", text, &why) != WAC_STATUS_OK)
                return wac_expansion_refuse(in, line, &why);
        }
        if (wac_config_check(&run->config, &why) != WAC_STATUS_OK)
            return wac_fail(in->yaml.error, why.status, "%s: %s", in->yaml.name, why.message);
        WAC_TRY(name_folder(in, run, axes));
        WAC_TRY(add_run(in, run));
    }
    return WAC_STATUS_OK;
}

static wac_status set_value(wac_expansion *in, wac_config *config, const wac_axis *axis, int index)
{
    const char *text;
    size_t line;
    wac_error why;
    WAC_TRY(wac_yaml_value(&in->yaml, &text, &line, axis->node, index, axis->setting->name));
    if (wac_config_set(config, axis->setting->name, text, &why) != WAC_STATUS_OK)
        return wac_expansion_refuse(in, line, &why);
    return WAC_STATUS_OK;
}

wac_status wac_axes_combine(wac_expansion *in, const wac_sweep_run *base, const wac_axes *axes,
                            int first)
{
    wac_sweep_run run = *base;
    if (first == axes->count)
        return add_seeds(in, &run, axes);
    const wac_axis *axis = &axes->list[first];
    for (int i = 0; i < wac_yaml_length(axis->node); i++) {
        WAC_TRY(set_value(in, &run.config, axis, i));
        WAC_TRY(wac_axes_combine(in, &run, axes, first + 1));
    }
    return WAC_STATUS_OK;
}

/* Draw number `number` of a setting, by its name: the same for every environment and algorithm,
 * however many settings there are, in a search and at all. */
static wac_status draw_value(wac_expansion *in, wac_config *config, const wac_axis *axis,
                             int64_t number)
{
    const char *name = axis->setting->name;
    uint64_t place = wac_hash(WAC_HASH_START, name, strlen(name)) & 0xffff;
    wac_rng rng = {.seed = (uint64_t)in->search->seed,
                   .stream = DRAW_STREAM,
                   .counter = (uint64_t)number << 16 | place};
    double share = wac_rng_uniform(&rng);
    if (!axis->ranged)
        return set_value(in, config, axis, (int)(share * wac_yaml_length(axis->node)));
    double value = axis->logarithmic ? axis->from * pow(axis->to / axis->from, share)
                                     : axis->from + share * (axis->to - axis->from);
    char text[64];
    wac_error why;
    /* few digits: numbers that one can say; rounding must not leave the range */
    if (axis->setting->kind == WAC_SETTING_COUNT)
        snprintf(text, sizeof text, "%lld", (long long)fmin(fmax(value, -9e18), 9e18));
    else
        wac_number_print(text, sizeof text, "%.*g", DIGITS, value);
    double rounded;
    if (axis->setting->kind == WAC_SETTING_REAL && wac_number_parse(&rounded, text) &&
        (rounded < axis->from || rounded > axis->to))
        wac_number_print(text, sizeof text, "%.17g", fmin(fmax(value, axis->from), axis->to));
    if (wac_config_set(config, axis->setting->name, text, &why) != WAC_STATUS_OK)
        return wac_expansion_refuse(in, axis->line, &why);
    return WAC_STATUS_OK;
}

/* Whether these settings were drawn before, by the folder's name up to the seed. */
static bool was_drawn(const wac_sweep *sweep, size_t first, const char *folder)
{
    size_t length = (size_t)(strrchr(folder, '/') - folder) + 1;
    for (size_t i = first; i < sweep->count; i++)
        if (strncmp(sweep->runs[i].folder, folder, length) == 0)
            return true;
    return false;
}

wac_status wac_axes_draw(wac_expansion *in, const wac_sweep_run *base, const wac_axes *axes)
{
    size_t first = in->sweep->count;
    int64_t drawn = 0;
    for (int64_t number = 0; drawn < in->search->samples; number++) {
        wac_sweep_run run = *base;
        if (number >= 20 * in->search->samples + 100)
            return wac_fail(in->yaml.error, WAC_STATUS_INPUT,
                            "%s asks for %lld samples of %s on %s, and there are hardly more than "
                            "%lld different ones; ask for fewer, or leave \"samples\" out to try "
                            "them all",
                            in->yaml.name, (long long)in->search->samples,
                            wac_algorithm_name((wac_algorithm)run.config.algorithm),
                            WAC_CLIP(axes->environment), (long long)drawn);
        for (int i = 0; i < axes->count; i++)
            WAC_TRY(draw_value(in, &run.config, &axes->list[i], number));
        WAC_TRY(name_folder(in, &run, axes));
        if (was_drawn(in->sweep, first, run.folder))
            continue;
        WAC_TRY(add_seeds(in, &run, axes));
        drawn++;
    }
    return WAC_STATUS_OK;
}
