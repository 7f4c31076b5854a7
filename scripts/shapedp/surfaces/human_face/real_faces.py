"""Load the packed model of real people: a mean face and how faces differ from it, learned by others, and public.

    face(w, e) = mean + sum_i w_i modes_i + sum_j e_j expressions_j,      w_i ~ N(0, 1) independent, e_j in [0, 1]

Source: ICT-FaceKit (USC Institute for Creative Technologies, MIT; the licence lies beside the file), made smaller and
closed by `tests/benchmarks/pack_public_faces.py`. Frame: x towards the face's left, y up, z out of the face, mm.
"""

from functools import cache
from pathlib import Path

import numpy as np

from shapedp.base.errors import ArtifactError
from shapedp.base.storage import files

# Shipped beside the code, with its licence.
PACKED = Path(__file__).with_name("vendor") / "public_faces.npz"
PACKED_EXPRESSIONS = PACKED.with_name("public_expressions.npz")


@cache
def _model():
    """Return (mean, modes, triangles, nose tip) of the model of public people that comes with the library, read
    once.
    """
    with np.load(PACKED, allow_pickle=False) as packed:
        mean, modes = (packed[name] * packed[f"{name}_scale"] for name in ("mean", "modes"))
        return mean, modes, packed["triangles"].astype(np.int32), int(packed["nose_tip"])


@cache
def digest():
    """Return the digest of the packed model of public people, by which a template made with another one is told."""
    return files.digest_file(PACKED)


def check(template):
    """Raise where a template was made with another packed model of public people than this one, whose vertices differ.

    template : its artifact, or its fields
    """
    if float(template["people_size"]) and str(template["people_model"]) != digest():
        where = getattr(template, "path", "the template")
        raise ArtifactError(
            f"{where}: made with another model of public people ({str(template['people_model'])[:8]}) than the "
            f"packed one ({digest()[:8]}); delete it and run snakemake again"
        )


def template():
    """Return the public model's mean face, (n, 3) in mm, which is the built-in template."""
    return _model()[0].copy()


def triangles():
    """Return (t, 3) int32, counter-clockwise from outside: a disk with one boundary loop, the same for every face."""
    return _model()[2].copy()


def nose_tip():
    """Return the number of the vertex at the tip of the nose."""
    return _model()[3]


def count():
    """Return how many weights a face has, the most varying first."""
    return len(_model()[1])


def face(weights):
    """Return the face (n, 3) in mm that the public model has at these weights (k,): so demo people are made.

    k is `count` at most; weights left out are 0.
    """
    mean, modes, _, _ = _model()
    weights = np.asarray(weights, dtype=float)
    if weights.ndim != 1 or len(weights) > len(modes):
        raise ValueError(f"a face has at most {len(modes)} weights, got an array of shape {weights.shape}")
    return mean + np.einsum("k,knd->nd", weights, modes[: len(weights)])


def modes():
    """Return (k, n, 3) in mm, what one standard deviation of each weight adds."""
    return _model()[1].copy()


@cache
def _expressions():
    """Return (names, shapes) of the public model's expressions, by which a scan's smile is told from its form; kept.

    Shapes are displacements of the model's vertices.
    """
    with np.load(PACKED_EXPRESSIONS, allow_pickle=False) as packed:
        shapes = packed["expressions"] * np.float32(packed["expressions_scale"])
        return tuple(packed["names"].tolist()), shapes.astype(np.float32)


def expression_names():
    """Return the names of the expressions, (m,): `jawOpen`, `mouthSmile_L`, ..."""
    return _expressions()[0]


def expressions():
    """Return (m, n, 3) float32 in mm, what each expression adds to a face at weight 1, to tell a smile from form by."""
    return _expressions()[1].copy()
