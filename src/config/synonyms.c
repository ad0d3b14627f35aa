/* Names of other libraries, a row for each thing that has one here. */
#include "config/synonyms.h"

#include "base/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Where `names` are those of several rows, the first that the list has counts. */
static const struct {
    const char *meant, *names, *note;
} rows[] = {
    {"algorithm", "algo|alg|agent|method", NULL},
    {"seed", "random-seed|rng-seed", NULL},
    {"epochs",
     "total-timesteps|timesteps|n-timesteps|num-timesteps|max-timesteps|total-steps|num-steps|"
     "max-steps|n-steps|num-env-steps|total-env-steps|train-steps|iterations|n-iterations|"
     "num-iterations|train-iterations|num-episodes|n-episodes|total-episodes",
     "An epoch takes explore_steps steps"},
    {"epochs", "n-epochs|num-epochs|total-epochs|max-epochs", NULL},
    {"initial_steps",
     "learning-starts|start-steps|start-timesteps|warmup|warmup-steps|"
     "num-steps-before-training|min-num-steps-before-training|num-seed-steps|seed-steps",
     "random_steps says how many of them are any actions"},
    {"explore_steps", "steps-per-epoch|num-expl-steps-per-train-loop|rollout-length|rollout-steps",
     NULL},
    {"updates",
     "gradient-steps|num-updates|n-updates|updates-per-epoch|utd|utd-ratio|"
     "num-trains-per-train-loop|updates-per-step",
     "It counts the updates of an epoch"},
    {"update_interval", "train-freq|train-frequency|update-every|update-freq|policy-frequency",
     NULL},
    {"worlds", "num-envs|n-envs|num-workers|nenvs|envs|n-workers", NULL},
    {"evaluation_steps",
     "eval-steps|num-eval-steps|num-eval-steps-per-epoch|eval-episodes|n-eval-episodes|"
     "num-eval-episodes|eval-freq|eval-interval|eval-every",
     "Every epoch has an evaluation of so many steps"},
    {"path_limit",
     "max-path-length|max-episode-steps|max-episode-length|max-ep-len|episode-length|ep-len|"
     "horizon|time-limit",
     NULL},
    {"normalisation", "normalization|normalize|normalise|normalize-obs|norm-obs|obs-norm", NULL},
    {"checkpoint_interval",
     "save-freq|save-every|save-interval|checkpoint-freq|checkpoint-every|save-frequency", NULL},
    {"replay_capacity",
     "buffer-size|buffer-capacity|replay-size|replay-buffer-size|memory-size|buffer", NULL},
    {"width",
     "hidden-size|hidden-sizes|hidden-dim|hidden-dims|hidden-units|hidden|hid|"
     "layer-size|layer-sizes|net-arch|num-units|units",
     "All hidden layers are of this width; layers says how many"},
    {"layers", "hidden-layers|num-layers|n-layers|num-hidden-layers|n-hidden|depth", NULL},
    {"network", "block-type|architecture|arch|net|backbone", NULL},
    {"width", "critic-hidden-dim|critic-width", NULL},
    {"policy_width", "actor-hidden-dim|actor-width", NULL},
    {"blocks", "critic-num-blocks|critic-blocks|num-blocks|n-blocks", NULL},
    {"policy_blocks", "actor-num-blocks|actor-blocks", NULL},
    {"weight_decay", "wd|adamw|l2|critic-weight-decay|actor-weight-decay", NULL},
    {"batch_size", "minibatch-size|mini-batch-size|train-batch-size", NULL},
    {"learning_rate",
     "lr|policy-lr|actor-lr|critic-lr|pi-lr|q-lr|qf-lr|vf-lr|alpha-lr|step-size|adam-lr|"
     "policy-learning-rate|actor-learning-rate|critic-learning-rate",
     "It is that of all networks but the std critics, which have std_learning_rate"},
    {"discount", "gamma|discount-factor|discount-rate", NULL},
    {"target_rate",
     "tau|soft-update|soft-update-rate|target-update-rate|soft-target-tau|target-update-tau|"
     "critic-tau",
     NULL},
    {"target_rate", "polyak", "It is one minus what others call polyak"},
    {"entropy_weight",
     "alpha|ent-coef|ent-coeff|entropy-coef|entropy-coeff|entropy-coefficient|temperature|"
     "init-temperature|init-alpha|initial-alpha",
     "It is learned unless entropy_tuning is off"},
    {"entropy_tuning",
     "autotune|auto-alpha|auto-entropy|automatic-entropy-tuning|use-automatic-entropy-tuning|"
     "learnable-temperature",
     NULL},
    {"entropy_target", "target-entropy",
     "It is that of one entry of an action: others divided by A"},
    {"critics", "num-q|n-critics|num-critics|num-qs|ensemble-size|q-ensemble", NULL},
    {"subset", "num-min|num-min-qs|subset-size", NULL},
    {"policy_delay", "policy-update-delay|policy-update-freq|actor-update-freq|target-delay", NULL},
    {"members", "num-ensemble|n-ensemble|num-members|n-members|ensemble", NULL},
    {"member_share", "ber-mean|bernoulli-mean|mask-prob|bootstrap-prob|bootstrap-mask", NULL},
    {"backup_temperature", "temperature-backup|weighted-bellman|bellman-temperature", NULL},
    {"optimism", "ucb-lambda|inference-type|ucb-weight|ucb|init-optimism", NULL},
    {"divergence_weight", "init-regularizer|kl-weight|regularizer", NULL},
    {"divergence_target", "kl-target|target-kl", NULL},
    {"divergence_rate", "adj-lr", NULL},
    {"optimist_std", "std-multiplier", NULL},
    {"reset_interval", "reset-freq|reset-frequency|reset-every|resets|reset-list", NULL},
    {"quantiles", "n-quantiles|num-quantiles", NULL},
    {"bandit_rate", "bandit-lr|bandit-learning-rate", NULL},
    {"random_steps", "n-random-actions|random-actions|num-random-steps", NULL},
    {"explore_noise", "expl-noise|exploration-noise|action-noise", NULL},
    {"target_noise", "policy-noise|target-policy-noise", NULL},
    {"target_noise_clip", "noise-clip|target-clip", NULL},
    {"models", "num-heads|num-models|n-models", NULL},
    {"bonus_weight",
     "intrinsic-weight|intrinsic-reward-weight|int-coef|init-dyn-entropy-scale|rnd-weight|"
     "beta-intrinsic",
     NULL},
    {"quantile", "kappa|confidence", "The bound's weight on sigma comes from it"},
    {"oac_beta", "beta-ub", NULL},
    {"precision", "dtype|amp|fp16|bf16|half|mixed-precision|tf32", NULL},
    {"out",
     "o|output|outdir|output-dir|output-folder|out-folder|save-dir|save-path|save-folder|logdir|"
     "log-dir|log-path|log-folder|results-dir|dir|folder|directory|path|name|run-name|exp-name",
     NULL},
    {"config", "cfg|config-file|config-path|params|hyperparams|hyperparameters|yaml", NULL},
    {"resume",
     "load|load-model|load-path|restore|continue|checkpoint|ckpt|from-checkpoint|load-from", NULL},
    {"device", "gpu|gpus|cuda|use-gpu|use-cuda|gpu-id", "It takes cpu or cuda"},
    {"workers",
     "j|jobs|n-jobs|num-jobs|num-workers|n-workers|processes|num-processes|n-cpus|num-cpus|cores",
     NULL},
    {"threads",
     "j|jobs|n-jobs|num-threads|n-threads|nthreads|num-workers|n-workers|workers|n-cpus|num-cpus|"
     "cores",
     NULL},
    {"episodes", "n-episodes|num-episodes|eval-episodes|n-eval-episodes|num-eval-episodes|runs",
     NULL},
};

static bool lists(wac_name_fn *name_at, const void *names, const char *wanted)
{
    const char *name;
    for (size_t i = 0; (name = name_at(names, i)); i++)
        if (wac_word_is(name, wanted))
            return true;
    return false;
}

const char *wac_setting_suggest(char text[WAC_SUGGESTION], const char *word, wac_name_fn *name_at,
                                const void *names, const char *otherwise)
{
    enum { LONGEST = 63 };
    char plain[LONGEST + 1];
    size_t length = 0;
    for (; word[length] && length < LONGEST; length++)
        plain[length] = word[length] == '_'                          ? '-'
                        : word[length] >= 'A' && word[length] <= 'Z' ? (char)(word[length] | 32)
                                                                     : word[length];
    plain[length] = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !word[length]; i++)
        if (wac_word_index(rows[i].names, plain) >= 0 && lists(name_at, names, rows[i].meant)) {
            snprintf(text, WAC_SUGGESTION, "did you mean \"%s\"?%s%s", rows[i].meant,
                     rows[i].note ? " " : "", rows[i].note ? rows[i].note : "");
            return text;
        }
    return wac_suggest(text, word, name_at, names, otherwise);
}
