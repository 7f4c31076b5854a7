"""Charts of pages, as SVG."""

from dataclasses import dataclass
from html import escape

import numpy as np

WIDTH, HEIGHT = 420, 280
LEFT, RIGHT, TOP, BOTTOM = 62, 26, 14, 48


@dataclass(frozen=True)
class Axis:
    """One axis: its label, its ticks as (value, text), in the units of the plotted values."""

    label: str
    ticks: list

    def place(self, values, start, stop):
        """Return where values on this axis are drawn, between two pixels.

        Parameters
        ----------
        values : array
            In the unit of the ticks.
        start, stop : float
            The pixels of the first and the last tick.
        """
        low, high = self.ticks[0][0], self.ticks[-1][0]
        return start + (np.asarray(values, dtype=float) - low) / (high - low) * (stop - start)


def draw_chart(title, description, x_axis, y_axis, lines):
    """Return an SVG chart of lines and bands, to be set into a page, with words for those who cannot see it.

    Parameters
    ----------
    title, description : str
        For those who see it and for those who do not.
    x_axis, y_axis : Axis
    lines : sequence of (x, y, str, str)
        Values, class and label of each.
    """
    title_id, left, right = "chart-" + "-".join(title.lower().split()), LEFT, WIDTH - RIGHT
    top, bottom = TOP, HEIGHT - BOTTOM
    parts = [
        f'<svg role="img" viewBox="0 0 {WIDTH} {HEIGHT}" aria-labelledby="{title_id} {title_id}-words">',
        f'<title id="{title_id}">{escape(title)}</title><desc id="{title_id}-words">{escape(description)}</desc>',
    ]
    for value, text in x_axis.ticks:
        x = float(x_axis.place(value, left, right))
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{bottom}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{text}</text>')
    for value, text in y_axis.ticks:
        y = float(y_axis.place(value, bottom, top))
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>')
    x, y = (left + right) / 2, (top + bottom) / 2
    parts.append(f'<text class="axis" x="{x}" y="{HEIGHT - 10}" text-anchor="middle">{escape(x_axis.label)}</text>')
    place = f'x="14" y="{y}" text-anchor="middle" transform="rotate(-90 14 {y})"'
    parts.append(f'<text class="axis" {place}>{escape(y_axis.label)}</text>')
    for x, y, style, label in lines:
        px, py = x_axis.place(x, left, right), y_axis.place(y, bottom, top)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(px, py, strict=True))
        parts.append(f'<polyline class="{style}" points="{points}"/>')
        # A label stands at the middle of its line, where lines lie farthest from the frame.
        x, y = px[len(px) // 2] + 6, py[len(py) // 2] - 6
        parts.append(f'<text class="{style}-label" x="{x:.1f}" y="{y:.1f}">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>"])
