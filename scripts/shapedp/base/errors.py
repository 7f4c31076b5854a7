"""The errors a user can mend. Each message names the file or key, the value found and the remedy."""


class ShapedpError(Exception):
    """Base of every error that shapedp raises on purpose; the command line prints it in one line."""


class ConfigError(ShapedpError):
    """A setting is missing, unknown or out of bounds."""


class ArtifactError(ShapedpError):
    """An HDF5 artifact is not the kind, the version or the content it should be."""


class MachineError(ShapedpError):
    """The machine is at fault, no record: the job fails, and is run again; nothing that was finished is lost."""


class ProgramError(ShapedpError):
    """The program fails on a public template, so that no record is to blame: a run stops before anything is spent."""


class StorageError(MachineError):
    """A disk is full, read-only or failing; nothing that was finished is lost."""


class RefusedRelease(ShapedpError):
    """A release was refused before any noise was drawn."""


class Rejected(ShapedpError):
    """One record cannot be processed; the run goes on without it.

    code : short reason code, e.g. "large_hole" (stable, for tables and tests)
    message : what was found and what to do, in words
    """

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class NotConverged(ShapedpError):
    """An iteration stopped short of its tolerance; `iterate` is where it stood."""

    def __init__(self, message, iterate):
        super().__init__(message)
        self.iterate = iterate


def join_first(words, separator=", "):
    """Return the first five of words as a message has them, and how many more there are, so that no message grows long.

    Parameters
    ----------
    words : sequence of str
        All of them.
    separator : str
        What stands between two.
    """
    return separator.join(words[:5]) + (f" and {len(words) - 5} more" if len(words) > 5 else "")


def format_count(count, word):
    """Return a number with its word, for messages: `1 hole`, `5 holes`.

    Parameters
    ----------
    count : int
        How many.
    word : str
        In the singular.
    """
    return f"{count} {word}{'s' * (count != 1)}"


def suggest_nearest(word, known_words, cutoff=0.6):
    """Return `; did you mean '...'?` of the known word that is nearest to a wrong one; "" where none is near.

    Parameters
    ----------
    word : str
        The wrong one.
    known_words : sequence of str
        Those that are right.
    cutoff : float
        How alike two words must be, from 0 to 1, as difflib measures it.
    """
    # Late: few processes meet a wrong word.
    import difflib

    nearest_words = difflib.get_close_matches(word, known_words, n=1, cutoff=cutoff)
    return f"; did you mean '{nearest_words[0]}'?" if nearest_words else ""
