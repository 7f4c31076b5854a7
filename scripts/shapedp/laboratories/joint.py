"""The release that several laboratories make together: planned from the study alone, combined by whoever has all parts.

Everybody plans the same release, since it follows from the study, the roster and earlier noised answers. Who combines
needs no scan, no ledger and no secret; what comes out is the same to the last byte wherever it is combined, so that
every laboratory can look whether its part is in it.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.laboratories import rounds
from shapedp.laboratories.rounds import Round, TooFew
from shapedp.laboratories.study import Study, faced, log10_distance, of_the_world
from shapedp.landmarks import public_objects
from shapedp.ledger.ledger_folder import Ledger
from shapedp.ledger.population_ledger import Recorded
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.releases import allow_list, cohorts, faces, kinds, publishing
from shapedp.releases.protocol import Evidence, People, Release
from shapedp.releases.statement import statement
from shapedp.releases.statement.conditions import Laboratories


def release_of(this: Round, roster: Mapping[str, dict], privacy: Mapping[str, Any] | None = None) -> Release:
    """The release of everybody in a roster, drawn for what the world faces, so that t conspirators face the study's mu.

    privacy : the settings of that name of the laboratory that plans it; None for whoever combines
    """
    study = this.study
    people = sum(hello["people"] for hello in roster.values())
    world = of_the_world(study.release["budget"]["mu_total"], len(roster), study.conspiring)
    entry = {**study.release, "budget": {"mu_total": world}}
    section = study.section
    template = cohorts.read_template(study.template)
    if study.variation is None:
        raise ConfigError(
            f"{study.folder}: has no variation, by which a release of laboratories is shaped; make it anew"
        )
    limits, _ = public_objects.read_variation(study.variation)
    declared = {  # of whoever combines, and has no ledger
        "tuned_on": "public",
        "seed": None,
        "cap": {"faces": {}},
        "population": {"faces": study.name},
        "groups": {"membership": "public", "sizes": {}},
        **{name: study.agreed[name] for name in ("sources", "statement")},
    }
    planned = faces.ReleaseInputs(entry, section, privacy or declared, template, limits, people)
    return kinds.find_entry("faces", entry).part("release").RELEASES["faces"].of(planned)


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


def combine(this: Round, output_dir: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Make the release from all parts of an attempt, or find that it is there already; what `combined` tells.

    this : the first round of the attempt; output_dir : results/release/faces/<name>
    """
    contents, labs = combined(this)
    publishing.show(contents, Path(output_dir))
    return contents, labs


def combined(this: Round) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """({name: bytes} of the release, laboratories); nothing in it depends on who asks, or where."""
    roster = this.hellos()
    release = release_of(this, roster)
    answers, signed, scale = (), [], math.inf  # signed : {laboratory: the letter of its part}, stage after stage
    while (statistic := release.stage(answers)) is not None:
        stage = replace(this, stage=len(answers))
        if set(stage.hellos()) != set(roster):
            raise ConfigError(
                f"{this.folder / stage.name}: another roster than that of {this.name}; begin a new attempt"
            )
        counting = rounds.counted(statistic)
        signed.append(stage.parts(counting.count)[1])
        scale = min(scale, counting.least_scale)
        answers = (*answers, rounds.answer(stage, statistic))
    together = _laboratories(this.study, roster, signed, scale)
    date = max(letter["ledger"]["date"] for told in signed for letter in told.values())
    stated = _stated(this.study, release, answers, together, date)
    contents = {**release.files(answers), **publishing.statement_files(stated)}
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
    if (path := publishing.find_difference(contents, folder)) is not None:
        raise RefusedRelease(f"{path}: is not what the letters in {this.folder} give; do not publish it")
    return labs


def _laboratories(study: Study, roster, signed, scale: float) -> Laboratories:
    """What the statement says of who took part."""
    count, mu = len(roster), promised(study).mu
    members = (
        {
            "name": lab,
            "people": hello["people"],
            "key": study.key_of(lab),
            "parts": [told[lab]["integers"] for told in signed],
            "ledger_lines": [told[lab]["ledger"]["digest"] for told in signed],
        }
        for lab, hello in sorted(roster.items())
    )
    return Laboratories(
        study=study.digest,
        roster=tuple(members),
        conspiring=study.conspiring,
        overlap=study.agreed["overlap"],
        faced=tuple(faced(of_the_world(mu, count, study.conspiring), count)),
        log10_distance=log10_distance(scale / math.sqrt(count), count),
    )


def promised(study: Study) -> Cost:
    """What a person faces of as many conspirators as the study names, whatever number of records it lets them have."""
    return Cost(GAUSSIAN, mu=study.records_a_person * study.release["budget"]["mu_total"])


def _stated(study: Study, release: Release, answers, laboratories: Laboratories, date: str) -> dict[str, Any]:
    """The statement about the people of all laboratories, as their signed lines vouch for them: each checked its own
    conditions. Its guarantee is that against the conspirators that the study names.
    """
    n = release.mechanism.n
    everybody = People(0, rounds.NOBODY.read, n=n, records="", evidence=Evidence(("curves",), n, n, n, False))
    facts = release.told(release.facts(everybody, rounds.OF_ALL), answers)
    request = replace(release.request(everybody, b""), population=study.name, cost=promised(study))
    return statement.build(request, replace(facts, laboratories=laboratories), [], Recorded(date=date))
