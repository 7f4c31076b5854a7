"""Write the page to look through a cohort: each scan or specimen as it came, and what was made of it. Private."""

import math
from collections import defaultdict

import numpy as np

from shapedp import landmarks
from shapedp.app.forecast import budgets
from shapedp.base import artifacts
from shapedp.base.runs.logs import logged
from shapedp.base.settings.subjects import FACE, FACES, Subject
from shapedp.base.storage import files
from shapedp.landmarks.shapes import odd_sizes
from shapedp.people import samples
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.releases.viewer import review, view
from shapedp.surfaces import polar
from shapedp.surfaces.chain import quality
from shapedp.surfaces.subjects.judging import face_marks, likely_error, relief

FAR_MM = 10.0  # rms that a face lies from the reference at most, as far as faces go
SAME_SHARE = 0.4  # of the least distance of two public specimens: two scans of one subject lie nearer
SAME_MM = 1.0  # rms between two scans: one in two formats lies .2 mm apart, two of a person 1.3, two people 2 and more
SAME = 1e-3  # radian between two shapes: copies differ by what files round, two records of one specimen by more
FAR = 4.0  # times the public distance, from which a whole shape is doubtful
LEAST = 5  # public shapes, from which their spread at each landmark is taken
SPREAD = 0.02  # of the shape's size: of a landmark, where no public set says it
FIGURES = {  # of the table of quality, in words
    "points_read": "points in the file",
    "holes_filled": "gaps closed (of .2 % of the surface or more)",
    "nose_confidence": "nose stands out",
    "energy_after": "energy after registration",
    "min_jacobian": "least Jacobian",
    "removed": "share cropped off",
    "missing": "share missing",
    "error_mm": "mm of error that is likely",
    **{f"error_{name}_mm": f"of that at the {name}" for name in likely_error.MOVED_BY},
    "expression_mm": "mm that an expression moves it by",
    "jaw_mm": "mm that the jaw is open",
    "smile_mm": "mm that a smile moves the mouth's corners",
    "tilt_degrees": "degrees of tilt",
    "expected_mm": "mm of error to be expected of what is filled in",
    "unlike": "unlike public people (1: as hardly one)",
    "mm": "mm from the reference, root mean square",
}


def review_faces(
    looks,
    quality_path,
    template_path,
    page_path,
    alike_path,
    people,
    gates,
    privacy=None,
    scans=(),
    subject=FACE,
    unit="mm",
):
    """looks : {batch: path}; people : (id, person, public group) of each scan; gates : the limits of the settings
    alike_path : of the table of scans of different persons that show the same face
    privacy : the settings that name the ledger; scans : (person, path) of each scan; subject, unit : of the settings
    """
    limits_of, same_within = (_limits_of_faces if subject == FACE else _limits_of_subject)(template_path, gates)
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        reference, scale = polar.decimated(source["f"]), float(source["scale"])
    marks = _marks_of_faces() if subject == FACE else _marks_of_subject(template_path)
    rows = {row["id"]: row for row in files.read_table(quality_path)}
    others = defaultdict(list)
    for name, person, _ in people:
        others[person].append(name)
    known = {name: (group, [one for one in others[person] if one != name]) for name, person, group in people}
    same = _same_faces(looks.values(), scale, {name: person for name, person, _ in people}, same_within)
    like = _tabulated(same, "mm", alike_path)

    def record(batch, one):
        row, (group, other) = rows[one.name], known[one.name]
        figures = {name: float(row[name]) for name in FIGURES if row.get(name)}
        if not figures.get("error_mm"):  # 0: nobody tells it
            figures = {name: value for name, value in figures.items() if not name.startswith("error_")}
        drawn = review.surface_drawn(one, reference, scale)
        figures |= {"mm": drawn["mm"]} if "mm" in drawn else {}
        limits = limits_of(figures.get("missing", 0.0))
        doubt, nearest = review.doubt(figures, limits)
        likely = likely_error.doubt(figures) if "error_mm" in figures else None
        doubt = doubt if likely is None else review.NEAR * likely
        told = {
            name: f"{value:.4g} (at {'least' if limits[name][1] else 'most'} {limits[name][0]:.4g})"
            if name in limits
            else f"{value:.4g}"
            for name, value in figures.items()
        }
        words = [sentence for sentence in (one["reason"], *one["notices"].split("\n")) if sentence]
        if doubt >= review.NEAR and not one["reason"]:
            near = f"near a limit: {FIGURES[nearest]} {told.get(nearest, '')}"
            words.insert(0, near if likely is None else likely_error.words(figures))
        if one.name in like:
            words.insert(0, f"shows the same face as {like[one.name]}: is it one person?")
        return review.Record(
            name=one.name,
            batch=str(batch),
            group=group,
            rejected=row["status"] == "rejected",
            doubt=max(float(one.name in like), doubt),
            words=tuple(words),
            figures={FIGURES[name]: value for name, value in told.items()},
            drawn=drawn,
            other=tuple(other),
        )

    records = (record(batch, one) for batch, path in looks.items() for one in artifacts.records(path, artifacts.LOOK))
    told, paths = budgets.caution_rejections(quality_path), (page_path, alike_path)
    of_all = {"kind": "faces", "mm": scale, "marks": marks}
    _write("Faces to look through", records, told, of_all, paths, privacy, scans, Subject.from_setting(subject, unit))


def _marks_of_faces():
    """Return the points that a person may mark on the page: name, words, the sheet's columns of their coordinates."""
    nose = {"name": face_marks.NOSE, "words": "tip of the nose", "columns": list(samples.COORDINATES)}
    return [nose, *(_mark(name, words) for name, (_, words) in face_marks.LANDMARKS.items())]


def _marks_of_subject(template_path):
    """Return the same of a subject that is no face: the points that `faces.marks` names."""
    with artifacts.reader(template_path, artifacts.SUBJECT_TEMPLATE) as source:
        return [_mark(name, name) for name in source["mark_names"]]


def _mark(name, words):
    return {"name": str(name), "words": str(words), "columns": [f"mark_{name}_{axis}" for axis in "xyz"]}


def _limits_of_faces(template_path, gates):
    """(a function from the share of the extent that a scan lacks to its limits, mm within which two show one face).

    Limits are {figure: (limit, whether it is the least)}; see `review.doubt`.
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        gates = relief.Gates(**gates).against(float(source["people_farther"]))

    def limits(missing):
        most = {"energy_after": gates.energy, "expected_mm": gates.unseen_of(missing)}
        most |= {"unlike": gates.unlike, "mm": FAR_MM}
        return {name: (value, False) for name, value in most.items()} | {"min_jacobian": (gates.jacobian, True)}

    return limits, SAME_MM


def _limits_of_subject(template_path, gates):
    """The same of a subject that is no face, from what its public specimens allow; without them nothing is alike."""
    del gates  # they stand in the template
    with artifacts.reader(template_path, artifacts.SUBJECT_TEMPLATE) as source:
        most = {"energy_after": source["specimens_energy"], "unlike": source["specimens_unlike"]}
        apart, scale = source["specimens_apart"], source["scale"]

    def limits(missing):
        del missing  # none of a whole surface is
        return {name: (value, False) for name, value in most.items() if np.isfinite(value)}

    return limits, SAME_SHARE * apart * scale


def _same_faces(looks, scale, person, within):
    """(mm, id, id) of each two registered scans of different persons that show the same face, the nearest first."""
    records = (one for path in looks for one in artifacts.records(path, artifacts.LOOK))
    found = [(one.name, one["surface"]) for one in records if one["turned"]]
    surfaces = np.array([surface for _, surface in found], dtype=float) * (scale / quality.GRID_STEPS)
    named = ((mm, found[i][0], found[j][0]) for i, j, mm in quality.find_alike(surfaces, within))
    return sorted(one for one in named if person[one[1]] != person[one[2]])


def _same_shapes(turned, center, ids):
    """(radian, id, id) of each two records that are one shape, as they are or one of them mirrored, the nearest first.

    turned (n, k, d) : to the center
    """
    n, size = len(turned), math.sqrt(len(center))  # lengths of whole shapes are in radian, of their points rms
    mirrored = landmark_shapes.align(center, turned * np.where(np.arange(turned.shape[2]) == 0, -1, 1))
    both = np.concatenate([turned, mirrored])[:, None]
    found = {}
    for i, j, far in quality.find_alike(both, SAME / size):
        one, other = sorted((i % n, j % n))
        if one != other:  # a shape may be its own mirror image
            found[one, other] = min(size * far, found.get((one, other), math.inf))
    return sorted((far, ids[one], ids[other]) for (one, other), far in found.items())


def _tabulated(same, unit, path):
    """{id: the ids that are like it, in words}; writes the pairs, too, as the table that closing lines come from."""
    rows = [f"{one}\t{other}\t{far:.2g} {unit}" for far, one, other in same]
    files.write_text(path, "\n".join(["id\tother\tapart", *rows]) + "\n")
    like = defaultdict(list)
    for _, one, other in same:
        like[one].append(f"'{other}'")
        like[other].append(f"'{one}'")
    return {name: ", ".join(others) for name, others in like.items()}


def review_shapes(shapes_path, page_path, alike_path, reference_set, links, privacy=None, leave_out=(), radius="data"):
    """reference_set : path of the public set, or None; links : pairs of landmarks that are joined, from 1
    leave_out : numbers of the files' landmarks that the shapes are without; words name landmarks by the files' numbers
    radius : of the settings; alike_path, privacy : as for faces
    """
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        keys = "shapes", "ok", "ids", "groups", "reasons", "center", "log_sizes"
        shapes, ok, ids, groups, reasons, center, log_sizes = (source[name] for name in keys)
    odd = odd_sizes(log_sizes)
    spread, typical = _spread(reference_set, center, leave_out)
    numbers = np.delete(np.arange(len(center) + len(leave_out)), np.asarray(leave_out, dtype=int) - 1) + 1
    distances = landmark_shapes.dist(center, shapes)
    turned = landmark_shapes.align(center, shapes)
    whole = np.flatnonzero(np.asarray(ok, dtype=bool) & np.isfinite(turned).all(axis=(1, 2)))
    like = _tabulated(_same_shapes(turned[whole], center, [str(ids[row]) for row in whole]), "radian", alike_path)

    def record(row):
        slip, name = landmark_shapes.slip(center, turned[row]) if ok[row] else None, str(ids[row])
        drawn = review.landmarks_drawn(turned[row], center, spread, slip) if ok[row] else {}
        words = [reasons[row]] if reasons[row] else []
        words += [f"is the same shape as {like[name]}, or its mirror image: is it one person?"] if name in like else []
        words += [f"landmark {numbers[one - 1]} lies far off" for one in drawn.get("off", [])[:5]]
        return review.Record(
            name=name,
            batch="",
            group=str(groups[row]),
            rejected=not ok[row],
            doubt=max(
                float(name in like or slip is not None or bool(odd[row])), float(distances[row] / (FAR * typical))
            ),
            words=tuple(words),
            figures={"distance from the public mean (radian)": f"{distances[row]:.3g}"} if ok[row] else {},
            drawn={"nose": [], **drawn},
        )

    of_all = {
        "kind": "shapes",
        "reference": review.packed_reference(center),
        "dimensions": int(center.shape[1]),
        "extents": (1.25 * np.ptp(center, axis=0)).tolist(),
        "links": [list(map(int, pair)) for pair in links],
        "legend": "blue: the specimen; grey: the public mean; vermilion: landmarks that lie far off or look exchanged",
    }
    records = map(record, range(len(ok)))
    told = budgets.caution_shapes(shapes_path, radius)
    _write("Landmarks to look through", records, told, of_all, (page_path, alike_path), privacy)


def _spread(reference_set, center, leave_out):
    """(root mean square distance of each landmark (k,), and of whole shapes) of a public set about the center."""
    spread = np.full(len(center), SPREAD)
    if reference_set and len(public := landmarks.read(reference_set, leave_out=leave_out).shapes) >= LEAST:
        turned = landmark_shapes.align(center, landmark_shapes.unit(public)[0])
        spread = np.sqrt(np.nanmean(np.sum((turned - center) ** 2, axis=-1), axis=0))
    return spread, float(np.linalg.norm(spread))


def _write(title, records, told, of_all, paths, privacy, scans=(), shown=FACES):
    """told : cautions about rejections; of_all : what the page holds besides the records; paths : page, table of those
    that are alike; without `privacy` no ledger is asked about people of other populations.
    """
    page_path, alike_path = paths
    branch = of_all["kind"]
    shared = budgets.caution_shared_people(branch, privacy, scans) if privacy else ()
    told = *told, *budgets.caution_alike(alike_path, budgets.ALIKE[branch]), *shared
    lines = [line.removeprefix("caution: ") for line in told]
    files.write_text(page_path, view.in_words_of(shown, review.page(title, records, lines, of_all)))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        given, asked, page, alike = snakemake.input, snakemake.params, *snakemake.output
        match asked.step:
            case "review_faces":
                looks = dict(zip(asked.batches, given.looks, strict=True))
                known = asked.people, asked.gates, asked.privacy, asked.scans, asked.subject, asked.unit
                review_faces(looks, given.quality, given.template, page, alike, *known)
            case "review_shapes":
                known = asked.reference_set, asked.links, asked.privacy, asked.leave_out, asked.radius
                review_shapes(given.shapes, page, alike, *known)
