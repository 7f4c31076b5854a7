"""People as curves on a dome that is its own mirror image, in the artifacts that differences are released from."""

import numpy as np

from shapedp.base import artifacts
from shapedp.privacy.learned import face_learning

J, M, SCALE = 8, 40, 150.0
TIMES = ("before", "after")


def template():
    """(J, 3, m) of a dome of about unit area, symmetric about x = 0."""
    r, theta = np.arange(1, J + 1)[:, None] / J, 2 * np.pi * np.arange(M) / M
    height = 0.3 * (1 - r**2) + 0.1 * r**2 * np.sin(theta)
    curves = 0.5 * np.stack([r * np.cos(theta), 1.3 * r * np.sin(theta), 2 * height], axis=1)
    return curves - curves.mean(axis=(0, 2))[None, :, None]


def fields(count=5):
    """(3 count, J, 3, m) smooth directions in which faces differ."""
    return face_learning.harmonic_functions((J, 3, M), count).astype(float)


def people(n, seed, spread=0.02):
    """(n, J, 3, m) faces."""
    rng = np.random.default_rng(seed)
    return template() + np.tensordot(spread * rng.standard_normal((n, 15)), fields(), axes=1)


def scanned_twice(n, seed, change=0.0, own=0.004):
    """[(n, J, 3, m)] at two times: all move by `change` along one field, and by `own` of their own along every one."""
    first, rng = people(n, seed), np.random.default_rng(seed + 1)
    moved = change * fields()[3] + np.tensordot(own * rng.standard_normal((n, 15)), fields(), axes=1)
    return [first, first + moved]


def write_template(path):
    """The template artifact; its surface is not looked at."""
    curves = template()
    shape = (4, 8)
    surface = np.zeros((*shape, 3))
    with artifacts.writer(path, artifacts.TEMPLATE) as out:
        out.set(
            **dict.fromkeys(("f", "cloud_f"), surface),
            **artifacts.no_people(shape),
            cloud_places=np.zeros((*shape, 2)),
            extent=1.0,
            curves=curves,
            radii=np.arange(1, J + 1) / J,
            scale=SCALE,
            public=True,
            source="built_in",
        )


def write_batch(path, scans, rejected=()):
    """Curves of {id: (J, 3, m)}; those named in `rejected` could not be used."""
    with artifacts.writer(path, artifacts.FACE_CURVES) as out:
        for name, curves in scans.items():
            if name in rejected:
                out.reject(name, "register_surfaces", "gate", "not like a face")
            else:
                out.write(name, curves=curves)


def written(folder, name, times, rejected=()):
    """(batch paths, samples) of people scanned at two times, first scans in one batch and second ones in another."""
    paths, samples = [], []
    for time, faces in zip(TIMES, times, strict=True):
        scans = {f"{name}{index}_{time}": one for index, one in enumerate(faces)}
        paths.append(folder / f"{name}_{time}.h5")
        write_batch(paths[-1], scans, rejected)
        samples += [(one, one.rsplit("_", 1)[0], "", time, (("years", "2"),)) for one in scans]
    return paths, samples
