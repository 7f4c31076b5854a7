"""The commands `shapedp lab ...` and `shapedp study ...`: several laboratories make one release by files alone."""

from pathlib import Path
from typing import Annotated

import typer

from shapedp.base.errors import ConfigError

lab_app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Make this laboratory's key.")
study_app = typer.Typer(rich_markup_mode=None, no_args_is_help=True, help="Make one release of several laboratories.")
Keys = Annotated[Path, typer.Option(help="folder of this laboratory's keys, never cleaned")]
Lab = Annotated[str, typer.Option(help="this laboratory's name in the study")]
StudyFile = Annotated[Path, typer.Argument(help="study.yaml, or the folder that holds it")]
Attempt = Annotated[int, typer.Option(min=1, help="1; another number where a laboratory dropped out")]
Letters = Annotated[Path, typer.Option(help="folder of the letters, one subfolder a study")]
Config = Annotated[Path, typer.Option(help="settings of this laboratory's run")]
KEYS, LETTERS, CONFIG = Path("data/keys"), Path("results/study"), Path("config.yaml")


@lab_app.command()
def key(name: Annotated[str, typer.Argument(help="lower-case name of the laboratory")], keys: Keys = KEYS):
    """Make this laboratory's key, once, and print what the study lists and the fingerprint to read over the telephone.

    Example: shapedp lab key bergen
    """
    from shapedp.laboratories import letters

    existing = keys / f"{name}.key"
    public = letters.derive_public(letters.load_key(keys, name)) if existing.exists() else letters.make_key(keys, name)
    print(f"{name}: {public}")
    print(f"fingerprint, to be compared by voice: {letters.format_fingerprint(public)}")
    print(f"the secret key lies in {existing}; back it up, and show it to nobody")


@study_app.command()
def new(
    folder: Annotated[Path, typer.Argument(help="a new folder for the study's files")],
    template: Annotated[Path, typer.Option(help="template.h5 of a run with the study's settings")],
    variation: Annotated[Path, typer.Option(help="variation.h5 of the same run")],
    mu: Annotated[float, typer.Option(help="mu of the release against the laboratories that may conspire")],
    lab: Annotated[list[str] | None, typer.Option(help="NAME:PUBLIC_KEY:PEOPLE of a laboratory; give each")] = None,
    planned_for: Annotated[
        int | None, typer.Option(help="instead of --lab: a plan for releases to be pooled, of so many people in all")
    ] = None,
    name: Annotated[str, typer.Option(help="name of the release")] = "mean_face",
    conspiring: Annotated[int | None, typer.Option(help="how many may conspire; default: half of them")] = None,
    overlap: Annotated[str, typer.Option(help="none: nobody was scanned in two laboratories | possible")] = "none",
    config: Config = CONFIG,
):
    """Fix what the laboratories agree on: who they are, release, settings, template, how public people vary.

    Example: shapedp study new study --lab bergen:KEY:40 --lab graz:KEY:40 --template results/private/template.h5
    --variation results/private/reference/variation.h5 --mu 1
    """
    from shapedp.base import settings
    from shapedp.laboratories import study

    run_settings = settings.load(config)
    if bool(lab) == (planned_for is not None):
        raise ConfigError(
            "study new: give --lab once for each laboratory, to release one masked sum, or "
            "--planned-for, to pool releases later"
        )
    labs = dict(_parse_laboratory(laboratory) for laboratory in lab or [])
    release = {"name": name, "mechanism": "shaped", "budget": {"mu_total": mu}}
    agreement = {
        "study": folder.name,
        "labs": labs,
        **({} if planned_for is None else {"planned_for": planned_for}),
        "conspiring": len(labs) // 2 if conspiring is None else conspiring,
        "overlap": overlap,
        "release": release if planned_for is None else {**release, "planned_for": planned_for},
        "settings": {key: run_settings["faces"][key] for key in study.AGREED},
        "sources": {
            key: run_settings["privacy"]["sources"].get(key, "agreed on by the laboratories") for key in study.SOURCES
        },
        "statement": run_settings["privacy"]["statement"],
    }
    study_files = study.write(folder, agreement, template, variation)
    if study_files.is_plan:
        print(
            f"{folder}: a plan for {planned_for} people; send the folder to whoever will release a part, with the entry"
        )
        print(f"  {study_files.release}")
    else:
        people = sum(laboratory["people"] for laboratory in labs.values())
        print(f"{folder}: {len(labs)} laboratories, {people} people expected; send the folder to each of them")
    print(f"digest of the study, to be compared by voice: {study_files.digest[:32]}")


@study_app.command()
def join(
    file: StudyFile,
    lab: Lab,
    people: Annotated[int, typer.Option(min=1, help="of this laboratory, public")],
    attempt: Attempt = 1,
    keys: Keys = KEYS,
    letters: Letters = LETTERS,
):
    """Say hello for the round that the study is in: a file to send to all others. Spends nothing.

    Example: shapedp study join study --lab bergen --people 40
    """
    from shapedp import __version__
    from shapedp.laboratories import joint, rounds, study

    agreed_study = study.load(file)
    this = joint.find_current_round(rounds.Round(agreed_study, letters / agreed_study.name, attempt, 0))
    if this is None:
        raise ConfigError(f"{agreed_study.name}: all parts of attempt {attempt} are there; run `shapedp study combine`")
    print(f"{rounds.say_hello(this, lab, people, keys, __version__)}: send it to the other laboratories")


@study_app.command()
def contribute(
    config: Config = CONFIG,
    keys: Keys = KEYS,
    results: Annotated[Path, typer.Option(help="folder of this laboratory's run")] = Path("results"),
):
    """Draw this laboratory's share of the noise on its masked sums, charged to its ledger first: a file to send.

    The settings name the study (faces.study). `snakemake contribute_part` does the same after the run that it needs.

    Example: shapedp study contribute --config my.yaml
    """
    from shapedp.base import settings
    from shapedp.laboratories import contributing

    run_settings = settings.load(config)
    if not run_settings["faces"]:
        raise ConfigError(
            f"{config}: has no section `faces`, and a study is made of faces; name settings that have one"
        )
    for line in contributing.send(run_settings["faces"], run_settings["privacy"], results, keys):
        print(line)


@study_app.command()
def combine(
    file: StudyFile,
    attempt: Attempt = 1,
    letters: Letters = LETTERS,
    output: Annotated[Path, typer.Option(help="folder of the releases of faces")] = Path("results/release/faces"),
):
    """Sum all parts: the release, the same wherever it is combined. Needs no scan, no ledger and no secret.

    Example: shapedp study combine study
    """
    from shapedp.laboratories import joint, rounds, study

    agreed_study = study.load(file)
    folder = agreed_study.locate_folder_in(output)
    _, labs = joint.combine(rounds.Round(agreed_study, letters / agreed_study.name, attempt, 0), folder)
    print(f"{folder}: released together by {', '.join(labs)}")


@study_app.command()
def check(
    file: StudyFile,
    lab: Lab,
    attempt: Attempt = 1,
    letters: Letters = LETTERS,
    config: Config = CONFIG,
    output: Annotated[Path, typer.Option(help="folder of the releases of faces")] = Path("results/release/faces"),
):
    """See that a joint release is what the letters give, and that this laboratory's own part is in it.

    Example: shapedp study check study --lab bergen --config my.yaml
    """
    from shapedp.base import settings
    from shapedp.laboratories import joint, rounds, study
    from shapedp.ledger.ledger_folder import Ledger

    agreed_study, privacy = study.load(file), settings.load(config)["privacy"]
    folder = agreed_study.locate_folder_in(output)
    first = rounds.Round(agreed_study, letters / agreed_study.name, attempt, 0)
    joint.check(first, lab, Ledger(privacy["ledger"]), privacy["population"]["faces"], folder)
    print(f"{folder}: agrees with the letters, and includes the part of laboratory {lab}")


def pool(
    releases: Annotated[list[Path], typer.Argument(help="folders of the releases")],
    name: Annotated[str, typer.Option(help="name of the pooled release")] = "pooled",
    study: Annotated[Path | None, typer.Option(help="the study plan, whose template and variation they name")] = None,
    template: Annotated[Path | None, typer.Option(help="template.h5, without --study")] = None,
    variation: Annotated[Path | None, typer.Option(help="variation.h5, without --study")] = None,
    weights: Annotated[str, typer.Option(help="people | precision: by noise and chance")] = "people",
    disjoint: Annotated[bool, typer.Option("--disjoint", help="declare that nobody is in two of the releases")] = False,
    disjoint_populations: Annotated[
        bool,
        typer.Option("--disjoint-populations", help="declare it of releases that name different populations alone"),
    ] = False,
    people: Annotated[int | None, typer.Option(min=1, help="in all releases together, where some are in two")] = None,
    results: Annotated[Path, typer.Option(help="folder of this laboratory's run")] = Path("results"),
    ledger: Annotated[Path | None, typer.Option(help="of this laboratory: tells whether records count twice")] = None,
):
    """Average releases that share template, public set and axes. This spends nothing.

    What they cost adds up for who may be in several of them: anybody, unless it is declared that nobody is.

    Example: shapedp pool lab_a/mean_face lab_b/mean_face --disjoint --study plan --name pooled
    """
    from shapedp.base.settings import checks
    from shapedp.base.storage import files, foreign
    from shapedp.laboratories import pooling
    from shapedp.laboratories import study as studies
    from shapedp.laboratories.pools.sources import BY_PEOPLE, BY_PRECISION
    from shapedp.releases import allow_list, publishing
    from shapedp.releases.figures import release_files
    from shapedp.releases.statement import forms
    from shapedp.releases.viewer import board_page, release_page

    if weights not in (BY_PEOPLE, BY_PRECISION):
        raise ConfigError(f"--weights {weights}: must be {BY_PEOPLE} or {BY_PRECISION}")
    checks.check_name(name, "--name")
    agreed = studies.load(study) if study else None
    public = (agreed.template, agreed.variation) if agreed else (template, variation)
    if disjoint and disjoint_populations:
        raise ConfigError("--disjoint declares more than --disjoint-populations; give the one that is true")
    overlap = pooling.ONE_POPULATION if disjoint_populations else pooling.ANYBODY
    pooling_plan = pooling.PoolingPlan(
        tuple(map(str, releases)),
        *(str(path) if path else None for path in public),
        weights,
        name,
        pooling.NOBODY if disjoint else overlap,
        people,
    )
    # Releases of others are strangers' files: what they hold ends in one line, not in a traceback.
    with foreign.refuse_strange(", ".join(map(str, releases)), allow_list.AGAIN):
        contents = pooling_plan.pool()
        branch = "shapes" if contents.keys() & set(pooling.SHAPE_FILES) else "faces"
        folder = results / "release" / branch / name
        publishing.show(contents, folder)
        release_files.draw(folder, branch, folder)
        statement = allow_list.check_statement(folder)
        for file, text in forms.write_forms(statement, name).items():
            files.write_text(folder / file, text)
        files.write_text(folder / board_page.BOARD, board_page.render_page(statement))
        files.write_text(folder / release_page.PAGE, release_page.render_page(folder))
        allow_list.check_folder(folder, branch, release_page.render_page)
        pooling_plan.write(results / pooling.RECORDS / branch / f"{name}.json")
    for line in [*pooling.describe_pooled(folder), *(pooling.describe_shared(ledger, pooling_plan) if ledger else [])]:
        print(line)


def forecast_laboratories(inputs, labs, people, mu, conspiring):
    """Yield how a mean of several laboratories would err, for them to choose: alone, pooled, masked or in one place.

    Beside it stands sampling.

    Parameters
    ----------
    inputs : predictions.Inputs
        Public numbers, with what public people differ by.
    labs, people : int
        Laboratories, and people of each.
    mu : float
        Of each person.
    conspiring : int
        Laboratories that may conspire; None: half of them.
    """
    from shapedp.app.forecast import predictions
    from shapedp.laboratories.study import find_mu_to_world

    if inputs.variation is None:
        raise ConfigError("plan --labs: how public people differ has not been learned yet; run `snakemake plan` first")
    conspiring = labs // 2 if conspiring is None else conspiring
    mu_to_world, everybody = find_mu_to_world(mu, labs, conspiring), labs * people
    predictions_by_way = {
        f"alone: one laboratory of {people}": inputs.predict("shaped", people, mu),
        "pooled: each releases by itself": predictions.predict(inputs.variation, everybody, mu, inputs.scale, labs),
        f"masked: one sum, {conspiring} may conspire": inputs.predict("shaped", everybody, mu_to_world),
        "all in one place": inputs.predict("shaped", everybody, mu),
    }
    yield f"{labs} laboratories of {people} people, mu = {mu:g}; rms mm at a point, from the population's mean"
    yield f"{'':42s} {'noise':>7s} {'bias':>7s} {'total':>7s} {'/sampling':>10s}"
    sampling = predictions_by_way["all in one place"].sampling
    for words, prediction in predictions_by_way.items():
        total = (prediction.error**2 + prediction.sampling**2) ** 0.5
        yield f"{words:42s} {prediction.noise:7.3g} {prediction.bias:7.3g} {total:7.3g} {total / sampling:10.3g}"
    yield f"{f'chance in who takes part, of {everybody}':42s} {'':7s} {'':7s} {sampling:7.3g} {1:10.3g}"


def _parse_laboratory(text):
    """Return (name, {"key", "people"}) of an option NAME:PUBLIC_KEY:PEOPLE that lists a laboratory of a new study."""
    parts = text.split(":")
    if len(parts) != 3 or not parts[2].isdigit():
        raise ConfigError(f"--lab {text}: give NAME:PUBLIC_KEY:PEOPLE, as `shapedp lab key` prints name and key")
    return parts[0], {"key": parts[1], "people": int(parts[2])}
