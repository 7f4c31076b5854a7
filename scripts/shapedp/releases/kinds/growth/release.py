"""The release of a growth: what is asked of people, and what it learns of public people whose ages are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.settings.subjects import FACES
from shapedp.releases import protocol
from shapedp.releases.cohorts import Cells, read_known
from shapedp.releases.faces import FaceRelease, ReleaseInputs, template_fields
from shapedp.releases.kinds.growth import released
from shapedp.releases.kinds.growth.moments import Growth, Seen
from shapedp.releases.model import covariates
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.protocol import People
from shapedp.surfaces.subjects.catalogues import make_measures


def read_covariates(entries: protocol.Settings) -> list[Covariate]:
    """Return the covariates that an entry names, the age first, as people's cells are read for it."""
    return [covariate for covariate in released.order_covariates(entries)[:2] if covariate is not None]


@dataclass(frozen=True)
class GrowthOfFaces(FaceRelease):
    """The mean face as a curve of age, and the spread about it; people's ages stand beside their curves."""

    # public people whose ages are known
    seen: Seen | None
    # (l, J, m) of the template
    landmarks: NDArray[np.float32]

    file = released.FILE

    @classmethod
    def from_inputs(cls, plan: ReleaseInputs) -> "GrowthOfFaces":
        """Return the release that an entry asks for, planned from public people of known age, ready to be published."""
        entry = plan.entry
        seen, landmarks = read_public(plan.template_path, plan.public, read_covariates(entry["covariates"]))
        age, other, knots = released.order_covariates(entry["covariates"])
        coded_covariates = (age,) if other is None else (age, other)
        mechanism = Growth.from_variation(
            plan.learned(), plan.n, float(entry["budget"]["mu_total"]), coded_covariates, knots, seen
        )
        extra_settings = {"kind": entry["kind"], "covariates": covariates.state_entries(entry["covariates"])}
        public_fields = {"seen": seen, "landmarks": landmarks, "reference": plan.template.origin}
        return cls(
            mechanism=mechanism,
            sensitivity_inputs=mechanism.inputs(),
            extra_settings=extra_settings,
            **public_fields,
            **plan.common_fields,
        )

    def digests(self, key: bytes, people: People) -> list[str]:
        """Return keyed digests of all else that decides the release, by which the ledger tells a repeat from a new one.

        Public people's curves and ages are among it.
        """
        # Public people's ages decide the curve that is taken off, so that with others the statistic is another.
        seen = [] if self.seen is None else [self.seen.deviations, self.seen.coded]
        return [*super().digests(key, people), *(protocol.digest_arrays(key, array) for array in seen)]

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return the coefficients over age and the spread by band, along the released axes."""
        fields = self.mechanism.fields(*self.mechanism.estimated(answers[-1]))
        return {**fields, "landmarks": self.landmarks, **template_fields(self.template)}


def read_public(
    template_path: Path | str, public: tuple[Path | str, Cells] | None, coded_covariates: Sequence[Covariate]
) -> tuple[Seen | None, NDArray[np.float32]]:
    """Return what a growth learns of public people whose ages are known, and the landmarks that its centiles are of.

    Parameters
    ----------
    template_path : path
        The template of the chain, with its landmarks.
    public : (path, cells) or None
        The stack of public people's curves, and (person, {column: text}) of each.
    coded_covariates : sequence of Covariate
        The age, and what it is looked at by.

    Returns
    -------
    seen : Seen or None
        Public people whose ages are known.
    landmarks : (l, J, m) float32
        Of the template.
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        fields = {name: source[name] for name in artifacts.TEMPLATE.fields}
    curves = fields["curves"]
    landmarks = released.place_on_template(make_measures(fields, FACES), (curves.shape[0], curves.shape[2]))
    # Those without an age teach nothing about growth.
    known = public and read_known(public[0], curves, coded_covariates, public[1])
    if not known:
        return None, landmarks
    people, coded = known
    return Seen((people - curves).astype(np.float32), coded), landmarks


RELEASES = {"faces": GrowthOfFaces}
