"""Sex and age of demo people, told from their faces: what a sample sheet would say of them.

What a weight does to a face is a trait; a sum of traits decides the sex, another the age, so that both have effects.
"""

import math

from shapedp.demo import faces

NAMES = ("sex", "age")
MALE = ("brow ridge", "jaw width", "nose protrusion", "face height")  # m where their weights add up to more than 0
OLDER = {"nose length": 1, "jaw length": 1, "full lips": -1, "full cheeks": -1}
YOUNGEST, OLDEST = 18, 80


def of(weights):
    """{name: cell} of a person with these weights, in units of their standard deviations."""
    weight = dict(zip(faces.names(), weights, strict=True))
    older = sum(sign * weight[name] for name, sign in OLDER.items()) / math.sqrt(len(OLDER))
    share = (1 + math.erf(older / math.sqrt(2))) / 2
    return {
        "sex": "m" if sum(weight[name] for name in MALE) > 0 else "f",
        "age": str(round(YOUNGEST + (OLDEST - YOUNGEST) * share)),
    }
