"""A match of two strategies: pairs of games until a number is reached or a stopping rule is content; who is better."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import TypeVar

from salad_sim.errors import InputError
from salad_sim.game.card_file import CardSource
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.jit.typing import Ints
from salad_sim.run.outcomes import play_outcomes
from salad_sim.run.plan import MOST_GAMES, Plan, plan_run, whole_number
from salad_sim.run.runner import Progress, check_workers
from salad_sim.stats.group_sequential import check_precision
from salad_sim.stats.sprt import GO_ON, Sprt, count_results, looks
from salad_sim.strategy.registry import Strategy
from salad_sim.strategy.variants import POINT_SALAD
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


def play_match(match: MatchPlan, workers: int | str | None = None, progress: Progress | None = None) -> MatchResult:
    """Play a match; see `compare_strategies`.

    Pairs are played in portions, and looked at after fixed numbers of them in the order of the deals, whatever the
    portions were; those beyond the moment to stop are not counted.
    """
    n_workers = check_workers(workers)
    watcher = _Watcher(match)
    count = None
    n_done, n_next, interrupted = 0, next(looks(match.n_pairs)), False
    start = perf_counter()
    while not (watcher.stopped or interrupted or n_done == match.n_pairs):
        began = perf_counter()
        try:
            pairs, interrupted = _play_portion(match, n_done, n_next, n_workers, progress)
        except KeyboardInterrupt:
            if count is None:
                raise
            interrupted = True
            break
        pairs = pairs.part(0, watcher.watch(pairs.results))
        counted = count_pairs(pairs)
        count = counted if count is None else count + counted
        n_done = count.n_pairs
        speed = len(pairs) / max(perf_counter() - began, 1e-9)
        wanted = min(int(speed * SECONDS_AT_ONCE) + 1, GROWTH * n_next, MOST_AT_ONCE)
        n_next = min(wanted, match.n_pairs - n_done)
    assert count is not None  # a match has at least one pair
    state = None if match.sprt is None else match.sprt.state(count.sums["results"])
    return MatchResult(match, count, state, perf_counter() - start, interrupted)


def _play_portion(
    match: MatchPlan, n_done: int, n_pairs: int, workers: int, progress: Progress | None
) -> tuple[Pairs, bool]:
    """Play the next pairs; return them and whether Ctrl-C ended it early."""
    played = []
    for number, plan in enumerate(match.plans):

        def report(done: int, _: int, before: int = 2 * n_done + number * n_pairs) -> None:
            if progress is not None:
                progress(before + done, 2 * match.n_pairs)

        portion = replace(plan, n_deals=n_pairs)
        outcomes = play_outcomes(portion, match.first_deal + n_done, workers, report)
        if outcomes.interrupted and len(match.plans) > 1:
            raise KeyboardInterrupt  # the other games of these pairs are missing
        played.append(outcomes)
    return pairs_of(*played), played[-1].interrupted


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
    rules: Rules = OFFICIAL,
    sprt: Sprt | tuple[float, float] | None = None,
    precision: float | None = None,
    first_deal: int = 0,
    workers: int | str | None = None,
    progress: Progress | None = None,
    game: str = POINT_SALAD.name,
    cards: CardSource | None = None,
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
    seed, rules, workers, progress, game, cards
        As in `simulate`.
    sprt : Sprt or (float, float), optional
        Stop as soon as the Elo difference is known to be above the first number or below the second, with error rates
        of 5 % each unless an `Sprt` says otherwise. Intervals are then such as hold whenever one stops.
    precision : float, optional
        Stop as soon as the half-width of the 95 % interval of A's win share is at most this, as 0.01.
    first_deal : int
        Number of the first deal, 0..1e15: matches on ranges that do not overlap share no game.

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
    plan = plan_run(
        most if games is None else games, players, line_up(a, b, players), seed, rules=rules, game=game, cards=cards
    )
    test = Sprt(*sprt) if isinstance(sprt, tuple) else sprt
    return play_match(plan_match(plan, first_deal, test, precision), workers, progress)
