"""Remove position and size from each record, and choose the center p0 of the ball of shapes."""

import numpy as np

from shapedp import artifacts, landmarks
from shapedp.demo import outlines
from shapedp.errors import Rejected
from shapedp.manifolds import frechet, kendall
from shapedp.runs.logs import log, logged


def center_shapes(landmarks_path, output_path, center, reference_set=None):
    """center : `demo`, a landmark file with one shape, `reference_set` or `data`; a bad record becomes p0."""
    with artifacts.reader(landmarks_path, artifacts.LANDMARKS) as source:
        records, ids = source["landmarks"], source["ids"]
    shapes, reasons = zip(*(_shape(record) for record in records), strict=True)
    ok = np.array([not reason for reason in reasons])
    private = np.array([shape for shape in shapes if shape is not None])
    p0, public = _center(center, reference_set, private)
    if p0.size != records.shape[1]:
        raise Rejected("mixed_landmarks", f"the center has {p0.size} landmarks, the records {records.shape[1]}")
    for name, reason in zip(ids, reasons, strict=True):
        if reason:
            log.warning("%s rejected: %s", name, reason)
    with artifacts.writer(output_path, artifacts.SHAPES, inputs=[landmarks_path]) as out:
        out.set(
            z=[p0 if shape is None else shape for shape in shapes],
            ok=ok,
            reasons=reasons,
            ids=ids,
            center=p0,
            center_source=center if center != "reference_set" else f"mean of the public set {reference_set}",
            center_public=public,
        )


def _shape(record):
    try:
        return kendall.shape_of(record), ""
    except Rejected as error:
        return None, str(error)


def _center(center, reference_set, private):
    """(p0, whether it is public): what is named as public is not, if one of the private shapes is found in it."""
    if center == "demo":
        return kendall.shape_of(outlines.template()), True
    if center == "data":
        return _mean(private), False
    named = reference_set if center == "reference_set" else center
    found = kendall.shapes_of(landmarks.read(named).shapes)
    if center != "reference_set" and len(found) != 1:
        raise Rejected("not_one_shape", f"shapes.center: '{center}' holds {len(found)} shapes; a center is one")
    public = not _shared(found, private)
    if not public:
        log.warning("%s holds a shape of shapes.landmarks: it is not public, and neither is any release", named)
    return (_mean(found) if center == "reference_set" else found[0]), public


def _shared(found, private):
    """Whether a shape stands in both sets, bit for bit."""
    return not {shape.tobytes() for shape in found}.isdisjoint(shape.tobytes() for shape in private)


def _mean(shapes):
    return frechet.mean(kendall.Kendall(shapes.shape[-1]), shapes).point


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        center_shapes(snakemake.input.landmarks, snakemake.output.shapes, **snakemake.params.center)
