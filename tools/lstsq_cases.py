#!/usr/bin/env python3
"""Writes crates/tutelage-oracles/tests/data/lstsq.txt: least-squares problems and their solutions by SciPy,
or in rational numbers where X is ill-conditioned.

Run it only to add a case: the numbers in the tree are those that the solver is held to.
    pip install numpy scipy && python3 tools/lstsq_cases.py
"""
from fractions import Fraction
from pathlib import Path

import numpy as np
import scipy
from scipy.linalg import lstsq

EPS = np.finfo(float).eps
rng = np.random.default_rng(17)


def dyadic(m, n):
    """Numbers of few digits, so that the file is exact and short."""
    return rng.integers(-32, 33, (m, n)) / 16


def exact(x, y):
    """The solution of XᵀXw = Xᵀy in rational numbers, where X has full column rank."""
    n, k = x.shape[1], y.shape[1]
    rational = lambda matrix: [[Fraction(float(number)) for number in row] for row in matrix]
    a, b = rational(x), rational(y)
    dot = lambda p, q: sum((r * s for r, s in zip(p, q)), Fraction(0))
    left, right = list(zip(*a)), list(zip(*b))
    rows = [[dot(p, q) for q in left] + [dot(p, q) for q in right] for p in left]
    for i in range(n):
        pivot = next(r for r in range(i, n) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [number / rows[i][i] for number in rows[i]]
        for r in range(n):
            if r != i:
                rows[r] = [p - rows[r][i] * q for p, q in zip(rows[r], rows[i])]
    return np.array([[float(number) for number in row[n : n + k]] for row in rows])


def solve(x, y):
    """The solution of least norm, with the threshold of `LeastSquares`; exact where SciPy itself would be far off."""
    cut = EPS * max(x.shape)
    sigma = np.linalg.svd(x, compute_uv=False)
    if 1e3 < sigma[0] / max(sigma[-1], 1e-300) < 0.1 / cut:
        return exact(x, y)
    return lstsq(x, y, cond=cut, lapack_driver="gelsd")[0]


# How far each number of a solution may be off, relative to itself: what its condition allows.
TOLERANCE = {"nearly-dependent": 1e-4, "far-scaled-columns": 1e-10}


def cases():
    yield "tall", dyadic(14, 4), dyadic(14, 2)
    yield "wide", dyadic(3, 8), dyadic(3, 2)
    yield "square", dyadic(5, 5), dyadic(5, 1)
    yield "one-row", dyadic(1, 6), dyadic(1, 2)
    yield "one-column", dyadic(9, 1), dyadic(9, 1)
    yield "rank-3-of-6", dyadic(11, 3) @ dyadic(3, 6), dyadic(11, 2)
    yield "rank-2-wide", dyadic(4, 2) @ dyadic(2, 9), dyadic(4, 1)
    twin = dyadic(8, 3)
    yield "twin-columns", np.column_stack([twin, twin[:, 0], 3 * twin[:, 1]]), dyadic(8, 1)
    yield "constant-and-zero", np.column_stack([dyadic(7, 2), np.full(7, 5.0), np.zeros(7), np.ones(7)]), dyadic(7, 2)
    scales = 2.0 ** np.array([-20, 0, 20, 10, -7])
    yield "scaled-columns", dyadic(12, 5) * scales, dyadic(12, 2)
    far = 2.0 ** np.array([-40, 0, 12])
    yield "far-scaled-columns", dyadic(9, 3) * far, dyadic(9, 1)
    rows = 2.0 ** np.linspace(-12, 12, 9).round()
    yield "scaled-rows", dyadic(9, 3) * rows[:, None], dyadic(9, 1) * rows[:, None]
    near = dyadic(10, 3)
    yield "nearly-dependent", np.column_stack([near, near[:, 0] + 2.0**-30 * dyadic(10, 1)[:, 0]]), dyadic(10, 1)
    yield "vandermonde", np.vander(np.arange(1, 9) / 4, 5, increasing=True), dyadic(8, 1)
    often = np.sqrt(rng.integers(1, 6, 10))[:, None]
    yield "weighted-rows", often * np.column_stack([dyadic(10, 3), np.ones(10)]), often * dyadic(10, 2)


def row(numbers):
    return " ".join(repr(float(number)) for number in numbers) + "\n"


target = Path(__file__).parents[1] / "crates/tutelage-oracles/tests/data/lstsq.txt"
with target.open("w") as file:
    file.write(f"# name rows columns labels tolerance; then X, Y and X⁺Y by rows (SciPy {scipy.__version__}, or exact)\n")
    for name, x, y in cases():
        file.write(f"{name} {x.shape[0]} {x.shape[1]} {y.shape[1]} {TOLERANCE.get(name, 1e-12)}\n")
        for matrix in (x, y, solve(x, y)):
            file.writelines(map(row, matrix))
