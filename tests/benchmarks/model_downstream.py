"""Released models in place of the data: half faces completed, faces fitted, sex told from the released effect.

Each beside the same with the cohort's own moments without noise, and beside the public reference alone, which knows no
modes. Errors are root mean squares a coordinate in mm, over people who had no part in anything.
"""

from dataclasses import dataclass

import numpy as np

from benchmarks import model_people
from shapedp.privacy import noise
from shapedp.privacy.statistic import Rows
from shapedp.releases.model.model_mechanism import FaceModel

LEFT = 0.02  # mean square of a person that the modes leave, as a share of what they hold: the ridge of a fit


@dataclass(frozen=True)
class Linear:
    """mean (d,), modes (k, d) with sd (k,), effect (d,) of sex."""

    mean: np.ndarray
    modes: np.ndarray
    sd: np.ndarray
    effect: np.ndarray

    def fitted(self, faces, seen):
        """(n, d) faces from their coordinates `seen` (d,): the likeliest weights, normal with these sd."""
        if not len(self.sd):
            return np.tile(self.mean, (len(faces), 1))
        basis = self.modes * self.sd[:, None]
        ridge = LEFT * np.mean(np.sum(basis**2, axis=0))
        gram = basis[:, seen] @ basis[:, seen].T + ridge * np.eye(len(basis))
        return self.mean + np.linalg.solve(gram, basis[:, seen] @ (faces - self.mean)[:, seen].T).T @ basis

    def sexes(self, faces):
        """(n,) signs, by Fisher's direction among the modes."""
        lengths = np.sum(self.modes**2, axis=1)
        weights = self.modes @ self.effect / lengths / self.sd**2
        return np.sign((faces - self.mean) @ (self.modes.T / lengths) @ weights)


def released(made, curves, a, source):
    """Linear of one draw; every mode that was asked for and has a length."""
    sums = made.sums(Rows(len(curves), lambda start, stop: curves[start:stop].astype(float), a)).values
    fields = made.fields(*made.draw(sums, source))
    kept = fields["sd"] > 0
    modes = fields["modes"][kept].reshape(kept.sum(), made.center.size).astype(float)
    return Linear(fields["curves"].ravel(), modes, fields["sd"][kept], fields["effects"][1].ravel())


def own(curves, a, count):
    """Linear of the cohort without noise and without the public axes."""
    x = curves.reshape(len(curves), -1).astype(float)
    z = np.column_stack([np.ones(len(x)), a])
    points = x.shape[1] / 3
    values, vectors = np.linalg.eigh((x - x.mean(axis=0)) @ (x - x.mean(axis=0)).T / len(x))
    modes = ((x - x.mean(axis=0)).T @ vectors[:, ::-1][:, :count]).T
    modes *= np.sqrt(points) / np.linalg.norm(modes, axis=1, keepdims=True)
    sd = np.sqrt(np.maximum(values[::-1][:count], 0) / points)
    return Linear(x.mean(axis=0), modes, sd, np.linalg.solve(z.T @ z, z.T @ x)[1])


def rows(variation, drawn, held, sizes, mus, modes, runs, scale):
    """Rows of the bench; held : (curves, covariates) of people who had no part."""
    faces = held[0].reshape(len(held[0]), -1)
    seen = np.broadcast_to(variation.center[:, :1] < 0, variation.center.shape).ravel()
    reference = Linear(variation.center.ravel(), np.zeros((0, faces.shape[1])), np.zeros(0), np.zeros(faces.shape[1]))
    yield from _measured("downstream_reference", [reference], faces, seen, held[1][:, 0], scale)
    for n in sizes:
        cohort, a = drawn.curves[:n], drawn.coded[:n, :1]
        yield from _measured(f"downstream_n{n}_own", [own(cohort, a, modes)], faces, seen, held[1][:, 0], scale)
        for mu in mus:
            made = FaceModel.from_variation(variation, n, mu, model_people.COVARIATES[:1], modes)
            models = [released(made, cohort, a, noise.SeededNoise(seed)) for seed in range(runs)]
            yield from _measured(f"downstream_n{n}_mu{mu:g}", models, faces, seen, held[1][:, 0], scale)


def _measured(case, models, faces, seen, sex, scale):
    halves = [scale * np.sqrt(np.mean((one.fitted(faces, seen) - faces)[:, ~seen] ** 2)) for one in models]
    whole = [scale * np.sqrt(np.mean((one.fitted(faces, seen | True) - faces) ** 2)) for one in models]
    yield case, "half_face_completed", np.mean(halves), "mm"
    yield case, "face_fitted", np.mean(whole), "mm"
    if case != "downstream_reference":  # which knows of no sexes
        yield case, "sex_told", np.mean([np.mean(one.sexes(faces) == sex) for one in models]), "share"
