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
    ledger: Ledger, this: Round, lab: str, release: Release, people: People, source: SecureNoise, keys: Path
) -> tuple[Path, bool]:
    """Send this laboratory's part of a round, see the module: its path, and whether it was stored before.

    release : of everybody in the roster, as `joint.release_of` plans it; people : of this laboratory
    """
    roster = this.hellos()
    _refuse_other_people(this, lab, roster, people)
    statistic = release.stage(rounds.answers_before(this, release))
    request = release.request(people, ledger.key())
    asked = population_ledger.digest([this.study.digest, letters.digest(roster), this.name, lab])
    # faced by as many laboratories as may conspire, for each record that a person may have
    mu = study.faced(statistic.cost().mu, len(roster))[this.study.conspiring]
    cost = Cost(GAUSSIAN, mu=mu * this.study.records_a_person)
    path = this.part_path(lab)
    sums = statistic.sums_over(people)
    with ledger.opened(request.population) as book:
        intent = book.finished(asked)
        if intent is not None and intent["records"] != request.records:
            raise RefusedRelease(
                f"{path}: laboratory '{lab}' answered this round before, with other records; a round is answered once. "
                "Begin another attempt, which spends again. Nothing was spent"
            )
        reused = intent is not None
        if not reused:
            _refuse_second_answer(book, this, lab)
            shown = this.folder.parents[1] / "release"
            restoring.refuse_if_behind(book, shown)
            sender = rounds.Sender.of(this, lab, roster, keys)
            intent = _recorded(book, asked, request, release.facts(people, source), cost, this, lab)
            restoring.write_receipt(book, shown)
            part = sender.masked_part(statistic, sums, source)
            line = {"entry": intent["entry"], "digest": intent["digest"], "mu": cost.mu, "date": intent["time"][:10]}
            content = sender.signed_part(part, line)
            count = len(part)  # whoever combines reads the part like this; it counts as stored once that can be done
            book.keep(intent, {path.name: content}, lambda at: this.part(lab, count, roster, at / path.name))
            book.commit(intent)
        shared_people.enter(book, intent["digest"], request.marks, request.disjoint_from)
        with files.atomic(path) as partial:
            partial.write_bytes(book.stored(intent)[path.name])
    rounds.round_key_path(keys, this, lab).unlink(missing_ok=True)
    return path, reused


def _refuse_other_people(this, lab, roster, people):
    if lab not in roster:
        raise RefusedRelease(f"{this.folder / this.name}: holds no hello of '{lab}'; run `shapedp study join` first")
    if people.group is not None:
        raise RefusedRelease("a study releases everybody of a laboratory; leave the release's group out")
    if people.n != roster[lab]["people"]:
        raise RefusedRelease(
            f"hello-{lab}.json: says {roster[lab]['people']} people, and the cohort has {people.n}; begin another "
            "attempt with the right number. Nothing was spent"
        )


def _refuse_second_answer(book, this, lab):
    """Refuse a round whose stored part was made for other hellos than lie here now."""
    same = (intent for intent in book.intents() if intent.get("letter") == this.head(letters.PART, lab))
    held = next((intent for intent in same if book.committed(intent) or book.has_copy(intent)), None)
    if held is not None:
        raise RefusedRelease(
            f"{this.folder / this.name}: laboratory '{lab}' answered this round on {held['time'][:10]}, with other "
            "hellos than lie here; a round is answered once. Put those hellos back to send the same part again, or "
            "begin another attempt, which spends again. Nothing was spent"
        )


def _recorded(book, asked, request, facts, cost, this, lab):
    failed = [condition.otherwise for condition in conditions.check(facts) if not condition.holds]
    if failed:
        raise RefusedRelease(
            f"study {this.study.name}: the part of '{lab}' would give no guarantee: {'; '.join(failed)}. Mend that; "
            "nothing was spent"
        )
    book.refuse_overspending(request.cap, cost, None)
    named = replace(request, branch="study", name=f"{this.study.name}-{this.name}", reproduction=False)
    return book.reserve(asked, cost, request.cap, None, **named.line(), letter=this.head(letters.PART, lab))


CURVES, TEMPLATE = "private/faces/curves.h5", "private/template.h5"
KEYS, LETTERS = Path("data/keys"), Path("results/study")


def first_round(asked: Mapping[str, Any], folder: Path = LETTERS) -> Round:
    """The first round of the attempt that the settings `faces.study` name."""
    agreed = study.load(asked["file"])
    return Round(agreed, folder / agreed.name, asked.get("attempt", 1), 0)


def send(faces: Mapping[str, Any], privacy: Mapping[str, Any], results: Path, keys: Path = KEYS) -> Iterator[str]:
    """Send the part of the round that the attempt is in; lines that say where it lies and what comes next.

    faces, privacy : this laboratory's settings of those sections; results : folder of its run
    """
    if not faces["study"]:
        raise ConfigError("faces.study: names no study; give its file and this laboratory's name there")
    if "lab" not in faces["study"]:
        raise ConfigError("faces.study.lab: is not given; it names this laboratory, as the study lists it")
    first, lab = first_round(faces["study"], results / LETTERS.name), faces["study"]["lab"]
    first.study.refuse_other_settings(faces)
    if privacy["seed"] is not None:
        raise ConfigError("privacy.seed: a part of a study is never seeded; take the seed out. Nothing was spent")
    this = joint.current(first)
    if this is None:
        yield f"all parts of attempt {first.attempt} are there; next: shapedp study combine {first.study.folder}"
        return
    if not this.hello_path(lab).exists():
        yield f"round {this.name} begins; next, in every laboratory: shapedp study join, then contribute"
        return
    members = populations.find(faces, cells_of_drawn)["faces"]
    seen = look.make_look("faces", faces, privacy, look.read_frame(members, privacy), [first.study.release])
    look.refuse_unlooked(results / look.LOOK_FILE, seen, privacy)
    ledger = Ledger(privacy["ledger"])
    release = joint.release_of(first, first.hellos(), privacy)
    paths, scans = (results / CURVES, results / TEMPLATE), [(one.person, one.path) for one in members]
    listed, named = len({one.person for one in members}), samples.has_column(faces["scans"], samples.PERSON)
    with cohorts.open_curves(*paths, None, privacy, ledger.key(), listed, named, scans=scans) as people:
        path, reused = contribute(ledger, this, lab, release, people, SecureNoise(), keys)
    yield f"{path}: {'stored before, sent again; nothing spent' if reused else 'drawn, masked and charged'}"
    rest = [other for other in sorted(this.hellos()) if not this.part_path(other).exists()]
    if rest:
        yield f"round {this.name} still waits for {', '.join(rest)}"
    elif (following := joint.current(first)) is None:
        yield f"all parts are there; next: shapedp study combine {first.study.folder}"
    else:
        yield f"round {this.name} is whole; next, in every laboratory: study join for {following.name}, then contribute"
