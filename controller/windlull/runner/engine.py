"""The engine as a process: asked a question, or running an experiment."""

from __future__ import annotations

import signal
import subprocess
import threading
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import msgspec

from windlull import locate
from windlull.errors import EngineError, ExitCode, FailureError
from windlull.runner.messages import SIMULATED, Conversation, Done, Failed, Plan, ProtocolError, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import FrameType

_MESSAGE_LIMIT = 1 << 20
"""How much of the engine's standard error is kept; its messages are lines, a flood of them is a fault."""


def ask(arguments: Sequence[str], *, with_profiles: bool = True) -> Any:  # noqa: ANN401 - each question has its own answer
    """Ask the engine one question and return the JSON it answers with, None if it says nothing.

    Raises EngineError with the engine's own message and exit code.
    """
    answer = text(arguments, with_profiles=with_profiles)
    if not answer.strip():
        return None
    try:
        return msgspec.json.decode(answer)
    except msgspec.DecodeError as error:
        raise ProtocolError(f"the engine's answer to {arguments[0]} cannot be understood: {error}") from error


def text(arguments: Sequence[str], *, with_profiles: bool = True) -> bytes:
    """Ask the engine one question and return what it says, as it is. Raises EngineError as `ask` does."""
    command = [str(locate.engine()), *arguments]
    if with_profiles:
        command += ["--profiles", str(locate.profiles())]
    try:
        # A list of arguments, no shell: nothing that a person types is interpreted.
        answer = subprocess.run(  # noqa: S603
            command, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise FailureError(f"cannot start the engine {command[0]}: {error.strerror}") from error
    if answer.returncode != 0:
        raise _engine_error(answer.returncode, answer.stderr)
    return answer.stdout


def run(
    arguments: Sequence[str],
    *,
    on_plan: Callable[[Plan], None],
    on_run: Callable[[Run | Failed], None],
    conversation: Conversation,
) -> ExitCode:
    """Run an experiment and hear the engine out; `conversation` then holds what it said.

    Returns OK, or INTERRUPTED after SIGINT or SIGTERM: the first is handed on to the engine, which finishes what it is
    writing; the second kills it. Raises EngineError with the engine's message; what `on_plan` and `on_run` raise stops
    the engine and goes on up. In every case the engine has ended when this returns.
    """
    command = [str(locate.engine()), *arguments, "--profiles", str(locate.profiles())]
    try:
        # A process group of its own: a Ctrl-C at the terminal reaches the engine once, through us.
        process = subprocess.Popen(  # noqa: S603 - as above: a list, no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            process_group=0,
            # A file that grows past a limit of the shell's is then an error that the engine can tell, not its death.
            restore_signals=False,
        )
    except OSError as error:
        raise FailureError(f"cannot start the engine {command[0]}: {error.strerror}") from error
    assert process.stdout is not None  # noqa: S101 - because of PIPE above
    assert process.stderr is not None  # noqa: S101
    complaint = _Drain(process.stderr)
    with process, complaint, _handed_on(process) as signals:
        try:
            for line in process.stdout:
                if not line.endswith(b"\n"):
                    break  # the engine was killed within a line; how it ended says the rest
                match conversation.hear(line):
                    case Plan() as plan:
                        on_plan(plan)
                    case Run() | Failed() as ended:
                        on_run(ended)
                    case Done():
                        pass
        except BaseException:
            process.send_signal(signal.SIGINT)
            _discard(process.stdout)
            raise
        returned = process.wait()
    if signals and not conversation.done:
        return ExitCode.INTERRUPTED
    if returned != 0:
        raise _engine_error(returned, complaint.text())
    if not conversation.done:
        raise ProtocolError("the engine ended before it was done")
    return ExitCode.OK


@contextmanager
def _handed_on(process: subprocess.Popen[bytes]) -> Iterator[list[int]]:
    """Hand SIGINT and SIGTERM on to the engine; yields the list of those that came."""
    came: list[int] = []

    def hand_on(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        if len(came) == 1:
            process.send_signal(signal.SIGINT)
        else:
            process.kill()

    before = {number: signal.signal(number, hand_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Drain:
    """Reads a stream to its end in the background, so that its writer never waits, and keeps its beginning."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._kept = bytearray()
        self._stream = stream
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def __enter__(self) -> None:
        """Nothing: it reads since it was made."""

    def __exit__(self, *_: object) -> None:
        """Read to the end, so that the stream can be closed."""
        self._thread.join()

    def _read(self) -> None:
        while piece := self._stream.read(65536):
            self._kept += piece[: max(0, _MESSAGE_LIMIT - len(self._kept))]

    def text(self) -> bytes:
        """Wait for the stream's end and return what was kept."""
        self._thread.join()
        return bytes(self._kept)


def _discard(stream: IO[bytes]) -> None:
    while stream.read(65536):
        pass


def _engine_error(returned: int, complaint: bytes) -> EngineError:
    """Return the engine's error: its own words, or how it ended if it said nothing."""
    message = complaint.decode("utf-8", errors="replace").rstrip("\n")
    if returned < 0:
        name = signal.Signals(-returned).name if -returned in set(signal.Signals) else str(-returned)
        message = f"{message}\nerror: the engine was ended by {name}".lstrip("\n")
    code = ExitCode(returned) if returned in set(ExitCode) else ExitCode.FAILURE
    return EngineError(message or f"error: the engine ended with code {returned} and no message", code)


def version() -> dict[str, str]:
    """Return the engine's version and commit."""
    try:
        return msgspec.convert(ask(["version"], with_profiles=False), dict[str, str])
    except msgspec.ValidationError as error:
        raise ProtocolError(f"the engine's version cannot be understood: {error}") from error


def arguments_for_run(
    experiment: str,
    out: Path,
    *,
    reps: int | None,
    seed: int | None,
    jobs: int | None,
    pcap: bool,
    testbed: str = SIMULATED,
    plane: str | None = None,
    attempts: int | None = None,
) -> list[str]:
    """Return the engine's arguments for one experiment; None leaves the choice to the experiment or the engine."""
    arguments = ["run", experiment, "--out", str(out)]
    if testbed != SIMULATED:
        arguments += ["--testbed", testbed]
    for option, value in (
        ("--plane", plane), ("--attempts", attempts), ("--reps", reps), ("--seed", seed), ("--jobs", jobs),
    ):  # fmt: skip
        if value is not None:
            arguments += [option, str(value)]
    if not pcap:
        arguments.append("--no-pcap")
    return arguments
