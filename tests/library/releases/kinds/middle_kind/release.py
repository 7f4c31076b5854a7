"""The release of a middle face."""

from dataclasses import dataclass

from shapedp.releases.kinds.mean.release import MeanFace


@dataclass(frozen=True)
class MiddleFace(MeanFace):
    """As the mean, halfway."""

    file = "middle_face.h5"

    def settings(self):
        """Return the public settings, which name the kind."""
        return super().settings() | {"kind": "middle_face"}

    def fields(self, answers):
        """Return the fields of a mean whose curves are halfway to the template."""
        found = super().fields(answers)
        return found | {"curves": (found["curves"] + self.template.curves) / 2}


RELEASES = {"faces": MiddleFace}
