"""The study of tie-breaks: against runs under each rule, replays, stopping; the committed report again."""

from __future__ import annotations

from pathlib import Path

import pytest

from salad_sim import simulate
from salad_sim.experiment import StudyOptions, load_experiment
from salad_sim.play.tie_breaks import RULES
from salad_sim.report.format import interval
from salad_sim.run.driver import Session
from salad_sim.studies.conditions import plan_conditions
from salad_sim.studies.tie_break.play import replay_under_all, study_ties
from support.studying import Rows, again, agree_as_rates, call, committed, ctrl_c_after, estimate, same_rows, study

WORDS = "tie-break -p 2 -p 3 -s random -s greedy -g 2500 --seed 5"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Rows]]:
    """A small study of two line-ups and two numbers of players."""
    folder = tmp_path_factory.mktemp("ties")
    return folder, study(folder, WORDS, "-w 1")


@pytest.mark.parametrize("rule", RULES)
def test_shares_under_a_rule_are_those_of_a_run_under_it(rule: str, small: tuple[Path, dict[str, Rows]]) -> None:
    """Neither strategy knows the rule, so scoring the games otherwise is the same as playing under it."""
    for players in (2, 3):
        for strategy in ("random", "greedy"):
            run = simulate(2500, players, strategy, seed=5, tie_break=rule)
            key = (str(players), strategy, rule)
            here = [row for row in small[1]["rules"] if (row["players"], row["strategy"], row["rule"]) == key]
            assert [float(row["win_share"]) for row in here] == [row["win_share"] for row in run.seat_rows]
            (ties,) = (row for row in small[1]["ties"] if (row["players"], row["strategy"]) == key[:2])
            assert float(ties["tied"]) == run.tie_estimate.value


def test_what_rules_change_adds_up(small: tuple[Path, dict[str, Rows]]) -> None:
    by_condition: dict[tuple[str, str, str], float] = {}
    for row in small[1]["rules"]:
        key = row["players"], row["strategy"], row["rule"]
        gain, low, high = estimate(row, "against_shared")
        by_condition[key] = by_condition.get(key, 0) + gain
        assert low <= gain <= high and (row["rule"] != "shared" or low <= 0 <= high)
    assert all(abs(total) < 1e-9 for total in by_condition.values())
    tied = [row for row in small[1]["tied_seats"] if (row["players"], row["strategy"]) == ("2", "greedy")]
    (ties,) = (row for row in small[1]["ties"] if (row["players"], row["strategy"]) == ("2", "greedy"))
    assert [row["tied"] for row in tied] == [ties["tied"]] == [ties["tied_2_seats"]]


def test_random_play_ties_so_often_that_the_rule_makes_the_effect(small: tuple[Path, dict[str, Rows]]) -> None:
    rows = [row for row in small[1]["correction"] if (row["players"], row["strategy"]) == ("2", "random")]
    verdicts = {row["rule"]: row["verdict"] for row in rows}
    assert verdicts["later"] == verdicts["earlier"] == "makes one where none was found"
    assert verdicts["shared"] == "no effect was found, before or after"
    even = [row for row in small[1]["evenness"] if (row["players"], row["strategy"]) == ("2", "random")]
    assert [row["rule"] for row in even if row["most_even"] == "True"] == ["shared"]
    assert {row["rule"] for row in even if row["less_even_for_certain"] == "True"} >= {"later", "earlier"}


def test_the_report_answers_first(small: tuple[Path, dict[str, Rows]]) -> None:
    text = (small[0] / "report.md").read_text()
    answer = text.split("\n\n")[1]
    (ties,) = (row for row in small[1]["ties"] if (row["players"], row["strategy"]) == ("2", "greedy"))
    assert answer.startswith("Giving the win to the later seat ")
    two, three = text.split("\n\n")[2].splitlines()
    assert two.startswith("- 2 players: ") and three.startswith("- 3 players: ")
    assert f"totals tie in {interval(*estimate(ties, 'tied'), scale=100)} % of the games; most equal is `" in two
    assert all(f"[{name}.csv]" in text for name in small[1])
    assert {each.name for each in small[0].glob("*.svg")} == {"rules_2.svg", "rules_3.svg"}


def test_bytes_do_not_depend_on_the_workers(small: tuple[Path, dict[str, Rows]], tmp_path: Path) -> None:
    study(tmp_path, WORDS, "-w 3")
    files = sorted(each.name for each in small[0].iterdir())
    assert files == sorted(each.name for each in tmp_path.iterdir())
    for name in files:
        assert (tmp_path / name).read_bytes() == (small[0] / name).read_bytes(), name


def test_who_does_not_know_the_rule_does_not_adapt(small: tuple[Path, dict[str, Rows]]) -> None:
    for row in small[1]["replays"]:
        assert float(row["adaptation"]) == float(row["play_differs"]) == 0
        assert row["mechanical"] == row["both"]


def test_who_looks_ahead_does() -> None:
    (condition,) = plan_conditions(("2",), ("rollout(n=4)",), 30, 1)
    found = replay_under_all(Session(2), condition, 30)
    assert found is not None and found.sums.n_deals == 30
    runs = {rule: simulate(30, 2, "rollout(n=4)", seed=1, tie_break=rule) for rule in RULES}
    assert found.differ("earlier").value > 0
    for rule in RULES[1:]:
        both = found.both(rule)[0]
        moved = runs[rule].seat_rows[0]["win_share"] - runs["later"].seat_rows[0]["win_share"]
        assert both.value == pytest.approx(moved)
        parts = found.mechanical(rule)[0].value + found.adaptation(rule)[0].value
        assert parts == pytest.approx(both.value) and both.low < both.value < both.high


def test_precision_stops_when_every_interval_is_narrow() -> None:
    (condition,) = plan_conditions(("2",), ("greedy",), 60_000, 1)
    (found,) = study_ties(Session(2), [condition], precision=0.03)
    assert found.look is not None and found.look.precise and found.sums.n_deals < 20_000
    shown = [each for rule in RULES for each in [*found.shares(rule), *found.spread(rule).pairs.values()]]
    shown += [each for rule in RULES for each in found.changes(rule)]
    assert max(each.high - each.low for each in shown) <= 2 * 0.03


def test_another_rule_in_force(tmp_path: Path) -> None:
    rows = study(tmp_path, "tie-break -p 2 -s greedy -g 600 --rule tie_break=shared")
    assert {row["against"] for row in rows["replays"]} == {"shared"}
    assert (tmp_path / "report.md").read_text().split("\n\n")[1].startswith("Sharing the win ")


@pytest.mark.parametrize("games", [1, 2])
def test_hardly_a_game_gives_a_report_that_promises_nothing(games: int, tmp_path: Path) -> None:
    rows = study(tmp_path, f"tie-break -p 2 -p 3 -s greedy -s greedy+random -g {games}")
    for row in rows["rules"]:
        _, low, high = estimate(row, "win_share")
        assert high - low > 0.3


def test_ctrl_c_reports_what_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    ctrl_c_after(2, monkeypatch)
    called = call("experiment", WORDS)
    assert called.exit_code == 130 and "The study was interrupted" in called.stdout and "| greedy |" in called.stdout


def test_look_ahead_strategies_are_replayed_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    study_of = load_experiment("tie-break").study
    monkeypatch.setitem(study_of.__globals__, "LOOK_AHEAD", (("rollout(n=1,width=2)", 100),))
    monkeypatch.setitem(study_of.__globals__, "LEVELS", ("random",))
    report = study_of(StudyOptions("300", ("3", "2")))
    rows = report.tables["replays"]
    assert {row["players"] for row in rows} == {2} and {row["deals"] for row in rows} == {3}
    assert any(section.heading == "Replayed under each rule" for section in report.sections)


def test_the_committed_report_is_found_again(tmp_path: Path) -> None:
    """With another seed and fewer games every share agrees within five standard errors: by chance not once in 1e5."""
    run, rows = committed("tie-break")
    found = study(tmp_path, *again(run, rows["ties"], 3_000, 77))
    games = {(row["players"], row["strategy"]): float(row["games"]) for row in rows["ties"]}
    for table, name, keys in (("rules", "win_share", ("rule", "seat")), ("ties", "tied", ())):
        for row, large in same_rows(found[table], rows[table], "players", "strategy", *keys):
            n_large = games[row["players"], row["strategy"]]
            assert agree_as_rates(float(row[name]), 3_000, float(large[name]), n_large), (row["strategy"], keys)


def test_the_first_games_of_the_committed_report_are_found_again_exactly(tmp_path: Path) -> None:
    run, rows = committed("tie-break")
    n_deals = max(int(row["deals"]) for row in rows["first_games"])
    found = study(tmp_path, *again(run, rows["ties"], n_deals, run["options"].get("seed", 1)))
    pairs = same_rows(found["first_games"], rows["first_games"], "players", "strategy", "rule", "seat")
    assert len(pairs) >= 4
    for row, large in pairs:
        assert row == large
