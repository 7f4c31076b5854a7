"""The command `shapedp`: look into artifacts and faces, plan a release, read a ledger. Errors are one line."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

import shapedp
from shapedp import ledgers, models_cli
from shapedp.errors import ArtifactError, ConfigError, RefusedRelease, ShapedpError

EXIT_CODES = {ConfigError: 3, ArtifactError: 4, RefusedRelease: 5}  # 1: any other error, 2: wrong usage
BUILT_IN = (0.022, 0.038, 0.032)  # bounds of the built-in reference set at the shipped settings
BUILT_IN_WORDS = (
    " (about those of the built-in model; --tau takes others; `snakemake plan` learns how public faces differ, so that "
    "`shaped` can be foretold)"
)
MEANINGS = (
    "Exit codes: 0 done; 1 another error; 2 wrong usage; 3 a setting or name is wrong; 4 a file is missing, damaged or "
    "of another kind; 5 refused, because it would break a privacy condition. An error is one line on standard error."
)
app = typer.Typer(
    help=__doc__.split(".")[0] + ".",
    epilog=MEANINGS,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(ledgers.app, name="ledger")


def _say_version(wanted: bool):
    if wanted:
        print(f"shapedp {shapedp.__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_say_version, is_eager=True, help="which one")] = False,
):
    """Look into artifacts and faces, plan a release, read a ledger."""


@app.command()
def doctor(
    folder: Annotated[Path, typer.Option(help="folder of the ledgers (privacy.ledger)")] = Path("data/ledger"),
    results: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
):
    """Test this machine in some ten seconds: versions, libraries, disk, permissions, randomness, one face. For support.

    The first time in a checkout it takes a minute or more, since loops are compiled.

    Example: shapedp doctor
    """
    from shapedp import doctor as tests

    found = []
    for one in tests.findings(folder, results):
        found.append(one)
        print(f"{'ok  ' if one.well else 'FAIL'} {one.name}: {one.found}", flush=True)
        if not one.well:
            print(f"     to do: {one.remedy}", flush=True)
    if not all(one.well for one in found):
        raise typer.Exit(1)


@app.command()
def new(
    file: Annotated[Path, typer.Argument(help="the settings file to write, e.g. my.yaml")],
    population: Annotated[str, typer.Option(help="name of the people whose budget is spent")],
    scans: Annotated[str | None, typer.Option(help="a folder, a glob or a sample sheet of face scans")] = None,
    landmarks: Annotated[str | None, typer.Option(help="a landmark file or a folder of them")] = None,
    center: Annotated[str | None, typer.Option(help="a public landmark file with one shape, for --landmarks")] = None,
    cap: Annotated[float, typer.Option(help="most that may ever be spent on them, as total mu")] = 1.0,
):
    """Write a commented settings file for your own scans or landmarks; until you add a release, it spends nothing.

    Example: shapedp new my.yaml --scans scans/ --population my_cohort
    """
    from shapedp import new as settings_file

    for line in settings_file.write(file, population, cap, scans, landmarks, center):
        print(line)


@app.command()
def describe(
    file: Annotated[Path | None, typer.Argument(help="an HDF5 artifact, e.g. results/private/faces/curves.h5")] = None,
    table: Annotated[bool, typer.Option("--table", help="print the table of all artifacts, for the README")] = False,
):
    """Print what an artifact holds.

    Example: shapedp describe results/release/faces/mean_face/mean_face.h5
    """
    from shapedp import describe as words

    if table and file:
        raise typer.BadParameter("give a FILE or --table")
    for line in words.table() if table else words.describe(file) if file else _released("describe"):
        print(line)


def _released(command, more=""):
    """What a command can be given, for who asks without saying which."""
    found = sorted(Path("results").glob("release/*/*/*.h5"))
    if not found:
        raise ConfigError(f"{command}: give a file; nothing is released in results/ yet")
    return [f"shapedp {command} {path}{more}" for path in found]


@app.command()
def plan(
    tau: Annotated[
        tuple[float, float, float] | None, typer.Option(help="public bounds on x, y, z, in root-area units")
    ] = None,
    people: Annotated[int, typer.Option("--people", "-n", help="how many people")] = 300,
    mu: Annotated[float, typer.Option(help="total mu")] = 1.0,
    target: Annotated[float | None, typer.Option(help="error you can live with, in mm")] = None,
    size: Annotated[float, typer.Option(help="square root of a face's area, mm, with --tau")] = 180.0,
    mechanism: Annotated[str | None, typer.Option(help="[default: shaped, or matched_joint with --tau]")] = None,
    results: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
    config: Annotated[Path, typer.Option(help="settings with kernel and curves")] = Path("config.yaml"),
):
    """Predict the error of a face release from public numbers, or how many faces a target needs.

    After `snakemake plan` the answers are those of results/plan, and tell how many people a comparison of two groups
    takes; before it, or with --tau, they are those of bounds in numbers.

    Example: shapedp plan -n 300 --target 0.5
    """
    from shapedp import config as settings
    from shapedp.accuracy import predictions
    from shapedp.forecast import plans
    from shapedp.mechanisms import bounds

    faces = settings.load(config)["faces"]
    if faces is None:
        raise ConfigError(
            f"{config}: leaves faces out; this plans mean faces. For shapes: results/private/shapes/forecast.txt"
        )
    learned = predictions.learned(results, faces["kernel"]) if tau is None else None
    shape = (faces["curves"]["count"], 3, faces["curves"]["samples"])
    limits = bounds.from_numbers(tau or BUILT_IN, shape[0])
    inputs = learned or predictions.Inputs(shape, size, limits, faces["kernel"])
    for line in plans.words(inputs, mechanism or inputs.names[0], people, mu, target):
        print(line)
    if learned:
        print(f"from what was learned of the public reference set: {results}/plan/noise.tsv")
    else:
        print(f"bounds tau = {', '.join(f'{one:g}' for one in tau or BUILT_IN)}" + BUILT_IN_WORDS * (tau is None))


@app.command()
def inspect(
    face: Annotated[str | None, typer.Argument(help="id of a face; without one, all are listed")] = None,
    cohort: Annotated[str, typer.Option(help="faces, or reference for the public reference set")] = "faces",
    picture: Annotated[Path | None, typer.Option(help="where the picture goes [default: beside the results]")] = None,
    words_only: Annotated[bool, typer.Option("--words-only", help="do not draw the picture")] = False,
    results: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
    config: Annotated[Path, typer.Option(help="settings, which say where the scan lies")] = Path("config.yaml"),
):
    """Print why a face was accepted or rejected, its figures beside the cohort's, and draw it at every step. Private.

    Example: shapedp inspect face_0003
    """
    from shapedp import config as settings
    from shapedp import one_face
    from shapedp.cohorts import populations
    from shapedp.runs import tables

    folder = results / "private" / cohort
    if face is None:
        tables.show(one_face.listed(folder))
        return
    for line in one_face.lines(face, folder):
        print(line)
    if words_only:
        return
    from shapedp.figures import style

    scan = {one.id: one.path for one in populations.find(settings.load(config)["faces"])[cohort]}[face]
    picture = picture or folder / "inspect" / f"{face}.png"
    style.save(one_face.picture(face, scan, one_face.batch_files(face, folder)), picture, (picture.suffix[1:],))
    print(f"picture: {picture}")


@app.command()
def status(
    results: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
    config: Annotated[Path, typer.Option(help="settings of the run")] = Path("config.yaml"),
):
    """Print how far a run is, from another terminal: batches done and running, time left; then the summary so far.

    Example: shapedp status
    """
    from shapedp import config as settings
    from shapedp.cohorts import populations, samples
    from shapedp.runs import status as states
    from shapedp.runs import summary

    faces = settings.load(config)["faces"]
    members = {
        cohort: samples.batches(people, faces["batch_size"]) for cohort, people in populations.find(faces).items()
    }
    for line in (*states.lines(members, results), *summary.lines(results)):
        print(line)


@app.command()
def export(
    release: Annotated[Path | None, typer.Argument(help="a released mean_face.h5 or mean_shape.h5")] = None,
    output: Annotated[Path | None, typer.Argument(help="a file ending in .ply, .glb, .obj, .stl, .csv or .npz")] = None,
):
    """Write a release in another format.

    Example: shapedp export results/release/faces/mean_face/mean_face.h5 mean.csv
    """
    from shapedp import export as exports

    if release is None:
        print("\n".join(_released("export", " mean.csv")))
        return
    if output is None:
        raise typer.BadParameter("give an output file too, such as mean.csv")
    exports.write(release, output)
    print(f"{output} written")


models_cli.add_to(app)


def main():
    """Run the command; a mendable error is one line on standard error and an exit code that says its kind."""
    try:
        try:
            app(standalone_mode=True)
        finally:
            sys.stdout.flush()  # here, where a reader that went away is caught, and not when Python ends
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has seen enough, as in `| head`
        return 0
    except OSError as error:
        print(f"shapedp: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except ShapedpError as error:
        print(f"shapedp: {' '.join(str(error).split())}", file=sys.stderr)
        return next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1)
    return 0
