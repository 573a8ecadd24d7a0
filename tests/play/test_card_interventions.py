"""Gifts and offers of cards: beside games that are played by hand, truths that are known exactly, what players see."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from salad_sim import CardSet, Rules
from salad_sim.errors import StrategyError
from salad_sim.game.cards import official_cards
from salad_sim.game.engine import list_drafts
from salad_sim.game.moves import N_PILES, N_SLOTS, NO_FLIP, draft_of, make_move
from salad_sim.game.rng import below
from salad_sim.game.state import HIDDEN, MARKET, N_VEGETABLES, NONE, POINTS, TOP, VEGETABLE
from salad_sim.play.card_sums import N_TURNS, GiftSums
from salad_sim.run.driver import Session
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.strategy.registry import Parameter, inline_kernel, strategy
from salad_sim.studies.cards.play import give_cards, n_given, takes_out
from support.playing import CARDS, ERROR_RATE, SEED, draft_in_words, fits
from support.reference.cards import GiftTwin, Sitting, Watched, compare, games_of
from support.reference.game import VEGETABLES, card_value

NEVER = Rules(flip="never")


@inline_kernel
def mix(mixed, number):
    """Mix one more number, -1 or more, into a small one."""
    return (mixed * 31 + number + 2) % 1_000_003


@strategy("reader")
def reader(view, own, rng):
    """Let every number of the view, the memory and the stream decide: who sees another table plays another game."""
    mixed = np.int64(own.memory[1])
    own.memory[0] += 1
    mixed = mix(mixed, own.memory[0])
    mixed = mix(mixed, below(rng, 1000))
    for number in (view.n_players, view.n_cards, view.n_left, view.turn, view.seat, view.n_market, view.n_moves):
        mixed = mix(mixed, number)
    for veg in range(N_VEGETABLES):
        mixed = mix(mixed, view.drawn[veg])
    for pile in range(N_PILES):
        mixed = mix(mix(mixed, view.top[pile]), view.pile_size[pile])
    for slot in range(N_SLOTS):
        mixed = mix(mix(mixed, view.market_card[slot]), view.market[slot])
    for card in range(view.cards.n_cards):
        mixed = mix(mixed, view.place[card])
    for before in range(view.n_moves):
        mixed = mix(mixed, view.history[before])
    for seat in range(view.n_players):
        tableau = view.tableau[seat]
        mixed = mix(mix(mixed, view.bonus[seat]), tableau.n_flipped)
        for veg in range(N_VEGETABLES):
            mixed = mix(mixed, tableau.counts[veg])
        for index in range(tableau.n_held):
            mixed = mix(mixed, tableau.held[index])
    own.memory[1] = mixed
    list_drafts(view, own)
    draft = own.drafts[mixed % (3 if mixed % 2 and own.n_drafts > 2 else own.n_drafts)]
    tableau = view.tableau[view.seat]
    if view.rules.flip != 0 or tableau.n_held == 0 or mixed % 3:
        return make_move(draft, NO_FLIP)
    return make_move(draft, np.int64(tableau.held[mixed % tableau.n_held]))


@strategy("gatherer")
def gatherer(view, own, rng):
    """Take vegetables only: the market is never empty before the game is over."""
    list_drafts(view, own)
    return make_move(own.drafts[own.n_drafts - 1 - below(rng, 1)], NO_FLIP)


@strategy("highest")
def highest(view, own, rng):
    """Take the top card with the highest number."""
    chosen = np.int64(0)
    for pile in range(1, N_PILES):
        if view.top[pile] > view.top[chosen]:
            chosen = np.int64(pile)
    if view.top[chosen] == NONE:
        list_drafts(view, own)
        return make_move(own.drafts[0], NO_FLIP)
    return make_move(chosen, NO_FLIP)


@inline_kernel
def what_is_wrong(view):
    """Return the number of a contradiction in the view, or 0."""
    n_in_piles, n_tops, n_market, n_seen_tops = 0, 0, 0, 0
    for pile in range(N_PILES):
        n_in_piles += view.pile_size[pile]
        n_tops += view.pile_size[pile] > 0
        if (view.top[pile] == NONE) != (view.pile_size[pile] == 0):
            return 1
        if view.top[pile] != NONE and view.place[view.top[pile]] != TOP:
            return 2
    for slot in range(N_SLOTS):
        n_market += view.market_card[slot] != NONE
        if view.market_card[slot] != NONE and view.place[view.market_card[slot]] != MARKET:
            return 3
    if view.n_market != n_market or view.n_left != n_in_piles + n_market:
        return 4
    n_hidden = 0
    for veg in range(N_VEGETABLES):
        n_seen, n_unseen, n_owned, n_counted = 0, 0, 0, 0
        for card in range(view.cards.n_cards):
            if view.cards.back[card] == veg:
                n_seen += view.place[card] != HIDDEN
                n_unseen += view.place[card] == HIDDEN
                n_owned += view.place[card] >= VEGETABLE
        for seat in range(view.n_players):
            n_counted += view.tableau[seat].counts[veg]
        if n_owned != n_counted:
            return 5
        if view.drawn[veg] < n_seen or view.drawn[veg] > n_seen + n_unseen:
            return 6
        n_hidden += view.drawn[veg] - n_seen
    if n_hidden != n_in_piles - n_tops:
        return 7
    for card in range(view.cards.n_cards):
        n_seen_tops += view.place[card] == TOP
        n_market -= view.place[card] == MARKET
    if n_seen_tops != n_tops or n_market != 0:
        return 8
    for seat in range(view.n_players):
        for index in range(view.tableau[seat].n_held):
            if view.place[view.tableau[seat].held[index]] != POINTS + seat:
                return 9
    if view.n_moves != view.turn or view.seat != view.turn % view.n_players:
        return 10
    return 0


@strategy("watchful", trap=Parameter(0, 0, 1, "1: complain of every gift and offer, too"))
def watchful(view, own, rng):
    """Complain of a view that contradicts itself; remember what was done, and complain if the history says else."""
    wrong = what_is_wrong(view)
    n_drawn = 0
    for veg in range(N_VEGETABLES):
        n_drawn += view.drawn[veg]
    if n_drawn < view.n_cards or n_drawn > view.n_cards + 1:
        wrong = 11
    if n_drawn > view.n_cards and own.params[0] > 0:
        wrong = 12
    last = view.n_moves - view.n_players
    if (own.memory[0] > 0) != (last >= 0) or (last >= 0 and view.history[last] != own.memory[1]):
        wrong = 13
    if wrong != 0:
        raise ValueError("the view contradicts itself")
    list_drafts(view, own)
    draft = own.drafts[below(rng, own.n_drafts if below(rng, 2) else min(own.n_drafts, 3))]
    tableau = view.tableau[view.seat]
    flips = tableau.n_held > 0 and below(rng, 3) == 0
    move = make_move(draft, np.int64(tableau.held[below(rng, tableau.n_held)]) if flips else NO_FLIP)
    own.memory[0] += 1
    own.memory[1] = move
    return move


def plan_of(names: object, players: int, deals: int, **more: object) -> Plan:
    return plan_run(deals, players, names, SEED, **more)  # type: ignore[arg-type]


def given(plan: Plan, **more: object) -> GiftSums:
    workers = more.pop("workers", None)
    sums = give_cards(plan, session=Session(workers), **more)  # type: ignore[arg-type]
    assert sums.n_deals == plan.n_deals and sums.n_players == plan.n_players
    return sums


def without_spare_cabbages() -> CardSet:
    """Six cabbages, nine carrots and eight of each other vegetable: two players need six of each."""
    numbers = [6, 9, 8, 8, 8, 8]
    cards = [card for card in official_cards() if card.card_id % 18 < numbers[card.back]]
    return CardSet([replace(card, card_id=number) for number, card in enumerate(cards)], source="few cabbages")


# ------------------------------------------------------------------------------------------------------------ the twin


def check(plan: Plan, first_deal: int = 0, is_out: bool = False) -> tuple[GiftSums, GiftTwin]:
    """Compare everything with games that are played one by one."""
    assert takes_out(plan) == is_out
    twin = GiftTwin(plan, is_out)
    for number in range(first_deal, first_deal + plan.n_deals):
        twin.play_deal(number)
    found = given(plan, first_deal=first_deal)
    compare(found.gifts, twin.gifts, "gifts")
    compare(found.cross, twin.cross, "cross")
    compare(found.offers, twin.offers, "offers")
    assert found.n_games == twin.n_games
    assert found.gifts["pairs"].sum() == n_given(plan) * plan.n_deals
    return found, twin


@pytest.mark.parametrize(("players", "deals"), [(2, 1), (3, 1), (4, 1), (5, 2), (6, 4)])
def test_every_game_is_the_one_that_is_played_by_hand(players: int, deals: int) -> None:
    """By a strategy that plays another game as soon as one number of its view is another."""
    found, _ = check(plan_of(reader, players, deals), is_out=players == 6)
    assert found.offers["taken"].sum() > 0


def test_of_six_players_one_card_is_out_of_the_deck() -> None:
    sitting = Sitting(plan_of(reader, 6, 1), 0, out=50)
    assert len(sitting.deck) == sitting.view.n_cards == sitting.view.drawn.sum() == 107
    assert sitting.view.drawn.tolist() == [18, 18, 17, 18, 18, 18]


@pytest.mark.parametrize(
    ("names", "players", "deals", "more"),
    [
        (["greedy", reader], 2, 1, {"rules": Rules(tie_break="shared"), "head_start": [0, 3]}),
        (["greedy", "casual", "greedy"], 3, 1, {}),
        ([reader, "greedy", "greedy", "random", reader], 5, 2, {"rules": Rules(split="draw", vegetables="up-to-two")}),
        ([reader, "greedy", "greedy", "greedy", "greedy", "random"], 6, 3, {"rules": Rules(split="down")}),
    ],
)
def test_mixed_line_ups_and_other_rules(names: object, players: int, deals: int, more: dict[str, object]) -> None:
    check(plan_of(names, players, deals, **more), first_deal=7, is_out=players == 6)


def test_a_set_with_a_vegetable_of_which_no_card_is_spare() -> None:
    """One card is taken out of each deal, or lay aside anyway."""
    cards = without_spare_cabbages()
    found, _ = check(plan_of([reader, "greedy"], 2, 6, cards=cards), is_out=True)
    assert found.gifts["pairs"].sum() == 6


def test_a_set_with_few_spare_cards_of_each() -> None:
    """Fewer than twelve cards aside: each is offered at every turn of the table."""
    cards = CardSet(
        [
            replace(card, card_id=card.card_id // 18 * 7 + card.card_id % 18)
            for card in official_cards()
            if card.card_id % 18 < 7
        ],
        source="seven of each",
    )
    found, _ = check(plan_of(reader, 2, 2, cards=cards))
    assert found.gifts["pairs"].sum() == 12
    assert (found.offers["offers"][:, 0] == found.gifts["pairs"]).all()


@pytest.mark.slow
def test_a_set_of_more_cards_than_the_game_has() -> None:
    """Larger records, for which everything is compiled once more."""
    cards = [*official_cards(), *official_cards()[::6]]
    plan = plan_of(reader, 6, 1, cards=CardSet([replace(card, card_id=at) for at, card in enumerate(cards)]))
    found, _ = check(plan)
    assert found.gifts["pairs"].sum() == 18 and (found.offers["taken"].sum(axis=0) > 0).any()


def test_a_deck_of_named_cards() -> None:
    """All of them play, so that one is taken out; the others of the set are not given."""
    named = [18 * veg + number for veg in range(6) for number in range(3)]
    found, _ = check(plan_of(reader, 2, 5, rules=Rules(deck=",".join(map(str, named)))), is_out=True)
    there = np.flatnonzero(found.gifts["pairs"])
    assert set(there) <= set(named) and found.gifts["pairs"].sum() == 5


# ------------------------------------------------------------------------------------------------------- exact truths


@pytest.mark.parametrize(
    ("players", "rules"),
    [(2, NEVER), (5, NEVER), (3, Rules(flip="never", split_tie="random", vegetables="up-to-two"))],
)
def test_a_gift_that_changes_no_move_adds_what_it_scores(players: int, rules: Rules) -> None:
    """Who plays at random does so whatever he holds, if there are no flips."""
    plan = plan_of("random", players, 12, rules=rules)
    player = ShardPlayer(plan, prepare(plan))
    sums: Counter[tuple[str, int]] = Counter()
    for number in range(12):
        player(Shard(number, 1))
        view, seat = player.work.table.public, number % players
        counts = view["tableau"]["counts"][:players].tolist()
        tables = [dict(zip(VEGETABLES, own, strict=True)) for own in counts]
        for card in np.flatnonzero(view.place[:108] == HIDDEN).tolist():
            points = card_value(CARDS[card], tables, seat)
            for name, value in (("pairs", 1), ("own", points), ("own_squared", points**2)):
                sums[name, card] += value
    gifts = given(plan).gifts
    for name in ("pairs", "own", "own_squared"):
        assert gifts[name].tolist() == [sums[name, card] for card in range(108)]
    assert gifts["own"].any()
    assert (gifts["dev"] == (players - 1) * gifts["own"]).all()
    assert (gifts["dev_squared"] == (players - 1) ** 2 * gifts["own_squared"]).all()
    assert (gifts["kept"] == gifts["pairs"]).all() and (gifts["points"] == gifts["own"]).all()
    assert gifts["at_seat"].sum(axis=0)[:players].tolist() == [
        (108 - 18 * players) * len(range(seat, 12, players)) for seat in range(players)
    ]


def test_who_takes_no_point_cards_takes_no_offers() -> None:
    found = given(plan_of(gatherer, 2, 20))
    assert found.offers["offers"].sum() == 72 * 20
    assert all(not found.offers[name].any() for name in found.offers.dtype.names if name != "offers")
    assert found.n_games == 20 * 73
    assert (found.gifts["kept"] == found.gifts["pairs"]).all() and (found.gifts["points"] == found.gifts["own"]).all()


def test_who_takes_the_highest_card_takes_what_is_higher_than_all() -> None:
    """An offered card is taken if it is above the one that is taken in the game as it is, which lies beside it."""
    plan = plan_of(highest, 2, 30)
    offers = given(plan).offers
    assert (offers["taken"][107] == offers["offers"][107]).all() and offers["taken"][107].sum() > 5
    by_third = [offers["taken"][part].sum() / offers["offers"][part].sum() for part in np.split(np.arange(108), 3)]
    assert by_third[0] < by_third[1] < by_third[2]
    top = max(tops_of(plan))
    bottom = min(tops_of(plan))
    assert (offers["taken"][top:] == offers["offers"][top:]).all()
    assert not offers["taken"][:bottom].any()


def tops_of(plan: Plan) -> list[int]:
    """What was taken from piles in the games as they are."""
    return [card for played in games_of(plan, range(plan.n_deals)) for card in Watched(played).taken]


def test_the_share_of_offers_that_are_taken_at_random() -> None:
    """One in as many as there are legal drafts, the offer among them: the mean over turns and piles of each game."""
    plan = plan_of("random", 2, 400, rules=NEVER)
    offers = given(plan).offers
    expected, variance, n_offers = 0.0, 0.0, 0
    for played in games_of(plan, range(400)):
        game = played.game
        chances = []
        for move in played.moves:
            n_drafts = len(game.legal_drafts())
            free = [pile for pile in range(3) if pile != draft_of(move)]
            # on an empty pile the offer is one draft more
            chances.append(np.mean([1 / (n_drafts + (not game.piles[pile])) for pile in free]))
            game.play(draft_in_words(draft_of(move)))
        share = float(np.mean(chances))
        expected += 72 * share
        variance += 72 * share * (1 - share)
        n_offers += 72
    assert offers["offers"].sum() == n_offers
    taken = int(offers["taken"].sum())
    assert abs(taken - expected) < stats.norm.isf(ERROR_RATE / 2) * np.sqrt(variance), (taken, expected)


# ------------------------------------------------------------------------------------------ which cards, and to whom


def test_of_six_players_one_card_is_aside_each_as_often() -> None:
    found = given(plan_of(gatherer, 6, 3000))
    assert found.gifts["pairs"].sum() == 3000 and fits(found.gifts["pairs"])
    assert fits(found.gifts["at_seat"].sum(axis=0))
    assert (found.cross["deals"] == np.diag(found.gifts["pairs"])).all()
    n_offers = found.offers["offers"].sum(axis=0)
    assert n_offers[0] == n_offers[7] == 3000 and not n_offers[10:].any()


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_all_cards_that_are_not_dealt_are_aside(players: int) -> None:
    n_deals = 60
    found = given(plan_of("random", players, n_deals))
    pairs = found.gifts["pairs"].reshape(6, 18).sum(axis=1)
    assert pairs.tolist() == [(18 - 3 * players) * n_deals] * 6
    assert (found.cross["deals"] == found.cross["deals"].T).all()
    assert (found.cross["deals"].diagonal() == found.gifts["pairs"]).all()
    assert found.cross["deals"].sum() == (108 - 18 * players) ** 2 * n_deals
    assert (found.offers["offers"].sum(axis=1) == found.gifts["pairs"]).all()
    assert found.gifts["at_seat"].sum(axis=0)[:players].tolist() == [
        (108 - 18 * players) * len(range(seat, n_deals, players)) for seat in range(players)
    ]


def test_sums_are_consistent() -> None:
    found = given(plan_of(["greedy", "random", "casual"], 3, 40))
    gifts, cross, offers = found.gifts, found.cross, found.offers
    assert (gifts["at_seat"].sum(axis=1) == gifts["pairs"]).all()
    assert (gifts["dev_at_seat"].sum(axis=1) == gifts["dev"]).all()
    assert (gifts["dev_squared_at_seat"].sum(axis=1) == gifts["dev_squared"]).all()
    for name in ("dev", "wins"):
        assert (cross[name].diagonal() == gifts[name]).all()
        assert (cross[f"{name}_{name}"].diagonal() == gifts[f"{name}_squared"]).all()
        assert (cross[f"{name}_{name}"] == cross[f"{name}_{name}"].T).all()
    assert found.n_games == 40 + gifts["pairs"].sum() + offers["taken"].sum()
    assert offers.shape == (108, N_TURNS)


# ------------------------------------------------------------------------------------------------ what the players see


@pytest.mark.parametrize("players", range(2, 7))
def test_no_view_contradicts_itself(players: int) -> None:
    deals = {2: 6, 3: 6, 4: 10, 5: 20, 6: 100}[players]
    found = given(plan_of(watchful, players, deals))
    assert found.offers["taken"].sum() > 10


def test_no_view_contradicts_itself_with_odd_decks() -> None:
    assert given(plan_of(watchful, 2, 60, cards=without_spare_cabbages())).offers["taken"].sum() > 10
    assert given(plan_of(watchful, 3, 8, rules=Rules(of_each="1,2,0,4,1,3", split="draw"))).n_games > 8


def test_who_looks_for_gifts_finds_them() -> None:
    """The check above does see the games with gifts and offers."""
    with pytest.raises(StrategyError, match="the view contradicts itself"):
        given(plan_of(watchful.salad_sim_strategy.with_values(trap=1), 3, 1))


@pytest.mark.parametrize(
    ("names", "players"),
    [
        (["rollout(n=3, policy=greedy, width=3)", "greedy", "greedy", "greedy", "greedy"], 5),
        (["search(n=3, width=3)", *["planner"] * 5], 6),
        (["rollout(n=2, policy=planner, width=3)", "planner"], 2),
    ],
)
def test_players_in_mind_take_gifts_and_offers_as_they_are(names: list[str], players: int) -> None:
    found = given(plan_of(names, players, 1))
    assert found.gifts["pairs"].sum() == {2: 72, 5: 18, 6: 1}[players]


# ------------------------------------------------------------------------------------------------------------- workers


def same(one: GiftSums, other: GiftSums) -> bool:
    names = ("gifts", "cross", "offers", "n_games", "n_deals")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.parametrize("players", [3, 6])
def test_the_number_of_workers_does_not_matter(players: int) -> None:
    plan = plan_of(["greedy", *["random"] * (players - 1)], players, 60)
    sums = given(plan, workers=1)
    assert same(sums, given(plan, workers=3))
    assert not same(sums, given(replace(plan, seed=SEED + 1)))


def test_runs_over_different_deals_add() -> None:
    plan = plan_of(["greedy", "casual"], 2, 30)
    whole = given(plan)
    one, other = given(replace(plan, n_deals=11)), given(replace(plan, n_deals=19), first_deal=11)
    for name in ("gifts", "cross", "offers"):
        for field in getattr(whole, name).dtype.names:
            assert (getattr(whole, name)[field] == getattr(one, name)[field] + getattr(other, name)[field]).all()
    assert whole.n_games == one.n_games + other.n_games
