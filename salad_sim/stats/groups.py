"""Groups of items that are alike, for estimates that lend each other strength."""

from __future__ import annotations

from typing import Protocol


class Group(Protocol):
    """Items that are alike; each item is in one group.

    Attributes
    ----------
    name : str
    members : tuple of int
        Numbers of the items.
    """

    @property
    def name(self) -> str:
        """What the group is called."""

    @property
    def members(self) -> tuple[int, ...]:
        """The numbers of its items."""
