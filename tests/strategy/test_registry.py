"""The plug-in door: every way in, every mistake in one clear line, and a disk cache that is never stale."""

import os
import re
import sys
import types
from pathlib import Path

import pytest

from salad_sim.errors import InputError
from salad_sim.strategy.registry import Parameter, find_strategies, load_file, load_strategy, strategy
from support.processes import run_python
from support.strategy_files import FIRST_LINE, StrategyWriter

pytestmark = pytest.mark.usefixtures("own_cache")

FINE = """
@strategy("{0}")
def choose_{0}(view, own, rng):
    '''Take the first legal draft.'''
    list_drafts(view, own)
    return make_move(own.drafts[0], NO_FLIP)
"""

# ------------------------------------------------------------------------------------------ the ways in


def test_by_name() -> None:
    for name in ("random", "greedy"):
        found = load_strategy(name)
        assert (found.name, found.label) == (name, name)
        assert found.about and found.source.is_file()
        found.ready()
    assert {"random", "greedy"} <= set(find_strategies())


def test_by_file(write_strategy: StrategyWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_strategy(FINE.format("only"))
    found = load_strategy(str(file))
    assert (found.name, found.about, found.source) == ("only", "Take the first legal draft.", file)
    found.ready()
    assert load_file(file) is found
    monkeypatch.chdir(file.parent)
    assert load_strategy("./mine.py") is load_strategy("mine.py") is found


def test_by_file_and_name(write_strategy: StrategyWriter) -> None:
    file = write_strategy(FINE.format("one") + FINE.format("two"))
    assert load_strategy(f"{file}:two").name == "two"
    assert load_strategy(f"{file}:one").name == "one"


def test_two_kernels_of_one_name_do_not_hide_each_other(write_strategy: StrategyWriter) -> None:
    both = FINE.format("one") + FINE.format("two")
    file = write_strategy(re.sub(r"choose_\w+", "choose", both))
    assert load_strategy(f"{file}:one").name == "one"
    assert load_strategy(f"{file}:one").choose is not load_strategy(f"{file}:two").choose


def test_a_literal_is_a_move(write_strategy: StrategyWriter) -> None:
    load_file(write_strategy("@strategy('zero')\ndef choose(view, own, rng):\n    return 0\n")).ready()


def test_parameters(write_strategy: StrategyWriter) -> None:
    code = FINE.format("tuned").replace('"tuned"', '"tuned", greed=Parameter(1.5, 0.0, 3.0, "how greedy")')
    found = load_file(write_strategy(code))
    assert found.parameters == {"greed": Parameter(1.5, 0.0, 3.0, "how greedy")}
    assert found.values == (1.5,)


def install(folder: Path, package: str, code: str, entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a distribution with one entry point where Python finds it."""
    (folder / package).mkdir(parents=True)
    (folder / package / "__init__.py").write_text(code, encoding="utf-8")
    information = folder / f"{package}-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8")
    (information / "entry_points.txt").write_text(f"[salad_sim.strategies]\n{entry}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))


def test_by_entry_point(
    tmp_path: Path, write_strategy: StrategyWriter, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = write_strategy(FINE.format("inner")).read_text(encoding="utf-8")
    install(tmp_path / "site", "salad_plugin_good", code, "outer = salad_plugin_good:choose_inner", monkeypatch)
    found = load_strategy("outer")
    assert (found.name, found.about) == ("outer", "Take the first legal draft.")
    assert found.source.parent.name == "salad_plugin_good"
    found.ready()
    assert list(own_cache.rglob("*.nbi")), "not cached on disk"
    assert find_strategies()["outer"] is found
    assert load_strategy("greedy").name == "greedy"


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("broken = salad_plugin_{}:no_such", "cannot be loaded from .*AttributeError"),
        ("broken = salad_plugin_{}:NOTHING", "is not a strategy; put @strategy"),
        ("broken = no_such_module:choose", "cannot be loaded from .*ModuleNotFoundError"),
    ],
)
def test_a_broken_entry_point_is_named_and_harms_no_other(
    entry: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = f"salad_plugin_{abs(hash(entry))}"
    install(tmp_path, package, "NOTHING = 1\n", entry.format(abs(hash(entry))), monkeypatch)
    with pytest.raises(InputError, match=rf"^strategy 'broken' of installed package '{package}'.*{message}"):
        load_strategy("broken")
    with pytest.raises(InputError, match="installed package"):
        find_strategies()
    assert load_strategy("greedy").name == "greedy"


# ------------------------------------------------------------------------------------------ mistakes

HEADER = "@strategy('mine')\ndef choose(view, own, rng):\n"
MISTAKES = {
    "two arguments": (
        "@strategy('mine')\ndef choose(view, own):\n    return 0\n",
        1,
        "strategy 'mine' must take (view, own, rng), not (view, own)",
    ),
    "four arguments": (
        "@strategy('mine')\ndef choose(view, own, rng, more):\n    return 0\n",
        1,
        "must take (view, own, rng), not (view, own, rng, more)",
    ),
    "no name": ("@strategy\ndef choose(view, own, rng):\n    return 0\n", 1, "write @strategy('choose')"),
    "an odd name": ("@strategy('my one')\ndef choose(view, own, rng):\n    return 0\n", 1, "not 'my one'"),
    "one name twice": (FINE.format("mine") * 2, 8, "strategy 'mine' is declared twice in this file"),
    "a float": (HEADER + "    return 1.5\n", 2, "must return a move, an int64"),
    "a bool": (HEADER + "    return view.turn > 3\n", 2, "not bool"),
    "an int16": (HEADER + "    return view.top[0]\n", 2, "not int16"),
    "a uint64": (HEADER + "    return np.uint64(3)\n", 2, "not uint64"),
    "nothing": (HEADER + "    own.memory[0] = 1\n", 1, "not nothing"),
    "nothing at times": (
        HEADER + "    if view.turn > 3:\n        return 0\n    return None\n",
        1,
        "not a move on some paths and nothing on others",
    ),
    "a float at times": (HEADER + "    if view.turn > 3:\n        return 0\n    return 2.5\n", 1, "not float64"),
    "a generator": (HEADER + "    yield 1\n", 1, "must return a move, not yield"),
    "syntax": (HEADER + "    x = 1\n    return x +\n", 3, "SyntaxError: invalid syntax"),
    "indentation": (HEADER + "    x = 1\n  return x\n", 3, "IndentationError"),
    "an import": ("import math\nimport no_such_module_here\n" + FINE.format("mine"), 1, "No module named 'no_such_m"),
    "an error on the way": ("limit = 1 / 0\n" + FINE.format("mine"), 0, "ZeroDivisionError: division by zero"),
    "an exit": ("raise SystemExit(3)\n", 0, "SystemExit: 3"),
    "a misspelt field": (
        HEADER + "    x = 3\n    return x + view.markett[0]\n",
        3,
        "no record has a field 'markett' (did you mean 'market'?)",
    ),
    "a misspelt field in a helper": (
        "@kernel\ndef best(view):\n    return view.tableau[0].heldd[0]\n\n" + HEADER + "    return best(view)\n",
        2,
        "no record has a field 'heldd' (did you mean 'held'?)",
    ),
    "a misspelt name": (HEADER + "    list_draft(view, own)\n    return 0\n", 2, "name 'list_draft' is not defined"),
    "a misspelt function": (HEADER + "    return np.maxium(1, 2)\n", 2, "no attribute 'maxium'"),
    "a plain helper": (
        "def best(view):\n    return 0\n\n" + HEADER + "    return best(view)\n",
        5,
        "plain function 'best'; put @kernel on it",
    ),
    "missing arguments": (HEADER + "    return below(rng)\n", 2, "missing a required argument: 'bound'"),
    "a string as index": (
        "@kernel\ndef best(view):\n    return view.top['a']\n\n" + HEADER + "    return best(view)\n",
        2,
        "Unsupported array index type",
    ),
    "an impossible call": (HEADER + "    return len(view)\n", 2, "kernels cannot do len(view)"),
    "two types": (HEADER + "    x = 1\n    if own:\n        x = 'a'\n    return len(x)\n", None, "mine.py"),
    "an open file": (HEADER + "    with open('x') as file:\n        return 1\n", 1, "construct is not supported"),
}
"""What is wrong; in which line after the head, the first being 0; and what the message says."""


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_gives_one_clear_line(mistake: str, write_strategy: StrategyWriter) -> None:
    code, line, reason = MISTAKES[mistake]
    file = write_strategy(code)
    with pytest.raises(InputError) as caught:
        load_strategy(str(file)).ready()
    message = str(caught.value)
    assert "\n" not in message and len(message) < 300 + len(str(file))
    assert reason in message
    assert "Record(" not in message and "nestedarray" not in message
    if line is not None:
        assert f"{file}, line {FIRST_LINE + line}:" in message


def test_an_error_in_a_file_beside_is_placed_there(write_strategy: StrategyWriter) -> None:
    beside = write_strategy("\n@kernel\ndef best(view):\n    return view.tpo[0]\n", "beside_with_typo.py")
    file = write_strategy("from beside_with_typo import best\n" + HEADER + "    return best(view)\n")
    with pytest.raises(InputError, match=rf"not compile: {beside}, line {FIRST_LINE + 3}: .*'tpo'"):
        load_file(file).ready()
    wrong = write_strategy("x = undefined\n", "beside_that_fails.py", head="")
    file = write_strategy("import beside_that_fails\n", "other.py")
    with pytest.raises(InputError, match=f"^strategy file {wrong}, line 1: NameError"):
        load_file(file)


def test_a_file_without_a_strategy(write_strategy: StrategyWriter) -> None:
    file = write_strategy("def choose(view, own, rng):\n    return 0\n")
    with pytest.raises(InputError, match=r"mine\.py' declares no strategy; put @strategy\('name'\) on a kernel$"):
        load_file(file)


def test_an_imported_strategy_is_not_declared_here(write_strategy: StrategyWriter) -> None:
    write_strategy(FINE.format("theirs"), "their_strategy_file.py")
    with pytest.raises(InputError, match="declares no strategy"):
        load_file(write_strategy("from their_strategy_file import choose_theirs\n"))


def test_two_strategies_and_no_choice(write_strategy: StrategyWriter) -> None:
    file = write_strategy(FINE.format("one") + FINE.format("two"))
    with pytest.raises(InputError, match=rf"declares one, two; choose one, as in {file}:one$"):
        load_file(file)
    with pytest.raises(InputError, match=r"unknown strategy in .*: 'tow' \(did you mean 'two'\?\); allowed: one, two$"):
        load_strategy(f"{file}:tow")


def test_no_such_name_or_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^unknown strategy 'greedi' \(did you mean 'greedy'\?\); allowed: .*random"):
        load_strategy("greedi")
    with pytest.raises(InputError, match=r"^there is no strategy file 'none\.py'$"):
        load_strategy("none.py")
    with pytest.raises(InputError, match="there is no strategy file"):
        load_strategy("none.py:some")
    (tmp_path / "folder.py").mkdir()
    with pytest.raises(InputError, match="there is no strategy file"):
        load_strategy(str(tmp_path / "folder.py"))


def test_too_many_parameters() -> None:
    many = {f"p{index}": Parameter(0.0, 0.0, 1.0, "one of many") for index in range(33)}
    with pytest.raises(InputError, match="may have 32 parameters, not 33"):

        @strategy("many", **many)
        def choose(view, own, rng):
            return 0


# ------------------------------------------------------------------------------------------ files beside


def move_of(file: Path) -> int:
    """What the strategy of a file, which looks at nothing, chooses."""
    return int(load_file(file).ready().py_func(None, None, None))


USES_BESIDE = "from beside_me import MOVE\n" + HEADER + "    return MOVE\n"


def test_files_beside_of_one_name_are_kept_apart(write_strategy: StrategyWriter) -> None:
    files = []
    for index, folder in enumerate(("first", "second")):
        write_strategy(f"MOVE = {index + 1}\n", f"{folder}/beside_me.py", head="")
        files.append(write_strategy(USES_BESIDE, f"{folder}/mine.py"))
    assert [move_of(file) for file in files] == [1, 2]


def test_a_file_beside_cannot_shadow_a_standard_module(write_strategy: StrategyWriter) -> None:
    write_strategy("raise ValueError('shadow')\n", "colorsys.py", head="")
    load_file(write_strategy("import colorsys\n" + FINE.format("mine")))


COMPILE = """
    import sys
    import numpy as np
    from salad_sim.jit.records import new_record
    from salad_sim.jit.rng import RNG
    from salad_sim.strategy.registry import load_file
    from salad_sim.game.state import layout
    choose = load_file(sys.argv[1]).ready()
    house = layout()
    move = choose(new_record(house.public), new_record(house.own), new_record(RNG))
    print(move, len(choose.stats.cache_hits), len(choose.stats.cache_misses))
"""


def test_the_disk_cache_serves_the_next_process_and_is_never_stale(
    write_strategy: StrategyWriter, tmp_path: Path
) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "compiled")}
    beside = write_strategy("MOVE = 1\n", "beside_me.py", head="")
    file = write_strategy(USES_BESIDE)
    assert run_python(COMPILE, file, **cache).split() == ["1", "0", "1"]
    assert run_python(COMPILE, file, **cache).split() == ["1", "1", "0"]
    written = beside.stat()
    beside.write_text("MOVE = 2\n", encoding="utf-8")
    os.utime(beside, ns=(written.st_atime_ns, written.st_mtime_ns))  # as quick as can be: same size, same time
    assert run_python(COMPILE, file, **cache).split() == ["2", "0", "1"]
    file.write_text(file.read_text(encoding="utf-8").replace("return MOVE", "return MOVE + 5"), encoding="utf-8")
    assert run_python(COMPILE, file, **cache).split() == ["7", "0", "1"]


def test_a_file_two_imports_away_counts(write_strategy: StrategyWriter, tmp_path: Path) -> None:
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "compiled")}
    write_strategy("", "parts/__init__.py", head="")
    far = write_strategy("FAR = 3\n", "parts/far.py", head="")
    write_strategy("from .far import FAR\nMOVE = FAR\n", "parts/near.py", head="")
    file = write_strategy(USES_BESIDE.replace("beside_me", "parts.near"))
    assert run_python(COMPILE, file, **cache).split() == ["3", "0", "1"]
    far.write_text("FAR = 44\n", encoding="utf-8")
    assert run_python(COMPILE, file, **cache).split() == ["44", "0", "1"]


@pytest.mark.parametrize("package", ["salad_sim_strategies", "others"])
def test_kernels_count_wherever_they_are_installed(
    write_strategy: StrategyWriter, monkeypatch: pytest.MonkeyPatch, package: str
) -> None:
    code = "from salad_sim.strategy import kernel\n\n\n@kernel\ndef move():\n    return 3\n"
    installed = write_strategy(code, f"site-packages/{package}/helper.py", head="")
    module = types.ModuleType(f"{package}.helper")
    exec(compile(code, installed, "exec"), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    file = write_strategy(f"from {package}.helper import move\n" + HEADER + "    return move()\n")
    assert load_file(file).files == [file, installed]
