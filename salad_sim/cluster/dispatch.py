"""Hands shards of a job to the workers of a cluster and takes what they answer, each shard once."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from salad_sim.cluster.connection import ClusterError
from salad_sim.cluster.messages import pack_job, read_answer
from salad_sim.cluster.worker import play_range
from salad_sim.errors import IllegalMoveError, InputError, SaladError, StrategyError
from salad_sim.files.sealed import DamagedError
from salad_sim.run.driver import Job, Session
from salad_sim.run.executors import WAIT_SECONDS, SecondInterrupt, Shard, ShardCutter

if TYPE_CHECKING:
    from distributed import Client, Future

SHARD_SECONDS = 5.0
"""How long a shard should take: a thousand times what it costs to hand it out, and no great loss with its worker."""

PATIENT = 4
"""No shard should take longer than this part of the patience."""

CAUTION = 8
"""The first shards of a job are so many times shorter than those of the last job of the same strategies suggest."""

PIECES = 16
"""Of a shard at most, where what is found in each piece comes back by itself."""

SHARDS_PER_THREAD = 2
"""Handed out at once, so that no thread waits for its next one."""

TRIES = 2
"""How often a shard is handed out that comes back damaged or takes workers down; Dask loses four before it says so."""

GRACE_SECONDS = 300.0
"""Added to the patience with a strategy: workers start, load and compile meanwhile."""

LOOK_SECONDS = 0.1
RECOUNT_SECONDS = 2.0
FETCH_SECONDS = 10.0

Take: TypeAlias = Callable[[Shard, Any], None]

FAILURES = {kind.__name__: kind for kind in (InputError, IllegalMoveError, StrategyError)}
"""What a worker may report."""


def _check(shard: Shard, found: list[Shard]) -> None:
    """Refuse an answer that is not about the deals of a shard, each once."""
    at = shard.first_deal
    for each in sorted(found, key=lambda piece: piece.first_deal):
        if each.first_deal != at or each.n_deals < 1:
            break
        at += each.n_deals
    if at != shard.first_deal + shard.n_deals:
        raise DamagedError("the answer is about other deals")


@dataclass
class _Dispatcher:
    """The thread that hands out shards and counts answers; nobody else touches what it holds."""

    client: Client
    job: Job[Any]
    parcel: bytes
    take: Take
    patience: float
    stopped: bool = False
    error: BaseException | None = None
    ended: threading.Event = field(default_factory=threading.Event)
    n_threads: int = 1
    last: tuple[Shard, float] | None = None
    n_handed_out: int = 0
    handed_out: dict[str, tuple[Future, Shard]] = field(default_factory=dict)
    again: list[Shard] = field(default_factory=list)
    tries: dict[Shard, int] = field(default_factory=dict)
    failures: list[tuple[int, SaladError]] = field(default_factory=list)
    answers: SimpleQueue[Future] = field(default_factory=SimpleQueue)

    def __post_init__(self) -> None:
        self.name = hashlib.sha256(self.parcel + str(self.patience).encode()).hexdigest()[:16]
        piece = self.job.fixed or self.job.most
        self.shards = ShardCutter(
            list(self.job.ranges),
            1,
            most=PIECES * piece if piece else None,
            unit=self.job.fixed or 1,
            target_seconds=min(SHARD_SECONDS, self.patience / PATIENT),
        )
        self.n_left = self.job.n_deals
        self.last_answer = monotonic()
        self.last_count = -RECOUNT_SECONDS

    def run(self) -> None:
        """Play all shards, or until it is stopped or something fails."""
        try:
            self._serve()
            if self.stopped:
                self._take_finished()
        except BaseException as error:  # handed to the thread that waits, which raises it
            self.error = error
        finally:
            self._cancel()
            self.ended.set()

    def _serve(self) -> None:
        while not self.stopped:
            self._look_after_cluster()
            while len(self.handed_out) < SHARDS_PER_THREAD * self.n_threads and (shard := self._next()) is not None:
                self._hand_out(shard)
            if self.failures and self._first_failure_is_known():
                raise min(self.failures, key=lambda failure: failure[0])[1]
            if not self.n_left:
                return
            try:
                self._take(self.answers.get(timeout=LOOK_SECONDS))
            except Empty:
                continue

    @property
    def _is_connected(self) -> bool:
        return bool(self.client.status == "running")

    def _look_after_cluster(self) -> None:
        """Count the workers now and then, and give up where nothing comes back any more."""
        if self.client.status in ("closing", "closed"):
            raise ClusterError("the scheduler of the cluster is gone and did not come back")
        now = monotonic()
        if now - self.last_answer > self.patience + GRACE_SECONDS:
            raise ClusterError(
                f"no shard was finished for {now - self.last_answer:.0f} seconds on {self.n_threads} threads of the "
                "cluster: are its workers still there?"
            )
        if self._is_connected and now - self.last_count > RECOUNT_SECONDS:
            self.last_count = now
            try:
                self.n_threads = max(sum(self.client.nthreads().values()), 1)
            except OSError:
                return  # the client itself tries to connect again
            self.shards.n_workers = self.n_threads

    def _first_failure_is_known(self) -> bool:
        """Whether every deal before the first failure is played: the same failure is then reported on any cluster."""
        first = min(deal for deal, _ in self.failures)
        waiting = [*(shard for _, shard in self.handed_out.values()), *self.again]
        return not any(shard.first_deal < first for shard in waiting)

    def _next(self) -> Shard | None:
        if not self._is_connected:
            return None
        if self.again:
            return self.again.pop()
        return None if self.failures else self.shards.take()

    def _hand_out(self, shard: Shard) -> None:
        stop = shard.first_deal + shard.n_deals
        self.n_handed_out += 1  # so that a task which is asked for again is never mistaken for the one before
        key = f"salad-sim-{self.name}-{shard.first_deal}-{stop}-{self.n_handed_out}"
        try:
            future = self.client.submit(
                play_range, self.parcel, shard.first_deal, stop, self.patience, key=key, retries=1
            )
        except Exception:
            if self._is_connected:
                raise
            self.again.append(shard)  # the connection was lost at this very moment
            return
        self._await(future, shard)

    def _await(self, future: Future, shard: Shard) -> None:
        self.handed_out[future.key] = future, shard
        future.add_done_callback(self.answers.put)

    def _cancel(self) -> None:
        """Take back what is handed out; on a cluster that is gone there is nothing to take back."""
        futures = [future for future, _ in self.handed_out.values()]
        self.handed_out.clear()
        if futures and self._is_connected:
            with suppress(OSError):
                self.client.cancel(futures)

    def _take(self, future: Future) -> None:
        """Count an answer, or see to it that the shard is played again."""
        _, shard = self.handed_out.pop(future.key)
        if future.status == "error":
            self._see_why(shard, future)
        elif future.status == "cancelled":  # as all are when the connection is lost
            self.again.append(shard)
        else:
            try:
                message = future.result(timeout=FETCH_SECONDS)
            except Exception:  # its worker went away with the answer: the scheduler has it played again
                self._await(future, shard)
                return
            self._count(shard, message)

    def _see_why(self, shard: Shard, future: Future) -> None:
        """Try again after a worker died; anything else is not known here."""
        error = future.exception(timeout=FETCH_SECONDS)
        what = " ".join(f"{type(error).__name__}: {error}".split())
        if type(error).__name__ == "KilledWorker":
            self._try_again(shard, "the workers that play them die")
        elif isinstance(error, (ImportError, AttributeError)) or "deserialization" in str(error):
            raise ClusterError(
                f"the scheduler or a worker of the cluster cannot load this version of salad-sim; install the same one "
                f"on all machines ({what})"
            )
        else:
            raise ClusterError(f"a worker of the cluster failed: {what}")

    def _try_again(self, shard: Shard, why: str) -> None:
        self.tries[shard] = self.tries.get(shard, 0) + 1
        if self.tries[shard] == TRIES:
            stop = shard.first_deal + shard.n_deals
            raise ClusterError(f"deals {shard.first_deal}..{stop - 1} were handed out {TRIES} times: {why}")
        self.again.append(shard)

    def _count(self, shard: Shard, message: Any) -> None:
        try:
            answer, found = read_answer(message)
            if answer.get("refused"):
                raise ClusterError(f"the worker at {answer['worker']} refuses the work: {answer['text']}")
            if "failed" in answer:
                self.failures.append((shard.first_deal, FAILURES.get(answer["failed"], StrategyError)(answer["text"])))
                return
            _check(shard, [each for each, _ in found])
            seconds = float(answer["seconds"])
        except (KeyError, TypeError, ValueError, AttributeError, InputError) as error:
            self._try_again(shard, f"what comes back is damaged ({error})")
            return
        for each, part in found:
            self.take(each, part)
        self.n_left -= shard.n_deals
        self.tries.pop(shard, None)
        self.shards.learn(shard, seconds)
        self.last = shard, seconds
        self.last_answer = monotonic()

    def _take_finished(self) -> None:
        """After Ctrl-C: count what is finished, and leave the rest."""
        for future, shard in [each for each in self.handed_out.values() if each[0].status == "finished"]:
            try:
                message = future.result(timeout=FETCH_SECONDS)
            except Exception:  # it is one shard less
                return
            self._count(shard, message)


class DaskCluster:
    """A cluster that plays the jobs of sessions in place of the threads here; what is found is the same to the byte."""

    def __init__(self, client: Client) -> None:
        """``client``: see `connection.connected`."""
        self.client = client
        self.speeds: dict[tuple[str, ...], tuple[Shard, float]] = {}

    def play(self, job: Job[Any], take: Take, session: Session) -> bool | None:
        """Play a job; return whether Ctrl-C ended it early, None if it cannot be sent.

        Raises
        ------
        InputError
            If a strategy does not compile.
        IllegalMoveError, StrategyError
            If a strategy fails; of several failures the first by number of the deal.
        ClusterError
            If a worker has other code, the scheduler is gone, or no worker answers.
        """
        parcel = pack_job(job)
        if parcel is None:
            return None
        work = _Dispatcher(self.client, job, parcel, take, session.patience)
        who = tuple(each.name for plan in job.plans for each in plan.lineup)
        if known := self.speeds.get(who):
            # with other values they may be slower
            work.shards.learn(known[0], CAUTION * known[1])
        threading.Thread(target=work.run, daemon=True).start()
        try:
            while not work.ended.wait(LOOK_SECONDS):
                session.look()
        except KeyboardInterrupt:
            work.stopped = True
            if not work.ended.wait(WAIT_SECONDS):
                session.observer.waiting()
                try:
                    work.ended.wait()
                except KeyboardInterrupt:
                    raise SecondInterrupt from None
        finally:
            work.stopped = True
        if work.error is not None:
            raise work.error
        if work.last is not None:
            self.speeds[who] = work.last
        return work.n_left > 0
