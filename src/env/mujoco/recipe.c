/* From YAML to a recipe. Everything that is understood stands in two tables, of the keys of a
 * recipe and of those of an entry; a refusal names file and line, and the nearest key. */
#include "env/mujoco/recipe.h"

#include "base/status.h"
#include "base/suggest.h"
#include "base/yaml.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- the language ----------------------------------------------------------------------------- */

/* the keys of a recipe: the lists in the order of wac_recipe_list, then single values */
static const char *const top_keys[] = {"observation", "reward",     "terminate", "success",
                                       "reset",       "frame_skip", "keyframe",  "after_success",
                                       "place",       NULL};
enum { KEY_FRAME_SKIP = WAC_RECIPE_LISTS, KEY_KEYFRAME, KEY_AFTER_SUCCESS, KEY_PLACE };

#define IN(list) (1u << WAC_RECIPE_##list)
#define IN_STEP (IN(OBSERVATION) | IN(REWARD) | IN(TERMINATE) | IN(SUCCESS))
#define IN_CONDITION (IN(TERMINATE) | IN(SUCCESS))

/* the keys of an entry: quantities in the order of wac_what, numbers in that of wac_recipe_number,
 * then words; and the lists that know them */
enum { KEY_NUMBER = WAC_WHATS, KEY_AXES = WAC_WHATS + WAC_RECIPE_NUMBERS, KEY_MEASURE, ENTRY_KEYS };
static const struct {
    const char *name;
    unsigned lists;
    double number; /* what holds when the key is not there */
} entry_keys[ENTRY_KEYS] = {
    {"qpos", IN_STEP | IN(RESET), 0},
    {"qvel", IN_STEP | IN(RESET), 0},
    {"control", IN_STEP, 0},
    {"sensor", IN_STEP, 0},
    {"site", IN_STEP, 0},
    {"site_velocity", IN_STEP, 0},
    {"distance", IN_STEP, 0},
    {"bonus", IN(REWARD), 0},
    {"low", IN(OBSERVATION), -10},
    {"high", IN(OBSERVATION), 10},
    {"weight", IN(REWARD), 1},
    {"above", IN_CONDITION, -INFINITY},
    {"below", IN_CONDITION, INFINITY},
    {"uniform", IN(RESET), 0},
    {"normal", IN(RESET), 0},
    {"axes", IN_STEP, 0},
    {"measure", IN(REWARD), 0},
};

static_assert((int)WAC_RECIPE_NAME == (int)WAC_YAML_TEXT, "names are texts");

#define MEASURES "sum|squares|absolute"
#define BONUSES "step|alive|success"
#define AFTER_SUCCESS "end|continue"
#define PLACES "none|observed"

/* --- one entry -------------------------------------------------------------------------------- */

/* The keys that a list knows, as a wac_name_fn. */
static const char *key_in_list(const void *list, size_t index)
{
    for (size_t i = 0; i < ENTRY_KEYS; i++)
        if (entry_keys[i].lists >> *(const wac_recipe_list *)list & 1u && index-- == 0)
            return entry_keys[i].name;
    return NULL;
}

static void join_keys(char *text, size_t size, wac_recipe_list list)
{
    size_t used = 0;
    const char *name;
    for (size_t i = 0; (name = key_in_list(&list, i)) && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", name);
}

static wac_status refuse_key(const wac_yaml *in, const wac_yaml_pair *pair, wac_recipe_list list)
{
    char known[256] = "it knows ";
    size_t used = strlen(known);
    join_keys(known + used, sizeof known - used, list);
    return wac_yaml_refuse(in, wac_yaml_line(pair->key_node),
                           "unknown key \"%s\" in an entry of %s; %s", WAC_CLIP(pair->key),
                           top_keys[list], WAC_SUGGEST(pair->key, key_in_list, &list, known));
}

/* "all", "2", "2-4", or else the name of a part. */
static wac_status read_range(const wac_yaml *in, wac_recipe_entry *entry, const wac_yaml_pair *pair)
{
    const char *text;
    WAC_TRY(wac_yaml_text(in, &text, pair->value, pair->key));
    entry->last = -1;
    if (strcmp(text, "all") == 0)
        return WAC_STATUS_OK;
    if (*text < '0' || *text > '9') {
        strcpy(entry->name, text);
        return WAC_STATUS_OK;
    }
    int used = 0;
    if (strlen(text) < 16 && sscanf(text, "%5d%n", &entry->first, &used) == 1) {
        entry->last = entry->first;
        if (text[used] == '-' && text[used + 1] >= '0' && text[used + 1] <= '9') {
            int more = 0;
            sscanf(text + used + 1, "%5d%n", &entry->last, &more);
            used += 1 + more;
        }
    }
    if (used == 0 || text[used] || entry->last < entry->first)
        return wac_yaml_refuse(
            in, wac_yaml_line(pair->value),
            "\"%s\" is \"all\", an entry such as 2 (from 0), a range such as 2-4, or a "
            "name; not \"%s\"",
            pair->key, WAC_CLIP(text));
    return WAC_STATUS_OK;
}

/* A name, into a field of an entry or of the recipe. */
static wac_status read_name(wac_yaml *in, char name[WAC_RECIPE_NAME], const yaml_node_t *node,
                            const char *key)
{
    const char *text;
    WAC_TRY(wac_yaml_text(in, &text, node, key));
    strcpy(name, text);
    return WAC_STATUS_OK;
}

static wac_status read_point(wac_yaml *in, double point[3], const yaml_node_t *node)
{
    const yaml_node_item_t *items = node->data.sequence.items.start;
    if (node->data.sequence.items.top - items != 3)
        return wac_yaml_refuse(in, wac_yaml_line(node), "a point has three coordinates: [x, y, z]");
    for (int i = 0; i < 3; i++)
        WAC_TRY(wac_yaml_number(in, &point[i], wac_yaml_node(in, items[i]), "distance"));
    return WAC_STATUS_OK;
}

/* [site, site] or [site, [x, y, z]] */
static wac_status read_distance(wac_yaml *in, wac_recipe_entry *entry, const wac_yaml_pair *pair)
{
    const yaml_node_t *node = pair->value;
    if (node->type != YAML_SEQUENCE_NODE ||
        node->data.sequence.items.top - node->data.sequence.items.start != 2)
        return wac_yaml_refuse(in, wac_yaml_line(node),
                               "\"distance\" is between two: [site, site] or [site, [x, y, z]]");
    const yaml_node_item_t *items = node->data.sequence.items.start;
    const yaml_node_t *second = wac_yaml_node(in, items[1]);
    WAC_TRY(read_name(in, entry->name, wac_yaml_node(in, items[0]), pair->key));
    if (second->type == YAML_SEQUENCE_NODE)
        return read_point(in, entry->point, second);
    return read_name(in, entry->other, second, pair->key);
}

static wac_status read_what(wac_yaml *in, wac_recipe_entry *entry, const wac_yaml_pair *pair)
{
    entry->line = wac_yaml_line(pair->value);
    switch (entry->what) {
    case WAC_WHAT_QPOS:
    case WAC_WHAT_QVEL:
    case WAC_WHAT_CONTROL:
        return read_range(in, entry, pair);
    case WAC_WHAT_DISTANCE:
        return read_distance(in, entry, pair);
    case WAC_WHAT_BONUS:
        return wac_yaml_word(in, &entry->bonus, pair, BONUSES);
    default:
        return read_name(in, entry->name, pair->value, pair->key);
    }
}

static wac_status read_axes(const wac_yaml *in, unsigned *axes, const wac_yaml_pair *pair)
{
    const char *text;
    WAC_TRY(wac_yaml_text(in, &text, pair->value, pair->key));
    for (const char *letter = text; *letter; letter++) {
        unsigned bit = *letter >= 'x' && *letter <= 'z' ? 1u << (*letter - 'x') : 0;
        if (!bit || (*axes & bit))
            return wac_yaml_refuse(
                in, wac_yaml_line(pair->value),
                "\"axes\" is some of the letters xyz, each once, such as xy; not \"%s\"",
                WAC_CLIP(text));
        *axes |= bit;
    }
    return WAC_STATUS_OK;
}

/* One key of an entry, number `key` of the table. */
static wac_status read_detail(wac_yaml *in, wac_recipe_entry *entry, const wac_yaml_pair *pair,
                              int key)
{
    if (key < WAC_WHATS) {
        if (entry->what != WAC_WHATS)
            return wac_yaml_refuse(
                in, wac_yaml_line(pair->key_node),
                "an entry has one quantity, and this one both \"%s\" and \"%s\"; start "
                "another with a dash",
                entry_keys[entry->what].name, pair->key);
        entry->what = (wac_what)key;
        return read_what(in, entry, pair);
    }
    if (key == KEY_AXES)
        return read_axes(in, &entry->axes, pair);
    if (key < KEY_AXES)
        return wac_yaml_number(in, &entry->numbers[key - KEY_NUMBER], pair->value, pair->key);
    return wac_yaml_word(in, &entry->measure, pair, MEASURES);
}

/* What the keys of an entry have to do with one another. */
static wac_status check_entry(const wac_yaml *in, wac_recipe_entry *entry, wac_recipe_list list,
                              const size_t seen[ENTRY_KEYS], size_t line)
{
    const double *numbers = entry->numbers;
    char known[256] = "";
    join_keys(known, sizeof known, list);
    if (entry->what == WAC_WHATS)
        return wac_yaml_refuse(in, line, "this entry of %s names no quantity; it knows %s",
                               top_keys[list], known);
    bool is_placed = entry->what >= WAC_WHAT_SITE && entry->what <= WAC_WHAT_DISTANCE;
    if (seen[KEY_AXES] && !is_placed)
        return wac_yaml_refuse(in, seen[KEY_AXES],
                               "\"axes\" is for site, site_velocity and distance; %s "
                               "has none",
                               entry_keys[entry->what].name);
    if (seen[KEY_MEASURE] && entry->what == WAC_WHAT_BONUS)
        return wac_yaml_refuse(in, seen[KEY_MEASURE], "a bonus is 1; \"measure\" has no use here");
    if (is_placed && !entry->axes)
        entry->axes = 7;
    switch (list) {
    case WAC_RECIPE_OBSERVATION:
        if (!(numbers[WAC_RECIPE_LOW] < numbers[WAC_RECIPE_HIGH]) ||
            !isfinite(numbers[WAC_RECIPE_HIGH] - numbers[WAC_RECIPE_LOW]))
            return wac_yaml_refuse(in, line, "low must be below high, and both finite");
        break;
    case WAC_RECIPE_TERMINATE:
    case WAC_RECIPE_SUCCESS:
        if (!seen[KEY_NUMBER + WAC_RECIPE_ABOVE] && !seen[KEY_NUMBER + WAC_RECIPE_BELOW])
            return wac_yaml_refuse(in, line, "an entry of %s needs \"above\", \"below\" or both",
                                   top_keys[list]);
        if (!(numbers[WAC_RECIPE_ABOVE] < numbers[WAC_RECIPE_BELOW]))
            return wac_yaml_refuse(
                in, line,
                "no number is above the one and below the other; where either will do, "
                "write two entries");
        break;
    case WAC_RECIPE_RESET:
        if (!seen[KEY_NUMBER + WAC_RECIPE_UNIFORM] == !seen[KEY_NUMBER + WAC_RECIPE_NORMAL])
            return wac_yaml_refuse(in, line,
                                   "an entry of reset needs either \"uniform\" or \"normal\"");
        if (numbers[WAC_RECIPE_UNIFORM] < 0 || numbers[WAC_RECIPE_NORMAL] < 0)
            return wac_yaml_refuse(in, line, "noise is not negative");
        break;
    default:
        break;
    }
    return WAC_STATUS_OK;
}

static wac_status read_entry(wac_yaml *in, wac_recipe_entry *entry, const yaml_node_t *node,
                             wac_recipe_list list)
{
    size_t seen[ENTRY_KEYS] = {0};
    memset(entry, 0, sizeof *entry);
    entry->what = WAC_WHATS;
    for (int i = 0; i < WAC_RECIPE_NUMBERS; i++)
        entry->numbers[i] = entry_keys[KEY_NUMBER + i].number;
    if (node->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(in, wac_yaml_line(node),
                               "an entry of %s is a quantity, as in \"- qpos: all\"",
                               top_keys[list]);
    const yaml_node_pair_t *end = node->data.mapping.pairs.top;
    for (const yaml_node_pair_t *from = node->data.mapping.pairs.start; from < end; from++) {
        wac_yaml_pair pair;
        int key = 0;
        WAC_TRY(wac_yaml_key(in, &pair, from));
        while (key < ENTRY_KEYS && (!(entry_keys[key].lists >> list & 1u) ||
                                    strcmp(entry_keys[key].name, pair.key) != 0))
            key++;
        if (key == ENTRY_KEYS)
            return refuse_key(in, &pair, list);
        WAC_TRY(wac_yaml_once(in, &pair, &seen[key]));
        WAC_TRY(read_detail(in, entry, &pair, key));
    }
    return check_entry(in, entry, list, seen, wac_yaml_line(node));
}

/* --- the whole -------------------------------------------------------------------------------- */

static wac_status read_list(wac_yaml *in, wac_recipe *recipe, wac_recipe_list list,
                            const wac_yaml_pair *pair)
{
    const yaml_node_t *node = pair->value;
    if (node->type != YAML_SEQUENCE_NODE)
        return wac_yaml_refuse(in, wac_yaml_line(node),
                               "\"%s\" is a list of entries, as in \"- qpos: all\"", pair->key);
    const yaml_node_item_t *end = node->data.sequence.items.top;
    for (const yaml_node_item_t *item = node->data.sequence.items.start; item < end; item++) {
        const yaml_node_t *entry = wac_yaml_node(in, *item);
        if (recipe->counts[list] == WAC_RECIPE_ENTRIES)
            return wac_yaml_refuse(in, wac_yaml_line(entry), "%s has more than %d entries",
                                   pair->key, WAC_RECIPE_ENTRIES);
        WAC_TRY(read_entry(in, &recipe->lists[list][recipe->counts[list]], entry, list));
        recipe->counts[list]++;
    }
    return WAC_STATUS_OK;
}

static wac_status read_skip(const wac_yaml *in, int *skip, const wac_yaml_pair *pair)
{
    double number;
    WAC_TRY(wac_yaml_number(in, &number, pair->value, pair->key));
    if (number < 1 || number > WAC_RECIPE_SKIP_MOST || floor(number) != number)
        return wac_yaml_refuse(in, wac_yaml_line(pair->value),
                               "\"frame_skip\" must be a whole number from 1 to %d",
                               WAC_RECIPE_SKIP_MOST);
    *skip = (int)number;
    return WAC_STATUS_OK;
}

static wac_status read_top(wac_yaml *in, wac_recipe *recipe, int key, const wac_yaml_pair *pair)
{
    switch (key) {
    case KEY_FRAME_SKIP:
        return read_skip(in, &recipe->frame_skip, pair);
    case KEY_KEYFRAME:
        recipe->keyframe_line = wac_yaml_line(pair->value);
        return read_name(in, recipe->keyframe, pair->value, pair->key);
    case KEY_AFTER_SUCCESS:
        return wac_yaml_word(in, &recipe->goes_on, pair, AFTER_SUCCESS);
    case KEY_PLACE:
        return wac_yaml_word(in, &recipe->has_place, pair, PLACES);
    default:
        return read_list(in, recipe, (wac_recipe_list)key, pair);
    }
}

/* What the lists have to do with one another. */
static wac_status check_whole(const wac_yaml *in, const wac_recipe *recipe, const size_t *seen)
{
    for (int list = WAC_RECIPE_OBSERVATION; list <= WAC_RECIPE_REWARD; list++)
        if (recipe->counts[list] == 0)
            return wac_yaml_refuse(
                in, seen[list] ? seen[list] : 1,
                "a recipe needs entries of %s; the shortest is \"%s\"", top_keys[list],
                list == WAC_RECIPE_REWARD ? "reward: [{bonus: alive}]"
                                          : "observation: [{qpos: all}, {qvel: all}]");
    if (recipe->counts[WAC_RECIPE_SUCCESS])
        return WAC_STATUS_OK;
    if (seen[KEY_AFTER_SUCCESS])
        return wac_yaml_refuse(in, seen[KEY_AFTER_SUCCESS],
                               "there is no \"success\" to go on after");
    for (int i = 0; i < recipe->counts[WAC_RECIPE_REWARD]; i++) {
        const wac_recipe_entry *entry = &recipe->lists[WAC_RECIPE_REWARD][i];
        if (entry->what == WAC_WHAT_BONUS && entry->bonus == WAC_BONUS_SUCCESS)
            return wac_yaml_refuse(in, entry->line, "there is no \"success\" to pay a bonus for");
    }
    return WAC_STATUS_OK;
}

static wac_status read_document(wac_yaml *in, wac_recipe *recipe)
{
    const yaml_node_t *root = yaml_document_get_root_node(&in->document);
    size_t seen[sizeof top_keys / sizeof *top_keys] = {0};
    if (!root || root->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(
            in, root ? wac_yaml_line(root) : 1,
            "this is no recipe; it starts with \"observation:\" or another of its keys");
    const yaml_node_pair_t *end = root->data.mapping.pairs.top;
    for (const yaml_node_pair_t *from = root->data.mapping.pairs.start; from < end; from++) {
        wac_yaml_pair pair;
        int key = 0;
        WAC_TRY(wac_yaml_key(in, &pair, from));
        while (top_keys[key] && strcmp(top_keys[key], pair.key) != 0)
            key++;
        if (!top_keys[key])
            return wac_yaml_refuse(
                in, wac_yaml_line(pair.key_node), "unknown key \"%s\"; %s", WAC_CLIP(pair.key),
                WAC_SUGGEST(pair.key, wac_name_in_array, top_keys,
                            "a recipe has observation, reward, terminate, success, after_success, "
                            "reset, keyframe, frame_skip and place"));
        WAC_TRY(wac_yaml_once(in, &pair, &seen[key]));
        WAC_TRY(read_top(in, recipe, key, &pair));
    }
    return check_whole(in, recipe, seen);
}

wac_status wac_recipe_parse(wac_recipe *recipe, const char *text, size_t size, const char *name,
                            wac_error *error)
{
    wac_yaml in;
    memset(recipe, 0, sizeof *recipe);
    recipe->frame_skip = 1;
    WAC_TRY(wac_yaml_open(&in, text, size, name, error));
    wac_status status = read_document(&in, recipe);
    wac_yaml_close(&in);
    return status;
}
