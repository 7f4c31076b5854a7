"""Scans of one population that end in different places, and what a registration makes of them, against the truth."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from benchmarks import scan_clouds
from shapedp.base.settings import read_default
from shapedp.surfaces import table
from shapedp.surfaces.chain import to_disk
from shapedp.surfaces.human_face import likeness, placement, public_people, template_forms
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import alignment, disk_transfer
from shapedp.surfaces.registration.template import Options
from shapedp.surfaces.scans import Scan

SHAPE = (96, 256, 3)
BASIS = read_default("faces.registration.basis")
NEAR_MM = 1.2  # of the template's cloud: a vertex of the model so near lies on the template
RADIUS = 0.46  # of a common extent, in sizes of the template
OFF_RIM = 0.985  # of the disk's radius: vertices farther out are rim
KINDS = {"full": "three_view", "front_only": "front"}


@dataclass(frozen=True)
class Reference:
    """The template, made like the scans: ready for alignment; its common face; where vertices of the model lie on it.

    inside : (n,) which vertices those are; places : (m, 2) of them in the disk
    """

    template: alignment.Template
    public: public_people.People
    common: alignment.Face
    inside: np.ndarray
    places: np.ndarray

    def align(self, face):
        """The Aligned of a Face, whole."""
        return likeness.align_likeliest(face, self.template, self.public)


def face_of(points, marked=None, triangles=None):
    """The Face of a scan: meshed, its nose found unless it is marked, mapped, sampled."""
    settings = {
        "mesh": read_default("faces.mesh"),
        "center": "nose",
        "surface": {"rings": SHAPE[0], "angles": SHAPE[1]},
    }
    return to_disk.map_scan(Scan(points, triangles, ()), settings, marked)


def reference(model, radius, made="scan"):
    """The Reference of the model's mean, its nose marked; radius : of the extent

    made : scan, seen from three sides | cloud, its points spread evenly | mesh, as it is
    """
    points, triangles = model.mean, model.triangles
    if made == "scan":
        points, triangles = scan_clouds.cloud(points, triangles, KINDS["full"], np.random.default_rng(0)), None
    elif made == "cloud":
        points, triangles = template_forms.cloud_points(points, triangles), None
    whole = face_of(points, model.mean[model.nose_tip], triangles)
    common = alignment.crop_to_extent(whole, radius)
    template = alignment.Template(common.f, Options(basis=BASIS))
    return Reference(template, placement.find_people(common), common, *known(common, model.mean))


def known(common, vertices):
    """(which vertices (n, 3) of the model lie on a template's Face off its rim, places (m, 2) of these in its disk)."""
    distance, _ = cKDTree(common.vertices).query(vertices)
    z = disk_transfer.find_nearest(vertices, common)
    inside = (distance < NEAR_MM) & (np.abs(z) < OFF_RIM)
    return inside, np.stack([z.real, z.imag], axis=-1)[inside]


def vertices_of(aligned, chosen):
    """(m, 3) in the scan's frame: where a registration has the model's vertices that lie on the template."""
    looked_up = table.lookup(
        table.coefficients(aligned.registered.surface, polar_grid(*SHAPE[:2])), chosen.places[None]
    )
    return looked_up[0] @ aligned.registered.rotation * aligned.scale + aligned.centroid


def apart(one, other, common):
    """Mean distance of two registered surfaces in mm at the template's size, weighted by the template's area."""
    grid = polar_grid(*SHAPE[:2])
    distance = np.linalg.norm(one.registered.surface - other.registered.surface, axis=-1)
    along, across = grid.gradient(common.f)
    area = np.linalg.norm(np.cross(along, across), axis=-1) * grid.weights[:, None]
    return float((area * distance).sum() / area.sum() * common.scale)


def dense(face, triangles, count, noise_mm, rng):
    """A dense cloud of a face, unthinned, as three scanners see it."""
    points = scan_clouds.on_triangles(face, triangles, int(1.3 * count), rng)
    points = points[np.any([scan_clouds.seen(points, yaw) for yaw in scan_clouds.YAWS["three_view"]], axis=0)][:count]
    return points + noise_mm * rng.standard_normal(points.shape)
