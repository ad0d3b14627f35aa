/* Sweep files: a product of lists, in YAML.
 *
 *     environments: [lqg, riverswim]
 *     algorithms: [sac, oe-wac]
 *     seeds: 5                        # 1 to 5; or a list
 *     settings: {epochs: 30}          # for all runs; a value or a list of values
 *     oe-wac: {lambda: [0, 0.5]}      # for the runs of an algorithm or an environment
 *
 * What stands under an algorithm or environment goes before `settings`. A setting that is written
 * as a list, be it of one value, is part of the folder's name, so a list may grow later and the
 * folders keep their names. Refusals name file and line.
 */
#include "run/sweep_file.h"

#include "base/files.h"
#include "base/number.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/yaml.h"
#include "env/registry.h"
#include "run/config.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST_FILE = 256 * 1024,
    MOST_BLOCKS = 64, /* under the names of algorithms and environments */
    ALGORITHMS = 4,
    DRAW_STREAM = 100, /* of random numbers; those of runs are below */
    DIGITS = 3,        /* of a number that is drawn */
};

/* One setting and what it shall be: a value, a list of values, or a range to draw from. */
typedef struct axis {
    const wac_setting *setting;
    size_t line;
    const yaml_node_t *node;
    bool listed; /* a list or a range: part of the folder's name */
    bool ranged, logarithmic;
    double from, to;
} axis;

/* The settings below `settings`, an algorithm or an environment. */
typedef struct block {
    const char *name;
    size_t line;
    const yaml_node_t *node;
    bool by_algorithm;
} block;

/* A list of names, or a single one. */
typedef struct names {
    const yaml_node_t *node; /* null: not in the file */
    size_t line;
} names;

typedef struct file {
    wac_yaml yaml;
    names environments, algorithms, seeds;
    block settings;
    block blocks[MOST_BLOCKS];
    int block_count;
    wac_search *search; /* null: a sweep */
    size_t search_lines[4];
    wac_sweep *sweep;
    size_t room; /* of sweep->runs */
} file;

static const char *const search_keys[] = {"samples", "seed", "measure", "last", NULL};
static const char *const main_keys[] = {"environments", "algorithms", "seeds", "settings", NULL};

static wac_status refuse(const file *in, size_t line, const wac_error *why)
{
    return wac_fail(in->yaml.error, why->status, "%s:%zu: %s", in->yaml.name, line, why->message);
}

/* --- lists -------------------------------------------------------------------------------------*/

static int length_of(const yaml_node_t *node)
{
    if (node->type != YAML_SEQUENCE_NODE)
        return 1;
    return (int)(node->data.sequence.items.top - node->data.sequence.items.start);
}

/* Value number `index` of a list, or the single value. */
static wac_status value_at(file *in, const char **text, size_t *line, const yaml_node_t *node,
                           int index, const char *key)
{
    if (node->type == YAML_SEQUENCE_NODE)
        node = wac_yaml_node(&in->yaml, node->data.sequence.items.start[index]);
    *line = wac_yaml_line(node);
    return wac_yaml_text(&in->yaml, text, node, key);
}

static wac_status check_list(const file *in, const yaml_node_t *node, const char *key)
{
    if (length_of(node) == 0)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                               "the list of \"%s\" is empty; write at least one value", key);
    return WAC_STATUS_OK;
}

/* The place of a name in a list of the file, or -1. */
static int find_name(file *in, const names *list, const char *name, const char *key)
{
    const char *text;
    size_t line;
    for (int i = 0; list->node && i < length_of(list->node); i++)
        if (value_at(in, &text, &line, list->node, i, key) == WAC_STATUS_OK &&
            strcmp(text, name) == 0)
            return i;
    return -1;
}

/* --- the keys of the file ----------------------------------------------------------------------*/

static const char *known_key(const void *names, size_t index)
{
    const file *in = names;
    size_t own = sizeof main_keys / sizeof *main_keys - 1;
    if (index < own)
        return main_keys[index];
    index -= own;
    if (in->search && index < sizeof search_keys / sizeof *search_keys - 1)
        return search_keys[index];
    index -= in->search ? sizeof search_keys / sizeof *search_keys - 1 : 0;
    return index < ALGORITHMS ? wac_algorithm_name((wac_algorithm)index) : NULL;
}

static wac_status refuse_key(const file *in, const wac_yaml_pair *pair)
{
    size_t line = wac_yaml_line(pair->key_node);
    const wac_setting *setting;
    const wac_environment_type *type;
    const char *key = pair->key;
    for (int i = 0; i < ALGORITHMS; i++)
        if (strcmp(key, wac_algorithm_name((wac_algorithm)i)) == 0)
            return wac_yaml_refuse(&in->yaml, line,
                                   "these are settings of %s, which is not one of the algorithms; "
                                   "add it to \"algorithms\" or leave them out",
                                   key);
    if (wac_environment_type_find(&type, key, NULL) == WAC_STATUS_OK)
        return wac_yaml_refuse(&in->yaml, line,
                               "these are settings of %s, which is not one of the environments; "
                               "add it to \"environments\" or leave them out",
                               WAC_CLIP(key));
    const char *near = wac_suggest(key, known_key, in);
    if (near)
        return wac_yaml_refuse(&in->yaml, line, "unknown key \"%s\"; did you mean \"%s\"?",
                               WAC_CLIP(key), near);
    if (wac_setting_find(&setting, key, NULL) == WAC_STATUS_OK)
        return wac_yaml_refuse(&in->yaml, line, "\"%s\" is a setting; move it below \"settings:\"",
                               WAC_CLIP(key));
    return wac_yaml_refuse(&in->yaml, line,
                           "unknown key \"%s\"; a sweep has environments, algorithms, seeds, "
                           "settings, and blocks named after an environment or algorithm",
                           WAC_CLIP(key));
}

static wac_status read_names(file *in, names *list, const wac_yaml_pair *pair)
{
    WAC_TRY(wac_yaml_once(&in->yaml, pair, &list->line));
    list->node = pair->value;
    WAC_TRY(check_list(in, pair->value, pair->key));
    for (int i = 0; i < length_of(pair->value); i++) {
        const char *text;
        size_t line;
        WAC_TRY(value_at(in, &text, &line, pair->value, i, pair->key));
        int first = find_name(in, list, text, pair->key);
        if (first < i)
            return wac_yaml_refuse(&in->yaml, line, "%s stands twice in \"%s\"; leave one out",
                                   WAC_CLIP(text), pair->key);
    }
    return WAC_STATUS_OK;
}

static wac_status read_block(const file *in, block *block, const wac_yaml_pair *pair)
{
    WAC_TRY(wac_yaml_once(&in->yaml, pair, &block->line));
    block->name = pair->key;
    block->node = pair->value;
    if (pair->value->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->value),
                               "below \"%s\" belong settings, as in \"epochs: 30\"",
                               WAC_CLIP(pair->key));
    return WAC_STATUS_OK;
}

/* A whole number of a search. */
static wac_status read_whole(const file *in, int64_t *number, const wac_yaml_pair *pair,
                             double smallest, double largest)
{
    double value;
    WAC_TRY(wac_yaml_number(&in->yaml, &value, pair->value, pair->key));
    if (value != floor(value) || value < smallest || value > largest)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->value),
                               "\"%s\" must be a whole number from %.0f to %.0f", pair->key,
                               smallest, largest);
    *number = (int64_t)value;
    return WAC_STATUS_OK;
}

static wac_status read_search_key(file *in, const wac_yaml_pair *pair, int key)
{
    WAC_TRY(wac_yaml_once(&in->yaml, pair, &in->search_lines[key]));
    switch (key) {
    case 0:
        return read_whole(in, &in->search->samples, pair, 1, WAC_SWEEP_RUNS);
    case 1:
        return read_whole(in, &in->search->seed, pair, 0, 1e15);
    case 2:
        return wac_yaml_word(&in->yaml, &in->search->measure, pair, WAC_SEARCH_MEASURES);
    default:
        return read_whole(in, &in->search->last, pair, 1, 1000000);
    }
}

/* First the lists of names: they say which other keys there may be. */
static wac_status read_name_keys(file *in, const yaml_node_t *root)
{
    for (const yaml_node_pair_t *at = root->data.mapping.pairs.start;
         at < root->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->yaml, &pair, at));
        if (strcmp(pair.key, "environments") == 0)
            WAC_TRY(read_names(in, &in->environments, &pair));
        else if (strcmp(pair.key, "algorithms") == 0)
            WAC_TRY(read_names(in, &in->algorithms, &pair));
        else if (strcmp(pair.key, "seeds") == 0)
            WAC_TRY(read_names(in, &in->seeds, &pair));
    }
    return WAC_STATUS_OK;
}

static wac_status read_other_key(file *in, const wac_yaml_pair *pair)
{
    if (strcmp(pair->key, "environments") == 0 || strcmp(pair->key, "algorithms") == 0 ||
        strcmp(pair->key, "seeds") == 0)
        return WAC_STATUS_OK;
    if (strcmp(pair->key, "settings") == 0)
        return read_block(in, &in->settings, pair);
    for (int i = 0; in->search && search_keys[i]; i++)
        if (strcmp(pair->key, search_keys[i]) == 0)
            return read_search_key(in, pair, i);
    bool by_algorithm = find_name(in, &in->algorithms, pair->key, "algorithms") >= 0;
    if (!by_algorithm && find_name(in, &in->environments, pair->key, "environments") < 0)
        return refuse_key(in, pair);
    for (int i = 0; i < in->block_count; i++)
        if (strcmp(in->blocks[i].name, pair->key) == 0)
            return wac_yaml_once(&in->yaml, pair, &in->blocks[i].line);
    if (in->block_count == MOST_BLOCKS)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->key_node),
                               "more than %d blocks of settings; make two sweeps of it",
                               MOST_BLOCKS);
    block *added = &in->blocks[in->block_count++];
    added->by_algorithm = by_algorithm;
    return read_block(in, added, pair);
}

static wac_status read_keys(file *in)
{
    const yaml_node_t *root = yaml_document_get_root_node(&in->yaml.document);
    if (!root || root->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(&in->yaml, root ? wac_yaml_line(root) : 1,
                               "this is no sweep; begin with \"environments: [riverswim]\"");
    WAC_TRY(read_name_keys(in, root));
    for (const yaml_node_pair_t *at = root->data.mapping.pairs.start;
         at < root->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->yaml, &pair, at));
        WAC_TRY(read_other_key(in, &pair));
    }
    const char *missing = !in->environments.node ? "environments: [riverswim]"
                          : !in->algorithms.node ? "algorithms: [oe-wac, sac]"
                                                 : NULL;
    if (missing)
        return wac_fail(in->yaml.error, WAC_STATUS_INPUT,
                        "%s names no %.*s; add a line such as \"%s\"", in->yaml.name,
                        (int)strcspn(missing, ":"), missing, missing);
    return WAC_STATUS_OK;
}

/* --- settings ----------------------------------------------------------------------------------*/

/* {from: 1e-5, to: 1e-3, scale: log} */
static wac_status read_range(file *in, axis *axis)
{
    size_t seen[3] = {0};
    int scale = 0;
    if (!in->search)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(axis->node),
                               "ranges are for \"wac tune\"; list the values of \"%s\"",
                               axis->setting->name);
    if (!in->search->samples)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(axis->node),
                               "a range needs to know how many values to draw; add a line such as "
                               "\"samples: 20\"");
    if (axis->setting->words)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(axis->node),
                               "\"%s\" is no number; list its values", axis->setting->name);
    for (const yaml_node_pair_t *at = axis->node->data.mapping.pairs.start;
         at < axis->node->data.mapping.pairs.top; at++) {
        static const char *const keys[] = {"from", "to", "scale", NULL};
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->yaml, &pair, at));
        int key = 0;
        while (keys[key] && strcmp(keys[key], pair.key) != 0)
            key++;
        if (!keys[key])
            return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair.key_node),
                                   "unknown key \"%s\"; a range has from, to and scale",
                                   WAC_CLIP(pair.key));
        WAC_TRY(wac_yaml_once(&in->yaml, &pair, &seen[key]));
        if (key == 2)
            WAC_TRY(wac_yaml_word(&in->yaml, &scale, &pair, "linear|log"));
        else
            WAC_TRY(
                wac_yaml_number(&in->yaml, key ? &axis->to : &axis->from, pair.value, pair.key));
    }
    axis->ranged = true;
    axis->logarithmic = scale == 1;
    if (!seen[0] || !seen[1] || axis->from >= axis->to)
        return wac_yaml_refuse(&in->yaml, axis->line,
                               "the range of \"%s\" needs a from, and a to above it",
                               axis->setting->name);
    if (axis->logarithmic && axis->from <= 0)
        return wac_yaml_refuse(&in->yaml, axis->line,
                               "the range of \"%s\" must begin above 0 to be drawn on a log scale",
                               axis->setting->name);
    return WAC_STATUS_OK;
}

static wac_status read_axis(file *in, axis *axis, const wac_yaml_pair *pair)
{
    static const char *const elsewhere[] = {"seed", "algorithm", "environment", NULL};
    wac_error unknown;
    size_t line = wac_yaml_line(pair->key_node);
    for (int i = 0; elsewhere[i]; i++)
        if (strcmp(pair->key, elsewhere[i]) == 0)
            return wac_yaml_refuse(&in->yaml, line,
                                   "\"%s\" does not belong here; use the list \"%ss:\" at the top",
                                   pair->key, elsewhere[i]);
    *axis = (struct axis){.line = line, .node = pair->value};
    if (wac_setting_find(&axis->setting, pair->key, &unknown) != WAC_STATUS_OK)
        return refuse(in, line, &unknown);
    axis->listed = pair->value->type != YAML_SCALAR_NODE;
    if (pair->value->type == YAML_MAPPING_NODE)
        return read_range(in, axis);
    return check_list(in, pair->value, pair->key);
}

/* The settings of one environment and algorithm, in the order of the file. */
typedef struct axes {
    axis list[WAC_SETTINGS_TOTAL];
    int count;
    const block *owners[WAC_SETTINGS_TOTAL];
} axes;

static wac_status add_block(file *in, axes *axes, const block *block)
{
    for (const yaml_node_pair_t *at = block->node->data.mapping.pairs.start;
         at < block->node->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        axis added;
        int slot = 0;
        WAC_TRY(wac_yaml_key(&in->yaml, &pair, at));
        WAC_TRY(read_axis(in, &added, &pair));
        while (slot < axes->count && axes->list[slot].setting != added.setting)
            slot++;
        const struct block *owner = slot < axes->count ? axes->owners[slot] : NULL;
        if (owner == block)
            return wac_yaml_refuse(&in->yaml, added.line, "\"%s\" was already set on line %zu",
                                   pair.key, axes->list[slot].line);
        if (owner && owner != &in->settings)
            return wac_yaml_refuse(&in->yaml, added.line,
                                   "\"%s\" is set for %s on line %zu and for %s here; leave one "
                                   "of them out",
                                   pair.key, owner->name, axes->list[slot].line, block->name);
        axes->list[slot] = added;
        axes->owners[slot] = block;
        axes->count += slot == axes->count;
    }
    return WAC_STATUS_OK;
}

/* A setting in `settings` that not everybody reads belongs elsewhere. */
static wac_status check_read(const file *in, const axes *axes, const wac_config *config)
{
    for (int i = 0; i < axes->count; i++) {
        const axis *axis = &axes->list[i];
        wac_error why;
        char value[64];
        wac_config scratch = *config;
        if (wac_config_reads(config, axis->setting))
            continue;
        wac_config_format(config, axis->setting, value, sizeof value);
        wac_config_set(&scratch, axis->setting->name, value, &why);
        size_t sentence = strcspn(why.message, ";");
        if (axes->owners[i] == &in->settings)
            return wac_yaml_refuse(&in->yaml, axis->line,
                                   "%.*s; move it from \"settings\" into a block named after "
                                   "whoever reads it",
                                   (int)sentence, why.message);
        return wac_yaml_refuse(&in->yaml, axis->line, "%.*s; leave it out", (int)sentence,
                               why.message);
    }
    return WAC_STATUS_OK;
}

/* --- runs --------------------------------------------------------------------------------------*/

/* "-name" with what a path can not have replaced */
static void append_plain(char *folder, size_t size, const char *text)
{
    size_t used = strlen(folder);
    for (; *text && used + 1 < size; text++)
        folder[used++] = isalnum((unsigned char)*text) || strchr(".-+", *text) ? *text : '-';
    folder[used] = 0;
}

/* ENVIRONMENT/ALGORITHM/LISTED-SETTINGS/seed-N */
static wac_status name_folder(const file *in, wac_sweep_run *run, const axes *axes,
                              const char *environment)
{
    char label[320], value[64];
    char folder[2 * WAC_SWEEP_FOLDER] = "";
    enum { SIZE = sizeof folder };
    bool first = true;
    wac_environment_label(label, sizeof label, environment);
    append_plain(folder, SIZE, label);
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

static wac_status add_run(file *in, const wac_sweep_run *run)
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
static wac_status add_seeds(file *in, wac_sweep_run *run, const axes *axes, const char *environment)
{
    const yaml_node_t *node = in->seeds.node;
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
    int seeds = counted ? (int)count : length_of(node);
    for (int i = 0; i < seeds; i++) {
        wac_error why;
        run->config.seed = i + 1;
        if (!counted) {
            WAC_TRY(value_at(in, &text, &line, node, i, "seeds"));
            if (wac_config_set(&run->config, "seed", text, &why) != WAC_STATUS_OK)
                return refuse(in, line, &why);
        }
        if (wac_config_check(&run->config, &why) != WAC_STATUS_OK)
            return wac_fail(in->yaml.error, why.status, "%s: %s", in->yaml.name, why.message);
        WAC_TRY(name_folder(in, run, axes, environment));
        WAC_TRY(add_run(in, run));
    }
    return WAC_STATUS_OK;
}

static wac_status set_value(file *in, wac_config *config, const axis *axis, int index)
{
    const char *text;
    size_t line;
    wac_error why;
    WAC_TRY(value_at(in, &text, &line, axis->node, index, axis->setting->name));
    if (wac_config_set(config, axis->setting->name, text, &why) != WAC_STATUS_OK)
        return refuse(in, line, &why);
    return WAC_STATUS_OK;
}

/* All combinations from axis number `depth` on; later axes go fastest. */
static wac_status combine(file *in, const wac_sweep_run *base, const axes *axes, int depth,
                          const char *environment)
{
    wac_sweep_run run = *base;
    if (depth == axes->count)
        return add_seeds(in, &run, axes, environment);
    const axis *axis = &axes->list[depth];
    for (int i = 0; i < length_of(axis->node); i++) {
        WAC_TRY(set_value(in, &run.config, axis, i));
        WAC_TRY(combine(in, &run, axes, depth + 1, environment));
    }
    return WAC_STATUS_OK;
}

/* Draw number `number` of a setting: the same for every environment and algorithm. */
static wac_status draw_value(file *in, wac_config *config, const axis *axis, int64_t number)
{
    size_t count;
    size_t place = (size_t)(axis->setting - wac_settings(&count));
    wac_rng rng = {.seed = (uint64_t)in->search->seed,
                   .stream = DRAW_STREAM,
                   .counter = (uint64_t)number * WAC_SETTINGS_TOTAL + place};
    double share = wac_rng_uniform(&rng);
    if (!axis->ranged)
        return set_value(in, config, axis, (int)(share * length_of(axis->node)));
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
        return refuse(in, axis->line, &why);
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

/* As many different settings as there shall be samples. */
static wac_status draw(file *in, const wac_sweep_run *base, const axes *axes,
                       const char *environment)
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
                            WAC_CLIP(environment), (long long)drawn);
        for (int i = 0; i < axes->count; i++)
            WAC_TRY(draw_value(in, &run.config, &axes->list[i], number));
        WAC_TRY(name_folder(in, &run, axes, environment));
        if (was_drawn(in->sweep, first, run.folder))
            continue;
        WAC_TRY(add_seeds(in, &run, axes, environment));
        drawn++;
    }
    return WAC_STATUS_OK;
}

/* The runs of one environment and algorithm. */
static wac_status expand_pair(file *in, const char *environment, size_t environment_line,
                              const char *algorithm, size_t algorithm_line)
{
    wac_sweep_run base = {0};
    axes axes = {0};
    wac_error why;
    const wac_environment_type *type;
    if (wac_config_init(&base.config, environment, NULL, &why) != WAC_STATUS_OK ||
        wac_environment_type_find(&type, environment, &why) != WAC_STATUS_OK)
        return refuse(in, environment_line, &why);
    if (wac_config_init(&base.config, environment, algorithm, &why) != WAC_STATUS_OK)
        return refuse(in, algorithm_line, &why);
    if (in->settings.node)
        WAC_TRY(add_block(in, &axes, &in->settings));
    for (int i = 0; i < in->block_count; i++) {
        const block *block = &in->blocks[i];
        if (strcmp(block->name, block->by_algorithm ? algorithm : environment) == 0)
            WAC_TRY(add_block(in, &axes, block));
    }
    WAC_TRY(check_read(in, &axes, &base.config));
    return in->search && in->search->samples ? draw(in, &base, &axes, environment)
                                             : combine(in, &base, &axes, 0, environment);
}

static wac_status expand(file *in)
{
    for (int i = 0; i < length_of(in->environments.node); i++)
        for (int j = 0; j < length_of(in->algorithms.node); j++) {
            const char *environment, *algorithm;
            size_t environment_line, algorithm_line;
            WAC_TRY(value_at(in, &environment, &environment_line, in->environments.node, i,
                             "environments"));
            WAC_TRY(
                value_at(in, &algorithm, &algorithm_line, in->algorithms.node, j, "algorithms"));
            WAC_TRY(expand_pair(in, environment, environment_line, algorithm, algorithm_line));
        }
    wac_error why;
    if (wac_sweep_check(in->sweep, &why) != WAC_STATUS_OK)
        return wac_fail(in->yaml.error, why.status, "%s: %s", in->yaml.name, why.message);
    return WAC_STATUS_OK;
}

wac_status wac_sweep_file_parse(wac_sweep *sweep, wac_search *search, const char *text, size_t size,
                                const char *name, wac_error *error)
{
    file in = {.search = search, .sweep = sweep};
    *sweep = (wac_sweep){0};
    if (search)
        *search = (wac_search){.seed = 1, .last = 10};
    WAC_TRY(wac_yaml_open(&in.yaml, text, size, name, error));
    wac_status status = read_keys(&in);
    if (status == WAC_STATUS_OK)
        status = expand(&in);
    wac_yaml_close(&in.yaml);
    if (status != WAC_STATUS_OK)
        wac_sweep_free(sweep);
    return status;
}

wac_status wac_sweep_file_read(wac_sweep *sweep, wac_search *search, const char *path,
                               wac_error *error)
{
    char *text;
    size_t size;
    *sweep = (wac_sweep){0};
    WAC_TRY(wac_file_read(&text, &size, path, LARGEST_FILE, error));
    wac_status status = wac_sweep_file_parse(sweep, search, text, size, path, error);
    free(text);
    return status;
}

wac_status wac_sweep_parse(wac_sweep *sweep, const char *text, size_t size, const char *name,
                           wac_error *error)
{
    return wac_sweep_file_parse(sweep, NULL, text, size, name, error);
}

wac_status wac_sweep_read(wac_sweep *sweep, const char *path, wac_error *error)
{
    return wac_sweep_file_read(sweep, NULL, path, error);
}
