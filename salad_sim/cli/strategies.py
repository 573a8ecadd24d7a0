"""salad-sim strategies: who there is to play."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from salad_sim.cli._options import format_option

if TYPE_CHECKING:
    from salad_sim.strategy.parameters import Parameter
    from salad_sim.strategy.registry import Strategy


@click.command()
@format_option("table", "json")
def strategies(form: str) -> None:
    """List the strategies that are known by name, and their parameters."""
    from salad_sim.cli._tables import print_table
    from salad_sim.report.table import Table
    from salad_sim.storage.folder import json_text
    from salad_sim.strategy.registry import find_strategies
    from salad_sim.strategy.variants import GAMES

    found = [(name, each) for game in GAMES for name, each in find_strategies(game).items()]
    if form == "json":
        sys.stdout.write(json_text([_as_dict(name, each) for name, each in found]))
    else:
        rows = [[name, each.game, each.about, _parameters(each)] for name, each in found]
        print_table(Table.of([["name", "game", "what it does", "parameters"], *rows]))


def _as_dict(name: str, given: Strategy) -> dict[str, object]:
    parameters = {key: _parameter_as_dict(each) for key, each in given.parameters.items()}
    return {"name": name, "game": given.game, "about": given.about, "parameters": parameters, "file": str(given.source)}


def _parameter_as_dict(given: Parameter) -> dict[str, object]:
    default = given.show(given.default)
    if given.choices:
        return {"default": default, "choices": list(given.choices), "about": given.about}
    shown = {"low": given.show(given.low), "high": given.show(given.high)}
    return {"default": default, **shown, "whole": given.whole, "about": given.about}


def _parameters(given: Strategy) -> str:
    lines = []
    for name, each in given.parameters.items():
        default = each.show(each.default)
        shown = f"{default:g}" if isinstance(default, float) else default
        lines.append(f"{name} = {shown} ({each.allowed}): {each.about}")
    return "\n".join(lines) or "none"
