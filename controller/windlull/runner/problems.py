"""What is wrong with files, as the engine tells it to programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Sequence


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong with a file, or with what was asked for: where, what, and what would be right.

    `line` and `column` count from 1; `key` is as in `impairment[0].every`. `suggestion` is the word to write instead.
    """

    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    suggestion: str | None = None

    def __str__(self) -> str:
        """Return it in a line: `links/gprs.toml:12: impairment[0].evry: unknown key; did you mean "every"?`."""
        place = "" if self.file is None else self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(part for part in (place, self.key, self.message) if part)


class InvalidFilesError(BadInputError):
    """What is wrong with files, each thing with its place; never empty."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


class _Told(msgspec.Struct):
    problems: list[Problem]


def read(complaint: bytes) -> InvalidFilesError:
    """Return what the engine said with `--errors json`. Raises msgspec.DecodeError if it is something else."""
    return InvalidFilesError(msgspec.json.decode(complaint, type=_Told).problems)
