"""Make the landmark files, the tables and the picture of a released shape model; all follow from the release alone."""

from pathlib import Path

from shapedp import artifacts
from shapedp.figures import outlines, shape_models, style
from shapedp.landmarks import writing
from shapedp.model import drawings
from shapedp.model.shapes import as_landmarks
from shapedp.releases import shape_model
from shapedp.runs.logs import logged
from shapedp.storage import files


def draw_shape_model(release_path, folder):
    """shape_model.csv (the mean), shape_model.tps (with modes and effects), tables and preview.png."""
    model, settings = shape_model.read(release_path)
    folder = Path(folder)
    files.write_text(folder / "shape_model.csv", writing.csv(as_landmarks(model.mean)))
    files.write_text(folder / "shape_model.tps", drawings.tps(model))
    with artifacts.reader(release_path, artifacts.SHAPE_MODEL) as source:
        values = {key: source[key] for key in ("sd_noise", "floor", "kept")}
    files.write_text(folder / "modes.csv", "\n".join(drawings.modes_table(model, values)) + "\n")
    if model.covariates:
        files.write_text(folder / "effects.csv", "\n".join(drawings.effects_table(model)) + "\n")
    look = outlines.Look(settings["basis"] > 0, settings.get("links", []))
    style.save(shape_models.drawn(model, look), folder / "preview.png", ("png",))


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        draw_shape_model(snakemake.params.release, Path(snakemake.output.table).parent)
