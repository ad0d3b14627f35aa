/* Verdicts as JSON. */
#include "report/claims_json.h"

#include "base/files.h"
#include "base/status.h"

#include <limits.h>
#include <stdlib.h>

static json_t *finding_json(const wac_finding *finding)
{
    char outlook[WAC_OUTLOOK];
    json_t *json =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "verdict",
                  wac_verdict_name(finding->verdict), "leaning", wac_verdict_name(finding->leaning),
                  "rule", wac_rule_name(finding->rule), "environment", finding->place, "who",
                  finding->who, "than", finding->than, "measure", finding->measure);
    const struct {
        const char *key;
        double value;
    } numbers[] = {
        {"estimate", finding->estimate},
        {"low", finding->low},
        {"high", finding->high},
        {"p", finding->p_for},
        {"p_contrary", finding->p_against},
        {"p_contrary_corrected", finding->p_corrected},
        {"level", finding->level},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(json, numbers[i].key, wac_json_number(numbers[i].value));
    const struct {
        const char *key;
        size_t value;
    } counts[] = {
        {"epochs", (size_t)finding->epochs}, {"seeds", finding->seeds},
        {"planned", finding->planned},       {"finished", finding->finished},
        {"missing", finding->missing},       {"seeds_needed", finding->seeds_needed},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(json, counts[i].key, json_integer((json_int_t)counts[i].value));
    json_object_set_new(json, "text", json_string(finding->text));
    json_object_set_new(json, "outlook", json_string(wac_finding_outlook(outlook, finding)));
    return json;
}

json_t *wac_claim_json(int number, const char *says, const wac_judgement *judgement)
{
    json_t *findings = json_array();
    for (size_t i = 0; i < judgement->count; i++)
        json_array_append_new(findings, finding_json(&judgement->findings[i]));
    return json_pack("{s:i, s:s, s:s, s:s, s:o}", "number", number, "says", says, "verdict",
                     wac_verdict_name(judgement->verdict), "leaning",
                     wac_verdict_name(judgement->leaning), "findings", findings);
}

json_t *wac_missing_json(char *const *missing, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(missing[i]));
    return list;
}

wac_status wac_claims_write(json_t *all, const char *folder, wac_error *error)
{
    char path[PATH_MAX];
    size_t size;
    char *text = wac_json_text(all, JSON_INDENT(2) | JSON_PRESERVE_ORDER, &size);
    json_decref(all);
    if (!text)
        return wac_fail_memory(error, "the verdicts");
    text[size] = '\n';
    wac_status status = wac_path_join(path, sizeof path, folder, "claims.json", error);
    if (status == WAC_STATUS_OK)
        status = wac_file_write(path, text, size + 1, error);
    free(text);
    return status;
}
