"""What a job has played is kept: it goes on where it was, and ends with the same numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from salad_sim.run.driver import Job, Observer, Session, play_plan
from salad_sim.run.executors import Shard
from salad_sim.run.outcomes import play_outcomes
from salad_sim.run.plan import plan_run
from salad_sim.storage.journal import FILE, Journal, Page


def kept_in(folder: Path) -> Session:
    return Session(1, Observer(keeper=Journal(folder)))


def test_finished_shards_are_taken_and_the_others_played(tmp_path: Path) -> None:
    plan = plan_run(600, 2, ["greedy", "random"], rotate=True)
    whole = play_outcomes(plan, session=Session(1))
    first = kept_in(tmp_path)
    play_outcomes(plan_run(400, 2, ["greedy", "random"], rotate=True), session=first)
    first.observer.keeper.save()
    data = (tmp_path / FILE).read_bytes()
    for end in (b"", b"half of a chunk", data[: len(data) // 2]):
        (tmp_path / FILE).write_bytes(data + end)
        second = kept_in(tmp_path)
        assert (tmp_path / FILE).read_bytes() == data, "what was not written to its end is cut off"
        found = play_outcomes(plan, session=second)
        assert np.array_equal(found.wins, whole.wins) and np.array_equal(found.scores, whole.scores)
        assert sum(old.shard.n_deals for old in next(iter(second.observer.keeper.pages.values())).old) == 300


def test_tallies_too_and_no_other_job(tmp_path: Path) -> None:
    plan = plan_run(300, 3, "random")
    first = kept_in(tmp_path)
    tally = play_plan(plan, first).tally
    first.observer.keeper.save()
    second = kept_in(tmp_path)
    found = play_plan(plan, second).tally
    assert found == tally and found.dtype == tally.dtype and second.seconds == 0
    other = play_plan(plan_run(300, 3, "random", seed=2), second)
    assert other.tally != tally and second.seconds > 0


def test_what_cannot_be_written_down_is_played_again(tmp_path: Path) -> None:
    session = kept_in(tmp_path)
    plan = plan_run(50, 2, "random")

    def shards() -> Iterator[int]:
        from salad_sim.run.runner import ShardPlayer

        count = play_plan(plan, session, players=lambda plan, kernels: ShardPlayer(plan, kernels))
        yield int(count.tally.games)

    assert list(shards()) == [50] and not session.observer.keeper.pages


def test_what_is_saved_is_in_no_memory(tmp_path: Path) -> None:
    plan = plan_run(1000, 2, "random")
    whole = play_plan(plan, Session(1)).tally
    first = kept_in(tmp_path)
    play_plan(replace(plan, n_deals=700), first, shard_deals=1)
    keeper = first.observer.keeper
    (page,) = keeper.pages.values()
    assert len(page.new) <= 64, "sums of shards side by side are one, within each block of deals"
    keeper.save()
    assert not page.new and sum(each.shard.n_deals for each in page.old) == 700
    assert play_plan(plan, kept_in(tmp_path), shard_deals=100).tally == whole


def test_shards_are_one_within_a_range_only_and_whatever_their_order() -> None:
    page = Page(lambda start: ({}, {}))
    page.job = Job((), int, [(0, 30), (30, 100)], merge=operator.add)  # type: ignore[arg-type, type-var]
    for first in (10, 20, 0, 50, 30, 40):
        page.keep(Shard(first, 10), 1)
    _, saved = page.take_new("")
    assert [each.shard for each in saved] == [Shard(0, 30), Shard(30, 30)] and not page.new
