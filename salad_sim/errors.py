"""The errors a user can cause, each with one line that says what was given and what is allowed."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable


class SaladError(Exception):
    """Base of every error that salad-sim raises on purpose."""


class InputError(SaladError, ValueError):
    """Bad input: an option, a file or an argument. The command line prints it and exits with 2."""


class IllegalMoveError(SaladError):
    """A strategy made a move that the rules in force do not allow."""


class StrategyError(SaladError):
    """A strategy raised an error, or ran longer than a shard may."""


def nearest(given: str, allowed: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the allowed name nearest to ``given``, or an empty string."""
    close = difflib.get_close_matches(given, list(allowed), n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""


def unknown(what: str, given: str, allowed: Iterable[str]) -> InputError:
    """Build the error for a name that is not among those allowed."""
    names = list(allowed)
    return InputError(f"unknown {what} {given!r}{nearest(given, names)}; allowed: {', '.join(names)}")


def quote(given: object) -> str:
    """Return what was given as a message shows it, shortened."""
    short = reprlib.Repr()
    short.maxstring = short.maxother = 40
    return short.repr(given)


def printable(text: str) -> str:
    """Return a text in one line that a terminal shows and does not obey: it may come from anybody's file.

    Space of any kind becomes a space, and signs that are not printed are shown by their codes.
    """
    signs = (" " if sign.isspace() else sign for sign in text)
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in signs)
