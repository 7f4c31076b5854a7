"""Pure noise without rounding: real numbers enclosed in balls, and a draw that is the rounding of one of them for sure.

A uniform number is known by its first bits, and Arb encloses what is computed from the balls of all numbers that begin
so (Johansson: Arb, IEEE Trans. Computers 66, 2017). Where it is not certain to which whole number a result is rounded,
or whether a proposal is accepted, every uniform of the draw gets 64 bits more. So a draw has exactly the law of the
rounded real one, and how long it takes depends on the noise alone, never on the data.

Proofs: docs/mathematics.md, (4.4) and (4.5).
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from flint import acb, arb, ctx, fmpq
from numpy.typing import NDArray

# Bits by which uniforms grow.
WORD = 64
# Bits of the working precision beyond those of the uniforms.
SPARE = 64
# A point of CP^m is rounded to multiples of 2^-FINE.
FINE = 40

Words = Callable[[int], list[int]]


class Uniforms:
    """Numbers on [0, 1] of which as many bits are drawn as are needed; words(count) draws that many words of bits."""

    def __init__(self, words: Words, count: int):
        self._words, self._whole, self.bits = words, [0] * count, 0
        self.refine()

    def refine(self) -> None:
        """Draw WORD further bits of each."""
        self._whole = [(old << WORD) | new for old, new in zip(self._whole, self._words(len(self._whole)), strict=True)]
        self.bits += WORD

    def balls(self) -> list[arb]:
        """Return each number as the ball of all numbers with these first bits."""
        return [arb((2 * whole + 1, -self.bits - 1), (1, -self.bits - 1)) for whole in self._whole]


def k_norm(values: list[int], scale: Fraction, words: Words) -> list[int]:
    """Return whole numbers with exact K-norm noise, round(Y) of density exp(-|y|/scale), for epsilon-DP releases.

    Parameters
    ----------
    values : list of int
        Exact sums.
    scale : Fraction
        Of the noise, in their unit.
    words : callable
        count -> that many words of 64 random bits.
    """
    count = len(values)
    uniforms = Uniforms(words, count + 2 * -(-count // 2))

    def round_draw(balls):
        """Return the noise rounded to whole numbers, from balls of uniforms; None where these do not settle it yet."""
        normals = _normals(balls[count:])[:count]
        radius = arb(fmpq(scale.numerator, scale.denominator)) * -math.prod(balls[:count]).log()
        length = radius / sum(normal * normal for normal in normals).sqrt()
        return _round_for_sure([length * normal for normal in normals])

    noise = _decide(round_draw, uniforms)
    return [int(value) + step for value, step in zip(values, noise, strict=True)]


def projective_laplace(
    mean: NDArray[np.complex128], facing: NDArray[np.complex128], sigma: float, centered: bool, words: Words
) -> NDArray[np.complex128]:
    """Draw a point (p,) of the Laplace law on CP^(p-1), exactly, on the grid of 2^-FINE: a pure release's mean shape.

    Parameters
    ----------
    mean : (p,) complex
        Spans the one-dimensional space about which the law lies.
    facing : (p,) complex
        A public point; of the vectors that stand for the point drawn, the unit one is returned whose inner product with
        it is real and positive, so that the mean's own phase shows nowhere.
    sigma : float
        Scale of the law.
    centered : bool
        Whether points are vectors with sum 0, as planar shapes are; of `mean` its centered part is taken.
    words : callable
        count -> that many words of 64 random bits.
    """
    proposal = _Radius(len(mean) - 1 - centered, sigma)

    def in_space(vector):
        return vector - vector.sum() / len(vector) if centered else vector

    def round_draw(balls):
        """Return the point's coordinates rounded to the grid, from balls of uniforms; None where these do not tell."""
        radius, normals = proposal.radius(balls), _normals(balls[proposal.count :])
        c, p0 = (in_space(_vector(base.real.tolist(), base.imag.tolist())) for base in (mean, facing))
        c = c / _norm(c)
        v = in_space(_vector(normals[::2], normals[1::2]))
        v = v - c * _inner(c, v)
        point = c * radius.cos() + v * (radius.sin() / _norm(v))
        phase = _inner(p0, point)
        point = point * (phase.conjugate() / abs(phase))
        return _round_for_sure([part * arb((1, FINE)) for number in point for part in (number.real, number.imag)])

    while True:
        uniforms = Uniforms(words, proposal.count + 2 * len(mean))
        if _decide(proposal.is_accepted, uniforms):
            steps = np.array(_decide(round_draw, uniforms), dtype=float) * 2.0**-FINE
            return steps[::2] + 1j * steps[1::2]


class _Radius:
    """Proposals of a radius t, and whether one is accepted, for the density of (4.5).

    They are Gamma(2m, rate) for the density exp(-t/sigma) sin(t)^(2m-1) cos(t) on [0, pi/2].

    slope : a double near that of a tangent of log((sin(t)/t)^(2m-1) cos(t)); top : one above its largest difference
    """

    def __init__(self, m: int, sigma: float):
        self.shape, self._sigma = 2 * m, sigma
        self.count = self.shape + 1
        # The start is about the density's mode; any number between gives the same law.
        start, high = 1e-9, np.pi / 2 - 1e-9
        for _ in range(60):
            middle = (start + high) / 2
            rising = (self.shape - 1) / np.tan(middle) - np.tan(middle) > 1 / sigma
            start, high = (middle, high) if rising else (start, middle)
        with ctx.workprec(WORD + SPARE):
            t = arb(start)
            tangent = (self.shape - 1) * (t.cot() - 1 / t) - t.tan()
            self.slope = float(tangent.mid())
            # The log is concave: its tangent lies above it, and the slope as a double differs from the tangent's by
            # what is added.
            largest = self._log(t) - tangent * start + abs(tangent - self.slope) * arb.pi() / 2
            self.top = float(largest.upper()) + 2.0**-30

    def radius(self, balls: list[arb]) -> arb:
        """Return a radius t of the proposals' Gamma law, from the first uniform numbers."""
        return -math.prod(balls[: self.shape]).log() / (1 / arb(self._sigma) - self.slope)

    def is_accepted(self, balls: list[arb]) -> bool | None:
        """Tell whether a proposed radius is taken, surely; None where more bits must be drawn to tell."""
        t = self.radius(balls)
        if t > arb.pi() / 2:
            return False
        if not t < arb.pi() / 2:
            return None
        chance, uniform = (self._log(t) - self.slope * t - self.top).exp(), balls[-1]
        return True if uniform < chance else False if uniform > chance else None

    def _log(self, t):
        """Return the log of (sin(t)/t)^(2m-1) cos(t), which the proposals leave of the density."""
        return (self.shape - 1) * (t.sin() / t).log() + t.cos().log()


def _decide(answer_from: Callable, uniforms: Uniforms):
    """Return what `answer_from` says once it is sure, drawing ever more bits until then: this makes draws exact."""
    while True:
        with ctx.workprec(uniforms.bits + SPARE):
            answer = answer_from(uniforms.balls())
        if answer is not None:
            return answer
        # the bits that are drawn stay: more of them enclose the same numbers more closely
        uniforms.refine()


def _round_for_sure(balls: list[arb]) -> list[int] | None:
    """Return the whole numbers nearest to enclosed reals, to draw exactly; None where more bits are needed for that."""
    half, whole_numbers = arb((1, -1)), []
    for ball in balls:
        whole = (ball + half).floor().unique_fmpz()
        if whole is None:
            return None
        whole_numbers.append(int(whole))
    return whole_numbers


def _normals(balls: list[arb]) -> list[arb]:
    """Return two independent normal numbers, as balls, from each two uniforms: the direction of a draw (Box, Muller
    1958).
    """
    normals = []
    for first, second in zip(balls[::2], balls[1::2], strict=True):
        length = (-2 * first.log()).sqrt()
        sine, cosine = (2 * second).sin_cos_pi()
        normals += [length * sine, length * cosine]
    return normals


def _vector(real, imaginary):
    """Return an array of complex balls, with which numpy counts as with numbers."""
    return np.array([acb(x, y) for x, y in zip(real, imaginary, strict=True)], dtype=object)


def _norm(vector: NDArray) -> arb:
    """Return the length of a vector of complex balls."""
    return sum(entry.real * entry.real + entry.imag * entry.imag for entry in vector).sqrt()


def _inner(first: NDArray, second: NDArray) -> acb:
    """Return the inner product of two vectors of complex balls, conjugate-linear in the first."""
    return np.conj(first) @ second
