"""Releases of what faces or shapes change or how they differ from their mirror images: the mean, and people's spread.

A person's difference is one row like any face's (`chain.differences`), about the template, which stands for none. So it
is clipped, shaped and noised as a mean face is, and the same proof holds. Besides comes one number: how far people lie
about their mean difference, which of asymmetries is called fluctuating, and by which chance in who takes part is known.
Of shapes a row is the public center moved by a person's difference (`chain.shapes`).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import read_default
from shapedp.privacy import worth
from shapedp.privacy.curves.base import CurveSettings
from shapedp.privacy.differences import ShapedWithSpread, ShapesWithSpread
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.shapes.base import OUTPUT_GRID
from shapedp.releases.faces import ReleaseInputs, template_fields
from shapedp.releases.kinds.change import released
from shapedp.releases.kinds.mean.release import MeanFace
from shapedp.releases.model.model_mechanism import at_points
from shapedp.releases.protocol import Settings
from shapedp.releases.shapes import NOISE, PublicShapes, ShapeRelease
from shapedp.releases.statement.conditions import Facts
from shapedp.surfaces.chain import differences


@dataclass(frozen=True)
class MeanDifference(MeanFace):
    """The mean of n people's changes or asymmetries."""

    file = released.FILE

    @classmethod
    def from_inputs(cls, plan: ReleaseInputs) -> "MeanDifference":
        entry, curves, kernel = plan.completed_entry, plan.template.curves, plan.section["kernel"]
        refuse_few(f"faces/{entry['name']}", plan.n)
        settings = CurveSettings(
            shape=curves.shape,
            n=plan.n,
            bounds=plan.learned(),
            reference=curves,
            budget=entry["budget"],
            kernel=kernel,
            planned_for=entry["planned_for"],
        )
        mechanism = ShapedWithSpread.from_settings(settings)
        worth.refuse_useless(
            mechanism.worth(), entry["name"], entry["worth_it_anyway"] or entry["planned_for"] is not None
        )
        origin, extra_settings = plan.template.origin, {"reference": entry["reference"]} | taken(plan.entry)
        return cls(
            mechanism=mechanism,
            sensitivity_inputs=mechanism.inputs(kernel),
            reference=origin,
            extra_settings=extra_settings,
            **plan.common_fields,
        )

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """The template with the mean difference added, its noise, and chance as people's released spread tells it."""
        decoder = self.mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1])
        return self.to_fields(decoder, answers[-1], *self.mechanism.spread(answers))

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """What the means told together along the axes, and all answers that it follows from."""
        decoder = self.mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1])
        mean, errors = decoder.mean_along
        return super().drawn(answers) | {"values": mean, "noise": errors, "asked_first": np.concatenate(answers)}

    def to_fields(
        self, decoder: ShapedWithSpread, answer: NDArray, spread: float, spread_noise: float
    ) -> dict[str, Any]:
        """The same of a noised mean and of people's variance about it with its noise; settled : what decodes it."""
        scale, noise = float(self.template.scale), noise_at_points(decoder)
        return {
            "reference": decoder.center,
            "curves": decoder.decode(answer),
            "noise_covariance": noise,
            "sampling_covariance": chance(self.limits, decoder.plan, spread + spread_noise, decoder.n),
            "noise_mm": scale * np.sqrt(np.trace(noise, axis1=-2, axis2=-1)),
            "spread_mm": scale * np.sqrt(spread),
            "spread_noise_mm2": scale**2 * spread_noise,
            "outside_mm": scale * np.sqrt(outside(self.limits, decoder.plan, decoder.n)),
            "people": decoder.n,
            **template_fields(self.template),
        }


def taken(entry: Settings) -> dict[str, Any]:
    """The public settings that say what is taken of a person's records."""
    per = [{"name": name, "range": list(map(float, ends))} for name, ends in entry.get("per", {}).items()]
    times = {"times": list(entry["times"])} if entry["kind"] == differences.CHANGE else {}
    return {"kind": entry["kind"]} | times | ({"per": per} if per else {})


@dataclass(frozen=True)
class MeanShapeDifference(ShapeRelease):
    """The mean of n people's changes or asymmetries of landmark shapes."""

    file = released.SHAPE_FILE

    @classmethod
    def from_entry(
        cls, entry: Settings, shapes: Settings, privacy: Settings, known: PublicShapes
    ) -> "MeanShapeDifference":
        refuse_few(f"shapes/{entry['name']}", known.ball.n)
        mechanism = ShapesWithSpread(known.ball, entry["budget"])
        mechanism.check()
        completed_entry = read_default("shapes.releases[]") | dict(entry)
        worth.refuse_useless(mechanism.worth(), completed_entry["name"], completed_entry["worth_it_anyway"])
        return cls(entry, shapes, privacy, mechanism, known, NOISE, mechanism.inputs(), taken(entry))

    def complete_facts(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """How many times as far as public people these lie, as the first stage told, and the noise that followed."""
        decoder = self.mechanism.with_bound_from(answers)
        return replace(facts, widened=decoder.bound_scale, settled_sd=decoder.settled_sd)

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """The center with the mean difference added, its noise, and chance as people's released spread tells it."""
        decoder = self.mechanism.with_bound_from(answers)
        spread, spread_noise = self.mechanism.spread(answers)
        coordinates = decoder.coordinates
        reference = coordinates.shapes.p0
        moved = ((coordinates.roots * answers[-1]) @ coordinates.axes).reshape(reference.shape)
        return {
            "reference": reference,
            "landmarks": np.round((reference + moved) / OUTPUT_GRID) * OUTPUT_GRID,
            "noise_covariance": decoder.noise_covariance(),
            "sampling_covariance": chance_of_landmarks(decoder, spread + spread_noise),
            "spread": np.sqrt(spread),
            "spread_noise": spread_noise,
            "outside": np.sqrt(outside_of_landmarks(decoder)),
            "people": decoder.n,
        }


def refuse_few(name: str, n: int) -> None:
    """A mean of one difference is that difference."""
    if n < 2:
        raise RefusedRelease(
            f"{name}: {n} people have what this release is of; a mean needs at least 2. No noise was drawn"
        )


def chance_of_landmarks(mechanism: ShapesWithSpread, spread: float) -> NDArray[np.float64]:
    """(k, d, d) covariance of a mean of n people by chance, as `chance` has it of faces: what lies beyond the released
    axes varies as public people's differences do.
    """
    coordinates = mechanism.coordinates
    held, axes = coordinates.variation.held_out, coordinates.variation.axes.reshape(-1, *coordinates.shapes.p0.shape)
    inside = np.arange(len(held)) < coordinates.choice.axes
    variances = np.where(inside, held * spread / max(float(held[inside].sum()), 1e-300), held)
    return np.einsum("q,qkd,qke->kde", variances, axes, axes) / mechanism.n


def chance(
    variation: Variation, chosen: Any, spread: float, n: int, axes: NDArray | None = None
) -> NDArray[np.float64]:
    """(J, m, 3, 3) covariance of a mean of n people by chance, as public people's differences are spread over the face,
    and brought to the released spread of a person along the released axes; what these leave is as large as public
    people's, in all directions alike. axes (k, J, 3, m) : the released ones at the points that are asked for, or None
    """
    inside = variation.variances[chosen.axes]
    axes = variation.axes(chosen.axes) if axes is None else axes
    factor = spread / max(float(inside.sum()), 1e-300)
    beside_axes = float(np.sum(variation.variances) - inside.sum()) + float(variation.outside.mean())
    rows = np.sqrt(inside * factor)[:, None] * axes.reshape(len(axes), -1)
    return (at_points(rows, axes.shape[1:]) + beside_axes / 3 * np.eye(3)) / n


def outside(variation: Variation, chosen: Any, n: int) -> float:
    """Expected square per point of what the released axes cannot show of a mean as far off as settings assume."""
    inside, beyond = variation.pull(n, True)
    return float(inside.sum() - inside[chosen.axes].sum()) + beyond


def outside_of_landmarks(mechanism: ShapesWithSpread) -> float:
    """The same of the whole shape, radian^2."""
    return mechanism.coordinates.choice.bias + mechanism.coordinates.choice.unlike


def noise_at_points(mechanism: ShapedWithSpread, axes: NDArray | None = None) -> NDArray[np.float64]:
    """(J, m, 3, 3) covariance of the noise for privacy on what `mechanism` decodes; axes : as of `chance`."""
    axes = mechanism.axes if axes is None else axes
    return at_points(mechanism.errors_along[:, None] * axes.reshape(len(axes), -1), axes.shape[1:])


RELEASES = {"faces": MeanDifference, "shapes": MeanShapeDifference}
