"""People of a face model with planted effects of sex, age and body size: curves in perfect correspondence.

weights of a person = N(0, I) + sex 1.2 d_1 + age .8 d_2 + size .8 d_3, d random directions among the first 30 modes;
sex -1 or 1, half and half; age and size normal with sd .4, kept within [-1, 1]. Where age is curved, ages fill [-1, 1]
evenly and 2 age^2 - 1, what `age_squared` is coded as, stands in the place of size.
"""

from dataclasses import dataclass

import numpy as np

from shapedp.privacy.learned import face_learning
from shapedp.privacy.learned.face_variation import Variation
from shapedp.releases.model.covariates import Covariate

PLANTED = {"sex": 1.2, "age": 0.8, "size": 0.8}
COVARIATES = (
    Covariate("sex", -1.0, 1.0, ("f", "m")),
    Covariate("age", -1.0, 1.0, mean=0.0, sd=0.4),
    Covariate("size", -1.0, 1.0, mean=0.0, sd=0.4),
)
CURVED = (COVARIATES[0], Covariate("age", -1.0, 1.0), Covariate("age_squared", 0.0, 1.0))
AMONG, SEED = 30, 17


@dataclass(frozen=True)
class Plan:
    """A population (corresponding_faces.Model) with directions (3, k) of the planted effects."""

    model: object
    directions: np.ndarray

    def draw(self, count, seed, curved=False):
        """(curves (count, J, 3, m), covariates (count, 3))."""
        rng = np.random.default_rng(seed)
        a = covariates(rng, count, curved)
        return self.faces(rng.standard_normal((count, self.directions.shape[1])), a), a

    def faces(self, own, a):
        """Curves of people with weights `own` (count, k) beside their covariates a (count, 3)."""
        return self.model.curves(own + a @ self.directions)


def covariates(rng, count, curved=False):
    """(count, 3) sex, age, size; or sex, age and its square as coded."""
    sex = np.where(rng.random(count) < 0.5, 1.0, -1.0)
    if curved:
        age = rng.uniform(-1, 1, count)
        return np.column_stack([sex, age, 2 * age**2 - 1])
    return np.column_stack([sex, np.clip(rng.normal(0, 0.4, (count, 2)), -1, 1)])


def plan(model):
    """The Plan on a population."""
    rng, k = np.random.default_rng(SEED), len(model.modes)
    found = rng.standard_normal((3, k)) * (np.arange(k) < AMONG)
    found *= (np.array(list(PLANTED.values())) / np.linalg.norm(found, axis=1))[:, None]
    return Plan(model, found)


def learned(people, template, modes, harmonics):
    """The Variation of public people."""
    found = face_learning.learn(lambda start, stop: people[start:stop], len(people), template, modes, harmonics)
    guesses = {"quantile": 0.95, "assumed_mean_shift": 0.35, "assumed_shift_outside_modes": 1.2}
    return Variation(center=template, **vars(found), **guesses, source="bench", public=True)
