"""The trials of a search on disk, a line each, as they end: what a search goes on with after it was interrupted.

A line holds the trial's number, its candidate and what came of it. Nothing of the optimiser's state is kept: it follows
from the seed and from these, as the optimiser is asked again in the same order.
"""

from __future__ import annotations

import os
from typing import IO, TYPE_CHECKING

import msgspec

from windlull.errors import BadInputError, FailureError
from windlull.search.candidate import Candidate
from windlull.search.outcome import Outcome

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self


class Trial(msgspec.Struct, frozen=True):
    """A candidate that was run. Numbers count from 0, which is the base link."""

    number: int
    candidate: Candidate
    outcome: Outcome


_TRIAL: msgspec.json.Decoder[Trial] = msgspec.json.Decoder(Trial)


class Journal:
    """The file of a search's trials, open for more."""

    def __init__(self, path: Path) -> None:
        """Read what is there. Raises BadInputError if a line other than the last, which may be cut, is no trial."""
        self._path = path
        self._trials: dict[int, Trial] = {}
        try:
            text = path.read_bytes() if path.exists() else b""
            whole = _whole(text)
            for place, line in enumerate(whole.splitlines(), 1):
                trial = _read(line, place, path)
                self._trials[trial.number] = trial
            self._file: IO[bytes] = path.open("r+b" if path.exists() else "w+b")
            # A line that was cut when the process was killed is made anew.
            self._file.truncate(len(whole))
            self._file.seek(len(whole))
        except OSError as error:
            raise FailureError(f"cannot write {path}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def __len__(self) -> int:
        return len(self._trials)

    def find(self, number: int, candidate: Candidate) -> Trial | None:
        """Return the trial of that number, None if it is to be made.

        Raises BadInputError if another candidate was tried there: another version proposes others.
        """
        found = self._trials.get(number)
        if found is not None and found.candidate != candidate:
            raise BadInputError(
                f"{self._path}: trial {number} is of another link than this version proposes; give another --out"
            )
        return found

    def keep(self, trial: Trial) -> None:
        """Write a trial that has ended."""
        self._trials[trial.number] = trial
        try:
            self._file.write(msgspec.json.encode(trial) + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise FailureError(f"cannot write {self._path}: {error.strerror}") from error


def lines_up_to(text: bytes, number: int, path: Path) -> bytes:
    """Return the lines of a journal's text whose trials have this number at most. Raises BadInputError as Journal."""
    lines = _whole(text).splitlines(keepends=True)
    return b"".join(line for place, line in enumerate(lines, 1) if _read(line, place, path).number <= number)


def _whole(text: bytes) -> bytes:
    """Return the text without a last line that was cut."""
    return text[: text.rfind(b"\n") + 1]


def _read(line: bytes, place: int, path: Path) -> Trial:
    try:
        return _TRIAL.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BadInputError(f"{path}: line {place} is no trial: {error}") from error
