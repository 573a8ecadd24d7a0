"""Memory that strategies declare: what the door takes, what kernels get, and that no command loses or mixes it up."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from salad_sim.errors import InputError
from salad_sim.game.engine import turns_of
from salad_sim.game.state import CAPACITY, MAX_PLAYERS
from salad_sim.jit.blocks import record_beside
from salad_sim.play.shard import workspace_dtype
from salad_sim.run.driver import Session, play_plan
from salad_sim.run.executors import Shard
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare, workspace_size
from salad_sim.strategy.memory import MOST_MEMORY, memory_dtype
from salad_sim.strategy.registry import load_file, load_strategy
from salad_sim.studies.cards.play import TRYING, TryingPlayer
from salad_sim.studies.profile.timing import _Stopwatch
from salad_sim.tools.compliance import check_strategy
from support.card_sets import any_set
from support.commands import good
from support.processes import run_python
from support.strategy_files import FIRST_LINE, HEAD, StrategyWriter

SMALL = 200_000
"""Bytes of a workspace for strategies that declare no memory, at most."""

KEEPER = """
from salad_sim_strategies.hand_draft_greedy import choose as greedy

NOTE = np.dtype([("turn", "i2"), ("move", "i8")])
NOTES = np.dtype([("odd", "i1"), ("turns", "i8"), ("notes", NOTE, (200,)), ("last", "f8")])


@kernel
def is_kept(view, own, memory):
    \"\"\"Whether the memory is what the seat left there, which own.memory says too.\"\"\"
    if memory.turns != own.memory[0] or (view.n_rounds == 1 and memory.turns != view.turn // view.n_players):
        return False
    for turn in range(len(memory.notes)):
        if memory.notes[turn].turn != (turn + 1 if turn < memory.turns else 0):
            return False
    return memory.last == own.memory[1] and memory.odd == memory.turns % 2


@strategy("keeper", memory=NOTES)
def choose(view, own, rng, memory):
    \"\"\"Any draft, as long as nothing of the memory is lost; then a move that is illegal.\"\"\"
    if not is_kept(view, own, memory):
        return -7
    list_drafts(view, own)
    move = make_move(own.drafts[below(rng, own.n_drafts)], NO_FLIP)
    memory.notes[memory.turns].turn = memory.turns + 1
    memory.notes[memory.turns].move = move
    memory.turns += 1
    memory.odd = memory.turns % 2
    memory.last = move
    own.memory[0] += 1
    own.memory[1] = move
    return move


def sized(capacity):
    return np.dtype([("seen", "i1", (capacity,)), ("n_seen", "i8")])


@strategy("counter", memory=sized)
def counter(view, own, rng, memory):
    \"\"\"Any draft but for how many cards were seen on the piles.\"\"\"
    for pile in range(3):
        if view.top[pile] >= 0 and memory.seen[view.top[pile]] == 0:
            memory.seen[view.top[pile]] = 1
            memory.n_seen += 1
    list_drafts(view, own)
    return make_move(own.drafts[memory.n_seen % own.n_drafts], NO_FLIP)


@strategy("keeper", game="hand-draft", memory=np.dtype([("turns", "i8"), ("moves", "i8", (4000,))]))
def lay(view, own, rng, memory):
    \"\"\"Lay nothing, draft what lies there; -7 if the memory is not what it was.\"\"\"
    if memory.turns != own.memory[9] or (memory.turns > 0 and memory.moves[memory.turns - 1] != memory.turns):
        return -7
    memory.moves[memory.turns] = memory.turns + 1
    memory.turns += 1
    own.memory[9] += 1
    return greedy(view, own, rng)
"""


@pytest.fixture(scope="module")
def keeper(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The file of the strategies that declare memory, compiled once and kept out of the user's cache folder."""
    load_strategy("random")
    folder = tmp_path_factory.mktemp("keeper")
    file = folder / "keeper.py"
    file.write_text(HEAD + KEEPER, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("salad_sim.strategy.registry.cache_folder", lambda: folder / "cache")
        load_file(file, "counter")
        yield file


@pytest.mark.parametrize("n_players", range(2, MAX_PLAYERS + 1))
def test_who_declares_nothing_has_a_small_workspace(n_players: int) -> None:
    plan = plan_run(1, n_players, "greedy")
    assert workspace_size(plan) == ShardPlayer(plan, prepare(plan)).work.nbytes < SMALL


def test_each_seat_gets_what_its_strategy_declares(keeper: Path) -> None:
    plan = plan_run(1, 3, [f"{keeper}:keeper", "greedy", f"{keeper}:counter"])
    plain = workspace_size(plan_run(1, 3, "greedy"))
    sizes = [dtype.itemsize if dtype else 0 for dtype in (memory_dtype(each.memory, CAPACITY) for each in plan.lineup)]
    assert sizes == [3224, 0, 120]  # 1, 8, 200 times (2, 8) and 8 bytes, each where a multiple of its size is
    assert workspace_size(plan) == plain + sum(sizes)
    own = ShardPlayer(plan, prepare(plan)).work["own"]
    assert own["memory_size"][:3].tolist() == sizes
    at = [int(own["memory_at"][place]) + place * own.itemsize for place in (0, 2)]
    assert at[1] - at[0] == sizes[0]  # one behind the other


def test_memory_lasts_a_game_and_is_empty_when_it_begins(keeper: Path) -> None:
    words = ("run", "--quiet", "--strategy", f"{keeper}:keeper", "--strategy", "random")
    good(*words, "--games", 300)
    good(*words, "--strategy", f"{keeper}:keeper", "--players", 3, "--games", 60, "--rule", "rounds=2", "--rotate")


def test_no_command_loses_it(keeper: Path, tmp_path: Path) -> None:
    name = f"{keeper}:keeper"
    good("match", name, f"{keeper}:counter", "--games", 200, "--quiet")
    good("profile", name, "--games", 60, "--quiet")
    good("replay", "--strategy", name, "--strategy", f"{keeper}:counter", "--game", 4)
    words = ("run", "--games", 50, "--strategy", name, "--strategy", "random", "--quiet")
    good(*words, "--save-games", tmp_path / "games.parquet", "--level", "moves")


def test_it_is_brought_back_where_games_branch(keeper: Path) -> None:
    """Cards taken and left go back to earlier turns of a game: a seat then remembers what it did at that time."""
    for line_up in ([f"{keeper}:keeper", "random"], [f"{keeper}:counter", f"{keeper}:keeper", "random"]):
        plan = plan_run(4, len(line_up), line_up)
        sums = TryingPlayer(plan, True, prepare(plan, TRYING))(Shard(0, 4))
        assert sums["trials"]["pairs"].sum() > 0


def test_it_is_brought_back_when_a_decision_is_timed(keeper: Path) -> None:
    watch = _Stopwatch(plan_run(2, 2, [f"{keeper}:keeper", "random"]))
    for deal in range(2):
        watch.play(deal, 0, math.inf)
    own = watch.work.own[0]
    memory = record_beside(own, own.memory_at, memory_dtype(watch.plan.lineup[0].memory, CAPACITY))
    assert len(watch.seconds) > 15 and memory.turns == own.memory[0] == turns_of(watch.work.table.public, 0)
    assert memory.notes["turn"][: memory.turns + 1].tolist() == [*range(1, memory.turns + 1), 0]


def test_it_serves_tables_of_other_sizes(keeper: Path) -> None:
    plan = plan_run(40, 2, [f"{keeper}:keeper", f"{keeper}:counter"], cards=any_set("large", 36, copies=10))
    assert plan.capacity > 3 * CAPACITY
    assert int(play_plan(plan, Session(1)).tally.games) == 40


def test_the_other_game_has_it_too(keeper: Path) -> None:
    good(
        "run",
        "--game",
        "hand-draft",
        "--games",
        40,
        "--strategy",
        f"{keeper}:keeper",
        "--strategy",
        "greedy",
        "--quiet",
    )


@pytest.mark.parametrize("name", ["keeper", "counter"])
def test_the_check_passes_it(keeper: Path, name: str) -> None:
    report = check_strategy(f"{keeper}:{name}", games=1)
    assert report.passed, "\n".join(report.lines())


BREACHES = {
    "writes past its end": ("writes", r"wrote to memory outside", "memory.seen[4000] = 5"),
    "writes into another seat's": (
        "writes",
        r"wrote to memory outside",
        "if view.seat == 0 and view.turn > 3: memory.seen[(own.memory_size + 8) // 8] = 5",
    ),
    "moves it": ("writes", r"wrote to own\.memory_at", "own.memory_at += 8"),
    "asks for more": ("writes", r"wrote to own\.memory_size", "own.memory_size += 8"),
    "peeks through it": ("hidden", r"with other hidden cards", "index = abs(memory.seen[{deck}]) % own.n_drafts"),
    "keeps chance in it": ("again", r"it left other numbers", "memory.seen[3] = np.random.randint(1000000)"),
}
"""What breaks, what the report says, and the lines that do it."""


@pytest.mark.parametrize("breach", BREACHES)
def test_the_check_notices_what_is_done_with_it(breach: str, write_strategy: StrategyWriter, own_cache: Path) -> None:
    check, pattern, line = BREACHES[breach]
    house = workspace_dtype(CAPACITY)
    deck = house.fields["table"][1] + house["table"].fields["deck"][1] - house.itemsize
    body = line.format(deck=f"{deck // 8} - view.seat * {100} + (view.turn & 1)")
    code = f"""
    @strategy("mine", memory=np.dtype([("seen", "i8", (100,))]))
    def choose(view, own, rng, memory):
        list_drafts(view, own)
        index = below(rng, own.n_drafts)
        {body}
        return make_move(own.drafts[index], NO_FLIP)
    """
    report = check_strategy(write_strategy(code), games=1)
    assert {each.check for each in report.verdicts if not each.passed} == {check}
    failure = next(each.failure for each in report.verdicts if each.check == check)
    assert re.search(pattern, failure), failure


def test_plain_python_plays_the_same_and_a_second_process_compiles_nothing(keeper: Path, tmp_path: Path) -> None:
    words = ["run", "--games", "12", "--strategy", f"{keeper}:keeper", "--strategy", f"{keeper}:counter", "--quiet"]
    code = """
        import json, sys
        from salad_sim.cli import main
        from salad_sim.strategy.registry import load_file, load_strategy
        try:
            main(json.loads(sys.argv[1]))
        except SystemExit:
            pass
        for name in ("keeper", "counter"):
            kernel = load_file(json.loads(sys.argv[1])[4].rpartition(":")[0], name, "point-salad").kernel(108)
            if hasattr(kernel, "stats"):
                print(name, len(kernel.stats.cache_hits), len(kernel.stats.cache_misses))
    """
    own = {"XDG_CACHE_HOME": str(tmp_path)}  # of the strategies, too: a folder of its own
    plain = run_python(code, json.dumps(words), NUMBA_DISABLE_JIT="1")
    first, second = (run_python(code, json.dumps(words), timeout=900, **own) for _ in range(2))
    assert first == f"{plain}keeper 0 1\ncounter 0 1\n"
    assert second == f"{plain}keeper 1 0\ncounter 1 0\n"


@pytest.mark.slow
def test_bounds_of_its_arrays_are_checked(write_strategy: StrategyWriter) -> None:
    code = """
    @strategy("mine", memory=np.dtype([("seen", "i8", (10,)), ("more", "i8", (10,))]))
    def choose(view, own, rng, memory):
        return memory.seen[view.turn + 10]
    """
    run = """
        import sys
        from salad_sim.cli import main
        try:
            main(["check", sys.argv[1]], standalone_mode=False)
        except SystemExit:
            pass  # it failed, as it should
    """
    said = run_python(run, write_strategy(code), NUMBA_BOUNDSCHECK="1", timeout=900)
    assert "it raised IndexError: index is out of bounds" in said


NOT_MEMORY = {
    "a number": ("memory=4", "must be a structured numpy dtype"),
    "no fields": ('memory=np.dtype("i8")', r"must be a structured numpy dtype, .* not dtype\('int64'\)"),
    "a function to something else": (
        "memory=lambda capacity: capacity",
        "must be a structured numpy .* not 108",
    ),
    "objects": ('memory=np.dtype([("a", "O")])', "must hold numbers, not Python objects"),
    "a name of numpy's": ('memory=np.dtype([("a", "i8"), ("size", "i8")])', "cannot have a field 'size'"),
    "a name within": (
        'memory=np.dtype([("a", [("sum", "i8")], (3,))])',
        "cannot have a field 'sum': numpy's records have an attribute of that name",
    ),
    "too much": (
        'memory=np.dtype([("a", "i8", (1 << 26,))])',
        "must not exceed 268,435,456 bytes, and takes 536,",
    ),
    "what kernels have no type for": (
        'memory=np.dtype([("a", "f2"), ("b", "M8[D]"), ("c", "V3")])',
        "kernels cannot use",
    ),
}


@pytest.mark.parametrize("what", NOT_MEMORY)
def test_the_door_refuses_what_kernels_cannot_use(what: str, write_strategy: StrategyWriter) -> None:
    declared, why = NOT_MEMORY[what]
    file = write_strategy(f"""
    @strategy("mine", {declared})
    def choose(view, own, rng, memory):
        return 0
    """)
    with pytest.raises(InputError, match=rf"line {FIRST_LINE + 2}: strategy 'mine': .*{why}"):
        load_file(file)


@pytest.mark.parametrize(
    ("declared", "takes", "why"),
    [
        ("", "view, own, rng, memory", r"must take \(view, own, rng\), not \(view, .*; a fourth is what @strategy"),
        (
            ', memory=np.dtype([("a", "i8")])',
            "view, own, rng",
            r"must take \(view, own, rng, memory\), not \(view, own, rng\)",
        ),
    ],
)
def test_the_door_says_who_takes_memory(declared: str, takes: str, why: str, write_strategy: StrategyWriter) -> None:
    file = write_strategy(f'''
    @strategy("mine"{declared})
    def choose({takes}):
        return 0
    ''')
    with pytest.raises(InputError, match=why):
        load_file(file)


def test_a_mistake_with_it_is_said_in_the_authors_line(write_strategy: StrategyWriter, own_cache: Path) -> None:
    file = write_strategy("""
    @strategy("mine", memory=np.dtype([("seen", "i8", (10,))]))
    def choose(view, own, rng, memory):
        return memory.sen[0]
    """)
    with pytest.raises(InputError, match=rf"line {FIRST_LINE + 3}: no record has a field 'sen'.*seen"):
        load_file(file).ready()


def test_records_within_lie_where_kernels_want_them() -> None:
    inner = np.dtype([("a", "i2"), ("b", "f8")])
    dtype = memory_dtype(np.dtype([("flag", "i1"), ("inner", inner, (3,)), ("end", "i1")]), CAPACITY)
    assert [dtype.fields[name][1] for name in ("flag", "inner", "end")] == [0, 8, 56]
    assert dtype.itemsize == 64 and dtype["inner"].base.fields["b"][1] == 8
    assert memory_dtype(np.dtype([("a", "u1", (MOST_MEMORY,))]), CAPACITY).itemsize == MOST_MEMORY


def test_what_it_holds_is_part_of_the_strategy(write_strategy: StrategyWriter) -> None:
    """A size that is read from a file of data makes another strategy, of whose code nothing on disk is used."""
    code = """
    from pathlib import Path
    SIZE = int((Path(__file__).parent / "size.txt").read_text())
    @strategy("mine", memory=lambda capacity: np.dtype([("seen", "i8", (SIZE,))]))
    def choose(view, own, rng, memory):
        return 0
    """
    hashes = []
    for size in ("10", "10", "11"):
        file = write_strategy(code, f"{len(hashes)}/mine.py")
        (file.parent / "size.txt").write_text(size, encoding="utf-8")
        hashes.append(load_file(file).hashes)
    assert hashes[0] == hashes[1]
    assert hashes[0]["mine.py"] == hashes[2]["mine.py"] and hashes[0]["values"] != hashes[2]["values"]
