"""The formats of landmark files, written as their programs write them and read back."""

import tempfile
from pathlib import Path

import numpy as np

from library.landmarks import formats
from shapedp import landmarks
from shapedp.base.errors import Rejected


def run():
    """Cohorts of 12 specimens of 20 landmarks, in every format and dimension: how many came back to the last bit."""
    read = [_reads(case) for case in _cases()]
    yield "formats", "files_read", sum(read), "count"
    yield "formats", "files_expected", len(read), "count"


def _cases():
    """(files {name: text or array}, what they hold)."""
    cohorts = {d: np.random.default_rng(d).normal(size=(12, 20, d)).round(6) for d in (2, 3)}
    for ending, text_of, dimensions in formats.COHORTS:
        for d in dimensions:
            yield {f"all{ending}": text_of(cohorts[d])}, cohorts[d]
    for ending, text_of, dimensions in formats.SINGLE:
        for d in dimensions:
            yield {f"s{i:02d}{ending}": text_of(shape) for i, shape in enumerate(cohorts[d])}, cohorts[d]
    for axes in formats.ARRAYS:
        for d in (2, 3):
            yield {"all.npz": np.transpose(cohorts[d], axes)}, cohorts[d]


def _reads(case):
    files, cohort = case
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            if isinstance(content, str):
                (Path(folder) / name).write_text(content, encoding="utf-8")
            else:
                np.savez(Path(folder) / name, landmarks=content)
        try:
            found = landmarks.read(folder, landmarks.Layout(*cohort.shape[1:]))
        except Rejected as error:
            print(f"  {next(iter(files))}: {error}")
            return False
        return np.array_equal(found.shapes, cohort) or print("DIFF", files.keys(), found.notices)
