"""The settings file of one's own people: commented, complete, and without releases, so that a run spends nothing.

Every comment is the meaning that the schema gives a key; what is not written holds by default.
"""

from collections import Counter
from pathlib import Path
from typing import Any

from shapedp import landmarks
from shapedp.base import settings
from shapedp.base.errors import ConfigError, Rejected, join_first
from shapedp.base.settings import pages, schema
from shapedp.base.settings.subjects import CENTER, FACE, Subject
from shapedp.base.storage import files
from shapedp.landmarks import outlines, public_objects, sheet
from shapedp.people import populations, samples
from shapedp.surfaces.subjects.drawn import cells_of_drawn

HEAD = """\
# Settings for {people}, written by `shapedp new`. They stand for the whole: config.yaml (the demo) is not read as well.
#   1. {command}
#      makes everything up to results/private/*/forecast.txt (and quality.tsv for faces) and spends nothing.
#   2. Read those, and what it ends with; then replace `releases: []` below by the lines that the forecast suggests, and
#      declare what stands under `privacy`. The same command as often as you like still spends nothing.
#   3. {release}
#      draws the noise and spends the budget, once; it refuses until you have looked with these settings.
# Further keys, with their meaning and what holds without them: docs/settings.md, or `shapedp settings KEY`.
# Paths are relative to the folder that snakemake runs in.
# A settings file is trusted like a program: a `mechanism` of the form module:Class in it is code, which runs with your
# rights as soon as the file is read. Look for a colon there before you use a file that somebody sent you.
"""
DECLARE_FIRST = (
    "Before you release, take the # away from the lines below, and say it in your words: statements print them."
)
KEPT_STEPS = (
    "keep: [curves] means: one job takes a batch of faces through all steps and keeps their curves and what the review "
    "shows; any other step is computed again where it is asked for"
)
# What holds as the file stands; whoever changes the file changes the words.
SOURCE_WORDS = {
    "settings": "as shipped, without a look at these people's data",
    "template": "a public face",
    "bounds": "public people",
    "center": "a public shape",
    "radius": "as shipped, without a look at these people's data",
}


def make_faces_section(
    scans: str,
    persons: str,
    template: str | None,
    reference_set: str | list[str] | None,
    extent: float | None,
    subject: tuple[str, str] = (FACE, "mm"),
) -> dict[str, Any]:
    """Return what a new settings file says of faces, from the options of `shapedp new`; what is None is as built in.

    Parameters
    ----------
    scans : str
        A folder, a glob or a sample sheet.
    persons : str
        `refuse` or `average`: what is done with a person's several records.
    template : str
        A public scan.
    reference_set : str or list of str
        Public people's scans.
    extent : float
        Radius about the nose, in root-area units.
    subject : tuple of str
        (what the scans show, the unit of their lengths).
    """
    word, unit = subject
    if word != FACE:
        return _make_subject_section(scans, persons, template, reference_set, word, unit)
    return {
        "scans": scans,
        "keep": schema.read_default("faces.keep"),
        "center": schema.read_default("faces.center"),
        "template": template or schema.find_meaning("faces.template")["demo"],
        "persons": persons,
        "extent": {"radius": extent},
        "bounds": {
            "source": schema.find_meaning("faces.bounds.source")["demo"],
            "reference_set": reference_set or schema.find_meaning("faces.bounds.reference_set")["demo"],
        },
        "releases": [],
    }


def _make_subject_section(scans, persons, template, reference_set, subject, unit):
    """Return the section `faces` of a new settings file for a subject that is no face.

    Its template and its public specimens must be the laboratory's own, for those that are built in are faces.
    """
    if template is None:
        raise ConfigError(
            f"new: only a template of faces is built in, so a {Subject.from_setting(subject).word} needs one of "
            "its own: make it from public scans with `shapedp template --subject`, and give it as --template"
        )
    public = {"source": "reference_set", "reference_set": reference_set}
    return {
        "subject": subject,
        "unit": unit,
        "scans": scans,
        "keep": schema.read_default("faces.keep"),
        "center": CENTER,
        "template": template,
        "persons": persons,
        "bounds": public if reference_set else {"source": "public", "tau": list(TAU_WITHOUT_PUBLIC)},
        "releases": [],
    }


# tau where no public specimen says how far a surface may lie from the template.
TAU_WITHOUT_PUBLIC = (0.15, 0.15, 0.15)


def make_shapes_section(
    landmark_path: str, center: str | None, reference_set: str | None, sheet: str | None, persons: str
):
    """Return what a new settings file says of landmarks, from the options of `shapedp new`.

    Without a public center or set they are of the data, which is not private.

    Parameters
    ----------
    landmark_path : str
        A landmark file or a folder of them.
    center : str
        A public file with one shape, `reference_set`, `private` or `data`.
    reference_set : str
        A public landmark file.
    sheet : str
        The sample sheet.
    persons : str
        `refuse` or `average`: what is done with a person's several records.
    """
    if center == "reference_set" and not reference_set:
        raise ConfigError(
            "new: --center reference_set is the mean of public shapes: name their file with --reference-set FILE, or "
            "give --center a public file with one shape"
        )
    return {
        "landmarks": landmark_path,
        **({"sheet": sheet} if sheet else {}),
        "persons": persons,
        "center": center or ("reference_set" if reference_set else "data"),
        **({"reference_set": reference_set} if reference_set else {}),
        **({"landmark_count": _read_usual_layout(landmark_path).count} if center == "private" else {}),
        "radius": schema.find_meaning("shapes.radius")["demo"],
        "contour_modes": schema.read_default("shapes.contour_modes"),
        "releases": [],
    }


def compose_text(
    command: str, population: str, cap: float, sections: dict[str, dict[str, Any]], people: dict[str, int]
) -> str:
    """Return the text of a new settings file, with comments that say what each key means.

    sections : what it says of `faces`, of `shapes`, or of both; people : persons of each
    """
    sections_written = {branch: sections.get(branch) for branch in settings.checks.BRANCHES}
    # No `tuned_on` and no sources: what nobody has declared yet must not stand there as if it were.
    sections_written["privacy"] = {
        "ledger": schema.read_default("privacy.ledger"),
        "population": dict.fromkeys(people, population),
        "cap": {branch: {"mu_total": cap} for branch in people},
        "people": people,
        "statement": schema.read_default("privacy.statement"),
    }
    release = command.replace("snakemake", "snakemake release", 1)
    head = HEAD.format(people=population, command=command, release=release)
    words = pages.compose_settings(sections_written, head) + "\n".join(_list_declarations(sections)) + "\n"
    return "\n".join(_put_comment_in_words(line, _read_subject(sections)) for line in words.split("\n"))


def _put_comment_in_words(line, subject):
    """Return a line of the file, its comment in the words of what scans show."""
    setting, sign, comment = line.partition("#")
    return setting + sign + subject.in_words(comment)


def _read_subject(sections):
    """Return what the scans show, as the section `faces` says, where it does."""
    return Subject.from_setting(sections.get("faces", {}).get("subject", FACE))


def _list_declarations(sections):
    """Yield the end of `privacy` in a new file: what its user must declare before a release, as comments to fill in."""
    yield f"  ## {DECLARE_FIRST}"
    yield from _comment_out("  tuned_on: public", schema.find_meaning("privacy.tuned_on"))
    yield from pages.comment_line("  sources:", schema.find_meaning("privacy.sources"), set())
    faces = sections.get("faces")
    public_paths = {"template": faces["template"], "bounds": faces["bounds"]["reference_set"]} if faces else {}
    for name in dict.fromkeys(name for branch in sections for name in settings.checks.SOURCES[branch]):
        meaning, path = schema.find_meaning(f"privacy.sources.{name}"), public_paths.get(name)
        # What is built in has a source that the project declares; an object that somebody brings has not.
        if isinstance(path, str) and path in populations.PUBLIC:
            yield from pages.comment_line(f"    {name}: {path}", meaning, set())
        else:
            yield from _comment_out(f'    {name}: "{SOURCE_WORDS[name]}"', meaning)


def _comment_out(line, meaning):
    """Return the line with its meaning, all in comments: without their first #, the lines are settings."""
    indent = " " * (len(line) - len(line.lstrip()))
    return [f"{indent}# {row.removeprefix(indent)}" for row in pages.comment_line(line, meaning, set())]


def write(path: Path, population: str, cap: float, sections: dict[str, dict[str, Any]]):
    """Write a new settings file, check it as a run would, and yield what it is about, line by line."""
    path = Path(path)
    if path.exists():
        raise ConfigError(f"{path}: is there already; give another name, or remove it first")
    if not sections:
        raise ConfigError("new: give --scans, --landmarks or both")
    command = f"snakemake --cores all --configfile {path}"
    listed = {branch: _list_records(branch, section) for branch, section in sections.items()}
    people = {branch: len({person for person, *_ in rows}) for branch, rows in listed.items()}
    files.write_text(path, compose_text(command, population, cap, sections, people))
    try:
        yield from map(_read_subject(sections).in_words, describe_records(settings.load(path), listed))
    # Settings that a run would refuse must not stay behind as if they were good.
    except BaseException:
        path.unlink()
        raise
    yield f"{path} written. Next, without spending anything:"
    yield f"  {command}"
    yield "It ends with what to look at, and with the command that spends, once you have decided what to release:"
    yield f"  snakemake release --cores all --configfile {path}"
    yield "A result to be made stands before the options, as Snakemake takes each word after --configfile for settings:"
    yield f"  snakemake results/public/releases.zip --cores all --configfile {path}"


def describe_records(settings_read: dict[str, Any], listed: dict[str, list[tuple[str, str, str]]]):
    """Yield lines on whom the settings name, so that a slip is seen before a run: records, people, unused files.

    Parameters
    ----------
    settings_read : mapping
        The settings, checked and completed.
    listed : mapping
        {branch: (person, group, time) of each record}.
    """
    if faces := settings_read["faces"]:
        yield from _describe_count(f"faces.scans: {faces['scans']}", "scans", listed["faces"], faces["persons"])
        yield from samples.describe_unused(faces["scans"])
        if faces["keep"] == schema.read_default("faces.keep"):
            yield KEPT_STEPS
    if shapes := settings_read["shapes"]:
        populations.find_landmark_files(shapes)
        yield from _describe_count(
            f"shapes.landmarks: {shapes['landmarks']}", "records", listed["shapes"], shapes["persons"]
        )
        if shapes["center"] == "private":
            yield (
                f"shapes.landmark_count: {shapes['landmark_count']}, as most records have; it is public, so let it "
                "be what your scheme of landmarks says. If they go around a closed outline, `contour_modes: 16` "
                "needs less noise"
            )
        if shapes["center"] == "data":
            count = landmarks.read(shapes["landmarks"]).layout.count
            yield (
                "shapes.center: data is NOT private; name a public set (--reference-set), or else a public file with "
                "one shape (--center). Where nothing is public, write `center: private` and "
                f"`landmark_count: {count}`, and, if the landmarks go around a closed outline, `contour_modes: 16`: "
                "known structure, so that less noise is needed"
            )


def _list_records(branch, section):
    """Return (person, group, time) of each scan or landmark record, by which `privacy.people` of a new file is counted.

    It is as the sheet says, else each record is its own person's.
    """
    if branch == "faces":
        faces = schema.complete_settings({**section, "persons": "average"}, schema.find_meaning("faces"))
        return [
            (sample.person, sample.group, sample.time) for sample in populations.find(faces, cells_of_drawn)["faces"]
        ]
    populations.find_landmark_files(section)
    public = {"reference_set": section.get("reference_set")}.get(section["center"], section["center"])
    layout = None if public in populations.CENTERS else landmarks.read(public).layout
    try:
        # A center that the run would refuse is refused now.
        public_objects.read_public_center(section["center"], section.get("reference_set"))
    except Rejected as error:
        if error.code != "not_one_shape":
            raise
        raise ConfigError(
            f"--center {public}: holds several shapes, and a center is one: give --reference-set {public} instead, "
            "whose mean is the center then, or a file with one shape"
        ) from error
    _refuse_unlike_center(section, layout)
    records = landmarks.read(section["landmarks"], layout)
    sheet_rows = landmarks.read_sheet(section.get("sheet"), records.ids)
    _refuse_unmatched_rows(section, records)
    times = {sample.id: sample.time for sample in sheet.read_samples(section["sheet"])} if section.get("sheet") else {}
    persons = sheet_rows.persons if any(sheet_rows.persons) else records.ids
    return [(*row, times.get(name, "")) for name, *row in zip(records.ids, persons, sheet_rows.groups, strict=True)]


def _read_usual_layout(path):
    """Return the layout of most records of a landmark file, which a new file's center must have, too."""
    if not Path(path).exists():
        raise ConfigError(f"shapes.landmarks: there is no '{path}'; give a file or folder that exists")
    return landmarks.read(path).layout


def _refuse_unlike_center(section, layout):
    """Refuse a public center of other landmarks than most records have, since a run would count all these as bad."""
    usual, center = _read_usual_layout(section["landmarks"]), section["center"]
    public = outlines.template().shape if center == "demo" else layout and (layout.count, layout.dimensions)
    if center == "private" and usual.dimensions == 3:
        raise ConfigError(
            f"--center private: is for landmarks in the plane, and {section['landmarks']} holds points in space: name "
            "a public file with one shape, or a public set with --reference-set"
        )
    if public in (None, (usual.count, usual.dimensions)):
        return
    option = f"--reference-set {section['reference_set']}" if center == "reference_set" else f"--center {center}"
    raise ConfigError(
        f"{option}: has {public[0]} landmarks of {public[1]} coordinates, and most records of {section['landmarks']} "
        f"have {usual.count} of {usual.dimensions}: name a public file with the same landmarks in the same order, "
        "or digitise them alike"
    )


def _refuse_unmatched_rows(section, records):
    """Refuse a sheet of the whole study, of which only some rows have a record, before settings count its people."""
    listed = [row.id for row in sheet.read_samples(section["sheet"])] if section.get("sheet") else records.ids
    if unmatched := sorted(set(listed) - set(records.ids)):
        raise ConfigError(
            f"{section['sheet']}: lists {len(listed)} records, and {section['landmarks']} holds {len(records.ids)}; "
            f"{join_first(unmatched)} are missing there: take their rows out of the sheet, or add their records"
        )


def _describe_count(setting, what, rows, treatment):
    """Yield lines on how many records of how many people there are, for the user to see whether they were read aright.

    They say of which groups and times, and who has several.
    """
    persons, groups, times = zip(*rows, strict=True)
    # Scans of two times may stand beside each other: they are no repeated record.
    keys = zip(persons, times if what == "scans" else persons, strict=True)
    repeated = [person for (person, _), count in Counter(keys).items() if count > 1]
    groups, times = (", ".join(dict.fromkeys(filter(None, names))) for names in (groups, times))
    yield f"{setting}: {len(persons)} {what} of {len(set(persons))} people"
    if groups:
        yield (
            f"groups: {groups}. A release takes one by `group: NAME`; privacy.groups says whether it is public who is "
            "in which"
        )
    if times:
        how = "A release takes one by `time: NAME`, a" if what == "scans" else "A"
        yield f"times: {times}. {how} mean_change takes two by `times: [FIRST, SECOND]`"
    if repeated and treatment == "refuse":
        examples = ", ".join(map(repr, repeated[:3]))
        yield (
            f"{len(repeated)} people have several {what}, such as {examples}, and a run stops at them (persons: "
            f"refuse): keep one for each person, or write `persons: average`, so that the mean of a person's {what} "
            "counts as one"
        )


def find_sheet(folder: str) -> str | None:
    """Return the one sample sheet of a folder of scans, which says whose the scans are; None without a sheet."""
    if not Path(folder).is_dir():
        return None
    paths = [path for path in sorted(Path(folder).iterdir()) if samples.is_sheet(path)]
    if len(paths) > 1:
        raise ConfigError(
            f"{folder}: holds {len(paths)} sample sheets, {paths[0].name} and {paths[1].name}; name the one to "
            f"use: --scans {paths[0]}"
        )
    return str(paths[0]) if paths else None
