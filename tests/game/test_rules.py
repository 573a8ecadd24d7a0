"""Rules and profiles: what is accepted, what is refused and how, and rulings compared on the same deals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from salad_sim import OFFICIAL, InputError, compare_rules, read_rules, simulate
from salad_sim.cli import main
from salad_sim.cli.rules import read_ruling
from salad_sim.game.engine import WHOLE_WIN
from salad_sim.game.rule_profiles import load_profile, profiles
from salad_sim.game.rules import CHOICES, Rules
from salad_sim.run.driver import Session
from salad_sim.run.executors import Shard
from salad_sim.run.paired import play_pair
from salad_sim.run.plan import plan_run
from salad_sim.run.runner import ShardPlayer, prepare


def test_the_default_is_official() -> None:
    assert Rules() == OFFICIAL and OFFICIAL.changed() == {}
    assert all(getattr(OFFICIAL, name) == values[0] for name, values in CHOICES.items())


@pytest.mark.parametrize("name", CHOICES)
def test_codes_are_places_in_the_list(name: str) -> None:
    assert [Rules(**{name: value}).code(name) for value in CHOICES[name]] == list(range(len(CHOICES[name])))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"zer": "even"}, r"unknown rule 'zer' \(did you mean 'zero'\?\)"),
        ({"zero": "evn"}, r"unknown value of rule zero 'evn' \(did you mean 'even'\?\)"),
        ({"zero": 3}, "rule zero takes one of nothing, even, odd, not 3"),
        ({"zero": True}, "rule zero takes one of"),
        ({"rounds": 0}, "rule rounds takes a whole number 1..12, not '0'"),
        ({"rounds": "1.5"}, "rule rounds takes"),
        ({"rounds": True}, "rule rounds takes"),
        ({"of_each": "1,2"}, "rule of_each takes 'official', a whole number"),
        ({"of_each": -1}, "rule of_each takes"),
        ({"of_each": "0"}, "rule of_each takes"),
        ({"deck": "a"}, "rule deck takes 'official' or card ids"),
        ({"deck": "3-1"}, "counts downwards; write 1-3"),
        ({"deck": "1-3,2"}, "names card 2 twice"),
        ({"deck": "0-40", "of_each": 3}, "cannot be given too"),
    ],
)
def test_bad_rules_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Rules.from_dict(changes)


def test_rules_survive_being_written_as_plain_data() -> None:
    rules = Rules(zero="odd", of_each="6,6,6,6,6,9", rounds=2, next_start="random")
    assert Rules.from_dict(json.loads(json.dumps(rules.as_dict()))) == rules
    assert Rules.from_dict({"of_each": [6, 6, 6, 6, 6, 9], "deck": "official"}).of_each == "6,6,6,6,6,9"
    assert Rules.from_dict({"deck": [3, 1, 2]}).card_ids() == [1, 2, 3]


def test_every_profile_says_where_it_comes_from() -> None:
    assert next(iter(profiles())) == "official"
    assert {"official", "bga", "classroom"} <= set(profiles())
    assert all(profile.about and profile.source for profile in profiles().values())
    assert profiles()["classroom"].rules.changed() == {
        "vegetables": "up-to-two",
        "zero": "even",
        "sets": "complete-once",
        "split": "draw",
        "tie_break": "earlier",
    }
    assert profiles()["bga"].rules.changed() == {"split_tie": "random"}


def test_switches_win_over_the_profile_but_not_over_each_other() -> None:
    rules = read_rules("classroom", ["zero=nothing", "split=up", "split=up"], tie_break="shared", rounds=None)
    assert rules.changed() == {"vegetables": "up-to-two", "sets": "complete-once", "tie_break": "shared"}


@pytest.mark.parametrize(
    ("switches", "more"),
    [(["zero=odd", "zero=even"], {}), (["tie_break=shared"], {"tie_break": "later"}), (["rounds=3"], {"rounds": 2})],
)
def test_a_switch_given_twice_is_refused(switches: list[str], more: dict[str, object]) -> None:
    with pytest.raises(InputError, match="is given twice, as"):
        read_rules(None, switches, **more)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("about = 3\n[rules]", "about must be text, not 3"),
        ("rules = 3", "must be a table"),
        ("[rules]\nzer = 'even'", "unknown rule 'zer'"),
        ("zero = 'even'", "unknown key 'zero'.*switches stand under"),
        ("[rules\n", "is not TOML"),
        ("[rules]\nzero = ['even']", "rule zero takes"),
    ],
)
def test_bad_rule_files_are_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "ours.toml"
    file.write_text(text)
    with pytest.raises(InputError, match=message) as caught:
        load_profile(str(file))
    assert str(file) in str(caught.value)


def test_rule_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        load_profile(str(tmp_path / "none.toml"))
    (tmp_path / "folder.toml").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        load_profile(str(tmp_path / "folder.toml"))
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="is not TOML"):
        load_profile(str(tmp_path / "bytes.toml"))
    with pytest.raises(InputError, match=r"unknown rule profile 'bgo' \(did you mean 'bga'\?\)"):
        load_profile("bgo")


def test_a_rule_file_plays(tmp_path: Path) -> None:
    file = tmp_path / "sunday.toml"
    file.write_text("about = 'ours'\n[rules]\nflip = 'never'\n")
    called = CliRunner().invoke(main, ["run", "--games", "20", "--rules", str(file), "--format", "json", "-q"])
    found = json.loads(called.stdout)
    assert found["rules"]["flip"] == "never" and all(row["flips"] == 0 for row in found["seats"])


def test_rulings_on_the_command_line() -> None:
    assert read_ruling("official") == OFFICIAL
    assert read_ruling("zero=even") == Rules(zero="even")
    assert read_ruling("bga,zero=even,of_each=6,6,6,6,6,9").changed() == {
        "zero": "even",
        "split_tie": "random",
        "of_each": "6,6,6,6,6,9",
    }


# --------------------------------------------------------------------------------- two rulings, same deals


def rows_of(rules: Rules, n_games: int, n_players: int) -> np.ndarray:
    """Play deals one by one and return the row of each."""
    plan = plan_run(n_games, n_players, "greedy", rules=rules)
    player = ShardPlayer(plan, prepare(plan))
    player.work.keep_rows = 1
    rows = []
    for deal in range(n_games):
        player(Shard(deal, 1))
        rows.append(player.work["rows"][0].copy())
    return np.array(rows)


def test_paired_differences_against_games_played_one_by_one() -> None:
    n_games, n_players = 700, 3
    a, b = (rows_of(rules, n_games, n_players) for rules in (OFFICIAL, Rules(zero="even")))
    found = compare_rules(OFFICIAL, Rules(zero="even"), n_games, n_players)
    for seat, row in enumerate(found.seat_rows):
        for name, field, unit in (("win_share", "wins", WHOLE_WIN), ("mean_score", "scores", 1)):
            differences = (b[field][:, seat] - a[field][:, seat]) / unit
            error = differences.std(ddof=1) / np.sqrt(n_games)
            assert row[f"{name}_difference"] == pytest.approx(differences.mean())
            assert row[f"{name}_difference_high"] - row[f"{name}_difference"] == pytest.approx(1.963 * error, rel=1e-3)
    turns = b["turns"] - a["turns"]
    assert found.game_rows[0]["difference"] == pytest.approx(turns.mean())
    differs = (a["worth"] != b["worth"]).any(axis=1) | (a["scores"] != b["scores"]).any(axis=1) | (turns != 0)
    assert found.differ.value == pytest.approx(differs.mean())
    card = 73
    kept = [rows["worth"][:, card] != -32768 for rows in (a, b)]
    worth = [rows["worth"][kept_here, card].mean() for rows, kept_here in zip((a, b), kept, strict=True)]
    row = found.card_rows[card]
    assert (row["kept_a"], row["kept_b"]) == pytest.approx([each.mean() for each in kept])
    assert (row["points_a"], row["points_b"]) == pytest.approx(worth)


def test_plain_runs_agree_with_the_comparison() -> None:
    rules = Rules(flip="never")
    found = compare_rules(OFFICIAL, rules, 900)
    for end, each in (("a", OFFICIAL), ("b", rules)):
        seats = simulate(900, rules=each).seats
        assert [row[f"win_share_{end}"] for row in found.seat_rows] == pytest.approx(seats.win_share.tolist())
        assert [row[f"mean_score_{end}"] for row in found.seat_rows] == pytest.approx(seats.mean_score.tolist())


def test_workers_do_not_matter() -> None:
    plans = [plan_run(1500, rules=rules) for rules in (OFFICIAL, Rules(split="down"))]
    one, two = (play_pair(*plans, Session(workers)) for workers in (1, 2))
    assert one.n_differ == two.n_differ and (one.cards == two.cards).all()
    assert (one.card_products == two.card_products).all() and one.of_game == two.of_game
    assert all((one.by_seat[name] == two.by_seat[name]).all() for name in one.by_seat)


def test_a_ruling_against_itself_moves_nothing() -> None:
    found = compare_rules(OFFICIAL, OFFICIAL, 600)
    assert found.differ.value == 0 and found.rank_correlation == pytest.approx(1)
    assert all(row["win_share_difference"] == 0 == row["win_share_difference_high"] for row in found.seat_rows)
    assert all(row["difference"] in (0, None) or row["difference"] != row["difference"] for row in found.card_rows)


def test_no_ruling_moves_anything_more_often_than_stated() -> None:
    """Of 60 comparisons of split_tie=random, which moves next to nothing, few intervals exclude zero (95 %)."""
    outside = 0
    for seed in range(60):
        row = compare_rules(OFFICIAL, Rules(split_tie="random"), 300, seed=seed).seat_rows[0]
        outside += row["mean_score_difference_low"] > 0 or row["mean_score_difference_high"] < 0
    assert outside <= 9  # 3 expected; more than 9 of 60 with probability 0.001


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        (Rules(), Rules(rounds=2), "rule rounds must be the same in both, not 1 and 2"),
        (Rules(of_each="6"), Rules(of_each="7"), "rule of_each must be the same"),
    ],
)
def test_other_deals_cannot_be_compared(a: Rules, b: Rules, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        compare_rules(a, b, 10)


def test_the_command_compares() -> None:
    called = CliRunner().invoke(main, ["rules", "compare", "official", "zero=even", "--games", "200", "-q"])
    assert called.exit_code == 0 and "The first seat's win share moves by" in called.stdout
    called = CliRunner().invoke(main, ["rules", "compare", "bga", "zero=x"])
    assert called.exit_code == 2 and called.stderr.count("\n") == 1
    listed = CliRunner().invoke(main, ["rules"]).stdout
    assert all(name in listed for name in [*profiles(), *CHOICES, "of_each", "deck", "rounds"])
