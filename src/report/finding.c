/* What the rules share. */
#include "report/finding.h"

#include "base/number.h"
#include "base/status.h"
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

const char *wac_short_seeds(char text[WAC_SHORT], size_t seeds)
{
    snprintf(text, WAC_SHORT, "%zu seed%s", seeds, seeds == 1 ? "" : "s");
    return text;
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

static wac_status append(wac_judge *judge, const wac_finding *finding)
{
    wac_judgement *to = judge->to;
    wac_finding *more = realloc(to->findings, (to->count + 1) * sizeof *more);
    if (!more)
        return wac_fail_memory(judge->error, "the findings");
    to->findings = more;
    more[to->count++] = *finding;
    return WAC_STATUS_OK;
}

wac_status wac_judge_conclude(wac_judge *judge, wac_finding *finding, size_t seeds, bool holds,
                              wac_verdict direction)
{
    bool enough = seeds >= WAC_SEEDS_ENOUGH;
    finding->seeds = seeds;
    finding->verdict = !enough ? WAC_VERDICT_UNDECIDED
                       : holds ? WAC_VERDICT_HOLDS
                               : WAC_VERDICT_FAILS;
    finding->leaning = enough ? finding->verdict : direction;
    return append(judge, finding);
}

wac_status wac_judge_lack(wac_judge *judge, const char *what)
{
    wac_finding finding = {.verdict = WAC_VERDICT_UNDECIDED, .leaning = WAC_VERDICT_UNDECIDED};
    snprintf(finding.text, sizeof finding.text, "%s: %s", judge->place, what);
    return append(judge, &finding);
}

wac_verdict wac_judge_direction(double value, double even)
{
    return value > even   ? WAC_VERDICT_HOLDS
           : value < even ? WAC_VERDICT_FAILS
                          : WAC_VERDICT_UNDECIDED;
}

bool wac_judge_means(const wac_judge *judge, size_t index, const char *algorithm)
{
    const wac_group *group = &judge->selection->set->groups[index];
    const wac_config *config = &group->runs[0]->config;
    if (!wac_selection_has(judge->selection, index) || group->task != judge->task)
        return false;
    if (algorithm && strcmp(wac_algorithm_name((wac_algorithm)config->algorithm), algorithm) != 0)
        return false;
    return wac_where_holds(&judge->part->where, config);
}

/* The median by counting, so that no copy is needed: groups are small. */
static double median(const double *values, size_t count)
{
    double middle[2] = {NAN, NAN};
    for (size_t i = 0; i < count; i++) {
        size_t below = 0, equal = 0;
        for (size_t k = 0; k < count; k++) {
            below += values[k] < values[i];
            equal += values[k] == values[i];
        }
        size_t places[2] = {(count - 1) / 2, count / 2};
        for (int side = 0; side < 2; side++)
            if (below <= places[side] && places[side] < below + equal)
                middle[side] = values[i];
    }
    return (middle[0] + middle[1]) / 2;
}

size_t wac_judge_values(const wac_group *group, wac_measure measure, bool spread, double *values,
                        const wac_record **runs)
{
    size_t count = wac_records_measure(values, runs, group->runs, group->count, measure);
    double middle = spread ? median(values, count) : 0;
    for (size_t i = 0; i < count && spread; i++)
        values[i] = fabs(values[i] - middle);
    return count;
}
