"""Card files and card sets made in Python: what is read, what is written, and that both agree."""

from __future__ import annotations

import io
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from salad_sim.errors import InputError
from salad_sim.game.card_file import as_card_set, card_file_lines, parse_card_file, read_card_file
from salad_sim.game.card_kinds import KINDS, LISTED, MOST_POINTS, VEGETABLES, WEIGHT_COLUMNS, card_text
from salad_sim.game.cards import (
    CABBAGE,
    CARROT,
    COLUMNS,
    LETTUCE,
    ONION,
    TOMATO,
    Card,
    CardSet,
    official_cards,
    official_set,
)
from support.card_files import EVEN_ONIONS, LABELS, MOST_LETTUCE, PLAIN, TWO_FOR_CARROTS, Row, read, text_of
from support.playing import STEADY

# ------------------------------------------------------------------------------------------- the official file


def test_the_official_set_is_written_as_it_came() -> None:
    text = resources.files("salad_sim").joinpath("game/data/cards.csv").read_text(encoding="utf-8")
    assert "\n".join(card_file_lines(official_set())) + "\n" == text
    assert parse_card_file(text, "copy.csv") == official_set()
    assert parse_card_file(text, "copy.csv").is_official


def test_the_words_of_the_program_are_those_of_the_cards() -> None:
    assert [card_text(card) for card in official_cards()] == [card.text for card in official_cards()]


def test_one_other_number_is_another_set() -> None:
    cards = [replace(card, points=11) if card.text == "most carrot = 10" else card for card in official_cards()]
    assert not CardSet(tuple(cards), source="official").is_official


# ------------------------------------------------------------------------------------------- rows


def test_a_row_is_a_card() -> None:
    first, second = read(TWO_FOR_CARROTS, MOST_LETTUCE)
    assert first == Card(0, ONION, "per_veg", "2/carrot", (0, 2, 0, 0, 0, 0))
    assert second == Card(1, TOMATO, "most", "most lettuce = 10", (0, 0, 1, 0, 0, 0), 10)


def test_columns_may_stand_in_any_order_and_some_may_be_missing() -> None:
    columns = [name for name in reversed(COLUMNS) if name not in ("card_id", "text")]
    assert read(TWO_FOR_CARROTS, EVEN_ONIONS, columns=columns) == read(TWO_FOR_CARROTS, EVEN_ONIONS)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("\n", "\r"),
        PLAIN.replace("\n", "\n\n \n") + "\n\n",
        PLAIN.replace("\n", "\n,,,,\n"),
        PLAIN.replace(",", " , "),
        PLAIN.replace("\n", ",,,\n"),
        PLAIN.replace(",2,", ",2.0,").replace(",10,", ",+10.,"),
        PLAIN.replace("queen of salad", ' "queen of salad" '),
        PLAIN.replace("queen of salad", "queen  of\tsalad"),
        PLAIN.replace("per_veg", "Per_Veg").replace("w_carrot", "W_Carrot").replace("onion,", "ONION,"),
        "# made by me\n#label\n" + PLAIN.replace("\n", "\n# two cards, of which one\n#\n"),
        "#label cabbage = cabbage\n".replace("label", "labels") + PLAIN,
        PLAIN.replace(",,,,,,,", ",0,,,0.0,,,"),
    ],
    ids=range(13),
)
def test_what_spreadsheets_do_to_a_file_does_no_harm(text: str) -> None:
    if "#label\n" in text:
        text = text.replace("#label\n", "")
    assert parse_card_file(text, "my.csv") == parse_card_file(PLAIN, "my.csv")


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "my.csv"
    file.write_text(PLAIN, encoding="utf-8-sig")
    assert read_card_file(file) == parse_card_file(PLAIN, "")
    assert read_card_file(file).source == str(file)


def test_quotes_hold_commas_and_quotes() -> None:
    (card,) = read({**TWO_FOR_CARROTS, "text": '"two, ""or"" more"'})
    assert card.text == 'two, "or" more'


def test_what_is_written_holds_no_comment_by_mistake() -> None:
    lines = card_file_lines(read({**TWO_FOR_CARROTS, "text": "the #1 of carrots"}))
    assert pd.read_csv(io.StringIO("\n".join(lines)), comment="#")["text"].tolist() == ["the #1 of carrots"]


# ------------------------------------------------------------------------------------------- terms, ids and copies


def test_rows_of_one_id_are_terms_of_one_card() -> None:
    other = {**EVEN_ONIONS, "card_id": 8}
    cards = read({**TWO_FOR_CARROTS, "card_id": 7}, other, {**MOST_LETTUCE, "back": "onion", "card_id": 7})
    assert [card.back for card in cards] == [ONION, CABBAGE]
    assert [term.kind for term in cards[0].terms] == ["per_veg", "most"]
    assert [len(card.terms) for card in cards] == [2, 1]
    assert cards[0].text == "2/carrot; most lettuce = 10"


def test_a_row_without_id_and_back_is_a_term_of_the_card_above() -> None:
    more = {**MOST_LETTUCE, "back": ""}
    without_ids = read(TWO_FOR_CARROTS, more, EVEN_ONIONS)
    with_ids = read({**TWO_FOR_CARROTS, "card_id": 1}, more, {**EVEN_ONIONS, "card_id": 2})
    back_once = read({**TWO_FOR_CARROTS, "card_id": 1}, {**EVEN_ONIONS, "card_id": 2}, {**more, "card_id": 1})
    assert without_ids == with_ids == back_once
    assert [len(card.terms) for card in without_ids] == [2, 1]
    columns = [name for name in COLUMNS if name != "card_id"]
    assert read(TWO_FOR_CARROTS, more, EVEN_ONIONS, columns=columns) == without_ids


def test_without_ids_equal_rows_are_different_cards() -> None:
    assert [card.card_id for card in read(TWO_FOR_CARROTS, TWO_FOR_CARROTS)] == [0, 1]


def test_cards_are_numbered_in_the_order_of_their_ids() -> None:
    ids = [5, 0, 12]
    cards = read(*({**TWO_FOR_CARROTS, "w_carrot": number + 1, "card_id": number} for number in ids))
    assert [(card.card_id, card.weights[CARROT]) for card in cards] == [(0, 1), (1, 6), (2, 13)]


def test_each_copy_is_a_card_of_its_own() -> None:
    columns = (*COLUMNS, "copies")
    more = {**MOST_LETTUCE, "back": ""}
    cards = read({**TWO_FOR_CARROTS, "copies": 3}, more, EVEN_ONIONS, {**EVEN_ONIONS, "copies": 0}, columns=columns)
    assert [card.card_id for card in cards] == [0, 1, 2, 3]
    assert [len(card.terms) for card in cards] == [2, 2, 2, 1]
    assert len({replace(card, card_id=0, more=()) for card in cards[:3]}) == 1
    later = read(TWO_FOR_CARROTS, {**more, "copies": 3}, EVEN_ONIONS, columns=columns)
    assert later == cards


# ------------------------------------------------------------------------------------------- words


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"kind": "per_veg", "w_carrot": -1, "w_onion": 3, "w_tomato": 3}, "3/onion, 3/tomato, -1/carrot"),
        ({"kind": "set", "w_carrot": 2, "w_onion": 1, "points": 9}, "carrot + carrot + onion = 9"),
        ({"kind": "set", "w_carrot": 6, "w_onion": 1, "points": -9}, "6 carrot + 1 onion = -9"),
        ({"kind": "type_at_least_12", "points": 4}, "4/vegetable type with at least 12"),
        ({"kind": "even_odd", "w_onion": 1, "even_points": -3, "odd_points": 8}, "onion: even=-3, odd=8"),
    ],
)
def test_a_card_without_a_text_gets_one(row: Row, text: str) -> None:
    assert read({"back": "onion", **row})[0].text == text


def test_the_texts_of_the_terms_are_put_together() -> None:
    ids = {"card_id": 0, "back": "onion"}
    first, second = {**TWO_FOR_CARROTS, **ids}, {**MOST_LETTUCE, **ids}
    assert read({**first, "text": "both"}, second)[0].text == "both"
    assert read(first, {**second, "text": "both"})[0].text == "both"
    assert read({**first, "text": "one"}, {**second, "text": "two"})[0].text == "one; two"
    assert read(first, second)[0].text == "2/carrot; most lettuce = 10"


def test_vegetables_can_have_other_labels() -> None:
    cards = parse_card_file(LABELS + text_of([{**MOST_LETTUCE, "back": "olive"}, EVEN_ONIONS]), "my.csv")
    assert cards.labels == ("olive", "carrot", "Grüner Salat", "onion", "pepper", "tomato")
    assert [card.back for card in cards] == [CABBAGE, CABBAGE]
    assert cards[0].text == "most Grüner Salat = 10"
    lines = card_file_lines(cards)
    assert lines[:2] == ["# label cabbage = olive", "# label lettuce = Grüner Salat"]
    assert lines[3].startswith("0,olive,most,most Grüner Salat = 10,0,0,1")


def test_a_label_is_good_for_a_column_too() -> None:
    row = {"back": "onion", "kind": "per_veg", "w_OLIVE": 2, "w_Grüner Salat": 1}
    columns = [{"w_cabbage": "w_OLIVE", "w_lettuce": "w_Grüner Salat"}.get(name, name) for name in COLUMNS]
    (card,) = parse_card_file(LABELS + text_of([row], columns), "my.csv")
    assert card.weights == (2, 0, 1, 0, 0, 0)
    assert card.text == "2/olive, 1/Grüner Salat"


def test_texts_of_the_program_follow_a_label_and_own_texts_do_not() -> None:
    told = {**MOST_LETTUCE, "text": "most lettuce = 10"}
    own = {**MOST_LETTUCE, "text": "lettuce!"}
    cards = parse_card_file(LABELS + text_of([told, own]), "my.csv")
    assert [card.text for card in cards] == ["most Grüner Salat = 10", "lettuce!"]
    official = parse_card_file(LABELS + "\n".join(card_file_lines(official_set())), "my.csv")
    assert not any("cabbage" in card.text or "lettuce" in card.text for card in official)
    assert not official.is_official


def test_decomposed_letters_are_composed() -> None:
    cards = parse_card_file("# label carrot = Mo\u0308hre\n" + text_of([TWO_FOR_CARROTS]), "my.csv")
    assert cards[0].text == "2/M\u00f6hre"


# ------------------------------------------------------------------------------------------- there and back


def terms() -> st.SearchStrategy[Row]:
    """Rows of every kind, without back."""
    points = st.integers(-MOST_POINTS, MOST_POINTS)
    vegs = st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True)

    def weighted(
        kind: str, numbers: st.SearchStrategy[int], chosen: st.SearchStrategy[list[int]]
    ) -> st.SearchStrategy[Row]:
        given = chosen.flatmap(
            lambda some: st.tuples(*(st.tuples(st.just(WEIGHT_COLUMNS[veg]), numbers) for veg in some))
        )
        own = {} if kind == "per_veg" else {"points": points}
        if kind == "even_odd":
            own = {"even_points": points, "odd_points": points}
        return st.builds(
            lambda weights, more: {"kind": kind, **dict(weights), **more}, given, st.fixed_dictionaries(own)
        )

    def some(number: int) -> st.SearchStrategy[list[int]]:
        return st.lists(st.integers(0, 5), min_size=number, max_size=number, unique=True)

    thresholds = st.integers(1, MOST_POINTS).map(lambda least: f"type_at_least_{least}")
    plain = st.one_of(thresholds, st.sampled_from(["missing_type", "most_total", "fewest_total"]))
    shapes = {"pair": (1, 2), "triple": (1, 3), "combo2": (2, 1), "combo3": (3, 1), "complete_set": (6, 1)}
    shapes |= {"most": (1, 1), "fewest": (1, 1), "even_odd": (1, 1)}
    return st.one_of(
        weighted("per_veg", points.filter(bool), vegs),
        weighted("set", st.integers(1, MOST_POINTS), vegs),
        *(weighted(kind, st.just(weight), some(number)) for kind, (number, weight) in shapes.items()),
        st.builds(lambda kind, worth: {"kind": kind, "points": worth}, plain, points),
    )


TEXTS = st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" ,\"#;'"), max_size=30)
BACKS = st.integers(0, 5)
LETTERS = st.text("abcxyzäöü", min_size=1, max_size=8).map(lambda name: f"x{name}")
ALL_LABELS = st.tuples(*(st.one_of(st.just(name), LETTERS) for name in VEGETABLES)).filter(
    lambda names: len({name.casefold() for name in names}) == 6
)


@st.composite
def card_files(draw: st.DrawFn) -> str:
    """Whole files: cards of up to three terms, some with copies, texts and labels."""
    labels = draw(ALL_LABELS)
    lines = [f"# label {name} = {label}" for name, label in zip(VEGETABLES, labels, strict=True) if name != label]
    rows: list[Row] = []
    for card_id in draw(st.lists(st.integers(0, 999), min_size=1, max_size=6, unique=True)):
        back, copies = labels[draw(BACKS)], draw(st.sampled_from(["", 1, 2, 5]))
        for term in draw(st.lists(terms(), min_size=1, max_size=3, unique_by=repr)):
            text = draw(st.one_of(st.just(""), TEXTS)).replace('"', '""')
            rows.append({"card_id": card_id, "back": back, "copies": copies, "text": f'"{text}"', **term})
    return "\n".join([*lines, text_of(rows, (*COLUMNS, "copies"))])


@STEADY
@given(card_files())
def test_what_is_written_reads_back_as_the_same_set(text: str) -> None:
    cards = parse_card_file(text, "my.csv")
    lines = card_file_lines(cards)
    again = parse_card_file("\n".join(lines), "again.csv")
    assert again == cards
    assert card_file_lines(again) == lines
    frame = pd.read_csv(io.StringIO("\n".join(lines)), comment="#", keep_default_na=False)
    assert list(frame) == list(COLUMNS)
    assert frame["text"][~frame["card_id"].duplicated()].astype(str).tolist() == [card.text for card in cards]


# ------------------------------------------------------------------------------------------- sets made in Python


def test_a_card_set_can_be_made_in_python() -> None:
    cards = (
        Card(0, ONION, "per_veg", "", (0, 2, 0, 0, 0, 0)),
        Card(1, LETTUCE, "pair", "twins", (0, 2, 0, 0, 0, 0), 4),
    )
    checked = as_card_set(CardSet(cards))
    assert [card.text for card in checked] == ["2/carrot", "twins"]
    assert as_card_set(None) is official_set()
    with pytest.raises(InputError, match="cards must be a card file or a CardSet, not list"):
        as_card_set([*cards])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([Card(1, ONION, "per_veg", "", (0, 2, 0, 0, 0, 0))], "ids of the cards must be 0, 1, 2"),
        ([], "1 to 1296 cards"),
        ([Card(0, 6, "per_veg", "", (0, 2, 0, 0, 0, 0))], "card 0, column back: a vegetable 0..5 is needed, not 6"),
        ([Card(0, ONION, "pairs", "", (0, 2, 0, 0, 0, 0))], "card 0, column kind: unknown kind 'pairs'"),
        ([Card(0, ONION, "pair", "", (0, 2, 0))], "card 0: 6 weights are needed, not 3"),
        ([Card(0, ONION, "pair", "", (0, 2, 1, 0, 0, 0), 5)], "card 0, column w_lettuce: kind pair takes 2 at 1"),
        ([Card(0, ONION, "pair", "", (0, 2, 0, 0, 0, 0), 1000)], "card 0, column points: -999 to 999 are allowed"),
    ],
)
def test_a_card_set_that_makes_no_sense_is_refused(cards: list[Card], message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_card_set(CardSet(tuple(cards)))


def test_a_further_term_is_checked_too() -> None:
    bad = Card(0, ONION, "most", "", (1, 1, 0, 0, 0, 0), 5)
    with pytest.raises(InputError, match="card 0, column w_carrot: kind most"):
        as_card_set(CardSet((Card(0, ONION, "per_veg", "", (0, 2, 0, 0, 0, 0), more=(bad,)),)))


def test_labels_are_six_and_differ() -> None:
    cards = (Card(0, ONION, "per_veg", "", (0, 2, 0, 0, 0, 0)),)
    with pytest.raises(InputError, match="6 different labels"):
        CardSet(cards, ("a", "b", "c", "d", "e", "A"))


def test_kinds_are_listed_for_people() -> None:
    assert len(LISTED) < 20
    assert {"set", "per_veg", "most"} < set(LISTED) & set(KINDS)
