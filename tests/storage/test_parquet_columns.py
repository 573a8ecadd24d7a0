"""Rows of saved games: beside the naive twin of whole games, and summed up beside the run's own tables."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from salad_sim import Rules
from salad_sim.game.engine import apply_move, deal_next_round
from salad_sim.game.moves import N_PILES, draft_of, first_slot, flip_of, second_slot
from salad_sim.play.shard import begin_game, choose
from salad_sim.run.driver import play_plan
from salad_sim.run.plan import Plan, plan_run
from salad_sim.run.runner import new_workspace, prepare
from salad_sim.storage.parquet_columns import family_names
from salad_sim.studies.simulate.result import as_result
from support.game_files import metadata, read, save
from support.reference.game import VEGETABLES, NaiveGame, NaiveRules, card_value, load_cards

CARDS = load_cards()


# ------------------------------------------------------------------------------------------------- beside the twin


def naive_rounds(plan: Plan, deal: int, rotation: int, moves: list[dict[str, Any]]) -> list[NaiveGame]:
    """Play a game on the engine, and each of its rounds on a twin; note the moves as the twin has them."""
    rules = NaiveRules(**{field.name: getattr(plan.rules, field.name) for field in fields(NaiveRules)})
    _, choices = prepare(plan)
    work = new_workspace(plan)
    work.deal, work.rotation = deal, rotation
    begin_game(work)
    view, rounds = work.table.public, []
    for number in range(plan.rules.rounds):
        deck, n_cards, bonus = work.table.deck, int(view.n_cards), view.bonus[: plan.n_players].tolist()
        piles = [deck[pile * n_cards // 3 : (pile + 1) * n_cards // 3].tolist() for pile in range(N_PILES)]
        twin = NaiveGame(CARDS, piles, plan.n_players, rules, start=int(view.start), bonus=bonus)
        rounds.append(twin)
        while not twin.over:
            move = int(choose(work, *choices))
            moves.append(naive_move(plan, twin, move) | {"deal": deal, "rotation": rotation, "round": number + 1})
            apply_move(work.table, move)
            tables, seat = twin.tables(), moves[-1]["seat"] - 1
            moves[-1]["points"] = sum(card_value(twin.cards[card], tables, seat, rules) for card in twin.hands[seat])
            moves[-1]["strategy"] = plan.label_at(seat, rotation)
            moves[-1]["game"] = deal * plan.n_rotations + rotation
        if number + 1 < plan.rules.rounds:
            deal_next_round(work.table)
    return rounds


def naive_move(plan: Plan, twin: NaiveGame, move: int) -> dict[str, Any]:
    """Make a move on the twin and return what its row shall say."""
    draft, flip = int(draft_of(move)), int(flip_of(move))
    market, tops = list(twin.market), [pile[-1] if pile else None for pile in twin.piles]
    row = {
        "seat": twin.seat + 1,
        "turn": twin.turn + 1,
        "cards_left": sum(map(len, twin.piles)) + sum(card is not None for card in market),
        "draft": "point card" if draft < N_PILES else "vegetables",
        "point_card": tops[draft] if draft < N_PILES else None,
        "pile": draft + 1 if draft < N_PILES else None,
        "flip_card": flip if flip >= 0 else None,
        **{f"top_{pile + 1}": top for pile, top in enumerate(tops)},
        **{f"market_{slot + 1}": card for slot, card in enumerate(market)},
    }
    slots = [] if draft < N_PILES else list(dict.fromkeys((int(first_slot(draft)), int(second_slot(draft)))))
    for index in range(2):
        card = market[slots[index]] if index < len(slots) else None
        row[f"vegetable_{index + 1}"] = None if card is None else twin.cards[card]["back"]
        row[f"vegetable_{index + 1}_card"] = card
        row[f"vegetable_{index + 1}_slot"] = slots[index] + 1 if index < len(slots) else None
    twin.play(("pile", draft) if draft < N_PILES else ("market", tuple(slots)), flip if flip >= 0 else None)
    return row


def naive_rows(plan: Plan, deal: int, rotation: int, rounds: list[NaiveGame], ids: dict[str, set[int]]) -> list[Any]:
    """Return the rows of a game, from what the twins say."""
    last = rounds[-1]
    scores, shares = last.scores(), last.shares()
    rank = {
        "later": lambda seat: (seat - last.start) % plan.n_players,
        "earlier": lambda seat: -((seat - last.start) % plan.n_players),
        "last-turn": lambda seat: last.last_turn_of.get(seat, -1),
        "fewer-cards": lambda seat: (-len(last.hands[seat]), (seat - last.start) % plan.n_players),
        "shared": lambda seat: 0,
    }[plan.rules.tie_break]
    rows = []
    for seat in range(plan.n_players):
        cards = [(twin, card) for twin in rounds for card in twin.hands[seat]]
        worth = [(card, card_value(twin.cards[card], twin.tables(), seat, twin.rules)) for twin, card in cards]
        above = [other for other in range(plan.n_players) if (scores[other], rank(other)) > (scores[seat], rank(seat))]
        rows.append(
            {
                "deal": deal,
                "game": deal * plan.n_rotations + rotation,
                "rotation": rotation,
                "seat": seat + 1,
                "strategy": plan.label_at(seat, rotation),
                "score": scores[seat],
                "place": 1 + len(above),
                "win_share": float(shares[seat]),
                "point_cards": len(cards),
                **{name: sum(value for card, value in worth if card in members) for name, members in ids.items()},
            }
        )
    return rows


def card_ids_of_columns(path: Path) -> dict[str, set[int]]:
    """Return the cards of each family, as the file says."""
    said = {name: about["description"] for name, about in metadata(path)["columns"].items()}
    found = {name: re.search(r"\(card ids ([\d, and]+)\)", text) for name, text in said.items()}
    return {name: set(map(int, re.findall(r"\d+", match[1]))) for name, match in found.items() if match}


MATCHES = [
    (2, "greedy", Rules(), {}),
    (2, ["greedy", "random"], Rules(tie_break="shared"), {"rotate": True, "head_start": [0, 7]}),
    (3, ["random", "greedy", "random"], Rules(tie_break="fewer-cards", vegetables="up-to-two"), {"rotate": True}),
    (4, "random", Rules(tie_break="earlier", split="draw", sets="once"), {}),
    (6, "random", Rules(tie_break="last-turn", zero="even"), {}),
    (2, "random", Rules(rounds=3, next_start="last-placed", tie_break="last-turn"), {"head_start": [3, 0]}),
]


@pytest.mark.parametrize(("players", "strategies", "rules", "more"), MATCHES)
def test_rows_are_what_the_twin_says_of_whole_games(
    players: int, strategies: Any, rules: Rules, more: dict[str, Any], tmp_path: Path
) -> None:
    plan = plan_run(8 * players, players, strategies, seed=5, rules=rules, **more)
    save(plan, tmp_path / "games.parquet", shard_deals=3)
    save(plan, tmp_path / "moves.parquet", "moves", shard_deals=3)
    ids = card_ids_of_columns(tmp_path / "games.parquet")
    games: list[Any] = []
    moves: list[dict[str, Any]] = []
    for deal in range(plan.n_deals):
        for rotation in range(plan.n_rotations):
            rounds = naive_rounds(plan, deal, rotation, moves)
            games += naive_rows(plan, deal, rotation, rounds, ids)
    saved_games, saved_moves = read(tmp_path / "games.parquet"), read(tmp_path / "moves.parquet")
    said = pd.DataFrame(games, dtype=object)
    assert saved_games[list(said.columns)].to_dict("records") == said.to_dict("records")
    assert saved_moves.to_dict("records") == [{name: row[name] for name in saved_moves.columns} for row in moves]
    # the two columns that the twin's end does not tell
    by_seat = saved_moves.groupby(["game", "seat"])
    counted = pd.DataFrame({"turns": by_seat.size(), "flips": by_seat["flip_card"].count()}).stack().tolist()
    assert saved_games.set_index(["game", "seat"])[["turns", "flips"]].stack().tolist() == counted


def test_families_are_cards_of_one_kind(tmp_path: Path) -> None:
    save(plan_run(1), tmp_path / "games.parquet")
    ids = card_ids_of_columns(tmp_path / "games.parquet")
    assert sorted(card for members in ids.values() for card in members) == list(range(108))
    kinds = {}
    for name, members in ids.items():
        terms = [CARDS[card]["terms"][0] for card in members]
        kinds[name] = {(t["kind"], *sorted(t["weights"].values()), t["points"], t["even"], t["odd"]) for t in terms}
        assert len(kinds[name]) == 1 and re.fullmatch(r"points_[a-z0-9_]+", name)
    assert len(set(map(frozenset, kinds.values()))) == len(kinds) == 20


def test_families_whose_names_differ_in_signs_only_have_columns_of_their_own(tmp_path: Path) -> None:
    head = "back,kind," + ",".join(f"w_{veg}" for veg in VEGETABLES) + ",points,even_points,odd_points,copies\n"
    rows = [f"{veg},pair,{','.join(str(2 * (each == veg)) for each in VEGETABLES)},5,0,0,6\n" for veg in VEGETABLES]
    rows += ["onion,set,2,0,0,0,0,0,-5,0,0,1\n", "onion,per_veg,1,-2,0,0,0,0,0,0,0,1\n"]
    file = tmp_path / "cards.csv"
    file.write_text(head + "".join(rows))
    plan = plan_run(40, strategies="random", cards=str(file))
    names = family_names(plan)
    assert len(set(names)) == len(names) == 3
    save(plan, tmp_path / "games")
    rows_saved = pd.read_parquet(tmp_path / "games")
    assert (rows_saved[list(names)].sum(axis=1) == rows_saved["score"]).all()


# ------------------------------------------------------------------------------------------- beside the run's tables


@pytest.mark.parametrize("level", ["games", "moves"])
def test_the_run_counts_as_it_does_without_saving(level: str, tmp_path: Path) -> None:
    plan = plan_run(900, 3, ["greedy", "random", "random"], rotate=True, rules=Rules(rounds=2))
    counted = save(plan, tmp_path / "saved", level, every=7)
    assert counted.tally == play_plan(plan).tally


def test_sums_over_rows_are_the_tables_of_the_run(tmp_path: Path) -> None:
    plan = plan_run(6000, 3, ["greedy", "random", "random"], rotate=True)
    result = as_result(plan, save(plan, tmp_path / "games.parquet"))
    rows = pd.read_parquet(tmp_path / "games.parquet")
    names = {
        "win_share": "win_share",
        "score": "mean_score",
        "point_cards": "cards_kept",
        "turns": "turns",
        "flips": "flips",
    }
    for table, by in ((result.seats, "seat"), (result.strategies, "strategy")):
        means = rows.groupby(by, observed=True)[list(names)].mean().rename(columns=names)
        same = table.set_index(by).loc[means.index]
        for name in names.values():
            assert means[name].to_numpy() == pytest.approx(same[name].to_numpy(), rel=1e-12), name
    tally = result.tally
    for column in ("score", "turns", "point_cards", "flips"):
        field = {"turns": "seat_turns", "point_cards": "kept", "flips": "flipped"}.get(column, column)
        assert rows[column].sum() == tally[field].sum()
    assert (rows["score"].astype(int) ** 2).sum() == tally["score_squared"].sum()
    assert rows[[name for name in rows if name.startswith("points_")]].to_numpy().sum() == rows["score"].sum()
