"""What a release of faces knows at landmarks: how each released axis moves them, and what is public beside the axes.

A face model holds people's covariance along the released axes as a whole, and at each point of a face what it comes to
there. How two points go together is in the first alone. So a release holds, beside its model, what one mm along each
axis moves each landmark by (l landmarks, q axes): public, like the axes. A measure f with the gradient g (l, 3) then
has the loadings a_i = sum_l g_l v_i(l), and among people

    var f = a' R a + g' P g - a' P_1 a,

over the leading axes in a, R the released covariance along these, P the covariance of public people at the landmarks
and P_1 that along the leading axes. In the same way noise moves f by a' N a, N the noise left along all axes, and its
mean at a level errs by what the mean of everybody and the effects are expected to err by along them. Nothing of it is
of a person but the released moments.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.artifacts import kinds
from shapedp.base.errors import ArtifactError
from shapedp.base.settings import subjects
from shapedp.base.settings.subjects import FACE
from shapedp.privacy.manifolds.landmark_shapes import join_landmarks
from shapedp.releases.model.effects import Effects, by_noised_effects, noise_parts
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.model.released_model import Released
from shapedp.releases.model.shapes import as_curve, as_landmarks
from shapedp.releases.model.table_means import PublicMeans, draw_to_public
from shapedp.surfaces.measures import Measures
from shapedp.surfaces.subjects.catalogues import (
    CATALOGUES,
    list_landmarks,
    make_table_measures,
    name_measures,
    name_stated_distances,
)

Floats = NDArray[np.float64]
FILE = "at_landmarks.h5"
NAMED = CATALOGUES[FACE]
# The unit of distances between landmarks of a shape.
OF_SIZE = "of the size"
# Landmarks that a frame takes: fewer do not fix a turn.
FEWEST = 3
# Fields of a model of shapes, on how people and public people vary, that tables of distances take.
OF_PEOPLE = (
    "coordinate_covariance",
    "kept_by_clip",
    "unclipped_share",
    "public_people",
    "public_mean",
    "public_by_size",
    "outside_axes",
    "public_covariance",
    "public_at_size",
)
# Fields by the power of the scale that they take where lengths become mm.
LENGTHS = ("unit",)
SQUARES = ("spread", "left", "errors", "public", "public_leading", "outside", "missing")


@dataclass(frozen=True)
class AtLandmarks:
    """Fields as `artifacts.AT_LANDMARKS` has them, in unit-area faces as stored, or in mm after `in_mm`."""

    names: tuple[str, ...]
    weights: Floats  # (l, J, m)
    axes: Floats  # (q, l, 3)
    unit: Floats  # (q,)
    spread: Floats  # (q,)
    left: Floats  # (1 + p, 1 + p, q)
    errors: Floats  # (1 + p, 1 + p, q)
    public: Floats  # (l, 3, l, 3)
    public_leading: Floats  # (q', q')
    outside: Floats  # (l, 3, l, 3)
    missing: Floats  # (l, 3, l, 3)
    kept_by_clip: float
    ends_of: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NAMED.ends_of)
    # Of distances.
    length_unit: str = "mm"
    # Of shapes alone: how many public people there were, 0 where nobody says; their covariance at one size, where that
    # is known, and the noised one of everybody, along the leading axes.
    public_people: int = 0
    public_at_size: Floats | None = None  # (l, 3, l, 3)
    everybody: Floats | None = None  # (q', q')
    # Of shapes as well: how much of people's squared lengths those have whom the clip leaves; effects as the model has
    # them, of tables (z, J, d, m), where public people tell of means.
    unclipped_share: float = 1.0
    effects: Floats | None = None

    @property
    def measures(self) -> Measures:
        """The named distances and angles between these landmarks, of which tables and norms are."""
        return Measures(self.names, self.weights, self.ends_of, self.length_unit)

    def in_mm(self, scale: float) -> "AtLandmarks":
        """Return the same knowledge with lengths in mm, as tables and norms take it; it is stored in unit-area faces.

        Parameters
        ----------
        scale : float
            mm of the unit that they have now.
        """
        values = {declared.name: getattr(self, declared.name) for declared in fields(self)}
        values |= {name: values[name] * scale for name in LENGTHS} | {name: values[name] * scale**2 for name in SQUARES}
        return AtLandmarks(**values)


def read_measures(template_path: Path | str, section: Mapping[str, Any]) -> Measures | None:
    """Return what tables measure between the landmarks that a public template carries; None of too few.

    Parameters
    ----------
    template_path : Path or str
        The template.
    section : mapping
        The settings of `faces`.
    """
    kind = kinds.with_landmarks(artifacts.TEMPLATE) if section.get("landmarks") else artifacts.TEMPLATE
    with artifacts.reader(template_path, kind) as source:
        measures = make_table_measures({name: source[name] for name in kind.fields}, section)
    # Too few landmarks that nobody placed fix no frame, and between them nothing is measured.
    is_enough = len(measures.landmarks) >= FEWEST or section.get("landmarks")
    return measures if is_enough else None


def learn(
    mechanism: FaceModel, fitted: Effects, measures: Measures, public: Iterable[Floats] | None = None
) -> AtLandmarks:
    """Return what is released of a model at a template's landmarks, in unit-area faces: norms of distances need it.

    Parameters
    ----------
    mechanism : FaceModel
        The mechanism, with the public variation that it was planned from.
    fitted : Effects
        What it estimated from the noised moments.
    measures : Measures
        The landmarks, on the template.
    public : iterable of (b, J, 3, m) arrays, optional
        Curves of the public people, some at a time; without them, they differ as the variation says, each axis by
        itself.
    """
    variation, chosen, back = mechanism.shaped.variation, mechanism.shaped.plan, mechanism.shaped.back
    unreleased = np.setdiff1d(np.arange(len(variation.moments)), chosen.axes)
    unreleased_axes = measures.points(variation.axes(unreleased).astype(float))
    inside, outside = variation.pull(mechanism.n, False)
    identity = np.eye(len(measures.landmarks))[:, None, :, None] * (np.eye(3) / 3)[:, None, :]
    axes, spread = measures.points(mechanism.shaped.axes.astype(float)), mechanism.variances * back**2
    beyond = sum_products(unreleased_axes, variation.variances[unreleased]) + float(variation.outside.mean()) * identity
    leading = mechanism.moments.leading
    whole, along = sum_products(axes, spread) + beyond, np.diag(spread[:leading])
    if public is not None:
        whole, along = _measure_public_people(mechanism.shaped.axes[:leading], mechanism.center, measures, public)
    return AtLandmarks(
        names=measures.landmarks,
        weights=measures.weights,
        axes=axes,
        unit=back,
        spread=spread,
        left=fitted.left * back**2,
        errors=_find_errors_along_axes(fitted, mechanism.variances, mechanism.n) * back**2,
        public=whole,
        public_leading=along,
        outside=beyond,
        missing=sum_products(unreleased_axes, inside[unreleased]) + outside * identity,
        kept_by_clip=mechanism.find_share_kept(np.diag(fitted.raw)),
        ends_of=measures.ends_of,
    )


def _find_errors_along_axes(fitted, variances, n):
    """Return (1 + p, 1 + p, q) covariances by which the mean of everybody (0) and the effects err along the axes.

    A norm's stated error at any covariates follows from them.
    """
    p = len(fitted.average) - 1
    covariances = fitted.left + fitted.inverse[:, :, None] * variances
    covariances[0, 0] = fitted.left[0, 0] + variances / n
    covariances[0, 1:] = covariances[1:, 0] = 0.0
    if fitted.likely is not None:
        covariances[1:, 1:] = fitted.likely
    elif p:
        of_noise = fitted.s1 * fitted.inverse
        by_second = by_noised_effects(fitted.inverse[1:], fitted.drawn, fitted.s2, of_noise)
        covariances[1:, 1:] += np.moveaxis(by_second, 0, -1)
    return covariances


def _measure_public_people(axes, center, measures, public):
    """Return public people's covariances at the landmarks and along axes, which norms need beside the noised ones.

    They are (l, 3, l, 3) and (q', q'); axes (q', J, 3, m).
    """
    count, flat = 0, axes.reshape(len(axes), -1).astype(float) / (center.shape[0] * center.shape[2])
    sums, products = 0.0, 0.0
    for curves in public:
        away = curves - center
        rows = np.hstack([measures.points(away).reshape(len(away), -1), away.reshape(len(away), -1) @ flat.T])
        count, sums, products = count + len(rows), sums + rows.sum(axis=0), products + rows.T @ rows
    covariance = (products - np.outer(sums, sums) / count) / (count - 1)
    size = 3 * len(measures.landmarks)
    shape = (len(measures.landmarks), 3)
    return covariance[:size, :size].reshape(shape + shape), covariance[size:, size:]


def sum_products(axes: Floats, variances: Floats) -> Floats:
    """Return (l, 3, l, 3) the covariance at landmarks that variances along axes give: sum of the axes' products.

    Parameters
    ----------
    axes : (k, l, 3) array
        How each moves the landmarks.
    variances : (k,) array
        How much each product counts.
    """
    flat = axes.reshape(len(axes), axes.shape[1] * axes.shape[2])
    return ((flat.T * variances) @ flat).reshape(*axes.shape[1:], *axes.shape[1:])


def to_fields(known: AtLandmarks) -> dict[str, Any]:
    """Return the fields of the artifact."""
    values = {name: getattr(known, name) for name in artifacts.AT_LANDMARKS.fields if name != "settings"}
    return {**values, "names": list(known.names)}


def read(path: Path, model: Released, settings: Mapping[str, Any]) -> AtLandmarks:
    """Return what a release knows at landmarks, in mm, for norms; refused where file and model do not fit each other.

    Parameters
    ----------
    path : Path
        The file beside the model.
    model : Released
        The model.
    settings : Mapping
        The model's public settings.
    """
    with artifacts.reader(path, artifacts.AT_LANDMARKS) as source:
        values = {name: source[name] for name in artifacts.AT_LANDMARKS.fields}
    sizes = {"z": len(model.average), "J": model.reference.shape[0], "m": model.reference.shape[2]}
    for name, declared in artifacts.AT_LANDMARKS.fields.items():
        if name != "settings":
            kinds.match(np.shape(values[name]), declared.shape, sizes, f"{path}: {name}")
    if json.loads(values.pop("settings")) != settings:
        raise ArtifactError(f"{path}: has other settings than the model beside it; ask for the release's folder again")
    check_names(values["names"], settings, path)
    if len(values["unit"]) < len(model.coordinate_noise):
        raise ArtifactError(f"{path}: has fewer axes than the model beside it; ask for the release's folder again")
    numbers = {name: np.asarray(value, dtype=float) for name, value in values.items() if name != "names"}
    numbers["kept_by_clip"] = float(numbers["kept_by_clip"])
    ends_of, unit = name_measures(settings), subjects.from_statement({"settings": settings}).unit
    known = AtLandmarks(names=tuple(values["names"]), **numbers, ends_of=ends_of, length_unit=unit)
    return known.in_mm(model.scale)


def beside_model(path: Path, model: object) -> AtLandmarks | None:
    """Return what a released model of faces knows at landmarks, in mm; None where no such file lies beside it.

    Parameters
    ----------
    path : Path
        The model's file.
    model : Released or ReleasedGrowth
        What it holds; beside anything but a model of faces nothing lies.
    """
    landmarks_path = path.with_name(FILE)
    if not isinstance(model, Released) or model.radii is None or not landmarks_path.is_file():
        return None
    with artifacts.reader(path, artifacts.FACE_MODEL) as source:
        settings = json.loads(source["settings"])
    return read(landmarks_path, model, settings)


def beside_shapes(path: Path, model: Released, settings: Mapping[str, Any]) -> AtLandmarks | None:
    """Return what a released model of shapes knows at landmarks, for tables of distances as of faces.

    Its axes lie beside it in `drawn.h5`; None where nothing does, or where the landmarks are an outline, between which
    nobody measures.

    Distances are those that the settings name, or those between landmarks that they link, or that the shortest tree of
    the center joins. An older file tells nothing of how landmarks go together beside the released axes: there they
    count as independent.

    Parameters
    ----------
    path : Path
        The model's file.
    model : Released
        What it holds.
    settings : Mapping
        Its public settings.
    """
    drawn_path, center = path.with_name("drawn.h5"), as_landmarks(model.reference)
    ends_of = name_links(settings, center)
    if not drawn_path.is_file() or not ends_of:
        return None
    with artifacts.reader(drawn_path, artifacts.DRAWN) as source:
        ways, spread = source["axes"].astype(float), source["spread"]
    if ways.ndim != 2 or ways.shape[1] != center.size or len(spread) < len(ways):
        raise ArtifactError(f"{drawn_path}: does not fit the model beside it; ask for the release's folder again")
    with artifacts.reader(path, artifacts.SHAPE_MODEL) as source:
        of_people = {name: source[name] for name in OF_PEOPLE if name in source.kind.fields}
    # Without the covariance along them, nothing is told along the outside axes.
    has_covariance = len(of_people.get("public_covariance", ())) > 0
    known_axes = len(ways) + (len(of_people.get("outside_axes", ())) if has_covariance else 0)
    allowed_counts = {
        "public_covariance": (0, known_axes),
        "public_at_size": (0, len(model.coordinate_noise), known_axes),
        "public_mean": (0, len(ways)),
        "public_by_size": (0, len(ways)),
    }
    for name, counts in allowed_counts.items():
        if len(of_people.get(name, ())) not in counts:
            raise ArtifactError(f"{path}: {name} fits no axes; ask for the release's folder again")
    return from_axes(model, ends_of, ways, spread, of_people)


def from_axes(
    model: Released,
    ends_of: Mapping[str, tuple[str, ...]],
    ways: Floats,
    spread: Floats,
    of_people: Mapping[str, Any],
) -> AtLandmarks:
    """Return what a model of shapes knows at its landmarks, for its tables and norms of distances and their errors.

    Parameters
    ----------
    model : Released
        The model.
    ends_of : Mapping
        {measure: its landmarks, as numbers from 1 in words}.
    ways : (q, k d) array
        How far one of each coordinate moves the landmarks.
    spread : (q,) array or longer
        Variance of public people's coordinates.
    of_people : Mapping
        OF_PEOPLE, as the model's file has them; of an older file, which has none, it is empty.
    """
    back, (k, d) = np.linalg.norm(ways, axis=1), as_landmarks(model.reference).shape
    spread, identity = spread[: len(ways)] * back**2, np.eye(k)[:, None, :, None]
    axes = (ways / back[:, None]).reshape(-1, k, d)
    by_m1 = noise_parts(model.average, model.inverse, model.moment_noise[0])[:, :, None] * back**2
    errors = by_m1 + model.inverse[:, :, None] * spread
    errors[0, 0] = by_m1[0, 0] + spread / model.people
    errors[0, 1:] = errors[1:, 0] = 0.0
    outside_axes = np.asarray(of_people.get("outside_axes", np.zeros((0, k, d))), dtype=float)
    public, at_size = (of_people.get(name, np.zeros((0, 0))) for name in ("public_covariance", "public_at_size"))
    all_axes, apart = np.vstack([axes, outside_axes]), 0.0
    if not public.size:
        public, all_axes = np.diag(spread), axes
        apart = identity * (spread.sum() * np.asarray(model.beyond[0], dtype=float))[:, :, None, :]
    outside = _move_landmarks(all_axes[len(axes) :], public[len(axes) :, len(axes) :]) + apart
    leading = len(model.coordinate_noise)
    # Older files state what size leaves along the leading axes alone; along the others it explains nothing there.
    public_at_size = public.copy()
    public_at_size[: len(at_size), : len(at_size)] = at_size
    effects, missing, public_people = None, outside / model.people, int(of_people.get("public_people", 0))
    if public_people and len(of_people.get("public_mean", ())) == len(ways):
        effects, errors, excess = _draw_to_public(model, ways, spread, of_people)
        missing = (1 + excess) * outside * (1 / model.people + 1 / public_people)
    return AtLandmarks(
        names=tuple(str(index + 1) for index in range(k)),
        weights=np.eye(k)[:, None, :],
        axes=axes,
        unit=back,
        spread=spread,
        left=by_m1,
        errors=errors,
        public=_move_landmarks(all_axes, public) + apart,
        public_leading=public[:leading, :leading],
        outside=outside,
        missing=missing,
        kept_by_clip=float(of_people.get("kept_by_clip", 1.0)),
        ends_of=ends_of,
        length_unit=OF_SIZE,
        public_people=public_people,
        public_at_size=_move_landmarks(all_axes, public_at_size) + apart if at_size.size else None,
        everybody=of_people.get("coordinate_covariance"),
        unclipped_share=float(of_people.get("unclipped_share", 1.0)),
        effects=effects,
    )


def _draw_to_public(model, ways, spread, of_people):
    """Return effects (z, 1, d, k) for tables, as a model of shapes has them, and their errors (z, z, q) along the axes.

    And by how many times chance these people lie off public ones beyond it. Arguments are those of `from_axes`, but
    spread (q,) in squares of lengths.
    """
    back, (k, d), by_size = np.linalg.norm(ways, axis=1), as_landmarks(model.reference).shape, None
    if len(of_people["public_by_size"]):
        by_size = of_people["public_by_size"] / back
    public = PublicMeans(spread / back**2, of_people["public_mean"] / back, by_size, int(of_people["public_people"]))
    moved = model.effects.copy()
    moved[0] -= model.reference
    away = as_landmarks(moved).reshape(len(moved), -1)
    coefficients, errors, excess = draw_to_public(model, away @ (ways / back[:, None] ** 2).T, public)
    effects = as_curve((coefficients @ ways).reshape(-1, k, d))
    effects[0] += model.reference
    return effects, errors * back**2, excess


def _move_landmarks(axes, covariance):
    """Return (k, d, k, d) the covariance at landmarks that one along axes (s, k, d) gives, (s, s)."""
    return np.einsum("ska,st,tlb->kalb", axes, covariance, axes, optimize=True)


def check_names(names: list[str], settings: Mapping[str, Any], path: Path) -> None:
    """Refuse names that are neither known landmarks nor those of the settings: a released file has room for no others.

    Parameters
    ----------
    names : list of str
        Of the landmarks in the file.
    settings : Mapping
        The release's public settings.
    path : Path
        The file, for the message.
    """
    allowed = list_landmarks(settings)
    if unknown := [name for name in names if name not in allowed]:
        raise ArtifactError(
            f"{path}: '{unknown[0][:40]}' is neither a landmark of faces nor one that the release's settings name; ask "
            "for the release's folder again"
        )


def name_links(settings: Mapping[str, Any], center: Floats) -> dict[str, tuple[str, ...]]:
    """Return {measure: its landmarks} of what tables of a release of landmarks hold; none of an outline.

    They are those that its settings name, or else link, or that the shortest tree of the center joins.

    Parameters
    ----------
    settings : Mapping
        The release's public settings.
    center : (k, d) array
        The public center.
    """
    if named := settings.get("distances"):
        return name_stated_distances(named)
    lines = join_landmarks(settings, center, center)
    if lines["closed"]:
        return {}
    pairs = ((str(start), str(end)) for start, end in (*lines["links"], *lines["near"]))
    return {f"{start} to {end}": (start, end) for start, end in pairs}
