"""What is wrong with files, as the engine tells it to programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from windlull.contract.engine import BadInput, Problem
from windlull.contract.problems import line
from windlull.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Sequence


class InvalidFilesError(BadInputError):
    """What is wrong with files, each thing with its place; never empty."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(line, problems)))
        self.problems = tuple(problems)


def read(complaint: bytes) -> InvalidFilesError:
    """Return what the engine said with `--errors json`. Raises msgspec.DecodeError if it is something else."""
    return InvalidFilesError(msgspec.json.decode(complaint, type=BadInput).problems)
