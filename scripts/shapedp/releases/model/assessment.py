"""A face beside its norm: how unusual one face is, point by point, against a released model. Nothing of it is released.

At each point z = n'(x - mean)/sd, n the outward normal of the mean face at the covariates asked for, has a standard
deviation of 1 in people of the population: docs/mathematics.md, (14.4), which says, too, how landmarks, named distances
and angles stand beside theirs. The number for the whole face is the share of people who lie farther from everybody's
mean along the modes that stand above the noise: |x - mean|^2 over their variances, a chi-square of as many degrees as
there are such modes; none is told where a release shows no modes. Centiles are those of a normal distribution.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import ArtifactError, format_count
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.releases.model import mirror_index, norms, released_model
from shapedp.releases.model.at_landmarks import AtLandmarks
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.released_model import Released
from shapedp.releases.model.shapes import as_curve, as_landmarks
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.measures import Measures

Floats = NDArray[np.float64]
# |z| that about one point in twenty exceeds.
FAR = 2.0


@dataclass(frozen=True)
class Assessed:
    """z (J, m), of landmarks without a sign; away (J, m) mm outward of the mean, or how far in shares of the size.

    beyond : share of points with |z| > FAR; farther : share of people farther from everybody's mean along the `modes`
    that are shown, None where none is; people : behind the norm; noise, chance : of its mean, in `unit`, root mean
    square or as a whole; chance : None where noise holds both; alone : whether the reference would be as good a mean
    """

    z: Floats
    away: Floats
    beyond: float
    farther: float | None
    modes: int
    people: float
    noise: float
    chance: float | None
    alone: bool
    unit: str = "mm"


def assess(curves: Floats, model: Released, covariate_values: Mapping[str, Any]) -> Assessed:
    """Return how unusual one face or specimen is, point by point, beside a model's norm, as a clinician asks.

    Parameters
    ----------
    curves : (J, 3, m) or (1, d, k) array
        The face in mm, or the specimen as one curve.
    model : Released
        The norm.
    covariate_values : mapping
        {covariate: value}; others count as on average.

    Returns
    -------
    Assessed
    """
    if model.reference.shape != curves.shape:
        raise ArtifactError(
            "assess: takes a release with a norm, and a face on its curves or a specimen with its landmarks; make "
            "both with one template"
        )
    mean, people, parts = model.norm(covariate_values)
    whole, landmarks = people + sum(parts), model.radii is None
    if landmarks:
        comparison = released_model.compare(as_landmarks(curves - mean), whole[0])
        z, away = -scipy.special.ndtri(np.maximum(comparison.p_values, LEAST) / 2)[None], comparison.distance[None]
    else:
        along = curve_mesh.normals(mean, model.radii)
        away = np.einsum("jcm,jmc->jm", curves - mean, along)
        z = away / np.sqrt(np.einsum("jmc,jmcd,jmd->jm", along, whole, along))
    total = np.sum if landmarks else np.mean
    unsure = [float(total(np.trace(part, axis1=-2, axis2=-1))) for part in parts]
    # The released mean lies as far from the reference as people's and, by chance, as noise and chance move it.
    gap = float(total(np.sum((mean - model.reference) ** 2, axis=1))) - sum(unsure)
    farther, shown = None, model.shown
    if shown:
        points = 1 if landmarks else curves.shape[0] * curves.shape[2]
        weights = np.tensordot(model.modes[:shown], curves - model.mean, axes=3) / points / model.sd[:shown]
        farther = float(scipy.special.chdtrc(shown, float(weights @ weights)))
    return Assessed(
        z=z,
        away=away,
        beyond=float(np.mean(np.abs(z) > FAR)),
        farther=farther,
        modes=shown,
        people=model.people,
        noise=float(np.sqrt(unsure[0])),
        chance=float(np.sqrt(unsure[1])) if len(unsure) > 1 else None,
        alone=gap < sum(unsure),
        unit="of the size" if landmarks else "mm",
    )


# Of a p-value, whose z is 37: none is infinite.
LEAST = 1e-300


def prepare_specimen(landmarks: Floats, model: Released, stated: Mapping[str, Any]) -> Floats:
    """Return (1, d, k) one specimen's landmarks as its release takes them, so that they can be set beside its norm.

    They are turned to p0, brought to one size, and what the release ignores is left out.

    Parameters
    ----------
    landmarks : (k, d) array
        The specimen.
    model : Released
        The release of shapes.
    stated : mapping
        Its public settings.
    """
    p0, ignored, slid = landmark_shapes.with_ignored_directions(
        as_landmarks(model.reference),
        pairs=stated.get("pairs", ()),
        semilandmarks=stated.get("semilandmarks", ()),
        sliding=stated.get("sliding", "procrustes"),
    )
    about = landmark_shapes.LandmarkShapes(p0, ignored, slid)
    x, fixed = about.deviations(landmarks[None]), about.fixed()
    return as_curve(p0 + (x - (x @ fixed.T) @ fixed).reshape(p0.shape))


@dataclass(frozen=True)
class Measured:
    """A distance (mm) or angle (degrees) of a face: its value, the norm's mean and standard deviation, its centile."""

    name: str
    unit: str
    value: float
    mean: float
    sd: float
    centile: float


def measure(
    curves: Floats,
    model: Released,
    covariate_values: Mapping[str, Any],
    measures: Measures,
    known: AtLandmarks | None = None,
) -> list[Measured]:
    """Return each named distance and angle of one face beside the model's norm, with its centile, for a clinician.

    Parameters
    ----------
    curves : (J, 3, m) array
        The face, mm.
    model : Released
        The norm, or another release that has one.
    covariate_values : mapping
        {covariate: value}.
    measures : Measures
        What is measured, on the template.
    known : AtLandmarks, optional
        What lies beside a model. Then its norm table is taken; without it landmarks count as independent beside the
        modes that are shown, which makes the spread of short distances too large.
    """
    if known is None:
        measures, norm, sd = model.norm_of_measures(covariate_values, measures)
    else:
        measures = known.measures
        table_norm = norms.from_model(model, measures, model.z(covariate_values), known)
        norm, sd = table_norm.mean, np.hypot(table_norm.sd, table_norm.mean_error)
    own = measures.values(curves)
    columns = measures.names, measures.units, own, norm, sd, 100 * scipy.special.ndtr((own - norm) / sd)
    rows = [Measured(name, unit, *map(float, numbers)) for name, unit, *numbers in zip(*columns, strict=True)]
    if known is not None and (index := mirror_index.find_norm(model, known)) is not None:
        operator = mirror_index.make_operator(known.names, measures.points(model.reference))
        value = mirror_index.measure_index(operator, measures.points(curves))
        rows.append(Measured(mirror_index.NAME, "mm", value, index.mean, index.sd, index.centile(value)))
    return rows


def table(rows: list[Measured]) -> list[str]:
    """Return the lines of a csv of measures."""
    lines = (f"{row.name},{row.unit},{row.value:.4g},{row.mean:.4g},{row.sd:.4g},{row.centile:.4g}" for row in rows)
    return ["measure,unit,value,mean,sd,centile", *lines]


def words(assessed: Assessed, covariate_values: Mapping[str, Any], covariates: Iterable[Covariate]) -> list[str]:
    """Return what an assessment of one face says, in sentences for its page.

    Parameters
    ----------
    assessed : Assessed
        The face or specimen beside its norm.
    covariate_values : mapping
        {covariate: value} at which the norm was taken.
    covariates : iterable of Covariate
        Those of the model.
    """
    place = (
        ", ".join(
            covariate.describe(covariate_values[covariate.name])
            for covariate in covariates
            if covariate.name in covariate_values
        )
        or "everybody's average"
    )
    of_face, of_shape = ("points", "face", ""), ("landmarks", "shape", " of the whole shape")
    points, record, whole = of_face if assessed.unit == "mm" else of_shape
    most = int(assessed.z[0].argmax())
    farthest = (
        f"farthest out {assessed.away.max():.2g} mm, farthest in {-assessed.away.min():.2g} mm"
        if assessed.unit == "mm"
        else f"landmark {most + 1} of the release is the most unusual: {assessed.away[0, most]:.2g} {assessed.unit} off"
    )
    error, errs_by = (
        f"{assessed.noise:.2g} {assessed.unit}",
        "noise for privacy and chance in who took part move its mean by",
    )
    if assessed.chance is not None:
        error, errs_by = (
            f"{error}, chance in who took part by {assessed.chance:.2g} {assessed.unit}",
            "noise for privacy moves its mean by",
        )
    lines = [
        f"{assessed.beyond:.1%} of the {points} lie more than {FAR:g} standard deviations from the mean {record} at "
        f"{place}; about 4.6% do in a usual {record}",
        farthest,
        f"the norm is of {assessed.people:.0f} people; {errs_by} {error}, root mean square{whole}",
    ]
    if assessed.farther is not None:
        count = format_count(assessed.modes, "mode")
        lines.insert(
            0,
            f"{assessed.farther:.1%} of people are farther from the mean {record}, along {count} of variation alone; "
            "what lies beside it, such as a swelling, counts for nothing in that share",
        )
    if assessed.alone:
        lines.append(
            "the public reference alone would be as good a norm here: the released mean lies no farther from it than "
            "noise and chance explain"
        )
    return lines
