"""Named distances and angles of a face, between landmarks that the public template carries.

A landmark is a vertex of the public people's mean; where it lies on the template, and with it on the curves of every
face, follows from public data alone (`artifacts.TEMPLATE` says where on that mean each point of the template's grid
lies). A landmark of a face is a fixed sum of the points of its curves, p = sum w_jk x_jk, so that a measure's gradient
there is its gradient in two or three landmarks, times their weights. Names follow Farkas (1994), Anthropometry of the
Head and Face; widths of the whole face are none of them, since scans seldom show it to the ears. A measure is left out
if one of its landmarks lies off the template.

Of the 29 distances of 3D Facial Norms (Weinberg et al. 2016, Cleft Palate-Craniofacial Journal 53:e185), sides counted
once, `FACIAL_NORMS` are here; `NOT_ON_A_CROP` need calipers, ears or more of the head than a face's crop shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.surfaces import curve_mesh
from shapedp.surfaces.human_face import real_faces

VERTICES = {
    "glabella": 1386,
    "nasion": 1346,
    "pronasale": 4487,
    "subnasale": 1138,
    "labiale superius": 0,
    "stomion": 6234,
    "labiale inferius": 4807,
    "sublabiale": 7,
    "pogonion": 963,
    "gnathion": 961,
    "right alare": 4432,
    "left alare": 4650,
    "right endocanthion": 1499,
    "left endocanthion": 3611,
    "right exocanthion": 565,
    "left exocanthion": 2704,
    "right crista philtri": 1986,
    "left crista philtri": 4078,
    "right cheilion": 4878,
    "left cheilion": 5059,
    "right subalare": 1163,
    "left subalare": 3280,
}
FIRST_LANDMARKS = 20  # that releases of growth had before the last two were added
MEASURES = {  # distances of two landmarks, and angles at the second of three
    "face height": ("nasion", "gnathion"),
    "upper face height": ("nasion", "stomion"),
    "lower face height": ("subnasale", "gnathion"),
    "mandible height": ("stomion", "gnathion"),
    "chin height": ("sublabiale", "gnathion"),
    "nose height": ("nasion", "subnasale"),
    "nose bridge length": ("nasion", "pronasale"),
    "nose tip protrusion": ("subnasale", "pronasale"),
    "nose width": ("right alare", "left alare"),
    "right ala length": ("right alare", "pronasale"),
    "left ala length": ("left alare", "pronasale"),
    "intercanthal width": ("right endocanthion", "left endocanthion"),
    "biocular width": ("right exocanthion", "left exocanthion"),
    "right eye fissure length": ("right exocanthion", "right endocanthion"),
    "left eye fissure length": ("left exocanthion", "left endocanthion"),
    "right eye to mouth corner": ("right exocanthion", "right cheilion"),
    "left eye to mouth corner": ("left exocanthion", "left cheilion"),
    "upper lip height": ("subnasale", "stomion"),
    "philtrum length": ("subnasale", "labiale superius"),
    "philtrum width": ("right crista philtri", "left crista philtri"),
    "upper vermilion height": ("labiale superius", "stomion"),
    "lower vermilion height": ("stomion", "labiale inferius"),
    "mouth width": ("right cheilion", "left cheilion"),
    "nasofrontal angle": ("glabella", "nasion", "pronasale"),
    "nose tip angle": ("nasion", "pronasale", "subnasale"),
    "nasolabial angle": ("pronasale", "subnasale", "labiale superius"),
    "nose base angle": ("right alare", "pronasale", "left alare"),
    "labiomental angle": ("labiale inferius", "sublabiale", "pogonion"),
    "facial convexity": ("glabella", "subnasale", "pogonion"),
    "total facial convexity": ("nasion", "pronasale", "pogonion"),
    "subnasal width": ("right subalare", "left subalare"),
    "lower lip height": ("stomion", "sublabiale"),
    "cutaneous lower lip height": ("labiale inferius", "sublabiale"),
}
FIRST_MEASURES = 30  # that releases of growth had before
FACIAL_NORMS = {  # name there: names here
    "morphological facial height": ("face height",),
    "upper facial height": ("upper face height",),
    "lower facial height": ("lower face height",),
    "intercanthal width": ("intercanthal width",),
    "outercanthal width": ("biocular width",),
    "palpebral fissure length": ("right eye fissure length", "left eye fissure length"),
    "nasal width": ("nose width",),
    "subnasal width": ("subnasal width",),
    "nasal protrusion": ("nose tip protrusion",),
    "nasal ala length": ("right ala length", "left ala length"),
    "nasal height": ("nose height",),
    "nasal bridge length": ("nose bridge length",),
    "labial fissure width": ("mouth width",),
    "philtrum width": ("philtrum width",),
    "philtrum length": ("philtrum length",),
    "upper lip height": ("upper lip height",),
    "lower lip height": ("lower lip height",),
    "upper vermilion height": ("upper vermilion height",),
    "lower vermilion height": ("lower vermilion height",),
    "cutaneous lower lip height": ("cutaneous lower lip height",),
}
NOT_ON_A_CROP = {  # and why
    "calipers": ("maximum cranial width", "minimum frontal width", "maximum facial width", "mandibular width"),
    "more of the head": ("maximum cranial length",),
    "ears": ("cranial base width", "upper facial depth", "middle facial depth", "lower facial depth"),
}
OFF_MM = 1.0  # from the template's surface: a landmark that lies farther off is not on it


@dataclass(frozen=True)
class Measures:
    """landmarks : names (l,); weights (l, J, m) : what each point of the curves counts at each of them
    ends_of : {name: landmarks} of all measures that may be taken, where the template carries these
    """

    landmarks: tuple[str, ...]
    weights: NDArray[np.float64]
    ends_of: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MEASURES)
    unit: str = "mm"  # of distances

    @classmethod
    def from_marks(cls, template: Mapping[str, Any]) -> "Measures":
        """Those of a subject that is no face: the distance between each two points that `faces.marks` names.

        Parameters
        ----------
        template : mapping
            Fields of its template's artifact.

        Returns
        -------
        Measures
        """
        curves, radii, names = template["curves"], template["radii"], tuple(template["mark_names"])
        if not names:
            return cls((), np.zeros((0, len(radii), curves.shape[-1])), {})
        vertices, triangles = curve_mesh.mesh(curves, radii)
        triangle, shares, _ = curve_mesh.nearest(np.reshape(template["mark_points"], (-1, 3)), vertices, triangles)
        weights = curve_mesh.weights(triangle, shares, triangles, radii, curves.shape[-1])
        return cls(names, weights, {f"{one} to {other}": (one, other) for one, other in combinations(names, 2)})

    @classmethod
    def of_template(cls, template: Mapping[str, Any]) -> "Measures":
        """Those of a template's artifact, or of its fields; of a template that is unlike public people, none."""
        real_faces.check(template)
        curves, radii = template["curves"], template["radii"]
        shape = len(radii), curves.shape[-1]
        if not float(template["people_size"]):
            return cls((), np.zeros((0, *shape)))
        model = real_faces.template()
        corners = model[real_faces.triangles()[template["people_triangles"]]]
        public = np.einsum("rtk,rtkc->rtc", template["people_weights"], corners)
        vertices, triangles = curve_mesh.mesh(curve_mesh.extract(public, radii, shape[1]), radii)
        triangle, shares, off = curve_mesh.nearest(model[list(VERTICES.values())], vertices, triangles)
        on = off < OFF_MM
        weights = curve_mesh.weights(triangle[on], shares[on], triangles, radii, shape[1])
        return cls(tuple(np.array(list(VERTICES))[on].tolist()), weights)

    @property
    def names(self) -> list[str]:
        """Of the measures (q,), distances first."""
        return [name for name, ends in self.ends_of.items() if set(ends) <= set(self.landmarks)]

    @property
    def units(self) -> list[str]:
        """(q,) mm or degrees."""
        return [self.unit if len(self.ends_of[name]) == 2 else "degrees" for name in self.names]

    def points(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """(..., l, 3) the landmarks of faces (..., J, 3, m)."""
        return np.einsum("ljm,...jcm->...lc", self.weights, curves, optimize=True)

    def values(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """(..., q) the measures of faces (..., J, 3, m) in mm."""
        points = self.points(curves)
        found = [_value(*(points[..., at, :] for at in ends)) for ends in self._ends()]
        return np.stack(found, axis=-1) if found else np.zeros((*curves.shape[:-3], 0))

    def gradients(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """(q, J, 3, m) of each measure in the points of one face (J, 3, m) in mm."""
        return np.einsum("qlc,ljm->qjcm", self.in_landmarks(curves), self.weights, optimize=True)

    def in_landmarks(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """(q, l, 3) the same in its landmarks."""
        points = self.points(curves)
        found = np.zeros((len(self.names), *points.shape))
        for row, ends in zip(found, self._ends(), strict=True):
            row[ends] = _gradient(*points[ends])
        return found

    def across(self, curves: NDArray[np.float64]) -> NDArray[np.float64]:
        """(q, 2, l, 3) gradients of how far one end of each distance lies from the other in the two directions across
        it (in the plane, one), 0 of angles, on one face (J, 3, m) in mm.
        """
        points = self.points(curves)
        found = np.zeros((len(self.names), points.shape[1] - 1, *points.shape))
        for row, ends in zip(found, self._ends(), strict=True):
            if len(ends) == 2:
                directions = np.linalg.svd((points[ends[0]] - points[ends[1]])[None])[2][1:]
                row[:, ends[0]], row[:, ends[1]] = directions, -directions
        return found

    def _ends(self):
        return [[self.landmarks.index(end) for end in self.ends_of[name]] for name in self.names]


def _value(*ends):
    """The distance of two points (..., 3), or the angle in degrees at the second of three."""
    if len(ends) == 2:
        return np.linalg.norm(ends[0] - ends[1], axis=-1)
    a, b = ends[0] - ends[1], ends[2] - ends[1]
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1)))


def _gradient(*ends):
    """(2 or 3, 3) in each of the points (3,): of |a - b| the unit vector; of an angle, across each of its legs."""
    if len(ends) == 2:
        along = (ends[0] - ends[1]) / np.linalg.norm(ends[0] - ends[1])
        return np.array([along, -along])
    a, b = ends[0] - ends[1], ends[2] - ends[1]
    axis = np.cross(a, b) / np.linalg.norm(np.cross(a, b))
    first, last = np.cross(a, axis) / (a @ a), np.cross(axis, b) / (b @ b)
    return np.degrees(np.array([first, -first - last, last]))
