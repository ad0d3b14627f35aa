/* Verdicts as JSON, every number of a finding in a field of its own. */
#ifndef WAC_REPORT_CLAIMS_JSON_H
#define WAC_REPORT_CLAIMS_JSON_H

#include "base/json.h"
#include "report/judge.h"

json_t *wac_claim_json(int number, const char *says, const wac_judgement *judgement);

/* Runs that are not finished, as a list of texts. */
json_t *wac_missing_json(char *const *missing, size_t count);

/* Write folder/claims.json; takes the value over, which may be null where memory ran out. */
wac_status wac_claims_write(json_t *all, const char *folder, wac_error *error);

#endif
