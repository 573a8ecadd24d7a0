"""What can be told of a run from its folder alone, whether it is being played or not."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from salad_sim.cli._progress import duration
from salad_sim.errors import printable
from salad_sim.files.atomic import is_in_use
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.game.state import MAX_PLAYERS
from salad_sim.report.format import percent
from salad_sim.stats.intervals import proportion
from salad_sim.storage.checkpoint import saved_in
from salad_sim.storage.checkpoint_file import FILE, SavedRun


def status_lines(folder: Path) -> list[str]:
    """Return what is known of a run, a line each.

    Raises
    ------
    InputError
        If the folder holds no run, or none that can be read.
    """
    saved, problems = saved_in(folder)
    games, deals = saved.ledger.games, int(saved.ledger.total.deals)
    left = sum(stop - first for first, stop in saved.ledger.missing())
    planned = games + left * max(games // max(deals, 1), 1)
    state = "complete" if left == 0 else ("being played" if is_in_use(folder) else "stopped; salad-sim resume goes on")
    lines = [f"{_what(saved)}: {state}", f"{games:,} of {planned:,} games{_when(folder / FILE)}"]
    if saved.seconds > 0 and games:
        rate = games / saved.seconds
        lines[-1] += f", {rate:,.0f} games/s" + (f", {duration((planned - games) / rate)} left" if left else "")
    lines += problems
    return lines + _shares(saved)


def _what(saved: SavedRun) -> str:
    """Return who plays and the seed, as the file says: it may say anything, and the terminal must not obey it."""
    options = saved.record.get("options")
    options = options if isinstance(options, dict) else {}
    names = options.get("strategies")
    text = f"{', '.join(map(str, names)) if isinstance(names, list) else names}, seed {options.get('seed')}"
    if saved.ledger.blocks and (isinstance(options.get("deals"), list)):
        text += f", deals {saved.ledger.blocks[0].first:,} to {saved.ledger.blocks[-1].stop - 1:,}"
    return printable(text)


def _when(file: Path) -> str:
    """Return when a file was written; empty if it is just being replaced, or its time is none."""
    try:
        return f", saved {datetime.fromtimestamp(file.stat().st_mtime):%Y-%m-%d %H:%M:%S}"
    except (OSError, OverflowError, ValueError):
        return ""


def _shares(saved: SavedRun) -> list[str]:
    """Return the win shares so far, of each strategy if several play, and of each seat."""
    tally = saved.ledger.total
    shares = [
        (name, np.s_[group, :], tally.deal_wins_squared_by_group[group])
        for group, name in enumerate(_strategies(saved))
    ] + [(f"seat {seat + 1}", np.s_[:, seat], tally.deal_wins_squared_by_seat[seat]) for seat in range(MAX_PLAYERS)]
    return [_share(who, tally, where, int(squares)) for who, where, squares in shares if tally.seat_games[where].any()]


def _strategies(saved: SavedRun) -> list[str]:
    """Return what is played in the order of the groups, see `GameSetup.groups`; nothing if all seats play the same."""
    options = saved.record.get("options")
    names = options.get("strategies") if isinstance(options, dict) else None
    kinds = list(dict.fromkeys(map(str, names))) if isinstance(names, list) else []
    return [printable(name) for name in kinds] if 1 < len(kinds) <= MAX_PLAYERS else []


def _share(who: str, tally: np.record, where: tuple[Any, Any], deal_squares: int) -> str:
    """Return who wins how often, with the interval, from the groups and seats that are meant."""
    wins, games = int(tally.wins[where].sum()), int(tally.seat_games[where].sum())
    share = proportion(wins, deal_squares, int(tally.deals), games, WHOLE_WIN)
    return f"{who} wins {percent(share, unit=' %')}"
