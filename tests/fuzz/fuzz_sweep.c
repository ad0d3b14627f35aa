/* Any bytes as a sweep or search file: refused with a sentence that names the file, or a list of
 * good runs that the same bytes give again. */
#include "fuzz/fuzz.h"
#include "sweep/file.h"

static void try(const char *text, size_t size, bool searches)
{
    wac_sweep sweep, again;
    wac_search search, other;
    wac_error error = {0};
    if (wac_sweep_parse(&sweep, searches ? &search : NULL, text, size, "input", &error)) {
        require(error.status == WAC_STATUS_INPUT && strncmp(error.message, "input", 5) == 0);
        require(!strchr(error.message, '\n') && !sweep.runs);
        return;
    }
    require(!error.message[0]);
    require(wac_sweep_check(&sweep, &error) == WAC_STATUS_OK);
    require(wac_sweep_parse(&again, searches ? &other : NULL, text, size, "input", &error) ==
            WAC_STATUS_OK);
    require(sweep.count == again.count);
    for (size_t i = 0; i < sweep.count; i++) {
        char one[WAC_SWEEP_LINE], two[WAC_SWEEP_LINE];
        wac_sweep_line(one, &sweep.runs[i].config);
        wac_sweep_line(two, &again.runs[i].config);
        require(strcmp(one, two) == 0 && strcmp(sweep.runs[i].folder, again.runs[i].folder) == 0);
    }
    wac_sweep_free(&sweep);
    wac_sweep_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try((const char *)data, size, false);
    try((const char *)data, size, true);
    return 0;
}
