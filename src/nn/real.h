/* The number type of networks: float; double in the build that checks gradients. */
#ifndef WAC_NN_REAL_H
#define WAC_NN_REAL_H

#ifdef WAC_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#endif
