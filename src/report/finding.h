/* What the rules share: who is judged, the numbers of runs, and words for findings. */
#ifndef WAC_REPORT_FINDING_H
#define WAC_REPORT_FINDING_H

#include "draw/style.h"
#include "report/judge.h"

/* One part in one task, and where its findings go. */
typedef struct wac_judge {
    wac_judgement *to;
    const wac_claim_part *part;
    const wac_selection *selection;
    size_t task;
    const char *place; /* the environment's name, for the text */
    wac_error *error;
} wac_judge;

/* Whether the part means this group in this task; algorithm null: any. */
bool wac_judge_means(const wac_judge *judge, size_t group, const char *algorithm);

/* The measure of a group's finished runs into an array with room for all of them; `runs` (may be
 * null) gets whose they are. With `spread` the distances from the median. Returns how many. */
size_t wac_judge_values(const wac_group *group, wac_measure measure, bool spread, double *values,
                        const wac_record **runs);

/* Add the finding: with enough seeds the rule decides, with fewer only a direction is noted. */
wac_status wac_judge_conclude(wac_judge *judge, wac_finding *finding, size_t seeds, bool holds,
                              wac_verdict direction);

/* Add the finding that something is missing: undecided. */
wac_status wac_judge_lack(wac_judge *judge, const char *what);

/* Above `even`: holds; below: fails. */
wac_verdict wac_judge_direction(double value, double even);

/* Add to a finding's text. */
void wac_finding_add(wac_finding *finding, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Words into storage of the enclosing block: a number in few digits, an algorithm's name in
 * capitals, "1 seed". */
enum { WAC_SHORT = 64 };
const char *wac_short_number(char text[WAC_SHORT], double number);
const char *wac_short_seeds(char text[WAC_SHORT], size_t seeds);
#define WAC_DIGITS(number) wac_short_number((char[WAC_SHORT]){0}, (number))
#define WAC_UPPER(name) wac_style_title((char[WAC_STYLE_TITLE]){0}, (name))
#define WAC_COUNT_SEEDS(seeds) wac_short_seeds((char[WAC_SHORT]){0}, (seeds))

#endif
