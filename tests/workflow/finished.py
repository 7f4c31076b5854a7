"""One finished run that several files of tests look at: people with telling names, groups, releases of every sort.

It takes a minute of processor time, so that those files go to one worker (conftest.py) and share it. Whoever changes
something in its folder puts it back, or works in a copy.
"""

from shapedp.base import writers
from shapedp.surfaces.human_face.demo import scans as demo
from workflow import runs

PEOPLE = ("quirinus", "zoltan", "xanthippe", "wolfhard", "ulrike")
REJECTED = "kunigunde"  # whose scan is broken
LEDGER = "cellar"
KEPT = ["registered", "curves"]  # less than the shipped settings keep
FACES = ("everybody", "old", "young", "from_the_data")
SHAPES = ("flat", "pure", "aligned")
TARGETS = ("all", "verify", "results/public/releases.zip")


def make(folder):
    """Run everything in `folder`: scans in a folder with a telling name, ids that are names, two groups."""
    write_cohort(folder / "patients")
    told = runs.snakemake(folder, *TARGETS, "--verbose", settings=settings(folder))
    (folder / "output.txt").write_text(told.stdout + told.stderr, encoding="utf-8")
    return folder


def write_cohort(folder):
    """Scans of five people, a broken one, and their sheet."""
    folder.mkdir()
    rows = ["id\tpath\tperson\tgroup"]
    for index, name in enumerate((*PEOPLE, REJECTED)):
        if name == REJECTED:
            (folder / f"{name}.ply").write_bytes(b"ply\n")
        else:
            writers.write_scan(folder / f"{name}.ply", demo.scan(11, index, "demo"))
        rows.append(f"{name}_visit\t{name}.ply\t{name}\t{'old' if index % 2 else 'young'}")
    (folder / "samples.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")


def settings(folder):
    """The shipped settings, small, with releases that have a guarantee and some that have none."""
    joint = {"mechanism": "matched_joint", "budget": {"mu_total": 1.25}, "reference": "template"}
    joint["worth_it_anyway"] = True  # so few people tell nothing
    paper = {"mechanism": "rkhs_paper", "budget": {"mu": [0.2, 0.2, 0.55]}, "reference": "none", "bounds": "data"}
    paper["reproduction"] = True
    pure = {"budget": {"epsilon": 1.0}}
    faces = [
        {"name": "everybody", **joint},
        {"name": "old", "group": "old", **joint},
        {"name": "young", "group": "young", **joint},
        {"name": "from_the_data", **paper},
    ]
    shapes = [
        {"name": "flat", "mechanism": "gaussian", "budget": {"mu_total": 1.0}},
        {"name": "pure", "mechanism": "laplace", **pure},
        {"name": "aligned", "mechanism": "pointwise_laplace_aligned", "reproduction": True, **pure},
    ]
    return runs.tiny(
        {
            "shapes.demo": {"count": 12, "seed": 7},
            "faces.scans": str(folder / "patients/samples.tsv"),
            "faces.keep": KEPT,
            "faces.batch_size": 5,
            "faces.releases": faces,
            "shapes.releases": shapes,
            "privacy.ledger": LEDGER,
            "privacy.people": {"faces": len(PEOPLE) + 1, "shapes": 12},
            "privacy.groups.sizes": {"old": 3, "young": 3},
        }
    )
