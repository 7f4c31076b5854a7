"""Curves of scanned faces, taken through the chain: clouds with noise, meshed, mapped, registered to a template.

The chain takes .7 s a face, so curves are kept in the folder that SHAPEDP_BENCH_CACHE names, where it is set.
"""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import mixed_scans, populations, scan_clouds
from shapedp.base.errors import Rejected
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.human_face import likeness, placement, public_people
from shapedp.surfaces.registration import alignment
from shapedp.surfaces.registration.template import Options

CACHE = "SHAPEDP_BENCH_CACHE"


@dataclass(frozen=True)
class Frame:
    """What faces are registered to: the mean of a population, scanned like them; radii and samples of the curves."""

    name: str
    template: alignment.Template
    public: public_people.People
    curves: np.ndarray
    radii: np.ndarray
    scale: float

    @classmethod
    def of(cls, name, shape):
        """Of the population's mean; shape : (J, m) of the curves."""
        model = populations.FACES[name]()
        cloud = scan_clouds.cloud(model.mean, model.triangles, "three_view", np.random.default_rng(0))
        face = mixed_scans.face_of(cloud, model.mean[model.nose_tip])
        radii = curve_mesh.spread(face.f, shape[0], "arc")
        template = alignment.Template(face.f, Options(basis=mixed_scans.BASIS))
        return cls(
            name, template, placement.find_people(face), curve_mesh.extract(face.f, radii, shape[1]), radii, face.scale
        )

    def people(self, population, seed, count, weights=0.0):
        """(count, J, 3, m) curves of random people; weights (k,) : added to everybody's."""
        asked = [self.name, *self.curves.shape, population, seed, count, np.asarray(weights).tolist()]
        kept = os.environ.get(CACHE)
        path = Path(kept or ".") / f"curves_{hashlib.blake2b(repr(asked).encode(), digest_size=8).hexdigest()}.npy"
        if kept and path.is_file():
            return np.load(path)
        model = populations.FACES[population]()
        found = np.array([self._person(model, np.random.default_rng([seed, i]), weights) for i in range(count)])
        if kept:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.save(path, found)
        return found

    def _person(self, model, rng, weights):
        """A scan that is rejected counts as the template, as it does in the chain."""
        face = model.mean + np.tensordot(rng.standard_normal(len(model.modes)) + weights, model.modes, axes=1)
        cloud = scan_clouds.cloud(face, model.triangles, "three_view", rng)
        try:
            aligned = likeness.align_likeliest(mixed_scans.face_of(cloud), self.template, self.public)
        except Rejected as error:
            print(f"    {error}")
            return self.curves
        return curve_mesh.extract(aligned.registered.surface, self.radii, self.curves.shape[2])
