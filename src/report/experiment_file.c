/* Reading experiment files. Refusals name file and line.
 *
 * The runs of a scale are written as in a sweep file; their part of the text goes to the reader of
 * those, at its own place, so that line numbers stay right.
 */
#include "report/experiment_file.h"

#include "base/status.h"
#include "base/suggest.h"
#include "base/yaml.h"
#include "config/config.h"
#include "config/environments.h"
#include "sweep/file.h"
#include "wac/env.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_FILE = 1 << 20 };

typedef struct reader {
    wac_yaml yaml;
    const char *text; /* of the whole file */
    size_t size;
    wac_experiment *experiment;
} reader;

/* --- small things ----------------------------------------------------------------------------- */

/* Text of any length into a buffer; line breaks become blanks. */
static wac_status read_text(const reader *in, char *to, size_t size, const wac_yaml_pair *pair)
{
    const yaml_node_t *node = pair->value;
    size_t line = wac_yaml_line(node);
    if (node->type != YAML_SCALAR_NODE)
        return wac_yaml_refuse(&in->yaml, line, "\"%s\" is a text, not a list or a mapping",
                               pair->key);
    const char *text = (const char *)node->data.scalar.value;
    size_t length = node->data.scalar.length;
    while (length && strchr(" \n", text[length - 1]) && text[length - 1])
        length--;
    if (length == 0 || memchr(text, 0, length))
        return wac_yaml_refuse(&in->yaml, line, "the value of \"%s\" is %s", pair->key,
                               length ? "no text" : "missing");
    if (length >= size)
        return wac_yaml_refuse(&in->yaml, line, "\"%s\" has %zu bytes; at most %zu are shown",
                               pair->key, length, size - 1);
    memcpy(to, text, length);
    to[length] = 0;
    for (char *letter = to; *letter; letter++)
        *letter = (unsigned char)*letter < ' ' ? ' ' : *letter;
    return WAC_STATUS_OK;
}

static int place_of(const char *const *keys, const char *key)
{
    for (int i = 0; keys[i]; i++)
        if (strcmp(keys[i], key) == 0)
            return i;
    return -1;
}

static const char *const experiment_keys[] = {"title",   "paper",  "shows", "scales",
                                              "figures", "claims", NULL};

static wac_status refuse_key(const reader *in, const wac_yaml_pair *pair, const char *const *keys)
{
    static const char *const sweep_keys[] = {"environments", "algorithms", "seeds", "settings",
                                             NULL};
    size_t line = wac_yaml_line(pair->key_node);
    if (keys == wac_scale_names)
        return wac_yaml_refuse(&in->yaml, line,
                               "there is no scale \"%s\"; scales are quick, half, "
                               "full",
                               WAC_CLIP(pair->key));
    if (keys == experiment_keys && place_of(sweep_keys, pair->key) >= 0)
        return wac_yaml_refuse(&in->yaml, line,
                               "\"%s\" belongs to a sweep, or to a scale of an experiment; if this "
                               "is a sweep: wac sweep %s",
                               pair->key, in->yaml.name);
    const char *near = wac_suggest(pair->key, wac_name_in_array, keys);
    if (near)
        return wac_yaml_refuse(&in->yaml, line, "unknown key \"%s\"; did you mean \"%s\"?",
                               WAC_CLIP(pair->key), near);
    return wac_yaml_refuse(&in->yaml, line, "unknown key \"%s\"; docs/experiments.md names them",
                           WAC_CLIP(pair->key));
}

/* Hand every pair of a mapping, with the place of its key in the list, to a function. */
typedef wac_status pair_fn(reader *in, void *user, const wac_yaml_pair *pair, int place);

enum { MOST_KEYS = 16 };

static wac_status read_mapping(reader *in, const yaml_node_t *node, const char *what,
                               const char *const *keys, pair_fn *read, void *user)
{
    size_t seen[MOST_KEYS] = {0};
    if (node->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                               "%s is a mapping: lines of \"key: value\"", what);
    for (const yaml_node_pair_t *at = node->data.mapping.pairs.start;
         at < node->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->yaml, &pair, at));
        int place = place_of(keys, pair.key);
        if (place < 0)
            return refuse_key(in, &pair, keys);
        WAC_TRY(wac_yaml_once(&in->yaml, &pair, &seen[place]));
        WAC_TRY(read(in, user, &pair, place));
    }
    return WAC_STATUS_OK;
}

/* Hand every entry of a list, or the only one, to a function. */
typedef wac_status entry_fn(reader *in, void *user, const yaml_node_t *entry, const char *key);

static wac_status read_list(reader *in, const wac_yaml_pair *pair, int most, entry_fn *read,
                            void *user)
{
    const yaml_node_t *node = pair->value;
    if (node->type != YAML_SEQUENCE_NODE)
        return read(in, user, node, pair->key);
    int count = (int)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (count == 0 || count > most)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                               "\"%s\" has %d entries; from 1 to %d make sense", pair->key, count,
                               most);
    for (int i = 0; i < count; i++)
        WAC_TRY(read(in, user, wac_yaml_node(&in->yaml, node->data.sequence.items.start[i]),
                     pair->key));
    return WAC_STATUS_OK;
}

/* A word into a buffer of WAC_WHERE_TEXT bytes. */
static wac_status read_word(const reader *in, char *to, const yaml_node_t *node, const char *key)
{
    const char *text;
    WAC_TRY(wac_yaml_text(&in->yaml, &text, node, key));
    if (strlen(text) >= WAC_WHERE_TEXT)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node), "the value of \"%s\" is too long",
                               key);
    strcpy(to, text);
    return WAC_STATUS_OK;
}

static wac_status read_setting(const reader *in, char *to, const yaml_node_t *node, const char *key)
{
    const wac_setting *setting;
    wac_error why;
    WAC_TRY(read_word(in, to, node, key));
    if (wac_setting_find(&setting, to, &why) != WAC_STATUS_OK)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node), "%s", why.message);
    strcpy(to, setting->name);
    return WAC_STATUS_OK;
}

static wac_status read_algorithm(const reader *in, char *to, const yaml_node_t *node,
                                 const char *key)
{
    wac_config config;
    wac_error why;
    WAC_TRY(read_word(in, to, node, key));
    if (wac_config_init(&config, "lqg", to, &why) != WAC_STATUS_OK)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node), "%s", why.message);
    return WAC_STATUS_OK;
}

/* "coverage", or "spread of coverage" where the caller takes that */
static wac_status read_measure(const reader *in, wac_measure *measure, bool *spread,
                               const wac_yaml_pair *pair)
{
    static const char prefix[] = "spread of ";
    const char *text;
    WAC_TRY(wac_yaml_text(&in->yaml, &text, pair->value, pair->key));
    if (spread && (*spread = strncmp(text, prefix, strlen(prefix)) == 0))
        text += strlen(prefix);
    if (wac_measure_find(measure, text) && strcmp(wac_measure_name(*measure), text) == 0)
        return WAC_STATUS_OK;
    const char *near = wac_measure_suggest(text);
    return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->value),
                           "there is no measure \"%s\"%s%s%s", WAC_CLIP(text),
                           near ? "; did you mean \"" : "", near ? near : "", near ? "\"?" : "");
}

/* --- where ------------------------------------------------------------------------------------ */

static wac_status read_value(reader *in, void *user, const yaml_node_t *node, const char *key)
{
    wac_condition *condition = user;
    const wac_environment_type *type;
    wac_error why = {0};
    char *to = condition->values[condition->count];
    if (strcmp(key, "algorithm") == 0)
        WAC_TRY(read_algorithm(in, to, node, key));
    else
        WAC_TRY(read_word(in, to, node, key));
    if (strcmp(key, "environment") == 0 &&
        wac_environment_type_find(&type, to, &why) != WAC_STATUS_OK)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node), "%s", why.message);
    condition->count++;
    return WAC_STATUS_OK;
}

static wac_status read_where(reader *in, wac_where *where, const wac_yaml_pair *from)
{
    const yaml_node_t *node = from->value;
    if (node->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                               "\"where\" is a mapping, as in {environment: lqg, lambda: [0, 1]}");
    for (const yaml_node_pair_t *at = node->data.mapping.pairs.start;
         at < node->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->yaml, &pair, at));
        size_t line = wac_yaml_line(pair.key_node);
        if (where->count == WAC_WHERE_CONDITIONS)
            return wac_yaml_refuse(&in->yaml, line, "\"where\" has more than %d conditions",
                                   WAC_WHERE_CONDITIONS);
        wac_condition *condition = &where->conditions[where->count];
        if (strcmp(pair.key, "environment") == 0)
            strcpy(condition->key, pair.key);
        else
            WAC_TRY(read_setting(in, condition->key, pair.key_node, "where"));
        if (wac_where_find(where, condition->key))
            return wac_yaml_refuse(&in->yaml, line, "\"%s\" was already there", condition->key);
        pair.key = condition->key;
        WAC_TRY(read_list(in, &pair, WAC_WHERE_VALUES, read_value, condition));
        where->count++;
    }
    return WAC_STATUS_OK;
}

/* --- figures ---------------------------------------------------------------------------------- */

static wac_status read_column(reader *in, void *user, const yaml_node_t *node, const char *key)
{
    wac_figure *figure = user;
    wac_column column;
    const char *text;
    char names[128];
    WAC_TRY(wac_yaml_text(&in->yaml, &text, node, key));
    if (wac_column_find(&column, text)) {
        figure->columns[figure->column_count++] = (int)column;
        return WAC_STATUS_OK;
    }
    wac_columns_join(names, sizeof names, true);
    return wac_yaml_refuse(&in->yaml, wac_yaml_line(node), "\"%s\" must be %s, not \"%s\"", key,
                           names, WAC_CLIP(text));
}

static const char *const figure_keys[] = {"kind",  "title",   "rows",  "x",
                                          "lines", "measure", "where", NULL};

static wac_status read_figure_key(reader *in, void *user, const wac_yaml_pair *pair, int place)
{
    wac_figure *figure = user;
    int word = 0;
    switch (place) {
    case 0:
        WAC_TRY(wac_yaml_word(&in->yaml, &word, pair, wac_figure_kind_words()));
        figure->kind = (wac_figure_kind)word;
        return WAC_STATUS_OK;
    case 1:
        return read_text(in, figure->title, sizeof figure->title, pair);
    case 2:
        return read_list(in, pair, 2, read_column, figure);
    case 3:
        return read_setting(in, figure->x, pair->value, pair->key);
    case 4:
        return read_setting(in, figure->lines, pair->value, pair->key);
    case 5:
        return read_measure(in, &figure->measure, NULL, pair);
    default:
        return read_where(in, &figure->where, pair);
    }
}

static wac_status read_figure(reader *in, void *user, const yaml_node_t *node, const char *key)
{
    (void)user;
    (void)key;
    wac_figure *figure = &in->experiment->figures[in->experiment->figure_count];
    *figure = (wac_figure){.kind = (wac_figure_kind)-1};
    WAC_TRY(read_mapping(in, node, "a figure", figure_keys, read_figure_key, figure));
    size_t line = wac_yaml_line(node);
    if ((int)figure->kind < 0)
        return wac_yaml_refuse(&in->yaml, line, "a figure needs its kind");
    if (!*figure->title)
        return wac_yaml_refuse(&in->yaml, line, "a figure needs a title");
    bool takes_x = wac_figure_takes_it(figure, WAC_FIGURE_TAKES_X);
    if (wac_figure_takes_it(figure, WAC_FIGURE_TAKES_ROWS) && figure->column_count == 0)
        return wac_yaml_refuse(&in->yaml, line, "curves need \"rows\", as in [return, episodes]");
    if (takes_x && !*figure->x)
        return wac_yaml_refuse(&in->yaml, line, "a figure over settings needs \"x\", a setting");
    if (takes_x && !*figure->lines)
        strcpy(figure->lines, "algorithm");
    in->experiment->figure_count++;
    return WAC_STATUS_OK;
}

/* --- claims ----------------------------------------------------------------------------------- */

enum { NUMBER, SAYS, PARTS, RULE, SETTING, MEASURE, WHO, THAN, BELOW, ABOVE, WHERE };
static const char *const claim_keys[] = {"number", "says", "parts", "rule",  "setting", "measure",
                                         "who",    "than", "below", "above", "where",   NULL};

typedef struct claim_reader {
    wac_claim *claim;
    wac_claim_part *part;
    bool whole, has_parts, has_own, has_rule, has_measure;
} claim_reader;

static wac_status read_who(reader *in, void *user, const yaml_node_t *node, const char *key)
{
    wac_claim_part *part = user;
    return read_algorithm(in, part->who[part->who_count++], node, key);
}

static wac_status read_than(reader *in, void *user, const yaml_node_t *node, const char *key)
{
    wac_claim_part *part = user;
    return read_algorithm(in, part->than[part->than_count++], node, key);
}

static wac_status read_part(reader *in, void *user, const yaml_node_t *node, const char *key);

static wac_status read_claim_key(reader *in, void *user, const wac_yaml_pair *pair, int place)
{
    claim_reader *to = user;
    wac_claim_part *part = to->part;
    double number;
    int word = 0;
    if (place <= PARTS && !to->whole)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->key_node),
                               "\"%s\" belongs to a claim, not to a part of one", pair->key);
    to->has_own |= place > PARTS;
    switch (place) {
    case NUMBER:
        WAC_TRY(wac_yaml_number(&in->yaml, &number, pair->value, pair->key));
        if (!(number >= 1 && number <= 999 && number == floor(number)))
            return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->value),
                                   "\"number\" is a whole number from 1 to 999");
        to->claim->number = (int)number;
        return WAC_STATUS_OK;
    case SAYS:
        return read_text(in, to->claim->says, sizeof to->claim->says, pair);
    case PARTS:
        to->has_parts = true;
        return read_list(in, pair, WAC_CLAIM_PARTS, read_part, to->claim);
    case RULE:
        WAC_TRY(wac_yaml_word(&in->yaml, &word, pair, WAC_RULES));
        part->rule = (wac_rule)word;
        to->has_rule = true;
        return WAC_STATUS_OK;
    case SETTING:
        return read_setting(in, part->setting, pair->value, pair->key);
    case MEASURE:
        to->has_measure = true;
        return read_measure(in, &part->measure, &part->spread, pair);
    case WHO:
        return read_list(in, pair, WAC_EXPERIMENT_NAMES, read_who, part);
    case THAN:
        return read_list(in, pair, WAC_EXPERIMENT_NAMES, read_than, part);
    case BELOW:
        return wac_yaml_number(&in->yaml, &part->below, pair->value, pair->key);
    case ABOVE:
        return wac_yaml_number(&in->yaml, &part->above, pair->value, pair->key);
    default:
        return read_where(in, &part->where, pair);
    }
}

/* What a rule needs, and what would be silently ignored. */
static wac_status check_part(const reader *in, const claim_reader *to, size_t line)
{
    const wac_claim_part *part = to->part;
    bool trend = part->rule <= WAC_RULE_NOT_MONOTONE;
    bool pair = part->rule >= WAC_RULE_AHEAD_OF && part->rule <= WAC_RULE_LEVEL;
    bool correlation = part->rule == WAC_RULE_CORRELATION;
    const char *why = NULL;
    if (!to->has_rule)
        why = "a claim needs a \"rule\", or \"parts\" with one each";
    else if (trend != (*part->setting != 0))
        why = trend ? "this rule needs \"setting\": what the trend goes with"
                    : "\"setting\" means nothing to this rule";
    else if (pair && (part->who_count == 0 || part->than_count == 0))
        why = "this rule needs \"who\" and \"than\": algorithms";
    else if (!pair && part->than_count)
        why = "\"than\" means nothing to this rule";
    else if (!pair && !trend && !correlation && part->who_count == 0)
        why = "this rule needs \"who\": algorithms";
    else if ((trend || correlation) && part->who_count)
        why = "\"who\" means nothing to this rule; use where: {algorithm: …}";
    else if (correlation != (isfinite(part->below) || isfinite(part->above)))
        why = correlation ? "this rule needs \"below\" or \"above\": a number"
                          : "\"below\" and \"above\" mean nothing to this rule";
    else if (correlation && isfinite(part->below) && isfinite(part->above))
        why = "give \"below\" or \"above\", not both";
    else if (trend && !to->has_measure)
        why = "this rule needs a \"measure\", such as coverage";
    else if (to->has_measure &&
             (correlation || part->rule == WAC_RULE_FASTER || part->rule > WAC_RULE_LEVEL))
        why = "\"measure\" means nothing to this rule";
    else if (part->spread && !trend)
        why = "the spread of a measure is for trends; to compare algorithms use less-spread";
    return why ? wac_yaml_refuse(&in->yaml, line, "%s", why) : WAC_STATUS_OK;
}

static const wac_claim_part no_part = {
    .measure = WAC_MEASURE_SCORE,
    .below = INFINITY,
    .above = -INFINITY,
};

static wac_status read_part(reader *in, void *user, const yaml_node_t *node, const char *key)
{
    wac_claim *claim = user;
    claim_reader to = {.claim = claim, .part = &claim->parts[claim->count]};
    (void)key;
    *to.part = no_part;
    WAC_TRY(read_mapping(in, node, "a part of a claim", claim_keys, read_claim_key, &to));
    WAC_TRY(check_part(in, &to, wac_yaml_line(node)));
    claim->count++;
    return WAC_STATUS_OK;
}

static wac_status read_claim(reader *in, void *user, const yaml_node_t *node, const char *key)
{
    (void)user;
    (void)key;
    wac_claim *claim = &in->experiment->claims[in->experiment->claim_count];
    wac_claim_part own = no_part;
    claim_reader to = {.claim = claim, .part = &own, .whole = true};
    WAC_TRY(read_mapping(in, node, "a claim", claim_keys, read_claim_key, &to));
    size_t line = wac_yaml_line(node);
    if (!*claim->says)
        return wac_yaml_refuse(&in->yaml, line, "a claim needs \"says\": the claim in words");
    if (!to.has_parts) {
        WAC_TRY(check_part(in, &to, line));
        claim->parts[claim->count++] = own;
    } else if (to.has_own) {
        return wac_yaml_refuse(&in->yaml, line,
                               "a claim has \"parts\" or a rule of its own, not "
                               "both");
    }
    in->experiment->claim_count++;
    if (claim->number == 0)
        claim->number = in->experiment->claim_count;
    return WAC_STATUS_OK;
}

/* --- scales ----------------------------------------------------------------------------------- */

static wac_status add_runs(wac_sweep *to, wac_sweep *from, wac_error *error)
{
    wac_sweep_run *runs = realloc(to->runs, (to->count + from->count) * sizeof *runs);
    if (!runs)
        return wac_fail_memory(error, "the list of runs");
    to->runs = runs;
    memcpy(runs + to->count, from->runs, from->count * sizeof *runs);
    to->count += from->count;
    return WAC_STATUS_OK;
}

/* Where a mark is, in bytes; libyaml counts characters. */
static size_t offset_of(const reader *in, const yaml_mark_t *mark)
{
    size_t at = 0;
    for (size_t line = 0; line < mark->line && at < in->size; at++)
        line += in->text[at] == '\n';
    for (size_t column = 0; at < in->size && column < mark->column; column++)
        do
            at++;
        while (at < in->size && ((unsigned char)in->text[at] & 0xc0) == 0x80);
    return at;
}

/* The part of the text that is this node, with everything before it blank. */
static wac_status read_runs(reader *in, void *user, const yaml_node_t *node, const char *key)
{
    wac_sweep *scale = user, part;
    size_t from = offset_of(in, &node->start_mark), to = offset_of(in, &node->end_mark);
    if (node->type != YAML_MAPPING_NODE || from > to)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                               "\"%s\" is written as a sweep: environments, algorithms, seeds, "
                               "settings",
                               key);
    char *text = malloc(to + 1);
    if (!text)
        return wac_fail_memory(in->yaml.error, in->yaml.name);
    memcpy(text, in->text, to);
    text[to] = 0;
    for (size_t i = 0; i < from; i++)
        text[i] = text[i] == '\n' ? '\n' : ' ';
    wac_status status = wac_sweep_parse(&part, NULL, text, to, in->yaml.name, in->yaml.error);
    free(text);
    WAC_TRY(status);
    if (scale->count + part.count > WAC_SWEEP_RUNS)
        status = wac_yaml_refuse(&in->yaml, wac_yaml_line(node), "\"%s\" has more than %d runs",
                                 key, WAC_SWEEP_RUNS);
    else
        status = add_runs(scale, &part, in->yaml.error);
    wac_sweep_free(&part);
    return status;
}

static wac_status read_scale(reader *in, void *user, const wac_yaml_pair *pair, int place)
{
    (void)user;
    wac_sweep *scale = &in->experiment->scales[place];
    wac_error why;
    WAC_TRY(read_list(in, pair, 16, read_runs, scale));
    if (wac_sweep_check(scale, &why) != WAC_STATUS_OK)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->key_node), "%s", why.message);
    return WAC_STATUS_OK;
}

/* --- the file --------------------------------------------------------------------------------- */

static wac_status read_key(reader *in, void *user, const wac_yaml_pair *pair, int place)
{
    (void)user;
    wac_experiment *to = in->experiment;
    switch (place) {
    case 0:
        return read_text(in, to->title, sizeof to->title, pair);
    case 1:
        return read_text(in, to->paper, sizeof to->paper, pair);
    case 2:
        return read_text(in, to->shows, sizeof to->shows, pair);
    case 3:
        return read_mapping(in, pair->value, "\"scales\"", wac_scale_names, read_scale, NULL);
    case 4:
        return read_list(in, pair, WAC_EXPERIMENT_FIGURES, read_figure, NULL);
    default:
        return read_list(in, pair, WAC_EXPERIMENT_CLAIMS, read_claim, NULL);
    }
}

static wac_status read_document(reader *in)
{
    const yaml_node_t *root = yaml_document_get_root_node(&in->yaml.document);
    if (!root)
        return wac_yaml_refuse(&in->yaml, 1, "the file is empty");
    WAC_TRY(read_mapping(in, root, "an experiment", experiment_keys, read_key, NULL));
    if (!*in->experiment->title)
        return wac_yaml_refuse(&in->yaml, 1, "an experiment needs a title");
    for (int i = 0; i < WAC_SCALE_TOTAL; i++)
        if (in->experiment->scales[i].count)
            return WAC_STATUS_OK;
    return wac_yaml_refuse(&in->yaml, 1,
                           "an experiment needs \"scales\": the runs of quick, half or full");
}

wac_status wac_experiment_parse(wac_experiment **experiment, const char *text, size_t size,
                                const char *name, const char *file, wac_error *error)
{
    *experiment = NULL;
    if (size > LONGEST_FILE)
        return wac_fail(error, WAC_STATUS_INPUT, "%s:1: this is too long for an experiment", file);
    wac_experiment *made = calloc(1, sizeof *made);
    char *copy = malloc(size + 1);
    if (!made || !copy) {
        free(made);
        free(copy);
        return wac_fail_memory(error, "the experiment");
    }
    memcpy(copy, text, size);
    copy[size] = 0;
    made->text = copy;
    made->size = size;
    snprintf(made->name, sizeof made->name, "%s", name);
    reader in = {.text = copy, .size = size, .experiment = made};
    wac_status status = wac_yaml_open(&in.yaml, copy, size, file, error);
    if (status == WAC_STATUS_OK) {
        status = read_document(&in);
        wac_yaml_close(&in.yaml);
    }
    if (status == WAC_STATUS_OK)
        *experiment = made;
    else
        wac_experiment_free(made);
    return status;
}
