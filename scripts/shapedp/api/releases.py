"""A private mean face from scans, recorded in a ledger."""

from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator

from shapedp.api.curves import FaceCurves
from shapedp.api.planning import KERNEL
from shapedp.api.reading import read_release
from shapedp.mechanisms import bounds
from shapedp.releases import face_facts, fingerprints, mean_face
from shapedp.releases.ledger import Ledger

MADE_OF = ("curves", "template")  # of each record, itself and the template: `FaceCurves` takes each by itself


class PrivateMeanFace(BaseEstimator):
    """The mean of people's faces with noise that makes it mu-GDP, recorded in a ledger before the noise is drawn.

    mu : the guarantee; tau : three public bounds on a curve's x, y, z about the template, see `plan`;
    population, cap : whose budget is spent, and the most that may ever be spent on them, as a total mu;
    ledger, folder : the folder of the ledgers, and that of the release, whose name is the release's;
    template : a public `Template`, None for the built-in one;
    sources : {"bounds": ..., "template": ..., "settings": ...}, where each comes from, in words.

    You declare that each scan is another person's, and that neither tau, mu nor the template was chosen by looking at
    them. Attributes after `fit`: `mean_` (J, 3, m) of unit area, `noise_sd_` (J, 3), `release_` as `read_release` gives
    it, and `rejected_`, {scan: why}, which is private.
    """

    def __init__(
        self, mu, tau, population, cap, ledger, folder, sources, template=None, mechanism="matched_joint", center="nose"
    ):
        self.mu = mu
        self.tau = tau
        self.population = population
        self.cap = cap
        self.ledger = ledger
        self.folder = folder
        self.sources = sources
        self.template = template
        self.mechanism = mechanism
        self.center = center

    def fit(self, scans, y=None):
        """Release the mean of these scans, or return the stored one, for nothing, if it was released before."""
        transformer = FaceCurves(self.template, self.center)
        curves = transformer.fit().transform(scans)
        self.rejected_ = transformer.rejected_
        self._release(curves, transformer.template_)
        self.release_ = read_release(self.folder)
        self.mean_, self.noise_sd_ = self.release_.values["curves"], self.release_.values["noise_sd"]
        return self

    def _release(self, curves, template):
        ledger = Ledger(self.ledger)
        count = len(curves)
        key = ledger.key()
        people = mean_face.People(
            n=count,
            rows=count,
            read=lambda start, stop: curves[start:stop],
            records=fingerprints.of_records(key, lambda start, stop: curves[start:stop], count),
            used=fingerprints.of_arrays(key, np.array([row not in self.rejected_ for row in range(count)])),
            group=None,
            evidence=face_facts.Evidence(MADE_OF, count, count, count, named=False),
        )
        limits = bounds.from_numbers(self.tau, len(template.radii))
        entry = {"name": Path(self.folder).name, "mechanism": self.mechanism, "budget": {"mu_total": self.mu}}
        mean_face.release(
            ledger, people, _described(template), limits, entry, self._faces(template), self._privacy(), self.folder
        )

    def _faces(self, template):
        curves = {"count": len(template.radii), "samples": template.samples, "spacing": template.spacing}
        kernel = {**KERNEL, "phi": list(KERNEL["phi"])}
        return {"kernel": kernel, "curves": curves, "persons": "refuse", "bounds": {"tau": list(self.tau)}}

    def _privacy(self):
        return {
            "population": {"faces": self.population},
            "cap": {"faces": {"mu_total": self.cap}},
            "tuned_on": "public",
            "groups": {"membership": "private", "sizes": {}},
            "sources": self.sources,
            "statement": {},
            "seed": None,
        }


def _described(template):
    return {
        "curves": template.curves,
        "radii": template.radii,
        "scale": template.surface.scale,
        "public": True,
        "source": "demo" if template.ours else "file",
    }
