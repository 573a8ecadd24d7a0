"""Counts by card: beside the naive twin, in blocks, and given that a card is in the deck."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from salad_sim import CardSet, InputError, Rules
from salad_sim.game.cards import Card, official_cards
from salad_sim.jit.records import new_record
from salad_sim.jit.rng import DEAL_STREAM, seed_stream
from salad_sim.jit.typing import Ints
from salad_sim.play.card_counters import counted_dtype, deal_wanted
from salad_sim.play.card_sums import LEAST_BIN, N_BINS, WORTH_UNITS, CardSums, total
from salad_sim.run.driver import Session, play_plan
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import new_workspace
from salad_sim.studies.cards import play
from salad_sim.studies.cards.play import N_BLOCKS, Effects, block_of, count_by_card
from support.playing import ERROR_RATE, PLAYERS, SEED, fits
from support.reference.cards import compare, count_once_more, part

SUMS = ("n_games", "cards", "pairs", "seat_dev", "seat_wins", "dev_squared", "wins_squared")


def plan_of(names: str | list[str], players: int, games: int, **more: object) -> Plan:
    return plan_run(games, players, names, SEED, **more)  # type: ignore[arg-type]


def counted(plan: Plan, **more: object) -> CardSums:
    workers = more.pop("workers", None)
    sums = count_by_card(plan, session=Session(workers), **more)  # type: ignore[arg-type]
    return sums


def check(plan: Plan, first_deal: int = 0, effects: Effects | None = None) -> CardSums:
    """Compare everything that is counted with the twin, over all blocks, and return it; a shard has several deals."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(play, "N_BLOCKS", 3)
        found = counted(plan, first_deal=first_deal, effects=effects)
    assert len(found.n_games) <= 3 and found.n_games[0] > 1
    sums = count_once_more(plan, range(first_deal, first_deal + plan.n_deals), effects)
    compare(total(found.cards), part(sums, "card"), "card")
    compare(total(found.pairs), part(sums, "pair"), "pair")
    for name in ("seat_dev", "seat_wins"):
        values = getattr(found, name).sum(axis=0).tolist()
        assert values == [sums[name, seat] for seat in range(plan.n_players)]
    for name in ("n_games", "dev_squared", "wins_squared", "dev_extra", "extra_squared"):
        assert getattr(found, name).sum() == sums[name,] and (sums[name,] > 0 or "extra" in name)
    return found


def mixed(n_players: int) -> list[str]:
    return ["greedy", "random", "hoarder", "greedy", "casual", "point-grabber"][:n_players]


# ------------------------------------------------------------------------------------------------------------ the twin


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("who", ["random", "greedy", "mixed"])
def test_every_count_is_what_the_moves_say(who: str, players: int) -> None:
    check(plan_of(mixed(players) if who == "mixed" else who, players, 20))


@pytest.mark.parametrize(
    ("names", "players", "more"),
    [
        (["greedy", "random", "greedy"], 3, {"rules": Rules(tie_break="shared")}),
        ("casual", 2, {"rules": Rules(vegetables="up-to-two", split="down", zero="even", tie_break="fewer-cards")}),
        ("greedy", 4, {"rules": Rules(split="draw", sets="once", tie_break="last-turn")}),
        (["greedy", "random"], 2, {"rules": Rules(flip="never"), "head_start": [0, 20]}),
    ],
)
def test_by_other_rules(names: str | list[str], players: int, more: dict[str, object]) -> None:
    check(plan_of(names, players, 25, **more))


def test_shared_wins() -> None:
    """Games of few cards and points, which many share."""
    few = [Card(number, number // 18, "fewest_total", "", (0,) * 6, number % 2) for number in range(108)]
    plan = plan_of("casual", 3, 60, rules=Rules(tie_break="shared", of_each="2"), cards=CardSet(few, source="few"))
    found = check(plan)
    shared = found.wins_squared.sum() < plan.n_games * (120**2 + 2 * 60**2)
    assert shared and (found.seat_wins.sum(axis=0) % 60 > 0).any()


def test_points_beyond_the_first_and_the_last_bin() -> None:
    """Cards of many points less and of 85 to 89 points; the bins are from -40 to 87."""
    cards = [
        Card(number, number // 18, "per_veg", "", (-20 + number % 3,) * 6)
        if number % 2
        else Card(number, number // 18, "most_total", "", (0,) * 6, 85 + number % 5)
        for number in range(108)
    ]
    plan = plan_of(["point-grabber", "greedy"], 2, 30, cards=CardSet(cards, source="wild"))
    found = total(check(plan).cards)
    assert found["points_at"][:, 0].sum() > 0 < found["points_at"][:, N_BINS - 1].sum()
    assert (found["points"] < LEAST_BIN * found["kept"]).any() and (found["negative"] > 0).any()


def test_a_deck_of_few_cards_with_terms() -> None:
    first, *rest = official_cards()[:-1]  # with one card less and one term more the records are those of the game
    term = Card(0, first.back, "most", "", (0, 0, 1, 0, 0, 0), points=3)
    cards = CardSet((replace(first, more=(term,)), *rest), source="mine")
    check(plan_of(["greedy", "random"], 2, 30, rules=Rules(of_each="2,1,1,1,3,1"), cards=cards))


@pytest.mark.slow
def test_a_set_of_more_cards_than_the_game_has() -> None:
    """Larger records, for which everything is compiled once more."""
    cards = [replace(official_cards()[number % 108], card_id=number) for number in range(126)]
    check(plan_of(["greedy", "random"], 2, 20, cards=CardSet(cards)))


def any_effects(n_players: int, units: int = WORTH_UNITS) -> Effects:
    chance = np.random.default_rng(SEED)
    cards, seats, pairs = (
        chance.integers(-most, most, n) for most, n in ((9000, 108), (2000, n_players), (3000, 5778))
    )
    return Effects(cards, seats, units, pairs)


@pytest.mark.parametrize(("players", "who"), [(2, "greedy"), (3, "mixed"), (6, "random")])
def test_what_is_left_of_deviations_where_worths_are_known(players: int, who: str) -> None:
    plan = plan_of(mixed(players) if who == "mixed" else who, players, 20)
    check(plan, effects=any_effects(players))
    raw, scaled = counted(plan), counted(plan, effects=Effects(np.zeros(108, int), np.zeros(players, int), 7))
    assert (7 * raw.cards["dev"] == scaled.cards["dev"]).all() and (49 * raw.dev_squared == scaled.dev_squared).all()


def test_from_a_later_deal_on() -> None:
    check(plan_of(["greedy", "random", "casual"], 3, 20), first_deal=1_000_001)


# ---------------------------------------------------------------------------------------------------- blocks and runs


def same(one: CardSums, other: CardSums) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in SUMS)


def test_neither_workers_nor_shards_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(["greedy", "random"], 2, 1000)
    sums = counted(plan, workers=1)
    assert same(sums, counted(plan, workers=3))
    assert not same(sums, counted(replace(plan, seed=SEED + 1)))
    monkeypatch.setattr(play, "MOST_SHARD", 4)
    assert block_of(1000) == (4, 16)
    assert same(sums, counted(plan, workers=2))
    assert counted(plan, first_deal=7).n_games.tolist() == sums.n_games.tolist() == [16] * 62 + [8]
    monkeypatch.setattr(play, "MOST_SHARD", 5)
    assert block_of(1000) == (4, 16)  # no shard is short but the last
    monkeypatch.setattr(play, "MOST_SHARD", 7)
    assert block_of(1000) == (6, 18)
    others = counted(plan, workers=2)
    assert others.n_games.tolist() == [18] * 55 + [10]
    for name in ("cards", "pairs"):
        assert (total(getattr(others, name)) == total(getattr(sums, name))).all()


def test_a_block_holds_its_own_deals() -> None:
    plan = plan_of(["greedy", "random", "random"], 3, 130)
    sums = counted(plan)
    assert sums.n_games.tolist() == [3] * 43 + [1]
    for block in (0, 1, 20, 43):
        n_deals, first = int(sums.n_games[block]), 3 * block
        alone = counted(replace(plan, n_deals=n_deals), first_deal=first)
        for name in SUMS:
            whole = getattr(alone, name)
            whole = total(whole) if name in ("cards", "pairs") else whole.sum(axis=0)
            assert (whole == getattr(sums, name)[block]).all(), name


@pytest.mark.parametrize("n_deals", [1, 2, 63, 64, 65, 1000, 20_000 * 64, 20_000 * 64 + 1, 10**9])
def test_blocks_are_of_equal_size(n_deals: int) -> None:
    shard, block = block_of(n_deals)
    assert 1 <= shard <= play.MOST_SHARD and block % shard == 0
    n_blocks = -(-n_deals // block)
    assert n_blocks <= N_BLOCKS and (n_blocks == min(N_BLOCKS, n_deals) or n_deals % N_BLOCKS)
    assert block * N_BLOCKS < n_deals + N_BLOCKS * (1 + block // shard)


def test_runs_over_different_deals_add() -> None:
    plan = plan_of("casual", 4, 300)
    whole, *parts = (
        counted(replace(plan, n_deals=n_deals), first_deal=first) for first, n_deals in ((0, 300), (0, 120), (120, 180))
    )
    for name in ("cards", "pairs"):
        one, other = (total(getattr(each, name)) for each in parts)
        both = total(getattr(whole, name))
        for field in both.dtype.names:
            assert (both[field] == one[field] + other[field]).all()
    for name in ("n_games", "seat_dev", "seat_wins", "dev_squared", "wins_squared"):
        assert (getattr(whole, name).sum(axis=0) == sum(getattr(each, name).sum(axis=0) for each in parts)).all()


@pytest.mark.parametrize(("name", "players"), [("greedy", 2), ("casual", 5)])
def test_the_games_are_those_of_a_run(name: str, players: int) -> None:
    plan = plan_of(name, players, 2000)
    sums = counted(plan)
    tally = play_plan(plan).tally
    cards = total(sums.cards)
    wins, score, kept, flipped = (
        tally[name].sum(axis=0)[:players].astype(int) for name in ("wins", "score", "kept", "flipped")
    )
    assert sums.seat_wins.sum(axis=0).tolist() == wins.tolist()
    assert sums.seat_dev.sum(axis=0).tolist() == (players * score - score.sum()).tolist()
    assert cards["kept_at"].sum(axis=0)[:players].tolist() == kept.tolist()
    assert cards["kept"].sum() == kept.sum() and cards["flipped"].sum() == flipped.sum()
    assert cards["points"].sum() == score.sum()
    assert cards["dealt"].sum() == 18 * players * 2000
    assert cards["wins_kept"].sum() > 0


# ------------------------------------------------------------------------------------------------ a card that is wanted

SMALL = CardSet([replace(official_cards()[18 * (number // 5) + number % 5], card_id=number) for number in range(30)])
"""Five cards of each vegetable."""


def test_a_deck_with_a_wanted_card_is_else_a_random_one() -> None:
    """Two of five cards of each vegetable play, in three piles of four; card 7 is a carrot."""
    wanted, n_deals = 7, 6000
    plan = plan_of("random", 2, n_deals, rules=Rules(of_each="2"), cards=SMALL)
    work, plain = new_record(counted_dtype(plan.capacity)), new_workspace(plan)
    work.table = plain.table
    work.wanted = wanted
    places: Counter[int] = Counter()
    with_it: Counter[int] = Counter()
    others: Counter[tuple[int, int]] = Counter()
    neighbours: Counter[int] = Counter()
    for number in range(n_deals):
        seed_stream(work.table.rng, SEED, number, DEAL_STREAM)
        deal_wanted(work)
        deck = work.table.deck[:12].tolist()
        by_back = [sorted(card for card in deck if card // 5 == veg) for veg in range(6)]
        assert all(len(cards) == 2 for cards in by_back) and wanted in deck
        assert work.table.public.n_left == 12 and work.table.public.n_market == 6
        places[deck.index(wanted)] += 1
        with_it[next(card for card in by_back[1] if card != wanted)] += 1
        others[tuple(by_back[4])] += 1  # type: ignore[index]
        neighbours[deck[(deck.index(wanted) + 1) % 12] // 5] += 1
    assert set(with_it) == {5, 6, 8, 9} and fits(list(with_it.values()))
    assert set(others) == set(combinations(range(20, 25), 2)) and fits(list(others.values()))
    assert set(places) == set(range(12)) and fits(list(places.values()))
    assert fits([neighbours[veg] for veg in range(6)], [2, 1, 2, 2, 2, 2])


def test_where_the_deck_has_the_card_nothing_changes() -> None:
    plan = plan_of("greedy", 3, 1)
    n_with_it = 0
    for number in range(40):
        free, given = counted(plan, first_deal=number), counted(plan, first_deal=number, wanted=50)
        has_it = free.cards["dealt"][0, 50] == 1
        assert same(free, given) == has_it
        assert (free.cards["dealt"] != given.cards["dealt"]).sum() == (0 if has_it else 2)
        n_with_it += has_it
    assert 10 <= n_with_it <= 30


def test_every_deck_has_the_wanted_card_and_a_uniform_choice_of_others() -> None:
    wanted, n_deals = 40, 4000
    dealt = total(counted(plan_of("random", 2, n_deals), wanted=wanted).cards)["dealt"]
    assert dealt[wanted] == n_deals
    back = np.array([card.back for card in official_cards()])
    for veg in range(6):
        cards = np.flatnonzero((back == veg) & (np.arange(108) != wanted))
        n_drawn = 6 - (back[wanted] == veg)
        assert dealt[cards].sum() == n_drawn * n_deals
        # drawn without putting back: the counts of m cards vary less, by (1 - share) * m / (m - 1)
        share, m = n_drawn / len(cards), len(cards)
        spread = n_deals * share * (1 - share) * m / (m - 1)
        statistic = ((dealt[cards] - n_deals * share) ** 2).sum() / spread
        assert stats.chi2.sf(statistic, m - 1) > ERROR_RATE


def test_a_six_player_deck_has_every_card_anyway() -> None:
    plan = plan_of("random", 6, 20)
    assert same(counted(plan), counted(plan, wanted=5))


@pytest.mark.parametrize(("names", "players"), [("greedy", 2), (["random", "greedy", "greedy"], 3)])
def test_the_wanted_card_fares_as_in_free_deals_that_have_it(names: str | list[str], players: int) -> None:
    """Means over games with the card in the deck; the deals are others, so that the two are independent."""
    wanted, n_deals = 61, 12_000
    plan = plan_of(names, players, n_deals)
    free = total(counted(replace(plan, n_deals=2 * n_deals)).cards)[wanted]
    given = total(counted(plan, first_deal=10**6, wanted=wanted).cards)[wanted]
    assert given["dealt"] == n_deals and 0.2 * n_deals < free["dealt"] < 1.2 * n_deals
    differences = [z_score(name, base, free, given) for name, base in MEANS]
    largest = stats.norm.isf(ERROR_RATE / 2 / len(MEANS))
    assert max(map(abs, differences)) < largest, dict(zip(MEANS, differences, strict=True))


MEANS = [
    ("seen", "dealt"),
    ("taken", "dealt"),
    ("kept", "dealt"),
    ("market", "dealt"),
    ("zero", "kept"),
    ("looks", "dealt"),
    ("last_seen", "seen"),
    ("taken_at", "taken"),
    ("points", "kept"),
    ("wins_kept", "kept"),
    ("wins_taken", "taken"),
    ("left", "dealt"),
    ("wins_left", "dealt"),
    ("dev", "kept"),
]
"""Sums and the games over which they are means."""


def z_score(name: str, base: str, one: Ints, other: Ints) -> float:
    """The difference of two independent means in standard errors."""
    means, variances = [], []
    for each in (one, other):
        n = int(each[base])
        mean = each[name] / n
        square = each[f"{name}_squared"] / n if f"{name}_squared" in (each.dtype.names or ()) else mean
        means.append(mean)
        variances.append((square - mean**2) / n)
    return float((means[0] - means[1]) / np.sqrt(sum(variances)))


def test_the_wrong_card_would_not_fare_alike() -> None:
    """The comparison above can tell cards apart."""
    plan = plan_of("greedy", 2, 12_000)
    free = total(counted(replace(plan, n_deals=24_000)).cards)[40]
    given = total(counted(plan, first_deal=10**6, wanted=61).cards)[61]
    assert max(abs(z_score(name, base, free, given)) for name, base in MEANS) > 10


# ------------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"rules": Rules(rounds=2)}, "the worth of cards is studied in games of one round, not of 2"),
        ({"game": "hand-draft"}, "the worth of cards is studied in the game point-salad only, not in hand-draft"),
    ],
)
def test_other_games_are_refused(more: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        counted(plan_of("random", 2, 10, **more))


def test_card_sets_that_are_too_large_are_refused() -> None:
    many = CardSet([replace(official_cards()[number % 108], card_id=number) for number in range(401)], source="many")
    with pytest.raises(InputError, match="many: the worth of cards is studied for sets of up to 400 cards, not 401"):
        counted(plan_of("random", 2, 1, cards=many))
