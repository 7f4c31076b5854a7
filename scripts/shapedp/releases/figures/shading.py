"""Which triangle covers which pixel, and how bright it looks: what `render` needs, compiled, without a display.

The z-buffer of an orthographic camera has pixel coordinates: column to the right, row downwards, the center of pixel
(i, j) at (row i + 1/2, column j + 1/2); depth grows towards the viewer. Light: a few directional lights, a soft sky
hidden by nearby relief, a faint sheen. Directions are in the viewer's frame (x right, y up, z towards the viewer) and
point from the surface to the light. All colours here are linear light, 0 to 1.
"""

import numpy as np
from numba import njit

from shapedp.base.storage.loops import loop

CLAY = (0.66, 0.56, 0.49)
# Light creeps this far (cosine) beyond the terminator, as on skin.
WRAP = 0.15
SHEEN = 0.05
# Change of depth within a pixel, in pixels, beyond which it may show an edge and is sampled in full.
STEEP = 3.0


@loop
def _across(xa, ya, xb, yb, xc, yc, y):
    """Return the least and the largest x of a triangle at height y, between which `cover` looks for pixels.

    So of a long thin triangle no row is searched from end to end.
    """
    low, high = np.inf, -np.inf
    for xp, yp, xq, yq in ((xa, ya, xb, yb), (xb, yb, xc, yc), (xc, yc, xa, ya)):
        if min(yp, yq) <= y <= max(yp, yq):
            x = xp if yp == yq else xp + (xq - xp) * ((y - yp) / (yq - yp))
            low, high = min(low, x), max(high, x)
            if yp == yq:
                low, high = min(low, xq), max(high, xq)
    return low, high


@loop
def cover(columns, rows, depths, triangles, height, width):
    """Return which triangle each pixel of a picture shows (-1: none), its depth and two barycentric weights there.

    It is the z-buffer of `render`: of several triangles at a pixel the nearest one is seen.

    columns, rows, depths : (n,) of the vertices; triangles : (t, 3)
    Returns (h, w) int32, (h, w) float32, (h, w, 2) float32.
    """
    nearest = np.full((height, width), -1, dtype=np.int32)
    depth = np.full((height, width), -np.inf, dtype=np.float32)
    weights = np.zeros((height, width, 2), dtype=np.float32)
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        xa, ya, xb, yb, xc, yc = columns[a], rows[a], columns[b], rows[b], columns[c], rows[c]
        area = (xb - xa) * (yc - ya) - (xc - xa) * (yb - ya)
        if area == 0.0:
            continue
        top = max(int(np.ceil(min(ya, yb, yc) - 0.5)), 0)
        bottom = min(int(np.floor(max(ya, yb, yc) - 0.5)), height - 1)
        left = max(int(np.ceil(min(xa, xb, xc) - 0.5)), 0)
        right = min(int(np.floor(max(xa, xb, xc) - 0.5)), width - 1)
        za, zb, zc = depths[a], depths[b], depths[c]
        # No pixel of the triangle lies nearer than this, however depths are rounded.
        front = max(za, zb, zc) + 1e-9 * (abs(za) + abs(zb) + abs(zc))
        for i in range(top, bottom + 1):
            y = i + 0.5
            start, end = _across(xa, ya, xb, yb, xc, yc, y)
            for j in range(max(left, int(start - 1.5)), min(right, int(end + 0.5)) + 1):
                if depth[i, j] >= front:
                    continue
                x = j + 0.5
                wa = ((xb - x) * (yc - y) - (xc - x) * (yb - y)) / area
                wb = ((xc - x) * (ya - y) - (xa - x) * (yc - y)) / area
                wc = 1.0 - wa - wb
                if wa < 0.0 or wb < 0.0 or wc < 0.0:
                    continue
                z = wa * za + wb * zb + wc * zc
                if z > depth[i, j]:
                    depth[i, j], nearest[i, j] = z, t
                    weights[i, j, 0], weights[i, j, 1] = wa, wb
    return nearest, depth, weights


@loop
def cover_lines(columns, rows, depths, starts, radius, bias, depth):
    """Return the pixels (h, w) bool in which lines drawn on a surface are seen: near a polyline that nothing hides.

    columns, rows, depths : (m,) of all points; polyline l is points starts[l] .. starts[l + 1] - 1
    radius : half the width of a line in pixels
    bias : how far a line may lie behind the surface and still be seen (a curve on the surface must not flicker)
    """
    height, width = depth.shape
    seen = np.zeros((height, width), dtype=np.bool_)
    for line in range(starts.shape[0] - 1):
        for p in range(starts[line], starts[line + 1] - 1):
            x, y, dx, dy = columns[p], rows[p], columns[p + 1] - columns[p], rows[p + 1] - rows[p]
            length = max(dx * dx + dy * dy, 1e-12)
            top = max(int(min(y, y + dy) - radius), 0)
            left = max(int(min(x, x + dx) - radius), 0)
            for i in range(top, min(int(max(y, y + dy) + radius) + 1, height)):
                for j in range(left, min(int(max(x, x + dx) + radius) + 1, width)):
                    along = ((j + 0.5 - x) * dx + (i + 0.5 - y) * dy) / length
                    along = min(max(along, 0.0), 1.0)
                    away = (j + 0.5 - x - along * dx) ** 2 + (i + 0.5 - y - along * dy) ** 2
                    z = depths[p] + along * (depths[p + 1] - depths[p])
                    if away <= radius * radius and z + bias >= depth[i, j]:
                        seen[i, j] = True
    return seen


def make_lights(directions, colours, sky):
    """Return a set of directional lights and a sky, in the form in which `shade` lights a picture with them.

    Parameters
    ----------
    directions : (k, 3) sequence
        Towards each light, of any length.
    colours : (k, 3) sequence
        Of each, linear light.
    sky : (3,) sequence
        The colour of the sky.
    """
    towards = np.array(directions, dtype=float)
    towards /= np.linalg.norm(towards, axis=1, keepdims=True)
    return towards, np.array(colours, dtype=float), np.array(sky, dtype=float)


LIGHTS = make_lights(
    directions=((-0.50, 0.50, 0.70), (0.80, 0.0, 0.50), (0.35, 0.75, -0.55)),
    colours=((0.98, 0.94, 0.88), (0.20, 0.22, 0.26), (0.30, 0.31, 0.34)),
    sky=(0.27, 0.28, 0.30),
)

# As bright on a slope as in front, nearly, and without a colour of their own: what a map's colours mean stays legible.
EVEN = make_lights(directions=((0.0, 0.3, 1.0),), colours=((0.28, 0.28, 0.28),), sky=(0.82, 0.82, 0.82))


def find_vertex_normals(vertices, triangles):
    """Return unit normals (n, 3) at a mesh's vertices, by which `shade` makes a surface of triangles look smooth.

    They are the sum over adjacent triangles of their normal times sin(angle) / (product of the two sides): the weights
    of Max (1999), exact for vertices on a sphere, whatever the triangles.
    """
    normals = np.zeros_like(vertices)
    for k in range(3):
        here = triangles[:, k]
        ahead, back = (vertices[triangles[:, (k + step) % 3]] - vertices[here] for step in (1, 2))
        lengths = np.sum(ahead**2, axis=1) * np.sum(back**2, axis=1)
        share = np.cross(ahead, back) / np.where(lengths > 0, lengths, 1)[:, None]
        for axis in range(3):
            normals[:, axis] += np.bincount(here, share[:, axis], minlength=len(vertices))
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return normals / np.where(length > 0, length, 1)


@loop
def openness(depth, directions, steps, reach):
    """Return the share (h, w) of the sky that each pixel of a height field sees, 1 = all: hollows then look darker.

    It is the mean of 1 - sin(horizon elevation).

    depth : (h, w) in pixels, -inf where empty; `directions` azimuths, horizon sought out to `reach` pixels
    """
    height, width = depth.shape
    share = np.ones((height, width), dtype=np.float32)
    for i in range(height):
        for j in range(width):
            if depth[i, j] == -np.inf:
                continue
            hidden = 0.0
            for d in range(directions):
                angle = 2 * np.pi * (d + 0.5) / directions
                slope = 0.0
                for step in range(1, steps + 1):
                    r = reach * (step / steps) ** 2
                    row = int(np.floor(i + 0.5 + r * np.sin(angle)))
                    column = int(np.floor(j + 0.5 + r * np.cos(angle)))
                    if 0 <= row < height and 0 <= column < width:
                        slope = max(slope, (depth[row, column] - depth[i, j]) / max(r, 1.0))
                hidden += slope / np.sqrt(1 + slope * slope)
            share[i, j] = 1 - hidden / directions
    return share


@njit(inline="always")
def _light(normal, colour, open_sky, directions, strengths, sky, out):
    """Add to out (3,) the light that a point of the surface sends to the viewer, the colour that `shade` gives a pixel.

    It is wrapped Lambert + sky + a faint Blinn sheen.
    """
    ambient = open_sky * (0.85 + 0.15 * normal[1])
    for channel in range(3):
        out[channel] += colour[channel] * sky[channel] * ambient
    for k in range(directions.shape[0]):
        d = directions[k]
        facing = normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2]
        if facing <= -WRAP:
            continue
        wrapped = (facing + WRAP) / (1 + WRAP) * np.sqrt(open_sky)  # a light is a patch of sky: relief hides part of it
        half = max(facing + normal[2], 0.0) ** 2 / max(2 + 2 * d[2], 1e-9)  # cos^2 to the half-way direction
        sheen = SHEEN * half**8
        for channel in range(3):
            out[channel] += strengths[k, channel] * (colour[channel] * wrapped + sheen)


@njit(inline="always")
def _at(k, wa, wb, corners, values):
    """Component k of vertex values (n, 3), interpolated."""
    a, b, c = corners
    return wa * values[a, k] + wb * values[b, k] + (1 - wa - wb) * values[c, k]


@njit(inline="always")
def _sample(i, j, row, column, scene, share, out):
    """Add to out (3,) the colour at sample (i, j), one of those in pixel (row, column) that `shade` averages."""
    nearest, weights, normals, colours, triangles, lights, lines, line_colour, background = scene
    t = nearest[i, j]
    if lines[i, j] or t < 0:
        for k in range(3):
            out[k] += line_colour[k] if lines[i, j] else background[row, column, k]
        return
    corners = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    wa, wb = weights[i, j, 0], weights[i, j, 1]
    x, y, z = _at(0, wa, wb, corners, normals), _at(1, wa, wb, corners, normals), _at(2, wa, wb, corners, normals)
    scale = 1 / max(np.sqrt(x * x + y * y + z * z), 1e-12)
    if z < 0:  # an open surface is lit on both sides
        scale = -scale
    colour = _at(0, wa, wb, corners, colours), _at(1, wa, wb, corners, colours), _at(2, wa, wb, corners, colours)
    _light((x * scale, y * scale, z * scale), colour, share[row, column], lights[0], lights[1], lights[2], out)


@loop
def shade(scene, depth, share):
    """Return the finished picture (h, w, 3) of a scene in linear light, the mean of m x m samples a pixel, m odd.

    scene : nearest (h m, w m), weights (h m, w m, 2) from `cover`; normals, colours (n, 3) of the vertices;
        triangles; lights (directions, strengths, sky); lines (h m, w m) bool, line_colour (3,); background (h, w, 3)
    depth : (h m, w m) in pixels; share : (h, w)
    A pixel well inside the surface looks the same all over: it is shaded once, at its center.
    """
    lines = scene[6]
    height, width = share.shape
    m = depth.shape[0] // height
    picture = np.zeros((height, width, 3))
    for row in range(height):
        for column in range(width):
            out = picture[row, column]
            near, far, plain = -np.inf, np.inf, True
            for i in range(row * m, row * m + m):
                for j in range(column * m, column * m + m):
                    near, far = max(near, depth[i, j]), min(far, depth[i, j])
                    plain &= not lines[i, j]
            # Most pixels lie well inside the surface, and one sample of nine is enough there.
            if plain and (near == -np.inf or near - far < STEEP):
                _sample(row * m + m // 2, column * m + m // 2, row, column, scene, share, out)
                continue
            for i in range(row * m, row * m + m):
                for j in range(column * m, column * m + m):
                    _sample(i, j, row, column, scene, share, out)
            for k in range(3):
                out[k] /= m * m
    return picture
