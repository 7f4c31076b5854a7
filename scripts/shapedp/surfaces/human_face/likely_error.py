"""How far a registered face is likely to be off the truth, in mm: over all of it, and in each region of a face.

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
UNSURE = 0.15  # confidence of the search below which the error grows, up to twofold
LEAST = 0.3  # of the largest movement in a region: what moves less is of the rest

DOUBTFUL_MM, DOUBTFUL_REGION_MM = 1.25, 2.2  # likely errors that a tenth of drawn plain people exceed
FLOOR_MM, MOST_ENERGY, MOST_MM = 0.3, 0.3, 100.0
LEARNED = (
    np.array(  # by tests/benchmarks/calibrate_errors.py: a row for each of REGIONS and one for all, a column a feature
        [
            [-0.4304, 1.425, 0.6162, 0.1795, -0.04957, -0.02162, -0.4555, 4.468, 0.2353, 0.1162, -0.2532],
            [-0.2783, -0.106, 1.46, 0.3197, 0.07655, -0.03845, -1.079, 3.191, 0.4217, 0.1262, -0.12],
            [-0.2772, 0.1015, 0.9645, 0.02578, -0.1555, -0.01317, -0.7109, 0.9521, 0.6672, -7.402, -0.116],
            [-0.389, 1.531, 1.213, -0.411, -1.243, 0.8034, -1.973, 7.872, 0.4305, 3.166, -0.05805],
            [-0.1297, 1.425, 1.029, -0.2691, -0.3904, 0.3216, -2.196, 15.43, 0.6764, 1.305, -0.6797],
            [-0.1043, 0.8137, 0.7584, 0.1463, -0.8228, 0.1073, -1.109, 9.731, 0.5702, 1.242, -0.2971],
            [-0.5552, 0.3585, 0.4232, -0.01255, -0.18, 0.01725, 0.1851, 0.04094, 0.441, 1.044, -0.1204],
            [-0.5646, 0.7951, 0.7951, -0.09376, -0.1858, 0.2063, -0.7334, 6.549, 0.4939, 1.719, -0.2516],
        ]
    )
)


@cache
def of_vertices():
    """(n,) the number of the region of each of the model's vertices."""
    names, shapes = real_faces.expression_names(), real_faces.expressions()
    moved = []
    for chosen in MOVED_BY.values():
        here = [k for k, name in enumerate(names) if name.removesuffix("_L").removesuffix("_R") in chosen]
        far = np.linalg.norm(shapes[here], axis=2)
        moved.append((far / far.max(axis=1, keepdims=True)).max(axis=0))
    return np.where(np.max(moved, axis=0) > LEAST, np.argmax(moved, axis=0), len(moved))


def regions(triangles, weights):
    """(...,) the number of the region of each point that lies in triangles (...) of the model, at weights (..., 3)."""
    corners = real_faces.triangles()[triangles]
    nearest = np.take_along_axis(corners, weights.argmax(axis=-1)[..., None], axis=-1)[..., 0]
    return of_vertices()[nearest]


def signals(beside, apart, seen, chosen, areas):
    """What is known of each region, and of all: root mean squares in mm, and the share that a scan does not show.

    Parameters
    ----------
    beside : (p,) distance in mm of the registered points from what public people explain of them
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
        rows.append([np.sqrt(w @ beside**2 / total), np.sqrt(w @ apart**2 / total), w @ ~seen / total])
    return np.array(rows)


@dataclass(frozen=True)
class Known:
    """What is known of a registered face: signals, see `signals`; expression_mm : by which an expression moves it;
    unlike, energy : see likeness; noise_mm : of the scan, 0 where nobody knows; confidence : of the search for the face
    """

    signals: np.ndarray
    expression_mm: float
    unlike: float
    energy: float
    noise_mm: float
    confidence: float = 1.0

    def features(self):
        """(len(REGIONS) + 1, f) what the logarithm of the error is linear in, as LEARNED has it."""
        rows, is_moved = [], float(self.expression_mm > 0)
        for beside, apart, unseen in self.signals:
            near = np.log(beside + FLOOR_MM)
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


def of_registered(aligned, expression_mm, mesh, people):
    """The fields of `stated` of a registered face; all 0 where no public people tell anything.

    Parameters
    ----------
    aligned : alignment.Aligned
    expression_mm : by which an expression moves it
    mesh : the record of its mesh, whose `noise` is in scan units
    people : likeness.People of the template, or None

    Returns
    -------
    dict
    """
    if aligned.signals is None:
        return dict.fromkeys(FIELDS, 0.0)
    noise = float(mesh["noise"]) / aligned.place.size * people.size
    noise = noise if np.isfinite(noise) else 0.0
    energy, confidence = aligned.registered.energy_after, float(mesh["search_confidence"])
    return stated(Known(aligned.signals, expression_mm, aligned.unlike, energy, noise, confidence))


def worst(errors):
    """(region, mm) that is likely to be off most, of the fields of `stated`."""
    return max(((name, errors[f"error_{name}_mm"]) for name in MOVED_BY), key=lambda one: one[1])


def doubt(errors):
    """How far the likely error comes to what is doubtful, 1 there: over all, or of a region; errors : as `stated`."""
    return max(errors["error_mm"] / DOUBTFUL_MM, worst(errors)[1] / DOUBTFUL_REGION_MM)


def words(errors):
    """A sentence that says how large the likely error is, and where."""
    region, mm = worst(errors)
    return f"likely {errors['error_mm']:.2f} mm off in the mean, most at the {region} ({mm:.1f} mm)"


def stated(known):
    """{field: mm}: the likely mean error of a registered face, `error_mm`, and of each of its regions, `chin_mm` ...

    Parameters
    ----------
    known : Known

    Returns
    -------
    dict
        Such that a tenth of drawn faces err by more than 1.5 times as much.
    """
    doubled = 1 + max(0.0, UNSURE - known.confidence) / UNSURE
    errors = np.minimum(np.exp((known.features() * LEARNED).sum(axis=1)) * doubled, MOST_MM)
    return dict(zip(FIELDS, map(float, (errors[-1], *errors[: len(MOVED_BY)])), strict=True))
