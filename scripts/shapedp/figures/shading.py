"""How bright a surface looks: a few directional lights, a soft sky hidden by nearby relief, a faint sheen.

Directions are in the viewer's frame (x right, y up, z towards the viewer) and point from the surface to the light.
All colours here are linear light, 0 to 1.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

CLAY = (0.66, 0.56, 0.49)


@dataclass(frozen=True)
class Lights:
    """Directional lights: `directions` (k, 3), `colours` (k, 3) with their strength, and the sky's colour (3,)."""

    directions: tuple = ((-0.55, 0.60, 0.62), (0.80, 0.10, 0.45), (0.35, 0.75, -0.55))
    colours: tuple = ((0.98, 0.94, 0.88), (0.20, 0.22, 0.26), (0.30, 0.31, 0.34))
    sky: tuple = (0.27, 0.28, 0.30)

    def arrays(self):
        """Unit directions and colours as float arrays."""
        directions = np.array(self.directions, dtype=float).reshape(-1, 3)
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        return directions, np.array(self.colours, dtype=float).reshape(-1, 3), np.array(self.sky, dtype=float)


def vertex_normals(vertices, triangles):
    """Unit normals (n, 3): the sum of the adjacent triangles' normals, weighted by area."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    face = np.cross(b - a, c - a)
    normals = np.zeros_like(vertices)
    for k in range(3):
        for axis in range(3):
            normals[:, axis] += np.bincount(triangles[:, k], face[:, axis], minlength=len(vertices))
    length = np.linalg.norm(normals, axis=1, keepdims=True)
    return normals / np.where(length > 0, length, 1)


@njit(cache=True)
def openness(depth, directions, steps, reach):
    """Share (h, w) of the sky that each pixel of a height field sees, 1 = all: mean of 1 - sin(horizon elevation).

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
                    row, column = int(i + 0.5 + r * np.sin(angle)), int(j + 0.5 + r * np.cos(angle))
                    if 0 <= row < height and 0 <= column < width:
                        slope = max(slope, (depth[row, column] - depth[i, j]) / max(r, 1.0))
                hidden += slope / np.sqrt(1 + slope * slope)
            share[i, j] = 1 - hidden / directions
    return share


@njit(cache=True)
def _light(normal, colour, sky_share, directions, strengths, sky, out):
    """Add the light that a pixel sends to the viewer to out (3,): wrapped Lambert + sky + a faint Blinn sheen."""
    sheen = 0.0
    for channel in range(3):
        out[channel] += colour[channel] * sky[channel] * sky_share * (0.8 + 0.2 * normal[1])
    for k in range(directions.shape[0]):
        d = directions[k]
        facing = normal[0] * d[0] + normal[1] * d[1] + normal[2] * d[2]
        wrapped = max((facing + 0.15) / 1.15, 0.0)
        half = np.sqrt(max(2 + 2 * d[2], 1e-9))  # |d + viewer|, viewer = (0, 0, 1)
        sheen = max(facing + normal[2], 0.0) / half
        sheen = 0.05 * sheen**24 if facing > 0 else 0.0
        for channel in range(3):
            out[channel] += strengths[k, channel] * sky_share**0.6 * (colour[channel] * wrapped + sheen)


@njit(cache=True)
def shade(nearest, weights, normals, colours, triangles, share, lights, sky, lines, line_colour, background, finer):
    """The picture (h, w, 3) in linear light, averaged from `finer` x `finer` samples a pixel.

    nearest, weights, lines : samples (h * finer, w * finer); normals, colours : of the vertices; share : (h, w)
    lights : (directions (k, 3), strengths (k, 3)); background : (h, w, 3)
    """
    directions, strengths = lights
    height, width = share.shape
    picture = np.zeros((height, width, 3))
    normal, colour = np.zeros(3), np.zeros(3)
    for i in range(height * finer):
        for j in range(width * finer):
            row, column = i // finer, j // finer
            t = nearest[i, j]
            if lines[i, j]:
                picture[row, column] += line_colour
            elif t < 0:
                picture[row, column] += background[row, column]
            else:
                wa, wb = weights[i, j, 0], weights[i, j, 1]
                a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
                for k in range(3):
                    normal[k] = wa * normals[a, k] + wb * normals[b, k] + (1 - wa - wb) * normals[c, k]
                    colour[k] = wa * colours[a, k] + wb * colours[b, k] + (1 - wa - wb) * colours[c, k]
                length = np.sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
                side = 1.0 if normal[2] >= 0 else -1.0  # an open surface is lit on both sides
                for k in range(3):
                    normal[k] *= side / max(length, 1e-12)
                _light(normal, colour, share[row, column], directions, strengths, sky, picture[row, column])
    return picture / finer**2
