"""Models of landmark shapes: the same moments as of faces, with u the coordinates of deviations from the public p0.

Those are clipped as of (7.7). A shape is one curve of k points, (1, d, k), and what is released of it is p0 and tangent
vectors at p0; a face's lengths are means over its points, a shape's the whole, in radian.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.privacy.learned import clips, shape_variation
from shapedp.privacy.learned.face_variation import ReleasePlan
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.proofs import Proofs
from shapedp.privacy.shapes.base import Ball, as_real
from shapedp.privacy.shapes.learned import Coordinates, Shaped
from shapedp.releases.model.budget_split import FIRST
from shapedp.releases.model.covariates import SIZE
from shapedp.releases.model.model_mechanism import Model, at_points, check_count, find_mu_for_choice, scale_axes

# Public shapes from which their spread at one size is learnt, at least; and how far their log sizes must differ, which
# those of a file of shapes of one size do by rounding.
FEWEST_SIZED, SAME_SIZE = 10, 1e-3
# Share of public shapes' variance that a model leaves untold outside the released axes.
UNTOLD = 1e-3


class ShapeModel(Model):
    """Of landmark shapes."""

    proofs = Proofs(
        ("7 and 12", "test_integer_sums"), ("4 and 12", "test_integer_sums"), machine_checked=("4.3", "11.6", "12.2")
    )
    words = (
        "Gaussian noise on three sums at once, of the shapes' deviations from the center along the ways in which "
        "public shapes differ, of covariates, and of products of these: mean, effects and modes follow from them"
    )

    @classmethod
    def from_ball(cls, ball, mu, covariates=(), modes=FIRST, planned_for=None):
        """Return the mechanism that releases a model of n people's shapes, planned by their public ball.

        Parameters
        ----------
        ball : Ball
            What is public.
        mu : float
            Of the release.
        covariates : sequence of Covariate
        modes : int
            How many are asked for.
        planned_for : int, optional
            People whom axes, clip and split are chosen for; these without.
        """
        check_count(ball.n)
        mean = Shaped(ball, {"mu_total": find_mu_for_choice(mu, covariates)}, planned_for=planned_for)
        mean.check()
        coordinates, p0, variation = mean.coordinates, mean.coordinates.shapes.p0, mean.coordinates.variation
        shaped = ShapeCoordinates(
            ball=ball,
            coordinates=coordinates,
            learned=mean.learned,
            plan=coordinates.released,
            center=as_curve(p0),
            axes=as_curve(coordinates.axes.reshape(-1, *p0.shape)),
            gain=1 / coordinates.roots,
            back=coordinates.roots,
        )
        return cls.planned(variation, shaped, ball.n, mu, covariates, modes, planned_for)

    @property
    def ball(self):
        """The public ball that shapes are released in."""
        return self.shaped.ball

    @property
    def learned(self):
        """(quantile, margin, people) of the public set behind the bound, or None where settings give it."""
        return self.shaped.learned

    def tells(self, answer):
        """Return what the noised moments say, to be stated, with how far the mean likely lies from these people's."""
        missing = shape_variation.forecast_missing_squares(
            self.shaped.variation, self.shaped.coordinates.choice, self.n
        ).sum()
        return super().tells(answer) | {"error_radian": float(np.hypot(self.errs(answer), np.sqrt(missing)))}

    def fields(self, fitted, modes):
        """Return the fields, with what is expected beyond the axes, and what tables of distances take of people."""
        known, lengths = self.shaped.variation, self.shaped.back[: self.moments.leading] ** 2
        people = 0 if known is None or np.isinf(known.people) else known.people
        # It clips everybody as they differ, by their covariates as well.
        kept = self.find_share_kept(np.diag(modes.covariance) / lengths)
        return (
            super().fields(fitted, modes)
            | {"beyond": self.shaped.beyond}
            | {"coordinate_covariance": modes.covariance, "kept_by_clip": kept, "public_people": people}
            | self._describe_public_people()
        )

    def _describe_public_people(self):
        """Return the fields on how public shapes differ along the released axes and outside them; public.

        Tables of distances need how landmarks go together, outside the released axes, too, and at one size: about a
        line in log size, where that is a covariate and the public shapes have several sizes. A pooled model, which
        takes all this from its sources, has none of its own.
        """
        known, landmarks, nothing = self.shaped.variation, as_landmarks(self.shaped.center), np.zeros((0, 0))
        fields = {
            "outside_axes": np.zeros((0, *landmarks.shape)),
            "public_covariance": nothing,
            "public_at_size": nothing,
            "public_mean": np.zeros(0),
            "public_by_size": np.zeros(0),
            "unclipped_share": 1.0,
        }
        if known is None or self.ball.public is None:
            return fields
        public, axes = as_real(self.ball.public), self.shaped.coordinates.axes
        deviations = self.shaped.coordinates.shapes.deviations(public)
        outside_axes = _find_outside_axes(deviations, axes)
        along = deviations @ np.vstack([axes, outside_axes]).T
        fields["public_mean"], fields["unclipped_share"] = known.mean[: len(axes)], self._find_unclipped_share()
        fields["outside_axes"] = outside_axes.reshape(-1, *landmarks.shape)
        fields["public_covariance"] = _covariance_about_line(along, np.ones((len(along), 1)))
        log_sizes = landmark_shapes.log_sizes(public)
        has_size, is_covariate = np.isfinite(log_sizes), SIZE in [covariate.name for covariate in self.covariates]
        if is_covariate and has_size.sum() >= FEWEST_SIZED and np.ptp(log_sizes[has_size]) >= SAME_SIZE:
            line = np.column_stack([np.ones(has_size.sum()), log_sizes[has_size]])
            fields["public_at_size"] = _covariance_about_line(along[has_size], line)
            fields["public_by_size"] = np.linalg.lstsq(line, along[has_size, : len(axes)], rcond=None)[0][1]
        return fields

    def _find_unclipped_share(self):
        """Return the share of public people's squared lengths along the leading axes that the unclipped ones have.

        Of how much wider people lie, a clipped moment shows this share. Public.
        """
        plan = self.shaped.plan
        people = self.shaped.variation.deviations[:, plan.axes]
        squares = np.sum(people[:, : self.moments.leading] ** 2, axis=1)
        return float(squares @ (np.linalg.norm(people / plan.scales, axis=1) <= plan.tau) / squares.sum())


def _find_outside_axes(deviations, axes):
    """Return (o, k d) the fewest orthonormal directions outside axes (q, k d) that leave UNTOLD of a variance at most.

    It is that of deviations (n, k d) about their mean.
    """
    about = deviations - deviations.mean(axis=0)
    _, lengths, directions = np.linalg.svd(about - about @ axes.T @ axes, full_matrices=False)
    left = np.sum(lengths**2) - np.cumsum(np.append(0.0, lengths[:-1] ** 2))
    return directions[left > UNTOLD * np.sum(about**2)]


def _covariance_about_line(along, line):
    """Return (e, e) the covariance of numbers (n, e) about what least squares explains of them by (n, p)."""
    left = along - line @ np.linalg.lstsq(line, along, rcond=None)[0]
    return left.T @ left / (len(along) - line.shape[1])


def share_within(beyond):
    """Return the share of a length that lies along the released axes."""
    return float(1 / np.sqrt(1 + np.trace(beyond, axis1=-2, axis2=-1).sum()))


@dataclass(frozen=True)
class ShapeCoordinates:
    """What `curves.learned.Shaped` is to faces: how people's records become coordinates u about the ball's p0.

    coordinates : the public maps; learned : as of `ShapeModel`; plan : the axes, as the planner of models takes them
    center (1, d, k) p0; axes (q, 1, d, k), of length 1 over all landmarks; gain (q,) u for each radian along an axis,
    back (q,) radian for each u
    """

    ball: Ball
    coordinates: Coordinates
    learned: tuple | None
    plan: ReleasePlan
    center: np.ndarray
    axes: np.ndarray
    gain: np.ndarray
    back: np.ndarray

    clip = staticmethod(clips.clip_by_length)

    @property
    def variation(self):
        """How public shapes vary."""
        return self.coordinates.variation

    @property
    def bound(self):
        """The bound on ||u||."""
        return self.plan.tau

    @property
    def beyond(self):
        """Return what a released model of shapes cannot show of people, which its intervals count nevertheless.

        It is the covariance (1, k, d, d) of public people outside the released axes, for each unit of squared length
        along these.
        """
        known, released = self.coordinates.variation, len(self.axes)
        left = as_curve(known.axes[released:].reshape(-1, *self.coordinates.shapes.p0.shape))
        outside = at_points(scale_axes(np.sqrt(known.variances[released:]), left), self.center.shape)
        return outside / known.variances[:released].sum()

    def encode(self, records):
        """Return (n, q) coordinates u of records (n, k, d) or complex (n, k), clipped."""
        return self.coordinates.clipped(as_real(records))


def as_curve(landmarks):
    """Return landmarks (..., k, d) as (..., 1, d, k), one curve."""
    return np.swapaxes(landmarks, -1, -2)[..., None, :, :]


def as_landmarks(curves):
    """Return (..., 1, d, k), one curve, as landmarks (..., k, d)."""
    return np.swapaxes(curves[..., 0, :, :], -1, -2)
