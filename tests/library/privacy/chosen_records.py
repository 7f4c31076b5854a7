"""Neighbouring cohorts in which an adversary chose one record: what hypothesis draws, and what is compared."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from shapedp.base.errors import Rejected
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import bounds
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.learned import face_learning
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.manifolds.projective import shape_of
from shapedp.privacy.shapes.base import Ball, as_real
from shapedp.privacy.shapes.learned import DeviationMechanism
from shapedp.privacy.statistic import Rows, ask
from shapedp.releases import curve_mechanisms, shape_mechanisms

LANDMARKS, R, MODES = 8, 0.2, 4
TURN = np.exp(2j * np.pi * np.arange(LANDMARKS) / LANDMARKS)
P0 = shape_of(TURN + 0.3 / TURN + 0.1 * TURN**2)  # an outline in frequencies 1, -1 and 2: in the basis of MODES, too
PLANAR = np.stack([P0.real, P0.imag], axis=-1)
BUDGET = {"mu_total": 1.0, "epsilon": 1.0}
AMPLE = {"mu_total": 100.0, "epsilon": 400.0}  # deviations of 6 people are refused where p0 alone is nearer
OTHERS = 5  # people besides the one who is chosen
FACE = (2, 3, 8)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
ANY = st.floats(allow_nan=True, allow_infinity=True, allow_subnormal=True)
SIZES = st.sampled_from([5e-324, 1e-310, 1e-200, 1e-160, 1e-15, 1.0, 1e9, 1e154, 1e200, 1.7e308])


def _at(base, place, value):
    changed = np.array(base)
    changed.flat[place % changed.size] = value
    return changed


def near(base):
    """Records about a public one: itself, itself with one odd number, scaled, moved far away, all equal, at random."""
    places = st.integers(0, base.size - 1)
    return st.one_of(
        st.just(base),
        st.builds(_at, st.just(base), places, ANY),
        SIZES.map(lambda size: _scaled(base, size)),
        SIZES.map(lambda size: base + size),
        ANY.map(lambda value: np.full(base.shape, value)),
        st.just(base[::-1].copy()),
        arrays.arrays(float, base.shape, elements=ANY),
        arrays.arrays(float, base.shape, elements=st.floats(-1, 1)),
    )


def _scaled(base, size):
    with np.errstate(over="ignore", under="ignore"):
        return base * size


def shape(record):
    """What the command makes of a record: its shape, or p0."""
    try:
        return shape_of(record)
    except Rejected:
        return P0


def made_shape(name, modes):
    budget = AMPLE if issubclass(shape_mechanisms.MECHANISMS[name], DeviationMechanism) else BUDGET
    ball = Ball(OTHERS + 1, P0, R, modes, nothing_public=name == "private_center")
    return shape_mechanisms.make(name, ball, budget)


def has_modes(name):
    """Whether there is anything else than all landmarks."""
    return shape_mechanisms.MECHANISMS[name].in_basis


def shape_people(seed, record):
    """OTHERS people about p0, some at the bound, and the chosen one."""
    rng, space = np.random.default_rng(seed), Ball(OTHERS + 1, P0, R, 0).kendall
    length = R * rng.choice([0.3, 1.0, 1.5], (OTHERS, 1))
    return np.stack([*space.exp(P0, length * space.random_tangent(P0, rng, OTHERS)), shape(record)])


def shape_verdict(made, z):
    """All that an outsider sees but the noised numbers: that there is a release, its form, and what is said of it."""
    drawn = made.published(ask(made, Rows.of(as_real(z)), noise.SeededNoise(0)))
    on_grid = bool(np.array_equal(made.ball.on_grid(drawn), drawn) or np.allclose(made.ball.on_grid(drawn), drawn))
    return drawn.shape, bool(np.isfinite(drawn).all()), on_grid, made.sensitivity(), made.cost(), made.grid()


def made_curves(name, mu=1.0):
    public = 0.1 * np.random.default_rng(1).standard_normal((20, *FACE))
    limits = (_learned if name == Shaped.name else _bounded)(lambda a, b: public[a:b], len(public))
    return curve_mechanisms.make(name, FACE, OTHERS + 1, limits, np.zeros(FACE), {"mu_total": mu}, KERNEL)


def _bounded(read, count):
    return bounds.from_population(read, count, np.zeros(FACE), 0.9, 1.2, "a set", True)


def _learned(read, count):
    found = face_learning.learn(read, count, np.zeros(FACE), 8, 2)
    guesses = {"quantile": 0.9, "assumed_mean_shift": 1.0, "assumed_shift_outside_modes": 1.0}
    return Variation(center=np.zeros(FACE), **vars(found), **guesses, source="a set", public=True)


TEMPLATE = bounds.curves(0.1 * np.random.default_rng(3).standard_normal(FACE))


def curve_people(seed, record):
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [rng.choice([0.05, 0.2, 5.0], (OTHERS, 1, 1, 1)) * rng.standard_normal((OTHERS, *FACE)), record[None]]
    )


def curve_sums(made, people):
    return integer_sums.sum_people(made, lambda start, stop: people[start:stop], len(people))


def stages_verdict(made, people):
    """The same of a release in two stages, whose bound follows from the noised first answer."""
    source = noise.SeededNoise(0)
    settled, sums = integer_sums.ask_first_stage(made, lambda start, stop: people[start:stop], len(people), source)
    drawn = settled.draw(sums, source)
    within = 0.5 <= settled.bound_scale <= 16
    return drawn.shape, bool(np.isfinite(drawn).all()), within, settled.sensitivity(), settled.cost(), settled.grid()


def curve_verdict(made, sums):
    drawn = made.draw(sums, noise.SeededNoise(0))
    return drawn.shape, bool(np.isfinite(drawn).all()), made.sensitivity(), made.cost(), made.grid()
