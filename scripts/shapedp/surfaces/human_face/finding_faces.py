"""Find the face in whatever a scan shows: a head with hair, ears and shoulders, in any pose and unit, mesh or cloud.

What is seen from outside is kept; noses are proposed at several sizes by how far a point stands out of its
surroundings; the depth around each is compared with the template's at every turn; the best are fitted to the scan by a
similarity; and the best of those are cut to the template's outline and registered coarsely. The scan is cut to the
outline at the pose of least energy.

Units: u is the square root of the template's area; a pose takes the template, nose at 0, into the scan.
"""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import scipy

from shapedp.base.errors import NotConverged, Rejected
from shapedp.base.storage.loops import loop
from shapedp.surfaces import outside, polar, table, topology
from shapedp.surfaces.human_face import expressions, public_fit, relief
from shapedp.surfaces.meshing import scan_mesh
from shapedp.surfaces.meshing.clouds import choose_evenly
from shapedp.surfaces.registration import alignment, descent, extent, srnf
from shapedp.surfaces.registration.template import LEVELS, Options, level_table, prepare, unit_srnf

# Points that are searched; noses that are tried; points that these are tried on.
PLACES, TIPS, AGAINST = 8_000, 3_000, 2_500
# Sizes u that are tried: LARGEST times what fills the scan, and each SMALLER so often.
LARGEST, SMALLER, SIZES = 1.15, 0.83, 8
# In u: a nose stands out of the plane fitted to so large a ball, and half as much counts of one of .2 u.
BALL = 0.35
# Points seen from outside: of fewer no face is made.
FEWEST = 300
# Tips nearest to a nose that somebody marked.
MARKED = 5
# Noses kept of a size, and their distance in u.
PEAKS, APART = 12, 0.12
# The map of depths about a nose; its radius in u.
RINGS, TURNS, RADIUS = 8, 36, 0.5
# Cosine: what looks further away from the nose's direction is not on its side of the head.
BACKWARDS = -0.3
# Poses fitted roughly, then well; registered, and more if none of these is likely.
STARTS, FITTED, JUDGED = 48, 12, 4
# Energy, with a face's relief: an ear in its hair has .11 and more.
LIKELY = 0.08
# Times the best misfit: poses that fit worse are not registered.
HOPELESS = 2.0
# Radian between two poses that are the same.
SAME_TURN = 0.35
# Poses fitted at one place.
A_PLACE = 3
# Points that are fitted, and steps of the rough fits and of the good ones.
MODEL, SHORT, STEPS = 500, 10, 20
# Of a fit: share of the points, largest change of scale.
TRIMMED, BOUND = 0.85, 1.4
# With a larger energy the cut is tried so much smaller and larger.
DOUBTFUL, RESIZED = 0.03, 1.08
# In u: left beyond the outline; a pose that moves less is kept.
MARGIN, STILL = 0.02, 0.03
# In u, between two noses that are not the same.
ELSEWHERE = 0.3
# Points that a pose is judged by.
MESHED = 2_500
# The score of expressions from which the cut is made at the face that fits with one.
EXPRESSIVE = 10.0
# Nearest points that a normal is of.
ROUND = 16
# Confidence below which a notice is given.
UNSURE = 0.15
# Energy, and times the least one: what has relief and fits so well elsewhere is a face, too.
SURE, SECOND = 0.05, 1.25


@dataclass(frozen=True)
class Pose:
    """Template point m lies at scale * (turn @ m) + tip in the scan; score : the less the better; likeness :
    of the depths about the nose to the template's, the less the better."""

    scale: float
    turn: np.ndarray
    tip: np.ndarray
    score: float = np.inf
    likeness: float = 0.0

    def place(self, points):
        """Return points (n, 3) of the scan where the template has its own, in u."""
        return (points - self.tip) @ self.turn / self.scale


@dataclass(frozen=True)
class Model:
    """What is looked for: whole (R, T, 3), a template, and its extent; points (m, 3) of it with the nose at 0 and its
    axes, evenly by area, in u; depths (RINGS, TURNS) about the nose; rms : radius about the mean
    people : public_people.People of the template; None: none are known
    """

    whole: np.ndarray
    extent: extent.Extent
    points: np.ndarray
    depths: np.ndarray
    rms: float
    people: object = None

    @cached_property
    def template(self):
        """Return the template that scans are cut to, made when it is first asked for."""
        return alignment.Template(self.whole, Options())

    @cached_property
    def coarsest(self):
        """Return the template on the coarsest grid alone, from every turn, which is enough to tell where a face
        lies.
        """
        return prepare(self.whole, Options(search="always"), LEVELS[:1])


@dataclass(frozen=True)
class FaceInScan:
    """points (n, 3), triangles (t, 3) or None : the scan cut to the face; pose : of it; relief, energy : coarse;
    confidence : 1 - energy / energy of the best pose elsewhere; notices : words
    """

    points: np.ndarray
    triangles: np.ndarray | None
    pose: Pose
    relief: relief.Relief
    energy: float
    confidence: float
    notices: list = field(default_factory=list)


@dataclass(frozen=True)
class JudgedPose:
    pose: Pose
    energy: float
    relief: relief.Relief


def build_model(whole, people=None):
    """Return the Model of a template (R, T, 3) of unit area by which its face is looked for in scans.

    people : its public_people.People, or None
    """
    template_extent = extent.find_extent(whole, np.inf)
    template_points = ((whole - template_extent.nose) @ template_extent.axes.T).reshape(-1, 3)
    steps = np.cumsum(polar.plain_areas(whole))
    even = template_points[np.searchsorted(steps, steps[-1] * (np.arange(8 * MODEL) + 0.5) / (8 * MODEL))]
    forwards = np.tile([0.0, 0.0, 1.0], (len(even), 1))
    depths = _measure_depths(even, forwards, np.zeros(3), np.eye(3), 1.0)
    return Model(whole, template_extent, even[::8], depths, float(np.sqrt(even.var(axis=0).sum())), people)


def find_face(points, triangles, model, marked=None):
    """Return the FaceInScan of a scan, cut out of hair, shoulders and all; raise Rejected where no place looks like a
    face, or two.

    Parameters
    ----------
    points : (n, 3) array
    triangles : (t, 3) integer array or None
    model : Model
    marked : (3,) or None
        The nose tip, if somebody marked it.
    """
    visible = outside.find_outside(points, triangles)
    if len(visible.points) < FEWEST:
        raise Rejected(
            "too_few_points",
            f"{len(visible.points)} points are seen from outside; a face needs {FEWEST}: scan more finely, or from "
            "nearer by",
        )
    judged_poses = _judge_poses(visible, model, marked)
    best = judged_poses[0]
    elsewhere = [candidate for candidate in judged_poses[1:] if _is_apart(candidate.pose, best.pose)]
    confidence = 1.0 - best.energy / elsewhere[0].energy if elsewhere else 1.0
    as_well = max(SURE, min(LIKELY, SECOND * best.energy))
    others = [candidate for candidate in elsewhere if candidate.relief.is_of_a_face and candidate.energy < as_well]
    if others:
        raise Rejected(
            "multiple_components",
            f"the scan shows more than one face (energies {best.energy:.2g} and {others[0].energy:.2g}); crop it to "
            "one",
        )
    notices = [*visible.notices, "the face was looked for in the whole scan, which was cut to the template's outline"]
    if confidence < UNSURE:
        notices.append(f"where the face lies is uncertain (confidence {confidence:.2f}); look at it, or crop the scan")
    cut_points, cut_triangles = _cut(visible, best.pose, model)
    return FaceInScan(cut_points, cut_triangles, best.pose, best.relief, best.energy, confidence, notices)


def _judge_poses(visible, model, marked):
    """Return the JudgedPoses among which a scan's face is, least energy first; the best of them cut again until it
    keeps still.
    """
    starts = _fit_poses(visible, _propose_poses(visible, model, marked), model)
    judged_poses, reasons = [], []
    for pose in starts:
        likely = any(candidate.relief.is_of_a_face and candidate.energy < LIKELY for candidate in judged_poses)
        if (likely and len(judged_poses) >= JUDGED) or pose.score > HOPELESS * starts[0].score:
            break
        if any(
            not _is_apart(pose, candidate.pose) and _measure_angle(pose, candidate.pose) < SAME_TURN
            for candidate in judged_poses
        ):
            continue
        try:
            judged_poses.append(_judge_pose(visible, pose, model))
        except (Rejected, NotConverged) as error:
            reasons.append(str(error))
    if not judged_poses:
        raise Rejected(
            "no_face", f"no place of the scan looks like a face: {reasons[-1] if reasons else 'it has no nose'}"
        )
    judged_poses.sort(key=lambda candidate: (not candidate.relief.is_of_a_face, candidate.energy))
    judged_poses[0] = _cut_until_still(judged_poses[0], visible, model)
    return judged_poses


def _cut_until_still(best, visible, model):
    """Return the best JudgedPose made exact: the scan was cut again where it lies, until that changes little.

    Other sizes are tried, if it fits badly: registered with more than the face, a face is taken for larger than it is.
    """
    for factor in (1.0, 1.0, *((1 / RESIZED, RESIZED) if best.energy > DOUBTFUL else ())):
        try:
            again = _judge_pose(visible, replace(best.pose, scale=best.pose.scale * factor), model)
        except (Rejected, NotConverged):
            continue
        still = np.linalg.norm(again.pose.tip - best.pose.tip) < STILL * best.pose.scale
        if again.energy < best.energy:
            best = again
        if still and best.energy < DOUBTFUL:
            break
    return best


def _is_apart(pose, other):
    """Return whether the noses of two poses are different ones."""
    return np.linalg.norm(pose.tip - other.tip) > ELSEWHERE * max(pose.scale, other.scale)


def _measure_angle(pose, other):
    """Return the angle in radian between two poses."""
    return float(np.arccos(np.clip((np.trace(pose.turn.T @ other.turn) - 1) / 2, -1, 1)))


def _propose_poses(visible, model, marked):
    """Return poses at places that stand out as noses do, at several sizes; those most like the template about the nose
    first.
    """
    places = choose_evenly(visible.points, PLACES)
    points, outward = visible.points[places], visible.outward[places]
    tip_indices = choose_evenly(points, TIPS)
    if marked is not None:
        tip_indices = tip_indices[np.argsort(np.linalg.norm(points[tip_indices] - marked, axis=1))[:MARKED]]
    tips, sides, against = points[tip_indices], outward[tip_indices], points[choose_evenly(points, AGAINST)]
    largest = LARGEST * np.sqrt(points.var(axis=0).sum()) / model.rms
    sizes = largest * SMALLER ** np.arange(SIZES)
    balls = BALL * largest * SMALLER ** np.arange(SIZES + 3)
    heights, normals = _measure_heights(tips, sides, against, balls)
    scores = [(heights[:, k] + 0.5 * heights[:, k + 3]) / size for k, size in enumerate(sizes)]
    peaks = np.unique(
        np.concatenate([_find_peaks(tips, a, APART * size) for a, size in zip(scores, sizes, strict=True)])
    )
    poses = []
    for tip in peaks.astype(int):
        for k, size in enumerate(sizes):
            for axis in _list_axes(tips[tip], normals[tip, max(k - 2, 0)], sides[tip], against, size):
                poses.append(turn_best(points, outward, tips[tip], axis, size, model))
    return sorted(poses, key=lambda pose: pose.score)


def _find_peaks(tips, score, apart):
    """Return the indices of the PEAKS best tips that lie `apart`, so that not one nose is proposed many times."""
    remaining_scores, peaks = score.copy(), []
    for _ in range(PEAKS):
        best = int(np.argmax(remaining_scores))
        if not remaining_scores[best] > 0:
            break
        peaks.append(best)
        remaining_scores[np.linalg.norm(tips - tips[best], axis=1) < apart] = -np.inf
    return peaks


def _list_axes(tip, normal, side, points, size):
    """Return the directions in which a nose may point, about each of which poses are tried.

    Along the plane's normal, if there is one; away from the mean of what lies round it.
    """
    near = points[np.linalg.norm(points - tip, axis=1) < RADIUS * size]
    away = tip - near.mean(axis=0) if len(near) else side
    length = np.linalg.norm(away)
    return ([normal] if normal.any() else []) + ([away / length] if length > 0 else [])


def turn_best(points, outward, tip, axis, size, model):
    """Return the Pose at the turn about a nose's axis at which the depths are most like the template's; its score is
    that misfit.
    """
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    across /= np.linalg.norm(across)
    # Its columns are x, y, outward.
    frame = np.stack([across, np.cross(axis, across), axis], axis=1)
    depths = _measure_depths(points, outward, tip, frame, size)
    score, turn = _compare_depths(depths, model.depths)
    angle = 2 * np.pi * turn / TURNS
    spin = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1.0]])
    return Pose(float(size), frame @ spin, tip, score, score)


@loop
def _measure_depths(points, outward, tip, frame, size):
    """Return (RINGS, TURNS), a polar map of the heights about a nose, by which it is compared with the template's.

    Mean height along the frame's third column in cells about the tip, in sizes; nan where empty.

    Points that look backwards have no part in it. outward (n, 3) : the direction that each is seen from
    """
    total, count = np.zeros((RINGS, TURNS)), np.zeros((RINGS, TURNS))
    for i in range(len(points)):
        a, b, c = points[i, 0] - tip[0], points[i, 1] - tip[1], points[i, 2] - tip[2]
        if a * a + b * b + c * c > 5 * RADIUS * RADIUS * size * size:
            continue
        if outward[i, 0] * frame[0, 2] + outward[i, 1] * frame[1, 2] + outward[i, 2] * frame[2, 2] < BACKWARDS:
            continue
        x = (a * frame[0, 0] + b * frame[1, 0] + c * frame[2, 0]) / size
        y = (a * frame[0, 1] + b * frame[1, 1] + c * frame[2, 1]) / size
        z = (a * frame[0, 2] + b * frame[1, 2] + c * frame[2, 2]) / size
        r = np.sqrt(x * x + y * y)
        if r < RADIUS and -2 * RADIUS < z < RADIUS:
            ring = int(r / RADIUS * RINGS)
            turn = int(np.arctan2(y, x) / (2 * np.pi) * TURNS + TURNS) % TURNS
            total[ring, turn] += z
            count[ring, turn] += 1
    return np.where(count > 0, total / count, np.nan)


@loop
def _compare_depths(depths, template_depths):
    """Return (how unlike the template's a map of depths about a nose is at its best turn, that turn), to pose a face.

    The misfit is a share of the template's relief, tilt and offset taken off both. With turn s the scan's cell (i, k +
    s) is held against the template's (i, k).
    """
    rings, turns = depths.shape
    a, b = _level_depths(depths), _level_depths(template_depths)
    best, best_turn = np.inf, 0
    for s in range(turns):
        squares, own, cells = 0.0, 0.0, 0
        for i in range(rings):
            for k in range(turns):
                depth, depth_wanted = a[i, (k + s) % turns], b[i, k]
                if not (np.isnan(depth) or np.isnan(depth_wanted)):
                    squares += (i + 0.5) * (depth - depth_wanted) ** 2
                    own += (i + 0.5) * depth_wanted * depth_wanted
                    cells += 1
        if cells >= rings * turns // 3:
            score = np.sqrt(squares / max(own, 1e-300)) * rings * turns / cells
            if score < best:
                best, best_turn = score, s
    return best, best_turn


@loop
def _level_depths(depths):
    """Return a map of depths without the plane that fits it best, so that a tilted nose compares as well.

    Each cell is weighted by its area.
    """
    rings, turns = depths.shape
    normal, right = 1e-12 * np.eye(3), np.zeros(3)
    for i in range(rings):
        for k in range(turns):
            if not np.isnan(depths[i, k]):
                angle = 2 * np.pi * (k + 0.5) / turns
                x = np.array([1.0, (i + 0.5) * np.cos(angle), (i + 0.5) * np.sin(angle)])
                normal += (i + 0.5) * np.outer(x, x)
                right += (i + 0.5) * depths[i, k] * x
    plane = np.linalg.solve(normal, right)
    levelled = depths.copy()
    for i in range(rings):
        for k in range(turns):
            angle = 2 * np.pi * (k + 0.5) / turns
            levelled[i, k] -= plane[0] + (i + 0.5) * (plane[1] * np.cos(angle) + plane[2] * np.sin(angle))
    return levelled


@loop
def _measure_heights(tips, sides, points, balls):
    """Return (heights (m, b), normals (m, b, 3)): how far each tip stands out of its surroundings in each ball, as a
    nose does.

    The height is above the plane fitted to what the ball holds.

    balls : radii, falling; sides (m, 3) which way is out; heights are negative in hollows
    """
    count = len(balls)
    heights, normals = np.zeros((len(tips), count)), np.zeros((len(tips), count, 3))
    squares, total, spread = balls**2, np.empty((count, 4, 4)), np.empty((3, 3))
    for i in range(len(tips)):
        # Of each ball the sums of the products of 1, x, y and z.
        total[:] = 0.0
        for j in range(len(points)):
            x, y, z = points[j, 0] - tips[i, 0], points[j, 1] - tips[i, 1], points[j, 2] - tips[i, 2]
            square = x * x + y * y + z * z
            if square > squares[0]:
                continue
            k = 0
            while k + 1 < count and square <= squares[k + 1]:
                k += 1
            monomials = 1.0, x, y, z
            for a in range(4):
                for b in range(a + 1):
                    total[k, a, b] += monomials[a] * monomials[b]
        for k in range(count - 2, -1, -1):
            total[k] += total[k + 1]
        for k in range(count):
            held = total[k, 0, 0]
            if held < 10:
                continue
            mean = total[k, 1:, 0] / held
            for a in range(3):
                for b in range(a + 1):
                    spread[a, b] = spread[b, a] = total[k, a + 1, b + 1] / held - mean[a] * mean[b]
            normal = np.linalg.eigh(spread)[1][:, 0]
            if normal[0] * sides[i, 0] + normal[1] * sides[i, 1] + normal[2] * sides[i, 2] < 0:
                normal = -normal
            normals[i, k] = normal
            heights[i, k] = -(normal[0] * mean[0] + normal[1] * mean[1] + normal[2] * mean[2])
    return heights, normals


def _fit_poses(visible, poses, model):
    """Return the best poses of those proposed, each fitted to the scan, least misfit first, to be judged by
    registration.
    """
    places = visible.points[choose_evenly(visible.points, PLACES)]
    tree = scipy.spatial.cKDTree(places)
    poses = _choose_different(poses)
    for most, points, steps in ((STARTS, model.points[::2], SHORT), (FITTED, model.points, STEPS)):
        poses = [_icp(pose, tree, places, points, steps) for pose in poses[:most]]
        poses.sort(key=lambda pose: pose.score)
    return poses


def _choose_different(poses):
    """Return STARTS of the poses, best first, that are worth a fit: none much like a better one, few at one place.

    No more than A_PLACE are at one.
    """
    different = []
    for pose in poses:
        nearby = [better for better in different if np.linalg.norm(pose.tip - better.tip) < 2 * APART * better.scale]
        alike = any(
            _measure_angle(pose, better) < 0.4 and abs(np.log(pose.scale / better.scale)) < 0.15 for better in nearby
        )
        if not alike and len(nearby) < A_PLACE:
            different.append(pose)
        if len(different) == STARTS:
            break
    return different


def _icp(pose, tree, places, template_points, steps):
    """Return the Pose after the template was fitted to the scan by iterated closest points, with scale, far ones left
    out.
    """
    scale, turn, tip = pose.scale, pose.turn, pose.tip
    kept_count, misfit = int(TRIMMED * len(template_points)), np.inf
    for _ in range(steps):
        distance, index = tree.query(scale * template_points @ turn.T + tip)
        close = np.argpartition(distance, kept_count)[:kept_count]
        before, misfit = misfit, float(np.sqrt((distance[close] ** 2).mean())) / scale
        if not misfit < 0.999 * before:
            break
        a, b = template_points[close], places[index[close]]
        middle, goal = a.mean(axis=0), b.mean(axis=0)
        covariance = (b - goal).T @ (a - middle)
        turn = srnf.best_rotation(covariance)
        scale = float((turn * covariance).sum() / ((a - middle) ** 2).sum())
        scale = float(np.clip(scale, pose.scale / BOUND, pose.scale * BOUND))
        tip = goal - scale * turn @ middle
    return Pose(scale, turn, tip, misfit * np.sqrt(1 + min(pose.likeness, 10.0)), pose.likeness)


def _judge_pose(visible, pose, model):
    """Return the JudgedPose of a pose: how well what a cut there leaves of the scan registers to the template.

    What lies within the outline is meshed from few points, and registered on the coarsest grid.
    """
    inside = np.flatnonzero(_find_within(visible.points, pose, model))
    points = visible.points[inside[choose_evenly(inside, MESHED)]]
    mesh = scan_mesh.mesh_scan(points, None, scan_mesh.Options(smooth_noise=True))
    return judge_mesh(mesh, alignment.find_inner_vertex(mesh.vertices, mesh.triangles, pose.tip), model)


def judge_mesh(mesh, tip, model):
    """Return the JudgedPose of a scan_mesh.Mesh whose nose is at the vertex `tip`: whether it is a face, and where.

    It is judged by how well it registers on the coarsest grid.
    """
    face = alignment.map_face(mesh.vertices, mesh.triangles, tip, model.whole.shape)
    # What cannot be cut is judged as it is.
    with suppress(Rejected):
        face = alignment.cut_roughly(face, model.template)
    prepared, whole = model.coarsest, model.whole
    grid, level = prepared.grid, prepared.levels[0]
    angle, alignment_reached = descent.best_start(level_table(unit_srnf(face.f, grid), level.kernel, grid), prepared)
    gamma = descent.turn(descent.positions(table.coefficients(alignment_reached.u, level.grid), grid.points), angle)
    surface = srnf.rotate(alignment_reached.rotation, table.lookup(table.coefficients(face.f, grid), gamma))
    ratio = extent.measure_size_ratio(surface, whole)
    tip = face.centroid + face.scale * (extent.center(surface) @ alignment_reached.rotation)
    turn = (model.extent.axes @ alignment_reached.rotation).T
    return JudgedPose(
        Pose(face.scale * ratio, turn, tip, alignment_reached.energy),
        alignment_reached.energy,
        relief.measure_relief(surface, whole),
    )


def _find_within(points, pose, model):
    """Return (n,), which points lie within the template's outline at a pose, with a MARGIN."""
    return extent.measure_beyond(pose.place(points), model.extent.reach) <= MARGIN


def _find_outline(visible, pose, model):
    """Return (the alignment.Place, the Extent) to which a scan is cut once its face was found: the template's at a
    Pose.

    Or those of the public model's face with an expression, where one moves the face: the chin of an open mouth lies
    beyond the template's outline.
    """
    template_extent = model.extent
    place = alignment.Place(pose.tip, pose.scale, (pose.turn @ template_extent.axes).T)
    if model.people is None:
        return place, template_extent
    template, people = model.template, model.people
    scan = _choose_seen_points(visible, place, template)
    own = place.bring(scan.points)
    near = extent.measure_beyond(own @ template_extent.axes.T, public_fit.NEAR * template_extent.reach) <= 0
    if not near.any():
        return place, template_extent
    points, normals = scan.place(place, template)
    fit = public_fit.fit_points(points[near], normals[near], scan.areas[near], people)
    if not expressions.is_moved(scan, place, template, people, fit, EXPRESSIVE):
        return place, template_extent
    best = expressions.fit_best(scan, place, template, people)
    if best is None:
        return place, template_extent
    surface, size, shift = polar.unit_surface(best.fit.points)
    own = extent.find_extent(surface, np.inf)
    nose = (own.nose * size + shift - template_extent.nose) @ best.place.rotation * best.place.size + best.place.nose
    return alignment.Place(nose, best.place.size * size, best.place.rotation), own


def _choose_seen_points(visible, place, template):
    """Return evenly spread points of a scan about the found face, by which `_find_outline` fits an expression such as
    an open mouth.

    They are expressions.Points with normals of what lies round each, of a scan that is not cut yet.
    """
    away = np.linalg.norm(place.bring(visible.points), axis=1)
    near = np.flatnonzero(away < expressions.AROUND * template.extent.reach.max())
    indices = near[choose_evenly(visible.points[near], expressions.POINTS)]
    _, neighbours = scipy.spatial.cKDTree(visible.points).query(
        visible.points[indices], min(ROUND, len(visible.points))
    )
    off = visible.points[neighbours] - visible.points[neighbours].mean(axis=1, keepdims=True)
    normals = np.linalg.eigh(np.einsum("nkc,nkd->ncd", off, off))[1][:, :, 0]
    normals *= np.where(np.einsum("nc,nc->n", normals, visible.outward[indices]) < 0, -1.0, 1.0)[:, None]
    return expressions.Points(visible.points[indices], normals, np.ones(len(indices)))


def _cut(visible, pose, model):
    """Return (points, triangles or None), the face cut out of a scan along the outline at a pose.

    Of a mesh it is the piece of which most is seen there.
    """
    place, chosen = _find_outline(visible, pose, model)
    inside = extent.measure_beyond(place.bring(visible.vertices) @ chosen.axes.T, chosen.reach) <= MARGIN
    if visible.triangles is None:
        return visible.vertices[inside], None
    chosen = inside[visible.triangles].all(axis=1)
    if not chosen.any():
        raise Rejected("no_face", "no triangles of the scan lie where its face was looked for")
    label = topology.label_components(visible.triangles[chosen], len(visible.vertices))[visible.triangles[chosen][:, 0]]
    piece = np.argmax(np.bincount(label, visible.weight[chosen]))
    triangles, used = topology.compact(visible.triangles[chosen][label == piece])
    return visible.vertices[used], triangles
