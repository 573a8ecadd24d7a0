"""Card files that are refused: bad rows, bad files, and what is no card file, each with its place in the words."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from salad_sim.errors import InputError
from salad_sim.game.card_file import parse_card_file, read_card_file
from salad_sim.game.cards import COLUMNS, MOST_TERMS
from support.card_files import EVEN_ONIONS, LABELS, MOST_LETTUCE, PLAIN, TWO_FOR_CARROTS, Row, read, text_of


def refusal(text: str) -> str:
    """The message with which the text of a card file is refused."""
    with pytest.raises(InputError) as caught:
        parse_card_file(text, "my.csv")
    message = str(caught.value)
    assert len(message.splitlines()) == 1
    assert len(message) < 500
    return message


# ---------------------------------------------------------------------------------------- a bad row


@pytest.mark.parametrize(
    ("change", "column", "said"),
    [
        ({"kind": "pairs"}, "kind", "unknown kind 'pairs' (did you mean 'pair'?); allowed: per_veg, pair"),
        ({"kind": ""}, "kind", "unknown kind ''; allowed"),
        ({"kind": "type_at_least_0"}, "kind", "type_at_least_1 .. type_at_least_999"),
        ({"kind": "type_at_least_1000"}, "kind", "unknown kind"),
        ({"kind": "x" * 5000}, "kind", "unknown kind"),
        ({"back": "tomatoe"}, "back", "unknown vegetable 'tomatoe' (did you mean 'tomato'?); allowed: cabbage"),
        ({"back": ""}, "back", "unknown vegetable ''"),
        ({"points": "five"}, "points", "a whole number from -999 to 999 is needed, not 'five'"),
        ({"points": ""}, "points", "not ''"),
        ({"points": "1.5"}, "points", "not '1.5'"),
        ({"points": "1e3"}, "points", "not '1e3'"),
        ({"points": "1000"}, "points", "not '1000'"),
        ({"points": "-1000"}, "points", "not '-1000'"),
        ({"points": "9" * 5000}, "points", "not '9999"),
        ({"points": "nan"}, "points", "not 'nan'"),
        ({"points": "１"}, "points", "not '１'"),
        ({"w_lettuce": "1_0"}, "w_lettuce", "not '1_0'"),
        (
            {"even_points": "3"},
            "even_points",
            "kind most has its points in points, so 0 or nothing is allowed here, not 3",
        ),
        ({"w_onion": 1}, "w_onion", "takes 1 at 1 of the vegetables and 0 at the others, not w_lettuce=1, w_onion=1"),
        (
            {"w_lettuce": 2},
            "w_lettuce",
            "kind most takes 1 at 1 of the vegetables and 0 at the others, not w_lettuce=2",
        ),
        ({"w_lettuce": 0}, "w_cabbage to w_tomato", "not only zeros"),
        ({"kind": "even_odd", "points": 0, "even_points": 1}, "odd_points", "not ''"),
        (
            {"kind": "even_odd", "even_points": 1, "odd_points": 1},
            "points",
            "has its points in even_points and odd_points",
        ),
        ({"kind": "per_veg"}, "points", "kind per_veg has its points in the w_ columns"),
        (
            {"kind": "per_veg", "points": 0, "w_lettuce": 0},
            "w_cabbage to w_tomato",
            "points for at least one vegetable",
        ),
        ({"kind": "set", "w_lettuce": 0}, "w_cabbage to w_tomato", "how many of each vegetable it needs"),
        ({"kind": "set", "w_onion": -1}, "w_onion", "1 or more of at least one, not w_lettuce=1, w_onion=-1"),
        (
            {"kind": "pair"},
            "w_lettuce",
            "2 at 1 of the vegetables and 0 at the others, not w_lettuce=1; other sets are of",
        ),
        ({"kind": "combo2"}, "w_cabbage to w_tomato", "takes 1 at 2 of the vegetables"),
        ({"kind": "combo2", "w_onion": 2}, "w_onion", "takes 1 at 2 of the vegetables"),
        ({"kind": "complete_set"}, "w_cabbage to w_tomato", "takes 1 at 6 of the vegetables"),
        ({"kind": "missing_type"}, "w_lettuce", "kind missing_type takes 0 at every vegetable, not w_lettuce=1"),
        ({"kind": "most_total"}, "w_lettuce", "takes 0 at every vegetable"),
        ({"copies": -1}, "copies", "a whole number from 0 to 999 is needed, not '-1'"),
        ({"copies": 1000}, "copies", "not '1000'"),
        ({"copies": "many"}, "copies", "not 'many'"),
        ({"card_id": -1}, "card_id", "a whole number from 0 to 999999 is needed, not '-1'"),
        ({"card_id": "A1"}, "card_id", "not 'A1'"),
        ({"text": "x" * 201}, "text", "up to 200 printable signs"),
        ({"text": "a\x1b[31m"}, "text", "printable signs, not 'a\\x1b[31m'"),
    ],
)
def test_a_bad_row_is_refused_with_its_place_and_what_is_allowed(change: Row, column: str, said: str) -> None:
    row = {"card_id": 4, **MOST_LETTUCE}
    columns = (*COLUMNS, "copies")
    read(row, columns=columns)
    message = refusal("# a comment\n\n" + text_of([{**TWO_FOR_CARROTS, "card_id": 3}, {**row, **change}], columns))
    assert message.startswith(f"my.csv, line 5, column {column}: ")
    assert said in message


def test_two_backs_of_one_id_are_refused() -> None:
    rows = [{**TWO_FOR_CARROTS, "card_id": 3}, {**MOST_LETTUCE, "card_id": 3}]
    message = refusal(LABELS + text_of(rows))
    assert message.startswith("my.csv, line 5, column back: card 3 has the back onion in line 4, so not 'tomato' here")


def test_a_repeated_row_is_refused() -> None:
    row = {**TWO_FOR_CARROTS, "card_id": 3}
    message = refusal(text_of([row, {**row, "text": "again"}]))
    assert message.startswith("my.csv, line 3, column card_id: the row repeats line 2")
    assert "copies" in message


def test_two_numbers_of_copies_are_refused() -> None:
    rows = [{**TWO_FOR_CARROTS, "copies": 2}, {**MOST_LETTUCE, "back": "", "copies": 3}]
    message = refusal(text_of(rows, (*COLUMNS, "copies")))
    assert message == "my.csv, line 3, column copies: an earlier line has 2 for this card, so not 3 here"


@pytest.mark.parametrize("ids", [(1, ""), ("", 1)])
def test_ids_are_for_all_or_none(ids: tuple[object, object]) -> None:
    rows = [{**TWO_FOR_CARROTS, "card_id": ids[0]}, {**EVEN_ONIONS, "card_id": ids[1]}]
    message = refusal(text_of(rows))
    assert message.startswith("my.csv, line 3, column card_id: either all cards have a number or none, so not")


# --------------------------------------------------------------------------------------- a bad file


WITHOUT_COLUMN = [name for name in COLUMNS if name not in ("card_id", "text")]


@pytest.mark.parametrize("missing", WITHOUT_COLUMN)
def test_a_missing_column_is_refused(missing: str) -> None:
    message = refusal(text_of([TWO_FOR_CARROTS], [name for name in COLUMNS if name != missing]))
    assert message.startswith(f"my.csv, line 1: column {missing} is missing; needed are back, kind, w_cabbage")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            PLAIN.replace("w_carrot", "w_carot"),
            "line 1: unknown column 'w_carot' (did you mean 'w_carrot'?); allowed: ",
        ),
        (PLAIN.replace("w_carrot", "w_onion"), "line 1: there are two columns w_onion"),
        (LABELS + PLAIN.replace("w_carrot", "w_olive"), "line 3: there are two columns w_cabbage"),
        (PLAIN.replace(",", ";"), "line 1: the values are separated by semicolons"),
        (PLAIN.replace(",", "\t"), "line 1: the values are separated by tabs"),
        (PLAIN + ",7", "line 3, column 14: '7' stands under no column name; a text with a comma in it needs quotes"),
        (PLAIN.replace("queen", '"queen'), "line 3: a quoted value has no end on its line"),
        ("", "this one is empty"),
        ("\n\n# nothing\n,,,\n", "this one is empty"),
        (text_of([]), f"a card set has 1 to {MOST_TERMS} cards, copies and further terms counted too, not 0"),
        ("\x00", "unknown column '\\x00'"),
        (
            "# label cabbage olive\n" + PLAIN,
            "line 1: a label is given as in '# label cabbage = olive', not 'label cabb",
        ),
        ("# label cabage = olive\n" + PLAIN, "line 1: unknown vegetable 'cabage' (did you mean 'cabbage'?)"),
        ("# label cabbage =\n" + PLAIN, "line 1: a label is a letter, then up to 23 letters and digits, not ''"),
        ("# label cabbage = a,b\n" + PLAIN, "line 1: a label is a letter"),
        ("# label cabbage = " + "x" * 25 + "\n" + PLAIN, "line 1: a label is a letter"),
        ("# label cabbage = Carrot\n" + PLAIN, "line 1: each label is given once, and is no other vegetable's name"),
        ("# label cabbage = x\n# label carrot = X\n" + PLAIN, "line 2: each label is given once"),
        ("# label cabbage = x\n# label cabbage = y\n" + PLAIN, "line 2: each label is given once"),
    ],
)
def test_a_bad_file_is_refused(text: str, said: str) -> None:
    message = refusal(text)
    assert message.startswith("my.csv")
    assert said in message


def test_too_many_cards_are_refused_before_they_are_made() -> None:
    columns = (*COLUMNS, "copies")
    rows: list[Row] = [{**TWO_FOR_CARROTS, "copies": 999}] * 1000
    assert refusal(text_of(rows, columns)).endswith("not 999000")
    more = {**MOST_LETTUCE, "back": ""}
    assert refusal(text_of([{**TWO_FOR_CARROTS, "copies": 649}, more], columns)).endswith("not 1298")
    assert len(read({**TWO_FOR_CARROTS, "copies": 648}, more, columns=columns)) == 648


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe" + PLAIN.encode("utf-16-le"), "line 1: byte 0xff is not UTF-8; save the file as CSV in UTF-8"),
        (PLAIN.replace("queen", "Königin").encode("latin-1"), "line 3: byte 0xf6 is not UTF-8"),
        (b"#" * (1 << 20) + b"\n", "is larger than 1 MiB"),
    ],
)
def test_what_is_no_card_file_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "my.csv"
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_card_file(str(file))
    assert said in str(caught.value)
    assert str(file) in str(caught.value)


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    for path, why in ((tmp_path, "it is a folder"), (tmp_path / "no.csv", "No such file"), ("a\0b", "null")):
        with pytest.raises(InputError, match=why):
            read_card_file(path)
    if os.path.exists("/dev/zero"):
        with pytest.raises(InputError, match="no regular file"):
            read_card_file("/dev/zero")
