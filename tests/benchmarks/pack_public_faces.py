"""Pack the model of real people, and its expressions, from ICT-FaceKit's two files:
`python tests/benchmarks/pack_public_faces.py ict_faces.npz ict_expressions.npz`.

Kept are the mean, made symmetric, and its most varying modes, as integers with a scale each; and the expressions but
those of the eyeballs, at the same vertices, more coarsely. The skin's five openings
are closed: what folds inwards at lids, nostrils and lips is cut off, and a patch continues the skin round it as a thin
plate does, without an edge. A patch is a fixed linear map of the skin round it, so that it follows every mode; the
eyes' is raised by what an eyeball does to closed lids.
"""

import sys
from dataclasses import dataclass

import numpy as np
import scipy

from shapedp.surfaces.human_face.real_faces import PACKED, PACKED_EXPRESSIONS

MODES = 64  # of the 100: 98.8 % of the variance
STEP_MM = 0.002  # of the modes' integers; the mean's are finer
EXPRESSION_STEP_MM = 0.02  # of the expressions', which are larger and in half precision to begin with
LEFT_OUT = "eyeLook"  # expressions that turn the eyeballs, of which skin shows little
MM_PER_CM = 10.0
SOURCE = "ICT-FaceKit, USC Institute for Creative Technologies, MIT licence; https://github.com/USC-ICT/ICT-FaceKit"
ROUND = 2  # rings of skin round a patch that say how it goes on


@dataclass(frozen=True)
class Opening:
    """loop : its name in the source; mirrored : whether the other side has it as well; removed : rings of vertices that
    are cut off, from the loop on; raised_mm : how far the patch's middle is raised
    """

    loop: str
    mirrored: bool
    removed: int
    raised_mm: float = 0.0


OPENINGS = (Opening("eye_left", True, 3, 1.0), Opening("nostril_left", True, 3), Opening("mouth", False, 3))


def pack(source, expressions_source, target=PACKED, expressions_target=PACKED_EXPRESSIONS):
    """Write the packed model of a file of the ICT model, and its expressions, to two files."""
    with np.load(source, allow_pickle=False) as data:
        given = {name: data[name] for name in data}
    with np.load(expressions_source, allow_pickle=False) as data:
        named = [k for k, name in enumerate(data["names"]) if not name.startswith(LEFT_OUT)]
        names, expressions = data["names"][named], MM_PER_CM * data["expressions"][named].astype(float)
    mean, modes = MM_PER_CM * given["mean"].astype(float), MM_PER_CM * given["modes"].astype(float)
    partner = mirrored(mean)
    mean = (mean + mean[partner] * [-1, 1, 1]) / 2
    chosen = np.argsort(-(modes**2).sum(axis=(1, 2)), kind="stable")[:MODES]
    everything = np.concatenate([mean[None], modes[chosen], expressions])
    triangles = given["triangles"].astype(np.int64)
    for opening in OPENINGS:
        loop = given[f"loop_{opening.loop}"].astype(np.int64)
        everything, triangles = closed(everything, triangles, loop, opening, partner if opening.mirrored else None)
    kept, triangles = np.unique(triangles, return_inverse=True)
    mean, modes, expressions = everything[0, kept], everything[1 : MODES + 1, kept], everything[MODES + 1 :, kept]
    scale = np.abs(mean).max() / np.iinfo(np.int16).max
    np.savez_compressed(
        target,
        mean=np.rint(mean / scale).astype(np.int16),
        mean_scale=scale,
        modes=np.rint(modes / STEP_MM).astype(np.int16),
        modes_scale=STEP_MM,
        triangles=triangles.reshape(-1, 3).astype(np.int16),
        nose_tip=np.searchsorted(kept, given["nose_tip"]),
        source=SOURCE,
    )
    np.savez_compressed(
        expressions_target,
        names=names,
        expressions=np.rint(expressions / EXPRESSION_STEP_MM).astype(np.int16),
        expressions_scale=EXPRESSION_STEP_MM,
        source=SOURCE,
    )


def mirrored(vertices):
    """(n,) the partner of each vertex (n, 3): the one nearest to its mirror image under x -> -x."""
    partner = scipy.spatial.cKDTree(vertices).query(vertices * [-1, 1, 1])[1]
    if not np.array_equal(partner[partner], np.arange(len(vertices))):
        raise ValueError("the model's vertices do not come in mirrored pairs, so its mean cannot be made symmetric")
    return partner


def closed(everything, triangles, loop, opening, partner=None):
    """(mean and modes (1 + k, n + p, 3), triangles) with an Opening closed; partner : where its mirror image is, too.

    loop : (b,) the vertices of its rim. What is cut off stays among the points, and is in no triangle.
    """
    ring = rings(triangles, loop, opening.removed + ROUND)
    skin = triangles[(ring[triangles] >= opening.removed).all(axis=1)]
    rim = rim_of(skin, np.argmax(ring == opening.removed))
    weights, inside = membrane(everything[0, rim])
    near = skin[(ring[skin] <= opening.removed + ROUND).any(axis=1)]
    round_it = np.setdiff1d(near, rim)
    points = np.concatenate([rim, round_it])
    place = np.full(everything.shape[1], -1)
    place[points] = np.arange(len(points))
    new = np.arange(len(points), len(points) + len(weights))
    patch = facing(np.append(np.arange(len(rim)), new)[inside], place[near])
    shape = np.concatenate([everything[0, points], weights @ everything[0, rim]])
    how, height = plate(shape, np.concatenate([place[near], patch]), new)
    for here, side in ((points, 1), (None if partner is None else partner[points], -1)):
        if here is None:
            continue
        added = np.einsum("ij,kjd->kid", how, everything[:, here])
        added[0] += opening.raised_mm * height * [side, 1, 1]
        if side < 0:
            skin = skin[~np.isin(skin, partner[np.flatnonzero(ring < opening.removed)]).any(axis=1)]
        numbers = np.append(here, everything.shape[1] + np.arange(len(weights)))
        skin = np.concatenate([skin, numbers[patch if side > 0 else patch[:, ::-1]]])
        everything = np.concatenate([everything, added], axis=1)
    return everything, skin


def rings(triangles, loop, most):
    """(n,) how many edges each vertex lies from a loop; most + 1 where it is farther."""
    found = np.full(triangles.max() + 1, most + 1)
    found[loop] = 0
    for k in range(1, most + 1):
        reached = np.unique(triangles[(found[triangles] == k - 1).any(axis=1)])
        found[reached] = np.minimum(found[reached], k)
    return found


def rim_of(triangles, start):
    """(b,) the loop of sides that are of one triangle only, from a vertex on, the surface on its left."""
    sides = {side for row in triangles.tolist() for side in zip(row, row[1:] + row[:1], strict=True)}
    after = {a: b for a, b in sides if (b, a) not in sides}
    loop = [int(start)]
    while (vertex := after[loop[-1]]) != loop[0]:
        loop.append(vertex)
    return np.array(loop)


def plate(points, triangles, free):
    """(weights (p, n - p), height (p, 3)): where points that are free lie so that the surface bends least.

    Least is sum_i |(L x)_i|^2 / mass_i over the free points and those beside them, L the surface's Laplacian. height is
    where a pressure on the free points raises such a plate, at most 1, along the surface's mean normal.
    """
    stiffness, mass = _laplacian(points, triangles)
    is_free = np.isin(np.arange(len(points)), free)
    beside = np.unique(triangles[is_free[triangles].any(axis=1)])
    rows = stiffness[beside]
    bending = (rows.T @ scipy.sparse.diags_array(1 / mass[beside]) @ rows).tocsr()
    solve = scipy.sparse.linalg.splu(bending[free][:, free].tocsc()).solve
    height = solve(mass[free])
    a, b, c = (points[triangles[is_free[triangles].any(axis=1), k]] for k in range(3))
    normal = np.cross(b - a, c - a).sum(axis=0)
    weights = solve(-bending[free][:, ~is_free].toarray())
    return weights, np.outer(height / height.max(), normal / np.linalg.norm(normal))


def facing(closing, skin):
    """The triangles that close an opening, turned so that they face the way of the skin round it: no side twice."""
    size = max(closing.max(), skin.max()) + 1
    sides, taken = (
        np.concatenate([one[:, k] * size + one[:, (k + 1) % 3] for k in range(3)]) for one in (closing, skin)
    )
    return closing[:, ::-1] if np.isin(sides, taken).any() else closing


def membrane(rim):
    """(weights (p, b), triangles over rim and new points (t, 3)) of a surface that spans a rim (b, 3).

    In the unit disk, the rim on its circle by arc length: a ring of points between the rim's, a lattice within it,
    Delaunay's triangles, and the harmonic function of the rim's values at each point, sum_j weights_ij rim_j. So no
    triangle joins three points of the rim, some of which the skin joins already.
    """
    lengths = np.linalg.norm(np.roll(rim, -1, axis=0) - rim, axis=1)
    start = 2 * np.pi * np.append(0, np.cumsum(lengths)[:-1]) / lengths.sum()
    spacing = 2 * np.pi / len(rim)
    ring = 1 - spacing * np.sqrt(3) / 2
    between = start + np.pi * lengths / lengths.sum()
    steps = np.arange(-np.ceil(2 / spacing), np.ceil(2 / spacing) + 1)
    i, j = (one.ravel() for one in np.meshgrid(steps, steps))
    lattice = spacing * (i + j * np.exp(1j * np.pi / 3))
    inner = np.append(ring * np.exp(1j * between), lattice[np.abs(lattice) < ring - spacing * 0.6])
    points = np.append(np.exp(1j * start), inner)
    points = np.stack([points.real, points.imag], axis=1)
    triangles = scipy.spatial.Delaunay(points).simplices.astype(np.int64)
    u, v = (points[triangles[:, k]] - points[triangles[:, 0]] for k in (1, 2))
    turned = u[:, 0] * v[:, 1] < u[:, 1] * v[:, 0]
    triangles[turned] = triangles[turned, ::-1]
    stiffness, _ = _laplacian(points, triangles)
    free, held = stiffness[len(rim) :, len(rim) :], stiffness[len(rim) :, : len(rim)]
    return scipy.sparse.linalg.splu(free.tocsc()).solve(-held.toarray()), triangles


def _laplacian(points, triangles):
    """(cotangent stiffness (n, n), lumped mass (n,)) of a triangulated surface, or a plane one."""
    rows, columns, values = [], [], []
    mass = np.zeros(len(points))
    for k in range(3):
        i, j, opposite = (triangles[:, (k + s) % 3] for s in (1, 2, 0))
        u, v = points[i] - points[opposite], points[j] - points[opposite]
        cross = np.sqrt((u**2).sum(axis=1) * (v**2).sum(axis=1) - (u * v).sum(axis=1) ** 2)
        half = (u * v).sum(axis=1) / cross / 2
        rows += [i, j, i, j]
        columns += [j, i, i, j]
        values += [-half, -half, half, half]
        np.add.at(mass, opposite, cross / 6)
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return scipy.sparse.csr_array(entries, shape=(len(points), len(points))), mass


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tests/benchmarks/pack_public_faces.py ict_faces.npz ict_expressions.npz")
    pack(*sys.argv[1:])
    for path in (PACKED, PACKED_EXPRESSIONS):
        print(f"{path}: {path.stat().st_size / 1e6:.2f} MB")
