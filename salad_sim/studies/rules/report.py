"""Two rulings compared -> what B moves against A, in sentences and tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from salad_sim.files.atomic import write_files
from salad_sim.report.format import POINTS, interval, points
from salad_sim.report.table import Column, Table, changes, estimate_of, means, numbers, texts
from salad_sim.storage.command import again, setup_options
from salad_sim.storage.folder import csv_text, json_text, strategy_records, versions
from salad_sim.studies.rules.result import Comparison

SHOWN_CARDS = 10
FEWEST_RANKED = 3


def lines(a: str, b: str, found: Comparison) -> Iterator[str | Table]:
    """Yield what a comparison of rulings A and B, as they were typed, says: lines and tables."""
    players = found.a.n_players
    yield f"{b} against {a}: {players} players, {found.deals:,} deals played under both, seed {found.a.seed}"
    moved = points(estimate_of(found.seat_rows[0], "win_share_difference"))
    yield f"The first seat's win share moves by {moved} percentage points (paired 95 % interval)."
    yield f"Play differs in {100 * found.differ.value:.1f} % of the games."
    yield ""
    yield seat_table(found)
    yield ""
    for row in found.game_rows:
        moved = interval(*estimate_of(row, "difference"), 4, sign="+")
        yield f"{row['measure'].replace('_', ' ')}: {row['a']:.4f} under A, {row['b']:.4f} under B, {moved}"
    yield ""
    yield from _moved_cards(found)


def seat_table(found: Comparison) -> Table:
    """Return a seat a row: its win share and score under A and B, and what B moves."""
    columns = [
        *texts(seat="seat"),
        *means(2, POINTS, win_share_a="win % A", win_share_b="win % B"),
        *changes(win_share_difference="B - A"),
        *means(mean_score_a="score A", mean_score_b="score B"),
        *numbers(2, "+", mean_score_difference="B - A"),
    ]
    return Table(columns, found.seat_rows)


def _moved_cards(found: Comparison) -> Iterator[str | Table]:
    cards = [row for row in found.card_rows if row["rank_a"] is not None]
    cards.sort(key=lambda row: -abs(row["difference"]))
    moved = [row for row in cards if row["difference_low"] > 0 or row["difference_high"] < 0]
    if len(cards) < FEWEST_RANKED:
        yield "Too few games to rank the cards."
        return
    yield (
        f"Cards by mean points when kept: ranks agree to {found.rank_correlation:.3f} (Spearman); "
        f"{len(moved)} of {len(cards)} cards change beyond simultaneous 95 % intervals."
    )
    rank = Column("rank_a", "rank", show=lambda row: f"{row['rank_a']:g} -> {row['rank_b']:g}")
    points = [*means(points_a="points A", points_b="points B"), *numbers(2, "+", difference="B - A")]
    columns = [*texts(card="card"), *points, rank]
    if moved:
        yield Table(columns, moved[:SHOWN_CARDS])


def write_comparison(found: Comparison, a: str, b: str, folder: Path) -> None:
    """Write the tables of a comparison of rulings A and B, as they were typed; the same one has the same bytes."""
    plan = found.a
    specs = plan.options()["strategies"]
    said = {
        **{"games": found.deals, "players": plan.n_players},
        **{"strategy": specs[:1] if len(set(specs)) == 1 else specs, "seed": str(plan.seed)},
        **{name: value for name, value in setup_options(plan).items() if name in ("game", "cards")},
    }
    record = {
        "again": again("rules", ["compare", a, b], said),
        **{"a": a, "b": b, "players": plan.n_players, "deals": found.deals, "interrupted": found.sums.interrupted},
        **{"rules_a": found.a.rules.as_dict(), "rules_b": found.b.rules.as_dict()},
        **{"strategies": strategy_records([plan]), "versions": versions()},
    }
    tables = {"seats": found.seat_rows, "game": found.game_rows, "cards": found.card_rows}
    write_files(folder, {f"{name}.csv": csv_text(rows) for name, rows in tables.items()})
    write_files(folder, {"run.json": json_text(record)})
