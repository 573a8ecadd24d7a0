"""The strategies of the hand-draft game do what their definitions say; the planner beats the baselines."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from salad_sim.hand_draft.marginal_value import list_best_turns
from salad_sim.hand_draft.moves import BLIND, NO_DRAFT, NO_LAY, THROW, draft_of, laid_in
from salad_sim.hand_draft.state import DRAFT, LAY
from salad_sim.jit.records import new_record
from salad_sim.jit.rng import seed_stream
from support.playing import CARDS, SEED, fits
from support.playing_hand_draft import (
    PLAYERS,
    Player,
    Table,
    draft_in_words,
    play_beside_twin,
    play_run,
    rules_with,
    strategy_of,
)
from support.reference.game import card_value
from support.reference.hand_draft import NaiveHandDraft

N_ASKED = 2000
"""How often a choice is asked for to see how it is distributed."""

WholeTurn = tuple[int, int]

# ------------------------------------------------------------------------------------------------ random


def asked(player: Player, table: Table, n_asked: int = N_ASKED) -> Counter[int]:
    """How often a player chooses each move at a table, over many streams."""
    counts: Counter[int] = Counter()
    for number in range(n_asked):
        seed_stream(player.rng, SEED, number, 1)
        counts[player(table)] += 1
    return counts


@pytest.mark.parametrize("throw", [False, True])
def test_random_is_uniform_over_drafts_and_then_over_lays(throw: bool) -> None:
    player = Player("random")
    mover = Player("random", 5)
    table = Table(4, rules_with(throw))
    sizes = set()
    table.deal()
    while not table.over:
        if table.turn % 13 == 0 or table.pile_size == 0:
            legal = table.drafts() if table.phase == DRAFT else [NO_LAY, *table.hand(table.seat)]
            counts = asked(player, table)
            assert set(counts) <= set(legal)
            assert len(legal) == 1 or fits([counts[move] for move in legal])
            sizes.add((table.phase, len(legal)))
        table.move(mover(table))
    assert {(DRAFT, 7 if throw else 4)} <= sizes
    assert {(LAY, 1), (LAY, 2)} < sizes or len([size for phase, size in sizes if phase == LAY]) > 4


# ------------------------------------------------------------------------------------------------ greedy


def score_of(twin: NaiveHandDraft, hand: list[int], laid: list[int]) -> int:
    """The score of the seat to move, if it had this hand and these cards in front."""
    tables = twin.tables()
    tables[twin.seat] = dict.fromkeys(tables[twin.seat], 0)
    for card in laid:
        tables[twin.seat][CARDS[card]["back"]] += 1
    return sum(card_value(CARDS[card], tables, twin.seat, twin.rules) for card in hand)


def best_turns(twin: NaiveHandDraft, codes: list[int]) -> set[WholeTurn]:
    """The turns with the highest own score right after, straight from the definition."""
    hand, laid = twin.hands[twin.seat], twin.vegetable_cards[twin.seat]
    scores = {}
    for code in codes or [NO_DRAFT]:
        drafted = twin.gain(draft_in_words(code)) if code < BLIND else []
        after = hand + drafted
        scores[code, NO_LAY] = score_of(twin, after, laid)
        for card in after:
            scores[code, card] = score_of(twin, [other for other in after if other != card], [*laid, card])
    return {turn for turn, score in scores.items() if score == max(scores.values())}


class Teacher:
    """Plays random and greedy turns in turn, to reach many kinds of tables."""

    def __init__(self, number: int) -> None:
        self.players = [Player("greedy", number), Player("random", number)]

    def __call__(self, table: Table) -> int:
        return self.players[(table.turn // table.n_players) % 3 == 0](table)


@pytest.mark.parametrize("throw", [False, True])
@pytest.mark.parametrize("n_players", PLAYERS)
def test_greedy_takes_a_turn_that_scores_most(n_players: int, throw: bool) -> None:
    n_equal = n_none = 0
    for number in range(2):
        table = Table(n_players, rules_with(throw, zero="even" if number else "nothing"), start=number)
        greedy = Player("greedy", 50 + number)
        twin_at: Iterator[NaiveHandDraft] = play_beside_twin(table, Teacher(number), number)
        for twin in twin_at:
            if table.over or (table.turn % 2 and table.pile_size):
                continue
            best = best_turns(twin, table.drafts())
            list_best_turns(table.view, greedy.own)
            listed = [(int(draft_of(code)), int(laid_in(code))) for code in greedy.own.equal[: greedy.own.n_equal]]
            assert len(set(listed)) == len(listed)
            assert set(listed) == best
            turn = whole_turn(greedy, table)
            assert turn in best
            n_equal += len(best) > 1
            n_none += turn[0] == NO_DRAFT
    assert n_equal > 5 and (n_none > 0) == (n_players > 3)


def whole_turn(player: Player, table: Table) -> WholeTurn:
    """What a player does on a turn, at a table which is left as it was."""
    if table.phase == LAY:
        return NO_DRAFT, player(table)
    other = Table(table.n_players, table.rules, table.start)
    other.record = table.record.copy()
    other.view = other.record.public
    draft = player(other)
    other.move(draft)
    return draft, player(other)


@pytest.mark.parametrize("throw", [False, True])
def test_greedy_is_uniform_over_equal_turns(throw: bool) -> None:
    """At the first turn of several deals, where little scores and many turns are equal."""
    n_tested = 0
    for number in range(40):
        table = Table(2, rules_with(throw))
        table.deal(number=number)
        best = sorted(best_turns(table.twin(), table.drafts()))
        if not 2 <= len(best) <= 60 or n_tested == 6:
            continue
        n_tested += 1
        greedy, counts = Player("greedy"), Counter[WholeTurn]()
        for asked_for in range(40 * len(best)):
            seed_stream(greedy.rng, SEED, asked_for, number)
            draft = greedy(table)
            counts[draft, int(greedy.own.memory[0])] += 1
        assert set(counts) <= set(best)
        assert fits([counts[turn] for turn in best])
    assert n_tested >= 3


def test_greedy_throws_only_where_a_throw_is_as_good_as_anything() -> None:
    table = Table(3, rules_with(True))
    n_throws = 0
    for twin in play_beside_twin(table, Teacher(3), 3):
        best = best_turns(twin, table.drafts()) if not table.over else set()
        thrown = {turn for turn in best if THROW <= turn[0] < NO_DRAFT}
        assert not thrown or {turn[0] for turn in best} >= {BLIND}
        n_throws += bool(thrown)
    assert n_throws > 0


def test_greedy_lays_what_it_chose_though_a_blind_draft_brought_better_cards() -> None:
    n_better = 0
    for number in range(6):
        table = Table(3)
        greedy = Player("greedy", number)
        table.deal(number=number)
        while not table.over:
            planned = None
            if table.phase == DRAFT:
                draft = greedy(table)
                planned = int(greedy.own.memory[0]) if draft == BLIND else None
                table.move(draft)
            lay = greedy(table)
            if planned is not None:
                assert lay == planned
                list_best_turns(table.view, own := new_record(greedy.own.dtype))
                n_better += lay not in [int(laid_in(code)) for code in own.equal[: own.n_equal]]
            table.move(lay)
    assert n_better > 3


# ----------------------------------------------------------------------------------------------- planner


def test_the_planner_gives_its_parameters_in_order() -> None:
    planner = strategy_of("planner")
    assert list(planner.parameters) == ["pace", "bring", "useful"]
    assert all(each.low <= each.default <= each.high for each in planner.parameters.values())
    assert planner.game == "hand-draft"


@pytest.mark.parametrize("throw", [False, True])
@pytest.mark.parametrize("n_players", PLAYERS)
def test_the_planner_plays_whole_games(n_players: int, throw: bool) -> None:
    """It drafts blind while two cards are in the pile, lays a card on each turn, and at last takes what scores most."""
    chance = random.Random(n_players)
    for number in range(3):
        table = Table(n_players, rules_with(throw), start=number % n_players)
        planner, company = Player("planner", number), Player(chance.choice(["random", "greedy"]), number)

        def ask(table: Table, planner: Player = planner, company: Player = company) -> int:
            return planner(table) if table.seat == 0 else company(table)

        for twin in play_beside_twin(table, ask, number):
            if not table.over and table.turns_left > 0:  # anybody's last turn
                assert whole_turn(Player("planner"), table) in best_turns(twin, table.drafts())
        own = table.turns()[(0 - table.start) % n_players :: n_players]
        assert [draft for draft, _ in own[:-2]].count(BLIND) >= len(own[:-2]) - (3 if throw else 0)
        assert all(lay != NO_LAY for _, lay in own[:-1])


@pytest.mark.parametrize(
    ("n_players", "n_deals", "least"), [(2, 300, 0.98), (3, 150, 0.97), (4, 100, 0.95), (5, 80, 0.9)]
)
def test_the_planner_beats_greedy(n_players: int, n_deals: int, least: float) -> None:
    """One planner among greedy players, every deal in every seat; the whole 99.9 % interval lies above ``least``."""
    work = play_run(["planner"] + ["greedy"] * (n_players - 1), n_deals, rotate=True)
    assert share_of(work, 0)[0] - share_of(work, 0)[1] > least


def test_greedy_beats_random() -> None:
    work = play_run(["greedy", "random"], 300, rotate=True)
    share, half_width = share_of(work, 0)
    assert share - half_width > 0.9


def share_of(work: np.record, group: int) -> tuple[float, float]:
    """The win share of a group, and half the width of its 99.9 % interval; the deal is the unit."""
    tally = work.tally
    n_deals, n_games = int(tally.deals), int(tally.seat_games[group].sum()) / int(tally.deals)
    mean = int(tally.wins[group].sum()) / 60 / n_deals / n_games
    square = int(tally.deal_wins_squared_by_group[group]) / 60**2 / n_deals / n_games**2
    return mean, 3.3 * ((square - mean**2) / (n_deals - 1)) ** 0.5
