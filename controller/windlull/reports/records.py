"""What is read of a run's `run.json` for reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from windlull.errors import FailureError

if TYPE_CHECKING:
    from pathlib import Path

RECORD = "run.json"


class Provenance(msgspec.Struct, frozen=True):
    """On which kernel, if on one."""

    kernel: str | None = None


class Record(msgspec.Struct, frozen=True):
    """The settings of the hosts, and what was sent and delivered in each second."""

    provenance: Provenance = Provenance()
    settings: dict[str, str] = {}
    course: dict[str, list[int]] | None = None


def record(directory: Path) -> Record:
    """Read the record in a run's directory. Raises FailureError if it cannot be read."""
    file = directory / RECORD
    try:
        return msgspec.json.decode(file.read_bytes(), type=Record)
    except OSError as error:
        raise FailureError(f"cannot read {file}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise FailureError(f"{file} is not a run's record: {error}") from error
