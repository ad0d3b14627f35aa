"""Writes statistics.json: samples, and what NumPy and SciPy make of them; and progress.csv, the
table of a run that never was, with what measures must make of it.

tests/stats compare. Run it again after a change: python3 tests/recorded/statistics_by_scipy.py
(NumPy and SciPy from anywhere; the samples come from a fixed seed)."""

import json
import pathlib

import numpy as np
from scipy import stats

RESAMPLES = 200000
draw = np.random.default_rng(7)


def sample(size, ties):
    values = draw.normal(draw.uniform(-1, 1), draw.uniform(0.1, 2), size)
    return np.round(values, 1) if ties else np.round(values, 6)


def percentile_interval(drawn):
    low, high = np.quantile(drawn, [0.025, 0.975])
    return {"low": low, "high": high, "std": float(np.std(drawn))}


def resample(tasks):
    """[tasks] of [resamples, runs], runs drawn within each task."""
    return [x[draw.integers(0, len(x), (RESAMPLES, len(x)))] for x in tasks]


def iqm(rows):
    return stats.trim_mean(rows, 0.25, axis=-1)


def equal(tasks):
    """All values, those of a task with few runs repeated until tasks have equally many."""
    common = np.lcm.reduce([x.shape[-1] for x in tasks])
    return np.concatenate([np.repeat(x, common // x.shape[-1], axis=-1) for x in tasks], axis=-1)


def in_pieces(statistic, tasks, piece=10000):
    return np.concatenate([statistic(equal([x[i:i + piece] for x in tasks]))
                           for i in range(0, RESAMPLES, piece)])


def improvement(a, b):
    """Mean over tasks of U / (n m); a and b: [tasks] of [..., runs]."""
    parts = []
    for x, y in zip(a, b):
        wins = (x[..., :, None] > y[..., None, :]) + 0.5 * (x[..., :, None] == y[..., None, :])
        parts.append(wins.mean(axis=(-2, -1)))
    return np.mean(parts, axis=0)


def of_means(what, a):
    """Of the means of tasks; a: [tasks] of [..., runs]."""
    return what([x.mean(axis=-1) for x in a], axis=0)


def lists(arrays):
    return [x.tolist() for x in arrays]


def one_sample():
    for size in (1, 2, 3, 4, 5, 7, 8, 10, 13, 20, 51):
        x = sample(size, size % 2 == 0)
        s = float(np.std(x, ddof=1)) if size > 1 else None
        yield {"values": x.tolist(), "mean": float(np.mean(x)), "std": s,
               "spread": 2 * s / np.sqrt(size) if size > 1 else None, "iqm": float(iqm(x))}


def intervals():
    thresholds = [-0.5, 0.0, 0.4, 0.75]
    for sizes in ((5,), (10,), (5, 5, 5), (4, 6, 8, 5), (20, 20)):
        a = [sample(n, ties=True) for n in sizes]
        b = [sample(n + 1, ties=True) + 0.3 for n in sizes]
        b = [np.round(x, 1) for x in b]
        drawn_a, drawn_b = resample(a), resample(b)
        all_a = equal(a)
        yield {
            "a": lists(a), "b": lists(b), "thresholds": thresholds,
            "iqm": {"value": float(iqm(all_a)), **percentile_interval(in_pieces(iqm, drawn_a))},
            "mean": {"value": float(of_means(np.mean, a)),
                     **percentile_interval(of_means(np.mean, drawn_a))},
            "median": {"value": float(of_means(np.median, a)),
                       **percentile_interval(of_means(np.median, drawn_a))},
            "gap": {"value": np.maximum(0, 1 - all_a).mean(), **percentile_interval(
                in_pieces(lambda x: np.maximum(0, 1 - x).mean(axis=1), drawn_a))},
            "improvement": {"value": float(improvement(a, b)), **percentile_interval(
                improvement([x[:50000] for x in drawn_a], [x[:50000] for x in drawn_b]))},
            "profile": [{"value": float((all_a > t).mean()),
                         **percentile_interval(in_pieces(
                             lambda x: (x > t).mean(axis=1), drawn_a))} for t in thresholds],
        }


def page():
    for blocks, settings, slope in ((5, 5, 0.3), (5, 5, 0), (5, 4, -0.5), (4, 3, 0.4), (12, 6, 0.1),
                                    (3, 8, 0.2), (20, 3, 0.1), (40, 4, 0.05), (6, 12, 0.1)):
        x = np.round(draw.normal(0, 1, (blocks, settings)) + slope * np.arange(settings), 6)
        exact = settings <= 10 and blocks <= 30
        method = "exact" if exact else "asymptotic"
        rising = stats.page_trend_test(x, method=method)
        falling = stats.page_trend_test(-x, method=method)
        yield {"values": x.tolist(), "statistic": float(rising.statistic),
               "rising": float(rising.pvalue), "falling": float(falling.pvalue), "exact": exact}


def page_ties():
    """SciPy's L; its p-values ignore ties, so these go through all orders of every block."""
    from itertools import permutations

    for blocks, settings in ((3, 4), (4, 3), (2, 5)):
        x = np.round(draw.normal(0, 1, (blocks, settings)) + 0.4 * np.arange(settings))
        ranks = stats.rankdata(x, axis=1)
        place = np.arange(1, settings + 1)
        sums = np.zeros(1)
        for row in ranks:
            orders = np.array([np.dot(place, order) for order in permutations(row)])
            sums = (sums[:, None] + orders[None, :]).ravel()
        found = float(stats.page_trend_test(x).statistic)
        yield {"values": x.tolist(), "statistic": found,
               "rising": float((sums >= found - 1e-9).mean()),
               "falling": float((sums <= found + 1e-9).mean()), "exact": True}


def two_samples(scores_of, statistic_of, cases):
    """Exact p-values over all ways to deal the seeds, each with its values in all strata."""
    from itertools import combinations

    for n, m, strata, ties in cases:
        a, b = [sample(n, ties) for _ in range(strata)], [sample(m, ties) for _ in range(strata)]
        scores = sum(scores_of(x, y) for x, y in zip(a, b))
        sums = np.array([scores[list(c)].sum() for c in combinations(range(n + m), n)])
        seen = scores[:n].sum()
        yield {"a": lists(a), "b": lists(b),
               "statistic": float(np.mean([statistic_of(x, y) for x, y in zip(a, b)])),
               "rising": float((sums >= seen - 1e-9).mean()),
               "falling": float((sums <= seen + 1e-9).mean()), "exact": True}


def rank():
    def ranks(x, y):
        return stats.rankdata(np.concatenate([x, y]))

    def share(x, y):
        return float(stats.mannwhitneyu(x, y).statistic) / (len(x) * len(y))

    yield from two_samples(ranks, share, (
        (1, 1, 1, False), (4, 4, 1, False), (5, 5, 1, True), (4, 10, 1, True), (6, 7, 1, True),
        (5, 5, 3, True), (4, 6, 2, False), (8, 8, 4, True)))
    for n, m in ((5, 5), (20, 20), (10, 20)):
        a, b = sample(n, False), sample(m, False)
        rising = stats.mannwhitneyu(a, b, alternative="greater", method="exact")
        falling = stats.mannwhitneyu(a, b, alternative="less", method="exact")
        yield {"a": lists([a]), "b": lists([b]), "statistic": float(rising.statistic) / (n * m),
               "rising": float(rising.pvalue), "falling": float(falling.pvalue), "exact": True}


def spread_of_two():
    def distance(x):
        return np.abs(x - np.median(x))

    yield from two_samples(
        lambda x, y: np.concatenate([distance(x), distance(y)]),
        lambda x, y: distance(x).mean() - distance(y).mean(),
        ((4, 4, 1, False), (5, 5, 1, False), (10, 10, 1, False), (7, 9, 1, False), (5, 5, 3, False),
         (10, 8, 4, False)))


def holm():
    for p in ([0.01], [0.04, 0.01, 0.03], [0.01, 0.01, 0.5, 0.02], [0.9, 0.8, 0.7], [0, 0.2, 1]):
        order, adjusted, before = np.argsort(p, kind="stable"), [0] * len(p), 0
        for place, i in enumerate(order):
            before = min(1, max(before, (len(p) - place) * p[i]))
            adjusted[i] = before
        yield {"p": p, "adjusted": adjusted}


def shares():
    for k, n in ((0, 5), (5, 5), (1, 5), (3, 20), (20, 20), (0, 1), (7, 11)):
        exact = stats.binomtest(k, n).proportion_ci(0.95, method="exact")
        yield {"successes": k, "count": n, "low": exact.low, "high": exact.high}


def means():
    for n, m in ((2, 2), (4, 5), (5, 5), (20, 10)):
        a, b = sample(n, False), sample(m, False)
        exact = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
        yield {"a": a.tolist(), "b": b.tolist(), "value": float(a.mean() - b.mean()),
               "low": float(exact.low), "high": float(exact.high)}


def spearman():
    for size, ties in ((2, False), (5, False), (10, True), (400, True)):
        x = sample(size, ties)
        y = np.round(sample(size, ties) - 0.5 * x, 2)
        yield {"x": x.tolist(), "y": y.tolist(),
               "correlation": float(stats.spearmanr(x, y).statistic)}


COLUMNS = ("epoch env_steps updates eval_return eval_success eval_episodes coverage_sampled "
           "coverage_visited alpha q_mean sigma_visited sigma_uniform seconds explore_episodes "
           "explore_return explore_success").split()


def measures():
    """61 rows, empty fields among them."""
    rows = np.arange(61)
    table = {name: np.round(draw.normal(0, 1, 61), 5) for name in COLUMNS}
    table["epoch"], table["env_steps"], table["updates"] = rows, 1000 * (rows + 1), 1000 * rows
    table["eval_return"] = np.round(draw.normal(3 * rows, 20), 4)
    table["eval_success"] = np.round(np.clip(draw.normal(rows / 60, 0.1), 0, 1), 2)
    table["eval_episodes"] = draw.integers(10, 40, 61)
    for name in ("coverage_sampled", "coverage_visited"):
        table[name] = np.round(draw.uniform(0, 1, 61), 4)
    for name, row in (("eval_return", 55), ("eval_success", 33), ("eval_success", 60),
                      ("coverage_sampled", 0), ("q_mean", 0)):
        table[name] = table[name].astype(float)
        table[name][row] = np.nan
    cells = [["" if np.isnan(table[name][row]) else f"{table[name][row]:.9g}" for name in COLUMNS]
             for row in rows]
    path = pathlib.Path(__file__).with_name("progress.csv")
    path.write_text("\n".join(",".join(row) for row in [COLUMNS] + cells) + "\n")
    with np.errstate(invalid="ignore"):
        reached = {"point-3": np.argmax(table["eval_success"] >= 0.9),
                   "riverswim": np.argmax(table["eval_return"] >= 100),
                   "lqg": np.argmax(table["eval_return"] >= -1.1 * 0.935)}
    last_return, success = np.nanmean(table["eval_return"][-10:]), np.nanmean(
        table["eval_success"][-50:])
    scores = {"point-3": success, "riverswim": last_return / 161.6, "lqg": last_return,
              "hopper": last_return}
    for environment, score in scores.items():
        yield {"environment": environment, "score": score, "return": last_return,
               "success": success,
               "solved": int(reached.get(environment, reached["point-3"])),
               "coverage": np.nanmean(table["coverage_sampled"]),
               "coverage-visited": np.nanmean(table["coverage_visited"]),
               "episodes": table["eval_episodes"][-50:].mean(),
               "area-of-return": np.nanmean(table["eval_return"]),
               "area-of-episodes": table["eval_episodes"].mean(),
               "best": np.nanmax(table["eval_return"]),
               **({"normalised": (last_return - 0.14) / (161.6 - 0.14),
                   "regret": (161.6 - table["explore_return"].mean()) / (161.6 - 0.14)}
                  if environment == "riverswim" else {})}


parts = {"one_sample": one_sample, "intervals": intervals, "page": page,
         "page_ties": page_ties, "rank": rank, "spread_of_two": spread_of_two,
         "holm": holm, "shares": shares, "means": means, "spearman": spearman, "measures": measures}
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps({name: list(make()) for name, make in parts.items()}) + "\n")
