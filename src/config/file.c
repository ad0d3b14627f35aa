/* Settings as YAML: one flat mapping of keys to single values, and nothing of YAML beyond it.
 * Refusals name file and line. */
#include "base/files.h"
#include "base/status.h"
#include "base/yaml.h"
#include "config/config.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 64 * 1024 };

/* What a file says about one key. */
typedef struct entry {
    size_t line;                                         /* from 1; 0: nothing */
    char value[sizeof((wac_config *)NULL)->environment]; /* the longest of all values */
} entry;

typedef struct entries {
    const char *name; /* of the file */
    entry environment;
    entry settings[WAC_SETTINGS_TOTAL]; /* as in wac_settings */
} entries;

/* A plain word or number, quoted or not; `why` is the refusal of anything else. */
static wac_status read_scalar(const wac_yaml *in, const char **text, const yaml_node_t *node,
                              const char *why)
{
    *text = "";
    if (node->type != YAML_SCALAR_NODE)
        return wac_yaml_refuse(in, wac_yaml_line(node), "%s", why);
    *text = (const char *)node->data.scalar.value;
    if (strlen(*text) != node->data.scalar.length)
        return wac_yaml_refuse(in, wac_yaml_line(node), "a zero byte has no place in a setting");
    return WAC_STATUS_OK;
}

/* Where a key's value goes; null, with a message, for an unknown one. */
static entry *find_slot(entries *file, const char *key, wac_error *error)
{
    if (strcmp(key, "environment") == 0)
        return &file->environment;
    const wac_setting *setting;
    size_t count;
    if (wac_setting_find(&setting, key, error))
        return NULL;
    return &file->settings[setting - wac_settings(&count)];
}

/* One `key: value`. */
static wac_status read_entry(entries *file, wac_yaml *in, const yaml_node_pair_t *pair)
{
    const yaml_node_t *node = wac_yaml_node(in, pair->key);
    const char *key, *value;
    wac_error unknown;
    WAC_TRY(read_scalar(in, &key, node, "a key must be the name of a setting"));
    entry *slot = find_slot(file, key, &unknown);
    if (!slot)
        return wac_yaml_refuse(in, wac_yaml_line(node), "%s", unknown.message);
    if (slot->line)
        return wac_yaml_refuse(in, wac_yaml_line(node), "\"%s\" was already set on line %zu", key,
                               slot->line);
    slot->line = wac_yaml_line(node);
    node = wac_yaml_node(in, pair->value);
    WAC_TRY(read_scalar(in, &value, node,
                        "a setting has one value, and neither lists nor settings inside it"));
    if (strlen(value) >= sizeof slot->value)
        return wac_yaml_refuse(in, wac_yaml_line(node), "this value is too long");
    strcpy(slot->value, value);
    return WAC_STATUS_OK;
}

static wac_status read_document(entries *file, wac_yaml *in, const char *text, size_t size)
{
    const yaml_node_t *root = yaml_document_get_root_node(&in->document);
    size_t last_line = 1;
    for (size_t i = 0; i < size; i++)
        last_line += text[i] == '\n';
    if (!root)
        return wac_yaml_refuse(in, last_line, "the file is empty; write lines of \"key: value\"");
    if (root->type != YAML_MAPPING_NODE)
        return wac_yaml_refuse(in, wac_yaml_line(root),
                               "this is no list of settings; write lines of \"key: value\"");
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start;
         pair < root->data.mapping.pairs.top; pair++)
        WAC_TRY(read_entry(file, in, pair));
    return WAC_STATUS_OK;
}

static wac_status read_text(entries *file, const char *text, size_t size, const char *name,
                            wac_error *error)
{
    wac_yaml in;
    *file = (entries){.name = name};
    WAC_TRY(wac_yaml_open_plain(&in, text, size, name, error));
    wac_status status = read_document(file, &in, text, size);
    wac_yaml_close(&in);
    return status;
}

static wac_status read_path(entries *file, const char *path, wac_error *error)
{
    char *text;
    size_t size;
    WAC_TRY(wac_file_read(&text, &size, path, LARGEST_FILE, error));
    wac_status status = read_text(file, text, size, path, error);
    free(text);
    return status;
}

/* Pass on a failure, with file and line if it is the file's fault (line 0: it is not). */
static wac_status locate(wac_error *error, const entries *file, size_t line, const wac_error *inner)
{
    if (line == 0)
        return wac_fail(error, inner->status, "%s", inner->message);
    return wac_fail(error, inner->status, "%s:%zu: %s", file->name, line, inner->message);
}

/* The settings of the file over the config, which stays as it was on failure. */
static wac_status apply(wac_config *config, const entries *file, wac_error *error)
{
    wac_config changed = *config;
    wac_error inner;
    const entry *environment = &file->environment;
    if (environment->line && wac_config_set(&changed, "environment", environment->value, &inner))
        return locate(error, file, environment->line, &inner);
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    for (size_t i = 0; i < count; i++) {
        const entry *slot = &file->settings[i];
        if (slot->line && wac_config_set(&changed, settings[i].name, slot->value, &inner))
            return locate(error, file, slot->line, &inner);
    }
    *config = changed;
    return WAC_STATUS_OK;
}

/* The preset that caller and file ask for, then the file's settings. Consumes the entries. */
static wac_status build(wac_config *config, entries *file, const char *environment,
                        const char *algorithm, wac_error *error)
{
    /* what the caller asks for replaces what the file says */
    entry *own_environment = &file->environment,
          *own_algorithm = find_slot(file, "algorithm", NULL);
    assert(own_algorithm);
    if (environment)
        own_environment->line = 0;
    else if (own_environment->line)
        environment = own_environment->value;
    else
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s names no environment; add a line such as \"environment: riverswim\"",
                        file->name);
    if (algorithm)
        own_algorithm->line = 0;
    else if (own_algorithm->line)
        algorithm = own_algorithm->value;

    wac_config fresh;
    wac_error inner;
    if (wac_config_init(&fresh, environment, NULL, &inner))
        return locate(error, file, own_environment->line, &inner);
    if (wac_config_init(&fresh, environment, algorithm, &inner))
        return locate(error, file, own_algorithm->line, &inner);
    WAC_TRY(apply(&fresh, file, error));
    *config = fresh;
    return WAC_STATUS_OK;
}

wac_status wac_config_load(wac_config *config, const char *path, wac_error *error)
{
    entries file;
    WAC_TRY(read_path(&file, path, error));
    return apply(config, &file, error);
}

wac_status wac_config_read(wac_config *config, const char *path, const char *environment,
                           const char *algorithm, wac_error *error)
{
    entries file;
    WAC_TRY(read_path(&file, path, error));
    return build(config, &file, environment, algorithm, error);
}

wac_status wac_config_parse(wac_config *config, const char *text, size_t size, const char *name,
                            const char *environment, const char *algorithm, wac_error *error)
{
    entries file;
    WAC_TRY(read_text(&file, text, size, name, error));
    return build(config, &file, environment, algorithm, error);
}

/* What a run did that does not name a setting, since it is older; null: it should. */
static const char *value_before(const wac_config *config, const wac_setting *setting)
{
    static const struct {
        const char *name, *value;
    } added[] = {
        {"update_interval", "0"}, {"replay_checkpoint", "all"}, {"keep_best", "false"},
        {"worlds", "1"},          {"reward_prior", "given"},    {"first_weights", "outputs"},
        {"reward_beyond", "0"},   {"entropy_target", "-1"},     {"posterior", "gaussian"},
        {"particles", "50"},      {"trunk", "apart"},           {"network", "plain"},
        {"blocks", "2"},          {"policy_width", "128"},      {"policy_blocks", "1"},
        {"weight_decay", "0"},    {"log_std", "clamped"},       {"reset_interval", "0"},
        {"reset_first", "0"},     {"reset_second", "0"},        {"layers", "2"},
        {"random_steps", "0"}};
    if (config->algorithm == WAC_ALGORITHM_WQL && setting->algorithms == WAC_FOR_POSTERIORS)
        return NULL; /* tables have always had those */
    for (size_t i = 0; i < sizeof added / sizeof *added; i++)
        if (strcmp(added[i].name, setting->name) == 0)
            return added[i].value;
    return NULL;
}

wac_status wac_config_read_run(wac_config *config, const char *path, wac_error *error)
{
    entries file;
    wac_config fresh;
    WAC_TRY(read_path(&file, path, error));
    WAC_TRY(build(&fresh, &file, NULL, NULL, error));
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    for (size_t i = 0; i < count; i++) {
        const char *before = value_before(&fresh, &settings[i]);
        if (file.settings[i].line || !wac_config_reads(&fresh, &settings[i]))
            continue;
        if (before) {
            WAC_TRY(wac_config_set(&fresh, settings[i].name, before, error));
            continue;
        }
        char value[64];
        wac_config_format(&fresh, &settings[i], value, sizeof value);
        return wac_fail(error, WAC_STATUS_INPUT,
                        "%s does not say \"%s\": it was cut short, or written by another version; "
                        "if the run had its preset, add the line \"%s: %s\"",
                        path, settings[i].name, settings[i].name, value);
    }
    WAC_TRY(wac_config_check(&fresh, error));
    *config = fresh;
    return WAC_STATUS_OK;
}

wac_status wac_config_yaml(char **text, const wac_config *config, wac_error *error)
{
    enum { ROOM = 1 << 15 }; /* several times what the table takes */
    size_t count, used = 0;
    const wac_setting *settings = wac_settings(&count);
    *text = malloc(ROOM);
    if (!*text)
        return wac_fail_memory(error, "the settings as YAML");
    const char *quote = strchr(config->environment, ' ') ? "\"" : "";
    used +=
        (size_t)snprintf(*text, ROOM, "environment: %s%s%s\n", quote, config->environment, quote);
    for (size_t i = 0; i < count; i++) {
        if (!wac_config_reads(config, &settings[i]))
            continue;
        char value[64];
        wac_config_format(config, &settings[i], value, sizeof value);
        int width = snprintf(*text + used, ROOM - used, "%s: %s", settings[i].name, value);
        used += (size_t)width;
        used += (size_t)snprintf(*text + used, ROOM - used, "%*s# %s\n",
                                 width < 26 ? 26 - width : 1, "", settings[i].help);
        assert(used < ROOM);
    }
    return WAC_STATUS_OK;
}
