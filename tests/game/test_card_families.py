"""Families of cards: those of the game, the same forms by brute force, and cards found by what they say."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salad_sim.errors import InputError
from salad_sim.game.card_families import families, find_card, form_of
from salad_sim.game.card_file import parse_card_file
from salad_sim.game.card_kinds import check_term
from salad_sim.game.cards import COLUMNS, Card, CardSet, official_set
from support.card_families import FAMILIES_OF_SIX, FAMILIES_OF_TWELVE, SINGLES, family

HEADER = ",".join((*COLUMNS, "copies"))

SHAPES = [
    ("per_veg", (2,)),
    ("per_veg", (2, -1)),
    ("set", (1,)),
    ("set", (1, 2)),
    ("combo2", (1, 1)),
    ("pair", (2,)),
    ("complete_set", (1,) * 6),
    ("set", (1,) * 6),
    ("most", (1,)),
    ("even_odd", (1,)),
    ("missing_type", ()),
    ("type_at_least_2", ()),
    ("most_total", ()),
]


@st.composite
def cards(draw: st.DrawFn) -> Card:
    """Cards of one to three terms of few shapes, so that some are of one form."""
    terms = []
    for kind, weights in draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3)):
        asked = draw(st.permutations(range(6)))[: len(weights)]
        by_veg = [0] * 6
        for veg, weight in zip(asked, weights, strict=True):
            by_veg[veg] = weight
        points = {} if kind in ("per_veg", "even_odd") else {"points": draw(st.integers(4, 5))}
        odd = {"even_points": 7, "odd_points": draw(st.integers(2, 3))} if kind == "even_odd" else {}
        terms.append(Card(0, 0, kind, "", tuple(by_veg), **points, **odd))
        check_term(terms[-1], "here")
    return replace(terms[0], more=tuple(terms[1:]))


def permuted(card: Card, order: tuple[int, ...]) -> Card:
    terms = [replace(term, weights=tuple(term.weights[veg] for veg in order), more=()) for term in card.terms]
    return replace(terms[0], more=tuple(terms[1:]))


def meaning(card: Card) -> Counter[tuple[object, ...]]:
    """What a card is worth by, term by term: sets by what they need, whatever the kind is called."""
    sets = ("pair", "combo2", "set")
    return Counter(
        ("set" if term.kind in sets else term.kind, term.weights, term.points, term.even_points, term.odd_points)
        for term in card.terms
    )


def test_the_game_has_eleven_families_of_six_three_of_twelve_and_six_single_cards() -> None:
    found = families(official_set())
    assert Counter(map(len, found)) == {6: len(FAMILIES_OF_SIX), 12: len(FAMILIES_OF_TWELVE), 1: len(SINGLES)}
    assert sorted(card for each in found for card in each.members) == list(range(108))
    for each in found:
        assert len({family(official_set()[card]) for card in each.members}) == 1
    assert [each.members[0] for each in found] == sorted(each.members[0] for each in found)


def test_families_are_named_by_what_they_say() -> None:
    assert {each.name for each in families(official_set())} == {
        "2/A",
        "1/A, 1/B",
        "3/A, -2/B",
        "2/A, 1/B, -2/C",
        "2/A, 2/B, -4/C",
        "3/A, -1/B, -1/C",
        "4/A, -2/B, -2/C",
        "A: even=7, odd=3",
        "most A = 10",
        "fewest A = 7",
        "A + A = 5",
        "A + B = 5",
        "A + A + A = 8",
        "A + B + C = 8",
        "12/complete set of all six",
        "5/missing vegetable type",
        "3/vegetable type with at least 2",
        "5/vegetable type with at least 3",
        "most vegetables in total = 10",
        "fewest vegetables in total = 7",
    }


@given(cards(), st.permutations(range(6)), st.randoms(use_true_random=False))
def test_the_form_does_not_depend_on_the_vegetables_nor_on_the_order_of_terms(card, order, mixer) -> None:
    terms = [replace(term, more=()) for term in permuted(card, order).terms]
    mixer.shuffle(terms)
    assert form_of(replace(terms[0], back=3, more=tuple(terms[1:]))) == form_of(card)


@settings(max_examples=150)
@given(cards(), cards())
def test_two_cards_are_of_one_form_exactly_if_some_permutation_makes_them_the_same(one, other) -> None:
    same = any(meaning(permuted(one, order)) == meaning(other) for order in permutations(range(6)))
    assert (form_of(one) == form_of(other)) == same


def test_a_set_is_the_same_by_whatever_kind_it_is_written() -> None:
    each = Card(0, 0, "per_veg", "", (0, 0, 0, 0, 1, 0))
    pair, combo, whole = (2, 0, 0, 0, 0, 0), (1, 1, 0, 0, 0, 0), (1,) * 6
    for kind, weights in (("pair", pair), ("combo2", combo)):
        assert form_of(Card(0, 0, kind, "", weights, 5)) == form_of(Card(0, 0, "set", "", weights, 5))
        one, other = (Card(0, 0, name, "", weights, 5, more=(each,)) for name in (kind, "set"))
        assert form_of(one) == form_of(other)
    assert form_of(Card(0, 0, "complete_set", "", whole, 5)) != form_of(Card(0, 0, "set", "", whole, 5))


def test_letters_stand_for_the_vegetables_of_a_set_whatever_they_and_the_cards_are_called() -> None:
    lines = [
        HEADER,
        ",carrot,per_veg,The odd A,0,0,3,0,0,-2,,,,",
        ",carrot,per_veg,,0,-2,0,3,0,0,,,,",
        ",carrot,most,,0,1,0,0,0,0,4,,,",
    ]
    deck = replace(parse_card_file("\n".join(lines), "my.csv"), labels=("most", "C", "A", "B", "at", "with"))
    assert [(each.name, each.members) for each in families(deck)] == [("3/A, -2/B", (0, 1)), ("most A = 4", (2,))]


# ---------------------------------------------------------------------------------------- by their text


def deck_of(*texts: str) -> CardSet:
    return CardSet(tuple(replace(official_set()[4], card_id=number, text=text) for number, text in enumerate(texts)))


def test_every_card_of_the_game_is_found_by_its_text_and_by_its_id() -> None:
    for card in official_set():
        assert find_card(official_set(), card.text) == card.card_id
        assert find_card(official_set(), f"  {card.text.upper().replace(' ', '   ')}") == card.card_id
        assert find_card(official_set(), str(card.card_id)) == card.card_id


def test_a_text_goes_before_an_id_and_the_cards_own_text_before_the_usual_one() -> None:
    assert find_card(deck_of("Gardener", "0"), "0") == 1
    assert find_card(deck_of("Gardener", "Rabbit", "2/carrot"), "2/carrot") == 2
    assert find_card(deck_of("Gardener"), "2 / carrot") == 0


@pytest.mark.parametrize(
    ("deck", "text", "message"),
    [
        (
            official_set(),
            "2/carot",
            r"unknown card '2/carot' \(did you mean '2/carrot'\?\); allowed: .*or its id 0..107",
        ),
        (official_set(), "108", "unknown card '108'; allowed: .*or its id 0..107"),
        (official_set(), "-1", "unknown card '-1'.*; allowed: "),
        (official_set(), "", "unknown card ''; allowed: "),
        (
            deck_of("Rabbit", "Hare", "rabbit", "RABBIT"),
            "Rabbit",
            "'Rabbit' is what the cards 0, 2 and 3 say: give the id",
        ),
        (deck_of("Rabbit", "Hare"), "2/carrot", "'2/carrot' is what the cards 0 and 1 say: give the id"),
    ],
)
def test_what_no_card_says_or_several_do_is_refused(deck: CardSet, text: str, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        find_card(deck, text)
