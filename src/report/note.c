/* Notes of reproduced experiments. */
#include "report/note.h"

#include "base/files.h"
#include "base/json.h"
#include "base/status.h"
#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char wac_note_name[] = "reproduce.json";

wac_status wac_note_write(const wac_note *note, const char *directory, wac_error *error)
{
    char path[PATH_MAX];
    size_t size;
    json_t *json =
        json_pack("{s:s, s:s?, s:s}", "experiment", note->experiment, "scale",
                  note->scale < 0 ? NULL : wac_scale_names[note->scale], "runs", note->runs);
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

bool wac_note_read(wac_note *note, const char *directory)
{
    char path[PATH_MAX], *text;
    if (wac_path_join(path, sizeof path, directory, wac_note_name, NULL) != WAC_STATUS_OK ||
        wac_file_read(&text, NULL, path, 1 << 20, NULL) != WAC_STATUS_OK)
        return false;
    json_t *json = json_loads(text, 0, NULL);
    const char *name = json_string_value(json_object_get(json, "experiment"));
    const char *scale = json_string_value(json_object_get(json, "scale"));
    const char *runs = json_string_value(json_object_get(json, "runs"));
    *note = (wac_note){.scale = scale ? wac_scale_find(scale) : -1,
                       .seeds = json_integer_value(json_object_get(json, "seeds"))};
    bool good = name && runs && (!scale || note->scale >= 0) && note->seeds >= 0 &&
                read_given(&note->given, json_object_get(json, "settings"));
    if (good)
        snprintf(note->experiment, sizeof note->experiment, "%s", name);
    if (good && *runs == '/')
        good = snprintf(note->runs, sizeof note->runs, "%s", runs) < PATH_MAX;
    else if (good)
        good = wac_path_join(note->runs, sizeof note->runs, directory, runs, NULL) == WAC_STATUS_OK;
    json_decref(json);
    free(text);
    return good;
}
