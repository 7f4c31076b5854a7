"""Draw a parametric face: a mean face written as a formula and fields of difference, all on one mesh.

    face(w) = template + sum_i w_i field_i,      w_i ~ N(0, 1) independent

Frame: x towards the face's left, y up, z out of the face, mm, nose tip of the mean face near the origin. The mean face
is symmetric and its formula is public: it was not computed from anybody's data. In front of an egg-shaped mask lie
brow, eyes, nose, mouth, chin and cheeks. A field (n, 3) over x and y of the mean face is what one standard deviation of
its weight adds; sizes follow what anthropometry finds for adults: a few mm. All faces share one mesh: a disk of
concentric rings laid on the mask, whose own coordinates (s, t) are in mm, s along the skin towards the face's left, t
upwards, nose tip at (0, 0).
"""

from functools import cache

import numpy as np
import scipy


def bump(x, y, center, width):
    """Return a bump of height 1, of which the formula's face is made: exp(-((x - cx)^2 / sx^2 + (y - cy)^2 / sy^2) /
    2).
    """
    return np.exp(-0.5 * (((x - center[0]) / width[0]) ** 2 + ((y - center[1]) / width[1]) ** 2))


def pair(x, y, center, width):
    """Return a bump on the left and its mirror image on the right, as cheeks and eyes are; smooth across the
    midline.
    """
    return bump(x, y, center, width) + bump(-x, y, center, width)


def rise(v, width):
    """Return a smooth step from 0 (v << 0) to 1 (v >> 0) of the given half-width."""
    return 0.5 * (1 + np.tanh(v / width))


def ridge(v, width):
    """Return exp(-(v / width)^2 / 2): a wall along the curve v = 0."""
    return np.exp(-0.5 * (v / width) ** 2)


def mask(s, t):
    """Return x, y and depth z (mm) at s, t (mm) of the bare mask onto which the formula's face adds skull, eyes, nose
    and mouth.

    A level is a flattened ellipse of half-width w(t).
    """
    w = 71 - 8 * rise(-t - 32, 30) - 11 * rise(-t - 64, 16) - 5 * rise(t - 72, 20)
    angle = s / w
    profile = -22.8 - 13 * ((t - 6) / 90) ** 4 - 7 * np.logaddexp(0, (-t - 77) / 4)
    return w * np.sin(angle), t, profile - 88 * (1 - np.cos(angle)) ** 1.12


def skull(x, y):
    """Return the depth (mm) that the skull adds to the formula's face at x, y (mm): forehead, brows, sockets,
    cheekbones, temples.
    """
    a = np.abs(x)
    brow = 54.5 - 0.009 * (a - 28) ** 2
    depth = 2.5 * pair(x, y, (21, 78), (19, 15)) + 1.5 * bump(x, y, (0, 54), (11, 7))
    depth += 3.2 * ridge(y - brow, 6.0) * rise(a - 9, 6) * rise(55 - a, 7)
    depth -= 10.5 * pair(x, y, (31, 37), (14, 10)) + 4.5 * pair(x, y, (14, 37.5), (5.5, 8))
    depth += 6.0 * pair(x, y, (46, 13), (14, 11)) - 3.5 * pair(x, y, (62, 58), (11, 20))
    return depth - 1.2 * ridge(y - 24 + 0.25 * (a - 15), 2.6) * pair(x, y, (21, 23), (8, 8))


def eye_depth(x, y):
    """Return the depth (mm) that the eyes add to the formula's face: eyeballs, lids, the open eye with the iris, the
    lid's fold.
    """
    a = np.abs(x)
    across = (a - 30.5) / 15.0
    arch = np.clip(1 - across**2, 0, None)
    slant = 35.0 + 1.0 * across
    upper, lower = slant + 6.0 * arch * (1 - 0.15 * across), slant - 4.6 * arch * (1 + 0.2 * across)
    opening = rise(upper - y, 1.0) * rise(y - lower, 1.0) * rise(arch - 0.12, 0.12)
    from_pupil = np.hypot(a - 30.5, y - 36.2)
    iris = -0.7 * rise(5.8 - from_pupil, 0.9) - 2.0 * rise(2.8 - from_pupil, 1.3)
    window = rise(1.12 - np.abs(across), 0.10)
    lids = 0.9 * ridge(y - upper - 1.2, 1.4) + 0.6 * ridge(y - lower + 1.2, 1.4)
    fold = -1.5 * ridge(y - upper - 4.4, 1.6) - 0.5 * ridge(y - lower + 6.0, 2.0)
    return 8.0 * pair(x, y, (30.5, 36), (10.5, 8)) + opening * (iris - 2.3) + (lids + fold) * window


def nose_depth(x, y):
    """Return the depth (mm) that the nose adds to the formula's face: bridge, tip, wings, underside with nostrils and
    columella.
    """
    a = np.abs(x)
    height = 3.0 + 13.6 * np.clip((44 - y) / 41, 0, 1.22) ** 1.15
    height *= rise(y + 8.0 - 2.6 * (1 - ridge(x, 7.0)), 3.8) * rise(50 - y, 7)
    half_width = 9.0 + 2.4 * np.tanh((13 - y) / 18)
    bridge = height * np.exp(-((a / half_width) ** 2.5))
    tip = 4.6 * bump(x, y, (0, 0.8), (7.6, 5.6))
    wing = ((a - 12.4) / 6.2) ** 2 + ((y + 3.0) / 6.4) ** 2
    wings = 8.5 * np.exp(-(wing**1.25))
    groove = -1.4 * ridge(np.sqrt(wing) - 1.45, 0.25) * rise(a - 11, 3) * rise(y + 7.5, 3)
    nostrils = -5.5 * pair(x, y, (6.4, -8.6), (2.9, 2.0)) + 2.6 * bump(x, y, (0, -8.5), (2.6, 3.6))
    return bridge + tip + wings + groove + nostrils


def mouth(x, y):
    """Return the depth (mm) that the mouth adds to the formula's face: philtrum, lips, line between them, corners,
    nose's fold.
    """
    a = np.abs(x)
    taper = np.clip(1 - (x / 26.0) ** 2, 0, None)
    line = -34.5 - 1.2 * np.exp(-((x / 5.5) ** 2)) + 1.0 * np.exp(-(((a - 12) / 7) ** 2)) - 1.2 * (1 - taper)
    above = line + 8.6 * taper**0.75 - 1.9 * np.exp(-((x / 3.4) ** 2))
    below = line - 10.5 * taper**0.8
    muzzle = 5.0 * bump(x, y, (0, -34), (23, 15))
    philtrum = 1.0 * pair(x, y, (4.6, -19), (2.2, 5.5)) - 1.4 * bump(x, y, (0, -19), (2.4, 6))
    upper = (1.2 + 2.4 * taper) * rise(above - y, 1.5) * rise(y - line, 1.2) * rise(taper - 0.25, 0.14)
    lower = (1.0 + 3.6 * taper) * rise(y - below, 2.4) * rise(line - y, 1.2) * rise(taper - 0.25, 0.14)
    crease = -2.2 * ridge(y - line, 1.2) * rise(26 - a, 2.0)
    corners = -2.6 * pair(x, y, (26.5, -36), (3.4, 3.4))
    fold = -1.5 * ridge(a - 22 + 0.40 * (y + 6), 3.0) * rise(y + 38, 7) * rise(3 - y, 5)
    return muzzle + philtrum + upper + lower + crease + corners + fold


def lower_face(x, y):
    """Return the depth (mm) that the lower face adds to the formula's face: chin with the sulcus above it, cheeks and
    jaw.
    """
    chin = 7.5 * bump(x, y, (0, -67), (13, 9)) + 1.0 * pair(x, y, (8, -69), (6, 6))
    chin -= 4.2 * bump(x, y, (0, -51), (16, 4.2))
    cheeks = 3.2 * pair(x, y, (36, -10), (14, 15)) - 3.0 * pair(x, y, (49, -27), (11, 14))
    return chin + cheeks + 2.5 * pair(x, y, (44, -54), (14, 9))


def formula_face(s, t):
    """Return the mean face (n, 3) in mm over mask coordinates s, t, about which the formula's people are drawn."""
    x, y, z = mask(s, t)
    z = z + skull(x, y) + eye_depth(x, y) + nose_depth(x, y) + mouth(x, y) + lower_face(x, y)
    return np.column_stack([x, y, z])


# They make 1 + 3 * 48 * 49 = 7,057 vertices.
RINGS = 48

# Where the skin is finely modelled the mesh is finer: center (s, t), reach in mm, gain in resolution.
FINER = (
    ((31.0, 38.0), (17.0, 13.0), 1.4),
    ((-31.0, 38.0), (17.0, 13.0), 1.4),
    ((0.0, -35.0), (24.0, 11.0), 1.5),
    ((0.0, -6.0), (17.0, 8.0), 0.5),
)
# Of relaxation; a ninth moves no vertex by more than 0.002 mm.
ROUNDS = 8
# The c of `egg`, found by trial: it leaves the central vertex within half a mm of the nose tip.
DOWN = 0.05
# In mm around the nose tip, moved to mend the rest.
REACH = 20.0


@cache
def disk():
    """Return points (n, 2) of the unit disk whose mesh becomes the formula's face.

    The center, then rings k = 1..RINGS of 6k points, each first straight up.
    """
    rings = [np.zeros((1, 2))]
    for k in range(1, RINGS + 1):
        angle = np.pi / 2 + 2 * np.pi * np.arange(6 * k) / (6 * k)
        rings.append(k / RINGS * np.column_stack([np.cos(angle), np.sin(angle)]))
    return np.concatenate(rings)


@cache
def mesh_triangles():
    """Return the triangles (t, 3) int32 over the points of `disk`, which all faces of the formula share.

    They run counter-clockwise seen from outside the face.
    """
    corners = []
    for k in range(1, RINGS + 1):
        outer, inner = 1 + 3 * k * (k - 1), 1 + 3 * (k - 1) * (k - 2) if k > 1 else 0
        for sector in range(6):
            for i in range(k):
                a = outer + sector * k + i
                b = outer + (sector * k + i + 1) % (6 * k)
                c = inner + (sector * (k - 1) + i) % max(6 * (k - 1), 1)
                corners.append((a, b, c))
                if i < k - 1:
                    corners.append((b, inner + (sector * (k - 1) + i + 1) % (6 * (k - 1)), c))
    return np.array(corners, dtype=np.int32)


def egg(points):
    """Return mask coordinates (n, 2) in mm of points of the unit disk, in a face's outline: broad at the brow, narrow
    at the chin.

    First the disk automorphism z -> (z - ic) / (1 + icz) brings more of the boundary to the chin, so that the disk's
    center comes to lie at the nose tip once the mesh is relaxed.
    """
    z = points[:, 0] + 1j * points[:, 1]
    z = (z - 1j * DOWN) / (1 + 1j * DOWN * z)
    u, v = z.real, z.imag
    return np.column_stack([u * (92 + 17 * v - 4 * v**2), 91 * v + 8 * (u**2 + v**2)])


def resolution(p):
    """Return how many times finer than elsewhere the mesh is meant to be at mask coordinates p (n, 2)."""
    return 1 + sum(gain * np.exp(-0.5 * np.sum(((p - c) / reach) ** 2, axis=1)) for c, reach, gain in FINER)


@cache
def coordinates():
    """Return mask coordinates (s, t) of the formula's vertices, (n, 2) in mm, so spread that the mean face is evenly
    covered.

    Springs of zero rest length along the edges, with stiffness resolution * length in space / length in the plane: at
    rest, resolution * length in space is the same along a row of edges. The springs' forces balance in a Tutte
    embedding, in which no triangle flips; the boundary is held. At the end the central vertex, which has drifted a
    little, is brought back to the nose tip together with its surroundings.
    """
    sides = np.concatenate([mesh_triangles()[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
    a, b = np.unique(np.sort(sides, axis=1), axis=0).T
    ends = np.concatenate([a, b]), np.concatenate([b, a])
    p = egg(disk())
    held = np.zeros(len(p), dtype=bool)
    held[-6 * RINGS :] = True
    for _ in range(ROUNDS):
        in_space = np.linalg.norm(formula_face(*p[a].T) - formula_face(*p[b].T), axis=1)
        in_plane = np.linalg.norm(p[a] - p[b], axis=1)
        stiffness = resolution((p[a] + p[b]) / 2) * in_space / in_plane
        adjacency = scipy.sparse.csr_array((np.tile(stiffness, 2), ends), shape=(len(p), len(p)))
        laplacian = (scipy.sparse.diags_array(adjacency.sum(axis=1)) - adjacency).tocsr()[~held]
        p[~held] = scipy.sparse.linalg.splu(laplacian[:, ~held].tocsc()).solve(-(laplacian[:, held] @ p[held]))
    return p - p[0] * np.exp(-0.5 * np.sum((p - p[0]) ** 2, axis=1) / REACH**2)[:, None]


# The mesh's central vertex.
NOSE_TIP = 0


def triangles():
    """Return (t, 3) int32, counter-clockwise from outside: a disk with one boundary loop, the same for every face."""
    return mesh_triangles().copy()


@cache
def _model():
    """Return (the mean face, the fields' names, the fields) of the formula, made once: a face is mean plus weighted
    fields.
    """
    mean = formula_face(*coordinates().T)
    moves = fields(mean)
    return mean, tuple(moves), np.stack(list(moves.values()))


def template():
    """Return the formula's mean face, (n, 3) in mm, which is one of the built-in templates."""
    return _model()[0].copy()


def names():
    """Return what each weight of the formula's people changes, as a name."""
    return _model()[1]


def face(weights):
    """Return the formula's face (n, 3) in mm of a person with weights (k,), in units of their standard deviations.

    k = len(names())
    """
    mean, _, fields = _model()
    weights = np.asarray(weights, dtype=float)
    if weights.shape != (len(fields),):
        raise ValueError(f"a face has {len(fields)} weights, got an array of shape {weights.shape}")
    return mean + np.einsum("k,knd->nd", weights, fields)


def random_weights(rng):
    """Return weights (k,) of a random person of the formula: standard normal; beyond 3, where lids or lips may fold,
    drawn again.
    """
    weights = rng.standard_normal(len(names()))
    while np.any(far := np.abs(weights) > 3):
        weights[far] = rng.standard_normal(np.count_nonzero(far))
    return weights


def _side(x, width=9.0):
    """Return -1 on the right half of the face, +1 on the left, smooth across the midline."""
    return np.tanh(x / width)


def _field(x=0.0, y=0.0, z=0.0):
    """Return a field (n, 3) of its three components."""
    return np.stack(np.broadcast_arrays(x, y, z), axis=-1)


def fields(mean):
    """Return the fields (n, 3) in mm by which the formula's people differ from the mean face (n, 3), by name, in a
    fixed order.
    """
    x, y, z = mean.T
    a, side = np.abs(x), _side(x)
    cheek, eye, lips = bump(a, y, (40, -16), (17, 20)), bump(a, y, (31, 36), (17, 13)), bump(x, y, (0, -35), (26, 13))
    cheekbones = {"x": 1.5 * side * rise(a - 34, 12) * ridge(y - 14, 18), "z": 2.2 * bump(a, y, (46, 14), (16, 13))}
    chin = {"x": 1.5 * _side(x, 12) * bump(a, y, (16, -68), (12, 11)), "z": 1.2 * bump(a, y, (15, -68), (8, 9))}
    return {
        # the whole face, forehead, cheeks
        "face width": _field(x=0.038 * x),
        "face height": _field(y=0.034 * y),
        "face depth": _field(z=0.060 * (z + 20)),
        "forehead slope": _field(z=3.2 * rise(y - 62, 22)),
        "forehead height": _field(y=3.0 * rise(y - 66, 18)),
        "brow ridge": _field(z=2.0 * ridge(y - 53, 7) * rise(a - 6, 7) * rise(58 - a, 8)),
        "cheekbones": _field(**cheekbones),
        "full cheeks": _field(x=0.9 * side * cheek, z=3.4 * cheek),
        # the eyes
        "deep eyes": _field(z=-2.0 * eye),
        "wide-set eyes": _field(x=1.8 * side * eye),
        "large eyes": _field(x=0.060 * (a - 31) * side * eye, y=0.10 * (y - 36) * eye),
        "slanting eyes": _field(y=0.075 * (a - 31) * eye),
        # the nose
        "nose length": _field(y=-2.0 * bump(x, y, (0, 1), (20, 17))),
        "nose protrusion": _field(z=2.6 * bump(x, y, (0, -2), (12, 13))),
        "nose width": _field(x=1.9 * _side(x, 7) * bump(a, y, (13, -4), (8, 10))),
        "nose hump": _field(z=1.9 * ridge(x, 9) * ridge(y - 20, 9)),
        "bridge height": _field(z=2.0 * ridge(x, 9) * ridge(y - 36, 9)),
        "bridge width": _field(x=1.0 * _side(x, 6) * bump(a, y, (8, 22), (6, 14))),
        "upturned tip": _field(y=1.3 * bump(x, y, (0, 0), (10, 8)), z=0.6 * bump(x, y, (0, -7), (9, 5))),
        # mouth, chin and jaw
        "mouth width": _field(x=2.4 * _side(x, 12) * bump(a, y, (22, -35), (14, 12))),
        "mouth height": _field(y=1.6 * bump(x, y, (0, -37), (27, 15))),
        "protruding mouth": _field(z=2.0 * bump(x, y, (0, -33), (22, 15))),
        "full lips": _field(y=0.10 * (y + 34.5) * lips, z=1.2 * bump(x, y, (0, -35), (20, 7))),
        "jaw width": _field(x=0.065 * x * rise(-y - 30, 22)),
        "jaw length": _field(y=-3.0 * rise(-y - 48, 16)),
        "chin protrusion": _field(z=3.0 * bump(x, y, (0, -68), (20, 15))),
        "chin breadth": _field(**chin),
        # what differs between left and right; about half a millimetre each
        "bent nose": _field(x=0.9 * bump(x, y, (0, 2), (13, 15))),
        "jaw to one side": _field(x=1.0 * rise(-y - 35, 22)),
        "one eye higher": _field(y=0.5 * _side(x, 14) * bump(a, y, (31, 40), (20, 16))),
        "one cheek fuller": _field(z=0.7 * _side(x, 14) * bump(a, y, (38, -10), (20, 26))),
        "slanting mouth": _field(y=0.5 * _side(x, 14) * bump(a, y, (18, -35), (16, 12))),
    }
