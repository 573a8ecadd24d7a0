"""Tables drawn in mind: they agree with all that was seen, all that agree are equally likely, games go on."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain, permutations

import numpy as np
import pytest

from salad_sim.game.cards import official_set
from salad_sim.game.deck_check import numbers_drawn
from salad_sim.game.determinization import copy_state, copy_view, draw_hidden, lay_piles
from salad_sim.game.engine import deal_next_round
from salad_sim.game.moves import NO_FLIP, draft_of, flip_of
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.game.state import EARLIER_ROUND, HIDDEN
from support.playing import (
    CARDS,
    PILES,
    PLAYERS,
    SEED,
    Arbitrary,
    Mover,
    Player,
    Position,
    Table,
    any_rules,
    copy_of,
    draft_in_words,
    fits,
    play_beside_twin,
    stream,
)
from support.reference.game import VEGETABLES, NaiveGame
from support.replaying import replay

DECKS = {
    "all 108": Rules(),
    "uneven": Rules(of_each="9,2,5,0,7,4"),
    "a fixed deck": Rules(deck="0-29,60,70-80"),
    "fixed, by drawing": Rules(deck="3-40", split="draw"),
    "one of each": Rules(of_each="1"),
    "halves rounded down": Rules(split="down", split_tie="random", vegetables="up-to-two"),
    "bottom cards": Rules(split="draw", split_tie="random"),
}


def table_by(n_players: int, rules: Rules, start: int = 0) -> Table:
    return Table(n_players, rules, start, numbers_drawn(official_set(), rules, n_players))


def mover_of(number: int) -> Mover:
    return (Player("random", number), Player("greedy", number), Arbitrary(number))[number % 3]


def turns(table: Table, number: int) -> Iterator[Position]:
    """Every turn of a game."""
    return (each for each in play_beside_twin(table, SEED, mover_of(number), number) if not each.twin.over)


def drawn_from(table: Table, rng: np.record) -> Table:
    """Return another table that looks the same."""
    world = Table(table.n_players, table.rules, table.start)
    copy_view(table.view, world.record)
    draw_hidden(table.view, world.record, rng)
    return world


def draw_often(table: Table, rng: np.record, n_times: int) -> Iterator[list[list[int]]]:
    """Draw the piles so often, at one table in mind."""
    world = drawn_from(table, rng)
    for _ in range(n_times):
        draw_hidden(table.view, world.record, rng)
        yield world.piles()


def backs(cards: list[int]) -> Counter[str]:
    return Counter(str(CARDS[card]["back"]) for card in cards)


def check_looks_the_same(world: Table, twin: NaiveGame, known: set[int], drawn: list[int]) -> None:
    """Compare a table in mind with what a careful player can know of the real one; ``known`` is not in this deck."""
    piles = world.piles()
    assert [len(pile) for pile in piles] == [len(pile) for pile in twin.piles]
    assert [pile[-1] for pile in piles if pile] == [pile[-1] for pile in twin.piles if pile]
    below = [card for pile in piles for card in pile[:-1]]
    assert not set(below) & (twin.seen | known)
    open_cards = [card for card, place in twin.where().items() if place != "out" and card in twin.seen]
    everything = [*below, *open_cards]
    assert len(set(everything)) == len(everything) == sum(drawn)
    assert [backs(everything)[veg] for veg in VEGETABLES] == drawn


# ------------------------------------------------------------------------------------- it looks the same


@pytest.mark.parametrize("n_players", PLAYERS)
def test_a_drawn_table_agrees_with_all_that_was_seen(n_players: int) -> None:
    n_other = 0
    for number in range(6):
        chance = random.Random(f"{SEED} {n_players} {number}")
        rules = OFFICIAL if number < 3 else any_rules(chance)
        table, rng = Table(n_players, rules, chance.randrange(n_players)), stream(SEED, number)
        for position in turns(table, number):
            world = drawn_from(table, rng)
            check_looks_the_same(world, position.twin, set(), [3 * n_players] * 6)
            assert world.view == table.view
            n_other += world.piles() != table.piles()
    assert n_other > 50


@pytest.mark.parametrize("deck", DECKS)
def test_a_drawn_table_holds_cards_that_play(deck: str) -> None:
    rules = DECKS[deck]
    in_play = set(range(108)) if rules.card_ids() is None else set(rules.card_ids() or ())
    for number in range(3):
        table, rng = table_by(2 + (number == 2 and deck != "one of each"), rules), stream(SEED, number)
        for position in turns(table, number):
            world = drawn_from(table, rng)
            check_looks_the_same(world, position.twin, set(range(108)) - in_play, table.view.drawn.tolist())


def moved(twin: NaiveGame, move: int) -> NaiveGame:
    """The twin after a move."""
    after, flip = copy_of(twin), flip_of(move)
    after.play(draft_in_words(draft_of(move)), None if flip == NO_FLIP else flip)
    return after


@pytest.mark.parametrize(("n_players", "n_rounds"), [(2, 2), (2, 3), (3, 2)])
def test_cards_of_earlier_rounds_are_known_not_to_be_there(n_players: int, n_rounds: int) -> None:
    """In the last round of all 108 cards every unseen card is known to be in the piles."""
    for number in range(3):
        table, mover, rng = Table(n_players), Player("greedy", number), stream(SEED, number)
        table.view.n_rounds = n_rounds
        table.deal(SEED, number)
        played: set[int] = set()
        for round_number in range(n_rounds):
            if round_number:
                deal_next_round(table.record)
            deck = set(chain(*table.dealt_piles()))
            twin = NaiveGame(CARDS, table.dealt_piles(), n_players, start=int(table.view.start))
            while not twin.over:
                assert set(np.flatnonzero(table.place == EARLIER_ROUND).tolist()) == played
                world = drawn_from(table, rng)
                check_looks_the_same(world, twin, played, [3 * n_players] * 6)
                if n_players * n_rounds == 6 and round_number == n_rounds - 1:
                    assert set(chain(*world.piles())) == set(chain(*table.piles()))
                move = mover(table, twin)
                table.move(move)
                twin = moved(twin, move)
            played |= deck


def test_a_new_match_starts_with_nothing_seen() -> None:
    table = Table(2)
    table.view.n_rounds = 2
    for number in range(2):
        table.deal(SEED, number)
        assert np.count_nonzero(table.place) == 9  # three tops, six in the market
        deal_next_round(table.record)
        assert np.count_nonzero(table.place == EARLIER_ROUND) == 9


@pytest.mark.parametrize("rules", [OFFICIAL, Rules(split="down"), Rules(split="draw"), Rules(vegetables="up-to-two")])
def test_the_same_moves_on_a_drawn_table_would_have_shown_the_same(rules: Rules) -> None:
    """The drawn cards, dealt in place of the hidden ones at the start, lead to this very view."""
    n_other = 0
    for number in range(4):
        table, rng = Table(2 + number, rules), stream(SEED, number)
        table.deal(SEED, number)
        after_deal = table.record.rng.copy()
        for _ in turns(table, number):
            if table.turn % 5 == 0:
                piles = drawn_from(table, rng).piles()
                changed = dict(zip(chain(*table.piles()), chain(*piles), strict=True))
                dealt = [[changed.get(card, card) for card in pile] for pile in table.dealt_piles()]
                other = replay(table, dealt, after_deal)
                assert other.piles() == piles
                for each in (table, other):
                    each.held[np.arange(each.held.shape[1]) >= each.n_held[:, None]] = 0  # means nothing
                assert other.view.tobytes() == table.view.tobytes()
                n_other += piles != table.piles()
    assert n_other > 15


# ------------------------------------------------------------------------------------- equally likely


def possible(table: Table) -> list[tuple[int, ...]]:
    """All that may lie below the tops of the piles, by brute force."""
    cards = table.view.cards
    pool = cards.pool[: cards.pool_start[-1]].tolist()
    unseen = [card for card in pool if table.place[card] == HIDDEN]
    seen = [card for card in pool if table.place[card] not in (HIDDEN, EARLIER_ROUND)]
    n_below = sum(max(size - 1, 0) for size in table.view.pile_size.tolist())
    drawn = table.view.drawn.tolist()
    return [
        below
        for below in permutations(unseen, n_below)
        if [[cards.back[card] for card in (*below, *seen)].count(veg) for veg in range(6)] == drawn
    ]


SMALL_DECKS = [  # cards of each vegetable that may play, and how many of them do
    ((3, 3, 3, 2, 2, 2), (2, 2, 2, 2, 2, 2)),
    ((5, 1, 3, 1, 1, 3), (3, 1, 2, 1, 1, 3)),
    ((4, 4, 4, 0, 0, 0), (4, 4, 4, 0, 0, 0)),
    ((2, 9, 0, 0, 2, 0), (2, 8, 0, 0, 2, 0)),
    ((0, 0, 0, 0, 0, 14), (0, 0, 0, 0, 0, 13)),
]


def small_table(deck: int) -> Table:
    numbers, drawn = SMALL_DECKS[deck]
    ids: list[int] = []
    for veg, number in zip(VEGETABLES, numbers, strict=True):
        ids += [card["id"] for card in CARDS if card["back"] == veg][:number]
    return Table(2, Rules(deck=",".join(map(str, ids)), split=("up", "draw", "down")[deck % 3]), drawn=drawn)


@pytest.mark.parametrize("deck", range(len(SMALL_DECKS)))
def test_all_that_may_lie_there_is_equally_likely(deck: int) -> None:
    n_found, rng = 0, stream(SEED, deck)
    for number in range(4):
        table = small_table(deck)
        for _ in turns(table, number):
            outcomes = possible(table)
            if not 1 < len(outcomes) <= 200:
                continue
            drawn = Counter(
                tuple(chain(*(pile[:-1] for pile in piles))) for piles in draw_often(table, rng, 12 * len(outcomes))
            )
            assert drawn.keys() <= set(outcomes)
            assert fits([drawn[outcome] for outcome in outcomes])
            n_found += 1
    assert n_found >= 4


@pytest.mark.parametrize("turn", [0, 9])
def test_any_unseen_card_may_lie_at_any_place(turn: int) -> None:
    """In the full game: a place holds each unseen card as often as its vegetable is still to come."""
    table, rng = Table(3), stream(SEED)
    next(position for position in turns(table, 1) if position.twin.turn == turn)
    backs_of = table.view.cards.back
    unseen = [card for card in range(108) if table.place[card] == HIDDEN]
    n_unseen = Counter(backs_of[card] for card in unseen)
    n_seen = Counter(backs_of[card] for card in range(108) if table.place[card] != HIDDEN)
    weights = [(9 - n_seen[backs_of[card]]) / n_unseen[backs_of[card]] for card in unseen]
    worlds = list(draw_often(table, rng, 1500))
    for pile in PILES:
        for place in (0, -2):
            drawn = Counter(piles[pile][place] for piles in worlds)
            assert drawn.keys() <= set(unseen)
            assert fits([drawn[card] for card in unseen], weights)


# ------------------------------------------------------------------------------------- nothing but the view


@pytest.mark.parametrize("n_players", [2, 4])
def test_the_true_cards_have_no_influence(n_players: int) -> None:
    table, chance = Table(n_players), random.Random(SEED)
    for _ in turns(table, 0):
        if table.turn % 4:
            continue
        rng = stream(SEED, table.turn)
        before = drawn_from(table, rng.copy())
        kept = table.record.copy()
        for name in ("deck", "pool"):
            table.record[name][:] = chance.choices(range(108), k=108)
        table.record.low[:], table.record.high[:] = 5, 7
        table.record.rng = stream(chance.randrange(1000))
        after = drawn_from(table, rng)
        assert after.record.tobytes() == before.record.tobytes()
        for name in ("deck", "pool", "low", "high", "rng"):
            table.record[name] = kept[name]


def test_what_was_in_mind_before_has_no_influence() -> None:
    table, chance = Table(3), random.Random(SEED)
    table.deal(SEED)
    fresh, used = Table(3), Table(3)
    used.deck[:108], used.record.pool[:] = chance.sample(range(108), 108), chance.sample(range(108), 108)
    for world in (fresh, used):
        draw_hidden(table.view, world.record, stream(SEED))
    assert fresh.piles() == used.piles()
    assert fresh.record.rng == used.record.rng != table.record.rng


def test_other_numbers_draw_another_table_and_other_chance() -> None:
    table, rng = Table(4), stream(SEED)
    table.deal(SEED)
    worlds = [drawn_from(table, rng) for _ in range(20)]
    assert len({world.deck.tobytes() for world in worlds}) == 20
    assert len({world.record.rng.tobytes() for world in worlds}) == 20


# ------------------------------------------------------------------------------------- playing on


@pytest.mark.parametrize("n_players", PLAYERS)
def test_games_go_on_at_a_drawn_table_by_the_rules(n_players: int) -> None:
    """From a drawn table the kernels and the twin play on to the same end; then the table is brought back."""
    for number in range(4):
        rules = OFFICIAL if number == 0 else any_rules(random.Random(f"on {n_players} {number}"))
        table, rng = Table(n_players, rules), stream(SEED, number)
        for position in turns(table, number):
            if table.turn % 7 == number:
                world = drawn_from(table, rng)
                play_on_and_back(world, table, position.twin, number)


def play_on_and_back(world: Table, table: Table, twin: NaiveGame, number: int) -> None:
    """Play on in mind beside the twin, then bring the table in mind back; every byte must be as it was."""
    piles, mover = world.piles(), Arbitrary(number)
    twin = copy_of(twin)
    twin.piles = world.piles()
    while not twin.over:
        move = mover(world, twin)
        world.move(move)
        twin = world.twin_after(twin, move)
    assert world.scores() == twin.scores()
    copy_state(table.view, world.record)
    lay_piles(table.view, world.record)
    assert world.piles() == piles
    world.view.history[table.view.n_moves :] = table.view.history[table.view.n_moves :]
    assert world.view.tobytes() == table.view.tobytes()
