"""How a face is registered to the template of a cohort, and what is measured of it; and that template itself.

Libraries are imported where they are first needed: a job runs one step, and starting takes longer than most work.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from shapedp.base import artifacts
from shapedp.base.artifacts import kinds
from shapedp.base.errors import Rejected
from shapedp.base.runs.logs import log
from shapedp.surfaces.chain import to_disk
from shapedp.surfaces.chain.step import ChainSettings, Scan, walk
from shapedp.surfaces.chain.template_fields import collect_landmarks, open_fields, place_points
from shapedp.surfaces.human_face import real_faces

KEPT = ("rotation", "gamma", "energy_before", "energy_rotation_only", "energy_after", "min_jacobian")
PLACED = ("removed", "missing", "expected_mm", "unlike", "nose_distance")
ON_MODEL = ("people_triangles", "people_weights", "cloud_people_triangles", "cloud_people_weights")
# The fields that forms are made of.
FORMS = ("f", "cloud_f", "cloud_places", "people_size", "people_rotation", *ON_MODEL)


def prepare(shared: ChainSettings) -> Callable[..., dict[str, Any]]:
    """Return the function by which the step `register_surfaces` registers and judges faces."""
    from shapedp.surfaces.disk_map import centers
    from shapedp.surfaces.human_face import expressions, face_marks, likely_error, relief
    from shapedp.surfaces.registration import alignment
    from shapedp.surfaces.registration.template import Options

    options = Options(**shared.settings["registration"])
    with open_fields(shared.template, kinds.with_own_faces(artifacts.TEMPLATE)) as source:
        fields = {name: source[name] for name in (*FORMS, *kinds.OWN_FACES_FIELDS) if name in source}
        limits = relief.Gates(**shared.settings["gates"]).against(float(source["people_farther"]))

    @cache
    def template():
        """Return the template's forms, made when the first scan comes: what they need takes long to import."""
        return read_forms(fields, options)

    def register_surface(surface, disk, mesh, marked):
        """Return the fields of a registered face for the step's artifact; raise Rejected for no face, or one that is
        likely wrong.
        """
        face, marks = to_disk.assemble_face(mesh, disk, surface), None
        if marked:
            nose = mesh["vertices"][int(disk["nose_tip"])] if disk["nose_method"] == centers.MARKED else None
            marks = face_marks.FaceMarks.from_sheet(marked, nose)
        aligned = template().align(face, marks)
        neutral = template().neutral(aligned, face)
        relief.judge(aligned, limits)
        if shared.settings["center"] == "nose":
            relief.refuse_without_relief(neutral.registered.surface, fields["f"])
        expression = expressions.describe(aligned.expression, template().people)
        if shared.settings["expression"] == "refuse":
            expressions.refuse_beyond(expression)
        errors = likely_error.estimate_errors(aligned, expression["expression_mm"], face, template().people)
        relief.refuse_likely_wrong(errors, limits)
        if shared.settings["expression"] == "neutral":
            aligned = neutral
        registered = aligned.registered
        if not registered.converged:
            log.warning("%s: %s", surface.name, registered.message)
        return {
            "f": registered.surface,
            **{name: getattr(registered, name) for name in KEPT},
            **{name: getattr(aligned, name) for name in PLACED},
            "in_scan": (aligned.scale, *aligned.centroid),
            **errors,
            **expression,
            "tilt_degrees": alignment.measure_tilt(aligned.place.rotation),
            "iterations": registered.iterations,
            "converged": registered.converged,
            "registration_notice": aligned.notice,
        }

    return register_surface


def read_forms(template, options):
    """Return the TemplateForms of a template, to which scans are registered: of its artifact, or of its fields."""
    from shapedp.surfaces.human_face.own_faces import OwnFaces
    from shapedp.surfaces.human_face.public_people import People
    from shapedp.surfaces.human_face.template_forms import TemplateForms

    with open_fields(template, kinds.with_own_faces(artifacts.TEMPLATE)) as source:
        people, clouds_people = (People.from_fields(source, form) for form in ("", "cloud_"))
        own = None
        if "own_modes" in source and source["own_modes"].size:
            own = OwnFaces(people, source["own_center"], source["own_modes"])
        forms = source["f"], source["cloud_f"], source["cloud_places"]
        return TemplateForms(*forms, people, clouds_people, options, own)


def template_fields(face, settings: Mapping[str, Any], specimens: Sequence[Scan] = ()) -> dict[str, Any]:
    """Return the fields of the artifact of a template that is a face: its forms, extent, curves, and its place on
    public people.

    Parameters
    ----------
    face : alignment.Face
        The template's scan, taken to the disk.
    settings : mapping
        The section `faces`.
    specimens : sequence of Scan
        The laboratory's own public faces, which teach how faces differ where the packed public people do not; of a
        template that comes with the library none.
    """
    from shapedp.surfaces import curve_mesh
    from shapedp.surfaces.registration import alignment, disk_transfer

    radius = settings["extent"]["radius"] or math.inf
    clouds, meshes = _choose_forms(alignment.crop_to_extent(face, radius), settings)
    radii = curve_mesh.spread(meshes.f, settings["curves"]["count"], settings["curves"]["spacing"])
    forms = {
        "f": meshes.f,
        "cloud_f": clouds.f,
        "cloud_places": disk_transfer.find_places(meshes, clouds),
        **_find_fields_of_people(meshes, clouds, settings["template"]),
    }
    return {
        **forms,
        **(_learn_own_faces(forms, settings, specimens) if specimens else {}),
        "extent": radius,
        "curves": curve_mesh.extract(meshes.f, radii, settings["curves"]["samples"]),
        "radii": radii,
        "scale": meshes.scale,
        **collect_landmarks(place_points(meshes, settings, "landmarks")),
    }


def _learn_own_faces(forms, settings, specimens):
    """Return the fields of what own public faces teach of how faces lie beside a template, by which scans are bent.

    They are empty where too few can be registered as scans of a cohort are.
    """
    from shapedp.surfaces.human_face import own_faces, relief
    from shapedp.surfaces.registration.template import Options

    template, limits = read_forms(forms, Options(**settings["registration"])), relief.Gates(**settings["gates"])
    surfaces, own = [], None
    if template.people is not None:
        limits = limits.against(forms["people_farther"])
        chosen = specimens[:: 1 + (len(specimens) - 1) // own_faces.MOST_FACES]
        for walked in walk(chosen, to_disk.STEPS, ChainSettings(settings, forms)):
            try:
                if walked.refusal:
                    raise Rejected(walked.refusal.code, walked.refusal.reason)
                face = to_disk.assemble_face(*(walked.records[name] for name in ("mesh", "disk", "surface")))
                aligned = template.align(face)
                relief.judge(aligned, limits)
            except Rejected as error:
                log.warning("public face %s: %s", walked.scan.name, error)
                continue
            if aligned.missing <= own_faces.LACK:
                points, added = template.place_points(aligned, face)
                surfaces.append(points if added is None else points - added)
        own = own_faces.learn(template.people, surfaces)
    if own is None:
        log.warning(
            "faces.bounds.reference_set: %d of %d own public faces can be registered nearly whole, and %d "
            "are needed to teach how faces lie beside your own template; bring more, or go on without",
            len(surfaces),
            len(specimens),
            own_faces.FEWEST,
        )
        return {"own_center": np.zeros((0, 3)), "own_modes": np.zeros((0, 3, 0))}
    return {"own_center": own.center, "own_modes": own.modes}


def _find_fields_of_people(meshes, clouds, word):
    """Return the fields that tie a template's grids to the model of public people, by which gaps of scans are filled.

    They say where on the model the grids lie; of size 0 where the model cannot be registered to the template.
    """
    from shapedp.surfaces.human_face import placement

    try:
        mesh_people = placement.find_people(meshes, word == "built_in")
    except Rejected as error:
        log.warning("faces.template: the model of public people cannot be registered to it: %s", error)
        mesh_people = placement.make_no_people(meshes)
    cloud_people = mesh_people if meshes is clouds else placement.move_people(mesh_people, meshes, clouds)
    return {
        **{f"people_{name}": getattr(mesh_people, name) for name in ("triangles", "weights", "rotation", "size")},
        **{f"cloud_people_{name}": getattr(cloud_people, name) for name in ("triangles", "weights")},
        "people_farther": mesh_people.farther if mesh_people.size else 0.0,
        "people_model": real_faces.digest(),
    }


def _choose_forms(face, settings):
    """Return (the form of a template that clouds meet, the form that meshes meet), as `faces.template_as` asks."""
    from shapedp.surfaces.human_face import template_forms
    from shapedp.surfaces.meshing import scan_mesh

    if settings["template_as"] == "mesh" or not face.own_triangles:
        return face, face
    options = scan_mesh.Options(**settings["mesh"])
    if settings["template_as"] == "cloud":
        cloud = template_forms.mesh_as_cloud(face, options)
        return cloud, cloud
    clouds, meshes, words = template_forms.split_forms(face, options)
    if words:
        log.warning("faces.template_as: %s", words)
    return clouds, meshes
