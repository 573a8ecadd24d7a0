"""The engine on its own: what holds on every turn of every game, what is legal, and where chance comes in."""

from __future__ import annotations

import random
from collections import Counter
from itertools import repeat

import numpy as np
import pytest
from scipy import stats

from salad_sim.game.engine import (
    LEGAL,
    MUST_TAKE_TWO,
    NO_FLIPS,
    NO_SUCH_CARD,
    NO_SUCH_DRAFT,
    NOT_CONSERVED,
    NOT_OWN_CARD,
    PILE_EMPTY,
    SLOT_EMPTY,
    WHY_ILLEGAL,
    list_drafts,
    replace_pile,
    why_illegal,
)
from salad_sim.game.market import largest_pile
from salad_sim.game.moves import FIRST_PAIR, FLIP_BASE, NO_FLIP, make_move
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.game.state import HIDDEN, MARKET, POINTS, TOP, VEGETABLE, layout
from salad_sim.jit.records import new_record
from support.playing import (
    PLAYERS,
    SEED,
    Arbitrary,
    Mover,
    Player,
    Position,
    Table,
    any_rules,
    copy_of,
    draft_code,
    draft_in_words,
    fits,
    play_beside_twin,
    stream,
)
from support.reference.game import IllegalMove, NaiveGame

# ------------------------------------------------------------------------------- what holds on every turn


def check_account(table: Table) -> None:
    """Every card of the deck is in one place, and all that the view says of places and numbers fits together."""
    view, places = table.view, Counter(table.place.tolist())
    piles = table.piles()
    in_piles = [card for pile in piles for card in pile]
    held = [table.hand(seat) for seat in range(table.n_players)]
    market = [card for card in table.market_card.tolist() if card >= 0]
    n_vegetables = int(table.counts[: table.n_players].sum())
    open_cards = [*market, *(card for hand in held for card in hand)]
    assert len(set(in_piles + open_cards)) == len(in_piles + open_cards)
    assert len(in_piles) + len(open_cards) + n_vegetables == table.n_cards == 18 * table.n_players
    assert table.n_left == len(in_piles) + len(market)
    assert table.n_market == len(market) == places[MARKET]
    assert view.pile_size.tolist() == [len(pile) for pile in piles]
    assert view.top.tolist() == [pile[-1] if pile else -1 for pile in piles]
    assert places[TOP] == sum(1 for pile in piles if pile)
    backs = [-1 if card < 0 else view.cards.back[card] for card in table.market_card.tolist()]
    assert view.market.tolist() == backs
    for seat in range(table.n_players):
        assert places[POINTS + seat] == len(held[seat])
        assert all(table.place[card] == POINTS + seat for card in held[seat])
        laid = view.cards.back[np.flatnonzero(table.place == VEGETABLE + seat)]
        assert np.bincount(laid, minlength=6).tolist() == table.counts[seat].tolist()
    assert not places.keys() - {HIDDEN, TOP, MARKET, *(base + s for base in (POINTS, VEGETABLE) for s in range(6))}


@pytest.mark.parametrize("n_players", PLAYERS)
def test_all_cards_are_accounted_for_on_every_turn(n_players: int) -> None:
    table = Table(n_players)
    movers: list[Mover] = [Player("random"), Player("greedy"), *map(Arbitrary, range(6))]
    for number, mover in enumerate(movers):
        vegetables: set[int] = set()
        flipped = [0] * n_players
        n_turns = 0
        for position in play_beside_twin(table, SEED, mover, number):
            check_account(position.table)
            laid = set(np.flatnonzero(table.place >= VEGETABLE).tolist())
            assert vegetables <= laid, "a vegetable came back"
            n_from_market = 0
            if n_turns:
                seat = (position.twin.turn - 1) % n_players
                draft = int(table.view.history[n_turns - 1]) % FLIP_BASE
                n_from_market = len(draft_in_words(draft)[1]) if draft >= 8 else 0
                flipped[seat] += len(laid - vegetables) - n_from_market
            assert table.view["tableau"]["n_flipped"][:n_players].tolist() == flipped
            vegetables, n_turns = laid, n_turns + 1
        assert table.n_left == 0
        assert table.piles() == [[], [], []]
        assert table.market_card.tolist() == [-1] * 6
        assert table.turn == n_turns - 1


@pytest.mark.parametrize("n_players", PLAYERS)
def test_a_new_game_clears_the_table(n_players: int) -> None:
    used, fresh = Table(n_players), Table(n_players)
    for _ in play_beside_twin(used, SEED, Arbitrary(1), 1):
        pass
    used.deal(SEED, 2)
    fresh.deal(SEED, 2)
    used.view.history[:], used.held[:] = 0, 0  # beyond their numbers of entries these mean nothing
    assert used.view.tobytes() == fresh.view.tobytes()
    assert used.state() == fresh.state()


def test_who_starts() -> None:
    for start in range(3):
        table = Table(3, start=start)
        for turn, _ in enumerate(play_beside_twin(table, SEED, Player("random"))):
            assert (table.turn, table.seat) == (turn, (start + turn) % 3)


# ------------------------------------------------------------------------------------------- what is legal


def positions(n_players: int, number: int) -> list[Position]:
    """Some turns of a game, the last ones and the end among them; each has a table of its own."""
    chance = random.Random(f"{SEED} {n_players} {number}")
    rules = [OFFICIAL, Rules(vegetables="up-to-two", flip="never"), any_rules(chance)][number]
    moves: list[int] = []
    mover = Arbitrary(number)

    def ask(table: Table, twin: NaiveGame) -> int:
        moves.append(mover(table, twin))
        return moves[-1]

    found = []
    for _, twin in play_beside_twin(Table(n_players, rules), SEED, ask, number):
        if chance.random() < 0.2 or None in twin.market:
            again = Table(n_players, rules)
            again.deal(SEED, number)
            for move in moves:
                again.move(move)
            found.append(Position(again, twin))
    return found


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("n_players", PLAYERS)
def test_legal_drafts_are_those_of_the_twin(n_players: int, number: int) -> None:
    own = new_record(layout().own)
    mover = Arbitrary(number)
    rules = OFFICIAL if number < 2 else any_rules(random.Random(f"{SEED} {number}"))
    for table, twin in play_beside_twin(Table(n_players, rules), SEED, mover, number):
        list_drafts(table.view, own)
        drafts = own.drafts[: own.n_drafts].tolist()
        assert drafts == [draft_code(draft) for draft in twin.legal_drafts()], "the order is promised as well"


REASONS = {
    "pile": PILE_EMPTY,
    "market": SLOT_EMPTY,
    "two": MUST_TAKE_TWO,
    "not": NO_SUCH_DRAFT,
    "the": NO_SUCH_DRAFT,
    "these": NO_FLIPS,
    "seat": NOT_OWN_CARD,
}
"""What the twin's reasons begin with."""


def twin_says(twin: NaiveGame, draft: int, flip: int = NO_FLIP) -> int:
    """Try a move on the twin and return the code of the reason that it gives."""
    game = copy_of(twin)
    game.split_choices = repeat(0)  # what is legal does not depend on what chance will give
    try:
        game.play(draft_in_words(draft), None if flip == NO_FLIP else flip)
    except IllegalMove as error:
        return REASONS[str(error).split()[0]]
    return LEGAL


def why_no_draft(twin: NaiveGame, draft: int) -> int:
    """Why a draft is illegal, LEGAL if it is not; that of nonsense is that it is nonsense."""
    slot, other = divmod(draft - FIRST_PAIR, FIRST_PAIR)
    if draft in range(3, FIRST_PAIR) or (draft >= FIRST_PAIR and not slot <= other < 6):
        assert twin_says(twin, draft) != LEGAL
        return NO_SUCH_DRAFT
    if twin.over:  # which is all that the twin says
        return PILE_EMPTY if draft < 3 else SLOT_EMPTY
    return twin_says(twin, draft)


def why_no_flip(twin: NaiveGame, draft: int, flip: int) -> int:
    """Why a flip after a legal draft is illegal: first which card it is, then whether any may be flipped."""
    own = twin.hands[twin.seat] + ([twin.piles[draft][-1]] if draft < 3 else [])
    reason = twin_says(twin, draft, flip)
    assert (reason == LEGAL) == (flip in own and twin.rules.flip == "after")
    if flip >= len(twin.cards):
        return NO_SUCH_CARD
    return reason if flip in own else NOT_OWN_CARD


@pytest.mark.parametrize("n_players", PLAYERS)
def test_every_illegal_move_is_refused_with_its_reason(n_players: int) -> None:
    reasons: Counter[int] = Counter()
    for number in range(3):
        for table, twin in positions(n_players, number):
            one_of_each_place = {place: card for card, place in twin.where().items()}.values()
            flips = {*one_of_each_place, *twin.hands[twin.seat], *(pile[-1] for pile in twin.piles if pile), 108, 5000}
            for draft in range(FLIP_BASE):
                expected = why_no_draft(twin, draft)
                for flip in (NO_FLIP, *flips) if expected == LEGAL else (NO_FLIP, 0):
                    is_flip = expected == LEGAL and flip != NO_FLIP
                    reason = why_no_flip(twin, draft, flip) if is_flip else expected
                    said = why_illegal(table.view, make_move(draft, flip))
                    assert said == reason, (draft, draft_in_words(draft), flip, twin.state())
                    reasons[reason] += 1
    assert reasons.keys() == {LEGAL, *WHY_ILLEGAL} - {NOT_CONSERVED}  # which is no matter of a move


@pytest.mark.parametrize("move", [-1, -2, -64, -65, -(2**40)])
def test_a_negative_move_is_none(move: int) -> None:
    table = Table(2)
    table.deal(SEED)
    assert why_illegal(table.view, move) == NO_SUCH_DRAFT


def test_a_huge_move_flips_no_card() -> None:
    table = Table(2)
    table.deal(SEED)
    assert why_illegal(table.view, 2**62) == NO_SUCH_CARD


def test_no_flips_by_flip_never() -> None:
    for rules, reason in ((Rules(flip="never"), NO_FLIPS), (OFFICIAL, LEGAL)):
        table = Table(2, rules)
        table.deal(SEED)
        assert why_illegal(table.view, make_move(0, int(table.view.top[0]))) == reason
        table.move(0)
        table.move(0)
        own, other = table.hand(0)[0], table.hand(1)[0]
        assert why_illegal(table.view, make_move(0, own)) == reason
        assert why_illegal(table.view, make_move(0, other)) == NOT_OWN_CARD


# ------------------------------------------------------------------------------------ where chance comes in


@pytest.mark.parametrize("n_players", PLAYERS)
def test_every_card_is_equally_often_in_the_deck_and_at_any_place(n_players: int) -> None:
    table, n_deals = Table(n_players), 2000
    n_drawn, size = 3 * n_players, 18 * n_players
    in_deck, first = np.zeros(108, dtype=int), np.zeros(108, dtype=int)
    pairs: Counter[int] = Counter()
    for number in range(n_deals):
        table.deal(SEED, number)
        deck = table.deck[:size]
        assert (np.bincount(table.view.cards.back[deck], minlength=6) == n_drawn).all()
        assert len(set(deck.tolist())) == size
        in_deck[deck] += 1
        first[deck[number % size]] += 1
        pairs[int(np.isin([0, 1], deck).sum())] += 1
    assert fits(first)
    share = n_drawn / 18
    if share == 1:
        assert (in_deck == n_deals).all()
        return
    # drawing without replacement: per vegetable this is chi-square with 17 degrees of freedom
    spread = ((in_deck - n_deals * share) ** 2).reshape(6, 18).sum(axis=1) * (17 / 18) / (n_deals * share * (1 - share))
    assert stats.chi2(6 * 17).sf(spread.sum()) > 1e-5
    both = n_drawn * (n_drawn - 1) / (18 * 17)
    assert fits([pairs[0], pairs[1], pairs[2]], [1 - 2 * share + both, 2 * (share - both), both])


def test_a_deal_is_that_of_its_seed_and_number() -> None:
    one, other = Table(3), Table(3)
    decks = set()
    for seed, number in ((1, 0), (1, 1), (2, 0)):
        one.deal(seed, number)
        other.deal(seed, number)
        assert one.dealt_piles() == other.dealt_piles()
        decks.add(tuple(one.deck[:54].tolist()))
    assert len(decks) == 3


def piles_of(sizes: list[int], rules: Rules) -> Table:
    """A table with piles of these sizes, each card its place in the deck."""
    table = Table(6, rules)
    table.deal(SEED)
    table.low[:] = [0, 30, 60]
    table.high[:] = table.low + sizes
    table.view.pile_size[:] = sizes
    return table


@pytest.mark.parametrize("sizes", [[0, 6, 6], [6, 0, 6], [6, 6, 0], [5, 5, 5], [6, 6, 5], [7, 3, 3], [3, 3, 4]])
@pytest.mark.parametrize("split_tie", ["first", "random"])
def test_each_of_the_equal_largest_piles_gives_equally_often(sizes: list[int], split_tie: str) -> None:
    table = piles_of(sizes, Rules(split_tie=split_tie))
    table.record.rng = stream(SEED)
    equal = [pile for pile in range(3) if sizes[pile] == max(sizes)]
    chosen = Counter(largest_pile(table.record, 2) for _ in range(6000))
    assert set(chosen) == set(equal[:1] if split_tie == "first" else equal)
    assert len(chosen) == 1 or fits(list(chosen.values()))


def test_a_replaced_pile_comes_from_each_of_two_equal_ones_half_the_time() -> None:
    table = piles_of([6, 0, 6], Rules(split_tie="random"))
    chosen: Counter[int] = Counter()
    for number in range(3000):
        table.low[:], table.high[:] = [0, 30, 60], [6, 30, 66]
        table.view.pile_size[:] = [6, 0, 6]
        table.record.rng = stream(SEED, number)
        replace_pile(table.record, 1)
        chosen[int(table.low[1])] += 1
        assert table.view.pile_size.tolist() == ([3, 3, 6] if table.low[1] == 0 else [6, 3, 3])
    assert set(chosen) == {0, 60}
    assert fits(list(chosen.values()))


@pytest.mark.parametrize(
    ("sizes", "least", "largest"),
    [([1, 0, 1], 2, -1), ([1, 0, 1], 1, 0), ([0, 0, 0], 1, -1), ([0, 2, 1], 2, 1), ([1, 2, 3], 2, 2)],
)
def test_which_pile_is_large_enough_to_give(sizes: list[int], least: int, largest: int) -> None:
    assert largest_pile(piles_of(sizes, OFFICIAL).record, least) == largest
