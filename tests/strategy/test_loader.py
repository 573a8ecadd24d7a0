"""Python files of users: whatever they do when they are run, one line says what is wrong and where."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

from salad_sim.errors import InputError
from salad_sim.strategy import loader as user_file
from salad_sim.strategy.loader import find_file, run_file
from support.studying import call


def written(folder: Path, text: str, name: str = "mine.py") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def test_a_file_is_run_with_the_modules_beside_it(tmp_path: Path) -> None:
    written(tmp_path, "VALUE = 7\n", "beside_mine.py")
    file = written(tmp_path, "import beside_mine\nTWICE = 2 * beside_mine.VALUE\n")
    assert run_file("strategy", file)[0].TWICE == 14


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A = 1\nB = 1 / 0\n", "line 2: ZeroDivisionError: division by zero"),
        ("A = 1\n\nraise SystemExit(3)\n", "line 3: SystemExit: 3"),
        ("class Odd(BaseException):\n    pass\nraise Odd\n", "line 3: Odd: "),
        ("def (:\n", "line 1: SyntaxError: "),
        ("import beside_wrong\n", "beside_wrong.py, line 2: NameError"),
    ],
)
@pytest.mark.parametrize("what", ["strategy", "experiment"])
def test_a_file_that_fails_is_told_with_its_line(tmp_path: Path, text: str, said: str, what: str) -> None:
    written(tmp_path, "x = 1\nx = y\n", "beside_wrong.py")
    file = written(tmp_path, text)
    told = call(*(["check", str(file)] if what == "strategy" else ["experiment", str(file)]))
    assert told.exit_code == 2 and told.stderr.count("\n") == 1
    assert f"{what} file " in told.stderr and said in told.stderr


CATCHES = """
try:
    while True:
        pass
except BaseException:
    while True:
        pass
"""


@pytest.mark.parametrize("text", ["x = 0\nwhile True:\n    x += 1\n", "import time\ntime.sleep(100)\n", CATCHES])
@pytest.mark.parametrize("words", [["run", "-g", "10", "-s"], ["experiment"]])  # check: the same, in another process
def test_a_file_that_never_ends_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], text: str
) -> None:
    monkeypatch.setattr(user_file, "LOAD_SECONDS", 0.2)
    monkeypatch.setattr(user_file, "AGAIN_SECONDS", 0.2)
    file = written(tmp_path, text)
    told = call(*words, str(file))
    assert told.exit_code == 2 and told.stderr.count("\n") == 1
    assert f"{file}, line " in told.stderr and "not loaded after 0.2 seconds" in told.stderr


def test_a_file_that_is_slow_but_ends_in_time_is_left_alone(tmp_path: Path) -> None:
    file = written(tmp_path, "from time import sleep\nsleep(0.05)\nDONE = True\n")
    assert run_file("strategy", file)[0].DONE
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0) and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL


def test_a_file_is_run_in_another_thread_too(tmp_path: Path) -> None:
    file = written(tmp_path, "VALUE = 3\n")
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(run_file("strategy", file)[0].VALUE))
    thread.start()
    thread.join()
    assert found == [3]


def test_ctrl_c_is_still_ctrl_c(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_file("strategy", written(tmp_path, "raise KeyboardInterrupt\n"))


@pytest.mark.parametrize("what", ["strategy", "experiment"])
def test_what_is_no_file_is_said(tmp_path: Path, what: str) -> None:
    with pytest.raises(InputError, match=f"there is no {what} file .*; it is a folder"):
        find_file(what, tmp_path)
    with pytest.raises(InputError, match=f"there is no {what} file"):
        find_file(what, tmp_path / "none.py")
    with pytest.raises(InputError, match=f"{what} file .* cannot be found"):
        find_file(what, "a\0b.py")
