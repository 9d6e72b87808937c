"""The engine asked about captures: which TCP connections they have, what one of them shows, where two runs part.

Captures come from anywhere and may be large: the kernel holds the engine to limits while it reads them.
"""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from windlull import locate
from windlull.errors import BadInputError, ExitCode, FailureError
from windlull.runner.limits import limits, memory_for
from windlull.runner.messages import ProtocolError
from windlull.runner.process import engine_error

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_S = 120
"""How long the engine may read captures; a file of a million packets takes a few seconds."""
MOST_SERIES_BYTES = 64 << 20
"""Octets of a diagram's columns, compressed; a run of a million segments has some ten megabytes."""
AT_ONCE = 2
"""So many engines that read captures fit into the machine's memory beside each other."""


def connections(captures: Sequence[Path]) -> dict[str, Any]:
    """Return the list of TCP connections in one or two captures: `total` and `connections`.

    Raises BadInputError for what is no capture, and for one that is too large to be read within the limits.
    """
    answer: dict[str, Any] = ask(["analyze", "--connections", "--", *map(str, captures)], nameless=captures)
    return answer


def analysis(captures: Sequence[Path], number: int, end: str | None = None) -> tuple[dict[str, Any], bytes]:
    """Return what the connection of that number in the list shows: the analysis, and the diagram's series, packed.

    `end` is that at which the first capture was made, `server` or `client`, where it is known.

    Raises BadInputError as `connections` does, for a number that is not in the list, and where the file itself says
    that it was made at the other end.
    """
    with tempfile.TemporaryDirectory() as directory:
        series = Path(directory) / "series.json.gz"
        asked = ["--connection", str(number), "--series", str(series), *(["--end", end] if end else [])]
        answer: dict[str, Any] = ask(["analyze", *asked, "--", *map(str, captures)], nameless=captures)
        return answer, series.read_bytes()


def difference(a: Path, b: Path, options: Sequence[str] = ()) -> Any:  # noqa: ANN401 - whoever asks knows its type
    """Return where the runs in two directories beside each other part, as the engine says it (`DifferenceOfRuns`).

    Raises BadInputError for runs that cannot be compared; it calls them by the names of their directories.
    """
    try:
        return ask(["diff", *options, "--", str(a), str(b)])
    except BadInputError as error:
        raise BadInputError(str(error).removeprefix("error: ").replace(f"{a.parent}/", "")) from error


def ask(arguments: Sequence[str], *, nameless: Sequence[Path] = ()) -> Any:  # noqa: ANN401 - each has its own answer
    """Ask the engine a question about captures and return the JSON it answers with; the first argument says which.

    The kernel holds it to limits. The `nameless` files are not named in what is wrong with them. Raises BadInputError
    for what the engine refuses, and for what is too large to be read within the limits; EngineError for anything else.
    """
    command = [str(locate.engine()), *arguments]
    held = replace(limits(None), memory_bytes=memory_for(AT_ONCE), file_bytes=MOST_SERIES_BYTES, processor_s=LONGEST_S)
    try:
        process = subprocess.Popen(  # noqa: S603 - a list, no shell: nothing that is typed is interpreted
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # A file that outgrows its limit is then an error that the engine can tell, not its death.
            restore_signals=False,
        )
    except OSError as error:
        raise FailureError(f"cannot start the engine {command[0]}: {error.strerror}") from error
    with process:
        held.impose(process.pid)
        try:
            said, complaint = process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise BadInputError(f"takes more than {LONGEST_S} s to read; cut the capture") from None
    if (exceeded := held.exceeded(process.returncode, complaint.decode(errors="replace"))) is not None:
        raise BadInputError(f"the capture is too large: {exceeded.partition(';')[0]}; cut it")
    if process.returncode == ExitCode.BAD_INPUT:
        raise BadInputError(_without_paths(str(engine_error(process.returncode, complaint)), nameless))
    if process.returncode != 0:
        raise engine_error(process.returncode, complaint)
    try:
        return msgspec.json.decode(said)
    except msgspec.DecodeError as error:
        raise ProtocolError(f"the engine's answer to {arguments[0]} cannot be understood: {error}") from error


def _without_paths(message: str, files: Sequence[Path]) -> str:
    """Return the message without the names that files have here, which say nothing to those who sent them."""
    for file in files:
        message = message.replace(f"{file}: ", "")
    return message
