"""What an older or newer version left behind: read, or refused in a line with the remedy; nothing is spent on it."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import show_release
from library.releases import examples
from library.releases.crashes import publish, rows
from library.releases.statement import earlier
from shapedp.base import artifacts
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease
from shapedp.base.settings import checks
from shapedp.ledger import population_ledger
from shapedp.ledger.ledger_folder import Ledger
from shapedp.ledger.spending import Group
from shapedp.privacy.accounting.cost import Cost
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.statement import statement, statement_text
from shapedp.releases.viewer import release_page

OTHER_WORDS = Path(__file__).parent / "statement/of_other_words"  # a release as commit 83c6997f stated it
OLDER = Path(__file__).parent / "of_older_version/mean_shape"  # a release of outlines as commit 83c6997f made it
RELEASED_WORDS = Path(__file__).parent / "of_older_version/words.json"  # of the fields of released files: no word goes
RENDERED = (5, "4be781725386ba4b")  # the number of today's words, and the digest of what they make of that statement


@pytest.fixture
def finished(tmp_path, monkeypatch):
    """A folder with a release that was finished by an older version, with the statement of its time."""
    with pytest.MonkeyPatch.context() as then:
        then.setattr(statement, "__version__", "0.1.0")
        earlier.publish_as_then(then)
        publish(tmp_path)
    return tmp_path


def test_a_finished_release_of_an_older_version_is_shown_again_and_spends_nothing(finished):
    before, draw = examples.shown(finished), examples.Draw()
    assert json.loads(before["statement.json"])["schema"] == earlier.VERSION
    publish(finished, draw=draw)
    (examples.output(finished) / "statement.md").unlink()
    publish(finished, draw=draw)
    assert draw.calls == 0 and len(rows(finished)) == 1 and examples.shown(finished) == before


def test_a_setting_that_an_upgrade_adds_spends_nothing_on_the_name_of_a_finished_release(finished):
    before, draw = examples.shown(finished), examples.Draw()
    settings = {**examples.SETTINGS, "n": 61}
    with pytest.raises(RefusedRelease, match="the name of another release"):
        publish(finished, examples.request(settings=settings), draw)
    assert draw.calls == 0 and len(rows(finished)) == 1 and examples.shown(finished) == before


def test_what_an_older_version_released_is_shown_in_the_words_of_its_time(tmp_path):
    folder = shutil.copytree(OLDER, tmp_path / "shapes/mean_shape")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with artifacts.reader(folder / "mean_shape.h5", artifacts.RELEASED_SHAPE) as source:
        assert source.meanings()["noise_radius"] != artifacts.RELEASED_SHAPE.fields["noise_radius"].meaning
    show_release.show_release(folder)
    assert (folder / "index.html").is_file() and (folder / "preview.png").is_file()
    assert {name: (folder / name).read_bytes() for name in before} == before
    allow_list.check_releases(tmp_path, release_page.render_page, release_files.draw)


@pytest.mark.parametrize("change", [{"meaning": "what nobody declared"}, {"version": "0.2.0 by Anna"}], ids=str)
def test_other_words_than_those_of_some_version_are_refused(tmp_path, change, monkeypatch):
    folder = shutil.copytree(OLDER, tmp_path / "shapes/mean_shape")
    kind, path = artifacts.RELEASED_SHAPE, folder / "mean_shape.h5"
    with artifacts.reader(path, kind) as source:
        fields, provenance, meanings = (
            {name: source[name] for name in kind.fields},
            source.provenance,
            source.meanings(),
        )
    words, version = change.get("meaning"), change.get("version", provenance["shapedp"])
    as_then = kind.with_meanings(meanings)
    if words:
        as_then = as_then.with_fields(
            **as_then.fields | {"noise_radius": replace(kind.fields["noise_radius"], meaning=words)}
        )
    with artifacts.writer(path, as_then, provenance["settings"], version=version) as out:
        out.set(**fields)
    with pytest.raises(RefusedRelease, match=r"mean_shape\.h5: holds more than its declared fields"):
        allow_list.check_folder(folder, "shapes")


def test_other_words_of_a_released_field_are_noted_as_earlier_ones():
    fields = {f"{kind.name} {kind.version}": kind.fields for kind in allow_list.KINDS.values()}
    released = json.loads(RELEASED_WORDS.read_text(encoding="utf-8"))
    forgotten = {
        f"{kind} {name}": meaning
        for kind, meanings in released.items()
        for name, meaning in meanings.items()
        if kind in fields and meaning not in (fields[kind][name].meaning, *fields[kind][name].earlier)
    }
    assert not forgotten, (
        "files with these words are no longer shown: put them into `earlier` of the field, in kinds.py"
    )


@pytest.fixture
def older_made(tmp_path):
    """A folder with a release that another version made of the records as it processed them."""
    with pytest.MonkeyPatch.context() as then:
        then.setattr(statement, "__version__", "0.1.0")
        publish(tmp_path, examples.request(records="34" * 32))
    return tmp_path


def test_a_release_that_another_version_made_by_these_settings_is_shown_again_with_a_word(older_made, capsys):
    before, draw = examples.shown(older_made), examples.Draw()
    shutil.rmtree(examples.output(older_made))
    publish(older_made, draw=draw)
    assert draw.calls == 0 and len(rows(older_made)) == 1 and examples.shown(older_made) == before
    assert "an earlier version of shapedp made it" in capsys.readouterr().err


@pytest.mark.parametrize(
    "other",
    [
        {"settings": {**examples.SETTINGS, "reference": "none"}},
        {"cost": Cost("gdp", mu=0.9)},
        {"group": Group("a", "public", "sheet")},
    ],
    ids=lambda other: next(iter(other)),
)
def test_whoever_asks_otherwise_than_the_other_version_was_asked_gets_no_old_release(older_made, other):
    with pytest.raises(RefusedRelease, match="the name of another release"):
        publish(older_made, examples.request(**other))


def test_other_people_get_no_old_release(older_made):
    with pytest.raises(RefusedRelease, match="the name of another release"):
        publish(older_made, facts=examples.stated(n=99))


def test_other_records_under_the_name_of_what_this_version_made_are_refused(tmp_path):
    publish(tmp_path, examples.request(records="34" * 32))
    with pytest.raises(RefusedRelease, match="the name of another release"):
        publish(tmp_path)


def with_line(folder, **line):
    """Add a line, rightly chained, to the ledger of a folder."""
    path = folder / "ledger/people.jsonl"
    population_ledger.append_entry(path, population_ledger.read_chain(path), line)


COST = {"kind": "gdp", "mu": 1.0}
UNKNOWN = (
    {"event": "borrowed", "amount": 1.0},
    {"event": "intent", "request": "0" * 64, "cost": {"kind": "zcdp", "rho": 1.0, "omega": 2.0}, "group": None},
    {"event": "intent", "request": "0" * 64, "cost": {"kind": "gdp", "mu": 1.0}},
    {"event": "intent", "request": "1" * 64, "cost": {"kind": "renyi", "mu": 1.0}, "group": None},
    {"event": "intent", "request": "2" * 64, "cost": {"kind": "gdp", "mu": -1.0}, "group": None},
    {
        "event": "intent",
        "request": "3" * 64,
        "cost": COST,
        "group": {"name": "a", "membership": "odd", "partition": "b"},
    },
    {"event": "intent", "request": "4" * 64, "cost": COST, "group": None, "plan": "all"},
    {"event": "intent", "request": "5" * 64, "cost": COST, "group": None, "plan": [{"kind": "renyi", "mu": 1.0}]},
    {"event": "intent", "request": "6" * 64, "cost": COST, "group": None, "plan": [{"kind": "none"}]},
    {"event": "cap", "cap": {"mu_per_year": 1.0}, "reason": None},
    {"no_event": 1},
)


@pytest.mark.parametrize("line", UNKNOWN, ids=lambda line: "-".join(map(str, line.values()))[:9])
def test_a_ledger_with_a_line_that_this_version_cannot_count_is_refused_with_the_remedy(finished, line):
    with_line(finished, **line)
    for act in (lambda: publish(finished), lambda: Ledger(finished / "ledger").sum_spent("people")):
        with pytest.raises(
            ArtifactError, match=r"people\.jsonl line 4: is of another version.*go on with the version"
        ) as told:
            act()
        assert "\n" not in str(told.value)


def test_what_older_versions_declared_in_a_ledger_is_read(finished):
    with_line(finished, event="different", other="twins", reason="asked", time="2025-01-01T00:00:00+00:00")
    assert any("declared different from twins" in line for line in Ledger(finished / "ledger").list_acts("people"))


@pytest.mark.parametrize("kind", [artifacts.DRAWN, artifacts.MEAN_FACE], ids=lambda kind: kind.name)
@pytest.mark.parametrize("change", [-1, 1])
def test_an_artifact_of_another_version_is_refused_with_the_remedy(tmp_path, kind, change):
    path = tmp_path / "drawn.h5"
    path.write_bytes(
        f"{artifacts.sealed_files.SIGNATURE} {kind.name} {kind.version + change}\n{'0' * 64}\n".encode().ljust(
            512, b"\0"
        )
    )
    with pytest.raises(ArtifactError, match=r"drawn\.h5: version .* read it with the shapedp that wrote it") as told:
        artifacts.check(path, kind)
    assert "\n" not in str(told.value)


def test_keys_of_older_settings_are_refused_with_what_stands_in_their_place():
    with pytest.raises(ConfigError, match="take the key out"):
        checks.check(
            {
                "faces": {
                    "scans": "demo",
                    "template": "built_in",
                    "bounds": {"source": "reference_set"},
                    "correspondence": {},
                },
                "privacy": {"population": {}, "cap": {}},
            }
        )


def test_a_statement_of_the_same_version_in_other_words_is_taken():
    stated = allow_list.check_statement(OTHER_WORDS)
    assert stated["schema"] == statement.VERSION
    assert (OTHER_WORDS / "statement.md").read_text(encoding="utf-8") != statement_text.render(stated)


def test_words_that_say_which_they_are_must_follow_from_the_statement(tmp_path):
    stated = json.loads((OTHER_WORDS / "statement.json").read_text(encoding="utf-8"))
    stated["software"] = statement.software()
    (tmp_path / "statement.json").write_text(json.dumps(stated))
    (tmp_path / "statement.md").write_text(statement_text.render(stated), encoding="utf-8")
    allow_list.check_statement(tmp_path)
    shutil.copy(OTHER_WORDS / "statement.md", tmp_path)
    with pytest.raises(RefusedRelease, match=r"statement\.md: differs from statement\.json"):
        allow_list.check_statement(tmp_path)


def test_other_words_have_another_number():
    words = statement_text.render(json.loads((OTHER_WORDS / "statement.json").read_text(encoding="utf-8")))
    found = statement.WORDS, hashlib.blake2b(words.encode(), digest_size=8).hexdigest()
    assert found == RENDERED, "raise statement.WORDS, and note it here with the digest"


@pytest.mark.parametrize("schema", ["shapedp statement 1", "shapedp statement 99", None, ["shapedp statement 2"]])
def test_a_statement_of_an_unknown_version_is_refused_in_one_line(finished, schema):
    stated = json.loads(examples.shown(finished)["statement.json"])
    with pytest.raises(RefusedRelease, match="statement: ") as told:
        statement.check({**stated, "schema": schema})
    assert "\n" not in str(told.value)
