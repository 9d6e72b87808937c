"""The parts go out to a cluster, a bounded number at a time, and come back as octets.

What one worker loses another one makes: a part is handed out again if its worker, or the engine there, was killed. An
error that another try would meet again ends the sweep, and says where it was.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from distributed import CancelledError, Client, Future
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from windlull.errors import BadInputError, FailureError, WindlullError
from windlull.runner.work import EngineMismatchError
from windlull.sweep import work
from windlull.sweep.grid import described
from windlull.sweep.work import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from windlull.sweep.parts import Part
    from windlull.sweep.plan import Sweep

ATTEMPTS = 3
"""How often a part is handed out. Dask itself gives a part whose worker died to others, some times each."""

_WAITING = 1
"""Parts that wait for each worker, beside the one that it makes: it never has nothing to do, and little lies about."""

_LOOK_S = 5.0
"""How often the cluster is looked at while nothing comes back."""

_PATIENCE_S = 60.0
"""How long a sweep goes on without any worker."""

WAITING = f"the cluster has no worker; waiting for one, {_PATIENCE_S:.0f} s at most"


class LostError(FailureError):
    """Parts were lost again and again, or every worker is gone."""


class Execution:
    """Parts under way on one cluster."""

    def __init__(
        self,
        client: Client,
        sweep: Sweep,
        plan: str,
        keep: Callable[[Part, bytes], None],
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`plan` is the plan's hash; `keep` is called with a part's octets, `say` with a sentence, in this thread."""
        self._client = client
        self._sweep = sweep
        self._plan = plan
        self._keep = keep
        self._say = say
        self._came: SimpleQueue[Future[bytes]] = SimpleQueue()
        self._under_way: dict[Any, tuple[Part, Future[bytes], int]] = {}
        self._alone_s = 0.0
        self._waits = False

    def run(self, parts: Iterable[Part]) -> None:
        """Have all parts made.

        Raises LostError, and what a worker raised: BadInputError or FailureError with the part it was about.
        """
        waiting = iter(parts)
        try:
            self._are_there_workers()
            self._fill(waiting)
            while self._under_way:
                self._take()
                self._fill(waiting)
        finally:
            self._cancel()

    def _fill(self, waiting: Iterator[Part]) -> None:
        """Hand parts out until every worker has enough."""
        workers = len(self._client.nthreads())  # type: ignore[no-untyped-call]
        enough = (1 + _WAITING) * max(1, workers)
        for part in islice(waiting, max(0, enough - len(self._under_way))):
            self._hand_out(part, attempt=1)

    def _hand_out(self, part: Part, attempt: int) -> None:
        task = Task(self._plan, part.index, self._sweep.chunks(part))
        # A key of its own: two sweeps may share a cluster, and one of them may be this one, started again.
        key = f"windlull-part-{part.index}-{uuid4().hex}"
        future = self._client.submit(work.perform, task, key=key, resources={"sim": 1})
        self._under_way[future.key] = (part, future, attempt)
        future.add_done_callback(self._came.put)  # type: ignore[no-untyped-call]

    def _take(self) -> None:
        """Take in what comes back next."""
        try:
            future = self._came.get(timeout=_LOOK_S)
        except Empty:
            self._look()
            return
        self._alone_s = 0.0
        part, _, attempt = self._under_way.pop(future.key)
        try:
            octets = future.result()
        except (KilledWorker, CommClosedError, CancelledError, asyncio.CancelledError) as error:
            self._again(part, attempt, f"its worker was lost ({type(error).__name__})")
        except (BadInputError, EngineMismatchError) as error:
            raise type(error)(f"{self._about(part)}: {error}") from error
        except WindlullError as error:
            self._again(part, attempt, str(error))
        else:
            self._keep(part, octets)
        finally:
            future.release()  # type: ignore[no-untyped-call]

    def _again(self, part: Part, attempt: int, why: str) -> None:
        if attempt >= ATTEMPTS:
            raise LostError(f"{self._about(part)}: came to nothing {attempt} times, the last time: {why}")
        self._hand_out(part, attempt + 1)

    def _about(self, part: Part) -> str:
        """Say which part it is, in terms of the grid."""
        first, *more = [described(self._sweep.grid.settings(stretch.point.index)) for stretch in part.stretches]
        return f"part {part.index}, {first}" + (f", and {len(more)} points more" if more else "")

    def _look(self) -> None:
        """Give up when there has been no worker for long."""
        if self._are_there_workers():
            self._alone_s = 0.0
            return
        self._alone_s += _LOOK_S
        if self._alone_s >= _PATIENCE_S:
            raise LostError(f"the cluster has had no worker for {_PATIENCE_S:.0f} s")

    def _are_there_workers(self) -> bool:
        """Look, and say when a time without any begins: whoever waits shall know for what."""
        there = bool(self._client.nthreads())  # type: ignore[no-untyped-call]
        if not there and not self._waits:
            self._say(WAITING)
        self._waits = not there
        return there

    def _cancel(self) -> None:
        """Take back what is under way; what a worker has begun it may end, for nobody."""
        futures = [future for _, future, _ in self._under_way.values()]
        self._under_way.clear()
        if futures:
            with suppress(Exception):
                self._client.cancel(futures, force=True)  # type: ignore[no-untyped-call]
