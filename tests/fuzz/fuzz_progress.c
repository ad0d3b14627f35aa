/* Any bytes as the progress.csv of a run: refused with a sentence that names the file, or whole
 * rows of the columns we know, epochs counted from 0, every number finite or missing, and measures
 * that can be taken. */
#include "fuzz/fuzz.h"
#include "stats/measures.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const header = WAC_COLUMN_HEADER;
    static const char *const environments[] = {"lqg", "riverswim", "point-4", "hopper"};
    wac_record run = {.path = (char[]){"nowhere"}};
    wac_error error = {0};
    /* no byte more than promised, so that a step beyond is seen; half of the inputs get the header,
     * which is hard to guess */
    bool add_header = size > 0 && data[0] == '!';
    size_t head = add_header ? strlen(header) : 0, tail = add_header ? size - 1 : size;
    char *bytes = malloc(head + tail + 1);
    require(bytes);
    memcpy(bytes, header, head);
    if (tail > 0)
        memcpy(bytes + head, data + add_header, tail);
    if (wac_history_parse(&run.history, bytes, head + tail, "input", &error) != WAC_STATUS_OK) {
        require(error.status == WAC_STATUS_INPUT && strstr(error.message, "input"));
        require(!strchr(error.message, '\n') && !run.history.columns[0] && run.history.rows == 0);
        return 0;
    }
    require(!error.message[0] && run.history.columns[0]);
    for (size_t row = 0; row < run.history.rows; row++) {
        require(run.history.columns[WAC_COLUMN_EPOCH][row] == (double)row);
        for (int column = 0; column < WAC_COLUMN_TOTAL; column++)
            require(!isinf(run.history.columns[column][row]));
    }
    for (int i = 0; i < 4; i++) {
        strcpy(run.config.environment, environments[i]);
        run.config.epochs = 10;
        for (int k = 0; k < WAC_MEASURE_TOTAL; k++)
            (void)wac_record_measure(&run, (wac_measure)k);
        double solved = wac_record_measure(&run, WAC_MEASURE_SOLVED);
        require(isnan(solved) || (solved >= 0 && solved == floor(solved)));
    }
    wac_history_free(&run.history);
    return 0;
}
