"""The parts go out to the workers of a cluster, a bounded number at a time, and come back as octets.

What one worker loses another one makes: a part is handed out again if its worker, or the engine there, was killed. An
error that another try would meet again ends the sweep, and says where it was.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from distributed import CancelledError
from distributed.comm.core import CommClosedError
from distributed.scheduler import KilledWorker

from windlull.errors import BadInputError, FailureError, WindlullError
from windlull.runner.messages import SIMULATED
from windlull.runner.work import EngineMismatchError
from windlull.sweep import work
from windlull.sweep.work import Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from windlull.runner.dispatch import Call, Dispatch
    from windlull.runner.work import Chunk

ATTEMPTS = 3
"""How often a part is handed out."""

_WAITING = 1
"""Parts that wait for each worker, beside the one that it makes: it never has nothing to do, and little lies about."""

_LOOK_S = 0.5
"""How often it is looked for an interrupt, and which workers are gone, while nothing comes back."""

_PATIENCE_S = 60.0
"""How long a sweep goes on without any worker."""

WAITING = f"the cluster has no worker; waiting for one, {_PATIENCE_S:.0f} s at most"


class LostError(FailureError):
    """Parts were lost again and again, or every worker is gone."""


class Numbered(Protocol):
    """What is handed out in one task."""

    @property
    def index(self) -> int:
        """Which it is."""


_Part = TypeVar("_Part", bound=Numbered)
_Of_contra = TypeVar("_Of_contra", bound=Numbered, contravariant=True)


class Work(Protocol[_Of_contra]):
    """What the parts are of: a sweep, or the links that a search tries."""

    def chunks(self, part: _Of_contra) -> tuple[tuple[int, Chunk], ...]:
        """Return what a worker is told of a part."""

    def about(self, part: _Of_contra) -> str:
        """Say for a person which part it is."""


@dataclass(frozen=True, slots=True)
class _UnderWay(Generic[_Part]):
    """A part that was handed out, to whom, and the how-manieth time."""

    part: _Part
    attempt: int
    address: str
    call: Call


class Execution(Generic[_Part]):
    """Parts under way on one cluster."""

    def __init__(
        self,
        dispatch: Dispatch,
        of: Work[_Part],
        plan: str,
        keep: Callable[[_Part, bytes], None],
        say: Callable[[str], None] = lambda _: None,
        interrupted: Callable[[], bool] = lambda: False,
        perform: Callable[[Task], bytes] = work.perform,
        testbed: str = SIMULATED,
    ) -> None:
        """`plan` is the plan's hash; `keep` is called with a part's octets, `say` with a sentence, in this thread.

        No part is waited for any more once `interrupted` is true. `perform` is what a worker does, and `testbed` where
        its runs are made: workers that have it are given parts.
        """
        self._dispatch = dispatch
        self._of = of
        self._perform = perform
        self._testbed = testbed
        self._plan = plan
        self._keep = keep
        self._say = say
        self._interrupted = interrupted
        self._came: SimpleQueue[tuple[int, bytes, BaseException | None]] = SimpleQueue()
        self._calls = 0
        self._under_way: dict[int, _UnderWay[_Part]] = {}
        self._waiting: deque[tuple[_Part, int]] = deque()
        """Parts to be handed out, those that were lost first, and the how-manieth time that is."""
        self._alone_s = 0.0
        self._waits = False

    def run(self, parts: Iterable[_Part]) -> None:
        """Have all parts made, or those that end before an interrupt.

        Raises LostError, and what a worker raised: BadInputError or FailureError with the part it was about.
        """
        self._waiting.extend((part, 1) for part in parts)
        try:
            while (self._waiting or self._under_way) and not self._interrupted():
                self._fill()
                self._take()
        finally:
            for one in self._under_way.values():
                one.call.cancel()

    def _fill(self) -> None:
        """Hand parts out until every worker has enough."""
        there = self._workers()
        has = Counter(one.address for one in self._under_way.values())
        while there and self._waiting:
            address = min(there, key=lambda one: has[one])
            if has[address] > _WAITING:
                return
            has[address] += 1
            self._hand_out(*self._waiting.popleft(), address)

    def _hand_out(self, part: _Part, attempt: int, address: str) -> None:
        task = Task(self._plan, part.index, self._of.chunks(part))
        self._calls += 1
        number = self._calls
        call = self._dispatch.call(
            address, self._perform, task, answered=lambda octets, error: self._came.put((number, octets, error))
        )
        self._under_way[number] = _UnderWay(part, attempt, address, call)

    def _take(self) -> None:
        """Take in what comes back next."""
        try:
            number, octets, error = self._came.get(timeout=_LOOK_S)
        except Empty:
            self._look()
            return
        self._alone_s = 0.0
        if (one := self._under_way.pop(number, None)) is None:
            return  # its worker was thought to be gone
        match error:
            case None:
                self._keep(one.part, octets)
            case KilledWorker() | CommClosedError() | CancelledError() | asyncio.CancelledError():
                self._dispatch.there(now=True)
                self._again(one, f"its worker was lost ({type(error).__name__})")
            case BadInputError() | EngineMismatchError():
                raise type(error)(f"{self._of.about(one.part)}: {error}") from error
            case WindlullError():
                self._again(one, str(error))
            case _:
                raise error

    def _again(self, lost: _UnderWay[_Part], why: str) -> None:
        if lost.attempt >= ATTEMPTS:
            raise LostError(f"{self._of.about(lost.part)}: came to nothing {lost.attempt} times, the last time: {why}")
        self._waiting.appendleft((lost.part, lost.attempt + 1))

    def _look(self) -> None:
        """Take parts back whose worker is gone; give up when there has been none for long."""
        there = self._workers()
        for number, one in list(self._under_way.items()):
            if one.address not in there:
                self._under_way.pop(number).call.cancel()
                self._again(one, "its worker is gone")
        self._alone_s = 0.0 if there else self._alone_s + _LOOK_S
        if self._alone_s >= _PATIENCE_S:
            raise LostError(f"the cluster has had no worker for {_PATIENCE_S:.0f} s")

    def _workers(self) -> list[str]:
        """Look who can make parts, and say when a time without any begins: whoever waits shall know for what."""
        there = [address for address, testbeds in self._dispatch.there().items() if self._testbed in testbeds]
        if not there and not self._waits:
            self._say(WAITING)
        self._waits = not there
        return there
