"""House rules that a program can check: who imports whom, how kernels are made, where chance comes from, sizes."""

import ast
import importlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.places import ROOT

PACKAGE = ROOT / "salad_sim"
USER_SPACE = ("strategies", "experiments")

DOORS = tuple(f"salad_sim{door}" for door in ("", ".strategy", ".kit", ".experiment", ".env", ".vector"))
"""All that strategies and experiments import of the program."""

MOST_LINES = 400
MOST_FUNCTION_LINES = 40
"""Of a function without its docstring: what is well documented may be so at length."""

MOST_ARGUMENTS = 8
"""Of a kernel."""

KERNELS = {"kernel", "inline_kernel", "strategy", "compiled"}
"""What makes a kernel of a function."""

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


def public(body: list[ast.stmt]) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Public functions and classes, and the public methods of these."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body)


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
    if file == PACKAGE / "tools" / "playing" / "web.py":  # its token is to be guessed by nobody
        return
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
    for node in functions(tree):
        n_lines = (node.end_lineno or node.lineno) - node.lineno + 1
        if ast.get_docstring(node):
            n_lines -= (node.body[0].end_lineno or 0) - node.body[0].lineno + 1
        if n_lines > MOST_FUNCTION_LINES:
            yield node, f"{node.name} has {n_lines} lines"


def kernels_take_few_arguments(file: Path) -> Iterator[tuple[ast.AST, str]]:
    for node in functions(tree_of(file)):
        if is_kernel(node) and len(node.args.args) > MOST_ARGUMENTS:
            yield node, f"{node.name} takes {len(node.args.args)} arguments"


def what_is_no_kernel_is_typed(file: Path) -> Iterator[tuple[ast.AST, str]]:
    for node in functions(tree_of(file)):
        arguments = [each for each in node.args.args + node.args.kwonlyargs if each.arg not in ("self", "cls")]
        if not is_kernel(node) and not (node.returns and all(each.annotation for each in arguments)):
            yield node, node.name


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    yield from (node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))


def is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a decorator compiles a function."""
    called = (each.func if isinstance(each, ast.Call) else each for each in node.decorator_list)
    return any(isinstance(each, ast.Name) and each.id in KERNELS for each in called)


def a_file_says_first_what_it_does(file: Path) -> Iterator[tuple[ast.AST, str]]:
    tree = tree_of(file)
    if not ast.get_docstring(tree):
        yield tree, "no docstring"


def what_is_public_is_documented(file: Path) -> Iterator[tuple[ast.AST, str]]:
    yield from ((node, node.name) for node in public(tree_of(file).body) if not ast.get_docstring(node))


RULES: dict[Rule, list[Path]] = {
    core_names_no_user_space: PACKAGE_FILES,
    users_come_in_by_the_doors: USER_FILES,
    kernels_are_made_by_the_one_decorator: ALL_FILES,
    chance_comes_from_seeded_streams: ALL_FILES,
    nothing_is_unpickled: [file for file in ALL_FILES if file.name != "cache.py" or file.parent.name != "jit"],
    files_and_functions_are_of_a_size_to_read: ALL_FILES,
    kernels_take_few_arguments: ALL_FILES,
    what_is_no_kernel_is_typed: PACKAGE_FILES,
    a_file_says_first_what_it_does: ALL_FILES,
    what_is_public_is_documented: PACKAGE_FILES,
}
"""Each rule and the files it holds for."""

BREACHES = [
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
    (kernels_take_few_arguments, "@kernel\ndef f(a, b, c, d, e, f, g, h, i): pass"),
    (kernels_take_few_arguments, "@strategy('x')\ndef f(a, b, c, d, e, f, g, h, i): pass"),
    (what_is_no_kernel_is_typed, "def f(a: int): pass"),
    (what_is_no_kernel_is_typed, "def f(a) -> None: pass"),
    (a_file_says_first_what_it_does, "x = 1"),
    (a_file_says_first_what_it_does, ""),
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


def test_one_name_means_one_thing() -> None:
    classes = [
        node.name
        for file in ALL_FILES
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]
    assert not {name for name in classes if classes.count(name) > 1}


def test_the_house_stands() -> None:
    """The contracts in pyproject.toml hold: who may import whom."""
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout


def test_a_wrong_import_is_noticed(tmp_path: Path) -> None:
    for file in [*PACKAGE_FILES, ROOT / "pyproject.toml"]:
        copy = tmp_path / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
    wrong = {
        "jit/typing.py": "import salad_sim.cli",  # upwards
        "studies/rules/result.py": "def late():\n    from salad_sim.studies import league",  # into another study
        "stats/intervals.py": "from salad_sim.game import rules",  # stats knows no game
        "attic.py": "",  # a module without a place
    }
    for name, code in wrong.items():
        with (tmp_path / "salad_sim" / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{code}\n")
    done = lint_imports(tmp_path)
    assert done.returncode == 1
    for told in (
        "salad_sim.jit.typing -> salad_sim.cli",
        "salad_sim.studies.rules.result -> salad_sim.studies.league",
        "salad_sim.stats.intervals -> salad_sim.game.rules",
        "salad_sim.attic",
    ):
        assert told in done.stdout


def lint_imports(folder: Path) -> "subprocess.CompletedProcess[str]":
    """Hold the package in a folder to the contracts of the pyproject.toml beside it."""
    code = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    command = [sys.executable, "-P", "-c", code, "--no-cache", "--no-logo"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def test_no_strategy_hides_a_standard_module() -> None:
    assert not {file.stem for file in USER_FILES} & sys.stdlib_module_names


def code_of_others() -> Iterator[tuple[str, str]]:
    """Python that documents show, and strategies and experiments that tests write into files: where, and the code."""
    for file in DOCUMENTS:
        for block in re.findall(r"^```python\n(.*?)^```", file.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            yield str(file.relative_to(ROOT)), block
    for file in sorted({*(ROOT / "tests").rglob("*.py")} - {ROOT / "tests" / "test_moved.py"}):
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


def section(file: Path, heading: str) -> str:
    """What stands in a document under a heading, up to the next one."""
    return re.split(r"^#+ ", file.read_text(encoding="utf-8").split(f"\n{heading}\n")[1], maxsplit=1, flags=re.M)[0]


def test_the_map_shows_the_rooms() -> None:
    """README's map has the rooms in the order of the contract, and says of each what its first line says."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = config["tool"]["importlinter"]["contracts"][0]["layers"]
    rooms = [PACKAGE / name for line in layers for name in line.split(" | ")]
    files = [room / "__init__.py" if room.is_dir() else room.with_suffix(".py") for room in rooms]
    said = [(ast.get_docstring(tree_of(file)) or "").split("\n")[0] for file in files]
    shown = re.findall(r"^    (\w+)(/|\.py) +(.*)$", section(ROOT / "README.md", "## The map"), re.M)
    assert [(name, what) for name, _, what in shown] == [
        (room.name, what) for room, what in zip(rooms, said, strict=True)
    ]


def test_the_kit_is_documented() -> None:
    listed = re.findall(
        r"`(\w+)`", "".join(re.findall(r"^\|.*", section(ROOT / "CONTRIBUTING.md", "### The kit"), re.M))
    )
    assert sorted(listed) == sorted(importlib.import_module("salad_sim.kit").__all__)


def test_documents_name_files_that_are_there() -> None:
    named = {
        (str(file.relative_to(ROOT)), path)
        for file in DOCUMENTS
        for path in re.findall(r"`((?:salad_sim|strategies|experiments|tests|benchmarks)/[\w./]+)`", file.read_text())
    }
    assert len(named) > 10
    assert not [(file, path) for file, path in named if not (ROOT / path).exists()]
