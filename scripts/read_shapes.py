"""Read landmark files into one artifact."""

from shapedp import artifacts, landmarks
from shapedp.runs.logs import logged


def read_shapes(source, output_path):
    """All shapes of a landmark file or of a folder of them."""
    found = landmarks.read(source)
    with artifacts.writer(output_path, artifacts.LANDMARKS) as out:
        out.set(landmarks=found.shapes, ids=found.ids)


if __name__ == "__main__":
    with logged(snakemake.log[0]):
        read_shapes(snakemake.input.source, snakemake.output.landmarks)
