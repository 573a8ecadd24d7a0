"""salad-sim rules: the profiles that can be played by, and what one ruling moves against another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from salad_sim.cli import _completion
from salad_sim.cli._keeping import kept
from salad_sim.cli._options import (
    GameOptions,
    anywhere,
    format_option,
    game_options,
    interrupted,
    out_folder,
    quiet_option,
)
from salad_sim.cli._page import page_option

if TYPE_CHECKING:
    from salad_sim.game.rules import Rules


@click.group(invoke_without_command=True)
@click.pass_context
def rules(ctx: click.Context) -> None:
    """List the rule profiles and the switches; compare two rulings."""
    if ctx.invoked_subcommand is None:
        _print_profiles()
        _print_switches()


@rules.command()
@click.argument("a", shell_complete=_completion.profiles)
@click.argument("b", shell_complete=_completion.profiles)
@click.option("--games", "-g", default="20000", show_default=True, metavar="N", help="Deals, each played by both.")
@game_options(
    *("players", "strategies", "kind", "cards", "seed"),
    strategies={"show_default": None, "help": None},
    kind={"default": "point-salad", "show_default": True, "help": "point-salad or hand-draft."},
)
@anywhere
@click.option("--out", "-o", metavar="DIR", help="Also write its tables into this folder.")
@format_option("table", "json")
@quiet_option
@kept
@page_option
def compare(
    a: str, b: str, games: str, options: GameOptions, out: str | None, form: str, quiet: bool, workers: str | None
) -> int:
    """Play the same deals under rulings A and B and show what B moves, with paired 95 % intervals.

    A and B are each a profile or a file .toml, a switch key=value, or several joined by commas, the profile first.
    """
    from salad_sim.cli._progress import watching
    from salad_sim.cli._tables import print_found
    from salad_sim.run.driver import Session, counted
    from salad_sim.run.paired import check_pair
    from salad_sim.run.plan import plan_run
    from salad_sim.run.runner import check_workers
    from salad_sim.studies.rules.report import lines, seat_table, write_comparison
    from salad_sim.studies.rules.result import compare_plans

    first, second = (
        plan_run(
            games, options.players, options.strategies, options.seed, **options.setup | {"rules": read_ruling(each)}
        )
        for each in (a, b)
    )
    check_pair(first, second)
    n_workers = check_workers(workers)
    folder = out_folder(out, "rules")
    with watching(quiet) as observer:
        found = counted(compare_plans(first, second, Session(n_workers, observer)))
    print_found(form, lines(a, b, found), found.as_dict, seat_table(found))
    if folder is not None:
        write_comparison(found, a, b, folder)
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
    from salad_sim.cli._tables import print_table
    from salad_sim.game.rule_profiles import profiles
    from salad_sim.report.table import Table

    rows = []
    for profile in profiles().values():
        changed = ", ".join(f"{name}={value}" for name, value in profile.rules.changed().items())
        rows.append((profile.name, changed or "-", profile.about, profile.source))
    print_table(Table.of([("profile", "differs from official in", "about", "source"), *rows]))


def _print_switches() -> None:
    from salad_sim.cli._tables import print_table
    from salad_sim.game.rules import OFFICIAL, allowed_values
    from salad_sim.report.table import Table

    allowed = allowed_values()
    rows = [(name, str(value), allowed[name]) for name, value in OFFICIAL.as_dict().items()]
    print()
    print_table(Table.of([("rule", "official", "allowed (--rule KEY=VALUE)"), *rows]))
