"""Call MeshLab for what it is best at: formats that only it reads, meshes that are no surfaces, meshes too dense to
map.

It works in a process of its own, whose processor time and memory are bounded by public numbers: what becomes of a scan
follows from the scan, and not from what else runs on the machine. There is no other clock. A process that was stopped
from outside says nothing about the scan, so the job fails and is run again.
"""

import errno
import os
import re
import resource
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from shapedp.base.errors import MachineError, Rejected
from shapedp.base.reading.files import MAX_POINTS, MAX_TRIANGLES, check_count
from shapedp.base.storage.files import AGAIN
from shapedp.surfaces.scans import meshlab_process

PROGRAM = Path(__file__).with_name("meshlab_process.py")
# Of processor time; the largest mesh that comes to the edge collapse takes 8.
MOST_SECONDS = 25
# Bytes of addresses; a glTF of six million triangles, the most that is read, takes 1.1 GB.
MOST_MEMORY = 3 << 29
# Bytes of its last words that are looked at.
MOST_SAID = 4096
# A crash is the scan's: it comes again. Any other signal comes from outside.
CRASHES = {-getattr(signal, f"SIG{name}") for name in ("SEGV", "ABRT", "BUS", "FPE", "ILL", "SYS", "TRAP")}
# Threads take time and addresses, too.
ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
LIBRARY = re.compile(r"lib[\w.+-]+\.so[\w.]*")
# A scene that names other files, none of which is opened.
ELSEWHERE = re.compile(rb'"uri"\s*:\s*"(?!data:)|Inline|<init_from>\s*file:')


def read(data, suffix):
    """Return (points (n, 3), triangles (t, 3), notices) of a scan in a format that this library does not read itself.

    By MeshLab, in a process of its own. data : the bytes; suffix : names the format, ".wrl"
    """
    if ELSEWHERE.search(data):
        raise Rejected("unsupported_format", "its geometry lies in other files: save the scan as one file, ply or glb")
    with _open_folder() as folder:
        source = folder / f"scan{suffix}"
        source.write_bytes(data)
        points, triangles = _run("read_gltf" if suffix in (".glb", ".gltf") else "read", source)
    if len(points) == 0:
        raise Rejected("empty_file", "it holds no points: export the scan again")
    check_count("points", len(points), MAX_POINTS)
    check_count("triangles", len(triangles), MAX_TRIANGLES)
    return points.astype(float), triangles.astype(np.int32) if len(triangles) else None, ()


def repair(points, triangles):
    """Return (points, triangles) of a scan's mesh, by MeshLab, without the faces that make it no surface."""
    return _run_on("repair", points, triangles)


def reduce(points, triangles, faces):
    """Return (points, triangles) of a scan's mesh, by MeshLab, with about so many faces, few enough to be mapped."""
    return _run_on("reduce", points, triangles, faces)


def _run_on(task, points, triangles, number=0):
    """Return (points, triangles) of a task (repair, reduce) that MeshLab does on a mesh, handed over in a file."""
    with _open_folder() as folder:
        source = folder / "given.npz"
        np.savez(source, points=points, triangles=triangles)
        points, triangles = _run(task, source, number)
        return points, triangles.astype(np.int64)


@contextmanager
def _open_folder():
    """Yield a folder for the files that go to MeshLab's process and come back.

    A disk that is full or a process that cannot start is the machine's fault, but a file beyond a limit on files is the
    scan's, since it comes again.
    """
    try:
        with TemporaryDirectory() as folder:
            yield Path(folder)
    except OSError as error:
        if error.errno == errno.EFBIG:
            words = (
                f"its files may hold {resource.getrlimit(resource.RLIMIT_FSIZE)[0]} bytes on this machine (ulimit -f)"
            )
            raise Rejected(
                "too_large", f"MeshLab cannot be given the scan: {words}; save it with fewer triangles"
            ) from error
        raise MachineError(f"MeshLab cannot be given a scan: {error}; make room, {AGAIN}") from error


def _run(task, source, number=0):
    """Return (points, triangles) of a task done by MeshLab in a process of its own, so that its crash ends no run.

    What stops it is told in one line.
    """
    target, words_path = source.with_name("made.npz"), source.with_name("said.txt")
    command = [sys.executable, str(PROGRAM), task, str(source), str(target), str(number)]
    limits = [str(MOST_SECONDS), str(MOST_MEMORY)]
    with words_path.open("wb") as words:
        silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": words}
        done = subprocess.run([*command, *limits], **silent, env=os.environ | ALONE, check=False).returncode
    if done == 0:
        mesh = np.load(target, allow_pickle=False)
        return mesh["points"], mesh["triangles"]
    if done == -signal.SIGXCPU:
        raise Rejected(
            "too_large",
            f"MeshLab had not finished after {MOST_SECONDS} s of processor time: save it as ply, with fewer triangles",
        )
    last = _last_line(words_path) or f"it crashed ({done})"
    if done not in CRASHES | {meshlab_process.REFUSED}:
        raise MachineError(
            f"MeshLab was stopped by something other than the scan ({done}: {last[:200]}); free memory and disk "
            f"space, {AGAIN}"
        )
    if "ImportError" in last and "map segment" not in last and (missing := LIBRARY.search(last)):
        raise Rejected(
            "missing_library",
            f"this scan needs MeshLab, and MeshLab needs {missing[0]}; on Debian: apt-get install -y "
            "--no-install-recommends libgl1 libopengl0; or save the scan as ply, without faults",
        )
    raise Rejected("unreadable_file", f"MeshLab cannot {task.split('_')[0]} it: {last[:200]}; save the scan as ply")


def _last_line(said):
    """Return the last line that MeshLab's process wrote, which says why it failed."""
    with said.open("rb") as words:
        words.seek(max(said.stat().st_size - MOST_SAID, 0))
        lines = words.read().decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else ""
