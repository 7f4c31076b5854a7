"""Draw people from one of three populations: the public one, the demo's, which is another, and one made from formulas.

built_in : part of the packed model of real people: what templates, bounds and public reference sets are made of
demo : all of that model, its mean moved, its spread larger, its sex and age other: a cohort that no public set is like
formula : a drawing in the place of a person, unlike both; nobody was measured
"""

import math
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from shapedp.surfaces.human_face import real_faces
from shapedp.surfaces.human_face.demo import faces

# In years, drawn uniformly.
YOUNGEST, OLDEST = 18.0, 80.0
# Standard deviations; beyond it a face would look like nobody.
FARTHEST = 3.0
# Standard deviations by which a weight differs from one visit to the next, beside what the years do.
VISIT = 0.05


@dataclass(frozen=True)
class Person:
    """weights (k,) of the face as it is at this age (years); sex: f | m"""

    weights: np.ndarray
    sex: str
    age: float

    def cells(self):
        """Return {column: text}, what a sample sheet says of the person."""
        return {"sex": self.sex, "age": str(round(self.age))}


@dataclass(frozen=True)
class Real:
    """Packed people: weights = shift + spread z + sex (+ m, - f) + age (age - 49) / 18, |z| <= 3; effects planted."""

    modes: int
    shift: np.ndarray
    spread: float
    sex: np.ndarray
    age: np.ndarray

    def person(self, rng):
        """Return a random Person of this population: weights of the public face model, shifted by sex and age."""
        z = rng.standard_normal(self.modes)
        while np.any(far := np.abs(z) > FARTHEST):
            z[far] = rng.standard_normal(np.count_nonzero(far))
        male, age = bool(rng.random() < 0.5), rng.uniform(YOUNGEST, OLDEST)
        weights = self.shift + self.spread * z + (self.sex if male else -self.sex)
        return Person(weights + self.age * ((age - _MIDDLE) / _YEARS), "m" if male else "f", age)

    def later(self, person, years, rng):
        """Return a Person as they are at another visit, so many years later: older, and a little otherwise by
        chance.
        """
        later_weights = person.weights + self.age * years / _YEARS + VISIT * rng.standard_normal(self.modes)
        return replace(person, weights=later_weights, age=person.age + years)

    def vertices(self, person):
        """Return a person's face, (n, 3) in mm."""
        return real_faces.face(person.weights)

    triangles = property(lambda _: real_faces.triangles())  # (t, 3) of every face
    nose_tip = property(lambda _: real_faces.nose_tip())  # the number of a vertex


class Formula:
    """People of the formula, told like `Real`; sex and age follow from the face."""

    nose_tip = faces.NOSE_TIP
    triangles = property(lambda _: faces.triangles())

    def person(self, rng):
        """Return a random Person of the formula, whose sex and age follow from the face."""
        weights = faces.random_weights(rng)
        covariates = find_covariates(weights)
        return Person(weights, covariates["sex"], float(covariates["age"]))

    def vertices(self, person):
        """Return a person's face, (n, 3) in mm."""
        return faces.face(person.weights)


# The mean and the standard deviation of the age.
_MIDDLE, _YEARS = (YOUNGEST + OLDEST) / 2, (OLDEST - YOUNGEST) / np.sqrt(12)


def _direction(seed, count, millimetres):
    """Return weights (count,) of a fixed difference between drawn people, such as by sex or age, so many mm from the
    mean.

    The difference is root mean square, and in shape rather than in size.
    """
    weights = np.random.default_rng(seed).standard_normal(count)
    # The first mode is hardly more than the size of the head.
    weights[0] = 0
    modes = real_faces.modes()[:count]
    displacement = np.einsum("k,knd->nd", weights, modes)
    return weights * (millimetres / np.sqrt((displacement**2).sum(axis=1).mean()))


@cache
def named(word):
    """Return the population of drawn people that a setting or seed names: built_in, demo or formula."""
    match word:
        case "built_in":
            return Real(48, np.zeros(48), 1.0, _direction(1, 48, 1.0), _direction(2, 48, 0.8))
        case "demo":
            return Real(64, _direction(5, 64, 2.0), 1.15, _direction(3, 64, 1.2), _direction(4, 64, 1.0))
        case "formula":
            return Formula()
    raise KeyError(word)


# These people are m where the weights add up to more than 0.
MALE = ("brow ridge", "jaw width", "nose protrusion", "face height")
OLDER = {"nose length": 1, "jaw length": 1, "full lips": -1, "full cheeks": -1}


def find_covariates(weights):
    """Return {name: cell}, sex and age of a person of the formula, so made that both have effects to be released and
    tested.

    Sums of the person's weights (k,) decide them.
    """
    weight = dict(zip(faces.names(), weights, strict=True))
    older = sum(sign * weight[name] for name, sign in OLDER.items()) / math.sqrt(len(OLDER))
    share = (1 + math.erf(older / math.sqrt(2))) / 2
    return {
        "sex": "m" if sum(weight[name] for name in MALE) > 0 else "f",
        "age": str(round(YOUNGEST + (OLDEST - YOUNGEST) * share)),
    }
