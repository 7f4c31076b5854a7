"""Read landmark files, and the sheet beside them, into one artifact."""

from shapedp import artifacts, landmarks
from shapedp.demo import outlines
from shapedp.errors import ConfigError
from shapedp.landmarks import sources
from shapedp.runs.logs import log, logged
from shapedp.storage import identity


def read_shapes(source, output_path, center="data", reference_set=None, sheet=None, landmark_count=None):
    """All records of a landmark file or of a folder, with the landmarks of the public center."""
    _refuse_private(source, center, reference_set)
    found = landmarks.read(source, _layout(center, reference_set, landmark_count))
    told = landmarks.read_sheet(sheet, found.ids) if sheet else landmarks.Sheet.empty(len(found.ids))
    for notice in found.notices + told.notices:
        log.warning("%s", notice)
    with artifacts.writer(output_path, artifacts.LANDMARKS) as out:
        out.set(
            landmarks=found.shapes,
            ids=found.ids,
            persons=told.persons,
            sides=told.sides,
            groups=told.groups,
            covariates=told.covariates_of(),
        )


def _refuse_private(source, center, reference_set):
    """Refuse a public file that is one of the private ones: files decide, records never do.

    The reference set is looked at whatever the center is: how shapes vary is learned from it.
    """
    named = {"center": center if center not in sources.CENTERS else None, "reference_set": reference_set}
    for setting, public in named.items():
        shared = identity.pairs(landmarks.files(public), landmarks.files(source)) if public else []
        if shared:
            raise ConfigError(
                f"shapes.{setting}: '{shared[0][0]}' is '{shared[0][1]}', a file of the private data, by path, link or "
                "content; name a file that is public, or set shapes.center to `data`, which is labelled not private"
            )


def _layout(center, reference_set, landmark_count):
    """How many landmarks of how many coordinates: the public center says it, never the records, where there is one."""
    if center == "demo":
        return landmarks.Layout(*outlines.template().shape)
    if center == "data":
        return None
    if center == "private":
        return landmarks.Layout(landmark_count, 2)
    return landmarks.read(reference_set if center == "reference_set" else center).layout


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        read_shapes(snakemake.input.source, snakemake.output.landmarks, **snakemake.params.public)
