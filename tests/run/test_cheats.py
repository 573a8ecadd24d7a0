"""A run notices cheats that a sum shows: who wrote cards into what is public is named with game and seat."""

from __future__ import annotations

from functools import partial

import pytest

from salad_sim import simulate
from salad_sim.errors import StrategyError
from salad_sim.run.driver import Session, play_plan
from salad_sim.run.plan import plan_run
from salad_sim.studies.cards.play import count_by_card, try_cards
from support.commands import call
from support.strategy_files import StrategyWriter

CHEAT = """
@strategy("cheat")
def choose(view, own, rng):
    list_drafts(view, own)
    if view.turn > 9 and view.n_left < 20:
        {}
    return make_move(own.drafts[0], NO_FLIP)
"""
ADDS = "view.tableau[view.seat].counts[0] += 1"
SWAPS = "view.tableau[view.seat].counts[0] += 1; view.tableau[view.seat].counts[1] -= 1"
MOVES = "view.tableau[view.seat].counts[0] += 1; view.tableau[view.seat - 1].counts[0] -= 1"
NAMED = (
    r"strategy 'cheat' at seat 2, turn \d+ of game 0 of seed 1, 2 players, wrote into what lies in front of the seats"
)


@pytest.mark.parametrize("deed", [ADDS, SWAPS])
def test_cards_that_nobody_dealt_are_noticed_and_the_cheat_is_named(
    write_strategy: StrategyWriter, own_cache, deed: str
) -> None:
    file = write_strategy(CHEAT.format(deed))
    with pytest.raises(StrategyError, match=NAMED):
        simulate(20, strategies=["random", str(file)], workers=1)


def test_what_no_sum_shows_is_noticed_with_care(write_strategy: StrategyWriter, own_cache) -> None:
    file = write_strategy(CHEAT.format(MOVES))
    plan = plan_run(20, 2, ["random", str(file)])
    assert int(play_plan(plan, Session(1)).tally.games) == 20
    with pytest.raises(StrategyError, match=NAMED):
        play_plan(plan, Session(1, careful=True))
    said = call("run", "-g", 20, "-s", "random", "-s", file, "--careful", "-q", "-w", 1)
    assert said.exit_code == 1 and "wrote into what lies" in said.stderr


HAND = """
from salad_sim.kit import DRAFT, NO_LAY, list_hand_drafts
@strategy("cheat", game="hand-draft")
def choose(view, own, rng):
    if view.turn == 3:
        view.tableau[view.seat].counts[0] += 1
    list_hand_drafts(view, own)
    return np.int64(own.drafts[0]) if view.phase == DRAFT else NO_LAY
"""


@pytest.mark.slow
@pytest.mark.parametrize("words", ["profile {} --against random --no-timing", "run -s {} --game hand-draft"])
def test_other_kernels_notice_it_too(write_strategy: StrategyWriter, words: str) -> None:
    file = write_strategy(HAND if "hand" in words else CHEAT.format(ADDS))
    said = call(*words.format(file).split(), "-g", 20, "-q", "-w", 1)
    assert said.exit_code == 1 and "wrote into what lies in front of the seats" in said.stderr


@pytest.mark.slow
def test_studies_of_cards_notice_it_too(write_strategy: StrategyWriter) -> None:
    file = write_strategy(CHEAT.format(ADDS))
    plan = plan_run(20, 2, ["random", str(file)])
    for play in (count_by_card, partial(try_cards, takes=True)):
        with pytest.raises(StrategyError, match="wrote into what lies in front of the seats"):
            play(plan, session=Session(1))


def test_care_changes_no_number() -> None:
    for game in ("point-salad", "hand-draft"):
        plan = plan_run(40, 3, "random", game=game)
        assert play_plan(plan, Session(1)).tally == play_plan(plan, Session(1, careful=True)).tally
