"""Which files compiled code depends on, and which edits of them change its hash."""

from pathlib import Path

import pytest

from salad_sim.jit.sources import code_fingerprint, kernel_sources

FILES = {
    "__init__.py": "",
    "jit/__init__.py": '"""Room."""\n',
    "jit/kernel.py": "def kernel(function):\n    return function\n",
    "game/__init__.py": "",
    "game/sizes.py": "from a_house.jit import records\nN_CARDS = 108\nRNG = records.dtype([('a', 'u8')])\n",
    "jit/records.py": "def dtype(fields):\n    import a_house.jit.widths\n    return fields\n",
    "jit/widths.py": "WIDTH = 8\n",
    "game/engine.py": '''\
"""The engine."""
from typing import TYPE_CHECKING

from a_house.game.sizes import N_CARDS
from a_house.jit.kernel import kernel

if TYPE_CHECKING:
    import a_house.cli


@kernel
def add(a, b):
    """Add."""
    if a > N_CARDS:  # too many
        return a
    return a + b


def check(a):
    if a > 3:
        raise ValueError(f"{a} is too much")
    return a
''',
    "kit.py": '"""The door."""\nfrom a_house.game.engine import add\n__all__ = ["add"]\n',
    "cli.py": "import a_house.game.engine\n",
}
ENGINE = "game/engine.py"

SAME = [
    (ENGINE, '"""Add."""', '"""Add two numbers."""'),
    (ENGINE, '    """Add."""\n', ""),
    (ENGINE, "# too many", "# far too many"),
    (ENGINE, "is too much", "is more than 3"),
    (ENGINE, "\n\n\n@kernel", "\n\n\n\n@kernel"),
    (ENGINE, "import a_house.cli", "import a_house.run"),
    ("jit/__init__.py", "Room", "The room"),
    ("cli.py", "engine", "sizes"),
]
OTHER = [
    (ENGINE, "return a + b", "return a - b"),
    (ENGINE, "return a\n    return", "return b\n    return"),
    (ENGINE, "@kernel\ndef add", "def add"),
    (ENGINE, "a > 3", "a > 4"),
    ("game/sizes.py", "108", "120"),
    ("game/sizes.py", "'u8'", "'u4'"),
    ("jit/records.py", "return fields", "return fields[:1]"),
    ("jit/widths.py", "8", "4"),
    ("jit/kernel.py", "return function", "return None"),
    ("kit.py", "import add", "import check as add"),
]


@pytest.fixture
def house(tmp_path: Path) -> Path:
    package = tmp_path / "a_house"
    for name, text in FILES.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    return package


def fingerprints(house: Path, name: str, old: str, new: str) -> tuple[str, str]:
    """The hash before and after an edit."""
    code_fingerprint.cache_clear()
    before = code_fingerprint(house)
    assert FILES[name].count(old) == 1
    (house / name).write_text(FILES[name].replace(old, new), encoding="utf-8")
    code_fingerprint.cache_clear()
    return before, code_fingerprint(house)


@pytest.mark.parametrize(("name", "old", "new"), SAME)
def test_words_do_not_count(house: Path, name: str, old: str, new: str) -> None:
    before, after = fingerprints(house, name, old, new)
    assert before == after


@pytest.mark.parametrize(("name", "old", "new"), OTHER)
def test_code_counts(house: Path, name: str, old: str, new: str) -> None:
    before, after = fingerprints(house, name, old, new)
    assert before != after


def test_every_way_to_import_a_module_is_followed(house: Path) -> None:
    found = {file.relative_to(house).as_posix() for file in kernel_sources(house)}
    assert found == FILES.keys() - {"__init__.py", "game/__init__.py", "cli.py"}


def test_sources_of_the_program() -> None:
    rooms = {file.parent.name for file in kernel_sources()}
    assert {"game", "jit", "play", "hand_draft"} <= rooms
    assert not rooms & {"cli", "report", "studies", "storage", "run", "cluster"}
