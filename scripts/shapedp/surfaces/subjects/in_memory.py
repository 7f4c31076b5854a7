"""Faces in memory, one at a time, as `shapedp.Template` takes them: no artifact is written or read."""

from typing import Any

from numpy.typing import NDArray

from shapedp.base.errors import Rejected
from shapedp.base.settings import read_default
from shapedp.surfaces.human_face import expressions, likely_error, placement, relief, template_forms
from shapedp.surfaces.human_face.template_forms import TemplateForms
from shapedp.surfaces.registration import disk_transfer
from shapedp.surfaces.registration.alignment import Face, Registered
from shapedp.surfaces.registration.template import Options


def split_forms(face: Face) -> tuple[Face, Face]:
    """Return (the form of a template that clouds meet, the form that meshes meet)."""
    clouds, meshes, _ = template_forms.split_forms(face)
    return clouds, meshes


def find_sought_fields(face: Face, is_built_in: bool) -> dict[str, Any]:
    """Return the fields of a template in memory by which `find_faces` looks for its face in a scan.

    Parameters
    ----------
    face : Face
        The template.
    is_built_in : bool
        Whether it is the built-in one, which is the public people's mean.
    """
    try:
        people = placement.find_people(face, is_built_in)
    except Rejected:
        people = placement.make_no_people(face)
    names = "triangles", "weights", "rotation", "size"
    return {"f": face.f, **{f"people_{name}": getattr(people, name) for name in names}}


def prepare_forms(meshes: Face, clouds: Face, is_built_in: bool) -> TemplateForms:
    """Return the template's forms, to which `shapedp.Template` registers faces one at a time.

    Parameters
    ----------
    meshes, clouds : Face
        The template's two forms.
    is_built_in : bool
        Whether it is the built-in one.
    """
    options = Options(**read_default("faces.registration"))
    places, people = disk_transfer.find_places(meshes, clouds), placement.find_people(meshes, is_built_in)
    clouds_people = placement.move_people(people, meshes, clouds)
    return TemplateForms(meshes.f, clouds.f, places, people, clouds_people, options)


def register(forms: TemplateForms, surface: Face, relief_of: NDArray | None) -> Registered:
    """Return a scan's surface registered to a template; raise Rejected for what is no face, or only part of one.

    Parameters
    ----------
    forms : TemplateForms
        What `prepare_forms` returned.
    surface : Face
        A scan, on the template's grid.
    relief_of : (R, T, 3) array or None
        The template, if it is a face, so that what has no nose, eyes and mouth is refused.
    """
    aligned, people = forms.align(surface), forms.people
    limits = relief.Gates(**read_default("faces.gates")).against(people.farther)
    relief.judge(aligned, limits)
    if relief_of is not None:
        relief.refuse_without_relief(forms.neutral(aligned, surface).registered.surface, relief_of)
    expression = expressions.describe(aligned.expression, people)
    relief.refuse_likely_wrong(
        likely_error.estimate_errors(aligned, expression["expression_mm"], surface, people), limits
    )
    return aligned.registered
