"""Rules: every rule switch of the game, validated, in one frozen object."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from salad_sim.errors import InputError, unknown

CHOICES: dict[str, tuple[str, ...]] = {
    "vegetables": ("two", "up-to-two"),
    "flip": ("after", "never"),
    "zero": ("nothing", "even", "odd"),
    "sets": ("repeat", "once", "complete-once"),
    "split": ("up", "down", "draw"),
    "split_tie": ("first", "random"),
    "tie_break": ("later", "earlier", "last-turn", "fewer-cards", "shared"),
}
"""The allowed values of each switch, the official one first. A value's index is its code in the kernels."""

# Codes that kernels compare with, each the index of the value in CHOICES.
UP_TO_TWO = 1
FLIP_NEVER = 1
SPLIT_DOWN, SPLIT_DRAW = 1, 2
TIE_RANDOM = 1
LATER, EARLIER, LAST_TURN, FEWER_CARDS, SHARED = range(5)


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
        How often a card for a set of vegetables scores.
    split : {"up", "down", "draw"}
        How an empty pile is replaced: by the bottom half of the largest pile, rounded up or down; or not at all, and
        single cards come from the bottom of the largest other pile.
    split_tie : {"first", "random"}
        Which of equal largest piles gives.
    tie_break : {"later", "earlier", "last-turn", "fewer-cards", "shared"}
        Who wins when totals are equal.

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

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise unknown(f"value of rule {name}", str(value), allowed)

    def code(self, name: str) -> int:
        """Return the integer by which kernels know the value of switch ``name``."""
        return CHOICES[name].index(getattr(self, name))

    def as_dict(self) -> dict[str, str]:
        """Return every switch and its value."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Rules:
        """Build rules from switches by name; those not given are official.

        Raises
        ------
        InputError
            If a name or a value is not among those allowed.
        """
        names = [field.name for field in fields(cls)]
        for name, value in given.items():
            if name not in names:
                raise unknown("rule", name, names)
            if not isinstance(value, str):
                raise InputError(f"rule {name} takes one of {', '.join(CHOICES[name])}, not {value!r}")
        return cls(**{name: str(value) for name, value in given.items()})


OFFICIAL = Rules()
