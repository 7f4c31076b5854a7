"""Choose what looks for the subject in a scan that shows more than it."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from shapedp.base import artifacts

# Of a template, what the search needs.
FIELDS = "f", "people_size", "people_rotation", "people_triangles", "people_weights"
# The `faces.center` of faces that are found: by it.
NOSE = "nose"


def find_faces(template: Path | Mapping[str, Any]) -> Callable[..., Any]:
    """Return a function that finds the face in a scan, with hair and shoulders, and meshes that part alone.

    Parameters
    ----------
    template : path or mapping
        A template's artifact, or its fields.

    Returns
    -------
    callable
        (points, triangles, options, marked nose tip or None) -> (mesh, what was found)
    """
    if isinstance(template, Mapping):
        fields = {name: template[name] for name in FIELDS}
    else:
        with artifacts.reader(template, artifacts.TEMPLATE) as source:
            fields = {name: source[name] for name in FIELDS}

    @cache
    def wanted():
        """Return the finding_faces.Model that is looked for, made when the first scan comes: what it needs takes long
        to import.
        """
        from shapedp.surfaces.human_face import finding_faces, public_people

        return finding_faces.build_model(fields["f"], public_people.People.from_fields(fields))

    def mesh(points, triangles, options, marked):
        """Return (mesh, what was found) of a scan's face; what was found is None where the whole scan is the face."""
        from shapedp.surfaces.human_face import face_mesh

        return face_mesh.mesh_face(points, triangles, options, wanted(), marked)

    return mesh


def find_center(
    vertices: Any, triangles: Any, center: str | Sequence[float], marked: Any = None, sought: Any = None
) -> Any:
    """Return the Center that goes to the middle of a disk, as the settings or a mark name it: of a face its nose tip.

    Parameters
    ----------
    vertices, triangles : (n, 3), (t, 3)
        Of the disk, in units of the scan.
    center : str or (3,)
        `faces.center`.
    marked : (3,), optional
        The center, where somebody marked it.
    sought : (3,), optional
        About where it lies, where the subject was looked for in the scan.
    """
    if center == NOSE:
        from shapedp.surfaces.human_face import nose

        return nose.find_center(vertices, triangles, marked, sought)
    from shapedp.surfaces.disk_map import centers

    return centers.find(vertices, triangles, center, marked)
