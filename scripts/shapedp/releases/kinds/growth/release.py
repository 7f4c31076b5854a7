"""The release of a growth: what is asked of people, and what it learns of public people whose ages are known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.artifacts import kinds
from shapedp.base.settings.subjects import STATED_SETTINGS
from shapedp.releases import protocol
from shapedp.releases.cohorts import Cells, read_known
from shapedp.releases.faces import FaceRelease, ReleaseInputs, template_fields
from shapedp.releases.kinds.growth import released
from shapedp.releases.kinds.growth.moments import Growth
from shapedp.releases.kinds.growth.public_growth import Seen
from shapedp.releases.model import covariates
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.protocol import People
from shapedp.surfaces.subjects.catalogues import make_table_measures, state_measures


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
        seen = read_public(plan.template_path, plan.public, read_covariates(entry["covariates"]))
        age, other, knots = released.order_covariates(entry["covariates"])
        coded_covariates = (age,) if other is None else (age, other)
        mechanism = Growth.from_variation(
            plan.learned(), plan.n, float(entry["budget"]["mu_total"]), coded_covariates, knots, seen
        )
        landmarks = read_landmarks(plan.template_path, plan.section)
        extra_settings = {"kind": entry["kind"], "covariates": covariates.state_entries(entry["covariates"])}
        extra_settings |= state_measures(plan.section)
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


def read_landmarks(template_path: Path | str, section: Mapping[str, Any]) -> NDArray[np.float32]:
    """Return (l, J, m) the landmarks of the chain's template that a growth's centiles are of: `place_on_template`.

    Parameters
    ----------
    template_path : path
        The template of the chain, with its landmarks.
    section : mapping
        The settings of `faces`.
    """
    stated = {key: section[key] for key in STATED_SETTINGS if key in section} | state_measures(section)
    kind = kinds.with_landmarks(artifacts.TEMPLATE) if section.get("landmarks") else artifacts.TEMPLATE
    with artifacts.reader(template_path, kind) as source:
        fields = {name: source[name] for name in kind.fields}
    count, _, samples = fields["curves"].shape
    return released.place_on_template(make_table_measures(fields, section), (count, samples), stated)


def read_public(
    template_path: Path | str, public: tuple[Path | str, Cells] | None, coded_covariates: Sequence[Covariate]
) -> Seen | None:
    """Return what a growth learns of public people whose ages are known; None where there are none.

    Parameters
    ----------
    template_path : path
        The template of the chain.
    public : (path, cells) or None
        The stack of public people's curves, and (person, {column: text}) of each.
    coded_covariates : sequence of Covariate
        The age, and what it is looked at by.

    Returns
    -------
    Seen or None
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        curves = source["curves"]
    # Those without an age teach nothing about growth.
    known = public and read_known(public[0], curves, coded_covariates, public[1])
    if not known:
        return None
    people, coded = known
    return Seen((people - curves).astype(np.float32), coded)


RELEASES = {"faces": GrowthOfFaces}
