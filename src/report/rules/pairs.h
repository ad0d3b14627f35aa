/* One side against another: ahead-of, ahead-over-all, faster, level, less-spread. */
#ifndef WAC_REPORT_RULES_PAIRS_H
#define WAC_REPORT_RULES_PAIRS_H

#include "report/rules/case.h"

wac_status wac_rule_pairs(const wac_case *at);

/* Of all tasks together: compared within each, a seed with its values on all of them. */
wac_status wac_rule_pairs_overall(const wac_case *at);

#endif
