"""Every command of the pages for beginners, as printed, in a folder like a checkout."""

import re
import subprocess

import numpy as np
import pytest
import yaml

from docs import pages
from shapedp.base import artifacts
from workflow import runs

pytestmark = pytest.mark.thorough

LINKED = ("Snakefile", "workflow", "scripts", "profiles", "envs", "requirements.lock", "config.yaml", "README.md")
PATIENCE = 1500  # seconds


@pytest.fixture
def checkout(root, tmp_path):
    """A folder with the checkout's files and no results or data of its own."""
    for name in LINKED:
        (tmp_path / name).symlink_to(root / name)
    return tmp_path


def merged(settings, changes):
    """Settings with changes put into them, section by section."""
    if not (isinstance(settings, dict) and isinstance(changes, dict)):
        return changes
    return {**settings, **{key: merged(settings.get(key), value) for key, value in changes.items()}}


def follow(page, folder):
    """Do what a page says: run its commands, and put into files what belongs there. (command, what it said) of each."""
    for kind, text, file in pages.blocks(page):
        if kind == "bash":
            for command in text.splitlines():
                yield command, said(command, folder)
        elif file:
            path = folder / file
            settings = merged(yaml.safe_load(path.read_text(encoding="utf-8")), yaml.safe_load(text))
            path.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")


def said(command, folder):
    done = subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env=runs.environment(),
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout + done.stderr


def test_bounds_and_budget(root, checkout):
    (told,) = [words for _, words in follow(root / "docs/bounds_and_budget.md", checkout)]
    assert "300 people, mu = 1" in told


@pytest.mark.long
@pytest.mark.timeout(PATIENCE)
def test_first_release_of_landmarks(root, checkout):
    told = dict(follow(root / "docs/first_release_landmarks.md", checkout))
    assert "hand" in told["shapedp ledger hands"]
    assert (checkout / "hand.csv").read_text(encoding="utf-8").startswith("landmark,x,y")
    assert not (checkout / "results/private/faces").exists()


@pytest.mark.long
@pytest.mark.timeout(PATIENCE)
def test_first_release_of_scans(root, checkout):
    if subprocess.run(["bash", "envs/fetch_example.sh"], cwd=checkout, capture_output=True, check=False).returncode:
        pytest.skip("pip cannot reach the example's faces")
    told = dict(follow(root / "docs/first_release_scans.md", checkout))
    assert "rejected" in told["cat results/private/faces/quality.tsv"]
    assert "first" in told["shapedp ledger my_people"]
    assert "index.html" in told["ls results/release/faces/first"]
    assert (checkout / "results/public/releases.zip").is_file()
    assert {path.name for path in (checkout / "results/release").iterdir()} == {"faces"}
    assert error_to_chance(checkout) <= 2


def error_to_chance(folder):
    """The released mean's error over the chance in who takes part: both from the mean of the curves themselves."""
    with artifacts.reader(folder / "results/release/faces/first/mean_face.h5", artifacts.MEAN_FACE) as source:
        released = source["curves"]
    with artifacts.reader(folder / "results/private/faces/curves.h5", artifacts.CURVES) as source:
        people = source["curves"][source["ok"].astype(bool)]
    mean = people.mean(axis=0)
    lengths = [np.square(one - mean).sum(axis=1).mean() for one in (released, *people)]
    return np.sqrt(lengths[0] / (np.mean(lengths[1:]) / (len(people) - 1)))


def test_changes_are_put_into_settings_section_by_section():
    assert merged({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": [4]}}) == {"a": {"b": [4], "c": 2}, "d": 3}
    assert merged({"a": None}, {"a": {"b": 1}}) == {"a": {"b": 1}}


@pytest.mark.long
@pytest.mark.timeout(PATIENCE)
def test_other_surfaces_are_released_in_the_words_of_their_subject(root, checkout):
    said_of = dict(follow(root / "docs/first_release_surfaces.md", checkout))
    assert any("12 of 12 public scans" in words for words in said_of.values())
    folder = checkout / "results/release/faces/mean_tile"
    written = [(folder / name).read_text(encoding="utf-8") for name in ("statement.md", "index.html")]
    written += [(checkout / name).read_text(encoding="utf-8") for name in PRIVATE_WORDS]
    for text in [*written, *said_of.values()]:
        assert spoken_of_faces(text) == []
    assert "mean terrain of 14 people" in written[0]


PRIVATE_WORDS = ("results/private/faces/forecast.txt", "results/private/faces/review.html")
STORED = re.compile(r"[\w./-]*(?:_face|face_|faces?[./:_]|/faces?|`faces`|faces: )[\w./:-]*")


def spoken_of_faces(text):
    """The lines of a text that speak of a face or of what only faces have, names that are stored left out.

    A reason that Snakemake gives shows the settings of a rule, before and now, which are such names.
    """
    text = re.sub(r"^Reason: .*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"<script.*?</script>|<style.*?</style>|base64,[^\"']*", "", text, flags=re.DOTALL)
    plain = STORED.sub("", text)
    return [line for line in plain.splitlines() if re.search(r"\b(faces?|nose|hair|glasses|collar)\b", line, re.I)]
