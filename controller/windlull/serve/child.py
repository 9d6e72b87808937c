"""One process of the service: it ends when we do, and all that it has started ends with it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windlull.errors import FailureError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Ended:
    """A child is gone: `code` as `subprocess` has it (negative: the signal), after `lived_s`."""

    child: Child
    code: int
    lived_s: float


class Child:
    """A command that runs once at a time, in a process group of its own: a Ctrl-C at the terminal reaches only us.

    Its standard input is a pipe that we alone hold and never write to: the child ends when it ends (`lifeline`).
    """

    def __init__(
        self, name: str, command: Sequence[str], *, environment: Mapping[str, str], pass_fds: Sequence[int] = ()
    ) -> None:
        self.name = name
        self._command = command
        self._environment = environment
        self._pass_fds = pass_fds
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process that runs, None if none does."""
        return None if self._process is None else self._process.pid

    def start(self, tell: Callable[[Ended], None]) -> None:
        """Start it, and call `tell` from a thread when it has ended. Raises FailureError."""
        begun_s = time.monotonic()
        try:
            process = subprocess.Popen(  # noqa: S603 - a list of our own
                self._command,
                stdin=subprocess.PIPE,
                process_group=0,
                env={**os.environ, **self._environment},
                pass_fds=self._pass_fds,
            )
        except OSError as error:
            raise FailureError(f"cannot start {self._command[0]}: {error.strerror or error}") from error
        self._process = process

        def wait() -> None:
            code = process.wait()
            # What it had started and did not end itself: workers of a master that was killed.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if process.stdin is not None:
                process.stdin.close()
            self._process = None
            tell(Ended(self, code, time.monotonic() - begun_s))

        threading.Thread(target=wait, name=f"wait-{self.name}", daemon=True).start()

    def ask_to_end(self) -> None:
        """Send SIGTERM: it finishes what it is at."""
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        """End it and all that it has started, now."""
        self._send(signal.SIGKILL)

    def _send(self, number: signal.Signals) -> None:
        process = self._process
        if process is not None:
            process.send_signal(number)
