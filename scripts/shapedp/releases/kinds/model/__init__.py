"""Models: the mean, effects of covariates and modes of variation, of faces or of shapes."""

import re

from shapedp.releases.kinds.kind import (
    ReleaseKind,
    default_covariates,
    find_covariate_faults,
    find_private_center,
    find_unwanted,
)

ENDS = re.compile(r"(mode_\d+_(minus|plus)|effect_[A-Za-z0-9][A-Za-z0-9_-]{0,63}_(low|high))\.ply|(modes|effects)\.csv")


# Of a model of faces that knows its landmarks, and of any model of landmarks; others get them by `shapedp tables`.
TABLES = "measures.csv", "anova.csv", "disparity.csv", "tables.html"


class FaceModel(ReleaseKind):
    """A model of faces."""

    branch, name, file, artifact_name = "faces", "face_model", "face_model.h5", "face_model"
    statistic, record = "face model", "face"
    drawn = frozenset({"face_model.ply", "face_model.glb", "at_landmarks.h5", *TABLES})
    drawn_pattern = ENDS
    law = "moments"
    settings = dict.fromkeys(("modes", "covariates"), "belongs to a model; add `kind: face_model`")
    has_covariates = has_forecast = True
    audited = {  # noqa: RUF012
        **{"name": "model", "budget": {"mu_total": 8.0}, "modes": 2},
        "covariates": {"age": {"range": [20, 60]}},
    }

    def mechanism(self):
        """Return the class of the mechanism that makes such a release, to be asked for its proofs and traits."""
        from shapedp.releases.model.model_mechanism import FaceModel as Moments

        return Moments

    def find_faults(self, key, entry, section):
        """Yield faults of its covariates."""
        yield from find_covariate_faults(key, entry, self)

    def inputs(self, entry, run):
        """Return the files of a release, with the curves of public people, who tell how landmarks go together."""
        public = "results/private/reference/curves.h5" if "reference" in run.cohorts else []
        return super().inputs(entry, run) | {"public": public}


class ShapeModel(ReleaseKind):
    """A model of shapes."""

    branch, name, file, artifact_name = "shapes", "shape_model", "shape_model.h5", "shape_model"
    statistic, record = "shape model", "shape"
    drawn = frozenset({"shape_model.csv", "shape_model.tps", *TABLES})
    drawn_pattern = ENDS
    law = "moments"
    settings = {  # noqa: RUF012
        "covariates": "belongs to a model; add `kind: shape_model`",
        "modes": "belongs to a model; those of the contour are `contour_modes`",
    }
    has_covariates = True
    audited = {  # noqa: RUF012
        **{"name": "model", "budget": {"mu_total": 3.0}, "modes": 2},
        "covariates": {"log_size": {"range": [-1, 1]}},
    }

    def mechanism(self):
        """Return the class of the mechanism that makes such a release, to be asked for its proofs and traits."""
        from shapedp.releases.model.shapes import ShapeModel as Moments

        return Moments

    def find_faults(self, key, entry, section):
        """Yield what is wrong in an entry, so that a run does not start.

        That is in its covariates or its center, or keys that a model does not take.
        """
        yield from find_covariate_faults(key, entry, self)
        yield from find_private_center(key, "a shape_model", section)
        # The size of a record follows from its landmarks; every other covariate is a column of the sheet.
        needed = [name for name in default_covariates("shapes", entry) if name != "log_size"]
        if needed and "sheet" not in section:
            yield f"{key}.covariates: {', '.join(needed)}: these are columns of a sheet; name the sheet in shapes.sheet"
        yield from find_unwanted(key, entry, ["bandwidth"], "a model is not smoothed")
        yield from find_unwanted(key, entry, ["shrink"], "a model is not shrunk")


KINDS = (FaceModel(), ShapeModel())
