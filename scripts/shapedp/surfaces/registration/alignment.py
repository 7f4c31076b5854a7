"""Bring a face into the template's frame and extent: place it, cut it to the template's outline in space, map,
register.

Where the template's outline lies on a scan follows from a registration, and that from a cut. A few rounds on coarse
grids settle both, and the last ones, from where these ended, are on the finest; mostly one of each is enough. A scan is
mapped once: what is cut out of it has its map from that (`disk_map.inner_disks`). Where a scan shows less than the
template, the template is cut to what the scan shows. docs/mathematics.md tells why, under "Extent".
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations, product

import numpy as np

from shapedp.base.errors import Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import polar, table, topology
from shapedp.surfaces.disk_map import conformal, inner_disks
from shapedp.surfaces.meshing import clipping
from shapedp.surfaces.registration import disk_transfer, extent, srnf
from shapedp.surfaces.registration.register import Registered, register
from shapedp.surfaces.registration.template import prepare, prepare_like, prepare_part, unit_srnf

# How many times, at most, a scan is cut in the ball, on coarse grids and on the finest; mostly once is enough.
ROUNDS = 3
# How far, in sizes of the template, a cut may move and count as the same: on the coarse grids, whose cut is only the
# start of the next, and in the end.
NEARLY, STILL = 0.01, 0.006
# Rings and angles of the grid on which a face is looked for in its scan: enough to tell where it lies.
ROUGH = 48, 128
# A whole scan that is left no more energy than this, registered to the whole template, ends about where the template
# does: then no ball need be cut.
ALIKE = 0.04
# The same is tried only of a scan whose unit suggests a size within this share of what its area suggests: one that
# shows more has a larger area.
AS_LARGE = 0.15
# The ball about the nose in which a scan is first found, as a share of the template's mean reach.
START = 0.75
# Sizes tried in turn where no unit says one, as multiples of what the scan's area suggests: a scan may show more than
# the template, or less.
SIZES = (1.0, 0.8, 0.65, 1.17, 1.37)
# Scans come in mm, cm or m; a public template in mm then tells how large a face is in the scan's numbers.
UNITS = 1.0, 0.1, 0.001
# Share by which a registered face may differ in size from what the scan's unit says and still be of that unit.
LIKE_SAID = 0.25
# A unit is believed only if a face in it has between these multiples of the size that the scan's area suggests.
GUESSED = 0.4, 1.6
# A try with no more energy than this in the ball ends the search for a size.
GOOD = 0.05
# So does one with up to twice as much, if the size that its registration asks for is off by no more than this share:
# the ball was made with the right one.
AGREES = 0.05
# A round that leaves more than this share of the energy before is the last: others would hardly gain.
SETTLES = 0.95
# Each step changes the logarithm of the size by this multiple of what the registration asks for, since a registration
# takes back about half of what is wrong with a cut.
FARTHER = 1.7
# Where the first start ends badly, others are made: at NOSES other noses, ASIDE sizes of the face from the one found;
# the STARTS likest of all tries are kept.
ASIDE, NOSES, STARTS = 0.25, 4, 4
# A scan that lacks a smaller share of the extent counts as whole.
TRIFLE = 0.01
# The least radius of a part in its scan's disk; a part whose rim comes nearer to its center is mapped anew, from its
# triangles, as docs/mathematics.md has it under "The map of a part".
LEAST_RADIUS = 0.4
# The same of the ball in which a scan is first found.
LEAST_OF_BALL = 0.2
# Directions on either side over which the reach of a scan is smoothed.
BESIDE = 2
# Every so many points of a ring tell how a part's new disk is turned in its scan's: one angle is sought, so few are
# enough.
ALONG = 8
# Every so many points of the template's grid make the mesh that is cut for a scan that shows less.
COARSE = 2


@dataclass(frozen=True)
class Face:
    """A face's mesh, its disk map with the nose at 0, and its surface f of unit area: f = (points - centroid)/scale.

    own_triangles : whether they came with the scan; False where its points were meshed anew
    noise : of the scan's points, in its unit; search_confidence : that the face lies where it was found, else 1
    """

    vertices: np.ndarray
    triangles: np.ndarray
    z: np.ndarray
    f: np.ndarray
    scale: float
    centroid: np.ndarray
    own_triangles: bool = False
    noise: float = 0.0
    search_confidence: float = 1.0

    @cached_property
    def rough_f(self):
        """Return f on the ROUGH grid, or as it is if its own grid is no finer."""
        grid = polar.polar_grid(*self.f.shape[:2])
        return self.f if grid.rings <= ROUGH[0] else _make_rough_grid(self.f, grid)


def _make_rough_grid(f, grid):
    """Return a surface (R, T, 3) looked up on the ROUGH grid; grid : its own."""
    rings, angles = ROUGH
    return table.lookup_grid(table.coefficients(f, grid), rings, angles)


@dataclass(frozen=True)
class Place:
    """Where the template lies in a scan: its nose (3,) there, size in scan units, rotation (3, 3) of the scan to it."""

    nose: np.ndarray
    size: float
    rotation: np.ndarray

    def bring(self, points):
        """Return (..., 3), points of the scan in the template's place and size, the nose at 0."""
        away = np.ascontiguousarray(points - self.nose, dtype=float).reshape(1, -1, 3)
        return srnf.rotate(np.ascontiguousarray(self.rotation / self.size), away).reshape(points.shape)


@dataclass(frozen=True)
class Aligned:
    """registered : the last registration; face : what it is of, cut
    scale, centroid : of the registered surface in the scan, whose points are surface @ rotation * scale + centroid
    removed : share of the scan beyond the extent; missing : share of the extent beyond the scan
    nose_distance : from the nose found to the one registered, in sizes of the template; place : the template's
    shown : the Part of the template that it was registered to, whose grid it is on; reach : of that, as of an Extent
    expected_mm : mean error to be expected over the extent: of the public model's fit to the scan, seen or not, or
        without a fit of what was filled in; unlike : see likeness
    expression : (m,) weights of real_faces.expressions that move the face; None: none does
    signals : see likely_error; None without public people
    notice : what a person should know of marks that hold it, one sentence a line
    """

    registered: Registered
    face: Face
    scale: float
    centroid: np.ndarray
    removed: float
    missing: float
    nose_distance: float
    place: Place
    shown: object
    reach: np.ndarray
    expected_mm: float = 0.0
    unlike: float = 0.0
    expression: np.ndarray | None = None
    signals: np.ndarray | None = None
    notice: str = ""

    @property
    def points(self):
        """Return (R, T, 3), the registered surface where the scan has it, in the scan's units."""
        return self.registered.surface @ self.registered.rotation * self.scale + self.centroid


@dataclass(frozen=True)
class Part:
    """A part of a template: f (R, T, 3) of unit area on its own disk, what it is in the template (scale, centroid), and
    what registration needs of it, on the coarsest grid and on all.

    inner : the InnerDisk that it is of the template's disk, None where its triangles were cut; the face is then that of
        the whole, and `placing` those of its points by which a scan is placed
    like : the whole of which it is the part, or another that is nearly the same; None: all follows from its own f
    """

    face: Face
    options: object
    inner: object = None
    like: object = None
    placing: np.ndarray | None = None

    @cached_property
    def coarsest(self):
        """Return what registration on the coarsest grid takes, where it is only looked for where a face lies."""
        return self._prepare_on(slice(0, 1), "coarsest")

    @cached_property
    def coarse(self):
        """Return what registration takes on all grids but the finest, or on the one that there is."""
        return self._prepare_on(slice(0, max(1, self.options.levels - 1)), "coarse")

    @cached_property
    def finest(self):
        """Return what registration on the finest grid takes."""
        return self._prepare_on(slice(-1, None), "finest")

    def _prepare_on(self, chosen, name):
        """Return the part prepared for registration on the chosen levels, in little time where a whole is prepared.

        It is a template.Template. name : of the same levels of the whole that it is part of or like
        """
        if self.like is None:
            return prepare(self.face.f, self.options, self.options.grids()[chosen])
        prepared = getattr(self.like, name)
        part = prepare_like(prepared, self.face.f) if self.inner is None else prepare_part(prepared, self.inner)
        return replace(part, options=self.options)

    @cached_property
    def weights(self):
        """Return (n,), the weights of `points` by which `find_place` places a scan: areas of the disk, 0 at the unsure
        rim.
        """
        grid, step = polar.polar_grid(*self.face.f.shape[:2]), _find_step(self.face.f)
        areas = np.where(grid.r <= extent.INNER, grid.weights, 0)[:, None] * np.ones(grid.angles)
        return areas[::step, ::step].ravel()

    @cached_property
    def points(self):
        """Return (n, 3), the part's points by which `find_place` places a scan, in the template's units, in which it
        has unit area.
        """
        if self.placing is not None:
            return self.placing.reshape(-1, 3)
        step = _find_step(self.face.f)
        return self.face.f[::step, ::step].reshape(-1, 3) * self.face.scale + self.face.centroid

    def places(self, f, at=None):
        """Return (R, T, 2), where points of the template f (R, T, 3) lie in the part's disk, to read a cut scan there.

        So what a part shows is brought to the whole; beyond the part it is some continuation.

        at : (R, T, 2) where they lie in the template's disk; None: on its grid
        """
        if self.inner is not None:
            return self.inner.inverse(polar.polar_grid(*f.shape[:2]), at)
        z = disk_transfer.find_nearest(f.reshape(-1, 3), self.face)
        return np.stack([z.real, z.imag], axis=-1).reshape(*f.shape[:2], 2)


@dataclass(frozen=True)
class Template:
    """f : (R, T, 3) of unit area; options : of the registration; size : how many mm its unit is, 0 where nobody knows
    like : another of nearly the same f, whose steps of a descent it takes, or None
    """

    f: np.ndarray
    options: object
    size: float = 0.0
    like: object = None

    @cached_property
    def whole(self):
        """Return the Part that is all of it."""
        flat = np.zeros((0, 3))
        return Part(Face(flat, flat, flat, self.f, 1.0, np.zeros(3)), self.options, like=self.like and self.like.whole)

    @cached_property
    def extent(self):
        """Return the extent.Extent that scans are cut to."""
        return extent.find_extent(self.f, np.inf)

    @cached_property
    def rough(self):
        """Return the template on a coarse grid, which is enough to find where it lies in a scan; itself, if its own is
        no finer.
        """
        if len(self.f) <= ROUGH[0]:
            return self
        return Template(self.whole.face.rough_f, self.options, self.size, self.like and self.like.rough)

    @cached_property
    def q(self):
        """Return (R, T, 3), its square root normal field."""
        return unit_srnf(self.f, polar.polar_grid(*self.f.shape[:2]))

    @cached_property
    def _table(self):
        """Return the spline table in which the template's points are looked up at any place of its disk."""
        return table.coefficients(self.f, polar.polar_grid(*self.f.shape[:2]))

    @cached_property
    def along(self):
        """Return (R, T, 3), its points along the extent's axes, the nose at 0."""
        return (self.f - self.extent.nose) @ self.extent.axes.T

    @cached_property
    def within(self):
        """Return (its points in the extent, their areas), by which it is measured what a scan lacks."""
        return extent.find_within(self.f, self.extent)

    @cached_property
    def start(self):
        """Return the Part in the ball in which a scan is first found."""
        return self.part(START * self.extent.reach.mean())

    @cached_property
    def turned_start(self):
        """Return the Part in the ball in which a scan is first found, for registration from every turn of the disk."""
        return replace(self.start, options=replace(self.options, search="always"))

    def part(self, reach):
        """Return the Part of the template within a reach, one number or one for each direction, to which such a scan is
        registered.
        """
        along = self.rough.along
        height = extent.measure_beyond(along.reshape(-1, 3), np.broadcast_to(reach, extent.DIRECTIONS))
        inner = _find_inner_disk(height.reshape(along.shape[:2]), 0j)
        if inner is not None:
            places = inner.places(polar.polar_grid(*self.f.shape[:2]), _find_step(self.f))
            return Part(self.whole.face, self.options, inner, self.whole, table.lookup(self._table, places))
        vertices, triangles = extent.mesh_grid(self.f[::COARSE, ::COARSE], extent.center(self.f))
        axis_points = (vertices - self.extent.nose) @ self.extent.axes.T
        height = extent.measure_beyond(axis_points, np.broadcast_to(reach, extent.DIRECTIONS))
        cut = clipping.clip_level(vertices, triangles, height, 0)
        if cut is None:
            raise Rejected("partial_extent", "the scan shows no connected part of the template round the center")
        vertices, triangles = cut
        return Part(map_face(vertices, triangles, 0, self.f.shape), self.options)


def align(face, template):
    """Return the Aligned of a Face, found, cut to the template's outline and registered to it, from no hint where it
    lies.

    Parameters
    ----------
    face : Face
        The scan, mapped to the disk.
    template : Template
        What it is cut and registered to.
    """
    return align_from(face, template, *find_first_place(face, template))


def cut_roughly(face, template):
    """Return the Face cut to the template's outline where the ball about its nose has that outline."""
    place, _ = find_first_place(face, template)
    return _register_at(face, template, place, "coarsest").face


def align_from(face, template, place, end=None):
    """Return the Aligned of a Face, cut and registered from a known Place on until the cut stays, to try several
    starts.

    Parameters
    ----------
    face : Face
    template : Template
    place : Place
        Where the first cut is made.
    end : register.End or None
        Where a registration ended that may be gone on from; None: all turns of the disk are tried.
    """
    aligned, place = _align_in_rounds(make_rough(face), template.rough, place, "coarse", NEARLY, end)
    aligned, _ = _align_in_rounds(face, template, place, "finest", STILL, aligned.registered.end)
    nose = face.vertices[np.argmin(np.abs(face.z))]
    return replace(aligned, nose_distance=float(np.linalg.norm(aligned.place.bring(nose))))


def _align_in_rounds(face, template, place, grids, still, end):
    """Return (the Aligned of a Face, the Place that it asks for), cut and registered again until both agree.

    `align_from` does so on coarse grids and then on all. Rounds end once the Place moves no farther than `still`, or
    after ROUNDS. grids : which grids of a Part are used; end
    : as of `align_from`
    """
    for _ in range(ROUNDS):
        aligned = _register_at(face, template, place, grids, end)
        end = aligned.registered.end
        movement, place = _measure_move(place, aligned.place, template), _go_farther(place, aligned.place)
        if movement < still:
            break
    return aligned, place


def find_first_place(face, template):
    """Return (the Place of a Face where its first cut is made, the End of the registration that told it).

    It is taken as the scan ends, where that is about where the template does; else by the ball about its nose that is
    likest to the template's.
    """
    face, template = make_rough(face), template.rough
    known_sizes = _list_known_sizes(face, template)
    if all(abs(size - 1) < AS_LARGE for size in known_sizes):
        with suppress(Rejected):
            attempt = register(face.f, template.whole.coarsest, checked=False)
            if attempt.energy_after < ALIKE:
                return find_place(face, attempt, template.whole, template), attempt.end
    nose = face.vertices[np.argmin(np.abs(face.z))]
    best = None
    for size in (*known_sizes, *SIZES):
        attempt = _register_in_ball(face, template, Place(nose, size * face.scale, np.eye(3)))
        # Each size is compared by the energy that is left in its own ball; balls of other sizes show other shares of
        # the face.
        best = min(filter(None, (best, attempt)), key=lambda attempt_before: attempt_before.energy, default=None)
        if best and (best.energy < GOOD or (best.energy < 2 * GOOD and best.agrees)):
            break
    if best is None:
        raise Rejected("outside_extent", "no part of the scan lies where the template has its face; look at the scan")
    for _ in range(ROUNDS):
        if best.agrees:
            break
        again = _register_in_ball(face, template, best.place, end=best.end)
        if again is None or again.energy >= best.energy:
            break
        settles, best = again.energy > SETTLES * best.energy, again
        if settles:
            break
    return best.place, best.end


def _list_known_sizes(face, template):
    """Return the size that a face in mm, cm or m would have in a scan, to be tried before all others: at most one.

    A multiple of what the scan's area suggests, for a scan whose unit is one of UNITS.
    """
    return [size for unit in UNITS if GUESSED[0] < (size := template.size * unit / face.scale) < GUESSED[1]]


def find_other_places(face, template, place):
    """Return further Places to start from where the first start ended badly, the likest first.

    Tried are other noses round the one found, all turns, other sizes.

    Parameters
    ----------
    face : Face
    template : Template
    place : Place
        Where the first start ended; at the size that the scan's unit says, no other is tried.
    """
    face, template = make_rough(face), template.rough
    nose = face.vertices[np.argmin(np.abs(face.z))]
    away = np.linalg.norm(face.vertices - nose, axis=1)
    ring = np.flatnonzero(np.abs(away / face.scale - ASIDE) < ASIDE / 4)
    noses = [nose]
    while len(ring) and len(noses) <= NOSES:
        apart = np.min([np.linalg.norm(face.vertices[ring] - tip, axis=1) for tip in noses], axis=0)
        noses.append(face.vertices[ring[np.argmax(apart)]])
    known_sizes = _list_known_sizes(face, template)
    is_size_known = any(abs(place.size / (size * face.scale) - 1) < LIKE_SAID for size in known_sizes)
    sizes = known_sizes if is_size_known else (*known_sizes, *SIZES)
    tries = [
        _register_in_ball(face, template, Place(tip, size * face.scale, np.eye(3)), "always")
        for tip in noses
        for size in sizes
    ]
    places = []
    for attempt in sorted(filter(None, tries), key=lambda attempt: attempt.energy):
        if all(_measure_move(attempt.place, other, template) > ASIDE / 2 for other in places):
            places.append(attempt.place)
    return places[:STARTS]


def make_rough(face):
    """Return a Face on the ROUGH grid, which is enough, and quick, to find where it lies."""
    return replace(face, f=face.rough_f)


@dataclass(frozen=True)
class _InBall:
    """A registration in a ball: its energy, the Place that it asks for, its End.

    agrees : whether it asks for about the size that the ball was made with
    """

    energy: float
    place: Place
    end: object
    agrees: bool


def _register_in_ball(face, template, place, search=None, end=None):
    """Return the _InBall of a quick registration of what lies in a ball about a place's nose: how likely that place is.

    None where that is no disk that can be mapped. search : over rotations of the disk; None: as the template's options
    say
    """
    start = template.start if search is None else template.turned_start
    ball = START * template.extent.reach.mean()
    try:
        part = _cut_part(face, place, lambda points: np.linalg.norm(points, axis=1) - ball, LEAST_OF_BALL)
        registered = register(part.f, start.coarsest, checked=False, start=end)
    except Rejected:
        return None
    asked_place = find_place(part, registered, start, template)
    agrees = abs(asked_place.size / place.size - 1) < AGREES
    return _InBall(registered.energy_after, _go_farther(place, asked_place), registered.end, agrees)


def _cut_part(face, place, height, least=LEAST_RADIUS):
    """Return the Face of the part of a scan within the template's outline or a ball, to be registered to the same of
    the template.

    The part lies round a place's nose where a height, of points in the template's place, is below 0. It is cut in its
    disk; where that is too crooked there, its triangles are cut and mapped anew.
    """
    f = face.rough_f
    placed_points = place.bring((f * face.scale + face.centroid).reshape(-1, 3))
    nearest = np.argmin(np.einsum("nc,nc->n", placed_points, placed_points))
    center = polar.polar_grid(*f.shape[:2]).points.reshape(-1, 2)[nearest] @ np.array([1, 1j])
    inner = _find_inner_disk(height(placed_points).reshape(f.shape[:2]), center, least)
    if inner is not None:
        places = inner_disks.place_around(inner, center, polar.polar_grid(*face.f.shape[:2]))
        f, scale, centroid = polar.unit_surface(polar.read(face.vertices, face.triangles, face.z, places))
        return replace(face, f=f, scale=scale, centroid=centroid)
    placed_points = place.bring(face.vertices)
    away = np.linalg.norm(placed_points, axis=1)
    cut = clipping.clip_level(face.vertices, face.triangles, height(placed_points), int(np.argmin(away)))
    if cut is None:
        raise Rejected(
            "outside_extent",
            "the part of the scan within the template's outline is not a disk around the center; look at the scan",
        )
    vertices, triangles = cut
    vertex = find_inner_vertex(place.bring(vertices), triangles, np.zeros(3))
    return _turn_like(face, map_face(vertices, triangles, vertex, face.f.shape, face.own_triangles), center)


def _turn_like(face, part, center):
    """Return a Face cut out of another and mapped anew, its disk turned as the other's is, so that a registration can
    go on.

    A map leaves the turn of its disk open, and a registration starts from the turn at which the last one ended. center
    : of the part in the other's disk, complex
    """
    angles = part.f.shape[1]
    ring = part.f[len(part.f) // 2] * part.scale + part.centroid
    disk_places = face.z[[np.argmin(((face.vertices - point) ** 2).sum(axis=1)) for point in ring[::ALONG]]]
    centered_places = (disk_places - center) / (1 - np.conj(center) * disk_places)
    own = np.exp(2j * np.pi * np.arange(0, angles, ALONG) / angles)
    steps = round(np.angle(np.sum(centered_places * own.conj())) / (2 * np.pi) * angles)
    return replace(part, f=np.roll(part.f, steps, axis=1), z=part.z * np.exp(2j * np.pi * steps / angles))


def _find_inner_disk(height, center, least=LEAST_RADIUS):
    """Return the InnerDisk of the part to be cut out, round a center, complex, where a height (R, T) is below 0; None
    if too crooked.
    """
    rho = inner_disks.find_radii(height, polar.polar_grid(*height.shape), center)
    return inner_disks.map_onto(rho) if rho.min() > least else None


def _go_farther(place, asked_for):
    """Return the Place that a registration asks for, its size changed FARTHER, since each takes back half of what is
    wrong.
    """
    return replace(asked_for, size=place.size * (asked_for.size / place.size) ** FARTHER)


def _register_at(face, template, place, grids, start=None):
    """Return the Aligned of a Face cut at a Place, registered to what of the template it shows: one round of
    `align_from`.

    start : as of `register`
    """
    axes = template.extent.axes
    rim = place.bring(face.f[-1] * face.scale + face.centroid) @ axes.T
    reach, missing = _find_shown(rim, template)
    part = _cut_part(face, place, lambda points: extent.measure_beyond(points @ axes.T, reach))
    shown = template.part(reach) if missing else template.whole
    registered = register(part.f, getattr(shown, grids), checked=grids == "finest", start=start)
    return Aligned(
        registered=registered,
        face=part,
        scale=part.scale,
        centroid=part.centroid,
        removed=float(max(0.0, 1 - (part.scale / face.scale) ** 2)),
        missing=missing,
        nose_distance=0.0,
        place=find_place(part, registered, shown, template),
        shown=shown,
        reach=reach,
    )


def _find_shown(rim, template):
    """Return (reach (DIRECTIONS,) of what a scan shows of the template, share of the extent that it lacks), from its
    rim (b, 3).

    A rim reaches no farther than beside it, so that what is cut there is whole; a TRIFLE beyond it counts as shown.
    """
    own = extent.reaches(rim)
    neighbours = [np.roll(own, step) for step in range(-BESIDE, BESIDE + 1)]
    # First the least of the neighbours, so that nothing beyond the rim is promised; then their mean, so that the
    # outline is smooth.
    own = np.min(neighbours, axis=0)
    own = np.mean([np.roll(own, step) for step in range(-BESIDE, BESIDE + 1)], axis=0)
    missing = extent.measure_missing(own, *template.within)
    if missing < TRIFLE:
        return template.extent.reach, 0.0
    return np.minimum(own, template.extent.reach), missing


def find_place(face, registered, part, template):
    """Return the Place that a Face's registration to a Part asks for, where the next cut is made: the best similarity
    off the rim.

    Parameters
    ----------
    face : Face
    registered : register.Registered
        Of the face, to the part.
    part : Part
    template : Template
        Whose part it is.
    """
    step = _find_step(face.f)
    turn = registered.rotation.T * face.scale  # of the registered surface into the scan
    total, a, b, products, squares = _sum_moments(
        part.weights, part.points, registered.surface[::step, ::step].reshape(-1, 3)
    )
    at, own = a / total, b / total
    covariance = (products - np.outer(a, own)) @ turn.T
    to = turn @ own + face.centroid
    rotation = srnf.best_rotation(covariance)
    size = float((rotation * covariance).sum() / (squares - at @ a))
    return Place(to + size * (template.extent.nose - at) @ rotation, size, rotation)


@loop
def _sum_moments(w, a, b):
    """Return the sums from which `find_place` has the best similarity of points a to points b, both (n, 3), weighted by
    w (n,).

    They are of w, of w a and w b (3,), of w a b^T (3, 3), of w |a|^2.
    """
    total, squares, first, second, products = 0.0, 0.0, np.zeros(3), np.zeros(3), np.zeros((3, 3))
    for n in range(len(w)):
        share = w[n]
        if share == 0:
            continue
        total += share
        x, y, z = a[n]
        for c, coordinate in enumerate((x, y, z)):
            first[c] += share * coordinate
            squares += share * coordinate * coordinate
            for d in range(3):
                products[c, d] += share * coordinate * b[n, d]
        for d in range(3):
            second[d] += share * b[n, d]
    return total, first, second, products, squares


def _find_step(f):
    """Return every how many rings and angles of a surface's grid are enough to place it: about as many as ROUGH are
    left.
    """
    return max(1, len(f) // ROUGH[0])


def _measure_move(place, other, template):
    """Return how far apart two places have the template's rim, in its sizes, root mean square: whether a cut has
    settled.
    """
    rim = template.f[-1] - template.extent.nose
    return float(np.sqrt(((other.bring(rim @ place.rotation * place.size + place.nose) - rim) ** 2).sum(axis=1).mean()))


def measure_tilt(rotation):
    """Return by how many degrees a face is turned against the nearest axes of its file, a figure of quality: upright
    scans have few.

    rotation (3, 3) : of the scan to the template, whose axes are the face's
    """
    turns = [np.eye(3)[list(order)] * signs for order in permutations(range(3)) for signs in product((1, -1), repeat=3)]
    most = max(np.trace(rotation @ turn) for turn in turns if np.linalg.det(turn) > 0)
    return float(np.degrees(np.arccos(np.clip((most - 1) / 2, -1, 1))))


def crop_to_extent(whole, radius):
    """Return the Face of a template cut at a public radius about its nose, which is then all that releases hold of any
    face.

    It is the template itself where the radius cuts nothing off.

    Parameters
    ----------
    whole : Face
        The template's.
    radius : float
        In square roots of its area.
    """
    nose = extent.center(whole.f) * whole.scale + whole.centroid
    away = np.linalg.norm(whole.vertices - nose, axis=1)
    if away.max() <= radius * whole.scale:
        return whole
    cut = clipping.clip_level(whole.vertices, whole.triangles, away / whole.scale - radius, int(np.argmin(away)))
    if cut is None:
        raise Rejected(
            "outside_extent", f"within faces.extent.radius {radius:g} the template is not a disk; enlarge it"
        )
    vertices, triangles = cut
    vertex = find_inner_vertex(vertices, triangles, nose)
    return map_face(vertices, triangles, vertex, whole.f.shape, whole.own_triangles)


def map_face(vertices, triangles, vertex, shape, own_triangles=False):
    """Return the Face of a mesh, mapped to the disk with a vertex at its center: what a registration takes.

    Parameters
    ----------
    vertices : (n, 3) array
    triangles : (t, 3) integer array
    vertex : int
        The number of the vertex that comes to the center.
    shape : (R, T, 3)
        Of its surface on the polar grid.
    own_triangles : bool
        Whether the triangles came with the scan.
    """
    z = conformal.move_to_center(conformal.disk_map(vertices, triangles), triangles, vertex)
    return sample_face(vertices, triangles, z, shape, own_triangles)


def sample_face(vertices, triangles, z, shape, own_triangles=False):
    """Return the Face of a mesh whose disk map is known, to be registered: its surface is read on the polar grid.

    Parameters
    ----------
    vertices : (n, 3) array
    triangles : (t, 3) integer array
    z : (n,) complex array
        The vertices in the disk.
    shape : (R, T, 3)
        Of its surface on the polar grid.
    own_triangles : bool
        Whether the triangles came with the scan.
    """
    f, scale, centroid = polar.unit_surface(polar.sample(vertices, triangles, z, *shape[:2]))
    return Face(vertices, triangles, z, f, scale, centroid, own_triangles)


def find_inner_vertex(vertices, triangles, point):
    """Return the number of a disk's vertex, not on its rim, that is nearest to a point (3,), to go to the center of its
    map.
    """
    away = np.linalg.norm(vertices - point, axis=1)
    away[topology.boundary_loops(triangles)[0]] = np.inf
    if not np.isfinite(away.min()):
        raise Rejected("outside_extent", "no part of the scan lies where the template has its face; look at the scan")
    return int(np.argmin(away))
