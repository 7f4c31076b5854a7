"""Many faces at once, as a transformer of scikit-learn."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from shapedp.api.faces import Template, map_scan
from shapedp.errors import Rejected


class FaceCurves(TransformerMixin, BaseEstimator):
    """Scans -> radial curves (n, J, 3, m) of unit-area faces, in correspondence.

    template : a `Template`, public; None for the built-in one. `fit` learns nothing from the scans, and `transform`
    takes each by itself: replacing one scan changes one row. A scan that cannot be used becomes the template's curves;
    `rejected_` says which, and why.
    """

    def __init__(self, template=None, center="nose"):
        self.template = template
        self.center = center

    def fit(self, scans=None, y=None):
        """Make the template ready; the scans are not looked at."""
        self.template_ = self.template or Template.built_in()
        return self

    def transform(self, scans):
        """Curves of each scan; scans as `read_scan` gives them."""
        self.rejected_ = {}
        return np.stack([self._row(number, scan) for number, scan in enumerate(scans)])

    def _row(self, number, scan):
        template = self.template_
        try:
            surface = map_scan(scan, self.center, *template.surface.f.shape[:2])
            return template.curves_of(template.register(surface).surface)
        except Rejected as error:
            self.rejected_[number] = str(error)
            return template.curves
