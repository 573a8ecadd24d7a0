"""A match of two strategies: pairs of games until a number is reached or a stopping rule is content; who is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TypeVar, Unpack

from salad_sim.errors import InputError
from salad_sim.jit.typing import Ints
from salad_sim.run.driver import Progress, Session, counted
from salad_sim.run.outcomes import play_outcomes
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.setup import MOST_GAMES, SetupOptions, whole_number
from salad_sim.stats.group_sequential import check_precision
from salad_sim.stats.sprt import GO_ON, Sprt, count_results, looks
from salad_sim.strategy.registry import Strategy
from salad_sim.studies.match.estimate import Pairs, count_pairs, pairs_of, share_of_results
from salad_sim.studies.match.result import MatchPlan, MatchResult

GAMES = 20_000
"""Games of a match by default; with a stopping rule there may be `MOST_WITH_RULE`."""

MOST_WITH_RULE = 1_000_000

FEWEST_FOR_PRECISION = 100
"""Pairs before the width of an interval is trusted to end a match."""

MOST_PLAYERS = 6

Player = TypeVar("Player", str, Strategy, "str | Strategy")

SECONDS_AT_ONCE = 2.0
"""How long a portion of a match should take: what is played beyond the moment to stop is thrown away."""

MOST_AT_ONCE = 50_000
GROWTH = 8


def line_up(a: Player, b: Player, players: int | str = 2) -> list[Player]:
    """Return A, B, A, ... for a number of players.

    Raises
    ------
    InputError
        If it is not a whole number from 2 to 6.
    """
    n_players = whole_number("players", players, 2, MOST_PLAYERS)
    return [a if place % 2 == 0 else b for place in range(n_players)]


def plan_match(
    plan: Plan, first_deal: int | str = 0, sprt: Sprt | None = None, precision: float | str | None = None
) -> MatchPlan:
    """Check the options of a match.

    Parameters
    ----------
    plan : Plan
        With the line-up A, B, A, ...; its games are the most that are played, rounded up to whole pairs.
    first_deal, sprt, precision
        As in `compare_strategies`.

    Raises
    ------
    InputError
        If an option is not allowed.
    """
    if sprt is not None and precision is not None:
        raise InputError("a match ends by --sprt or by --precision, not by both: give one of them")
    a, b = plan.lineup[:2]
    n_pairs = -(-plan.n_asked // 2)
    if plan.n_players == 2:
        plans: tuple[Plan, ...] = (replace(plan, rotate=True, n_deals=n_pairs),)
    else:
        lineups = ((a, b, a, b, a, b), (b, a, b, a, b, a))
        plans = tuple(replace(plan, lineup=each[: plan.n_players], rotate=False, n_deals=n_pairs) for each in lineups)
    checked = whole_number("first deal", first_deal, 0, MOST_GAMES)
    half_width = None if precision is None else check_precision(precision, "the interval of the win share", 0.01)
    return MatchPlan(plans, n_pairs, checked, sprt, half_width)


def play_match(match: MatchPlan, session: Session) -> MatchResult | None:
    """Play a match; see `compare_strategies`. None if Ctrl-C came before any pair was counted.

    Pairs are played in portions, and looked at after fixed numbers of them in the order of the deals, whatever the
    portions were; those beyond the moment to stop are not counted.
    """
    session.expect(2 * match.n_pairs)
    watcher = _Watcher(match)
    count = None
    n_done, n_next = 0, next(looks(match.n_pairs))
    start = perf_counter()
    with session.hearing():
        while not (watcher.stopped or session.interrupted or n_done == match.n_pairs):
            began = perf_counter()
            pairs = _play_portion(match, n_done, n_next, session)
            if pairs is None:
                break
            pairs = pairs.part(0, watcher.watch(pairs.results))
            counted = count_pairs(pairs)
            count = counted if count is None else count + counted
            n_done = count.n_pairs
            speed = len(pairs) / max(perf_counter() - began, 1e-9)
            wanted = min(int(speed * SECONDS_AT_ONCE) + 1, GROWTH * n_next, MOST_AT_ONCE)
            n_next = min(wanted, match.n_pairs - n_done)
    if count is None:
        return None
    state = None if match.sprt is None else match.sprt.state(count.sums["results"])
    return MatchResult(match, count, state, perf_counter() - start, session.interrupted)


def play_pairs(plan: Plan, session: Session) -> MatchResult | None:
    """Play a match of as many games as a plan with the line-up A, B, A, ... has; see `play_match`."""
    return play_match(plan_match(plan), session)


def _play_portion(match: MatchPlan, n_done: int, n_pairs: int, session: Session) -> Pairs | None:
    """Play the next pairs; after Ctrl-C those that are whole, or None."""
    played = []
    for plan in match.plans:
        outcomes = play_outcomes(replace(plan, n_deals=n_pairs), match.first_deal + n_done, session)
        if outcomes is None or (session.interrupted and len(match.plans) > 1):
            return None  # the other games of these pairs are missing
        played.append(outcomes)
    return pairs_of(*played)


class _Watcher:
    """Looks at the results of pairs as they come, in the order of the deals, and says when to stop."""

    def __init__(self, match: MatchPlan) -> None:
        self.rule = _stopping_rule(match)
        self.looks = looks(match.n_pairs)
        self.next_look = next(self.looks)
        self.counts = count_results([])
        self.n_seen = 0
        self.stopped = False

    def watch(self, results: Ints) -> int:
        """Take the next results and return how many of them are to be counted."""
        if self.rule is None:
            return len(results)
        before, end = self.n_seen, self.n_seen + len(results)
        while self.n_seen < end and not self.stopped:
            until = min(self.next_look, end)
            self.counts += count_results(results[self.n_seen - before : until - before])
            self.n_seen = until
            if until == self.next_look:
                self.stopped = self.rule(self.counts)
                self.next_look = next(self.looks, until)
        return self.n_seen - before


def _stopping_rule(match: MatchPlan) -> Callable[[Ints], bool] | None:
    """Return what says, from how many pairs A won each number of sixtieths of, whether to stop.

    To stop once an interval is narrow keeps its coverage when the width is small, because the width says next to
    nothing about the side on which the estimate errs; `docs/strength.md` has the coverage that was measured.

    References
    ----------
    Chow and Robbins, On the asymptotic theory of fixed-width sequential confidence intervals for the mean, Annals of
    Mathematical Statistics 36 (1965) 457-462; Glynn and Whitt, The asymptotic validity of sequential stopping rules for
    stochastic simulations, Annals of Applied Probability 2 (1992) 180-198.
    """
    test, precision = match.sprt, match.precision
    if test is not None:
        return lambda counts: test.state(counts).decision != GO_ON
    if precision is not None:

        def is_narrow(counts: Ints) -> bool:
            if counts.sum() < FEWEST_FOR_PRECISION:
                return False
            _, low, high = share_of_results(counts)
            return high - low <= 2 * precision

        return is_narrow
    return None


def compare_strategies(
    a: str | Strategy,
    b: str | Strategy,
    games: float | str | None = None,
    players: int | str = 2,
    seed: int | str = 1,
    sprt: Sprt | tuple[float, float] | None = None,
    precision: float | None = None,
    first_deal: int = 0,
    workers: int | str | None = None,
    progress: Progress | None = None,
    **options: Unpack[SetupOptions],
) -> MatchResult:
    """Play every deal twice, A and B changing seats between the games, and say which is better and how sure that is.

    Parameters
    ----------
    a, b : str or Strategy
        As in `simulate`.
    games : int, float or str, optional
        How many, rounded up to whole pairs; by default 20,000. With ``sprt`` or ``precision`` it is the most that are
        played, by default 1,000,000.
    players : int or str
        2..6, half of them each (at odd numbers one more or one less, in turns); see `match.estimate`.
    seed, workers, progress
        As in `simulate`.
    sprt : Sprt or (float, float), optional
        Stop as soon as the Elo difference is known to be above the first number or below the second, with error rates
        of 5 % each unless an `Sprt` says otherwise. Intervals are then such as hold whenever one stops.
    precision : float, optional
        Stop as soon as the half-width of the 95 % interval of A's win share is at most this, as 0.01.
    first_deal : int
        Number of the first deal, 0..1e15: matches on ranges that do not overlap share no game.
    **options
        As in `simulate`.

    Returns
    -------
    MatchResult
        On Ctrl-C of the pairs that were played, ``interrupted`` being true. It does not depend on ``workers``.

    Raises
    ------
    InputError
        If an option is not allowed, before any game is played.
    IllegalMoveError, StrategyError
        If a strategy fails.

    Examples
    --------
    >>> compare_strategies("greedy", "random", games=2000).share  # doctest: +SKIP
    """
    most = GAMES if sprt is None and precision is None else MOST_WITH_RULE
    plan = plan_run(most if games is None else games, players, line_up(a, b, players), seed, **options)
    test = Sprt(*sprt) if isinstance(sprt, tuple) else sprt
    return counted(play_match(plan_match(plan, first_deal, test, precision), Session(workers, progress)))
