/* Operations of the reference that other backends take over as they are: they touch few numbers. */
#ifndef WAC_NN_REFERENCE_H
#define WAC_NN_REFERENCE_H

#include "nn/backend.h"

void wac_reference_policy_sample(const wac_sample *sample);
void wac_reference_policy_gradient(const wac_sample *sample, const real *daction,
                                   const real *dlog_prob, real *dheads);
void wac_reference_td_target(const wac_backup *backup);
void wac_reference_mean_error(int rows, const real *out, const real *target, real *dout,
                              double *loss, double *average);
void wac_reference_std_error(int rows, int synthetic, const real *out, const real *target,
                             const real *anchor, real lambda, real sigma_max, real *dout,
                             double *loss, double *regularisation, double averages[2]);
void wac_reference_upper_bound(const wac_critic_rows *critics, real weight, real *bound,
                               real *dout);
void wac_reference_entropy_step(const wac_sample *sample, real entropy_target,
                                wac_entropy *entropy);
void wac_reference_join(int rows, int observations, int actions, const real *observation,
                        const real *action, real *x);
void wac_reference_gather(const real *records, int observations, int actions, const int64_t *index,
                          const wac_batch *batch);
void wac_reference_fill_uniform(wac_rng *rng, size_t count, real low, real high, real *out);
void wac_reference_fill_normal(wac_rng *rng, size_t count, real *out);
void wac_reference_fill_index(wac_rng *rng, size_t count, int64_t limit, int64_t *out);

/* all of them, for the table of a backend */
#define WAC_REFERENCE_BATCH                                                                        \
    .policy_sample = wac_reference_policy_sample,                                                  \
    .policy_gradient = wac_reference_policy_gradient, .td_target = wac_reference_td_target,        \
    .mean_error = wac_reference_mean_error, .std_error = wac_reference_std_error,                  \
    .upper_bound = wac_reference_upper_bound, .entropy_step = wac_reference_entropy_step,          \
    .join = wac_reference_join, .gather = wac_reference_gather,                                    \
    .fill_uniform = wac_reference_fill_uniform, .fill_normal = wac_reference_fill_normal,          \
    .fill_index = wac_reference_fill_index

#endif
