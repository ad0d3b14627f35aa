/* Sweep files: a product of lists, in YAML.
 *
 *     environments: [lqg, riverswim]
 *     algorithms: [sac, oe-wac]
 *     seeds: 5                        # 1 to 5; or a list
 *     settings: {epochs: 30}          # for all runs; a value or a list of values
 *     oe-wac: {lambda: [0, 0.5]}      # for the runs of an algorithm or an environment
 *     from: runs/lqg-sac-1            # whose agent all begin with …
 *     policy: best                    # … not the last, but as it did best
 *
 * What stands under an algorithm or environment goes before `settings`. A setting that is written
 * as a list, be it of one value, is part of the folder's name, so a list may grow later and the
 * folders keep their names. Refusals name file and line.
 */
#include "sweep/file.h"

#include "base/files.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "config/config.h"
#include "config/environments.h"
#include "sweep/expand.h"
#include "wac/env.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST_FILE = 256 * 1024,
    MOST_BLOCKS = 64, /* under the names of algorithms and environments */
};

/* The settings below `settings`, an algorithm or an environment. */
typedef struct block {
    const char *name;
    size_t line;
    const yaml_node_t *node;
    bool by_algorithm;
} block;

/* The keys of a file: lists of names, settings, and from SAMPLES on those of a search. */
enum {
    ENVIRONMENTS,
    ALGORITHMS,
    SEEDS,
    LISTS,
    SETTINGS = LISTS,
    FROM,
    POLICY,
    SAMPLES,
    SEED,
    MEASURE,
    LAST,
    HALVING,
    KEYS
};
static const char *const keys[KEYS] = {"environments", "algorithms", "seeds",   "settings",
                                       "from",         "policy",     "samples", "seed",
                                       "measure",      "last",       "halving"};

typedef struct file {
    wac_expansion to;
    size_t lines[KEYS];              /* where they stand; 0: nowhere */
    const yaml_node_t *lists[LISTS]; /* of names, or a single one; null: not in the file */
    block settings;
    block blocks[MOST_BLOCKS];
    int block_count;
} file;

/* --- lists -------------------------------------------------------------------------------------*/

static wac_status check_list(const file *in, const yaml_node_t *node, const char *key)
{
    if (wac_yaml_length(node) == 0)
        return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(node),
                               "the list of \"%s\" is empty; write at least one value", key);
    if (wac_yaml_length(node) > WAC_SWEEP_RUNS)
        return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(node),
                               "\"%s\" has more than %d values, and a sweep no more runs; shorten "
                               "the list",
                               key, WAC_SWEEP_RUNS);
    return WAC_STATUS_OK;
}

static int count_names(const file *in, int list)
{
    return in->lists[list] ? wac_yaml_length(in->lists[list]) : 0;
}

static wac_status name_at(file *in, const char **name, size_t *line, int list, int index)
{
    return wac_yaml_value(&in->to.yaml, name, line, in->lists[list], index, keys[list]);
}

/* The place of a name in a list of the file, or -1. */
static int find_name(file *in, int list, const char *name)
{
    const char *text;
    size_t line;
    for (int i = 0; i < count_names(in, list); i++)
        if (name_at(in, &text, &line, list, i) == WAC_STATUS_OK && strcmp(text, name) == 0)
            return i;
    return -1;
}

/* --- the keys of the file ----------------------------------------------------------------------*/

/* The place of a key among all there are, or -1. */
static int find_key(const char *name)
{
    for (int i = 0; i < KEYS; i++)
        if (strcmp(name, keys[i]) == 0)
            return i;
    return -1;
}

static const char *known_key(const void *names, size_t index)
{
    const file *in = names;
    size_t own = in->to.search ? KEYS : SAMPLES;
    if (index < own)
        return keys[index];
    index -= own;
    return index < WAC_ALGORITHM_TOTAL ? wac_algorithm_name((wac_algorithm)index) : NULL;
}

static wac_status refuse_key(const file *in, const wac_yaml_pair *pair)
{
    size_t line = wac_yaml_line(pair->key_node);
    const wac_setting *setting;
    const wac_environment_type *type;
    const char *key = pair->key;
    if (wac_word_index(&WAC_ALGORITHM_WORDS[1], key) >= 0)
        return wac_yaml_refuse(&in->to.yaml, line,
                               "these are settings of %s, which is not one of the algorithms; "
                               "add it to \"algorithms\" or leave them out",
                               key);
    if (wac_environment_type_find(&type, key, NULL) == WAC_STATUS_OK)
        return wac_yaml_refuse(&in->to.yaml, line,
                               "these are settings of %s, which is not one of the environments; "
                               "add it to \"environments\" or leave them out",
                               WAC_CLIP(key));
    if (find_key(key) >= 0)
        return wac_yaml_refuse(&in->to.yaml, line,
                               "\"%s\" is for \"wac tune\"; leave it out, or use that", key);
    const char *near = WAC_SUGGEST(key, known_key, in, NULL);
    if (near)
        return wac_yaml_refuse(&in->to.yaml, line, "unknown key \"%s\"; %s", WAC_CLIP(key), near);
    if (wac_setting_find(&setting, key, NULL) == WAC_STATUS_OK)
        return wac_yaml_refuse(&in->to.yaml, line,
                               "\"%s\" is a setting; move it below \"settings:\"", WAC_CLIP(key));
    return wac_yaml_refuse(&in->to.yaml, line,
                           "unknown key \"%s\"; a sweep has environments, algorithms, seeds, "
                           "settings, and blocks named after an environment or algorithm",
                           WAC_CLIP(key));
}

static wac_status read_names(file *in, int list, const wac_yaml_pair *pair)
{
    WAC_TRY(wac_yaml_once(&in->to.yaml, pair, &in->lines[list]));
    in->lists[list] = pair->value;
    WAC_TRY(check_list(in, pair->value, pair->key));
    for (int i = 0; i < count_names(in, list); i++) {
        const char *text;
        size_t line;
        WAC_TRY(name_at(in, &text, &line, list, i));
        if (find_name(in, list, text) < i)
            return wac_yaml_refuse(&in->to.yaml, line, "%s stands twice in \"%s\"; leave one out",
                                   WAC_CLIP(text), pair->key);
    }
    return WAC_STATUS_OK;
}

static wac_status read_block(const file *in, block *block, const wac_yaml_pair *pair)
{
    WAC_TRY(wac_yaml_once(&in->to.yaml, pair, &block->line));
    block->name = pair->key;
    block->node = pair->value;
    if (pair->value->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(pair->value),
                               "below \"%s\" belong settings, as in \"epochs: 30\"",
                               WAC_CLIP(pair->key));
    return WAC_STATUS_OK;
}

/* A whole number of a search. */
static wac_status read_whole(const file *in, int64_t *number, const wac_yaml_pair *pair,
                             double smallest, double largest)
{
    double value;
    WAC_TRY(wac_yaml_number(&in->to.yaml, &value, pair->value, pair->key));
    if (value != floor(value) || value < smallest || value > largest)
        return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(pair->value),
                               "\"%s\" must be a whole number from %.0f to %.0f", pair->key,
                               smallest, largest);
    *number = (int64_t)value;
    return WAC_STATUS_OK;
}

/* A rule over all environments, a column, or its name in "wac stats"; dash and underscore are
 * alike. */
static wac_status read_measure(file *in, wac_search *search, const wac_yaml_pair *pair)
{
    const char *text;
    char names[256], short_names[256];
    WAC_TRY(wac_yaml_text(&in->to.yaml, &text, pair->value, pair->key));
    search->rule = wac_word_is(WAC_SEARCH_HARDEST, text)      ? WAC_SEARCH_RULE_HARDEST
                   : wac_word_is(WAC_SEARCH_NORMALISED, text) ? WAC_SEARCH_RULE_NORMALISED
                                                              : WAC_SEARCH_RULE_COLUMN;
    if (wac_search_is_over_all(search) || wac_column_find(&search->measure, text))
        return WAC_STATUS_OK;
    wac_columns_join(names, sizeof names, false);
    wac_columns_join(short_names, sizeof short_names, true);
    return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(pair->value),
                           "\"%s\" must be %s, %s, %s, or %s for short, not \"%s\"", pair->key,
                           WAC_SEARCH_HARDEST, WAC_SEARCH_NORMALISED, names, short_names,
                           WAC_CLIP(text));
}

static wac_status read_search_key(file *in, const wac_yaml_pair *pair, int key)
{
    wac_search *search = in->to.search;
    WAC_TRY(wac_yaml_once(&in->to.yaml, pair, &in->lines[key]));
    switch (key) {
    case SAMPLES:
        return read_whole(in, &search->samples, pair, 1, WAC_SWEEP_RUNS);
    case SEED:
        return read_whole(in, &search->seed, pair, 0, 1e15);
    case MEASURE:
        return read_measure(in, search, pair);
    case HALVING:
        return read_whole(in, &search->halving, pair, 2, 100);
    default:
        return read_whole(in, &search->last, pair, 1, 1000000);
    }
}

/* Whose agent all begin with. */
static wac_status read_origin_key(file *in, const wac_yaml_pair *pair, int key)
{
    const char *text;
    wac_sweep *sweep = in->to.sweep;
    WAC_TRY(wac_yaml_once(&in->to.yaml, pair, &in->lines[key]));
    WAC_TRY(wac_yaml_text(&in->to.yaml, &text, pair->value, pair->key));
    int best = key == POLICY ? wac_word_index("last|best", text) : 0;
    if (best < 0)
        return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(pair->value),
                               "\"policy\" must be last or best, not \"%s\"", WAC_CLIP(text));
    if (key == FROM)
        snprintf(sweep->from, sizeof sweep->from, "%s", text); /* which holds any text of YAML */
    else
        sweep->best = best == 1;
    return WAC_STATUS_OK;
}

/* First the lists of names: they say which other keys there may be. */
static wac_status read_name_keys(file *in, const yaml_node_t *root)
{
    for (const yaml_node_pair_t *at = root->data.mapping.pairs.start;
         at < root->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->to.yaml, &pair, at));
        int key = find_key(pair.key);
        if (key >= 0 && key < LISTS)
            WAC_TRY(read_names(in, key, &pair));
    }
    return WAC_STATUS_OK;
}

/* Names that nobody knows, before anything is said about their blocks. */
static wac_status check_names(file *in)
{
    const char *text;
    size_t line;
    wac_error why;
    wac_config scratch;
    const wac_environment_type *type;
    for (int i = 0; i < count_names(in, ENVIRONMENTS); i++) {
        WAC_TRY(name_at(in, &text, &line, ENVIRONMENTS, i));
        if (wac_config_init(&scratch, text, NULL, &why) != WAC_STATUS_OK ||
            wac_environment_type_find(&type, text, &why) != WAC_STATUS_OK)
            return wac_expansion_refuse(&in->to, line, &why);
    }
    for (int i = 0; i < count_names(in, ALGORITHMS); i++) {
        WAC_TRY(name_at(in, &text, &line, ALGORITHMS, i));
        if (wac_config_init(&scratch, "any", text, &why) != WAC_STATUS_OK)
            return wac_expansion_refuse(&in->to, line, &why);
    }
    return WAC_STATUS_OK;
}

static wac_status read_other_key(file *in, const wac_yaml_pair *pair)
{
    int key = find_key(pair->key);
    if (key >= 0 && key < LISTS)
        return WAC_STATUS_OK;
    if (key == SETTINGS)
        return read_block(in, &in->settings, pair);
    if (key == FROM || key == POLICY)
        return read_origin_key(in, pair, key);
    if (key >= 0 && in->to.search)
        return read_search_key(in, pair, key);
    bool by_algorithm = find_name(in, ALGORITHMS, pair->key) >= 0;
    if (!by_algorithm && find_name(in, ENVIRONMENTS, pair->key) < 0)
        return refuse_key(in, pair);
    for (int i = 0; i < in->block_count; i++)
        if (strcmp(in->blocks[i].name, pair->key) == 0)
            return wac_yaml_once(&in->to.yaml, pair, &in->blocks[i].line);
    if (in->block_count == MOST_BLOCKS)
        return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(pair->key_node),
                               "more than %d blocks of settings; make two sweeps of it",
                               MOST_BLOCKS);
    block *added = &in->blocks[in->block_count++];
    added->by_algorithm = by_algorithm;
    return read_block(in, added, pair);
}

/* What `last` means for the rule of a search. */
static wac_status settle_rule(const file *in)
{
    wac_search *search = in->to.search;
    if (!search || !in->lines[LAST])
        return WAC_STATUS_OK;
    if (search->rule == WAC_SEARCH_RULE_HARDEST)
        return wac_yaml_refuse(&in->to.yaml, in->lines[LAST],
                               "\"last\" is for a measure that is averaged over the last epochs, "
                               "and %s looks at all of them; leave it out",
                               WAC_SEARCH_HARDEST);
    if (search->rule == WAC_SEARCH_RULE_USUAL)
        search->rule = WAC_SEARCH_RULE_COLUMN;
    return WAC_STATUS_OK;
}

static wac_status read_keys(file *in)
{
    const yaml_node_t *root = yaml_document_get_root_node(&in->to.yaml.document);
    if (!root || root->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(&in->to.yaml, root ? wac_yaml_line(root) : 1,
                               "this is no sweep; begin with \"environments: [riverswim]\"");
    WAC_TRY(read_name_keys(in, root));
    WAC_TRY(check_names(in));
    for (const yaml_node_pair_t *at = root->data.mapping.pairs.start;
         at < root->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->to.yaml, &pair, at));
        WAC_TRY(read_other_key(in, &pair));
    }
    const char *missing = !in->lists[ENVIRONMENTS] ? "environments: [riverswim]"
                          : !in->lists[ALGORITHMS] ? "algorithms: [oe-wac, sac]"
                                                   : NULL;
    if (missing)
        return wac_fail(in->to.yaml.error, WAC_STATUS_INPUT,
                        "%s names no %.*s; add a line such as \"%s\"", in->to.yaml.name,
                        (int)strcspn(missing, ":"), missing, missing);
    if (in->lines[POLICY] && !in->lines[FROM])
        return wac_yaml_refuse(&in->to.yaml, in->lines[POLICY],
                               "\"policy\" is that of the run that all begin \"from\"; name it, or "
                               "leave it out");
    return settle_rule(in);
}

/* --- settings ----------------------------------------------------------------------------------*/

/* {from: 1e-5, to: 1e-3, scale: log} */
static wac_status read_range(file *in, wac_axis *axis)
{
    size_t seen[3] = {0};
    int scale = 0;
    if (!in->to.search)
        return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(axis->node),
                               "ranges are for \"wac tune\"; list the values of \"%s\"",
                               axis->setting->name);
    if (!in->to.search->samples)
        return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(axis->node),
                               "a range needs to know how many values to draw; add a line such as "
                               "\"samples: 20\"");
    if (axis->setting->words)
        return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(axis->node),
                               "\"%s\" is no number; list its values", axis->setting->name);
    for (const yaml_node_pair_t *at = axis->node->data.mapping.pairs.start;
         at < axis->node->data.mapping.pairs.top; at++) {
        static const char *const keys[] = {"from", "to", "scale", NULL};
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->to.yaml, &pair, at));
        int key = 0;
        while (keys[key] && strcmp(keys[key], pair.key) != 0)
            key++;
        if (!keys[key])
            return wac_yaml_refuse(&in->to.yaml, wac_yaml_line(pair.key_node),
                                   "unknown key \"%s\"; a range has from, to and scale",
                                   WAC_CLIP(pair.key));
        WAC_TRY(wac_yaml_once(&in->to.yaml, &pair, &seen[key]));
        if (key == 2)
            WAC_TRY(wac_yaml_word(&in->to.yaml, &scale, &pair, "linear|log"));
        else
            WAC_TRY(
                wac_yaml_number(&in->to.yaml, key ? &axis->to : &axis->from, pair.value, pair.key));
    }
    axis->ranged = true;
    axis->logarithmic = scale == 1;
    if (!seen[0] || !seen[1] || axis->from >= axis->to)
        return wac_yaml_refuse(&in->to.yaml, axis->line,
                               "the range of \"%s\" needs a from, and a to above it",
                               axis->setting->name);
    if (axis->logarithmic && axis->from <= 0)
        return wac_yaml_refuse(&in->to.yaml, axis->line,
                               "the range of \"%s\" must begin above 0 to be drawn on a log scale",
                               axis->setting->name);
    return WAC_STATUS_OK;
}

static wac_status read_axis(file *in, wac_axis *axis, const wac_yaml_pair *pair)
{
    static const char *const elsewhere[] = {"seed", "algorithm", "environment", NULL};
    wac_error unknown;
    size_t line = wac_yaml_line(pair->key_node);
    for (int i = 0; elsewhere[i]; i++)
        if (strcmp(pair->key, elsewhere[i]) == 0)
            return wac_yaml_refuse(&in->to.yaml, line,
                                   "\"%s\" does not belong here; use the list \"%ss:\" at the top",
                                   pair->key, elsewhere[i]);
    *axis = (wac_axis){.line = line, .node = pair->value};
    if (wac_setting_find(&axis->setting, pair->key, &unknown) != WAC_STATUS_OK)
        return wac_expansion_refuse(&in->to, line, &unknown);
    axis->listed = pair->value->type != YAML_SCALAR_NODE;
    if (pair->value->type == YAML_MAPPING_NODE)
        return read_range(in, axis);
    return check_list(in, pair->value, pair->key);
}

static wac_status add_block(file *in, wac_axes *axes, const block *block)
{
    size_t count;
    for (const yaml_node_pair_t *at = block->node->data.mapping.pairs.start;
         at < block->node->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        wac_axis added;
        int slot = 0;
        WAC_TRY(wac_yaml_key(&in->to.yaml, &pair, at));
        WAC_TRY(read_axis(in, &added, &pair));
        while (slot < axes->count && axes->list[slot].setting != added.setting)
            slot++;
        const struct block *owner = slot < axes->count ? axes->owners[slot] : NULL;
        if (owner == block)
            return wac_yaml_refuse(&in->to.yaml, added.line, "\"%s\" was already set on line %zu",
                                   pair.key, axes->list[slot].line);
        if (owner && owner != &in->settings)
            return wac_yaml_refuse(&in->to.yaml, added.line,
                                   "\"%s\" is set for %s on line %zu and for %s here; leave one "
                                   "of them out",
                                   pair.key, owner->name, axes->list[slot].line, block->name);
        in->to.sweep->says[added.setting - wac_settings(&count)] = true;
        axes->list[slot] = added;
        axes->owners[slot] = block;
        axes->count += slot == axes->count;
    }
    return WAC_STATUS_OK;
}

/* A setting in `settings` that not everybody reads belongs elsewhere. */
static wac_status check_read(const file *in, const wac_axes *axes, const wac_config *config)
{
    for (int i = 0; i < axes->count; i++) {
        const wac_axis *axis = &axes->list[i];
        wac_error why;
        char value[64];
        wac_config scratch = *config;
        if (wac_config_reads(config, axis->setting))
            continue;
        wac_config_format(config, axis->setting, value, sizeof value);
        wac_config_set(&scratch, axis->setting->name, value, &why);
        size_t sentence = strcspn(why.message, ";");
        if (axes->owners[i] == &in->settings)
            return wac_yaml_refuse(&in->to.yaml, axis->line,
                                   "%.*s; move it from \"settings\" into a block named after "
                                   "whoever reads it",
                                   (int)sentence, why.message);
        return wac_yaml_refuse(&in->to.yaml, axis->line, "%.*s; leave it out", (int)sentence,
                               why.message);
    }
    return WAC_STATUS_OK;
}

/* --- runs --------------------------------------------------------------------------------------*/

/* The runs of one environment and algorithm. */
static wac_status expand_pair(file *in, const char *environment, const char *algorithm)
{
    wac_sweep_run base = {0};
    wac_axes axes = {.environment = environment};
    WAC_TRY(wac_config_init(&base.config, environment, algorithm, in->to.yaml.error));
    if (in->settings.node)
        WAC_TRY(add_block(in, &axes, &in->settings));
    for (int i = 0; i < in->block_count; i++) {
        const block *block = &in->blocks[i];
        if (strcmp(block->name, block->by_algorithm ? algorithm : environment) == 0)
            WAC_TRY(add_block(in, &axes, block));
    }
    WAC_TRY(check_read(in, &axes, &base.config));
    return in->to.search && in->to.search->samples ? wac_axes_draw(&in->to, &base, &axes)
                                                   : wac_axes_combine(&in->to, &base, &axes, 0);
}

/* Algorithms and seeds are said by lists of their own. */
static void note_lists(wac_sweep *sweep)
{
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    for (size_t i = 0; i < count; i++)
        sweep->says[i] = sweep->says[i] || strcmp(settings[i].name, "algorithm") == 0 ||
                         strcmp(settings[i].name, "seed") == 0;
}

static wac_status expand(file *in)
{
    note_lists(in->to.sweep);
    for (int i = 0; i < count_names(in, ENVIRONMENTS); i++)
        for (int j = 0; j < count_names(in, ALGORITHMS); j++) {
            const char *environment, *algorithm;
            size_t line;
            WAC_TRY(name_at(in, &environment, &line, ENVIRONMENTS, i));
            WAC_TRY(name_at(in, &algorithm, &line, ALGORITHMS, j));
            WAC_TRY(expand_pair(in, environment, algorithm));
        }
    wac_error why;
    if (wac_sweep_check(in->to.sweep, &why) != WAC_STATUS_OK)
        return wac_fail(in->to.yaml.error, why.status, "%s: %s", in->to.yaml.name, why.message);
    return WAC_STATUS_OK;
}

wac_status wac_sweep_parse(wac_sweep *sweep, wac_search *search, const char *text, size_t size,
                           const char *name, wac_error *error)
{
    file in = {.to = {.search = search, .sweep = sweep}};
    *sweep = (wac_sweep){0};
    if (search)
        *search = (wac_search){.seed = 1, .measure = WAC_COLUMN_EVAL_RETURN, .last = 10};
    WAC_TRY(wac_yaml_open(&in.to.yaml, text, size, name, error));
    wac_status status = read_keys(&in);
    in.to.seeds = in.lists[SEEDS];
    if (status == WAC_STATUS_OK)
        status = expand(&in);
    wac_yaml_close(&in.to.yaml);
    if (status != WAC_STATUS_OK)
        wac_sweep_free(sweep);
    return status;
}

wac_status wac_sweep_read(wac_sweep *sweep, wac_search *search, const char *path, wac_error *error)
{
    char *text;
    size_t size;
    *sweep = (wac_sweep){0};
    WAC_TRY(wac_file_read(&text, &size, path, LARGEST_FILE, error));
    wac_status status = wac_sweep_parse(sweep, search, text, size, path, error);
    free(text);
    return status;
}
