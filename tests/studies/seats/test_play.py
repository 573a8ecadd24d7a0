"""The study of seats: its numbers against runs of their own, stopping, komi; the committed report again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from salad_sim import InputError, simulate
from salad_sim.experiment import StudyOptions, load_experiment
from salad_sim.report.format import signed
from salad_sim.run.driver import Session
from salad_sim.run.plan import plan_run
from salad_sim.studies import blocks
from salad_sim.studies.blocks import play_blocks
from salad_sim.studies.conditions import plan_conditions
from salad_sim.studies.seats.play import study_seats, widest
from support.studying import Rows, again, agree_as_rates, call, committed, ctrl_c_after, estimate, same_rows, study


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Rows]]:
    """A small study of two line-ups and two numbers of players."""
    folder = tmp_path_factory.mktemp("seats")
    words = "seat-order -p 2 -p 3 -s random -s greedy -g 2500 --seed 5 -w 1"
    return folder, study(folder, words)


def test_the_numbers_are_those_of_runs_of_their_own(small: tuple[Path, dict[str, Rows]]) -> None:
    for players in (2, 3):
        for strategy in ("random", "greedy"):
            run = simulate(2500, players, strategy, seed=5)
            here = [r for r in small[1]["seats"] if (r["players"], r["strategy"]) == (str(players), strategy)]
            for row, own in zip(here, run.seat_rows, strict=True):
                assert float(row["win_share"]) == own["win_share"]
                assert float(row["mean_score"]) == own["mean_score"]
                assert estimate(row, "win_share")[1] < own["win_share"] < estimate(row, "win_share")[2]
            (game,) = (r for r in small[1]["games"] if (r["players"], r["strategy"]) == (str(players), strategy))
            assert float(game["turns"]) == pytest.approx(run.turns)
            assert float(game["totals_tie"]) == run.tie_estimate.value
            assert sum(float(row["last_turn"]) for row in here) == pytest.approx(1)


def test_the_report_answers_first_and_names_its_files(small: tuple[Path, dict[str, Rows]]) -> None:
    folder, rows = small
    text = (folder / "report.md").read_text()
    value, low, high = estimate(next(r for r in rows["seats"] if r["strategy"] == "greedy"), "difference")
    assert text.split("\n\n")[1].startswith(
        f"Moving first changes the win share by {signed(value, low, high, 100)} with 2 players"
    )
    assert {each.name for each in folder.glob("*.svg")} == {"seats_2.svg", "seats_3.svg", "skill.svg"}
    assert all(f"[{name}.csv]" in text for name in rows)
    run = json.loads((folder / "run.json").read_text())
    assert run["options"]["seed"] == "5" and "--strategy random --strategy greedy" in run["again"]


def test_bytes_do_not_depend_on_the_workers(small: tuple[Path, dict[str, Rows]], tmp_path: Path) -> None:
    study(tmp_path, "seat-order -p 2 -p 3 -s random -s greedy -g 2500 --seed 5 -w 3")
    files = sorted(each.name for each in small[0].iterdir())
    assert files == sorted(each.name for each in tmp_path.iterdir())
    for name in files:
        assert (tmp_path / name).read_bytes() == (small[0] / name).read_bytes(), name


def test_komi_brings_the_seats_closer(small: tuple[Path, dict[str, Rows]]) -> None:
    first = next(row for row in small[1]["komi"] if (row["players"], row["strategy"]) == ("2", "greedy"))
    second = next(row for row in small[1]["komi"] if row["players"] == "2" and row["points"] not in ("0.0", "0"))
    assert abs(float(first["share_in_force"]) - 0.5) < abs(float(first["share_without"]) - 0.5)
    assert float(second["points_low"]) < float(second["points"]) < float(second["points_high"])


def test_one_player_among_others_sits_everywhere(small: tuple[Path, dict[str, Rows]]) -> None:
    rows = [row for row in small[1]["one_among_others"] if row["players"] == "3"]
    assert [row["seat"] for row in rows] == ["1", "2", "3"] and {row["others"] for row in rows} == {"random"}
    assert all(float(row["win_share"]) > 0.85 for row in rows)
    assert sum(float(row["against_own_mean"]) for row in rows) == pytest.approx(0, abs=1e-9)


def test_a_mixed_line_up_plays_every_deal_in_all_rotations() -> None:
    (condition,) = plan_conditions(("3",), ("greedy + random@600",), 90, 1)
    assert condition.is_mixed and condition.name == "greedy + random"
    plan = condition.plan
    assert plan.rotate and plan.n_games == 600 and [each.name for each in plan.lineup] == ["greedy", "random", "random"]
    (found,) = study_seats(Session(1), [condition])
    shares = [share.value for share in found.shares]
    run = simulate(600, 3, ["greedy", "random", "random"], seed=1, rotate=True)
    assert shares == pytest.approx([row["win_share"] for row in run.seat_rows])


def test_line_ups_and_parameters() -> None:
    (one,) = plan_conditions(("2",), ("casual(mistakes=0.5)",), 10, 1)
    assert not one.is_mixed and one.plan.lineup[0].values == (0.5,)
    for lineup, players, message in (
        ("greedy+random+greedy", "2", "3 strategies for 2 players"),
        ("greedy@0", "2", "games must be a whole number"),
        ("greedy", "7", "players must be a whole number from 2 to 6"),
    ):
        with pytest.raises(InputError, match=message):
            plan_conditions((players,), (lineup,), 10, 1)


def test_precision_stops_when_every_interval_is_narrow() -> None:
    conditions = plan_conditions(("2", "3"), ("greedy",), 60_000, 1)
    for found in study_seats(Session(2), conditions, precision=0.025):
        look = found.look
        assert look is not None and look.precise and 1_000 <= found.sums.n_deals < 20_000
        assert look.quantile > 1.96 and widest(found.sums, look.quantile) <= 0.025
        shown = [*found.shares, *found.spread.pairs.values(), *found.sums.rates("last_turn", found.single)]
        assert max(each.high - each.low for each in shown) <= 2 * 0.025


def test_precision_that_cannot_be_reached_says_so(tmp_path: Path) -> None:
    rows = study(tmp_path, "seat-order -p 2 -s random -g 1200 --precision 0.001")
    assert rows["games"][0]["precise"] == "False" and rows["games"][0]["games"] == "1200"
    text = (tmp_path / "report.md").read_text()
    assert "1,200 (not precise)" in text and "alpha spending" in text
    assert "--precision 0.001" in json.loads((tmp_path / "run.json").read_text())["again"]


def test_a_margin_decides_what_counts_as_fair(tmp_path: Path) -> None:
    rows = study(tmp_path, "seat-order -p 2 -s greedy -g 1500 --margin 0.2")
    assert rows["games"][0]["verdict"] == "fair within the margin" and float(rows["games"][0]["margin"]) == 0.2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "rules --precision 0.01",
            "experiment rules takes no --precision; those that do: card-value, seat-order, tie-break",
        ),
        ("tie-break --margin 0.01", "experiment tie-break takes no --margin; those that do: seat-order"),
        ("seat-order --precision 0", "precision is the half-width"),
        ("seat-order --margin 0.3", "margin is a difference in win share"),
        ("seat-order -s greedi", "did you mean 'greedy'"),
        ("seat-order --rule rounds=3", "matches of 3 rounds"),
        ("tie-break --games 0", "games must be a whole number"),
    ],
)
def test_bad_options_are_refused_before_any_game(words: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "play_outcomes", None)
    called = call("experiment", words)
    assert called.exit_code == 2 and called.stderr.count("\n") == 1 and message in called.stderr


@pytest.mark.parametrize("games", [1, 2])
def test_hardly_a_game_gives_a_report_that_promises_nothing(games: int, tmp_path: Path) -> None:
    rows = study(tmp_path, f"seat-order -p 2 -p 3 -s greedy -s greedy+random -g {games}")
    for row in rows["seats"]:
        _, low, high = estimate(row, "win_share")
        assert high - low > 0.3


def test_ctrl_c_reports_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    ctrl_c_after(3, monkeypatch)
    called = call("experiment", "seat-order -p 2 -s random -s greedy -g 500")
    assert called.exit_code == 130 and "The study was interrupted" in called.stdout and "| greedy |" in called.stdout
    ctrl_c_after(0, monkeypatch)
    assert call("experiment", "seat-order -p 2 -s random -g 500").exit_code == 130


def test_blocks_add_up_to_the_whole_whatever_their_size() -> None:
    plan = plan_run(700, 2, "random", 1)
    whole = play_blocks(Session(1), plan, lambda games: games.wins.sum(axis=0))
    parts = play_blocks(Session(3), plan, lambda games: games.wins.sum(axis=0), at_once=33)
    assert whole is not None and parts is not None and (whole.sums == parts.sums).all() and parts.n_deals == 700
    both = play_blocks(
        Session(1),
        [plan, plan_run(700, 2, "random", 2)],
        lambda one, other: np.array([len(one.wins), len(other.wins)]),
        at_once=300,
    )
    assert both is not None and both.sums.tolist() == [700, 700]


def test_progress_counts_the_games_of_all_parts() -> None:
    seen: list[tuple[int, int]] = []
    options = StudyOptions("300", ("2",), ("random",), progress=lambda done, planned: seen.append((done, planned)))
    report = load_experiment("seat-order").run(options)
    done = [each[0] for each in seen]
    assert done == sorted(done) and done[-1] > 300 and not report.interrupted
    assert all(done <= planned for done, planned in seen)


def test_the_committed_report_is_found_again(tmp_path: Path) -> None:
    """With another seed and fewer games every share agrees within five standard errors: by chance not once in 1e5."""
    run, rows = committed("seat-order")
    found = study(tmp_path, *again(run, rows["seats"], 3_000, 77))
    for row, large in same_rows(found["seats"], rows["seats"], "players", "strategy", "seat"):
        for name in ("win_share", "last_turn"):
            sizes = float(row["games"]), float(large["games"])
            assert agree_as_rates(float(row[name]), sizes[0], float(large[name]), sizes[1]), (row["strategy"], name)
        _, low, high = estimate(row, "mean_score")
        assert abs(float(row["mean_score"]) - float(large["mean_score"])) <= 5.2 * (high - low) / 3.92


def test_the_first_games_of_the_committed_report_are_found_again_exactly(tmp_path: Path) -> None:
    run, rows = committed("seat-order")
    n_deals = max(int(row["deals"]) for row in rows["first_games"])
    found = study(tmp_path, *again(run, rows["seats"], n_deals, run["options"].get("seed", 1)))
    pairs = same_rows(found["first_games"], rows["first_games"], "players", "strategy", "seat")
    assert len(pairs) >= 4
    for row, large in pairs:
        assert row == large
