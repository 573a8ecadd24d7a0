"""Plays a plan in blocks and reduces each block to sums, so that memory stays flat however many games there are.

The blocks are the same whatever the number of workers, and so is what they add up to.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from salad_sim.play.trace import FOLLOWED
from salad_sim.run.driver import Session
from salad_sim.run.outcomes import Outcomes, play_outcomes
from salad_sim.run.plan import Plan

BLOCK_GAMES = 20_000
"""Games that are kept one by one at a time, at least one deal of them."""

Summed = TypeVar("Summed", bound=Any)


@contextmanager
def finishing() -> Iterator[None]:
    """Let nobody interrupt what is done with the games of a study once they are played; it takes seconds."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass(frozen=True)
class Counted(Generic[Summed]):
    """What was counted of a plan.

    Attributes
    ----------
    sums
        Whatever blocks are reduced to.
    n_deals : int
        Deals that were counted: the first ones, without a gap.
    """

    sums: Summed
    n_deals: int


def play_blocks(
    session: Session,
    plans: Plan | Sequence[Plan],
    reduce: Callable[..., Summed],
    stops: Iterable[int] | None = None,
    is_enough: Callable[[Summed, int], bool] | None = None,
    first_deal: int = 0,
    kept: int = FOLLOWED,
    at_once: int | None = None,
) -> Counted[Summed] | None:
    """Play plans in blocks of the same deals and add up what each block is reduced to.

    Parameters
    ----------
    session : Session
    plans : Plan or sequence of Plan
        Equally many deals each: the most that are played.
    reduce : callable
        Outcomes of a block, one for each plan -> sums that add with ``+``.
    stops : iterable of int, optional
        Numbers of deals, increasing, after which ``is_enough`` is asked; no block goes beyond the next one.
    is_enough : callable, optional
        (sums so far, deals so far) -> whether to end.
    first_deal : int
        Number of the first deal.
    kept : int
        How much is kept of each game, as in `play_outcomes`.
    at_once : int, optional
        Deals of a block; by default as many as have `BLOCK_GAMES` games.

    Returns
    -------
    Counted or None
        None if the user interrupted before any game was counted.
    """
    together = [plans] if isinstance(plans, Plan) else list(plans)
    most = together[0].n_deals
    size = at_once or max(BLOCK_GAMES // together[0].n_rotations, 1)
    total: Summed | None = None
    n_done = 0
    with session.hearing():
        for stop in [most] if stops is None else stops:
            while n_done < stop and not session.interrupted:
                block = _play_block(session, together, min(size, stop - n_done), first_deal + n_done, kept)
                if block is None:
                    break
                part = reduce(*block)
                total, n_done = part if total is None else total + part, n_done + block[0].n_deals
            if session.interrupted or total is None or (is_enough is not None and is_enough(total, n_done)):
                break
    return None if total is None else Counted(total, n_done)


def _play_block(session: Session, plans: list[Plan], n_deals: int, first_deal: int, kept: int) -> list[Outcomes] | None:
    """Play some deals under every plan; None if they are not all there. Of a single plan the first deals will do."""
    block = []
    for plan in plans:
        games = play_outcomes(replace(plan, n_deals=n_deals), first_deal, session, kept)
        if games is None or (session.interrupted and len(plans) > 1):
            return None
        block.append(games)
    return block
