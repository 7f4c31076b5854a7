"""Write HTML pages: of all releases, of tables and statements for the workflow's report."""

from pathlib import Path

from shapedp.base.runs.logs import logged
from shapedp.base.storage import files
from shapedp.releases.viewer import release_page, view


def show_in_report(paths, page_paths):
    """Write a page for each table (.tsv) or text in Markdown, so that Snakemake's report can show it."""
    for path, page in zip(map(Path, paths), page_paths, strict=True):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            shown = view.render_words(f"Statement of {path.parent.name}", text)
        else:
            shown = view.render_table(Path(page).stem.replace("_", " "), text.splitlines())
        files.write_text(page, shown)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        params = snakemake.params
        match params.step:
            case "report_releases":
                files.write_text(snakemake.output.page, release_page.render_overview(list(map(Path, params.releases))))
            case "show_in_report":
                show_in_report(params.shown, snakemake.output)
