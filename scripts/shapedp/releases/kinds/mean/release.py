"""The releases of means: of people's curves, or of their shapes with their size where it is asked for.

Three draws of the noise of a mean face are simulated around it by an ordinary seeded generator: post-processing, which
costs nothing and gives the same bytes when it is made again. They show how far the truth may lie; they are no releases.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.settings import read_default
from shapedp.privacy import worth
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.recentred import RecentredMean
from shapedp.privacy.shapes.base import as_real
from shapedp.privacy.shapes.learned import Shaped as ShapedShapes
from shapedp.privacy.statistic import Mechanism
from shapedp.releases import curve_mechanisms, protocol, shape_mechanisms
from shapedp.releases.faces import FaceRelease, ReleaseInputs, public_mark, template_fields
from shapedp.releases.model import at_landmarks, mean_at_landmarks
from shapedp.releases.protocol import Settings
from shapedp.releases.shapes import NOISE, PublicShapes, ShapeRelease, state_distances
from shapedp.releases.statement.conditions import Facts, Origin
from shapedp.surfaces.measures import Measures
from shapedp.surfaces.subjects.catalogues import state_measures

# Simulated around the release with a fixed seed, so that the same bytes come whenever they are made again.
DRAWS, SEED = 3, 1


@dataclass(frozen=True)
class MeanFace(FaceRelease):
    """The mean of n people's curves. measures : between landmarks that the public template carries, or None"""

    measures: Measures | None = None

    file = "mean_face.h5"

    @classmethod
    def from_inputs(cls, plan: ReleaseInputs) -> "MeanFace":
        """Return the release that an entry asks for, planned from public numbers and ready to be published.

        It is refused where noise would leave it no better than the template.
        """
        entry, curves, kernel = plan.completed_entry, plan.template.curves, plan.section["kernel"]
        reference = curves if entry["reference"] == "template" else None
        settings = CurveSettings(
            shape=curves.shape,
            n=plan.n,
            bounds=plan.limits,
            reference=reference,
            budget=entry["budget"],
            kernel=kernel,
            planned_for=entry["planned_for"],
        )
        mechanism = curve_mechanisms.make_for_release(entry["mechanism"], settings)
        usefulness = mechanism.worth()
        # Noise that is scaled to private data may decide nothing: whether there is a release would tell of them.
        if usefulness is None and plan.variation is not None and plan.limits.public:
            usefulness = worth.judge_noise_alone(mechanism.noise_size() ** 2, plan.variation, plan.n)
        worth.refuse_useless(usefulness, entry["name"], entry["worth_it_anyway"] or entry["planned_for"] is not None)
        origin, extra_settings = (
            Origin("none") if reference is None else plan.template.origin,
            {"reference": entry["reference"]},
        )
        measures = plan.template_path and at_landmarks.read_measures(plan.template_path, plan.section)
        if measures and plan.limits.public and isinstance(mechanism, Shaped):
            extra_settings |= state_measures(plan.section)
        return cls(
            mechanism=mechanism,
            sensitivity_inputs=mechanism.inputs(kernel),
            reference=origin,
            extra_settings=extra_settings,
            measures=measures,
            **plan.common_fields,
        )

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what the released file holds: the mean's curves, and the size of their noise.

        That is withheld where the noise is scaled to private data.
        """
        decoder = self.mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1])
        curves = decoder.decode(answers[-1])
        noise = noise_fields(decoder, curves, float(self.template.scale))
        # The size of noise that is scaled to private data would tell of them.
        if not self.limits.public:
            noise = withhold(noise)
        return {"curves": curves, **noise, **template_fields(self.template)}

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any] | None:
        """Return what is kept to be pooled with other releases: the noised mean along `shaped`'s axes, as lengths.

        Where the mean is asked several times it is what all answers told together.
        """
        # Only coordinates along public axes add up over releases, so only these are kept to be pooled.
        if not isinstance(self.mechanism, Shaped):
            return None
        decoder, asked_first = self.mechanism.with_bound_from(answers[:-1]), answers[:-1]
        values, noise = decoder.lengths_along * answers[-1], decoder.lengths_along * (decoder.noise / decoder.n)
        if isinstance(self.mechanism, RecentredMean):
            # The last answer alone is not the mean: what all answers told together is.
            (values, noise), asked_first = decoder.decoder_for(answers[-1]).mean_along, answers
        return {
            "values": values,
            "noise": noise,
            "spread": self.limits.variances[decoder.plan.axes],
            "asked_first": np.concatenate([np.zeros(0), *(np.ravel(answer) for answer in asked_first)]),
            "axes": np.zeros((0, 0)),
            "public": public_mark(self.template, self.limits, decoder.plan.axes),
        }

    def files(self, answers: tuple[NDArray, ...]) -> dict[str, bytes]:
        """Return the files to publish, with one by which the error of distances between landmarks can be told.

        That comes where the mean is shaped like public people and the template has landmarks.
        """
        written = super().files(answers)
        if self.measures is not None and self.limits.public and isinstance(self.mechanism, Shaped):
            decoder = self.mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1])
            known = mean_at_landmarks.learn(decoder, self.measures)
            written[mean_at_landmarks.FILE] = protocol.artifact_bytes(mean_at_landmarks.FILE, known, self.settings())
        return written

    def complete_facts(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """Return the facts with what the answers tell of this cohort, for the statement to say.

        That is how much the bound was widened, what was put back and taken off, and whether the cohort is unlike the
        public.
        """
        if not self.limits.public:
            return facts
        decoder = self.mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1])
        noise_mm = float(self.template.scale) * decoder.noise_size()
        unlike = decoder.differs_from_public_set(answers[-1])
        told_of_clip = {
            "widened": decoder.bound_scale,
            "undone": decoder.largest_undo_factor,
            "shrunk": getattr(decoder, "shrink_shares", None),
        }
        if (uneven := decoder.describe_far_people()) is not None:
            share, missing = uneven
            told_of_clip |= {"far_share": share, "missing_mm": float(self.template.scale) * missing}
        return replace(facts, noise_mm=noise_mm, unlike=unlike, settled_sd=decoder.settled_sd, **told_of_clip)


def noise_fields(mechanism: Mechanism, curves: NDArray, scale: float) -> dict[str, NDArray]:
    """Return {noise_sd, noise_mm, noise_draws} of a released mean face, by which a reader sees how far noise moves it.

    Parameters
    ----------
    mechanism : Mechanism
        As it decodes the mean.
    curves : (J, 3, m) float
        The release.
    scale : float
        mm of the unit.
    """
    rng = np.random.default_rng(SEED)
    return {
        "noise_sd": mechanism.noise_sd(),
        "noise_mm": scale * np.sqrt(mechanism.point_variances().sum(axis=1)),
        "noise_draws": curves + np.array([mechanism.simulate_error(rng) for _ in range(DRAWS)]),
    }


def withhold(fields: dict[str, NDArray]) -> dict[str, NDArray]:
    """Return the same fields with nothing said: noise that is scaled to private data would tell of them."""
    return {name: np.full(np.shape(value), np.nan) for name, value in fields.items()}


@dataclass(frozen=True)
class MeanShape(ShapeRelease):
    """The mean of n people's shapes, with their size where it is asked for."""

    file = "mean_shape.h5"

    @classmethod
    def from_entry(cls, entry: Settings, shapes: Settings, privacy: Settings, known: PublicShapes) -> "MeanShape":
        """Return the release that an entry asks for, planned from public numbers and ready to be published.

        It is refused where noise would leave it no better than the center.
        """
        completed_entry = read_default("shapes.releases[]") | dict(entry)
        shrink, worth_it_anyway, planned_for = (
            completed_entry[key] for key in ("shrink", "worth_it_anyway", "planned_for")
        )
        mechanism = shape_mechanisms.make(
            entry["mechanism"], known.ball, entry["budget"], shrink, worth_it_anyway, planned_for
        )
        unit = NOISE if mechanism.first else mechanism.stated_bounds()[0][2]
        distances = state_distances(shapes, len(as_real(known.ball.p0)))
        return cls(entry, shapes, privacy, mechanism, known, unit, mechanism.inputs(), distances)

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any] | None:
        """Return what is kept to be pooled with other releases: the noised mean along axes, as angles, and the axes."""
        if not isinstance(self.mechanism, ShapedShapes):
            return None
        decoder = self.mechanism.decoding(answers)
        known, used = decoder.coordinates.variation, slice(decoder.coordinates.choice.axes)
        return {
            "values": decoder.mean_along(answers[-1]),
            "noise": decoder.errors_along,
            "spread": np.maximum(known.held_out[used] - known.means[used], 0.0),
            **self._axes(decoder.coordinates.axes),
        }

    def complete_facts(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """Return the facts with what the answers tell of this cohort, for the statement to say.

        That is how far people lie, what the clip took of their mean, and whether they are unlike the public set;
        withheld where the noise is scaled to the records.
        """
        stated = self.known.r_source == "config" and not self.mechanism.from_data
        return replace(facts, **self.mechanism.tells(answers)) if stated else facts

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what the released file holds: the mean shape and the size of its noise.

        That is withheld where the noise is scaled to the records.
        """
        mechanism, known = self.mechanism, self.known
        stated = known.r_source == "config" and not mechanism.from_data
        bandwidth = None if known.ball.size else self.entry.get("bandwidth")
        shape = as_real(mechanism.published(answers, bandwidth))
        k, d = shape.shape
        size, size_noise = mechanism.size(answers)
        mechanism = mechanism.decoding(answers)
        return {
            "landmarks": shape,
            "size": size,
            "size_noise": size_noise if stated else np.nan,
            "center": as_real(known.ball.p0) if known.center_public else np.full((k, d), np.nan),
            "noise_radius": mechanism.error_size() if stated else np.nan,
            "noise_covariance": mechanism.error_covariance() if stated else np.full((k, d, d), np.nan),
        }


RELEASES = {"faces": MeanFace, "shapes": MeanShape}
