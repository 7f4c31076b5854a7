"""The commands on released models: `shapedp sample`, `predict`, `compare`; all are post-processing."""

from pathlib import Path
from typing import Annotated

import typer

ANY_OPTION = {"allow_extra_args": True, "ignore_unknown_options": True}  # `predict` takes the model's covariates


def sample(
    release: Annotated[Path, typer.Argument(help="folder of a released model, or its .h5 file")],
    count: Annotated[int, typer.Option("--number", "-n", min=1, help="how many faces")] = 100,
    output: Annotated[Path, typer.Option(help="where they go (.npz)")] = Path("sample.npz"),
    seed: Annotated[int | None, typer.Option(help="the same seed draws the same faces")] = None,
):
    """Draw faces or shapes of nobody from a released model; post-processing.

    Example: shapedp sample results/release/faces/model -n 100
    """
    from shapedp import model_commands

    print("\n".join(model_commands.sample(release, count, output, seed)))


def predict(
    context: typer.Context,
    release: Annotated[Path, typer.Argument(help="folder of a released model, or its .h5 file")],
    output: Annotated[
        Path, typer.Option(help="where it goes: .ply, .glb, .obj or .stl; of shapes, .csv or .tps")
    ] = Path("predicted.ply"),
):
    """Write the mean that a released model gives for covariates, and how sure it is; post-processing.

    Example: shapedp predict results/release/faces/model --age 40 --sex f
    """
    from shapedp import model_commands

    print("\n".join(model_commands.predict(release, model_commands.pairs(context.args), output)))


def compare(
    one: Annotated[Path, typer.Argument(help="a released model")],
    other: Annotated[Path, typer.Argument(help="another one, of other people")],
    output: Annotated[Path, typer.Option(help="where the map goes: a table (.csv) or a page (.html)")] = Path(
        "compared.csv"
    ),
):
    """Map where the means of two models differ beyond noise and chance, and the power to see it; post-processing.

    Example: shapedp compare results/release/faces/women results/release/faces/men
    """
    from shapedp import model_commands

    print("\n".join(model_commands.compare(one, other, output)))


def add_to(app):
    """Make them commands of the application."""
    app.command()(sample)
    app.command(context_settings=ANY_OPTION)(predict)
    app.command()(compare)
