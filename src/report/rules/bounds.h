/* A measure against a number: correlation. */
#ifndef WAC_REPORT_RULES_BOUNDS_H
#define WAC_REPORT_RULES_BOUNDS_H

#include "report/rules/case.h"

wac_status wac_rule_correlation(const wac_case *at);

#endif
