"""Attacks on the mechanisms for mean curves: clip, encode, sum, noise and decode as in a release, many times over.

All people but one lie at one end of the mechanism's worst pair; the last one lies there or at the other end, so that
clipping leaves a pair of neighbours exactly 2 bound apart. The coordinates of a release are independent Gaussians whose
mean and variance the attacker knows: the statistic is their log likelihood ratio.

An attack on both stages of `shaped` at once asks how far people lie, then takes the release with the bound that follows
from it. The person who is replaced lies at half the bound in one data set and at sixteen times the bound, on the other
side, in its neighbour: the first stage moves by its whole sensitivity, and the second does where the bound was halved,
as it is for people who all lie there. The statistic is the log likelihood ratio of the noised answer
and, given the bound that follows from it, of the noised coordinate in which the two differ.
"""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.audit import attack
from shapedp.privacy import integer_sums
from shapedp.privacy.curves import bounds
from shapedp.privacy.curves.base import CurveMechanism
from shapedp.privacy.curves.learned import noised_spread_answer, spread_integers
from shapedp.privacy.learned import face_learning
from shapedp.privacy.learned.clips import SHORTEST, WIDEST, SpreadAnswer
from shapedp.privacy.learned.face_variation import Variation, public_lengths
from shapedp.privacy.statistic import Rows
from shapedp.releases import curve_mechanisms

SHAPE = (2, 3, 8)
PEOPLE = 10
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
# The paper's; its rates of error are near 7 %, which few draws bound well.
MU = 2.9661


@dataclass(frozen=True)
class World:
    """A mechanism and the exact integer sum (J * 3 * m,) that it adds noise to."""

    mechanism: CurveMechanism
    sums: np.ndarray

    @classmethod
    def from_people(cls, mechanism, people):
        """Return the World of these people's curves (n, J, 3, m)."""
        return cls(mechanism, integer_sums.sum_people(mechanism, Rows.of(people).read, PEOPLE))


def make_mechanism(name):
    """Return the mechanism to attack, called `name`, at MU-GDP, with public bounds of random curves."""
    if name == "shaped":
        return _make(name, learn_variation(), np.zeros(SHAPE), MU)
    people = draw_public_people()
    public_bounds = bounds.from_population(Rows.of(people).read, len(people), np.zeros(SHAPE), 0.9, 1.2, "audit", True)
    mechanism = _make(name, public_bounds, np.zeros(SHAPE), MU)
    return mechanism if mechanism.mu == MU else _make(name, public_bounds, np.zeros(SHAPE), MU**2 / mechanism.mu)


def draw_public_people():
    """Return (40, J, 3, m) curves of a population of random ones."""
    return 0.1 * np.random.default_rng(1).normal(size=(40, *SHAPE))


def learn_variation():
    """Return how made-up public people vary, for the mechanisms under attack that learn from a public set."""
    people = draw_public_people()
    learned = face_learning.learn(Rows.of(people).read, len(people), np.zeros(SHAPE), 8, 2)
    guesses = {"quantile": 0.9, "assumed_mean_shift": 1.0, "assumed_shift_outside_modes": 1.0}
    return Variation(center=np.zeros(SHAPE), **vars(learned), **guesses, source="audit", public=True)


def _make(name, limits, reference, mu):
    """Return the mechanism called `name` for the audit's people, with these bounds, reference and mu."""
    return curve_mechanisms.make(name, SHAPE, PEOPLE, limits, reference, {"mu_total": mu}, KERNEL)


def make_worst_pair(mechanism):
    """Return two Worlds that differ in one person, at one end of the mechanism's worst pair or at the other."""
    first, second = mechanism.worst_pair()
    return [World.from_people(mechanism, np.stack([first] * (PEOPLE - 1) + [last])) for last in (first, second)]


def draw_ratios(pair, source, draws):
    """Return the log likelihood ratios (draws,) of outputs on either side, the best statistic to tell a pair apart by.

    Coordinates, those of the first world's mechanism, are independent: one long vector is many releases, and those in
    which the pair agrees, which tell nothing, are left without noise.

    Parameters
    ----------
    pair : two Worlds
        Neighbours.
    source : SecureNoise or SeededNoise
        The noise.
    draws : int
        Outputs of either side.
    """
    decoder, places = pair[0].mechanism, np.flatnonzero(pair[0].sums != pair[1].sums)
    laws, outputs = [], []
    for world in pair:
        mechanism, sums, step = world.mechanism, world.sums, world.mechanism.bound / integer_sums.GRID / PEOPLE
        points = (sums * step, np.full(sums.size, mechanism.noise / PEOPLE), np.zeros(sums.size))
        at = [
            decoder.recover_coordinates(mechanism.decode(u.reshape(mechanism.coordinates))).ravel()[places]
            for u in points
        ]
        laws.append((at[0], at[1] - at[2]))
        # Coordinates in which the pair agrees tell nothing and stay without noise.
        u, repeated = np.zeros((draws, sums.size)), np.tile(sums[places], draws)
        noised, _ = integer_sums.noised_mean(
            repeated, mechanism.bound, PEOPLE, 2 * mechanism.bound / mechanism.noise, source
        )
        u[:, places] = noised.reshape(draws, -1)
        released = mechanism.decode(u.reshape(draws, *mechanism.coordinates))
        outputs.append(decoder.recover_coordinates(released).reshape(draws, -1)[:, places])
    lengths = [[(((y - mean) / sd) ** 2).sum(axis=1) for mean, sd in laws] for y in outputs]
    return [(first - second) / 2 for first, second in lengths]


def attack_mechanism(name, source, draws):
    """Return (claim, lower bound on mu) of a mechanism as it is."""
    mechanism = make_mechanism(name)
    return mechanism.mu, attack.bound_privacy_loss(*draw_ratios(make_worst_pair(mechanism), source, draws)).mu


def measure_mechanism(name):
    """Return (claim, what it is in truth) of a mechanism of mean faces, for the audit: its mu, computed exactly.

    The truth is the distance of its worst pair's sums over the noise.
    """
    mechanism = make_mechanism(name)
    first, second = make_worst_pair(mechanism)
    return mechanism.mu, float(np.linalg.norm(first.sums - second.sums)) * (
        mechanism.bound / integer_sums.GRID
    ) / mechanism.noise


def make_controls():
    """Yield mechanisms that break their claim, which an audit that sees anything must catch: (words, claim, pair)."""
    mechanism = make_mechanism("matched_joint")
    weaker = [
        replace(world, mechanism=replace(mechanism, noise=mechanism.noise / 2)) for world in make_worst_pair(mechanism)
    ]
    yield "half the noise", mechanism.mu, weaker
    coordinates = [mechanism.gain * bounds.coefficients(person - mechanism.center) for person in mechanism.worst_pair()]
    sums = [np.rint(u.ravel() * (integer_sums.GRID / mechanism.bound)).astype(np.int64) for u in coordinates]
    yield "clipping off", mechanism.mu, [World(mechanism, sum_of_data) for sum_of_data in sums]
    # tau is the largest norm in the data, as in the paper: the person who is ten times as far out as anybody makes the
    # noise ten times as large
    people = 0.1 * np.random.default_rng(2).normal(size=(PEOPLE, *SHAPE))
    pair = []
    for factor in (1.0, 10.0):
        data = np.concatenate([people[:-1], factor * people[-1:]])
        data_bounds = bounds.from_population(Rows.of(data).read, PEOPLE, np.zeros(SHAPE), 1.0, 1.0, "data", False)
        pair.append(World.from_people(_make("matched", data_bounds, None, MU), data))
    yield "bound from the data", pair[0].mechanism.mu, pair


TWO_STAGE_PEOPLE = 20
# Of the bound: where the first stage answers as little, and as much, as a person can make it.
NEAR, FAR = -0.999 * SHORTEST, 1.001 * WIDEST


def make_two_stages():
    """Return `shaped` with both its stages, MU-GDP together."""
    variation, budget = learn_variation(), {"mu_total": MU}
    return curve_mechanisms.make("shaped", SHAPE, TWO_STAGE_PEOPLE, variation, np.zeros(SHAPE), budget, KERNEL)


def make_two_stages_pair(mechanism):
    """Return curves (2, J, 3, m) of the one person in whom the neighbours differ, by as much as two stages let through.

    All other people are like the first.
    """
    deviation = mechanism.bound / mechanism.gain[0] * mechanism.axes[0].astype(float)
    return mechanism.center + np.multiply.outer([NEAR, FAR], deviation)


def measure_two_stages(scale=SHORTEST):
    """Return (claim, what it is in truth) of a release that first asks how far people lie, for the audit: its mu.

    The truth is of both stages together, computed exactly; nothing is drawn.

    `scale` : how many times as wide the first stage makes the bound
    """
    mechanism = make_two_stages()
    stages = (_first_stage_integers(mechanism), _second_stage_integers(mechanism, scale))
    distances = [np.linalg.norm(first - second) / integer_sums.GRID for first, second in stages]
    return mechanism.mu, float(
        np.hypot(mechanism.first * distances[0], mechanism.bound * distances[1]) / integer_sums.NOISE
    )


def draw_two_stage_ratios(mechanism, source, draws):
    """Return log likelihood ratios (draws,) of releases by both stages, for either data set, to tell them apart by."""
    n, ratios = TWO_STAGE_PEOPLE, []
    openings = ((n - 1) * _first_stage_integers(mechanism)[0] + _first_stage_integers(mechanism)).ravel()
    lengths = public_lengths(mechanism.variation, mechanism.plan) / mechanism.plan.tau
    first_mean, second_mean = (openings / integer_sums.GRID / n + 1) / 2
    step = mechanism.bound / integer_sums.GRID / n
    for side in (0, 1):
        answers, _ = noised_spread_answer(np.repeat(openings[side], draws), n, mechanism.first, source)
        scales = (
            SpreadAnswer(answer, 1 / (n * mechanism.first), mechanism.plan).scale_from_lengths(lengths)
            for answer in answers
        )
        second = np.array([_second_stage_integers(mechanism, scale)[:, 0] for scale in scales])
        sums = (n - 1) * second[:, :1] + second
        noised, _ = integer_sums.noised_mean(sums[:, side], mechanism.bound, n, mechanism.bound, source)
        first_ratio = _log_likelihood_ratio(answers, first_mean, second_mean, 1 / (n * mechanism.first))
        second_ratio = _log_likelihood_ratio(noised, step * sums[:, 0], step * sums[:, 1], mechanism.noise / n)
        ratios.append(first_ratio + second_ratio)
    return ratios


def _first_stage_integers(mechanism):
    """Return whole numbers (2, 1) of the pair in the first stage."""
    return spread_integers(mechanism.lengths(make_two_stages_pair(mechanism)))


def _second_stage_integers(mechanism, scale):
    """Return whole numbers (2, k) of the pair in the second stage, the bound `scale` times as wide."""
    return mechanism.clipped_to(mechanism.plan.widened(scale)).integers(make_two_stages_pair(mechanism))


def _log_likelihood_ratio(values, first, second, sd):
    """Return by how much more likely values are under the second mean, in the logarithm, for noise of one sd."""
    return (((values - first) / sd) ** 2 - ((values - second) / sd) ** 2) / 2
