"""The mechanism of a model: three moments of people's shaped coordinates and covariates, under one mu.

A person is clipped as for a mean, u with ||u|| <= tau (11.1), and (1, covariates) to zeta; what is released are the
sums of `mechanisms.integer_sums`, whose joint sensitivity is proved there: docs/mathematics.md, (12.1) and (12.2).
Mean, effects and modes follow from these.

Of faces it is asked beside, at a small share of mu^2, how many people lie far (`differences.FarShares`, in the same
round): what a clip took of how people differ, and of where some lie who lie far, follows from that.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.accounting.cost import Cost
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.differences import FarShares
from shapedp.privacy.integer_sums import DIGITS, U_GRID, Moments
from shapedp.privacy.learned import clips, face_variation, far_losses, likely_lengths, likely_shares, noised_means
from shapedp.privacy.manifolds import marks
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.statistic import FollowsFromAnswers, Mechanism, Rows, Source, Sums, chunks
from shapedp.releases.model.budget_split import FIRST, choose_split
from shapedp.releases.model.effects import (
    find_chance_kept,
    fit_effects,
    take_off_noise,
    with_effects_put_back,
    with_mean,
)
from shapedp.releases.model.modes import find_modes

# Times as wide as public people, that people may lie.
WIDTHS = np.geomspace(0.25, 4.0, 33)
# Standard deviation of their squares' ratio, before anything is seen.
WIDTH_BEFORE = 0.5
# Turns in which what the clip took of the mean is found.
TURNS = 20
# Share of mu^2 that it costs to ask how many people lie far, and n mu, from which on that tells anything.
FAR_SHARE, ENOUGH = 0.05, 100.0
# Of what is put back into the mean is what it may err by, where it is told how many lie far; and of what is put back of
# these.
DOUBT, DOUBT_OF_FAR = 0.06, 0.2


@dataclass(frozen=True)
class OfMoments(Mechanism):
    """Three sums at once, of people's coordinates and covariates and of products of these, noised under one mu.

    shaped : how people become coordinates, the public axes of which are `shaped.axes`; moments : what is released of
    these, in the units of `shaped`; variances (q,) of public people's coordinates; covariates : one Covariate each
    """

    n: int
    mu: float
    shaped: Any
    moments: Moments
    variances: np.ndarray
    covariates: tuple

    clipping = "joint_norm"
    by_settings = ("weights", "zeta")
    sampler = "discrete_gaussian"
    # The part of the settings of faces that says how noise is shaped.
    section = "variation"

    @property
    def center(self) -> np.ndarray:
        """The public reference that coordinates are about."""
        return self.shaped.center

    def cost(self) -> Cost:
        """Return what a release by it costs."""
        return self.moments.cost()

    def sensitivity(self) -> float:
        """Return how far one person moves the sums, in standard deviations of their noise: mu."""
        return self.mu

    def grid(self) -> float:
        """Return the step of the grid that the first sum lies on, in u of a mean."""
        return self.moments.tau / U_GRID / self.n

    def inputs(self) -> dict[str, Any]:
        """Return the public numbers, by symbol, that sensitivity and noise follow from, for a reader to recompute them.

        w : shares of mu^2
        """
        return {
            **{"n": self.n, "mu": self.mu, "tau": self.shaped.plan.tau, **self.weighed},
            **{"p": self.moments.p, "modes": self.moments.leading, "w": self.shares},
        }

    @property
    def shares(self) -> list[float]:
        """Return the shares of mu^2 that the sums have, one after the other."""
        return self.moments.shares.tolist()

    @property
    @abstractmethod
    def weighed(self) -> dict[str, Any]:
        """{symbol: number} by which covariates enter the sums."""

    @abstractmethod
    def coordinates(self, rows: np.ndarray, coded: np.ndarray) -> np.ndarray:
        """Return (b, q) u of b people's rows; coded : (b, p) their covariates in [-1, 1]."""

    def sums(self, people: Rows) -> Sums:
        """Return the exact sums over people, with covariates beside their rows, to which noise is then added."""
        nobody = np.zeros((0, *self.center.shape))
        of_nobody = self.moments.sums(np.zeros((0, self.moments.q)), np.zeros((0, self.moments.covariates)))
        totals = Sums((*of_nobody, *self.sums_beside(nobody)))
        for start, stop in chunks(people.count):
            rows, coded = people.read(start, stop), people.beside[start:stop]
            # A record may hold any numbers; whatever comes of them is cut to the bound.
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
                u = self.coordinates(rows, coded)
                totals += Sums((*self.moments.sums(u, coded), *self.sums_beside(rows)))
        return totals

    def sums_beside(self, rows: np.ndarray) -> list[np.ndarray]:
        """Return further exact sums over b people's rows, which a kind of model asks beside its moments."""
        del rows
        return []

    def noised(self, sums: Sums, source: Source) -> list[np.ndarray]:
        """Return the sums with noise, all that a released model is made from."""
        return self.moments.draw(sums.values, source)

    def draw(self, records: Any, source: Source) -> Any:
        """Return what a draw of noise on records' sums says."""
        return self.estimated(self.noised(Sums(tuple(records)), source))

    @abstractmethod
    def estimated(self, answer: Sequence[np.ndarray]) -> Any:
        """Return what the noised sums say; what it is depends on the model."""


@dataclass(frozen=True)
class FoundMean:
    """Everybody's mean by noised answers.

    restored : the RestoredMean; errors (q,) : by how much it errs, in its unit
    lengths : LikelyLengths of these people, where it is told how many lie far; unreleased : what then is not released
    """

    restored: noised_means.RestoredMean
    errors: np.ndarray
    lengths: likely_lengths.LikelyLengths | None = None
    unreleased: face_variation.UnreleasedPart | None = None

    @property
    def unreleased_error(self):
        """Return by how much the mean errs for what is not released, root mean square, a length on the face."""
        return 0.0 if self.unreleased is None else self.unreleased.size


@dataclass(frozen=True)
class Model(OfMoments):
    """Mean, effects of covariates and modes.

    modes_wanted : of which those that M3 has are released; far_mu : of asking how many people lie far, or 0
    """

    modes_wanted: int
    far_mu: float = 0.0

    name = "moments"
    label = "mean, spread and modes"
    formula = "the largest joint move of the three weighted sums, people clipped to tau and (1, covariates) to zeta"

    @classmethod
    def planned(cls, variation, shaped, n, mu, covariates, modes_wanted, planned_for=None, far_share=0.0):
        """Return the mechanism of a model of n people, its budget split from public numbers alone.

        That is for n, or for the `planned_for` they are part of. far_share : of mu^2, of asking how many lie far
        """
        chosen = shaped.plan
        # What is left then are harmonics, along which no public person taught how people differ.
        if not np.any(chosen.axes < len(variation.modes)):
            raise RefusedRelease(
                f"a model of {n} people at mu = {mu:g}: noise would leave no mode of the public set; ask for a mean, "
                "or a larger mu"
            )
        # what the squares of both add up to must not round above that of mu
        of_moments = mu * math.sqrt(1 - far_share) * (1 - DIGITS) if far_share else mu
        shared = choose_split(variation, chosen, planned_for or n, of_moments, covariates, modes_wanted)
        return cls(
            n=n,
            mu=mu,
            shaped=shaped,
            moments=replace(shared, n=n, tau=shaped.bound),
            variances=variation.variances[chosen.axes] * shaped.gain**2,
            covariates=tuple(covariates),
            modes_wanted=modes_wanted,
            far_mu=mu * math.sqrt(far_share),
        )

    @property
    def modes(self):
        """The number of modes that are released, shown or not: public."""
        return min(self.modes_wanted, self.moments.leading)

    def stated_bounds(self):
        """Return (name, value, unit) of the bounds that a statement gives."""
        weights, zeta = self.moments.z_weights.tolist(), self.moments.zeta
        return ("tau_shaped", self.shaped.plan.tau, "1"), ("weights", weights, "1"), ("zeta", zeta, "1")

    @property
    def shares(self):
        """Return the shares of mu^2 that the three sums have and, where it is asked, who lies far."""
        of_far = (self.far_mu / self.mu) ** 2
        return [*((1 - of_far) * self.moments.shares).tolist(), *([of_far] if self.far_mu else [])]

    @property
    def weighed(self):
        """{symbol: number} by which covariates enter the sums."""
        return {"kappa": self.moments.kappa.tolist(), "zeta": self.moments.zeta}

    def noise_size(self):
        """Return the root mean square distance that the noise moves a point of the mean."""
        return float(self.moments.noise[0] / self.n * np.linalg.norm(self.shaped.back))

    def coordinates(self, rows, coded):
        """Return (b, q) u of b people's rows, whatever their covariates are."""
        return self.shaped.encode(rows)

    @property
    def far_question(self):
        """The question how many people lie far about the reference, which is asked beside; None where it is not."""
        if not self.far_mu:
            return None
        return FarShares(self.shaped.lengths, self.n, self.far_mu, clips.FAR_IN_MEANS)

    def sums_beside(self, rows):
        """Return the exact sum (2,) of who lies far among b people's rows, where that is asked; otherwise nothing."""
        return [self.far_question.integers(rows).sum(axis=0)] if self.far_mu else []

    def noised(self, sums, source):
        """Return the three sums with noise and, where it is asked, the noised answer to who lies far."""
        answer = self.moments.draw(list(sums.values[:3]), source)
        return [*answer, self.far_question.noised(Sums(sums.values[3:]), source)] if self.far_mu else answer

    def cost(self):
        """Return what a release by it costs: mu of the moments and of the question beside, which compose."""
        of_moments = self.moments.cost()
        if not self.far_mu:
            return of_moments
        return replace(of_moments, mu=self.mu, eta=of_moments.eta + self.far_question.cost().eta)

    def drawn(self, answer):
        """Return {values, noise, spread} of the noised moments in a row, as `artifacts.DRAWN` keeps them for pooling.

        Only the first moment, the sum of people's coordinates, has a public variance. The answer to who lies far comes
        last, as a sum like the others.
        """
        moments, far = answer[:3], [self.n * direction for direction in answer[3:]]
        spread = np.full(sum(part.size for part in answer), np.nan)
        spread[: self.moments.q] = self.variances
        values = np.concatenate([np.ravel(part) for part in (*moments, *far)])
        return {"values": values, "noise": self.find_noise_drawn(), "spread": spread}

    def find_noise_drawn(self):
        """Return the standard deviation of the noise on each of the numbers that `drawn` puts in a row."""
        z, leading = 1 + self.moments.p, self.moments.leading
        # Without covariates nothing is asked of M2, whose noise is then without end.
        noise = np.where(np.isfinite(self.moments.noise), self.moments.noise, 0.0)
        of_moments = np.repeat(noise, [z * self.moments.q, z * z, leading**2])
        return np.concatenate([of_moments, np.full(2, 2 / self.far_mu)]) if self.far_mu else of_moments

    def find_largest_drawn(self):
        """Return the most that people can move each of the numbers of `drawn` to, by which files are refused."""
        z, q, leading = 1 + self.moments.p, self.moments.q, self.moments.leading
        zeta, tau = self.moments.zeta, self.moments.tau
        of_moments = np.repeat([zeta * tau, zeta**2, tau**2], [z * q, z * z, leading**2])
        return self.n * np.concatenate([of_moments, np.ones(2 if self.far_mu else 0)])

    def split_drawn(self, values):
        """Return the noised answer that `drawn` put in a row, of this model's people."""
        z, q, leading = 1 + self.moments.p, self.moments.q, self.moments.leading
        m1, m2, m3, far = np.split(values, np.cumsum([z * q, z * z, leading**2]))
        moments = m1.reshape(z, q), m2.reshape(z, z), m3.reshape(leading, leading)
        return [*moments, far / self.n] if self.far_mu else [*moments]

    def for_pool(self, n, sources):
        """Return the model of n people by as many sources: noise adds up, as if one release had been drawn.

        Its mu is what one such release would cost.
        """
        root = math.sqrt(sources)
        return replace(
            self,
            n=n,
            mu=self.mu / root,
            moments=replace(self.moments, n=n, mu=self.moments.mu / root),
            far_mu=self.far_mu / root,
        )

    def estimated(self, answer):
        """Return (Effects, Modes), what the noised moments say of people, noise taken off and the clip undone."""
        m1, m2, m3 = answer[:3]
        noise, leading = self.moments.noise, self.moments.leading
        fitted = self.less_noise(fit_effects(m1, m2, m3, noise, self.n, self.variances))
        found_mean = self.find_mean(answer)
        if found_mean is not None:
            unit = self.shaped.bound / self.shaped.plan.tau
            fitted = self.with_whole_effects(fitted, answer, found_mean.restored)
            fitted = with_mean(fitted, unit * found_mean.restored.moved, unit * found_mean.errors)
            fitted = replace(fitted, unreleased=found_mean.unreleased)
        modes = find_modes(m1, m3, noise, self.n, self.shaped.back[:leading], self.variances[:leading])
        return fitted, modes if found_mean is None else self.with_clip(modes, answer, found_mean)

    def with_whole_effects(self, fitted, answer, restored):
        """Return the Effects with what the clip took of them put back; here they stay those of clipped people."""
        return fitted

    def find_mean(self, answer):
        """Return the FoundMean of everybody, what the clip took put back; None without public people."""
        return self._of_answers.find(tuple(answer), self._find_mean)

    @cached_property
    def _of_answers(self):
        """Return what keeps the mean that one answer was found to say."""
        return FollowsFromAnswers(most=1)

    def _find_mean(self, answer):
        """Return the FoundMean, as `find_mean` keeps it."""
        restored = self.restored(answer)
        return None if restored is None else FoundMean(restored, noised_means.find_doubted_errors(restored))

    def _find_mean_in_bound(self, answer, restored):
        """Return (q,) the mean with what the clip took put back, in units in which people are clipped to tau."""
        unit = self.shaped.plan.tau / self.shaped.bound
        return restored.factors * (unit / self.n * answer[0][0]) + restored.moved

    def with_clip(self, modes, answer, found_mean):
        """Return Modes whose errors count how public people differ and what the clip takes of these: (12.10).

        Where it is told how many lie far, what it took is put back: (12.11).
        """
        unit, leading = self.shaped.plan.tau / self.shaped.bound, self.moments.leading
        # lengths along each mode on the surface, from u
        along = (modes.axes * self.shaped.back[:leading] ** 2).T
        if found_mean.lengths is not None:
            return modes.with_spread_put_back(self.n, *found_mean.lengths.find_spread_left(along))
        mean = self._find_mean_in_bound(answer, found_mean.restored)
        kurtosis, left = noised_means.find_spread_left(
            self.shaped.variation,
            self.shaped.plan,
            mean,
            unit**2 / self.n * np.trace(answer[2]),
            self.shaped.clip,
            along,
        )
        return modes.with_people(self.n, kurtosis, left)

    def less_noise(self, fitted):
        """Return the Effects with noise taken off them; here none is."""
        return fitted

    def restored(self, answer):
        """Return the noised mean of everybody with what the clip took put back, as a model releases it: (12.9).

        It is in u of people who are clipped to tau; None without public people.
        """
        variation, chosen, n = self.shaped.variation, self.shaped.plan, self.n
        if variation is None or not len(variation.deviations):
            return None
        unit = chosen.tau / self.shaped.bound
        s1, squares = unit / n * self.moments.noise[0], self._find_squares(answer)
        mean, sd = unit / n * answer[0][0], np.full(len(chosen.axes), s1)
        restored = noised_means.restore_mean_by_squares(
            variation, chosen, n, mean, sd, squares, self.shaped.clip, TURNS
        )
        chance = face_variation.public_spread(variation, chosen) / chosen.weights / n
        of_chance = np.sqrt(np.maximum((restored.errors / s1) ** 2 - 1, 0.0) * chance)
        return replace(restored, errors=np.hypot(restored.errors, of_chance))

    def _find_squares(self, answer):
        """Return (answer, sd of its noise, q'), the noised mean square of people's first q' clipped coordinates u."""
        unit, leading = self.shaped.plan.tau / self.shaped.bound, self.moments.leading
        s3 = unit**2 / self.n * self.moments.noise[2]
        return unit**2 / self.n * np.trace(answer[2]), np.sqrt(leading) * s3, leading

    def find_share_kept(self, variances):
        """Return the share of people's squared lengths that the clip leaves, by which norms widen their spread again.

        It is along the leading axes, of people who lie as public ones do, but as wide as the noised moments make
        likely; 1 without public people.

        Parameters
        ----------
        variances : (q',) array
            Of these people's clipped coordinates u on the leading axes, by the noised moments.
        """
        variation, chosen, leading = self.shaped.variation, self.shaped.plan, self.moments.leading
        if variation is None or not len(variation.deviations):
            return 1.0
        lengths = variation.deviations[:, chosen.axes].astype(float)
        people, scales = lengths / chosen.scales, chosen.scales[:leading]
        clipped = (self.shaped.clip(width * people, chosen.tau, chosen.weights)[:, :leading] for width in WIDTHS)
        kept = np.array([np.sum((coordinates * scales) ** 2) for coordinates in clipped]) / np.sum(
            lengths[:, :leading] ** 2
        )
        squares = self.shaped.back[:leading] ** 2
        whole = float(self.variances[:leading] @ squares)
        error = self.moments.noise[2] / self.n * float(np.linalg.norm(squares)) / whole
        # How wide people lie is believed as far as noise lets the moments tell it.
        weight = WIDTH_BEFORE**2 / (WIDTH_BEFORE**2 + error**2)
        released_share = weight * float(variances @ squares) / whole + (1 - weight) * float(
            np.interp(1.0, WIDTHS, kept)
        )
        width = float(np.interp(released_share, kept, WIDTHS))
        # Between two widths the line lies a little above the square.
        return min(float(np.interp(width, WIDTHS, kept)) / width**2, 1.0)

    def tells(self, answer):
        """Return what the noised moments say of the clip, and whether people are unlike the public set, to be stated.

        They are fields of `statement.conditions.Facts`; lengths in the surface's unit.
        """
        found_mean, scales = self.find_mean(answer), self.shaped.plan.scales
        if found_mean is None:
            return {}
        restored = found_mean.restored
        mean = self.shaped.plan.tau / self.shaped.bound / self.n * answer[0][0]
        is_unlike = noised_means.differs_from_public_mean(
            self.shaped.variation, self.shaped.plan, self.n, restored, mean
        )
        clip_shift = float(np.linalg.norm(scales * restored.moved))
        facts = {"undone": restored.undone, "unlike": is_unlike, "clip_moved": clip_shift}
        lengths = found_mean.lengths
        if lengths is None:
            return facts
        far_people = lengths.far_people
        return facts | {
            "heavy_tails": lengths.heavy_probability,
            "far_share": far_people.share if far_people.is_told else None,
        }

    def errs(self, answer):
        """Return by how much a point of the released mean errs, root mean square, as the statement says it."""
        found_mean = self.find_mean(answer)
        if found_mean is None:
            return self.noise_size()
        return math.hypot(np.linalg.norm(self.shaped.plan.scales * found_mean.errors), found_mean.unreleased_error)

    def fields(self, fitted, modes):
        """Return what the released file holds of Effects and Modes, in unit-area faces, for readers to compute from."""
        shaped, leading = self.shaped, self.moments.leading
        basis, shape, back = scale_axes(shaped.back, shaped.axes), shaped.center.shape, shaped.back[:leading]
        effects = on_surface(fitted.coefficients, basis, shaped.center)
        directions = (modes.axes[: self.modes] @ basis[:leading]).reshape((-1, *shape))
        values, vectors = np.linalg.eigh(fitted.residual)
        residual = (np.sqrt(np.maximum(values, 0))[:, None] * vectors.T @ basis).astype(np.float32)
        return {
            "reference": shaped.center,
            "curves": np.tensordot(fitted.average, effects, axes=1),
            "effects": effects,
            "average": fitted.average,
            "inverse": fitted.inverse,
            "moment_noise": np.array([fitted.s1, fitted.s2, self.moments.noise[2]]),
            "noise_parts": at_points(basis, shape, fitted.left),
            "residual": at_points(residual, shape),
            "modes": directions,
            "sd": modes.sd[: self.modes],
            "sd_noise": modes.sd_errors[: self.modes],
            "kept": modes.kept[: self.modes],
            "floor": modes.floor,
            "shown": min(modes.shown, self.modes),
            "people": self.n,
            "coordinates": fitted.drawn[:, :leading] * back,
            "coordinate_unit": back,
            "coordinate_noise": back * np.sqrt(fitted.left[0, 0, :leading]) * self.n / fitted.s1,
            "coordinate_residual": back[:, None] * fitted.raw * back,
            "axes": marks.mark(shaped.axes[0]).tobytes().hex(),
        }

    def foretold(self):
        """Return the noise and chance (J, m, d, d) that the mean would have, for forecasts to count people by.

        They are covariances at each point, in unit-area faces, of people like the public ones.
        """
        basis, shape = scale_axes(self.shaped.back, self.shaped.axes), self.center.shape
        noise = (self.moments.noise[0] / self.n) ** 2 * at_points(basis, shape)
        return noise, at_points(np.sqrt(self.variances)[:, None] * basis, shape) / self.n


def scale_axes(back, axes):
    """Return (q, J * d * m) what one of each coordinate u moves on the surface, by which coordinates become shapes.

    Parameters
    ----------
    back : (q,) array
        Lengths on the surface for one of each u.
    axes : (q, J, d, m) array
        The public axes.
    """
    return (back[:, None] * axes.reshape(len(axes), math.prod(axes.shape[1:]))).astype(np.float32)


def on_surface(coefficients, basis, center):
    """Return (1 + p, J, d, m) coefficients as shapes to publish: the mean at z = (1, 0), what a covariate adds.

    Parameters
    ----------
    coefficients : (1 + p, q) array
        In u.
    basis : (q, J * d * m) array
        See `scale_axes`.
    center : (J, d, m) array
        The public reference.
    """
    effects = np.asarray(coefficients @ basis, dtype=float).reshape(-1, *center.shape)
    effects[0] += center
    return effects


def at_points(rows, shape, weights=1.0):
    """Return (..., J, m, d, d) the covariance at each point that uncorrelated moves along rows add up to.

    A release states its noise and people's spread so. It is the weighted sum over rows of their outer products.

    Parameters
    ----------
    rows : (q, J * d * m) array
        Displacements of the surface.
    shape : (int, int, int)
        (J, d, m).
    weights : (..., q) array or float
        Of the rows.
    """
    parts, d = rows.reshape((-1, *shape)), shape[1]
    weights = np.broadcast_to(np.asarray(weights, dtype=rows.dtype), (*np.shape(weights)[:-1], len(parts)))

    def summed(a, b):
        return np.tensordot(weights, parts[:, :, a] * parts[:, :, b], axes=1)

    return np.stack([np.stack([summed(a, b) for b in range(d)], -1) for a in range(d)], -2)


def add_up_moves(moves, basis, shape):
    """Return (k, k, J, m, d, d) the covariances of k fields at each point, by uncorrelated moves of all of them.

    A release states so what is left of chance, and of noise, in the mean of everybody and in the effects.

    Parameters
    ----------
    moves : (r, k, q) array
        Of coordinates.
    basis : (q, J * d * m) array
        See `scale_axes`.
    shape : (int, int, int)
        (J, d, m).
    """
    count, (_, d, _) = moves.shape[1], shape
    faces = basis.reshape(-1, *shape)
    found = np.empty((count, count, shape[0], shape[2], d, d), basis.dtype)
    # A pair at a time: moves are many, and whole faces of all of them would take more than a gigabyte.
    for first in range(count):
        for second in range(first + 1):
            covariance = (moves[:, first].T @ moves[:, second]).astype(basis.dtype)
            rows = (covariance @ basis).reshape(faces.shape)
            pair = np.einsum("qjcm,qjdm->jmcd", faces, rows, optimize=True)
            found[first, second], found[second, first] = pair, pair.swapaxes(-1, -2)
    return found


class FaceModel(Model):
    """Of faces, as `shaped` encodes them."""

    proofs = Proofs(
        moved=("11 and 12", "test_integer_sums"),
        rounded=("4 and 12", "test_integer_sums"),
        machine_checked=("4.1", "4.3", "11.6", "12.2", "14.8"),
    )
    words = (
        "Gaussian noise on three sums at once, of people's coordinates along the ways in which public faces differ, "
        "of their covariates, and of products of these: mean, effects and modes of variation follow from them"
    )

    @classmethod
    def from_variation(cls, variation, n, mu, covariates=(), modes_wanted=FIRST, planned_for=None):
        """Return the mechanism that releases a model of n people's faces, planned by how public people vary."""
        check_count(n)
        far_share = FAR_SHARE if (planned_for or n) * mu >= ENOUGH else 0.0
        mu_for_choice = find_mu_for_choice(mu * math.sqrt(1 - far_share), covariates)
        chosen = face_variation.choose(variation, planned_for or n, mu_for_choice, shrinks=False)
        shaped = Shaped.from_plan(variation, n, mu, chosen)
        return cls.planned(variation, shaped, n, mu, covariates, modes_wanted, planned_for, far_share)

    def _find_mean(self, answer):
        """Return the FoundMean, with what a clip took of some who lie far where that is told: (12.11)."""
        found_mean = super()._find_mean(answer)
        if found_mean is None or not self.far_mu:
            return found_mean
        restored, plan, variation = found_mean.restored, self.shaped.plan, self.shaped.variation
        squares, squares_sd, leading = self._find_squares(answer)
        mean = self._find_mean_in_bound(answer, restored)
        answers = likely_lengths.ModelAnswers(
            n=self.n,
            mean=mean,
            errors=restored.errors,
            squares=(squares, squares_sd),
            leading=leading,
            direction=(answer[3], 2 / (self.n * self.far_mu)),
        )
        times, times_error = likely_lengths.scale_taken(variation, plan, answers, restored.moved)
        mean = mean + (times - 1) * restored.moved
        restored = replace(restored, moved=times * restored.moved)
        lengths = likely_lengths.weigh_lengths(variation, plan, self.shaped.clip, replace(answers, mean=mean))
        away, noise = plan.scales * mean - noised_means.find_public_mean(variation, plan), plan.scales * restored.errors
        parts = likely_shares.group_axes(variation, plan)
        chance = variation.falling_variances[plan.axes] * (1 / self.n + 1 / variation.people)
        sure = away * likely_shares.find_shares_beyond_chance(away, chance, noise**2, parts)
        own_squares = np.mean(clips.list_people_about_mean(variation, plan) ** 2, axis=0) * plan.scales**2
        loss = far_losses.find_one_sided_loss(lengths.far_people, sure, own_squares, plan, plan)
        doubt = math.hypot(DOUBT, times_error / times)
        doubts = (doubt * plan.scales * restored.moved) ** 2 + loss.errors**2 + (DOUBT_OF_FAR * loss.taken) ** 2
        unreleased = noised_means.with_unseen(
            variation,
            plan,
            face_variation.describe_unreleased(variation, plan, self.n),
            sure,
            chance,
            parts,
            is_falling=True,
        )
        return FoundMean(
            restored=replace(restored, moved=restored.moved + loss.taken / plan.scales),
            errors=np.sqrt(noise**2 + doubts) / plan.scales,
            lengths=lengths,
            unreleased=unreleased,
        )

    def less_noise(self, fitted):
        """Return the Effects with noise taken off them, as (12.5) says, before they are published."""
        chosen = self.shaped.plan
        spread = face_variation.public_spread(self.shaped.variation, chosen) * self.shaped.gain**2
        return take_off_noise(fitted, spread, likely_shares.group_axes(self.shaped.variation, chosen))

    def with_whole_effects(self, fitted, answer, restored):
        """Return the Effects with what the clip took of them put back, as it takes of public people: (12.9)."""
        shaped, mean = self.shaped, self._find_mean_in_bound(answer, restored)
        # of people a standard deviation of the covariate to either side
        sds = np.sqrt(np.diag(np.linalg.inv(fitted.inverse[1:, 1:])) / self.n)
        moves = shaped.plan.tau / shaped.bound * sds[:, None] * fitted.coefficients[1:]
        shares = noised_means.find_moves_left(shaped.variation, shaped.plan, mean, restored.scale, shaped.clip, moves)
        return with_effects_put_back(fitted, shares)

    def fields(self, fitted, modes):
        """Return what the released file holds, with effects as drawn, and how public people vary beyond the axes.

        A face's norm counts the latter, since its release cannot show it. Of chance and of the noise on the covariates'
        moment it holds what is left in effects from which noise was taken off.
        """
        basis, shape = scale_axes(self.shaped.back, self.shaped.axes), self.center.shape
        fields = super().fields(fitted, modes)
        if fitted.unreleased is not None:
            fields["noise_parts"][0, 0] += find_unreleased(self.shaped.variation, fitted.unreleased)
        return fields | {
            "outside": find_beyond_axes(self.shaped.variation, self.shaped.plan.axes),
            "effects_drawn": on_surface(fitted.drawn, basis, self.center),
            "second_parts": add_up_moves(fitted.by_second, basis, shape),
            "chance_parts": add_up_moves(find_chance_kept(fitted), basis, shape),
        }


def find_unreleased(variation, unreleased):
    """Return (J, m, d, d) the covariance at each point by which a mean errs for what is not released of it.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    unreleased : face_variation.UnreleasedPart
        Of the mean.
    """
    d, shape = variation.center.shape[1], variation.center.shape
    along = at_points(scale_axes(unreleased.errors, variation.axes(unreleased.axes)), shape)
    return along + unreleased.outside / d * np.eye(d)


def find_beyond_axes(variation, axes):
    """Return (J, m, d, d) the covariance of public people beyond the released axes, which norms of a face add.

    Parameters
    ----------
    variation : Variation
        What is known of public people.
    axes : (k,) int array
        By index into modes and harmonics.
    """
    unreleased, shape = np.setdiff1d(np.arange(len(variation.moments)), axes), variation.center.shape
    along = at_points(scale_axes(np.sqrt(variation.variances[unreleased]), variation.axes(unreleased)), shape)
    return along + float(variation.outside.mean()) / shape[1] * np.eye(shape[1])


def check_count(n):
    """Refuse a model of one."""
    if n < 2:
        raise RefusedRelease(f"a model is made from at least 2 people, got n = {n}")


def find_mu_for_choice(mu, covariates):
    """Return the mu by which the axes are chosen: noise on M1 grows with the length of z."""
    return mu / np.sqrt(1 + len(covariates))
