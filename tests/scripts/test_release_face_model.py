"""A face model through its script: one entry in the ledger, one statement, and nothing that a record can move."""

import json

import numpy as np
import pytest

import release_faces
from library.privacy.learned import people
from shapedp.audit import outside_view
from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease
from shapedp.ledger.ledger_folder import Ledger
from shapedp.releases import allow_list
from shapedp.releases.model import released_model

N = 200
BOUNDED_BY = {"tau_shaped": "reference_set", "weights": "config", "zeta": "config"}  # no public set has covariates
COVARIATES = {"age": {"range": [20, 60]}, "sex": {"levels": ["f", "m"]}}
FACES = {
    "bounds": {"source": "reference_set"},
    "variation": {
        "directions": 12,
        "harmonics": 10,
        "quantile": 0.95,
        "assumed_mean_shift": 0.3,
        "assumed_shift_outside_modes": 1.0,
    },
    "curves": {"count": people.SHAPE[0], "samples": people.SHAPE[2], "spacing": "arc"},
    "persons": "refuse",
    "kernel": {"rho": 1.0, "alpha": 1.0, "phi": [0.01, 0.01, 0.005]},
}


def cells(count=N, seed=3):
    rng = np.random.default_rng(seed)
    return [
        (f"person{index:04d}", {"age": f"{rng.uniform(20, 60):.1f}", "sex": rng.choice(["f", "m"])})
        for index in range(count)
    ]


class Workspace:
    """A template, a public variation, and curves of N people."""

    radii = np.arange(1, people.SHAPE[0] + 1) / people.SHAPE[0]

    def __init__(self, folder):
        self.folder = folder
        with artifacts.writer(folder / "template.h5", artifacts.TEMPLATE) as out:
            surface = np.zeros((4, 8, 3))
            out.set(
                **dict.fromkeys(("f", "cloud_f"), surface),
                cloud_places=np.zeros((4, 8, 2)),
                **artifacts.no_people((4, 8)),
                extent=1.0,
                curves=people.center(),
                radii=self.radii,
                scale=150.0,
                public=1,
                source="demo",
            )
        learned = people.variation()
        with artifacts.writer(folder / "variation.h5", artifacts.VARIATION) as out:
            out.set(**{name: getattr(learned, name) for name in artifacts.VARIATION.fields})

    def stack(self, curves=None):
        curves = people.draw(N, 11) if curves is None else curves
        path = self.folder / "curves.h5"
        with artifacts.writer(path, artifacts.CURVES, inputs=[self.folder / "template.h5"]) as out:
            out.set(
                curves=curves,
                ok=np.ones(len(curves)),
                ids=[f"person{index:04d}" for index in range(len(curves))],
                groups=[""] * len(curves),
                radii=self.radii,
                template=artifacts.header(self.folder / "template.h5")[2],
            )
        return path

    def release(self, told=None, name="model", seed=None, mu=1.0, cap=5.0, **asked):
        """(folder, statement)."""
        entry = {"name": name, "kind": "face_model", "mechanism": "shaped", "budget": {"mu_total": mu}}
        entry |= {"covariates": COVARIATES, "modes": 3, **asked}
        output = self.folder / "results" / "release" / "faces" / name
        privacy = {
            "ledger": self.folder / "ledger",
            "population": {"faces": "people"},
            "cap": {"faces": {"mu_total": cap}},
            "groups": {"membership": "private", "sizes": {}},
            "seed": seed,
            "tuned_on": "public",
            "sources": {"settings": "demo", "template": "demo", "bounds": "demo"},
            "statement": {},
        }
        paths = self.folder / "curves.h5", self.folder / "template.h5", self.folder / "variation.h5"
        told = cells() if told is None else told
        release_faces.release_faces(paths, output, entry, FACES, privacy, N, True, told)
        return output, json.loads((output / "statement.json").read_text())


@pytest.fixture
def workspace(tmp_path):
    found = Workspace(tmp_path)
    found.stack()
    return found


def test_a_model_is_one_entry_and_one_statement_that_holds(workspace):
    folder, stated = workspace.release()
    assert stated["formally_private"] and stated["guarantee"]["mu"] == 1.0
    assert stated["release"]["statistic"] == "face model"
    assert [one["name"] for one in stated["settings"]["covariates"]] == ["age", "sex"]
    assert {one["name"]: one["origin"]["source"] for one in stated["bounds"]} == BOUNDED_BY
    assert len(Ledger(workspace.folder / "ledger").list_releases("people")) == 1
    assert Ledger(workspace.folder / "ledger").sum_spent("people").mu == pytest.approx(1.0)
    allow_list.check_folder(folder, "faces")
    model, _ = released_model.read(folder / "face_model.h5")
    assert model.modes.shape == (3, *people.SHAPE) and np.isfinite(model.mean).all()


def test_the_same_model_is_returned_and_other_covariates_are_another(workspace):
    folder, _ = workspace.release()
    before = (folder / "face_model.h5").read_bytes()
    workspace.release()
    assert (folder / "face_model.h5").read_bytes() == before
    with pytest.raises(RefusedRelease, match="the name of another release"):
        workspace.release(cells(seed=4))


def test_two_people_who_were_mixed_up_make_another_model(workspace):
    """The same faces and the same covariates, but whose is whose: effects differ, so the stored model is not theirs."""
    workspace.release()
    mixed_up = people.draw(N, 11)
    mixed_up[[0, 1]] = mixed_up[[1, 0]]
    workspace.stack(mixed_up)
    with pytest.raises(RefusedRelease, match="the name of another release"):
        workspace.release()


def test_more_than_the_cap_is_refused_and_nothing_is_shown(workspace):
    with pytest.raises(RefusedRelease, match="left"):
        workspace.release(cap=0.5)
    assert not (workspace.folder / "results").exists()


@pytest.mark.parametrize("cell", ["", "old", "nan", "inf", "1e308", "-5", None])
def test_no_cell_moves_what_is_stated(workspace, cell):
    """But what follows from the noised answers, whose noise is another each time."""
    told = cells()
    told[-1] = (told[-1][0], {"age": cell} if cell is not None else {})
    folder, stated = workspace.release(told)
    other, same = workspace.release(name="plain")
    for one in (stated, same):
        one.pop("budget"), one.pop("date"), one.pop("differs_from_public_set")
        one["noise"] = {key: told for key, told in one["noise"].items() if key not in outside_view.NOISED}
    assert stated == same
    assert {one.name for one in folder.iterdir()} == {one.name for one in other.iterdir()}


def test_with_hardly_any_noise_it_is_what_the_people_are(workspace):
    """mu = 1e5, seeded: the mean within a thousandth of how people differ, and the first modes theirs."""
    folder, stated = workspace.release(mu=1e5, cap=1e9, seed=1, reproduction=True)
    assert not stated["formally_private"]
    model, _ = released_model.read(folder / "face_model.h5")
    curves = people.draw(N, 11) * 150.0
    spread = np.sqrt(np.mean(np.sum((curves - curves.mean(axis=0)) ** 2, axis=2)))
    away = model.mean - curves.mean(axis=0)
    assert np.sqrt(np.mean(np.sum(away**2, axis=1))) < 0.03 * spread
    first = people.directions()[0]
    cosine = np.mean(np.sum(model.modes[0] * first, axis=1))
    assert abs(cosine) > 0.97
