"""Games that people and strategies play: over a pipe, with hints, undone moves, saved and gone on with."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from salad_sim.cli import main
from salad_sim.game.rules import Rules
from salad_sim.run.one_game import moves_of, play_one
from salad_sim.run.plan import plan_run
from salad_sim.studies.advice.game_file import read_game
from salad_sim.tools.playing.session import GameSession
from support.commands import good, refused

QUICK = ("--with", "greedy", "--games", "50", "-q", "--seed", "5")


def played(answers: list[object], *words: object) -> Result:
    """Play over a pipe, a line for each answer."""
    typed = "\n".join(map(str, answers)) + "\n"
    return CliRunner().invoke(main, ["play", *map(str, words)], input=typed)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("rules", ["classroom", "bga", "friendly"])
def test_one_is_always_a_legal_answer(rules: str, folder: Path) -> None:
    words = ["--rules", rules, "--rule", "rounds=2", "--players", 3, "--strategy", "greedy", "--seat", 2]
    found = played(["1"] * 200 + ["2"], *words, *QUICK)
    assert found.exit_code == 0, found.output
    assert "The game is over." in found.stdout or "Saved in" in found.stdout
    assert "Please give" not in found.stdout


def test_strategies_play_as_they_play_in_a_run() -> None:
    plan = plan_run(1, 3, ["greedy", "casual", "greedy"], 11, rules=Rules(rounds=2))
    session = GameSession(plan, ("a", "b", "c"), ())
    while not session.is_over:
        session.make(session.ask())
    work, _ = play_one(plan, 0)
    assert session.moves == moves_of(work)


def test_a_move_that_is_undone_leaves_nothing_behind() -> None:
    session = GameSession(plan_run(1, 2, ["greedy", "casual"], 3), ("you", "casual"), (0,))
    for _ in range(3):
        session.make(0)
        session.make(session.ask())
    before, moves = session.memory.copy(), list(session.moves)
    session.make(1)
    answer = session.ask()
    session.make(answer)
    assert session.undo()
    assert (session.memory == before).all()
    assert session.moves == moves
    session.make(1)
    assert session.ask() == answer
    for _ in range(4):
        assert session.undo()
    assert not session.undo()
    assert session.moves == []


def test_a_saved_game_goes_on_as_it_would_have(folder: Path) -> None:
    first = played(["1", "1", "1", "1", "0", "4"], *QUICK, "--strategy", "casual")
    assert "Saved in salad-game.toml" in first.stdout
    assert "To go on: salad-sim play salad-game.toml" in first.stdout
    saved = read_game("salad-game.toml")
    assert (len(saved.moves), saved.names, saved.people) == (4, ("you", "casual 2"), (0,))
    whole = GameSession(saved.plan, saved.names, saved.people)
    again = GameSession.resumed(saved)
    while len(whole.moves) < 4:
        whole.make(saved.moves[len(whole.moves)] if whole.is_person else whole.ask())
    assert (again.memory == whole.memory).all()
    text = played([], "salad-game.toml", "--with", "greedy", "-q").stdout
    assert "Turn 5: you" in text


def test_hint_undo_and_words_work(folder: Path) -> None:
    found = played(
        ["hint", "market 1 4", "undo", "0", "1", "99", "pile 9", "pile 1", "2", "stop"], *QUICK, "-s", "greedy"
    )
    assert found.exit_code == 0, found.output
    assert "in every seat." in found.stdout
    assert found.stdout.count("Turn 1: you") == 2
    assert "'99' is no move" in found.stdout
    assert "'pile 9' is no move" in found.stdout
    assert len(read_game("salad-game.toml").moves) == 2


def test_a_game_ends_with_its_scoring_and_a_review(folder: Path) -> None:
    found = played(["1"] * 60, *QUICK, "--strategy", "greedy", "--save", "game.toml")
    assert found.exit_code == 0, found.output
    assert "in total" in found.stdout
    assert "luck of the cards" in found.stdout
    assert "dearest moves of you" in found.stdout
    assert "you" in good("review", "game.toml", "--games", 50, "--with", "greedy", "-q").stdout


def test_ctrl_c_saves_the_game(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(prompt: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("salad_sim.cli.play._read", interrupt)
    found = played([], *QUICK, "-s", "greedy")
    assert found.exit_code == 130
    assert "To go on: salad-sim play salad-game.toml" in found.stdout
    assert read_game("salad-game.toml").moves == ()


def test_several_people_play_at_one_table(folder: Path) -> None:
    found = played(["1", "1", "stop"], *QUICK, "-p", 3, "-s", "person", "-s", "greedy", "--name", "Ann")
    assert "Seats: 1 Ann, 2 person 2, 3 greedy 3." in found.stdout
    assert "Turn 2: person 2" in found.stdout


def test_what_cannot_be_played_is_refused(folder: Path) -> None:
    assert "seat must be a whole number from 1 to 2" in refused("play", "--seat", 3)
    assert "unknown strategy 'gredy'" in refused("play", "-s", "gredy")
    assert "cannot be read" in refused("play", "no.toml")
    assert "give one, or 3" in refused("play", "-p", 4, "-s", "greedy", "-s", "random")
    Path("w.toml").write_text(good("replay", "--written", "-q").stdout, encoding="utf-8")
    assert "nobody knows its hidden cards" in refused("play", "w.toml")
    assert "is said by the game" in refused("play", "w.toml", "--seed", 3)
