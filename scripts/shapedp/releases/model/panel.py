"""A size panel: a few faces or shapes to which each person is near, with the share of people that each serves.

People lie in a plane: that of the two widest modes, or of two measures such as face width and face height, as NIOSH's
panel for respirators has it (Zhuang, Bradtmiller and Shaffer 2007). The places of a panel make the mean squared
distance from a person to the nearest least (Lloyd 1982), for people who are normally distributed in the plane; by
symmetry five of them are a medium one and four about it. A form is the mean of people at its place: along the modes,
whose standard deviations are released, as regression on the plane says.
"""

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from shapedp.base.errors import ConfigError
from shapedp.releases.model import norms
from shapedp.releases.model.at_landmarks import AtLandmarks
from shapedp.releases.model.released_model import Released

Floats = NDArray[np.float64]
FEWEST, MOST = 2, 12
# Quantiles of the plane along each axis, that stand for all people.
GRID = 60
# Of Lloyd's iteration, at most; it stops where places no longer move.
TURNS = 200


@dataclass(frozen=True)
class Form:
    """name; place (2,) in standard deviations along the two directions of the plane; share : of people it serves;
    curves (J, d, m) : the form, in the model's lengths
    """

    name: str
    place: Floats
    share: float
    curves: Floats


def place_sizes(sizes: int, shares: Floats) -> tuple[Floats, Floats]:
    """Return (places (s, 2), shares (s,)): where forms lie best so that each person is near one, and whom each serves.

    People have standard deviations `shares` along two axes.

    Parameters
    ----------
    sizes : int
        How many.
    shares : (2,) array
        Standard deviations of people along the axes of the plane.
    """
    if not FEWEST <= sizes <= MOST:
        raise ConfigError(f"sizes: {sizes}; a panel has {FEWEST} to {MOST}")
    quantiles = scipy.special.ndtri((np.arange(GRID) + 0.5) / GRID)
    people = np.array(np.meshgrid(*(quantiles * sd for sd in shares), indexing="ij")).reshape(2, -1).T
    around = sizes - 1 if sizes > 4 else sizes
    turn = 2 * np.pi * np.arange(around) / around
    places = np.column_stack([np.cos(turn), np.sin(turn)]) * 1.2 * shares
    if sizes > 4:
        places = np.concatenate([np.zeros((1, 2)), places])
    elif sizes == 2 or sizes == 3:
        # So few lie along the wider axis.
        places = np.column_stack([np.linspace(-1, 1, sizes) * shares[0], np.zeros(sizes)])
    nearest = np.zeros(len(people), dtype=int)
    for _ in range(TURNS):
        nearest = np.argmin(np.sum((people[:, None] - places) ** 2, axis=2), axis=1)
        moved = np.array([people[nearest == at].mean(axis=0) for at in range(sizes)])
        if np.allclose(moved, places, rtol=0, atol=1e-9 * max(shares)):
            break
        places = moved
    return places, np.bincount(nearest, minlength=sizes) / len(people)


def make_panel(
    model: Released, sizes: int = 5, by: tuple[str, str] | None = None, known: AtLandmarks | None = None
) -> list[Form]:
    """Return the forms of a size panel, for who makes things such as masks in a few sizes; the most central first.

    Parameters
    ----------
    model : Released
        A model of faces or of landmarks, with two modes at least.
    sizes : int
        How many forms.
    by : (str, str), optional
        Two measures that make the plane, as `measures.csv` names them; the two widest modes without.
    known : AtLandmarks, optional
        What lies beside the model; `by` takes it.
    """
    count = max(model.shown, 2)
    if len(model.modes) < 2:
        raise ConfigError("panel: the model holds one mode, and a panel takes two; release it with more `modes`")
    sd = model.sd[:count]
    mode_curves = sd[:, None, None, None] * model.modes[:count]
    if by is None:
        spread, loadings = np.diag(sd[:2] ** 2), np.diag(sd)[:2]
    else:
        spread, loadings = _find_plane_of_measures(model, by, known, mode_curves)
    values, vectors = np.linalg.eigh(spread)
    order = np.argsort(-values)
    widths, axes = np.sqrt(np.maximum(values[order], 0.0)), vectors[:, order]
    # Signs of eigenvectors are open: a form that is larger in both measures lies at the positive end.
    axes = axes * np.where(axes.sum(axis=0) < 0, -1.0, 1.0)
    places, shares = place_sizes(sizes, widths)
    # (2, modes) standard deviations of each mode for a unit in the plane.
    regression = np.linalg.pinv(spread) @ loadings
    forms = []
    for index in np.argsort(np.sum((places / widths) ** 2, axis=1).round(6), kind="stable"):
        weights = (axes @ places[index]) @ regression
        curves = model.mean + np.tensordot(weights, mode_curves, axes=1)
        name = _name_form(axes @ places[index], np.sqrt(np.diag(spread)), by)
        forms.append(Form(name, places[index] / widths, float(shares[index]), curves))
    return _number_names(forms)


def _find_plane_of_measures(model, by, known, moved):
    """Return how people and modes lie in the plane of two measures, in which `make_panel` places its forms.

    It is the covariance (2, 2) of people's measures, and (2, k) what a standard deviation of each mode adds to them.
    """
    if known is None:
        raise ConfigError(
            "--by: the release does not say where its landmarks are, since an older shapedp made it; leave --by "
            "out to lay the panel in the plane of the two widest modes"
        )
    measures = known.measures
    names = [name.replace(" ", "_") for name in measures.names]
    if unknown := [measure_name for measure_name in by if measure_name not in names]:
        raise ConfigError(f"--by: no measure '{unknown[0]}'; the release has {', '.join(names)}")
    rows = measures.in_landmarks(model.mean)[[names.index(measure_name) for measure_name in by]]
    estimator = norms.AlongAxes(model, known, model.average, of_everybody=True)
    (a, b, both), _ = estimator.people(np.stack([*rows, rows[0] + rows[1]]))
    covariance = np.array([[a, (both - a - b) / 2], [(both - a - b) / 2, b]])
    # Each of the three is estimated by itself, so that together they might be no covariance.
    limit = 0.99 * np.sqrt(a * b)
    covariance[0, 1] = covariance[1, 0] = float(np.clip(covariance[0, 1], -limit, limit))
    points = np.einsum("ljm,kjcm->klc", known.weights, moved)
    return covariance, np.einsum("rlc,klc->rk", rows, points)


def _name_form(away, spread, by):
    """Return a form's name in words, such as for a file, by how far it lies along the two measures or modes.

    It lies so many of their standard deviations away.
    """
    first, second = away / spread
    if max(abs(first), abs(second)) < 0.3:
        return "medium"
    if by is None:
        mode = int(abs(second) > abs(first))
        return f"mode_{mode + 1}_{'plus' if (first, second)[mode] > 0 else 'minus'}"
    words = [
        f"{'large' if distance > 0 else 'small'}_{name}" for distance, name in zip((first, second), by, strict=True)
    ]
    if abs(first) < 0.3 or abs(second) < 0.3:
        return words[int(abs(second) > abs(first))]
    if (first > 0) == (second > 0):
        return "large" if first > 0 else "small"
    return "_".join(words)


def _number_names(forms):
    """Return the forms with a number behind names that several have, so that each file gets its own."""
    names = [form.name for form in forms]
    renamed = []
    for index, form in enumerate(forms):
        number = names[: index + 1].count(form.name)
        name = form.name if names.count(form.name) == 1 else f"{form.name}_{number}"
        renamed.append(Form(name, form.place, form.share, form.curves))
    return renamed
