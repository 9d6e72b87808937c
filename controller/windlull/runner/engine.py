"""The engine as a process: asked a question, or running an experiment."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from windlull import locate, signals
from windlull.contract.engine import Problem
from windlull.errors import BadInputError, ExitCode, FailureError, WindlullError
from windlull.runner import problems
from windlull.runner.messages import Conversation, Done, Failed, Plan, Progress, ProtocolError, Run
from windlull.runner.problems import InvalidFilesError
from windlull.runner.process import EngineProcess, engine_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from signal import Signals

_LONGEST_S = 60
"""How long a question on files by strangers may take; those that are meant to be read take milliseconds."""

PATIENCE_S = 30
"""How long a question waits for its turn, where there is a most of them."""

_LONGEST_ARGUMENT = 10_000
"""Octets of an argument; the system has a limit of its own, beyond which a program cannot be started."""


class BusyError(FailureError):
    """As many questions are asked already as may be at once; this one was not asked."""


_turns: list[threading.Semaphore] = []
"""A semaphore if there is a most of questions."""


def ask_at_once(most: int) -> None:
    """Let this process ask so many questions at once from now on: each may take a core for a minute."""
    _turns[:] = [threading.Semaphore(most)]


@contextmanager
def _turn() -> Iterator[None]:
    """Wait for a turn. Raises BusyError."""
    if not _turns:
        yield
        return
    turns = _turns[0]
    if not turns.acquire(timeout=PATIENCE_S):
        raise BusyError(f"the engine has been busy with others for {PATIENCE_S} s; try again")
    try:
        yield
    finally:
        turns.release()


def ask(
    arguments: Sequence[str],
    *,
    with_profiles: bool = True,
    profiles: Sequence[Path] | None = None,
    confined: bool = False,
) -> Any:  # noqa: ANN401 - each question has its own answer
    """Ask the engine one question and return the JSON it answers with, None if it says nothing.

    Arguments and errors are those of `text`.
    """
    answer = text(arguments, with_profiles=with_profiles, profiles=profiles, confined=confined)
    if not answer.strip():
        return None
    try:
        return msgspec.json.decode(answer)
    except msgspec.DecodeError as error:
        raise ProtocolError(f"the engine's answer to {arguments[0]} cannot be understood: {error}") from error


def said(
    kind: Any,  # noqa: ANN401 - a type of windlull.contract
    arguments: Sequence[str],
    *,
    profiles: Sequence[Path],
    confined: bool = False,
) -> bytes:
    """Ask the engine one question and return its answer as it is; it has been checked to be a `kind` of the contract.

    Arguments and errors are those of `text`.
    """
    answer = text(arguments, profiles=profiles, confined=confined)
    try:
        msgspec.json.decode(answer, type=kind)
    except msgspec.DecodeError as error:
        raise ProtocolError(f"the engine's {arguments[0]} cannot be understood: {error}") from error
    return answer.strip()


def text(
    arguments: Sequence[str],
    *,
    with_profiles: bool = True,
    profiles: Sequence[Path] | None = None,
    confined: bool = False,
) -> bytes:
    """Ask the engine one question and return what it says, as it is.

    The shipped profiles serve if no others are given. Raises EngineError with the engine's own message and exit code.
    With `profiles` given, the answer is for programs: what is wrong with files is then an InvalidFilesError.
    """
    command = [str(locate.engine())]
    if with_profiles:
        command += [word for root in profiles or [locate.profiles()] for word in ("--profiles", str(root))]
    if profiles is not None:
        command += ["--errors", "json"]
    if confined:
        command.append("--confined")
    command += arguments
    if any(not _can_be_said(argument) for argument in arguments):
        raise BadInputError("a name that is too long, or has characters that names cannot have")
    try:
        with _turn():
            # A list of arguments, no shell: nothing that a person types is interpreted.
            answer = subprocess.run(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                timeout=_LONGEST_S if confined else None,
            )
    except subprocess.TimeoutExpired as error:
        slow = Problem(message=f"takes more than {_LONGEST_S} s to read; make it smaller")
        raise InvalidFilesError([slow]) from error
    except OSError as error:
        raise FailureError(f"cannot start the engine {command[0]}: {error.strerror}") from error
    if answer.returncode == ExitCode.BAD_INPUT and profiles is not None:
        raise _invalid(answer.stderr)
    if answer.returncode != 0:
        raise engine_error(answer.returncode, answer.stderr)
    return answer.stdout


def become(arguments: Sequence[str]) -> NoReturn:
    """Become the engine: this process, its terminal and its exit code are the engine's from now on.

    Raises FailureError if there is no engine, or if it cannot be started.
    """
    command = [str(locate.engine()), "--profiles", str(locate.profiles()), *arguments]
    # Python ignores these, and what is ignored stays so in the program that follows.
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    try:
        # A list of arguments, no shell: nothing that a person types is interpreted.
        os.execv(command[0], command)  # noqa: S606
    except OSError as error:
        raise FailureError(f"cannot start the engine {command[0]}: {error.strerror}") from error
    except ValueError as error:
        raise BadInputError(f"an argument that no program can be given: {error}") from error


def _can_be_said(argument: str) -> bool:
    """Say whether a program can be started with this argument. Names that clients send may be anything."""
    try:
        return "\0" not in argument and len(os.fsencode(argument)) <= _LONGEST_ARGUMENT
    except UnicodeEncodeError:
        return False


def run(
    arguments: Sequence[str],
    *,
    on_plan: Callable[[Plan], None],
    on_run: Callable[[Run | Failed], None],
    on_progress: Callable[[Progress], None] = lambda _: None,
    conversation: Conversation,
    profiles: Path | None = None,
) -> ExitCode:
    """Run an experiment and hear the engine out; `conversation` then holds what it said.

    The shipped profiles serve if no others are given. Returns OK, or INTERRUPTED after SIGINT or SIGTERM: the first is
    handed on to the engine, which finishes what it is writing; the second kills it. Raises EngineError with the
    engine's message; what the other functions raise stops the engine and goes on up. In every case the engine has ended
    when this returns.
    """
    with (
        EngineProcess([*arguments, "--profiles", str(profiles or locate.profiles())]) as process,
        _handed_on(process) as came,
    ):
        for line in process.lines():
            match conversation.hear(line):
                case Plan() as plan:
                    on_plan(plan)
                case Run() | Failed() as ended:
                    on_run(ended)
                case Progress() as progress:
                    on_progress(progress)
                case Done():
                    pass
        returned = process.wait()
    if came and not conversation.done:
        return ExitCode.INTERRUPTED
    if returned != 0:
        raise process.error()
    if not conversation.done:
        raise ProtocolError("the engine ended before it was done")
    return ExitCode.OK


def tell(arguments: Sequence[str], on_line: Callable[[bytes], None]) -> ExitCode:
    """Let the engine tell something in lines for people, and pass each on as it comes.

    Returns OK, or INTERRUPTED after SIGINT or SIGTERM. Raises EngineError with the engine's message; the engine has
    ended when this returns.
    """
    with (
        EngineProcess([*arguments, "--profiles", str(locate.profiles())]) as process,
        _handed_on(process) as came,
    ):
        for line in process.lines():
            on_line(line)
        returned = process.wait()
    if came:
        return ExitCode.INTERRUPTED
    if returned != 0:
        raise process.error()
    return ExitCode.OK


@contextmanager
def _handed_on(process: EngineProcess) -> Iterator[list[Signals]]:
    """Hand SIGINT and SIGTERM on to the engine; yields the list of those that came."""
    came: list[Signals] = []

    def hand_on(number: Signals) -> None:
        came.append(number)
        if len(came) == 1:
            process.interrupt()
        else:
            process.kill()

    with signals.heard(hand_on):
        yield came


def _invalid(complaint: bytes) -> InvalidFilesError:
    """Return what the engine found wrong with files."""
    try:
        return problems.read(complaint)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ProtocolError(f"the engine's error cannot be understood: {error}") from error


def doctor(*options: str) -> Any:  # noqa: ANN401 - the answer's reader knows
    """Ask the engine what works on this machine."""
    return ask(["doctor", "--kernels", str(locate.kernels()), *options], with_profiles=False)


def lacking(testbed: str) -> str | None:
    """Return why runs on a testbed cannot be made here; None if they can.

    An engine that cannot be asked, that knows no such testbed, or that answers otherwise, as one of another version
    may, makes none either.
    """
    try:
        known = {one["name"]: one for one in doctor()["testbeds"]}
        if testbed not in known:
            return f"the engine here knows no testbed {testbed}"
        asked = known[testbed]
        return None if asked["works"] else str(asked.get("why") or f"{testbed} does not work here")
    except WindlullError as error:
        return str(error)
    except (KeyError, TypeError) as error:
        return f"the engine's answer to doctor cannot be understood: {error!r}"


def made_of(commit: str | None, *, changed: bool = False) -> str:
    """Return in words which source something was made of. An engine's commit says itself if sources were changed."""
    known, plus, sources = (commit or "unknown").partition("+")
    if plus:
        return f"with changes since commit {known}, sources {sources}"
    return f"with changes since commit {known}" if changed else f"commit {known}"


def version() -> dict[str, str]:
    """Return the engine's version, commit and hash of sources."""
    try:
        return msgspec.convert(ask(["version"], with_profiles=False), dict[str, str])
    except msgspec.ValidationError as error:
        raise ProtocolError(f"the engine's version cannot be understood: {error}") from error
