/* Findings, from their beginning to their words. */
#include "report/rules/case.h"

#include "base/number.h"
#include "base/status.h"
#include "draw/style.h"
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
    if (group->task != at->task || !wac_where_holds(&at->part->where, config))
        return false;
    wac_where one = {.count = 1};
    if (who)
        one.conditions[0] = *who;
    return !who || wac_where_holds(&one, config);
}

/* "OE-WAC", "lambda 0.5" */
static void name_side(char name[WAC_WHERE_TEXT], const wac_condition *side)
{
    *name = 0;
    if (side && strcmp(side->key, "algorithm") == 0)
        snprintf(name, WAC_WHERE_TEXT, "%s",
                 wac_style_title((char[WAC_STYLE_TITLE]){0}, side->values[0]));
    else if (side)
        snprintf(name, WAC_WHERE_TEXT, "%.23s %.23s", side->key, side->values[0]);
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
        finding->missing += group->runs[i].fate < WAC_FATE_DIVERGED;
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

wac_status wac_case_end(const wac_case *at, wac_finding *finding)
{
    wac_finding_add(finding, "; %zu seed%s", finding->seeds, finding->seeds == 1 ? "" : "s");
    if (finding->missing)
        wac_finding_add(finding, ", %zu of %zu runs missing", finding->missing, finding->planned);
    if (finding->seeds < WAC_SEEDS_ENOUGH) /* whatever the numbers */
        finding->p_for = finding->p_against = 1;
    return append(at, finding);
}

wac_status wac_case_lack(const wac_case *at, const char *format, ...)
{
    wac_finding finding = wac_case_begin(at, NULL, NULL);
    finding.seeds = 0;
    finding.epochs = 0;
    va_list arguments;
    va_start(arguments, format);
    wac_finding_add(&finding, "%s: ", at->place);
    size_t used = strlen(finding.text);
    vsnprintf(finding.text + used, sizeof finding.text - used, format, arguments);
    va_end(arguments);
    return append(at, &finding);
}
