"""What releases of landmark shapes of all kinds have in common: settings, digests, facts."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.privacy.manifolds import marks
from shapedp.privacy.shapes.base import Ball, as_real
from shapedp.privacy.statistic import Source
from shapedp.releases import protocol
from shapedp.releases.protocol import People, Release, Settings
from shapedp.releases.statement import conditions
from shapedp.releases.statement.conditions import Facts, Origin

# The word of shapes.center by which the center is released, with noise of its own.
PRIVATE = "private"
# The unit of the sensitivity of several sums, which is counted in their noise.
NOISE = "standard deviations of the noise"


@dataclass(frozen=True)
class PublicShapes:
    """What is public of shapes."""

    ball: Ball
    center: str  # a word for where the ball's center comes from
    center_public: bool  # whether the center may be shown
    r_source: str  # a word for where the ball's radius comes from


@dataclass(frozen=True)
class ShapeRelease(Release):
    """Of people's shapes (k, d)."""

    known: PublicShapes
    unit: str  # of the sensitivity
    sensitivity_inputs: dict[str, Any]  # what the sensitivity follows from
    extra_settings: dict[str, Any]  # public settings that only such a release has

    branch = "shapes"

    def settings(self) -> dict:
        """Return the public settings, without names and paths; the statement prints them, a repeat is known by them."""
        ball, entry = self.known.ball, self.entry
        stated = {"mechanism": self.mechanism.name, "budget": entry["budget"], "modes": ball.modes}
        stated |= {"center": self.known.center, "radius": ball.r if self.known.r_source == "config" else "data"}
        stated["tuned_on"] = self.privacy["tuned_on"]
        stated |= protocol.part_settings(entry.get("group"), self.privacy, ball.n)
        landmarks = {name: self.section.get(name) for name in ("pairs", "semilandmarks", "links")}
        # Without semilandmarks nothing slides, so that the setting says nothing of the release.
        landmarks |= {"sliding": self.section["sliding"]} if landmarks["semilandmarks"] else {}
        landmarks["leave_out"] = sorted(self.section.get("leave_out") or ())
        stated |= {name: rows for name, rows in landmarks.items() if rows}
        if ball.size:
            stated["size"] = list(map(float, self.section["size"]))
        entry_keys = ("bandwidth", "shrink", "planned_for")
        return stated | {name: entry[name] for name in entry_keys if entry.get(name)} | self.extra_settings

    def _axes(self, axes: NDArray) -> dict[str, Any]:
        """Return the fields of drawn.h5 that say along which ways (k, p) values lead, and from which center."""
        axes = axes.astype(np.float32)
        return {"asked_first": np.zeros(0), "axes": axes, "public": marks.mark(as_real(self.known.ball.p0), axes)}

    def digests(self, key: bytes, people: People) -> list[str]:
        """Return keyed digests of all else that decides the release, by which the ledger tells a repeat from a new one.

        They are of the center, of whose each record is, and of the public set.
        """
        # Whose each record is comes first: names that are read otherwise make another statistic.
        persons, *other_inputs = people.other_inputs
        arrays = (as_real(self.known.ball.p0), persons, self.known.ball.public, *other_inputs)
        return [protocol.digest_arrays(key, *(array for array in arrays if array is not None))]

    def facts(self, people: People, source: Source) -> Facts:
        """Return what is known before anything is drawn; the statement's conditions are checked on it.

        What follows from the records themselves is named `data`.
        """
        mechanism, data_origin, evidence = self.mechanism, Origin("data"), people.evidence
        origin = Origin("reference_set", *mechanism.learned) if mechanism.learned else Origin(self.known.r_source)
        return Facts(
            branch=self.branch,
            n=mechanism.n,
            **evidence.facts(self.section, source),
            **conditions.declared_facts(self.privacy),
            **mechanism.conditions(),
            sensitivity=float(mechanism.cost().mu) if self.unit == NOISE else mechanism.sensitivity(),
            sensitivity_unit=self.unit,
            sensitivity_inputs=self.sensitivity_inputs,
            bounds=protocol.make_bounds(
                mechanism.stated_bounds(), mechanism.by_settings, data_origin if mechanism.from_data else origin
            ),
            template=Origin("none"),
            reference=data_origin if mechanism.from_data else Origin(self.known.center),
            within_bounds=mechanism.clipping != "none",
            # A center or a radius from the records makes each of them depend on all of them, so a condition fails.
            made_of=(*evidence.made_of, *(["mean_shape"] if mechanism.from_data else [])),
            solver=mechanism.solver,
            shrunk=mechanism.shrunk,
        )


def state_distances(section: Settings, count: int) -> dict[str, Any]:
    """Return the settings that a release states of distances that have names: none, or `distances`.

    Parameters
    ----------
    section : mapping
        The settings of `shapes`.
    count : int
        How many landmarks a record has.
    """
    named = section.get("distances") or {}
    for name, ends in named.items():
        if max(ends) > count:
            raise RefusedRelease(
                f"shapes.distances.{name}: names landmark {max(ends)} of {count}; count them from 1, as in the files. "
                "No noise was drawn"
            )
    return {"distances": [{"name": name, "ends": list(ends)} for name, ends in named.items()]} if named else {}
