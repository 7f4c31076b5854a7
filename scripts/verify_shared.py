"""Make the template, the cohorts' curves, the bounds and the variation again and compare them with those in use."""

from pathlib import Path
from tempfile import TemporaryDirectory

from shapedp import artifacts
from shapedp.chain import cohort
from shapedp.runs import verification
from shapedp.runs.logs import logged
from shapedp.storage import files


def verify_shared(template_path, scan_path, stacks, bounds, variations, table_path, faces, of_the_cohort):
    """stacks : (path, paths of the batches, samples as for stack_curves) of each

    bounds : (path, path of the curves, source, reference) of each; variations : (path, path of the curves, source, how
    many public people are own ones) of each; faces : the settings of the template, the bounds and the variation
    """
    found = []
    with TemporaryDirectory() as folder:
        again = Path(folder) / "template.h5"
        cohort.prepare_template(scan_path, again, faces["template"], of_the_cohort)
        found.append(verification.compare(template_path, again, artifacts.TEMPLATE))
        for path, batch_paths, samples in stacks:
            again = Path(folder) / Path(path).name
            cohort.stack_curves(batch_paths, template_path, again, samples)
            found.append(verification.compare(path, again, artifacts.CURVES))
        for path, curves_path, source, reference in bounds:
            again = Path(folder) / Path(path).name
            cohort.bound_curves(curves_path, template_path, again, faces["bounds"], source, reference)
            found.append(verification.compare(path, again, artifacts.BOUNDS))
        for path, curves_path, source, own in variations:
            again = Path(folder) / Path(path).name
            cohort.learn_variation(curves_path, template_path, again, faces["variation"], source, own)
            found.append(verification.compare(path, again, artifacts.VARIATION))
    files.write_text(table_path, "".join(f"{one.row}\n" for one in found))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        verify_shared(
            snakemake.input.template,
            snakemake.input.get("scan") or None,
            snakemake.params.stacks,
            snakemake.params.bounds,
            snakemake.params.variation,
            snakemake.output.table,
            snakemake.params.faces,
            snakemake.params.of_the_cohort,
        )
