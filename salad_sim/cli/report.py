"""salad-sim report: one page of saved results, to look at and click."""

from __future__ import annotations

import click

from salad_sim.cli._options import note, quiet_option


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR [DIR ...]")
@click.option("--out", "-o", required=True, metavar="FILE.html", help="Write the page here.")
@click.option(
    "--games",
    "-g",
    metavar="N",
    default="1000",
    show_default=True,
    help="Show the closest, the highest and the strangest of the first N games of a run; 0 for none.",
)
@quiet_option
def report(folders: tuple[str, ...], out: str, games: str, quiet: bool) -> int:
    """Make one page of saved results: the answer, pictures, tables, and what they do not say.

    DIR is what --out of run, match, league, profile, rules compare, experiment or tune has written. The page is one
    file that opens on any computer, without a network; the same results give the same page.
    """
    from salad_sim.page.render import write_page
    from salad_sim.run.setup import whole_number

    n_games = whole_number("games", games, 0, 100_000)
    note(f"the page is {write_page(folders, out, games=n_games)}: open it with a browser", quiet)
    return 0
