"""Workers that play shards of a plan, the kernels that they need, and who notices when one never ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from salad_sim.errors import IllegalMoveError, SaladError, StrategyError
from salad_sim.game.cards import facts
from salad_sim.game.engine import LEGAL, NOT_CONSERVED
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.jit.blocks import distance
from salad_sim.jit.kernel import cache_folder
from salad_sim.run.executors import Shard, n_cores
from salad_sim.run.plan import Plan
from salad_sim.run.setup import whole_number
from salad_sim.strategy.memory import memory_dtype

MOST_WORKERS = 1024

_prepared: set[tuple[Any, ...]] = set()
"""Functions that this process has compiled or loaded together, and the capacity of their records."""

PATIENCE = 600.0
"""Seconds that a shard may take before a run is given up: some strategy does not come to an end."""


Kernels: TypeAlias = "tuple[Any, list[Any]]"
"""What plays shards, and the strategies of the six places."""


class ShardKernel(NamedTuple):
    """A kernel that plays shards otherwise than the game's own does: it counts or records more.

    Attributes
    ----------
    function : kernel
        Workspace, ..., six strategies -> LEGAL or why a move was not.
    ready : callable
        Number of cards that records have room for -> the function, compiled for them.
    """

    function: Any
    ready: Callable[[int], Any]


def kernel_of(plan: Plan) -> ShardKernel:
    """Return what plays the shards of a plan and counts them."""
    return ShardKernel(plan.game.shard.play_shard, plan.game.shard.shard_player)


def is_cold(plan: Plan, kernel: ShardKernel | None = None) -> bool:
    """Return whether some code of the plan is not in the disk cache yet, so that `prepare` will compile it.

    Parameters
    ----------
    plan : Plan
    kernel : ShardKernel, optional
        What plays the shards; by default what the game does.
    """
    marks = _marks(plan, kernel)
    return marks is not None and not all(any(mark.exists() for mark in places) for places in marks)


def _marks(plan: Plan, kernel: ShardKernel | None) -> list[list[Path]] | None:
    """Return the files that say of a function of the plan that its code for the plan's records is in the disk cache.

    The index of numba's cache tells by its name which function it is of, but not for which records. For each function
    there may be several places, or none; None where nothing is ever compiled.
    """
    functions = [(kernel or kernel_of(plan)).function, *(each.kernel(plan.capacity) for each in plan.lineup)]
    if not all(hasattr(function, "py_func") for function in functions):  # NUMBA_DISABLE_JIT
        return None
    folder = cache_folder()
    places = [_fresh_indexes(folder, function.py_func) for function in functions]
    return [[index.with_suffix(f".{plan.capacity}") for index in indexes] for indexes in places]


def _fresh_indexes(folder: Path, function: Callable[..., Any]) -> list[Path]:
    source = Path(function.__code__.co_filename)
    found = folder.rglob(f"{source.stem}.{function.__qualname__}-*.nbi")
    return [index for index in found if index.stat().st_mtime >= source.stat().st_mtime]


def prepare(
    plan: Plan, kernel: ShardKernel | None = None, tell: Callable[[bool], None] = lambda kernel_too: None
) -> Kernels:
    """Compile what plays the shards of a plan and its strategies, or load them from the disk cache.

    Parameters
    ----------
    plan : Plan
    kernel : ShardKernel, optional
        By default what the game does.
    tell : callable
        Called before something is compiled, with whether what plays the shards is, which takes longer than strategies.

    Returns
    -------
    play : kernel
    choices : list of kernels
        Six, as it wants them; those beyond the number of players are never called.

    Raises
    ------
    InputError
        If a strategy does not compile.
    """
    kernel = kernel or kernel_of(plan)
    key = (kernel.function, *(each.choose for each in plan.lineup), plan.capacity)
    is_new = key not in _prepared  # reading the folder takes longer than to play a few games
    if is_new and is_cold(plan, kernel):
        marks = _marks(plan, kernel)
        tell(marks is not None and not any(mark.exists() for mark in marks[0]))
    choices = [each.ready(plan.capacity) for each in plan.lineup]
    play = kernel.ready(plan.capacity)
    if is_new:
        for mark in chain.from_iterable(_marks(plan, kernel) or []):
            mark.touch()
        _prepared.add(key)
    return play, choices + choices[:1] * (MAX_PLAYERS - len(choices))


def workspace_size(plan: Plan, dtype: np.dtype[np.record] | None = None) -> int:
    """Return the bytes of a workspace of a plan with the memory that its strategies declare."""
    return sum(_sizes(plan, dtype or plan.game.shard.workspace_dtype(plan.capacity)))


def _sizes(plan: Plan, dtype: np.dtype[np.record]) -> list[int]:
    """Return the bytes of the workspace record and of each seat's memory, in multiples of eight."""
    memories = [memory_dtype(each.memory, plan.capacity) for each in plan.lineup]
    return [-(-each.itemsize // 8) * 8 if each is not None else 0 for each in (dtype, *memories)]


def new_workspace(
    plan: Plan, dtype: np.dtype[np.record] | None = None, buffer: npt.NDArray[np.uint8] | None = None
) -> np.record:
    """Return a workspace on which shards of a plan can be played; first_deal and n_deals are left to set.

    Parameters
    ----------
    plan : Plan
    dtype : dtype, optional
        With all the fields of a workspace and more; by default those alone.
    buffer : uint8 array [workspace_size(plan, dtype)], optional
        Where it shall lie, zeroed; by default it gets room of its own. The memory that strategies declare lies in there
        too, behind the record.
    """
    dtype = dtype or plan.game.shard.workspace_dtype(plan.capacity)
    sizes = _sizes(plan, dtype)
    if buffer is None:
        buffer = np.zeros(sum(sizes) // 8, dtype=np.int64).view(np.uint8)
    work: np.record = buffer[: dtype.itemsize].view(dtype)[0]
    for place, (size, start) in enumerate(zip(sizes[1:], accumulate(sizes), strict=False)):
        if size:
            work.own[place].memory_at = distance(work.own[place], buffer[start:])
            work.own[place].memory_size = size
    work.seed = plan.seed
    work.n_rotations = plan.n_rotations
    work.group[: plan.n_players] = plan.groups
    work.head_start[: len(plan.head_start)] = plan.head_start
    for place, each in enumerate(plan.lineup):
        work["own"]["params"][place, : len(each.values)] = each.values
    cards = facts(plan.cards, plan.rules, plan.capacity)
    plan.game.set_up(work.table, plan.n_players, cards, plan.rules, plan.drawn)
    return work


class ShardPlayer:
    """One worker: a workspace of its own, and the kernels that all workers share."""

    def __init__(self, plan: Plan, kernels: Kernels, dtype: np.dtype[np.record] | None = None) -> None:
        self.plan = plan
        self.play, self.choices = kernels
        self.work = new_workspace(plan, dtype)
        self.since: float | None = None  # when it began with the shard that it is playing

    @property
    def players(self) -> Sequence[ShardPlayer]:
        """What plays, for those who look after it: of a worker of several plans there are several."""
        return [self]

    def __call__(self, shard: Shard) -> Any:
        """Play a shard and return its tally, which is valid until the next call; other workers return other sums.

        Raises
        ------
        IllegalMoveError, StrategyError
            At the first game that cannot be played to its end.
        """
        work = self.work
        work["tally"] = np.zeros((), dtype=work["tally"].dtype)
        work.first_deal = shard.first_deal
        work.n_deals = shard.n_deals
        self.since = monotonic()
        try:
            reason = self.play(work, *self.choices)
        except SaladError:
            raise
        except Exception as error:
            raise StrategyError(_what_failed(self.plan, work, f"raised {type(error).__name__}: {error}")) from error
        finally:
            self.since = None
        if reason != LEGAL:
            raise self._failure(int(reason))
        return work.tally

    def clear(self) -> None:
        """Forget what was noted beside the tally, for the last game is played once more."""

    def _failure(self, reason: int) -> SaladError:
        """Return what is wrong with the game that a shard stopped at; who has cheated shows when it is played again."""
        work, game = self.work, self.plan.game
        cheated = reason == NOT_CONSERVED
        if cheated:
            self.clear()
            work.careful, work.first_deal, work.n_deals = 1, work.deal, 1
            self.play(work, *self.choices)
        if work.spoiled:
            return StrategyError(_what_failed(self.plan, work, "wrote into what lies in front of the seats"))
        if cheated:
            where = _where(self.plan, int(work.deal), int(work.rotation))
            return StrategyError(f"in {where}, {game.why_illegal[reason]}: a strategy wrote into what is public")
        move = game.move_in_words(work.table.public, self.plan.cards, int(work.move))
        what = f"made an illegal move: {move}. Why not: {game.why_illegal[reason]}"
        return IllegalMoveError(_what_failed(self.plan, work, what))


def _what_failed(plan: Plan, work: np.record, what: str) -> str:
    """Say which strategy did ``what``, where and when."""
    view = work.table.public
    seat, deal, rotation = int(view.seat), int(work.deal), int(work.rotation)
    name = plan.label_at(seat, rotation)
    return f"strategy {name!r} at seat {seat + 1}, turn {int(view.turn) + 1} of {_where(plan, deal, rotation)}, {what}"


def _where(plan: Plan, deal: int, rotation: int) -> str:
    turned = f", rotation {rotation} of deal {deal}" if plan.rotate else ""
    return f"game {plan.game_number(deal, rotation)} of seed {plan.seed}{turned}, {plan.n_players} players"


def check_workers(given: int | str | None) -> int:
    """Return the number of threads to use: ``given``, or one for each core.

    Raises
    ------
    InputError
        If it is not a whole number from 1 to 1024.
    """
    return n_cores() if given is None else whole_number("workers", given, 1, MOST_WORKERS)


class Guard:
    """Notices a strategy that does not come to an end: no kernel can be stopped, but a run can be given up."""

    def __init__(self, players: Sequence[ShardPlayer], patience: float) -> None:
        self.players = players
        self.patience = patience

    def check(self) -> None:
        """Give up if some shard takes too long, though others may still be finished.

        Raises
        ------
        StrategyError
            Which strategy is at work longest, in which game. Its thread goes on until the program ends.
        """
        at_work = [(since, player) for player in self.players if (since := player.since) is not None]
        since, player = min(at_work, key=lambda each: each[0], default=(None, None))
        if player is None or since is None or monotonic() - since < self.patience:
            return
        what = f"does not come to an end: its shard was not finished within {self.patience:g} seconds"
        raise StrategyError(_what_failed(player.plan, player.work, what))
