"""study.yaml is written by a stranger: it names no place, no code and no more than a machine holds."""

import hashlib

import pytest
import yaml

from library.laboratories import five_labs
from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.laboratories import joint, rounds, study
from shapedp.ledger.ledger_folder import Ledger
from shapedp.releases import publishing


@pytest.fixture
def folder(tmp_path):
    """A folder with the study of five laboratories in study/."""
    five_labs.make(tmp_path)
    return tmp_path


def changed(folder, **changes):
    """Rewrite the study with other entries; its file."""
    path = folder / "study" / study.FILE
    agreed = yaml.safe_load(path.read_text())
    path.write_text(yaml.safe_dump({**agreed, **changes}))
    return path


def listing(folder):
    """{path: digest} of all files under a folder."""
    return {path: hashlib.sha256(path.read_bytes()).digest() for path in folder.rglob("*") if path.is_file()}


def refusal(path):
    with pytest.raises(ConfigError) as refused:
        study.load(path)
    lines = str(refused.value).splitlines()
    assert all(line.startswith(str(path)) and len(line) < 1500 for line in lines)
    return lines[0]


PLACES = ("../../../data/ledger", "/tmp/elsewhere", "a/b", "..", ".", "", "together\n", "a b", "x" * 65)


@pytest.mark.parametrize("name", PLACES)
def test_a_release_is_named_by_a_name_and_by_no_place(folder, name):
    release = {"name": name, "mechanism": "shaped", "budget": {"mu_total": 1.0}}
    assert "release.name" in refusal(changed(folder, release=release))


@pytest.mark.parametrize("name", PLACES)
def test_a_name_that_is_a_place_leads_nowhere_even_where_the_schema_let_it_pass(folder, name):
    made = study.load(folder / "study")
    agreed = {**made.agreed, "release": {**made.release, "name": name}}
    with pytest.raises(ConfigError, match=r"release\.name"):
        study.Study(made.folder, agreed).locate_folder_in(folder / "results/release/faces")


def test_a_joint_release_is_never_put_where_a_ledger_lies(folder, monkeypatch):
    ledger, shown = Ledger(folder / "data/ledger"), {"statement.json": b"{}", "mean_face.h5": b"a release"}
    ledger.key()
    before = listing(folder)
    monkeypatch.setattr(joint, "combine_parts", lambda this: (shown, five_labs.LABS))
    for output in (folder / "data/ledger", folder / "results/release/faces/../../../data/ledger"):
        with pytest.raises(RefusedRelease, match="not of this release"):
            joint.combine(rounds.Round(study.load(folder / "study"), folder / "letters", 1, 0), output)
    assert {path: one for path, one in listing(folder).items() if path in before} == before
    assert not list(folder.rglob("*.old"))


def test_a_folder_of_scans_and_a_thesis_stays_whatever_a_release_is_called(tmp_path):
    (tmp_path / "scans").mkdir()
    (tmp_path / "scans/thesis.txt").write_text("years of work")
    before = listing(tmp_path)
    with pytest.raises(RefusedRelease, match="move that folder away"):
        publishing.show({"statement.json": b"{}"}, tmp_path / "scans")
    assert listing(tmp_path) == before


@pytest.mark.parametrize("mechanism", ["rhine.evil:Evil", "os:system", "antigravity:fly", "kng", "no_such"])
def test_a_study_names_no_code(folder, mechanism, monkeypatch):
    (folder / "study/rhine").mkdir()
    (folder / "study/rhine/__init__.py").write_text("")
    (folder / "study/rhine/evil.py").write_text("raise SystemExit('this ran')")
    monkeypatch.syspath_prepend(folder / "study")
    release = {"name": "together", "mechanism": mechanism, "budget": {"mu_total": 1.0}}
    assert "release.mechanism" in refusal(changed(folder, release=release))


SHAPED = {"name": "together", "mechanism": "shaped", "budget": {"mu_total": 1.0}}
FAULTS = {
    "negative": ({"release": {**SHAPED, "budget": {"mu_total": -1.0}}}, "release.budget.mu_total"),
    "no_number": ({"release": {**SHAPED, "budget": {"mu_total": float("nan")}}}, "release.budget.mu_total"),
    "other_budget": ({"release": {**SHAPED, "budget": {"mu": [1, 1, 1]}}}, "release.budget"),
    "group": ({"release": {**SHAPED, "group": "women"}}, "release.group"),
    "no_guarantee": ({"release": {**SHAPED, "reproduction": True}}, "release.reproduction"),
    "growth": ({"release": {**SHAPED, "kind": "growth"}}, "release"),
    "time": ({"release": {**SHAPED, "time": "1"}}, "release.time"),
    "unknown_key": ({"release": {**SHAPED, "seed": 1}}, "release"),
    "unknown_section": ({"settings": {"scans": "/etc"}}, "settings"),
    "old_section": ({"settings": {"correspondence": {}}}, "take the key out"),
    "unknown_setting": ({"settings": {"curves": {"count": 10**9}}}, "settings.curves.count"),
    "markup": ({"sources": {"settings": "<script>alert(1)</script>", "template": "a", "bounds": "b"}}, "sources"),
    "words_missing": ({"sources": {}}, "sources"),
    "contact": ({"statement": {"contact": "[me](javascript:alert(1))"}}, "statement.contact"),
    "study": ({"study": "rhine\n"}, "study"),
    "lab": ({"labs": {"../graz": {"key": "0" * 64, "people": 3}}}, "labs"),
    "key": ({"labs": {"graz": {"key": "0" * 63, "people": 3}}}, "labs"),
    "two_keys": ({"labs": {one: {"key": "0" * 64, "people": 3} for one in ("graz", "ulm")}}, "same key"),
    "conspiring": ({"conspiring": 10**30}, "64 bits"),
    "date": ({"study": yaml.safe_load("2024-01-01")}, "date"),
    "digest": ({"files": {"template": "../../template.h5", "variation": "none"}}, "files"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_study_says_what_settings_may_say_and_promises_something(folder, fault):
    change, words = FAULTS[fault]
    assert words in refusal(changed(folder, **change))


BOMB = "a0: &a0 [x]\n" + "".join(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]\n" for k in range(1, 12))
TEXTS = {
    "aliases": (BOMB, "anchor or an alias"),
    "deep": ("[" * 5000, "sections within sections"),
    "many": ("[" + "1," * 30_000 + "]", "values"),
    "long_number": ("study: " + "1" * 5000, "characters"),
    "large": ("#" * (1 << 19), "larger than"),
    "twice": ("study: a\nstudy: b\n", "stands twice"),
    "tag": ("study: !!python/object/apply:os.system ['true']", "not valid YAML"),
    "binary": ("study: !!binary aGVsbG8=", "bytes"),
    "set": ("study: !!set {a, b}", "set"),
    "keys": ("1: 2", "not a text"),
    "list": ("- study", "top level"),
    "nothing": ("", "top level"),
    "signs": ("study: \x1b[31mred", "not valid YAML"),
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_bounded_before_anything_is_made_of_it(folder, text):
    content, words = TEXTS[text]
    path = folder / "study" / study.FILE
    path.write_text(content)
    assert words in refusal(path)


def test_bytes_that_are_no_text_and_a_pipe_that_never_ends_are_refused(folder):
    path = folder / "study" / study.FILE
    path.write_bytes(b"\xff\xfe\x00")
    assert "codec" in refusal(path)
    path.unlink()
    path.symlink_to("/dev/zero")
    assert "not a plain file" in refusal(path)
