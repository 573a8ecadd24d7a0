"""Parameters of strategies: how they are declared, typed on the command line, and kept in a parameter file.

A user types ``rollout(n=100, policy=greedy)``, or ``planner:weights.toml`` with a file like this::

    strategy = "planner"

    [parameters]
    pace = 2.5
"""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from salad_sim.errors import InputError, nearest, quote
from salad_sim.files.toml import read_toml, toml_text
from salad_sim.game.state import N_PARAMS

if TYPE_CHECKING:
    from salad_sim.strategy.registry import Strategy

Value = float | int | str
"""A value as people read it: a number, or one of the choices by its name."""


@dataclass(frozen=True)
class Parameter:
    """A number that tunes a strategy, read as ``own.params[index]`` in the order of declaration.

    Attributes
    ----------
    default, low, high : float
        The value used when none is given, and the allowed range, both ends included.
    about : str
        What it does, in a few words.
    whole : bool
        Whether only whole numbers are allowed.
    choices : tuple of str
        Names of the values 0, 1, 2 ... if they have names; see `choice`.
    """

    default: float
    low: float
    high: float
    about: str
    whole: bool = False
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What may be given, in words: a range, or the choices."""
        if self.choices:
            return "|".join(self.choices)
        return f"{'whole, ' if self.whole else ''}{self._range}"

    @property
    def _range(self) -> str:
        return f"{int(self.low)} to {int(self.high)}" if self.whole else f"{self.low:g} to {self.high:g}"

    def read(self, name: str, given: object) -> float:
        """Return ``given``, a number or a text, as the number that the kernel reads.

        Raises
        ------
        InputError
            If it is no number, not finite, not whole, out of range, or none of the choices.
        """
        if self.choices:
            text = given.strip() if isinstance(given, str) else None
            if text not in self.choices:
                hint = nearest(text or "", self.choices)
                raise InputError(f"{name} must be one of {', '.join(self.choices)}, not {quote(given)}{hint}")
            return float(self.choices.index(text))
        value = _as_float(given)
        if not (math.isfinite(value) and self.low <= value <= self.high and (value.is_integer() or not self.whole)):
            kind = "a whole number" if self.whole else "a number"
            raise InputError(f"{name} must be {kind} from {self._range}, not {quote(given)}")
        return value + 0.0  # minus zero is zero

    def show(self, value: float) -> Value:
        """Return a value that the kernel reads as people read it."""
        if self.choices:
            return self.choices[int(value)]
        return int(value) if self.whole else value


def choice(default: str, choices: Iterable[str], about: str) -> Parameter:
    """Return a parameter whose values have names; the kernel reads the index of the name, 0 for the first.

    Parameters
    ----------
    default : str
        One of ``choices``.
    choices : iterable of str
        At least one name, each of letters, digits, ``_``, ``-`` and ``.``.
    about : str
        What it does, in a few words.

    Raises
    ------
    ValueError
        If ``default`` is not among the choices; the door then says in which line of the strategy's file.
    """
    names = tuple(choices)
    if default not in names:
        raise ValueError(f"the default {default!r} is not among the choices {', '.join(map(str, names))}")
    return Parameter(float(names.index(default)), 0.0, len(names) - 1.0, about, True, names)


def _as_float(given: object) -> float:
    """Return a number, or a text that is one, as a float; nan for anything else."""
    if isinstance(given, bool) or not isinstance(given, (str, numbers.Real)):
        return math.nan
    try:
        return float(given)
    except (ValueError, OverflowError):
        return math.nan


def check_declared(parameters: Mapping[str, Parameter]) -> None:
    """Check the parameters that a strategy declares.

    Raises
    ------
    InputError
        If there are too many, or one of them makes no sense.
    """
    if len(parameters) > N_PARAMS:
        raise InputError(f"may have {N_PARAMS} parameters, not {len(parameters)}")
    for name, each in parameters.items():
        if not isinstance(each, Parameter):
            raise InputError(f"{name} must be declared as a Parameter or choice, not {quote(each)}")
        if not re.fullmatch(r"[^\W\d]\w*", name):
            raise InputError(f"a parameter's name is letters, digits and '_', not {quote(name)}")
        if not isinstance(each.about, str):
            raise InputError(f"{name}: what it does is told in a text, not {quote(each.about)}")
        _check_range(name, each)


def _check_range(name: str, each: Parameter) -> None:
    for number in (each.default, each.low, each.high):
        value = _as_float(number)
        if isinstance(number, str) or not math.isfinite(value) or (each.whole and not value.is_integer()):
            kind = "whole numbers" if each.whole else "numbers"
            raise InputError(f"{name}: default, low and high must be {kind}, not {quote(number)}")
    if not each.low <= each.default <= each.high:
        raise InputError(f"{name}: the default {each.default:g} is not within {each.low:g} to {each.high:g}")
    if each.choices:
        texts = [text for text in each.choices if isinstance(text, str) and re.fullmatch(r"[\w.-]+", text)]
        if len(set(texts)) != len(each.choices):
            raise InputError(f"{name}: choices are different names of letters, digits, '_', '-', '.': {each.choices}")
        if (each.whole, each.low, each.high) != (True, 0, len(each.choices) - 1):
            raise InputError(f"{name}: choices are declared by choice(default, choices, about)")


def changed_values(given: Strategy, changes: Mapping[str, object]) -> tuple[float, ...]:
    """Return the values of a strategy with some of them changed.

    Raises
    ------
    InputError
        If a name or a value is not allowed, with the list of all that are.
    """
    values = dict(zip(given.parameters, given.values, strict=True))
    for name, value in changes.items():
        if not given.parameters:
            raise InputError(f"strategy {given.name!r} has no parameters, but {quote(name)} was given")
        if name not in given.parameters:
            hint = nearest(name, given.parameters)
            raise InputError(f"strategy {given.name!r} has no parameter {quote(name)}{hint}; {_listed(given)}")
        try:
            values[name] = given.parameters[name].read(name, value)
        except InputError as error:
            raise InputError(f"strategy {given.name!r}: {error}; {_listed(given)}") from None
    return tuple(values.values())


def _listed(given: Strategy) -> str:
    """Return all parameters of a strategy with what they allow."""
    return "parameters: " + ", ".join(f"{name} ({each.allowed})" for name, each in given.parameters.items())


def changed_text(given: Strategy, in_full: bool, from_defaults: bool = True) -> str:
    """Return the values, or those that differ from their defaults, as ``(name=value, ...)``; no brackets if none."""
    changed = [
        f"{name}={value:g}" if isinstance(value, float) and not in_full else f"{name}={value}"
        for (name, value), parameter, number in zip(
            given.settings.items(), given.parameters.values(), given.values, strict=True
        )
        if number != parameter.default or not from_defaults
    ]
    return f"({', '.join(changed)})" if changed else ""


@dataclass(frozen=True)
class Spec:
    """What a user typed to name a strategy, taken apart.

    Attributes
    ----------
    strategy : str
        ``name``, ``path/to/file.py`` or ``path/to/file.py:name``.
    file : str, optional
        A parameter file.
    changes : dict of str to str
        Values given in brackets, which win over the file.
    """

    strategy: str
    file: str | None
    changes: dict[str, str]


def read_spec(given: str) -> Spec:
    """Take apart what a user typed: ``name|file.py[:name]``, then ``[:file.toml]``, then ``[(name=value, ...)]``.

    Raises
    ------
    InputError
        If brackets or assignments are not in order.
    """
    base, inside = given.strip(), ""
    if base.endswith(")") and "(" in base:
        base, _, inside = base[:-1].rpartition("(")
        base = base.rstrip()
    if not base or re.search(r"[()]", re.split(r"\.py:?|\.toml", base)[-1] + inside):  # a path may have brackets
        raise InputError(f"parameters are given as in 'name(first=1, second=2)', not {quote(given)}")
    changes: dict[str, str] = {}
    for each in inside.split(",") if inside.strip() else []:
        name, separator, value = (part.strip() for part in each.partition("="))
        if not (name and separator and value):
            raise InputError(f"strategy {quote(base)}: a parameter is given as name=value, not {quote(each.strip())}")
        if name in changes:
            raise InputError(f"strategy {quote(base)}: {name} is given twice, as {changes[name]} and as {value}")
        changes[name] = value
    if base.endswith(".toml"):
        found = re.fullmatch(r"(.+\.py(?:\s*:[^:/\\]*)?|[^:]+):(.+)", base, re.DOTALL)
        if found is None:
            raise InputError(f"say whose parameters {quote(base)} holds, as in 'planner:weights.toml'")
        return Spec(found[1].strip(), found[2].strip(), changes)
    return Spec(base, None, changes)


def read_parameter_file(path: str, strategy: Strategy) -> tuple[float, ...]:
    """Return the values that a parameter file gives to a strategy; those it does not name stay as they are.

    Parameters
    ----------
    path : str
        A TOML file: ``strategy``, the name of the strategy that it is made for; the table ``[parameters]`` with
        values by name; other tables, such as ``[made]``, are for people.
    strategy : Strategy

    Raises
    ------
    InputError
        If the file cannot be read, is for another strategy, or holds what is not allowed.
    """
    table = read_toml(path, "parameter file")
    where = f"parameter file {path!r}"
    for key, value in table.items():
        if key not in ("strategy", "parameters") and not isinstance(value, dict):
            hint = nearest(key, ("strategy", "parameters"))
            raise InputError(f"{where}: unknown key {quote(key)}{hint}; values stand under [parameters]")
    if "strategy" not in table:
        raise InputError(f"{where} does not say whose it is: it needs strategy = {strategy.name!r}")
    if table["strategy"] != strategy.name:
        raise InputError(f"{where} is for the strategy {quote(table['strategy'])}, not {strategy.name!r}")
    if not isinstance(table.get("parameters"), dict):
        raise InputError(f"{where} has no table [parameters]")
    try:
        return changed_values(strategy, table["parameters"])
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def parameter_file_text(strategy: Strategy, made: Mapping[str, Any]) -> str:
    """Return a parameter file with all values of a strategy, in full precision.

    Parameters
    ----------
    strategy : Strategy
    made : mapping
        How the values came about, such as the command that made them; the table ``[made]``. Text, numbers,
        booleans, lists and mappings of them.
    """
    tables = {"parameters": strategy.settings, **({"made": made} if made else {})}
    return toml_text({"strategy": strategy.name, **tables})
