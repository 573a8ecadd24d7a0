"""Tally -> rows of numbers: what each seat and each strategy won, scored and did, and each seat in each round."""

from __future__ import annotations

import numpy as np

from salad_sim.game.engine import WHOLE_WIN
from salad_sim.jit.typing import Row
from salad_sim.run.plan import Plan
from salad_sim.stats.intervals import Estimate, columns, deviation, mean, proportion


def seat_rows(plan: Plan, tally: np.record) -> list[Row]:
    """Return one row for each seat, in turn order.

    Returns
    -------
    list of dict
        ``seat`` 1-based; ``strategy``: who sat there; the rest as in `_measures`. Empty if no game was counted.
    """
    rows = []
    for seat in range(plan.n_players if tally.games else 0):
        names = plan.labels if plan.rotate else (plan.label_at(seat, 0),)
        sums = {name: int(tally[name][:, seat].sum()) for name in SUMS}
        squares = int(tally.deal_wins_squared_by_seat[seat]), int(tally.deal_score_squared_by_seat[seat])
        row = {"seat": seat + 1, "strategy": ", ".join(names)}
        rows.append(row | _measures(sums, squares, int(tally.deals), plan.n_players))
    return rows


def strategy_rows(plan: Plan, tally: np.record) -> list[Row]:
    """Return one row for each group of equal strategies, in the order of the line-up.

    Numbers are for one seat that plays the strategy: where it sits in several seats, ``games`` counts each of them.

    Returns
    -------
    list of dict
        ``strategy``; ``places``: how many it has in the line-up; the rest as in `_measures`.
    """
    rows = []
    for group, label in enumerate(plan.labels if tally.games else ()):
        places = plan.groups.count(group)
        sums = {name: int(tally[name][group].sum()) for name in SUMS}
        squares = int(tally.deal_wins_squared_by_group[group]), int(tally.deal_score_squared_by_group[group])
        row = {"strategy": label, "places": places} | _measures(sums, squares, int(tally.deals), plan.n_players)
        if places == plan.n_players:  # somebody wins every game: no chance in it
            row["win_share_low"] = row["win_share_high"] = row["win_share"]
        rows.append(row)
    return rows


SUMS = ("seat_games", "wins", "score", "score_squared", "kept", "flipped", "seat_turns")


def _measures(sums: dict[str, int], deal_squares: tuple[int, int], n_deals: int, n_players: int) -> Row:
    """Turn sums over games into shares and means.

    Returns
    -------
    dict
        ``games``; ``win_share`` 0..1 with its 95 % interval ``_low``, ``_high``, and ``difference`` from 1/n;
        ``mean_score`` likewise with its interval, ``sd_score`` between games; means a game of ``cards_kept``,
        ``flips`` and ``turns``.
    """
    n_games = sums["seat_games"]
    share = proportion(sums["wins"], deal_squares[0], n_deals, n_games, WHOLE_WIN)
    score = mean(sums["score"], deal_squares[1], n_deals, n_games)
    return {
        "games": n_games,
        **columns("win_share", share),
        # one division of whole numbers, so that a fair share has a difference of exactly 0
        "difference": (sums["wins"] * n_players - WHOLE_WIN * n_games) / (WHOLE_WIN * n_games * n_players),
        **columns("mean_score", score),
        "sd_score": deviation(sums["score"], sums["score_squared"], n_games),
        "cards_kept": sums["kept"] / n_games,
        "flips": sums["flipped"] / n_games,
        "turns": sums["seat_turns"] / n_games,
    }


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
            row |= columns("win_share", share) | columns("mean_score", points)
            rows.append(row | {"turns": int(tally.round_turns[number]) / n_games})
    return rows


def tie_rate(tally: np.record) -> Estimate:
    """Estimate how often two or more seats have the top total.

    Ties are counted by game, not by deal; with rotations the interval takes the games of a deal for one, which makes it
    too wide rather than too narrow.
    """
    games, deals, ties = int(tally.games), int(tally.deals), int(tally.ties)
    per_deal = games // deals
    return proportion(ties, ties * per_deal, deals, games)
