"""A release in other formats, and what a released model gives: draws, means at chosen covariates, releases compared.

All of it follows from releases alone: post-processing, which costs no privacy and tells nothing more of anybody.
"""

import io
import json
from pathlib import Path

import numpy as np
import scipy
from PIL import Image

from shapedp.app.cli.mapped import landmarks_of
from shapedp.app.cli.other_tools import HOLD_POINTS, markups, released_file
from shapedp.base import artifacts, writers
from shapedp.base.errors import ArtifactError, ConfigError
from shapedp.base.settings import subjects
from shapedp.base.storage import files
from shapedp.ledger.restoring import STATEMENT
from shapedp.releases import kinds
from shapedp.releases.figures import face_means, render, shapes
from shapedp.releases.model import at_landmarks, compared, morphospace, norms, released_model
from shapedp.releases.model.shapes import as_landmarks
from shapedp.releases.viewer import release_page
from shapedp.surfaces import curve_mesh, scans

MODELS = (released_model.FACE_FILE, released_model.SHAPE_FILE)
LANDMARK_MAP = "landmarks of the mean shapes, and where they differ by more than noise and chance"
KINDS = (artifacts.FACE_MODEL.name, artifacts.SHAPE_MODEL.name)
WANTED = "of a mean nobody can be drawn and nothing predicted: release with kind: face_model or shape_model"
OF_A_CHANGE = (
    "a change is no mean: surfaces and a table lie beside it; for other tools, add --as csv, morpho, slicermorph"
)
OF_A_MODEL = (
    "a model gives means: shapedp predict MODEL --output mean.ply; its people: shapedp sample MODEL; for other tools, "
    "add --as morpho"
)
OF_A_RELEASE = "only what is under results/release/ is exported"
NOTE = "post-processing of a release: it costs no privacy, and shows nobody"


def shown_by(release: Path) -> subjects.Subject:
    """Return the Subject of a release, by the statement in its folder; faces where none lies there."""
    stated = (release if release.is_dir() else release.parent) / STATEMENT
    if not stated.is_file():
        return subjects.FACES
    return subjects.of_statement(json.loads(stated.read_text(encoding="utf-8")))


def model_of(release, with_norm=False):
    """Return the released_model.Released of a release's folder or file.

    Parameters
    ----------
    release : path
        The folder, or the .h5 file.
    with_norm : bool
        Whether another kind is read, too, if the mean at covariates follows from it, and people about it.
    """
    path = Path(release)
    if not path.exists():
        raise ArtifactError(f"{path}: no such file or folder; give the folder of a released model")
    if path.is_dir():
        held = next((one for one in HOLD_POINTS if (path / one).is_file()), None)
        if held is None:
            raise ArtifactError(f"{path}: holds no released model ({' or '.join(MODELS)}); {WANTED}")
        path = path / held
    if (name := artifacts.header(path)[0]) in KINDS:
        return released_model.read(path)[0]
    kind = kinds.find_artifact(name)
    if kind is not None and kind.predicts and with_norm:
        return kind.part("released").read(path)
    raise ArtifactError(f"{path}: holds '{name}', and no model; {(kind and kind.elsewhere) or WANTED}")


def sample(release, count, output, seed=None):
    """Write `count` faces or shapes drawn from the modes that stand above the noise; lines that say what.

    output : an .npz with all of them; or a folder, of a .ply or a .csv each and samples.csv, how far each lies along
    each mode
    """
    model, output = model_of(release), Path(output)
    weights = model.weights(count, np.random.default_rng(seed))
    drawn = np.stack([model.face(one) for one in weights])
    record = "shapes, landmarks of size 1" if model.radii is None else "faces, vertices in mm"
    if output.suffix == "":
        lines = [",".join(["file", *(f"mode_{k + 1}_sd" for k in range(model.shown))])]
        for at, (along, curves) in enumerate(zip(weights, drawn, strict=True), start=1):
            name = f"synthetic_{at:0{len(str(count))}d}{'.csv' if model.radii is None else '.ply'}"
            _drawn(output / name, model, curves)
            lines.append(",".join([name, *(f"{x:.10g}" for x in along)]))
        files.write_text(output / "samples.csv", "\n".join(lines) + "\n")
    elif model.radii is None:
        _arrays(output, landmarks=as_landmarks(drawn).astype(np.float32), note=NOTE)
    else:
        vertices = np.stack([curve_mesh.mesh(one, model.radii)[0] for one in drawn]).astype(np.float32)
        _, triangles = curve_mesh.mesh(model.mean, model.radii)
        _arrays(output, vertices=vertices, triangles=triangles, note=NOTE)
    yield f"{output}: {count} {record}, from {model.shown} modes; {NOTE}"


def predict(release, given, output):
    """Write the mean at covariates {name: value} as a surface or as landmarks; lines that say how sure it is.

    output : None for predicted.ply of faces, predicted.csv of landmarks
    """
    model = model_of(release, with_norm=True)
    output = output or Path("predicted.csv" if model.radii is None else "predicted.ply")
    known = [one.name for one in model.covariates]
    if unknown := sorted(set(given) - set(known)):
        raise ConfigError(f"{release}: has no covariate {', '.join(unknown)}; known: {', '.join(known) or 'none'}")
    curves, where, lines = model.predict(given)
    _drawn(output, model, curves)
    yield f"{output}: {where}; {NOTE}"
    yield from lines
    beside = at_landmarks.beside_model(released_file(release), model)
    if beside is not None:
        words = {name: str(given.get(name, "")) for name in known}
        norm = norms.of_model(model, beside.measures, model.z(given), beside, of_everybody=not given)
        table = output.with_name(f"{output.stem}_measures.csv")
        files.write_text(table, "\n".join(norms.table([(words, norm)], beside.measures)) + "\n")
        yield f"{table}: {len(beside.measures.names)} distances and angles there, with people's spread and centiles"


def warp(release, given, surface, marked, output):
    """Write the surface of one specimen bent to a released mean shape, or a model's at covariates; lines that say what.

    surface : a mesh in space; marked : a file with the same landmarks on it. The released landmarks are laid on these,
    which a thin-plate spline (its kernel in space is r) takes onto them, and the surface along.
    """
    scan, marks = scans.read(surface), landmarks_of(marked)
    if scan.triangles is None:
        raise ConfigError(f"{surface}: holds points and no triangles; give a mesh")
    where = released_file(release)
    if artifacts.header(where)[0] == artifacts.RELEASED_SHAPE.name:
        with artifacts.reader(where, artifacts.RELEASED_SHAPE) as source:
            wanted = source["landmarks"]
    else:
        if artifacts.header(where)[0] != artifacts.SHAPE_MODEL.name:
            raise ArtifactError(
                f"{where}: holds '{artifacts.header(where)[0]}'; give a released mean shape or shape model"
            )
        model = model_of(where)
        wanted = as_landmarks(model.at(model.z(given)))
    if wanted.shape != marks.shape:
        has = f"{wanted.shape[0]} of {wanted.shape[1]} coordinates"
        raise ConfigError(f"{marked}: {len(marks)} landmarks of 3 coordinates; the release has {has}")
    bent = bending(marks, laid_on(wanted, marks))(scan.points)
    _surface(output, bent, scan.triangles)
    yield (
        f"{output}: {surface} bent to the release; post-processing of a release: it costs its people no privacy. It is "
        "that specimen's surface: publish it if that may be"
    )


def laid_on(points, target):
    """(k, 3) points moved, turned and scaled to lie best on the target."""
    about, there = points - points.mean(axis=0), target - target.mean(axis=0)
    turn = scipy.spatial.transform.Rotation.align_vectors(there, about)[0]
    turned = turn.apply(about)
    return turned * (np.sum(turned * there) / np.sum(turned**2)) + target.mean(axis=0)


def bending(start, stop):
    """The thin-plate spline in space that takes points (k, 3) onto others, as a function of points."""
    return scipy.interpolate.RBFInterpolator(start, stop, kernel="linear", degree=1)


def compare(releases, output):
    """Write where means, models' means, or changes differ beyond noise and chance, pair by pair; lines that say how
    much.

    output : a page (.html) with a map of the face for each pair, or a table of the points
    """
    models = compared.alike([compared.read(one) for one in releases], releases)
    names = [Path(one).name for one in releases]
    if len(releases) == 2:
        found = [(0, 1, released_model.of_means(*models))]
        lines, where = list(told(found[0][2], *models)), f"where {releases[1]} differs from {releases[0]}"
    else:
        found = compared.pairs(models)
        lines = list(told_of_several(found, models, names))
        numbered = (f"{name} ({at})" for at, name in enumerate(names, start=1))
        where = f"where {', '.join(numbered)} differ, map by map in the order below"
    if all(isinstance(one, released_model.Released) for one in models):
        lines += morphospace.disparity_sentences(models, names)
    if isinstance(models[0], compared.ReleasedMean):
        for words in dict.fromkeys(one for model in models for one in model.cautions):
            of = ", ".join(name for name, model in zip(names, models, strict=True) if words in model.cautions)
            lines.append(f"{of}: {words}")
        along = [len(one.drawn["values"]) for one in models if one.drawn and one.radii is not None]
        if len(set(along)) > 1:
            lines.append(
                f"released along {', '.join(map(str, along))} directions: what one mean leaves out and another has "
                "shows as a difference"
            )
    if Path(output).suffix == ".html":
        if models[0].radii is None:
            look = shapes.look_of(_settings(releases[0]), as_landmarks(models[0].reference))
            maps = [_landmark_map(models[first], models[second], pair, look) for first, second, pair in found]
        else:
            maps = [_map(models[first], pair) for first, _, pair in found]
        words = mapped(models[0].unit) if models[0].radii is not None else LANDMARK_MAP
        page = release_page.comparison_page(names, png(np.vstack(maps)), words, lines, released_model.RATE)
        files.write_text(output, page)
    else:
        files.write_text(output, table(found, models))
    yield f"{output}: {where}; {NOTE}"
    yield from lines


def mapped(unit):
    """What the colours of a map are."""
    return f"{unit} between the mean faces, where more than noise and chance; 0 elsewhere"


def _map(model, found):
    """(h, w, 3) the face, coloured by how far the means differ where that exceeds noise and chance."""
    differ = np.where(found.exceeds, found.distance, 0.0).reshape(model.mean.shape[0], -1)
    vertices, triangles = curve_mesh.mesh(model.mean, model.radii)
    return face_means.coloured(render.looks(vertices, triangles), curve_mesh.at_vertices(differ), mapped(model.unit))


def _settings(release):
    """The public settings of a release."""
    path = released_file(release)
    with artifacts.reader(path, artifacts.KINDS[artifacts.header(path)[0]]) as source:
        return json.loads(source["settings"])


def _landmark_map(first, second, found, look):
    """(h, w, 3) the picture of two mean shapes."""
    drawn = io.BytesIO()
    shapes.compared(first, second, found, look).savefig(drawn, format="png", dpi=200)
    return np.asarray(Image.open(drawn).convert("RGB"))


def png(pixels):
    """PNG bytes of a picture (h, w, 3)."""
    made = io.BytesIO()
    Image.fromarray(pixels).save(made, format="png")
    return made.getvalue()


def table(pairs, models):
    """Text of the table of comparisons, a row a point; of several pairs it begins with the numbers of their releases.

    pairs : (row of one model, row of another, their comparison) of each
    """
    several, rows = len(models) > 2, []
    place, unit = models[0].unit.split(" ")[0], models[0].unit.replace(" ", "_")
    for first, second, found in pairs:
        points = np.moveaxis(models[first].mean, 1, 2).reshape(len(found.distance), -1)
        columns = np.column_stack([points, found.distance, found.p_values, found.exceeds, found.detectable])
        start = f"{first + 1},{second + 1}," if several else ""
        rows += [start + ",".join(f"{value:.6g}" for value in row) for row in columns]
    header = [*(("first", "second") if several else ()), *(f"{axis}_{place}" for axis in "xyz"[: points.shape[1]])]
    header += [f"difference_{unit}", "p_value", "exceeds", f"detectable_{unit}"]
    return "\n".join([",".join(header), *rows]) + "\n"


def told_of_several(found, models, names):
    """Lines about three or more: of models one test of them all; then how far the two of each pair lie apart."""
    if all(isinstance(one, released_model.Released) for one in models):
        tested = compared.of_models(models)
        yield (
            f"one test of all {len(models)} means: p = {tested.p_value:.2g} if they are equal: they lie "
            f"{np.sqrt(tested.statistic):.3g} times as far apart as noise for privacy and chance let expect "
            f"(about {tested.degrees:.3g} degrees of freedom)"
        )
    for first, second, one in found:
        yield (
            f"{names[first]} and {names[second]}: {np.sqrt(np.mean(one.distance**2)):.2g} {models[0].unit} rms; "
            f"{np.mean(one.exceeds):.0%} of the points differ at a false discovery rate of {released_model.RATE:.0%} "
            "over all pairs"
        )


def told(found, first, second):
    """Lines about a comparison: how large, how much of it is sure, what would be found and with how many people."""
    unit = first.unit
    yield (
        f"difference of the means: {np.sqrt(np.mean(found.distance**2)):.2g} {unit} rms, {found.distance.max():.2g} "
        f"{unit} at most; {np.mean(found.exceeds):.0%} of the points exceed noise and chance at a false discovery rate "
        f"of {released_model.RATE:.0%}"
    )
    yield (
        f"power: a shift of {np.median(found.detectable):.2g} {unit} (median over the points) over "
        f"{released_model.SHARE:.0%} of the points is found 8 times in 10"
    )
    if first.radii is not None and not isinstance(first, compared.ReleasedMean):
        fields = [model.covariances(model.average) for model in (first, second)]
        looked_for = released_model.SHIFT, released_model.SHARE
        people = released_model.people_needed(fields, [first.people, second.people], *looked_for)
        yield f"{released_model.words(people)}, with noise as here"


def _surface(output, vertices, triangles):
    """Write a surface; the ending decides the format."""
    ending = Path(output).suffix.lower()
    if ending not in MESHES:
        raise ConfigError(f"--output {output}: a surface is written as {', '.join(MESHES)}; found '{ending}'")
    files.write_bytes(output, writers.encode(vertices, triangles, ending))


def _drawn(output, model, curves):
    if model.radii is None:
        landmarks, ending = as_landmarks(curves), Path(output).suffix
        if ending not in (".csv", ".tps"):
            raise ArtifactError(f"{output}: landmarks have no surface; write .csv or .tps")
        files.write_text(
            output, writers.tps(landmarks, Path(output).stem) if ending == ".tps" else writers.csv(landmarks)
        )
        return
    _surface(output, *curve_mesh.mesh(curves, model.radii))


def _arrays(output, **arrays):
    with files.atomic(output) as partial, partial.open("wb") as stream:
        np.savez(stream, **arrays)


SIZE, SIZE_AS_OPTION = "log_size", "--log-size"  # the built-in covariate, and how options are usually written


def pairs(arguments):
    """{name: value} of further options such as `--age 40 --sex=f`."""
    words = [part for one in arguments for part in (one.split("=", 1) if one.startswith("--") else [one])]
    if len(words) % 2 or not all(name.startswith("--") for name in words[::2]):
        raise ConfigError(f"covariates are given as --name value, found {' '.join(arguments)}")
    named = zip(words[::2], words[1::2], strict=True)
    return {SIZE if name == SIZE_AS_OPTION else name[2:]: value for name, value in named}


MESHES, TABLES, MARKUPS = (".ply", ".glb", ".obj", ".stl"), (".csv", ".npz"), ".mrk.json"
LANDMARK_TEXTS = {
    ".csv": lambda landmarks, _: writers.csv(landmarks),
    ".tps": writers.tps,
    ".nts": writers.nts,
    ".fcsv": lambda landmarks, _: writers.fcsv(landmarks),
    MARKUPS: lambda landmarks, _: markups(landmarks),
}
IN_PLANE = (*TABLES, ".tps", ".nts")
POINTS = (*IN_PLANE, ".fcsv", MARKUPS)  # of landmarks in space


def write(release_path, output):
    """Write a released face or shape to `output`; its ending decides how."""
    ending = MARKUPS if output.name.lower().endswith(MARKUPS) else output.suffix.lower()
    if ending not in (*MESHES, *POINTS):
        words = f"a surface goes to {', '.join(MESHES)}, landmarks to {', '.join(POINTS)}"
        raise ArtifactError(f"{output.name}: cannot write '{ending}'; {words}")
    release_path = released_file(release_path)
    name, _, _ = artifacts.header(release_path)
    kind = kinds.find_artifact(name)
    if kind is not None and kind.exported == "surface":
        if ending not in (*MESHES, *TABLES):
            known = ", ".join((*MESHES, *TABLES))
            raise ArtifactError(f"{output.name}: '{ending}' holds landmarks, and this release is a face; write {known}")
        _face(release_path, kind.artifact, output)
    elif kind is not None and kind.exported == "landmarks":
        with artifacts.reader(release_path, artifacts.RELEASED_SHAPE) as release:
            landmarks, beside = release["landmarks"], ("noise_radius", "size", "size_noise")
            numbers = {name: release[name] for name in beside if name == "noise_radius" or np.isfinite(release[name])}
        fitting = IN_PLANE if landmarks.shape[1] == 2 else POINTS
        if ending not in fitting:
            why = (
                "landmarks have no surface"
                if ending in MESHES
                else f"'{ending}' holds points in space, these lie in the plane"
            )
            raise ArtifactError(f"{output.name}: {why}; write {', '.join(fitting)}")
        if ending == ".npz":
            _arrays(output, landmarks=landmarks, **numbers)
        else:
            files.write_text(output, LANDMARK_TEXTS[ending](landmarks, output.name[: -len(ending)]))
    else:
        changes = artifacts.FACE_CHANGE.name, artifacts.SHAPE_CHANGE.name
        instead = OF_A_MODEL if name in KINDS else OF_A_CHANGE if name in changes else OF_A_RELEASE
        raise ArtifactError(f"{release_path}: holds '{name}', which is no released mean; {instead}")


def _face(release_path, kind, output):
    """Write the mean face of a release; the noise of one that has covariates depends on these, and is left out."""
    with artifacts.reader(release_path, kind) as release:
        curves, radii, scale = (release[key] for key in ("curves", "radii", "scale"))
        sd = release["noise_sd"] if "noise_sd" in kind.fields else np.full(curves.shape[:2], np.nan)
    if output.suffix in MESHES:
        files.write_bytes(output, writers.encode(*curve_mesh.mesh(curves * scale, radii), output.suffix))
    elif output.suffix == ".csv":
        rows = ["curve,sample,x_mm,y_mm,z_mm,noise_sd_x_mm,noise_sd_y_mm,noise_sd_z_mm"]
        for j, k in np.ndindex(curves.shape[0], curves.shape[2]):
            numbers = (f"{v:.6g}" for v in (*curves[j, :, k] * scale, *sd[j] * scale))
            rows.append(",".join([str(j + 1), str(k + 1), *numbers]))
        files.write_text(output, "\n".join(rows) + "\n")
    else:
        _arrays(output, curves=curves, radii=radii, noise_sd=sd, scale=scale)
