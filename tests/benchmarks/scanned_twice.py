"""How far distances and angles of one face that is scanned twice lie apart: what registration adds to people's spread.

A person is drawn from the public model and scanned twice by one kind of scanner, in a pose of their own each time; both
scans are registered to the built-in template. They differ by pose, meshing and noise alone, so that a laboratory's own
scans, in which people also move their faces, lie farther apart.

`python tests/benchmarks/scanned_twice.py COUNT` prints the table BETWEEN_SCANS of
`shapedp.surfaces.human_face.distances` from COUNT people in each of VIEWS.
"""

import sys

import numpy as np

from benchmarks import expressive_faces, mixed_scans, scan_clouds
from shapedp.base.settings import read_default
from shapedp.surfaces import curve_mesh
from shapedp.surfaces.chain import steps, to_template
from shapedp.surfaces.human_face import fit, template_forms
from shapedp.surfaces.human_face.distances import FaceMeasures
from shapedp.surfaces.registration import alignment

# Seeds of the people whom the table is learned from, and of those whom it is judged on.
LEARNED, JUDGED = 78, 95
VIEWS = "mesh", "three_view", "front"
# Of a pose, about any axis.
LARGEST_DEGREES = 20.0


def find_differences(count, seed):
    """Return (names of the measures, (n, q) second scan's less first scan's), of those whose scans are both accepted.

    Parameters
    ----------
    count : int
        People in each view.
    seed : int
    """
    model = expressive_faces.Model()
    chain = expressive_faces.Chain(model)
    keys = {*to_template.SETTINGS, *steps.SETTINGS} - {"template"}
    faces = {key: read_default(f"faces.{key}") for key in sorted(keys)}
    whole = alignment.map_face(*template_forms.built_in_template("built_in"), mixed_scans.SHAPE, True)
    template = fit.template_fields(whole, faces | {"template": "built_in", "extent": {"radius": None}})
    measures, samples = FaceMeasures.from_template(template), template["curves"].shape[-1]
    differences = []
    for at, view in enumerate(VIEWS):
        for number in range(count):
            rng = np.random.default_rng([seed, at, number])
            face, values = model.faces.face(rng), []
            for _ in range(2):
                turn, moved = scan_clouds.pose(rng, LARGEST_DEGREES)
                scan = model.scanned(turn.apply(face) + moved, view, rng)
                taken = chain.take(scan.points, scan.triangles)
                if not taken.code:
                    curves = curve_mesh.extract(taken.registered["f"], template["radii"], samples)
                    values.append(measures.values(template["scale"] * curves))
            if len(values) == 2:
                differences.append(values[1] - values[0])
    return measures.names, np.array(differences)


def find_spread(count, seed):
    """Return {measure: standard deviation of one scan about what a person's scans are on average}, mm or degrees.

    Parameters
    ----------
    count : int
        People in each view.
    seed : int
    """
    names, differences = find_differences(count, seed)
    return dict(zip(names, np.sqrt(np.mean(differences**2, axis=0) / 2), strict=True))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/benchmarks/scanned_twice.py COUNT")
    for name, spread in find_spread(int(sys.argv[1]), LEARNED).items():
        print(f'    "{name}": {spread:.3f},')
