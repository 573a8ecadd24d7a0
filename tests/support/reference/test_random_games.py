"""The naive twin in whole random games under mixes of rules: what holds before and after every turn, and at the end."""

import random
from collections import Counter
from itertools import cycle

import pytest

from support.naive_games import BY_ID, CARDS, NO, ONE, share
from support.reference.game import OFFICIAL, VEGETABLES, Draft, NaiveGame, NaiveRules, random_piles

RULE_MIXES = {
    "official": OFFICIAL,
    "bga": NaiveRules(split_tie="random"),
    "classroom": NaiveRules(
        vegetables="up-to-two", zero="even", sets="complete-once", split="draw", tie_break="earlier"
    ),
    "no flip": NaiveRules(flip="never", zero="odd", tie_break="shared"),
    "down": NaiveRules(vegetables="up-to-two", split="down", split_tie="random", tie_break="last-turn"),
    "draw at random": NaiveRules(sets="once", split="draw", split_tie="random", tie_break="fewer-cards"),
}


def random_move(position: NaiveGame, rng: random.Random) -> tuple[Draft, int | None]:
    """A pile or the market, whichever of its drafts; then no flip or one of the own cards."""
    drafts = position.legal_drafts()
    source = rng.choice(sorted({draft[0] for draft in drafts}))
    draft = rng.choice([draft for draft in drafts if draft[0] == source])
    own: list[int | None] = [None, *position.hands[position.seat]]
    if draft[0] == "pile":
        own.append(position.piles[draft[1]][-1])
    return draft, None if position.rules.flip == "never" else rng.choice(own)


def on_table(position: NaiveGame) -> list[int]:
    """Every card there is, wherever it lies."""
    cards = [card for card in position.market if card is not None]
    for heap in (*position.piles, *position.hands, *position.vegetable_cards):
        cards += heap
    return sorted(cards)


def check_table(position: NaiveGame, deal: list[list[int]]) -> None:
    """What holds before and after every turn."""
    assert on_table(position) == sorted(card for pile in deal for card in pile)
    places = position.state()["where"]
    assert Counter(place for place in places.values() if place != "out") == (
        Counter({f"pile {p}": len(pile) for p, pile in enumerate(position.piles)})
        + Counter({f"market {slot}": 1 for slot in range(6) if position.market[slot] is not None})
        + Counter({f"hand {seat}": len(hand) for seat, hand in enumerate(position.hands)})
        + Counter({f"vegetables {seat}": len(own) for seat, own in enumerate(position.vegetable_cards)})
    )
    for seat, table in enumerate(position.tables()):
        assert table == {
            veg: sum(places[card] == f"vegetables {seat}" and BY_ID[card]["back"] == veg for card in places)
            for veg in VEGETABLES
        }

    hidden = [card for pile in position.piles for card in pile[:-1]]
    dealt = {card for pile in deal for card in pile}
    assert dealt - set(hidden) <= position.seen <= dealt

    for pile in position.piles:  # a pile is cut, never mixed
        whole = next((old for old in deal if set(pile) <= set(old)), None)
        assert whole is not None
        first = whole.index(pile[0]) if pile else 0
        assert pile == whole[first : first + len(pile)]

    sizes = [len(pile) for pile in position.piles]
    may_stay_empty = position.rules.split == "draw" or max(sizes) <= 1
    for column in range(3):
        if sizes[column] == 0:
            assert may_stay_empty
        if None in position.market[column::3]:
            assert sizes[column] == 0
            assert max(sizes) == 0 or position.rules.split != "draw"
    if any(sizes):
        assert sum(card is not None for card in position.market) >= 2, "so a single vegetable is the last card"


def check_turn(before: NaiveGame, after: NaiveGame, draft: Draft, flip: int | None) -> None:
    """What one turn may change, and what it must."""
    seat, old, new = before.seat, before.state(), after.state()
    assert (new["turn"], new["seat"]) == (old["turn"] + 1, (seat + 1) % after.n_players)
    assert old["seen"] <= new["seen"]

    taken = [before.piles[draft[1]][-1]] if draft[0] == "pile" else [before.market[slot] for slot in draft[1]]
    hand = set(before.hands[seat]) | (set(taken) if draft[0] == "pile" else set())
    vegetables = set(before.vegetable_cards[seat]) | (set(taken) if draft[0] == "market" else set())
    assert set(after.hands[seat]) == hand - {flip}
    assert set(after.vegetable_cards[seat]) == vegetables | ({flip} - {None})
    for other in set(range(after.n_players)) - {seat}:
        assert after.hands[other] == before.hands[other]
        assert after.vegetable_cards[other] == before.vegetable_cards[other]

    emptied = set(draft[1]) if draft[0] == "market" else set()
    for column in range(3):
        pile = before.piles[column][:-1] if draft == ("pile", column) else list(before.piles[column])
        for slot in (column, column + 3):
            was = before.market[slot]
            if was is not None and slot not in emptied:
                assert after.market[slot] == was
            elif pile and (after.rules.split != "draw" or len(pile) > 2):  # drawing may empty a short pile
                assert after.market[slot] == pile.pop(), f"slot {slot} was not filled from its own pile"
    if len(taken) == 1 and draft[0] == "market" and after.rules.vegetables == "two":
        assert sum(card is not None for card in before.market) == 1


@pytest.mark.parametrize("n_players", range(2, 7))
@pytest.mark.parametrize("mix", RULE_MIXES)
def test_random_whole_games(mix: str, n_players: int) -> None:
    rules, rng = RULE_MIXES[mix], random.Random(f"{mix} {n_players}")
    flips = 0
    for number in range(3):
        deal = random_piles(CARDS, n_players, rng)
        assert [len(pile) for pile in deal] == [6 * n_players] * 3
        backs = Counter(BY_ID[card]["back"] for pile in deal for card in pile)
        assert backs == dict.fromkeys(VEGETABLES, 3 * n_players)
        assert all(len({BY_ID[card]["back"] for card in pile}) > 2 for pile in deal), "not shuffled"
        choices = [rng.randrange(2) for _ in range(108)]
        start = number % n_players

        def new_game(deal: list[list[int]] = deal, choices: list[int] = choices, start: int = start) -> NaiveGame:
            return NaiveGame(CARDS, deal, n_players, rules, start, split_choices=cycle(choices))

        position, shadow = new_game(), new_game()
        check_table(position, deal)
        flipped: set[int] = set()
        while not position.over:
            draft, flip = random_move(position, rng)
            position.play(draft, flip)
            check_turn(shadow, position, draft, flip)
            check_table(position, deal)
            shadow.play(draft, flip)
            assert shadow.state() == position.state(), "the same moves, the same game"
            if flip is not None:
                flipped.add(flip)
            assert not flipped & {card for hand in position.hands for card in hand}

        assert position.piles == [[], [], []]
        assert position.market == [None] * 6
        kept = sum(len(hand) for hand in position.hands)
        laid = sum(sum(table.values()) for table in position.tables())
        assert kept + laid == 18 * n_players
        flips += len(flipped)
        assert position.seen == {card for pile in deal for card in pile}
        assert 9 * n_players <= position.turn <= 18 * n_players
        shares = position.shares()
        assert sum(shares) == 1
        best = max(position.scores())
        assert all(position.scores()[seat] == best for seat in range(n_players) if shares[seat])
    assert (flips == 0) == (rules.flip == "never")


def test_last_turn_and_later_differ_in_real_games_that_end_in_mid_round() -> None:
    """Two players, the official deal: seat 0 has the last turn, the totals are equal."""
    rng, differ = random.Random(11), 0
    for _ in range(300):
        position = NaiveGame(CARDS, random_piles(CARDS, 2, rng), 2)
        while not position.over:
            position.play(*random_move(position, rng))
        first, second = position.scores()
        mid_round = position.turn % 2 == 1
        assert (share(position, "later") != share(position, "last-turn")) == (first == second and mid_round)
        if first == second and mid_round:
            assert share(position, "last-turn") == [ONE, NO]
            differ += 1
    assert differ > 0
