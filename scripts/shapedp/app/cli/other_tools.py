"""A release in the files that other tools work with: tables, Morpho and geomorph, SlicerMorph, Statismo.

All describe points with one mean and the deviations of one standard deviation along each mode that stands above the
noise. The modes of a face are orthonormal over its curves, those of these tools over the vertices of a mesh: the same
covariance, D'D for deviations D (k, 3N), has the principal axes that its singular vectors are.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shapedp import __version__
from shapedp.base import artifacts, writers
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.storage import files
from shapedp.releases import kinds
from shapedp.releases.kinds.point_export import PointModel

# Synthetic people and points of SlicerMorph's tables, and their seed: the same export gives the same files.
DRAWN, LANDMARKS, SEED = 30, 500, 0
# Slicer reads meshes as LPS and keeps its tables in RAS.
LPS_TO_RAS = np.array([-1.0, -1.0, 1.0])
SCHEMA = "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/Markups/Resources/Schema/markups-schema-v1.0.3.json#"
STATEMENTS = ("statement.md", "statement.json")
POINT_FILES = tuple(kinds.artifacts_by_file())


def find_released_file(release: Path | str, names: Iterable[str] = POINT_FILES) -> Path:
    """Return the file with a release's numbers, where a user names the file or its folder."""
    path = Path(release)
    if not path.is_dir():
        return path
    paths = [path / name for name in names if (path / name).is_file()]
    if len(paths) != 1:
        raise ArtifactError(f"{path}: holds no release; give a folder with one of {', '.join(names)}")
    return paths[0]


def read_points(release: Path | str) -> PointModel:
    """Return the points of any kind of release, in the form from which each other tool's files are made.

    Of faces they are the vertices of the released surface.
    """
    path = find_released_file(release)
    kind = kinds.find_artifact(name := artifacts.header(path)[0])
    if kind is None:
        raise ArtifactError(f"{path}: holds '{name}', which is not a release; give one of {', '.join(POINT_FILES)}")
    return kind.part("points").points(path)


def export(path: Path | str, output: Path | str, tool: str) -> list[str]:
    """Write a release in the form that another tool of `TOOLS` opens; return lines that say what was written.

    Parameters
    ----------
    path : path
        The release: its folder or file.
    output : path
        An .h5 file for Statismo, else a folder.
    tool : str
        One of `TOOLS`.
    """
    if tool not in TOOLS:
        raise ConfigError(f"--as {tool}: no such tool; known: {', '.join(TOOLS)}")
    points, output = read_points(path), Path(output)
    if tool == "statismo":
        if output.suffix != ".h5":
            raise ConfigError(f"{output}: a Statismo model is one file; name it so that it ends in .h5")
        write_statismo(points, output)
        names = [output.name]
    else:
        if output.suffix or output.is_file():
            raise ConfigError(f"{output}: --as {tool} writes a folder; give the name of one")
        contents = TOOLS[tool](points)
        folder = find_released_file(path).parent
        statements = [
            candidate
            for candidate in STATEMENTS
            if (folder / candidate).is_file() and not (folder / candidate).is_symlink()
        ]
        # The statement goes along, so that whoever opens the folder sees what was promised.
        contents |= {name: (folder / name).read_bytes() for name in statements}
        output.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            files.write_bytes(output / name, content.encode() if isinstance(content, str) else content)
        names = list(contents)
    return [f"{output}: {', '.join(names)}; {len(points.mean)} points in {points.unit}, {len(points.modes)} mode(s)"]


def make_tables(points: PointModel) -> dict[str, str | bytes]:
    """Return the csv files that any program reads: mean.csv, and where there are any triangles, modes and effects.

    Each has a row a point.
    """
    axes = "xyz"[: points.mean.shape[1]]
    numbers = [str(at + 1) for at in range(len(points.mean))]
    texts = {"mean.csv": _format_table(["point", *axes], points.mean, numbers)}
    if points.triangles is not None:
        texts["triangles.csv"] = _format_table(["a", "b", "c"], points.triangles + 1)
    columns_by_file = {"modes.csv": {f"mode_{k + 1}": moves for k, moves in enumerate(points.modes)}}
    columns_by_file["effects.csv"] = {f"effect_{name}": moves for name, moves in points.effects.items()}
    for name, columns in columns_by_file.items():
        if columns:
            header = ["point", *(f"{word}_{axis}" for word in columns for axis in axes)]
            texts[name] = _format_table(header, np.hstack(list(columns.values())), numbers)
    return texts


def _format_table(header, rows, names=None):
    """Return the text of a csv that other programs read, in its first column the names of rows where they have any."""
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


def make_morpho(points: PointModel) -> dict[str, str | bytes]:
    """Return the tables, and a script that makes of them the objects of Morpho and geomorph."""
    script = R_START + R_MESH * (points.triangles is not None) + R_MODES * (len(points.modes) > 0)
    return make_tables(points) | {"model.R": script}


def make_slicermorph(points: PointModel) -> dict[str, str | bytes]:
    """Return the files that 3D Slicer opens: a mean as mesh and markups, a model as an analysis of its GPA module.

    Its specimens are synthetic people, since nobody's record may leave. Points of a face: some `LANDMARKS` of them.
    """
    if points.mean.shape[1] == 2:
        raise ConfigError(
            "--as slicermorph: these landmarks lie in the plane, and SlicerMorph works in space; take csv"
        )
    # Evenly over the face, so that there are LANDMARKS at most.
    rows = np.arange(0, len(points.mean), -(-len(points.mean) // LANDMARKS))
    mean, modes = points.mean[rows], points.modes[:, rows]
    contents: dict[str, str | bytes] = {"mean.mrk.json": format_markups(mean)}
    if points.triangles is not None:
        contents["mean.ply"] = writers.encode_surface(points.mean, points.triangles, ".ply")
    if not len(modes):
        return contents
    mean, modes = mean * LPS_TO_RAS, modes * LPS_TO_RAS
    # Of the chosen points alone: their modes have other principal axes than those of all points.
    basis, variance = PointModel(mean, modes, None, points.unit).axes()
    weights = np.random.default_rng(SEED).standard_normal((DRAWN, len(variance))) * np.sqrt(variance)
    people = mean + (weights @ basis.T).reshape(DRAWN, *mean.shape)
    names = [f"synthetic_{at + 1:02d}" for at in range(DRAWN)]
    coordinates = [f"LM {at + 1}_{axis}" for at in range(len(mean)) for axis in "XYZ"]
    components = [f"PC {at + 1}" for at in range(len(variance))]
    distance = np.linalg.norm(people - mean, axis=(1, 2))
    size = np.linalg.norm(people - people.mean(axis=1, keepdims=True), axis=(1, 2))
    measured = np.column_stack([distance, size, people.reshape(DRAWN, -1)])
    log = {
        "Date": "",
        "Time": "",
        "InputPath": "",
        "OutputPath": "",
        "Files": [f"{person}.mrk.json" for person in names],
    }
    log |= {"LMFormat": ".mrk.json", "NumberLM": len(mean), "ExcludedLM": [], "Boas": True, "SemiLandmarks": []}
    log |= {"MeanShape": "meanShape.csv", "Eigenvalues": "eigenvalues.csv", "Eigenvectors": "eigenvector.csv"}
    log |= {"OutputData": "outputData.csv", "PCScores": "pcScores.csv", "Covariates": ""}
    return contents | {
        "meanShape.csv": _format_table(["", "X", "Y", "Z"], mean, [f"LM {at + 1}" for at in range(len(mean))]),
        "eigenvalues.csv": "".join(f"{name},{x:.10g}\n" for name, x in zip(components, variance, strict=True)),
        "eigenvector.csv": _format_table(["", *components], basis, coordinates),
        "outputData.csv": _format_table(["Sample_name", "proc_dist", "centroid", *coordinates], measured, names),
        "pcScores.csv": _format_table(["Sample_name", *components], weights, names),
        "analysis.json": json.dumps({"@schema": "GPALog-schema-v1.0.0.json", "GPALog": [log]}, indent=1) + "\n",
        **{f"{name}.mrk.json": format_markups(person * LPS_TO_RAS) for name, person in zip(names, people, strict=True)},
    }


def format_markups(points: NDArray[np.float64]) -> str:
    """Return the text of a .mrk.json, by which 3D Slicer shows landmarks: points (n, 3) in LPS, in the order given."""
    controls = []
    for at, point in enumerate(points, start=1):
        place = {"position": [float(f"{x:.10g}") for x in point], "positionStatus": "defined"}
        controls.append({"id": str(at), "label": str(at), **place})
    markup = {"type": "Fiducial", "coordinateSystem": "LPS", "coordinateUnits": "mm", "controlPoints": controls}
    return json.dumps({"@schema": SCHEMA, "markups": [markup]}, indent=1) + "\n"


def write_statismo(points: PointModel, output: Path) -> None:
    """Write a model as an .h5 of Statismo 0.9, so that Scalismo and Statismo can sample from it and fit it.

    It holds mean, basis, variances and mesh, lengths as 4-byte floats. Its noise variance is what people vary by in a
    coordinate beyond the modes.
    """
    if not len(points.modes):
        raise ConfigError(
            "--as statismo: no mode stands above the noise, so Statismo would have no model to keep; take --as csv"
        )
    basis, variance = points.axes()
    residual_variance = max(0.0, points.residual - np.sum(points.modes**2) / points.mean.size)
    mesh = points.triangles is not None
    single = np.float32
    fields = {
        "model/mean": points.mean.ravel().astype(single),
        "model/pcaBasis": basis.astype(single),
        "model/pcaVariance": variance.astype(single),
        "model/noiseVariance": np.array([residual_variance], single),
        "representer/points": points.mean.T.astype(single),
        "version/majorVersion": np.int32(0),
        "version/minorVersion": np.int32(9),
        # No time stands in it, so that the same release gives the same file.
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


TOOLS: dict[str, Callable] = {
    "statismo": write_statismo,
    "morpho": make_morpho,
    "slicermorph": make_slicermorph,
    "csv": make_tables,
}
