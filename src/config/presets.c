/* Presets: what the paper's experiments set, of rivals what their authors do, and what suits the
 * other worlds. A row that the chosen algorithm does not read, or that is another's, is skipped;
 * what has no row keeps the default of WAC_SETTINGS. Row `algorithm` is the one that runs when none
 * is asked for. */
#include "config/presets.h"

#include "config/environments.h"

#define MAXINFOSAC_TASKS "maxinfosac:cartpole-sparse|maxinfosac:reacher-hard"
#define TOP_LOCOMOTION "top:halfcheetah|top:hopper|top:walker2d"
#define BRO_LOCOMOTION "bro:halfcheetah|bro:hopper|bro:walker2d"
#define SIMBA_LOCOMOTION "simba:halfcheetah|simba:hopper|simba:walker2d"
#define REDQ_LOCOMOTION "redq:halfcheetah|redq:hopper|redq:walker2d"

static const wac_preset presets[] = {
    {"lqg", "algorithm", "oe-wac"},
    {"lqg", "epochs", "200"},
    {"lqg", "path_limit", "10"},
    {"lqg", "width", "128"},
    {"lqg", "batch_size", "256"},
    {"lqg", "learning_rate", "3e-4"},
    {"lqg", "std_learning_rate", "3e-4"},
    {"lqg", "reward_min", "-0.5"},
    {"lqg", "reward_max", "0.5"},
    {"lqg", "quantile", "0.95"},
    {"lqg", "lambda", "0.5"},
    {"lqg", "rho", "0.5"},
    {"lqg", "oac_delta", "20"},
    {"lqg", "oac_beta", "4"},
    {"lqg", "noise_std", "0.5"},

    {"riverswim", "algorithm", "oe-wac"},
    {"riverswim", "epochs", "200"},
    {"riverswim", "path_limit", "300"},
    {"riverswim", "width", "128"},
    {"riverswim", "batch_size", "256"},
    {"riverswim", "learning_rate", "3e-4"},
    {"riverswim", "std_learning_rate", "3e-4"},
    {"riverswim", "reward_min", "-0.2"},
    {"riverswim", "reward_max", "0.2"},
    {"riverswim", "quantile", "0.95"},
    {"riverswim", "lambda", "0.25"},
    {"riverswim", "rho", "0.6"},
    {"riverswim", "oac_delta", "18"},
    {"riverswim", "oac_beta", "6.5"},
    {"riverswim", "reward_rule", "description"},

    {WAC_FOR_POINT, "algorithm", "oe-wac"},
    {WAC_FOR_POINT, "epochs", "300"},
    {WAC_FOR_POINT, "path_limit", "300"},
    {WAC_FOR_POINT, "width", "256"},
    {WAC_FOR_POINT, "batch_size", "256"},
    {WAC_FOR_POINT, "learning_rate", "1e-3"},
    {WAC_FOR_POINT, "std_learning_rate", "1e-3"},
    {WAC_FOR_POINT, "reward_min", "-0.5"},
    {WAC_FOR_POINT, "reward_max", "0.5"},
    {WAC_FOR_POINT, "quantile", "0.95"},
    {WAC_FOR_POINT, "lambda", "0.6"},
    {WAC_FOR_POINT, "rho", "0.6"},
    {WAC_FOR_POINT, "oac_delta", "18"},
    {WAC_FOR_POINT, "oac_beta", "6.5"},
    {WAC_FOR_POINT, "reward", "dense"},

    {WAC_FOR_FINITE, "algorithm", "wql"},
    {WAC_FOR_FINITE, "epochs", "50"},
    {WAC_FOR_FINITE, "initial_steps", "1"},
    {WAC_FOR_FINITE, "path_limit", "100"},
    {WAC_FOR_FINITE, "discount", "0.95"},
    {WAC_FOR_FINITE, "reward_min", "0"},
    {WAC_FOR_FINITE, "reward_max", "1"},
    {"chain", "reward_max", "10"},
    {"chain", "delay_margin", "0.1"},
    {"loop", "reward_max", "2"},
    {"taxi", "reward_min", "-10"},
    {"taxi", "reward_max", "20"},
    {"taxi", "epochs", "200"},
    {"deep-sea", "reward_min", "-0.01"},

    /* the prize of 100 is paid once: by the discount, no more than 1 a step would be worth */
    {"mountaincar", "algorithm", "oe-wac"},
    {"mountaincar", "epochs", "100"},
    {"mountaincar", "path_limit", "999"},
    {"mountaincar", "width", "64"},
    {"mountaincar", "learning_rate", "1e-3"},
    {"mountaincar", "std_learning_rate", "1e-3"},
    {"mountaincar", "reward_min", "-0.1"},
    {"mountaincar", "reward_max", "1"},

    {WAC_TASK_NAMES, "algorithm", "oe-wac"},
    {WAC_TASK_NAMES, "epochs", "500"},
    {WAC_TASK_NAMES, "path_limit", "1000"},
    {WAC_TASK_NAMES, "reward_min", "0"},
    {WAC_TASK_NAMES, "reward_max", "1"},
    {"cartpole-sparse-cost", "reward_min", "-0.1"},
    {WAC_POINTMAZES, "learning_rate", "1e-3"},
    {WAC_POINTMAZES, "std_learning_rate", "1e-3"},
    {"pointmaze-u", "path_limit", "150"},
    {"pointmaze-medium", "path_limit", "300"},
    {"pointmaze-large", "path_limit", "500"},

    {WAC_FOR_LOCOMOTION, "algorithm", "me-wac"},
    {WAC_FOR_LOCOMOTION, "epochs", "1000"},
    {WAC_FOR_LOCOMOTION, "normalisation", "running"},
    {WAC_FOR_LOCOMOTION, "path_limit", "1000"},
    {WAC_FOR_LOCOMOTION, "width", "256"},
    {WAC_FOR_LOCOMOTION, "batch_size", "256"},
    {WAC_FOR_LOCOMOTION, "learning_rate", "3e-4"},
    {WAC_FOR_LOCOMOTION, "std_learning_rate", "3e-4"},
    {WAC_FOR_LOCOMOTION, "reward_min", "-0.5"},
    {WAC_FOR_LOCOMOTION, "reward_max", "0.5"},
    {WAC_FOR_LOCOMOTION, "quantile", "0.9"},
    {WAC_FOR_LOCOMOTION, "lambda", "0.6"},
    {WAC_FOR_LOCOMOTION, "rho", "1.0"},
    {WAC_FOR_LOCOMOTION, "oac_delta", "23.53"},
    {WAC_FOR_LOCOMOTION, "oac_beta", "4.66"},

    {REDQ_LOCOMOTION "|" TOP_LOCOMOTION "|" BRO_LOCOMOTION, "normalisation", "none"},
    {REDQ_LOCOMOTION, "first_weights", "both"},
    {REDQ_LOCOMOTION, "initial_steps", "5000"},
    {REDQ_LOCOMOTION, "random_steps", "5000"},
    {REDQ_LOCOMOTION, "updates", "20000"}, /* 20 a step */
    {REDQ_LOCOMOTION, "update_interval", "1"},
    {"redq:hopper", "epochs", "125"},
    {"redq:halfcheetah", "epochs", "400"},
    {"redq:walker2d", "epochs", "300"},
    /* -3 for the six entries of an action, -1 for the three of Hopper's */
    {"redq:halfcheetah|redq:walker2d", "entropy_target", "-0.5"},
    {"redq:hopper", "entropy_target", "-0.3333333333333333"},

    {"sunrise:halfcheetah|sunrise:hopper|sunrise:walker2d", "epochs", "210"},

    {MAXINFOSAC_TASKS, "initial_steps", "500"},
    {MAXINFOSAC_TASKS, "random_steps", "500"},
    {MAXINFOSAC_TASKS, "update_interval", "1"},
    {"maxinfosac:reacher-hard", "epochs", "1000"},

    {"top:*", "update_interval", "1"},
    {"top:*", "layers", "3"},
    {"top:*", "policy_delay", "2"},
    {"top:*", "first_weights", "inputs"},
    {"top:*", "random_steps", "1000"},
    {TOP_LOCOMOTION, "random_steps", "25000"},

    {"bro:*", "network", "bronet"},
    {"bro:*", "log_std", "bent"},
    {"bro:*", "weight_decay", "1e-4"},
    {"bro:*", "entropy_target", "-0.5"},
    {"bro:*", "quantiles", "100"},
    {"bro:*", "update_interval", "1"},
    {"bro:*", "random_steps", "1000"},
    {BRO_LOCOMOTION, "width", "512"},
    {BRO_LOCOMOTION, "policy_width", "256"},
    {BRO_LOCOMOTION, "batch_size", "128"},
    {BRO_LOCOMOTION, "initial_steps", "2500"},
    {BRO_LOCOMOTION, "random_steps", "2500"},
    {BRO_LOCOMOTION, "updates", "10000"}, /* 10 a step; after 15, 50 and each 250 thousand: */
    {BRO_LOCOMOTION, "reset_first", "125000"},
    {BRO_LOCOMOTION, "reset_second", "475000"},
    {BRO_LOCOMOTION, "reset_interval", "2500000"},

    /* SAC on SimBa's networks */
    {"simba:*", "network", "simba"},
    {"simba:*", "normalisation", "running"},
    {"simba:*", "width", "512"},
    {"simba:*", "learning_rate", "1e-4"},
    {"simba:*", "weight_decay", "0.01"},
    {"simba:*", "entropy_weight", "0.01"},
    {"simba:*", "entropy_target", "-0.5"},
    {"simba:*", "update_interval", "1"},
    {SIMBA_LOCOMOTION, "initial_steps", "5000"},
    {SIMBA_LOCOMOTION, "random_steps", "5000"},
    {SIMBA_LOCOMOTION, "updates", "2000"}, /* 2 a step */

    /* the short names: over those of the environment they stand for */
    {WAC_SPARSE_POINTS, "epochs", "400"},
    {WAC_SPARSE_POINTS, "reward", "sparse"},
    {WAC_SPARSE_BODIES, "reward_beyond", "1"},
    {"halfcheetah-sparse", "reward_beyond", "5"},
};

wac_guest_preset_fn *wac_guest_preset;

const wac_preset *wac_presets(size_t *count)
{
    *count = sizeof presets / sizeof *presets;
    return presets;
}
