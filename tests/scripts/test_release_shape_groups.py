"""Mean shapes of groups from a sheet: who is in, who pays, and what is refused; charged as groups of faces are."""

import json

import numpy as np
import pytest

import center_shapes
import read_shapes
import release_shapes
import shape_settings
import show_release
from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease
from shapedp.base.settings import registry
from shapedp.landmarks import outlines
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy.shapes.gaussian import Gaussian
from shapedp.privacy.statistic import Sums
from shapedp.releases import allow_list
from shapedp.releases.figures import release_files
from shapedp.releases.viewer import release_page

GROUPS = ["a"] * 12 + ["b"] * 8
SETTINGS = {"radius": 0.2, "contour_modes": 0, "center": "demo", "persons": "refuse"}


@pytest.fixture
def release(tmp_path):
    """release(group, budget, mechanism, membership, sizes, groups=, name=, more of its entry) -> its statement."""
    landmarks, _ = outlines.population(len(GROUPS), 1)
    np.savez(tmp_path / "private.npz", X=landmarks)

    def made(
        group, budget=3.0, mechanism="gaussian", membership="public", sizes=None, groups=GROUPS, name=None, **more
    ):
        rows = [f"private_{i + 1:05d},{one},{i}\n" for i, one in enumerate(groups)]
        (tmp_path / "sheet.csv").write_text("id,group,person\n" + "".join(rows), encoding="utf-8")
        paths = tmp_path / "landmarks.h5", tmp_path / "shapes.h5"
        read_shapes.read_shapes(tmp_path / "private.npz", paths[0], "demo", sheet=tmp_path / "sheet.csv")
        center_shapes.center_shapes(*paths, "demo")
        amount = "epsilon" if mechanism in ("knorm", "laplace") else "mu_total"
        entry = {"name": name or group or "all", "mechanism": mechanism, "budget": {amount: budget}} | more
        privacy = shape_settings.privacy(
            tmp_path, cap={"shapes": {"mu_total": 40.0}}, groups={"membership": membership, "sizes": sizes or {}}
        )
        output = tmp_path / "results" / "release" / "shapes" / entry["name"]
        asked = entry if group is None else {**entry, "group": group}
        release_shapes.release_shapes(*paths[::-1], output, asked, SETTINGS, privacy)
        return json.loads((output / "statement.json").read_text())

    made.folder = tmp_path
    return made


def spent(release):
    """mu of the population's ledger."""
    return Ledger(release.folder / "ledger").sum_spent("people").mu


def test_only_the_group_is_in_its_mean(release):
    """At a budget that leaves hardly any noise a group's mean is its own records' mean, not everybody's."""
    stated = release("b", budget=35.0)
    assert stated["formally_private"], stated["reasons"]
    assert stated["release"]["n"] == 8 and stated["release"]["group"] == {"name": "b", "membership": "public"}
    with artifacts.reader(release.folder / "shapes.h5", artifacts.SHAPES) as source:
        shapes, groups = source["shapes"], np.array(source["groups"])
    with artifacts.reader(release.folder / "results/release/shapes/b/mean_shape.h5", artifacts.RELEASED_SHAPE) as out:
        released = out["landmarks"]
    own, others = (np.linalg.norm(released - shapes[groups == one].mean(axis=0)) for one in "ba")
    assert own < 0.6 * others


@pytest.mark.parametrize("group", ["age 10-12", "traité"])
def test_a_group_has_any_name_of_a_cell_from_the_sheet_to_the_page(release, group):
    stated = release(group, groups=[group] * 12 + ["hot summer"] * 8, name="some")
    assert stated["release"]["group"]["name"] == group and stated["release"]["n"] == 12
    folder = release.folder / "results/release/shapes/some"
    show_release.show_release(folder)
    assert f"The mean shape of 12 people of group {group}, noise" in (folder / "index.html").read_text(encoding="utf-8")
    allow_list.check_releases(folder.parents[1], release_page.render_page, release_files.draw)


def test_disjoint_public_groups_cost_the_dearest(release):
    release("a", 3.0)
    release("b", 4.0)
    assert spent(release) == pytest.approx(4.0, rel=1e-12)
    release(None, 3.0)
    assert spent(release) == pytest.approx(5.0, rel=1e-12), "everybody and a group add up"


def test_another_division_adds_up(release):
    release("a", 3.0)
    release("b", 4.0, groups=["b", *GROUPS[1:]])
    assert spent(release) == pytest.approx(5.0, rel=1e-12)


def test_private_members_need_a_public_size_and_a_sum(release):
    with pytest.raises(RefusedRelease, match=r"needs a public size in privacy\.groups\.sizes"):
        release("a", membership="private")
    with pytest.raises(RefusedRelease, match="`laplace` cannot keep private who is in a group"):
        release("a", 1.0, "laplace", "private", {"a": 10})
    stated = release("a", membership="private", sizes={"a": 10})
    assert stated["formally_private"] and stated["release"]["n"] == 10, "declared, though 12 are in the sheet"


class Everybody(Gaussian):
    """From outside: it adds up whoever it is given."""

    name = label = words = "everybody"

    def sums(self, people):
        return Sums((self.integers(people.all()).sum(axis=0),))


@pytest.mark.parametrize(
    "asked", [{"mechanism": f"{__name__}:Everybody"}, {"mechanism": "shaped", "kind": "shape_model", "covariates": {}}]
)
def test_what_sums_by_itself_gets_no_group_of_private_members(release, asked, monkeypatch):
    """An own mechanism, and a model that no check of settings refused: nothing is drawn and nothing spent."""
    monkeypatch.setattr(registry, "_loaded", {})
    with pytest.raises(RefusedRelease, match="cannot keep private who is in a group"):
        release("a", membership="private", sizes={"a": 10}, budget=30.0, **asked)
    assert spent(release) == 0 and not (release.folder / "results/release/shapes/a").exists()
    assert release("a", name="public", budget=30.0, **asked)["formally_private"]


def test_the_noise_does_not_know_how_many_members_there_are(release):
    radii = []
    for name, groups in (("few", ["a"] * 3 + ["b"] * 17), ("many", ["a"] * 17 + ["b"] * 3)):
        stated = release("a", 1.0, "gaussian", "private", {"a": 10}, groups, name)
        folder = release.folder / "results/release/shapes" / name
        with artifacts.reader(folder / "mean_shape.h5", artifacts.RELEASED_SHAPE) as out:
            radii.append((out["noise_radius"], stated["release"]["n"]))
    assert radii[0] == radii[1]


def test_a_person_in_two_groups_is_in_none(tmp_path):
    landmarks, _ = outlines.population(4, 1)
    np.savez(tmp_path / "private.npz", X=landmarks)
    rows = "".join(f"private_{i + 1:05d},{one},p{i // 2}\n" for i, one in enumerate("aaab"))
    (tmp_path / "sheet.csv").write_text("id,group,person\n" + rows)
    read_shapes.read_shapes(tmp_path / "private.npz", tmp_path / "landmarks.h5", "demo", sheet=tmp_path / "sheet.csv")
    center_shapes.center_shapes(tmp_path / "landmarks.h5", tmp_path / "shapes.h5", "demo", persons="average")
    with artifacts.reader(tmp_path / "shapes.h5", artifacts.SHAPES) as source:
        assert source["groups"] == ["a", ""], "who is in a group may be private: it refuses no run"


@pytest.mark.parametrize("mechanism", ["gaussian", "shaped", "knorm"])
@pytest.mark.parametrize("members", [0, 1, 2])
def test_the_declared_size_decides_whether_a_release_exists(release, mechanism, members):
    stated = release("a", 3.0, mechanism, "private", {"a": 10}, ["a"] * members + ["b"] * (20 - members))
    assert stated["formally_private"] and stated["release"]["n"] == 10


@pytest.mark.parametrize("membership", ["public", "private"])
def test_other_members_at_the_same_size_are_another_release(release, membership):
    """Not the first members' bytes once more: of whom a release is, is part of what makes it the same."""
    sizes = {"a": 10, "b": 10} if membership == "private" else None
    release("a", 3.0, "gaussian", membership, sizes, ["a"] * 10 + ["b"] * 10)
    before = spent(release)
    with pytest.raises(RefusedRelease, match="another release"):
        release("a", 3.0, "gaussian", membership, sizes, ["b"] * 10 + ["a"] * 10)
    release("a", 3.0, "gaussian", membership, sizes, ["b"] * 10 + ["a"] * 10, name="again")
    assert spent(release) > before
