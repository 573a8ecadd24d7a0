"""Cards are drawn: every card of the game, cards of users, vegetables under other names."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from salad_sim.game.card_kinds import VEGETABLES
from salad_sim.game.cards import official_set
from salad_sim.report.card_drawing import card_face, condition, definitions, letters, signs, wrapped

CARDS = official_set()
HOSTILE = '<script>alert("1")</script>' + "W" * 200


def test_every_card_is_drawn_with_its_own_signs() -> None:
    drawn = {(str(signs(card)), card.back) for card in CARDS}
    assert len(drawn) == len(CARDS)
    for card in CARDS:
        face = ElementTree.fromstring(str(card_face(card)))
        assert card.text in face.attrib["aria-label"]


def test_signs_say_what_the_card_says() -> None:
    rows = {card.text: signs(card) for card in CARDS}
    by_text = {text: [[sign.text or VEGETABLES[sign.veg] for sign in row] for row in rows[text]] for text in rows}
    assert by_text["cabbage + lettuce + tomato = 8"] == [["cabbage", "lettuce", "tomato", "=", "8"]]
    assert by_text["2/carrot, 2/onion, -4/pepper"][2] == ["\N{MINUS SIGN}4", "/", "pepper"]
    assert by_text["carrot: even=7, odd=3"] == [["even", "carrot", "=", "7"], ["odd", "carrot", "=", "3"]]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (VEGETABLES, ("Cb", "Cr", "L", "O", "P", "T")),
        (("aa", "ab", "b", "c", "d", "e"), ("A1", "Ab", "B", "C", "D", "E")),
        (("שלום", "<>", "r", "s", "t", "u"), ("ש", "?", "R", "S", "T", "U")),
    ],
)
def test_letters_tell_vegetables_apart(labels: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert letters(labels) == expected


def test_hostile_names_stay_text() -> None:
    card = replace(CARDS[70], text=HOSTILE, more=tuple(CARDS[:9]))
    labels = (HOSTILE, *VEGETABLES[1:])
    for drawing in (card_face(card, labels), condition(card, labels), definitions(labels)):
        assert "<script" not in str(drawing)
        ElementTree.fromstring(str(drawing))


def test_words_are_cut_into_lines() -> None:
    assert wrapped("one two three", 7, 3) == ["one two", "three"]
    assert wrapped("x" * 9, 4, 2) == ["xxxx", "xxx…"]
