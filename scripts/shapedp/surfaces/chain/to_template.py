"""The last two steps, from a surface to its radial curves beside the template."""

from collections.abc import Mapping
from typing import Any

from shapedp.base import artifacts
from shapedp.base.settings import subjects
from shapedp.people import populations
from shapedp.surfaces.chain.step import Step
from shapedp.surfaces.chain.template_fields import open_fields
from shapedp.surfaces.subjects import fits

# Sections of `faces` that a template depends on.
SETTINGS = ("template", "template_as", "center", "mesh", "surface", "extent", "curves", "subject")
# And those that the template of a subject that is no face depends on besides.
OF_SUBJECTS = ("marks", "registration", "gates", "times_public")
# And those that one depends on which a laboratory's own public faces teach.
OF_OWN_FACES = ("registration", "gates")


def list_settings(faces: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the sections of `faces` that its template depends on."""
    of_subjects = () if subjects.from_settings(faces).is_face else OF_SUBJECTS
    # Only where there are some, so that a template without them is as it was.
    own = ("landmarks",) if faces.get("landmarks") else ()
    of_own_faces = OF_OWN_FACES if populations.has_own_public_faces(faces) else ()
    return (*SETTINGS, *of_subjects, *of_own_faces, *own)


def _register_surfaces(shared):
    """Return the function that registers a surface, of whatever the scans show."""
    return fits.fit_for(subjects.from_settings(shared.settings)).prepare(shared)


def _extract_curves(shared):
    """Return the function of the step `extract_curves`, which takes the template's circles off a registered surface."""
    from shapedp.surfaces import curve_mesh

    with open_fields(shared.template) as source:
        radii, samples = source["radii"], source["curves"].shape[-1]

    def extract(registered):
        """Return the fields of a surface's curves."""
        return {"curves": curve_mesh.extract(registered["f"], radii, samples)}

    return extract


# Sections of `faces` that the registration depends on.
OF_REGISTRATION = ("registration", "gates", "center", "expression", "subject")
REGISTER_SURFACES = Step(
    "registered",
    artifacts.REGISTERED,
    ("surface", "disk", "mesh", "marks"),
    _register_surfaces,
    OF_REGISTRATION,
    template=True,
)
EXTRACT_CURVES = Step("curves", artifacts.FACE_CURVES, ("registered",), _extract_curves, template=True)
