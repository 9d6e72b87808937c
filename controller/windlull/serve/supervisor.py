"""Keeps the children running until it is told to stop.

start all --> a child ends --> pause, longer each time it did not live long --> start it again
   |
   +--> SIGTERM or SIGINT --> SIGTERM to all --> all ended, or a second signal, or GRACE_S: SIGKILL to the rest
"""

from __future__ import annotations

import time
from queue import Empty, SimpleQueue
from signal import Signals
from typing import TYPE_CHECKING

import structlog

from windlull import signals
from windlull.serve.child import Child, Ended

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

GRACE_S = 25.0
"""How long the children may take to finish what they are at."""

SHORT_LIFE_S = 60.0
"""Who lived longer than this is started again at once."""

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0

_log = structlog.get_logger(__name__)

Event = Ended | Signals | None
"""What may happen: a child ends, a signal comes, `wake` is called."""


class Supervisor:
    """Some children, and a queue of what happens; signal handlers and threads put into it, one thread takes out."""

    def __init__(self) -> None:
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._pauses: dict[Child, float] = {}
        self._due: dict[Child, float] = {}
        self._running: set[Child] = set()

    def signals(self) -> AbstractContextManager[None]:
        """Take SIGTERM and SIGINT as events meanwhile."""
        return signals.heard(self._events.put)

    def asked_to_stop(self, within_s: float) -> bool:
        """Wait for a signal, before there are children; say whether one came."""
        try:
            return self._events.get(timeout=within_s) is not None
        except Empty:
            return False

    def run(self, children: Sequence[Child], *, on_end: Callable[[Ended], None] | None = None) -> None:
        """Start the children and keep them running until a signal comes; then end them all.

        `on_end` is told of every end that nobody asked for; what it raises ends all of them, and goes on up. Raises
        FailureError if a child cannot be started.
        """
        try:
            for child in children:
                self._start(child)
            while True:
                match self._next():
                    case Signals() as number:
                        _log.info("stopping", signal=number.name)
                        return
                    case Ended() as ended:
                        self._plan(ended)
                        if on_end is not None:
                            on_end(ended)
                    case None:
                        self._start_due()
        finally:
            self._stop()

    def _next(self) -> Event:
        wait_s = None if not self._due else max(0.0, min(self._due.values()) - time.monotonic())
        try:
            return self._events.get(timeout=wait_s)
        except Empty:
            return None

    def _start(self, child: Child) -> None:
        child.start(self._events.put)
        self._running.add(child)
        _log.info("started", child=child.name, child_pid=child.pid)

    def _plan(self, ended: Ended) -> None:
        """Say that a child is gone, and when it is started again."""
        child = ended.child
        self._running.discard(child)
        pause_s = next_pause_s(self._pauses.get(child), ended.lived_s)
        self._pauses[child] = pause_s
        self._due[child] = time.monotonic() + pause_s
        _log.error("ended", child=child.name, how=how(ended.code), lived_s=round(ended.lived_s, 1), again_in_s=pause_s)

    def _start_due(self) -> None:
        now_s = time.monotonic()
        for child in [child for child, due_s in self._due.items() if due_s <= now_s]:
            del self._due[child]
            self._start(child)

    def _stop(self) -> None:
        """End all children, whatever it takes."""
        for child in self._running:
            child.ask_to_end()
        deadline_s = time.monotonic() + GRACE_S
        while self._running:
            try:
                event = self._events.get(timeout=max(0.0, deadline_s - time.monotonic()))
            except Empty:
                event = Signals.SIGKILL
            match event:
                case Ended() as ended:
                    self._running.discard(ended.child)
                case Signals():
                    _log.warning("killing", children=sorted(child.name for child in self._running))
                    for child in self._running:
                        child.kill()
                    deadline_s = time.monotonic() + GRACE_S
                case None:
                    pass
        _log.info("stopped")


def next_pause_s(last_s: float | None, lived_s: float) -> float:
    """How long to wait before a child is started again: none in a row did harm, many do."""
    if last_s is None or lived_s >= SHORT_LIFE_S:
        return FIRST_PAUSE_S
    return min(2 * last_s, LONGEST_PAUSE_S)


def how(code: int) -> str:
    """Say how a process ended."""
    if code >= 0:
        return f"with code {code}"
    return f"by {Signals(-code).name}" if -code in set(Signals) else f"by signal {-code}"
