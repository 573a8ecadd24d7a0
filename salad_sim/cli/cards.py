"""salad-sim cards and salad-sim strategies: what there is to play with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from salad_sim.cli._options import format_option

if TYPE_CHECKING:
    from salad_sim.game.cards import CardSet
    from salad_sim.strategy.parameters import Parameter
    from salad_sim.strategy.registry import Strategy


@click.command()
@click.option("--cards", "file", metavar="FILE.csv", help="A card file; by default the 108 cards of the game.")
@format_option("table", "csv", "json")
def cards(file: str | None, form: str) -> None:
    """List the cards of the game, or those of a card file, each with the number that it has in a run.

    The format csv is that of card files: change it, add to it, and play with it. docs/cards.md says what may stand in
    it.
    """
    from salad_sim.game.card_file import as_card_set, card_file_lines, card_rows
    from salad_sim.storage.folder import json_text

    chosen = as_card_set(file)
    if form == "csv":
        sys.stdout.write("\n".join(card_file_lines(chosen)) + "\n")
    elif form == "json":
        sys.stdout.write(json_text(card_rows(chosen)))
    else:
        _print_cards(chosen)


def _print_cards(chosen: CardSet) -> None:
    from salad_sim.cli._tables import LEFT, RIGHT, print_table
    from salad_sim.game.notation import plural, vegetables

    columns = [("card", RIGHT), ("point side", LEFT), ("vegetable on the back", LEFT), ("kind", LEFT)]
    kinds = [" + ".join(term.kind for term in card.terms) for card in chosen]
    rows = zip(chosen, kinds, strict=True)
    print_table(columns, [[str(card.card_id), card.text, chosen.labels[card.back], kind] for card, kind in rows])
    backs = [card.back for card in chosen]
    numbers = [backs.count(veg) for veg in range(len(chosen.labels))]
    print(f"\n{plural(len(chosen), 'card')}: {vegetables(numbers, chosen.labels)} on the back")


@click.command()
@format_option("table", "json")
def strategies(form: str) -> None:
    """List the strategies that are known by name, and their parameters."""
    from salad_sim.cli._tables import LEFT, print_table
    from salad_sim.storage.folder import json_text
    from salad_sim.strategy.registry import find_strategies
    from salad_sim.strategy.variants import GAMES

    found = [(name, each) for game in GAMES for name, each in find_strategies(game).items()]
    if form == "json":
        sys.stdout.write(json_text([_as_dict(name, each) for name, each in found]))
    else:
        columns = [("name", LEFT), ("game", LEFT), ("what it does", LEFT), ("parameters", LEFT)]
        print_table(columns, [[name, each.game, each.about, _parameters(each)] for name, each in found])


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
