"""Every HDF5 file of the project, declared once: its fields with their units and meaning."""

from dataclasses import dataclass, replace

from shapedp.errors import ArtifactError


@dataclass(frozen=True)
class Field:
    """One array: dtype, symbolic shape, unit and meaning. `()` is a single number or text."""

    dtype: str
    shape: tuple
    unit: str
    meaning: str


@dataclass(frozen=True)
class Kind:
    """One sort of file. `records` says whether its fields stand once in each record's group or once in the file.

    released : it is published, and so says nothing about the machine that made it
    """

    name: str
    version: int
    meaning: str
    records: bool
    fields: dict
    released: bool = False


_SURFACE = Field("f8", ("R", "T", 3), "1 (unit area)", "f(r_i, theta_k), r_i = (i + 1/2)/(R - 1/2), theta_k = 2 pi k/T")
_CURVES = Field("f8", ("J", 3, "m"), "1 (unit area)", "x, y, z along each radial curve at theta_k = 2 pi k/m")

MESH = Kind(
    "mesh",
    3,
    "a scan as a triangulated disk",
    True,
    {
        "vertices": Field("f8", ("n", 3), "scan units", "points of the mesh"),
        "triangles": Field("i4", ("t", 3), "index", "corners, counter-clockwise seen from outside"),
        "scan": Field("text", (), "", "digest of the scan file, BLAKE2b-256"),
        "points_read": Field("i8", (), "count", "points in the scan file"),
        "points_kept": Field("i8", (), "count", "points that became vertices"),
        "holes_filled": Field("i8", (), "count", "inner holes closed"),
        "largest_hole": Field("f8", (), "share of area", "largest hole closed"),
        "area": Field("f8", (), "scan units squared", "surface area"),
        "notices": Field("text", (), "", "what a person should know, one sentence a line"),
    },
)
DISK_MAP = Kind(
    "disk_map",
    2,
    "the conformal map of a mesh to the unit disk",
    True,
    {
        "z": Field("c16", ("n",), "1", "vertex positions in the unit disk, the area's balance at 0"),
        "angle_change_mean": Field("f8", (), "degree", "mean change of the triangles' angles"),
        "angle_change_max": Field("f8", (), "degree", "largest change of an angle"),
        "flips": Field("i8", (), "count", "triangles turned over by the map (always 0)"),
    },
)
DISK = Kind(
    "disk",
    2,
    "a disk map with its chosen center at 0",
    True,
    {
        "z": Field("c16", ("n",), "1", "vertex positions in the unit disk, the center at 0"),
        "nose_tip": Field("i8", (), "index", "vertex of the mesh that lies at 0"),
        "nose_method": Field("text", (), "", "how the center was found"),
        "nose_confidence": Field("f8", (), "0 to 1", "how far the tip stands out from the next candidate"),
        "nose_moved": Field("f8", (), "1", "how far from 0 the center lay in the disk map"),
        "nose_notice": Field("text", (), "", "what a person should know about the center"),
    },
)
SURFACE = Kind(
    "surface",
    1,
    "a surface of unit area and centroid 0 on the polar grid",
    True,
    {
        "f": _SURFACE,
        "scale": Field("f8", (), "scan units", "square root of the area that was divided out"),
        "centroid": Field("f8", (3,), "scan units", "area-weighted centroid that was subtracted"),
    },
)
REGISTERED = Kind(
    "registered",
    2,
    "a surface aligned to the template by a rotation and a diffeomorphism of the disk",
    True,
    {
        "f": _SURFACE,
        "rotation": Field("f8", (3, 3), "1", "O, with det O = 1; f = O f_before(gamma)"),
        "gamma": Field("f8", ("R", "T", 2), "1", "where each grid point is looked up in the disk"),
        "energy_before": Field("f8", (), "1", "squared SRNF distance to the template, no alignment"),
        "energy_rotation_only": Field("f8", (), "1", "the same after the best rotation"),
        "energy_after": Field("f8", (), "1", "the same after rotation and diffeomorphism"),
        "min_jacobian": Field("f8", (), "1", "smallest Jacobian of gamma on the checking grid"),
        "removed": Field("f8", (), "share of area", "of the scan beyond the common extent, cropped off first"),
        "missing": Field("f8", (), "share of area", "of the common extent that the scan lacks"),
        "nose_distance": Field("f8", (), "1 (unit area)", "from the center found to where the registration has it"),
        "iterations": Field("i8", (), "count", "accepted steps over all levels"),
        "converged": Field("i8", (), "0 or 1", "whether the tolerance was reached"),
    },
)
FACE_CURVES = Kind("face_curves", 1, "radial curves of the faces of a batch", True, {"curves": _CURVES})
TEMPLATE = Kind(
    "template",
    2,
    "the face that all faces are registered to",
    False,
    {
        "f": _SURFACE,
        "whole": Field("f8", ("R", "T", 3), "1 (unit area)", "the same before it was cropped to the extent"),
        "extent": Field("f8", (), "1 (unit area)", "radius of the extent about the nose of the whole"),
        "curves": _CURVES,
        "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
        "scale": Field("f8", (), "scan units", "square root of the template's area"),
        "public": Field("i8", (), "0 or 1", "0 if the template is a face of the cohort"),
        "source": Field("text", (), "", "where the template came from"),
    },
)
CURVES = Kind(
    "curves",
    1,
    "radial curves of a cohort, one row a face, rejected faces marked",
    False,
    {
        "curves": Field("f8", ("n", "J", 3, "m"), "1 (unit area)", "x, y, z along each curve; rejected faces hold 0"),
        "ok": Field("i1", ("n",), "0 or 1", "0 for a face that was rejected and counts as the reference"),
        "ids": Field("text", ("n",), "", "the faces' ids"),
        "groups": Field("text", ("n",), "", "the faces' groups, empty where none"),
        "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
        "template": Field("text", (), "", "digest of the template that the faces were registered to"),
    },
)
BOUNDS = Kind(
    "bounds",
    2,
    "bounds on how far a person's curves may lie from the reference before they are clipped",
    False,
    {
        "tau": Field("f8", ("J", 3), "1 (unit area)", "largest norm of each curve's x, y, z about the reference"),
        "lower": Field("f8", ("J", 3, "m"), "1 (unit area)", "least coordinate of each point"),
        "upper": Field("f8", ("J", 3, "m"), "1 (unit area)", "largest coordinate of each point"),
        "deviations": Field(
            "f8", ("n", "J", 3), "1 (unit area)", "norms with frequency f weighted by sqrt(1 + f^2), for joint bounds"
        ),
        "reference": Field("f8", ("J", 3, "m"), "1 (unit area)", "the curves that are subtracted first"),
        "quantile": Field("f8", (), "1", "quantile of the population's norms"),
        "margin": Field("f8", (), "1", "factor on that quantile"),
        "source": Field("text", (), "", "where the bounds come from"),
        "public": Field("i8", (), "0 or 1", "0 if they were computed from the private cohort"),
    },
)
CORRESPONDENCE = Kind(
    "correspondence",
    1,
    "where a registration errs on faces of a given shape, learned from public faces in correspondence alone",
    False,
    {
        "surface": Field("f8", ("q",), "1 (unit area)", "mean registered surface on a coarse grid, weighted by area"),
        "axes": Field("f8", ("q", "r"), "1", "principal directions about it, orthonormal"),
        "field": Field("f8", ("K",), "1", "mean error, as coefficients of deformations of the disk"),
        "fields": Field("f8", ("r", "K"), "1", "error for each unit along an axis"),
        "reach": Field("f8", (), "1 (unit area)", "distance from the axes' span beyond which nothing was learned"),
        "source": Field("text", (), "", "the public faces it was learned from"),
        "public": Field("i8", (), "0 or 1", "1: no face of the cohort is among them"),
    },
)
VARIATION = Kind(
    "variation",
    1,
    "how faces vary about the public reference, learned from public people alone",
    False,
    {
        "center": _CURVES,
        "modes": Field("f4", ("q", "J", 3, "m"), "1", "principal directions, orthonormal in the mean over the points"),
        "harmonics": Field(
            "f4", ("h", "J", 3, "m"), "1", "smooth functions from slow to fast, orthonormal to the modes and each other"
        ),
        "frequencies": Field("f8", ("h",), "1", "frequency of each harmonic, a zero of J_k'"),
        "mean": Field("f8", ("k",), "1 (unit area)", "coordinates of the public mean"),
        "held_out": Field(
            "f4", ("n", "k"), "1 (unit area)", "coordinates of public people on axes that were learned without them"
        ),
        "outside": Field("f4", ("n",), "1 (unit area)", "mean squared length of what the axes leave of them"),
        "quantile": Field("f8", (), "1", "quantile of public norms at which a person is clipped"),
        "shift": Field(
            "f8", (), "1", "how far a cohort's mean may lie away along modes, as a share of how far people lie"
        ),
        "novelty": Field("f8", (), "1", "the same along harmonics"),
        "source": Field("text", (), "", "the public population it was learned from"),
        "public": Field("i8", (), "0 or 1", "0 if it was learned from the private cohort"),
    },
)
MEAN_FACE = Kind(
    "mean_face",
    2,
    "a released mean face, noise included",
    False,
    {
        "curves": _CURVES,
        "noise_sd": Field("f8", ("J", 3), "1 (unit area)", "standard deviation of the noise at each point of a curve"),
        "noise_mm": Field("f8", ("J", "m"), "mm", "how far the noise moves each point, root mean square; public"),
        "noise_draws": Field(
            "f4",
            ("d", "J", 3, "m"),
            "1 (unit area)",
            "what else it could have been: public noise around the release, no releases",
        ),
        "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
        "scale": Field("f8", (), "mm", "multiply by this for a face as large as the public template"),
        "settings": Field("text", (), "", "the public settings of the release, as JSON"),
    },
    released=True,
)
_AT_POINT = Field("f4", ("J", "m", 3, 3), "1 (unit area)^2", "covariance of x, y and z at each point: ")
FACE_MODEL = Kind(
    "face_model",
    1,
    "a released model of faces, noise included: mean, effects of covariates, modes of variation",
    False,
    {
        "reference": Field("f8", ("J", 3, "m"), "1 (unit area)", "the public reference that people were compared with"),
        "curves": Field("f8", ("J", 3, "m"), "1 (unit area)", "the mean face of everybody"),
        "effects": Field(
            "f8",
            ("z", "J", 3, "m"),
            "1 (unit area)",
            "the mean face at the middle of every covariate, then what one unit of each coded covariate adds",
        ),
        "average": Field("f8", ("z",), "1", "mean of z = (1, coded covariates)"),
        "inverse": Field("f8", ("z", "z"), "1", "inverse of the sum of z z'"),
        "moment_noise": Field("f8", (3,), "1", "standard deviation of the noise on entries of the three sums"),
        "noise_unit": replace(_AT_POINT, meaning=_AT_POINT.meaning + "noise of standard deviation 1 on coordinates"),
        "residual": replace(_AT_POINT, meaning=_AT_POINT.meaning + "people about the effects"),
        "modes": Field("f4", ("k", "J", 3, "m"), "1", "directions, length 1 in the mean over the points"),
        "sd": Field("f8", ("k",), "1 (unit area)", "standard deviation of people along each mode, rms over the points"),
        "sd_noise": Field("f8", ("k",), "1 (unit area)", "how far noise moves that standard deviation"),
        "kept": Field("f8", ("k",), "1", "mean cosine between a mode and itself after as much noise once more"),
        "floor": Field("f8", (), "1 (unit area)", "standard deviation that noise alone reaches; public"),
        "shown": Field("i8", (), "count", "modes that stand above the floor; further ones are mostly noise"),
        "radii": Field("f8", ("J",), "1", "radius of each curve in the disk"),
        "scale": Field("f8", (), "mm", "multiply by this for a face as large as the public template"),
        "settings": Field("text", (), "", "the public settings of the release, as JSON"),
    },
    released=True,
)
LANDMARKS = Kind(
    "landmarks",
    2,
    "landmarks as they were read, and what the sheet says of each record",
    False,
    {
        "landmarks": Field(
            "f8", ("n", "k", "d"), "file units", "x, y (and z, d = 3) of each landmark, NaN where missing"
        ),
        "ids": Field("text", ("n",), "", "the records' ids"),
        "persons": Field("text", ("n",), "", "whom each record is of, empty where no sheet says it"),
        "sides": Field("text", ("n",), "", "left or right, empty where no sheet says it"),
        "groups": Field("text", ("n",), "", "the records' groups, empty where no sheet says them"),
        "covariates": Field("text", ("n",), "", "the sheet's further columns, one JSON object a record"),
    },
)
SHAPES = Kind(
    "shapes",
    2,
    "shapes: landmarks centered and scaled to length 1, one row a person",
    False,
    {
        "shapes": Field("f8", ("n", "k", "d"), "1", "x, y (, z) of each landmark; a rejected record holds the center"),
        "log_sizes": Field("f8", ("n",), "log of file units", "logarithm of the centroid size, NaN where rejected"),
        "ok": Field("i1", ("n",), "0 or 1", "0 for a record that was rejected and counts as the center"),
        "reasons": Field("text", ("n",), "", "why a record was rejected, empty where it was not"),
        "ids": Field("text", ("n",), "", "the records' ids"),
        "center": Field("f8", ("k", "d"), "1", "p0, the center of the ball of shapes"),
        "ignored": Field("f8", ("i", "k", "d"), "1", "directions at p0 that do not count: sliding, asymmetric"),
        "center_source": Field("text", (), "", "where p0 came from"),
        "center_public": Field("i8", (), "0 or 1", "0 if p0 was computed from these records"),
    },
)
MEAN_SHAPE = Kind(
    "mean_shape",
    2,
    "the non-private Fréchet mean of shapes",
    False,
    {
        "mean": Field("f8", ("k", "d"), "1", "the mean shape"),
        "residual": Field("f8", (), "radian", "norm of the gradient at the mean"),
        "distances": Field("f8", ("n",), "radian", "distance of each record to the mean"),
        "center_distances": Field("f8", ("n",), "radian", "distance of each record to p0"),
    },
)
RELEASED_SHAPE = Kind(
    "released_shape",
    2,
    "a released mean shape, noise included",
    False,
    {
        "landmarks": Field(
            "f8", ("k", "d"), "1 (unit size)", "x, y (and z) of each landmark, centered, turned to the center p0"
        ),
        "center": Field("f8", ("k", "d"), "1 (unit size)", "p0 where it is public, NaN where it came from the records"),
        "size": Field("f8", (), "file units", "centroid size of the mean, noise included; NaN: not released"),
        "noise_covariance": Field("f8", ("k", "d", "d"), "1 (unit size)", "covariance of the noise at each landmark"),
        "noise_radius": Field("f8", (), "radian", "root mean square distance that the noise alone moves the mean"),
        "settings": Field("text", (), "", "the public settings of the release, as JSON"),
    },
    released=True,
)
SIMULATION = Kind(
    "simulation",
    1,
    "replicates of simulated experiments, one record a setting and block of replicates",
    True,
    {
        "experiment": Field("text", (), "", "name of the experiment, as in simulation/plan.py"),
        "setting": Field("text", (), "", "its parameters, as JSON with sorted keys"),
        "block": Field("i8", (), "index", "block of replicates"),
        "methods": Field("text", ("M",), "", "what was measured"),
        "values": Field("f8", ("M", "R"), "see the experiment", "one number a method and replicate"),
    },
)
KINDS = {kind.name: kind for kind in tuple(globals().values()) if isinstance(kind, Kind)}


def match(shape, symbols, sizes, name):
    """Bind symbolic sizes to numbers; the same symbol must mean the same number throughout a record."""
    same = len(shape) == len(symbols) and all(
        size == (sizes.setdefault(symbol, size) if isinstance(symbol, str) else symbol)
        for size, symbol in zip(shape, symbols, strict=True)
    )
    if not same:
        raise ArtifactError(f"field '{name}' has shape {shape}, declared as {symbols} with {sizes}")
