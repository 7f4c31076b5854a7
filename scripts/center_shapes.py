"""Remove position and size from each record, average within a person, choose the center p0 that shapes deviate from."""

import numpy as np

from shapedp import artifacts
from shapedp.cohorts import repeats
from shapedp.errors import Rejected
from shapedp.manifolds import ignored_directions, landmark_shapes, missing_landmarks
from shapedp.manifolds.landmark_shapes import LandmarkShapes
from shapedp.mechanisms.shapes import public_shapes
from shapedp.mechanisms.shapes.ball import as_complex, as_real, polygon
from shapedp.runs.logs import log, logged

LEAST = 1e-6  # length of a mean of unit shapes below which its direction is rounding


def center_shapes(
    landmarks_path,
    output_path,
    center,
    reference_set=None,
    persons="refuse",
    pairs=(),
    semilandmarks=(),
    sliding="procrustes",
):
    """center : `demo`, a landmark file with one shape, `reference_set` or `data`, and a bad record becomes p0; or
    `private`, and it becomes NaN: p0 is then the private mean, for what never leaves the laboratory.

    persons : `refuse` a person with several records, or `average` them; nothing else is done across records
    pairs, semilandmarks : numbers of landmarks, as `ignored_directions.of` takes them; sliding : to the least of what
    """
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        records, ids, named, group_of = (source[key] for key in ("landmarks", "ids", "persons", "groups"))
    p0 = public_shapes.center(center, reference_set)
    nothing_public, p0 = center == "private", landmark_shapes.center_of(records) if p0 is None else p0
    if p0.shape != records.shape[1:]:
        raise Rejected("mixed_landmarks", f"the center has {_words(p0.shape)}, the records {_words(records.shape[1:])}")
    p0, ignored, slid = ignored_directions.of(p0, pairs, semilandmarks, sliding)
    about = LandmarkShapes(p0, ignored, slid)
    lacking = np.isnan(records).any(axis=2).sum(axis=1)
    if not nothing_public:
        records = missing_landmarks.filled(records, p0, _covariance(LandmarkShapes(p0), reference_set))
    shapes, whole = landmark_shapes.unit(records)
    if nothing_public:  # no record may be turned to what others are: to the polygon, and away where it is no shape
        shapes = landmark_shapes.align(as_real(polygon(len(p0))), np.where(whole[:, None, None], shapes, np.nan))
    else:
        shapes = about.kept(landmark_shapes.align(p0, np.where(whole[:, None, None], shapes, p0)))
    sizes = np.where(whole, landmark_shapes.log_sizes(records), np.nan)
    reasons = [_reason(*one, p0) for one in zip(lacking, whole, strict=True)]
    for name, good, reason in zip(ids, whole, reasons, strict=True):
        if reason:
            log.info("%s %s: %s", name, "is taken" if good else "counts as the center", reason)
    rows = repeats.of_persons(ids, named, persons)
    with artifacts.writer(output_path, artifacts.SHAPES, inputs=[landmarks_path]) as out:
        out.set(
            shapes=np.array([_of_person(shapes[own], p0, nothing_public) for own in rows.values()]),
            log_sizes=[sizes[own].mean() for own in rows.values()],
            ok=[bool(whole[own].all()) for own in rows.values()],
            reasons=["; ".join(filter(None, (reasons[row] for row in own))) for own in rows.values()],
            ids=list(rows),
            groups=repeats.groups(rows, group_of),
            center=p0,
            ignored=ignored,
            slid=slid,
            center_source=center if center != "reference_set" else f"mean of the public set {reference_set}",
            center_public=center not in ("data", "private"),
        )


def _words(shape):
    return f"{shape[0]} landmarks of {shape[1]} coordinates"


def _covariance(about, reference_set):
    """Second moment of the public set about p0, (k d, k d), or None without one."""
    if reference_set is None:
        return None
    x = about.deviations(as_real(public_shapes.read(reference_set, as_complex(about.p0))))
    return x.T @ x / len(x)


def _reason(lacking, whole, p0):
    """What a person should know of a record, "" where nothing is odd."""
    if not whole:
        words = f"{lacking} of {len(p0)} landmarks are missing" if lacking else "no landmark differs from the others"
        return f"{words}, so it has no shape"
    return f"{lacking} landmarks are missing and were filled from public shapes" if lacking else ""


def _of_person(shapes, p0, nothing_public):
    """One person's shape: the mean of theirs turned to p0, or without one to their first."""
    if nothing_public:
        return landmark_shapes.unit(landmark_shapes.align(shapes[0], shapes).mean(axis=0)[None])[0][0]
    mean = shapes.mean(axis=0)
    return landmark_shapes.unit(mean[None])[0][0] if np.linalg.norm(mean) > LEAST else p0


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        center_shapes(snakemake.input.landmarks, snakemake.output.shapes, **snakemake.params.center)
