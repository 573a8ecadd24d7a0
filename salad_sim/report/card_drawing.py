"""Cards drawn as people know them: our own vegetables with letter and colour, and what a card asks for in symbols.

Everything is SVG for a page: `definitions` once, then as many vegetables and cards as there is room for. A vegetable
that was given another name is an abstract shape with the letters of that name.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from salad_sim.game.card_kinds import KINDS, VEGETABLES, card_text
from salad_sim.game.cards import Card
from salad_sim.game.state import N_VEGETABLES

COLOURS = ("#56b4e9", "#e69f00", "#4fc08d", "#d79bc0", "#f0e442", "#e8743b")
"""By vegetable: colours that people tell apart whatever colours they see (after Okabe and Ito), for dark letters."""

_LEAF = 'fill="#1b7f4f" stroke="#1b7f4f"'
SHAPES = (
    # cabbage: a head of round leaves
    "".join(f'<circle cx="{x}" cy="{y}" r="5.6"/>' for x, y in ((12, 6.6), (17, 9.6), (17, 15), (12, 17.6), (7, 15)))
    + '<circle cx="7" cy="9.6" r="5.6"/><circle cx="12" cy="12" r="6.5"/>',
    # carrot: a root with its green
    f'<path d="M12 8 8 1M12 8V.6M12 8l4-7" {_LEAF} stroke-width="2"/>'
    '<path d="M4.5 9.5Q12 4.5 19.5 9.5L13 22.6Q12 24 11 22.6Z"/>',
    # lettuce: a leaf with a rib
    '<path d="M12 23.2C3 21 .6 13 4.4 8.6 3.4 4.2 8.6.6 12 2 15.4.6 20.6 4.2 19.6 8.6 23.4 13 21 21 12 23.2Z"/>'
    '<path d="M12 23V18" fill="none"/>',
    # onion: a bulb with a tip and roots
    '<path d="M12 .6C13 5.4 22 7.6 22 14.6 22 20 17.4 21.8 12 21.8 6.6 21.8 2 20 2 14.6 2 7.6 11 5.4 12 .6Z"/>'
    '<path d="M9.5 21.8 9 23.6M12 21.8V24M14.5 21.8l.5 1.8" fill="none"/>',
    # pepper: a bell with a stem
    '<path d="M12 6Q11.6 2.6 14.4 1.2" fill="none" stroke="#1b7f4f" stroke-width="2.4"/>'
    '<path d="M12 6C15 2.8 22.4 4.4 21.8 11 21.2 18 17.6 23.4 15.4 23 13.4 22.4 13 21.8 12 21.8 11 21.8 10.6 22.4 8.6 '
    '23 6.4 23.4 2.8 18 2.2 11 1.6 4.4 9 2.8 12 6Z"/>',
    # tomato: a ball with a star of green
    f'<circle cx="12" cy="13.2" r="10"/><path d="M12 5.6 7.4 4.2 11 3.2 12 .6l1 2.6 3.6 1Z" {_LEAF}/>',
)
"""By vegetable, in a square of 24."""

ABSTRACT = (
    '<circle cx="12" cy="12" r="11"/>',
    '<path d="M12 .8 23.4 22.4H.6Z"/>',
    '<path d="M1.6 1.6h20.8v20.8H1.6Z"/>',
    '<path d="M12 .4 23.6 12 12 23.6.4 12Z"/>',
    '<path d="M6 1.4h12L23.6 12 18 22.6H6L.4 12Z"/>',
    '<path d="M7.4.8h9.2v6.6h6.6v9.2h-6.6v6.6H7.4v-6.6H.8V7.4h6.6Z"/>',
)
"""By vegetable, for those that have another name."""

LETTER_HEIGHT = (16, 17, 16.5, 18, 17, 17.5)
"""By vegetable: where its letters stand."""

WIDTH, HEIGHT = 120, 168
MOST_ROWS = 4
STEP = 25
ROOM = 110
"""Between the edges of a card."""
LINE = 20
"""Signs in a line of a card's words, at most; and there are so many lines:"""
MOST_LINES = 3
IN_A_ROW = 4
"""Vegetables in a row of a set, at most."""


@dataclass(frozen=True)
class Sign:
    """One sign of what a card asks for: a vegetable, or some text."""

    text: str = ""
    veg: int = -1


def letters(labels: Sequence[str] = VEGETABLES) -> tuple[str, ...]:
    """Return one or two letters for each vegetable, no two the same."""
    plain = ["".join(filter(str.isalnum, label)) or "?" for label in labels]
    found = []
    for number, label in enumerate(plain):
        rivals = [each for other, each in enumerate(plain) if other != number and _first(each) == _first(label)]
        if not rivals:
            found.append(_first(label))
            continue
        apart = [sign for sign in label[1:] if not any(sign.casefold() in each.casefold() for each in rivals)]
        found.append(_first(label) + (apart[0] if apart else str(number + 1)))
    return tuple(found)


def _first(label: str) -> str:
    return label[0].upper()[:1]


def definitions(labels: Sequence[str] = VEGETABLES) -> Markup:
    """Return what a page needs once, before its first vegetable: the shapes to which all others refer."""
    parts = []
    for veg, (label, short) in enumerate(zip(labels, letters(labels), strict=True)):
        known = label.casefold() == VEGETABLES[veg]
        shape, height = (SHAPES[veg], LETTER_HEIGHT[veg]) if known else (ABSTRACT[veg], 17)
        size = 11 if len(short) == 1 else 9
        parts.append(
            f'<symbol id="veg{veg}" viewBox="0 0 24 24"><g fill="{COLOURS[veg]}" stroke="#222" stroke-width=".8">'
            f'{shape}</g><text x="12" y="{height}" text-anchor="middle" font-size="{size}" font-weight="700" '
            f'font-family="sans-serif" fill="#111">{escape(short)}</text></symbol>'
        )
    parts += [_blank(veg) for veg in range(N_VEGETABLES)]
    style = ".card{text-anchor:middle;font:700 10px sans-serif;fill:#111}"
    return Markup(
        f'<svg width="0" height="0" aria-hidden="true" class="defs"><style>{style}</style>'
        f"<defs>{''.join(parts)}</defs></svg>"
    )


def _blank(veg: int) -> str:
    """Return a card without its condition: the vegetable of its back in the corners."""
    corners = "".join(f'<use href="#veg{veg}" x="{x}" y="6" width="30" height="30"/>' for x in (6, 84))
    return (
        f'<symbol id="back{veg}" viewBox="0 0 {WIDTH} {HEIGHT}">'
        '<rect x="1" y="1" width="118" height="166" rx="9" fill="#fffdf4" stroke="#222" stroke-width=".8"/>'
        f'<rect x="3.5" y="3.5" width="113" height="161" rx="7" fill="none" stroke="{COLOURS[veg]}" '
        f'stroke-width="3"/>{corners}</symbol>'
    )


def vegetable(veg: int, labels: Sequence[str] = VEGETABLES, named: bool = True) -> Markup:
    """Return a vegetable to stand in a line of text; without its name where the text beside it says it."""
    said = f'role="img" aria-label="{escape(labels[veg])}"' if named else 'aria-hidden="true"'
    return Markup(f'<svg class="veg" {said}><use href="#veg{veg}"/></svg>')


def signs(card: Card) -> list[list[Sign]]:
    """Return what a card asks for in signs, a row for each thing that scores."""
    return [row for term in card.terms for row in _term_rows(term)]


def _term_rows(term: Card) -> Iterable[list[Sign]]:
    asked, kind = term.asked, KINDS[term.kind]
    if not kind.points:
        for veg in sorted(asked, key=lambda each: -term.weights[each]):
            yield [Sign(_number(term.weights[veg])), Sign("/"), Sign(veg=veg)]
    elif kind.least:
        yield [Sign(_number(term.points)), Sign("/"), Sign(f"type ≥ {kind.least}")]
    elif term.kind == "missing_type":
        yield [Sign(_number(term.points)), Sign("/"), Sign("type you lack")]
    elif term.kind == "even_odd":
        yield [Sign("even"), Sign(veg=term.veg), Sign("="), Sign(_number(term.even_points))]
        yield [Sign("odd"), Sign(veg=term.veg), Sign("="), Sign(_number(term.odd_points))]
    elif term.kind in ("most", "fewest", "most_total", "fewest_total"):
        what = Sign(veg=term.veg) if asked else Sign("of all")
        yield [Sign(term.kind.partition("_")[0].upper()), what, Sign("="), Sign(_number(term.points))]
    else:
        needs = [Sign(veg=veg) for veg in asked for _ in range(min(term.weights[veg], 3))]
        many = [Sign(f"×{term.weights[veg]}") for veg in asked[:1] if term.weights[veg] > 3]
        signs = [*needs, *many]
        rows = [signs] if len(signs) <= IN_A_ROW else [signs[: (len(signs) + 1) // 2], signs[(len(signs) + 1) // 2 :]]
        yield from rows[:-1]
        yield [*rows[-1], Sign("="), Sign(_number(term.points))]


def _number(points: int) -> str:
    return str(points).replace("-", "\N{MINUS SIGN}")


def condition(card: Card, labels: Sequence[str] = VEGETABLES) -> Markup:
    """Return what a card asks for as signs in a line of text; the words belong beside it."""
    rows = []
    for row in signs(card):
        parts = [vegetable(sign.veg, labels, named=False) if sign.veg >= 0 else escape(sign.text) for sign in row]
        rows.append(Markup(" ").join(parts))
    return Markup('<span class="cond" aria-hidden="true">{}</span>').format(Markup(" ").join(rows))


def card_face(card: Card, labels: Sequence[str] = VEGETABLES, worded: bool = True) -> Markup:
    """Return a card: the vegetable of its back in the corners, its condition in signs and, if wanted, in words."""
    rows = signs(card)
    shown = rows if len(rows) <= MOST_ROWS else [*rows[: MOST_ROWS - 1], [Sign("and more")]]
    top = 78 - STEP * (len(shown) - 1) / 2
    middle = "".join(_drawn_row(row, top + STEP * number) for number, row in enumerate(shown))
    said = escape(f"{card.text}; {labels[card.back]} on its back")
    words = _words(card, labels) if worded else ""
    return Markup(
        f'<svg class="card" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{said}">'
        f'<use href="#back{card.back}"/>{middle}{words}</svg>'
    )


def card_symbol(card: Card, labels: Sequence[str] = VEGETABLES) -> Markup:
    """Return what a page needs once of a card that `placed_card` places many times: its drawing and its name."""
    face = str(card_face(card, labels)).replace('<svg class="card"', f'<symbol id="{_key(card)}"')
    face = face.replace("</svg>", "</symbol>")
    said = f"{card.text}; {labels[card.back]} on its back"
    return Markup("<svg width=0 height=0 aria-hidden=true class=defs>{}</svg><i hidden id={}t>{}</i>").format(
        Markup(face), _key(card), said
    )


def _key(card: Card) -> str:
    """Return what a card is called in a page: cards of several sets may stand on one."""
    return f"f{zlib.crc32(f'{card.text}/{card.back}'.encode()):x}"


def placed_card(card: Card, is_marked: bool = False, worth: int | None = None, is_new: bool = False) -> Markup:
    """Return a card whose `card_symbol` is on the page, marked or not, with what it is worth now if that is known."""
    drawn = Markup('<svg class="card{}" role=img aria-labelledby={}t><use href=#{} /></svg>').format(
        " marked" if is_marked else "", _key(card), _key(card)
    )
    if worth is None:
        return drawn
    kind = Markup('"kept fresh"' if is_new else "kept")
    return Markup("<span class={}>{}<b>{}</b></span>").format(kind, drawn, _number(worth))


def _drawn_row(row: Sequence[Sign], y: float) -> str:
    """Draw a row of signs around the middle of the card, smaller if there are many."""
    size, gap = 24.0, 4
    widths = [size if sign.veg >= 0 else _text_width(sign.text, 18) for sign in row]
    whole = sum(widths) + gap * (len(row) - 1)
    scale = min(1.0, (ROOM - 6) / whole)
    x = (WIDTH - scale * whole) / 2
    parts = []
    for sign, width in zip(row, widths, strict=True):
        side = size * scale
        if sign.veg >= 0:
            place = f'x="{x:.1f}" y="{y - side / 2:.1f}" width="{side:.1f}" height="{side:.1f}"'
            parts.append(f'<use href="#veg{sign.veg}" {place}/>')
        else:
            parts.append(_text(sign.text, x + scale * width / 2, y + 6 * scale, 18 * scale))
        x += scale * (width + gap)
    return "".join(parts)


def _text(text: str, x: float, y: float, size: float, weight: str = "") -> str:
    wide = f' textLength="{ROOM}" lengthAdjust="spacingAndGlyphs"' if _text_width(text, size) > ROOM else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:.1f}"{weight}{wide}>{escape(text)}</text>'


def _text_width(text: str, size: float) -> float:
    """Return about how wide a text is, rather too much than too little."""
    return size * sum(map(_sign_width, text))


def _sign_width(sign: str) -> float:
    if sign in "WM@mw—":
        return 0.92
    return 0.32 if sign in "il.,:' /" else 0.72 if sign.isupper() else 0.6


def _words(card: Card, labels: Sequence[str]) -> str:
    lines = wrapped(card.text or card_text(card, labels), LINE, MOST_LINES)
    last = len(lines) - 1
    drawn = (
        _text(line, WIDTH / 2, 155 - 10.5 * (last - at), 9.4, ' font-weight="400"') for at, line in enumerate(lines)
    )
    return "".join(drawn)


def wrapped(text: str, width: int, most: int) -> list[str]:
    """Return a text in lines of at most ``width`` signs; words are broken where they must be, the end is cut off."""
    lines = [""]
    for word in text.split():
        while word:
            room = width - len(lines[-1]) - bool(lines[-1])
            if len(word) <= room:
                lines[-1] += " " * bool(lines[-1]) + word
                break
            if lines[-1]:
                lines.append("")
            else:
                lines[-1], word = word[:width], word[width:]
                if word:
                    lines.append("")
    return lines if len(lines) <= most else [*lines[: most - 1], lines[most - 1][: width - 1] + "…"]


assert len(COLOURS) == len(SHAPES) == len(ABSTRACT) == len(LETTER_HEIGHT) == N_VEGETABLES
