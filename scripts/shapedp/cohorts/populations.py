"""The populations of the face branch: the private cohort, and the public reference set that bounds are taken from."""

from dataclasses import replace
from pathlib import Path

from shapedp.cohorts import samples
from shapedp.demo import names
from shapedp.errors import ConfigError

DEMO = "demo"
REFERENCE_SEED_SHIFT = 1_000_003  # the reference set must not be the cohort itself


def find(faces):
    """{cohort: samples}: `faces`, and `reference` if some release takes its bounds from a reference set."""
    cohorts = {"faces": _members(faces, "faces")}
    if needs_reference(faces):
        cohorts["reference"] = _members(faces, "reference")
        _refuse_shared(faces, cohorts)
    return cohorts


def needs_reference(faces):
    """Whether any release takes its bounds from the reference set."""
    default = faces["bounds"]["source"]
    return any(release.get("bounds", default) == "reference_set" for release in faces["releases"])


def source(faces, cohort):
    """The setting that names a cohort's scans."""
    return faces["scans"] if cohort == "faces" else faces["bounds"]["reference_set"]


def is_demo(faces, cohort):
    """Whether a cohort is drawn from the built-in face model."""
    return source(faces, cohort) == DEMO


def demo_settings(faces, cohort):
    """count, bad and seed of a demo cohort; the reference set has its own seed and no broken scans."""
    if cohort == "faces":
        return faces["demo"]
    seed = faces["demo"]["seed"] + REFERENCE_SEED_SHIFT
    return {"count": faces["bounds"]["reference_count"], "bad": 0, "seed": seed}


def _members(faces, cohort):
    if is_demo(faces, cohort):
        settings = demo_settings(faces, cohort)
        folder = f"data/demo/{cohort}"
        listed = names.scans(settings["count"], settings["bad"])
        return [samples.Sample(name, f"{folder}/{file}", name) for name, file in listed]
    persons = faces["persons"] if cohort == "faces" else "average"
    members = samples.find(source(faces, cohort), persons)
    return members if cohort == "faces" else [replace(member, group="") for member in members]


def _refuse_shared(faces, cohorts):
    """Refuse a reference set that holds scans of the private cohort: its bounds would be called public."""
    private = {Path(one.path).resolve() for one in cohorts["faces"]}
    shared = sum(Path(one.path).resolve() in private for one in cohorts["reference"])
    if shared:
        raise ConfigError(
            f"faces.bounds.reference_set: '{faces['bounds']['reference_set']}' holds {shared} scan(s) of faces.scans; "
            "bounds from private people are not public. Name another set, give numbers (bounds.source: public), or set "
            "bounds.source: data, which is labelled not private"
        )


def template_scan(faces, cohorts):
    """The file that the template is made from, or None for the built-in template."""
    if faces["template"] == DEMO:
        return None
    of_id = {sample.id: sample.path for sample in cohorts["faces"]}
    if faces["template"] in of_id:
        return of_id[faces["template"]]
    if not Path(faces["template"]).is_file():
        raise ConfigError(
            f"faces.template: found '{faces['template']}', which is neither `demo`, a file, nor a face's id"
        )
    return faces["template"]


def template_is_private(faces, cohorts):
    """Whether the template is a face of the cohort, by id or by file, so that no release can be private."""
    path = template_scan(faces, cohorts)
    return path is not None and Path(path).resolve() in {Path(one.path).resolve() for one in cohorts["faces"]}
