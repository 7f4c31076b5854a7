"""Put the page of a release together from the other files of its folder, and from nothing else."""

import json
from html import escape
from pathlib import Path
from string import Template

from shapedp import __version__
from shapedp.page import charts, faces, files, models, shape_models, shapes, words
from shapedp.page.view import asset
from shapedp.releases import face_model, shape_model, strengths

BRANCHES = {"faces": faces, "shapes": shapes}
MODELS = {face_model.ARTIFACT: models, shape_model.ARTIFACT: shape_models}


def page_of(folder):
    """The page of the release folder `<branch>/<name>`, as HTML text: the same files give the same page."""
    folder = Path(folder)
    statement = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
    text = (folder / "statement.md").read_text(encoding="utf-8")
    name = statement["release"]["branch"]
    found = [one for artifact, one in MODELS.items() if (folder / artifact).is_file()]
    branch = found[0] if found else BRANCHES[name]
    view = branch.view(branch.read(folder), (folder / "preview.png").read_bytes())
    drawn = charts.of_guarantee(statement["guarantee"])
    beside = files.section(folder, branch.READING, statement["formally_private"])
    return page(folder.name, view, statement, text, drawn, beside)


def page(name, view, statement, statement_text, drawn, beside):
    """The page of a release, as HTML text.

    name : of the release; view : view.View; statement, statement_text : the statement and its words in Markdown
    drawn : (SVG, caption) of each chart; beside : HTML about the other files
    """
    verdict_line, style = verdict(statement)
    return Template(asset("page.html")).substitute(
        version=__version__,
        title=f"{view.title}: {escape(name)}",
        style=asset("page.css"),
        verdict_class=style,
        verdict=verdict_line,
        verdict_words=escape(statement["summary"]),
        view=view.section,
        statement=words.html_of(statement_text, below=1),
        files=beside,
        charts="\n".join(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>" for svg, caption in drawn),
        settings="\n".join(_rows(statement["settings"])),
        citation=_citation(name, view.method),
        data=json.dumps(view.data),
        scripts="\n".join(f"<script>{script}</script>" for script in view.scripts),
    )


def verdict(statement):
    """(words, style class) of the line on top: how strong the guarantee is belongs to both."""
    if statement["formally_private"]:
        label, meaning = strengths.of(statement["guarantee"])
        told = f"Formally private, {label}: at worst, an opponent who knows all else is {meaning}."
        return told, label.replace(" ", "-")
    return "NOT formally private.", "fails"


def _rows(settings, prefix=""):
    """Table rows of nested settings: one row a value, the path of its key before it."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _rows(value, f"{prefix}{key}.")
        else:
            shown = value if isinstance(value, str) else json.dumps(value)
            yield f'<tr><th scope="row">{escape(prefix + key)}</th><td>{escape(shown)}</td></tr>'


def _citation(name, method):
    return (
        "Cite the data by the publication that this page came with, the release by its name "
        f"(<code>{escape(name)}</code>), and the software as shapedp {__version__}. The method is that of {method}, "
        "with the mechanism named in the settings."
    )
