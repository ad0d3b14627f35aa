/* The rules about trends: rises-with, falls-with, not-monotone. */
#ifndef WAC_REPORT_TREND_H
#define WAC_REPORT_TREND_H

#include "report/finding.h"

wac_status wac_judge_trend(wac_judge *judge);

#endif
