"""Limits on what a test may take, by a clock that nothing else on the machine moves."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Fail what takes more of the processor's time than this."""

    def over(*_):
        raise TimeoutError(f"more than {seconds} s of processor time")

    before = signal.signal(signal.SIGPROF, over)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
