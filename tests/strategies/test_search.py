"""The strategy `search`: its tree adds up, endings are exact, and looking ahead finds what playing out misses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pytest

from salad_sim import simulate
from salad_sim.game.deck_check import capacity_for, numbers_drawn
from salad_sim.game.endgame import LARGEST_SOLVED, NOT_SOLVED
from salad_sim.game.engine import LEGAL, why_illegal
from salad_sim.game.moves import NO_FLIP, make_move, pair_draft
from salad_sim.game.rules import OFFICIAL, Rules
from salad_sim.tools.compliance import check_strategy
from salad_sim_strategies.rollout import POLICIES
from salad_sim_strategies.search import MOST_LEFT_IN_A_CROWD, N_NODES, key_of
from support.card_sets import any_set
from support.endings import all_moves, code, endings, is_open_in_words, mover, solver, values
from support.mixes import BUILT_IN, RULE_MIXES
from support.playing import PLAYERS, SEED, Player, Position, Table, play_beside_twin, stream
from support.reference.rollout import NaiveRollout

ROOT = 0


class Tree:
    """The tree that a player has left behind."""

    def __init__(self, player: Player) -> None:
        trial = player.memory
        self.nodes = trial["nodes"][: trial.n_nodes].copy()
        self.visits, self.totals = self.nodes["visits"].tolist(), self.nodes["total"].tolist()
        self.children = [list(self.walk(node)) for node in range(trial.n_nodes)]

    def walk(self, node: int) -> Iterator[int]:
        """The children of a node."""
        child = int(self.nodes["first_child"][node])
        while child != ROOT:
            yield child
            child = int(self.nodes["next_child"][child])

    def below(self, node: int) -> int:
        """Visits of all children."""
        return sum(self.visits[child] for child in self.children[node])


def spec(**settings: Any) -> str:
    return f"search({', '.join(f'{name}={value}' for name, value in settings.items())})"


def n_candidates(position: Position, width: int) -> int:
    rollout = NaiveRollout(BUILT_IN, n=1, width=width, mix=0.0, policy="random", objective="win")
    return min(width, len(rollout.candidates(position.twin)))


def at_turn(table: Table, turn: int, number: int = 0) -> Position:
    return next(each for each in play_beside_twin(table, SEED, Player("greedy"), number) if each.twin.turn == turn)


# ------------------------------------------------------------------------------------- the tree adds up


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("n_players", PLAYERS)
def test_every_game_in_mind_is_counted_at_every_node_that_it_passed(n_players: int, policy: str) -> None:
    rules = list(RULE_MIXES.values())[n_players % len(RULE_MIXES)]
    for turn, width, n in ((0, 5, 12), (7, 64, 3), (15, 3, 40)):
        position = at_turn(Table(n_players, rules), turn)
        player = Player(spec(n=n, width=width, policy=policy, objective="win"))
        player(position.table)
        tree = Tree(player)
        n_arms = n_candidates(position, width)
        assert tree.visits[ROOT] == tree.below(ROOT) == n * n_arms
        assert sorted(chain(*tree.children)) == list(range(1, len(tree.nodes)))  # each is the child of one
        for node in range(1, len(tree.nodes)):
            assert tree.visits[node] == 1 + tree.below(node)
            assert 0 <= tree.totals[node] <= tree.visits[node]
        for node, children in enumerate(tree.children):
            assert len({int(tree.nodes["key"][child]) for child in children}) == len(children)
            for child in children:
                seen = int(tree.nodes["seen"][child])
                assert tree.visits[child] - 1 <= seen <= tree.visits[node] - 1


def test_what_one_wins_the_other_loses() -> None:
    """Two players and no shared wins: the games of a node's children are its own, as the other seat sees them."""
    position = at_turn(Table(2), 5)
    player = Player(spec(n=60, width=6, policy="planner", objective="win"))
    player(position.table)
    tree, n_deep = Tree(player), 0
    for node in range(1, len(tree.nodes)):
        if tree.children[node]:
            lost = tree.below(node) - sum(tree.totals[child] for child in tree.children[node])
            first = tree.totals[node] - lost  # what came of the game that made the node
            assert first in (0, 1)
            n_deep += tree.visits[node] > 10
    assert n_deep > 5


def test_margins_lie_within_what_can_be_scored() -> None:
    position = at_turn(Table(3), 20)
    player = Player(spec(n=10, objective="margin", policy="greedy"))
    player(position.table)
    tree = Tree(player)
    means = [total / visits for total, visits in zip(tree.totals[1:], tree.visits[1:], strict=True)]
    assert min(means) < 0 < max(means)
    assert max(map(abs, means)) < 150


@pytest.mark.parametrize("n_players", PLAYERS)
def test_it_makes_the_move_that_was_tried_most(n_players: int) -> None:
    for turn in (0, 6, 12):
        position = at_turn(Table(n_players), turn)
        player = Player(spec(n=20, width=8, policy="planner"))
        move = player(position.table)
        tree = Tree(player)
        most = max(tree.visits[child] for child in tree.children[ROOT])
        best = {int(tree.nodes["key"][child]) for child in tree.children[ROOT] if tree.visits[child] == most}
        assert why_illegal(position.table.view, move) == LEGAL
        assert key_of(position.table.view, move) in best


def test_a_full_tree_grows_no_more_and_counts_on() -> None:
    position, player = at_turn(Table(2), 2), Player(spec(n=800, policy="random", explore=5, trust=50))
    move = player(position.table)
    tree = Tree(player)
    assert len(tree.nodes) == N_NODES
    assert tree.visits[ROOT] == tree.below(ROOT) == 800 * 12 > N_NODES
    assert sorted(chain(*tree.children)) == list(range(1, N_NODES))
    assert all(tree.visits[node] >= 1 + tree.below(node) for node in range(1, N_NODES))
    assert any(tree.visits[node] > 1 + tree.below(node) for node in range(1, N_NODES))
    assert why_illegal(position.table.view, move) == LEGAL


# ------------------------------------------------------------------------------------- the learned value


def test_where_cards_are_hidden_it_looks_ahead_as_an_expert_does() -> None:
    """With the same numbers it is the strategy `expert` with as many tables, until an ending can be solved."""
    searching, expert = Player(spec(n=3)), Player("expert(n=3)")
    for turn in (2, 9, 14):
        position = at_turn(Table(2), turn)
        searching.rng, expert.rng = stream(turn), stream(turn)
        assert searching(position.table) == expert(position.table)
        assert searching.rng == expert.rng != stream(turn)


# ------------------------------------------------------------------------------------- keys


@pytest.mark.parametrize("mix", RULE_MIXES)
def test_moves_that_differ_have_keys_that_differ(mix: str) -> None:
    for number in range(2):
        for position in play_beside_twin(Table(2 + number, RULE_MIXES[mix]), SEED, mover(number), number):
            if not position.twin.over and position.twin.turn % 3 == 0:
                moves = [code(turn) for turn in all_moves(position)]
                assert len({key_of(position.table.view, move) for move in moves}) == len(moves)


def test_a_key_names_cards_and_not_where_they_lie() -> None:
    """The same two cards in other slots are the same move; a card on a pile and in the market are two."""
    table = Table(2)
    table.deal(SEED)
    view = table.view
    before = view.market_card.copy()
    keys = [key_of(view, make_move(int(pair_draft(1, 4)), NO_FLIP))]
    view.market_card[[1, 4, 3]] = before[[3, 1, 4]]  # the one that was in 4 now lies in 3, that of 1 in 4
    keys.append(key_of(view, make_move(int(pair_draft(3, 4)), NO_FLIP)))
    assert keys[0] == keys[1]
    view.market_card[0] = view.top[0]
    single, card = int(pair_draft(0, 0)), 0
    assert key_of(view, make_move(single, NO_FLIP)) != key_of(view, make_move(card, NO_FLIP))
    flips = Counter(int(key_of(view, make_move(card, flip))) for flip in range(NO_FLIP, 108))
    assert len(flips) == 109


# ------------------------------------------------------------------------------------- endings


@pytest.mark.parametrize("mix", RULE_MIXES)
@pytest.mark.parametrize("n_players", [2, 3, 5])
def test_open_endings_are_played_exactly(n_players: int, mix: str) -> None:
    """Where nothing is hidden it makes the solver's move and asks for no random number."""
    player, n_found, n_others = Player(spec(n=1, width=2)), 0, 0
    for number in range(4):
        for table, twin in play_beside_twin(Table(n_players, RULE_MIXES[mix]), SEED, mover(number), number):
            if twin.over or table.n_left > 12:
                continue
            before = player.rng.copy()
            move = player(table)
            if is_open_in_words(twin) and (n_players == 2 or table.n_left <= MOST_LEFT_IN_A_CROWD):
                best = solver(table, 100_000)
                if best != NOT_SOLVED:
                    assert move == best
                    assert player.rng == before
                    n_found += 1
            else:
                n_others += player.rng != before
    assert n_found >= 8 and n_others >= 3


def test_an_ending_that_takes_too_many_positions_is_searched() -> None:
    searching = Player(spec(n=2, policy="planner", solve=0))
    searching(next(endings(2, OFFICIAL, 5000, range(9))).table)
    assert Tree(searching).visits[ROOT] > 0


def regret(position: Position, move: int) -> float:
    """How much worse than the best a move is, with best play after it."""
    table, seat = position.table, position.table.seat
    assert solver(table) != NOT_SOLVED
    best, before = values(table)[seat], table.record.copy()
    table.move(move)
    if table.n_left == 0:
        scores = table.scores()
        own = 1000 * table.shares(table.rules.tie_break)[0][seat] + scores[seat] - scores[1 - seat]
    else:
        solver(table)
        own = values(table)[seat]
    for part in before.dtype.names or ():
        table.record[part] = before[part]
    return float(best - own)


def test_looking_ahead_finds_what_playing_out_misses() -> None:
    """Endings without flips and without the solver: the tree learns what the other will do, random games do not."""
    settings = {"width": 64, "policy": "random", "objective": "margin", "n": 60}
    searching = Player(spec(**settings, solve=0, trust=20, explore=20))
    playing_out = Player(spec(**settings).replace("search", "rollout"))
    regrets: dict[str, list[float]] = {"search": [], "rollout": []}
    for position in endings(2, Rules(flip="never", tie_break="shared"), 4000, range(40)):
        if position.table.n_left >= 4:
            for name, player in (("search", searching), ("rollout", playing_out)):
                regrets[name].append(regret(position, player(position.table)))
    assert len(regrets["search"]) > 20
    right = {name: sum(each == 0 for each in found) for name, found in regrets.items()}
    assert right["search"] >= 0.8 * len(regrets["search"])
    assert right["search"] > 1.2 * right["rollout"]


# ------------------------------------------------------------------------------------- what must hold


def test_the_same_numbers_grow_the_same_tree() -> None:
    position, player, trees = at_turn(Table(3), 4), Player(spec(n=5, policy="planner", objective="margin")), []
    for seed in (1, 2, 1):
        player.rng = stream(seed)
        move = player(position.table)
        trees.append((move, player.memory["nodes"][: player.memory.n_nodes].tobytes()))
    assert trees[0] == trees[2] != trees[1]


def test_it_keeps_the_contract_with_other_settings_too(few_line_ups: None) -> None:
    report = check_strategy(spec(n=1, width=64, policy="greedy", objective="win", solve=100), games=1)
    assert report.passed, "\n".join(report.lines())


@pytest.mark.parametrize("policy", POLICIES)
def test_matches_of_rounds_and_cards_of_any_kind(policy: str) -> None:
    name = spec(n=1, width=3, policy=policy, solve=100)
    assert simulate(games=2, players=2, strategies=[name, "random"], rules=Rules(rounds=3)).games == 2
    rules = Rules(of_each="4", vegetables="up-to-two")
    assert simulate(games=2, players=3, strategies=name, cards=any_set("search", 36), rules=rules).games == 2


@pytest.mark.slow
def test_card_sets_too_large_for_the_solver_are_searched_to_the_end() -> None:
    cards = any_set("large", 36, copies=10)
    rules = Rules(of_each="3")
    assert capacity_for(cards, numbers_drawn(cards, rules, 2)) > LARGEST_SOLVED
    name = spec(n=1, width=2, policy="random")
    assert simulate(games=4, players=2, strategies=[name, "random"], cards=cards, rules=rules).games == 4
