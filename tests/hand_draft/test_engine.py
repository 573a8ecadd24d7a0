"""The hand-draft kernels play the same games as the naive twin: state after every turn, legal moves, scores, shares."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from salad_sim.errors import InputError
from salad_sim.game.cards import facts, official_set
from salad_sim.game.engine import LEGAL
from salad_sim.game.rules import CHOICES, OFFICIAL, Rules
from salad_sim.hand_draft.engine import (
    NO_MORE_THROWS,
    NO_SUCH_CARD,
    NO_SUCH_DRAFT,
    NO_THROWING,
    NOT_IN_HAND,
    PILE_EMPTY,
    SLOT_EMPTY,
    WHY_ILLEGAL,
    why_illegal,
)
from salad_sim.hand_draft.moves import BLIND, NO_DRAFT, NO_LAY, THROW
from salad_sim.hand_draft.notation import move_in_words
from salad_sim.hand_draft.state import DRAFT, LAY, NONE, hand_layout, set_up
from salad_sim.jit.records import new_record
from support.playing import CARDS, SEED, fits, official_facts
from support.playing_hand_draft import (
    PLAYERS,
    Player,
    Table,
    draft_in_words,
    play_beside_twin,
    play_run,
    rules_with,
    set_up_table,
)
from support.reference.game import VEGETABLES

BACK = [card["back"] for card in CARDS]


class Arbitrary:
    """Legal moves of every kind; some drafts are liked better, and laying more or less, to reach odd tables."""

    def __init__(self, seed: object) -> None:
        self.chance = random.Random(f"{seed}")
        self.liked = [self.chance.expovariate(1.0) ** 2 + 0.01 for _ in range(NO_DRAFT)]
        self.lays = self.chance.choice([0.1, 0.7, 1.0])

    def __call__(self, table: Table) -> int:
        if table.phase == DRAFT:
            drafts = table.drafts()
            return self.chance.choices(drafts, [self.liked[draft] for draft in drafts])[0]
        hand = table.hand(table.seat)
        return self.chance.choice(hand) if hand and self.chance.random() < self.lays else NO_LAY


def movers(number: int) -> Callable[[Table], int]:
    """Somebody who makes legal moves."""
    if number % 2:
        return Arbitrary(number)
    return Player("greedy" if number % 4 else "random", number)


# ----------------------------------------------------------------------------------------- whole games


@pytest.mark.parametrize("throw", [False, True])
@pytest.mark.parametrize("n_players", PLAYERS)
def test_whole_games(n_players: int, throw: bool) -> None:
    drafts: Counter[str] = Counter()
    n_reshuffles = n_ties = 0
    for number in range(8):
        zero, sets = CHOICES["zero"][number % 3], CHOICES["sets"][number % 2]
        table = Table(n_players, rules_with(throw, zero=zero, sets=sets), start=number % n_players)
        for twin in play_beside_twin(table, movers(number), number):
            check_legal_drafts(table, twin.legal_drafts())
            n_reshuffles += bool(twin.thrown and not table.n_thrown)
        assert table.over and table.drafts() == []
        assert table.scores() == twin.scores()
        assert table.shares() == twin.shares()
        n_ties += len([share for share in twin.shares() if share]) > 1
        check_account(table)
        drafts.update(draft_in_words(draft)[0] for draft, _ in table.turns())
    assert min(drafts["face"], drafts["blind"]) > 100
    assert (drafts["throw"] > 100) == throw
    assert (drafts["none"] > 0) == (n_players > 3)


def check_legal_drafts(table: Table, allowed: list[tuple[object, ...]]) -> None:
    """Compare the list, and the verdict on every code, with what the twin allows."""
    drafts = table.drafts()
    assert [draft_in_words(draft) for draft in drafts] == [draft for draft in allowed if draft != ("none",)]
    assert (table.phase == LAY) == (allowed == [("none",)]) or table.over
    if table.phase == DRAFT and not table.over:
        legal = [draft for draft in range(-3, 12) if why_illegal(table.view, draft) == LEGAL]
        assert legal == drafts


def check_account(table: Table) -> None:
    """All cards in the game lie in hands, in front of the players, or were left over face up."""
    n_in_hands = int(table.view.tableau["n_held"].sum())
    n_laid = int(table.view.tableau["n_flipped"].sum())
    assert (table.pile_size, table.n_thrown) == (0, 0)
    assert n_in_hands + n_laid + table.n_face == table.n_cards
    assert n_laid == int(table.view.tableau["counts"].sum())
    assert table.n_cards == (108 if table.n_players < 4 else 90 + 3 * table.n_players)
    assert table.view.history[: table.turn].tolist() == [
        draft + 64 * (0 if card == NO_LAY else 1 + VEGETABLES.index(BACK[card])) for draft, card in table.turns()
    ]


def test_what_may_be_laid() -> None:
    """Nothing, and each card in hand, those just drafted blind too; nothing else."""
    n_blind = 0
    for number in range(4):
        table = Table(2 + number)
        mover = Arbitrary(number)
        table.deal(number=number)
        while not table.over:
            before = set(table.hand(table.seat))
            if table.phase == DRAFT:
                draft = mover(table)
                table.move(draft)
                new = set(table.hand(table.seat)) - before
                assert len(new) == (2 if draft == BLIND and table.pile_size else len(new))
                n_blind += len(new) == 2
            reasons = [int(why_illegal(table.view, card)) for card in range(-3, 110)]
            legal = {card for card, reason in zip(range(-3, 110), reasons, strict=True) if reason == LEGAL}
            assert legal == {NO_LAY, *table.hand(table.seat)}
            assert {reasons[0], reasons[1], reasons[-1], reasons[-2]} == {NO_SUCH_CARD}
            assert set(reasons) == {LEGAL, NO_SUCH_CARD, NOT_IN_HAND}
            table.move(mover(table))
    assert n_blind > 10


@pytest.mark.parametrize("strategy", ["random", "greedy", "planner"])
@pytest.mark.parametrize("throw", [False, True])
def test_a_shard_plays_the_games_that_its_moves_tell(strategy: str, throw: bool) -> None:
    """The last game of a shard, made again on the twin; and its part in the tally, which counts that game only."""
    for n_players in PLAYERS:
        rules = rules_with(throw)
        work = play_run([strategy] * (n_players - 1) + ["random"], 1, rules, first_deal=7)
        view, tally = work.table.public, work.tally
        made = [int(code) for code in work.table.turns[: view.turn]]
        table = Table(n_players, rules)
        table.deal(SEED, 7)
        twin = table.twin()
        for code in made:
            draft, lay = code % 64, code // 64 - 1
            table.play((draft, lay))
            twin.play(draft_in_words(draft), None if lay == NO_LAY else lay)
            assert table.state() == twin.state()
        assert twin.over
        assert work.scores[:n_players].tolist() == twin.scores()
        assert [Fraction(int(win), 60) for win in work.wins[:n_players]] == twin.shares()
        assert (tally.games, tally.deals, tally.turns) == (1, 1, twin.turn)
        assert tally.score.sum(axis=0)[:n_players].tolist() == twin.scores()
        assert tally.kept.sum(axis=0)[:n_players].tolist() == [len(hand) for hand in twin.hands]
        assert tally.flipped.sum(axis=0)[:n_players].tolist() == [len(laid) for laid in twin.vegetable_cards]
        assert tally.seat_turns.sum() == twin.turn
        assert view.tobytes() == table.view.tobytes()


def test_shards_add_up_and_rotations_share_the_deal() -> None:
    whole = play_run(["greedy", "random", "random"], 12, rotate=True)
    parts = [play_run(["greedy", "random", "random"], 4, rotate=True, first_deal=first) for first in (0, 4, 8)]
    for name in whole.tally.dtype.names:
        assert (whole.tally[name] == sum(part.tally[name] for part in parts)).all(), name
    assert whole.tally.games == 36
    assert whole.tally.seat_games[0, :3].tolist() == [12, 12, 12]
    assert whole.tally.seat_games[1, :3].tolist() == [24, 24, 24]


def test_an_illegal_move_stops_the_shard() -> None:
    table = Table(2)
    table.deal()
    assert move_in_words(table.view, official_set(), BLIND) == "take the top 2 cards of the pile unseen"
    face = int(table.view.face[1])
    for move, reason in ((THROW, NO_THROWING), (NO_DRAFT, NO_SUCH_DRAFT), (-1, NO_SUCH_DRAFT)):
        assert why_illegal(table.view, move) == reason
    said = move_in_words(table.view, official_set(), 1)
    assert said.startswith('take "') and said.endswith(f"(card {face}) from slot 2")
    table.move(1)
    said = move_in_words(table.view, official_set(), face)
    assert said.startswith('lay "') and said.endswith(f"(card {face}) as its {BACK[face]}")
    assert move_in_words(table.view, official_set(), NO_LAY) == "lay nothing"
    assert move_in_words(table.view, official_set(), 500) == "lay card 500"
    while table.pile_size:
        table.play((BLIND, NO_LAY))
    if table.phase == LAY:
        table.move(NO_LAY)
    table.move(0)
    table.move(NO_LAY)
    assert why_illegal(table.view, 0) == SLOT_EMPTY
    assert why_illegal(table.view, BLIND) == PILE_EMPTY
    assert {LEGAL, *WHY_ILLEGAL} == set(range(9))


# ------------------------------------------------------------------------------------------ the throw limit


def test_a_game_of_players_who_only_throw_comes_to_an_end() -> None:
    for n_players in PLAYERS:
        table = Table(n_players, rules_with(True))
        table.deal()
        n_turns = 0
        while not table.over:
            drafts = table.drafts() if table.phase == DRAFT else [NO_DRAFT]
            table.play((drafts[-1] if drafts[-1] != BLIND else drafts[0], NO_LAY))
            n_turns += 1
        assert table.n_throws == 4 * table.n_cards
        assert n_turns == table.turn <= len(table.view.history)
        assert n_turns > table.n_throws + 80, "afterwards cards were drafted, one by one"


def test_throwing_is_refused_once_too_many_were_thrown() -> None:
    table = Table(3, rules_with(True))
    table.deal()
    while THROW in table.drafts():
        assert why_illegal(table.view, THROW + 1) == LEGAL
        table.play((THROW, NO_LAY))
    assert table.n_throws == 432
    assert why_illegal(table.view, THROW) == NO_MORE_THROWS
    assert table.drafts() == [0, 1, 2, BLIND]
    work_words = WHY_ILLEGAL[NO_MORE_THROWS]
    assert "no more cards may be thrown away" in work_words


@pytest.mark.parametrize("n_players", PLAYERS)
def test_random_players_come_nowhere_near_the_limit(n_players: int) -> None:
    work = play_run(["random"] * n_players, 500, rules_with(True))
    assert work.tally.turns / work.tally.games < 160
    assert int(work.table.public.n_throws) < 108


# ---------------------------------------------------------------------------------------------- the deal


@pytest.mark.parametrize("n_players", PLAYERS)
def test_the_deal(n_players: int) -> None:
    for number in range(200):
        table = Table(n_players)
        table.deal(number=number)
        hands = [table.hand(seat) for seat in range(n_players)]
        in_hands = [card for hand in hands for card in hand]
        assert [len(hand) for hand in hands] == [3] * n_players
        assert (table.pile_size, table.n_face) == (105 - 3 * n_players if n_players < 4 else 87, 3)
        where = table.where()
        out = [card for card, place in where.items() if place == "out"]
        backs = Counter(BACK[card] for card in in_hands + out)
        if n_players > 3:
            assert backs == dict.fromkeys(VEGETABLES, 3)
        else:
            assert out == [] and max(backs.values()) <= 3
        assert table.tables() == [dict.fromkeys(VEGETABLES, 0)] * n_players
        assert (table.turn, table.seat, table.turns_left, table.phase) == (0, 0, NONE, DRAFT)


def test_every_card_is_equally_likely_everywhere() -> None:
    for n_players in (2, 5):
        table = Table(n_players)
        counts = {place: np.zeros(108, dtype=int) for place in ("first hand", "last hand", "face", "top", "bottom")}
        for number in range(2500):
            table.deal(number=number)
            counts["first hand"][table.hand(0)] += 1
            counts["last hand"][table.hand(n_players - 1)] += 1
            counts["face"][table.view.face] += 1
            counts["top"][table.pile()[-3:]] += 1
            counts["bottom"][table.pile()[:3]] += 1
        for place, observed in counts.items():
            assert observed.sum() == 7500
            assert fits(observed), place


def test_what_remains_of_the_cards_set_aside_is_shuffled_into_the_pile() -> None:
    """With two players 12 of the 18 return; with the 3 of each vegetable known, the face-up cards are from the 90."""
    table = Table(2)
    n_on_top = 0
    for number in range(400):
        table.deal(number=number)
        backs = Counter(BACK[card] for card in [*table.hand(0), *table.hand(1), *table.pile()[-12:]])
        n_on_top += backs == dict.fromkeys(VEGETABLES, 3)
    assert n_on_top < 20


# --------------------------------------------------------------------------------------- set up and rules


def test_equal_totals_share_whatever_the_rules_say() -> None:
    for tie_break in CHOICES["tie_break"]:
        table = Table(3, Rules(tie_break=tie_break))
        table.deal()
        while not table.over:
            table.play((table.drafts()[0] if table.phase == DRAFT else NO_DRAFT, NO_LAY))
        table.view.tableau["n_held"] = 0  # nobody holds anything: all have nothing
        assert table.shares() == [Fraction(1, 3)] * 3


def test_bad_numbers_are_refused() -> None:
    record, codes = new_record(hand_layout().table), {name: OFFICIAL.code(name) for name in CHOICES}
    for n_players in (1, 6):
        with pytest.raises(InputError, match=f"takes 2 to 5 players, not {n_players}"):
            set_up_table(record, n_players)
    with pytest.raises(InputError, match=r"\[19, 3, 3, 3, 3, 3\] cards are to be set aside .*there are \[18, "):
        set_up(record, 2, official_facts(), codes, [19, 3, 3, 3, 3, 3])
    with pytest.raises(InputError, match="4 hands of 3 cards cannot be dealt from 6"):
        set_up(record, 4, official_facts(), codes, [1] * 6)
    with pytest.raises(InputError, match="20 cards, 18 of them set aside, are too few"):
        chosen = [card for card in official_set() if card.card_id % 18 < 3 or card.card_id in (3, 4)]
        set_up(record, 2, facts(chosen), codes)


@pytest.mark.parametrize("capacity", [108, 109, 110, 150, 215])
def test_records_of_any_capacity_lie_aligned(capacity: int) -> None:
    for dtype in (hand_layout(capacity).table, hand_layout(capacity).own):
        check_alignment(dtype)


def check_alignment(dtype: np.dtype[np.record], start: int = 0) -> None:
    """See that each number of a record, however deep, stands at a multiple of its size."""
    for name in dtype.names or ():
        base, offset = dtype[name].base, start + int(dtype.fields[name][1])  # type: ignore[index]
        if base.names:
            check_alignment(base, offset)
        else:
            assert offset % base.itemsize == 0, name
