"""The bounds that Coq proved, read from its theorems and evaluated in fractions, beside the formulas of the code.

A formula that has a root is compared in its square, as near as doubles are; others exactly.
"""

import functools
import importlib.util
import itertools
import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

from shapedp.audit import cases
from shapedp.ledger import spending
from shapedp.privacy import integer_sums
from shapedp.privacy.accounting import sensitivity
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.curves import bounds
from shapedp.privacy.curves.base import CurveMechanism, CurveSettings
from shapedp.privacy.curves.fourier import Pointwise, RkhsPaper
from shapedp.privacy.differences import ShapedWithSpread, ShapesWithSpread
from shapedp.privacy.manifolds.frechet import h_max
from shapedp.privacy.manifolds.projective import Kendall
from shapedp.privacy.manifolds.sphere import Sphere
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
    text = re.sub(r"INR (\w+)", r"\1", re.sub(r"(^|[(+*-])\s*/ (\w+)", r"\1 1 / \2", text))
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


def of_discrete_law(rng, count):
    """Yield the pairs of eta and what the proved factor comes to, to first order: it lies within 1e-33 of 1."""
    for size, scale in itertools.product((1, 3, 1_000, 10**6), (2.0, 2.001, 2.5, 10.0, *rng.uniform(2, 9, count))):
        q = [Fraction(math.exp(-2 * math.pi**2 * float(x) ** 2)) for x in (scale, integer_sums.ROUNDED)]
        es, er = (evaluated(r"Definition excess [^:]*: R\) : R :=(.*?)\.\s", {"q": one}) for one in q)
        factor = evaluated(r"let c := product d \(fun _ =>(.*?)\) in", {"es": es, "er": er})
        yield Fraction(integer_sums.eta(size, float(scale))), size * (factor - 1)


def of_gradients(rng, count):
    """Yield the pairs of the rounding of a gradient of n points of k complex numbers."""
    sizes = [*itertools.product((2, 10**6, 10**9), (3, 10**4)), *rng.integers(3, 10**5, (count, 2)).tolist()]
    for n, k in sizes:
        bound = evaluated(r"Theorem eq_4_7 :.*?<= (u \* [^<]*?)\.\s+Proof", {"u": Fraction(1, 2**53), "n": n, "k": k})
        yield Fraction(sensitivity.gradient_rounding(n, k)), bound


def of_frechet_means(rng, count):
    """Yield the pairs of how far one of n points moves a Frechet mean, on curved spaces."""
    for manifold, largest in ((Sphere(2), 0.7), (Kendall(5), 0.35)):
        for share, more in [(0.01, 1), (1, 10**6), *rng.uniform(0.01, 1, (count, 2))]:
            n, r, tolerance = 2 + int(more * 10**5), share * largest, 1e-9 * float(more)
            K = Fraction(sensitivity.gradient_sensitivity(manifold, r, n))
            h = Fraction(float(h_max(2 * r, manifold.curvature_bounds()[1])))
            bound = proved_bound("eq_6_2", K=K, h=h, tolerance=Fraction(tolerance))
            yield Fraction(sensitivity.mean_sensitivity(manifold, r, n, tolerance=tolerance)), bound


def of_budgets(rng, count):
    """Yield the pairs of what releases come to whose squared budgets are shares of a whole, in squares."""
    for (whole,) in fractions(rng, count, 1):
        parts = [Fraction(int(one)) for one in rng.integers(1, 100, 6)]
        shares = [Fraction(math.sqrt(part / sum(parts) * whole)) for part in parts]
        total = spending.sum_charges((Cost(GAUSSIAN, mu=float(mu)), None) for mu in shares)
        yield Fraction(total.mu) ** 2, proved_bound("eq_2_5_split", mu2=sum(mu**2 for mu in shares))


def of_movers(rng, count):
    """Yield the pairs of what a person pays for moving between two private groups, and of what a row tells."""
    for Sa, Sb in fractions(rng, count, 2):
        bound = evaluated(r"Theorem eq_2_7 :.*?-> (\(Sa[^<>]*?) <=", {"Sa": Sa, "Sb": Sb})
        yield Fraction(spending.MOVED) * (Sa + Sb), bound
    whole = Fraction(integer_sums.SENSITIVITY) ** 2
    yield Fraction(spending.MOVED) * whole, proved_bound("eq_2_7_row", tau=integer_sums.GRID)


def of_filter(rng, count):
    """Yield the pairs of the paper's mechanism: k^2 phi over the kernel's frequencies beside its proved form."""
    kernels = [(8, 1.0, 1.0), (64, 0.3, 0.5), *((16, *row) for row in rng.uniform(0.1, 1, (count, 2)))]
    for m, rho, alpha in kernels:
        eigenvalues = [Fraction(float(one)) for one in bounds.spectrum(m, rho, alpha)]
        phi = [eigenvalues[0], eigenvalues[-1], Fraction(1, 100)]
        *_, claimed = RkhsPaper._spectra({"rho": rho, "alpha": alpha, "phi": [float(one) for one in phi]}, m)
        for found, f in zip(claimed, phi, strict=True):
            shares = (evaluated(FILTER, {"l": eigenvalue, "phi": f}) for eigenvalue in eigenvalues)
            yield Fraction(float(found)) ** 2, max(shares)
        yield Fraction(float(claimed[0])) ** 2, proved_bound("eq_3_7_square")  # met where phi is an eigenvalue


FILTER = r"Theorem eq_3_7_square :.*?->\s*(l / [^<>]*?) <="


def of_coordinates(rng, count):
    """Yield the pairs of the squared length of a face whose coordinates all lie at the ends of their ranges."""
    for mu, half in fractions(rng, count, 2):
        shape, half = (2, 3, 4), float(half)
        limits = SimpleNamespace(lower=np.full(shape, -half), upper=np.full(shape, half))
        made = Pointwise.from_settings(CurveSettings(shape, 10, limits, np.zeros(shape), {"mu_total": float(mu)}, {}))
        at_ends = (Fraction(float(one)) * Fraction(half) for one in made.gain.flat)
        yield sum(one**2 for one in at_ends), proved_bound("eq_3_9", mu=Fraction(float(mu)))


def of_stages(rng, count):
    """Yield the pairs of what the stages of changes and asymmetries spend together, and what is claimed of them."""
    for made in cases.make_differences().values():
        faces = isinstance(made, ShapedWithSpread)
        stages = [mu for *_, mu in made.noise_stages()] if faces else [made.first, made.spread_mu, made.mean_budget]
        spent = sum(Fraction(float(mu)) ** 2 for mu in stages)
        yield Fraction(made.mu if faces else made.cost().mu) ** 2, spent
        yield spent, proved_bound("eq_14_6", mu=Fraction(made.cost().mu))


TIES = {  # by whether it is exact
    of_means: True,
    of_whole_numbers: True,
    of_moment: False,
    of_each_sum: False,
    of_model: True,
    of_growth: False,
    of_discrete_law: False,
    of_gradients: True,
    of_frechet_means: False,
    of_budgets: False,
    of_movers: True,
    of_filter: False,
    of_coordinates: False,
    of_stages: False,
}


FORMULAS = {  # of the code, by the tie that compares them
    of_means: [(one, "sensitivity") for one in (CurveMechanism, gaussian.Gaussian, of_landmarks.DeviationMechanism)],
    of_whole_numbers: [(integer_sums, "SENSITIVITY")],
    of_moment: [(private_center.PrivateCenter, "moment_sensitivity")],
    of_each_sum: [(integer_sums.Moments, "alone")],
    of_model: [(integer_sums, "joint_square")],
    of_growth: [(GrowthMoments, "joint")],
    of_discrete_law: [(integer_sums, "eta")],
    of_gradients: [(sensitivity, "gradient_rounding")],
    of_frechet_means: [(sensitivity, "mean_sensitivity")],
    of_budgets: [(spending, "_find_worst")],
    of_movers: [(spending, "MOVED")],
    of_filter: [(bounds, "filters")],
    of_coordinates: [(Pointwise, "from_settings")],
    of_stages: [(ShapedWithSpread, "mu"), (ShapesWithSpread, "spread_mu")],
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


def with_less_gain(made):
    """Return a mechanism whose coordinates are a hundredth shorter."""
    return replace(made, gain=made.gain * 0.99)


def smaller(formula):
    """Return a function, a property or a number that says a hundredth less."""
    if isinstance(formula, property):
        return property(smaller(formula.fget))
    if isinstance(formula, classmethod):
        return classmethod(lambda cls, *given: with_less_gain(formula.__func__(cls, *given)))
    if callable(formula):
        return lambda *given, **named: formula(*given, **named) * 99 / 100
    return formula * 99 // 100 if isinstance(formula, int) else formula * 0.99
