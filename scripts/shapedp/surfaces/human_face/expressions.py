"""Fit the public model's expressions to one scan together with identity and pose, where an expression moves it.

    x(w, e) = mean + sum_i w_i modes_i + sum_j e_j expressions_j

in a pose of its own, as docs/mathematics.md has it under "Expressions". A scan is fitted as far as it goes, not cut to
the template's outline: an open mouth takes the chin beyond that. Fits start with the jaw closed, half open and open,
since from one start the lower lip is drawn onto the chin, or the chin onto the lip; the likeliest is taken. The face
that fits is a template of this scan, whose outline the scan is cut to. All of this follows from the one record and
public numbers.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy

from shapedp.base.errors import Rejected
from shapedp.surfaces import outside, topology
from shapedp.surfaces.human_face import public_fit, real_faces
from shapedp.surfaces.registration import alignment, srnf

# The score from which a face is fitted with expressions; most neutral drawn faces have less, few up to 20.
MOVES = 12.0
# By which expressions lower the cost of identity alone, at least; neutral drawn faces have up to 30.
GAIN = 36.0
# Square mm that lips lie farther from a scan than the rest of the face: of neutral ones 0, of open mouths .7 to 3.
APART = 0.4
# What these move is lips.
LIPS = "mouthLowerDown_L", "mouthLowerDown_R", "mouthUpperUp_L", "mouthUpperUp_R"
# The jaw's weights at which fits start.
JAWS = 0.0, 0.5, 1.0
# Standard deviations of an expression's weight, and of the jaw's.
SPREAD, OF_JAW = 0.3, 0.6
# The correlation of an expression's left and right.
TOGETHER = 0.8
# How far below 0 or above 1 a weight may lie.
OUTSIDE = 0.05
# A step of a fit shrinks a face to no smaller share: marks that contradict each other may ask for a size below 0.
LEAST_GROWTH = 0.5
# As of public_fit; the scores above are of these.
STEPS, STILL_MM = 25, 0.05
INDEPENDENT, FACING, ROBUST = 400, 0.5, 2.0
# Points of the scan, about, that are fitted to.
POINTS = 2_500
# Times the template's largest reach from the nose: the chin of an open mouth lies within.
AROUND = 1.45
# What of the face lies farther from the scan counts as so far.
FAR_MM = 10.0
# Times its square in mm: what a face that the scan does not show counts beside misfit and prior.
UNSHOWN = 30.0
# In mm: of jaw or smile that is named; of all that is told; of all that `refuse` takes.
SHOWS_MM, TOLD_MM, MOST_MM = 3.0, 1.0, 1.5


@dataclass(frozen=True)
class ExpressiveFit:
    """A face with an expression, fitted to a scan.

    fit : public_fit.Fit; place : alignment.Place of the scan; weights (m,) : of real_faces.expressions
    cost : of the starts, the one with the least is taken
    """

    fit: public_fit.Fit
    place: alignment.Place
    weights: np.ndarray
    cost: float


@dataclass(frozen=True)
class Points:
    """points (n, 3) of a scan, with their outward normals (n, 3) and areas (n,), in its own place and units."""

    points: np.ndarray
    normals: np.ndarray
    areas: np.ndarray

    def place(self, place, template):
        """Return (points, normals) in the template's place."""
        turn = np.ascontiguousarray(place.rotation, dtype=float)
        return place.bring(self.points) + template.extent.nose, srnf.rotate(turn, self.normals[None])[0]


def choose_points(vertices, triangles, place, template):
    """Return the Points of a scan's mesh that an expression is fitted to: about the template's nose, POINTS of them or
    a little more.
    """
    near = np.flatnonzero(np.linalg.norm(place.bring(vertices), axis=1) < AROUND * template.extent.reach.max())
    indices = near[:: max(1, len(near) // POINTS)]
    whole = topology.areas(vertices, triangles)
    areas = sum(np.bincount(triangles[:, k], whole, len(vertices)) for k in range(3)) / 3
    return Points(vertices[indices], outside.normals(vertices, triangles)[indices], areas[indices])


def is_moved(scan, place, template, people, fit, least=MOVES):
    """Return whether a scan shows an expression (an open mouth, a smile) that must be fitted, for identity does not
    explain it.

    What identity leaves may be explained by an expression; or the lips of the face that fits lie where the scan has an
    open mouth, and no points. Arguments are as of `score_expressions`, of which `least` is enough.
    """
    if score_expressions(scan, place, template, people, fit) > least:
        return True
    face_points = people.at_fitted(fit.points)
    away = _measure_distances(scan, place, template, people, face_points)
    areas = np.where(people.off_rim, people.at_fitted(people.areas), 0.0)
    return np.average(away, weights=areas * _weigh_lips(people)) - np.average(away, weights=areas) > APART


def _weigh_lips(people):
    """Return (p,), how much each fitted point of the grid belongs to the lips, by which an open mouth is told."""
    basis, k, names = people.expressed[0], people.precision.shape[0], real_faces.expression_names()
    return sum((basis[..., k + names.index(name)] ** 2).sum(axis=1) for name in LIPS)


def score_expressions(scan, place, template, people, fit):
    """Return by how much expressions would lower a scan's misfit, by one step, to tell whether a fit with them is worth
    its time.

    The misfit is what a fit of identity leaves of the scan, its prior counted in.

    Parameters
    ----------
    scan : Points
    place : alignment.Place of the scan
    template : alignment.Template
    people : public_people.People of the template
    fit : public_fit.Fit of the scan without expressions

    Returns
    -------
    float
        g^T H^-1 g less the same of identity alone, g the gradient and H the second derivative of the misfit.
    """
    basis, _ = people.expressed
    k = people.precision.shape[0]
    face_points = people.at_fitted(fit.points)
    matched = _match(scan, place, template, people, face_points)
    if not len(matched.at):
        return 0.0
    off = np.einsum("nc,nc->n", matched.across, matched.points - face_points[matched.at])
    rows = public_fit.along_normals(matched.across, matched.at, basis)
    weights = _weigh_robustly(matched.areas, off, fit.typical)
    gradient, hessian = rows.T @ (weights * off), (rows * weights[:, None]).T @ rows + _build_prior(people)
    some = gradient[:k]
    return float(gradient @ np.linalg.solve(hessian, gradient) - some @ np.linalg.solve(hessian[:k, :k], some))


def fit_best(scan, place, template, people, marks=None):
    """Return the likeliest ExpressiveFit of a scan, from a start for each of JAWS; None where identity alone does as
    well.

    Parameters
    ----------
    scan : Points
    place : alignment.Place of the scan
    template : alignment.Template
    people : public_people.People of the template
    marks : face_marks.FaceMarks that hold the fit softly, or None
    """
    starts = (_fit(scan, place, template, people, jaw, marks) for jaw in JAWS)
    likeliest = min(starts, key=lambda expressed: expressed.cost)
    at_rest = _fit(scan, place, template, people, 0.0, marks, is_expressive=False)
    return likeliest if at_rest.cost - likeliest.cost > GAIN else None


def _fit(scan, place, template, people, jaw, marks=None, is_expressive=True):
    """Return the ExpressiveFit of a scan from a start with the jaw open so far, one of those that `fit_best` chooses
    among.

    not is_expressive : of identity alone
    """
    basis, mean = people.expressed
    flat, prior = basis.reshape(-1, basis.shape[-1]), _build_prior(people)
    k = people.precision.shape[0]
    pose = slice(k - 7, k)
    w = np.zeros(len(prior))
    w[k + real_faces.expression_names().index("jawOpen")] = jaw
    face_points = mean + public_fit.multiply(flat, w).reshape(mean.shape)
    expressed = np.arange(k, len(prior))
    for _ in range(STEPS):
        matched = _match(scan, place, template, people, face_points)
        off = np.einsum("nc,nc->n", matched.across, matched.points - face_points[matched.at])
        typical = max(1.48 * np.median(np.abs(off)), public_fit.OFF_MM / people.size) if len(off) else 1.0
        weights = _weigh_robustly(matched.areas, off, typical)
        rows = public_fit.along_normals(matched.across, matched.at, basis)
        goal = np.einsum("nc,nc->n", matched.across, matched.points - mean[matched.at])
        # A weight that lies outside of [0, 1] is held softly at the nearer end.
        wall = np.where((w[k:] < 0) | (w[k:] > 1), OUTSIDE**-2.0, 0.0)
        matrix = (rows * weights[:, None]).T @ rows + prior
        matrix[expressed, expressed] += wall
        right_side = rows.T @ (weights * goal)
        if marks is not None:
            held, pulled = marks.constraint(people, place, template).normal_equations(len(w))
            matrix, right_side = matrix + held, right_side + pulled
        right_side[k:] += wall * (w[k:] > 1)
        free = slice(None) if is_expressive else slice(0, k)
        before = face_points
        w[free] = np.linalg.solve(matrix[free, free], right_side[free])
        # The similarity goes into the pose after each step: the model has it to first order alone.
        place = _take_over(place, w[pose], template)
        w[pose] = 0
        face_points = mean + public_fit.multiply(flat, w).reshape(mean.shape)
        if np.sqrt(((face_points - before) ** 2).sum(axis=1).mean()) * people.size < STILL_MM:
            break
    fit = public_fit.Fit(people.face(w[:k], w[k:]), np.linalg.inv(matrix)[:k, :k], float(typical))
    areas = np.where(people.off_rim, people.at_fitted(people.areas), 0.0)
    unshown = np.average(_measure_distances(scan, place, template, people, face_points), weights=areas)
    cost = w @ prior @ w + (weights * off**2).sum() + UNSHOWN * unshown
    if marks is not None:
        cost += marks.constraint(people, place, template).cost(w)
    return ExpressiveFit(fit, place, w[k:], float(cost))


@dataclass(frozen=True)
class _MatchedPoints:
    """Points (n, 3) of a scan that lie on the face, in the template's place; at (n,) : the point of the grid each is
    nearest to; across (n, 3) : their normals; areas (n,)
    """

    points: np.ndarray
    at: np.ndarray
    across: np.ndarray
    areas: np.ndarray


def _match(scan, place, template, people, there):
    """Return the _MatchedPoints of a scan, whose distances from the face are made least: points that lie on it, not
    beside it.

    Each is nearest to a point of the face, there (p, 3), off its rim that faces the same way.
    """
    points, normals = scan.place(place, template)
    nearest = scipy.spatial.cKDTree(there).query(points)[1]
    own = public_fit.grid_normals(there.reshape(people.fitting[1].shape))
    facing = np.einsum("nc,nc->n", own[nearest], normals)
    is_same = people.off_rim[nearest] & (facing > FACING)
    return _MatchedPoints(points[is_same], nearest[is_same], normals[is_same], scan.areas[is_same])


def _weigh_robustly(areas, off, typical):
    """Return (n,), what each distance counts in a fit: far ones less, and all as of points that are independent."""
    weights = areas / (1 + (off / (ROBUST * typical)) ** 2)
    return weights * (INDEPENDENT / (max(areas.sum(), 1e-300) * typical**2))


def _measure_distances(scan, place, template, people, there):
    """Return (p,), squares in mm of how far each point of a face lies from the scan, by which places that it lacks
    count.

    At most FAR_MM squared; there : (p, 3) the face
    """
    points, _ = scan.place(place, template)
    return np.minimum(scipy.spatial.cKDTree(points).query(there)[0] * people.size, FAR_MM) ** 2


def _take_over(place, similarity, template):
    """Return the Place after a small similarity (7,) of the face (shift, turn, growth), so that a fit starts its next
    step at 0.
    """
    shift, turn, growth = similarity[:3], similarity[3:6], max(1 + similarity[6], LEAST_GROWTH)
    back = scipy.spatial.transform.Rotation.from_rotvec(turn).as_matrix().T
    nose, size, rotation = template.extent.nose, place.size * growth, back @ place.rotation
    return alignment.Place(place.nose - size * rotation.T @ (back @ (nose - shift) / growth - nose), size, rotation)


def _build_prior(people):
    """Return the precision of all weights before a scan is seen, which keeps fits near likely faces.

    First identity, then the similarity, then expressions.
    """
    own = _find_prior_of_expressions()
    k = people.precision.shape[0]
    prior = np.zeros((k + len(own), k + len(own)))
    prior[:k, :k], prior[k:, k:] = people.precision, own
    return prior


@cache
def _find_prior_of_expressions():
    """Return (m, m), the precision of expressions' weights before a scan is seen: left and right mostly go together."""
    names = real_faces.expression_names()
    spread = np.array([OF_JAW if name == "jawOpen" else SPREAD for name in names])
    covariance = np.diag(spread**2)
    for i, name in enumerate(names):
        if name.endswith("_L"):
            j = names.index(name[:-1] + "R")
            covariance[i, j] = covariance[j, i] = TOGETHER * spread[i] * spread[j]
    return np.linalg.inv(covariance)


def describe(weights, people):
    """Return the fields of a registered face by which a person sees its expression: how far it moves jaw, smile and
    all; words.

    Parameters
    ----------
    weights : (m,) of real_faces.expressions, or None where none moves the face
    people : public_people.People of the template

    Returns
    -------
    dict
        jaw_mm, smile_mm, expression_mm, expression_notice
    """
    if weights is None:
        return {"jaw_mm": 0.0, "smile_mm": 0.0, "expression_mm": 0.0, "expression_notice": ""}
    jaw, smile = (_movement_mm(weights, chosen) for chosen in (("jawOpen",), ("mouthSmile_L", "mouthSmile_R")))
    away = (people.expression(weights) ** 2).sum(axis=-1)
    movement_mm = float(np.sqrt((people.areas * away).sum()) * people.size)
    phrases = [
        *([f"an open mouth (the jaw {jaw:.0f} mm lower)"] if jaw > SHOWS_MM else []),
        *([f"a smile (the mouth's corners moved by {smile:.0f} mm)"] if smile > SHOWS_MM else []),
    ]
    words = (
        f"the face has {' and '.join(phrases) or 'an expression'}, which moves it by {movement_mm:.1f} mm in the mean"
    )
    return {
        "jaw_mm": jaw,
        "smile_mm": smile,
        "expression_mm": movement_mm,
        "expression_notice": words if movement_mm > TOLD_MM else "",
    }


def refuse_beyond(expression):
    """Raise Rejected for a face that its expression moves by more than MOST_MM, where `faces.expression` is `refuse`.

    expression : by `describe`
    """
    if expression["expression_mm"] > MOST_MM:
        raise Rejected(
            "expression",
            f"{expression['expression_notice']} (at most {MOST_MM:g} with `faces.expression: refuse`): scan the face "
            "at rest, or choose `as_scanned` or `neutral`",
        )


def opens_mouth(weights):
    """Return whether an expression of these weights (m,) parts the lips so far that it shows."""
    return _movement_mm(weights, ("jawOpen", *LIPS)) > SHOWS_MM


def _movement_mm(weights, chosen):
    """Return how far these expressions (opening the jaw, smiling) move the face in mm where they move it farthest."""
    names, shapes = real_faces.expression_names(), real_faces.expressions()
    movement = sum(max(weights[names.index(name)], 0.0) * shapes[names.index(name)] for name in chosen)
    return float(np.linalg.norm(movement, axis=1).max())
