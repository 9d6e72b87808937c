"""The engine as a process at work on an experiment: started, heard line by line, ended in every case."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import threading
from typing import IO, TYPE_CHECKING, Self

from windlull import locate
from windlull.errors import EngineDiedError, EngineError, ExitCode, FailureError
from windlull.runner.limits import Limits, limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

_MESSAGE_LIMIT = 1 << 20
"""How much of the engine's standard error is kept; its messages are lines, a flood of them is a fault."""

_LOOK_S = 0.1
"""How often somebody who may want to stop is asked."""

_PIECE = 1 << 16


class EngineProcess:
    """A context in which the engine runs, with its lines as they come.

    However the context ends, the engine has ended then. An exception interrupts it, so that it finishes what it is
    writing. With a `lifeline`, of which the arguments must tell it, nobody wants that: an exception kills it, and it
    ends with this process. The kernel holds it to the limits; without any given, to those of one that has this machine
    for itself.
    """

    def __init__(self, arguments: Sequence[str], *, lifeline: bool = False, most: Limits | None = None) -> None:
        """Start it. Raises FailureError if that cannot be."""
        command = [str(locate.engine()), *arguments]
        self._limits = most or limits(None)
        try:
            # A process group of its own: a Ctrl-C at the terminal reaches the engine once, through us.
            self._process = subprocess.Popen(  # noqa: S603 - a list, no shell: nothing that is typed is interpreted
                command,
                stdin=subprocess.PIPE if lifeline else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                process_group=0,
                env=os.environ | self._limits.environment(),
                # A file that outgrows a limit of the shell is then an error that the engine can tell, not its death.
                restore_signals=False,
            )
        except OSError as error:
            raise FailureError(f"cannot start the engine {command[0]}: {error.strerror}") from error
        self._limits.impose(self._process.pid)
        assert self._process.stdout is not None  # noqa: S101 - because of PIPE above
        assert self._process.stderr is not None  # noqa: S101
        self._out = self._process.stdout
        self._complaint = _Drain(self._process.stderr)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None) -> None:
        if kind is not None:
            (self.interrupt if self._process.stdin is None else self.kill)()
        while self._out.read(_PIECE):
            pass
        # Not before its last word: an engine that hears its lifeline end gives up what it is doing.
        self._process.wait()
        self._complaint.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def lines(self, look: Callable[[], None] | None = None) -> Iterator[bytes]:
        """Yield each whole line, without its end. `look` is called now and then, also while nothing comes.

        A line that the engine was killed within is not one; how it ended says the rest.
        """
        out = self._out.fileno()
        poll = select.poll()
        poll.register(out, select.POLLIN)
        rest = b""
        while True:
            if look is not None:
                look()
                if not poll.poll(_LOOK_S * 1000):
                    continue
            piece = os.read(out, _PIECE)
            if not piece:
                return
            *lines, rest = (rest + piece).split(b"\n")
            yield from lines

    def interrupt(self) -> None:
        """Ask it to end: no run begins any more, simulations under way are finished, live runs are ended."""
        self._process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()

    def wait(self) -> int:
        """Wait until it has ended, and return its exit code; a signal that ended it is negative."""
        return self._process.wait()

    def error(self) -> EngineError:
        """Return what it said on standard error, once it has ended."""
        returned, complaint = self._process.wait(), self._complaint.text()
        exceeded = self._limits.exceeded(returned, complaint.decode("utf-8", errors="replace"))
        if exceeded is not None:
            return EngineError(f"error: the run was ended: {exceeded}", ExitCode.FAILURE)
        return engine_error(returned, complaint)


def engine_error(returned: int, complaint: bytes) -> EngineError:
    """Return the engine's error: its own words, or how it ended if it said nothing."""
    message = complaint.decode("utf-8", errors="replace").rstrip("\n")
    if returned < 0:
        name = signal.Signals(-returned).name if -returned in set(signal.Signals) else str(-returned)
        message = f"{message}\nerror: the engine was ended by {name}".lstrip("\n")
        return EngineDiedError(message, ExitCode.FAILURE)
    code = ExitCode(returned) if returned in set(ExitCode) else ExitCode.FAILURE
    return EngineError(message or f"error: the engine ended with code {returned} and no message", code)


class _Drain:
    """Reads a stream to its end in the background, so that its writer never waits, and keeps its beginning."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._kept = bytearray()
        self._stream = stream
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while piece := self._stream.read(_PIECE):
            self._kept += piece[: max(0, _MESSAGE_LIMIT - len(self._kept))]

    def join(self) -> None:
        """Wait for the stream's end."""
        self._thread.join()

    def text(self) -> bytes:
        """Wait for the stream's end and return what was kept."""
        self.join()
        return bytes(self._kept)
