"""Stack the curves of all batches, one row a person; several scans of a person are averaged within the person."""

import numpy as np

from shapedp import artifacts
from shapedp.runs.logs import logged, progress


def stack_curves(batch_paths, template_path, output_path, samples):
    """samples : (id, person, group) of each scan, in the cohort's order. A person with no usable scan has ok = 0."""
    people = list(dict.fromkeys(person for _, person, _ in samples))
    row = {person: index for index, person in enumerate(people)}
    person_of = {name: person for name, person, _ in samples}
    group_of = {person: group for _, person, group in samples}
    with artifacts.reader(template_path, artifacts.TEMPLATE) as template:
        radii, shape = template["radii"], template.shape("curves")
    scans = np.zeros(len(people), dtype=int)
    with artifacts.writer(output_path, artifacts.CURVES, inputs=[template_path, *batch_paths]) as out:
        stack = out.rows("curves", (len(people), *shape))
        for path in progress(batch_paths, len(batch_paths), "stack_curves"):
            for record in artifacts.records(path, artifacts.FACE_CURVES):
                if not record.rejected:
                    at = row[person_of[record.name]]
                    stack[at] += record["curves"]
                    scans[at] += 1
        for at in np.flatnonzero(scans > 1):
            stack[at] /= scans[at]
        out.set(
            ok=scans > 0,
            ids=people,
            groups=[group_of[person] for person in people],
            radii=radii,
            template=artifacts.header(template_path)[2],
        )


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        stack_curves(
            snakemake.input.curves, snakemake.input.template, snakemake.output.curves, snakemake.params.samples
        )
