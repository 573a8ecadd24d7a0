"""Numbers from elsewhere: what games that somebody else counted say, and how many games it takes to tell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from salad_sim.errors import InputError, quote
from salad_sim.files.values import finite
from salad_sim.report.format import POINTS, chance, interval
from salad_sim.report.table import Table, texts
from salad_sim.run.setup import MOST_GAMES, real_number, whole_number
from salad_sim.stats.deal_sums import WHOLE
from salad_sim.stats.elo import elo_of_share, normalised_elo, share_of_elo
from salad_sim.stats.exact_tests import binomial_p, games_to_tell, swapped_pairs_p
from salad_sim.stats.intervals import LEVEL, Estimate, columns, proportion
from salad_sim.stats.sprt import WHOLE_PAIR, Sprt, SprtState

RESULTS = ("0", "1/2", "1", "3/2", "2")
"""What A may win of a pair of games, in the order in which pairs are counted."""

POWERS = (0.5, 0.8, 0.9, 0.95)
SURE = 1 - LEVEL
MOST_STRENGTH = 10_000.0
MOST_PAIRED_GAMES = 10**9
"""So that sums of squares stay in 64 bits."""


@dataclass(frozen=True)
class Judgement:
    """What counted games say of a share.

    Attributes
    ----------
    games : int
    fair : float
        The share of nobody in particular, in (0, 1).
    share : Estimate
        Of the games, with its 95 % interval.
    p : float
        Exact and two-sided: how likely a result as far from ``fair`` or further is, if that is the truth.
    normalised : float
        Normalised Elo; NaN where games are not against an equal share of one half.
    pairs : int
        Pairs of games; 0 if the games are independent of each other.
    sprt : SprtState, optional
    """

    games: int
    fair: float
    share: Estimate
    p: float
    normalised: float
    pairs: int = 0
    test: Sprt | None = None
    sprt: SprtState | None = None

    @property
    def elo(self) -> Estimate | None:
        """The Elo differences that share and interval stand for; None against a fair share that is not one half."""
        return Estimate(*map(elo_of_share, self.share)) if self.fair == 0.5 else None

    @property
    def sentence(self) -> str:
        """The result for people."""
        fair = f"the fair {100 * self.fair:.4g} %"
        often = f"a result as far off or further comes up in {100 * self.p:.2g} % of such fair games"
        if self.p < SURE:
            side = "above" if self.share.value > self.fair else "below"
            return f"That is {side} {fair}, and hardly chance: {often}."
        return f"That may be chance: {often}."

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as plain data; None where a number is not finite."""
        elo = self.elo
        found: dict[str, Any] = {
            "games": self.games,
            "pairs": self.pairs,
            "fair": self.fair,
            **columns("share", self.share),
            "p": self.p,
            **({} if elo is None else columns("elo", elo)),
            "normalised_elo": self.normalised,
            "sprt": None if self.test is None or self.sprt is None else {**vars(self.test), **vars(self.sprt)},
            "verdict": self.sentence,
        }
        return {name: finite(value) for name, value in found.items()}

    def lines(self) -> Iterator[str]:
        """Yield what a person reads."""
        of = f"{self.games:,} games" + (f" in {self.pairs:,} pairs" if self.pairs else "")
        share = interval(*self.share, 1, POINTS, unit=" %", least=1)
        yield f"won {share} of {of}, 95 % interval; exact p {chance(self.p)}"
        if self.elo is not None:
            normalised = f", normalised Elo {self.normalised:+.1f}" if math.isfinite(self.normalised) else ""
            yield f"Elo {interval(*self.elo, 1, sign='+')}{normalised}"
        if self.test is not None and self.sprt is not None:
            yield self.test.line(self.sprt)
        yield self.sentence


def judge_games(won: object, played: object, players: object = 2) -> Judgement:
    """Say what ``won`` of ``played`` independent games tell; half a game is a tie.

    Raises
    ------
    InputError
        If they are no such numbers.
    """
    n_games = whole_number("games played", played, 1, MOST_GAMES)
    fair = 1 / whole_number("players", players, 2, 6)
    number = real_number("games won", won, 0, n_games)
    if 2 * number != int(2 * number):
        raise InputError(f"games won are whole or end in one half, not {quote(won)}")
    ties = 2 * number % 2
    total = round(2 * number)
    share = proportion(total, 4 * int(number) + int(ties), n_games, n_games, 2)
    whole = math.floor(number) if number > fair * n_games else math.ceil(number)  # half a game less surprising
    value = share.value
    deviation = math.sqrt(value * (1 - value)) if fair == 0.5 else 0.0
    return Judgement(n_games, fair, share, binomial_p(whole, n_games, fair), normalised_elo(value, deviation))


def judge_pairs(counts: str, test: Sprt | None = None) -> Judgement:
    """Say what pairs of games tell, both seat orders of a deal each: how many brought A 0, 1/2, 1, 3/2 and 2 wins.

    Raises
    ------
    InputError
        If these are no five numbers.
    """
    given = counts.split(",")
    if len(given) != len(RESULTS):
        raise InputError(f"--pairs takes five numbers, pairs won {', '.join(RESULTS)}, not {quote(counts)}")
    zero, half, one, more, two = found = [whole_number("pairs", each, 0, MOST_PAIRED_GAMES) for each in given]
    n_pairs = sum(found)
    if not n_pairs:
        raise InputError("--pairs: there must be at least one pair")
    won = np.arange(len(found))
    total, squares = int(won @ found), int(won**2 @ found)
    share = proportion(total, squares, n_pairs, 2 * n_pairs, 2)
    spread = math.sqrt(max(0.0, squares / n_pairs - (total / n_pairs) ** 2)) / 4  # of a pair's mean
    places = np.zeros(WHOLE_PAIR + 1, dtype=np.int64)
    places[:: WHOLE // 2] = found
    return Judgement(
        games=2 * n_pairs,
        fair=0.5,
        share=share,
        p=swapped_pairs_p((zero, half, one, more, two)),
        normalised=normalised_elo(share.value, math.sqrt(2) * spread),
        pairs=n_pairs,
        test=test,
        sprt=None if test is None else test.state(places),
    )


@dataclass(frozen=True)
class Needed:
    """How many games show a difference.

    Attributes
    ----------
    power : float
        Chance to find it.
    games : int
        Independent games.
    paired_games : int
        Games in pairs, both seat orders of a deal each.
    """

    power: float
    games: int
    paired_games: int


@dataclass(frozen=True)
class GamesPlan:
    """A share to be told from one half, and the games that takes."""

    share: float
    first_seat: float
    rows: Sequence[Needed]
    asked: Needed

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        rows = [asdict(each) for each in self.rows]
        return {"share": self.share, "elo": elo_of_share(self.share), "first_seat": self.first_seat} | {
            "error": SURE,
            **asdict(self.asked),
            "by_power": rows,
        }

    def lines(self) -> Iterator[str | Table]:
        """Yield what a person reads."""
        yield (
            f"To tell a win share of {100 * self.share:.4g} % (Elo {elo_of_share(self.share):+.1f}) from 50 % with "
            f"{100 * self.asked.power:.4g} % power takes {self.asked.games:,} independent games,"
        )
        yield (
            f"or {self.asked.paired_games:,} games in pairs (both seat orders of a deal, where the first seat wins "
            f"{100 * self.first_seat:.4g} % among equals)."
        )
        yield ""
        rows = [asdict(each) | {"power": f"{100 * each.power:g} %"} for each in self.rows]
        yield Table(texts(power="power", games="independent games", paired_games="games in pairs"), rows)
        yield ""
        yield (
            "Power: how often so many games find the difference, if it is there. Where there is none, one in twenty "
            "tries claims one."
        )


def plan_games(share: object = None, elo: object = None, power: object = 0.8, first_seat: object = 0.5) -> GamesPlan:
    """Say how many games tell a win share, or an Elo difference, from one half.

    In pairs the advantage of the first seat meets both; what is left varies less than independent games. What the deal
    itself gives to one and then to the other comes on top and is not counted: ``match`` measures it.

    Raises
    ------
    InputError
        If not exactly one of share and Elo is given, or a number is out of range.
    """
    if (share is None) == (elo is None):
        raise InputError("plan takes a win share, as 0.55, or --elo, as 10: one of the two")
    true = share_of_elo(real_number("Elo", elo, -1000, 1000)) if share is None else real_number("share", share, 0, 1)
    if not 1e-6 < true < 1 - 1e-6 or abs(true - 0.5) < 1e-6:
        raise InputError(f"a share to be told from one half lies between 0 and 1 and is not one half, not {true:g}")
    seat = real_number("first seat's share", first_seat, 0.01, 0.99)
    wanted = real_number("power", power, 0.01, 0.9999)
    rows = [_needed(true, seat, each) for each in POWERS]
    return GamesPlan(true, seat, rows, _needed(true, seat, wanted))


def _needed(share: float, first_seat: float, power: float) -> Needed:
    games = games_to_tell(share, power, SURE)
    shift = elo_of_share(first_seat)

    def seats(strength: float) -> tuple[float, float]:
        return share_of_elo(strength + shift), share_of_elo(strength - shift)

    strength = brentq(lambda elo: sum(seats(elo)) / 2 - share, -MOST_STRENGTH, MOST_STRENGTH)
    varies = sum(each * (1 - each) for each in seats(strength)) / 2
    return Needed(power, games, 2 * math.ceil(games * varies / (share * (1 - share)) / 2))
