"""Checks the project's statistics against SciPy and rliable on the same numbers.

    python3 -m venv target/statistics-venv && target/statistics-venv/bin/pip install "numpy<2" "pandas<3" "scipy>=1.11" statsmodels scikit-learn rliable
    target/statistics-venv/bin/python tools/check_statistics.py

Exact statistics must agree to nine digits; percentile bootstraps, whose random draws differ, to within their own
resampling error.
"""

import json
import pathlib
import subprocess

import numpy as np
from rliable import library, metrics
from scipy import integrate, stats
from sklearn.isotonic import IsotonicRegression
from statsmodels.stats.multitest import multipletests

ROOT = pathlib.Path(__file__).resolve().parent.parent
LEVEL, RESAMPLES = 0.95, 4000
SCORES = np.arange(11) / 10


def ours(numbers):
    command = ["cargo", "run", "-q", "-p", "tutelage-compare", "--example", "statistics"]
    done = subprocess.run(command, input=json.dumps(numbers), capture_output=True, text=True, cwd=ROOT, check=True)
    return json.loads(done.stdout)


def ends(interval):
    return [interval["low"], interval["high"]]


class Checks:
    def __init__(self):
        self.failed = 0

    def same(self, name, found, expected, tolerance=1e-9):
        found, expected = np.asarray(found, float), np.asarray(expected, float)
        apart = np.max(np.abs(found - expected) / np.maximum(1.0, np.abs(expected)))
        self.failed += not apart <= tolerance
        print(f"{'ok  ' if apart <= tolerance else 'FAIL'} {name:42} largest deviation {apart:.1e} (allowed {tolerance:.0e})")


def main():
    random = np.random.default_rng(7)
    panels, seeds = 4, 5
    a = random.normal(0.62, 0.12, (panels, seeds)) + random.normal(0, 0.1, (panels, 1))
    b = random.normal(0.50, 0.15, (panels, seeds))
    curve = np.clip(np.linspace(0, 1.05, 20) + random.normal(0, 0.15, 20), 0, None)
    p = random.uniform(0, 0.2, 9)
    found = ours({
        "a": a.tolist(), "b": b.tolist(), "curve": curve.tolist(), "p": p.tolist(),
        "level": LEVEL, "resamples": RESAMPLES,
    })
    check = Checks()

    expected = [stats.t.interval(LEVEL, seeds - 1, x.mean(), stats.sem(x)) for x in a]
    check.same("t interval (SciPy)", [ends(i) for i in found["t_interval"]], expected)

    for name, of in [("welch", lambda x, y: stats.ttest_ind(x, y, equal_var=False)), ("paired_t", stats.ttest_rel)]:
        tests = [of(x, y) for x, y in zip(a, b)]
        check.same(f"{name}: p (SciPy)", [d["p"] for d in found[name]], [t.pvalue for t in tests])
        intervals = [t.confidence_interval(LEVEL) for t in tests]
        check.same(f"{name}: interval (SciPy)", [ends(d["interval"]) for d in found[name]], [[i.low, i.high] for i in intervals])

    one_panel = ours({
        "a": a[:1].tolist(), "b": b[:1].tolist(), "curve": [0.0], "p": [], "level": LEVEL, "resamples": 10,
    })
    check.same("stratified Welch of one panel is Welch", one_panel["stratified_welch"]["p"], stats.ttest_ind(a[0], b[0], equal_var=False).pvalue)

    def mean_difference(x, y, axis):
        return np.mean(x - y, axis=axis)

    flips = [stats.permutation_test((x, y), mean_difference, permutation_type="samples", vectorized=True, n_resamples=np.inf).pvalue for x, y in zip(a, b)]
    check.same("sign-flip permutation: p (SciPy)", found["paired_permutation"], flips)

    check.same("interquartile mean (SciPy)", found["aggregate"]["estimate"], stats.trim_mean(a, 0.25, axis=None))
    check.same("isotonic regression (scikit-learn)", found["isotonic"], IsotonicRegression().fit_transform(np.arange(20), curve))
    smooth, costs = IsotonicRegression().fit_transform(np.arange(20), curve), 50.0 * np.arange(1, 21)
    crossings = []
    for level in SCORES:
        reached = np.flatnonzero(smooth >= level)
        if not len(reached):
            crossings.append(np.nan)
        elif reached[0] == 0:
            crossings.append(costs[0])
        else:
            i = reached[0]
            crossings.append(np.interp(level, smooth[i - 1 : i + 1], costs[i - 1 : i + 1]))
    known = [x is not None for x in found["crossings"]]
    assert known == list(~np.isnan(crossings))
    check.same("sustained crossings", np.array(found["crossings"], float)[known], np.array(crossings)[known])
    budget = np.sort(np.concatenate([[2.5, 170.0], np.arange(2, 14) ** 2.0]))
    heights = np.interp(budget, np.arange(1, 21) ** 2.0, curve)
    check.same("mean within a budget (SciPy)", found["mean_between"], integrate.trapezoid(heights, budget) / (170.0 - 2.5))
    check.same("Holm (statsmodels)", found["holm"], multipletests(p, method="holm")[1])

    # rliable takes runs × tasks.
    scores = {"a": a.T, "b": b.T}
    iqm = lambda x: np.array([metrics.aggregate_iqm(x)])
    point, interval = library.get_interval_estimates({"a": a.T}, iqm, reps=RESAMPLES, confidence_interval_size=LEVEL)
    check.same("IQM (rliable)", found["aggregate"]["estimate"], point["a"][0])
    check.same("IQM: stratified bootstrap (rliable)", ends(found["aggregate"]), interval["a"][:, 0], 0.01)
    few, many = a.flat[:4], a.flat[4:12]
    uneven = [few.tolist(), many.tolist()]
    uneven = ours({"a": uneven, "b": uneven, "curve": [0.0], "p": [], "level": LEVEL, "resamples": 10})
    expected = stats.trim_mean(np.concatenate([np.repeat(few, 2), many]), 0.25)
    check.same("IQM of panels with 4 and 8 runs (SciPy)", uneven["aggregate"]["estimate"], expected)
    profile, bands = library.create_performance_profile({"a": a.T}, SCORES, reps=RESAMPLES, confidence_interval_size=LEVEL)
    check.same("performance profile (rliable)", [x["estimate"] for x in found["profile"]], profile["a"])
    check.same("performance profile: bands (rliable)", np.array([ends(x) for x in found["profile"]]).T, bands["a"], 0.051)
    pair = {"a,b": (scores["a"], scores["b"])}
    better = lambda x, y: np.array([metrics.probability_of_improvement(x, y)])
    point, interval = library.get_interval_estimates(pair, better, reps=RESAMPLES, confidence_interval_size=LEVEL)
    check.same("probability of improvement (rliable)", found["improvement"]["estimate"], point["a,b"][0])
    check.same("… its bootstrap interval (rliable)", ends(found["improvement_bootstrap"]), interval["a,b"][:, 0], 0.03)
    low, high = ends(found["improvement"])
    wide = low <= interval["a,b"][0, 0] + 0.03 and high >= interval["a,b"][1, 0] - 0.06
    print(f"     … our interval for few runs: [{low:.2f}, {high:.2f}], rliable's: [{interval['a,b'][0, 0]:.2f}, {interval['a,b'][1, 0]:.2f}]")
    check.failed += not wide
    raise SystemExit(f"{check.failed} checks failed" if check.failed else 0)


main()
