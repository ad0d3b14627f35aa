/* What the rules share: which runs a part means, and how a finding is put together. */
#ifndef WAC_REPORT_RULES_CASE_H
#define WAC_REPORT_RULES_CASE_H

#include "base/rng.h"
#include "report/judge.h"

enum { WAC_SETTINGS_TEXT = 160 };

enum { WAC_CASE_ALL_TASKS = -1 };

/* One part in one task (or WAC_CASE_ALL_TASKS), and where its findings go. */
typedef struct wac_case {
    wac_judgement *to;
    const wac_claim_part *part;
    const wac_plan *plan;
    size_t task;
    const char *place; /* the environment's name */
    wac_error *error;
} wac_case;

/* Whether the part means this group of the plan, in the case's task; `who` null: any. */
bool wac_case_means(const wac_case *at, const wac_planned_group *group, const wac_condition *who);

/* A finding about a rule's runs, to be filled in; then added to the judgement. */
wac_finding wac_case_begin(const wac_case *at, const wac_condition *who, const wac_condition *than);
void wac_case_count(wac_finding *finding, const wac_planned_group *group);
wac_status wac_case_end(const wac_case *at, wac_finding *finding);

/* Instead of an end: there is nothing to judge by, and why. */
wac_status wac_case_lack(const wac_case *at, wac_finding *finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How a finding's text begins: "Point 1, MEASURE: " */
void wac_case_title(const wac_case *at, wac_finding *finding);

/* What tells a group from others of its algorithm that the part means, in brackets after a blank:
 * " (width 64)"; empty where nothing does but what it is named after already (may be null). */
const char *wac_case_settings(char text[WAC_SETTINGS_TEXT], const wac_case *at,
                              const wac_planned_group *group, const wac_condition *named);

/* Fills in seeds_needed where nothing is decided: the fewest seeds with which four of five studies
 * like this one would be, as far as the seeds at hand can tell. `study` draws so many of them anew,
 * with replacement, and gives the trial its p-values. */
typedef wac_status wac_study_fn(wac_finding *trial, void *user, size_t seeds, wac_rng *rng,
                                wac_error *error);
wac_status wac_case_seeds_needed(const wac_case *at, wac_finding *finding, wac_study_fn *study,
                                 void *user);

/* Add to a finding's text. */
void wac_finding_add(wac_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A number in few digits, into storage of the enclosing block. */
enum { WAC_SHORT = 64 };
const char *wac_short_number(char text[WAC_SHORT], double number);
#define WAC_DIGITS(number) wac_short_number((char[WAC_SHORT]){0}, (number))

#endif
