"""Positions as TOML files that people type: read with care, and written with comments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from salad_sim.errors import InputError, nearest, quote
from salad_sim.files.toml import read_toml, toml_text
from salad_sim.game.card_families import find_card
from salad_sim.game.card_file import as_card_set
from salad_sim.game.cards import CardSet, parse_veg
from salad_sim.game.deck_check import numbers_drawn
from salad_sim.game.moves import N_PILES, N_SLOTS
from salad_sim.game.rule_profiles import read_rules
from salad_sim.game.rules import Rules
from salad_sim.game.state import N_VEGETABLES, NONE
from salad_sim.studies.advice.notation import card_text
from salad_sim.studies.advice.position import Position, Seat
from salad_sim.studies.advice.position_checks import check_position, possible_turns

WHAT = "position file"
KEYS = ("to_move", "start", "rules", "rule", "card_file", "market", "pile", "player", "seen", "gone", "move")
PILE_KEYS = ("top", "cards")
PLAYER_KEYS = ("name", "cards", "vegetables", "points")
EMPTY = "-"
MOST = 9999


@dataclass(frozen=True)
class PositionFile:
    """What a position file says.

    Attributes
    ----------
    position : Position
    move : str, optional
        The move that its author thinks of.
    notes : tuple of str
        What was taken for granted, a sentence each.
    """

    position: Position
    move: str | None = None
    notes: tuple[str, ...] = ()


def example_text() -> str:
    """Return a position file with comments, to be changed by who types one."""
    return resources.files("salad_sim").joinpath("studies/advice/example.toml").read_text(encoding="utf-8")


def read_position(path: str) -> PositionFile:
    """Read a position file.

    Raises
    ------
    InputError
        If it cannot be read, says what is not understood, or shows a position that cannot be.
    """
    try:
        return parse_position(read_toml(path, WHAT))
    except InputError as error:
        where = f"{WHAT} {path!r}"
        raise error if str(error).startswith(where) else InputError(f"{where}: {error}") from None


def parse_position(table: Mapping[str, Any]) -> PositionFile:
    """Return the position that the content of a file shows.

    Raises
    ------
    InputError
        As `read_position`.
    """
    check_keys(table, KEYS)
    rules, cards = read_setting(table)
    seats = tuple(_seat(each, number, cards) for number, each in enumerate(tables(table, "player"), start=1))
    if len(seats) < 2:
        raise InputError("a [[player]] is needed for each player, in the order of the seats; there can be 2 to 6")
    position = Position(
        seats=seats,
        to_move=_who(table.get("to_move"), "to_move", seats),
        tops=(),
        sizes=(),
        market=read_market(table.get("market"), cards),
        start=_who(table.get("start", 1), "start", seats),
        seen=_card_list(table.get("seen", []), "seen", cards),
        gone=_card_list(table.get("gone", []), "gone", cards),
        rules=rules,
        cards=cards,
    )
    position, notes = _with_piles(position, tables(table, "pile"))
    move = table.get("move")
    if not isinstance(move, str | None):
        raise InputError(f"move is a text such as 'pile 1', not {quote(move)}")
    check_position(position)
    possible = possible_turns(position)
    return PositionFile(replace(position, turn=possible[len(possible) // 2]), move, notes)


def read_setting(table: Mapping[str, Any]) -> tuple[Rules, CardSet]:
    """Return the rules and the cards that a file names."""
    profile, switches, source = table.get("rules"), table.get("rule", {}), table.get("card_file")
    if not isinstance(profile, str | None) or not isinstance(source, str | None) or not isinstance(switches, dict):
        raise InputError("rules is the name of a profile, card_file a path, and [rule] a table of switches")
    base = read_rules(profile)
    return Rules.from_dict({**base.as_dict(), **switches}), as_card_set(source)


def check_keys(table: Mapping[str, Any], allowed: Sequence[str], where: str = "") -> None:
    """Refuse keys that are not known."""
    for key in table:
        if key not in allowed:
            raise InputError(f"{where}unknown key {quote(key)}{nearest(key, allowed)}; allowed: {', '.join(allowed)}")


def tables(table: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Return the tables [[name]] of a file."""
    found = table.get(name, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InputError(f"{name} stands as [[{name}]], once for each")
    return found


def _seat(table: Mapping[str, Any], number: int, cards: CardSet) -> Seat:
    where = f"player {number}: "
    check_keys(table, PLAYER_KEYS, where)
    name = table.get("name", f"seat {number}")
    if not isinstance(name, str) or not name.strip():
        raise InputError(f"{where}name is a text, not {quote(name)}")
    counts = _counts(table.get("vegetables", {}), where, cards)
    held = _card_list(table.get("cards", []), f"{where}cards", cards)
    return Seat(name, counts, held, count_of(table.get("points", 0), f"{where}points", -MOST))


def _counts(given: Any, where: str, cards: CardSet) -> tuple[int, ...]:
    """Return how many of each vegetable: by name how many, or a list of names."""
    counts = [0] * N_VEGETABLES
    if isinstance(given, list):
        given = {name: given.count(name) for name in dict.fromkeys(map(str, given))}
    if not isinstance(given, dict):
        raise InputError(f"{where}vegetables are given as {{ carrot = 2, onion = 1 }}, not {quote(given)}")
    for name, number in given.items():
        counts[_vegetable(name, f"{where}vegetables", cards)] += count_of(number, f"{where}vegetables: {name}")
    return tuple(counts)


def count_of(given: Any, what: str, low: int = 0) -> int:
    """Return a whole number that a file gives."""
    if not isinstance(given, int) or isinstance(given, bool) or not low <= given <= MOST:
        raise InputError(f"{what} must be a whole number from {low} to {MOST}, not {quote(given)}")
    return given


def _vegetable(given: Any, what: str, cards: CardSet) -> int:
    try:
        return parse_veg(str(given), cards.labels)
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


def read_card(given: Any, what: str, cards: CardSet) -> int:
    """Return the card that a file names by its text or its number."""
    if isinstance(given, bool) or not isinstance(given, int | str):
        raise InputError(f"{what}: a card is named by what it says or by its number, not {quote(given)}")
    try:
        return find_card(cards, str(given))
    except InputError as error:
        raise InputError(f"{what}: {error}") from None


def _card_list(given: Any, what: str, cards: CardSet) -> tuple[int, ...]:
    if not isinstance(given, list):
        raise InputError(f"{what}: a list of cards is needed, as [{cards[0].text!r}], not {quote(given)}")
    return tuple(read_card(each, what, cards) for each in given)


def read_market(given: Any, cards: CardSet) -> tuple[int, ...]:
    """Return the vegetables of the market by slot."""
    if not isinstance(given, list) or len(given) != N_SLOTS:
        raise InputError(
            f"market needs {N_SLOTS} vegetables: the upper row from left to right, then the lower row; "
            f"{EMPTY!r} where a place is empty"
        )
    return tuple(NONE if each in (EMPTY, "") else _vegetable(each, "market", cards) for each in given)


def _who(given: Any, key: str, seats: Sequence[Seat]) -> int:
    """Return the seat that is named, or numbered from 1."""
    names = [seat.name for seat in seats]
    if isinstance(given, str) and given in names:
        return names.index(given)
    if isinstance(given, int) and not isinstance(given, bool) and 1 <= given <= len(seats):
        return given - 1
    hint = nearest(str(given), names)
    raise InputError(f"{key} says whose turn it is: a name or a seat 1..{len(seats)}, not {quote(given)}{hint}")


def _with_piles(position: Position, piles: list[dict[str, Any]]) -> tuple[Position, tuple[str, ...]]:
    """Return a position with its piles; sizes that are not given are worked out, or taken as even."""
    if len(piles) != N_PILES:
        raise InputError(f"three [[pile]] are needed, from left to right, not {len(piles)}; an empty one has cards = 0")
    tops: list[int] = []
    sizes: list[int | None] = []
    for number, pile in enumerate(piles, start=1):
        check_keys(pile, PILE_KEYS, f"pile {number}: ")
        top = pile.get("top")
        tops.append(NONE if top in (None, EMPTY, "") else read_card(top, f"pile {number}: top", position.cards))
        known = "cards" in pile or tops[-1] == NONE
        sizes.append(count_of(pile.get("cards", 0), f"pile {number}: cards") if known else None)
    missing = [pile for pile in range(N_PILES) if sizes[pile] is None]
    in_deck = sum(numbers_drawn(position.cards, position.rules, len(position.seats)))
    laid = sum(veg != NONE for veg in position.market) + sum(seat.n_cards for seat in position.seats)
    left = in_deck - laid - sum(size or 0 for size in sizes)
    for place, number in enumerate(missing):
        sizes[number] = max((left + place) // len(missing), 1)
    notes = ("The sizes of piles that are not given were taken as even.",) if len(missing) > 1 else ()
    return replace(position, tops=tuple(tops), sizes=tuple(size or 0 for size in sizes)), notes


def position_text(position: Position, move: str | None = None, heading: Sequence[str] = ()) -> str:
    """Return a position as a file with comments, which `read_position` reads again."""
    cards, quoted = position.cards, _quoted
    lines = [f"# {line}" for line in heading]
    lines += [f"to_move = {quoted(position.seats[position.to_move].name)}  # a name, or the number of a seat"]
    if position.start:
        lines += [f"start = {quoted(position.seats[position.start].name)}  # who began"]
    if not cards.is_official:
        lines += [f"card_file = {quoted(cards.source)}"]
    names = [EMPTY if veg == NONE else cards.labels[veg] for veg in position.market]
    lines += [
        "# the market: the upper row from left to right, then the lower row; '-' where a place is empty",
        f"market = [{', '.join(map(quoted, names))}]",
    ]
    if move is not None:
        lines += [f"move = {quoted(move)}  # my own move: what does it cost?"]
    lines += _listed_cards(position)
    changed = position.rules.changed()
    if changed:
        lines += ["", "[rule]", *(f"{name} = {quoted(value)}" for name, value in changed.items())]
    for top, size in zip(position.tops, position.sizes, strict=True):
        back = "" if top == NONE else f"  # {cards.labels[cards[top].back]} on its back"
        shown = [] if top == NONE else [f"top = {quoted(card_text(cards, top))}{back}"]
        lines += ["", "[[pile]]", *shown, f"cards = {size}"]
    for seat in position.seats:
        lines += ["", *_seat_lines(seat, cards)]
    return "\n".join(lines) + "\n"


def _listed_cards(position: Position) -> list[str]:
    """Return the lines of cards that are known to lie as vegetables, or not to play."""
    told = {
        "seen": "cards that were seen before they were laid as vegetables; may be left out",
        "gone": "cards that are not in this deck",
    }
    found = []
    for key, about in told.items():
        ids = getattr(position, key)
        if ids:
            names = ", ".join(_quoted(card_text(position.cards, card)) for card in ids)
            found += [f"# {about}", f"{key} = [{names}]"]
    return found


def _seat_lines(seat: Seat, cards: CardSet) -> list[str]:
    laid = ", ".join(f"{_key(cards.labels[veg])} = {number}" for veg, number in enumerate(seat.counts) if number)
    held = ", ".join(_quoted(card_text(cards, card)) for card in seat.held)
    points = [f"points = {seat.points}  # from before"] if seat.points else []
    return [
        "[[player]]",
        f"name = {_quoted(seat.name)}",
        f"vegetables = {{ {laid} }}" if laid else "vegetables = {}",
        f"cards = [{held}]",
        *points,
    ]


def _quoted(value: object) -> str:
    """Return a text or a number as TOML writes it."""
    return toml_text({"x": value}).removeprefix("x = ").rstrip("\n")


def _key(name: str) -> str:
    """Return a name as TOML writes it before a value."""
    return toml_text({name: 0}).partition(" = ")[0]
