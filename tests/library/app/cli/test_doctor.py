"""The self-test says what a machine lacks, and what to do; what is well is not complained about."""

from email.message import Message

import numpy as np
import pytest

from shapedp.app.cli import doctor
from shapedp.privacy import noise


def test_a_closed_folder_is_well_and_an_open_one_is_not(tmp_path):
    folder = tmp_path / "private"
    assert doctor.check_folder_closed(folder, "private results").well
    folder.mkdir(mode=0o700)
    assert doctor.check_folder_closed(folder, "private results").well
    folder.chmod(0o755)
    found = doctor.check_folder_closed(folder, "private results")
    assert not found.well
    assert found.remedy == f"it should be yours alone: chmod 700 {folder}"


@pytest.mark.parametrize(("pins", "well"), [(np.__version__, True), ("0.0.1", False)])
def test_packages_are_compared_with_the_lock(tmp_path, monkeypatch, pins, well):
    lock = tmp_path / "lock"
    lock.write_text(f"numpy==9.9 ; python_version < '3'\nnumpy=={pins} \\\nno-such-thing==1.0 ; os_name == 'nt'\n")
    monkeypatch.setattr(doctor, "LOCK", lock)
    found = doctor.check_packages()
    assert found.well is well
    assert ("numpy" in found.words) is not well


def test_a_checkout_has_its_lock_beside_the_library():
    assert doctor.LOCK.is_file() and "no lock" not in doctor.check_packages().words


def test_the_disk_is_measured(monkeypatch):
    assert not doctor.check_disk(1.2).well
    assert "1.2 GB free" in doctor.check_disk(1.2).words


def test_noise_that_repeats_or_is_too_narrow_is_found(monkeypatch):
    assert "spread" in doctor.check_randomness()
    monkeypatch.setattr(noise, "make_source", lambda seed: noise.SeededNoise(1))
    assert doctor.check_randomness()

    class Narrow:
        def gaussian_integers(self, values, scale, sensitivity):
            return np.random.default_rng().normal(0, scale / 2, len(values)), 0.0

    monkeypatch.setattr(noise, "make_source", lambda seed: Narrow())
    found = doctor.run_check("randomness", doctor.check_randomness, "remedy")
    assert not found.well
    assert "noise of spread" in found.words


def test_a_ledger_that_was_changed_is_found(tmp_path):
    (tmp_path / "people.jsonl").write_text('{"entry": 0, "event": "intent"}\n', encoding="utf-8")
    (tmp_path / "people.lock").touch()
    (found,) = doctor.check_ledgers(tmp_path)
    assert not found.well
    assert found.remedy == "restore it from a backup"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"License-Expression": "MIT", "License": "old text"}, "MIT"),
        ({"Classifier": "License :: OSI Approved :: BSD License"}, "BSD License"),
        ({"License": "\n  Apache-2.0\nall the text"}, "Apache-2.0"),
        ({"License": "x" * 500}, "x" * doctor.LONGEST),
        ({}, "not stated"),
    ],
)
def test_the_licence_is_what_the_package_says(fields, words):
    found = Message()
    for name, value in fields.items():
        found[name] = value
    assert doctor.read_licence(found) == words


def test_a_package_that_is_not_installed_says_so(tmp_path):
    lock = tmp_path / "lock"
    lock.write_text("# comment==1\nnumpy==0.0.1 \\\n    --hash=sha256:00\nno-such-thing==2.0 ; python_version > '3'\n")
    numpy, other = doctor.list_licences(lock)
    assert numpy[:2] == ("numpy", "0.0.1")
    assert numpy[2] != "0.0.1", "the installed version is shown beside the locked one"
    assert other == ("no-such-thing", "2.0", "-", "not installed here")


def test_the_real_lock_has_a_licence_for_every_direct_dependency(root):
    rows = {name: licence for name, _, _, licence in doctor.list_licences(root / "requirements.lock")}
    for name in ("numpy", "scipy", "h5py", "snakemake", "opendp", "pymeshlab", "numba"):
        assert rows[name] not in ("not stated", "not installed here")


def test_what_the_project_carries_of_others_is_listed():
    three, people, expressions = doctor.list_vendored_licences()
    assert three == ("three (three.min.js, in pages)", "0.149.0", "0.149.0", "MIT")
    assert people == ("ICT-FaceKit (public_faces.npz, the built-in people)", "2020", "2020", "MIT")
    assert expressions == ("ICT-FaceKit (public_expressions.npz, the built-in people)", "2020", "2020", "MIT")
