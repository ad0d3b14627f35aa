/* Tables for other programs: CSV files with one observation a row, which pandas, R and spreadsheets
 * read as they are.
 *
 *     run,task,environment,algorithm,seed,lambda,epoch,step,measure,value
 *     runs/a,lqg,lqg,oe-wac,1,0.5,0,1000,eval_return,-1.25
 */
#ifndef WAC_REPORT_TABLE_H
#define WAC_REPORT_TABLE_H

#include "report/where.h"

#include <stdio.h>

/* Cells: text in quotes where it needs them; a number of at most 12 digits, nothing for NaN. */
void wac_table_text(FILE *to, const char *text);
void wac_table_number(FILE *to, double number);

/* All of the selected runs: a row for each run, epoch and column of progress.csv, a column for each
 * setting that runs differ in; what a run does not read or has no number of is left out. Whole or
 * not at all, and never in memory at once. */
wac_status wac_table_write(const char *path, const wac_selection *selection, wac_error *error);

#endif
