/* Notes of reproduced experiments. */
#include "report/note.h"

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"
#include "config/config.h"
#include "run/packed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char wac_note_name[] = "reproduce.json";

/* How the note calls what is at a path: from the folder on where it is in there, else all of it. */
static bool name_runs(char name[PATH_MAX], const char *directory, const char *path)
{
    char archive[PATH_MAX], whole[PATH_MAX], home[PATH_MAX];
    const char *inside = "", *rest = whole;
    bool packed = wac_packed_find(archive, &inside, path);
    if (!realpath(packed ? archive : path, whole) || !realpath(directory, home))
        return false;
    size_t length = strlen(home);
    if (strcmp(whole, home) == 0)
        rest = "runs";
    else if (strncmp(whole, home, length) == 0 && whole[length] == '/')
        rest = whole + length + 1;
    return snprintf(name, PATH_MAX, "%s%s%s", rest, *inside ? "/" : "", inside) < PATH_MAX;
}

wac_status wac_note_write(const wac_note *note, const char *directory, wac_error *error)
{
    char path[PATH_MAX];
    size_t size;
    wac_json_begin();
    json_t *json = json_pack("{s:s, s:s?}", "experiment", note->experiment, "scale",
                             note->scale < 0 ? NULL : wac_scale_names[note->scale]);
    json_t *runs = json_array();
    for (char **given = note->runs; given && *given; given++)
        if (name_runs(path, directory, *given))
            json_array_append_new(runs, json_string(path));
    if (json_array_size(runs) == 0)
        json_array_append_new(runs, json_string("runs"));
    json_object_set(json, "runs", json_array_size(runs) > 1 ? runs : json_array_get(runs, 0));
    json_decref(runs);
    if (note->seeds)
        json_object_set_new(json, "seeds", json_integer(note->seeds));
    size_t count;
    const wac_setting *settings = wac_settings(&count);
    json_t *given = json_object();
    for (size_t i = 0; i < count; i++)
        if (*note->given.values[i])
            json_object_set_new(given, settings[i].name, json_string(note->given.values[i]));
    if (json_object_size(given))
        json_object_set(json, "settings", given);
    json_decref(given);
    char *text = wac_json_text(json, JSON_INDENT(2) | JSON_PRESERVE_ORDER, &size);
    json_decref(json);
    wac_status status = text ? wac_path_join(path, sizeof path, directory, wac_note_name, error)
                             : wac_fail_memory(error, wac_note_name);
    if (status == WAC_STATUS_OK)
        status = wac_file_write(path, text, size, error);
    free(text);
    return status;
}

wac_status wac_note_apply(wac_experiment *experiment, wac_note *note, wac_error *error)
{
    snprintf(experiment->name, sizeof experiment->name, "%s", note->experiment);
    if (note->seeds)
        WAC_TRY(wac_experiment_reseed(experiment, note->seeds, error));
    return wac_experiment_give(experiment, note->scale, &note->given, error);
}

/* Of names or values that are none of ours nothing is left. */
static bool read_given(wac_given *given, json_t *json)
{
    const char *name;
    json_t *value;
    size_t count;
    const wac_setting *settings = wac_settings(&count), *setting;
    json_object_foreach(json, name, value)
    {
        const char *text = json_string_value(value);
        if (!text || strlen(text) >= WAC_GIVEN_VALUE ||
            wac_setting_find(&setting, name, NULL) != WAC_STATUS_OK)
            return false;
        strcpy(given->values[setting - settings], text);
    }
    return true;
}

void wac_note_free(wac_note *note)
{
    for (char **path = note->runs; path && *path; path++)
        free(*path);
    free(note->runs);
    note->runs = NULL;
}

/* A path that one can use into `found`; false where there is none, which is not for want of memory.
 */
static bool find_runs(char **found, const char *directory, const char *runs)
{
    char path[PATH_MAX], archive[PATH_MAX];
    *found = NULL;
    if (!runs)
        return false;
    if (*runs == '/') {
        *found = strdup(runs);
        return true;
    }
    if (wac_path_join(path, sizeof path, directory, runs, NULL) != WAC_STATUS_OK ||
        wac_path_join(archive, sizeof archive, directory, WAC_PACKED_RUNS, NULL) != WAC_STATUS_OK)
        return false;
    *found = strdup(strcmp(runs, "runs") == 0 && !wac_path_exists(path) ? archive : path);
    return true;
}

/* A list, or one. */
static wac_status read_runs(wac_note *note, const char *directory, const json_t *json,
                            wac_error *error)
{
    size_t count = json_is_array(json) ? json_array_size(json) : 1;
    bool good = count > 0;
    note->runs = calloc(count + 1, sizeof *note->runs);
    wac_status status = note->runs ? WAC_STATUS_OK : wac_fail_memory(error, wac_note_name);
    for (size_t i = 0; good && status == WAC_STATUS_OK && i < count; i++) {
        const json_t *one = json_is_array(json) ? json_array_get(json, i) : json;
        good = find_runs(&note->runs[i], directory, json_string_value(one));
        if (good && !note->runs[i])
            status = wac_fail_memory(error, wac_note_name);
    }
    if (!good || status != WAC_STATUS_OK)
        wac_note_free(note);
    return status;
}

static wac_status read_note(wac_note *note, const json_t *json, const char *directory,
                            wac_error *error)
{
    const char *name = json_string_value(json_object_get(json, "experiment"));
    const char *scale = json_string_value(json_object_get(json, "scale"));
    note->scale = scale ? wac_scale_find(scale) : -1;
    note->seeds = json_integer_value(json_object_get(json, "seeds"));
    snprintf(note->experiment, sizeof note->experiment, "%s", name ? name : "");
    bool good = name && (!scale || note->scale >= 0) && note->seeds >= 0 &&
                read_given(&note->given, json_object_get(json, "settings"));
    return good ? read_runs(note, directory, json_object_get(json, "runs"), error) : WAC_STATUS_OK;
}

wac_status wac_note_read(wac_note *note, const char *directory, wac_error *error)
{
    char path[PATH_MAX], *text;
    size_t size;
    *note = (wac_note){0};
    if (wac_path_join(path, sizeof path, directory, wac_note_name, NULL) != WAC_STATUS_OK ||
        !wac_path_exists(path))
        return WAC_STATUS_OK;
    wac_status status = wac_file_read(&text, &size, path, 1 << 20, error);
    if (status != WAC_STATUS_OK)
        return status == WAC_STATUS_INPUT ? WAC_STATUS_OK : status;
    json_t *json = wac_json_load(text, size, 0, NULL);
    status =
        errno == ENOMEM ? wac_fail_memory(error, path) : read_note(note, json, directory, error);
    json_decref(json);
    free(text);
    return status;
}
