"""Files beside a strategy: kernels in them are compiled once and for good, and a change in one is another strategy."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

import pytest

from salad_sim import simulate
from salad_sim.run.plan import plan_run
from salad_sim.storage.folder import differences, strategy_records
from salad_sim.strategy.registry import load_file
from support.commands import good, refused
from support.processes import run_python
from support.strategy_files import StrategyWriter

FIRST = "0"
LAST = "deep(n) - 1"

HELPER = """\
from salad_sim.strategy import kernel
from parts.inner import deep


@kernel
def pick(n):
    return {}
"""

INNER = """\
from salad_sim.strategy import kernel
from . import more
from top import NOTHING


@kernel
def deep(n):
    return n + more.ONE - 1 + NOTHING
"""

MINE = """
from helper import pick


@strategy("mine")
def choose(view, own, rng):
    list_drafts(view, own)
    return make_move(own.drafts[pick(own.n_drafts)], NO_FLIP)
"""

FILES = ["helper.py", "mine.py", "parts/__init__.py", "parts/inner.py", "parts/more.py", "top.py"]


@pytest.fixture
def write_mine(write_strategy: StrategyWriter):
    """Return a function that writes a strategy of six files, which takes the first draft or the last, into a folder."""

    def write(folder: str, which: str = LAST) -> Path:
        write_strategy(HELPER.format(which), f"{folder}/helper.py", head="")
        write_strategy("", f"{folder}/parts/__init__.py", head="")
        write_strategy(INNER, f"{folder}/parts/inner.py", head="")
        write_strategy("ONE = 1\n", f"{folder}/parts/more.py", head="")
        write_strategy("NOTHING = 0\n", f"{folder}/top.py", head="")
        return write_strategy(MINE, f"{folder}/mine.py")

    return write


FIND = """
    import sys
    from salad_sim.strategy.registry import load_file
    choose = load_file(sys.argv[1]).ready()
    print(len(choose.stats.cache_hits), len(choose.stats.cache_misses))
"""


def test_a_strategy_with_kernels_beside_is_loaded_from_the_disk(write_mine, tmp_path: Path) -> None:
    file = write_mine("one")
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "compiled")}
    assert run_python(FIND, file, **cache).split() == ["0", "1"]
    assert run_python(FIND, file, **cache).split() == ["1", "0"]
    # also where somebody has imported them under their plain names, or works in another folder
    imports = f"import sys; sys.path.insert(0, {str(file.parent)!r}); import helper; before = helper\n"
    code = imports + "\n".join(line.strip() for line in FIND.splitlines()) + "\nassert sys.modules['helper'] is before"
    assert run_python(code, file, **cache).split() == ["1", "0"]


def test_files_of_one_name_in_two_folders_are_two(write_mine, own_cache) -> None:
    last, first = write_mine("last", LAST), write_mine("first", FIRST)
    line_up = simulate(60, strategies=[str(last), str(first)])
    alone = simulate(60, strategies=[str(first), str(last)])
    assert line_up.seats.cards_kept.tolist() != alone.seats.cards_kept.tolist()
    assert {"helper", "parts", "parts.inner", "top"}.isdisjoint(sys.modules)


PLAIN = """
{head}

@strategy("{name}")
def {name}(view, own, rng):
    list_drafts(view, own)
    return make_move(own.drafts[{which}], NO_FLIP)
"""


def test_what_is_read_while_a_strategy_is_loaded_is_of_it(write_strategy, own_cache, tmp_path) -> None:
    """Also what no import statement names: modules by name, and data, as far as kernels use it."""
    (tmp_path / "weights.txt").write_text("0")
    write_strategy("WHICH = 1\n", "dynamic.py", head="")
    head = """
import importlib
from pathlib import Path
WHICH = importlib.import_module("dynamic").WHICH + int((Path(__file__).parent / "weights.txt").read_text())
OTHER = (Path(__file__).parent / "settings.txt").read_text()
"""
    (tmp_path / "settings.txt").write_text("of no kernel")
    file = write_strategy(PLAIN.format(head=head, name="mine", which="WHICH"))
    before = load_file(file).hashes
    assert sorted(before) == ["dynamic.py", "mine.py", "values"]
    (tmp_path / "weights.txt").write_text("1")
    sys.modules["salad_sim.strategy.registry"]._load_module.cache_clear()
    (tmp_path / "settings.txt").write_text("of another")
    assert {name for name, sha in load_file(file).hashes.items() if before[name] != sha} == {"values"}


def test_a_package_comes_before_a_module_of_its_name(write_strategy, own_cache) -> None:
    write_strategy("WHICH = 0\n", "pk.py", head="")
    write_strategy("WHICH = 1\n", "pk/__init__.py", head="")
    file = write_strategy(PLAIN.format(head="from pk import WHICH", name="mine", which="WHICH"))
    assert sorted(load_file(file).hashes) == ["mine.py", "pk/__init__.py", "values"]
    assert load_file(file).choose.py_func.__globals__["WHICH"] == 1


def test_what_stands_beside_comes_before_the_same_name_elsewhere(write_strategy, own_cache, tmp_path, monkeypatch):
    write_strategy("WHICH = 1\n", "elsewhere/my_helper.py", head="")
    write_strategy("WHICH = 0\n", "bots/my_helper.py", head="")
    file = write_strategy(PLAIN.format(head="from my_helper import WHICH", name="mine", which="WHICH"), "bots/mine.py")
    monkeypatch.syspath_prepend(tmp_path / "elsewhere")
    other = importlib.import_module("my_helper")
    assert load_file(file).choose.py_func.__globals__["WHICH"] == 0
    assert sys.modules["my_helper"] is other
    monkeypatch.delitem(sys.modules, "my_helper")


def test_a_strategy_may_use_another_ones_file(write_strategy, own_cache) -> None:
    base = write_strategy(PLAIN.format(head="WHICH = 0", name="base", which="WHICH"), "base.py")
    uses = "from base import WHICH"
    one = write_strategy(PLAIN.format(head=uses, name="one", which="WHICH"), "one.py")
    two = write_strategy(PLAIN.format(head=uses, name="two", which="WHICH"), "two.py")
    assert [load_file(each).name for each in (one, base, two)] == ["one", "base", "two"]
    sys.modules["salad_sim.strategy.registry"]._load_module.cache_clear()
    assert [load_file(each).name for each in (base, two, one)] == ["base", "two", "one"]


def test_all_files_of_a_strategy_are_recorded(write_mine, own_cache) -> None:
    file = write_mine("one")
    assert sorted(load_file(file).hashes) == sorted([*FILES, "values"])
    (record,) = strategy_records([plan_run(1, 2, str(file))])
    assert record["file"] == "mine.py" and sorted(record["imports"]) == [name for name in FILES if name != "mine.py"]
    (record,) = strategy_records([plan_run(1, 2, "balanced")])
    assert "_weighing.py" in record["imports"], "the program's own strategies import each other too"
    (record,) = strategy_records([plan_run(1, 2, "random")])
    assert "imports" not in record


@pytest.mark.parametrize("name", ["helper.py", "parts/inner.py", "parts/more.py", "parts/__init__.py", "top.py"])
def test_games_of_another_file_beside_are_never_counted_together(write_mine, own_cache, tmp_path, name: str) -> None:
    file = write_mine("one")
    words = ("run", "-s", file, "-q", "--out")
    good(*words, tmp_path / "run", "-g", 40)
    good(*words, tmp_path / "more", "--deals", "40:60")
    changed = file.parent / name
    changed.write_text(changed.read_text() + "# changed\n")
    sys.modules["salad_sim.strategy.registry"]._load_module.cache_clear()
    good(*words, tmp_path / "other", "--deals", "60:80")
    for command in (
        ["resume", tmp_path / "run"],
        ["extend", tmp_path / "run", "-g", 80],
        ["verify", tmp_path / "run"],
        ["merge", tmp_path / "run", tmp_path / "more", "-o", tmp_path / "joined"],
        ["merge", tmp_path / "run", tmp_path / "other", "-o", tmp_path / "joined"],
        [*words, tmp_path / "run", "-g", 40],
    ):
        said = refused(*command)
        assert f"{name} of mine.py is " in said and said.count(" there and ") == 1, (command, said)


def test_records_of_files_are_compared_one_by_one() -> None:
    one, other = "a" * 64, "b" * 64
    there = {"strategies": [{"file": "x.py", "sha256": one}, {"file": "y.py", "sha256": one}]}
    here = json.loads(json.dumps(there, sort_keys=True))
    assert differences(there, here) == []
    here["strategies"][1]["sha256"] = other
    assert differences(there, here) == [f"sha256 of y.py is {one[:12]}... there and {other[:12]}... here"]
    assert differences(there, {"strategies": []})[0].startswith("strategies is [{'file': 'x.py'")


def test_long_texts_are_shown_where_they_differ() -> None:
    folder = "/a/long/way/" * 20
    (said,) = differences({"strategies": [f"{folder}x.py"]}, {"strategies": [f"{folder}y.py"]})
    assert len(said) < 200
    assert "x.py'] there" in said and "y.py'] here" in said
