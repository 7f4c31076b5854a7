"""Take the radial curves of each registered surface."""

from shapedp import artifacts
from shapedp.cohorts import batches
from shapedp.runs.logs import logged
from shapedp.surfaces import curves


def extract_curves(registered_path, template_path, output_path):
    """J curves at the template's radii, as many samples as the template's curves have."""
    batches.transform(
        [(registered_path, artifacts.REGISTERED)],
        output_path,
        artifacts.FACE_CURVES,
        "extract_curves",
        extracting(template_path),
        shared=[template_path],
    )


def extracting(template_path):
    """The step of one face: registered surface -> fields of its curves."""
    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        radii, samples = template["radii"], template.shape("curves")[-1]

    def extract(face):
        return {"curves": curves.extract(face["f"], radii, samples)}

    return extract


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        extract_curves(snakemake.input.registered, snakemake.input.template, snakemake.output.curves)
