"""What Snakemake says on the screen, as far as it says it twice or leaves it unsaid."""

from shapedp.runs.progress import SCREEN

TWICE = "CalledProcessError in file"  # that a command failed; why it did stands above it, in its own words
IDLE = "Nothing to be done"


class Screen:
    """A filter of the screen's lines; `idle` once Snakemake has said that nothing is to be done."""

    def __init__(self):
        self.idle = False

    def watch(self, logger):
        """Look at what this logger sends to the screen."""
        for handler in logger.handlers:
            if handler.name == SCREEN:
                handler.addFilter(self)
        return self

    def filter(self, record):
        """Whether the line is shown."""
        words = record.getMessage()
        self.idle = self.idle or words.startswith(IDLE)
        return TWICE not in words
