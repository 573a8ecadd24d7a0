"""What a worker does: it plays a range of deals and answers with what it counted, as sealed text.

The module is loaded by the scheduler too, so nothing heavy is imported before it is needed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from salad_sim.run.executors import Shard

_compiling = threading.Lock()
"""Several threads of a worker get their first shard at once, and only one shall compile."""


def play_range(parcel: bytes, first: int, stop: int, patience: float) -> bytes:
    """Play deals first .. stop - 1 of a job on one thread.

    Parameters
    ----------
    parcel : bytes
        The job, see `messages.pack_job`.
    first, stop : int
    patience : float
        Seconds without a finished piece after which it is given up.

    Returns
    -------
    bytes
        See `messages.answer_of`: first, stop and worker (its address), and either seconds and what was found, or
        refused, or failed (the name of the error's class); the latter two with text.
    """
    from distributed import get_worker

    from salad_sim.cluster.messages import answer_of
    from salad_sim.storage.plain_parts import Writer

    writer = Writer()
    found: list[tuple[Shard, Any]] = []

    def collect(shard: Shard, part: Any) -> None:
        found.append((shard, writer.plain(part)))

    answer = {"first": first, "stop": stop, "worker": str(get_worker().address)}
    return answer_of(answer | _play(parcel, (first, stop), patience, collect), found, writer)


def _play(
    parcel: bytes, deals: tuple[int, int], patience: float, collect: Callable[[Shard, Any], None]
) -> dict[str, Any]:
    from salad_sim.cluster.messages import unpack_job
    from salad_sim.errors import InputError, SaladError
    from salad_sim.run.driver import Session

    session = Session(1, patience=patience)
    try:
        with _compiling:
            unpacked = unpack_job(parcel)
    except InputError as error:
        return {"refused": True, "text": str(error)}
    try:
        with _compiling:
            for plan in unpacked.job.plans:
                session.prepare(plan, unpacked.job.kernel)
        n_deals = deals[1] - deals[0]
        # as few pieces as may be: each is sent back by itself
        size = unpacked.job.fixed or min(n_deals, unpacked.job.most or n_deals)
        session.drive(replace(unpacked.job, ranges=[deals], fixed=size), collect)
    except SaladError as error:
        return {"failed": type(error).__name__, "text": unpacked.in_words_of_sender(str(error))}
    return {"seconds": session.seconds}
