"""Whose faces a bench measures: named when it is run, written beside every figure, never replaced in silence.

ict : the ICT model (scans of real people, 100 modes), which lies beside the checkout and is never part of it
demo : the model that the project brings
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shapedp.surfaces.human_face.demo import faces as demo_faces

ICT = Path(__file__).resolve().parents[3] / "shared" / "data" / "faces" / "ict_faces.npz"
MM_PER_CM = 10.0


class Missing(Exception):
    """The population that a bench was asked to measure is not here."""


@dataclass(frozen=True)
class Faces:
    """face(w) = mean + sum_i w_i modes_i, w ~ N(0, 1).

    mean (n, 3), modes (k, n, 3) in mm; triangles with the eyes, nostrils and mouth open; disk : with them closed
    """

    mean: np.ndarray
    modes: np.ndarray
    triangles: np.ndarray
    disk: np.ndarray
    nose_tip: int

    def face(self, rng):
        """Vertices (n, 3) of a random face."""
        return self.people(rng, 1)[0]

    def people(self, rng, count):
        """Vertices (count, n, 3) of random people."""
        return self.mean + np.tensordot(rng.standard_normal((count, len(self.modes))), self.modes, axes=1)


def ict():
    """The ICT model."""
    if not ICT.is_file():
        raise Missing(
            "the ICT faces (../shared/data/faces/ict_faces.npz) are not beside this checkout; to measure the demo "
            "model instead, whose figures are other ones, ask for it: POPULATION=demo"
        )
    data = np.load(ICT, allow_pickle=False)
    mean, modes = (MM_PER_CM * data[name].astype(float) for name in ("mean", "modes"))
    return Faces(mean, modes, data["triangles"], data["triangles_disk"].astype(np.int32), int(data["nose_tip"]))


def demo():
    """The demo model; its mouth and eyes are closed."""
    mean = demo_faces.template()
    modes = np.array([demo_faces.face(one) - mean for one in np.eye(len(demo_faces.names()))])
    return Faces(mean, modes, demo_faces.triangles(), demo_faces.triangles(), demo_faces.NOSE_TIP)


FACES = {"ict": ict, "demo": demo}
