"""Write HTML pages: of a release, of all releases, of tables and statements for the workflow's report."""

from pathlib import Path

from shapedp.page import release_page, view
from shapedp.releases import allow_list
from shapedp.runs.logs import log, logged
from shapedp.statement import forms
from shapedp.storage import files


def write_release_page(page_path):
    """One self-contained HTML file, and with it the bundle is whole: refused if it holds what may not be published."""
    folder = Path(page_path).parent
    stated = allow_list.check_statement(folder)
    for name, text in forms.files(stated, folder.name).items():
        files.write_text(folder / name, text)
    if lacking := forms.missing(stated):
        log.info("%s is not written: it lacks %s", forms.REGISTRY, ", ".join(lacking))
    files.write_text(page_path, release_page.page_of(folder))
    allow_list.check_folder(folder, folder.parent.name, release_page.page_of)


def show_in_report(paths, page_paths):
    """One page a table (.tsv) or a text in Markdown."""
    for path, page in zip(map(Path, paths), page_paths, strict=True):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".md":
            shown = view.words_page(f"Statement of {path.parent.name}", text)
        else:
            shown = view.table_page(Path(page).stem.replace("_", " "), text.splitlines())
        files.write_text(page, shown)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        asked = snakemake.params
        match asked.step:
            case "write_release_page":
                write_release_page(snakemake.output.page)
            case "report_releases":
                files.write_text(snakemake.output.page, release_page.overview(list(map(Path, asked.releases))))
            case "show_in_report":
                show_in_report(asked.shown, snakemake.output)
