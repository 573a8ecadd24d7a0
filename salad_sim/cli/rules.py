"""salad-sim rules: the profiles that can be played by, and what one ruling moves against another."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from salad_sim.cli._options import (
    cards_option,
    format_option,
    interrupted,
    note_compiling,
    players_option,
    quiet_option,
    seed_option,
    workers_option,
)

if TYPE_CHECKING:
    from salad_sim.game.rules import Rules
    from salad_sim.jit.typing import Row
    from salad_sim.studies.rules.result import Comparison

SHOWN_CARDS = 10
FEWEST_RANKED = 3


@click.group(invoke_without_command=True)
@click.pass_context
def rules(ctx: click.Context) -> None:
    """List the rule profiles and the switches; compare two rulings."""
    if ctx.invoked_subcommand is None:
        _print_profiles()
        _print_switches()


@rules.command()
@click.argument("a")
@click.argument("b")
@click.option("--games", "-g", default="20000", show_default=True, metavar="N", help="Deals, each played by both.")
@players_option
@click.option("--strategy", "-s", "strategies", multiple=True, default=["greedy"], metavar="NAME|FILE.py[:NAME]")
@click.option("--game", default="point-salad", show_default=True, metavar="GAME", help="point-salad or hand-draft.")
@cards_option
@seed_option
@workers_option
@format_option("table", "json")
@quiet_option
def compare(a: str, b: str, form: str, quiet: bool, workers: str | None, **given: Any) -> int:
    """Play the same deals under rulings A and B and show what B moves, with paired 95 % intervals.

    A and B are each a profile or a file .toml, a switch key=value, or several joined by commas, the profile first.
    """
    from salad_sim.cli._progress import progress_bar
    from salad_sim.run.paired import check_pair, play_pair
    from salad_sim.run.plan import plan_run
    from salad_sim.run.runner import check_workers
    from salad_sim.storage.folder import json_text
    from salad_sim.studies.rules.result import Comparison

    first, second = (plan_run(rules=read_ruling(each), **given) for each in (a, b))
    check_pair(first, second)
    n_workers = check_workers(workers)
    note_compiling([first, second], quiet)
    with progress_bar(quiet) as progress:
        found = Comparison(first, second, play_pair(first, second, n_workers, progress))
    if form == "json":
        sys.stdout.write(json_text(found.as_dict()))
    else:
        _print_comparison(a, b, found)
    if found.sums.interrupted:
        return interrupted(f": {found.deals:,} of {first.n_deals:,} deals were played under both rulings")
    return 0


def read_ruling(text: str) -> Rules:
    """Return the rules that ``profile,key=value,...`` names; a rule's list of numbers keeps its commas.

    Raises
    ------
    InputError
        If a name or a value is not among those allowed.
    """
    from salad_sim.game.rule_profiles import read_rules

    parts: list[str] = []
    for part in text.split(","):
        if parts and part.strip()[:1].isdigit():
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    profile = None if "=" in parts[0] else parts.pop(0)
    return read_rules(profile, parts)


def _print_profiles() -> None:
    from salad_sim.cli._tables import LEFT, print_table
    from salad_sim.game.rule_profiles import profiles

    rows = []
    for profile in profiles().values():
        changed = ", ".join(f"{name}={value}" for name, value in profile.rules.changed().items())
        rows.append((profile.name, changed or "-", profile.about, profile.source))
    print_table([("profile", LEFT), ("differs from official in", LEFT), ("about", LEFT), ("source", LEFT)], rows)


def _print_switches() -> None:
    from salad_sim.cli._tables import LEFT, print_table
    from salad_sim.game.rules import OFFICIAL, allowed_values

    allowed = allowed_values()
    rows = [(name, str(value), allowed[name]) for name, value in OFFICIAL.as_dict().items()]
    print()
    print_table([("rule", LEFT), ("official", LEFT), ("allowed (--rule KEY=VALUE)", LEFT)], rows)


def _print_comparison(a: str, b: str, found: Comparison) -> None:
    from salad_sim.cli._tables import RIGHT, print_table

    players = found.a.n_players
    print(f"{b} against {a}: {players} players, {found.deals:,} deals played under both, seed {found.a.seed}")
    first = found.seat_rows[0]
    moved = _difference(first, "win_share_difference", 100)
    print(f"The first seat's win share moves by {moved} percentage points (paired 95 % interval).")
    print(f"Play differs in {100 * found.differ.value:.1f} % of the games.\n")
    rows = []
    for row in found.seat_rows:
        rows.append(
            (
                str(row["seat"]),
                f"{100 * row['win_share_a']:.2f}",
                f"{100 * row['win_share_b']:.2f}",
                _difference(row, "win_share_difference", 100),
                f"{row['mean_score_a']:.2f}",
                f"{row['mean_score_b']:.2f}",
                _difference(row, "mean_score_difference"),
            )
        )
    columns = ("seat", "win % A", "win % B", "B - A", "score A", "score B", "B - A")
    print_table([(name, RIGHT) for name in columns], rows)
    print()
    for row in found.game_rows:
        change = _difference(row, "difference", digits=4)
        print(f"{row['measure'].replace('_', ' ')}: {row['a']:.4f} under A, {row['b']:.4f} under B, {change}")
    print()
    _print_moved_cards(found)


def _difference(row: Row, name: str, scale: float = 1, digits: int = 2) -> str:
    """Return a difference of a row with its interval."""
    from salad_sim.report.markdown import signed

    return signed(row[name], row[f"{name}_low"], row[f"{name}_high"], scale, digits)


def _print_moved_cards(found: Comparison) -> None:
    from salad_sim.cli._tables import LEFT, RIGHT, print_table

    cards = [row for row in found.card_rows if row["rank_a"] is not None]
    cards.sort(key=lambda row: -abs(row["difference"]))
    moved = [row for row in cards if row["difference_low"] > 0 or row["difference_high"] < 0]
    if len(cards) < FEWEST_RANKED:
        print("Too few games to rank the cards.")
        return
    print(
        f"Cards by mean points when kept: ranks agree to {found.rank_correlation:.3f} (Spearman); "
        f"{len(moved)} of {len(cards)} cards change beyond simultaneous 95 % intervals."
    )
    rows = []
    for row in moved[:SHOWN_CARDS]:
        points = f"{row['points_a']:.2f}", f"{row['points_b']:.2f}", _difference(row, "difference")
        rows.append((row["card"], *points, f"{row['rank_a']:g} -> {row['rank_b']:g}"))
    if rows:
        print_table([("card", LEFT), *[(name, RIGHT) for name in ("points A", "points B", "B - A", "rank")]], rows)
