"""What a strategy sees: everything that a careful player knows, and nothing else."""

from __future__ import annotations

import random
from itertools import chain

import numpy as np
import pytest

from salad_sim.game.moves import NO_FLIP, draft_of, flip_of
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.game.state import CAPACITY, HIDDEN, MARKET, POINTS, TOP, VEGETABLE, layout
from salad_sim.jit.records import new_record
from support.playing import (
    CARDS,
    PLAYERS,
    SEED,
    SWITCHES,
    Arbitrary,
    Mover,
    Player,
    Table,
    any_rules,
    play_beside_twin,
    stream,
)
from support.reference.game import VEGETABLES, NaiveGame
from support.replaying import replay


def games(n_players: int, n_games: int) -> list[tuple[Table, Mover, int]]:
    """Games by official rules and by others, by the baselines and by arbitrary moves."""
    found: list[tuple[Table, Mover, int]] = []
    for number in range(n_games):
        chance = random.Random(f"{SEED} {n_players} {number}")
        rules = OFFICIAL if number % 2 == 0 else any_rules(chance)
        movers: list[Mover] = [Player("random", number), Player("greedy", number), Arbitrary(number)]
        found.append((Table(n_players, rules, start=chance.randrange(n_players)), movers[number % 3], number))
    return found


def places(twin: NaiveGame) -> list[int]:
    """Where every card is, as far as a careful player knows."""
    codes = {"market": MARKET, "hand": POINTS, "vegetables": VEGETABLE}
    known = []
    for card, where in twin.where().items():
        name, _, number = where.partition(" ")
        if name == "pile":
            is_top = twin.piles[int(number)][-1] == card
            known.append(TOP if is_top else HIDDEN)
        elif name == "out":
            known.append(HIDDEN)
        else:
            known.append(codes[name] + (int(number) if name != "market" else 0))
    return known


def check_view(table: Table, twin: NaiveGame, moves: list[int]) -> None:
    """Compare everything that the view tells with what the twin knows."""
    view = table.view
    backs = [VEGETABLES.index(card["back"]) for card in CARDS]
    tops = [pile[-1] if pile else -1 for pile in twin.piles]
    assert view.place.tolist() == places(twin)
    assert set(np.flatnonzero(view.place != HIDDEN).tolist()) == twin.seen
    assert view.top.tolist() == tops
    assert [backs[top] for top in tops if top >= 0] == [view.cards.back[top] for top in view.top if top >= 0]
    assert view.pile_size.tolist() == [len(pile) for pile in twin.piles]
    assert view.market_card.tolist() == [-1 if card is None else card for card in twin.market]
    assert view.market.tolist() == [-1 if card is None else backs[card] for card in twin.market]
    assert view.n_market == len([card for card in twin.market if card is not None])
    assert view.n_left == sum(len(pile) for pile in twin.piles) + view.n_market
    for seat in range(table.n_players):
        assert sorted(table.hand(seat)) == sorted(twin.hands[seat])
        own = twin.vegetable_cards[seat]
        assert view.tableau[seat].counts.tolist() == [[backs[card] for card in own].count(veg) for veg in range(6)]
        flips = [flip_of(move) for move in moves[(seat - table.start) % table.n_players :: table.n_players]]
        assert view.tableau[seat].n_flipped == len([card for card in flips if card != NO_FLIP])
    assert (view.turn, view.seat, view.start) == (twin.turn, twin.seat, table.start)
    assert (view.n_players, view.n_cards) == (table.n_players, 18 * table.n_players)
    assert view.drawn.tolist() == [3 * table.n_players] * 6
    assert view.bonus.tolist() == [0] * 6
    assert {name: int(view.rules[name]) for name in SWITCHES} == {name: table.rules.code(name) for name in SWITCHES}
    assert view.history[: len(moves)].tolist() == moves
    assert view.n_moves == len(moves)


@pytest.mark.parametrize("n_players", PLAYERS)
def test_the_view_tells_what_a_careful_player_knows(n_players: int) -> None:
    for table, mover, number in games(n_players, 6):
        moves: list[int] = []

        def ask(table: Table, twin: NaiveGame, mover: Mover = mover, moves: list[int] = moves) -> int:
            moves.append(mover(table, twin))
            return moves[-1]

        for position in play_beside_twin(table, SEED, ask, number):
            check_view(table, position.twin, moves)


def test_a_record_is_all_that_a_strategy_is_handed() -> None:
    """What is hidden lies outside of it: the deck, the bounds of the piles, the pool and the stream of the deal."""
    fields = set(layout().table.names or ()) - {"public"}
    assert {"deck", "low", "high", "pool", "rng"} <= fields
    assert not fields & set(layout().public.names or ())


# -------------------------------------------------------------------------------------------- nothing else


def other_deal(table: Table, chance: random.Random) -> list[list[int]]:
    """Another deal of the same game that a careful player could not tell from it by now.

    Cards that were never seen change places, below the tops and with those of the same back that were left out.
    """
    dealt = table.dealt_piles()
    in_deck = [card for pile in dealt for card in pile]
    unseen = [card for card in in_deck if table.place[card] == HIDDEN]
    backs = table.view.cards.back
    strangers: list[int] = []
    for veg in range(6):
        alike = [card for card in range(CAPACITY) if table.place[card] == HIDDEN and backs[card] == veg]
        n_unseen = len([card for card in unseen if backs[card] == veg])
        strangers += chance.sample(alike, n_unseen)
    chance.shuffle(strangers)
    changed = dict(zip(unseen, strangers, strict=True))
    return [[changed.get(card, card) for card in pile] for pile in dealt]


def choices(table: Table) -> list[tuple[int, bytes, bytes]]:
    """What each baseline chooses, and what it leaves in its own record and stream."""
    chosen = []
    for name in ("random", "greedy"):
        player = Player(name)
        player.rng = stream(SEED, table.turn)
        move = player(table)
        chosen.append((move, player.own.tobytes(), player.rng.tobytes()))
    return chosen


@pytest.mark.parametrize("n_players", PLAYERS)
def test_what_is_hidden_changes_neither_the_view_nor_a_choice(n_players: int) -> None:
    """The same moves on another deal that shows the same cards so far: not a byte of the view differs."""
    n_compared = n_other_piles = n_other_cards = 0
    for table, mover, number in games(n_players, 6):
        chance = random.Random(number)
        table.deal(SEED, number)
        after_deal = table.record.rng.copy()
        for position in play_beside_twin(table, SEED, mover, number):
            if chance.random() < 0.3 or table.turn == 0:
                piles = other_deal(table, chance)
                other = replay(table, piles, after_deal)
                table.held[np.arange(table.held.shape[1]) >= table.n_held[:, None]] = 0  # means nothing
                other.held[np.arange(other.held.shape[1]) >= other.n_held[:, None]] = 0
                assert other.view.tobytes() == table.view.tobytes()
                if not position.twin.over:
                    assert choices(other) == choices(table)
                n_compared += 1
                n_other_piles += other.piles() != table.piles()
                n_other_cards += set(chain(*piles)) != set(chain(*table.dealt_piles()))
    assert n_compared > 20
    assert n_other_piles > 10, "the hidden part was hardly ever another"
    assert n_other_cards > 10 or n_players == 6


@pytest.mark.parametrize("n_players", [2, 6])
def test_scrambling_the_deck_in_place_changes_nothing_that_is_seen(n_players: int) -> None:
    table, chance = Table(n_players), random.Random(SEED)
    for _ in play_beside_twin(table, SEED, Player("greedy")):
        if table.n_left == 0:
            continue
        deck, pool, seen, chosen = table.deck.copy(), table.record.pool.copy(), table.view.tobytes(), choices(table)
        hidden = [index for low, high in zip(table.low, table.high, strict=True) for index in range(low, high - 1)]
        unseen = np.flatnonzero(table.place == HIDDEN).tolist()
        for _ in range(3):
            table.deck[hidden] = chance.sample(unseen, len(hidden))
            table.record.pool[:] = chance.sample(range(108), 108)
            assert table.view.tobytes() == seen
            assert choices(table) == chosen
        table.deck[:], table.record.pool[:] = deck, pool


def test_another_seat_or_rule_is_seen() -> None:
    """The comparisons above could otherwise hold for a view that tells nothing."""
    one, other = Table(3), Table(3, Rules(zero="odd"))
    one.deal(SEED)
    other.deal(SEED)
    assert one.view.tobytes() != other.view.tobytes()
    before = one.view.tobytes()
    one.move(draft_of(0))
    assert one.view.tobytes() != before
    assert new_record(layout().public).tobytes() != before
