"""Card files: reading the cards that somebody made, with every check, and writing them.

A card file is CSV as `salad-sim cards --format csv` prints it, see docs/cards.md. Each row is one term: rows of one
card_id are terms of one card, whose values add.
"""

from __future__ import annotations

import csv
import io
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from salad_sim.errors import InputError, unknown
from salad_sim.files.toml import read_small_file
from salad_sim.game.card_kinds import (
    KINDS,
    MOST_POINTS,
    POINT_COLUMNS,
    SHOWN,
    VEGETABLES,
    WEIGHT_COLUMNS,
    card_text,
    check_term,
)
from salad_sim.game.cards import COLUMNS, Card, CardSet, card_row, check_size, official_set, read_card

CardSource: TypeAlias = "CardSet | str | os.PathLike[str]"

LONGEST_TEXT = 200
MOST_COPIES = MOST_POINTS
MOST_ID = 10**6 - 1

COPIES = "copies"
MAY_BE_LEFT_OUT = ("card_id", "text", COPIES)
LABEL = re.compile(r"label\s+(?P<veg>[^=]*)=(?P<label>.*)", re.IGNORECASE)
GOOD_LABEL = re.compile(r"[^\W\d_][\w' -]{0,23}")


# ------------------------------------------------------------------------------------------- reading


def as_card_set(given: CardSource | None) -> CardSet:
    """Return the card set that a user names: None for the official one, a card file, or a set.

    Raises
    ------
    InputError
        If the file cannot be read, or a card makes no sense.
    """
    if given is None:
        return official_set()
    if isinstance(given, (str, os.PathLike)):
        return read_card_file(given)
    if not isinstance(given, CardSet):
        raise InputError(f"cards must be a card file or a CardSet, not {type(given).__name__}")
    for card in given:
        for term in card.terms:
            check_term(term, f"{given.source}, card {card.card_id}")
    cards = (card if card.text else replace(card, text=card_text(card, given.labels)) for card in given)
    return replace(given, cards=tuple(cards))


def read_card_file(path: str | os.PathLike[str]) -> CardSet:
    """Read a card file.

    Raises
    ------
    InputError
        If it cannot be read or is no good: in one line with file, line, column, value and what is allowed.
    """
    source = os.fspath(path)
    data = read_small_file(source, "card file")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        what = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise InputError(f"{source}, line {line}: {what}; save the file as CSV in UTF-8") from None
    return parse_card_file(text, source)


def parse_card_file(text: str, source: str) -> CardSet:
    """Read the text of a card file; ``source`` names it in messages.

    Raises
    ------
    InputError
        As `read_card_file`.
    """
    composed = io.StringIO(unicodedata.normalize("NFC", text), newline=None)
    lines = [(number, line.strip()) for number, line in enumerate(composed, start=1)]
    labels = _read_labels([(number, line) for number, line in lines if line.startswith("#")], source)
    rows = [(number, _split(line, f"{source}, line {number}")) for number, line in lines if line[:1] not in ("", "#")]
    rows = [(number, values) for number, values in rows if any(values)]
    if not rows:
        raise InputError(f"{source}: a card file has a line of column names and a row for each card; this one is empty")
    number, header = rows[0]
    columns = _read_header(header, labels, f"{source}, line {number}")
    designs = _read_designs(columns, rows[1:], labels, source)
    check_size(sum(design.n_copies * len(design.terms) for design in designs), source)
    cards: list[Card] = []
    for design in designs:
        for _ in range(design.n_copies):
            cards.append(design.card(len(cards), labels))
    return CardSet(tuple(cards), labels, source)


def _read_labels(comments: Sequence[tuple[int, str]], source: str) -> tuple[str, ...]:
    """Return what the vegetables are called, as lines ``# label cabbage = olive`` say."""
    labels = list(VEGETABLES)
    for number, line in comments:
        said = line.lstrip("# \t").rstrip(", \t")  # spreadsheets fill up lines with commas
        if not re.match(r"label\b", said, re.IGNORECASE):
            continue
        where = f"{source}, line {number}"
        found = LABEL.fullmatch(said)
        if not found:
            raise InputError(f"{where}: a label is given as in '# label cabbage = olive', not {said[:SHOWN]!r}")
        name, label = found["veg"].strip().lower(), found["label"].strip()
        if name not in VEGETABLES:
            raise InputError(f"{where}: {unknown('vegetable', name[:SHOWN], VEGETABLES)}")
        if not GOOD_LABEL.fullmatch(label):
            raise InputError(f"{where}: a label is a letter, then up to 23 letters and digits, not {label[:SHOWN]!r}")
        veg = VEGETABLES.index(name)
        others = {each.casefold() for each in (*VEGETABLES, *labels)} - {name}
        if labels[veg] != name or label.casefold() in others:
            raise InputError(f"{where}: each label is given once, and is no other vegetable's name; not {said!r}")
        labels[veg] = label
    return tuple(labels)


def _split(line: str, where: str) -> list[str]:
    """Return the values of a line, without the spaces around them."""

    def only() -> Iterator[str]:
        yield line
        raise InputError(f"{where}: a quoted value has no end on its line")

    try:
        return [value.strip() for value in next(csv.reader(only(), skipinitialspace=True))]
    except csv.Error as error:
        raise InputError(f"{where}: {error}") from None


def _read_header(header: Sequence[str], labels: Sequence[str], where: str) -> list[str]:
    """Return the columns of the file by their own names; an empty name stands for a column that is not used."""
    for sign, what in ((";", "semicolons"), ("\t", "tabs")):
        if len(header) == 1 and sign in header[0]:
            raise InputError(f"{where}: the values are separated by {what}; save the file as CSV with commas")
    named = {f"w_{label}".casefold(): column for label, column in zip(labels, WEIGHT_COLUMNS, strict=True)}
    columns = [named.get(name.casefold(), name.lower()) for name in header]
    allowed = (*COLUMNS, COPIES)
    for name, column in zip(header, columns, strict=True):
        if column and column not in allowed:
            raise InputError(f"{where}: {unknown('column', name[:SHOWN], allowed)}")
        if column and columns.count(column) > 1:
            raise InputError(f"{where}: there are two columns {column}")
    for column in COLUMNS:
        if column not in columns and column not in MAY_BE_LEFT_OUT:
            needed = ", ".join(each for each in COLUMNS if each not in MAY_BE_LEFT_OUT)
            raise InputError(f"{where}: column {column} is missing; needed are {needed}")
    return columns


@dataclass
class _Design:
    """A card as it stands in the file, however many copies there are of it."""

    back: int
    copies: int | None = None
    terms: list[Card] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    @property
    def n_copies(self) -> int:
        return 1 if self.copies is None else self.copies

    def card(self, card_id: int, labels: Sequence[str]) -> Card:
        """Return one copy."""
        text = "; ".join(term.text for term in self.terms if term.text)
        first, *more = (replace(term, card_id=card_id, text="") for term in self.terms)
        card = replace(first, more=tuple(more))
        # a text of the program's own is said anew, as a vegetable may have another label now
        return replace(card, text=card_text(card, labels) if text in ("", card_text(card)) else text)


def _read_designs(
    columns: Sequence[str], rows: Sequence[tuple[int, list[str]]], labels: Sequence[str], source: str
) -> list[_Design]:
    """Put rows together into cards, in the order of their ids, or of the rows if they have none."""
    designs: dict[int, _Design] = {}
    key = -1
    numbered: bool | None = None
    for line, values in rows:
        where = f"{source}, line {line}"
        row = _by_column(columns, values, where)
        if row["card_id"] or row["back"] or not designs:  # else it is a further term of the card above
            if numbered is None:
                numbered = bool(row["card_id"])
            if numbered != bool(row["card_id"]):
                raise InputError(
                    f"{where}, column card_id: either all cards have a number or none, so not {row['card_id']!r} here; "
                    "in a further term of the card above, back is empty too"
                )
            key = _number(row, "card_id", where, 0, MOST_ID) if numbered else len(designs)
        _add_term(designs, key, row, line, labels, where)
    return [designs[key] for key in sorted(designs)]


def _by_column(columns: Sequence[str], values: Sequence[str], where: str) -> dict[str, str]:
    """Return the values of a row by column; what is missing is empty."""
    row = dict.fromkeys((*COLUMNS, COPIES), "")
    for number, value in enumerate(values):
        column = columns[number] if number < len(columns) else ""
        if column:
            row[column] = value
        elif value:
            raise InputError(
                f"{where}, column {number + 1}: {value[:SHOWN]!r} stands under no column name; "
                "a text with a comma in it needs quotes"
            )
    return row


def _add_term(
    designs: dict[int, _Design], key: int, row: dict[str, str], line: int, labels: Sequence[str], where: str
) -> None:
    """Add a row to its card."""
    known = designs.get(key)
    if known is not None and not row["back"]:
        row["back"] = labels[known.back]
    term = _read_term(row, labels, where)
    design = designs.setdefault(key, _Design(term.back))
    if term.back != design.back:
        raise InputError(
            f"{where}, column back: card {row['card_id']} has the back {labels[design.back]} in line "
            f"{design.lines[0]}, so not {row['back']!r} here; another card needs another card_id"
        )
    if row[COPIES]:
        copies = _number(row, COPIES, where, 0, MOST_COPIES)
        if design.copies is not None and design.copies != copies:
            raise InputError(
                f"{where}, column {COPIES}: an earlier line has {design.copies} for this card, so not {copies} here"
            )
        design.copies = copies
    for other, other_line in zip(design.terms, design.lines, strict=True):
        if replace(other, text="") == replace(term, text=""):
            raise InputError(
                f"{where}, column card_id: the row repeats line {other_line}, and rows of one card_id are terms of one "
                "card; for more cards of the kind use the column copies or other ids, for more points more points"
            )
    design.terms.append(term)
    design.lines.append(line)


def _read_term(row: dict[str, str], labels: Sequence[str], where: str) -> Card:
    """Read one row."""
    row["kind"] = row["kind"].lower()
    row["text"] = " ".join(row["text"].split())
    if not row["text"].isprintable() or len(row["text"]) > LONGEST_TEXT:
        raise InputError(f"{where}, column text: up to {LONGEST_TEXT} printable signs, not {row['text'][:SHOWN]!r}")
    needed = KINDS[row["kind"]].points if row["kind"] in KINDS else ()
    for column in (*WEIGHT_COLUMNS, *POINT_COLUMNS):
        row[column] = str(_number(row, column, where, -MOST_POINTS, MOST_POINTS, optional=column not in needed))
    # the id of a term is that of its card, which is not known yet
    term = read_card({**row, "card_id": "0"}, where, labels)
    check_term(term, where)
    return term


def _number(row: Mapping[str, str], column: str, where: str, low: int, high: int, optional: bool = False) -> int:
    """Return the whole number in a column; nothing is 0 where the number is optional."""
    given = row[column]
    if optional and not given:
        return 0
    if re.fullmatch(r"[+-]?[0-9]{1,9}(\.0*)?", given) and low <= int(given.partition(".")[0]) <= high:
        return int(given.partition(".")[0])
    raise InputError(f"{where}, column {column}: a whole number from {low} to {high} is needed, not {given[:SHOWN]!r}")


# ------------------------------------------------------------------------------------------- writing


def card_rows(cards: CardSet) -> list[dict[str, object]]:
    """Return a card set as rows of a card file: one for each term, the text of a card in its first one."""
    return [card_row(term, cards.labels) for card in cards for term in card.terms]


def card_file_lines(cards: CardSet) -> list[str]:
    """Return the lines of a card file that reads back as the same set."""
    pairs = zip(VEGETABLES, cards.labels, strict=True)
    labels = [f"# label {name} = {label}" for name, label in pairs if name != label]
    rows = [",".join(_quoted(value) for value in row.values()) for row in card_rows(cards)]
    return [*labels, ",".join(COLUMNS), *rows]


def _quoted(value: object) -> str:
    """Return a value as CSV; in quotes a # begins no comment for programs that skip comments."""
    text = str(value)
    return '"' + text.replace('"', '""') + '"' if re.search('[,"#]', text) else text
