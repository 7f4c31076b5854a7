"""Three laboratories release one mean face: from their curves to a folder that each of them can check."""

import json
import re
import shutil

import numpy as np
import pytest

import take_part_in_study
from library.privacy.learned import people
from shapedp.base import artifacts
from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.laboratories import contributing, joint, letters, rounds, study
from shapedp.ledger import restoring
from shapedp.ledger.ledger_folder import Ledger, check_published
from shapedp.ledger.population_ledger import PopulationLedger
from shapedp.privacy import noise
from shapedp.privacy.accounting.cost import GAUSSIAN, Cost
from shapedp.privacy.statistic import Rows
from shapedp.releases import allow_list
from shapedp.releases.protocol import Evidence, People
from shapedp.releases.statement import forms, guarantees

PEOPLE = {"bergen": 40, "graz": 60, "pisa": 50}
MU, CONSPIRING = 2.0, 1
SECTION = {
    "bounds": {"source": "reference_set"},
    "curves": {"count": people.SHAPE[0], "samples": people.SHAPE[2], "spacing": "arc"},
    "persons": "refuse",
}


def write_public(folder):
    """The template and what was learned of public people, as the chain writes them."""
    with artifacts.writer(folder / "template.h5", artifacts.TEMPLATE) as out:
        out.set(
            **dict.fromkeys(("f", "cloud_f"), np.zeros((4, 8, 3))),
            cloud_places=np.zeros((4, 8, 2)),
            **artifacts.no_people((4, 8)),
            extent=1.0,
            curves=people.center(),
            radii=np.arange(1, people.SHAPE[0] + 1) / people.SHAPE[0],
            scale=150.0,
            public=1,
            source="built_in",
        )
    learned = people.variation()
    with artifacts.writer(folder / "variation.h5", artifacts.VARIATION) as out:
        out.set(**{name: getattr(learned, name) for name in artifacts.VARIATION.fields})


def curves_of(lab):
    return people.draw(PEOPLE[lab], 100 + sorted(PEOPLE).index(lab))


class Labs:
    """Three laboratories with a folder of their own each, and one for what they send."""

    def __init__(self, folder, **changes):
        self.folder, self.letters = folder, folder / "letters"
        write_public(folder)
        keys = {lab: letters.make_key(folder / lab / "keys", lab) for lab in PEOPLE}
        agreed = {
            "study": "rhine",
            "labs": {lab: {"key": key, "people": PEOPLE[lab]} for lab, key in keys.items()},
            "conspiring": CONSPIRING,
            "overlap": "none",
            "release": {"name": "together", "mechanism": "shaped", "budget": {"mu_total": MU}},
            "settings": SECTION,
            "sources": {"settings": "agreed on a page", "template": "built_in", "bounds": "built_in"},
            "statement": {},
            **changes,
        }
        self.study = study.write(folder / "study", agreed, folder / "template.h5", folder / "variation.h5")

    def round(self, attempt=1, stage=0):
        return rounds.Round(self.study, self.letters, attempt, stage)

    def ledger(self, lab):
        return Ledger(self.folder / lab / "ledger")

    def hello(self, this, labs=tuple(PEOPLE)):
        for lab in labs:
            rounds.say_hello(this, lab, PEOPLE[lab], self.folder / lab / "keys", "test")

    def people(self, lab, curves=None):
        rows = curves_of(lab) if curves is None else curves
        n = len(rows)
        return People(
            count=n,
            read=Rows.of(rows).read,
            beside=np.zeros((n, 0)) if self.study.release.get("kind") else None,
            n=n,
            records=f"{lab}-{float(rows.sum()):.6f}",
            evidence=Evidence(("curves",), n, n, n, False),
        )

    def contribute(self, this, lab, curves=None, cap=5.0):
        privacy = {
            "population": {"faces": lab},
            "cap": {"faces": {"mu_total": cap}},
            "seed": None,
            "tuned_on": "public",
            "groups": {"membership": "public", "sizes": {}},
            "sources": self.study.agreed["sources"],
            "statement": {},
        }
        release = joint.plan_release(this, this.read_hellos(), privacy)
        keys = self.folder / lab / "keys"
        cohort = self.people(lab, curves)
        return contributing.contribute(self.ledger(lab), this, lab, release, cohort, noise.SecureNoise(), keys)

    def all_stages(self, attempt=1, labs=tuple(PEOPLE)):
        """Every round of an attempt; how many they were."""
        stage = 0
        first = self.round(attempt)
        self.hello(first, labs)
        while True:
            this = self.round(attempt, stage)
            self.hello(this, labs)
            for lab in labs:
                self.contribute(this, lab)
            stage += 1
            following = self.round(attempt, stage)
            answers = rounds.compute_earlier_answers(following, joint.plan_release(first, first.read_hellos()))
            if joint.plan_release(first, first.read_hellos()).stage(answers) is None:
                return stage

    @property
    def output(self):
        return self.folder / "results" / "release" / "faces" / "together"


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """The three laboratories after the release."""
    labs = Labs(tmp_path_factory.mktemp("rhine"))
    labs.stages = labs.all_stages()
    joint.combine(labs.round(), labs.output)
    return labs


def test_the_release_is_the_mean_of_everybody_within_its_noise(done):
    everybody = np.concatenate([curves_of(lab) for lab in sorted(PEOPLE)])
    with artifacts.reader(done.output / "mean_face.h5", artifacts.MEAN_FACE) as release:
        error = np.sqrt(np.mean(np.sum((release["curves"] - everybody.mean(axis=0)) ** 2, axis=1)))
        sd = np.sqrt(np.mean(release["noise_sd"] ** 2) * 3)
    assert error < 4 * sd + 0.02


def test_it_takes_a_round_for_each_stage(done):
    """n mu is above 50, so that how far people lie is asked first, and their mean three times."""
    assert done.stages == 6


def test_the_folder_may_be_published_and_says_who_made_it(done):
    allow_list.check_folder(done.output, "faces")
    stated = json.loads((done.output / "statement.json").read_text())
    assert stated["formally_private"] is True
    assert stated["guarantee"]["mu"] == MU
    assert stated["release"]["n"] == sum(PEOPLE.values())
    told = stated["laboratories"]
    assert [(lab["name"], lab["people"]) for lab in told["roster"]] == sorted(PEOPLE.items())
    assert told["faced"] == pytest.approx(study.list_mu_faced(study.find_mu_to_world(MU, 3, CONSPIRING), 3))
    assert told["faced"][CONSPIRING] == pytest.approx(MU)
    words = (done.output / "statement.md").read_text()
    assert "3 laboratories made this release together" in words


def test_it_claims_nothing_of_ledgers_and_caps_that_each_laboratory_keeps_for_itself(done):
    stated = json.loads((done.output / "statement.json").read_text())
    assert stated["budget"] == {"population": "rhine"}
    assert "within_budget" not in {one["name"] for one in stated["conditions"]}
    assert check_published(done.ledger("graz"), "rhine", {done.output: stated}) == []
    words = (done.output / "statement.md").read_text()
    untrue = "no cap", "held no other", "stands in the ledger", "0" * 64, "| spent, in |"
    assert not [one for one in untrue if one in words] and "is for each laboratory to say" in words
    declared = {**stated["declared"], "by": "three", "purpose": "norms", "region": "Europe"}
    entry = forms.write_forms({**stated, "declared": declared}, "together")["registry.yaml"]
    assert "All releases about the population" not in entry and "each laboratory to say" in " ".join(entry.split())


def test_each_ledger_is_charged_for_what_conspirators_face(done):
    for lab in PEOPLE:
        assert done.ledger(lab).sum_spent(lab).mu == pytest.approx(MU, rel=1e-9)


def test_whoever_combines_gets_the_same_bytes(done):
    again, labs = joint.combine_parts(done.round())
    assert labs == tuple(sorted(PEOPLE))
    assert {name: (done.output / name).read_bytes() for name in again} == again


def test_each_laboratory_finds_its_part_in_the_release(done):
    for lab in PEOPLE:
        joint.check(done.round(), lab, done.ledger(lab), lab, done.output)


def test_a_release_that_was_edited_is_found_out(done, tmp_path):
    for name in ("mean_face.h5", "statement.json", "statement.md"):
        (tmp_path / name).write_bytes((done.output / name).read_bytes())
    stated = (tmp_path / "statement.md").read_text()
    (tmp_path / "statement.md").write_text(stated.replace("150 people", "151 people"))
    with pytest.raises(RefusedRelease, match="do not publish"):
        joint.check(done.round(), "graz", done.ledger("graz"), "graz", tmp_path)


def test_a_round_is_answered_once(done):
    path = done.round(stage=1).part_path("graz")
    before = path.read_bytes()
    path.unlink()
    assert done.contribute(done.round(stage=1), "graz") == (path, True)
    assert path.read_bytes() == before
    with pytest.raises(RefusedRelease, match="other records"):
        done.contribute(done.round(stage=1), "graz", curves_of("graz")[::-1] * 1.01)
    assert done.ledger("graz").sum_spent("graz").mu == pytest.approx(MU, rel=1e-9)


def test_a_round_key_is_forgotten_once_the_part_is_stored(done):
    assert not list((done.folder / "graz" / "keys" / "rounds").glob("*"))


def test_sums_of_laboratories_are_those_of_one_with_everybody(done):
    """Bit for bit, for the statistic that the study asks."""
    release = joint.plan_release(done.round(), done.round().read_hellos())
    statistic = release.stage((np.array([0.5]),))
    parts = [statistic.sums(Rows.of(curves_of(lab))) for lab in sorted(PEOPLE)]
    whole = statistic.sums(Rows.of(np.concatenate([curves_of(lab) for lab in sorted(PEOPLE)])))
    for added, once in zip((parts[0] + parts[1] + parts[2]).values, whole.values, strict=True):
        assert (added == once).all()


def test_a_laboratory_drops_out_and_the_rest_begin_again(tmp_path):
    labs = Labs(tmp_path, conspiring=0)
    labs.hello(labs.round(1))
    labs.contribute(labs.round(1), "bergen")
    two = ("bergen", "graz")
    labs.all_stages(attempt=2, labs=two)
    assert joint.combine(labs.round(2), labs.output)[1] == two
    assert labs.ledger("bergen").sum_spent("bergen").mu > MU  # paid for the part that nobody summed
    assert json.loads((labs.output / "statement.json").read_text())["release"]["n"] == 100


@pytest.mark.parametrize(("kind", "file"), [("mean_face", "mean_face.h5"), ("face_model", "face_model.h5")])
def test_the_marker_of_what_was_combined_names_its_files(tmp_path, monkeypatch, kind, file):
    model = {"kind": kind, "modes": 3} if kind == "face_model" else {}
    release = {"name": "together", "mechanism": "shaped", "budget": {"mu_total": MU}, **model}
    labs = Labs(tmp_path, release=release)
    labs.all_stages()
    monkeypatch.setattr(take_part_in_study.contributing, "find_first_round", lambda given: labs.round())
    take_part_in_study.combine_parts({}, labs.output, tmp_path / "mark.json")
    named = json.loads((tmp_path / "mark.json").read_text())["files"]
    assert named == sorted([file, "drawn.h5", "statement.json", "statement.md"])
    assert all((labs.output / one).is_file() for one in named)


def test_what_exceeds_the_cap_is_refused_and_spends_nothing(tmp_path):
    labs = Labs(tmp_path)
    labs.hello(labs.round())
    with pytest.raises(RefusedRelease):
        labs.contribute(labs.round(), "graz", cap=0.01)
    assert labs.ledger("graz").sum_spent("graz").mu == 0


def new_hello(labs, this, lab, round_key):
    """What a member can sign for a round at any time."""
    content = {"people": PEOPLE[lab], "round_key": round_key, "software": "test", **this.study.agreed["files"]}
    key = letters.load_key(labs.folder / lab / "keys", lab)
    this.hello_path(lab).write_text(json.dumps(letters.sign_letter(this.make_head(letters.HELLO, lab), content, key)))


def refused_without_spending(labs, this, lab, words):
    """See that a laboratory's part is refused in these words, twice, and that its ledger stays as it was."""
    path = labs.ledger(lab).folder / f"{lab}.jsonl"
    before = path.read_bytes() if path.exists() else b""
    for _ in range(2):
        with pytest.raises((ConfigError, RefusedRelease)) as refusal:
            labs.contribute(this, lab)
        assert (path.read_bytes() if path.exists() else b"") == before
        assert re.search(words, str(refusal.value)) and "othing was spent" in str(refusal.value)


def test_a_round_key_of_small_order_burns_nobody_s_budget(tmp_path):
    labs = Labs(tmp_path)
    this = labs.round()
    labs.hello(this)
    before = this.hello_path("pisa").read_bytes()
    new_hello(labs, this, "pisa", "00" * 32)
    refused_without_spending(labs, this, "bergen", "hello-pisa.json: .* ask it for a new hello")
    this.hello_path("pisa").write_bytes(before)
    assert labs.contribute(this, "bergen") == (this.part_path("bergen"), False)


@pytest.mark.parametrize("keyless", [False, True], ids=["signed_anew", "deleted"])
def test_a_hello_that_changes_after_the_answer_burns_nobody_s_budget(tmp_path, keyless):
    """A member signs a new one, or anybody takes one away."""
    labs = Labs(tmp_path)
    this = labs.round()
    labs.hello(this)
    sent, _ = labs.contribute(this, "bergen")
    part, hello = sent.read_bytes(), this.hello_path("pisa").read_bytes()
    if keyless:
        this.hello_path("pisa").unlink()
    else:
        new_hello(labs, this, "pisa", "ab" * 32)
    refused_without_spending(labs, this, "bergen", "'bergen' answered this round .* begin another attempt")
    sent.unlink()
    this.hello_path("pisa").write_bytes(hello)
    assert labs.contribute(this, "bergen") == (sent, True)
    assert sent.read_bytes() == part


def test_a_part_that_was_stored_before_a_crash_is_the_one_that_is_sent(tmp_path, monkeypatch):
    """Also where a hello changed meanwhile and was put back."""
    labs = Labs(tmp_path)
    this = labs.round()
    labs.hello(this)
    with monkeypatch.context() as dying, pytest.raises(KeyboardInterrupt):
        dying.setattr(PopulationLedger, "commit", lambda book, intent: raised(KeyboardInterrupt))
        labs.contribute(this, "bergen")
    (copy,) = (tmp_path / "bergen" / "ledger" / "bergen").glob("*/part-bergen.npz")
    assert not this.part_path("bergen").exists()
    hello = this.hello_path("pisa").read_bytes()
    this.hello_path("pisa").unlink()
    refused_without_spending(labs, this, "bergen", "answered this round .* begin another attempt")
    this.hello_path("pisa").write_bytes(hello)
    path, _ = labs.contribute(this, "bergen")
    assert path.read_bytes() == copy.read_bytes()
    assert [row["status"] for row in labs.ledger("bergen").list_releases("bergen")] == ["released"]


def raised(error):
    raise error


def test_a_round_is_not_answered_again_with_a_new_key_of_one_s_own(tmp_path):
    labs = Labs(tmp_path)
    this = labs.round()
    labs.hello(this)
    labs.contribute(this, "bergen")
    this.hello_path("bergen").unlink()
    labs.hello(this, ("bergen",))
    refused_without_spending(labs, this, "bergen", "answered this round .* begin another attempt")


def test_a_round_key_that_is_lost_burns_no_budget(tmp_path):
    labs = Labs(tmp_path)
    this = labs.round()
    labs.hello(this)
    rounds.locate_round_key(tmp_path / "bergen" / "keys", this, "bergen").unlink()
    refused_without_spending(labs, this, "bergen", "begin another attempt")


def test_a_signing_key_that_is_another_s_burns_no_budget(tmp_path):
    labs = Labs(tmp_path)
    labs.hello(labs.round())
    (tmp_path / "pisa/keys/pisa.key").rename(tmp_path / "bergen/keys/bergen.key")
    refused_without_spending(labs, labs.round(), "bergen", "not the key that the study lists")


def test_people_who_may_be_in_two_laboratories_pay_twice(tmp_path):
    labs = Labs(tmp_path, overlap="possible")
    labs.all_stages()
    assert labs.ledger("graz").sum_spent("graz").mu == pytest.approx(2 * MU, rel=1e-9)
    joint.combine(labs.round(), labs.output)
    stated = json.loads((labs.output / "statement.json").read_text())
    assert stated["guarantee"] == guarantees.describe_cost(Cost(GAUSSIAN, mu=2 * MU))
    world = study.find_mu_to_world(2 * MU, len(PEOPLE), CONSPIRING)
    assert stated["laboratories"]["faced"] == pytest.approx(study.list_mu_faced(world, len(PEOPLE)))
    (person,) = (one for one in stated["conditions"] if one["name"] == "one_record_a_person")
    assert "at most two in all" in person["requirement"] and "two laboratories" in stated["unit"]
    words = (labs.output / "statement.md").read_text()
    assert "mu = 4 (Gaussian)" in words and "scanned in two of them, and all numbers here are for such" in words


def test_a_part_is_noted_beside_the_releases_and_a_lost_ledger_sends_no_other(tmp_path):
    labs = Labs(tmp_path)
    labs.letters = tmp_path / "results" / "study" / "rhine"
    (tmp_path / "results" / "private").mkdir(parents=True)
    labs.hello(labs.round())
    labs.contribute(labs.round(), "graz")
    spent = labs.ledger("graz").sum_spent("graz").mu
    shutil.rmtree(labs.ledger("graz").folder)
    labs.hello(labs.round(2))
    with pytest.raises(RefusedRelease, match="stands in no line"):
        labs.contribute(labs.round(2), "graz")
    assert labs.ledger("graz").sum_spent("graz").mu == 0
    with labs.ledger("graz").open_book("graz") as book:
        restoring.restore(book, {}, restoring.read_receipt(tmp_path / "results" / "release", "graz"))
    assert labs.ledger("graz").sum_spent("graz").mu == pytest.approx(spent, rel=1e-12)
    labs.contribute(labs.round(2), "graz")


def test_another_number_of_people_than_was_said_is_refused(tmp_path):
    labs = Labs(tmp_path)
    labs.hello(labs.round())
    with pytest.raises(RefusedRelease, match="says 60 people"):
        labs.contribute(labs.round(), "graz", curves_of("graz")[:-1])


def test_it_is_drawn_for_what_the_world_faces(done):
    here = joint.plan_release(done.round(), done.round().read_hellos())
    assert here.mechanism.mu == pytest.approx(study.find_mu_to_world(MU, 3, CONSPIRING))
