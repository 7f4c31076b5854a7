"""What the face release finds out by itself, whatever it is told: each takes the verdict, and nothing else does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from library.privacy.cohort import GROUPS, KERNEL, SHAPE, Workspace
from shapedp.base import artifacts
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy import integer_sums, noise
from shapedp.privacy.curves import bounds
from shapedp.releases import curve_mechanisms
from shapedp.surfaces.chain import cohort


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path)


def failed(stated):
    return [one["name"] for one in stated["conditions"] if not one["holds"]]


def test_a_sound_release_fails_nothing(workspace):
    stated, _ = workspace.release(workspace.stack(), limits=workspace.bounds(workspace.stack(name="public.h5", seed=9)))
    assert stated["formally_private"] and failed(stated) == []


def test_bounds_of_the_released_people_are_not_public(workspace):
    stack, limits = workspace.stack(), workspace.folder / "limits.h5"
    cohort.bound_curves(stack, workspace.folder / "template.h5", limits, {}, "data", "template")
    stated, _ = workspace.release(stack, limits=limits, reproduction=True)
    assert failed(stated) == ["public_bounds"]
    assert stated["mechanism"]["sensitivity"]["value"] is None and stated["bounds"][0]["value"] is None


def test_a_public_set_that_holds_all_others_gives_one_record_no_say(workspace):
    """Whether the people's curves equal the public ones follows from that one record: the verdict must not."""
    stack = workspace.stack()
    limits = workspace.bounds(stack)
    others = workspace.stack(name="others.h5", seed=9)
    with artifacts.reader(stack, artifacts.CURVES) as source:
        fields = {name: source[name] for name in artifacts.CURVES.fields}
    with artifacts.reader(others, artifacts.CURVES) as source:
        fields["curves"][0] = source["curves"][0]
    with artifacts.writer(others, artifacts.CURVES, inputs=[workspace.folder / "template.h5"]) as out:
        out.set(**fields)
    said = [workspace.release(one, limits=limits, name=one.stem)[0] for one in (stack, others)]
    assert [one["formally_private"] for one in said] == [True, True]


@pytest.mark.parametrize("usable", [0, 1, 2])
@pytest.mark.parametrize("reference", ["template", "none"])
def test_how_many_records_can_be_used_decides_nothing(workspace, usable, reference):
    """Bounds from the data, of a release that reproduces published work: one record must not stop it."""
    path, stack = workspace.stack(), workspace.folder / "few.h5"
    with artifacts.reader(path, artifacts.CURVES) as source:
        fields = {name: source[name] for name in artifacts.CURVES.fields}
    fields["ok"] = np.arange(len(GROUPS)) < usable
    fields["curves"] = np.where(fields["ok"][:, None, None, None], fields["curves"], 0.0)
    template, limits = workspace.folder / "template.h5", workspace.folder / "limits.h5"
    with artifacts.writer(stack, artifacts.CURVES, inputs=[template]) as out:
        out.set(**fields)
    cohort.bound_curves(stack, template, limits, {}, "data", reference)
    for name in ("matched", "pointwise"):
        asked = {"mechanism": name, "name": name, "reference": reference, "worth_it_anyway": True}
        stated, curves = workspace.release(stack, limits=limits, reproduction=True, **asked)
        assert failed(stated) == ["public_bounds"] and np.isfinite(curves).all()


def test_who_was_rejected_is_read_as_the_template_and_others_as_they_are(workspace):
    with artifacts.reader(workspace.stack(), artifacts.CURVES) as source:
        fields = {name: source[name] for name in artifacts.CURVES.fields}
    fields["ok"], fields["curves"][3:5] = ~np.isin(np.arange(len(GROUPS)), [3, 4]), 0.0
    with artifacts.writer(workspace.folder / "some.h5", artifacts.CURVES) as out:
        out.set(**fields)
    with artifacts.reader(workspace.folder / "some.h5", artifacts.CURVES) as stack:
        read = cohort.make_row_reader(stack, np.arange(2, 7), workspace.template)(0, 5)
    assert_allclose(read[1:3], np.stack([workspace.template] * 2), rtol=1e-6)
    assert np.array_equal(read[[0, 3, 4]], fields["curves"][[2, 5, 6]])


def test_a_record_that_was_dropped_is_missed(workspace):
    stated, _ = workspace.release(workspace.stack(GROUPS[1:]), reproduction=True)
    assert failed(stated) == ["fixed_count"]


def test_a_person_with_two_records_is_found(workspace):
    ids = [f"person{index // 2:02d}" for index in range(18)]
    stated, _ = workspace.release(workspace.stack(ids=ids), reproduction=True)
    assert failed(stated) == ["one_record_a_person"]


def test_records_made_with_the_help_of_each_other_are_found(workspace):
    """The curves name a mean among what they were made of."""
    workspace.release(workspace.stack(), name="first")
    mean = workspace.folder / "results/release/faces/first/mean_face.h5"
    stack = workspace.stack(seed=9, name="aligned.h5", made_of=[mean])
    stated, _ = workspace.release(stack, name="aligned", reproduction=True)
    assert failed(stated) == ["records_independent"]


def test_a_seed_is_found(workspace):
    stated, _ = workspace.release(workspace.stack(), seed=5, reproduction=True)
    assert failed(stated) == ["secret_noise"]


def test_without_a_column_of_persons_that_is_declared(workspace):
    stated, _ = workspace.release(workspace.stack(), named=False)
    (person,) = [one for one in stated["conditions"] if one["name"] == "one_record_a_person"]
    assert (person["known"], person["holds"]) == ("declared", True)


def test_the_same_records_in_another_cut_are_the_same_release(workspace):
    """Another batch size changes what the artifacts record of themselves, and no number in them."""
    stated, curves = workspace.release(workspace.stack())
    again, same = workspace.release(workspace.stack(name="other.h5", made_of=[workspace.folder / "curves.h5"]))
    assert again == stated and np.array_equal(curves, same)
    assert len(Ledger(workspace.folder / "ledger").list_releases("people")) == 1


def test_who_looked_has_to_say_so(workspace):
    """The same release otherwise; said afterwards, it is another one, and its statement says it."""
    stack = workspace.stack()
    workspace.release(stack)
    stated, _ = workspace.release(stack, tuned_on="data", name="looked", reproduction=True)
    assert failed(stated) == ["public_tuning"]
    assert [row["guarantee"] for row in Ledger(workspace.folder / "ledger").list_releases("people")] == ["gdp", "none"]


def test_what_is_stated_of_the_noise_is_what_opendp_drew(workspace, monkeypatch):
    """The scale OpenDP was given, taken through the public maps, is the published standard deviation, and its rho the
    statement's; to the last digits, whatever the rounding on the way."""
    given, real = [], noise._measurement
    monkeypatch.setattr(noise, "_measurement", lambda kind, scale: given.append(scale) or real(kind, scale))
    stack = workspace.stack()
    stated, _ = workspace.release(stack, mu=1.3)
    (scale,) = set(given)  # asked for its rho, and drawn from
    made = curve_mechanisms.make(
        "matched", SHAPE, 18, bounds.from_numbers([0.1] * 3, 3), workspace.template, {"mu_total": 1.3}, KERNEL
    )
    a_point = scale * (made.bound / integer_sums.GRID / 18) * made.back
    with artifacts.reader(workspace.folder / "results/release/faces/all/mean_face.h5", artifacts.MEAN_FACE) as source:
        published = source["noise_sd"]
    assert_allclose(published, np.sqrt(np.sum(a_point**2, axis=-1)), rtol=1e-12)
    rho = real("gaussian", scale).map(d_in=2.0 * integer_sums.GRID)
    assert stated["guarantee"]["rho"] == pytest.approx(rho, rel=1e-12)
    assert stated["noise"]["grid"] == pytest.approx(made.bound / integer_sums.GRID / 18, rel=1e-15)
