"""A template in two forms, so that each scan meets one like itself: a mesh its triangles, a cloud a mesh of its points.

A scan without triangles is meshed anew and loses what its hollows hide. Against a form unlike itself a scan is
registered worse (docs, `first_release_scans.md`). Both forms are the same surface, so where the grid of the one lies
in the disk of the other is known, and all registrations end on one grid: that of the cloud, if there are two forms.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from shapedp.errors import Rejected
from shapedp.surfaces import alignment, as_cloud, carrying, centers, meshing


@dataclass(frozen=True, eq=False)
class Twofold:
    """clouds, meshes : (whole, common, inner places) of each form; radius, options : all as for `alignment.prepared`
    places : (R, T, 2) where the grid of the clouds' form lies in the disk of the meshes'

    A form is prepared when the first scan of its kind comes.
    """

    clouds: tuple
    meshes: tuple
    places: np.ndarray
    radius: float
    options: object

    @cached_property
    def of_clouds(self):
        """The alignment.Template that clouds meet."""
        return alignment.prepared(*self.clouds, self.radius, self.options)

    @cached_property
    def of_meshes(self):
        """The one that meshes meet: the same object where there is one form only."""
        if all(map(np.array_equal, self.clouds, self.meshes)):
            return self.of_clouds
        return alignment.prepared(*self.meshes, self.radius, self.options)

    @property
    def shape(self):
        """(R, T) of the grid."""
        return self.places.shape[:2]

    def align(self, face):
        """The alignment.Aligned of a Face to the form that is like it, on the grid of the clouds' form."""
        if not face.own_triangles or self.of_meshes is self.of_clouds:
            return alignment.align(face, self.of_clouds)
        return carrying.moved(alignment.align(face, self.of_meshes), self.places)


def forms(face, options=None):
    """(the Face that clouds meet, the Face that meshes meet, why these are the same for a mesh): of a template."""
    if not face.own_triangles:
        return face, face, ""
    try:
        return cloud_of(face, options), face, ""
    except Rejected as error:
        return face, face, f"the template's points alone make no face, so clouds meet its mesh: {error}"


def cloud_of(face, options=None):
    """The Face of the same surface as a scanner would leave it: points alone, meshed anew, the same center."""
    points = as_cloud.points(face.vertices, face.triangles)
    mesh = meshing.mesh_scan(points, None, options)
    center = tuple(face.vertices[np.argmin(np.abs(face.z))])
    vertex = centers.find(mesh.vertices, mesh.triangles, center).vertex
    return alignment.mapped(mesh.vertices, mesh.triangles, vertex, face.f.shape)
