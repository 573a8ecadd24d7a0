"""A Dask cluster of real processes on this machine, and a strategy of several files to send to it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from salad_sim.cluster.connection import connected

WAIT = 120.0
"""Seconds that a process may take to start on a machine with other work."""

DASK = "import sys; from dask.cli import run_cli; sys.argv[0] = 'dask'; run_cli()"
OTHER_VERSION = f"import salad_sim; salad_sim.__version__ = '0.0.1'; {DASK}"


# Takes the first vegetables of the market, or the first card, by way of a file beside it and one in a folder beside it.
MINE = """\
from helper import first
from pieces.deep import ZERO

@strategy("mine")
def choose(view, own, rng):
    list_drafts(view, own)
    return make_move(own.drafts[first(own.n_drafts) + ZERO], NO_FLIP)
"""
HELPER = """\
from salad_sim.strategy import kernel

@kernel
def first(n):
    return n - n
"""

DEEP = "from pieces import NOTHING\nZERO = NOTHING\n"
"""Only what is in the package's own file makes it work, and no import statement of the strategy names that."""


class Machines:
    """A scheduler and workers, each a process, in a folder that has nothing of the run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        file = folder / "scheduler.json"
        self.start("scheduler", DASK, "scheduler", "--scheduler-file", str(file), "--port", "0")
        self.wait(lambda: file.exists() and file.stat().st_size > 0, "scheduler")
        self.address = str(json.loads(file.read_text())["address"])

    def scheduler_again(self) -> None:
        """Start the scheduler at the address where it was."""
        self.start("scheduler", DASK, "scheduler", "--port", self.address.rpartition(":")[2])

    def start(self, name: str, code: str, *words: str) -> None:
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-P", "-c", code, *words, "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"],
                cwd=self.folder,
                stdout=log,
                stderr=log,
            )

    def worker(self, name: str, code: str = DASK) -> None:
        words = ["--nthreads", "1", "--no-nanny", "--name", name, "--memory-limit", "0"]
        self.start(name, code, "worker", self.address, *words, "--local-directory", str(self.folder))

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait(WAIT)

    def wait(self, so: Callable[[], bool], name: str) -> None:
        end = time.monotonic() + WAIT
        while not so():
            assert self.processes[name].poll() is None, (self.folder / f"{name}.log").read_text()
            assert time.monotonic() < end
            time.sleep(0.05)


def make_machines(folder: Path, names: Sequence[str]) -> Iterator[Machines]:
    """Yield a cluster with workers of these names, and end it afterwards."""
    made = Machines(folder)
    try:
        for name in names:
            made.worker(name)
        with connected(made.address) as client:
            client.wait_for_workers(len(names), timeout=WAIT)
        yield made
    finally:
        for name in list(made.processes):
            made.kill(name)
