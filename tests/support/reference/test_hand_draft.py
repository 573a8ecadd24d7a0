"""The naive twin of the hand-draft game is right: games by hand, every refusal, whole random games."""

import random
from collections import Counter
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from support.reference.game import VEGETABLES, Draft, IllegalMove, NaiveRules, load_cards
from support.reference.hand_draft import NaiveHandDraft, random_hand_draft_deal

CARDS = load_cards()
BACK = {card["id"]: card["back"] for card in CARDS}
NOTHING = dict.fromkeys(VEGETABLES, 0)
HANDS = [[20, 21, 22], [70, 71, 72], [90, 91, 92], [73, 74, 75], [56, 57, 58]]


def game(pile: list[int], faceup: list[int], players: int = 2, **options: Any) -> NaiveHandDraft:
    return NaiveHandDraft(CARDS, pile, faceup, HANDS[:players], [], players, **options)


# --------------------------------------------------------------------------------------- games by hand


def test_a_whole_small_game_by_hand() -> None:
    position = game([0, 1, 2, 3], [10, 30, 50])
    assert position.legal_drafts() == [("face", 0), ("face", 1), ("face", 2), ("blind",)]
    position.play(("face", 1), lay=30)  # the card just drafted
    assert position.faceup == [10, 3, 50]
    assert position.pile == [0, 1, 2]
    assert position.hands[0] == [20, 21, 22]
    assert position.tables() == [NOTHING | {"carrot": 1}, NOTHING]
    position.play(("blind",))
    assert sorted(position.hands[1]) == [1, 2, 70, 71, 72]
    assert position.seen == {3, 10, 30, 50}, "nobody else saw cards 1 and 2"
    assert position.state()["turns_left"] is None
    position.play(("blind",), lay=20)  # one card is left, and that one it is
    assert sorted(position.hands[0]) == [0, 21, 22]
    assert (position.pile, position.turns_left) == ([], 2)
    assert position.legal_drafts() == [("face", 0), ("face", 1), ("face", 2)]
    position.play(("face", 0), lay=70)
    assert position.faceup == [None, 3, 50]
    assert (position.turns_left, position.over) == (1, False)
    assert position.legal_drafts() == [("face", 1), ("face", 2)]
    position.play(("face", 2))
    assert position.state() == {
        "pile": [],
        "faceup": [None, 3, None],
        "hands": [[0, 21, 22, 50], [1, 2, 10, 71, 72]],
        "vegetables": [NOTHING | {"carrot": 2}, NOTHING | {"onion": 1}],
        "thrown": [],
        "seen": {3, 10, 30, 50},
        "where": dict.fromkeys(range(108), "out")
        | dict.fromkeys((0, 21, 22, 50), "hand 0")
        | dict.fromkeys((1, 2, 10, 71, 72), "hand 1")
        | dict.fromkeys((20, 30), "vegetables 0")
        | {70: "vegetables 1", 3: "face 1"},
        "turn": 5,
        "seat": 1,
        "turns_left": 0,
        "over": True,
    }
    assert position.legal_drafts() == []
    # seat 0: 5 types missing = 25, fewest cabbage = 7, 2/cabbage = 0, cabbage + onion = 0
    # seat 1: carrot even/odd at zero, most carrot, 3/carrot, onion + pepper + tomato, most in total: nothing
    assert position.scores() == [32, 0]
    assert position.shares() == [1, 0]


def test_what_cards_are_worth_follows_the_rules_given() -> None:
    for zero, points in (("nothing", 0), ("even", 7), ("odd", 3)):
        position = NaiveHandDraft(CARDS, [2], [3, 4, 5], [[19], [40]], [], 2, rules=NaiveRules(zero=zero))
        assert position.scores() == [points, 0]  # cabbage: even=7, odd=3


def test_most_and_fewest_compare_what_lies_in_front_not_what_is_in_hand() -> None:
    hands = [[2, 18, 19], [3, 40, 41], [0, 42, 43]]  # most carrot, fewest carrot, 5/missing type
    position = NaiveHandDraft(CARDS, [80, 81, 82, 83, 84, 85], [86, 87, 88], hands, [], 3)
    assert position.scores() == [10 + 0 + 0, 7, 30]  # all have none: tied
    position.play(("blind",), lay=18)
    assert position.tables()[0]["carrot"] == 1
    position.play(("blind",), lay=40)
    assert position.tables()[1]["lettuce"] == 1
    for seat, card in ((0, 2), (1, 3)):
        position.hands[seat] = [card]
    assert position.scores()[:2] == [10, 7]
    position.vegetable_cards[1].append(20)
    position.vegetable_cards[1].append(21)
    assert position.scores()[:2] == [0, 0]  # seat 1 has two carrots now, seat 2 none


def test_equal_totals_share_the_victory() -> None:
    position = NaiveHandDraft(CARDS, [80], [81, 82, 83], [[0], [36], [37]], [], 3)
    assert position.scores() == [30, 7, 0]
    assert position.shares() == [1, 0, 0]
    position.hands = [[3], [21], [37]]  # fewest carrot, fewest cabbage: 7 each
    assert position.shares() == [Fraction(1, 2), Fraction(1, 2), 0]
    position.hands = [[], [], []]
    assert position.shares() == [Fraction(1, 3)] * 3
    position.hands = [[], [46], [9]]
    position.vegetable_cards = [[], [36], [72]]  # lettuce costs seat 1 a point, pepper seat 2 four
    assert position.scores() == [0, -1, -4]
    position.hands[0] = [99]
    position.vegetable_cards[0] = [0]  # cabbage costs four
    assert position.scores() == [-4, -1, -4]
    assert position.shares() == [0, 1, 0]


def test_with_nothing_to_draft_a_card_may_still_be_laid() -> None:
    position = game([0], [1, 2, 3], players=5)
    position.play(("blind",))
    assert position.turns_left == 5
    for slot in (0, 1, 2):
        with pytest.raises(IllegalMove, match="must be drafted"):
            position.play(("none",))
        position.play(("face", slot))
    assert position.faceup == [None, None, None]
    assert position.legal_drafts() == [("none",)]
    position.play(("none",), lay=56)
    assert position.hands[4] == [57, 58]
    assert position.tables()[4] == NOTHING | {"onion": 1}
    assert not position.over
    position.play(("none",))
    assert position.over
    assert [position.turn, position.seat] == [6, 1]
    with pytest.raises(IllegalMove, match="over"):
        position.play(("none",))


def test_the_last_card_may_leave_the_pile_for_a_face_up_slot() -> None:
    position = game([0], [1, 2, 3])
    position.play(("face", 1))
    assert (position.faceup, position.pile, position.turns_left) == ([1, 0, 3], [], 2)
    position.play(("face", 1))
    position.play(("face", 0))
    assert position.over
    assert [sorted(hand) for hand in position.hands] == [[1, 2, 20, 21, 22], [0, 70, 71, 72]]


def test_the_start_seat_moves_first_and_is_last_in_the_end() -> None:
    position = game([0, 1], [2, 3, 4], players=3, start=2)
    seats = []
    while not position.over:
        seats.append(position.seat)
        position.play(position.legal_drafts()[-1])
    assert seats == [2, 0, 1, 2]


# --------------------------------------------------------------------------------------- throwing away


def test_thrown_cards_come_back_when_the_pile_runs_out() -> None:
    asked = []

    def turned_round(thrown: list[int]) -> list[int]:
        asked.append(thrown)
        return thrown[::-1]

    position = game([0, 1, 4, 5], [10, 30, 50], throw=True, reshuffles=turned_round)
    faces, throws = ([(source, slot) for slot in range(3)] for source in ("face", "throw"))
    assert position.legal_drafts() == [*faces, ("blind",), *throws]
    position.play(("throw", 0), lay=20)  # a card may be laid after it
    assert (position.thrown, position.faceup, position.pile) == ([10], [5, 30, 50], [0, 1, 4])
    assert (position.hands[0], position.tables()[0]) == ([21, 22], NOTHING | {"carrot": 1})
    assert position.where()[10] == "thrown"
    position.play(("throw", 0))
    assert (position.thrown, position.faceup, position.pile) == ([10, 5], [4, 30, 50], [0, 1])
    position.play(("blind",))
    assert asked == [[10, 5]]
    assert (position.thrown, position.pile, position.state()["turns_left"]) == ([], [5, 10], None)
    position.play(("face", 2))
    assert (position.faceup, position.pile) == ([4, 30, 10], [5])
    position.play(("throw", 1))  # the last card replaces it, and it is the new pile itself
    assert (position.faceup, position.pile, position.thrown) == ([4, 5, 10], [30], [])
    assert asked == [[10, 5], [30]]
    assert position.state()["turns_left"] is None
    position.play(("blind",))  # one card, nothing thrown
    assert (position.pile, position.turns_left) == ([], 2)
    assert position.legal_drafts() == [("face", 0), ("face", 1), ("face", 2)]
    with pytest.raises(IllegalMove, match="pile is empty"):
        position.play(("throw", 1))
    assert position.seen == {4, 5, 10, 30, 50}


def test_a_blind_draft_of_the_last_card_takes_one_though_thrown_cards_wait() -> None:
    position = game([0, 1], [10, 30, 50], throw=True, reshuffles=list)
    position.play(("throw", 0))
    position.play(("blind",))
    assert sorted(position.hands[1]) == [0, 70, 71, 72]
    assert (position.pile, position.turns_left) == ([10], None)


def test_a_reshuffle_must_return_the_thrown_cards() -> None:
    position = game([0], [10, 30, 50], throw=True, reshuffles=lambda thrown: [11])
    with pytest.raises(ValueError, match="a new pile of"):
        position.play(("throw", 0))
    with pytest.raises(ValueError, match="needs reshuffles"):
        game([0], [10, 30, 50], throw=True)


# -------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("draft", "lay", "reason"),
    [
        (("throw", 1), None, "no throwing away"),
        (("face", 0), None, "face-up slot 0 is empty"),
        (("face", 3), None, "not a draft"),
        (("face", -1), None, "not a draft"),
        (("blind",), None, "the pile is empty"),
        (("none",), None, "must be drafted"),
        (("pass",), None, "not a draft"),
        (None, None, "not a draft"),
        (("face", 1), 72, "seat 0 does not hold card 72"),
        (("face", 1), 3, "seat 0 does not hold card 3"),
        (("face", 1), 20, "seat 0 does not hold card 20"),
    ],
)
def test_an_illegal_move_says_why_and_changes_nothing(draft: Any, lay: int | None, reason: str) -> None:
    position = game([0, 1], [10, 2, 3])
    position.play(("blind",), lay=20)
    position.play(("face", 0))
    before = deepcopy(position.state())
    with pytest.raises(IllegalMove, match=reason):
        position.play(draft, lay)
    assert position.state() == before
    position.play(("face", 1), lay=2)


def test_a_bad_position_is_refused() -> None:
    with pytest.raises(ValueError, match="one place"):
        game([0, 10], [10, 30, 50])
    with pytest.raises(ValueError, match="one place"):
        game([0, 108], [10, 30, 50])
    with pytest.raises(ValueError, match="three cards face up"):
        game([0, 11], [10, 30])
    with pytest.raises(ValueError, match="two to five"):
        NaiveHandDraft(CARDS, [0], [1, 2, 3], [[4]], [], 1)
    with pytest.raises(ValueError, match="a hand for each"):
        NaiveHandDraft(CARDS, [0], [1, 2, 3], [[4]], [], 2)


def test_the_state_is_a_copy() -> None:
    position = game([0, 1, 4, 5], [10, 30, 50])
    state = position.state()
    for part in (state["pile"], state["faceup"], state["thrown"], state["hands"][0]):
        part.append(99)
    state["seen"].add(99)
    assert position.state() == game([0, 1, 4, 5], [10, 30, 50]).state()


def test_what_the_caller_gave_stays_as_it_was() -> None:
    pile, faceup, hands = [0, 1, 4], [10, 30, 50], [[20, 21], [70]]
    position = NaiveHandDraft(CARDS, pile, faceup, hands, [], 2)
    position.play(("face", 0), lay=20)
    position.play(("blind",), lay=70)
    assert (pile, faceup, hands) == ([0, 1, 4], [10, 30, 50], [[20, 21], [70]])


# -------------------------------------------------------------------------------------------- the deal


@pytest.mark.parametrize("n_players", range(2, 6))
def test_the_deal(n_players: int) -> None:
    rng, first_hands, rest_on_top = random.Random(n_players), set(), 0
    for _ in range(20):
        pile, faceup, hands, aside = random_hand_draft_deal(CARDS, n_players, rng)
        assert sorted([*pile, *faceup, *aside, *(card for hand in hands for card in hand)]) == list(range(108))
        assert [len(hand) for hand in hands] == [3] * n_players
        assert len(faceup) == 3
        in_hands = [card for hand in hands for card in hand]
        assert max(Counter(BACK[card] for card in in_hands).values()) <= 3, "the 18 hold three of each"
        first_hands.add(tuple(sorted(BACK[card] for card in hands[0])))
        if n_players in (2, 3):
            assert aside == []
            assert len(pile) == 105 - 3 * n_players
            on_top = pile[-(18 - 3 * n_players) :]
            rest_on_top += Counter(BACK[card] for card in in_hands + on_top) == dict.fromkeys(VEGETABLES, 3)
        else:
            assert len(pile) == 87
            assert Counter(BACK[card] for card in aside + in_hands) == dict.fromkeys(VEGETABLES, 3)
        assert max(len({BACK[card] for card in pile[i : i + 12]}) for i in range(0, 84, 12)) > 3, "not shuffled"
    assert len(first_hands) > 5, "the 18 are shuffled before they are dealt"
    assert rest_on_top < 5, "what remains of them is shuffled into the pile"


# ---------------------------------------------------------------------------------- whole random games


def random_move(position: NaiveHandDraft, rng: random.Random) -> tuple[Draft, int | None]:
    draft = rng.choice(position.legal_drafts())
    return draft, rng.choice([None, *position.hands[position.seat], *position.gain(draft)])


def check_turn(before: NaiveHandDraft, after: NaiveHandDraft, draft: Draft, lay: int | None) -> None:
    """What one turn may change, and what it must."""
    seat = before.seat
    pile = list(before.pile)
    faceup, thrown = list(before.faceup), list(before.thrown)
    hand = set(before.hands[seat])
    if draft[0] == "blind":
        hand |= {pile.pop() for _ in range(min(2, len(pile)))}
    elif draft[0] != "none":
        card = faceup[draft[1]]
        assert card is not None
        if draft[0] == "face":
            hand.add(card)
        else:
            thrown.append(card)
        faceup[draft[1]] = pile.pop() if pile else None
    assert after.faceup == faceup
    assert set(after.hands[seat]) == hand - {lay}
    assert len(after.hands[seat]) == len(hand - {lay})
    assert after.vegetable_cards[seat] == before.vegetable_cards[seat] + ([] if lay is None else [lay])
    if not pile and thrown:
        assert (sorted(after.pile), after.thrown) == (sorted(thrown), [])
    else:
        assert (after.pile, after.thrown) == (pile, thrown)
    assert after.seen == before.seen | {card for card in faceup if card is not None}
    for other in set(range(after.n_players)) - {seat}:
        assert after.hands[other] == before.hands[other]
        assert after.vegetable_cards[other] == before.vegetable_cards[other]


@pytest.mark.parametrize("throw", [False, True])
@pytest.mark.parametrize("n_players", range(2, 6))
def test_random_whole_games(n_players: int, throw: bool) -> None:
    rng = random.Random(f"{n_players} {throw}")
    sources: Counter[str] = Counter()
    reshuffles = 0

    def reshuffled(thrown: list[int]) -> list[int]:
        nonlocal reshuffles
        reshuffles += 1
        return rng.sample(thrown, len(thrown))

    for number in range(6):
        deal = random_hand_draft_deal(CARDS, n_players, rng)
        start = number % n_players
        position = NaiveHandDraft(CARDS, *deal, n_players, throw, reshuffled if throw else None, start=start)
        in_game = {card for card in range(108) if card not in deal[3]}
        seats, after_the_end, laid = [], 0, 0
        while not position.over:
            ran_out = position.turn > 0 and not position.pile
            after_the_end += ran_out
            seats.append(position.seat)
            draft, lay = random_move(position, rng)
            sources[draft[0]] += 1
            assert (draft == ("none",)) == (ran_out and position.faceup == [None] * 3)
            before = deepcopy(position)
            position.play(draft, lay)
            check_turn(before, position, draft, lay)
            laid += lay is not None
            places = position.where()
            assert {card for card, place in places.items() if place != "out"} == in_game
            places_of = Counter(place.split()[0] for place in places.values() if place != "out")
            assert places_of == +Counter(
                pile=len(position.pile),
                thrown=len(position.thrown),
                face=3 - position.faceup.count(None),
                hand=sum(len(hand) for hand in position.hands),
                vegetables=laid,
            )
            assert sum(sum(table.values()) for table in position.tables()) == laid
        assert seats == [(start + turn) % n_players for turn in range(position.turn)]
        assert after_the_end == n_players, "exactly one more turn each"
        assert (position.pile, position.thrown) == ([], [])
        assert sum(position.shares()) == 1
        assert (None in position.faceup) and position.faceup.count(None) == min(3, n_players)
    assert sources["blind"] > 0
    assert (sources["throw"] > 0) == (reshuffles > 0) == throw
    assert (sources["none"] > 0) == (n_players > 3)
