"""Runs: their plans, their numbers, and what does not change them."""

import json
import math
import threading
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from salad_sim import IllegalMoveError, InputError, Result, Rules, StrategyError, simulate
from salad_sim.game.moves import NO_FLIP, make_move, pair_draft
from salad_sim.play.tally import new_tally
from salad_sim.run.driver import play_plan
from salad_sim.run.executors import Shard, ShardCutter, play_on_threads
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, new_workspace, prepare
from salad_sim.run.setup import whole_number
from salad_sim.strategy.registry import Parameter, kernel, strategy
from salad_sim.tools.benchmark import measure, plans

# ------------------------------------------------------------------------------------------ strategies to test with


@kernel
def any_legal(view, wanted):
    """Take a point card, from pile ``wanted`` if it has one; else vegetables."""
    for step in range(3):
        pile = (wanted + step) % 3
        if view.pile_size[pile] > 0:
            return make_move(pile, NO_FLIP)
    first = -1
    for slot in range(6):
        if view.market[slot] >= 0:
            if first >= 0:
                return make_move(pair_draft(first, slot), NO_FLIP)
            first = slot
    return make_move(pair_draft(first, first), NO_FLIP)


@strategy("grabs", pile=Parameter(0, 0, 2, "pile to take from first"))
def grabs(view, own, rng):
    """Take a point card, from the pile that the parameter names if it has one; else vegetables."""
    return any_legal(view, int(own.params[0]))


@strategy("cheats")
def cheats(view, own, rng):
    """Take from the first pile even when it is empty."""
    return make_move(0, NO_FLIP)


@strategy("cheats-late")
def cheats_late(view, own, rng):
    """Flip a card of nobody in one game of several."""
    if view.turn == 2 and view.top[0] % 16 == 5:
        return make_move(0, view.top[1])
    return any_legal(view, 0)


@strategy("nonsense")
def nonsense(view, own, rng):
    """Return what is no move at all."""
    return view.turn * 0 - 7


@strategy("raises")
def raises(view, own, rng):
    """Raise an error on the third turn."""
    if view.turn == 2:
        raise ValueError("lost my glasses")
    return any_legal(view, 0)


# ------------------------------------------------------------------------------------------ numbers people write


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        *[("1e6", 10**6), ("1_000_000", 10**6), ("1000000", 10**6), ("2.5e1", 25), ("1e15", 10**15), ("3.0", 3)],
        *[(1e6, 10**6), (7, 7), (" 12 ", 12), (np.int64(9), 9), (np.float64(9), 9), (Fraction(8, 2), 4)],
    ],
)
def test_whole_numbers(given, expected):
    found = whole_number("games", given, 1, 10**15)
    assert found == expected
    assert type(found) is int


@pytest.mark.parametrize(
    "given",
    [
        *["0", "-1", "0.5", "1e-3", "", "ten", "nan", "inf", "-inf", "sNaN", "1e16", "1e999999999", "1,5", "0x10"],
        *[0, -3, 2.5, math.nan, math.inf, True, [5], b"5", 1e16, Decimal("0.5"), "9" * 5000, None],
    ],
)
def test_what_is_no_whole_number_is_refused_in_one_short_line(given):
    with pytest.raises(InputError, match=r"games must be a whole number from 1 to 1e15, not ") as caught:
        whole_number("games", given, 1, 10**15)
    assert len(str(caught.value)) < 120
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------------------------------------ plans


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "players must be a whole number from 2 to 6, not 1"),
        ({"players": 7}, "players must be a whole number from 2 to 6, not 7"),
        ({"seed": -1}, "seed must be"),
        ({"seed": 2**63}, "seed must be"),
        ({"workers": 0}, "workers must be a whole number from 1 to 1024, not 0"),
        ({"players": 3, "strategies": ["greedy", "random"]}, "2 strategies given for 3 players"),
        ({"strategies": []}, "no strategy given"),
        ({"strategies": "gredy"}, "did you mean 'greedy'"),
        ({"strategies": [3, 4]}, "not 3"),
        ({"strategies": 3}, "not 3"),
        ({"tie_break": "last"}, "last-turn"),
        ({"rules": "official"}, "rules must be a Rules object"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        simulate(**{"games": 10, **options})


def test_a_plan_counts_games_by_rotations_of_deals():
    plan = plan_run(100, 3, ["greedy", "random", "greedy"], rotate=True)
    assert (plan.n_deals, plan.n_games, plan.n_rotations) == (34, 102, 3)
    assert plan.game_number(5, 2) == 17
    assert plan.locate(17) == (5, 2)
    assert [plan.label_at(seat, 1) for seat in range(3)] == ["greedy", "greedy", "random"]
    assert any("102 games" in note for note in plan.notes())
    assert plan_run(100, 3).game_number(17, 0) == 17
    assert not plan_run(99, 3, ["greedy", "random", "greedy"], rotate=True).notes()


def test_rotating_equal_strategies_is_said_to_be_vain():
    assert any("same game again" in note for note in plan_run(10, 2, rotate=True).notes())


def test_equal_strategies_share_a_group_and_others_do_not():
    base = grabs.salad_sim_strategy
    other = replace(base, values=(2.0,))
    plan = plan_run(10, 4, [base, other, base, "random"])
    assert plan.groups == (0, 1, 0, 2)
    assert plan.labels == ("grabs", "grabs(pile=2)", "random")


def test_the_same_name_from_two_files_is_told_apart(tmp_path):
    text = (
        "from salad_sim.strategy import strategy\n\n\n@strategy('mine')\ndef choose(view, own, rng):\n    return {}\n"
    )
    files = [tmp_path / "one.py", tmp_path / "two.py"]
    for number, file in enumerate(files):
        file.write_text(text.format(number))
    plan = plan_run(10, 2, [str(file) for file in files])
    assert plan.groups == (0, 1)
    assert plan.labels == tuple(f"mine ({file})" for file in files)
    assert plan.options()["strategies"] == [f"{file}:mine" for file in files]


def test_parameters_reach_the_strategy():
    plan = plan_run(10, 2, [grabs, replace(grabs.salad_sim_strategy, values=(2.0,))])
    work = new_workspace(plan)
    assert work["own"]["params"][:, 0].tolist()[:2] == [0.0, 2.0]
    piles = simulate(200, 2, [grabs, grabs]).seats, simulate(200, 2, plan.lineup).seats
    assert piles[0].mean_score[0] != piles[1].mean_score[0]


# ------------------------------------------------------------------------------------------ numbers


@pytest.fixture(scope="module")
def mixed():
    return simulate(600, 3, ["greedy", "random", "random"], seed=5, rotate=True)


def test_sums_that_must_hold(mixed):
    tally = mixed.tally
    assert (mixed.games, mixed.deals, mixed.players, mixed.seed) == (600, 200, 3, 5)
    assert tally.wins.sum() == 60 * 600
    assert tally.seat_turns.sum() == tally.turns
    # every strategy sat in every seat equally often
    assert tally.seat_games[0, :3].tolist() == [200, 200, 200]
    assert tally.seat_games[1, :3].tolist() == [400, 400, 400]
    assert mixed.turns == int(tally.turns) / 600


def test_tables(mixed):
    seats, strategies = mixed.seats, mixed.strategies
    assert seats.seat.tolist() == [1, 2, 3]
    assert seats.strategy.tolist() == ["greedy, random"] * 3
    assert strategies.strategy.tolist() == ["greedy", "random"]
    assert strategies.places.tolist() == [1, 2]
    assert strategies.games.tolist() == [600, 1200]
    assert seats.win_share.sum() == pytest.approx(1)
    assert (strategies.win_share * strategies.places).sum() == pytest.approx(1)
    for table in (seats, strategies):
        assert (table.win_share_low <= table.win_share).all() and (table.win_share <= table.win_share_high).all()
        assert (table.mean_score_low < table.mean_score).all() and (table.mean_score < table.mean_score_high).all()
        assert table.difference.to_numpy() == pytest.approx(table.win_share.to_numpy() - 1 / 3)
        assert (table.sd_score > 0).all()
    assert strategies.win_share[0] > 0.9
    assert strategies.mean_score[0] > strategies.mean_score[1] + 10
    # turns of a game are shared out among the seats
    assert seats.turns.sum() == pytest.approx(mixed.turns)


def test_a_win_in_every_seat_is_a_fair_share_for_certain():
    row = simulate(50, 3).strategies.iloc[0]
    assert row.win_share == row.win_share_low == row.win_share_high == pytest.approx(1 / 3)
    assert row.difference == 0


def test_rotations_of_equal_strategies_do_not_narrow_intervals():
    plain, rotated = simulate(300, 2, seed=9).seats, simulate(600, 2, seed=9, rotate=True).seats
    columns = ["win_share", "win_share_low", "win_share_high", "mean_score", "mean_score_low", "mean_score_high"]
    assert rotated[columns].to_numpy() == pytest.approx(plain[columns].to_numpy(), rel=1e-12)


def test_later_seats_gain_by_the_official_tie_break():
    results = {rule: simulate(4000, 2, "random", tie_break=rule) for rule in ("later", "shared", "earlier")}
    shares = {rule: result.seats.win_share[1] for rule, result in results.items()}
    tie_rate = results["later"].tie_rate
    assert 0 < tie_rate < 1
    assert shares["later"] - shares["earlier"] == pytest.approx(tie_rate)
    assert shares["later"] - shares["shared"] == pytest.approx(tie_rate / 2)
    assert simulate(4000, 2, "random", rules=Rules(tie_break="shared")).tally == results["shared"].tally


def test_as_dict_is_json_and_holds_the_tables(mixed):
    data = json.loads(json.dumps(mixed.as_dict(), allow_nan=False))
    assert {"games", "players", "seed", "tie_rate", "turns", "games_per_second", "seats", "strategies"} <= set(data)
    assert data["seats"][1]["seat"] == 2
    assert data["strategies"][0]["win_share"] == mixed.strategies.win_share[0]
    assert data["tie_rate_low"] <= data["tie_rate"] <= data["tie_rate_high"]


@pytest.mark.parametrize("rotate", [False, True])
def test_a_single_deal(rotate):
    result = simulate(1, 2, ["greedy", "random"], rotate=rotate)
    data = json.loads(json.dumps(result.as_dict(), allow_nan=False))
    for row in data["seats"]:
        assert 0 <= row["win_share_low"] <= row["win_share"] <= row["win_share_high"] <= 1
        assert row["mean_score_low"] is None
    assert result.games == (2 if rotate else 1)


# ------------------------------------------------------------------------------------------ what changes nothing


@pytest.mark.parametrize("rotate", [False, True])
def test_workers_and_shards_do_not_change_the_tally(rotate):
    options = {"games": 500, "players": 4, "strategies": ["random", "greedy", "random", "random"], "rotate": rotate}
    expected = simulate(**options, workers=1)
    for workers, shard_deals in [(1, 7), (2, None), (2, 1), (3, 1000), (1, 125)]:
        found = simulate(**options, workers=workers, shard_deals=shard_deals)
        assert found.tally.tobytes() == expected.tally.tobytes()
        assert found.seats.to_csv() == expected.seats.to_csv()


def test_other_seeds_give_other_games():
    assert simulate(200, seed=1).tally.tobytes() != simulate(200, seed=2).tally.tobytes()
    assert simulate(200, seed=0).tally.tobytes() != simulate(200, seed=2**63 - 1).tally.tobytes()


def test_more_games_change_no_earlier_one():
    plan = plan_run(300, 2, "random", seed=3)
    rest = ShardPlayer(plan, prepare(plan))(Shard(200, 100))
    first = play_plan(plan_run(200, 2, "random", seed=3)).tally
    whole = play_plan(plan).tally
    for name in whole.dtype.names:
        assert np.array_equal(first[name] + rest[name], whole[name])


# ------------------------------------------------------------------------------------------ failures


def test_an_illegal_move_is_reported_in_full():
    with pytest.raises(IllegalMoveError) as caught:
        simulate(50, 2, ["random", cheats], seed=4)
    message = str(caught.value)
    assert message.startswith("strategy 'cheats' at seat 2, turn ")
    assert "game 0 of seed 4, 2 players" in message
    assert "take a point card from pile 1" in message
    assert "that pile is empty" in message


def test_a_move_that_is_no_move():
    with pytest.raises(IllegalMoveError, match=r"'nonsense' at seat 1, turn 1 of game 0 .*make move number -7"):
        simulate(5, 3, nonsense)


def test_the_first_illegal_move_is_reported_whatever_the_threads():
    messages = set()
    for workers, shard_deals in [(1, None), (2, None), (2, 1), (2, 1), (3, 4), (1, 100)]:
        with pytest.raises(IllegalMoveError, match="can be flipped") as caught:
            simulate(400, 2, ["greedy", cheats_late], seed=2, rotate=True, workers=workers, shard_deals=shard_deals)
        messages.add(str(caught.value))
    assert len(messages) == 1
    assert ", rotation " in messages.pop()


def test_a_strategy_that_raises_is_named():
    with pytest.raises(StrategyError) as caught:
        simulate(20, 2, ["random", raises], seed=8, rotate=True)
    assert "strategy 'raises' at seat 1, turn 3 of game 1 of seed 8, rotation 1 of deal 0" in str(caught.value)
    assert "ValueError: lost my glasses" in str(caught.value)


# ------------------------------------------------------------------------------------------ stopping


def test_ctrl_c_returns_whole_deals_that_were_counted():
    def stop(done, planned):
        assert planned == 10**9
        if done:
            raise KeyboardInterrupt

    result = simulate(10**9, 2, "random", workers=1, progress=stop)
    assert result.interrupted
    assert 0 < result.games < 10**9
    # one worker takes deals in order, so these are the first of them
    again = simulate(result.games, 2, "random")
    assert again.tally.tobytes() == result.tally.tobytes()
    assert not again.interrupted


def test_ctrl_c_before_the_first_game_gives_empty_tables():
    result = Result(plan_run(100), new_tally(), 0.1, True)
    assert result.seats.empty and result.strategies.empty
    assert json.loads(json.dumps(result.as_dict(), allow_nan=False))["turns"] is None
    assert math.isnan(result.turns) and math.isnan(result.tie_rate)


def test_progress_ends_at_all_games():
    seen = []
    simulate(500, progress=lambda done, planned: seen.append((done, planned)))
    assert seen[-1] == (500, 500)
    assert seen == sorted(seen)


# ------------------------------------------------------------------------------------------ shards and threads


@pytest.mark.parametrize("speed", [0.5, 100, 1e6])
@pytest.mark.parametrize("n_workers", [1, 2, 5])
def test_shards_cover_all_deals_once_and_take_about_as_long_as_they_should(speed, n_workers):
    n_deals = 10**7 if speed > 1e5 else 300
    cutter = ShardCutter([(0, n_deals)], n_workers)
    next_deal, longest = 0, 0.0
    while (shard := cutter.take()) is not None:
        assert shard.first_deal == next_deal
        assert shard.n_deals >= 1
        next_deal += shard.n_deals
        longest = max(longest, shard.n_deals / speed)
        cutter.learn(shard, shard.n_deals / speed)
    assert next_deal == n_deals and cutter.n_left == 0
    assert longest < max(0.2, 2.0 / speed)


def test_shards_are_cut_when_they_are_taken():
    cutter = ShardCutter([(0, 10**15)], 2)
    assert cutter.take() == Shard(0, 1)
    cutter.learn(Shard(0, 1), 1e-6)
    assert cutter.take().n_deals <= 8


def test_the_last_shards_get_smaller():
    cutter = ShardCutter([(0, 10**6)], 2)
    sizes = []
    while (shard := cutter.take()) is not None:
        sizes.append(shard.n_deals)
        cutter.learn(shard, shard.n_deals / 1e6)
    assert max(sizes) > 10**5
    assert sizes[-1] <= 6000


def test_the_first_failure_by_deal_is_raised_and_running_shards_end():
    gate = threading.Barrier(2, timeout=10)
    done = []

    def play(shard):
        if shard.first_deal < 2:
            gate.wait()  # both run at the same time
        if shard.first_deal == 1:
            raise RuntimeError("later deal, failed first")
        gate_of_slow.wait(timeout=0.2)
        raise RuntimeError("earlier deal")

    gate_of_slow = threading.Event()
    with pytest.raises(RuntimeError, match="earlier deal"):
        play_on_threads(
            ShardCutter([(0, 100)], 2, fixed=1), [play, play], lambda *part: done.append(part), lambda: None
        )
    assert done == []


def test_a_failure_while_counting_is_raised():
    def collect(shard, part):
        raise RuntimeError("cannot count")

    with pytest.raises(RuntimeError, match="cannot count"):
        play_on_threads(ShardCutter([(0, 3)], 1), [lambda shard: 0], collect, lambda: None)


# ------------------------------------------------------------------------------------------ the rest


def test_public_names_stay_functions():
    import salad_sim

    assert callable(salad_sim.simulate) and callable(salad_sim.replay)
    assert set(salad_sim.__all__) == set(dir(salad_sim))
    for name in salad_sim.__all__:
        assert getattr(salad_sim, name) is not None
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = salad_sim.no_such_name


def test_benchmark_measures_each_number_of_threads():
    [plan] = plans(["random"], [2])
    speeds = measure(plan, [1, 2], seconds=0.01, repeats=1)
    assert [(each.strategy, each.players, each.workers) for each in speeds] == [("random", 2, 1), ("random", 2, 2)]
    assert all(each.games_per_second > 100 for each in speeds)
    assert speeds[1].per_worker == speeds[1].games_per_second / 2
