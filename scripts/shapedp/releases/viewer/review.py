"""The page to look through a cohort: every scan as it came beside what was made of it, doubtful ones first. Private.

Each record is judged alone. The list cannot tick: a record is ticked in its single view, which shows that person alone,
and becomes a line for the sample sheet.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from shapedp.releases.viewer.view import embed_json, make_document, pack_array, read_asset

DOUBTFUL, REJECTED, GOOD = "doubtful", "rejected", "good"
ORDER = (DOUBTFUL, REJECTED, GOOD)
# Of a limit, from which a record that kept it is doubtful and shown first.
NEAR = 0.75
# Whole steps of a length of 1, so that a coordinate fits into two bytes of the page.
STEPS = 20_000
# Steps of the map of distances, which fit into one byte.
COLOURS = 255
# Times a landmark's public spread, from which it is marked.
OFF = 4.0


@dataclass(frozen=True)
class Record:
    """What the page shows of a record.

    doubt : how near it comes to a public limit, 1 at the limit; words : reason and notices, sentences; figures : {name:
    value}; other : ids of further records of the same person; drawn : what the page's script draws, for JSON
    """

    name: str
    batch: str
    group: str
    rejected: bool
    doubt: float
    words: tuple[str, ...]
    figures: Mapping[str, str]
    drawn: Mapping[str, object]
    other: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """Return DOUBTFUL, REJECTED or GOOD, by which the page sorts records: doubtful ones are looked at first."""
        if self.rejected:
            return REJECTED
        return DOUBTFUL if self.doubt >= NEAR else GOOD


def render_page(title: str, records: Iterable[Record], lines: Sequence[str], shared: Mapping[str, object]) -> str:
    """Return HTML of the page on which a person looks through all records of a cohort, before anything is released.

    Parameters
    ----------
    title : str
    records : iterable of Record
        All of them, in any order.
    lines : sequence of str
        What the run has to say of all records, such as many rejections.
    shared : mapping
        What the script draws of all, such as their kind.
    """
    # Doubtful ones first, then rejected ones; within a state those with a notice, then the most doubtful.
    ordered = sorted(
        records, key=lambda record: (ORDER.index(record.state), not record.words, -record.doubt, record.name)
    )
    keys = ("batch", "group", "state", "words", "figures", "other")
    shown = [{"id": record.name, **{key: getattr(record, key) for key in keys}, **record.drawn} for record in ordered]
    data = {**shared, "title": title, "records": shown}
    return make_document(
        "review.html",
        title=escape(title),
        count=len(ordered),
        lines="\n".join(f"<p class='told'>{escape(line)}</p>" for line in lines),
        summaries="\n".join(_tabulate_states(ordered, name) for name in ("batch", "group")),
        scripts=[read_asset("review.js")],
        data=embed_json(json.dumps(data, separators=(",", ":"), ensure_ascii=False)),
    )


def measure_doubt(figures: Mapping[str, float], limits: Mapping[str, tuple[float, bool]]) -> tuple[float, str]:
    """Return how near a record comes to a public limit, and by which figure, so that doubtful ones are looked at first.

    Parameters
    ----------
    figures : mapping
        {name: value} of the record.
    limits : mapping
        {name: (limit, whether it is the least)}.

    Returns
    -------
    share : float
        The largest share of a limit, 1 at the limit.
    name : str
        Of its figure; "" where none has a limit.
    """
    shares = [(0.0, "")]
    for name, (limit, least) in limits.items():
        value = figures.get(name, np.nan)
        if np.isfinite(value) and limit > 0:
            shares.append((limit / value if least and value > 0 else value / limit, name))
    return max(shares)


def pack_surface(look: Mapping[str, object], reference: NDArray[np.float64], scale: float) -> dict[str, object]:
    """Return what the page's script draws of one scan, so that a person sees whether it was registered well.

    That is points, center, surface, and how far it lies from the reference surface.

    Parameters
    ----------
    look : mapping
        Fields of artifacts.LOOK; its `unit` is that of a step of points, in the scan's units.
    reference : (r, a, 3) float
        The reference surface, of unit area.
    scale : float
        mm of its unit.
    """
    surface = np.asarray(look["surface"])
    drawn = {
        "points": pack_array(look["points"], "<i2"),
        "nose": np.asarray(look["nose"]).tolist(),
        "unit": float(look["unit"]),
        "middle": np.asarray(look["middle"]).tolist(),
        "axes": np.asarray(look["axes"]).ravel().tolist(),
        "turned": bool(look["turned"]),
        "grid": [0, 0],
    }
    if surface.size:
        drawn |= {"surface": pack_array(surface, "<i2"), "grid": list(surface.shape[:2])}
        if look["turned"] and surface.shape == reference.shape:
            apart = scale * np.linalg.norm(surface / STEPS - reference, axis=-1)
            rms = float(np.sqrt(np.mean(apart**2)))
            # In tenths of a millimetre, whole up to the last colour.
            drawn |= {"apart": pack_array(np.clip(apart * 10, 0, COLOURS), "u1"), "mm": float(f"{rms:.2g}")}
    return drawn


def pack_landmarks(
    shape: NDArray[np.float64],
    public: NDArray[np.float64],
    spread: NDArray[np.float64],
    slip: tuple[int, ...] | None = None,
) -> dict:
    """Return what the page's script draws of a shape over the public mean, so that a person sees landmarks set wrongly.

    Landmarks that lie off by OFF of their public spread are named, and two that look exchanged, numbered from 1.

    Parameters
    ----------
    shape, public : (k, d) float
        The shape and the public mean, of unit size.
    spread : (k,) float
        Public, of each landmark.
    slip : (int, int), optional
        Two that look exchanged, of `landmark_shapes.slip`.
    """
    off = np.flatnonzero(np.linalg.norm(shape - public, axis=1) > OFF * spread)
    pairs = [[place + 1 for place in slip]] if slip else []
    return {"shape": pack_reference(shape), "off": (off + 1).tolist(), "swapped": pairs}


def pack_reference(surface: NDArray[np.float64]) -> str:
    """Return a reference surface or shape of unit size as the script takes it."""
    return pack_array(np.rint(surface * STEPS), "<i2")


def _tabulate_states(records, name):
    """Return a table of how many records are good, doubtful or rejected by batch or by public group.

    There is none where there is one of them alone.
    """
    parts = sorted({getattr(record, name) for record in records})
    if len(parts) < 2:
        return ""
    heads = "".join(f'<th scope="col">{word}</th>' for word in (name, "records", *ORDER))
    rows = []
    for part in parts:
        states = [record.state for record in records if getattr(record, name) == part]
        counts = [len(states), *(states.count(state) for state in ORDER)]
        cells = "".join(f"<td>{count}</td>" for count in counts)
        rows.append(f'<tr><th scope="row">{escape(part) or "none"}</th>{cells}</tr>')
    box = f'<div class="scroll" tabindex="0" role="group" aria-label="Records by {name}">'
    return f"{box}<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
