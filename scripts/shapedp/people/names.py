"""What the demo scans are called; without numpy, so that the workflow can list them before anything is made."""

SUFFIXES = (".ply", ".obj", ".xyz", ".csv", ".npy")  # of the faces, in turn
BAD = {"empty": ".xyz", "two_heads": ".obj", "truncated": ".ply"}  # what is wrong with a file: its suffix


def choose_fault(i):
    """Return what is wrong with bad file i, a key of BAD."""
    return tuple(BAD)[i % len(BAD)]


def list_scans(count, bad):
    """Return the ids and file names of demo scans, so that the workflow knows its jobs: good ones, then bad ones.

    Parameters
    ----------
    count, bad : int
        Good and bad files.

    Returns
    -------
    list of (str, str)
        (id, file name).
    """
    good = [f"face_{i + 1:04d}" for i in range(count)]
    listed = [(name, name + SUFFIXES[i % len(SUFFIXES)]) for i, name in enumerate(good)]
    faults = [(f"bad_{i + 1}_{choose_fault(i)}", BAD[choose_fault(i)]) for i in range(bad)]
    return [*listed, *((name, name + suffix) for name, suffix in faults)]


# What the column `time` says of people who are scanned twice.
VISITS = ("first", "second")


def name_second(scan):
    """Return (id, file name) of the second scan of the person whose first scan has these."""
    name, file = scan
    return f"{name}_later", f"{name}_later{file.removeprefix(name)}"
