"""What a private second moment of the cohort would gain over the public one, in the `shaped` release of a mean face.

A third stage would release M3 = sum of v v', v the first q' coordinates of people, clipped to tau, with symmetric
Gaussian noise for mu_3, and shape the axes and the clip by it: mathematics.md, (11.6). Here it is simulated in the
coordinates of scanned faces: `built`, the release as it is; `known`, the second moment of these very people, which
nobody is told and which costs nothing; `reshaped`, M3 with the best of SHARES of the budget and of LEADING
coordinates, chosen in hindsight. For both of the latter the clip is the quantile of these people's own lengths, again
for nothing. Errors are rms mm over the points, noise and bias together; n beyond the cohort are the same people again.
"""

import itertools
from dataclasses import dataclass

import numpy as np

from benchmarks import bench_shaped, chained_faces
from shapedp.privacy.curves import learned
from shapedp.privacy.learned import clips, face_variation

POPULATIONS = ("ict", "demo")
SEEDS = "n of arrays"
MU = bench_shaped.MU
SHARES, LEADING = (0.05, 0.2), (10, 40)
DRAWS = 4  # of the first answer and of M3
LOADED = 0.03  # of the diagonal, added to a second moment of few people


@dataclass(frozen=True)
class Size:
    """shape : (J, m) of the curves; n : of the cohort; public : people; of : the n that are simulated."""

    shape: tuple
    n: int
    public: int
    of: tuple


FULL = Size((64, 240), 120, 150, (120, 1000, 10_000))
FEW = bench_shaped.TINY
TINY = Size(FEW.shape, FEW.n, FEW.demo, (120,))  # people of that bench, who may be kept


def run(population, size):
    """Rows (case, measure, value, unit): public faces of the built-in model, and its template or the population's."""
    for name in dict.fromkeys((population, "demo")):
        frame = chained_faces.Frame.of(name, size.shape)
        cohort = frame.people(population, bench_shaped.COHORT, size.n)
        public = frame.people("demo", bench_shaped.DEMO, size.public)
        people = People.of(cohort, bench_shaped.variation_of(public, frame.curves), frame.scale)
        for n in size.of:
            for way, (error, noise) in people.ways(n).items():
                yield f"{name}_template_n{n}", f"error_mm_{way}", error, "mm"
                yield f"{name}_template_n{n}", f"noise_mm_{way}", noise, "mm"


@dataclass(frozen=True)
class People:
    """variation : learned; along (n, k) coordinates; outside : squared length of the mean beyond them; scale : mm"""

    variation: object
    along: np.ndarray
    outside: float
    scale: float

    @classmethod
    def of(cls, cohort, variation, scale):
        """From curves."""
        axes = np.concatenate([variation.modes, variation.harmonics]).reshape(-1, variation.center.size)
        away = (cohort - variation.center).reshape(len(cohort), -1)
        points = variation.center.size / 3
        along = away @ axes.T / points
        outside = np.sum(away.mean(axis=0) ** 2) / points - np.sum(along.mean(axis=0) ** 2)
        return cls(variation, along, max(outside, 0.0), scale)

    def ways(self, n):
        """{way: (error, noise) in mm}."""
        rng = np.random.default_rng(n)
        built = [self.settled(n, rng) for _ in range(DRAWS)]
        found = {"built": self.mean([self.as_built(n, one) for one in built])}
        found["known"] = self.mean([self.with_shape(n, one, known(self.x(one)), one.rest) for one in built])
        tried = []
        for share, leading in itertools.product(SHARES, LEADING):
            rest = np.sqrt(1 - share)
            shapes = [self.noised(n, one, np.sqrt(share) * one.rest, leading, rng) for one in built]
            tried.append(
                self.mean([self.with_shape(n, one, c, rest * one.rest) for one, c in zip(built, shapes, strict=True)])
            )
        return {**found, "reshaped": min(tried)}

    def settled(self, n, rng):
        """Settled by a draw of the first answer."""
        first, rest, chosen = learned.plan_stages(self.variation, n, MU)
        lengths = np.linalg.norm(self.along[:, chosen.axes] / chosen.moments**0.25, axis=1) / chosen.tau
        sd = 1 / (n * first)
        told = clips.SpreadAnswer(clips.score_lengths(lengths).mean() + sd * rng.standard_normal(), sd, chosen)
        return Settled(
            chosen,
            rest,
            chosen.tau * told.scale_from_lengths(face_variation.public_lengths(self.variation, chosen) / chosen.tau),
        )

    def x(self, one):
        """(n, k) of the chosen axes."""
        return self.along[:, one.plan.axes]

    def as_built(self, n, one):
        """(squared error, of which noise), in unit-area faces."""
        shape = np.diag(one.plan.moments)
        return self.released(n, one, shape, one.tau, one.rest, one.plan.filters)

    def with_shape(self, n, one, shape, mu):
        """The same with axes and clip by another second moment, the clip at these people's own quantile."""
        lengths = np.linalg.norm(self.x(one) @ power(shape, -0.25), axis=1)
        return self.released(n, one, shape, np.quantile(lengths, self.variation.quantile), mu, 1.0)

    def released(self, n, one, shape, tau, mu, filters):
        """Coordinates shape^(-1/4) x clipped to tau, with noise for mu, and back."""
        u, back = self.x(one) @ power(shape, -0.25), power(shape, 0.25)
        u *= np.minimum(1, tau / np.linalg.norm(u, axis=1))[:, None]
        missed = self.along.mean(axis=0)
        missed[one.plan.axes] -= filters * (u.mean(axis=0) @ back)
        noise = (2 * tau / (n * mu)) ** 2 * np.sum((np.reshape(filters, (-1, 1)) * back) ** 2)
        return np.sum(missed**2) + self.outside + noise, noise

    def noised(self, n, one, mu, leading, rng):
        """The second moment of x that a noised M3 tells: where it stands out of its noise; elsewhere the public one."""
        leads, root = np.argsort(-one.plan.moments)[:leading], np.sqrt(one.plan.moments)
        v = self.x(one) / np.sqrt(root)
        v = (v * np.minimum(1, one.tau / np.linalg.norm(v, axis=1))[:, None])[:, leads]
        sd = np.sqrt(2) * one.tau**2 / (n * mu)
        half = rng.standard_normal((len(leads), len(leads)))
        public = np.diag(root[leads])
        values, vectors = np.linalg.eigh(v.T @ v / len(v) + sd * (half + half.T) / 2 - public)
        values[np.abs(values) < sd * np.sqrt(2 * len(leads))] = 0.0  # the edge of the noise's own eigenvalues
        values, vectors = np.linalg.eigh(public + vectors * values @ vectors.T)
        made = vectors * np.maximum(values, LOADED * root[leads].min()) @ vectors.T
        shape, sides = np.diag(one.plan.moments), np.sqrt(root[leads])
        shape[np.ix_(leads, leads)] = sides[:, None] * made * sides
        return shape

    def mean(self, squares):
        """(error, noise) in mm from squares."""
        return tuple(self.scale * np.sqrt(np.mean(squares, axis=0)))


@dataclass(frozen=True)
class Settled:
    """chosen : ReleasePlan; rest : mu that the first answer left; tau : as it widened it"""

    plan: object
    rest: float
    tau: float


def known(x):
    """The second moment of these very people."""
    shape = x.T @ x / len(x)
    return shape + LOADED * np.diag(np.diag(shape))


def power(shape, exponent):
    """Of a positive definite matrix."""
    values, vectors = np.linalg.eigh(shape)
    return vectors * values**exponent @ vectors.T
