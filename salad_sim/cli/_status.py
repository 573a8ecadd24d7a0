"""What can be told of a run from its folder alone, whether it is being played or not."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from salad_sim.analysis.statistics import proportion
from salad_sim.cli._progress import duration
from salad_sim.engine import WHOLE_WIN
from salad_sim.saved_run.tally_file import FILE, SavedRun
from salad_sim.saved_run.work import saved_in
from salad_sim.store import is_in_use


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
    return text if text.isprintable() else repr(text)


def _when(file: Path) -> str:
    """Return when a file was written; empty if it is just being replaced, or its time is none."""
    try:
        return f", saved {datetime.fromtimestamp(file.stat().st_mtime):%Y-%m-%d %H:%M:%S}"
    except (OSError, OverflowError, ValueError):
        return ""


def _shares(saved: SavedRun) -> list[str]:
    """Return the win share of each seat so far."""
    tally = saved.ledger.total
    games, deals = int(tally.games), int(tally.deals)
    lines = []
    for seat in range(len(tally.deal_wins_squared_by_seat)):
        n_games = int(tally.seat_games[:, seat].sum())
        if n_games and deals:
            wins = int(tally.wins[:, seat].sum())
            share = proportion(wins, int(tally.deal_wins_squared_by_seat[seat]), deals, games, WHOLE_WIN)
            lines.append(
                f"seat {seat + 1} wins {100 * share.value:.2f} % [{100 * share.low:.2f}, {100 * share.high:.2f}]"
            )
    return lines
