"""What a worker does: it plays a range of deals and answers with what it counted, as sealed text.

The module is loaded by the scheduler too, so nothing heavy is imported before it is needed.
"""

from __future__ import annotations

import threading
from typing import Any

_compiling = threading.Lock()
"""Several threads of a worker get their first shard at once, and only one shall compile."""


def play_range(parcel: bytes, first: int, stop: int, patience: float) -> bytes:
    """Play deals first .. stop - 1 of a plan on one thread.

    Parameters
    ----------
    parcel : bytes
        The plan, see `messages.pack`.
    first, stop : int
    patience : float
        Seconds without a finished piece after which it is given up.

    Returns
    -------
    bytes
        Sealed: first, stop and worker (its address), and either tally and seconds, or refused, or failed (the name of
        the error's class); the latter two with text.
    """
    from distributed import get_worker

    from salad_sim.cluster.messages import ANSWER
    from salad_sim.files.sealed import sealed

    answer = {"first": first, "stop": stop, "worker": str(get_worker().address)}
    return sealed(ANSWER, answer | _answer(parcel, first, stop, patience))


def _answer(parcel: bytes, first: int, stop: int, patience: float) -> dict[str, Any]:
    from salad_sim.cluster.messages import unpack
    from salad_sim.errors import InputError, SaladError
    from salad_sim.run.deal_ledger import Block, Ledger
    from salad_sim.run.driver import Session, play_plan
    from salad_sim.run.runner import prepare
    from salad_sim.storage.checkpoint_file import tally_dict

    try:
        with _compiling:
            unpacked = unpack(parcel)
    except InputError as error:
        return {"refused": True, "text": str(error)}
    try:
        with _compiling:
            prepare(unpacked.plan)
        count = play_plan(unpacked.plan, Session(1, patience=patience), ledger=Ledger([Block(first, stop)]))
    except SaladError as error:
        return {"failed": type(error).__name__, "text": unpacked.in_words_of_sender(str(error))}
    return {"tally": tally_dict(count.tally), "seconds": count.seconds}
