"""Advice in endings: every move against trying everything on the naive twin."""

from __future__ import annotations

import dataclasses

import pytest

from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.studies.advice import report
from salad_sim.studies.advice.ending import solved
from salad_sim.studies.advice.estimate import advise, check_budget
from salad_sim.studies.advice.position import Position, position_of
from support.advising import CARDS
from support.endings import all_moves, code, endings
from support.reference.ending import ending_of, solve


def some_endings(n_players: int, rules: Rules) -> list[tuple[Position, dict[int, float]]]:
    """Endings, and what every move of them is worth to the mover."""
    found = []
    for position in endings(n_players, rules, 900, range(4)):
        table, twin = position
        everything = solve(ending_of(twin, [table.hand(seat) for seat in range(n_players)]))
        names = [f"player {seat + 1}" for seat in range(n_players)]
        worth = {code(turn): float(everything.of_turns[repr(turn)][table.seat]) for turn in all_moves(position)}
        found.append((position_of(table.view, rules, CARDS, names), worth))
    return found


@pytest.mark.parametrize("n_players", [2, 3])
@pytest.mark.parametrize("rules", [OFFICIAL, Rules(flip="never", tie_break="shared")], ids=["official", "never"])
def test_every_move_is_worth_what_trying_everything_says(n_players: int, rules: Rules) -> None:
    for position, worth in some_endings(n_players, rules):
        for known in (position, dataclasses.replace(position, seen=())):
            plan = known.plan("greedy")
            values = solved(known, plan, list(worth))
            assert values is not None
            for (share, margin), value in zip(values, worth.values(), strict=True):
                assert 1000 * share + margin == pytest.approx(value) and 0 <= share <= 1
                assert margin == 0 or share == (margin > 0)


def test_advice_of_an_ending_is_exact_and_says_so() -> None:
    position, worth = some_endings(2, OFFICIAL)[0]
    worst = min(worth, key=lambda move: worth[move])
    found = advise(position, check_budget(50, 1, "greedy"), worst)
    best = max(worth.values())
    assert worth[found.best] == best and all(worth[move] <= best for move in found.moves)
    assert found.as_good.tolist() == [found.exact[0] == each for each in found.exact]
    lost, points = found.cost(worst)
    assert 1000 * lost.value + points.value == pytest.approx(best - worth[worst])
    told = "\n".join(line if isinstance(line, str) else line.markdown() for line in report.lines(found))
    assert "The numbers are exact." in told and "within noise" not in told and "[" not in told


def test_what_is_hidden_is_played_for() -> None:
    position, _ = some_endings(2, OFFICIAL)[0]
    sizes = (2, *position.sizes[1:])
    plan = position.plan("greedy")
    assert solved(dataclasses.replace(position, sizes=sizes), plan, [0]) is None
