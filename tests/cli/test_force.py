"""What --force replaces, and when: nothing is lost for a run that never begins, and no results are mixed."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import files_of
from support.studying import call

RUN = "run -g 300 -s random -q"

BROKEN = """\
\"\"\"It does not compile.\"\"\"
from salad_sim.strategy import strategy


@strategy("broken")
def choose(view, own, rng):
    return view.nonsense
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A finished run."""
    assert call(RUN, "--out", tmp_path / "run").exit_code == 0
    return tmp_path / "run"


@pytest.fixture
def broken(tmp_path: Path, own_cache: Path) -> Path:
    """A strategy that does not compile."""
    (tmp_path / "broken.py").write_text(BROKEN)
    return tmp_path / "broken.py"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("-s BROKEN", "does not compile"),
        ("-s nobody", "nobody"),
        ("--save-games games.csv", "Parquet"),
        ("--save-games FOLDER", "places of their own"),
        ("--cluster tcp://127.0.0.1:1", "no Dask scheduler answers"),
    ],
)
def test_a_run_that_cannot_begin_replaces_nothing(
    folder: Path, broken: Path, change: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("salad_sim.cluster.connection.CONNECT_SECONDS", 1)
    before = files_of(folder)
    words = change.replace("BROKEN", str(broken)).replace("FOLDER", str(folder))
    refused = call(RUN, words, "--force --out", folder)
    assert refused.exit_code == 2 and said in refused.stderr
    assert files_of(folder) == before


def test_a_run_that_cannot_begin_makes_no_folder_a_run(tmp_path: Path, broken: Path) -> None:
    assert call("run -g 300 -q -s", broken, "--out", tmp_path / "new").exit_code == 2
    assert files_of(tmp_path / "new") == {}


def test_games_that_are_replaced_are_lost_when_the_new_ones_begin(tmp_path: Path, broken: Path) -> None:
    games = tmp_path / "games"
    assert call(RUN, "--save-games", games).exit_code == 0
    before = files_of(games)
    assert call("run -g 300 -q -s", broken, "--force --save-games", games).exit_code == 2
    assert files_of(games) == before
    assert call(RUN, "--seed 2 --force --save-games", games).exit_code == 0
    assert files_of(games) != before


def test_results_of_another_kind_are_never_mixed_with(tmp_path: Path, folder: Path) -> None:
    study, league = tmp_path / "study", tmp_path / "league"
    assert call("experiment rules -g 20 -p 2 -s random -q --out", study).exit_code == 0
    assert call("league random greedy -g 20 -q --out", league).exit_code == 0
    commands = {study: "experiment rules -g 30 -p 2 -s random -q", league: "league random greedy -g 40 -q", folder: RUN}
    for there in commands:
        before = files_of(there)
        for own, command in commands.items():
            if own != there:
                refused = call(command, "--force --out", there)
                assert refused.exit_code == 2 and refused.stderr.count("\n") == 1, (there, command)
                assert "holds the results of salad-sim" in refused.stderr
        assert files_of(there) == before
        assert call(commands[there], "--force --out", there).exit_code == 0
    refused = call("merge", folder, folder, "--force --out", study)
    assert refused.exit_code == 2


def test_a_folder_whose_record_says_nothing_can_be_replaced(folder: Path) -> None:
    for text in ("not JSON", "[]", '{"again": 3}', '{"again": ""}'):
        (folder / "run.json").write_text(text)
        assert call(RUN, "--force --out", folder).exit_code == 0
