"""A release in other formats, and what a released model gives: draws, means at chosen covariates, releases compared.

All of it follows from releases alone: post-processing, which costs no privacy and tells nothing more of anybody.
"""

import io
import json
from pathlib import Path

import numpy as np
import scipy
from PIL import Image

from shapedp.app.cli.mapped import read_placed_landmarks
from shapedp.app.cli.other_tools import POINT_FILES, find_released_file, format_markups
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
NEEDS_MODEL = "nothing can be sampled or predicted from a mean: make a release with kind: face_model or shape_model"
CHANGE_REMEDY = (
    "a change is not a mean: its surfaces and its table lie beside it; for other tools, add --as csv, morpho, "
    "slicermorph"
)
MODEL_REMEDY = (
    "a model gives means: shapedp predict MODEL --output mean.ply; its people: shapedp sample MODEL; for other tools, "
    "add --as morpho"
)
OTHER_REMEDY = "only what is under results/release/ is exported"
NOTE = "post-processing of a release: it costs no privacy, and shows nobody"


def read_subject(release: Path) -> subjects.Subject:
    """Return what a release is of, such as faces or ears, so that output says it in that subject's words.

    It is by the statement in its folder; faces where none lies there.
    """
    stated = (release if release.is_dir() else release.parent) / STATEMENT
    if not stated.is_file():
        return subjects.FACES
    return subjects.from_statement(json.loads(stated.read_text(encoding="utf-8")))


def read_model(release, with_norm=False):
    """Return the model of a release's folder or file, from which samples, predictions and norms follow.

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
        file_name = next((candidate for candidate in POINT_FILES if (path / candidate).is_file()), None)
        if file_name is None:
            raise ArtifactError(f"{path}: holds no released model ({' or '.join(MODELS)}); {NEEDS_MODEL}")
        path = path / file_name
    if (name := artifacts.header(path)[0]) in KINDS:
        return released_model.read(path)[0]
    kind = kinds.find_artifact(name)
    if kind is not None and kind.predicts and with_norm:
        return kind.part("released").read(path)
    raise ArtifactError(f"{path}: holds '{name}', which is not a model; {(kind and kind.elsewhere) or NEEDS_MODEL}")


def write_samples(release, count, output, seed=None):
    """Write faces or shapes of nobody, drawn from the modes that stand above the noise; yield lines that say what.

    They show how people vary, where no record may be shown.

    Parameters
    ----------
    release : path
        A released model: its folder or file.
    count : int
        How many.
    output : path
        An .npz with all of them; or a folder, of a .ply or a .csv each and samples.csv, how far each lies along each
        mode.
    seed : int
        The same seed draws the same.
    """
    model, output = read_model(release), Path(output)
    weights = model.weights(count, np.random.default_rng(seed))
    people = np.stack([model.face(weight) for weight in weights])
    record = "shapes, landmarks of size 1" if model.radii is None else "faces, vertices in mm"
    if output.suffix == "":
        lines = [",".join(["file", *(f"mode_{k + 1}_sd" for k in range(model.shown))])]
        for number, (positions, curves) in enumerate(zip(weights, people, strict=True), start=1):
            name = f"synthetic_{number:0{len(str(count))}d}{'.csv' if model.radii is None else '.ply'}"
            _write_curves(output / name, model, curves)
            lines.append(",".join([name, *(f"{x:.10g}" for x in positions)]))
        files.write_text(output / "samples.csv", "\n".join(lines) + "\n")
    elif model.radii is None:
        _write_arrays(output, landmarks=as_landmarks(people).astype(np.float32), note=NOTE)
    else:
        vertices = np.stack([curve_mesh.mesh(weight, model.radii)[0] for weight in people]).astype(np.float32)
        _, triangles = curve_mesh.mesh(model.mean, model.radii)
        _write_arrays(output, vertices=vertices, triangles=triangles, note=NOTE)
    yield f"{output}: {count} {record}, from {model.shown} modes; {NOTE}"


def write_prediction(release, covariates, output):
    """Write the mean at covariates as a surface or as landmarks; yield lines that say how sure it is.

    Parameters
    ----------
    release : path
        A release of which `predict` gives means: its folder or file.
    covariates : mapping
        {name: value}.
    output : path
        None for predicted.ply of faces, predicted.csv of landmarks.
    """
    model = read_model(release, with_norm=True)
    output = output or Path("predicted.csv" if model.radii is None else "predicted.ply")
    names = [covariate.name for covariate in model.covariates]
    if unknown := sorted(set(covariates) - set(names)):
        raise ConfigError(f"{release}: has no covariate {', '.join(unknown)}; known: {', '.join(names) or 'none'}")
    curves, where, lines = model.predict(covariates)
    _write_curves(output, model, curves)
    yield f"{output}: {where}; {NOTE}"
    yield from lines
    at_points = at_landmarks.beside_model(find_released_file(release), model)
    if at_points is not None:
        words = {name: str(covariates.get(name, "")) for name in names}
        norm = norms.from_model(model, at_points.measures, model.z(covariates), at_points, of_everybody=not covariates)
        table = output.with_name(f"{output.stem}_measures.csv")
        files.write_text(table, "\n".join(norms.table([(words, norm)], at_points.measures)) + "\n")
        yield f"{table}: {len(at_points.measures.names)} distances and angles there, with people's spread and centiles"


def write_warped(release, covariates, surface, landmark_path, output):
    """Write the surface of one specimen bent to a released mean shape, or a model's at covariates; yield what was done.

    The released landmarks are laid on those of the specimen, which a thin-plate spline (its kernel in space is r) takes
    onto them, and the surface along.

    Parameters
    ----------
    release : path
        The mean shape or the model: its folder or file.
    covariates : mapping
        {name: value} for a model.
    surface : path
        The specimen's mesh, in space.
    landmark_path : path
        The same landmarks on it.
    output : path
        Where the bent mesh goes.
    """
    scan, marks = scans.read(surface), read_placed_landmarks(landmark_path, surface)
    if scan.triangles is None:
        raise ConfigError(f"{surface}: holds points and no triangles; give a mesh")
    file_path = find_released_file(release)
    if artifacts.header(file_path)[0] == artifacts.RELEASED_SHAPE.name:
        with artifacts.reader(file_path, artifacts.RELEASED_SHAPE) as source:
            target = source["landmarks"]
    else:
        if artifacts.header(file_path)[0] != artifacts.SHAPE_MODEL.name:
            raise ArtifactError(
                f"{file_path}: holds '{artifacts.header(file_path)[0]}'; give a released mean shape or shape model"
            )
        model = read_model(file_path)
        target = as_landmarks(model.at(model.z(covariates)))
    if target.shape != marks.shape:
        has = f"{target.shape[0]} of {target.shape[1]} coordinates"
        raise ConfigError(f"{landmark_path}: {len(marks)} landmarks of 3 coordinates; the release has {has}")
    warped = fit_bending(marks, align_to(target, marks))(scan.points)
    _write_surface(output, warped, scan.triangles)
    yield (
        f"{output}: {surface} bent to the release; this is post-processing and costs no privacy. It shows that "
        "specimen's surface: publish it only if the specimen may be published"
    )


def align_to(points, target):
    """Return points (k, 3) moved, turned and scaled to lie best on the target, before a specimen is bent to a mean."""
    centered, centered_target = points - points.mean(axis=0), target - target.mean(axis=0)
    rotation = scipy.spatial.transform.Rotation.align_vectors(centered_target, centered)[0]
    turned = rotation.apply(centered)
    return turned * (np.sum(turned * centered_target) / np.sum(turned**2)) + target.mean(axis=0)


def fit_bending(start, stop):
    """Return the thin-plate spline in space that takes points (k, 3) onto others, as a function of points."""
    return scipy.interpolate.RBFInterpolator(start, stop, kernel="linear", degree=1)


def write_comparison(releases, output):
    """Write where two or more releases surely differ, as a table or a page; yield lines on how much.

    Means, models' means or changes are compared pair by pair, beyond noise and chance.

    Parameters
    ----------
    releases : sequence of path
        Two or more, of one kind.
    output : path
        A page (.html) with a map of the face for each pair, or a table of the points.
    """
    models = compared.match_releases([compared.read(release) for release in releases], releases)
    names = [Path(release).name for release in releases]
    if len(releases) == 2:
        first, second = models
        comparisons = [(0, 1, released_model.compare_means(first, second))]
        lines, where = (
            list(describe_comparison(comparisons[0][2], first, second)),
            f"where {releases[1]} differs from {releases[0]}",
        )
    else:
        comparisons = compared.compare_pairs(models)
        lines = list(describe_comparisons(comparisons, models, names))
        numbered = (f"{name} ({at})" for at, name in enumerate(names, start=1))
        where = f"where {', '.join(numbered)} differ, map by map in the order below"
    if all(isinstance(model, released_model.Released) for model in models):
        lines += morphospace.disparity_sentences(models, names)
    if isinstance(models[0], compared.ReleasedMean):
        for words in dict.fromkeys(caution for model in models for caution in model.cautions):
            holders = ", ".join(name for name, model in zip(names, models, strict=True) if words in model.cautions)
            lines.append(f"{holders}: {words}")
        direction_counts = [len(model.drawn["values"]) for model in models if model.drawn and model.radii is not None]
        if len(set(direction_counts)) > 1:
            lines.append(
                f"released along {', '.join(map(str, direction_counts))} directions: what one mean leaves out and "
                "another has "
                "shows as a difference"
            )
    if Path(output).suffix == ".html":
        if models[0].radii is None:
            look = shapes.choose_look(_read_settings(releases[0]), as_landmarks(models[0].reference))
            maps = [
                _draw_landmark_map(models[first], models[second], pair, look) for first, second, pair in comparisons
            ]
        else:
            maps = [_draw_map(models[first], pair) for first, _, pair in comparisons]
        words = describe_colours(models[0].unit) if models[0].radii is not None else LANDMARK_MAP
        page = release_page.render_comparison(names, encode_png(np.vstack(maps)), words, lines, released_model.RATE)
        files.write_text(output, page)
    else:
        files.write_text(output, tabulate_comparisons(comparisons, models))
    yield f"{output}: {where}; {NOTE}"
    yield from lines


def describe_colours(unit):
    """Return what the colours of a map are."""
    return f"{unit} between the mean faces, where more than noise and chance; 0 elsewhere"


def _draw_map(model, comparison):
    """Return a picture (h, w, 3) of the face that shows where two means surely differ, and how far."""
    differences = np.where(comparison.exceeds, comparison.distance, 0.0).reshape(model.mean.shape[0], -1)
    vertices, triangles = curve_mesh.mesh(model.mean, model.radii)
    return face_means.colour_looks(
        render.prepare_looks(vertices, triangles), curve_mesh.at_vertices(differences), describe_colours(model.unit)
    )


def _read_settings(release):
    """Return the public settings that a release was made with, by which its landmarks are drawn."""
    path = find_released_file(release)
    with artifacts.reader(path, artifacts.KINDS[artifacts.header(path)[0]]) as source:
        return json.loads(source["settings"])


def _draw_landmark_map(first, second, comparison, look):
    """Return the picture (h, w, 3) of how two mean shapes differ, for the page of a comparison."""
    picture = io.BytesIO()
    shapes.draw_comparison(first, second, comparison, look).savefig(picture, format="png", dpi=200)
    return np.asarray(Image.open(picture).convert("RGB"))


def encode_png(pixels):
    """Return the PNG bytes of a picture (h, w, 3), to be written to a file or set into a page."""
    picture = io.BytesIO()
    Image.fromarray(pixels).save(picture, format="png")
    return picture.getvalue()


def tabulate_comparisons(pairs, models):
    """Return a comparison's table, a row a point, for whoever computes on; of several pairs with their numbers.

    pairs : (row of one model, row of another, their comparison) of each
    """
    several, rows = len(models) > 2, []
    place, unit = models[0].unit.split(" ")[0], models[0].unit.replace(" ", "_")
    for first, second, comparison in pairs:
        points = np.moveaxis(models[first].mean, 1, 2).reshape(len(comparison.distance), -1)
        columns = np.column_stack(
            [points, comparison.distance, comparison.p_values, comparison.exceeds, comparison.detectable]
        )
        start = f"{first + 1},{second + 1}," if several else ""
        rows += [start + ",".join(f"{value:.6g}" for value in row) for row in columns]
    header = [*(("first", "second") if several else ()), *(f"{axis}_{place}" for axis in "xyz"[: points.shape[1]])]
    header += [f"difference_{unit}", "p_value", "exceeds", f"detectable_{unit}"]
    return "\n".join([",".join(header), *rows]) + "\n"


def describe_comparisons(comparisons, models, names):
    """Yield what `shapedp compare` says of three or more releases: one test of all models, how each pair differs."""
    if all(isinstance(comparison, released_model.Released) for comparison in models):
        test = compared.compare_models(models)
        yield (
            f"one test of all {len(models)} means: p = {test.p_value:.2g} if they are equal: they lie "
            f"{np.sqrt(test.statistic):.3g} times as far apart as noise for privacy and chance would put them "
            f"(about {test.degrees:.3g} degrees of freedom)"
        )
    for first, second, comparison in comparisons:
        yield (
            f"{names[first]} and {names[second]}: {np.sqrt(np.mean(comparison.distance**2)):.2g} {models[0].unit} rms; "
            f"{np.mean(comparison.exceeds):.0%} of the points differ at a false discovery rate of "
            f"{released_model.RATE:.0%} "
            "over all pairs"
        )


def describe_comparison(comparison, first, second):
    """Yield what `shapedp compare` says of two releases: how far they differ, how surely, what more people find."""
    unit = first.unit
    yield (
        f"difference of the means: {np.sqrt(np.mean(comparison.distance**2)):.2g} {unit} rms, "
        f"{comparison.distance.max():.2g} "
        f"{unit} at most; {np.mean(comparison.exceeds):.0%} of the points exceed noise and chance at a false discovery "
        "rate "
        f"of {released_model.RATE:.0%}"
    )
    yield (
        f"power: a shift of {np.median(comparison.detectable):.2g} {unit} (median over the points) over "
        f"{released_model.SHARE:.0%} of the points is found 8 times in 10"
    )
    if first.radii is not None and not isinstance(first, compared.ReleasedMean):
        fields = [model.covariances(model.average) for model in (first, second)]
        people = released_model.people_needed(
            fields, [first.people, second.people], released_model.SHIFT, released_model.SHARE
        )
        yield f"{released_model.words(people)}, with noise as here"


def _write_surface(output, vertices, triangles):
    """Write a surface for another program to open; the ending decides the format."""
    ending = Path(output).suffix.lower()
    if ending not in MESHES:
        raise ConfigError(f"--output {output}: a surface is written as {', '.join(MESHES)}; found '{ending}'")
    files.write_bytes(output, writers.encode_surface(vertices, triangles, ending))


def _write_curves(output, model, curves):
    """Write what curves stand for, for another program to open: a surface, or of a model of shapes landmarks."""
    if model.radii is None:
        landmarks, ending = as_landmarks(curves), Path(output).suffix
        if ending not in (".csv", ".tps"):
            raise ArtifactError(f"{output}: landmarks have no surface; write .csv or .tps")
        files.write_text(
            output,
            writers.format_tps(landmarks, Path(output).stem) if ending == ".tps" else writers.format_csv(landmarks),
        )
        return
    _write_surface(output, *curve_mesh.mesh(curves, model.radii))


def _write_arrays(output, **arrays):
    """Write arrays by name as one .npz file."""
    with files.atomic(output) as partial, partial.open("wb") as stream:
        np.savez(stream, **arrays)


SIZE, SIZE_AS_OPTION = "log_size", "--log-size"  # the built-in covariate, and how options are usually written


def parse_covariates(arguments):
    """Return {name: value} of further options such as `--age 40 --sex=f`, whose names depend on the release."""
    words = [
        part for argument in arguments for part in (argument.split("=", 1) if argument.startswith("--") else [argument])
    ]
    if len(words) % 2 or not all(name.startswith("--") for name in words[::2]):
        raise ConfigError(f"covariates are given as --name value, found {' '.join(arguments)}")
    values = zip(words[::2], words[1::2], strict=True)
    return {SIZE if name == SIZE_AS_OPTION else name[2:]: value for name, value in values}


MESHES, TABLES, MARKUPS = (".ply", ".glb", ".obj", ".stl"), (".csv", ".npz"), ".mrk.json"
LANDMARK_TEXTS = {
    ".csv": lambda landmarks, _: writers.format_csv(landmarks),
    ".tps": writers.format_tps,
    ".nts": writers.format_nts,
    ".fcsv": lambda landmarks, _: writers.format_fcsv(landmarks),
    MARKUPS: lambda landmarks, _: format_markups(landmarks),
}
IN_PLANE = (*TABLES, ".tps", ".nts")
POINTS = (*IN_PLANE, ".fcsv", MARKUPS)  # of landmarks in space


def write_mean(release_path, output):
    """Write a released face or shape for other programs to open; the ending of `output` decides how."""
    ending = MARKUPS if output.name.lower().endswith(MARKUPS) else output.suffix.lower()
    if ending not in (*MESHES, *POINTS):
        words = f"a surface goes to {', '.join(MESHES)}, landmarks to {', '.join(POINTS)}"
        raise ArtifactError(f"{output.name}: cannot write '{ending}'; {words}")
    release_path = find_released_file(release_path)
    name, _, _ = artifacts.header(release_path)
    kind = kinds.find_artifact(name)
    if kind is not None and kind.exported == "surface":
        if ending not in (*MESHES, *TABLES):
            endings = ", ".join((*MESHES, *TABLES))
            raise ArtifactError(
                f"{output.name}: '{ending}' holds landmarks, and this release is a face; write {endings}"
            )
        _write_face(release_path, kind.artifact, output)
    elif kind is not None and kind.exported == "landmarks":
        with artifacts.reader(release_path, artifacts.RELEASED_SHAPE) as release:
            landmarks, number_names = release["landmarks"], ("noise_radius", "size", "size_noise")
            numbers = {
                name: release[name] for name in number_names if name == "noise_radius" or np.isfinite(release[name])
            }
        possible = IN_PLANE if landmarks.shape[1] == 2 else POINTS
        if ending not in possible:
            reason = (
                "landmarks have no surface"
                if ending in MESHES
                else f"'{ending}' holds points in space, these lie in the plane"
            )
            raise ArtifactError(f"{output.name}: {reason}; write {', '.join(possible)}")
        if ending == ".npz":
            _write_arrays(output, landmarks=landmarks, **numbers)
        else:
            files.write_text(output, LANDMARK_TEXTS[ending](landmarks, output.name[: -len(ending)]))
    else:
        changes = artifacts.FACE_CHANGE.name, artifacts.SHAPE_CHANGE.name
        instead = MODEL_REMEDY if name in KINDS else CHANGE_REMEDY if name in changes else OTHER_REMEDY
        raise ArtifactError(f"{release_path}: holds '{name}', which is not a released mean; {instead}")


def _write_face(release_path, kind, output):
    """Write the mean face of a release as a mesh or as points with their noise.

    The noise of one that has covariates depends on these, and is left out.
    """
    with artifacts.reader(release_path, kind) as release:
        curves, radii, scale = (release[key] for key in ("curves", "radii", "scale"))
        sd = release["noise_sd"] if "noise_sd" in kind.fields else np.full(curves.shape[:2], np.nan)
    if output.suffix in MESHES:
        files.write_bytes(output, writers.encode_surface(*curve_mesh.mesh(curves * scale, radii), output.suffix))
    elif output.suffix == ".csv":
        rows = ["curve,sample,x_mm,y_mm,z_mm,noise_sd_x_mm,noise_sd_y_mm,noise_sd_z_mm"]
        for j, k in np.ndindex(curves.shape[0], curves.shape[2]):
            numbers = (f"{v:.6g}" for v in (*curves[j, :, k] * scale, *sd[j] * scale))
            rows.append(",".join([str(j + 1), str(k + 1), *numbers]))
        files.write_text(output, "\n".join(rows) + "\n")
    else:
        _write_arrays(output, curves=curves, radii=radii, noise_sd=sd, scale=scale)
