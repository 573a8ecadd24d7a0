"""Whatever stands in a file that is read: one line and exit 2, never a traceback, a hang, or code that is run."""

import io
import json
import os
import pickle
from contextlib import suppress

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from salad_sim.cli import main
from salad_sim.cli._running import _begin_folder
from salad_sim.errors import InputError
from salad_sim.files.sealed import DamagedError, _with_seal, sealed, sealed_arrays, unsealed
from salad_sim.game.card_file import parse_card_file, read_card_file
from salad_sim.game.rule_profiles import load_profile, read_rules
from salad_sim.run.plan import check_deals, plan_run
from salad_sim.run.setup import whole_number
from salad_sim.storage import checkpoint as work
from salad_sim.storage import checkpoint_file as tally_file
from salad_sim.storage.checkpoint_file import FILE
from salad_sim.strategy.parameters import read_parameter_file, read_spec
from salad_sim.strategy.registry import load_strategy
from salad_sim.studies.league.checkpoint import FORMAT, GAMES_FILE, LeagueSaver, restore
from salad_sim.studies.league.schedule import Played
from salad_sim.studies.tuning.checkpoint import FORMAT as TUNING
from salad_sim.studies.tuning.checkpoint import NAME, TuningState, load_state
from salad_sim.studies.tuning.config import plan_tuning
from support.playing import STEADY

FUZZ = settings(STEADY, deadline=5000, suppress_health_check=list(HealthCheck))
NUMBERS = st.one_of(
    st.integers(-2, 70),
    st.sampled_from([2**31, 2**63 - 1, 2**63, -(2**63), 10**15, 10**400, 10**4000]),
    st.floats(allow_nan=True),
)
TEXTS = st.one_of(st.text(max_size=20), st.sampled_from(["\ud800", "\0", "\x1b[2J", "a" * 5000, "random", "../x.py"]))
ANYTHING = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)
BYTES = st.one_of(
    st.binary(max_size=300),
    st.sampled_from([b"", b"\0" * 99, b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 10_000, b"NaN"]),
    st.sampled_from([pickle.dumps({"format": tally_file.FORMAT}), b"\x80\x04\x95", b"PK\x03\x04" + b"\0" * 60]),
)


class Bomb:
    """Leaves a trace when it is unpickled."""

    def __init__(self, trace):
        self.trace = str(trace)

    def __reduce__(self):
        return (open, (self.trace, "w"))


def refused(*words, codes=(2,)):
    """Run the command line, which must refuse with one line; return what it says."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in codes, result.output
    assert result.stderr.startswith("salad-sim: ") and "Traceback" not in result.output
    assert result.stderr.count("\n") == 1
    return result.stderr


def ends_well(*words):
    """Run the command line, which may do anything but end in a traceback."""
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    assert result.exit_code in (0, 1, 2)
    return result


def places(data, path=()):
    """Every place in nested plain data, as the keys that lead there."""
    yield path
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*path, key))


def with_change(data, path, value):
    """A copy of plain data with another value at a place; ``value`` None removes it where that can be."""
    if not path:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = with_change(data[path[0]], path[1:], value)
    return copy


# ------------------------------------------------------------------------------------------ the tally file


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run that was stopped; the content of its file is put back by whoever changes it."""
    folder = tmp_path_factory.mktemp("run")
    plan = plan_run(400, 2, "random", 1)
    run = work.begin(plan, folder)
    _begin_folder(plan, run)
    from salad_sim.run.runner import ShardPlayer, prepare

    player = ShardPlayer(plan, prepare(plan))
    for first, n_deals in ((0, 7), (14, 3), (21, 7)):
        from salad_sim.run.executors import Shard

        run.ledger.add(Shard(first, n_deals), player(Shard(first, n_deals)))
    run.save(1.0)
    (folder / tally_file.BEFORE).unlink()
    return folder


@pytest.fixture(scope="module")
def body(folder):
    return json.loads((folder / FILE).read_text())["content"]


@given(data=BYTES)
@settings(FUZZ, max_examples=60)
def test_any_bytes_for_a_run(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("any")
    (folder / FILE).write_bytes(data)
    for words in (["status", folder], ["resume", folder]):
        assert "is damaged" in refused(*words)
    assert (folder / FILE).read_bytes() == data


@given(data=ANYTHING)
@settings(FUZZ, max_examples=100)
def test_any_json_for_a_run(data):
    for text in (json.dumps(data), json.dumps({"content": data, "sha256": "0" * 64})):
        with pytest.raises(DamagedError):
            unsealed(text.encode(), tally_file.FORMAT, dict)


@given(data=st.data())
@settings(FUZZ, max_examples=250)
def test_sealed_nonsense_for_a_run(body, folder, data):
    """A file whose seal is right and which says anything anywhere is refused, or is a run that can go on."""
    path = data.draw(st.sampled_from(sorted(places(body), key=repr)))
    changed = with_change(body, path, data.draw(ANYTHING))
    if not isinstance(changed, dict):
        return
    with suppress(UnicodeEncodeError):  # what cannot be sealed can be no file
        (folder / FILE).write_bytes(sealed("", changed))
    try:
        saved = tally_file.read(folder / FILE)
    except DamagedError:
        return
    assert sum(stop - first for block in saved.ledger.blocks for first, stop in block.done) == saved.ledger.total.deals
    ends_well("status", folder)
    if path[:1] == ("run",):
        with suppress(InputError):
            work.reopen(folder)


@pytest.mark.parametrize("name", [FILE, GAMES_FILE, NAME])
@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "large"])
def test_what_is_no_file_is_refused_at_once(tmp_path, name, kind):
    """A pipe would keep the reader waiting for ever; 2 GB are not read to see that they are nothing."""
    strange(tmp_path / name, kind)
    if name == FILE:
        for words in (["status", tmp_path], ["resume", tmp_path], ["run", "-g", 9, "--out", tmp_path]):
            assert "is damaged" in refused(*words)
    elif name == GAMES_FILE:
        assert "damaged" in refused("league", "random", "greedy", "-g", 100, "--out", tmp_path)
    else:
        said = refused("tune", "planner", "--games", "1e6", "--out", tmp_path)
        assert "is no file of a tuning, or damaged" in said


def strange(file, kind):
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "loop":
        file.symlink_to(file)
    elif kind == "endless":
        file.symlink_to("/dev/zero")
    elif kind == "deep":
        file.write_text("[" * 100_000)
    else:
        with file.open("wb") as handle:
            handle.truncate(2**31)


def test_nothing_is_unpickled(tmp_path):
    trace = tmp_path / "trace"
    bomb = pickle.dumps(Bomb(trace))
    assert not trace.exists()
    array = np.empty(1, dtype=object)
    array[0] = Bomb(trace)
    archive = io.BytesIO()
    np.savez(archive, wins=array, who=array, scores=array, about=array)
    for data in (bomb, archive.getvalue(), _with_seal(archive.getvalue())):
        for name in (FILE, GAMES_FILE, NAME):
            (tmp_path / name).write_bytes(data)
        refused("status", tmp_path)
        assert "damaged" in refused("league", "random", "greedy", "-g", 100, "--out", tmp_path)
        refused("tune", "planner", "--games", "1e6", "--out", tmp_path)
    for name in ("rules.toml", "cards.csv"):
        (tmp_path / name).write_bytes(bomb)
    refused("run", "-g", 9, "--rules", tmp_path / "rules.toml")
    refused("run", "-g", 9, "--cards", tmp_path / "cards.csv")
    assert not trace.exists()
    pickle.loads(bomb).close()
    assert trace.exists(), "the bomb would have shown"


# ------------------------------------------------------------------------------------------ leagues and tunings

IDENTITY = {"strategies": ["a", "b"]}


@given(data=st.data())
@settings(FUZZ, max_examples=120)
def test_any_file_of_a_league(data, tmp_path_factory):
    """A flipped byte is noticed; arrays of other kinds and sizes under a right seal are none of this league."""
    folder = tmp_path_factory.mktemp("league")
    played = Played(2, 2, 9)
    good = {
        "who": np.zeros((4, 2), dtype=np.uint8),
        "wins": np.zeros((4, 2, 2), dtype=np.uint8),
        "scores": np.zeros((4, 2, 2), dtype=np.int32),
    }
    name = data.draw(st.sampled_from([*good, None]))
    if name is None:
        content = bytearray(sealed_arrays(FORMAT, IDENTITY, good))
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
        (folder / GAMES_FILE).write_bytes(content)
        with pytest.raises(InputError, match="is damaged"):
            restore(folder, IDENTITY, played)
        return
    shape = data.draw(st.sampled_from([(4,), (4, 2), (9, 2, 2), (10, 2, 2), (4, 2, 2), (4, 3), (0, 2)]))
    dtype = data.draw(st.sampled_from(["u1", "i4", "i8", "f8", "U5", "c16", "M8[s]"]))
    changed = {**good, name: np.full(shape, data.draw(st.sampled_from([0, 1, 99]))).astype(dtype)}
    if data.draw(st.booleans()):
        del changed[name]
    (folder / GAMES_FILE).write_bytes(sealed_arrays(FORMAT, IDENTITY, changed))
    try:
        n_deals = restore(folder, IDENTITY, played)
    except InputError:
        return
    assert 0 <= n_deals <= 9 and (played.who < 2).all() and (played.wins <= 60).all()


def test_a_league_that_was_saved_is_read(tmp_path):
    played = Played(2, 2, 9)
    played.n_deals = 5
    LeagueSaver(tmp_path, IDENTITY).save(played)
    assert restore(tmp_path, IDENTITY, Played(2, 2, 9)) == 5


@pytest.fixture(scope="module")
def task():
    return plan_tuning("planner", games=200_000)


@given(data=st.data())
@settings(FUZZ, max_examples=150)
def test_sealed_nonsense_for_a_tuning(task, data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuning")
    start = [0.5] * len(task.names)
    generation = {"points": [start] * task.population, "values": [0.5] * task.population, "centre": start}
    generation |= {"value": 0.5, "low": 0.4, "high": 0.6}
    finalist = {"origin": "start", "values": start, "n_deals": 9, "value": 0.5, "low": 0.4, "high": 0.6}
    whole = {"settings": json.loads(json.dumps(task.settings())), "generations": [generation]}
    whole |= {"finalists": [finalist], "rows": [], "scores": [[3, 4]]}
    file = folder / NAME

    def write(content):
        file.write_bytes(sealed(TUNING, content))

    write(whole)
    assert len(load_state(task, folder).generations) == 1
    path = data.draw(st.sampled_from(sorted((path for path in places(whole) if path), key=repr)))
    with suppress(UnicodeEncodeError):
        write(with_change(whole, path, data.draw(ANYTHING)))
    with suppress(InputError):
        assert isinstance(load_state(task, folder), TuningState)


# ------------------------------------------------------------------------------------------ files that users write

TOML = st.one_of(
    BYTES,
    st.builds(
        lambda keys, value: f"{'.'.join(keys)} = {value}".encode("utf-8", "replace"),
        st.lists(st.sampled_from(["rules", "about", "tie_break", "deck", "strategy", "parameters", "a"]), max_size=40),
        st.one_of(
            st.sampled_from(["1e999", "nan", "-inf", "9" * 5000, "[" * 500, "{a=" * 500, "1979-05-27"]),
            st.sampled_from(['"later"', "[[1,[2,{a=1}]],3]", "{a.b.c.d=[1]}", '"0-99999,0-99999"', "[]", "{}"]),
            st.integers().map(str),
        ),
    ),
)


@given(data=TOML)
@settings(FUZZ, max_examples=200)
def test_any_rules_file_or_parameter_file(data, tmp_path_factory):
    file = tmp_path_factory.mktemp("toml") / "my.toml"
    planner = load_strategy("planner")
    for content in (data, b"[rules]\n" + data, b'strategy = "planner"\n[parameters]\n' + data):
        file.write_bytes(content)
        with suppress(InputError):
            load_profile(str(file))
        with suppress(InputError):
            read_parameter_file(str(file), planner)


HEADER = "kind,back,w_cabbage,w_carrot,w_lettuce,w_onion,w_pepper,w_tomato,points"


@given(
    data=st.one_of(
        BYTES,
        st.lists(
            st.lists(
                st.one_of(TEXTS, NUMBERS.map(repr), st.sampled_from(["linear", "cabbage", "set", '"'])), max_size=12
            ),
            max_size=4,
        ).map(lambda rows: "\n".join([HEADER, *(",".join(row) for row in rows)]).encode("utf-8", "surrogatepass")),
    )
)
@settings(FUZZ, max_examples=150)
def test_any_card_file(data, tmp_path_factory):
    file = tmp_path_factory.mktemp("cards") / "my.csv"
    file.write_bytes(data)
    with suppress(InputError):
        read_card_file(file)
    with suppress(InputError):
        parse_card_file(data.decode("utf-8", "replace"), "my.csv")


@pytest.mark.parametrize("kind", ["pipe", "folder", "large", "endless", "deep"])
def test_a_strange_run_json_is_somebody_elses(tmp_path, kind):
    strange(tmp_path / "run.json", kind)
    assert "holds" in refused("run", "-g", 9, "-s", "random", "--out", tmp_path)
    assert "holds" in refused("league", "random", "greedy", "-g", 10, "--out", tmp_path)


@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "large", "endless"])
def test_strange_files_that_users_name(tmp_path, kind):
    names = {"--rules": "r.toml", "--cards": "c.csv", "--strategy": "s.py"}
    for option, name in names.items():
        strange(tmp_path / name, kind)
        assert str(tmp_path / name) in refused("run", "-g", 9, option, tmp_path / name)
    strange(tmp_path / "p.toml", kind)
    assert "p.toml" in refused("run", "-g", 9, "-s", f"planner:{tmp_path / 'p.toml'}")


@pytest.mark.parametrize("name", ["~nobody-of-that-name/x", "a" * 300, "a/" * 3000, "/dev/null/x", ""])
def test_strange_names(name):
    for command in ("resume", "status", "verify"):
        refused(command, name)
    refused("extend", name, "-g", 9)
    refused("merge", name, name, "-o", "x")
    refused("run", "-g", 9, "--cards", name)
    refused("run", "-g", 9, "--rules", name + ".toml")
    refused("run", "-g", 9, "-s", name + ".py")
    refused("run", "-g", 9, "-s", f"planner:{name}.toml")
    refused("run", "-g", 9, "--out", name)


# ------------------------------------------------------------------------------------------ the command line

TYPED = st.one_of(
    TEXTS,
    st.text(alphabet="0123456789:,-.e_ ()=ranndom", max_size=30),
    st.sampled_from(
        ["1e999999999", "-0", "nan", "sNaN", "9" * 10_000, "0:1," * 9, "٣", "1_0", "random(n=1e999)", "((", "a=b"]
    ),
)


@given(text=TYPED)
@settings(FUZZ, max_examples=300)
def test_anything_typed(text):
    for read in (
        read_spec,
        load_strategy,
        lambda given: whole_number("games", given, 1, 10**15),
        lambda given: check_deals(given, 10**15),
        lambda given: plan_run(9, 2, "random", head_start=given.split(",")),
        lambda given: read_rules(None, [given]),
        lambda given: read_rules(None, [f"deck={given}"]),
        lambda given: read_rules(None, [f"of_each={given}"]),
        load_profile,
    ):
        with suppress(InputError):
            read(text)


def test_a_short_text_cannot_name_very_many_cards():
    for text in ("0-99999," * 20_000 + "1", "0-107," * 10 + "5"):
        with pytest.raises(InputError, match="rule deck names"):
            read_rules(None, [f"deck={text}"])


@pytest.mark.parametrize("option", ["--games", "--deals", "--head-start", "--seed", "--workers", "--patience", "--out"])
@pytest.mark.parametrize("text", ["\0", "", "[" * 9999, "9" * 9999, "1e999999999", "nan", "\ud800"])
def test_odd_values_of_options(option, text):
    if option == "--out" and text in ("nan", "1e999999999"):
        return  # good names of folders
    refused("run", option, text)
