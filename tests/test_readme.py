"""Documents do not drift from the program: every command and every Python example in them is run, with few games.

A block that shall not be run has ``<!-- no-run -->`` in the line above it.
"""

import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from salad_sim.cli import main
from salad_sim.game.state import layout
from support.places import ROOT

DOCUMENTS = [file for name in ("README.md", "CONTRIBUTING.md", "docs/*.md") for file in sorted(ROOT.glob(name))]
LONG = {"docs/card-value.md", "docs/cluster.md", "docs/data.md"}
"""Documents whose commands take long even with few games: they are run with the slow tests."""
MARKED = [
    pytest.param(file, marks=[pytest.mark.slow] if str(file.relative_to(ROOT)) in LONG else []) for file in DOCUMENTS
]
SHELLS = {"console", "sh", "bash", "shell"}
NO_RUN = "<!-- no-run -->"
FEW_GAMES = "300"

# Numbers that decide how long a command takes, made small.
SHORTER = [
    (r"(--games|-g)([ =])\S+", rf"\1\g<2>{FEW_GAMES}"),
    (r"--(seconds|repeats)([ =])\S+", r""),
    (r"(salad-sim bench)\b", r"\1 --seconds 0.01 --repeats 1"),
    (r"(salad-sim check)\b", r"\1 --games 20"),
    (r"\bgames=[\d_.e]+", f"games={FEW_GAMES}"),
    (r"(salad-sim extend \S+ --games )\S+", r"\g<1>2000"),
]


@dataclass
class Block:
    """A fenced block of a document."""

    language: str
    text: str
    line: int
    runs: bool


def blocks(text: str) -> list[Block]:
    """Find the fenced blocks."""
    found: list[Block] = []
    lines = text.splitlines()
    inside: list[str] | None = None
    start, language = 0, ""
    for number, line in enumerate(lines):
        if not line.lstrip().startswith("```"):
            if inside is not None:
                inside.append(line)
        elif inside is None:
            inside, start, language = [], number, line.strip().removeprefix("```").strip()
        else:
            runs = start == 0 or lines[start - 1].strip() != NO_RUN
            found.append(Block(language, "\n".join(inside), start + 1, runs))
            inside = None
    return found


def commands(block: Block) -> list[str]:
    """Return the commands of a shell block: all lines, or those after ``$`` if there are any."""
    lines = block.text.replace("\\\n", " ").splitlines()
    typed = [line.strip().removeprefix("$ ") for line in lines if line.strip().startswith("$ ")]
    return typed or [line.strip() for line in lines if line.strip()]


def shorter(text: str) -> str:
    for pattern, few in SHORTER:
        text = re.sub(pattern, few, text)
    return text


def run(command: str) -> None:
    """Run a command of the document, if it is one of ours or prepares one."""
    words = shlex.split(command, comments=True)
    if words[:1] == ["cp"]:
        shutil.copy(*words[1:])
    elif words[:1] == ["salad-sim"]:
        assert not set(words) & {"|", ">", "<", "&&", ";"}, f"more than one command: {command}"
        result = CliRunner().invoke(main, shlex.split(shorter(command), comments=True)[1:])
        assert result.exit_code == 0, f"{command}\n{result.output}{result.exception}"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what a reader's commands find in the project's folder, as the folder to run them in."""
    for folder in ("strategies", "experiments"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("document", MARKED, ids=lambda file: str(file.relative_to(ROOT)))
def test_what_a_document_says_works(document: Path, project: Path) -> None:
    names: dict[str, object] = {}
    for block in blocks(document.read_text(encoding="utf-8")):
        if block.runs and block.language in SHELLS:
            for command in commands(block):
                run(command)
        elif block.runs and block.language == "python":
            code = "\n" * block.line + shorter(block.text)
            exec(compile(code, str(document), "exec"), names)


def test_the_quick_start_is_two_lines() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    quick_start = re.split(r"^#+ Quick start\s*$", text, flags=re.MULTILINE)[1]
    lines = commands(blocks(quick_start)[0])
    assert len(lines) == 2
    assert "salad-sim run --games 1e6" in lines[0] and "-m pytest" in lines[1]


EXAMPLE = f"""
# Title

```sh
cp strategies/_template.py mine.py
salad-sim run --games 1e6 \\
    --quiet
```

{NO_RUN}
```console
$ salad-sim run --games 1e9
some output
```

```python
simulate(games=1_000_000, players=2)
```
"""


def test_blocks_and_commands_are_found() -> None:
    first, second, third = blocks(EXAMPLE)
    assert commands(first)[0] == "cp strategies/_template.py mine.py"
    assert shlex.split(shorter(commands(first)[1])) == ["salad-sim", "run", "--games", FEW_GAMES, "--quiet"]
    assert (first.runs, second.runs, third.runs) == (True, False, True)
    assert commands(second) == ["salad-sim run --games 1e9"]
    assert shorter(third.text) == f"simulate(games={FEW_GAMES}, players=2)"


@pytest.mark.parametrize("command", ["salad-sim run --gams 3", "salad-sim nonsense", "salad-sim run --games 5 | head"])
def test_a_command_that_does_not_work_is_noticed(command: str) -> None:
    with pytest.raises(AssertionError):
        run(command)


def documented_fields(heading: str) -> dict[str, str]:
    """Read name and type of each row of the table that follows some words in CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split(heading)[1]
    table = re.search(r"\n\|.*?\n\n", text, flags=re.DOTALL)
    assert table
    return dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \|", table.group(), flags=re.MULTILINE))


def type_in_words(dtype: np.dtype[Any]) -> str:
    name = "record" if dtype.base.fields else dtype.base.name
    return f"{name} [{', '.join(map(str, dtype.shape))}]" if dtype.shape else name


@pytest.mark.parametrize(
    ("heading", "record", "in_full"),
    [
        ("### view:", layout().public, True),
        ("Each `view.tableau[seat]`:", layout().tableau, True),
        ("### own:", layout().own, False),
    ],
)
def test_the_tables_of_fields_are_right(heading: str, record: np.dtype[Any], in_full: bool) -> None:
    fields = {name: type_in_words(field[0]) for name, field in (record.fields or {}).items()}
    said = documented_fields(heading)
    assert said.items() <= fields.items()
    if in_full:
        assert set(said) == set(fields)
