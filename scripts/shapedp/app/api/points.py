"""Private means of points on a manifold: a sphere, positive definite matrices, Kendall's shapes, or one's own."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.errors import ConfigError
from shapedp.base.runs.logs import log
from shapedp.base.settings import checks
from shapedp.base.storage import foreign
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy import noise
from shapedp.privacy.manifolds.base import Manifold
from shapedp.privacy.points import PointMean, explain_no_point
from shapedp.releases import protocol, publishing
from shapedp.releases.kinds.point.release import FILE, MeanPoint, parts
from shapedp.releases.protocol import Evidence, People

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
SOURCES = {
    "settings": "how the budget and the other arguments were chosen, without looking at the points",
    "center": "where the center comes from",
    "radius": "what the radius is based on",
}


@dataclass(frozen=True)
class PrivateMean:
    """A released mean of points.

    * point : of the manifold, noise included
    * noise_sd : standard deviation of the noise on each coordinate in the tangent space at the center
    * statement : as statement.json has it
    * path : of the released file
    * rejected : {row: why} of points that count as the center; private
    """

    point: NDArray
    noise_sd: float
    statement: dict[str, Any]
    path: Path
    rejected: dict[int, str]

    @property
    def formally_private(self) -> bool:
        """Tell whether the guarantee holds, by the statement."""
        return self.statement["formally_private"] is True


def private_mean(
    manifold: Manifold,
    points: NDArray,
    radius: float,
    center: NDArray,
    budget: float | Mapping[str, float],
    *,
    population: str,
    cap: float | Mapping[str, float],
    ledger: PathLike | str,
    folder: PathLike | str,
    sources: Mapping[str, str],
) -> PrivateMean:
    """Release the mean of people's points, or return the stored release, for nothing, if it was made before.

    Whoever calls this declares that each point is another person's, and that no argument was chosen by looking at the
    points. A point outside the ball is moved to its rim; what is no point of the manifold counts as the center.

    Parameters
    ----------
    manifold : Manifold
        Of `shapedp.manifolds`, or an instance of an own subclass of its `Manifold`.
    points : array
        One point a person, each of manifold.point_shape; n, the number of points, is public.
    radius : float
        Public: of the ball about the center, in distances of the manifold, below its injectivity radius.
    center : array of manifold.point_shape
        A public point.
    budget : float or mapping
        mu, or {"mu_total": mu}.
    population : str
        Name of the people whose budget is spent.
    cap : float or mapping
        The most that may ever be spent on them: a total mu.
    ledger, folder : path
        Folder of the ledgers; folder of the release, whose name is the release's.
    sources : mapping
        In words: how `settings` were chosen, where `center` comes from, what `radius` is based on.

    Returns
    -------
    PrivateMean
        The mean with its noise, and its statement.
    """
    points, center = np.asarray(points), np.asarray(center)
    shape = tuple(manifold.point_shape)
    if points.dtype.kind not in "fiuc" or points.shape[1:] != shape or points.ndim != len(shape) + 1:
        raise ConfigError(
            f"points: found an array of shape {points.shape} of {points.dtype}; give numbers of shape (n, "
            f"{', '.join(map(str, shape))}). Nothing was spent"
        )
    mu = budget.get("mu_total") if isinstance(budget, Mapping) else budget
    # True is a number for Python, and no mu.
    if isinstance(mu, bool) or not isinstance(mu, int | float | np.number):
        raise ConfigError(f"budget: found {budget!r}; give mu as a number, or as mu_total. Nothing was spent")
    points, center = (array.astype(manifold.dtype, copy=False) for array in (points, center))
    mechanism = PointMean(manifold, center, float(radius), len(points), {"mu_total": float(mu)})
    mechanism.check()
    name = Path(folder).name
    if not NAME.fullmatch(name):
        raise ConfigError(f"folder: '{name}' cannot be a release's name; take letters, digits, - and _")
    privacy = _check_privacy(len(points), population, cap, ledger, sources)
    budget_ledger, release = Ledger(ledger), MeanPoint({"name": name, "reproduction": False}, {}, privacy, mechanism)
    # One point that is none must not stop the others; which it was is told in private.
    reasons = {row: reason for row, point in enumerate(points) if (reason := explain_no_point(manifold, point))}
    if reasons:
        log.warning("some points cannot be used, and count as the center; the attribute rejected lists them (private)")
    publishing.publish(budget_ledger, release, _make_people(budget_ledger.key(), points), noise.make_source(), folder)
    path = Path(folder) / FILE
    with artifacts.reader(path, artifacts.RELEASED_POINT) as source:
        fields = {key: source[key] for key in ("point", "point_imaginary", "noise_sd")}
    point = fields["point"] + 1j * fields["point_imaginary"] if np.iscomplexobj(center) else fields["point"]
    statement = foreign.parse_json((path.parent / "statement.json").read_bytes())
    return PrivateMean(point.reshape(shape), float(fields["noise_sd"]), statement, path, reasons)


def _make_people(key, points):
    """Return the points as a release and the ledger take them, each another person's."""
    real_and_imaginary = np.stack(parts(points), axis=1).reshape(len(points), 2, -1)
    records, marks = protocol.digest_records(key, lambda start, stop: real_and_imaginary[start:stop], len(points))
    return People(
        count=len(points),
        read=lambda start, stop: points[start:stop],
        n=len(points),
        records=records,
        marks=marks,
        evidence=Evidence(("points",), len(points), len(points), len(points), False),
    )


def _check_privacy(count, population, cap, ledger, sources):
    """Return the arguments on privacy as settings, checked as a settings file's are before anything is spent.

    Those of shapes stand in for those of points.
    """
    # A statement without these words would say nothing of why arguments are public.
    for key, words in SOURCES.items():
        if not isinstance(sources.get(key), str) or not sources[key].strip():
            raise ConfigError(f"sources: '{key}' is missing: say in your words {words}. Nothing was spent")
    run_settings = {
        "shapes": {"landmarks": "points", "center": "points", "radius": 0.1, "releases": []},
        "privacy": {
            "ledger": str(ledger),
            "population": {"shapes": population},
            "cap": {"shapes": dict(cap) if isinstance(cap, Mapping) else {"mu_total": cap}},
            "people": {"shapes": count},
            "tuned_on": "public",
            "sources": dict(sources),
        },
    }
    checked = checks.check(json.loads(json.dumps(run_settings)), "private_mean")["privacy"]
    return checked | {key: {"points": checked[key]["shapes"]} for key in ("population", "cap", "people")}
