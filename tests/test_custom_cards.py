"""Cards that do not exist: each new kind by hand, scores and gains against the twin and by trying, whole games."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import playing
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from playing import STEADY, Arbitrary, Mover, Player, Table, draft_in_words, play_beside_twin
from reference import NaiveGame, NaiveRules, card_value, load_cards
from test_gains import COUNTS, RULES, check_draft, check_hand, view_of

from salad_sim import InputError, simulate
from salad_sim import replay as read_replay
from salad_sim.analysis.result import as_result
from salad_sim.card_file import as_card_set, card_file_lines, parse_card_file
from salad_sim.card_terms import points_columns
from salad_sim.cards import COLUMNS, MOST_POINTS, MOST_TERMS, VEGETABLES, WEIGHT_COLUMNS, CardSet, facts, official_set
from salad_sim.cli import main
from salad_sim.deck import MOST_WORTH, capacity_for, most_deals, most_owned, most_score, numbers_drawn
from salad_sim.executors import Shard
from salad_sim.moves import N_PILES, NO_FLIP, draft_of, flip_of
from salad_sim.plan import plan_run
from salad_sim.rules import Rules
from salad_sim.runner import ShardPlayer, is_cold, play_plan, prepare
from salad_sim.scoring import values_of_all
from salad_sim.table import CAPACITY, MAX_PLAYERS, layout

Counts = dict[str, int]
Row = dict[str, object]
HEADER = (*COLUMNS, "copies")
OTHER_CAPACITY = 2 * CAPACITY


def card_set(rows: list[Row], source: str = "my.csv") -> CardSet:
    """Read rows of a card file that say what is not empty."""
    lines = [",".join(HEADER), *(",".join(str(row.get(name, "")) for name in HEADER) for row in rows)]
    return parse_card_file("\n".join(lines), source)


def twin_cards(cards: CardSet, folder: Path) -> list[dict[str, Any]]:
    """The cards as the twin reads them from the file that the program writes."""
    file = folder / "twin.csv"
    file.write_text("\n".join(card_file_lines(cards)), encoding="utf-8")
    return load_cards(file)


def values(cards: CardSet, tables: list[Counts], rules: Rules | None = None) -> list[int]:
    """What each card is worth to the first of some players."""
    view = new_view(cards, [[table.get(veg, 0) for veg in VEGETABLES] for table in tables], rules)
    worth = np.zeros(len(cards), dtype=np.int64)
    values_of_all(view, 0, worth)
    return worth.tolist()  # type: ignore[no-any-return]


def new_view(cards: CardSet, counts: list[list[int]], rules: Rules | None = None, held: list[int] | None = None) -> Any:
    return view_of(counts, facts(cards, rules or Rules()), 0, held or [])


# ------------------------------------------------------------------------------------------- by hand


ONE_EACH = dict.fromkeys(VEGETABLES, 1)


@pytest.mark.parametrize(
    ("terms", "own", "points"),
    [
        # a set of any vegetables: two carrots and a tomato; five carrots hold two pairs, and there are three tomatoes
        ([{"kind": "set", "w_carrot": 2, "w_tomato": 1, "points": 9}], {"carrot": 5, "tomato": 3}, 18),
        ([{"kind": "set", "w_carrot": 2, "w_tomato": 1, "points": 9}], {"carrot": 1, "tomato": 3}, 0),
        # a set of one vegetable: four onions, twice
        ([{"kind": "set", "w_onion": 4, "points": 7}], {"onion": 9}, 14),
        # one of each but peppers
        (
            [{"kind": "set", **{name: 1 for name in WEIGHT_COLUMNS if name != "w_pepper"}, "points": 10}],
            {**ONE_EACH, "pepper": 0, "onion": 4},
            10,
        ),
        # negative points
        ([{"kind": "pair", "w_onion": 2, "points": -5}], {"onion": 4}, -10),
        ([{"kind": "most", "w_onion": 1, "points": -5}], {}, -5),
        # types with at least one, four, twelve
        ([{"kind": "type_at_least_1", "points": 2}], {"onion": 9, "carrot": 1}, 4),
        ([{"kind": "type_at_least_4", "points": 6}], {"onion": 4, "carrot": 3, "pepper": 5}, 12),
        ([{"kind": "type_at_least_12", "points": 6}], {"onion": 12, "carrot": 11}, 6),
        # any values for even and odd
        ([{"kind": "even_odd", "w_onion": 1, "even_points": -3, "odd_points": 8}], {"onion": 2}, -3),
        ([{"kind": "even_odd", "w_onion": 1, "even_points": -3, "odd_points": 8}], {"onion": 3}, 8),
        # more than three vegetables weighed
        (
            [{"kind": "per_veg", "w_cabbage": 4, "w_carrot": 3, "w_onion": -2, "w_pepper": -1, "w_tomato": 1}],
            {"cabbage": 2, "carrot": 1, "onion": 3, "pepper": 1, "tomato": 2},
            8 + 3 - 6 - 1 + 2,
        ),
        # terms add: 2 for each carrot, and 10 for the most lettuce (nobody has any: a tie)
        (
            [{"kind": "per_veg", "w_carrot": 2}, {"kind": "most", "w_lettuce": 1, "points": 10}],
            {"carrot": 3},
            6 + 10,
        ),
        # a threshold that falls: 5 for each type, but 7 less for each type of four
        (
            [{"kind": "type_at_least_1", "points": 5}, {"kind": "type_at_least_4", "points": -7}],
            {"onion": 4, "carrot": 3, "pepper": 1},
            15 - 7,
        ),
        # three terms: fewest of all, missing types, even onions
        (
            [
                {"kind": "fewest_total", "points": 7},
                {"kind": "missing_type", "points": 2},
                {"kind": "even_odd", "w_onion": 1, "even_points": 4, "odd_points": 0},
            ],
            {"onion": 2},
            0 + 10 + 4,
        ),
    ],
)
def test_worked_examples(terms: list[Row], own: Counts, points: int, tmp_path: Path) -> None:
    other = {"carrot": 1}
    cards = card_set([{"back": "onion", **terms[0]}, *terms[1:]])
    assert values(cards, [own, other]) == [points]
    (twin,) = twin_cards(cards, tmp_path)
    assert card_value(twin, [own, other], 0) == points


@pytest.mark.parametrize(
    ("sets", "general", "complete"), [("repeat", 21, 24), ("once", 7, 12), ("complete-once", 21, 12)]
)
def test_a_set_of_any_kind_repeats_unless_all_sets_score_once(sets: str, general: int, complete: int) -> None:
    rows: list[Row] = [
        {"back": "onion", "kind": "set", "w_onion": 2, "points": 7},
        {"back": "onion", "kind": "complete_set", **dict.fromkeys(WEIGHT_COLUMNS, 1), "points": 12},
    ]
    own = {**dict.fromkeys(VEGETABLES, 2), "onion": 6}
    assert values(card_set(rows), [own, {}], Rules(sets=sets)) == [general, complete]


@pytest.mark.parametrize(("zero", "points"), [("nothing", 0), ("even", -3), ("odd", 8)])
def test_zero_of_any_values(zero: str, points: int) -> None:
    cards = card_set([{"back": "onion", "kind": "even_odd", "w_onion": 1, "even_points": -3, "odd_points": 8}])
    assert values(cards, [{}, {}], Rules(zero=zero)) == [points]


# ------------------------------------------------------------------------------------------- any cards


SHAPES: dict[str, tuple[Sequence[int], Sequence[int]]] = {
    "per_veg": (range(1, 7), (-3, -1, 1, 2, 4)),
    "set": (range(1, 7), (1, 1, 1, 2, 3)),
    "pair": ((1,), (2,)),
    "triple": ((1,), (3,)),
    "combo2": ((2,), (1,)),
    "combo3": ((3,), (1,)),
    "complete_set": ((6,), (1,)),
    **dict.fromkeys(("most", "fewest", "even_odd"), ((1,), (1,))),
    **dict.fromkeys(("missing_type", "most_total", "fewest_total", "type_at_least_"), ((0,), ())),
}
"""How many vegetables a kind may ask about, and the weights it may have."""


def any_term(chance: random.Random) -> Row:
    """A term of any kind."""
    kind = chance.choice(list(SHAPES))
    numbers, weights = SHAPES[kind]
    row: Row = {name: chance.choice(weights) for name in chance.sample(WEIGHT_COLUMNS, chance.choice(numbers))}
    for column in points_columns(kind):
        row[column] = chance.randint(-7, 15)
    return {"kind": f"{kind}{chance.randint(1, 6)}" if kind.endswith("_") else kind, **row}


def any_rows(chance: random.Random, n_designs: int, copies: int = 1) -> list[Row]:
    """Rows of so many different cards, a third of which have several terms; backs take turns."""
    rows: list[Row] = []
    for number in range(n_designs):
        back = VEGETABLES[number % 6]
        seen: list[Row] = []
        for _ in range(chance.choice([1, 1, 2, 3])):
            term = any_term(chance)
            if term not in seen:
                seen.append(term)
                rows.append({"card_id": number, "back": back, "copies": copies, **term})
    return rows


def any_set(seed: object, n_designs: int, copies: int = 1) -> CardSet:
    return card_set(any_rows(random.Random(f"{seed}"), n_designs, copies))


SETS = st.integers(0, 10**9).map(lambda seed: any_set(seed, 12))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cards")


@settings(STEADY, max_examples=150)
@given(SETS, COUNTS, RULES)
def test_cards_are_worth_what_the_twin_says(
    folder: Path, cards: CardSet, counts: list[list[int]], rules: Rules
) -> None:
    tables = [dict(zip(VEGETABLES, row, strict=True)) for row in counts]
    naive = NaiveRules(zero=rules.zero, sets=rules.sets)
    expected = [card_value(card, tables, 0, naive) for card in twin_cards(cards, folder)]
    assert values(cards, tables, rules) == expected


@settings(STEADY, max_examples=150)
@given(SETS, COUNTS, RULES, st.data())
def test_gains_are_what_trying_gives(
    cards: CardSet, counts: list[list[int]], rules: Rules, data: st.DataObject
) -> None:
    held = data.draw(st.lists(st.integers(0, len(cards) - 1), unique=True))
    check_hand(new_view(cards, counts, rules, held), 0, len(cards))


@settings(STEADY, max_examples=150)
@given(SETS, COUNTS, RULES, st.data())
def test_a_draft_brings_the_gains_up_to_date(
    cards: CardSet, counts: list[list[int]], rules: Rules, data: st.DataObject
) -> None:
    counts[0] = [min(number, 16) for number in counts[0]]
    held = data.draw(st.lists(st.integers(0, len(cards) - 1), unique=True, min_size=1))
    check_draft(new_view(cards, counts, rules, held), 0, held, data)


@settings(STEADY, max_examples=100)
@given(SETS, COUNTS, RULES)
def test_cards_that_only_gain_are_never_worth_less_than_nothing(
    cards: CardSet, counts: list[list[int]], rules: Rules
) -> None:
    only_gains = facts(cards, rules).only_gains[: len(cards)].tolist()
    tables = [dict(zip(VEGETABLES, row, strict=True)) for row in counts]
    assert all(worth >= 0 for worth, only in zip(values(cards, tables, rules), only_gains, strict=True) if only)


@pytest.mark.parametrize(
    ("terms", "only_gains"),
    [
        ([{"kind": "even_odd", "w_onion": 1, "even_points": -1, "odd_points": 5}], 0),
        ([{"kind": "even_odd", "w_onion": 1, "even_points": 1, "odd_points": 5}], 1),
        ([{"kind": "most", "w_onion": 1, "points": 5}, {"kind": "per_veg", "w_onion": 2, "w_carrot": -1}], 0),
        ([{"kind": "most", "w_onion": 1, "points": 5}, {"kind": "per_veg", "w_onion": 2, "w_carrot": 1}], 1),
        ([{"kind": "per_veg", "w_onion": 2}, {"kind": "most", "w_onion": 1, "points": -1}], 0),
    ],
)
def test_a_card_only_gains_if_all_its_terms_do(terms: list[Row], only_gains: int) -> None:
    record = facts(card_set([{"back": "onion", **terms[0]}, *terms[1:]]))
    assert record.only_gains[0] == only_gains


def test_terms_stand_behind_the_cards_and_are_linked() -> None:
    rows: list[Row] = [
        {"back": "onion", "kind": "most", "w_onion": 1, "points": 5},
        {"kind": "per_veg", "w_carrot": 2},
        {"kind": "missing_type", "points": 3},
        {"back": "carrot", "kind": "per_veg", "w_carrot": 3},
        {"back": "pepper", "kind": "per_veg", "w_carrot": 4},
        {"kind": "pair", "w_tomato": 2, "points": 6},
    ]
    record = facts(card_set(rows))
    assert (record.n_cards, record.n_terms) == (3, 6)
    assert record.next_term[:6].tolist() == [3, -1, 5, 4, -1, -1]
    assert record.linear[:6, 1].tolist() == [0, 3, 4, 2, 0, 0]
    assert record.back[:3].tolist() == [3, 1, 4]
    assert record.one_formula[:3].tolist() == [0, 1, 0]


# ------------------------------------------------------------------------------------------- whole games


@pytest.fixture
def table_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Table]:
    """A function that makes a table for custom cards, whose twin plays with the same ones."""

    def make(cards: CardSet, n_players: int, rules: Rules, start: int = 0) -> Table:
        drawn = numbers_drawn(cards, rules, n_players)
        capacity = capacity_for(cards, drawn)
        monkeypatch.setattr(playing, "CARDS", twin_cards(cards, tmp_path))
        monkeypatch.setattr(playing, "layout", lambda: layout(capacity))
        monkeypatch.setattr(playing, "official_facts", lambda rules: facts(cards, rules, capacity))
        return Table(n_players, rules, start, drawn)

    return make


def play_and_compare(table: Table, seed: int, ask: Mover) -> int:
    """Play a game beside the twin, comparing state and scores before each turn and at the end; return its turns."""
    for played, twin in play_beside_twin(table, seed, ask):
        assert played.scores() == twin.scores(), played.turn
    for tie_break in ("later", "fewer-cards", "shared"):
        shares, _ = table.shares(tie_break)
        assert shares == twin.shares(NaiveRules(**{**vars(twin.rules), "tie_break": tie_break}))
    return table.turn


@pytest.mark.parametrize("n_players", range(2, MAX_PLAYERS + 1))
@pytest.mark.parametrize("seed", range(3))
def test_whole_games_state_by_state(table_of: Callable[..., Table], n_players: int, seed: int) -> None:
    chance = random.Random(f"games {seed} {n_players}")
    of_each = ",".join(str(chance.randint(2, 6)) for _ in VEGETABLES)
    rules = playing.any_rules(chance)
    rules = Rules(**{**rules.as_dict(), "of_each": of_each})
    table = table_of(any_set(f"cards {seed} {n_players}", 36), n_players, rules, chance.randrange(n_players))
    assert play_and_compare(table, seed, Arbitrary(seed)) >= sum(map(int, of_each.split(","))) / 2


def test_a_fixed_deck(table_of: Callable[..., Table]) -> None:
    table = table_of(any_set("fixed", 40), 3, Rules(deck="1-9,20-39"))
    assert play_and_compare(table, 5, Arbitrary(5)) > 10
    dealt = {card for card, place in table.where().items() if place != "out"}
    assert dealt == {*range(1, 10), *range(20, 40)}


def after_draft(twin: NaiveGame, draft: Any) -> tuple[list[int], list[str]]:
    """The point cards of the seat to move after a draft, and the vegetables that it gains."""
    hand = list(twin.hands[twin.seat])
    if draft[0] == "pile":
        return [*hand, twin.piles[draft[1]][-1]], []
    taken = [twin.market[slot] for slot in draft[1]]
    return hand, [twin.cards[card]["back"] for card in taken if card is not None]


def score_with(twin: NaiveGame, hand: list[int], gained: list[str]) -> int:
    tables = twin.tables()
    for veg in gained:
        tables[twin.seat][veg] += 1
    return sum(card_value(twin.cards[card], tables, twin.seat, twin.rules) for card in hand)


def check_greed(twin: NaiveGame, move: int) -> None:
    """See that a move is greedy: no draft scores more at once, then no flip does."""
    draft, flip = draft_in_words(draft_of(move)), flip_of(move)
    hand, gained = after_draft(twin, draft)
    now = score_with(twin, hand, gained)
    assert now == max(score_with(twin, *after_draft(twin, other)) for other in twin.legal_drafts())
    flips = {
        card: score_with(twin, [each for each in hand if each != card], [*gained, twin.cards[card]["back"]])
        for card in hand
    }
    assert max([now, *flips.values()]) == (now if flip == NO_FLIP else flips[flip])
    assert flip == NO_FLIP or flips[flip] > now


def test_greedy_is_greedy_with_any_cards(table_of: Callable[..., Table]) -> None:
    greedy = Player("greedy")
    made: Counter[str] = Counter()

    def ask(table: Table, twin: NaiveGame) -> int:
        move = greedy(table, twin)
        check_greed(twin, move)
        made.update(["flips"] * (flip_of(move) != NO_FLIP) + ["cards"] * (draft_of(move) < N_PILES))
        return move

    for seed, n_players in enumerate([2, 2, 3, 3, 5, 5]):
        table = table_of(any_set(f"greedy {seed}", 48), n_players, Rules(of_each="8"))
        play_and_compare(table, seed, ask)
    assert made["flips"] > 5 and made["cards"] > 50


def test_a_run_counts_what_the_twin_scores(tmp_path: Path) -> None:
    cards = any_set("run", 36)
    plan = plan_run(40, 2, ["greedy", "random"], seed=3, cards=cards)
    twins = twin_cards(cards, tmp_path)
    player = ShardPlayer(plan, prepare(plan))
    totals = np.zeros(2, dtype=int)
    for deal in range(plan.n_deals):
        player(Shard(deal, 1))
        view = player.work.table.public
        tables = [dict(zip(VEGETABLES, row, strict=True)) for row in view.tableau["counts"][:2].tolist()]
        for seat in range(2):
            held = view.tableau[seat].held[: view.tableau[seat].n_held].tolist()
            expected = sum(card_value(twins[card], tables, seat) for card in held)
            assert player.work.scores[seat] == expected
            totals[seat] += expected
    result = as_result(plan, play_plan(plan, 1))
    assert [row["mean_score"] for row in result.seat_rows] == (totals / plan.n_deals).tolist()


@pytest.mark.slow
def test_three_hundred_cards(table_of: Callable[..., Table]) -> None:
    """They need larger records, for which the engine is compiled anew."""
    cards = any_set("many", 100, copies=3)
    assert len(cards) == 300
    rules = Rules(of_each="40")
    table = table_of(cards, 4, rules)
    assert play_and_compare(table, 0, Arbitrary(1)) > 120
    greedy = Player("greedy")

    def ask(table: Table, twin: NaiveGame) -> int:
        move = greedy(table, twin)
        if table.turn % 7 == 0:
            check_greed(twin, move)
        return move

    assert play_and_compare(table, 1, ask) > 120
    result = simulate(200, 4, ["greedy", "random", "random", "random"], rules=rules, cards=cards)
    assert result.seat_rows[0]["win_share"] > 0.5


# ------------------------------------------------------------------------------------------- decks and sums


def test_a_set_that_cannot_serve_the_players_is_refused_with_a_way_out() -> None:
    cards = parse_card_file("# label lettuce = olive\n" + "\n".join(card_file_lines(any_set("few", 40))), "few.csv")
    plan_run(1, 2, cards=cards)
    with pytest.raises(InputError) as caught:
        plan_run(1, 3, cards=cards)
    assert str(caught.value) == (
        "3 players need 9 cards of cabbage (rule of_each=official); the card set has 7. Rule of_each gives other "
        "numbers, as of_each=7,7,7,7,6,6; rule deck names the very cards, as deck=0-39"
    )
    for rules in (Rules(of_each="7,7,7,7,6,6"), Rules(deck="0-39")):
        assert sum(plan_run(1, 3, cards=cards, rules=rules).drawn) == 40
    with pytest.raises(InputError, match="need 8 cards of olive"):
        plan_run(1, 3, cards=cards, rules=Rules(of_each="7,7,8,7,6,6"))


def test_the_capacity_has_room_for_terms_for_many_of_one_and_for_sets() -> None:
    linear: Row = {"back": "onion", "kind": "per_veg", "w_carrot": 1}
    assert capacity_for(official_set(), [18] * 6) == CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 28}]), [0, 0, 0, 28, 0, 0]) == CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 29}]), [0, 0, 0, 29, 0, 0]) == OTHER_CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 108}]), [0, 0, 0, 20, 0, 0]) == CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 109}]), [0, 0, 0, 20, 0, 0]) == OTHER_CAPACITY
    more: list[Row] = [{"kind": "per_veg", "w_carrot": points} for points in (2, 3)]
    assert capacity_for(card_set([{**linear, "copies": 36}, *more]), [0, 0, 0, 20, 0, 0]) == CAPACITY
    assert capacity_for(card_set([{**linear, "copies": 37}, *more]), [0, 0, 0, 20, 0, 0]) == OTHER_CAPACITY
    # of 13 cards a seat may hold 7, of 9 cards 5: with 8 and 12 sets on each it holds 56 and 60
    sets: list[Row] = [{"kind": "combo2", "w_carrot": 1, "w_onion": 1, "points": points} for points in range(1, 13)]
    assert layout().own["hand"]["sets"].shape[0] == 56
    eight = card_set([{"back": "onion", "copies": 13, **sets[0]}, *sets[1:8]])
    twelve = card_set([{"back": "onion", "copies": 9, **sets[0]}, *sets[1:]])
    assert capacity_for(eight, [0, 0, 0, 13, 0, 0]) == CAPACITY
    assert capacity_for(twelve, [0, 0, 0, 9, 0, 0]) == OTHER_CAPACITY


def test_no_seat_owns_more_cards_than_is_said() -> None:
    """One seat takes vegetables whenever it can, two at a time, the others one point card each."""
    for n_players in range(2, MAX_PLAYERS + 1):
        table = Table(n_players, Rules())
        for number in range(3):
            *_, (_, twin) = play_beside_twin(table, number, lambda table, twin: greedy_for_cards(twin))
            own = len(twin.hands[0]) + len(twin.vegetable_cards[0])
            assert own <= most_owned(18 * n_players, n_players)
            assert own >= most_owned(18 * n_players, n_players) - 3


def greedy_for_cards(twin: NaiveGame) -> int:
    drafts = sorted(twin.legal_drafts(), key=lambda draft: len(draft[1]) if draft[0] == "market" else 1)
    return playing.make_move(playing.draft_code(drafts[-1] if twin.seat == 0 else drafts[0]), NO_FLIP)


@settings(STEADY, max_examples=30)
@given(st.integers(0, 10**6))
def test_no_seat_scores_more_than_is_said(seed: int) -> None:
    cards = any_set(f"most {seed}", 36)
    plan = plan_run(50, 2, ["greedy", "random"], seed=seed, cards=cards)
    most = most_score(cards, most_owned(36, 2))
    player = ShardPlayer(plan, prepare(plan))
    for deal in range(20):
        player(Shard(deal, 1))
        assert np.abs(player.work.scores).max() <= most


def test_the_bound_for_scores_by_hand() -> None:
    """Six cards of 3 points for each carrot, 12 cards in the deck, two players: a seat owns 8 cards at most."""
    rows: list[Row] = [{"back": veg, "kind": "per_veg", "w_carrot": 3, "copies": 2} for veg in VEGETABLES]
    cards = card_set(rows)
    assert most_owned(12, 2) == 8
    assert most_score(cards, 8) == 4 * 4 * 3 + 1
    fixed = card_set([{"back": veg, "kind": "most_total", "points": -5, "copies": 2} for veg in VEGETABLES])
    assert most_score(fixed, 8) == 8 * 5 + 1


def test_more_games_than_can_be_counted_are_refused() -> None:
    high = card_set([{"back": veg, "kind": "per_veg", "w_carrot": 999, "copies": 6} for veg in VEGETABLES], "high.csv")
    low = card_set([{"back": veg, "kind": "per_veg", "w_carrot": 2, "copies": 6} for veg in VEGETABLES])
    assert plan_run("1e11", 2, cards=low).n_games == 10**11
    assert plan_run("1e6", 2, cards=high).n_games == 10**6
    with pytest.raises(InputError, match=r"games: the scores of 1,000,000,000,000 games with the cards of high\.csv"):
        plan_run("1e12", 2, cards=high)
    limit = most_deals(high, most_owned(36, 2), 2)
    assert plan_run(limit, 2, cards=high).n_games == limit
    with pytest.raises(InputError, match=f"up to {limit:,} games"):
        plan_run(limit + 1, 2, cards=high)
    mixed = ["greedy", "random"]
    assert plan_run(3 * limit, 2, mixed, cards=high).n_games == 3 * limit
    assert plan_run(2 * limit, 2, mixed, cards=high, rotate=True).n_games == 2 * limit
    with pytest.raises(InputError, match=f"up to {2 * limit:,} games"):
        plan_run(2 * limit + 1, 2, mixed, cards=high, rotate=True)
    assert plan_run("1e15", 2).n_games == 10**15


def test_a_card_that_could_be_worth_too_much_is_refused() -> None:
    rows: list[Row] = [{"back": veg, "kind": "per_veg", "w_carrot": 999, "copies": 20} for veg in VEGETABLES]
    with pytest.raises(InputError, match=f"card 0, '999/carrot', could be worth .* {MOST_WORTH:,} are allowed"):
        plan_run(10, 2, cards=card_set(rows), rules=Rules(of_each="20"))


def test_the_largest_set_adds_up_in_32_bits() -> None:
    """The worst that a hand record may be asked to sum up: on each term the most points for each of one vegetable."""
    assert MOST_TERMS * MOST_POINTS * (MOST_TERMS + 2) < 2**31 - 2 * MOST_TERMS * MOST_POINTS


# ------------------------------------------------------------------------------------------- the program


FILE = """\
# label cabbage = olive
card_id,back,kind,text,w_olive,w_carrot,w_lettuce,w_onion,w_pepper,w_tomato,points,even_points,odd_points,copies
1,olive,set,,0,2,0,0,0,1,9,0,0,6
2,carrot,type_at_least_4,,0,0,0,0,0,0,6,0,0,6
3,lettuce,most,,0,0,0,1,0,0,10,0,0,6
3,,fewest,,0,0,0,0,1,0,4,0,0,
4,onion,per_veg,,3,-1,1,0,0,0,0,0,0,6
5,pepper,even_odd,"odd one out",0,0,0,0,0,1,0,-3,8,6
6,tomato,missing_type,,0,0,0,0,0,0,5,0,0,6
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "my.csv").write_text(FILE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("greedy", "random"):
        prepare(plan_run(1, 2, name))
    return "my.csv"


def good(*words: str) -> str:
    """What a command prints, which must succeed and say nothing on stderr."""
    result = CliRunner().invoke(main, list(words))
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_run_takes_a_card_file_and_agrees_with_python(file: str) -> None:
    told = json.loads(good("run", "--games", "200", "--cards", file, "--format", "json"))
    result = simulate(200, cards=file)
    assert told["cards"] == file
    assert told["seats"] == result.seat_rows == simulate(200, cards=as_card_set(file)).seat_rows
    assert told["seats"] != simulate(200).seat_rows
    assert simulate(10).as_dict()["cards"] == "official"


def test_run_json_holds_the_cards(file: str, tmp_path: Path) -> None:
    good("run", "--games", "50", "--cards", file, "--out", "first", "--quiet")
    record = json.loads((tmp_path / "first" / "run.json").read_text())
    assert record["again"].endswith("--cards my.csv")
    assert record["options"]["cards"]["source"] == file
    again = tmp_path / "again.csv"
    again.write_text("\n".join(record["options"]["cards"]["file"]), encoding="utf-8")
    assert as_card_set(again) == as_card_set(file)
    words = record["again"].replace("my.csv", "again.csv").split()[1:]
    good(*words, "--out", "second", "--quiet")
    for name in ("seats.csv", "strategies.csv"):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes()
    good("run", "--games", "50", "--out", "official", "--quiet")
    record = json.loads((tmp_path / "official" / "run.json").read_text())
    assert "cards" not in record["options"]
    assert "--cards" not in record["again"]


def test_a_copy_of_the_official_file_is_the_official_game(tmp_path: Path) -> None:
    file = tmp_path / "copy.csv"
    file.write_text(good("cards", "--format", "csv"), encoding="utf-8")
    assert simulate(100, cards=file).seat_rows == simulate(100).seat_rows
    assert "cards" not in plan_run(1, cards=file).options()


def test_cards_lists_the_set(file: str, tmp_path: Path) -> None:
    table = good("cards", "--cards", file)
    assert "carrot + carrot + tomato = 9" in table and "most + fewest" in table
    assert table.splitlines()[-1] == "36 cards: 6 olive, 6 carrot, 6 lettuce, 6 onion, 6 pepper, 6 tomato on the back"
    assert good("cards").splitlines()[-1].startswith("108 cards: 18 cabbage, ")
    rows = json.loads(good("cards", "--cards", file, "--format", "json"))
    assert len(rows) == 42
    assert (rows[0]["back"], rows[0]["w_cabbage"], rows[24]["text"]) == ("olive", 0, "3/olive, 1/lettuce, -1/carrot")
    text = good("cards", "--cards", file, "--format", "csv")
    (tmp_path / "same.csv").write_text(text, encoding="utf-8")
    assert as_card_set(tmp_path / "same.csv") == as_card_set(file)
    assert good("cards", "--cards", "same.csv", "--format", "csv") == text
    assert len(list(csv.DictReader(text.splitlines()[1:]))) == 42


def test_replay_plays_with_the_cards(file: str) -> None:
    text = good("replay", "--cards", file, "--game", "3")
    assert '"odd one out" (card ' in text
    assert '"most onion = 10; fewest pepper = 4" (card ' in text
    assert f"Rules: cards of {file}; " in text
    assert " olive" in text and "cabbage" not in text
    assert text == read_replay(3, cards=file)
    hand_draft = good("replay", "--game", "hand-draft", "--cards", file, "-s", "random", "--quiet")
    assert " olive" in hand_draft and "cabbage" not in hand_draft


@pytest.mark.parametrize("command", ["run", "replay", "cards"])
def test_a_bad_file_ends_in_one_line_and_exit_2(file: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(FILE.replace("type_at_least_4", "type_at_lest_4"), encoding="utf-8")
    result = CliRunner().invoke(main, [command, "--cards", "bad.csv"])
    assert (result.exit_code, result.stdout) == (2, "")
    start = "salad-sim: bad.csv, line 4, column kind: unknown kind 'type_at_lest_4' (did you mean 'type_at_least_4'?)"
    assert result.stderr.startswith(start)
    assert result.stderr.count("\n") == 1
    missing = CliRunner().invoke(main, [command, "--cards", "none.csv"])
    assert (missing.exit_code, missing.stderr) == (
        2,
        "salad-sim: card file 'none.csv' cannot be read: No such file or directory\n",
    )


def test_other_records_are_said_to_be_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index of the compiler's cache is there from the official records; that is not enough."""
    small = plan_run(1, 2)
    prepare(small)
    assert not is_cold(small)
    large = plan_run(1, 2, cards=any_set("large", 40, copies=3))
    assert large.capacity == OTHER_CAPACITY
    monkeypatch.setattr("salad_sim.runner._fresh_indexes", lambda folder, function: [tmp_path / "engine.nbi"])
    assert is_cold(small) and is_cold(large)
    (tmp_path / f"engine.{CAPACITY}").touch()
    assert not is_cold(small)
    assert is_cold(large)
    (tmp_path / f"engine.{OTHER_CAPACITY}").touch()
    assert not is_cold(large)


def test_moves_are_told_with_the_labels(file: str) -> None:
    from salad_sim.words import move_in_words, vegetables

    plan = plan_run(1, 2, cards=file)
    player = ShardPlayer(plan, prepare(plan))
    player(Shard(0, 1))
    view = player.work.table.public
    view.market[:] = [0, 1, 2, 3, 4, 5]
    said = move_in_words(view, plan.cards, int(playing.make_move(playing.pair_draft(0, 1), 0)))
    assert said == (
        "take the olive (column 1, upper row) and the carrot (column 2, upper row), "
        'then flip "carrot + carrot + tomato = 9" (card 0) to its olive'
    )
    assert vegetables([2, 0, 0, 1, 0, 0], plan.cards.labels) == "2 olive, 1 onion"
