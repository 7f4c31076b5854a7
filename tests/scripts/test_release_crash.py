"""The face release, script and all, killed with SIGKILL at system calls: nothing shown that is not recorded, no draw
passed off as another.

The library's tests stop the transaction at every one of its system calls; here a sample of the calls is hit in the real
step, with OpenDP drawing the noise.
"""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from library.privacy.cohort import Workspace
from shapedp.ledger.ledger_folder import Ledger

pytestmark = pytest.mark.thorough

SCRIPT = """
import sys
from pathlib import Path
from library.privacy.cohort import Workspace
workspace = Workspace(Path(sys.argv[1]))
workspace.release(workspace.stack())
"""
KILLS = ("ftruncate:when=1", "fsync:when=4", "fsync:when=11", "rename:when=3", "rename:when=5")


def killed(folder, root, call):
    """Run the release under strace, which kills it at a system call; whether it was killed."""
    name, when = call.split(":")
    path = os.pathsep.join([str(root / "scripts"), str(root / "tests")])
    kill = ["-e", f"trace={name}", "-e", f"inject={name}:signal=KILL:{when}"]
    ran = subprocess.run(
        ["strace", "-f", "-qq", "-o", "/dev/null", *kill, sys.executable, "-c", SCRIPT, str(folder)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        timeout=300,
        check=False,
    )
    if b"ptrace" in ran.stderr.lower():
        pytest.skip("strace may not trace here")
    return ran.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)


@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace to kill at system calls")
@pytest.mark.parametrize("call", KILLS)
def test_killed_at_a_system_call_it_is_one_draw_in_the_end(tmp_path, root, call):
    assert killed(tmp_path, root, call)
    output = tmp_path / "results/release/faces/all"
    before = {path.name: path.read_bytes() for path in output.iterdir()} if output.exists() else None
    workspace = Workspace(tmp_path)
    workspace.release(workspace.stack())
    shown = {path.name: path.read_bytes() for path in output.iterdir()}
    rows = Ledger(tmp_path / "ledger").list_releases("people")
    assert before in (None, shown)
    assert [row["status"] for row in rows] == ["spent, never released"] * (len(rows) - 1) + ["released"]
    assert len(rows) <= 2
    workspace.release(workspace.stack())
    assert {path.name: path.read_bytes() for path in output.iterdir()} == shown
    assert Ledger(tmp_path / "ledger").list_releases("people") == rows
