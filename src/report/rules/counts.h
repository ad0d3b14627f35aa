/* How many runs solve it: never, some, any, all. */
#ifndef WAC_REPORT_RULES_COUNTS_H
#define WAC_REPORT_RULES_COUNTS_H

#include "report/rules/case.h"

wac_status wac_rule_counts(const wac_case *at);

#endif
