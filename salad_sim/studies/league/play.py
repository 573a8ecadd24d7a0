"""Plays the schedule of a league, in pieces of a second or two, and saves as it goes."""

from __future__ import annotations

from time import perf_counter

from salad_sim.errors import InputError
from salad_sim.run.outcomes import play_outcomes
from salad_sim.run.runner import Progress
from salad_sim.studies.league.checkpoint import Saver
from salad_sim.studies.league.config import LeagueTask
from salad_sim.studies.league.lineups import LineUp
from salad_sim.studies.league.schedule import Block, Played, Schedule

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
    interrupted : bool
        Whether Ctrl-C ended it early.
    """

    def __init__(self, task: LeagueTask, schedule: Schedule, played: Played) -> None:
        self.task = task
        self.schedule = schedule
        self.played = played
        self.interrupted = False
        self._pieces: dict[LineUp, int] = {}

    def play(
        self,
        n_restored: int = 0,
        workers: int | str | None = None,
        progress: Progress | None = None,
        saver: Saver | None = None,
    ) -> None:
        """Play what is left of the schedule.

        Parameters
        ----------
        n_restored : int
            Deals whose games are in ``played`` already, from an earlier start.
        workers, progress
            As in `play_outcomes`; progress counts the games of the whole league.
        saver : Saver, optional
            Where to save.

        Raises
        ------
        InputError, IllegalMoveError, StrategyError
            As `play_outcomes` does; the games so far are saved.
        """
        try:
            for block in self.schedule.blocks(self.played):
                n_done = self._take_restored(block, n_restored)
                while n_done < block.n_deals and not self.interrupted:
                    n_done += self._piece(block, n_done, workers, progress)
                    if saver is not None:
                        saver.save_if_due(self.played)
                if self.interrupted:
                    break
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            if saver is not None and self.played.n_deals > n_restored:
                saver.save(self.played)

    def _take_restored(self, block: Block, n_restored: int) -> int:
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

    def _piece(self, block: Block, n_done: int, workers: int | str | None, progress: Progress | None) -> int:
        """Play the next deals of a block and return how many they were."""
        table = tuple(sorted(block.seating))
        size = self._pieces.get(table, FIRST_DEALS)
        n_deals = min(size, block.n_deals - n_done)
        first = block.first_deal + n_done

        def watch(n_games: int, _: int) -> None:
            if progress is not None:
                progress(first * self.task.players + n_games, self.schedule.n_games)

        start = perf_counter()
        found = play_outcomes(self.task.table(block.seating, n_deals), first, workers, watch)
        self.played.wins[first : first + found.n_deals] = found.wins
        self.played.scores[first : first + found.n_deals] = found.scores
        self.played.seat(block, found.n_deals)
        self.interrupted = found.interrupted
        wanted = int(PIECE_SECONDS * found.n_deals / max(perf_counter() - start, 1e-9)) + 1
        self._pieces[table] = min(wanted, GROWTH * max(size, 1))
        return found.n_deals
