"""A release in the files that other tools work with: tables, Morpho and geomorph, SlicerMorph, Statismo.

All describe points with one mean and the deviations of one standard deviation along each mode that stands above the
noise. The modes of a face are orthonormal over its curves, those of these tools over the vertices of a mesh: the same
covariance, D'D for deviations D (k, 3N), has the principal axes that its singular vectors are.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shapedp import __version__
from shapedp.base import artifacts, writers
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.storage import files
from shapedp.releases.allow_list import KINDS
from shapedp.releases.model import released_change, released_growth, released_model
from shapedp.releases.model.shapes import as_landmarks
from shapedp.surfaces import curve_mesh

DRAWN, LANDMARKS, SEED = 30, 500, 0  # synthetic people and points of SlicerMorph's tables; their seed
LPS_TO_RAS = np.array([-1.0, -1.0, 1.0])  # Slicer reads meshes as LPS and keeps its tables in RAS
SCHEMA = "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/Markups/Resources/Schema/markups-schema-v1.0.3.json#"
STATEMENTS = ("statement.md", "statement.json")
HOLD_POINTS = (
    *("mean_face.h5", "face_model.h5", "face_change.h5", released_growth.FILE),
    *("mean_shape.h5", "shape_model.h5", "shape_change.h5"),
)


@dataclass(frozen=True)
class PointModel:
    """Points that a release is about, in mm of the template's size or of a shape of size 1.

    mean : (N, d); modes : (k, N, d) one standard deviation along each mode; effects : {covariate: (N, d)} what one unit
    of its code adds; triangles : (t, 3), or None; residual : variance of people about the effects in a coordinate, mean
    over the points
    """

    mean: NDArray[np.float64]
    modes: NDArray[np.float64]
    triangles: NDArray[np.int64] | None
    unit: str
    effects: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    residual: float = 0.0

    def axes(self):
        """(orthonormal basis (N d, k), variance (k,)) of the modes' covariance, coordinates of a point together."""
        flat = self.modes.reshape(len(self.modes), -1)
        _, lengths, basis = np.linalg.svd(flat, full_matrices=False)
        return basis.T, lengths**2


def released_file(release: Path | str, names: Iterable[str] = HOLD_POINTS) -> Path:
    """The file with the released numbers: the one given, or the one of these names in the folder given."""
    path = Path(release)
    if not path.is_dir():
        return path
    held = [path / name for name in names if (path / name).is_file()]
    if len(held) != 1:
        raise ArtifactError(f"{path}: holds no release; give a folder with one of {', '.join(names)}")
    return held[0]


def point_model(release: Path | str) -> PointModel:
    """The points of a mean or a model, of faces the vertices of the released surface; of a growth the mean over ages,
    and as effects what leads from it to the face at each knot's age.
    """
    path = released_file(release)
    kind = next((KINDS[name] for name in HOLD_POINTS if KINDS[name].name == artifacts.header(path)[0]), None)
    if kind is None:
        raise ArtifactError(
            f"{path}: holds '{artifacts.header(path)[0]}', and no released mean, model, growth or change"
        )
    if kind in (artifacts.MEAN_FACE, artifacts.RELEASED_SHAPE):
        with artifacts.reader(path, kind) as source:
            if kind is artifacts.RELEASED_SHAPE:
                landmarks = source["landmarks"]
                return PointModel(landmarks, np.zeros((0, *landmarks.shape)), None, "unit size")
            vertices, triangles = curve_mesh.mesh(source["curves"] * source["scale"], source["radii"])
            return PointModel(vertices, np.zeros((0, *vertices.shape)), triangles, "mm")
    if kind is artifacts.GROWTH:
        growth = released_growth.read(path)
        (mean, triangles), at_knots = curve_mesh.mesh(growth.mean, growth.radii), growth.surfaces()
        moved = {name: curve_mesh.mesh(one, growth.radii)[0] - mean for name, one in at_knots.items()}
        return PointModel(mean, np.zeros((0, *mean.shape)), triangles, "mm", moved)
    of_change = kind in (artifacts.FACE_CHANGE, artifacts.SHAPE_CHANGE)
    held = released_change.read(path) if of_change else released_model.read(path)[0]
    about, unit = held.reference if of_change else held.mean, "unit size" if held.radii is None else "mm"
    triangles = None if held.radii is None else curve_mesh.mesh(about, held.radii)[1]

    def points(curves):  # linear in the curves
        return as_landmarks(curves) if held.radii is None else curve_mesh.mesh(curves, held.radii)[0]

    mean = points(about)
    if of_change:
        return PointModel(mean, np.zeros((0, *mean.shape)), triangles, unit, {"mean_difference": points(held.change)})
    modes = [points(held.sd[k] * held.modes[k]) for k in range(held.shown)]
    effects = {one.name: points(effect) for one, effect in zip(held.covariates, held.effects[1:], strict=True)}
    residual = float(np.mean(np.trace(held.residual, axis1=-2, axis2=-1))) / mean.shape[1]
    return PointModel(mean, np.array(modes).reshape(-1, *mean.shape), triangles, unit, effects, residual)


def export(path: Path | str, output: Path | str, tool: str) -> list[str]:
    """Write a release for a tool of `TOOLS`; lines that say what was written."""
    if tool not in TOOLS:
        raise ConfigError(f"--as {tool}: no such tool; known: {', '.join(TOOLS)}")
    points, output = point_model(path), Path(output)
    if tool == "statismo":
        if output.suffix != ".h5":
            raise ConfigError(f"{output}: a Statismo model is one file; name it so that it ends in .h5")
        statismo(points, output)
        written = [output.name]
    else:
        if output.suffix or output.is_file():
            raise ConfigError(f"{output}: --as {tool} writes a folder; give the name of one")
        contents = TOOLS[tool](points)
        beside = released_file(path).parent
        held = [one for one in STATEMENTS if (beside / one).is_file() and not (beside / one).is_symlink()]
        contents |= {name: (beside / name).read_bytes() for name in held}
        output.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            files.write_bytes(output / name, content.encode() if isinstance(content, str) else content)
        written = list(contents)
    return [f"{output}: {', '.join(written)}; {len(points.mean)} points in {points.unit}, {len(points.modes)} mode(s)"]


def tables(points: PointModel) -> dict[str, str | bytes]:
    """mean.csv, and where there are any triangles.csv, modes.csv and effects.csv, a row a point in each."""
    axes = "xyz"[: points.mean.shape[1]]
    numbers = [str(at + 1) for at in range(len(points.mean))]
    made = {"mean.csv": _table(["point", *axes], points.mean, numbers)}
    if points.triangles is not None:
        made["triangles.csv"] = _table(["a", "b", "c"], points.triangles + 1)
    moved = {"modes.csv": {f"mode_{k + 1}": one for k, one in enumerate(points.modes)}}
    moved["effects.csv"] = {f"effect_{name}": one for name, one in points.effects.items()}
    for name, columns in moved.items():
        if columns:
            header = ["point", *(f"{word}_{axis}" for word in columns for axis in axes)]
            made[name] = _table(header, np.hstack(list(columns.values())), numbers)
    return made


def _table(header, rows, names=None):
    """Text of a table, in the first column the names of its rows where they have any."""
    cells = [[f"{x:.10g}" for x in row] for row in rows]
    if names is not None:
        cells = [[name, *row] for name, row in zip(names, cells, strict=True)]
    return "\n".join(map(",".join, [header, *cells])) + "\n"


R_START = """# A release as Morpho and geomorph keep shapes. Run it in this folder: source("model.R")
mean_shape <- as.matrix(read.csv("mean.csv")[, -1])  # k points x d, Morpho's mshape and geomorph's consensus
k <- nrow(mean_shape)
d <- ncol(mean_shape)
A <- array(mean_shape, dim = c(k, d, 1), dimnames = list(NULL, NULL, "mean"))  # geomorph's array of shapes
"""
R_MESH = """
triangles <- as.matrix(read.csv("triangles.csv"))
mesh <- structure(  # as Morpho, Rvcg and rgl keep one
  list(vb = rbind(t(mean_shape), 1), it = t(triangles)), class = c("mesh3d", "shape3d")
)
"""
R_MODES = """
moved <- as.matrix(read.csv("modes.csv")[, -1])  # one standard deviation along each mode, d columns each
count <- ncol(moved) / d
deviations <- sapply(seq_len(count), function(i) as.vector(moved[, (i - 1) * d + seq_len(d)]))  # x of all, then y, z
axes <- svd(deviations)
eigenvalues <- axes$d^2
share <- 100 * eigenvalues / sum(eigenvalues)
morpho <- structure(  # what procSym returns of the modes; restoreShapes(scores, morpho$PCs, morpho$mshape)
  list(
    mshape = mean_shape, PCs = axes$u, eigenvalues = eigenvalues,
    Variance = data.frame(eigenvalues = eigenvalues, exVar = share, cumVar = cumsum(share))
  ),
  class = "nosymproc"
)
along <- function(i, sd) mean_shape + sd * sqrt(eigenvalues[i]) * matrix(axes$u[, i], k, d)
by_point <- as.vector(t(matrix(seq_len(k * d), k, d)))  # geomorph's order: x, y, z of one point after the other
geomorph <- structure(  # what gm.prcomp returns of the modes; plotRefToTarget(mean_shape, geomorph$shapes[[1]]$max)
  list(
    d = eigenvalues, sdev = axes$d, rotation = axes$u[by_point, , drop = FALSE], center = as.vector(t(mean_shape)),
    shapes = lapply(seq_len(count), function(i) list(min = along(i, -2), max = along(i, 2)))
  ),
  class = "gm.prcomp"
)
names(geomorph$shapes) <- paste0("shapes.comp", seq_len(count))
"""


def morpho(points: PointModel) -> dict[str, str | bytes]:
    """The tables, and a script that makes of them the objects of Morpho and geomorph."""
    script = R_START + R_MESH * (points.triangles is not None) + R_MODES * (len(points.modes) > 0)
    return tables(points) | {"model.R": script}


def slicermorph(points: PointModel) -> dict[str, str | bytes]:
    """A mean as mesh and markups; of a model also the tables that SlicerMorph's GPA module loads as an analysis.

    Its specimens are synthetic people, since nobody's record may leave. Points of a face: some `LANDMARKS` of them.
    """
    if points.mean.shape[1] == 2:
        raise ConfigError(
            "--as slicermorph: these landmarks lie in the plane, and SlicerMorph works in space; take csv"
        )
    kept = np.arange(0, len(points.mean), -(-len(points.mean) // LANDMARKS))
    mean, modes = points.mean[kept], points.modes[:, kept]
    made: dict[str, str | bytes] = {"mean.mrk.json": markups(mean)}
    if points.triangles is not None:
        made["mean.ply"] = writers.encode(points.mean, points.triangles, ".ply")
    if not len(modes):
        return made
    mean, modes = mean * LPS_TO_RAS, modes * LPS_TO_RAS
    basis, variance = PointModel(mean, modes, None, points.unit).axes()
    weights = np.random.default_rng(SEED).standard_normal((DRAWN, len(variance))) * np.sqrt(variance)
    people = mean + (weights @ basis.T).reshape(DRAWN, *mean.shape)
    names = [f"synthetic_{at + 1:02d}" for at in range(DRAWN)]
    coordinates = [f"LM {at + 1}_{axis}" for at in range(len(mean)) for axis in "XYZ"]
    components = [f"PC {at + 1}" for at in range(len(variance))]
    distance = np.linalg.norm(people - mean, axis=(1, 2))
    size = np.linalg.norm(people - people.mean(axis=1, keepdims=True), axis=(1, 2))
    measured = np.column_stack([distance, size, people.reshape(DRAWN, -1)])
    log = {"Date": "", "Time": "", "InputPath": "", "OutputPath": "", "Files": [f"{one}.mrk.json" for one in names]}
    log |= {"LMFormat": ".mrk.json", "NumberLM": len(mean), "ExcludedLM": [], "Boas": True, "SemiLandmarks": []}
    log |= {"MeanShape": "meanShape.csv", "Eigenvalues": "eigenvalues.csv", "Eigenvectors": "eigenvector.csv"}
    log |= {"OutputData": "outputData.csv", "PCScores": "pcScores.csv", "Covariates": ""}
    return made | {
        "meanShape.csv": _table(["", "X", "Y", "Z"], mean, [f"LM {at + 1}" for at in range(len(mean))]),
        "eigenvalues.csv": "".join(f"{name},{x:.10g}\n" for name, x in zip(components, variance, strict=True)),
        "eigenvector.csv": _table(["", *components], basis, coordinates),
        "outputData.csv": _table(["Sample_name", "proc_dist", "centroid", *coordinates], measured, names),
        "pcScores.csv": _table(["Sample_name", *components], weights, names),
        "analysis.json": json.dumps({"@schema": "GPALog-schema-v1.0.0.json", "GPALog": [log]}, indent=1) + "\n",
        **{f"{name}.mrk.json": markups(one * LPS_TO_RAS) for name, one in zip(names, people, strict=True)},
    }


def markups(points: NDArray[np.float64]) -> str:
    """Text of a .mrk.json of Slicer: points (n, 3) in LPS, in the order given."""
    each = []
    for at, point in enumerate(points, start=1):
        place = {"position": [float(f"{x:.10g}") for x in point], "positionStatus": "defined"}
        each.append({"id": str(at), "label": str(at), **place})
    markup = {"type": "Fiducial", "coordinateSystem": "LPS", "coordinateUnits": "mm", "controlPoints": each}
    return json.dumps({"@schema": SCHEMA, "markups": [markup]}, indent=1) + "\n"


def statismo(points: PointModel, output: Path) -> None:
    """An .h5 of Statismo 0.9, as Scalismo and Statismo read it: mean, basis, variances, mesh; lengths as 4-byte floats.

    Its noise variance is what people vary by in a coordinate beyond the modes.
    """
    if not len(points.modes):
        raise ConfigError("--as statismo: no mode stands above the noise, and Statismo keeps models: --as csv")
    basis, variance = points.axes()
    left = max(0.0, points.residual - np.sum(points.modes**2) / points.mean.size)
    mesh = points.triangles is not None
    single = np.float32
    fields = {
        "model/mean": points.mean.ravel().astype(single),
        "model/pcaBasis": basis.astype(single),
        "model/pcaVariance": variance.astype(single),
        "model/noiseVariance": np.array([left], single),
        "representer/points": points.mean.T.astype(single),
        "version/majorVersion": np.int32(0),
        "version/minorVersion": np.int32(9),
        "modelinfo/build-time": "",
        "modelinfo/modelBuilder-0/builderName": f"shapedp {__version__}",
        "modelinfo/modelBuilder-0/buildTime": "",
        "catalog/shapedp/modelPath": "/",
        "catalog/shapedp/modelType": "POLYGON_MESH_MODEL" if mesh else "POINTSET_MODEL",
    }
    if points.triangles is not None:
        fields["representer/cells"] = points.triangles.T.astype(np.int32)
    representer = {"name": "itkStandardMeshRepresenter", "datasetType": "POLYGON_MESH" if mesh else "POINT_SET"}
    representer |= {"version/majorVersion": "0", "version/minorVersion": "9"}
    groups = ("modelinfo/modelBuilder-0/parameters", "modelinfo/modelBuilder-0/dataInfo")
    artifacts.write_foreign(output, fields, {"representer": representer}, groups)


TOOLS: dict[str, Callable] = {"statismo": statismo, "morpho": morpho, "slicermorph": slicermorph, "csv": tables}
