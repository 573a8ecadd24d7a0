"""Matches of two strategies: what is printed and written, when they stop; and bad luck must not look like skill."""

import csv
import io
import json
import math
import shlex
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from salad_sim import InputError, Rules, Sprt, compare_strategies
from salad_sim.cli import main
from salad_sim.run.outcomes import play_outcomes
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import prepare
from salad_sim.stats.sprt import ACCEPT_H0, ACCEPT_H1, GO_ON, SprtState, count_results, looks
from salad_sim.strategy.registry import load_file
from salad_sim.studies.match import play as matches
from salad_sim.studies.match.estimate import count_pairs, pairs_of, share_of_results
from salad_sim.studies.match.play import line_up, plan_match
from salad_sim.studies.match.result import MatchPlan, MatchResult
from support.sequential import first_decision
from support.terminal import ctrl_c

COPY = """
from salad_sim.kit import next_word
from salad_sim.strategy import load_strategy

greedy = load_strategy("greedy").choose

@strategy("copy")
def choose(view, own, rng):
    next_word(rng)
    return greedy(view, own, rng)
"""
"""greedy to the letter, but for one random number more before each choice.

A strategy against the very same strategy plays the same game twice: cards and seats' random streams do not know who
sits where, so each pair is exactly 1 and nothing varies. This copy breaks its ties by other random numbers and is
exactly as strong: its matches with greedy vary as those of any two equal players do.
"""


@pytest.fixture(scope="module", autouse=True)
def compiled_before():
    """Have the code in the cache, so that no command says that it compiles."""
    for players in (2, 3):
        prepare(plan_run(1, players, ["greedy"] + ["random"] * (players - 1)))


@pytest.fixture(scope="module")
def copy_of_greedy(tmp_path_factory):
    """A copy of greedy with random numbers of its own."""
    patch = pytest.MonkeyPatch()
    folder = tmp_path_factory.mktemp("copy")
    file = folder / "copy.py"
    head = '"""A strategy of the tests."""\nfrom salad_sim.strategy import kernel, strategy\n'
    file.write_text(head + COPY, encoding="utf-8")
    patch.setattr("salad_sim.strategy.registry.cache_folder", lambda: folder / "cache")
    yield load_file(file)
    patch.undo()


@pytest.fixture(scope="module")
def of_equals(copy_of_greedy):
    """Return a function that gives the plan of a match of greedy and its copy, and many pairs of it."""

    @cache
    def play(players, n_pairs):
        match = plan_match(plan_run(2 * n_pairs, players, line_up("greedy", copy_of_greedy, players), seed=2))
        return match, pairs_of(*(play_outcomes(plan) for plan in match.plans))

    return play


def call(*words):
    return CliRunner().invoke(main, ["match", *words])


def good(*words):
    """Return what a match prints, which must succeed and say nothing on stderr."""
    result = call(*words)
    assert (result.exit_code, result.stderr) == (0, ""), result.stderr
    return result.stdout


def data_of(*words):
    return json.loads(good(*words, "--format", "json"))


# ------------------------------------------------------------------------------------------ what is printed


def test_the_block_to_paste():
    lines = good("greedy", "random", "--games", "401", "--tie-break", "shared", "--seed", "3").splitlines()
    assert len(lines) <= 11 and all(line.isascii() for line in lines)
    assert lines[0] == "greedy against random: 2 players, 402 games (201 deals, both seat orders)"
    assert "rules tie_break=shared, seed 3; 95 % intervals" in lines[1]
    text = "\n".join(lines)
    for what in ("win share ", "Elo +", "LOS > 99.99 %", "margin +", "greedy at seat 1 ", "seat 2 ", "{0: 0, 0.5: "):
        assert what in text
    assert lines[-3].startswith("greedy is better than random: the 95 % interval of the win share excludes one half")
    assert lines[-2].startswith("A person would have to play about ")
    assert lines[-1] == "salad-sim match greedy random --games 402 --seed 3 --rule tie_break=shared"


def test_the_normalised_difference_is_that_of_judge_and_the_games_to_notice_it_those_of_plan():
    found = data_of("greedy", "random", "--games", "402", "--seed", "3")
    counts = ",".join(str(each["pairs"]) for each in found["pair_results"])
    judged = json.loads(CliRunner().invoke(main, ["judge", "--pairs", counts, "--format", "json"]).stdout)
    assert judged["normalised_elo"] == pytest.approx(found["normalised_elo"])
    assert judged["share"] == pytest.approx(found["win_share"])
    needed = json.loads(CliRunner().invoke(main, ["plan", str(found["win_share"]), "--format", "json"]).stdout)
    told = good("greedy", "random", "--games", "402", "--seed", "3").splitlines()[-2]
    assert f"about {needed['games']} games" in told


@pytest.mark.parametrize(
    "words",
    [
        ("greedy", "random", "--games", "60", "--first-deal", "7", "--players", "3", "--rule", "flip=never"),
        ("greedy", "random", "--games", "1000", "--sprt", "-20,10.5", "--alpha", "0.01"),
        ("random", "greedy", "--games", "5000", "--precision", "0.02", "--rounds", "2"),
        ("random", "greedy", "--games", "40", "--game", "hand-draft"),
    ],
    ids=" ".join,
)
def test_again_plays_the_same_match(words):
    first = good(*words, "--format", "json", "--quiet")
    again = shlex.split(json.loads(first)["again"])
    assert again[:2] == ["salad-sim", "match"]
    assert good(*again[2:], "--format", "json") == first


def test_json():
    data = data_of("greedy", "random", "--games", "400")
    assert (data["a"], data["b"], data["games"], data["pairs"], data["players"]) == ("greedy", "random", 400, 200, 2)
    for name in ("win_share", "elo", "margin", "tie_rate", "shared_rate"):
        if data[f"{name}_high"] is not None:
            assert data[f"{name}_low"] <= data[name] <= data[f"{name}_high"]
    assert [row["seat"] for row in data["by_seat"]] == [1, 2]
    assert [row["won"] for row in data["pair_results"]] == [0, 0.5, 1, 1.5, 2]
    assert sum(row["pairs"] for row in data["pair_results"]) == 200
    assert data["better"] == "a" and data["sprt"] is None and data["interrupted"] is False
    assert {each["name"] for each in data["strategies"]} == {"greedy", "random"}
    assert data["versions"]["salad-sim"]


def test_one_pair_says_little_and_nothing_that_is_no_number():
    data = data_of("greedy", "random", "--games", "1")
    assert (data["games"], data["pairs"], data["win_share"]) == (2, 1, 1)
    assert data["elo"] is None and data["elo_high"] is None and data["elo_low"] < 0
    assert data["margin_low"] is None and data["pairing_gain"] is None
    assert data["better"] is None and 0.5 < data["los"] < 0.9
    text = good("greedy", "random", "--games", "1")
    assert "Elo above -" in text and "inf" not in text and "[not known]" in text and "Not decided" in text


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        ("-600,-500", "greedy is more than 500 Elo worse than random"),
        ("-10,0", "greedy is not better than random"),
        ("0,10", "greedy is not 10 Elo better"),
    ],
)
def test_what_a_refuted_difference_means_is_said_as_people_say_it(bounds, said):
    test = Sprt(*map(float, bounds.split(",")))
    match = plan_match(plan_run(20, 2, ["greedy", "random"]), sprt=test)
    (text,) = MatchResult(match, None, SprtState(-3.0, *test.bounds, ACCEPT_H0), 0.0, False)._test_says
    assert said in text


def test_csv_is_one_row():
    (row,) = csv.DictReader(io.StringIO(good("greedy", "random", "--games", "100", "--sprt", "0,5", "--format", "csv")))
    data = data_of("greedy", "random", "--games", "100", "--sprt", "0,5")
    assert float(row["win_share"]) == data["win_share"]
    assert float(row["win_share_seat2"]) == data["by_seat"][1]["win_share"]
    assert int(row["pairs_won_2"]) == data["pair_results"][-1]["pairs"]
    assert float(row["sprt_llr"]) == data["sprt"]["llr"]


def test_files(tmp_path):
    out = tmp_path / "found"
    printed = good("greedy", "random", "--games", "100", "--format", "json", "--out", str(out))
    assert (out / "match.json").read_text() == printed
    tables = {"match.csv", "by_seat.csv", "pair_results.csv"}
    names = tables | {"job.json", "run.json", "match.json", "win_share.png", "win_share.svg"}
    assert {file.name for file in out.iterdir()} == names
    first = {file.name: file.read_bytes() for file in out.iterdir()}
    good("greedy", "random", "--games", "100", "--out", str(out), "--workers", "2")
    assert {file.name: file.read_bytes() for file in out.iterdir()} == first


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["greedy", "gredy"], "unknown strategy 'gredy' (did you mean 'greedy'?)"),
        (["greedy", "random", "--players", "7"], "players must be a whole number from 2 to 6, not '7'"),
        (["greedy", "random", "--games", "0"], "games must be a whole number from 1"),
        (["greedy", "random", "--first-deal", "-1"], "first deal must be a whole number from 0"),
        (["greedy", "random", "--precision", "0"], "above 0 and below 0.5 as in 0.01, not '0'"),
        (["greedy", "random", "--precision", "nan"], "not 'nan'"),
        (["greedy", "random", "--precision", "little"], "not 'little'"),
        (["greedy", "random", "--sprt", "5"], "--sprt takes two Elo differences, as 0,10, not '5'"),
        (["greedy", "random", "--sprt", "10,0"], "the first Elo difference must be below the second"),
        (["greedy", "random", "--sprt", "0,10", "--alpha", "2"], "alpha must be from 0.0001 to 0.4999, not 2"),
        (["greedy", "random", "--sprt", "0,10", "--beta", "few"], "as 0.05, not '0.05' and 'few'"),
        (["greedy", "random", "--sprt", "0,10", "--precision", "0.1"], "give one of them"),
        (["greedy", "random", "--alpha", "0.1"], "--alpha: error rates of a test, which needs --sprt ELO0,ELO1"),
        (["greedy", "random", "--precision", "0.1", "--beta", ""], "--beta: error rates of a test, which needs --sprt"),
        (["greedy", "random", "--workers", "0"], "workers must be a whole number from 1"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(words, said):
    result = call(*words)
    assert result.exit_code == 2 and result.stdout == ""
    assert said in result.stderr and result.stderr.count("\n") == 1


def test_options_that_a_match_does_not_have():
    for option in ("--rotate", "--strategy=greedy"):
        result = call("greedy", "random", option)
        assert result.exit_code == 2 and "No such option" in result.stderr


# ------------------------------------------------------------------------------------------ what is played


def test_a_strategy_against_itself_says_so():
    result = call("greedy", "greedy", "--games", "60")
    assert result.exit_code == 0 and "the same strategy" in result.stderr
    assert "greedy against itself: both games of a pair are the same game" in result.stdout
    found = compare_strategies("greedy", "greedy", 60, players=3)
    assert [row["pairs"] for row in found.result_rows if row["won"] == 1] == [30]
    assert found.better is None and found.superiority == 0.5


@pytest.mark.parametrize("players", [2, 3, 4])
def test_swapping_a_and_b_mirrors_the_result(players):
    one, other = (compare_strategies(*pair, 300, players) for pair in (("greedy", "random"), ("random", "greedy")))
    assert one.share.value == pytest.approx(1 - other.share.value)
    assert one.elo.low == pytest.approx(-other.elo.high)
    assert one.margin == pytest.approx((-other.margin.value, -other.margin.high, -other.margin.low))
    shares = [[row[f"win_share{end}"] for row in found.seat_rows] for found, end in ((one, ""), (other, "_b"))]
    assert shares[0] == shares[1]
    assert (one.better, other.better) == ("a", "b")


def test_ranges_of_deals_are_parts_of_one_match():
    whole = compare_strategies("greedy", "random", 200)
    parts = [compare_strategies("greedy", "random", n, first_deal=first) for n, first in ((60, 0), (140, 30))]
    added = parts[0].count + parts[1].count
    assert {name: sums.tolist() for name, sums in added.sums.items()} == {
        name: sums.tolist() for name, sums in whole.count.sums.items()
    }


# ------------------------------------------------------------------------------------------ when it stops


def summary(result):
    return result.as_dict() | {"sums": {name: sums.tolist() for name, sums in result.count.sums.items()}}


RULES = [{"sprt": (0, 60)}, {"precision": 0.04}, {"games": 777}, {"sprt": (0, 80), "players": 3}]


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_workers_and_portions_do_not_matter(rule, copy_of_greedy, monkeypatch):
    first = summary(compare_strategies("greedy", copy_of_greedy, workers=1, **rule))
    monkeypatch.setattr(matches, "MOST_AT_ONCE", 97)
    assert summary(compare_strategies("greedy", copy_of_greedy, workers=3, **rule)) == first


def test_the_sprt_stops_at_its_first_decision(copy_of_greedy):
    test = Sprt(0, 40, 0.1, 0.1)
    played = play_outcomes(plan_run(8000, 2, ["greedy", copy_of_greedy], seed=5, rotate=True))
    n_pairs, state = first_decision(test, pairs_of(played).results)
    assert n_pairs < 4000 and state.decision in (ACCEPT_H0, ACCEPT_H1)
    found = compare_strategies("greedy", copy_of_greedy, 8000, seed=5, sprt=test)
    assert (found.pairs, found.sprt) == (n_pairs, state)
    assert f"error rates {100 * test.alpha:g} % and {100 * test.beta:g} %" in found.verdict
    fixed = compare_strategies("greedy", copy_of_greedy, 2 * n_pairs, seed=5)
    assert found.share.value == fixed.share.value
    assert found.share.high - found.share.low > 1.3 * (fixed.share.high - fixed.share.low)


def test_all_intervals_of_a_match_with_sprt_hold_whenever_it_stops(copy_of_greedy):
    """They are wider than those of the same games without a rule, in one proportion: no rate was left out."""
    words = {"games": 800, "seed": 5, "rules": Rules(tie_break="shared")}
    fixed = compare_strategies("greedy", copy_of_greedy, **words)
    stopped = compare_strategies("greedy", copy_of_greedy, **words, sprt=(-400, 400))
    test = MatchResult(stopped.match, fixed.count, stopped.sprt, 0.0, False)
    rows = zip(
        [fixed.summary(), *fixed.seat_rows, *fixed.result_rows],
        [test.summary(), *test.seat_rows, *test.result_rows],
        strict=True,
    )
    compared = 0
    for narrow, wide in rows:
        for name in [name.removesuffix("_low") for name in narrow if name.endswith("_low")]:
            assert wide[f"{name}_low"] < narrow[f"{name}_low"] or wide[f"{name}_low"] in (0, -math.inf)
            assert wide[f"{name}_high"] > narrow[f"{name}_high"] or wide[f"{name}_high"] in (1, math.inf)
            assert wide[f"{name}_high"] - wide[f"{name}_low"] > narrow[f"{name}_high"] - narrow[f"{name}_low"]
            compared += 1
    assert compared > 10 and {"tie_rate_low", "shared_rate_low"} <= set(fixed.summary())
    assert fixed.summary()["tie_rate"] > 0 and fixed.summary()["shared_rate"] > 0


def test_an_sprt_that_runs_out_of_games_says_so(copy_of_greedy):
    found = compare_strategies("greedy", copy_of_greedy, 100, sprt=(0, 5))
    assert (found.pairs, found.sprt.decision, found.better) == (50, GO_ON, None)
    assert "has not ended" in found.verdict


@pytest.mark.parametrize(
    ("pair", "bounds", "decision", "better"),
    [
        (("greedy", "random"), (0, 10), ACCEPT_H1, "a"),
        (("random", "greedy"), (-10, 0), ACCEPT_H0, "b"),
        (("random", "greedy"), (0, 10), ACCEPT_H0, "b"),
    ],
)
def test_the_sprt_sees_a_clear_difference(pair, bounds, decision, better):
    found = compare_strategies(*pair, sprt=bounds)
    assert (found.sprt.decision, found.better) == (decision, better)
    assert found.pairs < 400


def test_precision_stops_at_the_first_look_that_is_narrow_enough(copy_of_greedy):
    found = compare_strategies("greedy", copy_of_greedy, precision=0.03)
    played = play_outcomes(plan_run(4000, 2, ["greedy", copy_of_greedy], rotate=True))
    results = pairs_of(played).results

    def half_width(n_pairs):
        _, low, high = share_of_results(count_results(results[:n_pairs]))
        return (high - low) / 2

    assert found.pairs == next(look for look in looks(2000) if look >= 100 and half_width(look) <= 0.03)
    assert found.share.high - found.share.low <= 0.06


@pytest.mark.parametrize(("share", "won", "lost"), [(0.5, 0.3, 0.3), (0.8, 0.65, 0.05)])
def test_intervals_of_precise_matches_still_cover(share, won, lost):
    """Of 800 made-up matches that stop by --precision 95 % (4 sigma: 3 points) cover the true share."""
    rule = matches._stopping_rule(MatchPlan((), 10**6, precision=0.04))
    generator = np.random.default_rng(19)
    covered = 0
    for _ in range(800):
        results = generator.choice([0, 60, 120], p=[lost, 1 - won - lost, won], size=1000)
        end = next(look for look in looks(1000) if rule(count_results(results[:look])))
        _, low, high = share_of_results(count_results(results[:end]))
        covered += low <= share <= high
    assert 0.92 < covered / 800 < 0.98


@pytest.mark.parametrize("players", [2, 3])
def test_an_interrupt_keeps_what_was_played(players, monkeypatch):
    monkeypatch.setattr(matches, "MOST_AT_ONCE", 40)

    def stop(done, planned):
        assert planned == 10**6
        if done > 150:
            raise KeyboardInterrupt

    found = compare_strategies("greedy", "random", 10**6, players, progress=stop)
    assert found.interrupted and 20 <= found.pairs < 1000
    assert summary(compare_strategies("greedy", "random", 2 * found.pairs, players))["sums"] == summary(found)["sums"]


def test_ctrl_c_prints_what_was_played():
    data, seen = ctrl_c("match", "greedy", "random", "--games", "1e9")
    assert data["interrupted"] and data["pairs"] > 0
    assert f"interrupted: {data['pairs']:,} of 500,000,000 pairs were played and counted" in seen


# ------------------------------------------------------------------------------------------ bad luck is not skill

MATCHES = 200


@pytest.mark.parametrize("players", [2, 3])
def test_an_identical_copy_is_called_better_or_worse_in_one_of_twenty_matches(of_equals, players):
    """200 matches of 100 pairs on deals of their own; less than once in 500 would 5 % come out beyond the bounds."""
    match, pairs = of_equals(players, 20_000)
    called = [
        MatchResult(match, count_pairs(pairs.part(start, start + 100)), None, 1.0, False).better
        for start in range(0, 100 * MATCHES, 100)
    ]
    significant = sum(each is not None for each in called)
    low, high = stats.binom.ppf([0.001, 0.999], MATCHES, 0.05)
    assert low <= significant <= high
    assert {"a", "b"} <= set(called)


def test_an_identical_copy_passes_an_sprt_in_one_of_twenty_matches(of_equals):
    """200 tests whether greedy is 60 Elo above its equal: H1 is accepted in at most 5 %, else H0."""
    results = of_equals(2, 30_000)[1].results
    start, wrong = 0, 0
    for _ in range(MATCHES):
        n_pairs, state = first_decision(Sprt(0, 60), results[start:])
        start += n_pairs
        assert state.decision != GO_ON
        wrong += state.decision == ACCEPT_H1
    assert 1 <= wrong <= stats.binom.ppf(0.999, MATCHES, 0.05)


def test_the_copy_plays_other_games_and_is_no_weaker(of_equals):
    """What the two tests above need: pairs vary, and over all deals neither wins more."""
    count = count_pairs(of_equals(2, 30_000)[1])
    shares = [row["share"] for row in count.result_rows() if row["won"] in (0, 2)]
    assert all(0.1 < share < 0.4 for share in shares)
    assert count.share().value == pytest.approx(0.5, abs=0.008)  # four standard errors
    assert all(row["win_share"] == pytest.approx(row["win_share_b"], abs=0.02) for row in count.seat_rows())


def test_the_copy_needs_its_own_random_numbers():
    """Why it is not the strategy itself: all pairs of that are equal, for every number of players."""
    for players in (2, 5):
        found = compare_strategies("greedy", "greedy", 40, players)
        assert found.count.sums["results"][60] == 20
        assert found.margin == (0, 0, 0) or players % 2


def test_refusals_of_the_function():
    with pytest.raises(InputError, match="give one of them"):
        compare_strategies("greedy", "random", sprt=(0, 5), precision=0.1)
    with pytest.raises(InputError, match="precision is the half-width"):
        compare_strategies("greedy", "random", precision=[])
