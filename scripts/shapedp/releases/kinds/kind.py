"""What a kind of release is: a folder beside this module, and one object of this class for each word of `kind:`.

The folder's `__init__` says what is known without a number, so that settings are checked and a workflow is planned
without numpy. What computes stands in modules beside it, which `part` imports when they are asked for; a release job
never loads what draws:

    release   RELEASES, the class of each branch, as `publishing.publish` takes it; read_covariates, where it has any
    shown     drawings(folder) -> (file's name, content) each; read(path); view(what was read, preview) -> View; READING
    points    points(path) -> PointModel, for other tools
    forecast  lines(entry, variation, n, scale), where the kind has lines of its own (`has_forecast`)
    released  read(path), where a mean at covariates follows from the release (`predicts`)
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from types import ModuleType
from typing import Any

from shapedp.base.settings import registry
from shapedp.base.settings.schema import read_entry

# One entry of `releases`, as the settings give it.
Entry = Mapping[str, Any]
# How public people vary: a public file, since it is made of the reference set alone.
VARIATION = "results/private/reference/variation.h5"


class ReleaseKind:
    """One word of `kind:` in one branch."""

    branch: str
    # The word that an entry's `kind:` says.
    name: str
    # The released artifact; its name is what tells the kind of a release that was made before.
    file: str
    # The name by which `base.artifacts` declares that file, so that no numpy is needed to know it.
    artifact_name: str
    # What is released, in a statement's words; the schema of statements allows no others.
    statistic: str
    record: str  # what a person brought to it, in such words
    # Names of files that follow from the artifact; whatever else lies in the folder is refused.
    drawn: frozenset[str] = frozenset()
    drawn_pattern: re.Pattern[str] | None = None  # of the names of further ones
    # {key that entries of such kinds alone take: what an entry of another kind is told that has it}
    settings: Mapping[str, str] = {}
    # The name of a mechanism of its own, which settings cannot choose for another kind.
    law: str | None = None
    # Whether it is of people's records as they are; the forecast's table has rows of such kinds alone.
    is_mean = False
    is_difference = False  # of a difference within each person, whose rows are its own
    has_covariates = False
    takes_public_people = False  # with their covariates
    takes_splines = False  # along an age
    has_forecast = False
    predicts = False
    has_own_tables = False  # of distances and angles, which otherwise follow from the template
    two_times = False  # whose difference it is
    # An entry by which the audit of records takes two neighbouring cohorts through this kind.
    audited: Mapping[str, Any] | None = None
    exported: str | None = None  # `surface` or `landmarks`, where a file of one mean is written for other tools
    elsewhere = ""  # what is told of the kind where a model's modes are asked for, or None

    @property
    def artifact(self) -> Any:
        """Return the declaration of the released file's fields, by which it is written, read and checked."""
        # Imported when asked for: numpy and h5py take longer to load than a workflow takes to plan.
        from shapedp.base import artifacts

        return artifacts.KINDS[self.artifact_name]

    def part(self, name: str) -> ModuleType:
        """Return a module of the kind's folder, imported now."""
        return import_module(f"{type(self).__module__}.{name}")

    def mechanism(self) -> type | None:
        """Return the class of the mechanism of its own, `law`; None where it has none."""
        return None

    def may_hold(self, name: str) -> bool:
        """Return whether a released folder may hold a file of this name beside what every release has."""
        named = self.drawn_pattern is not None and self.drawn_pattern.fullmatch(name)
        return bool(named) or name == self.file or name in self.drawn

    def find_faults(self, key: str, entry: Entry, section: Mapping[str, Any]) -> Iterator[str]:
        """Yield what contradicts itself in an entry of this kind, in words, so that settings are refused before a run.

        Parameters
        ----------
        key : str
            Where the entry stands, for the words.
        entry : mapping
            An entry that meets the schema.
        section : mapping
            The settings of its branch, completed.
        """
        # A kind without faults of its own is a generator all the same.
        yield from ()

    def inputs(self, entry: Entry, run: Any) -> dict[str, str | list]:
        """Return the files that a release of faces is made from beside the template, for its Snakemake rule to take.

        Parameters
        ----------
        entry : mapping
            The entry.
        run : app.workflow.Run
            The run, which knows where its files lie.
        """
        learns = registry.read_traits("faces", entry["mechanism"]).learns
        return {
            "curves": run.locate_rows("faces", entry["name"]),
            "bounds": run.locate_variation(entry) if learns else run.locate_bounds(entry),
            "variation": VARIATION if "reference" in run.cohorts and not self.has_covariates else [],
            "public": [],
        }


def find_unwanted(key: str, entry: Entry, names: Iterable[str], words: str) -> Iterator[str]:
    """Yield a fault for each of the keys that an entry of this kind has no use for: nobody should rely on one.

    Parameters
    ----------
    key : str
        Where the entry stands.
    entry : mapping
        The entry.
    names : iterable of str
        The keys.
    words : str
        Why.
    """
    for name in names:
        # False, nothing and the default reference change nothing, so an entry may say them.
        if entry.get(name) not in (None, False) and (name, entry[name]) != ("reference", "template"):
            yield f"{key}.{name}: {words}; leave it out"


def find_private_center(key: str, words: str, shapes: Mapping[str, Any]) -> Iterator[str]:
    """Yield a fault where a release of deviations from a public center has one that is taken from people.

    Parameters
    ----------
    key : str
        Where the entry stands.
    words : str
        What the release is called.
    shapes : mapping
        The settings of that section.
    """
    if shapes["center"] in ("private", "data") or shapes["radius"] == "data":
        yield (
            f"{key}.kind: {words} needs a public center and a public radius; name them in shapes.center and "
            "shapes.radius"
        )


def find_covariate_faults(key: str, entry: Entry, kind: ReleaseKind) -> Iterator[str]:
    """Yield what contradicts itself in the covariates of an entry, so that its settings are refused before a run.

    Parameters
    ----------
    key : str
        Where the entry stands.
    entry : mapping
        The entry.
    kind : ReleaseKind
        Its kind.
    """
    curves = [
        f"or `kind: {release_kind.name}`"
        for release_kind in registry.list_release_kinds(kind.branch)
        if release_kind.takes_splines
    ]
    for name, entry_of_covariate in (entry.get("covariates") or {}).items():
        if "spline" in entry_of_covariate and not kind.takes_splines:
            instead = ", ".join(["give a range", *curves])
            yield f"{key}.covariates.{name}.spline: belongs to a release along a curve of age; {instead}"
        yield from (f"{key}.covariates.{name}: {fault}" for fault in _find_faults_of_covariate(entry_of_covariate))


def _find_faults_of_covariate(covariate_entry):
    """Yield what contradicts itself in one covariate of an entry, in words that a user can act on."""
    if "spline" in covariate_entry:
        knots = covariate_entry["spline"]
        if any(younger >= older for younger, older in pairwise(knots)) or set(covariate_entry) - {"spline", "by"}:
            yield (
                f"spline {knots}: knots must rise from the youngest to the oldest age, and nothing but `by` may "
                "stand beside them"
            )
        return
    if "by" in covariate_entry:
        yield "by: only an age with a spline has it; leave it out"
    if ("levels" in covariate_entry) == ("range" in covariate_entry):
        yield "give either range: [low, high] or levels: [one, other]"
        return
    if unknown_levels := sorted(
        set(covariate_entry.get("aliases", {}).values()) - set(covariate_entry.get("levels", ()))
    ):
        yield (
            f"aliases name {', '.join(unknown_levels)}, which is not a level; give aliases as {{word in the sheet: "
            "level}, with levels"
        )
    if ("mean" in covariate_entry) != ("sd" in covariate_entry) or (
        "levels" in covariate_entry and "mean" in covariate_entry
    ):
        yield "mean and sd must be given together, with a range"
    low, high = covariate_entry.get("range", (-1, 1))
    if not low < covariate_entry.get("mean", (low + high) / 2) < high:
        yield f"range {[low, high]} is empty, or the mean lies outside it; correct one of them"


def default_covariates(branch: str, entry: Entry) -> Mapping[str, Any]:
    """Return the covariates that a release will take by its entry: the kind's usual ones where it says nothing of them.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    entry : mapping
        Of its `releases`.
    """
    return read_entry(branch, entry, "covariates")
