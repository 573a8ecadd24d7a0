"""Tally -> rows of numbers: what each seat won and scored in each round of a match."""

from __future__ import annotations

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Row
from salad_sim.run.plan import Plan
from salad_sim.stats.intervals import mean, proportion


def round_rows(plan: Plan, tally: np.record) -> list[Row]:
    """Return one row for each round and seat of a match; empty if a game is one round.

    Returns
    -------
    list of dict
        ``round`` and ``seat`` 1-based; ``starts``: share of the games in which the seat started the round;
        ``win_share`` by the scores of the round alone, ``mean_score`` of the round, each with its 95 % interval; and
        the mean number of ``turns`` of the round (of all seats together).
    """
    n_games = int(tally.games)
    rows = []
    for number in range(plan.rules.rounds if plan.rules.rounds > 1 and n_games else 0):
        for seat in range(plan.n_players):
            wins, score = int(tally.round_wins[number, seat]), int(tally.round_score[number, seat])
            squares = int(tally.round_wins_squared[number, seat]), int(tally.round_score_squared[number, seat])
            # the rotations of a deal are taken for one game, which makes intervals too wide rather than too narrow
            worst = plan.n_rotations
            share = proportion(wins, squares[0] * worst, int(tally.deals), n_games, WHOLE_WIN)
            points = mean(score, squares[1] * worst, int(tally.deals), n_games)
            row: Row = {"round": number + 1, "seat": seat + 1}
            row |= {"starts": int(tally.round_starts[number, seat]) / n_games}
            row |= {"win_share": share.value, "win_share_low": share.low, "win_share_high": share.high}
            row |= {"mean_score": points.value, "mean_score_low": points.low, "mean_score_high": points.high}
            rows.append(row | {"turns": int(tally.round_turns[number]) / n_games})
    return rows
