"""A release of a tiny mean face that meets every condition, for the tests of the release contract to break."""

import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from shapedp import artifacts
from shapedp.mechanisms.cost import Cost
from shapedp.releases import facts, publishing

SETTINGS = {"mechanism": "matched_joint", "budget": {"mu_total": 1.0}, "reference": "template"}
DEMO = facts.Origin("demo")


def request(**changes):
    """A request for a Gaussian release with mu = 1."""
    given = {
        "population": "people",
        "branch": "faces",
        "name": "mean_face",
        "settings": SETTINGS,
        "records": "12" * 32,
        "inputs_digest": publishing.inputs_digest(["ab" * 32]),
        "cost": Cost("gdp", mu=1.0),
        **changes,
    }
    return publishing.Request(**given)


def stated(**changes):
    """Facts under which every condition holds."""
    given = {
        "branch": "faces",
        "n": 100,
        "mechanism": "matched_joint",
        "sensitivity": 1.0,
        "sensitivity_unit": "standard deviations of the noise",
        "sensitivity_inputs": {"tau": 0.05, "n": 100},
        "bounds": (facts.Bound("tau_joint", 0.05, "square root of the face's area", facts.Origin("config")),),
        "template": DEMO,
        "reference": DEMO,
        "clipping": "joint_norm",
        "noise_secure": True,
        "sampler": "discrete_gaussian",
        "grid": 1e-9,
        "rounding_counted": True,
        "within_bounds": True,
        "made_of": ("curves", "template"),
        "rejected_become": "reference",
        "persons": "refuse",
        **changes,
    }
    return facts.Facts(**given)


def artifact(settings=SETTINGS, seed=0, inputs=(), noise_sd=0.01):
    """The bytes of a released mean face, the stand-in for a draw."""
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mean_face.h5"
        with artifacts.writer(path, artifacts.MEAN_FACE, settings, inputs) as out:
            out.set(
                curves=rng.standard_normal((2, 3, 4)),
                noise_sd=np.full((2, 3), noise_sd),
                noise_mm=np.full((2, 4), noise_sd),
                noise_draws=np.full((3, 2, 3, 4), noise_sd),
                radii=[0.5, 1.0],
                scale=150.0,
                settings=json.dumps(settings),
            )
        return path.read_bytes()


@cache
def _cached(settings, seed):
    return artifact(json.loads(settings), seed)


class Draw:
    """Counts how often it is called; every draw differs from the one before."""

    def __init__(self, settings=SETTINGS, start=0):
        self.settings, self.calls, self.start = settings, 0, start

    def __call__(self):
        self.calls += 1
        return {"mean_face.h5": _cached(json.dumps(self.settings), self.start + self.calls)}


def output(folder, name="mean_face"):
    """Where a release is shown."""
    return Path(folder) / "results" / "release" / "faces" / name


def shown(folder, name="mean_face"):
    """{file: bytes} of a shown release."""
    return {path.name: path.read_bytes() for path in output(folder, name).iterdir()}
