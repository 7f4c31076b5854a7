"""The releases of models: mean, effects of covariates and modes of variation, of faces or of shapes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import read_default
from shapedp.privacy.shapes.base import as_real
from shapedp.releases import cohorts, protocol
from shapedp.releases.faces import FaceRelease, ReleaseInputs, public_mark, template_fields
from shapedp.releases.model import at_landmarks, covariates
from shapedp.releases.model.covariates import Covariate
from shapedp.releases.model.model_mechanism import FaceModel
from shapedp.releases.model.shapes import ShapeModel, as_landmarks
from shapedp.releases.protocol import Settings
from shapedp.releases.shapes import NOISE, PublicShapes, ShapeRelease, state_distances
from shapedp.releases.statement.conditions import Facts
from shapedp.surfaces.measures import Measures
from shapedp.surfaces.subjects.catalogues import state_measures


@dataclass(frozen=True)
class LandmarkInputs:
    """What a model learns at landmarks: where they lie, and how public people vary there."""

    measures: Measures
    # Public people's curves, some at a time: all of them at once may not fit into memory.
    public: Callable[[], Iterator[NDArray[np.float64]] | None]


@dataclass(frozen=True)
class ModelOfFaces(FaceRelease):
    """Mean, effects of covariates and modes of variation; people's covariates stand beside their curves."""

    landmark_inputs: LandmarkInputs | None = None

    file = "face_model.h5"

    @classmethod
    def from_inputs(cls, plan: ReleaseInputs) -> "ModelOfFaces":
        """Return the release that an entry asks for, ready to be published, planned from public numbers.

        Its axes and the split of mu follow from these.
        """
        completed_entry, mu = plan.completed_entry, float(plan.entry["budget"]["mu_total"])
        covariates_coded = covariates.from_settings(completed_entry["covariates"])
        mechanism = FaceModel.from_variation(
            plan.learned(), plan.n, mu, covariates_coded, completed_entry["modes"], completed_entry["planned_for"]
        )
        extra_settings = {
            "kind": completed_entry["kind"],
            "modes": mechanism.modes_wanted,
            "covariates": covariates.state_entries(completed_entry["covariates"]),
        }
        landmark_inputs = None
        if plan.template_path is not None:
            landmark_inputs = read_landmark_inputs(plan.template_path, plan.section, plan.public)
        if landmark_inputs is not None:
            extra_settings |= state_measures(plan.section)
        public_fields = {"reference": plan.template.origin, "landmark_inputs": landmark_inputs}
        return cls(
            mechanism=mechanism,
            sensitivity_inputs=mechanism.inputs(),
            extra_settings=extra_settings,
            **public_fields,
            **plan.common_fields,
        )

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what is kept of the answers to be pooled with other releases: the three noised moments, in a row."""
        public = public_mark(self.template, self.limits, self.mechanism.shaped.plan.axes)
        other_fields = {"asked_first": np.zeros(0), "axes": np.zeros((0, 0)), "public": public}
        return self.mechanism.drawn(answers[-1]) | other_fields

    def complete_facts(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """Return the facts with what the noised moments tell of this cohort, for the statement to say.

        That is what the clip took of the mean, by how much the mean errs, and whether the cohort is unlike the public
        set.
        """
        scale, told_of_clip = float(self.template.scale), self.mechanism.tells(answers[-1])
        errs = scale * self.mechanism.errs(answers[-1])
        return replace(facts, **{**told_of_clip, "clip_moved": scale * told_of_clip["clip_moved"], "noise_mm": errs})

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return mean, effects and modes on the surface."""
        return self.mechanism.fields(*self.mechanism.estimated(answers[-1])) | template_fields(self.template)

    def files(self, answers: tuple[NDArray, ...]) -> dict[str, bytes]:
        """Return the files to publish, with one that says at landmarks what norm tables of distances need.

        That comes where the template carries some.
        """
        written = super().files(answers)
        if self.landmark_inputs is not None:
            fitted, _ = self.mechanism.estimated(answers[-1])
            known = at_landmarks.learn(
                self.mechanism, fitted, self.landmark_inputs.measures, self.landmark_inputs.public()
            )
            written[at_landmarks.FILE] = protocol.artifact_bytes(
                at_landmarks.FILE, at_landmarks.to_fields(known), self.settings()
            )
        return written


def read_landmark_inputs(
    template_path: Path | str, section: Settings, public: tuple[Any, ...] | None
) -> LandmarkInputs | None:
    """Return what a model of surfaces learns from at landmarks, for norms of distances; None of too few landmarks.

    Parameters
    ----------
    template_path : Path or str
        The public template.
    section : mapping
        The settings of `faces`.
    public : (path, cells) or None
        The stack of public people's curves, which tell how landmarks go together.
    """
    measures = at_landmarks.read_measures(template_path, section)
    if measures is None:
        return None
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        curves = source["curves"]
    return LandmarkInputs(measures, lambda: cohorts.read_usable(public[0], curves) if public else None)


@dataclass(frozen=True)
class ModelOfShapes(ShapeRelease):
    """Mean, effects of covariates and modes of variation; people's covariates stand beside their shapes."""

    file = "shape_model.h5"

    @classmethod
    def from_entry(cls, entry: Settings, shapes: Settings, privacy: Settings, known: PublicShapes) -> "ModelOfShapes":
        """Return the release that an entry asks for, planned from public numbers and ready to be published.

        It is refused without a public center.
        """
        # A regular polygon stands in for a center that is not public; a model is of deviations from a public one.
        if known.ball.nothing_public:
            raise RefusedRelease(f"shapes/{entry['name']}: a model needs a public center: name one in shapes.center")
        completed_entry, mu = read_default("shapes.releases[]") | dict(entry), float(entry["budget"]["mu_total"])
        covariates_coded = covariates.from_settings(completed_entry["covariates"])
        mechanism = ShapeModel.from_ball(
            known.ball, mu, covariates_coded, completed_entry["modes"], completed_entry["planned_for"]
        )
        extra_settings = {"kind": entry["kind"], "basis": mechanism.ball.modes, "modes": mechanism.modes_wanted}
        extra_settings |= {"covariates": covariates.state_entries(completed_entry["covariates"])}
        extra_settings |= state_distances(shapes, len(as_real(known.ball.p0)))
        return cls(entry, shapes, privacy, mechanism, known, NOISE, mechanism.inputs(), extra_settings)

    def drawn(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what is kept to be pooled with other releases: the three noised moments, and their axes."""
        mechanism = self.mechanism
        ways = mechanism.shaped.back[:, None] * mechanism.shaped.coordinates.axes
        return {**mechanism.drawn(answers[-1]), **self._axes(ways)}

    def complete_facts(self, facts: Facts, answers: tuple[NDArray, ...]) -> Facts:
        """Return the facts with what the clip took of the mean, and whether the cohort is unlike the public set."""
        return replace(facts, **self.mechanism.tells(answers[-1]))

    def fields(self, answers: tuple[NDArray, ...]) -> dict[str, Any]:
        """Return what the released file holds: mean, effects and modes as landmarks."""
        fields = self.mechanism.fields(*self.mechanism.estimated(answers[-1]))
        landmarks = as_landmarks(fields.pop("curves"))
        vectors = {name: as_landmarks(fields[name]) for name in ("reference", "effects", "modes")}
        covariances = {name: np.squeeze(fields[name], -4) for name in ("noise_parts", "residual", "beyond")}
        return {**fields, **vectors, **covariances, "landmarks": landmarks}


def read_covariates(entries: Settings) -> list[Covariate]:
    """Return the covariates that an entry names, as people's cells are read for it."""
    return covariates.from_settings(entries)


RELEASES = {"faces": ModelOfFaces, "shapes": ModelOfShapes}
