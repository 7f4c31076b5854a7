"""The mean face asked several times, each time with people clipped about what the noised answers before told.

The stages are those of a mean difference (`differences.ShapedWithSpread`): how far people lie about the reference; a
first mean; how far people lie about that, and how many lie much farther than others; and two further means. Their
sensitivities and proofs are the same, for they are of rows about a public reference, whatever these stand for. What all
answers tell together is then drawn to the public people's mean as far as noise hides where the cohort's lies.

A cohort that lies off the public mean is clipped about its own, and loses nothing on one side. A few slow harmonics are
asked with the modes, although public people hardly differ in them: they cost next to no noise, and a cohort that does
differ in them shows.

With few people, or little mu, an early answer tells nothing; then the mean is asked once (`is_asked_again`).

A cohort that is seen to lie off may lie off where nothing is released, too: along modes as many times chance as a
typical part of the released ones, and beyond the harmonics as much as along the faster half of these. One that lies off
along harmonics differs as public people do not: the clip took of it what they do not tell exactly, and where noise
hides that everybody lies far, nearly all. All this is in the stated error. As likely as a cohort is unlike the public
people, noise counts as if nothing were drawn to their mean. Where some people are told to lie far on the side on which
the mean is seen to lie, as a minority does, what the clip took of them is put back, and stated as far as it is in doubt
(`learned.far_losses`). Where people have heavy tails instead (`learned.cohort_kinds`), the bound is raised for these,
the answers are weighed by what their clips take, and that is stated.

Proofs: docs/mathematics.md, (11.12) to (11.14), (14.6) to (14.8).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.privacy import worth
from shapedp.privacy.curves import learned
from shapedp.privacy.differences import FORMULA, ShapedWithSpread, combined_noise_sd
from shapedp.privacy.learned import (
    clips,
    cohort_kinds,
    face_variation,
    far_losses,
    heavy_tails,
    likely_shares,
    mean_forecasts,
    noised_means,
)
from shapedp.privacy.proofs import Proofs

# n times mu, from which the mean is asked several times: below it an early answer tells nothing.
ENOUGH = 25.0
# Degrees of a chi-square that is known as well as the squared errors of such a mean are: to a fifth.
KNOWN_DEGREES = 40.0
# Of what is put back of people who lie far is what it may err by.
DOUBT = 0.2
# Probability that far people lie each on a side of their own, though the cohort has no heavy tails.
SCATTERED = 0.5
# Probability of heavy tails from which on they are told; and times the bound, to which it may be raised for them.
TOLD_HEAVY, HEAVY_FACTORS = 0.5, np.array([1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0])


def is_asked_again(n: int, mu: float, planned_for: int | None) -> bool:
    """Tell whether a mean face is asked several times, so that later clips lose less: with enough people and budget.

    Each time people are clipped about what earlier answers told. It is asked once where these people are a part of a
    pooled mean, as its other parts are.

    Parameters
    ----------
    n : int
        People, public.
    mu : float
        Of the whole release.
    planned_for : int or None
        How many people will be pooled, where these are a part of them.
    """
    return planned_for is None and n * mu >= ENOUGH


def _noise_square(variation, plan, budget):
    """Return the squares (k,) of the noise of one answer, in lengths on the face; budget : n times its mu."""
    return (2 * plan.tau / budget) ** 2 * plan.weights / clips.find_left_by_clipping(variation, plan) ** 2


@dataclass(frozen=True)
class RecentredMean(ShapedWithSpread):
    """The mechanism for a mean face that is asked several times; see the module.

    whole_mean : ((k,) mean, (k,) errors, (k,) what of these is noise) by all answers together, before anything is drawn
    to the public mean; None before the last answer
    w, heavy : what is told of how far people lie about their first mean, and how likely they have heavy tails by it;
    None before that is asked
    """

    whole_mean: tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]] | None = None
    w: float | None = None
    heavy: float | None = None

    proofs = Proofs(
        ("11 and 14", "test_differences"), machine_checked=("2.5", "4.1", "4.3", "11.1", "11.4", "14.2", "14.6", "14.8")
    )
    name = "shaped_again"
    label = "shaped like public people, asked again"
    words = (
        "Gaussian noise on the whole mean face at once, shaped as public faces differ, asked three times, each time "
        "with people clipped about what the answers before told; with noise of their own three answers besides: how "
        "far they lie beside public people, where there are enough of them, how far they lie about their mean, and "
        "how many lie much farther from it than others"
    )
    formula = FORMULA.format(turned="half a round as 1 - 1/|u| is of 15/16, |u| from 1 to 16")

    # Times the bound, at most, that far people may raise it: more is put back with less error than its noise would be.
    most_raised = 2.0
    states_doubt = False
    far_scale = clips.FAR_IN_MEANS
    # Fewer of a cohort lie far than of people some of whom respond.
    far_share = 0.06
    is_drawn_to_public = True
    # Of a few people w says so little that it would often take them for much farther apart than they are.
    doubted_sds = 1.5
    doubted_nearer_sds = 1.5
    on_one_side = 0.35

    @classmethod
    def from_settings(cls, settings: Any) -> "RecentredMean":
        """Return what `ShapedWithSpread.from_settings` returns, on axes that hold slow harmonics."""
        return cls._planned(settings, settings.bounds.for_means_asked_again)

    def with_spread_answer(self, answer: NDArray[np.float64]) -> "RecentredMean":
        """Return the mechanism as `ShapedWithSpread` does; it knows w, too."""
        return replace(super().with_spread_answer(answer), w=float(answer[0]))

    def with_far_answer(self, answer: NDArray[np.float64]) -> "RecentredMean":
        """Return the mechanism with the bound raised, where it pays, for people who lie far or have heavy tails.

        Both answers to how people lie tell of them together.
        """
        plan = self.at_full_bound.plan
        errors = self.earlier_means.center_errors
        answers = cohort_kinds.Answers(
            n=self.n,
            w=self.w,
            direction=answer,
            w_sd=1 / (self.n * self.spread_mu),
            direction_sd=2 / (self.n * self.far_mu),
            off=(errors @ errors / self.largest, float(np.sum((errors / plan.scales) ** 2)) / plan.tau**2),
        )
        people = clips.list_people_about_mean(self.variation, plan)
        heavy, far_people = cohort_kinds.find_likely_kinds(
            answers, people, plan, self.far_scale, self.earlier_means.scale
        )
        return replace(self, heavy=heavy)._with_bound_for(far_people)

    def _with_bound_for(self, far_people):
        """Return the mechanism with the bound for these FarPeople, or for heavy tails where these are told."""
        mechanism = super()._with_bound_for(far_people)
        if not mechanism._has_heavy_tails:
            return mechanism
        lost = [float(mechanism._find_lost_squares(factor * mechanism.clip_reach).sum()) for factor in HEAVY_FACTORS]
        factor = HEAVY_FACTORS[np.argmin(mechanism.plan.noise * HEAVY_FACTORS**2 + self.heavy * np.array(lost))]
        return replace(mechanism, far_factor=float(factor)).with_spread_scale(mechanism.earlier_means.scale)

    @property
    def _has_heavy_tails(self):
        """Return whether it is told that people have heavy tails, and not that some lie far together."""
        return self.heavy is not None and self.heavy >= TOLD_HEAVY and not self._knows_far_people

    @property
    def tells_far_people(self) -> bool:
        return self._knows_far_people or self._has_heavy_tails

    def _find_lost_squares(self, reach):
        """Return the squares (k,) by which a mean errs for what a clip of some reach takes of people of heavy tails."""
        plan = self.plan.widened(reach / self.clip_reach)
        people = clips.list_people_about_mean(self.variation, plan)
        return plan.scales**2 * heavy_tails.find_lost_squares(people, plan, self.earlier_means.scale) / self.n

    def combine_answers(self, answers: tuple) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the one mean (k,) that several noised Answers tell together, and its errors (k,).

        Where heavy tails are told, answers are weighed with what each of their clips takes of these; what that does to
        the mean is stated beside.
        """
        if not self._has_heavy_tails:
            return super().combine_answers(answers)
        weights, _ = self._weigh_answers(answers)
        squares = np.array([answer.errors**2 for answer in answers])
        mean = np.sum(weights * [answer.mean for answer in answers], axis=0)
        return mean, np.sqrt(np.sum(weights**2 * squares, axis=0))

    def _weigh_answers(self, answers):
        """Return weights (a, k) of answers of people with heavy tails, and squares (a, k) of what their clips take."""
        lost = np.array([self._find_lost_squares(answer.clip_reach) for answer in answers])
        precisions = 1 / (np.array([answer.errors**2 for answer in answers]) + self.heavy * lost)
        return precisions / precisions.sum(axis=0), lost

    @property
    def origin(self) -> NDArray[np.float64]:
        """Return where the public mean lies along the axes (k,)."""
        return noised_means.find_public_mean(self.variation, self.plan)

    def worth(self) -> Any:
        """Return whether the mean face is expected to be nearer to people's own than the public reference alone."""
        return worth.judge_mean_face(
            self.variation, replace(self.plan, noise=float(self.expected_noise_squares().sum())), self.n
        )

    def expected_noise_squares(self) -> NDArray[np.float64]:
        """Return the squares (k,) of the noise to expect on all means together, for forecasts: public numbers alone.

        It is of people like the public ones.
        """
        first_mu, *later_mus = (*self.early_mus, self.bound)
        variation, spread = self.variation, face_variation.public_spread(self.variation, self.plan)
        first_plan = clips.replan(variation, self.plan, self.n, 1.0) if self.first else self.plan
        first_square = _noise_square(variation, first_plan, self.n * first_mu)
        # What is known of the center errs by the first answer's noise, but no more than chance would have it.
        center_squares = np.minimum(first_square, spread * (1 / self.n + 1 / variation.people))
        distance_square = 1 + float(center_squares.sum() / spread.sum())
        later_squares = [
            distance_square * _noise_square(variation, self.plan_about_mean, self.n * mu) for mu in later_mus
        ]
        return 1 / np.sum([1 / square for square in (first_square, *later_squares)], axis=0)

    def forecast_errors(self) -> tuple[float, float]:
        """Return (noise, bias), squared per point, that a forecast states for a cohort like the public set.

        They are as of `mean_forecasts.forecast_squares`.
        """
        variation, plan, n = self.variation, self.plan_about_mean, self.n
        noise = mean_forecasts.forecast_noise(variation, plan, n, self.expected_noise_squares())
        return noise, mean_forecasts.forecast_unreleased(variation, plan, n)

    def decoder_for(self, mean_coordinates: NDArray[np.float64]) -> "RecentredMean":
        """Return what turns the last answer into the released mean: all means together, shrunk as noise hides them."""
        # a pooled mean is corrected as it is made
        if self.whole_mean is not None:
            return self
        if self.earlier_means is None:
            return super().decoder_for(mean_coordinates)
        mechanism = super().decoder_for(mean_coordinates)
        answers = mechanism._with_answer(mean_coordinates).answers
        noise = mechanism.errors
        if not mechanism._has_heavy_tails:
            # What is stated as noise is never more than the whole error.
            noise = np.minimum(combined_noise_sd(answers), noise)
        mean, errors = mechanism._put_back_far(mechanism.mean_shift, mechanism.errors, noise)
        decoder = mechanism.shrink_to_public(mean, errors, noise, mechanism.earlier_means.scale)
        if mechanism._knows_far_people:
            return decoder
        if not mechanism._has_heavy_tails:
            return replace(decoder, errors=np.sqrt(mechanism._with_untold(decoder.errors**2)))
        lost = mechanism._lost_of_all(answers)
        return replace(
            decoder,
            whole_mean=(mean, np.sqrt(errors**2 + mechanism.heavy * lost), noise),
            errors=np.sqrt(mechanism._with_heavy_tails(decoder.errors**2, lost)),
        )

    def _lost_of_all(self, answers):
        """Return the squares (k,) by which a mean of heavy tails errs for what the clips of all Answers take."""
        weights, lost = self._weigh_answers(answers)
        # all take of the same people
        return np.sum(weights * np.sqrt(lost), axis=0) ** 2

    def _with_untold(self, squares):
        """Return squares (k,) by which a mean errs with what a clip may have taken of people of whom nothing is told.

        They may be some who lie far; or the cohort may have heavy tails. The more counts.
        """
        lost = self._find_lost_squares(self.clip_reach)
        untold = self._scattered_square(np.zeros_like(self.earlier_means.far_people.shares)) * self._share_out(lost)
        return np.maximum(squares + untold, self._with_heavy_tails(squares, lost))

    def _with_heavy_tails(self, squares, lost):
        """Return the geometric mean of squares (k,) alone and with what clips take of heavy tails (k,).

        Each counts as much as it is likely.
        """
        return squares * (1 + lost / np.maximum(squares, 1e-300)) ** self.heavy

    def _share_out(self, lost):
        """Return the shares (k,) of what a clip takes of people who lie far, wherever they do, as of heavy tails."""
        if not lost.any():
            # of somebody hardly beyond the bound
            lost = np.mean((self._people / self.plan.weights) ** 2, axis=0)
        return lost / lost.sum()

    def _scattered_square(self, explained):
        """Return the square on the face that a clip is expected to have taken of people who lie far on any side."""
        plan = self.at_full_bound.plan
        unit = plan.tau * clips.length_on_face(self._people, plan)
        loss = far_losses.find_scattered_loss(self.earlier_means.far_people, explained, self.n, self.clip_reach / unit)
        return SCATTERED * unit**2 * loss

    def _put_back_far(self, mean, errors, noise):
        """Return a mean (k,), with what the clip took of a far minority put back, and its errors (k,).

        The minority lies on the side on which the mean is seen to lie. noise : (k,) what of the errors is noise
        """
        if not self._knows_far_people:
            return mean, errors
        earlier, plan, away = self.earlier_means, self.at_full_bound.plan, mean - self.origin
        own_squares = earlier.scale**2 * np.mean(self._people**2, axis=0)
        parts = likely_shares.group_axes(self.variation, self.plan)
        sure_shares = likely_shares.find_shares_beyond_chance(away, self._chance(earlier.scale), noise**2, parts)
        loss = far_losses.find_one_sided_loss(earlier.far_people, sure_shares * away, own_squares, self.plan, plan)
        random = self._scattered_square(loss.explained) * self._share_out(self._find_lost_squares(self.clip_reach))
        squares = noise**2 + random + loss.errors**2 + (DOUBT * loss.taken) ** 2
        return mean + loss.taken, np.sqrt(squares)

    def describe_far_people(self) -> tuple[float, float] | None:
        """Return what a statement says of people who lie far: their share, and how much the mean may err for them.

        The latter is a length in the unit of the surface, by what the clip took; None where nobody is told to lie far.
        Once corrected.
        """
        if not self._knows_far_people:
            return None
        _, errors, noise = self.whole_mean
        return self.earlier_means.far_people.share, float(np.sqrt(np.sum(errors**2 - noise**2)))

    @property
    def _knows_far_people(self):
        """Return whether it is told that some lie far."""
        earlier = self.earlier_means
        return earlier is not None and earlier.far_people is not None and earlier.far_people.is_told

    def _chance(self, scale):
        """Return the variances (k,) by which a mean lies off the public one by chance alone, to tell more than that.

        scale : how many times as far as public people these lie
        """
        spread = scale**2 * self.variation.falling_variances[self.plan.axes]
        return spread * (1 / self.n + 1 / self.variation.people)

    def shrink_to_public(
        self, mean: NDArray[np.float64], errors: NDArray[np.float64], noise: NDArray[np.float64], scale: float
    ) -> "RecentredMean":
        """Return the decoder of a mean with less error: moved to the public mean as far as noise hides where it lies.

        Noise alone decides how much is drawn to the public mean. What a clip may have taken is no reason for that: it
        took from what is seen, and is stated beside.

        Parameters
        ----------
        mean : (k,) float
            Lengths along the axes.
        errors : (k,) float
            Standard deviations by which they err.
        noise : (k,) float
            What of these is noise.
        scale : float
            How many times as far as public people from theirs these lie about it.
        """
        # heavy tails lie farther than they are told to, and their mean lies off by that much more chance
        wide = scale
        if self.heavy is not None and not self._knows_far_people:
            wide *= np.sqrt(1 + (heavy_tails.SPREAD - 1) * self.heavy)
        shrinkage = noised_means.shrink_to_public(self.variation, self.plan, self.n, mean, noise, wide)
        away, chance, parts = (
            mean - self.origin,
            self._chance(scale),
            likely_shares.group_axes(self.variation, self.plan),
        )
        is_harmonic = self.plan.axes >= len(self.variation.modes)
        excess = likely_shares.find_shares_beyond_chance(away, chance, errors**2, parts)
        # put back once more than noise says, where public people tell least of what the clip took, unless that is told
        stated_excess = 0.0 if self._knows_far_people else excess * is_harmonic
        # As likely as the mean lies off by more than chance, what is drawn to the public one errs by all of the noise.
        unlike = likely_shares.find_probability_beyond_chance(away, chance, noise**2, parts) * ~is_harmonic
        drawn = (1 - unlike) * shrinkage.errors**2 + unlike * np.maximum(shrinkage.errors, noise) ** 2
        squares = (1 + stated_excess) ** 2 * (drawn + errors**2 - noise**2)
        untold = 0.0
        if is_harmonic.any():
            seen = away[is_harmonic]
            # that it lies off there is as sure as noise leaves it, whatever a clip may have taken
            sure = seen * likely_shares.find_shares_beyond_chance(away, chance, noise**2, parts)[is_harmonic]
            untold = noised_means.find_untold_square(self.variation, seen, sure, 2 / (self.n * self.far_mu))
            doubted = squares[is_harmonic]
            if self._knows_far_people:
                doubted = noised_means.limit_doubt(doubted, noise[is_harmonic] ** 2, sure)
            squares[is_harmonic] = np.maximum(doubted, untold / len(seen))
        unreleased = face_variation.describe_unreleased(self.variation, self.plan, self.n, wide)
        return replace(
            self,
            whole_mean=(mean, errors, noise),
            mean_shift=shrinkage.moved,
            errors=np.sqrt(squares),
            shrink_shares=(float(shrinkage.shares.min()), float(shrinkage.shares.max())),
            unreleased=noised_means.with_unseen(
                self.variation, self.plan, unreleased, excess * away, chance, parts, untold
            ),
        )

    @property
    def mean_along(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return lengths (k,) of the mean along the axes and the sd of each, before it is drawn to the public mean.

        They are what is pooled, and tested for whether these people are unlike public ones; once corrected.
        """
        mean, errors, _ = self.whole_mean
        return mean, errors

    def differs_from_public_set(self, mean_coordinates: NDArray[np.float64]) -> bool | None:
        """Return whether all answers together say that the cohort is unlike public people, of which statements warn.

        Once corrected.
        """
        mean, errors = self.mean_along
        if self._knows_far_people:
            # What a clip took of far people is no reason to doubt that a mean lies off.
            _, _, errors = self.whole_mean
        is_mode = self.plan.axes < len(self.variation.modes)
        plain_mean = noised_means.RestoredMean(0.0, mean / self.plan.scales, errors / self.plan.scales, np.ones(1), 1.0)
        if noised_means.differs_from_public_mean(
            self.variation, self.plan, self.n, plain_mean, 0.0, is_mode, known=KNOWN_DEGREES
        ):
            return True
        return bool(learned.differs_from_public(self.variation, self.plan, self.n, mean, errors, known=KNOWN_DEGREES))
