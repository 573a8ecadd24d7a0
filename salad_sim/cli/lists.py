"""salad-sim cards and salad-sim strategies: what there is to play with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from salad_sim.cli._options import format_option

if TYPE_CHECKING:
    from salad_sim.strategy import Strategy


@click.command()
@format_option("table", "csv", "json")
def cards(form: str) -> None:
    """List the 108 cards of the game."""
    from salad_sim.cards import COLUMNS, card_row, official_cards
    from salad_sim.cli._tables import LEFT, RIGHT, print_table
    from salad_sim.store import csv_text, json_text

    rows = [card_row(card) for card in official_cards()]
    if form == "csv":
        sys.stdout.write(csv_text(rows, COLUMNS))
    elif form == "json":
        sys.stdout.write(json_text(rows))
    else:
        columns = [("card", RIGHT), ("point side", LEFT), ("vegetable on the back", LEFT), ("kind", LEFT)]
        fields = ("card_id", "text", "back", "kind")
        print_table(columns, [[str(row[name]) for name in fields] for row in rows])


@click.command()
@format_option("table", "json")
def strategies(form: str) -> None:
    """List the strategies that are known by name, and their parameters."""
    from salad_sim.cli._tables import LEFT, print_table
    from salad_sim.games import GAMES
    from salad_sim.store import json_text
    from salad_sim.strategy import find_strategies

    found = [(name, each) for game in GAMES for name, each in find_strategies(game).items()]
    if form == "json":
        sys.stdout.write(json_text([_as_dict(name, each) for name, each in found]))
    else:
        columns = [("name", LEFT), ("game", LEFT), ("what it does", LEFT), ("parameters", LEFT)]
        print_table(columns, [[name, each.game, each.about, _parameters(each)] for name, each in found])


def _as_dict(name: str, given: Strategy) -> dict[str, object]:
    parameters = {
        key: {"default": each.default, "low": each.low, "high": each.high, "about": each.about}
        for key, each in given.parameters.items()
    }
    return {"name": name, "game": given.game, "about": given.about, "parameters": parameters, "file": str(given.source)}


def _parameters(given: Strategy) -> str:
    described = [
        f"{name} = {each.default:g} ({each.low:g} to {each.high:g}): {each.about}"
        for name, each in given.parameters.items()
    ]
    return "\n".join(described) or "none"
