"""Leagues that are played: balanced schedules, resuming, refusals, the command, and bad luck that is not skill."""

import json
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections import Counter
from itertools import combinations, islice
from math import comb

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from salad_sim import InputError, play_league
from salad_sim.cli import main
from salad_sim.files.atomic import sole_use
from salad_sim.run.driver import Session
from salad_sim.studies.league import play as league_play
from salad_sim.studies.league.checkpoint import GAMES_FILE, LeagueSaver
from salad_sim.studies.league.config import plan_league
from salad_sim.studies.league.lineups import MOST_LINEUPS, Draws, balanced_lineups, seatings
from salad_sim.studies.league.report import write_league
from salad_sim.studies.league.schedule import Played, Schedule, least_certain, share_out
from support.interrupting import press_ctrl_c

THREE = ["greedy", "random", "strategies/_template.py"]


def meetings_of(lineups, n_strategies):
    """How often two strategies meet, pairs of places counted singly."""
    counts = np.zeros((n_strategies, n_strategies), dtype=int)
    for lineup in lineups:
        for one, other in combinations(lineup, 2):
            counts[one, other] += 1
            counts[other, one] += 1
    return counts


SIZES = [(k, n) for n in range(2, 7) for k in (2, 3, 4, 5, 6, 7, 8, 11, 12, 15, 22, 40)]


@pytest.mark.parametrize(("n_strategies", "n_players"), SIZES)
def test_line_ups_are_balanced(n_strategies, n_players):
    lineups = balanced_lineups(n_strategies, n_players, Draws(1))
    assert all(len(lineup) == n_players for lineup in lineups)
    assert len(set(lineups)) == len(lineups)
    places = Counter(strategy for lineup in lineups for strategy in lineup)
    assert len(places) == n_strategies
    assert len(set(places.values())) == 1
    if n_players <= n_strategies:
        assert all(len(set(lineup)) == n_players for lineup in lineups)
    else:
        for lineup in lineups:
            assert max(Counter(lineup).values()) - min(Counter(lineup).values()) <= 1
    meetings = meetings_of(lineups, n_strategies)[~np.eye(n_strategies, dtype=bool)]
    if n_players == 2 or n_strategies < n_players or comb(n_strategies, n_players) <= MOST_LINEUPS:
        assert meetings.min() == meetings.max()
    # a selection: no pair of strategies meets much less often than another
    assert meetings.max() - meetings.min() <= max(0.1 * meetings.mean(), 4)


def test_every_order_around_the_table_comes_equally_often():
    lineup = (0, 1, 2, 3)
    drawn = list(islice(seatings(lineup, Draws(3)), 12))
    around = Counter(drawn)
    assert set(around.values()) == {2} and len(around) == 6
    assert len(set(drawn[:6])) == 6
    assert list(islice(seatings(lineup, Draws(3)), 12)) == drawn
    assert list(islice(seatings(lineup, Draws(4)), 12)) != drawn


@pytest.mark.parametrize(("strategies", "players", "games"), [(THREE, 2, 1), (THREE, 2, 1000), (THREE, 4, 500)])
def test_an_even_schedule_gives_every_line_up_equally_many_deals(strategies, players, games):
    schedule = Schedule(plan_league(strategies, players, games))
    played = Played(len(strategies), players, schedule.n_deals)
    deals = Counter()
    for block in schedule.blocks(played):
        assert block.first_deal == played.n_deals
        played.seat(block, block.n_deals)
        deals[tuple(sorted(block.seating))] += block.n_deals
    assert played.n_deals == schedule.n_deals
    assert set(deals) == set(schedule.lineups)
    assert len(set(deals.values())) == 1
    assert games <= schedule.n_games < games + players * len(schedule.lineups)


def test_the_order_of_the_names_changes_nothing(tmp_path):
    one, other = THREE, [*THREE[1:], THREE[0]]
    assert plan_league(one, 2, 100).identity() == plan_league(other, 2, 100).identity()
    assert plan_league(one, anchor=one[0]).anchor == plan_league(other, anchor=one[0]).anchor
    tables = [play_league(given, games=60).rating_rows for given in (one, other)]
    assert repr(tables[0]) == repr(tables[1])


def test_shares_of_a_round():
    assert share_out(10, [0.5, 0.25, 0.25]) == [5, 3, 2]
    assert share_out(7, [0.0, 0.4, 0.0]) == [0, 7, 0]
    assert share_out(5, [0.0, 0.0]) == [3, 2]
    assert sum(share_out(101, [0.31, 0.17, 0.002, 0.49])) == 101


def test_an_adaptive_league_plays_where_the_ranking_is_least_certain():
    even = play_league(THREE, games=600, seed=3)
    adaptive = play_league(THREE, games=600, seed=3, adaptive=True)
    assert adaptive.games == even.games == 600
    games = {(row["strategy"], row["opponent"]): row["games"] for row in adaptive.cross_rows}
    # random is far behind, so much of the second half goes to the two others; even were 200
    assert games["greedy", "mine"] > 250
    assert games["greedy", "random"] >= 100
    pairs, doubts = least_certain(even.finishes)
    assert pairs == [(0, 1), (1, 2)]
    assert doubts[0] < 0.5 and doubts[1] < 1e-3


def files_of(folder):
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def played_into(folder, **options):
    return play_league(out=folder, **{"strategies": THREE, "games": 300, "seed": 5, "workers": 2, **options})


def written(folder, **options):
    """Play a league and write its report and pictures too, which takes a second."""
    league = played_into(folder, **options)
    write_league(league, folder)
    return league


@pytest.mark.parametrize("options", [{"players": 2, "adaptive": True}, {"players": 4}], ids=["adaptive", "four"])
def test_workers_do_not_matter(options, tmp_path):
    for workers in (1, 3):
        written(tmp_path / str(workers), workers=workers, **options)
    assert files_of(tmp_path / "1") == files_of(tmp_path / "3")


def test_deals_of_a_league_are_those_of_a_run():
    """Line-up by line-up the games are those that `play_outcomes` plays of the same deals."""
    league = play_league(THREE, players=3, games=90, seed=9)
    task = league.task
    for deal in (0, 11, 29):
        seating = tuple(int(each) for each in league.finishes.who[deal])
        found = league_play.play_outcomes(task.table(seating, 1), deal, Session(1))
        assert (found.wins[0] == league.finishes.wins[deal]).all()
        assert (found.scores[0] == league.finishes.scores[deal]).all()


def failing_after(function, n_calls, error):
    """The function, which raises an error from a call on."""
    calls = []

    def called(*given):
        calls.append(given)
        if len(calls) > n_calls:
            raise error
        return function(*given)

    return called


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("n_pieces", [1, 7, 16])
def test_a_league_that_was_stopped_goes_on(adaptive, n_pieces, tmp_path, monkeypatch):
    whole = played_into(tmp_path / "whole", adaptive=adaptive)
    with monkeypatch.context() as patch:
        press_ctrl_c(patch, lambda n_jobs, _: n_jobs > n_pieces)
        part = played_into(tmp_path / "part", adaptive=adaptive)
    assert part.interrupted and 0 < part.games < 300
    rest = played_into(tmp_path / "part", adaptive=adaptive)
    assert not rest.interrupted
    assert files_of(tmp_path / "part") == files_of(tmp_path / "whole")
    assert rest.as_dict() == whole.as_dict()


def test_a_stopped_league_leaves_no_trace_in_the_report(tmp_path, monkeypatch):
    written(tmp_path / "whole")
    with monkeypatch.context() as patch:
        press_ctrl_c(patch, lambda n_jobs, _: n_jobs > 4)
        written(tmp_path / "part")
    assert json.loads((tmp_path / "part" / "run.json").read_text())["interrupted"] is True
    assert "was interrupted" in (tmp_path / "part" / "league.md").read_text()
    written(tmp_path / "part")
    assert files_of(tmp_path / "part") == files_of(tmp_path / "whole")


def test_nothing_is_played_twice(tmp_path, monkeypatch):
    written(tmp_path)
    before = files_of(tmp_path)
    monkeypatch.setattr(league_play, "play_outcomes", None)
    written(tmp_path)
    assert files_of(tmp_path) == before


def test_a_failing_strategy_leaves_the_games_before_it(tmp_path, monkeypatch):
    fails = failing_after(league_play.play_outcomes, 5, ZeroDivisionError)
    monkeypatch.setattr(league_play, "play_outcomes", fails)
    with pytest.raises(ZeroDivisionError):
        played_into(tmp_path)
    assert len(np.load(tmp_path / GAMES_FILE)["wins"]) > 0


def test_a_strategy_that_does_not_compile_stops_it_before_the_first_game(write_strategy, own_cache, tmp_path):
    broken = write_strategy("""
        @strategy("broken")
        def choose(view, own, rng):
            return view.no_such_field
    """)
    with pytest.raises(InputError, match="'broken' does not compile"):
        play_league(["greedy", "random", str(broken)], games=60, out=tmp_path / "out")
    assert not (tmp_path / "out" / GAMES_FILE).exists()


def test_games_of_another_schedule_are_not_taken_over(tmp_path, monkeypatch):
    played_into(tmp_path)
    before = files_of(tmp_path)
    monkeypatch.setattr("salad_sim.studies.league.schedule.MOST_PASSES", 1)
    with pytest.raises(InputError, match="another schedule"):
        played_into(tmp_path)
    assert files_of(tmp_path) == before


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.5, 1.5])
def test_a_league_that_was_killed_goes_on(seconds, tmp_path):
    """Killed without notice while it saves all the time, at whatever moment; then played to its end."""
    code = """
        import sys
        from salad_sim.studies.league import checkpoint as saved, play
        saved.SAVE_SECONDS = saved.SHARE_OF_TIME = 0
        play.PIECE_SECONDS = 0.01
        from salad_sim import play_league
        play_league(sys.argv[3].split(), games=sys.argv[1], seed=5, out=sys.argv[2])
    """
    code = "\n".join(line.strip() for line in code.splitlines())
    games, folder = 60_000, tmp_path / "part"
    process = subprocess.Popen([sys.executable, "-c", code, str(games), str(folder), " ".join(THREE)])
    while not (folder / GAMES_FILE).exists():
        assert process.poll() is None
        time.sleep(0.05)
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait()
    n_saved = len(np.load(folder / GAMES_FILE)["wins"])
    assert 0 < n_saved < games // 2
    written(folder, games=games)
    written(tmp_path / "whole", games=games)
    assert files_of(folder) == files_of(tmp_path / "whole")


def test_what_a_killed_program_left_is_removed(tmp_path):
    (tmp_path / f".{GAMES_FILE}.123.unfinished").write_bytes(b"half")
    played_into(tmp_path)
    assert not list(tmp_path.glob(".*"))


def test_no_two_programs_play_into_one_folder(tmp_path):
    with sole_use(tmp_path), pytest.raises(InputError, match="another salad-sim is at work in"):
        played_into(tmp_path)
    assert not files_of(tmp_path)
    played_into(tmp_path)


def test_two_programs_that_write_one_file_do_not_disturb_each_other(tmp_path):
    code = textwrap.dedent("""
        import sys
        from pathlib import Path
        from salad_sim.files.atomic import write_files
        for _ in range(1000):
            write_files(Path(sys.argv[1]), {"table.csv": sys.argv[2] * 10_000})
    """)
    writers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), text]) for text in "ab"]
    assert [each.wait(60) for each in writers] == [0, 0]
    assert [each.name for each in tmp_path.iterdir()] == ["table.csv"]
    assert set((tmp_path / "table.csv").read_text()) in ({"a"}, {"b"})


def test_saving_waits_and_costs_little(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("salad_sim.studies.league.checkpoint.perf_counter", lambda: now[0])
    saver = LeagueSaver(tmp_path, {})
    saver.save_if_due(Played(2, 2, 3))
    assert not (tmp_path / GAMES_FILE).exists()
    now[0] += 5
    saver.save_if_due(Played(2, 2, 3))
    assert (tmp_path / GAMES_FILE).exists()
    saver.cost = 1.0
    (tmp_path / GAMES_FILE).unlink()
    now[0] += 19
    saver.save_if_due(Played(2, 2, 3))
    assert not (tmp_path / GAMES_FILE).exists()


@pytest.mark.parametrize(
    ("options", "difference"),
    [
        ({"seed": 6}, "seed is 5 there and 6 here"),
        ({"games": 306}, "games is 300 there and 306 here"),
        ({"players": 3}, "players is 2 there and 3 here"),
        ({"tie_break": "shared"}, "tie_break is later there and shared here"),
        ({"adaptive": True}, "adaptive is False there and True here"),
        ({"strategies": ["greedy", "random"]}, "strategies is"),
    ],
)
def test_another_league_is_not_overwritten(options, difference, tmp_path):
    played_into(tmp_path)
    before = files_of(tmp_path)
    with pytest.raises(InputError, match=difference):
        played_into(tmp_path, **options)
    assert files_of(tmp_path) == before


def test_another_league_is_overwritten_by_force(tmp_path):
    played_into(tmp_path / "one", seed=6)
    played_into(tmp_path / "other")
    played_into(tmp_path / "other", seed=6, force=True)
    assert files_of(tmp_path / "one") == files_of(tmp_path / "other")


def test_another_anchor_is_the_same_league(tmp_path, monkeypatch):
    played_into(tmp_path)
    monkeypatch.setattr(league_play, "play_outcomes", None)
    ratings = played_into(tmp_path, anchor="greedy").ratings.set_index("strategy")
    assert ratings.loc["greedy", ["rating", "rating_low", "rating_high"]].tolist() == [0, 0, 0]
    assert ratings.loc["mine", "rating"] < 0


def test_an_edited_strategy_makes_another_league(tmp_path):
    mine = tmp_path / "mine.py"
    shutil.copy("strategies/_template.py", mine)
    options = {"strategies": ["random", str(mine)], "games": 20}
    played_into(tmp_path / "out", **options)
    mine.write_text(mine.read_text() + "\n# edited\n")
    with pytest.raises(InputError, match=r"\.py is \w{12}\.\.\. there and \w{12}\.\.\. here"):
        played_into(tmp_path / "out", **options)


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "foreign", "edited"])
def test_a_damaged_file_is_noticed(damage, tmp_path):
    played_into(tmp_path)
    file = tmp_path / GAMES_FILE
    data = bytearray(file.read_bytes())
    if damage == "edited":
        arrays = dict(np.load(file))
        arrays["wins"][3] = 60 - arrays["wins"][3]
        np.savez_compressed(file, **arrays)
    else:
        if damage == "flipped":
            data[len(data) // 2] ^= 4
        file.write_bytes({"cut": data[:-50], "flipped": data, "empty": b"", "foreign": b"hello" * 100}[damage])
    with pytest.raises(InputError, match=r"games\.npz is damaged.*--force plays it from the start") as refusal:
        played_into(tmp_path)
    assert "\n" not in str(refusal.value)


def test_other_results_are_not_overwritten(tmp_path):
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(InputError, match="holds the results of something else"):
        played_into(tmp_path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"strategies": ["greedy"]}, "a league has 2 to 40 different strategies, not 1"),
        ({"strategies": ["greedy", "random", "greedy"]}, "strategy 'greedy' is given twice"),
        ({"strategies": ["greedy", "gredy"]}, "did you mean 'greedy'"),
        ({"players": 7}, "players must be a whole number from 2 to 6, not 7"),
        ({"games": 0}, "games must be a whole number from 1 to 20000000, not 0"),
        ({"anchor": "gredy"}, "unknown anchor 'gredy'"),
        ({"workers": 0}, "workers must be"),
    ],
)
def test_bad_input(given, message):
    with pytest.raises(InputError, match=message):
        play_league(**{"strategies": THREE, **given})


def test_copies_under_other_names_may_play(tmp_path):
    shutil.copy("strategies/_template.py", tmp_path / "copy.py")
    league = play_league(["strategies/_template.py", str(tmp_path / "copy.py")], games=40)
    assert len(set(league.labels)) == 2
    # the same choices from the same streams: whoever has the better seat wins, and the other has it in the next game
    assert league.ratings.rating.tolist() == pytest.approx([0, 0])
    assert league.ratings.superiority[0] == pytest.approx(0.5)


def typed(*words):
    return CliRunner().invoke(main, ["league", *THREE, "--games", "300", *words])


def test_command_prints_the_answer_first():
    result = typed()
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == ("3 strategies, 2 players: 300 games (150 deals, each in every rotation, 3 line-ups), seed 1")
    assert lines[1].startswith("greedy ")
    assert "No cycle" in result.stdout and "% above" in result.stdout


def test_command_writes_everything(tmp_path):
    result = typed("--out", str(tmp_path), "--format", "json", "--adaptive", "--anchor", "greedy")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert {row["strategy"] for row in data["ratings"]} == {"greedy", "random", "mine"}
    assert data["anchor"] == "greedy"
    names = {"ratings", "cross", "seats", "lineups", "cycles"}
    pictures = {f"{name}.{ending}" for name in ("ratings", "cross") for ending in ("png", "svg")}
    expected = {f"{name}.csv" for name in names} | pictures | {"league.md", "run.json", "job.json", GAMES_FILE}
    assert {file.name for file in tmp_path.iterdir()} == expected
    assert (tmp_path / "league.md").read_text().splitlines()[2].startswith("greedy ")
    assert (tmp_path / "cycles.csv").read_text().startswith("first,second,third,")
    again = json.loads((tmp_path / "run.json").read_text())["again"]
    assert again.startswith("salad-sim league greedy /") and "--adaptive --anchor greedy" in again


def test_a_game_without_a_tie_break_takes_none():
    result = CliRunner().invoke(main, ["league", "greedy", "random", "--game", "hand-draft", "--tie-break", "later"])
    assert result.exit_code == 2 and "equal totals share the win, not --tie-break later" in result.stderr


def test_command_refuses_in_one_line(tmp_path):
    assert typed("--out", str(tmp_path)).exit_code == 0
    result = typed("--out", str(tmp_path), "--seed", "2", "--quiet")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "seed is 1 there and 2 here" in result.stderr
    csv = typed("--format", "csv", "--quiet")
    assert csv.stdout.startswith("rank,strategy,rating,rating_low,rating_high,") and csv.stderr == ""


@pytest.mark.parametrize("n_pieces", [1, 4])
def test_interrupted_command_says_so(n_pieces, monkeypatch):
    """After one piece only one line-up has played, and one strategy has not played at all."""
    press_ctrl_c(monkeypatch, lambda n_jobs, _: n_jobs > n_pieces)
    result = typed()
    assert result.exit_code == 130
    assert "of 300 games were played and counted" in result.stderr
    assert result.stdout.startswith("3 strategies")


COPY = '''
"""Plays like greedy, after a draw from the stream that changes nothing but its luck."""
from salad_sim.kit import below
from salad_sim.strategy import kernel, strategy
from salad_sim_strategies.greedy import choose as greedy

@strategy("{name}")
def choose(view, own, rng):
    for _ in range({n_draws}):
        below(rng, 2)
    return greedy(view, own, rng)
'''


def false_findings(tmp_path, n_leagues, **options):
    """In how many leagues between greedy and two copies any difference is significant."""
    copies = []
    for number in (1, 2):
        file = tmp_path / f"copy_{number}.py"
        file.write_text(COPY.format(name=f"copy-{number}", n_draws=number))
        copies.append(str(file))
    found = 0
    for seed in range(n_leagues):
        league = play_league(["greedy", *copies], seed=1000 + seed, **options)
        assert not (league.finishes.scores[:, 0] == league.finishes.scores[:, 1, ::-1]).all()
        found += bool((league.pairs.p_holm <= 0.05).any())
    return found


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"players": 3}, {"adaptive": True}], ids=["two", "three", "adaptive"])
def test_copies_of_greedy_are_seldom_told_apart(options, tmp_path, monkeypatch):
    """200 leagues of 240 games; a family-wise error of 5 % would find more than 20 once in a thousand tries."""
    # the same games in fewer pieces: each takes some milliseconds to start
    monkeypatch.setattr("salad_sim.studies.league.schedule.MOST_PASSES", 1)
    monkeypatch.setattr("salad_sim.studies.league.schedule.ROUNDS", 3)
    monkeypatch.setattr("salad_sim.studies.league.play.FIRST_DEALS", 100)
    found = false_findings(tmp_path, 200, games=240, **options)
    assert 1 <= found <= stats.binom.ppf(0.999, 200, 0.05)
