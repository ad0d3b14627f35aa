/* The quantile function of the standard normal. */
#ifndef WAC_RL_NORMAL_QUANTILE_H
#define WAC_RL_NORMAL_QUANTILE_H

/* The x with P(N(0, 1) <= x) = p, to double precision, for 0 < p < 1. */
double wac_normal_quantile(double p);

#endif
