"""Take a batch from its scans to its curves in one process, face by face; nothing between is written."""

from extract_curves import extracting
from map_disks import map_disk
from measure_quality import numbers, row, write_table
from mesh_faces import mesh_face
from recenter_disks import recentering
from register_surfaces import registering
from sample_surfaces import sampling_on
from shapedp import artifacts
from shapedp.cohorts import batches
from shapedp.runs.logs import logged, progress
from shapedp.surfaces import meshing

CURVES = artifacts.FACE_STEPS[-1]


def make_curves(samples, template_path, curves_path, table_path, settings, learned_path=None):
    """Write what the steps one by one would write, bit for bit: the curves of a batch and its quality table.

    samples : (id, path, nose tip or None) of each face; settings : center, mesh, surface, registration, gates
    """
    steps = chain(samples, template_path, settings, learned_path)
    between = [step.kind.name for step in artifacts.FACE_STEPS[:-1]]
    between += [artifacts.CORRESPONDENCE.name] if learned_path else []
    ordered, rows = sorted(samples), []  # as an artifact gives them back
    with artifacts.writer(curves_path, artifacts.FACE_CURVES, None, [template_path], between) as out:
        for name, path, _ in progress(ordered, len(ordered), batches.label("make_curves", curves_path)):
            curves, words = _face(name, path, steps)
            rows.append(words)
            batches.enter(out, name, curves)
    write_table(table_path, rows)


def chain(samples, template_path, settings, learned_path=None):
    """(FaceStep, what gives its fields from those of the steps before) of each step, in order."""
    options = meshing.Options(**settings["mesh"])
    marked = {name: nose for name, _, nose in samples if nose is not None}
    center, sample = recentering(settings["center"], marked), sampling_on(**settings["surface"])
    register = registering(template_path, settings["registration"], settings["gates"], learned_path)
    extract = extracting(template_path)
    functions = {
        "mesh_faces": lambda made: mesh_face(made["scan"], options),
        "map_disks": lambda made: map_disk(made["mesh"]),
        "recenter_disks": lambda made: center(made["disk_map"], made["mesh"]),
        "sample_surfaces": lambda made: sample(made["disk"], made["mesh"]),
        "register_surfaces": lambda made: register(made["surface"], made["disk"], made["mesh"]),
        "extract_curves": lambda made: extract(made["registered"]),
    }
    return [(step, functions[step.rule]) for step in artifacts.FACE_STEPS]


def _face(name, path, steps):
    """(fields of the curves, or the Refusal; the row of the quality table) of one face."""
    made, values = {"scan": path}, {}
    for step, function in steps:
        found = batches.tried(name, step.rule, lambda function=function: function(made))
        if isinstance(found, batches.Refusal):
            refusal = None if step is CURVES else (found.stage, found.code, found.reason)
            return found, row(name, refusal, values)
        made[step.folder] = artifacts.Passing(name, step.kind, found)
        if step is not CURVES:
            values |= numbers(made[step.folder], step)
    return found, row(name, None, values)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        make_curves(
            snakemake.params.samples,
            snakemake.input.template,
            snakemake.output.curves,
            snakemake.output.table,
            snakemake.params.settings,
            snakemake.input.learned or None,
        )
