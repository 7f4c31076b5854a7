"""Clip, average, add noise, and enter the release in the ledger: the only face step that spends privacy."""

from dataclasses import replace

from shapedp import artifacts
from shapedp.cohorts import stacks
from shapedp.errors import RefusedRelease
from shapedp.mechanisms import bounds
from shapedp.mechanisms.shaped import variation
from shapedp.releases import face_facts, fingerprints, mean_face, parts
from shapedp.releases.ledger import Ledger
from shapedp.runs.logs import log, logged
from shapedp.storage import marks


def release_mean_face(curves_path, template_path, bounds_path, output_dir, entry, faces, privacy, people, named):
    """entry : one of faces.releases; faces, privacy : the settings of those sections; bounds_path : None for numbers;
    people : how many the cohort lists; named : whether its sheet says whose each scan is
    """
    paths = curves_path, template_path, bounds_path

    def release(ledger, cohort, ids, template, limits):
        return mean_face.release(ledger, cohort, template, limits, entry, faces, privacy, output_dir)

    return released(paths, entry, faces, privacy, people, named, release)


def released(paths, entry, faces, privacy, people, named, release):
    """The names of the files that release(ledger, mean_face.People, their ids, template, limits) makes."""
    curves_path, template_path, bounds_path = paths
    ledger = Ledger(privacy["ledger"])
    key = ledger.key()
    template = _template(template_path)
    limits = _limits(bounds_path, curves_path, faces, len(template["radii"]))
    with artifacts.reader(curves_path, artifacts.CURVES) as stack:
        if stack["template"] != artifacts.header(template_path)[2]:
            raise RefusedRelease(f"{curves_path}: these curves were taken with another template; run snakemake again")
        ids = stack["ids"]
        part = parts.of(entry, privacy, key, ids, stack["groups"])
        cohort = mean_face.People(
            n=part.n,
            rows=len(part.rows),
            read=stacks.reading(stack, part.rows, template["curves"]),
            records=fingerprints.of_records(key, lambda start, stop: stack.rows("curves", start, stop), len(ids)),
            used=fingerprints.of_arrays(key, stack["ok"]),
            group=part.group,
            evidence=face_facts.Evidence(artifacts.lineage(curves_path), people, len(ids), len(set(ids)), named),
        )
        outcome = release(ledger, cohort, [ids[row] for row in part.rows], template, limits)
    log.info("release '%s': %s", entry["name"], "stored bytes returned" if outcome.reused else "drawn and recorded")
    return outcome.files


def _template(path):
    with artifacts.reader(path, artifacts.TEMPLATE) as source:
        return {key: source[key] for key in ("curves", "radii", "scale", "public", "source")}


def _limits(bounds_path, curves_path, faces, count):
    """The bounds; not public if they were computed from the very curves that are released, whatever they are called."""
    if bounds_path is None:
        return bounds.from_numbers(faces["bounds"]["tau"], count)
    learned = artifacts.header(bounds_path)[0] == artifacts.VARIATION.name
    limits, _ = (variation if learned else bounds).load(bounds_path)
    with artifacts.reader(bounds_path, artifacts.VARIATION if learned else artifacts.BOUNDS) as source:
        private = artifacts.header(curves_path)[2] in source.provenance["inputs"].values()
    return replace(limits, public=limits.public and not private)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        shown = release_mean_face(
            snakemake.input.curves,
            snakemake.input.template,
            snakemake.input.get("bounds") or None,
            snakemake.params.folder,
            snakemake.params.release,
            snakemake.params.faces,
            snakemake.params.privacy,
            snakemake.params.people,
            snakemake.params.named,
        )
        marks.write(snakemake.output.mark, snakemake.params.folder, shown)
