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
from shapedp.landmarks.shapes import describe_odd_sizes
from shapedp.people import samples
from shapedp.privacy.manifolds import landmark_shapes
from shapedp.releases.viewer import review, view
from shapedp.surfaces import polar
from shapedp.surfaces.chain import quality
from shapedp.surfaces.subjects.judging import face_marks, likely_error, relief

# The rms distance from the reference that faces stay below.
FAR_MM = 10.0
# Two scans of one subject lie nearer than this share of the least distance of two public specimens.
SAME_SHARE = 0.4
# The rms between two scans of one face: one scan in two formats lies .2 mm apart, two of a person 1.3, two people 2.
SAME_MM = 1.0
# Radian between two shapes: copies differ by what files round, two records of one specimen by more.
SAME = 1e-3
# A whole shape is doubtful from so many times the public distance.
FAR = 4.0
# The spread at each landmark is taken from the public set if it has as many shapes.
LEAST = 5
# The spread of a landmark as a share of the shape's size, where no public set says it.
SPREAD = 0.02
FIGURES = {  # of the table of quality, in words
    "points_read": "points in the file",
    "holes_filled": "gaps closed (of .2 % of the surface or more)",
    "nose_confidence": "center stands out",
    "energy_after": "energy after registration",
    "min_jacobian": "least Jacobian",
    "removed": "share cropped off",
    "missing": "share missing",
    "error_mm": "mm of likely error",
    **{f"error_{name}_mm": f"of that at the {name}" for name in likely_error.MOVED_BY},
    "expression_mm": "mm by which an expression moves it",
    "jaw_mm": "mm by which the jaw is open",
    "smile_mm": "mm by which a smile moves the mouth's corners",
    "tilt_degrees": "degrees of tilt",
    "expected_mm": "mm of expected error where the face is filled in",
    "unlike": "unlike public people (1: as unlike as almost nobody)",
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
    """Write the page on which a person looks through a cohort's scans to find bad ones before anything is released.

    looks : {batch: path}; people : (id, person, public group) of each scan; gates : the limits of the settings
    alike_path : of the table of scans of different persons that show the same face
    privacy : the settings that name the ledger; scans : (person, path) of each scan; subject, unit : of the settings
    """
    limits_of, same_within = (_find_face_limits if subject == FACE else _find_subject_limits)(template_path, gates)
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        reference, scale = polar.decimate(source["f"]), float(source["scale"])
    marks = _list_face_marks() if subject == FACE else _read_subject_marks(template_path)
    rows = {row["id"]: row for row in files.read_table(quality_path)}
    names_by_person = defaultdict(list)
    for name, person, _ in people:
        names_by_person[person].append(name)
    known = {
        name: (group, [other_name for other_name in names_by_person[person] if other_name != name])
        for name, person, group in people
    }
    pairs = _find_same_faces(looks.values(), scale, {name: person for name, person, _ in people}, same_within)
    words_by_name = _tabulate_pairs(pairs, "mm", alike_path)

    def record(batch, look):
        """Return a scan's record on the review page: its picture, how doubtful it is, and what to look at in it."""
        row, (group, other) = rows[look.name], known[look.name]
        figures = {name: float(row[name]) for name in FIGURES if row.get(name)}
        # An error of 0 stands where none is known: then its parts are not shown either.
        if not figures.get("error_mm"):
            figures = {name: value for name, value in figures.items() if not name.startswith("error_")}
        drawn = review.pack_surface(look, reference, scale)
        figures |= {"mm": drawn["mm"]} if "mm" in drawn else {}
        limits = limits_of(figures.get("missing", 0.0))
        doubt, nearest = review.measure_doubt(figures, limits)
        likely = likely_error.measure_doubt(figures) if "error_mm" in figures else None
        doubt = doubt if likely is None else review.NEAR * likely
        cautions = {
            name: f"{value:.4g} (at {'least' if limits[name][1] else 'most'} {limits[name][0]:.4g})"
            if name in limits
            else f"{value:.4g}"
            for name, value in figures.items()
        }
        words = [sentence for sentence in (look["reason"], *look["notices"].split("\n")) if sentence]
        if doubt >= review.NEAR and not look["reason"]:
            near = f"near a limit: {FIGURES[nearest]} {cautions.get(nearest, '')}"
            words.insert(0, near if likely is None else likely_error.write_words(figures))
        if look.name in words_by_name:
            words.insert(0, f"shows the same face as {words_by_name[look.name]}: is it one person?")
        return review.Record(
            name=look.name,
            batch=str(batch),
            group=group,
            rejected=row["status"] == "rejected",
            doubt=max(float(look.name in words_by_name), doubt),
            words=tuple(words),
            figures={FIGURES[name]: value for name, value in cautions.items()},
            drawn=drawn,
            other=tuple(other),
        )

    records = (record(batch, look) for batch, path in looks.items() for look in artifacts.records(path, artifacts.LOOK))
    cautions, paths = budgets.caution_rejections(quality_path), (page_path, alike_path)
    page_fields = {"kind": "faces", "mm": scale, "marks": marks}
    _write_page(
        "Faces to look through",
        records,
        cautions,
        page_fields,
        paths,
        privacy,
        scans,
        Subject.from_setting(subject, unit),
    )


def _list_face_marks():
    """Return the points that a person may mark on the page: name, words, the sheet's columns of their coordinates."""
    nose = {"name": face_marks.NOSE, "words": "tip of the nose", "columns": list(samples.COORDINATES)}
    return [nose, *(_describe_mark(name, words) for name, (_, words) in face_marks.LANDMARKS.items())]


def _read_subject_marks(template_path):
    """Return the same of a subject that is no face: the points that `faces.marks` names."""
    with artifacts.reader(template_path, artifacts.SUBJECT_TEMPLATE) as source:
        return [_describe_mark(name, name) for name in source["mark_names"]]


def _describe_mark(name, words):
    return {"name": str(name), "words": str(words), "columns": [f"mark_{name}_{axis}" for axis in "xyz"]}


def _find_face_limits(template_path, gates):
    """Return a function that gives a scan its limits, and how near two scans must lie to be one face, by the settings.

    It takes the share of the extent that the scan lacks. Limits are {figure: (limit, whether it is the least)}; see
    `review.measure_doubt`. The second is in mm.
    """
    with artifacts.reader(template_path, artifacts.TEMPLATE) as source:
        gates = relief.Gates(**gates).against(float(source["people_farther"]))

    def limits(missing):
        most = {"energy_after": gates.energy, "expected_mm": gates.limit_unseen(missing)}
        most |= {"unlike": gates.unlike, "mm": FAR_MM}
        return {name: (value, False) for name, value in most.items()} | {"min_jacobian": (gates.jacobian, True)}

    return limits, SAME_MM


def _find_subject_limits(template_path, gates):
    """Return, for a subject that is no face, the limits on the review page and how near two scans are one specimen.

    They are as of `_find_face_limits`, and follow from what its public specimens allow; without these no two scans
    count as one.
    """
    # The limits of another subject stand in its template.
    del gates
    with artifacts.reader(template_path, artifacts.SUBJECT_TEMPLATE) as source:
        most = {"energy_after": source["specimens_energy"], "unlike": source["specimens_unlike"]}
        apart, scale = source["specimens_apart"], source["scale"]

    def limits(missing):
        # Nothing of a whole surface is missing.
        del missing
        return {name: (value, False) for name, value in most.items() if np.isfinite(value)}

    return limits, SAME_SHARE * apart * scale


def _find_same_faces(looks, scale, person, within):
    """Return (mm, id, id) of each two scans that show one face under two persons' names, the nearest first."""
    records = (look for path in looks for look in artifacts.records(path, artifacts.LOOK))
    named_surfaces = [(look.name, look["surface"]) for look in records if look["turned"]]
    surfaces = np.array([surface for _, surface in named_surfaces], dtype=float) * (scale / quality.GRID_STEPS)
    pairs = ((mm, named_surfaces[i][0], named_surfaces[j][0]) for i, j, mm in quality.find_alike(surfaces, within))
    return sorted(pair for pair in pairs if person[pair[1]] != person[pair[2]])


def _find_same_shapes(turned, center, ids):
    """Return (radian, id, id) of each two records that are one shape, perhaps entered twice; nearest first.

    One of them may be mirrored.

    turned (n, k, d) : to the center
    """
    # SAME is a length of whole shapes in radian; surfaces are compared by the rms over points, 1/√k of it.
    n, size = len(turned), math.sqrt(len(center))
    mirrored = landmark_shapes.align(center, turned * np.where(np.arange(turned.shape[2]) == 0, -1, 1))
    either_way = np.concatenate([turned, mirrored])[:, None]
    nearest = {}
    for i, j, distance in quality.find_alike(either_way, SAME / size):
        first, second = sorted((i % n, j % n))
        # A shape that is its own mirror image is like itself, which says nothing.
        if first != second:
            nearest[first, second] = min(size * distance, nearest.get((first, second), math.inf))
    return sorted((distance, ids[first], ids[second]) for (first, second), distance in nearest.items())


def _tabulate_pairs(pairs, unit, path):
    """Write the pairs of records that are alike, for cautions; return {id: the ids that are like it, in words}."""
    rows = [f"{first}\t{second}\t{distance:.2g} {unit}" for distance, first, second in pairs]
    files.write_text(path, "\n".join(["id\tother\tapart", *rows]) + "\n")
    others_by_id = defaultdict(list)
    for _, first, second in pairs:
        others_by_id[first].append(f"'{second}'")
        others_by_id[second].append(f"'{first}'")
    return {name: ", ".join(others) for name, others in others_by_id.items()}


def review_shapes(shapes_path, page_path, alike_path, reference_set, links, privacy=None, leave_out=(), radius="data"):
    """Write the page on which a person looks through a cohort's landmarks to find bad ones before anything is released.

    reference_set : path of the public set, or None; links : pairs of landmarks that are joined, from 1
    leave_out : numbers of the files' landmarks that the shapes are without; words name landmarks by the files' numbers
    radius : of the settings; alike_path, privacy : as for faces
    """
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        keys = "shapes", "ok", "ids", "groups", "reasons", "center", "log_sizes"
        shapes, ok, ids, groups, reasons, center, log_sizes = (source[name] for name in keys)
    odd_sizes = describe_odd_sizes(log_sizes)
    spread, typical = _measure_spread(reference_set, center, leave_out)
    numbers = np.delete(np.arange(len(center) + len(leave_out)), np.asarray(leave_out, dtype=int) - 1) + 1
    distances = landmark_shapes.dist(center, shapes)
    turned = landmark_shapes.align(center, shapes)
    whole = np.flatnonzero(np.asarray(ok, dtype=bool) & np.isfinite(turned).all(axis=(1, 2)))
    words_by_name = _tabulate_pairs(
        _find_same_shapes(turned[whole], center, [str(ids[row]) for row in whole]), "radian", alike_path
    )

    def record(row):
        """Return a specimen's record on the review page: its landmarks over the public mean, how doubtful, and why."""
        slip, name = landmark_shapes.slip(center, turned[row]) if ok[row] else None, str(ids[row])
        drawn = review.pack_landmarks(turned[row], center, spread, slip) if ok[row] else {}
        words = [reasons[row]] if reasons[row] else []
        words += (
            [f"is the same shape as {words_by_name[name]}, or its mirror image: is it one person?"]
            if name in words_by_name
            else []
        )
        words += [f"landmark {numbers[number - 1]} lies far off" for number in drawn.get("off", [])[:5]]
        return review.Record(
            name=name,
            batch="",
            group=str(groups[row]),
            rejected=not ok[row],
            doubt=max(
                float(name in words_by_name or slip is not None or bool(odd_sizes[row])),
                float(distances[row] / (FAR * typical)),
            ),
            words=tuple(words),
            figures={"distance from the public mean (radian)": f"{distances[row]:.3g}"} if ok[row] else {},
            drawn={"nose": [], **drawn},
        )

    page_fields = {
        "kind": "shapes",
        "reference": review.pack_reference(center),
        "dimensions": int(center.shape[1]),
        "extents": (1.25 * np.ptp(center, axis=0)).tolist(),
        "links": [list(map(int, pair)) for pair in links],
        "legend": "blue: the specimen; grey: the public mean; vermilion: landmarks that lie far off or look exchanged",
    }
    records = map(record, range(len(ok)))
    cautions = budgets.caution_shapes(shapes_path, radius)
    _write_page("Landmarks to look through", records, cautions, page_fields, (page_path, alike_path), privacy)


def _measure_spread(reference_set, center, leave_out):
    """Return how far public shapes lie from the center, by which a record's landmarks are judged odd.

    It is the root mean square distance of each landmark (k,), and of whole shapes.
    """
    spread = np.full(len(center), SPREAD)
    if reference_set and len(public := landmarks.read(reference_set, leave_out=leave_out).shapes) >= LEAST:
        turned = landmark_shapes.align(center, landmark_shapes.unit(public)[0])
        spread = np.sqrt(np.nanmean(np.sum((turned - center) ** 2, axis=-1), axis=0))
    return spread, float(np.linalg.norm(spread))


def _write_page(title, records, cautions, page_fields, paths, privacy, scans=(), shown=FACES):
    """Write the page to look through a cohort, with cautions on rejections, likenesses and shared people above it.

    page_fields : what the page holds besides the records; paths : page, table of those that are alike
    privacy : without it no ledger is asked about people of other populations
    """
    page_path, alike_path = paths
    branch = page_fields["kind"]
    shared = budgets.caution_shared_people(branch, privacy, scans) if privacy else ()
    cautions = *cautions, *budgets.caution_alike(alike_path, budgets.ALIKE[branch]), *shared
    lines = [line.removeprefix("caution: ") for line in cautions]
    files.write_text(
        page_path, view.put_in_words_of_subject(shown, review.render_page(title, records, lines, page_fields))
    )


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        inputs, params, page, alike = snakemake.input, snakemake.params, *snakemake.output
        match params.step:
            case "review_faces":
                looks = dict(zip(params.batches, inputs.looks, strict=True))
                review_faces(
                    looks,
                    inputs.quality,
                    inputs.template,
                    page,
                    alike,
                    people=params.people,
                    gates=params.gates,
                    privacy=params.privacy,
                    scans=params.scans,
                    subject=params.subject,
                    unit=params.unit,
                )
            case "review_shapes":
                review_shapes(
                    inputs.shapes,
                    page,
                    alike,
                    reference_set=params.reference_set,
                    links=params.links,
                    privacy=params.privacy,
                    leave_out=params.leave_out,
                    radius=params.radius,
                )
