"""The page "what is known about Point Salad", computed from the committed reports, and the page of all public names."""

from __future__ import annotations

import csv
import importlib
from pathlib import Path

from salad_sim.report.format import interval
from salad_sim.report.table import Table, estimate_of

ROOT = Path(__file__).parent.parent
REPORTS = ROOT / "reports"
LADDER = ("random", "casual", "greedy", "planner", "expert")
DOORS = {
    "salad_sim": "The Python API",
    "salad_sim.strategy": "What a strategy file declares itself with",
    "salad_sim.kit": "Kernels and constants that a strategy may use",
    "salad_sim.experiment": "What a study is made of",
    "salad_sim.vector": "Many tables at once, for programs that learn",
}
BEST = 5


def rows(report: str, table: str) -> list[dict[str, str]]:
    """Return the rows of a table of a report."""
    with (REPORTS / report / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def value(row: dict[str, str], name: str, scale: float = 1.0, digits: int = 1, sign: str = "") -> str:
    """Return a number of a row with its interval."""
    numbers = {each: float(row[each]) for each in (name, f"{name}_low", f"{name}_high")}
    return interval(*estimate_of(numbers, name), digits, scale, sign)


def as_table(headings: list[str], cells: list[list[str]]) -> str:
    """Return a table in Markdown."""
    return Table.of([headings, *cells]).markdown()


def strongest(found: list[dict[str, str]]) -> str:
    """Return the strongest strategy of some rows."""
    return max({row["strategy"] for row in found} & set(LADDER), key=LADDER.index)


def seats() -> str:
    """Say what moving first is worth."""
    found = rows("seat-order", "seats")
    best = strongest(found)
    first = [row for row in found if row["seat"] == "1" and row["strategy"] != "random"]
    players = sorted({row["players"] for row in first})
    cells = {(row["players"], row["strategy"]): value(row, "difference", 100, 1, "+") for row in first}
    played = [name for name in LADDER if any(key[1] == name for key in cells)]
    table = as_table(["players", *played], [[n, *(cells.get((n, name), "") for name in played)] for n in players])
    return (
        f"## What is moving first worth?\n\nAmong two players of the strength of `{best}` the first seat wins "
        f"{cells[players[0], best]} percentage points above a fair half. Win share of the first seat above a fair "
        "share, in percentage points with 95 % intervals, everybody at the table playing the same way:\n\n"
        f"{table}\n\n"
        "Random players are left out: most of their games tie at about zero points, and the tie-break decides them.\n"
    )


def ties() -> str:
    """Say whether the tie-break repairs it."""
    found = [row for row in rows("tie-break", "ties") if row["strategy"] in LADDER]
    best = strongest(found)
    cells = [[row["players"], value(row, "tied", 100, 2)] for row in found if row["strategy"] == best]
    table = as_table(["players", "games that tie for the top, %"], cells)
    return (
        "## Does the tie-break repair it?\n\nOnly where totals tie, which is seldom: it can move no more than these "
        f"games (`{best}` in every seat):\n\n{table}\n\n"
    )


def cards() -> str:
    """Say which cards are worth the most."""
    found = rows("card-value", "ranking")
    name = "take_margin" if "take_margin" in found[0] else "gift_margin"
    what = {
        "take_margin": "to take the card now, against the best other move, in points, at tables that come up",
        "gift_margin": "to own the card from the start, in points",
    }[name]
    text = f"## Which cards are worth the most?\n\nIt depends on who plays, and how many. What it is worth {what}:\n\n"
    groups = sorted({(row["players"], row["strategy"]) for row in found if row[name]})
    for players, strategy in groups:
        ranked = [row for row in found if (row["players"], row["strategy"]) == (players, strategy) and row[name]]
        ranked.sort(key=lambda row: -float(row[name]))
        cells = [[row["card"], value(row, name, 1, 2, "+")] for row in ranked[:BEST]]
        text += f"**{players} players, {strategy}**\n\n{as_table(['card', 'points'], cells)}\n\n"
    return text + "Neighbours in these lists may well change places: the report says which ranks each card may have.\n"


def page() -> str:
    """Return the page of what is known."""
    sources = ", ".join(f"`reports/{name}`" for name in ("seat-order", "tie-break", "card-value"))
    return (
        "# What is known about Point Salad\n\nEvery number here is read from the committed reports when these pages "
        f"are built ({sources}); each report says by which command it is made again. All are about the players named: "
        f"people may play otherwise.\n\n{seats()}\n{ties()}\n{cards()}"
    )


def api() -> str:
    """Return the page of all public names."""
    text = "# Every public name\n"
    for door, about in DOORS.items():
        module = importlib.import_module(door)
        names = [name for name in (*getattr(module, "__all__", ()), *getattr(module, "PARTS", ())) if name[0] != "_"]
        text += f"\n## `{door}`: {about}\n\n```{{eval-rst}}\n.. py:currentmodule:: {door}\n\n"
        for name in names:
            part = getattr(module, name)
            if isinstance(part, type):
                text += f".. autoclass:: {door}.{name}\n   :members:\n   :no-index:\n\n"
            elif callable(part) and not hasattr(part, "py_func"):
                text += f".. autofunction:: {door}.{name}\n   :no-index:\n\n"
            else:
                text += described(name, part)
        text += "```\n"
    return text


def described(name: str, part: object) -> str:
    """Return what is said of a kernel or a constant."""
    function = getattr(part, "py_func", None)
    if function is None:
        return f".. py:data:: {name}\n   :no-index:\n\n"
    arguments = ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
    lines = [line.strip() for line in (function.__doc__ or "").strip().split("\n\n")[0].splitlines()]
    return f".. py:function:: {name}({arguments})\n   :no-index:\n\n   {' '.join(lines)}\n\n"
