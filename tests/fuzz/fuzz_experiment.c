/* Any bytes as an experiment: refused with a sentence that names the file, or everything in it is
 * something that the judge and the figures can use. */
#include "base/words.h"
#include "config/config.h"
#include "fuzz/fuzz.h"
#include "report/experiment_file.h"

#include <math.h>

static void check_where(const wac_where *where)
{
    static wac_config config;
    require(where->count >= 0 && where->count <= WAC_WHERE_CONDITIONS);
    for (int i = 0; i < where->count; i++) {
        const wac_condition *condition = &where->conditions[i];
        const wac_setting *setting;
        require(condition->count >= 1 && condition->count <= WAC_WHERE_VALUES);
        require(strcmp(condition->key, "environment") == 0 ||
                wac_setting_find(&setting, condition->key, NULL) == WAC_STATUS_OK);
        for (int k = 0; k < condition->count; k++)
            require(memchr(condition->values[k], 0, WAC_WHERE_TEXT) && *condition->values[k]);
    }
    if (!*config.environment)
        require(wac_config_init(&config, "lqg", "sac", NULL) == WAC_STATUS_OK);
    (void)wac_where_holds(where, &config);
}

static void check_part(const wac_claim_part *part)
{
    bool trend = part->rule <= WAC_RULE_NOT_MONOTONE;
    require(part->rule <= WAC_RULE_CORRELATION && part->measure < WAC_MEASURE_TOTAL);
    require(trend == (*part->setting != 0));
    require(part->who_count >= 0 && part->who_count <= WAC_EXPERIMENT_NAMES);
    require(part->than_count >= 0 && part->than_count <= WAC_EXPERIMENT_NAMES);
    bool pair = part->rule >= WAC_RULE_AHEAD_OF && part->rule <= WAC_RULE_LEVEL;
    require(pair == (part->than_count > 0));
    bool correlation = part->rule == WAC_RULE_CORRELATION;
    require(correlation == (isfinite(part->below) != isfinite(part->above)));
    check_where(&part->where);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    wac_experiment *experiment;
    wac_error error = {0};
    char *text = calloc(1, size + 1);
    require(text);
    if (size)
        memcpy(text, data, size);
    if (wac_experiment_parse(&experiment, text, size, "e", "input", &error) != WAC_STATUS_OK) {
        require(!experiment && error.status == WAC_STATUS_INPUT);
        require(strncmp(error.message, "input", 5) == 0 && !strchr(error.message, '\n'));
        return 0;
    }
    require(!error.message[0] && *experiment->title);
    for (int i = 0; i < WAC_SCALE_TOTAL; i++)
        require(experiment->scales[i].count == 0 ||
                wac_sweep_check(&experiment->scales[i], NULL) == WAC_STATUS_OK);
    require(experiment->figure_count <= WAC_EXPERIMENT_FIGURES);
    for (int i = 0; i < experiment->figure_count; i++) {
        const wac_figure *figure = &experiment->figures[i];
        require(figure->kind < WAC_FIGURE_KIND_TOTAL && *figure->title);
        require(figure->column_count >= 0 && figure->column_count <= 2);
        require(figure->kind != WAC_FIGURE_KIND_CURVES || figure->column_count > 0);
        require(figure->kind != WAC_FIGURE_KIND_SETTINGS || *figure->x);
        for (int k = 0; k < figure->column_count; k++)
            require(figure->columns[k] >= 0 && figure->columns[k] < WAC_COLUMN_TOTAL);
        check_where(&figure->where);
    }
    require(experiment->claim_count <= WAC_EXPERIMENT_CLAIMS);
    for (int i = 0; i < experiment->claim_count; i++) {
        const wac_claim *claim = &experiment->claims[i];
        require(*claim->says && claim->count >= 1 && claim->count <= WAC_CLAIM_PARTS);
        for (int k = 0; k < claim->count; k++)
            check_part(&claim->parts[k]);
    }
    wac_experiment_free(experiment);
    return 0;
}
