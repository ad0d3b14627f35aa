/* Settings as the rest of the library and the program need them, beyond the public header. */
#ifndef WAC_CONFIG_CONFIG_H
#define WAC_CONFIG_CONFIG_H

#include "wac/config.h"

const char *wac_network_name(wac_network network);

/* The setting of this name (dashes count as underscores); the error suggests the nearest. */
wac_status wac_setting_find(const wac_setting **setting, const char *name, wac_error *error);

/* wac_name_fn over all settings; pass null as `names`. */
const char *wac_setting_name(const void *names, size_t index);

/* "from 0 to 16", "true or false", "oe-wac, me-wac, sac or oac" */
void wac_setting_range(const wac_setting *setting, char *text, size_t size);

/* Whether a setting counts when configs are compared. */
typedef bool wac_setting_fn(const wac_setting *setting);

/* Settings in the order in which names have them, from 0, null past the end: the algorithm, λ, ρ,
 * what else only some algorithms read, all others, and epochs last. */
const wac_setting *wac_setting_named(size_t place);

/* An order of configs by environment, then by the settings that they read, in the order of names;
 * 0: they are equal. Settings that do not `count` are left out; null: all of them do. */
int wac_config_compare(const wac_config *a, const wac_config *b, wac_setting_fn *counts);

/* The same by one setting. */
int wac_setting_compare(const wac_setting *setting, const wac_config *a, const wac_config *b);

/* What wac_config_read does once it has the file's text; `name` stands for it in messages. */
wac_status wac_config_parse(wac_config *config, const char *text, size_t size, const char *name,
                            const char *environment, const char *algorithm, wac_error *error);

/* wac_config_read for the config.yaml of a run: every setting that the run reads must be there, so
 * that a file cut short never turns into other settings unseen. Runs that are older than a setting
 * get what they did. */
wac_status wac_config_read_run(wac_config *config, const char *path, wac_error *error);

/* The config as YAML: the environment, then one line for every setting that it reads. The same
 * config gives the same bytes, and they read back to the same values. free() the text. */
wac_status wac_config_yaml(char **text, const wac_config *config, wac_error *error);

/* Whether the algorithm needs a range of rewards, and nobody has said one. */
bool wac_config_lacks_prior(const wac_config *config);

#endif
