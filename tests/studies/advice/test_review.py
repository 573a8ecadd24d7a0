"""Games written down and looked back at: files that are read back, what cannot be, and accounts that add up."""

import json
import tomllib
from pathlib import Path

import pytest

from salad_sim.errors import InputError
from salad_sim.run.one_game import moves_of, play_one
from salad_sim.run.plan import plan_run
from salad_sim.studies.advice.estimate import check_budget
from salad_sim.studies.advice.game_file import RecordedGame, game_text, parse_game, written_text
from salad_sim.studies.advice.review import Review, review
from support.commands import good, refused

NAMES = ("Ann", "Bob", "Cid")


@pytest.fixture(scope="module")
def game() -> RecordedGame:
    plan = plan_run(1, 3, ["greedy", "random", "greedy"], 7)
    work, _ = play_one(plan, 0)
    return RecordedGame(plan, NAMES, (1,), tuple(moves_of(work)))


@pytest.fixture(scope="module")
def found(game: RecordedGame) -> Review:
    return review(game, check_budget(50, 1, "greedy"))


def test_a_game_is_read_back_from_its_moves(game: RecordedGame) -> None:
    back = parse_game(tomllib.loads(game_text(game)))
    assert (back.moves, back.names, back.people) == (game.moves, game.names, game.people)
    assert list(back.positions()) == list(game.positions())


def test_a_game_is_read_back_as_a_person_writes_it_down(game: RecordedGame) -> None:
    back = parse_game(tomllib.loads(written_text(game)))
    assert back.moves == game.moves
    for (known, _), (seen, _) in zip(game.positions(), back.positions(), strict=True):
        # of the first six vegetables of the market nobody wrote down the point sides
        assert set(seen.seen) <= set(known.seen)
        assert len(known.seen) - len(seen.seen) <= 6
        assert (seen.tops, seen.sizes, seen.market, seen.seats) == (known.tops, known.sizes, known.market, known.seats)


WRONG = {
    "moves = [": ('moves = [ "pile 9",', "turn 1: 'pile 9' is no move"),
    "seed = 7": ("seed = -7", "seed must be a whole number"),
    'players = ["Ann", "Bob"': ('players = ["Ann"', "2 players and 3 strategies"),
    "seed = 7\n": ("seed = 7\nsed = 8\n", "unknown key 'sed' (did you mean 'seed'?)"),
}


@pytest.mark.parametrize("right", list(WRONG))
def test_a_game_file_that_says_nonsense_is_refused_in_one_line(right: str, game: RecordedGame, tmp_path: Path) -> None:
    wrong, said = WRONG[right]
    file = tmp_path / "game.toml"
    assert right in game_text(game)
    file.write_text(game_text(game).replace(right, wrong), encoding="utf-8")
    assert said in refused("review", file)


def test_cards_that_cannot_have_come_up_are_refused(game: RecordedGame) -> None:
    for new, said in (([], "new lists 0"), (None, "came up before")):
        table = tomllib.loads(written_text(game))
        first = table["turn"][0]
        first["new"] = table["tops"][:1] * len(first["new"]) if new is None else new
        with pytest.raises(InputError, match=said):
            parse_game(table)


def test_luck_and_skill_add_up_to_the_result(found: Review) -> None:
    for seat in range(3):
        rows = found.accounts(seat)
        for what, result in (("win", found.wins[seat]), ("points", found.margins[seat])):
            assert sum(row[what].value for row in rows[:-1]) == pytest.approx(result)
            assert all(row[what].low <= row[what].value <= row[what].high for row in rows)
    assert sum(found.wins) == 1


def test_who_plays_at_random_pays_for_it(found: Review) -> None:
    own = [found.accounts(seat)[3]["points"] for seat in range(3)]
    assert own[1].high < min(own[0].low, own[2].low)


def test_the_command_looks_back(game: RecordedGame, tmp_path: Path) -> None:
    file = tmp_path / "game.toml"
    file.write_text("\n".join(game_text(game).splitlines()[:10]) + "\n]\n", encoding="utf-8")
    words = ["review", file, "--games", 50, "--with", "greedy", "-q"]
    assert "was not played to its end; 4 turns" in good(*words).stdout
    rows = json.loads(good(*words, "--player", "Ann", "--format", "json").stdout)["moves"]
    assert [(row["turn"], row["player"]) for row in rows] == [(1, "Ann"), (4, "Ann")]
    assert "allowed: Ann, Bob, Cid" in refused(*words, "--player", "Eve")
    assert good("replay", "--seed", 7, "--written", "-q").stdout.count("[[turn]]") > 20
