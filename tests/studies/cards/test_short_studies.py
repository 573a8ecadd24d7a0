"""Short studies of few cards: the page of a card, refusals, Ctrl-C in each part, hardly a game, more line-ups."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from salad_sim import Rules
from salad_sim.experiment import StudyOptions, load_experiment
from salad_sim.game.card_file import read_card_file
from salad_sim.game.cards import official_cards
from salad_sim.report.format import interval
from salad_sim.report.markdown import Report, as_markdown
from salad_sim.run import driver
from salad_sim.run.driver import Job
from salad_sim.studies.cards import estimate as card_value
from salad_sim.studies.cards.estimate import FRESH_DEALS, GIFT_DEALS, RARE_DEALS, SYNERGY_DEALS, TAKE_DEALS
from support.card_decks import FEW, changed, deck, doubled, numbered, write_deck
from support.interrupting import first_half, press_ctrl_c, two_thirds
from support.studying import call


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
    value, low, high = (row[f"take_margin{end}"] for end in ("", "_low", "_high"))
    worth = interval(value, low, high)
    assert report.answer.startswith(f"With 2 players, point-grabber, `2/carrot` is worth {worth} points over the best")
    assert f"| take it now, over the best other move | {worth} |" in text
    assert f"To take, number {row['rank']} ({row['rank_low']} to {row['rank_high']}) of 24" in text
    for heading in ("What games show", "When to take it", "Partners"):
        assert f"## {heading}: 2/carrot" in text
    assert "## What the cards are worth" not in text and len(report.tables["ranking"]) == 25
    assert "--card 2/carrot --card 7" in report.run["again"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("card-value --precision 0", "half-width of each card's value in points, above 0 and up to 100 as in 0.3"),
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


@pytest.mark.parametrize("cut", [False, True])
@pytest.mark.parametrize("part", ["first", "rare", "takes", "gifts", "synergy"])
def test_ctrl_c_reports_what_there_is(part: str, cut: bool, tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begins = {"first": 0, "rare": RARE_DEALS, "synergy": SYNERGY_DEALS, "gifts": GIFT_DEALS, "takes": TAKE_DEALS}
    ends = {"first": 10**6, "rare": GIFT_DEALS, "synergy": RARE_DEALS, "gifts": TAKE_DEALS, "takes": FRESH_DEALS}

    def at(_: int, job: Job[Any]) -> bool:
        return begins[part] <= job.ranges[0][0] < ends[part] and job.n_deals > 2

    some = first_half if part == "rare" else two_thirds
    if part == "rare":
        monkeypatch.setattr(card_value, "LEAST_KEPT", 1000)
        tiny = tiny.replace("point-grabber", "greedy")
    press_ctrl_c(monkeypatch, at, some if cut else None)
    called = call("experiment", f"{tiny} -g 2000")
    assert called.exit_code == 130 and called.stderr.count("interrupted") == 1
    if part == "first" and not cut:
        assert not called.stdout
        return
    assert "The study was interrupted" in called.stdout and "## What the cards are worth" in called.stdout
    assert ("## Synergy" in called.stdout) == ((part, cut) == ("synergy", True))
    ranked = part in ("gifts", "synergy") or (part, cut) == ("takes", True)
    assert ("No card was tried often enough" in called.stdout) != ranked


def test_ctrl_c_between_gifts_and_in_the_second_line_up(tiny: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        press_ctrl_c(patch, lambda _, job: job.ranges[0][0] > TAKE_DEALS + 2)
        patch.setattr(card_value, "PILOT_GAMES", 8000)
        called = call("experiment", f"{tiny} -g 2000")
    assert called.exit_code == 130 and "gains most if it is taken" in called.stdout
    press_ctrl_c(monkeypatch, lambda _, job: job.plans[0].n_players == 3)
    called = call("experiment", f"{tiny} -g 100 -p 2 -p 3")
    assert called.exit_code == 130 and "2 players, point-grabber" in called.stdout and "3 players" not in called.stdout


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("games", ["1", "2"])
def test_hardly_a_game_gives_a_report_that_promises_nothing(games: str, tiny_file: Path) -> None:
    report = tiny_study(tiny_file, games=games, players=("2", "3"), strategies=("greedy", "greedy+random"))
    for row in report.tables["ranking"]:
        assert row["rank"] is None and row["rank_low"] is None
        if row["card_id"] is not None:
            assert math.isnan(row["take_margin_high"]) == (row["take_pairs"] < 2)
    assert "## What the cards are worth" in as_markdown(report, has_files=False)


@pytest.mark.usefixtures("tiny")
def test_trials_end_when_every_value_is_known_well_enough(tiny_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "play_on_threads", partial(driver.play_on_threads, every=0.001))
    seen: list[tuple[int, int]] = []

    def watch(done: int, planned: int) -> None:
        seen.append((done, planned))

    rows = tiny_study(tiny_file, games="6000", precision="0.5", progress=watch).tables["ranking"][:-1]
    halves = [(row[f"{name}_margin_high"] - row[f"{name}_margin_low"]) / 2 for row in rows for name in ("take", "gift")]
    assert 0.3 < max(halves) <= 0.5
    done = [each[0] for each in seen]
    assert done == sorted(done) and done[-1] > 20_000 and all(done <= planned for done, planned in seen)
    short = tiny_study(tiny_file, games="300", precision="0.01").tables["ranking"][:-1]
    assert max((row["gift_margin_high"] - row["gift_margin_low"]) / 2 for row in short) > 0.1
    assert sum(row["gift_pairs"] for row in short) <= 12 * 300


@pytest.mark.usefixtures("tiny")
def test_other_players_and_numbers_of_players_stand_side_by_side(tiny_file: Path) -> None:
    report = tiny_study(tiny_file, players=("2", "3"), games="400")
    (stable,) = report.tables["stability"]
    assert (stable["players_1"], stable["players_2"]) == (2, 3)
    assert -1 <= stable["rank_correlation_low"] <= stable["rank_correlation_high"] <= 1
    text = as_markdown(report, has_files=False)
    assert "## Is it the same for other players?" in text and "## The same card among other players" in text
    take = {(row["players"], row["card_id"]): row["take_margin"] for row in report.tables["ranking"]}
    for row in report.tables["players"]:
        values = [take[players, row["card_id"]] for players in (2, 3)]
        assert [row["least_take"], row["most_take"]] == sorted(values)
    for name in ("ranking", "families", "phases"):
        assert {(row["players"], row["strategy"]) for row in report.tables[name]} == {
            (2, "point-grabber"),
            (3, "point-grabber"),
        }
