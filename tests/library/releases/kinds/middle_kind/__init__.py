"""A kind of a stranger's own: half of the mean face's way from the template, which a table of its curves goes with."""

from dataclasses import replace

from shapedp.releases.kinds.kind import ReleaseKind


class Middle(ReleaseKind):
    """Halfway between the template and the mean."""

    branch, name, file, artifact_name = "faces", "middle_face", "middle_face.h5", "middle_face"
    statistic, record = "middle face", "face"
    drawn = frozenset({"middle_face.csv"})
    is_mean = True

    @property
    def artifact(self):
        """The declaration of the released file: as a mean face's, under a name of its own."""
        from shapedp.base import artifacts

        return replace(artifacts.MEAN_FACE, name=self.artifact_name, meaning="half of a released mean, noise included")

    def find_faults(self, key, entry, section):
        """Yield that it is of everybody."""
        if "group" in entry:
            yield f"{key}.group: a middle face is of everybody"


KINDS = (Middle(),)
