"""Draw the picture of README's first page from the finished demo.

snakemake --cores 2 && python docs/first_page.py results docs/first_page.png

Three faces from the front: the mean of the demo's people without privacy (they are simulated, so it may be shown),
the face that was released, and how far each of its points lies from that mean.
"""

import sys
from pathlib import Path

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from shapedp.base import artifacts
from shapedp.releases.figures import face_means, render, shading
from shapedp.surfaces import curve_mesh

TITLES = "the mean, not private", "what shapedp released", "how far it was moved"
MOST = 2.0  # mm where the colours end
SIZE = 1600, 1600  # pixels at most


def draw_first_page(results, path):
    """Draw the picture of the demo's results, a folder, as a PNG at `path`."""
    with artifacts.reader(results / "release/faces/mean_face/mean_face.h5", artifacts.MEAN_FACE) as source:
        released, radii, scale = source["curves"], source["radii"], source["scale"]
    with artifacts.reader(results / "private/faces/curves.h5", artifacts.CURVES) as source:
        people, accepted = source["curves"], source["ok"].astype(bool)
    mean = people[accepted].mean(axis=0)
    moved = scale * np.linalg.norm(released - mean, axis=1)
    surfaces = [curve_mesh.mesh(scale * curves, radii) for curves in (mean, released)]
    camera = render.fit_camera([vertices for vertices, _ in surfaces], "front")
    first, second = (render.prepare_look(*surface, camera) for surface in surfaces)
    colours = render.colour_heat(curve_mesh.at_vertices(moved), MOST)
    pictures = first(), second(), second(colours, shading.EVEN)
    titled = [render.write_on(picture, title, camera) for picture, title in zip(pictures, TITLES, strict=True)]
    error = np.sqrt(np.mean(np.square(moved)))
    words = (
        f"{accepted.sum()} simulated people, μ = 1. Colours: mm between the released face and the mean, at most "
        f"{moved.max():.1f}; root mean square over its points {error:.2f} mm"
    )
    picture = Image.fromarray(face_means.put_over_scale(np.hstack(titled), MOST, words))
    picture.thumbnail(SIZE)
    picture.save(path, optimize=True)


if __name__ == "__main__":
    draw_first_page(Path(sys.argv[1]), Path(sys.argv[2]))
