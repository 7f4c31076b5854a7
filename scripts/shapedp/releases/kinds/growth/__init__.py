"""Growth: the mean face as a curve of age, and the spread of people about it."""

import re

from shapedp.releases.kinds.kind import ReleaseKind, default_covariates, find_covariate_faults, find_unwanted

WANTED = "{age: {spline: [3, 18, 40], by: sex}, sex: {levels: [f, m]}}, or the age alone, without `by`"


class Growth(ReleaseKind):
    """A curve of faces over age."""

    branch, name, file, artifact_name = "faces", "growth", "growth.h5", "growth"
    statistic, record = "face growth", "face"
    drawn = frozenset({"growth.csv", "measures.csv"})
    drawn_pattern = re.compile(r"age_\d+_(low|high|all)\.ply")
    law = "growth"
    settings = {"covariates": "belongs to a model; add `kind: face_model`"}  # noqa: RUF012
    has_covariates = takes_public_people = takes_splines = has_forecast = predicts = has_own_tables = True
    exported = "surface"
    audited = {"budget": {"mu_total": 8.0}, "covariates": {"age": {"spline": [20, 40, 60]}}}  # noqa: RUF012
    elsewhere = (
        "a growth holds people's spread by band of age, and no modes to draw from: shapedp predict gives its mean face "
        "at an age, shapedp assess sets a face beside it"
    )

    def mechanism(self):
        """Return the class of the mechanism that makes such a release, to be asked for its proofs and traits."""
        from shapedp.releases.kinds.growth.moments import Growth as Moments

        return Moments

    def find_faults(self, key, entry, section):
        """Yield what is wrong in an entry, so that a run does not start: other covariates than one age with a spline.

        Beside it stands at most the one that the age is looked at by.
        """
        yield from find_covariate_faults(key, entry, self)
        covariate_entries = default_covariates(self.branch, entry)
        ages = [name for name, covariate_entry in covariate_entries.items() if "spline" in covariate_entry]
        by = covariate_entries[ages[0]].get("by") if ages else None
        if len(ages) != 1 or set(covariate_entries) != {ages[0], *([by] if by else [])}:
            yield (
                f"{key}.covariates: a growth takes one age, and at most one covariate named by the age's `by`: {WANTED}"
            )
        elif by and "levels" not in covariate_entries[by]:
            yield f"{key}.covariates.{by}: a covariate named by an age's `by` needs levels: {WANTED}"
        words = "a growth is always measured from the template, for as many people as take part"
        yield from find_unwanted(key, entry, ("reference", "bounds", "planned_for"), words)

    def inputs(self, entry, run):
        """Return the files of a release, with the curves of public people, whose ages tell how faces grow."""
        return super().inputs(entry, run) | {"public": "results/private/reference/curves.h5"}


KINDS = (Growth(),)
