/* A measure against a setting: rises-with, falls-with, not-monotone. */
#ifndef WAC_REPORT_RULES_TRENDS_H
#define WAC_REPORT_RULES_TRENDS_H

#include "report/rules/case.h"

wac_status wac_rule_trend(const wac_case *at);

#endif
