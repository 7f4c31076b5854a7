"""Tabulate a field on a polar grid and look it up anywhere in the disk, by cubic B-splines.

Coefficients c solve (c[i-1] + 4 c[i] + c[i+1]) / 6 = F[i] along both coordinates: periodic in the angle, through the
center along each diameter, and at r = 1 with the slope of the one-sided fourth-order difference. On a diameter the sum
and the difference of the two radii stand for themselves: even and odd in r. scipy's spline filters know neither the
center nor that slope.
"""

import numpy as np

from shapedp.base.storage.loops import loop
from shapedp.surfaces import polar

SIXTH = 1 / 6
# On a ring (c[i-1] + 4 c[i] + c[i+1]) / 6 = F[i] has the solution c[i] = sqrt(3) sum over k of POLE^|k| F[i - k].
POLE = np.sqrt(3) - 2
# Doublings of the reach of that sum: beyond 2^5 steps nothing is left of POLE^|k|.
DOUBLINGS = 5
# Points whose weights are found before their sums: the processor finds the weights of many points at once.
BLOCK = 256


def coefficients(field, grid):
    """Return the spline coefficients of a field (R, T, d), the table in which `lookup` reads it: (R + 3, T + 3, d)."""
    return _coefficients(np.ascontiguousarray(field, dtype=float), POLE)


@loop(error_model="numpy")
def _coefficients(field, pole):
    """Return the spline coefficients of a field, by which it is read anywhere on the disk: for `coefficients`.

    It is that function's compiled part: around each ring first, then along each diameter.
    """
    rings, angles, channels = field.shape
    c = np.empty((rings + 3, angles + 3, channels))
    ring, width = angles * channels, angles // 2 * channels
    halo = (2**DOUBLINGS - 1) * channels
    line, room = np.empty(ring + 2 * halo), np.empty(ring + 2 * halo)
    even, odd = np.empty((rings + 1, width)), np.empty((rings + 1, width))
    rows, out = field.reshape(rings, ring), c.reshape(rings + 3, ring + 3 * channels)
    for i in range(rings):
        _extend_ring(rows[i], halo, line)
        summed = _sum_around(line, room, channels, pole)
        _sum_and_difference(summed[:width], summed[width:ring], 0.5, even[i], odd[i])
    _solve_along_radii(even, 1.0)
    _solve_along_radii(odd, -1.0)
    for i in range(rings + 1):
        row = out[i + 2, channels:]
        _sum_and_difference(even[i], odd[i], 1.0, row[:width], row[width:ring])
    # Beyond the center the table goes on with what lies on the other side.
    for i in range(2):
        opposite_row, ring_row = out[1 - i, channels:], out[i + 2, channels:]
        opposite_row[:width], opposite_row[width:ring] = ring_row[width:ring], ring_row[:width]
    for i in range(rings + 3):
        row = out[i]
        row[:channels], row[ring + channels :] = row[ring : ring + channels], row[channels : 3 * channels]
    return c


@loop
def _extend_ring(row, halo, out):
    """Write a ring of numbers that goes on at both ends by so many, so that sums around it need no case for its
    ends.
    """
    ring = len(row)
    out[halo : halo + ring] = row
    if halo <= ring:
        out[:halo], out[halo + ring :] = row[ring - halo :], row[:halo]
        return
    for n in range(halo):
        out[n], out[halo + ring + n] = row[(n - halo) % ring], row[n % ring]


@loop
def _sum_around(line, room, channels, pole):
    """Return the spline coefficients on a ring that goes on at both ends, in its place or in `room`, for
    `_coefficients`.

    With p the pole and z a step around, they are sqrt(3) times the field times

    sum over k of p^|k| z^k = (1 - p^2) prod over s of (1 + p^(2^s) z^(2^s)) (1 + p^(2^s) z^(-2^s)).
    """
    size, shift, power, scale = len(line), channels, pole, np.sqrt(3) * (1 - pole * pole)
    for s in range(DOUBLINGS):
        source, target = (line, room) if s % 2 == 0 else (room, line)
        _double_reach(source[:size], shift, (1 + power * power) * scale, power * scale, target)
        size, shift, power, scale = size - 2 * shift, 2 * shift, power * power, 1.0
    return room if DOUBLINGS % 2 else line


@loop
def _double_reach(row, shift, middle, neighbour, out):
    """Write a ring's row times one factor of the product by which `_sum_around` finds its spline coefficients.

    The factor is middle + neighbour (z^shift + z^-shift), z a step around.
    """
    count = len(row) - 2 * shift
    near, here, far = row[:count], row[shift : shift + count], row[2 * shift :]
    for n in range(count):
        out[n] = middle * here[n] + neighbour * (near[n] + far[n])


@loop
def _sum_and_difference(a, b, scale, total, rest):
    """Write (a + b) and (a - b), times a scale: two opposite radii as the even and the odd part of a diameter."""
    for n in range(len(a)):
        total[n], rest[n] = (a[n] + b[n]) * scale, (a[n] - b[n]) * scale


@loop(error_model="numpy")
def _solve_along_radii(c, parity):
    """Turn the rings' coefficients into those of the spline along all radii at once, in place, for `_coefficients`.

    Solved by elimination are tridiagonal systems; c (R + 1, n), the last row for c[R].

    Rows: c[-1] = parity c[0];  c[i-1] + 4 c[i] + c[i+1] = 6 F[i];  c[R] = c[R-2] + 2 slope.
    """
    rings, width = len(c) - 1, c.shape[1]
    twice, upper = np.empty(width), np.empty(rings)
    first, second, third, fourth, fifth = c[rings - 1], c[rings - 2], c[rings - 3], c[rings - 4], c[rings - 5]
    for n in range(width):
        near = 25 * first[n] - 48 * second[n] + 36 * third[n]
        twice[n] = (near - 16 * fourth[n] + 3 * fifth[n]) / 6
    upper[0] = 1.0 / (4.0 + parity)
    inner = c[0]
    for n in range(width):
        inner[n] *= 6.0 * upper[0]
    for i in range(1, rings):
        lower = 2.0 if i == rings - 1 else 1.0
        upper[i] = 1.0 / (4.0 - lower * upper[i - 1])
        ring_row, before, own, other = c[i], c[i - 1], 6.0 * upper[i], lower * upper[i]
        for n in range(width):
            ring_row[n] = own * ring_row[n] - other * before[n]
    for n in range(width):
        first[n] -= upper[rings - 1] * twice[n]
    for i in range(rings - 2, -1, -1):
        ring_row, after, own = c[i], c[i + 1], upper[i]
        for n in range(width):
            ring_row[n] -= own * after[n]
    beyond = c[rings]
    for n in range(width):
        beyond[n] = second[n] + twice[n]


# The angle of a point is found without a branch, so that a processor finds many at once.
EIGHTH = np.pi / 8
# The tangent of an eighth of a half turn.
TANGENT = np.sqrt(2) - 1
# Added to a divisor, so that the center has an angle.
TINY = 1e-300
# Chebyshev fit of arctan(s) / s in powers of s^2, off by 5e-16 for |s| <= TANGENT
A0, A1, A2, A3 = 0.9999999999999994, -0.3333333333322221, 0.19999999978393715, -0.1428571265726602
A4, A5, A6 = 0.11111048613766297, -0.09089524328452712, 0.07673465411948634
A7, A8, A9 = -0.0650550189219683, 0.05023037455439688, -0.0252912827800962


@loop(error_model="numpy")
def angle(x, y):
    """Return the angle of a point, in (-pi, pi], without a branch, so that those of many points are found at once.

    For the steeper half of an eighth of the plane arctan(a / b) = pi/8 + arctan((a - t b) / (b + t a)), t = tan(pi/8).
    """
    across, up = abs(x), abs(y)
    least, most = min(across, up), max(across, up)
    s = (least - TANGENT * most) / (most + TANGENT * least + TINY)
    z = s * s
    high = A5 + z * (A6 + z * (A7 + z * (A8 + z * A9)))
    turn = EIGHTH + s * (A0 + z * (A1 + z * (A2 + z * (A3 + z * (A4 + z * high)))))
    turn = np.pi / 2 - turn if up > across else turn
    turn = np.pi - turn if x < 0 else turn
    return -turn if y < 0 else turn


@loop
def _weights(t):
    """Return the spline weights by which a surface or field on the disk is read between the points of its grid.

    They are of four neighbours, at t in [0, 1] between the middle two: cubic B-splines.

    With s = 1 - t: s^3/6, 2/3 - t^2 (1 - t/2), 2/3 - s^2 (1 - s/2), t^3/6.
    """
    s = 1.0 - t
    return s * s * s * SIXTH, 4 * SIXTH - t * t * (1.0 - t / 2), 4 * SIXTH - s * s * (1.0 - s / 2), t * t * t * SIXTH


@loop(error_model="numpy")
def place(x, y, rings, angles, channels, first, across, around):
    """Write where points of the disk are read in a flat table, and with which weights, so that `read` can sum any
    channels.

    That is the first of their 4 x 4 coefficients, and the cubic B-spline weights (4, n) across and around. Points
    outside are taken to the rim.
    """
    a0, a1, a2, a3 = across[0], across[1], across[2], across[3]
    b0, b1, b2, b3 = around[0], around[1], around[2], around[3]
    steps = angles / (2 * np.pi)
    for n in range(len(x)):
        step = angle(x[n], y[n]) * steps
        step = step + angles if step < 0.0 else step
        out = min(np.sqrt(x[n] * x[n] + y[n] * y[n]), 1.0) * (rings - 0.5) + 0.5
        row, column = min(int(out), rings - 1), min(int(step), angles - 1)
        a0[n], a1[n], a2[n], a3[n] = _weights(out - row)
        b0[n], b1[n], b2[n], b3[n] = _weights(step - column)
        first[n] = (row * (angles + 3) + column) * channels


@loop
def _weigh_four(flat, at, step, weights):
    """Return the sum of four numbers of a flat table, `step` apart, times their weights: a row of what a lookup
    sums.
    """
    two = step + step
    near = weights[0] * flat[at] + weights[1] * flat[at + step]
    return near + (weights[2] * flat[at + two] + weights[3] * flat[at + two + step])


@loop
def read(flat, step, below, first, across, around, values):
    """Write the values (d, n) of a field at n points of the disk, as each step of a registration reads surfaces.

    The points were placed by `place`; the values are of the first d channels of a flat table.

    step, below : from one column of the table to the next, and from one row
    """
    a0, a1, a2, a3 = across[0], across[1], across[2], across[3]
    b0, b1, b2, b3 = around[0], around[1], around[2], around[3]
    # Unsigned, since numbers that are known not to be negative need no check for counting from the end.
    right, down = np.uint64(step), np.uint64(below)
    for n in range(values.shape[1]):
        weights = b0[n], b1[n], b2[n], b3[n]
        for d in range(len(values)):
            at, total = np.uint64(first[n] + d), 0.0
            for a in (a0[n], a1[n], a2[n], a3[n]):
                total += a * _weigh_four(flat, at, right, weights)
                at += down
            values[d, n] = total


@loop
def _lookup(c, points):
    """Return (N, d), a field at points (2 N,) of the disk, such as a surface where a registration has its points.

    It is the compiled part of `lookup`, in blocks. The processor finds the weights of many points at once.
    """
    rings, angles, channels = c.shape[0] - 3, c.shape[1] - 3, c.shape[2]
    out = np.empty((len(points) // 2, channels))
    flat, below = c.reshape(-1), (angles + 3) * channels
    x, y, first = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK, dtype=np.int64)
    across, around = np.empty((4, BLOCK)), np.empty((4, BLOCK))
    for start in range(0, len(out), BLOCK):
        count = min(BLOCK, len(out) - start)
        for n in range(count):
            x[n], y[n] = points[2 * (start + n)], points[2 * (start + n) + 1]
        place(x[:count], y[:count], rings, angles, channels, first, across, around)
        read(flat, channels, below, first, across, around, out[start : start + count].T)
    return out


def lookup(c, points):
    """Return a field at points (..., 2) of the disk, such as a surface where a registration has its points: (..., d).

    It is read from the field's spline, between grid points, too; points outside are taken to the rim.

    Parameters
    ----------
    c : (R + 3, T + 3, d) array
        Its `coefficients`.
    points : (..., 2) array
    """
    return _lookup(c, np.ascontiguousarray(points, dtype=float).reshape(-1)).reshape(*points.shape[:-1], -1)


def lookup_grid(c, rings, angles, turn=0.0):
    """Return the field at the points of a polar grid of another size, turned by an angle: (rings, angles, d)."""
    return lookup_circles(c, polar.radii(rings), angles, turn)


def lookup_circles(c, radii, angles, turn=0.0):
    """Return a field at equal angles on circles of these radii (n,), such as curves or another grid: (n, angles, d).

    As `lookup` at those points gives it, in a tenth of the time: along the radius first, then along each circle.
    """
    across = np.minimum(radii, 1.0) * (c.shape[0] - 3.5) + 0.5
    around = (np.arange(angles) / angles + turn / (2 * np.pi)) % 1.0 * (c.shape[1] - 3)
    return _lookup_grid(c, across, around)


@loop
def _lookup_grid(c, across, around):
    """Return a field at the points of circles, such as a face's curves: the compiled part of `lookup_circles`.

    across, around : the circles and the angles, in steps of the table
    """
    rows, columns, channels = c.shape
    out = np.empty((len(across), len(around), channels))
    flat, circles = c.reshape(rows, columns * channels), out.reshape(len(across), -1)
    weights, first = np.empty((4, len(around))), np.empty(len(around), dtype=np.int64)
    for k in range(len(around)):
        column = min(int(around[k]), columns - 4)
        first[k] = column * channels
        weights[0, k], weights[1, k], weights[2, k], weights[3, k] = _weights(around[k] - column)
    line, step = np.empty(columns * channels), np.uint64(channels)
    b0, b1, b2, b3 = weights[0], weights[1], weights[2], weights[3]
    for i in range(len(across)):
        row = min(int(across[i]), rows - 4)
        a, b, e, f = _weights(across[i] - row)
        inner, second, third, outer = flat[row], flat[row + 1], flat[row + 2], flat[row + 3]
        for n in range(len(line)):
            line[n] = (a * inner[n] + b * second[n]) + (e * third[n] + f * outer[n])
        circle = circles[i]
        for k in range(len(around)):
            at, start, four = np.uint64(first[k]), np.uint64(k) * step, (b0[k], b1[k], b2[k], b3[k])
            for d in range(channels):
                circle[start + np.uint64(d)] = _weigh_four(line, at + np.uint64(d), step, four)
    return out


def gradient(c, grid):
    """Return (dF/dx, dF/dy) of a field at the points of its spline's grid, to descend along: two arrays (R, T, d)."""
    return _gradient(c, (grid.rings - 0.5) / 12, grid.angles / (24 * np.pi) / grid.r, *grid.turns)


@loop
def _gradient(c, per_radius, per_angle, cos, sin):
    """Return the derivatives in x and y of a field on its spline's own grid, along which a registration descends.

    It is the compiled part of `gradient`, from the coefficients c: from d/dr and d/(r dtheta), which there are
    differences of neighbours but one, weighted by 1/6, 4/6, 1/6.
    """
    rings, angles, channels = len(per_angle), len(cos), c.shape[2]
    along_x, along_y = np.empty((rings, angles, channels)), np.empty((rings, angles, channels))
    ring = angles * channels
    rows = c.reshape(len(c), -1)
    radial, turning = np.empty(ring), np.empty(ring)
    for i in range(rings):
        inner, middle, outer, turn = rows[i + 1], rows[i + 2], rows[i + 3], per_angle[i]
        for n in range(ring):
            o, p = n + channels, n + 2 * channels
            radial[n] = per_radius * (outer[n] - inner[n] + 4 * (outer[o] - inner[o]) + (outer[p] - inner[p]))
            turning[n] = turn * (inner[p] - inner[n] + 4 * (middle[p] - middle[n]) + (outer[p] - outer[n]))
        for k in range(angles):
            for d in range(channels):
                n = k * channels + d
                along_x[i, k, d] = cos[k] * radial[n] - sin[k] * turning[n]
                along_y[i, k, d] = sin[k] * radial[n] + cos[k] * turning[n]
    return along_x, along_y
