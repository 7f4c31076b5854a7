"""Releases of landmark shapes: their mean, and the model of how they vary."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import default
from shapedp.privacy.manifolds import marks
from shapedp.privacy.shapes.base import Ball, as_real
from shapedp.privacy.shapes.learned import Shaped
from shapedp.privacy.statistic import Source
from shapedp.releases import protocol, shape_mechanisms
from shapedp.releases.model import covariates
from shapedp.releases.model.shapes import ShapeModel, as_landmarks
from shapedp.releases.protocol import People, Release, Settings
from shapedp.releases.statement import conditions
from shapedp.releases.statement.conditions import Facts, Origin

PRIVATE = "private"  # of shapes.center: it is released with noise of its own
NOISE = "standard deviations of the noise"  # unit of the sensitivity of several sums
SIZE = "log_size"  # the covariate that every record has: the logarithm of its centroid size


@dataclass(frozen=True)
class PublicShapes:
    """What is public of shapes."""

    ball: Ball
    center: str  # a word for where the ball's center comes from
    center_public: bool  # whether the center may be shown
    r_source: str  # a word for where the ball's radius comes from


@dataclass(frozen=True)
class ShapeRelease(Release):
    """Of people's shapes (k, d)."""

    known: PublicShapes
    unit: str  # of the sensitivity
    symbols: dict[str, Any]  # what the sensitivity follows from
    more: dict[str, Any]  # public settings that only such a release has

    branch = "shapes"

    def settings(self) -> dict:
        ball, entry = self.known.ball, self.entry
        asked = {"mechanism": self.mechanism.name, "budget": entry["budget"], "modes": ball.modes}
        asked |= {"center": self.known.center, "radius": ball.r if self.known.r_source == "config" else "data"}
        asked["tuned_on"] = self.privacy["tuned_on"]
        asked |= protocol.stated_part(entry.get("group"), self.privacy, ball.n)
        landmarks = {name: self.section.get(name) for name in ("pairs", "semilandmarks", "links")}
        landmarks |= {"sliding": self.section["sliding"]} if landmarks["semilandmarks"] else {}
        landmarks["leave_out"] = sorted(self.section.get("leave_out") or ())
        asked |= {name: rows for name, rows in landmarks.items() if rows}
        if ball.size:
            asked["size"] = list(map(float, self.section["size"]))
        given = ("bandwidth", "shrink", "planned_for")
        return asked | {name: entry[name] for name in given if entry.get(name)} | self.more

    def _axes(self, axes: NDArray) -> dict[str, Any]:
        """What `artifacts.DRAWN` holds of the ways (k, p) that values lead, and of the center that they lead from."""
        axes = axes.astype(np.float32)
        return {"asked_first": np.zeros(0), "axes": axes, "public": marks.mark(as_real(self.known.ball.p0), axes)}

    def digests(self, key: bytes, people: People) -> list[str]:
        """Of the center, of whose each record is, and of the public set."""
        who, *more = people.given
        given = (as_real(self.known.ball.p0), who, self.known.ball.public, *more)
        return [protocol.of_arrays(key, *(one for one in given if one is not None))]

    def facts(self, people: People, source: Source) -> Facts:
        made, taken, evidence = self.mechanism, Origin("data"), people.evidence
        origin = Origin("reference_set", *made.learned) if made.learned else Origin(self.known.r_source)
        return Facts(
            branch=self.branch,
            n=made.n,
            **evidence.facts(self.section, source),
            **conditions.declared(self.privacy),
            **made.conditions(),
            sensitivity=float(made.cost().mu) if self.unit == NOISE else made.sensitivity(),
            sensitivity_unit=self.unit,
            sensitivity_inputs=self.symbols,
            bounds=protocol.bounds_of(made.stated_bounds(), made.by_settings, taken if made.from_data else origin),
            template=Origin("none"),
            reference=taken if made.from_data else Origin(self.known.center),
            within_bounds=made.clipping != "none",
            made_of=(*evidence.made_of, *(["mean_shape"] if made.from_data else [])),
            solver=made.solver,
            shrunk=made.shrunk,
        )


@dataclass(frozen=True)
class MeanShape(ShapeRelease):
    """The mean of n people's shapes, with their size where it is asked for."""

    file = "mean_shape.h5"

    @classmethod
    def of(cls, entry: Settings, shapes: Settings, privacy: Settings, known: PublicShapes) -> "MeanShape":
        said = default("shapes.releases[]") | dict(entry)
        shrink, anyway, planned_for = (said[key] for key in ("shrink", "worth_it_anyway", "planned_for"))
        made = shape_mechanisms.make(entry["mechanism"], known.ball, entry["budget"], shrink, anyway, planned_for)
        unit = NOISE if made.first else made.stated_bounds()[0][2]
        return cls(entry, shapes, privacy, made, known, unit, made.inputs(), {})

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any] | None:
        """The noised mean's coordinates along `shaped`'s axes, as angles, and these axes."""
        if not isinstance(self.mechanism, Shaped):
            return None
        made = self.mechanism.decoding(answers)
        known, used = made.coordinates.variation, slice(made.coordinates.choice.axes)
        return {
            "values": made.mean_along(answers[-1]),
            "noise": made.errors_along,
            "spread": np.maximum(known.held_out[used] - known.means[used], 0.0),
            **self._axes(made.coordinates.axes),
        }

    def told(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """How far people lie, what the clip took of their mean, and whether they are unlike the public set; withheld
        where the noise is scaled to the records.
        """
        stated = self.known.r_source == "config" and not self.mechanism.from_data
        return replace(facts, **self.mechanism.tells(answers)) if stated else facts

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """The shape and the size of its noise, which is withheld where it is scaled to the records."""
        made, known = self.mechanism, self.known
        stated = known.r_source == "config" and not made.from_data
        bandwidth = None if known.ball.size else self.entry.get("bandwidth")
        shape = as_real(made.published(answers, bandwidth))
        k, d = shape.shape
        size, size_noise = made.size(answers)
        made = made.decoding(answers)
        return {
            "landmarks": shape,
            "size": size,
            "size_noise": size_noise if stated else np.nan,
            "center": as_real(known.ball.p0) if known.center_public else np.full((k, d), np.nan),
            "noise_radius": made.error_size() if stated else np.nan,
            "noise_covariance": made.error_covariance() if stated else np.full((k, d, d), np.nan),
        }


@dataclass(frozen=True)
class ModelOfShapes(ShapeRelease):
    """Mean, effects of covariates and modes of variation; people's covariates stand beside their shapes."""

    file = "shape_model.h5"

    @classmethod
    def of(cls, entry: Settings, shapes: Settings, privacy: Settings, known: PublicShapes) -> "ModelOfShapes":
        if known.ball.nothing_public:
            raise RefusedRelease(f"shapes/{entry['name']}: a model is of deviations from a public center: name one")
        said, mu = default("shapes.releases[]") | dict(entry), float(entry["budget"]["mu_total"])
        asked = covariates.of_settings(said["covariates"])
        made = ShapeModel.of(known.ball, mu, asked, said["modes"], said["planned_for"])
        more = {"kind": entry["kind"], "basis": made.ball.modes, "modes": made.asked}
        more |= {"covariates": covariates.stated(said["covariates"])}
        return cls(entry, shapes, privacy, made, known, NOISE, made.inputs(), more)

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """The three noised moments, and what one of each coordinate leads to."""
        made = self.mechanism
        ways = made.shaped.back[:, None] * made.shaped.found.axes
        return {**made.drawn(answers[-1]), **self._axes(ways)}

    def told(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """What the clip took of the mean, and whether the cohort is unlike the public set."""
        return replace(facts, **self.mechanism.tells(answers[-1]))

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Mean, effects and modes as landmarks."""
        found = self.mechanism.fields(*self.mechanism.estimated(answers[-1]))
        landmarks = as_landmarks(found.pop("curves"))
        vectors = {name: as_landmarks(found[name]) for name in ("reference", "effects", "modes")}
        covariances = {name: np.squeeze(found[name], -4) for name in ("noise_parts", "residual", "beyond")}
        return {**found, **vectors, **covariances, "landmarks": landmarks}
