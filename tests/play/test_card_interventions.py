"""Trials of cards, gifts and takes: beside games played by hand, truths that are known exactly, what players see."""

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
from salad_sim.game.state import HIDDEN, MARKET, N_VEGETABLES, NONE, POINTS, TOP, VEGETABLE
from salad_sim.jit.rng import below
from salad_sim.play.card_sums import TrialSums, add_trials
from salad_sim.run.driver import Session
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.strategy.registry import Parameter, inline_kernel, strategy
from salad_sim.studies.cards.play import takes_out, try_cards
from support.card_decks import blank, changed, numbered
from support.playing import CARDS, ERROR_RATE, SEED, draft_in_words, fits
from support.reference.cards import Sitting, TrialTwin, compare, games_of
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


@strategy("watchful", trap=Parameter(0, 0, 1, "1: complain of every gift, too"))
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


def tried(plan: Plan, takes: bool = False, **more: object) -> TrialSums:
    workers = more.pop("workers", None)
    sums = try_cards(plan, takes, session=Session(workers), **more)  # type: ignore[arg-type]
    assert sums is not None and sums.n_deals == plan.n_deals and sums.n_players == plan.n_players
    return sums


def of_cards(sums: TrialSums) -> np.ndarray:
    """The gifts of all cards but the blank ones."""
    assert not sums.trials["pairs"][1:].any()
    return sums.trials[0, :-6]


def without_spare_cabbages() -> CardSet:
    """Six cabbages, nine carrots and eight of each other vegetable: two players need six of each."""
    numbers = [6, 9, 8, 8, 8, 8]
    cards = [card for card in official_cards() if card.card_id % 18 < numbers[card.back]]
    return CardSet([replace(card, card_id=number) for number, card in enumerate(cards)], source="few cabbages")


# ------------------------------------------------------------------------------------------------------------ the twin


def check(plan: Plan, takes: bool, first_deal: int = 0, is_out: bool = False) -> tuple[TrialSums, TrialTwin]:
    """Compare everything with games that are played one by one."""
    assert takes_out(plan) == is_out
    twin = TrialTwin(plan, takes, is_out and not takes)
    for number in range(first_deal, first_deal + plan.n_deals):
        twin.play_deal(number)
    found = tried(plan, takes, first_deal=first_deal)
    compare(found.trials, twin.trials, "trials")
    compare(found.cross, twin.cross, "cross")
    assert (found.trials if takes else of_cards(found))["pairs"].sum() > 0
    return found, twin


@pytest.mark.parametrize("takes", [False, True])
@pytest.mark.parametrize(("players", "deals"), [(2, 1), (4, 1), (6, 3)])
def test_every_game_is_the_one_that_is_played_by_hand(players: int, deals: int, takes: bool) -> None:
    """By a strategy that plays another game as soon as one number of its view is another."""
    found, twin = check(plan_of(reader, players, deals), takes, is_out=players == 6)
    assert found.trials["pairs"][0].sum() == (twin.n_takes if takes else (found.n_games - deals))
    assert not takes or (found.trials["pairs"][1:].sum(axis=0) == found.trials["pairs"][0]).all()


def test_of_six_players_one_card_is_out_of_the_deck() -> None:
    sitting = Sitting(plan_of(reader, 6, 1), 0, out=50)
    assert len(sitting.deck) == sitting.view.n_cards == sitting.view.drawn.sum() == 107
    assert sitting.view.drawn.tolist() == [18, 18, 17, 18, 18, 18]


@pytest.mark.parametrize("takes", [False, True])
@pytest.mark.parametrize(
    ("names", "players", "deals", "more"),
    [
        (["greedy", reader], 2, 2, {"rules": Rules(tie_break="shared"), "head_start": [0, 3]}),
        (["greedy", "planner", "casual"], 3, 1, {}),
        ([reader, "greedy", "greedy", "greedy", "greedy", "random"], 6, 2, {"rules": Rules(split="down")}),
    ],
)
def test_mixed_line_ups_and_other_rules(
    names: object, players: int, deals: int, more: dict[str, object], takes: bool
) -> None:
    """Players who do the same in both arms go on as in the game as it is, which is then not played again."""
    check(plan_of(names, players, deals, **more), takes, first_deal=7, is_out=players == 6)


def test_a_set_with_a_vegetable_of_which_no_card_is_spare() -> None:
    """One card is taken out of each deal, or lay aside anyway."""
    cards = without_spare_cabbages()
    found, _ = check(plan_of([reader, "greedy"], 2, 6, cards=cards), takes=False, is_out=True)
    assert of_cards(found)["pairs"].sum() == found.trials["pairs"][0, -6:].sum() == 6


@pytest.mark.slow
@pytest.mark.parametrize("takes", [False, True])
def test_a_set_of_more_cards_than_the_game_has(takes: bool) -> None:
    """Larger records, for which everything is compiled once more."""
    cards = [*official_cards(), *official_cards()[::6]]
    plan = plan_of(reader, 6, 1, cards=CardSet([replace(card, card_id=at) for at, card in enumerate(cards)]))
    found, _ = check(plan, takes)
    assert takes or of_cards(found)["pairs"].sum() == 18


def test_a_deck_of_named_cards() -> None:
    """All of them play, so that one is taken out; the others of the set are not given."""
    named = [18 * veg + number for veg in range(6) for number in range(3)]
    found, _ = check(plan_of(reader, 2, 5, rules=Rules(deck=",".join(map(str, named)))), takes=False, is_out=True)
    there = np.flatnonzero(of_cards(found)["pairs"])
    assert set(there) <= set(named) and of_cards(found)["pairs"].sum() == 5


# ------------------------------------------------------------------------------------------------------- exact truths


@pytest.mark.parametrize(
    ("players", "rules"),
    [(2, NEVER), (5, NEVER), (3, Rules(flip="never", split_tie="random", vegetables="up-to-two"))],
)
def test_a_gift_that_changes_no_move_adds_what_it_scores(players: int, rules: Rules) -> None:
    """Who plays at random does so whatever he holds, if there are no flips."""
    plan = plan_of("random", players, 12, rules=rules)
    player = ShardPlayer(plan, prepare(plan))
    sums_of: Counter[tuple[str, int]] = Counter()
    for number in range(12):
        player(Shard(number, 1))
        view, seat = player.work.table.public, number % players
        counts = view["tableau"]["counts"][:players].tolist()
        tables = [dict(zip(VEGETABLES, own, strict=True)) for own in counts]
        for card in np.flatnonzero(view.place[:108] == HIDDEN).tolist():
            points = card_value(CARDS[card], tables, seat)
            for name, value in (("pairs", 1), ("own", points), ("own_squared", points**2)):
                sums_of[name, card] += value
    sums = tried(plan)
    gifts = of_cards(sums)
    for name in ("pairs", "own", "own_squared"):
        assert gifts[name].tolist() == [sums_of[name, card] for card in range(108)]
    assert gifts["own"].any()
    assert (gifts["dev"] == (players - 1) * gifts["own"]).all()
    assert (gifts["dev_squared"] == (players - 1) ** 2 * gifts["own_squared"]).all()
    assert (gifts["kept"] == gifts["pairs"]).all() and (gifts["points"] == gifts["own"]).all()
    blanks = sums.trials[0, -6:]
    assert (blanks["pairs"] == 12).all() and (blanks["better"] == 12).all() and not blanks["dev_squared"].any()


def test_a_blank_card_is_the_blank_of_a_card_file() -> None:
    """Who does not care for the ids of cards plays the same games with one that asks for fifty cabbages."""
    cards = changed(numbered(list(official_cards()), "with a blank"), 0, blank())
    found = tried(plan_of("planner", 2, 400, cards=cards)).trials[0]
    back = cards[0].back
    one, other = found[0], found[108 + back]
    gap = one["dev"] / one["pairs"] - other["dev"] / other["pairs"]
    error = np.sqrt(sum(each["dev_squared"] / each["pairs"] ** 2 for each in (one, other)))
    assert abs(gap) < 4.5 * error and other["better"] > other["pairs"], (gap, error)


def test_taking_at_random_and_leaving_at_random_are_worth_the_same_as_they_are_played() -> None:
    """Where both arms of every pair are played to the end by the same players, none has anything but its own move."""
    found = tried(plan_of("random", 2, 400, rules=NEVER), takes=True)
    assert found.trials["pairs"][0].sum() > 400 * 6
    assert (found.trials["pairs"][1:].sum(axis=0) == found.trials["pairs"][0]).all()
    for name in ("dev", "wins", "own", "better"):
        assert (found.trials[name][1:].sum(axis=0) == found.trials[name][0]).all()


def test_who_takes_no_point_cards_leaves_them_as_in_the_game_as_it_is() -> None:
    """Leaving is then the game that was played; only taking is played anew."""
    found = tried(plan_of(gatherer, 2, 20), takes=True)
    assert found.n_games == 20 + found.trials["pairs"][0].sum()


def test_moments_are_drawn_alike() -> None:
    """Each moment at which a card lies on a pile and something else lies there: one in six."""
    plan = plan_of(gatherer, 2, 200)
    n_moments = 0
    for played in games_of(plan, range(200)):
        game = played.game
        for move in played.moves:
            n_left = sum(map(len, game.piles)) + 6 - game.market.count(None)
            n_moments += sum(0 < len(pile) < n_left for pile in game.piles)
            game.play(draft_in_words(draft_of(move)), None)
    n_drawn = int(tried(plan, takes=True).trials["pairs"][0].sum())
    assert abs(n_drawn - n_moments / 6) < stats.norm.isf(ERROR_RATE / 2) * np.sqrt(n_moments * 5 / 36)


# ------------------------------------------------------------------------------------------ which cards, and to whom


def test_of_six_players_one_card_is_aside_each_as_often() -> None:
    found = tried(plan_of(gatherer, 6, 3000))
    pairs = found.trials["pairs"][0]
    assert pairs[:-6].sum() == pairs[-6:].sum() == 3000 and fits(pairs[:-6])
    assert (found.cross["deals"][0, :108, :108] == np.diag(pairs[:108])).all()


@pytest.mark.parametrize("players", [2, 5])
def test_all_cards_that_are_not_dealt_are_aside(players: int) -> None:
    n_deals = 60
    found = tried(plan_of("random", players, n_deals))
    pairs = of_cards(found)["pairs"].reshape(6, 18).sum(axis=1)
    assert pairs.tolist() == [(18 - 3 * players) * n_deals] * 6
    deals = found.cross["deals"][0]
    assert (deals == deals.T).all() and (deals.diagonal() == found.trials["pairs"][0]).all()
    assert deals[:108, :108].sum() == (108 - 18 * players) ** 2 * n_deals


@pytest.mark.parametrize("takes", [False, True])
def test_sums_are_consistent(takes: bool) -> None:
    found = tried(plan_of(["greedy", "random", "casual"], 3, 40), takes)
    trials, cross = found.trials, found.cross
    assert (cross["deals"].sum(axis=2) >= trials["pairs"]).all()
    for name in ("dev", "wins"):
        products = cross[f"{name}_{name}"]
        assert (products == products.transpose(0, 2, 1)).all()
        assert takes or (products[0].diagonal() == trials[f"{name}_squared"][0]).all()
    assert trials["pairs"][:, -6:].any() != takes
    assert takes or found.n_games == 40 + trials["pairs"][0].sum()


# ------------------------------------------------------------------------------------------------ what the players see


@pytest.mark.parametrize("takes", [False, True])
@pytest.mark.parametrize("players", [2, 6])
def test_no_view_contradicts_itself(players: int, takes: bool) -> None:
    assert tried(plan_of(watchful, players, 20), takes).n_games > 40


def test_no_view_contradicts_itself_with_odd_decks() -> None:
    assert tried(plan_of(watchful, 2, 60, cards=without_spare_cabbages())).n_games > 60
    assert tried(plan_of(watchful, 3, 8, rules=Rules(of_each="1,2,1,4,1,3", split="draw"))).n_games > 8


def test_who_looks_for_gifts_finds_them() -> None:
    """The check above does see the games with gifts."""
    with pytest.raises(StrategyError, match="the view contradicts itself"):
        tried(plan_of(watchful.salad_sim_strategy.with_values(trap=1), 3, 1))


@pytest.mark.parametrize("takes", [False, True])
@pytest.mark.parametrize(
    ("names", "players"),
    [
        (["search(n=3, width=3)", *["planner"] * 5], 6),
        (["rollout(n=2, policy=planner, width=3)", "planner"], 2),
    ],
)
def test_players_in_mind_take_trials_as_they_are(names: list[str], players: int, takes: bool) -> None:
    found = tried(plan_of(names, players, 1), takes)
    assert takes or of_cards(found)["pairs"].sum() == {2: 72, 6: 1}[players]


# ------------------------------------------------------------------------------------------------------------- workers


def same(one: TrialSums, other: TrialSums) -> bool:
    names = ("trials", "cross", "n_games", "n_deals")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


@pytest.mark.parametrize("takes", [False, True])
def test_the_number_of_workers_does_not_matter(takes: bool) -> None:
    plan = plan_of(["greedy", "random", "random"], 3, 60)
    sums = tried(plan, takes, workers=1)
    assert same(sums, tried(plan, takes, workers=3))
    assert not same(sums, tried(replace(plan, seed=SEED + 1), takes))


def test_runs_over_different_deals_add() -> None:
    plan = plan_of(["greedy", "casual"], 2, 30)
    parts = tried(replace(plan, n_deals=11), True), tried(replace(plan, n_deals=19), True, first_deal=11)
    assert same(tried(plan, True), add_trials(*parts))
