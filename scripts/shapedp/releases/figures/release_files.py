"""The files that follow from a release alone: surfaces, tables and pictures; the same bytes whenever they are made.

A kind of release yields the name of each file and what it holds: bytes, text, the lines of a table, pixels, a Figure.
"""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from shapedp.base.storage import files
from shapedp.releases import kinds
from shapedp.releases.figures import style


def draw(folder, branch, target):
    """Draw a release's surfaces, tables and pictures into another folder, from what the ledger holds of the release.

    It is how they are made, and made again to see that nobody has changed them.

    Parameters
    ----------
    folder : path
        Of the release.
    branch : str
        `faces`, `shapes` or `points`.
    target : path
        The folder that is written into.
    """
    kind = kinds.find_held(Path(folder)) or kinds.find_mean(branch)
    shown = kind.part("shown").SHOWN[kind.file]
    for name, content in shown.drawings(folder):
        path = Path(target) / name
        match content:
            case bytes():
                files.write_bytes(path, content)
            case str():
                files.write_text(path, content)
            case np.ndarray():
                with files.atomic(path) as partial:
                    Image.fromarray(content).save(partial, format="png")
            case Figure():
                style.save(content, path, ("png",))
            case _:
                files.write_text(path, "\n".join(content) + "\n")
