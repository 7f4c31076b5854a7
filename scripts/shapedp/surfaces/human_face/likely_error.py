"""Say how far a registered face is likely to be off the truth, in mm: over all of it, and in each region of a face.

What tells it: how far the face lies beside what public people explain, how far two registrations of it disagree (the
template's own, and the one that is kept), what the scan does not show, the energy left, an expression. Each weighs as
was learned on drawn people of the public model, in expressions, beards, cuts, noise and poses: see
docs/mathematics.md, "The error of a scan". All of this follows from the one record and public numbers.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from shapedp.surfaces.human_face import real_faces

MOVED_BY = {  # what these expressions move most is the region
    "brow": ("browDown", "browInnerUp", "browOuterUp"),
    "eyes": ("eyeBlink", "eyeSquint", "eyeWide"),
    "nose": ("noseSneer",),
    "mouth": ("mouthLowerDown", "mouthUpperUp", "mouthPucker", "mouthSmile"),
    "chin": ("jawOpen", "jawForward"),
    "cheeks": ("cheekPuff", "cheekRaiser", "cheekSquint"),
}
REGIONS = (*MOVED_BY, "rest")
FIELDS = ("error_mm", *(f"error_{name}_mm" for name in MOVED_BY))
# Confidence of the search below which the error grows, up to twofold.
UNSURE = 0.15
# Of the largest movement in a region: what moves less is of the rest.
LEAST = 0.3

# Likely errors of FIELDS, such that less than a tenth of drawn plain people exceed any: made as LEARNED was.
DOUBTFUL_MM = (1.47, 2.22, 1.15, 0.98, 2.40, 4.02, 2.43)
FLOOR_MM, MOST_ENERGY, MOST_MM = 0.3, 0.3, 100.0
LEARNED = (
    np.array(  # by tests/benchmarks/calibrate_errors.py: a row for each of REGIONS and one for all, a column a feature
        [
            [-0.2901, 1.043, 0.7567, 0.3056, 0.2307, 0.06678, -0.3673, -0.1617, 0.241, 0.03949, 0.2212],
            [-0.5678, -0.1944, 0.8844, 0.333, 0.3248, 0.06985, -0.3523, 1.591, 0.2475, 0.4199, 0.3623],
            [-0.8046, 0.3512, 0.7599, 0.5209, -0.5619, 0.01104, -0.2398, 0.4921, 0.5467, 0.1514, 0.205],
            [-0.719, 1.293, 0.6217, 0.2687, -0.4851, 0.6169, -1.054, 3.566, 0.2596, 0.8266, 1.01],
            [0.2255, 1.08, 0.9256, -0.2996, -0.2015, 0.3424, -1.46, 11.11, 0.3544, 0.859, -7.119e-05],
            [-0.04559, 1.135, 0.6995, 0.02352, -0.9167, 0.2176, -0.6098, 5.077, 0.3422, -0.1637, 0.01251],
            [-0.8679, 0.135, 0.6979, 0.3925, 0.01109, 0.02088, 0.05713, -0.8175, 0.4099, -0.2941, 0.3204],
            [-0.6339, 0.7923, 0.7923, 0.1327, -0.1758, 0.2292, -0.5208, 3.106, 0.2879, 0.4298, 0.2144],
        ]
    )
)


@cache
def label_vertices():
    """Return (n,), the number in REGIONS of each vertex of the public face model, by which errors are said by region.

    A vertex is of the region whose expressions move it most.
    """
    names, shapes = real_faces.expression_names(), real_faces.expressions()
    movements = []
    for region_names in MOVED_BY.values():
        indices = [k for k, name in enumerate(names) if name.removesuffix("_L").removesuffix("_R") in region_names]
        far = np.linalg.norm(shapes[indices], axis=2)
        movements.append((far / far.max(axis=1, keepdims=True)).max(axis=0))
    return np.where(np.max(movements, axis=0) > LEAST, np.argmax(movements, axis=0), len(movements))


def find_regions(triangles, weights):
    """Return (...,), the number of the region (brow, eyes, nose ...) of each point of a template's grid, to say errors
    by region.

    A point lies in triangles (...) of the model, at weights (..., 3).
    """
    corners = real_faces.triangles()[triangles]
    nearest = np.take_along_axis(corners, weights.argmax(axis=-1)[..., None], axis=-1)[..., 0]
    return label_vertices()[nearest]


def measure_signals(left_mm, apart, seen, chosen, areas):
    """Return the signs of a registration's error by region, from which `state_errors` says mm: misfit, disagreement,
    gaps.

    Root mean squares in mm, and the share that a scan does not show.

    Parameters
    ----------
    left_mm : (p,) distance in mm of the registered points from what public people explain of them
    apart : (p,) distance in mm between two registrations of the scan there, 0 where one of them does not reach
    seen : (p,) which points the scan shows
    chosen : (p,) number of each point's region
    areas : (p,)

    Returns
    -------
    (len(REGIONS) + 1, 3) array
        A row for each region, and the last for all.
    """
    rows = []
    for region in (*range(len(REGIONS)), None):
        w = areas if region is None else areas * (chosen == region)
        total = max(w.sum(), 1e-300)
        rows.append([np.sqrt(w @ left_mm**2 / total), np.sqrt(w @ apart**2 / total), w @ ~seen / total])
    return np.array(rows)


@dataclass(frozen=True)
class ErrorInputs:
    """What is known of a registered face: signals, see `measure_signals`; expression_mm : by which an expression moves
    it; unlike, energy : see likeness; noise_mm : of the scan, 0 where nobody knows; confidence : of the search for it
    """

    signals: np.ndarray
    expression_mm: float
    unlike: float
    energy: float
    noise_mm: float
    confidence: float = 1.0

    def features(self):
        """Return (len(REGIONS) + 1, f), what the logarithm of each region's error is linear in, with the coefficients
        LEARNED.
        """
        rows, is_moved = [], float(self.expression_mm > 0)
        for left_mm, apart, unseen in self.signals:
            near = np.log(left_mm + FLOOR_MM)
            rows.append(
                [
                    1.0,
                    near,
                    np.log(self.signals[-1, 0] + FLOOR_MM),
                    is_moved,
                    is_moved * near,
                    np.log1p(self.expression_mm),
                    self.unlike,
                    min(self.energy, MOST_ENERGY),
                    self.noise_mm,
                    unseen,
                    (1 - is_moved) * np.log1p(apart),
                ]
            )
        return np.array(rows)


def estimate_errors(aligned, expression_mm, face, people):
    """Return the fields of a registered face that say how far it is likely off, in mm, over all and by region.

    As of `state_errors`; all 0 where no public people tell anything.

    Parameters
    ----------
    aligned : alignment.Aligned
    expression_mm : by which an expression moves it
    face : alignment.Face of the scan, whose `noise` is in the scan's unit
    people : public_people.People of the template, or None

    Returns
    -------
    dict
    """
    if aligned.signals is None:
        return dict.fromkeys(FIELDS, 0.0)
    noise = face.noise / aligned.place.size * people.size
    noise = noise if np.isfinite(noise) else 0.0
    energy, confidence = aligned.registered.energy_after, face.search_confidence
    return state_errors(ErrorInputs(aligned.signals, expression_mm, aligned.unlike, energy, noise, confidence))


def find_worst(errors):
    """Return (region, mm) that is likely to be off most; errors : by `state_errors`."""
    return max(((name, errors[f"error_{name}_mm"]) for name in MOVED_BY), key=lambda region: region[1])


def measure_doubt(errors):
    """Return how doubtful a registered face is by its likely error, 1 where it is worth a person's look in the review.

    The largest of the error over all and of each region's, over what is doubtful there; errors : by `state_errors`
    """
    return max(errors[name] / mm for name, mm in zip(FIELDS, DOUBTFUL_MM, strict=True))


def write_words(errors):
    """Return a sentence that says how large the likely error is, and where."""
    region, mm = find_worst(errors)
    return f"likely {errors['error_mm']:.2f} mm off in the mean, most at the {region} ({mm:.1f} mm)"


def state_errors(known):
    """Return {field: mm}, the likely mean error of a registered face, `error_mm`, and of its regions, `error_chin_mm`
    ...

    Parameters
    ----------
    known : ErrorInputs

    Returns
    -------
    dict
        Such that a tenth of drawn faces err by more than 1.5 times as much.
    """
    doubled = 1 + max(0.0, UNSURE - known.confidence) / UNSURE
    errors = np.minimum(np.exp((known.features() * LEARNED).sum(axis=1)) * doubled, MOST_MM)
    return dict(zip(FIELDS, map(float, (errors[-1], *errors[: len(MOVED_BY)])), strict=True))
