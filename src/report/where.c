/* Runs against conditions. */
#include "report/where.h"

#include "base/number.h"
#include "config/config.h"
#include "config/environments.h"

#include <stdio.h>
#include <string.h>

void wac_config_text(const wac_config *config, const char *key, char *text, size_t size)
{
    const wac_setting *setting;
    char name[WAC_ENVIRONMENT_NAME];
    *text = 0;
    if (strcmp(key, "environment") == 0)
        snprintf(text, size, "%s", wac_environment_name(name, config));
    else if (wac_setting_find(&setting, key, NULL) == WAC_STATUS_OK &&
             wac_config_reads(config, setting))
        wac_config_format(config, setting, text, size);
}

bool wac_config_number(double *number, const wac_config *config, const char *key)
{
    char text[WAC_ENVIRONMENT_NAME];
    wac_config_text(config, key, text, sizeof text);
    return wac_number_parse(number, text);
}

static bool is_value(const char *wanted, const char *has)
{
    double a, b;
    if (wac_number_parse(&a, wanted) && wac_number_parse(&b, has))
        return a == b;
    return strcmp(wanted, has) == 0;
}

bool wac_where_holds(const wac_where *where, const wac_config *config)
{
    for (int i = 0; i < where->count; i++) {
        const wac_condition *condition = &where->conditions[i];
        char has[320];
        bool found = false;
        wac_config_text(config, condition->key, has, sizeof has);
        for (int k = 0; k < condition->count && !found; k++)
            found = is_value(condition->values[k], has);
        if (!found)
            return false;
    }
    return true;
}

const wac_condition *wac_where_find(const wac_where *where, const char *key)
{
    for (int i = 0; i < where->count; i++)
        if (strcmp(where->conditions[i].key, key) == 0)
            return &where->conditions[i];
    return NULL;
}

bool wac_selection_has(const wac_selection *selection, size_t group)
{
    return !selection->groups || selection->groups[group];
}
