"""A learned value: what it sees, what it makes of that, its gradient, and files of its weights."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from salad_sim.errors import InputError
from salad_sim.files.sealed import sealed_arrays
from salad_sim.game import value_net, value_play
from salad_sim.game.moves import NO_FLIP, draft_of, flip_of, make_move
from salad_sim.game.rules import Rules
from salad_sim.game.state import MAX_PLAYERS, layout
from salad_sim.game.value_file import FORMAT, read_values, values_file
from salad_sim.game.value_layout import N_ROWS, N_TABLE_ROWS, mind_dtype, net_dtype
from salad_sim.game.value_net import new_net
from salad_sim.jit.records import new_record
from support.places import ROOT
from support.playing import Table
from support.positions import positions

CLOSE = 2e-5
"""Of sums in 32 bits."""

PARTS = ("rows", "pooled", "table", "out")


def leaky(x: Any) -> Any:
    return np.where(x > 0, x, 0.1 * x)


def plain_value(net: dict[str, Any], entries: np.record) -> float:
    """The value of a description in numpy, in 64 bits."""
    pool = np.zeros(net["rows"].shape[1])
    for veg in range(6):
        n = int(entries.n[veg])
        pool += leaky(entries["value"][veg, :n].astype(float) @ net["rows"][entries["row"][veg, :n]])
    n = int(entries.n_table)
    sums = pool @ net["pooled"] + entries["table_value"][:n].astype(float) @ net["table"][entries["table_row"][:n]]
    return float(leaky(sums) @ net["out"])


def as_floats(net: np.record) -> dict[str, Any]:
    return {part: np.array(net[part], dtype=float) for part in PARTS}


def moves(table: Table, mind: np.record) -> list[tuple[int, int]]:
    """The drafts that are tried, each with no flip and with every flip."""
    own = new_record(layout().own)
    n_drafts = value_play.pick_drafts(table.view, own, mind)
    held = table.hand(table.seat)
    drafts = [int(draft) for draft in mind.drafts[:n_drafts]]
    return [
        (draft, flip)
        for draft in drafts
        for flip in (NO_FLIP, *held, *([int(table.view.top[draft])] if draft < 3 else []))
    ]


@pytest.fixture(scope="module")
def net() -> np.record:
    return new_net(3)


def some_positions() -> Iterator[tuple[Table, np.record]]:
    """Tables of 2 to 6 players, and minds for them."""
    for n_players in range(2, MAX_PLAYERS + 1):
        mind = new_record(mind_dtype())
        for number, position in enumerate(positions(n_players, Rules(), range(1))):
            if number % 7 == 3:
                yield position.table, mind


def test_the_value_is_that_of_its_plain_twin(net: np.record) -> None:
    plain = as_floats(net)
    n_moves = 0
    for table, mind in some_positions():
        value_play.begin_turn(table.view, mind, net)
        for move in moves(table, mind)[::5]:
            value = value_play.value_of_move(table.view, mind, net, move, True)
            assert value == pytest.approx(plain_value(plain, mind.entries), abs=CLOSE)
            n_moves += 1
    assert n_moves > 100


def test_what_a_move_leaves_alone_need_not_be_worked_out_again(net: np.record) -> None:
    for table, mind in some_positions():
        value_play.begin_turn(table.view, mind, net)
        for move in moves(table, mind):
            quick = value_play.value_of_move(table.view, mind, net, move, False)
            assert quick == pytest.approx(value_play.value_of_move(table.view, mind, net, move, True), abs=CLOSE)


def test_trying_moves_changes_nothing_that_is_known(net: np.record) -> None:
    for table, mind in some_positions():
        before = table.record.tobytes()
        own = new_record(layout().own)
        first = value_play.best_move(table.view, own, mind, net)
        assert value_play.best_move(table.view, own, new_record(mind_dtype()), net) == first
        assert table.record.tobytes() == before


def relabelled(table: Table, order: list[int]) -> np.record:
    """The same table where vegetable ``veg`` is called ``order[veg]``."""
    view = table.view.copy()
    order_of = np.array(order)
    for name in ("linear", "needs"):
        view["cards"][name][:, order_of] = table.view["cards"][name]
    for name in ("back", "veg"):
        old = table.view["cards"][name]
        view["cards"][name] = np.where(old >= 0, order_of[old], old)
    asked = table.view["cards"]["asked"]
    view["cards"]["asked"] = np.append(order_of, 6)[asked]
    view["drawn"][order_of] = table.view["drawn"]
    view["tableau"]["counts"][:, order_of] = table.view["tableau"]["counts"]
    market = table.view["market"]
    view["market"] = np.where(market >= 0, order_of[market], market)
    return view


def test_relabelled_vegetables_have_relabelled_values(net: np.record) -> None:
    chance = random.Random(5)
    for table, mind in some_positions():
        order = chance.sample(range(6), 6)
        view, other = relabelled(table, order), new_record(mind_dtype())
        value_play.begin_turn(table.view, mind, net)
        value_play.begin_turn(view, other, net)
        for move in moves(table, mind)[::3]:
            value = value_play.value_of_move(table.view, mind, net, move, True)
            assert value_play.value_of_move(view, other, net, move, True) == pytest.approx(value, abs=CLOSE)


def test_the_gradient_is_that_of_finite_differences(net: np.record) -> None:
    """Of the value by 60 weights that count."""
    table, mind = next(islice(some_positions(), 2, None))
    value_play.begin_turn(table.view, mind, net)
    value_play.value_of_move(table.view, mind, net, moves(table, mind)[0], True)
    gradient = new_record(net_dtype())
    entries = mind.entries.copy()
    value_net.add_gradient(net, mind, gradient, 1.0)
    chance, plain = random.Random(1), as_floats(net)
    for part in PARTS:
        counted = np.argwhere(np.abs(np.array(gradient[part])) > 1e-6).tolist()
        for place in map(tuple, chance.sample(counted, 15)):
            step = 1e-4
            plain[part][place] += step
            above = plain_value(plain, entries)
            plain[part][place] -= 2 * step
            below = plain_value(plain, entries)
            plain[part][place] += step
            assert gradient[part][place] == pytest.approx((above - below) / (2 * step), rel=2e-3, abs=1e-5)


def test_the_best_move_is_the_best_of_those_tried(net: np.record) -> None:
    for table, mind in some_positions():
        own = new_record(layout().own)
        move = value_play.best_move(table.view, own, mind, net)
        value_play.begin_turn(table.view, mind, net)
        tried = {each: value_play.value_of_move(table.view, mind, net, each, False) for each in moves(table, mind)}
        assert (draft_of(move), flip_of(move)) in tried
        no_flips = {draft: value for (draft, flip), value in tried.items() if flip == NO_FLIP}
        best = sorted(no_flips, key=lambda draft: -no_flips[draft])[: value_play.N_FLIPPED]
        value = max(value for (draft, _), value in tried.items() if draft in best)
        assert tried[draft_of(move), flip_of(move)] == pytest.approx(value, abs=CLOSE)
        assert make_move(draft_of(move), flip_of(move)) == move


# Files


def test_a_file_of_values_comes_back(tmp_path: Path, net: np.record) -> None:
    other = new_net(4)
    file = tmp_path / "v.npz"
    file.write_bytes(values_file({2: net, 3: other, 4: other}, {"again": "salad-sim learn"}))
    nets, which = read_values(file)
    assert which.tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert [each.tobytes() for each in nets] == [net.tobytes(), other.tobytes()]


def test_files_that_do_not_fit_are_refused(tmp_path: Path, net: np.record) -> None:
    file = tmp_path / "v.npz"
    good = values_file({2: net}, {})
    arrays = {f"{part}_0": net[part] for part in PARTS}
    about = {"which": {"2": 0}, "made": {}}
    for data, why in (
        (good[:-5], "cut off"),
        (good[:50] + b"x" + good[51:], "checksum"),
        (sealed_arrays("salad-sim values 9", about, arrays), "its format is 'salad-sim values 9'"),
        (sealed_arrays(FORMAT, about, arrays | {"rows_0": net["rows"][1:]}), f"{N_ROWS} numbers"),
        (sealed_arrays(FORMAT, about, arrays | {"table_0": net["table"][1:]}), f"table by {N_TABLE_ROWS}"),
        (sealed_arrays(FORMAT, about, arrays | {"out_0": np.full_like(net["out"], np.nan)}), "not all numbers"),
        (sealed_arrays(FORMAT, about, {}), "pooled_0"),
    ):
        file.write_bytes(data)
        with pytest.raises(InputError, match=why) as caught:
            read_values(file)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["expert_pair.npz", "expert_crowd.npz"])
def test_the_shipped_weights_are_those_of_a_report(name: str) -> None:
    nets, _ = read_values(ROOT / "strategies" / name)
    learned, _ = read_values(ROOT / "reports" / "learning" / name.removesuffix(".npz").split("_")[1] / "learned.npz")
    assert nets.tobytes() == learned.tobytes()
