"""A template in two forms, so that each scan meets one like itself: a mesh its triangles, a cloud a mesh of its points.

A scan without triangles is meshed anew and loses what its hollows hide. Against a form unlike itself a scan is
registered worse (docs, `first_release_scans.md`). Both forms are the same surface, so where the grid of the one lies
in the disk of the other is known, and all registrations end on one grid: that of the cloud, if there are two forms.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial import cKDTree

from shapedp.surfaces import alignment, as_cloud, centers, meshing, sampling
from shapedp.surfaces.polar import polar_grid
from shapedp.surfaces.registration import rotation, table

NEAR = 12  # triangles, by their centers, among which the nearest to a point is looked for


@dataclass(frozen=True)
class Twofold:
    """of_clouds, of_meshes : alignment.Template, the same object where there is one form only
    places : (R, T, 2) where the grid of the clouds' form lies in the disk of the meshes'
    """

    of_clouds: alignment.Template
    of_meshes: alignment.Template
    places: np.ndarray

    @property
    def shape(self):
        """(R, T) of the grid."""
        return self.places.shape[:2]

    def align(self, face):
        """The alignment.Aligned of a Face to the form that is like it, on the grid of the clouds' form."""
        if not face.own_triangles or self.of_meshes is self.of_clouds:
            return alignment.align(face, self.of_clouds)
        aligned = alignment.align(face, self.of_meshes)
        return replace(aligned, registered=_carried(aligned, self.places))


def prepared(forms, places, radius, options):
    """The Twofold of ((whole, common) of clouds, (whole, common) of meshes), surfaces (R, T, 3) as for `alignment`."""
    clouds, meshes = forms
    first = alignment.prepared(*clouds, radius, options)
    alike = all(map(np.array_equal, clouds, meshes))
    return Twofold(first, first if alike else alignment.prepared(*meshes, radius, options), places)


def cloud_of(face, options=None):
    """The Face of the same surface as a scanner would leave it: points alone, meshed anew, the same center."""
    points = as_cloud.points(face.vertices, face.triangles)
    mesh = meshing.mesh_scan(points, None, options)
    center = tuple(face.vertices[np.argmin(np.abs(face.z))])
    vertex = centers.find(mesh.vertices, mesh.triangles, center).vertex
    return alignment.mapped(mesh.vertices, mesh.triangles, vertex, face.f.shape)


def places(face, other):
    """(R, T, 2) where the grid points of a Face's disk lie in the disk of another Face of the same surface."""
    import trimesh  # late: half a second of start for what the template alone needs

    points = (face.f * face.scale + face.centroid).reshape(-1, 3)
    corners = other.vertices[other.triangles]
    near = cKDTree(corners.mean(axis=1)).query(points, k=min(NEAR, len(corners)))[1].reshape(len(points), -1)
    every = np.repeat(points, near.shape[1], axis=0)
    there = trimesh.triangles.closest_point(corners[near.ravel()], every).reshape(*near.shape, 3)
    row = np.arange(len(points))
    best = np.linalg.norm(there - points[:, None], axis=2).argmin(axis=1)
    triangle = near[row, best]
    weights = trimesh.triangles.points_to_barycentric(corners[triangle], there[row, best])
    z = np.einsum("nk,nk->n", weights, other.z[other.triangles[triangle]]) / sampling.reach(other.z, other.triangles)
    z /= np.maximum(np.abs(z), 1)
    return np.stack([z.real, z.imag], axis=-1).reshape(*face.f.shape[:2], 2)


def _carried(aligned, places):
    """The Registered of an Aligned on the grid of the other form: gamma(places), the face looked up there."""
    grid, found = polar_grid(*places.shape[:2]), aligned.registered
    gamma = places + table.lookup(table.coefficients(found.gamma - grid.points, grid), places)
    surface = rotation.rotate(found.rotation, table.lookup(table.coefficients(aligned.face.f, grid), gamma))
    return replace(found, gamma=gamma, surface=surface)
