"""What a match of two strategies comes back with: its estimates, its verdict, and the command that repeats it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from salad_sim.files.values import as_frame, finite
from salad_sim.jit.typing import Row
from salad_sim.run.plan import Plan
from salad_sim.stats.elo import elo_of_share, normalised_elo
from salad_sim.stats.exact_tests import games_to_tell
from salad_sim.stats.intervals import LEVEL, Estimate, Z, any_time_quantile, columns
from salad_sim.stats.sprt import ACCEPT_H0, ACCEPT_H1, Sprt, SprtState
from salad_sim.storage.command import again, setup_options
from salad_sim.storage.folder import strategy_records, versions
from salad_sim.studies.match.estimate import EVEN, PairCount

if TYPE_CHECKING:
    import pandas as pd

BEST_AT = 100
"""Pairs at which the intervals of a match that stops by SPRT are relatively narrowest: few, since at 10,000 pairs they
are then a sixth wider than they could be, but with 1,000 here they would be twice as wide at 20 pairs."""


NOTICED = 0.8
"""How often who plays so many games finds the difference, where it is looked for at 5 % error, two-sided."""


def _games_to_notice(share: float) -> str:
    """Return how many games in a row it takes to tell a share from one half, as a person says it."""
    games = games_to_tell(min(max(share, 1e-9), 1 - 1e-9), NOTICED, 1 - LEVEL, EVEN)
    return f"{games:,}" if games < 1000 else f"{float(f'{games:.2g}'):,.0f}"


@dataclass(frozen=True)
class MatchPlan:
    """A match that can be played: its options, checked.

    Attributes
    ----------
    plans : tuple of Plan
        One rotated plan for two players, two that are not rotated for more; see `estimate.pairs_of`.
    n_pairs : int
        Pairs to be played, with a stopping rule at most.
    first_deal : int
    sprt : Sprt, optional
        A stopping rule.
    precision : float, optional
        Another one: half-width of the interval of A's win share.
    """

    plans: tuple[Plan, ...]
    n_pairs: int
    first_deal: int = 0
    sprt: Sprt | None = None
    precision: float | None = None

    @property
    def plan(self) -> Plan:
        """The plan with the line-up A, B, A, ..."""
        return self.plans[0]

    @property
    def is_null(self) -> bool:
        """Whether A and B are the same strategy: name, values and source."""
        return len(self.plan.labels) == 1

    @property
    def names(self) -> tuple[str, str]:
        """What to call A and B."""
        labels = self.plan.labels
        return labels[0], labels[-1]

    @property
    def again(self) -> str:
        """The command that plays it again."""
        plan, test, said = self.plan, self.sprt, {}
        if test is not None:
            usual = Sprt(test.elo0, test.elo1)
            rates = {name: getattr(test, name) for name in ("alpha", "beta")}
            said = {name: _typed(rate) for name, rate in rates.items() if rate != getattr(usual, name)}
        options = {
            "games": 2 * self.n_pairs,
            "seed": str(plan.seed),
            "players": None if plan.n_players == 2 else plan.n_players,
            "first-deal": self.first_deal or None,
            "sprt=": None if test is None else f"{_typed(test.elo0)},{_typed(test.elo1)}",
            "alpha": said.get("alpha"),
            "beta": said.get("beta"),
            "precision": None if self.precision is None else _typed(self.precision),
        }
        return again("match", plan.options()["strategies"][:2], options | setup_options(plan))


@dataclass(frozen=True)
class MatchResult:
    """The counted pairs of a match, and what they say of A against B.

    Attributes
    ----------
    match : MatchPlan
        What was to be played.
    count : PairCount
        What was counted.
    sprt : SprtState, optional
        Where the test stands, if the match had one.
    seconds : float
        Time spent.
    interrupted : bool
        Whether Ctrl-C ended it early.
    """

    match: MatchPlan
    count: PairCount
    sprt: SprtState | None
    seconds: float
    interrupted: bool

    @property
    def games(self) -> int:
        """Games counted."""
        return self.count.n_games

    @property
    def pairs(self) -> int:
        """Pairs counted."""
        return self.count.n_pairs

    @property
    def quantile(self) -> float:
        """Half-width of the intervals in standard errors: wider where an SPRT chose the moment to stop."""
        return Z if self.match.sprt is None else any_time_quantile(self.pairs, BEST_AT)

    @property
    def share(self) -> Estimate:
        """A's share of the wins, 0..1, with its 95 % interval."""
        return self.count.share(self.quantile)

    @property
    def elo(self) -> Estimate:
        """The Elo difference that the share and the ends of its interval stand for; infinite for 0 and 1."""
        value, low, high = map(elo_of_share, self.share)
        return Estimate(value, low, high)

    @property
    def normalised_elo(self) -> float:
        """The difference on a scale that does not depend on ties and luck, see `elo.normalised_elo`; by pairs."""
        return normalised_elo(self.share.value, math.sqrt(2) * self.count.pair_deviation)

    @property
    def to_notice(self) -> str:
        """How many games a person who plays and counts would need to notice the difference, in a sentence."""
        value, low, high = self.share
        near, far = (low, high) if abs(low - EVEN) < abs(high - EVEN) else (high, low)
        if self.match.is_null:
            return ""
        if low <= EVEN <= high:
            least = _games_to_notice(far)
            return f"If there is a difference, a person would have to play {least} games or more to notice it."
        most, about, least = map(_games_to_notice, (near, value, far))
        by_interval = f" ({least} to {most} by the interval)" if least != most else ""
        return f"A person would have to play about {about} games to notice it{by_interval}."

    @property
    def margin(self) -> Estimate:
        """Points of A less points of B, on average in a game."""
        return self.count.margin(self.quantile)

    @property
    def tie_rate(self) -> Estimate:
        """Share of games in which two or more seats have the top total."""
        return self.count.rate("ties", self.quantile)

    @property
    def superiority(self) -> float:
        """How likely A is better than B (LOS), as for a number of games that was fixed beforehand."""
        return self.count.superiority

    @property
    def seat_rows(self) -> list[Row]:
        """One row for each seat, as in `PairCount.seat_rows`."""
        return self.count.seat_rows(self.quantile)

    @property
    def result_rows(self) -> list[Row]:
        """One row for each result of a pair, as in `PairCount.result_rows`."""
        return self.count.result_rows(self.quantile)

    @property
    def better(self) -> str | None:
        """Return "a" or "b" if one is better with 95 % confidence or by the SPRT, else None."""
        if self.match.is_null:
            return None
        _, low, high = self.share
        above, below = low > EVEN, high < EVEN
        test, state = self.match.sprt, self.sprt
        if test is not None and state is not None:
            above |= state.decision == ACCEPT_H1 and test.elo0 >= 0
            below |= state.decision == ACCEPT_H0 and test.elo1 <= 0
        return "a" if above else "b" if below else None

    @property
    def verdict(self) -> str:
        """The result in a sentence."""
        a, b = self.match.names
        if self.match.is_null:
            return f"{a} against itself: both games of a pair are the same game, so the share is 1/2 and says nothing."
        stronger, weaker = (a, b) if self.better == "a" else (b, a)
        if self.sprt is not None and self.better is None and self.sprt.decision == ACCEPT_H0:
            who = f"{a} is not clearly better than {b}; which of the two is better stays open"
        elif self.better is None:
            who = f"Not decided whether {a} or {b} is better"
        else:
            who = f"{stronger} is better than {weaker}"
        _, low, high = self.share
        says = "includes" if low <= EVEN <= high else "excludes"
        interval = f"the {100 * LEVEL:g} % interval of the win share {says} one half"
        if self.better is not None and low <= EVEN <= high:
            interval = f"that is the test's verdict; {interval}, as it holds whenever one stops and so is wider"
        why = [*self._test_says, interval]
        return f"{who}: {'; '.join(why)}."

    @property
    def _test_says(self) -> list[str]:
        test, state = self.match.sprt, self.sprt
        if test is None or state is None:
            return []
        a, b = self.match.names
        errors = f"error rates {100 * test.alpha:g} % and {100 * test.beta:g} %"
        if state.decision == ACCEPT_H1:
            return [f"the SPRT accepts H1, {_above(a, b, test.elo0)} ({errors})"]
        if state.decision == ACCEPT_H0:
            return [f"the SPRT accepts H0, {_below(a, b, test.elo1)} ({errors})"]
        return [f"the SPRT between {test.elo0:g} and {test.elo1:g} Elo has not ended ({errors})"]

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data that JSON can hold; None where a number is not known or not finite."""
        plan = self.match.plan
        data: dict[str, Any] = {
            **self.summary(),
            "rules": plan.rules.as_dict(),
            "cards": plan.cards.source,
            "game": plan.game.name,
            "by_seat": self.seat_rows,
            "pair_results": self.result_rows,
            "sprt": self._sprt_data(),
            "precision": self.match.precision,
            "interval_level": LEVEL,
            "interval_quantile": self.quantile,
            "strategies": strategy_records(self.match.plans),
            "again": self.match.again,
            "versions": versions(),
        }
        return {key: finite(value) for key, value in data.items()}

    @property
    def record(self) -> dict[str, Any]:
        """All that is needed to play the match again."""
        return {
            "again": self.match.again,
            "interrupted": self.interrupted,
            "strategies": strategy_records(self.match.plans),
            "versions": versions(),
        }

    def summary(self) -> Row:
        """Return the numbers that are not by seat or by result as one row; NaN where one is not known."""
        a, b = self.match.names
        count = self.count
        return {
            "a": a,
            "b": b,
            "same": self.match.is_null,
            "players": count.n_players,
            "seed": self.match.plan.seed,
            "first_deal": self.match.first_deal,
            "games": self.games,
            "pairs": self.pairs,
            **columns("win_share", self.share),
            **columns("elo", self.elo),
            "normalised_elo": self.normalised_elo,
            **columns("margin", self.margin),
            "los": self.superiority,
            **columns("tie_rate", self.tie_rate),
            **columns("shared_rate", count.rate("shared", self.quantile)),
            "pairing_gain": count.pairing_gain,
            "better": self.better,
            "verdict": self.verdict,
            "interrupted": self.interrupted,
        }

    def _sprt_data(self) -> dict[str, Any] | None:
        test, state = self.match.sprt, self.sprt
        if test is None or state is None:
            return None
        return {**vars(test), **vars(state)}

    @property
    def frame(self) -> pd.DataFrame:
        """The numbers of `summary` as a table of one row."""
        return as_frame([self.summary()])

    @property
    def by_seat(self) -> pd.DataFrame:
        """`seat_rows` as a table."""
        return as_frame(self.seat_rows)

    @property
    def pair_results(self) -> pd.DataFrame:
        """`result_rows` as a table."""
        return as_frame(self.result_rows)


def _typed(number: float) -> str:
    """Return a number in full, as a user would type it."""
    return repr(float(number)).removesuffix(".0")


def _above(a: str, b: str, elo: float) -> str:
    """Say that the Elo difference of A over B is above a number."""
    return f"the Elo difference is above {elo:g}" if elo >= 0 else f"{a} is less than {-elo:g} Elo worse than {b}"


def _below(a: str, b: str, elo: float) -> str:
    """Say that it is below a number."""
    if elo == 0:
        return f"{a} is not better than {b}"
    return f"{a} is not {elo:g} Elo better" if elo > 0 else f"{a} is more than {-elo:g} Elo worse than {b}"
