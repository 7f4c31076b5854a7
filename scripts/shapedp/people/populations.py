"""Whose data the settings name: the private cohort, the public reference set, the landmark files."""

import bisect
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from shapedp.base.errors import ConfigError, join_first, suggest_nearest
from shapedp.base.reading import frame
from shapedp.base.settings import read_entry, registry, subjects
from shapedp.base.storage import files
from shapedp.people import names, samples

DRAWN = {"faces": ("demo", "formula"), "reference": ("built_in", "formula")}  # words for people that are no file
PUBLIC = DRAWN["reference"]
FOLDER = "data/demo"  # of what is drawn
# The formula's people have another seed, since a cohort must not be its own reference set.
REFERENCE_SEED_SHIFT = 1_000_003
CellsOfDrawn = Callable[[int, int, str], Iterable[tuple[tuple[str, str], ...]]]
EACH_ALONE = "each_alone"  # privacy.reviewed


def find(faces: dict, cells_of_drawn: CellsOfDrawn) -> dict[str, list]:
    """Return whose data a run of faces takes: {cohort: samples}, `faces` the private, `reference` the public.

    The latter is there if any release learns from the reference set how faces vary, or takes its bounds from it; or
    would where none is asked for yet.

    Parameters
    ----------
    faces : dict
        The settings of that name.
    cells_of_drawn : callable
        Of (seed, count, word), ((column, text), ...) of each of so many people who are drawn.
    """
    cohorts, default = {"faces": _find_members(faces, "faces", cells_of_drawn)}, faces["bounds"]["source"]
    if any(
        registry.is_learning("faces", release.get("mechanism", "")) or release.get("bounds", default) == "reference_set"
        for release in faces["releases"] or [{}]
    ):
        cohorts["reference"] = _find_members(faces, "reference", cells_of_drawn)
    return cohorts


def find_cohort(faces: dict, cohort: str, cells_of_drawn: CellsOfDrawn) -> list:
    """Return the samples of one cohort, for a command that names it; raise ConfigError for one there is not.

    Parameters
    ----------
    faces : dict
        The settings of that name.
    cohort : str
        `faces` or `reference`.
    cells_of_drawn : callable
        As for `find`.

    Returns
    -------
    list of Sample
    """
    cohorts = find(faces, cells_of_drawn)
    if cohort not in cohorts:
        raise ConfigError(
            f"cohort '{cohort}': these settings have {' and '.join(map(repr, cohorts))}; name one of them"
        )
    return cohorts[cohort]


def list_sources(faces, cohort):
    """Return what the settings name as a cohort's scans: words for people that are drawn, folders, globs, sheets."""
    named = faces["scans"] if cohort == "faces" else faces["bounds"]["reference_set"]
    return named if isinstance(named, list) else [named]


def describe_reference_set(faces):
    """Return the public reference set, as files and statements of this house name it."""
    return ", ".join(map(str, list_sources(faces, "reference")))


def find_drawn_word(faces, cohort):
    """Return the settings' word for a cohort's people that are drawn by the software, or None where none are.

    Parameters
    ----------
    faces : dict
        The settings of that name.
    cohort : str
        `faces` or `reference`.

    Returns
    -------
    str or None
    """
    return next((named for named in list_sources(faces, cohort) if named in DRAWN[cohort]), None)


def select_brought(faces, cohort, members):
    """Return those of a cohort's samples whose scans are files that somebody brought, rather than drawn ones.

    Parameters
    ----------
    faces : dict
        The settings of that name.
    cohort : str
        `faces` or `reference`.
    members : list of Sample
        Of the cohort.

    Returns
    -------
    list of Sample
    """
    return [
        member
        for member in members
        if not (find_drawn_word(faces, cohort) and member.path.startswith(f"{FOLDER}/{cohort}/"))
    ]


def select_stacked(faces, cohort, members):
    """Return those of a cohort's samples whose curves bounds, means and models learn from or sum.

    Of drawn public people this is the first scan: a second one is drawn only where a change is released, and what a
    release states of public people must not follow from what else is released.

    Parameters
    ----------
    faces : dict
        The settings of that name.
    cohort : str
        `faces` or `reference`.
    members : list of Sample
        Of the cohort.

    Returns
    -------
    list of Sample
    """
    if cohort == "faces":
        return members
    own_ids = {member.id for member in select_brought(faces, cohort, members)}
    return [member for member in members if member.id in own_ids or member.time != names.VISITS[1]]


def count_own_people(faces, cohorts):
    """Return how many public people are a laboratory's own, where others are drawn; they come first."""
    members = cohorts.get("reference", [])
    if not find_drawn_word(faces, "reference"):
        return 0
    return len({member.person for member in select_brought(faces, "reference", members)})


def has_own_public_faces(faces):
    """Return whether settings name a laboratory's own public faces beside a template of its own, which they teach.

    Parameters
    ----------
    faces : dict
        The settings of that name.

    Returns
    -------
    bool
    """
    if not subjects.from_settings(faces).is_face or faces["template"] in PUBLIC:
        return False
    return any(named not in (None, *DRAWN["reference"]) for named in list_sources(faces, "reference"))


def complete_demo_settings(faces, cohort):
    """Return how a cohort of drawn people is made: count, bad, seed, camera, word and years to a second scan.

    Public ones are scanned well, none broken, and where a change is released twice on the same day, which serves the
    changes alone: see `select_stacked`.
    """
    word = find_drawn_word(faces, cohort)
    if cohort == "faces":
        return {**faces["demo"], "word": word}
    seed = faces["demo"]["seed"] + REFERENCE_SEED_SHIFT
    is_scanned_twice = word == DRAWN["reference"][0] and any(
        release.get("kind") == samples.CHANGE for release in faces["releases"]
    )
    fixed_settings = {
        "bad": 0,
        "seed": seed,
        "camera": "scanner",
        "word": word,
        "later": 0.0 if is_scanned_twice else None,
    }
    return {"count": faces["bounds"]["reference_count"], **fixed_settings}


def _find_members(faces, cohort, cells_of_drawn):
    """Return the samples of a cohort, a laboratory's own before drawn ones; refuse two of one name."""
    persons = faces["persons"] if cohort == "faces" else "average"
    members, key = [], samples.SCANS if cohort == "faces" else "faces.bounds.reference_set"
    # Own people come before drawn ones, and what learns from them is told how many.
    for named in sorted(list_sources(faces, cohort), key=lambda named: named in DRAWN[cohort]):
        members += (
            _draw_members(faces, cohort, cells_of_drawn)
            if named in DRAWN[cohort]
            else samples.find(named, persons, key)
        )
    if len({scan.id for scan in members}) < len(members):
        raise ConfigError(
            "faces.bounds.reference_set: two of the sets hold a scan of the same name; rename one of the files"
        )
    if subjects.from_settings(faces).is_face:
        members = [replace(member, mirrored=False) for member in members]
    return members if cohort == "faces" else [replace(member, group="") for member in members]


def _draw_members(faces, cohort, cells_of_drawn):
    """Return the samples of invented people, with covariates if a model asks for any; broken scans have none."""
    settings, folder, cells_by_index = complete_demo_settings(faces, cohort), f"{FOLDER}/{cohort}", {}
    kinds = [registry.find_kind("faces", read_entry("faces", release, "kind")) for release in faces["releases"]]
    takes_public = any(kind.takes_public_people for kind in kinds)
    if (cohort == "faces" or takes_public) and any(release.get("covariates") for release in faces["releases"]):
        cells_by_index = dict(enumerate(cells_of_drawn(settings["seed"], settings["count"], settings["word"])))
    named_files = names.list_scans(settings["count"], settings["bad"])
    drawn_people = [
        samples.Sample(name, f"{folder}/{file}", name, covariates=cells_by_index.get(index, ()))
        for index, (name, file) in enumerate(named_files)
    ]
    if settings["later"] is None:
        return drawn_people
    first, second = names.VISITS
    second_scans = (
        replace(scan, id=name, path=f"{folder}/{file}", time=second)
        for scan, (name, file) in zip(
            drawn_people, map(names.name_second, named_files[: settings["count"]]), strict=False
        )
    )
    return [*(replace(scan, time=first) for scan in drawn_people), *second_scans]


def refuse_private(faces, cohorts):
    """Refuse a reference set or a template that is a file of the cohort, as the settings show: by its path or a link.

    What the files hold decides nothing, since a record must not decide whether a release exists: see `describe_copies`.

    Parameters
    ----------
    faces : dict
        The settings of that name.
    cohorts : dict
        {cohort: list of Sample}, as `find` returns them.
    """
    for setting, paths, words in _list_public(faces, cohorts):
        if shared := files.find_linked_files(paths, [scan.path for scan in cohorts["faces"]]):
            raise ConfigError(
                f"faces.{setting}: '{shared[0][0]}' is '{shared[0][1]}', a scan of faces.scans, by path or link "
                f"({len(shared)} in all); {words}"
            )


def describe_copies(faces, cohorts):
    """Yield a line for each setting whose public files hold the same as private ones, for the operator alone.

    Parameters
    ----------
    faces : dict
        The settings of that name.
    cohorts : dict
        {cohort: list of Sample}, as `find` returns them.

    Yields
    ------
    str
    """
    for setting, paths, words in _list_public(faces, cohorts):
        if shared := files.find_same_files(paths, [scan.path for scan in cohorts["faces"]]):
            yield (
                f"faces.{setting}: {len(shared)} of its files hold the same as scans of faces.scans, such as "
                f"'{shared[0][0]}' and '{shared[0][1]}'. If they are of the same people, {words}"
            )
    if not _has_file(faces, cohorts):
        return
    try:
        record = json.loads(locate_record(faces["template"]).read_bytes())
        source_names = {(scan["bytes"], scan["blake2b"]): scan["name"] for scan in record["scans"]}
    except (OSError, ValueError, KeyError, TypeError):
        # The file beside the template is another program's, or there is none: nothing is known of its sources.
        return
    sizes = {size for size, _ in source_names}
    private = [path for path in (Path(scan.path) for scan in cohorts["faces"]) if path.is_file()]
    equal_in_size = [path for path in private if path.stat().st_size in sizes]
    shared = [
        (name, path)
        for path in equal_in_size
        if (name := source_names.get((path.stat().st_size, files.digest_file(path))))
    ]
    if shared:
        yield (
            f"faces.template: '{faces['template']}' is made of {len(shared)} scan(s) that hold the same as scans "
            f"of faces.scans, such as '{shared[0][0]}' and '{shared[0][1]}'. If they are of the same people, it "
            "is not public: make it again without them"
        )


def locate_record(template):
    """Return where `shapedp template` writes what a template is made of."""
    return Path(template).with_suffix(".json")


def _list_public(faces, cohorts):
    """Yield what settings declare to be public, to be compared with the private scans.

    It is (setting, paths of its files, what to do where they are private ones).
    """
    yield (
        "bounds.reference_set",
        [scan.path for scan in cohorts.get("reference", [])],
        "bounds from private people are not public: name another set, give numbers (bounds.source: public), or set "
        "bounds.source: data, which is labelled not private",
    )
    if _has_file(faces, cohorts):
        yield (
            "template",
            [faces["template"]],
            "a template from private people is not public: name another file, or the face by its id, which is labelled "
            "not private",
        )


def refuse_other_number(branch, declared, listed, where):
    """Refuse a run whose frame lists another number of persons than settings declare: n is public and fixed.

    It is before contents are read.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    declared : dict
        `privacy.people`: {branch: persons, or None where nothing is declared}.
    listed : int
        Persons whom the frame lists.
    where : str
        What lists them, for the complaint.
    """
    people = declared.get(branch)
    if people is not None and people != listed:
        raise ConfigError(
            f"privacy.people.{branch}: {people} persons are declared, '{where}' lists {listed}; n is public and "
            "must not follow from what files hold: correct the sheet, or declare the number that is meant"
        )


def refuse_unreviewed(setting, sheet, reviewed):
    """Refuse a sheet that may leave records out, unless settings declare that each record was judged by itself.

    Its header alone decides. Who chooses across people lets one person's record decide whether another's counts: then
    no release is private.

    Parameters
    ----------
    setting : str
        The key that names the sheet.
    sheet : path
    reviewed : str or None
        `privacy.reviewed`.
    """
    judged = frame.USE if samples.has_column(sheet, frame.USE) else samples.find_mark_column(sheet)
    if judged and reviewed != EACH_ALONE:
        raise ConfigError(
            f"{setting}: '{sheet}' has the column `{judged}`: declare `privacy.reviewed: {EACH_ALONE}`, which "
            "says that each record was judged, or marked, by looking at it alone, or take the column out"
        )


def refuse_unheeded(sheet):
    """Refuse a sheet of public landmarks, by its header, that leaves records out or mirrors them.

    Center and bounds are learned from the set as its files hold it.
    """
    if unheeded := [name for name in (frame.USE, "side") if samples.has_column(sheet, name)]:
        raise ConfigError(
            f"shapes.reference_sheet: '{sheet}' has the column(s) {', '.join(unheeded)}, which are used in "
            "shapes.sheet only: save the records of shapes.reference_set that count in a file of their own, "
            "right ones mirrored to left ones, and take the column(s) out"
        )


def refuse_movable_groups(setting, sheet, groups):
    """Refuse a sheet whose groups are declared to be public, if what else a record holds may move them: n would follow.

    Parameters
    ----------
    setting : str
        The key that names the sheet.
    sheet : path
    groups : dict or None
        `privacy.groups`.
    """
    if groups and groups["membership"] == "public" and samples.may_lose_groups(sheet):
        raise ConfigError(
            f"{setting}: '{sheet}' has the column `{frame.GROUP}` between other columns, where one comma too "
            "many in a cell would shift it; with privacy.groups.membership: public nothing may shift it: move it "
            "next to id, path and person, or to the end"
        )


ALWAYS = {"faces": (), "shapes": ("log_size",)}  # covariates that need no column


def list_columns(branch, entry):
    """Return the columns that a sheet must have for a release, so that a run is refused before it starts.

    They are covariates, and what changes are counted by.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    entry : dict
        Of `releases`.

    Returns
    -------
    list of str
        Sorted, without covariates that need no column.
    """
    covariates = set(read_entry(branch, entry, "covariates")) - set(ALWAYS[branch])
    return sorted(covariates | set(entry.get("per", ())))


def refuse_unknown_columns(branch, releases, columns, sheet):
    """Refuse a model whose covariates are no columns of the sheet, and a change that is counted by none.

    The sheet's header is no person's record.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    releases : list of dict
        The entries.
    columns : collection of str
        Of the sheet, without those of the frame.
    sheet : path
        For the complaint.
    """
    for release in releases:
        if missing := samples.find_lacking(list_columns(branch, release), columns):
            raise ConfigError(
                f"{branch}.releases '{release['name']}': '{sheet}' has no column {', '.join(missing)}, which "
                f"covariates or `per` name; it has: {', '.join(sorted(columns)) or 'none'}; correct the names"
            )


def refuse_lacking_times(branch, releases, members, sheet):
    """Refuse a release of times at which the sheet lists fewer than two people: whom it lists, and when, is public.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    releases : list of dict
        The entries.
    members : list of Sample
        Of the cohort.
    sheet : path
        For the complaint.
    """
    for release in releases:
        times, people = samples.list_times(release), len(samples.list_people(release, members))
        if times and people < 2:
            wanted = " and ".join(map(repr, times))
            known_times = ", ".join(sorted({repr(scan.time) for scan in members if scan.time})) or "is not there"
            raise ConfigError(
                f"{branch}.releases '{release['name']}': {people} people are listed at {wanted}, and a mean needs at "
                f"least 2; correct the entry, or the column `time` of '{sheet}', which says: {known_times}"
            )


def refuse_lacking_groups(branch, releases, members, sheet):
    """Refuse a release of a group to which the sheet counts fewer than two of the people whom the release lists.

    It is for groups whose members are public alone.

    Parameters
    ----------
    branch : str
        `faces` or `shapes`.
    releases : list of dict
        The entries.
    members : list of Sample
        Of the cohort.
    sheet : path
        For the complaint.
    """
    group_of = samples.find_groups(members)
    for release in releases:
        counted = Counter(filter(None, map(group_of.get, samples.list_people(release, members))))
        if "group" in release and counted[release["group"]] < 2:
            at = (
                f" who are listed at {' and '.join(map(repr, times))}" if (times := samples.list_times(release)) else ""
            )
            known_groups = join_first([f"{name!r} ({people})" for name, people in sorted(counted.items())]) or "nothing"
            raise ConfigError(
                f"{branch}.releases '{release['name']}': the group {release['group']!r} has "
                f"{counted[release['group']]} people{at}, and a mean needs at least 2"
                f"{suggest_nearest(release['group'], sorted(counted)) or '.'} Correct the entry, or the column `group` "
                "of "
                f"'{sheet}', which says: {known_groups}"
            )


def describe_repeats(members):
    """Yield a line for each scan file that stands under several persons' names, for the operator alone."""
    scans_by_path = defaultdict(list)
    for scan in members:
        scans_by_path[str(scan.path)].append(scan)
    for group in files.find_repeats(scans_by_path):
        same = sorted((scan for path in group for scan in scans_by_path[path]), key=lambda scan: scan.id)
        if len({scan.person for scan in same}) > 1:
            ids = ", ".join(f"'{scan.id}' ({Path(scan.path).name})" for scan in same)
            yield (
                f"the same scan stands under {len(same)} ids: {ids}. If it is one person, n is too large and the "
                "guarantee is for half a person: keep one, or name the person in the sample sheet"
            )


def find_template_scan(faces, cohorts):
    """Return the file that the template is made from, or None for the built-in template.

    Parameters
    ----------
    faces : dict
        The settings of that name; `template` is `built_in`, a file, or the id of a face of the cohort.
    cohorts : dict
        {cohort: list of Sample}, as `find` returns them.

    Returns
    -------
    path or None
    """
    named = faces["template"]
    if named in PUBLIC:
        return None
    of_id = {sample.id: sample.path for sample in cohorts["faces"]}
    if named not in of_id and not Path(named).is_file():
        raise ConfigError(f"faces.template: found '{named}', which is neither `built_in`, a file, nor a face's id")
    return of_id.get(named, named)


def template_is_private(faces, cohorts):
    """Tell whether the template is a face of the cohort, by its id, so that no release can be private."""
    return faces["template"] not in PUBLIC and faces["template"] in {scan.id for scan in cohorts["faces"]}


def _has_file(faces, cohorts):
    return faces["template"] not in PUBLIC and not template_is_private(faces, cohorts)


CENTERS = ("demo", "reference_set", "private", "data")  # words for p0; anything else is a file


def find_landmark_files(shapes):
    """Return the files that the section `shapes` names, {setting: path}: landmarks, center, reference_set, sheets."""
    named = {"landmarks": shapes["landmarks"]} if shapes["landmarks"] != "demo" else {}
    if shapes["center"] not in CENTERS:
        named["center"] = shapes["center"]
    named |= {key: shapes[key] for key in ("reference_set", "reference_sheet", "sheet") if shapes.get(key)}
    words = {"center": f" or one of {', '.join(CENTERS)}", "landmarks": " or `demo`"}
    for key, path in named.items():
        if not Path(path).exists():
            known = words.get(key, "")
            raise ConfigError(f"shapes.{key}: there is no '{path}'; give a file or folder that exists{known}")
    return named


NUMBERED = ("pairs", "semilandmarks", "links")  # settings that name landmarks


def renumber_landmarks(shapes):
    """Return the section `shapes` with its landmarks numbered as they are once `leave_out` is dropped.

    No setting may name one that is left out.
    """
    out = sorted(shapes["leave_out"])
    if not out:
        return shapes
    renumbered = dict(shapes)
    for name in NUMBERED:
        for row in shapes[name]:
            if clashing := [number for number in row if number in out]:
                raise ConfigError(
                    f"shapes.{name}: {list(row)} names landmark {clashing[0]}, which shapes.leave_out leaves out; take "
                    "it out of one of them"
                )
        renumbered[name] = [[number - bisect.bisect(out, number) for number in row] for row in shapes[name]]
    named = shapes.get("distances") or {}
    for name, row in named.items():
        if clashing := [number for number in row if number in out]:
            raise ConfigError(
                f"shapes.distances.{name}: names landmark {clashing[0]}, which shapes.leave_out leaves out; take it "
                "out of one of them"
            )
    if named:
        renumbered["distances"] = {
            name: [number - bisect.bisect(out, number) for number in row] for name, row in named.items()
        }
    return renumbered
