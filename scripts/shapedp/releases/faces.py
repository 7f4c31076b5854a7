"""What releases of faces of all kinds have in common.

What such a release states of itself, its public settings and the facts that its conditions are checked on, follows from
the template, the bounds and the mechanism. The size of its noise at every point is public, too: the noise's covariance
follows from n, mu and public inputs.
"""

import hashlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import read_default, subjects
from shapedp.privacy.curves.base import AREA_UNIT
from shapedp.privacy.curves.bounds import Bounds
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.manifolds import marks
from shapedp.privacy.statistic import Source
from shapedp.releases import protocol
from shapedp.releases.protocol import People, Release, Settings
from shapedp.releases.statement import conditions
from shapedp.releases.statement.conditions import Facts, Origin

BUILT_IN = ("built_in", "formula")
# Of a variation: words, and what the library plans with, none of which shows where a person lies.
FIELDS_NOT_STATED = "source", "lowered", "spared"


@dataclass(frozen=True)
class Template:
    """The public face that people's curves correspond to."""

    curves: NDArray[np.float64]  # (J, 3, m) of unit area
    radii: NDArray[np.float64]  # (J,) where they were taken
    scale: float  # mm of the unit
    # Whether it is no person's of the cohort; if it were, every record would have been processed with that person's.
    public: bool
    source: str  # where it comes from, a word

    @property
    def origin(self) -> Origin:
        """As a statement names it."""
        source = self.source if self.source in BUILT_IN else "file"
        return Origin(source if self.public else "data")


@dataclass(frozen=True)
class ReleaseInputs:
    """What a release of faces is planned from, all of it public."""

    entry: Settings  # of faces.releases
    section: Settings  # settings of `faces`
    privacy: Settings  # settings of that name
    template: Template
    limits: Bounds | Variation
    n: int  # people
    # of the public set, where there is one: how much noise is too much for a mechanism that does not learn from it
    variation: Variation | None = None
    # for a kind that learns from public people beside the set: where the template lies, and (their curves, their cells)
    template_path: Path | str | None = None
    public: tuple[Path | str, Any] | None = None

    def learned(self) -> Variation:
        """Return how public people vary on this template, by which noise is shaped; refuse a release that has none."""
        if not self.limits.public:
            what = f"faces/{self.entry['name']}: `kind: {self.completed_entry['kind']}`"
            raise RefusedRelease(
                f"{what} needs a public set to learn from; name one in faces.bounds.reference_set. No noise was drawn"
            )
        # What was learned on another template would shape the noise for other points.
        self.limits.check(self.template.curves.shape, self.template.curves)
        return self.limits

    @property
    def completed_entry(self) -> dict[str, Any]:
        """The entry, with the defaults of the settings for what it leaves out."""
        return read_default("faces.releases[]") | dict(self.entry)

    @property
    def common_fields(self) -> dict[str, Any]:
        """What any `FaceRelease` takes of these inputs, by the names of its fields."""
        return {key: getattr(self, key) for key in ("entry", "section", "privacy", "template", "limits")}


@dataclass(frozen=True)
class FaceRelease(Release):
    """Of people's curves (J, 3, m)."""

    template: Template
    limits: Bounds | Variation  # the public bounds, or how public people vary
    sensitivity_inputs: dict[str, Any]  # what the sensitivity follows from
    reference: Origin  # of what is subtracted from people's curves
    extra_settings: dict[str, Any]  # public settings that only such a release has

    branch = "faces"

    def settings(self) -> dict:
        """Return the public settings, without names and paths; the statement prints them, a repeat is known by them."""
        entry, mechanism, limits = self.entry, self.mechanism, self.limits
        stated = {"mechanism": mechanism.name, "budget": entry["budget"], "tuned_on": self.privacy["tuned_on"]}
        if limits.deviations is None:
            stated["bounds"] = {"source": "public", "tau": self.section["bounds"]["tau"]}
        elif limits.public:
            stated["bounds"] = {"source": "reference_set", "quantile": limits.quantile, "margin": limits.margin}
        else:
            stated["bounds"] = {"source": "data"}
        stated |= protocol.part_settings(entry.get("group"), self.privacy, mechanism.n)
        stated |= {key: entry[key] for key in ("planned_for", "time") if entry.get(key) is not None}
        # What is as usual is not stated, so that settings of releases from before this setting stay the same.
        usual = read_default("faces.expression")
        if (expression := {"expression": usual, **self.section}["expression"]) != usual:
            stated["expression"] = expression
        subject_settings = () if subjects.from_settings(self.section).is_face else subjects.STATED_SETTINGS
        return (
            stated
            | {key: self.section[key] for key in (mechanism.section, "curves", "persons", *subject_settings)}
            | self.extra_settings
        )

    def digests(self, key: bytes, people: People) -> list[str]:
        """Return keyed digests of all else that decides the release, by which the ledger tells a repeat from a new one.

        They are of the people's other inputs, such as covariates, of the template and of the limits.
        """
        template = self.template
        limits = {
            name: array
            for name, array in asdict(self.limits).items()
            if name not in FIELDS_NOT_STATED and array is not None
        }
        return [
            *(protocol.digest_arrays(key, array) for array in people.other_inputs),
            protocol.digest_arrays(key, template.curves, template.radii, template.scale),
            *(protocol.digest_arrays(key, name, limits[name]) for name in sorted(limits)),
        ]

    def facts(self, people: People, source: Source) -> Facts:
        """Return what is known before anything is drawn; the statement's conditions are checked on it.

        Noise, bounds and origins follow from public numbers alone.
        """
        mechanism, limits, mu, evidence = self.mechanism, self.limits, self.mechanism.cost().mu, people.evidence
        origin = Origin("config" if limits.deviations is None else "data")
        if limits.deviations is not None and limits.public:
            # A range that clips must span the whole set, so it takes the largest of it, whatever quantile norms take.

            quantile = 1.0 if mechanism.clipping == "range" else limits.quantile
            origin = Origin("reference_set", quantile, limits.margin * mechanism.loose, len(limits.deviations))
        return Facts(
            branch=self.branch,
            n=mechanism.n,
            **evidence.facts(self.section, source),
            **conditions.declared_facts(self.privacy),
            **mechanism.conditions(),
            sensitivity=mechanism.sensitivity() if mu is None else mu,
            sensitivity_unit=AREA_UNIT if mu is None else "standard deviations of the noise",
            sensitivity_inputs=self.sensitivity_inputs,
            bounds=protocol.make_bounds(mechanism.stated_bounds(), mechanism.by_settings, origin),
            template=self.template.origin,
            reference=self.reference,
            within_bounds=True,
            made_of=tuple(evidence.made_of),
            noise_mm=float(self.template.scale) * mechanism.noise_size(),
        )


def public_mark(template: Template, limits: Variation, axes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the mark by which pooling knows the template, what was learned of public people, and the axes again.

    Parameters
    ----------
    template : Template
        The public face.
    limits : Variation
        What was learned.
    axes : (k,) int
        Which are released.

    Returns
    -------
    (32,) uint8
    """
    return marks.mark(*_public_arrays(template, limits), limits.held_out, axes)


def older_digest(template: Template, limits: Variation, axes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return the digest that earlier versions stored for `public_mark`, so that their releases can still be pooled.

    It is the SHA-256 of the same arrays to the last bit.

    Parameters
    ----------
    template, limits, axes
        As of `public_mark`.

    Returns
    -------
    (32,) uint8
    """
    digest = hashlib.sha256()
    for array in _public_arrays(template, limits):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(np.ascontiguousarray(limits.held_out).tobytes() + axes.astype("<i8").tobytes())
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def _public_arrays(template, limits):
    """Return the public arrays by which two machines know that they plan the same release."""
    return template.curves, template.radii, template.scale, limits.center, limits.modes, limits.harmonics


def template_fields(template: Template) -> dict[str, Any]:
    """Return what every artifact of released faces says of the template."""
    return {"radii": template.radii, "scale": template.scale}
