"""Pages about one release, all releases of a folder, or two that are compared, each put together from the files of
release folders and from nothing else, so that it may be published with them.
"""

import json
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
import scipy

from shapedp.base.settings import subjects
from shapedp.privacy.accounting import cost
from shapedp.releases import kinds
from shapedp.releases.statement import guarantees, statement_text
from shapedp.releases.viewer.charts import Axis, draw_chart
from shapedp.releases.viewer.view import embed_json, encode_picture, make_document, put_in_words_of_subject, to_html

# The least delta that is drawn.
LEAST_DELTA = 1e-12
POWERS = {-12: "10⁻¹²", -9: "10⁻⁹", -6: "10⁻⁶", -3: "10⁻³", 0: "1"}
TRADE_OFF_CAPTION = (
    "Someone who knows everybody else in the study tests whether your scan or another was used. No test can get below "
    "the curve; on the dashed line it is no better than a coin."
)
DELTA_CAPTION = "The curve that is read as (epsilon, delta); lower is stronger."


def draw_trade_off(mu=None, epsilon=None):
    """Return a chart of what a guarantee leaves an opponent: the smallest miss rate against the false alarm rate.

    It is of any test for one person.

    Parameters
    ----------
    mu : float, optional
        Of a mu-GDP release.
    epsilon : float, optional
        Of an epsilon-DP release; one of the two is given.
    """
    alarm = np.linspace(0, 1, 201)
    if mu is not None:
        miss = scipy.special.ndtr(-scipy.special.ndtri(alarm) - mu)
    else:
        miss = np.maximum(0, np.maximum(1 - np.exp(epsilon) * alarm, np.exp(-epsilon) * (1 - alarm)))
    ticks = [(value, f"{value:.0%}") for value in (0, 0.25, 0.5, 0.75, 1)]
    strength = f"mu = {mu:.3g}" if mu is not None else f"epsilon = {epsilon:.3g}"
    return draw_chart(
        "Could anyone tell that you took part?",
        f"Smallest rate of misses that any test can reach at each rate of false alarms, for {strength}; "
        "the diagonal is guessing.",
        Axis("false alarms (it was somebody else)", ticks),
        Axis("misses (it was you)", ticks),
        [(alarm, 1 - alarm, "guess", "guessing"), (alarm, miss, "curve", "best test")],
    )


def draw_epsilon_delta(mu):
    """Return a chart of the (epsilon, delta) that mu-GDP gives, for readers who think in these; six ticks at most.

    It is on a logarithmic scale down to LEAST_DELTA.
    """
    top = cost.gdp_epsilon(mu, LEAST_DELTA)
    rough = max(top, LEAST_DELTA) / 5
    power = 10.0 ** np.floor(np.log10(rough))
    step = next(power * digit for digit in (1, 2, 5, 10) if power * digit >= rough)
    ticks = [(step * at, f"{step * at:.3g}") for at in range(int(np.ceil(top / step)) + 1)]
    epsilons = np.linspace(0, ticks[-1][0], 201)
    deltas = np.array([cost.gdp_delta(mu, epsilon) for epsilon in epsilons])
    drawn = deltas >= LEAST_DELTA
    return draw_chart(
        "The same guarantee as (epsilon, delta)",
        "For every epsilon, the smallest delta with which the release is (epsilon, delta)-differentially private.",
        Axis("epsilon", ticks),
        Axis("delta", list(POWERS.items())),
        [(epsilons[drawn], np.log10(deltas[drawn]), "curve", "")],
    )


PAGE = "index.html"
HOLDS = {
    "statement.md": "the statement of privacy, in words",
    "statement.json": "the same for programs, with all settings",
    "nist.md": "the questions that NIST SP 800-226 asks of a guarantee, answered",
    "for_the_board.html": "one printed page for whoever must say yes, with the questions of rules and boards answered",
    "tables.html": "distances and angles by name, of a model by level, and what covariates explain: one page",
    "measures.csv": "distances and angles by name, each with its error; of a model by level, with spread and centiles",
    "anova.csv": "what each covariate explains, as a Procrustes analysis of variance has it",
    "disparity.csv": "how far people lie from the mean, and how far apart the two levels of a covariate",
    "at_landmarks.h5": "what the tables are made from: how the released axes move named landmarks (HDF5)",
    "mean_at_landmarks.h5": "what the tables are made from: how error and people go together at landmarks (HDF5)",
    "registry.yaml": "an entry for OpenDP's registry of deployments",
    "preview.png": "a picture",
    "noise.png": "how far the noise moves each point, on the face",
    "drawn.h5": "what was drawn, before corrections: what shapedp pool averages (HDF5)",
    "heterogeneity.h5": "how far the pooled releases differ at each point (HDF5)",
    "heterogeneity.png": "the same, on the face",
    ".h5": "the released numbers, the size of their noise, the settings (HDF5)",
    ".ply": "the surface in mm, for MeshLab and CloudCompare",
    ".glb": "the surface in metres (glTF), for Blender and viewers",
    ".csv": "a table, for spreadsheets",
    ".tps": "the landmarks as tpsDig and geomorph write them",
    ".R": "loads them into R as geomorph's array",
}

MAY_GO_OUT = (
    "What may be published is this folder, best as the archive that whoever made it packs of it: the same files, "
    "checked, without times and account names. Nothing else of the run may go out."
)
STAYS = "This release gives nobody a guarantee: keep the folder at home; no archive packs it."


def list_files(folder, reading, private):
    """Return HTML of what lies in the release folder: a link to each file, what may go out, how to read the files.

    Parameters
    ----------
    folder : Path
        Of the release.
    reading : str
        Markdown with the snippets.
    private : bool
        Whether the release is formally private.
    """
    holds = {path.name: HOLDS.get(path.name) or HOLDS.get(path.suffix) for path in folder.iterdir()}
    named_files = [(escape(name), words) for name, words in sorted(holds.items()) if words and name != PAGE]
    links = "\n".join(f'<li><a href="{name}">{name}</a>: {words}</li>' for name, words in named_files)
    snippets = to_html(reading, below=2)
    return (
        f"<ul>\n{links}\n</ul>\n"
        f"<p>They lie beside this page, in the same folder. {MAY_GO_OUT if private else STAYS}</p>\n"
        f"<details><summary>How to read them in Python, R, Octave and MATLAB</summary>\n{snippets}</details>"
    )


def render_page(folder):
    """Return the page of the release folder `<branch>/<name>`, as HTML text: the same files give the same page."""
    folder = Path(folder)
    statement = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
    text = (folder / "statement.md").read_text(encoding="utf-8")
    kind = kinds.find_held(folder) or kinds.find_mean(statement["release"]["branch"])
    of_kind = kind.part("shown").SHOWN[kind.file]
    shown = of_kind.view(of_kind.read(folder / kind.file), (folder / "preview.png").read_bytes())
    # A chart is an SVG and its caption.
    guarantee, drawn = statement["guarantee"], []
    if guarantee["kind"] == "pure":
        drawn = [(draw_trade_off(epsilon=guarantee["epsilon"]), TRADE_OFF_CAPTION)]
    elif guarantee["kind"] != "none":
        drawn = [
            (draw_trade_off(mu=guarantee["mu"]), TRADE_OFF_CAPTION),
            (draw_epsilon_delta(guarantee["mu"]), DELTA_CAPTION),
        ]
    other_files = list_files(folder, of_kind.reading, statement["formally_private"])
    subject = subjects.from_statement(statement)
    # The viewer of surfaces says mm; another subject may have been scanned in another unit.
    if not subject.is_face and "unit" in shown.data:
        shown = replace(shown, data={**shown.data, "unit": subject.unit})
    return put_in_words_of_subject(
        subject, fill_page(folder.name, shown, statement, text, drawn, other_files, kind.file)
    )


def fill_page(name, view, statement, text, drawn, other_files, file):
    """Return HTML of a release's page, put together from its view, its statement, charts and list of files.

    Parameters
    ----------
    name : str
        Of the release.
    view : view.View
        The viewer.
    statement, text : dict, str
        The statement, and its words in Markdown.
    drawn : list of (str, str)
        SVG and caption of each chart.
    other_files : str
        HTML about the other files.
    file : str
        The name of the released artifact.
    """
    verdict_line, style = word_verdict(statement)
    release = statement["release"]
    pooled_too = ", pooled" if "sources" in statement else ""
    heading = f"{_write_heading(statement)}{pooled_too}"
    error_name, error = _describe_error(statement)
    return make_document(
        "page.html",
        title=f"{view.title}{pooled_too}: {escape(name)}",
        heading=escape(heading),
        people=release["n"],
        error_name=escape(error_name),
        error=escape(error),
        file=escape(file),
        pooled=to_html("\n\n".join(statement_text.describe_pooling(statement))) if "sources" in statement else "",
        verdict_class=style,
        verdict=verdict_line,
        verdict_words=escape(statement["summary"]),
        caption=escape(statement_text.caption(statement)),
        view=view.section,
        statement=to_html(text, below=2),
        files=other_files,
        charts="\n".join(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>" for svg, caption in drawn),
        settings="\n".join(_list_setting_rows(statement["settings"])),
        name=escape(name),
        method=view.method,
        data=embed_json(json.dumps(view.data)),
        scripts=view.scripts,
    )


def _write_heading(statement):
    """Return the heading of a release's page: what is released, of how many people."""
    release = statement["release"]
    group = f" of group {release['group']['name']}" if release["group"] else ""
    words = f"{release['statistic']} of {release['n']} people{group}"
    return words[0].upper() + words[1:]


def _describe_error(statement):
    """Return (name, figure with its unit) of how far noise moves the release, the second figure on its page."""
    mm, radian = statement["noise"].get("rms_mm"), statement["noise"].get("error_radian")
    if mm is not None:
        counted = "Noise, and what is not released," if statement_text.counts_unreleased(statement) else "Noise"
        return f"{counted} moves a point by", f"{mm:.2g} mm"
    if radian is not None:
        return "Noise moves the shape by", f"{radian:.2g} of its size"
    return "Noise", "its size is withheld"


def word_verdict(statement):
    """Return (words, style class) of the line on top of a page, on whether a release is private, and how strongly."""
    if statement["formally_private"]:
        label, meaning = guarantees.strength(statement["guarantee"])
        sentence = f"Formally private, {label}: at worst, an opponent who knows all else is {meaning}."
        return sentence, label.replace(" ", "-")
    return "NOT formally private.", "fails"


def _list_setting_rows(settings, prefix=""):
    """Yield table rows of nested settings for a release's page: one row a value, the path of its key before it."""
    for key, value in settings.items():
        if isinstance(value, dict):
            yield from _list_setting_rows(value, f"{prefix}{key}.")
        else:
            shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            yield f'<tr><th scope="row">{escape(prefix + key)}</th><td>{escape(shown)}</td></tr>'


def render_overview(folders):
    """Return HTML of the page of all releases in a folder: of each its verdict, picture, caption and statement.

    They stand by category.
    """
    contents, releases = [], []
    for branch, category in (("faces", "Faces"), ("shapes", "Shapes")):
        if in_branch := [folder for folder in folders if folder.parent.name == branch]:
            links = ", ".join(
                f'<a href="#{branch}-{name}">{name}</a>' for name in (escape(folder.name) for folder in in_branch)
            )
            contents.append(f"<li>{category}: {links}</li>")
            releases += [f"<h2>{category}</h2>", *map(_render_release, in_branch)]
    return make_document("overview.html", contents="\n".join(contents), releases="\n".join(releases))


def _render_release(folder):
    """Return HTML of one release within the page of all: its verdict, picture and statement."""
    statement = json.loads((folder / "statement.json").read_text(encoding="utf-8"))
    picture = encode_picture((folder / "preview.png").read_bytes())
    sentence, style = word_verdict(statement)
    name, release = escape(folder.name), statement["release"]
    text = (folder / "statement.md").read_text(encoding="utf-8")
    return (
        f'<section id="{folder.parent.name}-{name}"><h3>{name}</h3>\n'
        f'<p class="verdict {style}"><strong>{sentence}</strong> {escape(statement["summary"])}</p>\n'
        f'<figure class="view"><img src="{picture}" width="100%" alt="Picture of the release {name}">'
        f"<figcaption>{escape(statement_text.caption(statement))}. Mechanism: "
        f"{escape(statement['mechanism']['words'])}. Viewer, charts and settings: <code>{release['branch']}/{name}/"
        "index.html</code> in the release folder.</figcaption></figure>\n"
        "<details><summary>The whole statement: who is protected, from what, how strongly, what is not protected"
        f"</summary>{to_html(text, 3, f'{folder.parent.name}-{folder.name}-')}</details></section>"
    )


def render_comparison(names, picture, words, lines, rate):
    """Return HTML of the page that `shapedp compare` writes: where releases differ, drawn and in words.

    Parameters
    ----------
    names : sequence of str
        Of each.
    picture : bytes
        PNG of the map.
    words : str
        What it shows.
    lines : iterable of str
        Findings.
    rate : float
        Of false discoveries.
    """
    return make_document(
        "comparison.html",
        title=escape(" and ".join(names)),
        picture=encode_picture(picture),
        words=escape(words),
        lines="\n".join(f"<li>{escape(line)}</li>" for line in lines),
        rate=f"{rate:.0%}",
    )
