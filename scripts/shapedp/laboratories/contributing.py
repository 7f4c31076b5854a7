"""A laboratory's part of a round, as a transaction: charged before it is drawn, stored before it is sent, drawn once.

    1  this round was answered before with these records: the stored file is sent again; nothing is drawn or spent
    2  refuse what the cap does not allow, what fails a condition of privacy, and a round that was answered otherwise;
       read this laboratory's keys and agree on all masks, so that nothing in a letter can stop what comes after 3
    3  intent: a line in the ledger; from here on the budget is spent
    4  draw the share of the noise, mask, sign, store the copy in one rename
    5  commit, put the file beside the hellos, forget the key of the round

All under the lock of the population's ledger, as for a release of one's own (`releases.publishing`). A round is a
study, its roster and its number: whatever it is asked again with, it has one answer, since two answers under one mask
would cancel it.

`send` takes the part from a finished run: the curves of its people, its settings and its ledger.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.base.storage import files
from shapedp.laboratories import joint, letters, rounds, study
from shapedp.laboratories.rounds import Round
from shapedp.ledger import population_ledger, restoring, shared_people
from shapedp.ledger.ledger_folder import Ledger
from shapedp.people import populations, samples
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.noise import SecureNoise
from shapedp.releases import cohorts, look
from shapedp.releases.protocol import People, Release
from shapedp.releases.statement import conditions
from shapedp.surfaces.subjects.drawn import cells_of_drawn


def contribute(
    ledger: Ledger, study_round: Round, lab: str, release: Release, people: People, source: SecureNoise, keys: Path
) -> tuple[Path, bool]:
    """Charge, draw, store and send this laboratory's part of a round, once; return its path, and whether it is old.

    The module's head says how. An old part was stored before, and is sent again.

    Parameters
    ----------
    ledger : Ledger
        Of this laboratory.
    study_round : Round
        The round.
    lab : str
        This laboratory's name in the study.
    release : Release
        Of everybody in the roster, as `joint.plan_release` plans it.
    people : People
        Of this laboratory.
    source : SecureNoise
        Of which this laboratory's share of the noise is drawn.
    keys : path
        The folder of this laboratory's keys.
    """
    roster = study_round.read_hellos()
    _refuse_other_people(study_round, lab, roster, people)
    statistic = release.stage(rounds.compute_earlier_answers(study_round, release))
    request = release.request(people, ledger.key())
    request_digest = population_ledger.digest_value(
        [study_round.study.digest, letters.digest_value(roster), study_round.name, lab]
    )
    # faced by as many laboratories as may conspire, for each record that a person may have
    mu = study.list_mu_faced(statistic.cost().mu, len(roster))[study_round.study.conspiring]
    cost = Cost(GAUSSIAN, mu=mu * study_round.study.records_a_person)
    path = study_round.part_path(lab)
    sums = statistic.sums_over(people)
    with ledger.open_book(request.population) as book:
        intent = book.find_finished(request_digest)
        if intent is not None and intent["records"] != request.records:
            raise RefusedRelease(
                f"{path}: laboratory '{lab}' answered this round before, with other records; a round is answered once. "
                "Begin another attempt, which spends again. Nothing was spent"
            )
        reused = intent is not None
        if not reused:
            _refuse_second_answer(book, study_round, lab)
            shown = study_round.folder.parents[1] / "release"
            restoring.refuse_if_behind(book, shown)
            sender = rounds.Sender.from_keys(study_round, lab, roster, keys)
            intent = _record_intent(
                book, request_digest, request, release.facts(people, source), cost, study_round, lab
            )
            # A part has no statement of its own: if the ledger is lost, this note tells of the charge.
            restoring.write_receipt(book, shown)
            part = sender.masked_part(statistic, sums, source)
            line = {"entry": intent["entry"], "digest": intent["digest"], "mu": cost.mu, "date": intent["time"][:10]}
            content = sender.signed_part(part, line)
            # Whoever combines reads the part like this: it counts as stored once that can be done.
            count = len(part)
            book.store_files(
                intent, {path.name: content}, lambda at: study_round.read_part(lab, count, roster, at / path.name)
            )
            book.commit(intent)
        shared_people.enter(book, intent["digest"], request.marks, request.disjoint_from)
        with files.atomic(path) as partial:
            partial.write_bytes(book.read_stored(intent)[path.name])
    # Whoever finds the key of a round could take its masks off: it is forgotten once the part is stored.
    rounds.locate_round_key(keys, study_round, lab).unlink(missing_ok=True)
    return path, reused


def _refuse_other_people(study_round, lab, roster, people):
    """Refuse to take part with a cohort that is not the one this laboratory announced in its hello."""
    if lab not in roster:
        raise RefusedRelease(
            f"{study_round.folder / study_round.name}: holds no hello of '{lab}'; run `shapedp study join` first"
        )
    if people.group is not None:
        raise RefusedRelease("a study releases everybody of a laboratory; leave the release's group out")
    if people.n != roster[lab]["people"]:
        raise RefusedRelease(
            f"hello-{lab}.json: says {roster[lab]['people']} people, and the cohort has {people.n}; begin another "
            "attempt with the right number. Nothing was spent"
        )


def _refuse_second_answer(book, study_round, lab):
    """Refuse to draw a second part for a round: one was sent already, made for other hellos than lie here now."""
    round_intents = (
        intent for intent in book.list_intents() if intent.get("letter") == study_round.make_head(letters.PART, lab)
    )
    earlier = next((intent for intent in round_intents if book.find_commit(intent) or book.has_copy(intent)), None)
    if earlier is not None:
        raise RefusedRelease(
            f"{study_round.folder / study_round.name}: laboratory '{lab}' answered this round on "
            f"{earlier['time'][:10]}, with other "
            "hellos than lie here; a round is answered once. Put those hellos back to send the same part again, or "
            "begin another attempt, which spends again. Nothing was spent"
        )


def _record_intent(book, request_digest, request, facts, cost, study_round, lab):
    """Write the ledger's line that charges a part of a study, before it is drawn, and return it.

    What gives no guarantee is refused before.
    """
    failures = [condition.otherwise for condition in conditions.check(facts) if not condition.holds]
    if failures:
        raise RefusedRelease(
            f"study {study_round.study.name}: the part of '{lab}' would give no guarantee: {'; '.join(failures)}. "
            "Correct that; nothing was spent"
        )
    book.refuse_overspending(request.cap, cost, None)
    study_request = replace(
        request, branch="study", name=f"{study_round.study.name}-{study_round.name}", reproduction=False
    )
    return book.reserve(
        request_digest, cost, request.cap, None, **study_request.line(), letter=study_round.make_head(letters.PART, lab)
    )


CURVES, TEMPLATE = "private/faces/curves.h5", "private/template.h5"
KEYS, LETTERS = Path("data/keys"), Path("results/study")


def find_first_round(study_settings: Mapping[str, Any], folder: Path = LETTERS) -> Round:
    """Return the first round of an attempt at a study, from which its current round, joint release and check follow.

    Parameters
    ----------
    study_settings : mapping
        The settings of that name.
    folder : path
        Of the letters, one subfolder a study.
    """
    agreed_study = study.load(study_settings["file"])
    return Round(agreed_study, folder / agreed_study.name, study_settings.get("attempt", 1), 0)


def send(faces: Mapping[str, Any], privacy: Mapping[str, Any], results: Path, keys: Path = KEYS) -> Iterator[str]:
    """Send this laboratory's part in the round that is due, and yield what to do next: `shapedp study contribute`.

    Parameters
    ----------
    faces, privacy : mapping
        This laboratory's settings of those sections.
    results : path
        The folder of its run.
    keys : path
        The folder of its keys.
    """
    if not faces["study"]:
        raise ConfigError("faces.study: names no study; give its file and this laboratory's name there")
    if "lab" not in faces["study"]:
        raise ConfigError("faces.study.lab: is not given; it names this laboratory, as the study lists it")
    first, lab = find_first_round(faces["study"], results / LETTERS.name), faces["study"]["lab"]
    first.study.refuse_other_settings(faces)
    if privacy["seed"] is not None:
        raise ConfigError("privacy.seed: a part of a study is never seeded; take the seed out. Nothing was spent")
    study_round = joint.find_current_round(first)
    if study_round is None:
        yield f"all parts of attempt {first.attempt} are there; next: shapedp study combine {first.study.folder}"
        return
    if not study_round.hello_path(lab).exists():
        yield f"round {study_round.name} begins; next, in every laboratory: shapedp study join, then contribute"
        return
    members = populations.find(faces, cells_of_drawn)["faces"]
    look_state = look.make_look("faces", faces, privacy, look.read_frame(members, privacy), [first.study.release])
    look.refuse_unlooked(results / look.LOOK_FILE, look_state, privacy)
    ledger = Ledger(privacy["ledger"])
    release = joint.plan_release(first, first.read_hellos(), privacy)
    with cohorts.open_curves(
        curves_path=results / CURVES,
        template_path=results / TEMPLATE,
        group=None,
        privacy=privacy,
        key=ledger.key(),
        listed=len({sample.person for sample in members}),
        named=samples.has_column(faces["scans"], samples.PERSON),
        scans=[(sample.person, sample.path) for sample in members],
    ) as people:
        path, reused = contribute(ledger, study_round, lab, release, people, SecureNoise(), keys)
    yield f"{path}: {'stored before, sent again; nothing spent' if reused else 'drawn, masked and charged'}"
    missing_labs = [other for other in sorted(study_round.read_hellos()) if not study_round.part_path(other).exists()]
    if missing_labs:
        yield f"round {study_round.name} still waits for {', '.join(missing_labs)}"
    elif (following := joint.find_current_round(first)) is None:
        yield f"all parts are there; next: shapedp study combine {first.study.folder}"
    else:
        yield (
            f"round {study_round.name} is whole; next, in every laboratory: study join for {following.name}, then "
            "contribute"
        )
