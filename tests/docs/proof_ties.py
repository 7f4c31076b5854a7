"""The bounds that Coq proved, read from its theorems and evaluated in fractions, beside the formulas of the code.

A formula that has a root is compared in its square, as near as doubles are; others exactly.
"""

import functools
import importlib.util
import itertools
import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

from shapedp.privacy import integer_sums
from shapedp.privacy.curves.base import CurveMechanism
from shapedp.privacy.shapes import gaussian, private_center
from shapedp.privacy.shapes import learned as of_landmarks
from shapedp.releases.kinds.growth.moments import GrowthMoments

PROVE = Path(__file__).resolve().parents[2] / "docs/proofs/prove.py"
EXTREMES = [Fraction(1, 10**9), Fraction(1), Fraction(10**9)]
NEAR = Fraction(1, 2**44)  # relative, of squares that were computed in doubles


def load_prove():
    """Return docs/proofs/prove.py as a module."""
    spec = importlib.util.spec_from_file_location("prove", PROVE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SOURCE = load_prove().source()


def proved_bound(theorem, **values):
    """Return what stands right of the last <= of a theorem, evaluated."""
    return evaluated(rf"Theorem {theorem} :.*?<=([^<]*?)\.\s+Proof", values)


def moved(**values):
    """Return the form of (12.2) as Coq defines it, evaluated."""
    return evaluated(r"Definition moved [^:]*: R\) : R :=(.*?)\.\s", values)


def evaluated(pattern, values):
    """Return an expression of Coq, of sums and products, evaluated in Python's numbers."""
    return eval(compiled(pattern), {"__builtins__": {}}, values)


@functools.cache
def compiled(pattern):
    """Return the first match of a pattern in Coq's source as code of Python."""
    text = re.search(pattern, SOURCE, re.DOTALL).group(1).replace(")%Z", "")
    return compile(" ".join(text.split()), pattern, "eval")


def fractions(rng, count, size):
    """Yield points of positive fractions: all extreme ones, then random ones."""
    yield from itertools.product(EXTREMES, repeat=size)
    for row in rng.integers(1, 10**6, (count, size, 2)):
        yield tuple(Fraction(int(a), int(b)) for a, b in row)


def of_means(rng, count):
    """Yield (square of the code's, proved square) sensitivity of sums of bounded vectors."""
    for (tau,) in fractions(rng, count, 1):
        for formula, holder in (
            (CurveMechanism.sensitivity, SimpleNamespace(bound=tau, n=1)),
            (gaussian.Gaussian.sensitivity, SimpleNamespace(ball=SimpleNamespace(r=tau), n=1)),
            (of_landmarks.DeviationMechanism.sensitivity, SimpleNamespace(coordinates=SimpleNamespace(bound=tau), n=1)),
        ):
            yield formula(holder) ** 2, proved_bound("eq_3_3", tau=tau)


def of_whole_numbers(rng, count):
    """Yield the pairs of sums of whole vectors and of whole numbers: there is one grid."""
    yield Fraction(integer_sums.SENSITIVITY) ** 2, proved_bound("eq_4_1", G=integer_sums.GRID)
    yield Fraction(integer_sums.SENSITIVITY), proved_bound("eq_11_4_grid", G=integer_sums.GRID)


def of_moment(rng, count):
    """Yield the pairs of the sum of z z*, for each number of directions that the center is looked for in."""
    for size in range(1, 60):
        holder = SimpleNamespace(basis=np.zeros((size + 1, size)))
        cut = Fraction(2 * size, integer_sums.GRID)  # twice the root of the size^2 whole coordinates
        yield (
            (Fraction(private_center.PrivateCenter.moment_sensitivity.fget(holder)) - cut) ** 2,
            proved_bound("eq_7_8"),
        )


def of_each_sum(rng, count):
    """Yield the pairs of each of a model's sums alone."""
    for zeta, tau in fractions(rng, count, 2):
        alone = integer_sums.Moments.alone.fget(SimpleNamespace(zeta=float(zeta), tau=float(tau)))
        for found, bound in zip(alone[1:], (zeta, tau), strict=True):
            yield Fraction(float(found)) ** 2, proved_bound("eq_11_6", tau=Fraction(float(bound)))


def largest(w1, w2, w3, t, Z):
    """Return the largest of Coq's form at the places that eq_12_2_places names."""

    def clip(x, low, high):
        return max(low, min(x, high))

    edges = [(r, e) for r in (2 - Z, Z) for e in (-1, 1)]
    places = [(clip(0, 2 - Z, Z), 0), *edges]
    places += [(clip(-(w1 * t * e) / (2 * w2), 2 - Z, Z), e) for e in (-1, 1)] if w2 else []
    places += [(r, clip(-(w1 * r) / (2 * w3 * t), -1, 1)) for r in (2 - Z, Z)] if w3 else []
    return max(moved(w1=w1, w2=w2, w3=w3, t=t, Z=Z, rho=r, d=d) for r, d in places)


def of_model(rng, count):
    """Yield the pairs of a model's sums together, also with weights of 0."""
    for w1, w2, w3, tau, more in fractions(rng, count, 5):
        zeta = 1 + more
        for kept in ((1, 1, 1), (1, 0, 1), (1, 1, 0)):
            squares = [w * k for w, k in zip((w1, w2, w3), kept, strict=True)]
            yield integer_sums.joint_square(squares, zeta, tau), largest(*squares, tau**2, zeta**2)


def of_growth(rng, count):
    """Yield the pairs of the sums of growth together; weights, zeta and tau as the doubles that they are.

    Zeta is 9/8 or more: nearer to 1 doubles lose the digits of zeta^4 - rho^2.
    """
    for numbers in fractions(rng, count, 5):
        w1, w2, w3, tau, more = (Fraction(float(one)) for one in numbers)
        zeta = Fraction(float(Fraction(9, 8) + more))
        holder = SimpleNamespace(zeta=float(zeta), tau=float(tau))
        found = GrowthMoments.joint(holder, [float(w1), float(w2), float(w3)])
        bound = largest(w1**2, w2**2, Fraction(0), tau**2, zeta**2) + 2 * w3**2 * tau**4
        yield Fraction(found) ** 2, bound


TIES = {  # by whether it is exact
    of_means: True,
    of_whole_numbers: True,
    of_moment: False,
    of_each_sum: False,
    of_model: True,
    of_growth: False,
}


FORMULAS = {  # of the code, by the tie that compares them
    of_means: [(one, "sensitivity") for one in (CurveMechanism, gaussian.Gaussian, of_landmarks.DeviationMechanism)],
    of_whole_numbers: [(integer_sums, "SENSITIVITY")],
    of_moment: [(private_center.PrivateCenter, "moment_sensitivity")],
    of_each_sum: [(integer_sums.Moments, "alone")],
    of_model: [(integer_sums, "joint_square")],
    of_growth: [(GrowthMoments, "joint")],
}


def apart(tie, rng, count):
    """Return the pairs of a tie whose sides differ."""
    near = 0 if TIES[tie] else NEAR
    return [(found, bound) for found, bound in tie(rng, count) if abs(found - bound) > near * bound]


def misses_smaller():
    """Return the names of the formulas that may say a hundredth less without any tie that sees it."""
    missed = []
    for tie, formulas in FORMULAS.items():
        for holder, name in formulas:
            with mock.patch.object(holder, name, smaller(vars(holder)[name])):
                if not apart(tie, np.random.default_rng(1), 1):
                    missed.append(name)
    return missed


def smaller(formula):
    """Return a function, a property or a number that says a hundredth less."""
    if isinstance(formula, property):
        return property(smaller(formula.fget))
    if callable(formula):
        return lambda *given: formula(*given) * 99 / 100
    return formula * 99 // 100
