"""What a strategy of the hand-draft game sees: its own hand and all that is public, and nothing else."""

from __future__ import annotations

import random

import numpy as np
import pytest

from salad_sim.hand_draft.moves import BLIND, NO_DRAFT, NO_LAY, THROW
from salad_sim.hand_draft.state import DRAFT, FACE_UP, HIDDEN, LAY, NONE, RESHUFFLED, TAKEN, THROWN, hand_layout
from support.hand_draft_hidden import shuffle_hidden
from support.playing import CARDS, SEED, stream
from support.playing_hand_draft import PLAYERS, Player, Table, Turn, play_beside_twin, rules_with
from support.reference.game import VEGETABLES
from support.reference.hand_draft import NaiveHandDraft

BACK = [VEGETABLES.index(card["back"]) for card in CARDS]
STRATEGIES = ("random", "greedy", "planner")


class Mixed:
    """Now this strategy, now that one."""

    def __init__(self, number: int) -> None:
        self.chance = random.Random(number)
        self.players = [Player(name, number) for name in ("random", "random", "greedy")]

    def __call__(self, table: Table) -> int:
        if table.phase == DRAFT:
            self.player = self.chance.choice(self.players)
        return self.player(table)


def tables(n_players: int, n_games: int) -> list[tuple[int, Table]]:
    """Numbered tables with and without throwing away."""
    return [
        (number, Table(n_players, rules_with(number % 2 == 1), start=number % n_players)) for number in range(n_games)
    ]


# ------------------------------------------------------------------------------------ what the view tells


class Watcher:
    """Follows a game as all players see it, and knows what the public part must say."""

    def __init__(self) -> None:
        self.places: dict[int, int] = dict.fromkeys(range(108), HIDDEN)

    def see(self, twin: NaiveHandDraft, n_thrown: int) -> None:
        """Look at the table before a turn."""
        for card in twin.faceup:
            if card is not None:
                self.places[card] = FACE_UP
        if not n_thrown:
            for card, place in self.places.items():
                if place == THROWN:
                    self.places[card] = RESHUFFLED

    def watch(self, faceup: list[int | None], turn: Turn, seat: int) -> None:
        """Watch a turn being made from these face-up cards."""
        draft = turn[0]
        if draft < BLIND or THROW <= draft < NO_DRAFT:
            card = faceup[draft % (BLIND + 1)]
            assert card is not None
            self.places[card] = TAKEN + seat if draft < BLIND else THROWN


@pytest.mark.parametrize("n_players", PLAYERS)
def test_the_view_tells_what_all_players_know_and_the_own_hand(n_players: int) -> None:
    for number, table in tables(n_players, 4):
        watcher = Watcher()
        faceup: list[int | None] = []
        for twin in play_beside_twin(table, Mixed(number), number):
            if table.turn:
                watcher.watch(faceup, table.turns()[-1], (table.start + table.turn - 1) % n_players)
            watcher.see(twin, table.n_thrown)
            faceup = list(twin.faceup)
            check_view(table, twin, watcher)
    assert {RESHUFFLED, TAKEN} <= set(watcher.places.values())


def check_view(table: Table, twin: NaiveHandDraft, watcher: Watcher) -> None:
    """Compare everything that the view tells with what the twin knows."""
    view = table.view
    assert view.place.tolist() == list(watcher.places.values())
    assert view.face.tolist() == [NONE if card is None else card for card in twin.faceup]
    assert (view.n_face, view.pile_size) == (3 - twin.faceup.count(None), len(twin.pile))
    assert (view.n_thrown, view.turn, view.seat) == (len(twin.thrown), twin.turn, twin.seat)
    assert view.turns_left == (NONE if twin.turns_left is None else twin.turns_left)
    assert view.n_throws == len([draft for draft, _ in table.turns() if THROW <= draft < NO_DRAFT])
    assert view.bonus.tolist() == [0] * 6
    for seat in range(table.n_players):
        tableau = view.tableau[seat]
        assert tableau.n_held == len(twin.hands[seat]), "the size of a hand is public"
        assert tableau.n_flipped == len(twin.vegetable_cards[seat])
        backs = [BACK[card] for card in twin.vegetable_cards[seat]]
        assert tableau.counts.tolist() == [backs.count(veg) for veg in range(6)]
        shown = [card for card in tableau.held.tolist() if card != NONE]
        assert sorted(shown) == (sorted(twin.hands[seat]) if seat == twin.seat or twin.over else [])
        assert shown == tableau.held[: len(shown)].tolist()
    told = [(int(code) % 64, int(code) // 64 - 1) for code in view.history[: table.turn]]
    assert told == [(draft, NONE if card == NO_LAY else BACK[card]) for draft, card in table.turns()]


def test_in_the_second_half_of_a_turn_the_view_tells_what_was_drafted() -> None:
    table = Table(3, rules_with(True))
    table.deal()
    assert (table.phase, table.drafted) == (DRAFT, NONE)
    hand, pile = table.hand(0), table.pile()
    table.move(BLIND)
    assert (table.phase, table.drafted, table.seat, table.turn) == (LAY, BLIND, 0, 0)
    assert table.hand(0) == [*hand, pile[-1], pile[-2]]
    assert table.view.place[pile[-2:]].tolist() == [HIDDEN, HIDDEN]
    table.move(pile[-1])
    assert (table.phase, table.drafted, table.seat, table.turn) == (DRAFT, NONE, 1, 1)
    face = table.view.face.tolist()
    table.move(2)
    assert table.hand(1)[-1] == face[2]
    assert table.view.place[face[2]] == TAKEN + 1
    table.move(face[2])
    assert table.view.place[face[2]] == TAKEN + 1, "others see a vegetable laid, not which card it was"


def test_a_record_is_all_that_a_strategy_is_handed() -> None:
    """What is hidden lies outside of it: pile, hands, cards set aside, the cards laid, the stream of the deal."""
    fields = set(hand_layout().table.names or ()) - {"public"}
    assert {"deck", "hands", "aside", "turns", "pool", "rng", "thrown"} <= fields
    assert not fields & set(hand_layout().public.names or ())


# -------------------------------------------------------------------------------------------- nothing else


def other_cards(table: Table, observer: int, chance: random.Random) -> list[int]:
    """Return, for each card, the one that may lie in its place for all that a seat has seen: one of the same back.

    Cards stay that ever lay face up or were in the observer's hand.
    """
    known = set(np.flatnonzero(table.view.place != HIDDEN).tolist()) | set(table.hand(observer) + table.laid(observer))
    changed = list(range(108))
    for veg in range(6):
        unknown = [card for card in range(108) if card not in known and BACK[card] == veg]
        for card, other in zip(unknown, chance.sample(unknown, len(unknown)), strict=True):
            changed[card] = other
    return changed


def dealt_otherwise(table: Table, number: int, changed: list[int]) -> Table:
    """Deal the same game with other cards in the places, and make the same turns."""
    other = Table(table.n_players, table.rules, table.start)
    other.deal(number=number)
    to = np.array(changed, dtype=np.int16)
    for name in ("deck", "hands", "aside"):
        other.record[name] = to[other.record[name]]
    for seat in range(other.n_players):
        tableau = other.view.tableau[seat]
        held = tableau.held[: tableau.n_held]
        held[held != NONE] = to[held[held != NONE]]
    for draft, card in table.turns():
        other.play((draft, NO_LAY if card == NO_LAY else changed[card]))
    return other


@pytest.mark.parametrize("n_players", PLAYERS)
def test_what_is_hidden_leaves_no_trace_in_the_view(n_players: int) -> None:
    """The same game with other hidden cards, played turn by turn again: not a byte of the view differs."""
    n_compared = n_other = 0
    for number, table in tables(n_players, 4):
        chance = random.Random(number)
        for _ in play_beside_twin(table, Mixed(number), number):
            if table.over or (table.turn and chance.random() > 0.15):
                continue
            other = dealt_otherwise(table, number, other_cards(table, table.seat, chance))
            assert other.view.tobytes() == table.view.tobytes()
            n_compared += 1
            n_other += other.record.tobytes() != table.record.tobytes()
            for name in STRATEGIES:
                assert chosen(name, other) == chosen(name, table)
    assert n_compared > 25
    assert n_other > 0.8 * n_compared


def chosen(name: str, table: Table) -> tuple[int, bytes, bytes]:
    """What a strategy chooses, and what it leaves in its own record and stream."""
    player = Player(name)
    player.rng = stream(SEED, table.turn)
    return chosen_and_kept(player(table), player)


def chosen_and_kept(move: int, player: Player) -> tuple[int, bytes, bytes]:
    """A choice, and what it left in the own record and stream."""
    return move, player.own.tobytes(), player.rng.tobytes()


def copy_of(record: np.record) -> np.record:
    """A copy of every byte; numpy's own leaves out those between the fields."""
    return np.frombuffer(bytearray(record.tobytes()), dtype=record.dtype)[0]  # type: ignore[no-any-return]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("n_players", PLAYERS)
def test_hidden_cards_that_change_places_change_no_choice(n_players: int, strategy: str) -> None:
    """At every move of whole games; what the seat knows stays, and most of the rest is another card."""
    n_moved, n_hidden = 0, 0
    for number, table in tables(n_players, 2):
        table.deal(number=number)
        player = Player(strategy, number)
        scrambler = stream(SEED, number, 9)
        while not table.over:
            record, view, pile = table.record.tobytes(), table.view.tobytes(), table.pile()
            own, rng = copy_of(player.own), copy_of(player.rng)
            move = player(table)
            kept = chosen_and_kept(move, player)
            assert table.record.tobytes() == record, "it wrote to the table"
            shuffle_hidden(table.record, scrambler)
            assert table.view.tobytes() == view
            n_hidden += len(pile)
            n_moved += len([card for card, other in zip(pile, table.pile(), strict=True) if card != other])
            player.own, player.rng = own, rng
            assert chosen_and_kept(player(table), player) == kept
            table.move(move)  # the game goes on with the other cards
            assert len(table.where()) == 108
    assert n_moved > 0.8 * n_hidden


def test_the_scrambler_moves_what_is_hidden_and_nothing_else() -> None:
    moved: dict[str, int] = {}
    for number, table in tables(5, 6):
        table.deal(number=number)
        mover = Mixed(number)
        while not table.over and table.turn < 40 + 10 * number:
            table.move(mover(table))
        before, hands, out = table.where(), [table.hand(seat) for seat in range(5)], outside(table)
        shuffle_hidden(table.record, stream(SEED, number))
        after = table.where()
        for card in range(108):
            if before[card] != after[card]:
                moved[before[card].split()[0]] = moved.get(before[card].split()[0], 0) + 1
                assert table.view.place[card] in (HIDDEN, RESHUFFLED)
        assert table.hand(table.seat) == hands[table.seat]
        assert sorted(BACK[card] for card in out) == sorted(BACK[card] for card in outside(table))
    assert {"pile", "hand"} <= set(moved) <= {"pile", "hand", "out"}
    assert moved["out"] > 0


def outside(table: Table) -> list[int]:
    """The cards that are out of the game."""
    return [card for card, place in table.where().items() if place == "out"]
