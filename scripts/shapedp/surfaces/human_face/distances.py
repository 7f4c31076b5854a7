"""Named distances and angles of a face, between landmarks that the public template carries.

A landmark is a vertex of the public people's mean; where it lies on the template, and with it on the curves of every
face, follows from public data alone (`artifacts.TEMPLATE` says where on that mean each point of the template's grid
lies). Names follow Farkas (1994), Anthropometry of the Head and Face; widths of the whole face are none of them, since
scans seldom show it to the ears. A measure is left out if one of its landmarks lies off the template.

Of the 29 distances of 3D Facial Norms (Weinberg et al. 2016, Cleft Palate-Craniofacial Journal 53:e185), sides counted
once, `FACIAL_NORMS` are here; `NOT_ON_A_CROP` need calipers, ears or more of the head than a face's crop shows.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shapedp.surfaces import curve_mesh
from shapedp.surfaces.human_face import real_faces
from shapedp.surfaces.measures import Catalogue, Measures

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
# The measures that releases of growth had before.
FIRST_MEASURES = 30
# The name there, and the names here.
FACIAL_NORMS = {
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
# What is not here, by why.
NOT_ON_A_CROP = {
    "calipers": ("maximum cranial width", "minimum frontal width", "maximum facial width", "mandibular width"),
    "more of the head": ("maximum cranial length",),
    "ears": ("cranial base width", "upper facial depth", "middle facial depth", "lower facial depth"),
}
# By how much one scan differs from what scans of one person are on average, as registered: a standard deviation in mm
# or degrees, of people drawn from the public model, as `python tests/benchmarks/scanned_twice.py 60` prints it.
BETWEEN_SCANS = {
    "face height": 0.082,
    "upper face height": 0.072,
    "lower face height": 0.088,
    "mandible height": 0.092,
    "chin height": 0.077,
    "nose height": 0.056,
    "nose bridge length": 0.052,
    "nose tip protrusion": 0.048,
    "nose width": 0.114,
    "right ala length": 0.056,
    "left ala length": 0.057,
    "intercanthal width": 0.120,
    "biocular width": 0.152,
    "right eye fissure length": 0.075,
    "left eye fissure length": 0.076,
    "right eye to mouth corner": 0.087,
    "left eye to mouth corner": 0.089,
    "upper lip height": 0.053,
    "philtrum length": 0.045,
    "philtrum width": 0.027,
    "upper vermilion height": 0.046,
    "lower vermilion height": 0.047,
    "mouth width": 0.091,
    "nasofrontal angle": 0.225,
    "nose tip angle": 0.186,
    "nasolabial angle": 0.378,
    "nose base angle": 0.185,
    "labiomental angle": 0.463,
    "facial convexity": 0.121,
    "total facial convexity": 0.071,
    "subnasal width": 0.053,
    "lower lip height": 0.046,
    "cutaneous lower lip height": 0.039,
}
# From the template's surface: a landmark that lies farther off is not on it.
OFF_MM = 1.0


CATALOGUE = Catalogue(
    vertices=VERTICES,
    ends_of=MEASURES,
    first_landmarks=FIRST_LANDMARKS,
    first_measures=FIRST_MEASURES,
    published=FACIAL_NORMS,
    elsewhere=NOT_ON_A_CROP,
    between_scans=BETWEEN_SCANS,
    public_mean=real_faces.template,
    public_modes=real_faces.modes,
)


@dataclass(frozen=True)
class FaceMeasures(Measures):
    """The measures of a face: those that are named here, where nothing else is said."""

    ends_of: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MEASURES)

    @classmethod
    def from_template(cls, template: Mapping[str, Any]) -> "FaceMeasures":
        """Return the anatomical distances and angles that can be read off a template's curves; of one unlike public
        people, none.
        """
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
