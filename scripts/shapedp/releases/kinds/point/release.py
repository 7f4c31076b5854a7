"""The release of a mean of points of a manifold: its ledger's line, its statement, its file."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from shapedp.privacy.points import PointMean
from shapedp.privacy.statistic import Source
from shapedp.releases import protocol
from shapedp.releases.protocol import People, Release
from shapedp.releases.statement import conditions
from shapedp.releases.statement.conditions import Facts, Origin

FILE = "mean_point.h5"


@dataclass(frozen=True)
class MeanPoint(Release):
    """Of n people's points of one manifold."""

    mechanism: PointMean
    branch: ClassVar[str] = "points"
    file: ClassVar[str] = FILE

    def settings(self) -> dict:
        """Return the public settings, without names and paths; the statement prints them, a repeat is known by them."""
        mechanism = self.mechanism
        # A center of more numbers than that is named by its digest alone, see `digests`.
        center = {"center": parts(mechanism.center)[0].tolist()} if mechanism.center.size <= protocol.BLOCK else {}
        return {
            "mechanism": mechanism.name,
            "budget": dict(mechanism.budget),
            "radius": mechanism.r,
            "basis": mechanism.width,
            "size": list(mechanism.center.shape),
            "tuned_on": self.privacy["tuned_on"],
            **center,
        }

    def digests(self, key: bytes, people: People) -> list[str]:
        """Return digests of manifold, center and basis, by which the ledger tells a repeat from a new request."""
        mechanism = self.mechanism
        named = type(mechanism.manifold)
        # The class names the manifold: the same numbers mean other points on another one.
        words = np.frombuffer(f"{named.__module__}:{named.__qualname__}".encode(), dtype=np.uint8)
        return [protocol.digest_arrays(key, words, *parts(mechanism.center), *parts(mechanism.basis))]

    def facts(self, people: People, source: Source) -> Facts:
        """Return what is known before anything is drawn; the statement's conditions are checked on it."""
        mechanism, evidence = self.mechanism, people.evidence
        return Facts(
            branch=self.branch,
            n=mechanism.n,
            **evidence.facts(self.section, source),
            **conditions.declared_facts(self.privacy),
            **mechanism.conditions(),
            sensitivity=mechanism.sensitivity(),
            sensitivity_unit=mechanism.stated_bounds()[0][2],
            sensitivity_inputs=mechanism.inputs(),
            bounds=protocol.make_bounds(mechanism.stated_bounds(), mechanism.by_settings, Origin("config")),
            template=Origin("none"),
            reference=Origin("config"),
            within_bounds=True,
            made_of=evidence.made_of,
        )

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what the released file holds: the mean point with the size of its noise, and the center."""
        mechanism = self.mechanism
        point, center = parts(mechanism.point(answers[-1])), parts(mechanism.center)
        return {
            "point": point[0].ravel(),
            "point_imaginary": point[1].ravel(),
            "center": center[0].ravel(),
            "center_imaginary": center[1].ravel(),
            "coordinates": answers[-1],
            "noise_sd": mechanism.noise_sd,
            "shape": np.array(mechanism.center.shape, dtype=np.int64),
        }


def parts(points: NDArray) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the real and the imaginary part of points; the second is 0 of real ones."""
    points = np.asarray(points)
    return np.real(points).astype(float), np.imag(points).astype(float)


RELEASES = {"points": MeanPoint}
