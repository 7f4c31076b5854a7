"""The steps of a subject that is no face: registered whole to its own template, and judged by its own public specimens.

Nothing that is known of faces is used. How far a surface may lie from the template follows from how far the public
specimens lie from it, each as if the template had been made without it; what was measured of them stands in the
template's artifact. Without public specimens the settings' own limit holds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from shapedp.base import artifacts
from shapedp.base.artifacts import kinds
from shapedp.base.errors import Rejected
from shapedp.base.runs.logs import log
from shapedp.base.settings.subjects import Subject
from shapedp.surfaces.chain import to_disk
from shapedp.surfaces.chain.step import ChainSettings, Scan, walk
from shapedp.surfaces.chain.template_fields import MARK_FAR, collect_landmarks, open_fields, place_points

# Of the public specimens' energies: a tenth of them may be odd ones.
QUANTILE = 0.9
# Specimens: of so few that quantile says half as much again.
FEWER = 4.0
# Energy that any surface may have: what noise and meshing alone leave of a detailed one.
LEAST_ENERGY = 0.03
# The same of unlikeness: as far as the prior has it.
LEAST_UNLIKE = 1.0
# Of the public ones, evenly chosen, that the limits are taken from.
MOST_SPECIMENS = 200
# Of the public specimens' sizes, beyond which a scan's unit is worth a look.
LIKE_SIZE = 0.7, 1.43


@dataclass(frozen=True)
class Limits:
    """energy, unlike : the most that a surface may have, see whole_surface.Whole; NaN where nothing says it
    size : median of the public specimens' square roots of the area, in the template's scan units; 0 without them
    apart : the least distance between two of them, root mean square over the points that a look shows, in the
        template's units; 0 without them
    count : public specimens that they were taken from
    """

    energy: float
    unlike: float
    size: float
    apart: float
    count: int

    @classmethod
    def from_specimens(cls, wholes, settings):
        """Return the Limits by which surfaces are judged, from public specimens: what nine of ten stay below, times
        faces.times_public.

        With fewer than FEWEST specimens the energy is that of the settings.
        """
        count = len(wholes)
        if count < FEWEST:
            return cls(settings["gates"]["energy"], np.nan, 0.0, 0.0, count)
        factor = settings["times_public"] * (1 + FEWER / (2 * count))
        energies = [whole.registered.energy_after for whole in wholes]
        held_out = (count / (count - 1)) ** 2 * np.array(energies)
        energy = max(LEAST_ENERGY, factor * float(np.quantile(held_out, QUANTILE)))
        unlike = max(LEAST_UNLIKE, factor * float(np.quantile([whole.unlike for whole in wholes], QUANTILE)))
        size = float(np.median([whole.scale for whole in wholes]))
        return cls(energy, unlike, size, _find_least_distance(wholes), count)

    def judge(self, whole):
        """Raise Rejected for a surface that fits the template worse, or is less like it, than public specimens
        allow.
        """
        energy = whole.registered.energy_after
        if energy > self.energy:
            public = f"public specimens allow {self.energy:.2g}" if self.count >= FEWEST else f"at most {self.energy:g}"
            raise Rejected(
                "unlike_template",
                f"the surface does not fit the template: energy {energy:.2g} ({public}). If the scan shows only part "
                "of it, or more than it, scan or crop it to the same edge as the template's; if it shows something "
                "else, take it out; if many sound scans are refused, bring public specimens that are like them, or "
                "raise faces.times_public",
            )
        if whole.unlike > self.unlike:
            raise Rejected(
                "unlike_public",
                f"the surface is as large and as smooth as the template, but of another form: it is displaced "
                f"{whole.unlike:.2g} times as far as expected (public specimens allow {self.unlike:.2g}); look at "
                "the scan, and at its edge",
            )


# Public specimens that say what is allowed.
FEWEST = 5
OF_LIMITS = ("energy", "unlike", "size", "apart", "count")


def _find_least_distance(wholes):
    """Return the least distance of two public specimens; two records that are nearer may be one specimen recorded
    twice.

    It is root mean square over the registered surfaces, as `quality.find_alike` has it.
    """
    from shapedp.surfaces import polar

    points = np.array([polar.decimate(whole.registered.surface).reshape(-1) for whole in wholes])
    squares = (points**2).sum(axis=1)
    between = squares[:, None] + squares - 2 * points @ points.T
    nearest = between[~np.eye(len(wholes), dtype=bool)].min()
    return float(np.sqrt(max(nearest, 0) / (points.shape[1] / 3)))


def prepare(shared: ChainSettings):
    """Return the function by which the step `register_surfaces` registers and judges surfaces of a subject that is no
    face.
    """
    with open_fields(shared.template, kinds.SUBJECT_TEMPLATE) as source:
        f = source["f"]
        limits = Limits(*(source[f"specimens_{name}"] for name in OF_LIMITS))
        marks = dict(zip(source["mark_names"], source["mark_points"], strict=True))
        upright, trusts_axes = source["upright"], bool(source["trusts_axes"])
        # A file from before it was asked refuses mirror images of every subject.
        tells_side = "tells_side" not in source or bool(source["tells_side"])
        off, modes = float(source["specimens_off"]), source["specimens_modes"]

    @cache
    def template():
        """Return the template that all surfaces are registered to, made when the first one comes: its imports take
        long.
        """
        from shapedp.surfaces.registration import smooth_fit

        plain = whole_template(f, shared.settings, marks, upright)
        return replace(plain, trusts_axes=trusts_axes, learned=smooth_fit.Learned(off, modes))

    def register_surface(surface, disk, mesh, marked):
        """Return the fields of a registered surface for the step's artifact; raise Rejected for what is no such
        subject.
        """
        from shapedp.surfaces.registration import whole_surface

        whole = whole_surface.align(to_disk.assemble_face(mesh, disk, surface), template(), dict(marked))
        if tells_side:
            whole_surface.refuse_mirrored(whole)
        limits.judge(whole)
        return {
            **collect_fields(whole),
            "registration_notice": "\n".join(notices(whole, limits, dict(marked), marks, trusts_axes, upright)),
        }

    return register_surface


def whole_template(f, settings: Mapping[str, Any], marks: Mapping[str, Any], upright=None):
    """Return the whole_surface.Template, to which surfaces of a subject that is no face are registered whole.

    Parameters
    ----------
    f : (R, T, 3) array
        The template, of unit area.
    settings : mapping
        The section `faces`.
    marks : mapping
        {name: (3,)} of the template's points, in its units.
    upright : (3, 3) array or None
        The rotation from the axes of the template's file; None: none.
    """
    from shapedp.surfaces.registration import whole_surface
    from shapedp.surfaces.registration.template import Options

    turned = np.eye(3) if upright is None else upright
    return whole_surface.Template(f, Options(**settings["registration"]), dict(marks), turned)


def collect_fields(whole) -> dict[str, Any]:
    """Return the fields of the artifact `registered` of a whole surface; those about cuts, gaps and expressions of
    faces are 0.
    """
    result = whole.registered
    return {
        "f": result.surface,
        "rotation": result.rotation,
        "gamma": result.gamma,
        "in_scan": (whole.scale, *whole.centroid),
        "energy_before": result.energy_before,
        "energy_rotation_only": result.energy_rotation_only,
        "energy_after": result.energy_after,
        "min_jacobian": result.min_jacobian,
        "removed": 0.0,
        "missing": 0.0,
        "expected_mm": 0.0,
        "unlike": whole.unlike,
        **{name: 0.0 for name in artifacts.REGISTERED.fields if name.startswith("error_")},
        "nose_distance": 0.0,
        "jaw_mm": 0.0,
        "smile_mm": 0.0,
        "expression_mm": 0.0,
        "tilt_degrees": 0.0,
        "expression_notice": "",
        "iterations": result.iterations,
        "converged": result.converged,
    }


def notices(whole, limits, marked, known, trusts_axes=False, upright=None):
    """Yield sentences for the review of a registered surface that may be turned, marked or scaled wrongly.

    Parameters
    ----------
    whole : whole_surface.Whole
        The surface.
    limits : Limits
        What public specimens allow.
    marked, known : mapping
        Points that the scan has marked, and that the template has, by name.
    trusts_axes : bool
        Whether scans are taken to stand as the template's file does.
    upright : (3, 3) array or None
        The rotation from the axes of that file to the template's; None: none.
    """
    from shapedp.surfaces.registration import whole_surface

    upright = np.eye(3) if upright is None else upright
    if whole.next_turn < whole_surface.ALIKE and not trusts_axes and not set(marked) & set(known):
        yield (
            f"turned another way the surface fits nearly as well ({whole.next_turn:.2f} times the energy), so "
            "the smaller turn was taken; to be sure, mark a point in the sample sheet (mark_NAME_x, mark_NAME_y, "
            "mark_NAME_z, of a point that faces.marks names)"
        )
    if trusts_axes and not set(marked) & set(known):
        turned = np.degrees(whole_surface.Turn(None, 0.0, whole.registered.rotation).in_space(upright))
        if whole.next_turn < whole_surface.TOLD or turned > LEANING:
            yield (
                "its shape does not show which way it is turned, so it was taken to stand about as the "
                f"template's file does, {turned:.0f} degrees from it; if it may stand otherwise, mark it in the "
                "sample sheet (mark_NAME_x, mark_NAME_y, mark_NAME_z, of a point that faces.marks names)"
            )
    if whole.marks_off > MARK_FAR:
        yield f"a mark lies {whole.marks_off:.0%} of the size from where the template has it; check that it is right"
    for name in sorted(set(marked) - set(known)):
        yield f"the mark '{name}' is none of faces.marks, so it is not used"
    share = whole.scale / limits.size if limits.size else 1.0
    if not LIKE_SIZE[0] < share < LIKE_SIZE[1]:
        yield f"it is {share:.3g} times as large as public specimens: is it in another unit?"


# Degrees: a scan that is turned more against the template's file hardly stands as that does.
LEANING = 40


def template_fields(face, settings: Mapping[str, Any], specimens: Sequence[Scan]) -> dict[str, Any]:
    """Return the fields of a template's artifact for a subject that is no face: its surface, and what public specimens
    allow.

    Parameters
    ----------
    face : alignment.Face
        The template's scan, taken to the disk.
    settings : mapping
        The section `faces`.
    specimens : sequence of Scan
        The public set, or nothing.
    """
    from shapedp.surfaces import curve_mesh, polar
    from shapedp.surfaces.registration import smooth_fit, srnf, whole_surface

    upright = whole_surface.find_upright(face.f)
    f = srnf.rotate(upright, face.f)
    rings, angles = face.f.shape[:2]
    radii = curve_mesh.spread(f, settings["curves"]["count"], settings["curves"]["spacing"])
    marks = {name: upright @ point for name, point in place_points(face, settings, "marks").items()}
    landmarks = {name: upright @ point for name, point in place_points(face, settings, "landmarks").items()}
    template = whole_template(f, settings, marks, upright)
    faces = _map_specimens(specimens, settings)
    wholes = registered(template, faces, settings)
    is_told_apart = whole_surface.are_told_apart([whole.next_turn for whole in wholes.values()])
    if not is_told_apart:
        log.warning(UNTOLD)
        template = replace(template, trusts_axes=True)
        wholes = registered(template, faces, settings)
    tells_side = whole_surface.are_told_apart([whole.mirror for whole in wholes.values()])
    if not tells_side:
        log.warning(SIDELESS)
    learned, center = smooth_fit.Learned.from_nothing(), f
    if len(wholes) >= FEWEST:
        learned, plain = learn(wholes), wholes
        wholes = held_out(template, faces, plain, settings)
        taught = registered(replace(template, learned=learned), faces, settings)
        # The public center: a mean of registered specimens slides along the surface a little farther with every round
        # of a template, so that their own mean lies nearer to cohorts than the curves of what they are registered to.
        center = np.mean([whole.registered.surface for whole in taught.values()], axis=0)
    limits = Limits.from_specimens(list(wholes.values()), settings)
    return {
        "f": f,
        "cloud_f": f,
        "cloud_places": polar.polar_grid(rings, angles).points,
        **kinds.no_people((rings, angles)),
        "extent": np.inf,
        "curves": curve_mesh.extract(center, radii, settings["curves"]["samples"]),
        "radii": radii,
        "scale": face.scale,
        "subject": settings["subject"],
        "upright": upright,
        "trusts_axes": not is_told_apart,
        "tells_side": tells_side,
        "mark_names": list(marks),
        "mark_points": np.array(list(marks.values())).reshape(-1, 3),
        **collect_landmarks(landmarks),
        "specimens_off": learned.off,
        "specimens_modes": learned.modes,
        **{f"specimens_{name}": getattr(limits, name) for name in OF_LIMITS},
    }


UNTOLD = (
    "faces.subject: the public specimens fit about as well turned another way, so their shape does not show how "
    "they are turned, and scans are taken to stand about as the template's file does; if they do not, mark a "
    "point of each: faces.marks"
)
SIDELESS = (
    "faces.subject: mirror images of the public specimens fit about as well, so their shape does not show which side "
    "they are of, and no scan is refused for being mirrored; if there are left and right ones, say which in the "
    "column `side` of the sample sheet"
)


def _map_specimens(specimens, settings):
    """Return {name: Face} of public specimens, mapped to the disk, to learn what a scan must be like to be accepted.

    They are MOST_SPECIMENS at most. The log warns of those that could not be mapped.
    """
    subject, faces = Subject.from_setting(settings["subject"]), {}
    chosen = specimens[:: 1 + (len(specimens) - 1) // MOST_SPECIMENS] if specimens else ()
    for walked in walk(chosen, to_disk.STEPS, ChainSettings(settings)):
        if walked.refusal:
            log.warning("public %s %s: %s", subject.word, walked.scan.name, walked.refusal.reason)
            continue
        faces[walked.scan.name] = to_disk.assemble_face(*(walked.records[name] for name in ("mesh", "disk", "surface")))
    return faces


def registered(template, faces: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return {name: Whole} of public specimens registered to a template, of which its limits are learned.

    Those that cannot be registered are passed over, with a line in the log.

    Parameters
    ----------
    template : whole_surface.Template
        What they are registered to.
    faces : mapping
        {name: alignment.Face} of the public set.
    settings : mapping
        The section `faces`.
    """
    from shapedp.surfaces.registration import whole_surface

    subject, wholes = Subject.from_setting(settings["subject"]), {}
    for name, face in faces.items():
        try:
            wholes[name] = whole_surface.align(face, template, {})
        except Rejected as error:
            log.warning("public %s %s: %s", subject.word, name, error)
    return wholes


def learn(wholes: Mapping[str, Any]):
    """Return the smooth_fit.Learned of public specimens, {name: Whole}, by which a scan's registration is drawn to
    likely forms.

    The specimens were registered without it.
    """
    from shapedp.surfaces.registration import smooth_fit

    return smooth_fit.Learned.from_specimens(
        np.array([whole.displacement for whole in wholes.values()]),
        np.array([whole.misfit for whole in wholes.values()]),
    )


# Parts of the public specimens, each of which is registered by what the others teach.
FOLDS = 5


def held_out(template, faces: Mapping[str, Any], wholes: Mapping[str, Any], settings: Mapping[str, Any]):
    """Return {name: Whole} of public specimens, each registered by what the others teach, as a scan of the cohort will
    be.

    So the limits taken from them are not too narrow.

    Parameters
    ----------
    template : whole_surface.Template
        What they are registered to.
    faces, wholes : mapping
        {name: alignment.Face} of the public set, and {name: Whole} of those that were registered without.
    settings : mapping
        The section `faces`.
    """
    names, again = list(wholes), {}
    for fold in range(FOLDS):
        others = {name: wholes[name] for at, name in enumerate(names) if at % FOLDS != fold}
        taught = replace(template, learned=learn(others))
        again |= registered(taught, {name: faces[name] for name in names[fold::FOLDS]}, settings)
    return {name: again[name] for name in names if name in again}
