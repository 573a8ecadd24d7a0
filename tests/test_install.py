"""The program as it is handed out: built, installed outside the checkout, alone and with each extra, and played."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from salad_sim import __version__

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PLAY = "run --games 200 --strategy random --quiet"
NEEDS = {
    "cluster": (f"{PLAY} --cluster local:1", "salad-sim[cluster]"),
    "data": (f"{PLAY} --save-games games.parquet", "salad-sim[data]"),
    "tune": ("tune collector --games 3000 --population 4 --quiet", "salad-sim[tune]"),
    "web": ("play --strategy random --web", "salad-sim[web]"),
}
"""By extra a command that needs it, and what it says without."""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_one_version_is_told_everywhere() -> None:
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert cited is not None and cited[1] == __version__


def built(folder: Path) -> tuple[Path, Path]:
    """Build a source archive of what git knows, and a wheel from that archive alone."""
    source = folder / "checkout"
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", str(ROOT), str(source)], check=True)
    words = [sys.executable, "-m", "build", "--outdir", str(folder / "dist"), str(source)]
    subprocess.run(words, check=True, capture_output=True)
    (archive,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
    return archive, wheel


@pytest.mark.slow
def test_it_installs_and_plays_alone_and_with_each_extra(tmp_path: Path) -> None:
    archive, wheel = built(tmp_path)
    place = tmp_path / "elsewhere"
    place.mkdir()
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"

    def run(program: str, words: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        return subprocess.run(
            [str(programs / program), *words.split()], cwd=place, env=clean, capture_output=True, text=True, check=False
        )

    assert run("pip", f"install -q {archive}").returncode == 0
    first = run("salad-sim", PLAY)
    assert first.returncode == 0, first.stderr
    assert "random" in run("salad-sim", "strategies").stdout and "seat-order" in run("salad-sim", "experiment").stdout
    for words, said in NEEDS.values():
        lacking = run("salad-sim", words)
        assert lacking.returncode == 2 and lacking.stderr.count("\n") == 1, (words, lacking.stderr)
        assert f"pip install '{said}'" in lacking.stderr
    lacking = run("python", "-m salad_sim.env")
    assert lacking.returncode == 1 and lacking.stderr.splitlines()[-1].endswith("pip install 'salad-sim[rl]'")
    assert run("pip", f"install -q --force-reinstall --no-deps {wheel}").returncode == 0
    again = run("python", f"-m salad_sim {PLAY}")
    assert again.stdout == first.stdout
    for extra, (words, _) in NEEDS.items():
        assert run("pip", f"install -q {wheel}[{extra}]").returncode == 0
        if extra != "web":  # which would serve until it is stopped; its own tests do that
            with_it = run("salad-sim", words)
            assert with_it.returncode == 0, (extra, with_it.stderr)
