"""Write the page to look through a cohort of landmarks: each specimen over the public mean, farthest first. Private."""

import numpy as np

from shapedp import artifacts
from shapedp.forecast import budgets
from shapedp.manifolds import landmark_shapes
from shapedp.page import review
from shapedp.readers import landmarks
from shapedp.runs.logs import logged
from shapedp.storage import files

LEAST = 5  # public shapes, from which their spread at each landmark is taken
SPREAD = 0.02  # of the shape's size: of a landmark, where no public set says it
FAR = 4.0  # times the public distance, from which a whole shape is doubtful


def review_shapes(shapes_path, page_path, reference_set, links, privacy=None, leave_out=()):
    """reference_set : path of the public set, or None; links : pairs of landmarks that are joined, from 1
    leave_out : numbers of the files' landmarks that the shapes are without; words name landmarks by the files' numbers
    privacy : the settings that name the ledger
    """
    with artifacts.reader(shapes_path, artifacts.SHAPES) as source:
        shapes, ok, ids, groups, reasons, center = (
            source[name] for name in ("shapes", "ok", "ids", "groups", "reasons", "center")
        )
    spread, typical = _spread(reference_set, center, leave_out)
    numbers = np.delete(np.arange(len(center) + len(leave_out)), np.asarray(leave_out, dtype=int) - 1) + 1
    distances = landmark_shapes.dist(center, shapes)
    turned = landmark_shapes.align(center, shapes)

    def record(row):
        drawn = review.landmarks_drawn(turned[row], center, spread) if ok[row] else {}
        words = [reasons[row]] if reasons[row] else []
        words += [f"landmark {numbers[one - 1]} lies far off" for one in drawn.get("off", [])[:5]]
        exchanged = (numbers[np.array(pair) - 1] for pair in drawn.get("swapped", []))
        words += [f"landmarks {one} and {other} look exchanged" for one, other in exchanged]
        return review.Record(
            name=str(ids[row]),
            batch="",
            group=str(groups[row]),
            rejected=not ok[row],
            doubt=float(distances[row] / (FAR * typical)),
            words=tuple(words),
            figures={"distance from the public mean (radian)": f"{distances[row]:.3g}"} if ok[row] else {},
            drawn={"nose": [], **drawn},
        )

    rejected = int(len(ok) - ok.sum())
    shared = budgets.cautions_of_shared_people("shapes", privacy) if privacy else ()
    told = *budgets.caution_of_share(rejected, len(ok), str(shapes_path)), *shared
    lines = [line.removeprefix("caution: ") for line in told]
    shared = {
        "kind": "shapes",
        "reference": review.packed_reference(center),
        "dimensions": int(center.shape[1]),
        "extents": (1.25 * np.ptp(center, axis=0)).tolist(),
        "links": [list(map(int, pair)) for pair in links],
        "legend": "blue: the specimen; grey: the public mean; vermilion: landmarks that lie far off or look exchanged",
    }
    files.write_text(page_path, review.page("Landmarks to look through", map(record, range(len(ok))), lines, shared))


def _spread(reference_set, center, leave_out):
    """(root mean square distance of each landmark (k,), and of whole shapes) of a public set about the center."""
    if reference_set is None or len(public := landmarks.read(reference_set, leave_out=leave_out).shapes) < LEAST:
        spread = np.full(len(center), SPREAD)
        return spread, float(np.linalg.norm(spread))
    turned = landmark_shapes.align(center, landmark_shapes.unit(public)[0])
    spread = np.sqrt(np.nanmean(np.sum((turned - center) ** 2, axis=-1), axis=0))
    return spread, float(np.linalg.norm(spread))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        review_shapes(
            snakemake.input.shapes,
            snakemake.output.page,
            snakemake.params.reference_set,
            snakemake.params.links,
            snakemake.params.privacy,
            snakemake.params.leave_out,
        )
