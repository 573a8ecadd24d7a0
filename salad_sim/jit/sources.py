"""Which files compiled code depends on, and a hash of what in them can change it.

Counted is everything that kernels are compiled from or fed with: kernels, constants, record dtypes, and plain functions
too, for by these the rules and the facts of cards reach the kernels. Not counted is what only people and type checkers
read: comments, docstrings, layout, and what errors say.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from pathlib import Path

PACKAGE = Path(__file__).parent.parent

DOOR = "kit.py"
"""Names the kernels for strategies: another kernel under a name is other code for those who use it."""


def fingerprint(files: list[Path], *more: str) -> str:
    """Hash the names and bytes of ``files`` and the strings ``more`` into 16 hex digits."""
    digest = hashlib.sha256("\0".join(more).encode())
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def code_fingerprint(package: Path = PACKAGE) -> str:
    """Hash what in the sources of kernels can change compiled code, or what it is fed with, into 16 hex digits."""
    digest = hashlib.sha256()
    for file, tree in sorted(kernel_sources(package).items()):
        digest.update(f"{file.relative_to(package).as_posix()}\0{ast.dump(tree)}\0".encode())
    return digest.hexdigest()[:16]


def kernel_sources(package: Path = PACKAGE) -> dict[Path, ast.Module]:
    """Read the files of the package that kernels stand in, the door to them, and all that these import.

    Returns
    -------
    dict of Path to ast.Module
        Their code without words, see `_WithoutWords`.
    """
    texts = {file: file.read_text(encoding="utf-8") for file in package.rglob("*.py")}
    new = {file for file, text in texts.items() if re.search(r"^@(inline_)?kernel$", text, re.M)}
    new |= {package / DOOR} & texts.keys()
    found: dict[Path, ast.Module] = {}
    while new:
        imported: set[str] = set()
        for file in new:
            reader = _WithoutWords()
            found[file] = reader.visit(ast.parse(texts[file]))
            imported |= reader.imported
        homes = [package.joinpath(*name.split(".")[1:]) for name in imported if name.startswith(f"{package.name}.")]
        new = {file for home in homes for file in (home.with_suffix(".py"), home / "__init__.py")}
        new = (new & texts.keys()) - found.keys()
    return found


class _WithoutWords(ast.NodeTransformer):
    """Takes out docstrings, of raised errors all but their kind, and what only type checkers see; notes the imports.

    Imports inside functions are noted too: these may make a constant or a record.
    """

    def __init__(self) -> None:
        self.imported: set[str] = set()

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Visit statements only: there is nothing to take out of an expression."""
        return node if isinstance(node, ast.expr) else super().generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        """Take out a text that stands alone."""
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        """Leave the kind of the error."""
        return ast.Raise(node.exc.func) if isinstance(node.exc, ast.Call) else node

    def visit_If(self, node: ast.If) -> ast.AST | None:
        """Take out what is for type checkers."""
        is_for_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if is_for_types else self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> ast.Import:
        """Note the modules."""
        self.imported |= {each.name for each in node.names}
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom:
        """Note the module, and what may be modules of it."""
        self.imported |= {node.module or "", *(f"{node.module}.{each.name}" for each in node.names)}
        return node
