"""salad-sim cards: what there is to play with."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from salad_sim.cli._options import format_option

if TYPE_CHECKING:
    from salad_sim.game.cards import CardSet


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
    from salad_sim.cli._tables import print_table
    from salad_sim.game.notation import plural, vegetables
    from salad_sim.report.table import Table, texts

    rows = [
        {"card": card.card_id, "text": card.text, "back": chosen.labels[card.back]}
        | {"kind": " + ".join(term.kind for term in card.terms)}
        for card in chosen
    ]
    print_table(Table(texts(card="card", text="point side", back="vegetable on the back", kind="kind"), rows))
    backs = [card.back for card in chosen]
    numbers = [backs.count(veg) for veg in range(len(chosen.labels))]
    print(f"\n{plural(len(chosen), 'card')}: {vegetables(numbers, chosen.labels)} on the back")
