"""Means: of people's faces, or of the shapes of their landmarks."""

from shapedp.base.settings import registry
from shapedp.releases.kinds.kind import ReleaseKind

TABLES = "measures.csv", "tables.html"  # of a mean that knows its landmarks


class MeanFace(ReleaseKind):
    """The mean of people's faces."""

    branch, name, file, artifact_name = "faces", "mean_face", "mean_face.h5", "mean_face"
    statistic, record = "mean face", "face"
    drawn = frozenset(
        {"mean_face.ply", "mean_face.glb", "noise.png", "heterogeneity.png", "mean_at_landmarks.h5", *TABLES}
    )
    is_mean = True
    exported = "surface"


class MeanShape(ReleaseKind):
    """The mean of people's shapes."""

    branch, name, file, artifact_name = "shapes", "mean_shape", "mean_shape.h5", "released_shape"
    statistic, record = "mean shape", "shape"
    drawn = frozenset({"mean_shape.csv", "mean_shape.tps", "mean_shape.R", *TABLES})
    is_mean = True
    exported = "landmarks"

    def find_faults(self, key, entry, section):
        """Yield what is wrong in an entry, so that a run does not start: a size that its mechanism cannot release."""
        mechanism = registry.find_traits("shapes", entry["mechanism"])
        if mechanism and section.get("size") and not mechanism.sized:
            yield (
                f"{key}.mechanism: {entry['mechanism']} cannot release sizes: take `shaped` or `knorm`, or leave "
                "shapes.size out"
            )


KINDS = (MeanFace(), MeanShape())
