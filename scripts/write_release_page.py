"""Write the page of a release: viewer, statement, charts, settings, in one file; it follows from the release alone."""

import json
from pathlib import Path

from shapedp import artifacts, files
from shapedp.logs import logged
from shapedp.page import build, charts


def write_release_page(release_path, statement_path, words_path, picture_path, page_path):
    """One self-contained HTML file."""
    with artifacts.reader(release_path, artifacts.MEAN_FACE) as source:
        release = {key: source[key] for key in ("curves", "radii", "noise_sd", "scale")}
    release["name"] = Path(release_path).parent.name
    statement = json.loads(Path(statement_path).read_text(encoding="utf-8"))
    page = build.face_page(
        release,
        statement,
        Path(words_path).read_text(encoding="utf-8"),
        charts.of_guarantee(statement["guarantee"]),
        Path(picture_path).read_bytes(),
    )
    files.write_text(page_path, page)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        write_release_page(
            snakemake.input.release,
            snakemake.input.statement,
            snakemake.input.words,
            snakemake.input.picture,
            snakemake.output.page,
        )
