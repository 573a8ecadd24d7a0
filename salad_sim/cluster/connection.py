"""Which cluster: the address of a Dask scheduler, or one that is started for a run and closed after it."""

from __future__ import annotations

import asyncio
import logging
import re
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from salad_sim.errors import InputError, SaladError, quote
from salad_sim.run.setup import whole_number

if TYPE_CHECKING:
    from distributed import Client

    from salad_sim.run.driver import Observer

CONNECT_SECONDS = 10.0
"""For a scheduler to answer, and for one that was lost to come back."""

WORKERS_SECONDS = 30.0
"""For the first worker to be there."""

MOST_LOCAL = 256

ADDRESS = re.compile(r"(tcp|tls)://([^\s/:\[\]]+|\[[0-9A-Fa-f:.%]+\]):\d{1,5}")

DEAF_TO_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
"""For the workers of a local cluster, which hear Ctrl-C as the run does: the run ends them."""


class ClusterError(SaladError):
    """A cluster cannot go on with a run."""


def check_cluster(given: str) -> int | str:
    """Return the number of processes of ``local:N``, or the address of a scheduler.

    Raises
    ------
    InputError
        If it is neither.
    """
    kind, colon, number = given.partition(":")
    if kind == "local" and colon:
        return whole_number("processes of --cluster local:N", number, 1, MOST_LOCAL)
    if not ADDRESS.fullmatch(given) or int(given.rpartition(":")[2]) not in range(1, 65536):
        raise InputError(f"--cluster is the address of a scheduler, as tcp://host:8786, or local:N, not {quote(given)}")
    return given


@contextmanager
def on_cluster(given: str, observer: Observer) -> Iterator[None]:
    """Let a cluster play what an observer watches while this block lasts; parameters and errors as of `connected`."""
    from salad_sim.cluster.dispatch import DaskCluster

    with connected(given) as client:
        observer.elsewhere = DaskCluster(client)
        try:
            yield
        finally:
            observer.elsewhere = None


@contextmanager
def connected(given: str) -> Iterator[Client]:
    """Yield a client of a cluster that has workers; a local one is started now and closed afterwards.

    Parameters
    ----------
    given : str
        See `check_cluster`.

    Raises
    ------
    InputError
        If it is no cluster, nobody answers there, there are no workers, or Dask is not installed.
    ClusterError
        If processes cannot be started here.
    """
    where = check_cluster(given)
    distributed = _dask()
    with ExitStack() as stack:
        try:
            address = stack.enter_context(_local(distributed, where)) if isinstance(where, int) else where
            asyncio.run(asyncio.wait_for(_greet(distributed, address), CONNECT_SECONDS))
            with warnings.catch_warnings():
                # what must agree is compared by the workers themselves
                warnings.simplefilter("ignore", distributed.versions.VersionMismatchWarning)
                client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
            stack.enter_context(client)
        except (OSError, ValueError, TypeError, EOFError):  # time-outs, and what another kind of server says
            raise InputError(
                f"no Dask scheduler answers at {given} within {CONNECT_SECONDS:g} seconds; start one with: "
                "dask scheduler"
            ) from None
        try:
            client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except OSError:
            raise InputError(
                f"the scheduler at {given} has no workers, after {WORKERS_SECONDS:g} seconds; start some with: "
                f"dask worker {address}"
            ) from None
        yield client


async def _greet(distributed: Any, address: str) -> None:
    """Exchange greetings with a scheduler: a client waits for them without an end (distributed 2026.8)."""
    options = distributed.Security().get_connection_args("client")
    comm = await distributed.comm.connect(address, timeout=CONNECT_SECONDS, **options)
    await comm.close()


def _dask() -> Any:
    """Import Dask, and keep it from writing logs between the lines of this program."""
    try:
        import distributed
        import distributed.comm
        import distributed.versions
    except ImportError as error:
        raise InputError(
            f"--cluster needs Dask ({error.name or error} is missing); to install it: pip install 'salad-sim[cluster]'"
        ) from None
    for name in ("distributed", "distributed.client", "asyncio", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    return distributed


@contextmanager
def _local(distributed: Any, n_processes: int) -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="salad-sim-", ignore_cleanup_errors=True) as folder:
        try:
            cluster = distributed.LocalCluster(
                n_workers=n_processes,
                threads_per_worker=1,
                processes=True,
                memory_limit=0,
                dashboard_address=None,
                worker_dashboard_address=None,
                local_directory=folder,
                silence_logs=logging.CRITICAL,
                preload=[DEAF_TO_CTRL_C],
            )
        except (OSError, RuntimeError) as error:
            why = " ".join(str(error.__cause__ or error).split())
            raise ClusterError(f"{n_processes} processes could not be started on this machine: {why}") from None
        with cluster:
            yield cluster.scheduler_address
