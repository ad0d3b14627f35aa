/* Counting into bins. */
#include "rl/coverage.h"

#include <math.h>

static int bin_of(double value)
{
    double bin = fmax(0, (value + 1) / 2 * WAC_COVERAGE_SIDE);
    return bin < WAC_COVERAGE_SIDE ? (int)bin : WAC_COVERAGE_SIDE - 1;
}

void wac_coverage_add(wac_coverage *coverage, double observation, double action)
{
    coverage->counts[bin_of(observation) * WAC_COVERAGE_SIDE + bin_of(action)]++;
}

double wac_coverage_share(const wac_coverage *coverage)
{
    const double threshold = 0.001;
    int64_t total = 0;
    int covered = 0;
    for (int i = 0; i < WAC_COVERAGE_BINS; i++)
        total += coverage->counts[i];
    for (int i = 0; i < WAC_COVERAGE_BINS; i++)
        covered += (double)coverage->counts[i] > threshold * (double)total;
    return total ? (double)covered / WAC_COVERAGE_BINS : NAN;
}
