"""One face: from a scan to a surface on the disk, and to its place beside a template."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from shapedp import scans
from shapedp.demo import faces as demo
from shapedp.surfaces import alignment, carrying, centers, curves, gates, meshing, twofold
from shapedp.surfaces.registration.options import Options

# As in config.yaml.
RINGS, ANGLES = 96, 256  # radii and angles of the polar grid
BASIS = 300  # deformations of the disk
GATES = gates.Gates(energy=0.17, jacobian=0.2, missing=0.2)


def read_scan(path):
    """Read a point cloud or a mesh: ply, obj, stl, off, xyz, txt, csv, tsv, npy, npz or mat.

    The content decides what it is. The result has `points` (n, 3), `triangles` (t, 3) or None, and `notices`, words on
    how it was read. A file that holds no scan raises `shapedp.errors.Rejected`, whose message says what to do.

    >>> import numpy, shapedp, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "corner.xyz")
    ...     numpy.savetxt(path, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    ...     shapedp.read_scan(path).points.shape
    (4, 3)
    """
    return scans.read(path)


def map_scan(scan, center="nose", rings=RINGS, angles=ANGLES):
    """Map a scan to the disk: triangulate it, flatten it conformally, put `center` at 0, sample it on the polar grid.

    center : "nose", "highest", "boundary", or a point (x, y, z) of the scan. Looks at this scan alone.

    The result's `f` (R, T, 3) has unit area and its centroid at 0; `scale`, the square root of the area, and `centroid`
    (3,) give the scan back as scale * f + centroid. `vertices`, `triangles` and `z` are the mesh and its disk map.
    """
    mesh = meshing.mesh_scan(scan.points, scan.triangles)
    vertex = centers.find(mesh.vertices, mesh.triangles, center).vertex
    own = bool(mesh.quality["own_triangles"])
    return alignment.mapped(mesh.vertices, mesh.triangles, vertex, (rings, angles, 3), own)


@dataclass(frozen=True, eq=False)
class Template:
    """The public face that all faces are registered to, and the radii at which curves are taken.

    surface : as `map_scan` gives it, of a cloud; of_meshes : the same face with its own triangles, if it has any, which
    scans that are meshes are registered to; radii (J,), spaced by `spacing`; samples : points a curve; ours : built in
    """

    surface: alignment.Face
    of_meshes: alignment.Face
    radii: np.ndarray
    samples: int
    spacing: str = "arc"
    ours: bool = False

    @classmethod
    def built_in(cls, **options):
        """The face that ships with the library: a formula, nobody's face. Options as in `of`.

        >>> import shapedp
        >>> shapedp.Template.built_in(count=5, samples=20, rings=32, angles=64).curves.shape
        (5, 3, 20)
        """
        shape = (options.pop("rings", RINGS), options.pop("angles", ANGLES), 3)
        surface = alignment.mapped(demo.template(), demo.triangles(), demo.NOSE_TIP, shape, True)
        return replace(cls.of(surface, **options), ours=True)

    @classmethod
    def of(cls, surface, count=64, samples=240, spacing="arc"):
        """A public face as template; `count` curves of `samples` points, spaced by "arc", "area" or "radius"."""
        cloud, mesh, _ = twofold.forms(surface)
        return cls(cloud, mesh, curves.spread(cloud.f, count, spacing), samples, spacing)

    @cached_property
    def curves(self):
        """(J, 3, m) the template's own radial curves."""
        return self.curves_of(self.surface.f)

    @cached_property
    def _prepared(self):
        clouds, meshes = ((one.f, one.f, None) for one in (self.surface, self.of_meshes))
        places = carrying.places(self.surface, self.of_meshes)
        return twofold.Twofold(clouds, meshes, places, math.inf, Options(basis=BASIS))

    def register(self, surface):
        """Align what `map_scan` made, on the same grid: by a rotation, a diffeomorphism of the disk, and the extent.

        The result's `surface` (R, T, 3) corresponds to the template point by point; `energy_before`, `energy_after`,
        `min_jacobian` and `converged` say how well. What is no face, or part of one, is refused.
        """
        aligned = self._prepared.align(surface)
        gates.judge(aligned, GATES)
        return aligned.registered

    def curves_of(self, f):
        """(J, 3, m) radial curves of a registered surface (R, T, 3)."""
        return curves.extract(f, self.radii, self.samples)
