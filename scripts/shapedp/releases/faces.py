"""Releases of faces: the mean of people's curves, and the model of how they vary.

What such a release states of itself, its public settings and the facts that its conditions are checked on, follows from
the template, the bounds and the mechanism. The size of its noise at every point is public, too: the noise's covariance
follows from n, mu and public inputs. Three draws of it are simulated around the released face by an ordinary seeded
generator: post-processing, which costs nothing and gives the same bytes when it is made again. They show how far the
truth may lie; they are no releases.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import default, subjects
from shapedp.privacy import worth
from shapedp.privacy.curves.base import AREA_UNIT
from shapedp.privacy.curves.bounds import Bounds
from shapedp.privacy.curves.learned import Shaped
from shapedp.privacy.learned.face_variation import Variation
from shapedp.privacy.manifolds import marks
from shapedp.privacy.recentred import Recentred
from shapedp.privacy.statistic import Mechanism, Source
from shapedp.releases import curve_mechanisms, protocol
from shapedp.releases.model import at_landmarks, covariates
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.protocol import People, Release, Settings
from shapedp.releases.statement import conditions
from shapedp.releases.statement.conditions import Facts, Origin
from shapedp.surfaces.human_face.distances import Measures

BUILT_IN = ("built_in", "formula")
DRAWS, SEED = 3, 1
UNSTATED = (
    "source",
    "lowered",
    "spared",
)  # of a variation: words, and what the library plans with, which no person is shown by


@dataclass(frozen=True)
class Template:
    """The public face that people's curves correspond to."""

    curves: NDArray[np.float64]  # (J, 3, m) of unit area
    radii: NDArray[np.float64]  # (J,) where they were taken
    scale: float  # mm of the unit
    public: bool  # whether it is no person's of the cohort
    source: str  # where it comes from, a word

    @property
    def origin(self) -> Origin:
        """As a statement names it."""
        source = self.source if self.source in BUILT_IN else "file"
        return Origin(source if self.public else "data")


@dataclass(frozen=True)
class Planned:
    """What a release of faces is planned from, all of it public."""

    entry: Settings  # of faces.releases
    section: Settings  # settings of `faces`
    privacy: Settings  # settings of that name
    template: Template
    limits: Bounds | Variation
    n: int  # people
    # of the public set, where there is one: how much noise is too much for a mechanism that does not learn from it
    variation: Variation | None = None

    def learned(self) -> Variation:
        """How public people vary on this template; a release that learns from them is refused without."""
        if not self.limits.public:
            what = f"faces/{self.entry['name']}: `kind: {self.said['kind']}`"
            raise RefusedRelease(f"{what} needs a public set to learn from. No noise was drawn")
        self.limits.check(self.template.curves.shape, self.template.curves)
        return self.limits

    @property
    def said(self) -> dict[str, Any]:
        """The entry, and the defaults of the settings for what it leaves out."""
        return default("faces.releases[]") | dict(self.entry)

    @property
    def kept(self) -> dict[str, Any]:
        """What any `FaceRelease` keeps of it, by the names of its fields."""
        return {key: getattr(self, key) for key in ("entry", "section", "privacy", "template", "limits")}


@dataclass(frozen=True)
class FaceRelease(Release):
    """Of people's curves (J, 3, m)."""

    template: Template
    limits: Bounds | Variation  # the public bounds, or how public people vary
    symbols: dict[str, Any]  # what the sensitivity follows from
    reference: Origin  # of what is subtracted from people's curves
    more: dict[str, Any]  # public settings that only such a release has

    branch = "faces"

    def settings(self) -> dict:
        entry, made, limits = self.entry, self.mechanism, self.limits
        asked = {"mechanism": made.name, "budget": entry["budget"], "tuned_on": self.privacy["tuned_on"]}
        if limits.deviations is None:
            asked["bounds"] = {"source": "public", "tau": self.section["bounds"]["tau"]}
        elif limits.public:
            asked["bounds"] = {"source": "reference_set", "quantile": limits.quantile, "margin": limits.margin}
        else:
            asked["bounds"] = {"source": "data"}
        asked |= protocol.stated_part(entry.get("group"), self.privacy, made.n)
        asked |= {key: entry[key] for key in ("planned_for", "time") if entry.get(key) is not None}
        usual = default("faces.expression")
        if (expression := {"expression": usual, **self.section}["expression"]) != usual:
            asked["expression"] = expression
        own = () if subjects.of_settings(self.section).is_face else subjects.STATED
        return asked | {key: self.section[key] for key in (made.section, "curves", "persons", *own)} | self.more

    def digests(self, key: bytes, people: People) -> list[str]:
        template = self.template
        limits = {name: one for name, one in asdict(self.limits).items() if name not in UNSTATED and one is not None}
        return [
            *(protocol.of_arrays(key, one) for one in people.given),
            protocol.of_arrays(key, template.curves, template.radii, template.scale),
            *(protocol.of_arrays(key, name, limits[name]) for name in sorted(limits)),
        ]

    def facts(self, people: People, source: Source) -> Facts:
        made, limits, mu, evidence = self.mechanism, self.limits, self.mechanism.cost().mu, people.evidence
        origin = Origin("config" if limits.deviations is None else "data")
        if limits.deviations is not None and limits.public:
            # ranges span the whole set, whatever norms do
            quantile = 1.0 if made.clipping == "range" else limits.quantile
            origin = Origin("reference_set", quantile, limits.margin * made.loose, len(limits.deviations))
        return Facts(
            branch=self.branch,
            n=made.n,
            **evidence.facts(self.section, source),
            **conditions.declared(self.privacy),
            **made.conditions(),
            sensitivity=made.sensitivity() if mu is None else mu,
            sensitivity_unit=AREA_UNIT if mu is None else "standard deviations of the noise",
            sensitivity_inputs=self.symbols,
            bounds=protocol.bounds_of(made.stated_bounds(), made.by_settings, origin),
            template=self.template.origin,
            reference=self.reference,
            within_bounds=True,
            made_of=tuple(evidence.made_of),
            noise_mm=float(self.template.scale) * made.noise_size(),
        )


@dataclass(frozen=True)
class MeanFace(FaceRelease):
    """The mean of n people's curves."""

    file = "mean_face.h5"

    @classmethod
    def of(cls, plan: Planned) -> "MeanFace":
        said, curves, kernel = plan.said, plan.template.curves, plan.section["kernel"]
        reference = curves if said["reference"] == "template" else None
        asked = said["mechanism"], curves.shape, plan.n, plan.limits, reference, said["budget"], kernel
        made = curve_mechanisms.as_released(*asked, said["planned_for"])
        found, public = made.worth(), plan.limits.public  # else noise is scaled to private data, and so decides nothing
        if found is None and plan.variation is not None and public:
            found = worth.of_noise(made.noise_size() ** 2, plan.variation, plan.n)
        worth.refuse_useless(found, said["name"], said["worth_it_anyway"] or said["planned_for"] is not None)
        origin, more = Origin("none") if reference is None else plan.template.origin, {"reference": said["reference"]}
        return cls(mechanism=made, symbols=made.inputs(kernel), reference=origin, more=more, **plan.kept)

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """The curves, and the size of their noise, which is withheld where it is scaled to private data."""
        return self.of_mean(self.mechanism.settled(answers[:-1]).corrected(answers[-1]), answers[-1])

    def of_mean(self, settled: Mechanism, answer: NDArray) -> dict[str, Any]:
        """The same of a noised mean; settled : what decodes it."""
        curves = settled.decode(answer)
        noise = noise_fields(settled, curves, float(self.template.scale))
        if not self.limits.public:
            noise = withheld(noise)
        return {"curves": curves, **noise, **on_template(self.template)}

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any] | None:
        """The noised mean's coordinates along `shaped`'s axes, as lengths; where it is asked several times, what all
        answers told together.
        """
        if not isinstance(self.mechanism, Shaped):
            return None
        settled, asked_first = self.mechanism.settled(answers[:-1]), answers[:-1]
        values, noise = settled.lengths_along * answers[-1], settled.lengths_along * (settled.noise / settled.n)
        if isinstance(self.mechanism, Recentred):
            (values, noise), asked_first = settled.corrected(answers[-1]).mean_along, answers
        return {
            "values": values,
            "noise": noise,
            "spread": self.limits.variances[settled.chosen.axes],
            "asked_first": np.concatenate([np.zeros(0), *(np.ravel(one) for one in asked_first)]),
            "axes": np.zeros((0, 0)),
            "public": public_mark(self.template, self.limits, settled.chosen.axes),
        }

    def told(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """How much the bound was widened, what was put back and taken off, whether the cohort is unlike the public."""
        if not self.limits.public:
            return facts
        settled = self.mechanism.settled(answers[:-1]).corrected(answers[-1])
        noise_mm = float(self.template.scale) * settled.noise_size()
        unlike = settled.unlike(answers[-1])
        found = {"widened": settled.widened, "undone": settled.undone, "shrunk": getattr(settled, "shares", None)}
        if (uneven := settled.uneven()) is not None:
            share, missing = uneven
            found |= {"far_share": share, "missing_mm": float(self.template.scale) * missing}
        return replace(facts, noise_mm=noise_mm, unlike=unlike, settled_sd=settled.settled_sd, **found)


@dataclass(frozen=True)
class BesideModel:
    """What is told of a model at landmarks besides: where they lie, and how public people vary there."""

    measures: Measures
    public: Callable[[], Iterator[NDArray[np.float64]] | None]  # their curves, some at a time


@dataclass(frozen=True)
class ModelOfFaces(FaceRelease):
    """Mean, effects of covariates and modes of variation; people's covariates stand beside their curves."""

    beside: BesideModel | None = None

    file = "face_model.h5"

    @classmethod
    def of(cls, plan: Planned, beside: BesideModel | None = None) -> "ModelOfFaces":
        said, mu = plan.said, float(plan.entry["budget"]["mu_total"])
        asked = covariates.of_settings(said["covariates"])
        made = FaceModel.of(plan.learned(), plan.n, mu, asked, said["modes"], said["planned_for"])
        more = {"kind": said["kind"], "modes": made.asked, "covariates": covariates.stated(said["covariates"])}
        taken = {"reference": plan.template.origin, "beside": beside}
        return cls(mechanism=made, symbols=made.inputs(), more=more, **taken, **plan.kept)

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """The three noised moments, one after the other."""
        public = public_mark(self.template, self.limits, self.mechanism.shaped.chosen.axes)
        beside = {"asked_first": np.zeros(0), "axes": np.zeros((0, 0)), "public": public}
        return self.mechanism.drawn(answers[-1]) | beside

    def told(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """What the clip took of the mean, by how much it errs, and whether the cohort is unlike the public set."""
        scale, told = float(self.template.scale), self.mechanism.tells(answers[-1])
        errs = scale * self.mechanism.errs(answers[-1])
        return replace(facts, **{**told, "clip_moved": scale * told["clip_moved"], "noise_mm": errs})

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Mean, effects and modes on the surface."""
        return self.mechanism.fields(*self.mechanism.estimated(answers[-1])) | on_template(self.template)

    def files(self, answers: tuple[NDArray, ...]) -> dict[str, bytes]:
        """With what the noised moments say at landmarks, where the template carries some."""
        written = super().files(answers)
        if self.beside is not None:
            fitted, _ = self.mechanism.estimated(answers[-1])
            known = at_landmarks.learn(self.mechanism, fitted, self.beside.measures, self.beside.public())
            written[at_landmarks.FILE] = protocol.written_as(
                at_landmarks.FILE, at_landmarks.fields_of(known), self.settings()
            )
        return written


def public_mark(template: Template, limits: Variation, axes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """(32,) the mark of the template, of what was learned of public people, and of the axes (k,) that are released."""
    return marks.mark(*_public(template, limits), limits.held_out, axes)


def older_digest(template: Template, limits: Variation, axes: NDArray[np.int64]) -> NDArray[np.uint8]:
    """(32,) SHA-256 of the same to the last bit, which earlier versions wrote in its place."""
    digest = hashlib.sha256()
    for one in _public(template, limits):
        digest.update(np.ascontiguousarray(one).tobytes())
    digest.update(np.ascontiguousarray(limits.held_out).tobytes() + axes.astype("<i8").tobytes())
    return np.frombuffer(digest.digest(), dtype=np.uint8)


def _public(template, limits):
    return template.curves, template.radii, template.scale, limits.center, limits.modes, limits.harmonics


def on_template(template: Template) -> dict[str, Any]:
    """What every artifact of released faces says of the template."""
    return {"radii": template.radii, "scale": template.scale}


def noise_fields(made: Mechanism, curves: NDArray, scale: float) -> dict[str, NDArray]:
    """{noise_sd, noise_mm, noise_draws} of a release (J, 3, m) by the mechanism `made`; scale : mm of the unit."""
    rng = np.random.default_rng(SEED)
    return {
        "noise_sd": made.noise_sd(),
        "noise_mm": scale * np.sqrt(made.point_variances().sum(axis=1)),
        "noise_draws": curves + np.array([made.simulated(rng) for _ in range(DRAWS)]),
    }


def withheld(fields: dict[str, NDArray]) -> dict[str, NDArray]:
    """The same with nothing said: noise that is scaled to private data would tell of them."""
    return {name: np.full(np.shape(value), np.nan) for name, value in fields.items()}
