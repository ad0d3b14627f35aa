/* Findings, from their beginning to their words. */
#include "report/rules/case.h"

#include "base/number.h"
#include "base/status.h"
#include "config/config.h"
#include "draw/style.h"
#include "report/names.h"
#include "stats/estimates.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *wac_short_number(char text[WAC_SHORT], double number)
{
    if (isnan(number))
        return strcpy(text, "–");
    char digits[48];
    wac_number_print(digits, sizeof digits, fabs(number) >= 100 ? "%.0f" : "%.3g", fabs(number));
    snprintf(text, WAC_SHORT, "%s%s", number < 0 ? "−" : "", digits);
    return text;
}

bool wac_case_means(const wac_case *at, const wac_planned_group *group, const wac_condition *who)
{
    const wac_config *config = group->runs->config;
    bool everywhere = at->task == (size_t)WAC_CASE_ALL_TASKS;
    if ((!everywhere && group->task != at->task) || !wac_where_holds(&at->part->where, config))
        return false;
    wac_where one = {.count = 1};
    if (who)
        one.conditions[0] = *who;
    return !who || wac_where_holds(&one, config);
}

/* "OE-WAC", "λ 0.5" */
static void name_side(char name[WAC_WHERE_TEXT], const wac_condition *side)
{
    char pretty[WAC_PRETTY];
    *name = 0;
    if (side && strcmp(side->key, "algorithm") == 0)
        snprintf(name, WAC_WHERE_TEXT, "%s",
                 wac_style_title((char[WAC_STYLE_TITLE]){0}, side->values[0]));
    else if (side)
        snprintf(name, WAC_WHERE_TEXT, "%.23s %.23s", wac_pretty_setting(pretty, side->key),
                 side->values[0]);
}

wac_finding wac_case_begin(const wac_case *at, const wac_condition *who, const wac_condition *than)
{
    wac_finding finding = {
        .verdict = WAC_VERDICT_UNDECIDED,
        .leaning = WAC_VERDICT_UNDECIDED,
        .rule = at->part->rule,
        .estimate = NAN,
        .low = NAN,
        .high = NAN,
        .p_for = 1,
        .p_against = 1,
        .p_corrected = 1,
        .level = at->part->rule == WAC_RULE_LESS_SPREAD ? WAC_LEVEL_SPREAD : WAC_LEVEL,
        .counts = true,
        .epochs = INT64_MAX,
        .seeds = SIZE_MAX,
    };
    snprintf(finding.place, sizeof finding.place, "%s", at->place);
    snprintf(finding.measure, sizeof finding.measure, "%s", wac_measure_name(at->part->measure));
    name_side(finding.who, who);
    name_side(finding.than, than);
    return finding;
}

void wac_case_count(wac_finding *finding, const wac_planned_group *group)
{
    int64_t epochs = group->runs->config->epochs;
    finding->epochs = epochs < finding->epochs ? epochs : finding->epochs;
    finding->seeds = group->count < finding->seeds ? group->count : finding->seeds;
    finding->planned += group->count;
    for (size_t i = 0; i < group->count; i++) {
        finding->finished += group->runs[i].fate == WAC_FATE_FINISHED;
        if (group->runs[i].fate >= WAC_FATE_DIVERGED)
            continue;
        size_t used = strlen(finding->absent);
        if (finding->missing++ < 2)
            snprintf(finding->absent + used, sizeof finding->absent - used, "%s%s",
                     used ? ", " : "", group->runs[i].folder);
    }
}

void wac_finding_add(wac_finding *finding, const char *format, ...)
{
    size_t used = strlen(finding->text);
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(finding->text + used, sizeof finding->text - used, format, arguments);
    va_end(arguments);
    /* where it is cut off, not within a letter */
    if (length >= 0 && used + (size_t)length >= sizeof finding->text)
        for (size_t i = sizeof finding->text - 1; i-- > 0 && (finding->text[i] & 0x80);)
            finding->text[i] = 0;
}

static wac_status append(const wac_case *at, const wac_finding *finding)
{
    wac_judgement *to = at->to;
    wac_finding *more = realloc(to->findings, (to->count + 1) * sizeof *more);
    if (!more)
        return wac_fail_memory(at->error, "the findings");
    to->findings = more;
    more[to->count++] = *finding;
    return WAC_STATUS_OK;
}

void wac_case_title(const wac_case *at, wac_finding *finding)
{
    char place[WAC_PRETTY];
    wac_finding_add(finding, "%.100s, %s: ", wac_pretty_environment(place, at->place),
                    wac_measure_words(at->part->measure));
}

const char *wac_case_settings(char text[WAC_SETTINGS_TEXT], const wac_case *at,
                              const wac_planned_group *group, const wac_condition *named)
{
    size_t count, used = 0;
    const wac_setting *settings = wac_settings(&count);
    const wac_config *own = group->runs->config;
    *text = 0;
    for (size_t i = 0; i < count && used + 64 < WAC_SETTINGS_TEXT; i++) {
        bool differs = false;
        for (size_t g = 0; g < at->plan->group_count && !differs; g++) {
            const wac_config *other = at->plan->groups[g].runs->config;
            differs = wac_group_counts(&settings[i]) &&
                      wac_case_means(at, &at->plan->groups[g], NULL) &&
                      own->algorithm == other->algorithm && wac_config_reads(own, &settings[i]) &&
                      wac_setting_compare(&settings[i], own, other) != 0;
        }
        char name[WAC_PRETTY], value[64];
        if (!differs || (named && strcmp(named->key, settings[i].name) == 0))
            continue;
        wac_config_format(own, &settings[i], value, sizeof value);
        used +=
            (size_t)snprintf(text + used, WAC_SETTINGS_TEXT - used, "%s%.30s %.20s",
                             used ? ", " : " (", wac_pretty_setting(name, settings[i].name), value);
    }
    if (used)
        strcpy(text + used, ")");
    return text;
}

wac_status wac_case_end(const wac_case *at, wac_finding *finding)
{
    wac_finding_add(finding, "; %zu seed%s", finding->seeds, finding->seeds == 1 ? "" : "s");
    size_t diverged = finding->planned - finding->finished - finding->missing;
    if (finding->missing)
        wac_finding_add(finding, ", %zu of %zu runs missing", finding->missing, finding->planned);
    if (diverged)
        wac_finding_add(finding, ", %zu of %zu runs diverged", diverged, finding->planned);
    if (finding->seeds < WAC_SEEDS_ENOUGH) { /* whatever the numbers */
        finding->counts = false;
        finding->seeds_needed = WAC_SEEDS_ENOUGH;
    }
    return append(at, finding);
}

wac_status wac_case_lack(const wac_case *at, wac_finding *finding, const char *format, ...)
{
    char place[WAC_PRETTY], why[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    wac_finding_add(finding, "%.100s: %s", wac_pretty_environment(place, at->place), why);
    finding->counts = false;
    finding->epochs = finding->planned ? finding->epochs : 0;
    finding->seeds = finding->planned ? finding->seeds : 0;
    const wac_judgement *judgement = at->to; /* what nobody planned is told once */
    for (size_t i = 0; i < judgement->count; i++)
        if (finding->planned == 0 && strcmp(judgement->findings[i].text, finding->text) == 0)
            return WAC_STATUS_OK;
    return append(at, finding);
}

wac_status wac_case_seeds_needed(const wac_case *at, wac_finding *finding, wac_study_fn *study,
                                 void *user)
{
    enum { STUDIES = 60 };
    static const size_t sizes[] = {5, 6, 8, 10, 12, 15, 20, 30, 50, WAC_SEEDS_MOST};
    bool decided = finding->p_for <= finding->level || finding->p_against <= finding->level;
    if (at->plan->is_quick || decided || finding->missing || finding->seeds < WAC_SEEDS_ENOUGH)
        return WAC_STATUS_OK;
    wac_rng rng = wac_rng_make(1, WAC_STREAM_BOOTSTRAP);
    finding->seeds_needed = WAC_SEEDS_MOST + 1;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int found = 0;
        for (int i = 0; i < STUDIES && sizes[k] > finding->seeds; i++) {
            wac_finding trial = *finding;
            WAC_TRY(study(&trial, user, sizes[k], &rng, at->error));
            found += trial.p_for <= trial.level || trial.p_against <= trial.level;
        }
        if (found * 5 >= STUDIES * 4) {
            finding->seeds_needed = sizes[k];
            break;
        }
    }
    return WAC_STATUS_OK;
}
