"""The commands `shapedp ledger ...`: show what was spent, raise a cap, check, restore what was lost."""

from pathlib import Path
from typing import Annotated

import typer
import typer.core

from shapedp.base.errors import ArtifactError, ConfigError


class Commands(typer.core.TyperGroup):
    """`shapedp ledger demo_faces` stands for `shapedp ledger show demo_faces`."""

    def resolve_command(self, ctx, args):
        """Return the command that the words name, where a word that is no command stands for a population to show."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            args = ["show", *args]
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=Commands, rich_markup_mode=None)
Population = Annotated[str, typer.Argument(help="name of the population, e.g. demo_faces")]
Folder = Annotated[Path, typer.Option(help="folder of the ledgers (privacy.ledger)")]
Reason = Annotated[str, typer.Option(help="why, in one line; every later statement prints it")]
FOLDER = Path("data/ledger")


@app.callback(invoke_without_command=True)
def populations(ctx: typer.Context, folder: Folder = FOLDER):
    """Show what was spent on a population, raise its cap, check what was published against it.

    Example: shapedp ledger demo_faces
    """
    from shapedp.ledger.ledger_folder import Ledger

    if ctx.invoked_subcommand and folder != FOLDER:
        raise typer.BadParameter(f"give --folder after the command: shapedp ledger {ctx.invoked_subcommand} ...")
    if ctx.invoked_subcommand is None:
        names = Ledger(folder).list_populations()
        if not names:
            raise ConfigError(f"ledger: '{folder}' holds no ledger yet; the first release begins one")
        for name in names:
            print(f"{name}: mu = {Ledger(folder).sum_spent(name).mu:.6g} spent; shapedp ledger {name}")


@app.command()
def show(population: Population, folder: Folder = FOLDER):
    """Print what has been spent on a population: one line a release, with the totals after it; then the cap.

    Example: shapedp ledger show demo_faces
    """
    from shapedp.base.runs import status
    from shapedp.ledger.ledger_folder import Ledger

    rows = Ledger(folder).list_releases(population)
    if not rows:
        raise ConfigError(f"ledger: '{folder}' holds no release of '{population}'")
    status.show_table(rows)
    for line in Ledger(folder).list_acts(population):
        print(f"# {line}")


@app.command("raise")
def raise_cap(
    population: Population,
    reason: Reason,
    mu_total: Annotated[float | None, typer.Option(help="the new cap on mu over all releases")] = None,
    epsilon: Annotated[float | None, typer.Option(help="the new cap on epsilon over the pure releases")] = None,
    folder: Folder = FOLDER,
):
    """Raise the most that may ever be spent on a population; the people concerned should have agreed.

    Example: shapedp ledger raise demo_faces --mu-total 15 --reason "the people agreed to a second study"
    """
    from shapedp.ledger.ledger_folder import Ledger
    from shapedp.ledger.spending import Cap

    if mu_total is None and epsilon is None:
        raise typer.BadParameter("give --mu-total or --epsilon")
    event = Ledger(folder).raise_cap(population, Cap(mu_total, epsilon), reason)
    now = Cap(**event["cap"]).words()
    print(f"{population}: cap {now}; set privacy.cap to it, too. Every later statement shows this and the reason")


@app.command()
def check(
    population: Population,
    results: Annotated[Path, typer.Option(help="folder that holds release/<branch>/<name>/")] = Path("results"),
    folder: Folder = FOLDER,
):
    """Compare the statements in the release folder with the ledger, and say if the ledger was changed or wound back.

    Example: shapedp ledger check demo_faces
    """
    from shapedp.ledger import ledger_folder, restoring
    from shapedp.ledger.ledger_folder import Ledger

    if population not in Ledger(folder).list_populations():
        raise ConfigError(
            f"ledger: '{folder}' holds no ledger of '{population}'; `shapedp ledger` lists those it holds"
        )
    faults = ledger_folder.check_published(Ledger(folder), population, restoring.read_published(results / "release"))
    for path, fault in faults:
        print(f"{path.parent}: {fault or 'as recorded'}")
    wrong = sum(bool(fault) for _, fault in faults)
    if wrong:
        raise ArtifactError(
            f"{folder / population}.jsonl: {wrong} of {len(faults)} published statement(s) do not agree with it; "
            "restore the ledger and its folder from a backup before anything else is released, or, where lines are "
            f"lost, enter what the statements say: shapedp ledger restore {population} --from {results / 'release'}"
        )
    print(f"{len(faults)} statement(s) of {population} agree with its ledger")


@app.command()
def restore(
    population: Population,
    source: Annotated[Path, typer.Option("--from", help="folder that holds the released folders")],
    folder: Folder = FOLDER,
):
    """Enter what published statements say of releases that a lost or older ledger lacks. A backup is better.

    What has no statement, such as a part of a study, is entered from the note of it in the run's private folder beside
    the releases; where that is gone, too, it stays unknown. The same command again enters nothing.

    Example: shapedp ledger restore demo_faces --from results/release
    """
    from shapedp.ledger import restoring
    from shapedp.ledger.ledger_folder import Ledger
    from shapedp.releases import allow_list

    if not source.is_dir():
        raise ConfigError(
            f"{source}: is not a folder; give the one that holds the released folders, e.g. results/release"
        )
    statements = restoring.select_heads(restoring.read_published(source), population)
    if lone := [path for path in statements if not path.with_suffix(".md").is_file()]:
        raise ArtifactError(
            f"{lone[0]}: {lone[0].stem}.md is missing beside it; give whole folders, as they were released"
        )
    stated = {path: allow_list.check_statement(path.parent) for path in statements}
    with Ledger(folder).open_book(population) as book:
        lines = restoring.restore(book, stated, restoring.read_receipt(source, population))
    for line in lines:
        print(line)
    spent = Ledger(folder).sum_spent(population)
    print(f"{population}: {len(lines)} line(s) entered; mu = {spent.mu:.6g} spent in all")
