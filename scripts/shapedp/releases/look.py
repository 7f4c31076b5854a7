"""What a look at a cohort noted before anything was spent, and whether a release may follow it.

A look is a finished run of everything up to the releases. It spends nothing and ends with what a person wants to know
first: who was rejected, which cells cannot be read, what lies beyond public ranges. A release is refused until a look
has finished for the same frame (who is listed, in which group, when) and the same settings of the chain. Nothing that
is compared here stands in a record, so that whether a run stops tells nothing of anybody.

Whoever has looked has seen these people. So ranges and bounds are noted at the first look at a population, and one that
is another afterwards counts as fitted to them: that needs `privacy.tuned_on: data`.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import read_entry
from shapedp.base.storage import files
from shapedp.ledger import spending

# In the results; it is no release, and nothing that is compared in it stands in a record.
LOOK_FILE = Path("private", "looked.json")
UNSEEN = {  # settings of a section that say nothing of what a look shows, or are compared range by range
    "faces": ("releases", "keep", "batch_size", "verify", "study", "landmarks", "distances"),
    "shapes": ("releases", "links", "distances"),
}
BOUNDS = {  # the settings of a section that bound what one record can do
    "faces": (
        *("bounds.source", "bounds.reference_set", "bounds.reference_count"),
        *("bounds.quantile", "bounds.margin", "bounds.tau", "variation.quantile"),
    ),
    "shapes": ("radius", "size"),
}
# What bounds a covariate, and so may be fitted to people who were looked at.
RANGE_SETTINGS = ("range", "spline", "mean", "sd")
# The word of privacy.tuned_on by which nobody looked at these people to choose settings.
PUBLIC = "public"
# What is noted of a population at the latest look, and what at the first.
NOTED, FIRST = ("people", "settings", "ranges"), "first_ranges"


def make_look(
    branch: str,
    section: Mapping[str, Any],
    privacy: Mapping[str, Any],
    frame: Iterable[Sequence[str]],
    entries: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return what a look at a branch is known by: noted when it finishes, and compared with what a release is of.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    section, privacy : mapping
        The completed settings of the branch and of `privacy`.
    frame : iterable of rows of str
        What is listed, such as (id, person, group, time) of each scan. No cell of a record stands there.
    entries : sequence of mappings
        The entries of `releases` whose ranges are looked at.

    Returns
    -------
    dict
        branch, population, `people` (digest of the frame), `settings` ({key: digest}), `ranges` ({name: its values}).
    """
    # Another chain shows other rejections, so that its look is no look at what will be released.
    chain = {key: value for key, value in section.items() if key not in UNSEEN[branch]}
    return {
        "branch": branch,
        "population": privacy["population"][branch],
        "people": _digest([list(map(list, frame)), privacy["people"].get(branch)]),
        "settings": {f"{branch}.{key}": _digest(value) for key, value in sorted(chain.items())},
        "ranges": _collect_ranges(branch, section, entries),
    }


def read_frame(members: Iterable[Any], privacy: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return (id, person, group, time) of each scan, whom a look is at: with others listed it must be repeated.

    A group that is not public belongs to a record and is left out.

    Parameters
    ----------
    members : iterable of samples
        Who is listed.
    privacy : mapping
        The settings of that name.
    """
    public = privacy["groups"]["membership"] == spending.PUBLIC
    return [(member.id, member.person, member.group if public else "", member.time) for member in members]


def _digest(value):
    """Return a digest of a value as JSON has it: looks are compared by it."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def _collect_ranges(branch, section, entries):
    """Return {name: its values} of all public ranges and bounds that clip what these entries take of people.

    A look notes them, so that one that is changed afterwards counts as fitted to the people who were looked at.
    """
    ranges = {}
    for name in BOUNDS[branch]:
        value = section
        for key in name.split("."):
            value = value.get(key) if value is not None else None
        if value is not None:
            ranges[f"{branch}.{name}"] = [value]
    for name, value in (range_value for entry in entries for range_value in _yield_ranges_of_entry(branch, entry)):
        values = ranges.setdefault(name, [])
        if value not in values:
            values.append(value)
    return ranges


def _yield_ranges_of_entry(branch, entry) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of each public range that an entry clips people to, for `_collect_ranges` to note."""
    for column, about in (read_entry(branch, entry, "covariates") or {}).items():
        if bounding := {key: about[key] for key in RANGE_SETTINGS if key in about}:
            yield f"{branch}.releases: the range of {column}", bounding
    for column, span in entry.get("per", {}).items():
        yield f"{branch}.releases: per.{column}", span


def note_looks(path: Path | str, looks: Iterable[Mapping[str, Any]]) -> None:
    """Write that these looks have finished, so that releases may follow.

    What the first look at a population noted of ranges and bounds is kept: later ones may have been fitted to people.

    Parameters
    ----------
    path : path
        Of LOOK_FILE in the results.
    looks : iterable of mappings
        As `make_look` returns them.
    """
    noted = read_looks(path)
    for look in looks:
        of_branch = noted.setdefault(look["branch"], {})
        first = of_branch.get(look["population"], {}).get(FIRST, {})
        kept = {key: look[key] for key in NOTED}
        # The first look's ranges win over later ones: whoever has looked may have fitted the later ones.
        of_branch[look["population"]] = kept | {FIRST: look["ranges"] | first}
    files.write_text(Path(path), json.dumps(noted, indent=1, sort_keys=True) + "\n")


def read_looks(path: Path | str) -> dict[str, Any]:
    """Return the looks that have finished, by which releases are let through: {branch: {population: what was noted}}.

    Of no file, or of one that no look wrote, there is nothing.
    """
    try:
        looks = json.loads(Path(path).read_text(encoding="utf-8"))
        is_whole = all(
            isinstance(noted[key], dict) for of in looks.values() for noted in of.values() for key in NOTED[1:]
        )
        # A file that no look wrote says nothing, so that a look is asked for.
        return looks if is_whole else {}
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return {}


def refuse_unlooked(path: Path | str, look: Mapping[str, Any], privacy: Mapping[str, Any]) -> None:
    """Refuse a release of people at whom no look has finished, or whose bounds may have been fitted after one.

    Parameters
    ----------
    path : path
        Of LOOK_FILE in the results.
    look : mapping
        As `make_look` returns it for this release.
    privacy : mapping
        The settings of that name: what they declare in `look_first` and `tuned_on`.
    """
    branch, population = look["branch"], look["population"]
    noted = read_looks(path).get(branch, {}).get(population)
    if privacy["look_first"] and (reason := _why_unlooked(noted, look)):
        raise RefusedRelease(
            f"{branch}: {reason}. Start the same command without `release` and read what it ends with: it spends "
            "nothing (or, to automate, declare `privacy.look_first: false`). Nothing was spent"
        )
    changed = _changed_ranges(noted or {}, look)
    # Declared as fitted, a release goes on, without a guarantee.
    if changed and privacy.get("tuned_on", PUBLIC) == PUBLIC:
        name, before, now = changed[0]
        raise RefusedRelease(
            f"{name}: is {json.dumps(now)}, and was {' or '.join(map(json.dumps, before))} when population "
            f"'{population}' was first looked at, so it may be fitted to these people: put it back, or declare "
            "`privacy.tuned_on: data`, by which no release is private. Nothing was spent"
        )


def _why_unlooked(noted, look):
    """Return why no look covers a release, in words for the refusal; None where one does."""
    if noted is None:
        return f"nobody has looked at population '{look['population']}' yet"
    if noted["people"] != look["people"]:
        return f"population '{look['population']}' is not listed as it was when it was looked at"
    keys = sorted({*noted["settings"], *look["settings"]})
    if other := [key for key in keys if noted["settings"].get(key) != look["settings"].get(key)]:
        return f"{', '.join(other)} {'are' if other[1:] else 'is'} not set as when these people were looked at"
    if unseen := [
        name
        for name, values in sorted(look["ranges"].items())
        if any(value not in noted["ranges"].get(name, []) for value in values)
    ]:
        return f"nobody has looked at what lies beyond {', '.join(unseen)}"
    return None


def _changed_ranges(noted, look):
    """Return each range or bound that was changed after the first look, and so perhaps fitted to people.

    It is (name, values at the first look, value now).
    """
    first = noted.get(FIRST, {})
    named = ((name, first[name], values) for name, values in sorted(look["ranges"].items()) if name in first)
    return [(name, before, value) for name, before, values in named for value in values if value not in before]


def list_changes(path: Path | str, look: Mapping[str, Any]) -> Iterator[str]:
    """Yield a caution for each range or bound changed since the first look, for which a release would be refused.

    Parameters
    ----------
    path : path
        Of LOOK_FILE in the results.
    look : mapping
        As `make_look` returns it.
    """
    noted = read_looks(path).get(look["branch"], {}).get(look["population"], {})
    for name, before, now in _changed_ranges(noted, look):
        yield (
            f"caution: {name}: is {json.dumps(now)}, and was {' or '.join(map(json.dumps, before))} at the first look "
            f"at population '{look['population']}': a release needs `privacy.tuned_on: data` now"
        )
