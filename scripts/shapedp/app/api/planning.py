"""How accurate a release will be, from public numbers alone; and whether mechanisms keep what they claim."""

from collections.abc import Iterator, Sequence
from typing import Any

from shapedp.app.forecast import predictions
from shapedp.base.errors import ConfigError
from shapedp.base.settings import read_default
from shapedp.privacy.curves import bounds
from shapedp.privacy.learned.face_variation import Variation
from shapedp.releases.forecasting import find_least

Known = Variation | Sequence[float]
# mm: the square root of the built-in template's area, by which lengths of unit-area faces become mm.
ROOT_AREA = 144.3


def plan(
    n: int,
    mu: float,
    known: Known,
    spread: float = 0.0,
    size: float = ROOT_AREA,
    curves: int | None = None,
    samples: int | None = None,
    mechanism: str = "matched_joint",
) -> float:
    """Return how far a mean of n faces will err, in mm at a point, to decide on n and mu before anybody is scanned.

    It is the root mean square of the noise, and of the chance in who takes part.

    Parameters
    ----------
    n : int
        People.
    mu : float
        Of Gaussian differential privacy.
    known : Variation, or (3,) sequence of float
        Either how public people vary, by `learn_variation`, or three bounds on a curve's x, y, z about the template, in
        square roots of the face's area. The first gives the error of `shaped`, with the chance in who takes part if
        people are like the public ones; the second gives the error of `mechanism`.
    spread : float
        Root mean square distance of people's points from their mean, in mm (0: the noise alone); used with bounds
        alone.
    size : float
        Square root of a face's area, in mm, by default the built-in template's; of another template its
        `surface.scale`.
    curves, samples : int
        Curves of a face and points of a curve, by default as the settings have them.
    mechanism : str
        What releases the mean, where `known` is three bounds.

    Examples
    --------
    >>> import shapedp
    >>> bool(shapedp.plan(1000, 1.0, (0.022, 0.038, 0.032)) < shapedp.plan(100, 1.0, (0.022, 0.038, 0.032)))
    True
    """
    predictions.refuse_nonpositive(n=n, mu=mu, size=size)
    if isinstance(known, Variation):
        prediction = predictions.predict(known, n, mu, size)
        return float((prediction.error**2 + (prediction.sampling or 0.0) ** 2) ** 0.5)
    return predictions.predict_error(_noise_constant(mechanism, curves, samples, known, size), n, mu, spread)


def people_needed(
    mu: float,
    known: Known,
    target: float,
    spread: float = 0.0,
    size: float = ROOT_AREA,
    curves: int | None = None,
    samples: int | None = None,
    mechanism: str = "matched_joint",
) -> int:
    """Return how many faces a mean takes to err by at most `target` mm, by `plan`: the least number.

    Parameters
    ----------
    mu : float
        Of Gaussian differential privacy.
    known : Variation, or (3,) sequence of float
        As `plan` takes it.
    target : float
        Root mean square error at a point, in mm.
    spread, size, curves, samples, mechanism
        As `plan` takes them.
    """
    predictions.refuse_nonpositive(mu=mu, target=target, size=size)
    if not isinstance(known, Variation):
        strength = _noise_constant(mechanism, curves, samples, known, size)
        return predictions.people_needed(strength, mu, target, spread)
    most = predictions.MOST_PEOPLE
    number = find_least(1, most, lambda n: plan(n, mu, known, size=size) <= target)
    if number is None:
        raise ConfigError(f"no number of people up to {most:,} brings the error to {target:g} mm at mu = {mu:g}")
    return number


def audit_mechanisms(draws: int = 20_000, seed: int | None = None) -> Iterator[dict[str, Any]]:
    """Attack every mechanism on its worst neighbours, and yield a row for each case: its claim and a lower bound.

    `shapedp.audit_mechanisms()` takes minutes with the default number of draws, and with few draws the first row alone
    takes a minute or two. In each row `verdict` should be `expected`.

    Parameters
    ----------
    draws : int
        Noised answers of each of the two neighbours.
    seed : int
        Of the noise, so that an audit can be repeated; None draws it as a release does.
    """
    # Late: the audit loads every mechanism, which planning does without.
    from shapedp.audit import cases
    from shapedp.privacy import noise

    for case in cases.run_cases(noise.make_source(seed), draws, draws):
        row = {"case": case.name, "claim": case.claim, "found": case.lower_bound}
        yield row | {"verdict": case.verdict, "expected": case.expected}


def _noise_constant(mechanism, curves, samples, tau, size):
    """Return the noise of a mechanism with bounds, in mm, times n and mu: `plan` divides it by these."""
    usual = read_default("faces.curves")
    shape = (curves or usual["count"], 3, samples or usual["samples"])
    limits = bounds.from_numbers(tau, shape[0])
    return size * predictions.noise_constant(mechanism, shape, limits, None, read_default("faces.kernel"))
