"""The study of cards: against runs of its own parts, workers, refusals, Ctrl-C; truths that are known and found."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from card_decks import BLANK, COMMON, FEW, blank, changed, deck, doubled, number_of, numbered, write_deck
from playing import ERROR_RATE, SEED
from scipy import stats
from studying import ROOT, Rows, call, committed, estimate, study

from salad_sim import CardSet, Rules, simulate
from salad_sim.analysis.card_adjusted import adjust, adjusted_rows
from salad_sim.analysis.card_causal import GiftValues, bias_rows, gift_rows, gift_values, offer_rows
from salad_sim.analysis.card_observed import observed_rows
from salad_sim.analysis.card_synergy import synergies
from salad_sim.analysis.prediction import out_of_line, prediction_range
from salad_sim.analysis.ranks import certain_order, rank_intervals
from salad_sim.analysis.shrinkage import family_tests
from salad_sim.card_file import read_card_file
from salad_sim.card_value import play
from salad_sim.card_value.families import families
from salad_sim.card_value.play import count_by_card, give_cards, n_given
from salad_sim.card_value.sums import MOST_CARDS, WORTH_UNITS, total
from salad_sim.cards import official_cards
from salad_sim.experiment import StudyOptions, load_experiment
from salad_sim.plan import Plan, plan_run
from salad_sim.report.markdown import Report, as_markdown
from salad_sim.store import csv_text
from salad_sim.studies import card_value
from salad_sim.studies.blocks import Session
from salad_sim.studies.card_value import GIFT_DEALS, RARE_DEALS, SYNERGY_DEALS, effects_of, play_rare, study_condition
from salad_sim.studies.lineups import plan_conditions

NEVER = Rules(flip="never")
"""With `random` a gift is then worth what it scores, and all cards of a family are worth the same."""

PLAIN = number_of(deck(*COMMON), "2/pepper")
COPIED, COPY = 30, 28
"""Two cards with a tomato each and an onion on the back."""


def known_deck() -> CardSet:
    """Eight families; 2/pepper is worth twice as much, and one card is a copy of another."""
    cards = deck(*COMMON, name="known")
    return changed(doubled(cards, PLAIN), COPY, cards[COPIED])


def study_deck() -> CardSet:
    """The same with one card that is worth nothing, which greedy seldom keeps."""
    return changed(known_deck(), 0, blank())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Rows]]:
    """A small study of that set."""
    folder = tmp_path_factory.mktemp("cards")
    words = f"card-value -s greedy -g 2000 --seed 5 -w 1 --cards {write_deck(study_deck(), folder)}"
    return folder, study(folder / "report", words)


def plan_of(small: tuple[Path, dict[str, Rows]]) -> Plan:
    """What the small study plays, as it came back from its card file."""
    return plan_run(2000, 2, "greedy", 5, cards=read_card_file(small[0] / "known.csv"))


def by_card(rows: Rows) -> list[dict[str, str]]:
    return sorted(rows, key=lambda row: int(row["card_id"]))


def agree(rows: Sequence[dict[str, str]], own: Sequence[dict[str, Any]], *names: str) -> None:
    """Compare columns of a table with what was found otherwise."""
    assert len(rows) == len(own)
    for row, expected in zip(rows, own, strict=True):
        for name in names:
            value = float(row[name] or "nan")
            assert value == pytest.approx(float(expected[name]), rel=1e-12, nan_ok=True), (row["card"], name)


def ends(*names: str) -> list[str]:
    return [f"{name}{end}" for name in names for end in ("", "_low", "_high")]


# ------------------------------------------------------------------------------------------------ the whole study


def test_gifts_and_offers_are_those_of_a_run_of_their_own(small: tuple[Path, dict[str, Rows]]) -> None:
    plan, rows = plan_of(small), by_card(small[1]["ranking"])
    n_deals = sum(int(row["gift_pairs"]) for row in rows) // n_given(plan)
    sums, _ = give_cards(replace(plan, n_deals=n_deals), GIFT_DEALS)
    assert n_given(plan) == 12 and sum(int(row["gift_pairs"]) for row in rows) == 12 * n_deals
    own = gift_rows(sums, plan.cards)
    agree(rows, own, "gift_pairs", *ends("gift_margin", "gift_win", "gift_own", "gift_kept"), "gift_points")
    agree(small[1]["offers"], offer_rows(sums, plan.cards), "offers", *ends("offer_taken", "offer_margin"))
    # so many games were planned with them, each offer that is left costing none
    assert 0.9 * 12 * 2000 < sums.n_games < 1.2 * 12 * 2000


def test_what_games_show_is_what_a_run_of_its_own_shows(small: tuple[Path, dict[str, Rows]]) -> None:
    plan, rows = plan_of(small), by_card(small[1]["ranking"])
    counts, _ = count_by_card(plan)
    often = [row["games_with_it_dealt"] == "0" for row in small[1]["observed"]]
    assert small[1]["observed"][0]["card"] == BLANK and not often[0] and often.count(False) < 5

    def kept(table: list[Any]) -> list[Any]:
        return [row for row, same in zip(table, often, strict=True) if same]

    own = observed_rows(counts, plan.cards)
    agree(kept(rows), kept(own), *ends("observed_margin", "observed_win"), "pick_rate")
    agree(kept(small[1]["observed"]), kept(own), "games_kept", *ends("in_deck", "flipped", "points"))
    agree(rows, adjusted_rows(adjust(counts), plan.cards), *ends("adjusted_margin", "adjusted_win"))
    agree(kept(rows), kept(bias_rows(own, rows_as_numbers(rows))), *ends("bias_margin", "bias_win"))
    # of cards that are kept seldom the games in which they were dealt for certain count, too
    for card, more in play_rare(Session.begin(1, None, 0), plan, counts).items():
        parts, row = [total(each.cards)[card] for each in (counts, more)], small[1]["observed"][card]
        n_kept = sum(int(each["kept"]) for each in parts)
        assert not often[card] and int(row["games_kept"]) == n_kept > 150
        assert float(row["observed_margin"]) == pytest.approx(sum(int(each["dev"]) for each in parts) / n_kept)
        assert float(row["in_deck"]) == parts[0]["dealt"] / 2000
        assert int(row["games_with_it_dealt"]) == more.n_games.sum() == parts[1]["dealt"]
    # and these are the games that salad-sim run plays
    run = simulate(2000, 2, "greedy", seed=5, cards=plan.cards)
    for row in rows:
        points = [int(each["games"]) for each in small[1]["points"] if each["card_id"] == row["card_id"]]
        assert sum(points) == int(small[1]["observed"][int(row["card_id"])]["games_kept"])
    kept_in_all = int(total(counts.cards)["kept"].sum())
    assert kept_in_all / 4000 == pytest.approx(np.mean([row["cards_kept"] for row in run.seat_rows]))


def rows_as_numbers(rows: Rows) -> list[dict[str, Any]]:
    return [{name: float(value) if name.startswith("gift") else value for name, value in row.items()} for row in rows]


def test_synergies_are_of_fresh_games_less_what_the_regression_says(small: tuple[Path, dict[str, Rows]]) -> None:
    plan = plan_of(small)
    adjusted = adjust(count_by_card(plan)[0])
    fresh, _ = count_by_card(plan, SYNERGY_DEALS, effects=effects_of(adjusted))
    own = synergies(fresh, plan.cards, WORTH_UNITS).rows
    for row, expected in zip(small[1]["synergies"], own, strict=False):
        assert (row["card_id_1"], row["card_id_2"]) == (str(expected["card_id_1"]), str(expected["card_id_2"]))
        assert float(row["extra"]) == pytest.approx(expected["extra"]) and int(row["games"]) == expected["games"]
    assert len(small[1]["synergies"]) == min(len(own), 500)


def test_no_two_parts_share_a_game() -> None:
    """Games as dealt, for synergies, for 400 rare cards, with gifts: room for 2**48 deals of each, up to 2**63."""
    starts = [0, SYNERGY_DEALS, *(RARE_DEALS + card * 2**48 for card in range(MOST_CARDS)), GIFT_DEALS, 2**63]
    assert min(np.diff(np.array(starts, dtype=object))) >= 2**48


def test_the_ranking_is_by_value_and_ranks_hold_for_all_cards_at_once(small: tuple[Path, dict[str, Rows]]) -> None:
    rows = small[1]["ranking"]
    assert [int(row["rank"]) for row in rows] == list(range(1, 49))
    for name, rank in (("gift_margin", "rank"), ("gift_win", "win_rank"), ("observed_margin", "observed_rank")):
        in_order = sorted(rows, key=lambda row, rank=rank: int(row[rank]))
        assert [int(row[rank]) for row in in_order] == list(range(1, 49))
        values = [float(row[name]) for row in in_order]
        assert values == sorted(values, reverse=True)
    for rank in ("rank", "win_rank"):
        bounds = [[int(row[f"{rank}{end}"]) for end in ("_low", "", "_high")] for row in rows]
        assert all(1 <= low <= at <= high <= 48 for low, at, high in bounds)
        assert any(high - low > 10 for low, _, high in bounds)


def test_the_study_finds_what_is_known_of_its_cards(small: tuple[Path, dict[str, Rows]]) -> None:
    """The blank is worth no more than its vegetable, the doubled card the most; the copies are not told apart."""
    rows = {row["card"] if row["card_id"] != str(COPY) else "copy": row for row in small[1]["ranking"]}
    best, least, of_two = rows["4/pepper"], rows[BLANK], (rows["copy"], rows["tomato + tomato = 5"])
    assert best["rank"] == "1" and best["outside_all"] == "True" and float(best["gift_margin_low"]) > 7
    assert least["rank"] == "48" and float(least["gift_own_high"]) < 3
    assert estimate(of_two[0], "gift_margin")[1] < estimate(of_two[1], "gift_margin")[2]
    assert estimate(of_two[1], "gift_margin")[1] < estimate(of_two[0], "gift_margin")[2]
    assert of_two[0]["family"] == of_two[1]["family"] == "A + A = 5" and of_two[0]["back"] == of_two[1]["back"]
    of_family = {row["family"]: row for row in small[1]["families"]}
    assert of_family["A + A = 5"]["cards"] == "7" and of_family["2/A"]["cards"] == "5"


def test_the_report_answers_first_and_names_its_files(small: tuple[Path, dict[str, Rows]]) -> None:
    folder, rows = small[0] / "report", small[1]
    text = (folder / "report.md").read_text()
    value, low, high = estimate(rows["ranking"][0], "gift_margin")
    assert text.split("\n\n")[1].startswith(
        f"With 2 players, greedy, `4/pepper` given from the start is worth {value:.2f} [{low:.2f}, {high:.2f}] points"
    )
    names = {f"{name}_2_greedy.svg" for name in ("values", "logs", "picks", "turns", "synergy")}
    assert {each.name for each in folder.glob("*.svg")} == names and all(f"({name})" in text for name in names)
    assert all(f"[{name}.csv]" in text for name in rows) and len(rows) == 8
    new = text[text.index("## New cards") : text.index("## Families")]
    assert "| 4/pepper |" in new and "Out of line with all cards." in new and f"| {BLANK} |" in new
    assert new.count("\n| ") == 4  # a head and two cards: a copy of a card of the game is none of its own
    run = json.loads((folder / "run.json").read_text())
    assert run["options"]["seed"] == "5" and "--strategy greedy" in run["again"] and "known.csv" in run["again"]
    assert {row["players"] for table in rows.values() for row in table} == {"2"}


def test_no_number_depends_on_the_workers(small: tuple[Path, dict[str, Rows]]) -> None:
    deck_file = str(small[0] / "known.csv")
    report = load_experiment("card-value").run(StudyOptions("2000", (), ("greedy",), "5", workers="3", cards=deck_file))
    assert as_markdown(report, has_files=True) == (small[0] / "report" / "report.md").read_text()
    assert {name: csv_text(rows) for name, rows in report.tables.items()} == {
        name: (small[0] / "report" / f"{name}.csv").read_text() for name in small[1]
    }


@pytest.mark.slow
def test_bytes_do_not_depend_on_the_workers(small: tuple[Path, dict[str, Rows]], tmp_path: Path) -> None:
    study(tmp_path, f"card-value -s greedy -g 2000 --seed 5 -w 3 --cards {small[0] / 'known.csv'}")
    same_files(small[0] / "report", tmp_path)


def same_files(one: Path, other: Path) -> None:
    files = sorted(each.name for each in one.iterdir())
    assert files == sorted(each.name for each in other.iterdir())
    for name in files:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


# ------------------------------------------------------------------------------- small decks, short studies, refusals


@pytest.fixture(scope="module")
def tiny_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of 24 cards, of which 2 are copies."""
    cards = deck(*FEW, name="tiny")
    return write_deck(changed(doubled(cards, 8), 1, cards[2]), tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def tiny(tiny_file: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Words for a study of that set in decks of twelve, in which no card is so rare that it is dealt more often."""
    monkeypatch.setattr(card_value, "LEAST_KEPT", 1)
    return f"card-value -s point-grabber --cards {tiny_file} --rule of_each=2"


def tiny_study(file: Path, **more: Any) -> Report:
    """Run such a study in Python."""
    given = {"games": "2000", "strategies": ("point-grabber",), "rules": Rules(of_each="2"), "cards": str(file)}
    return load_experiment("card-value").run(StudyOptions(**{**given, **more}))


@pytest.mark.usefixtures("tiny")
def test_the_page_of_a_card(tiny_file: Path) -> None:
    report = tiny_study(tiny_file, card=("2/carrot", "7", "2 / CARROT"))
    text = as_markdown(report, has_files=False)
    rows = {row["card"]: row for row in report.tables["ranking"]}
    row = rows["2/carrot"]
    for name in ("2/carrot", read_card_file(tiny_file)[7].text):
        assert text.count(f"\n## {name}: 2 players, point-grabber\n") == 1
    value, low, high = (row[f"gift_margin{end}"] for end in ("", "_low", "_high"))
    worth = f"{value:.2f} [{low:.2f}, {high:.2f}]"
    assert report.answer.startswith(f"With 2 players, point-grabber, `2/carrot` given from the start is worth {worth}")
    assert f"| value (gift) | {worth} |" in text
    assert f"Number {row['rank']} ({row['rank_low']} to {row['rank_high']}) of 24" in text
    for heading in ("What games show", "By turn", "Partners"):
        assert f"## {heading}: 2/carrot" in text
    assert "## What the cards are worth" not in text and len(report.tables["ranking"]) == 24
    assert "--card 2/carrot --card 7" in report.run["again"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("card-value --precision 0", "half-width of each card's value in points, above 0 and up to 100 as in 0.15"),
        ("card-value --precision 101", "up to 100"),
        ("card-value --precision narrow", "not 'narrow'"),
        ("card-value --card 2/carot", "unknown card '2/carot' (did you mean '2/carrot'?)"),
        ("card-value --card 108", "or its id 0..107"),
        ("TINY --card carrot+carrot=5", "is what the cards 1 and 2 say: give the id of one"),
        ("seat-order --card 2/carrot", "experiment seat-order takes no --card; those that do: card-value"),
        ("card-value --margin 0.01", "experiment card-value takes no --margin; those that do: seat-order"),
        ("card-value --rule rounds=2", "matches of 2 rounds"),
        ("card-value -p 7", "players must be a whole number from 2 to 6"),
        ("card-value -s greedi", "did you mean 'greedy'"),
        ("card-value --games 0", "games must be a whole number"),
        ("LARGE", "the worth of cards is studied for sets of up to 400 cards, not 401"),
    ],
)
def test_bad_options_are_refused_before_any_game(
    words: str, message: str, tiny: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_value, "count_by_card", None)
    if words == "LARGE":
        large = write_deck(numbered([official_cards()[number % 108] for number in range(401)], "large"), tmp_path)
        words = f"card-value --cards {large}"
    called = call("experiment", words.replace("TINY", tiny))
    assert called.exit_code == 2 and called.stderr.count("\n") == 1 and message in called.stderr


def interrupt(monkeypatch: pytest.MonkeyPatch, name: str, at: Callable[[int, dict[str, Any]], bool], cut: bool) -> None:
    """Let Ctrl-C come at a call of a function that plays: before its first shard, or after some (cut)."""
    played = getattr(card_value, name)
    n_calls = 0

    def interrupted(*given: Any, **more: Any) -> Any:
        nonlocal n_calls
        n_calls += 1
        if not at(n_calls, {"arguments": given} | more):
            return played(*given, **more)
        if not cut:
            raise KeyboardInterrupt
        sums, _ = played(replace(given[0], n_deals=2 * given[0].n_deals // 3), *given[1:], **more)
        return sums, True

    monkeypatch.setattr(card_value, name, interrupted)


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("part", ["first", "rare", "synergy", "gifts"])
def test_ctrl_c_reports_what_there_is(part: str, cut: bool, tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "give_cards" if part == "gifts" else "count_by_card"

    def at(n_calls: int, given: dict[str, Any]) -> bool:
        if part == "rare":
            return "wanted" in given
        if part == "synergy":
            return bool(given["arguments"][1] == SYNERGY_DEALS)
        return n_calls == 1

    if part == "rare":
        monkeypatch.setattr(card_value, "LEAST_KEPT", 1000)
        tiny = tiny.replace("point-grabber", "greedy")
    interrupt(monkeypatch, name, at, cut)
    called = call("experiment", f"{tiny} -g 2000")
    assert called.exit_code == 130 and called.stderr.count("interrupted") == 1
    if part == "first" and not cut:
        assert not called.stdout
        return
    assert "The study was interrupted" in called.stdout and "## What the cards are worth" in called.stdout
    assert ("## Synergy" in called.stdout) == (part == "gifts" or (part, cut) == ("synergy", True))
    assert ("No card was given often enough" in called.stdout) == ((part, cut) != ("gifts", True))


def test_ctrl_c_between_gifts_and_in_the_second_line_up(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        interrupt(patch, "give_cards", lambda n_calls, _: n_calls == 2, False)
        patch.setattr(card_value, "PILOT_DEALS", 300)
        called = call("experiment", f"{tiny} -g 2000")
    assert called.exit_code == 130 and "given from the start is worth" in called.stdout
    interrupt(monkeypatch, "count_by_card", lambda _, given: given["arguments"][0].n_players == 3, False)
    called = call("experiment", f"{tiny} -g 100 -p 2 -p 3")
    assert called.exit_code == 130 and "2 players, point-grabber" in called.stdout and "3 players" not in called.stdout


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("games", ["1", "2"])
def test_hardly_a_game_gives_a_report_that_promises_nothing(games: str, tiny_file: Path) -> None:
    report = tiny_study(tiny_file, games=games, players=("2", "3"), strategies=("greedy", "greedy+random"))
    for row in report.tables["ranking"]:
        low, high = row["gift_margin_low"], row["gift_margin_high"]
        assert math.isnan(high - low) == (row["gift_pairs"] < 2)
        assert row["rank"] is None and row["rank_low"] is None
    assert "## What the cards are worth" in as_markdown(report, has_files=False)


@pytest.mark.usefixtures("tiny")
def test_gifts_end_when_every_value_is_known_well_enough(tiny_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play, "play_on_threads", partial(play.play_on_threads, every=0.001))
    seen: list[tuple[int, int]] = []

    def watch(done: int, planned: int) -> None:
        seen.append((done, planned))

    rows = tiny_study(tiny_file, games="6000", precision="0.25", progress=watch).tables["ranking"]
    halves = [(row["gift_margin_high"] - row["gift_margin_low"]) / 2 for row in rows]
    assert 0.15 < max(halves) <= 0.25
    done = [each[0] for each in seen]
    assert done == sorted(done) and done[-1] > 20_000 and all(done <= planned for done, planned in seen)
    short = tiny_study(tiny_file, games="300", precision="0.01").tables["ranking"]
    assert max((row["gift_margin_high"] - row["gift_margin_low"]) / 2 for row in short) > 0.1
    assert sum(row["gift_pairs"] for row in short) <= 12 * 300


@pytest.mark.usefixtures("tiny")
def test_other_players_and_numbers_of_players_stand_side_by_side(tiny_file: Path) -> None:
    report = tiny_study(tiny_file, players=("2", "3"), games="400")
    (stable,) = report.tables["stability"]
    assert (stable["players_1"], stable["players_2"]) == (2, 3)
    assert -1 <= stable["rank_correlation_low"] <= stable["rank_correlation_high"] <= 1
    assert "## Is it the same for other players?" in as_markdown(report, has_files=False)
    for name in ("ranking", "families", "offers"):
        assert {(row["players"], row["strategy"]) for row in report.tables[name]} == {
            (2, "point-grabber"),
            (3, "point-grabber"),
        }


# --------------------------------------------------------------------------------------------------- selection, rarity


def test_selection_is_not_sold_as_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card that never scores and changes nobody's play: only the weak player keeps it, and so it seems to lose."""
    monkeypatch.setattr(card_value, "LEAST_KEPT", 1)
    cards = changed(deck(*COMMON), 0, blank())
    (condition,) = plan_conditions(("2",), ("greedy+random",), 6000, SEED, NEVER, cards)
    found = study_condition(Session.begin(2, None, 0), condition, 1.5)
    assert found is not None and found.gifts is not None
    # who is weak sits everywhere
    assert abs(found.counts.seat_wins.sum(axis=0)[0] / (60 * 6000) - 0.5) < 0.05
    seen, given = observed_rows(found.counts, cards)[0], gift_rows(found.gifts, cards)[0]
    assert seen["observed_margin_high"] < -4 and seen["observed_win_high"] < -0.05
    assert given["gift_margin"] == given["gift_margin_low"] == given["gift_margin_high"] == 0
    assert given["gift_win"] == 0 and given["gift_pairs"] > 200
    (mistake,) = bias_rows([seen], [given])
    assert mistake["bias_margin"] == seen["observed_margin"] and mistake["bias_margin_high"] < -4
    # the regression knows who else holds what, so it is nearer to nothing
    assert abs(found.adjusted.margin.value[0]) < -seen["observed_margin_high"]


RATES = [("kept", "dealt"), ("taken", "dealt"), ("points", "kept"), ("dev", "kept"), ("wins_kept", "kept")]


def test_cards_that_are_rare_are_dealt_until_they_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(card_value, "LEAST_KEPT", 500)
    plan = plan_run(5000, 2, "greedy", SEED, cards=study_deck())
    counts, _ = count_by_card(plan)
    extra = play_rare(Session.begin(2, None, 0), plan, counts)
    plain = total(counts.cards)
    assert set(extra) == set(np.flatnonzero(plain["kept"] < 500)) and 0 in extra
    scores = []
    for card, sums in extra.items():
        free, more = plain[card], total(sums.cards)[card]
        assert more["dealt"] == sums.n_games.sum() <= 5000 and free["dealt"] < 5000
        # as many as were missing, at the rate so far, give or take chance
        wanted = 500 - free["kept"]
        if more["dealt"] < 5000:
            assert abs(more["kept"] - wanted) < 5 * math.sqrt(wanted * (1 + wanted / free["kept"]))
        scores += [(card, name, difference(free, more, name, base)) for name, base in RATES]
    largest = stats.norm.isf(ERROR_RATE / 2 / len(scores))
    assert max(abs(z) for *_, z in scores) < largest, scores


def difference(one: Any, other: Any, name: str, base: str) -> float:
    """The difference of two means over independent games, in standard errors."""
    parts = []
    for each in (one, other):
        n, value = int(each[base]), int(each[name])
        squares = int(each[f"{name}_squared"]) if f"{name}_squared" in each.dtype.names else value
        parts.append((value / n, (squares / n - (value / n) ** 2) / n))
    gap = parts[0][0] - parts[1][0]
    return gap / math.sqrt(parts[0][1] + parts[1][1]) if gap else 0.0


# ------------------------------------------------------------------------------------- a card of twice the points


@pytest.mark.parametrize("text", ["2/pepper", "carrot + carrot = 5", "most onion = 10", "tomato: even=7, odd=3"])
def test_where_play_stays_the_same_twice_the_points_are_worth_exactly_twice(text: str) -> None:
    cards = deck(*COMMON)
    card = number_of(cards, text)
    plain, more = (
        give_cards(plan_run(40, 2, "random", SEED, rules=NEVER, cards=each))[0]
        for each in (cards, doubled(cards, card))
    )
    once, twice = gift_values(plain), gift_values(more)
    others = np.arange(len(cards)) != card
    assert twice.margin[card] == 2 * once.margin[card] > 0
    assert twice.margin_covariance[card, card] == pytest.approx(4 * once.margin_covariance[card, card])
    assert twice.margin_covariance[card, others] == pytest.approx(2 * once.margin_covariance[card, others])
    assert (twice.margin[others] == once.margin[others]).all()


@dataclass(frozen=True)
class Found:
    """What many small studies found of the known deck, one row each."""

    rows: list[list[dict[str, Any]]]
    values: list[GiftValues]
    certain: list[np.ndarray]


def known_plan(who: str, n_deals: int, seed: int) -> Plan:
    rules = NEVER if who == "random" else Rules()
    return plan_run(n_deals, 2, who, seed, rules=rules, cards=known_deck())


@cache
def many(who: str, n_studies: int, n_deals: int) -> Found:
    """Play small studies of the known deck, each with a seed of its own, and rank the cards in each."""
    found = Found([], [], [])
    for number in range(n_studies):
        plan = known_plan(who, n_deals, SEED + number)
        sums, _ = give_cards(plan)
        values = gift_values(sums)
        found.rows.append(gift_rows(sums, plan.cards))
        found.values.append(values)
        found.certain.append(certain_order(values.margin, values.margin_covariance, n_draws=2000))
    return found


QUICK = (8, 400)
MANY = (300, 1200)
SIZES = [QUICK, pytest.param(MANY, marks=pytest.mark.slow)]
"""Studies, and deals of each."""


def not_more_than(rate: float, n_wrong: int, n: int) -> bool:
    """Return whether so many of n may be wrong if each is with at most this rate."""
    return bool(stats.binom.sf(n_wrong - 1, n, rate) > ERROR_RATE)


def slack(shares: Sequence[float]) -> float:
    """By how much the mean of independent shares may be off."""
    return float(stats.t.isf(ERROR_RATE / 2, len(shares) - 1) * stats.sem(shares))


FAMILY = [card.card_id for card in known_deck() if card.text.startswith("2/")]


@pytest.mark.parametrize(
    ("who", "size"),
    [("random", QUICK), ("greedy", (1, 4000)), pytest.param("greedy", (30, 4000), marks=pytest.mark.slow)],
)
def test_the_doubled_card_is_found(who: str, size: tuple[int, int]) -> None:
    """Certainly above all cards of the family that it came from, and out of line with them and with all cards."""
    assert len(FAMILY) == 5
    found = many(who, *size)
    n_found = 0
    for values, certain in zip(found.values, found.certain, strict=True):
        low, high = prediction_range(values.margin, values.margin_covariance, FAMILY, PLAIN)[1:]
        line = out_of_line(values.margin, values.margin_covariance, families(known_deck()))[PLAIN]
        out = values.margin[PLAIN] > high and line.outside_all and values.margin[PLAIN] > line.all_range.high
        n_found += bool(out and certain[PLAIN, FAMILY].all())
        assert not certain[FAMILY, PLAIN].any() and low > 0
    assert n_found >= 0.9 * len(found.values), (n_found, len(found.values))


def test_greedy_gains_more_from_the_doubled_card() -> None:
    twice, once = (
        gift_values(give_cards(plan_run(1500, 2, "greedy", SEED + number, cards=cards))[0])
        for number, cards in enumerate((known_deck(), deck(*COMMON)))
    )
    more = twice.margin[PLAIN] - once.margin[PLAIN]
    error = math.sqrt(twice.margin_covariance[PLAIN, PLAIN] + once.margin_covariance[PLAIN, PLAIN])
    assert more > 5 * error and 1.5 < twice.margin[PLAIN] / once.margin[PLAIN] < 3


# ---------------------------------------------------------------------------------- cards that are equal, and how sure


@cache
def same_family() -> np.ndarray:
    """Whether two different cards of the known deck are of one family: shape [p, p]."""
    found = np.zeros((48, 48), dtype=bool)
    for family in families(known_deck()):
        found[np.ix_(family.members, family.members)] = True
    found[np.diag_indices(48)] = False
    return found


@pytest.mark.parametrize("size", SIZES)
def test_equal_cards_are_seldom_called_different(size: tuple[int, int]) -> None:
    """Any wrong pair among all in 5 % of studies at most; each pair by itself in 5 %."""
    found, same = many("random", *size), same_family()
    assert same.sum() == 5 * 30 + 2 * 20 + 42
    n_wrong = sum(bool(certain[same].any()) for certain in found.certain)
    assert not_more_than(0.05, n_wrong, size[0]), n_wrong
    z = np.array([z_of_differences(values)[same] for values in found.values])
    shares = (np.abs(z) > stats.norm.isf(0.025)).mean(axis=1)
    assert abs(shares.mean() - 0.05) < slack(shares) + 0.005, (shares.mean(), slack(shares))


def z_of_differences(values: GiftValues) -> np.ndarray:
    """All differences in standard errors: shape [p, p]."""
    variances = np.diag(values.margin_covariance)
    squares = variances[:, None] + variances[None, :] - 2 * values.margin_covariance
    errors = np.sqrt(np.where(squares > 1e-12, squares, np.inf))
    return np.asarray((values.margin[:, None] - values.margin[None, :]) / errors)


@pytest.mark.parametrize(
    ("who", "size"),
    [
        ("random", QUICK),
        pytest.param("random", MANY, marks=pytest.mark.slow),
        pytest.param("greedy", (80, 1200), marks=pytest.mark.slow),
    ],
)
def test_two_copies_are_told_apart_as_seldom_as_stated(who: str, size: tuple[int, int]) -> None:
    found = many(who, *size)
    n_apart = sum(bool(certain[COPIED, COPY] or certain[COPY, COPIED]) for certain in found.certain)
    z = np.array([z_of_differences(values)[COPIED, COPY] for values in found.values])
    assert not_more_than(0.05, n_apart, size[0]) and not_more_than(
        0.05, (np.abs(z) > stats.norm.isf(0.025)).sum(), size[0]
    )
    # nor too seldom: their squares add up to a chi-square
    assert ERROR_RATE < stats.chi2.sf((z**2).sum(), size[0]) < 1 - ERROR_RATE


@pytest.mark.parametrize("size", SIZES)
def test_families_of_equal_cards_may_be_equal(size: tuple[int, int]) -> None:
    """Their chi-squares add up to one, study for study; p-values are uniform."""
    found = many("random", *size)
    tests = [family_tests(values.margin, values.margin_covariance, families(known_deck())) for values in found.values]
    for of_family in zip(*tests, strict=True):
        freedom = sum(each.freedom for each in of_family)
        if freedom:
            p_value = stats.chi2.sf(sum(each.statistic for each in of_family), freedom)
            assert ERROR_RATE < p_value < 1 - ERROR_RATE, of_family[0].name
            assert stats.kstest([each.p_value for each in of_family], "uniform").pvalue > ERROR_RATE
    smallest = [min(each.p_holm for each in one if each.freedom) for one in tests]
    assert not_more_than(0.05, sum(p < 0.05 for p in smallest), size[0])


@cache
def truth() -> np.ndarray:
    """What each card of the known deck is worth to `random`, from a long run; alike within a family: shape [p]."""
    values = gift_values(give_cards(known_plan("random", 150_000, SEED + 10_000))[0])
    found = values.margin.copy()
    for family in families(known_deck()):
        found[list(family.members)] = values.margin[list(family.members)].mean()
    return found


@pytest.mark.slow
def test_intervals_of_values_cover_what_they_should() -> None:
    found, true = many("random", *MANY), truth()
    covered = np.array(
        [
            [row["gift_margin_low"] <= true[row["card_id"]] <= row["gift_margin_high"] for row in rows]
            for rows in found.rows
        ]
    )
    shares = covered.mean(axis=1)
    assert abs(shares.mean() - 0.95) < slack(shares) + 0.005, (shares.mean(), slack(shares))
    assert all(not_more_than(0.05, int(n_missed), len(covered)) for n_missed in (~covered).sum(axis=0))


@pytest.mark.slow
def test_ranks_hold_for_all_cards_at_once() -> None:
    """Of equal cards whichever order: each must have all ranks that it might have."""
    found, true = many("random", *MANY), truth()
    best = 1 + (true[None, :] > true[:, None]).sum(axis=1)
    worst = len(true) - (true[None, :] < true[:, None]).sum(axis=1)
    n_wrong, width = 0, 0.0
    for certain in found.certain:
        low, high = rank_intervals(certain)
        n_wrong += bool((low > best).any() or (high < worst).any())
        width += float((high - low).mean()) / len(found.certain)
    assert not_more_than(0.05, n_wrong, MANY[0]), n_wrong
    assert 5 < width < 30


@pytest.mark.slow
def test_cards_in_line_are_seldom_out_of_line() -> None:
    """With their family, of which they are one more: in at most 5 % of cases, less where chance is all there is."""
    found = many("random", *MANY)
    known = [number for number in range(48) if number != PLAIN]
    shares = []
    for values in found.values:
        lines = out_of_line(values.margin, values.margin_covariance, families(known_deck()))
        shares.append(np.mean([lines[number].outside_family for number in known]))
    assert 0 < np.mean(shares) < 0.05 + slack(shares), (np.mean(shares), slack(shares))


# ------------------------------------------------------------------------------------------------ the committed report


def test_the_committed_report_is_found_again() -> None:
    """Gifts and games of other seeds agree within five standard errors: by chance not once in ten thousand runs."""
    run, rows = committed("card-value")
    players, strategy = rows["ranking"][0]["players"], rows["ranking"][0]["strategy"]
    large = by_card([row for row in rows["ranking"] if (row["players"], row["strategy"]) == (players, strategy)])
    plan = plan_run(400, int(players), strategy, 77, rules=Rules(**run["options"].get("rules", {})))
    for name, own in (
        ("gift_margin", gift_rows(give_cards(plan)[0], plan.cards)),
        ("observed_margin", observed_rows(count_by_card(replace(plan, n_deals=4000))[0], plan.cards)),
    ):
        n_told = 0
        for row, mine in zip(large, own, strict=True):
            value, low, high = estimate(row, name)
            error = math.hypot(high - low, mine[f"{name}_high"] - mine[f"{name}_low"]) / 3.92
            if not math.isnan(error):  # a card may be kept by nobody in few games
                n_told += 1
                assert abs(value - mine[name]) <= 5 * error, (name, row["card"], value, mine[name])
        assert n_told > 100


@pytest.mark.slow
def test_the_committed_report_is_reproduced_byte_for_byte(tmp_path: Path) -> None:
    run, _ = committed("card-value")
    words = shlex.split(run["again"])
    assert words[:3] == ["salad-sim", "experiment", "card-value"]
    study(tmp_path, shlex.join(words[2:]))
    same_files(ROOT / "reports" / "card-value", tmp_path)
