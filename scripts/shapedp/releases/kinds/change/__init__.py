"""Differences within each person: what changes from one time to another, and how far from the mirror image one lies."""

from shapedp.releases.kinds.kind import ReleaseKind, find_private_center, find_unwanted

DRAWN = frozenset({"face_change.csv", "before.ply", "after.ply", "exaggerated.ply"})
DRAWN_OF_SHAPES = frozenset({"shape_change.csv", "shape_change.tps"})
ALTHOUGH = "belongs to a mean_change or an asymmetry; leave it out"
OF_TWO_TIMES = {
    "times": "belongs to a mean_change, which needs it: [first, second] of the column `time`",
    "per": "belongs to a mean_change; leave it out",
}


class Difference(ReleaseKind):
    """What a change and an asymmetry have in common."""

    law = "shaped_with_spread"
    is_difference = True
    # The audit's cohorts are so small that such a release would be refused as worth nothing.
    audited = {"budget": {"mu_total": 3.0}, "worth_it_anyway": True}  # noqa: RUF012

    def find_faults(self, key, entry, section):
        """Yield what is wrong in an entry, so that a run does not start: no two times, or a divisor that may be 0."""
        if self.two_times and "times" not in entry:
            yield f"{key}.times: {OF_TWO_TIMES['times']}"
        for column, (low, high) in entry.get("per", {}).items():
            if not 0 < low < high:
                yield (
                    f"{key}.per.{column}: the range {[low, high]} is empty or includes 0, and a change cannot be "
                    "divided by 0; give a range on one side of 0"
                )


class FaceDifference(Difference):
    """Of faces."""

    branch, file, artifact_name, drawn = "faces", "face_change.h5", "face_change", DRAWN
    has_forecast = True

    def mechanism(self):
        """Return the class of the mechanism that makes such a release, to be asked for its proofs and traits."""
        from shapedp.privacy.differences import ShapedWithSpread

        return ShapedWithSpread

    def find_faults(self, key, entry, section):
        """Yield what is wrong in an entry, so that a run does not start.

        That is expressions taken off which it is to show, or keys that it does not take.
        """
        yield from super().find_faults(key, entry, section)
        # Taking expressions off takes the very movement off that such a release is to show.
        if section["expression"] == "neutral" and not entry.get("although_expression", False):
            yield (
                f"{key}.kind: `faces.expression: neutral` removes expressions, and with them a palsy or a "
                f"treated smile, which `kind: {self.name}` is made to show; take `as_scanned`, or say "
                "`although_expression: true`"
            )
        words = f"`kind: {self.name}` always compares with the template, and takes all records of its people"
        yield from find_unwanted(key, entry, ("time", "reference", "bounds"), words)


class ShapeDifference(Difference):
    """Of shapes."""

    branch, file, artifact_name, drawn = "shapes", "shape_change.h5", "shape_change", DRAWN_OF_SHAPES

    def mechanism(self):
        """Return the class of the mechanism that makes such a release, to be asked for its proofs and traits."""
        from shapedp.privacy.differences import ShapesWithSpread

        return ShapesWithSpread

    def find_faults(self, key, entry, section):
        """Yield what is wrong in an entry, so that a run does not start.

        That is no public center, no sheet or no pairs, or keys that it does not take.
        """
        yield from super().find_faults(key, entry, section)
        yield from find_private_center(key, f"`kind: {self.name}`", section)
        if self.two_times and "sheet" not in section:
            yield f"{key}.times: these are cells of a sheet's column `time`; name the sheet in shapes.sheet"
        if not self.two_times and not section["pairs"]:
            yield f"{key}.kind: an asymmetry needs shapes.pairs, the landmarks that change places in the mirror"
        none = "bandwidth", "shrink", "planned_for", "contour_modes"
        yield from find_unwanted(key, entry, none, f"`kind: {self.name}` has none")


class FaceChange(FaceDifference):
    """From one time to another."""

    name, statistic, record, two_times = "mean_change", "mean change", "change", True
    settings = {**OF_TWO_TIMES, "although_expression": ALTHOUGH}  # noqa: RUF012
    audited = {**Difference.audited, "per": {"years": [1, 5]}}  # noqa: RUF012


class FaceAsymmetry(FaceDifference):
    """From the mirror image."""

    name, statistic, record = "asymmetry", "mean asymmetry", "face"
    settings = {"although_expression": ALTHOUGH}  # noqa: RUF012


class ShapeChange(ShapeDifference):
    """From one time to another."""

    name, statistic, record, two_times = "mean_change", "mean change", "change", True
    settings = OF_TWO_TIMES
    audited = {**Difference.audited, "per": {"years": [1, 5]}}  # noqa: RUF012


class ShapeAsymmetry(ShapeDifference):
    """From the mirror image."""

    name, statistic, record = "asymmetry", "mean asymmetry", "shape"


KINDS = (FaceChange(), FaceAsymmetry(), ShapeChange(), ShapeAsymmetry())
