/* Counting into bins. */
#include "rl/coverage.h"

#include <math.h>

int wac_coverage_bin(double value, int bins)
{
    double bin = fmax(0, (value + 1) / 2 * bins);
    return bin < bins ? (int)bin : bins - 1;
}

void wac_coverage_add(wac_coverage *coverage, double observation, double action)
{
    coverage->counts[wac_coverage_bin(observation, WAC_COVERAGE_SIDE) * WAC_COVERAGE_SIDE +
                     wac_coverage_bin(action, WAC_COVERAGE_SIDE)]++;
}

double wac_coverage_share(const int64_t *counts, int bins)
{
    const double threshold = 0.001;
    int64_t total = 0;
    int covered = 0;
    for (int i = 0; i < bins; i++)
        total += counts[i];
    for (int i = 0; i < bins; i++)
        covered += (double)counts[i] > threshold * (double)total;
    return total ? (double)covered / bins : NAN;
}
