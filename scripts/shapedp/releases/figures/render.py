"""Shaded pictures of triangle meshes, without a display: an orthographic camera, a z-buffer, a few lights.

The picture depends on its arguments alone, to the bit on one machine.
"""

from dataclasses import dataclass
from functools import lru_cache

import matplotlib
import numpy as np
from PIL import Image, ImageDraw

from shapedp.releases.figures import shading, style
from shapedp.surfaces import curve_mesh, polar

# yaw turns the face to its own left (the picture's right), pitch lowers its chin; degrees
VIEWS = {"front": (0.0, 0.0), "three-quarter": (38.0, 6.0)}
# Of the picture, left free round the mesh.
MARGIN = 0.06
# Samples a pixel along each side; odd, so that one of them lies at the pixel's center.
FINER = 3
# Center and rim, in linear light.
BACKGROUND = ((0.93, 0.94, 0.95), (0.80, 0.82, 0.85))
# Of lines, sRGB.
INK = (0.0, 0.30, 0.55)
# Of what is written on a picture.
LETTERS = (48, 48, 48)
# Points of a drawn ring.
SMOOTH = 240
# From pale to dark: on a shaded surface shadows must not read as the low end.
HEAT = "YlGnBu"
# mm of a usual bar, as on faces; the shares of the width that it may have; the most that another bar has, which stands
# where the usual one would be too short or too long.
USUAL, BAR_SHARES, BAR_SHARE = 20, (0.05, 0.75), 0.3


@dataclass(frozen=True)
class Camera:
    """Turns a mesh to `rotation` (3, 3) and puts `center` (its turned x, y in mm) in the middle of the picture."""

    rotation: np.ndarray
    center: np.ndarray
    mm_per_pixel: float
    width: int
    height: int

    def project(self, points, finer=1):
        """Return where a picture shows points (n, 3): column, row (pixels / finer), depth (mm, towards the viewer)."""
        x, y, z = (points @ self.rotation.T).T
        scale = finer / self.mm_per_pixel
        column = (x - self.center[0]) * scale + self.width * finer / 2
        row = (self.center[1] - y) * scale + self.height * finer / 2
        return column, row, z


def make_rotation(yaw, pitch):
    """Return the rotation (3, 3) of a view, such as three quarters: `yaw` about y, then `pitch` about x; degrees."""
    a, b = np.deg2rad([yaw, pitch])
    about_y = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    return about_x @ about_y


def fit_camera(meshes, view="front", size=(800, 1000)):
    """Return a camera in which several meshes fit; give it to several pictures to compare sizes.

    Parameters
    ----------
    meshes : list of (n, 3) float
        Vertices of each, mm.
    view : str
        One of VIEWS.
    size : (int, int)
        Width and height in pixels.
    """
    rotation = make_rotation(*VIEWS[view])
    points = np.concatenate([v @ rotation.T for v in meshes])[:, :2]
    low, high = points.min(axis=0), points.max(axis=0)
    if not np.any(high > low):
        raise ValueError("cannot fit a camera to a mesh without extent")
    room = (1 - 2 * MARGIN) * np.array(size, dtype=float)
    width, height = size
    return Camera(rotation, (low + high) / 2, float(np.max((high - low) / room)), width, height)


def render(vertices, triangles, camera, colours=None, lights=None, **drawn):
    """Return the picture (h, w, 3) uint8 sRGB of a mesh as a figure or a page shows it, lit so that relief is seen.

    Parameters
    ----------
    vertices : (n, 3) float
    triangles : (t, 3) int
        Counter-clockwise from outside.
    camera : Camera
    colours : (n, 3) float, optional
        sRGB, 0 to 1; clay without.
    lights : tuple, optional
        As `shading.make_lights` gives them.
    **drawn
        lines, width and ink of `prepare_look`.
    """
    return prepare_look(vertices, triangles, camera, **drawn)(colours, lights)


def prepare_looks(vertices, triangles, unit="mm"):
    """Return two functions that draw one mesh again and again, from the front and from three quarters, in any colours.

    Each picture has a bar of its scale.

    Parameters
    ----------
    vertices : (n, 3) float
    triangles : (t, 3) int
    unit : str
        Of the vertices.

    Returns
    -------
    list of callable
        From colours and lights to a picture, as `prepare_look` gives it.
    """

    def seen(view):
        camera = fit_camera([vertices], view)
        lit = prepare_look(vertices, triangles, camera)
        return lambda colours=None, lights=None: write_on(lit(colours, lights), camera=camera, unit=unit)

    return [seen(view) for view in VIEWS]


def choose_bar_length(camera):
    """Return the length of a picture's bar of scale: USUAL where it fits, as of a face, else the longest round one."""
    width = camera.width * camera.mm_per_pixel
    if BAR_SHARES[0] * width <= USUAL <= BAR_SHARES[1] * width:
        return USUAL
    tens = 10.0 ** np.floor(np.log10(BAR_SHARE * width))
    return float(max(step * tens for step in (1, 2, 5) if step * tens <= BAR_SHARE * width))


def write_on(picture, title="", camera=None, unit="mm"):
    """Return a picture with a title at its top and, of a camera, a bar at its lower left from which sizes can be read.

    Parameters
    ----------
    picture : (h, w, 3) uint8
    title : str
    camera : Camera, optional
    unit : str
        Of the bar.
    """
    drawn = Image.fromarray(picture)
    pen, font, (width, height) = ImageDraw.Draw(drawn), style.load_font(24), drawn.size
    pen.text((width / 2, 0.015 * height), title, fill=LETTERS, font=font, anchor="mt")
    if camera:
        x, y, length = 0.03 * width, 0.975 * height, choose_bar_length(camera)
        pen.line((x, y, x + length / camera.mm_per_pixel, y), fill=LETTERS, width=4)
        pen.text((x, y - 8), f"{length:g} {unit}", fill=LETTERS, font=font, anchor="lb")
    return np.asarray(drawn)


def prepare_look(vertices, triangles, camera, lines=(), width=2.0, ink=INK):
    """Return a function that gives pictures of one view of a mesh as `render` does, in one set of colours or several.

    What the camera sees is found once, for it is the costly part.

    Parameters
    ----------
    vertices, triangles, camera
        As of `render`.
    lines : sequence of (m, 3) float
        Polylines on the surface.
    width : float
        Of these, pixels.
    ink : (float, float, float)
        Their colour, sRGB 0 to 1.
    """
    vertices, triangles = np.asarray(vertices, dtype=float), np.asarray(triangles, dtype=np.int32)
    if not np.isfinite(vertices).all():
        raise ValueError(f"cannot draw a mesh with {np.sum(~np.isfinite(vertices).all(axis=1))} vertices not finite")
    # The compiled z-buffer does not check its bounds.
    if triangles.size and not 0 <= triangles.min() <= triangles.max() < len(vertices):
        raise ValueError(f"triangles name vertices {triangles.min()}..{triangles.max()}; there are {len(vertices)}")
    height, across = camera.height * FINER, camera.width * FINER
    columns, rows, depths = camera.project(vertices, FINER)
    nearest, depth, weights = shading.cover(columns, rows, depths, triangles, height, across)
    inked, ink = np.zeros((height, across), dtype=bool), to_linear(np.array(ink, dtype=float))
    if len(lines):
        starts = np.concatenate([[0], np.cumsum([len(line) for line in lines])])
        columns, rows, depths = camera.project(np.concatenate(lines), FINER)
        bias = 2 * camera.mm_per_pixel
        # A line on the surface lies as deep as it, so it may lie a little behind and still be seen.
        inked = shading.cover_lines(columns, rows, depths, starts, width * FINER / 2, bias, depth)
    depth /= np.float32(camera.mm_per_pixel)
    # One sample a pixel is enough for the light of the sky, which is smooth.
    share = _sky_share(depth[FINER // 2 :: FINER, FINER // 2 :: FINER])
    normals = shading.find_vertex_normals(vertices, triangles) @ camera.rotation.T
    background = _make_background(camera.height, camera.width)

    def lit(colours=None, lights=None):
        """Return the picture (h, w, 3) uint8 of the prepared view, its vertices in these colours (sRGB 0 to 1)."""
        clay = np.tile(shading.CLAY, (len(vertices), 1))
        albedo = clay if colours is None else to_linear(np.asarray(colours, dtype=float))
        scene = nearest, weights, normals, albedo, triangles, lights or shading.LIGHTS, inked, ink, background
        return (255 * to_srgb(shading.shade(scene, depth, share)) + 0.5).astype(np.uint8)

    return lit


@lru_cache(maxsize=2)
def _make_background(height, width):
    """Return (h, w, 3) what lies behind a mesh, a soft round gradient; kept for further pictures of this size."""
    y, x = np.mgrid[0:height, 0:width]
    away = np.hypot((x + 0.5) / width - 0.5, (y + 0.5) / height - 0.45)
    mix = np.clip(away / 0.7, 0, 1)[..., None] ** 2
    return (1 - mix) * BACKGROUND[0] + mix * np.array(BACKGROUND[1])


def _sky_share(depth):
    """Return `shading.openness` of a depth (h, w) in pixels, at half the resolution to save time: it is smooth."""
    height, width = depth.shape
    padded = np.pad(depth, ((0, height % 2), (0, width % 2)), constant_values=-np.inf)
    half = padded.reshape(padded.shape[0] // 2, 2, -1, 2).max(axis=(1, 3)) / 2
    share = shading.openness(half, 12, 8, width / 12)
    return np.repeat(np.repeat(share, 2, axis=0), 2, axis=1)[:height, :width]


def mark_scale(axes, camera, length=20.0):
    """Draw a bar of `length` mm on matplotlib axes that show a picture of this camera, to read sizes from."""
    x, y = 0.05 * camera.width, 0.965 * camera.height
    axes.plot([x, x + length / camera.mm_per_pixel], [y, y], color="0.25", linewidth=2, solid_capstyle="butt")
    box = {"facecolor": "white", "alpha": 0.6, "edgecolor": "none", "pad": 1}
    axes.text(x, y - 0.014 * camera.height, f"{length:g} mm", fontsize=6, color="0.25", va="bottom", bbox=box)


def to_srgb(light):
    """Return linear light as sRGB (IEC 61966-2-1), 0 to 1."""
    light = np.clip(light, 0, 1)
    return np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def to_linear(colour):
    """Return sRGB as linear light, the inverse of `to_srgb`."""
    return np.where(colour <= 0.04045, colour / 12.92, ((colour + 0.055) / 1.055) ** 2.4)


def show(axes, mesh, camera, title, length=20.0, **drawn):
    """Draw a rendered mesh as one panel of a figure, on matplotlib axes, with its scale bar.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    mesh : (vertices, triangles)
    camera : Camera
    title : str
    length : float
        Of the bar, mm.
    **drawn
        Of `render`.
    """
    vertices, triangles = mesh
    axes.imshow(render(vertices, triangles, camera, **drawn))
    axes.set_axis_off()
    axes.set_title(title)
    mark_scale(axes, camera, length)


def mesh_surface(f):
    """Return (vertices, triangles) of a surface f (R, T, 3), through the points of its grid."""
    return curve_mesh.mesh(np.moveaxis(f, 1, 2), polar.radii(len(f)))


def trace_rings(f, radii):
    """Return closed polylines (m + 1, 3) along which r is constant, to be drawn as lines on a picture of the surface.

    Parameters
    ----------
    f : (R, T, 3) float
        A surface.
    radii : (J,) float
        Where they lie.
    """
    curves = np.moveaxis(curve_mesh.extract(f, radii, SMOOTH), 1, 2)
    return [np.vstack([ring, ring[:1]]) for ring in curves]


# Ring at which a drawn spoke begins: nearer to the middle spokes run together.
INNERMOST = 8


def trace_spokes(f, count):
    """Return polylines (R - INNERMOST, 3) along which theta is constant, to be drawn as lines on a picture.

    Parameters
    ----------
    f : (R, T, 3) float
        A surface.
    count : int
        How many.
    """
    return [f[INNERMOST:, k] for k in range(0, f.shape[1], f.shape[1] // count)]


def colour_heat(values, most):
    """Return colours (n, 3) of values (n,) between 0 and `most`, pale to dark."""
    return matplotlib.colormaps[HEAT](np.clip(values / most, 0, 1))[:, :3]


def draw_heat_bar(figure, axes, most, words):
    """Draw the colour bar beside `axes` from which the values in a `colour_heat(values, most)` picture are read."""
    scale = matplotlib.cm.ScalarMappable(matplotlib.colors.Normalize(0, most), HEAT)
    bar = figure.colorbar(scale, ax=axes, fraction=0.05, pad=0.02)
    bar.set_label(words)
    bar.outline.set_visible(False)
