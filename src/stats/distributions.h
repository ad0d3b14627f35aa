/* Quantiles that exact intervals need. */
#ifndef WAC_STATS_DISTRIBUTIONS_H
#define WAC_STATS_DISTRIBUTIONS_H

/* The x with P(X <= x) = p, for 0 < p < 1: of a beta distribution, and of Student's t. */
double wac_beta_quantile(double p, double a, double b);
double wac_t_quantile(double p, double freedom);

/* P(X > t) of Student's t. */
double wac_t_tail(double t, double freedom);

#endif
