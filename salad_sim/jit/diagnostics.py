"""One clear line out of a compiler's many: what is wrong with a kernel, in which line of which file.

numba (0.68) answers a mistake with pages that spell out whole records; an unknown field of a record is a bare KeyError
without a place. Here the records get their short names back and the place is that of the author's own line.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError

from salad_sim.errors import nearest

LIBRARIES = (Path(__file__).parent.parent, Path(numba.__file__).parent)
"""A line in here is not the author's."""

NOISE = ("Failed in", "During: ", "File ", "- ", "Overload ", "With argument", "<source", "There are ", "^", ">>>")
NO_FORM = "No implementation of function"


def definition_line(function: Callable[..., Any]) -> int:
    """Return the line of a function's ``def``, below its decorators."""
    definition = _definition(function)
    return function.__code__.co_firstlineno if definition is None else definition.lineno


def return_line(function: Callable[..., Any]) -> int:
    """Return the line of a function's only ``return``; that of its ``def`` where there are several or none."""
    definition = _definition(function)
    returns = [node.lineno for node in ast.walk(definition or ast.Pass()) if isinstance(node, ast.Return)]
    return returns[0] if len(returns) == 1 else definition_line(function)


def returned_in_words(what: Any) -> str:
    """Say what a kernel returns that should return a move."""
    if isinstance(what, types.Optional):
        return "a move on some paths and nothing on others"
    if isinstance(what, types.NoneType):
        return "nothing"
    return str(what)


def _definition(function: Callable[..., Any]) -> ast.FunctionDef | None:
    """Find a function in its file by its first line, which is that of its first decorator."""
    first = function.__code__.co_firstlineno
    for node in ast.walk(ast.parse(Path(inspect.getfile(function)).read_bytes())):
        if isinstance(node, ast.FunctionDef):
            lines = [node.lineno, *(decorator.lineno for decorator in node.decorator_list)]
            if min(lines) == first:
                return node
    return None


def explain(function: Callable[..., Any], files: Sequence[Path], arguments: dict[str, Any], error: Exception) -> str:
    """Say in one line why ``function`` did not compile.

    Parameters
    ----------
    function : callable
        The plain Python function.
    files : sequence of pathlib.Path
        The author's files, that of the function first.
    arguments : dict of str to numba type
        What the function is called with, by name.
    error : Exception
        What the compiler raised.

    Returns
    -------
    str
        ``file, line n: reason``.
    """
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    if isinstance(error, (KeyError, AttributeError)) and error.args:
        name = str(getattr(error, "name", None) or error.args[0])
        place = _place_of_name(files, f".{name}")
        fields = sorted({field for argument in arguments.values() for field, _ in _fields(argument)})
        if isinstance(error, KeyError):
            text = f"no record has a field {name!r}{nearest(name, fields)}"
    else:
        unknown = re.search(r"name '(\w+)' is not defined", text)  # of which the compiler names the caller's line only
        place = (_place_of_name(files, unknown[1]) if unknown else None) or _place_in(text, error)
    if "Cannot bind" in text:
        place, text = _wrong_call(function, files[0]) or (place, text)
    file, line = place or (Path(inspect.getfile(function)), definition_line(function))
    return f"{file}, line {line}: {_reason(_short(text, arguments))}"


def _place_in(text: str, error: Exception) -> tuple[Path, int] | None:
    """Return the innermost of the author's lines that the compiler names."""
    named = [(Path(file), int(line)) for file, line in re.findall(r" (?:at|from) (\S[^\n]*?) \((\d+)\)", text)]
    where = getattr(error, "loc", None)
    if isinstance(error, NumbaError) and where is not None:
        named.append((Path(where.filename), int(where.line)))
    return next(((file, line) for file, line in named if _is_authors(file)), None)


def _is_authors(file: Path) -> bool:
    return file.is_file() and not any(file.is_relative_to(library) for library in LIBRARIES)


def _place_of_name(files: Sequence[Path], name: str) -> tuple[Path, int] | None:
    """Return where the author first reads a name, or writes an attribute if it begins with a dot."""
    wanted = re.findall(r"\w+", name)[-1:]
    for file in files:
        nodes = [node for node in ast.walk(ast.parse(file.read_bytes())) if isinstance(node, ast.expr)]
        lines = [node.lineno for node in nodes if [_written(node, name[:1] == ".")] == wanted]
        if lines:
            return file, min(lines)
    return None


def _written(node: ast.expr, as_attribute: bool) -> str | None:
    if as_attribute:
        return node.attr if isinstance(node, ast.Attribute) else None
    return node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else None


def _wrong_call(function: Callable[..., Any], file: Path) -> tuple[tuple[Path, int], str] | None:
    """Return where ``file`` calls a kernel with arguments that do not fit it, and why; numba does not always say."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        name = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        called = getattr(function.__globals__.get(name), "py_func", None)
        if called is None or not isinstance(node, ast.Call):
            continue
        given = dict.fromkeys(keyword.arg for keyword in node.keywords if keyword.arg)
        try:
            inspect.signature(called).bind(*node.args, **given)
        except TypeError as error:
            fits = f"{name}{inspect.signature(called)}"
            return (file, node.lineno), f"{ast.unparse(node)} does not fit {fits}: {error}"
    return None


def _fields(record: Any) -> Iterator[tuple[str, Any]]:
    """Yield every field of a record type and of the records within, with its type."""
    for name, field in getattr(record, "fields", {}).items():
        inner = field.type
        while isinstance(inner, types.NestedArray):
            inner = inner.dtype
        yield name, inner
        yield from _fields(inner)


def _short(text: str, arguments: dict[str, Any]) -> str:
    """Put the name of a record where the compiler spelled it out."""
    names = dict(arguments)
    for argument in arguments.values():
        names.update((name, inner) for name, inner in _fields(argument) if isinstance(inner, types.Record))
    spelled = [(spelling, name) for name, record in names.items() for spelling in (str(record), repr(record))]
    for spelling, name in sorted(spelled, key=lambda each: -len(each[0])):
        text = text.replace(spelling, name)
    text = re.sub(r"Literal\[\w+\]\((.*?)\)", r"\1", text)
    return re.sub(r"nestedarray\((\w+), \(([\d, ]+?),?\)\)", r"\1[\2]", text)


def _reason(text: str) -> str:
    """Pick the line that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = _said(lines)
    if said.startswith(NO_FORM):
        call = next((line.removeprefix(">>>").strip() for line in lines if line.startswith(">>>")), said)
        detail = next((line.split(": ", 1)[1] for line in lines if re.match(r"\w+Error: ", line)), "")
        return f"kernels cannot do {call}" + (f": {detail}" if detail else "")
    if "Cannot determine Numba type of <class 'function'>" in said:
        return f"{said.split(':')[0].replace('Untyped global name', 'plain function')}; put @kernel on it"
    return re.sub(r"\.? ?Raised from \S+$", "", said.removeprefix("NameError: "))


def _said(lines: Iterable[str]) -> str:
    return next((line for line in lines if not line.startswith(NOISE)), "")
