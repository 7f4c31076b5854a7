"""A run on a terminal: one line a step with what is done and the time left; the full log stays in Snakemake's file.

Snakemake tells what it does as log records; those used here, by the names it gives their kinds:
    job_info (jobid, rule_name)    job_finished (job_id)    everything from warnings up, which is shown as it is
"""

import logging
import os

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from shapedp.runs.logs import BARS

SCREEN = "DefaultStreamHandler"  # what Snakemake calls the handler that writes to the terminal


class Bars(logging.Handler):
    """Takes the place of Snakemake's lines on the terminal."""

    def __init__(self):
        super().__init__()
        self._jobs, self._rule_of, self._lines = {}, {}, {}
        self._progress = Progress(
            TextColumn("{task.description:<24}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )

    def start(self, logger, jobs):
        """Show the bars in place of the lines of this logger; jobs : {rule: how many of its jobs will run}."""
        self._jobs = jobs
        for handler in logger.handlers:
            if handler.name == SCREEN:
                handler.addFilter(lambda record: record.levelno >= logging.WARNING)
        os.environ[BARS] = "1"  # the jobs' own lines of progress would tear the bars
        logger.addHandler(self)
        self._progress.start()

    def stop(self):
        """Leave the bars as they are."""
        self._progress.stop()

    def counts(self):
        """{rule: (jobs done, jobs in all)} of the rules that have begun."""
        tasks = {rule: self._progress.tasks[line] for rule, line in self._lines.items()}
        return {rule: (int(task.completed), int(task.total)) for rule, task in tasks.items()}

    def emit(self, record):
        """Start a line at a rule's first job, and move it on at the end of each."""
        event = getattr(getattr(record, "event", None), "value", None)
        if event == "job_info":
            self._begin(record.jobid, record.rule_name)
        elif event == "job_finished" and record.job_id in self._rule_of:
            self._progress.advance(self._lines[self._rule_of[record.job_id]])

    def _begin(self, job, rule):
        self._rule_of[job] = rule
        if rule not in self._lines:
            self._lines[rule] = self._progress.add_task(rule, total=self._jobs.get(rule, 1))
