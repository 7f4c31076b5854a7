"""What Snakemake says twice is shown once, and that nothing was to be done is noticed."""

import logging

from shapedp.runs import progress, screen


def test_a_failed_command_is_not_told_twice_and_idleness_is_seen():
    logger, shown = logging.Logger("like Snakemake's"), []
    handler = logging.StreamHandler()
    handler.name, handler.emit = progress.SCREEN, lambda record: shown.append(record.getMessage())
    logger.addHandler(handler)
    seen = screen.Screen().watch(logger)
    logger.error("Rejected: a.tps: no landmarks")
    logger.error("RuleException:\nCalledProcessError in file \"x.smk\", line 48:\nCommand 'python' returned 1.")
    assert not seen.idle
    logger.info("Nothing to be done (all requested files are present and up to date).")
    assert seen.idle
    assert [line.split(":")[0] for line in shown] == [
        "Rejected",
        "Nothing to be done (all requested files are present and up to date).",
    ]
