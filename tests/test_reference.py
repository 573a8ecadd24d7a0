"""The naive twin is right: worked examples, the scored tables, bugs of other programs, whole random games."""

import random
import re
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference import (
    CARDS_CSV,
    OFFICIAL,
    VEGETABLES,
    Card,
    Draft,
    IllegalMove,
    NaiveGame,
    NaiveRules,
    Table,
    card_value,
    load_cards,
    random_piles,
)

CARDS = load_cards()
BY_ID: dict[int, Card] = {card["id"]: card for card in CARDS}
CASES = Path(__file__).parent / "data" / "scoring_cases.npz"

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


def value(card: int, *tables: Table, rules: NaiveRules = OFFICIAL) -> int:
    """Worth of a card to the first of the tables."""
    return card_value(BY_ID[card], list(tables), 0, rules)


def game(*piles: list[int], players: int = 2, **rules: str) -> NaiveGame:
    return NaiveGame(CARDS, list(piles), players, NaiveRules(**rules))


def play_all(position: NaiveGame, *drafts: Draft) -> None:
    for draft in drafts:
        position.play(draft)


def upto(first: int, last: int) -> list[int]:
    """A pile of the cards from `first` (bottom) to `last` (top)."""
    return list(range(first, last + 1))


# ------------------------------------------------------------------------------------------- the cards


def test_there_are_108_cards_18_of_each_back() -> None:
    assert [card["id"] for card in CARDS] == list(range(108))
    assert Counter(card["back"] for card in CARDS) == dict.fromkeys(VEGETABLES, 18)


def test_the_terms_say_what_the_text_of_the_card_says() -> None:
    texts = [line.split(",", 3)[3] for line in CARDS_CSV.read_text(encoding="utf-8").splitlines()[1:]]
    read: Counter[str] = Counter()
    for card, rest in zip(CARDS, texts, strict=True):
        (term,) = card["terms"]
        text = rest.split('"')[1] if rest.startswith('"') else rest.split(",")[0]
        if term["kind"] == "per_veg":
            weights = {veg: int(points) for points, veg in re.findall(r"(-?\d+)/(\w+)", text)}
            assert term["weights"] == weights, text
        elif "+" in text:
            needs, points = text.split(" = ")
            assert term["weights"] == Counter(needs.split(" + ")), text
            assert term["points"] == int(points), text
        elif match := re.fullmatch(r"(\w+): even=(\d+), odd=(\d+)", text):
            assert term["weights"] == {match[1]: 1}, text
            assert (term["even"], term["odd"]) == (int(match[2]), int(match[3])), text
        elif match := re.fullmatch(r"(most|fewest) (\w+) = (\d+)", text):
            assert (term["kind"], term["weights"], term["points"]) == (match[1], {match[2]: 1}, int(match[3]))
        else:
            assert text in {
                "5/missing vegetable type",
                "5/vegetable type with at least 3",
                "3/vegetable type with at least 2",
                "most vegetables in total = 10",
                "fewest vegetables in total = 7",
                "12/complete set of all six",
            }
            assert term["points"] == int(re.findall(r"12|10|7|5|3", text)[0]), text
        read[term["kind"]] += 1
    assert read["per_veg"] == 48
    assert sum(read.values()) == 108


def test_all_scored_tables_agree() -> None:
    with np.load(CASES) as cases:
        players, counts, scores = (cases[name].tolist() for name in ("n_players", "counts", "scores"))
    assert len(players) == 3000
    for case, (n_players, rows, expected) in enumerate(zip(players, counts, scores, strict=True)):
        assert all(row == [-1] * 6 for row in rows[n_players:]), f"case {case}: absent players"
        tables = [dict(zip(VEGETABLES, row, strict=True)) for row in rows[:n_players]]
        assert [card_value(card, tables, 0) for card in CARDS] == expected, f"case {case}: {tables}"


EACH = dict.fromkeys(VEGETABLES, 1)
NOTHING: Table = {}


@pytest.mark.parametrize(
    ("card", "tables", "points"),
    [
        # 2/carrot, 2/onion, -4/pepper and 3/tomato, -1/carrot, -1/onion: may be negative
        (9, [{"carrot": 3, "onion": 1, "pepper": 1, "tomato": 5}, NOTHING], 4),
        (9, [{"pepper": 2}, NOTHING], -8),
        (64, [{"tomato": 1, "carrot": 2, "onion": 2}, NOTHING], -1),
        # carrot: even=7, odd=3
        (1, [{"carrot": 1}, NOTHING], 3),
        (1, [{"carrot": 4}, NOTHING], 7),
        (1, [{"cabbage": 4}, NOTHING], 0),
        # most carrot = 10: alone, tied, all at zero, beaten
        (2, [{"carrot": 2}, {"carrot": 1}], 10),
        (2, [{"carrot": 2}, {"carrot": 2}, {"carrot": 1}], 10),
        (2, [{"onion": 1}, {"onion": 2}], 10),
        (2, [{"carrot": 2}, NOTHING, {"carrot": 3}], 0),
        # fewest carrot = 7: zero counts, ties count
        (3, [NOTHING, {"carrot": 1}], 7),
        (3, [{"carrot": 1}, {"carrot": 1}, {"carrot": 2}], 7),
        (3, [{"carrot": 1}, {"carrot": 4}, NOTHING], 0),
        # most vegetables in total = 10, fewest = 7: of any kind
        (72, [{"carrot": 1, "onion": 2}, {"pepper": 3}], 10),
        (72, [{"carrot": 1, "onion": 1}, {"pepper": 3}], 0),
        (36, [{"carrot": 1, "onion": 2}, {"pepper": 3}], 7),
        (36, [{"carrot": 1, "onion": 3}, {"pepper": 3}], 0),
        # carrot + carrot = 5, carrot + carrot + carrot = 8
        (12, [{"carrot": 5}, NOTHING], 10),
        (12, [{"carrot": 1}, NOTHING], 0),
        (15, [{"carrot": 5}, NOTHING], 8),
        (15, [{"carrot": 6}, NOTHING], 16),
        # lettuce + onion = 5, cabbage + carrot + tomato = 8
        (13, [{"lettuce": 3, "onion": 2}, NOTHING], 10),
        (13, [{"lettuce": 3}, NOTHING], 0),
        (16, [{"cabbage": 3, "carrot": 2, "tomato": 4}, NOTHING], 16),
        (16, [{"cabbage": 3, "carrot": 2}, NOTHING], 0),
        # 12/complete set of all six
        (90, [EACH, NOTHING], 12),
        (90, [{veg: 2 for veg in VEGETABLES} | {"onion": 3}, NOTHING], 24),
        (90, [EACH | {"onion": 0}, NOTHING], 0),
        # 5/missing type, 5/type with at least 3, 3/type with at least 2
        (0, [NOTHING, EACH], 30),
        (0, [{"carrot": 9, "onion": 1}, NOTHING], 20),
        (0, [EACH, NOTHING], 0),
        (18, [{"carrot": 3, "onion": 7, "pepper": 2}, NOTHING], 10),
        (54, [{"carrot": 3, "onion": 2, "pepper": 1}, NOTHING], 6),
    ],
)
def test_worked_examples_of_each_kind(card: int, tables: list[Table], points: int) -> None:
    assert value(card, *tables) == points


@pytest.mark.parametrize(("zero", "points"), [("nothing", 0), ("even", 7), ("odd", 3)])
def test_zero_on_an_even_odd_card(zero: str, points: int) -> None:
    rules = NaiveRules(zero=zero)
    assert value(1, {"onion": 2}, EACH, rules=rules) == points
    assert value(1, {"carrot": 2}, EACH, rules=rules) == 7
    assert value(1, {"carrot": 3}, EACH, rules=rules) == 3


@pytest.mark.parametrize(
    ("sets", "complete", "pair", "triple", "two", "three"),
    [("repeat", 84, 15, 16, 35, 56), ("once", 12, 5, 8, 5, 8), ("complete-once", 12, 15, 16, 35, 56)],
)
def test_how_often_sets_score(sets: str, complete: int, pair: int, triple: int, two: int, three: int) -> None:
    seven = dict.fromkeys(VEGETABLES, 7)
    values = [value(card, seven, EACH, rules=NaiveRules(sets=sets)) for card in (90, 12, 15, 13, 16)]
    assert values == [complete, pair, triple, two, three]
    nothing = [value(card, NOTHING, EACH, rules=NaiveRules(sets=sets)) for card in (90, 12, 15, 13, 16)]
    assert nothing == [0] * 5


def test_terms_of_a_card_add(tmp_path: Path) -> None:
    head = CARDS_CSV.read_text(encoding="utf-8").splitlines()[0]
    file = tmp_path / "cards.csv"
    rows = ["7,onion,per_veg,a,0,2,0,0,0,-1,0,0,0", "7,onion,set,b,0,1,0,2,0,0,9,0,0"]
    rows += ["8,carrot,type_at_least_4,c,0,0,0,0,0,0,6,0,0"]
    file.write_text("\n".join([head, *rows]), encoding="utf-8")
    both, at_least = load_cards(file)
    assert (both["id"], both["back"], len(both["terms"])) == (7, "onion", 2)
    assert card_value(both, [{"carrot": 3, "tomato": 1, "onion": 5}], 0) == 6 - 1 + 9 + 9
    assert card_value(at_least, [{"carrot": 3, "tomato": 4, "onion": 5}], 0) == 12
    file.write_text("\n".join([head, rows[0], rows[1].replace("onion", "tomato")]), encoding="utf-8")
    with pytest.raises(ValueError, match="two backs"):
        load_cards(file)


def test_unknown_things_are_refused() -> None:
    with pytest.raises(ValueError, match="split='sideways'"):
        NaiveRules(split="sideways")
    with pytest.raises(ValueError, match="needs split_choices"):
        NaiveGame(CARDS, [[0], [1], [2]], 2, NaiveRules(split_tie="random"))
    with pytest.raises(ValueError, match="different"):
        NaiveGame(CARDS, [[0], [1], [1]], 2)
    term = {"kind": "prettiest", "weights": {}, "points": 1, "even": 0, "odd": 0}
    with pytest.raises(ValueError, match="prettiest"):
        card_value({"id": 0, "back": "onion", "terms": [term]}, [{}], 0)


# -------------------------------------------------------------------------------------- a game by hand


def test_a_whole_small_game_by_hand() -> None:
    position = game(upto(0, 3), upto(20, 23), upto(40, 43))
    assert position.piles == [[0, 1], [20, 21], [40, 41]]
    assert position.market == [3, 23, 43, 2, 22, 42]
    assert position.seen == {1, 2, 3, 21, 22, 23, 41, 42, 43}

    position.play(
        ("market", (0, 3))
    )  # pile 0 fills both slots and is empty: pile 1, first of the equals, gives
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
    assert position.legal_drafts() == [
        ("market", (i, j)) for i in (0, 2, 3, 4, 5) for j in (2, 3, 4, 5) if i < j
    ]


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


# -------------------------------------------------------------------------------------------- who wins


def tied_game(players: int, size: int, start: int = 0) -> NaiveGame:
    """Every seat takes two vegetables whenever it moves, nobody has a point card: all totals are zero."""
    deck = upto(0, size - 1)
    position = NaiveGame(CARDS, [deck[:-4], deck[-4:-2], deck[-2:]], players, start=start)
    while not position.over:
        position.play(next(draft for draft in position.legal_drafts() if draft[0] == "market"))
    return position


def share(position: NaiveGame, tie_break: str) -> list[Fraction]:
    return position.shares(replace(OFFICIAL, tie_break=tie_break))


ONE, NO, HALF = Fraction(1), Fraction(0), Fraction(1, 2)


def test_a_game_that_ends_in_mid_round_tells_last_turn_from_later() -> None:
    position = tied_game(players=3, size=10)
    assert (position.turn, position.scores()) == (5, [0, 0, 0])  # seats 0 1 2 0 1
    assert position.shares() == [NO, NO, ONE]
    assert share(position, "later") == [NO, NO, ONE]
    assert share(position, "last-turn") == [NO, ONE, NO]
    assert share(position, "earlier") == [ONE, NO, NO]
    assert share(position, "fewer-cards") == [NO, NO, ONE]
    assert share(position, "shared") == [Fraction(1, 3)] * 3


def test_a_game_that_ends_with_a_full_round_does_not() -> None:
    position = tied_game(players=3, size=12)
    assert position.turn == 6
    assert share(position, "later") == share(position, "last-turn") == [NO, NO, ONE]


def test_ties_go_by_turn_order_from_the_start_seat() -> None:
    position = tied_game(players=3, size=10, start=1)  # seats 1 2 0 1 2
    assert share(position, "later") == [ONE, NO, NO]
    assert share(position, "last-turn") == [NO, NO, ONE]
    assert share(position, "earlier") == [NO, ONE, NO]
    assert share(position, "fewer-cards") == [ONE, NO, NO]


def test_only_the_best_totals_are_tied() -> None:
    position = tied_game(players=3, size=10)
    position.bonus = [4, 4, 3]
    assert position.scores() == [4, 4, 3]
    assert share(position, "later") == share(position, "last-turn") == [NO, ONE, NO]
    assert share(position, "shared") == [HALF, HALF, NO]
    position.bonus = [4, 1, 4]
    assert share(position, "last-turn") == [ONE, NO, NO]
    assert share(position, "later") == [NO, NO, ONE]
    position.bonus = [1, 9, 8]
    for tie_break in ("later", "earlier", "last-turn", "fewer-cards", "shared"):
        assert share(position, tie_break) == [NO, ONE, NO]


def test_fewer_cards_counts_the_point_cards_kept() -> None:
    position = NaiveGame(CARDS, [upto(0, 5), upto(20, 25), upto(40, 45)], 3)
    play_all(
        position, ("pile", 0), ("market", (1, 4)), ("pile", 0), ("market", (0, 1)), ("pile", 2), ("pile", 2)
    )
    assert [len(hand) for hand in position.hands] == [1, 1, 2]
    scores = position.scores()
    position.bonus = [10 - score for score in scores]
    assert position.scores() == [10, 10, 10]
    assert share(position, "fewer-cards") == [NO, ONE, NO]  # of the two with one card, the later
    assert share(position, "later") == [NO, NO, ONE]


def test_the_bonus_counts_and_scores_follow_the_rules_given() -> None:
    position = NaiveGame(CARDS, [[0, 10, 4, 5, 6, 7], upto(20, 22), [50, 1, 40, 41]], 2, bonus=[5, 20])
    assert position.piles == [[0, 10, 4, 5], [20], [50, 1]]
    play_all(position, ("pile", 2), ("market", (0, 3)), ("market", (1, 4)), ("pile", 0))
    # seat 0: card 1 (carrot: even=7, odd=3) with two carrots; seat 1: a card worth nothing to two cabbages
    assert position.hands[0] == [1]
    assert position.tables()[0]["carrot"] == 2
    assert position.scores()[0] == 5 + 7
    assert position.tables()[1] == dict.fromkeys(VEGETABLES, 0) | {"cabbage": 2}
    assert position.hands[1] == [10]  # 3/carrot, -1/cabbage, -1/pepper
    assert position.scores()[1] == 20 - 2


def test_rules_given_to_scores_replace_those_of_the_game() -> None:
    position = game([1, 4, 5], [20], [40])
    position.play(("pile", 0))
    position.play(("market", (1, 2)))
    assert position.hands[0] == [1]
    assert position.scores() == [0, 0]
    assert position.scores(NaiveRules(zero="even")) == [7, 0]
    assert position.shares() == [NO, ONE]
    assert position.shares(NaiveRules(zero="even")) == [ONE, NO]


# ------------------------------------------------------------------------------------------ known bugs


def test_fewest_pays_7_and_not_10() -> None:
    fewest = [3, 21, 39, 57, 75, 93, 36]
    assert [value(card, NOTHING, EACH) for card in fewest] == [7] * 7


def test_most_total_pays_10_and_not_3_though_a_player_is_among_all() -> None:
    assert value(72, {"onion": 3}, EACH | {"onion": 0, "tomato": 0, "pepper": 0, "lettuce": 0}) == 10
    assert value(72, {"onion": 6}, EACH) == 10  # tied


def test_types_with_at_least_two_pay_3_and_not_5() -> None:
    assert value(54, {"onion": 2}, NOTHING) == 3
    assert value(18, {"onion": 3}, NOTHING) == 5


def test_every_card_is_about_the_vegetables_its_text_names() -> None:
    """A card about cabbage, say, answers to the number of cabbages, and to nothing else."""
    texts = [line.split(",", 3)[3] for line in CARDS_CSV.read_text(encoding="utf-8").splitlines()[1:]]
    base = dict.fromkeys(VEGETABLES, 3)
    for card, text in enumerate(texts):
        named = {veg for veg in VEGETABLES if veg in text} or set(VEGETABLES)
        answers = {
            veg for veg in VEGETABLES if len({value(card, base | {veg: n}, base, base) for n in range(7)}) > 1
        }
        assert answers == named, f"card {card}: {text}"


def test_card_65_takes_two_for_a_cabbage() -> None:
    assert value(65, {"tomato": 1, "cabbage": 1}, NOTHING) == 4 - 2


def test_a_column_is_refilled_from_its_own_pile() -> None:
    for column, bottom in enumerate((0, 20, 40)):
        position = game(upto(0, 9), upto(20, 29), upto(40, 49))
        position.play(("market", (column, column + 3)))
        assert position.market[column::3] == [bottom + 7, bottom + 6]
        assert [len(pile) for pile in position.piles] == [6 if pile == column else 8 for pile in range(3)]
    position = game(upto(0, 9), upto(20, 29), upto(40, 49))
    position.play(("market", (1, 3)))
    assert position.market == [9, 27, 49, 7, 28, 48]


def test_odd_counts_score() -> None:
    assert [value(1, {"carrot": n}, NOTHING) for n in range(1, 8)] == [3, 7, 3, 7, 3, 7, 3]


def test_no_slot_stays_empty_while_a_pile_can_give() -> None:
    position = game([0, 1, 2, 3], [20, 21], upto(40, 47))
    assert None not in position.market
    while any(len(pile) > 1 for pile in position.piles):
        position.play(("market", (1, 4)))
        assert None not in position.market


def test_there_is_a_winner_when_no_total_is_above_zero() -> None:
    position = tied_game(players=3, size=10)
    position.bonus = [-7, -3, -5]
    for tie_break in ("later", "earlier", "last-turn", "fewer-cards", "shared"):
        assert share(position, tie_break) == [NO, ONE, NO]


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


# ---------------------------------------------------------------------------------- whole random games


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
        assert sum(card is not None for card in position.market) >= 2, (
            "so a single vegetable is the last card"
        )


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

        def new_game(
            deal: list[list[int]] = deal, choices: list[int] = choices, start: int = start
        ) -> NaiveGame:
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
