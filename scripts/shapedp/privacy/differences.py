"""The mean of people's differences, changes or asymmetries, shaped as public differences are, and how far people lie
about it.

How far they lie is one number, in the metric of the face or of the shape:

    w = sum_i r_i u_i^2/tau^2, r_i = sqrt(l_i)/max sqrt(l), u clipped to tau: between 0 and 1 whatever a record holds

Its mean over people, released with a share of mu^2 of its own, gives E|x|^2 along the released axes, tau^2 max sqrt(l)
times the mean of w; less the square of the mean, from which the noise's is taken off, that is the variance of people
about their mean (`variance_about_mean`). Between left and right it is what biologists call fluctuating; of any
difference it says how large chance in who takes part is. One person moves the sum of 2w - 1 by at most 2.

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
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.privacy import integer_sums, worth
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.curves import learned
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.integer_sums import GRID
from shapedp.privacy.learned import clips, face_variation, likely_shares, noised_means
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.shapes import learned as of_landmarks
from shapedp.privacy.statistic import BoundedSum, FollowsFromAnswers, Sums

# Of mu^2, for how far people lie about their mean: the noise of the mean grows by 1.5 %.
SPREAD_SHARE = 0.03
# Of mu^2, for how many lie much farther than others: the noise grows by 4 %.
FAR_SHARE = 0.08
# Of what is left of mu^2 for all means of a difference of faces, of those before the last, which are less exact and say
# where to clip.
EARLY_SHARES = 0.15, 0.25
# Of what the last clip is expected to take of far people who are told, as a square: it is stated on top. Answers that
# are weighed by what their clips take look surer together than they are.
TOLD_DOUBT = 0.25
# Standard deviations of people: who asks for a mean difference expects one.
EXPECTED_MEAN = 1.0
# What moves the sums, and how far; turned : of how much of a round by which length, in words.
FORMULA = (
    "2 tau/n for the whole face in the norm sqrt(sum over axes of u^2), records clipped to tau, three times: "
    "about none, and twice about what answers before told, with norms and tau that follow from them; before it 1/n "
    "for the mean of log(2|u|/tau)/(3 log 2) + 2 log(|u|/tau)/(3 log 16), each logarithm kept from 0 to where |u| "
    "is tau and 16 tau, where that is asked, from which norms and bounds follow, and between them 1/n for the mean "
    "of |x|^2/(tau^2 max sqrt(l)), which lies between 0 and 1, and 2/n for the mean of a direction in the plane, "
    "turned by as much of {turned} times the bound"
)
# Asked one after the other, once it is told how far people lie.
STAGES = "mean", "squares", "far", "mean", "mean"


def variance_about_mean(
    square: float, noise: float, mean: NDArray[np.float64], errors: NDArray[np.float64]
) -> tuple[float, float]:
    """Return people's variance about their mean, to be released beside their mean difference, and its noise's sd.

    Both follow from noised answers. It is the square less |mean|^2, of which the noise's own is taken off. With m what
    the mean stands for and e the errors,
    E mean_i^2 = m_i^2 + e_i^2, and its variance is 4 m_i^2 e_i^2 + 2 e_i^4.

    Parameters
    ----------
    square, noise : float
        E|x|^2 of people as a noised answer has it, and the standard deviation of its noise.
    mean, errors : (k,) float
        The noised mean, and the standard deviations of its noise.
    """
    squares = mean**2 - errors**2
    mean_noise = noise_of_square(squares, errors)
    return max(square - float(squares.sum()), 0.0), math.hypot(noise, mean_noise)


def noise_of_square(squares: NDArray[np.float64], errors: NDArray[np.float64]) -> float:
    """Return the standard deviation of the noise on a mean's square, by which a variance that rests on it errs.

    Parameters
    ----------
    squares : (k,) float
        Squares of its coordinates without noise.
    errors : (k,) float
        Standard deviations of the noise on the coordinates.
    """
    return math.sqrt(4 * max(float(squares @ errors**2), 0.0) + 2 * float(np.sum(errors**4)))


class WithSpread:
    """What both mechanisms share that ask how far people lie about their mean.

    spread_mu : mu of the stage that asks for w; largest : E|x|^2 where w is 1
    """

    @property
    def noise_of_squares(self) -> float:
        """Return the standard deviation of the noise on E|x|^2."""
        return self.largest / (self.n * self.spread_mu)


@dataclass(frozen=True)
class ShapedWithSpread(WithSpread, Shaped):
    """The mechanism for a mean difference of faces, asked for in stages; see the module.

    spread_mu, far_mu : mu of the stages that ask for w and for how many lie far
    early_mus : mu of the early means that are still to be asked, one after the other
    earlier_means : what the means asked before told, None before them
    plan_about_mean : the plan for people who are clipped about a mean that is known, and lie as far from it as public
        people from theirs
    """

    spread_mu: float = 0.0
    far_mu: float = 0.0
    early_mus: tuple[float, ...] = ()
    earlier_means: "EarlierMeans | None" = None
    plan_about_mean: face_variation.ReleasePlan | None = None
    # Times the bound, as far people told.
    far_factor: float = 1.0

    # Times the bound, at most, that far people may raise it.
    most_raised = np.inf
    # whether what far people may lose is stated on top, told or not: who asks for a change expects that some respond
    states_doubt = True
    # standard deviations of w within which people are taken to lie as far from their mean as public ones from theirs
    doubted_sds = 1.0
    # the same of people who seem to lie nearer: they would be clipped lower, and more than is stated
    doubted_nearer_sds = 2.0
    # of mu^2, for how many lie much farther than others
    far_share = FAR_SHARE
    # whether all means together are drawn to the public one
    is_drawn_to_public = False
    # How it is asked who lies far.
    far_scale = clips.FAR_IN_CHANGES
    # Probability that people who lie far all lie where the mean does, as who responds does.
    on_one_side = 1.0
    # Of several means, each of which bears noise of its own, there is no one noise to state.
    settled_sd = None
    # A difference that is seen is these people's, not the public ones'.
    towards_public = False
    proofs = Proofs(
        ("11 and 14", "test_differences"), machine_checked=("2.5", "4.1", "4.3", "11.1", "11.4", "14.2", "14.6", "14.8")
    )
    name = "shaped_with_spread"
    label = "shaped, with people's spread"
    words = (
        "Gaussian noise on the whole mean difference at once, shaped as public people differ, asked three times, each "
        "time with people clipped about what the answers before told; with noise of their own three answers besides: "
        "how far they lie beside public people, where there are enough of them, how far they lie about their mean, and "
        "how many lie much farther from it than others, whom the bound follows"
    )
    formula = FORMULA.format(turned="three quarters of a round as log|u| is on its way from 1.25 to 16")

    @classmethod
    def from_settings(cls, settings: Any) -> Any:
        """Return the mechanism with what the question for people's spread leaves of mu parted between the means."""
        return cls._planned(settings, settings.bounds.for_differences)

    @classmethod
    def _planned(cls, settings: Any, variation: face_variation.Variation) -> Any:
        """Return the mechanism with mu parted among its stages, and axes and clip chosen, by public people alone."""
        mu = float(settings.budget["mu_total"])
        spread_mu, far_mu = math.sqrt(SPREAD_SHARE) * mu, math.sqrt(cls.far_share) * mu
        rest = math.sqrt(mu**2 - spread_mu**2 - far_mu**2) * (1 - integer_sums.DIGITS)
        mechanism = super().from_settings(replace(settings, bounds=variation, budget={"mu_total": rest}))
        early_mus = tuple(math.sqrt(share) * mechanism.bound for share in EARLY_SHARES)
        last_mu = math.sqrt(1 - sum(EARLY_SHARES)) * mechanism.bound * (1 - 2 * integer_sums.DIGITS)
        plan_about_mean = clips.plan_about_mean(
            mechanism.variation, mechanism.plan, mechanism.n, cls.is_drawn_to_public
        )
        return replace(
            mechanism._with_budget(last_mu),
            claimed=mu,
            spread_mu=spread_mu,
            far_mu=far_mu,
            early_mus=early_mus,
            plan_about_mean=plan_about_mean,
        )

    def _with_budget(self, mu):
        """Return the mechanism with another mu for its mean, and its noise with it."""
        return replace(self, bound=mu).clipped_to(self.plan)

    @property
    def mu(self) -> float:
        """Return mu of all stages together."""
        return math.hypot(super().mu, self.spread_mu, self.far_mu, *self.early_mus)

    def noise_stages(self) -> list[tuple]:
        other_stages = (1, self.spread_mu), (2, self.far_mu), *((self.width, mu) for mu in self.early_mus)
        return [*((count, integer_sums.SENSITIVITY, mu) for count, mu in other_stages if mu), *super().noise_stages()]

    def inputs(self, kernel_settings: Mapping[str, Any]) -> dict[str, Any]:
        first_mu, *later_mus = self.early_mus
        stages = self.first, first_mu, self.spread_mu, self.far_mu, *later_mus, self.bound
        return super().inputs(kernel_settings) | {"w": [(mu / self.mu) ** 2 for mu in stages]}

    def worth(self) -> Any:
        """Return whether the release is expected to be nearer to people's mean difference than to say none.

        It is `Shaped.worth` with two changes: the noise is that of the combined means, and the mean difference of the
        cohort is taken to be one standard deviation of people (`EXPECTED_MEAN`).
        """
        variation = replace(self.variation, assumed_mean_shift=max(self.variation.assumed_mean_shift, EXPECTED_MEAN))
        return worth.judge_mean_face(variation, replace(self.plan, noise=self.expected_noise_square()), self.n)

    def expected_noise_square(self) -> float:
        """Return the square of the noise at a point, where people lie about none as public ones do."""
        decoder, *_ = self.simulate_without_noise(self._people)
        return float(np.sum(decoder.errors_along**2))

    def stage(self, answers: tuple) -> Any:
        """Return what to ask of people next, one noised answer after the other; None at the end.

        In turn: how far people lie beside public ones (where n and mu allow it), an early mean, how far they lie about
        their mean (w), who lies far, another early mean, the mean.
        """
        if self.first and not answers:
            return learned.SpreadQuestion(self)
        place = len(answers) - bool(self.first)
        if place == len(STAGES):
            return None
        mechanism = self.with_bound_from(answers)
        questions = {"squares": mechanism.spread_question, "far": mechanism.far_question, "mean": mechanism.early_mean}
        return questions[STAGES[place]]() if place < len(STAGES) - 1 else replace(mechanism, spread_mu=0.0, far_mu=0.0)

    def with_bound_from(self, answers: tuple) -> "ShapedWithSpread":
        """Return the mechanism as these answers leave it: it clips about the early means, to the bound they allow."""
        answers = answers[: bool(self.first) + len(STAGES) - 1]
        # Each stage follows from the one before, which was derived when its answer was asked for.
        return self._after_answers.find(answers, self._follow_answer)

    def _follow_answer(self, answers):
        """Return the mechanism that the last of these answers makes of the one before it, for `with_bound_from`."""
        place = len(answers) - bool(self.first) - 1
        if place < 0:
            return super().with_bound_from(answers)
        mechanism = self.with_bound_from(answers[:-1])
        steps = {
            "squares": mechanism.with_spread_answer,
            "far": mechanism.with_far_answer,
            "mean": mechanism.with_early_mean,
        }
        return steps[STAGES[place]](answers[-1])

    @cached_property
    def _after_answers(self):
        """Return what keeps the mechanisms of one release after each of its stages."""
        return FollowsFromAnswers(most=len(STAGES) + 1)

    def early_mean(self) -> "ShapedWithSpread":
        """Return the next stage that asks for an early mean."""
        mu, *_ = self.early_mus
        return replace(self._with_budget(mu), early_mus=(), spread_mu=0.0, far_mu=0.0)

    def with_early_mean(self, answer: NDArray[np.float64]) -> "ShapedWithSpread":
        """Return the mechanism that clips people about where this noised early mean, and those before, place them."""
        mechanism = replace(self, early_mus=self.early_mus[1:], earlier_means=self.early_mean()._with_answer(answer))
        if self.earlier_means is not None:
            far_people = self.earlier_means.far_people
            if self.on_one_side == 1.0 and far_people.is_told:
                # The later mean tells better where they lie, and so how much of them a clip about it takes.
                return mechanism._with_bound_for(far_people)
            return mechanism.with_spread_scale(self.earlier_means.scale)
        scale = (
            1.0
            if self.spread_answer is None
            else max(
                1.0,
                self.spread_answer.scale_about_mean(
                    mechanism.earlier_means.clip_center, mechanism.earlier_means.center_errors, self._people
                ),
            )
        )
        mechanism = mechanism.with_spread_scale(scale)
        # For w people are clipped at the public quantile: a lower clip would hide some of their spread.
        plan = clips.plan_at_quantile(self.variation, self.plan)
        return replace(mechanism, at_full_bound=mechanism.clipped_to(plan.widened(mechanism.distance_scale)))

    def with_spread_answer(self, answer: NDArray[np.float64]) -> "ShapedWithSpread":
        """Return the mechanism with the bound that suits how far people lie about their mean, by the noised w."""
        noise = 1 / (self.n * self.spread_mu)
        scale = clips.scale_by_squares(
            self.variation,
            self.at_full_bound.plan,
            w=float(answer[0]),
            sd=self.doubted_sds * noise,
            nearer_sd=self.doubted_nearer_sds * noise,
            off=self.earlier_means.center_errors,
        )
        return self.with_spread_scale(scale)

    def with_far_answer(self, answer: NDArray[np.float64]) -> "ShapedWithSpread":
        """Return the mechanism with the bound raised, where it pays, for people who lie far by their noised share."""
        plan, people = self.at_full_bound.plan, self.earlier_means.scale * self._people
        lengths = np.hypot(
            np.linalg.norm(people / plan.scales, axis=1) / plan.tau,
            np.linalg.norm(self.earlier_means.center_errors / plan.scales) / plan.tau,
        )
        far_people = clips.FarPeople.from_answer(answer, 2 / (self.n * self.far_mu), lengths, self.far_scale)
        return self._with_bound_for(far_people)

    def _with_bound_for(self, far_people):
        """Return the mechanism with the bound that makes the least of noise and of what it takes of these FarPeople."""
        mechanism = replace(self, earlier_means=replace(self.earlier_means, far_people=far_people), far_factor=1.0)
        mechanism = mechanism.with_spread_scale(self.earlier_means.scale)
        factors = clips.GREATER[self.most_raised >= clips.GREATER]
        one_sided_loss, random_loss = mechanism.expected_loss(mechanism.clip_reach * factors)
        expected = mechanism.plan.noise * factors**2 + one_sided_loss + random_loss
        factor = float(factors[np.argmin(expected)]) if far_people.is_told else 1.0
        return replace(mechanism, far_factor=factor).with_spread_scale(self.earlier_means.scale)

    @property
    def clip_reach(self) -> float:
        """Return how far from the earlier means people may lie before they are clipped, in lengths on the face.

        It is long as public people's lengths turn into these.
        """
        return self.plan.tau * clips.length_on_face(self._people, self.plan)

    def expected_loss(self, reaches: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return how much clips of these reaches are expected to take of the mean: bounds and errors allow for it.

        It is two squares, on the face: of far people who lie on one side, and of those all round: see
        `FarPeople.expect_losses`.
        """
        plan = self.at_full_bound.plan
        unit = plan.tau * clips.length_on_face(self._people, plan)
        mean = self.earlier_means.clip_center - self.origin
        likely_mean = np.hypot(mean, self.earlier_means.center_errors)
        mean_length, likely_length = (
            float(np.linalg.norm(vector / plan.scales)) / plan.tau for vector in (mean, likely_mean)
        )
        one_sided, random = self.earlier_means.far_people.expect_losses(
            np.asarray(reaches) / unit, self.n, likely_length, mean_length
        )
        # far people on one side lie where the mean is seen to lie: there a bound is so long on the face
        excess_mean = self._beyond_chance(mean)
        bound_length = float(np.linalg.norm(excess_mean) / np.linalg.norm(excess_mean / plan.scales)) * plan.tau
        return self.on_one_side * bound_length**2 * one_sided, unit**2 * random

    def _beyond_chance(self, mean):
        """Return (k,) the part of a mean (k,) that is surely there, for the direction in which far people may lie.

        It is what is more than twice what chance and its errors explain, by parts of the axes; where no part is, all of
        the mean.
        """
        spread = self.earlier_means.scale**2 * face_variation.public_spread(self.variation, self.plan)
        chance = spread * (1 / self.n + 1 / self.variation.people) + self.earlier_means.center_errors**2
        excess = likely_shares.find_excess_by_part(mean, chance, likely_shares.group_axes(self.variation, self.plan))
        return excess * mean if excess.any() else mean

    @property
    def origin(self) -> NDArray[np.float64]:
        """Return where people lie along the axes (k,) who do not respond: at none."""
        return np.zeros(len(self.plan.axes))

    def combine_answers(self, answers: tuple) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the one mean (k,) that several noised Answers tell together, by their precision, and its errors (k,).

        Each errs by its noise and by what its clip took of who lies far: along where these people's mean is seen to
        lie, if far people lie on one side, and otherwise as people differ. So an answer that was clipped low says much
        of all directions but that, and one that was clipped high of that.
        """
        means, squares = (
            np.array([answer.mean for answer in answers]),
            np.array([answer.errors**2 for answer in answers]),
        )
        # where nobody is told to lie far nothing is counted for it: most of the little doubt that is left is false
        if (
            self.earlier_means is None
            or self.earlier_means.far_people is None
            or not self.earlier_means.far_people.is_told
        ):
            return _combine_by_precision(means, squares)
        losses, people_squares = (
            [self.expected_loss(answer.clip_reach) for answer in answers],
            np.mean(self._people**2, axis=0),
        )
        one_sided, random = np.array(losses).T
        squares = squares + random[:, None] * people_squares / people_squares.sum()
        direction, sure_share, rest_shares = self._find_mean_direction(means, squares, one_sided)
        squares, one_sided = squares + ((1 - sure_share) * one_sided)[:, None] * rest_shares, sure_share * one_sided
        lengths = means @ direction
        mean, errors = _combine_by_precision(means - np.outer(lengths, direction), squares)
        answer_variances = squares @ direction**2 + one_sided
        # an answer that lies off the last in this direction by more than twice that was clipped there
        answer_variances[:-1] += np.maximum(
            (lengths - lengths[-1]) ** 2 - 4 * (answer_variances + answer_variances[-1]), 0.0
        )[:-1]
        variance = 1 / np.sum(1 / answer_variances)
        mean += direction * (variance * np.sum(lengths / answer_variances) - direction @ mean)
        excess = max(variance - float(errors**2 @ direction**2), 0.0)
        return mean, np.sqrt(errors**2 + direction**2 * excess)

    def _find_mean_direction(self, means, squares, one_sided):
        """Return the direction in which people's mean is seen to lie, where a clip takes most, and how sure it is.

        That is ((k,) the direction, of length 1, noise taken off; the share of its square that is sure; (k,) shares of
        the rest along the axes).
        """
        squares = squares + one_sided[:, None] * self.plan.moments / self.plan.moments.sum()
        noise = 1 / np.sum(1 / squares, axis=0)
        mean = noise * np.sum(means / squares, axis=0)
        spread = face_variation.public_spread(self.variation, self.plan)
        likely_squares = spread / self.n * (1 + likely_shares.FAR[:, None, None])
        shares, _ = likely_shares.find_likely_shares(
            mean, likely_squares, noise, likely_shares.group_axes(self.variation, self.plan)
        )
        direction, doubt_squares = shares * mean, shares * noise
        seen_square, doubt_square = float(direction @ direction), float(doubt_squares.sum())
        return (
            direction / max(math.sqrt(seen_square), 1e-300),
            seen_square / (seen_square + doubt_square),
            doubt_squares / doubt_square,
        )

    def with_spread_scale(self, scale: float) -> "ShapedWithSpread":
        """Return the mechanism with the bound for people `scale` times as far as public ones from their mean."""
        mechanism = replace(self, earlier_means=replace(self.earlier_means, scale=scale))
        return mechanism.clipped_to(self.plan_about_mean.widened(mechanism.distance_scale * self.far_factor))

    @property
    def distance_scale(self) -> float:
        """Return the factor of bounds: how many times as far as public people the cohort lies about its noised mean."""
        error_share = float(np.sum(self.earlier_means.center_errors**2)) / np.mean(np.sum(self._people**2, axis=1))
        return math.hypot(self.earlier_means.scale, math.sqrt(error_share))

    @property
    def _people(self):
        """Return public people's lengths (2p, k) along the axes about their mean, and their mirror images'."""
        return self.plan.scales * clips.list_people_about_mean(self.variation, self.plan)

    def _with_answer(self, answer):
        """Return what is known of the mean once this answer is added (EarlierMeans): the next stage clips by it."""
        if self.earlier_means is None:
            (u, _), scales = self.to_clip_units(answer), self.plan.scales
            shrunk_mean, plain_mean = self.undo_clip(answer, True), self.undo_clip(answer, False)
            clip_center, center_errors = (
                scales * (shrunk_mean.factors * u + shrunk_mean.moved),
                scales * shrunk_mean.errors,
            )
            first_answer = Answer(
                scales * (plain_mean.factors * u + plain_mean.moved), scales * plain_mean.errors, self.clip_reach
            )
            return EarlierMeans(
                (first_answer,), clip_center, center_errors, plain_mean.undone, first_center=clip_center
            )
        mean, errors, undo_factor = self._mean_from_answer(answer)
        answers = (*self.earlier_means.answers, Answer(mean, errors, self.clip_reach))
        clip_center, center_errors = self.combine_answers(
            (
                Answer(self.earlier_means.clip_center, self.earlier_means.center_errors, answers[-2].clip_reach),
                answers[-1],
            )
        )
        return replace(
            self.earlier_means,
            answers=answers,
            clip_center=clip_center,
            center_errors=center_errors,
            largest_undo_factor=max(undo_factor, self.earlier_means.largest_undo_factor),
        )

    def _mean_from_answer(self, answer):
        """Return the mean that one noised answer tells of people clipped about earlier ones, with the clip put back.

        That is ((k,) lengths of the mean along the axes, (k,) their errors, by what factor at most the clip was put
        back).
        """
        scales, earlier = self.plan.scales, self.earlier_means
        u, sd = self.to_clip_units(answer)
        people = earlier.scale * clips.list_people_about_mean(self.variation, self.plan)
        correction = noised_means.restore_recentred_mean(self.plan, u, sd, people, earlier.center_errors / scales)
        return (
            earlier.clip_center + scales * (correction.factors * u + correction.moved),
            scales * correction.errors,
            correction.undone,
        )

    def describe_far_people(self) -> tuple[float, float] | None:
        """Return what a statement says of people who lie far: their share, and what the clip may have taken for it.

        None where the answers tell of no such people. The second is a root mean square length, in the unit of the
        surface, once the mean is corrected.
        """
        if not self.earlier_means.far_people.is_told:
            return None
        return self.earlier_means.far_people.share, math.sqrt(float(sum(self.expected_loss(self.clip_reach))))

    @property
    def tells_far_people(self) -> bool:
        """Return whether it is told that some lie much farther than others: what is stated is known less well then."""
        return self.earlier_means is not None and self.earlier_means.far_people.is_told

    def measure_deviations(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return lengths along the axes from where early means say that people lie, so that the clip takes little.

        Before these are asked it is from none. Whose row is no face, or so far off that its length is no number, counts
        as no difference.
        """
        deviations = super().measure_deviations(curves)
        if self.earlier_means is None:
            return deviations
        with np.errstate(over="ignore", invalid="ignore"):
            is_finite = np.isfinite(np.linalg.norm(deviations, axis=-1, keepdims=True))
        return np.where(is_finite, deviations, 0.0) - self.earlier_means.clip_center

    def decoder_for(self, mean_coordinates: NDArray[np.float64]) -> "ShapedWithSpread":
        """Return what turns the answers into the released mean: all means together, what each clip took put back."""
        if self.earlier_means is None:
            return super().decoder_for(mean_coordinates)
        means = self._with_answer(mean_coordinates)
        mean, errors = self.combine_answers(means.answers)
        if self.states_doubt:
            errors = self._with_doubt(mean, errors)
        return replace(
            self,
            back=np.zeros_like(self.back),
            mean_shift=mean,
            errors=errors,
            largest_undo_factor=means.largest_undo_factor,
        )

    def _with_doubt(self, mean, errors):
        """Return errors (k,) of a mean (k,) enlarged by what the last clip may have taken of far people.

        They may be there although no answer tells it; where one does, the combined answers say little of what is lost.
        """
        far_people, (one_sided, random) = self.earlier_means.far_people, self.expected_loss(self.clip_reach)
        if far_people.is_told:
            one_sided, random = TOLD_DOUBT * one_sided, 0.0
        else:
            # Most of that doubt is false where it is little: it counts by how near it is to being told, as a square.
            doubt = (float(far_people.likely.sum()) / far_people.threshold) ** 2
            one_sided, random = doubt * one_sided, doubt * random
        people_squares = np.mean(self._people**2, axis=0)
        squares = errors**2 + random * people_squares / people_squares.sum()
        direction, sure_share, rest_shares = self._find_mean_direction(mean[None], squares[None], np.array([one_sided]))
        return np.sqrt(squares + one_sided * (sure_share * direction**2 + (1 - sure_share) * rest_shares))

    def differs_from_public_set(self, mean_coordinates: NDArray[np.float64]) -> bool | None:
        """Return whether all means together say that these people differ as public ones do not; once corrected."""
        return learned.differs_from_public(self.variation, self.plan, self.n, *self.mean_along)

    def far_question(self) -> "FarShares":
        """Return the stage that asks how many lie far about the first mean, at the bound that is not lowered."""
        mechanism = self.at_full_bound
        return FarShares(mechanism.lengths, self.n, self.far_mu, self.far_scale, mechanism.at_once)

    def spread_question(self) -> "SpreadStatistic":
        """Return the stage that asks how much people differ about their mean, w, at the bound that is not lowered.

        A lower clip would hide some of the spread.
        """
        mechanism = self.at_full_bound or self
        return SpreadStatistic(mechanism.integers, mechanism.plan.weights, self.n, self.spread_mu, mechanism.at_once)

    def spread(self, answers: tuple) -> tuple[float, float]:
        """Return how much people differ about their mean, a released variance, and the sd of the noise on it.

        Both are at a point, in squared lengths of a unit-area face, along the released axes, from all answers.
        """
        return self.with_bound_from(answers[:-1])._spread(
            answers[-1], float(answers[bool(self.first) + STAGES.index("squares")][0])
        )

    def _spread(self, answer, w):
        """Return (variance of people about their mean, the noise on it), which a release states of a change's spread.

        answer : the last noised mean; w : the noised mean of people's squared lengths, as a share of the largest
        """
        means = self._with_answer(answer)
        mean, errors = self.combine_answers(means.answers[1:])
        return variance_about_mean(self.largest * w, self.noise_of_squares, mean - means.first_center, errors)

    def simulate_without_noise(
        self, people: NDArray[np.float64]
    ) -> tuple["ShapedWithSpread", tuple[NDArray, ...], tuple[float, float]]:
        """Return the corrected mechanism, its answers and its `spread` for public people, as a release without noise.

        Forecasts tell by it what the noise would be, and which changes would be found.

        Parameters
        ----------
        people : (p, k) float
            Lengths along the axes.

        Returns
        -------
        decoder : ShapedWithSpread
            After all answers.
        answers : tuple of arrays
            One a stage.
        spread : (float, float)
            As of the method of that name.
        """

        def clip_mean(mechanism):
            """Return what a mean stage would answer of the public people, were there no noise, for a forecast of it."""
            clip, about = (
                mechanism.plan,
                0.0 if mechanism.earlier_means is None else mechanism.earlier_means.clip_center,
            )
            clipped = clips.clip_to_nearest((people - about) / clip.scales, clip.tau, clip.weights)
            return clipped.mean(axis=0) * mechanism.bound / clip.tau

        answers, mechanism = [], self
        if self.first:
            lengths = np.linalg.norm(people / self.plan.scales, axis=1) / self.plan.tau
            answers.append(np.array([clips.score_lengths(lengths).mean()]))
            mechanism = self.with_bound_from(tuple(answers))
        for kind in STAGES[:-1]:
            plan = None if mechanism.at_full_bound is None else mechanism.at_full_bound.plan
            if kind == "mean":
                answers.append(clip_mean(mechanism.early_mean()))
                mechanism = mechanism.with_early_mean(answers[-1])
            elif kind == "squares":
                clipped = clips.clip_to_nearest(
                    (people - mechanism.earlier_means.clip_center) / plan.scales, plan.tau, plan.weights
                )
                w = np.mean(clipped**2 @ plan.weights) / mechanism.largest
                answers.append(np.array([w]))
                mechanism = mechanism.with_spread_answer(answers[-1])
            else:
                lengths = (
                    np.linalg.norm((people - mechanism.earlier_means.clip_center) / plan.scales, axis=1) / plan.tau
                )
                answers.append(clips.to_directions(lengths, mechanism.far_scale).mean(axis=0))
                mechanism = mechanism.with_far_answer(answers[-1])
        answers.append(clip_mean(mechanism))
        return mechanism.decoder_for(answers[-1]), tuple(answers), mechanism._spread(answers[-1], w)

    @property
    def mean_along(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return lengths (k,) of the mean along the axes, and by which standard deviations they err; once corrected."""
        return self.mean_shift, self.errors_along

    @property
    def largest(self) -> float:
        """Return E|x|^2 at a point where w is 1, in squared lengths of a unit-area face."""
        plan = (self.at_full_bound or self).plan
        return plan.tau**2 * float(plan.weights.max())


def _combine_by_precision(means, squares):
    """Return the mean (k,) that answers (a, k) tell together, each weighed by its precision, and its errors (k,).

    squares (a, k) are of the answers' errors. An answer that differs from the last, which was clipped nearest to its
    mean, by more than both err, errs by so much more.
    """
    excess = np.mean((means - means[-1]) ** 2 / (squares + squares[-1]), axis=1)
    squares = squares * np.maximum(1.0, excess)[:, None]
    # Each answer bears noise of its own, so that weights by precision err least.
    variances = 1 / np.sum(1 / squares, axis=0)
    return variances * np.sum(means / squares, axis=0), np.sqrt(variances)


def combined_noise_sd(answers: tuple["Answer", ...]) -> NDArray[np.float64]:
    """Return errors (k,) of answers taken together by the precision of their noise alone."""
    return np.sqrt(1 / np.sum([answer.errors**-2 for answer in answers], axis=0))


@dataclass(frozen=True)
class Answer:
    """What one mean told of people: its lengths along the axes, nothing of which is drawn to none.

    errors : (k,) of its noise; clip_reach : how far the clip reached, on the face
    """

    mean: np.ndarray
    errors: np.ndarray
    clip_reach: float


@dataclass(frozen=True)
class EarlierMeans:
    """What the means told so far.

    answers : one a mean; clip_center (k,) : about which people are clipped, drawn to none; center_errors (k,) : of that
    largest_undo_factor : by what factor at most the clip was put back
    scale : how many times as far as public people from theirs these lie about it
    first_center : the first clip_center; far_people : who lies far, None before that is told
    """

    answers: tuple[Answer, ...]
    clip_center: np.ndarray
    center_errors: np.ndarray
    largest_undo_factor: float
    scale: float = 1.0
    first_center: np.ndarray | None = None
    far_people: clips.FarPeople | None = None


@dataclass(frozen=True)
class ShapesWithSpread(WithSpread, of_landmarks.Shaped):
    """The mechanism for a mean difference of landmark shapes.

    Its mean and its spread are in radian and of the whole shape.
    """

    # More room than for a mean: what the clip takes of a difference is not put back.
    far = 1.2
    proofs = Proofs(("7 and 14", "test_shape_changes"), machine_checked=("2.5", "4.1", "4.3", "14.2", "14.6", "14.8"))
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
        """Return what to ask of people next, one noised answer after the other; None at the end.

        In turn: how far people lie beside public ones (where n and mu allow it), how far they lie about their mean (w),
        and the mean.
        """
        if self.first and not answers:
            return learned.SpreadQuestion(self)
        mechanism, place = self.with_bound_from(answers), len(answers) - bool(self.first)
        return (mechanism.spread_question, lambda: mechanism)[place]() if place < 2 else None

    @property
    def spread_mu(self) -> float:
        """Return mu of the stage that asks for w."""
        return math.sqrt(SPREAD_SHARE) * self.budget["mu_total"]

    def split_budget(self, n: int, budget: float) -> tuple[float, float]:
        return learned.split_mu_by_stage(n, math.sqrt(1 - SPREAD_SHARE) * budget * (1 - integer_sums.DIGITS))

    def cost(self) -> Cost:
        """Return what all three stages spend together, which the ledger charges before the first is asked."""
        stages = (1, self.first), (1, self.spread_mu), (self.coordinates.count, self.mean_budget)
        return integer_sums.gaussian_cost(
            self.budget["mu_total"], *((count, integer_sums.SENSITIVITY, mu) for count, mu in stages if mu)
        )

    def inputs(self) -> dict[str, Any]:
        stages = self.first, self.spread_mu, self.mean_budget
        shares = [(mu / self.budget["mu_total"]) ** 2 for mu in stages]
        return {"n": self.n, "r": self.ball.r, "p": self.ball.modes, "w": shares}

    def spread_question(self) -> "SpreadStatistic":
        """Return the stage that asks for w."""
        coordinates = self.coordinates
        return SpreadStatistic(coordinates.integers, coordinates.roots**2, self.n, self.spread_mu)

    def spread(self, answers: tuple) -> tuple[float, float]:
        """Return how much people differ about their mean, a released variance, and the sd of the noise on it.

        Both are in radian^2, along the released axes, from all answers.
        """
        mechanism = self.with_bound_from(answers)
        mean = mechanism.coordinates.roots * answers[-1]
        square = mechanism.largest * float(answers[-2][0])
        return variance_about_mean(square, mechanism.noise_of_squares, mean, mechanism.errors_along)

    @property
    def largest(self) -> float:
        coordinates = self.coordinates
        return float((coordinates.choice.clip * coordinates.roots.max()) ** 2)


@dataclass(frozen=True)
class SpreadStatistic(BoundedSum):
    """The question for the mean of w; see the module.

    coordinates : people's rows as whole numbers, none longer than GRID; roots : square roots of the moments along
    them; mu : of this stage; at_once : people whose coordinates are taken at a time
    """

    coordinates: Callable[[NDArray], NDArray[np.int64]]
    roots: NDArray[np.float64]
    n: int
    mu: float
    at_once: int = BoundedSum.at_once

    width = 1

    def integers(self, rows: NDArray[np.float64], covariates: None = None) -> NDArray[np.int64]:
        """Return whole numbers (b, 1), GRID (2w - 1) of people's rows, whose exact sum tells how much people differ.

        w is cut towards zero.
        """
        # Rounding may lift the sum of a longest row above 1.
        w = np.minimum((self.coordinates(rows) / GRID) ** 2 @ (self.roots / self.roots.max()), 1.0)
        return np.trunc(GRID * (2 * w - 1)).astype(np.int64)[:, None]

    def noised(self, sums: Sums, source: Any) -> NDArray[np.float64]:
        """Return the noised answer (1,) to how much people differ about their mean: the mean of their w."""
        mean, _ = integer_sums.noised_mean(sums.values[0], self.mu, self.n, self.mu, source)
        return (mean / self.mu + 1) / 2

    def cost(self) -> Cost:
        return Cost(GAUSSIAN, mu=self.mu)


@dataclass(frozen=True)
class FarShares(BoundedSum):
    """The question who lies far: the means of cosine and sine of `clips.to_directions`, two numbers a person.

    lengths : of people's rows, in units of the bound; mu : of this stage; far_scale : how directions follow from these;
    at_once : people taken at a time
    """

    lengths: Callable[[NDArray], NDArray[np.float64]]
    n: int
    mu: float
    far_scale: clips.FarScale
    at_once: int = BoundedSum.at_once

    width = 2

    def integers(self, rows: NDArray[np.float64], covariates: None = None) -> NDArray[np.int64]:
        """Return whole numbers (b, 2) whose exact sum tells how many people lie far: GRID times cosine and sine.

        They are cut towards zero; whose length is no number counts as near.
        """
        lengths = self.lengths(rows)
        directions = clips.to_directions(np.where(np.isfinite(lengths), lengths, 0.0), self.far_scale)
        return integer_sums.to_grid(directions, 1.0)

    def noised(self, sums: Sums, source: Any) -> NDArray[np.float64]:
        """Return the noised answer (2,) to how many people lie far: the means of their cosines and sines."""
        mean, _ = integer_sums.noised_mean(sums.values[0], self.mu, self.n, self.mu, source)
        return mean / self.mu

    def cost(self) -> Cost:
        return integer_sums.gaussian_cost(self.mu, (self.width, integer_sums.SENSITIVITY, self.mu))
