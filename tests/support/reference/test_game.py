"""The naive twin plays right: a whole game by hand, piles, market and moves, and bugs of other programs."""

from copy import deepcopy
from typing import Any

import pytest

from support.naive_games import CARDS, NO, ONE, game, play_all, upto
from support.reference.game import VEGETABLES, IllegalMove, NaiveGame, NaiveRules

# -------------------------------------------------------------------------------------- a game by hand


def test_a_whole_small_game_by_hand() -> None:
    position = game(upto(0, 3), upto(20, 23), upto(40, 43))
    assert position.piles == [[0, 1], [20, 21], [40, 41]]
    assert position.market == [3, 23, 43, 2, 22, 42]
    assert position.seen == {1, 2, 3, 21, 22, 23, 41, 42, 43}

    position.play(("market", (0, 3)))  # pile 0 fills both slots and is empty: pile 1, first of the equals, gives
    assert position.piles == [[20], [21], [40, 41]]
    assert position.market == [1, 23, 43, 0, 22, 42]
    assert position.seen == {0, 1, 2, 3, 20, 21, 22, 23, 41, 42, 43}

    position.play(("pile", 0), flip=20)  # the card just drafted; now pile 2 is the largest
    assert position.piles == [[40], [21], [41]]
    assert position.tables()[1] == dict.fromkeys(VEGETABLES, 0) | {"carrot": 1}
    assert position.hands == [[], []]

    position.play(("market", (1, 2)))  # nobody has two left to give
    assert position.piles == [[40], [], []]
    assert position.market == [1, 21, 41, 0, 22, 42]
    assert position.legal_drafts()[0] == ("pile", 0)
    assert len(position.legal_drafts()) == 1 + 15

    play_all(position, ("pile", 0), ("market", (0, 1)), ("market", (2, 3)))
    assert position.market == [None, None, None, None, 22, 42]
    assert not position.over
    assert position.seat == 0
    assert position.legal_drafts() == [("market", (4, 5))]
    position.play(("market", (4, 5)))

    nothing = dict.fromkeys(VEGETABLES, 0)
    assert position.state() == {
        "piles": [[], [], []],
        "market": [None] * 6,
        "hands": [[], [40]],
        "vegetables": [
            nothing | {"cabbage": 3, "carrot": 3, "lettuce": 2},
            nothing | {"cabbage": 1, "carrot": 1, "lettuce": 1},
        ],
        "seen": {0, 1, 2, 3, 20, 21, 22, 23, 40, 41, 42, 43},
        "where": dict.fromkeys(range(108), "out")
        | dict.fromkeys((1, 2, 3, 21, 22, 23, 42, 43), "vegetables 0")
        | dict.fromkeys((0, 20, 41), "vegetables 1")
        | {40: "hand 1"},
        "turn": 7,
        "seat": 1,
        "over": True,
    }
    assert position.scores() == [0, 0]  # card 40 is 2/pepper
    assert position.legal_drafts() == []


def test_the_state_is_a_copy() -> None:
    position = game(upto(0, 3), upto(20, 23), upto(40, 43))
    state = position.state()
    assert [state["where"][card] for card in (0, 3, 22, 41, 77)] == [
        "pile 0",
        "market 0",
        "market 4",
        "pile 2",
        "out",
    ]
    for part in (state["piles"][0], state["market"], state["hands"][0]):
        part.append(99)
    state["seen"].add(99)
    state["vegetables"][0]["onion"] = 5
    assert position.state() == game(upto(0, 3), upto(20, 23), upto(40, 43)).state()


# ------------------------------------------------------------------------------------ piles and market


def test_a_pile_that_is_empty_when_needed_is_replaced_between_two_slots() -> None:
    position = game(upto(0, 2), upto(20, 27), upto(40, 43))
    assert position.piles == [[0], upto(20, 25), [40, 41]]
    position.play(("market", (0, 3)))
    assert position.market == [0, 27, 43, 22, 26, 42]
    assert position.piles == [[20, 21], [23, 24, 25], [40, 41]]
    assert {0, 22, 21} <= position.seen
    assert not {20, 23, 24} & position.seen


@pytest.mark.parametrize(
    ("split", "size", "moved"),
    [
        *(("up", 5, 3), ("up", 4, 2), ("up", 3, 2), ("up", 2, 1), ("up", 1, 0)),
        *(("down", 5, 2), ("down", 4, 2), ("down", 3, 1), ("down", 2, 1), ("down", 1, 0)),
        *(("draw", 5, 0), ("draw", 1, 0)),
    ],
)
def test_half_of_the_largest_pile(split: str, size: int, moved: int) -> None:
    """Pile 0 loses its last card to a player; pile 2 has `size` cards then, pile 1 one."""
    position = game(upto(0, 2), upto(20, 22), upto(40, 41 + size), split=split)
    position.play(("pile", 0))
    assert position.piles == [upto(40, 39 + moved), [20], upto(40 + moved, 39 + size)]


def test_empty_piles_are_replaced_in_order_each_from_what_is_largest_then() -> None:
    by_hand = [[41], [40], [42, 43]]  # 4 cards: two to pile 0; then piles 0 and 2 are equal, pile 0 gives one
    assert game([0, 1], [20, 21], upto(40, 45)).piles == by_hand
    rules = NaiveRules(split_tie="random")
    for choice, piles in ((0, by_hand), (1, [[40, 41], [42], [43]])):
        choices = iter([choice])
        position = NaiveGame(CARDS, [[0, 1], [20, 21], upto(40, 45)], 2, rules, split_choices=choices)
        assert position.piles == piles
        assert list(choices) == [], "one choice for the one tie"


def test_chance_is_asked_only_where_equal_piles_can_give() -> None:
    rules = NaiveRules(split_tie="random")
    single = NaiveGame(CARDS, [[0, 1], upto(20, 22), upto(40, 42)], 2, rules, split_choices=iter([]))
    assert single.piles == [[], [20], [40]]  # equal, but of one card each
    with pytest.raises(ValueError, match="split choice 2"):
        NaiveGame(CARDS, [[0, 1], [20, 21], upto(40, 45)], 2, rules, split_choices=iter([2]))


def test_split_draw_takes_single_cards_from_the_bottom_down_to_the_last() -> None:
    position = game([0], upto(20, 23), upto(40, 43), split="draw")
    assert position.market == [0, 23, 43, 20, 22, 42]
    assert position.piles == [[], [21], [40, 41]]
    assert position.seen == {0, 20, 21, 22, 23, 41, 42, 43}
    position.play(("market", (0, 3)))  # 40 from the larger, then 21 from the first of two equals
    assert position.market == [40, 23, 43, 21, 22, 42]
    assert position.piles == [[], [], [41]]
    position.play(("market", (0, 1)))
    assert position.market == [41, None, 43, 21, 22, 42]
    assert position.piles == [[], [], []]
    assert position.legal_drafts() == [("market", (i, j)) for i in (0, 2, 3, 4, 5) for j in (2, 3, 4, 5) if i < j]


def test_split_draw_from_a_random_one_of_equal_piles() -> None:
    rules = NaiveRules(split="draw", split_tie="random")
    position = NaiveGame(CARDS, [[0], upto(20, 23), upto(40, 43)], 2, rules, split_choices=iter([1]))
    assert position.market == [0, 23, 43, 40, 22, 42]
    assert position.piles == [[], [20, 21], [41]]


def test_a_pile_drafted_empty_in_the_middle_column_fills_from_its_own_new_pile() -> None:
    position = game(upto(0, 9), upto(20, 22), upto(40, 42))
    position.play(("pile", 1))
    assert position.piles == [[4, 5, 6, 7], [0, 1, 2, 3], [40]]
    position.play(("market", (1, 4)))
    assert position.market == [9, 3, 42, 8, 2, 41]
    assert position.piles == [[4, 5, 6, 7], [0, 1], [40]]


# ----------------------------------------------------------------------------------------------- moves


def test_the_drafts_of_a_full_table() -> None:
    piles = upto(0, 3), upto(20, 23), upto(40, 43)
    pairs = [("market", (i, j)) for i in range(6) for j in range(6) if i < j]
    assert game(*piles).legal_drafts() == [("pile", 0), ("pile", 1), ("pile", 2), *pairs]
    singles = [("market", (i,)) for i in range(6)]
    drafts = game(*piles, vegetables="up-to-two").legal_drafts()
    assert drafts == [("pile", 0), ("pile", 1), ("pile", 2), *pairs, *singles]


def test_a_single_vegetable() -> None:
    last = game([0, 1], [20], [])
    assert last.market == [1, 20, None, 0, None, None]
    with pytest.raises(IllegalMove, match="two vegetables must be taken"):
        last.play(("market", (1,)))
    last.play(("market", (1, 3)))
    assert last.legal_drafts() == [("market", (0,))]
    last.play(("market", (0,)))
    assert last.over
    assert [table["cabbage"] + table["carrot"] for table in last.tables()] == [2, 1]

    choosy = game([0, 1], [20], [], vegetables="up-to-two")
    choosy.play(("market", (1,)))
    assert choosy.market == [1, None, None, 0, None, None]
    assert choosy.legal_drafts() == [("market", (0, 3)), ("market", (0,)), ("market", (3,))]


def test_a_single_vegetable_after_a_pile_of_one() -> None:
    position = game([0], [], upto(40, 43), split="down")
    # slot 0: its pile; 3: the half [40, 41] of pile 2 comes; 1: the half [42] of [42, 43]; 4: none can give
    assert (position.market, position.piles) == ([0, 42, 43, 41, None, None], [[40], [], []])
    play_all(position, ("market", (1, 2)), ("market", (0, 3)))
    assert (position.market, position.piles) == ([40, None, None, None, None, None], [[], [], []])
    assert position.legal_drafts() == [("market", (0,))]


def test_flips() -> None:
    position = game(upto(0, 5), upto(20, 25), upto(40, 45))
    position.play(("pile", 0))  # seat 0 keeps 3
    position.play(("pile", 1), flip=23)  # the one just drafted
    position.play(("pile", 2), flip=3)  # one from before
    assert position.hands == [[43], []]
    assert [sum(table.values()) for table in position.tables()] == [1, 1]
    assert position.tables()[0]["cabbage"] == 1
    with pytest.raises(IllegalMove, match="does not hold point card 43"):
        position.play(("market", (0, 1)), flip=43)  # the other seat's
    position.play(("market", (0, 1)))
    with pytest.raises(IllegalMove, match="does not hold point card 3"):
        position.play(("market", (0, 1)), flip=3)  # flipped for good
    position.play(("market", (2, 5)), flip=43)  # after taking vegetables
    assert position.hands == [[], []]


def test_no_flip_under_flip_never() -> None:
    position = game(upto(0, 5), upto(20, 25), upto(40, 45), flip="never")
    with pytest.raises(IllegalMove, match="no flip"):
        position.play(("pile", 0), flip=3)
    position.play(("pile", 0))
    assert position.hands[0] == [3]


@pytest.mark.parametrize(
    ("draft", "reason"),
    [
        (("pile", 0), "pile 0 is empty"),
        (("pile", 3), "not a draft"),
        (("pile", -1), "not a draft"),
        (("market", (0, 5)), "market slot 5 is empty"),
        (("market", (5,)), "market slot 5 is empty"),
        (("market", (3, 0)), "lower number first"),
        (("market", (0, 0)), "must be different"),
        (("market", (0,)), "two vegetables must be taken"),
        (("market", (0, 6)), "not a draft"),
        (("market", (0, -1)), "not a draft"),
        (("market", (0, 2, 3)), "not a draft"),
        (("market", ()), "not a draft"),
        (("pass",), "not a draft"),
        (None, "not a draft"),
    ],
)
def test_an_illegal_draft_says_why_and_changes_nothing(draft: Any, reason: str) -> None:
    position = game([0, 1], [20], upto(40, 42))
    before = position.state()
    assert before["market"] == [1, 20, 42, 0, 41, None]
    assert before["piles"] == [[], [40], []]
    with pytest.raises(IllegalMove, match=reason):
        position.play(draft)
    assert position.state() == before
    with pytest.raises(IllegalMove, match="does not hold point card 20"):
        position.play(("pile", 1), flip=20)
    assert position.state() == before


def test_nothing_is_played_after_the_end() -> None:
    position = game([0], [1], [])
    position.play(("market", (0, 1)))
    with pytest.raises(IllegalMove, match="over"):
        position.play(("market", (0, 1)))


def test_the_start_seat_moves_first() -> None:
    position = NaiveGame(CARDS, [upto(0, 5), upto(20, 25), upto(40, 45)], 3, start=2)
    seats = []
    for _ in range(4):
        seats.append(position.seat)
        position.play(("market", (0, 1)))
    assert seats == [2, 0, 1, 2]


# ------------------------------------------------------------------------------------------ known bugs


def test_a_column_is_refilled_from_its_own_pile() -> None:
    for column, bottom in enumerate((0, 20, 40)):
        position = game(upto(0, 9), upto(20, 29), upto(40, 49))
        position.play(("market", (column, column + 3)))
        assert position.market[column::3] == [bottom + 7, bottom + 6]
        assert [len(pile) for pile in position.piles] == [6 if pile == column else 8 for pile in range(3)]
    position = game(upto(0, 9), upto(20, 29), upto(40, 49))
    position.play(("market", (1, 3)))
    assert position.market == [9, 27, 49, 7, 28, 48]


def test_no_slot_stays_empty_while_a_pile_can_give() -> None:
    position = game([0, 1, 2, 3], [20, 21], upto(40, 47))
    assert None not in position.market
    while any(len(pile) > 1 for pile in position.piles):
        position.play(("market", (1, 4)))
        assert None not in position.market


def test_every_move_may_hurt_and_the_game_ends_all_the_same() -> None:
    """Seat 0 holds 2/carrot, 1/pepper, -2/cabbage and only cabbages are left; it cannot pass."""
    position = game([8, 4, 5], [6, 7], [11, 12], flip="never")
    play_all(position, ("pile", 0), ("market", (1, 4)))
    assert position.scores()[0] == 0
    for draft in position.legal_drafts():
        future = deepcopy(position)
        future.play(draft)
        assert future.scores()[0] == -4
    with pytest.raises(IllegalMove, match="not a draft"):
        position.play(("pass",))
    play_all(position, ("market", (0, 3)), ("market", (2, 5)))
    assert position.over
    assert position.shares() == [NO, ONE]
