"""One game of a run, played again: its moves, and its table before every turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from salad_sim.errors import IllegalMoveError, InputError, StrategyError
from salad_sim.game.engine import apply_move, deal_next_round
from salad_sim.play.shard import begin_game
from salad_sim.run.driver import Job, Session
from salad_sim.run.plan import Plan
from salad_sim.run.runner import ShardPlayer, new_workspace
from salad_sim.strategy.variants import POINT_SALAD


def play_one(plan: Plan, game: int) -> tuple[np.record, IllegalMoveError | StrategyError | None]:
    """Play the game with a number; return its workspace at the end, and why it could not be played on if it could not.

    Raises
    ------
    IllegalMoveError, StrategyError
        If an earlier rotation of the deal could not be played.
    KeyboardInterrupt
        On Ctrl-C.
    """
    deal, rotation = plan.locate(game)
    session = Session()
    player = ShardPlayer(plan, session.prepare(plan))
    player.work.n_rotations = rotation + 1  # the last of them is the game, and is left on the table
    try:
        # on a thread, so that a strategy without an end can be given up
        session.drive(Job((plan,), lambda _: player, [(deal, deal + 1)]), lambda *_: None)
        if session.interrupted:
            raise KeyboardInterrupt
    except (IllegalMoveError, StrategyError) as error:
        if int(player.work.rotation) != rotation:
            raise
        return player.work, error
    return player.work, None


def moves_of(work: np.record) -> list[int]:
    """Return the moves of a game that was played on a workspace."""
    view = work.table.public
    found: list[int] = view.history[: view.n_moves].tolist()
    return found


def tables_of(plan: Plan, deal: int, rotation: int, moves: Sequence[int]) -> Iterator[tuple[np.record, int]]:
    """Make the moves of a game once more; yield the table before each, which then changes, and the move."""
    work = new_workspace(plan)
    work.deal, work.rotation = deal, rotation
    begin_game(work)
    for move in moves:
        if work.table.public.n_left == 0:
            deal_next_round(work.table)
        yield work.table, move
        apply_move(work.table, move)


def table_before(plan: Plan, game: int, turn: int) -> np.record:
    """Return the table before a turn of a game, turns counted from 1 through all rounds.

    Raises
    ------
    InputError
        If the game has no such turn, or is another one than Point Salad.
    """
    if plan.game is not POINT_SALAD:
        raise InputError(f"positions are of the game point-salad, not {plan.game.name}")
    work, failure = play_one(plan, game)
    moves = moves_of(work)
    n_turns = len(moves) + (failure is not None)
    if not 1 <= turn <= n_turns:
        raise InputError(f"turn must be 1..{n_turns}, the turns of game {game}, not {turn}")
    deal, rotation = plan.locate(game)
    for number, (table, _) in enumerate(tables_of(plan, deal, rotation, [*moves, *([0] if failure else [])]), start=1):
        if number == turn:
            return table
    raise AssertionError
