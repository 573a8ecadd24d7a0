"""Import paths of earlier versions keep working, and each file that uses them is told once what to write instead."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import salad_sim
from salad_sim import moved
from salad_sim.experiment import load_experiment
from salad_sim.moved import HOMES, MovedWarning, imports_of
from salad_sim.strategy.registry import load_file, load_strategy
from tests.support.commands import call, good

TAUGHT = {
    "salad_sim.cards": "AT_LEAST FEWEST LAST_PLAIN LINEAR MISSING MOST MOST_TOTAL SET VEGETABLES official_set",
    "salad_sim.card_file": "card_file_lines read_card_file",
    "salad_sim.endgame": "NOT_SOLVED is_open solve_ending",
    "salad_sim.engine": "WHOLE_WIN apply_move final_scores list_drafts may_take_one share_win",
    "salad_sim.gains": "add_to_hand gain_vegetable hand_gains read_hand step_gains_of_card sum_gains take_from_hand",
    "salad_sim.hand_draft.engine": "list_drafts",
    "salad_sim.hand_draft.gains": "best_turn",
    "salad_sim.hand_draft.moves": "BLIND N_BLIND NO_DRAFT NO_LAY draft_of laid_in",
    "salad_sim.hand_draft.table": "DRAFT",
    "salad_sim.hidden": "copy_state copy_view draw_hidden lay_piles",
    "salad_sim.moves": "MOST_DRAFTS N_PILES N_SLOTS NO_FLIP draft_of first_slot flip_of make_move pair_draft",
    "salad_sim.records": "at",
    "salad_sim.rng": "below next_word seed_stream uniform",
    "salad_sim.rules": "CHOICES FLIP_NEVER UP_TO_TWO",
    "salad_sim.scoring": "card_value hand_value",
    "salad_sim.strategy": "Parameter choice inline_kernel kernel load_strategy strategy",
    "salad_sim.table": "N_VEGETABLES",
}
"""What documents taught and the program's own strategies used, when modules stood side by side."""

OLD = '''\
"""A strategy of an earlier version."""
import salad_sim.engine as engine
from salad_sim.moves import NO_FLIP, make_move
from salad_sim.strategy import strategy

@strategy("old")
def choose(view, own, rng):
    """The first draft."""
    engine.list_drafts(view, own)
    return make_move(own.drafts[0], NO_FLIP)
'''
ADVICE = (
    "{file}, line 2: salad_sim.engine, salad_sim.moves have moved; write: import salad_sim.kit; "
    "from salad_sim.kit import NO_FLIP, make_move (as it is, it works until 0.2)"
)
BESIDE = "from salad_sim import rng\nfrom salad_sim.engine import draw_cards, list_drafts\n"


@pytest.fixture(autouse=True)
def nobody_told(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(moved, "_told", set())
    yield
    moved.forget()


def write(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("module", TAUGHT)
@pytest.mark.filterwarnings("ignore::salad_sim.moved.MovedWarning")
def test_what_was_taught_is_there(module: str) -> None:
    old = importlib.import_module(module)
    for name in TAUGHT[module].split():
        assert getattr(old, name) is not None
        if module in HOMES:
            assert any(
                getattr(importlib.import_module(home), name, None) is getattr(old, name) for home in HOMES[module]
            )


@pytest.mark.parametrize("module", HOMES)
def test_no_old_path_hides_a_new_one(module: str) -> None:
    package = Path(salad_sim.__file__).parent.parent
    assert not package.joinpath(*module.split(".")).with_suffix(".py").exists()
    assert [importlib.import_module(home) for home in HOMES[module]]
    with pytest.warns(MovedWarning), pytest.raises(ImportError, match="tpo"):
        exec(f"from {module} import tpo", {})


def test_an_old_strategy_plays_and_its_author_is_told_once(tmp_path: Path, own_cache: Path) -> None:
    file = write(tmp_path / "old.py", OLD)
    with pytest.warns(MovedWarning) as told:
        strategy = load_file(file)
    assert [str(each.message) for each in told] == [ADVICE.format(file=file)]
    assert (told[0].filename, told[0].lineno) == (str(file), 2)
    strategy.ready()
    with warnings.catch_warnings(record=True) as later:
        exec(compile(OLD.replace('"old"', '"again"'), str(file), "exec"), {"__name__": "again"})
    assert not later


def test_every_file_is_told_of_what_it_imports(tmp_path: Path) -> None:
    write(tmp_path / "beside.py", BESIDE)
    first = write(
        tmp_path / "first.py", OLD.replace("from salad_sim.strategy", "import beside\nfrom salad_sim.strategy")
    )
    second = write(tmp_path / "second.py", "import salad_sim.engine\n" + OLD.split("\n", 3)[3])
    with pytest.warns(MovedWarning) as told:
        load_file(first)
        load_file(second)
    deep = "from salad_sim.game.engine import draw_cards"
    assert [str(each.message).split(" (as")[0] for each in told] == [
        ADVICE.format(file=first).split(" (as")[0],
        f"{tmp_path / 'beside.py'}, line 1: salad_sim.rng, salad_sim.engine have moved; write: import salad_sim.kit; "
        f"{deep}; from salad_sim.kit import list_drafts",
        f"{second}, line 1: salad_sim.engine has moved; write: import salad_sim.kit",
    ]


def test_an_installed_package_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "old_package.py", OLD)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.warns(MovedWarning, match="salad_sim.engine, salad_sim.moves have moved"):
        importlib.import_module("old_package")
    assert sys.modules.pop("old_package").__file__ == str(file)


EXPERIMENT = """\
from salad_sim import Report
from salad_sim.experiment import experiment
from salad_sim.store import study_record
from salad_sim.plots import differences

@experiment("old", question="Is it old?")
def old(options):
    return Report("Old", "Yes.", [], {}, {}, study_record("old", {}, []))
"""


def test_the_command_line_says_it_in_a_line(tmp_path: Path) -> None:
    file = write(tmp_path / "old.py", EXPERIMENT)
    load_experiment("rules")  # built-in ones say nothing
    done = call("experiment", file)
    assert done.exit_code == 0, done.output
    assert done.stderr == (
        f"salad-sim: {file}, line 3: salad_sim.store, salad_sim.plots have moved; "
        "write: from salad_sim.experiment import differences, study_record (as it is, it works until 0.2)\n"
    )
    assert "old" not in good("experiment").stdout


def test_who_imports_by_the_doors_is_told_nothing() -> None:
    assert load_strategy("greedy")
    assert not list(
        imports_of(b"from salad_sim.kit import list_drafts\nimport salad_sim.kit, numpy\nfrom . import rng\n")
    )
