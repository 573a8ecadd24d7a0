"""What the card kernels count, once more: whole games on the naive twin, and sums in the plainest way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from salad_sim.game.cards import facts, official_set
from salad_sim.game.engine import apply_move, deal, lay_out
from salad_sim.game.moves import NO_FLIP, draft_of, flip_of
from salad_sim.game.state import EARLIER_ROUND, HIDDEN, POINTS
from salad_sim.jit.rng import DEAL_STREAM, below, seed_stream
from salad_sim.play.card_sums import LEAST_BIN, N_BINS
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.run.runner import ShardPlayer, new_workspace, prepare
from salad_sim.studies.cards.play import Effects
from support.playing import CARDS, SWITCHES, CustomCard, draft_in_words, stream
from support.reference.game import Card, NaiveGame, NaiveRules, card_value

Records = npt.NDArray[np.void]
Sums = Counter[tuple[Any, ...]]
"""By the name of a field and where it stands."""

DEALER = 1000
"""The purpose of the dealer's stream, as results must not change from one version to the next."""


def pair_place(first: int, second: int) -> int:
    """Return where the pair of two cards stands, first < second."""
    return second * (second - 1) // 2 + first


def naive_cards(plan: Plan) -> list[Card]:
    """The cards of a plan as the naive twin knows them."""
    return CARDS if plan.cards == official_set() else [CustomCard(card.terms).naive() for card in plan.cards]


def naive_game(plan: Plan, deck: Sequence[int]) -> NaiveGame:
    """The naive twin of a game that was just dealt from a shuffled deck."""
    n_cards = len(deck)
    piles = [list(deck[pile * n_cards // 3 : (pile + 1) * n_cards // 3]) for pile in range(3)]
    rules = NaiveRules(**{name: getattr(plan.rules, name) for name in SWITCHES})
    return NaiveGame(naive_cards(plan), piles, plan.n_players, rules, bonus=list(plan.head_start) or None)


def is_mixed(plan: Plan) -> bool:
    """Whether different strategies play."""
    return len({(each.name, each.values) for each in plan.lineup}) > 1


def rotation_of(plan: Plan, number: int) -> int:
    """How many seats further the line-up sits in a deal of a card study."""
    return number % plan.n_players if is_mixed(plan) else 0


def wins_of(game: NaiveGame) -> list[int]:
    """Wins in sixtieths."""
    return [int(60 * share) for share in game.shares()]


def compare(found: Records, sums: Sums, what: str = "") -> None:
    """See that records hold the sums, field by field, and that there is no other sum."""
    known = set()
    for name in found.dtype.names or ():
        for place, value in np.ndenumerate(found[name]):
            assert value == sums[name, *place], f"{what} {name} of {place}"
            known.add((name, *place))
    assert known >= {key for key, value in sums.items() if value}


# ----------------------------------------------------------------------------------------------------- counted by card


class Played(NamedTuple):
    """A game at its beginning, and the moves that the engine made in it."""

    game: NaiveGame
    moves: list[int]


def games_of(plan: Plan, deals: Iterable[int]) -> Iterator[Played]:
    """The games that ordinary runs play of some deals."""
    player = ShardPlayer(plan, prepare(plan))
    table = new_workspace(plan).table
    for number in deals:
        player.work.n_rotations = rotation_of(plan, number) + 1  # the last of them is left on the table
        player(Shard(number, 1))
        view = player.work.table.public
        seed_stream(table.rng, plan.seed, number, DEAL_STREAM)
        deal(table)
        deck = table.deck[: table.public.n_cards].tolist()
        yield Played(naive_game(plan, deck), view.history[: view.n_moves].tolist())


class Watched:
    """One game, watched from its beginning to its end: what became of each card."""

    def __init__(self, played: Played) -> None:
        self.game = game = played.game
        n_players = game.n_players
        self.dealt = {card for pile in game.piles for card in pile} | {card for card in game.market if card is not None}
        self.looks: dict[int, list[tuple[int, int]]] = {card: [] for card in self.dealt}  # turn of the seat, seat
        self.taken: dict[int, tuple[int, int]] = {}
        self.market: set[int] = set()
        self.flipped: list[int] = []
        for move in played.moves:
            self.market |= {card for card in game.market if card is not None}
            now = game.turn // n_players + 1, game.seat
            for pile in game.piles:
                if pile:
                    self.looks[pile[-1]].append(now)
            draft, flip = draft_in_words(draft_of(move)), flip_of(move)
            if draft[0] == "pile":
                self.taken[game.piles[draft[1]][-1]] = now
            if flip != NO_FLIP:
                self.flipped.append(flip)
            game.play(draft, None if flip == NO_FLIP else flip)
        assert game.over
        self.keeper = {card: seat for seat, hand in enumerate(game.hands) for card in hand}


def count_once_more(plan: Plan, deals: Iterable[int], effects: Effects | None = None) -> Sums:
    """All that `CardSums` holds, by the name of the field, over both kinds of records and the numbers beside them."""
    sums: Sums = Counter()
    for played in games_of(plan, deals):
        watched = Watched(played)
        scores = worth_of_seats(watched.game, effects)
        devs = [plan.n_players * score - sum(scores) for score in scores]
        wins = wins_of(watched.game)
        sums["n_games",] += 1
        for seat in range(plan.n_players):
            sums["seat_dev", seat] += devs[seat]
            sums["seat_wins", seat] += wins[seat]
            sums["dev_squared",] += devs[seat] ** 2
            sums["wins_squared",] += (plan.n_players * wins[seat] - 60) ** 2
        for card in watched.dealt:
            count_card(sums, watched, card, devs, wins)
        count_pairs(sums, watched, devs)
        count_extras(sums, watched, devs, effects)
    return sums


def count_extras(sums: Sums, watched: Watched, devs: list[int], effects: Effects | None) -> None:
    """Add one game to what pairs of cards say of deviations."""
    known = None if effects is None else effects.pairs
    hands = [[card for card, keeper in watched.keeper.items() if keeper == seat] for seat in range(len(devs))]
    extras = [
        sum(0 if known is None else int(known[pair_place(*sorted(pair))]) for pair in combinations(hand, 2))
        for hand in hands
    ]
    for dev, extra in zip(devs, extras, strict=True):
        beyond = len(devs) * extra - sum(extras)
        sums["dev_extra",] += dev * beyond
        sums["extra_squared",] += beyond**2


def worth_of_seats(game: NaiveGame, effects: Effects | None) -> list[int]:
    """The scores, or what is left of them where it is known what cards and seats are worth."""
    if effects is None:
        return game.scores()
    known = [effects.seats[seat] + sum(effects.cards[card] for card in hand) for seat, hand in enumerate(game.hands)]
    return [int(effects.units * score - part) for score, part in zip(game.scores(), known, strict=True)]


def count_card(sums: Sums, watched: Watched, card: int, devs: list[int], wins: list[int]) -> None:
    """Add one game to the sums of a card that was in its deck."""

    def add(name: str, number: int = 1, squared: bool = False) -> None:
        sums["card", name, card] += number
        if squared:
            sums["card", f"{name}_squared", card] += number**2

    add("dealt")
    add("flipped", watched.flipped.count(card))
    add("market", card in watched.market)
    looks = watched.looks[card]
    add("looks", len(looks), squared=True)
    if looks:
        add("seen")
        add("last_seen", max(turn for turn, _ in looks), squared=True)
    left = {seat for _, seat in looks}
    if card in watched.taken:
        turn, taker = watched.taken[card]
        left.remove(taker)
        add("taken")
        add("taken_at", turn, squared=True)
        add("taken_looks", len(looks))
        add("wins_taken", wins[taker], squared=True)
    add("left", len(left), squared=True)
    add("wins_left", sum(wins[seat] for seat in left), squared=True)
    add("left_wins", len(left) * sum(wins[seat] for seat in left))
    if card in watched.keeper:
        game, seat = watched.game, watched.keeper[card]
        points = card_value(game.cards[card], game.tables(), seat, game.rules)
        add("kept")
        add("points", points, squared=True)
        add("zero", points == 0)
        add("negative", points < 0)
        add("wins_kept", wins[seat], squared=True)
        add("dev", devs[seat], squared=True)
        add("dev_wins", devs[seat] * wins[seat])
        sums["card", "kept_at", card, seat] += 1
        sums["card", "points_at", card, min(max(points, LEAST_BIN), LEAST_BIN + N_BINS - 1) - LEAST_BIN] += 1


def count_pairs(sums: Sums, watched: Watched, devs: list[int]) -> None:
    """Add one game to the sums of the pairs that were kept."""
    for first, second in combinations(sorted(watched.keeper), 2):
        place, seat = pair_place(first, second), watched.keeper[first]
        sums["pair", "both", place] += 1
        if seat == watched.keeper[second]:
            sums["pair", "same", place] += 1
            sums["pair", "dev", place] += devs[seat]


def part(sums: Sums, of: str) -> Sums:
    """The sums whose names begin with ``of``, without it."""
    return Counter({key[1:]: value for key, value in sums.items() if key[0] == of})


# --------------------------------------------------------------------------------------------------- trials


class Sitting:
    """One game at a table of its own, played by the strategies' kernels from Python, with the naive twin beside it.

    What the dealer does apart from the rules (gifts, blank cards, cards taken out) is written into the record by hand.
    """

    def __init__(self, plan: Plan, number: int, out: int | None = None) -> None:
        self.plan = plan
        _, self.choices = prepare(plan)
        self.rotation = rotation_of(plan, number)
        self.work = new_workspace(plan)
        self.table = self.work.table
        self.view = self.table.public
        self.view.cards.n_counts = self.view.cards.curve.shape[1]
        self.arrays = {
            name: self.view[name] for name in ("history", "pile_size", "top", "market_card", "place", "drawn")
        }
        self.counts = self.view["tableau"]["counts"][: plan.n_players]
        self.backs = np.array([card.back for card in plan.cards])
        self.seats = [(self.choices[place], self.work.own[place]) for place in range(plan.n_players)]
        self.streams = [self.work.rng[seat] for seat in range(plan.n_players)]
        seed_stream(self.table.rng, plan.seed, number, DEAL_STREAM)
        for seat in range(plan.n_players):
            seed_stream(self.work.rng[seat], plan.seed, number, seat + 1)
            self.view.bonus[seat] = plan.head_start[seat] if plan.head_start else 0
        deal(self.table)
        self.deck = self.table.deck[: self.view.n_cards].tolist()
        if out in self.deck:
            self.deck.remove(out)
            self.table.deck[: len(self.deck)] = self.deck
            self.view.drawn[plan.cards[out].back] -= 1
            lay_out(self.table, len(self.deck))
        self.game = naive_game(plan, self.deck)
        self.moves: list[int] = []

    def give(self, card: int, seat: int) -> None:
        """Lay a card in front of a seat."""
        tableau = self.view["tableau"]
        tableau["held"][seat, tableau["n_held"][seat]] = card
        tableau["n_held"][seat] += 1
        self.view.place[card] = POINTS + seat
        self.view.drawn[self.plan.cards[card].back] += 1
        self.game.hands[seat].append(card)

    def make_blank(self, card: int) -> None:
        """Let a card score nothing: its facts are those of weights that are all zero."""
        nothing = replace(self.plan.cards[card], kind="per_veg", weights=(0,) * 6, points=0, more=())
        nothing = replace(nothing, even_points=0, odd_points=0)
        cards = [nothing if each.card_id == card else each for each in self.plan.cards]
        n_counts = int(self.view.cards.n_counts)
        self.view.cards = facts(cards, self.plan.rules, self.plan.capacity)
        self.view.cards.n_counts = n_counts
        self.game.cards = [CustomCard(each.terms).naive() for each in cards]

    def ask_aside(self, pile: int, takes: bool) -> int:
        """What the seat to move chooses where the top of a pile is all there is, or is not there; then all is back."""
        seen = self.view.copy()
        hidden = [card for other in self.game.piles if other and other is not self.game.piles[pile] for card in other]
        tops = [each[-1] for each in self.game.piles if each]
        market = [card for card in self.game.market if card is not None]
        view, top = self.view, self.game.piles[pile][-1]
        if takes:
            for card in {*tops, *market} - {top}:
                self.arrays["place"][card] = HIDDEN
            self.arrays["top"][:] = [top if each == pile else -1 for each in range(3)]
            n_left = len(hidden) + len(self.game.piles[pile]) + len(market)
            self.arrays["pile_size"][:] = [n_left if each == pile else 0 for each in range(3)]
            self.arrays["market_card"][:] = self.view["market"][:] = -1
            view.n_market = 0
        else:
            sizes = [len(each) for each in self.game.piles]
            others = [each for each in range(3) if each != pile and sizes[each]]
            for other in others[:1]:
                sizes[other] += sizes[pile]
            if not others:
                view.n_left -= sizes[pile]
            sizes[pile] = 0
            self.arrays["place"][top] = HIDDEN if others else EARLIER_ROUND
            self.arrays["top"][pile] = -1
            self.arrays["pile_size"][:] = sizes
        seat = self.game.seat
        choose, own = self.seats[(seat - self.rotation) % self.plan.n_players]
        move = int(choose(self.view, own, self.streams[seat]))
        for name in ("n_left", "n_market"):
            setattr(view, name, seen[name])
        for name in ("top", "pile_size", "market_card", "market", "place"):
            self.view[name][:] = seen[name]
        assert (draft_of(move) == pile) == takes
        return move

    def ask(self) -> int:
        """What the seat to move chooses, which must see the table as it is."""
        self.check_view()
        seat = self.game.seat
        choose, own = self.seats[(seat - self.rotation) % self.plan.n_players]
        return int(choose(self.view, own, self.streams[seat]))

    def make(self, move: int) -> None:
        """Make a move."""
        flip = flip_of(move)
        apply_move(self.table, move)
        self.game.play(draft_in_words(draft_of(move)), None if flip == NO_FLIP else flip)
        self.moves.append(move)

    def play_on(self) -> None:
        """Play to the end."""
        while not self.game.over:
            self.make(self.ask())
        assert self.view.n_left == 0

    def check_view(self) -> None:
        """See that the public view tells what lies on the table, and how many of each vegetable are hidden."""
        game, view, arrays = self.game, self.view, self.arrays
        assert (view["turn"], view["seat"], view["n_moves"]) == (game.turn, game.seat, len(self.moves))
        assert arrays["history"][: len(self.moves)].tolist() == self.moves
        assert arrays["pile_size"].tolist() == [len(pile) for pile in game.piles]
        assert arrays["top"].tolist() == [pile[-1] if pile else -1 for pile in game.piles]
        assert arrays["market_card"].tolist() == [-1 if card is None else card for card in game.market]
        assert view["n_market"] == 6 - game.market.count(None)
        assert view["n_left"] == sum(map(len, game.piles)) + view["n_market"]
        assert self.counts.tolist() == [list(own.values()) for own in game.tables()]
        hidden = arrays["place"][: len(self.backs)] == HIDDEN
        below_tops = [card for pile in game.piles for card in pile[:-1]]
        assert hidden[below_tops].all()
        n_seen = np.bincount(self.backs[~hidden], minlength=6)
        assert (arrays["drawn"] - n_seen == np.bincount(self.backs[below_tops], minlength=6)).all()


class TrialTwin:
    """Deals with their trials, each game played from its beginning."""

    def __init__(self, plan: Plan, takes: bool, takes_out: bool = False) -> None:
        self.plan = plan
        self.takes, self.takes_out = takes, takes_out
        rules_pool = plan.rules.card_ids()
        in_play = range(len(plan.cards)) if rules_pool is None else rules_pool
        self.pool = sorted(in_play, key=lambda card: (plan.cards[card].back, card))
        self.trials: Sums = Counter()
        self.cross: Sums = Counter()
        self.n_takes = 0

    def play_deal(self, number: int) -> None:
        """Play one deal and count it."""
        plan, n_players = self.plan, self.plan.n_players
        self.dealer = stream(plan.seed, number, DEALER)
        out = self.pool[below(self.dealer, len(self.pool))] if self.takes_out else None
        plain = Sitting(plan, number, out)
        aside = [out] if out is not None else [card for card in self.pool if card not in plain.deck]
        plain.play_on()
        seat = (number // n_players if is_mixed(plan) else number) % n_players
        tried = self.take(number, plain) if self.takes else self.give(number, out, aside, seat, plain)
        for one, other in product(tried, repeat=2):
            for layer in {0, one[1]} & {0, other[1]}:
                where = layer, one[0], other[0]
                for name, value in (("deals", 1), ("dev", one[2]), ("wins", one[3])):
                    self.cross[name, *where] += value
                self.cross["dev_dev", *where] += one[2] * other[2]
                self.cross["wins_wins", *where] += one[3] * other[3]

    def count(self, slot: int, layer: int, with_it: NaiveGame, without: NaiveGame, seat: int) -> tuple[int, ...]:
        """Count two games; return where, and by how much the deviation and the wins of the seat are higher."""
        dev, won, own = differences(with_it, without, seat)
        for where in {(0, slot), (layer, slot)}:
            self.trials["pairs", *where] += 1
            for name, value in (("dev", dev), ("wins", won), ("own", own)):
                self.trials[name, *where] += value
                self.trials[f"{name}_squared", *where] += value**2
            self.trials["better", *where] += 2 * (dev > 0) + (dev == 0)
        return slot, layer, dev, won

    def give(self, number: int, out: int | None, aside: list[int], seat: int, plain: Sitting) -> list[tuple[int, ...]]:
        """Play with each card in front of a seat, and with a blank of each back."""
        tried = []
        for card in aside:
            with_it = Sitting(self.plan, number, out)
            with_it.give(card, seat)
            with_it.play_on()
            game = with_it.game
            tried.append(self.count(card, 0, game, plain.game, seat))
            if card in game.hands[seat]:
                self.trials["kept", 0, card] += 1
                self.trials["points", 0, card] += card_value(game.cards[card], game.tables(), seat, game.rules)
        for back in range(6):
            chosen = None
            for n_alike, card in enumerate([card for card in aside if self.plan.cards[card].back == back], start=1):
                if below(self.dealer, n_alike) == 0:
                    chosen = card
            if chosen is not None:
                with_it = Sitting(self.plan, number, out)
                with_it.make_blank(chosen)
                with_it.give(chosen, seat)
                with_it.play_on()
                tried.append(self.count(len(self.plan.cards) + back, 0, with_it.game, plain.game, seat))
        return tried

    def take(self, number: int, plain: Sitting) -> list[tuple[int, ...]]:
        """At moments that are drawn, take the top of a pile, and make the best of all else."""
        n_players, tried = self.plan.n_players, []
        walk = Sitting(self.plan, number)
        for turn, made in enumerate(plain.moves):
            for pile, cards in enumerate(walk.game.piles):
                others = sum(map(len, walk.game.piles)) - len(cards) + 6 - walk.game.market.count(None)
                if not cards or not others or below(self.dealer, 6):
                    continue
                left, taken = (self.play_arm(number, plain, turn, pile, takes) for takes in (False, True))
                layer = 1 + min(turn // n_players // 3, 3)
                tried.append(self.count(cards[-1], layer, taken.game, left.game, turn % n_players))
                self.n_takes += 1
            walk.make(made)
        return tried

    def play_arm(self, number: int, plain: Sitting, turn: int, pile: int, takes: bool) -> Sitting:
        """Play to a turn, take or leave there, and play on."""
        game = Sitting(self.plan, number)
        for made in plain.moves[:turn]:
            assert game.ask() == made
            game.make(made)
        if takes and draft_of(plain.moves[turn]) == pile:
            return plain
        game.make(game.ask_aside(pile, takes))
        game.play_on()
        return game


def differences(with_it: NaiveGame, plain: NaiveGame, seat: int) -> tuple[int, int, int]:
    """By how much the deviation, the wins and the score of a seat are higher."""

    def told(game: NaiveGame) -> tuple[int, int, int]:
        scores = game.scores()
        return len(scores) * scores[seat] - sum(scores), wins_of(game)[seat], scores[seat]

    dev, won, own = (more - less for more, less in zip(told(with_it), told(plain), strict=True))
    return dev, won, own
