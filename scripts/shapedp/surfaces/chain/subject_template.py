"""A template of a subject that is no face, made from public scans of it: their Procrustes mean.

The first template is the medoid of some of the scans, to which the others fit best; then as for faces: in each round
the scans are registered to the template, and their mean is the template of the next. Scans that fit much worse than
the others are left out, with the reason.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from shapedp.base.errors import ConfigError
from shapedp.base.runs.logs import log
from shapedp.base.settings import read_default, subjects
from shapedp.base.settings.subjects import Subject
from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.chain import subject, surface_means, to_disk
from shapedp.surfaces.chain.step import ChainSettings, Refusal, run_step, walk
from shapedp.surfaces.disk_map import conformal
from shapedp.surfaces.registration import alignment, whole_surface

# Scans that the first template is chosen among, and scans that choose it, at most: each pair costs some descents.
CANDIDATES, JUDGES = 8, 40
# Times the median energy of a round: what is beyond is no specimen of this kind.
ODD = 4.0
CHAIN = ("template_as", "mesh", "surface", "curves", "registration", "gates")


def build_mean(scans, word: str):
    """Return (vertices (n, 3), triangles (t, 3), {name: Refusal}, how far each round moved it) of a template made of
    scans.

    As `mean_face.build_mean` for a subject that is no face; its size is the median of the scans' and its axes are those
    of the medoid.

    Parameters
    ----------
    scans : list of Scan
        Public scans.
    word : str
        What they show, as faces.subject names it.
    """
    settings: dict[str, Any] = {key: read_default(f"faces.{key}") for key in CHAIN}
    settings |= {"subject": word, "center": subjects.CENTER}
    walked = list(walk(scans, to_disk.STEPS, ChainSettings(settings)))
    faces = {
        taken.scan.name: to_disk.assemble_face(*(taken.records[name] for name in ("mesh", "disk", "surface")))
        for taken in walked
        if not taken.refusal
    }
    refused = {taken.scan.name: taken.refusal for taken in walked if taken.refusal}
    _refuse_few(faces, scans, refused)
    first = _find_medoid(faces, settings)
    f, moved, trusts_axes = first.f, [], not _are_turns_told(faces, first, settings)
    if trusts_axes:
        log.warning(subject.UNTOLD)
    for _ in range(surface_means.ROUNDS):
        wholes, refused_now = _register_specimens(faces, f, settings, Subject.from_setting(word), trusts_axes)
        refused |= refused_now
        _refuse_few(wholes, scans, refused)
        size = float(np.median([whole.scale for whole in wholes.values()]))
        mean = surface_means.find_procrustes_mean(np.array([whole.registered.surface for whole in wholes.values()]), f)
        away = ((mean - f) ** 2).sum(axis=-1)
        moved.append(size * float(np.sqrt((surface_means.find_grid_weights(*away.shape) * away).sum())))
        vertices, triangles = curve_mesh.mesh(size * np.moveaxis(mean, 1, 2), polar.radii(len(mean)))
        z = conformal.disk_map(vertices, triangles)
        f = alignment.sample_face(vertices, triangles, z, mean.shape, True).f
    return vertices, triangles, {name: refusal for name, refusal in refused.items() if name not in wholes}, moved


def _refuse_few(registered, scans, refused):
    """Raise ConfigError where too few scans are left for a mean, with the first reason."""
    if len(registered) < surface_means.LEAST:
        reason = next(iter(refused.values())).reason if refused else "none is refused"
        raise ConfigError(
            f"template: {len(registered)} of {len(scans)} scans can be registered, and a mean needs "
            f"{surface_means.LEAST}; the first that cannot: {reason}"
        )


def _find_medoid(faces, settings):
    """Return the Face to which the others fit best, which is the first template of the mean.

    It is one of CANDIDATES, evenly chosen, by the median energy of JUDGES.
    """
    every = list(faces.values())
    candidates, judges = (every[:: -(-len(every) // most)] for most in (CANDIDATES, JUDGES))

    def median_energy(face):
        """Return how badly the judges fit a Face at the median; the Face of least energy is the medoid."""
        prepared = subject.whole_template(face.f, settings, {}).prepared
        return np.median([whole_surface.find_turns(judge.f, prepared)[0].energy for judge in judges])

    return min(candidates, key=median_energy)


def _are_turns_told(faces, first, settings):
    """Return whether shape alone tells how scans are turned; where it does not, their files' axes are trusted.

    It does where at most scans the next best turn fits worse against the first template.
    """
    prepared = subject.whole_template(first.f, settings, {}).prepared
    others = [face for face in faces.values() if face is not first]
    others = others[:: -(-len(others) // JUDGES)]
    turns = (whole_surface.find_turns(face.f, prepared) for face in others)
    return whole_surface.are_told_apart([whole_surface.next_turn(face) for face in turns])


def _register_specimens(faces, f, settings, shown, trusts_axes):
    """Return ({name: Whole} of faces registered to a template for the next mean, {name: Refusal} of those that fit
    badly).
    """
    template = replace(subject.whole_template(f, settings, {}), trusts_axes=trusts_axes)
    wholes, refused = {}, {}

    def register(face):
        """Return the Whole of a Face as a step's fields, so that `run_step` turns a failure into a Refusal."""
        return {"whole": whole_surface.align(face, template, {})}

    for name, face in faces.items():
        outcome = run_step(name, "register_surfaces", register, face)
        if isinstance(outcome, Refusal):
            refused[name] = outcome
        else:
            wholes[name] = outcome["whole"]
    energies = {name: whole.registered.energy_after for name, whole in wholes.items()}
    most = max(ODD * float(np.median(list(energies.values()))), subject.LEAST_ENERGY) if wholes else 0.0
    for name, energy in energies.items():
        if energy > most:
            words = (
                f"it fits the mean of the others {energy / most * ODD:.1f} times as badly as most do (at most "
                f"{ODD:g} times): check that it is a whole {shown.word}"
            )
            refused[name] = Refusal("register_surfaces", "unlike_others", words)
            del wholes[name]
    return wholes, refused
