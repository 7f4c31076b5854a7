"""Means of groups through the release script: who pays, what is said, and what a moved person can change."""

import numpy as np
import pytest

import show_release
from library.privacy.cohort import GROUPS, KERNEL, SHAPE, Workspace
from shapedp.base.errors import RefusedRelease
from shapedp.people import samples
from shapedp.privacy import integer_sums
from shapedp.privacy.curves import bounds
from shapedp.releases import allow_list, curve_mechanisms, protocol
from shapedp.releases.figures import release_files
from shapedp.releases.viewer import release_page

pytestmark = pytest.mark.usefixtures("coarse_pictures")


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)


@pytest.mark.parametrize("group", ["age 10-12", "traité"])
def test_a_group_has_any_name_of_a_cell_from_the_sheet_to_the_page(workspace, group):
    stated, _ = workspace.release(workspace.stack([group] * 10 + ["hot summer"] * 8), group, "public", name="some")
    assert stated["release"] | {"n": 10} == stated["release"] and stated["release"]["group"]["name"] == group
    folder = workspace.folder / "results/release/faces/some"
    show_release.show_release(folder)
    assert f"The mean face of 10 people of group {group}, noise" in (folder / "index.html").read_text(encoding="utf-8")
    allow_list.check_releases(folder.parents[1], release_page.render_page, release_files.draw)


def test_a_time_with_accents_is_stated_and_shown_as_it_is(workspace):
    stated, _ = workspace.release(workspace.stack(), name="later", time="après 6 mois")
    assert stated["settings"]["time"] == "après 6 mois" and stated["formally_private"]
    folder = workspace.folder / "results/release/faces/later"
    show_release.show_release(folder)
    assert "<td>après 6 mois</td>" in (folder / "index.html").read_text(encoding="utf-8")
    assert "avant&quot;, &quot;après" in next(release_page._list_setting_rows({"times": ["avant", "après"]}))


def test_members_that_may_move_pay_for_the_dearest_group(workspace):
    """Moving costs sqrt(3^2 + 4^2)/2 = 2.5, staying in b costs 4."""
    stack = workspace.stack()
    for group, mu in (("a", 3.0), ("b", 4.0), ("c", 1.0)):
        stated, _ = workspace.release(stack, group, mu=mu)
        assert stated["formally_private"], stated["reasons"]
        assert stated["release"]["group"] == {"name": group, "membership": "private"}
    assert stated["budget"]["after"]["mu"] == pytest.approx(4.0, rel=1e-12)
    assert workspace.spent() == pytest.approx(4.0, rel=1e-12)
    words = (workspace.folder / "results/release/faces/c/statement.md").read_text()
    assert "two groups' releases count" in words


@pytest.mark.parametrize("name", curve_mechanisms.NAMES)
def test_who_moves_changes_each_group_by_half_of_what_its_noise_is_scaled_to(name):
    """The premise of the account: without a row the integer sum is at most GRID away, with another one 2 GRID."""
    rng = np.random.default_rng(5)
    people = rng.choice([0.01, 10.0], (12, 1, 1, 1)) * rng.standard_normal((12, *SHAPE))
    public = bounds.from_population(lambda a, b: people[a:b] / 50, 12, np.zeros(SHAPE), 0.9, 1.2, "a set", True)
    made = curve_mechanisms.make(name, SHAPE, 9, public, np.zeros(SHAPE), {"mu_total": 1.0}, KERNEL)
    whole = integer_sums.sum_people(made, lambda a, b: people[a:b], 12)
    for moved in range(12):
        rest = np.delete(people, moved, axis=0)
        left = integer_sums.sum_people(made, lambda a, b, rest=rest: rest[a:b], 11)
        assert sum(int(step) ** 2 for step in whole - left) <= integer_sums.GRID**2


@pytest.mark.parametrize("group", ["a", "c"])
def test_rows_of_a_private_group_stand_where_everybodys_do(group):
    """So who leaves it takes their own row out of the sum, and the others' are as they were to the last bit."""
    ids = [f"person{row:02d}" for row in range(len(GROUPS))]
    for membership in ("private", "public"):
        groups = {"membership": membership, "sizes": {"a": 8, "c": 4}}
        part = protocol.select_part(group, {"groups": groups}, bytes(32), ids, GROUPS)
        everybody = membership == "private"
        assert list(part.rows) == [row for row, one in enumerate(GROUPS) if everybody or one == group]
        assert list(part.members) == [one == group for one in GROUPS] if everybody else part.members is None


def test_fixed_public_members_pay_for_one_group(workspace):
    stack = workspace.stack()
    for group, mu in (("a", 3.0), ("b", 4.0), ("c", 1.0)):
        stated, _ = workspace.release(stack, group, "public", mu)
    assert stated["budget"]["after"]["mu"] == pytest.approx(4.0, rel=1e-12)
    words = (workspace.folder / "results/release/faces/c/statement.md").read_text()
    assert "public and fixed" in words and "two groups" not in words


def test_a_changed_division_is_another_division_and_adds_up(workspace):
    """The same sheet with one person moved: the groups of the two divisions overlap."""
    workspace.release(workspace.stack(), "a", "public", 3.0)
    moved = workspace.stack(["b", *GROUPS[1:]], "moved.h5")
    workspace.release(moved, "b", "public", 4.0)
    assert workspace.spent() == pytest.approx(5.0, rel=1e-12)


def test_everybody_and_a_group_add_up(workspace):
    stack = workspace.stack()
    workspace.release(stack, None, mu=3.0)
    workspace.release(stack, "a", "public", 4.0)
    assert workspace.spent() == pytest.approx(5.0, rel=1e-12)


def test_the_cap_counts_groups_as_the_ledger_does(workspace):
    stack = workspace.stack()
    workspace.release(stack, "a", mu=4.0)
    workspace.release(stack, "b", mu=4.0)
    with pytest.raises(RefusedRelease, match=r"spent mu = 4, this release costs 4\.5, left 3 of mu_total = 5"):
        workspace.release(stack, "b", mu=4.5, name="more")


def test_private_members_need_a_public_size(workspace):
    with pytest.raises(RefusedRelease, match=r"group 'a' needs a public size in privacy\.groups\.sizes"):
        workspace.release(workspace.stack(), "a", sizes={"b": 6})


def test_the_declared_size_is_stated_and_never_the_true_one(workspace):
    stated, _ = workspace.release(workspace.stack(), "a", sizes={"a": 11})
    assert stated["release"]["n"] == 11
    assert stated["mechanism"]["sensitivity"]["inputs"]["n"] == 11


def test_another_declared_size_is_another_release(workspace):
    stack = workspace.stack()
    workspace.release(stack, "a", mu=3.0, sizes={"a": 8})
    stated, _ = workspace.release(stack, "a", mu=3.0, sizes={"a": 9}, name="nine")
    assert stated["release"]["n"] == 9
    assert workspace.spent() == pytest.approx(18**0.5, rel=1e-12)


@pytest.mark.parametrize("members", [0, 1])
def test_a_group_that_is_nearly_empty_does_not_show_as_an_error(workspace, members):
    stack = workspace.stack(["a"] * members + ["b"] * (18 - members))
    stated, curves = workspace.release(stack, "a", sizes={"a": 8})
    assert stated["formally_private"] and stated["release"]["n"] == 8
    assert np.all(np.isfinite(curves))


def test_a_group_of_nobody_with_public_members_is_refused_before_any_noise(workspace):
    with pytest.raises(RefusedRelease, match="at least 2"):
        workspace.release(workspace.stack(), "d", "public")
    assert workspace.spent() == 0.0


def test_one_person_in_two_groups_is_in_none(tmp_path):
    for index in range(3):
        (tmp_path / f"{index}.ply").touch()
    rows = ["id\tpath\tperson\tgroup", "0\t0.ply\tp\ta", "1\t1.ply\tp\tb", "2\t2.ply\tq\ta"]
    (tmp_path / "samples.tsv").write_text("\n".join(rows) + "\n")
    found = samples.find(str(tmp_path / "samples.tsv"), "average")
    assert [one.group for one in found] == ["", "", "a"], "who is in a group may be private: it refuses no run"
    assert "more than one group" in found[0].notices[0] and found[1].notices == (), "told once a person"
