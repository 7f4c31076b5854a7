"""Releases of what faces change or how they differ from their mirror images: the mean difference, and people's spread.

A person's difference is one row like any face's (`chain.differences`), about the template, which stands for none. So it
is clipped, shaped and noised as a mean face is, and the same proof holds. Besides comes one number: how far people lie
about their mean difference, which of asymmetries is called fluctuating, and by which chance in who takes part is known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp import artifacts
from shapedp.chain import differences
from shapedp.errors import RefusedRelease
from shapedp.mechanisms import worth
from shapedp.mechanisms.curves.base import Asked
from shapedp.mechanisms.curves.spread import ShapedWithSpread
from shapedp.model import released_change
from shapedp.model.model_mechanism import at_points
from shapedp.releases.faces import MeanFace, Template
from shapedp.settings import default
from shapedp.variation.face_variation import Variation


@dataclass(frozen=True)
class MeanDifference(MeanFace):
    """The mean of n people's changes or asymmetries."""

    artifact = artifacts.FACE_CHANGE
    file = released_change.FILE

    @classmethod
    def of(
        cls,
        entry: Mapping[str, Any],
        faces: Mapping[str, Any],
        privacy: Mapping[str, Any],
        template: Template,
        limits: Variation,
        n: int,
    ) -> "MeanDifference":
        """The release that an entry of faces.releases with `kind: mean_change` or `kind: asymmetry` asks for."""
        if n < 2:
            raise RefusedRelease(
                f"faces/{entry['name']}: {n} people have what this release is of; a mean needs at least 2. No noise "
                "was drawn"
            )
        limits.check(template.curves.shape, template.curves)
        planned_for = entry.get("planned_for", default("faces.releases[].planned_for"))
        asked = template.curves.shape, n, limits, template.curves, entry["budget"], faces["kernel"], planned_for
        made = ShapedWithSpread.of(Asked(*asked))
        anyway = entry.get("worth_it_anyway", default("faces.releases[].worth_it_anyway"))
        worth.refuse_useless(made.worth(), entry["name"], anyway or planned_for is not None)
        return cls(entry, faces, privacy, made, template, limits, made.inputs(faces["kernel"]), template.origin)

    def settings(self) -> dict[str, Any]:
        """As of a mean face, with what is taken of a person's scans."""
        entry = self.entry
        per = [{"name": name, "range": list(map(float, ends))} for name, ends in entry.get("per", {}).items()]
        times = {"times": list(entry["times"])} if entry["kind"] == differences.CHANGE else {}
        return super().settings() | {"kind": entry["kind"]} | times | ({"per": per} if per else {})

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """The template with the mean difference added, its noise, and chance as people's released spread tells it."""
        settled = self.mechanism.settled(answers[:-1]).corrected(answers[-1])
        return self.of_mean(settled, answers[-1], *self.mechanism.spread(answers))

    def of_mean(self, settled: ShapedWithSpread, answer: NDArray, spread: float, off: float) -> dict[str, Any]:
        """The same of a noised mean and of people's variance about it with its noise; settled : what decodes it."""
        scale, noise = float(self.template.scale), noise_at_points(settled)
        return {
            "reference": settled.center,
            "curves": settled.decode(answer),
            "noise_covariance": noise,
            "sampling_covariance": chance(self.limits, settled.chosen, spread + off, settled.n),
            "noise_mm": scale * np.sqrt(np.trace(noise, axis1=-2, axis2=-1)),
            "spread_mm": scale * np.sqrt(spread),
            "spread_noise_mm2": scale**2 * off,
            "people": settled.n,
            "radii": self.template.radii,
            "scale": scale,
        }


def chance(variation: Variation, chosen: Any, spread: float, n: int) -> NDArray[np.float64]:
    """(J, m, 3, 3) covariance of a mean of n people by chance, as public people's differences are spread over the face,
    and brought to the released spread of a person along the released axes; what these leave is as large as public
    people's, in all directions alike.
    """
    inside = variation.variances[chosen.axes]
    axes = variation.axes(chosen.axes)
    factor = spread / max(float(inside.sum()), 1e-300)
    left = float(np.sum(variation.variances) - inside.sum()) + float(variation.outside.mean())
    rows = np.sqrt(inside * factor)[:, None] * axes.reshape(len(axes), -1)
    return (at_points(rows, variation.center.shape) + left / 3 * np.eye(3)) / n


def noise_at_points(made: ShapedWithSpread) -> NDArray[np.float64]:
    """(J, m, 3, 3) covariance of the noise for privacy on what `made` decodes."""
    rows = (made.noise / made.n * made.back)[:, None] * made.axes.reshape(len(made.axes), -1)
    return at_points(rows, made.center.shape)
