"""The study of cards, as a whole: against runs of its own parts, for any workers, and the committed report."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from salad_sim import Rules, simulate
from salad_sim.experiment import StudyOptions, load_experiment
from salad_sim.game.card_file import read_card_file
from salad_sim.play.card_sums import MOST_CARDS, WORTH_UNITS, total
from salad_sim.report.markdown import as_markdown
from salad_sim.run.driver import Session
from salad_sim.run.plan import Plan, plan_run
from salad_sim.stats.ratios import columns
from salad_sim.storage.folder import csv_text
from salad_sim.studies.cards.adjusted import adjust, adjusted_rows
from salad_sim.studies.cards.estimate import (
    FRESH_DEALS,
    GIFT_DEALS,
    PRECISION,
    RARE_DEALS,
    SYNERGY_DEALS,
    TAKE_DEALS,
    effects_of,
    play_rare,
    play_trials,
)
from salad_sim.studies.cards.observed import observed_rows
from salad_sim.studies.cards.play import count_by_card, try_cards
from salad_sim.studies.cards.synergy import synergies
from salad_sim.studies.cards.trials import PHASES, gift_columns, over_blank, take_columns, trial_means
from support.card_decks import BLANK, COPY, study_deck, write_deck
from support.studying import ROOT, Rows, committed, estimate, study


def of_cards(rows: Rows) -> list[dict[str, str]]:
    """The rows of the cards, by id, without that of a blank one."""
    return sorted((row for row in rows if row["card_id"]), key=lambda row: int(row["card_id"]))


def same_files(one: Path, other: Path) -> None:
    files, again = ({each.name for each in folder.iterdir()} - {"job.json"} for folder in (one, other))  # as typed
    assert files == again
    for name in files:
        assert (one / name).read_bytes() == (other / name).read_bytes(), name


# ------------------------------------------------------------------------------------------------ the whole study


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Rows]]:
    """A small study of the known deck with a card that is worth nothing."""
    folder = tmp_path_factory.mktemp("cards")
    words = f"card-value -s greedy -g 2000 --seed 5 -w 1 --cards {write_deck(study_deck(), folder)}"
    return folder, study(folder / "report", words)


def plan_of(small: tuple[Path, dict[str, Rows]]) -> Plan:
    """What the small study plays, as it came back from its card file."""
    return plan_run(2000, 2, "greedy", 5, cards=read_card_file(small[0] / "known.csv"))


def agree(rows: Sequence[dict[str, str]], own: Sequence[dict[str, Any]], *names: str) -> None:
    """Compare columns of a table with what was found otherwise."""
    assert len(rows) == len(own)
    for row, expected in zip(rows, own, strict=True):
        for name in names:
            value = float(row[name] or "nan")
            assert value == pytest.approx(float(expected[name]), rel=1e-12, nan_ok=True), (row["card"], name)


def ends(*names: str) -> list[str]:
    return [f"{name}{end}" for name in names for end in ("", "_low", "_high")]


def test_trials_are_those_of_a_run_of_their_own(small: tuple[Path, dict[str, Rows]]) -> None:
    plan, rows = plan_of(small), of_cards(small[1]["ranking"])
    n_deals = sum(int(row["gift_pairs"]) for row in rows) // 12
    sums = try_cards(replace(plan, n_deals=n_deals), False, GIFT_DEALS)
    assert sums is not None
    means = trial_means(sums, "dev"), trial_means(sums, "wins")
    own = [gift_columns(sums, *means, card) for card in range(48)]
    agree(rows, own, "gift_pairs", *ends("gift_margin", "gift_win", "gift_own", "gift_kept"), "gift_points")
    over = [columns("own_margin", over_blank(means[0], plan.cards).estimate(card)) for card in range(48)]
    agree(rows, over, *ends("own_margin"))
    (blank,) = (row for row in small[1]["ranking"] if row["card"] == "blank card")
    assert float(blank["gift_margin"]) == pytest.approx(means[0].value[48:].mean())
    assert not blank["card_id"] and not blank["rank"] and not blank["take_margin"]
    # so many games were planned with them
    assert 0.9 * 12 * 2000 < sums.n_games < 1.2 * 12 * 2000
    takes = play_trials(Session(1), plan, True, PRECISION)
    assert takes is not None
    taken = trial_means(takes, "dev"), trial_means(takes, "wins")
    own = [take_columns(takes, *taken, card) for card in range(48)]
    agree(rows, own, "take_pairs", *ends("take_margin", "take_win", "take_right"))
    for row in small[1]["phases"]:
        layer = 1 + PHASES.index(row["own_turns"])
        assert int(row["take_pairs"]) == takes.trials["pairs"][layer, int(row["card_id"])]


def test_what_games_show_is_what_a_run_of_its_own_shows(small: tuple[Path, dict[str, Rows]]) -> None:
    plan, rows = plan_of(small), of_cards(small[1]["ranking"])
    counts = count_by_card(plan)
    often = [row["games_with_it_dealt"] == "0" for row in small[1]["observed"]]
    assert small[1]["observed"][0]["card"] == BLANK and not often[0] and often.count(False) < 5

    def kept(table: list[Any]) -> list[Any]:
        return [row for row, same in zip(table, often, strict=True) if same]

    own = observed_rows(counts, plan.cards)
    agree(kept(rows), kept(own), *ends("observed_margin", "observed_win"), "pick_rate")
    agree(kept(small[1]["observed"]), kept(own), "games_kept", *ends("in_deck", "flipped", "points"))
    agree(rows, adjusted_rows(adjust(counts), plan.cards), *ends("adjusted_margin", "adjusted_win"))
    # of cards that are kept seldom the games in which they were dealt for certain count, too
    for card, more in play_rare(Session(1), plan, counts).items():
        parts, row = [total(counts.cards)[card], more], small[1]["observed"][card]
        n_kept = sum(int(each["kept"]) for each in parts)
        assert not often[card] and int(row["games_kept"]) == n_kept > 150
        assert float(row["observed_margin"]) == pytest.approx(sum(int(each["dev"]) for each in parts) / n_kept)
        assert float(row["in_deck"]) == parts[0]["dealt"] / 2000
        first = RARE_DEALS + card * 2**48
        by_itself = count_by_card(replace(plan, n_deals=int(more["dealt"])), first, wanted=card)
        assert total(by_itself.cards)[card] == more and int(row["games_with_it_dealt"]) == by_itself.n_games.sum()
    # and these are the games that salad-sim run plays
    run = simulate(2000, 2, "greedy", seed=5, cards=plan.cards)
    for row in rows:
        points = [int(each["games"]) for each in small[1]["points"] if each["card_id"] == row["card_id"]]
        assert sum(points) == int(small[1]["observed"][int(row["card_id"])]["games_kept"])
    kept_in_all = int(total(counts.cards)["kept"].sum())
    assert kept_in_all / 4000 == pytest.approx(np.mean([row["cards_kept"] for row in run.seat_rows]))


def test_synergies_are_of_fresh_games_less_what_the_regression_says(small: tuple[Path, dict[str, Rows]]) -> None:
    plan = plan_of(small)
    adjusted = adjust(count_by_card(plan))
    fresh = count_by_card(plan, SYNERGY_DEALS, effects=effects_of(adjusted))
    own = synergies(fresh, plan.cards, WORTH_UNITS).rows
    for row, expected in zip(small[1]["synergies"], own, strict=False):
        assert (row["card_id_1"], row["card_id_2"]) == (str(expected["card_id_1"]), str(expected["card_id_2"]))
        assert float(row["extra"]) == pytest.approx(expected["extra"]) and int(row["games"]) == expected["games"]
    assert len(small[1]["synergies"]) == min(len(own), 500)


def test_no_two_parts_share_a_game() -> None:
    """Games as dealt, for synergies, for 400 rare cards, with trials, fresh ones: room for 2**48 deals of each."""
    rare = (RARE_DEALS + card * 2**48 for card in range(MOST_CARDS))
    starts = [0, SYNERGY_DEALS, *rare, GIFT_DEALS, TAKE_DEALS, FRESH_DEALS, 2**63]
    assert min(np.diff(np.array(starts, dtype=object))) >= 2**48


def test_the_ranking_is_by_worth_and_ranks_hold_for_all_cards_at_once(small: tuple[Path, dict[str, Rows]]) -> None:
    rows = small[1]["ranking"][:-1]
    assert [int(row["rank"]) for row in rows] == list(range(1, 49))
    orders = ("take_margin", "rank"), ("take_win", "win_rank"), ("own_margin", "own_rank")
    for name, rank in (*orders, ("observed_margin", "observed_rank")):
        in_order = sorted(rows, key=lambda row, rank=rank: int(row[rank]))
        assert [int(row[rank]) for row in in_order] == list(range(1, 49))
        values = [float(row[name]) for row in in_order]
        assert values == sorted(values, reverse=True)
    for _, rank in orders:
        bounds = [[int(row[f"{rank}{end}"]) for end in ("_low", "", "_high")] for row in rows]
        assert all(1 <= low <= at <= high <= 48 for low, at, high in bounds)
        assert any(high - low > 10 for low, _, high in bounds)


def test_the_study_finds_what_is_known_of_its_cards(small: tuple[Path, dict[str, Rows]]) -> None:
    """The blank is worth no more than a blank, the doubled card the most; the copies are not told apart."""
    rows = {row["card"] if row["card_id"] != str(COPY) else "copy": row for row in small[1]["ranking"][:-1]}
    best, least, of_two = rows["4/pepper"], rows[BLANK], (rows["copy"], rows["tomato + tomato = 5"])
    assert best["own_rank"] == "1" and best["outside_all"] == best["outside_order"] == "True"
    assert float(best["own_margin_low"]) > 4 and float(best["take_margin_low"]) > 1
    assert least["own_rank"] == "48" and least["outside_order"] == least["outside_blank"] == "True"
    assert abs(float(least["own_margin"])) < 1 and float(least["take_margin_high"]) < 0
    for name in ("own_margin", "take_margin"):
        assert estimate(of_two[0], name)[1] < estimate(of_two[1], name)[2]
        assert estimate(of_two[1], name)[1] < estimate(of_two[0], name)[2]
    assert of_two[0]["family"] == of_two[1]["family"] == "A + A = 5" and of_two[0]["back"] == of_two[1]["back"]
    of_family = {row["family"]: row for row in small[1]["families"]}
    assert of_family["A + A = 5"]["cards"] == "7" and of_family["2/A"]["cards"] == "5"


def test_the_report_answers_first_and_names_its_files(small: tuple[Path, dict[str, Rows]]) -> None:
    folder, rows = small[0] / "report", small[1]
    text = (folder / "report.md").read_text()
    assert text.split("\n\n")[1].startswith("With 2 players, greedy, `4/pepper`: Out of line with ")
    assert "the card that gains most if it is taken is `4/pepper`" in text
    names = {f"{name}_2_greedy.svg" for name in ("values", "logs", "picks", "phases", "synergy")}
    assert {each.name for each in folder.glob("*.svg")} == names and all(f"({name})" in text for name in names)
    assert all(f"[{name}.csv]" in text for name in rows) and len(rows) == 7
    new = text[text.index("## New cards") : text.index("## When to take it")]
    assert "| 4/pepper |" in new and "it never scores less than" in new and f"| {BLANK} |" in new
    assert new.count("\n| ") == 4  # a head and two cards: a copy of a card of the game is none of its own
    assert "single cards with pairs" in text
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


# ------------------------------------------------------------------------------------------------ the committed report


def test_the_committed_report_is_found_again() -> None:
    """Gifts and games of other seeds agree within five standard errors: by chance not once in ten thousand runs."""
    run, rows = committed("card-value")
    players, strategy = rows["ranking"][0]["players"], rows["ranking"][0]["strategy"]
    large = of_cards([row for row in rows["ranking"] if (row["players"], row["strategy"]) == (players, strategy)])
    plan = plan_run(400, int(players), strategy, 77, rules=Rules(**run["options"].get("rules", {})))
    gifts, takes = (try_cards(plan, kind) for kind in (False, True))
    assert gifts is not None and takes is not None
    counts = count_by_card(replace(plan, n_deals=4000))
    own, taken = over_blank(trial_means(gifts, "dev"), plan.cards), trial_means(takes, "dev")
    for name, mine_of in (
        ("own_margin", [columns("own_margin", own.estimate(card)) for card in range(108)]),
        ("take_margin", [columns("take_margin", taken.estimate(card)) for card in range(108)]),
        ("observed_margin", observed_rows(counts, plan.cards)),
    ):
        n_told = 0
        for row, mine in zip(large, mine_of, strict=True):
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
