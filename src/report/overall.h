/* Figures over all tasks together, of scores as shares of the best possible (as wac_compare has
 * them): performance profiles, averages with their intervals, and probabilities of improvement.
 */
#ifndef WAC_REPORT_OVERALL_H
#define WAC_REPORT_OVERALL_H

#include "report/sheet.h"

extern const wac_sheet_kind wac_sheet_profile, wac_sheet_aggregates, wac_sheet_improvement;

#endif
