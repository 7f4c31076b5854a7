"""The two curves of a guarantee as inline SVG: what can be told apart, and the (epsilon, delta) it implies."""

from dataclasses import dataclass
from html import escape

import numpy as np
from scipy.special import ndtr, ndtri

from shapedp.mechanisms import conversions

WIDTH, HEIGHT = 420, 280
LEFT, RIGHT, TOP, BOTTOM = 62, 26, 14, 48
LEAST_DELTA = 1e-12  # what is drawn
POWERS = {-12: "10⁻¹²", -9: "10⁻⁹", -6: "10⁻⁶", -3: "10⁻³", 0: "1"}
TRADE_OFF_CAPTION = (
    "Someone who knows everybody else in the study tests whether your scan or another was used. No test can get below "
    "the curve; on the dashed line it is no better than a coin."
)


@dataclass(frozen=True)
class Axis:
    """One axis: its label, its ticks as (value, text), in the units of the plotted values."""

    label: str
    ticks: list

    def place(self, values, start, stop):
        """Where values lie between the pixels start and stop."""
        low, high = self.ticks[0][0], self.ticks[-1][0]
        return start + (np.asarray(values, dtype=float) - low) / (high - low) * (stop - start)


def chart(title, description, x_axis, y_axis, lines):
    """An SVG chart; lines : (x, y, class, label) each."""
    title_id = "chart-" + "-".join(title.lower().split())
    parts = [
        f'<svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" aria-labelledby="{title_id} {title_id}-words">',
        f'<title id="{title_id}">{escape(title)}</title><desc id="{title_id}-words">{escape(description)}</desc>',
        *_frame(x_axis, y_axis),
    ]
    for x, y, style, label in lines:
        px, py = x_axis.place(x, LEFT, WIDTH - RIGHT), y_axis.place(y, HEIGHT - BOTTOM, TOP)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(px, py, strict=True))
        middle = len(px) // 2
        parts.append(f'<polyline class="{style}" points="{points}"/>')
        parts.append(
            f'<text class="{style}-label" x="{px[middle] + 6:.1f}" y="{py[middle] - 6:.1f}">{escape(label)}</text>'
        )
    return "\n".join([*parts, "</svg>"])


def _frame(x_axis, y_axis):
    for value, text in x_axis.ticks:
        x = float(x_axis.place(value, LEFT, WIDTH - RIGHT))
        yield f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
        yield f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 16}" text-anchor="middle">{text}</text>'
    for value, text in y_axis.ticks:
        y = float(y_axis.place(value, HEIGHT - BOTTOM, TOP))
        yield f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
    center_x, center_y = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
    yield f'<text class="axis" x="{center_x}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x_axis.label)}</text>'
    yield (
        f'<text class="axis" x="14" y="{center_y}" text-anchor="middle" transform="rotate(-90 14 {center_y})">'
        f"{escape(y_axis.label)}</text>"
    )


def trade_off(mu=None, epsilon=None):
    """Smallest miss rate of any test for one person against its false alarm rate: mu-GDP or epsilon-DP."""
    alarm = np.linspace(0, 1, 201)
    if mu is not None:
        miss = ndtr(-ndtri(alarm) - mu)
    else:
        miss = np.maximum(0, np.maximum(1 - np.exp(epsilon) * alarm, np.exp(-epsilon) * (1 - alarm)))
    ticks = [(value, f"{value:.0%}") for value in (0, 0.25, 0.5, 0.75, 1)]
    strength = f"mu = {mu:.3g}" if mu is not None else f"epsilon = {epsilon:.3g}"
    return chart(
        "Could anyone tell that you took part?",
        f"Smallest rate of misses that any test can reach at each rate of false alarms, for {strength}; "
        "the diagonal is guessing.",
        Axis("false alarms (it was somebody else)", ticks),
        Axis("misses (it was you)", ticks),
        [(alarm, 1 - alarm, "guess", "guessing"), (alarm, miss, "curve", "best test")],
    )


def epsilon_delta(mu):
    """delta of mu-GDP against epsilon, on a logarithmic scale, down to 1e-12."""
    ticks = _ticks(conversions.gdp_epsilon(mu, LEAST_DELTA))
    epsilons = np.linspace(0, ticks[-1][0], 201)
    deltas = np.array([conversions.gdp_delta(mu, epsilon) for epsilon in epsilons])
    drawn = deltas >= LEAST_DELTA
    return chart(
        "The same guarantee as (epsilon, delta)",
        "For every epsilon, the smallest delta with which the release is (epsilon, delta)-differentially private.",
        Axis("epsilon", ticks),
        Axis("delta", list(POWERS.items())),
        [(epsilons[drawn], np.log10(deltas[drawn]), "curve", "")],
    )


def _ticks(top):
    """Ticks at round numbers from 0 to `top` or a little past it, six at most."""
    rough = max(top, LEAST_DELTA) / 5
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough)
    return [(step * at, f"{step * at:.3g}") for at in range(int(np.ceil(top / step)) + 1)]


def of_guarantee(guarantee):
    """(SVG, caption) of each chart that a statement's guarantee has; none where nothing is guaranteed."""
    if guarantee["kind"] == "none":
        return []
    if guarantee["kind"] == "pure":
        return [(trade_off(epsilon=guarantee["epsilon"]), TRADE_OFF_CAPTION)]
    return [
        (trade_off(mu=guarantee["mu"]), TRADE_OFF_CAPTION),
        (epsilon_delta(guarantee["mu"]), "The curve that is read as (epsilon, delta); lower is stronger."),
    ]
