"""The Python API asks the ledger for the very release that the workflow's scripts ask for: one request, drawn once.

The scripts are followed on the way: an entry of `releases:` passes few functions in few modules.
"""

import numpy as np
import pytest

import center_shapes
import read_shapes
import release_faces
import release_shapes
import shapedp
from library.privacy.learned import people
from library.releases.followed import Followed, check
from shapedp.base import artifacts
from shapedp.base.settings import read_default
from shapedp.landmarks import outlines
from shapedp.ledger.ledger_folder import Ledger
from shapedp.surfaces.chain import cohort

N = 150
PUBLIC = people.draw(80, 5)
SECTION = {key: read_default(f"faces.{key}") for key in ("kernel", "variation", "persons")}
SOURCES = {"bounds": "a public set", "template": "a public face", "settings": "numbers of a paper"}
SHAPE_SOURCES = {"center": "a public set", "radius": "numbers of a paper", "settings": "numbers of a paper"}
COVARIATES = {"age": {"range": [20, 60]}}


class Surface:
    """What a release takes of `Template.surface`."""

    f, scale = np.zeros((4, 8, 3)), 150.0


class Template:
    """A template of tiny curves; people's are given, so that no scan is registered to it."""

    curves, radii = people.center(), np.arange(1, people.SHAPE[0] + 1) / people.SHAPE[0]
    surface, samples, spacing, ours = Surface, people.SHAPE[2], "arc", False


TEMPLATE, CURVES = Template(), people.draw(N, 11)
VARIATION = shapedp.learn_variation(PUBLIC, TEMPLATE)
SECTION["curves"] = {"count": people.SHAPE[0], "samples": people.SHAPE[2], "spacing": "arc"}


@pytest.fixture
def told():
    rng = np.random.default_rng(4)
    return [{"age": f"{age:.1f}"} for age in rng.uniform(20, 60, N)]


@pytest.fixture
def asked(tmp_path):
    """What both are asked for."""
    return {
        "population": "people",
        "cap": {"mu_total": 9.0},
        "ledger": tmp_path / "ledger",
        "folder": tmp_path / "results" / "release" / "faces" / "one",
        "sources": SOURCES,
    }


def privacy(asked, branch):
    return {
        "ledger": asked["ledger"],
        "population": {branch: asked["population"]},
        "cap": {branch: asked["cap"]},
        "seed": None,
        "tuned_on": "public",
        "groups": read_default("privacy.groups"),
        "sources": asked["sources"],
        "statement": read_default("privacy.statement"),
    }


def released_once(asked):
    """That the ledger holds one release, and what it says of itself."""
    assert len(Ledger(asked["ledger"]).list_releases("people")) == 1
    return shapedp.read_release(asked["folder"])


@pytest.fixture
def files(tmp_path):
    """template, curves, variation."""
    template, curves, variation = (tmp_path / f"{name}.h5" for name in ("template", "curves", "variation"))
    with artifacts.writer(template, artifacts.TEMPLATE) as out:
        out.set(
            **dict.fromkeys(("f", "cloud_f"), Surface.f),
            cloud_places=np.zeros((4, 8, 2)),
            **artifacts.no_people((4, 8)),
            extent=1.0,
            curves=TEMPLATE.curves,
            radii=TEMPLATE.radii,
            scale=Surface.scale,
            public=1,
            source="public.ply",
        )
    with artifacts.writer(curves, artifacts.CURVES, inputs=[template]) as out:
        out.set(
            curves=CURVES,
            ok=np.ones(N),
            ids=[f"person{row}" for row in range(N)],
            groups=[""] * N,
            radii=TEMPLATE.radii,
            template=artifacts.header(template)[2],
        )
    public = tmp_path / "public_curves.h5"
    with artifacts.writer(public, artifacts.CURVES, inputs=[template]) as out:
        names = [f"public{row}" for row in range(len(PUBLIC))]
        more = {"radii": TEMPLATE.radii, "template": artifacts.header(template)[2]}
        out.set(curves=PUBLIC, ok=np.ones(len(PUBLIC)), ids=names, groups=[""] * len(PUBLIC), **more)
    cohort.learn_variation(public, template, variation, SECTION["variation"], "a public set")
    return template, curves, variation


@pytest.mark.parametrize("how", ["shaped", "matched_joint"])
def test_a_mean_face(asked, files, how):
    template, curves, variation = files
    tau = None if how == "shaped" else [0.1, 0.1, 0.1]
    limits = {"variation": VARIATION} if tau is None else {"tau": tau, "mechanism": how}
    entry = {"name": "one", "mechanism": how, "budget": {"mu_total": 1.0}, "worth_it_anyway": True}
    section = SECTION | {"bounds": {"source": "public", "tau": tau}}
    paths = curves, template, variation if tau is None else None
    with Followed() as followed:
        release_faces.release_faces(paths, asked["folder"], entry, section, privacy(asked, "faces"), N, True)
    check(followed)
    made = shapedp.PrivateMeanFace(1.0, **asked, **limits, template=TEMPLATE, worth_it_anyway=True).fit(CURVES)
    assert np.array_equal(made.mean_, released_once(asked).values["curves"])


def test_a_face_model(asked, files, told):
    template, curves, variation = files
    entry = {"name": "one", "kind": "face_model", "mechanism": "shaped", "budget": {"mu_total": 1.0}}
    entry |= {"covariates": COVARIATES, "modes": 3}
    cells = [(f"person{row}", cell) for row, cell in enumerate(told)]
    settings = entry, SECTION | {"bounds": {}}, privacy(asked, "faces")
    with Followed() as followed:
        release_faces.release_faces((curves, template, variation), asked["folder"], *settings, N, True, cells)
    check(followed)
    more = {"covariates": COVARIATES, "modes": 3, "template": TEMPLATE}
    made = shapedp.PrivateFaceModel(1.0, **asked, variation=VARIATION, **more)
    model = made.fit(CURVES, covariates=[{"age": float(cell["age"])} for cell in told]).model_
    release = released_once(asked)
    assert np.array_equal(model.mean, release.model.mean)
    older = shapedp.predict(release, {"age": 50}) - shapedp.predict(release, {"age": 30})
    assert np.allclose(older, model.effects[1])
    assert shapedp.sample(release, 2, seed=1).shape == (2, *people.SHAPE)
    assert not shapedp.compare(release, release).exceeds.any()


@pytest.fixture(params=[2, 3])
def landmarks(request, tmp_path):
    """(private records of 2 or 3 coordinates with a missing landmark, the file of public ones)."""
    private, public = (outlines.population(count, seed)[0] for count, seed in ((60, 1), (80, 2)))
    if request.param == 3:
        private, public = (np.dstack([one, 0.1 * one[..., 0] ** 2]) for one in (private, public))
    private = np.array(private)
    private[3, 5] = np.nan
    np.savez(tmp_path / "private.npz", X=private)
    np.savez(tmp_path / "public.npz", X=public)
    return private, tmp_path / "public.npz"


@pytest.mark.parametrize("model", [False, True])
def test_shapes_in_the_plane_and_in_space(asked, landmarks, tmp_path, model):
    private, public = landmarks
    asked |= {"folder": tmp_path / "results" / "release" / "shapes" / "one", "sources": SHAPE_SOURCES}
    read_shapes.read_shapes(tmp_path / "private.npz", tmp_path / "landmarks.h5", "reference_set", public)
    center_shapes.center_shapes(tmp_path / "landmarks.h5", tmp_path / "shapes.h5", "reference_set", public)
    keys = ("contour_modes", "pairs", "semilandmarks", "links", "sliding", "persons")
    section = {key: read_default(f"shapes.{key}") for key in keys}
    section |= {"radius": 0.2, "center": "reference_set", "reference_set": public, "size": None}
    paths = tmp_path / "shapes.h5", tmp_path / "landmarks.h5", asked["folder"]
    entry = {"name": "one", "mechanism": "shaped", "budget": {"mu_total": 3.0}}
    given = {"radius": 0.2, "reference_set": public, **asked}
    if model:
        entry |= {"kind": "shape_model", "modes": 2, "covariates": {"log_size": {"range": [-1, 1]}}}
        with Followed() as followed:
            release_shapes.release_shapes(*paths, entry, section, privacy(asked, "shapes"))
        made = shapedp.PrivateShapeModel(3.0, **given, modes=2, covariates=entry["covariates"]).fit(private)
        assert np.array_equal(made.model_.mean, released_once(asked).model.mean)
    else:
        with Followed() as followed:
            release_shapes.release_shapes(*paths, entry, section, privacy(asked, "shapes"))
        made = shapedp.PrivateMeanShape({"mu_total": 3.0}, **given).fit(private)
        assert np.array_equal(made.mean_, released_once(asked).values["landmarks"])
    check(followed)


def test_a_row_that_could_not_be_used_counts_as_the_template(asked):
    curves = CURVES.copy()
    curves[2] = np.nan
    made = shapedp.PrivateMeanFace(1.0, **asked, variation=VARIATION, template=TEMPLATE, worth_it_anyway=True)
    made.fit(curves)
    assert list(made.rejected_) == [2] and np.isfinite(made.mean_).all()
