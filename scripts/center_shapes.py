"""Remove position and size from each record, average within a person, choose the center p0 of the ball of shapes."""

import numpy as np

from shapedp import artifacts, landmarks
from shapedp.cohorts import repeats
from shapedp.demo import outlines
from shapedp.errors import Rejected
from shapedp.manifolds import frechet, kendall
from shapedp.runs.logs import log, logged

LEAST = 1e-6  # length of a mean of unit shapes below which its direction is rounding


def center_shapes(landmarks_path, output_path, center, reference_set=None, persons="refuse"):
    """center : `demo`, a landmark file with one shape, `reference_set` or `data`; a bad record becomes p0.

    persons : `refuse` a person with several records, or `average` them; nothing else is done across records
    """
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        records, ids, named = source["landmarks"], source["ids"], source["persons"]
    shapes, reasons = zip(*(_shape(record) for record in records), strict=True)
    p0 = _center(center, reference_set, shapes)
    if p0.size != records.shape[1]:
        raise Rejected("mixed_landmarks", f"the center has {p0.size} landmarks, the records {records.shape[1]}")
    for name, reason in zip(ids, reasons, strict=True):
        if reason:
            log.info("%s counts as the center: %s", name, reason)
    rows = repeats.of_persons(ids, named, persons)
    with artifacts.writer(output_path, artifacts.SHAPES, inputs=[landmarks_path]) as out:
        out.set(
            z=[_of_person([shapes[row] for row in own], p0) for own in rows.values()],
            ok=[not any(reasons[row] for row in own) for own in rows.values()],
            reasons=["; ".join(filter(None, (reasons[row] for row in own))) for own in rows.values()],
            ids=list(rows),
            center=p0,
            center_source=center if center != "reference_set" else f"mean of the public set {reference_set}",
            center_public=center != "data",
        )


def _shape(record):
    """(shape, "") or (None, why there is none)."""
    try:
        return kendall.shape_of(record), ""
    except Rejected as error:
        return None, str(error)


def _of_person(shapes, p0):
    """One person's shape: the mean of theirs turned to p0, p0 where one of them is missing."""
    taken = np.array([p0 if shape is None else shape for shape in shapes])
    if len(taken) == 1:
        return taken[0]
    space = kendall.Kendall(p0.size)
    turned = space.align(p0, taken)
    mean = np.where(np.isfinite(turned), turned, 0).mean(axis=0)
    return kendall.whole(space.project(mean)[None] if kendall.length(mean) > LEAST else p0[None], p0)[0]


def _center(center, reference_set, shapes):
    """p0: of the demo, of a public file, or the mean of these very shapes, which is not public."""
    if center == "demo":
        return kendall.shape_of(outlines.template())
    if center == "data":
        return _mean(np.array([shape for shape in shapes if shape is not None]))
    named = reference_set if center == "reference_set" else center
    found = kendall.shapes_of(landmarks.read(named).shapes)
    if center != "reference_set" and len(found) != 1:
        raise Rejected("not_one_shape", f"shapes.center: '{center}' holds {len(found)} shapes; a center is one")
    return _mean(found) if center == "reference_set" else found[0]


def _mean(shapes):
    return frechet.mean(kendall.Kendall(shapes.shape[-1]), shapes).point


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        center_shapes(snakemake.input.landmarks, snakemake.output.shapes, **snakemake.params.center)
