"""Profiles of strategies: counted once more by another route, known habits, endings, intervals, files, bad input."""

import csv
import json
import re
import shlex
from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from salad_sim import CardSet, InputError, Rules, profile_strategy
from salad_sim.cli import main
from salad_sim.game.cards import Card, official_cards
from salad_sim.game.moves import NO_FLIP, draft_of, flip_of
from salad_sim.jit.typing import Ints
from salad_sim.run.driver import Session
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.stats.intervals import mean, proportion
from salad_sim.stats.ratios import Ratios, average, rate
from salad_sim.studies.profile.habits import SIXTHS, SIXTIETHS, TEN_THOUSANDTHS
from salad_sim.studies.profile.play import Watched, watch_plan
from salad_sim.studies.profile.result import Profile
from support.playing import SEED, Table, draft_in_words
from support.processes import run_python
from support.reference.game import NaiveGame
from support.reference.profile import Sums, after, moves_of, note_decision, note_end, value
from support.strategy_files import StrategyWriter

DENIER = """
from salad_sim.kit import N_PILES, first_slot, hand_gains, read_hand, second_slot, value_in_hand

@strategy("denier")
def choose(view, own, rng):
    rival = (view.seat + 1) % view.n_players
    read_hand(view, rival, own.hand)
    hand_gains(view, rival, own.hand)
    list_drafts(view, own)
    best, chosen = np.int64(-100000), own.drafts[0]
    for index in range(own.n_drafts):
        draft = own.drafts[index]
        if draft < N_PILES:
            gain = np.int64(value_in_hand(view, rival, own.hand, np.int64(view.top[draft])))
        else:
            veg, other = view.market[first_slot(draft)], view.market[second_slot(draft)]
            gain = np.int64(own.hand.plus_one[veg])
            if second_slot(draft) != first_slot(draft):
                gain += own.hand.plus_one[other] + own.hand.together[veg, other]
        if gain > best:
            best, chosen = gain, draft
    return make_move(chosen, NO_FLIP)
"""
"""Always takes what the next player would gain most from."""


@pytest.fixture(scope="module", autouse=True)
def compiled_before() -> None:
    """Have the code in the cache, so that no command says that it compiles."""
    watch_plan(plan_run(1, 2, ["greedy", "random"], rotate=True), 0)


def plan_of(a: str, b: str, games: int, players: int = 2, **more: object) -> Plan:
    return plan_run(games, players, [a, *[b] * (players - 1)], SEED, rotate=True, **more)  # type: ignore[arg-type]


def games_of(plan: Plan) -> list[tuple[NaiveGame, int, list[tuple[tuple[object, ...], int | None]]]]:
    """Every game of a plan as a twin at its beginning, the seat of place 0, and the moves that the engine made."""
    player = ShardPlayer(plan, prepare(plan))
    table = Table(plan.n_players, plan.rules)
    games = []
    for deal in range(plan.n_deals):
        for rotation in range(plan.n_rotations):
            player.work.n_rotations = rotation + 1  # the last of them is left on the table
            player(Shard(deal, 1))
            view = player.work.table.public
            moves = view.history[: view.n_moves].tolist()
            table.deal(SEED, deal)
            flips = [None if flip_of(move) == NO_FLIP else flip_of(move) for move in moves]
            drafts = [draft_in_words(draft_of(move)) for move in moves]
            games.append((table.twin(), rotation, list(zip(drafts, flips, strict=True))))
    return games


def counted_once_more(plan: Plan) -> Sums:
    sums: Sums = defaultdict(Fraction)
    for game, seat, moves in games_of(plan):
        flips: list[int] = []
        turn = 0
        for draft, flip in moves:
            if game.seat == seat:
                turn += 1
                note_decision(sums, game, turn, draft, flip)
                flips += [flip] if flip is not None else []
            game.play(draft, flip)
        sums["length", "y"] += turn
        note_end(sums, game, seat, flips)
    return sums


@pytest.mark.parametrize(
    ("a", "b", "players", "rules"),
    [
        ("random", "greedy", 2, Rules()),
        ("greedy", "random", 3, Rules()),
        ("random", "random", 2, Rules(vegetables="up-to-two", tie_break="shared", zero="even")),
    ],
)
def test_every_number_is_what_the_moves_say(a: str, b: str, players: int, rules: Rules) -> None:
    plan = plan_of(a, b, 6 * players, players, rules=rules)
    told, sums = Profile(plan, watch_plan(plan, 0), 0), counted_once_more(plan)
    n_games, n_turns = plan.n_games, sums["length", "y"]
    for row in told.turn_rows:
        n = sums["turns", row["turn"], "x"]
        assert row["turns"] == n
        for way in ("point_card", "one_vegetable", "two_vegetables", "flip"):
            assert row[way] == pytest.approx(float(sums[way, row["turn"], "y"] / n))
    for row in told.family_rows:
        kind = row["family"]
        assert (row["offered"], row["taken"]) == (sums["pick", kind, "x"], sums["pick", kind, "y"])
        assert row["flips"] == sums["flip_gain", kind, "x"]
        assert_ratio(row["preference"], sums["pick", kind, "y"], sums["preference", kind, "x"])
        assert_ratio(row["points"], sums["points", kind, "y"], sums["points", kind, "x"])
        assert_ratio(row["kept"], sums["points", kind, "x"], Fraction(n_games))
        for name in ("flip_gain", "flip_worth"):
            assert_ratio(row[name], sums[name, kind, "y"], sums["flip_gain", kind, "x"])
    for row in told.vegetable_rows:
        said = row["vegetables"]
        assert (row["offered"], row["taken"]) == (sums["wish", said, "x"], sums["wish", said, "y"])
        assert_ratio(row["preference"], sums["wish", said, "y"], sums["wish_preference", said, "x"])
    conflicts = sums["conflict", "y"]
    assert conflicts > 0
    assert_ratio(told.measure("win_share").value, sums["wins", "y"], Fraction(n_games))
    assert_ratio(told.measure("score").value, sums["score", "y"], Fraction(n_games))
    assert_ratio(told.measure("best_draft").value, sums["best", "y"], n_turns)
    assert_ratio(told.measure("denial_possible").value, conflicts, n_turns)
    assert_ratio(told.measure("denial").value, sums["denial", "y"], conflicts)
    given_up = sums["given_up", "y"]
    assert_ratio(told.measure("best_given_up").value, given_up, conflicts)
    assert_ratio(told.measure("denial_of_given_up").value, sums["denial", "y"], given_up)
    if given_up:
        by_chance = float(sums["given_up_chance", "y"] / given_up)
        assert told.measure("denial_by_chance").value == pytest.approx(by_chance, abs=1e-4)


def assert_ratio(found: float, y: Fraction, x: Fraction) -> None:
    if x == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(float(y / x), rel=1e-12)


def test_cards_add_up_to_their_families() -> None:
    told = profile_strategy("greedy", "random", games=20, timing=False, endings=0)
    for row in told.family_rows:
        cards = [card for card in told.card_rows if card["family"] == row["family"]]
        assert len(cards) == row["cards"]
        assert sum(card["offered"] for card in cards) == row["offered"] > 0
        assert sum(card["taken"] for card in cards) == row["taken"]


# ------------------------------------------------------------------------------------------- endings


def test_losses_in_short_endings_are_those_of_trying_everything() -> None:
    plan = plan_of("hoarder", "greedy", 120)
    n_decisions, perfect, wins, margins = ([Fraction(0)] * 2 for _ in range(4))  # of the profiled seat, of the other
    for game, seat, moves in games_of(plan):
        for draft, flip in moves:
            n_left = sum(map(len, game.piles)) + sum(card is not None for card in game.market)
            if n_left <= 3 and max(map(len, game.piles)) <= 1:
                best = max(value(after(game, move), game.seat) for move in moves_of(game))
                made = value(after(game, (draft, flip)), game.seat)
                who = int(game.seat != seat)
                n_decisions[who] += 1
                perfect[who] += made == best
                wins[who] += best[0] - made[0]
                margins[who] += best[1] - made[1]
            game.play(draft, flip)
    sums = watch_plan(plan, plan.n_deals).sums

    def short(part: Ints) -> list[int]:
        return part.reshape(2, -1)[:, 1:4].sum(1).tolist()  # type: ignore[no-any-return]

    assert short(sums["ending_perfect"].x) == n_decisions
    assert short(sums["ending_perfect"].y) == perfect < n_decisions
    assert short(sums["ending_win_loss"].y) == [60 * each for each in wins] > [0, 0]
    assert short(sums["ending_margin_loss"].y) == margins > [0, 0]


def test_who_plays_endings_exactly_loses_nothing_in_them() -> None:
    told = profile_strategy("search(n=1)", "random", games=12, endings=6, timing=False)
    profiled, opponent = (row for row in told.ending_rows if row["cards_left"] == "all")
    assert (profiled["who"], opponent["who"]) == ("profiled", "opponent")
    assert profiled["perfect"] == 1 and profiled["win_loss"] == profiled["margin_loss"] == 0
    assert profiled["decisions"] > 20
    assert opponent["perfect"] < 0.8 and opponent["margin_loss_low"] > 1


def test_endings_of_a_crowd_and_of_a_match() -> None:
    crowd = profile_strategy("search(n=1)", "random", games=9, players=3, endings=3, timing=False)
    profiled, opponent = (row for row in crowd.ending_rows if row["cards_left"] == "all")
    assert profiled["perfect"] == 1 and opponent["perfect"] < 1
    assert {int(row["cards_left"]) for row in crowd.ending_rows if row["cards_left"] != "all"} <= set(range(1, 7))
    one, two = (
        profile_strategy("greedy", "random", games=8, endings=4, rules=Rules(rounds=rounds), timing=False)
        for rounds in (1, 2)
    )
    assert two.watched.sums["length"].x[0] == 2 * one.watched.sums["length"].x[0] == 16
    assert two.watched.sums["wins"].x[0] == 8
    # of a match only the last round has an ending
    assert two.watched.sums["endings_perfect"].x.sum() < 1.6 * one.watched.sums["endings_perfect"].x.sum()


def test_endings_are_solved_in_the_first_deals_only() -> None:
    plan = plan_of("random", "random", 16)
    few = watch_plan(plan, 3).sums["endings_perfect"]
    alone = watch_plan(replace(plan, n_deals=3), 100).sums["endings_perfect"]
    assert few.deals.max() == 3
    assert [part.tolist() for part in few.parts] == [part.tolist() for part in alone.parts]
    assert watch_plan(plan, 0).sums["endings_perfect"].x.sum() == 0


# -------------------------------------------------------------------------------------- known habits


def profiled(a: str, **more: object) -> Profile:
    return profile_strategy(a, "greedy", games=100, endings=0, timing=False, **more)  # type: ignore[arg-type]


def test_habits_that_are_known_show() -> None:
    greedy, hoarder, grabber, careful = map(profiled, ("greedy", "hoarder", "point-grabber", "no-negatives"))
    assert greedy.measure("best_draft").value == 1 and greedy.measure("denial").value == 0
    assert hoarder.turn_rows[0]["point_card"] == 0 and hoarder.turn_rows[0]["two_vegetables"] == 1
    assert grabber.turn_rows[0]["point_card"] == 1
    assert hoarder.measure("takes_point_card").high < grabber.measure("takes_point_card").low

    def minus(told: Profile) -> dict[str, float]:
        return next(row for row in told.family_rows if row["family"] == "per_veg with a minus")

    assert minus(careful)["pick"] < 0.02 < 0.1 < minus(greedy)["pick_low"]
    vegetables = {row["vegetables"]: row for row in greedy.vegetable_rows}
    assert vegetables["asked for"]["preference_low"] > 1.2 and vegetables["shunned"]["preference_high"] < 0.8


def test_who_plays_at_random_prefers_nothing() -> None:
    told = profile_strategy("random", "random", games=3000, endings=0, timing=False)
    denial, chance = told.measure("denial_of_given_up"), told.measure("denial_by_chance")
    assert denial.low < chance.value < denial.high
    inside = [
        row["preference_low"] <= 1 <= row["preference_high"]
        for row in [*told.family_rows, *told.vegetable_rows]
        if row["taken"] > 100
    ]
    assert len(inside) > 10
    assert sum(inside) >= len(inside) - 3  # of twelve more than three miss 1 once in 500 seeds


# numba warns where a kernel was compiled for the shorter record of a player in mind before, by `search` above
@pytest.mark.filterwarnings("ignore:.*has been considered a subtype")
def test_a_denier_denies_always(write_strategy: StrategyWriter, own_cache: Path) -> None:
    denier = str(write_strategy(DENIER))
    told = profiled(denier)
    assert told.measure("denial").value == 1 and told.measure("denial_possible").value > 0.2
    assert profiled(denier, rules=Rules(vegetables="up-to-two")).measure("denial").value == 1
    assert told.measure("flips").value == 0


def test_no_flips_where_there_are_none_and_cards_of_several_terms() -> None:
    assert profile_strategy("random", games=10, rules=Rules(flip="never"), timing=False).measure("flips").value == 0
    first, *rest = official_cards()[:-1]  # with one card less and one term more the records are those of the game
    term = Card(0, first.back, "most", "", (0, 0, 1, 0, 0, 0), points=3)
    cards = CardSet((replace(first, more=(term,)), *rest), source="mine")
    told = profile_strategy("random", games=20, cards=cards, timing=False)
    families = {row["family"]: row for row in told.family_rows}
    mixed = next(name for name in families if "+" in name)
    assert families[mixed]["cards"] == 1 and families[mixed]["offered"] > 0


# -------------------------------------------------------------------------------------- the intervals


def test_intervals_are_those_of_the_house_where_deals_are_alike() -> None:
    y = np.array([[0], [2], [1], [1], [2], [0], [0], [1]])
    ratios = Ratios.of_deals(np.full_like(y, 2), y)
    assert rate(ratios) == pytest.approx(proportion(int(y.sum()), int((y * y).sum()), 8, 16))
    assert average(ratios) == pytest.approx(mean(int(y.sum()), int((y * y).sum()), 8, 16))
    assert all(np.isnan(rate(Ratios.of_deals(0 * y, 0 * y))))


def test_intervals_cover_where_deals_are_not_alike() -> None:
    """True rate 0.3 and mean 0.6, deals of 0 to 8 cases with luck in common; 95 % of 1000, give or take 4.5 errors."""
    chance = np.random.default_rng(SEED)
    x = chance.integers(0, 9, (60, 1000))
    y = chance.binomial(x, chance.choice([0.1, 0.5], (60, 1000)))
    ratios = Ratios.of_deals(x, y)
    rates = [rate(ratios, cell) for cell in range(1000)]
    means = [average(Ratios.of_deals(x, 2 * y), cell) for cell in range(1000)]
    for found, true in ((rates, 0.3), (means, 0.6)):
        covered = sum(low <= true <= high for _, low, high in found)
        assert abs(covered - 950) < 4.5 * np.sqrt(1000 * 0.95 * 0.05)


# ------------------------------------------------------------------------------- workers, files, words


def same(one: Watched, other: Watched) -> bool:
    return all(
        np.array_equal(mine, theirs)
        for name in one.sums
        for mine, theirs in zip(one.sums[name].parts, other.sums[name].parts, strict=True)
    )


def test_the_number_of_workers_does_not_matter() -> None:
    plan = plan_of("casual", "greedy", 700)
    assert same(watch_plan(plan, 10, Session(1)), watch_plan(plan, 10, Session(3)))
    assert not same(watch_plan(plan, 10, Session(1)), watch_plan(replace(plan, seed=SEED + 1), 10, Session(1)))


def test_plain_python_sees_the_same() -> None:
    code = """
    from salad_sim import profile_strategy
    print(profile_strategy("random", "random", games=2, endings=0, timing=False).summary_rows)
    """
    assert run_python(code, NUMBA_DISABLE_JIT="1", PYTHONWARNINGS="ignore") == run_python(code)


def invoke(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["profile", *words])
    assert result.exit_code == code, result.output
    return result.output


def test_the_folder_holds_all_and_the_same_again(tmp_path: Path) -> None:
    said = invoke("greedy", "--against", "random", "--games", "61", "--endings", "5", "--out", str(tmp_path / "one"))
    assert "salad-sim: 31 whole deals are 62 games" in said
    names = {file.name for file in (tmp_path / "one").iterdir()}
    tables = {"summary.csv", "turns.csv", "families.csv", "cards.csv", "vegetables.csv", "endings.csv"}
    pictures = {f"{name}.{form}" for name in ("turns", "preferences", "endings") for form in ("png", "svg")}
    assert names == tables | pictures | {"report.md", "job.json", "run.json", "time.csv"}
    again = json.loads((tmp_path / "one" / "run.json").read_text())["again"]
    invoke(*shlex.split(again)[2:], "--workers", "1", "--quiet", "--out", str(tmp_path / "two"))
    for name in names - {"time.csv", "job.json"}:  # how long it took, and the words typed
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name
    (time,) = csv.DictReader((tmp_path / "one" / "time.csv").read_text().splitlines())
    assert 0 < float(time["median"]) <= float(time["percentile_95"])


def test_what_is_printed() -> None:
    words = "random", "--games", "40", "--endings", "10", "--no-timing"
    lines = invoke(*words).splitlines()
    assert lines[0].startswith("random against greedy: 2 players, 40 games (20 deals, random in every seat of each)")
    assert lines[1].startswith("random takes a point card on ")
    told = json.loads(invoke(*words, "--format", "json"))
    assert told["answer"] == lines[1] and told["microseconds"] is None and told["games"] == 40
    wins, points = (
        next(line for line in lines if line.startswith(words)) for words in ("games won", "points in a round")
    )
    assert re.fullmatch(r"games won +\d+(\.\d+)? \[[\d., ]+\] % +40", wins)
    assert re.fullmatch(r"points in a round +[\d.]+ \[[-\d., ]+\] +40", points)
    rows = list(csv.DictReader(invoke(*words, "--format", "csv").splitlines()))
    share = next(row for row in rows if row["measure"] == "takes_point_card")
    assert float(share["low"]) < float(share["value"]) < float(share["high"])
    assert "microseconds" in json.loads(invoke("random", "--games", "4", "--endings", "0", "--format", "json"))


def test_an_interruption_leaves_what_was_played() -> None:
    def stop(done: int, planned: int) -> None:
        if done:
            raise KeyboardInterrupt

    told = profile_strategy("greedy", "random", games=2e6, endings=0, progress=stop)
    assert told.interrupted and 0 < told.games < 2e6 and told.time is None
    assert told.watched.sums["length"].x[0] == told.games


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("greedy", "--game", "hand-draft"), "a profile is made of the game point-salad only, not of hand-draft"),
        (("greedy", "--players", "7"), "players must be a whole number from 2 to 6, not '7'"),
        (("greedy", "--endings", "-1"), "endings must be a whole number from 0 to 1e15, not '-1'"),
        (("greedy", "--games", "0"), "games must be a whole number from 1 to 1e15, not '0'"),
        (("gredy",), "unknown strategy 'gredy' (did you mean 'greedy'?)"),
        (("greedy", "--against", "rando"), "unknown strategy 'rando' (did you mean 'random'?)"),
        (("greedy", "--workers", "0"), "workers must be a whole number from 1 to 1024, not '0'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(words: tuple[str, ...], said: str) -> None:
    output = invoke(*words, code=2)
    assert said in output and len(output.splitlines()) == 1


def test_other_games_are_refused_from_python() -> None:
    with pytest.raises(InputError, match="plays the game hand-draft"):
        from salad_sim.strategy.registry import load_strategy

        profile_strategy(load_strategy("greedy", "hand-draft"))


def test_units_are_exact() -> None:
    assert all(SIXTHS % n_tops == 0 for n_tops in (1, 2, 3)) and all(SIXTIETHS % slots == 0 for slots in range(1, 7))
    assert TEN_THOUSANDTHS == 10_000
