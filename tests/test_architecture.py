"""House rules that a program can check: who imports whom, how kernels are made, where chance comes from, sizes."""

import ast
import importlib
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.places import ROOT

PACKAGE = ROOT / "salad_sim"
USER_SPACE = ("strategies", "experiments")

# From the top down. A module may import those of lower lines only; those of one line do not know each other, but
# inside a folder they do. A new file takes its place here first.
LAYERS = (
    "cli",
    "experiment",
    "tools",
    "studies",
    "report",
    "stats",
    "cluster",
    "storage",
    "run",
    "kit",
    "hand_draft",
    "play",
    "strategy",
    "game",
    "files",
    "jit",
    "errors",
)
HEIGHT = {name: -number for number, line in enumerate(LAYERS) for name in line.split()}

DOORS = ("salad_sim", "salad_sim.strategy", "salad_sim.kit", "salad_sim.experiment")
"""All that strategies and experiments import of the program."""

MOST_LINES = 500
MOST_FUNCTION_LINES = 60

COMPILERS = {"njit", "jit", "vectorize", "guvectorize", "cfunc", "stencil", "prange", "jitclass"}
CHANCE = {"random", "secrets", "uuid"}
PICKLES = {"pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}

DOCUMENTS = [file for name in ("README.md", "CONTRIBUTING.md", "docs/*.md") for file in sorted(ROOT.glob(name))]
PACKAGE_FILES = sorted(PACKAGE.rglob("*.py"))
USER_FILES = sorted(file for folder in USER_SPACE for file in (ROOT / folder).rglob("*.py"))
ALL_FILES = PACKAGE_FILES + USER_FILES

Rule = Callable[[Path], Iterator[tuple[ast.AST, str]]]


def tree_of(file: Path) -> ast.Module:
    return ast.parse(file.read_bytes())


def imports(file: Path) -> Iterator[tuple[ast.AST, str]]:
    """Every imported module by its full name, wherever the import stands."""
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Import):
            yield from ((node, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node, "." * node.level + (node.module or "")
            if node.module in ("salad_sim", "numba", "numpy"):  # as in: from salad_sim import plots
                yield from ((node, f"{node.module}.{alias.name}") for alias in node.names)


def here(file: Path) -> str:
    """The room of the house in which a file of the package stands; a file from elsewhere stands at the bottom."""
    return file.relative_to(PACKAGE).parts[0].removesuffix(".py") if file.is_relative_to(PACKAGE) else "errors"


def public(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Public functions and classes, and the public methods of these."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body)


def imports_point_down(file: Path) -> Iterator[tuple[ast.AST, str]]:
    for node, module in imports(file):
        parts = module.split(".")
        if module.startswith("."):
            yield node, "a relative import"
        elif parts[0] == "salad_sim" and len(parts) > 1 and parts[1] in HEIGHT and here(file) != "__init__":
            inside = here(file) == parts[1] and (PACKAGE / parts[1]).is_dir()
            if HEIGHT[parts[1]] >= HEIGHT[here(file)] and not inside:
                yield node, f"{here(file)} imports {parts[1]}"


def core_names_no_user_space(file: Path) -> Iterator[tuple[ast.AST, str]]:
    names = {*USER_SPACE, *(f"salad_sim_{folder}" for folder in USER_SPACE)}
    yield from ((node, f"imports {module}") for node, module in imports(file) if module.split(".")[0] in names)


def users_come_in_by_the_doors(file: Path) -> Iterator[tuple[ast.AST, str]]:
    yield from past_the_doors(tree_of(file))


def past_the_doors(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Imports of the program, or of the compiler, by other ways than the doors offer."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module in DOORS:
            known = offered(node.module)
            names = [f"{node.module}.{alias.name}" for alias in node.names if alias.name not in known]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "."]
        else:
            continue
        for name in names:
            if name.split(".")[0] in ("salad_sim", "numba") and name not in DOORS:
                yield node, f"imports {name}"


def offered(door: str) -> set[str]:
    """The names that a door has for whoever comes in by it."""
    module = importlib.import_module(door)
    return {*getattr(module, "__all__", ()), *getattr(module, "PARTS", ())}


def kernels_are_made_by_the_one_decorator(file: Path) -> Iterator[tuple[ast.AST, str]]:
    if file == PACKAGE / "jit" / "kernel.py":
        return
    for node in ast.walk(tree_of(file)):
        for name in (getattr(node, "attr", ""), getattr(node, "id", ""), getattr(node, "name", "")):
            if name in COMPILERS:
                yield node, name


def chance_comes_from_seeded_streams(file: Path) -> Iterator[tuple[ast.AST, str]]:
    for node, module in imports(file):
        if module.split(".")[0] in CHANCE or module.startswith("numpy.random"):
            yield node, f"imports {module}"
    for node in ast.walk(tree_of(file)):
        owner = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(owner, ast.Name) and f"{owner.id}.{node.attr}" in {"np.random", "numpy.random", "os.urandom"}:
            yield node, f"{owner.id}.{node.attr}"


def nothing_is_unpickled(file: Path) -> Iterator[tuple[ast.AST, str]]:
    yield from ((node, f"imports {module}") for node, module in imports(file) if module.split(".")[0] in PICKLES)
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.Attribute) and node.attr in {"read_pickle", "to_pickle"}:
            yield node, node.attr
        is_pickle = isinstance(node, ast.keyword) and node.arg == "allow_pickle"
        if is_pickle and not (isinstance(node.value, ast.Constant) and node.value.value is False):
            yield node, "allow_pickle"


def files_and_functions_are_of_a_size_to_read(file: Path) -> Iterator[tuple[ast.AST, str]]:
    tree = tree_of(file)
    n_lines = len(file.read_text(encoding="utf-8").splitlines())
    if n_lines > MOST_LINES:
        yield tree, f"{n_lines} lines"
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            n_lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if n_lines > MOST_FUNCTION_LINES:
                yield node, f"{node.name} has {n_lines} lines"


def a_file_says_first_what_it_does(file: Path) -> Iterator[tuple[ast.AST, str]]:
    tree = tree_of(file)
    if tree.body and not ast.get_docstring(tree):
        yield tree, "no docstring"


def what_is_public_is_documented(file: Path) -> Iterator[tuple[ast.AST, str]]:
    yield from ((node, node.name) for node in public(tree_of(file).body) if not ast.get_docstring(node))


RULES: dict[Rule, list[Path]] = {
    imports_point_down: PACKAGE_FILES,
    core_names_no_user_space: PACKAGE_FILES,
    users_come_in_by_the_doors: USER_FILES,
    kernels_are_made_by_the_one_decorator: ALL_FILES,
    chance_comes_from_seeded_streams: ALL_FILES,
    nothing_is_unpickled: ALL_FILES,
    files_and_functions_are_of_a_size_to_read: ALL_FILES,
    a_file_says_first_what_it_does: ALL_FILES,
    what_is_public_is_documented: PACKAGE_FILES,
}
"""Each rule and the files it holds for."""

BREACHES = [
    (imports_point_down, "from salad_sim.game.engine import deal"),
    (imports_point_down, "def late():\n    from salad_sim import studies"),
    (imports_point_down, "from . import engine"),
    (core_names_no_user_space, "import salad_sim_strategies.greedy"),
    (core_names_no_user_space, "from strategies import greedy"),
    (users_come_in_by_the_doors, "from salad_sim.game.engine import list_drafts"),
    (users_come_in_by_the_doors, "def late():\n    import salad_sim.game.engine"),
    (users_come_in_by_the_doors, "from salad_sim import game"),
    (users_come_in_by_the_doors, "from salad_sim.kit import draw_cards"),
    (users_come_in_by_the_doors, "from salad_sim.experiment import re"),
    (users_come_in_by_the_doors, "from numba import types"),
    (kernels_are_made_by_the_one_decorator, "from numba import njit"),
    (kernels_are_made_by_the_one_decorator, "import numba\n@numba.njit\ndef f(): pass"),
    (chance_comes_from_seeded_streams, "import random"),
    (chance_comes_from_seeded_streams, "from numpy.random import default_rng"),
    (chance_comes_from_seeded_streams, "from numpy import random"),
    (chance_comes_from_seeded_streams, "import numpy as np\nnp.random.seed(1)"),
    (nothing_is_unpickled, "import pickle"),
    (nothing_is_unpickled, "np.load('x', allow_pickle=True)"),
    (nothing_is_unpickled, "frame.to_pickle('x')"),
    (files_and_functions_are_of_a_size_to_read, "\n" * MOST_LINES + "x = 1"),
    (files_and_functions_are_of_a_size_to_read, "def f():\n" + "    x = 1\n" * MOST_FUNCTION_LINES),
    (a_file_says_first_what_it_does, "x = 1"),
    (what_is_public_is_documented, "class C:\n    'doc'\n    def method(self): pass"),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_house_rule(rule: Rule) -> None:
    breaches = [
        f"{file.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}: {what}"
        for file in RULES[rule]
        for node, what in rule(file)
    ]
    assert not breaches


@pytest.mark.parametrize(("rule", "code"), BREACHES, ids=lambda value: getattr(value, "__name__", None))
def test_a_breach_is_noticed(rule: Rule, code: str, tmp_path: Path) -> None:
    file = tmp_path / "breach.py"
    file.write_text(code, encoding="utf-8")
    assert list(rule(file))


def test_every_module_has_its_place_in_the_house() -> None:
    rooms = {here(file) for file in PACKAGE_FILES} - {"__init__"}
    assert rooms <= set(HEIGHT), f"not in LAYERS: {sorted(rooms - set(HEIGHT))}"


def test_no_strategy_hides_a_standard_module() -> None:
    assert not {file.stem for file in USER_FILES} & sys.stdlib_module_names


def code_of_others() -> Iterator[tuple[str, str]]:
    """Python that documents show, and strategies and experiments that tests write into files: where, and the code."""
    for file in DOCUMENTS:
        for block in re.findall(r"^```python\n(.*?)^```", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            yield str(file.relative_to(ROOT)), block
    for file in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(tree_of(file)):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and re.search(
                r"^\s*@(strategy|experiment)\(|import .*\b(strategy|experiment)$", node.value, re.M
            ):
                yield f"{file.relative_to(ROOT)}:{node.lineno}", node.value


def test_documents_and_tests_come_in_by_the_doors() -> None:
    statements = [
        (where, statement.strip())
        for where, code in code_of_others()
        for statement in re.findall(r"^ *(?:from|import) +salad_sim\b(?:[^\n(]*\([^)]*\)|[^\n]*)", code, re.M)
    ]
    assert len(statements) > 20
    wrong = [(where, what) for where, text in statements for _, what in past_the_doors(ast.parse(text))]
    assert not wrong


@pytest.mark.parametrize("door", DOORS)
def test_a_door_has_what_it_offers(door: str) -> None:
    module = importlib.import_module(door)
    assert offered(door)
    assert not [name for name in offered(door) if not hasattr(module, name)]
