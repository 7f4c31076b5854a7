"""Releases of several laboratories become one: faces, models and shapes, and what is refused."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from library.laboratories.test_joint import SECTION, write_public
from library.privacy.learned import people
from library.releases import dome_faces as dome
from library.releases.kinds.change.test_change_release import ASYMMETRY, CHANGE, learned
from library.releases.kinds.change.test_change_release import FACES as CHANGED
from shapedp.app.cli import studies
from shapedp.app.forecast import predictions
from shapedp.base import artifacts
from shapedp.base.errors import ConfigError, RefusedRelease
from shapedp.base.settings import read_default
from shapedp.laboratories import pooling, study
from shapedp.laboratories.pools import heterogeneity
from shapedp.laboratories.pools import shapes as shapes_of_pool
from shapedp.laboratories.pools.sources import BY_PEOPLE, BY_PRECISION, average_sources, read_source, refuse_unlike
from shapedp.landmarks import public_objects
from shapedp.ledger import shared_people
from shapedp.ledger.ledger_folder import Ledger
from shapedp.privacy import noise
from shapedp.privacy.curves import bounds
from shapedp.privacy.learned import clips
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.privacy.recentred import RecentredMean
from shapedp.privacy.shapes.base import Ball, as_complex
from shapedp.privacy.statistic import Rows
from shapedp.releases import allow_list, cohorts, publishing, shapes
from shapedp.releases.faces import ReleaseInputs
from shapedp.releases.figures import release_files
from shapedp.releases.kinds.change import released as released_change
from shapedp.releases.kinds.change.release import MeanDifference
from shapedp.releases.kinds.mean.release import MeanFace, MeanShape
from shapedp.releases.kinds.model.release import ModelOfFaces, ModelOfShapes
from shapedp.releases.model import at_landmarks, released_model
from shapedp.releases.protocol import Evidence, People, artifact_bytes
from shapedp.releases.statement import forms
from shapedp.releases.viewer import release_page

LABS, PEOPLE, MU = 4, 50, 2.0
ENTRY = {"name": "mean", "mechanism": "shaped", "budget": {"mu_total": MU}, "planned_for": LABS * PEOPLE}
MODEL = {**ENTRY, "name": "model", "kind": "face_model", "modes": 3, "covariates": {"age": {"range": [20, 60]}}}
SOURCES = {"settings": "agreed on a page", "template": "built_in", "bounds": "built_in"}


def privacy(lab, branch="faces"):
    shown = SOURCES if branch == "faces" else {"settings": "a page", "center": "a public set", "radius": "a page"}
    return {
        "population": {branch: lab},
        "cap": {branch: {"mu_total": 50.0}},
        "seed": None,
        "tuned_on": "public",
        "groups": {"membership": "public", "sizes": {}},
        "sources": shown,
        "statement": {},
    }


def cohort(rows, beside=None, made_of="curves"):
    n = len(rows)
    return People(
        count=n,
        read=Rows.of(rows).read,
        beside=beside,
        n=n,
        records=f"{float(rows.sum()):.9f}",
        evidence=Evidence((made_of,), n, n, n, False),
    )


def publish(folder, lab, release, cohort_of_lab, branch="faces"):
    output = folder / lab / "results" / "release" / branch / release.entry["name"]
    publishing.publish(Ledger(folder / lab / "ledger"), release, cohort_of_lab, noise.SecureNoise(), output)
    return output


def lab_face(folder, lab, seed, entry=ENTRY, n=PEOPLE, shift=0.0):
    """The folder of a laboratory's release."""
    public = cohorts.read_template(folder / "template.h5"), public_objects.read_variation(folder / "variation.h5")[0]
    section = {**read_default("faces"), **SECTION}
    curves = people.draw(n, seed) + shift * people.variation().modes[0]
    kind = ModelOfFaces if "kind" in entry else MeanFace
    ages = np.linspace(-1, 1, n)[:, None] if "kind" in entry else None
    release = kind.from_inputs(ReleaseInputs(entry, section, privacy(lab), *public, n))
    return publish(folder, lab, release, cohort(curves, ages))


def everybody():
    return np.concatenate([people.draw(PEOPLE, 50 + lab) for lab in range(LABS)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("pool")
    write_public(made)
    return made


@pytest.fixture(scope="module")
def means(folder):
    return [lab_face(folder, f"lab_{lab}", 50 + lab) for lab in range(LABS)]


def pooled(folder, sources, weights=BY_PEOPLE, overlap=pooling.NOBODY, people=None):
    return pooling.pool(sources, folder / "template.h5", folder / "variation.h5", weights, "together", overlap, people)


def written(contents, folder):
    folder.mkdir(parents=True)
    return written_over(contents, folder)


def written_over(contents, folder):
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


def drawn(folder):
    with artifacts.reader(folder / "drawn.h5", artifacts.DRAWN) as source:
        return source["values"], source["noise"]


@pytest.fixture(scope="module")
def face(folder, means):
    return written(pooled(folder, means), folder / "pooled" / "together")


def test_what_was_drawn_is_averaged_with_its_noise(means, face):
    values, sds = zip(*map(drawn, means), strict=True)
    found, noise_of_all = drawn(face)
    np.testing.assert_allclose(found, np.mean(values, axis=0), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(noise_of_all, np.sqrt(np.mean(np.square(sds), axis=0) / LABS), rtol=1e-9)


def test_the_pooled_face_is_near_everybodys_mean(face):
    with artifacts.reader(face / "mean_face.h5", artifacts.MEAN_FACE) as release:
        error = np.sqrt(np.mean(np.sum((release["curves"] - everybody().mean(axis=0)) ** 2, axis=1)))
        sd = np.sqrt(3 * np.mean(release["noise_sd"] ** 2))
    assert error < 4 * sd + 0.02


def test_it_may_be_published_and_names_its_sources(face):
    allow_list.check_folder(face, "faces")
    stated = json.loads((face / "statement.json").read_text())
    assert stated["formally_private"] and stated["release"]["n"] == LABS * PEOPLE
    assert stated["guarantee"]["mu"] == pytest.approx(MU, rel=1e-12)
    assert sorted(one["population"] for one in stated["sources"]["releases"]) == [f"lab_{k}" for k in range(LABS)]
    assert sum(one["weight"] for one in stated["sources"]["releases"]) == pytest.approx(1)
    words = (face / "statement.md").read_text()
    assert "Sources authentic: declared" in words and "4 releases of 200 people together" in words


def restated(source, copy, **changes):
    """A copy of a source whose statement says something else."""
    shutil.copytree(source, copy)
    stated = json.loads((copy / "statement.json").read_text()) | changes
    return written_over(publishing.statement_files(stated), copy)


def spent(folder, sources):
    """(what a pooled statement says of spending, its words, its answer on what it is mixed with)"""
    contents = pooled(folder, sources)
    stated = json.loads(contents["statement.json"])
    return stated["budget"], contents["statement.md"].decode(), forms.write_forms(stated, "together")["nist.md"]


UNTRUE = "no cap", "held no other", "stands in the ledger", "0" * 64, "| spent, in |"


def test_what_was_spent_is_the_worst_of_the_sources_and_what_they_alone_know_is_left_to_them(folder, means, tmp_path):
    """lab_4 had released at mu = 4 before: 4.47 with its source at 2. Its last release but one has no guarantee."""
    lab_face(folder, "lab_4", 81, {**ENTRY, "name": "first", "budget": {"mu_total": 4.0}})
    spender = lab_face(folder, "lab_4", 81)
    budget, words, nist = spent(folder, [means[0], spender])
    assert (budget.keys(), budget["holds"]) == ({"population", "before", "after", "holds"}, True)
    assert (budget["before"]["mu"], budget["after"]["mu"]) == (pytest.approx(4), pytest.approx(np.hypot(4, MU)))
    assert "more than mu = 4 before their source and mu = 4.472 with it" in words
    assert not [one for one in UNTRUE if one in words] and "The totals do not bound" not in words
    assert "By these, no release of their ledgers lacks a guarantee." in nist
    own = json.loads((spender / "statement.json").read_text())["budget"]
    bare = restated(spender, tmp_path / "bare", budget={**own, "holds": False})
    budget, words, nist = spent(folder, [means[0], bare])
    assert budget["holds"] is False and "**The totals do not bound" in words
    assert "at least one release of their ledgers has no guarantee" in nist


def test_what_laboratories_made_together_says_nothing_of_spending_nor_does_what_is_pooled_from_it(
    folder, means, tmp_path
):
    lab = {"name": "a", "people": 25, "key": "0" * 64, "parts": ["0" * 64], "ledger_lines": ["0" * 64]}
    said = {"study": "0" * 64, "roster": [lab, {**lab, "name": "b"}], "conspiring": 0, "overlap": "none"}
    said |= {"faced": [MU], "log10_distance": -40.0}
    joint = restated(means[1], tmp_path / "joint", laboratories=said, budget={"population": "study"})
    budget, words, nist = spent(folder, [means[0], joint])
    assert budget == {"population": "together"} and "made together do not know it" in words
    assert not [one for one in UNTRUE if one in words]
    assert "What else their ledgers hold is for those who keep them to say." in nist


def test_a_pooled_statement_has_no_condition_on_the_ledger_of_one_source(face):
    named = {one["name"] for one in json.loads((face / "statement.json").read_text())["conditions"]}
    assert "recorded_first" in named and not named & {"within_budget", "populations_apart"}


def test_alike_sources_are_not_said_to_differ_and_unlike_ones_are(folder, means, face):
    assert json.loads((face / "statement.json").read_text())["sources"]["heterogeneity"]["differ"] is False
    other = lab_face(folder, "unlike", 77, shift=0.5)
    told = json.loads(pooled(folder, [*means[:3], other])["statement.json"])["sources"]["heterogeneity"]
    assert told["differ"] is True and told["q"] > told["expected"]


def test_the_map_of_heterogeneity_is_about_one_where_sources_are_alike(face):
    with artifacts.reader(face / "heterogeneity.h5", artifacts.HETEROGENEITY) as source:
        ratio = source["ratio"]
    assert ratio.shape == (people.SHAPE[0], people.SHAPE[2]) and 0.2 < ratio.mean() < 3


def test_the_order_of_the_sources_does_not_show(folder, means):
    assert pooled(folder, means) == pooled(folder, means[::-1])


def test_bytes_do_not_follow_from_the_number_of_threads(folder, means, monkeypatch):
    seen, averaged = [], average_sources

    def counted(sources, weights):
        seen.extend(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")
        return averaged(sources, weights)

    monkeypatch.setattr(pooling, "average_sources", counted)
    with threadpool_limits(2):
        pooled(folder, means)
    assert set(seen) == {1}


def variance(folder, n):
    """Of noise and chance over all axes. The noise follows from a first stage's answer, which is drawn."""
    with artifacts.reader(folder / "drawn.h5", artifacts.DRAWN) as source:
        return float(np.sum(source["noise"] ** 2 + source["spread"] / n))


def test_weights_by_precision_follow_from_the_noise_and_chance_of_each_source(folder, means):
    small = lab_face(folder, "small", 91, n=20)
    told = json.loads(pooled(folder, [means[0], small], BY_PRECISION)["statement.json"])["sources"]
    weight = {one["people"]: one["weight"] for one in told["releases"]}
    assert weight[PEOPLE] / weight[20] == pytest.approx(variance(small, 20) / variance(means[0], PEOPLE), rel=1e-9)
    assert weight[PEOPLE] > 1 / 2


def test_parts_of_a_plan_have_the_axes_of_everybody(folder, means):
    alone = lab_face(folder, "alone", 3, {key: value for key, value in ENTRY.items() if key != "planned_for"})
    assert len(drawn(means[0])[0]) >= len(drawn(alone)[0])
    # a part of a plan is asked once, who is alone several times
    with pytest.raises(RefusedRelease, match="another `mechanism`"):
        pooled(folder, [means[0], alone])


def test_means_that_were_asked_several_times_are_pooled_by_what_their_answers_told(folder, tmp_path):
    """What is drawn is the average, and the pooled face is drawn to the public mean as one of all people is."""
    entry = {key: one for key, one in ENTRY.items() if key != "planned_for"}
    sources = [lab_face(folder, f"again_{lab}", 50 + lab, entry) for lab in range(2)]
    read = [read_source(one) for one in sources]
    assert {one.stated["mechanism"]["name"] for one in read} == {RecentredMean.name}
    words = (sources[0] / "statement.md").read_text(encoding="utf-8")
    assert "- Error: noise, and what is not released of people like the public ones, move a point by" in words
    made = written(pooled(folder, sources), tmp_path / "pooled")
    allow_list.check_folder(made, "faces")
    with artifacts.reader(made / "drawn.h5", artifacts.DRAWN) as file:
        assert file["values"] == pytest.approx(np.mean([one.drawn["values"] for one in read], axis=0))
    # the noise is the operating system's, along few axes: one draw errs by .4 to 2 times what is stated
    squares = [squared_errors(made, 50)]
    for first in (60, 70, 80):
        others = [lab_face(folder, f"again_{first + lab}", first + lab, entry) for lab in range(2)]
        squares.append(squared_errors(written(pooled(folder, others), tmp_path / f"pooled_{first}"), first))
    error, stated = np.sqrt(np.mean(squares, axis=0))
    assert 0.4 * stated < error < 2 * stated


def squared_errors(made, first):
    """Of the pooled face of two laboratories: its squared error, and what is stated of it."""
    with artifacts.reader(made / "mean_face.h5", artifacts.MEAN_FACE) as file:
        curves, noise_sd = file["curves"], file["noise_sd"]
    exact = np.concatenate([people.draw(PEOPLE, first + lab) for lab in range(2)]).mean(axis=0)
    return np.mean(np.sum((curves - exact) ** 2, axis=1)), 3 * np.mean(noise_sd**2)


def test_models_add_up(folder):
    sources = [lab_face(folder, f"lab_{lab}", 50 + lab, MODEL) for lab in range(LABS)]
    contents = pooled(folder, sources)
    made = written(contents, folder / "pooled" / "model")
    allow_list.check_folder(made, "faces")
    with artifacts.reader(made / "face_model.h5", artifacts.FACE_MODEL) as release:
        error = np.sqrt(np.mean(np.sum((release["curves"] - everybody().mean(axis=0)) ** 2, axis=1)))
        noise_of_all = release["moment_noise"][0]
    with artifacts.reader(sources[0] / "face_model.h5", artifacts.FACE_MODEL) as release:
        assert noise_of_all == pytest.approx(release["moment_noise"][0] * np.sqrt(LABS), rel=1e-6)
    assert error < 0.1


def test_people_who_differ_are_told_of_models_too(folder):
    sources = [lab_face(folder, f"model_{at}", 60, MODEL, shift=at / 2) for at in (0, 1)]
    told = json.loads(pooled(folder, sources)["statement.json"])["sources"]["heterogeneity"]
    assert told["differ"] is True and told["q"] > told["expected"]


PER_LAB = 40
DIFFERENT = {  # kinds of releases: their settings, a place of everybody's has the same
    "mean_change": {**CHANGE, "planned_for": LABS * PER_LAB},
    "asymmetry": {**ASYMMETRY, "planned_for": LABS * PER_LAB},
}


@pytest.fixture(scope="module", params=DIFFERENT)
def changed(request, tmp_path_factory):
    """(folder with the public files, the laboratories' releases, that of one place, people's differences)."""
    entry, made = DIFFERENT[request.param], tmp_path_factory.mktemp(request.param)
    dome.write_template(made / "template.h5")
    (made / "variation.h5").write_bytes(learned(made, entry, dome.scanned_twice(60, 9)).read_bytes())
    known = cohorts.read_template(made / "template.h5"), public_objects.read_variation(made / "variation.h5")[0]
    before, after = dome.scanned_twice(LABS * PER_LAB, 3, change=0.005)
    rows = dome.template() + after - before

    def released(lab, part):
        release = MeanDifference.from_inputs(ReleaseInputs(entry, CHANGED, privacy(lab), *known, len(part)))
        return publish(made, lab, release, cohort(part))

    parts = np.split(rows, LABS)
    return made, [released(f"lab_{at}", part) for at, part in enumerate(parts)], released("everybody", rows), rows


def test_differences_are_pooled_with_the_noises_of_all_places_in_quadrature(changed):
    folder, sources, whole, rows = changed
    made = written(pooled(folder, sources), folder / "pooled")
    allow_list.check_folder(made, "faces")
    noises = [drawn(one)[1] for one in (made, *sources, whole)]
    np.testing.assert_allclose(noises[0], np.linalg.norm(noises[1:-1], axis=0) / LABS, rtol=1e-6)
    found = released_change.read(made)
    assert found.people == LABS * PER_LAB
    away = found.change - 150 * (rows.mean(axis=0) - dome.template())
    assert np.sqrt(np.mean(away**2)) < 3 * np.sqrt(np.trace(found.covariance(), axis1=-2, axis2=-1).mean())
    stated = json.loads((made / "statement.json").read_text())
    told = stated["sources"]["heterogeneity"]
    # Noise is drawn: 30 draws of these people had 1.0 to 2.2 times what is expected; 4 of the 30 were said to differ.
    assert told["q"] < 4 * told["expected"] and len(stated["sources"]["releases"]) == LABS
    assert stated["release"] == {**json.loads((whole / "statement.json").read_text())["release"]}


@pytest.mark.parametrize(
    ("field", "change", "words"),
    [
        ("asked_first", lambda one: one[:-1], "does not fit its settings"),
        ("asked_first", lambda one: one[:0], "does not fit its settings"),
        ("asked_first", lambda one: np.append(one, 0.0), "does not fit its settings"),
        ("noise", lambda one: one / 2, "other noise"),
        ("values", lambda one: one + 1e-3, "does not follow from its answers"),
    ],
)
def test_what_a_source_did_not_draw_is_refused(changed, tmp_path, field, change, words):
    folder, (first, second, *_), *_ = changed
    copy = Path(shutil.copytree(second, tmp_path / "copy"))
    with artifacts.reader(copy / "drawn.h5", artifacts.DRAWN) as source:
        fields = {name: source[name] for name in artifacts.DRAWN.fields}
    settings = json.loads(fields.pop("settings"))
    (copy / "drawn.h5").write_bytes(artifact_bytes("drawn.h5", fields | {field: change(fields[field])}, settings))
    with pytest.raises(RefusedRelease, match=words):
        pooled(folder, [first, copy])


def spread_of(release):
    """(variance of people about their mean, sd of its noise), mm^2."""
    with artifacts.reader(release / "face_change.h5", artifacts.FACE_CHANGE) as file:
        return float(file["spread_mm"]) ** 2, float(file["spread_noise_mm2"])


def test_a_pooled_spread_is_that_of_one_place_and_its_noise_that_of_an_average(changed):
    folder, sources, whole, _ = changed
    (found, off), (one_place, off_there) = map(spread_of, (written(pooled(folder, sources), folder / "again"), whole))
    assert off == pytest.approx(np.sqrt(np.mean([spread_of(one)[1] ** 2 for one in sources]) / LABS), rel=0.01)
    assert abs(found - one_place) < 5 * np.hypot(off, off_there)


def outlines(n, rng, k=12):
    """(n, k, 2) people's, and p0 (k,) whom they lie about."""
    turn = 2 * np.pi * np.arange(k) / k
    p0 = np.exp(1j * turn) * (1 + 0.3 * np.cos(turn))
    p0 = (p0 - p0.mean()) / np.linalg.norm(p0 - p0.mean())
    z = p0 + 0.02 * (rng.normal(size=(n, k)) + 1j * rng.normal(size=(n, k)))
    return np.stack([z.real, z.imag], axis=-1), p0


def lab_shape(folder, lab, rows, public, of, beside=None, size=None, **asked):
    """The folder of a laboratory's release of shapes; size : public bounds of their log sizes, which stand beside."""
    shapes_of_all, p0 = public
    entry = {"name": "shape", "mechanism": "shaped", "budget": {"mu_total": 1.0}, "planned_for": 100, **asked}
    ball = Ball(len(rows), p0, 0.4, 0, shapes_of_all, size=size)
    known = shapes.PublicShapes(ball, "reference_set", True, "config")
    section = read_default("shapes") | {"size": None if size is None else np.exp(size).tolist()}
    release = of.from_entry(entry, section, privacy(lab, "shapes"), known)
    named = cohort(rows, beside, made_of="shapes")
    return publish(folder, lab, release, People(**{**vars(named), "other_inputs": (("",),)}), "shapes")


@pytest.fixture(scope="module")
def of_shapes():
    """(public set and p0, the records of two laboratories)."""
    rng = np.random.default_rng(1)
    public, p0 = outlines(60, rng)
    return (as_complex(public), p0), [outlines(50, rng)[0] for _ in range(2)]


def test_shapes_are_pooled_from_their_folders_alone(tmp_path, of_shapes):
    public, records = of_shapes
    sources = [lab_shape(tmp_path, f"lab_{lab}", rows, public, MeanShape) for lab, rows in enumerate(records)]
    made = written(pooling.pool(sources, None, None, BY_PEOPLE, "together", pooling.NOBODY), tmp_path / "pooled")
    allow_list.check_folder(made, "shapes")
    assert "No ledger holds this release" in (made / "statement.md").read_text(encoding="utf-8")
    release_files.draw(made, "shapes", made)
    head = release_page.render_page(made).split("<main>")[0]
    assert ", pooled</h1>" in head and f"This release is the average of {len(records)} releases" in head
    assert (
        f"Cochran's Q is {json.loads((made / 'statement.json').read_text())['sources']['heterogeneity']['q']:.4g}"
        in head
    )
    with artifacts.reader(made / "mean_shape.h5", artifacts.RELEASED_SHAPE) as release:
        mean = landmark_shapes.find_frechet_mean(np.concatenate(records))
        far = landmark_shapes.dist(mean, release["landmarks"][None])[0]
        assert far < 4 * release["noise_radius"]


def test_the_size_that_is_pooled_and_its_noise_are_those_of_both_laboratories(tmp_path, of_shapes):
    """At equal weights the noise of an average of two is that of one over sqrt(2)."""
    public, records = of_shapes
    logs = [np.full(len(rows), 2.0 + 0.2 * lab) for lab, rows in enumerate(records)]
    sources = [
        lab_shape(tmp_path, f"lab_{lab}", rows, public, MeanShape, logs[lab], size=(1.0, 3.0))
        for lab, rows in enumerate(records)
    ]
    made = written(pooling.pool(sources, None, None, BY_PEOPLE, "together", pooling.NOBODY), tmp_path / "pooled")
    sizes = []
    for folder in (*sources, made):
        with artifacts.reader(folder / "mean_shape.h5", artifacts.RELEASED_SHAPE) as release:
            sizes.append((np.log(release["size"]), release["size_noise"] / release["size"]))
    (first, off), (second, as_off), (together, off_together) = sizes
    assert off == pytest.approx(as_off) and off_together == pytest.approx(off / np.sqrt(2))
    assert together == pytest.approx((first + second) / 2) and abs(together - 2.1) < 4 * off_together


SHAPE_MODEL = {"kind": "shape_model", "modes": 2, "covariates": {"age": {"range": [20, 60]}}}


def lab_shape_model(folder, lab, rows, public, mu=20.0):
    ages = np.linspace(-1, 1, len(rows))[:, None]
    asked = {**SHAPE_MODEL, "budget": {"mu_total": mu}}
    return lab_shape(folder, lab, rows, public, ModelOfShapes, ages, **asked)


def test_models_of_shapes_add_up_from_their_folders_alone(tmp_path, of_shapes):
    """What is pooled is what one place with everybody gives, with noise sqrt 2 times as large in its sums."""
    public, records = of_shapes
    sources = [lab_shape_model(tmp_path, f"lab_{lab}", rows, public) for lab, rows in enumerate(records)]
    made = written(pooling.pool(sources, None, None, BY_PEOPLE, "together", pooling.NOBODY), tmp_path / "pooled")
    allow_list.check_folder(made, "shapes")
    fields = {}
    for name, folder in (("pooled", made), ("part", sources[0]), ("other", sources[1])):
        with artifacts.reader(folder / "shape_model.h5", artifacts.SHAPE_MODEL) as file:
            fields[name] = {one: file[one] for one in artifacts.SHAPE_MODEL.fields}
    one, whole = fields["part"], fields["pooled"]
    np.testing.assert_allclose(whole["moment_noise"], one["moment_noise"] * np.sqrt(2), rtol=1e-9)
    assert whole["people"] == 100 and whole["axes"] == one["axes"]
    parts = (one["noise_parts"] + fields["other"]["noise_parts"]) / 4  # each source knows what its clip took
    np.testing.assert_allclose(whole["noise_parts"][0, 0], parts[0, 0], rtol=1e-5, atol=1e-12)
    mean = landmark_shapes.find_frechet_mean(np.concatenate(records))
    assert landmark_shapes.dist(mean, whole["landmarks"][None])[0] < 0.02
    stated = json.loads((made / "statement.json").read_text())
    assert stated["formally_private"] and stated["release"]["statistic"] == "shape model"
    assert stated["sources"]["heterogeneity"]["differ"] is False and len(stated["sources"]["releases"]) == 2
    other = lab_shape_model(tmp_path, "unlike", records[0] * [1.1, 1.0], public)
    told = json.loads(pooling.pool([sources[1], other], None, None, BY_PEOPLE, "x")["statement.json"])
    assert told["sources"]["heterogeneity"]["differ"] is True


def test_sums_that_no_people_give_are_refused(tmp_path, of_shapes):
    """They would become numbers of everybody, or none."""
    public, records = of_shapes
    first, other = (lab_shape_model(tmp_path, f"lab_{lab}", rows, public) for lab, rows in enumerate(records))
    with artifacts.reader(other / "drawn.h5", artifacts.DRAWN) as source:
        fields = {name: source[name] for name in artifacts.DRAWN.fields}
    settings = json.loads(fields.pop("settings"))
    fields["values"][-1] = 1e200
    (other / "drawn.h5").write_bytes(artifact_bytes("drawn.h5", fields, settings))
    with pytest.raises(RefusedRelease, match="which no sum of 50 people is"):
        pooling.pool([first, other], None, None, BY_PEOPLE, "together", pooling.NOBODY)


def test_a_model_pooled_with_itself_is_itself(tmp_path, of_shapes, monkeypatch):
    """Nothing of the released numbers is lost on the way through the files."""
    public, records = of_shapes
    source = lab_shape_model(tmp_path, "lab", records[0], public)
    monkeypatch.setattr(pooling, "refuse_unlike", lambda sources: None)
    made = written(pooling.pool([source] * 2, None, None, BY_PEOPLE, "alone"), tmp_path / "pooled")
    with (
        artifacts.reader(made / "shape_model.h5", artifacts.SHAPE_MODEL) as again,
        artifacts.reader(source / "shape_model.h5", artifacts.SHAPE_MODEL) as first,
    ):
        along_axes = "coordinates", "coordinate_unit", "coordinate_noise"
        for name in ("reference", "landmarks", "effects", "average", *along_axes, *at_landmarks.OF_PEOPLE):
            np.testing.assert_allclose(again[name], first[name], rtol=1e-5, atol=1e-7, err_msg=name)


def test_a_model_from_before_the_length_of_a_coordinate_was_stated_is_taken_as_it_is(tmp_path, of_shapes):
    """Its tests take the lengths of noise that it has."""
    public, records = of_shapes
    path = lab_shape_model(tmp_path, "lab", records[0], public) / "shape_model.h5"
    with artifacts.reader(path, artifacts.SHAPE_MODEL) as source:
        then = source.kind.with_fields(**{one: kept for one, kept in source.kind.fields.items() if not kept.later})
        fields, settings = {name: source[name] for name in then.fields}, source.provenance["settings"]
    with artifacts.writer(path, then, settings) as out:
        out.set(**fields)
    allow_list.check_folder(path.parent, "shapes")
    model, settings = released_model.read(path)
    np.testing.assert_array_equal(model.coordinate_unit, fields["coordinate_noise"])
    assert at_landmarks.beside_shapes(path, model, settings).everybody is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("twice", "give each release once"),
        ("edited", "other settings|statement|differs"),
        ("no_drawn", "holds no drawn.h5"),
        ("pooled", "is pooled already"),
        ("one", "at least two"),
    ],
)
def test_what_cannot_be_pooled_is_refused_by_name(folder, means, face, tmp_path, change, words):
    copy = tmp_path / "copy"
    shutil.copytree(means[1], copy)
    sources = [means[0], copy]
    if change == "twice":
        sources.append(means[1])
    elif change == "edited":
        stated = (copy / "statement.json").read_text()
        (copy / "statement.json").write_text(stated.replace('"n": 50', '"n": 51'))
    elif change == "no_drawn":
        (copy / "drawn.h5").unlink()
    elif change == "pooled":
        sources[1] = face
    else:
        sources = sources[:1]
    with pytest.raises((RefusedRelease, ConfigError), match=words):
        pooled(folder, sources)


def test_one_draw_counts_once_wherever_its_statement_stands_among_the_others(means):
    first, second = map(read_source, means[:2])
    again = replace(first, digests=first.digests | {publishing.STATEMENT: "another statement of the same draw"})
    with pytest.raises(RefusedRelease, match="give each release once"):
        refuse_unlike([first, second, again])


def test_another_template_is_refused_by_its_digest(folder, means, tmp_path):
    with artifacts.reader(folder / "template.h5", artifacts.TEMPLATE) as source:
        fields = {name: source[name] for name in artifacts.TEMPLATE.fields}
    with artifacts.writer(tmp_path / "template.h5", artifacts.TEMPLATE) as out:
        out.set(**{**fields, "scale": 151.0})
    with pytest.raises(RefusedRelease, match="by their digest"):
        pooling.pool(means, tmp_path / "template.h5", folder / "variation.h5", BY_PEOPLE, "together")


def test_a_pooled_folder_is_made_again_from_its_sources_before_it_is_packed(folder, means, tmp_path):
    asked = pooling.PoolingPlan(
        tuple(map(str, means)), str(folder / "template.h5"), str(folder / "variation.h5"), BY_PEOPLE, "together"
    )
    made = written(asked.pool(), tmp_path / "together")
    asked.write(tmp_path / "together.json")
    pooling.check_pooled(tmp_path / "together.json", made)
    text = (made / "statement.md").read_text()
    (made / "statement.md").write_text(text.replace("200 records", "201 records"))
    with pytest.raises(RefusedRelease, match="differs from what its sources give"):
        pooling.check_pooled(tmp_path / "together.json", made)


@pytest.fixture(scope="module")
def years(folder):
    return grown_cohort(folder)


def grown_cohort(folder):
    """Releases of a cohort that grew: fifty people, and the same with ten more."""
    old = people.draw(PEOPLE, 70)
    return [
        cohort_face(folder, "years", f"in_{2025 + year}", curves)
        for year, curves in enumerate((old, np.concatenate([old, people.draw(10, 71)])))
    ]


def cohort_face(folder, lab, name, curves, population=None):
    """The folder of a release of these curves, each person marked as the ledger knows them."""
    public = cohorts.read_template(folder / "template.h5"), public_objects.read_variation(folder / "variation.h5")[0]
    given = privacy(population or lab)
    release = MeanFace.from_inputs(
        ReleaseInputs({**ENTRY, "name": name}, {**read_default("faces"), **SECTION}, given, *public, len(curves))
    )
    marks = shared_people.mark_records(b"key", curves)
    return publish(folder, lab, release, replace(cohort(curves), marks=marks))


def stated_of(contents):
    return json.loads(contents["statement.json"])


def test_who_is_in_two_sources_is_promised_what_both_cost(folder, years):
    """Fifty of sixty people are in both: the weakest source would promise them 2 in place of 2 sqrt 2."""
    contents = pooled(folder, years, overlap=pooling.ANYBODY)
    stated = stated_of(contents)
    assert stated["guarantee"]["mu"] == pytest.approx(MU * 2**0.5, rel=1e-12)
    assert stated["guarantee"]["rho"] >= MU**2 * (1 - 1e-12)
    assert stated["release"]["n"] == 60
    assert stated["budget"]["after"]["mu"] == pytest.approx(MU * 2**0.5, rel=1e-9)
    assert f"mu = {MU * 2**0.5:.4g} (Gaussian)" in stated["summary"]
    names = {one["name"] for one in stated["conditions"]}
    assert "sources_add_up" in names and "disjoint_people" not in names
    words = contents["statement.md"].decode()
    assert "of 110 records in all, of 60 people at least" in words and "that of all sources together" in words
    assert "nobody is in two sources is declared" not in words


def test_it_adds_up_unless_somebody_declares_otherwise(folder, means, years):
    assert pooling.PoolingPlan(("a",), None, None, BY_PEOPLE, "x").overlap == pooling.ANYBODY
    of_all = stated_of(pooled(folder, [*means[:1], *years], overlap=pooling.ANYBODY))
    assert of_all["guarantee"]["mu"] == pytest.approx(MU * 3**0.5, rel=1e-12)
    assert of_all["budget"]["after"]["mu"] == pytest.approx(MU * 3**0.5, rel=1e-9)
    by_population = stated_of(pooled(folder, [*means[:1], *years], overlap=pooling.ONE_POPULATION))
    assert by_population["guarantee"]["mu"] == pytest.approx(MU * 2**0.5, rel=1e-12)
    assert by_population["release"]["n"] == PEOPLE + 60
    assert by_population["budget"]["after"]["mu"] == pytest.approx(MU * 2**0.5, rel=1e-9)
    nobody = stated_of(pooled(folder, [*means[:1], *years]))
    assert nobody["guarantee"]["mu"] == pytest.approx(MU, rel=1e-12) and nobody["release"]["n"] == PEOPLE + 110


def test_how_many_people_there_are_is_declared_within_what_the_sources_say(folder, years):
    assert stated_of(pooled(folder, years, overlap=pooling.ANYBODY, people=75))["release"]["n"] == 75
    for count in (59, 111):
        with pytest.raises(ConfigError, match=r"--people .* between 60 and 110 people together"):
            pooled(folder, years, overlap=pooling.ANYBODY, people=count)


def test_the_promise_does_not_follow_from_records(folder, years):
    """What the ledger's marks know is for the operator: a pooled release would tell of the records otherwise."""
    contents = pooled(folder, years, overlap=pooling.ANYBODY)
    rosters = folder / "years" / "ledger" / "years.rosters"
    kept = rosters.read_bytes()
    rosters.unlink()
    assert pooled(folder, years, overlap=pooling.ANYBODY) == contents
    rosters.write_bytes(kept)


def asked_of(*sources, overlap=pooling.ANYBODY):
    return pooling.PoolingPlan(tuple(map(str, sources)), None, None, BY_PEOPLE, "together", overlap)


def test_people_in_two_sources_are_told_to_the_operator_of_their_ledger(folder, means, years):
    ledger = folder / "years" / "ledger"
    lines = pooling.describe_shared(ledger, asked_of(*years))
    assert lines[0] == f"50 people are in both {years[0]} and {years[1]}"
    assert "the pooled statement counts both" in lines[1]
    assert lines[-1] == "the sources are of 60 people together, by its marks of their records"
    declared = pooling.describe_shared(ledger, asked_of(*years, overlap=pooling.NOBODY))
    assert "pool again without it" in declared[1]


def test_a_ledger_that_knows_nobody_in_two_sources_says_so_of_those_it_holds(folder, means, years):
    other = cohort_face(folder, "years", "others", people.draw(PEOPLE, 72), "others")
    ledger = folder / "years" / "ledger"
    lines = pooling.describe_shared(ledger, asked_of(years[0], other))
    assert lines[0] == "this laboratory's ledger knows nobody who is in two of the sources"
    assert "of 100 people together" in lines[1]
    foreign = pooling.describe_shared(ledger, asked_of(years[0], means[0]))
    assert foreign == [f"this laboratory's ledger does not tell who is in {means[0]}"]


def test_a_plan_fixes_settings_and_the_release_of_each_part(folder):
    agreed = {
        **{"study": "plan", "labs": {}, "planned_for": 200, "conspiring": 0, "overlap": "none"},
        "release": {key: ENTRY[key] for key in ("name", "mechanism", "budget", "planned_for")},
        **{"settings": SECTION, "sources": SOURCES, "statement": {}},
    }
    plan = study.write(folder / "plan", agreed, folder / "template.h5", folder / "variation.h5")
    assert plan.is_plan
    plan.refuse_other_settings({**SECTION, "releases": [ENTRY]})
    with pytest.raises(ConfigError, match=r"faces\.persons"):
        plan.refuse_other_settings({**SECTION, "persons": "average", "releases": []})
    with pytest.raises(ConfigError, match="`planned_for` is 300"):
        plan.refuse_other_settings({**SECTION, "releases": [{**ENTRY, "planned_for": 300}]})
    with pytest.raises(ConfigError, match="at least two"):
        study.check({key: one for key, one in plan.agreed.items() if key != "planned_for"}, folder)


def test_the_plan_of_laboratories_orders_what_they_can_do():
    limits = bounds.from_numbers((0.02, 0.02, 0.02), people.SHAPE[0])
    inputs = predictions.Inputs(people.SHAPE, 150.0, limits, read_default("faces.kernel"), people.variation())
    lines = list(studies.forecast_laboratories(inputs, 5, 40, 1.0, 1))
    totals = [float(line.split()[-1]) for line in lines[2:]]
    alone, pooled_ratio, masked, one_place, chance = totals
    assert alone > pooled_ratio > masked > one_place > chance == 1


@pytest.fixture
def of_one_population():
    """Function (times as far as public people, share of the variance that is noise) -> what `_compare_asked_again`
    asks for of four laboratories, whose means differ by noise and chance alone.
    """
    rng, people_count, axes = np.random.default_rng(8), 50, 200
    public = rng.standard_normal((120, axes))
    limits = SimpleNamespace(
        variances=np.ones(axes), held_out=public, axes=lambda chosen: np.ones((len(chosen), 1, 3, 1)) / np.sqrt(3)
    )

    def drawn(times, noise_share, far=False):
        chance = times**2 / people_count
        noise = np.sqrt(chance * noise_share / (1 - noise_share))
        values = rng.standard_normal((4, axes)) * np.hypot(np.sqrt(chance), noise)
        sources = [
            SimpleNamespace(drawn={"values": mean, "noise": np.full(axes, noise)}, n=people_count) for mean in values
        ]
        decoders = [SimpleNamespace(plan=SimpleNamespace(axes=np.arange(axes)), tells_far_people=far)] * 4
        return {"sources": sources, "limits": limits, "decoders": decoders, "spread": times**2 * axes}

    return drawn


def test_people_who_differ_more_than_public_ones_vary_more_by_chance(of_one_population):
    asked = of_one_population(1.5, 0.3)
    differ, q, expected, _ = heterogeneity.compare_asked_again(**asked)
    assert not differ and q / expected == pytest.approx(1.0, abs=4 * np.sqrt(2 / expected))
    # taken to differ as public people do they would be said to differ
    assert heterogeneity.compare_asked_again(**asked | {"spread": 1.0})[0]


@pytest.mark.parametrize("doubted", ["wider", "far", "unlike"])
def test_what_is_known_less_well_is_said_to_differ_later(of_one_population, doubted, monkeypatch):
    asked = of_one_population(1.5 if doubted == "wider" else 1.0, 0.9, far=doubted == "far")
    asked["is_unlike"] = doubted == "unlike"
    _, q, expected, _ = heterogeneity.compare_asked_again(**asked)
    for source in asked["sources"]:
        source.drawn["values"] *= np.sqrt(1.25 * expected / q)
    assert not heterogeneity.compare_asked_again(**asked)[0]
    monkeypatch.setattr(heterogeneity, f"DOUBT_{doubted.upper()}", 0.0)
    assert heterogeneity.compare_asked_again(**asked)[0]


def test_people_whose_spread_noise_hides_are_said_to_differ_later(of_one_population):
    # as far apart as public people, as far as a noisy answer tells
    asked = of_one_population(1.0, 0.9)
    _, q, expected, _ = heterogeneity.compare_asked_again(**asked)
    for source in asked["sources"]:
        source.drawn["values"] *= np.sqrt(1.25 * expected / q)
    assert heterogeneity.compare_asked_again(**asked)[0]
    assert not heterogeneity.compare_asked_again(**asked, spread_error=0.7 * asked["spread"])[0]


def test_specimens_that_differ_more_than_public_ones_vary_more_by_chance():
    public, rng = np.array([1.0, 0.5]), np.random.default_rng(3)
    told = []
    for widened in ([None] * 4, [2.0] * 4):
        spread = heterogeneity.widen_spread(public, widened, [np.inf] * 4)
        means = 2.0 * np.sqrt(public / 50) * rng.standard_normal((400, 4, 2))
        sources = [
            [SimpleNamespace(drawn={"values": mean, "noise": np.zeros(2)}, n=50) for mean in study] for study in means
        ]
        told.append(np.mean([heterogeneity.measure_heterogeneity(study, spread, level=0.05)[0] for study in sources]))
    assert told[0] > 0.5 and told[1] == pytest.approx(0.05, abs=0.035)
    assert np.array_equal(heterogeneity.widen_spread(public, [0.5, 0.5], [60, 60]), public)


def test_what_noise_hides_of_how_much_more_specimens_differ_is_put_back():
    """1.5 times as far: 1.25 of the square are beyond the public people's, of which half is told at n mu = 70."""
    public, told = np.array([1.0, 0.5]), np.sqrt(1 + 1.25 / 2)
    assert heterogeneity.widen_spread(public, [told] * 3, [70.0] * 3) == pytest.approx(2.25 * public)
    assert heterogeneity.widen_spread(public, [1.5, None], [np.inf, 70.0]) == pytest.approx(1.625 * public)


def test_a_source_that_says_it_lies_farther_than_can_be_told_is_refused():
    """A stranger's number that is squared would else end in an overflow."""
    told = [None, 1.5, float(clips.SCALES[-1]), 1e308]
    sources = [SimpleNamespace(folder="lab_1", stated={"noise": {"widened": widened}}) for widened in told]
    assert [shapes_of_pool._read_widened(source) for source in sources[:3]] == told[:3]
    with pytest.raises(RefusedRelease, match=r"lab_1: states .* 1e\+308 times .* at most 16"):
        shapes_of_pool._read_widened(sources[3])
