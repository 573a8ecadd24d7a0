"""Each deal of a run counts once: shards in any order, saved and loaded in between, and ranges of deals."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from salad_sim.play.tally import TALLY, add_tally, new_tally
from salad_sim.run.deal_ledger import Block, Ledger, blocks_of
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare
from salad_sim.storage import checkpoint_file as tally_file
from support.commands import refused
from support.playing import STEADY

PLAN = plan_run(40, 2, "random", 3)
DEALS = 40


@pytest.fixture(scope="module")
def single_deals():
    """The tally of each deal by itself."""
    player = ShardPlayer(PLAN, prepare(PLAN))
    return [player(Shard(deal, 1)).copy() for deal in range(DEALS)]


def sum_of(tallies):
    total = new_tally()
    for tally in tallies:
        add_tally(total, tally)
    return total


def same(one, other):
    return all(np.array_equal(one[name], other[name]) for name in TALLY.names)


def test_no_deal_counts_twice(single_deals, tmp_path_factory):
    """Shards of any size in any order, again and again, saved and loaded in between: each deal counts once."""

    class Counting(RuleBasedStateMachine):
        @initialize(ranges=st.sampled_from([((0, DEALS),), ((0, 7), (9, 10), (20, DEALS))]), n_blocks=st.integers(1, 9))
        def begin(self, ranges, n_blocks):
            self.folder = tmp_path_factory.mktemp("ledger")
            self.planned = {deal for first, stop in ranges for deal in range(first, stop)}
            self.ledger = Ledger([Block(first, stop) for first, stop in blocks_of(ranges, n_blocks)])
            self.counted = set()

        @rule(first=st.integers(0, DEALS - 1), n_deals=st.integers(1, 9))
        def count(self, first, n_deals):
            deals = range(first, min(first + n_deals, DEALS))
            part = sum_of([single_deals[deal] for deal in deals])
            block = next((each for each in self.ledger.blocks if each.first <= first < each.stop), None)
            fits = block is not None and deals.stop <= block.stop and not self.counted & set(deals)
            if fits:
                self.ledger.add(Shard(first, len(deals)), part)
                self.counted |= set(deals)
            else:
                with pytest.raises(ValueError, match="not missing"):
                    self.ledger.add(Shard(first, len(deals)), part)

        @rule(at=st.integers(0, 99))
        def count_a_missing_range(self, at):
            missing = self.ledger.missing()
            if missing:
                first, stop = missing[at % len(missing)]
                self.ledger.add(Shard(first, stop - first), sum_of(single_deals[first:stop]))
                self.counted |= set(range(first, stop))

        @rule()
        def save_and_load(self):
            tally_file.save(self.folder, {"options": {}}, self.ledger, 1.0)
            self.ledger = tally_file.load(self.folder)[0].ledger

        @invariant()
        def each_counts_once(self):
            missing = {deal for first, stop in self.ledger.missing() for deal in range(first, stop)}
            assert missing == self.planned - self.counted
            assert same(self.ledger.total, sum_of([single_deals[deal] for deal in self.counted]))
            assert self.ledger.is_complete == (self.planned == self.counted)
            for block in self.ledger.blocks:
                if block.is_complete:
                    assert same(block.tally, sum_of(single_deals[block.first : block.stop]))

    run_state_machine_as_test(Counting, settings=settings(STEADY, max_examples=25, stateful_step_count=15))


def test_ranges_that_make_no_sense_are_refused():
    for deals in ("", "5", "5:5", "6:5", "0:10,9:11", "a:b", "0:1e16", "-1:4", "0:5:9"):
        assert "deals" in refused("run", "--deals", deals, "-s", "random")
    assert "give one of them" in refused("run", "--deals", "0:5", "-g", "5")
