"""Nobody spends without having looked, and what was fitted to people who were looked at is declared."""

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import pages, schema
from shapedp.people.samples import Sample
from shapedp.releases import look

MODEL = {
    "name": "model",
    "kind": "face_model",
    "mechanism": "shaped",
    "budget": {"mu_total": 1.0},
    "covariates": {"age": {"range": [18, 60]}, "sex": {"levels": ["f", "m"]}},
}
PEOPLE = [Sample(f"scan_{at}", f"{at}.ply", f"person_{at}", covariates=(("age", "40"),)) for at in range(4)]
PRIVACY = {**schema.complete_settings(pages.make_demo())["privacy"], "look_first": True, "tuned_on": "public"}
FACES = schema.complete_settings(pages.make_demo())["faces"]


def look_of(people=PEOPLE, releases=(MODEL,), privacy=PRIVACY, **faces):
    section = deepcopy(FACES) | faces
    return look.make_look("faces", section, privacy, look.read_frame(people, privacy), releases)


@pytest.fixture
def path(tmp_path):
    """Where a look at PEOPLE has been noted."""
    look.note_looks(tmp_path / "looked.json", [look_of()])
    return tmp_path / "looked.json"


def test_nothing_is_released_before_a_look(tmp_path):
    with pytest.raises(RefusedRelease, match=r"nobody has looked at population 'demo_faces' yet.*Nothing was spent"):
        look.refuse_unlooked(tmp_path / "looked.json", look_of(), PRIVACY)
    look.refuse_unlooked(tmp_path / "looked.json", look_of(), PRIVACY | {"look_first": False})


def test_after_it_the_same_is_released(path):
    look.refuse_unlooked(path, look_of(), PRIVACY)
    look.refuse_unlooked(path, look_of(keep=["curves"], batch_size=7, releases=()), PRIVACY)
    bare = {key: value for key, value in MODEL.items() if key != "covariates"}
    look.refuse_unlooked(path, look_of(releases=[bare | {"name": "other", "budget": {"mu_total": 0.5}}]), PRIVACY)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"people": PEOPLE[1:]}, "is not listed as it was"),
        ({"people": [*PEOPLE[1:], Sample("scan_9", "9.ply", "person_9")]}, "is not listed as it was"),
        ({"privacy": PRIVACY | {"people": {"faces": 5}}}, "is not listed as it was"),
        ({"privacy": PRIVACY | {"population": {"faces": "others"}}}, "nobody has looked at population 'others'"),
        ({"gates": FACES["gates"] | {"unseen": 5}}, r"faces\.gates is not set as when"),
        (
            {"releases": [MODEL | {"covariates": {"height": {"range": [100, 200]}}}]},
            "beyond faces.releases: the range of",
        ),
    ],
)
def test_a_look_at_other_people_or_with_other_settings_is_none(path, changed, words):
    with pytest.raises(RefusedRelease, match=words):
        look.refuse_unlooked(path, look_of(**changed), changed.get("privacy", PRIVACY))


FITTED = [
    ({"releases": [MODEL | {"covariates": {"age": {"range": [18, 90]}}}]}, "the range of age"),
    ({"bounds": FACES["bounds"] | {"quantile": 1.0}}, r"faces\.bounds\.quantile"),
    ({"variation": FACES["variation"] | {"quantile": 0.5}}, r"faces\.variation\.quantile"),
]


@pytest.mark.parametrize(("changed", "words"), FITTED)
def test_a_bound_that_changes_after_the_look_was_fitted_to_these_people(path, changed, words):
    now = look_of(**changed)
    look.note_looks(path, [now])
    assert "a release needs `privacy.tuned_on: data` now" in next(look.list_changes(path, now))
    for look_first in (True, False):
        with pytest.raises(RefusedRelease, match=f"{words}: is .* first looked at.*tuned_on: data"):
            look.refuse_unlooked(path, now, PRIVACY | {"look_first": look_first})
    look.refuse_unlooked(path, now, PRIVACY | {"tuned_on": "data"})
    look.note_looks(path, [look_of()])
    look.refuse_unlooked(path, look_of(), PRIVACY)


def test_of_landmarks_radius_and_sizes_are_bounds(tmp_path):
    shapes = schema.complete_settings(pages.make_demo())["shapes"]
    entry = {"name": "model", "kind": "shape_model", "covariates": {"log_size": {"range": [1.0, 2.0]}}}
    change = {"name": "change", "kind": "mean_change", "per": {"years": [0.5, 3]}}
    seen = look.make_look("shapes", shapes | {"size": [1, 5]}, PRIVACY, [("a",)], [entry, change])
    assert seen["ranges"] == {
        "shapes.radius": [0.2],
        "shapes.size": [[1, 5]],
        "shapes.releases: the range of log_size": [{"range": [1.0, 2.0]}],
        "shapes.releases: per.years": [[0.5, 3]],
    }
    look.note_looks(tmp_path / "looked.json", [seen])
    look.refuse_unlooked(tmp_path / "looked.json", seen, PRIVACY)


@pytest.mark.parametrize(
    "left", ["", "[1]", '{"faces": 3}', '{"faces": {"demo_faces": {}}}', '{"faces": {"demo_faces": 1}}']
)
def test_what_is_no_look_counts_as_none(tmp_path, left):
    path = tmp_path / "looked.json"
    path.write_text(left, encoding="utf-8")
    with pytest.raises(RefusedRelease, match="nobody has looked"):
        look.refuse_unlooked(path, look_of(), PRIVACY)


def test_what_is_noted_is_no_content(path):
    """Digests of the frame and of settings, ranges as they stand in the settings, and nothing of a record."""
    text = path.read_text(encoding="utf-8")
    assert not any(word in text for word in ("person_", "scan_", ".ply", '"40"'))
    assert set(json.loads(text)["faces"]["demo_faces"]) == {"people", "settings", "ranges", "first_ranges"}


def moved_by_record(pairs, path):
    """The number of pairs of cohorts, one record of which differs, that the look's note or verdict tells apart."""
    rng, moved = np.random.default_rng(51), 0
    for _ in range(pairs):
        settings = {"gates": FACES["gates"] | {"unseen": float(rng.integers(1, 4))}}
        one = cohort(rng)
        at = int(rng.integers(len(one)))
        other = [another(rng, person) if row == at else person for row, person in enumerate(one)]
        path.unlink(missing_ok=True)
        if rng.random() < 0.8:
            look.note_looks(path, [look_of(one if rng.random() < 0.5 else one[1:], **settings)])
        moved += len({verdict(people, path, settings) for people in (one, other)}) > 1
    return moved


def cohort(rng):
    return [
        another(rng, Sample(f"s{at}", f"{at}.ply", f"p{at}", time="first")) for at in range(int(rng.integers(2, 9)))
    ]


def another(rng, person):
    """The same line of the frame, with whatever a record may hold there."""
    cells = (("age", str(rng.choice(["", "40", "1e9", "a hundred"]))), ("sex", str(rng.choice(["f", "m", "?"]))))
    group, nose = str(rng.choice(["", "old", "young"])), tuple(rng.normal(size=3))
    own = {"group": group, "nose": nose, "covariates": cells, "use": bool(rng.integers(2))}
    return replace(person, **own, notices=("not read",))


def verdict(people, path, settings):
    """What a release of these people is compared by, and what is said to it."""
    mine = look_of(people, **settings)
    try:
        look.refuse_unlooked(path, mine, PRIVACY)
    except RefusedRelease as refused:
        return json.dumps(mine, sort_keys=True), str(refused)
    return json.dumps(mine, sort_keys=True), "released"


def test_whether_a_run_stops_depends_on_no_record(tmp_path):
    assert moved_by_record(200, tmp_path / "looked.json") == 0
