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
from shapedp.laboratories.study import Study, bound_log10_distance, find_mu_to_world, list_mu_faced
from shapedp.landmarks import public_objects
from shapedp.ledger.ledger_folder import Ledger
from shapedp.ledger.population_ledger import Recorded
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.releases import allow_list, cohorts, faces, kinds, publishing
from shapedp.releases.protocol import Evidence, People, Release
from shapedp.releases.statement import statement
from shapedp.releases.statement.conditions import Laboratories


def plan_release(study_round: Round, roster: Mapping[str, dict], privacy: Mapping[str, Any] | None = None) -> Release:
    """Return the release that laboratories make together, drawn for mu_0, so that t conspirators face the study's mu.

    It is of everybody in a roster.

    Parameters
    ----------
    study_round : Round
        Any round of the attempt.
    roster : mapping
        {laboratory: its hello}.
    privacy : mapping
        The settings of that name of the laboratory that plans it; None for whoever combines.
    """
    study = study_round.study
    people = sum(hello["people"] for hello in roster.values())
    mu_to_world = find_mu_to_world(study.release["budget"]["mu_total"], len(roster), study.conspiring)
    entry = {**study.release, "budget": {"mu_total": mu_to_world}}
    section = study.section
    template = cohorts.read_template(study.template)
    if study.variation is None:
        raise ConfigError(
            f"{study.folder}: has no variation, which a release of laboratories needs; make the study again"
        )
    limits, _ = public_objects.read_variation(study.variation)
    # What whoever combines takes, who has no settings and no ledger.
    declared_privacy = {
        "tuned_on": "public",
        "seed": None,
        "cap": {"faces": {}},
        "population": {"faces": study.name},
        "groups": {"membership": "public", "sizes": {}},
        **{name: study.agreed[name] for name in ("sources", "statement")},
    }
    inputs = faces.ReleaseInputs(entry, section, privacy or declared_privacy, template, limits, people)
    return kinds.find_entry("faces", entry).part("release").RELEASES["faces"].from_inputs(inputs)


def find_current_round(first: Round) -> Round | None:
    """Return the round in which laboratories have something to do: the first that lacks a hello or a part.

    None once all are there.
    """
    study_round, answers = first, ()
    while (study_round.folder / study_round.name).is_dir():
        try:
            roster = study_round.read_hellos()
        except TooFew:
            return study_round
        release = plan_release(first, roster)
        statistic = release.stage(answers)
        if statistic is None:
            return None
        if not all(study_round.part_path(lab).exists() for lab in roster):
            return study_round
        answers = (*answers, rounds.compute_answer(study_round, statistic))
        if release.stage(answers) is None:
            return None
        study_round = replace(first, stage=len(answers))
    return study_round


def combine(study_round: Round, output_dir: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Make the joint release from all parts of an attempt and show it, or find it there; return as `combine_parts`.

    Parameters
    ----------
    study_round : Round
        The first round of the attempt.
    output_dir : path
        results/release/faces/<name>.
    """
    contents, labs = combine_parts(study_round)
    publishing.show(contents, Path(output_dir))
    return contents, labs


def combine_parts(study_round: Round) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the joint release that the laboratories' parts sum to, {name: bytes}, and the laboratories.

    Nothing in it depends on who asks, or where.
    """
    roster = study_round.read_hellos()
    release = plan_release(study_round, roster)
    # {laboratory: the letter of its part}, stage after stage, and the least scale of the noise in any.
    answers, signed_letters, scale = ((), [], math.inf)
    while (statistic := release.stage(answers)) is not None:
        stage = replace(study_round, stage=len(answers))
        if set(stage.read_hellos()) != set(roster):
            raise ConfigError(
                f"{study_round.folder / stage.name}: lists other laboratories than {study_round.name} did; begin "
                "a new attempt"
            )
        counting = rounds.count_integers(statistic)
        signed_letters.append(stage.read_parts(counting.count)[1])
        scale = min(scale, counting.least_scale)
        answers = (*answers, rounds.compute_answer(stage, statistic))
    laboratories = _state_laboratories(study_round.study, roster, signed_letters, scale)
    date = max(letter["ledger"]["date"] for letters_by_lab in signed_letters for letter in letters_by_lab.values())
    built_statement = _build_statement(study_round.study, release, answers, laboratories, date)
    contents = {**release.files(answers), **publishing.statement_files(built_statement)}
    with TemporaryDirectory() as folder:
        # What a release's folder may hold is checked before anything is shown.
        for name, content in contents.items():
            (Path(folder) / name).write_bytes(content)
        allow_list.check_folder(folder, "faces")
    return contents, tuple(sorted(roster))


def check(study_round: Round, lab: str, ledger: Ledger, population: str, folder: Path) -> None:
    """Refuse a joint release that is not what the letters give, or in which this laboratory's parts are not its own.

    They must be as it stored them.

    Parameters
    ----------
    study_round : Round
        The first round of the attempt.
    lab : str
        This laboratory.
    ledger : Ledger
        Its ledger, which keeps its parts.
    population : str
        Whose budget the parts were charged to.
    folder : path
        The release.
    """
    labs = check_letters(study_round, folder)
    if lab not in labs:
        raise RefusedRelease(f"{folder}: holds no part of laboratory '{lab}'; it is of {', '.join(labs)}")
    with ledger.read_book(population) as book:
        stored = [book.read_stored(intent) for intent in book.list_intents() if book.find_commit(intent)]
    stored_files = {content for files in stored for content in files.values()}
    stage = 0
    while (path := replace(study_round, stage=stage).part_path(lab)).exists():
        if path.read_bytes() not in stored_files:
            raise RefusedRelease(f"{path}: is not the part that laboratory '{lab}' stored; do not publish {folder}")
        stage += 1


def check_letters(study_round: Round, folder: Path) -> tuple[str, ...]:
    """Refuse a joint release that is not, byte for byte, what the signed letters give; return who signed them.

    Parameters
    ----------
    study_round : Round
        The first round of the attempt.
    folder : path
        The release.
    """
    contents, labs = combine_parts(study_round)
    if (path := publishing.find_difference(contents, folder)) is not None:
        raise RefusedRelease(f"{path}: is not what the letters in {study_round.folder} give; do not publish it")
    return labs


def _state_laboratories(study: Study, roster, signed_letters, scale: float) -> Laboratories:
    """Return what a joint release's statement says of the laboratories: people, keys, parts, and what each faces."""
    count, mu = len(roster), price_promised(study).mu
    members = (
        {
            "name": lab,
            "people": hello["people"],
            "key": study.find_key(lab),
            "parts": [letters_by_lab[lab]["integers"] for letters_by_lab in signed_letters],
            "ledger_lines": [letters_by_lab[lab]["ledger"]["digest"] for letters_by_lab in signed_letters],
        }
        for lab, hello in sorted(roster.items())
    )
    return Laboratories(
        study=study.digest,
        roster=tuple(members),
        conspiring=study.conspiring,
        overlap=study.agreed["overlap"],
        faced=tuple(list_mu_faced(find_mu_to_world(mu, count, study.conspiring), count)),
        log10_distance=bound_log10_distance(scale / math.sqrt(count), count),
    )


def price_promised(study: Study) -> Cost:
    """Return the guarantee that a joint release promises each person, against the conspirators that its study names.

    It covers all records that one person may have in it.
    """
    return Cost(GAUSSIAN, mu=study.records_a_person * study.release["budget"]["mu_total"])


def _build_statement(study: Study, release: Release, answers, laboratories: Laboratories, date: str) -> dict[str, Any]:
    """Return the statement about the people of all laboratories, as their signed lines vouch for them.

    Each laboratory checked its own conditions. The guarantee is that against the conspirators that the study names.
    """
    n = release.mechanism.n
    everybody = People(0, rounds.NOBODY.read, n=n, records="", evidence=Evidence(("curves",), n, n, n, False))
    facts = release.complete_facts(release.facts(everybody, rounds.EMPTY_SUM), answers)
    request = replace(release.request(everybody, b""), population=study.name, cost=price_promised(study))
    return statement.build(request, replace(facts, laboratories=laboratories), [], Recorded(date=date))
