"""The steps of a face in their order: the rule of each, the artifact it makes, and the folder that lies in."""

from dataclasses import dataclass

from shapedp.artifacts import face_kinds as kinds
from shapedp.artifacts.declaring import Kind


@dataclass(frozen=True)
class FaceStep:
    """rule : as in the workflow and among the scripts; kind : of its artifact; folder : in results/private/<cohort>"""

    rule: str
    kind: Kind
    folder: str

    @property
    def numbers(self):
        """The fields of the step's artifact that are single numbers or texts about a face's quality."""
        fields = self.kind.fields.items()
        return [name for name, field in fields if field.shape == () and field.unit != "index" and name != "scan"]


FACE_STEPS = (
    FaceStep("mesh_faces", kinds.MESH, "mesh"),
    FaceStep("map_disks", kinds.DISK_MAP, "disk_map"),
    FaceStep("recenter_disks", kinds.DISK, "disk"),
    FaceStep("sample_surfaces", kinds.SURFACE, "surface"),
    FaceStep("register_surfaces", kinds.REGISTERED, "registered"),
    FaceStep("extract_curves", kinds.FACE_CURVES, "curves"),
)
INSPECTED = tuple(step for step in FACE_STEPS if step.folder in ("mesh", "disk", "surface", "registered"))
