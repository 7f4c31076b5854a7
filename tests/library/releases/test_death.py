"""No crash of the release transaction leaves a gap: noise that is drawn is recorded, and drawn once.

A release runs in a child process that dies at its k-th system call, for every k; the last tests kill it with SIGKILL
from outside.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from bisect import bisect_left

import pytest

from library.releases import examples
from library.releases.crashes import (
    DEAD,
    check_acts,
    check_recovery,
    check_second,
    crash,
    crash_leaves_copy,
    die_at,
    exit_code,
    first,
    in_child,
    publish,
    raise_cap,
    second,
)

pytestmark = pytest.mark.thorough

KILLS = 12


@pytest.mark.slow
@pytest.mark.parametrize("torn", [False, True])
def test_death_at_every_system_call(tmp_path, torn):
    spent, count = [], 1
    while crash(tmp_path / str(count), count, torn):
        spent.append(check_recovery(tmp_path / str(count)))
        count += 1
    assert count > 50
    assert spent[0] == 1 and 2 in spent and spent[-1] == 1  # nothing begun, draw lost, draw recovered


@pytest.mark.slow
@pytest.mark.parametrize(("act", "check"), [(second, check_second), (raise_cap, check_acts)])
def test_death_at_every_system_call_of_what_comes_later(tmp_path, act, check):
    count, died = 1, True
    while died:
        folder = tmp_path / str(count)
        first(folder)
        died = crash(folder, count, act=act)
        check(folder)
        count += 1
    assert count > 15


@pytest.mark.slow
def test_death_during_recovery(tmp_path):
    """The process dies after its copy is stored, and again at each call of the recovery."""
    stored = bisect_left(range(200), True, key=lambda count: crash_leaves_copy(tmp_path / f"one{count}", count))
    for count in range(1, 100):
        folder = tmp_path / f"two{count}"
        assert crash(folder, stored)

        def work(count=count, folder=folder):
            die_at(count, torn=False)
            publish(folder, draw=examples.Draw(start=50))

        died = exit_code(in_child(work)) == DEAD
        assert check_recovery(folder) == 1
        if not died:
            break
    assert count > 20


@pytest.mark.slow
@pytest.mark.parametrize("kill", range(KILLS))
def test_sigkill_from_outside(tmp_path, kill):
    """A real SIGKILL after a delay that sweeps over the release."""
    ready, go = os.pipe()
    (tmp_path / "drawn").touch()

    def work():
        mark = os.open(tmp_path / "drawn", os.O_WRONLY)

        class Marked(examples.Draw):
            def __call__(self):
                os.write(mark, b"1")
                return super().__call__()

        os.write(go, b"1")
        publish(tmp_path, draw=Marked())

    child = in_child(work)
    os.read(ready, 1)
    time.sleep(0.03 * kill / KILLS)
    os.kill(child, signal.SIGKILL)
    exit_code(child)
    check_recovery(tmp_path)


SCRIPT = """
import sys
from pathlib import Path
from library.releases import examples
from shapedp.ledger import ledger_folder
folder = Path(sys.argv[1])
class Marked(examples.Draw):
    def __call__(self):
        (folder / "drawn").write_bytes(b"1")
        return super().__call__()
examples.publish(
    ledger_folder.Ledger(folder / "ledger"), examples.request(), examples.stated(), Marked(), examples.output(folder)
)
"""


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace to kill at system calls")
@pytest.mark.parametrize("call", ["fsync:signal=KILL:when=2", "fsync:signal=KILL:when=6", "rename:signal=KILL:when=3"])
def test_sigkill_at_system_calls(tmp_path, root, call):
    (tmp_path / "drawn").touch()
    path = os.pathsep.join([str(root / "scripts"), str(root / "tests")])
    command = [
        "strace",
        "-f",
        "-qq",
        "-o",
        str(tmp_path / "trace"),
        "-e",
        f"inject={call}",
        sys.executable,
        "-c",
        SCRIPT,
    ]
    ran = subprocess.run(
        [*command, str(tmp_path)], env={**os.environ, "PYTHONPATH": path}, capture_output=True, timeout=60, check=False
    )
    if b"ptrace" in ran.stderr.lower():
        pytest.skip("strace may not trace here")
    assert ran.returncode == -signal.SIGKILL or ran.returncode == 128 + signal.SIGKILL
    check_recovery(tmp_path)
