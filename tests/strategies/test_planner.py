"""The strategy `planner` beside its plain twin: what it thinks everything is worth, and what it chooses."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import exp, factorial
from pathlib import Path

import pytest

from salad_sim.game.cards import facts
from salad_sim.game.deck_check import capacity_for, numbers_drawn
from salad_sim.game.moves import NO_FLIP, draft_of, flip_of
from salad_sim.game.rules import Rules
from salad_sim.game.state import CAPACITY
from salad_sim_strategies.planner import FINE, PARAMETERS, WANTED, WORTH
from support import playing
from support.card_sets import any_set, twin_cards
from support.mixes import BUILT_IN, RULE_MIXES
from support.playing import PLAYERS, SEED, Arbitrary, Mover, Player, Position, Table, draft_code, play_beside_twin
from support.reference.game import VEGETABLES, NaiveGame, card_value
from support.reference.planner import SETS, NaivePlanner, chances_of_more

CLOSE = 1e-9
FINEST = 1 / FINE
"""In which points are kept from turn to turn."""


def any_parameters(chance: random.Random) -> dict[str, float]:
    return {name: chance.uniform(each.low, each.high) for name, each in PARAMETERS.items()}


def planner(values: dict[str, float]) -> Player:
    player = Player("planner")
    player.own.params[: len(values)] = list(values.values())
    return player


class Pair:
    """The kernel and the twin of a planner in one seat."""

    def __init__(self, values: dict[str, float], n_cards: int) -> None:
        self.player = planner(values)
        self.twin = NaivePlanner(values, n_cards)
        self.n_choices = self.n_sure = self.n_flips = 0

    def __call__(self, position: Position) -> int:
        """Let both appraise a position and compare all numbers; return the kernel's move."""
        table, game = position
        move = self.player(table)
        self.twin.appraise(game)
        own = self.player.own
        worths = dict(zip(own.drafts[: own.n_drafts].tolist(), own.scratch[WORTH:].tolist(), strict=False))
        assert worths == pytest.approx({draft_code(each): worth for each, worth in self.twin.worth.items()}, abs=CLOSE)
        values = dict(zip(table.hand(table.seat), (own.equal / FINE).tolist(), strict=False))
        assert values == pytest.approx(self.twin.values, abs=FINEST + CLOSE)
        for place, wants in enumerate(self.twin.wants.values()):
            kept = own.memory[place * WANTED : place * WANTED + len(VEGETABLES)] / FINE
            assert kept.tolist() == pytest.approx(list(wants.values()), abs=FINEST + CLOSE)
            wants.update(zip(VEGETABLES, kept.tolist(), strict=True))  # else a rounding would go its own way
        self.check_choice(game, move)
        return move

    def check_choice(self, game: NaiveGame, move: int) -> None:
        """The kernel's move must be the twin's, or one that is as good but for rounding."""
        worth = self.twin.worth
        most = max(worth.values())
        best = [draft for draft in worth if worth[draft] >= most - CLOSE]
        (draft,) = [draft for draft in best if draft_code(draft) == draft_of(move)]
        gains = self.twin.gains_of_flips(draft) if game.rules.flip == "after" else {}
        most = max(gains.values(), default=-1.0)
        good = [card for card, gain in gains.items() if gain >= max(most, 0) - FINEST - CLOSE]
        allowed = good if most > FINEST + CLOSE else [*good, NO_FLIP]
        assert flip_of(move) in allowed
        self.n_choices += 1
        self.n_sure += len(allowed) == 1
        self.n_flips += flip_of(move) != NO_FLIP


def check_game(table: Table, number: int, values: dict[str, float]) -> tuple[int, int, int]:
    """Play a game, planners in some seats and odd moves in others; return choices, sure ones and flips."""
    n_cards = int(table.view.drawn.sum())
    pairs = {seat: Pair(values, n_cards) for seat in range(0, table.n_players, 1 + number % 2)}
    others: Mover = Arbitrary(number)

    def ask(table: Table, twin: NaiveGame) -> int:
        return pairs[twin.seat](Position(table, twin)) if twin.seat in pairs else others(table, twin)

    for _ in play_beside_twin(table, SEED, ask, number):
        pass
    counts = [(pair.n_choices, pair.n_sure, pair.n_flips) for pair in pairs.values()]
    return tuple(map(sum, zip(*counts, strict=True)))  # type: ignore[return-value]


@pytest.mark.parametrize("mix", RULE_MIXES)
@pytest.mark.parametrize("n_players", PLAYERS)
def test_the_built_in_planner_thinks_and_chooses_as_its_twin(n_players: int, mix: str) -> None:
    n_choices, n_sure, n_flips = check_game(Table(n_players, RULE_MIXES[mix]), n_players, BUILT_IN)
    assert n_sure > 0.9 * n_choices > 9
    assert n_flips == 0 or RULE_MIXES[mix].flip == "after"


@pytest.mark.parametrize("n_players", PLAYERS)
def test_planners_of_any_parameters_think_and_choose_as_their_twins(n_players: int) -> None:
    n_flips = 0
    for number in range(4):
        chance = random.Random(f"{SEED} {n_players} {number}")
        rules = list(RULE_MIXES.values())[number]
        n_choices, n_sure, n_flipped = check_game(Table(n_players, rules), number, any_parameters(chance))
        assert n_sure > 0.9 * n_choices > 9
        n_flips += n_flipped
    assert n_flips > 0


@pytest.mark.parametrize("number", range(5))
def test_cards_of_any_kind_are_valued_as_by_the_twin(
    number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    chance = random.Random(f"cards {number}")
    rules = Rules(of_each=",".join(str(chance.randint(2, 6)) for _ in VEGETABLES), sets=("repeat", "once")[number % 2])
    cards = any_set(f"planner {number}", 36)
    drawn = numbers_drawn(cards, rules, 2)
    assert capacity_for(cards, drawn) == CAPACITY
    monkeypatch.setattr(playing, "CARDS", twin_cards(cards, tmp_path))
    monkeypatch.setattr(playing, "official_facts", lambda rules: facts(cards, rules))
    n_choices, n_sure, _ = check_game(Table(2 + number, rules, 0, drawn), number, any_parameters(chance))
    assert n_sure > 0.8 * n_choices > 3


# ------------------------------------------------------------------------------------- what must hold


def hands_without_sets(n_players: int) -> Iterator[Position]:
    """Positions in which the seat to move has point cards, none for a set of several vegetables."""
    for number in range(6):
        for position in play_beside_twin(Table(n_players), SEED, Arbitrary(f"{number}"), number):
            game = position.twin
            hand = [] if game.over else game.hands[game.seat]
            if hand and not any(term["kind"] in SETS for card in hand for term in game.cards[card]["terms"]):
                yield position


def points_of_hand(game: NaiveGame, hand: list[int], one_more: str | None = None) -> list[int]:
    """What each card of the seat to move scores now, or with one vegetable more."""
    tables = game.tables()
    if one_more is not None:
        tables[game.seat][one_more] += 1
    return [card_value(game.cards[card], tables, game.seat, game.rules) for card in hand]


@pytest.mark.parametrize("n_players", [2, 3, 6])
def test_with_nothing_to_come_and_no_doubt_a_card_is_worth_its_points(n_players: int) -> None:
    """And one vegetable more what it adds to them; races are never quite certain, to a four-hundredth."""
    player, n_found, n_gains = planner({**BUILT_IN, "reach": 0.0, "spread": 0.0}), 0, 0
    for table, game in hands_without_sets(n_players):
        hand = table.hand(table.seat)
        now = points_of_hand(game, hand)
        player(table)
        assert (player.own.equal[: len(hand)] / FINE).tolist() == pytest.approx(now, abs=0.1)
        for gain, veg in zip((player.own.memory / FINE).tolist(), VEGETABLES, strict=False):
            more = sum(points_of_hand(game, hand, veg)) - sum(now)
            assert gain == pytest.approx(more, abs=0.1 * len(hand))
            n_gains += more != 0
        n_found += 1
    assert n_found > 15 and n_gains > 30


def test_chances_of_more_are_poissons() -> None:
    for expected in (0.0, 0.5, 2.0, 7.0):
        chances = chances_of_more(expected, 50)
        assert sum(chances) == pytest.approx(1)
        assert chances[:7] == pytest.approx([exp(-expected) * expected**k / factorial(k) for k in range(7)])
    assert chances_of_more(3.0, 2)[2] == pytest.approx(1 - 4 * exp(-3))


def test_what_it_remembers_is_all_that_earlier_turns_leave() -> None:
    """A planner with the same memory and nothing else chooses the same."""
    table, player = Table(3), Player("planner")
    for _ in play_beside_twin(table, SEED, Player("greedy")):
        if table.n_left == 0:
            continue
        fresh = Player("planner")
        fresh.own.memory[:] = player.own.memory
        assert fresh(table) == player(table)
        assert fresh.own.memory.tolist() == player.own.memory.tolist()
