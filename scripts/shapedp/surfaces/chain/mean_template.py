"""A template made from public scans: their Procrustes mean, taken through the chain in three rounds.

A laboratory's own public mean is the template that its scans are likest to. The scans are meshed and mapped once. In
each round they are registered to a template, first to the built-in one, and the mean of the registered surfaces, turned
and moved to one another, is the template of the next. A scan that the chain's steps or gates reject in a round is left
out of it, with the reason.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import shapedp
from shapedp.base import writers
from shapedp.base.errors import ConfigError
from shapedp.base.settings import read_default
from shapedp.base.settings.subjects import FACE
from shapedp.base.storage import files
from shapedp.people import populations, samples
from shapedp.surfaces import curve_mesh, polar
from shapedp.surfaces.chain import subject_template, to_disk, to_template
from shapedp.surfaces.chain.step import Given, Refusal, Scan, tried, walk
from shapedp.surfaces.chain.surface_means import LEAST, ROUNDS, grid_weights, procrustes_mean
from shapedp.surfaces.human_face import relief
from shapedp.surfaces.registration import alignment, template_forms
from shapedp.surfaces.registration.template import Options

CHAIN = ("template_as", "center", "mesh", "surface", "extent", "curves", "registration", "gates")


def write(
    named: Sequence[str], output: Path, source: str, private: str | None = None, subject: str = FACE
) -> Iterator[str]:
    """Write the mean of public scans as a mesh, and beside it what it was made of; lines that say how it went.

    named : folders, globs, sheets or files of public scans; source : whose they are and why they are public, as
    declared; private : a cohort's scans, of which a copy among the public ones is told, and nothing refused
    subject : what the scans show, as faces.subject names it
    """
    scans = {}
    for scan in (scan for one in named for scan in _scans(one)):
        other = scans.setdefault(scan.name, scan)
        if scan.path and other.path and not Path(scan.path).samefile(other.path):
            words = f"'{other.path}' and '{scan.path}' are both called '{scan.name}'; rename one of the files"
            raise ConfigError(f"template: {words}")
    if len(scans) < LEAST:
        raise ConfigError(f"template: {len(scans)} scan(s) are given; a mean is made of at least {LEAST}")
    if output.suffix not in (".ply", ".obj", ".stl"):
        raise ConfigError(f"template: '{output}' is no .ply, .obj or .stl file; name the output so")
    cohort = [one.path for one in samples.find(private, "average", "--private")] if private else []
    vertices, triangles, refused, moved = _mean_of(list(scans.values()), subject)
    for name, refusal in refused.items():
        yield f"{scans[name].path or name}: left out in {refusal.stage} ({refusal.code}): {refusal.reason}"
    files.write_bytes(output, writers.encode_surface(vertices, triangles, output.suffix))
    made_of = [one.path for name, one in scans.items() if name not in refused]
    told = [(Path(one).name, Path(one).stat().st_size, files.digest_file(one)) for one in made_of]
    record = {
        "made_by": f"shapedp {shapedp.__version__} template",
        "source": source,
        **({} if subject == FACE else {"subject": subject}),
        "moved_mm" if subject == FACE else "moved": [round(one, 3) for one in moved],
        "scans": [dict(zip(("name", "bytes", "blake2b"), one, strict=True)) for one in told],
    }
    files.write_text(populations.locate_record(output), json.dumps(record, indent=1) + "\n")
    unit = "mm" if subject == FACE else "of the scans' units"
    yield (
        f"{output}: the mean of {len(made_of)} of {len(scans)} public scans, in {len(moved)} rounds that moved it by "
        f"{', '.join(f'{x:.3g}' for x in moved)} {unit}; {populations.locate_record(output)} says what it is made of"
    )
    for mine, theirs in files.find_same_files(made_of, cohort):
        yield (
            f"warning: '{mine}' holds the same as the private scan '{theirs}'. If they are of the same person, the "
            "template is not public: make it anew without that scan"
        )
    words = json.dumps(source, ensure_ascii=False)
    named_so = "" if subject == FACE else f"faces.subject: {subject}; "
    yield f"for the settings: {named_so}faces.template: {output}; privacy.sources.template: {words}"


def _mean_of(scans, subject):
    """As `mean_of`, of whatever the scans show."""
    if subject == FACE:
        return mean_of(scans)
    return subject_template.mean_of(scans, subject)


def _scans(named):
    """The Scans of a folder, a glob, a sheet or a file."""
    if Path(named).is_file() and not samples.is_sheet(Path(named)):
        return [Scan(samples.make_identifier(Path(named).stem), named)]
    return [Scan(*sample.scan_inputs) for sample in samples.find(named, "average", "template")]


def mean_of(scans):
    """(vertices (n, 3) of the mean, triangles (t, 3), {name: Refusal} of scans left out, how far each round moved it).

    The mean has the shapes' mean, each of unit area, and the median of their sizes; vertex 0 is the nose. How far a
    round moved the template is in the scans' units, root mean square.
    """
    settings: dict[str, Any] = {key: read_default(f"faces.{key}") for key in (*CHAIN, "subject")}
    grid = settings["surface"]["rings"], settings["surface"]["angles"]
    face, word = alignment.mapped(*template_forms.built_in_template("built_in"), (*grid, 3), True), "built_in"
    moved, walked = [], []
    for _ in range(ROUNDS):
        fields = to_template.template(face, {**settings, "template": word})
        walked = walked or list(walk(scans, to_disk.STEPS, Given(settings, fields)))
        registered, refused = _registered(walked, fields, settings)
        if len(registered) < LEAST:
            raise ConfigError(
                f"template: {len(registered)} of {len(scans)} scans can be registered, and a mean takes {LEAST}; the "
                f"first that cannot: {next(iter(refused.values())).reason}"
            )
        size = float(np.median([one["size"] for one in registered]))
        mean = procrustes_mean(np.array([one["f"] for one in registered]), fields["f"])
        moved.append(size * float(np.sqrt(np.einsum("rt,rtc->", grid_weights(*grid), (mean - fields["f"]) ** 2))))
        vertices, triangles = curve_mesh.mesh(size * np.moveaxis(mean, 1, 2), polar.radii(grid[0]))
        face, word = alignment.mapped(vertices, triangles, 0, mean.shape, True), "mean"
    return vertices, triangles, refused, moved


def _registered(walked, fields, settings):
    """(surface f and size of each scan in a template's place, {name: Refusal} of the others)."""
    forms = to_template.forms(fields, Options(**settings["registration"]))
    limits = relief.Gates(**settings["gates"]).against(fields["people_farther"])

    def register(records):
        face = to_disk.face_of(*(records[name] for name in ("mesh", "disk", "surface")))
        aligned = forms.align(face)
        relief.judge(aligned, limits)
        relief.refuse_without_relief(forms.neutral(aligned, face).registered.surface, fields["f"])
        return {"f": aligned.registered.surface, "size": aligned.scale}

    registered, refused = [], {}
    for one in walked:
        made = one.refusal or tried(one.scan.name, "register_surfaces", register, one.records)
        if isinstance(made, Refusal):
            refused[one.scan.name] = made
        else:
            registered.append(made)
    return registered, refused
