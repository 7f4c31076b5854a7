"""The release that several laboratories make together: planned from the study alone, combined by whoever has all parts.

Everybody plans the same release, since it follows from the study, the roster and earlier noised answers. Who combines
needs no scan, no ledger and no secret; what comes out is the same to the last byte wherever it is combined, so that
every laboratory can look whether its part is in it.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shapedp.errors import ConfigError, RefusedRelease
from shapedp.labs import rounds
from shapedp.labs.rounds import Round, TooFew
from shapedp.labs.study import Study, guarantee_table, log10_distance, of_the_world
from shapedp.ledger.ledger_folder import Ledger
from shapedp.ledger.population_ledger import Recorded
from shapedp.mechanisms.accounting.cost import GAUSSIAN, Cost
from shapedp.releases import allow_list, cohorts, faces, publishing
from shapedp.releases.protocol import Evidence, People, Release
from shapedp.settings import default, of_entry
from shapedp.statement import statement
from shapedp.statement.conditions import Facts, Laboratories
from shapedp.variation import face_variation

AGREED = ("center", "extent", "surface", "registration", "gates", "curves", "variation", "bounds", "persons", "kernel")
SOURCES = ("settings", "template", "bounds")
KINDS = {"mean_face": faces.MeanFace, "face_model": faces.ModelOfFaces}


@dataclass(frozen=True)
class Combined:
    """A joint release."""

    folder: Path
    labs: tuple[str, ...]  # whose parts are in it
    files: tuple[str, ...]  # names


def release_of(this: Round, roster: Mapping[str, dict], privacy: Mapping[str, Any] | None = None) -> Release:
    """The release of everybody in a roster, drawn for what the world faces, so that t conspirators face the study's mu.

    privacy : the settings of that name of the laboratory that plans it; None for whoever combines
    """
    study = this.study
    people = sum(hello["people"] for hello in roster.values())
    world = of_the_world(study.release["budget"]["mu_total"], len(roster), study.conspiring)
    entry = {**study.release, "budget": {"mu_total": world}}
    section = {**default("faces"), **study.agreed["settings"]}
    template = cohorts.template(study.template)
    limits, _ = face_variation.load(study.variation)
    kind = KINDS[of_entry("faces", entry, "kind")]
    return kind.of(faces.Planned(entry, section, privacy or _declared(study), template, limits, people))


def current(first: Round) -> Round | None:
    """The round that laboratories are in: the first one that lacks a hello or a part; None once all are there."""
    this, answers = first, ()
    while (this.folder / this.name).is_dir():
        try:
            roster = this.hellos()
        except TooFew:
            return this
        release = release_of(first, roster)
        statistic = release.stage(answers)
        if statistic is None:
            return None
        if not all(this.part_path(lab).exists() for lab in roster):
            return this
        answers = (*answers, rounds.answer(this, statistic))
        if release.stage(answers) is None:
            return None
        this = replace(first, stage=len(answers))
    return this


def combine(this: Round, output_dir: Path) -> Combined:
    """Make the release from all parts of an attempt, or find that it is there already.

    this : the first round of the attempt; output_dir : results/release/faces/<name>
    """
    contents, labs = combined(this)
    publishing.show(contents, Path(output_dir))
    return Combined(Path(output_dir), labs, tuple(sorted(contents)))


def combined(this: Round) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """({name: bytes} of the release, laboratories); nothing in it depends on who asks, or where."""
    roster = this.hellos()
    release = release_of(this, roster)
    answers, lines, parts, scale = (), {}, {}, math.inf
    while (statistic := release.stage(answers)) is not None:
        stage = replace(this, stage=len(answers))
        if set(stage.hellos()) != set(roster):
            raise ConfigError(
                f"{this.folder / stage.name}: another roster than that of {this.name}; begin a new attempt"
            )
        counting = rounds.counted(statistic)
        _, told = stage.parts(counting.count)
        for lab, letter in told.items():
            lines.setdefault(lab, []).append(letter["ledger"])
            parts.setdefault(lab, []).append(letter["integers"])
        scale = min(scale, counting.least_scale)
        answers = (*answers, rounds.answer(stage, statistic))
    together = _laboratories(this.study, roster, lines, parts, scale)
    facts = replace(release.told(release.facts(_everybody(release), rounds.OF_ALL), answers), laboratories=together)
    contents = {**release.files(answers), **publishing.texts(_stated(this.study, release, facts, lines))}
    with TemporaryDirectory() as folder:
        for name, content in contents.items():
            (Path(folder) / name).write_bytes(content)
        allow_list.check_folder(folder, "faces")
    return contents, tuple(sorted(roster))


def check(this: Round, lab: str, ledger: Ledger, population: str, folder: Path) -> None:
    """See that a release is what the letters give, and that this laboratory's own parts, as stored, are in it."""
    labs = check_letters(this, folder)
    if lab not in labs:
        raise RefusedRelease(f"{folder}: holds no part of laboratory '{lab}'; it is of {', '.join(labs)}")
    with ledger.reading(population) as book:
        stored = [book.stored(intent) for intent in book.intents() if book.committed(intent)]
    own = {content for files in stored for content in files.values()}
    stage = 0
    while (path := replace(this, stage=stage).part_path(lab)).exists():
        if path.read_bytes() not in own:
            raise RefusedRelease(f"{path}: is not the part that laboratory '{lab}' stored; do not publish {folder}")
        stage += 1


def check_letters(this: Round, folder: Path) -> tuple[str, ...]:
    """Refuse a release that is not, byte for byte, what the signed letters give; the laboratories that signed them."""
    contents, labs = combined(this)
    if (path := publishing.unlike(contents, folder)) is not None:
        raise RefusedRelease(f"{path}: is not what the letters in {this.folder} give; do not publish it")
    return labs


def _declared(study: Study) -> dict[str, Any]:
    """The settings under `privacy` of a study, which no laboratory's ledger has."""
    return {
        "tuned_on": "public",
        "seed": None,
        "cap": {"faces": {}},
        "population": {"faces": study.name},
        "groups": {"membership": "public", "sizes": {}},
        **{name: study.agreed[name] for name in ("sources", "statement")},
    }


def _laboratories(study: Study, roster, lines, parts, scale: float) -> Laboratories:
    """What the statement says of who took part."""
    mu = study.release["budget"]["mu_total"]
    members = (
        {
            "name": lab,
            "people": hello["people"],
            "key": study.key_of(lab),
            "parts": parts[lab],
            "ledger_lines": [line["digest"] for line in lines[lab]],
        }
        for lab, hello in sorted(roster.items())
    )
    return Laboratories(
        study=study.digest,
        roster=tuple(members),
        conspiring=study.conspiring,
        overlap=study.agreed["overlap"],
        faced=tuple(faced for _, faced in guarantee_table(mu, len(roster), study.conspiring)),
        log10_distance=log10_distance(scale / math.sqrt(len(roster)), len(roster)),
    )


def _everybody(release: Release) -> People:
    """The people of all laboratories, as their signed lines vouch for them: each checked its own conditions."""
    n = release.mechanism.n
    seen = Evidence(("curves",), n, n, n, False)
    return People(count=0, read=rounds.NOBODY.read, n=n, records="", evidence=seen)


def _stated(study: Study, release: Release, facts: Facts, lines) -> dict[str, Any]:
    """The statement: its guarantee is that against the conspirators that the study names."""
    promised = Cost(GAUSSIAN, mu=study.release["budget"]["mu_total"])
    request = replace(release.request(_everybody(release), b""), population=study.name, cost=promised)
    date = max(line["date"] for one in lines.values() for line in one)
    return statement.build(request, facts, [], Recorded(date=date))
