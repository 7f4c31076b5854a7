"""A real SLURM cluster of one machine, started by hand from Debian's packages: munged, slurmctld, slurmd."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

CONF = Path("/etc/slurm/slurm.conf")  # the executor plugin strips SLURM_* variables, so it must lie here
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
PATIENCE = 180.0  # seconds; a loaded machine starts daemons slowly
ONE_AT_A_TIME = Path("/tmp/shapedp_test_cluster.lock")  # ports and slurm.conf can serve one cluster a machine
MUNGE_PID = Path("/run/munge/munged.pid")

TEMPLATE = """\
ClusterName=local
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
MpiDefault=none
ReturnToService=2
SlurmctldTimeout=30
SlurmdTimeout=15
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=2
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
MinJobAge=600
OverTimeLimit=0
KillWait=3
InactiveLimit=0
StateSaveLocation={scratch}/state
SlurmdSpoolDir={scratch}/spool
SlurmctldPidFile={scratch}/slurmctld.pid
SlurmdPidFile={scratch}/slurmd.pid
SlurmctldLogFile={scratch}/slurmctld.log
SlurmdLogFile={scratch}/slurmd.log
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why no cluster can be started here, in words; empty if one can."""
    absent = [program for program in PROGRAMS if not _program(program)]
    if absent:
        return f"needs Debian's slurmctld, slurmd, slurm-client and munge (no {', '.join(absent)})"
    if os.geteuid() != 0:
        return "needs root, to start munged and slurmd"
    if CONF.exists() and "ClusterName=local\n" not in CONF.read_text(encoding="utf-8"):
        return f"{CONF} belongs to another cluster"
    return ""


def _program(name):
    return shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")


class Cluster:
    """The running daemons; `kill_node` and `start_node` for the tests of faults."""

    def __init__(self, scratch):
        self.scratch = Path(scratch)
        self._own_munge = False

    def start(self):
        """Write the configuration, start the three daemons and wait until the node is idle."""
        for folder in ("state", "spool"):
            (self.scratch / folder).mkdir(parents=True, exist_ok=True)
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // (1 << 20) - 1024
        CONF.parent.mkdir(parents=True, exist_ok=True)
        CONF.write_text(
            TEMPLATE.format(
                host=socket.gethostname().split(".")[0], scratch=self.scratch, cpus=os.cpu_count(), memory=memory
            ),
            encoding="utf-8",
        )
        self._own_munge = _start_munge()
        subprocess.run([_program("slurmctld")], check=True)
        self.start_node()

    def start_node(self):
        """Start slurmd and wait until it takes jobs."""
        subprocess.run([_program("slurmd")], check=True)
        until = time.monotonic() + PATIENCE
        while not any(word in _output(["sinfo", "-h", "-o", "%t"]) for word in ("idle", "mix", "alloc")):
            if time.monotonic() > until:
                raise TimeoutError(f"slurmd does not take jobs: {_output(['sinfo'])}")
            subprocess.run(
                ["scontrol", "update", f"nodename={socket.gethostname().split('.')[0]}", "state=resume"],
                capture_output=True,
                check=False,
            )
            time.sleep(0.3)

    def kill_node(self):
        """Kill slurmd, its job steps and their programs without warning, as a crash of the machine would."""
        steps = self._steps()
        for process in [*self._daemon("slurmd"), *steps, *(one for step in steps for one in step.children(True))]:
            _kill(process)

    def _daemon(self, name):
        pid_file = self.scratch / f"{name}.pid"
        return [psutil.Process(int(pid_file.read_text()))] if pid_file.exists() else []

    def _steps(self):
        """Running job steps of this cluster: they keep its log open."""
        log = str(self.scratch / "slurmd.log")
        steps = (one for one in psutil.process_iter(["name"]) if one.info["name"].startswith("slurmstepd"))
        return [one for one in steps if _has_open(one, log)]

    def stop(self):
        """Cancel what runs and end all daemons."""
        subprocess.run(["scancel", "--full", "-u", "root"], capture_output=True, check=False)
        for name in ("slurmd", "slurmctld"):
            _end(self.scratch / f"{name}.pid")
        for step in self._steps():
            _kill(step)
        if self._own_munge:
            _end(MUNGE_PID)
        CONF.unlink(missing_ok=True)


def _kill(process):
    with suppress(psutil.NoSuchProcess):
        process.kill()


def _has_open(process, path):
    with suppress(psutil.Error):
        return any(one.path == path for one in process.open_files())
    return False


def _start_munge():
    """Start munged unless one is running; True if it was started here."""
    if MUNGE_PID.exists() and psutil.pid_exists(int(MUNGE_PID.read_text())):
        return False
    for folder, mode in (("/run/munge", 0o755), ("/var/log/munge", 0o700), ("/var/lib/munge", 0o711)):
        Path(folder).mkdir(parents=True, exist_ok=True)
        shutil.chown(folder, "munge", "munge")
        Path(folder).chmod(mode)
    subprocess.run(
        ["setpriv", "--reuid=munge", "--regid=munge", "--init-groups", _program("munged"), "--force"], check=True
    )
    return True


def _output(command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _end(pid_file):
    if pid_file.exists():
        pid = int(pid_file.read_text())
        try:
            os.kill(pid, signal.SIGTERM)
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until:
                os.kill(pid, 0)
                time.sleep(0.1)
        except ProcessLookupError:
            return


@contextmanager
def cluster(scratch):
    """A running cluster, stopped at the end whatever happens."""
    running = Cluster(scratch)
    with ONE_AT_A_TIME.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            running.start()
            yield running
        finally:
            running.stop()
