"""The files of the faces' chain: what each step makes of a batch of scans, the template, the cohort's curves."""

from shapedp.artifacts.declaring import RADIAL_CURVES, Field, Kind

_SURFACE = Field("f8", ("R", "T", 3), "1 (unit area)", "f(r_i, theta_k), r_i = (i + 1/2)/(R - 1/2), theta_k = 2 pi k/T")
MESH = Kind(
    "mesh",
    4,
    "a scan as a triangulated disk",
    True,
    {
        "vertices": Field("f8", ("n", 3), "scan units", "points of the mesh"),
        "triangles": Field("i4", ("t", 3), "index", "corners, counter-clockwise seen from outside"),
        "scan": Field("text", (), "", "digest of the scan file, BLAKE2b-256"),
        "points_read": Field("i8", (), "count", "points in the scan file"),
        "points_kept": Field("i8", (), "count", "points that became vertices"),
        "own_triangles": Field("i8", (), "0 or 1", "1 where the scan's own triangles are kept, 0 where it was meshed"),
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
FACE_CURVES = Kind("face_curves", 1, "radial curves of the faces of a batch", True, {"curves": RADIAL_CURVES})
TEMPLATE = Kind(
    "template",
    4,
    "the face that all faces are registered to",
    False,
    {
        "f": _SURFACE,
        "whole": Field("f8", ("R", "T", 3), "1 (unit area)", "the same before it was cropped to the extent"),
        "mesh_f": Field(
            "f8", ("R", "T", 3), "1 (unit area)", "with its own triangles, for scans that are meshes; or f"
        ),
        "mesh_whole": Field("f8", ("R", "T", 3), "1 (unit area)", "the same before it was cropped to the extent"),
        "mesh_places": Field("f8", ("R", "T", 2), "1", "where each grid point lies in the disk of mesh_f"),
        "inner_places": Field("f8", ("R", "T", 2), "1", "where each grid point of f lies in the disk of whole"),
        "mesh_inner_places": Field("f8", ("R", "T", 2), "1", "where each of mesh_f lies in the disk of mesh_whole"),
        "extent": Field("f8", (), "1 (unit area)", "radius of the extent about the nose of the whole"),
        "curves": RADIAL_CURVES,
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
