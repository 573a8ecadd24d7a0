"""Drives the kernels from Python, turn by turn, in the terms of the naive twin; and what tests of chance share."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from hypothesis import settings
from hypothesis import strategies as st
from scipy import stats

from salad_sim.game.cards import Card, facts
from salad_sim.game.engine import WHOLE_WIN, apply_move, deal, final_scores, lay_out, set_up, share_win
from salad_sim.game.moves import NO_FLIP, draft_of, flip_of, make_move, pair_draft
from salad_sim.game.rules import CHOICES, OFFICIAL, Rules
from salad_sim.game.state import CAPACITY, MARKET, MAX_PLAYERS, N_VEGETABLES, POINTS, TOP, VEGETABLE, layout
from salad_sim.jit.blocks import distance
from salad_sim.jit.records import new_record
from salad_sim.jit.rng import DEAL_STREAM, RNG, seed_stream
from salad_sim.strategy.memory import memory_dtype
from salad_sim.strategy.registry import load_strategy
from support.reference.game import VEGETABLES, Draft, NaiveGame, NaiveRules, load_cards

CARDS = load_cards()
"""The 108 cards as the twin knows them."""

SWITCHES = tuple(field.name for field in fields(NaiveRules))
"""The rules of a single round, which the twin knows."""

PLAYERS = range(2, MAX_PLAYERS + 1)
PILES = range(3)
OFFICIAL_MOST = 18
"""Cards of one vegetable."""

SEED = 20240607
"""The seed of every test of chance, unless it says another."""

ERROR_RATE = 1e-5
"""How often one test of chance would fail over all seeds, if what it tests is right. There are about a hundred."""

STEADY = settings(derandomize=True, database=None, deadline=None)
"""Hypothesis with the same examples on every run."""

Mover = Callable[["Table", NaiveGame], int]
"""Chooses the next move; the twin is there to ask what is legal."""


class ChanceIsAsked(Exception):  # noqa: N818 (an event, no error)
    """The twin wants to know which of equal piles gives."""


@cache
def official_facts(rules: Rules = OFFICIAL) -> np.record:
    """The facts record of the 108 cards, made once for each set of rules; it is copied into tables, never changed."""
    return facts(rules=rules)


class Table:
    """A table that kernels play on, with its arrays at hand, as they are read often."""

    def __init__(
        self,
        n_players: int,
        rules: Rules = OFFICIAL,
        start: int = 0,
        drawn: Sequence[int] | None = None,
    ) -> None:
        self.n_players = n_players
        self.rules = rules
        self.start = start
        self.record = new_record(layout().table)
        self.view = self.record.public
        codes = {name: rules.code(name) for name in CHOICES}
        in_deck = [3 * n_players] * N_VEGETABLES if drawn is None else list(drawn)
        set_up(self.record, n_players, official_facts(rules), codes, in_deck)
        self.view.start = start
        self.deck, self.low, self.high = self.record["deck"], self.record["low"], self.record["high"]
        self.place, self.market_card = self.view["place"], self.view["market_card"]
        tableau = self.view["tableau"]
        self.counts, self.n_held, self.held = tableau["counts"], tableau["n_held"], tableau["held"]

    def __getattr__(self, name: str) -> int:
        """Read a number of the view: turn, seat, n_left, n_market, n_cards."""
        return int(self.view[name])

    def deal(self, seed: int, number: int = 0) -> None:
        """Deal a game as a run with this seed would."""
        seed_stream(self.record.rng, seed, number, DEAL_STREAM)
        deal(self.record)

    def lay_out(self, piles: Sequence[Sequence[int]]) -> None:
        """Start a game with piles of equal size, the last card of each its top."""
        cards = list(chain(*piles))
        self.deck[: len(cards)] = cards
        lay_out(self.record, len(cards))

    def move(self, move: int) -> None:
        """Make a legal move."""
        apply_move(self.record, move)

    def piles(self) -> list[list[int]]:
        """Cards in each pile, the top last."""
        return [self.deck[low:high].tolist() for low, high in zip(self.low, self.high, strict=True)]

    def dealt_piles(self) -> list[list[int]]:
        """The piles as they were before the market was laid out: cards never move inside the deck."""
        n_cards = self.n_cards
        return [self.deck[pile * n_cards // 3 : (pile + 1) * n_cards // 3].tolist() for pile in PILES]

    def hand(self, seat: int) -> list[int]:
        """Point cards in front of a seat, in the order in which the record has them."""
        return self.held[seat, : self.n_held[seat]].tolist()  # type: ignore[no-any-return]

    def tables(self) -> list[dict[str, int]]:
        """Vegetables of each seat, as the twin has them."""
        return [dict(zip(VEGETABLES, row, strict=True)) for row in self.counts[: self.n_players].tolist()]

    def where(self) -> dict[int, str]:
        """The place of every card as the twin names it: what the view says of it, and the deck where that is hidden."""
        pile_of = {card: pile for pile, cards in enumerate(self.piles()) for card in cards}
        market = self.market_card.tolist()
        where = {}
        for card, place in enumerate(self.place[: len(CARDS)].tolist()):
            if place >= VEGETABLE:
                where[card] = f"vegetables {place - VEGETABLE}"
            elif place >= POINTS:
                where[card] = f"hand {place - POINTS}"
            elif place == MARKET:
                where[card] = f"market {market.index(card)}"
            elif place == TOP:
                where[card] = f"pile {pile_of[card]}"
            else:
                where[card] = f"pile {pile_of[card]}" if card in pile_of else "out"
        return where

    def state(self) -> dict[str, Any]:
        """What `NaiveGame.state` returns."""
        return {
            "piles": self.piles(),
            "market": [None if card < 0 else card for card in self.market_card.tolist()],
            "hands": [sorted(self.hand(seat)) for seat in range(self.n_players)],
            "vegetables": self.tables(),
            "seen": set(np.flatnonzero(self.place).tolist()),
            "where": self.where(),
            "turn": self.turn,
            "seat": self.seat,
            "over": self.n_left == 0,
        }

    def naive_rules(self) -> NaiveRules:
        """The rules as the twin knows them."""
        return NaiveRules(**{name: getattr(self.rules, name) for name in SWITCHES})

    def twin(self) -> NaiveGame:
        """The twin of a game that was just dealt."""
        piles, rules = self.dealt_piles(), self.naive_rules()

        def begin(choices: Iterator[int]) -> NaiveGame:
            return NaiveGame(CARDS, piles, self.n_players, rules, self.start, split_choices=choices)

        return self.alike(outcomes(begin))

    def twin_after(self, twin: NaiveGame, move: int) -> NaiveGame:
        """The twin after the move that was just made here; it must be in the same state."""
        flip = flip_of(move)

        def play(choices: Iterator[int]) -> NaiveGame:
            game = copy_of(twin)
            game.split_choices = choices
            game.play(draft_in_words(draft_of(move)), None if flip == NO_FLIP else flip)
            return game

        return self.alike(outcomes(play))

    def alike(self, twins: Iterator[NaiveGame]) -> NaiveGame:
        """The one twin, of all that chance may lead to, that is in the same state as the table."""
        state = self.state()
        for twin in twins:
            reached = twin.state()
            if reached == state:
                return twin
        assert reached == state, f"under {self.rules}"  # shows the last difference
        raise AssertionError

    def scores(self) -> list[int]:
        """The total of each seat."""
        scores = np.zeros(MAX_PLAYERS, dtype=np.int64)
        final_scores(self.view, scores)
        return scores[: self.n_players].tolist()  # type: ignore[no-any-return]

    def shares(self, tie_break: str) -> tuple[list[Fraction], int]:
        """Each seat's share of the win, and how many have the top total."""
        scores = np.array(self.scores() + [0] * (MAX_PLAYERS - self.n_players))
        wins = np.zeros(MAX_PLAYERS, dtype=np.int64)
        n_top = share_win(self.view, scores, CHOICES["tie_break"].index(tie_break), wins)
        return [Fraction(int(win), WHOLE_WIN) for win in wins[: self.n_players]], int(n_top)


def outcomes(play: Callable[[Iterator[int]], NaiveGame]) -> Iterator[NaiveGame]:
    """Every game that ``play`` can lead to, by what chance gives when it is asked for one of equal piles."""

    def asked() -> Iterator[int]:
        raise ChanceIsAsked
        yield

    scripts: list[list[int]] = [[]]
    while scripts:
        script = scripts.pop()
        try:
            yield play(chain(script, asked()))
        except ChanceIsAsked:
            scripts += [[*script, choice] for choice in PILES]
        except ValueError as error:
            if "split choice" not in str(error):  # 2 when only two piles are equal
                raise


def copy_of(twin: NaiveGame) -> NaiveGame:
    """A game of its own in the same state."""
    game = copy(twin)
    game.piles = [list(pile) for pile in twin.piles]
    game.market = list(twin.market)
    game.hands = [list(hand) for hand in twin.hands]
    game.vegetable_cards = [list(own) for own in twin.vegetable_cards]
    game.seen = set(twin.seen)
    game.last_turn_of = dict(twin.last_turn_of)
    return game


def draft_in_words(draft: int) -> Draft:
    """A draft code as the twin writes it, whether it makes sense or not."""
    if draft < 8:
        return ("pile", draft)
    slot, other = divmod(draft - 8, 8)
    return ("market", (slot,) if slot == other else (slot, other))


def draft_code(draft: Draft) -> int:
    """The code of a draft as the twin writes it."""
    return int(draft[1]) if draft[0] == "pile" else int(pair_draft(draft[1][0], draft[1][-1]))


def stream(seed: int, number: int = 0, purpose: int = 1) -> np.record:
    """A random stream."""
    rng = new_record(RNG)
    seed_stream(rng, seed, number, purpose)
    return rng


class Player:
    """A strategy kernel with one record and one stream of its own."""

    def __init__(self, name: str, seed: int = SEED) -> None:
        found = load_strategy(name)
        self.choose = found.ready()
        self.own = new_record(layout().own)
        self.own.params[: len(found.values)] = found.values
        dtype = memory_dtype(found.memory, CAPACITY)
        if dtype is not None:
            self.memory = new_record(dtype)
            self.own.memory_at = distance(self.own, self.memory)
            self.own.memory_size = dtype.itemsize
        self.rng = stream(seed)

    def __call__(self, table: Table, twin: NaiveGame | None = None) -> int:
        return int(self.choose(table.view, self.own, self.rng))


class Arbitrary:
    """Legal moves of every kind, drafts from some piles or slots more often than from others to reach odd tables."""

    def __init__(self, seed: object) -> None:
        self.chance = random.Random(f"{seed}")
        self.weights: dict[Draft, float] = {}
        self.pile_weight = self.chance.choice([0.1, 1.0, 5.0, 100.0])
        self.flips = self.chance.choice([0.0, 0.2, 1.0])

    def __call__(self, table: Table, twin: NaiveGame) -> int:
        drafts = twin.legal_drafts()
        weights = []
        for draft in drafts:
            liked = self.weights.setdefault(draft, self.chance.expovariate(1.0) ** 2 + 1e-9)
            weights.append(liked * (self.pile_weight if draft[0] == "pile" else 1.0))
        (draft,) = self.chance.choices(drafts, weights)
        own = twin.hands[twin.seat] + ([twin.piles[draft[1]][-1]] if draft[0] == "pile" else [])
        may_flip = own and twin.rules.flip == "after" and self.chance.random() < self.flips
        return make_move(draft_code(draft), self.chance.choice(own) if may_flip else NO_FLIP)  # type: ignore[no-any-return]


class Position(NamedTuple):
    """A table in mid-game and its twin."""

    table: Table
    twin: NaiveGame


def play_beside_twin(table: Table, seed: int, ask: Mover, number: int = 0) -> Iterator[Position]:
    """Deal and play a game on the table; yield it before each turn and at the end, the twin in the same state."""
    table.deal(seed, number)
    twin = table.twin()
    while not twin.over:
        yield Position(table, twin)
        move = ask(table, twin)
        table.move(move)
        twin = table.twin_after(twin, move)
    yield Position(table, twin)


def any_rules(chance: random.Random) -> Rules:
    """Rules at random."""
    return Rules.from_dict({name: chance.choice(CHOICES[name]) for name in SWITCHES})


def fits(observed: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> bool:
    """Whether counts agree with probabilities in proportion to ``weights``, by default all equal.

    Pearson's chi-square test; it says no with probability ERROR_RATE when they do.
    """
    counts = np.asarray(observed, dtype=float)
    shares = np.ones_like(counts) if weights is None else np.asarray(weights, dtype=float)
    expected = counts.sum() * shares / shares.sum()
    assert expected.min() >= 5, "too few for a chi-square test"
    return float(stats.chisquare(counts, expected).pvalue) > ERROR_RATE


# ------------------------------------------------------------------------------- cards of other kinds


@dataclass(frozen=True)
class CustomCard:
    """A card of one or several terms, of which each has the form of a card; their values add."""

    terms: tuple[Card, ...]

    def naive(self) -> dict[str, Any]:
        """The card as the twin knows it."""
        terms = [
            {
                "kind": term.kind,
                "weights": {name: weight for name, weight in zip(VEGETABLES, term.weights, strict=True) if weight},
                "points": term.points,
                "even": term.even_points,
                "odd": term.odd_points,
            }
            for term in self.terms
        ]
        return {"id": self.terms[0].card_id, "back": VEGETABLES[self.terms[0].back], "terms": terms}


def facts_of(cards: Sequence[CustomCard], rules: Rules = OFFICIAL) -> np.record:
    """The facts record of custom cards."""
    return facts([replace(card.terms[0], more=card.terms[1:]) for card in cards], rules)


def _term(kind: str, weights: st.SearchStrategy[list[int]]) -> st.SearchStrategy[Card]:
    """Cards of a kind with any points."""
    points = st.integers(-12, 12)
    evens = points if kind == "even_odd" else st.just(0)
    own = st.just(0) if kind in ("even_odd", "per_veg") else points
    backs, all_weights = st.integers(0, N_VEGETABLES - 1), weights.map(tuple)
    return st.builds(Card, st.just(0), backs, st.just(kind), st.just(""), all_weights, own, evens, evens)


def _at_one(low: int, high: int) -> st.SearchStrategy[list[int]]:
    """Weights of which one is ``low`` to ``high``, the others zero."""
    place = st.tuples(st.integers(0, N_VEGETABLES - 1), st.integers(low, high))
    return place.map(lambda chosen: [chosen[1] * (veg == chosen[0]) for veg in range(N_VEGETABLES)])


def custom_terms() -> st.SearchStrategy[Card]:
    """Terms of every kind with numbers that no card of the game has: large sets, negative points, any weights."""
    several = st.lists(st.integers(0, 3), min_size=N_VEGETABLES, max_size=N_VEGETABLES).filter(any)
    single = st.lists(st.integers(0, 1), min_size=N_VEGETABLES, max_size=N_VEGETABLES).filter(any)
    weights = st.lists(st.integers(-5, 5), min_size=N_VEGETABLES, max_size=N_VEGETABLES).filter(any)
    none = st.just([0] * N_VEGETABLES)
    alone = ("type_at_least_2", "type_at_least_3", "missing_type", "most_total", "fewest_total")
    return st.one_of(
        _term("per_veg", weights),
        *(_term(kind, a_set) for kind in ("combo2", "combo3", "complete_set") for a_set in (single, several)),
        *(_term(kind, _at_one(1, 4)) for kind in ("pair", "triple")),
        *(_term(kind, _at_one(1, 1)) for kind in ("most", "fewest", "even_odd")),
        *(_term(kind, none) for kind in alone),
    )


def custom_cards(most: int = 12) -> st.SearchStrategy[list[CustomCard]]:
    """Lists of custom cards of one to three terms."""
    terms = st.lists(custom_terms(), min_size=1, max_size=3)
    lists = st.lists(terms, min_size=1, max_size=most)
    return lists.map(
        lambda cards: [
            CustomCard(tuple(replace(term, card_id=number) for term in card)) for number, card in enumerate(cards)
        ]
    )
