"""The tutorial for landmarks with files of one's own, as each program writes them: from the file to what is released.

The people are the tutorial's outlines; of programs that know space alone, the same with a height, bent by chance.
"""

import sys

import numpy as np

from docs import test_tutorials
from library.landmarks import formats
from shapedp.landmarks import outlines
from workflow import runs

PEOPLE, SEED = 40, 5
CENTER, SETTINGS = "public.npz", "hands.yaml"
OLD_NAMES = "hands.npz"  # how the page calls the file that it makes


def in_space(shapes):
    """Return planar shapes with a third coordinate that differs from person to person."""
    turn = 2 * np.pi * np.arange(shapes.shape[1]) / shapes.shape[1]
    bend = 0.1 + 0.03 * np.random.default_rng(SEED).normal(size=(len(shapes), 1))
    size = np.linalg.norm(shapes, axis=(1, 2))[:, None]
    return np.concatenate([shapes, (bend * size * np.cos(2 * turn) / np.sqrt(len(turn)))[..., None]], axis=2)


def write_text(text_of, name, space=False):
    """Return the function that writes a cohort into one file of a folder and returns what `--landmarks` takes."""

    def write(folder, shapes):
        (folder / name).write_text(text_of(in_space(shapes) if space else shapes), encoding="utf-8")
        return name, space

    return write


def write_folder(text_of, ending):
    """Return the function that writes a file a specimen, in space, and returns the folder's name."""

    def write(folder, shapes):
        (folder / "specimens").mkdir()
        for number, shape in enumerate(in_space(shapes)):
            (folder / "specimens" / f"s{number}{ending}").write_text(text_of(shape), encoding="utf-8")
        return "specimens", True

    return write


def write_workbook(folder, shapes):
    """Write a table of landmarks and a sheet of persons as one's spreadsheet program does."""
    import openpyxl

    for name, text in (
        ("hands.xlsx", formats.as_long(shapes)),
        ("sheet.xlsx", "id,person\n" + "".join(f"s{number},p{number}\n" for number in range(len(shapes)))),
    ):
        book = openpyxl.Workbook()
        for row in text.split("\n"):
            book.active.append([int(cell) if cell.isdigit() else cell for cell in row.split(",")])
        book.save(folder / name)
    return "hands.xlsx --sheet sheet.xlsx", False


FORMATS = {
    "tps": write_text(formats.as_tps, "hands.tps"),
    "nts": write_text(formats.as_nts, "hands.nts"),
    "csv": write_text(formats.as_long, "hands.csv"),
    "morphologika": write_text(formats.as_morphologika, "hands.txt"),
    "fcsv": write_folder(formats.as_fcsv, ".fcsv"),
    "mrk.json": write_folder(formats.as_markups, ".mrk.json"),
    "xlsx": write_workbook,
}


def follow_with_own_file(write, folder):
    """Return how many commands of the tutorial fail with a file of one's own in the place of the one that it makes.

    What follows a command that failed is not run, and counts as failed.
    """
    shapes = np.asarray(outlines.population(PEOPLE, SEED)[0])
    name, space = write(folder, shapes)
    center = outlines.template()[None]
    np.savez(folder / CENTER, X=in_space(center) if space else center)
    page = folder / "page.md"
    text = (runs.ROOT / "docs/first_release_landmarks.md").read_text(encoding="utf-8")
    text = "\n".join(line for line in text.split("\n") if not line.startswith("python -c"))
    page.write_text(text.replace(OLD_NAMES, name), encoding="utf-8")
    listed = sum(len(block.splitlines()) for kind, block, _ in test_tutorials.pages.blocks(page) if kind == "bash")
    passed = 0
    try:
        for _ in test_tutorials.follow(page, folder):
            passed += 1
    except AssertionError as error:
        print(error, file=sys.stderr)
    return listed - passed
