"""A release of a tiny mean face that meets every condition, for the tests of the release contract to break."""

import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from shapedp.base import artifacts
from shapedp.privacy.accounting.cost import Cost
from shapedp.privacy.proofs import find_proofs
from shapedp.privacy.statistic import Rows, Statistic, Sums
from shapedp.releases import protocol, publishing
from shapedp.releases.statement import conditions, statement

SETTINGS = {"mechanism": "matched_joint", "budget": {"mu_total": 1.0}, "reference": "template"}
DEMO = conditions.Origin("built_in")


def request(**changes):
    """A request for a Gaussian release with mu = 1."""
    given = {
        "population": "people",
        "branch": "faces",
        "name": "mean_face",
        "settings": SETTINGS,
        "records": "12" * 32,
        "inputs_digest": protocol.inputs_digest(["ab" * 32]),
        "cost": Cost("gdp", mu=1.0),
        **changes,
    }
    return protocol.Request(**given)


def stated(**changes):
    """Facts under which every condition holds."""
    given = {
        "branch": "faces",
        "n": 100,
        "mechanism": "matched_joint",
        "sensitivity": 1.0,
        "sensitivity_unit": "standard deviations of the noise",
        "sensitivity_inputs": {"tau": 0.05, "n": 100},
        "bounds": (conditions.Bound("tau_joint", 0.05, "square root of the face's area", conditions.Origin("config")),),
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
    mechanism = statement.list_mechanisms(given["branch"]).get(given["mechanism"])
    return conditions.Facts(**{"proofs": mechanism and find_proofs(mechanism)} | given)


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


class Drawn(Statistic):
    """Its only answer is what `draw` returns."""

    def __init__(self, draw):
        self.draw = draw

    def sums(self, people):
        return Sums(())

    def noised(self, sums, source):
        return self.draw()

    def cost(self):
        raise NotImplementedError


class Example:
    """A release with this request, these facts and one draw; what a kind of release is, as `publish` sees it."""

    def __init__(self, asked, facts, draw):
        self.asked, self.stated, self.statistic = asked, facts, Drawn(draw)

    def request(self, people, key):
        return self.asked

    def facts(self, people, source):
        return self.stated

    def complete_facts(self, facts, answers):
        return facts

    def stage(self, answers):
        return None if answers else self.statistic

    def files(self, answers):
        return answers[0]


def publish(ledger, asked, facts, draw, folder, plan=()):
    """Make the release that is asked for, with files that `draw` returns."""
    return publishing.publish(ledger, Example(asked, facts, draw), Rows.of(np.zeros((0, 1))), None, folder, plan)


def output(folder, name="mean_face"):
    """Where a release is shown."""
    return Path(folder) / "results" / "release" / "faces" / name


def shown(folder, name="mean_face"):
    """{file: bytes} of a shown release."""
    return {path.name: path.read_bytes() for path in output(folder, name).iterdir()}
