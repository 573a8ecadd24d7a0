"""A run -> its tables and sentences, and the files of its folder with all that is needed to play it again."""

from __future__ import annotations

from collections.abc import Iterator

from salad_sim.game.notation import plural
from salad_sim.jit.typing import Row
from salad_sim.report import figures as plots
from salad_sim.report.format import NOT_KNOWN, POINTS, bracket, decimals
from salad_sim.report.table import Column, Measure, Table, estimate_of, means, texts
from salad_sim.run.plan import Plan
from salad_sim.stats.intervals import Estimate
from salad_sim.storage.command import again, setup_options
from salad_sim.storage.folder import json_text, run_record
from salad_sim.studies.simulate.result import Result

RUN_FILES = ("seats.csv", "strategies.csv", "rounds.csv", "win_share.png", "win_share.svg")
"""What a run may write beside run.json and what it is saved in."""


def tables(result: Result) -> dict[str, Table]:
    """Return the tables of a run by name: a strategy, a seat, or a seat in a round a row."""
    rounds = [
        *texts(round="round", seat="seat"),
        *means(1, POINTS, starts="starts\n%"),
        _share("wins the\nround"),
        SCORE,
        *means(turns="turns"),
    ]
    strategies = [*texts(strategy="strategy", places="seats"), *_measures(result, result.strategy_rows)]
    seats = [*texts(seat="seat", strategy="strategy"), *_measures(result, result.seat_rows)]
    return {
        "strategies": Table(strategies, result.strategy_rows),
        "seats": Table(seats, result.seat_rows),
        "rounds": Table(rounds, result.round_rows),
    }


SCORE = Measure("mean_score", "mean\nscore", ends="apart")


def _share(heading: str) -> Measure:
    return Measure("win_share", heading, "%", scale=POINTS, ends="apart")


def _measures(result: Result, rows: list[Row]) -> list[Column]:
    """Return the columns of win shares, scores and habits."""
    won = _share("win\nshare")
    kept, flips = result.plan.game.habits
    fair = means(won.decimals(rows), POINTS, "+", difference="vs\nfair")
    return [won, *fair, SCORE, *means(cards_kept=kept, flips=flips, turns="turns")]


def lines(result: Result) -> Iterator[str | Table]:
    """Yield what a run says, the answer first: lines and tables."""
    plan = result.plan
    mixed = len(plan.labels) > 1
    who = "" if mixed else f", {plan.labels[0]} in every seat"
    turned = f" ({plural(result.deals, 'deal')}, each in every rotation)" if plan.rotate else ""
    yield f"{plan.n_players} players{who}: {plural(result.games, 'game')}{turned}, seed {plan.seed}"
    if not result.games:
        return
    yield _headline(result, mixed)
    yield ""
    for name, table in tables(result).items():
        if table.rows and (mixed or name != "strategies"):
            yield table
            yield ""
    fair = f"{100 / result.players:.4g} %"
    yield (
        f"Totals tie for the top in {_in_words(result.tie_estimate)} (tie-break: {result.rules.tie_break}). "
        f"A game takes {result.turns:.2f} turns."
    )
    yield f"vs fair: percentage points above or below a fair share of {fair}."
    if mixed and not plan.rotate:
        yield "Each strategy kept its seats, so part of its result is theirs; --rotate tells the two apart."


def _headline(result: Result, mixed: bool) -> str:
    best = max(result.strategy_rows if mixed else result.seat_rows, key=lambda row: row["win_share"])
    who = best["strategy"] if mixed else f"Seat {best['seat']}"
    each = " from each of its seats" if mixed and best["places"] > 1 else ""
    fair = f"{100 / result.players:.4g} %"
    return f"{who} wins most often{each}: {_in_words(estimate_of(best, 'win_share'))}. A fair share is {fair}."


def _in_words(share: Estimate) -> str:
    digits = decimals(POINTS * (share.high - share.low) / 2)
    within = bracket(share.low, share.high, digits, POINTS) or NOT_KNOWN
    return f"{POINTS * share.value:.{digits}f} % of games, 95 % interval {within}"


def run_files(result: Result) -> dict[str, str | bytes]:
    """Return the files of a run by name; the same run always has the same bytes."""
    plan = result.plan
    found = tables(result)
    files: dict[str, str | bytes] = {f"{name}.csv": found[name].csv() for name in ("seats", "strategies")}
    if result.round_rows:
        files["rounds.csv"] = found["rounds"].csv()
    if result.games:
        who = " against ".join(plan.labels)
        picture = plots.win_share(result.seats, f"{who}, {plan.n_players} players, {result.games:,} games")
        files |= plots.files("win_share", picture, order=("png", "svg"))
    record = run_record(plan, result.games, result.interrupted, command_line(plan))
    return {**files, "run.json": json_text(record)}


def command_line(plan: Plan) -> str:
    """Return the command that plays a plan again."""
    specs = plan.options()["strategies"]
    ranges = ",".join(f"{first}:{stop}" for first, stop in plan.deals)
    options = {
        **({"deals": ranges} if ranges else {"games": plan.n_asked}),
        "players": plan.n_players,
        "strategy": specs[:1] if len(set(specs)) == 1 else specs,
        "seed": str(plan.seed),
    }
    return again("run", [], options | setup_options(plan) | {"rotate": plan.rotate})
