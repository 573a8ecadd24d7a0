"""Named rule profiles and rule files: TOML with a sentence on where it comes from, and the switches that differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from salad_sim.errors import InputError, nearest, quote, unknown
from salad_sim.files.toml import parse_toml, read_toml
from salad_sim.game.rules import Rules

FIELDS = ("about", "source", "rules")


@dataclass(frozen=True)
class RuleProfile:
    """Rules with a name.

    Attributes
    ----------
    name : str
    about : str
        What is special about them, in a sentence.
    source : str
        Where they come from.
    rules : Rules
    """

    name: str
    about: str
    source: str
    rules: Rules


@cache
def profiles() -> dict[str, RuleProfile]:
    """Return the profiles that come with the program, the official one first."""
    folder = resources.files("salad_sim").joinpath("game/data/rules")
    names = sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml"))
    names.sort(key=lambda name: name != "official")
    tables = {name: folder.joinpath(f"{name}.toml").read_bytes() for name in names}
    return {
        name: _profile(name, parse_toml(data, f"{name}.toml", "rules file"), f"{name}.toml")
        for name, data in tables.items()
    }


def load_profile(given: str) -> RuleProfile:
    """Return the profile that a user names: one of `profiles`, or a file ``.toml``.

    Raises
    ------
    InputError
        If there is no such profile or file, or the file is no good.
    """
    if given in profiles():
        return profiles()[given]
    if not given.endswith(".toml"):
        raise InputError(f"{unknown('rule profile', given, profiles())}, or a file that ends in .toml")
    return _profile(Path(given).stem, read_toml(given, "rules file"), given)


def _profile(name: str, table: dict[str, Any], where: str) -> RuleProfile:
    for key in table:
        if key not in FIELDS:
            hint = nearest(key, FIELDS)
            raise InputError(f"rules file {where!r}: unknown key {quote(key)}{hint}; switches stand under [rules]")
    for key in ("about", "source"):
        if not isinstance(table.get(key, ""), str):
            raise InputError(f"rules file {where!r}: {key} must be text, not {quote(table[key])}")
    switches = table.get("rules", {})
    if not isinstance(switches, dict):
        raise InputError(f"rules file {where!r}: [rules] must be a table of switches")
    try:
        rules = Rules.from_dict(switches)
    except InputError as error:
        raise InputError(f"rules file {where!r}: {error}") from None
    return RuleProfile(name, str(table.get("about", "")), str(table.get("source", "")), rules)


def read_rules(profile: str | None = None, switches: Sequence[str] = (), **more: object) -> Rules:
    """Return the rules of a profile with switches changed.

    Parameters
    ----------
    profile : str, optional
        As for `load_profile`; official by default.
    switches : sequence of str
        Each ``key=value``; they win over the profile.
    **more
        Switches by name, likewise; None leaves a switch alone.

    Raises
    ------
    InputError
        If a name or a value is not among those allowed, or a switch is given twice with different values.
    """
    base = load_profile(profile).rules if profile is not None else Rules()
    changes: dict[str, object] = {}
    for switch in switches:
        key, separator, value = switch.partition("=")
        if not separator:
            raise InputError(f"a rule is given as key=value, not {switch!r}; keys: {', '.join(base.as_dict())}")
        _set_once(changes, key.strip(), value.strip())
    for name, given in more.items():
        if given is not None:
            _set_once(changes, name, given)
    return Rules.from_dict({**base.as_dict(), **changes})


def _set_once(changes: dict[str, object], name: str, value: object) -> None:
    """Note a switch, unless it was given with another value before."""
    if name in changes and str(changes[name]) != str(value):
        raise InputError(f"rule {name} is given twice, as {changes[name]} and as {value}")
    changes[name] = value
