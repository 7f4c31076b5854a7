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
        """Return the release that an entry asks for, planned from public numbers and ready to be published.

        It is refused where it would be no better than the template.
        """
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
        origin, extra_settings = plan.template.origin, {"reference": entry["reference"]} | state_taken(plan.entry)
        return cls(
            mechanism=mechanism,
            sensitivity_inputs=mechanism.inputs(kernel),
            reference=origin,
            extra_settings=extra_settings,
            **plan.common_fields,
        )

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what the released file holds: the template with the mean difference added, its noise, and chance.

        Chance is as large as people's released spread tells.
        """
        decoder = self.mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1])
        return self.to_fields(decoder, answers[-1], *self.mechanism.spread(answers))

    # The means count together, so pooling needs what they told together and whatever that followed from.
    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what is kept to be pooled: what the means told together along the axes, and all answers before it."""
        decoder = self.mechanism.with_bound_from(answers[:-1]).decoder_for(answers[-1])
        mean, errors = decoder.mean_along
        return super().drawn(answers) | {"values": mean, "noise": errors, "asked_first": np.concatenate(answers)}

    def to_fields(
        self, decoder: ShapedWithSpread, answer: NDArray, spread: float, spread_noise: float
    ) -> dict[str, Any]:
        """Return the fields of the released file, from a noised mean and people's variance about it.

        Pooling calls it, too, with the mean of several releases.

        Parameters
        ----------
        decoder : ShapedWithSpread
            The mechanism as it decodes the mean.
        answer : (q,) float
            The noised mean.
        spread, spread_noise : float
            Variance of people about it, and the noise on that.
        """
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


def state_taken(entry: Settings) -> dict[str, Any]:
    """Return what is taken of a person's records, such as the two times, as public settings for the statement."""
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
        """Return the release that an entry asks for, planned from public numbers and ready to be published.

        It is refused where it would be no better than the center.
        """
        refuse_few(f"shapes/{entry['name']}", known.ball.n)
        mechanism = ShapesWithSpread(known.ball, entry["budget"])
        mechanism.check()
        completed_entry = read_default("shapes.releases[]") | dict(entry)
        worth.refuse_useless(mechanism.worth(), completed_entry["name"], completed_entry["worth_it_anyway"])
        return cls(entry, shapes, privacy, mechanism, known, NOISE, mechanism.inputs(), state_taken(entry))

    def complete_facts(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """Return the facts with what the answers tell, for the statement: how widely these people lie, and the noise.

        The first stage told how many times as far as public people they lie; the noise followed from that.
        """
        decoder = self.mechanism.with_bound_from(answers)
        return replace(facts, widened=decoder.bound_scale, settled_sd=decoder.settled_sd)

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what the released file holds: the center with the mean difference added, its noise, and chance.

        Chance is as large as people's released spread tells.
        """
        decoder = self.mechanism.with_bound_from(answers)
        spread, spread_noise = self.mechanism.spread(answers)
        coordinates = decoder.coordinates
        reference = coordinates.shapes.p0
        moved = ((coordinates.roots * answers[-1]) @ coordinates.axes).reshape(reference.shape)
        return {
            "reference": reference,
            # Landmarks lie on a public grid: the last digits of a float may tell of the data.
            "landmarks": np.round((reference + moved) / OUTPUT_GRID) * OUTPUT_GRID,
            "noise_covariance": decoder.noise_covariance(),
            "sampling_covariance": chance_of_landmarks(decoder, spread + spread_noise),
            "spread": np.sqrt(spread),
            "spread_noise": spread_noise,
            "outside": np.sqrt(outside_of_landmarks(decoder)),
            "people": decoder.n,
        }


def refuse_few(name: str, n: int) -> None:
    """Refuse a mean of fewer than two differences: that of one is the difference itself, a person's own."""
    if n < 2:
        raise RefusedRelease(
            f"{name}: {n} people were measured as this release needs, and a mean needs at least 2; correct the "
            "entry or the sheet. No noise was drawn"
        )


def chance_of_landmarks(mechanism: ShapesWithSpread, spread: float) -> NDArray[np.float64]:
    """Return (k, d, d) how far chance in who takes part moves a mean of n people: only a change beyond it is sure.

    It is a covariance, as `chance` has it of faces. What lies beyond the released axes varies as public people's
    differences do.

    Parameters
    ----------
    mechanism : ShapesWithSpread
        The mechanism, with the public variation.
    spread : float
        Variance of people about the mean along the released axes, radian^2.
    """
    coordinates = mechanism.coordinates
    held, axes = coordinates.variation.held_out, coordinates.variation.axes.reshape(-1, *coordinates.shapes.p0.shape)
    inside = np.arange(len(held)) < coordinates.choice.axes
    variances = np.where(inside, held * spread / max(float(held[inside].sum()), 1e-300), held)
    return np.einsum("q,qkd,qke->kde", variances, axes, axes) / mechanism.n


def chance(
    variation: Variation, chosen: Any, spread: float, n: int, axes: NDArray | None = None
) -> NDArray[np.float64]:
    """Return (J, m, 3, 3) how far chance in who takes part moves a mean of n people: only a change beyond it is sure.

    It is a covariance, spread over the face as public people's differences are, and brought to the released spread of a
    person along the released axes; what these leave is as large as public people's, in all directions alike.

    Parameters
    ----------
    variation : Variation
        How public people's differences vary.
    chosen : ReleasePlan
        The plan, with the released axes.
    spread : float
        Variance of people along them, in unit-area faces.
    n : int
        People.
    axes : (k, J, 3, m) float or None
        The released axes at the points that are asked for; None for all points.
    """
    inside = variation.variances[chosen.axes]
    axes = variation.axes(chosen.axes) if axes is None else axes
    # A public set whose members do not differ along the axes would divide by 0.
    factor = spread / max(float(inside.sum()), 1e-300)
    beside_axes = float(np.sum(variation.variances) - inside.sum()) + float(variation.outside.mean())
    rows = np.sqrt(inside * factor)[:, None] * axes.reshape(len(axes), -1)
    return (at_points(rows, axes.shape[1:]) + beside_axes / 3 * np.eye(3)) / n


def outside(variation: Variation, chosen: Any, n: int) -> float:
    """Return the expected square per point of what the released axes cannot show of a mean, to warn a reader of it.

    The mean lies as far off as settings assume.

    Parameters
    ----------
    variation : Variation
        How public people's differences vary.
    chosen : ReleasePlan
        The plan, with the released axes.
    n : int
        People.
    """
    inside, beyond = variation.pull(n, True)
    return float(inside.sum() - inside[chosen.axes].sum()) + beyond


def outside_of_landmarks(mechanism: ShapesWithSpread) -> float:
    """Return the same of a whole shape, radian^2."""
    return mechanism.coordinates.choice.bias + mechanism.coordinates.choice.unlike


def noise_at_points(mechanism: ShapedWithSpread, axes: NDArray | None = None) -> NDArray[np.float64]:
    """Return (J, m, 3, 3) how far the noise for privacy moves each point: only a change beyond it is sure.

    It is a covariance, of the noise on what a mechanism decodes.

    Parameters
    ----------
    mechanism : ShapedWithSpread
        The mechanism.
    axes : (k, J, 3, m) float or None
        As of `chance`.
    """
    axes = mechanism.axes if axes is None else axes
    return at_points(mechanism.errors_along[:, None] * axes.reshape(len(axes), -1), axes.shape[1:])


RELEASES = {"faces": MeanDifference, "shapes": MeanShapeDifference}
