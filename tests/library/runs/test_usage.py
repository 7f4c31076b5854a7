"""What a job used stands in its log."""

import numpy as np

from shapedp.runs import usage
from shapedp.runs.logs import logged


def test_the_log_ends_with_what_the_job_used(tmp_path):
    with logged(tmp_path / "job.log"):
        np.ones(40 << 17)  # 40 MB
    seconds, start, megabytes = usage.read(tmp_path / "job.log")
    assert seconds >= start > 0
    assert megabytes > 40


def test_a_log_without_such_a_line_has_no_figures(tmp_path):
    (tmp_path / "job.log").write_text("killed\n", encoding="utf-8")
    assert usage.read(tmp_path / "job.log") is None
