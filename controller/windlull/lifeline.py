"""Ends a process when its parent has, however the parent ended: standard input is a pipe that only the parent holds."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_S = 10
"""How long after the end of the pipe the process may still take to end by itself."""


def watch(stop: Callable[[], object]) -> None:
    """Call `stop` in a thread when standard input ends; GRACE_S later this process is killed."""
    threading.Thread(target=_wait, args=[stop], name="lifeline", daemon=True).start()


def _wait(stop: Callable[[], object]) -> None:
    # Not sys.stdin: whoever ends the interpreter meanwhile must not wait for its lock.
    descriptor = sys.__stdin__.fileno() if sys.__stdin__ else 0
    while os.read(descriptor, 4096):
        pass
    last = threading.Timer(GRACE_S, os.kill, [os.getpid(), signal.SIGKILL])
    last.daemon = True
    last.start()
    stop()
