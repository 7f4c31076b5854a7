"""Prepare a cloud of points to be triangulated: thin it, and drop what is not its one surface, and hidden points.

A cloud of more points than its surface needs is thinned to the means of small cubes: noise falls with their number.
Lone points and stray pieces are dropped, each counted.

Hidden points lie under a layer of others, seen from outside along lines through the eye inside the head. Such points
(nostril pockets, the inside of the lips) have no place of their own in a flattening. A point on a steep slope has
higher ones beside it too, but on one side; a point under a layer has them all round.

A noisy scan is smoothed by as much as its noise asks, by moving least squares. The noise is estimated from the
residuals of a quadric fitted to the NEIGHBOURS_OF_NOISE nearest to some points: 1.48 times the median of |residual| /
sqrt(1 - leverage). Few neighbours would read too little where neighbours share their noise, as in a depth camera's.
Units: u is the square root of a face's area in the scan.
"""

import numpy as np
import scipy

from shapedp.base.errors import Rejected, format_count
from shapedp.base.storage.loops import loop
from shapedp.surfaces import frame, topology

# Points that are taken as they are; more are thinned to about AIM means.
MOST_POINTS = 12_000
AIM = 8_000
# Cubes along the cloud's widest spread (sd) to begin with.
COARSE = 40
# Times AIM: so many means are few enough.
ENOUGH = 1.15
# Of the median number of points in a cube: fewer lie beside the surface, and their mean does, too.
SPARSE = 0.3
THINNING_ROUNDS = 6
# Cubes from the middle: what lies farther out is as well as far as that, and its number fits.
FAR_CUBE = 1 << 19
MOST_CUBES = 1 << 24


def thin_points(points):
    """Return (points, notices): points (n, 3), or about AIM means in their place if they are more than a surface needs.

    They are means of the points in cubes along the cloud's own axes. Cubes centered at the cloud's middle follow it
    through any motion; a mirrored axis mirrors them.
    """
    if len(points) <= MOST_POINTS:
        return points, []
    centroid, extents, axes = frame.principal(points)
    side = extents[0] / COARSE
    for _ in range(THINNING_ROUNDS):
        cube = _renumber_cubes(find_cubes(points, centroid, axes, side))
        count = np.bincount(cube)
        used_cubes = np.flatnonzero(count >= max(1, SPARSE * np.median(count[count > 0])))
        means = np.column_stack(
            [np.bincount(cube, points[:, axis])[used_cubes] / count[used_cubes] for axis in range(3)]
        )
        if AIM / ENOUGH <= len(means) <= ENOUGH * AIM:
            break
        side *= np.sqrt(len(means) / AIM)
    if len(means) > MOST_POINTS:
        raise Rejected(
            "uneven",
            f"{len(points)} points cannot be thinned evenly: most are crowded in a small part of the scan; crop it to "
            "the face",
        )
    return means, [f"{len(points)} points thinned to {len(means)} means"]


def find_cubes(points, centroid, axes, side):
    """Return (n,), the number of the cube each point lies in, by which a dense scan is thinned to the means of cubes.

    A block of points at a time, for millions fill the memory.
    """
    cell = np.empty((3, len(points)), dtype=np.int32)
    for start in range(0, len(points), frame.BLOCK):
        block = slice(start, start + frame.BLOCK)
        cell[:, block] = np.clip(np.rint(axes.T @ (points[block] - centroid).T / side), -FAR_CUBE, FAR_CUBE)
    cell -= cell.min(axis=1, keepdims=True)
    sizes = cell.max(axis=1).astype(np.int64) + 1
    return (cell[0].astype(np.int64) * sizes[1] + cell[1]) * sizes[2] + cell[2]


def _renumber_cubes(cube):
    """Return numbers of cubes small enough to count by: as they are, or where far outliers make them large those in
    use.
    """
    return cube if cube.max() < MOST_CUBES else np.unique(cube, return_inverse=True)[1]


def choose_evenly(points, most):
    """Return the indices of about `most` rows, every so many, for what a whole scan would make slow."""
    return np.unique(np.linspace(0, len(points) - 1, min(most, len(points))).astype(int))


NEIGHBOURS = 8
# The distance to the fourth neighbour is a point's spacing.
FOURTH = 4
# In median distances to the last of these neighbours: farther points are not connected.
REACH = 6.0
# Of the largest piece's radius (rms): a piece beyond such a gap is another object.
NEAR_PIECE = 0.5
# Share of the points below which a piece is stray, however near.
STRAY = 0.005
# Share of the points from which a far piece is a second object.
SECOND = 0.05
FEWEST_POINTS = 300
# Cells along an axis, in the search for neighbours.
MOST_CELLS = 128
# Points that share a cell there, as far as the cloud is flat.
CROWDED = 6.5
# Points within a shell's radius, by that.
FLAT_SHELL = np.pi * CROWDED
# Neighbours that are kept in a list; to sort all would take longer for fewer.
MOST_BY_LIST = 16
FARTHEST = np.iinfo(np.int64).max
# Points, about, that the bounds of the cells are taken from.
SAMPLED = 1000


def refuse_few(points):
    """Raise Rejected for a cloud of fewer points than any surface has."""
    if len(points) < FEWEST_POINTS:
        raise Rejected("too_few_points", f"{len(points)} points; a surface needs at least {FEWEST_POINTS}")


def keep_one_surface(points):
    """Return (indices of the points that belong to the scanned surface, their spacing, notices); stray pieces are
    dropped.

    A patch beside the largest piece, beyond a shadow of the scanner, belongs to it: the neck under the chin.
    """
    refuse_few(points)
    distance, index = find_nearest(points, NEIGHBOURS)
    label = _find_pieces(distance, index, REACH * np.median(distance[:, -1]))
    share = np.bincount(label) / len(points)
    belongs = np.arange(len(share)) == np.argmax(share)
    main = points[belongs[label]]
    for piece in np.flatnonzero((share > STRAY) & ~belongs):
        away = scipy.spatial.cKDTree(main).query(points[label == piece])[0]
        gap = away.min() / np.sqrt(main.var(axis=0).sum())
        belongs[piece] = gap < NEAR_PIECE
        if not belongs[piece] and share[piece] > SECOND:
            # Of points on a line or in a plane that is what is wrong, and this says so.
            frame.fit(points)
            raise Rejected(
                "multiple_components",
                f"the points form separate objects of {len(main)} and {share[piece] * len(points):.0f} points, "
                f"{gap:.1f} radii apart; crop the scan to one face",
            )
    kept_indices = np.flatnonzero(belongs[label])
    dropped = len(points) - len(kept_indices)
    return (
        kept_indices,
        distance[kept_indices, FOURTH - 1],
        [f"{format_count(dropped, 'stray point')} dropped"] if dropped else [],
    )


def find_nearest(points, count, chosen=None):
    """Return (distances (n, count), indices (n, count)) of each point's nearest others, which tell spacing, noise and
    stray pieces.

    The nearest comes first. chosen : (n,) indices of the points that are asked for; None: all. By the cells of a grid:
    those round a point are looked through in shells until no nearer point can lie beyond. Points far out count to the
    outermost cells, which only makes them look nearer than they are.
    """
    some = points[:: 1 + len(points) // SAMPLED]
    few = len(some) // 100
    ordered = np.sort(some, axis=0)
    low, high = ordered[few], ordered[-1 - few]
    wide = np.sort(high - low)[-2:]
    side = max((wide.prod() * CROWDED / len(points)) ** 0.5, wide[-1] / MOST_CELLS, 1e-300)
    numbers = np.arange(len(points)) if chosen is None else chosen
    return _find_nearest(points, low, side, min(count, len(points) - 1), numbers)


@loop
def _sort_into_cells(points, low, side):
    """Return the points sorted into a grid's cells, in which `_find_nearest` looks for neighbours.

    (cell (n, 3) of each point, order (n,) of the points by place, where each place begins, cells an axis)
    """
    cell, shape = np.empty((len(points), 3), dtype=np.int64), np.ones(3, dtype=np.int64)
    for p in range(len(points)):
        for d in range(3):
            cell[p, d] = int(np.floor(min(max((points[p, d] - low[d]) / side, -1.0), float(MOST_CELLS)))) + 1
            shape[d] = max(shape[d], cell[p, d] + 1)
    place = np.empty(len(points), dtype=np.int64)
    for p in range(len(points)):
        place[p] = (cell[p, 0] * shape[1] + cell[p, 1]) * shape[2] + cell[p, 2]
    order, starts = topology.by_number(place, shape[0] * shape[1] * shape[2])
    return cell, order, starts, shape


@loop
def _find_nearest(points, low, side, count, numbers_asked):
    """Return (distances, indices) of points' nearest others, which tell a cloud's spacing and noise.

    It is the compiled part of `find_nearest`. Points are looked for in cells of one side from `low` on. Of the cells in
    a shell, and those within, points not farther than the shell is wide count: none of these lies outside. A squared
    distance and whose it is are one number: the last bits of the one are the place of the other in a list.
    numbers_asked : indices of the points asked for
    """
    cell, order, starts, shape = _sort_into_cells(points, low, side)
    across, along, height = np.empty(len(points)), np.empty(len(points)), np.empty(len(points))
    for q in range(len(order)):
        across[q], along[q], height[q] = points[order[q], 0], points[order[q], 1], points[order[q], 2]
    distance, index = np.empty((len(numbers_asked), count)), np.empty((len(numbers_asked), count), dtype=np.int64)
    squares, near = np.empty(len(points) + 1), np.empty(len(points) + 1, dtype=np.int64)
    least = np.empty(count)
    last_bits, enough = 2 ** np.int64(np.ceil(np.log2(len(points)))) - 1, np.int64(np.ceil(np.sqrt(count / FLAT_SHELL)))
    numbers, places = squares.view(np.int64), least.view(np.int64)
    for n in range(len(numbers_asked)):
        p, shell, within = numbers_asked[n], enough, 0
        a, b, c = points[p, 0], points[p, 1], points[p, 2]
        while True:
            within, limit = 0, (shell * side) ** 2 if shell < shape.max() else np.inf
            bottom, top = max(cell[p, 2] - shell, 0), min(cell[p, 2] + shell, shape[2] - 1)
            for x in range(max(cell[p, 0] - shell, 0), min(cell[p, 0] + shell + 1, shape[0])):
                for y in range(max(cell[p, 1] - shell, 0), min(cell[p, 1] + shell + 1, shape[1])):
                    # The cells of a column, and their points, follow one another.
                    column = (x * shape[1] + y) * shape[2]
                    for q in range(starts[column + bottom], starts[column + top + 1]):
                        square = (across[q] - a) ** 2 + (along[q] - b) ** 2 + (height[q] - c) ** 2
                        squares[within], near[within] = square, q
                        within += (square <= limit) & (order[q] != p)
            if within >= count:
                break
            shell += 1
        for at in range(within):
            numbers[at] = numbers[at] & ~last_bits | at
        _least(numbers[:within], places)
        for k in range(count):
            q = near[places[k] & last_bits]
            distance[n, k] = np.sqrt((across[q] - a) ** 2 + (along[q] - b) ** 2 + (height[q] - c) ** 2)
            index[n, k] = order[q]
    return distance, index


@loop
def _least(numbers, least):
    """Write the len(least) least of some numbers, ascending: the nearest neighbours, in the inner loop of
    `_find_nearest`.

    A few are found by going down the list, without a branch.
    """
    if len(least) > MOST_BY_LIST:
        least[:] = np.sort(np.partition(numbers, len(least) - 1)[: len(least)])
        return
    least[:] = FARTHEST
    for number in numbers:
        for k in range(len(least)):
            least[k], number = min(least[k], number), max(least[k], number)


@loop
def _find_pieces(distance, index, reach):
    """Return (n,), the number of the connected piece each point belongs to, so that stray pieces can be dropped.

    Pieces hang together over neighbours (n, k) not farther than reach.
    """
    parent = np.arange(len(index))
    for p in range(len(index)):
        for k in range(index.shape[1]):
            if distance[p, k] <= reach and parent[p] != parent[index[p, k]]:
                topology.join(parent, p, index[p, k])
    return topology.find_parts(parent)


# Of the higher point's own spacing: how far aside, at most, it still covers.
ASIDE = 1.5
# The least outward over sideways distance of a point that covers another.
STEEP = 1.5
# The largest length of the mean direction to the covering points where they lie all round.
ROUND = 0.6
FEWEST_COVERING = 3
# Cells that what covers a point may lie away.
FINER = 2
# In median spacings: larger spacings count as this.
WIDEST = 2.0
# Cells along an axis of the flattening; larger ones find the same, by looking at more.
MOST_ACROSS = 2000


@loop
def find_hidden(directions, distances, flat, spacing):
    """Return (n,), which points lie hidden under a layer of others, such as nostrils' pockets, and have no place in a
    flattening.

    They are covered from all round; what covers them is looked for by the cells of a grid over the flattening.

    directions (n, 3) of length 1 and distances (n,) from the eye; flat (n, 2) a conformal flattening of the directions

    spacing : (n,) distance of each point from its neighbours in space
    """
    spacing = np.minimum(spacing, WIDEST * np.median(spacing))
    n, reach, side = len(distances), ASIDE * spacing.max(), 0.0
    for i in range(n):
        u, v = flat[i, 0], flat[i, 1]
        # Of the stereographic projection: flat distance over angle.
        scale = (1 + u * u + v * v) / 2
        side = max(side, reach * scale / distances[i] / FINER)
    left, bottom, place = flat[:, 0].min(), flat[:, 1].min(), np.empty(n, dtype=np.int64)
    side = max(side, (flat[:, 0].max() - left) / MOST_ACROSS, (flat[:, 1].max() - bottom) / MOST_ACROSS)
    # With empty cells all round, so that the search needs no case for the edge.
    columns = int((flat[:, 0].max() - left) / side) + 1 + 2 * FINER
    rows = int((flat[:, 1].max() - bottom) / side) + 1 + 2 * FINER
    for i in range(n):
        row, column = int((flat[i, 1] - bottom) / side), int((flat[i, 0] - left) / side)
        place[i] = (row + FINER) * columns + column + FINER
    order, starts = topology.by_number(place, rows * columns)
    result = np.zeros(n, dtype=np.bool_)
    place, distances, spacing = place[order], distances[order], spacing[order]
    across, along, height = directions[order, 0], directions[order, 1], directions[order, 2]
    cells = len(starts) - 1
    # From how near to the eye a point of each cell may cover others.
    covering = np.full(cells, -np.inf)
    for i in range(n):
        covering[place[i]] = max(covering[place[i]], distances[i] - spacing[i])
    # The same of the cells in a row about each.
    of_row = np.full(cells, -np.inf)
    for cell in range(FINER, cells - FINER):
        for aside in range(-FINER, FINER + 1):
            of_row[cell] = max(of_row[cell], covering[cell + aside])
    for j in range(n):
        count = 0
        for row in range(-FINER, FINER + 1):
            cell = place[j] + row * columns
            if of_row[cell] >= distances[j]:
                near = slice(starts[cell - FINER], starts[cell + FINER + 1])
                point = across[j], along[j], height[j], distances[j]
                count += _count_covering(across[near], along[near], height[near], distances[near], spacing[near], point)
        if count < FEWEST_COVERING:
            continue
        x, y = 0.0, 0.0
        for row in range(-FINER, FINER + 1):
            cell = place[j] + row * columns
            for i in range(starts[cell - FINER], starts[cell + FINER + 1]):
                a, b, c = across[i] - across[j], along[i] - along[j], height[i] - height[j]
                if _covers(a, b, c, distances[i], spacing[i], distances[j]):
                    u, v = flat[order[i], 0] - flat[order[j], 0], flat[order[i], 1] - flat[order[j], 1]
                    size = np.sqrt(u * u + v * v) + 1e-300
                    x, y = x + u / size, y + v / size
        result[order[j]] = x * x + y * y < (ROUND * count) ** 2
    return result


@loop
def _covers(a, b, c, distance, spacing, below):
    """Return whether a scan's point lies over another, at distance `below` from the eye: `find_hidden` counts by it.

    a, b, c : difference of their directions; distance, spacing : of the covering point
    """
    outward = distance - below
    limit = min(ASIDE * spacing, outward / STEEP)
    return (outward >= spacing) & ((a * a + b * b + c * c) * (below * below) < limit * limit)


@loop
def _count_covering(across, along, height, distances, spacing, point):
    """Return how many points lie over one, farther from the eye inside the head, so that `find_hidden` can drop it.

    It has no branch, so that it is done several at a time.
    """
    count = 0
    x, y, z, below = point
    for i in range(len(across)):
        count += _covers(across[i] - x, along[i] - y, height[i] - z, distances[i], spacing[i], below)
    return count


# Points that a quadric is fitted to, and places where one is.
NEIGHBOURS_OF_NOISE, LOOKED_AT = 100, 160
# In u, the rms radius of a face that ends at the built-in template's outline.
FACE = 0.345
# What so few neighbours read, times this, is the most: more is the face's own shape.
FEW, MOST_SHARED = 16, 1.5
# In u: where the neighbours reach farther, at the median, a face's own shape is in the residuals.
NEAR = 0.16
# Of what all squares sum up to: neighbours on a line do no harm.
RIDGE = 1e-13
# Of one u, as words have it: the built-in template's.
MM = 220.0
# In u (about .4 mm at .22 m): a scan with less noise gets worse by smoothing.
CLEAN = 0.002
# In u: more noise than this hides the face.
WORST = 0.02
# Neighbours of all points, which take some 15 s; of those moved at a time.
MOST_PAIRS, PAIRS_AT_ONCE = 1 << 26, 1 << 22
# Points, at most, whose neighbours are counted to see how many all have.
COUNTED = 20_000
# The width of the smoothing is so many times the noise, within limits in u.
WIDE, LEAST_WIDTH, MOST_WIDTH = 8.0, 0.017, 0.055


def estimate_noise(points):
    """Return (noise of a scan's points, the distance to the last of the neighbours at the median), in the units of
    points (n, 3).

    By it a scan is smoothed and its registration judged. Each place counts by the area that its neighbours cover:
    vertices of a mesh lie densest where a face is most bent.
    """
    if len(points) <= NEIGHBOURS_OF_NOISE:
        return np.nan, np.inf
    places = choose_evenly(points, LOOKED_AT)
    distance, index = find_nearest(points, NEIGHBOURS_OF_NOISE - 1, places)
    index = np.column_stack([places, index])
    area = distance[:, -1] ** 2
    typical = []
    for count in (NEIGHBOURS_OF_NOISE, FEW):
        medians = np.median(np.abs(_residuals(points, index[:, :count])), axis=1)
        order = np.argsort(medians)
        typical.append(medians[order][np.searchsorted(np.cumsum(area[order]), area.sum() / 2)])
    wide, narrow = typical
    return float(1.4826 * min(wide, MOST_SHARED * narrow)), float(np.median(distance[:, -1]))


@loop(fastmath={"contract"})
def _subtract_multiple(a, factor, b):
    """Subtract factor b from a, in place: a step of the elimination in `_residuals`."""
    for i in range(len(a)):
        a[i] -= factor * b[i]


@loop(fastmath={"contract"})
def _residuals(points, groups):
    """Return (m, k), how far neighbours lie off a smooth surface through them, of which a scanner's noise is estimated.

    groups : (m, k) indices of neighbours. Each group's surface is the quadric that fits it best, and residuals are
    divided by sqrt(1 - leverage). With rows c = (1, x, y, x^2, x y, y^2) and L L' = sum c c' the leverage is
    |L^-1 c|^2, and the residual z - (L^-1 c) . (L^-1 sum z c).
    """
    count = groups.shape[1]
    result, spread = np.empty(groups.shape), np.empty((3, 3))
    placed, columns, products, right = np.empty((3, count)), np.ones((6, count)), np.empty((6, 6)), np.empty(6)
    for g in range(len(groups)):
        for d in range(3):
            for i in range(count):
                placed[d, i] = points[groups[g, i], d]
            middle = topology.dot(placed[d], columns[0]) / count
            _subtract_multiple(placed[d], middle, columns[0])
            for e in range(d + 1):
                spread[d, e] = spread[e, d] = topology.dot(placed[d], placed[e])
        frame = np.linalg.eigh(spread)[1]
        size = 1 / np.sqrt((spread[0, 0] + spread[1, 1] + spread[2, 2]) / count)
        residual_row = result[g]
        for i in range(count):
            a, b, c = placed[0, i], placed[1, i], placed[2, i]
            x = (a * frame[0, 2] + b * frame[1, 2] + c * frame[2, 2]) * size
            y = (a * frame[0, 1] + b * frame[1, 1] + c * frame[2, 1]) * size
            columns[1, i], columns[2, i], columns[3, i], columns[4, i], columns[5, i] = x, y, x * x, x * y, y * y
            residual_row[i] = a * frame[0, 0] + b * frame[1, 0] + c * frame[2, 0]
        trace = 0.0
        for d in range(6):
            right[d] = topology.dot(columns[d], residual_row)
            for e in range(d + 1):
                products[d, e] = topology.dot(columns[d], columns[e])
            trace += products[d, d]
        leverage = placed[0]
        leverage[:] = 0.0
        # By Cholesky's factor; the columns become L^-1 c.
        for d in range(6):
            products[d, d] += RIDGE * trace
            for e in range(d + 1):
                for f in range(e):
                    products[d, e] -= products[d, f] * products[e, f]
                products[d, e] = np.sqrt(products[d, d]) if d == e else products[d, e] / products[e, e]
            for e in range(d):
                right[d] -= products[d, e] * right[e]
                _subtract_multiple(columns[d], products[d, e], columns[e])
            right[d] /= products[d, d]
            for i in range(count):
                columns[d, i] /= products[d, d]
                leverage[i] += columns[d, i] * columns[d, i]
            _subtract_multiple(residual_row, right[d], columns[d])
        columns[0] = 1.0
        for i in range(count):
            residual_row[i] /= np.sqrt(max(1 - leverage[i], 1e-6))
    return result


def smooth_scan(points):
    """Return (points (n, 3), their noise, the width of the smoothing, notices) of a scan, smoothed as much as its noise
    asks.

    Raises Rejected where noise hides the face. Noise and width have the points' units: nan where the points are too few
    to tell, and 0 where none was wanted.
    """
    size = np.sqrt(frame.variance(points)) / FACE
    noise, reach = estimate_noise(points)
    if not reach <= NEAR * size:
        return points, np.nan, 0.0, []
    if not noise > CLEAN * size:
        return points, noise, 0.0, []
    if noise > WORST * size:
        raise Rejected(
            "too_noisy",
            f"the scan's noise is {noise:.3g} of its units, which is {MM * noise / size:.1f} mm on a face, where "
            f"at most {MM * WORST:.1f} mm are accepted: scan from nearer by, or average several pictures",
        )
    width = float(np.clip(WIDE * noise, LEAST_WIDTH * size, MOST_WIDTH * size))
    words = f"noise of {MM * noise / size:.1f} mm: smoothed over {MM * width / size:.1f} mm by moving least squares"
    return _smooth_points(points, width), noise, width, [words]


def _smooth_points(points, width):
    """Return the points of a noisy scan moved onto quadrics fitted round each: moving least squares, for `smooth_scan`.

    So many at a time that the lists of their neighbours stay small.
    """
    reach = 1.7 * width
    support = _choose_support(points, reach)
    tree = scipy.spatial.cKDTree(points[support])
    ends = np.cumsum(tree.query_ball_point(points, reach, return_length=True))
    parts, begins = [], np.unique(np.searchsorted(ends, np.arange(0, ends[-1], PAIRS_AT_ONCE)))
    for chosen in np.split(np.arange(len(points)), begins[1:]):
        lists = tree.query_ball_point(points[chosen], reach, return_sorted=True)
        starts = np.concatenate([[0], np.cumsum([len(neighbours) for neighbours in lists])])
        near = support[np.concatenate(lists).astype(np.int64)]
        parts.append(_move_points(points, chosen, near, starts, width))
    return np.concatenate(parts)


def _choose_support(points, reach):
    """Return (m,), indices of the points that smoothing fits quadrics to, few enough for no more than about MOST_PAIRS
    pairs.

    All, or every so many, by their distance from the middle. How many there are is counted among some of the points: to
    count them all would take as long as to use them.
    """
    order = frame.canonical_order(points)
    sample = points[order[:: -(-len(points) // COUNTED)]]
    tree = scipy.spatial.cKDTree(sample)
    pairs = tree.count_neighbors(tree, reach) * (len(points) / len(sample)) ** 2
    return np.sort(order[:: max(int(np.ceil(pairs / MOST_PAIRS)), 1)])


@loop
def _move_points(points, chosen, near, starts, width):
    """Return chosen points of a noisy scan, smoothed: each moved along its normal onto a quadric through those near.

    It is the compiled loop of `_smooth_points`.
    Weights are exp(-d^2 / width^2).
    """
    moved_points = points[chosen]
    for i in range(len(chosen)):
        first, last, own_point = starts[i], starts[i + 1], points[chosen[i]]
        if last - first < 12:
            continue
        weights, middle, total = np.empty(last - first), np.zeros(3), 0.0
        for n in range(first, last):
            square = 0.0
            for k in range(3):
                square += (points[near[n], k] - own_point[k]) ** 2
            w = np.exp(-square / width**2)
            weights[n - first] = w
            total += w
            for k in range(3):
                middle[k] += w * points[near[n], k]
        middle /= total
        spread = np.zeros((3, 3))
        for n in range(first, last):
            for k in range(3):
                for m in range(3):
                    a = points[near[n], k] - middle[k]
                    spread[k, m] += weights[n - first] * a * (points[near[n], m] - middle[m])
        frame = np.linalg.eigh(spread)[1]
        normal, right = np.zeros((6, 6)), np.zeros(6)
        row = np.ones(6)
        for n in range(first, last):
            x, y, z = 0.0, 0.0, 0.0
            for k in range(3):
                d = (points[near[n], k] - own_point[k]) / width
                x += d * frame[k, 2]
                y += d * frame[k, 1]
                z += d * frame[k, 0]
            row[1], row[2], row[3], row[4], row[5] = x, y, x * x, x * y, y * y
            for a in range(6):
                right[a] += weights[n - first] * row[a] * z
                for b in range(6):
                    normal[a, b] += weights[n - first] * row[a] * row[b]
        for a in range(6):
            normal[a, a] += 1e-9 * total
        height = np.linalg.solve(normal, right)[0] * width
        for k in range(3):
            moved_points[i, k] += height * frame[k, 0]
    return moved_points
