"""Register a face from the start that ends likest to public people, gaps filled in: all that a scan shows is kept.

Where the template alone leads astray, the public model is fitted to the scan, with an expression where one moves it.
All of this follows from the one record and public numbers.
"""

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
import scipy

from shapedp.base.errors import Rejected
from shapedp.surfaces import polar
from shapedp.surfaces.human_face import expressions, face_marks, likely_error, public_fit
from shapedp.surfaces.human_face.public_people import EVERY, People, slice_every
from shapedp.surfaces.registration import alignment, disk_transfer, extent, srnf
from shapedp.surfaces.registration.template import unit_srnf

# Share of the extent: a scan that lacks more is for the public model, however well it ends by itself, since its rim
# slides.
LITTLE = 0.15
# Energy: a whole scan that the template leaves no more of is taken as it is.
WELL = 0.015
# Times the energy of the registration to the template: what ends so is no person the public model knows.
WORSE = 1.25
# Somebody of whom the fitted model leaves so many mm, and to whom it lies hardly nearer than the template, is a
# stranger to it: the times of that energy which a registration to the fit leaves.
STRANGE_MM, LESS = 0.5, 0.75
# A registration of an open mouth that has such a share of the face so far from the fit moved it along the lips.
SLID_MM, SLID_SHARE = 5.0, 0.01
# The same where more is missing, for a rim slides; people that the model knows have up to 2, others 2.3 to 6.
UNKNOWN = 3.0
UNKNOWN_MARKS = "its marks are not used: the template is too unlike public faces to say where it has them"


@dataclass(frozen=True)
class Grid:
    """What results are on, if not on the grid of the template that a scan was registered to.

    places (R, T, 2) : where its points lie in the template's disk; None: it is the template's own
    people : the People on it; along (R, T, 3) : its points along the extent's axes, the nose at 0
    """

    people: People
    along: np.ndarray
    places: np.ndarray | None = None

    def move(self, aligned):
        """Return an Aligned on the template's grid moved to this one, on which results are kept."""
        return aligned if self.places is None else disk_transfer.move_to_grid(aligned, self.places)


def align_likeliest(face, template, people, grid=None, marks=None):
    """Return the Aligned of a Face on the whole grid, gaps filled in, from the start that ends likest to public people.

    What has no nose counts as unlike people as well.

    Parameters
    ----------
    face : alignment.Face
        The scan.
    template : alignment.Template
        What it is registered to.
    people : People or None
        Of the template; None where the public model cannot be registered to it.
    grid : Grid or None
        That the result is on; None: the template's.
    marks : face_marks.FaceMarks or None
        Points that somebody marked in the scan; without a public model they are not used.
    """
    if people is None:
        aligned = alignment.align(face, template)
        if aligned.missing:
            words = f"the scan lacks {aligned.missing:.0%} of the template's extent, and no public people fill it in"
            raise Rejected("partial_extent", f"{words}; scan it whole, or choose a smaller faces.extent.radius")
        return aligned if marks is None else replace(aligned, notice=UNKNOWN_MARKS)
    grid = grid or Grid(people, template.along)
    if marks is not None:
        marks, start = _choose_marks(face, template, people, marks)
    if marks is None or not marks.names:
        plain, best = _align_from_starts(face, template, people, grid)
        best = best if marks is None else replace(best, notice="\n".join(marks.words))
        off = None
    else:
        plain, (best, off) = start, _align_by_marks(start, face, template, people, grid, marks)
    points = _read_off(best, template, grid.people)
    signals = _measure_signals(points, plain, best, template, grid, off)
    return replace(best, unlike=max(best.unlike, grid.people.measure_nose_misfit(points)), signals=signals)


def _choose_marks(face, template, people, marks):
    """Return (the FaceMarks that are heeded, those that lie on a Face; the Aligned to the template that they are fitted
    from).

    That starts from the place that the marks ask for, or from where the Face is found by itself where they are too few.
    """
    try:
        plain = alignment.align(face, template)
    except Rejected:
        place = marks.place(template, people)
        if place is None:
            raise
        plain = alignment.align_from(face, template, place)
    heeded = marks.near_scan(face.vertices, people.size / plain.place.size)
    place = heeded.place(template, people) if heeded.names else None
    if place is not None:
        with suppress(Rejected):
            return heeded, alignment.align_from(face, template, place)
    return heeded, plain


def _align_by_marks(start, face, template, people, grid, marks):
    """Return (an Aligned on the whole of a Grid, drawn to somebody's marks; what these say of its error).

    The public model is fitted to the Face and to the marks. The second is (places (k, 3) of the marks on the grid's
    scan, mm (k,) from there to where the marks are).
    """
    scan = expressions.choose_points(face.vertices, face.triangles, start.place, template)
    expressed = expressions.fit_best(scan, start.place, template, people, marks)
    if expressed is None:
        fitted = public_fit.fit(face, start.place, template, people, marks)
        points, seen = public_fit.lay_onto(face, start.place, template, fitted, people)
        whole = _complete_from_fit(start, points, seen, fitted, template, people)
    else:
        whole = _align_expressed(start, face, template, people, expressed)
    whole = grid.move(whole)
    mean, points = grid.people.mean, whole.points
    vertices, triangles = extent.mesh_grid(mean, extent.center(mean))
    corner, weights = disk_transfer.find_closest(grid.people.landmarks(marks.vertices)[1], vertices, triangles)
    on_scan, _ = extent.mesh_grid(points, extent.center(points))
    registered = np.einsum("nk,nkc->nc", weights, on_scan[triangles[corner]])
    off = np.linalg.norm(registered - marks.points, axis=1) / whole.place.size * people.size
    return replace(whole, notice="\n".join(marks.notices(off))), (registered, off)


def _measure_signals(points, plain, best, template, grid, marked=None):
    """Return what tells the likely error of the Aligned that is kept, as likely_error.measure_signals has it.

    points : its points without expression in the template's place

    plain : the Aligned by the template alone

    marked : (places (k, 3) in the scan, mm (k,) by which these are off) of somebody's marks, near which two
    registrations that disagree say less than the marks do; or None
    """
    people, slices = grid.people, slice_every(EVERY)
    _, residual = people.find_weights(points)
    left_mm = np.sqrt((residual**2).sum(axis=1)) * people.size
    other = plain if plain.missing else grid.move(plain)
    other, seen, _ = disk_transfer.read_on_grid(other, people.f, grid.along, grid.places)
    seen = seen[slices].ravel()
    mm = people.size / best.place.size
    kept_points = best.points[slices].reshape(-1, 3)
    apart = np.linalg.norm(kept_points - other[slices].reshape(-1, 3), axis=1) * mm
    if marked is not None:
        places, off = marked
        away, nearest = scipy.spatial.cKDTree(places).query(kept_points)
        near = away * mm < face_marks.ABOUT_MM
        apart = np.where(near, np.minimum(apart, off[nearest] + face_marks.OFF_MM), apart)
    return likely_error.measure_signals(
        left_mm, np.where(seen, apart, 0.0), seen, people.regions[slices].ravel(), people.areas[slices].ravel()
    )


def _align_from_starts(face, template, people, grid):
    """Return (the Aligned of a Face by the template alone, the one that is kept, whole).

    The latter is, of several starts, what ends likest to public people, if the first does not. Starts are compared by
    what their registrations leave: laid onto a scan, the public model comes near it anywhere.
    """
    plain = alignment.align(face, template)
    first = _make_whole(plain, face, template, people, grid)
    if first.unlike <= 1 or plain.registered.energy_after <= alignment.ALIKE:
        return plain, first
    others = []
    for place in alignment.find_other_places(face, template, plain.place):
        with suppress(Rejected):
            others.append(alignment.align_from(face, template, place))
    least = min(aligned.registered.energy_after for aligned in (plain, *others))
    sound = [first] if plain.registered.energy_after <= WORSE * least else []
    for other in others:
        if other.registered.energy_after <= WORSE * least:
            with suppress(Rejected):
                sound.append(_make_whole(other, face, template, people, grid))
    return plain, min(sound or [first], key=lambda aligned: aligned.unlike)


def _make_whole(aligned, face, template, people, grid):
    """Return an Aligned on the whole of a Grid, gaps filled in, and how unlike people it is, so that starts can be
    compared.
    """
    much, energy = aligned.missing > LITTLE, aligned.registered.energy_after
    if energy <= WELL and not much:
        return _keep_plain(aligned, template, grid)
    by_people = _align_by_people(aligned, face, template, people)
    if by_people is None or by_people.registered.energy_after > UNKNOWN * energy:
        return _keep_plain(aligned, template, grid)
    by_people = grid.move(by_people)
    if much:
        return by_people
    # Nearer to the truth a point may leave more; whether this is a face says the least that is left.
    energy = min(energy, by_people.registered.energy_after)
    return replace(by_people, registered=replace(by_people.registered, energy_after=energy))


def _keep_plain(aligned, template, grid):
    """Return a registration to the template as it is, where a fit of the public model would not make it better.

    It is an Aligned on the whole of a Grid, with gaps filled in.
    """
    whole = _fill_in(aligned, template, grid) if aligned.missing else grid.move(aligned)
    return replace(whole, unlike=grid.people.unlike(_read_off(whole, template, grid.people)))


def _align_by_people(aligned, face, template, people):
    """Return an Aligned on the template's whole grid by the public model fitted to its Face, where the template leads
    astray; None of a whole scan of somebody whom the model does not know.

    It is registered to the fit where it shows all, and ends no worse for it, each point moved a share of the way to
    the fit's; else the fit is laid onto it.
    """
    fit = public_fit.fit(face, aligned.place, template, people)
    scan = expressions.choose_points(face.vertices, face.triangles, aligned.place, template)
    if expressions.is_moved(scan, aligned.place, template, people, fit):
        best = expressions.fit_best(scan, aligned.place, template, people)
        expressed = None if best is None else _align_expressed(aligned, face, template, people, best)
        if (
            expressed and expressed.registered.energy_after <= aligned.registered.energy_after
        ):  # else that is not what moves it
            return expressed
    nearer = None if aligned.missing else _register_to_fit(aligned, face, template, fit)
    if nearer is None:
        points, seen = public_fit.lay_onto(face, aligned.place, template, fit, people)
        laid = _complete_from_fit(aligned, points, seen, fit, template, people)
        is_kept = aligned.missing or laid.registered.energy_after <= WORSE * aligned.registered.energy_after
        return laid if is_kept else None
    again, points, seen, gamma = nearer
    misfit = public_fit.measure_misfit(points, fit, people)
    if misfit > STRANGE_MM and again.registered.energy_after > LESS * aligned.registered.energy_after:
        return None
    points = public_fit.move_along(points, fit, public_fit.share_of_way(misfit, public_fit.AT_REST))
    share = public_fit.share_of_way(misfit, 1.0)
    points = public_fit.fill_bridged(points, face, aligned.place, template, fit, share)
    points = public_fit.smooth_beside(points, fit, share, face.own_triangles)
    plain = aligned.registered  # whose energies are against the template itself
    before = {"energy_before": plain.energy_before, "energy_rotation_only": plain.energy_rotation_only}
    at_start = replace(again, place=aligned.place, registered=replace(again.registered, gamma=gamma, **before))
    return _complete_from_fit(at_start, points, seen, fit, template, people)


def _register_to_fit(aligned, face, template, fit):
    """Return a face registered to the public model's fit of it, which keeps the scan's own detail; None where that
    fails or leaves more.

    It is (the Aligned, its points (R, T, 3) in the template's place, which are seen (R, T), gamma); aligned : at the
    Fit's place
    """
    with suppress(Rejected):
        own, again = public_fit.align_to_fit(face, aligned.place, template, fit, aligned.registered.end)
        if again.registered.energy_after <= WORSE * aligned.registered.energy_after:
            points, seen, gamma = disk_transfer.read_on_grid(again, own.f, own.along)
            return again, aligned.place.bring(points) + template.extent.nose, seen, gamma
    return None


def _align_expressed(aligned, face, template, people, expressed):
    """Return an Aligned of a Face with an expression by its ExpressiveFit; its energy is against the face that fits.

    That face is laid onto the scan; where the scan shows all, it is registered to it, too, and points go the further
    from there to where the fit has them the more of the scan the fit explains. Not so where the mouth is open: a scan
    is closed there anyhow, and a registration moves points along the lips.
    """
    fit = expressed.fit
    at_expression = replace(aligned, place=expressed.place, expression=expressed.weights)
    points, seen = public_fit.lay_onto(face, expressed.place, template, fit, people)
    nearer = None if aligned.missing else _register_to_fit(at_expression, face, template, fit)
    if nearer is not None and not _slides_along_lips(nearer[1], expressed, people):
        misfit = public_fit.measure_misfit(points, fit, people)
        share = public_fit.share_of_way(misfit, public_fit.EXPRESSED)
        points, seen = public_fit.move_along(nearer[1], fit, share), nearer[2]
    own = alignment.Template(polar.unit_surface(fit.points)[0], template.options)
    whole = _complete_from_fit(at_expression, points, seen, fit, template, people)
    energy = public_fit.measure_against(own, points, seen, whole.registered)[0].energy_after
    return replace(whole, registered=replace(whole.registered, energy_after=energy))


def _slides_along_lips(points, expressed, people):
    """Return whether registered points (R, T, 3) of a face whose mouth is open lie so far from its ExpressiveFit that
    they have left their places.
    """
    apart_mm = np.linalg.norm(points - expressed.fit.points, axis=-1) * people.size
    return expressions.opens_mouth(expressed.weights) and people.areas[apart_mm > SLID_MM].sum() > SLID_SHARE


def take_off_expression(aligned, nose, people, q):
    """Return an Aligned with its expression taken off, as the face would be at rest: identity and what is fine stay.

    Parameters
    ----------
    aligned : alignment.Aligned with an expression
    nose : (3,) of the template that it was registered to
    people : People on its grid
    q : (R, T, 3) square root normal field on that grid, which the face is turned to

    Returns
    -------
    alignment.Aligned
    """
    points = aligned.place.bring(aligned.points) + nose - people.expression(aligned.expression)
    return replace_points(aligned, points, nose, q)


def replace_points(aligned, points, nose, q):
    """Return an Aligned whose surface is another, as one at rest or one whose points are moved along it; what was
    measured of it stays.

    Parameters
    ----------
    aligned : alignment.Aligned
    points : (R, T, 3) array
        Of the other surface, in the template's place.
    nose : (3,) of the template that it was registered to
    q : (R, T, 3) square root normal field on its grid, which the face is turned to

    Returns
    -------
    alignment.Aligned
    """
    place = aligned.place
    surface, scale, centroid = polar.unit_surface(points)
    grid = polar.polar_grid(*points.shape[:2])
    turn = srnf.best_rotation(srnf.covariance(q, unit_srnf(surface, grid), grid.weights))
    registered = replace(aligned.registered, surface=srnf.rotate(turn, surface), rotation=turn @ place.rotation)
    centroid = (centroid - nose) @ place.rotation * place.size + place.nose
    return replace(aligned, registered=registered, scale=scale * place.size, centroid=centroid)


def _read_off(aligned, template, people):
    """Return the points of an Aligned without its expression that its likeness to people is judged by.

    On EVERY so many rings and angles, in the template's place and units.
    """
    points = (
        aligned.registered.surface[slice_every(EVERY)] @ aligned.registered.rotation * aligned.scale + aligned.centroid
    )
    points = aligned.place.bring(points) + template.extent.nose
    return points if aligned.expression is None else points - people.expression(aligned.expression)[slice_every(EVERY)]


def _fill_in(aligned, template, grid):
    """Return an Aligned on the whole of a Grid, with what its scan lacks filled in as public people foretell it."""
    points, seen, gamma = disk_transfer.read_on_grid(aligned, grid.people.f, grid.along, grid.places)
    filled, expected = grid.people.complete(aligned.place.bring(points) + template.extent.nose, seen, grid.along)
    surface, scale, centroid = polar.unit_surface(filled)
    surface = srnf.rotate(aligned.registered.rotation @ aligned.place.rotation.T, surface)
    registered = replace(aligned.registered, gamma=gamma, surface=surface)
    return _place_in_scan(aligned, registered, scale, centroid, expected, template)


def _complete_from_fit(aligned, points, seen, fit, template, people):
    """Return the Aligned of points laid on a Fit, what is not seen filled in from it, with energy, likeness and
    expected error.

    points, seen : (R, T, 3) in the template's place, on its grid, and which of them the scan shows
    """
    points, expected = public_fit.complete(points, seen, fit, people)
    registered, scale, centroid = public_fit.measure_against(template, points, seen, aligned.registered)
    registered = replace(registered, rotation=registered.rotation @ aligned.place.rotation)
    whole = _place_in_scan(aligned, registered, scale, centroid, expected, template)
    unlike = people.unlike(_read_off(whole, template, people))
    return replace(whole, missing=float(people.areas[~seen].sum()), unlike=unlike)


def _place_in_scan(aligned, registered, scale, centroid, expected, template):
    """Return an Aligned that takes over a surface made whole in the template's place, put back to where the scan lies.

    scale, centroid : of that surface, in the template's place
    """
    place = aligned.place
    return replace(
        aligned,
        registered=registered,
        scale=scale * place.size,
        centroid=(centroid - template.extent.nose) @ place.rotation * place.size + place.nose,
        expected_mm=expected,
    )
