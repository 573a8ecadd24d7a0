"""Rules: every rule switch of the game, validated, in one frozen object."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from salad_sim.errors import InputError, unknown


@dataclass(frozen=True)
class Switch:
    """A rule switch that kernels branch on.

    Attributes
    ----------
    values : dict of str to str
        What each value means, in words that a player understands, the official value first. A value's place is its
        code in the kernels.
    games : tuple of str
        The games in which it means something.
    """

    values: dict[str, str]
    games: tuple[str, ...] = ("point-salad",)


BOTH_GAMES = ("point-salad", "hand-draft")
SWITCHES = {
    "vegetables": Switch(
        {
            "two": "two vegetables are taken from the market, one only if it holds just one",
            "up-to-two": "one vegetable may be taken while the market holds more",
        }
    ),
    "flip": Switch(
        {
            "after": "one own point card may be turned to its vegetable after the draft",
            "never": "no point card is turned",
        }
    ),
    "zero": Switch(
        {
            "nothing": "even/odd cards score nothing for none of their vegetable",
            "even": "none of a vegetable is an even number",
            "odd": "none of a vegetable is an odd number",
        },
        BOTH_GAMES,
    ),
    "sets": Switch(
        {
            "repeat": "a set scores each time it is complete",
            "once": "a set scores once",
            "complete-once": "the complete set scores once, other sets each time",
        },
        BOTH_GAMES,
    ),
    "split": Switch(
        {
            "up": "an empty pile gets the bottom half of the largest, rounded up",
            "down": "an empty pile gets the bottom half of the largest, rounded down",
            "draw": "an empty pile stays empty, and its slots draw from the bottom of the largest other pile",
        }
    ),
    "split_tie": Switch(
        {
            "first": "of equal largest piles the lowest-numbered gives",
            "random": "of equal largest piles any may give",
        }
    ),
    "tie_break": Switch(
        {
            "later": "of equal totals the later seat wins",
            "earlier": "of equal totals the earlier seat wins",
            "last-turn": "of equal totals the one whose last turn came later wins",
            "fewer-cards": "of equal totals the one with fewer point cards wins, then the later seat",
            "shared": "equal totals share the win",
        }
    ),
    "next_start": Switch(
        {
            "next": "the next seat starts the next round",
            "random": "any seat starts the next round",
            "last-placed": "who has the fewest points so far starts the next round",
        }
    ),
    "throw": Switch(
        {
            "off": "no face-up card may be thrown away",
            "on": "a face-up card may be thrown away and replaced instead of drafting",
        },
        ("hand-draft",),
    ),
}
"""Every switch with its values; what a value does stands in the kernels that compare with its code, below."""

CHOICES = {name: tuple(switch.values) for name, switch in SWITCHES.items()}
"""The allowed values of each switch, the official one first. A value's index is its code in the kernels."""

WHO_WINS = {
    "later": "giving the win to the later seat",
    "earlier": "giving the win to the earlier seat",
    "last-turn": "giving the win to who took the last turn",
    "fewer-cards": "giving the win to who has fewer point cards",
    "shared": "sharing the win",
}
"""What each tie-break does with equal totals, as the subject of a sentence."""

# Codes that kernels compare with, each the place of the value in its switch.
UP_TO_TWO = CHOICES["vegetables"].index("up-to-two")
FLIP_NEVER = CHOICES["flip"].index("never")
SPLIT_UP, SPLIT_DOWN, SPLIT_DRAW = range(len(CHOICES["split"]))
TIE_RANDOM = CHOICES["split_tie"].index("random")
LATER, EARLIER, LAST_TURN, FEWER_CARDS, SHARED = range(len(CHOICES["tie_break"]))
START_NEXT, START_RANDOM, START_LAST_PLACED = range(len(CHOICES["next_start"]))

OFFICIAL_DECK = "official"
MOST_ROUNDS = 12
OTHERS = {
    "of_each": ("official, a number, or six numbers", ("point-salad",)),
    "deck": ("official, or card ids as in 0-17,30", BOTH_GAMES),
    "rounds": (f"1..{MOST_ROUNDS}", ("point-salad",)),
}
"""The switches that take numbers: what is allowed, in words, and the games in which they mean something."""

MOST_OF_EACH = 999
MOST_IN_DECK = 1296
"""As many as a card set may have."""
N_VEGETABLES = 6


@dataclass(frozen=True)
class Rules:
    """The rules in force; the defaults are the official ones.

    Attributes
    ----------
    vegetables : {"two", "up-to-two"}
        Vegetables taken from the market on a turn; with "two", one only if the market holds just one.
    flip : {"after", "never"}
        Whether one own point card may be turned to its vegetable after the draft.
    zero : {"nothing", "even", "odd"}
        What an even/odd card scores for zero vegetables.
    sets : {"repeat", "once", "complete-once"}
        How often a card for a set of vegetables scores: each time it is complete, once, or only the complete set once.
    split : {"up", "down", "draw"}
        How an empty pile is replaced: by the bottom half of the largest pile, rounded up or down; or not at all, and
        single cards come from the bottom of the largest other pile.
    split_tie : {"first", "random"}
        Which of equal largest piles gives.
    tie_break : {"later", "earlier", "last-turn", "fewer-cards", "shared"}
        Who wins when totals are equal.
    of_each : str
        Cards of each vegetable in a round's deck: "official" (three for each player), one number for all, or six
        numbers in the order cabbage, carrot, lettuce, onion, pepper, tomato, as in "6,6,6,6,6,9".
    deck : str
        The cards that play: "official" (drawn at random as ``of_each`` says), or a fixed list of ids as in "0-17,30".
    rounds : int
        Rounds of a match, 1..12, played with disjoint decks; the highest total of all rounds wins.
    next_start : {"next", "random", "last-placed"}
        Who starts the next round of a match: the next seat, anyone, or who has the fewest points so far.
    throw : {"off", "on"}
        Hand-draft game only: whether a face-up card may be thrown away instead of drafting.

    Raises
    ------
    InputError
        If a value is not among those allowed.
    """

    vegetables: str = "two"
    flip: str = "after"
    zero: str = "nothing"
    sets: str = "repeat"
    split: str = "up"
    split_tie: str = "first"
    tie_break: str = "later"
    of_each: str = OFFICIAL_DECK
    deck: str = OFFICIAL_DECK
    rounds: int = 1
    next_start: str = "next"
    throw: str = "off"

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise unknown(f"value of rule {name}", str(value), allowed)
        object.__setattr__(self, "of_each", _read_numbers("of_each", self.of_each))
        object.__setattr__(self, "deck", _read_ids(self.deck))
        object.__setattr__(self, "rounds", _read_rounds(self.rounds))
        if self.deck != OFFICIAL_DECK and self.of_each != OFFICIAL_DECK:
            raise InputError(
                f"rule deck={self.deck} names the very cards that play, so of_each={self.of_each} cannot be given too"
            )

    def code(self, name: str) -> int:
        """Return the integer by which kernels know the value of switch ``name``."""
        return CHOICES[name].index(getattr(self, name))

    def in_words(self, name: str) -> str:
        """Return what the value of switch ``name`` means."""
        return SWITCHES[name].values[getattr(self, name)]

    def codes(self) -> dict[str, int]:
        """Return the integer of every switch that kernels branch on."""
        return {name: self.code(name) for name in CHOICES}

    def as_dict(self) -> dict[str, str | int]:
        """Return every switch and its value."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def changed(self) -> dict[str, str | int]:
        """Return the switches that differ from the official rules."""
        return {name: value for name, value in self.as_dict().items() if value != getattr(OFFICIAL, name)}

    def numbers_of_each(self, n_players: int) -> list[int]:
        """Return how many cards of each vegetable a round's deck has, as ``of_each`` says."""
        if self.of_each == OFFICIAL_DECK:
            return [3 * n_players] * N_VEGETABLES
        numbers = [int(number) for number in self.of_each.split(",")]
        return numbers * N_VEGETABLES if len(numbers) == 1 else numbers

    def card_ids(self) -> list[int] | None:
        """Return the ids of a fixed deck in ascending order, or None where cards are drawn."""
        return None if self.deck == OFFICIAL_DECK else _expand(self.deck)

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Rules:
        """Build rules from switches by name; those not given are official.

        Raises
        ------
        InputError
            If a name or a value is not among those allowed.
        """
        names = [field.name for field in fields(cls)]
        for name in given:
            if name not in names:
                raise unknown("rule", name, names)
        return cls(**{name: _as_text(name, value) for name, value in given.items()})  # type: ignore[arg-type]


def _as_text(name: str, value: object) -> object:
    """Return a value from a rules file or an option in the form that the switches take."""
    if name in ("of_each", "deck") and isinstance(value, (list, tuple)):
        return ",".join(str(each) for each in value)
    if name in ("of_each", "deck") and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if name in CHOICES and not isinstance(value, str):
        raise InputError(f"rule {name} takes one of {', '.join(CHOICES[name])}, not {repr(value)[:60]}")
    return value


def _read_numbers(name: str, given: object) -> str:
    if given == OFFICIAL_DECK:
        return OFFICIAL_DECK
    numbers = str(given).replace(" ", "").split(",")
    good = all(re.fullmatch(r"[0-9]{1,4}", number) for number in numbers) and len(numbers) in (1, N_VEGETABLES)
    values = [int(number) for number in numbers] if good else []
    if not values or max(values) > MOST_OF_EACH or sum(values) == 0:
        raise InputError(
            f"rule {name} takes 'official', a whole number 1..{MOST_OF_EACH}, or six of them as in 6,6,6,6,6,9; "
            f"not {str(given)[:60]!r}"
        )
    return ",".join(str(value) for value in values)


def _read_ids(given: object) -> str:
    if given == OFFICIAL_DECK:
        return OFFICIAL_DECK
    text = str(given).replace(" ", "")
    if not re.fullmatch(r"\d{1,5}(-\d{1,5})?(,\d{1,5}(-\d{1,5})?)*", text):
        raise InputError(f"rule deck takes 'official' or card ids as in 0-17,30; not {str(given)[:60]!r}")
    n_cards = 0
    for part in text.split(","):
        first, _, last = part.partition("-")
        if last and int(last) < int(first):
            raise InputError(f"rule deck: {part!r} counts downwards; write {last}-{first}")
        n_cards += int(last or first) - int(first) + 1
    if n_cards > MOST_IN_DECK:  # before they are listed: a short text can name very many
        raise InputError(f"rule deck names up to {MOST_IN_DECK} cards, not {n_cards}")
    ids = _expand(text)
    twice = sorted({card for card in ids if ids.count(card) > 1})
    if twice:
        raise InputError(f"rule deck names card {twice[0]} twice; each card is in the deck once")
    return text


def _expand(text: str) -> list[int]:
    ids: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        ids.extend(range(int(first), int(last or first) + 1))
    return sorted(ids)


def _read_rounds(given: object) -> int:
    text = str(given)
    if not re.fullmatch(r"\d{1,4}", text) or not 1 <= int(text) <= MOST_ROUNDS:
        raise InputError(f"rule rounds takes a whole number 1..{MOST_ROUNDS}, not {text[:60]!r}")
    return int(text)


OFFICIAL = Rules()


def allowed_values() -> dict[str, str]:
    """Return what each switch may be, in words."""
    others = {name: text for name, (text, _) in OTHERS.items()}
    return {name: ", ".join(values) for name, values in CHOICES.items()} | others


def switches_of(game: str) -> tuple[str, ...]:
    """Return the switches that mean something in a game, in the order of `Rules`."""
    games = {name: switch.games for name, switch in SWITCHES.items()}
    games |= {name: those for name, (_, those) in OTHERS.items()}
    return tuple(field.name for field in fields(Rules) if game in games[field.name])
