"""The baselines choose as DESIGN defines them: which moves, and each of them how often."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from salad_sim.game.moves import NO_FLIP, make_move
from salad_sim.game.rules import OFFICIAL, Rules
from support.playing import PLAYERS, SEED, Player, Table, draft_code, play_beside_twin
from support.positions import Chances, check_chances, positions
from support.reference.game import Draft, NaiveGame, card_value

RULE_MIXES = {
    "official": OFFICIAL,
    "up to two": Rules(vegetables="up-to-two", zero="even", sets="complete-once", split="draw"),
    "never": Rules(flip="never", zero="odd"),
    "once": Rules(sets="once", split="down"),
    "up to two, never": Rules(vegetables="up-to-two", flip="never"),
}


def uniform(drafts: list[Draft], flips: Callable[[Draft], list[int | None]]) -> Chances:
    """Each draft equally likely, then each flip of it."""
    chances: Chances = {}
    for draft in drafts:
        for flip in flips(draft):
            move = make_move(draft_code(draft), NO_FLIP if flip is None else flip)
            chances[move] = Fraction(1, len(drafts) * len(flips(draft)))
    return chances


def own_cards(twin: NaiveGame, draft: Draft) -> list[int]:
    """Point cards of the seat to move after the draft."""
    return twin.hands[twin.seat] + ([twin.piles[draft[1]][-1]] if draft[0] == "pile" else [])


def naive_random(twin: NaiveGame) -> Chances:
    """Uniform over the legal drafts; then uniform over no flip and each own point card."""

    def flips(draft: Draft) -> list[int | None]:
        return [None, *own_cards(twin, draft)] if twin.rules.flip == "after" else [None]

    return uniform(twin.legal_drafts(), flips)


class NaiveGreedy:
    """The baseline `greedy`, straight from its definition: score the seat after every draft and after every flip."""

    def __init__(self, twin: NaiveGame) -> None:
        self.twin = twin
        self.tables = twin.tables()
        self.known: dict[tuple[object, ...], int] = {}

    def score(self, draft: Draft, flip: int | None) -> int:
        """The own score right after the draft and a flip, before anything is refilled."""
        twin, seat = self.twin, self.twin.seat
        hand = [card for card in own_cards(twin, draft) if card != flip]
        laid = [twin.market[slot] for slot in draft[1]] if draft[0] == "market" else []
        own = dict(self.tables[seat])
        for card in [*laid, flip]:
            if card is not None:
                own[twin.cards[card]["back"]] += 1
        key = (tuple(hand), tuple(own.values()))
        if key not in self.known:
            tables = [*self.tables[:seat], own, *self.tables[seat + 1 :]]
            self.known[key] = sum(card_value(twin.cards[card], tables, seat, twin.rules) for card in hand)
        return self.known[key]

    def drafts(self) -> list[Draft]:
        """The drafts with the highest own score right after."""
        scores = {draft: self.score(draft, None) for draft in self.twin.legal_drafts()}
        return [draft for draft, score in scores.items() if score == max(scores.values())]

    def flips(self, draft: Draft) -> list[int | None]:
        """The flips that raise the own score most after a draft; none if none raises it."""
        if self.twin.rules.flip == "never":
            return [None]
        without = self.score(draft, None)
        scores = {card: self.score(draft, card) for card in own_cards(self.twin, draft)}
        best = max(scores.values(), default=without)
        return [card for card, score in scores.items() if score == best] if best > without else [None]


def naive_greedy(twin: NaiveGame) -> Chances:
    """What `greedy` may choose, and how likely."""
    greedy = NaiveGreedy(twin)
    return uniform(greedy.drafts(), greedy.flips)


# --------------------------------------------------------------------------------------------------- random


def n_occupied(twin: NaiveGame) -> int:
    return len([card for card in twin.market if card is not None])


KINDS: dict[str, Callable[[NaiveGame], bool]] = {
    "at the start": lambda twin: twin.turn == 0,
    "with point cards": lambda twin: len(twin.hands[twin.seat]) >= 4,
    "near the end": lambda twin: n_occupied(twin) in (3, 4),
    "two slots left": lambda twin: n_occupied(twin) == 2,
    "one slot left": lambda twin: n_occupied(twin) == 1,
    "an empty pile": lambda twin: [] in twin.piles and any(twin.piles),
    "the market alone": lambda twin: not any(twin.piles) and len(twin.hands[twin.seat]) > 0,
}


@pytest.mark.parametrize("mix", RULE_MIXES)
@pytest.mark.parametrize("kind", KINDS)
def test_random_is_uniform_over_drafts_and_then_over_flips(kind: str, mix: str) -> None:
    n_found = 0
    for n_players in (2, 3):
        found = (each for each in positions(n_players, RULE_MIXES[mix], range(200)) if KINDS[kind](each.twin))
        if (position := next(found, None)) is not None:
            chances = naive_random(position.twin)
            check_chances(Player("random"), position, chances, max(1000, 12 * int(1 / min(chances.values()))))
            n_found += 1
    assert n_found == 2, "no such position was found"


@pytest.mark.parametrize("n_players", PLAYERS)
def test_random_makes_every_legal_move_and_no_other(n_players: int) -> None:
    player = Player("random")
    for position in positions(n_players, OFFICIAL, range(2)):
        chances = naive_random(position.twin)
        assert {player(position.table) for _ in range(20)} <= chances.keys()


# --------------------------------------------------------------------------------------------------- greedy


@pytest.mark.parametrize("mix", RULE_MIXES)
@pytest.mark.parametrize("n_players", PLAYERS)
def test_greedy_chooses_one_of_the_best_drafts_and_one_of_the_best_flips(n_players: int, mix: str) -> None:
    player = Player("greedy")
    n_flips = n_ties = 0
    for position in positions(n_players, RULE_MIXES[mix], range(1 + 14 // n_players)):  # about 200 turns
        chances = naive_greedy(position.twin)
        move = player(position.table)
        assert move in chances, (position.twin.state(), RULE_MIXES[mix])
        n_flips += move >= 64
        n_ties += len(chances) > 1
    assert n_ties > 20
    assert (n_flips > 2) == (RULE_MIXES[mix].flip == "after")


@pytest.mark.parametrize("n_players", PLAYERS)
def test_greedy_by_what_it_remembers_is_greedy_by_what_it_sees(n_players: int) -> None:
    """Its record of the hand goes along with its moves; a fresh record must lead to the same choices."""
    for number in range(6):
        seats = [Player("greedy", 10 * number + seat) for seat in range(n_players)]

        def ask(table: Table, twin: NaiveGame, seats: list[Player] = seats) -> int:
            player, fresh = seats[twin.seat], Player("greedy")
            fresh.rng = player.rng.copy()
            move = player(table)
            assert fresh(table) == move
            assert fresh.rng == player.rng
            return move

        for _ in play_beside_twin(Table(n_players), SEED, ask, number):
            pass


@pytest.mark.parametrize("mix", ["official", "up to two", "never"])
def test_all_best_drafts_are_equally_likely(mix: str) -> None:
    check_often(3, RULE_MIXES[mix], lambda greedy: len(greedy.drafts()) > 1)


@pytest.mark.parametrize("n_players", [3, 4])
def test_all_best_flips_are_equally_likely(n_players: int) -> None:
    check_often(n_players, OFFICIAL, lambda greedy: any(len(greedy.flips(draft)) > 1 for draft in greedy.drafts()))


def check_often(n_players: int, rules: Rules, is_wanted: Callable[[NaiveGreedy], bool]) -> None:
    """Ask greedy 2000 times in each of ten positions of a kind."""
    player = Player("greedy")
    n_found = 0
    for position in positions(n_players, rules, range(100)):
        chances = naive_greedy(position.twin)
        if min(chances.values()) > 0.01 and is_wanted(NaiveGreedy(position.twin)):
            check_chances(player, position, chances, 2000)
            n_found += 1
        if n_found == 10:
            return
    raise AssertionError(f"only {n_found} such positions were found")
