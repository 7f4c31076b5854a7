"""People at the level of coordinates along public axes: every stage of a release, without the surfaces.

A face is its coordinates on the modes and harmonics that public people taught, in lengths on the face, and what lies
outside these. So a release of a thousand people takes milliseconds beside what decodes it, and each stage is the
library's own. The kinds of cohort are those that a release meets: like the public people, and unlike them in one way.
"""

from dataclasses import dataclass, replace

import numpy as np

from shapedp.privacy.learned import face_learning
from shapedp.privacy.learned.face_variation import Variation

MODES, HARMONICS = 100, 120
GUESSES = {"quantile": 0.95, "assumed_mean_shift": 0.35, "assumed_shift_outside_modes": 1.2}
KINDS = (
    *("like", "shifted_1", "shifted_2", "spread", "heavy", "bimodal"),
    *("children", "ancestry", "minority"),
)
CHILDREN_MM, SHOWN = 2.5, 60  # root mean square of the children's deformation; points at which coverage is counted
DEFORMATION_SEED = 77
DIRECTIONS = 30  # of people, of which a response is a mixture
FREEDOM = 3  # degrees of the heavy tails' t


@dataclass(frozen=True)
class World:
    """axes (w, K): lengths along the K public axes by which one standard deviation of each of the model's w directions
    leads; left (w, w): products of what lies outside the axes; known : Variation in these coordinates; scale : mm of
    the unit; deformed (K,) and outside : the children's, along the axes and its squared length outside;
    points (K, 3 SHOWN) : what one of each coordinate moves chosen points by
    """

    axes: np.ndarray
    left: np.ndarray
    known: Variation
    scale: float
    deformed: np.ndarray
    outside: float
    points: np.ndarray


def world(model, public, seed, times=1.0, harmonics=HARMONICS, freedom=None, deformation_seed=DEFORMATION_SEED):
    """The World of a `corresponding_faces.Model` with so many public people, drawn from it by a seed; times : the
    model's standard deviations, as people's own changes are smaller than what they differ by; freedom : degrees of the
    t law by which some of them lie much farther than others, None if all lie alike; deformation_seed : of children's
    """
    template, rng = model.template(), np.random.default_rng(seed)
    slopes = times * (model.mode_curves - model.mode_curves.mean(axis=(1, 3), keepdims=True)) / model.scale()
    points = template.shape[0] * template.shape[2]
    weights = rng.standard_normal((public, len(slopes)))
    if freedom is not None:
        weights *= np.sqrt(freedom / rng.chisquare(freedom, (public, 1)))
    people = template + np.tensordot(weights, slopes, axes=1)
    found = face_learning.learn(lambda start, stop: people[start:stop], public, template, MODES, harmonics)
    full = np.concatenate([found.modes, found.harmonics]).reshape(-1, 3 * points).astype(float)
    along = slopes.reshape(len(slopes), -1) @ full.T / points
    left = slopes.reshape(len(slopes), -1) @ slopes.reshape(len(slopes), -1).T / points - along @ along.T
    deformation = smooth_deformation(template.shape, CHILDREN_MM / model.scale(), deformation_seed)
    deformed = full @ deformation / points
    known = compact(Variation(center=template, **vars(found), **GUESSES, source="bench", public=True))
    chosen = np.random.default_rng(5).choice(points, SHOWN, replace=False)
    at_points = (
        full.reshape(-1, template.shape[0], 3, template.shape[2]).transpose(0, 1, 3, 2).reshape(len(full), points, 3)
    )
    shown = at_points[:, chosen].reshape(len(full), -1)
    outside = max(float(deformation @ deformation / points - deformed @ deformed), 0.0)
    return World(along, left, known, model.scale(), deformed, outside, shown)


def smooth_deformation(shape, size, seed):
    """A smooth deformation (N,) of slow functions, so large in the root mean square, whatever people differ by."""
    slow = face_learning.harmonic_functions(shape, 8).reshape(24, -1).astype(float)
    made = np.random.default_rng(seed).standard_normal(24) @ slow
    points = shape[0] * shape[2]
    return made * size / np.sqrt(made @ made / points)


def compact(full):
    """The same Variation for faces that are their coordinates: (1, 3, m) numbers, axis i the i-th of them."""
    count = len(full.modes) + len(full.harmonics)
    samples = -(-count // 3)
    unit = np.sqrt(samples) * np.eye(count, 3 * samples).reshape(count, 1, 3, samples)
    q = len(full.modes)
    return replace(full, center=np.zeros((1, 3, samples)), modes=unit[:q], harmonics=unit[q:])


def faces(known, coordinates):
    """(n, 1, 3, m) of coordinates (n, K)."""
    samples = known.center.shape[2]
    made = np.zeros((len(coordinates), 3 * samples))
    made[:, : coordinates.shape[1]] = np.sqrt(samples) * coordinates
    return made.reshape(-1, 1, 3, samples)


def people(world, kind, n, rng):
    """((n, K) coordinates of a cohort of one of the KINDS, squared length of its mean outside the axes)."""
    weights, away = weights_of_kind(kind, n, len(world.axes), rng)
    mean = weights.mean(axis=0)
    outside = float(mean @ world.left @ mean) + away.mean() ** 2 * world.outside
    return weights @ world.axes + away[:, None] * world.deformed, outside


def weights_of_kind(kind, n, count, rng):
    """((n, count) weights of a model's directions, (n,) how much each is deformed) of a cohort of one of the KINDS."""
    weights, away = rng.standard_normal((n, count)), np.zeros(n)
    if kind == "spread":
        weights *= 1.5
    elif kind == "heavy":
        weights *= np.sqrt(FREEDOM / rng.chisquare(FREEDOM, (n, 1)))
    elif kind == "bimodal":
        weights[:, 1] += 1.5 * np.where(np.arange(n) % 2, 1, -1)
    elif kind == "children":
        away[:] = 1.0
    elif kind == "minority":
        away[: -(-n // 10)] = 1.0
    return weights + shift_of_kind(kind, count), away


def shift_of_kind(kind, count):
    """(count,) by which everybody's weights of a kind are shifted."""
    shift = np.zeros(count)
    if kind.startswith("shifted_"):
        shift[0] = float(kind.removeprefix("shifted_"))
    elif kind == "ancestry":
        shift[:10] = 2.0 / np.sqrt(10) * np.where(np.arange(10) % 3, 1, -1)
    return shift


RESPONSES = {"even": (1.0, 1.0), "half": (0.5, 2.0), "fifth": (0.2, 5.0), "tenth": (0.1, 8.0)}


def changes(world, who, n, rng, direction):
    """((n, K) changes of n people, of whom a share responds by so many mm; squared length of their mean outside).

    who : of RESPONSES; direction : seed of the way in which they respond, a mixture of people's first directions
    """
    share, mm = RESPONSES[who]
    responds = (np.arange(n) < round(share * n)).astype(float)
    weights = np.random.default_rng(direction).standard_normal(len(world.axes)) * (
        np.arange(len(world.axes)) < DIRECTIONS
    )
    along = weights @ world.axes
    along *= mm / world.scale / np.linalg.norm(along)
    own = rng.standard_normal((n, len(world.axes)))
    mean = own.mean(axis=0)
    return own @ world.axes + responds[:, None] * along, float(mean @ world.left @ mean)
