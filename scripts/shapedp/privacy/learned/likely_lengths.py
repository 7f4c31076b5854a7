"""How far the people of a model likely lie, by its noised answers: how wide, with which tails, and some far together.

A model's clip takes of how people differ, and of where a few lie who lie far. The noised mean of squares of clipped
people does not say how much: people who are a little wider answer the same as people of heavy tails. How many lie far,
which is asked beside (`differences.FarShares`), tells them apart. So kinds of cohort are set beside each other, each
made of public people about the noised mean, and weighed by Bayes' rule; what the clip left of each kind is known.
docs/mathematics.md, (12.11).
"""

from dataclasses import dataclass

import numpy as np
import scipy

from shapedp.privacy.learned import clips, heavy_tails
from shapedp.privacy.learned.face_variation import public_spread
from shapedp.privacy.learned.noised_means import UNSURE, find_public_mean

# Degrees of the t laws of how far people lie, none for that of public people; and their weights beforehand.
TAILS, LIKELY_TAILS = (None, 3, 4, 6, 10), np.array([0.77, 0.16, 0.04, 0.02, 0.01])
# How many times as far as public people the middle of a cohort may lie, and what the logarithm of that spreads by.
WIDTHS, WIDTHS_SPREAD = np.geomspace(0.5, 2.5, 60), 0.25
# Weight beforehand that some lie far together; their shares, and how many times the bound.
FAR = 0.3
SHARES, TIMES = (grid.ravel() for grid in np.meshgrid(np.geomspace(0.02, 1.0, 18), np.geomspace(1.2, 8.0, 20)))
# The power of the distance with which far people are less likely beforehand.
RARER = 1.5
# Standard deviations by which directions lie off those of the kinds that are thought of, which are few.
COARSE = 0.007
# Probability that people who lie far together lie where the mean is seen to, up to this share of people (more than that
# are the cohort itself); and how far out a clip leaves them, in lengths of the bound.
SEEN, MINORITY, LEFT_AT = 0.9, 0.5, np.linspace(0.6, 1.1, 11)
# Probability that a cohort lies off altogether, by lengths of the bound that fall off so.
OFF, OFF_AT = 0.4, np.linspace(0.0, 3.0, 301)
# Times what was put back of a mean, that may have been taken of it; what their logarithm spreads by; and how likely
# directions are, by area, if they tell of something else.
TAKEN, TAKEN_SPREAD, OTHERWISE = np.geomspace(0.2, 10.0, 120), 0.6, 0.05
# Times as far as public people, at which it is known what clips leave of people.
REACHES = np.geomspace(0.05, 40.0, 70)
# An answer of another laboratory's file may be any number; farther answers say no more than this.
FARTHEST = 1e3
LEAST = 1e-12
# Of what is put back of people's standard deviation is what it may err by: public people stand for these.
DOUBT = 0.1


@dataclass(frozen=True)
class ModelAnswers:
    """What the noised answers of a model of n people say of how far they lie; lengths are u.

    mean, errors : (k,) what the clip took put back, and by how much that errs; squares : of the clipped people's first
    `leading` coordinates, on average, and the sd of its noise; direction : (2,) of lengths about the reference, and the
    sd of its noise
    """

    n: int
    mean: np.ndarray
    errors: np.ndarray
    squares: tuple[float, float]
    leading: int
    direction: tuple[np.ndarray, float]


@dataclass(frozen=True)
class LikelyLengths:
    """Which kinds of cohort are likely, and what the clip leaves of each.

    probabilities : (t, w) of TAILS and WIDTHS; far : (w, f) of some who lie far together, among people of each width;
    together : (f,) how likely these lie where the mean is seen to
    parts : (t, w, r) how many of a kind lie so many times as far as public people, one of REACHES
    people, clipped : (p, q'), (r, p, q') leading coordinates of public people about their mean, and of people so many
    times as far about the cohort's, once they are clipped
    """

    probabilities: np.ndarray
    far: np.ndarray
    together: np.ndarray
    parts: np.ndarray
    people: np.ndarray
    clipped: np.ndarray

    @property
    def heavy_probability(self):
        """Return the probability of heavier tails than public people's."""
        return float(self.probabilities[1:].sum())

    @property
    def far_people(self):
        """Return the clips.FarPeople who lie far where the mean is seen to."""
        likely = self.far.sum(axis=0) * self.together
        return clips.FarPeople(likely, SHARES, TIMES, clips.FAR_IN_MEANS.threshold)

    def find_spread_left(self, along):
        """Return the factors from clipped people's standard deviations along modes to people's, and how these differ.

        Parameters
        ----------
        along : (q', c) array
            What each leading coordinate counts along each mode.

        Returns
        -------
        factors, doubts, kurtosis : (c,) float
            doubts : by how much the factors err; kurtosis : of clipped people.
        """
        weights = self.probabilities.copy()
        # of who lies far together, the others tell how people differ
        weights[0] += self.far.sum(axis=1)
        public = (self.people @ along).std(axis=0)
        clipped = self.clipped @ along
        about = clipped - clipped.mean(axis=1, keepdims=True)
        means, squares, fourths = (
            np.tensordot(self.parts, part.mean(axis=1), axes=1) for part in (clipped, about**2, about**4)
        )
        between = np.tensordot(self.parts, clipped.mean(axis=1) ** 2, axes=1) - means**2
        factors = _find_spreads()[:, :, None] * public / np.sqrt(squares + np.maximum(between, 0.0))
        expected = np.tensordot(weights, factors, axes=2)
        if self.heavy_probability > clips.FAR_IN_MEANS.threshold:
            doubts = np.sqrt(np.tensordot(weights, (factors - expected) ** 2, axes=2))
        else:
            # mean distances, not squares: of these, what is hardly likely but far would be nearly all
            doubts = np.tensordot(weights, np.abs(factors - expected), axes=2)
        doubts = np.hypot(doubts, DOUBT * (expected - 1))
        return expected, doubts, np.tensordot(weights, fourths / squares**2, axes=2)


def scale_taken(variation, plan, answers, moved):
    """Return how many times what was put back of a mean was taken of it, as lengths tell it, and by how much that errs.

    A clip leaves of people who all lie beyond the bound little but the direction: that tells hardly how far they lie,
    and their lengths do.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    answers : ModelAnswers
        Of the model.
    moved : (k,) array
        What was put back.

    Returns
    -------
    times, error : float
    """
    people = clips.list_people_about_mean(variation, plan)
    noise_square = float(np.sum(answers.errors**2))
    centers = answers.mean + (TAKEN[:, None] - 1) * moved
    # |center + person|^2 of every pair
    squares = np.sum(centers**2, axis=1)[:, None] + 2 * centers @ people.T + np.sum(people**2, axis=1)
    lengths = np.sqrt(np.maximum(squares - noise_square, 0.0)) / plan.tau
    directions = clips.to_directions(lengths, clips.FAR_IN_MEANS)
    (direction, sd), means = answers.direction, directions.mean(axis=1)
    about = directions - means[:, None]
    covariances = np.einsum("tpi,tpj->tij", about, about) / len(people) / answers.n + (sd**2 + COARSE**2) * np.eye(2)
    scores = _score(np.clip(direction, -FARTHEST, FARTHEST) - means, covariances) - np.log(2 * np.pi)
    likely = (np.exp(scores) + OTHERWISE) * np.exp(-0.5 * (np.log(TAKEN) / TAKEN_SPREAD) ** 2)
    likely /= likely.sum()
    times = float(likely @ TAKEN)
    return times, float(np.sqrt(likely @ (TAKEN - times) ** 2))


def weigh_lengths(variation, plan, clip, answers):
    """Return the LikelyLengths that noised answers leave.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    plan : ReleasePlan
        The released axes and their bound.
    clip : callable
        As of `noised_means.restore_mean`.
    answers : ModelAnswers
        Of the model.
    """
    public, leading = clips.list_people_about_mean(variation, plan), answers.leading
    # mirror images say the same of lengths
    people = public[: len(public) // 2]
    clipped, rows = [], []
    # the noise on the mean about which people are taken to lie lengthens them
    noise_square = float(np.sum(answers.errors**2))
    for times in REACHES:
        at = answers.mean + times * people
        lengths = np.sqrt(np.maximum(np.sum(at**2, axis=1) - noise_square, 0.0)) / plan.tau
        kept = clip(at, plan.tau, plan.weights)[:, :leading]
        clipped.append(kept)
        rows.append(np.column_stack([np.sum(kept**2, axis=1), clips.to_directions(lengths, clips.FAR_IN_MEANS)]))
    parts, rows = _list_parts(), np.array(rows)
    means = np.tensordot(parts, rows.mean(axis=1), axes=1)
    products = np.einsum("rpi,rpj->rij", rows, rows) / len(people)
    covariances = np.tensordot(parts, products, axes=1) - means[..., :, None] * means[..., None, :]
    (squares, squares_sd), (direction, direction_sd) = answers.squares, answers.direction
    answer = np.append(squares, np.clip(direction, -FARTHEST, FARTHEST))
    noise = [squares_sd**2 + (UNSURE * squares) ** 2, *[direction_sd**2 + COARSE**2] * 2]
    covariances = covariances / answers.n + np.diag(noise)
    elsewhere, seen = _weigh_seen(variation, plan, answers)
    widths = np.exp(-0.5 * (np.log(WIDTHS) / WIDTHS_SPREAD) ** 2)
    beforehand = np.log(widths / widths.sum())
    likely = _score(answer - means, covariances) + np.log(LIKELY_TAILS)[:, None] + beforehand + np.log(elsewhere)
    # who lies far is not among the leading coordinates' squares but as one of the others
    of_far = means[0][:, None].repeat(len(SHARES), axis=1)
    of_far[:, :, 1:] += SHARES[:, None] * (clips.to_directions(TIMES, clips.FAR_IN_MEANS) - of_far[:, :, 1:])
    rarer = TIMES**-RARER
    together, anywhere = SEEN * seen, (1 - SEEN) * elsewhere
    far = _score(answer - of_far, covariances[0][:, None]) + beforehand[:, None]
    far = far + np.log(FAR * rarer / rarer.sum()) + np.log(together + anywhere)
    probabilities = scipy.special.softmax(np.append(likely, far))
    return LikelyLengths(
        probabilities=probabilities[: likely.size].reshape(likely.shape),
        far=probabilities[likely.size :].reshape(far.shape),
        together=together / (together + anywhere),
        parts=parts,
        people=people[:, :leading],
        clipped=np.array(clipped),
    )


def _score(off, covariances):
    """Return logarithms (...) of how likely answers are that lie off (..., 3) what is expected, up to a constant."""
    squares = np.sum(off * np.linalg.solve(covariances, off[..., None])[..., 0], axis=-1)
    return -0.5 * (squares + np.linalg.slogdet(covariances)[1])


def _weigh_seen(variation, plan, answers):
    """Return how likely it is that the mean is seen where it is: of cohorts without far people, and (f,) with them.

    A share of people who lie far on one side moves the mean by so much of the bound. Others hardly ever move it by just
    that.
    """
    errors = answers.errors**2 + public_spread(variation, plan) / plan.weights * (1 / answers.n + 1 / variation.people)
    away = np.square(answers.mean - find_public_mean(variation, plan) / plan.scales)
    square = (away.sum() - errors.sum()) / plan.tau**2
    sd = np.sqrt(2 * np.sum(errors**2) + 4 * np.sum(errors * np.maximum(away - errors, 0.0))) / plan.tau**2

    def find_likelihood(lengths):
        """Return (...) how likely the mean is seen so far off, if it lies off by such lengths of the bound."""
        return np.exp(-0.5 * ((square - lengths**2) / sd) ** 2)

    falling = np.exp(-2 * OFF_AT)
    elsewhere = (1 - OFF) * find_likelihood(0.0) + OFF * find_likelihood(OFF_AT) @ falling / falling.sum()
    of_share = find_likelihood(SHARES[:, None] * LEFT_AT).mean(axis=1)
    return elsewhere + LEAST, of_share * (SHARES <= MINORITY) + LEAST


def _list_parts():
    """Return (t, w, r) how many of each kind lie so many times as far as public people, one of REACHES."""
    parts, places = np.zeros((len(TAILS), len(WIDTHS), len(REACHES))), np.log(REACHES)
    for tail, freedom in enumerate(TAILS):
        times, shares = (np.ones(1), np.ones(1)) if freedom is None else heavy_tails.list_times(freedom)
        for width, middle in enumerate(WIDTHS):
            place = np.interp(np.log(middle * times), places, np.arange(len(places)))
            low = np.minimum(place.astype(int), len(places) - 2)
            np.add.at(parts[tail, width], low, shares * (1 - (place - low)))
            np.add.at(parts[tail, width], low + 1, shares * (place - low))
    return parts


def _find_spreads():
    """Return (t, w) people's standard deviation of each kind, over that of public people."""
    tails = [1.0 if freedom is None else np.sqrt(heavy_tails.find_spread(freedom)) for freedom in TAILS]
    return np.outer(tails, WIDTHS)
