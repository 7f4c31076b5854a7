"""A cohort of 18 people in three groups as the face chain leaves it, and its releases through the release script."""

import json
from dataclasses import asdict

import numpy as np

import release_faces
from shapedp.base import artifacts
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy.curves import bounds

SHAPE = (3, 3, 16)
KERNEL = {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]}
FACES = {
    "kernel": KERNEL,
    "bounds": {"source": "public", "tau": [0.1, 0.1, 0.1]},
    "curves": {"count": 3, "samples": 16, "spacing": "arc"},
    "persons": "refuse",
}
GROUPS = ["a"] * 8 + ["b"] * 6 + ["c"] * 4


class Workspace:
    """A template, curves of 18 people in three groups, and a ledger."""

    def __init__(self, folder):
        self.folder = folder
        self.rng = np.random.default_rng(7)
        self.template = 0.3 * self.rng.standard_normal(SHAPE)
        with artifacts.writer(folder / "template.h5", artifacts.TEMPLATE) as out:
            out.set(
                **dict.fromkeys(("f", "cloud_f"), np.zeros((4, 8, 3))),
                cloud_places=np.zeros((4, 8, 2)),
                **artifacts.no_people((4, 8)),
                extent=1.0,
                curves=self.template,
                radii=[0.3, 0.6, 1.0],
                scale=150.0,
                public=1,
                source="demo",
            )

    def stack(self, groups=GROUPS, name="curves.h5", ids=None, seed=8, made_of=()):
        """Curves of people in these groups, the same people each time; made_of : artifacts besides the template."""
        people = self.template + 0.02 * np.random.default_rng(seed).standard_normal((len(groups), *SHAPE))
        with artifacts.writer(
            self.folder / name, artifacts.CURVES, inputs=[self.folder / "template.h5", *made_of]
        ) as out:
            out.set(
                curves=people,
                ok=np.ones(len(groups)),
                ids=ids or [f"person{index:02d}" for index in range(len(groups))],
                groups=groups,
                radii=[0.3, 0.6, 1.0],
                template=artifacts.header(self.folder / "template.h5")[2],
            )
        return self.folder / name

    def bounds(self, made_of):
        """Bounds that say they are public, made of the curves in this file."""
        with artifacts.reader(made_of, artifacts.CURVES) as source:
            people = source["curves"]
        found = bounds.from_population(lambda a, b: people[a:b], len(people), self.template, 1, 1, "a set", True)
        with artifacts.writer(self.folder / "bounds.h5", artifacts.BOUNDS, inputs=[made_of]) as out:
            out.set(**asdict(found), reference=self.template)
        return self.folder / "bounds.h5"

    def release(
        self,
        stack,
        group=None,
        membership="private",
        mu=1.0,
        sizes=None,
        limits=None,
        people=18,
        tuned_on="public",
        seed=None,
        named=True,
        **asked,
    ):
        """(statement, released curves); limits : a bounds artifact, or None for numbers; asked : more of the entry"""
        entry = {"name": group or "all", "mechanism": "matched", "budget": {"mu_total": mu}, **asked}
        entry |= {"group": group} if group else {}
        if sizes is None:
            sizes = {"a": 8, "b": 6, "c": 4} if membership == "private" else {}
        output = self.folder / "results" / "release" / "faces" / entry["name"]
        privacy = {
            "ledger": self.folder / "ledger",
            "population": {"faces": "people"},
            "cap": {"faces": {"mu_total": 5.0}},
            "groups": {"membership": membership, "sizes": sizes},
            "seed": seed,
            "tuned_on": tuned_on,
            "sources": {"settings": "demo", "template": "demo", "bounds": "demo"},
            "statement": {},
        }
        paths = stack, self.folder / "template.h5", limits
        release_faces.release_faces(paths, output, entry, FACES, privacy, people, named)
        with artifacts.reader(output / "mean_face.h5", artifacts.MEAN_FACE) as source:
            return json.loads((output / "statement.json").read_text()), source["curves"]

    def spent(self):
        return Ledger(self.folder / "ledger").sum_spent("people").mu
