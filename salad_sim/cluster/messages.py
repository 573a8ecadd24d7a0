"""What is sent to a worker and back: jobs with the text of their strategies, and answers; sealed plain data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from sys import modules
from typing import Any

from salad_sim.errors import InputError
from salad_sim.files.atomic import write_files
from salad_sim.files.sealed import sealed, sealed_arrays, unsealed, unsealed_arrays
from salad_sim.jit.kernel import cache_folder
from salad_sim.jit.sources import code_fingerprint, fingerprint
from salad_sim.run.driver import Job
from salad_sim.run.executors import Shard
from salad_sim.run.plan import Plan
from salad_sim.storage.folder import differences, versions
from salad_sim.storage.identity import plan_of, record_of
from salad_sim.storage.plain_parts import Reader, UnknownError, Writer
from salad_sim.strategy.registry import Strategy, load_strategy

PARCEL = "salad-sim parcel 1"
JOB = "salad-sim job 1"
ANSWER = "salad-sim answer 2"


@dataclass(frozen=True)
class Unpacked:
    """A plan on a worker.

    Attributes
    ----------
    plan : Plan
    paths : dict of str to str
        Folders of strategies that were sent: where they are here, and what they are called where the run was started.
    """

    plan: Plan
    paths: dict[str, str]

    def in_words_of_sender(self, text: str) -> str:
        """Return a message with the paths of the machine on which the run was started."""
        for here, there in self.paths.items():
            text = text.replace(here, there)
        return text


@dataclass(frozen=True)
class UnpackedJob:
    """A job on a worker.

    Attributes
    ----------
    job : Job
    parcels : list of Unpacked
        Where its plans come from.
    """

    job: Job[Any]
    parcels: list[Unpacked]

    def in_words_of_sender(self, text: str) -> str:
        """Return a message with the paths of the machine on which the job was started."""
        for each in self.parcels:
            text = each.in_words_of_sender(text)
        return text


def pack_job(job: Job[Any]) -> bytes | None:
    """Return a job as a message from which a worker makes it again, but for the deals; None if it cannot be sent.

    That is so if what plays it is not named in a module of this program: it would have to be sent as code.

    Raises
    ------
    InputError
        If a strategy file cannot be sent.
    """
    writer = Writer(lambda plan: pack(plan).decode())
    try:
        what = writer.plain([job.plans, job.worker, job.kernel])
    except UnknownError:
        return None
    about = {"job": what, "fixed": job.fixed, "most": job.most, "code": _code_of(writer.modules)}
    return sealed_arrays(JOB, about, writer.arrays)


@lru_cache(maxsize=8)
def unpack_job(message: bytes) -> UnpackedJob:
    """Make the job of a message again; no deals are in it.

    Raises
    ------
    InputError, DamagedError
        As `unpack` does.
    """
    about, arrays = unsealed_arrays(message, JOB)
    parcels: list[Unpacked] = []

    def plan(text: str) -> Plan:
        parcels.append(unpack(text.encode()))
        return parcels[-1].plan

    plans, worker, kernel = Reader(arrays, plan).value(about["job"])
    _agree(_code_of(about["code"]), about["code"])
    return UnpackedJob(Job(plans, worker, [], kernel, fixed=about["fixed"], most=about["most"]), parcels)


def _code_of(names: Iterable[str]) -> dict[str, str]:
    """Return a hash of the source of each module, by its name."""
    files = {name: modules[name].__file__ for name in names if name in modules}
    return {name: fingerprint([Path(file)]) for name, file in files.items() if file}


def answer_of(about: Mapping[str, Any], found: Sequence[tuple[Shard, Any]], writer: Writer) -> bytes:
    """Return an answer with what was found in shards, which a writer has written down."""
    shards = [[shard.first_deal, shard.n_deals, plain] for shard, plain in found]
    return sealed_arrays(ANSWER, {**about, "shards": shards}, writer.arrays)


def read_answer(message: bytes) -> tuple[dict[str, Any], list[tuple[Shard, Any]]]:
    """Return what an answer says, and what was found in its shards.

    Raises
    ------
    DamagedError
        If it is not as it was sealed.
    """
    about, arrays = unsealed_arrays(message, ANSWER)
    reader = Reader(arrays)
    return about, [(Shard(first, n), reader.value(plain)) for first, n, plain in about.pop("shards")]


def pack(plan: Plan) -> bytes:
    """Return a plan as a message from which a worker makes the same plan again.

    Strategies that are known by name must be installed on the worker. Of a strategy's file the text is sent, and that
    of the files it imports from its own folder.

    Raises
    ------
    InputError
        If a file cannot be sent.
    """
    sent = {str(each.source): _texts(each) for each in plan.members if _is_file(each)}
    files = [each.hashes for each in plan.lineup]
    return sealed(PARCEL, {"run": record_of(plan), "files": files, "sent": sent})


def _is_file(strategy: Strategy) -> bool:
    return strategy.spec.startswith(f"{strategy.source}:")


def _texts(strategy: Strategy) -> dict[str, str]:
    """Return the text of a strategy's file and of those it imports from its folder, by their path in it."""
    folder = strategy.source.parent
    found = {}
    for file in strategy.files:
        if file.is_relative_to(folder):
            try:
                found[file.relative_to(folder).as_posix()] = file.read_bytes().decode()
            except (OSError, UnicodeDecodeError) as error:
                raise InputError(f"strategy file {str(file)!r} cannot be sent to workers: {error}") from None
    return found


@lru_cache(maxsize=32)
def unpack(message: bytes) -> Unpacked:
    """Make the plan of a parcel again, if the code here is that of the sender.

    Raises
    ------
    InputError
        If versions or strategies differ, with what differs ("there" being here, on the worker, as the sender sees it).
    DamagedError
        If the parcel is not as it was sealed.
    """
    parcel = unsealed(message, PARCEL, dict[str, Any])
    record, sent = parcel["run"], parcel["sent"]
    here = versions() | {"code": code_fingerprint()}
    _agree(here, record["versions"])
    places = {path: _unpack_files(path, texts) for path, texts in sent.items()}
    options = record["options"]
    specs = [_moved(spec, places) for spec in options["strategies"]]
    for spec, files in zip(specs, parcel["files"], strict=True):
        _agree(load_strategy(spec, **({"game": options["game"]} if "game" in options else {})).hashes, files)
    plan = plan_of(record | {"options": options | {"strategies": specs}})
    return Unpacked(plan, {str(place.parent): str(Path(path).parent) for path, place in places.items()})


def _agree(here: Mapping[str, Any], sender: Mapping[str, Any]) -> None:
    different = differences(here, sender)
    if different:
        raise InputError(f"it would play by other code: {'; '.join(different)}")


def _moved(spec: str, places: Mapping[str, Path]) -> str:
    """Return what names a strategy, with the path of its file here."""
    for path, place in places.items():
        if spec.startswith(f"{path}:"):
            return str(place) + spec.removeprefix(path)
    return spec


def _unpack_files(path: str, texts: Mapping[str, str]) -> Path:
    """Write the files of a strategy into a folder named by their hash, and return where its file is.

    The folder is that of compiled code, the user's own: what is compiled from a file serves the next process too.
    The name depends on the sender's path, as two files of the same text are two strategies.
    """
    key = hashlib.sha256(json.dumps([path, texts], sort_keys=True).encode()).hexdigest()[:16]
    folder = (cache_folder() / "sent" / key).resolve()
    for name, text in texts.items():
        parts = PurePosixPath(name).parts
        if not parts or ".." in parts or PurePosixPath(name).is_absolute():
            raise InputError(f"a file of a strategy may not be called {name!r}")
        file = folder.joinpath(*parts)
        file.parent.mkdir(parents=True, exist_ok=True)
        # not written again where it is the same: compiled code is found by the time of the file
        if not file.is_file() or file.read_bytes() != text.encode():
            write_files(file.parent, {file.name: text})
    return folder / PurePosixPath(path).name
