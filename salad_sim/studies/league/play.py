"""Plays the schedule of a league, in pieces of a second or two, and saves as it goes."""

from __future__ import annotations

from functools import partial
from time import perf_counter

from salad_sim.errors import InputError
from salad_sim.run.driver import Session
from salad_sim.run.outcomes import play_outcomes
from salad_sim.studies.league.checkpoint import LeagueSaver
from salad_sim.studies.league.config import LeagueTask
from salad_sim.studies.league.lineups import LineUp
from salad_sim.studies.league.schedule import Played, Schedule, SeatingBlock

PIECE_SECONDS = 2.0
"""How long a piece should take: games are saved, and Ctrl-C is heard, between pieces."""

FIRST_DEALS = 4
"""Deals of the first piece of a line-up, whose speed is not known yet."""

GROWTH = 32


class LeaguePlayer:
    """Plays a league.

    Attributes
    ----------
    task : LeagueTask
    schedule : Schedule
    played : Played
        The games so far.
    session : Session
    """

    def __init__(self, task: LeagueTask, schedule: Schedule, played: Played, session: Session) -> None:
        self.task = task
        self.schedule = schedule
        self.played = played
        self.session = session
        self._pieces: dict[LineUp, int] = {}

    def play(self, n_restored: int = 0, saver: LeagueSaver | None = None) -> None:
        """Play what is left of the schedule, or what Ctrl-C leaves of it.

        Parameters
        ----------
        n_restored : int
            Deals whose games are in ``played`` already, from an earlier start.
        saver : Saver, optional
            Where to save.

        Raises
        ------
        InputError, IllegalMoveError, StrategyError, KeyboardInterrupt
            As `play_outcomes` does; the games so far are saved.
        """
        self.session.expect(self.schedule.n_games)
        self.session.done = n_restored * self.task.players
        if saver is not None:
            self.session.save = partial(self._save, saver)
        try:
            with self.session.hearing():
                for block in self.schedule.blocks(self.played):
                    n_done = self._take_restored(block, n_restored)
                    while n_done < block.n_deals and not self.session.interrupted:
                        n_done += self._piece(block, n_done)
                    if self.session.interrupted:
                        break
        finally:
            if saver is not None and self.played.n_deals > n_restored:
                saver.save(self.played)

    def _save(self, saver: LeagueSaver) -> None:
        if saver.save_if_due(self.played):
            self.session.forget(saver.folder)

    def _take_restored(self, block: SeatingBlock, n_restored: int) -> int:
        """Count the deals of a block that were played earlier, and return how many they are."""
        first = block.first_deal
        n_done = min(max(n_restored - first, 0), block.n_deals)
        if (self.played.who[first : first + n_done] != block.seating).any():
            raise InputError(
                f"the saved games were played by another schedule than this program makes (from deal {first} on); "
                "--force plays the league from the start"
            )
        self.played.seat(block, n_done)
        return n_done

    def _piece(self, block: SeatingBlock, n_done: int) -> int:
        """Play the next deals of a block and return how many they were."""
        table = tuple(sorted(block.seating))
        size = self._pieces.get(table, FIRST_DEALS)
        first = block.first_deal + n_done
        start = perf_counter()
        plan = self.task.table(block.seating, min(size, block.n_deals - n_done))
        found = play_outcomes(plan, first, self.session)
        if found is None:
            return 0
        self.played.wins[first : first + found.n_deals] = found.wins
        self.played.scores[first : first + found.n_deals] = found.scores
        self.played.seat(block, found.n_deals)
        wanted = int(PIECE_SECONDS * found.n_deals / max(perf_counter() - start, 1e-9)) + 1
        self._pieces[table] = min(wanted, GROWTH * max(size, 1))
        return found.n_deals
