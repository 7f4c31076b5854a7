"""How long a call takes."""

import statistics
import time


def best(call, repeats=3):
    """Shortest time of several calls, in seconds: others use this machine too."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def by_turns(ours, theirs, repeats=15):
    """(median, median) processor time of two calls that take turns, in seconds; each is called once before."""
    times = [], []
    for _ in range(repeats + 1):
        for call, taken in zip((ours, theirs), times, strict=True):
            start = time.process_time()
            call()
            taken.append(time.process_time() - start)
    return tuple(statistics.median(taken[1:]) for taken in times)
