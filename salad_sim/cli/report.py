"""salad-sim report: one page of saved results, to look at and click."""

from __future__ import annotations

import click

from salad_sim.cli._options import note, quiet_option


@click.command()
@click.argument("folders", nargs=-1, required=True, metavar="DIR [DIR ...]")
@click.option("--out", "-o", required=True, metavar="FILE.html", help="Write the page here.")
@quiet_option
def report(folders: tuple[str, ...], out: str, quiet: bool) -> int:
    """Make one page of saved results: the answer, pictures, tables, and what they do not say.

    DIR is what --out of run, match, league, profile, rules compare, experiment or tune has written. The page is one
    file that opens on any computer, without a network; the same results give the same page.
    """
    from salad_sim.page.render import write_page

    note(f"the page is {write_page(folders, out)}: open it with a browser", quiet)
    return 0
