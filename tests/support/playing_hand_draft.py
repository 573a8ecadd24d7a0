"""Drives the kernels of the hand-draft game from Python, turn by turn, in the terms of its naive twin."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from salad_sim.game.engine import LEGAL, WHOLE_WIN, final_scores, share_win
from salad_sim.game.rules import CHOICES, OFFICIAL, Rules
from salad_sim.game.state import CAPACITY, MAX_PLAYERS
from salad_sim.hand_draft.engine import apply_move, deal, is_over, list_drafts
from salad_sim.hand_draft.moves import BLIND, N_SLOTS, NO_DRAFT, NO_LAY, THROW, draft_of, laid_in
from salad_sim.hand_draft.shard import shard_player, workspace_dtype
from salad_sim.hand_draft.state import DRAFT, NONE, hand_layout, set_up
from salad_sim.jit.records import new_record
from salad_sim.jit.rng import DEAL_STREAM, seed_stream
from salad_sim.strategy.registry import Strategy, load_strategy
from salad_sim.strategy.variants import HAND_DRAFT
from support.playing import CARDS, SEED, official_facts, stream
from support.reference.game import VEGETABLES, Draft, NaiveRules
from support.reference.hand_draft import NaiveHandDraft

PLAYERS = range(2, 6)

Turn = tuple[int, int]
"""A draft code and a card to lay, or NO_LAY."""


def rules_with(throw: bool, **more: Any) -> Rules:
    """Rules with the throw option on or off."""
    return Rules(throw="on" if throw else "off", **more)


def set_up_table(table: np.record, n_players: int, rules: Rules = OFFICIAL) -> None:
    """Write players, cards and rules into a table."""
    set_up(table, n_players, official_facts(rules), {name: rules.code(name) for name in CHOICES})


def draft_in_words(draft: int) -> Draft:
    """A draft code as the twin writes it."""
    if draft == BLIND:
        return ("blind",)
    if draft == NO_DRAFT:
        return ("none",)
    return ("face", draft) if draft < N_SLOTS else ("throw", draft - THROW)


class Table:
    """A table that kernels play on."""

    def __init__(self, n_players: int, rules: Rules = OFFICIAL, start: int = 0) -> None:
        self.n_players = n_players
        self.rules = rules
        self.start = start
        self.record = new_record(hand_layout().table)
        self.own = new_record(hand_layout().own)
        self.view = self.record.public
        set_up_table(self.record, n_players, rules)
        self.view.start = start

    def __getattr__(self, name: str) -> int:
        """Read a number of the view: turn, seat, phase, pile_size, n_cards and others."""
        return int(self.view[name])

    def deal(self, seed: int = SEED, number: int = 0) -> None:
        """Deal a game as a run with this seed would."""
        seed_stream(self.record.rng, seed, number, DEAL_STREAM)
        deal(self.record)

    def move(self, move: int) -> None:
        """Make a legal move: a draft or a lay."""
        apply_move(self.record, move)

    def play(self, turn: Turn) -> None:
        """Make a legal turn."""
        if self.phase == DRAFT:
            self.move(turn[0])
        self.move(turn[1])

    @property
    def over(self) -> bool:
        """Whether the game is."""
        return bool(is_over(self.view))

    def drafts(self) -> list[int]:
        """Legal draft codes."""
        list_drafts(self.view, self.own)
        return self.own.drafts[: self.own.n_drafts].tolist()  # type: ignore[no-any-return]

    def pile(self) -> list[int]:
        """Cards in the pile, the top last."""
        return self.record.deck[: self.pile_size].tolist()  # type: ignore[no-any-return]

    def hand(self, seat: int) -> list[int]:
        """Cards in the hand of a seat, wherever it is."""
        tableau = self.view.tableau[seat]
        held = tableau.held if seat == self.seat or self.over else self.record.hands[seat]
        return held[: tableau.n_held].tolist()  # type: ignore[no-any-return]

    def turns(self) -> list[Turn]:
        """The turns made so far."""
        return [(int(draft_of(turn)), int(laid_in(turn))) for turn in self.record.turns[: self.turn].tolist()]

    def laid(self, seat: int) -> list[int]:
        """Cards that a seat has laid, in order."""
        turns = self.turns()[(seat - self.start) % self.n_players :: self.n_players]
        return [card for _, card in turns if card != NO_LAY]

    def tables(self) -> list[dict[str, int]]:
        """Vegetables in front of each seat, as the twin has them."""
        counts = self.view.tableau["counts"][: self.n_players].tolist()
        return [dict(zip(VEGETABLES, row, strict=True)) for row in counts]

    def where(self) -> dict[int, str]:
        """The place of every card as the twin names it; a card found in two places fails."""
        found = [(card, "pile") for card in self.pile()]
        found += [(card, "thrown") for card in self.record.thrown[: self.n_thrown].tolist()]
        found += [(card, f"face {slot}") for slot, card in enumerate(self.view.face.tolist()) if card != NONE]
        for seat in range(self.n_players):
            found += [(card, f"hand {seat}") for card in self.hand(seat)]
            found += [(card, f"vegetables {seat}") for card in self.laid(seat)]
        assert len(dict(found)) == len(found) == self.n_cards
        return dict.fromkeys(range(len(CARDS)), "out") | dict(found)

    def state(self) -> dict[str, Any]:
        """What `NaiveHandDraft.state` returns."""
        return {
            "pile": self.pile(),
            "faceup": [None if card == NONE else card for card in self.view.face.tolist()],
            "hands": [sorted(self.hand(seat)) for seat in range(self.n_players)],
            "vegetables": self.tables(),
            "thrown": self.record.thrown[: self.n_thrown].tolist(),
            "seen": set(np.flatnonzero(self.view.place).tolist()),
            "where": self.where(),
            "turn": self.turn,
            "seat": self.seat,
            "turns_left": None if self.turns_left == NONE else self.turns_left,
            "over": self.over,
        }

    def twin(self) -> NaiveHandDraft:
        """The twin of a game that was just dealt."""
        faceup, hands = self.view.face.tolist(), [self.hand(seat) for seat in range(self.n_players)]
        in_game = {*self.pile(), *faceup, *(card for hand in hands for card in hand)}
        return NaiveHandDraft(
            CARDS,
            self.pile(),
            faceup,
            hands,
            [card for card in range(len(CARDS)) if card not in in_game],
            self.n_players,
            throw=self.rules.throw == "on",
            reshuffles=lambda _: self.pile(),  # the twin makes a turn after the kernels have made it
            rules=NaiveRules(zero=self.rules.zero, sets=self.rules.sets),
            start=self.start,
        )

    def scores(self) -> list[int]:
        """The total of each seat."""
        scores = np.zeros(MAX_PLAYERS, dtype=np.int64)
        final_scores(self.view, scores)
        return scores[: self.n_players].tolist()  # type: ignore[no-any-return]

    def shares(self) -> list[Fraction]:
        """Each seat's share of the win."""
        scores = np.array(self.scores() + [0] * (MAX_PLAYERS - self.n_players))
        wins = np.zeros(MAX_PLAYERS, dtype=np.int64)
        share_win(self.view, scores, self.view.rules.tie_break, wins)
        return [Fraction(int(win), WHOLE_WIN) for win in wins[: self.n_players]]


def play_beside_twin(
    table: Table, ask: Callable[[Table], int], number: int = 0, seed: int = SEED
) -> Iterator[NaiveHandDraft]:
    """Deal and play a game with ``ask`` for its moves; yield the twin, in the same state, before each turn."""
    table.deal(seed, number)
    twin = table.twin()
    while not table.over:
        assert table.state() == twin.state()
        yield twin
        draft = NO_DRAFT
        if table.phase == DRAFT:
            draft = ask(table)
            table.move(draft)
        lay = ask(table)
        table.move(lay)
        twin.play(draft_in_words(draft), None if lay == NO_LAY else lay)
    assert table.state() == twin.state()
    yield twin


@cache
def strategy_of(name: str) -> Strategy:
    """A strategy of this game, compiled."""
    found = load_strategy(name, HAND_DRAFT.name)
    found.ready()
    return found


class Player:
    """A strategy with one record and one stream of its own."""

    def __init__(self, name: str, seed: int = SEED) -> None:
        self.choose = strategy_of(name).choose
        self.own = new_record(hand_layout().own)
        self.own.params[: len(strategy_of(name).values)] = strategy_of(name).values
        self.rng = stream(seed)

    def __call__(self, table: Table) -> int:
        return int(self.choose(table.view, self.own, self.rng))


def play_run(
    line_up: Sequence[str], n_deals: int, rules: Rules = OFFICIAL, rotate: bool = False, first_deal: int = 0
) -> np.record:
    """Play a run as the runner does and return its workspace; equal names share a group."""
    n_players = len(line_up)
    work = new_record(workspace_dtype(CAPACITY))
    work.seed = SEED
    work.first_deal, work.n_deals, work.n_rotations = first_deal, n_deals, n_players if rotate else 1
    groups = list(dict.fromkeys(line_up))
    work.group[:n_players] = [groups.index(name) for name in line_up]
    for place, name in enumerate(line_up):
        work["own"]["params"][place, : len(strategy_of(name).values)] = strategy_of(name).values
    set_up_table(work.table, n_players, rules)
    choices = [strategy_of(name).choose for name in line_up]
    reason = shard_player(CAPACITY)(work, *choices, *choices[:1] * (MAX_PLAYERS - n_players))
    assert reason == LEGAL
    return work
