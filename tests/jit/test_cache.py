"""Where compiled code is kept: nobody else can write there, and what is damaged is compiled anew."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from numba import njit

from salad_sim.jit import cache
from salad_sim.jit.cache import is_private, keep_compiled, private_folder, sweep
from support.processes import run_python


@pytest.fixture
def add(tmp_path: Path) -> Callable[[], list[int]]:
    """Return a function that adds one to two in compiled code; it returns that, and how often code was loaded."""
    (tmp_path / "adder.py").write_text("def add(x):\n    return x + 1\n")
    spec = importlib.util.spec_from_file_location("adder", tmp_path / "adder.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["adder"] = module

    def compile_and_add() -> list[int]:
        kernel = njit(module.add)
        keep_compiled(kernel, tmp_path / "kept")
        return [kernel(2), len(kernel.stats.cache_hits)]

    return compile_and_add


def test_a_folder_of_this_user_alone_is_used(tmp_path: Path) -> None:
    folder = private_folder([tmp_path / "new"], "key")
    assert folder == tmp_path / "new" / "key" and is_private(folder)
    assert private_folder([tmp_path / "new"], "key") == folder


def test_a_folder_that_others_may_write_into_is_not(tmp_path: Path) -> None:
    for number, mode in enumerate((0o777, 0o775, 0o1777)):
        inner, outer = tmp_path / f"inner{number}", tmp_path / f"outer{number}"
        (inner / "key").mkdir(parents=True)
        (inner / "key").chmod(mode)
        outer.mkdir()
        outer.chmod(mode)
        found = private_folder([inner, outer], "key")
        assert tmp_path not in found.parents and is_private(found.parent)


def test_a_link_or_a_folder_of_somebody_else_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in ("real", "linked"):
        (tmp_path / place).mkdir()
    (tmp_path / "real" / "key").mkdir(mode=0o700)
    (tmp_path / "linked" / "key").symlink_to(tmp_path / "real" / "key")
    assert tmp_path not in private_folder([tmp_path / "linked"], "key").parents
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert not is_private(tmp_path / "real" / "key")
    assert tmp_path not in private_folder([tmp_path / "real"], "key").parents


def test_where_the_users_umask_lets_the_group_write_it_is_taken_back(tmp_path: Path) -> None:
    (tmp_path / "salad-sim").mkdir()
    (tmp_path / "salad-sim").chmod(0o775)
    assert private_folder([tmp_path / "salad-sim"], "key") == tmp_path / "salad-sim" / "key"
    assert is_private(tmp_path / "salad-sim")


FIND = "from salad_sim.jit.kernel import cache_folder; print(cache_folder())"


def test_what_lies_in_the_temporary_folder_is_not_believed(tmp_path: Path) -> None:
    """Where ~/.cache cannot be written, and somebody was there first."""
    home, spare = tmp_path / "home", tmp_path / "tmp"
    spare.mkdir()
    home.write_text("no folder")
    environment = {"NUMBA_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": str(home), "TMPDIR": str(spare)}
    usual = Path(run_python(FIND, **environment).strip())
    assert usual.parent == spare / f"salad-sim-{os.getuid()}"
    (spare / "of another").mkdir()
    shutil.rmtree(usual.parent)
    usual.parent.symlink_to(spare / "of another")
    other = Path(run_python(FIND, **environment).strip())
    assert other.parent.parent == spare and other.parent.name.startswith("salad-sim-") and other.parent != usual.parent
    assert not other.exists(), "it goes with the process"


def test_without_a_home_nothing_is_called_tilde(tmp_path: Path) -> None:
    code = """
        import os, pwd, sys
        os.environ.pop("HOME", None)
        pwd.getpwuid = lambda uid: {}[uid]
        os.chdir(sys.argv[1])
        from salad_sim.jit.kernel import cache_folder
        print(cache_folder())
    """
    folder = run_python(code, tmp_path, NUMBA_CACHE_DIR="", XDG_CACHE_HOME="relative", TMPDIR=str(tmp_path / "none"))
    assert Path(folder.strip()).is_absolute()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("damage", ["cut off", "empty", "flipped", "not unpickled"])
def test_damaged_code_is_compiled_anew_and_replaced(add, tmp_path: Path, damage: str) -> None:
    assert add() == [3, 0]
    files = sorted(file for file in (tmp_path / "kept").rglob("*") if file.suffix in (".nbi", ".nbc"))
    assert [file.suffix for file in files] == [".nbc", ".nbi"]
    for file in files:
        data = file.read_bytes()
        middle = len(data) // 2
        file.write_bytes(
            {
                "cut off": data[:middle],
                "empty": b"",
                "flipped": data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :],
                "not unpickled": cache.hashlib.sha256(b"no pickle").digest() + b"no pickle",
            }[damage]
        )
        assert add() == [3, 0]
        assert add() == [3, 1]


def test_data_of_another_signature_are_not_taken_for_these(tmp_path: Path) -> None:
    files = cache._SealedFiles(str(tmp_path), "add", "stamp")
    files.save("one", 1)
    files.save("two", 2)
    assert (files.load("one"), files.load("two"), files.load("three")) == (1, 2, None)
    (tmp_path / "add.1.nbc").write_bytes((tmp_path / "add.2.nbc").read_bytes())
    assert (files.load("one"), files.load("two")) == (None, 2)
    assert cache._SealedFiles(str(tmp_path), "add", "another").load("two") is None


def test_a_full_disk_does_not_keep_a_kernel_from_being_compiled(add, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("no folder can be made here")
    assert add() == [3, 0]


def test_folders_that_nobody_uses_any_more_go(tmp_path: Path) -> None:
    long_ago = time.time() - 86400 * (cache.KEPT_DAYS + 1)
    for name in ("0123456789abcdef", "fedcba9876543210", "other things"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    for name in ("0123456789abcdef", "other things"):
        os.utime(tmp_path / name, (long_ago, long_ago))
    sweep(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["fedcba9876543210", "other things"]
    os.utime(tmp_path / "fedcba9876543210", (long_ago, long_ago))
    private_folder([tmp_path], "fedcba9876543210")  # is used
    private_folder([tmp_path], "0" * 16)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["0" * 16, "fedcba9876543210", "other things"]
