"""The mean of people's differences, changes or asymmetries, shaped as public differences are, and how far people lie
about it.

How far they lie is one number, in the metric of the face or of the shape:

    w = sum_i r_i u_i^2/tau^2, r_i = sqrt(l_i)/max sqrt(l), u clipped to tau: between 0 and 1 whatever a record holds

Its mean over people, released with a share of mu^2 of its own, gives E|x|^2 along the released axes, tau^2 max sqrt(l)
times the mean of w; less the square of the mean, from which the noise's is taken off, that is the variance of people
about their mean (`about_mean`). Of asymmetries it is what biologists call fluctuating asymmetry; of any difference it
says how large chance in who takes part is. One person moves the sum of 2w - 1 by at most 2.

People's changes lie all on one side of none. So the mean of a difference of faces is asked several times, each time
with people clipped about what the noised answers before told (`ShapedWithSpread`), and w about the first of these; of
landmarks it is asked once, after w (`ShapesWithSpread`). Where some people change much more than others, a clip takes
nearly all that they add. So it is asked, too, how many lie how far from the first mean (`FarShares`), and later bounds
follow. Every stage has noise of its own and is planned from public
numbers and noised answers, so that the stages compose.

Proofs: docs/mathematics.md, (14.2), (14.6) to (14.8).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.privacy import integer_sums, worth
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.curves import learned
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.integer_sums import GRID
from shapedp.privacy.learned import clips, face_variation, noised_means
from shapedp.privacy.shapes import learned as of_landmarks
from shapedp.privacy.statistic import BoundedSum, Sums

SHARE = 0.03  # of mu^2: the noise of the mean grows by 1.5 %
FAR = 0.08  # of mu^2, for how many lie much farther than others: the noise grows by 4 %
LEFT = 0.7  # of the noise of a mean that is clipped higher, beside an earlier one, which bears less
EARLY = 0.15, 0.25  # of what is left of mu^2 for all means of a difference of faces, of those before the last
SURE = 1 / 3  # of the square that is expected to be lost where none are told to lie far: that doubt is mostly false
EXPECTED = 1.0  # standard deviations of people: who asks for a mean difference expects one
STAGES = "mean", "squares", "far", "mean", "mean"  # asked one after the other, once it is told how far people lie


def about_mean(
    square: float, noise: float, mean: NDArray[np.float64], errors: NDArray[np.float64]
) -> tuple[float, float]:
    """(variance of people about their mean, standard deviation of the noise on it): square less |mean|^2, of which the
    noise's own is taken off. square : E|x|^2 and its noise; mean (k,) with noise errors (k,)

    With m what the mean stands for, E mean_i^2 = m_i^2 + e_i^2, and its variance is 4 m_i^2 e_i^2 + 2 e_i^4.
    """
    squares = mean**2 - errors**2
    of_mean = noise_of_square(squares, errors)
    return max(square - float(squares.sum()), 0.0), math.hypot(noise, of_mean)


def noise_of_square(squares: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """Standard deviation of the noise on a mean's square, of its coordinates' squares without noise (k,), and errors
    (k,).
    """
    return math.sqrt(4 * max(float(squares @ errors**2), 0.0) + 2 * float(np.sum(errors**4)))


class WithSpread:
    """What both mechanisms share. squares : mu of the stage that asks for w; largest : E|x|^2 where w is 1."""

    @property
    def noise_of_squares(self) -> float:
        """Standard deviation of the noise on E|x|^2."""
        return self.largest / (self.n * self.squares)


@dataclass(frozen=True)
class ShapedWithSpread(WithSpread, Shaped):
    """squares, far, early : mu of the stages that ask for w, for how many lie far, and, one after the other, for early
    means that are still to be asked; seen : what those told that were, None before them; near : the Choice for people
    who are clipped about a mean that is known, and lie as far from it as public people from theirs.
    """

    squares: float = 0.0
    far: float = 0.0
    early: tuple[float, ...] = ()
    seen: "Seen | None" = None
    near: face_variation.Choice | None = None
    raised: float = 1.0  # times the bound, as far people told

    most_raised = np.inf  # times the bound
    # whether what far people may lose is stated where it is likelier that nobody lies far: who asks for a change
    # expects that some respond
    states_doubt = True
    later_noise = LEFT
    on_one_side = 1.0  # probability that people who lie far all lie where the mean does, as who responds does
    settled_sd = None  # of several means, each of which bears noise of its own
    towards_public = False  # a difference that is found is these people's, not the public ones'
    name = "shaped_with_spread"
    label = "shaped, with people's spread"
    words = (
        "Gaussian noise on the whole mean difference at once, shaped as public people differ, asked three times, each "
        "time with people clipped about what the answers before told; with noise of their own three answers besides: "
        "how far they lie beside public people, where there are enough of them, how far they lie about their mean, and "
        "how many lie much farther from it than others, whom the bound follows"
    )
    formula = (
        "2 tau/n for the whole face in the norm sqrt(sum over axes of u^2), records clipped to tau, three times: "
        "about none, and twice about what answers before told, with norms and tau that follow from them; before it 1/n "
        "for the mean of log(2|u|/tau)/(3 log 2) + 2 log(|u|/tau)/(3 log 16), each logarithm kept from 0 to where |u| "
        "is tau and 16 tau, where that is asked, from which norms and bounds follow, and between them 1/n for the mean "
        "of |x|^2/(tau^2 max sqrt(l)), which lies between 0 and 1, and 2/n for the mean of a direction in the plane, "
        "turned by as much of half a round as log|u| is on its way from 1.25 to 16 times the bound"
    )

    @classmethod
    def of(cls, asked: Any) -> Any:
        """As of Shaped, with what the squares leave of mu, parted between the two means."""
        return cls._planned(asked, asked.bounds.of_differences)

    @classmethod
    def _planned(cls, asked: Any, known: face_variation.Variation) -> Any:
        """The mechanism planned with what is known of public people."""
        mu = float(asked.budget["mu_total"])
        squares, far = math.sqrt(SHARE) * mu, math.sqrt(FAR) * mu
        rest = math.sqrt(mu**2 - squares**2 - far**2) * (1 - integer_sums.DIGITS)
        made = super().of(replace(asked, bounds=known, budget={"mu_total": rest}))
        early = tuple(math.sqrt(share) * made.bound for share in EARLY)
        last = math.sqrt(1 - sum(EARLY)) * made.bound * (1 - 2 * integer_sums.DIGITS)
        near = clips.about_a_mean(made.variation, made.chosen, made.n)
        return replace(made._with_budget(last), claimed=mu, squares=squares, far=far, early=early, near=near)

    def _with_budget(self, mu):
        return replace(self, bound=mu).clipped_to(self.chosen)

    @property
    def mu(self) -> float:
        return math.hypot(super().mu, self.squares, self.far, *self.early)

    def draws(self) -> list[tuple]:
        others = (1, self.squares), (2, self.far), *((self.width, mu) for mu in self.early)
        return [*((count, integer_sums.SENSITIVITY, mu) for count, mu in others if mu), *super().draws()]

    def inputs(self, kernel_settings: Mapping[str, Any]) -> dict[str, Any]:
        early, *others = self.early
        stages = self.first, early, self.squares, self.far, *others, self.bound
        return super().inputs(kernel_settings) | {"w": [(one / self.mu) ** 2 for one in stages]}

    def worth(self) -> Any:
        """Return what `Shaped.worth` returns, with two changes: the noise is that of the combined means, and the mean
        difference of the cohort is taken to be one standard deviation of people (`EXPECTED`).
        """
        expected = replace(self.variation, assumed_mean_shift=max(self.variation.assumed_mean_shift, EXPECTED))
        return worth.of_face(expected, replace(self.chosen, noise=self.noise_foretold()), self.n)

    def noise_foretold(self) -> float:
        """Square of the noise at a point, where people lie about none as public ones do."""
        shown, *_ = self.foreseen(self._people)
        return float(np.sum(shown.errors_along**2))

    def stage(self, answers: tuple) -> Any:
        """How far people lie, where that is asked; an early mean; w; who lies far; another early mean; the mean."""
        if self.first and not answers:
            return learned.Reach(self)
        place = len(answers) - bool(self.first)
        if place == len(STAGES):
            return None
        settled = self.settled(answers)
        asked = {"squares": settled.of_squares, "far": settled.of_far, "mean": settled.early_mean}
        return asked[STAGES[place]]() if place < len(STAGES) - 1 else replace(settled, squares=0.0, far=0.0)

    def settled(self, answers: tuple) -> "ShapedWithSpread":
        """With the bound that follows from how far people lie, and about where early means told that they do."""
        before = int(bool(self.first))
        made = super().settled(answers[:before])
        for kind, answer in zip(STAGES[:-1], answers[before:], strict=False):
            made = {"squares": made.spread_told, "far": made.far_told, "mean": made.centred}[kind](answer)
        return made

    def early_mean(self) -> "ShapedWithSpread":
        """The next stage that asks for an early mean."""
        spent, *_ = self.early
        return replace(self._with_budget(spent), early=(), squares=0.0, far=0.0)

    def centred(self, answer: NDArray[np.float64]) -> "ShapedWithSpread":
        """The mechanism that clips people about what this answer to `early_mean` tells, beside those before it."""
        made = replace(self, early=self.early[1:], seen=self.early_mean()._seen(answer))
        if self.seen is not None:
            return made.bounded(self.seen.scale)
        scale = 1.0 if self.told is None else max(1.0, self.told.about(made.seen.about, made.seen.off, self._people))
        made = made.bounded(scale)
        whole = clips.about_quantile(self.variation, self.chosen)
        return replace(made, whole=made.clipped_to(whole.widened(made.farther)))

    def spread_told(self, answer: NDArray[np.float64]) -> "ShapedWithSpread":
        """The mechanism with the bound that follows from the answer, w of people's squares."""
        asked = self.variation, self.whole.chosen, float(answer[0]), 1 / (self.n * self.squares), self.seen.off
        return self.bounded(clips.scale_by_squares(*asked))

    def far_told(self, answer: NDArray[np.float64]) -> "ShapedWithSpread":
        """The mechanism with the bound that makes the least of noise and of what the clip takes of who lies far."""
        whole, people = self.whole.chosen, self.seen.scale * self._people
        lengths = np.hypot(
            np.linalg.norm(people / whole.scales, axis=1) / whole.tau,
            np.linalg.norm(self.seen.off / whole.scales) / whole.tau,
        )
        found = clips.FarPeople.from_answer(answer, 2 / (self.n * self.far), lengths)
        made = replace(self, seen=replace(self.seen, far=found))
        tried = clips.GREATER[self.most_raised >= clips.GREATER]
        together, alone = made.lost(made.reach * tried)
        expected = self.later_noise * made.chosen.noise * tried**2 + together + alone
        raised = float(tried[np.argmin(expected)]) if found.is_told else 1.0
        made = replace(made, raised=raised)
        return made.bounded(made.seen.scale)

    @property
    def reach(self) -> float:
        """How far from what was seen people are clipped, in lengths on the face, as public people's turn into these."""
        return self.chosen.tau * clips.length_on_face(self._people, self.chosen)

    def lost(self, reaches: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Expected squares, on the face, of what a clip that reaches so far takes of the mean: see `FarPeople.lost`."""
        whole = self.whole.chosen
        unit = whole.tau * clips.length_on_face(self._people, whole)
        about = self.seen.about - self.nobody
        likely = np.hypot(about, self.seen.off)
        seen, away = (float(np.linalg.norm(one / whole.scales)) / whole.tau for one in (about, likely))
        together, alone = self.seen.far.lost(np.asarray(reaches) / unit, self.n, away, seen)
        # far people on one side lie where the mean is seen to lie: there a bound is so long on the face
        beyond = self._beyond_chance(about)
        leads = float(np.linalg.norm(beyond) / np.linalg.norm(beyond / whole.scales)) * whole.tau
        return self.on_one_side * leads**2 * together, unit**2 * alone

    def _beyond_chance(self, about):
        """(k,) what of a mean (k,) is more than twice what chance and its errors explain, by parts of the axes; all of
        it where none is.
        """
        spread = self.seen.scale**2 * face_variation.public_spread(self.variation, self.chosen)
        chance = spread * (1 / self.n + 1 / self.variation.people) + self.seen.off**2
        excess = noised_means.share_beyond_chance(about, chance, noised_means.alike(self.variation, self.chosen))
        return excess * about if excess.any() else about

    @property
    def nobody(self) -> NDArray[np.float64]:
        """(k,) where people lie along the axes who do not respond: at none."""
        return np.zeros(len(self.chosen.axes))

    def together(self, answers: tuple) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """((k,) mean, (k,) errors) of Answers, by their precision.

        Each errs by its noise and by what its clip took of who lies far: along where these people's mean is seen to
        lie, if far people lie on one side, and otherwise as people differ. So an answer that was clipped low says much
        of all directions but that, and one that was clipped high of that.
        """
        means, squares = np.array([one.mean for one in answers]), np.array([one.errors**2 for one in answers])
        # where nobody is told to lie far nothing is counted for it: most of the little doubt that is left is false
        if self.seen is None or self.seen.far is None or not self.seen.far.is_told:
            return _by_precision(means, squares)
        lost, people = [self.lost(one.reach) for one in answers], np.mean(self._people**2, axis=0)
        along, alone = np.array(lost).T
        squares = squares + alone[:, None] * people / people.sum()
        leads, sure, beside = self._leading(means, squares, along)
        squares, along = squares + ((1 - sure) * along)[:, None] * beside, sure * along
        lengths = means @ leads
        mean, errors = _by_precision(means - np.outer(lengths, leads), squares)
        by_answer = squares @ leads**2 + along
        # an answer that lies off the last in this direction by more than twice that was clipped there
        by_answer[:-1] += np.maximum((lengths - lengths[-1]) ** 2 - 4 * (by_answer + by_answer[-1]), 0.0)[:-1]
        of_all = 1 / np.sum(1 / by_answer)
        mean += leads * (of_all * np.sum(lengths / by_answer) - leads @ mean)
        more = max(of_all - float(errors**2 @ leads**2), 0.0)
        return mean, np.sqrt(errors**2 + leads**2 * more)

    def _leading(self, means, squares, along):
        """((k,) the direction of length 1 in which these people's mean is seen to lie, noise taken off; share of its
        square that is sure; (k,) shares of the rest along the axes).
        """
        squares = squares + along[:, None] * self.chosen.moments / self.chosen.moments.sum()
        noise = 1 / np.sum(1 / squares, axis=0)
        mean = noise * np.sum(means / squares, axis=0)
        spread = face_variation.public_spread(self.variation, self.chosen)
        likely = spread / self.n * (1 + noised_means.FAR[:, None, None])
        shares, _ = noised_means.likely_kept(mean, likely, noise, noised_means.alike(self.variation, self.chosen))
        leads, doubt = shares * mean, shares * noise
        seen, open_ = float(leads @ leads), float(doubt.sum())
        return leads / max(math.sqrt(seen), 1e-300), seen / (seen + open_), doubt / open_

    def bounded(self, scale: float) -> "ShapedWithSpread":
        """The mechanism with the bound for people who lie so many times as far as public ones from their mean."""
        made = replace(self, seen=replace(self.seen, scale=scale))
        return made.clipped_to(self.near.widened(made.farther * self.raised))

    @property
    def farther(self) -> float:
        """How many times as far as public people from their mean these lie from what was seen of theirs."""
        off = float(np.sum(self.seen.off**2)) / np.mean(np.sum(self._people**2, axis=1))
        return math.hypot(self.seen.scale, math.sqrt(off))

    @property
    def _people(self):
        """(2p, k) public people's lengths along the axes about their mean."""
        return self.chosen.scales * clips.around(self.variation, self.chosen)

    def _seen(self, answer):
        """The Seen of this answer and those before it."""
        if self.seen is None:
            (u, _), along = self.in_units(answer), self.chosen.scales
            drawn, plain = self.restored(answer, True), self.restored(answer, False)
            about, off = along * (drawn.factors * u + drawn.moved), along * drawn.errors
            first = Answer(along * (plain.factors * u + plain.moved), along * plain.errors, self.reach)
            return Seen((first,), about, off, plain.undone, at_first=about)
        *told, undone = self._about_seen(answer)
        answers = (*self.seen.answers, Answer(*told, self.reach))
        about, off = self.together((Answer(self.seen.about, self.seen.off, answers[-2].reach), answers[-1]))
        return replace(self.seen, answers=answers, about=about, off=off, undone=max(undone, self.seen.undone))

    def _about_seen(self, answer):
        """((k,) lengths of the mean along the axes, (k,) errors, by what factor at most the clip was put back) as told
        by this answer alone, of people who were clipped about what was seen.
        """
        along, seen = self.chosen.scales, self.seen
        u, sd = self.in_units(answer)
        people = seen.scale * clips.around(self.variation, self.chosen)
        found = noised_means.put_back(self.chosen, u, sd, people, seen.off / along)
        return seen.about + along * (found.factors * u + found.moved), along * found.errors, found.undone

    def uneven(self) -> tuple[float, float] | None:
        """(share of people who lie far, root mean square length that the clip may have taken of the mean in the unit of
        the surface), once it is corrected; None where nobody is told to.
        """
        if not self.seen.far.is_told:
            return None
        return self.seen.far.share, math.sqrt(float(sum(self.lost(self.reach))))

    def away(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """From where early means told that people lie, once they are asked; whose row is no face, or so far off that
        its length is no number, counts as no difference.
        """
        along = super().away(curves)
        if self.seen is None:
            return along
        with np.errstate(over="ignore", invalid="ignore"):
            told = np.isfinite(np.linalg.norm(along, axis=-1, keepdims=True))
        return np.where(told, along, 0.0) - self.seen.about

    def corrected(self, mean_coordinates: NDArray[np.float64]) -> "ShapedWithSpread":
        """What decodes the noised mean: all means together, by their noise, each with what the clip took put back."""
        if self.seen is None:
            return super().corrected(mean_coordinates)
        seen = self._seen(mean_coordinates)
        mean, errors = self.together(seen.answers)
        if self.states_doubt and not seen.far.is_told:
            errors = self._with_doubt(mean, errors)
        return replace(self, back=np.zeros_like(self.back), moved=mean, errors=errors, undone=seen.undone)

    def _with_doubt(self, mean, errors):
        """(k,) errors of a mean (k,), with what is expected to be lost of far people although none are told of."""
        along, alone = (SURE * one for one in self.lost(self.reach))
        people = np.mean(self._people**2, axis=0)
        squares = errors**2 + alone * people / people.sum()
        leads, sure, beside = self._leading(mean[None], squares[None], np.array([along]))
        return np.sqrt(squares + along * (sure * leads**2 + (1 - sure) * beside))

    def unlike(self, mean_coordinates: NDArray[np.float64]) -> bool | None:
        """Whether both means together say that these people differ as public ones do not; once corrected."""
        return learned.differs_from_public(self.variation, self.chosen, self.n, *self.mean_along)

    def of_far(self) -> "FarShares":
        """The stage that asks how many lie far about the first mean, at the bound that is not lowered."""
        return FarShares(self.whole.lengths, self.n, self.far, self.whole.at_once)

    def of_squares(self) -> "Squares":
        """The stage that asks for w, at the bound that is not lowered: a lower clip would hide some of the spread."""
        whole = self.whole or self
        return Squares(whole.integers, whole.chosen.weights, self.n, self.squares, whole.at_once)

    def spread(self, answers: tuple) -> tuple[float, float]:
        """(variance of people about their mean, standard deviation of the noise on it), both at a point in squared
        lengths of a unit-area face, along the released axes, from all noised answers.
        """
        return self.settled(answers[:-1])._spread(
            answers[-1], float(answers[bool(self.first) + STAGES.index("squares")][0])
        )

    def _spread(self, answer, w):
        seen = self._seen(answer)
        mean, errors = self.together(seen.answers[1:])
        return about_mean(self.largest * w, self.noise_of_squares, mean - seen.at_first, errors)

    def foreseen(
        self, people: NDArray[np.float64]
    ) -> tuple["ShapedWithSpread", tuple[NDArray, ...], tuple[float, float]]:
        """(settled and corrected, answers, `spread`) of people (p, k), lengths along the axes, were no noise drawn."""

        def mean(made):
            clip, about = made.chosen, 0.0 if made.seen is None else made.seen.about
            kept = clips.nearest((people - about) / clip.scales, clip.tau, clip.weights)
            return kept.mean(axis=0) * made.bound / clip.tau

        answers, made = [], self
        if self.first:
            lengths = np.linalg.norm(people / self.chosen.scales, axis=1) / self.chosen.tau
            answers.append(np.array([clips.reach(lengths).mean()]))
            made = self.settled(tuple(answers))
        for kind in STAGES[:-1]:
            whole = None if made.whole is None else made.whole.chosen
            if kind == "mean":
                answers.append(mean(made.early_mean()))
                made = made.centred(answers[-1])
            elif kind == "squares":
                kept = clips.nearest((people - made.seen.about) / whole.scales, whole.tau, whole.weights)
                w = np.mean(kept**2 @ whole.weights) / made.largest
                answers.append(np.array([w]))
                made = made.spread_told(answers[-1])
            else:
                lengths = np.linalg.norm((people - made.seen.about) / whole.scales, axis=1) / whole.tau
                answers.append(clips.directions_of_lengths(lengths).mean(axis=0))
                made = made.far_told(answers[-1])
        answers.append(mean(made))
        return made.corrected(answers[-1]), tuple(answers), made._spread(answers[-1], w)

    @property
    def mean_along(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """(k,) lengths of the mean along the axes, and the standard deviations by which they err; once corrected."""
        return self.moved, self.errors_along

    @property
    def largest(self) -> float:
        """E|x|^2 at a point where w is 1, in squared lengths of a unit-area face."""
        chosen = (self.whole or self).chosen
        return chosen.tau**2 * float(chosen.weights.max())


def _by_precision(means, squares):
    """((k,) mean, (k,) errors) of answers (a, k) by their precision, with squares (a, k) of their errors, which are
    larger as far as an answer differs from the last, which was clipped nearest to its mean, by more than both err.
    """
    more = np.mean((means - means[-1]) ** 2 / (squares + squares[-1]), axis=1)
    squares = squares * np.maximum(1.0, more)[:, None]
    whole = 1 / np.sum(1 / squares, axis=0)
    return whole * np.sum(means / squares, axis=0), np.sqrt(whole)


def by_noise(answers: tuple["Answer", ...]) -> NDArray[np.float64]:
    """(k,) errors of answers taken together by the precision of their noise alone."""
    return np.sqrt(1 / np.sum([one.errors**-2 for one in answers], axis=0))


@dataclass(frozen=True)
class Answer:
    """mean (k,) of people as an answer told it, in lengths along the axes, nothing of which is drawn to none; errors
    (k,) of its noise; reach : how far the clip reached, on the face.
    """

    mean: np.ndarray
    errors: np.ndarray
    reach: float


@dataclass(frozen=True)
class Seen:
    """What means told so far: answers; about (k,), which is drawn to none, for people to be clipped about, and off
    (k,), its errors; undone : by what factor at most the clip was put back; scale : how many times as far as public
    people from theirs these lie about it; at_first : the first about; far : who lies far, None before that is told.
    """

    answers: tuple[Answer, ...]
    about: np.ndarray
    off: np.ndarray
    undone: float
    scale: float = 1.0
    at_first: np.ndarray | None = None
    far: clips.FarPeople | None = None


@dataclass(frozen=True)
class ShapesWithSpread(WithSpread, of_landmarks.Shaped):
    """The same of landmark shapes, whose mean and spread are in radian and of the whole shape."""

    far = 1.2  # what the clip takes of them is not put back
    name = ShapedWithSpread.name
    label = ShapedWithSpread.label
    words = (
        "Gaussian noise on the mean of the shapes' differences, shaped as public shapes vary, after two numbers with "
        "noise of their own: how far people lie beside public ones, where there are enough of them, and how far they "
        "lie about their mean"
    )
    formula = (
        "2 tau/n in the norm of the coordinates of a difference, records clipped to tau; before it 1/n for the mean of "
        "log(2|u|/tau)/(3 log 2) + 2 log(|u|/tau)/(3 log 16), each logarithm kept from 0 to where |u| is tau and "
        "16 tau, where that is asked, and 1/n for the mean of |x|^2/(tau^2 max sqrt(l)), which lies between 0 and 1"
    )

    def stage(self, answers: tuple) -> Any:
        """How far people lie, where that is asked; w; the mean."""
        if self.first and not answers:
            return learned.Reach(self)
        settled, rest = self.settled(answers), len(answers) - bool(self.first)
        return (settled.of_squares, lambda: settled)[rest]() if rest < 2 else None

    @property
    def squares(self) -> float:
        """mu of the stage that asks for w."""
        return math.sqrt(SHARE) * self.budget["mu_total"]

    def spent(self, n: int, whole: float) -> tuple[float, float]:
        return learned.spent_by_stages(n, math.sqrt(1 - SHARE) * whole * (1 - integer_sums.DIGITS))

    def cost(self) -> Cost:
        stages = (1, self.first), (1, self.squares), (self.coordinates.count, self.amount)
        asked = ((count, integer_sums.SENSITIVITY, mu) for count, mu in stages if mu)
        return integer_sums.gaussian_cost(self.budget["mu_total"], *asked)

    def inputs(self) -> dict[str, Any]:
        stages = self.first, self.squares, self.amount
        shares = [(one / self.budget["mu_total"]) ** 2 for one in stages]
        return {"n": self.n, "r": self.ball.r, "p": self.ball.modes, "w": shares}

    def of_squares(self) -> "Squares":
        found = self.coordinates
        return Squares(found.integers, found.roots**2, self.n, self.squares)

    def spread(self, answers: tuple) -> tuple[float, float]:
        """(variance of people about their mean, standard deviation of the noise on it), radian^2, along the released
        axes, from all noised answers.
        """
        settled = self.settled(answers)
        mean = settled.coordinates.roots * answers[-1]
        square = settled.largest * float(answers[-2][0])
        return about_mean(square, settled.noise_of_squares, mean, settled.errors_along)

    @property
    def largest(self) -> float:
        found = self.coordinates
        return float((found.choice.clip * found.roots.max()) ** 2)


@dataclass(frozen=True)
class Squares(BoundedSum):
    """The mean of w; see the module.

    coordinates : people's rows as whole numbers, none longer than GRID; roots : square roots of the moments along
    them; mu : of this stage; at_once : people whose coordinates are taken at a time
    """

    coordinates: Callable[[NDArray], NDArray[np.int64]]
    roots: NDArray[np.float64]
    n: int
    mu: float
    at_once: int = BoundedSum.at_once

    width = 1

    def integers(self, rows: NDArray[np.float64], beside: None = None) -> NDArray[np.int64]:
        """(b, 1) GRID (2w - 1) of people's rows, cut towards zero to whole numbers."""
        w = np.minimum((self.coordinates(rows) / GRID) ** 2 @ (self.roots / self.roots.max()), 1.0)
        return np.trunc(GRID * (2 * w - 1)).astype(np.int64)[:, None]

    def noised(self, sums: Sums, source: Any) -> NDArray[np.float64]:
        """(1,) the mean of w with noise."""
        mean, _ = integer_sums.noised_mean(sums.values[0], self.mu, self.n, self.mu, source)
        return (mean / self.mu + 1) / 2

    def cost(self) -> Cost:
        return Cost(GAUSSIAN, mu=self.mu)


@dataclass(frozen=True)
class FarShares(BoundedSum):
    """Who lies far: the means of cosine and sine of `clips.directions_of_lengths`, two numbers a person.

    lengths : of people's rows, in units of the bound; mu : of this stage; at_once : people taken at a time
    """

    lengths: Callable[[NDArray], NDArray[np.float64]]
    n: int
    mu: float
    at_once: int = BoundedSum.at_once

    width = 2

    def integers(self, rows: NDArray[np.float64], beside: None = None) -> NDArray[np.int64]:
        """(b, 2) GRID times cosine and sine, cut towards zero; whose length is no number counts as near."""
        lengths = self.lengths(rows)
        directions = clips.directions_of_lengths(np.where(np.isfinite(lengths), lengths, 0.0))
        return integer_sums.integers(directions, 1.0)

    def noised(self, sums: Sums, source: Any) -> NDArray[np.float64]:
        """(2,) the means with noise."""
        mean, _ = integer_sums.noised_mean(sums.values[0], self.mu, self.n, self.mu, source)
        return mean / self.mu

    def cost(self) -> Cost:
        return integer_sums.gaussian_cost(self.mu, (self.width, integer_sums.SENSITIVITY, self.mu))
