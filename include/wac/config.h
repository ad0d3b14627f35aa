/* Settings. One row of WAC_SETTINGS makes a field of wac_config, a key of the YAML files, a flag of
 * the program, a line of its help, and a check of the value.
 *
 * Row: KIND(name, default, smallest, largest, algorithms, environments, help). A setting that the
 * chosen algorithm or environment does not read can not be set: asking for it is an error. The
 * defaults are overridden by the presets of each environment (src/config/presets.c).
 */
#ifndef WAC_CONFIG_H
#define WAC_CONFIG_H

#include "wac/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The algorithms, WAC_ALGORITHM_…, and the name that files and people use: those with networks, and
 * those that are tables, for worlds with few states. */
#define WAC_NETWORK_ALGORITHMS(X)                                                                  \
    X(OE_WAC, "oe-wac")                                                                            \
    X(ME_WAC, "me-wac")                                                                            \
    X(SAC, "sac")                                                                                  \
    X(OAC, "oac")                                                                                  \
    X(REDQ, "redq")                                                                                \
    X(SUNRISE, "sunrise")                                                                          \
    X(MAXINFOSAC, "maxinfosac")                                                                    \
    X(SAC_RND, "sac-rnd")                                                                          \
    X(TOP, "top")                                                                                  \
    X(BRO, "bro")                                                                                  \
    X(SIMBA, "simba")
#define WAC_TABLE_ALGORITHMS(X)                                                                    \
    X(WQL, "wql")                                                                                  \
    X(Q_LEARNING, "q-learning")                                                                    \
    X(DELAYED_Q, "delayed-q")                                                                      \
    X(BOOTSTRAPPED_Q, "bootstrapped-q")
#define WAC_ALGORITHMS(X) WAC_NETWORK_ALGORITHMS(X) WAC_TABLE_ALGORITHMS(X)

#define WAC_ALGORITHM_VALUE(value, name) WAC_ALGORITHM_##value,
typedef enum wac_algorithm {
    WAC_ALGORITHMS(WAC_ALGORITHM_VALUE) WAC_ALGORITHM_TOTAL,
    WAC_ALGORITHM_TABLES = WAC_ALGORITHM_WQL, /* the first of these */
} wac_algorithm;

/* "|oe-wac|me-wac|…" */
#define WAC_ALGORITHM_WORD(value, name) "|" name
#define WAC_NETWORK_WORDS WAC_NETWORK_ALGORITHMS(WAC_ALGORITHM_WORD)
#define WAC_ALGORITHM_WORDS WAC_ALGORITHMS(WAC_ALGORITHM_WORD)

typedef enum wac_backend_kind {
    WAC_BACKEND_CPU,
    WAC_BACKEND_REFERENCE,
} wac_backend_kind;

#define WAC_BACKENDS "cpu|reference" /* in that order */

typedef enum wac_precision {
    WAC_PRECISION_SINGLE,
    WAC_PRECISION_MIXED,
    WAC_PRECISION_TF32,
} wac_precision;

#define WAC_PRECISIONS "single|mixed|tf32" /* in that order */

typedef enum wac_reward_rule {
    WAC_REWARD_RULE_DESCRIPTION,
    WAC_REWARD_RULE_PROGRAM,
} wac_reward_rule;

typedef enum wac_reward_prior {
    WAC_REWARD_PRIOR_GIVEN,
    WAC_REWARD_PRIOR_MEASURED,
} wac_reward_prior;

#define WAC_REWARD_PRIORS "given|measured" /* in that order */

typedef enum wac_reward_kind {
    WAC_REWARD_DENSE,
    WAC_REWARD_SPARSE,
} wac_reward_kind;

typedef enum wac_normalisation {
    WAC_NORMALISATION_BOUNDS,
    WAC_NORMALISATION_RUNNING,
    WAC_NORMALISATION_NONE,
} wac_normalisation;

#define WAC_NORMALISATIONS "bounds|running|none" /* in that order */

typedef enum wac_network {
    WAC_NETWORK_PLAIN,
    WAC_NETWORK_SIMBA,
    WAC_NETWORK_BRONET,
} wac_network;

#define WAC_NETWORKS "plain|simba|bronet" /* in that order */

typedef enum wac_log_std {
    WAC_LOG_STD_CLAMPED,
    WAC_LOG_STD_BENT,
} wac_log_std;

#define WAC_LOG_STDS "clamped|bent" /* in that order */

typedef enum wac_first_weights {
    WAC_FIRST_WEIGHTS_OUTPUTS,
    WAC_FIRST_WEIGHTS_INPUTS,
    WAC_FIRST_WEIGHTS_BOTH,
} wac_first_weights;

#define WAC_FIRST_WEIGHTS_WORDS "outputs|inputs|both" /* in that order */

typedef enum wac_replay_checkpoint {
    WAC_REPLAY_CHECKPOINT_ALL,
    WAC_REPLAY_CHECKPOINT_LAST,
    WAC_REPLAY_CHECKPOINT_NONE,
} wac_replay_checkpoint;

typedef enum wac_posterior {
    WAC_POSTERIOR_GAUSSIAN,
    WAC_POSTERIOR_PARTICLES,
} wac_posterior;

typedef enum wac_trunk {
    WAC_TRUNK_APART,
    WAC_TRUNK_SHARED,
} wac_trunk;

typedef enum wac_exploration {
    WAC_EXPLORATION_OPTIMISTIC,
    WAC_EXPLORATION_SAMPLING,
    WAC_EXPLORATION_MEAN,
} wac_exploration;

typedef enum wac_noise {
    WAC_NOISE_EPSILON,
    WAC_NOISE_BOLTZMANN,
} wac_noise;

/* the algorithms that read a setting, as a set of bits */
#define WAC_FOR_WAC (1u << WAC_ALGORITHM_OE_WAC | 1u << WAC_ALGORITHM_ME_WAC)
#define WAC_FOR_OAC (1u << WAC_ALGORITHM_OAC)
#define WAC_FOR_REDQ (1u << WAC_ALGORITHM_REDQ)
#define WAC_FOR_SUNRISE (1u << WAC_ALGORITHM_SUNRISE)
#define WAC_FOR_MAXINFOSAC (1u << WAC_ALGORITHM_MAXINFOSAC)
#define WAC_FOR_BONUS (WAC_FOR_MAXINFOSAC | 1u << WAC_ALGORITHM_SAC_RND)
#define WAC_FOR_TOP (1u << WAC_ALGORITHM_TOP)
#define WAC_FOR_BRO (1u << WAC_ALGORITHM_BRO)
#define WAC_FOR_QUANTILES (WAC_FOR_TOP | WAC_FOR_BRO)
#define WAC_FOR_NETWORKS ((1u << WAC_ALGORITHM_TABLES) - 1)
#define WAC_FOR_ENTROPY (WAC_FOR_NETWORKS & ~WAC_FOR_TOP)
#define WAC_FOR_WQL (1u << WAC_ALGORITHM_WQL)
#define WAC_FOR_Q_LEARNING (1u << WAC_ALGORITHM_Q_LEARNING)
#define WAC_FOR_DELAYED_Q (1u << WAC_ALGORITHM_DELAYED_Q)
#define WAC_FOR_BOOTSTRAPPED_Q (1u << WAC_ALGORITHM_BOOTSTRAPPED_Q)
#define WAC_FOR_RATES (WAC_FOR_WQL | WAC_FOR_Q_LEARNING | WAC_FOR_BOOTSTRAPPED_Q)
#define WAC_FOR_PRIORS (WAC_FOR_WAC | WAC_FOR_WQL | WAC_FOR_BOOTSTRAPPED_Q)
#define WAC_FOR_POSTERIORS (WAC_FOR_WAC | WAC_FOR_WQL)
#define WAC_FOR_ALL ((1u << WAC_ALGORITHM_TOTAL) - 1)

/* the environments that read a setting, where not a single one */
#define WAC_FOR_POINT "point-1|point-2|point-3|point-4"
#define WAC_FOR_LOCOMOTION "halfcheetah|hopper|walker2d"
#define WAC_FOR_FINITE "chain|loop|riverswim-6|six-arms|taxi|deep-sea"

/* CHOICE rows name their words, in the order of the enum, in place of a range. */
#define WAC_SETTINGS(REAL, COUNT, FLAG, CHOICE)                                                    \
    CHOICE(algorithm, 0, &WAC_ALGORITHM_WORDS[1], WAC_FOR_ALL, NULL, "which algorithm learns")     \
    COUNT(seed, 1, 0, 1000000000000000000, WAC_FOR_ALL, NULL, "seed of every random number")       \
    COUNT(epochs, 200, 0, 1000000, WAC_FOR_ALL, NULL,                                              \
          "rounds of evaluation, exploration and training")                                        \
    COUNT(initial_steps, 1000, 1, 100000000, WAC_FOR_ALL, NULL,                                    \
          "steps of exploration before the first epoch")                                           \
    COUNT(random_steps, 0, 0, 100000000, WAC_FOR_NETWORKS, NULL,                                   \
          "first of all steps, whose actions are drawn from all there are")                        \
    COUNT(explore_steps, 1000, 0, 100000000, WAC_FOR_ALL, NULL,                                    \
          "steps of exploration in an epoch")                                                      \
    COUNT(updates, 1000, 0, 100000000, WAC_FOR_NETWORKS, NULL,                                     \
          "updates of all networks in an epoch")                                                   \
    COUNT(update_interval, 0, 0, 100000000, WAC_FOR_NETWORKS, NULL,                                \
          "steps after which their share of the updates is done; 0: those of the whole epoch")     \
    COUNT(worlds, 1, 1, 1024, WAC_FOR_ALL, NULL,                                                   \
          "worlds explored side by side, a step in each at a time; threads share them")            \
    COUNT(evaluation_steps, 3000, 0, 100000000, WAC_FOR_ALL, NULL,                                 \
          "steps of evaluation in an epoch; an unfinished last episode is dropped")                \
    COUNT(path_limit, 300, 1, 100000000, WAC_FOR_ALL, NULL, "longest episode, in steps")           \
    CHOICE(                                                                                        \
        normalisation, 0, WAC_NORMALISATIONS, WAC_FOR_NETWORKS, NULL,                              \
        "observations to [-1, 1] by bounds, or by running mean and deviation; none: as they are")  \
    REAL(stop_success, 0, 0, 1, WAC_FOR_ALL, NULL,                                                 \
         "stop once this share of the evaluation episodes reaches the goal; 0: never")             \
    COUNT(checkpoint_interval, 1, 1, 1000000, WAC_FOR_ALL, NULL, "epochs between checkpoints")     \
    CHOICE(replay_checkpoint, 0, "all|last|none", WAC_FOR_NETWORKS, NULL,                          \
           "which checkpoints hold the replay, without which a run cannot go on")                  \
    FLAG(keep_best, false, WAC_FOR_ALL, NULL,                                                      \
         "keep in checkpoints the agent that did best in an evaluation, too")                      \
    COUNT(replay_capacity, 1000000, 1, 1000000000, WAC_FOR_NETWORKS, NULL,                         \
          "transitions kept; then the oldest are overwritten")                                     \
    CHOICE(network, 0, WAC_NETWORKS, WAC_FOR_NETWORKS, NULL,                                       \
           "hidden layers, or normalised residual blocks (SimBa's, BroNet's)")                     \
    COUNT(width, 256, 1, 8192, WAC_FOR_NETWORKS, NULL,                                             \
          "units in each hidden layer; of blocks: in the stream of a critic")                      \
    COUNT(layers, 2, 1, 4, WAC_FOR_NETWORKS, NULL, "hidden ones of a plain network")               \
    COUNT(blocks, 2, 1, 4, WAC_FOR_NETWORKS, NULL, "of a critic, where the network has them")      \
    COUNT(policy_width, 128, 1, 8192, WAC_FOR_NETWORKS, NULL,                                      \
          "units in the stream of a policy, where the network has blocks")                         \
    COUNT(policy_blocks, 1, 1, 4, WAC_FOR_NETWORKS, NULL,                                          \
          "of a policy, where the network has them")                                               \
    CHOICE(first_weights, 0, WAC_FIRST_WEIGHTS_WORDS, WAC_FOR_NETWORKS, NULL,                      \
           "within 1/sqrt of a layer's outputs (the paper) or inputs; both: sqrt(6/their sum)")    \
    COUNT(batch_size, 256, 1, 65536, WAC_FOR_NETWORKS, NULL, "transitions drawn for an update")    \
    REAL(learning_rate, 3e-4, 0, 1, WAC_FOR_NETWORKS, NULL,                                        \
         "Adam's step for mean critics, policies and entropy weights")                             \
    REAL(weight_decay, 0, 0, 1, WAC_FOR_NETWORKS, NULL,                                            \
         "of policies and critics: share of a weight lost in a step, in learning rates")           \
    COUNT(reset_interval, 0, 0, 1000000000000, WAC_FOR_NETWORKS, NULL,                             \
          "updates after which, each time, all networks begin anew; 0: never")                     \
    COUNT(reset_first, 0, 0, 1000000000000, WAC_FOR_NETWORKS, NULL,                                \
          "updates after which they do so once, beside that; 0: never")                            \
    COUNT(reset_second, 0, 0, 1000000000000, WAC_FOR_NETWORKS, NULL,                               \
          "updates after which they do so once more; 0: never")                                    \
    REAL(std_learning_rate, 3e-4, 0, 1, WAC_FOR_WAC, NULL,                                         \
         "Adam's step for the std critics (the uncertainty)")                                      \
    REAL(discount, 0.99, 0, 0.999999, WAC_FOR_ALL, NULL, "discount of future rewards, gamma")      \
    REAL(target_rate, 0.005, 0, 1, WAC_FOR_NETWORKS, NULL,                                         \
         "share by which target critics follow at each update, tau")                               \
    REAL(entropy_weight, 1, 1e-12, 1e6, WAC_FOR_ENTROPY, NULL,                                     \
         "entropy weight alpha at the start")                                                      \
    FLAG(entropy_tuning, true, WAC_FOR_ENTROPY, NULL,                                              \
         "learn the entropy weight; false: it stays at its start")                                 \
    REAL(entropy_target, -1, -1e6, 1e6, WAC_FOR_ENTROPY, NULL,                                     \
         "entropy that it is learned for, of each entry of an action")                             \
    CHOICE(log_std, 0, WAC_LOG_STDS, WAC_FOR_ENTROPY, NULL,                                        \
           "of policies: cut off at -20 and 2, or bent into -10 to 2 by a tanh")                   \
    REAL(reward_min, -0.5, -1e9, 1e9, WAC_FOR_PRIORS, NULL,                                        \
         "lower end of the prior on rewards; sets the first uncertainty")                          \
    REAL(reward_max, 0.5, -1e9, 1e9, WAC_FOR_PRIORS | WAC_FOR_DELAYED_Q, NULL,                     \
         "upper end of the prior on rewards")                                                      \
    CHOICE(reward_prior, 0, WAC_REWARD_PRIORS, WAC_FOR_WAC, NULL,                                  \
           "those two as given, or measured: the smallest and largest of the initial steps")       \
    FLAG(mean_prior, false, WAC_FOR_WAC, NULL,                                                     \
         "start the mean critics at the middle of the prior instead of near zero")                 \
    REAL(quantile, 0.95, 1e-6, 0.999999, WAC_FOR_WAC | WAC_FOR_WQL, NULL,                          \
         "quantile of the value's posterior that exploration climbs, delta")                       \
    REAL(lambda, 0.6, 0, 1e6, WAC_FOR_WAC, NULL,                                                   \
         "weight of the synthetic samples that keep unseen pairs uncertain")                       \
    REAL(rho, 0.6, 0, 16, WAC_FOR_WAC, NULL, "synthetic samples for each real one of a batch")     \
    CHOICE(posterior, 0, "gaussian|particles", WAC_FOR_POSTERIORS, NULL,                           \
           "what a pair's value may be")                                                           \
    COUNT(particles, 50, 2, 10000, WAC_FOR_POSTERIORS, NULL,                                       \
          "of a pair, where the posterior has some")                                               \
    CHOICE(trunk, 0, "apart|shared", WAC_FOR_WAC, NULL,                                            \
           "mean and std of a Gaussian: a network each, or two heads of one")                      \
    REAL(oac_delta, 18, 0, 1e6, WAC_FOR_OAC, NULL,                                                 \
         "how far OAC's exploration may leave the policy")                                         \
    REAL(oac_beta, 6.5, 0, 1e6, WAC_FOR_OAC, NULL,                                                 \
         "weight of the critics' disagreement in OAC's upper bound")                               \
    COUNT(critics, 10, 2, 32, WAC_FOR_REDQ, NULL, "critics that learn side by side")               \
    COUNT(subset, 2, 1, 32, WAC_FOR_REDQ, NULL,                                                    \
          "critics, drawn for each update, of which the smallest value is its target")             \
    COUNT(policy_delay, 20, 1, 1000000, WAC_FOR_REDQ | WAC_FOR_TOP, NULL,                          \
          "updates of the critics for one of policy and entropy weight")                           \
    COUNT(members, 5, 1, 16, WAC_FOR_SUNRISE, NULL, "agents of an ensemble, with one replay")      \
    REAL(member_share, 0.5, 0, 1, WAC_FOR_SUNRISE, NULL,                                           \
         "share of the transitions that each member learns from; 1: all of them do from all")      \
    REAL(backup_temperature, 20, 0, 1e6, WAC_FOR_SUNRISE, NULL,                                    \
         "how much less a transition counts where the members' targets differ; 0: not at all")     \
    REAL(optimism, 1, 0, 1e6, WAC_FOR_SUNRISE | WAC_FOR_BRO, NULL,                                 \
         "weight of disagreement in the bound that exploration climbs; of bro at the start")       \
    REAL(pessimism, 0, 0, 1e6, WAC_FOR_BRO, NULL,                                                  \
         "weight of disagreement that targets and the policy take off what critics believe")       \
    REAL(divergence_weight, 0.25, 1e-4, 1e3, WAC_FOR_BRO, NULL,                                    \
         "of the optimist's distance from the policy, at the start")                               \
    REAL(divergence_target, 0.05, 0, 1e6, WAC_FOR_BRO, NULL,                                       \
         "that distance, a KL divergence by entry of an action, for which both are learned")       \
    REAL(divergence_rate, 3e-5, 0, 1, WAC_FOR_BRO, NULL,                                           \
         "Adam's step for the optimism and for that weight")                                       \
    REAL(optimist_std, 0.75, 1e-6, 1e6, WAC_FOR_BRO, NULL,                                         \
         "deviation of the optimist's actions, in those of the policy")                            \
    COUNT(models, 5, 2, 32, WAC_FOR_MAXINFOSAC, NULL,                                              \
          "networks that predict what follows, and whose disagreement is a bonus")                 \
    REAL(model_learning_rate, 3e-4, 0, 1, WAC_FOR_BONUS, NULL,                                     \
         "Adam's step for the networks that a bonus is made from")                                 \
    REAL(bonus_weight, 1, 1e-12, 1e6, WAC_FOR_BONUS, NULL,                                         \
         "weight of the bonus; of maxinfosac at the start")                                        \
    FLAG(bonus_tuning, true, WAC_FOR_MAXINFOSAC, NULL,                                             \
         "learn the weight of the bonus; false: it stays at its start")                            \
    COUNT(quantiles, 50, 1, 256, WAC_FOR_QUANTILES, NULL,                                          \
          "of a return's distribution, by each critic; 1: its mean, by squared errors")            \
    REAL(optimism_low, -1, -1e6, 1e6, WAC_FOR_TOP, NULL,                                           \
         "weight of the critics' disagreement in their belief: what a bandit may choose")          \
    REAL(optimism_high, 0, -1e6, 1e6, WAC_FOR_TOP, NULL,                                           \
         "the other that it may choose for an episode; the same: it has no choice")                \
    REAL(bandit_rate, 0.1, 0, 1e6, WAC_FOR_TOP, NULL, "step of the bandit's weights")              \
    REAL(explore_noise, 0.1, 0, 1e6, WAC_FOR_TOP, NULL,                                            \
         "deviation of the noise that is added to actions that are explored")                      \
    REAL(target_noise, 0.2, 0, 1e6, WAC_FOR_TOP, NULL,                                             \
         "deviation of the noise of the next action in a target")                                  \
    REAL(target_noise_clip, 0.5, 0, 1e6, WAC_FOR_TOP, NULL,                                        \
         "largest noise of the next action in a target")                                           \
    REAL(noise_std, 0.5, 0, 1e6, WAC_FOR_ALL, "lqg", "deviation of the noise of start and step")   \
    REAL(state_bound, 4, 1e-6, 1e6, WAC_FOR_ALL, "lqg", "largest distance from the origin")        \
    REAL(action_bound, 4, 1e-6, 1e6, WAC_FOR_ALL, "lqg", "largest push")                           \
    FLAG(scale_cost, true, WAC_FOR_ALL, "lqg", "divide the cost by its largest value")             \
    REAL(river_length, 25, 2, 1e6, WAC_FOR_ALL, "riverswim",                                       \
         "length of the river; the prize waits in its last unit")                                  \
    CHOICE(reward_rule, 0, "description|program", WAC_FOR_ALL, "riverswim",                        \
           "rewards as the paper prints them, or as its authors' program has them")                \
    REAL(observation_bound, 120, 1e-6, 1e9, WAC_FOR_ALL, WAC_FOR_LOCOMOTION,                       \
         "declared bound of every observation; 120 is that of the paper's authors")                \
    REAL(reward_beyond, 0, 0, 1e6, WAC_FOR_ALL, WAC_FOR_LOCOMOTION,                                \
         "distance from which on steps are rewarded; 0: all are")                                  \
    CHOICE(reward, 0, "dense|sparse", WAC_FOR_ALL, WAC_FOR_POINT,                                  \
           "minus the distance to the goal, or -1 on every step")                                  \
    CHOICE(backend, 0, WAC_BACKENDS, WAC_FOR_NETWORKS, NULL,                                       \
           "how to compute: fast, or in plain loops (slow; for checking)")                         \
    CHOICE(precision, 0, WAC_PRECISIONS, WAC_FOR_NETWORKS, NULL,                                   \
           "of hidden layers' products; mixed is fast (AVX-512 BF16, GPU), tf32 a GPU's only")     \
    CHOICE(exploration, 0, "optimistic|sampling|mean", WAC_FOR_WQL | WAC_FOR_SUNRISE, NULL,        \
           "by an upper bound of values, by a draw of them, or by their mean")                     \
    CHOICE(noise, 0, "epsilon|boltzmann", WAC_FOR_Q_LEARNING, NULL,                                \
           "any action now and then, or better ones more often")                                   \
    REAL(epsilon, 0.1, 0, 1, WAC_FOR_Q_LEARNING, NULL, "chance of any action")                     \
    REAL(temperature, 0.1, 1e-9, 1e9, WAC_FOR_Q_LEARNING, NULL,                                    \
         "difference of values at which the better one is taken 2.7 times as often (boltzmann)")   \
    REAL(rate_decay, 0.5, 0, 1, WAC_FOR_RATES, NULL,                                               \
         "a pair's n-th visit moves its value by n to the power of minus this")                    \
    COUNT(delay, 10, 1, 1000000, WAC_FOR_DELAYED_Q, NULL, "visits before a value may give way")    \
    REAL(delay_margin, 0.01, 0, 1e9, WAC_FOR_DELAYED_Q, NULL,                                      \
         "by which a value stays above what was seen")                                             \
    COUNT(heads, 10, 1, 1000, WAC_FOR_BOOTSTRAPPED_Q, NULL, "tables that learn side by side")      \
    COUNT(sea_size, 10, 2, 100, WAC_FOR_ALL, "deep-sea", "rows and columns of the sea")

#define WAC_FIELD_REAL(name, ...) double name;
#define WAC_FIELD_COUNT(name, ...) int64_t name;
#define WAC_FIELD_FLAG(name, ...) bool name;
#define WAC_FIELD_CHOICE(name, ...) int name;

/* Plain data: copy it, keep it on the stack, write its fields. */
typedef struct wac_config {
    char environment[256];
    WAC_SETTINGS(WAC_FIELD_REAL, WAC_FIELD_COUNT, WAC_FIELD_FLAG, WAC_FIELD_CHOICE)
} wac_config;

#define WAC_ONE(...) +1
enum { WAC_SETTINGS_TOTAL = WAC_SETTINGS(WAC_ONE, WAC_ONE, WAC_ONE, WAC_ONE) };

typedef enum wac_setting_kind {
    WAC_SETTING_REAL,
    WAC_SETTING_COUNT,
    WAC_SETTING_FLAG,
    WAC_SETTING_CHOICE,
} wac_setting_kind;

/* A row of the table above. */
typedef struct wac_setting {
    const char *name;
    wac_setting_kind kind;
    double smallest, largest; /* REAL and COUNT */
    const char *words;        /* CHOICE and FLAG: "first|second" */
    unsigned algorithms;      /* bits, 1u << wac_algorithm */
    const char *environments; /* "first|second"; null: all of them */
    const char *help;
    size_t offset; /* of the field in wac_config */
} wac_setting;

/* All WAC_SETTINGS_TOTAL rows, in the order of the table. */
WAC_API const wac_setting *wac_settings(size_t *count);

/* The preset of an environment for an algorithm ("oe-wac", …; null: the one the paper used there).
 * "point-1-sparse" … "point-4-sparse" and "halfcheetah-sparse", "hopper-sparse", "walker2d-sparse"
 * stand for these worlds with sparse rewards. An "mujoco:FILE.xml" is a model of your own
 * (docs/own-models.md); a relative path counts from where the program is started. So does that of a
 * plug-in, "./FILE.so" (docs/own-environments.md): a slash and the ending tell it. These, or an
 * environment of your own in C (a letter, then letters, digits and any of "-_./:"), have no preset:
 * they get the defaults of the table. A "gym:NAME" is an environment of Gymnasium, in Python
 * (docs/gymnasium.md), where nobody knows the range of rewards: reward_min and reward_max are 0
 * until they are set. */
WAC_API wac_status wac_config_init(wac_config *config, const char *name, const char *algorithm,
                                   wac_error *error);

/* Set one setting from text, as the command line does; "path-limit" is the same as "path_limit".
 * Unknown names (the nearest one is suggested), values out of range, and settings that the
 * algorithm or environment ignores are refused. The algorithm itself is chosen by wac_config_init.
 * Whole numbers may be written as 1e6; flags as true or false, on or off, yes or no. */
WAC_API wac_status wac_config_set(wac_config *config, const char *name, const char *value,
                                  wac_error *error);

/* Read `key: value` lines (YAML) over an initialised config. The file may name `environment` and
 * `algorithm` too; they must be the ones of the config. On failure the config is as it was. */
WAC_API wac_status wac_config_load(wac_config *config, const char *path, wac_error *error);

/* A config from a file alone: the preset of the environment and algorithm that it names, then its
 * values. `environment` and `algorithm`, where not null, win over what the file says. */
WAC_API wac_status wac_config_read(wac_config *config, const char *path, const char *environment,
                                   const char *algorithm, wac_error *error);

/* Check the config as a whole: every setting that it reads within its range, and the prior's ends
 * in order. Do this after the last change. (Synthetic samples that round to none in a batch are
 * fine, whatever lambda: there is no regularisation then.) */
WAC_API wac_status wac_config_check(const wac_config *config, wac_error *error);

/* The value of a setting as text that reads back to the same value. */
WAC_API void wac_config_format(const wac_config *config, const wac_setting *setting, char *text,
                               size_t size);

/* True where the config's algorithm and environment read the setting. */
WAC_API bool wac_config_reads(const wac_config *config, const wac_setting *setting);

/* "oe-wac" */
WAC_API const char *wac_algorithm_name(wac_algorithm algorithm);

#ifdef __cplusplus
}
#endif
#endif
