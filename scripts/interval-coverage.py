"""How often intervals of docs/statistics.md hold what they promise, for normal scores.

For each number of tasks and seeds: how often the 95 % interval of the interquartile mean contains the
true value (0.95 would be right), and how often the lower bound of the probability of improvement is
above 0.5 for two equal algorithms (0.025 would be right). Needs NumPy and SciPy; takes a minute."""

import numpy as np
from scipy import stats

TRIALS, RESAMPLES = 1500, 1000
draw = np.random.default_rng(1)


def resample(runs):
    return runs[draw.integers(0, len(runs), (RESAMPLES, len(runs)))]


for tasks, seeds in ((1, 4), (1, 5), (1, 10), (1, 20), (4, 5)):
    contains = ahead = 0
    for _ in range(TRIALS):
        a, b = draw.normal(0, 1, (tasks, seeds)), draw.normal(0, 1, (tasks, seeds))
        drawn = np.concatenate([resample(runs) for runs in a], axis=1)
        low, high = np.quantile(stats.trim_mean(drawn, 0.25, axis=1), [0.025, 0.975])
        contains += low <= 0 <= high
        wins = [(resample(x)[:, :, None] > resample(y)[:, None, :]).mean(axis=(1, 2))
                for x, y in zip(a, b)]
        ahead += np.quantile(np.mean(wins, axis=0), 0.025) > 0.5
    print(f"{tasks} tasks, {seeds} seeds: {contains / TRIALS:.3f} {ahead / TRIALS:.3f}", flush=True)
