"""A release of demo shapes as its step leaves it, and ways to change it so that its files agree with each other."""

import json

import numpy as np

import center_shapes
import pack_releases
import read_shapes
import release_shapes
import shape_settings
from shapedp.base import artifacts
from shapedp.base.errors import RefusedRelease
from shapedp.landmarks import outlines
from shapedp.releases.figures import release_files
from shapedp.releases.statement import statement_text

SETTINGS = {"radius": 0.2, "contour_modes": 0, "center": "demo", "persons": "refuse"}
WANTED = [("shapes", "mean")]


def released(folder):
    """(folder of a release with its drawings, the settings that made it)"""
    np.savez(folder / "private.npz", X=outlines.population(20, 3)[0])
    paths = folder / "landmarks.h5", folder / "shapes.h5"
    read_shapes.read_shapes(folder / "private.npz", paths[0], "demo")
    center_shapes.center_shapes(*paths, "demo")
    entry = {"name": "mean", "mechanism": "gaussian", "budget": {"mu_total": 1.0}}
    release, privacy = folder / "results/release/shapes/mean", shape_settings.privacy(folder)
    release_shapes.release_shapes(*paths[::-1], release, entry, SETTINGS, privacy)
    release_files.draw(release, "shapes", release)
    return release, privacy


def pack(release, privacy):
    """Pack it, as the rule does."""
    pack_releases.pack_releases(release.parents[1], release.parents[2] / "releases.zip", WANTED, privacy)


def _rewrite(release, field, change):
    path = release / "mean_shape.h5"
    with artifacts.reader(path, artifacts.RELEASED_SHAPE) as source:
        fields = {name: source[name] for name in artifacts.RELEASED_SHAPE.fields}
    fields[field] = change(fields[field])
    path.unlink()
    with artifacts.writer(path, artifacts.RELEASED_SHAPE) as out:
        out.set(**fields)
    release_files.draw(release, "shapes", release)


def _restate(release, change):
    path = release / "statement.json"
    stated = json.loads(path.read_text(encoding="utf-8"))
    change(stated)
    path.write_text(json.dumps(stated, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    (release / "statement.md").write_text(statement_text.render(stated), encoding="utf-8")


TAMPERINGS = {
    "numbers": lambda release: _rewrite(release, "landmarks", lambda x: x + 2.0**-20),
    "one bit of a number": lambda release: _rewrite(release, "landmarks", lambda x: np.nextafter(x, np.inf)),
    "noise": lambda release: _rewrite(release, "noise_radius", lambda x: x / 2),
    "mu": lambda release: _restate(release, lambda stated: stated["guarantee"].update(mu=0.5)),
    "n": lambda release: _restate(release, lambda stated: stated["release"].update(n=40)),
}


def passed(folder, name):
    """Whether a release that was changed in this way is packed."""
    release, privacy = released(folder)
    TAMPERINGS[name](release)
    try:
        pack(release, privacy)
    except RefusedRelease:
        return False
    return True
