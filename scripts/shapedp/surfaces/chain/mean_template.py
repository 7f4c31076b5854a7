"""A template made from public scans: their Procrustes mean, taken through the chain in three rounds.

A laboratory's own public mean is the template that its scans are likest to. The scans are meshed and mapped once. In
each round they are registered to a template, first to the built-in one, and the mean of the registered surfaces, turned
and moved to one another, is the template of the next. A scan that the chain's steps or gates reject in a round is left
out of it, with the reason.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import shapedp
from shapedp.base import writers
from shapedp.base.errors import ConfigError
from shapedp.base.settings.subjects import FACE
from shapedp.base.storage import files
from shapedp.people import populations, samples
from shapedp.surfaces.chain.step import Scan
from shapedp.surfaces.chain.surface_means import LEAST
from shapedp.surfaces.subjects import means


def write(
    named: Sequence[str], output: Path, source: str, private: str | None = None, subject: str = FACE
) -> Iterator[str]:
    """Write the mean of public scans as a mesh, to be a cohort's own template, and beside it what it was made of.

    Yields lines that say how it went.

    Parameters
    ----------
    named : sequence of str
        Folders, globs, sheets or files of public scans.
    output : path
        Of the mesh: .ply, .obj or .stl.
    source : str
        Whose they are and why they are public, as declared.
    private : str or None
        A cohort's scans; a copy of one among the public ones is told, and nothing refused.
    subject : str
        What the scans show, as faces.subject names it.
    """
    scans = {}
    for scan in (scan for place in named for scan in _list_scans(place)):
        # A scan is known by its name, in the reasons and in the record of what the mean is made of.
        other = scans.setdefault(scan.name, scan)
        if scan.path and other.path and not Path(scan.path).samefile(other.path):
            words = f"'{other.path}' and '{scan.path}' are both called '{scan.name}'; rename one of the files"
            raise ConfigError(f"template: {words}")
    if len(scans) < LEAST:
        raise ConfigError(f"template: {len(scans)} scan(s) are given; a mean needs at least {LEAST}: add some")
    if output.suffix not in (".ply", ".obj", ".stl"):
        raise ConfigError(
            f"template: '{output}' is not a .ply, .obj or .stl file; give a name with one of these endings"
        )
    cohort = [sample.path for sample in samples.find(private, "average", "--private")] if private else []
    vertices, triangles, refused, steps = means.build_mean(list(scans.values()), subject)
    for name, refusal in refused.items():
        yield f"{scans[name].path or name}: left out in {refusal.stage} ({refusal.code}): {refusal.reason}"
    files.write_bytes(output, writers.encode_surface(vertices, triangles, output.suffix))
    made_of = [scan.path for name, scan in scans.items() if name not in refused]
    entries = [(Path(path).name, Path(path).stat().st_size, files.digest_file(path)) for path in made_of]
    record = {
        "made_by": f"shapedp {shapedp.__version__} template",
        "source": source,
        **({} if subject == FACE else {"subject": subject}),
        "moved_mm" if subject == FACE else "moved": [round(distance, 3) for distance in steps],
        "scans": [dict(zip(("name", "bytes", "blake2b"), entry, strict=True)) for entry in entries],
    }
    files.write_text(populations.locate_record(output), json.dumps(record, indent=1) + "\n")
    unit = "mm" if subject == FACE else "of the scans' units"
    yield (
        f"{output}: the mean of {len(made_of)} of {len(scans)} public scans, in {len(steps)} rounds that moved it by "
        f"{', '.join(f'{x:.3g}' for x in steps)} {unit}; {populations.locate_record(output)} says what it is made of"
    )
    for mine, theirs in files.find_same_files(made_of, cohort):
        yield (
            f"warning: '{mine}' holds the same as the private scan '{theirs}'. If they are of the same person, "
            "the template is not public: make it again without that scan"
        )
    words = json.dumps(source, ensure_ascii=False)
    named_so = "" if subject == FACE else f"faces.subject: {subject}; "
    yield f"for the settings: {named_so}faces.template: {output}; privacy.sources.template: {words}"


def _list_scans(named):
    """Return the public Scans that a user named by a folder, a glob, a sheet or a file, of which a template is made."""
    if Path(named).is_file() and not samples.is_sheet(Path(named)):
        return [Scan(samples.make_identifier(Path(named).stem), named)]
    return [Scan(*sample.scan_inputs) for sample in samples.find(named, "average", "template")]
