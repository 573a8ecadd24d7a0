"""Positions: files that are read back, positions out of games, and those that cannot be, each refused in one line."""

import tomllib
from pathlib import Path

import pytest

from salad_sim.errors import InputError
from salad_sim.game.rules import Rules
from salad_sim.studies.advice.notation import legal_moves, move_text, read_move
from salad_sim.studies.advice.position import Position
from salad_sim.studies.advice.position_checks import check_position, possible_turns
from salad_sim.studies.advice.position_file import example_text, parse_position, position_text, read_position
from support.advising import CARDS, some_positions
from support.commands import good, refused


@pytest.mark.parametrize("n_players", [2, 6])
def test_every_position_of_a_game_can_be_and_is_read_back_as_it_was_written(n_players: int) -> None:
    for position, _ in some_positions(n_players):
        check_position(position)
        assert position.turn in possible_turns(position)
        back = parse_position(tomllib.loads(position_text(position, "pile 1"))).position
        assert back.turn in possible_turns(position)
        assert back == Position(**{**vars(position), "turn": back.turn})


@pytest.mark.parametrize("rules", [Rules(split="draw"), Rules(split="down", vegetables="up-to-two", flip="never")])
def test_positions_under_other_rules_can_be(rules: Rules) -> None:
    for position, _ in some_positions(3, rules):
        check_position(position)


def test_the_record_of_a_position_is_that_of_its_table() -> None:
    for position, view in some_positions(3, seed=2):
        record = position.public(position.plan("greedy"))
        for name in ("n_cards", "n_left", "turn", "seat", "n_market"):
            assert record[name] == view[name], name
        for name in ("top", "pile_size", "market"):
            assert record[name].tolist() == view[name].tolist(), name
        for seat in range(3):
            assert record["tableau"][seat]["counts"].tolist() == view["tableau"][seat]["counts"].tolist()
        hidden = [place == 0 for place in view["place"].tolist()]
        assert [place == 0 for place in record["place"].tolist()] == hidden


def test_every_legal_move_is_read_back_as_it_was_written() -> None:
    for _, view in some_positions(2, Rules(vegetables="up-to-two"), seed=4):
        for move in legal_moves(view):
            assert read_move(move_text(CARDS, move), view, CARDS) == move


def test_vegetables_are_taken_by_name_where_that_is_clear() -> None:
    position = parse_position(tomllib.loads(example_text())).position
    view = position.public(position.plan("greedy"))
    assert move_text(CARDS, read_move("onion + tomato", view, CARDS)) == "market 2 4"
    assert move_text(CARDS, read_move("take carrot and carrot", view, CARDS)) == "market 1 5"
    assert move_text(CARDS, read_move("2/carrot, flip carrot+onion=5", view, CARDS)) == (
        "pile 1, flip carrot + onion = 5"
    )
    for text, said in {
        "carrot onion": "may be 'market 1 2', 'market 2 5'",
        "carrot": "may be 'market 1', 'market 5'",
        "market 1": "two vegetables must be taken",
        "pepper + pepper": "the market does not hold that",
        "parsley + pepper": "a move is 'pile 1'",
        "pile 4": "a move is 'pile 1'",
        "pile 1, flip 3": "only a point card in front of the seat",
        "": "is no move",
    }.items():
        with pytest.raises(InputError, match=said.replace("+", r"\+")):
            read_move(text, view, CARDS)


WRONG = {
    'top = "2/carrot"': ('top = "carrot + onion = 5"', "(card 85) is on top of pile 1 and in front of Ann"),
    "carrot = 2, onion = 1": ("carrot = 2, onion = 7", "9 cards of onion are in sight"),
    "cards = 8": ("cards = 20", "20 + 7 + 1 cards in piles"),
    "cards = 7": ("cards = 0", "pile 2 has a top card and 0 cards"),
    "tomato = 2, pepper = 1, cabbage = 1": ("tomato = 1", "Ann has 4 cards and Bob has 1 card; as Ann began"),
    '"tomato", "carrot"': ('"tomato", "-"', "column 2, lower row is empty, but pile 2 could fill it"),
    'cards = ["carrot + onion = 5"]': ('cards = ["carrot + onoin = 5"]', "did you mean 'carrot + onion = 5'"),
    'name = "Bob"': ('name = "Ann"', "two players are called 'Ann'"),
    'market = ["carrot", ': ("market = [", "market needs 6 vegetables"),
    "tomato = 2, pepper": ("tomatoe = 2, pepper", "unknown vegetable 'tomatoe'"),
    "cards = []": ("card = []", "unknown key 'card'"),
    'move = "pile 1"': ('seen = ["2/carrot"]', "(card 4) is on top of pile 1 and among the cards seen"),
}


@pytest.mark.parametrize("right", list(WRONG))
def test_a_position_that_cannot_be_is_refused_in_one_line(right: str, tmp_path: Path) -> None:
    wrong, said = WRONG[right]
    assert example_text().count(right) == 1
    file = tmp_path / "position.toml"
    file.write_text(example_text().replace(right, wrong), encoding="utf-8")
    assert said in refused("advise", file)


def test_piles_that_do_not_add_up_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "position.toml"
    file.write_text(example_text().replace('10"\n', '10"\ncards = 9\n'), encoding="utf-8")
    said = refused("advise", file)
    assert "8 + 7 + 9 cards in piles, 6 in the market and 8 in front of players are 38" in said
    assert said.endswith("the deck of 2 players has 36\n")


def test_the_example_is_a_position_and_a_size_that_is_missing_is_worked_out() -> None:
    found = parse_position(tomllib.loads(example_text()))
    assert found.position.sizes == (8, 7, 7)
    assert (found.move, found.notes) == ("pile 1", ())


def test_a_position_of_a_game_is_printed_as_a_file(tmp_path: Path) -> None:
    file = tmp_path / "position.toml"
    file.write_text(good("replay", "--game", 5, "--turn", 8, "--position", "-q").stdout, encoding="utf-8")
    position = read_position(str(file)).position
    assert (position.to_move, position.seats[1].name) == (1, "seat 2, greedy")
    assert "turns of game 5" in refused("replay", "--game", 5, "--turn", 99, "--position")
    assert "go together" in refused("replay", "--game", 5, "--position")
