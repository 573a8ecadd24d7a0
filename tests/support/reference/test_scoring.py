"""The naive twin counts points right: worked examples, the scored tables, and bugs of other programs."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from support.naive_games import BY_ID, CARDS
from support.places import DATA
from support.reference.game import CARDS_CSV, OFFICIAL, VEGETABLES, NaiveGame, NaiveRules, Table, card_value, load_cards

CASES = DATA / "scoring_cases.npz"

EACH = dict.fromkeys(VEGETABLES, 1)
NOTHING: Table = {}


def value(card: int, *tables: Table, rules: NaiveRules = OFFICIAL) -> int:
    """Worth of a card to the first of the tables."""
    return card_value(BY_ID[card], list(tables), 0, rules)


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
        answers = {veg for veg in VEGETABLES if len({value(card, base | {veg: n}, base, base) for n in range(7)}) > 1}
        assert answers == named, f"card {card}: {text}"


def test_card_65_takes_two_for_a_cabbage() -> None:
    assert value(65, {"tomato": 1, "cabbage": 1}, NOTHING) == 4 - 2


def test_odd_counts_score() -> None:
    assert [value(1, {"carrot": n}, NOTHING) for n in range(1, 8)] == [3, 7, 3, 7, 3, 7, 3]
