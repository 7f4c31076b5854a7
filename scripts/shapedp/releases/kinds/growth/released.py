"""A released growth on the surface: the face at any age, how sure it is, how fast it changes, centiles of distances.

With coordinates c(z), z functions of age and of the other covariate, the mean face is reference + sum_i c_i(z) d_i; how
unsure it is and how far people lie about it follow as docs/mathematics.md, section 15, says.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings.subjects import FACE
from shapedp.releases.kinds.growth.functions import DEGREE, Functions
from shapedp.releases.model import covariates
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.norms import BETWEEN_SCANS, find_spread_between_scans
from shapedp.releases.model.released_model import Lengths, squares_at_points
from shapedp.surfaces.measures import Measures
from shapedp.surfaces.subjects.catalogues import CATALOGUES, list_own_landmarks, name_measures

Floats = NDArray[np.float64]
FILE = "growth.h5"
NAMED = CATALOGUES[FACE]
CENTILES = {"third": 0.03, "tenth": 0.10, "quarter": 0.25, "median": 0.5, "upper_quarter": 0.75}
CENTILES |= {"ninetieth": 0.9, "ninety_seventh": 0.97}
# Settings that name no landmark or distance.
NOTHING_STATED: Mapping[str, Any] = {}
# Ages in tables and charts.
TOLD = 38
# Of the range of ages, by which velocities are taken: small beside the distance of knots, large beside rounding.
STEP = 1e-3


@dataclass(frozen=True)
class ReleasedGrowth(Lengths):
    """Lengths in mm of the template's size, fields as `artifacts.GROWTH` has them; age, other : covariates.Covariate,
    the second or None; mean : over even ages; full : functions of the mean, bands : of the spread; measures : of
    landmarks on the template
    """

    reference: Floats
    mean: Floats
    directions: Floats
    coefficients: Floats
    covariances: Floats
    spread: Floats
    outside: Floats
    unseen: Floats
    full: Functions
    bands: Functions
    measures: Measures
    age: Covariate
    other: Covariate | None
    people: int
    radii: Floats

    # A growth has no modes, which what takes a model asks for.
    shown = 0

    @classmethod
    def from_fields(
        cls, values: dict, age: Covariate, other: Covariate | None, stated: Mapping[str, Any] = NOTHING_STATED
    ) -> "ReleasedGrowth":
        """Return the growth that a release's fields hold, lengths in mm, from which faces, charts and tables follow.

        Parameters
        ----------
        values : dict
            The fields.
        age : Covariate
        other : Covariate or None
        stated : mapping, optional
            The release's public settings, which name the landmarks and distances of its own.
        """
        scale, knots = float(values["scale"]), tuple(values["knots"].tolist())
        on, known = (
            ~np.isnan(values["landmarks"]).any(axis=(1, 2)),
            np.array([*NAMED.vertices, *list_own_landmarks(stated)])[: len(values["landmarks"])],
        )
        if len(known) < len(on):
            raise ArtifactError(
                f"landmarks: {len(on)} of them, where faces have {len(known)}; ask for the release again"
            )
        # What a stored release has in its table, it has there again, whatever the catalogue has gained since.
        measured = (
            dict([*NAMED.ends_of.items()][: NAMED.first_measures])
            if len(on) == NAMED.first_landmarks
            else name_measures(stated)
        )
        return cls(
            **{name: values[of] * scale for name, of in (("reference", "reference"), ("mean", "curves"))},
            directions=values["directions"] * np.float32(scale),
            **{name: values[name].astype(float) for name in ("covariances", "spread")},
            **{name: values[name] for name in ("coefficients", "radii")},
            outside=values["outside"].astype(float) * scale**2,
            # An older release counted nothing of it.
            unseen=values.get("unseen", np.zeros_like(values["reference"])) * scale**2,
            full=Functions(knots, DEGREE, other is not None),
            bands=Functions(knots, int(values["degree"]), other is not None),
            measures=Measures(tuple(known[on].tolist()), values["landmarks"][on].astype(float), measured),
            age=age,
            other=other,
            people=int(values["people"]),
        )

    @property
    def ages(self) -> Floats:
        """Return the ages (TOLD,), from the first to the last, at which tables, charts and the page show growth."""
        return np.linspace(self.full.knots[0], self.full.knots[-1], TOLD)

    @property
    def others(self) -> tuple[float, ...]:
        """The other covariate's levels, or its middle where there is none."""
        return (-1.0, 1.0) if self.other is not None else (0.0,)

    def z(self, age: float, other: float = 0.0) -> Floats:
        """Return (p,) the functions at an age and a level."""
        return self.full.at(np.array([age]), np.array([other]))[0]

    def locate(self, values: dict) -> tuple[float, float]:
        """Return (age, level) that a reader asks for by {name: value}; the middle of what is not given."""
        if unknown := sorted(set(values) - {covariate.name for covariate in self.covariates}):
            known = ", ".join(covariate.name for covariate in self.covariates)
            raise ConfigError(f"{unknown[0]}: is not a covariate of this growth; it has {known}")
        age = self.age.value(values[self.age.name]) if self.age.name in values else 0.0
        other = self.other.value(values[self.other.name]) if self.other and self.other.name in values else 0.0
        return self.age.middle + self.age.reach * age, other

    def along(self, z: Floats) -> Floats:
        """Return (J, 3, m) the displacement at functions z (p,), or a difference of two such."""
        return np.tensordot(z @ self.coefficients, self.directions, axes=1)

    def at(self, age: float, other: float = 0.0) -> Floats:
        """Return (J, 3, m) the mean face at an age and a level, mm."""
        return self.reference + self.along(self.z(age, other))

    def known(self, age: float, other: float = 0.0) -> Floats:
        """Return (q,) the variance of the mean's coordinates by noise and chance."""
        z = self.z(age, other)
        return np.einsum("a,qab,b->q", z, self.covariances, z)

    def band(self, age: float, other: float = 0.0) -> Floats:
        """Return (J, m) by how much each point of the mean face errs, root mean square, mm."""
        return np.sqrt(self.squares(age, other).sum(axis=1))

    def squares(self, age: float, other: float = 0.0) -> Floats:
        """Return (J, 3, m) the variance of each coordinate of each point of the mean face, for bands about it, mm^2.

        It is that of noise and chance, of what is in doubt of what a clip took, and of what is not released.
        """
        return np.tensordot(self.known(age, other), self._squares, axes=1) + self.unseen

    def spread_at(self, age: float) -> Floats:
        """Return (q, q) the covariance of people's coordinates at an age."""
        return np.tensordot(self.bands.weights(np.array([age]))[0], self.spread, axes=1)

    @property
    def covariates(self) -> tuple[Covariate, ...]:
        """The age, and what it is looked at by."""
        return tuple(covariate for covariate in (self.age, self.other) if covariate is not None)

    def norm(self, covariate_values: Mapping[str, Any]) -> tuple[Floats, Floats, list[Floats]]:
        """Return what one face is set beside to tell how unusual it is at {covariate: value}, as `Released.norm` does.

        Others are as in the middle, and what leaves the mean unsure is one covariance of noise and chance together.
        """
        (age, other), directions = self.locate(dict(covariate_values)), self.directions.astype(float)
        about = np.tensordot(self.spread_at(age), directions, axes=1)
        people = squares_at_points(about, directions) + self.outside
        unsure = squares_at_points(self.known(age, other)[:, None, None, None] * directions, directions)
        unsure = unsure + self._unseen_at_points
        return self.at(age, other), people, [unsure]

    def norm_of_measures(self, covariate_values: Mapping[str, Any], _: Measures) -> tuple[Measures, Floats, Floats]:
        """Return what one face's distances are set beside at these covariates, of the release's own landmarks.

        That is (measures, their values, their standard deviations).
        """
        age, other = self.locate(dict(covariate_values))
        norm, known, people = self.measured(age, other)
        return self.measures, norm, np.hypot(known, people)

    def predict(self, covariate_values: Mapping[str, Any]) -> tuple[Floats, str, list[str]]:
        """Return the mean face that a user asks for at {covariate: value}: (curves, place in words, lines on error)."""
        age, other = self.locate(dict(covariate_values))
        at = [
            covariate.describe(covariate_values[covariate.name])
            if covariate.name in covariate_values
            else f"{covariate.name} in the middle of what was measured"
            for covariate in self.covariates
        ]
        both, fast = self.length(self.band(age, other) ** 2), self.velocity(age, other)
        return (
            self.at(age, other),
            f"the mean face at {', '.join(at)}",
            [
                f"band, rms at a point: {both:.2g} mm (noise, chance in who took part, what is not released)",
                f"95% of points lie within about {1.96 * both / np.sqrt(3):.2g} mm along each axis",
                f"there it changes by {self.length(np.sum(fast**2, axis=1)):.2g} mm a year, rms at a point",
            ],
        )

    def apart(self, age: float) -> float:
        """Return how far a person lies from the mean face of the age, root mean square over the points, mm."""
        inside = np.sum(self.spread_at(age) * self._gram)
        return float(np.sqrt(inside + np.mean(np.trace(self.outside, axis1=-2, axis2=-1))))

    def velocity(self, age: float, other: float = 0.0) -> Floats:
        """Return (J, 3, m) how fast the mean face changes at an age, mm a year, for tables and the page of growth."""
        low, high = self.full.knots[0], self.full.knots[-1]
        # At an end of the range the difference is taken to one side.
        before, after = (np.clip(age + sign * STEP * (high - low), low, high) for sign in (-1, 1))
        return self.along(self.z(after, other) - self.z(before, other)) / (after - before)

    def measured(self, age: float, other: float = 0.0) -> tuple[Floats, Floats, Floats]:
        """Return what each distance or angle is in the mean face at an age, and how sure that is, for growth charts.

        Returns
        -------
        values, known, people : (q,) float
            The value, its standard deviation by noise and chance, that of people.
        """
        face = self.at(age, other)
        gradients = self.measures.gradients(face)
        along = np.tensordot(gradients, self.directions, axes=([1, 2, 3], [1, 2, 3]))
        # How public people differ beyond the released axes, and what is not released of the mean; there each landmark
        # counts for itself.
        people, unseen = np.zeros((2, len(gradients)))
        for weights in self.measures.weights:
            taken = np.einsum("mjcs,js->mc", gradients, (weights > 0).astype(float))
            for sums, covariances in ((people, self.outside), (unseen, self._unseen_at_points)):
                sums += np.einsum("mc,js,jscd,md->m", taken, weights, covariances, taken, optimize=True)
        people += np.einsum("mi,ij,mj->m", along, self.spread_at(age), along)
        known = np.sqrt(np.square(along) @ self.known(age, other) + unseen)
        return self.measures.values(face), known, np.sqrt(np.maximum(people, 0.0))

    @cached_property
    def _unseen_at_points(self):
        """Return the covariances (J, m, 3, 3) at points by what is not released of the mean."""
        return np.moveaxis(self.unseen, 1, -1)[..., None] * np.eye(3)

    @cached_property
    def _squares(self):
        """(q, J, 3, m) squares of the directions, from which variances at points follow."""
        return np.square(self.directions, dtype=float)

    @cached_property
    def _gram(self):
        """(q, q) inner products of the directions, in the mean over the points."""
        flat = self.directions.reshape(len(self.directions), -1)
        return (flat @ flat.T).astype(float) / (self.directions.shape[1] * self.directions.shape[3])

    def table(self) -> list[str]:
        """Return the lines of growth.csv: how fast the mean face changes, how well that is known, people's spread."""
        lines = ["level,age,velocity_mm_per_year,known_to_mm,people_mm"]
        length = lambda curves: float(np.sqrt(np.mean(np.sum(curves**2, axis=1))))  # noqa: E731
        for other, age in product(self.others, self.ages):
            known = float(np.sqrt(np.mean(self.band(age, other) ** 2)))
            numbers = other, age, length(self.velocity(age, other)), known, self.apart(age)
            lines.append(",".join(f"{number:.5g}" for number in numbers))
        return lines

    @cached_property
    def charts(self) -> Floats:
        """Return the lines of growth charts: change a year, value, its error, people's spread.

        They are (others, ages, measures, 4).
        """
        step = self.ages[1] - self.ages[0]
        lines = np.array([[np.array(self.measured(age, other)).T for age in self.ages] for other in self.others])
        return np.concatenate([np.gradient(lines[..., :1], step, axis=1), lines], axis=-1)

    def measures_table(self) -> list[str]:
        """Return the lines of measures.csv, growth charts as a table: value, centiles, velocity by age and level.

        Last comes how far two scans of one person differ, a part of people's standard deviation.
        """
        between_scans = find_spread_between_scans(self.measures)
        lines = [f"measure,level,age,mean,known_to,people_sd,change_per_year,{','.join(CENTILES)}"]
        lines[0] += f",{BETWEEN_SCANS}" * bool(between_scans)
        quantiles = scipy.special.ndtri(np.array(list(CENTILES.values())))
        for at, name in enumerate(self.measures.names):
            last = f",{between_scans[name]:.3g}" if name in between_scans else "," * bool(between_scans)
            for other, chart in zip(self.others, self.charts, strict=True):
                for age, (change, value, known, sd) in zip(self.ages, chart[:, at], strict=True):
                    numbers = other, age, value, known, sd, change, *(value + quantiles * sd)
                    lines.append(f"{name.replace(' ', '_')}," + ",".join(f"{number:.5g}" for number in numbers) + last)
        return lines

    def surfaces(self) -> dict[str, Floats]:
        """Return {file stem: curves (J, 3, m)} of faces to draw and export: the mean at each knot's age and level."""
        words = ("low", "high") if len(self.others) > 1 else ("all",)
        return {
            f"age_{k + 1}_{word}": self.at(age, other)
            for k, age in enumerate(self.full.knots)
            for word, other in zip(words, self.others, strict=True)
        }


def read(path: Path | str) -> ReleasedGrowth:
    """Return the ReleasedGrowth of a released file or folder, from which pages, tables and norms are made."""
    path = Path(path)
    with artifacts.reader(path / FILE if path.is_dir() else path, artifacts.GROWTH) as source:
        values = {name: source[name] for name in source.kind.fields}
    stated = json.loads(values["settings"])
    age, other, _ = order_covariates(covariates.read_stated(stated))
    return ReleasedGrowth.from_fields(values, age, other, stated)


def order_covariates(entries: dict[str, dict]) -> tuple[Covariate, Covariate | None, tuple[float, ...]]:
    """Return (age, the other covariate or None, knots), the parts that an entry's covariates have in a growth."""
    of_name = {covariate.name: covariate for covariate in covariates.from_settings(entries)}
    age = next(name for name, covariate in entries.items() if "spline" in covariate)
    by = entries[age].get("by")
    return of_name[age], of_name[by] if by else None, tuple(map(float, entries[age]["spline"]))


def place_on_template(
    measures: Measures, shape: tuple[int, int], stated: Mapping[str, Any] = NOTHING_STATED
) -> NDArray[np.float32]:
    """Return (l, J, m) the weights that place landmarks on a template's curves, for a release to measure them.

    First come those that have names on faces, NaN where they lie off the template, then the template's own.

    Parameters
    ----------
    measures : Measures
        Of the landmarks that the template carries.
    shape : (int, int)
        J, m of the curves.
    stated : mapping, optional
        The public settings, which name the template's own landmarks.
    """
    names = [*NAMED.vertices, *list_own_landmarks(stated)]
    of_all_landmarks = np.full((len(names), *shape), np.nan, dtype=np.float32)
    for name, weights in zip(measures.landmarks, measures.weights, strict=True):
        of_all_landmarks[names.index(name)] = weights
    return of_all_landmarks
