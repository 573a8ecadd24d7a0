"""Matches of several rounds beside the naive twin, and what the tables of rounds say."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from salad_sim import InputError, simulate
from salad_sim.game.engine import (
    WHOLE_WIN,
    apply_move,
    deal_next_round,
    draft_of,
    final_scores,
    flip_of,
    share_win,
)
from salad_sim.game.moves import N_PILES, first_slot, second_slot
from salad_sim.game.rules import Rules
from salad_sim.play.shard import begin_game, choose
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import new_workspace, prepare
from salad_sim.tools.transcript import transcript
from support.reference.game import NaiveGame, NaiveRules, load_cards

CARDS = load_cards()


def naive_round(work: np.record, rules: NaiveRules) -> NaiveGame:
    """Return the twin of the round that was just dealt."""
    view, deck = work.table.public, work.table.deck
    n_cards, n_players = int(view.n_cards), int(view.n_players)
    piles = [deck[pile * n_cards // 3 : (pile + 1) * n_cards // 3].tolist() for pile in range(N_PILES)]
    bonus = view.bonus[:n_players].tolist()
    return NaiveGame(CARDS, piles, n_players, rules, start=int(view.start), bonus=bonus)


def play_match(plan: Plan, deal: int, rules: NaiveRules) -> tuple[np.record, list[NaiveGame]]:
    """Play a match on the engine, turn by turn, and each of its rounds on a twin."""
    _, choices = prepare(plan)
    work = new_workspace(plan)
    work.deal = deal
    begin_game(work)
    view = work.table.public
    rounds = []
    for number in range(plan.rules.rounds):
        assert int(view.round_number) == number
        twin = naive_round(work, rules)
        rounds.append(twin)
        while view.n_left > 0:
            move = int(choose(work, *choices))
            draft, card = int(draft_of(move)), int(flip_of(move))
            slots = dict.fromkeys((int(first_slot(draft)), int(second_slot(draft))))
            twin.play(("pile", draft) if draft < N_PILES else ("market", tuple(slots)), card if card >= 0 else None)
            apply_move(work.table, move)
            assert view.seat == twin.seat
        assert twin.over
        if number + 1 < plan.rules.rounds:
            deal_next_round(work.table)
    final_scores(view, work.scores)
    share_win(view, work.scores, view.rules.tie_break, work.wins)
    return work, rounds


@pytest.mark.parametrize(("n_players", "n_rounds", "per_round"), [(2, 3, 36), (3, 2, 54)])
def test_a_match_uses_each_card_exactly_once(n_players: int, n_rounds: int, per_round: int) -> None:
    plan = plan_run(1, n_players, "random", rules=Rules(rounds=n_rounds))
    for deal in range(6):
        _, rounds = play_match(plan, deal, NaiveRules())
        decks = [[card for card, place in twin.where().items() if place != "out"] for twin in rounds]
        used = [card for deck in decks for card in deck]
        assert sorted(used) == list(range(108))
        for deck in decks:
            backs = [CARDS[card]["back"] for card in deck]
            assert len(backs) == per_round and set(map(backs.count, backs)) == {per_round // 6}


@pytest.mark.parametrize("next_start", ["next", "random", "last-placed"])
@pytest.mark.parametrize("tie_break", ["later", "earlier", "shared"])
def test_matches_beside_the_twin(next_start: str, tie_break: str) -> None:
    starts = set()
    for n_players, n_rounds in ((2, 3), (3, 2)):
        rules = Rules(rounds=n_rounds, next_start=next_start, tie_break=tie_break)
        plan = plan_run(1, n_players, ["greedy", "random", "random"][:n_players], rules=rules)
        for deal in range(8):
            work, rounds = play_match(plan, deal, NaiveRules(tie_break=tie_break))
            totals = [0] * n_players
            assert rounds[0].bonus == totals and rounds[0].start == 0
            for before, after in pairwise(rounds):
                totals = before.scores()
                assert after.bonus == totals
                starts.add(after.start)
                if next_start == "next":
                    assert after.start == (before.start + 1) % n_players
                elif next_start == "last-placed":
                    assert totals[after.start] == min(totals)
            assert work.scores[:n_players].tolist() == rounds[-1].scores()
            wins = [Fraction(int(win), WHOLE_WIN) for win in work.wins[:n_players]]
            assert wins == rounds[-1].shares()
    assert len(starts) > 1


def test_of_equal_last_placed_the_tie_break_chooses() -> None:
    """Worked by hand: with nothing scored all are equal; `later` favours the last seat, so the first one starts."""
    plan = plan_run(1, 3, "random", rules=Rules(rounds=2, next_start="last-placed"))
    work = new_workspace(plan)
    begin_game(work)
    deal_next_round(work.table)
    assert work.table.public.start == 0
    earlier = plan_run(1, 3, "random", rules=Rules(rounds=2, next_start="last-placed", tie_break="earlier"))
    work = new_workspace(earlier)
    begin_game(work)
    deal_next_round(work.table)
    assert work.table.public.start == 2


def test_round_tables_add_up() -> None:
    result = simulate(600, players=3, rules=Rules(rounds=2, next_start="random"), seed=4)
    rounds = result.rounds
    assert rounds["round"].tolist() == [1, 1, 1, 2, 2, 2] and rounds.seat.tolist() == [1, 2, 3] * 2
    for _, part in rounds.groupby("round"):
        assert part.starts.sum() == pytest.approx(1) and part.win_share.sum() == pytest.approx(1)
    totals = rounds.groupby("seat").mean_score.sum()
    assert totals.tolist() == pytest.approx(result.seats.mean_score.tolist())
    assert rounds.groupby("round").turns.first().sum() == pytest.approx(result.turns)
    assert (rounds.mean_score_low < rounds.mean_score).all() and (rounds.win_share_high > rounds.win_share).all()


def test_one_round_has_no_table_of_rounds() -> None:
    assert simulate(50, rules=Rules(rounds=1)).rounds.empty
    assert "rounds" not in simulate(50).as_dict()


def test_a_transcript_tells_every_round() -> None:
    plan = plan_run(1, 2, "greedy", rules=Rules(rounds=3))
    lines = list(transcript(plan, 0))
    assert [line for line in lines if line.startswith("Round")] == [
        "Round 1 of 3: seat 1 starts",
        next(line for line in lines if line.startswith("Round 1 is over")),
        "Round 2 of 3: seat 2 starts",
        next(line for line in lines if line.startswith("Round 2 is over")),
        "Round 3 of 3: seat 1 starts",
    ]
    result = simulate(1, rules=Rules(rounds=3))
    last = [int(line.split()[0]) for line in lines if line.endswith("in total")][-2:]
    assert last == [int(score) for score in result.seats.mean_score]


@pytest.mark.parametrize(
    ("changes", "n_players", "reason"),
    [
        ({"rounds": 4}, 2, "2 players in 4 rounds need 24 cards of cabbage"),
        ({"rounds": 2}, 4, "4 players in 2 rounds need 24 cards of cabbage"),
        ({"rounds": 2, "deck": "0-8"}, 2, "9 cards of cabbage, which do not divide into 2 rounds"),
        ({"of_each": "19"}, 2, "need 19 cards of cabbage"),
        ({"deck": "0-2"}, 2, "a deck of 3 cards a round cannot serve 2 players"),
        ({"deck": "107,108"}, 2, "names card 108; the card set has ids 0..107"),
    ],
)
def test_decks_that_cannot_serve_are_refused(changes: dict[str, object], n_players: int, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        plan_run(1, n_players, rules=Rules.from_dict(changes))


def test_a_fixed_deck_plays_exactly_these_cards() -> None:
    plan = plan_run(1, 3, "random", rules=Rules(deck="0-18,40,50-69,72,90"))
    work = new_workspace(plan)
    for deal in range(5):
        work.deal = deal
        begin_game(work)
        assert sorted(work.table.deck[:42].tolist()) == [*range(19), 40, *range(50, 70), 72, 90]
        assert work.table.public.n_cards == 42
