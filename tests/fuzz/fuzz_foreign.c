/* Any bytes as a table of other programs' runs: refused with a sentence that names the file, or
 * runs that are all different, with names, seeds and ascending steps, which our epochs can take
 * in. */
#include "fuzz/fuzz.h"
#include "stats/foreign.h"

#include <math.h>

static void check_run(const wac_foreign_run *run)
{
    require(*run->run && *run->algorithm && *run->environment && run->seed >= 0 && run->count > 0);
    for (size_t i = 0; i < run->count; i++) {
        require(isfinite(run->points[i].value) && run->points[i].step >= 0);
        require(i == 0 || run->points[i - 1].step < run->points[i].step);
    }
}

static void check_history(const wac_foreign_run *run, const wac_config *config)
{
    wac_history history;
    wac_error error = {0};
    require(wac_foreign_place(&history, run, config, &error) == WAC_STATUS_OK);
    require(history.rows > 0 && history.rows <= (size_t)config->epochs + 1);
    double last = run->points[run->count - 1].step;
    require(history.rows == 1 || history.columns[WAC_COLUMN_ENV_STEPS][history.rows - 1] <= last);
    for (size_t i = 0; i < history.rows; i++) {
        double step = history.columns[WAC_COLUMN_ENV_STEPS][i],
               value = history.columns[WAC_COLUMN_EVAL_RETURN][i];
        require(history.columns[WAC_COLUMN_EPOCH][i] == (double)i);
        require(isnan(value) == (run->points[0].step > step));
        require(isnan(history.columns[WAC_COLUMN_EVAL_SUCCESS][i]));
    }
    wac_history_free(&history);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* half of the inputs get a header, which is hard to guess */
    static const char header[] = "seed,step,value,run,algorithm,environment\n";
    bool add_header = size > 0 && data[0] == '!';
    size_t head = add_header ? strlen(header) : 0, tail = add_header ? size - 1 : size;
    char *text = malloc(head + tail + 1); /* no byte more than promised */
    static wac_config config;
    wac_foreign foreign;
    wac_error error = {0};
    require(text);
    memcpy(text, header, head);
    if (tail > 0)
        memcpy(text + head, data + add_header, tail);
    wac_status status = wac_foreign_parse(&foreign, text, head + tail, "input", &error);
    free(text);
    if (status != WAC_STATUS_OK) {
        require(status == WAC_STATUS_INPUT && strstr(error.message, "input"));
        require(!strchr(error.message, '\n') && !foreign.runs && foreign.count == 0);
        return 0;
    }
    require(!error.message[0] && foreign.count > 0);
    if (!*config.environment)
        require(wac_config_init(&config, "riverswim", NULL, NULL) == WAC_STATUS_OK);
    for (size_t i = 0; i < foreign.count; i++) {
        check_run(&foreign.runs[i]);
        for (int k = 0; k < 3; k++) {
            config.explore_steps = k;
            config.epochs = 20 * k;
            check_history(&foreign.runs[i], &config);
        }
        for (size_t k = 0; k < i; k++)
            require(strcmp(foreign.runs[i].run, foreign.runs[k].run) != 0 ||
                    strcmp(foreign.runs[i].algorithm, foreign.runs[k].algorithm) != 0 ||
                    strcmp(foreign.runs[i].environment, foreign.runs[k].environment) != 0 ||
                    foreign.runs[i].seed != foreign.runs[k].seed);
    }
    wac_foreign_free(&foreign);
    return 0;
}
