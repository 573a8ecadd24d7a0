"""What of a cluster is refused at the start: no address, no scheduler, no workers, no processes, no Dask."""

from __future__ import annotations

import re
import socket
import sys

import pytest

from salad_sim.cluster import connection
from salad_sim.cluster.connection import connected
from salad_sim.errors import InputError
from support.cluster_machines import Machines
from support.commands import call


@pytest.mark.parametrize("given", ["", "foo", "local", "local:0", "local:1e9", "tcp://host", "tcp://host:99999", "h:1"])
def test_what_is_no_cluster_is_refused(given):
    found = call("run", "--games", "10", "--cluster", given)
    assert (found.exit_code, found.stdout) == (2, "")
    assert found.stderr.startswith("salad-sim: ") and found.stderr.count("\n") == 1
    assert "local:N" in found.stderr and repr(given.removeprefix("local:")) in found.stderr


def test_a_place_where_no_scheduler_answers_is_refused_and_leaves_no_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes calls and says nothing
        port = silent.getsockname()[1]
        found = call("run", "--games", "10", "--cluster", f"tcp://127.0.0.1:{port}", "--out", tmp_path / "run")
    assert found.exit_code == 2
    assert re.fullmatch(
        rf"salad-sim: no Dask scheduler answers at tcp://127\.0\.0\.1:{port} within 0.5 seconds; .*\n", found.stderr
    )
    assert not list((tmp_path / "run").iterdir())


def test_a_scheduler_without_workers_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(connection, "WORKERS_SECONDS", 0.3)
    made = Machines(tmp_path)
    try:
        with (
            pytest.raises(InputError, match=r"has no workers, after 0\.3 seconds; .* dask worker tcp://"),
            connected(made.address),
        ):
            pass
    finally:
        made.kill("scheduler")


def test_processes_that_cannot_be_started_are_a_line(monkeypatch):
    import distributed

    def fail(**_: object) -> None:
        raise RuntimeError("Cluster failed to start:\n no more processes")

    monkeypatch.setattr(distributed, "LocalCluster", fail)
    found = call("run", "--games", "10", "--strategy", "random", "--cluster", "local:2")
    assert found.exit_code == 1
    assert found.stderr == (
        "salad-sim: 2 processes could not be started on this machine: Cluster failed to start: no more processes\n"
    )


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    found = call("run", "--games", "10", "--cluster", "local:2")
    assert found.exit_code == 2
    assert found.stderr.endswith("to install it: pip install 'salad-sim[cluster]'\n")


def test_threads_are_the_workers_own_business():
    found = call("run", "--games", "10", "--cluster", "local:2", "--workers", "3")
    assert found.exit_code == 2
    assert "leave --workers out" in found.stderr
