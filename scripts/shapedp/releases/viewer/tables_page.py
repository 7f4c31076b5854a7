"""The tables that laboratories publish with a mean, as csv and as one page that prints, from a release alone.

Of a model of faces that knows its landmarks (`at_landmarks`), and of a mean that knows its own (`mean_at_landmarks`),
they lie in its folder; of others `shapedp tables` makes them beside it.
"""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shapedp.base.settings.subjects import FACE, from_statement
from shapedp.releases.model import (
    anova,
    at_landmarks,
    mean_at_landmarks,
    mirror_index,
    morphospace,
    norms,
    released_model,
)
from shapedp.releases.model.at_landmarks import AtLandmarks
from shapedp.releases.model.compared import ReleasedMean
from shapedp.releases.model.mean_at_landmarks import MeanAtLandmarks
from shapedp.releases.model.released_model import Released
from shapedp.releases.viewer.charts import Axis, draw_chart
from shapedp.releases.viewer.view import make_document, put_in_words_of_subject
from shapedp.surfaces.measures import Measures
from shapedp.surfaces.subjects.catalogues import CATALOGUES

NORMS, ANOVA, DISPARITY, PAGE = "measures.csv", "anova.csv", "disparity.csv", "tables.html"
NAMES = NORMS, ANOVA, DISPARITY, PAGE
SOURCES = (  # which files tables are made from, the release first
    (released_model.FACE_FILE, at_landmarks.FILE),
    (mean_at_landmarks.MEAN_FACE, mean_at_landmarks.FILE, "statement.json"),
    (mean_at_landmarks.MEAN_SHAPE, "drawn.h5", "statement.json"),
    (released_model.SHAPE_FILE, "drawn.h5", "statement.json"),
)
MEANS_BY_PUBLIC_WORDS = (
    "Means combine the released shapes with public people's, as far as these seem alike, so that they err less than "
    "distances in the released shapes. "
)
FACE_LENGTHS = "Lengths are in mm of a face as large as the public template"
SIZE_LENGTHS = "Distances are shares of the size of a shape, the root of its landmarks' summed squared distances"
NAMED = CATALOGUES[FACE]
SHOWN_CENTILES = 3, 50, 97
# Decimals of a measure by its unit, and in a unit of a subject's own.
DIGITS, OTHER_DIGITS = {"mm": 1, "degrees": 1, at_landmarks.OF_SIZE: 4}, 2
# Classes of lines about people of one group and of the next: whole and dashed, so that print tells them apart, too.
PEOPLE_LINES = "people", "others"
BETWEEN_SCANS_WORDS = (
    " The last column says by how much one scan differs from what scans of one person are on average, as a standard "
    "deviation. It is of people drawn from a public model, at rest, and of one good scanner; your own scans differ by "
    "more."
)
# Of a plot about what it shows.
MARGIN = 1.15
Floats = NDArray[np.float64]
Levels = Sequence[tuple[dict[str, str], norms.Norm]]


def render_files(folder: Path) -> dict[str, str]:
    """Return {name: text} of the tables to be put into a release's folder; none of a mean without landmarks."""
    folder = Path(folder)
    for names in SOURCES:
        if all((folder / name).is_file() for name in names):
            times = tuple((folder / name).stat().st_mtime_ns for name in names)
            return dict(_render_once(str(folder / names[0]), times))
    return {}


@lru_cache(maxsize=4)
def _render_once(released, _times):
    """Return (name, text) of each file of a release's tables, to write into its folder and to check what lies there.

    Kept, because `allow_list` asks for all of them again at each file that it checks. Empty for a mean that knows no
    landmarks.
    """
    path = Path(released)
    folder = path.parent
    if path.name in (mean_at_landmarks.MEAN_FACE, mean_at_landmarks.MEAN_SHAPE):
        mean_and_known = mean_at_landmarks.beside_mean(path)
        if mean_and_known is None:
            return ()
        mean, known = mean_and_known
        return tuple(_put_in_words(mean.settings, render_mean_tables(mean, known, folder.name)).items())
    model, settings = released_model.read(path)
    if path.name == released_model.SHAPE_FILE:
        known = at_landmarks.beside_shapes(path, model, settings)
    else:
        known = at_landmarks.beside_model(path, model)
    measures = None if known is None else known.measures
    return tuple(_put_in_words(settings, render_tables(model, folder.name, measures, known)).items())


def _put_in_words(settings, texts):
    """Return tables whose page speaks of what the release shows: of faces, or of another subject in its own words.

    texts : {name: text}; the subject is that of the settings
    """
    subject = from_statement({"settings": settings})
    if subject.is_face:
        return texts
    return texts | {PAGE: put_in_words_of_subject(subject, texts[PAGE])}


def render_mean_tables(mean: ReleasedMean, known: MeanAtLandmarks, name: str) -> dict[str, str]:
    """Return {name: text} of a mean's tables of distances and angles, with its errors and no spread: csv and one page.

    Parameters
    ----------
    mean : ReleasedMean
        A mean of faces or of landmarks.
    known : MeanAtLandmarks
        What is known of it at the landmarks.
    name : str
        Of the release.
    """
    norm = norms.from_mean_at_landmarks(mean, known)
    is_face = mean.radii is not None
    sections = _show_mean(known.measures, norm, "face" if is_face else "shape")
    return {
        NORMS: _text(norms.table([({}, norm)], known.measures)),
        PAGE: make_document(
            "tables.html",
            title=f"Tables of the release {escape(name)}",
            lead=f"Of {mean.people:.0f} people. {FACE_LENGTHS if is_face else SIZE_LENGTHS}.",
            sections=sections,
        ),
    }


def _show_mean(measures, norm, record):
    """Return the page's section of distances and angles of a mean, with their errors."""
    digits = [DIGITS.get(unit, OTHER_DIGITS) for unit in measures.units]
    rows = [
        (_with_unit(name, unit), _sure(mean, error, places), f"{value:.{places}f}")
        for name, unit, mean, error, value, places in zip(
            measures.names, measures.units, norm.mean, norm.mean_error, norm.value, digits, strict=True
        )
    ]
    which_are_there = f"{describe_coverage(measures)} " if is_of_faces(measures) else ""
    words = (
        f"<p>{which_are_there}A mean distance is that of people's distances. In the mean {record} itself a distance is "
        "shorter, since people also differ across it: by about half their variance across it over its length, which is "
        "taken from public people, and stands in the error with half of itself. A mean does not tell how far people "
        "spread about it; a model does.</p>"
    )
    header = "measure", "mean ± error", f"in the mean {record}"
    return _section("Distances and angles" if record == "face" else "Distances", _table(header, rows), words)


def render_tables(
    model: Released, name: str, measures: Measures | None = None, known: AtLandmarks | None = None
) -> dict[str, str]:
    """Return {file: text} of a model's tables to publish: norms of measures, ANOVA, disparity, and a page of them all.

    Parameters
    ----------
    model : Released
        A model of faces or of landmarks.
    name : str
        Of the release.
    measures : Measures, optional
        What is measured of faces, on the template of the model.
    known : AtLandmarks, optional
        What lies beside the model.
    """
    texts: dict[str, str] = {}
    levels: Levels = []
    if measures is not None:
        levels = [
            (words, norms.from_model(model, measures, z, known, of_everybody=not any(words.values())))
            for words, z in norms.levels(model)
        ]
        index = None if known is None else mirror_index.find_norm(model, known)
        blanks = bool(norms.find_spread_between_scans(measures))
        whole_face = [] if index is None else [index.row(len(model.covariates), blanks)]
        texts[NORMS] = _text([*norms.table(list(levels), measures), *whole_face])
    if model.covariates:
        texts[ANOVA] = _text(anova.table(anova.analyse(model)))
    texts[DISPARITY] = _text(morphospace.disparity_table(model))
    texts[PAGE] = render_page(model, name, measures, levels, known)
    return texts


def _text(lines):
    """Return lines as the text of a file."""
    return "\n".join(lines) + "\n"


def render_page(
    model: Released, name: str, measures: Measures | None, levels: Levels, known: AtLandmarks | None = None
) -> str:
    """Return the page that prints a model's tables, as HTML.

    Parameters
    ----------
    model : Released
        The model.
    name : str
        Of the release.
    measures : Measures or None
        What was measured.
    levels : sequence of (dict, Norm)
        Everybody first, then the levels of the covariates.
    known : AtLandmarks, optional
        What lies beside the model.
    """
    record = "shape" if model.radii is None else "face"
    sections = [_effects(model, record), _write_morphospace(model, record)]
    if measures is not None:
        asymmetric = []
        if known is not None:
            asymmetric = [_write_sides(norms.asymmetries(model, measures, known), mirror_index.find_norm(model, known))]
        sections = [
            _write_everybody(measures, levels[0][1], known),
            _write_means_by_level(model, measures, known),
            *asymmetric,
            *sections,
        ]
    lengths = (
        f"Lengths are in {model.unit} of a {record} as large as the public template"
        if model.radii is not None
        else "Lengths are in radian, distances of whole shapes of size 1"
    )
    return make_document(
        "tables.html",
        title=f"Tables of the release {escape(name)}",
        lead=f"Of {model.people:.0f} people. {lengths}.",
        sections="\n".join(sections),
    )


def _section(heading, *parts):
    """Return HTML of a section with a heading."""
    return f"<section><h2>{heading}</h2>\n" + "\n".join(parts) + "</section>"


def _table(header, rows):
    """Return HTML of one table of the page, whose first column names the rows."""
    head = "".join(f'<th scope="col"{" class=number" * (at > 0)}>{escape(word)}</th>' for at, word in enumerate(header))
    body = "\n".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f'<td class="number">{escape(word)}</td>' for word in others)
        + "</tr>"
        for first, *others in rows
    )
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table></div>"
    )


def _sure(value, error, digits=1):
    """Return a number with its error as a table prints them, to as many digits as the error asks for.

    These are so many, or more where the error is smaller than the last of them.
    """
    # An error of 0.003 beside a value with one digit would read as none.
    digits = max(digits, 1 - int(np.floor(np.log10(error)))) if 0 < error < 0.5 * 10.0**-digits else digits
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def is_of_faces(measures: Measures) -> bool:
    """Return whether what has names on faces is measured, perhaps with more."""
    return NAMED.ends_of.items() <= measures.ends_of.items()


def describe_coverage(measures: Measures) -> str:
    """Return a sentence on which distances of 3D Facial Norms a table has, and why others are missing."""
    measured = set(measures.names)
    complete = sum(set(names) <= measured for names in NAMED.published.values())
    missing = [name for name, names in NAMED.published.items() if not set(names) <= measured]
    not_on_a_crop = "; ".join(f"{', '.join(names)} ({why})" for why, names in NAMED.elsewhere.items())
    total = len(NAMED.published) + sum(map(len, NAMED.elsewhere.values()))
    not_carried = f"; the template does not carry {', '.join(missing)}" if missing else ""
    return (
        f"{complete} of the {total} distances of 3D Facial Norms are here{not_carried}. "
        f"Not on a face's crop: {not_on_a_crop}."
    )


def _write_everybody(measures, norm, known):
    """Return the page's section of distances and angles of everybody, with their spread and centiles."""
    centiles = [f"centile {centile}" for centile in SHOWN_CENTILES]
    rows, between_scans = [], norms.find_spread_between_scans(measures)
    for at, (name, unit) in enumerate(zip(measures.names, measures.units, strict=True)):
        mean, sd = norm.mean[at], norm.sd[at]
        places = [f"{mean + z * sd:.{DIGITS.get(unit, OTHER_DIGITS)}f}" for z in map(norms.quantile, SHOWN_CENTILES)]
        cells = _sure(mean, norm.mean_error[at]), _sure(sd, norm.sd_error[at], 2), *places
        last = [f"{between_scans[name]:.2f}" if name in between_scans else ""] * bool(between_scans)
        rows.append((_with_unit(name, unit), *cells, *last))
    header = ["measure", "mean ± error", "standard deviation ± error", *centiles]
    header += ["between scans"] * bool(between_scans)
    which_are_there = f"{describe_coverage(measures)} " if is_of_faces(measures) else ""
    draws_means = known is not None and known.effects is not None
    words = (
        f"<p>{which_are_there}A mean distance is that of people's distances, not the distance in the mean, "
        f"which is shorter. {MEANS_BY_PUBLIC_WORDS if draws_means else ''}"
        "Standard deviations combine the released spread with public people's, by how sure each is. "
        "How far two measurements of one person differ is part of them."
        f"{BETWEEN_SCANS_WORDS if between_scans else ''}</p>"
    )
    return _section("Distances and angles of everybody", _table(header, rows), words)


def _with_unit(name, unit):
    """Return what a measure is called at the head of its row."""
    return f"{name} ({'°' if unit == 'degrees' else unit})"


def _write_means_by_level(model, measures, known):
    """Return the page's section of mean distances at each level of each covariate; nothing without covariates."""
    norm_by_level = [(words, norms.from_model(model, measures, z, known)) for words, z in norms.single_levels(model)]
    if not norm_by_level:
        return ""
    rows = [
        (_with_unit(name, unit), *(_sure(norm.mean[at], norm.mean_error[at]) for _, norm in norm_by_level))
        for at, (name, unit) in enumerate(zip(measures.names, measures.units, strict=True))
    ]
    words = "<p>Means, the other covariates as on average. Every level with each other: <code>measures.csv</code>.</p>"
    return _section("Means by level", _table(("measure", *(name for name, _ in norm_by_level)), rows), words)


def _write_sides(differences, index):
    """Return the page's section of how right and left differ, and of the whole face's index of that.

    There is none where no measure has two sides.
    """
    if not differences:
        return ""
    whole_face = ""
    if index is not None:
        low, high = (float(np.quantile(index.draws, share)) for share in (0.5, 0.95))
        whole_face = (
            "<p>Asymmetry index of the whole face, half of how far its landmarks lie from their mirror image, root "
            f"mean square: mean {_sure(index.mean, index.mean_error, 2)} mm, standard deviation of people "
            f"{_sure(index.sd, index.sd_error, 2)} mm. Half of people lie below {low:.2f} mm, 19 of 20 below "
            f"{high:.2f} mm. How far two registrations of a face differ is part of it. <code>shapedp assess</code> "
            "gives the index of one face with its centile.</p>"
        )
    rows = [
        (
            f"{difference.name} ({difference.unit})",
            _sure(difference.mean, difference.mean_error, 2),
            _sure(difference.sd, difference.sd_error, 2),
            f"{100 * difference.sd / difference.size:.1f} %",
            f"{difference.mean - 2 * difference.sd:.1f} to {difference.mean + 2 * difference.sd:.1f}",
        )
        for difference in differences
    ]
    header = "right less left", "mean ± error", "standard deviation ± error", "of its size", "19 of 20 people"
    return _section("Asymmetry", _table(header, rows), whole_face)


def _effects(model, record):
    """Return the page's section of what covariates explain, in sentences and a table, and how the mean goes along each.

    The course is drawn of those with a range.
    """
    if not model.covariates:
        return _section("Effects", "<p>The release has no covariates, so that there is nothing to explain.</p>")
    analysis = anova.analyse(model)
    sentences = "".join(f"<li>{escape(sentence)}.</li>" for sentence in anova.sentences(analysis, record))
    rows = [
        (
            effect.name,
            "1",
            f"{effect.ss:.4g}",
            _sure(100 * effect.share, 100 * effect.error, 2) + " %",
            f"{effect.f:.2f}",
            f"{effect.z:.2f}",
            f"{effect.p:.2g}",
        )
        for effect in analysis.effects
    ]
    rows.append(("residuals", f"{analysis.degrees}", f"{analysis.residual:.4g}", "", "", "", ""))
    table = _table(("effect", "df", f"SS ({analysis.unit}²)", "R² ± error", "F", "Z", "p"), rows)
    index = "".join(
        f"<li>The mean {record}s of the two levels of {escape(dimorphism.name)} lie {dimorphism.distance:.2g} "
        f"{dimorphism.unit} apart: dimorphism index {dimorphism.index:.2f} ± {dimorphism.error:.2f}, "
        "in standard deviations of people within a level.</li>"
        for dimorphism in morphospace.find_dimorphisms(model)
    )
    drawn = "\n".join(map(_allometry, morphospace.find_allometries(model)))
    return _section(
        "What covariates explain", f"<ul>{sentences}{index}</ul>", table, f'<div class="charts">{drawn}</div>'
    )


def _ticks(low, high):
    """Return (value, text) of some five round numbers that hold the range, for the axis of a chart."""
    size = max(high - low, np.finfo(float).tiny)
    power = 10.0 ** np.floor(np.log10(size / 4))
    step = next(power * digit for digit in (1, 2, 5, 10) if size / (power * digit) <= 5)
    first, last = int(np.floor(low / step)), int(np.ceil(high / step))
    return [(at * step, f"{at * step:.4g}") for at in range(first, last + 1)]


def _allometry(course):
    """Return the page's figure of how the mean goes along one covariate, with its band."""
    low, high = (course.scores - course.half).min(), (course.scores + course.half).max()
    y = Axis(f"along the effect ({course.unit})", _ticks(min(low, -1e-9), max(high, 1e-9)))
    x = Axis(course.name, _ticks(course.values[0], course.values[-1]))
    lines = [
        (course.values, course.scores - course.half, "band", ""),
        (course.values, course.scores + course.half, "band", ""),
        (course.values, course.scores, "curve", ""),
    ]
    words = f"How far the mean lies along the effect of {course.name}, less noise and chance, with its 95 % band."
    svg = draw_chart(f"Course over {course.name}", words, x, y, lines)
    return f"<figure>{svg}<figcaption>{escape(words)}</figcaption></figure>"


def _write_morphospace(model, record):
    """Return the page's section of the plane of the two widest modes, and of how varied people are."""
    spread = morphospace.find_disparity(model)
    disparity = (
        f"<p>Disparity, people's mean squared distance from the mean {record}: {spread.variance:.4g} ± "
        f"{spread.error:.2g} {spread.unit}². <code>shapedp compare</code> tests whether two releases differ in it.</p>"
    )
    if len(model.modes) < 2:
        return _section("Morphospace and disparity", disparity)
    morphospace_drawn = morphospace.find_morphospace(model)
    lines = []
    rows = []
    for at, group in enumerate(morphospace_drawn.groups):
        people = morphospace.draw_ellipse(group.place, morphospace_drawn.people, morphospace.PEOPLE_95)
        mean = morphospace.draw_ellipse(group.place, group.error, morphospace.PEOPLE_95)
        name = ", ".join(f"{key} {word}" for key, word in group.words.items()) or "everybody"
        # a label stands at the middle of its line: each at another place, so that none covers another
        turned = np.roll(people[:-1], -at * len(people) // len(morphospace_drawn.groups), axis=0)
        lines += [
            (*np.vstack([turned, turned[:1]]).T, PEOPLE_LINES[at % 2], f"{name}{' (dashed)' * (at % 2)}"),
            (*mean.T, "mean", ""),
        ]
        errors = np.sqrt(np.diag(group.error))
        rows.append((name, *(_sure(place, error, 2) for place, error in zip(group.place, errors, strict=True))))
    points = np.concatenate([np.column_stack(line[:2]) for line in lines]) * MARGIN
    unit = model.unit
    x, y = (
        Axis(
            f"mode {at + 1} ({unit}; {100 * morphospace_drawn.shares[at]:.0f} % along the axes)",
            _ticks(*_range(points[:, at])),
        )
        for at in (0, 1)
    )
    words = (
        f"Means of groups in the plane of the two widest modes; large ellipses hold 95 % of people, small ones are "
        f"95 % regions of the means. No {record} of anybody is drawn."
    )
    svg = draw_chart("Morphospace", words, x, y, lines)
    shown = "" if model.shown >= 2 else f"<p>{model.shown} of the two modes stands above the noise.</p>"
    figure = f'<div class="charts"><figure>{svg}<figcaption>{escape(words)}</figcaption></figure></div>'
    table = _table(("group", f"mode 1 ± error ({unit})", f"mode 2 ± error ({unit})"), rows)
    return _section("Morphospace and disparity", figure, table, shown, disparity)


def _range(values):
    """Return the least and the largest of some values."""
    return float(values.min()), float(values.max())
