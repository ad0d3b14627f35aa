/* The columns of progress.csv (docs/metrics.md), in their order: what a run writes, and what those
 * who read runs look for. */
#ifndef WAC_RUN_COLUMNS_H
#define WAC_RUN_COLUMNS_H

#define WAC_COLUMNS(X)                                                                             \
    X(epoch)                                                                                       \
    X(env_steps)                                                                                   \
    X(updates)                                                                                     \
    X(eval_return)                                                                                 \
    X(eval_success)                                                                                \
    X(eval_episodes)                                                                               \
    X(coverage_sampled)                                                                            \
    X(coverage_visited)                                                                            \
    X(alpha)                                                                                       \
    X(q_mean)                                                                                      \
    X(sigma_visited)                                                                               \
    X(sigma_uniform)                                                                               \
    X(seconds)                                                                                     \
    X(explore_episodes)                                                                            \
    X(explore_return)                                                                              \
    X(explore_success)

/* wac_column_epoch, wac_column_env_steps, … */
#define WAC_COLUMN_ENUM(name) wac_column_##name,
typedef enum wac_column { WAC_COLUMNS(WAC_COLUMN_ENUM) WAC_COLUMN_TOTAL } wac_column;

/* ",epoch,env_steps,…": the header line is this without its first comma, and a newline */
#define WAC_COLUMN_NAME(name) "," #name
#define WAC_COLUMN_NAMES WAC_COLUMNS(WAC_COLUMN_NAME)

#endif
