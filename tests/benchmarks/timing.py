"""How long a call takes."""

import time


def best(call, repeats=3):
    """Shortest time of several calls, in seconds: others use this machine too."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
