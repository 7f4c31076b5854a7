"""scikit-learn's habits: pipelines, `set_output`, and its own checks where they apply to what takes scans or spends."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks

import shapedp
from shapedp.base.errors import ConfigError

SPENT = {"population": "p", "cap": 1.0, "ledger": "ledger", "folder": "out/first", "sources": {}}
ESTIMATORS = {
    "FaceCurves": lambda: shapedp.FaceCurves(flatten=True),
    "PrivateMeanFace": lambda: shapedp.PrivateMeanFace(1.0, variation=None, **SPENT),
    "PrivateFaceModel": lambda: shapedp.PrivateFaceModel(1.0, variation=None, **SPENT),
    "PrivateMeanShape": lambda: shapedp.PrivateMeanShape({"mu_total": 1.0}, radius=0.2, **SPENT),
    "PrivateShapeModel": lambda: shapedp.PrivateShapeModel(1.0, radius=0.2, **SPENT),
}
# The others of `check_estimator` fit on tables of random numbers: no scans, and a release of them would be spent.
CHECKS = (
    "check_no_attributes_set_in_init",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_get_params_invariance",
    "check_set_params",
)


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_scikit_learn_finds_no_fault(name, check):
    getattr(estimator_checks, check)(name, ESTIMATORS[name]())


class Template:
    """A template of two curves with three points."""

    curves = np.arange(18.0).reshape(2, 3, 3)


@pytest.fixture
def curves(monkeypatch):
    """A FaceCurves whose chain adds a scan's number to the template."""
    made = shapedp.FaceCurves(template=Template(), flatten=True)
    monkeypatch.setattr(type(made), "_extract_curves", lambda self, scan: self.template_.curves + scan[0][0, 0])
    monkeypatch.setattr("shapedp.app.api.estimators.check_scans", list)
    fitted = made.fit()
    fitted._rehearsed = True
    return fitted


SCANS = [(np.full((4, 3), float(at)), None) for at in range(5)]


def test_a_row_of_numbers_a_scan_goes_through_a_pipeline(curves, monkeypatch):
    monkeypatch.setattr(type(curves), "fit", lambda self, *_: self)
    steps = make_pipeline(curves, PCA(1))
    assert steps.fit_transform(SCANS).shape == (5, 1)


def test_a_table_has_a_named_column_for_each_number(curves):
    pandas = pytest.importorskip("pandas")
    table = curves.set_output(transform="pandas").transform(SCANS)
    assert isinstance(table, pandas.DataFrame) and table.shape == (5, 18)
    assert list(table.columns[[0, 3, 17]]) == ["curve1_x_1", "curve1_y_1", "curve2_z_3"]
    assert (table["curve1_y_1"].to_numpy() == 3 + np.arange(5)).all()


def test_curves_of_three_axes_have_no_columns(curves):
    with pytest.raises(ConfigError, match="flatten"):
        curves.set_params(flatten=False).get_feature_names_out()
