"""The command `shapedp`: look into artifacts and faces, plan a release, read a ledger, use what is
released, take part in a study. Errors are one line.
"""

import io
import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import shapedp
from shapedp.app.cli import ledgers, studies
from shapedp.base.errors import ArtifactError, ConfigError, RefusedRelease, ShapedpError
from shapedp.base.storage import foreign

# `predict` takes the model's covariates as options of their own.
ANY_OPTION = {"allow_extra_args": True, "ignore_unknown_options": True}
# 1 is any other error, and 2 wrong usage, as shells have it.
EXIT_CODES = {ConfigError: 3, ArtifactError: 4, RefusedRelease: 5}
AGAIN = "ask whoever made it for the file again"
# Where commands write if nobody says where.
SAMPLE, COMPARED = Path("sample.npz"), Path("compared.csv")
TEMPLATE = Path("results/private/template.h5")
# Bounds of the built-in reference set at the shipped settings.
BUILT_IN = (0.022, 0.038, 0.032)
BUILT_IN_WORDS = (
    " (about those of the built-in model; --tau takes others; `snakemake plan` learns how public faces differ, so "
    "that there is a forecast for `shaped`)"
)
MEANINGS = (
    "Exit codes: 0 done; 1 another error; 2 wrong usage; 3 a setting or name is wrong; 4 a file is missing, damaged or "
    "of another kind; 5 refused, because it would break a privacy condition. An error is one line on standard error."
)
# typer exports no name for it.
UsageError: Any = typer.BadParameter.__base__
# One number and nothing else, or an option's: a comma between two numbers stays one.
DECIMAL_COMMA = re.compile(r"((?:--[a-z_-]+=)?[+-]?\d+),(\d+)")


app = typer.Typer(
    help=__doc__.split(".")[0] + ".",
    epilog=MEANINGS,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(ledgers.app, name="ledger")
app.add_typer(studies.lab_app, name="lab")
app.add_typer(studies.study_app, name="study")
app.command()(studies.pool)


def _say_version(wanted: bool):
    """Print the version and end, for the option `--version`."""
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
    """Test this machine in a minute or so: versions, libraries, disk, permissions, randomness, some faces. For support.

    The first time in a checkout it takes some three minutes, since loops are compiled.

    Example: shapedp doctor
    """
    from shapedp.app.cli import doctor as tests

    faults = 0
    for finding in tests.examine_machine(folder, results):
        faults += not finding.well
        print(f"{'ok  ' if finding.well else 'FAIL'} {finding.name}: {finding.words}", flush=True)
        if not finding.well:
            print(f"     to do: {finding.remedy}", flush=True)
    if faults:
        raise typer.Exit(1)


@app.command()
def new(
    file: Annotated[Path, typer.Argument(help="the settings file to write, e.g. my.yaml")],
    population: Annotated[str, typer.Option(help="name of the people whose budget is spent")],
    scans: Annotated[str | None, typer.Option(help="a folder, a glob or a sample sheet of face scans")] = None,
    landmarks: Annotated[str | None, typer.Option(help="a landmark file or a folder of them")] = None,
    center: Annotated[str | None, typer.Option(help="a public landmark file with one shape, for --landmarks")] = None,
    sheet: Annotated[str | None, typer.Option(help="a table, with the column id, of whose records they are")] = None,
    cap: Annotated[float, typer.Option(help="most that may ever be spent on them, as total mu")] = 1.0,
    persons: Annotated[
        Literal["refuse", "average"], typer.Option(help="a person with several records: stop, or take their mean")
    ] = "refuse",
    reference_set: Annotated[
        list[str] | None, typer.Option(help="public people: scans, or a landmark file; given twice: both sets of scans")
    ] = None,
    template: Annotated[str | None, typer.Option(help="a public scan that faces are registered to")] = None,
    extent: Annotated[float | None, typer.Option(help="radius about the center to crop scans to, e.g. 0.46")] = None,
    subject: Annotated[
        str, typer.Option(help="what the scans show, if not faces: patella, tooth/teeth, terrain")
    ] = "face",
    unit: Annotated[str, typer.Option(help="what lengths of another subject are in, e.g. m")] = "mm",
):
    """Write a commented settings file for your own scans or landmarks; until you add a release, it spends nothing.

    If the folder of scans holds a sample sheet, that sheet is used.

    Example: shapedp new my.yaml --scans scans/ --population my_cohort
    """
    from shapedp.app.cli import new_settings

    sections = {}
    public = reference_set[0] if reference_set and len(reference_set) == 1 else reference_set or None
    if landmarks and not scans and not isinstance(public, str | None):
        raise typer.BadParameter(
            "--reference-set: landmarks have only one reference set, a landmark file; give it once"
        )
    if scans and (sheet_path := new_settings.find_sheet(scans)):
        print(f"{sheet_path}: is used as the sample sheet, which says whose scan each is")
        scans = sheet_path
    if scans:
        sections["faces"] = new_settings.make_faces_section(scans, persons, template, public, extent, (subject, unit))
    elif template or extent is not None:
        raise typer.BadParameter("--template and --extent are for --scans; give --scans too, or leave them out")
    if landmarks:
        # With both scans and landmarks, the public set is the set of scans.
        shape_set = None if scans else public
        sections["shapes"] = new_settings.make_shapes_section(landmarks, center, shape_set, sheet, persons)
    elif center or sheet:
        raise typer.BadParameter(
            "--center and --sheet are for --landmarks; give --landmarks too, or leave them "
            "out; a sheet of scans is given as --scans SHEET"
        )
    for line in new_settings.write(file, population, cap, sections):
        print(line)


@app.command()
def template(
    scans: Annotated[list[str], typer.Argument(help="public scans: files, folders, globs or sample sheets")],
    source: Annotated[str, typer.Option(help="whose scans these are, and why they are public")],
    output: Annotated[Path, typer.Option(help="the mesh to write (.ply, .obj, .stl)")] = Path("template.ply"),
    private: Annotated[str | None, typer.Option(help="the cohort's scans, to report copies of them")] = None,
    subject: Annotated[
        str, typer.Option(help="what the scans show, if not faces: patella, tooth/teeth, terrain")
    ] = "face",
):
    """Make a template from public scans: their mean, in three rounds through the chain, some four seconds a scan.

    Example: shapedp template mine/*.ply --source "volunteers who published their scans"
    """
    from shapedp.base.settings.subjects import Subject
    from shapedp.surfaces.chain import mean_template

    for line in mean_template.write(scans, output, source, private, subject):
        print(Subject.from_setting(subject).in_words(line), flush=True)


@app.command()
def settings(
    key: Annotated[str | None, typer.Argument(help="a setting or a section, such as faces.curves")] = None,
    write: Annotated[bool, typer.Option("--write", help="in a checkout: write what is made from it")] = False,
):
    """Print what a setting means, what it may hold, and its default.

    Example: shapedp settings faces.curves
    """
    from shapedp.base.settings import checks, pages

    if write:
        print("\n".join(f"{name} written" for name in pages.write_files(checks.ROOT)) or "all files are up to date")
        return
    lines = list(pages.describe_setting(key))
    if not lines:
        raise ConfigError(f"settings: there is no key '{key}'; `shapedp settings` lists the sections")
    print("\n".join(lines))


@app.command()
def describe(
    file: Annotated[Path | None, typer.Argument(help="an HDF5 artifact, or a release's folder")] = None,
    table: Annotated[
        bool, typer.Option("--table", help="print the table of all artifacts, for docs/artifacts.md")
    ] = False,
):
    """Print what an artifact holds.

    Example: shapedp describe results/release/faces/mean_face/mean_face.h5
    """
    from shapedp.app.cli.other_tools import find_released_file

    if table and file:
        raise typer.BadParameter("give a FILE or --table")
    if not file:
        print("\n".join(list_artifacts() if table else _list_releases("describe")))
        return
    with foreign.refuse_strange(file, AGAIN):
        print("\n".join(describe_file(find_released_file(file))))


def _list_releases(command, suffix=""):
    """Return the command for each release in results/, to show a user who gave it no file what it can be given."""
    paths = sorted(Path("results").glob("release/*/*/*.h5"))
    if not paths:
        raise ConfigError(f"{command}: give a file; nothing is released in results/ yet")
    return [f"shapedp {command} {path}{suffix}" for path in paths]


@app.command()
def plan(
    tau: Annotated[
        tuple[float, float, float] | None,
        typer.Option(help="three numbers: public bounds on x, y and z, in root-area units"),
    ] = None,
    people: Annotated[int, typer.Option("--people", "-n", help="how many people")] = 300,
    mu: Annotated[float, typer.Option(help="total mu")] = 1.0,
    target: Annotated[float | None, typer.Option(help="error you can live with, in mm")] = None,
    size: Annotated[float, typer.Option(help="square root of a face's area, mm, with --tau")] = 144.3,
    mechanism: Annotated[str | None, typer.Option(help="[default: shaped, or matched_joint with --tau]")] = None,
    labs: Annotated[int, typer.Option(min=1, help="laboratories of so many people each")] = 1,
    conspiring: Annotated[int | None, typer.Option(help="of --labs, may conspire; default: half of them")] = None,
    results: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
    config: Annotated[
        Path | None,
        typer.Option(help="kernel and curves [default: as the run left them, or config.yaml; with --tau as shipped]"),
    ] = None,
):
    """Predict the error of a face release from public numbers, or how many faces a target needs.

    After `snakemake plan` the answers come from results/plan, and also say how many people a comparison of two groups
    takes. Before it, or with --tau, they come from bounds in numbers.

    Example: shapedp plan -n 300 --target 0.5
    """
    from shapedp.app.forecast import predictions
    from shapedp.base import settings
    from shapedp.privacy.curves import bounds

    left_settings = results / settings.LAST_RUN_FILE
    if tau is None:
        config = config or (left_settings if left_settings.is_file() else Path("config.yaml"))
    faces = settings.load(config)["faces"] if config else settings.read_default("faces")
    if faces is None:
        raise ConfigError(
            f"{config}: has no section `faces`, and this command plans mean faces; for shapes see "
            "results/private/shapes/forecast.txt"
        )
    learned = predictions.load_learned(results, faces["kernel"]) if tau is None else None
    shape = (faces["curves"]["count"], 3, faces["curves"]["samples"])
    limits = bounds.from_numbers(tau or BUILT_IN, shape[0])
    inputs = learned or predictions.Inputs(shape, size, limits, faces["kernel"])
    if labs > 1:
        print("\n".join(studies.forecast_laboratories(inputs, labs, people, mu, conspiring)))
        return
    print("\n".join(predictions.describe_prediction(inputs, mechanism or inputs.names[0], people, mu, target)))
    if learned:
        print(f"learned from the public reference set: {results}/plan/noise.tsv")
    else:
        print(f"bounds tau = {', '.join(f'{bound:g}' for bound in tau or BUILT_IN)}" + BUILT_IN_WORDS * (tau is None))


@app.command()
def inspect(
    face: Annotated[str | None, typer.Argument(help="id of a face; without one, all are listed")] = None,
    cohort: Annotated[str, typer.Option(help="faces, or reference for the public reference set")] = "faces",
    picture: Annotated[Path | None, typer.Option(help="where the picture goes [default: beside the results]")] = None,
    words_only: Annotated[bool, typer.Option("--words-only", help="do not draw the picture")] = False,
    results: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
    config: Annotated[Path | None, typer.Option(help="settings of the run [default: as the run left them]")] = None,
):
    """Print why a face was accepted or rejected, its figures beside the cohort's, and draw it at every step. Private.

    Example: shapedp inspect face_0003
    """
    from shapedp.base.runs import status
    from shapedp.surfaces.chain import quality

    folder = results / "private" / cohort
    if face is None:
        status.show_table(quality.list_rows(folder))
        return
    from shapedp.base.settings import LAST_RUN_FILE, load_run, subjects

    has_settings = config or (results / LAST_RUN_FILE).is_file()
    subject = subjects.from_settings(load_run(results, config)["faces"] if has_settings else None)
    print("\n".join(map(subject.in_words, quality.describe_scan(face, folder, subject))))
    if words_only:
        return
    from shapedp.base.storage import files
    from shapedp.releases.figures import face_chain, style
    from shapedp.surfaces.chain.step import ChainSettings

    settings = load_run(results, config, "faces")
    scan = face_chain.find_scan(face, cohort, settings, str(config or results / LAST_RUN_FILE))
    picture = picture or folder / "inspect" / f"{face}.png"
    chain_settings = ChainSettings(settings["faces"], results / "private" / "template.h5")
    figure = face_chain.draw_glance(scan, chain_settings)
    if picture.parent == folder / "inspect":
        files.make_private_folder(picture.parent)
    style.save(figure, picture, (picture.suffix[1:],))
    print(f"picture: {picture}")


@app.command("map")
def map_faces(
    landmarks: Annotated[
        Path | None, typer.Option(help="landmarks on template.ply, to be carried to each scan: .csv, .tps, .mrk.json")
    ] = None,
    output: Annotated[Path | None, typer.Option(help="a private folder [default: beside the results]")] = None,
    cohort: Annotated[str, typer.Option(help="faces, or reference for the public reference set")] = "faces",
    results: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
    config: Annotated[Path | None, typer.Option(help="settings of the run [default: as the run left them]")] = None,
):
    """Write each person's mesh with the template's triangles, and the template's landmarks on each scan. Private.

    Example: shapedp map --landmarks points.mrk.json
    """
    from shapedp.app.cli import mapped
    from shapedp.base.settings import load_run

    settings = load_run(results, config, "faces")
    folder = output or results / "private" / cohort / "mapped"
    print("\n".join(mapped.write_meshes(settings, results / "private" / "template.h5", cohort, folder, landmarks)))


@app.command()
def status(
    results: Annotated[Path, typer.Option(help="folder of the results")] = Path("results"),
    config: Annotated[Path | None, typer.Option(help="settings of the run [default: as the run left them]")] = None,
):
    """Print how far a run is, from another terminal, in the words of its own view; then the summary so far.

    Example: shapedp status
    """
    from shapedp.base.runs import status, view
    from shapedp.base.settings import load_run, subjects
    from shapedp.people import populations, samples
    from shapedp.surfaces.chain.steps import RULES
    from shapedp.surfaces.subjects.drawn import cells_of_drawn

    faces = load_run(results, config)["faces"]
    subject = subjects.from_settings(faces)
    cohorts = populations.find(faces, cells_of_drawn).items() if faces else ()
    batches = {cohort: samples.split_batches(people, faces["batch_size"]) for cohort, people in cohorts}
    running = view.read_run_line(results)
    lines = [running] if running else status.describe_progress(batches, RULES, results)
    for line in (*lines, *status.describe_results(results)):
        print(subject.in_words(line))


@app.command()
def export(
    release: Annotated[Path | None, typer.Argument(help="a released .h5 file, or its folder")] = None,
    output: Annotated[
        Path | None,
        typer.Argument(
            help="of a face .ply, .glb, .obj, .stl, .csv or .npz; of landmarks .csv, .tps, .nts, .npz, or in space "
            ".fcsv, .mrk.json; with --as, a folder or an .h5"
        ),
    ] = None,
    tool: Annotated[
        str | None, typer.Option("--as", help="statismo (an .h5 file), morpho, slicermorph or csv (a folder)")
    ] = None,
):
    """Write a release in another format: a mean as one file, or a mean or model as another tool keeps it.

    Example: shapedp export results/release/faces/mean_face/mean_face.h5 mean.csv
    """
    from shapedp.app.cli import models, other_tools

    if release is None:
        print("\n".join(_list_releases("export", " mean.csv")))
        return
    if output is None:
        raise typer.BadParameter("give an output file too, such as mean.csv")
    with foreign.refuse_strange(release, AGAIN):
        if tool is not None:
            print("\n".join(other_tools.export(release, output, tool)))
            return
        models.write_mean(release, output)
        print(f"{output} written")


@app.command()
def sample(
    release: Annotated[Path, typer.Argument(help="folder of a released model, or its .h5 file")],
    count: Annotated[int, typer.Option("--number", "-n", min=1, help="how many faces")] = 100,
    output: Annotated[Path, typer.Option(help="where they go: an .npz, or a folder for a .ply or .csv each")] = SAMPLE,
    seed: Annotated[int | None, typer.Option(help="the same seed draws the same faces")] = None,
):
    """Draw faces or shapes of nobody from a released model; post-processing.

    Example: shapedp sample results/release/faces/model -n 100
    """
    from shapedp.app.cli import models

    with foreign.refuse_strange(release, AGAIN):
        print("\n".join(map(models.read_subject(release).in_words, models.write_samples(release, count, output, seed))))


@app.command(context_settings=ANY_OPTION)
def predict(
    context: typer.Context,
    release: Annotated[Path, typer.Argument(help="folder of a released model or growth, or its .h5 file")],
    output: Annotated[
        Path | None,
        typer.Option(
            help="where it goes: .ply, .glb, .obj or .stl; of shapes, .csv or .tps [default: predicted.ply or .csv]"
        ),
    ] = None,
):
    """Write the mean that a released model or growth gives for covariates, and how sure it is; post-processing.

    Example: shapedp predict results/release/faces/model --age 40 --sex f
    """
    from shapedp.app.cli import models

    covariates = models.parse_covariates(context.args)
    with foreign.refuse_strange(release, AGAIN):
        print(
            "\n".join(map(models.read_subject(release).in_words, models.write_prediction(release, covariates, output)))
        )


@app.command(context_settings=ANY_OPTION)
def warp(
    context: typer.Context,
    release: Annotated[Path, typer.Argument(help="a released mean shape or shape model in space: its folder or .h5")],
    surface: Annotated[Path, typer.Argument(help="the mesh of one specimen, which goes along")],
    landmarks: Annotated[Path, typer.Argument(help="the same landmarks on that mesh")],
    output: Annotated[Path, typer.Option(help="where it goes: .ply, .glb, .obj or .stl")] = Path("warped.ply"),
):
    """Bend the mesh of a specimen to a released mean shape, or to a model's mean at covariates; post-processing.

    Example: shapedp warp results/release/shapes/model skull.ply skull.mrk.json --sex f
    """
    from shapedp.app.cli import models

    covariates = models.parse_covariates(context.args)
    with foreign.refuse_strange(f"{release}, {surface}, {landmarks}", AGAIN):
        print("\n".join(models.write_warped(release, covariates, surface, landmarks, output)))


@app.command()
def compare(
    releases: Annotated[list[Path], typer.Argument(help="released means or models of several groups, or changes")],
    output: Annotated[Path, typer.Option(help="where the map goes: a table (.csv) or a page (.html)")] = COMPARED,
):
    """Map where means or changes differ beyond noise and chance, and the power to see it; post-processing.

    Given three models or more, one test first says whether they differ at all.

    Example: shapedp compare results/release/faces/women results/release/faces/men
    """
    from shapedp.app.cli import models

    if len(releases) < 2:
        raise ConfigError("compare: needs two or more releases; name another")
    with foreign.refuse_strange(", ".join(map(str, releases)), AGAIN):
        print("\n".join(map(models.read_subject(releases[0]).in_words, models.write_comparison(releases, output))))


@app.command(context_settings=ANY_OPTION)
def assess(
    context: typer.Context,
    scan: Annotated[Path, typer.Argument(help="a scan of one face, or a landmark file of one specimen")],
    model: Annotated[Path, typer.Argument(help="a released model or growth: its folder or file")],
    template: Annotated[Path, typer.Option(help="the public template of the run that made the model")] = TEMPLATE,
    config: Annotated[
        Path | None, typer.Option(help="settings of that run [default: as it left them beside the template]")
    ] = None,
    output: Annotated[Path, typer.Option(help="folder of the map, the surface and the page")] = Path("assessed"),
    side: Annotated[
        Literal["left", "right"] | None,
        typer.Option(help="of landmarks: which side the specimen is of; a right one is mirrored, as a sheet's is"),
    ] = None,
):
    """Set one face or specimen beside a released model or growth: where it is unusual, and how much. All of it stays on
    this computer.

    Example: shapedp assess patient.ply results/release/faces/model --age 40 --sex f
    """
    from shapedp.app.cli import assessing, models
    from shapedp.base import settings

    covariates = models.parse_covariates(context.args)
    with foreign.refuse_strange(model, AGAIN):
        is_of_landmarks = assessing.is_shape_model(model)
    if side and not is_of_landmarks:
        raise typer.BadParameter("--side is for landmarks; leave it out for a scan")
    faces = None if is_of_landmarks else settings.load_run(template.parent.parent, config, "faces")["faces"]
    with foreign.refuse_strange(f"{model}, {scan}", AGAIN):
        if is_of_landmarks:
            lines = assessing.assess_landmarks(scan, model, covariates, output, side or "")
        else:
            lines = assessing.assess(scan, model, template, faces, covariates, output)
        print("\n".join(lines))


@app.command()
def board(
    release: Annotated[Path, typer.Argument(help="a release's folder")],
    output: Annotated[Path, typer.Argument(help="the page to write (.html)")] = Path("for_the_board.html"),
):
    """Write the sheet for whoever must say yes to a release: one printed page, from its statement alone.

    Example: shapedp board results/release/faces/mean_face for_the_board.html
    """
    from shapedp.app.cli import beside as release_extras

    with foreign.refuse_strange(release, AGAIN):
        print("\n".join(release_extras.write_board_sheet(release, output)))


@app.command()
def tables(
    release: Annotated[Path, typer.Argument(help="a released model, growth or mean face: its folder or .h5 file")],
    output: Annotated[Path, typer.Argument(help="a folder for the tables and tables.html")] = Path("tables"),
    template: Annotated[Path, typer.Option(help="the public template of the run that made the release")] = TEMPLATE,
):
    """Write the tables that laboratories publish with a mean, and one page that prints: distances and angles by name at
    levels of the covariates, what each covariate explains, groups and disparity; post-processing.

    Example: shapedp tables results/release/faces/model tables
    """
    from shapedp.app.cli import beside as release_extras

    with foreign.refuse_strange(f"{release}, {template}", AGAIN):
        print("\n".join(release_extras.write_tables(release, output, template)))


@app.command()
def panel(
    model: Annotated[Path, typer.Argument(help="a released model: its folder or .h5 file")],
    sizes: Annotated[int, typer.Option(help="how many forms")] = 5,
    by: Annotated[
        str | None,
        typer.Option(help="two measures, such as face_height,biocular_width [default: the two widest modes]"),
    ] = None,
    output: Annotated[Path, typer.Option(help="a folder for the forms and panel.csv")] = Path("panel"),
):
    """Write a size panel: a few forms, each with the share of people that it serves; post-processing.

    Example: shapedp panel results/release/faces/model --sizes 5 --by face_height,biocular_width
    """
    from shapedp.app.cli import beside as release_extras

    with foreign.refuse_strange(model, AGAIN):
        print("\n".join(release_extras.write_size_panel(model, sizes, by, output)))


def describe_file(path):
    """Yield what one file holds, for `shapedp describe`: kind, fields with unit and meaning, records, provenance."""
    from shapedp.base import artifacts
    from shapedp.releases import kinds

    name, version, digest = artifacts.header(path)
    kinds_by_name = {
        released_kind.artifact.name: released_kind.artifact for released_kind in kinds.KINDS
    } | artifacts.KINDS
    if name not in kinds_by_name:
        raise ArtifactError(f"{path}: holds '{name}', which this shapedp does not know; use the one that wrote it")
    kind = kinds_by_name[name]
    with artifacts.reader(path, kind) as source:
        yield f"{path}: {kind.name}, version {version}: {kind.meaning}"
        yield f"digest {digest}"
        inputs = foreign.make_printable(", ".join(source.provenance["inputs"])) or "no artifact"
        yield f"written by shapedp {foreign.make_printable(source.provenance['shapedp'])} from {inputs}"
        if kind.records:
            records = list(source)
            rejected = [record for record in records if record.rejected]
            yield f"{len(records)} records, {len(rejected)} rejected"
            for record in rejected:
                yield f"  {record.name}: rejected in {record.stage} ({record.code}): {record.reason}"
        for field, declared in source.kind.fields.items():
            yield (
                f"  {field:20s} {declared.dtype:5s} {_format_axes(declared):16s} {declared.unit:20s} {declared.meaning}"
            )


def _format_axes(field):
    return "(" + ", ".join(map(str, field.shape)) + ")"


def list_artifacts():
    """Yield all artifacts as a Markdown table, for docs/artifacts.md."""
    from shapedp.base import artifacts

    yield "| artifact | holds | fields |"
    yield "| --- | --- | --- |"
    for kind in artifacts.KINDS.values():
        per_face = " (each face)" if kind.records else ""
        fields = ", ".join(f"`{name}` {_format_axes(field)}" for name, field in kind.fields.items())
        yield f"| `{kind.name}` v{kind.version} | {kind.meaning}{per_face} | {fields} |"


def _print_fault(fault):
    """Print a fault in one line; names of files and what they hold may bear signs that move a terminal."""
    print(f"shapedp: {''.join(sign if sign.isprintable() else '?' for sign in fault)}", file=sys.stderr)


def main():
    """Run the command; a mendable error is one line on standard error and an exit code that says its kind."""
    # A terminal that lacks a letter gets its number: what cannot be printed is no fault of a file.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            return _run(
                [DECIMAL_COMMA.sub(r"\1.\2", word) if DECIMAL_COMMA.fullmatch(word) else word for word in sys.argv[1:]]
            )
        finally:
            # Here, where a reader that went away is caught, and not when Python ends.
            sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough, as in `| head`.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        _print_fault(f"{error.filename}: {error.strerror}" if error.filename else str(error))
        return 1
    except ShapedpError as error:
        faults = (" ".join(line.split()) for line in str(error).splitlines())
        _print_fault("; ".join(filter(None, faults)))
        return next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1)


def _run(arguments):
    """Run the command with these arguments; return its exit code.

    A wrong usage is one line, as every other error is.
    """
    try:
        return app(arguments, prog_name="shapedp", standalone_mode=False) or 0
    except typer.Abort:
        return 1
    except UsageError as error:
        words = error.format_message()
        # That is the help itself, of a command that takes no call without arguments.
        if "\n" in words:
            print(words, file=sys.stderr)
        else:
            command = error.ctx.command_path if error.ctx else "shapedp"
            _print_fault(f"{words.rstrip('.')}; `{command} --help` says what it takes")
        return error.exit_code
