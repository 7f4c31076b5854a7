"""One face: from a scan to a surface on the disk, and to its place beside a template."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shapedp.base.errors import ConfigError, join_first
from shapedp.base.settings import read_default
from shapedp.people import samples
from shapedp.surfaces import curve_mesh, scans
from shapedp.surfaces.chain import to_disk
from shapedp.surfaces.registration import alignment
from shapedp.surfaces.registration.alignment import Face, Registered
from shapedp.surfaces.scans import Scan
from shapedp.surfaces.subjects import fits, in_memory


def read_scan(path: Path | str) -> Scan:
    """Read a point cloud or a mesh: ply, obj, stl, off, pcd, xyz, txt, csv, tsv, npy, npz, mat or a scene format.

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


def check_scans(scans: Any) -> list[Any]:
    """Return the scans of an argument as a list, once it is sure that these are scans: so nothing is spent on a slip.

    They are paths of files that are there, or what `read_scan` returns. What is refused here is known without a look
    into any scan: what sort of thing the argument and its entries are, and the names of files. What a scan holds
    decides that scan alone.
    """
    remedy = "give a list of paths, or of what `read_scan` returns"
    if isinstance(scans, str | bytes | PathLike | Mapping | Scan) or not isinstance(scans, Iterable):
        raise ConfigError(f"scans: found a {type(scans).__name__}; {remedy}. Nothing was spent")
    listed = list(scans)
    for number, scan in enumerate(listed):
        if not isinstance(scan, str | PathLike | Scan):
            what = f"an array of shape {scan.shape}" if isinstance(scan, np.ndarray) else f"a {type(scan).__name__}"
            raise ConfigError(
                f"scans: entry {number} is {what}; {remedy}; an array of points saved by numpy.save is such a file. "
                "Nothing was spent"
            )
    paths = [Path(scan) for scan in listed if not isinstance(scan, Scan)]
    if missing := [str(path) for path in paths if not path.is_file()]:
        raise ConfigError(f"scans: no such file: {join_first(missing)}; correct the paths. Nothing was spent")
    if paths and len(paths) == len(listed):
        samples.refuse_other_kinds(paths, "scans")
    return listed


def map_scan(
    scan: Scan,
    center: str | Sequence[float] = "nose",
    rings: int | None = None,
    angles: int | None = None,
    template: "Template | None" = None,
) -> Face:
    """Map a scan to the disk, so that it can be registered: triangulate, flatten conformally, sample on the polar grid.

    `center` is put at 0. Nothing but this scan is looked at.

    Parameters
    ----------
    scan : Scan
        As `read_scan` returns it.
    center : str or sequence of float
        "nose", "highest", "boundary", or a point (x, y, z) of the scan, in its units.
    rings, angles : int
        Of the polar grid; by default as the settings have them.
    template : Template
        Whose face is looked for where the scan shows more than that, such as a head with hair; None: in no scan.

    Returns
    -------
    Face
        `f` (R, T, 3) has unit area and its centroid at 0; `scale`, the square root of the area, and `centroid` (3,)
        give the scan back as scale * f + centroid. `vertices`, `triangles` and `z` are the mesh and its disk map.
    """
    settings = {"mesh": read_default("faces.mesh"), "center": center, "surface": _complete_grid(rings, angles)}
    return to_disk.map_scan(scan, settings, template=template and template.sought)


def _complete_grid(rings=None, angles=None):
    """Return the settings of the polar grid, with the defaults for what is not given."""
    grid = read_default("faces.surface")
    return {"rings": rings or grid["rings"], "angles": angles or grid["angles"]}


@dataclass(frozen=True, eq=False)
class Template:
    """The public face that all faces are registered to, and the radii at which curves are taken.

    * surface : the face, as `map_scan` gives it
    * of_clouds : the same face from its points alone, to which scans that are clouds are registered
    * radii : (J,) radii of the curves, spaced by `spacing`
    * samples : points a curve
    * ours : whether the template is the built-in one
    """

    surface: alignment.Face
    of_clouds: alignment.Face
    radii: np.ndarray
    samples: int
    spacing: str = "arc"
    ours: bool = False

    @classmethod
    def built_in(cls, **options: Any) -> "Template":
        """Return the face that ships with the library: the mean of a public model of real people. Options as in `of`.

        >>> import shapedp
        >>> shapedp.Template.built_in(count=5, samples=20, rings=32, angles=64).curves.shape
        (5, 3, 20)
        """
        grid = _complete_grid(options.pop("rings", None), options.pop("angles", None))
        surface = fits.map_built_in("built_in", (grid["rings"], grid["angles"]))
        return replace(cls.of(surface, **options), ours=True)

    @classmethod
    def of(
        cls, surface: Face, count: int | None = None, samples: int | None = None, spacing: str | None = None
    ) -> "Template":
        """Return a public face as the template of one's own, to which all faces are registered.

        Parameters
        ----------
        surface : Face
            As `map_scan` returns it.
        count, samples : int
            How many curves, and how many points a curve; by default as the settings have them.
        spacing : str
            How curves are spaced: "arc", "area" or "radius"; by default as the settings have it.
        """
        usual = read_default("faces.curves")
        count, samples, spacing = count or usual["count"], samples or usual["samples"], spacing or usual["spacing"]
        cloud, mesh = in_memory.split_forms(surface)
        return cls(mesh, cloud, curve_mesh.spread(mesh.f, count, spacing), samples, spacing)

    @cached_property
    def curves(self) -> NDArray[np.float64]:
        """(J, 3, m) the template's own radial curves."""
        return self.curves_of(self.surface.f)

    @cached_property
    def sought(self) -> dict[str, Any]:
        """The fields of a template's artifact by which its face is looked for in a scan."""
        return in_memory.find_sought_fields(self.surface, self.ours)

    @cached_property
    def _prepared(self):
        """The template as registration takes it, prepared once for all scans."""
        return in_memory.prepare_forms(self.surface, self.of_clouds, self.ours)

    def register(self, surface: Face, of_face: bool = True) -> Registered:
        """Align what `map_scan` made with this template: a point of the disk is then the same place on every face.

        It is by a rotation, a diffeomorphism of the disk, and the extent, on the same grid. A scan that is no face, or
        only part of a face, is refused.

        Parameters
        ----------
        surface : Face
            As `map_scan` returns it.
        of_face : bool
            Whether the template is a face, so that what has no nose, eyes and mouth is refused.

        Returns
        -------
        Registered
            `surface` (R, T, 3) corresponds to the template point by point; `energy_before`, `energy_after`,
            `min_jacobian` and `converged` say how well.
        """
        return in_memory.register(self._prepared, surface, self.surface.f if of_face else None)

    def curves_of(self, f: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (J, 3, m) radial curves of a registered surface (R, T, 3)."""
        return curve_mesh.extract(f, self.radii, self.samples)
