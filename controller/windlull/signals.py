"""SIGINT and SIGTERM, while somebody wants to hear of them."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from signal import Signals
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from types import FrameType


@contextmanager
def heard(hear: Callable[[Signals], None], *numbers: Signals) -> Iterator[None]:
    """Have `hear` called with each of these signals, SIGINT and SIGTERM if none is named.

    Python hands signals to the main thread alone: in any other nothing is heard. It is called between any two steps of
    the main thread. What it raises may come up in a finaliser or a callback of the garbage collector, which lose it: to
    note the signal is safer.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(number: int, _frame: FrameType | None) -> None:
        hear(Signals(number))

    before = {number: signal.signal(number, handler) for number in numbers or (Signals.SIGINT, Signals.SIGTERM)}
    try:
        yield
    finally:
        for number, last in before.items():
            signal.signal(number, last)


def as_interrupt() -> AbstractContextManager[None]:
    """Have both be a KeyboardInterrupt, whatever they did before."""

    def interrupt(_number: Signals) -> NoReturn:
        raise KeyboardInterrupt

    return heard(interrupt)


@contextmanager
def noted() -> Iterator[Callable[[], bool]]:
    """Yield whether SIGINT or SIGTERM has come; a second one is a KeyboardInterrupt."""
    came: list[Signals] = []

    def note(number: Signals) -> None:
        came.append(number)
        if len(came) > 1:
            raise KeyboardInterrupt

    with heard(note):
        yield lambda: bool(came)
