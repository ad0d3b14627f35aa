/* Reading experiment files. Refusals name file and line.
 *
 * The runs of a scale are written as in a sweep file; their part of the text goes to the reader of
 * those, at its own place, so that line numbers stay right.
 */
#include "report/experiment_file.h"

#include "base/status.h"
#include "base/suggest.h"
#include "base/words.h"
#include "base/yaml.h"
#include "config/config.h"
#include "config/environments.h"
#include "sweep/file.h"
#include "wac/env.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    wac_yaml yaml;
    wac_experiment *experiment;
} reader;

/* Reads what a key has (of a list one entry after the other) into a place. */
typedef wac_status read_fn(reader *in, void *to, const wac_yaml_pair *pair);

/* A key of a mapping, and what of a structure it fills: a member, or an array and its count. */
typedef struct field {
    const char *key;
    read_fn *read; /* null: a text */
    size_t offset, size;
    int most; /* entries of an array; 0: it is none */
    size_t count;
} field;

#define SIZE_OF(type, member) sizeof(((type *)0)->member)
#define FILLS(type, member) offsetof(type, member), SIZE_OF(type, member), 0, 0
#define LISTS(type, member, count)                                                                 \
    offsetof(type, member), SIZE_OF(type, member[0]),                                              \
        (int)(SIZE_OF(type, member) / SIZE_OF(type, member[0])), offsetof(type, count)

enum { MOST_FIELDS = 16 };

/* --- values ----------------------------------------------------------------------------------- */

static wac_status refuse_value(const reader *in, const wac_yaml_pair *pair, const char *why)
{
    return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->value), "%s", why);
}

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
    for (char *letter = to; (letter = strchr(letter, '\n'));)
        *letter = ' ';
    if (wac_has_control(to, ""))
        return wac_yaml_refuse(&in->yaml, line, "\"%s\" has control characters", pair->key);
    return WAC_STATUS_OK;
}

/* A word into a buffer of WAC_WHERE_TEXT bytes. */
static wac_status read_word(reader *in, void *to, const wac_yaml_pair *pair)
{
    const char *text;
    WAC_TRY(wac_yaml_text(&in->yaml, &text, pair->value, pair->key));
    if (strlen(text) >= WAC_WHERE_TEXT)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->value),
                               "the value of \"%s\" is too long", pair->key);
    strcpy(to, text);
    return WAC_STATUS_OK;
}

static wac_status read_setting(reader *in, void *to, const wac_yaml_pair *pair)
{
    const wac_setting *setting;
    wac_error why;
    WAC_TRY(read_word(in, to, pair));
    if (wac_setting_find(&setting, to, &why) != WAC_STATUS_OK)
        return refuse_value(in, pair, why.message);
    strcpy(to, setting->name);
    return WAC_STATUS_OK;
}

static wac_status read_algorithm(reader *in, void *to, const wac_yaml_pair *pair)
{
    wac_config config;
    wac_error why;
    WAC_TRY(read_word(in, to, pair));
    if (wac_config_init(&config, "lqg", to, &why) != WAC_STATUS_OK)
        return refuse_value(in, pair, why.message);
    return WAC_STATUS_OK;
}

static wac_status read_environment(reader *in, void *to, const wac_yaml_pair *pair)
{
    const wac_environment_type *type;
    wac_error why = {0};
    WAC_TRY(read_word(in, to, pair));
    if (wac_environment_type_find(&type, to, &why) != WAC_STATUS_OK)
        return refuse_value(in, pair, why.message);
    return WAC_STATUS_OK;
}

static wac_status read_number(reader *in, void *to, const wac_yaml_pair *pair)
{
    return wac_yaml_number(&in->yaml, to, pair->value, pair->key);
}

static wac_status read_factor(reader *in, void *to, const wac_yaml_pair *pair)
{
    WAC_TRY(read_number(in, to, pair));
    return *(double *)to > 0 ? WAC_STATUS_OK
                             : refuse_value(in, pair, "\"factor\" is a number above 0");
}

static wac_status read_measure(reader *in, void *to, const wac_yaml_pair *pair)
{
    wac_measure *measure = to;
    const char *name;
    WAC_TRY(wac_yaml_text(&in->yaml, &name, pair->value, pair->key));
    if (wac_measure_find(measure, name) && strcmp(wac_measure_name(*measure), name) == 0)
        return WAC_STATUS_OK;
    return wac_yaml_refuse(
        &in->yaml, wac_yaml_line(pair->value), "there is no measure \"%s\"; %s", WAC_CLIP(name),
        WAC_SUGGEST(name, wac_measure_name_at, NULL, "docs/statistics.md names them"));
}

/* --- lists and mappings ----------------------------------------------------------------------- */

/* Every entry of a list, or the only one, into an array of places of so many bytes. */
static wac_status read_list(reader *in, void *array, size_t size, int most, int *count,
                            read_fn *read, const wac_yaml_pair *pair)
{
    const yaml_node_t *node = pair->value;
    wac_yaml_pair entry = *pair;
    int length = wac_yaml_length(node);
    if (length == 0 || length > most)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                               "\"%s\" has %d entries; from 1 to %d make sense", pair->key, length,
                               most);
    for (*count = 0; *count < length; ++*count) {
        if (node->type == YAML_SEQUENCE_NODE)
            entry.value = wac_yaml_node(&in->yaml, node->data.sequence.items.start[*count]);
        WAC_TRY(read(in, (char *)array + (size_t)*count * size, &entry));
    }
    return WAC_STATUS_OK;
}

static const char *key_at(const void *fields, size_t index)
{
    return ((const field *)fields)[index].key;
}

static int find_field(const field *fields, const char *key)
{
    for (int i = 0; fields[i].key; i++)
        if (strcmp(fields[i].key, key) == 0)
            return i;
    return -1;
}

/* A key that is none of these, and belongs elsewhere or is misspelt. */
static wac_status refuse_key(const reader *in, const wac_yaml_pair *pair, const field *fields);

/* The keys of a mapping into a structure; seen: [MOST_FIELDS], all 0, gets their lines. */
static wac_status read_mapping(reader *in, const yaml_node_t *node, const char *what,
                               const field *fields, void *to, size_t *seen)
{
    if (node->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                               "%s is a mapping: lines of \"key: value\"", what);
    for (const yaml_node_pair_t *at = node->data.mapping.pairs.start;
         at < node->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->yaml, &pair, at));
        int place = find_field(fields, pair.key);
        if (place < 0)
            return refuse_key(in, &pair, fields);
        WAC_TRY(wac_yaml_once(&in->yaml, &pair, &seen[place]));
        const field *field = &fields[place];
        char *member = (char *)to + field->offset;
        if (!field->read)
            WAC_TRY(read_text(in, member, field->size, &pair));
        else if (field->most)
            WAC_TRY(read_list(in, member, field->size, field->most,
                              (int *)((char *)to + field->count), field->read, &pair));
        else
            WAC_TRY(field->read(in, member, &pair));
    }
    return WAC_STATUS_OK;
}

/* --- where ------------------------------------------------------------------------------------ */

static wac_status read_where(reader *in, void *to, const wac_yaml_pair *from)
{
    wac_where *where = to;
    const yaml_node_t *node = from->value;
    if (node->type != YAML_MAPPING_NODE)
        return refuse_value(in, from,
                            "\"where\" is a mapping, as in {environment: lqg, lambda: [0, 1]}");
    *where = (wac_where){0};
    for (const yaml_node_pair_t *at = node->data.mapping.pairs.start;
         at < node->data.mapping.pairs.top; at++) {
        wac_yaml_pair pair;
        WAC_TRY(wac_yaml_key(&in->yaml, &pair, at));
        size_t line = wac_yaml_line(pair.key_node);
        if (where->count == WAC_WHERE_CONDITIONS)
            return wac_yaml_refuse(&in->yaml, line, "\"where\" has more than %d conditions",
                                   WAC_WHERE_CONDITIONS);
        wac_condition *condition = &where->conditions[where->count];
        bool is_environment = strcmp(pair.key, "environment") == 0;
        if (is_environment)
            strcpy(condition->key, pair.key);
        else
            WAC_TRY(read_setting(in, condition->key,
                                 &(wac_yaml_pair){.key = "where", .value = pair.key_node}));
        if (wac_where_find(where, condition->key))
            return wac_yaml_refuse(&in->yaml, line, "\"%s\" was already there", condition->key);
        pair.key = condition->key;
        read_fn *read = is_environment                             ? read_environment
                        : strcmp(condition->key, "algorithm") == 0 ? read_algorithm
                                                                   : read_word;
        WAC_TRY(read_list(in, condition->values, sizeof *condition->values, WAC_WHERE_VALUES,
                          &condition->count, read, &pair));
        where->count++;
    }
    return WAC_STATUS_OK;
}

/* --- figures ---------------------------------------------------------------------------------- */

static wac_status read_kind(reader *in, void *to, const wac_yaml_pair *pair)
{
    return wac_yaml_word(&in->yaml, to, pair, wac_figure_kind_words());
}

static wac_status read_column(reader *in, void *to, const wac_yaml_pair *pair)
{
    wac_column column;
    const char *text;
    char names[128];
    WAC_TRY(wac_yaml_text(&in->yaml, &text, pair->value, pair->key));
    if (wac_column_find(&column, text)) {
        *(int *)to = (int)column;
        return WAC_STATUS_OK;
    }
    wac_columns_join(names, sizeof names, true);
    return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->value), "\"%s\" must be %s, not \"%s\"",
                           pair->key, names, WAC_CLIP(text));
}

static wac_status read_curve(reader *in, void *to, const wac_yaml_pair *pair)
{
    return wac_yaml_word(&in->yaml, to, pair, WAC_FIGURE_CURVES);
}

static wac_status read_switch(reader *in, void *to, const wac_yaml_pair *pair)
{
    return wac_yaml_word(&in->yaml, to, pair, "false|true");
}

enum { FIGURE_X = 3, FIGURE_CURVE, FIGURE_SEEDS, FIGURE_MEASURE };

static const field figure_fields[] = {
    {"kind", read_kind, FILLS(wac_figure, kind)},
    {"title", NULL, FILLS(wac_figure, title)},
    {"rows", read_column, LISTS(wac_figure, columns, column_count)},
    [FIGURE_X] = {"x", read_word, FILLS(wac_figure, x)},
    [FIGURE_CURVE] = {"curve", read_curve, FILLS(wac_figure, curve)},
    [FIGURE_SEEDS] = {"seeds", read_switch, FILLS(wac_figure, seeds)},
    [FIGURE_MEASURE] = {"measure", read_measure, FILLS(wac_figure, measure)},
    {"lines", read_setting, FILLS(wac_figure, lines)},
    {"where", read_where, FILLS(wac_figure, where)},
    {0},
};

/* What goes across: a setting, or of curves a word of theirs. */
static wac_status check_across(reader *in, wac_figure *figure, size_t line, bool is_setting)
{
    const wac_setting *setting;
    wac_error why;
    char words[64];
    if (is_setting && wac_setting_find(&setting, figure->x, &why) != WAC_STATUS_OK)
        return wac_yaml_refuse(&in->yaml, line, "%s", why.message);
    if (is_setting)
        strcpy(figure->x, setting->name);
    wac_words_join(words, sizeof words, WAC_FIGURE_ACROSS);
    return is_setting || wac_word_index(WAC_FIGURE_ACROSS, figure->x) >= 0
               ? WAC_STATUS_OK
               : wac_yaml_refuse(&in->yaml, line, "\"x\" of curves must be %s, not \"%s\"", words,
                                 WAC_CLIP(figure->x));
}

/* What is measured, where that is given: averages over tasks need shares of what is best. */
static wac_status check_measure(reader *in, const wac_figure *figure, size_t line)
{
    if (!wac_figure_takes_it(figure, WAC_FIGURE_TAKES_MEASURE))
        return wac_yaml_refuse(&in->yaml, line, "\"measure\" is nothing that %s take",
                               wac_figure_kind_name(figure->kind));
    if (wac_figure_takes_it(figure, WAC_FIGURE_TAKES_SHARES) &&
        figure->measure != WAC_MEASURE_SCORE && figure->measure != WAC_MEASURE_NORMALISED)
        return wac_yaml_refuse(&in->yaml, line,
                               "\"measure\" of %s must be score or normalised, which are shares of "
                               "the best possible, not \"%s\"",
                               wac_figure_kind_name(figure->kind),
                               wac_measure_name(figure->measure));
    return WAC_STATUS_OK;
}

static wac_status read_figure(reader *in, void *to, const wac_yaml_pair *pair)
{
    wac_figure *figure = to;
    size_t seen[MOST_FIELDS] = {0};
    figure->kind = WAC_FIGURE_KIND_TOTAL;
    WAC_TRY(read_mapping(in, pair->value, "a figure", figure_fields, figure, seen));
    if (figure->kind == WAC_FIGURE_KIND_TOTAL)
        return refuse_value(in, pair, "a figure needs its kind");
    if (!*figure->title)
        return refuse_value(in, pair, "a figure needs a title");
    bool takes_x = wac_figure_takes_it(figure, WAC_FIGURE_TAKES_X);
    bool curves = wac_figure_takes_it(figure, WAC_FIGURE_TAKES_ROWS);
    for (int i = FIGURE_X; i <= FIGURE_SEEDS; i++)
        if (seen[i] && !curves && !(i == FIGURE_X && takes_x))
            return wac_yaml_refuse(&in->yaml, seen[i], "\"%s\" is nothing that %s take",
                                   figure_fields[i].key, wac_figure_kind_name(figure->kind));
    if (seen[FIGURE_X])
        WAC_TRY(check_across(in, figure, seen[FIGURE_X], takes_x));
    if (seen[FIGURE_MEASURE])
        WAC_TRY(check_measure(in, figure, seen[FIGURE_MEASURE]));
    if (curves && figure->column_count == 0)
        return refuse_value(in, pair, "curves need \"rows\", as in [return, episodes]");
    if (takes_x && !*figure->x)
        return refuse_value(in, pair, "a figure over settings needs \"x\", a setting");
    if (takes_x && !*figure->lines)
        strcpy(figure->lines, "algorithm");
    return WAC_STATUS_OK;
}

/* --- claims ----------------------------------------------------------------------------------- */

static wac_status read_rule(reader *in, void *to, const wac_yaml_pair *pair)
{
    return wac_yaml_word(&in->yaml, to, pair, WAC_RULE_WORDS);
}

/* A side of a comparison: an algorithm, or a setting with its value. */
static wac_status read_side(reader *in, void *to, const wac_yaml_pair *pair)
{
    wac_condition *side = to;
    wac_where where;
    *side = (wac_condition){.key = "algorithm", .count = 1};
    if (pair->value->type != YAML_MAPPING_NODE)
        return read_algorithm(in, side->values[0], pair);
    WAC_TRY(read_where(in, &where, pair));
    if (where.count != 1 || where.conditions[0].count != 1)
        return refuse_value(in, pair, "a side is an algorithm, or one setting with one value");
    *side = where.conditions[0];
    return WAC_STATUS_OK;
}

static wac_status read_claim_number(reader *in, void *to, const wac_yaml_pair *pair)
{
    double number;
    WAC_TRY(read_number(in, &number, pair));
    if (!(number >= 1 && number <= 999 && number == floor(number)))
        return refuse_value(in, pair, "\"number\" is a whole number from 1 to 999");
    *(int *)to = (int)number;
    return WAC_STATUS_OK;
}

static read_fn read_part;

/* The keys of a part are those of a claim from the rule on; a claim's own go to its first part. */
enum { NUMBER, SAYS, PARTS, RULE, SETTING, MEASURE, FACTOR };

static const field claim_fields[] = {
    [NUMBER] = {"number", read_claim_number, FILLS(wac_claim, number)},
    [SAYS] = {"says", NULL, FILLS(wac_claim, says)},
    [PARTS] = {"parts", read_part, LISTS(wac_claim, parts, count)},
    [RULE] = {"rule", read_rule, FILLS(wac_claim, parts[0].rule)},
    [SETTING] = {"setting", read_setting, FILLS(wac_claim, parts[0].setting)},
    [MEASURE] = {"measure", read_measure, FILLS(wac_claim, parts[0].measure)},
    [FACTOR] = {"factor", read_factor, FILLS(wac_claim, parts[0].factor)},
    {"who", read_side, LISTS(wac_claim, parts[0].who, parts[0].who_count)},
    {"than", read_side, LISTS(wac_claim, parts[0].than, parts[0].than_count)},
    {"below", read_number, FILLS(wac_claim, parts[0].below)},
    {"above", read_number, FILLS(wac_claim, parts[0].above)},
    {"where", read_where, FILLS(wac_claim, parts[0].where)},
    {0},
};
static const field *const part_fields = &claim_fields[RULE];

static const wac_claim_part no_part = {
    .measure = WAC_MEASURE_SCORE,
    .factor = 1,
    .below = INFINITY,
    .above = -INFINITY,
};

/* What a rule needs, and what would be silently ignored. */
static wac_status check_part(const reader *in, wac_claim_part *part, const size_t *seen,
                             const wac_yaml_pair *pair)
{
    bool trend = part->rule <= WAC_RULE_NOT_MONOTONE;
    bool two = part->rule >= WAC_RULE_AHEAD_OF && part->rule <= WAC_RULE_LEVEL;
    bool correlation = part->rule == WAC_RULE_CORRELATION;
    const char *why = NULL;
    if (!seen[RULE])
        why = "a claim needs a \"rule\", or \"parts\" with one each";
    else if (trend != (*part->setting != 0))
        why = trend ? "this rule needs \"setting\": what the trend goes with"
                    : "\"setting\" means nothing to this rule";
    else if (two && (part->who_count == 0 || part->than_count == 0))
        why = "this rule needs \"who\" and \"than\": algorithms";
    else if (!two && part->than_count)
        why = "\"than\" means nothing to this rule";
    else if (!two && !trend && !correlation && part->who_count == 0)
        why = "this rule needs \"who\": algorithms";
    else if ((trend || correlation) && part->who_count)
        why = "\"who\" means nothing to this rule; use where: {algorithm: …}";
    else if (correlation != (isfinite(part->below) || isfinite(part->above)))
        why = correlation ? "this rule needs \"below\" or \"above\": a number"
                          : "\"below\" and \"above\" mean nothing to this rule";
    else if (correlation && isfinite(part->below) && isfinite(part->above))
        why = "give \"below\" or \"above\", not both";
    else if (trend && !seen[MEASURE])
        why = "this rule needs a \"measure\", such as coverage";
    else if (seen[MEASURE] &&
             (correlation || part->rule == WAC_RULE_FASTER || part->rule > WAC_RULE_LEVEL))
        why = "\"measure\" means nothing to this rule";
    else if (seen[FACTOR] && part->rule != WAC_RULE_AHEAD_OF)
        why = "\"factor\" means nothing to this rule";
    if (part->rule == WAC_RULE_FASTER)
        part->measure = WAC_MEASURE_SOLVED;
    if (correlation)
        part->measure = WAC_MEASURE_MIRROR;
    return why ? refuse_value(in, pair, why) : WAC_STATUS_OK;
}

static wac_status read_part(reader *in, void *to, const wac_yaml_pair *pair)
{
    wac_claim own = {.parts = {no_part}};
    size_t seen[MOST_FIELDS] = {0};
    WAC_TRY(read_mapping(in, pair->value, "a part of a claim", part_fields, &own, &seen[RULE]));
    WAC_TRY(check_part(in, &own.parts[0], seen, pair));
    *(wac_claim_part *)to = own.parts[0];
    return WAC_STATUS_OK;
}

static wac_status read_claim(reader *in, void *to, const wac_yaml_pair *pair)
{
    wac_claim *claim = to;
    size_t seen[MOST_FIELDS] = {0};
    bool has_own = false;
    claim->number = (int)(claim - in->experiment->claims) + 1;
    claim->parts[0] = no_part;
    WAC_TRY(read_mapping(in, pair->value, "a claim", claim_fields, claim, seen));
    for (int i = RULE; i < MOST_FIELDS; i++)
        has_own |= seen[i] > 0;
    if (!*claim->says)
        return refuse_value(in, pair, "a claim needs \"says\": the claim in words");
    if (seen[PARTS] && has_own)
        return refuse_value(in, pair, "a claim has \"parts\" or a rule of its own, not both");
    if (seen[PARTS])
        return WAC_STATUS_OK;
    claim->count = 1;
    return check_part(in, &claim->parts[0], seen, pair);
}

/* --- scales ----------------------------------------------------------------------------------- */

/* Where a mark is, in bytes; libyaml counts characters, of which a byte order mark is none. */
static size_t offset_of(const wac_experiment *experiment, const yaml_mark_t *mark)
{
    const char *text = experiment->text;
    size_t at = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (size_t i = 0; i < mark->index && at < experiment->size; i++)
        do
            at++;
        while (at < experiment->size && ((unsigned char)text[at] & 0xc0) == 0x80);
    return at;
}

/* The part of the text that is this node, with everything before it blank. */
static wac_status read_runs(reader *in, void *to, const wac_yaml_pair *pair)
{
    wac_sweep *scale = to, part;
    wac_sweep_run *runs;
    const yaml_node_t *node = pair->value;
    size_t from = offset_of(in->experiment, &node->start_mark);
    size_t end = offset_of(in->experiment, &node->end_mark);
    if (node->type != YAML_MAPPING_NODE || from > end)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                               "\"%s\" is written as a sweep: environments, algorithms, seeds, "
                               "settings",
                               pair->key);
    char *text = malloc(end + 1);
    if (!text)
        return wac_fail_memory(in->yaml.error, in->yaml.name);
    memcpy(text, in->experiment->text, end);
    text[end] = 0;
    for (size_t i = 0; i < from; i++)
        text[i] = text[i] == '\n' ? '\n' : ' ';
    wac_status status = wac_sweep_parse(&part, NULL, text, end, in->yaml.name, in->yaml.error);
    free(text);
    WAC_TRY(status);
    if (scale->count + part.count > WAC_SWEEP_RUNS)
        status = wac_yaml_refuse(&in->yaml, wac_yaml_line(node), "\"%s\" has more than %d runs",
                                 pair->key, WAC_SWEEP_RUNS);
    else if (*part.from)
        status = wac_yaml_refuse(&in->yaml, wac_yaml_line(node),
                                 "the runs of an experiment begin untrained; leave \"from\" out");
    else if (!(runs = realloc(scale->runs, (scale->count + part.count) * sizeof *runs)))
        status = wac_fail_memory(in->yaml.error, "the list of runs");
    else {
        scale->runs = runs;
        memcpy(runs + scale->count, part.runs, part.count * sizeof *runs);
        scale->count += part.count;
        for (int i = 0; i < WAC_SETTINGS_TOTAL; i++)
            scale->says[i] |= part.says[i];
    }
    wac_sweep_free(&part);
    return status;
}

static wac_status read_scale(reader *in, void *to, const wac_yaml_pair *pair)
{
    wac_error why;
    int parts;
    if (((const wac_sweep *)to)->count)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->key_node),
                               "\"paper\" and \"full\" are the same scale");
    WAC_TRY(read_list(in, to, 0, 16, &parts, read_runs, pair));
    if (wac_sweep_check(to, &why) != WAC_STATUS_OK)
        return wac_yaml_refuse(&in->yaml, wac_yaml_line(pair->key_node), "%s", why.message);
    return WAC_STATUS_OK;
}

static const field scale_fields[] = {
    {"quick", read_scale, FILLS(wac_experiment, scales[WAC_SCALE_QUICK])},
    {"half", read_scale, FILLS(wac_experiment, scales[WAC_SCALE_HALF])},
    {"paper", read_scale, FILLS(wac_experiment, scales[WAC_SCALE_PAPER])},
    {"full", read_scale, FILLS(wac_experiment, scales[WAC_SCALE_PAPER])},
    {"strong", read_scale, FILLS(wac_experiment, scales[WAC_SCALE_STRONG])},
    {0},
};

static wac_status read_scales(reader *in, void *to, const wac_yaml_pair *pair)
{
    size_t seen[MOST_FIELDS] = {0};
    const wac_sweep *scales = in->experiment->scales;
    WAC_TRY(read_mapping(in, pair->value, "\"scales\"", scale_fields, to, seen));
    if (scales[WAC_SCALE_PAPER].count == 0 || scales[WAC_SCALE_STRONG].count > 0)
        return WAC_STATUS_OK;
    /* where those would be too many, it has no such scale */
    wac_status status = wac_sweep_reseed(&in->experiment->scales[WAC_SCALE_STRONG],
                                         &scales[WAC_SCALE_PAPER], WAC_SEEDS_STRONG, NULL);
    return status == WAC_STATUS_MEMORY ? wac_fail_memory(in->yaml.error, "the list of runs")
                                       : WAC_STATUS_OK;
}

/* --- the file --------------------------------------------------------------------------------- */

static const field experiment_fields[] = {
    {"title", NULL, FILLS(wac_experiment, title)},
    {"paper", NULL, FILLS(wac_experiment, paper)},
    {"shows", NULL, FILLS(wac_experiment, shows)},
    {"scales", read_scales, 0, 0, 0, 0},
    {"figures", read_figure, LISTS(wac_experiment, figures, figure_count)},
    {"claims", read_claim, LISTS(wac_experiment, claims, claim_count)},
    {0},
};

static wac_status refuse_key(const reader *in, const wac_yaml_pair *pair, const field *fields)
{
    size_t line = wac_yaml_line(pair->key_node);
    if (fields == scale_fields)
        return wac_yaml_refuse(&in->yaml, line,
                               "there is no scale \"%s\"; scales are quick, half, paper, strong",
                               WAC_CLIP(pair->key));
    if (fields == experiment_fields &&
        wac_word_index("environments|algorithms|seeds|settings", pair->key) >= 0)
        return wac_yaml_refuse(&in->yaml, line,
                               "\"%s\" belongs to a sweep, or to a scale of an experiment; if this "
                               "is a sweep: wac sweep %s",
                               pair->key, in->yaml.name);
    if (fields == part_fields && find_field(claim_fields, pair->key) >= 0)
        return wac_yaml_refuse(&in->yaml, line, "\"%s\" belongs to a claim, not to a part of one",
                               pair->key);
    return wac_yaml_refuse(
        &in->yaml, line, "unknown key \"%s\"; %s", WAC_CLIP(pair->key),
        WAC_SUGGEST(pair->key, key_at, fields, "docs/experiments.md names them"));
}

static wac_status read_document(reader *in)
{
    const yaml_node_t *root = yaml_document_get_root_node(&in->yaml.document);
    size_t seen[MOST_FIELDS] = {0};
    if (!root)
        return wac_yaml_refuse(&in->yaml, 1, "the file is empty");
    WAC_TRY(read_mapping(in, root, "an experiment", experiment_fields, in->experiment, seen));
    if (!*in->experiment->title)
        return wac_yaml_refuse(&in->yaml, 1, "an experiment needs a title");
    for (int i = 0; i < WAC_SCALE_TOTAL; i++)
        if (in->experiment->scales[i].count)
            return WAC_STATUS_OK;
    return wac_yaml_refuse(
        &in->yaml, 1, "an experiment needs \"scales\": the runs of quick, half, paper or strong");
}

wac_status wac_experiment_parse(wac_experiment **experiment, char *text, size_t size,
                                const char *name, const char *file, wac_error *error)
{
    *experiment = NULL;
    wac_experiment *made = calloc(1, sizeof *made);
    if (!made) {
        free(text);
        return wac_fail_memory(error, "the experiment");
    }
    made->text = text;
    made->size = size;
    snprintf(made->name, sizeof made->name, "%s", name);
    reader in = {.experiment = made};
    wac_status status = wac_yaml_open(&in.yaml, text, size, file, error);
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
