/* Any bytes as a settings file: they are refused with a sentence, or give a config that survives
 * the way to YAML and back. */
#include "config/config.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const environments[] = {NULL, "lqg", "riverswim", "mine"};
    const char *environment = environments[size % 4];
    wac_config config, again;
    wac_error error = {0};
    if (wac_config_parse(&config, (const char *)data, size, "fuzz", environment, NULL, &error)) {
        require(error.status != WAC_STATUS_OK && error.message[0] && !strchr(error.message, '\n'));
        return 0;
    }
    char *text, *text_again;
    require(!wac_config_yaml(&text, &config, &error));
    require(!wac_config_parse(&again, text, strlen(text), "again", NULL, NULL, &error));
    require(!wac_config_yaml(&text_again, &again, &error));
    require(strcmp(text, text_again) == 0);
    free(text);
    free(text_again);
    return 0;
}
