"""What the demo scans are called; without numpy, so that the workflow can list them before anything is made."""

SUFFIXES = (".ply", ".obj", ".xyz", ".csv", ".npy")  # of the faces, in turn
BAD = {"empty": ".xyz", "two_heads": ".obj", "truncated": ".ply"}  # what is wrong with a file: its suffix


def choose_fault(i):
    """What is wrong with bad file i, a key of BAD."""
    return tuple(BAD)[i % len(BAD)]


def list_scans(count, bad):
    """(id, file name) of `count` faces, then of `bad` files that must be refused."""
    good = [f"face_{i + 1:04d}" for i in range(count)]
    listed = [(name, name + SUFFIXES[i % len(SUFFIXES)]) for i, name in enumerate(good)]
    faults = [(f"bad_{i + 1}_{choose_fault(i)}", BAD[choose_fault(i)]) for i in range(bad)]
    return [*listed, *((name, name + suffix) for name, suffix in faults)]


VISITS = ("first", "second")  # what the column `time` says of people who are scanned twice


def name_second(scan):
    """(id, file name) of the second scan of the person of this one."""
    name, file = scan
    return f"{name}_later", f"{name}_later{file.removeprefix(name)}"
