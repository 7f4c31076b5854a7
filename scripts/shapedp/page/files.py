"""The files of a release, as links, and how to read them."""

from html import escape

from shapedp.page import words
from shapedp.page.view import asset

PAGE = "index.html"
HOLDS = {
    "statement.md": "the statement of privacy, in words",
    "statement.json": "the same for programs, with all settings",
    "preview.png": "a picture",
    "noise.png": "how far the noise moves each point, on the face",
    ".h5": "the released numbers, the size of their noise, the settings (HDF5)",
    ".ply": "the surface in mm, for MeshLab and CloudCompare",
    ".glb": "the surface in metres (glTF), for Blender and viewers",
    ".csv": "a table, for spreadsheets",
    ".tps": "the landmarks as tpsDig and geomorph write them",
    ".R": "loads them into R as geomorph's array",
}

MAY_GO_OUT = (
    "What may be published is this folder, best as the archive that <code>make report-public</code> packs: the same "
    "files, checked, without times and account names. Nothing else of the run may go out."
)
STAYS = "This release gives nobody a guarantee: keep the folder at home; no archive packs it."


def section(folder, reading, private):
    """HTML: a link to each other file of the release folder, what may go out, snippets of the file `reading`.

    private : whether the release is formally private
    """
    found = sorted(path for path in folder.iterdir() if path.name != PAGE and _holds(path))
    links = "\n".join(
        f'<li><a href="{escape(path.name)}">{escape(path.name)}</a>: {_holds(path)}</li>' for path in found
    )
    snippets = words.html_of(asset(reading), below=2)
    return (
        f"<ul>\n{links}\n</ul>\n"
        f"<p>They lie beside this page, in the same folder. {MAY_GO_OUT if private else STAYS}</p>\n"
        f"<details><summary>How to read them in Python, R, Octave and MATLAB</summary>\n{snippets}</details>"
    )


def _holds(path):
    return HOLDS.get(path.name) or HOLDS.get(path.suffix)
